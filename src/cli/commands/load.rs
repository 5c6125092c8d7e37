use std::io::Read;

use tokio_util::sync::CancellationToken;

use crate::app::{App, ChangeKind, DocumentChange, LeftOut, LoadRequest, LoadSummary, is_url};
use crate::cli::args::LoadArgs;
use crate::cli::context::Context;
use crate::cli::progress::LoadProgress;
use crate::cli::terminal::{Ink, Verbosity, counted, size, write_json, write_result};
use crate::cli::{CliError, ExitStatus, interrupt};

/// The most that is taken from standard input.
const MAX_STDIN_BYTES: u64 = 256 << 20;

/// Loads files into collections.
pub(super) fn run(args: &LoadArgs, context: &Context) -> Result<ExitStatus, CliError> {
    args.web.check(args.paths.iter().any(|path| is_url(path)))?;
    let app = context.app(args.flags())?;
    let stdin = args.paths.iter().any(|path| path == "-").then(read_stdin).transpose()?;
    if args.watch && (stdin.is_some() || args.paths.iter().any(|path| is_url(path))) {
        return Err(CliError::usage("--watch follows files: neither `-` nor a web page is one"));
    }
    let request = LoadRequest {
        paths: args.paths.clone(),
        web: args.web.links(),
        stdin,
        collection: args.collection.clone(),
        collection_per_dir: args.collection_per_dir,
        description: args.description.clone(),
        prune: args.prune || args.watch,
    };
    context.block_on(async {
        let token = interrupt::watch(&context.terminal, "stopping after the files under way; Ctrl-C again stops now");
        if args.watch {
            return watch(&app, &request, args.json, context, token).await;
        }
        let summary = load(&app, &request, context, token).await?;
        show(&summary, args.json, context)?;
        Ok(status(&summary))
    })
}

fn show(summary: &LoadSummary, json: bool, context: &Context) -> Result<(), CliError> {
    if json {
        return write_json(summary);
    }
    let mut text = format!("{}\n", told(summary));
    if context.terminal.verbosity >= Verbosity::Verbose {
        summary.changes.iter().for_each(|change| text.push_str(&line(change)));
    }
    write_result(&text)
}

/// What became of one document.
fn line(change: &DocumentChange) -> String {
    let what = match change.change {
        ChangeKind::New => "new",
        ChangeKind::Changed => "changed",
        ChangeKind::Reloaded => "reloaded",
        ChangeKind::Moved => "moved",
        ChangeKind::Removed => "removed",
    };
    let from = change.from.as_ref().map(|from| format!(" (from {from})")).unwrap_or_default();
    format!("  {what:<8}  {}  {}{from}\n", change.collection, change.path)
}

/// Loads, and loads again whenever something has changed, until Ctrl-C: then a load under way ends as any other does,
/// and one that is not is no failure.
async fn watch(
    app: &App,
    request: &LoadRequest,
    json: bool,
    context: &Context,
    token: CancellationToken,
) -> Result<ExitStatus, CliError> {
    // Before the first load, so that nothing that changes meanwhile is missed.
    let mut followed = app.follow(&request.paths).await?;
    if let Some(reason) = &followed.polling {
        context.terminal.warn(&format!("the system does not tell of changes ({reason}); looking every 2 seconds"));
    }
    let mut first = true;
    loop {
        // A place that is gone by now may come back; the first time it is a mistake.
        match load(app, request, context, token.clone()).await {
            Ok(summary) => {
                if first || !summary.changes.is_empty() || summary.interrupted {
                    show(&summary, json, context)?;
                }
                if summary.interrupted {
                    return Ok(ExitStatus::Interrupted);
                }
            }
            Err(error) if first => return Err(error),
            Err(error) => context.terminal.warn(&error.message),
        }
        if first {
            context.terminal.note("watching for changes; Ctrl-C ends it");
        }
        first = false;
        tokio::select! {
            biased;
            () = token.cancelled() => return Ok(ExitStatus::Done),
            changed = followed.changed(app.watch_wait()) => if changed.is_none() {
                return Err(CliError::new(ExitStatus::Failed, "the system no longer tells of changes"));
            },
        }
    }
}

