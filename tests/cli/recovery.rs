//! Tests loads that are killed at any moment, and the load that completes them.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Stdio;

use serde_json::Value;

use crate::harness::{TestDir, files_below};

const FOLDERS: usize = 24;
const FILES: usize = 14;
const WORDS: [&str; 6] = ["quince", "document", "folder7", "first", "w3", "w41"];

/// A pseudo-random sequence of numbers, the same in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }
}

/// Writes the files; every folder becomes a collection and is committed as a whole. In the second version a third of
/// the files have changed and some are gone.
fn write_files(dir: &TestDir, second: bool) {
    let mut numbers = Numbers(11);
    for folder in 0..FOLDERS {
        for file in 0..FILES {
            let mut text = format!("# Document {file} of folder{folder}\n\nIt speaks of a quince");
            for _ in 0..120 {
                text.push_str(&format!(" w{}", numbers.below(500)));
            }
            let name = format!("work/library/{folder:02}/{file:02}.md");
            match (folder * FILES + file) % 6 {
                0 | 3 if second => drop(dir.write(&name, text + ". This is the second pear.\n")),
                5 if second && folder % 3 == 0 => std::fs::remove_file(dir.path(&name)).unwrap(),
                _ => drop(dir.write(&name, text + ". This is the first.\n")),
            }
        }
    }
}

fn load(dir: &TestDir, data: &str) -> [String; 8] {
    let data = dir.path(data).to_string_lossy().into_owned();
    ["--data-dir", &data, "load", "library", "--collection-per-dir", "--prune", "--embedder", "none"].map(str::to_owned)
}

/// Every document, with its hash and the lengths that belong to it.
fn documents(dir: &TestDir, data: &str) -> BTreeMap<String, Value> {
    let folder = dir.path(data).to_string_lossy().into_owned();
    let mut documents = BTreeMap::new();
    let collections = dir.json(&["--data-dir", &folder, "collections", "list"]);
    for collection in collections.as_array().unwrap() {
        let name = collection["name"].as_str().unwrap();
        let shown = dir.json(&["--data-dir", &folder, "collections", "show", name]);
        let list = shown["documents"].as_array().unwrap();
        let chunks: u64 = list.iter().map(|document| document["chunks"].as_u64().unwrap()).sum();
        assert_eq!(shown["collection"]["documents"], list.len(), "{name}");
        assert_eq!(shown["collection"]["chunks"], chunks, "{name}");
        for document in list {
            let kept =
                ["collection", "hash", "bytes", "chunks", "text_bytes", "title"].map(|key| document[key].clone());
            let path = document["path"].as_str().unwrap().to_owned();
            assert!(documents.insert(path.clone(), Value::from(kept.to_vec())).is_none(), "{path} is there twice");
        }
    }
    documents
}

/// The passages that searches find, sorted, so that the order of ties does not matter.
fn found(dir: &TestDir, data: &str) -> Vec<Vec<String>> {
    let folder = dir.path(data).to_string_lossy().into_owned();
    let search = |word: &&str| {
        let arguments = ["--data-dir", &folder, "search", word, "--mode", "keyword", "-k", "1000"];
        let hits = dir.json(&arguments);
        let place = |hit: &Value| format!("{} {} {}", hit["path"], hit["bytes"], hit["text"]);
        let mut places: Vec<String> = hits.as_array().unwrap().iter().map(place).collect();
        places.sort();
        places
    };
    WORDS.iter().map(search).collect()
}

/// A fingerprint of what was written so far; it changes as a load goes on.
fn trace(folder: &Path) -> Vec<(String, u64)> {
    let length = |path: &std::path::PathBuf| path.metadata().map_or(0, |metadata| metadata.len());
    files_below(folder).iter().map(|path| (path.to_string_lossy().into_owned(), length(path))).collect()
}

