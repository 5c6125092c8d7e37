//! The tokenizer of the bundled models. Runs of kana and ideographs, which have no spaces, are cut into the most likely
//! pieces. Everything else follows BERT's uncased rules: clean, strip accents, lower case, split at punctuation, then
//! cut each word into the longest pieces of the vocabulary.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

use rten_text::normalizers::{Bert as Normalize, BertOptions, Normalizer};
use rten_text::pre_tokenizers::{Bert as SplitWords, PreTokenizer};
use serde::Deserialize;

use super::gloss::Glosses;
use super::segmentation::likeliest;
use crate::base::text::half_width;
use crate::domain::Language;

/// The model's number of positions, including `[CLS]` and `[SEP]`. It was trained on at most half as many, but reading
/// on ranks better than cutting: with 9 % of passages longer than 256 tokens, dense MAP rises from 74.9 to 75.1 and
/// that of late interaction from 89.9 to 90.5.
pub(crate) const MAX_TOKENS: usize = 512;

/// A word of more characters is one unknown token, as in BERT.
const MAX_WORD_CHARS: usize = 100;

/// Text beyond this is ignored: it is far more than `MAX_TOKENS` tokens of any text that has words.
const MAX_INPUT_BYTES: usize = 64 * 1024;

/// The number of characters of the longest piece of a run.
const LONGEST_PIECE: usize = 8;

/// The log-likelihood of a character of a run that no piece contains.
const UNSEEN: f32 = -20.0;

