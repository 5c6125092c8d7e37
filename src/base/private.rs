//! Files and folders that only their owner may read. On systems without Unix's permissions nothing is changed.

use std::fs::OpenOptions;
use std::io;
use std::path::Path;

/// Creates a folder and its missing parents, for their owner alone.
pub fn create_private_folder(path: &Path) -> io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

/// Options that create a file for its owner alone. The caller decides how it is opened.
pub fn private_file() -> OpenOptions {
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// Removes the access of all others from a file, or from a folder with everything in it except entries named in
/// `spared`. Links are not followed, and what belongs to somebody else stays unchanged: its owner decides.
pub fn make_private(path: &Path, spared: &[&str]) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let Ok(found) = std::fs::symlink_metadata(path) else { return };
        if found.is_symlink() {
            return;
        }
        if found.is_dir() {
            for entry in std::fs::read_dir(path).into_iter().flatten().flatten() {
                if !spared.iter().any(|name| entry.file_name() == *name) {
                    make_private(&entry.path(), spared);
                }
            }
        }
        let mode = found.permissions().mode();
        if mode & 0o077 != 0 {
            drop(std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode & 0o700)));
        }
    }
    #[cfg(not(unix))]
    let _ = (path, spared);
}
