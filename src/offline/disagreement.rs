//! Sentences of different documents that speak of the same thing and give different figures or years.

use std::collections::BTreeSet;

use super::account::Told;
use super::entities::years;
use super::terms::{Rarity, content_terms, is_function_word};
use crate::base::text::{Language, is_cjk};

/// How alike two sentences must be, numbers aside, to speak of the same thing when a unit is the same too.
const SAME_THING: f32 = 0.4;

/// How alike they must be when only their years differ.
const SAME_EVENT: f32 = 0.7;

/// Two candidates that contradict each other, as indices, and on what.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Disagreement {
    /// Index of the one from the earlier evidence.
    pub first: usize,
    /// Index of the other.
    pub second: usize,
    /// The first one's figure, as written.
    pub first_figure: String,
    /// The other's.
    pub second_figure: String,
    /// How alike the sentences are.
    pub likeness: f32,
}

/// An amount of something.
#[derive(Clone, Debug, PartialEq)]
struct Quantity {
    value: f64,
    /// The term of the thing counted.
    unit: String,
    /// As written.
    surface: String,
    /// Whether the words before it make it a bound.
    bound: Bound,
}

/// What a number says of the true one.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Bound {
    Exact,
    AtLeast,
    AtMost,
}

/// The bound that the words before a number set.
fn bound_before(text: &str) -> Bound {
    let lower = text.to_lowercase();
    let before = lower.trim_end_matches(|c: char| c.is_whitespace() || "$€£¥".contains(c));
    let ends = |phrases: &[&str]| phrases.iter().any(|phrase| before.ends_with(phrase));
    if ends(&["more than", "over", "at least", "mehr als", "über", "plus de", "más de", "exceeding", "above"]) {
        Bound::AtLeast
    } else if ends(&[
        "fewer than",
        "less than",
        "under",
        "at most",
        "up to",
        "weniger als",
        "below",
        "moins de",
        "menos de",
        "nearly",
    ]) {
        Bound::AtMost
    } else {
        Bound::Exact
    }
}

/// Whether both may be true of one thing.
fn agree(p: &Quantity, q: &Quantity) -> bool {
    match (p.bound, q.bound) {
        (Bound::Exact, Bound::Exact) => (p.value - q.value).abs() <= 1e-9 * p.value.abs().max(q.value.abs()),
        (Bound::AtLeast, Bound::Exact) | (Bound::Exact, Bound::AtMost) | (Bound::AtLeast, Bound::AtMost) => {
            p.value <= q.value
        }
        (Bound::AtMost, Bound::Exact) | (Bound::Exact, Bound::AtLeast) | (Bound::AtMost, Bound::AtLeast) => {
            p.value >= q.value
        }
        (Bound::AtLeast, Bound::AtLeast) | (Bound::AtMost, Bound::AtMost) => true,
    }
}

/// Words that say of which part of a whole, or of which time, a figure speaks.
const SCOPES: [&str; 22] = [
    "first", "second", "third", "fourth", "fifth", "last", "season", "average", "week", "month", "year", "day", "each",
    "per", "male", "female", "men", "women", "spring", "summer", "autumn", "winter",
];

/// Whether the sentences speak of different parts or times: each names one that the other does not.
fn other_scope(a: &str, b: &str) -> bool {
    let scope = |text: &str| -> BTreeSet<String> {
        let lower = text.to_lowercase();
        let words = lower.split(|c: char| !c.is_alphanumeric()).map(|word| word.trim_end_matches('s').to_owned());
        words.filter(|word| SCOPES.iter().any(|scope| scope.trim_end_matches('s') == word)).collect()
    };
    let (a, b) = (scope(a), scope(b));
    !a.is_empty() && !b.is_empty() && !a.is_subset(&b) && !b.is_subset(&a)
}

