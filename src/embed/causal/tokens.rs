//! The model's own tokenizer, and the choice of tokens that stand for something that a passage can match.

use std::ops::Range;
use std::path::Path;

use tokenizers::Tokenizer;
use unicode_segmentation::UnicodeSegmentation;

use super::error::ModelError;

/// The most bytes of a text that are looked at: far more than a model is given of any text that has words.
const MOST_BYTES: usize = 64 * 1024;

/// A tokenizer, and the most tokens that a text may have.
pub(super) struct Tokens {
    tokenizer: Tokenizer,
    most: usize,
}

/// A tokenized text.
pub(super) struct Tokenized {
    pub(super) ids: Vec<u32>,
    /// The tokens that are part of a word, in order.
    pub(super) content: Vec<Content>,
    /// The last token of the text itself; the tokenizer may add others.
    pub(super) last: Option<usize>,
}

/// A token that stands for letters or digits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Content {
    /// The index of the token in the text.
    pub(super) at: usize,
    /// The letters; `##` precedes those that continue a word.
    pub(super) piece: String,
    /// The byte range of its whole word: readers are shown whole words.
    pub(super) word: Range<usize>,
}

impl Tokens {
    pub(super) fn read(path: &Path, most: usize) -> Result<Self, ModelError> {
        let failed =
            |error: tokenizers::Error| ModelError::Tokenizer { path: path.to_owned(), reason: error.to_string() };
        let mut tokenizer = Tokenizer::from_file(path).map_err(failed)?;
        // The file may request both, for another use than this.
        tokenizer.with_padding(None).with_truncation(None).map_err(failed)?;
        // The spelling of a special token is plain text in a document.
        tokenizer.set_encode_special_tokens(true);
        Ok(Tokens { tokenizer, most })
    }

    pub(super) fn of(&self, text: &str) -> Result<Tokenized, ModelError> {
        let text = &text[..text.floor_char_boundary(MOST_BYTES)];
        let encoding = self.tokenizer.encode(text, true).map_err(|error| ModelError::Tokenize(error.to_string()))?;
        let count = encoding.len().min(self.most);
        let ids = encoding.get_ids()[..count].to_vec();
        let added = &encoding.get_special_tokens_mask()[..count];
        let ranges = &encoding.get_offsets()[..count];
        let last = added.iter().rposition(|&added| added == 0);
        let own = ranges.iter().enumerate().filter(|(at, _)| added[*at] == 0).map(|(at, range)| (at, range.0..range.1));
        Ok(Tokenized { ids, content: content(text, own), last })
    }
}

/// The tokens among `ranges` with letters or digits. If several make up one character, only the last counts: those
/// before it have not read the whole character.
fn content(text: &str, ranges: impl Iterator<Item = (usize, Range<usize>)>) -> Vec<Content> {
    let words: Vec<Range<usize>> = text.unicode_word_indices().map(|(start, word)| start..start + word.len()).collect();
    let mut found: Vec<Content> = Vec::new();
    let (mut first_word, mut end) = (0, 0);
    for (at, range) in ranges {
        if range.start < end {
            // Shares a character with the token before, and completes it.
            while found.last().is_some_and(|last| last.at + 1 == at) {
                found.pop();
            }
        }
        end = range.end;
        let piece = text.get(range.clone()).unwrap_or_default();
        if !piece.contains(char::is_alphanumeric) {
            continue;
        }
        let start = range.start + (piece.len() - piece.trim_start().len());
        while words.get(first_word).is_some_and(|word| word.end <= start) {
            first_word += 1;
        }
        let over = words[first_word..].iter().take_while(|word| word.start < range.end);
        let word = over.clone().next().map_or(start, |word| word.start).min(start)
            ..over.last().map_or(range.end, |word| word.end).max(range.end);
        let continues = start > word.start && found.last().is_some_and(|last| last.word.start == word.start);
        let piece = format!("{}{}", if continues { "##" } else { "" }, piece.trim());
        found.push(Content { at, piece, word });
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `expected` has the place, the letters and the word of each token that counts.
    fn check(text: &str, ranges: &[Range<usize>], expected: &[(usize, &str, &str)]) {
        let found = content(text, ranges.iter().cloned().enumerate());
        let found: Vec<(usize, &str, &str)> =
            found.iter().map(|token| (token.at, token.piece.as_str(), &text[token.word.clone()])).collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn tokens_are_letters_and_know_their_word() {
        check(
            "Who won, Anna?",
            &[0..3, 3..7, 7..8, 8..11, 11..13, 13..14],
            &[(0, "Who", "Who"), (1, "won", "won"), (3, "An", "Anna"), (4, "##na", "Anna")],
        );
        check("", &[], &[]);
        check("— …", &[0..3, 3..7], &[]);
    }

    #[test]
    fn a_token_over_several_words_has_them_all() {
        check("New York is", &[0..8, 8..11], &[(0, "New York", "New York"), (1, "is", "is")]);
    }

    #[test]
    fn of_the_parts_of_a_character_the_last_counts() {
        check("猫が", &[0..3, 0..3, 0..3, 3..6], &[(2, "猫", "猫"), (3, "が", "が")]);
    }

    #[test]
    fn ranges_that_do_not_fit_the_text_are_passed_over() {
        check("é!", &[0..1, 1..2, 0..9], &[]);
    }
}
