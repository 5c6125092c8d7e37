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

/// Returns `new` with the words in bold that stand in the place of those in bold in `old`, between the words that both
/// share. Without such words it returns `new` as it is.
pub(super) fn in_place_of_bold(old: &str, new: &str) -> String {
    let Some((before, bold)) = bold_parts(old) else { return new.to_owned() };
    let plain = old.replace("**", "");
    let (old_tokens, new_tokens) = (tokens(&plain), tokens(new));
    let pairs = common_tokens(&old_tokens, &new_tokens);
    let (start, end) = (before.len(), before.len() + bold.len());
    let left = pairs.iter().rev().find(|pair| old_tokens[pair.0].range.end <= start);
    let right = pairs.iter().find(|pair| old_tokens[pair.0].range.start >= end);
    let first = left.map_or(0, |pair| pair.1 + 1);
    let last = right.map_or(new_tokens.len(), |pair| pair.1);
    // Many words between the shared ones are another sentence, and not a value.
    let most = 2 * tokens(bold).len() + 1;
    match new_tokens.get(first..last).filter(|new| new.len() <= most) {
        Some([one, .., other]) => bold_range(new, one.range.start..other.range.end),
        Some([one]) => bold_range(new, one.range.clone()),
        _ => new.to_owned(),
    }
}

/// The text before the first words in bold, and those words.
fn bold_parts(text: &str) -> Option<(&str, &str)> {
    let (before, rest) = text.split_once("**")?;
    let (bold, _) = rest.split_once("**")?;
    Some((before, bold))
}

fn bold_range(text: &str, range: std::ops::Range<usize>) -> String {
    format!("{}**{}**{}", &text[..range.start], &text[range.clone()], &text[range.end..])
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
    fn the_answer_stays_in_bold() {
        let check = |old: &str, new: &str, expected: &str| assert_eq!(in_place_of_bold(old, new), expected, "{old}");
        check("It costs **90 euros** a day.", "It costs 110 euros a day.", "It costs **110 euros** a day.");
        check("Price: **31800**; Days: 14.", "Price: 34300; Days: 14.", "Price: **34300**; Days: 14.");
        check("料金は**90円**です。", "料金は110円です。", "料金は**110円**です。");
        check("**Maria Lopez** runs it.", "John Reed runs it.", "**John Reed** runs it.");
        check("It costs 90 euros.", "It costs 110 euros.", "It costs 110 euros.");
        check("Open **until 5**.", "Open.", "Open.");
        check("It costs **£5** now.", "It is amended: £5 is replaced by £6.", "It is amended: £5 is replaced by £6.");
    }

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