/// Why a tokenizer file cannot be used or a text cannot be tokenized.
#[derive(Debug, thiserror::Error)]
pub(crate) enum TokenizeError {
    #[error("the vocabulary is broken: {0}")]
    Vocabulary(#[from] serde_json::Error),
    #[error("the vocabulary lacks {0}")]
    Missing(&'static str),
    #[error("the text cannot be normalized: {0}")]
    Normalize(#[from] rten_text::normalizers::NormalizeError),
    #[error("the text cannot be split into words: {0}")]
    Split(#[from] rten_text::pre_tokenizers::PreTokenizeError),
}

#[derive(Deserialize)]
struct File {
    model: FileModel,
    /// Pieces of runs of kana and ideographs, each with its log-likelihood. Pieces that the vocabulary lacks have the
    /// ids after it, in this order.
    #[serde(default)]
    runs: Vec<(String, f32)>,
}

#[derive(Deserialize)]
struct FileModel {
    vocab: HashMap<String, i32>,
}

/// A WordPiece vocabulary with BERT's rules, and a vocabulary of pieces for runs of kana and ideographs.
pub(crate) struct Tokenizer {
    ids: HashMap<String, i32>,
    runs: HashMap<String, (i32, f32)>,
    pieces: Vec<String>,
    normalize: Normalize,
    split: SplitWords,
    start: i32,
    end: i32,
    unknown: i32,
}

impl Tokenizer {
    /// Reads a `tokenizer.json`; apart from the key `runs`, its rules are taken to be BERT's for uncased text.
    pub(crate) fn from_json(json: &[u8]) -> Result<Self, TokenizeError> {
        let File { model: FileModel { vocab: ids }, runs: of_runs } = serde_json::from_slice::<File>(json)?;
        let special = |name: &'static str| ids.get(name).copied().ok_or(TokenizeError::Missing(name));
        let (start, end, unknown) = (special("[CLS]")?, special("[SEP]")?, special("[UNK]")?);
        let mut pieces = vec![String::new(); ids.len()];
        for (piece, &id) in &ids {
            let slot = usize::try_from(id).ok().and_then(|id| pieces.get_mut(id));
            slot.ok_or(TokenizeError::Missing("consecutive token ids"))?.clone_from(piece);
        }
        let mut runs = HashMap::with_capacity(of_runs.len());
        for (piece, chance) in of_runs {
            let id = match ids.get(&piece) {
                Some(&id) => id,
                None => {
                    pieces.push(piece.clone());
                    i32::try_from(pieces.len() - 1).map_err(|_| TokenizeError::Missing("ids that fit"))?
                }
            };
            runs.insert(piece, (id, chance));
        }
        let normalize = Normalize::new(BertOptions { lowercase: true, strip_accents: true });
        Ok(Tokenizer { ids, runs, pieces, normalize, split: SplitWords::new(), start, end, unknown })
    }

    /// The number of ids.
    pub(crate) fn len(&self) -> usize {
        self.pieces.len()
    }

    /// The id that begins every input.
    pub(crate) fn start(&self) -> i32 {
        self.start
    }

    /// The id that ends every text of an input.
    pub(crate) fn end(&self) -> i32 {
        self.end
    }

    /// The token ids with `[CLS]` and `[SEP]` around them, at most [`MAX_TOKENS`] in all, each with the range of `text`
    /// that it stands for; the ranges of the border tokens are empty.
    pub(crate) fn encode(&self, text: &str, language: Language) -> Result<Vec<(i32, Range<usize>)>, TokenizeError> {
        let text = &text[..text.floor_char_boundary(MAX_INPUT_BYTES)];
        let mut tokens = vec![(self.start, 0..0)];
        let glossed = Glosses::of(language).into_iter().flat_map(|glosses| glosses.glossed_or_spelt(text));
        tokens.extend(self.with_glosses(text, glossed, MAX_TOKENS - 2)?);
        tokens.push((self.end, text.len()..text.len()));
        Ok(tokens)
    }

    /// The token ids without border tokens, at most `limit`, each with the range of `text` that it stands for. The
    /// pieces of a word share its range, as do those of its gloss if `language` has glosses: readers are shown whole
    /// words. A run has no words, so each of its pieces has its own range.
    pub(crate) fn tokens(
        &self,
        text: &str,
        language: Language,
        limit: usize,
    ) -> Result<Vec<(i32, Range<usize>)>, TokenizeError> {
        self.with_glosses(text, Glosses::of(language).into_iter().flat_map(|glosses| glosses.glossed(text)), limit)
    }

    fn with_glosses(
        &self,
        text: &str,
        glossed: impl Iterator<Item = (Range<usize>, Cow<'static, str>)>,
        limit: usize,
    ) -> Result<Vec<(i32, Range<usize>)>, TokenizeError> {
        let (mut tokens, mut behind) = (Vec::new(), 0);
        for (word, gloss) in glossed {
            if tokens.len() >= limit {
                break;
            }
            self.push_tokens(&text[behind..word.start], behind, limit, &mut tokens)?;
            let first = tokens.len();
            self.push_words(&gloss, 0, limit, &mut tokens)?;
            tokens[first..].iter_mut().for_each(|(_, range)| *range = word.clone());
            behind = word.end;
        }
        self.push_tokens(&text[behind..], behind, limit, &mut tokens)?;
        tokens.truncate(limit);
        Ok(tokens)
    }

    /// Appends the tokens of the part of a text that begins at `offset`, as it is written.
    fn push_tokens(
        &self,
        text: &str,
        offset: usize,
        limit: usize,
        tokens: &mut Vec<(i32, Range<usize>)>,
    ) -> Result<(), TokenizeError> {
        let mut at = 0;
        while at < text.len() && tokens.len() < limit {
            let rest = &text[at..];
            let in_run = self.cuts(rest.chars().next());
            let end = rest.find(|character| self.cuts(Some(character)) != in_run).map_or(text.len(), |end| at + end);
            if in_run {
                self.push_run(&text[at..end], offset + at, tokens);
            } else {
                self.push_words(&text[at..end], offset + at, limit, tokens)?;
            }
            at = end;
        }
        tokens.truncate(limit);
        Ok(())
    }

    /// Whether a character belongs to a run; never if the vocabulary has no pieces for runs.
    fn cuts(&self, character: Option<char>) -> bool {
        !self.runs.is_empty() && character.is_some_and(is_of_run)
    }

    /// Appends the most likely pieces of a run.
    fn push_run(&self, run: &str, offset: usize, tokens: &mut Vec<(i32, Range<usize>)>) {
        let of_piece = |piece: &str, length: usize| {
            let unseen = || (length == 1).then_some((self.unknown, UNSEEN));
            self.runs.get(piece).copied().or_else(unseen)
        };
        let pieces = likeliest(run, LONGEST_PIECE, of_piece);
        tokens.extend(pieces.into_iter().map(|(piece, id)| (id, piece.start + offset..piece.end + offset)));
    }

    /// Appends BERT's tokens of a text without runs.
    fn push_words(
        &self,
        text: &str,
        offset: usize,
        limit: usize,
        tokens: &mut Vec<(i32, Range<usize>)>,
    ) -> Result<(), TokenizeError> {
        let (cleaned, from_text) = clean(text);
        let (normal, from_cleaned) = self.normalize.normalize(&cleaned)?;
        let original = |at: usize| {
            let cleaned_at = from_cleaned.get(at).copied().unwrap_or(cleaned.len());
            from_text.get(cleaned_at).copied().unwrap_or(text.len())
        };
        let (mut ids, mut searched) = (Vec::new(), 0);
        for word in self.split.pre_tokenize(&normal)? {
            if tokens.len() >= limit {
                break;
            }
            let word = word.trim();
            // Words are slices of the text in order, but the splitter does not give their offsets.
            let start = searched + normal.get(searched..).and_then(|rest| rest.find(word)).unwrap_or(0);
            searched = start + word.len();
            ids.clear();
            self.push_word(word, &mut ids);
            let first = original(start);
            let last = word.char_indices().next_back().map_or(first, |(at, _)| original(start + at));
            let end = text.get(last..).and_then(|rest| rest.chars().next()).map_or(text.len(), |c| last + c.len_utf8());
            tokens.extend(ids.iter().map(|&id| (id, offset + first..offset + end.max(first))));
        }
        Ok(())
    }

    /// The piece of an id; a piece that continues a word begins with `##`.
    pub(crate) fn piece(&self, id: i32) -> &str {
        usize::try_from(id).ok().and_then(|id| self.pieces.get(id)).map_or("", String::as_str)
    }

    /// Whether a token stands for something that a passage can match: letters or digits, but no border token, unknown
    /// token or punctuation.
    pub(crate) fn is_content(&self, id: i32) -> bool {
        id != self.start && id != self.end && id != self.unknown && self.piece(id).contains(char::is_alphanumeric)
    }

    /// Appends the longest pieces from the left. A word with a part that the vocabulary lacks is unknown as a whole.
    fn push_word(&self, word: &str, ids: &mut Vec<i32>) {
        let word = word.trim();
        if word.is_empty() {
            return;
        }
        if word.chars().count() > MAX_WORD_CHARS {
            ids.push(self.unknown);
            return;
        }
        let first = ids.len();
        let mut rest = word;
        let mut candidate = String::with_capacity(word.len() + 2);
        while !rest.is_empty() {
            candidate.clear();
            candidate.push_str(if ids.len() > first { "##" } else { "" });
            let prefix = candidate.len();
            candidate.push_str(rest);
            let id = loop {
                if let Some(&id) = self.ids.get(&candidate) {
                    break Some(id);
                }
                candidate.pop();
                if candidate.len() <= prefix {
                    break None;
                }
            };
            let Some(id) = id else {
                ids.truncate(first);
                ids.push(self.unknown);
                return;
            };
            ids.push(id);
            rest = &rest[candidate.len() - prefix..];
        }
    }
}

/// Drops unprintable characters, turns all white space into spaces, and puts spaces around ideographs, since each is a
/// word. Also returns the offset in `text` of each remaining byte.
fn clean(text: &str) -> (String, Vec<usize>) {
    let mut out = String::with_capacity(text.len());
    let mut offsets = Vec::with_capacity(text.len());
    for (at, character) in text.char_indices() {
        let character = half_width(character);
        if character.is_whitespace() {
            out.push(' ');
        } else if is_ideograph(character) {
            out.extend([' ', character, ' ']);
        } else if !is_unprintable(character) {
            out.push(character);
        }
        offsets.resize(out.len(), at);
    }
    (out, offsets)
}

/// Whether a character is a kana or an ideograph of the blocks that the pieces consist of.
fn is_of_run(character: char) -> bool {
    matches!(
        u32::from(character),
        0x3005..=0x3007
            | 0x3041..=0x3096
            | 0x30a1..=0x30fa
            | 0x30fc
            | 0x3400..=0x4dbf
            | 0x4e00..=0x9fff
            | 0xf900..=0xfaff
    )
}

/// Whether a character is in the blocks that BERT calls Chinese. Kana and hangul are written in words and do not count.
fn is_ideograph(character: char) -> bool {
    matches!(
        u32::from(character),
        0x4e00..=0x9fff
            | 0x3400..=0x4dbf
            | 0x20000..=0x2a6df
            | 0x2a700..=0x2b73f
            | 0x2b740..=0x2b81f
            | 0x2b920..=0x2ceaf
            | 0xf900..=0xfaff
            | 0x2f800..=0x2fa1f
    )
}

/// Whether a character is a control, format or private-use character (general categories Cc, Cf and Co) or the
/// replacement character.
fn is_unprintable(character: char) -> bool {
    character.is_control()
        || matches!(
            u32::from(character),
            0xad | 0x600..=0x605
                | 0x61c
                | 0x6dd
                | 0x70f
                | 0x180e
                | 0x200b..=0x200f
                | 0x202a..=0x202e
                | 0x2060..=0x2064
                | 0x2066..=0x206f
                | 0xe000..=0xf8ff
                | 0xfeff
                | 0xfff9..=0xfffb
                | 0xfffd
                | 0x110bd
                | 0x1d173..=0x1d17a
                | 0xe0001
                | 0xe0020..=0xe007f
                | 0xf0000..=0x10ffff
        )
}

#[cfg(test)]
#[path = "tokenizer_tests.rs"]
mod tests;
