use std::sync::Arc;
use std::time::Instant;

use super::verify::read_markdown;
use crate::app::{Addendum, App, Updated};
use crate::base::text::one_line;
use crate::cli::args::UpdateArgs;
use crate::cli::context::Context;
use crate::cli::delivery::{Delivery, file_of, open_template};
use crate::cli::events::{RunDisplay, say_bill};
use crate::cli::terminal::{counted, write_result};
use crate::cli::{CliError, ExitStatus, interrupt};
use crate::verify::Change;

/// Updates a report. The file is written once, at the end: an update that is killed changes nothing.
pub(super) fn run(args: &UpdateArgs, context: &Context) -> Result<ExitStatus, CliError> {
    if args.report.as_os_str() == "-" {
        return Err(CliError::usage("update needs a file, since it writes the new report in place of the old one"));
    }
    let report = read_markdown(&args.report, "updated")?;
    let output = file_of(Some(args.output.as_deref().unwrap_or(&args.report)));
    let template = open_template(args.template.as_deref(), output)?;
    let delivery = Delivery { template: template.as_ref(), ..Delivery::new(output, false) };
    if !args.dry_run {
        delivery.check()?;
    }
    let app = context.app(Vec::new())?;
    context.block_on(updated(args, &app, report, delivery, context))
}

async fn updated(
    args: &UpdateArgs,
    app: &App,
    report: String,
    delivery: Delivery<'_>,
    context: &Context,
) -> Result<ExitStatus, CliError> {
    let started = Instant::now();
    let request = args.against.request(report);
    let chosen = app.model()?;
    let Updated { update, verification, usage, warnings } = app.update(&request, &chosen).await?;
    let changes: String = update.changes.iter().map(told).collect();
    // If the report goes to standard output, the changes go to standard error.
    if args.dry_run || delivery.output.is_some() {
        write_result(&changes)?;
    } else if !changes.is_empty() {
        context.terminal.note(changes.trim_end());
    }
    for warning in warnings {
        context.terminal.warn(&warning);
    }
    let moved = match update.moved {
        0 => String::new(),
        moved => format!("; {} found again elsewhere", counted(moved as u64, "citation")),
    };
    context.terminal.note(&format!("{} changed{moved}", counted(update.changes.len() as u64, "sentence")));
    let (mut markdown, mut spent) = (update.markdown, usage);
    if args.new {
        let token = interrupt::watch(&context.terminal, "stopping; Ctrl-C again stops now");
        let display = Arc::new(RunDisplay::new(context.terminal.clone(), false, token.clone()));
        let sink = Arc::clone(&display);
        let added = app.addendum(&markdown, &request.collections, &chosen, sink, token).await;
        display.finish();
        let note = match added? {
            Addendum::NothingNew => "nothing was loaded since the report was written".to_owned(),
            Addendum::NothingFound { documents } => {
                format!("{} loaded since say nothing to the question", counted(documents as u64, "document"))
            }
            Addendum::Found { markdown: whole, documents, usage } => {
                spent += usage;
                markdown = whole;
                format!("a section on {} loaded since was added", counted(documents as u64, "document"))
            }
            Addendum::Interrupted => {
                return Err(CliError::new(ExitStatus::Interrupted, "interrupted; the report stays as it was"));
            }
        };
        context.terminal.note(&note);
    }
    if chosen.model.reasons() && spent.calls > 0 {
        say_bill(&context.terminal, "bill", &spent, started.elapsed().as_secs_f64());
    }
    if !args.dry_run && (args.output.is_some() || markdown != request.report) {
        delivery.deliver_form(app, &markdown).await?;
    }
    let wrong = verification.sentences.iter().filter(|one| !one.is_sound() && !one.rests_on_changed()).count();
    if wrong > 0 {
        let (sentences, fail) = (counted(wrong as u64, "sentence"), if wrong == 1 { "fails" } else { "fail" });
        context.terminal.note(&format!("{sentences} {fail} for other reasons: `deepsearch verify` names them"));
        return Ok(ExitStatus::Unverified);
    }
    Ok(ExitStatus::Done)
}

fn told(change: &Change) -> String {
    let new = match &change.new {
        Some(new) => format!("  new: {}", one_line(new)),
        None => "  struck: nothing says it any more".to_owned(),
    };
    format!("line {} ({})\n  old: {}\n{new}\n", change.line, change.source, one_line(&change.old))
}
