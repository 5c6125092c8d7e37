//! What comes out of a run as text: citations checked while the model writes, the quotes behind them, and the sources
//! and the account of the research that stand after the report.

mod amend;
pub mod cite;
pub mod facts;
mod markdown;
mod path;
mod quote;
mod record;
mod repeats;
mod title;
mod versions;
mod words;

pub use amend::amended;
pub use markdown::{Account, SearchedCollection, about, account, escaped, shown_date, sources};
pub use path::shown_path;
pub use quote::supporting_quote;
pub use record::{RECORD_FORMAT, Record, RecordError, RecordedCitation};
pub use repeats::without_repeats;
pub use title::readable_title;
pub use versions::{Edition, edition_words, is_newer_version, repeals_by_name, states_repeal};
pub use words::{Words, heads_account, words};
