//! The layout and format of all data on the server. Raise [`FORMAT`] when you change any of it.

use std::collections::HashMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use jiff::civil::Date;
use qdrant_client::qdrant::condition::ConditionOneOf;
use qdrant_client::qdrant::r#match::MatchValue;
use qdrant_client::qdrant::value::Kind;
use qdrant_client::qdrant::vectors::VectorsOptions;
use qdrant_client::qdrant::{
    Condition, FieldCondition, Match, NamedVectors, PointStruct, RepeatedIntegers, RepeatedStrings, RetrievedPoint,
    Value, Vectors,
};

use super::client::number;
use crate::base::ContentHash;
use crate::base::text::Spoken;
use crate::domain::{
    Authorship, Chunk, ChunkId, DateOrigin, Document, DocumentDate, DocumentId, DocumentRecord, Headings, Language,
    StoredChunk,
};

/// The version of everything described here.
pub(super) const FORMAT: u32 = 2;

/// The bits of a document's id that count the versions in one collection; the other bits are the collection's number.
/// Together they leave room for the ordinal in [`ChunkId::pack`].
const VERSION_BITS: u32 = 29;

/// The most collections that one prefix can ever have, and the most versions that one collection can ever have.
pub(super) const COLLECTIONS: u64 = 1 << (64 - ChunkId::ORDINAL_BITS - VERSION_BITS);
pub(super) const VERSIONS: u64 = 1 << VERSION_BITS;

/// The most chunks that a document may have; the ordinals after them are those of its text and its record.
pub(super) const CHUNKS: usize = 1 << (ChunkId::ORDINAL_BITS - 1);
const FIRST_PIECE: u64 = CHUNKS as u64;
const RECORD: u64 = (1 << ChunkId::ORDINAL_BITS) - 1;

/// The bytes of text in one piece, up to the next character border.
pub(super) const PIECE: usize = 32 << 10;

/// The vectors of a chunk: its words as a sparse vector, and its embedding.
pub(super) const WORDS: &str = "words";
pub(super) const MEANING: &str = "meaning";

/// The fields of payloads.
pub(super) const VERSION: &str = "version";
pub(super) const KIND: &str = "kind";
pub(super) const PATH: &str = "path";

/// The headings of parts of a chunk, as JSON, if it has any.
const PARTS: &str = "heading_parts";

/// The places where further pages begin in a chunk, as JSON, if there are any.
const TURNS: &str = "page_turns";
pub(super) const PATH_SUFFIXES: &str = "tails";
pub(super) const LANGUAGE: &str = "language";
pub(super) const LANGUAGES: &str = "languages";
pub(super) const DAY: &str = "day";
pub(super) const STATES: &str = "states";
pub(super) const MODIFIED: &str = "modified_ns";
const CUT: &str = "cut";

/// Who wrote the document of a chunk, as a list of sources names them, if it names anybody.
const BY: &str = "by";

/// Who wrote a document, as JSON, if known.
const AUTHORSHIP: &str = "authorship";

/// The kinds of points that are listed.
pub(super) const DOCUMENT: &str = "document";
pub(super) const MARK: &str = "mark";
pub(super) const ROOT_KIND: &str = "root";
pub(super) const COLLECTION: &str = "collection";
pub(super) const COUNTS: &str = "counts";

pub(super) type Fields = HashMap<String, Value>;

/// Returns the id of a document's version in a collection.
pub(super) fn document_id(collection: u64, version: u64) -> DocumentId {
    DocumentId((collection << VERSION_BITS) | version)
}

/// Returns a version's collection and its number in the collection.
pub(super) fn parts(id: DocumentId) -> (u64, u64) {
    (id.0 >> VERSION_BITS, id.0 & (VERSIONS - 1))
}

/// Returns the point of a chunk.
pub(super) fn chunk_point(version: u64, ordinal: u32) -> u64 {
    (version << ChunkId::ORDINAL_BITS) | u64::from(ordinal)
}

/// Returns the point of a document's record, or of the mark that its vectors were made.
pub(super) fn record_point(version: u64) -> u64 {
    (version << ChunkId::ORDINAL_BITS) | RECORD
}

