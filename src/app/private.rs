//! Stored data shows what its owner reads and asks, so nobody else may read it.

use std::path::Path;

use super::web::STATE_FILE;
use crate::base::make_private;
use crate::ingest::register;

/// The beginnings of the names of this program's own files and folders. A data folder may hold other things, which are
/// not touched.
const OWN: [&str; 11] = [
    "FORMAT",
    "answers",
    "catalog.sqlite",
    STATE_FILE,
    "lexical",
    "memory.sqlite",
    "runs",
    "served",
    register::FILE,
    "vectors",
    "writer.lock",
];

/// The files of a server's tokens: the one that it creates, and the one of its owner. Their permissions are not
/// narrowed: the server refuses files that others could read, since a token that was read stays known.
pub const TOKEN_FILES: [&str; 2] = ["token", "tokens.toml"];

/// Removes the access of all others to this program's files in a data folder, and to the folder itself if it holds
/// nothing else. Files of earlier versions are narrowed too.
pub fn keep_private(folder: &Path) {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let (own, others): (Vec<_>, Vec<_>) =
        entries.partition(|entry| OWN.iter().any(|own| entry.file_name().to_string_lossy().starts_with(own)));
    let all_own = !own.is_empty() && others.iter().all(|other| other.file_name() == "models");
    // A link to the folder is not followed.
    if all_own && !folder.is_symlink() {
        return make_private(folder, &TOKEN_FILES);
    }
    for entry in own {
        make_private(&entry.path(), &TOKEN_FILES);
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn other_things_are_not_touched() {
        let folder = tempfile::tempdir().unwrap();
        let mode = |name: &str| std::fs::metadata(folder.path().join(name)).unwrap().permissions().mode() & 0o777;
        let narrowed = |names: &[(&str, u32)]| {
            std::fs::set_permissions(folder.path(), Permissions::from_mode(0o755)).unwrap();
            for (name, _) in names {
                std::fs::write(folder.path().join(name), "x").unwrap();
                std::fs::set_permissions(folder.path().join(name), Permissions::from_mode(0o644)).unwrap();
            }
            keep_private(folder.path());
            for (name, expected) in names {
                assert_eq!(mode(name), *expected, "{name}");
            }
        };
        narrowed(&[("catalog.sqlite-wal", 0o600), ("letter.txt", 0o644)]);
        assert_eq!(mode("."), 0o755);
        std::fs::remove_file(folder.path().join("letter.txt")).unwrap();
        std::fs::create_dir(folder.path().join("served")).unwrap();
        let served = [("served/tokens.toml", 0o644), ("served/token", 0o644), ("served/a-1.jsonl", 0o600)];
        narrowed(&[&[("catalog.sqlite", 0o600), ("FORMAT", 0o600)][..], &served].concat());
        assert_eq!((mode("."), mode("served")), (0o700, 0o700));
    }
}
