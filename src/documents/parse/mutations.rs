//! Parses the fuzz targets' documents and slightly damaged copies: no parser panics, and the results are sound.
//!
//! This is the part of fuzzing that every test run can afford: the same damages each time, limited by number and not by
//! time. `DEEPSEARCH_TEST_MUTATIONS=10000` sets the number for each document; `fuzz/README.md` says how to search
//! further.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use super::sound::{TARGETS, failure};
use crate::base::Rng;

/// The damaged copies of each document, unless the environment sets another number.
const MUTATIONS: usize = 24;

/// Pieces of the formats' own grammars: a random byte seldom breaks a parser.
const PIECES: &[&[u8]] = &[
    b"\0",
    b"\xff\xfe",
    b"\r\n",
    b"\n\n",
    b"\n---\n",
    b"\t",
    b"<",
    b"</a>",
    b"<![CDATA[",
    b"<!--",
    b"&#x110000;",
    b"&amp;",
    b"{",
    b"}",
    b"[",
    b"]]",
    b"\"",
    b"\\u",
    b"\\ud800",
    b": ",
    b"- ",
    b"&a *a",
    b"!!",
    b"|\n",
    b"#",
    b"```\n",
    b"-->",
    b"=?utf-8?B?",
    b"\xe6\xbc\xa2",
    b"\xf0\x9f",
    b"99999999999999999999",
    b"-1",
    b"1e999",
    b"boundary=",
    b" obj",
    b"stream\n",
    b"endobj",
];

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus")
}

/// A target's documents in the order of their names.
fn documents(target: &str) -> Vec<(String, Vec<u8>)> {
    let folder = fs::read_dir(corpus().join(target)).expect("each target has a folder");
    let mut found: Vec<(String, Vec<u8>)> = folder
        .map(|entry| entry.expect("it can be listed").path())
        .map(|path| (path.display().to_string(), fs::read(&path).expect("it can be read")))
        .collect();
    found.sort();
    found
}

/// A copy with one to four damages.
fn damaged(document: &[u8], other: &[u8], rng: &mut Rng) -> Vec<u8> {
    let mut bytes = document.to_vec();
    for _ in 0..1 + rng.below(4) {
        let at = rng.below(bytes.len() + 1);
        let magnitude = rng.below(8);
        let length = 1 + rng.below(1 << magnitude);
        let end = (at + length).min(bytes.len());
        match rng.below(7) {
            0 if at < bytes.len() => bytes[at] ^= 1 << rng.below(8),
            1 => drop(bytes.drain(at..end)),
            2 => {
                let piece = bytes[at..end].to_vec();
                let to = rng.below(bytes.len() + 1);
                bytes.splice(to..to, piece);
            }
            3 => bytes.truncate(at),
            4 => {
                let from = rng.below(other.len() + 1);
                let piece = &other[from..(from + length).min(other.len())];
                bytes.splice(at..end, piece.iter().copied());
            }
            5 => {
                let piece = PIECES[rng.below(PIECES.len())].repeat(1 << (magnitude + rng.below(3)));
                bytes.splice(at..at, piece);
            }
            _ => {
                let piece = PIECES[rng.below(PIECES.len())];
                bytes.splice(at..end, piece.iter().copied());
            }
        }
    }
    bytes
}

#[test]
fn every_target_has_a_folder_and_every_folder_a_target() {
    let folders: BTreeSet<String> = fs::read_dir(corpus())
        .expect("the corpus is there")
        .map(|entry| entry.expect("it can be listed").file_name().to_string_lossy().into_owned())
        .collect();
    let targets: BTreeSet<String> = TARGETS.iter().map(|(target, _)| (*target).to_owned()).collect();
    assert_eq!(folders, targets);
}

#[test]
fn damaged_documents_are_refused_or_sound() {
    let count = std::env::var("DEEPSEARCH_TEST_MUTATIONS").ok().and_then(|count| count.parse().ok());
    let count: usize = count.unwrap_or(MUTATIONS);
    for &(target, _) in TARGETS {
        let documents = documents(target);
        assert!(!documents.is_empty(), "{target} has documents");
        for (place, (path, document)) in documents.iter().enumerate() {
            let told = |what: &str, bytes: &[u8]| {
                if let Some(said) = failure(target, bytes) {
                    panic!("{path}, {what}: {said}");
                }
            };
            told("as it is", document);
            let other = &documents[(place + 1) % documents.len()].1;
            for number in 0..count {
                let mut rng = Rng::new(((place as u64) << 32) + number as u64);
                told(&format!("mutation {number}"), &damaged(document, other, &mut rng));
            }
        }
    }
}
