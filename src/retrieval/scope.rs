//! Which parts of a store can be compared with the vector of a query.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use whatlang::Script;

use super::fuse::Halves;
use crate::base::text::Language;
use crate::bundled::is_glossed;
use crate::domain::{Collection, EmbedderIdentity};
use crate::embed::Embedder;
use crate::store::StoreError;

pub(super) use crate::embed::knows;

/// The weight of keywords in a passage in another script than the query's.
const FOREIGN_KEYWORDS: f32 = 0.25;

/// The factor of the semantic weight for texts in kana or ideographs.
const WIDE_SEMANTIC: f32 = 0.25;

/// The names of the collections whose vectors are comparable with those of a query made by `embedder`. Collections
/// without an embedder are left out, and so are those embedded by an earlier edition that did not know the query's
/// language. A collection with another embedder is an error, since its best passages would be missed silently.
pub(super) fn comparable(
    collections: &[Collection],
    embedder: &dyn Embedder,
    query: &str,
    language: Language,
) -> Result<Vec<String>, StoreError> {
    let asked = embedder.identity();
    let mut names = Vec::new();
    for collection in collections {
        match &collection.embedder {
            None => {}
            Some(has) if has == asked => names.push(collection.name.clone()),
            Some(has) => match embedder.earlier(has) {
                Some(earlier) if knows(earlier.as_ref(), query, language) => names.push(collection.name.clone()),
                Some(_) => {}
                None => {
                    return Err(StoreError::OtherEmbedder {
                        collection: collection.name.clone(),
                        has: describe(has, asked),
                        asked: describe(asked, has),
                    });
                }
            },
        }
    }
    Ok(names)
}

/// The properties of a query's script and language that decide how the halves of a search are weighted.
#[derive(Clone, Copy, Debug)]
pub(super) struct Writing {
    /// Whether it is in kana or ideographs; `None` for a query without letters.
    wide: Option<bool>,
    /// Whether its words are also searched for in other languages.
    translated: bool,
    /// Whether it has Latin letters or digits.
    latin: bool,
}

impl Writing {
    pub(super) fn of(query: &str, language: Language) -> Self {
        let wide = |script| matches!(script, Script::Hiragana | Script::Katakana | Script::Mandarin);
        let latin = query.contains(|character: char| character.is_ascii_alphanumeric());
        Writing { wide: whatlang::detect_script(query).map(wide), translated: is_translated(language), latin }
    }

    /// The weights of the halves for a passage in `language`; `semantic` is the default weight of the semantic half.
    ///
    /// A passage in another script shares no words with the query except names and numbers in Latin letters, unless the
    /// query's words are translated, and the few hits in a keyword list are then far above its mean. Within Japanese,
    /// words are more telling than vectors.
    pub(super) fn halves(self, language: Language, semantic: f32) -> Halves {
        let of_passage = language != Language::UNKNOWN && matches!(language.code(), "jpn" | "cmn");
        let translated = self.translated && is_translated(language);
        match self.wide {
            Some(wide) if language != Language::UNKNOWN && wide != of_passage => {
                let untranslated = if self.latin { FOREIGN_KEYWORDS } else { 0.0 };
                Halves { lexical: if translated { 1.0 } else { untranslated }, semantic }
            }
            Some(true) => Halves { lexical: 1.0, semantic: WIDE_SEMANTIC * semantic },
            _ => Halves { lexical: 1.0, semantic },
        }
    }
}

/// Whether words of a language are searched for in other languages and vice versa.
fn is_translated(language: Language) -> bool {
    language == Language::ENGLISH || is_glossed(language)
}

/// The embedder's name, with its other properties added if `other` has the same name.
fn describe(identity: &EmbedderIdentity, other: &EmbedderIdentity) -> String {
    if identity.name != other.name {
        return identity.name.clone();
    }
    format!(
        "{} ({} dimensions, prefix {:?}, states {:?})",
        identity.name, identity.dimension, identity.passage_prefix, identity.states
    )
}

