//! What the memory keeps: events, and the bytes that findings rest on.

use std::fmt;

use jiff::Timestamp;
use serde::{Deserialize, Deserializer, Serialize};

use crate::base::ContentHash;
use crate::domain::DocumentDate;

/// What an event tells of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EventKind {
    /// A question that was researched.
    Question,
    /// A statement of a report, with what it rests on.
    Finding,
    /// Something that the user wrote down.
    Note,
    /// Documents that a load brought.
    DocumentArrived,
    /// Documents that a load found changed.
    DocumentChanged,
}

impl EventKind {
    /// All, in the order of their numbers in the store.
    pub const ALL: [EventKind; 5] = [
        EventKind::Question,
        EventKind::Finding,
        EventKind::Note,
        EventKind::DocumentArrived,
        EventKind::DocumentChanged,
    ];

    /// The name in lists, in exports and on the command line.
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
    /// Byte range in the document's extracted text.
    pub bytes: [usize; 2],
    /// Hash of those bytes: what a later check compares with.
    #[serde(serialize_with = "ContentHash::as_text", deserialize_with = "hash_of_text")]
    pub hash: ContentHash,
    /// 1-based page, where there are pages.
    pub page: Option<u32>,
    /// The document's date when the finding was made.
    pub date: Option<DocumentDate>,
}

/// An event that is to be remembered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewEvent {
    /// What it tells of.
    pub kind: EventKind,
    /// What happened, or what was learnt, in words.
    pub text: String,
    /// When.
    pub made: Timestamp,
    /// Names of the collections that it belongs to: it comes to mind where all of them are asked. None: anywhere.
    pub collections: Vec<String>,
    /// What a finding rests on.
    pub citations: Vec<Basis>,
    /// The run that it came from; empty where it came from none.
    pub run: String,
}

impl NewEvent {
    /// What makes it the event that it is: the same words, of the same kind, in the same collections, resting on the
    /// same bytes, are the same event, whenever and by whichever run they are said.
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
        // Loads and notes of the same words at another time are other events; a question and a finding are not.
        if !matches!(self.kind, EventKind::Question | EventKind::Finding) {
            // By the digits that are kept: what is read again, and exported, is the same event.
            part(&Timestamp::from_microsecond(self.made.as_microsecond()).unwrap_or(self.made).to_string());
        }
        ContentHash::of(&bytes)
    }
}

/// The names of collections in one text, sorted, each once.
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
    /// When.
    pub at: Timestamp,
    /// Its consolidation from then on.
    pub g: f64,
    /// The run that needed it.
    pub run: String,
}

/// An event as it is remembered.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MemoryEvent {
    /// Its number; never used again.
    pub id: u64,
    /// What it tells of.
    pub kind: EventKind,
    /// What happened, or what was learnt, in words.
    pub text: String,
    /// When.
    pub made: Timestamp,
    /// Names of the collections that it belongs to; none: all.
    pub collections: Vec<String>,
    /// What a finding rests on.
    pub citations: Vec<Basis>,
    /// The run that it came from; empty where it came from none.
    pub run: String,
    /// Since when a source of it is known not to say so any more.
    pub stale: Option<Timestamp>,
    /// When it was needed again, in order.
    pub recalls: Vec<Recall>,
}

impl MemoryEvent {
    /// It as it was when it was new, with what it rests on now.
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

    /// When it was last needed, or made.
    pub fn last(&self) -> Timestamp {
        self.recalls.last().map_or(self.made, |recall| recall.at)
    }

    /// Its consolidation.
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
