//! `train`: trains and keeps answer models. The training itself is in `crate::train`.

use std::path::Path;
use std::time::Instant;

use indicatif::ProgressBar;
use serde::Serialize;
use serde_json::{Value, json};

use super::eval::{COLLECTION, bar, load};
use super::train_compare;
use crate::app::{App, CollectionQuestion, StoredAnswer};
use crate::cli::args::{SwitchArg, TrainAnswerArgs, TrainCommand};
use crate::cli::context::Context;
use crate::cli::events::bill;
use crate::cli::terminal::{Terminal, write_json, write_result};
use crate::cli::{CliError, ExitStatus};
use crate::domain::SearchMode;
use crate::eval::{Asked, Dataset, GatheredExamples, Measured, Span, gather, located_questions};
use crate::llm::Purpose;
use crate::retrieval::Corpus;
use crate::retrieval::answer::{AnswerModel, Figures};
use crate::train::{Checkpoint, Epoch, FitOptions, Fold, Hooks, Progress, Ranks, TrainError, Trained, cross_validate};

/// The most questions about one collection unless set otherwise: those written by a model cost money.
const MOST_OFFLINE: usize = 4000;
const MOST_BY_MODEL: usize = 900;

/// Trains and keeps answer models.
pub(super) fn run(command: &TrainCommand, context: &Context) -> Result<ExitStatus, CliError> {
    let app = context.app(Vec::new())?;
    match command {
        TrainCommand::Answer(args) => context.block_on(answer(args, &app, context)),
        TrainCommand::List { json } => list(&app, *json, context),
        TrainCommand::Show { name, json } => show(&app, name, *json),
        TrainCommand::Activate { name, collection, .. } => {
            context.block_on(activate(&app, name.as_deref(), collection, context))
        }
        TrainCommand::Compare { a, b, json } => train_compare::run(a, b, *json),
        TrainCommand::Rm { name } => {
            app.remove_answer_model(name)?;
            context.terminal.note(&format!("the answer model `{name}` is gone"));
            Ok(ExitStatus::Done)
        }
    }
}

