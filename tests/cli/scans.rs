//! Tests PDFs whose pages are images: named, or read by a program that the user chooses.

use crate::harness::TestDir;

#[test]
fn a_scan_is_named_or_read_by_the_users_program() {
    let dir = TestDir::new();
    dir.write("work/docs/scan.pdf", include_bytes!("../pdf/scan.pdf"));
    dir.write("work/docs/note.md", "Words of a note.\n");
    let load = |ocr: &str, code: i32| {
        let set = format!("load.ocr={ocr}");
        dir.run(&["load", "docs", "--embedder", "none", "--set", &set]).ends_with(code)
    };
    load("[]", 3).stderr_has("scan.pdf: no text in it (its pages are images: it needs OCR").stdout_has("1 new");
    load("[\"/no/such/program\"]", 3).stderr_has("scan.pdf: its pages are images, and the `load.ocr` command did not");
    load("[\"sh\", \"-c\", \"exit 0\"]", 3).stderr_has("the `load.ocr` command found no text on them");
    // The program gets the file's own path as one argument.
    load("[\"sh\", \"-c\", \"basename \\\"$1\\\"; echo says quinces\", \"sh\"]", 0).stdout_has("1 new");
    let hits = dir.json(&["search", "quinces", "--mode", "keyword"]);
    assert_eq!(hits[0]["text"], "scan.pdf\nsays quinces", "{hits}");
    assert_eq!(hits[0]["page"], 1, "{hits}");
}
