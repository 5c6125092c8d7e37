//! A run that a user at the terminal steers: the plan is shown before it is searched, and during the run Enter pauses
//! it before its next searches, which can then be changed. The terminal stays in line mode, so that Ctrl-C and the
//! report on the same screen work as usual.

use std::io::{BufRead, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures::FutureExt;
use tokio_util::sync::CancellationToken;

use super::ask_back::meant;
use super::plan_review::{ReviewCommand, can_ask_user, numbered, reviewed, wish};
use crate::agent::{PlanMade, PlanPreview, Steering, SteeringDecision};
use crate::app::{App, ChosenModel, ResearchRequest};
use crate::base::locked;
use crate::cli::CliError;
use crate::cli::context::Context;
use crate::cli::events::RunDisplay;
use crate::cli::terminal::Terminal;
use crate::domain::{Strategy, SubQuery};

/// How often Ctrl-C is checked for.
const LOOK: Duration = Duration::from_millis(100);

/// The lines typed while a run is going on.
struct Typed {
    lines: Mutex<Receiver<String>>,
    /// Whether the user is being asked, so that a line needs no reply of its own.
    asking: AtomicBool,
}

/// The request after the user at the terminal was asked about unclear points, set up so that the user steers the run.
/// If nobody is there, the request is unchanged.
pub(super) async fn interactive(
    app: &App,
    request: ResearchRequest,
    chosen: &ChosenModel,
    display: &Arc<RunDisplay>,
    context: &Context,
    token: &CancellationToken,
) -> Result<ResearchRequest, CliError> {
    let terminal = &context.terminal;
    if !can_ask_user() {
        terminal.note("nobody is there to be asked about the plan, so it is followed as it is");
        return Ok(request);
    }
    let request = meant(app, request, chosen, context, token).await?;
    let strategy = request.strategy.unwrap_or(app.config().agent.strategy);
    if !matches!(strategy, Strategy::Deep | Strategy::Auto) {
        terminal.note(&format!("the strategy `{}` makes no plan that could be changed", strategy.name()));
    }
    let steering = steering(chosen.model.reasons(), display, terminal, token);
    Ok(ResearchRequest { steering: Some(steering), ..request })
}

fn steering(reasons: bool, display: &Arc<RunDisplay>, terminal: &Terminal, token: &CancellationToken) -> Steering {
    let at =
        Arc::new(AtTerminal { reasons, terminal: terminal.clone(), token: token.clone(), typed: Mutex::default() });
    let display = Arc::clone(display);
    Steering::by(move |offer| {
        let (at, display, runtime) = (Arc::clone(&at), Arc::clone(&display), tokio::runtime::Handle::current());
        let decided = tokio::task::spawn_blocking(move || {
            let mut wanted = None;
            display.with_bar_hidden(|| {
                wanted = match offer {
                    PlanPreview { next, plan: Some(made) } => Some(runtime.block_on(at.on_plan(next, &made))),
                    PlanPreview { next, plan: None } => at.between_rounds(next).map(SteeringDecision::Search),
                };
            });
            wanted
        });
        // A task that was dropped decides nothing.
        decided.map(|decided| decided.ok().flatten()).boxed()
    })
}

/// The user at the terminal.
struct AtTerminal {
    reasons: bool,
    terminal: Terminal,
    token: CancellationToken,
    /// Set once the plan is settled; an editor of the plan would share the keyboard.
    typed: Mutex<Option<Arc<Typed>>>,
}

impl AtTerminal {
    async fn on_plan(&self, plan: Vec<SubQuery>, made: &PlanMade) -> SteeringDecision {
        match reviewed(plan, made, self.reasons, &self.terminal, &self.token).await {
            Ok(wanted) => {
                if matches!(wanted, SteeringDecision::Search(_)) {
                    self.listen();
                }
                wanted
            }
            Err(error) => {
                tracing::info!(error = error.message, "nobody answers any more");
                SteeringDecision::Nothing
            }
        }
    }

    fn between_rounds(&self, next: Vec<SubQuery>) -> Option<Vec<SubQuery>> {
        let typed = locked(&self.typed).clone()?;
        decide(next, &typed, &self.terminal, &self.token)
    }

    /// Listens to the keyboard from now on.
    fn listen(&self) {
        let (sender, lines) = channel();
        let typed = Arc::new(Typed { lines: Mutex::new(lines), asking: AtomicBool::new(false) });
        let (reader, terminal) = (Arc::clone(&typed), self.terminal.clone());
        // The thread blocks in a read that ends only with the process.
        let reading = std::thread::Builder::new().name("keyboard".to_owned());
        match reading.spawn(move || read(&reader, &sender, &terminal)) {
            Ok(_) => {
                self.terminal.note("Enter pauses before the next searches.");
                *locked(&self.typed) = Some(typed);
            }
            Err(error) => self.terminal.warn(&format!("the run cannot be paused: {error}")),
        }
    }
}

fn read(typed: &Typed, sender: &Sender<String>, terminal: &Terminal) {
    for line in std::io::stdin().lock().lines() {
        let Ok(line) = line else { return };
        if !typed.asking.load(Ordering::Relaxed) {
            terminal.note("pausing before the next searches");
        }
        if sender.send(line).is_err() {
            return;
        }
    }
}

/// The searches to make; `None` if nothing was typed, and after Ctrl-C, which ends the run in its own way.
fn decide(
    mut next: Vec<SubQuery>,
    typed: &Typed,
    terminal: &Terminal,
    token: &CancellationToken,
) -> Option<Vec<SubQuery>> {
    let lines = locked(&typed.lines);
    let mut first = lines.try_recv().ok()?;
    typed.asking.store(true, Ordering::Relaxed);
    let decided = loop {
        let line = match std::mem::take(&mut first) {
            line if !line.trim().is_empty() => Some(line),
            _ => {
                terminal.prose(&shown(&next));
                prompt();
                line(&lines, token)
            }
        };
        let Some(line) = line else { break None };
        if !change(&mut next, &line, terminal) {
            break Some(next);
        }
    };
    typed.asking.store(false, Ordering::Relaxed);
    decided
}

/// Changes the next searches; returns whether the user may want to change more.
fn change(next: &mut Vec<SubQuery>, line: &str, terminal: &Terminal) -> bool {
    match wish(line, next.len(), true) {
        ReviewCommand::Follow => return false,
        ReviewCommand::Stop => {
            next.clear();
            return false;
        }
        // Inserted first, since a round has a limited number of searches.
        ReviewCommand::Add(text) | ReviewCommand::Again(text) => {
            next.insert(0, SubQuery { text, collections: Vec::new() })
        }
        ReviewCommand::Remove(place) => {
            next.remove(place);
        }
        ReviewCommand::Edit => terminal.note("an editor opens only for the first plan"),
        ReviewCommand::Unknown(told) => terminal.prose(&told),
    }
    true
}

fn shown(next: &[SubQuery]) -> String {
    let plan = if next.is_empty() { "Nothing more would be searched.".to_owned() } else { numbered(next) };
    format!("{plan}\nEnter goes on; `+ words` or only words add a search, `- 2` drops one, `q` ends the search.")
}

fn prompt() {
    let mut stderr = std::io::stderr().lock();
    if let Err(error) = write!(stderr, "next> ").and_then(|()| stderr.flush()) {
        tracing::debug!(%error, "the prompt was not shown");
    }
}

/// The next line; `None` after Ctrl-C and at the end of input.
fn line(lines: &Receiver<String>, token: &CancellationToken) -> Option<String> {
    loop {
        match lines.recv_timeout(LOOK) {
            Ok(line) => return Some(line),
            Err(RecvTimeoutError::Disconnected) => return None,
            Err(RecvTimeoutError::Timeout) if token.is_cancelled() => return None,
            Err(RecvTimeoutError::Timeout) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::args::GlobalArgs;

    /// Types the lines one after another and checks what is searched then, and how many lines are left unread.
    fn check(next: &[&str], lines: &[&str], expected: Option<&[&str]>, left: usize) {
        let (sender, receiver) = channel();
        lines.iter().for_each(|line| sender.send((*line).to_owned()).unwrap());
        drop(sender);
        let typed = Typed { lines: Mutex::new(receiver), asking: AtomicBool::new(false) };
        let query = |text: &&str| SubQuery { text: (*text).to_owned(), collections: Vec::new() };
        let terminal = Terminal::new(&GlobalArgs::default());
        let steered = decide(next.iter().map(query).collect(), &typed, &terminal, &CancellationToken::new());
        let texts = steered.map(|all| all.into_iter().map(|one| one.text).collect::<Vec<_>>());
        assert_eq!(
            texts.as_deref(),
            expected.map(|all| all.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>()).as_deref()
        );
        assert_eq!(typed.lines.lock().unwrap().iter().count(), left);
    }

    #[test]
    fn lines_change_what_is_searched_next() {
        check(&["a", "b"], &[], None, 0);
        check(&["a", "b"], &["", ""], Some(&["a", "b"]), 0);
        check(&["a", "b"], &["", "- 1", "", "later"], Some(&["b"]), 1);
        check(&["a", "b"], &["+ c", ""], Some(&["c", "a", "b"]), 0);
        check(&[], &["", "料金は", ""], Some(&["料金は"]), 0);
        check(&["a", "b"], &["", "- 9", "e", "q"], Some(&[]), 0);
        // The input ends during a question: the run continues on its own.
        check(&["a", "b"], &["", "- 1"], None, 0);
    }
}
