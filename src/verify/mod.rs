//! Checks a report against the documents as they are now: where each citation's words stand today, and whether each
//! sentence still says what they say.
//!
//! The check has four steps, so that whoever holds the documents reads no more of them than it must: [`read`] the report,
//! ask [`Check::wanted`] which documents it cites, look for words that these do not have any more with [`Search`] in all
//! others, and [`Check::finish`].

mod excerpt;
mod judge;
mod library;
mod near;
mod origins;
mod place;
mod plain;
mod read;
mod search;
mod show;
#[cfg(test)]
mod tests;
mod update;
mod versions;

pub use judge::{CheckedSentence, SentenceVerdict};
pub use library::{Library, LibraryDocument};
pub use origins::{LostSentence, Without};
pub use place::{CheckedCitation, Verdict};
pub use read::{Place, ReadCitation, ReadReport, VerifyError, read, unescaped};
pub use search::{Check, Search, Verification};
pub use show::shown;
pub use update::{Change, Outdated, Update, outdated, update};
