//! `collections`: shows, describes, renames, re-embeds and drops collections.

use serde_json::json;

use crate::app::{App, ReembedSummary};
use crate::base::text::{excerpt, one_line, short_line};
use crate::cli::args::{CollectionsArgs, CollectionsCommand};
use crate::cli::context::Context;
use crate::cli::events::bill;
use crate::cli::progress::ReembedProgress;
use crate::cli::terminal::{Ink, counted, size, write_json, write_result};
use crate::cli::{CliError, ExitStatus, interrupt};
use crate::domain::Collection;

/// Lists and changes collections.
pub(super) fn run(args: CollectionsArgs, context: &Context) -> Result<ExitStatus, CliError> {
    let command = args.command.unwrap_or(CollectionsCommand::List { json: args.json });
    let app = context.app(command.flags())?;
    context.block_on(async {
        match command {
            CollectionsCommand::List { json } => list(&app, json, context).await,
            CollectionsCommand::Show { name, json } => show(&app, &name, json, context).await,
            CollectionsCommand::Describe { name, text, .. } => describe(&app, &name, text, context).await,
            CollectionsCommand::Rename { from, to } => {
                app.rename_collection(&from, &to).await?;
                context.terminal.note(&format!("`{from}` is now `{to}`"));
                Ok(ExitStatus::Done)
            }
            CollectionsCommand::Reembed { name, json, .. } => reembed(&app, &name, json, context).await,
            CollectionsCommand::Drop { name, yes } => drop_collection(&app, &name, yes, context).await,
        }
    })
}

/// Sets a description; without `text`, the model writes it.
async fn describe(app: &App, name: &str, text: Option<String>, context: &Context) -> Result<ExitStatus, CliError> {
    let store = app.store_with(name).await?;
    let text = match text {
        Some(text) => one_line(&text),
        None => {
            let (text, usage, seconds) = app.description_by_model(name).await?;
            context.terminal.note(&format!("bill: {}", bill(&usage, seconds)));
            write_result(&format!("{text}\n"))?;
            text
        }
    };
    if text.is_empty() {
        return Err(CliError::usage("a description needs words"));
    }
    store.describe(name, &text, true).await?;
    Ok(ExitStatus::Done)
}

async fn list(app: &App, json: bool, context: &Context) -> Result<ExitStatus, CliError> {
    let collections = app.collections().await?;
    if json {
        write_json(&collections)?;
        return Ok(ExitStatus::Done);
    }
    if collections.is_empty() {
        context.terminal.note(&format!("no collections in {} yet", app.store_place()?.display()));
        context.terminal.note("load some documents: deepsearch load ./docs");
    }
    let mut text = String::new();
    for collection in &collections {
        let name = context.terminal.paint_result(Ink::Strong, &collection.name);
        text.push_str(&format!("{name}  {}\n", numbers(collection)));
        if !collection.description.is_empty() {
            text.push_str(&format!("  {}\n", short_line(&collection.description, 160)));
        }
    }
    write_result(&text)?;
    Ok(ExitStatus::Done)
}

fn numbers(collection: &Collection) -> String {
    let embedder = collection.embedder.as_ref().map_or("none", |identity| identity.name.as_str());
    format!(
        "{}, {}, {} of text, embedder {embedder}",
        counted(collection.documents, "document"),
        counted(collection.chunks, "passage"),
        size(collection.text_bytes)
    )
}

async fn show(app: &App, name: &str, json: bool, context: &Context) -> Result<ExitStatus, CliError> {
    let store = app.store_with(name).await?;
    let collection = store.collection(name).await?;
    let documents = store.documents(name).await?;
    let state_bytes = store.state_bytes(name).await?;
    let model = app.answer_model_of(name)?;
    if json {
        write_json(&json!({
            "collection": collection,
            "state_bytes": state_bytes,
            "answer_model": model,
            "documents": documents,
        }))?;
        return Ok(ExitStatus::Done);
    }
    let mut text = format!("{}\n", context.terminal.paint_result(Ink::Strong, &collection.name));
    if !collection.description.is_empty() {
        text.push_str(&format!("{}\n", one_line(&collection.description)));
    }
    text.push_str(&format!("{}\n", numbers(&collection)));
    if state_bytes > 0 {
        let each = state_bytes / collection.chunks.max(1);
        let model = model.map_or_else(|| "no answer model".to_owned(), |name| format!("answer model {name}"));
        text.push_str(&format!("{} of token states, {} a passage; {model}\n", size(state_bytes), size(each)));
    }
    for document in &documents {
        let date = document.date.map(|date| format!("  {}", date.date)).unwrap_or_default();
        let title = excerpt(&document.title, 80);
        text.push_str(&format!(
            "{}  {}  {}{date}  {}\n",
            document.id,
            document.path,
            document.format.name(),
            context.terminal.paint_result(Ink::Faint, &title)
        ));
    }
    write_result(&text)?;
    Ok(ExitStatus::Done)
}

