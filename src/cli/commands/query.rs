use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use crate::app::{App, ChosenModel, LoadRequest, ResearchRequest};
use crate::base::write_atomically;
use crate::cli::args::QueryArgs;
use crate::cli::context::Context;
use crate::cli::events::{RunDisplay, bill};
use crate::cli::terminal::{Ink, counted, size, write_json};
use crate::cli::{CliError, ExitStatus, interrupt};
use crate::domain::{Report, StopReason};

/// More than any question; a longer text is a document, and belongs into a collection.
const MAX_QUESTION_BYTES: usize = 16 * 1024;

/// Researches a question and writes a report.
pub(super) fn run(args: &QueryArgs, context: &Context) -> Result<ExitStatus, CliError> {
    let question = if args.question == "-" { read_question()? } else { args.question.clone() };
    let question = checked_question(&question)?;
    if let Some(path) = &args.output {
        check_output(path)?;
    }
    let app = context.app(args.flags())?;
    context.block_on(async {
        let token =
            interrupt::watch(&context.terminal, "writing the report from what was found; Ctrl-C again stops now");
        let chosen = app.model()?;
        say_backend(&chosen, context);
        let unreadable = load_first(&app, &args.load, context, &token).await?;
        let request = ResearchRequest {
            question,
            collections: args.collection.clone(),
            as_of: args.as_of,
            recency: args.recency.unwrap_or(0.0),
            unreadable,
        };
        let streams = !args.json && args.output.is_none();
        let display = Arc::new(RunDisplay::new(context.terminal.clone(), streams, token.clone()));
        let outcome = app.research(&request, &chosen, display.clone(), token).await;
        let (failure, tally) = display.finish();
        // A reader that has gone explains whatever went wrong after it.
        if let Some(failure) = failure {
            return Err(failure);
        }
        let report = outcome?;
        deliver(args, &report)?;
        let spent = bill(&report.usage, report.seconds);
        context.terminal.note(&format!("{}: {spent}", context.terminal.paint(Ink::Strong, "bill")));
        if chosen.model.reasons() {
            let calls = counted(tally.calls_one_at_a_time(), "call");
            context.terminal.note(&format!("  one call for each search and each passage would have made {calls}"));
        }
        Ok(status(&report, &request.unreadable))
    })
}

/// Loads what `--load` names; gives back what could not be read.
async fn load_first(
    app: &App,
    paths: &[String],
    context: &Context,
    token: &CancellationToken,
) -> Result<Vec<String>, CliError> {
    if paths.is_empty() {
        return Ok(Vec::new());
    }
    if paths.iter().any(|path| path == "-") {
        return Err(CliError::usage("--load takes files, folders and globs")
            .with_hint("load standard input first: deepsearch load - --collection NAME"));
    }
    let request = LoadRequest { paths: paths.to_vec(), ..LoadRequest::default() };
    let summary = super::load::load(app, &request, context, token.clone()).await?;
    context.terminal.note(&super::load::told(&summary));
    if summary.interrupted {
        let message = "interrupted before everything was loaded; the question was not asked";
        return Err(CliError::new(ExitStatus::Interrupted, message).with_hint("run it again to load the rest"));
    }
    Ok(summary.failed.into_iter().map(|failed| format!("{}: {}", failed.path, failed.reason)).collect())
}

fn say_backend(chosen: &ChosenModel, context: &Context) {
    if chosen.no_key_found {
        context.terminal.note(
            "no key is set: working offline, the report quotes the best passages and does not reason. For a language \
             model set a key, as in OPENAI_API_KEY, DEEPSEEK_API_KEY or SAMBANOVA_API_KEY, or run \
             `deepsearch config init` and choose a provider.",
        );
    } else if !chosen.model.reasons() {
        context.terminal.note("working offline: the report quotes the best passages and does not reason");
    }
}

fn deliver(args: &QueryArgs, report: &Report) -> Result<(), CliError> {
    let Some(path) = &args.output else {
        return if args.json { write_json(report) } else { Ok(()) };
    };
    let text = if args.json {
        let json = serde_json::to_string_pretty(report)
            .map_err(|error| CliError::new(ExitStatus::Failed, format!("cannot write the report as JSON: {error}")))?;
        json + "\n"
    } else {
        report.markdown.clone()
    };
    write_atomically(path, text.as_bytes()).map_err(|error| {
        CliError::new(ExitStatus::Failed, format!("cannot write the report to {}: {error}", path.display()))
    })
}

fn status(report: &Report, unreadable: &[String]) -> ExitStatus {
    match report.stopped {
        StopReason::Interrupted => ExitStatus::Interrupted,
        StopReason::Budget | StopReason::ModelFailed | StopReason::RoundLimit => ExitStatus::Partial,
        // Whatever such a report says, the documents do not.
        StopReason::Enough | StopReason::NoNewEvidence if report.citations.is_empty() => ExitStatus::NothingFound,
        StopReason::Enough | StopReason::NoNewEvidence if unreadable.is_empty() => ExitStatus::Done,
        StopReason::Enough | StopReason::NoNewEvidence => ExitStatus::Partial,
    }
}

/// Says before anything is paid for that the report could not be written.
fn check_output(path: &Path) -> Result<(), CliError> {
    let cannot = |reason: String| CliError::usage(format!("cannot write the report to {}: {reason}", path.display()));
    if path.is_dir() {
        return Err(cannot("it is a folder".to_owned()));
    }
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
        _ => PathBuf::from("."),
    };
    if folder.is_dir() { Ok(()) } else { Err(cannot(format!("there is no folder {}", folder.display()))) }
}

fn read_question() -> Result<String, CliError> {
    let mut bytes = Vec::new();
    std::io::stdin()
        .lock()
        .take(MAX_QUESTION_BYTES as u64 + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| CliError::new(ExitStatus::Failed, format!("cannot read the question: {error}")))?;
    if bytes.len() > MAX_QUESTION_BYTES {
        return Err(too_long());
    }
    String::from_utf8(bytes).map_err(|_| CliError::usage("the question is not valid UTF-8"))
}

fn too_long() -> CliError {
    CliError::usage(format!("the question is longer than {}", size(MAX_QUESTION_BYTES as u64)))
        .with_hint("load the long text as a document, and ask a question about it")
}

/// The question without the space around it.
pub(super) fn checked_question(question: &str) -> Result<String, CliError> {
    let question = question.trim();
    if question.len() > MAX_QUESTION_BYTES {
        return Err(too_long());
    }
    if !question.chars().any(char::is_alphanumeric) {
        return Err(CliError::usage("the question is empty")
            .with_hint("ask something, as in: deepsearch query \"What has changed?\""));
    }
    Ok(question.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_have_words_and_an_end() {
        let check = |text: &str, expected: Option<&str>| {
            assert_eq!(checked_question(text).ok().as_deref(), expected, "{:.20}", text);
        };
        check("  What? ", Some("What?"));
        check("何が変わった？", Some("何が変わった？"));
        check("", None);
        check(" \n?! ", None);
        check(&"x".repeat(MAX_QUESTION_BYTES), Some(&"x".repeat(MAX_QUESTION_BYTES)));
        check(&"x".repeat(MAX_QUESTION_BYTES + 1), None);
    }
}
