//! `query`: researches a question. Also how any command delivers a report: its form, its file, its bibliography.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use super::plan_review::BILL_OF_PLAN;
use super::steering::interactive;
use crate::app::{App, ChosenModel, LoadRequest, ResearchRequest};
use crate::base::write_atomically;
use crate::cli::args::{Length, QueryArgs};
use crate::cli::context::Context;
use crate::cli::events::{RunDisplay, say_bill};
use crate::cli::terminal::{Ink, counted, size, write_bytes, write_json, write_text};
use crate::cli::{CliError, ExitStatus, interrupt};
use crate::domain::{Outline, Report, StopReason};
use crate::form::{Bibliography, Form, Style, Template, UnknownForm};

/// More than any question; a longer text is a document, and belongs into a collection.
const MAX_QUESTION_BYTES: usize = 16 * 1024;

/// More headings than any report.
const MAX_HEADINGS: usize = 60;

/// Researches a question and writes a report.
pub(super) fn run(args: &QueryArgs, context: &Context) -> Result<ExitStatus, CliError> {
    let output = file_of(args.output.as_deref());
    let template = open_template(args.template.as_deref(), output)?;
    let delivery = Delivery {
        bibliography: args.bibliography.as_deref(),
        template: template.as_ref(),
        style: args.style,
        ..Delivery::new(output, args.json)
    };
    if let Some(name) = &args.resume {
        delivery.check()?;
        let app = context.app(args.flags())?;
        return context.block_on(report_on(&app, context, delivery, async |chosen, display, token| {
            Ok((app.resume(name, chosen, display, token).await?, false))
        }));
    }
    let Some(question) = &args.question else {
        return Err(CliError::usage("query needs a question, or --resume RUN"));
    };
    let question = question_of(question)?;
    let filter = args.filter.filter()?;
    let outline = args.outline.as_deref().map(read_outline).transpose()?.unwrap_or_default();
    delivery.check()?;
    let app = context.app(args.flags())?;
    let request = ResearchRequest {
        question,
        collections: args.collection.clone(),
        filter,
        as_of: args.as_of,
        recency: args.recency.unwrap_or(0.0),
        length: args.length.and_then(|Length(words)| words),
        outline,
        ..ResearchRequest::default()
    };
    if args.dry_run {
        return context.block_on(dry_run(args, &app, request, context, delivery));
    }
    context.block_on(report_on(&app, context, delivery, async |chosen, display, token| {
        let unreadable = load_first(&app, &args.load, context, &token).await?;
        let mut request = ResearchRequest { unreadable, ..request };
        if args.interactive {
            request = interactive(&app, request, chosen, &display, context, &token).await?;
        }
        let report = app.research(&request, chosen, display, token).await?;
        Ok((report, !request.unreadable.is_empty()))
    }))
}

/// Shows a run on the terminal and delivers its report. `research` says beside the report whether some of what was to be
/// searched could not be read.
pub(super) async fn report_on(
    app: &App,
    context: &Context,
    delivery: Delivery<'_>,
    research: impl AsyncFnOnce(&ChosenModel, Arc<RunDisplay>, CancellationToken) -> Result<(Report, bool), CliError>,
) -> Result<ExitStatus, CliError> {
    let token = interrupt::watch(&context.terminal, "writing the report from what was found; Ctrl-C again stops now");
    let chosen = app.model()?;
    app.check_limits(&chosen)?;
    let display = RunDisplay::new(context.terminal.clone(), delivery.streams(), token.clone());
    let display = Arc::new(display.opening(backend(&chosen)));
    let outcome = research(&chosen, Arc::clone(&display), token).await;
    let (failure, tally) = display.finish();
    // A reader that has gone explains whatever went wrong after it.
    if let Some(failure) = failure {
        return Err(failure);
    }
    let (report, unreadable) = outcome.map_err(|error| resumable(error, &display))?;
    delivery.deliver_report(app, &report).await?;
    say_skipped(&report, context);
    say_bill(&context.terminal, "bill", &report.usage, report.seconds);
    if chosen.model.reasons() {
        let calls = counted(tally.calls_one_at_a_time(), "call");
        context.terminal.note(&format!("  one call for each search and each passage would have made {calls}"));
    }
    if let (StopReason::Interrupted | StopReason::ModelFailed, Some(run)) = (report.stopped, display.run()) {
        context.terminal.note(&format!("go on with the search: deepsearch query --resume {run}"));
    }
    let status = status(&report, unreadable);
    if status == ExitStatus::NothingFound {
        context.terminal.note("the documents do not answer the question");
        context.terminal.note("ask in their words, or load more of them: deepsearch load ./docs");
    }
    Ok(status)
}

