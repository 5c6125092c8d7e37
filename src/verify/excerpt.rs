//! Shows two wordings with their differences marked.

use crate::base::text::{common_tokens, excerpt, one_line, tokens};
use crate::report::escaped;

/// Characters of unchanged words that are shown around a difference.
const AROUND: usize = 60;

/// Returns the old wording with removed words in `~~…~~`, and the new one with added words in `**…**`. Both are escaped
/// for Markdown, and long runs of unchanged words are cut.
pub(super) fn marked(old: &str, new: &str) -> (String, String) {
    let (old, new) = (one_line(old), one_line(new));
    let (old_tokens, new_tokens) = (tokens(&old), tokens(&new));
    let pairs = common_tokens(&old_tokens, &new_tokens);
    let kept = |side: fn(&(usize, usize)) -> usize| pairs.iter().map(side).collect::<Vec<usize>>();
    (side(&old, &old_tokens, &kept(|pair| pair.0), "~~"), side(&new, &new_tokens, &kept(|pair| pair.1), "**"))
}

fn side(text: &str, tokens: &[crate::base::text::Token], kept: &[usize], mark: &str) -> String {
    let mut runs: Vec<(std::ops::Range<usize>, bool)> = Vec::new();
    let mut same = kept.iter().peekable();
    for (index, token) in tokens.iter().enumerate() {
        let is_kept = same.next_if(|next| **next == index).is_some();
        match runs.last_mut() {
            Some((range, last)) if *last == is_kept => range.end = token.range.end,
            _ => runs.push((token.range.clone(), is_kept)),
        }
    }
    let mut out = String::new();
    let (mut at, count) = (0, runs.len());
    for (index, (range, is_kept)) in runs.into_iter().enumerate() {
        let (lead, words) = (&text[at..range.start], &text[range.clone()]);
        at = range.end;
        if is_kept {
            let whole = format!("{lead}{words}");
            out.push_str(&shortened(&whole, index == 0, index + 1 == count));
        } else {
            out.push_str(&format!("{}{mark}{}{mark}", escaped_piece(lead), escaped(words)));
        }
    }
    out.push_str(&escaped_piece(&text[at..]));
    out
}

/// Cuts unchanged words to the part near a difference.
fn shortened(words: &str, is_first: bool, is_last: bool) -> String {
    let count = words.chars().count();
    if count <= 2 * AROUND || (is_first && is_last) {
        return escaped_piece(&if is_first && is_last {
            excerpt(words, 4 * AROUND).into_owned()
        } else {
            words.to_owned()
        });
    }
    let head = || excerpt(words, AROUND).into_owned();
    let tail = || {
        let from = words.char_indices().nth(count - AROUND).map_or(0, |(at, _)| at);
        let space = words[from..].find(' ').map_or(from, |at| from + at);
        format!("…{}", &words[space..])
    };
    escaped_piece(&match (is_first, is_last) {
        (true, _) => tail(),
        (_, true) => head(),
        _ => format!("{} {}", head(), tail()),
    })
}

/// Like [`escaped`], but keeps the space at both ends.
fn escaped_piece(text: &str) -> String {
    let space = |present: bool| if present { " " } else { "" };
    if text.trim().is_empty() {
        return space(!text.is_empty()).to_owned();
    }
    format!("{}{}{}", space(text.starts_with(' ')), escaped(text.trim()), space(text.ends_with(' ')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_is_marked() {
        let check = |old: &str, new: &str, expected: (&str, &str)| {
            assert_eq!(marked(old, new), (expected.0.to_owned(), expected.1.to_owned()));
        };
        check("It cost 90 euros.", "It cost 110 euros.", ("It cost ~~90~~ euros.", "It cost **110** euros."));
        check("彼は行く。", "彼は行かない。", ("彼は行~~く~~。", "彼は行**かない**。"));
        check("It is so.", "It is not so.", ("It is so.", "It is **not** so."));
    }
}
