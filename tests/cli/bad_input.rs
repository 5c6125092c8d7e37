//! Tests input that cannot be loaded: it is named with its reason, the rest is loaded, and the exit code says so.

use crate::harness::TestDir;

/// A password-protected PDF, made with the standard handler of revision 2; its one page is empty.
fn encrypted_pdf() -> Vec<u8> {
    let objects = [
        "<</Type/Catalog/Pages 2 0 R>>".to_owned(),
        "<</Type/Pages/Kids[3 0 R]/Count 1>>".to_owned(),
        "<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]>>".to_owned(),
        format!("<</Filter/Standard/V 1/R 2/Length 40/P -44/O<{}>/U<{}>>>", "28".repeat(32), "5e".repeat(32)),
    ];
    let mut pdf = b"%PDF-1.4\n".to_vec();
    let mut table = format!("xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1);
    for (number, object) in (1..).zip(&objects) {
        table.push_str(&format!("{:010} 00000 n \n", pdf.len()));
        pdf.extend(format!("{number} 0 obj\n{object}\nendobj\n").bytes());
    }
    let (start, id) = (pdf.len(), "00".repeat(16));
    let trailer =
        format!("trailer\n<</Root 1 0 R/Size 5/Encrypt 4 0 R/ID[<{id}><{id}>]>>\nstartxref\n{start}\n%%EOF\n");
    pdf.extend(table.bytes().chain(trailer.bytes()));
    pdf
}

/// Bytes that are not text, the same each time.
fn junk(length: usize) -> Vec<u8> {
    let mut state = 7u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 56) as u8
    };
    (0..length).map(|_| next()).collect()
}

#[test]
fn a_path_that_is_not_there_is_told_with_the_nearest_names() {
    let dir = TestDir::new();
    dir.write("work/docs/notes.md", "Words.\n");
    std::fs::create_dir_all(dir.path("work/empty/deep")).unwrap();
    let check = |path: &str, told: &str| {
        for arguments in [&["load", path][..], &["query", "What?", "--load", path]] {
            dir.run(arguments).ends_with(1).stdout_is("").stderr_has(told);
        }
    };
    check("dcos", "there is no file or folder `dcos` (in DIR/work there is `docs`)");
    check("docs/note.md", "there is no file or folder `docs/note.md` (in DIR/work/docs there is `notes.md`)");
    check("elsewhere/a/b", "there is no file or folder `elsewhere/a/b` (looked in DIR/work)");
    check("ftp://example.org/x", "(of URLs, those that begin with http:// or https:// are loaded)");
    check("docs/*.pdf", "nothing to load in `docs/*.pdf`");
    check("docs/[", "bad pattern `docs/[`");
    check("empty", "nothing to load in `empty`: no files in it");
    // The valid path is not loaded either, so that the command can be corrected and run again.
    dir.run(&["load", "docs", "absent"]).ends_with(1).stdout_is("");
    dir.run(&["collections"]).ends_with(0).stdout_is("");
}

#[cfg(unix)]
#[test]
fn a_link_to_nothing_is_told() {
    let dir = TestDir::new();
    std::os::unix::fs::symlink("nowhere.md", dir.path("work/link.md")).unwrap();
    let run = dir.run(&["load", "link.md"]).ends_with(1);
    run.stdout_is("").stderr_has("cannot open `link.md`: it is a link to something that is not there");
}

#[test]
fn the_unreadable_is_named_and_the_rest_is_loaded() {
    let dir = TestDir::new();
    let whole = include_bytes!("../../examples/simpsons/audience/02-ratings-1990-2024.pdf");
    dir.write("work/docs/cut.pdf", &whole[..whole.len() / 2]);
    dir.write("work/docs/encrypted.pdf", encrypted_pdf());
    dir.write("work/docs/good.md", "Quinces are good.\n");
    dir.write("work/docs/junk.txt", junk(5_000));
    dir.write("work/docs/latin.txt", b"Caf\xe9 cr\xe8me, d\xe9j\xe0 vu, and quinces.\n");
    dir.write("work/docs/table.csv", junk(3_000));
    std::fs::create_dir_all(dir.path("work/docs/folder.md")).unwrap();
    let run = dir.run(&["load", "docs", "--embedder", "none", "--json"]).ends_with(3);
    for (name, reason) in [
        ("cut.pdf", "cut short"),
        ("encrypted.pdf", "encrypted: remove the password"),
        ("junk.txt", "not a text document"),
        ("table.csv", "not a text document"),
    ] {
        let line = run.stderr.lines().find(|line| line.contains(name)).unwrap_or_else(|| panic!("{name}: {run:?}"));
        assert!(line.starts_with("not loaded: DIR/work/docs/") && line.contains(reason), "{line}");
    }
    let summary = run.json();
    assert_eq!((&summary["new"], &summary["failed"].as_array().unwrap().len()), (&2.into(), &4), "{summary}");
    let hits = dir.json(&["search", "quinces", "--mode", "keyword"]);
    assert_eq!(hits.as_array().unwrap().len(), 2);
    assert!(hits.as_array().unwrap().iter().any(|hit| hit["text"].as_str().unwrap().contains("déjà vu")), "{hits}");
}