/// A failure of a run that is kept, with how to go on.
pub(super) fn resumable(error: CliError, display: &RunDisplay) -> CliError {
    match (error.status, display.run()) {
        (ExitStatus::Failed | ExitStatus::Interrupted, Some(run)) => {
            let more = format!("what was done is kept: deepsearch query --resume {run}");
            let hint = error.hint.as_ref().map_or(more.clone(), |hint| format!("{hint}; {more}"));
            error.with_hint(hint)
        }
        _ => error,
    }
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

/// What there is to say of what answers; nothing of a language model.
pub(super) fn backend(chosen: &ChosenModel) -> Option<&'static str> {
    if chosen.no_key_found {
        return Some(
            "no key is set: working offline, the report quotes the best passages and does not reason. For a language \
             model set a key, as in OPENAI_API_KEY, DEEPSEEK_API_KEY or SAMBANOVA_API_KEY, or run \
             `deepsearch config init` and choose a provider.",
        );
    }
    (!chosen.model.reasons()).then_some("working offline: the report quotes the best passages and does not reason")
}

/// Makes the plan, shows it with what the run would cost, and stops.
async fn dry_run(
    args: &QueryArgs,
    app: &App,
    request: ResearchRequest,
    context: &Context,
    delivery: Delivery<'_>,
) -> Result<ExitStatus, CliError> {
    let token = interrupt::watch(&context.terminal, "stopping; Ctrl-C again stops now");
    let chosen = app.model()?;
    app.check_limits(&chosen)?;
    let unreadable = load_first(app, &args.load, context, &token).await?;
    let request = ResearchRequest { unreadable, ..request };
    let display = Arc::new(RunDisplay::new(context.terminal.clone(), false, token.clone()));
    let preview = app.preview(&request, &chosen, display, token).await?;
    if let Some(words) = backend(&chosen) {
        context.terminal.note(words);
    }
    delivery.deliver(&preview, &crate::cli::preview::shown(&preview), false)?;
    say_bill(&context.terminal, BILL_OF_PLAN, &preview.usage, preview.seconds);
    Ok(ExitStatus::Done)
}

fn say_skipped(report: &Report, context: &Context) {
    if report.skipped.is_empty() {
        return;
    }
    context.terminal.note(&context.terminal.paint(Ink::Strong, "not searched any more:"));
    for sub_query in &report.skipped {
        context.terminal.note(&format!("  · {}", sub_query.text));
    }
}

/// Where a result goes.
#[derive(Clone, Copy)]
pub(super) struct Delivery<'a> {
    pub output: Option<&'a Path>,
    pub json: bool,
    /// Where the cited documents go.
    pub bibliography: Option<&'a Path>,
    /// What writes the report, in place of a form.
    pub template: Option<&'a Template>,
    /// How its cited documents are listed, beside its sources.
    pub style: Option<Style>,
}

impl<'a> Delivery<'a> {
    /// To a file or to standard output. A file's name may ask for JSON, as the flag does.
    pub fn new(output: Option<&'a Path>, json: bool) -> Self {
        let output = file_of(output);
        let is_named_so = output.and_then(Path::extension).is_some_and(|ending| ending.eq_ignore_ascii_case("json"));
        Delivery { output, json: json || is_named_so, bibliography: None, template: None, style: None }
    }

    /// Whether pieces of a report go to standard output as they come.
    pub fn streams(&self) -> bool {
        !self.json && self.output.is_none() && self.template.is_none() && self.style.is_none()
    }

    /// Says before anything is paid for that the result could not be written.
    pub fn check(&self) -> Result<(), CliError> {
        let form = self.form()?;
        if self.json && form != Form::Markdown {
            return Err(CliError::usage("--json writes JSON, and the file's name asks for another form")
                .with_hint("leave out --json, or name a file that ends in .json"));
        }
        if self.template.is_some() && (self.json || !matches!(form, Form::Markdown | Form::Html)) {
            return Err(CliError::usage("a template writes text, and something else was asked for")
                .with_hint("leave out --template, or name a file as in -o letter.html"));
        }
        if self.style.is_some() && self.json {
            return Err(CliError::usage("a list of references in a style is not written into JSON")
                .with_hint("leave out --style, or name a file as in -o report.html"));
        }
        self.bibliography_form()?;
        if self.output.is_some() && self.output == self.bibliography {
            return Err(CliError::usage("the report and its bibliography would be written to the same file")
                .with_hint("name two files, as in -o report.json --bibliography sources.json"));
        }
        self.output.into_iter().chain(self.bibliography).try_for_each(check_output)
    }

    /// What the name of the bibliography's file asks for.
    fn bibliography_form(&self) -> Result<Option<Bibliography>, CliError> {
        let form = self.bibliography.map(Bibliography::of_file).transpose();
        form.map_err(|error| CliError::usage(error.to_string()))
    }

    /// Writes the cited documents of a report, where that was asked for.
    pub async fn deliver_bibliography(&self, app: &App, report: &str) -> Result<(), CliError> {
        let (Some(path), Some(form)) = (self.bibliography, self.bibliography_form()?) else { return Ok(()) };
        write_file(path, app.bibliography(report, form).await?.as_bytes())
    }

    /// What the file's name asks for, beside JSON.
    fn form(&self) -> Result<Form, CliError> {
        self.output.map_or(Ok(Form::Markdown), Form::of_file).map_err(|error| unknown_form(&error))
    }

