//! The two output streams: how results are written, and how messages reach people.
//!
//! Everything that people read goes through [`plain`]: titles, names, quotes, errors and models' words may hold
//! sequences that a terminal obeys. Only this program's own colours pass; they are marked with a number that no
//! document knows.

use std::ffi::OsString;
use std::fmt::Display;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::{self, BufRead, IsTerminal, Write};
use std::path::Path;
use std::sync::LazyLock;

use serde::Serialize;
use terminal_size::{Width, terminal_size_of};

use super::args::{ColorWhen, GlobalArgs};
use super::{CliError, ExitStatus};
use crate::base::text::{excerpt, shown, thousands, wrapped};
use crate::base::write_atomically;

/// The most characters of an error or a cause; some quote a line of the file that they are about.
const LONGEST_MESSAGE: usize = 2000;
/// A terminal that reports fewer columns is taken not to know its width.
const LEAST_WIDTH: usize = 20;

/// How much is written to standard error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Verbosity {
    /// Errors.
    Quiet,
    /// What a person wants to know.
    Normal,
    /// Every call.
    Verbose,
}

/// The properties of the streams.
#[derive(Clone, Debug)]
pub(super) struct Terminal {
    /// How much is written.
    pub verbosity: Verbosity,
    /// Whether somebody watches standard error, so that progress bars make sense.
    pub watched: bool,
    stderr_color: bool,
    stdout_color: bool,
}

/// The kind of a piece of text, which determines its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ink {
    /// A heading.
    Strong,
    /// Less important.
    Faint,
    /// Something failed.
    Error,
    /// Something that deserves attention.
    Warning,
    /// Advice on what to do.
    Good,
}

impl Ink {
    fn code(self) -> &'static str {
        match self {
            Ink::Strong => "1",
            Ink::Faint => "2",
            Ink::Error => "1;31",
            Ink::Warning => "1;33",
            Ink::Good => "32",
        }
    }
}

impl Terminal {
    /// Examines the streams and `NO_COLOR`, `TERM` and `CI`.
    pub fn new(global: &GlobalArgs) -> Self {
        let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        let plain = set("NO_COLOR") || dumb;
        let color = |terminal: bool| match global.color {
            ColorWhen::Auto => terminal && !plain,
            ColorWhen::Always => true,
            ColorWhen::Never => false,
        };
        let verbosity = match (global.quiet, global.verbose) {
            (true, _) => Verbosity::Quiet,
            (_, true) => Verbosity::Verbose,
            _ => Verbosity::Normal,
        };
        let stderr = io::stderr().is_terminal();
        Terminal {
            verbosity,
            watched: stderr && !dumb && !set("CI") && verbosity > Verbosity::Quiet,
            stderr_color: color(stderr),
            stdout_color: color(io::stdout().is_terminal()),
        }
    }

    /// Sends the log of the lower layers to standard error. `DEEPSEARCH_LOG` takes filters such as `deepsearch=debug`.
    pub fn start_log(&self) -> Result<(), CliError> {
        use tracing_subscriber::EnvFilter;
        let level = match self.verbosity {
            Verbosity::Quiet => "error",
            Verbosity::Normal => "deepsearch=warn,error",
            Verbosity::Verbose => "deepsearch=info,warn",
        };
        let filter = match std::env::var("DEEPSEARCH_LOG") {
            Ok(text) if !text.is_empty() => EnvFilter::try_new(&text)
                .map_err(|error| CliError::usage(format!("DEEPSEARCH_LOG={text} cannot be used: {error}")))?,
            _ => EnvFilter::new(level),
        };
        tracing_subscriber::fmt()
            .with_env_filter(filter)
            .with_writer(|| PlainLog)
            .with_ansi(false)
            .with_target(false)
            .without_time()
            .try_init()
            .map_err(|error| CliError::new(ExitStatus::Failed, format!("cannot start the log: {error}")))
    }

    /// Text for standard error in `ink`.
    pub fn paint(&self, ink: Ink, text: &str) -> String {
        painted(self.stderr_color, ink, text)
    }

    /// Text for standard output in `ink`.
    pub fn paint_result(&self, ink: Ink, text: &str) -> String {
        painted(self.stdout_color, ink, text)
    }

    /// Tells a person something, unless they asked for quiet.
    pub fn note(&self, line: &str) {
        if self.verbosity > Verbosity::Quiet {
            say(line);
        }
    }

