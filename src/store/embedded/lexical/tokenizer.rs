use tantivy::tokenizer::{Token, TokenStream, Tokenizer};

use crate::base::text::{Language, analysis};

/// The name under which the index knows [`ChunkTokenizer`].
pub(super) const TOKENIZER: &str = "deepsearch";

/// Ends the language code that precedes a field's text.
const SEPARATOR: char = '\u{1f}';

/// Returns the text of a field as given to the index: preceded by the language's code, because the analysis depends on
/// the language, and a tokenizer receives nothing but the text.
pub(super) fn tagged(text: &str, language: Language) -> String {
    let mut tagged = String::with_capacity(text.len() + 4);
    tagged.push_str(language.code());
    tagged.push(SEPARATOR);
    tagged.push_str(text);
    tagged
}

/// Runs the analysis in tantivy's indexing threads, so that a load uses all of them.
#[derive(Clone, Default)]
pub(super) struct ChunkTokenizer {
    token: Token,
    gathered: CollectedTerms,
}

/// The terms of one text, gathered when they are requested one by one.
#[derive(Clone, Default)]
struct CollectedTerms {
    terms: String,
    /// The end of each term in `terms`, and the term's position in the text.
    ends: Vec<(usize, usize)>,
    /// The start of the next term in `terms`.
    start: usize,
    next: usize,
}

impl Tokenizer for ChunkTokenizer {
    type TokenStream<'a> = ChunkTokens<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> ChunkTokens<'a> {
        let (code, body) = text.split_once(SEPARATOR).unwrap_or(("", text));
        self.token.position_length = 1;
        ChunkTokens { tokenizer: self, body, language: Language::from_code(code), gathered: false }
    }
}

/// The terms of one text.
pub(super) struct ChunkTokens<'a> {
    tokenizer: &'a mut ChunkTokenizer,
    body: &'a str,
    language: Language,
    gathered: bool,
}

impl ChunkTokens<'_> {
    fn gather(&mut self) {
        let CollectedTerms { terms, ends, start, next } = &mut self.tokenizer.gathered;
        terms.clear();
        ends.clear();
        (*start, *next) = (0, 0);
        analysis::for_each_term(self.body, self.language, |term, _, position| {
            terms.push_str(term);
            ends.push((terms.len(), position));
        });
        self.gathered = true;
    }
}

impl TokenStream for ChunkTokens<'_> {
    fn advance(&mut self) -> bool {
        if !self.gathered {
            self.gather();
        }
        let ChunkTokenizer { token, gathered: CollectedTerms { terms, ends, start, next } } = &mut *self.tokenizer;
        let Some(&(end, position)) = ends.get(*next) else {
            return false;
        };
        token.text.clear();
        token.text.push_str(&terms[*start..end]);
        token.position = position;
        *start = end;
        *next += 1;
        true
    }

    fn token(&self) -> &Token {
        &self.tokenizer.token
    }

    fn token_mut(&mut self) -> &mut Token {
        &mut self.tokenizer.token
    }

    /// Passes each term directly from the analysis to the index. The indexing threads call this.
    fn process(&mut self, sink: &mut dyn FnMut(&Token)) {
        if self.gathered {
            while self.advance() {
                sink(self.token());
            }
            return;
        }
        let token = &mut self.tokenizer.token;
        analysis::for_each_term(self.body, self.language, |term, _, position| {
            token.text.clear();
            token.text.push_str(term);
            token.position = position;
            sink(token);
        });
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
            // Used twice, because nothing of the first text may be left over in the second.
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
                // As the indexing threads receive the terms.
                let mut processed = Vec::new();
                tokenizer
                    .token_stream(&tagged)
                    .process(&mut |token| processed.push((token.text.clone(), token.position)));
                assert_eq!(processed, expected);
            }
        }
        check("The families were Running", "eng");
        check("日本語の検索。", "jpn");
        check("no language\u{1f}, a separator inside", "");
        check("", "eng");
    }
}
