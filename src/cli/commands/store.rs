use crate::app::{App, CopySummary, StoreCheck};
use crate::cli::args::{Backend, StoreCommand};
use crate::cli::context::Context;
use crate::cli::terminal::{counted, write_json, write_result};
use crate::cli::{CliError, ExitStatus, interrupt};

/// Copies and checks what is stored.
pub(super) fn run(command: &StoreCommand, context: &Context) -> Result<ExitStatus, CliError> {
    let app = context.app(Vec::new())?;
    context.block_on(async {
        match command {
            StoreCommand::Copy { from, to, collection, json } => {
                copy(&app, *from, *to, collection, *json, context).await
            }
            StoreCommand::Check { collection, json } => check(&app, collection, *json, context).await,
        }
    })
}

async fn copy(
    app: &App,
    from: Backend,
    to: Backend,
    collections: &[String],
    json: bool,
    context: &Context,
) -> Result<ExitStatus, CliError> {
    if from == to {
        return Err(CliError::usage("--from and --to name the same store"));
    }
    let token = interrupt::watch(&context.terminal, "stopping after the documents under way; Ctrl-C again stops now");
    let told =
        |name: &str, documents: u64| context.terminal.note(&format!("{name}: {}", counted(documents, "document")));
    let summary = app.copy_collections(from.into(), to.into(), collections, &told, &token).await?;
    if json {
        write_json(&summary)?;
    } else {
        write_result(&format!("{}\n", copied(&summary)))?;
    }
    if summary.interrupted {
        context.terminal.note("run the same command again to go on");
        return Ok(ExitStatus::Interrupted);
    }
    Ok(ExitStatus::Done)
}

fn copied(summary: &CopySummary) -> String {
    let there = match summary.unchanged {
        0 => String::new(),
        many => format!("; {} there already", counted(many, "document")),
    };
    format!(
        "copied and compared {} with {} in {}{there}",
        counted(summary.copied, "document"),
        counted(summary.chunks, "chunk"),
        counted(summary.collections, "collection")
    )
}

async fn check(app: &App, collections: &[String], json: bool, context: &Context) -> Result<ExitStatus, CliError> {
    let found: StoreCheck = app.check_store(collections, &|_, _| {}).await?;
    if json {
        write_json(&found)?;
    } else {
        let all = format!("{}, {}", counted(found.documents, "document"), counted(found.chunks, "chunk"));
        let wrong = if found.wrong == 0 { "all in order".to_owned() } else { counted(found.wrong, "thing") + " wrong" };
        let lines: String = found.findings.iter().map(|finding| format!("{finding}\n")).collect();
        write_result(&format!("{lines}{all}: {wrong}\n"))?;
    }
    if found.wrong == 0 {
        return Ok(ExitStatus::Done);
    }
    context.terminal.note("load the files again: what is not as it should be is written anew");
    Ok(ExitStatus::Failed)
}
