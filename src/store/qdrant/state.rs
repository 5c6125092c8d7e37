//! The state of each collection, as one point of a small collection of its own: its name, its counts, and which
//! versions of documents are visible. A change becomes visible only by a change of that point.

use std::collections::HashMap;

use qdrant_client::Payload;
use qdrant_client::qdrant::{Condition, Filter, Range, RetrievedPoint, Value};

use super::Server;
use super::client::number;
use super::error::damaged;
use super::layout::{
    self, COLLECTION, FORMAT, Fields, KIND, LANGUAGES, ROOT_KIND, VERSION, fields, flag, integer, integers,
    is_any_text, is_number, is_text, text, texts, unsigned,
};
use crate::domain::{Collection, EmbedderIdentity};
use crate::store::StoreError;
use crate::store::checks::encode_embedder;
use crate::store::names::unknown_collection;

/// Fields by which a change names the state that it builds on.
pub(super) const TURN: &str = "turn";
pub(super) const PHASE: &str = "phase";
pub(super) const WRITER: &str = "writer";

/// The id of the point that counts the collections, and its fields.
pub(super) const ROOT: u64 = 0;
pub(super) const NEXT: &str = "next";
const MAKING: &str = "making";

/// The progress of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// Nothing is under way.
    Idle,
    /// New versions are being written; nobody sees them yet.
    Writing,
    /// The new versions are visible; the old ones are hidden and being deleted.
    Published,
}

impl Phase {
    fn name(self) -> &'static str {
        match self {
            Phase::Idle => "idle",
            Phase::Writing => "writing",
            Phase::Published => "published",
        }
    }

    fn named(name: &str) -> Option<Self> {
        [Phase::Idle, Phase::Writing, Phase::Published].into_iter().find(|phase| phase.name() == name)
    }
}

/// A re-embedding under way: its new embedder.
pub(super) type Next = Option<EmbedderIdentity>;

/// A collection as its point describes it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct CollectionState {
    /// Part of the names of its collections of points; never reused.
    pub(super) number: u64,
    pub(super) collection: Collection,
    /// The number of terms in all bodies, titles and headings.
    pub(super) words: [u64; 3],
    /// The collection of vectors in use.
    pub(super) slot: u64,
    /// The embedder for which the next slot is being filled.
    pub(super) next: Option<Next>,
    /// The next version; versions from here on are not visible.
    pub(super) version: u64,
    /// Counts the changes, so that each can name the one that it builds on.
    pub(super) turn: u64,
    pub(super) phase: Phase,
    /// Who made the last change.
    pub(super) writer: String,
    /// The first version being written.
    pub(super) from: u64,
    /// Versions being deleted.
    pub(super) old: Vec<u64>,
    /// The tables of the number of chunks with each word: the version and the number of entries of each. Their sum is
    /// in force.
    pub(super) counts: Vec<(u64, u64)>,
    /// Ranges (end exclusive) of versions whose writing was abandoned: a writer presumed dead may still add to them.
    pub(super) given_up: Vec<(u64, u64)>,
}

impl CollectionState {
    /// The name of the collection that holds the documents' texts and records.
    pub(super) fn texts(&self, prefix: &str) -> String {
        format!("{prefix}{}", self.number)
    }

    /// The name of the collection that holds a slot's chunks, with everything that is searched and shown of them.
    pub(super) fn chunks(&self, prefix: &str, slot: u64) -> String {
        format!("{prefix}{}-{slot}", self.number)
    }

    /// The existing collections of chunks: the one in use, and the one being filled.
    pub(super) fn all_chunks(&self, prefix: &str) -> Vec<String> {
        let slots = [Some(self.slot), self.next.is_some().then_some(self.slot + 1)];
        slots.into_iter().flatten().map(|slot| self.chunks(prefix, slot)).collect()
    }

    /// Whether a version is visible.
    pub(super) fn is_visible(&self, version: u64) -> bool {
        let is_being_written = self.phase == Phase::Writing && version >= self.from;
        let is_replaced = self.phase == Phase::Published && self.old.contains(&version);
        let is_given_up = self.given_up.iter().any(|&(from, until)| (from..until).contains(&version));
        version < self.version && !(is_being_written || is_replaced || is_given_up)
    }

    /// A filter for visible points (see [`Self::is_visible`]) that also meet the conditions `must`.
    pub(super) fn visible(&self, must: Vec<Condition>) -> Filter {
        let below = if self.phase == Phase::Writing { self.from } else { self.version };
        let mut filter = Filter { must, ..Filter::default() };
        filter.must.push(Condition::range(VERSION, Range { lt: Some(below as f64), ..Range::default() }));
        if self.phase == Phase::Published && !self.old.is_empty() {
            filter.must_not.push(match_versions(&self.old));
        }
        for &(from, until) in &self.given_up {
            filter.must_not.push(between(from, until));
        }
        filter
    }

