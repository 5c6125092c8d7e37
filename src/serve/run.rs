//! A served run: the events told so far, and the clients waiting for more.

use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::kept::{ClientEvent, End, EndStatus, KeptFile, KeptRun, Line, Ticket};
use super::progress;
use crate::base::locked;
use crate::domain::{Event, EventSink};

/// A run, whether under way or not. All who ask for it share one.
pub(super) struct ServedRun {
    pub ticket: Ticket,
    /// Ends the search; the report is written from what was found.
    pub finish: CancellationToken,
    /// Ends everything at once.
    pub abort: CancellationToken,
    state: Mutex<State>,
    /// Counts changes, to wake waiting clients.
    changed: watch::Sender<u64>,
}

struct State {
    told: Vec<Arc<ClientEvent>>,
    /// Events not told yet, since they could not be written to the file.
    unkept: VecDeque<ClientEvent>,
    phase: Phase,
    /// `None` if another process writes, or if nothing more will be written.
    file: Option<KeptFile>,
    /// What was told before this process took over the run and has not been repeated yet.
    earlier: Option<AlreadySent>,
}

/// The state of a run.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Phase {
    /// The run waits behind this many others.
    Queued(usize),
    Running,
    Ended(Arc<End>),
}

/// The events told before a run was taken over. The run repeats its events from the beginning, but clients see none
/// twice.
struct AlreadySent {
    /// All events except the report's text.
    events: Vec<Value>,
    /// The report, as told to clients.
    text: String,
    /// The report, as it is repeated now.
    coming: String,
}

impl ServedRun {
    pub fn new(ticket: Ticket, file: Option<KeptFile>) -> Self {
        let state = State { told: Vec::new(), unkept: VecDeque::new(), phase: Phase::Queued(0), file, earlier: None };
        ServedRun {
            ticket,
            finish: CancellationToken::new(),
            abort: CancellationToken::new(),
            state: Mutex::new(state),
            changed: watch::Sender::new(0),
        }
    }

    /// A run as it was left. With a file, it continues in this process; without one, it is only shown.
    pub fn again(kept: KeptRun, file: Option<KeptFile>) -> Self {
        let KeptRun { ticket, told, end, .. } = kept;
        let mut text = String::new();
        let mut events = Vec::new();
        for one in &told {
            match one.text() {
                Some(piece) => text.push_str(piece),
                None if one.is_rewrite() => text.clear(),
                None => events.push(comparable(&one.event)),
            }
        }
        let begun = !told.is_empty();
        let run = ServedRun::new(ticket, None);
        let mut state = run.lock();
        state.earlier = file.is_some().then_some(AlreadySent { events, text, coming: String::new() });
        state.file = file;
        state.told = told.into_iter().map(Arc::new).collect();
        state.phase = match end {
            Some(end) => Phase::Ended(Arc::new(end)),
            None if begun => Phase::Running,
            None => Phase::Queued(0),
        };
        drop(state);
        run
    }

    /// Adds what another process has told since.
    pub fn catch_up(&self, kept: KeptRun) {
        let KeptRun { told, end, .. } = kept;
        let mut state = self.lock();
        if matches!(state.phase, Phase::Ended(_)) {
            return;
        }
        let seen = state.told.len();
        state.told.extend(told.into_iter().skip(seen).map(Arc::new));
        state.phase = match end {
            Some(end) => Phase::Ended(Arc::new(end)),
            None if state.told.is_empty() => Phase::Queued(0),
            None => Phase::Running,
        };
        drop(state);
        self.notify();
    }

    pub fn phase(&self) -> Phase {
        self.lock().phase.clone()
    }

    pub fn set_phase(&self, phase: Phase) {
        let mut state = self.lock();
        if !matches!(state.phase, Phase::Ended(_)) && state.phase != phase {
            state.phase = phase;
            drop(state);
            self.notify();
        }
    }

    /// Whether this process controls the run.
    pub fn is_ours(&self) -> bool {
        self.lock().file.is_some()
    }

    /// The number of events told.
    pub fn told(&self) -> usize {
        self.lock().told.len()
    }

    /// The events after the first `seen`, and the state of the run.
    pub fn after(&self, seen: usize) -> (Vec<Arc<ClientEvent>>, Phase) {
        let state = self.lock();
        (state.told.iter().skip(seen).cloned().collect(), state.phase.clone())
    }

