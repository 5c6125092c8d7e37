//! The contents of the memory: events, and the bytes that findings rest on.

use std::fmt;

use jiff::Timestamp;
use serde::{Deserialize, Deserializer, Serialize};

use crate::base::ContentHash;
use crate::domain::DocumentDate;

/// The kind of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EventKind {
    /// A question that was researched.
    Question,
    /// A statement of a report, with the evidence that it rests on.
    Finding,
    /// Something that the user wrote down.
    Note,
    /// Documents that a load added.
    DocumentArrived,
    /// Documents that a load found changed.
    DocumentChanged,
}

impl EventKind {
    /// All kinds, in the order of their numbers in the store.
    pub const ALL: [EventKind; 5] = [
        EventKind::Question,
        EventKind::Finding,
        EventKind::Note,
        EventKind::DocumentArrived,
        EventKind::DocumentChanged,
    ];

    /// Returns the name used in lists, in exports and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            EventKind::Question => "question",
            EventKind::Finding => "finding",
            EventKind::Note => "note",
            EventKind::DocumentArrived => "document-arrived",
            EventKind::DocumentChanged => "document-changed",
        }
    }
}

impl fmt::Display for EventKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The bytes of a document that a finding rests on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Basis {
    /// The collection's name.
    pub collection: String,
    /// The document's path or URL.
    pub path: String,
    /// Its title.
    pub title: String,
    /// The byte range in the document's extracted text.
    pub bytes: [usize; 2],
    /// The hash of those bytes, which a later check compares.
    #[serde(serialize_with = "ContentHash::as_text", deserialize_with = "hash_of_text")]
    pub hash: ContentHash,
    /// The page, counted from 1, if the document has pages.
    pub page: Option<u32>,
    /// The document's date when the finding was made.
    pub date: Option<DocumentDate>,
}

/// An event to be remembered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewEvent {
    /// Its kind.
    pub kind: EventKind,
    /// What happened, or what was learnt, in words.
    pub text: String,
    /// When it happened.
    pub made: Timestamp,
    /// The names of the collections that it belongs to: it comes to mind if all of them are searched. Empty: always.
    pub collections: Vec<String>,
    /// The evidence that a finding rests on.
    pub citations: Vec<Basis>,
    /// The run that it came from; empty if none.
    pub run: String,
}

impl NewEvent {
    /// Returns the identity of the event: the same words, of the same kind, in the same collections and resting on the
    /// same bytes, are the same event, whenever and by whichever run they are recorded.
    pub fn identity(&self) -> ContentHash {
        let mut bytes = Vec::new();
        let mut part = |text: &str| {
            bytes.extend_from_slice(&(text.len() as u64).to_le_bytes());
            bytes.extend_from_slice(text.as_bytes());
        };
        part(self.kind.name());
        part(&self.text);
        part(&joined(&self.collections));
        for citation in &self.citations {
            part(&citation.collection);
            part(&citation.path);
            part(&format!("{:?} {}", citation.bytes, citation.hash));
        }
        // Loads and notes with the same words at another time are other events; questions and findings are not.
        if !matches!(self.kind, EventKind::Question | EventKind::Finding) {
            // Rounded to the microseconds that are stored, so that an event is still the same after it is read back or
            // exported.
            part(&Timestamp::from_microsecond(self.made.as_microsecond()).unwrap_or(self.made).to_string());
        }
        ContentHash::of(&bytes)
    }
}

/// Joins the names of collections in one text, sorted and deduplicated.
pub(super) fn joined(collections: &[String]) -> String {
    let mut names: Vec<&str> = collections.iter().map(String::as_str).collect();
    names.sort_unstable();
    names.dedup();
    names.join("\n")
}

/// One time that an event was needed again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recall {
    /// When it was needed.
    pub at: Timestamp,
    /// The event's consolidation from then on.
    pub g: f64,
    /// The run that needed it.
    pub run: String,
}

