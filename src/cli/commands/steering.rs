//! A run that is steered while it goes on: Enter pauses it before its next searches, which can then be changed. Lines are
//! read as the terminal gives them, so that Ctrl-C and the report on the same screen stay what they are.

use std::io::{BufRead, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures::FutureExt;
use tokio_util::sync::CancellationToken;

use super::plan_review::{Wish, numbered, somebody_is_there, wish};
use crate::agent::Steering;
use crate::app::ResearchRequest;
use crate::cli::context::Context;
use crate::cli::events::RunDisplay;
use crate::cli::terminal::Terminal;
use crate::cli::{CliError, ExitStatus};
use crate::domain::{Strategy, SubQuery};

/// How often it is looked whether Ctrl-C was pressed.
const LOOK: Duration = Duration::from_millis(100);

/// What somebody types while a run goes on.
struct Typed {
    lines: Mutex<Receiver<String>>,
    /// Whether somebody is being asked, so that a line needs no reply of its own.
    asking: AtomicBool,
}

/// Lets somebody at the terminal steer a run; `None` where nobody is there, or where the strategy does not plan rounds.
pub(super) fn steering(
    request: &ResearchRequest,
    display: &Arc<RunDisplay>,
    context: &Context,
    token: &CancellationToken,
) -> Result<Option<Steering>, CliError> {
    if !somebody_is_there() || request.strategy != Some(Strategy::Deep) {
        return Ok(None);
    }
    let (sender, lines) = channel();
    let typed = Arc::new(Typed { lines: Mutex::new(lines), asking: AtomicBool::new(false) });
    let (reader, terminal) = (Arc::clone(&typed), context.terminal.clone());
    // It waits in a read that nothing ends but the end of the process.
    std::thread::Builder::new()
        .name("keyboard".to_owned())
        .spawn(move || read(&reader, &sender, &terminal))
        .map_err(|error| CliError::new(ExitStatus::Failed, format!("cannot listen to the keyboard: {error}")))?;
    context.terminal.note("Enter pauses before the next searches.");
    let (display, terminal, token) = (Arc::clone(display), context.terminal.clone(), token.clone());
    Ok(Some(Steering::by(move |next| {
        let (typed, display) = (Arc::clone(&typed), Arc::clone(&display));
        let (terminal, token) = (terminal.clone(), token.clone());
        let decided = tokio::task::spawn_blocking(move || {
            let mut decided = None;
            display.aside(|| decided = decide(next, &typed, &terminal, &token));
            decided
        });
        // Nobody decides in a task that was dropped.
        decided.map(|decided| decided.ok().flatten()).boxed()
    })))
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

/// What is to be searched; `None` where nobody has typed anything, and after Ctrl-C, which ends the run in its own way.
fn decide(
    mut next: Vec<SubQuery>,
    typed: &Typed,
    terminal: &Terminal,
    token: &CancellationToken,
) -> Option<Vec<SubQuery>> {
    let lines = typed.lines.lock().unwrap_or_else(PoisonError::into_inner);
    let mut first = lines.try_recv().ok()?;
    typed.asking.store(true, Ordering::Relaxed);
    let decided = loop {
        let line = match std::mem::take(&mut first) {
            line if !line.trim().is_empty() => Some(line),
            _ => {
                terminal.note(&shown(&next));
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

/// Changes what is searched next; gives whether somebody may want to change more.
fn change(next: &mut Vec<SubQuery>, line: &str, terminal: &Terminal) -> bool {
    match wish(line, next.len(), true) {
        Wish::Follow => return false,
        Wish::Stop => {
            next.clear();
            return false;
        }
        // First, since a round holds no more than so many searches.
        Wish::Add(text) | Wish::Again(text) => next.insert(0, SubQuery { text, collections: Vec::new() }),
        Wish::Remove(place) => {
            next.remove(place);
        }
        Wish::Edit => terminal.note("an editor opens only for the first plan"),
        Wish::Unknown(told) => terminal.note(&told),
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

/// The next line; `None` after Ctrl-C and at the end of the input.
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

    /// Types the lines one after the other; what is searched then, and how many lines nobody read.
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
        // The input ends while somebody is asked: the run goes its own way.
        check(&["a", "b"], &["", "- 1"], None, 0);
    }
}
