use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use tokio::time::Instant;

use super::convert::micros;
use crate::base::{Clock, locked};

/// The time that a run has taken.
///
/// What a report says of it must come out the same when the run is replayed, so [`Self::elapsed`] is the time at which
/// the last answer from outside was there, which journals hold. Limits are held by [`Self::running`], which also counts
/// what has passed since.
#[derive(Clone, Debug)]
pub(in crate::agent) struct Stopwatch(Arc<Mutex<Times>>);

#[derive(Debug)]
struct Times {
    /// Nothing passes under a fixed clock.
    fixed: bool,
    /// When the last answer was there.
    last: Duration,
    /// From when it runs, and what had passed before; `None` while a journal answers.
    running: Option<(Instant, Duration)>,
}

impl Stopwatch {
    /// Starts at once.
    pub fn start(clock: Clock) -> Self {
        let stopwatch = Stopwatch::stopped(clock);
        stopwatch.go_on(Duration::ZERO);
        stopwatch
    }

    /// Stands at zero until [`Self::go_on`].
    pub fn stopped(clock: Clock) -> Self {
        let fixed = matches!(clock, Clock::Fixed(_));
        Stopwatch(Arc::new(Mutex::new(Times { fixed, last: Duration::ZERO, running: None })))
    }

    /// Runs from now on, on top of what passed `before`.
    pub fn go_on(&self, before: Duration) {
        self.lock().running = Some((Instant::now(), before));
    }

    /// An answer is there: gives its time.
    pub fn mark(&self) -> Duration {
        let mut state = self.lock();
        // As exact as journals are, lest a replay differ in what they leave out.
        state.last = Duration::from_micros(micros(state.now()));
        state.last
    }

    /// An answer of this time was read.
    pub fn set(&self, time: Duration) {
        let mut state = self.lock();
        state.last = state.last.max(time);
    }

    /// Until the last answer.
    pub fn elapsed(&self) -> Duration {
        self.lock().last
    }

    /// Until now.
    pub fn running(&self) -> Duration {
        self.lock().now()
    }

    fn lock(&self) -> MutexGuard<'_, Times> {
        // Whatever panicked, a time is whole.
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