/// An event as it is remembered.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MemoryEvent {
    /// Its number, which is never used again.
    pub id: u64,
    /// Its kind.
    pub kind: EventKind,
    /// What happened, or what was learnt, in words.
    pub text: String,
    /// When it happened.
    pub made: Timestamp,
    /// The names of the collections that it belongs to; empty: all.
    pub collections: Vec<String>,
    /// The evidence that a finding rests on.
    pub citations: Vec<Basis>,
    /// The run that it came from; empty if none.
    pub run: String,
    /// Since when one of its sources is known no longer to support it.
    pub stale: Option<Timestamp>,
    /// The times when it was needed again, in order.
    pub recalls: Vec<Recall>,
}

impl MemoryEvent {
    /// Returns the event as it was when it was new, but with its present citations.
    pub fn as_new(&self) -> NewEvent {
        NewEvent {
            kind: self.kind,
            text: self.text.clone(),
            made: self.made,
            collections: self.collections.clone(),
            citations: self.citations.clone(),
            run: self.run.clone(),
        }
    }

    /// Returns when it was last needed, or else made.
    pub fn last(&self) -> Timestamp {
        self.recalls.last().map_or(self.made, |recall| recall.at)
    }

    /// Returns its consolidation.
    pub fn g(&self) -> f64 {
        self.recalls.last().map_or(super::recall::FIRST_G, |recall| recall.g)
    }
}

fn hash_of_text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<ContentHash, D::Error> {
    let text = String::deserialize(deserializer)?;
    let digits = text
        .as_bytes()
        .chunks(2)
        .map(|pair| std::str::from_utf8(pair).ok().and_then(|pair| u8::from_str_radix(pair, 16).ok()));
    digits
        .collect::<Option<Vec<u8>>>()
        .and_then(|bytes| ContentHash::from_bytes(&bytes))
        .ok_or_else(|| serde::de::Error::custom(format!("`{text}` is no hash of 32 hexadecimal digits")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(kind: EventKind, text: &str, collections: &[&str]) -> NewEvent {
        NewEvent {
            kind,
            text: text.to_owned(),
            made: Timestamp::UNIX_EPOCH,
            collections: collections.iter().map(|&name| name.to_owned()).collect(),
            citations: Vec::new(),
            run: "r".to_owned(),
        }
    }

    #[test]
    fn the_same_words_on_the_same_bytes_are_the_same_event() {
        let check =
            |a: &NewEvent, b: &NewEvent, same: bool| assert_eq!(a.identity() == b.identity(), same, "{a:?} {b:?}");
        let finding = event(EventKind::Finding, "It began.", &["b", "a"]);
        let later = NewEvent { made: Timestamp::MAX, run: "s".to_owned(), ..finding.clone() };
        check(&finding, &later, true);
        check(&finding, &event(EventKind::Finding, "It began.", &["a", "b"]), true);
        check(&finding, &event(EventKind::Question, "It began.", &["a", "b"]), false);
        check(&finding, &event(EventKind::Finding, "It began.", &["a"]), false);
        let basis = Basis {
            collection: "a".to_owned(),
            path: "/x".to_owned(),
            title: String::new(),
            bytes: [0, 9],
            hash: ContentHash::of(b"It began."),
            page: None,
            date: None,
        };
        let based = NewEvent { citations: vec![basis.clone()], ..finding.clone() };
        check(&finding, &based, false);
        let changed = Basis { hash: ContentHash::of(b"It ended."), ..basis };
        check(&based, &NewEvent { citations: vec![changed], ..finding }, false);
    }

    #[test]
    fn a_note_at_another_time_is_another_note() {
        let note = event(EventKind::Note, "Call ACME.", &[]);
        assert_ne!(note.identity(), NewEvent { made: Timestamp::MAX, ..note.clone() }.identity());
    }

    #[test]
    fn a_hash_survives_its_text() {
        let text = format!("\"{}\"", ContentHash::of(b"x"));
        let read = hash_of_text(&mut serde_json::Deserializer::from_str(&text)).unwrap();
        assert_eq!(read, ContentHash::of(b"x"));
        for wrong in ["\"\"", "\"zz\"", "\"abc\"", "\"日本\"", "\"00112233445566778899aabbccddeeff00\""] {
            assert!(hash_of_text(&mut serde_json::Deserializer::from_str(wrong)).is_err(), "{wrong}");
        }
    }
}
