//! Checks the citations of a report while it is being written.
//!
//! The text comes in pieces of any size and goes out block by block: a paragraph, a list item or a heading as soon as
//! the next one begins. The output depends on the text alone, not on how it was cut.
//!
//! - Citations (`[3]`, `[3, 4]`, `[3][4]`, `[3-5]`, `【3】`, `[passage 3]`, `[[3]](#3)`, full-width forms) become `[1]`, `[2]` … in order of first
//!   appearance. Citations of numbers that do not exist are removed and counted. Code, links and escaped brackets are
//!   left alone.
//! - A sentence that states a number or a name and has no citation is marked [`MARK`]. A citation counts for the
//!   sentence in which it stands, or which it directly follows. Headings, questions, lead-ins that end in a colon, table
//!   rows and sentences about the report itself are not claims.
//! - Figures, days, units, names and words in quotation marks that the cited passages lack are collected
//!   (`src/report/facts`).
//! - Images, HTML and links to addresses in no source become words, since a viewer would fetch, run or follow them.
//! - A list of sources that the model added on its own is left out, since its numbers are not those of the report; and
//!   so is its own account of the research, which the program gives.

mod blocks;
mod checker;
mod claims;
pub mod fence;
mod harmless;
mod markers;
mod quoted;

pub use blocks::is_sources_heading;
pub use checker::{CheckedCitations, CheckedSentence, CitationChecker, Cited};
pub use harmless::sanitize_report;
pub use markers::{cited_numbers, footnotes, renumbered, with_citations, with_escaped_footnotes};

/// The text behind a sentence that should have a citation and has none.
pub const MARK: &str = "[citation needed]";