/// Loads with a progress bar, and names the files that could not be read. `query --load` does the same.
pub(super) async fn load(
    app: &App,
    request: &LoadRequest,
    context: &Context,
    token: CancellationToken,
) -> Result<LoadSummary, CliError> {
    let progress = LoadProgress::new(&context.terminal)?;
    let outcome = app.load(request, &|event| progress.show(&event, &context.terminal), token).await;
    progress.finish();
    let summary = outcome?;
    for failed in &summary.failed {
        let mark = context.terminal.paint(Ink::Warning, "not loaded:");
        context.terminal.note(&format!("{mark} {}: {}", failed.path, failed.reason));
    }
    Ok(summary)
}

fn status(summary: &LoadSummary) -> ExitStatus {
    if summary.interrupted {
        ExitStatus::Interrupted
    } else if !summary.failed.is_empty() {
        ExitStatus::Partial
    } else {
        ExitStatus::Done
    }
}

/// The summary on one line.
pub(super) fn told(summary: &LoadSummary) -> String {
    let mut parts = vec![
        format!("{} new", summary.new),
        format!("{} changed", summary.changed),
        format!("{} unchanged", summary.unchanged),
    ];
    if summary.moved > 0 {
        parts.insert(2, format!("{} moved", summary.moved));
    }
    if summary.reloaded > 0 {
        parts.insert(2, format!("{} reloaded (cut by other settings)", summary.reloaded));
    }
    if summary.removed > 0 {
        parts.push(format!("{} removed", summary.removed));
    }
    if summary.skipped > 0 {
        parts.push(format!("{} skipped", summary.skipped));
    }
    if !summary.failed.is_empty() {
        parts.push(format!("{} not readable", summary.failed.len()));
    }
    parts.extend(left_out(summary));
    let into = match summary.collections.as_slice() {
        [] => String::new(),
        names => format!(" in {}", names.join(", ")),
    };
    let rate = match summary.seconds {
        seconds if seconds > 0.0 && summary.bytes > 0 => {
            format!(" ({}/s)", size((summary.bytes as f64 / seconds) as u64))
        }
        _ => String::new(),
    };
    format!(
        "{}{into}: {}; {} stored from {} in {:.1} s{rate}",
        counted(summary.files, "file"),
        parts.join(", "),
        counted(summary.chunks, "passage"),
        size(summary.bytes),
        summary.seconds
    )
}

/// Web pages that are not stored, with the reasons.
fn left_out(summary: &LoadSummary) -> Option<String> {
    let reason = |why: LeftOut| match why {
        LeftOut::Duplicate => "twice",
        LeftOut::Robots => "forbidden by robots.txt",
        LeftOut::NoIndex => "not to be kept",
        LeftOut::NotFound => "not found",
        LeftOut::NoText => "without text",
        LeftOut::Trap => "endless",
        LeftOut::OutOfScope => "elsewhere",
        LeftOut::Closed => "on hosts left alone",
        LeftOut::Limit => "beyond the limit",
    };
    let reasons: Vec<String> =
        summary.left_out.iter().map(|(why, count)| format!("{count} {}", reason(*why))).collect();
    (!reasons.is_empty()).then(|| format!("pages left out: {}", reasons.join(", ")))
}

fn read_stdin() -> Result<Vec<u8>, CliError> {
    let mut bytes = Vec::new();
    std::io::stdin()
        .lock()
        .take(MAX_STDIN_BYTES + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| CliError::new(ExitStatus::Failed, format!("cannot read standard input: {error}")))?;
    if bytes.len() as u64 > MAX_STDIN_BYTES {
        let message = format!("standard input is larger than {}", size(MAX_STDIN_BYTES));
        return Err(CliError::new(ExitStatus::Failed, message).with_hint("save it to files and load those"));
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::FailedFile;

    #[test]
    fn a_summary_is_one_line() {
        let failed = vec![FailedFile { path: "x".to_owned(), reason: "binary".to_owned() }];
        let summary = LoadSummary {
            collections: vec!["docs".to_owned()],
            files: 4,
            new: 2,
            changed: 1,
            failed,
            chunks: 30,
            bytes: 2_000_000,
            seconds: 0.5,
            ..LoadSummary::default()
        };
        let expected = "4 files in docs: 2 new, 1 changed, 0 unchanged, 1 not readable; 30 passages stored from 2.0 MB \
                        in 0.5 s (4.0 MB/s)";
        assert_eq!(told(&summary), expected);
        assert_eq!(status(&summary), ExitStatus::Partial);
        assert_eq!(status(&LoadSummary::default()), ExitStatus::Done);
    }
}
