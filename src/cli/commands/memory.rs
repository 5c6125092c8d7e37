//! `memory`: shows and changes what is remembered from earlier runs.

use std::io::Read;
use std::path::Path;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde_json::{Value, json};

use crate::app::App;
use crate::base::text::{excerpt, one_line, thousands};
use crate::cli::args::{MemoryArgs, MemoryCommand};
use crate::cli::context::Context;
use crate::cli::delivery::file_of;
use crate::cli::terminal::{Ink, counted, write_file, write_json, write_result, write_text};
use crate::cli::{CliError, ExitStatus};
use crate::memory::draw::{self, Picture};
use crate::memory::recall::least_relevance;
use crate::memory::{ComparedBy, EventFilter, EventKind, Memory, MemoryEvent, NewEvent, ScoredEvent, export, import};

/// The most bytes read as an import.
const MAX_IMPORT_BYTES: u64 = 1 << 30;
/// The width of a drawing if the terminal does not tell its number of columns.
const COLUMNS: usize = 80;

/// Shows and changes what is remembered.
pub(super) fn run(args: MemoryArgs, context: &Context) -> Result<ExitStatus, CliError> {
    let app = context.app(Vec::new())?;
    context.block_on(async {
        match args.command {
            MemoryCommand::Add { text, at, collection } => add(&app, &text, at, collection, context).await,
            MemoryCommand::List { kind, stale, n, json } => {
                let filter =
                    EventFilter { kind: kind.map(EventKind::from), stale, newest: n, ..EventFilter::default() };
                list(&app, filter, json, context).await
            }
            MemoryCommand::Search { question, at, collection, n, json } => {
                let question = super::query::asked(&question)?;
                let collections = (!collection.is_empty()).then_some(collection);
                search(&app, &question, at, collections.as_deref(), n, json, context).await
            }
            MemoryCommand::Timeline { from, to, svg, html } => {
                timeline(&app, from, to, svg.as_deref(), html.as_deref(), context).await
            }
            MemoryCommand::Forget { ids, before, yes } => forget(&app, ids, before, yes, context).await,
            MemoryCommand::Export { file } => write_export(&app, file.as_deref(), context).await,
            MemoryCommand::Import { file } => read_import(&app, &file, context).await,
        }
    })
}

async fn add(
    app: &App,
    text: &str,
    at: Option<Timestamp>,
    collections: Vec<String>,
    context: &Context,
) -> Result<ExitStatus, CliError> {
    let text = text.trim();
    if text.is_empty() {
        return Err(CliError::usage("there is nothing to remember"));
    }
    for name in &collections {
        // The store's error suggests similar names.
        app.store().await?.collection(name).await?;
    }
    let made = match at {
        Some(at) => at,
        None => app.clock()?.now(),
    };
    let note = NewEvent {
        kind: EventKind::Note,
        text: text.to_owned(),
        made,
        collections,
        citations: Vec::new(),
        run: String::new(),
    };
    let placed = app.memory().await?.add(vec![note]).await?;
    for one in placed {
        context.terminal.note(&format!("remembered as {}", one.id));
    }
    Ok(ExitStatus::Done)
}

/// The memory, if there is one.
async fn existing(app: &App, context: &Context) -> Result<Option<Memory>, CliError> {
    Ok(told_if_none(app.existing_memory().await?, context))
}

fn told_if_none(memory: Option<Memory>, context: &Context) -> Option<Memory> {
    if memory.is_none() {
        context.terminal.note("nothing is remembered yet");
    }
    memory
}

async fn list(app: &App, filter: EventFilter, json: bool, context: &Context) -> Result<ExitStatus, CliError> {
    let events = match existing(app, context).await? {
        Some(memory) => memory.with(move |timeline| timeline.events(&filter)).await?,
        None => Vec::new(),
    };
    if json {
        write_json(&events)?;
        return Ok(ExitStatus::Done);
    }
    let mut text = String::new();
    for event in &events {
        text.push_str(&line(event, context));
    }
    write_result(&text)?;
    Ok(ExitStatus::Done)
}