/// The clearest disagreements among `candidates`, at most `limit`, no sentence in two of them.
pub(super) fn disagreements(
    candidates: &[Told],
    rarity: &Rarity,
    language: Language,
    limit: usize,
) -> Vec<Disagreement> {
    let quantities: Vec<Vec<Quantity>> =
        candidates.iter().map(|candidate| quantities_in(&candidate.text, language)).collect();
    let subjects: Vec<BTreeSet<String>> = candidates
        .iter()
        .map(|candidate| candidate.terms.iter().filter(|term| !term.chars().any(char::is_numeric)).cloned().collect())
        .collect();
    let mut found = Vec::new();
    for first in 0..candidates.len() {
        for second in first + 1..candidates.len() {
            let (a, b) = (&candidates[first], &candidates[second]);
            // Cheap to know, and true of few pairs: something is counted in both, or both name a time.
            let counted = quantities[first].iter().any(|p| quantities[second].iter().any(|q| p.unit == q.unit));
            let told = counted || (a.years.len() == 1 && b.years.len() == 1);
            if a.document == b.document || !told {
                continue;
            }
            // That both count dollars by the million says nothing of what is counted.
            let counts = |term: &&String| {
                SCALES.iter().any(|(scale, _)| scale == term)
                    || quantities[first].iter().any(|quantity| quantity.unit == term.trim_end_matches('s'))
            };
            let shared = subjects[first].intersection(&subjects[second]).filter(|term| !counts(term)).count();
            let likeness = rarity.overlap(&subjects[first], &subjects[second]);
            if shared < 3 || likeness < SAME_THING {
                continue;
            }
            let unmeasured = quantities[first].is_empty() && quantities[second].is_empty();
            let figures = differing_quantity(&quantities[first], &quantities[second], a, b).or_else(|| {
                let one_each = (a.years.as_slice(), b.years.as_slice());
                match one_each {
                    // With figures beside them the years are the times of the figures.
                    ([x], [y]) if x != y && likeness >= SAME_EVENT && shared >= 4 && unmeasured => {
                        Some((x.to_string(), y.to_string()))
                    }
                    _ => None,
                }
            });
            if let Some((first_figure, second_figure)) = figures {
                found.push(Disagreement { first, second, first_figure, second_figure, likeness });
            }
        }
    }
    found.sort_by(|a, b| b.likeness.total_cmp(&a.likeness).then((a.first, a.second).cmp(&(b.first, b.second))));
    let mut chosen: Vec<Disagreement> = Vec::new();
    for one in found {
        let figures = |other: &Disagreement| (other.first_figure.clone(), other.second_figure.clone());
        let repeats = |other: &Disagreement| {
            [other.first, other.second].iter().any(|index| [one.first, one.second].contains(index))
                || figures(other) == figures(&one)
        };
        if !chosen.iter().any(repeats) {
            chosen.push(one);
        }
        if chosen.len() == limit {
            break;
        }
    }
    chosen
}

/// Figures for the same unit that the two do not share, where both may speak of the same time.
fn differing_quantity(a: &[Quantity], b: &[Quantity], first: &Told, second: &Told) -> Option<(String, String)> {
    let (x, y) = (&first.years, &second.years);
    if !x.is_empty() && !y.is_empty() && !x.iter().any(|year| y.contains(year)) {
        return None;
    }
    if other_scope(&first.text, &second.text) {
        return None;
    }
    for p in a {
        let of_unit: Vec<&Quantity> = b.iter().filter(|q| q.unit == p.unit).collect();
        let shared = a.iter().any(|p2| p2.unit == p.unit && of_unit.iter().any(|q| agree(p2, q)));
        if shared {
            continue;
        }
        // Of several figures the nearest is the one about the same thing.
        let nearest = of_unit.into_iter().min_by(|q, r| {
            let distance = |q: &Quantity| (q.value.max(1e-9) / p.value.max(1e-9)).ln().abs();
            distance(q).total_cmp(&distance(r))
        });
        if let Some(q) = nearest {
            let apart = (q.value.max(1e-9) / p.value.max(1e-9)).ln().abs();
            // Figures ten times apart count different things.
            if apart < 2.3 {
                return Some((p.surface.clone(), q.surface.clone()));
            }
        }
    }
    None
}

