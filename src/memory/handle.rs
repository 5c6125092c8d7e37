//! The memory as a run uses it: the timeline together with the means to compare events with a question.

use std::path::Path;
use std::sync::Arc;

use jiff::Timestamp;

use super::calibrate::{calibrate_by_words, calibrate_embedder};
use super::recall::{TimeUnit, weight};
use super::timeline::{Asked, Remembered, Similarity, Timeline, Vector};
use super::{Calibration, MemoryError, MemoryEvent, NewEvent};
use crate::base::text::detect_language;
use crate::embed::{EmbedError, Embedder, Text, knows};

/// The settings of the memory.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MemoryOptions {
    /// The lowest weight with which an event comes to mind.
    pub k: f64,
    /// The unit of time.
    pub unit: TimeUnit,
    /// The most events that come to mind for one question.
    pub most: usize,
}

impl Default for MemoryOptions {
    fn default() -> Self {
        MemoryOptions { k: 0.9, unit: TimeUnit::Years, most: 8 }
    }
}

/// How an event was compared with the question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ComparedBy {
    /// By the vectors of both.
    Meaning,
    /// By the words that they share.
    Words,
}

/// An event, and the figures that decide whether it comes to mind.
#[derive(Clone, Debug, PartialEq)]
pub struct ScoredEvent {
    /// The event.
    pub event: MemoryEvent,
    /// How it was compared.
    pub compared_by: ComparedBy,
    /// Its similarity to the question, on the scale of that comparison.
    pub likeness: f64,
    /// Its relevance, from 0 to 1.
    pub r: f64,
    /// The time since it was last needed, in the unit of the options.
    pub t: f64,
    /// Its consolidation.
    pub g: f64,
    /// Its weight.
    pub p: f64,
    /// Whether it comes to mind: its weight is high enough, and it is not stale.
    pub passes: bool,
}

/// The timeline together with the means to compare its events with a question. Cheap to clone; clones share everything.
#[derive(Clone)]
pub struct Memory {
    timeline: Arc<Timeline>,
    embedder: Option<Arc<dyn Embedder>>,
    options: MemoryOptions,
}

impl Memory {
    /// Opens the memory in the file `path`, which is created if it is missing. Without an embedder, events are compared
    /// by their words.
    pub async fn open(
        path: &Path,
        embedder: Option<Arc<dyn Embedder>>,
        options: MemoryOptions,
    ) -> Result<Self, MemoryError> {
        let path = path.to_owned();
        let timeline = tokio::task::spawn_blocking(move || Timeline::open(&path)).await;
        Ok(Memory { timeline: Arc::new(timeline.map_err(MemoryError::Stopped)??), embedder, options })
    }

    /// Returns the same memory with events compared only by their words, without an embedder.
    pub fn by_words(&self) -> Self {
        Memory { embedder: None, ..self.clone() }
    }

    /// Returns its settings.
    pub fn options(&self) -> MemoryOptions {
        self.options
    }