/// Starts a load and kills it after some changes of the data folder and some more turns of the loop. Returns whether it
/// was still running.
fn load_and_kill(dir: &TestDir, data: &str, numbers: &mut Numbers) -> bool {
    let arguments = load(dir, data);
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let mut child = dir.run(&arguments).into_command().stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let (mut changes, mut turns) = (numbers.below(60), numbers.below(200));
    let mut last = trace(&dir.path(data));
    loop {
        if child.try_wait().unwrap().is_some() {
            return false;
        }
        let now = trace(&dir.path(data));
        if now != last {
            changes = changes.saturating_sub(1);
            last = now;
        }
        if changes == 0 {
            if turns == 0 {
                break;
            }
            turns -= 1;
        }
        std::thread::yield_now();
    }
    child.kill().unwrap();
    !child.wait().unwrap().success()
}

/// Kills a load at random moments, over and over, then lets it end: the state must equal that of an undisturbed load.
/// In the middle the files change. `DEEPSEARCH_TEST_KILLS` sets the number of kills.
#[test]
fn killed_loads_are_completed_to_the_same_state() {
    let kills: usize = std::env::var("DEEPSEARCH_TEST_KILLS").map_or(8, |kills| kills.parse().unwrap());
    let dir = TestDir::new();
    let mut numbers = Numbers(kills as u64);
    let complete = |data: &str| {
        let arguments = load(&dir, data);
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        dir.run(&arguments).ends_with(0)
    };
    let mut done = 0;
    // A folder is killed four times in each version: after more kills nothing would be left to do.
    for round in 0.. {
        if done >= kills {
            break;
        }
        let data = format!("killed-{round}");
        let mut versions: Vec<BTreeMap<String, Value>> = Vec::new();
        for second in [false, true] {
            write_files(&dir, second);
            let undisturbed = format!("undisturbed-{round}-{second}");
            complete(&undisturbed);
            versions.push(documents(&dir, &undisturbed));
            for _ in 0..4 {
                if done < kills && load_and_kill(&dir, &data, &mut numbers) {
                    done += 1;
                    for (path, document) in documents(&dir, &data) {
                        let whole = versions.iter().any(|version| version.get(&path) == Some(&document));
                        assert!(whole, "{path} is neither old nor new after kill {done}: {document}");
                    }
                }
            }
            complete(&data);
            assert_eq!(documents(&dir, &data), versions[usize::from(second)], "after kill {done}");
            assert_eq!(found(&dir, &data), found(&dir, &undisturbed), "after kill {done}");
            std::fs::remove_dir_all(dir.path(&undisturbed)).unwrap();
        }
        std::fs::remove_dir_all(dir.path(&data)).unwrap();
    }
    assert!(done >= kills);
}

/// Flips one bit of `words`, which the catalog holds exactly once in plain text.
fn flip(dir: &TestDir, words: &str) {
    let is_catalog = |path: &std::path::PathBuf| path.ends_with("catalog.sqlite");
    let catalog = files_below(&dir.data()).into_iter().find(is_catalog).unwrap();
    let mut bytes = std::fs::read(&catalog).unwrap();
    let places: Vec<usize> = (0..bytes.len()).filter(|&at| bytes[at..].starts_with(words.as_bytes())).collect();
    assert_eq!(places.len(), 1, "{words}");
    bytes[places[0] + words.len() - 1] ^= 1;
    std::fs::write(catalog, bytes).unwrap();
}

#[test]
fn a_changed_bit_is_named_and_loaded_anew() {
    let dir = TestDir::new();
    dir.write("work/library/tree.md", "# Trees\n\nThe quince ripens late.\n");
    dir.write("work/library/pond.md", "# Pond life\n\nThe newt hibernates.\n");
    let load = ["load", "library", "--embedder", "none"];
    for (words, name) in [("ripens late.", "tree.md"), ("pond.mdPond life", "pond.md")] {
        dir.run(&load).ends_with(0);
        dir.run(&["store", "check"]).ends_with(0).stdout_has("all in order");
        flip(&dir, words);
        dir.run(&["search", "quince newt", "--mode", "keyword"]).ends_with(1).stderr_has("store check");
        dir.run(&["store", "check"]).ends_with(1).stdout_has(name).stdout_has("1 thing wrong");
        dir.run(&load).ends_with(0).stdout_has("1 reloaded");
        dir.run(&["store", "check"]).ends_with(0).stdout_has("all in order");
        dir.run(&["search", "quince", "--mode", "keyword"]).ends_with(0).stdout_has("The quince ripens late.");
    }
}
