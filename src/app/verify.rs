//! Checks a report against the collections, or directly against files.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use tokio_util::sync::CancellationToken;

use super::{App, AppError, options};
use crate::documents::archive::{ArchiveLimits, Entry, Flow, Size, is_archive, read_archive};
use crate::documents::parse::parse;
use crate::domain::{DocumentDate, DocumentId, PathPattern};
use crate::form;
use crate::ingest::LoadError;
use crate::report::shown_path;
use crate::sources::files::{SourceFile, find};
use crate::verify::{Check, Library, LibraryDocument, ReadReport, Verification, read};

/// Documents in a batch while words are looked for in all of them.
const AT_ONCE: usize = 64;

/// A report, and what it is checked against.
#[derive(Clone, Debug, Default)]
pub struct VerifyRequest {
    /// The report: Markdown, the JSON of a query, or a page.
    pub report: String,
    /// Names of collections; empty: all.
    pub collections: Vec<String>,
    /// Files and folders in place of collections.
    pub files: Vec<PathBuf>,
    /// Documents to think away, to see what would not be said without them: each as given, and as a pattern.
    pub without: Vec<(String, PathPattern)>,
}

impl App {
    /// Checks a report. Nothing is written.
    pub async fn verify(&self, request: &VerifyRequest) -> Result<Verification, AppError> {
        let altered = form::altered(&request.report).unwrap_or_default();
        let mut verification = self.check_report(read(&form::markdown_of(&request.report)?)?, request).await?;
        verification.holds &= altered.is_empty();
        verification.altered = altered;
        Ok(verification)
    }

    pub(super) async fn check_report(
        &self,
        report: ReadReport,
        request: &VerifyRequest,
    ) -> Result<Verification, AppError> {
        if !request.files.is_empty() {
            let (paths, cwd, without) = (request.files.clone(), self.cwd().to_owned(), request.without.clone());
            let options = options::load_options(self.config());
            let done = tokio::task::spawn_blocking(move || {
                let (documents, texts, unread) = read_files(&paths, &cwd, options.max_file_bytes, &options.archives)?;
                let shown =
                    |one: LibraryDocument| LibraryDocument { path: shown_path(&one.path, Some(cwd.as_path())), ..one };
                let library = Library::new(documents.into_iter().map(shown).collect());
                let mut check = Check::new(report, &library).with_excluded_paths(&without);
                let mut search = check.look(&texts);
                for (index, text) in &texts {
                    if search.is_done() {
                        break;
                    }
                    search.look(*index, text);
                }
                Ok(check.finish(&texts, &search, &unread))
            });
            return done.await.map_err(|error| AppError::Stopped { what: "reading the files", source: error })?;
        }
        self.verify_stored(report, request).await
    }

    async fn verify_stored(&self, report: ReadReport, request: &VerifyRequest) -> Result<Verification, AppError> {
        let (store, searched) = self.searched(&request.collections).await?;
        let (mut documents, mut ids): (Vec<LibraryDocument>, Vec<DocumentId>) = (Vec::new(), Vec::new());
        for collection in &searched {
            for record in store.documents(&collection.name).await? {
                ids.push(record.id);
                documents.push(LibraryDocument {
                    path: shown_path(&record.path, Some(self.cwd())),
                    collection: record.collection,
                    title: record.title,
                    date: record.date,
                });
            }
        }
        let library = Library::new(documents);
        let mut check = Check::new(report, &library).with_excluded_paths(&request.without);
        let mut texts: BTreeMap<usize, String> = BTreeMap::new();
        for index in check.wanted() {
            texts.insert(index, store.text(ids[index], 0..usize::MAX).await?);
        }
        let mut search = check.look(&texts);
        let others: Vec<usize> = (0..ids.len()).collect();
        for batch in others.chunks(AT_ONCE) {
            if search.is_done() {
                break;
            }
            for &index in batch {
                match texts.get(&index) {
                    Some(text) => {
                        search.look(index, text);
                    }
                    None => {
                        let text = store.text(ids[index], 0..usize::MAX).await?;
                        if search.look(index, &text) {
                            texts.insert(index, text);
                        }
                    }
                }
            }
        }
        let mut verification = check.finish(&texts, &search, &[]);
        let unseen = "whether files have changed since they were loaded (deepsearch load reads them again)";
        verification.not_checked.push(unseen.to_owned());
        Ok(verification)
    }
}

