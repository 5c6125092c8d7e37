//! Whole loads into a store in memory.

mod archives;
mod keeping;
mod like_fresh;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use tokio_util::sync::CancellationToken;

use super::passage::passage_text;
use super::testing::{LengthEmbedder, MemoryStore};
use super::*;
use crate::documents::chunk::ChunkOptions;
use crate::embed::Embedder;
use crate::store::StoreError;

/// A folder of files and the store that they are loaded into.
struct Bench {
    folder: tempfile::TempDir,
    store: Arc<MemoryStore>,
    embedder: Option<Arc<LengthEmbedder>>,
    interrupt: CancellationToken,
    events: Mutex<Vec<LoadEvent>>,
    begun: Mutex<Vec<LoadedPlace>>,
}

impl Bench {
    fn new(files: &[(&str, &str)]) -> Self {
        let folder = tempfile::Builder::new().prefix("ingest").tempdir().expect("a temporary folder");
        let bench = Bench {
            folder,
            store: Arc::default(),
            embedder: None,
            interrupt: CancellationToken::new(),
            events: Mutex::default(),
            begun: Mutex::default(),
        };
        for (path, content) in files {
            bench.write(path, content.as_bytes());
        }
        bench
    }

    fn path(&self, path: &str) -> PathBuf {
        self.folder.path().canonicalize().expect("it exists").join(path)
    }

    fn write(&self, path: &str, content: &[u8]) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().expect("below the folder")).expect("made");
        fs::write(path, content).expect("written");
    }

    fn date(&self, path: &str, seconds: u64) {
        let file = fs::File::options().write(true).open(self.path(path)).expect("opened");
        file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds)).expect("dated");
    }

    fn request(&self, paths: &[&str]) -> LoadRequest {
        let paths = paths.iter().map(PathBuf::from).collect();
        LoadRequest { paths, cwd: self.folder.path().to_owned(), ..LoadRequest::default() }
    }

    fn run(&self, request: &LoadRequest) -> Result<LoadSummary, LoadError> {
        self.run_noting(request, |_| {})
    }

    fn run_noting(
        &self,
        request: &LoadRequest,
        noting: impl Fn(&LoadEvent) + Send + Sync,
    ) -> Result<LoadSummary, LoadError> {
        let embedder = self.embedder.clone().map(|embedder| embedder as Arc<dyn Embedder>);
        let progress = |event: LoadEvent| {
            noting(&event);
            self.events.lock().expect("not poisoned").push(event);
        };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
        let begun = |places: Vec<LoadedPlace>| {
            self.begun.lock().expect("not poisoned").extend(places);
            std::future::ready(())
        };
        runtime.block_on(load_announced(
            self.store.clone(),
            embedder,
            request,
            &progress,
            self.interrupt.clone(),
            begun,
        ))
    }

    fn load(&self, paths: &[&str]) -> LoadSummary {
        self.run(&self.request(paths)).expect("loads")
    }

    /// `collection: path` of all stored documents, with paths relative to the folder.
    fn stored(&self) -> Vec<String> {
        let root = self.path("");
        self.store.with(|state| {
            let shown = |(collection, path): &(String, String)| {
                let short = Path::new(path).strip_prefix(&root).unwrap_or(Path::new(path));
                format!("{collection}: {}", short.display())
            };
            state.documents.keys().map(shown).collect()
        })
    }

    fn log(&self) -> Vec<String> {
        self.store.with(|state| std::mem::take(&mut state.log))
    }
}

/// The numbers of new, changed, unchanged, removed and failed documents.
fn counts(summary: &LoadSummary) -> (u64, u64, u64, u64, usize) {
    (summary.new, summary.changed, summary.unchanged, summary.removed, summary.failed.len())
}

fn check_found(files: &[(&str, &str)], paths: &[&str], expected: &[&str]) {
    let bench = Bench::new(files);
    bench.load(paths);
    assert_eq!(bench.stored(), expected, "{paths:?}");
}

