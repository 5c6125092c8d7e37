//! Documents and chunks as stores keep them: ids, formats, records.

use std::fmt;
use std::ops::Range;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::Authorship;
use crate::base::text::Language;
use crate::base::{ContentHash, day_of, instant_of};

/// One stored version of a document. The store assigns the id and never reuses it: when a file changes, its new version
/// gets a new id, so an old id left in an index refers to nothing that can be found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct DocumentId(pub u64);

/// The name under which the web is searched like a collection, if it is searched.
pub const WEB: &str = "web";

/// Ids from this number on are web pages; stores never count that far.
const FIRST_PAGE: u64 = 900_000_000_000;

impl DocumentId {
    /// The id of a web page, from its place among those that one run has read. With it, journals and models refer to
    /// pages by number as they do to documents.
    pub fn of_page(place: usize) -> Self {
        DocumentId(FIRST_PAGE.saturating_add(place as u64))
    }

    /// The place of a web page among those of the run; `None` for a stored document.
    pub fn page(self) -> Option<usize> {
        usize::try_from(self.0.checked_sub(FIRST_PAGE)?).ok()
    }
}

/// One chunk of one stored version of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ChunkId {
    /// The document's version.
    pub document: DocumentId,
    /// Position in the document, from 0.
    pub ordinal: u32,
}

impl ChunkId {
    /// Bits of the packed form that hold the ordinal: up to 16,777,216 chunks a document.
    pub const ORDINAL_BITS: u32 = 24;

    /// Packs both parts into one integer that sorts like the pair; indexes keep this form.
    pub fn pack(self) -> u64 {
        (self.document.0 << Self::ORDINAL_BITS) | u64::from(self.ordinal)
    }

    /// Undoes [`Self::pack`].
    pub fn unpack(packed: u64) -> Self {
        let ordinal = packed & ((1 << Self::ORDINAL_BITS) - 1);
        ChunkId { document: DocumentId(packed >> Self::ORDINAL_BITS), ordinal: ordinal as u32 }
    }
}

/// The format of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// Markdown; its extracted text is the source itself.
    Markdown,
    /// Plain text.
    Text,
    /// A web page.
    Html,
    /// A PDF; paged.
    Pdf,
    /// One JSON value.
    Json,
    /// One JSON value per line.
    Jsonl,
    /// Comma- or tab-separated rows.
    Csv,
    /// Source code; its extracted text is the source itself.
    Code,
    /// A YAML file's values.
    Yaml,
    /// A TOML file's values.
    Toml,
    /// An XML document of any vocabulary but HTML's.
    Xml,
    /// A Jupyter notebook, as Markdown.
    Notebook,
    /// Subtitles of a film, as SubRip or WebVTT.
    Subtitles,
    /// One e-mail message.
    Email,
    /// A text document of Office Open XML.
    Docx,
    /// A text document of OpenDocument.
    Odt,
    /// Rich text.
    Rtf,
    /// A book of web pages.
    Epub,
    /// Slides of Office Open XML; a slide is a page.
    Pptx,
    /// Slides of OpenDocument; a slide is a page.
    Odp,
    /// Sheets of Office Open XML; a sheet is a page.
    Xlsx,
    /// Sheets of OpenDocument; a sheet is a page.
    Ods,
    /// LaTeX; its extracted text is the text that it typesets.
    Latex,
    /// Org; its extracted text is the source itself.
    Org,
    /// reStructuredText; its extracted text is the source itself.
    Rst,
    /// AsciiDoc; its extracted text is the source itself.
    Asciidoc,
}

impl Format {
    /// The name in tables and in the store.
    pub fn name(self) -> &'static str {
        match self {
            Format::Markdown => "markdown",
            Format::Text => "text",
            Format::Html => "html",
            Format::Pdf => "pdf",
            Format::Json => "json",
            Format::Jsonl => "jsonl",
            Format::Csv => "csv",
            Format::Code => "code",
            Format::Yaml => "yaml",
            Format::Toml => "toml",
            Format::Xml => "xml",
            Format::Notebook => "notebook",
            Format::Subtitles => "subtitles",
            Format::Email => "email",
            Format::Docx => "docx",
            Format::Odt => "odt",
            Format::Rtf => "rtf",
            Format::Epub => "epub",
            Format::Pptx => "pptx",
            Format::Odp => "odp",
            Format::Xlsx => "xlsx",
            Format::Ods => "ods",
            Format::Latex => "latex",
            Format::Org => "org",
            Format::Rst => "rst",
            Format::Asciidoc => "asciidoc",
        }
    }
}

impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(name: &str) -> Result<Self, UnknownFormat> {
        const ALL: [Format; 26] = [
            Format::Markdown,
            Format::Text,
            Format::Html,
            Format::Pdf,
            Format::Json,
            Format::Jsonl,
            Format::Csv,
            Format::Code,
            Format::Yaml,
            Format::Toml,
            Format::Xml,
            Format::Notebook,
            Format::Subtitles,
            Format::Email,
            Format::Docx,
            Format::Odt,
            Format::Rtf,
            Format::Epub,
            Format::Pptx,
            Format::Odp,
            Format::Xlsx,
            Format::Ods,
            Format::Latex,
            Format::Org,
            Format::Rst,
            Format::Asciidoc,
        ];
        ALL.into_iter().find(|format| format.name() == name).ok_or_else(|| UnknownFormat(name.to_owned()))
    }
}

