//! `query`: researches a question. Also how every command shows a run and reads a question.

use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use super::plan_review::BILL_OF_PLAN;
use super::steering::interactive;
use crate::agent::{AgentError, MAX_QUESTION_BYTES, checked_question};
use crate::app::{App, AppError, ChosenModel, LoadRequest, ResearchRequest};
use crate::cli::args::{Length, QueryArgs};
use crate::cli::context::Context;
use crate::cli::delivery::{Delivery, file_of, open_template};
use crate::cli::events::{RunDisplay, say_bill};
use crate::cli::terminal::{Ink, counted};
use crate::cli::{CliError, ExitStatus, interrupt};
use crate::domain::{Outline, Report, StopReason};

/// The most headings of an outline; more than any report has.
const MAX_HEADINGS: usize = 60;

/// Researches a question and writes a report.
pub(super) fn run(args: &QueryArgs, context: &Context) -> Result<ExitStatus, CliError> {
    let output = file_of(args.output.as_deref());
    let template = open_template(args.template.as_deref(), output)?;
    let delivery = Delivery {
        bibliography: args.bibliography.as_deref(),
        template: template.as_ref(),
        style: args.style,
        ..Delivery::new(output, args.json)
    };
    if let Some(name) = &args.resume {
        delivery.check()?;
        let app = context.app(args.flags())?;
        return context.block_on(report_on(&app, context, delivery, async |chosen, display, token| {
            Ok((app.resume(name, chosen, display, token).await?, false))
        }));
    }
    let Some(question) = &args.question else {
        return Err(CliError::usage("query needs a question, or --resume RUN"));
    };
    let question = question_of(question)?;
    let filter = args.filter.filter()?;
    let outline = args.outline.as_deref().map(read_outline).transpose()?.unwrap_or_default();
    delivery.check()?;
    let app = context.app(args.flags())?;
    let request = ResearchRequest {
        question,
        collections: args.collection.clone(),
        filter,
        as_of: args.as_of,
        recency: args.recency.unwrap_or(0.0),
        length: args.length.and_then(|Length(words)| words),
        outline,
        ..ResearchRequest::default()
    };
    if args.dry_run {
        return context.block_on(dry_run(args, &app, request, context, delivery));
    }
    context.block_on(report_on(&app, context, delivery, async |chosen, display, token| {
        let unreadable = load_first(&app, &args.load, context, &token).await?;
        let mut request = ResearchRequest { unreadable, ..request };
        if args.interactive {
            request = interactive(&app, request, chosen, &display, context, &token).await?;
        }
        let report = app.research(&request, chosen, display, token).await?;
        Ok((report, !request.unreadable.is_empty()))
    }))
}

/// Shows a run on the terminal and delivers its report. Besides the report, `research` returns whether something that
/// was to be searched could not be read.
pub(super) async fn report_on(
    app: &App,
    context: &Context,
    delivery: Delivery<'_>,
    research: impl AsyncFnOnce(&ChosenModel, Arc<RunDisplay>, CancellationToken) -> Result<(Report, bool), CliError>,
) -> Result<ExitStatus, CliError> {
    let token = interrupt::watch(&context.terminal, "writing the report from what was found; Ctrl-C again stops now");
    let chosen = app.model()?;
    app.check_limits(&chosen)?;
    let display = RunDisplay::new(context.terminal.clone(), delivery.streams(), token.clone());
    let display = Arc::new(display.opening(backend(&chosen)));
    let outcome = research(&chosen, Arc::clone(&display), token).await;
    let (failure, tally) = display.finish();
    // A closed output explains whatever went wrong after it.
    if let Some(failure) = failure {
        return Err(failure);
    }
    let (report, unreadable) = outcome.map_err(|error| resumable(error, &display))?;
    delivery.deliver_report(app, &report).await?;
    say_skipped(&report, context);
    say_bill(&context.terminal, "bill", &report.usage, report.seconds);
    // A run in which the model holds the search tools may take more calls than that.
    let one_at_a_time = tally.calls_one_at_a_time();
    if chosen.model.reasons() && one_at_a_time > report.usage.calls {
        let calls = counted(one_at_a_time, "call");
        context.terminal.note(&format!("  one call for each search and each passage would have made {calls}"));
    }
    if let (StopReason::Interrupted | StopReason::ModelFailed, Some(run)) = (report.stopped, display.run()) {
        context.terminal.note(&format!("go on with the search: deepsearch query --resume {run}"));
    }
    let status = status(&report, unreadable);
    if status == ExitStatus::NothingFound {
        context.terminal.note("the documents do not answer the question");
        context.terminal.note("ask in their words, or load more of them: deepsearch load ./docs");
    }
    Ok(status)
}

/// Adds to a failure of a kept run how to resume it.
pub(super) fn resumable(error: CliError, display: &RunDisplay) -> CliError {
    match (error.status, display.run()) {
        (ExitStatus::Failed | ExitStatus::Interrupted, Some(run)) => {
            let more = format!("what was done is kept: deepsearch query --resume {run}");
            let hint = error.hint.as_ref().map_or(more.clone(), |hint| format!("{hint}; {more}"));
            error.with_hint(hint)
        }
        _ => error,
    }
}