#[test]
fn a_load_has_begun_once_nothing_of_it_can_be_refused() {
    let told = |bench: &Bench| std::mem::take(&mut *bench.begun.lock().expect("not poisoned"));
    let bench = Bench::new(&[("x/a.md", "a"), ("y/b.md", "b")]);
    let nameless = LoadRequest { collection: Some(String::new()), ..bench.request(&["x"]) };
    assert!(matches!(bench.run(&nameless), Err(LoadError::BadName(_))));
    assert!(bench.run(&bench.request(&["x", "nothing"])).is_err());
    assert!(told(&bench).is_empty() && bench.log().is_empty());
    // After that point the places are known, whatever ends the load.
    let full = MemoryStore { full_at: Some(0), ..MemoryStore::default() };
    let bench = Bench { store: Arc::new(full), ..bench };
    assert!(bench.run(&bench.request(&["x", "y"])).is_err());
    let place = |name: &str| LoadedPlace { path: PathBuf::from(name), collections: vec![name.to_owned()] };
    assert_eq!(told(&bench), [place("x"), place("y")]);
}

#[test]
fn folders_files_and_patterns() {
    let files = &[("My Docs/b.md", "b"), ("My Docs/a.txt", "a"), ("My Docs/deep/er/c.md", "c"), ("other/d.md", "d")];
    check_found(
        files,
        &["My Docs"],
        &["my-docs: My Docs/a.txt", "my-docs: My Docs/b.md", "my-docs: My Docs/deep/er/c.md"],
    );
    check_found(files, &["other/d.md", "My Docs/b.md"], &["my-docs: My Docs/b.md", "other: other/d.md"]);
    check_found(files, &["My Docs/*.md"], &["my-docs: My Docs/b.md"]);
    check_found(files, &["My Docs/**/*.md"], &["my-docs: My Docs/b.md", "my-docs: My Docs/deep/er/c.md"]);
    check_found(files, &["My Docs/{a,b}.*"], &["my-docs: My Docs/a.txt", "my-docs: My Docs/b.md"]);
    // As in a shell: a folder that matches is loaded whole.
    check_found(files, &["My Docs/d*"], &["my-docs: My Docs/deep/er/c.md"]);
    // The same file named twice is loaded once.
    check_found(files, &["other", "other/d.md", "other/../other"], &["other: other/d.md"]);
    // A path that exists is not a pattern.
    check_found(&[("x/[a].md", "a"), ("x/a.md", "b")], &["x/[a].md"], &["x: x/[a].md"]);
}

#[test]
fn what_is_left_out() {
    let files = &[
        ("x/.gitignore", "drafts/\n*.log\n"),
        ("x/.deepsearchignore", "secret*\n"),
        ("x/drafts/a.md", "a"),
        ("x/run.log", "l"),
        ("x/secret.md", "s"),
        ("x/.hidden.md", "h"),
        ("x/photo.PNG", "p"),
        ("x/keep.md", "k"),
        ("x/sub/.gitignore", "!run.log\nkeep.md\n"),
        ("x/sub/run.log", "l"),
        ("x/sub/keep.md", "k"),
    ];
    check_found(files, &["x"], &["x: x/keep.md", "x: x/sub/run.log"]);
    // A file that is named is loaded all the same.
    check_found(files, &["x/secret.md", "x/.hidden.md"], &["x: x/.hidden.md", "x: x/secret.md"]);
    let bench = Bench::new(files);
    assert_eq!(bench.load(&["x"]).skipped, 1, "the photo is counted");
}

#[test]
#[cfg(unix)]
fn links_do_not_lead_out() {
    let bench = Bench::new(&[("x/a.md", "a"), ("outside/b.md", "b")]);
    std::os::unix::fs::symlink(bench.path("outside"), bench.path("x/link")).expect("linked");
    std::os::unix::fs::symlink(bench.path("outside/b.md"), bench.path("x/b.md")).expect("linked");
    std::os::unix::fs::symlink(bench.path("x"), bench.path("named")).expect("linked");
    bench.load(&["x"]);
    assert_eq!(bench.stored(), ["x: x/a.md"]);
    // A link that is named is followed, and the collection gets the name that the user knows.
    bench.load(&["named"]);
    assert_eq!(bench.stored(), ["named: x/a.md", "x: x/a.md"]);
}

