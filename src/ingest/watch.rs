//! Follows folders: reports that something in them may have changed, once they have been quiet for a while. What has
//! changed is found by the load, which looks at every file anyway.

use std::path::{Path, PathBuf};
use std::time::Duration;

use notify::event::{AccessKind, AccessMode};
use notify::{Event, EventKind, PollWatcher, RecommendedWatcher, RecursiveMode, Watcher};
use tokio::sync::mpsc::{Receiver, Sender, channel};

use crate::sources::files::base_of;

/// How often folders are scanned where the system does not report changes.
const POLLING: Duration = Duration::from_secs(2);

/// A folder in which something changes all the time is loaded after this many times the quiet wait.
const PATIENCE: u32 = 20;

/// Why folders cannot be followed.
#[derive(Debug, thiserror::Error)]
pub enum WatchError {
    /// Neither the system's events nor repeated scans work.
    #[error("cannot follow {path}: {source}")]
    Refused {
        /// The place that was to be followed.
        path: PathBuf,
        /// The system's error.
        source: notify::Error,
    },
    /// There is no folder to follow.
    #[error("there is nothing to follow: no folder of what was loaded is there")]
    Nothing,
}

/// Folders that are followed until this is dropped.
pub struct Followed {
    changes: Receiver<()>,
    /// Why the folders are scanned repeatedly; set where the system does not report changes.
    pub polling: Option<String>,
    _watcher: Box<dyn Watcher + Send>,
}

impl Followed {
    /// Follows the places at some absolute paths: folders, files, and whatever patterns may match. Changes below
    /// `except`, where the program itself writes, are ignored.
    ///
    /// # Errors
    /// If nothing can be followed.
    pub fn start(places: &[PathBuf], except: &Path) -> Result<Self, WatchError> {
        let places: Vec<(PathBuf, RecursiveMode)> = places.iter().filter_map(|place| followed(place)).collect();
        if places.is_empty() {
            return Err(WatchError::Nothing);
        }
        // One waiting signal is as good as many.
        let (out, changes) = channel(1);
        let native = notify::recommended_watcher(handler(out.clone(), except));
        match native.and_then(|watcher: RecommendedWatcher| watching(watcher, &places)) {
            Ok(watcher) => Ok(Followed { changes, polling: None, _watcher: watcher }),
            // For example when more folders are followed than the system allows.
            Err(error) => {
                let config = notify::Config::default().with_poll_interval(POLLING);
                let polling = PollWatcher::new(handler(out, except), config);
                let watcher = polling.and_then(|watcher| watching(watcher, &places)).map_err(|source| {
                    let path = source.paths.first().or(places.first().map(|(path, _)| path)).cloned();
                    WatchError::Refused { path: path.unwrap_or_default(), source }
                })?;
                Ok(Followed { changes, polling: Some(error.to_string()), _watcher: watcher })
            }
        }
    }

    /// Waits for a change, and then until none has come for `quiet`. Returns `None` when no more can come.
    pub async fn changed(&mut self, quiet: Duration) -> Option<()> {
        settled(&mut self.changes, quiet).await
    }
}

async fn settled(changes: &mut Receiver<()>, quiet: Duration) -> Option<()> {
    changes.recv().await?;
    let patience = tokio::time::sleep(quiet.saturating_mul(PATIENCE));
    tokio::pin!(patience);
    loop {
        tokio::select! {
            biased;
            () = &mut patience => return Some(()),
            more = tokio::time::timeout(quiet, changes.recv()) => match more {
                Ok(Some(())) => {}
                Ok(None) | Err(_) => return Some(()),
            },
        }
    }
}

fn watching<W: Watcher + Send + 'static>(
    mut watcher: W,
    places: &[(PathBuf, RecursiveMode)],
) -> notify::Result<Box<dyn Watcher + Send>> {
    for (place, mode) in places {
        watcher.watch(place, *mode)?;
    }
    Ok(Box::new(watcher))
}

