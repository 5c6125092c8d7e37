//! Comments of configuration files, which often say what a value does not: why it was chosen, what else it may be.
//!
//! A parser of values drops comments. They are read line by line and appended after the values, each run of comment
//! lines with the line below it.

use super::lines;
use super::values::Values;
use crate::base::text::excerpt;

/// The fewest letters of a comment; one with fewer is a rule or a frame.
const LETTERS: usize = 3;

/// The most characters that are repeated of the line below a comment.
const LONGEST_BELOW: usize = 160;

/// Appends the comments of `source` that fill whole lines and begin with `#`.
pub(super) fn append(writer: &mut Values, source: &str) {
    let mut run: Vec<&str> = Vec::new();
    // The indentation of the line that opened a block of text, whose lines are not comments.
    let mut block: Option<usize> = None;
    // The mark that ends a string of several lines, none of which is a comment.
    let mut string: Option<&str> = None;
    for (_, line) in lines(source) {
        let words = line.trim();
        let indentation = line.len() - line.trim_start().len();
        if let Some(end) = string {
            string.take_if(|_| line.contains(end));
            continue;
        }
        if let Some(opened) = block {
            if words.is_empty() || indentation > opened {
                continue;
            }
            block = None;
        }
        if let Some(comment) = words.strip_prefix('#') {
            let comment = comment.trim_matches(['#', ' ', '\t']);
            if has_words(comment) {
                run.push(comment);
            }
            continue;
        }
        flush(writer, &mut run, words);
        if opens_block(words) {
            block = Some(indentation);
        }
        string = opens_string(words);
    }
    flush(writer, &mut run, "");
}

fn flush(writer: &mut Values, run: &mut Vec<&str>, below: &str) {
    if run.is_empty() {
        return;
    }
    writer.blank_line();
    writer.parsed.breaks.push(writer.parsed.text.len());
    for line in run.drain(..) {
        writer.new_line();
        writer.parsed.text.push_str(line);
    }
    if below.chars().any(char::is_alphanumeric) && !opens_section(below) {
        writer.new_line();
        writer.parsed.text.push_str(&excerpt(below, LONGEST_BELOW));
    }
    writer.new_line();
}

/// Whether a line has no value and only names what stands below it: `port:`, `[server]`. After a comment, it would be
/// taken for the end of the comment's sentence.
fn opens_section(line: &str) -> bool {
    let line = line.split(" #").next().unwrap_or_default().trim_end();
    line.ends_with(':') || line.starts_with('[') && line.ends_with(']')
}

/// Whether a YAML line ends in `|`, `>` or a variant of them, so that a block of text follows.
fn opens_block(line: &str) -> bool {
    let mark = line.trim_end_matches(|char: char| char == '+' || char == '-' || char.is_ascii_digit());
    [": |", ": >", "- |", "- >"].iter().any(|end| mark.ends_with(end))
}

/// The mark of a string that a TOML line opens and does not close.
fn opens_string(line: &str) -> Option<&'static str> {
    ["\"\"\"", "'''"].into_iter().find(|mark| {
        let opened = line.split_once(mark).filter(|(before, _)| before.trim_end().ends_with('='));
        opened.is_some_and(|(_, behind)| !behind.contains(mark))
    })
}

fn has_words(comment: &str) -> bool {
    comment.chars().filter(|char| char.is_alphabetic()).take(LETTERS).count() == LETTERS
}