    /// Tells a person lines to read before deciding something: on a narrow terminal they break between words, and
    /// continuation lines are indented to the text behind the line's number.
    pub fn prose(&self, lines: &str) {
        let width = terminal_size_of(io::stderr()).map_or(0, |(Width(columns), _)| usize::from(columns));
        if width < LEAST_WIDTH {
            return self.note(lines);
        }
        for line in lines.lines() {
            let marked =
                line.strip_prefix(' ').map(|line| line.trim_start_matches(|c: char| c == ' ' || c.is_ascii_digit()));
            let indent = marked.map_or(0, |words| line.len() - words.len());
            self.note(&wrapped(line, width, indent));
        }
    }

    /// Tells a person something that deserves attention, unless they asked for quiet.
    pub fn warn(&self, line: &str) {
        self.note(&format!("{} {}", self.paint(Ink::Warning, "warning:"), excerpt(line, LONGEST_MESSAGE)));
    }

    /// Reports a failure and returns the exit status of the process.
    pub fn report(&self, error: &CliError) -> ExitStatus {
        if !error.silent {
            say(&format!("{} {}", self.paint(Ink::Error, "error:"), excerpt(&error.message, LONGEST_MESSAGE)));
            for cause in &error.causes {
                say(&format!("  {} {}", self.paint(Ink::Faint, "because:"), excerpt(cause, LONGEST_MESSAGE)));
            }
            if let Some(hint) = &error.hint {
                say(&format!("{} {hint}", self.paint(Ink::Good, "hint:")));
            }
        }
        error.status
    }

    /// Asks a person yes or no; `None` if nobody can be asked.
    fn confirm(&self, question: &str) -> Result<Option<bool>, CliError> {
        if !io::stdin().is_terminal() {
            return Ok(None);
        }
        let mut stderr = io::stderr().lock();
        let mut answer = String::new();
        write!(stderr, "{} [y/N] ", plain(question))
            .and_then(|()| stderr.flush())
            .and_then(|()| io::stdin().lock().read_line(&mut answer))
            .map_err(|error| CliError::new(ExitStatus::Failed, format!("cannot ask: {error}")))?;
        Ok(Some(matches!(answer.trim().to_lowercase().as_str(), "y" | "yes")))
    }

    /// Whether a person agrees. If they do not, `refused` is noted; if nobody can be asked, the error is `unasked`.
    pub fn agreed(&self, question: &str, refused: &str, unasked: CliError) -> Result<bool, CliError> {
        let agreed = self.confirm(question)?.ok_or(unasked)?;
        if !agreed {
            self.note(refused);
        }
        Ok(agreed)
    }
}

/// Writes a line to standard error. If standard error is closed, there is nobody to tell.
fn say(line: &str) {
    drop(writeln!(io::stderr().lock(), "{}", plain(line)));
}

/// Standard error for the log; each event is written as a whole.
struct PlainLog;

