//! Parsing in a separate process, with a limit of memory and of time for each document.
//!
//! A PDF of 100 KB may unpack to gigabytes or have parts that refer to each other endlessly. So may a package, a page
//! or a tree of any format that a library parses: the memory that such a parser allocates cannot be counted from
//! outside, and a thread that never ends cannot be stopped. A process can be limited and stopped. Formats that this
//! program's own parsers read line by line stay in this process: their memory and time grow only with the document's
//! length (`linear.rs`).
//!
//! A document first gets little memory, so that as many can be read at once as there are processors. One that needs
//! more is read again alone.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Mutex, OnceLock, PoisonError, RwLock};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::{ParseError, Parsed, detect, parse_here};
use crate::base::child::{Helper, NoAnswer, answer_questions, limit_memory, limit_time};
use crate::base::locked;
use crate::domain::Format;

/// The only argument of a parsing process. It is internal and not a command for users.
pub const ARGUMENT: &str = "parse-for-another-process";

const MIB: u64 = 1 << 20;

/// Bytes of memory for a document that is read beside others, in addition to a multiple of its length.
const SHARED_MEMORY: u64 = 128 * MIB;
/// The same for a document that is read alone.
const ALONE_MEMORY: u64 = 288 * MIB;
/// Bytes of memory per byte of a document: a parser holds the bytes, the text and its own structures.
const MEMORY_PER_BYTE: u64 = 4;

/// Seconds of computing time for a document.
const SECONDS: u64 = 10;
/// Additional seconds for each MiB of the document.
const SECONDS_PER_MIB: u64 = 2;
/// The answer is waited for this many times as long, since other programs compute too.
const PATIENCE: u64 = 6;

/// Bytes of text that a document may have, in addition to a multiple of its length.
const FREE_TEXT: u64 = 16 * MIB;
const TEXT_PER_BYTE: u64 = 8;

/// The words of the standard library's error for an allocation that failed and was caught.
const NO_MEMORY: &str = "out of memory";

/// Processes that wait for work. More are started when all are busy.
static IDLE: Mutex<Vec<Helper>> = Mutex::new(Vec::new());
/// Read-locked for each document that is read with little memory, write-locked for the one that is read with much.
static MEMORY: RwLock<()> = RwLock::new(());
static PROGRAM: OnceLock<PathBuf> = OnceLock::new();

/// Makes processes of `program`, which is this program, parse documents from now on. The program must call
/// [`answer_parent`] when its only argument is [`ARGUMENT`]. Without this call, documents are parsed in the calling
/// process, limited only by the parsers themselves.
pub fn use_process(program: PathBuf) {
    // A second call would name the same program.
    drop(PROGRAM.set(program));
}

/// Parses for another process until that process ends.
pub fn answer_parent() -> ExitCode {
    match answer_questions(answer) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_nobody_listens) => ExitCode::FAILURE,
    }
}

/// Parses in another process if one is set and the format needs it.
pub(super) fn parse(path: &Path, bytes: Vec<u8>) -> Result<(Format, Parsed), ParseError> {
    let Some(program) = PROGRAM.get().filter(|_| is_risky(path, &bytes)) else {
        return parse_here(path, bytes);
    };
    let length = bytes.len() as u64;
    let seconds = SECONDS + SECONDS_PER_MIB * (length / MIB);
    let asked = {
        let _others = MEMORY.read().unwrap_or_else(PoisonError::into_inner);
        ask(program, path, &bytes, SHARED_MEMORY, seconds)
    };
    let answer = match asked {
        Err(Refused::NoAnswer(NoAnswer::Memory | NoAnswer::Ended(_))) => {
            let _alone = MEMORY.write().unwrap_or_else(PoisonError::into_inner);
            ask(program, path, &bytes, ALONE_MEMORY, seconds)
        }
        asked => asked,
    };
    drop(bytes);
    match answer {
        Ok(answer) => parse_answer(&answer),
        Err(Refused::NoProcess(error)) => {
            Err(ParseError::Unread(format!("cannot start a process to read it: {error}")))
        }
        Err(Refused::NoAnswer(NoAnswer::Late)) => Err(ParseError::Unread(format!(
            "it was not read within {seconds} seconds, and was given up: no usual document takes so long"
        ))),
        Err(Refused::NoAnswer(NoAnswer::Memory)) => Err(ParseError::Unread(format!(
            "it needs more than {} MB of memory to be read, as files do that are made to fill it",
            memory(ALONE_MEMORY, length) / MIB
        ))),
        Err(Refused::NoAnswer(NoAnswer::Ended(_))) => {
            Err(ParseError::Unread("the reader of its format failed on it: it may be damaged".to_owned()))
        }
    }
}

