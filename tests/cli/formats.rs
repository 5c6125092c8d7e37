//! Tests files of every format, made by other programs (`tests/formats`). A folder of them loads whole; with one
//! corrupt file of each format added, each of these is named with its reason and the rest is loaded.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::harness::{TestDir, files_below};

fn files() -> Vec<PathBuf> {
    files_below(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/formats/files"))
}

fn ending(path: &Path) -> String {
    path.extension().unwrap().to_string_lossy().into_owned()
}

/// Copies the files below the working folder, and returns their number.
fn copied(dir: &TestDir) -> usize {
    let files = files();
    for file in &files {
        let name = file.file_name().unwrap().to_string_lossy();
        dir.write(&format!("work/docs/{name}"), std::fs::read(file).unwrap());
    }
    files.len()
}

/// A PDF with one line on each page.
fn pdf(pages: &[&str]) -> Vec<u8> {
    let kids: Vec<String> = (0..pages.len()).map(|page| format!("{} 0 R", 4 + 2 * page)).collect();
    let mut objects = vec![
        "<</Type/Catalog/Pages 2 0 R>>".to_owned(),
        format!("<</Type/Pages/Kids[{}]/Count {}/Resources<</Font<</F1 3 0 R>>>>>>", kids.join(" "), kids.len()),
        "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>".to_owned(),
    ];
    for (page, line) in pages.iter().enumerate() {
        let content = format!("BT /F1 12 Tf 72 720 Td ({line}) Tj ET");
        objects.push(format!("<</Type/Page/Parent 2 0 R/Contents {} 0 R>>", 5 + 2 * page));
        objects.push(format!("<</Length {}>>\nstream\n{content}\nendstream", content.len()));
    }
    let mut file = "%PDF-1.4\n".to_owned();
    let mut table = format!("xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1);
    for (number, object) in (1..).zip(&objects) {
        table.push_str(&format!("{:010} 00000 n \n", file.len()));
        file.push_str(&format!("{number} 0 obj\n{object}\nendobj\n"));
    }
    let (start, size) = (file.len(), objects.len() + 1);
    file.push_str(&format!("{table}trailer\n<</Root 1 0 R/Size {size}>>\nstartxref\n{start}\n%%EOF\n"));
    file.into_bytes()
}

#[test]
fn a_citation_names_the_page_of_its_words() {
    let dir = TestDir::new();
    let weir = "The weir at Lund was built of larch in 1871 by two brothers.";
    let keeper = "The sluice keeper earns 412 crowns a year and lives in the mill.";
    dir.write("work/docs/weir.pdf", pdf(&[weir, keeper]));
    dir.run(&["load", "docs", "--embedder", "none"]).ends_with(0);
    let hits = dir.json(&["search", "sluice keeper earns", "--mode", "keyword"]);
    assert_eq!((&hits[0]["bytes"][0], &hits[0]["page"]), (&0.into(), &2.into()), "{hits}");
    for (question, page) in [("What does the sluice keeper earn?", 2), ("When was the weir at Lund built?", 1)] {
        let report = dir.json(&["query", question]);
        assert_eq!(report["citations"][0]["page"], page, "{report}");
    }
}

#[test]
fn a_folder_of_every_format_is_loaded_whole() {
    let dir = TestDir::new();
    let count = copied(&dir);
    let run = dir.run(&["load", "docs", "--embedder", "none", "--json"]).ends_with(0).stderr_is("");
    assert_eq!(run.json()["new"], count);
    let found = |words: &str, name: &str| {
        let hits = dir.json(&["search", words, "--mode", "keyword", "--path", &format!("**/{name}")]);
        hits[0].clone()
    };
    assert_eq!(found("frost of 1987", "slides.pptx")["page"], 2);
    assert_eq!(found("Jón Ólafsson engineer", "book.ods")["page"], 2);
    assert_eq!(found("stubborn star", "lighthouse-2.epub")["title"], "The Lighthouse at Skerry Point");
    assert_eq!(found("granite quarry masons", "lighthouse-office.rtf")["headings"][1], "How the tower was built");
}

#[test]
fn one_corrupt_file_of_each_format_is_named_and_the_rest_is_loaded() {
    let dir = TestDir::new();
    let count = copied(&dir);
    let one_of_each: BTreeMap<String, PathBuf> = files().into_iter().map(|path| (ending(&path), path)).collect();
    let packages = ["docx", "epub", "odp", "ods", "odt", "pptx", "xlsx"];
    for (ending, path) in &one_of_each {
        let mut bytes = std::fs::read(path).unwrap();
        let is_binary = packages.contains(&ending.as_str()) || ["pdf", "rtf"].contains(&ending.as_str());
        if is_binary {
            // Cut short, as by a copy that was interrupted.
            bytes.truncate(bytes.len() * 2 / 3);
        } else if ending == "eml" {
            // A message that has lost some of its words is still a message; one that has lost its head is not.
            let head = bytes.windows(2).position(|two| two == b"\n\n").unwrap_or(bytes.len() / 2);
            bytes[..head].fill(0);
        } else {
            // Overwritten, as by a disk that fails.
            let middle = (bytes.len() / 2).min(4000);
            bytes[middle..middle + 40].fill(0);
        }
        dir.write(&format!("work/docs/corrupt.{ending}"), bytes);
    }
    let run = dir.run(&["load", "docs", "--embedder", "none", "--json"]).ends_with(3);
    let summary = run.json();
    assert_eq!((&summary["new"], summary["failed"].as_array().unwrap().len()), (&count.into(), one_of_each.len()));
    for ending in one_of_each.keys() {
        let name = format!("corrupt.{ending}: ");
        let line = run.stderr.lines().find(|line| line.contains(&name)).unwrap_or_else(|| panic!("{name}{run:?}"));
        let reason = match ending.as_str() {
            "pdf" => "cut short".to_owned(),
            "rtf" => "broken RTF: its last group is not closed".to_owned(),
            package if packages.contains(&package) => format!("broken {}: ", package.to_uppercase()),
            _ => "not a text document (binary data)".to_owned(),
        };
        assert!(line.contains(&reason), "{line}");
    }
}

#[test]
fn what_is_left_of_damaged_mail_is_read_and_what_is_lost_is_named() {
    let head = |number: usize| format!("From: a@example.org\nSubject: Message {number}\nMIME-Version: 1.0\n");
    let encoded = "Content-Type: text/plain\nContent-Transfer-Encoding: base64\n\n";
    let lost = format!("{}{encoded}V29y*** ZHM=\n", head(1));
    let kept = format!(
        "{}Content-Type: multipart/mixed; boundary=x\n\n--x\nContent-Type: text/plain\n\nThe words are whole.\n--x\n\
         Content-Type: application/pdf; name=plan.pdf\nContent-Transfer-Encoding: base64\n\nJVBERi0*",
        head(2)
    );
    let whole = format!("{}\nNothing is wrong here.\n", head(3));
    let dir = TestDir::new();
    dir.write("work/mail/lost.eml", &lost);
    dir.write("work/mail/kept.eml", &kept);
    let from = "From a@example.org Mon Jan  1 00:00:00 2024\n";
    dir.write("work/mail/box.mbox", format!("{from}{lost}\n{from}{kept}\n\n{from}{whole}"));
    dir.write("work/mail/rubbish.mbox", [0x93_u8, 0, 7, 0xff].repeat(500));
    let run = dir.run(&["load", "mail", "--embedder", "none", "--json"]).ends_with(3);
    let summary = run.json();
    let failed: Vec<(&str, &str)> = summary["failed"]
        .as_array()
        .unwrap()
        .iter()
        .map(|failed| (failed["path"].as_str().unwrap(), failed["reason"].as_str().unwrap()))
        .map(|(path, reason)| (path.rsplit("work/mail/").next().unwrap(), reason))
        .collect();
    let damaged = "broken e-mail: its words are encoded, and the encoded text is damaged";
    let no_mailbox = "its name says that it is an archive, and its content is none that can be read";
    let expected = [("box.mbox!/message-1.eml", damaged), ("lost.eml", damaged), ("rubbish.mbox", no_mailbox)];
    assert_eq!((failed.as_slice(), &summary["new"]), (&expected[..], &3.into()), "{summary}");
    dir.run(&["read", "kept.eml"]).ends_with(0).stdout_has("The words are whole.\n\nAttachments: plan.pdf (damaged)");
    dir.run(&["read", "box.mbox!/message-3.eml"]).ends_with(0).stdout_has("Nothing is wrong here.");
    dir.run(&["read", "box.mbox"])
        .ends_with(4)
        .stderr_has("it is an archive: read 'DIR/work/mail/box.mbox!/message-2.eml'");
}

#[test]
fn archives_of_them_are_read_in_place() {
    let dir = TestDir::new();
    for file in files_below(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/formats/archives")) {
        let name = file.file_name().unwrap().to_string_lossy();
        dir.write(&format!("work/archives/{name}"), std::fs::read(&file).unwrap());
    }
    // Four files in a zip archive, three in each of three tar archives, two compressed on their own, and two messages.
    let run = dir.run(&["load", "archives", "--embedder", "none", "--json"]).ends_with(0).stderr_is("");
    assert_eq!(run.json()["new"], 4 + 3 * 3 + 2 + 2);
    let hits = dir.json(&["search", "frost of 1987", "--mode", "keyword"]);
    assert!(hits[0]["path"].as_str().unwrap().ends_with("some.zip!/slides.pptx"), "{hits}");
    assert_eq!(hits[0]["page"], 2);
}
