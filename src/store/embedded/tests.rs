//! Tests of the embedded store: the requirements for all stores, and its behaviour when it is killed, damaged or
//! written by another process.

use std::path::Path;

use proptest::prelude::*;

use super::*;
use crate::store::conformance::{
    a_large_document, block_on, contents, document, every_operation, filters, found, like_a_map, near, reembedding,
    renaming_documents, spec, steps,
};
use crate::store::conformance_languages::languages;
use crate::store::conformance_writers::{embeddings_by_chunk, two_writers};

#[path = "damage_tests.rs"]
mod damage;

const WORDS: [&str; 4] = ["apples", "pears", "plums", "common"];

fn options() -> EmbeddedOptions {
    EmbeddedOptions { index_threads: 1, index_memory: 15_000_000, ..EmbeddedOptions::default() }
}

fn open(folder: &Path) -> EmbeddedStore {
    EmbeddedStore::open(folder, &options()).unwrap()
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &to.join(entry.file_name()));
        } else {
            match std::fs::copy(entry.path(), to.join(entry.file_name())) {
                Ok(_) => {}
                // A merge in the background removed the file after it was listed: the copy then looks damaged, which is
                // worse than the state that a kill leaves.
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
                Err(error) => panic!("{error}"),
            }
        }
    }
}

#[test]
fn it_does_every_operation() {
    let folder = tempfile::tempdir().unwrap();
    block_on(async { every_operation(&open(folder.path())).await });
}

#[test]
fn it_holds_a_large_document() {
    let folder = tempfile::tempdir().unwrap();
    block_on(async { a_large_document(&open(folder.path())).await });
}

#[test]
fn it_reads_a_query_in_every_language() {
    let folder = tempfile::tempdir().unwrap();
    block_on(async { languages(&open(folder.path())).await });
}

#[test]
fn it_finds_what_a_filter_admits() {
    let folder = tempfile::tempdir().unwrap();
    block_on(async { filters(&open(folder.path())).await });
}

#[test]
fn it_has_two_writers() {
    let folder = tempfile::tempdir().unwrap();
    block_on(two_writers(|| open(folder.path())));
}

#[test]
fn it_takes_the_vectors_of_another_embedder() {
    let folder = tempfile::tempdir().unwrap();
    block_on(reembedding(open(folder.path()), |store| {
        drop(store);
        open(folder.path())
    }));
}

#[test]
fn token_states_of_an_older_format_are_read_beside_new_ones() {
    let folder = tempfile::tempdir().unwrap();
    let long: String = (0..20).map(|number| format!("passage {number}\n")).collect();
    block_on(async {
        let store = open(folder.path());
        store.create(spec("docs", true)).await.unwrap();
        store.put("docs", vec![document("/long", &long, true), document("/one", "apples\n", true)]).await.unwrap();
        store.flush().await.unwrap();
        drop(store);
        catalog::downgrade(folder.path()).unwrap();

        let all = async |store: &EmbeddedStore| {
            let mut found = Vec::new();
            for path in ["/long", "/one", "/new"] {
                for record in store.find_documents(path).await.unwrap() {
                    let ids = (0..record.chunks).map(|ordinal| ChunkId { document: record.id, ordinal });
                    let ids: Vec<ChunkId> = ids.collect();
                    found.extend(store.states(&ids).await.unwrap());
                }
            }
            let texts = found.into_iter().map(|states| String::from_utf8(states).unwrap());
            texts.map(|text| text + "\n").collect::<String>()
        };
        let cuts = async |store: &EmbeddedStore| -> Vec<Option<u32>> {
            store.documents("docs").await.unwrap().iter().map(|record| record.cut).collect()
        };
        let store = open(folder.path());
        assert_eq!(cuts(&store).await, [None, None], "nobody knows how they were cut");
        // The states are the texts of the chunks without their line ends.
        let check = async |expected: &str| {
            assert_eq!(all(&store).await, expected);
            let bytes = expected.chars().filter(|letter| *letter != '\n').count();
            assert_eq!(store.state_bytes("docs").await.unwrap(), bytes as u64, "{expected}");
        };
        check(&format!("{long}apples\n")).await;
        store.put("docs", vec![document("/new", "pears\nplums\n", true)]).await.unwrap();
        check(&format!("{long}apples\npears\nplums\n")).await;
        assert_eq!(cuts(&store).await, [None, Some(u32::MAX), None]);
        store.put("docs", vec![document("/long", "short\n", true)]).await.unwrap();
        check("short\napples\npears\nplums\n").await;
        store.remove("docs", vec!["/one".to_owned(), "/new".to_owned()]).await.unwrap();
        check("short\n").await;
    });
}

#[test]
fn embeddings_come_back_by_chunk() {
    let folder = tempfile::tempdir().unwrap();
    block_on(async { embeddings_by_chunk(&open(folder.path())).await });
}