/// Returns the point of a piece of a document's text.
pub(super) fn piece_point(version: u64, piece: u64) -> u64 {
    (version << ChunkId::ORDINAL_BITS) | (FIRST_PIECE + piece)
}

/// Returns the point of a part of a table of counts. It lies among the states, with a number far above theirs.
pub(super) fn counts_point(collection: u64, version: u64, part: u64) -> u64 {
    (collection << 48) | (version << 16) | part
}

/// Returns the version and ordinal of a point.
pub(super) fn version_and_ordinal(point: u64) -> (u64, u32) {
    let unpacked = ChunkId::unpack(point);
    (unpacked.document.0, unpacked.ordinal)
}

/// Collects fields by name.
pub(super) fn fields<const N: usize>(pairs: [(&str, Value); N]) -> Fields {
    pairs.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

pub(super) fn integer(value: u64) -> Value {
    Value::from(i64::try_from(value).unwrap_or(i64::MAX))
}

pub(super) fn text<'a>(fields: &'a Fields, name: &str) -> Option<&'a str> {
    match fields.get(name)?.kind.as_ref()? {
        Kind::StringValue(text) => Some(text),
        _ => None,
    }
}

pub(super) fn signed(fields: &Fields, name: &str) -> Option<i64> {
    match fields.get(name)?.kind.as_ref()? {
        Kind::IntegerValue(value) => Some(*value),
        _ => None,
    }
}

pub(super) fn unsigned(fields: &Fields, name: &str) -> Option<u64> {
    signed(fields, name).and_then(|value| u64::try_from(value).ok())
}

pub(super) fn flag(fields: &Fields, name: &str) -> Option<bool> {
    match fields.get(name)?.kind.as_ref()? {
        Kind::BoolValue(value) => Some(*value),
        _ => None,
    }
}

fn list<'a>(fields: &'a Fields, name: &str) -> &'a [Value] {
    match fields.get(name).and_then(|value| value.kind.as_ref()) {
        Some(Kind::ListValue(list)) => &list.values,
        _ => &[],
    }
}

pub(super) fn texts(fields: &Fields, name: &str) -> Vec<String> {
    let one = |value: &Value| match &value.kind {
        Some(Kind::StringValue(text)) => Some(text.clone()),
        _ => None,
    };
    list(fields, name).iter().filter_map(one).collect()
}

pub(super) fn integers(fields: &Fields, name: &str) -> Vec<u64> {
    let one = |value: &Value| match value.kind {
        Some(Kind::IntegerValue(value)) => u64::try_from(value).ok(),
        _ => None,
    };
    list(fields, name).iter().filter_map(one).collect()
}

fn matches(name: &str, value: MatchValue) -> Condition {
    let field = FieldCondition {
        key: name.to_owned(),
        r#match: Some(Match { match_value: Some(value) }),
        ..FieldCondition::default()
    };
    Condition { condition_one_of: Some(ConditionOneOf::Field(field)) }
}

/// Matches a field that is exactly this text: the client's own helper searches for single words in a text with spaces.
pub(super) fn is_text(name: &str, text: &str) -> Condition {
    matches(name, MatchValue::Keyword(text.to_owned()))
}

/// Matches a field that is one of these texts.
pub(super) fn is_any_text(name: &str, texts: &[String]) -> Condition {
    matches(name, MatchValue::Keywords(RepeatedStrings { strings: texts.to_vec() }))
}

/// Matches a field that is this number.
pub(super) fn is_number(name: &str, number: u64) -> Condition {
    matches(name, MatchValue::Integer(i64::try_from(number).unwrap_or(i64::MAX)))
}

/// Matches a field that is one of these numbers.
pub(super) fn is_any_number(name: &str, numbers: &[u64]) -> Condition {
    let integers = numbers.iter().map(|&number| i64::try_from(number).unwrap_or(i64::MAX)).collect();
    matches(name, MatchValue::Integers(RepeatedIntegers { integers }))
}

