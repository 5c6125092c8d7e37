//! Checks a report against the documents as they are now: where the words of each citation stand today, and whether
//! each sentence still agrees with them.
//!
//! The check has four steps, so that no more documents are read than needed: [`read`] the report, ask [`Check::wanted`]
//! for the documents that it cites, look in all others with [`Search`] for words that these no longer have, and
//! [`Check::finish`].

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
pub use origins::{LostSentence, WithoutDocuments};
pub use place::{CheckedCitation, Verdict};
pub use read::{Place, ReadCitation, ReadReport, VerifyError, read, unescaped};
pub use search::{Check, Search, Verification};
pub use show::shown;
pub use update::{Change, Outdated, Update, outdated, update};
