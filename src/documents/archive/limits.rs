//! What an archive may come to while it is unpacked.

use std::cell::RefCell;
use std::io::{self, Read};
use std::rc::Rc;

const MIB: u64 = 1 << 20;

/// An archive may unpack to this much at whatever ratio: small files of one line repeated are no bombs.
const FREE: u64 = 16 * MIB;

/// What an archive may come to, with all archives in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArchiveLimits {
    /// Members.
    pub members: u64,
    /// Bytes of them all, unpacked.
    pub bytes: u64,
    /// Times its own length that it may unpack to.
    pub ratio: u64,
    /// Archives within archives: 1 reads none.
    pub depth: u32,
    /// The most that a file packed alone is said to have.
    pub file_bytes: u64,
}

impl Default for ArchiveLimits {
    fn default() -> Self {
        ArchiveLimits { members: 20_000, bytes: 2048 * MIB, ratio: 200, depth: 2, file_bytes: 256 * MIB }
    }
}

/// Why an archive is not read to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Exceeded {
    #[error("it has more than {0} members: the rest is left out; unpack it, or raise load.archive_members")]
    Members(u64),
    #[error("it unpacks to more than {0} MiB: the rest is left out; unpack it, or raise load.archive_mb")]
    Bytes(u64),
    #[error(
        "it unpacks to more than {0} times its length, as archives do that are made to fill a disk: the rest is left \
         out; if it can be trusted, raise load.archive_ratio"
    )]
    Ratio(u64),
    #[error("a header in it is larger than any real one: the rest is left out")]
    Header,
}

/// Counts what one archive on disk, with all archives in it, comes to. Clones count together.
#[derive(Clone)]
pub(super) struct Meter(Rc<RefCell<Counts>>);

struct Counts {
    limits: ArchiveLimits,
    /// Length of the archive on disk.
    packed: u64,
    members: u64,
    bytes: u64,
    /// What may still be read of a header.
    header: Option<u64>,
    exceeded: Option<Exceeded>,
}

impl Meter {
    pub(super) fn new(limits: &ArchiveLimits, packed: u64) -> Self {
        let limits = *limits;
        Meter(Rc::new(RefCell::new(Counts { limits, packed, members: 0, bytes: 0, header: None, exceeded: None })))
    }

    pub(super) fn limits(&self) -> ArchiveLimits {
        self.0.borrow().limits
    }

    /// The limit that was met.
    pub(super) fn exceeded(&self) -> Option<Exceeded> {
        self.0.borrow().exceeded
    }

    /// Counts a member, of whatever kind.
    pub(super) fn count_member(&self) -> Result<(), Exceeded> {
        let mut counts = self.0.borrow_mut();
        counts.members += 1;
        if counts.members > counts.limits.members {
            counts.exceeded = Some(Exceeded::Members(counts.limits.members));
        }
        counts.exceeded.map_or(Ok(()), Err)
    }

    /// From here on a header is read, of at most so many bytes; `None`: a member's content.
    pub(super) fn expect_header(&self, most: Option<u64>) {
        self.0.borrow_mut().header = most;
    }

    fn count(&self, read: u64) -> io::Result<()> {
        let mut counts = self.0.borrow_mut();
        counts.bytes += read;
        let limits = counts.limits;
        if let Some(left) = counts.header {
            counts.header = left.checked_sub(read);
            if counts.header.is_none() {
                counts.exceeded = Some(Exceeded::Header);
            }
        }
        if counts.bytes > limits.bytes {
            counts.exceeded = Some(Exceeded::Bytes(limits.bytes / MIB));
        } else if counts.bytes > FREE && counts.bytes / limits.ratio.max(1) > counts.packed {
            counts.exceeded = Some(Exceeded::Ratio(limits.ratio));
        }
        counts.exceeded.map_or(Ok(()), |exceeded| Err(io::Error::other(exceeded)))
    }
}

/// Unpacked bytes, counted as they are read.
pub(super) struct Counted<R> {
    pub(super) inner: R,
    pub(super) meter: Meter,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if let Some(exceeded) = self.meter.exceeded() {
            return Err(io::Error::other(exceeded));
        }
        let read = self.inner.read(buffer)?;
        self.meter.count(read as u64)?;
        Ok(read)
    }
}
