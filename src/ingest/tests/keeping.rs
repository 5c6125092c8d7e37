//! Loading again: what moved, and what a refresh leaves alone.

use super::*;

#[test]
fn a_moved_file_keeps_what_was_made_from_it() {
    let embedder = Arc::new(LengthEmbedder::new("test"));
    let bench =
        Bench::new(&[("x/a.md", "# Alpha\n\nalpha"), ("x/b.csv", "name,age\nada,36\n"), ("x/c.md", "# Charlie\n\nc")]);
    let bench = Bench { embedder: Some(embedder.clone()), ..bench };
    bench.load(&["x"]);
    let ids = |bench: &Bench| -> Vec<(String, u64)> {
        bench
            .store
            .with(|state| state.documents.values().map(|(record, _)| (record.title.clone(), record.id.0)).collect())
    };
    let before = ids(&bench);
    let embedded = || embedder.calls.lock().expect("not poisoned").iter().map(Vec::len).sum::<usize>();
    assert_eq!(embedded(), 3);

    // Without pruning: the file has moved, and is not stored twice.
    std::fs::create_dir(bench.path("x/new")).expect("made");
    std::fs::rename(bench.path("x/a.md"), bench.path("x/new/other.md")).expect("renamed");
    let summary = bench.load(&["x"]);
    assert_eq!((counts(&summary), summary.moved), ((0, 0, 2, 0, 0), 1));
    assert_eq!(embedded(), 3, "nothing is embedded again");
    assert_eq!(bench.stored(), ["x: x/b.csv", "x: x/c.md", "x: x/new/other.md"]);
    let [change] = summary.changes.as_slice() else { panic!("{:?}", summary.changes) };
    assert_eq!(change.change, ChangeKind::Moved);
    assert!(
        change.path.ends_with("x/new/other.md") && change.from.as_ref().is_some_and(|from| from.ends_with("x/a.md"))
    );
    let mut after = ids(&bench);
    after.sort();
    let mut sorted = before.clone();
    sorted.sort();
    assert_eq!(after, sorted, "ids and titles stay");

    // A file moved onto another: the other is gone.
    std::fs::rename(bench.path("x/c.md"), bench.path("x/new/other.md")).expect("renamed");
    let summary = bench.load(&["x"]);
    assert_eq!((summary.moved, summary.changed, embedded()), (1, 0, 3));
    assert_eq!(bench.stored(), ["x: x/b.csv", "x: x/new/other.md"]);

    // Its title comes from its name, so another name makes another document.
    std::fs::rename(bench.path("x/b.csv"), bench.path("x/renamed.csv")).expect("renamed");
    let request = LoadRequest { prune: true, ..bench.request(&["x"]) };
    let summary = bench.run(&request).expect("loads");
    assert_eq!((counts(&summary), summary.moved, embedded()), ((1, 0, 1, 1, 0), 0, 4));

    // A copy is not a move: the first file is still there.
    std::fs::copy(bench.path("x/new/other.md"), bench.path("x/copy.md")).expect("copied");
    let summary = bench.load(&["x"]);
    assert_eq!((counts(&summary), summary.moved), ((1, 0, 2, 0, 0), 0));
}

#[test]
fn what_lies_outside_the_places_is_not_gone() {
    let bench = Bench::new(&[("x/a.md", "# A\n\nalpha"), ("y/b.md", "b")]);
    let request =
        |paths: &[&str]| LoadRequest { collection: Some("all".to_owned()), prune: true, ..bench.request(paths) };
    bench.run(&request(&["x"])).expect("loads");
    std::fs::rename(bench.path("x/a.md"), bench.path("y/a.md")).expect("renamed");
    // Only the second folder is asked about, so the fate of the first folder's file is not judged.
    assert_eq!(bench.run(&request(&["y"])).expect("loads").moved, 0);
    assert_eq!(bench.stored(), ["all: x/a.md", "all: y/a.md", "all: y/b.md"]);
    bench.write("x/other.md", b"other");
    assert_eq!(counts(&bench.run(&request(&["x", "y"])).expect("loads")), (1, 0, 2, 1, 0));
    std::fs::rename(bench.path("y/a.md"), bench.path("x/a.md")).expect("renamed");
    assert_eq!(bench.run(&request(&["x", "y"])).expect("loads").moved, 1);
}

#[test]
fn a_place_that_is_gone_or_empty_loses_nothing() {
    let bench = Bench::new(&[("x/a.md", "a"), ("y/b.md", "b"), ("z/c.md", "c"), ("z/d.md", "d")]);
    bench.load(&["x", "y", "z"]);
    std::fs::remove_dir_all(bench.path("x")).expect("removed");
    std::fs::remove_file(bench.path("y/b.md")).expect("removed");
    std::fs::remove_file(bench.path("z/d.md")).expect("removed");
    let request = LoadRequest { prune: true, lenient: true, ..bench.request(&["x", "y", "z"]) };
    let summary = bench.run(&request).expect("loads");
    assert_eq!(counts(&summary), (0, 0, 1, 1, 0));
    assert_eq!(bench.stored(), ["x: x/a.md", "y: y/b.md", "z: z/c.md"]);
    let events = bench.events.lock().expect("not poisoned");
    let warned = |part: &str| {
        events.iter().filter(|event| matches!(event, LoadEvent::Warning { message } if message.contains(part))).count()
    };
    assert_eq!((warned("there is no file or folder `x`"), warned("nothing to load in `y`")), (1, 1));
}

