//! Limits the bytes of documents in flight.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The bytes per permit; keeps the number of permits within 32 bits.
const UNIT: u64 = 1024;

/// A share of the bytes that may be in flight, returned when it is dropped.
pub(super) type Share = Option<OwnedSemaphorePermit>;

/// Limits the bytes of all documents between being read and being committed.
///
/// Only one task may ask: it waits for documents that were read before, and those are committed without anything
/// further being read, so there is no deadlock.
pub(super) struct ByteBudget {
    permits: Arc<Semaphore>,
    units: u32,
}

impl ByteBudget {
    pub(super) fn new(bytes: u64) -> Self {
        let units = u32::try_from(bytes / UNIT).unwrap_or(u32::MAX >> 4).clamp(1, u32::MAX >> 4);
        ByteBudget { permits: Arc::new(Semaphore::new(units as usize)), units }
    }

    /// Waits until `bytes` fit. A request for more than the whole budget waits until it is alone.
    pub(super) async fn take(&self, bytes: u64) -> Share {
        let units = u32::try_from(bytes.div_ceil(UNIT)).unwrap_or(u32::MAX).min(self.units);
        // The semaphore is never closed, so this error cannot occur; it would mean continuing without a limit.
        self.permits.clone().acquire_many_owned(units).await.ok()
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;

    use super::*;

    #[test]
    fn what_does_not_fit_waits() {
        let budget = ByteBudget::new(10 * UNIT);
        let first = budget.take(6 * UNIT).now_or_never().expect("fits");
        assert!(budget.take(5 * UNIT).now_or_never().is_none(), "6 + 5 > 10");
        let second = budget.take(4 * UNIT).now_or_never().expect("6 + 4 fit");
        assert!(budget.take(1).now_or_never().is_none(), "full");
        drop((first, second));
    }

    #[test]
    fn a_giant_is_alone() {
        let budget = ByteBudget::new(10 * UNIT);
        let small = budget.take(1).now_or_never().expect("fits");
        assert!(budget.take(1000 * UNIT).now_or_never().is_none(), "not alone yet");
        drop(small);
        let giant = budget.take(1000 * UNIT).now_or_never().expect("alone");
        assert!(budget.take(1).now_or_never().is_none(), "nothing beside it");
        drop(giant);
        assert!(budget.take(10 * UNIT).now_or_never().is_some(), "all given back");
    }

    #[test]
    fn an_empty_budget_still_lets_one_through() {
        let budget = ByteBudget::new(0);
        let one = budget.take(5000).now_or_never().expect("alone");
        assert!(budget.take(1).now_or_never().is_none());
        drop(one);
    }
}
