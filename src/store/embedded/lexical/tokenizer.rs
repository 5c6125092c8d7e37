use tantivy::tokenizer::{Token, TokenStream, Tokenizer};

use crate::base::text::{Language, analysis};

/// The name under which the index knows [`ChunkTokenizer`].
pub(super) const TOKENIZER: &str = "deepsearch";

/// Ends the language code that stands before a field's text.
const SEPARATOR: char = '\u{1f}';

/// The text of a field as the index takes it: the analysis depends on the language, and a tokenizer is given nothing
/// but the text, so the language's code stands before it.
pub(super) fn tagged(text: &str, language: Language) -> String {
    let mut tagged = String::with_capacity(text.len() + 4);
    tagged.push_str(language.code());
    tagged.push(SEPARATOR);
    tagged.push_str(text);
    tagged
}

/// Lets tantivy's indexing threads do the analysis, so that a load uses them. The terms of one text are kept in one
/// buffer, used again for the next.
#[derive(Clone, Default)]
pub(super) struct ChunkTokenizer {
    terms: String,
    /// Where each term ends in `terms`, and its position in the text.
    ends: Vec<(usize, usize)>,
    token: Token,
}

impl Tokenizer for ChunkTokenizer {
    type TokenStream<'a> = ChunkTokens<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> ChunkTokens<'a> {
        self.terms.clear();
        self.ends.clear();
        let (code, body) = text.split_once(SEPARATOR).unwrap_or(("", text));
        for term in analysis::terms(body, Language::from_code(code)) {
            self.terms.push_str(&term.text);
            self.ends.push((self.terms.len(), term.position));
        }
        self.token.position_length = 1;
        ChunkTokens { tokenizer: self, start: 0, next: 0 }
    }
}

/// The terms of one text.
pub(super) struct ChunkTokens<'a> {
    tokenizer: &'a mut ChunkTokenizer,
    /// Where the next term starts.
    start: usize,
    next: usize,
}

impl TokenStream for ChunkTokens<'_> {
    fn advance(&mut self) -> bool {
        let ChunkTokenizer { terms, ends, token } = &mut *self.tokenizer;
        let Some(&(end, position)) = ends.get(self.next) else {
            return false;
        };
        token.text.clear();
        token.text.push_str(&terms[self.start..end]);
        token.position = position;
        self.start = end;
        self.next += 1;
        true
    }

    fn token(&self) -> &Token {
        &self.tokenizer.token
    }

    fn token_mut(&mut self) -> &mut Token {
        &mut self.tokenizer.token
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_index_gets_the_terms_that_a_query_looks_for() {
        fn check(text: &str, code: &str) {
            let language = Language::from_code(code);
            let mut tokenizer = ChunkTokenizer::default();
            // Used twice, since what is left of the first text must not reach the second.
            for _ in 0..2 {
                let tagged = tagged(text, language);
                let mut stream = tokenizer.token_stream(&tagged);
                let mut found = Vec::new();
                while stream.advance() {
                    found.push((stream.token().text.clone(), stream.token().position));
                }
                let expected: Vec<_> =
                    analysis::terms(text, language).into_iter().map(|term| (term.text, term.position)).collect();
                assert_eq!(found, expected);
            }
        }
        check("The families were Running", "eng");
        check("日本語の検索。", "jpn");
        check("no language\u{1f}, a separator inside", "");
        check("", "eng");
    }
}
