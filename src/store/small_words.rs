//! The stop words of a query that has hardly any other words. No index keeps stop words, since there are so many of
//! them and a query with several telling words needs none. But in `ohne Passwort` and `mit Passwort` they make the
//! difference. So the few hundred passages that the telling word finds are read, and their scores for the stop words
//! are added.

use std::collections::BTreeMap;

use super::Scored;
use super::scoring::{LexicalOptions, Occurrences, QueryTerm, Scoring, Statistics, rounded, sort};
use crate::base::text::{Language, analysis, tokens};
use crate::domain::{ChunkId, StoredChunk};

/// Stop words count in queries with at most this many other words.
const TELLING: usize = 1;

/// The words of a query in which stop words count.
#[derive(Clone, Debug, PartialEq)]
pub struct SmallWords {
    /// Each word with its positions, and whether it is a stop word.
    words: BTreeMap<String, (bool, Vec<usize>)>,
}

impl SmallWords {
    /// The words of a query in a language; `None` if it has enough other words, or no stop words.
    pub fn of(query: &str, language: Language) -> Option<Self> {
        let terms = analysis::terms(query, language);
        let mut words: BTreeMap<String, (bool, Vec<usize>)> = BTreeMap::new();
        for (position, word) in tokens(query).into_iter().enumerate() {
            let is_kept =
                terms.iter().any(|term| term.range.start < word.range.end && word.range.start < term.range.end);
            words.entry(word.text).or_insert((!is_kept, Vec::new())).1.push(position);
        }
        let small = words.values().filter(|(is_small, _)| *is_small).count();
        (small > 0 && words.len() - small <= TELLING).then_some(SmallWords { words })
    }

    /// Adds the scores of the stop words to those of `found`, and sorts by descending score and then by ascending id.
    /// Hits that are missing from `chunks` keep their score. The rarity of a stop word is measured among `chunks`.
    pub fn add_to(&self, found: &[Scored], chunks: &[StoredChunk]) -> Vec<Scored> {
        let mut positions: BTreeMap<ChunkId, (u32, Vec<Vec<u32>>)> = BTreeMap::new();
        let mut holding = vec![0; self.words.len()];
        let mut length = 0;
        for chunk in chunks {
            let mut at = vec![Vec::new(); self.words.len()];
            let all = tokens(&chunk.text);
            for (position, word) in (0..).zip(&all) {
                if let Some(nth) = self.words.keys().position(|known| *known == word.text) {
                    at[nth].push(position);
                }
            }
            holding.iter_mut().zip(&at).for_each(|(count, at)| *count += u64::from(!at.is_empty()));
            length += all.len();
            positions.insert(chunk.id, (u32::try_from(all.len()).unwrap_or(u32::MAX), at));
        }
        let terms: Vec<QueryTerm> = self
            .words
            .iter()
            .zip(holding)
            .enumerate()
            .map(|(word, ((text, (is_small, positions)), holding))| QueryTerm {
                text: text.clone(),
                word,
                // The other words have been scored already; here they only count as neighbours of the stop words.
                weight: f32::from(u8::from(*is_small)),
                positions: positions.clone(),
                nearness: 1.0,
                holding: [if *is_small { holding } else { 0 }, 0, 0],
            })
            .collect();
        let options = LexicalOptions::default();
        let statistics = Statistics::new(chunks.len() as f32, [length as f32, 0.0, 0.0]);
        let scoring = Scoring::new(&options, statistics, &terms);
        let more = |(length, at): &(u32, Vec<Vec<u32>>)| {
            scoring.score([*length, 0, 0], |nth| Occurrences {
                counts: [at[nth].len() as f32, 0.0, 0.0],
                positions: &at[nth],
            })
        };
        let mut found = found.to_vec();
        for one in &mut found {
            one.score = rounded(one.score + positions.get(&one.id).map_or(0.0, more));
        }
        sort(&mut found);
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{DocumentId, Headings};

    /// Checks the order that `query` gives to texts that all have the score 1.
    fn check(query: &str, code: &str, texts: &[&str], expected: &[u64]) {
        let language = Language::from_code(code);
        let chunk = |(text, document): (&&str, u64)| StoredChunk {
            id: ChunkId { document: DocumentId(document), ordinal: 0 },
            collection: String::new(),
            path: String::new(),
            title: String::new(),
            text: (*text).to_owned(),
            range: 0..text.len(),
            page: None,
            page_turns: Vec::new(),
            headings: Headings::default(),
            language,
            date: None,
            by: None,
        };
        let chunks: Vec<StoredChunk> = texts.iter().zip(1..).map(chunk).collect();
        let found: Vec<Scored> = chunks.iter().map(|chunk| Scored { id: chunk.id, score: 1.0 }).collect();
        let words = SmallWords::of(query, language).unwrap_or_else(|| panic!("{query} has small words"));
        let ordered: Vec<u64> = words.add_to(&found, &chunks).iter().map(|one| one.id.document.0).collect();
        assert_eq!(ordered, expected, "{query}");
    }

    #[test]
    fn a_small_word_decides_beside_a_single_other() {
        let texts = [
            "Mit Passwort melden Sie sich an.",
            "Ein Passwort schützt.",
            "Das Passwort: Anmelden geht auch ohne.",
            "Ohne Passwort geht es nicht.",
        ];
        check("ohne Passwort", "deu", &texts, &[4, 3, 1, 2]);
        check("mit dem Passwort", "deu", &texts, &[1, 2, 3, 4]);
    }

    #[test]
    fn a_query_of_other_words_needs_none() {
        let check = |query: &str, code: &str| {
            assert_eq!(SmallWords::of(query, Language::from_code(code)), None, "{query}");
        };
        check("ohne Passwort anmelden", "deu");
        check("Passwort", "deu");
        check("", "deu");
        check("パスワードなし", "jpn");
    }

    #[test]
    fn what_was_not_read_keeps_its_score() {
        let found = [Scored { id: ChunkId { document: DocumentId(1), ordinal: 0 }, score: 2.0 }];
        let words = SmallWords::of("ohne Passwort", Language::from_code("deu"));
        assert_eq!(words.map(|words| words.add_to(&found, &[])), Some(found.to_vec()));
    }
}