/// One line for an event, and its sources below.
fn line(event: &MemoryEvent, context: &Context) -> String {
    let paint = |ink, text: &str| context.terminal.paint_result(ink, text);
    let mut text = format!(
        "{:>5}  {}  {:<16}  {}",
        event.id,
        shown_time(event.made),
        event.kind.name(),
        excerpt(&one_line(&event.text), 400)
    );
    if let Some(last) = event.recalls.last() {
        let recalled =
            format!("recalled {}, last {}", counted(event.recalls.len() as u64, "time"), shown_time(last.at));
        text.push_str(&format!("  {}", paint(Ink::Faint, &recalled)));
    }
    if let Some(since) = event.stale {
        text.push_str(&format!("  {}", paint(Ink::Warning, &format!("stale since {}", shown_time(since)))));
    }
    text.push('\n');
    for citation in &event.citations {
        let [start, end] = citation.bytes;
        let place = format!("{} {}:{start}-{end}", citation.collection, citation.path);
        text.push_str(&format!("       {}\n", paint(Ink::Faint, &place)));
    }
    text
}

async fn search(
    app: &App,
    question: &str,
    at: Option<Timestamp>,
    collections: Option<&[String]>,
    most: usize,
    json: bool,
    context: &Context,
) -> Result<ExitStatus, CliError> {
    let now = app.clock()?.now();
    let Some(memory) = told_if_none(app.searched_memory().await?, context) else {
        if json {
            write_json(&Vec::<Value>::new())?;
        }
        return Ok(ExitStatus::NothingFound);
    };
    let judged = match at {
        None => memory.judge(question, collections, now, most).await?,
        // An event that was not yet known could not come to mind.
        Some(at) => {
            let all = memory.judge(question, collections, at, usize::MAX).await?;
            all.into_iter().filter(|one| one.event.made <= at).take(most).collect()
        }
    };
    let k = memory.options().k;
    if json {
        let values: Vec<Value> = judged.iter().map(|one| as_json(one, k)).collect();
        write_json(&values)?;
    } else {
        let mut text = String::new();
        for one in &judged {
            let verdict = if one.passes {
                context.terminal.paint_result(Ink::Good, "comes to mind")
            } else {
                context.terminal.paint_result(Ink::Faint, &exclusion_reason(one, k))
            };
            text.push_str(&format!(
                "p {:.4}  r {:.4}  t {:.4}  g {:.4}  {verdict}\n{:>5}  {}  {}  {}\n",
                one.p,
                one.r,
                one.t,
                one.g,
                one.event.id,
                shown_time(one.event.made),
                one.event.kind,
                excerpt(&one_line(&one.event.text), 400)
            ));
        }
        write_result(&text)?;
    }
    Ok(if judged.iter().any(|one| one.passes) { ExitStatus::Done } else { ExitStatus::NothingFound })
}

/// The reason why an event does not come to mind.
fn exclusion_reason(judged: &ScoredEvent, k: f64) -> String {
    if judged.event.stale.is_some() {
        "stale: a source does not say so any more".to_owned()
    } else if judged.r < least_relevance(k) {
        format!("not relevant enough: r below {:.4}", least_relevance(k))
    } else {
        format!("faded: p below {k}")
    }
}

fn as_json(judged: &ScoredEvent, k: f64) -> Value {
    let compared_by = match judged.compared_by {
        ComparedBy::Meaning => "meaning",
        ComparedBy::Words => "words",
    };
    let why = if judged.passes { "comes to mind".to_owned() } else { exclusion_reason(judged, k) };
    json!({
        "event": judged.event, "p": judged.p, "r": judged.r, "t": judged.t, "g": judged.g, "k": k,
        "passes": judged.passes, "why": why, "compared_by": compared_by, "likeness": judged.likeness,
    })
}

