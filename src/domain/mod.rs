//! The plain data that the floors exchange, with no behaviour beyond what the data itself implies.

mod authorship;
mod collection;
mod coverage;
mod document;
mod event;
mod evidence;
mod filter;
mod outline;
mod preview;
mod report;
mod strategy;
mod usage;

pub use crate::base::text::Language;
pub use authorship::{Authorship, parted};
pub use collection::{Collection, CollectionSpec, EmbedderIdentity};
pub use coverage::{Coverage, DocumentName, NotFound};
pub use document::{
    Chunk, ChunkId, ChunkVectors, DateOrigin, Document, DocumentDate, DocumentId, DocumentRecord, Format, Heading,
    Headings, StoredChunk, WEB, titled,
};
pub use event::{Event, EventSink, NullSink, StopReason};
pub use evidence::{Hit, ScoreParts, SearchMode};
pub use filter::{BadPattern, DocumentFilter, PathPattern};
pub use outline::{Outline, OutlineSection};
pub use preview::{Estimate, Preview};
pub use report::{Citation, FoundPassage, Report, RoundSearch, RoundSummary, SubQuery};
pub use strategy::Strategy;
pub use usage::{Price, Usage};