#[test]
fn it_renames_documents() {
    let folder = tempfile::tempdir().unwrap();
    block_on(renaming_documents(open(folder.path()), |store| {
        drop(store);
        open(folder.path())
    }));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn it_is_like_a_map(steps in steps()) {
        let folder = tempfile::tempdir().unwrap();
        block_on(like_a_map(steps, || open(folder.path())));
    }
}

/// Runs one step of a load, which puts, replaces or removes something.
async fn load(store: &EmbeddedStore, step: usize) {
    match step {
        0 => drop(store.create(spec("docs", true)).await.unwrap()),
        1 => store
            .put("docs", vec![document("/a", "apples\ncommon\n", true), document("/b", "pears\n", true)])
            .await
            .unwrap(),
        2 => store.flush().await.unwrap(),
        3 => store.put("docs", vec![document("/a", "plums\ncommon plums\n", true)]).await.unwrap(),
        4 => drop(store.remove("docs", vec!["/b".to_owned()]).await.unwrap()),
        5 => drop(store.create(spec("more", false)).await.unwrap()),
        6 => store.put("more", vec![document("/c", "common pears\n", false)]).await.unwrap(),
        _ => store.flush().await.unwrap(),
    }
}

const STEPS: usize = 8;

/// Returns the state that an undisturbed load leaves.
fn undisturbed() -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    block_on(async {
        let store = open(folder.path());
        for step in 0..STEPS {
            load(&store, step).await;
        }
        contents(&store, &WORDS).await
    })
}

#[test]
fn a_kill_after_any_step_loses_nothing() {
    let expected = undisturbed();
    for kill in 0..STEPS {
        let (folder, after) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        block_on(async {
            let store = open(folder.path());
            for step in 0..=kill {
                load(&store, step).await;
            }
            // A kill leaves the files as they are while the store is open.
            copy(folder.path(), after.path());
            let found_after_kill = contents(&open(after.path()), &WORDS).await;
            store.flush().await.unwrap();
            assert_eq!(found_after_kill, contents(&store, &WORDS).await, "a search after a kill at {kill}");

            let next = open(after.path());
            for step in kill + 1..STEPS {
                load(&next, step).await;
            }
            next.flush().await.unwrap();
            assert_eq!(contents(&next, &WORDS).await, expected, "a load completed after a kill at {kill}");
        });
    }
}

#[test]
fn damaged_derived_files_are_made_anew() {
    fn check(name: &str, damage: impl Fn(&Path, &Path)) {
        let expected = undisturbed();
        let (folder, old) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        block_on(async {
            let store = open(folder.path());
            for step in 0..STEPS {
                load(&store, step).await;
                if step == 2 {
                    copy(folder.path(), old.path());
                }
            }
            drop(store);
            damage(folder.path(), old.path());
            assert_eq!(contents(&open(folder.path()), &WORDS).await, expected, "{name}");
        });
    }
    fn each(folder: &Path, extension: &str, change: impl Fn(&Path)) {
        let mut changed = 0;
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|found| found == extension) {
                change(&path);
                changed += 1;
            }
        }
        assert!(changed > 0, "nothing to damage");
    }
    fn halve(path: &Path) {
        let content = std::fs::read(path).unwrap();
        std::fs::write(path, &content[..content.len() / 2]).unwrap();
    }
    check("nothing", |_, _| {});
    check("no index", |folder, _| std::fs::remove_dir_all(folder.join("lexical")).unwrap());
    check("no vectors", |folder, _| std::fs::remove_dir_all(folder.join("vectors")).unwrap());
    check("an index of long ago", |folder, old| {
        std::fs::remove_dir_all(folder.join("lexical")).unwrap();
        copy(&old.join("lexical"), &folder.join("lexical"));
    });
    check("an index of another version that says it is complete", |folder, old| {
        let list = folder.join("lexical/meta.json");
        let read = || serde_json::from_slice::<serde_json::Value>(&std::fs::read(&list).unwrap()).unwrap();
        let last = read()["payload"].as_str().unwrap().split_once(' ').unwrap().1.to_owned();
        std::fs::remove_dir_all(folder.join("lexical")).unwrap();
        copy(&old.join("lexical"), &folder.join("lexical"));
        let mut meta = read();
        meta["payload"] = format!("0 {last}").into();
        std::fs::write(&list, meta.to_string()).unwrap();
    });
    check("vectors of long ago", |folder, old| {
        std::fs::remove_dir_all(folder.join("vectors")).unwrap();
        copy(&old.join("vectors"), &folder.join("vectors"));
    });
    check("a list of segments that is not JSON", |folder, _| {
        std::fs::write(folder.join("lexical/meta.json"), "{").unwrap()
    });
    check("a segment of the index is gone", |folder, _| {
        each(&folder.join("lexical"), "idx", |path| std::fs::remove_file(path).unwrap());
    });
    check("a segment of the index is cut short", |folder, _| each(&folder.join("lexical"), "idx", halve));
    check("a vector segment is cut short", |folder, _| each(&folder.join("vectors"), "vec", halve));
    check("a vector segment is gone", |folder, _| {
        each(&folder.join("vectors"), "vec", |path| std::fs::remove_file(path).unwrap());
    });
    check("a vector header is damaged", |folder, _| {
        each(&folder.join("vectors"), "vec", |path| {
            let mut content = std::fs::read(path).unwrap();
            content[16] ^= 1;
            std::fs::write(path, content).unwrap();
        });
    });
    check("the content of a vector segment is damaged", |folder, _| {
        each(&folder.join("vectors"), "vec", flip_last);
    });
    check("a manifest that is not JSON", |folder, _| {
        std::fs::write(folder.join("vectors/manifest.json"), "[").unwrap()
    });
}

