//! Searches the derived files, and corrects the results by what the catalog has changed since.

use std::collections::HashSet;
use std::sync::Arc;

use super::Inner;
use super::admitted::{Admitted, Asked};
use super::catalog::{CatalogReader, Change, CollectionRow, path_in};
use super::lexical::{self, Filter};
use super::vectors::Nearest;
use crate::base::text::Spoken;
use crate::domain::{DocumentFilter, DocumentId};
use crate::store::checks::dimension_mismatch;
use crate::store::names::unknown_collection;
use crate::store::vocabulary::{Candidates, SAMPLE, sample};
use crate::store::{KeywordQuery, Scored, StoreError, TermRelation, VectorQuery};

/// What was removed since a derived file was written.
struct Removals {
    /// Ascending.
    documents: Vec<u64>,
    collections: Vec<u64>,
    /// Collections that now have vectors of another embedder.
    reembedded: Vec<u64>,
    /// Whether the log does not reach back far enough, so that every result must be looked up.
    unknown: bool,
}

impl Inner {
    /// Returns all collections, with their languages as counted by the index.
    pub(super) fn with_languages(&self) -> Result<Vec<CollectionRow>, StoreError> {
        self.recover_once()?;
        let mut rows = self.collections()?;
        if let Some(index) = self.lexical.snapshot()? {
            let spoken = index.spoken()?;
            for row in &mut rows {
                row.collection.languages = spoken.get(&row.id).cloned().unwrap_or_default();
            }
        }
        Ok(rows)
    }

    /// Returns the ids of the named collections as a filter; `None` if all are admitted.
    fn only(&self, names: &[String]) -> Result<Option<Vec<u64>>, StoreError> {
        if names.is_empty() { Ok(None) } else { Ok(self.filter(names)?.1) }
    }

    /// Returns the named collections, and their ids as a filter; the filter is `None` if all are admitted.
    fn filter(&self, names: &[String]) -> Result<(Vec<CollectionRow>, Option<Vec<u64>>), StoreError> {
        let rows = self.collections()?;
        if names.is_empty() {
            return Ok((rows, None));
        }
        if let Some(missing) = names.iter().find(|name| !rows.iter().any(|row| row.collection.name == **name)) {
            return Err(unknown_collection(missing, rows.into_iter().map(|row| row.collection.name)));
        }
        let all = rows.len();
        let rows: Vec<CollectionRow> = rows.into_iter().filter(|row| names.contains(&row.collection.name)).collect();
        let ids = (rows.len() < all).then(|| rows.iter().map(|row| row.id).collect());
        Ok((rows, ids))
    }

    /// Returns the documents of some collections (`None`: of all) that a filter admits; `None` if all documents are
    /// admitted.
    ///
    /// The set comes from the current catalog, so documents that only a derived file still has are excluded too.
    fn admitted(
        &self,
        collections: Option<Vec<u64>>,
        filter: &DocumentFilter,
    ) -> Result<Option<Arc<Admitted>>, StoreError> {
        if collections.is_none() && filter.admits_all() {
            return Ok(None);
        }
        let seq = self.read(CatalogReader::sequence)?.unwrap_or_default();
        let asked = Asked { seq, collections, filter: filter.clone() };
        let make = |asked: &Asked| {
            let found = self.read(|catalog| catalog.admitted(asked.collections.as_deref(), &asked.filter))?;
            Ok(found.unwrap_or_default())
        };
        self.admitted.get(asked, make).map(Some)
    }

    pub(super) fn count_documents(&self, names: &[String], filter: &DocumentFilter) -> Result<u64, StoreError> {
        let (rows, collections) = self.filter(names)?;
        let all = || rows.iter().map(|row| row.collection.documents).sum();
        Ok(self.admitted(collections, filter)?.map_or_else(all, |admitted| admitted.documents()))
    }

    fn gone_since(&self, seq: Option<u64>) -> Result<Removals, StoreError> {
        let changes_after = |catalog: &CatalogReader, seq| match catalog.sequence()? == seq {
            // Usually nothing has changed.
            true => Ok(Some(Vec::new())),
            false => catalog.changes_after(seq),
        };
        let changes = match seq {
            Some(seq) => self.read(|catalog| changes_after(catalog, seq))?.flatten(),
            None => None,
        };
        let mut gone = Removals {
            documents: Vec::new(),
            collections: Vec::new(),
            reembedded: Vec::new(),
            unknown: changes.is_none(),
        };
        for change in changes.unwrap_or_default() {
            match change {
                Change::Added(_) | Change::Renamed(_) => {}
                Change::Removed(document) => gone.documents.push(document),
                Change::Dropped(collection) => gone.collections.push(collection),
                Change::Reembedded(collection) => gone.reembedded.push(collection),
            }
        }
        gone.documents.sort_unstable();
        Ok(gone)
    }

    /// Removes chunks of documents that are not in the catalog.
    fn only_living(&self, scored: Vec<Scored>) -> Result<Vec<Scored>, StoreError> {
        let ids: HashSet<u64> = scored.iter().map(|scored| scored.id.document.0).collect();
        let living = self.read(|catalog| catalog.living(&ids))?.unwrap_or_default();
        Ok(scored.into_iter().filter(|scored| living.contains(&scored.id.document.0)).collect())
    }

