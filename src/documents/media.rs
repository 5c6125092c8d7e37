//! Recognises by name the files in a folder of documents that are not documents. A walk skips them unread; a file that
//! is given by name is always tried.

use std::path::Path;

/// Extensions of pictures, sound, films, fonts, archives of kinds that are not read, and machine code. Such files hold
/// no text and are often large.
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

/// Whether the file's extension says that it holds no text.
pub fn is_media(path: &Path) -> bool {
    path.extension()
        .and_then(|ending| ending.to_str())
        .is_some_and(|ending| ENDINGS.binary_search(&ending.to_lowercase().as_str()).is_ok())
}

/// Whether this is the file that an office program keeps beside a document while somebody has it open. It names that
/// person and holds nothing of the document.
pub fn is_lock(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"~$"))
}

/// Whether this is the library of a reference manager. Its data are shown with the documents that it describes; indexed
/// beside them, its entries would be found in their place. A walk skips it; one that is given by name is read.
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
