use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::cli::terminal::{write_json, write_result};
use crate::cli::{CliError, ExitStatus};
use crate::eval::{Measured, paired_difference};
use crate::train::Ranks;

/// The part of a result that is read.
#[derive(Deserialize)]
struct Outcome {
    questions: Vec<Ranks>,
}

/// Differences in mean average precision over the questions that both results have in common.
#[derive(Serialize)]
struct Comparison {
    questions: usize,
    /// For the search with the answer score.
    with: Measured,
    /// For the matrix alone; `None` if a result has no such ranks.
    alone: Option<Measured>,
}

/// Compares two trainings question by question.
pub(super) fn run(a: &Path, b: &Path, json: bool) -> Result<ExitStatus, CliError> {
    let (first, second) = (read(a)?, read(b)?);
    let difference = |pick: fn(&Ranks) -> Option<f64>| {
        let of = |outcome: &Outcome| -> BTreeMap<String, f64> {
            outcome.questions.iter().filter_map(|ranks| Some((ranks.id.clone(), pick(ranks)?))).collect()
        };
        paired_difference(&of(&first), &of(&second))
    };
    let (with, questions) = difference(|ranks| Some(ranks.with));
    if questions == 0 {
        return Err(CliError::usage(format!("{} and {} have no question in common", a.display(), b.display())));
    }
    let (alone, ranked) = difference(|ranks| ranks.alone);
    let comparison = Comparison { questions, with, alone: (ranked > 0).then_some(alone) };
    if json {
        write_json(&comparison)?;
    } else {
        let line = |what: &str, of: &Measured| {
            let [value, low, high] = [of.value, of.low, of.high].map(|value| value * 100.0);
            format!("MAP difference {what} {value:+.2} [{low:+.2}, {high:+.2}] over {questions} questions\n")
        };
        let alone = comparison.alone.as_ref().map_or_else(String::new, |alone| line("by the matrix alone", alone));
        write_result(&(line("with the answer score", &comparison.with) + &alone))?;
    }
    Ok(ExitStatus::Done)
}

fn read(path: &Path) -> Result<Outcome, CliError> {
    let cannot = |reason: String| CliError::usage(format!("cannot read {}: {reason}", path.display()));
    let bytes = std::fs::read(path).map_err(|error| cannot(error.to_string()))?;
    serde_json::from_slice(&bytes).map_err(|error| cannot(format!("not a result of `train answer --json`: {error}")))
}
