//! Files named on the command line: paths, folders, and patterns.

use std::ffi::OsStr;
use std::fs::Metadata;
use std::path::{Component, Path, PathBuf};
use std::time::UNIX_EPOCH;

use ignore::WalkBuilder;
use tokio_util::sync::CancellationToken;

use super::SourceError;
use super::glob::Pattern;
use super::missing::missing;
use crate::documents::archive::SEPARATOR;
use crate::documents::{is_library, is_lock, is_media};

/// The name of the file in a folder that lists what is not to be loaded, in `.gitignore` syntax.
pub const IGNORE_FILE: &str = ".deepsearchignore";

/// A file, as described by one `stat`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceFile {
    /// The absolute path, which identifies the document.
    pub path: String,
    /// The size in bytes.
    pub size: u64,
    /// The modification time in nanoseconds since 1970; 0 if the system gives none.
    pub modified_ns: i64,
}

/// A file or folder that was found but cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreadable {
    /// The file or folder.
    pub path: PathBuf,
    /// The reason, mostly the error of the operating system.
    pub reason: String,
}

/// One of the requested places, with what was found there.
#[derive(Clone, Debug)]
pub struct Root {
    /// The place as requested.
    pub asked: PathBuf,
    /// The files found, by path.
    pub files: Vec<SourceFile>,
    /// The files and folders that could not be listed or inspected, by path.
    pub unreadable: Vec<Unreadable>,
    /// Files left out because their names show that they contain no text.
    pub skipped: Vec<String>,
    /// The folder's name, from which the collection's name is derived.
    pub folder_name: String,
    /// Why there is nothing, if the place itself is missing.
    pub missing: Option<String>,
    scope: Scope,
}

#[derive(Clone, Debug)]
enum Scope {
    /// A single file; nothing else belongs to it.
    File,
    /// Everything below a folder.
    Folder(PathBuf),
    /// Everything that a pattern matches.
    Pattern(Pattern),
}

impl Root {
    /// Whether a document with this path would have been found here if the file still existed. Always false below a
    /// folder that could not be listed, and if there are no files at all, as when a disk is not mounted: in these
    /// cases, files are unknown, not gone.
    pub fn covers(&self, path: &Path) -> bool {
        let inside = match &self.scope {
            _ if self.files.is_empty() => false,
            Scope::File => false,
            Scope::Folder(folder) => path.starts_with(folder),
            Scope::Pattern(pattern) => path.strip_prefix(&pattern.base).is_ok_and(|below| pattern.matches(below)),
        };
        inside && !self.unreadable.iter().any(|unreadable| path.starts_with(&unreadable.path))
    }

    /// The name of the folder directly below this root that contains `path`; `None` for a file directly in the root.
    pub fn top_folder<'p>(&self, path: &'p Path) -> Option<&'p OsStr> {
        let base = match &self.scope {
            Scope::File => return None,
            Scope::Folder(folder) => folder,
            Scope::Pattern(pattern) => &pattern.base,
        };
        let mut parts = path.strip_prefix(base).ok()?.components();
        let first = parts.next()?;
        parts.next().map(|_| first.as_os_str())
    }
}

/// Finds the files of every path: a file, a folder (recursively, sorted by path), or a pattern. Relative paths start at
/// `cwd`. Folders are walked without hidden files, lock files of office programs, anything named by `.gitignore` or
/// [`IGNORE_FILE`], and symbolic links, which could lead out of the folder. Blocks on the file system.
///
/// # Errors
/// A path that does not exist, a broken pattern, or no files in any of the paths; with `lenient`, such places are roots
/// without files. Unreadable entries below a folder are not errors but are listed in [`Root::unreadable`].
pub fn find(
    paths: &[PathBuf],
    cwd: &Path,
    lenient: bool,
    interrupt: &CancellationToken,
) -> Result<Vec<Root>, SourceError> {
    let find = |path: &PathBuf| match find_root(path, cwd, interrupt) {
        Err(error) if lenient => {
            let mut root = Root::empty(path, String::new(), Scope::File);
            root.missing = Some(error.to_string());
            Ok(root)
        }
        found => found,
    };
    let roots: Vec<Root> = paths.iter().map(find).collect::<Result<_, SourceError>>()?;
    let nothing = roots.iter().all(|root| root.files.is_empty() && root.unreadable.is_empty());
    if nothing && !lenient && !roots.is_empty() && !interrupt.is_cancelled() {
        let places: Vec<String> = paths.iter().map(|path| format!("`{}`", path.display())).collect();
        return Err(SourceError::Empty { path: places.join(", ") });
    }
    Ok(roots)
}

