use std::fs::File;
use std::io::{self, BufReader, Cursor, Read, Seek, SeekFrom};
use std::path::Path;

use super::SEPARATOR;
use super::kind::{HEAD, Packing, TAR_HEAD, inner_name, is_archive, is_tar, packing};
use super::limits::{ArchiveLimits, Counted, Exceeded, Meter};
use super::name::{Name, check_name};
use super::{mailbox, tarball, zipped};
use crate::documents::is_media;

/// No packing of one file makes more of its bytes than this.
const DEFLATE_AT_BEST: u64 = 1040;

/// What is met in an archive, in its order.
pub enum Entry<'e> {
    /// A file to load.
    Member {
        /// The archive's path, the separator, and the path inside.
        path: String,
        /// Its length, or the most that it may have where the archive does not tell.
        size: u64,
        /// Its own time where the archive tells, else the archive's.
        modified_ns: i64,
        /// Its bytes.
        content: &'e mut dyn Read,
    },
    /// A file that is not loaded, and why.
    Refused {
        /// As for a member; its name as it is written in the archive.
        path: String,
        /// Why.
        reason: String,
    },
    /// A file that is left out for its name, as it would be in a folder.
    Skipped,
}

/// Whether the visitor wants more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// Yes.
    On,
    /// No.
    Stop,
}

/// Why an archive is not read, or not to its end.
#[derive(Debug, thiserror::Error)]
pub enum Problem {
    #[error(transparent)]
    Exceeded(#[from] Exceeded),
    #[error("broken {format} archive: {reason}")]
    Broken { format: &'static str, reason: String },
    #[error("cannot read it: {0}")]
    Io(#[from] io::Error),
    #[error("its name says that it is an archive, and its content is none that can be read")]
    Unknown,
}

/// Reads an archive once from its beginning to its end and shows what is in it. Whether the end was reached.
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

/// One archive of those that lie in each other.
pub(super) struct Level<'l> {
    path: String,
    pub(super) modified_ns: i64,
    depth: u32,
    pub(super) meter: Meter,
    visit: &'l mut dyn FnMut(Entry<'_>) -> Flow,
}

impl Level<'_> {
    fn read(&mut self, mut file: File) -> Result<Flow, Problem> {
        let head = head_of(&mut file, HEAD)?;
        file.seek(SeekFrom::Start(0))?;
        let length = file.metadata()?.len();
        match packing(&head) {
            Packing::Zip => zipped::read(file, self),
            Packing::Gzip => {
                let most = length.saturating_mul(DEFLATE_AT_BEST);
                self.unpacked(flate2::read::MultiGzDecoder::new(BufReader::new(file)), most, "gzip")
            }
            Packing::Zstd => self.unpacked(zstd::Decoder::new(file)?, u64::MAX, "zstd"),
            Packing::Mailbox => mailbox::read(file, self),
            Packing::Plain => self.unpacked(BufReader::new(file), 0, "tar"),
        }
    }

    /// Reads what was packed as a whole: a tar archive, or one file of `most` bytes at most.
    fn unpacked(&mut self, unpacked: impl Read, most: u64, format: &'static str) -> Result<Flow, Problem> {
        let mut unpacked = Counted { inner: BufReader::new(unpacked), meter: self.meter.clone() };
        let head = head_of(&mut unpacked, TAR_HEAD).map_err(|error| self.broken(format, &error))?;
        let name = self.path.rsplit('/').next().unwrap_or_default().to_owned();
        let tar = is_tar(&head, &name);
        let mut whole = Cursor::new(head).chain(unpacked);
        if tar {
            return tarball::read(whole, self);
        }
        if most == 0 {
            return Err(Problem::Unknown);
        }
        let size = most.min(self.meter.limits().file_bytes);
        self.meter.member()?;
        let flow = self.member(inner_name(&name), size, self.modified_ns, &mut whole)?;
        self.meter.exceeded().map_or(Ok(flow), |exceeded| Err(exceeded.into()))
    }

    /// Shows a member, or what is in it where it is an archive.
    pub(super) fn member(
        &mut self,
        name: &str,
        size: u64,
        modified_ns: i64,
        content: &mut dyn Read,
    ) -> Result<Flow, Problem> {
        let inside = match check_name(name) {
            Name::Inside(inside) => inside,
            Name::Hidden => return Ok((self.visit)(Entry::Skipped)),
            Name::Refused(reason) => return Ok(self.refuse(name, reason.to_owned())),
        };
        if is_media(Path::new(&inside)) {
            return Ok((self.visit)(Entry::Skipped));
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
        match read {
            Ok(flow) => Ok(flow),
            // What all of it comes to is too much, whichever archive of it was read when that was seen.
            Err(_) if self.meter.exceeded().is_some() => {
                Err(self.meter.exceeded().map_or(Problem::Unknown, Problem::Exceeded))
            }
            Err(problem) => Ok(self.refuse(name, problem.to_string())),
        }
    }

    /// Names a member that is not loaded.
    pub(super) fn refuse(&mut self, name: &str, reason: String) -> Flow {
        let shown: String = name.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).take(400).collect();
        (self.visit)(Entry::Refused { path: format!("{}{SEPARATOR}{shown}", self.path), reason })
    }

    /// Notes something that is left out.
    pub(super) fn skip(&mut self) -> Flow {
        (self.visit)(Entry::Skipped)
    }

    /// The limit that stopped the reading, or damage.
    pub(super) fn broken(&self, format: &'static str, error: &dyn std::error::Error) -> Problem {
        match self.meter.exceeded() {
            Some(exceeded) => Problem::Exceeded(exceeded),
            None => Problem::Broken { format, reason: error.to_string() },
        }
    }
}

fn head_of(reader: &mut dyn Read, most: usize) -> io::Result<Vec<u8>> {
    let mut head = Vec::with_capacity(most);
    reader.take(most as u64).read_to_end(&mut head)?;
    Ok(head)
}

/// An archive within an archive, in a file that has no name and is gone when it is closed.
fn spooled(content: &mut dyn Read) -> io::Result<File> {
    let mut file = tempfile::tempfile()?;
    io::copy(content, &mut file)?;
    file.seek(SeekFrom::Start(0))?;
    Ok(file)
}