/// A format name that no parser has.
#[derive(Debug, thiserror::Error)]
#[error("unknown document format `{0}`")]
pub struct UnknownFormat(pub String);

/// Where a document's date was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DateOrigin {
    /// Front matter of a Markdown file, or what other formats have in its place above the text.
    FrontMatter,
    /// `<meta>` or `<time>` of a page, the header of a message, the properties of a PDF or an office document.
    Metadata,
    /// A line of the text that says when the document was written or changed, or its title.
    Dateline,
    /// The file's name.
    FileName,
    /// The file's modification time.
    FileTime,
    /// A file of a reference manager, where people entered it.
    Library,
}

impl DateOrigin {
    /// The name under which stores keep the origin.
    pub fn name(self) -> &'static str {
        match self {
            DateOrigin::FrontMatter => "front-matter",
            DateOrigin::Metadata => "metadata",
            DateOrigin::Dateline => "dateline",
            DateOrigin::FileName => "file-name",
            DateOrigin::FileTime => "file-time",
            DateOrigin::Library => "library",
        }
    }

    /// The origin with this name; `None` for any other text.
    pub fn named(name: &str) -> Option<Self> {
        use DateOrigin::{Dateline, FileName, FileTime, FrontMatter, Library, Metadata};
        [FrontMatter, Metadata, Dateline, FileName, FileTime, Library].into_iter().find(|origin| origin.name() == name)
    }
}

/// The day that a document dates from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DocumentDate {
    /// The day.
    pub date: jiff::civil::Date,
    /// Where it was found.
    pub origin: DateOrigin,
}

impl DocumentDate {
    /// A day from a document's properties.
    pub fn metadata(date: jiff::civil::Date) -> Self {
        DocumentDate { date, origin: DateOrigin::Metadata }
    }

    /// A day that stands above a document's text.
    pub fn front_matter(date: jiff::civil::Date) -> Self {
        DocumentDate { date, origin: DateOrigin::FrontMatter }
    }

    /// The day of a file's modification time, given in nanoseconds since 1970; `None` if that is 0.
    pub fn of_file_time(modified_ns: i64) -> Option<Self> {
        let instant = instant_of(modified_ns).filter(|_| modified_ns != 0)?;
        Some(DocumentDate { date: day_of(instant), origin: DateOrigin::FileTime })
    }
}

/// A heading, and where the part that it heads begins in the extracted text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Heading {
    /// Byte offset of the heading's line in the extracted text.
    pub start: usize,
    /// 1 for the outermost.
    pub level: u8,
    /// The heading's words, without markup.
    pub text: String,
}

/// A span of a document's extracted text that is searched and cited as a unit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chunk {
    /// Byte range in the extracted text. Always on character boundaries, never empty.
    pub range: Range<usize>,
    /// 1-based page on which the chunk starts, if the format has pages.
    pub page: Option<u32>,
    /// Byte offsets in the chunk's text at which further pages begin, in order.
    pub page_turns: Vec<usize>,
    /// The headings above its words.
    pub headings: Headings,
    /// Detected language.
    pub language: Language,
}

/// The headings above a chunk's words, outermost first. A chunk may hold several small parts, each below a heading of its own.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(from = "KeptHeadings", into = "KeptHeadings")]
pub struct Headings {
    /// The headings above all of the chunk's words.
    pub shared: Vec<String>,
    /// Byte offsets in the chunk's text at which parts with further headings begin, each with these headings; in order.
    pub parts: Vec<(usize, Vec<String>)>,
}

impl Headings {
    /// The headings above all words at `range`, in bytes of the chunk's text.
    pub fn above(&self, range: &Range<usize>) -> Vec<String> {
        let next = self.parts.partition_point(|(from, _)| *from <= range.start);
        let mut further = next.checked_sub(1).map_or(&[][..], |part| &self.parts[part].1[..]);
        for (_, other) in self.parts[next..].iter().take_while(|(from, _)| *from < range.end) {
            let common = further.iter().zip(other).take_while(|(one, other)| one == other).count();
            further = &further[..common];
        }
        self.shared.iter().chain(further).cloned().collect()
    }

    /// Whether there are no headings.
    pub fn is_empty(&self) -> bool {
        self.shared.is_empty() && self.parts.is_empty()
    }

    /// All headings, each as often as a part stands below it.
    pub fn all(&self) -> impl Iterator<Item = &String> {
        self.shared.iter().chain(self.parts.iter().flat_map(|(_, further)| further))
    }
}

/// The form of headings in files: most chunks have no parts.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum KeptHeadings {
    Shared(Vec<String>),
    Parts { shared: Vec<String>, parts: Vec<(usize, Vec<String>)> },
}

impl From<Vec<String>> for Headings {
    fn from(shared: Vec<String>) -> Self {
        Headings { shared, parts: Vec::new() }
    }
}