/// Returns the folder to follow for a place, and whether to follow everything below it. For a file it is the folder
/// that holds it, since editors replace the file. For a pattern it is the folder before the first special part; `None`
/// if that folder is gone.
fn followed(place: &Path) -> Option<(PathBuf, RecursiveMode)> {
    if place.is_dir() {
        return Some((place.to_owned(), RecursiveMode::Recursive));
    }
    if place.is_file() {
        return place.parent().map(|folder| (folder.to_owned(), RecursiveMode::NonRecursive));
    }
    let base = base_of(place)?;
    base.is_dir().then_some((base, RecursiveMode::Recursive))
}

fn handler(out: Sender<()>, except: &Path) -> impl Fn(notify::Result<Event>) + Send + 'static {
    let except = except.canonicalize().unwrap_or_else(|_| except.to_owned());
    move |event| {
        // An error means that events were lost, which may have been changes.
        if event.is_ok_and(|event| !may_change(&event, &except)) {
            return;
        }
        // A full channel already holds the signal; a closed one has no receiver left.
        let (Ok(()) | Err(_)) = out.try_send(());
    }
}

/// Whether an event may mean that a document has changed. Reading does not count, or each load would cause the next.
fn may_change(event: &Event, except: &Path) -> bool {
    let changes = match event.kind {
        EventKind::Access(AccessKind::Close(AccessMode::Write)) => true,
        EventKind::Access(_) => false,
        _ => true,
    };
    changes && (event.paths.is_empty() || event.paths.iter().any(|path| !path.starts_with(except)))
}

#[cfg(test)]
mod tests {
    use notify::event::{CreateKind, ModifyKind, RemoveKind};

    use super::*;

    #[test]
    fn reading_is_no_change() {
        fn check(kind: EventKind, path: &str, expected: bool) {
            let event = Event::new(kind).add_path(PathBuf::from(path));
            assert_eq!(may_change(&event, Path::new("/docs/.data")), expected, "{kind:?} {path}");
        }
        check(EventKind::Access(AccessKind::Open(AccessMode::Any)), "/docs/a.md", false);
        check(EventKind::Access(AccessKind::Close(AccessMode::Read)), "/docs/a.md", false);
        check(EventKind::Access(AccessKind::Close(AccessMode::Write)), "/docs/a.md", true);
        check(EventKind::Create(CreateKind::File), "/docs/a.md", true);
        check(EventKind::Modify(ModifyKind::Any), "/docs/a.md", true);
        check(EventKind::Remove(RemoveKind::Folder), "/docs/in", true);
        check(EventKind::Modify(ModifyKind::Any), "/docs/.data/catalog.sqlite", false);
        assert!(may_change(&Event::new(EventKind::Other), Path::new("/docs")), "events were lost");
    }

    #[test]
    fn many_changes_are_one_signal() {
        let (out, mut changes) = channel(1);
        let handle = handler(out, Path::new("/data"));
        for number in 0..100 {
            handle(Ok(Event::new(EventKind::Any).add_path(PathBuf::from(format!("/docs/{number}.md")))));
        }
        handle(Ok(Event::new(EventKind::Access(AccessKind::Any)).add_path(PathBuf::from("/docs/a.md"))));
        drop(handle);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
        runtime.block_on(async {
            assert_eq!(settled(&mut changes, Duration::from_secs(60)).await, Some(()));
            assert_eq!(settled(&mut changes, Duration::from_secs(60)).await, None, "nobody follows any more");
        });
    }

    #[test]
    fn what_is_followed_for_a_place() {
        let folder = tempfile::tempdir().expect("made");
        let root = folder.path();
        std::fs::write(root.join("a.md"), "a").expect("written");
        let check = |place: &str, expected: Option<RecursiveMode>| {
            let found = followed(&root.join(place));
            assert_eq!(found, expected.map(|mode| (root.to_owned(), mode)), "{place}");
        };
        check("", Some(RecursiveMode::Recursive));
        check("a.md", Some(RecursiveMode::NonRecursive));
        check("*/b.md", Some(RecursiveMode::Recursive));
        // A folder that is absent at the moment may have such a name.
        check("notes[old/b.md", Some(RecursiveMode::Recursive));
        check("gone", None);
        assert!(matches!(Followed::start(&[root.join("gone")], root), Err(WatchError::Nothing)));
    }
}