    /// Like [`Self::after`], but waits until there are events, the run has ended, or `most` has passed.
    pub async fn wait_after(&self, seen: usize, most: Duration) -> (Vec<Arc<ClientEvent>>, Phase) {
        let deadline = tokio::time::Instant::now() + most;
        let mut changes = self.changed.subscribe();
        loop {
            let (told, phase) = self.after(seen);
            if !told.is_empty() || matches!(phase, Phase::Ended(_)) {
                return (told, phase);
            }
            match tokio::time::timeout_at(deadline, changes.changed()).await {
                Ok(Ok(())) => {}
                Ok(Err(_)) | Err(_) => return self.after(seen),
            }
        }
    }

    /// Ends the run. Only the first call counts.
    pub fn end(&self, end: End) {
        let mut state = self.lock();
        if matches!(state.phase, Phase::Ended(_)) {
            return;
        }
        if end.status == EndStatus::Completed
            && let Some(text) = state.earlier.as_mut().and_then(AlreadySent::rest)
        {
            state.rewrite(text);
        }
        if let Err(error) = state.keep_end(&end) {
            tracing::error!("the end of the served run {} cannot be kept: {error}", self.ticket.id);
            state.tell_unkept(&error);
        }
        // From now on, readers of the file find it complete.
        state.file = None;
        state.phase = Phase::Ended(Arc::new(end));
        drop(state);
        self.notify();
    }

    fn notify(&self) {
        self.changed.send_modify(|count| *count += 1);
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Events told before a panic remain told.
        locked(&self.state)
    }
}

impl EventSink for ServedRun {
    fn emit(&self, event: &Event) {
        let line = progress::line(event);
        let Ok(value) = serde_json::to_value(event) else {
            tracing::error!("an event of run {} cannot be told", self.ticket.id);
            return;
        };
        let mut state = self.lock();
        match state.earlier.as_mut().map_or(Novelty::New, |earlier| earlier.classify_event(event, &value)) {
            Novelty::Again => return,
            Novelty::New => state.tell(ClientEvent { line, event: value }),
            Novelty::Longer(piece) => state.tell(piece_of_text(&piece)),
            Novelty::Otherwise(text) => state.rewrite(text),
        }
        drop(state);
        self.notify();
    }
}

impl State {
    /// Writes an event to the file, then tells it: after a kill, nobody knows more than the file does. If the file does
    /// not accept it, it waits until the next one, or the end.
    fn tell(&mut self, told: ClientEvent) {
        let waits = !self.unkept.is_empty();
        self.unkept.push_back(told);
        if let Err(error) = self.keep()
            && !waits
        {
            tracing::error!("what a served run tells cannot be kept, and is told once it can: {error}");
        }
    }

    /// Writes and tells the waiting events.
    fn keep(&mut self) -> io::Result<()> {
        while let Some(told) = self.unkept.front() {
            let line = Line::Told(told.clone());
            self.write(&line)?;
            self.told.extend(self.unkept.pop_front().map(Arc::new));
        }
        Ok(())
    }

    fn keep_end(&mut self, end: &End) -> io::Result<()> {
        self.keep()?;
        if let Some(report) = &end.report {
            self.write(&Line::Report(report.clone()))?;
        }
        self.write(&Line::End(end.clone()))
    }

    /// Tells the events that the file does not accept: whoever listens until the end hears them all.
    fn tell_unkept(&mut self, error: &io::Error) {
        self.told.extend(self.unkept.drain(..).map(Arc::new));
        let message =
            format!("the end of this run cannot be kept: {error}; the next start of the server goes through it again");
        let warning = Event::Warning { message };
        if let Ok(event) = serde_json::to_value(&warning) {
            self.told.push(Arc::new(ClientEvent { line: progress::line(&warning), event }));
        }
    }

    /// Voids the report told so far; `text` is its new beginning.
    fn rewrite(&mut self, text: String) {
        self.tell(ClientEvent { line: None, event: json!({"event": "rewritten"}) });
        self.tell(piece_of_text(&text));
    }

    fn write(&mut self, line: &Line) -> io::Result<()> {
        self.file.as_mut().map_or(Ok(()), |file| file.write(line))
    }
}

fn piece_of_text(markdown: &str) -> ClientEvent {
    ClientEvent { line: None, event: json!({"event": "text", "markdown": markdown}) }
}

/// How an event relates to what clients were told before.
enum Novelty {
    New,
    Again,
    /// A piece of text with this new part.
    Longer(String),
    /// The report so far, which differs from the one told.
    Otherwise(String),
}

impl AlreadySent {
    fn classify_event(&mut self, event: &Event, value: &Value) -> Novelty {
        let Event::Text { markdown } = event else {
            let value = comparable(value);
            return match self.events.iter().position(|told| *told == value) {
                Some(place) => {
                    self.events.remove(place);
                    Novelty::Again
                }
                None => Novelty::New,
            };
        };
        self.coming.push_str(markdown);
        if self.text.starts_with(&self.coming) {
            return Novelty::Again;
        }
        let new = self.coming.strip_prefix(&self.text).map(str::to_owned);
        self.text.clone_from(&self.coming);
        new.map_or_else(|| Novelty::Otherwise(self.coming.clone()), Novelty::Longer)
    }

