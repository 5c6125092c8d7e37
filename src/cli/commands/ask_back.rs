//! Questions back: names that the documents show to be ambiguous are clarified before anything is searched.

use tokio_util::sync::CancellationToken;

use super::plan_review::asked;
use crate::app::{App, ChosenModel, ResearchRequest};
use crate::cli::context::Context;
use crate::cli::terminal::counted;
use crate::cli::{CliError, ExitStatus};
use crate::domain::PathPattern;
use crate::offline::{Meaning, OpenPoint};
use crate::report::shown_path;

/// The user's answer to a question back.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Answer {
    /// All are meant.
    All,
    /// One is meant, by its index from 0.
    One(usize),
    /// The command is to stop.
    Stop,
    /// There is no such choice; with a message.
    Unknown(String),
}

/// Asks which meanings are meant, and excludes the documents of the others from the request.
pub(super) async fn meant(
    app: &App,
    mut request: ResearchRequest,
    chosen: &ChosenModel,
    context: &Context,
    token: &CancellationToken,
) -> Result<ResearchRequest, CliError> {
    let mut left_out: Vec<String> = Vec::new();
    for point in app.open_points(&request, chosen).await? {
        // A meaning whose documents an earlier answer has excluded is no longer a choice.
        let is_open = |one: &&Meaning| one.paths.iter().any(|path| !left_out.contains(path));
        let meanings: Vec<&Meaning> = point.meanings.iter().filter(is_open).collect();
        if meanings.len() < 2 {
            continue;
        }
        context.terminal.prose(&shown(&point, &meanings, app));
        let one = loop {
            match answer(&asked("which> ", token).await?, meanings.len()) {
                Answer::All => break None,
                Answer::One(place) => break meanings.get(place).copied(),
                Answer::Stop => {
                    return Err(CliError::new(ExitStatus::Interrupted, "stopped before anything was searched"));
                }
                Answer::Unknown(told) => context.terminal.prose(&told),
            }
        };
        let Some(one) = one else { continue };
        let others = meanings.iter().filter(|other| **other != one).flat_map(|other| &other.paths);
        let others: Vec<String> = others.filter(|path| !one.paths.contains(path)).cloned().collect();
        let documents = counted(others.len() as u64, "document");
        let name = &point.name;
        request.settled.push(match point.versions {
            true => format!("of `{name}` only “{}” was searched, as its asker wanted; {documents} left out", one.label),
            false => format!("“{name}” was taken for “{}”, as its asker meant; {documents} left out", one.label),
        });
        left_out.extend(others);
    }
    if !left_out.is_empty() {
        let pattern = PathPattern::of_paths(&left_out);
        request.filter.except = Some(pattern.map_err(|error| CliError::usage(error.to_string()))?);
    }
    Ok(request)
}

/// The question back, with its choices.
fn shown(point: &OpenPoint, meanings: &[&Meaning], app: &App) -> String {
    let choice = |(place, one): (usize, &&Meaning)| {
        let path = shown_path(&one.path, Some(app.cwd()));
        format!("{:>3}  {} ({path})", place + 1, one.label)
    };
    let choices: Vec<String> = meanings.iter().enumerate().map(choice).collect();
    let asked =
        if point.versions { format!("Which version of {}?", point.name) } else { format!("Which {}?", point.name) };
    format!("{asked}\n{}\nA number chooses; Enter takes all of them, `q` stops.", choices.join("\n"))
}

fn answer(line: &str, choices: usize) -> Answer {
    match line.trim() {
        "" => Answer::All,
        "q" | "quit" => Answer::Stop,
        line => match line.parse::<usize>() {
            Ok(number) if (1..=choices).contains(&number) => Answer::One(number - 1),
            _ => Answer::Unknown(format!("`{line}` is none of the choices: they are 1 to {choices}")),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_a_number_or_all() {
        let check = |line: &str, expected: Answer| assert_eq!(answer(line, 2), expected, "{line:?}");
        check("\n", Answer::All);
        check(" 2\n", Answer::One(1));
        check("q\n", Answer::Stop);
        check("0", Answer::Unknown("`0` is none of the choices: they are 1 to 2".to_owned()));
        check("3", Answer::Unknown("`3` is none of the choices: they are 1 to 2".to_owned()));
        check("顧客", Answer::Unknown("`顧客` is none of the choices: they are 1 to 2".to_owned()));
    }
}