/// Loads the paths given by `--load`; returns those that could not be read.
async fn load_first(
    app: &App,
    paths: &[String],
    context: &Context,
    token: &CancellationToken,
) -> Result<Vec<String>, CliError> {
    if paths.is_empty() {
        return Ok(Vec::new());
    }
    if paths.iter().any(|path| path == "-") {
        return Err(CliError::usage("--load takes files, folders and globs")
            .with_hint("load standard input first: deepsearch load - --collection NAME"));
    }
    let request = LoadRequest { paths: paths.to_vec(), ..LoadRequest::default() };
    let summary = super::load::load(app, &request, context, token.clone()).await?;
    context.terminal.note(&super::load::told(&summary));
    if summary.interrupted {
        let message = "interrupted before everything was loaded; the question was not asked";
        return Err(CliError::new(ExitStatus::Interrupted, message).with_hint("run it again to load the rest"));
    }
    Ok(summary.failed.into_iter().map(|failed| format!("{}: {}", failed.path, failed.reason)).collect())
}

/// A note on what answers; `None` for a language model.
pub(super) fn backend(chosen: &ChosenModel) -> Option<&'static str> {
    if chosen.no_key_found {
        return Some(
            "no key is set: working offline, the report quotes the best passages and does not reason. For a language \
             model set a key, as in OPENAI_API_KEY, DEEPSEEK_API_KEY or SAMBANOVA_API_KEY, or run \
             `deepsearch config init` and choose a provider.",
        );
    }
    (!chosen.model.reasons()).then_some("working offline: the report quotes the best passages and does not reason")
}

/// Makes the plan, shows it with the estimated cost of the run, and stops.
async fn dry_run(
    args: &QueryArgs,
    app: &App,
    request: ResearchRequest,
    context: &Context,
    delivery: Delivery<'_>,
) -> Result<ExitStatus, CliError> {
    let token = interrupt::watch(&context.terminal, "stopping; Ctrl-C again stops now");
    let chosen = app.model()?;
    app.check_limits(&chosen)?;
    let unreadable = load_first(app, &args.load, context, &token).await?;
    let request = ResearchRequest { unreadable, ..request };
    let display = Arc::new(RunDisplay::new(context.terminal.clone(), false, token.clone()));
    let preview = app.preview(&request, &chosen, display, token).await?;
    if let Some(words) = backend(&chosen) {
        context.terminal.note(words);
    }
    delivery.deliver(&preview, &crate::cli::preview::shown(&preview), false)?;
    say_bill(&context.terminal, BILL_OF_PLAN, &preview.usage, preview.seconds);
    Ok(ExitStatus::Done)
}

fn say_skipped(report: &Report, context: &Context) {
    if report.skipped.is_empty() {
        return;
    }
    context.terminal.note(&context.terminal.paint(Ink::Strong, "not searched any more:"));
    for sub_query in &report.skipped {
        context.terminal.note(&format!("  · {}", sub_query.text));
    }
}

/// The exit status for the end of a run.
pub(super) fn status(report: &Report, unreadable: bool) -> ExitStatus {
    match report.stopped {
        StopReason::Interrupted => ExitStatus::Interrupted,
        StopReason::Budget | StopReason::ModelFailed | StopReason::RoundLimit => ExitStatus::Partial,
        StopReason::Enough | StopReason::OneSearch | StopReason::NoNewEvidence if !report.answered => {
            ExitStatus::NothingFound
        }
        StopReason::Enough | StopReason::OneSearch | StopReason::NoNewEvidence if !unreadable => ExitStatus::Done,
        StopReason::Enough | StopReason::OneSearch | StopReason::NoNewEvidence => ExitStatus::Partial,
    }
}

/// The headings in a file.
fn read_outline(path: &Path) -> Result<Outline, CliError> {
    let cannot = |reason: String| CliError::usage(format!("cannot use the outline {}: {reason}", path.display()));
    let text = std::fs::read_to_string(path).map_err(|error| cannot(error.to_string()))?;
    let outline = Outline::parse(&text);
    match outline.sections.len() {
        0 => Err(cannot("it has no heading".to_owned())
            .with_hint("write each heading on a line of its own, as in `## Ratings`, and below it what it answers")),
        many if many > MAX_HEADINGS => Err(cannot(format!("it has {many} headings; {MAX_HEADINGS} are the most"))),
        _ => Ok(outline),
    }
}

/// The question given by an argument; `-` means standard input.
pub(super) fn question_of(argument: &str) -> Result<String, CliError> {
    match argument {
        "-" => asked(&read_question()?),
        question => asked(question),
    }
}

fn read_question() -> Result<String, CliError> {
    let mut bytes = Vec::new();
    std::io::stdin()
        .lock()
        .take(MAX_QUESTION_BYTES as u64 + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| CliError::new(ExitStatus::Failed, format!("cannot read the question: {error}")))?;
    if bytes.len() > MAX_QUESTION_BYTES {
        // The rest was not read.
        return Err(AppError::Agent(AgentError::QuestionTooLong).into());
    }
    String::from_utf8(bytes).map_err(|_| CliError::usage("the question is not valid UTF-8"))
}

/// The question without surrounding white space.
pub(super) fn asked(question: &str) -> Result<String, CliError> {
    Ok(checked_question(question).map_err(AppError::Agent)?.to_owned())
}