type ReadFiles = (Vec<LibraryDocument>, BTreeMap<usize, String>, Vec<String>);

/// A document and its text, or why there is none.
type ReadDocument = Result<(LibraryDocument, String), String>;

/// Reads files and the members of archives as a load would, but keeps their texts in memory only.
fn read_files(paths: &[PathBuf], cwd: &Path, most: u64, limits: &ArchiveLimits) -> Result<ReadFiles, AppError> {
    let roots =
        find(paths, cwd, false, &CancellationToken::new()).map_err(|error| AppError::Load(LoadError::Source(error)))?;
    let mut unread: Vec<String> = Vec::new();
    let mut files = Vec::new();
    for root in roots {
        unread.extend(root.unreadable.iter().map(|one| format!("{}: {}", one.path.display(), one.reason)));
        files.extend(root.files);
    }
    files.sort_by(|a, b| a.path.cmp(&b.path));
    files.dedup_by(|a, b| a.path == b.path);
    let read_file = |file: &SourceFile| match is_archive(Path::new(&file.path)) {
        true => read_members(&file.path, file.modified_ns, limits),
        false => vec![read_file(&file.path, file.size, file.modified_ns, most)],
    };
    let read: Vec<ReadDocument> = files.par_iter().flat_map_iter(read_file).collect();
    let (mut documents, mut texts) = (Vec::new(), BTreeMap::new());
    for read in read {
        match read {
            Ok((document, text)) => {
                texts.insert(documents.len(), text);
                documents.push(document);
            }
            Err(reason) => unread.push(reason),
        }
    }
    Ok((documents, texts, unread))
}

fn read_file(path: &str, size: u64, modified_ns: i64, most: u64) -> ReadDocument {
    if size > most {
        return Err(format!("{path}: larger than load.max_file_mb allows"));
    }
    let bytes = std::fs::read(path).map_err(|error| format!("{path}: {error}"))?;
    document(path, bytes, modified_ns)
}

/// Reads the members of an archive.
fn read_members(path: &str, modified_ns: i64, limits: &ArchiveLimits) -> Vec<ReadDocument> {
    let mut read: Vec<ReadDocument> = Vec::new();
    let mut visit = |entry: Entry<'_>| {
        match entry {
            Entry::Member { path, size: Size::Told(most) | Size::AtMost(most), modified_ns, content } => {
                let mut bytes = Vec::new();
                let taken = content.take(most).read_to_end(&mut bytes).map_err(|error| format!("{path}: {error}"));
                read.push(taken.and_then(|_| document(&path, bytes, modified_ns)));
            }
            Entry::Refused { path, reason } => read.push(Err(format!("{path}: {reason}"))),
            Entry::Skipped { .. } => {}
        }
        Flow::On
    };
    let ended = File::open(path).map_err(|error| error.to_string()).and_then(|file| {
        read_archive(file, Path::new(path), modified_ns, limits, &mut visit).map_err(|error| error.to_string())
    });
    read.extend(ended.err().map(|reason| Err(format!("{path}: {reason}"))));
    read
}

fn document(path: &str, bytes: Vec<u8>, modified_ns: i64) -> ReadDocument {
    let told = |reason: String| format!("{path}: {reason}");
    let (_, parsed) = parse(Path::new(path), bytes).map_err(|error| told(error.to_string()))?;
    let name = || Path::new(path).file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    let document = LibraryDocument {
        path: path.to_owned(),
        collection: String::new(),
        title: parsed.title.unwrap_or_else(name),
        date: parsed.date.or_else(|| DocumentDate::of_file_time(modified_ns)),
    };
    Ok((document, parsed.text))
}
