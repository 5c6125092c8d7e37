//! Aligns two texts: finds the words that both have, in their order.

use std::ops::Range;

use unicode_normalization::UnicodeNormalization;

use super::is_cjk;

/// The most comparisons; beyond them only the words that both texts begin and end with are paired.
const MAX_CELLS: usize = 4_000_000;

/// A word, a number with its separators, a sign that changes what a number says, or one character of a script without
/// spaces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// The token in lower case and compatibility form.
    pub text: String,
    /// Its bytes in the text.
    pub range: Range<usize>,
}

/// The tokens of a text, without white space, punctuation and Markdown marks.
pub fn tokens(text: &str) -> Vec<Token> {
    let mut found: Vec<Token> = Vec::new();
    let mut characters = text.char_indices().peekable();
    while let Some((start, first)) = characters.next() {
        let end = start + first.len_utf8();
        if is_cjk(first) || matches!(first, '%' | '％' | '$' | '€' | '£' | '¥' | '￥' | '°' | '‰') {
            found.push(Token { text: folded(&text[start..end]), range: start..end });
            continue;
        }
        if !first.is_alphanumeric() {
            continue;
        }
        let (mut end, mut last) = (end, first);
        while let Some(&(at, next)) = characters.peek() {
            let after = &text[at + next.len_utf8()..];
            let joins = matches!(next, '.' | ',' | '．' | '，') && last.is_numeric() && goes_on(last, after);
            let marks = !is_cjk(next) && (next.is_alphanumeric() || ('\u{300}'..='\u{36f}').contains(&next));
            // A soft hyphen is invisible.
            if !(joins || marks || next == '\u{ad}') {
                break;
            }
            (end, last) = (at + next.len_utf8(), next);
            characters.next();
        }
        found.push(Token { text: folded(&text[start..end]), range: start..end });
    }
    found
}

/// Whether a number with the digit `last` continues behind a point. It does not with digits of another width or with
/// those of a month: in `４．8月8日` the point ends the number of an item.
fn goes_on(last: char, after: &str) -> bool {
    let is_month = || after.trim_start_matches(char::is_numeric).starts_with('月');
    after.starts_with(|first: char| first.is_numeric() && first.len_utf8() == last.len_utf8()) && !is_month()
}

fn folded(word: &str) -> String {
    if word.is_ascii() {
        return word.to_ascii_lowercase();
    }
    word.chars().filter(|c| *c != '\u{ad}').nfkc().flat_map(char::to_lowercase).collect()
}

/// The share of the words of a text that stand in another one, in their order.
pub fn share_of_words(text: &str, other: &str) -> f64 {
    let words = tokens(text);
    common_tokens(&words, &tokens(other)).len() as f64 / words.len().max(1) as f64
}

/// The longest common subsequence of two lists of tokens, as pairs of indices.
pub fn common_tokens(one: &[Token], other: &[Token]) -> Vec<(usize, usize)> {
    let equal = |a: usize, b: usize| one[a].text == other[b].text;
    let shorter = one.len().min(other.len());
    let head = (0..shorter).take_while(|&at| equal(at, at)).count();
    let tail = (0..shorter - head).take_while(|&back| equal(one.len() - 1 - back, other.len() - 1 - back)).count();
    let (rows, columns) = (one.len() - head - tail, other.len() - head - tail);
    let mut pairs: Vec<(usize, usize)> = (0..head).map(|at| (at, at)).collect();
    if rows * columns <= MAX_CELLS {
        // `best[row][column]`: the most pairs in the rest of both lists from there on.
        let width = columns + 1;
        let mut best = vec![0u16; (rows + 1) * width];
        for row in (0..rows).rev() {
            for column in (0..columns).rev() {
                best[row * width + column] = if equal(head + row, head + column) {
                    best[(row + 1) * width + column + 1].saturating_add(1)
                } else {
                    best[(row + 1) * width + column].max(best[row * width + column + 1])
                };
            }
        }
        let (mut row, mut column) = (0, 0);
        while row < rows && column < columns {
            if equal(head + row, head + column) {
                pairs.push((head + row, head + column));
                (row, column) = (row + 1, column + 1);
            } else if best[(row + 1) * width + column] >= best[row * width + column + 1] {
                row += 1;
            } else {
                column += 1;
            }
        }
    }
    pairs.extend((0..tail).rev().map(|back| (one.len() - 1 - back, other.len() - 1 - back)));
    pairs
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn numbers_and_characters_are_tokens() {
        let check = |text: &str, expected: &[&str]| {
            let found: Vec<String> = tokens(text).into_iter().map(|token| token.text).collect();
            assert_eq!(found, expected, "{text}");
        };
        check("It cost *1,234.5* €, or １２％.", &["it", "cost", "1,234.5", "€", "or", "12", "%"]);
        check("東京は3月。", &["東", "京", "は", "3", "月"]);
        check("２．5日 ３．８月 ４．５％", &["2", "5", "日", "3", "8", "月", "4.5", "%"]);
    }

    #[test]
    fn what_is_the_same_is_paired() {
        let check = |one: &str, other: &str, expected: &[(usize, usize)]| {
            assert_eq!(common_tokens(&tokens(one), &tokens(other)), expected, "{one} / {other}");
        };
        check("a b c d", "a x c d", &[(0, 0), (2, 2), (3, 3)]);
        check("a b a c", "b c a", &[(1, 0), (3, 1)]);
        check("", "a", &[]);
        check("a", "a a", &[(0, 0)]);
    }

    proptest! {
        #[test]
        fn pairs_are_equal_and_rise(one in "[abc ]{0,30}", other in "[abc ]{0,30}") {
            let (one, other) = (tokens(&one), tokens(&other));
            let pairs = common_tokens(&one, &other);
            prop_assert!(pairs.iter().all(|&(a, b)| one[a].text == other[b].text));
            prop_assert!(pairs.windows(2).all(|pair| pair[0].0 < pair[1].0 && pair[0].1 < pair[1].1));
        }
    }
}
