//! `eval retrieval`: measures searches on a judged set. The measures themselves are in `crate::eval`.

use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use indicatif::ProgressBar;

use crate::app::App;
use crate::base::ContentHash;
use crate::cli::args::{EvalCommand, EvalRetrievalArgs};
use crate::cli::context::Context;
use crate::cli::progress::still;
use crate::cli::terminal::{Terminal, unwritable, write_file, write_json, write_result};
use crate::cli::{CliError, ExitStatus};
use crate::config::RerankConfig;
use crate::domain::{CollectionSpec, EmbedderIdentity, SearchMode};
use crate::eval::{Comparison, DataError, Dataset, EvalError, Outcome, QueryRanks, Run, load_set, measure};
use crate::retrieval::Corpus;

/// The collection that a set is loaded into.
pub(super) const COLLECTION: &str = "set";

/// The beginning of a kept set's description.
const CONTENTS: &str = "judged set ";

/// Runs an evaluation.
pub(super) fn run(command: &EvalCommand, context: &Context) -> Result<ExitStatus, CliError> {
    let args = match command {
        EvalCommand::Retrieval(args) => args,
        EvalCommand::Agent(args) => return super::eval_agent::run(args, context),
    };
    match (&args.compare, &args.data) {
        (Some(files), _) => compare(files, args.json),
        (None, Some(data)) => retrieval(args, data, context),
        (None, None) => Err(CliError::usage("eval retrieval needs --data or --compare")),
    }
}

fn retrieval(args: &EvalRetrievalArgs, data: &Path, context: &Context) -> Result<ExitStatus, CliError> {
    let mut set = Dataset::read(data).map_err(unreadable)?;
    set.queries.truncate(args.queries.unwrap_or(usize::MAX));
    for warning in &set.warnings {
        context.terminal.warn(warning);
    }
    let app = context.app(args.flags())?;
    let (outcome, ranks) = context.block_on(evaluate(args, &app, &set, &context.terminal))?;
    if let Some(path) = &args.per_query {
        write_ranks(path, &ranks)?;
    }
    if args.json {
        write_json(&outcome)?;
    } else {
        write_result(&outcome.table())?;
    }
    Ok(ExitStatus::Done)
}

async fn evaluate(
    args: &EvalRetrievalArgs,
    app: &App,
    set: &Dataset,
    terminal: &Terminal,
) -> Result<(Outcome, Vec<QueryRanks>), CliError> {
    let mode: SearchMode = args.mode.into();
    let scratch;
    let (corpus, collection, load_s) = match &args.collection {
        Some(name) => (app.corpus(std::slice::from_ref(name)).await?, name.as_str(), None),
        None => {
            scratch = app.scratch(args.keep.as_deref()).await?;
            let seconds = load_unless_kept(&scratch.corpus, app, set, mode, terminal).await?;
            (scratch.corpus.clone(), COLLECTION, seconds)
        }
    };
    let bar = bar(terminal, set.queries.len(), "queries")?;
    let (scores, ranks, latency_ms) =
        measure(&corpus, collection, set, mode, &|done| bar.set_position(done as u64)).await.map_err(failed)?;
    bar.finish_and_clear();
    let gives_states = corpus.embedder().is_some_and(|embedder| !embedder.identity().states.is_empty());
    // The answer score counts only if there is an answer model.
    let answers = corpus.has_answers();
    let rerank = match (mode, app.config().search.rerank) {
        (SearchMode::Keyword, _) | (_, RerankConfig::None) => "none",
        _ if !gives_states => "none",
        (_, RerankConfig::Answer) if !answers => "none",
        (_, RerankConfig::LateAnswer) if !answers => "late",
        (_, RerankConfig::Late) => "late",
        (_, RerankConfig::Answer) => "answer",
        (_, RerankConfig::LateAnswer) => "late+answer",
    };
    let run = Run {
        dataset: set.name.clone(),
        passages: set.passages.len(),
        latency_ms,
        load_s,
        embedder: corpus
            .embedder()
            .filter(|_| mode != SearchMode::Keyword)
            .map_or("none", |embedder| &embedder.identity().name)
            .to_owned(),
        mode: format!("{mode:?}").to_lowercase(),
        rerank: rerank.to_owned(),
    };
    Ok((Outcome::sum_up(&scores, &ranks, run), ranks))
}

