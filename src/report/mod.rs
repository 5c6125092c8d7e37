//! The text that comes out of a run: citations checked while the model writes, the quotes behind them, and the sources
//! and the account of the research that follow the report.

mod amend;
mod amendments;
mod answered;
mod cases;
mod changes;
pub mod cite;
mod clauses;
mod coverage;
mod edition;
pub mod facts;
mod markdown;
mod origins;
mod path;
mod quote;
mod record;
mod repeats;
mod siblings;
mod title;
mod versions;
mod words;

pub use amend::{amended, is_amendable};
pub use amendments::{amending_sentence, amendment_named, amends, deletes, is_amendment_of};
pub use answered::answers;
pub use cases::case_numbers;
pub use changes::{label_of_change, quoted_pairs, stated_changes};
pub use clauses::{clauses, clauses_at, number_at, number_of};
pub use coverage::{coverage_of, covered_documents, is_folded_list, recorded_coverage, recounted, with_shown_paths};
pub use edition::{Edition, edition_words};
pub use markdown::{Account, SearchedCollection, about, account, escaped, shown_date, shown_quote, sources};
pub use origins::{origins, share_figures, shared_origins};
pub use path::shown_path;
pub use quote::{support, supporting_quote};
pub use record::{RECORD_FORMAT, Record, RecordError, RecordedCitation};
pub use repeats::{without_repeats, wording};
pub use siblings::{are_parallel_documents, is_later_issue};
pub use title::{lower_capitals, readable_title, repeats_title};
pub use versions::{asks_what_changed, is_newer_version, repealing, repeals_by_name};
pub use words::{
    CoverageWords, FormWords, Noun, Words, is_account_heading, is_references_heading, numbered, quote_in,
    without_introduction, words,
};