/// The language in which the query's words are analysed: its own, else that of most passages found.
pub(super) fn reading_language(query: Language, found: impl Iterator<Item = Language>) -> Language {
    if query != Language::UNKNOWN {
        return query;
    }
    let mut counts: BTreeMap<&'static str, usize> = BTreeMap::new();
    for language in found {
        *counts.entry(language.code()).or_default() += 1;
    }
    let most = counts.into_iter().max_by_key(|&(code, count)| (count, Reverse(code)));
    most.map_or(query, |(code, _)| Language::from_code(code))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::base::text::Spoken;

    fn collection(name: &str, embedder: Option<&str>) -> Collection {
        Collection {
            name: name.to_owned(),
            description: String::new(),
            described_by_user: false,
            embedder: embedder.map(identity),
            documents: 0,
            chunks: 0,
            text_bytes: 0,
            languages: Spoken::default(),
        }
    }

    fn identity(name: &str) -> EmbedderIdentity {
        let (name, states) = name.split_once('/').unwrap_or((name, ""));
        EmbedderIdentity {
            name: name.to_owned(),
            dimension: 384,
            passage_prefix: String::new(),
            states: states.to_owned(),
        }
    }

    /// An embedder that produces no vectors. Its states `s2` are those of an edition that also knows Japanese.
    struct Named(EmbedderIdentity);

    #[async_trait::async_trait]
    impl Embedder for Named {
        fn identity(&self) -> &EmbedderIdentity {
            &self.0
        }

        fn knows(&self, language: Language) -> bool {
            language == Language::ENGLISH || self.0.states == "s2"
        }

        fn earlier(&self, has: &EmbedderIdentity) -> Option<Arc<dyn Embedder>> {
            let edition = identity("minilm/s1");
            (self.0 == identity("minilm/s2") && *has == edition).then(|| Arc::new(Named(edition)) as Arc<dyn Embedder>)
        }

        async fn passages(
            &self,
            _: Vec<crate::embed::Text>,
        ) -> Result<Vec<crate::domain::ChunkVectors>, crate::embed::EmbedError> {
            Ok(Vec::new())
        }

        async fn queries(
            &self,
            _: Vec<crate::embed::Text>,
        ) -> Result<Vec<crate::embed::QueryVectors>, crate::embed::EmbedError> {
            Ok(Vec::new())
        }
    }

    fn check(collections: &[(&str, Option<&str>)], asked: &str, expected: Result<&[&str], &str>) {
        check_in("eng", collections, asked, expected);
    }

    fn check_in(language: &str, collections: &[(&str, Option<&str>)], asked: &str, expected: Result<&[&str], &str>) {
        let language = Language::from_code(language);
        let asked = Named(identity(asked));
        let collections: Vec<Collection> =
            collections.iter().map(|&(name, embedder)| collection(name, embedder)).collect();
        match (comparable(&collections, &asked, "", language), expected) {
            (Ok(found), Ok(expected)) => assert_eq!(found, expected),
            (Err(error), Err(expected)) => assert_eq!(error.to_string(), expected),
            (found, expected) => panic!("{found:?} instead of {expected:?}"),
        }
    }

    #[test]
    fn collections_with_the_same_embedder_compare() {
        check(&[], "minilm", Ok(&[]));
        check(&[("a", Some("minilm")), ("b", None), ("c", Some("minilm"))], "minilm", Ok(&["a", "c"]));
    }

    #[test]
    fn another_embedder_is_refused_by_name() {
        let message = "the collection `b` was embedded with fastembed:x, not with minilm";
        check(&[("a", Some("minilm")), ("b", Some("fastembed:x"))], "minilm", Err(message));
    }

    #[test]
    fn another_form_of_states_is_another_embedder() {
        let message = "the collection `a` was embedded with minilm (384 dimensions, prefix \"\", states \"s1\"), \
                       not with minilm (384 dimensions, prefix \"\", states \"s3\")";
        check(&[("a", Some("minilm/s1"))], "minilm/s3", Err(message));
    }

    #[test]
    fn an_earlier_edition_answers_in_the_languages_that_it_knew() {
        let collections = [("old", Some("minilm/s1")), ("new", Some("minilm/s2"))];
        check_in("eng", &collections, "minilm/s2", Ok(&["old", "new"]));
        check_in("jpn", &collections, "minilm/s2", Ok(&["new"]));
    }

    #[test]
    fn keywords_count_where_query_and_passage_share_a_script() {
        let check = |query: &str, language: &str, expected: (f32, f32)| {
            let asked_in = Spoken::default().query_language(query);
            let found = Writing::of(query, asked_in).halves(Language::from_code(language), 2.0);
            assert_eq!((found.lexical, found.semantic), expected, "{query} in {language}");
        };
        check("Who wrote it?", "eng", (1.0, 2.0));
        check("Who wrote it?", "deu", (1.0, 2.0));
        check("Who wrote it?", "und", (1.0, 2.0));
        check("Who wrote it?", "jpn", (FOREIGN_KEYWORDS, 2.0));
        check("誰が書きましたか", "eng", (0.0, 2.0));
        check("GFSを書いたのは誰ですか", "eng", (FOREIGN_KEYWORDS, 2.0));
        check("誰が書きましたか", "jpn", (1.0, WIDE_SEMANTIC * 2.0));
        check("駐車場", "jpn", (1.0, WIDE_SEMANTIC * 2.0));
        check("駐車場", "und", (1.0, WIDE_SEMANTIC * 2.0));
        // The glosses of Chinese words are searched for as well.
        check("谁写的？", "eng", (1.0, 2.0));
        check("谁写的？", "cmn", (1.0, WIDE_SEMANTIC * 2.0));
        check("谁写的？", "jpn", (1.0, WIDE_SEMANTIC * 2.0));
        check("Who wrote it?", "cmn", (1.0, 2.0));
        check("1984", "jpn", (1.0, 2.0));
    }
}
