//! Catalog queries that searches use before any chunk is read in full.

use std::sync::Arc;

use super::codec::decode_languages;
use super::read::{CatalogReader, bad_row, day, last_change, unsigned};
use crate::base::text::Language;
use crate::domain::{ChunkId, DocumentFilter, DocumentId};
use crate::store::embedded::admitted::Admitted;
use crate::store::embedded::names::{DocumentName, Names};
use crate::store::{ChunkName, StoreError};

impl CatalogReader {
    /// Returns the documents of some collections (`None`: of all) that a filter admits.
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

    /// Returns the names of chunks, in the order requested; `None` for chunks that are no longer there. Names that are
    /// not in the cache `kept` are read and added to it.
    pub(in crate::store::embedded) fn names(
        &self,
        ids: &[ChunkId],
        kept: &Names,
    ) -> Result<Vec<Option<ChunkName>>, StoreError> {
        self.read("reading titles and languages", |connection| {
            let seq = last_change(connection)?;
            let mut documents: Vec<u64> = ids.iter().map(|id| id.document.0).collect();
            documents.sort_unstable();
            documents.dedup();
            let mut names = kept.at(seq, &documents);
            let sql = "SELECT d.title, k.data FROM documents d JOIN chunks k ON k.document = d.id WHERE d.id = ?1";
            let mut statement = connection.prepare_cached(sql)?;
            let mut read = Vec::new();
            for id in documents.into_iter().filter(|id| !names.contains_key(id)) {
                let mut rows = statement.query([id as i64])?;
                let Some(row) = rows.next()? else { continue };
                let data = row.get_ref(1)?.as_blob().map_err(rusqlite::Error::from)?;
                let languages = decode_languages(data).map_err(|error| bad_row(DocumentId(id), &error))?;
                let title = row.get_ref(0)?.as_str().map_err(rusqlite::Error::from)?;
                read.push((id, Arc::new(DocumentName::new(title, languages))));
            }
            kept.keep(seq, &read);
            names.extend(read);
            Ok(ids.iter().map(|id| names.get(&id.document.0)?.of_chunk(id.ordinal)).collect())
        })
    }
}
