//! The prefixes that each family of embedding models expects before a text, and its languages, by the name of a model.

use crate::domain::Language;

/// The prefixes that a family of models was trained with, and the languages it knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Family {
    /// Put before every query.
    pub(super) query_prefix: &'static str,
    /// Put before every passage.
    pub(super) passage_prefix: &'static str,
    /// The languages it reads.
    pub(super) languages: Languages,
}

/// The languages that a model reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Languages {
    English,
    Chinese,
    Many,
}

impl Languages {
    /// Whether a language is among these. An unknown one is mostly a text too short to tell, so every model may try.
    pub(super) fn contain(self, language: Language) -> bool {
        match self {
            _ if language == Language::UNKNOWN => true,
            Languages::English => language == Language::ENGLISH,
            Languages::Chinese => language == Language(Some(whatlang::Lang::Cmn)),
            Languages::Many => true,
        }
    }
}

/// The instruction for queries that several English retrieval models require.
const PASSAGE_SEARCH: &str = "Represent this sentence for searching relevant passages: ";

impl Family {
    /// The family of a model by its name, which may be a folder's. If the name tells nothing, texts get no prefix and
    /// may be in any language.
    pub(super) fn of(name: &str) -> Self {
        family(name).unwrap_or(Family { query_prefix: "", passage_prefix: "", languages: Languages::Many })
    }
}

/// The family of a model by its name; `None` if the name tells nothing.
pub(super) fn family(name: &str) -> Option<Family> {
    let name = name.to_lowercase();
    let new = |query_prefix, passage_prefix, languages| Some(Family { query_prefix, passage_prefix, languages });
    let has = |part: &str| name.contains(part);
    match () {
        () if has("e5-") && has("multilingual") => new("query: ", "passage: ", Languages::Many),
        () if has("e5-") => new("query: ", "passage: ", Languages::English),
        () if has("bge-m3") => new("", "", Languages::Many),
        () if has("bge-") && has("-zh") => new("为这个句子生成表示以用于检索相关文章：", "", Languages::Chinese),
        () if has("bge-") => new(PASSAGE_SEARCH, "", Languages::English),
        () if has("mxbai-embed") || has("snowflake-arctic-embed") => new(PASSAGE_SEARCH, "", Languages::English),
        () if has("nomic-embed-text") || has("modernbert-embed") => {
            new("search_query: ", "search_document: ", Languages::English)
        }
        () if has("embeddinggemma") => new("task: search result | query: ", "title: none | text: ", Languages::Many),
        () if has("multilingual") => new("", "", Languages::Many),
        () if has("minilm") || has("mpnet") || has("gte-") || has("jina-embeddings") || has("clip") => {
            new("", "", Languages::English)
        }
        () => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_family(name: &str, query: &str, passage: &str, languages: Languages) {
        let found = family(name).unwrap();
        assert_eq!((found.query_prefix, found.passage_prefix, found.languages), (query, passage, languages), "{name}");
    }

    #[test]
    fn families_have_their_prefixes() {
        check_family("multilingual-e5-base", "query: ", "passage: ", Languages::Many);
        check_family("bge-base-en-v1.5-q", PASSAGE_SEARCH, "", Languages::English);
        check_family("bge-m3", "", "", Languages::Many);
        check_family("all-minilm-l6-v2", "", "", Languages::English);
        check_family("paraphrase-multilingual-minilm-l12-v2", "", "", Languages::Many);
        check_family("nomic-embed-text-v1.5", "search_query: ", "search_document: ", Languages::English);
        assert_eq!(family("my-own-model"), None);
    }
}