async fn answer(args: &TrainAnswerArgs, app: &App, context: &Context) -> Result<ExitStatus, CliError> {
    let terminal = &context.terminal;
    let start = Instant::now();
    let (name, data, gathered) = match (&args.data, &args.collection) {
        (Some(path), _) => of_a_set(args, path, app, terminal).await?,
        (None, Some(collection)) => of_a_collection(args, collection, app, terminal).await?,
        (None, None) => return Err(CliError::usage("train answer needs --data or --collection")),
    };
    for warning in &gathered.warnings {
        terminal.warn(warning);
    }
    let name = args.out.clone().unwrap_or(name);
    // A bad name is refused before the work begins.
    let path = app.answer_path(&name)?;
    let embedder = app.embedder_of_states(&gathered.set.encoder.name).await?;
    let options = FitOptions {
        rule: args.negatives.into(),
        adaptive: args.adaptive == SwitchArg::On,
        epochs: args.epochs,
        patience: args.patience,
        seed: args.seed,
        alone: args.alone,
        ..FitOptions::default()
    };
    let folds = args.folds;
    let ids: Vec<&str> = gathered.set.examples.iter().map(|example| example.id.as_str()).collect();
    let key = format!("{data} {folds} {options:?} {:?} {ids:?}", gathered.set.encoder);
    std::fs::create_dir_all(path.parent().unwrap_or(&path)).map_err(|error| CliError::output("the models", &error))?;
    let checkpoint_path = path.with_extension("training.json");
    if args.restart && checkpoint_path.exists() {
        std::fs::remove_file(&checkpoint_path).map_err(|error| CliError::output("the checkpoint", &error))?;
    }
    let checkpoint = Checkpoint::open(&checkpoint_path, &key).map_err(|error| failed(&error))?;
    let set = gathered.set;
    let bar = bar(terminal, folds * args.epochs, "epochs")?;
    let shown = bar.clone();
    let loud = terminal.clone();
    let (encoder, questions) = (set.encoder.clone(), set.examples.len());
    let prepared = start.elapsed().as_secs_f64();
    let trained = tokio::task::spawn_blocking(move || {
        let result = train(&set, embedder.as_ref(), folds, &options, checkpoint, &shown, &loud);
        shown.finish_and_clear();
        result
    })
    .await
    .map_err(|error| CliError::new(ExitStatus::Failed, format!("the training stopped: {error}")))??;
    let trained_for = start.elapsed().as_secs_f64() - prepared;
    terminal.note(&format!(
        "loaded, encoded and searched for {prepared:.1} s, trained and measured for {trained_for:.1} s"
    ));
    let figures = figures(&data, questions, &trained);
    let better = figures.gain[1] > 0.0;
    let Trained { fitted, ranks, .. } = trained;
    let (matrix, weights) = (fitted.matrix, fitted.weights);
    let outputs = FitOptions::default().outputs;
    let model = AnswerModel { encoder, outputs, matrix, weights, figures };
    app.keep_answer_model(&name, &model)?;
    let stored = StoredAnswer { name: name.clone(), model, collections: Vec::new() };
    let alone = alone(&ranks);
    if args.json {
        let mut json = as_json(&stored);
        json["alone"] = json!(alone);
        json["questions"] = json!(ranks);
        write_json(&json)?;
    } else {
        let line = alone.map_or_else(String::new, |alone| {
            let [map, low, high] = [alone.map.value, alone.map.low, alone.map.high].map(|value| value * 100.0);
            let first = alone.first * 100.0;
            format!("  by the matrix alone, among all passages: MAP {map:.1} [{low:.1}, {high:.1}], R@1 {first:.1}\n")
        });
        write_result(&(text(&stored) + &line))?;
    }
    match &args.collection {
        Some(collection) if better => {
            activate(app, Some(&name), collection, context).await?;
        }
        Some(collection) => terminal.note(&format!(
            "searches in `{collection}` do not get better by more than chance, so the model stays off; `deepsearch train \
             activate {name} --collection {collection}` turns it on all the same"
        )),
        None => terminal.note(&format!("use it with `deepsearch train activate {name} --collection NAME`")),
    }
    Ok(ExitStatus::Done)
}

/// Trains on all cores; each finished epoch is saved.
fn train(
    set: &crate::train::TrainingSet,
    embedder: &dyn crate::embed::Embedder,
    folds: usize,
    options: &FitOptions,
    checkpoint: Checkpoint,
    bar: &ProgressBar,
    terminal: &Terminal,
) -> Result<Trained, CliError> {
    let checkpoint = std::cell::RefCell::new(checkpoint);
    let unkept = std::cell::RefCell::new(None);
    let start = Instant::now();
    let mut on_epoch = |fold: usize, epoch: &Epoch, progress: &Progress| {
        bar.set_position((fold * options.epochs + epoch.number) as u64);
        let line = format!(
            "fold {} epoch {}: loss {:.3}, MAP {:.1}, R@1 {:.1}, answers located {:.1} %, {:.1} s",
            fold + 1,
            epoch.number,
            epoch.loss,
            epoch.quality.map * 100.0,
            epoch.quality.first * 100.0,
            epoch.quality.located * 100.0,
            start.elapsed().as_secs_f64()
        );
        bar.suspend(|| terminal.note(&line));
        checkpoint.borrow_mut().keep_epoch(progress).map_err(|error| unkept.replace(Some(error))).is_ok()
    };
    let mut on_fold =
        |_: usize, fold: &Fold| checkpoint.borrow_mut().keep(fold).map_err(|error| unkept.replace(Some(error))).is_ok();
    let hooks = Hooks {
        done: &mut |fold| checkpoint.borrow().fold(fold),
        begun: &mut |fold| checkpoint.borrow().progress(fold),
        on_epoch: &mut on_epoch,
        on_fold: &mut on_fold,
    };
    let trained = cross_validate(set, embedder, folds, options, hooks);
    if let Some(error) = unkept.into_inner() {
        return Err(failed(&error));
    }
    let trained = trained.map_err(|error| match error {
        TrainError::NoTriplet { .. } => failed(&error)
            .with_hint("questions need answers that stand in their passages, and passages that do not answer them"),
        error => failed(&error),
    })?;
    checkpoint.into_inner().finish().map_err(|error| failed(&error))?;
    Ok(trained)
}

