//! A question that follows an earlier one, as a question of its own: "and in 2019?", "why did they leave?", "大阪は？".

mod spaced;
mod wide;

use super::candidates::likeness;
use crate::base::text::{Language, is_cjk, one_line};

/// What likeness in meaning adds to how well a phrase of the earlier question gives way to a new one. It decides between
/// phrases of one kind.
const MEANT: f32 = 1.5;

/// Words that open a follow-up and ask nothing.
const OPENERS: [&str; 24] = [
    "and what about",
    "and how about",
    "but what about",
    "what about",
    "how about",
    "and",
    "but",
    "or",
    "also",
    "und was ist mit",
    "was ist mit",
    "und",
    "oder",
    "aber",
    "et",
    "mais",
    "y",
    "pero",
    "e",
    "それでは、",
    "それでは",
    "では",
    "じゃあ",
    "それで",
];

/// `follow_up`, asked after `earlier` was answered with `answer`, as a question that stands alone. The answer is what the
/// earlier report sets in bold, empty where it sets nothing so.
pub fn resolved(earlier: &str, answer: &str, follow_up: &str, language: Language) -> String {
    let (earlier, follow_up) = (one_line(earlier.trim()), one_line(follow_up.trim()));
    let rest = without_opener(&follow_up);
    if rest.contains(is_cjk) || earlier.contains(is_cjk) {
        wide::resolved(&earlier, answer, rest, language)
    } else {
        spaced::resolved(&earlier, answer, rest, language)
    }
}

fn without_opener(text: &str) -> &str {
    let lower = text.to_lowercase();
    let opener = OPENERS.iter().find(|opener| {
        let after = lower.strip_prefix(**opener);
        after.is_some_and(|after| after.starts_with([' ', ',', '、']) || opener.chars().any(is_cjk))
    });
    let rest = opener.and_then(|opener| text.get(opener.len()..)).unwrap_or(text);
    let rest = rest.trim_start_matches([' ', ',', '、']);
    if rest.is_empty() { text } else { rest }
}

/// For each new phrase the one of `old` that gives way to it, by how well `fit` says that they go together, from nought on,
/// and by their likeness in meaning; each gives way once.
fn giving_way(new: &[&str], old: &[&str], language: Language, fit: impl Fn(usize, usize) -> f32) -> Vec<Option<usize>> {
    let old_texts: Vec<String> = old.iter().map(|text| (*text).to_owned()).collect();
    let meant = if old.len() > 1 { likeness(new, &old_texts, language) } else { Vec::new() };
    let worth = |one: usize, other: usize| {
        let meant = meant.get(one).and_then(|row| row.get(other)).copied().unwrap_or(0.0);
        fit(one, other) + MEANT * meant
    };
    let mut taken = vec![false; old.len()];
    (0..new.len())
        .map(|one| {
            let best = (0..old.len())
                .filter(|&other| !taken[other] && fit(one, other) >= 0.0)
                .max_by(|&a, &b| worth(one, a).total_cmp(&worth(one, b)).then(a.cmp(&b)));
            if let Some(best) = best {
                taken[best] = true;
            }
            best
        })
        .collect()
}

/// The places that give way, each with what is new there, the last first: then those before it stay where they are.
fn from_last<'a>(places: &[Option<usize>], new: &[&'a str]) -> Vec<(usize, &'a str)> {
    let mut found: Vec<(usize, &str)> =
        places.iter().zip(new).filter_map(|(place, new)| place.map(|place| (place, *new))).collect();
    found.sort_by_key(|(place, _)| std::cmp::Reverse(*place));
    found
}

#[cfg(test)]
mod tests;
