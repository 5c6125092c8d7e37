//! A model as an [`Embedder`]: opened by its name or folder, loaded with the first text.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use fastembed::{QuantizationMode, TextEmbedding, TextInitOptions};

use super::catalogue::{self, Entry};
use super::folder::Folder;
use super::{PREFIX, runtime};
use crate::base::causes;
use crate::domain::{ChunkVectors, EmbedderIdentity, Language};
use crate::embed::family::{Family, Languages};
use crate::embed::{self, EmbedError, EmbedOptions, Embedder, QueryVectors, Text};

/// The number of texts that go through a model at once: enough to use all cores, with little memory at 512 tokens a
/// text.
const BATCH: usize = 16;

/// Where a model comes from.
#[derive(Clone, Debug)]
enum Origin {
    Catalogue { entry: Entry, cache: PathBuf, offline: bool },
    Folder(Folder),
}

/// A model that `fastembed` runs, as an [`Embedder`]. It gives no token states.
pub struct FastEmbed {
    identity: EmbedderIdentity,
    query_prefix: &'static str,
    languages: Languages,
    inner: Arc<Inner>,
}

/// What a worker thread needs.
struct Inner {
    name: String,
    dimension: usize,
    origin: Origin,
    /// Loaded with the first text; texts are embedded in one run at a time, since a run uses all cores.
    model: Mutex<Option<TextEmbedding>>,
}

impl FastEmbed {
    /// Opens a model by its name in the catalogue (`bge-small-en-v1.5`) or by the path of a folder. Finds ONNX Runtime
    /// now, and reads, or fetches, the model with the first text.
    pub fn open(model: &str, options: &EmbedOptions) -> Result<Self, EmbedError> {
        Self::with_runtime(model, options, std::env::var_os(runtime::VARIABLE).filter(|path| !path.is_empty()))
    }

    fn with_runtime(
        model: &str,
        options: &EmbedOptions,
        library: Option<std::ffi::OsString>,
    ) -> Result<Self, EmbedError> {
        let name = format!("{PREFIX}{model}");
        let failed = |reason: String| EmbedError::Load { model: name.clone(), reason };
        let (origin, dimension) = if is_path(model) {
            let folder = Folder::open(Path::new(model)).map_err(|error| failed(error.to_string()))?;
            let dimension = folder.dimension;
            (Origin::Folder(folder), dimension)
        } else {
            let entry = catalogue::find(model).map_err(|near| {
                failed(format!(
                    "the catalogue has no such model; near are {}; a folder is written with a slash, as in `{PREFIX}./model`",
                    near.join(", ")
                ))
            })?;
            let dimension = entry.dimension;
            let (cache, offline) = (options.models_dir.clone(), options.offline);
            (Origin::Catalogue { entry, cache, offline }, dimension)
        };
        runtime::ensure(library.map(PathBuf::from))
            .map_err(|failure| failed(runtime::runtime_error_message(&failure)))?;
        let last = model.trim_end_matches(['/', '\\']).rsplit(['/', '\\']).next().unwrap_or(model);
        let family = Family::of(last);
        let identity = EmbedderIdentity {
            name: name.clone(),
            dimension,
            passage_prefix: family.passage_prefix.to_owned(),
            states: String::new(),
        };
        let inner = Arc::new(Inner { name, dimension, origin, model: Mutex::new(None) });
        Ok(FastEmbed { identity, query_prefix: family.query_prefix, languages: family.languages, inner })
    }

    async fn embed(&self, prefix: &str, texts: Vec<Text>) -> Result<Vec<Vec<f32>>, EmbedError> {
        let texts: Vec<String> = texts.into_iter().map(|text| format!("{prefix}{}", text.text)).collect();
        let inner = Arc::clone(&self.inner);
        let name = self.inner.name.clone();
        tokio::task::spawn_blocking(move || inner.embed(&texts))
            .await
            .map_err(|error| EmbedError::Run { model: name, reason: error.to_string() })?
    }
}

/// Whether a model is given as a folder, with a separator as in `./model`; names of the catalogue have none.
fn is_path(model: &str) -> bool {
    model.contains(['/', '\\'])
}

impl Inner {
    fn embed(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let failed = |reason: String| EmbedError::Run { model: self.name.clone(), reason };
        let mut guard = self.model.lock().map_err(|_| failed("an earlier run broke off".to_owned()))?;
        let model = match &mut *guard {
            Some(model) => model,
            empty => empty.insert(self.load()?),
        };
        // Texts in a batch are padded to its longest, so texts of similar length go together.
        let mut order: Vec<usize> = (0..texts.len()).collect();
        order.sort_by_key(|&index| texts[index].len());
        let mut vectors = vec![Vec::new(); texts.len()];
        for batch in order.chunks(self.batch()) {
            let inputs: Vec<&str> = batch.iter().map(|&index| texts[index].as_str()).collect();
            let found = model.embed(&inputs, None).map_err(|error| failed(error.to_string()))?;
            if found.len() != batch.len() {
                return Err(failed(format!("{} vectors for {} texts", found.len(), batch.len())));
            }
            for (&index, mut vector) in batch.iter().zip(found) {
                if vector.len() != self.dimension {
                    return Err(EmbedError::Dimension {
                        model: self.name.clone(),
                        expected: self.dimension,
                        found: vector.len(),
                    });
                }
                embed::l2_normalize(&mut vector);
                vectors[index] = vector;
            }
        }
        Ok(vectors)
    }