/// Returns the days since 1970, which filters compare.
pub(super) fn day(date: Date) -> i64 {
    let epoch = jiff::civil::date(1970, 1, 1);
    date.since((jiff::Unit::Day, epoch)).map_or(0, |span| i64::from(span.get_days()))
}

/// Returns the fields that filters of documents use besides the path; all points that are searched have them.
fn filtered(version: u64, document: &Document) -> Fields {
    let mut found = fields([(VERSION, integer(version)), (LANGUAGE, document.language.code().into())]);
    if let Some(date) = document.date {
        found.insert(DAY.to_owned(), day(date.date).into());
    }
    found
}

fn insert_date(fields: &mut Fields, date: Option<DocumentDate>) {
    if let Some(date) = date {
        fields.insert("date".to_owned(), date.date.to_string().into());
        fields.insert("date_origin".to_owned(), date.origin.name().into());
    }
}

/// Returns path and date as an update of existing points. Without a date the previous one is removed: a field that is
/// set to null is deleted.
pub(super) fn fields_of_place(path: &str, date: Option<DocumentDate>) -> Fields {
    let none = || Value { kind: Some(Kind::NullValue(0)) };
    let mut found = fields([(PATH, path.into()), (DAY, none()), ("date", none()), ("date_origin", none())]);
    if let Some(date) = date {
        found.insert(DAY.to_owned(), day(date.date).into());
    }
    insert_date(&mut found, date);
    found
}

fn date(fields: &Fields) -> Option<DocumentDate> {
    let date = text(fields, "date")?.parse().ok()?;
    Some(DocumentDate { date, origin: DateOrigin::named(text(fields, "date_origin")?)? })
}

/// Returns the fields of a chunk, with everything that another machine needs of it.
pub(super) fn chunk_fields(version: u64, document: &Document, chunk: &Chunk, states: &[u8]) -> Fields {
    let mut found = filtered(version, document);
    found.extend(states_field(states));
    let words = document.text.get(chunk.range.clone()).unwrap_or_default();
    found.extend(fields([
        ("text", words.into()),
        (PATH, document.path.as_str().into()),
        ("title", document.title.as_str().into()),
        ("start", integer(chunk.range.start as u64)),
        ("chunk_language", chunk.language.code().into()),
        ("headings", chunk.headings.shared.clone().into()),
    ]));
    if let Some(by) = document.authorship.cited_as() {
        found.insert(BY.to_owned(), by.into());
    }
    if !chunk.headings.parts.is_empty() {
        found.insert(PARTS.to_owned(), serde_json::json!(chunk.headings.parts).to_string().into());
    }
    if let Some(page) = chunk.page {
        found.insert("page".to_owned(), i64::from(page).into());
    }
    if !chunk.page_turns.is_empty() {
        found.insert(TURNS.to_owned(), serde_json::json!(chunk.page_turns).to_string().into());
    }
    insert_date(&mut found, document.date);
    found
}

/// The fields that are read of chunks of which only the name is needed.
pub(super) const NAME_FIELDS: &[&str] = &["title", "chunk_language"];

/// The fields that are read of chunks: all except the token states and those that only filters use.
pub(super) const CHUNK_FIELDS: &[&str] = &[
    VERSION,
    "text",
    PATH,
    "title",
    "start",
    "chunk_language",
    LANGUAGE,
    "headings",
    PARTS,
    "page",
    TURNS,
    "date",
    "date_origin",
    BY,
];

/// Reads the fields of [`chunk_fields`].
pub(super) fn chunk(id: ChunkId, found: &Fields, collection: &str) -> Option<StoredChunk> {
    let words = text(found, "text")?.to_owned();
    let start = usize::try_from(unsigned(found, "start")?).ok()?;
    let parts = text(found, PARTS).and_then(|parts| serde_json::from_str(parts).ok()).unwrap_or_default();
    let page_turns = text(found, TURNS).and_then(|turns| serde_json::from_str(turns).ok()).unwrap_or_default();
    Some(StoredChunk {
        id,
        collection: collection.to_owned(),
        path: text(found, PATH)?.to_owned(),
        title: text(found, "title")?.to_owned(),
        date: date(found),
        by: text(found, BY).map(str::to_owned),
        range: start..start + words.len(),
        page: unsigned(found, "page").and_then(|page| u32::try_from(page).ok()),
        page_turns,
        headings: Headings { shared: texts(found, "headings"), parts },
        language: Language::from_code(text(found, "chunk_language")?),
        text: words,
    })
}

