//! Shows a run's plan to a person, who may change it before anything is searched.

use std::io::{BufRead, IsTerminal, Write};

use tokio_util::sync::CancellationToken;

use crate::agent::{PlanMade, SteeringDecision};
use crate::base::let_edit;
use crate::base::text::one_line;
use crate::cli::events::say_bill;
use crate::cli::terminal::Terminal;
use crate::cli::{CliError, ExitStatus};
use crate::domain::SubQuery;

/// The label of the cost of a plan alone.
pub(super) const BILL_OF_PLAN: &str = "bill of the plan";

/// What the user wants to do with a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ReviewCommand {
    /// Search it as it is.
    Follow,
    /// Give it up.
    Stop,
    /// Change it in an editor.
    Edit,
    /// Add a search.
    Add(String),
    /// Remove a search, by its index from 0.
    Remove(usize),
    /// Make it again, with this comment on it.
    Again(String),
    /// There is no such search; with a message.
    Unknown(String),
}

/// Whether somebody can be asked.
pub(super) fn can_ask_user() -> bool {
    std::io::stdin().is_terminal() && std::io::stderr().is_terminal()
}

/// What the user at the terminal wants to do with the plan of a run; `made` tells how it was planned. Free words are
/// passed to the model if it `reasons`.
pub(super) async fn reviewed(
    mut plan: Vec<SubQuery>,
    made: &PlanMade,
    reasons: bool,
    terminal: &Terminal,
    token: &CancellationToken,
) -> Result<SteeringDecision, CliError> {
    terminal.prose(&one_line(&made.reason));
    terminal.prose(&numbered(&plan));
    terminal.prose("Enter searches this; `+ words` adds a search, `- 2` removes one, `e` edits all, `q` stops.");
    if reasons {
        terminal.prose("Any other words are told to the model, which plans again.");
        say_bill(terminal, BILL_OF_PLAN, &made.usage, made.seconds);
    }
    loop {
        let answer = asked("plan> ", token).await?;
        match wish(&answer, plan.len(), reasons) {
            ReviewCommand::Follow => return Ok(SteeringDecision::Search(plan)),
            ReviewCommand::Stop => return Ok(SteeringDecision::Nothing),
            ReviewCommand::Edit => match edited(&plan) {
                Ok(Some(changed)) => plan = changed,
                Ok(None) => terminal.note("the plan would be empty, so it stays as it was"),
                Err(error) => terminal.warn(&format!("{error}; name an editor of yours in EDITOR")),
            },
            ReviewCommand::Add(text) => plan.push(SubQuery { text, collections: Vec::new() }),
            ReviewCommand::Remove(place) => {
                plan.remove(place);
            }
            ReviewCommand::Again(words) => return Ok(SteeringDecision::Again(words)),
            ReviewCommand::Unknown(told) => {
                terminal.prose(&told);
                continue;
            }
        }
        terminal.prose(&numbered(&plan));
    }
}

/// The searches of a plan, numbered from 1.
pub(super) fn numbered(plan: &[SubQuery]) -> String {
    let line = |(place, query): (usize, &SubQuery)| {
        let names = match query.collections.as_slice() {
            [] => String::new(),
            names => format!("  [{}]", names.join(", ")),
        };
        format!("{:>3}  {}{names}", place + 1, one_line(&query.text))
    };
    plan.iter().enumerate().map(line).collect::<Vec<_>>().join("\n")
}

/// Interprets an answer about a plan of `planned` searches. Free words are passed to the model if it `reasons`.
pub(super) fn wish(answer: &str, planned: usize, reasons: bool) -> ReviewCommand {
    let answer = answer.trim();
    let number = |text: &str| text.trim().parse::<usize>().ok().and_then(|number| number.checked_sub(1));
    match (answer, answer.split_at_checked(1)) {
        ("" | "y" | "yes", _) => ReviewCommand::Follow,
        ("q" | "n" | "quit", _) => ReviewCommand::Stop,
        ("e" | "edit", _) => ReviewCommand::Edit,
        (_, Some(("+", words))) if !words.trim().is_empty() => ReviewCommand::Add(words.trim().to_owned()),
        (_, Some(("-", place))) => match number(place).filter(|place| *place < planned) {
            Some(place) => ReviewCommand::Remove(place),
            None => ReviewCommand::Unknown(format!("there is no search `{}`: they are 1 to {planned}", place.trim())),
        },
        (words, _) if reasons => ReviewCommand::Again(words.to_owned()),
        (words, _) => ReviewCommand::Unknown(format!("`{words}` is not understood without a language model")),
    }
}

