//! Turns of searches: as many at once as there are processors. The others wait in the order in which they came, and what
//! a search could do without is left out meanwhile, and for a while after.

use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use tokio::sync::{Semaphore, SemaphorePermit};

use crate::base::locked;
use crate::read::GoOn;

/// So long after the last search that had to wait, the next may come as soon: what it could do without would make those
/// that come meanwhile wait.
pub(super) const REST: Duration = Duration::from_secs(1);

/// Gives out the turns.
pub(super) struct Turns {
    free: Semaphore,
    waiting: Arc<Waiting>,
    rest: Duration,
}

/// Searches that have no turn yet.
#[derive(Default)]
struct Waiting(Mutex<Waiters>);

#[derive(Default)]
struct Waiters {
    now: usize,
    /// When the last of them ceased to wait.
    last: Option<Instant>,
}

impl Waiting {
    fn lock(&self) -> MutexGuard<'_, Waiters> {
        locked(&self.0)
    }
}

/// One that waits; counted until it has its turn or its client has gone.
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
    /// So many `at_once`; for `rest` after somebody waited it is not calm.
    pub fn new(at_once: usize, rest: Duration) -> Self {
        Turns { free: Semaphore::new(at_once), waiting: Arc::default(), rest }
    }

    /// A turn, which ends when it is dropped.
    pub async fn take(&self) -> Option<SemaphorePermit<'_>> {
        if let Ok(turn) = self.free.try_acquire() {
            return Some(turn);
        }
        let _waits = Waiter::new(&self.waiting);
        // Turns are given out as long as there is a server.
        self.free.acquire().await.ok()
    }

    /// Whether nobody waits, nor has waited lately.
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
        // Its client has gone.
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
