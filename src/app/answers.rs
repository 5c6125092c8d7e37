//! Answer models in the data folder, and which collection uses which.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::{App, AppError};
use crate::base::{create_private_folder, if_there, write_atomically};
use crate::domain::{Collection, EmbedderIdentity};
use crate::retrieval::answer::{self, AnswerFileError, AnswerModel};

/// The folder below the data folder, and the extension of a model's file.
const FOLDER: &str = "answers";
const ENDING: &str = "answer";

/// The file that records which collection uses which model.
const ACTIVE: &str = "active.json";
const ACTIVE_VERSION: u32 = 1;

/// Why an answer model cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum AnswerStoreError {
    /// The file is unusable.
    #[error(transparent)]
    File(#[from] AnswerFileError),
    /// There is no model with this name.
    #[error("there is no answer model `{name}`; known are: {}", if known.is_empty() { "none" } else { known })]
    NoModel {
        /// The name as asked.
        name: String,
        /// The names that exist.
        known: String,
    },
    /// The name cannot be used for a file.
    #[error(
        "`{name}` cannot name an answer model: letters, digits, `-`, `_` and `.` can, and a letter or digit comes first"
    )]
    BadName {
        /// The name as asked.
        name: String,
    },
    /// The model reads the states of another encoder.
    #[error(
        "the answer model `{model}` was trained on the states of {trained}, and the collection `{collection}` has those of \
         {has}; train one for it with `deepsearch train answer --collection {collection}`"
    )]
    OtherEncoder {
        /// The model.
        model: String,
        /// The model's encoder.
        trained: String,
        /// The collection.
        collection: String,
        /// The collection's encoder.
        has: String,
    },
    /// The list of active models cannot be read.
    #[error("{path} cannot be read ({reason}); remove it, and activate models anew")]
    Active {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
}

/// A model with its name and the collections that use it.
#[derive(Clone, Debug)]
pub struct StoredAnswer {
    /// Its name.
    pub name: String,
    /// The model itself.
    pub model: AnswerModel,
    /// The names of the collections that use it.
    pub collections: Vec<String>,
}

#[derive(Serialize, Deserialize)]
struct Active {
    version: u32,
    collections: BTreeMap<String, String>,
}

impl App {
    /// All answer models, by name.
    pub fn answer_models(&self) -> Result<Vec<StoredAnswer>, AppError> {
        let active = self.active_answers()?;
        let mut found = Vec::new();
        for name in self.answer_names()? {
            let model = answer::read(&self.answer_path(&name)?).map_err(AnswerStoreError::from)?;
            let users = active.iter().filter(|(_, used)| **used == name).map(|(collection, _)| collection.clone());
            found.push(StoredAnswer { collections: users.collect(), model, name });
        }
        Ok(found)
    }

    /// The model with this name.
    pub fn answer_model(&self, name: &str) -> Result<AnswerModel, AppError> {
        let path = self.answer_path(name)?;
        if !path.is_file() {
            return Err(
                AnswerStoreError::NoModel { name: name.to_owned(), known: self.answer_names()?.join(", ") }.into()
            );
        }
        Ok(answer::read(&path).map_err(AnswerStoreError::from)?)
    }

    /// Stores a model under a name, and replaces one that has this name.
    pub fn keep_answer_model(&self, name: &str, model: &AnswerModel) -> Result<(), AppError> {
        let path = self.answer_path(name)?;
        make_folder(path.parent().unwrap_or(&path))?;
        Ok(answer::write(&path, model).map_err(AnswerStoreError::from)?)
    }

    /// Makes the searches of a collection use a model, or none.
    pub fn activate_answer(&self, collection: &Collection, model: Option<&str>) -> Result<(), AppError> {
        let mut active = self.active_answers()?;
        match model {
            Some(name) => {
                fits(name, &self.answer_model(name)?, collection)?;
                active.insert(collection.name.clone(), name.to_owned());
            }
            None => drop(active.remove(&collection.name)),
        }
        self.write_active(active)
    }

    /// The name of the model that a collection uses.
    pub fn answer_model_of(&self, collection: &str) -> Result<Option<String>, AppError> {
        Ok(self.active_answers()?.remove(collection))
    }

    /// Follows the renaming of a collection.
    pub(super) fn rename_in_answers(&self, from: &str, to: &str) -> Result<(), AppError> {
        let mut active = self.active_answers()?;
        match active.remove(from) {
            Some(model) => {
                active.insert(to.to_owned(), model);
                self.write_active(active)
            }
            None => Ok(()),
        }
    }

    /// Follows the dropping of a collection: another one of its name must not be searched with its model.
    pub(super) fn forget_in_answers(&self, collection: &str) -> Result<(), AppError> {
        let mut active = self.active_answers()?;
        if active.remove(collection).is_some() { self.write_active(active) } else { Ok(()) }
    }