/// Whether a document is read by a parser whose memory and time are not known to be bounded by its length.
fn is_risky(path: &Path, bytes: &[u8]) -> bool {
    // Text in UTF-16 has zeros between its characters; it and UTF-8 may begin with a byte order mark.
    let is_before = |byte: u8| byte.is_ascii_whitespace() || b"\0\xef\xbb\xbf\xfe\xff".contains(&byte);
    let first = bytes.iter().find(|&&byte| !is_before(byte));
    matches!(first, Some(b'<' | b'{' | b'[')) || detect::is_structured(path, bytes) || detect::is_email(path, bytes)
}

enum Refused {
    NoProcess(std::io::Error),
    NoAnswer(NoAnswer),
}

fn memory(free: u64, length: u64) -> u64 {
    free + MEMORY_PER_BYTE * length
}

fn ask(program: &Path, path: &Path, bytes: &[u8], free: u64, seconds: u64) -> Result<Vec<u8>, Refused> {
    let idle = locked(&IDLE).pop();
    let mut helper = match idle {
        Some(helper) => helper,
        None => Helper::start(program, ARGUMENT).map_err(Refused::NoProcess)?,
    };
    let limits = [memory(free, bytes.len() as u64).to_le_bytes(), seconds.to_le_bytes()].concat();
    let deadline = Instant::now() + Duration::from_secs(seconds * PATIENCE);
    let name = path.to_string_lossy();
    let name_length = (name.len() as u64).to_le_bytes();
    let answer = helper.ask(&[&limits, &name_length, name.as_bytes(), bytes], deadline).map_err(Refused::NoAnswer)?;
    locked(&IDLE).push(helper);
    Ok(answer)
}

/// The result for a document, without its text, which is sent after it.
#[derive(Serialize, Deserialize)]
enum Outcome {
    Read(Format, Parsed),
    Scanned(Parsed),
    Binary,
    Packed(String),
    Blank,
    Empty(String),
    Unread(String),
}

/// In the child process: turns a question into its answer.
fn answer(mut question: Vec<u8>) -> Vec<Vec<u8>> {
    let number = |at: usize| question.get(at..at + 8)?.try_into().ok().map(u64::from_le_bytes);
    let name_end = number(16).and_then(|length| usize::try_from(length).ok()?.checked_add(24));
    let (Some(limit), Some(seconds), Some(name_end)) =
        (number(0), number(8), name_end.filter(|end| *end <= question.len()))
    else {
        return vec![Vec::new()];
    };
    limit_memory(limit);
    limit_time(seconds);
    let path = PathBuf::from(String::from_utf8_lossy(&question[24..name_end]).into_owned());
    question.drain(..name_end);
    let most = FREE_TEXT + TEXT_PER_BYTE * question.len() as u64;
    let (outcome, text) = match parse_here(&path, question) {
        Ok((_, parsed)) if parsed.text.len() as u64 > most => {
            let reason = format!(
                "it has {} MB of text, which is more than a file of its length holds unless it is made to fill a disk",
                parsed.text.len() as u64 / MIB
            );
            (Outcome::Unread(reason), String::new())
        }
        Ok((format, mut parsed)) => {
            let text = std::mem::take(&mut parsed.text);
            (Outcome::Read(format, parsed), text)
        }
        Err(ParseError::Scanned(mut parsed)) => {
            let text = std::mem::take(&mut parsed.text);
            (Outcome::Scanned(*parsed), text)
        }
        Err(ParseError::Binary) => (Outcome::Binary, String::new()),
        Err(ParseError::Packed(packing)) => (Outcome::Packed(packing.into_owned()), String::new()),
        Err(ParseError::Blank) => (Outcome::Blank, String::new()),
        Err(ParseError::Empty { hint }) => (Outcome::Empty(hint.into_owned()), String::new()),
        Err(error) => {
            let reason = error.to_string();
            if reason.contains(NO_MEMORY) {
                // A library has turned the failure into an error. The process ends here all the same, so that the
                // document is read again alone.
                std::alloc::handle_alloc_error(std::alloc::Layout::new::<u8>());
            }
            (Outcome::Unread(reason), String::new())
        }
    };
    // Serializing cannot fail: these values hold no map whose keys could be refused.
    let head = serde_json::to_vec(&outcome).unwrap_or_default();
    vec![(head.len() as u64).to_le_bytes().to_vec(), head, text.into_bytes()]
}