fn find_root(asked: &Path, cwd: &Path, interrupt: &CancellationToken) -> Result<Root, SourceError> {
    let absolute = cwd.join(asked);
    // A path that exists is never a pattern, whatever characters its name contains.
    match std::fs::metadata(&absolute) {
        Ok(metadata) => existing(asked, &absolute, &metadata, interrupt),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound && Pattern::is_special(asked) => {
            let pattern = Pattern::new(asked, &absolute)?;
            if !pattern.base.is_dir() {
                return Err(missing(asked, &pattern.base));
            }
            let base = canonical(asked, &pattern.base)?;
            let mut root = Root::empty(asked, folder_name(&base), Scope::Pattern(pattern.below(&base)));
            root.walk(&base, interrupt);
            Ok(root)
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound && absolute.is_symlink() => {
            let source = std::io::Error::new(error.kind(), "it is a link to something that is not there");
            Err(SourceError::Unreadable { path: asked.to_owned(), source })
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Err(missing(asked, &absolute)),
        Err(source) => Err(SourceError::Unreadable { path: asked.to_owned(), source }),
    }
}

fn existing(
    asked: &Path,
    absolute: &Path,
    metadata: &Metadata,
    interrupt: &CancellationToken,
) -> Result<Root, SourceError> {
    let path = canonical(asked, absolute)?;
    if metadata.is_dir() {
        // The name that the user knows, even if it is a link to a folder of another name.
        let named = matches!(asked.components().next_back(), Some(Component::Normal(_)));
        let name = folder_name(if named { asked } else { &path });
        let mut root = Root::empty(asked, name, Scope::Folder(path.clone()));
        root.walk(&path, interrupt);
        return Ok(root);
    }
    let name = path.parent().map_or_else(String::new, folder_name);
    let mut root = Root::empty(asked, name, Scope::File);
    if metadata.is_file() {
        match source_file(&path, metadata) {
            Ok(file) => root.files.push(file),
            Err(unreadable) => root.unreadable.push(unreadable),
        }
    } else {
        root.unreadable.push(Unreadable { path, reason: "neither a file nor a folder".to_owned() });
    }
    Ok(root)
}

fn canonical(asked: &Path, path: &Path) -> Result<PathBuf, SourceError> {
    std::fs::canonicalize(path).map_err(|source| SourceError::Unreadable { path: asked.to_owned(), source })
}

/// The absolute path by which a place is known from now on. `..` and links above it are resolved, but its own name is
/// kept, even if it is a link, since the collection may be named after it.
pub fn absolute(asked: &Path, cwd: &Path) -> PathBuf {
    let path = cwd.join(asked);
    let named = matches!(path.components().next_back(), Some(Component::Normal(_)));
    let known = match (path.parent(), path.file_name()) {
        (Some(folder), Some(name)) if named => folder.canonicalize().map(|folder| folder.join(name)),
        _ => path.canonicalize(),
    };
    // A path that cannot be resolved is a pattern or does not exist.
    known.unwrap_or(path)
}

/// The folder before the first special part of a pattern; `None` for a path that is not a pattern.
pub fn base_of(path: &Path) -> Option<PathBuf> {
    let is_special = |part: &Component<'_>| Pattern::is_special(Path::new(part.as_os_str()));
    Pattern::is_special(path).then(|| path.components().take_while(|part| !is_special(part)).collect())
}

/// A file, folder or pattern by its absolute path, used to tell which documents came from it.
#[derive(Clone, Debug)]
pub struct Place {
    given: PathBuf,
    /// The path with links resolved, if it exists.
    resolved: Option<PathBuf>,
    pattern: Option<Pattern>,
}

impl Place {
    /// Creates a place and resolves its links.
    pub fn new(path: &Path) -> Self {
        let resolved = path.canonicalize().ok();
        let pattern = Pattern::is_special(path).then(|| Pattern::new(path, path).ok()).flatten();
        Place { given: path.to_owned(), resolved, pattern }
    }

    /// Whether a document with this path came from this place, judged by names only.
    pub fn holds(&self, path: &str) -> bool {
        let below = Path::new(path);
        let inside = |place: &PathBuf| {
            let member = || path.strip_prefix(place.to_str()?)?.strip_prefix(SEPARATOR);
            below.starts_with(place) || member().is_some()
        };
        let matches = |pattern: &Pattern| below.strip_prefix(&pattern.base).is_ok_and(|below| pattern.matches(below));
        inside(&self.given) || self.resolved.as_ref().is_some_and(inside) || self.pattern.as_ref().is_some_and(matches)
    }
}

fn folder_name(path: &Path) -> String {
    path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned())
}

impl Root {
    fn empty(asked: &Path, folder_name: String, scope: Scope) -> Self {
        Root {
            asked: asked.to_owned(),
            files: Vec::new(),
            unreadable: Vec::new(),
            skipped: Vec::new(),
            folder_name,
            missing: None,
            scope,
        }
    }

    fn walk(&mut self, folder: &Path, interrupt: &CancellationToken) {
        let pattern = match &self.scope {
            Scope::Pattern(pattern) => Some(pattern.clone()),
            Scope::File | Scope::Folder(_) => None,
        };
        let mut walk = WalkBuilder::new(folder);
        walk.hidden(!pattern.as_ref().is_some_and(|pattern| pattern.hidden))
            .ignore(false)
            .git_ignore(true)
            .git_exclude(true)
            // The result must not depend on the machine's own git settings.
            .git_global(false)
            .require_git(false)
            // Files in folders above apply only within a checkout: a `.gitignore` in a home folder is about other
            // things.
            .parents(folder.ancestors().any(|above| above.join(".git").exists()))
            .add_custom_ignore_filename(IGNORE_FILE)
            .follow_links(false);
        if let Some(pattern) = pattern.clone() {
            let base = folder.to_owned();
            walk.filter_entry(move |entry| {
                let below = entry.path().strip_prefix(&base).unwrap_or(entry.path());
                let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
                if is_folder { pattern.descends(below) } else { pattern.matches(below) }
            });
        }
        for entry in walk.build() {
            if interrupt.is_cancelled() {
                break;
            }
            match entry {
                Ok(entry) if entry.file_type().is_some_and(|kind| kind.is_file()) => {
                    if is_lock(entry.path()) {
                        continue;
                    }
                    if is_media(entry.path()) || is_library(entry.path()) {
                        self.skipped.push(entry.path().display().to_string());
                        continue;
                    }
                    match entry.metadata().map(|metadata| source_file(entry.path(), &metadata)) {
                        Ok(Ok(file)) => self.files.push(file),
                        Ok(Err(unreadable)) => self.unreadable.push(unreadable),
                        Err(error) => self.refuse(&error, folder),
                    }
                }
                Ok(_) => {}
                Err(error) => self.refuse(&error, folder),
            }
        }
        self.skipped.sort();
        self.files.sort_by(|a, b| a.path.cmp(&b.path));
        self.unreadable.sort_by(|a, b| a.path.cmp(&b.path));
    }

    fn refuse(&mut self, error: &ignore::Error, folder: &Path) {
        let path = path_of(error).unwrap_or(folder).to_owned();
        let reason =
            error.io_error().map_or_else(|| error.to_string(), |error| format!("cannot read it: {}", innermost(error)));
        self.unreadable.push(Unreadable { path, reason });
    }
}

fn source_file(path: &Path, metadata: &Metadata) -> Result<SourceFile, Unreadable> {
    match path.to_str() {
        Some(name) => {
            Ok(SourceFile { path: name.to_owned(), size: metadata.len(), modified_ns: modified_ns(metadata) })
        }
        None => Err(Unreadable { path: path.to_owned(), reason: "its name is not valid UTF-8: rename it".to_owned() }),
    }
}

/// The error of the operating system: the walker's own errors repeat the path before it.
fn innermost(error: &std::io::Error) -> String {
    let mut said: &dyn std::error::Error = error;
    while let Some(source) = said.source() {
        said = source;
    }
    said.to_string()
}

fn path_of(error: &ignore::Error) -> Option<&Path> {
    match error {
        ignore::Error::WithPath { path, .. } => Some(path),
        ignore::Error::WithDepth { err, .. } | ignore::Error::WithLineNumber { err, .. } => path_of(err),
        ignore::Error::Partial(errors) => errors.iter().find_map(path_of),
        ignore::Error::Loop { child, .. } => Some(child),
        _ => None,
    }
}

/// Nanoseconds since 1970; 0 if the system has no such time or it does not fit.
fn modified_ns(metadata: &Metadata) -> i64 {
    let Ok(modified) = metadata.modified() else {
        return 0;
    };
    match modified.duration_since(UNIX_EPOCH) {
        Ok(after) => i64::try_from(after.as_nanos()).unwrap_or(0),
        Err(before) => i64::try_from(before.duration().as_nanos()).map_or(0, |nanos| -nanos),
    }
}
