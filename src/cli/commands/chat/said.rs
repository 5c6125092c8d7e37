//! Interprets the lines of a conversation.

use std::path::PathBuf;

use crate::base::text::by_likeness;

/// The commands, each with a description.
pub(super) const COMMANDS: [(&str, &str); 6] = [
    ("/sources", "list what the last answer cites"),
    ("/open", "N: show the passage that [N] stands for, whole"),
    ("/save", "FILE: write the last answer to a file, in the form of its name (.md, .html, .docx, .json)"),
    ("/new", "QUESTION: ask something that follows nothing"),
    ("/help", "list these commands"),
    ("/quit", "end the conversation, as Ctrl-D does"),
];

/// What a line asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Said {
    Nothing,
    /// A question that follows the last answer.
    Ask(String),
    /// A question that follows nothing.
    New(String),
    Sources,
    /// The passage of a citation, by its number.
    Open(usize),
    Save(PathBuf),
    Help,
    Quit,
    /// An invalid line; with the reason.
    Wrong(String),
}

/// Interprets a line. Only a slash directly followed by letters makes a command: `/etc/hosts` may begin a question.
pub(super) fn said(line: &str) -> Said {
    let line = line.trim();
    let (name, rest) = line.split_once(char::is_whitespace).map_or((line, ""), |(name, rest)| (name, rest.trim()));
    let is_command = name.strip_prefix('/').is_some_and(|word| word.chars().all(|one| one.is_ascii_alphabetic()));
    match (name, rest) {
        ("", _) => Said::Nothing,
        _ if !is_command => Said::Ask(line.to_owned()),
        ("/sources", "") => Said::Sources,
        ("/help" | "/", "") => Said::Help,
        ("/quit" | "/exit", "") => Said::Quit,
        ("/open", number) => match number.trim_matches(['[', ']']).parse() {
            Ok(number) => Said::Open(number),
            Err(_) => Said::Wrong("/open takes the number of a citation, as in /open 3".to_owned()),
        },
        ("/save", "") => Said::Wrong("/save takes a file, as in /save answer.html".to_owned()),
        ("/save", file) => Said::Save(PathBuf::from(file)),
        ("/new", "") => Said::Wrong("/new takes a question".to_owned()),
        ("/new", question) => Said::New(question.to_owned()),
        (known, _) if COMMANDS.iter().any(|(name, _)| *name == known) => {
            Said::Wrong(format!("{known} takes nothing behind it"))
        }
        (unknown, _) => {
            let nearest = by_likeness(unknown, COMMANDS.map(|(name, _)| name)).into_iter().next().unwrap_or_default();
            Said::Wrong(format!("there is no command {unknown}; did you mean {nearest}? /help lists them"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_a_question_or_a_command() {
        let check = |line: &str, expected: Said| assert_eq!(said(line), expected, "{line:?}");
        check(" \n", Said::Nothing);
        check("and in 2019?\n", Said::Ask("and in 2019?".to_owned()));
        check("それで？", Said::Ask("それで？".to_owned()));
        check("/etc/hosts says what?", Said::Ask("/etc/hosts says what?".to_owned()));
        check("/sources", Said::Sources);
        check("/open 3", Said::Open(3));
        check("/open [3]", Said::Open(3));
        check("/save my answer.html", Said::Save("my answer.html".into()));
        check("/new Who was it?", Said::New("Who was it?".to_owned()));
        check("/", Said::Help);
        check("/quit", Said::Quit);
        let wrong = |line: &str, part: &str| {
            assert!(matches!(said(line), Said::Wrong(told) if told.contains(part)), "{line}");
        };
        wrong("/open", "number");
        wrong("/open x", "number");
        wrong("/save", "file");
        wrong("/new", "question");
        wrong("/sources 3", "nothing behind it");
        wrong("/suorces", "/sources");
    }
}
