//! Finds the words of a quote that a sentence rests on. A quote serves all sentences that cite its passage.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::base::text::{sentences, tokens};

/// A sentence rests on the whole quote if no part of it has at least this share of the sentence's words.
const LEAST_SHARE: f64 = 0.3;
/// Neighbouring parts with at least this share of the best part's shared words belong to it.
const AS_GOOD: f64 = 0.8;

/// The byte range of `quote` that has most of a sentence's words; the whole quote if none stands out.
pub(super) fn support(quote: &str, sentence: &str) -> Range<usize> {
    let wanted: BTreeSet<String> = tokens(sentence).into_iter().map(|token| token.text).collect();
    let shared = |range: &Range<usize>| {
        let words: BTreeSet<String> = tokens(&quote[range.clone()]).into_iter().map(|token| token.text).collect();
        words.intersection(&wanted).count() as f64
    };
    let parts: Vec<(Range<usize>, f64)> = sentences(quote).map(|range| (range.clone(), shared(&range))).collect();
    let best = parts.iter().map(|(_, shared)| *shared).fold(0.0, f64::max);
    if best < LEAST_SHARE * wanted.len() as f64 || best == 0.0 {
        return 0..quote.len();
    }
    let is_good = |(_, shared): &&(Range<usize>, f64)| *shared >= AS_GOOD * best;
    let first = parts.iter().position(|part| is_good(&part)).unwrap_or(0);
    let run = parts.iter().skip(first).take_while(is_good);
    run.fold(parts[first].0.clone(), |all, (range, _)| all.start..range.end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_rests_on_its_own_part() {
        let quote = "It began in 1989. The film opened on July 27, 2007. Critics praised it.";
        let check = |sentence: &str, expected: &str| assert_eq!(&quote[support(quote, sentence)], expected);
        check("The film opened in July 2007 [3].", "The film opened on July 27, 2007.");
        check("Critics praised it.", "Critics praised it.");
        check("Something else entirely happened there.", quote);
        check("", quote);
        assert_eq!(support("", "a"), 0..0);
        let japanese = "番組は1989年に始まった。映画は2007年に公開された。";
        assert_eq!(&japanese[support(japanese, "映画の公開は2007年。")], "映画は2007年に公開された。");
    }
}
