//! What of a store a query's vector can be compared with.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use crate::base::text::Language;
use crate::domain::{Collection, EmbedderIdentity};
use crate::store::StoreError;

pub(super) use crate::embed::knows;

/// Names of the collections that were embedded with `asked`. Collections without an embedder are left out; one with
/// another embedder is an error, since its best passages would be missed without a word.
pub(super) fn comparable(collections: &[Collection], asked: &EmbedderIdentity) -> Result<Vec<String>, StoreError> {
    let mut names = Vec::new();
    for collection in collections {
        match &collection.embedder {
            None => {}
            Some(has) if has == asked => names.push(collection.name.clone()),
            Some(has) => {
                return Err(StoreError::OtherEmbedder {
                    collection: collection.name.clone(),
                    has: describe(has, asked),
                    asked: describe(asked, has),
                });
            }
        }
    }
    Ok(names)
}

/// The embedder's name, with what tells it from `other` where the names are the same.
fn describe(identity: &EmbedderIdentity, other: &EmbedderIdentity) -> String {
    if identity.name != other.name {
        return identity.name.clone();
    }
    format!(
        "{} ({} dimensions, prefix {:?}, states {:?})",
        identity.name, identity.dimension, identity.passage_prefix, identity.states
    )
}

/// The language to read the query's words in: its own, else that of most passages found.
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

    fn check(collections: &[(&str, Option<&str>)], asked: &str, expected: Result<&[&str], &str>) {
        let collections: Vec<Collection> =
            collections.iter().map(|&(name, embedder)| collection(name, embedder)).collect();
        match (comparable(&collections, &identity(asked)), expected) {
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
                       not with minilm (384 dimensions, prefix \"\", states \"s2\")";
        check(&[("a", Some("minilm/s1"))], "minilm/s2", Err(message));
    }
}