    fn payload(&self) -> Result<Fields, StoreError> {
        let (collection, next) = (&self.collection, self.next.as_ref());
        let mut payload = fields([
            (KIND, COLLECTION.into()),
            ("name", collection.name.as_str().into()),
            ("description", collection.description.as_str().into()),
            ("described_by_user", collection.described_by_user.into()),
            ("embedder", embedder_text(collection.embedder.as_ref())?.into()),
            ("slot", integer(self.slot)),
            ("reembedding", next.is_some().into()),
            ("next_embedder", embedder_text(next.and_then(Option::as_ref))?.into()),
            (WRITER, self.writer.as_str().into()),
            (PHASE, self.phase.name().into()),
            (TURN, integer(self.turn)),
        ]);
        let in_a_row = |pairs: &[(u64, u64)]| -> Vec<u64> { pairs.iter().flat_map(|&(a, b)| [a, b]).collect() };
        payload.extend(fields([
            ("documents", integer(collection.documents)),
            ("chunks", integer(collection.chunks)),
            ("text_bytes", integer(collection.text_bytes)),
            (LANGUAGES, layout::spoken_value(&collection.languages)),
            ("words", self.words.map(integer).to_vec().into()),
            (VERSION, integer(self.version)),
            ("from", integer(self.from)),
            ("old", values(&self.old)),
            ("counts", values(&in_a_row(&self.counts))),
            ("given_up", values(&in_a_row(&self.given_up))),
        ]));
        Ok(payload)
    }

    fn read(point: &RetrievedPoint) -> Option<Self> {
        let found = &point.payload;
        let words = integers(found, "words");
        let in_pairs = |name| -> Vec<(u64, u64)> {
            integers(found, name).chunks_exact(2).map(|pair| (pair[0], pair[1])).collect()
        };
        Some(CollectionState {
            number: number(point.id.as_ref())?,
            collection: Collection {
                name: text(found, "name")?.to_owned(),
                description: text(found, "description")?.to_owned(),
                described_by_user: flag(found, "described_by_user")?,
                embedder: embedder(text(found, "embedder")?)?,
                documents: unsigned(found, "documents")?,
                chunks: unsigned(found, "chunks")?,
                text_bytes: unsigned(found, "text_bytes")?,
                languages: layout::spoken(found),
            },
            words: [0, 1, 2].map(|nth| words.get(nth).copied().unwrap_or(0)),
            slot: unsigned(found, "slot")?,
            next: match flag(found, "reembedding")? {
                true => Some(embedder(text(found, "next_embedder")?)?),
                false => None,
            },
            version: unsigned(found, VERSION)?,
            turn: unsigned(found, TURN)?,
            phase: Phase::named(text(found, PHASE)?)?,
            writer: text(found, WRITER)?.to_owned(),
            from: unsigned(found, "from")?,
            old: integers(found, "old"),
            counts: in_pairs("counts"),
            given_up: in_pairs("given_up"),
        })
    }
}

fn values(numbers: &[u64]) -> Value {
    numbers.iter().copied().map(integer).collect::<Vec<_>>().into()
}

/// Matches points of these versions.
pub(super) fn match_versions(versions: &[u64]) -> Condition {
    layout::is_any_number(VERSION, versions)
}

/// Matches points of the versions from `from` up to `until`, exclusive.
pub(super) fn between(from: u64, until: u64) -> Condition {
    Condition::range(VERSION, Range { gte: Some(from as f64), lt: Some(until as f64), ..Range::default() })
}

fn embedder_text(embedder: Option<&EmbedderIdentity>) -> Result<String, StoreError> {
    encode_embedder(embedder).map(Option::unwrap_or_default)
}

fn embedder(text: &str) -> Option<Option<EmbedderIdentity>> {
    if text.is_empty() { Some(None) } else { serde_json::from_str(text).ok().map(Some) }
}

/// The point that counts the collections; [`super::root`] describes how it is changed.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Root {
    /// The number of the next collection.
    pub(super) next: u64,
    /// The number of changes of this point.
    pub(super) turn: u64,
    /// Numbers and names of collections whose creation has begun.
    pub(super) making: Vec<(u64, String)>,
}

impl Root {
    pub(super) fn read(found: &Fields) -> Option<Self> {
        let making = texts(found, MAKING).into_iter().filter_map(|one| {
            let (number, name) = one.split_once(' ')?;
            Some((number.parse().ok()?, name.to_owned()))
        });
        Some(Root { next: unsigned(found, NEXT)?, turn: unsigned(found, TURN)?, making: making.collect() })
    }

    pub(super) fn payload(&self, writer: &str) -> Fields {
        let making: Vec<String> = self.making.iter().map(|(number, name)| format!("{number} {name}")).collect();
        fields([
            (KIND, ROOT_KIND.into()),
            ("format", integer(u64::from(FORMAT))),
            (NEXT, integer(self.next)),
            (TURN, integer(self.turn)),
            (WRITER, writer.into()),
            (MAKING, making.into()),
        ])
    }
}