async fn timeline(
    app: &App,
    from: Option<Timestamp>,
    to: Option<Timestamp>,
    svg: Option<&Path>,
    html: Option<&Path>,
    context: &Context,
) -> Result<ExitStatus, CliError> {
    if from.zip(to).is_some_and(|(from, to)| from >= to) {
        return Err(CliError::usage("--from is not before --to"));
    }
    let (now, unit) = (app.clock()?.now(), app.memory_options().unit);
    let events = match existing(app, context).await? {
        Some(memory) => {
            let filter = EventFilter { from, to, ..EventFilter::default() };
            memory.with(move |timeline| timeline.events(&filter)).await?
        }
        None => Vec::new(),
    };
    let picture = Picture { events: &events, now, unit, from, to };
    let files = [(svg, draw::svg as fn(&Picture<'_>) -> String), (html, draw::html)];
    for (path, drawn) in files.into_iter().filter_map(|(path, draw)| Some((path?, draw(&picture)))) {
        write_file(path, drawn.as_bytes())?;
        context.terminal.note(&format!("{} drawn into {}", counted(events.len() as u64, "event"), path.display()));
    }
    if svg.is_none() && html.is_none() && !events.is_empty() {
        let columns = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok()).unwrap_or(COLUMNS);
        write_result(&draw::terminal(&picture, columns))?;
    }
    Ok(ExitStatus::Done)
}

async fn forget(
    app: &App,
    ids: Vec<u64>,
    before: Option<Timestamp>,
    yes: bool,
    context: &Context,
) -> Result<ExitStatus, CliError> {
    let Some(memory) = existing(app, context).await? else { return Ok(ExitStatus::NothingFound) };
    if let Some(before) = before {
        let filter = EventFilter { to: Some(before), ..EventFilter::default() };
        let doomed = memory.with(move |timeline| timeline.events(&filter)).await?.len() as u64;
        if doomed > 0 && !yes {
            let question = format!("Forget {} made before {}?", counted(doomed, "event"), shown_time(before));
            let unasked =
                CliError::usage("nothing was forgotten: nobody is there to confirm it").with_hint("add --yes");
            if !context.terminal.agreed(&question, "nothing was forgotten", unasked)? {
                return Ok(ExitStatus::Done);
            }
        }
        let forgotten = memory.with(move |timeline| timeline.forget_before(before)).await?;
        context.terminal.note(&format!("forgot {}", counted(forgotten as u64, "event")));
    } else {
        let count = ids.len() as u64;
        memory.with(move |timeline| timeline.forget(&ids)).await?;
        context.terminal.note(&format!("forgot {}", counted(count, "event")));
    }
    Ok(ExitStatus::Done)
}

async fn write_export(app: &App, file: Option<&Path>, context: &Context) -> Result<ExitStatus, CliError> {
    let events = match existing(app, context).await? {
        Some(memory) => memory.with(|timeline| timeline.events(&EventFilter::default())).await?,
        None => Vec::new(),
    };
    let text = export(&events);
    match file_of(file) {
        None => write_text(&text)?,
        Some(path) => {
            write_file(path, text.as_bytes())?;
            context.terminal.note(&format!("{} written to {}", counted(events.len() as u64, "event"), path.display()));
        }
    }
    Ok(ExitStatus::Done)
}

async fn read_import(app: &App, file: &Path, context: &Context) -> Result<ExitStatus, CliError> {
    let cannot = |error: std::io::Error| CliError::usage(format!("cannot read {}: {error}", file.display()));
    let mut text = String::new();
    let read: &mut dyn Read = if file == Path::new("-") {
        &mut std::io::stdin().lock()
    } else {
        &mut std::fs::File::open(file).map_err(cannot)?
    };
    read.take(MAX_IMPORT_BYTES).read_to_string(&mut text).map_err(cannot)?;
    let events = import(&text)?;
    let total = events.len() as u64;
    let restored = app.memory().await?.restore(events).await? as u64;
    let known = match total - restored {
        0 => String::new(),
        known => format!("; {} known already", thousands(known)),
    };
    context.terminal.note(&format!("{} imported{known}", counted(restored, "event")));
    Ok(ExitStatus::Done)
}

/// A time as a person reads it: only the day if it is midnight.
fn shown_time(at: Timestamp) -> String {
    let time = at.to_zoned(TimeZone::UTC).datetime();
    let format = if time.time() == jiff::civil::Time::midnight() { "%Y-%m-%d" } else { "%Y-%m-%d %H:%M" };
    time.strftime(format).to_string()
}
