//! The words that a sentence puts in quotation marks, and whether they stand in the sources that it cites.

use unicode_segmentation::UnicodeSegmentation;

/// Fewer words in quotation marks are a term or a title, not a quotation.
const MIN_WORDS: usize = 4;

/// The quotations of a text, without their marks.
pub(super) fn quotations(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut open: Option<(char, usize)> = None;
    for (at, character) in text.char_indices() {
        match open {
            Some((close, from)) if character == close => {
                found.push(&text[from..at]);
                open = None;
            }
            Some(_) => {}
            None => {
                let close = match character {
                    '"' => '"',
                    '“' => '”',
                    '„' => '“',
                    '«' => '»',
                    '「' => '」',
                    '『' => '』',
                    _ => continue,
                };
                open = Some((close, at + character.len_utf8()));
            }
        }
    }
    found.retain(|quotation| quotation.unicode_words().nth(MIN_WORDS - 1).is_some());
    found
}

/// The words of a source, in the form that [`is_quoted_from`] takes.
pub(super) fn words(text: &str) -> Vec<String> {
    text.unicode_words().map(|word| word.to_lowercase().replace('’', "'")).collect()
}

/// Whether one of the `sources` has the words of a quotation in sequence. Case, white space, punctuation and the form
/// of the marks do not count; the pieces around an ellipsis must occur in their order in one source.
pub(super) fn is_quoted_from<'a>(quotation: &str, mut sources: impl Iterator<Item = &'a [String]>) -> bool {
    let unbracketed = quotation.replace("[…]", "…").replace("[...]", "…").replace("...", "…");
    let pieces: Vec<Vec<String>> =
        unbracketed.split('…').map(words).filter(|piece: &Vec<String>| !piece.is_empty()).collect();
    sources.any(|source| {
        let mut from = 0;
        pieces.iter().all(|piece| {
            let found = source[from..].windows(piece.len()).position(|window| window == piece.as_slice());
            found.inspect(|at| from += at + piece.len()).is_some()
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotations_have_four_words_and_a_pair_of_marks() {
        let check = |text: &str, expected: &[&str]| assert_eq!(quotations(text), expected, "{text}");
        check("He said \"we never planned this far\" and left.", &["we never planned this far"]);
        check(
            "“one two three” «un deux trois quatre» „eins zwei drei vier“",
            &["un deux trois quatre", "eins zwei drei vier"],
        );
        check("彼は「計画はなかった」と言った", &["計画はなかった"]);
        check("an \"open mark that never ends here", &[]);
    }

    #[test]
    fn a_quotation_stands_word_for_word() {
        let check = |quotation: &str, expected: bool| {
            let sources = ["We never planned\nthis far, said the writer; it’s odd.", "Another text"];
            let sources = sources.map(words);
            assert_eq!(is_quoted_from(quotation, sources.iter().map(Vec::as_slice)), expected, "{quotation}");
        };
        check("we never planned this far", true);
        check("We never planned … it's odd", true);
        check("it's odd … we never planned", false);
        check("we never plan this far", false);
        check("planned this far, another text", false);
    }
}
