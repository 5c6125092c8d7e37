//! The title of a document that has none of its own or only a common one: the name of its file, and the folder's name
//! where the title alone does not tell it from others.

use std::path::Path;

use crate::domain::Format;

/// Titles of the kinds of documents that every project has.
const GENERIC_TITLES: [&str; 32] = [
    "readme",
    "changelog",
    "change log",
    "changes",
    "release notes",
    "releases",
    "history",
    "news",
    "contributing",
    "license",
    "install",
    "installation",
    "introduction",
    "overview",
    "getting started",
    "index",
    "contents",
    "table of contents",
    "faq",
    "frequently asked questions",
    "architecture",
    "status",
    "notes",
    "todo",
    "main",
    "untitled",
    "概要",
    "はじめに",
    "目次",
    "変更履歴",
    "更新履歴",
    "よくある質問",
];

/// Names of folders that say nothing; the folder above them names the project.
const GENERIC_FOLDERS: [&str; 14] = [
    "doc",
    "docs",
    "documentation",
    "documents",
    "src",
    "source",
    "content",
    "pages",
    "html",
    "en",
    "ja",
    "main",
    "latest",
    "stable",
];

/// How many folders upwards are examined.
const UPWARDS: usize = 3;

/// Returns the file's name without its ending, in words. The name of a source file is left as it is, since it is a name
/// in its programming language.
pub(super) fn file_title(name: &Path, format: Format) -> String {
    let stem = name.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
    let words = stem.replace('_', " ");
    if format == Format::Code || words.trim().is_empty() { stem } else { words.trim().to_owned() }
}

/// Returns a title that tells the document from others: for `rand/CHANGELOG.md`, "rand: Changelog".
pub(super) fn distinctive_title(title: String, path: &Path) -> String {
    let words = title.to_lowercase().replace(['-', '_'], " ");
    let is_of_a_kind = GENERIC_TITLES.contains(&words.trim()) || is_version(&title);
    let folders = path.parent().into_iter().flat_map(Path::ancestors).filter_map(Path::file_name).take(UPWARDS);
    let mut names = folders.map(|folder| folder.to_string_lossy());
    match names.find(|name| !GENERIC_FOLDERS.contains(&name.to_lowercase().as_str())) {
        Some(name) if is_of_a_kind => format!("{name}: {title}"),
        _ => title,
    }
}

/// Whether a title is a version number, with or without a date. A number before words is a section's.
fn is_version(title: &str) -> bool {
    let title = title.trim_start_matches(['v', 'V', '[']);
    let (first, rest) = title.split_once([' ', ']']).unwrap_or((title, ""));
    let goes_on = rest.trim_start().starts_with(char::is_alphabetic);
    first.contains('.') && first.chars().all(|c| c.is_ascii_digit() || c == '.') && !goes_on
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_called_by_their_names_in_words() {
        let check = |name: &str, format: Format, expected: &str| {
            assert_eq!(file_title(Path::new(name), format), expected, "{name}");
        };
        check("letter_of_the_caretaker.txt", Format::Text, "letter of the caretaker");
        check("2019-05-14 port.csv", Format::Csv, "2019-05-14 port");
        check("load_all.py", Format::Code, "load_all");
        check("_.txt", Format::Text, "_");
    }

    #[test]
    fn a_folder_tells_documents_of_a_kind_apart() {
        let check = |title: &str, path: &str, expected: &str| {
            assert_eq!(distinctive_title(title.to_owned(), Path::new(path)), expected, "{title} in {path}");
        };
        check("Changelog", "/src/rand/CHANGELOG.md", "rand: Changelog");
        check("README", "rand/docs/en/README.md", "rand: README");
        check("RELEASE-NOTES", "base64/RELEASE-NOTES.md", "base64: RELEASE-NOTES");
        check("1.54.0 (July 1st)", "tokio/CHANGELOG.md", "tokio: 1.54.0 (July 1st)");
        check("[1.2.0] - 2024-05-01", "serde/CHANGELOG.md", "serde: [1.2.0] - 2024-05-01");
        check("20.10. Automatic Vacuuming", "pg/vacuum.html", "20.10. Automatic Vacuuming");
        check("よくある質問", "大阪/faq.html", "大阪: よくある質問");
        check("Changes to the lease", "flat/lease.md", "Changes to the lease");
        check("2024 in review", "flat/review.md", "2024 in review");
        check("README", "README.md", "README");
    }
}