fn failed(error: &dyn std::error::Error) -> CliError {
    CliError::new(ExitStatus::Failed, error.to_string())
}

async fn of_a_set(
    args: &TrainAnswerArgs,
    path: &Path,
    app: &App,
    terminal: &Terminal,
) -> Result<(String, String, GatheredExamples), CliError> {
    let mut set = Dataset::read(path).map_err(|error| CliError::new(ExitStatus::Usage, error.to_string()))?;
    set.queries.truncate(args.questions.unwrap_or(usize::MAX));
    let (asked, warnings) = located_questions(&set);
    for warning in set.warnings.iter().chain(&warnings) {
        terminal.warn(warning);
    }
    let scratch = app.scratch(None).await?;
    let corpus = &scratch.corpus;
    load(corpus, COLLECTION, app, &set, SearchMode::Hybrid, terminal).await?;
    let gathered = examples(corpus, COLLECTION, &asked, terminal).await?;
    Ok((set.name.clone(), set.name, gathered))
}

async fn of_a_collection(
    args: &TrainAnswerArgs,
    collection: &str,
    app: &App,
    terminal: &Terminal,
) -> Result<(String, String, GatheredExamples), CliError> {
    let corpus = app.corpus(&[collection.to_owned()]).await?;
    let chosen = app.model()?;
    let offline = chosen.endpoint.is_empty();
    let most = args.questions.unwrap_or(if offline { MOST_OFFLINE } else { MOST_BY_MODEL }).max(1);
    let start = Instant::now();
    let passages = bar(terminal, 0, "passages")?;
    let progress = |done: usize, all: usize| {
        passages.set_length(all as u64);
        passages.set_position(done as u64);
    };
    let quiz = app.quiz(&corpus, collection, most, &progress).await;
    passages.finish_and_clear();
    let quiz = quiz?;
    if !offline {
        terminal.note(&format!("bill: {}", bill(&quiz.usage, start.elapsed().as_secs_f64())));
    }
    let model = chosen.model.name(Purpose::Quiz).to_owned();
    terminal.note(&format!(
        "{} questions about `{collection}` by {model}; dropped: {} whose answer does not stand where it should, {} that were \
         asked before",
        quiz.questions.len(),
        quiz.misplaced,
        quiz.repeated
    ));
    if let Some((count, reason)) = &quiz.failed {
        terminal.warn(&format!("no questions about {count} passages; the first: {reason}"));
    }
    let asked = |one: (usize, CollectionQuestion)| Asked {
        id: format!("{}#{}.{}", one.1.chunk.document, one.1.chunk.ordinal, one.0),
        text: one.1.question,
        relevant: None,
        answers: vec![Span { path: one.1.path, range: one.1.answer }],
    };
    let asked: Vec<Asked> = quiz.questions.into_iter().enumerate().map(asked).collect();
    let gathered = examples(&corpus, collection, &asked, terminal).await?;
    Ok((collection.to_owned(), format!("questions about {collection} by {model}"), gathered))
}

async fn examples(
    corpus: &Corpus,
    collection: &str,
    asked: &[Asked],
    terminal: &Terminal,
) -> Result<GatheredExamples, CliError> {
    let bar = bar(terminal, asked.len(), "questions")?;
    let gathered = gather(corpus, collection, asked, &|done| bar.set_position(done as u64)).await;
    bar.finish_and_clear();
    gathered.map_err(|error| failed(&error))
}