/// Returns the fields of a document without its text. `words` are the numbers of terms in its bodies, titles and
/// headings.
pub(super) fn record_fields(version: u64, document: &Document, words: [u64; 3]) -> Fields {
    let mut found = filtered(version, document);
    found.extend(fields([
        (KIND, DOCUMENT.into()),
        (PATH, document.path.as_str().into()),
        (PATH_SUFFIXES, tails(&document.path).into()),
        ("title", document.title.as_str().into()),
        ("format", document.format.name().into()),
        ("hash", BASE64.encode(document.hash.as_bytes()).into()),
        ("bytes", integer(document.bytes)),
        (MODIFIED, document.modified_ns.into()),
        ("chunks", integer(document.chunks.len() as u64)),
        ("text_bytes", integer(document.text.len() as u64)),
        ("words", words.map(integer).to_vec().into()),
        (LANGUAGES, spoken_value(&Spoken::of(document.chunks.iter().map(|chunk| (chunk.language, 1))))),
    ]));
    // Unknown for documents stored before this field existed; the layout is otherwise the same.
    if let Some(cut) = document.cut {
        found.insert(CUT.to_owned(), integer(cut.into()));
    }
    if !document.authorship.is_empty() {
        found.insert(AUTHORSHIP.to_owned(), serde_json::json!(document.authorship).to_string().into());
    }
    insert_date(&mut found, document.date);
    found
}

/// Returns a path and its endings at each separator; a document can be found by any of them.
pub(super) fn tails(path: &str) -> Vec<String> {
    let mut found = vec![path.to_owned()];
    for (at, separator) in path.match_indices(['/', '\\']) {
        found.push(path[at..].to_owned());
        found.push(path[at + separator.len()..].to_owned());
    }
    found.retain(|tail| !tail.is_empty());
    found.sort_unstable();
    found.dedup();
    found
}

/// Reads the fields of [`record_fields`].
pub(super) fn record(point: &RetrievedPoint, number_of_collection: u64, collection: &str) -> Option<DocumentRecord> {
    let (version, _) = version_and_ordinal(number(point.id.as_ref())?);
    let found = &point.payload;
    let hash = BASE64.decode(text(found, "hash")?).ok()?;
    Some(DocumentRecord {
        id: document_id(number_of_collection, version),
        collection: collection.to_owned(),
        path: text(found, PATH)?.to_owned(),
        title: text(found, "title")?.to_owned(),
        format: text(found, "format")?.parse().ok()?,
        language: Language::from_code(text(found, LANGUAGE)?),
        date: date(found),
        authorship: match text(found, AUTHORSHIP) {
            Some(kept) => serde_json::from_str(kept).ok()?,
            None => Authorship::default(),
        },
        hash: ContentHash::from_bytes(&hash)?,
        bytes: unsigned(found, "bytes")?,
        modified_ns: signed(found, MODIFIED)?,
        cut: unsigned(found, CUT).and_then(|cut| u32::try_from(cut).ok()),
        chunks: u32::try_from(unsigned(found, "chunks")?).ok()?,
        text_bytes: unsigned(found, "text_bytes")?,
    })
}

/// Encodes the languages of chunks with their counts, as records and states store them.
pub(super) fn spoken_value(languages: &Spoken) -> Value {
    let counts = languages.counts().map(|(language, count)| format!("{} {count}", language.code()));
    counts.collect::<Vec<String>>().into()
}

/// Reads a value of [`spoken_value`]; empty if it was stored before this field existed.
pub(super) fn spoken(found: &Fields) -> Spoken {
    let counts = texts(found, LANGUAGES).into_iter().filter_map(|count| {
        let (code, number) = count.split_once(' ')?;
        Some((Language::from_code(code), number.parse().ok()?))
    });
    Spoken::of(counts)
}