/// In the parent process: turns an answer into the result that [`parse_here`] would have given.
fn parse_answer(answer: &[u8]) -> Result<(Format, Parsed), ParseError> {
    let unclear = || ParseError::Unread("the process that read it answered nothing".to_owned());
    let (length, rest) = answer.split_first_chunk::<8>().ok_or_else(unclear)?;
    let length = usize::try_from(u64::from_le_bytes(*length)).ok().filter(|length| *length <= rest.len());
    let (head, text) = rest.split_at(length.ok_or_else(unclear)?);
    let outcome: Outcome = serde_json::from_slice(head).map_err(|_| unclear())?;
    let text = String::from_utf8(text.to_vec()).map_err(|_| unclear())?;
    match outcome {
        Outcome::Read(format, parsed) => Ok((format, Parsed { text, ..parsed })),
        Outcome::Scanned(parsed) => Err(ParseError::Scanned(Box::new(Parsed { text, ..parsed }))),
        Outcome::Binary => Err(ParseError::Binary),
        Outcome::Packed(packing) => Err(ParseError::Packed(packing.into())),
        Outcome::Blank => Err(ParseError::Blank),
        Outcome::Empty(hint) => Err(ParseError::Empty { hint: hint.into() }),
        Outcome::Unread(reason) => Err(ParseError::Unread(reason)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Passes a document through question and answer without a second process.
    fn there_and_back(path: &str, bytes: &[u8]) -> Result<(Format, Parsed), ParseError> {
        let name_length = (path.len() as u64).to_le_bytes();
        // Limits that no test reaches: they apply to the whole process.
        let limits = [u64::MAX.to_le_bytes(), 1_000_000_u64.to_le_bytes()].concat();
        let question = [&limits[..], &name_length, path.as_bytes(), bytes].concat();
        parse_answer(&answer(question).concat())
    }

    #[test]
    fn nothing_is_lost_on_the_way() {
        let page =
            b"<html lang=de><title>T</title><meta name=date content=2024-01-31><meta name=author content=A.B.><h1>Eins</h1><p>Zwei W\xc3\xb6rter.";
        for (path, bytes) in [("a.html", &page[..]), ("a.md", b"# H\n\ntext\n"), ("a.jsonl", b"{\"a\":1}\n{\"a\":2}\n")]
        {
            let here = parse_here(Path::new(path), bytes.to_vec()).expect("it parses");
            assert_eq!(there_and_back(path, bytes).expect("it parses"), here, "{path}");
        }
        for bytes in [&b""[..], b"\0\x01\x02", b"%PDF-1.4 nothing", b"<html></html>"] {
            let here = parse_here(Path::new("a"), bytes.to_vec()).expect_err("no document").to_string();
            assert_eq!(there_and_back("a", bytes).expect_err("no document").to_string(), here);
        }
    }

    #[test]
    fn a_damaged_answer_is_an_error() {
        for answer in [&b""[..], b"\xff\xff\xff\xff\xff\xff\xff\xff", b"\x02\0\0\0\0\0\0\0{}"] {
            assert!(parse_answer(answer).is_err(), "{answer:?}");
        }
    }

    #[test]
    fn what_libraries_take_apart_is_risky() {
        let check = |path: &str, bytes: &[u8], expected: bool| {
            assert_eq!(is_risky(Path::new(path), bytes), expected, "{path}");
        };
        check("a.pdf", b"%PDF-1.7", true);
        check("a", b"PK\x03\x04", true);
        check("a.txt", b"\xef\xbb\xbf <svg>", true);
        check("a.yaml", b"a: 1", true);
        check("a.jsonl", b"1", true);
        check("list.txt", b"\n[1, 1]", true);
        check("noname", b"\xff\xfe{\0\"\0", true);
        check("a.md", b"# A", false);
        check("a.rs", b"fn main() {}", false);
    }
}
