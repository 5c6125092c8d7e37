use std::io::Read;
use std::path::Path;

use crate::app::VerifyRequest;
use crate::cli::args::VerifyArgs;
use crate::cli::context::Context;
use crate::cli::terminal::{size, write_json, write_result};
use crate::cli::{CliError, ExitStatus};
use crate::domain::{BadPattern, PathPattern};
use crate::form::{Form, altered, is_document, text_of};
use crate::verify::shown;

/// The largest report that is read; larger than any real one.
const MAX_REPORT_BYTES: u64 = 64 * 1024 * 1024;

/// Checks a report against the documents as they are now.
pub(super) fn run(args: &VerifyArgs, context: &Context) -> Result<ExitStatus, CliError> {
    let without = args.without.iter().map(|path| {
        let pattern: PathPattern = path.parse().map_err(|error: BadPattern| CliError::usage(error.to_string()))?;
        Ok((path.clone(), pattern))
    });
    let without = without.collect::<Result<Vec<_>, CliError>>()?;
    let request = VerifyRequest { without, ..args.against.request(read_report(&args.report)?) };
    let app = context.app(Vec::new())?;
    let verification = context.block_on(async { Ok(app.verify(&request).await?) })?;
    if args.json {
        write_json(&verification)?;
    } else {
        write_result(&shown(&verification, &args.report.to_string_lossy()))?;
    }
    Ok(if verification.holds { ExitStatus::Done } else { ExitStatus::Unverified })
}

/// The text of a report.
pub(super) fn read_report(path: &Path) -> Result<String, CliError> {
    text_of(read_bytes(path)?).map_err(|error| cannot_read(path, &error.to_string()))
}

/// The text of a report that is to be overwritten, which only Markdown can be. `done` is the participle for messages,
/// such as "updated".
pub(super) fn read_markdown(path: &Path, done: &str) -> Result<String, CliError> {
    let bytes = read_bytes(path)?;
    if is_document(&bytes) || Form::of_file(path) == Ok(Form::Docx) {
        let message = format!("a document is not {done}, since what people did to it would be lost");
        let hint = "name the report in Markdown; deepsearch verify report.docx names what fails in the document";
        return Err(CliError::usage(message).with_hint(hint));
    }
    let report = text_of(bytes).map_err(|error| cannot_read(path, &error.to_string()))?;
    if report.trim_start().starts_with('{') {
        return Err(CliError::usage(format!("a report in JSON cannot be {done}")).with_hint("name the one in Markdown"));
    }
    if altered(&report).is_some() {
        let hint = "deepsearch export report.html -o report.md, and name that";
        let message = format!("a page cannot be {done}, since it says when it is altered");
        return Err(CliError::usage(message).with_hint(hint));
    }
    Ok(report)
}

fn cannot_read(path: &Path, reason: &str) -> CliError {
    CliError::usage(format!("cannot read the report {}: {reason}", path.display()))
}

fn read_bytes(path: &Path) -> Result<Vec<u8>, CliError> {
    let mut bytes = Vec::new();
    let read = if path == Path::new("-") {
        std::io::stdin().lock().take(MAX_REPORT_BYTES + 1).read_to_end(&mut bytes)
    } else {
        std::fs::File::open(path).and_then(|file| file.take(MAX_REPORT_BYTES + 1).read_to_end(&mut bytes))
    };
    read.map_err(|error| cannot_read(path, &error.to_string()))?;
    if bytes.len() as u64 > MAX_REPORT_BYTES {
        return Err(cannot_read(path, &format!("it is larger than {}", size(MAX_REPORT_BYTES))));
    }
    Ok(bytes)
}