async fn reembed(app: &App, name: &str, json: bool, context: &Context) -> Result<ExitStatus, CliError> {
    let token = interrupt::watch(&context.terminal, "stopping after the passages under way; Ctrl-C again stops now");
    let progress = ReembedProgress::new(&context.terminal)?;
    let outcome = app.reembed(name, &|event| progress.show(event), &token).await;
    progress.finish();
    let summary = outcome?;
    if json {
        write_json(&summary)?;
    } else {
        write_result(&format!("{}\n", told(&summary)))?;
    }
    if summary.interrupted {
        context.terminal.note("searches use the old vectors until it is done; run the same command again to go on");
        return Ok(ExitStatus::Interrupted);
    }
    Ok(ExitStatus::Done)
}

/// A one-line summary.
fn told(summary: &ReembedSummary) -> String {
    let name = |name: &Option<String>| name.clone().unwrap_or_else(|| "none".to_owned());
    let (from, to) = (name(&summary.from), name(&summary.to));
    if from == to && summary.documents == 0 {
        return format!("`{}` has the vectors of {to} already", summary.collection);
    }
    if summary.to.is_none() {
        return format!("`{}` is searched by words only: the vectors of {from} are gone", summary.collection);
    }
    let earlier = match summary.earlier {
        0 => String::new(),
        many => format!(", {many} before"),
    };
    format!(
        "`{}` from {from} to {to}: {}{earlier}, {} in {:.1} s",
        summary.collection,
        counted(summary.documents, "document"),
        counted(summary.chunks, "passage"),
        summary.seconds
    )
}

async fn drop_collection(app: &App, name: &str, yes: bool, context: &Context) -> Result<ExitStatus, CliError> {
    let collection = app.store_with(name).await?.collection(name).await?;
    if !yes {
        let question = format!("Drop `{name}` with {}?", counted(collection.documents, "document"));
        let message = format!("`{name}` was not dropped: nobody is there to confirm it");
        let unasked = CliError::usage(message).with_hint("add --yes");
        if !context.terminal.agreed(&question, "nothing was dropped", unasked)? {
            return Ok(ExitStatus::Done);
        }
    }
    let dropped = app.drop_collection(name).await?;
    if let Some(error) = dropped.unread {
        context.terminal.warn(&format!("the history of its documents does not say that they are gone: {error}"));
    }
    context.terminal.note(&format!("dropped `{name}`"));
    for known in dropped.forgotten {
        context.terminal.note(&format!("`deepsearch load` no longer refreshes {} in `{name}`", known.source));
    }
    Ok(ExitStatus::Done)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_re_embedding_is_told_on_one_line() {
        fn check(from: Option<&str>, to: Option<&str>, documents: u64, earlier: u64, expected: &str) {
            let summary = ReembedSummary {
                collection: "docs".to_owned(),
                from: from.map(str::to_owned),
                to: to.map(str::to_owned),
                documents,
                earlier,
                chunks: documents * 2,
                seconds: 1.25,
                interrupted: false,
            };
            assert_eq!(told(&summary), expected);
        }
        check(None, Some("minilm"), 2, 0, "`docs` from none to minilm: 2 documents, 4 passages in 1.2 s");
        check(Some("a"), Some("b"), 1, 3, "`docs` from a to b: 1 document, 3 before, 2 passages in 1.2 s");
        check(Some("a"), None, 0, 0, "`docs` is searched by words only: the vectors of a are gone");
        check(Some("a"), Some("a"), 0, 0, "`docs` has the vectors of a already");
    }
}
