//! Archives as a load sees them: one file on disk, and a document for each of its members.
//!
//! An unchanged archive costs one stat. A new or changed one is read once from beginning to end, on a thread of its
//! own. That thread announces a member, waits until the load's byte budget has room for it and a thread can parse it,
//! and hands it over.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::Read;
use std::path::Path;

use tokio::sync::{mpsc, oneshot};

use super::prepare::Content;
use crate::documents::archive::{ArchiveLimits, Entry, Flow, SEPARATOR, Size, read_archive};

/// The beginning of the paths of an archive's members.
pub(super) fn beginning(archive: &str) -> String {
    format!("{archive}{SEPARATOR}")
}

/// Whether the archive that holds `path` is among `files`.
pub(super) fn is_member_of_any(path: &str, is_file: impl Fn(&str) -> bool) -> bool {
    path.match_indices(SEPARATOR).any(|(at, _)| is_file(&path[..at]))
}

/// A member's bytes, which are read on request.
#[derive(Debug)]
pub(super) struct MemberContent {
    ask: oneshot::Sender<()>,
    bytes: oneshot::Receiver<Result<Vec<u8>, String>>,
}

impl MemberContent {
    /// Blocks until the archive's reader has handed over the bytes.
    pub(super) fn take(self) -> Result<Vec<u8>, String> {
        let ended = || Err("the reading of its archive has ended".to_owned());
        match self.ask.send(()) {
            Ok(()) => self.bytes.blocking_recv().unwrap_or_else(|_closed| ended()),
            Err(()) => ended(),
        }
    }
}

/// A member of an archive that is being read, before it becomes a task.
pub(super) struct Member {
    pub(super) path: String,
    pub(super) size: u64,
    pub(super) modified_ns: i64,
    pub(super) content: Content,
}

/// The result of reading an archive.
#[derive(Default)]
pub(super) struct ArchiveRead {
    /// The paths of all members, including those that cannot be read.
    pub(super) members: BTreeSet<String>,
    /// The paths of members that were skipped unread, as files are.
    pub(super) skipped: Vec<String>,
    /// Whether its end was reached, so that every member not listed is gone.
    pub(super) complete: bool,
}

/// Reads an archive and sends what it finds; ends early once the receiver is gone. Blocks.
pub(super) fn read(path: &str, modified_ns: i64, limits: &ArchiveLimits, out: &mpsc::Sender<Member>) -> ArchiveRead {
    let mut reading = ArchiveRead::default();
    let refused =
        |path: String, reason: String| Member { path, size: 0, modified_ns, content: Content::Refused(reason) };
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) => {
            // The receiver is gone only if the whole load is being abandoned.
            drop(out.blocking_send(refused(path.to_owned(), format!("cannot read it: {error}"))));
            return reading;
        }
    };
    let ended = read_archive(file, Path::new(path), modified_ns, limits, &mut |entry| match entry {
        Entry::Skipped { path } => {
            reading.skipped.push(path);
            Flow::On
        }
        Entry::Refused { path, reason } => {
            reading.members.insert(path.clone());
            flow(out.blocking_send(refused(path, reason)).is_ok())
        }
        Entry::Member { path, size, modified_ns, content } => {
            if !reading.members.insert(path.clone()) {
                let reason = "it stands more than once in its archive, and the first was taken".to_owned();
                return flow(out.blocking_send(refused(path, reason)).is_ok());
            }
            let (ask, asked) = oneshot::channel();
            let (hand_over, bytes) = oneshot::channel();
            let content_of = Content::Member(MemberContent { ask, bytes });
            let (Size::Told(most) | Size::AtMost(most)) = size;
            if out.blocking_send(Member { path, size: most, modified_ns, content: content_of }).is_err() {
                return Flow::Stop;
            }
            // No request came: the member was refused for its size, or the load is ending, which the next send shows.
            if asked.blocking_recv().is_ok() {
                drop(hand_over.send(read_member(content, size)));
            }
            Flow::On
        }
    });
    match ended {
        Ok(complete) => reading.complete = complete,
        Err(reason) => drop(out.blocking_send(refused(path.to_owned(), reason.to_string()))),
    }
    reading
}

fn flow(goes_on: bool) -> Flow {
    if goes_on { Flow::On } else { Flow::Stop }
}

/// Reads a whole member, which may not be longer than announced: there is no room for more.
fn read_member(content: &mut dyn Read, size: Size) -> Result<Vec<u8>, String> {
    let (Size::Told(most) | Size::AtMost(most)) = size;
    let mut bytes = Vec::new();
    let read = content.take(most.saturating_add(1)).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
    match size {
        _ if read as u64 <= most => Ok(bytes),
        Size::Told(_) => Err("it is longer than its archive says: the archive may be damaged".to_owned()),
        Size::AtMost(_) => Err(format!("it has more than {most} bytes: split it, or raise load.max_file_mb")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_known_by_their_archive() {
        let is_file = |path: &str| path == "/x/a.zip";
        for (path, expected) in
            [("/x/a.zip!/b.md", true), ("/x/a.zip!/in.tar!/b.md", true), ("/x/b.zip!/b.md", false), ("/x/a.zip", false)]
        {
            assert_eq!(is_member_of_any(path, is_file), expected, "{path}");
        }
    }
}
