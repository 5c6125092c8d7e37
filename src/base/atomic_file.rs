use std::ffi::OsString;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::if_there;

/// The most links in a row that are followed, as many as the system follows.
const MAX_LINKS: usize = 40;

/// Writes a file so that a reader, or the next start after a crash, sees the old content or the new one, whole.
///
/// The content goes to a temporary sibling (named after this process, so that two writers do not collide), is synced,
/// and is renamed over `path`. On an error the sibling is removed and `path` is untouched. A link stays, and its target
/// is replaced. A device or a pipe has no old content to keep: it is written into.
pub fn write_atomically(path: &Path, content: &[u8]) -> io::Result<()> {
    if if_there(std::fs::metadata(path))?.is_some_and(|found| !found.is_file() && !found.is_dir()) {
        return OpenOptions::new().write(true).open(path)?.write_all(content);
    }
    let path = resolve_links(path);
    let mut name = path.file_name().map_or_else(OsString::new, OsString::from);
    name.push(format!(".{}.tmp", std::process::id()));
    let sibling = path.with_file_name(name);
    let written = (|| {
        let mut file = File::create(&sibling)?;
        file.write_all(content)?;
        file.sync_all()?;
        std::fs::rename(&sibling, &path)
    })();
    if written.is_err() {
        // The first error is the one to report; a leftover temporary file does no harm.
        drop(std::fs::remove_file(&sibling));
    }
    written
}

/// The place to which links lead, even if no file is there yet.
fn resolve_links(path: &Path) -> PathBuf {
    let mut place = path.to_owned();
    for _ in 0..MAX_LINKS {
        let Ok(target) = std::fs::read_link(&place) else { break };
        place = place.parent().unwrap_or(Path::new("")).join(target);
    }
    place
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn links_stay_and_what_they_lead_to_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let place = |name: &str| folder.path().join(name);
        std::fs::create_dir(place("inner")).unwrap();
        std::fs::write(place("inner/old.md"), "old").unwrap();
        symlink("inner/second", place("first")).unwrap();
        symlink("old.md", place("inner/second")).unwrap();
        symlink("inner/new.md", place("dangling")).unwrap();
        let check = |link: &str, target: &str| {
            write_atomically(&place(link), b"new").unwrap();
            assert!(place(link).is_symlink(), "{link}");
            assert_eq!(std::fs::read_to_string(place(target)).unwrap(), "new", "{link}");
        };
        check("first", "inner/old.md");
        check("dangling", "inner/new.md");
        assert!(place("inner/second").is_symlink());
        symlink("circle", place("circle")).unwrap();
        assert!(write_atomically(&place("circle"), b"new").is_err());
        assert!(place("circle").is_symlink());
    }
}