async fn activate(app: &App, name: Option<&str>, collection: &str, context: &Context) -> Result<ExitStatus, CliError> {
    app.activate_answer(&app.store_with(collection).await?.collection(collection).await?, name)?;
    context.terminal.note(&match name {
        Some(name) => format!("searches in `{collection}` now use the answer model `{name}`"),
        None => format!("searches in `{collection}` use no answer model"),
    });
    Ok(ExitStatus::Done)
}

fn list(app: &App, json: bool, context: &Context) -> Result<ExitStatus, CliError> {
    let models = app.answer_models()?;
    if json {
        write_json(&models.iter().map(as_json).collect::<Vec<_>>())?;
        return Ok(ExitStatus::Done);
    }
    if models.is_empty() {
        context.terminal.note("no answer models yet; train one: deepsearch train answer --data SET");
    }
    write_result(&models.iter().map(text).collect::<Vec<_>>().join("\n"))?;
    Ok(ExitStatus::Done)
}

fn show(app: &App, name: &str, json: bool) -> Result<ExitStatus, CliError> {
    let model = app.answer_model(name)?;
    let users = app.answer_models()?.into_iter().find(|one| one.name == name).map(|one| one.collections);
    let stored = StoredAnswer { name: name.to_owned(), model, collections: users.unwrap_or_default() };
    if json {
        write_json(&as_json(&stored))?
    } else {
        write_result(&text(&stored))?
    }
    Ok(ExitStatus::Done)
}

/// How well the matrix alone ranks all passages.
#[derive(Serialize)]
struct MatrixAlone {
    map: Measured,
    first: f64,
}

fn alone(ranks: &[Ranks]) -> Option<MatrixAlone> {
    let ranks: Vec<f64> = ranks.iter().map(|rank| rank.alone).collect::<Option<_>>()?;
    let first: Vec<f64> = ranks.iter().copied().map(is_first).collect();
    Some(MatrixAlone { map: Measured::mean(&ranks), first: mean(&first) })
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

/// 1 if a reciprocal rank is that of the first place, else 0.
fn is_first(rank: f64) -> f64 {
    f64::from(u8::from(rank >= 1.0))
}

fn figures(data: &str, questions: usize, trained: &Trained) -> Figures {
    let of = |pick: &dyn Fn(&Ranks) -> f64| -> Vec<f64> { trained.ranks.iter().map(pick).collect() };
    let gain = Measured::mean(&of(&|rank| rank.with - rank.without));
    Figures {
        data: data.to_owned(),
        questions,
        map: [mean(&of(&|rank| rank.without)), mean(&of(&|rank| rank.with))],
        first: [mean(&of(&|rank| is_first(rank.without))), mean(&of(&|rank| is_first(rank.with)))],
        gain: [gain.value, gain.low, gain.high],
        located: trained.located,
    }
}

fn text(stored: &StoredAnswer) -> String {
    let figures = &stored.model.figures;
    let weights = stored.model.weights;
    let users = if stored.collections.is_empty() { "no collection".to_owned() } else { stored.collections.join(", ") };
    format!(
        "{}  used by {users}\n  trained on {} ({} questions), encoder {}\n  unseen questions: MAP {:.1} -> {:.1} ({:+.2} \
         [{:+.2}, {:+.2}]), R@1 {:.1} -> {:.1}, answers located {:.1} %\n  weights: {} beside late interaction, {} \
         alone; learned part {}, for the place {}\n",
        stored.name,
        figures.data,
        figures.questions,
        stored.model.encoder.name,
        figures.map[0] * 100.0,
        figures.map[1] * 100.0,
        figures.gain[0] * 100.0,
        figures.gain[1] * 100.0,
        figures.gain[2] * 100.0,
        figures.first[0] * 100.0,
        figures.first[1] * 100.0,
        figures.located * 100.0,
        weights.with_late,
        weights.alone,
        weights.learned,
        weights.locating
    )
}

fn as_json(stored: &StoredAnswer) -> Value {
    json!({
        "name": stored.name,
        "collections": stored.collections,
        "encoder": stored.model.encoder,
        "outputs": stored.model.outputs,
        "weights": stored.model.weights,
        "figures": stored.model.figures,
    })
}
