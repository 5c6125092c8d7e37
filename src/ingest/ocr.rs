//! Reads pages that are pictures of text, by a program of the user's choice.
//!
//! The program gets the PDF's path and writes what it reads to standard output, with a form feed between pages, as
//! `pdftotext` and Tesseract do. It runs once per file, and only if a page shows a picture and has no text of its own;
//! only those pages of its output are used.

use std::io::Write;
use std::path::Path;
use std::time::Duration;

use crate::base::{CommandError, CommandLimits, run_command};
use crate::documents::parse::{ParseError, Parsed};
use crate::domain::Heading;

/// Stands for the PDF's path in the arguments.
const FILE: &str = "file";

/// How to read pages that are pictures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OcrOptions {
    /// The program and its arguments. `{file}` in them is the PDF's path; if none has it, the path comes last.
    pub command: Vec<String>,
    /// The time limit for one file.
    pub timeout: Duration,
    /// The most bytes of text from one file.
    pub max_output_bytes: usize,
    /// Environment variables with keys, which the program does not get.
    pub secret_variables: Vec<String>,
}

/// Why pages that are pictures were not read.
#[derive(Debug, thiserror::Error)]
pub(super) enum OcrError {
    /// A document that is not in a file could not be written to one.
    #[error("cannot write it to a temporary file for the `load.ocr` command: {0}")]
    Temporary(#[from] std::io::Error),
    /// The program failed.
    #[error("its pages are images, and the `load.ocr` command did not read them: {0}")]
    Command(#[from] CommandError),
}

/// Where the PDF is.
pub(super) enum Pdf<'a> {
    /// In a file.
    File(&'a Path),
    /// Only in memory.
    Bytes(&'a [u8]),
}

/// Runs the program on the PDF and puts its text on the pages of `parsed` that have none.
pub(super) fn read_pages(options: &OcrOptions, pdf: &Pdf<'_>, parsed: Parsed) -> Result<Parsed, OcrError> {
    let output = match pdf {
        Pdf::File(path) => run(options, path)?,
        Pdf::Bytes(bytes) => {
            let mut file = tempfile::Builder::new().suffix(".pdf").tempfile()?;
            file.write_all(bytes)?;
            file.flush()?;
            run(options, file.path())?
        }
    };
    let text = String::from_utf8_lossy(&output);
    let pages: Vec<String> = text.split('\u{c}').map(tidy).collect();
    Ok(fill_pictured_pages(parsed, &pages))
}

fn run(options: &OcrOptions, path: &Path) -> Result<Vec<u8>, OcrError> {
    let mut command = options.command.clone();
    let place = format!("{{{FILE}}}");
    if !command.iter().skip(1).any(|argument| argument.contains(&place)) {
        command.push(place);
    }
    let limits = CommandLimits { timeout: options.timeout, max_output_bytes: options.max_output_bytes };
    Ok(run_command(&command, &[(FILE, path.as_os_str())], &options.secret_variables, limits)?)
}

/// The lines of a page, trimmed, with at most one blank line between two, and without control characters.
fn tidy(page: &str) -> String {
    let mut tidy = String::with_capacity(page.len());
    let mut blank = false;
    for line in page.lines().map(str::trim) {
        if line.is_empty() {
            blank = !tidy.is_empty();
            continue;
        }
        if !tidy.is_empty() {
            tidy.push_str(if blank { "\n\n" } else { "\n" });
        }
        blank = false;
        tidy.extend(line.chars().filter(|char| !char.is_control() || *char == '\t'));
    }
    tidy
}

/// `parsed` with the text of `pages` on those of its pages that are pictures.
fn fill_pictured_pages(parsed: Parsed, pages: &[String]) -> Parsed {
    let mut text = String::new();
    let mut starts = Vec::with_capacity(parsed.pages.len());
    let mut headings: Vec<Heading> = Vec::with_capacity(parsed.headings.len());
    let mut old_headings = parsed.headings.iter().peekable();
    let mut pictures = Vec::new();
    for (index, &start) in parsed.pages.iter().enumerate() {
        let end = parsed.pages.get(index + 1).copied().unwrap_or(parsed.text.len());
        let own = parsed.text.get(start..end).unwrap_or_default();
        let is_picture = parsed.pictures.contains(&index);
        let read = pages.get(index).map_or("", String::as_str);
        let words = if is_picture { read } else { own.trim() };
        if !words.is_empty() && !text.is_empty() {
            text.push_str("\n\n");
        }
        starts.push(text.len());
        let skipped = own.len() - own.trim_start().len();
        while let Some(heading) = old_headings.next_if(|heading| heading.start < end) {
            let at = heading.start.saturating_sub(start + skipped) + text.len();
            headings.push(Heading { start: at, ..heading.clone() });
        }
        text.push_str(words);
        if is_picture && read.is_empty() {
            pictures.push(index);
        }
    }
    Parsed { text, pages: starts, headings, pictures, ..parsed }
}

/// The error for a document whose pages are pictures from which no text was read.
pub(super) fn nothing_read() -> ParseError {
    ParseError::Empty { hint: " (its pages are images, and the `load.ocr` command found no text on them)".into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document(text: &str, pages: &[usize], pictures: &[usize], headings: &[(usize, &str)]) -> Parsed {
        let heading = |&(start, text): &(usize, &str)| Heading { start, level: 1, text: text.to_owned() };
        Parsed {
            text: text.to_owned(),
            pages: pages.to_vec(),
            pictures: pictures.to_vec(),
            headings: headings.iter().map(heading).collect(),
            ..Parsed::default()
        }
    }

    fn check(before: Parsed, read: &[&str], expected: Parsed) {
        let pages: Vec<String> = read.iter().map(|page| tidy(page)).collect();
        assert_eq!(fill_pictured_pages(before, &pages), expected);
    }

    #[test]
    fn only_pages_that_are_pictures_take_the_programs_text() {
        check(
            document("One.\n\nThree\n\nwords.", &[0, 4, 6], &[1], &[(6, "Three")]),
            &["not this", "Second,\r\n  écrit.\n\n\n\nEnd\u{7}", "nor this", "nor a page more"],
            document("One.\n\nSecond,\nécrit.\n\nEnd\n\nThree\n\nwords.", &[0, 6, 28], &[], &[(28, "Three")]),
        );
    }

    #[test]
    fn pages_on_which_nothing_is_read_stay_named() {
        check(document("", &[0, 0, 0], &[0, 1, 2], &[]), &["\n", "潮"], document("潮", &[0, 0, 3], &[0, 2], &[]));
    }

    #[cfg(unix)]
    #[test]
    fn the_program_gets_the_path_as_one_argument() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a b; $(false).pdf");
        std::fs::write(&path, "the bytes").expect("a file");
        let options = |script: &str, last: &[&str]| OcrOptions {
            command: ["sh", "-c", script, "sh"].iter().chain(last).map(|&part| part.to_owned()).collect(),
            timeout: Duration::from_secs(60),
            max_output_bytes: 100,
            secret_variables: Vec::new(),
        };
        let read = |options: &OcrOptions, pdf: &Pdf<'_>| {
            read_pages(options, pdf, document("", &[0, 0], &[0, 1], &[])).map_err(|error| error.to_string())
        };
        let echo = "printf 'first\\014%s' \"$(cat \"$1\")\"";
        let expected = Ok(document("first\n\nthe bytes", &[0, 7], &[], &[]));
        assert_eq!(read(&options(echo, &[]), &Pdf::File(&path)), expected);
        assert_eq!(read(&options(echo, &["{file}", "x"]), &Pdf::File(&path)), expected);
        assert_eq!(read(&options(echo, &[]), &Pdf::Bytes(b"the bytes")), expected);
        let failed = read(&options("echo no >&2; exit 4", &[]), &Pdf::File(&path)).expect_err("it fails");
        assert_eq!(
            failed,
            "its pages are images, and the `load.ocr` command did not read them: `sh` failed (exit status: 4): no"
        );
    }
}
