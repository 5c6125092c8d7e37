//! Turns of searches: as many at once as there are processors. The others wait in the order in which they came, and what
//! a search could do without is left out meanwhile.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::{Semaphore, SemaphorePermit};

use crate::read::GoOn;

/// Gives out the turns.
pub(super) struct Turns {
    free: Semaphore,
    /// Searches that have no turn yet.
    waiting: Arc<AtomicUsize>,
}

/// One that waits; counted until it has its turn or its client has gone.
struct Waiter<'a>(&'a AtomicUsize);

impl<'a> Waiter<'a> {
    fn new(waiting: &'a AtomicUsize) -> Self {
        waiting.fetch_add(1, Ordering::Relaxed);
        Waiter(waiting)
    }
}

impl Drop for Waiter<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Turns {
    pub fn new(at_once: usize) -> Self {
        Turns { free: Semaphore::new(at_once), waiting: Arc::default() }
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

    /// Whether nobody waits.
    pub fn calm(&self) -> GoOn {
        let waiting = Arc::clone(&self.waiting);
        Arc::new(move || waiting.load(Ordering::Relaxed) == 0)
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;

    use super::*;

    #[test]
    fn whoever_waits_is_counted_until_it_has_its_turn_or_has_gone() {
        let turns = Turns::new(2);
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
}
