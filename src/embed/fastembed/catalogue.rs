//! Which models there are, by name, and what each family expects around a text.

use fastembed::{EmbeddingModel, Pooling, TextEmbedding};

use crate::domain::Language;

/// What a family of models was trained to see, and which languages it knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::embed) struct Family {
    /// Before every query.
    pub(in crate::embed) query_prefix: &'static str,
    /// Before every passage.
    pub(in crate::embed) passage_prefix: &'static str,
    /// What it reads.
    pub(in crate::embed) languages: Languages,
}

/// What a model reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::embed) enum Languages {
    English,
    Chinese,
    Many,
}

impl Languages {
    /// An unknown language is mostly a text too short to tell, so every model may try.
    pub(in crate::embed) fn contain(self, language: Language) -> bool {
        match self {
            _ if language == Language::UNKNOWN => true,
            Languages::English => language == Language::ENGLISH,
            Languages::Chinese => language == Language(Some(whatlang::Lang::Cmn)),
            Languages::Many => true,
        }
    }
}

/// Asked of several English retrieval models as their instruction for queries.
const PASSAGE_SEARCH: &str = "Represent this sentence for searching relevant passages: ";

/// The family of a model by its name, which may be a folder's; `None` where the name tells nothing.
pub(in crate::embed) fn family(name: &str) -> Option<Family> {
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

/// How a model of a local folder makes one vector of its tokens, where the folder does not say.
pub(super) fn usual_pooling(name: &str) -> Pooling {
    let name = name.to_lowercase();
    let first_token = ["bge-", "mxbai-", "snowflake-", "gte-"];
    if first_token.iter().any(|family| name.contains(family)) { Pooling::Cls } else { Pooling::Mean }
}

/// A model of the catalogue.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) name: String,
    pub(super) model: EmbeddingModel,
    pub(super) dimension: usize,
}

/// All models, by name. The name is the last part of the model's repository in lower case, with `-q` (`-q4`) where its
/// weights are quantized.
pub(super) fn entries() -> Vec<Entry> {
    let mut entries: Vec<Entry> = TextEmbedding::list_supported_models()
        .into_iter()
        .map(|info| {
            let repository = info.model_code.rsplit('/').next().unwrap_or(&info.model_code).to_lowercase();
            let base = repository.trim_end_matches("-q").trim_end_matches("-onnx");
            let variant = format!("{:?}", info.model);
            let quantized = ["Q4", "Q"].into_iter().find(|mark| variant.ends_with(mark));
            let suffix = quantized.map_or_else(String::new, |mark| format!("-{}", mark.to_lowercase()));
            Entry { name: format!("{base}{suffix}"), model: info.model, dimension: info.dim }
        })
        .collect();
    entries.sort_by(|a, b| a.name.cmp(&b.name));
    entries
}

/// The entry of a name in any case, or the nearest names.
pub(super) fn find(name: &str) -> Result<Entry, Vec<String>> {
    let wanted = name.to_lowercase();
    let entries = entries();
    if let Some(entry) = entries.iter().find(|entry| entry.name == wanted) {
        return Ok(entry.clone());
    }
    let mut near: Vec<(f64, String)> =
        entries.into_iter().map(|entry| (strsim::jaro_winkler(&wanted, &entry.name), entry.name)).collect();
    near.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    Err(near.into_iter().take(3).map(|(_, name)| name).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_name(name: &str, expected: Result<EmbeddingModel, &str>) {
        match (find(name), expected) {
            (Ok(found), Ok(model)) => assert_eq!(found.model, model),
            (Err(near), Err(nearest)) => assert_eq!(near.first().map(String::as_str), Some(nearest), "{near:?}"),
            (found, expected) => panic!("{name}: {found:?} instead of {expected:?}"),
        }
    }

    #[test]
    fn models_are_found_by_name() {
        check_name("bge-small-en-v1.5", Ok(EmbeddingModel::BGESmallENV15));
        check_name("BGE-small-en-v1.5-Q", Ok(EmbeddingModel::BGESmallENV15Q));
        check_name("multilingual-e5-small", Ok(EmbeddingModel::MultilingualE5Small));
        check_name("multilingual-e5-large", Ok(EmbeddingModel::MultilingualE5Large));
        check_name("all-minilm-l6-v2", Ok(EmbeddingModel::AllMiniLML6V2));
        check_name("embeddinggemma-300m-q4", Ok(EmbeddingModel::EmbeddingGemma300MQ4));
        check_name("bge-smal-en", Err("bge-small-en-v1.5"));
    }

    #[test]
    fn every_model_has_its_own_name_and_a_family() {
        let entries = entries();
        for pair in entries.windows(2) {
            assert_ne!(pair[0].name, pair[1].name);
        }
        for entry in entries {
            assert!(family(&entry.name).is_some(), "{}", entry.name);
            assert!(entry.dimension > 0);
        }
    }

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
