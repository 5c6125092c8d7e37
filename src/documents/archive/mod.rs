//! Archives, read in place: nothing is unpacked to the disk but an archive within an archive, and that into a file
//! without a name.
//!
//! Nothing that an archive says is believed. Names that lead out of it are refused, what it unpacks to is counted while it is
//! unpacked, and a member that cannot be read does not stop the others.

mod found;
mod kind;
mod limits;
mod mailbox;
mod name;
mod read;
mod tarball;
mod zipped;

pub use found::Flow;
pub use kind::is_archive;
pub use limits::ArchiveLimits;
pub use read::{Entry, Size, read_archive};

/// What stands between the path of an archive and that of a member.
pub const SEPARATOR: &str = "!/";
