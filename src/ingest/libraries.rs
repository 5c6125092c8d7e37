//! Files of reference managers beside documents. What people entered there takes precedence over what a document's file
//! says of itself.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use crate::documents::parse::{Reference, References};
use crate::domain::{DocumentRecord, Format};

/// The number of folders that are searched for them: the document's own and those above it. Zotero exports a library as
/// `library.bib` beside `files/12/paper.pdf`.
const FOLDERS: usize = 4;
/// The most of these files that are considered in a folder.
const FILES_OF_FOLDER: usize = 50;
/// The largest of these files that is read, in bytes.
const MAX_BYTES: u64 = 64 << 20;
/// The bytes at the beginning of a JSON file that show whether it lists publications.
const BEGINNING: u64 = 4096;

/// The references found in some folders, by folder.
#[derive(Debug, Default)]
pub(super) struct Libraries(BTreeMap<PathBuf, References>);

impl Libraries {
    /// Reads the libraries beside and above `files`, which come in the order of their paths. Blocks.
    pub(super) fn beside<'f>(files: impl Iterator<Item = &'f str>) -> Self {
        let mut folders: BTreeSet<&Path> = BTreeSet::new();
        let mut last = None;
        for folder in files.map(|file| Path::new(file).parent()) {
            if folder != last {
                folders.extend(folder.into_iter().flat_map(Path::ancestors).take(FOLDERS));
                last = folder;
            }
        }
        let read = |folder: &Path| Some((folder.to_owned(), references_in(folder))).filter(|(_, all)| !all.is_empty());
        Libraries(folders.into_iter().filter_map(read).collect())
    }

    /// What the nearest library says of a document, found by its file, else by its DOI, else by its title.
    pub(super) fn entry(&self, path: &str, doi: Option<&str>, title: &str, format: Format) -> Option<&Reference> {
        if self.0.is_empty() {
            return None;
        }
        let path = Path::new(path);
        path.ancestors().skip(1).take(FOLDERS).find_map(|folder| {
            let all = self.0.get(folder)?;
            let relative = path.strip_prefix(folder).unwrap_or(path);
            let of_doi = || doi.and_then(|doi| all.of_doi(doi));
            let of_title = || is_publication(format).then(|| all.of_title(title)).flatten();
            all.of_file(relative).or_else(|| all.of_file(path)).or_else(of_doi).or_else(of_title)
        })
    }

    /// The same for a stored document. This finds the entry that it was stored with, if the entry is unchanged, since
    /// title and DOI then come from the entry.
    pub(super) fn entry_of(&self, record: &DocumentRecord) -> Option<&Reference> {
        self.entry(&record.path, record.authorship.doi.as_deref(), &record.title, record.format)
    }
}

/// Whether a document in this format may be the publication with its title, rather than notes on it.
fn is_publication(format: Format) -> bool {
    use Format::{Docx, Epub, Html, Latex, Odt, Pdf, Pptx, Rtf};
    matches!(format, Pdf | Epub | Docx | Odt | Rtf | Html | Latex | Pptx)
}

/// The entries of all such files in a folder.
fn references_in(folder: &Path) -> References {
    let mut paths: Vec<PathBuf> = match std::fs::read_dir(folder) {
        Ok(entries) => entries.filter_map(|entry| Some(entry.ok()?.path())).filter(|path| has_name(path)).collect(),
        Err(error) => {
            tracing::debug!("{}: {error}; no references are looked for in it", folder.display());
            Vec::new()
        }
    };
    // Files that are lists by their names come first, so that JSON data cannot crowd them out.
    paths.sort_by_cached_key(|path| (is_json(path), path.clone()));
    let mut all = References::default();
    for path in paths.iter().take(FILES_OF_FOLDER).filter(|path| is_list(path)) {
        match std::fs::read(path) {
            Ok(bytes) => all.add(path, &String::from_utf8_lossy(&bytes)),
            Err(error) => tracing::warn!("{}: {error}; what it says of documents is not used", path.display()),
        }
    }
    all
}

fn has_name(path: &Path) -> bool {
    let ending = path.extension().and_then(|ending| ending.to_str()).map(str::to_lowercase);
    ending.is_some_and(|ending| ["bib", "ris", "json"].contains(&ending.as_str()))
}

fn is_json(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("json"))
}

/// Whether a file is small enough and, if it is JSON, begins like a list of publications.
fn is_list(path: &Path) -> bool {
    if !path.metadata().is_ok_and(|file| file.is_file() && file.len() <= MAX_BYTES) {
        return false;
    }
    if !is_json(path) {
        return true;
    }
    let mut start = Vec::new();
    let read = File::open(path).and_then(|file| file.take(BEGINNING).read_to_end(&mut start));
    let start = String::from_utf8_lossy(&start);
    let start = start.trim_start_matches('\u{feff}').trim_start();
    read.is_ok() && start.starts_with('[') && (start.contains("\"type\"") || start.contains("\"title\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_lists_of_publications_are_read() {
        let folder = tempfile::tempdir().expect("a folder");
        let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).expect("written");
        write("data.json", "[{\"name\": \"a\"}]");
        write("one.json", "{\"type\": \"book\", \"title\": \"One\"}");
        write("library.json", " [{\"type\": \"book\", \"title\": \"Two\", \"DOI\": \"10.1000/2\"}]");
        write("notes.txt", "@misc{a, title = {Three}}");
        (0..FILES_OF_FOLDER).for_each(|number| write(&format!("more-{number}.json"), "{}"));
        write("zotero.bib", "@book{five, title = {Five}}");
        write("a.RIS", "TY  - JOUR\nTI  - Four\nER  - \n");
        let file = folder.path().join("papers/x/y.pdf");
        let libraries = Libraries::beside(std::iter::once(file.to_str().expect("plain")));
        let check = |doi: Option<&str>, title: &str, format: Format, expected: Option<&str>| {
            let found = libraries.entry(file.to_str().expect("plain"), doi, title, format);
            assert_eq!(found.and_then(|one| one.said.title.as_deref()), expected, "{doi:?} {title}");
        };
        check(None, "one", Format::Pdf, None);
        check(None, "TWO", Format::Pdf, Some("Two"));
        check(None, "two", Format::Markdown, None);
        check(Some("10.1000/2"), "else", Format::Markdown, Some("Two"));
        check(None, "three", Format::Pdf, None);
        check(None, "four", Format::Pdf, Some("Four"));
        check(None, "five", Format::Pdf, Some("Five"));
        let deep = folder.path().join("a/b/c/d/y.pdf");
        assert!(Libraries::beside(std::iter::once(deep.to_str().expect("plain"))).0.is_empty(), "four folders below");
    }
}