#[test]
fn a_collection_for_each_folder() {
    let bench =
        Bench::new(&[("lib/top.md", "t"), ("lib/A B/a.md", "a"), ("lib/A B/in/b.md", "b"), ("lib/c/c.md", "c")]);
    let request = LoadRequest { collection_per_dir: true, ..bench.request(&["lib"]) };
    let summary = bench.run(&request).expect("loads");
    assert_eq!(summary.collections, ["a-b", "c", "lib"]);
    assert_eq!(bench.stored(), ["a-b: lib/A B/a.md", "a-b: lib/A B/in/b.md", "c: lib/c/c.md", "lib: lib/top.md"]);
    // A folder that is gone is pruned from its collection.
    fs::remove_dir_all(bench.path("lib/c")).expect("removed");
    let summary = bench.run(&LoadRequest { prune: true, ..request }).expect("loads");
    assert_eq!(counts(&summary), (0, 0, 3, 1, 0));
}

#[test]
fn only_what_changed_is_read() {
    let bench = Bench::new(&[("x/a.md", "aaa"), ("x/b.md", "bbb"), ("x/c.md", "ccc")]);
    for file in ["x/a.md", "x/b.md", "x/c.md"] {
        bench.date(file, 1_000);
    }
    assert_eq!(counts(&bench.load(&["x"])), (3, 0, 0, 0, 0));
    assert_eq!(bench.log(), ["create x", "put x 3", "flush", "describe x"]);

    assert_eq!(counts(&bench.load(&["x"])), (0, 0, 3, 0, 0));
    assert_eq!(bench.log(), Vec::<String>::new(), "nothing is written when nothing changed");

    // Same length, same time: one stat cannot tell, which is accepted.
    bench.write("x/a.md", b"AAA");
    bench.date("x/a.md", 1_000);
    // Another time, same content: the time is noted, and the day that it gives, but nothing is stored again.
    bench.date("x/b.md", 2_000);
    // Another time and content of the same length.
    bench.write("x/c.md", b"CCC");
    bench.date("x/c.md", 2_000);
    assert_eq!(counts(&bench.load(&["x"])), (0, 1, 2, 0, 0));
    assert_eq!(bench.log(), ["put x 1", "rename x 1", "flush", "describe x"]);
    assert_eq!(counts(&bench.load(&["x"])), (0, 0, 3, 0, 0));
    assert_eq!(bench.log(), Vec::<String>::new(), "the time was noted");

    // Same time, another length.
    bench.write("x/a.md", b"AAAA");
    bench.date("x/a.md", 1_000);
    assert_eq!(counts(&bench.load(&["x"])), (0, 1, 2, 0, 0));
}

#[test]
fn prune_stays_below_the_roots() {
    let bench = Bench::new(&[("x/a.md", "a"), ("x/b.md", "b"), ("xy/c.md", "c"), ("z/d.md", "d")]);
    let request =
        |paths: &[&str], prune| LoadRequest { collection: Some("all".to_owned()), prune, ..bench.request(paths) };
    bench.run(&request(&["x", "xy", "z"], false)).expect("loads");
    for file in ["x/b.md", "xy/c.md", "z/d.md"] {
        fs::remove_file(bench.path(file)).expect("removed");
    }
    assert_eq!(counts(&bench.run(&request(&["x"], false)).expect("loads")), (0, 0, 1, 0, 0));
    assert_eq!(counts(&bench.run(&request(&["x"], true)).expect("loads")), (0, 0, 1, 1, 0));
    assert_eq!(bench.stored(), ["all: x/a.md", "all: xy/c.md", "all: z/d.md"]);
    // A pattern prunes only what it matches.
    bench.write("z/e.txt", b"e");
    bench.run(&request(&["z/e.txt"], false)).expect("loads");
    fs::remove_file(bench.path("z/e.txt")).expect("removed");
    bench.write("z/f.md", b"f");
    assert_eq!(counts(&bench.run(&request(&["z/*.md"], true)).expect("loads")), (1, 0, 0, 1, 0));
    assert_eq!(bench.stored(), ["all: x/a.md", "all: xy/c.md", "all: z/e.txt", "all: z/f.md"]);
    // An emptied folder may be a disk that is not mounted: nothing is removed because of it alone.
    fs::remove_file(bench.path("x/a.md")).expect("removed");
    let error = bench.run(&request(&["x"], true)).expect_err("nothing there");
    assert!(matches!(error, LoadError::Source(crate::sources::SourceError::Empty { .. })), "{error}");
    assert_eq!(bench.stored().len(), 4);
}

