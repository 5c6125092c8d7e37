use std::path::Path;
use std::sync::Arc;

use super::verify::read_report;
use crate::app::App;
use crate::cli::args::ExportArgs;
use crate::cli::context::Context;
use crate::cli::delivery::{Delivery, file_of, open_template, unknown_form};
use crate::cli::terminal::write_bytes;
use crate::cli::{CliError, ExitStatus};
use crate::domain::NullSink;

/// Writes a report in another form.
pub(super) fn run(args: &ExportArgs, context: &Context) -> Result<ExitStatus, CliError> {
    let output = file_of(args.output.as_deref());
    let template = open_template(args.template.as_deref(), output)?;
    let delivery = Delivery {
        output,
        json: false,
        bibliography: args.bibliography.as_deref(),
        template: template.as_ref(),
        style: args.style,
    };
    let is_json = |path: &Path| path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("json"));
    if template.is_none() && output.is_some_and(is_json) {
        return Err(CliError::usage("a report that is exported is not written as JSON")
            .with_hint("`query` writes it as JSON, and `runs replay` that of an earlier run: -o report.json"));
    }
    delivery.check()?;
    let form = args.format.as_deref().map(str::parse).transpose().map_err(|error| unknown_form(&error))?;
    let app = context.app(Vec::new())?;
    context.block_on(async {
        let report = report(&app, &args.report, context).await?;
        match form {
            Some(form) => write_bytes(&app.render_report(&report, form, None, args.style, Path::new(".")).await?)?,
            None if args.output.is_some() || template.is_some() => delivery.deliver_form(&app, &report).await?,
            None => {}
        }
        delivery.deliver_bibliography(&app, &report).await?;
        Ok(ExitStatus::Done)
    })
}

/// The text of a report: from a file, or from a finished run, which is replayed.
async fn report(app: &App, named: &Path, context: &Context) -> Result<String, CliError> {
    let name = named.to_string_lossy();
    let is_file = name == "-" || named.exists() || named.extension().is_some() || name.contains(['/', '\\']);
    if is_file {
        return read_report(named);
    }
    let (report, same) = app.replay(&name, Arc::new(NullSink)).await?;
    if !same {
        context.terminal.warn("the report is worded otherwise than the one that was written: the program has changed");
    }
    Ok(report.markdown)
}
