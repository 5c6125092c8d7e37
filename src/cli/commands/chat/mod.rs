//! Questions that follow one another, in the terminal or line by line from a file.

mod lines;
mod said;

use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use self::lines::{Line, Lines};
use self::said::{COMMANDS, ChatCommand, said};
use super::query::{asked, backend, status};
use crate::app::{App, ChosenModel, ResearchRequest};
use crate::base::text::{excerpt, one_line, short_line};
use crate::cli::args::ChatArgs;
use crate::cli::context::Context;
use crate::cli::delivery::Delivery;
use crate::cli::events::{RunDisplay, say_bill};
use crate::cli::terminal::{Ink, counted, write_result, write_text};
use crate::cli::{CliError, ExitStatus};
use crate::domain::{Citation, NullSink, Report};
use crate::report::{shown_date, shown_path};
use crate::store::with_neighbours;

/// The number of earlier questions that the arrow keys bring back.
const MOST_EARLIER: usize = 50;
/// For a collection with more documents, the Tab key completes only its name.
const MOST_COMPLETED: u64 = 10_000;
/// The most characters of a title in a list.
const TITLE_CHARS: usize = 60;

/// A conversation.
struct Chat<'c> {
    app: App,
    chosen: ChosenModel,
    context: &'c Context,
    /// The run that the next question follows, with its report.
    last: Option<(String, Report)>,
    status: ExitStatus,
}

/// Answers questions until there are no more.
pub(super) fn run(args: &ChatArgs, context: &Context) -> Result<ExitStatus, CliError> {
    let app = context.app(Vec::new())?;
    if !app.config().journal.enabled {
        return Err(CliError::usage("a conversation needs the journals of its runs, and journal.enabled is off")
            .with_hint("run it with --set journal.enabled=true"));
    }
    let chosen = app.model()?;
    app.check_limits(&chosen)?;
    context.block_on(async {
        let mut lines = Lines::open(&earlier(&app), names(&app).await?)?;
        let last = find_followed_run(&app, args.run.as_deref(), context).await?;
        if let Some(words) = backend(&chosen) {
            context.terminal.note(words);
        }
        let mut chat = Chat { app, chosen, context, last, status: ExitStatus::Done };
        loop {
            let (again, line) = next_line(lines).await?;
            lines = again;
            match line {
                Line::Words(line) => match said(&line) {
                    ChatCommand::Quit => break,
                    said => chat.execute_line(said).await?,
                },
                Line::Pressed => context.terminal.note("Ctrl-D or /quit ends the conversation"),
                Line::End => break,
            }
        }
        Ok(if Lines::is_interactive() { ExitStatus::Done } else { chat.status })
    })
}

/// Waits for a line; Ctrl-C while waiting for a file or pipe ends the command.
async fn next_line(mut lines: Lines) -> Result<(Lines, Line), CliError> {
    let read = tokio::task::spawn_blocking(move || {
        let line = lines.next();
        line.map(|line| (lines, line))
    });
    tokio::select! {
        read = read => read.map_err(|error| CliError::new(ExitStatus::Failed, format!("cannot read a line: {error}")))?,
        // A person's Ctrl-C is read as a key.
        _ = tokio::signal::ctrl_c(), if !Lines::is_interactive() => Err(CliError::new(ExitStatus::Interrupted, "interrupted")),
    }
}

/// The last questions, the oldest first. Unreadable ones are left out: they only serve the arrow keys.
fn earlier(app: &App) -> Vec<String> {
    if !Lines::is_interactive() {
        return Vec::new();
    }
    let Ok(runs) = app.runs() else { return Vec::new() };
    let mut ids = runs.ids().unwrap_or_default();
    ids.sort();
    let questions = ids[ids.len().saturating_sub(MOST_EARLIER)..].iter().filter_map(|id| runs.details(id).ok());
    let mut questions: Vec<String> =
        questions.map(|run| run.run.question.lines().next().unwrap_or_default().to_owned()).collect();
    questions.dedup();
    questions
}

/// The names of collections and paths of documents, sorted.
async fn names(app: &App) -> Result<Vec<String>, CliError> {
    let mut names = Vec::new();
    let store = if Lines::is_interactive() { app.existing_store().await? } else { None };
    if let Some(store) = store {
        for collection in store.collections().await? {
            if collection.documents <= MOST_COMPLETED {
                let documents = store.documents(&collection.name).await?;
                names.extend(documents.iter().map(|one| shown_path(&one.path, Some(app.cwd())).to_string()));
            }
            names.push(collection.name);
        }
    }
    names.sort();
    names.dedup();
    Ok(names)
}

/// The run that the first question follows. A run that was named must exist.
async fn find_followed_run(
    app: &App,
    named: Option<&str>,
    context: &Context,
) -> Result<Option<(String, Report)>, CliError> {
    let found = async {
        let id = app.runs()?.find(named.unwrap_or("last"))?;
        let (report, _) = app.replay(&id, Arc::new(NullSink)).await?;
        Ok((id, report))
    };
    let found: Result<(String, Report), crate::app::AppError> = found.await;
    let told = match (found, named) {
        (Err(error), Some(_)) => return Err(error.into()),
        // There is no report to continue from.
        (Err(_), None) => None,
        (Ok(last), _) => Some(last),
    };
    context.terminal.note(&match &told {
        Some((_, report)) => format!("asking on after: {}", short_line(&report.question, 200)),
        None => "ask a question; what follows it is understood in its light".to_owned(),
    });
    if Lines::is_interactive() {
        context.terminal.note("/help lists what else there is; Ctrl-D ends");
    }
    Ok(told)
}