#[test]
fn one_bad_file_does_not_stop_the_rest() {
    let bench = Bench::new(&[("x/a.md", "a"), ("x/big.md", "0123456789"), ("x/blank.md", " \n"), ("x/z.md", "z")]);
    bench.write("x/junk.md", &[0, 159, 146, 150, 0, 1]);
    let mut request = bench.request(&["x"]);
    request.options.max_file_bytes = 9;
    let summary = bench.run(&request).expect("loads");
    assert_eq!(counts(&summary), (2, 0, 0, 0, 2));
    assert_eq!(summary.empty, [bench.path("x/blank.md").display().to_string()]);
    let failed: Vec<String> = summary
        .failed
        .iter()
        .map(|failed| format!("{} {}", failed.path.rsplit('/').next().unwrap_or_default(), failed.reason))
        .collect();
    assert!(failed[0].starts_with("big.md it has 10 bytes"), "{failed:?}");
    assert!(failed[1].starts_with("junk.md "), "{failed:?}");
    assert_eq!(bench.stored(), ["x: x/a.md", "x: x/z.md"]);
}

#[test]
fn nothing_readable_makes_no_collection() {
    let bench = Bench::new(&[("x/blank.md", " ")]);
    let summary = bench.load(&["x"]);
    assert_eq!((counts(&summary), summary.empty.len()), ((0, 0, 0, 0, 0), 1));
    assert_eq!(summary.collections, Vec::<String>::new());
    assert_eq!(bench.log(), Vec::<String>::new());
}

#[test]
fn bad_places_are_named_before_anything_is_stored() {
    fn check(path: &str, expected: &str) {
        let bench = Bench::new(&[("docs/guide.md", "g"), ("empty/.hidden", "")]);
        let error = bench.run(&bench.request(&["docs", path])).map(|summary| summary.files);
        match error {
            Ok(files) => assert_eq!(expected, format!("{files} files")),
            Err(error) => assert!(error.to_string().contains(expected), "{error}"),
        }
    }
    check("dosc", "there is `docs`");
    check("docs/guid.md", "there is `guide.md`");
    check("dosc/guide.md", "there is `docs`");
    check("docs/guide.md/x", "docs/guide.md/x");
    check("zzz", "(looked in ");
    check("dosc/*.md", "there is `docs`");
    check("docs/[", "bad pattern `docs/[`");
    check("-", "standard input");
    // If there is something to load elsewhere, an empty folder only causes a warning.
    check("empty", "1 files");

    let bench = Bench::new(&[("empty/.hidden", "")]);
    let error = bench.run(&bench.request(&["empty"])).expect_err("nothing there").to_string();
    assert!(error.contains("`empty`"), "{error}");
}

#[test]
fn standard_input_is_one_document() {
    let bench = Bench::new(&[]);
    let request = LoadRequest { stdin: Some(b"# Piped\n\ntext".to_vec()), ..bench.request(&["-"]) };
    assert_eq!(counts(&bench.run(&request).expect("loads")), (1, 0, 0, 0, 0));
    assert_eq!(counts(&bench.run(&request).expect("loads")), (0, 0, 1, 0, 0));
    let hash = crate::base::ContentHash::of(b"# Piped\n\ntext");
    assert_eq!(bench.stored(), [format!("stdin: stdin:{hash}")]);
    let named = LoadRequest { stdin_name: Some("notes.md".to_owned()), ..request.clone() };
    bench.run(&named).expect("loads");
    let newer = LoadRequest { stdin: Some(b"other".to_vec()), ..named };
    assert_eq!(counts(&bench.run(&newer).expect("loads")), (0, 1, 0, 0, 0), "the same name is replaced");
}