    /// The number of texts per run. Models that quantize dynamically do so over the whole input: their texts go one by
    /// one, so that no vector depends on its neighbours.
    fn batch(&self) -> usize {
        let dynamic = match &self.origin {
            Origin::Catalogue { entry, .. } => {
                TextEmbedding::get_quantization_mode(&entry.model) == QuantizationMode::Dynamic
            }
            Origin::Folder(folder) => folder.quantized,
        };
        if dynamic { 1 } else { BATCH }
    }

    fn load(&self) -> Result<TextEmbedding, EmbedError> {
        let failed = |reason: String| EmbedError::Load { model: self.name.clone(), reason };
        match &self.origin {
            Origin::Folder(folder) => folder.load().map_err(|error| failed(error.to_string())),
            Origin::Catalogue { entry, cache, offline } => {
                if let Some(file) = missing_file(entry, cache).filter(|_| *offline) {
                    return Err(failed(format!(
                        "its {file} was not fetched before, and the program is offline (net.offline or --offline)"
                    )));
                }
                let options = TextInitOptions::new(entry.model.clone())
                    .with_cache_dir(cache.clone())
                    .with_show_download_progress(false);
                TextEmbedding::try_new(options).map_err(|error| {
                    failed(format!(
                        "{}; without access to the model's hub, put its files into a folder and use `{PREFIX}./FOLDER`",
                        chain(&error)
                    ))
                })
            }
        }
    }
}

/// A file of the model that would have to be fetched, if any.
fn missing_file(entry: &Entry, cache: &Path) -> Option<String> {
    // The files that every model has beside its own. The hub's cache has a folder for each version, named in `refs`.
    const COMMON: [&str; 4] = ["tokenizer.json", "config.json", "special_tokens_map.json", "tokenizer_config.json"];
    let Ok(info) = TextEmbedding::get_model_info(&entry.model) else { return Some("description".to_owned()) };
    // As in fastembed itself, the variable takes precedence over the given folder.
    let home = std::env::var_os("HF_HOME").map(PathBuf::from);
    let folder = home.as_deref().unwrap_or(cache).join(format!("models--{}", info.model_code.replace('/', "--")));
    let version = std::fs::read_to_string(folder.join("refs").join("main")).unwrap_or_default();
    let snapshot = folder.join("snapshots").join(version.trim());
    let own = std::iter::once(info.model_file.as_str()).chain(info.additional_files.iter().map(String::as_str));
    let mut files = own.chain(COMMON);
    files.find(|file| version.trim().is_empty() || !snapshot.join(file).exists()).map(str::to_owned)
}

/// An error and all its causes on one line.
fn chain(error: &(dyn std::error::Error + 'static)) -> String {
    causes(error).fold(error.to_string(), |message, cause| format!("{message}: {cause}"))
}

#[async_trait]
impl Embedder for FastEmbed {
    fn identity(&self) -> &EmbedderIdentity {
        &self.identity
    }

    fn knows(&self, language: Language) -> bool {
        self.languages.contain(language)
    }

    async fn passages(&self, texts: Vec<Text>) -> Result<Vec<ChunkVectors>, EmbedError> {
        let embeddings = self.embed(&self.identity.passage_prefix, texts).await?;
        Ok(embeddings.into_iter().map(ChunkVectors::without_states).collect())
    }

    async fn queries(&self, texts: Vec<Text>) -> Result<Vec<QueryVectors>, EmbedError> {
        let embeddings = self.embed(self.query_prefix, texts).await?;
        Ok(embeddings.into_iter().map(QueryVectors::without_states).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(model: &str, expected: &[&str]) {
        let options = EmbedOptions { models_dir: PathBuf::from("unused"), ..EmbedOptions::default() };
        let missing = Some("/nonexistent/libonnxruntime.so".into());
        let Err(error) = FastEmbed::with_runtime(model, &options, missing) else {
            panic!("{model} opened without ONNX Runtime")
        };
        let message = error.to_string();
        for part in expected {
            assert!(message.contains(part), "{part} is missing in: {message}");
        }
    }

    #[test]
    fn a_missing_runtime_is_an_error_before_anything_is_fetched() {
        check("bge-small-en-v1.5", &["fastembed:bge-small-en-v1.5", "ONNX Runtime", "ORT_DYLIB_PATH", "minilm"]);
    }

    #[test]
    fn an_unknown_model_names_the_nearest() {
        check("bge-smal", &["bge-small-en-v1.5"]);
    }

    #[test]
    fn a_folder_that_lacks_a_file_is_named_with_the_file() {
        check("/nonexistent/model", &["/nonexistent/model", "config.json"]);
    }
}
