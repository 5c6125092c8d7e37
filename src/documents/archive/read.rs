//! Reads an archive, and the archives in it, once from beginning to end.

use std::fs::File;
use std::io::{self, BufReader, Cursor, Read, Seek, SeekFrom};
use std::path::Path;

use super::SEPARATOR;
use super::found::{ArchiveEntry, Flow, Problem};
use super::kind::{HEAD, Packing, TAR_HEAD, inner_name, is_archive, is_tar, packing};
use super::limits::{ArchiveLimits, Counted, Meter};
use super::name::{Name, check_name};
use super::{mailbox, tarball, zipped};
use crate::documents::{is_library, is_media};

/// The most bytes that Deflate unpacks one byte to.
const DEFLATE_AT_BEST: u64 = 1040;

/// The length of a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// The length that the archive gives.
    Told(u64),
    /// The archive gives no length; a file longer than this is refused.
    AtMost(u64),
}

/// What is found in an archive, in its order.
pub enum Entry<'e> {
    /// A file to load.
    Member {
        /// The archive's path, the separator, and the path inside.
        path: String,
        /// Its length.
        size: Size,
        /// Its modification time if the archive gives one, else the archive's.
        modified_ns: i64,
        /// Its bytes.
        content: &'e mut dyn Read,
    },
    /// A file that is not loaded, and why.
    Refused {
        /// As for a member, with the name as written in the archive.
        path: String,
        /// Why.
        reason: String,
    },
    /// A file that is left out because of its name, as it would be in a folder.
    Skipped {
        /// As for a member, with the name as written in the archive.
        path: String,
    },
}

/// Reads an archive once from beginning to end and shows its entries. Returns whether the end was reached.
pub fn read_archive(
    file: File,
    path: &Path,
    modified_ns: i64,
    limits: &ArchiveLimits,
    visit: &mut dyn FnMut(Entry<'_>) -> Flow,
) -> Result<bool, Problem> {
    let meter = Meter::new(limits, file.metadata()?.len());
    let mut level = Level { path: path.to_string_lossy().into_owned(), modified_ns, depth: 1, meter, visit };
    Ok(level.read(file)? == Flow::On)
}

/// One archive in a nesting of archives.
struct Level<'l> {
    path: String,
    modified_ns: i64,
    depth: u32,
    meter: Meter,
    visit: &'l mut dyn FnMut(Entry<'_>) -> Flow,
}