    /// The whole report, if it differs from what was told.
    fn rest(&mut self) -> Option<String> {
        (self.text != self.coming).then(|| std::mem::take(&mut self.coming))
    }
}

/// An event without the fields that differ when it is repeated.
fn comparable(event: &Value) -> Value {
    let mut event = event.clone();
    if let Some(fields) = event.as_object_mut() {
        fields.remove("seconds");
    }
    event
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::serve::kept::tests::ticket;
    use crate::serve::kept::{Holder, RunFiles};

    fn completed() -> End {
        let at = jiff::Timestamp::UNIX_EPOCH;
        End { status: EndStatus::Completed, at, error: None, hint: None, report: None }
    }

    /// The words of the told events.
    fn words(run: &ServedRun) -> Vec<String> {
        let word =
            |told: &Arc<ClientEvent>| told.event["message"].as_str().or(told.text()).unwrap_or_default().to_owned();
        run.after(0).0.iter().map(word).collect()
    }

    fn text(markdown: &str) -> Event {
        Event::Text { markdown: markdown.to_owned() }
    }

    fn warning(message: &str) -> Event {
        Event::Warning { message: message.to_owned() }
    }

    /// Checks the report that clients have after `first` was told, the process was killed, and the run told `second`.
    fn check(first: &[Event], second: &[Event], expected: &str, pieces: usize) {
        let folder = tempfile::tempdir().unwrap();
        let kept = RunFiles::of(folder.path());
        let run = ServedRun::new(ticket(), Some(kept.begin(&ticket()).unwrap()));
        first.iter().for_each(|event| run.emit(event));
        drop(run);
        let Holder::Us(read, file) = kept.take("a-1").unwrap() else { panic!("not ours") };
        let run = ServedRun::again(*read, Some(file));
        second.iter().for_each(|event| run.emit(event));
        run.end(completed());
        let read = kept.read("a-1").unwrap().unwrap();
        assert!(read.end.is_some());
        let (told, _) = run.after(0);
        assert_eq!(told.iter().map(|told| (**told).clone()).collect::<Vec<_>>(), read.told, "the file has it all");
        let mut report = String::new();
        for one in &told {
            if one.is_rewrite() {
                report.clear();
            }
            report.push_str(one.text().unwrap_or_default());
        }
        assert_eq!(report, expected);
        assert_eq!(told.len(), pieces, "{told:?}");
    }

    #[test]
    fn what_cannot_be_kept_is_told_once_it_can_or_at_the_end() {
        let folder = tempfile::tempdir().unwrap();
        let kept = RunFiles::of(folder.path());
        let file = kept.begin(&ticket()).unwrap();
        let full = || Some(KeptFile::full(&folder.path().join("served/a-1.jsonl")));
        let run = ServedRun::new(ticket(), full());
        run.emit(&warning("a"));
        run.emit(&text("One. "));
        assert_eq!(words(&run), [""; 0]);
        run.lock().file = Some(file);
        run.emit(&text("Two."));
        assert_eq!(words(&run), ["a", "One. ", "Two."]);
        assert_eq!(kept.read("a-1").unwrap().unwrap().told.len(), 3);
        run.lock().file = full();
        run.emit(&text(" Three."));
        run.end(completed());
        let told = words(&run);
        assert_eq!(told[..4], ["a", "One. ", "Two.", " Three."]);
        assert!(told[4].starts_with("the end of this run cannot be kept: "), "{told:?}");
        assert!(kept.read("a-1").unwrap().unwrap().end.is_none(), "the next start goes on with it");
    }

    #[test]
    fn a_run_that_is_taken_up_tells_nothing_twice() {
        let w = warning;
        check(&[w("a"), text("One. ")], &[w("a"), text("One. Two.")], "One. Two.", 3);
        check(&[w("a"), text("One. "), text("Two.")], &[w("a"), text("One. Two.")], "One. Two.", 3);
        check(&[w("a")], &[w("a"), w("a"), text("One.")], "One.", 3);
        // The model uses other words, or fewer.
        check(&[text("One. ")], &[text("Eins. "), text("Zwei.")], "Eins. Zwei.", 4);
        check(&[text("One. Two.")], &[text("One. ")], "One. ", 3);
        check(&[], &[text("One.")], "One.", 1);
    }
}