/// Reads from a record how many terms a document's bodies, titles and headings have.
pub(super) fn words(point: &RetrievedPoint) -> [u64; 3] {
    let found = integers(&point.payload, "words");
    [0, 1, 2].map(|nth| found.get(nth).copied().unwrap_or(0))
}

/// Splits text into pieces, each with its number and the byte at which it starts.
pub(super) fn pieces(text: &str) -> impl Iterator<Item = (u64, usize, &str)> {
    let starts = (0..text.len()).step_by(PIECE).zip(0..);
    starts.map(|(at, nth)| {
        let (start, end) = (text.floor_char_boundary(at), text.floor_char_boundary((at + PIECE).min(text.len())));
        (nth, start, &text[start..end])
    })
}

/// Returns the fields of a piece of text.
pub(super) fn piece_fields(version: u64, start: usize, text: &str) -> Fields {
    fields([(VERSION, integer(version)), ("start", integer(start as u64)), ("text", text.into())])
}

/// Returns token states as a field, or no field if there are none. Base64 takes a third more; in a vector of bytes,
/// each byte would be sent as a number of four.
pub(super) fn states_field(states: &[u8]) -> Fields {
    let some = (!states.is_empty()).then(|| (STATES.to_owned(), BASE64.encode(states).into()));
    some.into_iter().collect()
}

/// Reads the token states of [`states_field`].
pub(super) fn states(fields: &Fields) -> Option<Vec<u8>> {
    match text(fields, STATES) {
        None => Some(Vec::new()),
        Some(encoded) => BASE64.decode(encoded).ok(),
    }
}

/// Returns a point without vectors.
pub(super) fn bare(id: u64, payload: Fields) -> PointStruct {
    let none = Vectors { vectors_options: Some(VectorsOptions::Vectors(NamedVectors::default())) };
    PointStruct { id: Some(id.into()), payload, vectors: Some(none) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_come_apart_again() {
        fn check(collection: u64, version: u64) {
            let id = document_id(collection, version);
            assert_eq!(parts(id), (collection, version));
            let chunk = ChunkId { document: id, ordinal: 7 };
            assert_eq!(ChunkId::unpack(chunk.pack()), chunk, "the id leaves room for the ordinal");
        }
        check(1, 1);
        check(COLLECTIONS - 1, VERSIONS - 1);
        let last = chunk_point(VERSIONS - 1, CHUNKS as u32 - 1);
        assert!(last < piece_point(VERSIONS - 1, 0) && piece_point(3, 1_000) < record_point(3));
        assert_eq!(version_and_ordinal(chunk_point(5, 9)), (5, 9));
        let first_of_next = counts_point(2, 0, 0);
        assert!(
            counts_point(1, VERSIONS - 1, u64::from(u16::MAX)) < first_of_next && counts_point(1, 0, 0) > COLLECTIONS
        );
    }

    #[test]
    fn a_text_is_cut_on_borders_of_characters() {
        let text = "語".repeat(PIECE);
        let found: Vec<_> = pieces(&text).collect();
        assert_eq!(found.len(), 3);
        assert_eq!(found.iter().map(|(_, _, piece)| *piece).collect::<String>(), text);
        assert!(found.iter().all(|(_, start, piece)| text[*start..].starts_with(piece)));
        assert_eq!(pieces("").count(), 0);
    }

    #[test]
    fn a_path_has_a_tail_for_each_separator() {
        fn check(path: &str, expected: &[&str]) {
            assert_eq!(tails(path), expected);
        }
        check("/a/b.md", &["/a/b.md", "/b.md", "a/b.md", "b.md"]);
        check("C:\\b", &["C:\\b", "\\b", "b"]);
        check("https://x.org/", &["/", "//x.org/", "/x.org/", "https://x.org/", "x.org/"]);
    }

    #[test]
    fn days_are_counted_from_1970() {
        assert_eq!(day(jiff::civil::date(1970, 1, 2)), 1);
        assert_eq!(day(jiff::civil::date(1969, 12, 31)), -1);
    }
}
