//! The source of the lines of a conversation: a person, with editing, history and completion, or a file.

use std::io::{BufRead, IsTerminal, Read};

use rustyline::completion::{Completer, FilenameCompleter, Pair};
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::DefaultHistory;
use rustyline::validate::Validator;
use rustyline::{Behavior, CompletionType, Config, Editor, Helper};

use super::said::COMMANDS;
use crate::cli::{CliError, ExitStatus};

/// The longest line in bytes; more than anyone means to type.
const LONGEST_LINE: u64 = 64 * 1024;
/// The most completions that are shown.
const MOST_SHOWN: usize = 200;

/// What was read.
pub(super) enum Line {
    Words(String),
    /// Ctrl-C while nothing is being answered.
    Pressed,
    End,
}

/// The lines of one conversation.
pub(super) enum Lines {
    Person(Box<Editor<Completion, DefaultHistory>>),
    File,
}

impl Lines {
    /// `earlier` holds questions of earlier runs, the oldest first; `names` holds the completions, sorted.
    pub fn open(earlier: &[String], names: Vec<String>) -> Result<Lines, CliError> {
        if !Lines::is_interactive() {
            return Ok(Lines::File);
        }
        // The prompt goes to the terminal, even if the answers go to a file.
        let config = Config::builder().completion_type(CompletionType::List).behavior(Behavior::PreferTerm).build();
        let mut editor = Editor::with_config(config).map_err(|error| cannot(&error))?;
        editor.set_helper(Some(Completion { names, files: FilenameCompleter::new() }));
        for question in earlier {
            editor.add_history_entry(question).map_err(|error| cannot(&error))?;
        }
        Ok(Lines::Person(Box::new(editor)))
    }

    /// Whether a person types the lines.
    pub fn is_interactive() -> bool {
        std::io::stdin().is_terminal()
    }

    /// Reads the next line. Blocks, so it must be called on a thread that may block.
    pub fn next(&mut self) -> Result<Line, CliError> {
        let Lines::Person(editor) = self else { return next_of_file() };
        match editor.readline("> ") {
            Ok(line) => {
                if !line.trim().is_empty() {
                    editor.add_history_entry(line.trim()).map_err(|error| cannot(&error))?;
                }
                Ok(Line::Words(line))
            }
            Err(ReadlineError::Interrupted) => Ok(Line::Pressed),
            Err(ReadlineError::Eof) => Ok(Line::End),
            Err(error) => Err(cannot(&error)),
        }
    }
}

fn cannot(error: &ReadlineError) -> CliError {
    CliError::new(ExitStatus::Failed, format!("cannot read from the terminal: {error}"))
}

fn next_of_file() -> Result<Line, CliError> {
    let mut bytes = Vec::new();
    let read = std::io::stdin().lock().take(LONGEST_LINE + 1).read_until(b'\n', &mut bytes);
    read.map_err(|error| CliError::new(ExitStatus::Failed, format!("cannot read the questions: {error}")))?;
    if bytes.is_empty() {
        return Ok(Line::End);
    }
    if bytes.len() as u64 > LONGEST_LINE {
        return Err(CliError::usage("a line is too long to be a question"));
    }
    let line = String::from_utf8(bytes).map_err(|_| CliError::usage("a question is not valid UTF-8"))?;
    Ok(Line::Words(line))
}

/// The completions of the Tab key.
pub(super) struct Completion {
    names: Vec<String>,
    files: FilenameCompleter,
}

impl Completion {
    /// The start of the word at the end of `before`, and its completions.
    fn words(&self, before: &str) -> (usize, Vec<String>) {
        let start = before
            .rfind(char::is_whitespace)
            .map_or(0, |at| at + before[at..].chars().next().map_or(1, char::len_utf8));
        let word = &before[start..];
        let fitting: Vec<String> = match word {
            "" => Vec::new(),
            _ if start == 0 && word.starts_with('/') => {
                COMMANDS.iter().map(|(name, _)| (*name).to_owned()).filter(|name| name.starts_with(word)).collect()
            }
            _ => {
                let from = self.names.partition_point(|name| name.as_str() < word);
                self.names[from..].iter().take_while(|name| name.starts_with(word)).take(MOST_SHOWN).cloned().collect()
            }
        };
        (start, fitting)
    }
}

impl Completer for Completion {
    type Candidate = Pair;

    fn complete(
        &self,
        line: &str,
        at: usize,
        context: &rustyline::Context<'_>,
    ) -> rustyline::Result<(usize, Vec<Pair>)> {
        if line.starts_with("/save ") {
            return self.files.complete(line, at, context);
        }
        let (start, words) = self.words(&line[..at]);
        Ok((start, words.into_iter().map(|word| Pair { display: word.clone(), replacement: word }).collect()))
    }
}

impl Hinter for Completion {
    type Hint = String;
}
impl Highlighter for Completion {}
impl Validator for Completion {}
impl Helper for Completion {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tab_completes_commands_collections_and_paths() {
        let names = ["docs/a.md", "docs/b.md", "history", "歴史"].map(str::to_owned).to_vec();
        let completion = Completion { names, files: FilenameCompleter::new() };
        let check = |before: &str, start: usize, expected: &[&str]| {
            assert_eq!(
                completion.words(before),
                (start, expected.iter().map(|one| (*one).to_owned()).collect()),
                "{before}"
            );
        };
        check("/s", 0, &["/sources", "/save"]);
        check("what of docs/", 8, &["docs/a.md", "docs/b.md"]);
        check("history", 0, &["history"]);
        check("番組の\u{3000}歴", 12, &["歴史"]);
        check("what of ", 8, &[]);
        check("zebra", 0, &[]);
    }
}
