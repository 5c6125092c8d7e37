use super::query::Delivery;
use super::verify::read_report;
use crate::base::text::one_line;
use crate::cli::args::UpdateArgs;
use crate::cli::context::Context;
use crate::cli::terminal::{counted, write_result};
use crate::cli::{CliError, ExitStatus};
use crate::verify::Change;

/// Brings a report up to date.
pub(super) fn run(args: &UpdateArgs, context: &Context) -> Result<ExitStatus, CliError> {
    if args.report.as_os_str() == "-" {
        return Err(CliError::usage("update needs a file, since it writes the new report in place of the old one"));
    }
    let report = read_report(&args.report)?;
    if report.trim_start().starts_with('{') {
        return Err(CliError::usage("a report in JSON cannot be updated").with_hint("update the one in Markdown"));
    }
    let delivery = Delivery { output: Some(args.output.as_deref().unwrap_or(&args.report)), json: false };
    if !args.dry_run {
        delivery.check()?;
    }
    let request = args.against.request(report);
    let app = context.app(Vec::new())?;
    let (update, verification) = context.block_on(async { Ok(app.update(&request).await?) })?;
    write_result(&update.changes.iter().map(told).collect::<String>())?;
    let moved = match update.moved {
        0 => String::new(),
        moved => format!("; {} found again elsewhere", counted(moved as u64, "citation")),
    };
    context.terminal.note(&format!("{} changed{moved}", counted(update.changes.len() as u64, "sentence")));
    if !args.dry_run && (args.output.is_some() || update.markdown != request.report) {
        delivery.deliver(&verification, &update.markdown, false)?;
    }
    let wrong = verification.sentences.iter().filter(|one| !one.is_sound() && !one.rests_on_changed()).count();
    if wrong > 0 {
        let sentences = counted(wrong as u64, "sentence");
        context.terminal.note(&format!("{sentences} fail for other reasons: `deepsearch verify` names them"));
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