/// Loads the set, unless a kept store already has it unchanged; returns the seconds it took.
async fn load_unless_kept(
    corpus: &Corpus,
    app: &App,
    set: &Dataset,
    mode: SearchMode,
    terminal: &Terminal,
) -> Result<Option<f64>, CliError> {
    let embedder = collection_embedder(corpus, mode);
    let contents = contents(set, app);
    for kept in corpus.store().collections().await? {
        if kept.name != COLLECTION || !(kept.description.is_empty() || kept.description.starts_with(CONTENTS)) {
            return Err(CliError::usage(format!("the folder of --keep holds another collection, `{}`", kept.name))
                .with_hint("name a folder that is empty or was kept before"));
        }
        // Vectors do not affect a measurement by keywords.
        if kept.description == contents && (kept.embedder == embedder || embedder.is_none()) {
            return Ok(None);
        }
        corpus.store().drop_collection(&kept.name).await?;
    }
    let seconds = load(corpus, COLLECTION, app, set, mode, terminal).await?;
    // Written after everything is loaded, so that an interrupted load is repeated.
    corpus.store().describe(COLLECTION, &contents, true).await?;
    Ok(Some(seconds))
}

/// Loads the set into a new collection; returns the seconds it took.
pub(super) async fn load(
    corpus: &Corpus,
    collection: &str,
    app: &App,
    set: &Dataset,
    mode: SearchMode,
    terminal: &Terminal,
) -> Result<f64, CliError> {
    let embedder = corpus.embedder().filter(|_| mode != SearchMode::Keyword);
    let spec = CollectionSpec {
        name: collection.to_owned(),
        description: String::new(),
        embedder: collection_embedder(corpus, mode),
    };
    corpus.store().create(spec).await?;
    let bar = bar(terminal, set.passages.len(), "passages")?;
    let progress = |done| bar.set_position(done as u64);
    let seconds = load_set(corpus.store(), embedder, collection, set, &app.chunk_options(), &progress).await;
    bar.finish_and_clear();
    seconds.map_err(failed)
}

/// The embedder of the collection; `None` if a keyword measurement needs no vectors.
fn collection_embedder(corpus: &Corpus, mode: SearchMode) -> Option<EmbedderIdentity> {
    corpus.embedder().filter(|_| mode != SearchMode::Keyword).map(|embedder| embedder.identity().clone())
}

/// A short fingerprint of what a loaded set was made from.
fn contents(set: &Dataset, app: &App) -> String {
    let mut all = format!("{:?}", app.chunk_options());
    for passage in &set.passages {
        all.extend(["\n", &passage.id, "\t", &passage.title, "\t", &passage.text]);
    }
    format!("{CONTENTS}{} {}", set.name, ContentHash::of(all.as_bytes()))
}

pub(super) fn bar(terminal: &Terminal, length: usize, what: &str) -> Result<ProgressBar, CliError> {
    let bar = still(terminal, "{bar:30} {human_pos}/{human_len} {msg}  {elapsed}")?.with_message(what.to_owned());
    bar.set_length(length as u64);
    Ok(bar)
}

fn compare(files: &[std::path::PathBuf], json: bool) -> Result<ExitStatus, CliError> {
    let [a, b] = files else { return Err(CliError::usage("--compare takes two files")) };
    let comparison = Comparison::of(&read_outcome(a)?, &read_outcome(b)?);
    if comparison.queries == 0 {
        return Err(CliError::usage(format!("{} and {} have no query in common", a.display(), b.display())));
    }
    if json {
        write_json(&comparison)?;
    } else {
        let difference = comparison.map_difference;
        write_result(&format!(
            "MAP difference {:+.2} [{:+.2}, {:+.2}] over {} queries\n",
            difference.value * 100.0,
            difference.low * 100.0,
            difference.high * 100.0,
            comparison.queries
        ))?;
    }
    Ok(ExitStatus::Done)
}

fn read_outcome(path: &Path) -> Result<Outcome, CliError> {
    let cannot = |reason: String| CliError::usage(format!("cannot read {}: {reason}", path.display()));
    let file = File::open(path).map_err(|error| cannot(error.to_string()))?;
    serde_json::from_reader(BufReader::new(file))
        .map_err(|error| cannot(format!("not a result of `eval retrieval --json`: {error}")))
}

fn write_ranks(path: &Path, ranks: &[QueryRanks]) -> Result<(), CliError> {
    let mut lines = String::new();
    for one in ranks {
        lines.push_str(&serde_json::to_string(one).map_err(|error| unwritable(path, error))?);
        lines.push('\n');
    }
    write_file(path, lines.as_bytes())
}

pub(super) fn unreadable(error: DataError) -> CliError {
    CliError::usage(error.to_string())
        .with_hint("a set is a folder with corpus.jsonl, queries.jsonl and qrels/test.tsv, or a file in SQuAD's format")
}

fn failed(error: EvalError) -> CliError {
    match error {
        EvalError::Store(error) => error.into(),
        EvalError::Embed(error) => crate::app::AppError::from(error).into(),
        EvalError::Search(error) => crate::app::AppError::from(error).into(),
    }
}