/// Asks at the terminal. Ctrl-C and the end of input stop the command.
pub(super) async fn asked(question: &str, token: &CancellationToken) -> Result<String, CliError> {
    let cannot = |error: std::io::Error| CliError::new(ExitStatus::Failed, format!("cannot ask: {error}"));
    let stopped = || CliError::new(ExitStatus::Interrupted, "stopped before anything was searched");
    {
        let mut stderr = std::io::stderr().lock();
        write!(stderr, "{question}").and_then(|()| stderr.flush()).map_err(cannot)?;
    }
    let read = tokio::task::spawn_blocking(|| {
        let mut line = String::new();
        std::io::stdin().lock().read_line(&mut line).map(|bytes| (bytes > 0).then_some(line))
    });
    tokio::select! {
        biased;
        () = token.cancelled() => Err(stopped()),
        read = read => match read {
            Ok(read) => read.map_err(cannot)?.ok_or_else(stopped),
            Err(error) => Err(cannot(error.into())),
        },
    }
}

/// The plan after the user has edited it: one search per line, its collections in brackets. `None` if nothing is left
/// of it; an error names the editor.
fn edited(plan: &[SubQuery]) -> Result<Option<Vec<SubQuery>>, String> {
    let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.trim().is_empty());
    let editor = variable("VISUAL").or_else(|| variable("EDITOR")).unwrap_or_else(|| "vi".to_owned());
    let cannot = |error: std::io::Error| format!("the editor `{editor}` did not run: {error}");
    let mut file = tempfile::Builder::new().prefix("plan-").suffix(".txt").tempfile().map_err(cannot)?;
    file.write_all(written(plan).as_bytes()).map_err(cannot)?;
    let_edit(&editor, file.path()).map_err(cannot)?;
    let changed = read(&std::fs::read_to_string(file.path()).map_err(cannot)?);
    Ok(Some(changed).filter(|changed| !changed.is_empty()))
}

fn written(plan: &[SubQuery]) -> String {
    let mut text = "# One search a line; the collections to search for it may follow in brackets.\n".to_owned();
    for query in plan {
        text.push_str(&one_line(&query.text));
        if !query.collections.is_empty() {
            text.push_str(&format!("  [{}]", query.collections.join(", ")));
        }
        text.push('\n');
    }
    text
}

fn read(text: &str) -> Vec<SubQuery> {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    let one = |line: &str| {
        let (words, names) = match line.strip_suffix(']').and_then(|line| line.rsplit_once("  [")) {
            Some((words, names)) => (words.trim(), names),
            None => (line, ""),
        };
        let names = names.split(',').map(str::trim).filter(|name| !name.is_empty());
        SubQuery { text: words.to_owned(), collections: names.map(str::to_owned).collect() }
    };
    lines.map(one).filter(|query| query.text.chars().any(char::is_alphanumeric)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_says_what_becomes_of_the_plan() {
        let check = |answer: &str, expected: ReviewCommand| assert_eq!(wish(answer, 3, true), expected, "{answer:?}");
        check("\n", ReviewCommand::Follow);
        check("q\n", ReviewCommand::Stop);
        check("e", ReviewCommand::Edit);
        check("+ who paid for it?\n", ReviewCommand::Add("who paid for it?".to_owned()));
        check("- 3", ReviewCommand::Remove(2));
        check("-1", ReviewCommand::Remove(0));
        check("- 4", ReviewCommand::Unknown("there is no search `4`: they are 1 to 3".to_owned()));
        check("- 0", ReviewCommand::Unknown("there is no search `0`: they are 1 to 3".to_owned()));
        check("only the years before 2000", ReviewCommand::Again("only the years before 2000".to_owned()));
        check("料金だけ", ReviewCommand::Again("料金だけ".to_owned()));
        assert!(matches!(wish("only the first", 3, false), ReviewCommand::Unknown(_)));
    }

    #[test]
    fn an_edited_plan_is_read_as_it_was_written() {
        let query = |text: &str, names: &[&str]| SubQuery {
            text: text.to_owned(),
            collections: names.iter().map(|name| (*name).to_owned()).collect(),
        };
        let plan = vec![query("Who ran it?", &[]), query("誰が [第1部] を作ったか", &["history", "audience"])];
        assert_eq!(read(&written(&plan)), plan);
        assert_eq!(read("# nothing\n\n  ?? \n"), []);
        assert_eq!(read("What [sic] was said\n"), [query("What [sic] was said", &[])]);
    }
}
