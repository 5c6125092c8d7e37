//! The memory, opened as the settings and the environment want it.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use jiff::Timestamp;

use super::{App, AppError, options};
use crate::config::MemorySwitch;
use crate::embed::Embedder;
use crate::ingest::{ChangeKind, DocumentChange, LoadSummary};
use crate::memory::{EventKind, FILE, Memory, MemoryError, MemoryOptions, MovedDocument, NewEvent};

/// The most documents that are named in the event of their load; of more, only the number is given.
const NAMED: usize = 5;

/// The events of a load: one for each collection and kind, since one for each of five thousand files would bury what
/// was learnt from them.
fn events_of(changes: &[DocumentChange], made: Timestamp) -> Vec<NewEvent> {
    let mut paths: BTreeMap<(&str, EventKind), Vec<&str>> = BTreeMap::new();
    for change in changes {
        let kind = match change.change {
            ChangeKind::New => EventKind::DocumentArrived,
            ChangeKind::Changed => EventKind::DocumentChanged,
            // Nothing was learnt.
            ChangeKind::Reloaded | ChangeKind::Moved | ChangeKind::Removed => continue,
        };
        paths.entry((&change.collection, kind)).or_default().push(&change.path);
    }
    let event = |((collection, kind), paths): ((&str, EventKind), Vec<&str>)| {
        let what = if kind == EventKind::DocumentArrived { "new" } else { "changed" };
        let documents = if paths.len() == 1 { "document" } else { "documents" };
        let names: Vec<&str> = paths.iter().map(|path| path.rsplit(['/', '\\']).next().unwrap_or(path)).collect();
        let named = if names.len() <= NAMED { format!(": {}", names.join(", ")) } else { String::new() };
        let text = format!("{} {what} {documents} in {collection}{named}", paths.len());
        let collections = vec![collection.to_owned()];
        NewEvent { kind, text, made, collections, citations: Vec::new(), run: String::new() }
    };
    paths.into_iter().map(event).collect()
}

impl App {
    /// Whether loads and questions write into the memory and questions read from it, as set. With `auto` they do so
    /// everywhere but in continuous integration, whose runs must not depend on earlier ones.
    pub fn remembers(&self) -> bool {
        match self.config().memory.enabled {
            MemorySwitch::On => true,
            MemorySwitch::Off => false,
            MemorySwitch::Auto => self.variable("CI").is_none_or(|value| matches!(value, "" | "0" | "false")),
        }
    }

    /// The options of the memory.
    pub fn memory_options(&self) -> MemoryOptions {
        options::memory_options(&self.config().memory)
    }

    /// The memory, created if it is missing.
    pub async fn memory(&self) -> Result<Memory, AppError> {
        let embedder = self.configured_embedder().await?;
        Ok(Memory::open(&self.memory_path()?, embedder, self.memory_options()).await?)
    }

    /// The memory, compared by the embedder of a run's searches, so that one model is read, not two.
    pub(super) async fn memory_for(&self, embedder: Option<&Arc<dyn Embedder>>) -> Result<Memory, AppError> {
        Ok(Memory::open(&self.memory_path()?, embedder.cloned(), self.memory_options()).await?)
    }

    /// The memory, ready to be searched, or `None` if nothing was ever remembered.
    pub async fn searched_memory(&self) -> Result<Option<Memory>, AppError> {
        if self.has_memory()? { self.memory().await.map(Some) } else { Ok(None) }
    }

    /// The memory for viewing and clearing, or `None` if nothing was ever remembered. Nothing is compared, so no
    /// embedder is opened and no key is looked for.
    pub async fn existing_memory(&self) -> Result<Option<Memory>, AppError> {
        if self.has_memory()? { self.memory_for(None).await.map(Some) } else { Ok(None) }
    }

    /// Follows the renaming of a collection.
    pub(super) async fn rename_in_memory(&self, from: &str, to: &str) -> Result<(), AppError> {
        if let Some(memory) = self.existing_memory().await? {
            let (from, to) = (from.to_owned(), to.to_owned());
            memory.with(move |timeline| timeline.rename_collection(&from, &to)).await?;
        }
        Ok(())
    }

    /// Follows documents that a load found at another path, so that what rests on them stays valid.
    pub(super) async fn follow_in_memory(&self, changes: &[DocumentChange]) -> Result<(), AppError> {
        let moved = |change: &DocumentChange| {
            let (collection, to) = (change.collection.clone(), change.path.clone());
            Some(MovedDocument { collection, from: change.from.clone()?, to })
        };
        let moved: Vec<MovedDocument> = changes.iter().filter_map(moved).collect();
        if !moved.is_empty()
            && let Some(memory) = self.existing_memory().await?
        {
            memory.with(move |timeline| timeline.move_documents(&moved)).await?;
        }
        Ok(())
    }

    /// Records what a load brought.
    pub(super) async fn remember_load(&self, summary: &LoadSummary) -> Result<(), AppError> {
        let events = events_of(&summary.changes, self.clock()?.now());
        if !events.is_empty() {
            // The words of an event are enough to find it by, and a load uses its embedder for nothing but documents.
            self.memory_for(None).await?.add(events).await?;
        }
        Ok(())
    }

    /// Whether anything was ever remembered. A folder that cannot be read is an error, and does not count as empty.
    fn has_memory(&self) -> Result<bool, AppError> {
        let path = self.memory_path()?;
        path.try_exists().map_err(|source| MemoryError::Unreadable { path, source }.into())
    }

    pub(super) fn memory_path(&self) -> Result<PathBuf, AppError> {
        Ok(self.data_dir()?.join(FILE))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(changes: &[(ChangeKind, &str, &str)], expected: &[(EventKind, &str)]) {
        let change = |&(change, collection, path): &(ChangeKind, &str, &str)| DocumentChange {
            change,
            collection: collection.to_owned(),
            path: path.to_owned(),
            from: None,
        };
        let changes: Vec<DocumentChange> = changes.iter().map(change).collect();
        let found = events_of(&changes, Timestamp::UNIX_EPOCH);
        let found: Vec<_> = found.iter().map(|event| (event.kind, event.text.as_str())).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn a_load_is_one_event_for_each_collection_and_kind() {
        use ChangeKind::{Changed, Moved, New, Reloaded, Removed};
        let (arrived, changed) = (EventKind::DocumentArrived, EventKind::DocumentChanged);
        check(
            &[(New, "a", "/a/x.md"), (Reloaded, "a", "/a/y.md"), (New, "a", "/a/z.md")],
            &[(arrived, "2 new documents in a: x.md, z.md")],
        );
        check(&[(Changed, "a", "C:\\a\\x.md")], &[(changed, "1 changed document in a: x.md")]);
        check(
            &[(New, "b", "/b/x.md"), (Changed, "a", "/a/y.md"), (New, "a", "/a/z.md")],
            &[
                (arrived, "1 new document in a: z.md"),
                (changed, "1 changed document in a: y.md"),
                (arrived, "1 new document in b: x.md"),
            ],
        );
        check(&[(Reloaded, "a", "/a/x.md"), (Moved, "a", "/a/y.md"), (Removed, "a", "/a/z.md")], &[]);
        check(&[(New, "a", "/a/x.md"); NAMED + 1], &[(arrived, "6 new documents in a")]);
    }
}
