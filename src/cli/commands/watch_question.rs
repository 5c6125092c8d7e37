//! `watch-question`: checks once whether there is news on a question.

use std::sync::Arc;

use serde::Serialize;
use tokio_util::sync::CancellationToken;

use super::query::{backend, question_of, resumable, status};
use crate::agent::AgentError;
use crate::app::{
    AnswerChanges, App, AppError, ChangedDocuments, ChosenModel, ResearchRequest, WatchDecision, with_changes,
};
use crate::base::minute_of;
use crate::cli::args::WatchQuestionArgs;
use crate::cli::context::Context;
use crate::cli::delivery::Delivery;
use crate::cli::events::{RunDisplay, say_bill};
use crate::cli::terminal::{counted, write_json};
use crate::cli::{CliError, ExitStatus, interrupt};
use crate::domain::{Report, StopReason};

/// The most documents that are named; the rest are only counted.
const NAMED: usize = 5;

/// The JSON output.
#[derive(Serialize)]
struct WatchOutput<'a> {
    news: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    changes: Option<&'a AnswerChanges>,
    #[serde(skip_serializing_if = "Option::is_none")]
    report: Option<&'a Report>,
}

/// Asks a question again if newly loaded documents bear on its answer, and reports if the answer has changed.
pub(super) fn run(args: &WatchQuestionArgs, context: &Context) -> Result<ExitStatus, CliError> {
    let request = ResearchRequest {
        question: question_of(&args.question)?,
        collections: args.collection.clone(),
        filter: args.filter.filter()?,
        ..ResearchRequest::default()
    };
    let delivery = Delivery::new(args.output.as_deref(), args.json);
    delivery.check()?;
    let app = context.app(Vec::new())?;
    context.block_on(watched(args, &app, &request, delivery, context))
}

async fn watched(
    args: &WatchQuestionArgs,
    app: &App,
    request: &ResearchRequest,
    delivery: Delivery<'_>,
    context: &Context,
) -> Result<ExitStatus, CliError> {
    let token = interrupt::watch(&context.terminal, "stopping; Ctrl-C again stops now");
    let chosen = app.model()?;
    app.check_limits(&chosen)?;
    let look = tokio::select! {
        biased;
        () = token.cancelled() => return Err(AppError::Agent(AgentError::Interrupted).into()),
        look = app.decide_rerun(request, args.every, &chosen) => look?,
    };
    let earlier = match look {
        WatchDecision::First { unusable } => {
            if let Some(why) = unusable {
                context.terminal.warn(&why);
            }
            None
        }
        WatchDecision::TooSoon { asked, again } => {
            return no_news(&format!("it was answered on {asked}; looked at again from {again} on"), delivery, context);
        }
        WatchDecision::Same { run, since, documents } => {
            let since = minute_of(since);
            let told = match told(&documents) {
                Some(changed) => format!("{changed} since {since}, and the answer of {run} stands"),
                None => format!("nothing was loaded since {since}, and the answer of {run} stands"),
            };
            return no_news(&told, delivery, context);
        }
        WatchDecision::Ask(earlier) => {
            context.terminal.note(&format!("{}; asking again", told(earlier.documents()).unwrap_or_default()));
            Some(earlier)
        }
    };
    let report = asked(app, request, &chosen, context, token).await?;
    let ended = status(&report, false);
    let Some(earlier) = earlier else {
        deliver(app, &report, None, delivery).await?;
        return Ok(ended);
    };
    let Some(changes) = app.compare_answers(&earlier, &report, &request.collections).await? else {
        return no_news("asked again, and the answer is the same", delivery, context);
    };
    deliver(app, &report, Some(&changes), delivery).await?;
    // That the documents no longer answer the question is the news.
    Ok(if ended == ExitStatus::NothingFound { ExitStatus::Done } else { ended })
}

/// Runs the question; the report is held back until it is known whether it is news.
async fn asked(
    app: &App,
    request: &ResearchRequest,
    chosen: &ChosenModel,
    context: &Context,
    token: CancellationToken,
) -> Result<Report, CliError> {
    let display = RunDisplay::new(context.terminal.clone(), false, token.clone());
    let display = Arc::new(display.opening(backend(chosen)));
    let sink = Arc::clone(&display);
    let report = app.research(request, chosen, sink, token).await;
    display.finish();
    let report = report.map_err(|error| resumable(error.into(), &display))?;
    say_bill(&context.terminal, "bill", &report.usage, report.seconds);
    let message = match report.stopped {
        StopReason::Interrupted => "interrupted before it was known whether there is news",
        StopReason::ModelFailed => "the model failed before it was known whether there is news",
        _ => return Ok(report),
    };
    let status = status(&report, false);
    Err(resumable(CliError::new(status, message).with_hint("the same command asks again"), &display))
}

async fn deliver(
    app: &App,
    report: &Report,
    changes: Option<&AnswerChanges>,
    delivery: Delivery<'_>,
) -> Result<(), CliError> {
    let markdown = changes.map_or_else(|| report.markdown.clone(), |changes| with_changes(&report.markdown, changes));
    if delivery.json {
        let report = Report { markdown, ..report.clone() };
        return delivery.deliver(&WatchOutput { news: true, changes, report: Some(&report) }, "", false);
    }
    delivery.deliver_form(app, &markdown).await
}

fn no_news(why: &str, delivery: Delivery<'_>, context: &Context) -> Result<ExitStatus, CliError> {
    context.terminal.note(&format!("no news: {why}"));
    if delivery.json && delivery.output.is_none() {
        write_json(&WatchOutput { news: false, changes: None, report: None })?;
    }
    Ok(ExitStatus::NoNews)
}

/// Describes the loaded documents; `None` if there are none.
fn told(documents: &ChangedDocuments) -> Option<String> {
    let one = |paths: &[String], what: &str| {
        if paths.is_empty() {
            return None;
        }
        let mut names = paths.iter().take(NAMED).cloned().collect::<Vec<_>>().join(", ");
        if paths.len() > NAMED {
            names.push_str(", …");
        }
        Some(format!("{} {what} ({names})", counted(paths.len() as u64, "document")))
    };
    let parts: Vec<String> =
        [one(&documents.loaded, "loaded"), one(&documents.gone, "gone")].into_iter().flatten().collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}
