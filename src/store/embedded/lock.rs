use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Write};
use std::path::Path;

use jiff::Timestamp;

use super::error::io_error;
use crate::base::minute_of;
use crate::store::StoreError;

/// The file whose lock makes a process the writer. The operating system releases the lock when the process ends,
/// however it ends, so the file may stay behind.
const FILE: &str = "writer.lock";

/// The longest note that is read from the file, in bytes; anything longer does not come from this program.
const LONGEST_NOTE: u64 = 200;

/// Makes this process the only writer of a data folder until dropped.
#[derive(Debug)]
pub(super) struct WriterLock {
    /// Kept open, because closing it releases the lock.
    _file: File,
}

impl WriterLock {
    /// Becomes the writer or returns an error that names the current one. Never waits.
    pub(super) fn acquire(folder: &Path, now: Timestamp) -> Result<WriterLock, StoreError> {
        let path = folder.join(FILE);
        let mut file = OpenOptions::new()
            .create(true)
            .read(true)
            .write(true)
            .truncate(false)
            .open(&path)
            .map_err(|error| io_error(folder, "cannot open", &path, error))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(StoreError::Locked { path: folder.to_owned(), holder: holder(&mut file) });
            }
            Err(TryLockError::Error(error)) => return Err(io_error(folder, "cannot lock", &path, error)),
        }
        let note = format!("process {}, since {}\n", std::process::id(), minute_of(now));
        file.set_len(0)
            .and_then(|()| file.write_all(note.as_bytes()))
            .map_err(|error| io_error(folder, "cannot write", &path, error))?;
        Ok(WriterLock { _file: file })
    }
}

/// Returns the note that the holder wrote. It may be missing if the holder has taken the lock but not written yet.
fn holder(file: &mut File) -> String {
    let mut note = String::new();
    match file.take(LONGEST_NOTE).read_to_string(&mut note) {
        Ok(_) if !note.trim().is_empty() => note.trim().to_owned(),
        _ => "it has not said which process it is".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_writer_is_told_who_the_first_is() {
        let folder = tempfile::tempdir().unwrap();
        let first = WriterLock::acquire(folder.path(), Timestamp::UNIX_EPOCH).unwrap();
        let Err(StoreError::Locked { holder, path }) = WriterLock::acquire(folder.path(), Timestamp::UNIX_EPOCH) else {
            panic!("two writers");
        };
        assert_eq!(path, folder.path());
        assert_eq!(holder, format!("process {}, since 1970-01-01 00:00 UTC", std::process::id()));
        drop(first);
        WriterLock::acquire(folder.path(), Timestamp::UNIX_EPOCH).unwrap();
    }
}
