use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::Instant;

use crate::base::locked;

/// How many requests an endpoint may get; `None` means no limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LimitOptions {
    /// Requests at the same time.
    pub concurrency: Option<usize>,
    /// Requests started within any minute.
    pub per_minute: Option<u32>,
}

/// Delays requests to keep within [`LimitOptions`]. First come, first served.
#[derive(Debug)]
pub struct Limiter {
    slots: Option<Arc<Semaphore>>,
    window: Option<Mutex<Window>>,
}

/// The right to have one request in progress, given back when dropped.
#[derive(Debug)]
pub struct Permit {
    _slot: Option<OwnedSemaphorePermit>,
}

impl Limiter {
    /// Creates a limiter with all its places free. A limit of 0 would block forever, so it counts as 1.
    pub fn new(options: LimitOptions) -> Self {
        Limiter {
            slots: options.concurrency.map(|slots| Arc::new(Semaphore::new(slots.clamp(1, Semaphore::MAX_PERMITS)))),
            window: options.per_minute.map(|limit| Mutex::new(Window::new(limit.max(1) as usize))),
        }
    }

    /// Waits for a place. Cancel-safe, except that a place in the minute is used up once it is reserved.
    pub async fn acquire(&self) -> Permit {
        let slot = match &self.slots {
            // The semaphore is never closed; if it were, the request would proceed without a limit rather than fail.
            Some(slots) => Arc::clone(slots).acquire_owned().await.ok(),
            None => None,
        };
        if let Some(window) = &self.window {
            let start = locked(window).reserve(Instant::now());
            tokio::time::sleep_until(start).await;
        }
        Permit { _slot: slot }
    }
}

/// The starts of the last requests, as many as a minute may see, including those reserved for the future.
#[derive(Debug)]
struct Window {
    limit: usize,
    starts: VecDeque<Instant>,
}

impl Window {
    const LENGTH: Duration = Duration::from_secs(60);

    fn new(limit: usize) -> Self {
        Window { limit, starts: VecDeque::new() }
    }

    /// Reserves and returns the first instant from `now` on at which one more request keeps every minute within the
    /// limit.
    fn reserve(&mut self, now: Instant) -> Instant {
        let free_at = match self.starts.len() < self.limit {
            true => None,
            false => self.starts.pop_front().map(|oldest| oldest + Self::LENGTH),
        };
        let start = free_at.map_or(now, |free_at| free_at.max(now));
        self.starts.push_back(start);
        start
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::future::Future;
    use std::task::{Context, Poll, Waker};

    #[test]
    fn no_minute_sees_more_than_its_limit() {
        let origin = Instant::now();
        let check = |limit: usize, arrivals: &[u64], expected: &[u64]| {
            let mut window = Window::new(limit);
            let starts: Vec<u64> = arrivals
                .iter()
                .map(|at| (window.reserve(origin + Duration::from_secs(*at)) - origin).as_secs())
                .collect();
            assert_eq!(starts, expected);
        };
        check(2, &[0, 0, 0, 0, 0], &[0, 0, 60, 60, 120]);
        check(2, &[0, 50, 55, 61], &[0, 50, 60, 110]);
        check(1, &[0, 200, 210], &[0, 200, 260]);
    }

    #[test]
    fn a_place_is_free_again_when_its_permit_is_dropped() {
        let limiter = Limiter::new(LimitOptions { concurrency: Some(1), per_minute: None });
        let mut context = Context::from_waker(Waker::noop());
        let mut first = Box::pin(limiter.acquire());
        let Poll::Ready(permit) = first.as_mut().poll(&mut context) else { panic!("the first place is free") };
        let mut second = Box::pin(limiter.acquire());
        assert!(second.as_mut().poll(&mut context).is_pending());
        drop(permit);
        assert!(second.as_mut().poll(&mut context).is_ready());
    }
}
