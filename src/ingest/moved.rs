//! Files that were moved or renamed, recognised by their content.

use std::collections::{BTreeMap, VecDeque};

use crate::base::ContentHash;
use crate::domain::{Document, DocumentRecord};

/// Stored documents whose files are gone from the loaded places, by collection and content.
#[derive(Debug, Default)]
pub(super) struct MissingFiles(BTreeMap<String, BTreeMap<ContentHash, VecDeque<DocumentRecord>>>);

impl MissingFiles {
    /// Adds the documents of one collection, in the order of their paths.
    pub(super) fn add(&mut self, collection: &str, records: impl IntoIterator<Item = DocumentRecord>) {
        let gone = self.0.entry(collection.to_owned()).or_default();
        for record in records {
            gone.entry(record.hash).or_default().push_back(record);
        }
    }

    /// Takes the stored document that `document` is under another path: the first by path if there are several, and
    /// each only once. Everything stored of it must be what a load would store now: if the title or the format comes
    /// from the file's name, another name makes another document.
    pub(super) fn take(&mut self, collection: &str, document: &Document) -> Option<DocumentRecord> {
        let same = |record: &DocumentRecord| {
            record.title == document.title
                && record.format == document.format
                && record.language == document.language
                && record.cut == document.cut
                && record.chunks as usize == document.chunks.len()
                && record.text_bytes == document.text.len() as u64
        };
        let records = self.0.get_mut(collection)?.get_mut(&document.hash)?;
        let place = records.iter().position(same)?;
        records.remove(place)
    }
}
