//! What searches ask of the catalog before anything is read in full.

use std::collections::HashMap;

use super::codec::decode_language;
use super::read::{CatalogReader, bad_row, day, unsigned};
use crate::base::text::Language;
use crate::domain::{ChunkId, DocumentFilter};
use crate::store::StoreError;
use crate::store::embedded::admitted::Admitted;

impl CatalogReader {
    /// The documents of some collections (`None`: of all) that a filter admits.
    pub(in crate::store::embedded) fn admitted(
        &self,
        collections: Option<&[u64]>,
        filter: &DocumentFilter,
    ) -> Result<Admitted, StoreError> {
        self.read("looking for the documents of a filter", |connection| {
            let mut statement =
                connection.prepare_cached("SELECT id, collection, path, language, date, chunks FROM documents")?;
            let mut rows = statement.query([])?;
            let mut admitted = Admitted::default();
            while let Some(row) = rows.next()? {
                let collection = unsigned(row, 1)?;
                if collections.is_some_and(|wanted| !wanted.contains(&collection)) {
                    continue;
                }
                let text = |at| row.get_ref(at).and_then(|value| Ok(value.as_str_or_null()?));
                let (path, language) = (text(2)?.unwrap_or_default(), text(3)?.unwrap_or_default());
                let date = text(4)?.map(day).transpose()?;
                if filter.admits(path, Language::from_code(language), date) {
                    admitted.insert(unsigned(row, 0)?, unsigned(row, 5)?);
                }
            }
            Ok(admitted)
        })
    }

    /// The languages of chunks, in the order asked for; `None` for those that are no longer there.
    pub(in crate::store::embedded) fn languages(&self, ids: &[ChunkId]) -> Result<Vec<Option<Language>>, StoreError> {
        self.read("reading the languages of chunks", |connection| {
            let mut statement = connection.prepare_cached("SELECT data FROM chunks WHERE document = ?1")?;
            let mut known: HashMap<ChunkId, Option<Language>> = HashMap::with_capacity(ids.len());
            let mut rising: Vec<ChunkId> = ids.to_vec();
            rising.sort_unstable();
            // A document's row is read once for all its chunks.
            for of_document in rising.chunk_by(|a, b| a.document == b.document) {
                let Some(first) = of_document.first() else { continue };
                let mut rows = statement.query([first.document.0 as i64])?;
                let Some(row) = rows.next()? else { continue };
                let data = row.get_ref(0)?.as_blob().map_err(rusqlite::Error::from)?;
                for id in of_document {
                    let language = decode_language(data, id.ordinal).map_err(|error| bad_row(id.document, &error))?;
                    known.insert(*id, language);
                }
            }
            Ok(ids.iter().map(|id| known.get(id).copied().flatten()).collect())
        })
    }
}
