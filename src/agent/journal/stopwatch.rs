use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use tokio::time::Instant;

use super::convert::micros;
use crate::base::{Clock, locked};

/// The time that a run has taken.
///
/// A report must state the same time when the run is replayed, so [`Self::elapsed`] is the time of the last answer from
/// outside, which journals hold. Limits are checked against [`Self::running`], which also counts the time that has
/// passed since.
#[derive(Clone, Debug)]
pub(in crate::agent) struct Stopwatch(Arc<Mutex<Times>>);

#[derive(Debug)]
struct Times {
    /// Whether the clock is fixed, so that no time passes.
    fixed: bool,
    /// The time of the last answer.
    last: Duration,
    /// Since when the stopwatch runs, and the time before that; `None` while a journal answers.
    running: Option<(Instant, Duration)>,
}

impl Stopwatch {
    /// A stopwatch that runs at once.
    pub fn start(clock: Clock) -> Self {
        let stopwatch = Stopwatch::stopped(clock);
        stopwatch.go_on(Duration::ZERO);
        stopwatch
    }

    /// A stopwatch that stands at zero until [`Self::go_on`].
    pub fn stopped(clock: Clock) -> Self {
        let fixed = matches!(clock, Clock::Fixed(_));
        Stopwatch(Arc::new(Mutex::new(Times { fixed, last: Duration::ZERO, running: None })))
    }

    /// Runs from now on, starting at the time `before`.
    pub fn go_on(&self, before: Duration) {
        self.lock().running = Some((Instant::now(), before));
    }

    /// Notes that an answer has arrived, and returns its time.
    pub fn mark(&self) -> Duration {
        let mut state = self.lock();
        // Rounded to microseconds as in journals, so that a replay gives the same times.
        state.last = Duration::from_micros(micros(state.now()));
        state.last
    }

    /// Notes the time of an answer that was read from the journal.
    pub fn set(&self, time: Duration) {
        let mut state = self.lock();
        state.last = state.last.max(time);
    }

    /// The time until the last answer.
    pub fn elapsed(&self) -> Duration {
        self.lock().last
    }

    /// The time until now.
    pub fn running(&self) -> Duration {
        self.lock().now()
    }

    fn lock(&self) -> MutexGuard<'_, Times> {
        // A panic leaves the times intact.
        locked(&self.0)
    }
}

impl Times {
    fn now(&self) -> Duration {
        match self.running {
            Some((since, before)) if !self.fixed => (before + since.elapsed()).max(self.last),
            _ => self.last,
        }
    }
}