impl From<KeptHeadings> for Headings {
    fn from(kept: KeptHeadings) -> Self {
        match kept {
            KeptHeadings::Shared(shared) => shared.into(),
            KeptHeadings::Parts { shared, parts } => Headings { shared, parts },
        }
    }
}

impl From<Headings> for KeptHeadings {
    fn from(headings: Headings) -> Self {
        let Headings { shared, parts } = headings;
        if parts.is_empty() { KeptHeadings::Shared(shared) } else { KeptHeadings::Parts { shared, parts } }
    }
}

/// A document as the pipeline hands it to a store: parsed, chunked, not yet identified.
#[derive(Clone, Debug)]
pub struct Document {
    /// Identity within its collection: an absolute path or a URL.
    pub path: String,
    /// Title from the content, or else the file's name.
    pub title: String,
    /// The format that it was parsed as.
    pub format: Format,
    /// The language of most of its text.
    pub language: Language,
    /// The day that it dates from.
    pub date: Option<DocumentDate>,
    /// Who wrote it, and where it appeared.
    pub authorship: Authorship,
    /// Hash of the source's bytes.
    pub hash: ContentHash,
    /// Length of the source in bytes.
    pub bytes: u64,
    /// The source's modification time in nanoseconds since 1970; 0 where it has none.
    pub modified_ns: i64,
    /// A fingerprint of how its text was extracted and chunked, and of what a library says of it, so that a load
    /// notices when any of these would change; `None` if nobody will load it again.
    pub cut: Option<u32>,
    /// The extracted text, to which every chunk's range refers.
    pub text: String,
    /// The chunks in order of their start.
    pub chunks: Vec<Chunk>,
}

/// The data that semantic search keeps of one chunk.
#[derive(Clone, Debug, PartialEq)]
pub struct ChunkVectors {
    /// The embedding, of length 1, with as many entries as the collection's embedder has dimensions.
    pub embedding: Vec<f32>,
    /// Token states for late interaction in the encoder's own compressed form; empty if the encoder gives none.
    pub states: Vec<u8>,
}

impl ChunkVectors {
    /// The vectors of an encoder that gives no token states.
    pub fn without_states(embedding: Vec<f32>) -> Self {
        ChunkVectors { embedding, states: Vec::new() }
    }
}

/// A stored document without its text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DocumentRecord {
    /// The stored version.
    pub id: DocumentId,
    /// The collection's name.
    pub collection: String,
    /// As in [`Document::path`].
    pub path: String,
    /// As in [`Document::title`].
    pub title: String,
    /// As in [`Document::format`].
    pub format: Format,
    /// As in [`Document::language`].
    pub language: Language,
    /// As in [`Document::date`].
    pub date: Option<DocumentDate>,
    /// As in [`Document::authorship`].
    #[serde(skip_serializing_if = "Authorship::is_empty")]
    pub authorship: Authorship,
    /// As in [`Document::hash`], in hexadecimal when serialized.
    #[serde(serialize_with = "ContentHash::as_text")]
    pub hash: ContentHash,
    /// As in [`Document::bytes`].
    pub bytes: u64,
    /// As in [`Document::modified_ns`].
    pub modified_ns: i64,
    /// As in [`Document::cut`]; `None` also for documents stored before that was kept.
    pub cut: Option<u32>,
    /// Number of chunks.
    pub chunks: u32,
    /// Length of the extracted text in bytes.
    pub text_bytes: u64,
}

/// A chunk as a store returns it, with its place and its text.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredChunk {
    /// The chunk's id.
    pub id: ChunkId,
    /// The collection's name.
    pub collection: String,
    /// The document's path or URL.
    pub path: String,
    /// The document's title.
    pub title: String,
    /// The document's date.
    pub date: Option<DocumentDate>,
    /// As in [`Authorship::cited_as`].
    pub by: Option<String>,
    /// Byte range in the document's extracted text.
    pub range: Range<usize>,
    /// As in [`Chunk::page`].
    pub page: Option<u32>,
    /// As in [`Chunk::page_turns`].
    pub page_turns: Vec<usize>,
    /// As in [`Chunk::headings`].
    pub headings: Headings,
    /// Detected language.
    pub language: Language,
    /// The text of `range`.
    pub text: String,
}

impl StoredChunk {
    /// The page of the words that begin at `at`, in bytes of the chunk's text.
    pub fn page_at(&self, at: usize) -> Option<u32> {
        let turned = self.page_turns.partition_point(|turn| *turn <= at);
        self.page?.checked_add(u32::try_from(turned).ok()?)
    }
}

/// The text that is embedded for a passage: its document's title on a line of its own, then its text. A passage from
/// the middle of a document seldom names the document's subject, but the title does.
pub fn titled(title: &str, text: &str) -> String {
    let title = title.trim();
    let opening = text.trim_start_matches(['#', ' ', '\t', '\n', '\r']);
    if title.is_empty() || opening.starts_with(title) { text.to_owned() } else { format!("{title}\n{text}") }
}

impl fmt::Display for DocumentId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "d{}", self.0)
    }
}