/// Changes a bit of the content but not the length.
fn flip_last(path: &Path) {
    let mut content = std::fs::read(path).unwrap();
    *content.last_mut().unwrap() ^= 0x40;
    std::fs::write(path, content).unwrap();
}

#[test]
fn damage_that_is_found_later_is_repaired_by_the_next_search() {
    fn check(writing: bool) {
        let folder = tempfile::tempdir().unwrap();
        block_on(async {
            let mut store = open(folder.path());
            for step in 0..STEPS {
                load(&store, step).await;
            }
            let expected = contents(&store, &WORDS).await;
            if !writing {
                drop(store);
                store = open(folder.path());
            }
            Arc::get_mut(&mut store.inner).unwrap().vectors = VectorSearcher::checking_later(folder.path());
            for entry in std::fs::read_dir(folder.path().join("vectors")).unwrap() {
                let path = entry.unwrap().path();
                if path.extension().is_some_and(|found| found == "vec") {
                    flip_last(&path);
                }
            }
            near(&store, &[], "plums", 1).await;
            store.inner.vectors.check_now();
            assert!(store.inner.vectors.found_damage());
            assert_eq!(contents(&store, &WORDS).await, expected);
            let fresh = VectorSearcher::checking_later(folder.path());
            assert!(fresh.snapshot().unwrap().is_some());
            fresh.check_now();
            assert!(!fresh.found_damage() && !store.inner.vectors.found_damage());
        });
    }
    check(false);
    check(true);
}

#[test]
fn there_is_one_writer_and_readers_do_not_wait() {
    let folder = tempfile::tempdir().unwrap();
    block_on(async {
        let writer = open(folder.path());
        load(&writer, 0).await;
        load(&writer, 1).await;
        load(&writer, 2).await;
        let other = open(folder.path());
        let refused = other.put("docs", vec![document("/x", "x\n", true)]).await;
        let Err(StoreError::Locked { holder, .. }) = refused else { panic!("two writers") };
        assert!(holder.contains(&std::process::id().to_string()), "{holder}");
        assert_eq!(found(&other, &[], "apples", 5).await, ["apples"]);

        // A reader sees what the writer flushes, but nothing that the catalog no longer has.
        load(&writer, 3).await;
        assert!(found(&other, &[], "apples", 5).await.is_empty());
        assert!(near(&other, &[], "apples", 5).await.iter().all(|text| text != "apples"));
        writer.flush().await.unwrap();
        assert_eq!(found(&other, &[], "plums", 5).await.len(), 2);
        assert_eq!(near(&other, &[], "plums", 1).await, ["plums"]);

        drop(writer);
        other.put("docs", vec![document("/x", "x\n", true)]).await.unwrap();
    });
}

#[test]
fn reading_makes_no_file() {
    let folder = tempfile::tempdir().unwrap();
    block_on(async {
        let store = open(&folder.path().join("deep/er"));
        assert!(contents(&store, &[]).await.is_empty());
        assert!(found(&store, &[], "apples", 5).await.is_empty());
        assert!(near(&store, &[], "apples", 5).await.is_empty());
        assert!(matches!(store.documents("x").await, Err(StoreError::NoCollection { .. })));
        store.flush().await.unwrap();
    });
    assert_eq!(std::fs::read_dir(folder.path().join("deep/er")).unwrap().count(), 0);
}

#[test]
fn listing_opens_no_index() {
    let folder = tempfile::tempdir().unwrap();
    block_on(async {
        let store = open(folder.path());
        load(&store, 0).await;
        store.describe("docs", "described", false).await.unwrap();
        assert_eq!(open(folder.path()).collections().await.unwrap()[0].description, "described");
    });
    assert!(!folder.path().join("lexical").exists() && !folder.path().join("vectors").exists());
}

