use std::io::Read;
use std::path::Path;

use crate::app::VerifyRequest;
use crate::cli::args::VerifyArgs;
use crate::cli::context::Context;
use crate::cli::terminal::{size, write_json, write_result};
use crate::cli::{CliError, ExitStatus};
use crate::domain::{BadPattern, PathPattern};
use crate::form::text_of;
use crate::verify::shown;

/// More than any report.
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
    let cannot = |reason: String| CliError::usage(format!("cannot read the report {}: {reason}", path.display()));
    let mut bytes = Vec::new();
    let read = if path == Path::new("-") {
        std::io::stdin().lock().take(MAX_REPORT_BYTES + 1).read_to_end(&mut bytes)
    } else {
        std::fs::File::open(path).and_then(|file| file.take(MAX_REPORT_BYTES + 1).read_to_end(&mut bytes))
    };
    read.map_err(|error| cannot(error.to_string()))?;
    if bytes.len() as u64 > MAX_REPORT_BYTES {
        return Err(cannot(format!("it is larger than {}", size(MAX_REPORT_BYTES))));
    }
    text_of(bytes).map_err(|error| cannot(error.to_string()))
}
