//! Archives, read in place: nothing is unpacked to disk except an archive within an archive, which goes into an unnamed
//! temporary file.
//!
//! Nothing that an archive claims is trusted. Names that lead out of it are refused, its unpacked size is counted
//! during unpacking, and a member that cannot be read does not stop the others.

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

/// Separates the path of an archive from that of a member.
pub const SEPARATOR: &str = "!/";
