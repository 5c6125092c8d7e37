//! `runs`: lists, shows, removes and repeats kept runs.

use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use super::query::report_on;
use crate::agent::Limits;
use crate::agent::journal::{RunDetails, RunState, RunSummary, StepKind, StepSummary};
use crate::app::{App, AppError, ForkRequest, limit};
use crate::base::text::{Language, one_line, short_line};
use crate::base::{locked, minute_of};
use crate::cli::args::{ForkArgs, ReplayArgs, RunsArgs, RunsCommand};
use crate::cli::context::Context;
use crate::cli::delivery::Delivery;
use crate::cli::events::{RunDisplay, bill};
use crate::cli::terminal::{Ink, counted, size, write_json, write_result};
use crate::cli::{CliError, ExitStatus, interrupt};
use crate::domain::{Event, EventSink};
use crate::report::words;

/// Lists, shows, removes and repeats runs.
pub(super) fn run(args: RunsArgs, context: &Context) -> Result<ExitStatus, CliError> {
    let command = args.command.unwrap_or(RunsCommand::List { json: false });
    let app = context.app(command.flags())?;
    match command {
        RunsCommand::List { json } => list(&app, json, context),
        RunsCommand::Show { run, events: false, json } => show(&app, &run, json, context),
        RunsCommand::Show { run, events: true, json } => context.block_on(tell(&app, &run, json, context)),
        RunsCommand::Rm { runs, before, all } => remove(&app, runs, before, all, context),
        RunsCommand::Replay(args) => context.block_on(replay(&app, &args, context)),
        RunsCommand::Fork(args) => context.block_on(fork(&app, &args, context)),
    }
}

fn list(app: &App, json: bool, context: &Context) -> Result<ExitStatus, CliError> {
    let runs = app.runs()?.list().map_err(AppError::from)?;
    if json {
        write_json(&runs)?;
        return Ok(ExitStatus::Done);
    }
    if runs.is_empty() {
        context.terminal.note(&format!("no run is kept in {} yet", app.runs()?.folder().display()));
    }
    let one = |run: &RunSummary| {
        let id = context.terminal.paint_result(Ink::Strong, &run.id);
        let question = short_line(&run.question, 100);
        format!("{id}  {}  {question}\n", state(&run.state))
    };
    write_result(&runs.iter().map(one).collect::<String>())?;
    Ok(ExitStatus::Done)
}

fn state(state: &RunState) -> String {
    match state {
        RunState::Running => "under way".to_owned(),
        RunState::Finished { stopped } => format!("done, {}", words(Language::ENGLISH).stop_reason(*stopped)),
        RunState::Broken => "broken off".to_owned(),
        RunState::Failed { error } => format!("failed: {}", short_line(error, 100)),
        RunState::Unreadable { error } => format!("unreadable: {}", one_line(error)),
    }
}

fn show(app: &App, name: &str, json: bool, context: &Context) -> Result<ExitStatus, CliError> {
    let runs = app.runs()?;
    let details = runs.find(name).and_then(|id| runs.details(&id)).map_err(AppError::from)?;
    if json {
        write_json(&details)?;
        return Ok(ExitStatus::Done);
    }
    let RunDetails { run, collections, steps, torn } = &details;
    let mut text = format!("{}\n{}\n", context.terminal.paint_result(Ink::Strong, &run.id), one_line(&run.question));
    if !collections.is_empty() {
        text.push_str(&format!("in {}\n", collections.join(", ")));
    }
    if let Some((from, kept)) = &run.forked_from {
        text.push_str(&format!("{} from {from}\n", counted(*kept as u64, "step")));
    }
    let begun = run.started.map(minute_of);
    text.push_str(&format!("{}; begun {}\n", state(&run.state), begun.unwrap_or_default()));
    text.push_str(&format!("{}; journal of {}\n\n", bill(&run.usage, run.seconds), size(run.bytes)));
    for step in steps {
        text.push_str(&told_step(step, context));
    }
    if *torn {
        text.push_str("(what follows was lost when the process ended)\n");
    }
    write_result(&text)?;
    Ok(ExitStatus::Done)
}

