//! The text that comes out of a run: citations checked while the model writes, the quotes behind them, and the sources
//! and the account of the research that follow the report.

mod amend;
mod amendments;
mod answered;
pub mod cite;
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
pub use amendments::{amendment_named, amends, is_amendment_of};
pub use answered::answers;
pub use coverage::{coverage_of, covered_documents, is_folded_list, named_as_shown, recorded_coverage, recounted};
pub use edition::{Edition, edition_words};
pub use markdown::{Account, SearchedCollection, about, account, escaped, shown_date, shown_quote, sources};
pub use origins::{origins, share_figures, shared_origins};
pub use path::shown_path;
pub use quote::supporting_quote;
pub use record::{RECORD_FORMAT, Record, RecordError, RecordedCitation};
pub use repeats::{without_repeats, wording};
pub use siblings::{is_later_issue, stand_beside};
pub use title::{calm, is_of_title, readable_title};
pub use versions::{asks_what_changed, is_newer_version, repealing, repeals_by_name};
pub use words::{
    CoverageWords, FormWords, Noun, Words, heads_account, heads_references, quote_in, without_introduction, words,
};
