//! Gives documents other paths. Their points stay, with changed fields.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use qdrant_client::Payload;
use qdrant_client::qdrant::{Condition, Filter};

use super::Server;
use super::counts::Change;
use super::layout::{self, PATH, PATH_SUFFIXES, VERSION, is_number};
use super::put::{SIZE_FIELDS, Sizes, leave_out};
use crate::store::{RenamedDocument, StoreError};

impl Server {
    pub(super) async fn rename_documents(&self, name: &str, documents: &[RenamedDocument]) -> Result<(), StoreError> {
        let _one_at_a_time = self.writing.lock().await;
        let change = self.begin(name, 1).await?;
        let state = &change.state;
        let texts = state.texts(&self.options.prefix);
        let known = |document: &&RenamedDocument| {
            let (number, version) = layout::parts(document.id);
            number == state.number && state.is_visible(version)
        };
        let wanted: BTreeSet<u64> =
            documents.iter().filter(known).map(|one| layout::record_point(layout::parts(one.id).1)).collect();
        let wanted: Vec<u64> = wanted.into_iter().collect();
        let mut records = self.client.get(&texts, &wanted, SIZE_FIELDS, &[]).await?;
        let paths: Vec<String> = documents.iter().map(|document| document.path.clone()).collect();
        records.extend(self.records_at(state, &paths).await?);

        // The path of each document after the moves so far.
        let mut places: BTreeMap<u64, String> = BTreeMap::new();
        let mut versions: HashMap<String, u64> = HashMap::new();
        let mut by_version = HashMap::new();
        for record in records {
            let found = layout::unsigned(&record.payload, VERSION).zip(layout::text(&record.payload, PATH));
            if let Some((version, path)) = found {
                places.insert(version, path.to_owned());
                versions.insert(path.to_owned(), version);
                by_version.insert(version, record);
            }
        }
        let mut replaced = Vec::new();
        let mut moves: BTreeMap<u64, &RenamedDocument> = BTreeMap::new();
        for document in documents.iter().filter(known) {
            let version = layout::parts(document.id).1;
            let Some(left) = places.insert(version, document.path.clone()) else {
                places.remove(&version);
                continue;
            };
            versions.remove(&left);
            if let Some(other) = versions.insert(document.path.clone(), version).filter(|other| *other != version) {
                places.remove(&other);
                moves.remove(&other);
                replaced.extend(by_version.remove(&other));
            }
            moves.insert(version, document);
        }
        let chunks = state.all_chunks(&self.options.prefix);
        let counts = self.subtract_removed(state, &replaced, Change::default()).await?;
        let counts = self.write_counts(state, change.from, counts).await?;
        // Replaced documents are removed first, so that nobody sees two documents at one path.
        let published = self.publish(change, |state| leave_out(state, &replaced, Sizes::default(), counts)).await?;
        for (version, document) in moves {
            let place = layout::fields_of_place(&document.path, document.date);
            for chunks in &chunks {
                let all = Filter::must([is_number(VERSION, version)]);
                self.client.set(chunks, all, Payload::from(place.clone())).await?;
            }
            let mut record = place;
            record.extend(layout::fields([
                (PATH_SUFFIXES, layout::tails(&document.path).into()),
                (layout::MODIFIED, document.modified_ns.into()),
            ]));
            let point = Filter::must([Condition::has_id([layout::record_point(version)])]);
            self.client.set(&texts, point, Payload::from(record)).await?;
        }
        self.clean_up(published).await;
        Ok(())
    }
}