/// The states of all collections, by name, and the point that counts them.
#[derive(Clone)]
pub(super) struct CollectionStates {
    pub(super) all: Vec<CollectionState>,
    /// `None` if nothing was ever written.
    pub(super) root: Option<Root>,
}

impl CollectionStates {
    pub(super) fn find(mut self, name: &str) -> Result<CollectionState, StoreError> {
        match self.all.iter().position(|state| state.collection.name == name) {
            Some(at) => Ok(self.all.swap_remove(at)),
            None => Err(unknown_collection(name, self.all.into_iter().map(|state| state.collection.name))),
        }
    }

    /// The collections with these names; all of them if no names are given.
    pub(super) fn named(self, names: &[String]) -> Result<Vec<CollectionState>, StoreError> {
        if names.is_empty() {
            return Ok(self.all);
        }
        if let Some(missing) = names.iter().find(|name| !self.all.iter().any(|state| state.collection.name == **name)) {
            return Err(unknown_collection(missing, self.all.into_iter().map(|state| state.collection.name)));
        }
        Ok(self.all.into_iter().filter(|state| names.contains(&state.collection.name)).collect())
    }

    pub(super) fn by_number(&self) -> HashMap<u64, &CollectionState> {
        self.all.iter().map(|state| (state.number, state)).collect()
    }
}

impl Server {
    /// The states of all collections, read in one call. A view keeps the states that it read first.
    pub(super) async fn states(&self) -> Result<CollectionStates, StoreError> {
        let Some(view) = &self.view else { return self.read_states().await };
        let mut kept = view.states.lock().await;
        match &*kept {
            Some(states) => Ok(states.clone()),
            None => Ok(kept.insert(self.read_states().await?).clone()),
        }
    }

    async fn read_states(&self) -> Result<CollectionStates, StoreError> {
        let kinds = Filter::must([is_any_text(KIND, &[ROOT_KIND.to_owned(), COLLECTION.to_owned()])]);
        let points = self.client.scroll(&self.meta(), kinds, &[]).await?;
        let mut states = CollectionStates { all: Vec::new(), root: None };
        let mut points = points.unwrap_or_default();
        // The root first: it says how the others are to be read.
        points.sort_by_key(|point| number(point.id.as_ref()) != Some(ROOT));
        for point in points {
            if number(point.id.as_ref()) == Some(ROOT) {
                let format = unsigned(&point.payload, "format").and_then(|format| u32::try_from(format).ok());
                self.check_format(format.unwrap_or(FORMAT))?;
                states.root = Root::read(&point.payload);
            } else {
                let state = CollectionState::read(&point);
                states.all.push(state.ok_or_else(|| damaged(self.client.url(), "what is said of a collection"))?);
            }
        }
        states.all.sort_by(|a, b| a.collection.name.cmp(&b.collection.name).then_with(|| a.number.cmp(&b.number)));
        // Two machines created it at once, and the second has not noticed yet.
        states.all.dedup_by(|later, first| later.collection.name == first.collection.name);
        Ok(states)
    }

    fn check_format(&self, found: u32) -> Result<(), StoreError> {
        match found.cmp(&FORMAT) {
            std::cmp::Ordering::Equal => Ok(()),
            std::cmp::Ordering::Greater => Err(StoreError::NewerFormat { path: self.place(), found, known: FORMAT }),
            std::cmp::Ordering::Less => Err(StoreError::OlderFormat {
                place: self.place(),
                found,
                reason: "no search could use it; name another `store.prefix` and load again, and drop the old \
                         collections with the server's own interface",
            }),
        }
    }

    /// Writes a collection's first state.
    pub(super) async fn write_first(&self, state: &CollectionState) -> Result<(), StoreError> {
        self.client.upsert(&self.meta(), vec![layout::bare(state.number, state.payload()?)]).await
    }

    /// Replaces the state `before` by a new one, unless somebody else has changed it. Returns whether the new state is
    /// in force.
    pub(super) async fn compare_and_swap(
        &self,
        before: &CollectionState,
        after: &mut CollectionState,
    ) -> Result<bool, StoreError> {
        after.turn = before.turn + 1;
        after.writer.clone_from(&self.writer);
        let mut unchanged = Filter::must([
            Condition::has_id([before.number]),
            is_number(TURN, before.turn),
            is_text(PHASE, before.phase.name()),
        ]);
        // A call that is sent twice changes nothing the second time: the first has already changed these fields.
        unchanged.must.push(is_text(WRITER, &before.writer));
        self.client.set(&self.meta(), unchanged, Payload::from(after.payload()?)).await?;
        let found = self.client.get(&self.meta(), &[before.number], &[TURN, WRITER, PHASE], &[]).await?;
        Ok(found.first().is_some_and(|point| {
            let found = &point.payload;
            unsigned(found, TURN) == Some(after.turn)
                && text(found, WRITER) == Some(after.writer.as_str())
                && text(found, PHASE) == Some(after.phase.name())
        }))
    }
}
