//! Documents that repeat one construct without end, in two lengths: a parser that scans again and again over text that
//! it has passed takes sixteen times as long for four times the length.
//!
//! Times are measured, so this is not part of an ordinary test run; `fuzz/README.md` says how to run it. The constructs
//! are in `fuzz/repeated.toml`.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde::Deserialize;

use super::sound::failure;

/// The length of the shorter document, unless the environment sets another.
const KILOBYTES: usize = 1024;

/// How many times as long the longer document is.
const TIMES: usize = 4;

/// The longer document may take at most this many times as long: more than its length, since it leaves the processor's
/// caches.
const LONGEST: f64 = 6.0;

/// A document that is read within this time is read quickly, whatever the quotient of the two times.
const ENOUGH_SECONDS: f64 = 0.5;

/// A construct that is repeated. The document is `head`, `head_end`, the pieces, `middle`, as many `foot`s as pieces,
/// `tail_start` and `tail`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Construct {
    /// The target's other construct from which `head` and `tail` are taken.
    like: Option<String>,
    head: String,
    head_end: String,
    piece: String,
    middle: String,
    foot: String,
    tail_start: String,
    tail: String,
}

impl Construct {
    /// A document of about `length` bytes.
    fn document(&self, length: usize) -> Vec<u8> {
        let mut pieces = String::with_capacity(length + 64);
        let mut count = 0_usize;
        while pieces.len() + count * self.foot.len() < length {
            count += 1;
            let piece = self.piece.replace("{n}", &count.to_string());
            let piece = piece.replace("{n+1}", &(count + 1).to_string());
            pieces.push_str(&piece.replace("{n-1}", &(count - 1).to_string()));
        }
        let head = self.head.trim_start_matches('\n').replace("{length}", &pieces.len().to_string());
        let (middle, foot) = (&self.middle, self.foot.repeat(count));
        let text = format!("{head}{}{pieces}{middle}{foot}{}{}", self.head_end, self.tail_start, self.tail);
        with_offsets(text).into_bytes()
    }
}

/// Writes the table of a PDF's six objects if the document asks for one.
fn with_offsets(text: String) -> String {
    if !text.contains("{table}") {
        return text;
    }
    let mut table = "0000000000 65535 f \n".to_owned();
    for object in 1..6 {
        let at = text.find(&format!("\n{object} 0 obj")).map_or(0, |at| at + 1);
        table.push_str(&format!("{at:010} 00000 n \n"));
    }
    let xref = text.rfind("xref\n0 6").unwrap_or(0);
    text.replace("{table}", &table).replace("{xref}", &xref.to_string())
}

/// The seconds of computing time that this process has used, on all its threads.
fn computed() -> f64 {
    let stat = fs::read_to_string("/proc/self/stat").expect("Linux tells it");
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks: f64 = fields[11..13].iter().filter_map(|ticks| ticks.parse::<f64>().ok()).sum();
    ticks / 100.0
}

fn seconds(target: &str, document: &[u8]) -> (f64, Option<String>) {
    let before = computed();
    let failed = failure(target, document);
    (computed() - before, failed)
}

fn constructs() -> BTreeMap<String, BTreeMap<String, Construct>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/repeated.toml");
    let read = fs::read_to_string(path).expect("the constructs are there");
    let mut all: BTreeMap<String, BTreeMap<String, Construct>> = toml::from_str(&read).expect("they can be read");
    for of_target in all.values_mut() {
        let known = of_target.clone();
        for construct in of_target.values_mut() {
            if let Some(like) = construct.like.as_ref().map(|like| &known[like]) {
                construct.head.clone_from(&like.head);
                construct.tail.clone_from(&like.tail);
            }
        }
    }
    all
}

#[test]
#[ignore = "measures time"]
fn four_times_the_length_takes_four_times_as_long() {
    let asked = std::env::var("DEEPSEARCH_TEST_LINEAR").ok();
    let kilobytes = std::env::var("DEEPSEARCH_TEST_LINEAR_KB").ok().and_then(|count| count.parse().ok());
    let length = kilobytes.unwrap_or(KILOBYTES) * 1024;
    let mut slow = Vec::new();
    let mut told = String::new();
    for (target, of_target) in constructs() {
        for (what, construct) in of_target {
            if asked.as_ref().is_some_and(|asked| !format!("{target}: {what}").starts_with(asked)) {
                continue;
            }
            let (short, failed) = seconds(&target, &construct.document(length));
            let (long, failed_too) = seconds(&target, &construct.document(length * TIMES));
            let line = format!("{target}: {what}: {short:.2} s, {long:.2} s, {:.1} times", long / short.max(0.01));
            told.push_str(&line);
            told.push('\n');
            fs::write(std::env::temp_dir().join("deepsearch-linear.txt"), &told).expect("it can be written");
            if let Some(failed) = failed.or(failed_too) {
                slow.push(format!("{target}: {what}: {failed}"));
            }
            if long > ENOUGH_SECONDS && long > short * LONGEST {
                slow.push(line);
            }
        }
    }
    assert!(slow.is_empty(), "{}", slow.join("\n"));
}

#[test]
fn every_construct_is_of_a_target() {
    let targets: Vec<&str> = super::sound::TARGETS.iter().map(|&(target, _)| target).collect();
    let constructs = constructs();
    assert!(targets.iter().all(|&target| constructs.contains_key(target)), "every target has some");
    for (target, of_target) in constructs {
        assert!(targets.contains(&target.as_str()), "{target}");
        for (what, construct) in of_target {
            let document = construct.document(1000);
            assert!(document.len() >= 1000 && !construct.piece.is_empty(), "{target}: {what}");
        }
    }
}