/// Words that multiply the number before them.
const SCALES: [(&str, f64); 19] = [
    ("hundred", 1e2),
    ("thousand", 1e3),
    ("million", 1e6),
    ("millions", 1e6),
    ("billion", 1e9),
    ("billions", 1e9),
    ("trillion", 1e12),
    ("tausend", 1e3),
    ("millionen", 1e6),
    ("milliarden", 1e9),
    ("mille", 1e3),
    ("milliard", 1e9),
    ("milliards", 1e9),
    ("mil", 1e3),
    ("millón", 1e6),
    ("millones", 1e6),
    ("万", 1e4),
    ("億", 1e8),
    ("亿", 1e8),
];

/// Small numbers that prose writes out.
const NUMERALS: [&str; 13] =
    ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"];

/// The amounts that `text` gives, years left out.
fn quantities_in(text: &str, language: Language) -> Vec<Quantity> {
    let terms = content_terms(text, language);
    let named = years(text);
    let mut found = Vec::new();
    for (start, end, number) in numbers(text) {
        let surface = &text[start..end];
        if surface.len() == 4 && surface.parse::<u16>().is_ok_and(|year| named.contains(&year)) {
            continue;
        }
        let before = text[..start].chars().next_back();
        let mut rest = &text[end..];
        let mut value = number;
        let mut until = end;
        let scale = SCALES.iter().find(|(word, _)| {
            let tail = rest.trim_start();
            tail.to_lowercase().starts_with(word)
                && (word.chars().any(is_cjk)
                    || !tail.chars().nth(word.chars().count()).is_some_and(char::is_alphanumeric))
        });
        if let Some((word, factor)) = scale {
            value *= factor;
            let skipped = rest.len() - rest.trim_start().len();
            until = text.floor_char_boundary(end + skipped + word.len());
            rest = &text[until..];
        }
        let unit = match (before, rest.trim_start().chars().next()) {
            (Some('$'), _) => Some(("dollar".to_owned(), until)),
            (Some(mark @ ('€' | '£' | '¥')), _) => Some((mark.to_string(), until)),
            (_, Some('%' | '％')) => {
                Some(("percent".to_owned(), until + rest.find(['%', '％']).map_or(0, |at| at + 1)))
            }
            (_, Some(c)) if is_cjk(c) => {
                let at = until + (rest.len() - rest.trim_start().len());
                (!"年月日時时分".contains(c)).then(|| (c.to_string(), at + c.len_utf8()))
            }
            _ => unit_after(text, until, &terms),
        };
        let Some((unit, until)) = unit else { continue };
        let from = if matches!(before, Some('$' | '€' | '£' | '¥')) {
            start - before.map_or(0, char::len_utf8)
        } else {
            start
        };
        let Some(surface) = text.get(from..until) else { continue };
        let unit = unit.trim_end_matches('s').to_owned();
        let bound = bound_before(&text[..from]);
        found.push(Quantity { value, unit, surface: surface.trim().to_owned(), bound });
    }
    found
}

/// The noun counted by the number that ends at `at`: the next content term, unless punctuation or a longer stretch of
/// other words lies between.
fn unit_after(text: &str, at: usize, terms: &[crate::base::text::analysis::Term]) -> Option<(String, usize)> {
    let term = terms.iter().find(|term| term.range.start >= at)?;
    let gap = text.get(at..term.range.start)?;
    let plain = gap.chars().all(|c| c.is_alphanumeric() || c == ' ' || c == '-') && !gap.is_empty();
    let near = gap.split_whitespace().all(is_function_word) && gap.split_whitespace().count() <= 1;
    let is_word = !term.text.chars().any(|c| c.is_ascii_digit());
    let counts = !matches!(term.text.as_str(), "per" | "percent");
    (plain && near && is_word && counts).then(|| (term.text.clone(), term.range.end))
}

