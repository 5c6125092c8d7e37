//! The models of the catalogue, by name.

use fastembed::{EmbeddingModel, Pooling, TextEmbedding};

use crate::base::text::sort_by_similarity;

/// The way in which a model in a local folder pools its tokens into one vector, if the folder does not say.
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

/// All models, sorted by name. A name is the last part of the model's repository in lower case, with `-q` (`-q4`) if
/// its weights are quantized.
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

/// The entry with a name, in any case, or else the most similar names.
pub(super) fn find(name: &str) -> Result<Entry, Vec<String>> {
    let wanted = name.to_lowercase();
    let entries = entries();
    if let Some(entry) = entries.iter().find(|entry| entry.name == wanted) {
        return Ok(entry.clone());
    }
    let mut near = sort_by_similarity(name, entries.into_iter().map(|entry| entry.name));
    near.truncate(3);
    Err(near)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::embed::family::family;

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
}
