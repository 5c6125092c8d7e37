//! `load`: loads files and pages, with a progress bar. The loading itself is in `crate::ingest`.

use std::io::Read;

use tokio_util::sync::CancellationToken;

use crate::app::{App, ChangeKind, DocumentChange, FailedFile, LeftOut, LoadRequest, LoadSummary};
use crate::base::is_url;
use crate::base::text::thousands;
use crate::cli::args::LoadArgs;
use crate::cli::context::Context;
use crate::cli::progress::LoadProgress;
use crate::cli::terminal::{Ink, Verbosity, counted, size, write_json, write_result};
use crate::cli::{CliError, ExitStatus, interrupt};

/// The most bytes read from standard input.
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
    if args.web.choose_links() && app.config().crawl.depth == 0 {
        context.terminal.warn("no links are followed, since crawl.depth is 0: add --depth 1, or more");
    }
    context.block_on(async {
        let token = interrupt::watch(&context.terminal, "stopping after the files under way; Ctrl-C again stops now");
        if args.watch {
            return watch(&app, &request, args.json, context, token).await;
        }
        let summary = load(&app, &request, context, token).await?;
        show(&summary, args.json, context)?;
        if summary.interrupted {
            context.terminal.note(&left(&summary));
        }
        Ok(status(&summary))
    })
}

/// Says how much an interrupted load has left undone, as far as is known.
fn left(summary: &LoadSummary) -> String {
    let left = match summary.files.saturating_sub(summary.looked_at()) {
        0 => String::new(),
        left => format!("{} left; ", counted(left, "file")),
    };
    format!("stopped: {left}run the same command again to load the rest")
}

fn show(summary: &LoadSummary, json: bool, context: &Context) -> Result<(), CliError> {
    if json {
        return write_json(summary);
    }
    let mut text = format!("{}\n", told(summary));
    if context.terminal.verbosity >= Verbosity::Verbose {
        summary.changes.iter().for_each(|change| text.push_str(&line(change)));
        let left_out = summary.empty.iter().map(|path| ("empty", path));
        let left_out = left_out.chain(summary.skipped_files.iter().map(|path| ("skipped", path)));
        left_out.for_each(|(what, path)| text.push_str(&format!("  {what:<8}  {path}\n")));
    }
    write_result(&text)
}

/// One line on a changed document.
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

/// Loads, and loads again after every change until Ctrl-C. A load that is interrupted ends like any other; Ctrl-C
/// between loads is not a failure.
async fn watch(
    app: &App,
    request: &LoadRequest,
    json: bool,
    context: &Context,
    token: CancellationToken,
) -> Result<ExitStatus, CliError> {
    // Watching begins before the first load, so that no change in the meantime is missed.
    let mut followed = app.follow(&request.paths).await?;
    if let Some(reason) = &followed.polling {
        context.terminal.warn(&format!("the system does not tell of changes ({reason}); looking every 2 seconds"));
    }
    let mut first = true;
    let mut known: Vec<FailedFile> = Vec::new();
    loop {
        // A path that has disappeared may come back; if it is missing at the first load, that is an error.
        match load_unnamed(app, request, context, token.clone()).await {
            Ok(summary) => {
                name_failed(summary.failed.iter().filter(|failed| !known.contains(*failed)), context);
                known.clone_from(&summary.failed);
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

/// Loads with a progress bar, and names the unreadable files. `query --load` does the same.
pub(super) async fn load(
    app: &App,
    request: &LoadRequest,
    context: &Context,
    token: CancellationToken,
) -> Result<LoadSummary, CliError> {
    let summary = load_unnamed(app, request, context, token).await?;
    name_failed(summary.failed.iter(), context);
    Ok(summary)
}

async fn load_unnamed(
    app: &App,
    request: &LoadRequest,
    context: &Context,
    token: CancellationToken,
) -> Result<LoadSummary, CliError> {
    let progress = LoadProgress::new(&context.terminal)?;
    let outcome = app.load(request, &|event| progress.show(&event, &context.terminal), token).await;
    progress.finish();
    Ok(outcome?)
}

fn name_failed<'f>(failed: impl Iterator<Item = &'f FailedFile>, context: &Context) {
    for FailedFile { path, reason } in failed {
        let mark = context.terminal.paint(Ink::Warning, "not loaded:");
        context.terminal.note(&format!("{mark} {path}: {reason}"));
    }
}

fn status(summary: &LoadSummary) -> ExitStatus {
    if summary.interrupted {
        ExitStatus::Interrupted
    } else if !summary.failed.is_empty() || summary.out_of_time {
        ExitStatus::Partial
    } else {
        ExitStatus::Done
    }
}

/// A one-line summary.
pub(super) fn told(summary: &LoadSummary) -> String {
    let count = |count: u64, what: &str| format!("{} {what}", thousands(count));
    let some = |many: u64, what: &str| (many > 0).then(|| count(many, what));
    let mut parts = vec![count(summary.new, "new"), count(summary.changed, "changed")];
    parts.extend(some(summary.moved, "moved"));
    parts.extend(some(summary.reloaded, "reloaded (other settings, another library, or damaged)"));
    parts.push(count(summary.unchanged, "unchanged"));
    parts.extend(some(summary.removed, "removed"));
    parts.extend(some(summary.gone, "gone but still searched (--prune removes them)"));
    parts.extend(some(summary.empty.len() as u64, "empty"));
    parts.extend(some(summary.skipped, "skipped"));
    parts.extend(some(summary.failed.len() as u64, "not readable"));
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
        found(summary),
        parts.join(", "),
        counted(summary.chunks, "passage"),
        size(summary.bytes),
        summary.seconds
    )
}

/// The number of files, pages, or both.
fn found(summary: &LoadSummary) -> String {
    match (summary.files - summary.pages, summary.pages) {
        (files, 0) => counted(files, "file"),
        (0, pages) => counted(pages, "page"),
        (files, pages) => format!("{} and {}", counted(files, "file"), counted(pages, "page")),
    }
}

/// The number of web pages that were not stored, by reason.
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
    // Not treated as an empty file: the output that a failed program did not write would replace the document of an
    // earlier load.
    if bytes.trim_ascii().is_empty() {
        return Err(CliError::new(ExitStatus::Failed, "there is nothing on standard input")
            .with_hint("the program before the pipe may have failed; what was loaded before is kept"));
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_summary_is_one_line() {
        let failed = vec![FailedFile { path: "x".to_owned(), reason: "binary".to_owned() }];
        let summary = LoadSummary {
            collections: vec!["docs".to_owned()],
            files: 4,
            new: 2,
            changed: 1,
            empty: vec!["y".to_owned()],
            failed,
            chunks: 30,
            bytes: 2_000_000,
            seconds: 0.5,
            ..LoadSummary::default()
        };
        let expected = "4 files in docs: 2 new, 1 changed, 0 unchanged, 1 empty, 1 not readable; 30 passages stored from 2.0 MB \
                        in 0.5 s (4.0 MB/s)";
        assert_eq!(told(&summary), expected);
        assert_eq!(status(&summary), ExitStatus::Partial);
        assert_eq!(status(&LoadSummary::default()), ExitStatus::Done);
        let empty = LoadSummary { files: 1, empty: vec!["y".to_owned()], ..LoadSummary::default() };
        assert_eq!(status(&empty), ExitStatus::Done);
        let cut_off = LoadSummary { files: 3, pages: 2, out_of_time: true, ..LoadSummary::default() };
        assert_eq!(status(&cut_off), ExitStatus::Partial);
        assert!(told(&cut_off).starts_with("1 file and 2 pages: 0 new"), "{}", told(&cut_off));
    }
}