#[test]
fn batches_keep_order_and_bounds() {
    let files: Vec<(String, String)> = (0..40).map(|n| (format!("x/{n:02}.md"), "word ".repeat(n + 1))).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let bench = Bench::new(&files);
    let mut request = bench.request(&["x"]);
    request.options = LoadOptions { batch_documents: 7, parallel_files: 4, ..LoadOptions::default() };
    assert_eq!(counts(&bench.run(&request).expect("loads")), (40, 0, 0, 0, 0));
    let puts: Vec<String> = bench.log().into_iter().filter(|call| call.starts_with("put")).collect();
    assert_eq!(puts, ["put x 7", "put x 7", "put x 7", "put x 7", "put x 7", "put x 5"]);
    let order: Vec<u64> = bench.store.with(|state| state.documents.values().map(|(found, _)| found.id.0).collect());
    assert!(order.is_sorted(), "documents are stored in the order of their paths: {order:?}");
}

#[test]
fn a_small_budget_still_lets_everything_through() {
    // Two files never fit together, and no batch is ever full: only the pause lets the first file be committed.
    let long = "word ".repeat(1000);
    let bench = Bench::new(&[("x/a.md", &long), ("x/b.md", &long), ("x/c.md", &long)]);
    let mut request = bench.request(&["x"]);
    request.options.in_flight_bytes = 6_000;
    request.options.batch_wait = Duration::from_millis(1);
    assert_eq!(counts(&bench.run(&request).expect("loads")), (3, 0, 0, 0, 0));
    let puts = bench.log().iter().filter(|call| call.starts_with("put")).count();
    assert_eq!(puts, 3);
}

#[test]
fn a_full_disk_keeps_what_was_committed() {
    let bench = Bench::new(&[("x/a.md", "a"), ("x/b.md", "b"), ("x/c.md", "c"), ("x/d.md", "d")]);
    let bench = Bench { store: Arc::new(MemoryStore { full_at: Some(2), ..MemoryStore::default() }), ..bench };
    let mut request = bench.request(&["x"]);
    request.options.batch_documents = 1;
    let error = bench.run(&request).expect_err("full");
    let LoadError::Failed { source: LoadCause::Store(StoreError::NoSpace { .. }), summary } = &error else {
        panic!("{error}")
    };
    assert_eq!(counts(summary), (2, 0, 0, 0, 0));
    assert!(error.to_string().contains("2 documents were stored before and are kept"), "{error}");
    assert_eq!(bench.stored(), ["x: x/a.md", "x: x/b.md"]);
    assert_eq!(counts(&bench.run(&request).expect("there is room again")), (2, 0, 2, 0, 0));
}

#[test]
fn an_interrupt_ends_after_the_batch_at_hand() {
    let files: Vec<String> = (0..60).map(|n| format!("x/{n:02}.md")).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|path| (path.as_str(), "text")).collect();
    let bench = Bench::new(&files);
    let mut request = LoadRequest { prune: true, ..bench.request(&["x"]) };
    request.options.batch_documents = 1;
    request.options.parallel_files = 2;
    let interrupt = bench.interrupt.clone();
    let summary = bench
        .run_noting(&request, |event| {
            if matches!(event, LoadEvent::Committed { .. }) {
                interrupt.cancel();
            }
        })
        .expect("loads");
    assert!(summary.interrupted);
    assert!((1..=3).contains(&summary.new), "one committed, one in the channel, one being handed over: {summary:?}");
    assert_eq!(bench.stored().len() as u64, summary.new);
    let again = Bench { interrupt: CancellationToken::new(), ..bench };
    assert_eq!(again.run(&request).expect("loads").new, 60 - summary.new, "the next load completes it");
}