impl Chat<'_> {
    /// Does what a line asks for. Only an output that is no longer read ends the conversation.
    async fn execute_line(&mut self, said: ChatCommand) -> Result<(), CliError> {
        let terminal = &self.context.terminal;
        let done = match said {
            ChatCommand::Nothing | ChatCommand::Quit => Ok(()),
            ChatCommand::Ask(question) => return self.answer(&question, true).await,
            ChatCommand::New(question) => return self.answer(&question, false).await,
            ChatCommand::Help => {
                let told = COMMANDS.map(|(name, does)| format!("{name:<9} {does}\n")).concat();
                terminal.note(told.trim_end());
                Ok(())
            }
            ChatCommand::Wrong(why) => Err(CliError::usage(why)),
            ChatCommand::Sources => self.sources(),
            ChatCommand::Open(number) => self.open(number).await,
            ChatCommand::Save(file) => self.save(&file).await,
        };
        if let Err(error) = done {
            self.status = terminal.report(&error);
        }
        Ok(())
    }

    fn report(&self) -> Result<&Report, CliError> {
        let last = self.last.as_ref().map(|(_, report)| report);
        last.ok_or_else(|| CliError::usage("nothing was answered yet").with_hint("ask something first"))
    }

    fn sources(&self) -> Result<(), CliError> {
        let told = self.report()?.citations.iter().map(|one| format!("{}\n", listed(one, self.app.cwd())));
        write_result(&told.collect::<String>())
    }

    /// Shows the passage of a citation as it is stored, or the quoted words if it is no longer stored.
    async fn open(&self, number: usize) -> Result<(), CliError> {
        let citations = &self.report()?.citations;
        let Some(one) = citations.iter().find(|one| one.number == number) else {
            return Err(CliError::usage(format!("the last answer has no source [{number}]"))
                .with_hint(format!("it cites {}", counted(citations.len() as u64, "source"))));
        };
        let terminal = &self.context.terminal;
        terminal.note(&terminal.paint(Ink::Strong, &listed(one, self.app.cwd())));
        let text = self.passage(one).await?;
        write_text(&format!("{}\n", text.as_deref().unwrap_or(&one.quote).trim_end()))
    }

    async fn passage(&self, one: &Citation) -> Result<Option<String>, CliError> {
        let Some(store) = self.app.existing_store().await? else { return Ok(None) };
        let records = store.find_documents(&one.path).await?;
        let Some(record) = records.into_iter().find(|record| record.id == one.chunk.document) else { return Ok(None) };
        Ok(match with_neighbours(store.as_ref(), &record, one.chunk.ordinal, 0).await? {
            Some(range) => Some(store.text(record.id, range).await?),
            None => None,
        })
    }

    async fn save(&self, file: &std::path::Path) -> Result<(), CliError> {
        let report = self.report()?;
        let delivery = Delivery::new(Some(file), false);
        delivery.check()?;
        delivery.deliver_report(&self.app, report).await?;
        self.context.terminal.note(&format!("wrote {}", file.display()));
        Ok(())
    }

    /// Answers a question. A failure is reported, and the conversation continues from where it was.
    async fn answer(&mut self, question: &str, follows: bool) -> Result<(), CliError> {
        let terminal = self.context.terminal.clone();
        let token = CancellationToken::new();
        let display = Arc::new(RunDisplay::in_conversation(terminal.clone(), token.clone()));
        let outcome = {
            let work = self.researched(question, follows, Arc::clone(&display), token.clone());
            tokio::pin!(work);
            tokio::select! {
                outcome = &mut work => Some(outcome),
                _ = tokio::signal::ctrl_c() => {
                    token.cancel();
                    terminal.note("answering from what was found; Ctrl-C again drops the answer");
                    tokio::select! {
                        outcome = &mut work => Some(outcome),
                        _ = tokio::signal::ctrl_c() => None,
                    }
                }
            }
        };
        if let (Some(failure), _) = display.finish() {
            return Err(failure);
        }
        let run = display.run();
        let go_on = run.as_ref().map(|run| format!("what was done is kept: deepsearch query --resume {run}"));
        match outcome {
            None => {
                terminal.note("the answer was dropped");
                go_on.iter().for_each(|told| terminal.note(told));
                self.status = ExitStatus::Interrupted;
            }
            Some(Err(error)) => self.status = terminal.report(&error),
            Some(Ok(report)) => {
                write_text("\n")?;
                if Lines::is_interactive() {
                    let told = report.citations.iter().map(|one| format!("\n{}", listed(one, self.app.cwd())));
                    terminal.note(&terminal.paint(Ink::Faint, told.collect::<String>().trim_start()));
                }
                say_bill(&terminal, "bill", &report.usage, report.seconds);
                self.status = status(&report, false);
                self.last = run.map(|run| (run, report)).or(self.last.take());
            }
        }
        Ok(())
    }

    async fn researched(
        &self,
        question: &str,
        follows: bool,
        display: Arc<RunDisplay>,
        token: CancellationToken,
    ) -> Result<Report, CliError> {
        let question = asked(question)?;
        let request = match &self.last {
            Some((run, _)) if follows => self.app.following(run, &question).await?,
            _ => ResearchRequest { question, ..ResearchRequest::default() },
        };
        Ok(self.app.research(&request, &self.chosen, display, token).await?)
    }
}

/// A source on one line.
fn listed(one: &Citation, cwd: &std::path::Path) -> String {
    let page = one.page.map(|page| format!(", p. {page}")).unwrap_or_default();
    let date = shown_date(one.date).map(|date| format!(", {date}")).unwrap_or_default();
    let title = one_line(&one.title);
    format!("[{}] {}  {}{page}{date}", one.number, excerpt(&title, TITLE_CHARS), shown_path(&one.path, Some(cwd)))
}
