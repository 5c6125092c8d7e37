//! Measures how many of the words that `pdftotext` (poppler) reads in PDFs are read here: `pdf_words FILE...` prints
//! for each file the share of its words that we read, the share of our words that it reads, the seconds, and the title.
//! A word is two or more letters and digits, or one Chinese, Japanese or Korean character. Running heads and page
//! numbers, which are removed here, do not count, nor does the `^` inserted here before raised numbers.

#![expect(clippy::print_stdout, reason = "an example that prints its measurements")]
#![expect(clippy::unwrap_used, reason = "a measurement ends where it cannot go on")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use deepsearch::documents::parse::parse;
use unicode_normalization::UnicodeNormalization;

/// A line at a page's edge is a running head if at least this many pages share it.
const SHARED: usize = 3;

/// The number of lines with words that count as a page's edge, since `pdftotext` gives each part of a head a line of
/// its own. For lines of figures it is `EDGE_OF_FIGURES`.
const EDGE: usize = 4;
const EDGE_OF_FIGURES: usize = 2;

fn main() {
    let (mut files, mut whole) = (0, 0);
    for file in std::env::args().skip(1) {
        let output = Command::new("pdftotext").args(["-enc", "UTF-8", &file, "-"]).output().unwrap();
        let theirs = words(&without_heads(&String::from_utf8_lossy(&output.stdout)));
        let start = Instant::now();
        let parsed = parse(Path::new(&file), std::fs::read(&file).unwrap());
        let seconds = start.elapsed().as_secs_f64();
        let (text, said) = match parsed {
            Ok((_, parsed)) => (parsed.text, parsed.lost.unwrap_or(parsed.title.unwrap_or_default())),
            Err(error) => (String::new(), error.to_string()),
        };
        let ours = words(&text);
        let shared: usize = theirs.iter().map(|(word, count)| (*count).min(*ours.get(word).unwrap_or(&0))).sum();
        let share = |of: &BTreeMap<String, usize>| shared as f64 / of.values().sum::<usize>().max(1) as f64;
        files += 1;
        whole += usize::from(share(&theirs) >= 0.98);
        println!("{:.4} {:.4} {seconds:>6.2} {file}: {said}", share(&theirs), share(&ours));
    }
    println!("{whole} of {files} with 98 % of the words");
}

fn words(text: &str) -> BTreeMap<String, usize> {
    let is_single =
        |one: char| matches!(one, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}');
    let mut words = BTreeMap::new();
    let text: String = text.nfkc().flat_map(char::to_lowercase).filter(|&one| !matches!(one, '\u{ad}' | '^')).collect();
    for run in text.split(|one: char| !one.is_alphanumeric()) {
        // Programs differ in the spaces that they put between words of two scripts.
        for single in run.chars().filter(|&one| is_single(one)) {
            *words.entry(single.to_string()).or_default() += 1;
        }
        for word in run.split(is_single).filter(|word| word.chars().nth(1).is_some()) {
            *words.entry(word.to_owned()).or_default() += 1;
        }
    }
    words
}

/// The pages without the lines at their edges that several pages share, where numbers are ignored.
fn without_heads(text: &str) -> String {
    let pages: Vec<Vec<&str>> =
        text.split('\u{c}').map(|page| page.lines().filter(|line| !line.trim().is_empty()).collect()).collect();
    let key = |line: &str| line.replace(|one: char| one.is_ascii_digit() || "ivxlc".contains(one), "#");
    let is_edge = |at: usize, lines: &[&str]| {
        let has_words = key(lines[at]).contains(char::is_alphabetic);
        let edge = if has_words { EDGE } else { EDGE_OF_FIGURES };
        at < edge || at + edge >= lines.len()
    };
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for lines in &pages {
        let edges = lines.iter().enumerate().filter(|(at, _)| is_edge(*at, lines));
        let heads: BTreeSet<String> = edges.map(|(_, line)| key(line)).collect();
        heads.into_iter().for_each(|head| *seen.entry(head).or_default() += 1);
    }
    let mut out = String::new();
    for lines in &pages {
        for (at, line) in lines.iter().enumerate() {
            let is_number = line.chars().all(|one| one.is_ascii_digit() || "ivxlc -".contains(one));
            if !(is_edge(at, lines) && (is_number || seen.get(&key(line)).is_some_and(|&times| times >= SHARED))) {
                out.push_str(line);
                out.push('\n');
            }
        }
    }
    out
}
