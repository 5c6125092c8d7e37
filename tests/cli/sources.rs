//! Tests sources: loaded ones are remembered, refreshed, watched and forgotten. Also tests archives in the whole
//! program.

use std::fs;
use std::io::{Cursor, Write};

use serde_json::{Value, json};

use crate::harness::TestDir;

fn load(dir: &TestDir, arguments: &[&str]) -> Value {
    dir.json(&[&["load"], arguments].concat())
}

/// The counts of new, changed, moved, unchanged and removed documents.
fn counts(summary: &Value) -> [u64; 5] {
    ["new", "changed", "moved", "unchanged", "removed"].map(|key| summary[key].as_u64().unwrap())
}

fn zipped(members: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in members {
        writer.start_file(*name, zip::write::SimpleFileOptions::default()).unwrap();
        writer.write_all(content).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

#[test]
fn what_was_loaded_is_refreshed() {
    let dir = TestDir::new();
    dir.run(&["load"]).ends_with(2).stderr_has("nothing was loaded yet").stderr_has("deepsearch load ./docs");
    dir.run(&["load", "--collection", "x"]).ends_with(2);
    dir.write("work/docs/a.md", "# Apples\n\nThey are red.\n");
    dir.write("work/docs/b.md", "# Pears\n\nThey are green.\n");
    dir.write("work/notes/n.md", "# Notes\n\nOf plums.\n");
    load(&dir, &["docs", "--embedder", "none"]);
    load(&dir, &["notes/*.md", "--collection", "mine", "--embedder", "none"]);
    dir.write("work/docs/new.md", "# Quinces\n\nThey are yellow.\n");
    dir.write("work/docs/b.md", "# Pears\n\nThey are brown.\n");
    fs::remove_file(dir.path("work/notes/n.md")).unwrap();
    dir.write("work/notes/m.md", "# Other notes\n\nOf cherries.\n");
    fs::create_dir(dir.path("work/docs/deep")).unwrap();
    fs::rename(dir.path("work/docs/a.md"), dir.path("work/docs/deep/apples.md")).unwrap();
    // The collections keep their embedder, whatever the settings say.
    let summary = load(&dir, &[]);
    assert_eq!(counts(&summary), [2, 1, 1, 0, 1], "{summary}");
    let told: Vec<String> = summary["changes"].as_array().unwrap().iter().map(short).collect();
    let expected =
        ["changed docs b.md", "moved docs apples.md a.md", "new docs new.md", "new mine m.md", "removed mine n.md"];
    assert_eq!(told, expected);
    assert_eq!(counts(&load(&dir, &[])), [0, 0, 0, 4, 0]);

    // A folder that is missing or empty does not remove its documents.
    fs::rename(dir.path("work/docs"), dir.path("work/elsewhere")).unwrap();
    fs::remove_file(dir.path("work/notes/m.md")).unwrap();
    let ended = dir.run(&["load"]).ends_with(0).stderr_has("there is no file or folder `DIR/work/docs`");
    ended.stderr_has("nothing to load in `DIR/work/notes/*.md`").stdout_has("0 new, 0 changed, 0 unchanged");
    assert_eq!(dir.json(&["search", "yellow"]).as_array().unwrap().len(), 1);
    fs::rename(dir.path("work/elsewhere"), dir.path("work/docs")).unwrap();
    dir.run(&["load", "--verbose"]).ends_with(0).stdout_has("3 files in docs: 0 new, 0 changed, 3 unchanged");
}

/// A change as text, with paths cut to file names.
fn short(change: &Value) -> String {
    let name = |key: &str| change[key].as_str().map(|path| path.rsplit('/').next().unwrap().to_owned());
    let parts = [name("change"), name("collection"), name("path"), name("from")];
    parts.into_iter().flatten().collect::<Vec<_>>().join(" ")
}

#[test]
fn sources_are_listed_and_forgotten() {
    let dir = TestDir::new();
    dir.run(&["sources"]).ends_with(0).stdout_is("").stderr_has("nothing was loaded yet");
    dir.write("work/docs/a.md", "# Apples\n\nred\n");
    dir.write("work/docs/sub/b.md", "# Pears\n\ngreen\n");
    for (path, at) in
        [("docs", "2026-01-01T10:00:00Z"), ("docs/sub", "2026-01-02T10:00:00Z"), ("./docs/", "2026-01-03T10:00:00Z")]
    {
        dir.run(&["load", path, "--collection", "all", "--embedder", "none"]).env("DEEPSEARCH_NOW", at).ends_with(0);
    }
    dir.run(&["sources", "list"]).ends_with(0).stdout_is(
        "DIR/work/docs  in all, first loaded 2026-01-01 10:00 UTC, last 2026-01-03 10:00 UTC\n\
         DIR/work/docs/sub  in all, first loaded 2026-01-02 10:00 UTC, last 2026-01-02 10:00 UTC\n",
    );
    dir.run(&["sources", "rm", "nothing", "--yes"]).ends_with(4).stderr_has("`nothing` is no source");
    // No confirmation is asked for a source that does not exist.
    dir.run(&["sources", "rm", "nothing"]).ends_with(4).stderr_has("`nothing` is no source");
    dir.run(&["sources", "rm", "docs"]).ends_with(2).stderr_has("nobody is there to confirm it");
    // Documents that another source also contains are kept.
    let removed = dir.json(&["sources", "rm", "docs", "--yes"]);
    assert_eq!(removed["removed"], json!({"all": [dir.path("work/docs/a.md").canonicalize().unwrap()]}));
    let shown = dir.json(&["collections", "show", "all"]);
    assert_eq!(shown["documents"].as_array().unwrap().len(), 1);
    let description = shown["collection"]["description"].as_str().unwrap();
    assert!(description.starts_with("1 document, ") && !description.contains("Apples"), "{description}");
    dir.run(&["sources", "rm", "docs/sub", "--keep-documents"]).ends_with(0).stderr_has("its documents are kept");
    assert_eq!(dir.json(&["collections", "show", "all"])["documents"].as_array().unwrap().len(), 1);
    dir.run(&["load"]).ends_with(2);

    // A dropped collection is not created again; a renamed one is found under its new name.
    load(&dir, &["docs", "--embedder", "none"]);
    dir.run(&["collections", "rename", "docs", "fruit"]).ends_with(0);
    assert_eq!(load(&dir, &[])["collections"], json!(["fruit"]));
    dir.run(&["collections", "drop", "fruit", "--yes"])
        .ends_with(0)
        .stderr_has("no longer refreshes DIR/work/docs in `fruit`");
    dir.run(&["load"]).ends_with(2);
}

/// The documents of a missing source are kept, so it must be known which ones are its own.
#[test]
fn a_source_that_is_away_is_forgotten_with_its_documents() {
    let dir = TestDir::new();
    for name in ["docs/a.md", "notes/n.md", "library/one/b.md", "library/two/c.md"] {
        dir.write(&format!("work/{name}"), format!("# Words\n\nOf {name}.\n"));
    }
    load(&dir, &["docs", "--embedder", "none"]);
    load(&dir, &["notes", "--embedder", "none"]);
    load(&dir, &["library", "--collection-per-dir", "--embedder", "none"]);
    fs::rename(dir.path("work/docs"), dir.path("work/elsewhere")).unwrap();
    fs::remove_file(dir.path("work/notes/n.md")).unwrap();
    fs::remove_dir_all(dir.path("work/library")).unwrap();
    dir.run(&["load"]).ends_with(0).stderr_has("`deepsearch sources rm ");
    let sources = dir.json(&["sources"]);
    let linked: Vec<&Value> = sources.as_array().unwrap().iter().map(|source| &source["collections"]).collect();
    assert_eq!(linked, [&json!(["docs"]), &json!(["notes"]), &json!(["one", "two"])], "{sources}");
    dir.run(&["sources", "rm", "docs", "--yes"]).ends_with(0).stderr_has("removed 1 document from docs");
    dir.run(&["sources", "rm", "notes", "--yes"]).ends_with(0).stderr_has("removed 1 document from notes");
    let ended = dir.run(&["sources", "rm", "library", "--yes"]).ends_with(0);
    ended.stderr_has("removed 1 document from one").stderr_has("removed 1 document from two");
}

#[test]
fn a_load_that_is_killed_is_completed_by_a_refresh() {
    let dir = TestDir::new();
    for number in 0..60 {
        dir.write(&format!("work/docs/{number}.md"), format!("Document {number} speaks of quinces. ").repeat(40));
    }
    let mut child = dir.run(&["load", "docs"]).into_command();
    let mut child = child.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null()).spawn().unwrap();
    // The lock is taken before the first document is stored; from then on any moment will do.
    while !dir.data().join("writer.lock").exists() && child.try_wait().unwrap().is_none() {
        std::thread::yield_now();
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let [new, changed, _, unchanged, _] = counts(&load(&dir, &[]));
    assert_eq!((new + unchanged, changed), (60, 0));
    assert_eq!(dir.json(&["sources"])[0]["collections"], json!(["docs"]));
}

#[test]
fn a_load_that_gives_nothing_leaves_no_source() {
    let dir = TestDir::new();
    dir.write("work/docs/a.md", "# Apples\n\nred\n");
    dir.write("work/broken.pdf", "%PDF-1.7\nbroken");
    let load_one =
        |path: &str, collection: &str| dir.run(&["load", path, "--collection", collection, "--embedder", "none"]);
    load_one("docs/a.md", "").ends_with(2).stderr_has("cannot name a collection: it is empty");
    load_one("broken.pdf", "fruit").ends_with(3).stderr_has("not loaded: DIR/work/broken.pdf");
    assert_eq!(dir.json(&["sources"]), json!([]));
    // If its collection exists, reports say that the file could not be read.
    load_one("docs/a.md", "fruit").ends_with(0);
    load_one("broken.pdf", "fruit").ends_with(3);
    assert_eq!(dir.json(&["sources"]).as_array().map(Vec::len), Some(2));
}

#[test]
fn a_history_tells_what_became_of_a_document() {
    let dir = TestDir::new();
    let at = |day: u32| format!("2026-01-0{day}T10:00:00Z");
    let refresh = |day: u32| drop(dir.run(&["load"]).env("DEEPSEARCH_NOW", &at(day)).ends_with(0));
    dir.write("work/docs/a.md", "# Apples\n\nred\n");
    dir.write("work/docs/b.md", "# Pears\n\ngreen\n");
    dir.run(&["load", "docs", "--embedder", "none"]).env("DEEPSEARCH_NOW", &at(1)).ends_with(0);
    dir.write("work/docs/a.md", "# Apples\n\nyellow\n");
    refresh(2);
    fs::rename(dir.path("work/docs/a.md"), dir.path("work/docs/c.md")).unwrap();
    refresh(3);
    fs::remove_file(dir.path("work/docs/c.md")).unwrap();
    refresh(4);
    dir.run(&["sources", "history", "docs/c.md"]).ends_with(0).stdout_is(
        "2026-01-01 10:00 UTC  first seen  docs  DIR/work/docs/a.md\n\
         2026-01-02 10:00 UTC  changed     docs  DIR/work/docs/a.md\n\
         2026-01-03 10:00 UTC  moved       docs  DIR/work/docs/c.md (from DIR/work/docs/a.md)\n\
         2026-01-04 10:00 UTC  gone        docs  DIR/work/docs/c.md\n",
    );
    let last = dir.json(&["sources", "history", "-n", "1"]);
    assert_eq!((last.as_array().unwrap().len(), &last[0]["what"]), (1, &json!("gone")));
    dir.run(&["sources", "history", "nothing.md"]).ends_with(4);
    dir.run(&["collections", "drop", "docs", "--yes"]).env("DEEPSEARCH_NOW", &at(5)).ends_with(0);
    dir.run(&["sources", "history", "b.md"]).ends_with(0).stdout_is(
        "2026-01-01 10:00 UTC  first seen  docs  DIR/work/docs/b.md\n\
         2026-01-05 10:00 UTC  gone        docs  DIR/work/docs/b.md\n",
    );
}

#[test]
fn archives_are_read_in_place() {
    let dir = TestDir::new();
    let zip = zipped(&[
        ("guide/a.md", b"# Apples\n\nApples are red when they are ripe.\n"),
        ("b.md", b"# Pears\n\nThey are green.\n"),
    ]);
    dir.write("work/docs/all.zip", &zip);
    assert_eq!(counts(&load(&dir, &["docs", "--embedder", "none"])), [2, 0, 0, 0, 0]);
    dir.run(&["read", "all.zip!/guide/a.md"]).ends_with(0).stdout_has("Apples are red");
    let hits = dir.json(&["search", "red green", "--path", "all.zip!/guide"]);
    assert_eq!(hits.as_array().unwrap().len(), 1, "{hits}");
    dir.run(&["query", "When are apples red?"]).ends_with(0).stdout_has("all.zip!/guide/a.md");
    // An unchanged archive is not opened; opening this one would fail.
    let path = dir.path("work/docs/all.zip");
    let modified = fs::metadata(&path).unwrap().modified().unwrap();
    dir.write("work/docs/all.zip", vec![b'x'; zip.len()]);
    fs::File::options().write(true).open(&path).unwrap().set_modified(modified).unwrap();
    assert_eq!(counts(&load(&dir, &[])), [0, 0, 0, 2, 0]);
    // The file's time shows that it has changed.
    dir.write("work/docs/all.zip", zipped(&[("b.md", b"# Pears\n\nThey are brown.\n")]));
    assert_eq!(counts(&load(&dir, &[])), [0, 1, 0, 0, 1]);
}

#[test]
fn a_bomb_is_named_and_the_rest_is_loaded() {
    let dir = TestDir::new();
    let zeros = vec![b'0'; 40 << 20];
    let bomb = zipped(&[("zeros.txt", &zeros)]);
    dir.write("work/docs/bomb.zip", &bomb);
    dir.write("work/docs/nested.zip", zipped(&[("in.zip", &bomb)]));
    dir.write("work/docs/up.zip", zipped(&[("../../up.md", b"# Up\n"), ("a.md", b"# Good\n\ngood\n")]));
    dir.write("work/docs/plain.md", "# Plain\n\nplain\n");
    let ended = dir.run(&["load", "docs", "--embedder", "none", "--set", "load.archive_ratio=100"]).ends_with(3);
    ended
        .stderr_has("not loaded: DIR/work/docs/bomb.zip: it unpacks to more than 100 times its length")
        .stderr_has("not loaded: DIR/work/docs/nested.zip: it unpacks to more than 100 times its length")
        .stderr_has("not loaded: DIR/work/docs/up.zip!/../../up.md: its name leads out of the archive")
        .stdout_has("2 new");
    assert!(!dir.path("work/up.md").exists() && !dir.path("up.md").exists());
}

/// Tests real notifications: the system reports changes, and output lines report loads.
#[cfg(unix)]
#[test]
fn a_folder_is_followed_until_ctrl_c() {
    use std::io::{BufRead, BufReader, Read};
    use std::process::{Command, Stdio};

    let dir = TestDir::new();
    dir.run(&["load", "-", "--watch"]).stdin("text").ends_with(2);
    dir.write("work/docs/a.md", "# Apples\n\nred\n");
    let run = dir.run(&["load", "docs", "--watch", "--embedder", "none", "--set", "load.watch_wait_ms=20"]);
    let mut child = run.into_command().stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut wait_for = |part: &str| {
        let line = lines.next().unwrap().unwrap();
        assert!(line.contains(part), "{line}");
    };
    wait_for("1 file in docs: 1 new, 0 changed, 0 unchanged");
    // Changes are noticed from before the first load on.
    fs::rename(dir.path("work/docs/a.md"), dir.path("work/docs/b.md")).unwrap();
    wait_for("1 file in docs: 0 new, 0 changed, 1 moved, 0 unchanged");
    fs::create_dir(dir.path("work/docs/in")).unwrap();
    fs::rename(dir.path("work/docs/b.md"), dir.path("work/docs/in/c.md")).unwrap();
    wait_for("1 moved");
    let kill = format!("kill -INT {}", child.id());
    assert!(Command::new("sh").args(["-c", &kill]).status().unwrap().success());
    let mut stderr = String::new();
    child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0), "{stderr}");
    assert!(stderr.contains("watching for changes; Ctrl-C ends it"), "{stderr}");
}
