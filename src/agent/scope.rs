use super::{AgentError, Engine};
use crate::base::text::Spoken;
use crate::domain::{Collection, SearchMode, WEB};

/// Where a run looks for the answer, and by which means.
pub(super) struct Scope {
    /// The collections that may be searched, by name.
    pub collections: Vec<Collection>,
    /// Whether the user named the collections.
    pub restricted: bool,
    /// Whether the web is one of them.
    pub has_web: bool,
    /// The search mode; keywords alone once the embedder has failed.
    pub mode: SearchMode,
}

impl Scope {
    /// The scope of the named collections; of all if none is named.
    pub async fn of(engine: &Engine, named: &[String]) -> Result<Self, AgentError> {
        let mut collections = engine.corpus.collections().await?;
        let restricted = !named.is_empty();
        if restricted {
            let exists = |name: &String| collections.iter().any(|collection| collection.name == *name);
            if let Some(unknown) = named.iter().find(|name| !exists(name)) {
                // The store's error names similar collections.
                engine.corpus.collection(unknown).await?;
            }
            collections.retain(|collection| named.contains(&collection.name));
        }
        if collections.is_empty() {
            return Err(AgentError::NoCollections);
        }
        let has_web = engine.options.web && collections.iter().any(|collection| collection.name == WEB);
        Ok(Scope { collections, restricted, has_web, mode: engine.options.mode })
    }

    /// The languages of what may be searched.
    pub fn spoken(&self) -> Spoken {
        Spoken::of(self.collections.iter().flat_map(|collection| collection.languages.counts()))
    }

    /// The names of all that may be searched.
    pub fn names(&self) -> Vec<String> {
        self.collections.iter().map(|collection| collection.name.clone()).collect()
    }

    /// The names of the user's own collections.
    pub fn local_names(&self) -> Vec<String> {
        let mut names = self.names();
        names.retain(|name| !self.has_web || name != WEB);
        names
    }

    /// Whether the user wants every search to go to the web too.
    pub fn always_asks_the_web(&self) -> bool {
        self.has_web && (self.restricted || self.collections.len() == 1)
    }
}
