//! One run that is served: what it has told so far, and who waits for more.

use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::kept::{End, EndStatus, KeptFile, KeptRun, Line, Ticket, Told};
use super::progress;
use crate::base::locked;
use crate::domain::{Event, EventSink};

/// A run, under way or not. Everybody who asks for it shares one.
pub(super) struct ServedRun {
    pub ticket: Ticket,
    /// Ends the search; the report is written from what was found.
    pub finish: CancellationToken,
    /// Ends everything at once.
    pub abort: CancellationToken,
    state: Mutex<State>,
    /// Counts what happened, for whoever waits.
    changed: watch::Sender<u64>,
}

struct State {
    told: Vec<Arc<Told>>,
    /// What waits to be told, since the file does not take it.
    unkept: VecDeque<Told>,
    phase: Phase,
    /// `None` where another process writes, or nothing more will be written.
    file: Option<KeptFile>,
    /// What was told before this process took the run up, as far as it has not come again.
    earlier: Option<Earlier>,
}

/// How a run stands.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Phase {
    /// Behind so many others.
    Queued(usize),
    Running,
    Ended(Arc<End>),
}

/// A run that is taken up tells its story again from the beginning. Nothing is told to clients twice.
struct Earlier {
    /// Events but for the report.
    events: Vec<Value>,
    /// The report, as clients have it.
    text: String,
    /// The report, as it comes now.
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

    /// As it was left. With a file it goes on in this process; without one it is shown as it is.
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
        state.earlier = file.is_some().then_some(Earlier { events, text, coming: String::new() });
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

    /// Takes over what another process has told since.
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

    /// Whether this process may tell it what to do.
    pub fn is_ours(&self) -> bool {
        self.lock().file.is_some()
    }

    /// How many events were told.
    pub fn told(&self) -> usize {
        self.lock().told.len()
    }

    /// What was told after the first `seen`, and how it stands.
    pub fn after(&self, seen: usize) -> (Vec<Arc<Told>>, Phase) {
        let state = self.lock();
        (state.told.iter().skip(seen).cloned().collect(), state.phase.clone())
    }

    /// As [`Self::after`], once there is something, the run has ended, or the time is over.
    pub async fn wait_after(&self, seen: usize, most: Duration) -> (Vec<Arc<Told>>, Phase) {
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

    /// It is over. Only the first end counts.
    pub fn end(&self, end: End) {
        let mut state = self.lock();
        if matches!(state.phase, Phase::Ended(_)) {
            return;
        }
        if end.status == EndStatus::Completed
            && let Some(text) = state.earlier.as_mut().and_then(Earlier::rest)
        {
            state.rewrite(text);
        }
        if let Err(error) = state.keep_end(&end) {
            tracing::error!("the end of the served run {} cannot be kept: {error}", self.ticket.id);
            state.tell_unkept(&error);
        }
        // Whoever reads the file now finds it whole.
        state.file = None;
        state.phase = Phase::Ended(Arc::new(end));
        drop(state);
        self.notify();
    }

    fn notify(&self) {
        self.changed.send_modify(|count| *count += 1);
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // What was told before a panic stays told.
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
        match state.earlier.as_mut().map_or(Came::New, |earlier| earlier.come(event, &value)) {
            Came::Again => return,
            Came::New => state.tell(Told { line, event: value }),
            Came::Longer(piece) => state.tell(piece_of_text(&piece)),
            Came::Otherwise(text) => state.rewrite(text),
        }
        drop(state);
        self.notify();
    }
}

impl State {
    /// An event is in the file before anybody sees it: after a kill, nobody knows more than the file does. Where the file
    /// does not take it, it waits for the next one, or for the end.
    fn tell(&mut self, told: Told) {
        let waits = !self.unkept.is_empty();
        self.unkept.push_back(told);
        if let Err(error) = self.keep()
            && !waits
        {
            tracing::error!("what a served run tells cannot be kept, and is told once it can: {error}");
        }
    }

    /// Keeps and tells what waits.
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

    /// Tells what the file does not take: whoever listens to the end hears it all.
    fn tell_unkept(&mut self, error: &io::Error) {
        self.told.extend(self.unkept.drain(..).map(Arc::new));
        let message =
            format!("the end of this run cannot be kept: {error}; the next start of the server goes through it again");
        let warning = Event::Warning { message };
        if let Ok(event) = serde_json::to_value(&warning) {
            self.told.push(Arc::new(Told { line: progress::line(&warning), event }));
        }
    }

    /// The report that was told is void, and this is its beginning now.
    fn rewrite(&mut self, text: String) {
        self.tell(Told { line: None, event: json!({"event": "rewritten"}) });
        self.tell(piece_of_text(&text));
    }

    fn write(&mut self, line: &Line) -> io::Result<()> {
        self.file.as_mut().map_or(Ok(()), |file| file.write(line))
    }
}

fn piece_of_text(markdown: &str) -> Told {
    Told { line: None, event: json!({"event": "text", "markdown": markdown}) }
}

/// What an event is to clients that heard the run before.
enum Came {
    New,
    Again,
    /// A piece of text of which this is new.
    Longer(String),
    /// The report so far, which is not the one that was told.
    Otherwise(String),
}

impl Earlier {
    fn come(&mut self, event: &Event, value: &Value) -> Came {
        let Event::Text { markdown } = event else {
            let value = comparable(value);
            return match self.events.iter().position(|told| *told == value) {
                Some(place) => {
                    self.events.remove(place);
                    Came::Again
                }
                None => Came::New,
            };
        };
        self.coming.push_str(markdown);
        if self.text.starts_with(&self.coming) {
            return Came::Again;
        }
        let new = self.coming.strip_prefix(&self.text).map(str::to_owned);
        self.text.clone_from(&self.coming);
        new.map_or_else(|| Came::Otherwise(self.coming.clone()), Came::Longer)
    }

    /// The whole report, where more was told than it has.
    fn rest(&mut self) -> Option<String> {
        (self.text != self.coming).then(|| std::mem::take(&mut self.coming))
    }
}

/// An event without what differs when it comes again.
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
    use crate::serve::kept::{Holder, Kept};

    fn completed() -> End {
        let at = jiff::Timestamp::UNIX_EPOCH;
        End { status: EndStatus::Completed, at, error: None, hint: None, report: None }
    }

    /// The words of what was told.
    fn words(run: &ServedRun) -> Vec<String> {
        let word = |told: &Arc<Told>| told.event["message"].as_str().or(told.text()).unwrap_or_default().to_owned();
        run.after(0).0.iter().map(word).collect()
    }

    fn text(markdown: &str) -> Event {
        Event::Text { markdown: markdown.to_owned() }
    }

    fn warning(message: &str) -> Event {
        Event::Warning { message: message.to_owned() }
    }

    /// What clients have of the report after `first` was told, the process was killed, and the run told `second`.
    fn check(first: &[Event], second: &[Event], expected: &str, pieces: usize) {
        let folder = tempfile::tempdir().unwrap();
        let kept = Kept::of(folder.path());
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
        let kept = Kept::of(folder.path());
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
        // The model words it otherwise, or shorter.
        check(&[text("One. ")], &[text("Eins. "), text("Zwei.")], "Eins. Zwei.", 4);
        check(&[text("One. Two.")], &[text("One. ")], "One. ", 3);
        check(&[], &[text("One.")], "One.", 1);
    }
}
