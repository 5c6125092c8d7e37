//! The memory, as the settings and the surroundings want it.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use jiff::Timestamp;

use super::{App, AppError, parts};
use crate::config::MemorySwitch;
use crate::embed::Embedder;
use crate::ingest::{FileOutcome, LoadEvent, LoadSummary};
use crate::memory::{EventKind, FILE, Memory, MemoryOptions, NewEvent};

/// So few documents are named in the event of their load; of more it says how many they are.
const NAMED: usize = 5;

/// What a load stored, as far as its events tell.
#[derive(Debug, Default)]
pub(super) struct Arrivals {
    /// Documents by collection.
    stored: BTreeMap<String, u64>,
    /// Paths of the first files that were read.
    paths: Vec<String>,
}

impl Arrivals {
    pub(super) fn hear(&mut self, event: &LoadEvent) {
        match event {
            LoadEvent::Committed { collection, documents, .. } => {
                *self.stored.entry(collection.clone()).or_default() += documents;
            }
            LoadEvent::File { path, outcome: FileOutcome::Parsed, .. } if self.paths.len() <= NAMED => {
                self.paths.push(path.clone());
            }
            _ => {}
        }
    }

    /// The events: one for each collection and kind, since one for each of five thousand files would bury what was
    /// learnt from them. A load says how many documents are new and how many have changed over all its collections;
    /// where it has several and both, each collection's documents are told together.
    fn events(&self, summary: &LoadSummary, made: Timestamp) -> Vec<NewEvent> {
        let named = match self.paths.as_slice() {
            [] => String::new(),
            few if few.len() <= NAMED => {
                let names = few.iter().map(|path| path.rsplit(['/', '\\']).next().unwrap_or(path));
                format!(": {}", names.collect::<Vec<_>>().join(", "))
            }
            _ => String::new(),
        };
        let event = |kind, collection: &String, count: u64, what: &str, named: &str| {
            let documents = if count == 1 { "document" } else { "documents" };
            let text = format!("{count} {what} {documents} in {collection}{named}");
            let collections = vec![collection.clone()];
            NewEvent { kind, text, made, collections, citations: Vec::new(), run: String::new() }
        };
        let mut events = Vec::new();
        for (collection, &count) in self.stored.iter().filter(|(_, count)| **count > 0) {
            let (arrived, changed) = (EventKind::DocumentArrived, EventKind::DocumentChanged);
            let named = if self.stored.len() == 1 { named.as_str() } else { "" };
            match (summary.new, summary.changed) {
                (_, 0) => events.push(event(arrived, collection, count, "new", named)),
                (0, _) => events.push(event(changed, collection, count, "changed", named)),
                (new, old) if self.stored.len() == 1 => {
                    events.push(event(arrived, collection, new, "new", ""));
                    events.push(event(changed, collection, old, "changed", ""));
                }
                _ => events.push(event(changed, collection, count, "new or changed", "")),
            }
        }
        events
    }
}

impl App {
    /// Whether loads and questions write into the memory and questions read from it: as set, and where that is `auto`,
    /// everywhere but in continuous integration, whose runs must not hang on those before.
    pub fn remembers(&self) -> bool {
        match self.config().memory.enabled {
            MemorySwitch::On => true,
            MemorySwitch::Off => false,
            MemorySwitch::Auto => self.variable("CI").is_none_or(|value| matches!(value, "" | "0" | "false")),
        }
    }

    /// How the memory works.
    pub fn memory_options(&self) -> MemoryOptions {
        parts::memory_options(&self.config().memory)
    }

    /// The memory; it is made where it is missing.
    pub async fn memory(&self) -> Result<Memory, AppError> {
        let embedder = self.configured_embedder().await?;
        Ok(Memory::open(&self.memory_path()?, embedder, self.memory_options()).await?)
    }