impl Write for PlainLog {
    fn write(&mut self, event: &[u8]) -> io::Result<usize> {
        io::stderr().lock().write_all(plain(&String::from_utf8_lossy(event)).as_bytes())?;
        Ok(event.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stderr().lock().flush()
    }
}

/// Writes the result, or a part of it, to standard output at once, for a person to read.
pub(super) fn write_result(text: &str) -> Result<(), CliError> {
    write_as_it_is(&plain(text))
}

/// Writes a text that may be wanted unchanged, such as a report or a document's words, to standard output at once. Only
/// for a terminal is it made harmless.
pub(super) fn write_text(text: &str) -> Result<(), CliError> {
    if io::stdout().is_terminal() { write_result(text) } else { write_as_it_is(text) }
}

fn write_as_it_is(text: &str) -> Result<(), CliError> {
    write_bytes(text.as_bytes())
}

/// Writes a file's bytes to standard output.
pub(super) fn write_bytes(bytes: &[u8]) -> Result<(), CliError> {
    let mut stdout = io::stdout().lock();
    stdout
        .write_all(bytes)
        .and_then(|()| stdout.flush())
        .map_err(|error| CliError::output("to standard output", &error))
}

/// Writes a file whole.
pub(super) fn write_file(path: &Path, bytes: &[u8]) -> Result<(), CliError> {
    write_atomically(path, bytes).map_err(|error| unwritable(path, error))
}

/// The error for a file that cannot be written.
pub(super) fn unwritable(path: &Path, reason: impl Display) -> CliError {
    CliError::new(ExitStatus::Failed, format!("cannot write {}: {reason}", path.display()))
}

/// Writes a value as indented JSON and a newline.
pub(super) fn write_json(value: &impl Serialize) -> Result<(), CliError> {
    let mut text = serde_json::to_string_pretty(value)
        .map_err(|error| CliError::new(ExitStatus::Failed, format!("cannot write the result as JSON: {error}")))?;
    text.push('\n');
    write_as_it_is(&text)
}

/// The beginning of this program's own colour sequences, until [`plain`] replaces it with the terminal's.
static COLOR: LazyLock<String> = LazyLock::new(|| format!("\x1b[{:x};", RandomState::new().build_hasher().finish()));

fn painted(color: bool, ink: Ink, text: &str) -> String {
    let mark = COLOR.as_str();
    if color { format!("{mark}{}m{text}{mark}0m", ink.code()) } else { text.to_owned() }
}

/// `text` without anything that a terminal would obey, except this program's own colours.
fn plain(text: &str) -> String {
    let parts: Vec<String> = text.split(COLOR.as_str()).map(shown).collect();
    parts.join("\x1b[")
}

/// The value of `--color`, before the arguments are parsed.
pub(super) fn color_of_arguments(arguments: &[OsString]) -> clap::ColorChoice {
    let mut words = arguments.iter().map(|word| word.to_string_lossy()).take_while(|word| word != "--");
    let mut chosen = clap::ColorChoice::Auto;
    while let Some(word) = words.next() {
        let value = match word.strip_prefix("--color") {
            Some("") => words.next().map(std::borrow::Cow::into_owned),
            Some(rest) => rest.strip_prefix('=').map(str::to_owned),
            None => None,
        };
        match value.as_deref() {
            Some("always") => chosen = clap::ColorChoice::Always,
            Some("never") => chosen = clap::ColorChoice::Never,
            Some("auto") => chosen = clap::ColorChoice::Auto,
            _ => {}
        }
    }
    chosen
}

/// A number with its noun: `1 file`, `2 files`.
pub(super) fn counted(number: u64, one: &str) -> String {
    let many = one.strip_suffix('y').map_or_else(|| format!("{one}s"), |stem| format!("{stem}ies"));
    format!("{} {}", thousands(number), if number == 1 { one } else { &many })
}

/// A size in the unit that keeps it short.
pub(super) fn size(bytes: u64) -> String {
    match bytes {
        0..1_000 => format!("{bytes} B"),
        1_000..1_000_000 => format!("{:.1} kB", bytes as f64 / 1e3),
        1_000_000..1_000_000_000 => format!("{:.1} MB", bytes as f64 / 1e6),
        _ => format!("{:.1} GB", bytes as f64 / 1e9),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_our_own_colors_reach_a_terminal() {
        let check = |text: &str, expected: &str| assert_eq!(plain(text), expected);
        check("a\tb\nc", "a\tb\nc");
        check("a\r\nb\rc", "a\nb\u{fffd}c");
        check("\x1b[31mred\x07\x7f\u{9b}2J", "\u{fffd}[31mred\u{fffd}\u{fffd}\u{fffd}2J");
        check("\x1b]8;;http://x\x1b\\", "\u{fffd}]8;;http://x\u{fffd}\\");
        check("a\u{202e}b\u{2066}c\u{200f}", "a\u{fffd}b\u{fffd}c\u{200f}");
        let red = painted(true, Ink::Error, "no\x1b[0m");
        check(&format!("{red} \x1b[1m"), "\x1b[1;31mno\u{fffd}[0m\x1b[0m \u{fffd}[1m");
        assert_eq!(painted(false, Ink::Error, "no"), "no");
    }

    #[test]
    fn counts_agree_with_their_nouns() {
        assert_eq!(counted(1, "file"), "1 file");
        assert_eq!(counted(0, "query"), "0 queries");
        assert_eq!(counted(1200, "chunk"), "1,200 chunks");
    }

    #[test]
    fn sizes_have_units() {
        let check = |bytes, expected: &str| assert_eq!(size(bytes), expected);
        check(999, "999 B");
        check(1_500, "1.5 kB");
        check(20_000_000, "20.0 MB");
    }

    #[test]
    fn color_is_known_before_parsing() {
        let check = |words: &[&str], expected| {
            let arguments: Vec<OsString> = words.iter().map(OsString::from).collect();
            assert_eq!(color_of_arguments(&arguments), expected, "{words:?}");
        };
        check(&["deepsearch", "--color", "never", "--help"], clap::ColorChoice::Never);
        check(&["deepsearch", "--color=always"], clap::ColorChoice::Always);
        check(&["deepsearch", "query", "--", "--color=always"], clap::ColorChoice::Auto);
        check(&["deepsearch", "--color"], clap::ColorChoice::Auto);
    }
}
