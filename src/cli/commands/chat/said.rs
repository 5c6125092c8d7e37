//! Interprets the lines of a conversation.

use std::path::PathBuf;

use crate::base::text::sort_by_similarity;

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
pub(super) enum ChatCommand {
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
pub(super) fn said(line: &str) -> ChatCommand {
    let line = line.trim();
    let (name, rest) = line.split_once(char::is_whitespace).map_or((line, ""), |(name, rest)| (name, rest.trim()));
    let is_command = name.strip_prefix('/').is_some_and(|word| word.chars().all(|one| one.is_ascii_alphabetic()));
    match (name, rest) {
        ("", _) => ChatCommand::Nothing,
        _ if !is_command => ChatCommand::Ask(line.to_owned()),
        ("/sources", "") => ChatCommand::Sources,
        ("/help" | "/", "") => ChatCommand::Help,
        ("/quit" | "/exit", "") => ChatCommand::Quit,
        ("/open", number) => match number.trim_matches(['[', ']']).parse() {
            Ok(number) => ChatCommand::Open(number),
            Err(_) => ChatCommand::Wrong("/open takes the number of a citation, as in /open 3".to_owned()),
        },
        ("/save", "") => ChatCommand::Wrong("/save takes a file, as in /save answer.html".to_owned()),
        ("/save", file) => ChatCommand::Save(PathBuf::from(file)),
        ("/new", "") => ChatCommand::Wrong("/new takes a question".to_owned()),
        ("/new", question) => ChatCommand::New(question.to_owned()),
        (known, _) if COMMANDS.iter().any(|(name, _)| *name == known) => {
            ChatCommand::Wrong(format!("{known} takes nothing behind it"))
        }
        (unknown, _) => {
            let nearest =
                sort_by_similarity(unknown, COMMANDS.map(|(name, _)| name)).into_iter().next().unwrap_or_default();
            ChatCommand::Wrong(format!("there is no command {unknown}; did you mean {nearest}? /help lists them"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_a_question_or_a_command() {
        let check = |line: &str, expected: ChatCommand| assert_eq!(said(line), expected, "{line:?}");
        check(" \n", ChatCommand::Nothing);
        check("and in 2019?\n", ChatCommand::Ask("and in 2019?".to_owned()));
        check("それで？", ChatCommand::Ask("それで？".to_owned()));
        check("/etc/hosts says what?", ChatCommand::Ask("/etc/hosts says what?".to_owned()));
        check("/sources", ChatCommand::Sources);
        check("/open 3", ChatCommand::Open(3));
        check("/open [3]", ChatCommand::Open(3));
        check("/save my answer.html", ChatCommand::Save("my answer.html".into()));
        check("/new Who was it?", ChatCommand::New("Who was it?".to_owned()));
        check("/", ChatCommand::Help);
        check("/quit", ChatCommand::Quit);
        let wrong = |line: &str, part: &str| {
            assert!(matches!(said(line), ChatCommand::Wrong(told) if told.contains(part)), "{line}");
        };
        wrong("/open", "number");
        wrong("/open x", "number");
        wrong("/save", "file");
        wrong("/new", "question");
        wrong("/sources 3", "nothing behind it");
        wrong("/suorces", "/sources");
    }
}
