//! `eval agent`: measures whole runs, from the question to the report.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use super::eval::{COLLECTION, bar, load, unreadable};
use crate::app::{App, ChosenModel};
use crate::base::if_there;
use crate::cli::args::{EvalAgentArgs, EvalModelArg};
use crate::cli::context::Context;
use crate::cli::terminal::{Terminal, unwritable, write_file, write_json, write_result};
use crate::cli::{CliError, ExitStatus, interrupt};
use crate::domain::SearchMode;
use crate::eval::{AgentOutcome, AgentRun, Dataset, GoldModel, QuestionResult, measure_agent};
use crate::llm::Purpose;
use crate::retrieval::Corpus;

/// Measures whole runs.
pub(super) fn run(args: &EvalAgentArgs, context: &Context) -> Result<ExitStatus, CliError> {
    let mut set = Dataset::read(&args.data).map_err(unreadable)?;
    set.queries.truncate(args.queries.unwrap_or(usize::MAX));
    for warning in &set.warnings {
        context.terminal.warn(warning);
    }
    let app = context.app(args.flags())?;
    let chosen = match args.model {
        EvalModelArg::Gold | EvalModelArg::GoldWhole => {
            let reads_all = args.model == EvalModelArg::GoldWhole;
            let gold = GoldModel::of(&set, reads_all).map_err(|error| CliError::usage(error.to_string()))?;
            ChosenModel::own(Arc::new(gold), "gold")
        }
        EvalModelArg::Configured | EvalModelArg::Extractive => app.model()?,
    };
    let model = &chosen.model;
    let done = match &args.per_query {
        Some(path) if args.resume => {
            let strategy = app.config().agent.strategy.name();
            read_results(path, &set, &Setup { model: model.name(Purpose::Plan), strategy, passages: args.passages })?
        }
        _ => Vec::new(),
    };
    context.block_on(async {
        let token = interrupt::watch(&context.terminal, "stopping with the questions that are finished");
        let results = evaluate(args, &app, &set, &chosen, done, &context.terminal, &token).await?;
        let outcome = AgentOutcome::sum_up(&set.name, model.name(Purpose::Plan), args.passages, &results);
        for one in &results {
            if let Some(error) = &one.error {
                context.terminal.warn(&format!("{}: {error}", one.id));
            }
        }
        if args.json {
            write_json(&outcome)?;
        } else {
            write_result(&outcome.table())?;
        }
        Ok(if token.is_cancelled() {
            ExitStatus::Interrupted
        } else if outcome.failed > 0 {
            ExitStatus::Partial
        } else {
            ExitStatus::Done
        })
    })
}

async fn evaluate(
    args: &EvalAgentArgs,
    app: &App,
    set: &Dataset,
    chosen: &ChosenModel,
    done: Vec<QuestionResult>,
    terminal: &Terminal,
    token: &CancellationToken,
) -> Result<Vec<QuestionResult>, CliError> {
    let scratch;
    let (corpus, collection) = match &args.collection {
        Some(name) => (kept(app, name, set, terminal).await?, name.as_str()),
        None => {
            scratch = app.scratch(None).await?;
            load(&scratch.corpus, COLLECTION, app, set, SearchMode::Hybrid, terminal).await?;
            (scratch.corpus.clone(), COLLECTION)
        }
    };
    let engine = app.engine(corpus, chosen)?;
    let bar = bar(terminal, set.queries.len(), "questions")?;
    bar.set_position(done.len() as u64);
    let mut log = args.per_query.as_deref().map(|path| Log::begin(path, &done)).transpose()?;
    let mut unwritten = None;
    let run = AgentRun { jobs: args.jobs, passages: args.passages };
    let results = measure_agent(&engine, collection, set, run, done, token, |result| {
        bar.inc(1);
        if let Some(Err(error)) = log.as_mut().map(|log| log.add(result)) {
            unwritten.get_or_insert(error);
            // Nothing is paid for that cannot be kept.
            token.cancel();
        }
    })
    .await;
    bar.finish_and_clear();
    match unwritten {
        Some(error) => Err(error),
        None => results.map_err(|error| crate::app::AppError::from(error).into()),
    }
}

/// The collection called `name`, filled with the set's passages if it does not exist.
async fn kept(app: &App, name: &str, set: &Dataset, terminal: &Terminal) -> Result<Corpus, CliError> {
    if !app.collections().await?.iter().any(|collection| collection.name == name) {
        let corpus = Corpus::new(app.store().await?, app.configured_embedder().await?, Default::default());
        load(&corpus, name, app, set, SearchMode::Hybrid, terminal).await?;
    }
    Ok(app.corpus(&[name.to_owned()]).await?)
}

/// The file of results of finished questions.
struct Log<'p> {
    path: &'p Path,
    file: File,
}

impl<'p> Log<'p> {
    /// Rewrites the file with the finished results, which removes a truncated line, and keeps it open for more.
    fn begin(path: &'p Path, done: &[QuestionResult]) -> Result<Self, CliError> {
        let mut lines = String::new();
        for one in done {
            lines.push_str(&line(path, one)?);
        }
        write_file(path, lines.as_bytes())?;
        let file = File::options().append(true).open(path).map_err(|error| unwritable(path, error))?;
        Ok(Log { path, file })
    }

    fn add(&mut self, result: &QuestionResult) -> Result<(), CliError> {
        let line = line(self.path, result)?;
        self.file.write_all(line.as_bytes()).map_err(|error| unwritable(self.path, error))
    }
}

fn line(path: &Path, result: &QuestionResult) -> Result<String, CliError> {
    let json = serde_json::to_string(result).map_err(|error| unwritable(path, error))?;
    Ok(json + "\n")
}

/// The setup a question was measured with; results of two setups are not one evaluation.
#[derive(PartialEq)]
struct Setup<'s> {
    model: &'s str,
    strategy: &'s str,
    passages: usize,
}

impl std::fmt::Display for Setup<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let strategy = if self.strategy.is_empty() { "unnamed" } else { self.strategy };
        write!(f, "the model {}, the strategy {strategy} and {} passages", self.model, self.passages)
    }
}

/// Reads the results of the questions of `set` from a file; empty if there is no file yet. A truncated last line is
/// skipped.
fn read_results(path: &Path, set: &Dataset, setup: &Setup<'_>) -> Result<Vec<QuestionResult>, CliError> {
    let cannot = |reason: String| CliError::usage(format!("cannot go on from {}: {reason}", path.display()));
    let opened = if_there(File::open(path)).map_err(|error| cannot(error.to_string()))?;
    let Some(file) = opened else { return Ok(Vec::new()) };
    let lines: Vec<String> =
        BufReader::new(file).lines().collect::<Result<_, _>>().map_err(|error| cannot(error.to_string()))?;
    let known: BTreeSet<&str> = set.queries.iter().map(|query| query.id.as_str()).collect();
    let mut found = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        let result: QuestionResult = match serde_json::from_str(line) {
            Err(_) if index + 1 == lines.len() => break,
            read => read.map_err(|error| cannot(format!("line {}: {error}", index + 1)))?,
        };
        let measured = Setup { model: &result.model, strategy: &result.strategy, passages: result.passages };
        if measured != *setup {
            return Err(cannot(format!("line {} was measured with {measured}, not with {setup}", index + 1)));
        }
        if known.contains(result.id.as_str()) && result.error.is_none() {
            found.push(result);
        }
    }
    Ok(found)
}