    /// The memory, compared by what a run's searches are compared by: one model is read, not two.
    pub(super) async fn memory_for(&self, embedder: Option<&Arc<dyn Embedder>>) -> Result<Memory, AppError> {
        Ok(Memory::open(&self.memory_path()?, embedder.cloned(), self.memory_options()).await?)
    }

    /// The memory, ready to be searched, or `None` where nothing was ever remembered.
    pub async fn searched_memory(&self) -> Result<Option<Memory>, AppError> {
        if self.memory_path()?.exists() { self.memory().await.map(Some) } else { Ok(None) }
    }

    /// The memory to look through and clear out, or `None` where nothing was ever remembered. Nothing is compared, so no
    /// embedder is opened, nor a key looked for.
    pub async fn existing_memory(&self) -> Result<Option<Memory>, AppError> {
        if self.memory_path()?.exists() { self.memory_for(None).await.map(Some) } else { Ok(None) }
    }

    /// Follows the renaming of a collection.
    pub async fn rename_in_memory(&self, from: &str, to: &str) -> Result<(), AppError> {
        if let Some(memory) = self.existing_memory().await? {
            let (from, to) = (from.to_owned(), to.to_owned());
            memory.with(move |timeline| timeline.rename_collection(&from, &to)).await?;
        }
        Ok(())
    }

    /// Writes down what a load brought.
    pub(super) async fn remember_load(&self, seen: &Arrivals, summary: &LoadSummary) -> Result<(), AppError> {
        let events = seen.events(summary, self.clock()?.now());
        if !events.is_empty() {
            // Its words are enough to find it by, and a load asks its embedder for nothing but its documents.
            self.memory_for(None).await?.add(events).await?;
        }
        Ok(())
    }

    pub(super) fn memory_path(&self) -> Result<PathBuf, AppError> {
        Ok(self.data_dir()?.join(FILE))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(events: &[LoadEvent], new: u64, changed: u64, expected: &[(EventKind, &str)]) {
        let mut seen = Arrivals::default();
        events.iter().for_each(|event| seen.hear(event));
        let summary = LoadSummary { new, changed, ..LoadSummary::default() };
        let found = seen.events(&summary, Timestamp::UNIX_EPOCH);
        let found: Vec<_> = found.iter().map(|event| (event.kind, event.text.as_str())).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn a_load_is_one_event_for_each_collection_and_kind() {
        let committed = |collection: &str, documents| LoadEvent::Committed {
            collection: collection.to_owned(),
            documents,
            chunks: documents,
        };
        let file = |path: &str, outcome| LoadEvent::File { path: path.to_owned(), outcome, bytes: 1 };
        let (arrived, changed) = (EventKind::DocumentArrived, EventKind::DocumentChanged);
        let few = [
            file("/a/x.md", FileOutcome::Parsed),
            file("/a/y.md", FileOutcome::Unchanged),
            file("/a/z.md", FileOutcome::Parsed),
            committed("a", 1),
            committed("a", 1),
        ];
        check(&few, 2, 0, &[(arrived, "2 new documents in a: x.md, z.md")]);
        check(&few, 0, 2, &[(changed, "2 changed documents in a: x.md, z.md")]);
        check(&few, 1, 1, &[(arrived, "1 new document in a"), (changed, "1 changed document in a")]);
        check(&few[1..2], 0, 0, &[]);
        let mut many: Vec<LoadEvent> = (0..9).map(|at| file(&format!("/a/{at}.md"), FileOutcome::Parsed)).collect();
        many.push(committed("a", 9));
        check(&many, 9, 0, &[(arrived, "9 new documents in a")]);
        let several = [file("/a/x.md", FileOutcome::Parsed), committed("b", 3), committed("a", 1)];
        check(&several, 4, 0, &[(arrived, "1 new document in a"), (arrived, "3 new documents in b")]);
        check(
            &several,
            1,
            3,
            &[(changed, "1 new or changed document in a"), (changed, "3 new or changed documents in b")],
        );
    }
}
