use crate::app::{App, DocumentEvent, KnownSource};
use crate::base::minute_of;
use crate::cli::args::{SourcesArgs, SourcesCommand};
use crate::cli::context::Context;
use crate::cli::terminal::{Ink, counted, write_json, write_result};
use crate::cli::{CliError, ExitStatus};

/// Lists and forgets what was loaded, and shows the history of documents.
pub(super) fn run(args: SourcesArgs, context: &Context) -> Result<ExitStatus, CliError> {
    let app = context.app(Vec::new())?;
    context.block_on(async {
        match args.command.unwrap_or(SourcesCommand::List { json: args.json }) {
            SourcesCommand::List { json } => list(&app, json, context).await,
            SourcesCommand::Rm { source, keep_documents, yes, json } => {
                forget(&app, &source, keep_documents, yes, json, context).await
            }
            SourcesCommand::History { path, n, json } => history(&app, path.as_deref(), n, json, context).await,
        }
    })
}

async fn list(app: &App, json: bool, context: &Context) -> Result<ExitStatus, CliError> {
    let sources = app.sources().await?;
    if json {
        write_json(&sources)?;
        return Ok(ExitStatus::Done);
    }
    if sources.is_empty() {
        context.terminal.note("nothing was loaded yet: deepsearch load ./docs");
    }
    let mut text = String::new();
    for known in &sources {
        let name = context.terminal.paint_result(Ink::Strong, &known.source.to_string());
        text.push_str(&format!("{name}  {}\n", told(known)));
    }
    write_result(&text)?;
    Ok(ExitStatus::Done)
}

fn told(known: &KnownSource) -> String {
    let into = match (known.collections.as_slice(), &known.collection) {
        ([], None) => "nothing in any collection".to_owned(),
        ([], Some(name)) => format!("nothing in {name}"),
        (names, _) => format!("in {}", names.join(", ")),
    };
    let way = if known.collection_per_dir { ", a collection for each folder" } else { "" };
    format!("{into}{way}, first loaded {}, last {}", minute_of(known.first_loaded), minute_of(known.last_loaded))
}

async fn forget(
    app: &App,
    source: &str,
    keep_documents: bool,
    yes: bool,
    json: bool,
    context: &Context,
) -> Result<ExitStatus, CliError> {
    app.knows_source(source).await?;
    if !keep_documents && !yes {
        let question = format!("Forget `{source}` and remove its documents?");
        let unasked = CliError::usage(format!("`{source}` was not removed: nobody is there to confirm it"))
            .with_hint("add --yes, or keep its documents with --keep-documents");
        if !context.terminal.agreed(&question, "nothing was removed", unasked)? {
            return Ok(ExitStatus::Done);
        }
    }
    let forgotten = app.forget_source(source, keep_documents).await?;
    if json {
        write_json(&forgotten)?;
        return Ok(ExitStatus::Done);
    }
    for known in &forgotten.sources {
        context.terminal.note(&format!("forgot {}", known.source));
    }
    for (collection, paths) in &forgotten.removed {
        context.terminal.note(&format!("removed {} from {collection}", counted(paths.len() as u64, "document")));
    }
    if keep_documents {
        context.terminal.note("its documents are kept, and no longer refreshed");
    } else if forgotten.removed.is_empty() {
        context.terminal.note("it had no documents of its own");
    }
    Ok(ExitStatus::Done)
}

async fn history(
    app: &App,
    path: Option<&str>,
    n: usize,
    json: bool,
    context: &Context,
) -> Result<ExitStatus, CliError> {
    let mut events = match path {
        Some(path) => app.history(path).await?,
        None => app.last_events(n).await?,
    };
    if let (Some(path), true) = (path, events.is_empty()) {
        let message = format!("nothing is known of what became of `{path}`");
        return Err(CliError::new(ExitStatus::NothingFound, message)
            .with_hint("`deepsearch sources history` shows what happened last"));
    }
    events.drain(..events.len().saturating_sub(n));
    if json {
        write_json(&events)?;
        return Ok(ExitStatus::Done);
    }
    if events.is_empty() {
        context.terminal.note("nothing was loaded yet: deepsearch load ./docs");
    }
    let line = |event: &DocumentEvent| {
        let from = event.from.as_ref().map(|from| format!(" (from {from})")).unwrap_or_default();
        let what = context.terminal.paint_result(Ink::Strong, &format!("{:<10}", event.what.name()));
        format!("{}  {what}  {}  {}{from}\n", minute_of(event.at), event.collection, event.path)
    };
    write_result(&events.iter().map(line).collect::<String>())?;
    Ok(ExitStatus::Done)
}
