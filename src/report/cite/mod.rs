//! Checks the citations of a report while it is being written.
//!
//! The text comes in pieces of any size and goes out block by block: a paragraph, a list item, a heading as soon as
//! the next one begins. What goes out depends on the text alone, not on how it was cut.
//!
//! - Citations (`[3]`, `[3, 4]`, `[3][4]`, `[3-5]`, `【3】`, full-width forms) become `[1]`, `[2]` … in order of first
//!   appearance. Those to numbers that are not there are removed and counted. Code, links and escaped brackets are
//!   left alone.
//! - A sentence that states a number or a name and has no citation is marked [`MARK`]. A citation counts for the
//!   sentence in which it stands, or which it directly follows. Headings, questions, lead-ins that end in a colon, table
//!   rows and sentences about the report itself are not claims.
//! - Figures, days, units, names and words in quotation marks that the cited passages do not have are collected
//!   (`src/report/facts`).
//! - Images, HTML and links to addresses that no source has become words: a viewer fetches, runs and follows them.
//! - A list of sources that the model added on its own is left out, since its numbers are not those of the report.

mod blocks;
mod checker;
mod claims;
pub mod fence;
mod harmless;
mod markers;
mod quoted;

pub use blocks::heads_sources;
pub use checker::{CheckedCitations, CheckedSentence, CitationChecker, Cited};
pub use harmless::harmless_report;
pub use markers::{cited_numbers, renumbered, with_citations};

/// What stands after a sentence that should have a citation and has none.
pub const MARK: &str = "[citation needed]";