#[test]
fn passages_are_embedded_in_order_over_documents() {
    let bench = Bench::new(&[("x/a.txt", "One passage."), ("x/b.txt", "Another one."), ("x/c.txt", "Third.")]);
    let bench = Bench { embedder: Some(Arc::new(LengthEmbedder::new("length"))), ..bench };
    bench.load(&["x"]);
    let embedder = bench.embedder.as_ref().expect("given");
    let calls = embedder.calls.lock().expect("not poisoned");
    assert_eq!(calls.len(), 1, "one call for three documents");
    let mut passages = calls[0].iter();
    bench.store.with(|state| {
        for (_, new) in state.documents.values() {
            assert!(!new.document.chunks.is_empty());
            for (chunk, vectors) in new.document.chunks.iter().zip(&new.vectors) {
                let passage = passage_text(&new.document, chunk).text;
                assert_eq!(passages.next(), Some(&passage));
                let expected = [passage.len() as f32];
                assert_eq!(vectors.as_ref().map(|vectors| vectors.embedding.as_slice()), Some(&expected[..]));
            }
        }
    });
    assert_eq!(passages.next(), None);
}

#[test]
fn languages_that_the_embedder_lacks_get_no_vector() {
    let bench = Bench::new(&[("x/a.txt", "これは日本語の文章です。とても短いですが、確かに日本語で書かれています。")]);
    let bench = Bench { embedder: Some(Arc::new(LengthEmbedder::new("length"))), ..bench };
    bench.load(&["x"]);
    bench.store.with(|state| {
        for (_, new) in state.documents.values() {
            assert!(new.vectors.iter().all(Option::is_none) && !new.vectors.is_empty(), "{new:?}");
        }
    });
}

#[test]
fn a_collection_keeps_its_embedder() {
    let bench = Bench::new(&[("x/a.txt", "One passage."), ("y/b.txt", "Another.")]);
    bench.load(&["x"]);
    let bench = Bench { embedder: Some(Arc::new(LengthEmbedder::new("first"))), ..bench };
    bench.load(&["y"]);
    bench.write("x/new.txt", b"More.");
    bench.load(&["x"]);
    bench.store.with(|state| assert_eq!(state.collections["x"].embedder, None));
    let warned = bench
        .events
        .lock()
        .expect("not poisoned")
        .iter()
        .any(|event| matches!(event, LoadEvent::Warning { message } if message.contains("`x`")));
    assert!(warned, "the user learns that the vectors are missing");
    bench.log();
    let mut bench = bench;
    for other in [Some(Arc::new(LengthEmbedder::new("second"))), None] {
        bench.embedder = other;
        let error = bench.run(&bench.request(&["y"])).expect_err("refused").to_string();
        assert!(error.contains("`y` was embedded with `first`"), "{error}");
    }
    assert_eq!(bench.log(), Vec::<String>::new(), "nothing was stored");
}

#[test]
fn a_failing_embedder_keeps_what_was_committed() {
    let bench = Bench::new(&[("x/a.txt", "One passage."), ("x/b.txt", "Another."), ("x/c.txt", "Third.")]);
    let mut embedder = LengthEmbedder::new("length");
    embedder.fails_at = Some(1);
    let bench = Bench { embedder: Some(Arc::new(embedder)), ..bench };
    let mut request = bench.request(&["x"]);
    request.options.batch_documents = 1;
    let error = bench.run(&request).expect_err("fails");
    assert!(
        matches!(&error, LoadError::Failed { source: LoadCause::Embed(_), summary } if summary.new == 1),
        "{error}"
    );
    assert!(bench.log().contains(&"flush".to_owned()), "what was committed can be searched");
}

#[test]
fn descriptions() {
    let bench = Bench::new(&[("x/a.txt", "One."), ("y/b.txt", "Two.")]);
    let description = |name: &str| {
        bench.store.with(|state| {
            let found = &state.collections[name];
            (found.description.clone(), found.described_by_user)
        })
    };
    bench.load(&["x"]);
    assert_eq!(description("x"), ("1 document, text: a. Telling words: word".to_owned(), false));
    let described = LoadRequest { description: Some("Mine.".to_owned()), ..bench.request(&["x"]) };
    bench.run(&described).expect("loads");
    assert_eq!(description("x"), ("Mine.".to_owned(), true), "also when nothing else changed");
    bench.write("x/c.txt", b"Three.");
    bench.load(&["x"]);
    assert_eq!(description("x"), ("Mine.".to_owned(), true), "a later load keeps it");
    let both = LoadRequest { paths: vec!["x".into(), "y".into()], ..described };
    assert!(matches!(bench.run(&both), Err(LoadError::ManyDescribed { .. })));
}