    /// Runs `work` on the timeline in a thread where blocking is allowed.
    pub async fn with<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Timeline) -> Result<T, MemoryError> + Send + 'static,
    ) -> Result<T, MemoryError> {
        let timeline = Arc::clone(&self.timeline);
        tokio::task::spawn_blocking(move || work(&timeline)).await.map_err(MemoryError::Stopped)?
    }

    /// Returns up to `most` events as they would come to mind for a question at an instant, the heaviest first and, in
    /// a tie, the smaller number first. Changes nothing. `collections`: events that belong to any other are skipped.
    pub async fn judge(
        &self,
        question: &str,
        collections: Option<&[String]>,
        at: Timestamp,
        most: usize,
    ) -> Result<Vec<ScoredEvent>, MemoryError> {
        if self.with(Timeline::is_empty).await? {
            return Ok(Vec::new());
        }
        let asked = read(question.to_owned());
        let embedder = self.embedder_for(&asked);
        let (vector, by_meaning) = match embedder {
            None => (None, None),
            Some(embedder) => {
                let mut vectors = embedder.queries(vec![asked]).await?;
                let values = vectors.pop().map(|vector| vector.embedding).ok_or_else(|| missing(embedder.as_ref()))?;
                let marks = self.calibration(embedder.as_ref()).await?;
                (Some(Vector { embedder: name_of(embedder.as_ref()), values }), Some(marks))
            }
        };
        let (text, collections) = (question.to_owned(), collections.map(<[String]>::to_vec));
        let (k, unit) = (self.options.k, self.options.unit);
        self.with(move |timeline| {
            let asked = Asked {
                text: &text,
                vector: vector.as_ref().map(|vector| (vector.embedder.as_str(), vector.values.as_slice())),
                collections: collections.as_deref(),
            };
            let by_words = calibrate_by_words();
            let mut judged: Vec<_> = timeline
                .alike(&asked)?
                .into_iter()
                .map(|found| {
                    let (compared_by, likeness, marks) = match found.similarity {
                        Similarity::Meaning(cosine) => (ComparedBy::Meaning, cosine, by_meaning.unwrap_or(by_words)),
                        Similarity::Words(likeness) => (ComparedBy::Words, likeness, by_words),
                    };
                    let (r, t) = (marks.relevance(likeness), unit.between(found.last, at));
                    let p = weight(r, t, found.g);
                    (found, compared_by, likeness, r, t, p)
                })
                .collect();
            judged.sort_by(|a, b| b.5.total_cmp(&a.5).then(a.0.id.cmp(&b.0.id)));
            judged.truncate(most);
            let ids: Vec<u64> = judged.iter().map(|one| one.0.id).collect();
            let mut events = timeline.by_id(&ids)?.into_iter().peekable();
            let mut complete = Vec::with_capacity(ids.len());
            for (found, compared_by, likeness, r, t, p) in judged {
                // An event that another process forgot a moment ago is left out.
                if let Some(event) = events.next_if(|event| event.id == found.id) {
                    let passes = p >= k && event.stale.is_none();
                    complete.push(ScoredEvent { event, compared_by, likeness, r, t, g: found.g, p, passes });
                }
            }
            Ok(complete)
        })
        .await
    }

    /// Remembers events, all or none; events already known are recalled instead.
    pub async fn add(&self, events: Vec<NewEvent>) -> Result<Vec<Remembered>, MemoryError> {
        let vectors = self.vectors(events.iter().map(|event| event.text.clone()).collect()).await?;
        let (unit, events) = (self.options.unit, events.into_iter().zip(vectors).collect::<Vec<_>>());
        self.with(move |timeline| timeline.add(&events, unit)).await
    }

    /// Puts back events of an export; returns how many were not known.
    pub async fn restore(&self, events: Vec<MemoryEvent>) -> Result<usize, MemoryError> {
        let vectors = self.vectors(events.iter().map(|event| event.text.clone()).collect()).await?;
        let events: Vec<_> = events.into_iter().zip(vectors).collect();
        self.with(move |timeline| timeline.restore(&events)).await
    }

    /// Records that a run needed events again.
    pub async fn recall(&self, ids: Vec<u64>, run: &str, at: Timestamp) -> Result<usize, MemoryError> {
        let (unit, run) = (self.options.unit, run.to_owned());
        self.with(move |timeline| timeline.recall(&ids, &run, at, unit)).await
    }

    /// Returns the calibration of an embedder; it is measured if that has not been done yet.
    pub async fn calibration(&self, embedder: &dyn Embedder) -> Result<Calibration, MemoryError> {
        let name = name_of(embedder);
        let known = {
            let name = name.clone();
            self.with(move |timeline| timeline.calibration(&name)).await?
        };
        if let Some(known) = known {
            return Ok(known);
        }
        let measured = calibrate_embedder(embedder).await?;
        match self.with(move |timeline| timeline.set_calibration(&name, &measured)).await {
            // If nothing can be written, it is measured each time.
            Ok(()) | Err(MemoryError::NotWritable { .. }) => Ok(measured),
            Err(error) => Err(error),
        }
    }

    /// Returns the embedder, if it gives meaningful vectors for a text.
    fn embedder_for(&self, text: &Text) -> Option<&Arc<dyn Embedder>> {
        self.embedder.as_ref().filter(|embedder| knows(embedder.as_ref(), &text.text, text.language))
    }

    async fn vectors(&self, texts: Vec<String>) -> Result<Vec<Option<Vector>>, MemoryError> {
        let texts: Vec<Text> = texts.into_iter().map(read).collect();
        let known: Vec<bool> = texts.iter().map(|text| self.embedder_for(text).is_some()).collect();
        let Some(embedder) = self.embedder.as_ref().filter(|_| known.contains(&true)) else {
            return Ok(vec![None; texts.len()]);
        };
        let asked = texts.into_iter().zip(&known).filter(|(_, known)| **known).map(|(text, _)| text).collect();
        let mut made = embedder.passages(asked).await?.into_iter();
        let name = name_of(embedder.as_ref());
        let mut vectors = Vec::with_capacity(known.len());
        for known in known {
            vectors.push(match known {
                false => None,
                true => {
                    let values = made.next().ok_or_else(|| missing(embedder.as_ref()))?.embedding;
                    Some(Vector { embedder: name.clone(), values })
                }
            });
        }
        Ok(vectors)
    }
}

/// Returns a text with its detected language.
fn read(text: String) -> Text {
    Text { language: detect_language(&text), text }
}

/// Returns a name from everything about an embedder that decides whether its vectors are comparable.
fn name_of(embedder: &dyn Embedder) -> String {
    let identity = embedder.identity();
    format!("{}/{}/{}", identity.name, identity.dimension, identity.passage_prefix)
}

fn missing(embedder: &dyn Embedder) -> EmbedError {
    let reason = "it gave fewer vectors than it got texts".to_owned();
    EmbedError::Run { model: embedder.identity().name.clone(), reason }
}