fn told_step(step: &StepSummary, context: &Context) -> String {
    let faint = |text: String| context.terminal.paint_result(Ink::Faint, &text);
    let what = match &step.kind {
        StepKind::Collections { names } => format!("collections  {}", names.join(", ")),
        StepKind::Vocabulary { collection } => format!("vocabulary   of {collection}"),
        StepKind::Read { passages } => format!("read         {}", counted(*passages as u64, "passage")),
        StepKind::Length { chunks } => format!("length       {}", counted(u64::from(*chunks), "passage")),
        StepKind::Web { queries, pages } => {
            let queries: Vec<String> = queries.iter().map(|query| short_line(query, 100)).collect();
            format!("web          {} for {}", counted(*pages as u64, "page"), queries.join("; "))
        }
        StepKind::Accessed => "accessed     when a page was fetched".to_owned(),
        StepKind::Steered { queries } => {
            let queries: Vec<String> = queries.iter().map(|query| short_line(query, 60)).collect();
            format!("steered      {}", if queries.is_empty() { "to the end".to_owned() } else { queries.join("; ") })
        }
        StepKind::Replanned { words } => format!("replanned    {}", short_line(words, 100)),
        StepKind::Documents { count } => format!("documents    {} could be found", counted(*count, "document")),
        StepKind::Recall { events } => format!("recall       {}", counted(*events as u64, "event")),
        StepKind::Remember { taken } => {
            format!("remember     {}", if *taken { "what was found" } else { "nothing: the memory failed" })
        }
        StepKind::Closest { query } => format!("closest      sentences to {}", short_line(query, 100)),
        StepKind::Limit { purpose, limit } => format!("{purpose:<11}  not asked: the limit on {limit}"),
        StepKind::Search { queries, hits } => {
            let lines = queries
                .iter()
                .zip(hits)
                .map(|(query, hits)| format!("{}  {}", counted(*hits as u64, "hit"), short_line(query, 100)));
            format!("search       {}", lines.collect::<Vec<_>>().join("\n                  "))
        }
        StepKind::Call { purpose, model, usage, reply, failed, .. } => {
            let outcome = if *failed { "failed" } else { "answered" };
            let tokens = format!("{} in, {} out", usage.prompt_tokens, usage.completion_tokens);
            let reply = match reply.trim() {
                "" => String::new(),
                reply => format!("\n                  {}", faint(short_line(reply, 100))),
            };
            format!("{purpose:<11}  {model} {outcome}: {tokens}{reply}")
        }
    };
    format!("{:>3}  {what}\n", step.number)
}

/// Collects the events of a run.
#[derive(Default)]
struct EventBuffer(Mutex<Vec<Event>>);

impl EventBuffer {
    fn lock(&self) -> MutexGuard<'_, Vec<Event>> {
        // A panic elsewhere leaves the collected events intact.
        locked(&self.0)
    }
}

impl EventSink for EventBuffer {
    fn emit(&self, event: &Event) {
        // The report is shown by another command.
        if !matches!(event, Event::Text { .. }) {
            self.lock().push(event.clone());
        }
    }
}

/// Shows the story of a run, as the run itself told it.
async fn tell(app: &App, run: &str, json: bool, context: &Context) -> Result<ExitStatus, CliError> {
    if json {
        let heard = Arc::new(EventBuffer::default());
        app.replay_events(run, heard.clone()).await?;
        write_json(&*heard.lock())?;
        return Ok(ExitStatus::Done);
    }
    let display = Arc::new(RunDisplay::as_result(context.terminal.clone()));
    app.replay_events(run, display.clone()).await?;
    match display.finish() {
        (Some(failure), _) => Err(failure),
        (None, _) => Ok(ExitStatus::Done),
    }
}

fn remove(
    app: &App,
    named: Vec<String>,
    before: Option<jiff::civil::Date>,
    all: bool,
    context: &Context,
) -> Result<ExitStatus, CliError> {
    let runs = app.runs()?;
    let chosen = if all {
        runs.ids()
    } else if let Some(day) = before {
        let day = day.strftime("%Y%m%d").to_string();
        // Ids begin with their day.
        runs.ids().map(|ids| ids.into_iter().filter(|id| id.as_str() < day.as_str()).collect())
    } else {
        named.iter().map(|name| runs.find(name)).collect()
    };
    let mut chosen: Vec<String> = chosen.map_err(AppError::from)?;
    chosen.sort();
    chosen.dedup();
    for id in &chosen {
        runs.remove(id).map_err(AppError::from)?;
        crate::serve::forget(&app.data_dir()?, id).map_err(|error| {
            CliError::new(ExitStatus::Failed, format!("cannot remove what a server kept of run {id}: {error}"))
        })?;
    }
    context.terminal.note(&format!("removed {}", counted(chosen.len() as u64, "run")));
    Ok(ExitStatus::Done)
}

async fn replay(app: &App, args: &ReplayArgs, context: &Context) -> Result<ExitStatus, CliError> {
    let delivery = Delivery::new(args.output.as_deref(), args.json);
    delivery.check()?;
    let token = interrupt::watch(&context.terminal, "stopping");
    let display = Arc::new(RunDisplay::new(context.terminal.clone(), delivery.streams(), token));
    let outcome = app.replay(&args.run, display.clone()).await;
    if let (Some(failure), _) = display.finish() {
        return Err(failure);
    }
    let (report, same) = outcome?;
    delivery.deliver_report(app, &report).await?;
    if !same {
        context.terminal.warn("the report is worded otherwise than the one that was written: the program has changed");
        return Ok(ExitStatus::Partial);
    }
    Ok(ExitStatus::Done)
}

async fn fork(app: &App, args: &ForkArgs, context: &Context) -> Result<ExitStatus, CliError> {
    let delivery = Delivery::new(args.output.as_deref(), args.json);
    delivery.check()?;
    let limits = Limits {
        max_rounds: args.max_rounds.and_then(limit),
        max_calls: args.max_calls.and_then(limit),
        max_tokens: args.max_tokens.and_then(limit),
        max_time: args.max_time.map(Duration::from_secs),
        max_usd: args.max_usd.and_then(limit),
    };
    let request = ForkRequest { run: args.run.clone(), steps: args.from, limits };
    report_on(app, context, delivery, async |chosen, display, token| {
        Ok((app.fork(&request, chosen, display, token).await?, false))
    })
    .await
}