/// Root may write everywhere, so this test proves something only for other users; the parts have their own tests.
#[cfg(unix)]
#[test]
fn a_read_only_folder_can_be_read() {
    use std::os::unix::fs::PermissionsExt;
    fn permit(folder: &Path, mode: u32) {
        for sub in ["lexical", "vectors", "."] {
            std::fs::set_permissions(folder.join(sub), std::fs::Permissions::from_mode(mode)).unwrap();
        }
    }
    let folder = tempfile::tempdir().unwrap();
    block_on(async {
        let store = open(folder.path());
        for step in 0..STEPS {
            load(&store, step).await;
        }
        let expected = contents(&store, &WORDS).await;
        drop(store);
        permit(folder.path(), 0o555);
        let readable = contents(&open(folder.path()), &WORDS).await;
        let may_write = std::fs::write(folder.path().join("probe"), "").is_ok();
        let refused = open(folder.path()).describe("docs", "x", false).await;
        permit(folder.path(), 0o755);
        assert_eq!(readable, expected);
        assert!(may_write || matches!(refused, Err(StoreError::NotWritable { .. })), "{refused:?}");
    });
}

#[test]
fn a_newer_folder_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("FORMAT"), "2\n").unwrap();
    let refused = EmbeddedStore::open(folder.path(), &options());
    assert!(matches!(refused.err(), Some(StoreError::NewerFormat { found: 2, known: 1, .. })));
    std::fs::write(folder.path().join("FORMAT"), "notes\n").unwrap();
    assert!(matches!(EmbeddedStore::open(folder.path(), &options()).err(), Some(StoreError::Damaged { .. })));
}

#[test]
fn a_damaged_catalog_is_said() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("catalog.sqlite"), "this is no database".repeat(100)).unwrap();
    let result = block_on(async { open(folder.path()).collections().await });
    assert!(matches!(&result, Err(StoreError::Damaged { .. })), "{result:?}");
}

#[test]
fn many_small_flushes_keep_few_vector_files() {
    let folder = tempfile::tempdir().unwrap();
    block_on(async {
        let store = open(folder.path());
        load(&store, 0).await;
        for number in 0..30 {
            store.put("docs", vec![document(&format!("/{number}"), &format!("text {number}\n"), true)]).await.unwrap();
            store.flush().await.unwrap();
        }
        for number in 0..25 {
            store.remove("docs", vec![format!("/{number}")]).await.unwrap();
            store.flush().await.unwrap();
        }
        assert_eq!(near(&store, &[], "text 27", 100).await.len(), 5);
        assert_eq!(near(&store, &[], "text 27", 1).await, ["text 27"]);
    });
    let files = std::fs::read_dir(folder.path().join("vectors")).unwrap().count();
    assert!(files <= 9, "{files}");
    let bytes: u64 = std::fs::read_dir(folder.path().join("vectors"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "vec"))
        .map(|path| path.metadata().unwrap().len())
        .sum();
    assert!(bytes < 1_000, "dead rows were kept: {bytes}");
}

#[test]
fn small_changes_leave_large_vector_files_alone() {
    let folder = tempfile::tempdir().unwrap();
    let files = || -> Vec<String> {
        let names = std::fs::read_dir(folder.path().join("vectors")).unwrap();
        let mut names: Vec<String> = names
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .filter(|name| name.ends_with(".vec"))
            .collect();
        names.sort();
        names
    };
    block_on(async {
        let store = open(folder.path());
        load(&store, 0).await;
        let documents = (0..40).map(|number| document(&format!("/{number}"), &format!("text {number}\n"), true));
        store.put("docs", documents.collect()).await.unwrap();
        store.flush().await.unwrap();
        let first = files();
        assert_eq!(first.len(), 1);

        // A document that was removed or changed costs a line in the manifest and a file of its own.
        store.remove("docs", vec!["/3".to_owned()]).await.unwrap();
        store.flush().await.unwrap();
        assert_eq!(files(), first);
        store.put("docs", vec![document("/4", "text four\n", true)]).await.unwrap();
        store.flush().await.unwrap();
        assert!(files().len() == 2 && files().contains(&first[0]), "{:?}", files());
        assert_eq!(near(&store, &[], "text four", 1).await, ["text four"]);
        assert_eq!(near(&store, &[], "text 4", 100).await.len(), 39);

        // If more than a quarter of the rows is gone, the rest is written anew.
        let gone = (10..25).map(|number| format!("/{number}")).collect();
        store.remove("docs", gone).await.unwrap();
        store.flush().await.unwrap();
        assert!(files().len() == 1 && files() != first, "{:?}", files());
        assert_eq!(near(&store, &[], "text 30", 100).await.len(), 24);
    });
}