    /// Reads all files in full and returns what is wrong with them; the catalog is checked first.
    pub(super) fn verify(&self) -> Result<Vec<String>, StoreError> {
        let found = self.read(CatalogReader::verify)?.unwrap_or_default();
        let catalog = path_in(&self.folder);
        let mut wrong: Vec<String> = found.file.iter().map(|said| format!("{}: {said}", catalog.display())).collect();
        if !found.documents.is_empty() {
            let ids: Vec<DocumentId> = found.documents.keys().copied().collect();
            let then = match self.write(|session| session.mark_outdated(&ids)) {
                Ok(()) => "the next load of its source stores it anew",
                Err(error) => {
                    tracing::warn!(%error, "what is damaged could not be noted for the next load");
                    "check again when nobody else writes, then load its source again"
                }
            };
            let say = |name: &String| format!("{}: {name} is not what was stored; {then}", catalog.display());
            wrong.extend(found.documents.values().map(say));
        }
        // The log is shortened only after a flush has written both, so if it does not start at the beginning, both must
        // exist.
        let made = self.read(|catalog| catalog.changes_after(0))?.is_some_and(|changes| changes.is_none());
        let missing = |what: &str| vec![format!("{what} missing from {}", self.folder.display())];
        match lexical::verify(&self.folder)? {
            None if made => wrong.extend(missing("the keyword index is")),
            found => wrong.extend(found.unwrap_or_default()),
        }
        match self.vectors.verify()? {
            None if made => wrong.extend(missing("the vectors are")),
            found => wrong.extend(found.unwrap_or_default()),
        }
        Ok(wrong)
    }

    pub(super) fn keyword(&self, query: &KeywordQuery) -> Result<Vec<Scored>, StoreError> {
        let collections = self.only(&query.collections)?;
        self.recover_once()?;
        let Some(index) = self.lexical.snapshot()? else {
            return Ok(Vec::new());
        };
        let spoken = index.spoken()?;
        let is_asked = |id: &u64| collections.as_ref().is_none_or(|asked| asked.contains(id));
        let spoken = Spoken::of(spoken.iter().filter(|(id, _)| is_asked(id)).flat_map(|(_, spoken)| spoken.counts()));
        let asked = (query.text.as_str(), query.language);
        let admitted = self.admitted(collections, &query.filter)?;
        if let Some(admitted) = &admitted {
            return index.search(asked, &spoken, query.k, &Filter::Only(admitted));
        }
        let gone = self.gone_since(index.seq)?;
        let filter = Filter::Without { documents: &gone.documents, collections: &gone.collections };
        let found = index.search(asked, &spoken, query.k, &filter)?;
        if gone.unknown { self.only_living(found) } else { Ok(found) }
    }

    pub(super) fn semantic(&self, query: &VectorQuery) -> Result<Vec<Scored>, StoreError> {
        let asked = query.vector.len();
        let mut rows = self.filter(&query.collections)?.0;
        let other = |row: &&CollectionRow| row.collection.embedder.as_ref().is_some_and(|has| has.dimension != asked);
        if !query.collections.is_empty()
            && let Some(row) = rows.iter().find(other)
        {
            return Err(dimension_mismatch(&row.collection, asked));
        }
        rows.retain(|row| row.collection.embedder.as_ref().is_some_and(|embedder| embedder.dimension == asked));
        self.recover_once()?;
        let Some(mut vectors) = self.vectors.snapshot()? else {
            return Ok(Vec::new());
        };
        let mut gone = self.gone_since(Some(vectors.seq))?;
        if gone.unknown
            && let Some(newer) = self.vectors.snapshot()?
        {
            // A writer finished between the two reads; since then the vectors may be of another embedder.
            gone = self.gone_since(Some(newer.seq))?;
            vectors = newer;
        }
        // Dropped collections are not among the rows; collections whose old vectors are still in the files are left
        // out.
        rows.retain(|row| !gone.reembedded.contains(&row.id));
        let ids: Vec<u64> = rows.iter().map(|row| row.id).collect();
        let admitted = if query.filter.admits_all() { None } else { self.admitted(None, &query.filter)? };
        let nearest = Nearest { vector: &query.vector, k: query.k, exact: query.exact, admitted: admitted.as_deref() };
        let found = vectors.search(&ids, &nearest, &gone.documents);
        if gone.unknown { self.only_living(found) } else { Ok(found) }
    }

    pub(super) fn document_frequencies(
        &self,
        names: &[String],
        terms: &[String],
    ) -> Result<(Vec<u64>, u64), StoreError> {
        let (rows, collections) = self.filter(names)?;
        let admitted = self.admitted(collections, &DocumentFilter::default())?;
        let chunks = rows.iter().map(|row| row.collection.chunks).sum();
        self.recover_once()?;
        let Some(index) = self.lexical.snapshot()? else {
            return Ok((vec![0; terms.len()], chunks));
        };
        let frequencies = index.document_frequencies(terms, admitted.as_deref())?;
        Ok((frequencies.into_iter().map(|frequency| frequency.min(chunks)).collect(), chunks))
    }

    pub(super) fn like_terms(&self, term: &str, like: TermRelation, limit: usize) -> Result<Vec<String>, StoreError> {
        self.recover_once()?;
        let index = self.lexical.snapshot()?;
        index.map_or_else(|| Ok(Vec::new()), |index| index.like_terms(term, like, limit))
    }

    pub(super) fn vocabulary(&self, name: &str, limit: usize) -> Result<Vec<String>, StoreError> {
        let row = self.find(name)?;
        let sizes = self.read(|catalog| catalog.sizes(row.id))?.unwrap_or_default();
        let ids = sample(&sizes, SAMPLE);
        if ids.is_empty() || limit == 0 {
            return Ok(Vec::new());
        }
        let chunks = self.read(|catalog| catalog.chunks(&ids))?.unwrap_or_default();
        let candidates = Candidates::of(&chunks, limit);
        let (frequencies, all) = self.document_frequencies(&[], &candidates.terms())?;
        Ok(candidates.words(&frequencies, all, row.collection.chunks, limit))
    }
}
