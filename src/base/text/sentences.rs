use std::ops::Range;

use unicode_segmentation::UnicodeSegmentation;

/// The sentences of `text` by the Unicode rules (UAX 29), as byte ranges without the white space around them.
/// A blank line ends a sentence too, whatever stands before it.
pub fn sentences(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    text.split_sentence_bound_indices().filter_map(|(start, piece)| {
        let body = piece.trim();
        let lead = piece.len() - piece.trim_start().len();
        (!body.is_empty()).then(|| start + lead..start + lead + body.len())
    })
}
