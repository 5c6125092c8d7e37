//! The journal as a run uses it: an answer from outside is taken from the record, or asked for and recorded. The form
//! of an answer on disk is in `format.rs`.

use std::collections::{BTreeMap, VecDeque};
use std::future::Future;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};
use std::time::Duration;

use jiff::Timestamp;
use serde::Serialize;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::convert::micros;
use super::format::{Answer, Halt, Line, Passage, RunEnd, Sent, Step, StoredModel, StoredUsage};
use super::stopwatch::Stopwatch;
use super::tape::Tape;
use super::writer::Writer;
use crate::agent::AgentError;
use crate::base::{Clock, ContentHash, locked};
use crate::domain::{Event, EventSink, Report, StopReason, Usage};

/// The journal of one run, through which everything goes that the run learns from outside. Cheap to clone.
#[derive(Clone)]
pub struct Journal(Arc<Shared>);

struct Shared {
    started: Timestamp,
    stopwatch: Stopwatch,
    /// Writes the file; `None` if the run is not recorded, or already is.
    writer: Option<Arc<Writer>>,
    /// Whether the journal alone answers, as in a replay.
    replays: bool,
    /// Cancelled once something was asked outside. Until then the run may stop only where it stopped before.
    live: CancellationToken,
    /// Cancelled when a replay asks for something that is not recorded.
    astray: CancellationToken,
    /// What was paid for calls whose answers are no longer of use.
    earlier: Usage,
    model: Option<StoredModel>,
    /// Is told if the journal cannot be kept.
    listener: OnceLock<Arc<dyn EventSink>>,
    state: Mutex<Playback>,
}

#[derive(Default)]
struct Playback {
    /// The recorded answers by key; equal requests get theirs in the order recorded.
    answers: BTreeMap<String, VecDeque<(u64, Answer)>>,
    passages: BTreeMap<u64, Passage>,
    halts: BTreeMap<u64, Halt>,
    /// The number of points passed at which a run may stop.
    gates: u64,
    /// The number of recorded calls that were not asked for again.
    unused_calls: usize,
    /// The run's time at the last line.
    recorded: Duration,
}

/// What a run was doing when it stopped.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::agent) struct Dropped {
    /// Why it stopped.
    pub reason: StopReason,
    /// What was spent on the call under way.
    pub usage: Usage,
    /// The text of the report that was streamed so far.
    pub streamed: String,
}

impl Dropped {
    /// A stop with nothing under way.
    pub fn nothing(reason: StopReason) -> Self {
        Dropped { reason, usage: Usage::default(), streamed: String::new() }
    }
}

/// An answer as it is recorded, with the passages that it refers to.
pub(in crate::agent) type Recorded = (Answer, Vec<Passage>);

impl Journal {
    /// A journal that keeps nothing.
    pub fn off(clock: Clock) -> Self {
        Journal::new(clock.now(), Stopwatch::start(clock), None)
    }

    /// A journal that is kept from the beginning of the run, which was at `started`.
    pub(super) fn begun(writer: Writer, started: Timestamp, clock: Clock) -> Self {
        Journal::new(started, Stopwatch::start(clock), Some(writer))
    }

    fn new(started: Timestamp, stopwatch: Stopwatch, writer: Option<Writer>) -> Self {
        let live = CancellationToken::new();
        live.cancel();
        Journal(Arc::new(Shared {
            started,
            stopwatch,
            writer: writer.map(Arc::new),
            replays: false,
            live,
            astray: CancellationToken::new(),
            earlier: Usage::default(),
            model: None,
            listener: OnceLock::new(),
            state: Mutex::default(),
        }))
    }

    /// A journal that answers what is recorded. With a writer, everything else is asked outside and added; without one,
    /// only the record answers.
    pub(super) fn answering(tape: Tape, writer: Option<Writer>) -> Self {
        let clock = if tape.header.fixed_clock { Clock::Fixed(tape.header.started) } else { Clock::System };
        let mut state =
            Playback { passages: tape.passages, halts: tape.halts, recorded: tape.recorded, ..Playback::default() };
        for Step { key, at_us, answer, .. } in tape.steps {
            state.unused_calls += usize::from(matches!(answer, Answer::Call(_)));
            state.answers.entry(key).or_default().push_back((at_us, answer));
        }
        Journal(Arc::new(Shared {
            started: tape.header.today,
            stopwatch: Stopwatch::stopped(clock),
            replays: writer.is_none(),
            writer: writer.map(Arc::new),
            live: CancellationToken::new(),
            astray: CancellationToken::new(),
            earlier: tape.earlier,
            model: Some(tape.header.model),
            listener: OnceLock::new(),
            state: Mutex::new(state),
        }))
    }

    /// When the run began. It determines today's date, also for a run that is resumed on a later day.
    pub(in crate::agent) fn started(&self) -> Timestamp {
        self.0.started
    }

    pub(in crate::agent) fn stopwatch(&self) -> &Stopwatch {
        &self.0.stopwatch
    }

    /// What was paid before for answers that are no longer of use.
    pub(in crate::agent) fn earlier(&self) -> Usage {
        self.0.earlier
    }

    /// The recorded model, if there is one.
    pub(super) fn model(&self) -> Option<&StoredModel> {
        self.0.model.as_ref()
    }

    /// Sets who is told if the journal can no longer be kept.
    pub(in crate::agent) fn listen(&self, sink: Arc<dyn EventSink>) {
        // A run calls this once.
        self.0.listener.get_or_init(|| sink);
    }

