//! Limits on what an archive may unpack to, enforced while it is unpacked.

use std::cell::RefCell;
use std::io::{self, Read};
use std::rc::Rc;

const MIB: u64 = 1 << 20;

/// Up to this size an archive may unpack at any ratio: small files of one repeated line are not bombs.
const FREE: u64 = 16 * MIB;

/// The limits of an archive, together with all archives in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArchiveLimits {
    /// The most members.
    pub members: u64,
    /// The most unpacked bytes of all members together.
    pub bytes: u64,
    /// The most unpacked bytes as a multiple of the archive's length.
    pub ratio: u64,
    /// How deep archives are read; 1 reads no archives within archives.
    pub depth: u32,
    /// The largest length that is given for a file packed alone.
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

/// Counts what one archive on disk, together with all archives in it, unpacks to. Clones share their counts.
#[derive(Clone)]
pub(super) struct Meter(Rc<RefCell<Counts>>);

struct Counts {
    limits: ArchiveLimits,
    /// The length of the archive on disk.
    packed: u64,
    members: u64,
    bytes: u64,
    /// How many bytes of a header may still be read; `None` outside headers.
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

    /// The limit that was exceeded.
    pub(super) fn exceeded(&self) -> Option<Exceeded> {
        self.0.borrow().exceeded
    }

    /// Counts a member of any kind.
    pub(super) fn count_member(&self) -> Result<(), Exceeded> {
        let mut counts = self.0.borrow_mut();
        counts.members += 1;
        if counts.members > counts.limits.members {
            counts.exceeded = Some(Exceeded::Members(counts.limits.members));
        }
        counts.exceeded.map_or(Ok(()), Err)
    }

    /// Announces that a header of at most `most` bytes is read next; `None` announces a member's content.
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

/// A reader that counts unpacked bytes as they are read.
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