#[test]
fn what_was_read_in_part_is_named_by_every_load_until_it_is_whole() {
    let dir = TestDir::new();
    let (cut, whole) = ("{\"a\": \"quince\"}\n{\"a\": \"fi\n", "{\"a\": \"quince\"}\n{\"a\": \"fig\"}\n");
    dir.write("work/docs/fruit.jsonl", cut);
    dir.write("work/docs/good.md", "Quinces are good.\n");
    let load = |code: i32, counts: &str| {
        let run = dir.run(&["load", "docs", "--embedder", "none"]).ends_with(code).stdout_has(counts);
        let named = run.stderr.contains("not loaded: DIR/work/docs/fruit.jsonl: 1 of 2 lines, which are no JSON");
        assert_eq!(named, code == 3, "{run:?}");
    };
    load(3, "2 new");
    load(3, "2 unchanged");
    dir.write("work/docs/fruit.jsonl", whole);
    load(0, "1 changed");
    load(0, "2 unchanged");
}

#[test]
fn what_a_query_could_not_read_stands_in_its_report() {
    let dir = TestDir::with_examples();
    dir.write("work/examples/simpsons/history/junk.txt", junk(5_000));
    let run = dir.run(&["query", "When did the film open?", "--load", "examples/simpsons/history"]).ends_with(3);
    run.stdout_has("junk.txt: not a text document").stderr_has("not loaded: ").stdout_has("July 27, 2007");
}

#[cfg(unix)]
#[test]
fn a_data_folder_that_cannot_be_read_does_not_look_empty() {
    let dir = TestDir::new();
    let data = dir.write("work/file", "").join("data");
    let commands = ["memory list", "memory export", "memory search x", "sources", "sources history"];
    for command in commands.map(|words| words.split(' ').collect::<Vec<_>>()) {
        let run = dir.run(&command).env("DEEPSEARCH_DATA_DIR", &data.to_string_lossy());
        run.ends_with(1).stdout_is("").stderr_has("cannot read the ");
    }
}

#[cfg(unix)]
#[test]
fn what_is_neither_file_nor_folder_is_not_waited_for() {
    let dir = TestDir::new();
    let made = std::process::Command::new("mkfifo").arg(dir.path("work/pipe.txt")).status();
    if !made.is_ok_and(|status| status.success()) {
        return;
    }
    dir.write("work/good.md", "Words.\n");
    dir.run(&["load", "pipe.txt", "--embedder", "none"]).ends_with(3).stderr_has("neither a file nor a folder");
    dir.run(&["load", ".", "--embedder", "none"]).ends_with(0).stdout_has("1 new");
}

#[test]
fn a_file_without_a_line_break_is_loaded_and_a_huge_one_is_named() {
    let dir = TestDir::new();
    dir.write("work/docs/letters.txt", "x".repeat(3 << 20));
    dir.write("work/docs/words.txt", "quince ".repeat(3 << 17));
    // Sparse files take no space. One is larger than the limit for reading; the other is read, and is not text.
    for (name, bytes) in [("hole.txt", 200u64 << 20), ("huge.txt", 3 << 30)] {
        std::fs::File::create(dir.path("work/docs").join(name)).unwrap().set_len(bytes).unwrap();
    }
    let run = dir.run(&["load", "docs", "--embedder", "none"]).ends_with(3).stdout_has("2 new");
    run.stderr_has("huge.txt: ").stderr_has("hole.txt: not a text document");
    let hits = dir.json(&["search", "quince", "--mode", "keyword", "-k", "1"]);
    let range = &hits[0]["bytes"];
    assert!(range[1].as_u64().unwrap() - range[0].as_u64().unwrap() < 4_000, "{range}");
}