#[test]
fn a_document_without_a_date_of_its_own_has_its_files() {
    let bench = Bench::new(&[("x/a.md", "a"), ("x/b.md", "---\ndate: 2001-02-03\n---\nb")]);
    let dates = || -> Vec<String> {
        let date = |record: &crate::domain::DocumentRecord| record.date.map(|date| date.date.to_string());
        bench.store.with(|state| state.documents.values().filter_map(|(record, _)| date(record)).collect())
    };
    for (seconds, expected) in [(86_400, "1970-01-02"), (10 * 86_400, "1970-01-11")] {
        bench.date("x/a.md", seconds);
        bench.date("x/b.md", seconds);
        bench.load(&["x"]);
        assert_eq!(dates(), [expected, "2001-02-03"]);
    }
}

#[test]
fn what_would_be_cut_otherwise_is_loaded_again() {
    let text = "One sentence stands here. Another one follows it. And a third one ends the paragraph.\n";
    let bench = Bench::new(&[("x/a.md", text), ("x/b.txt", text)]);
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    zip.start_file("c.md", zip::write::SimpleFileOptions::default()).expect("started");
    std::io::Write::write_all(&mut zip, text.as_bytes()).expect("written");
    bench.write("x/d.zip", &zip.finish().expect("finished").into_inner());
    let mut archives = Vec::new();
    let mut load = |target_bytes| {
        let mut request = LoadRequest { archives: archives.clone(), ..bench.request(&["x"]) };
        request.options.chunk = ChunkOptions { target_bytes, overlap_bytes: 0 };
        let summary = bench.run(&request).expect("loads");
        archives.extend(summary.archives.clone());
        summary
    };
    assert_eq!((load(1200).new, load(1200).unchanged), (3, 3));
    let summary = load(50);
    assert_eq!((summary.reloaded, summary.changed, summary.unchanged, summary.chunks), (3, 0, 0, 6));
    assert!(summary.changes.iter().all(|change| change.change == ChangeKind::Reloaded), "{:?}", summary.changes);
    assert_eq!((load(50).unchanged, load(1200).reloaded), (3, 3));
    // Other content is a change, whatever the chunk size.
    bench.write("x/a.md", b"Something else.");
    let summary = load(50);
    assert_eq!((summary.reloaded, summary.changed), (2, 1));
}

#[test]
fn what_a_library_says_of_a_document_stands_with_it() {
    let bench = Bench::new(&[
        ("x/files/1/a.md", "# Own title\n\nalpha"),
        ("x/files/2/b.html", "<title>the tides</title><p>beta"),
        ("x/c.md", "# The Tides\n\nnotes on the tides"),
    ]);
    let load = |paths: &[&str]| {
        let request = LoadRequest { collection: Some("all".to_owned()), prune: true, ..bench.request(paths) };
        bench.run(&request).expect("loads").changes.len()
    };
    let check = |expected: &[&str]| {
        let told = |record: &crate::domain::DocumentRecord| {
            let date = record.date.filter(|date| date.origin == crate::domain::DateOrigin::Library);
            let day = date.map(|date| date.date.to_string()).unwrap_or_default();
            format!("{} | {} | {day}", record.title, record.authorship.authors.join(" & "))
        };
        let all: Vec<String> =
            bench.store.with(|state| state.documents.values().map(|(record, _)| told(record)).collect());
        assert_eq!(all, expected);
    };
    assert_eq!(load(&["x"]), 3);
    let own = ["The Tides |  | ", "Own title |  | ", "the tides |  | "];
    check(&own);

    let tides = "@misc{b, title={The Tides}, author={Newton, I. and Flamsteed, J.}, date={1687-07-05}}\n";
    let library = |title: &str| {
        format!(
            "{tides}@misc{{a, title={{{title}}}, author={{Lovelace, Ada}}, year=1843, file={{x:files/1/a.md:text/plain}}}}\n"
        )
    };
    bench.write("x/My Library.bib", library("On engines").as_bytes());
    assert_eq!(load(&["x"]), 2, "two documents, and the library is none");
    let joined = [
        "The Tides |  | ",
        "On engines | Lovelace, Ada | 1843-01-01",
        "The Tides | Newton, I. & Flamsteed, J. | 1687-07-05",
    ];
    check(&joined);
    assert_eq!(load(&["x"]), 0);
    assert_eq!(load(&["x/files/1/a.md"]), 0, "it lies above the file, wherever the load begins");

    bench.write("x/My Library.bib", library("On looms").as_bytes());
    assert_eq!(load(&["x"]), 1, "one document");
    check(&[joined[0], "On looms | Lovelace, Ada | 1843-01-01", joined[2]]);

    std::fs::remove_file(bench.path("x/My Library.bib")).expect("removed");
    assert_eq!(load(&["x"]), 2);
    check(&own);
}
