use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

/// Writes a file so that a reader, or the next start after a crash, sees the old content or the new one, whole.
///
/// The content goes to a temporary sibling (named after this process, so two writers do not meet), is synced, and is
/// renamed over `path`. On an error the sibling is removed and `path` is untouched.
pub fn write_atomically(path: &Path, content: &[u8]) -> io::Result<()> {
    let mut name = path.file_name().map_or_else(OsString::new, OsString::from);
    name.push(format!(".{}.tmp", std::process::id()));
    let sibling = path.with_file_name(name);
    let written = (|| {
        let mut file = File::create(&sibling)?;
        file.write_all(content)?;
        file.sync_all()?;
        std::fs::rename(&sibling, path)
    })();
    if written.is_err() {
        // The first error is the one to report; a leftover temporary file does no harm.
        drop(std::fs::remove_file(&sibling));
    }
    written
}
