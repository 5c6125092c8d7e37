//! Files of folders of documents that are no documents, by their names. A walk leaves them out unread; a file that is named
//! is always tried.

use std::path::Path;

/// Endings of files that hold pictures, sound, films, fonts, archives of kinds that are not read, or machine code. No text
/// can be had of them, and they are often large.
const ENDINGS: &[&str] = &[
    "7z",
    "a",
    "aac",
    "avi",
    "avif",
    "bin",
    "bmp",
    "bz2",
    "class",
    "db",
    "dll",
    "dmg",
    "dylib",
    "exe",
    "flac",
    "gif",
    "heic",
    "ico",
    "iso",
    "jar",
    "jpeg",
    "jpg",
    "lib",
    "m4a",
    "m4v",
    "mkv",
    "mov",
    "mp3",
    "mp4",
    "mpeg",
    "mpg",
    "o",
    "obj",
    "ogg",
    "ogv",
    "onnx",
    "otf",
    "parquet",
    "png",
    "pyc",
    "pyo",
    "rar",
    "rlib",
    "safetensors",
    "so",
    "sqlite",
    "tif",
    "tiff",
    "ttf",
    "wasm",
    "wav",
    "webm",
    "webp",
    "wma",
    "wmv",
    "woff",
    "woff2",
    "xz",
];

/// Whether the name says that there is no text inside.
pub fn is_media(path: &Path) -> bool {
    path.extension()
        .and_then(|ending| ending.to_str())
        .is_some_and(|ending| ENDINGS.binary_search(&ending.to_lowercase().as_str()).is_ok())
}

/// Whether the name is that of a file that an office program keeps beside a document while somebody has it open: it says
/// who, and nothing of the document.
pub fn is_lock(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"~$"))
}

/// Whether the name is that of a reference manager's library. What it says of documents is told with them; beside them, its
/// entries would be found in their place. A walk leaves it out, and one that is named is read.
pub fn is_library(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("bib") || ending.eq_ignore_ascii_case("ris"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(name: &str, expected: bool) {
        assert_eq!(is_media(Path::new(name)), expected, "{name}");
    }

    #[test]
    fn known_by_their_ending() {
        assert!(ENDINGS.is_sorted(), "binary search needs the table in order");
        check("a.png", true);
        check("A.JPEG", true);
        check("x/7z.7z", true);
        check("a.xz", true);
        check("a.zip", false);
        check("png", false);
        check("notes.md", false);
        check("page.pdf", false);
        check("archive.tar.txt", false);
    }

    #[test]
    fn locks_are_told_by_the_beginning_of_their_names() {
        let check = |name: &str, expected: bool| assert_eq!(is_lock(Path::new(name)), expected, "{name}");
        check("a/~$plan.docx", true);
        check("a/~plan.docx", false);
        check("~$a/plan.docx", false);
    }
}