    /// Removes a model; the collections that used it then use none.
    pub fn remove_answer_model(&self, name: &str) -> Result<(), AppError> {
        self.answer_model(name)?;
        let mut active = self.active_answers()?;
        active.retain(|_, used| used != name);
        self.write_active(active)?;
        let path = self.answer_path(name)?;
        std::fs::remove_file(&path).map_err(|source| io("cannot remove", &path, source).into())
    }

    /// The models that some collections use, by collection.
    pub(super) fn answers_of(&self, collections: &[Collection]) -> Result<BTreeMap<String, AnswerModel>, AppError> {
        let active = self.active_answers()?;
        let mut models = BTreeMap::new();
        for collection in collections {
            if let Some(name) = active.get(&collection.name) {
                let model = self.answer_model(name)?;
                fits(name, &model, collection)?;
                models.insert(collection.name.clone(), model);
            }
        }
        Ok(models)
    }

    /// The active models: collection → model.
    fn active_answers(&self) -> Result<BTreeMap<String, String>, AppError> {
        let path = self.answers_folder()?.join(ACTIVE);
        let text = if_there(std::fs::read_to_string(&path)).map_err(|source| io("cannot read", &path, source))?;
        let Some(text) = text else { return Ok(BTreeMap::new()) };
        let unreadable = |reason: String| AnswerStoreError::Active { path: path.clone(), reason };
        let active: Active = serde_json::from_str(&text).map_err(|error| unreadable(error.to_string()))?;
        if active.version > ACTIVE_VERSION {
            return Err(unreadable(format!("its version {} is newer than this program", active.version)).into());
        }
        Ok(active.collections)
    }

    fn write_active(&self, collections: BTreeMap<String, String>) -> Result<(), AppError> {
        let folder = self.answers_folder()?;
        make_folder(&folder)?;
        let path = folder.join(ACTIVE);
        let active = Active { version: ACTIVE_VERSION, collections };
        let text = serde_json::to_vec_pretty(&active).map_err(|error| io("cannot write", &path, error.into()))?;
        write_atomically(&path, &text).map_err(|source| io("cannot write", &path, source).into())
    }

    fn answer_names(&self) -> Result<Vec<String>, AppError> {
        let folder = self.answers_folder()?;
        let entries = if_there(std::fs::read_dir(&folder)).map_err(|source| io("cannot read", &folder, source))?;
        let Some(entries) = entries else { return Ok(Vec::new()) };
        let mut names = Vec::new();
        for entry in entries {
            let path = entry.map_err(|source| io("cannot read", &folder, source))?.path();
            if path.extension().is_some_and(|ending| ending == ENDING) {
                names.extend(path.file_stem().map(|name| name.to_string_lossy().into_owned()));
            }
        }
        names.sort();
        Ok(names)
    }

    /// The path of a model's file, which need not exist.
    pub fn answer_path(&self, name: &str) -> Result<PathBuf, AppError> {
        let known = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        if !name.starts_with(|c: char| c.is_ascii_alphanumeric()) || !name.chars().all(known) {
            return Err(AnswerStoreError::BadName { name: name.to_owned() }.into());
        }
        Ok(self.answers_folder()?.join(format!("{name}.{ENDING}")))
    }

    fn answers_folder(&self) -> Result<PathBuf, AppError> {
        Ok(self.data_dir()?.join(FOLDER))
    }
}

fn fits(name: &str, model: &AnswerModel, collection: &Collection) -> Result<(), AnswerStoreError> {
    if collection.embedder.as_ref() == Some(&model.encoder) {
        return Ok(());
    }
    // Two encoders of one name with different states: a model's folder holds another model now.
    let told = |one: &EmbedderIdentity, other: &EmbedderIdentity| match one.name == other.name {
        true => format!("{} (states {:?})", one.name, one.states),
        false => one.name.clone(),
    };
    let encoder = collection.embedder.as_ref();
    let has = encoder.map_or_else(|| "no encoder".to_owned(), |encoder| told(encoder, &model.encoder));
    let trained = encoder.map_or_else(|| model.encoder.name.clone(), |encoder| told(&model.encoder, encoder));
    let model = name.to_owned();
    Err(AnswerStoreError::OtherEncoder { model, trained, collection: collection.name.clone(), has })
}

fn make_folder(folder: &Path) -> Result<(), AnswerStoreError> {
    create_private_folder(folder).map_err(|source| io("cannot make", folder, source))
}

fn io(action: &'static str, path: &Path, source: std::io::Error) -> AnswerStoreError {
    AnswerFileError::Io { action, path: path.to_owned(), source }.into()
}