    /// Writes a report of a run, in the form that was asked for.
    pub async fn deliver_report(&self, app: &App, report: &Report) -> Result<(), CliError> {
        if self.form()? == Form::Markdown && self.template.is_none() && self.style.is_none() {
            self.deliver(report, &report.markdown, self.streams())?;
        } else {
            self.deliver_form(app, &report.markdown).await?;
        }
        self.deliver_bibliography(app, &report.markdown).await
    }

    /// Writes a report on the disk in the form that the file's name asks for.
    pub async fn deliver_form(&self, app: &App, report: &str) -> Result<(), CliError> {
        let folder = self.output.and_then(Path::parent).unwrap_or(Path::new("."));
        let bytes = app.in_form(report, self.form()?, self.template, self.style, folder).await?;
        self.output.map_or_else(|| write_bytes(&bytes), |path| write_file(path, &bytes))
    }

    /// Writes a result: `text`, unless it has been written as it came, or `value` as JSON.
    pub fn deliver(&self, value: &impl serde::Serialize, text: &str, streamed: bool) -> Result<(), CliError> {
        let Some(path) = self.output else {
            return match (self.json, streamed) {
                (true, _) => write_json(value),
                (false, true) => Ok(()),
                (false, false) => write_text(text),
            };
        };
        let text = if self.json {
            let json = serde_json::to_string_pretty(value).map_err(|error| {
                CliError::new(ExitStatus::Failed, format!("cannot write the report as JSON: {error}"))
            })?;
            json + "\n"
        } else {
            text.to_owned()
        };
        write_file(path, text.as_bytes())
    }
}

/// The file that a result goes to; `-` stands for standard output.
pub(super) fn file_of(output: Option<&Path>) -> Option<&Path> {
    output.filter(|path| *path != Path::new("-"))
}

/// Reads the template that writes a report, before anything is paid for.
pub(super) fn open_template(path: Option<&Path>, output: Option<&Path>) -> Result<Option<Template>, CliError> {
    let Some(path) = path else { return Ok(None) };
    if output == Some(path) {
        return Err(CliError::usage(format!("the report would be written over its template {}", path.display()))
            .with_hint("name another file with -o"));
    }
    let template = Template::open(path, output).map_err(|error| {
        CliError::usage(error.to_string()).with_hint("docs/reports.md lists what a template is told, with examples")
    })?;
    Ok(Some(template))
}

fn write_file(path: &Path, bytes: &[u8]) -> Result<(), CliError> {
    write_atomically(path, bytes)
        .map_err(|error| CliError::new(ExitStatus::Failed, format!("cannot write {}: {error}", path.display())))
}

/// A form that nobody writes, with what to do.
pub(super) fn unknown_form(error: &UnknownForm) -> CliError {
    let told = CliError::usage(error.to_string());
    match error {
        UnknownForm::Pdf => told.with_hint(
            "write the report as .html and print that from a browser, or build the program with `--features pdf`",
        ),
        UnknownForm::Other(_) => told,
    }
}

/// What a run's end means for whoever called the program.
pub(super) fn status(report: &Report, unreadable: bool) -> ExitStatus {
    match report.stopped {
        StopReason::Interrupted => ExitStatus::Interrupted,
        StopReason::Budget | StopReason::ModelFailed | StopReason::RoundLimit => ExitStatus::Partial,
        StopReason::Enough | StopReason::OneSearch | StopReason::NoNewEvidence if !report.answered => {
            ExitStatus::NothingFound
        }
        StopReason::Enough | StopReason::OneSearch | StopReason::NoNewEvidence if !unreadable => ExitStatus::Done,
        StopReason::Enough | StopReason::OneSearch | StopReason::NoNewEvidence => ExitStatus::Partial,
    }
}

fn check_output(path: &Path) -> Result<(), CliError> {
    let cannot = |reason: String| CliError::usage(format!("cannot write {}: {reason}", path.display()));
    if path.is_dir() {
        return Err(cannot("it is a folder".to_owned()));
    }
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
        _ => PathBuf::from("."),
    };
    if folder.is_dir() { Ok(()) } else { Err(cannot(format!("there is no folder {}", folder.display()))) }
}

/// The headings of a file.
fn read_outline(path: &Path) -> Result<Outline, CliError> {
    let cannot = |reason: String| CliError::usage(format!("cannot use the outline {}: {reason}", path.display()));
    let text = std::fs::read_to_string(path).map_err(|error| cannot(error.to_string()))?;
    let outline = Outline::parse(&text);
    match outline.sections.len() {
        0 => Err(cannot("it has no heading".to_owned())
            .with_hint("write each heading on a line of its own, as in `## Ratings`, and below it what it answers")),
        many if many > MAX_HEADINGS => Err(cannot(format!("it has {many} headings; {MAX_HEADINGS} are the most"))),
        _ => Ok(outline),
    }
}

/// The question of an argument, which may be on standard input.
pub(super) fn question_of(argument: &str) -> Result<String, CliError> {
    match argument {
        "-" => checked_question(&read_question()?),
        question => checked_question(question),
    }
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