/// The numbers in `text` with their places: digits with separators, and small numbers written out.
fn numbers(text: &str) -> Vec<(usize, usize, f64)> {
    use unicode_segmentation::UnicodeSegmentation;
    let mut found = Vec::new();
    for (start, word) in text.unicode_word_indices() {
        let digits: String = word.chars().filter(|c| c.is_ascii_digit() || *c == '.').collect();
        let all = word.chars().all(|c| c.is_ascii_digit() || c == '.' || c == ',');
        if all && !digits.is_empty() {
            if let Ok(value) = digits.parse::<f64>() {
                found.push((start, start + word.len(), value));
            }
        } else if let Some(value) = NUMERALS.iter().position(|numeral| *numeral == word) {
            found.push((start, start + word.len(), value as f64));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::offline::account::told;
    use crate::offline::testing::card;

    fn figures(sentences: &[&str]) -> Vec<(String, String)> {
        let cards: Vec<_> =
            sentences.iter().enumerate().map(|(i, text)| card(i + 1, &format!("T{i}"), "", text)).collect();
        let candidates = told(&cards, Language::ENGLISH);
        let rarity = Rarity::of(candidates.iter().map(|candidate| &candidate.terms));
        disagreements(&candidates, &rarity, Language::ENGLISH, 3)
            .into_iter()
            .map(|one| (one.first_figure, one.second_figure))
            .collect()
    }

    fn check(sentences: &[&str], expected: &[(&str, &str)]) {
        let expected: Vec<_> = expected.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect();
        assert_eq!(figures(sentences), expected, "{sentences:?}");
    }

    #[test]
    fn different_figures_for_the_same_thing_are_found() {
        check(
            &[
                "By the end of its run the film Blue Harbour had grossed about 527 million dollars worldwide, on a budget of 75 million dollars.",
                "The film Blue Harbour grossed 536 million dollars worldwide, by the final count of the distributor in 2008.",
                "The harbour itself is blue because of the algae that live in its water.",
            ],
            &[("527 million dollars", "536 million dollars")],
        );
        check(
            &[
                "The old bridge of Arles was finished by the masons in 1871.",
                "Masons finished the old bridge of Arles in 1874.",
            ],
            &[("1871", "1874")],
        );
    }

    #[test]
    fn the_same_figure_another_time_or_another_thing_is_no_disagreement() {
        check(
            &[
                "The town of Arles counted 9,000 voters in the spring.",
                "The town of Arles counted 9000 voters in the spring.",
            ],
            &[],
        );
        check(
            &[
                "In 1990 the town of Arles counted 9,000 voters in the spring.",
                "In 2010 the town of Arles counted 12,000 voters in the spring.",
            ],
            &[],
        );
        check(&["The mill employs 40 workers in all.", "The famous theatre of Arles seats 900 guests."], &[]);
    }

    #[test]
    fn one_document_does_not_disagree_with_itself() {
        check(&["The old bridge of Arles has 9 wide arches. The old bridge of Arles has 12 wide arches."], &[]);
    }

    #[test]
    fn quantities_have_values_and_units() {
        let check = |text: &str, expected: &[(f64, &str)]| {
            let found: Vec<_> = quantities_in(text, Language::ENGLISH)
                .into_iter()
                .map(|quantity| (quantity.value, quantity.surface))
                .collect();
            let expected: Vec<_> = expected.iter().map(|(value, text)| (*value, (*text).to_owned())).collect();
            assert_eq!(found, expected, "{text}");
        };
        check("seen in 13.4 million households", &[(13.4e6, "13.4 million households")]);
        check("it cost $5 million then", &[(5e6, "$5 million")]);
        check("about 30 % less", &[(30.0, "30 %")]);
        check("two leaders in 1989", &[(2.0, "two leaders")]);
        check("人口は9万人", &[(9e4, "9万人")]);
        check("in 1989, 1990 and 1991", &[]);
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_survived(text in "[0-9$€%万人 a-zİ.,]{0,60}") {
            quantities_in(&text, Language::ENGLISH);
        }
    }
}