impl Level<'_> {
    fn read(&mut self, mut file: File) -> Result<Flow, Problem> {
        let head = head_of(&mut file, HEAD)?;
        file.seek(SeekFrom::Start(0))?;
        let length = file.metadata()?.len();
        match packing(&head) {
            Packing::Zip => {
                let meter = self.meter.clone();
                zipped::read(file, &meter, &mut |found| self.take(found))
            }
            Packing::Gzip => {
                let most = length.saturating_mul(DEFLATE_AT_BEST);
                self.unpacked(flate2::read::MultiGzDecoder::new(BufReader::new(file)), Some(most), "gzip")
            }
            Packing::Zstd => self.unpacked(zstd::Decoder::new(file)?, Some(u64::MAX), "zstd"),
            Packing::Mailbox => mailbox::read(file, &mut |found| self.take(found)),
            Packing::Plain => self.unpacked(BufReader::new(file), None, "tar"),
        }
    }

    /// Reads what was packed as a whole: a tar archive, or one file of at most `most` bytes. With `most` absent, the
    /// archive was not packed, so a single file is not accepted.
    fn unpacked(&mut self, unpacked: impl Read, most: Option<u64>, format: &'static str) -> Result<Flow, Problem> {
        let mut unpacked = Counted { inner: BufReader::new(unpacked), meter: self.meter.clone() };
        let head = head_of(&mut unpacked, TAR_HEAD).map_err(|error| Problem::of(&self.meter, format, &error))?;
        let name = self.path.rsplit(['/', '\\']).next().unwrap_or_default().to_owned();
        let tar = is_tar(&head, &name);
        let mut whole = Cursor::new(head).chain(unpacked);
        if tar {
            let meter = self.meter.clone();
            return tarball::read(whole, &meter, &mut |found| self.take(found));
        }
        let size = Size::AtMost(most.ok_or(Problem::Unknown)?.min(self.meter.limits().file_bytes));
        self.meter.count_member()?;
        let flow = self.member(inner_name(&name), size, self.modified_ns, &mut whole)?;
        self.meter.exceeded().map_or(Ok(flow), |exceeded| Err(exceeded.into()))
    }

    /// Passes on what was found in this archive.
    fn take(&mut self, found: ArchiveEntry<'_>) -> Result<Flow, Problem> {
        match found {
            ArchiveEntry::Member { name, size, modified_ns, content } => {
                self.member(name, Size::Told(size), modified_ns.unwrap_or(self.modified_ns), content)
            }
            ArchiveEntry::Refused { name, reason } => Ok(self.refuse(name, reason)),
            ArchiveEntry::Skipped { name } => Ok(self.skip(name)),
        }
    }

    /// Shows a member, or its content if it is an archive.
    fn member(&mut self, name: &str, size: Size, modified_ns: i64, content: &mut dyn Read) -> Result<Flow, Problem> {
        let inside = match check_name(name) {
            Name::Inside(inside) => inside,
            Name::Hidden => return Ok(self.skip(name)),
            Name::Refused(reason) => return Ok(self.refuse(name, reason.to_owned())),
        };
        if is_media(Path::new(&inside)) || is_library(Path::new(&inside)) {
            return Ok(self.skip(name));
        }
        let path = format!("{}{SEPARATOR}{inside}", self.path);
        if !is_archive(Path::new(&inside)) {
            return Ok((self.visit)(Entry::Member { path, size, modified_ns, content }));
        }
        let deepest = self.meter.limits().depth;
        if self.depth >= deepest {
            let reason = format!("archives are read {deepest} deep: unpack it, or raise load.archive_depth");
            return Ok(self.refuse(name, reason));
        }
        let read = spooled(content).map_err(Problem::Io).and_then(|file| {
            let (meter, visit) = (self.meter.clone(), &mut *self.visit);
            Level { path, modified_ns, depth: self.depth + 1, meter, visit }.read(file)
        });
        match (read, self.meter.exceeded()) {
            (Ok(flow), _) => Ok(flow),
            // The whole exceeds a limit, whichever of its archives was being read when that was noticed.
            (Err(_), Some(exceeded)) => Err(exceeded.into()),
            (Err(problem), None) => Ok(self.refuse(name, problem.to_string())),
        }
    }

    /// Reports a member that is not loaded.
    fn refuse(&mut self, name: &str, reason: String) -> Flow {
        let path = self.shown(name);
        (self.visit)(Entry::Refused { path, reason })
    }

    /// Reports a member that is left out.
    fn skip(&mut self, name: &str) -> Flow {
        let path = self.shown(name);
        (self.visit)(Entry::Skipped { path })
    }

    /// The path of a member with an unchecked name.
    fn shown(&self, name: &str) -> String {
        let shown: String = name.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).take(400).collect();
        format!("{}{SEPARATOR}{shown}", self.path)
    }
}

fn head_of(reader: &mut dyn Read, most: usize) -> io::Result<Vec<u8>> {
    let mut head = Vec::with_capacity(most);
    reader.take(most as u64).read_to_end(&mut head)?;
    Ok(head)
}

/// Copies an archive within an archive into an unnamed file, which disappears when it is closed.
fn spooled(content: &mut dyn Read) -> io::Result<File> {
    let mut file = tempfile::tempfile()?;
    io::copy(content, &mut file)?;
    file.seek(SeekFrom::Start(0))?;
    Ok(file)
}
