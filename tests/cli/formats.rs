//! Files of every format, made by other programs (`tests/formats`): a folder of them loads whole, and of one corrupt
//! file of each format every one is named with its reason while the rest is loaded.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::harness::{TestDir, files_below};

fn files() -> Vec<PathBuf> {
    files_below(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/formats/files"))
}

fn ending(path: &Path) -> String {
    path.extension().unwrap().to_string_lossy().into_owned()
}

/// A copy of the folder, below the working folder.
fn copied(dir: &TestDir) -> usize {
    let files = files();
    for file in &files {
        let name = file.file_name().unwrap().to_string_lossy();
        dir.write(&format!("work/docs/{name}"), std::fs::read(file).unwrap());
    }
    files.len()
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
            // A message that lost some of its words is a message still; one that lost its head is none.
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
            "eml" => "broken e-mail: it has none of the fields".to_owned(),
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
    dir.write("work/mail/box.mbox", format!("{from}{lost}\n{from}{kept}\n{from}{whole}"));
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
    // Four files in a zip archive, three in each of three tar archives, two alone, and two messages.
    let run = dir.run(&["load", "archives", "--embedder", "none", "--json"]).ends_with(0).stderr_is("");
    assert_eq!(run.json()["new"], 4 + 3 * 3 + 2 + 2);
    let hits = dir.json(&["search", "frost of 1987", "--mode", "keyword"]);
    assert!(hits[0]["path"].as_str().unwrap().ends_with("some.zip!/slides.pptx"), "{hits}");
    assert_eq!(hits[0]["page"], 2);
}