    /// Asks for something outside: `work` is done unless its answer is recorded, and its answer is then recorded.
    /// `store` returns `None` for an answer that is to be asked for again when the run is resumed.
    pub(in crate::agent) async fn ask<T>(
        &self,
        key: &str,
        work: impl Future<Output = T>,
        store: impl FnOnce(&T) -> Option<Recorded>,
        restore: impl FnOnce(Answer, &BTreeMap<u64, Passage>) -> Option<T>,
    ) -> T {
        if let Some(answer) = self.recorded(key, restore) {
            return answer;
        }
        self.go_live(key).await;
        let answer = work.await;
        let recorded = self.0.writer.is_some().then(|| store(&answer)).flatten();
        self.record(key, recorded).await;
        answer
    }

    /// Records that a call is about to be sent.
    pub(super) async fn sent(&self, key: &str) {
        if let Some(writer) = &self.0.writer {
            self.write(writer, Line::Sent(Sent { key: key.to_owned() }), false).await;
        }
    }

    /// Records an answer from outside; `None` for one that is to be asked for again when the run is resumed.
    pub(in crate::agent) async fn record(&self, key: &str, answer: Option<Recorded>) {
        let at = self.0.stopwatch.mark();
        if let (Some(writer), Some((answer, passages))) = (&self.0.writer, answer) {
            let paid = matches!(answer, Answer::Call(_));
            let line = Line::Step(Step { key: key.to_owned(), at_us: micros(at), answer, passages });
            self.write(writer, line, paid).await;
        }
    }

    /// Takes the recorded answer to a request.
    pub(in crate::agent) fn recorded<T>(
        &self,
        key: &str,
        restore: impl FnOnce(Answer, &BTreeMap<u64, Passage>) -> Option<T>,
    ) -> Option<T> {
        let mut state = self.lock();
        let (at_us, answer) = state.answers.get_mut(key)?.pop_front()?;
        state.unused_calls -= usize::from(matches!(answer, Answer::Call(_)));
        self.0.stopwatch.set(Duration::from_micros(at_us));
        restore(answer, &state.passages)
    }

    /// Must precede everything that is asked outside. Never returns in a replay.
    pub(super) async fn go_live(&self, key: &str) {
        if self.0.replays {
            tracing::info!(key, "the replay asks what is not recorded");
            self.0.astray.cancel();
            return std::future::pending().await;
        }
        if self.0.live.is_cancelled() {
            return;
        }
        let (recorded, unused) = {
            let state = self.lock();
            (state.recorded, state.unused_calls)
        };
        self.0.stopwatch.go_on(recorded);
        self.0.live.cancel();
        if unused > 0 {
            self.tell(format!(
                "{unused} of the calls that were answered before cannot be used, since the prompts are others now; they \
                 are asked anew"
            ));
        }
        // Whoever waits to stop the run goes first.
        tokio::task::yield_now().await;
    }

    /// Returns when a replay has asked for something that is not recorded.
    pub(in crate::agent) async fn astray(&self) {
        self.0.astray.cancelled().await;
    }

    /// Returns the number of the next point where a run may stop, and how the run stopped there before. Such points
    /// come one after the other.
    pub(in crate::agent) fn gate(&self) -> (u64, Option<Dropped>) {
        let mut state = self.lock();
        let gate = state.gates;
        state.gates += 1;
        let dropped = state.halts.get(&gate).map(|halt| {
            self.0.stopwatch.set(Duration::from_micros(halt.at_us));
            Dropped { reason: halt.reason, usage: Usage::from(&halt.usage), streamed: halt.streamed.clone() }
        });
        (gate, dropped)
    }

    /// Records that the run stops here.
    pub(in crate::agent) async fn halt(&self, gate: u64, dropped: Dropped) {
        let at = self.0.stopwatch.mark();
        if let Some(writer) = &self.0.writer {
            let Dropped { reason, usage, streamed } = dropped;
            let halt = Halt { gate, at_us: micros(at), reason, usage: StoredUsage::from(&usage), streamed };
            self.write(writer, Line::Halt(halt), false).await;
        }
    }

    pub(in crate::agent) fn is_live(&self) -> bool {
        self.0.live.is_cancelled()
    }

    /// Returns once something was asked outside.
    pub(in crate::agent) async fn live(&self) {
        self.0.live.cancelled().await;
    }

    /// Records the end of the run.
    pub(in crate::agent) async fn end(&self, outcome: &Result<Report, AgentError>) {
        let Some(writer) = &self.0.writer else { return };
        let at_us = micros(self.0.stopwatch.elapsed());
        let end = match outcome {
            Ok(report) => RunEnd::Report {
                hash: report.hash(),
                stopped: report.stopped,
                usage: StoredUsage::from(&report.usage),
                at_us,
            },
            Err(error) => RunEnd::Failed { error: error.to_string(), at_us },
        };
        self.write(writer, Line::End(end), true).await;
    }

    /// Writes a line off the async threads. A failure ends the journal, but not the run.
    async fn write(&self, writer: &Arc<Writer>, line: Line, sync: bool) {
        let to = Arc::clone(writer);
        let written = tokio::task::spawn_blocking(move || to.append(line, sync)).await;
        match written {
            Ok(Ok(())) => {}
            Ok(Err(error)) => self.tell(format!("{error}; the run goes on and cannot be resumed beyond this")),
            Err(error) => self.tell(format!("the journal is not kept any more: {error}")),
        }
    }

    fn tell(&self, message: String) {
        match self.0.listener.get() {
            Some(sink) => sink.emit(&Event::Warning { message }),
            None => tracing::warn!("{message}"),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Playback> {
        // A panic leaves the remaining answers intact.
        locked(&self.0.state)
    }
}

/// The key of a request: a hash of its kind and of everything that its answer depends on.
pub(in crate::agent) fn key_of(kind: &str, request: &impl Serialize) -> String {
    ContentHash::of(json!([kind, request]).to_string().as_bytes()).to_string()
}
