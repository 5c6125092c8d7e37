//! Turns of searches: as many at once as there are processors. The others wait in order of arrival; meanwhile, and for
//! a while afterwards, searches leave out their optional work.

use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use tokio::sync::{Semaphore, SemaphorePermit};

use crate::base::locked;
use crate::read::GoOn;

/// How long after the last wait searches still leave out their optional work: the next searches may come as soon, and
/// would have to wait for it.
pub(super) const REST: Duration = Duration::from_secs(1);

/// Gives out the turns.
pub(super) struct Turns {
    free: Semaphore,
    waiting: Arc<Waiting>,
    rest: Duration,
}

/// The searches without a turn yet.
#[derive(Default)]
struct Waiting(Mutex<Waiters>);

#[derive(Default)]
struct Waiters {
    now: usize,
    /// When the last of them stopped waiting.
    last: Option<Instant>,
}

impl Waiting {
    fn lock(&self) -> MutexGuard<'_, Waiters> {
        locked(&self.0)
    }
}

/// A waiting search, counted until it has its turn or its client has gone.
struct Waiter<'a>(&'a Waiting);

impl<'a> Waiter<'a> {
    fn new(waiting: &'a Waiting) -> Self {
        waiting.lock().now += 1;
        Waiter(waiting)
    }
}

impl Drop for Waiter<'_> {
    fn drop(&mut self) {
        let mut waiters = self.0.lock();
        waiters.now -= 1;
        waiters.last = Some(Instant::now());
    }
}

impl Turns {
    /// Allows `at_once` searches at once; `calm` stays false for `rest` after a wait.
    pub fn new(at_once: usize, rest: Duration) -> Self {
        Turns { free: Semaphore::new(at_once), waiting: Arc::default(), rest }
    }

    /// Waits for a turn, which ends when dropped.
    pub async fn take(&self) -> Option<SemaphorePermit<'_>> {
        if let Ok(turn) = self.free.try_acquire() {
            return Some(turn);
        }
        let _waits = Waiter::new(&self.waiting);
        // The semaphore is never closed.
        self.free.acquire().await.ok()
    }

    /// Returns a check that no search waits or has waited recently.
    pub fn calm(&self) -> GoOn {
        let (waiting, rest) = (Arc::clone(&self.waiting), self.rest);
        Arc::new(move || {
            let waiters = waiting.lock();
            waiters.now == 0 && waiters.last.is_none_or(|last| last.elapsed() >= rest)
        })
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;

    use super::*;

    #[test]
    fn whoever_waits_is_counted_until_it_has_its_turn_or_has_gone() {
        let turns = Turns::new(2, Duration::ZERO);
        let calm = turns.calm();
        let first = turns.take().now_or_never().flatten();
        let second = turns.take().now_or_never().flatten();
        assert!(first.is_some() && second.is_some() && calm(), "nobody waits for a free turn");
        let mut third = Box::pin(turns.take());
        let mut fourth = Box::pin(turns.take());
        assert!((&mut third).now_or_never().is_none() && (&mut fourth).now_or_never().is_none() && !calm());
        // The client of the third has gone.
        drop(third);
        assert!(!calm());
        drop(first);
        assert!(fourth.now_or_never().flatten().is_some() && calm());
    }

    #[test]
    fn it_is_not_calm_at_once_after_somebody_waited() {
        let turns = Turns::new(1, Duration::MAX);
        let first = turns.take().now_or_never().flatten();
        let mut second = Box::pin(turns.take());
        assert!(turns.calm()() && (&mut second).now_or_never().is_none());
        drop(first);
        assert!(second.now_or_never().flatten().is_some() && !turns.calm()());
    }
}
