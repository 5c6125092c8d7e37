//! Decides when a request is tried again, and how long to wait before.

use std::future::Future;
use std::time::{Duration, SystemTime};

use super::NetError;
use crate::base::Rng;

/// When to try again, and how often.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retry {
    /// Requests in all; 1 means no retry.
    pub attempts: u32,
    /// The upper limit of the first wait; it doubles with each further one.
    pub base: Duration,
    /// The highest value that this upper limit reaches.
    pub max_wait: Duration,
    /// The longest wait accepted from a server's `Retry-After`.
    pub max_retry_after: Duration,
    /// The seed of the jitter's random numbers.
    pub seed: u64,
}

impl Default for Retry {
    fn default() -> Self {
        Retry {
            attempts: 5,
            base: Duration::from_millis(500),
            max_wait: Duration::from_secs(20),
            max_retry_after: Duration::from_secs(60),
            seed: 0,
        }
    }
}

impl Retry {
    /// Begins the count for one request. `salt` differs between concurrent requests, so that they do not all retry
    /// together.
    pub fn backoff(&self, salt: u64) -> Backoff {
        Backoff { retry: *self, attempts: 1, random: Rng::new(self.seed ^ salt.wrapping_mul(0x9e37_79b9_7f4a_7c15)) }
    }
}

/// Counts the attempts of one request and chooses the waits between them: exponential, with full jitter (anything from
/// nothing to the upper limit), and never shorter than a `Retry-After` within its limit.
#[derive(Clone, Debug)]
pub struct Backoff {
    retry: Retry,
    attempts: u32,
    random: Rng,
}

impl Backoff {
    /// Returns how long to wait before the next attempt; `None` if `error` is not transient or no attempt is left.
    pub fn next_wait(&mut self, error: &NetError) -> Option<Duration> {
        if !error.is_transient() || self.attempts >= self.retry.attempts {
            return None;
        }
        let doublings = (self.attempts - 1).min(31);
        self.attempts += 1;
        let upper = self.retry.base.saturating_mul(1 << doublings).min(self.retry.max_wait);
        let jittered = upper.mul_f64(self.random_fraction());
        let asked = error.retry_after().unwrap_or_default().min(self.retry.max_retry_after);
        Some(jittered.max(asked))
    }

    /// Returns the number of attempts so far, including the one in progress.
    pub fn attempts(&self) -> u32 {
        self.attempts
    }

    /// Returns a random number in `0.0..1.0`.
    fn random_fraction(&mut self) -> f64 {
        (self.random.next_u64() >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// Runs `operation` until it succeeds, fails permanently, or no attempt is left; then returns the last error with the
/// number of attempts made. For requests that leave nothing behind when they fail half-way.
pub async fn with_retry<T, F, O>(mut backoff: Backoff, mut operation: O) -> Result<T, (NetError, u32)>
where
    F: Future<Output = Result<T, NetError>>,
    O: FnMut() -> F,
{
    loop {
        let error = match operation().await {
            Ok(value) => return Ok(value),
            Err(error) => error,
        };
        match backoff.next_wait(&error) {
            Some(wait) => {
                tracing::debug!(%error, ?wait, attempt = backoff.attempts(), "retrying");
                tokio::time::sleep(wait).await;
            }
            None => return Err((error, backoff.attempts())),
        }
    }
}

/// Reads a `Retry-After` header: seconds, or an HTTP date (a date in the past means no wait).
pub fn parse_retry_after(value: &str, now: SystemTime) -> Option<Duration> {
    let value = value.trim();
    if let Ok(seconds) = value.parse::<f64>() {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let date = httpdate::parse_http_date(value).ok()?;
    Some(date.duration_since(now).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status(status: u16, retry_after: Option<u64>) -> NetError {
        let retry_after = retry_after.map(Duration::from_secs);
        NetError::Status { url: "u".into(), status, retry_after, body: String::new() }
    }

    #[test]
    fn retry_after_is_read_in_both_forms() {
        let now = httpdate::parse_http_date("Sun, 06 Nov 1994 08:49:37 GMT").unwrap();
        let check = |value: &str, expected: Option<f64>| {
            assert_eq!(parse_retry_after(value, now).map(|wait| wait.as_secs_f64()), expected, "{value}");
        };
        check("7", Some(7.0));
        check(" 0 ", Some(0.0));
        check("1.5", Some(1.5));
        check("Sun, 06 Nov 1994 08:50:07 GMT", Some(30.0));
        check("Sun, 06 Nov 1994 08:49:07 GMT", Some(0.0));
        check("-3", None);
        check("NaN", None);
        check("1e300", None);
        check("soon", None);
        check("", None);
    }

    #[test]
    fn only_transient_failures_are_retried_and_only_so_often() {
        let check = |error: NetError, expected: usize| {
            let mut backoff = Retry { attempts: 3, ..Retry::default() }.backoff(1);
            let waits = std::iter::from_fn(|| backoff.next_wait(&error)).take(10).count();
            assert_eq!(waits, expected, "{error}");
        };
        for transient in [408, 409, 429, 500, 503, 529] {
            check(status(transient, None), 2);
        }
        for lasting in [301, 400, 401, 402, 403, 404, 413, 422] {
            check(status(lasting, None), 0);
        }
        check(NetError::Connect { url: "u".into(), reason: "r".into() }, 2);
        check(NetError::TooLarge { url: "u".into(), limit: 1 }, 0);
    }

    #[test]
    fn waits_grow_within_their_limits_and_honour_the_server() {
        let retry = Retry { attempts: 40, ..Retry::default() };
        let waits = |seed, error: &NetError| {
            let mut backoff = Retry { seed, ..retry }.backoff(3);
            std::iter::from_fn(|| backoff.next_wait(error)).collect::<Vec<_>>()
        };
        let plain = status(500, None);
        assert_eq!(waits(7, &plain), waits(7, &plain));
        assert_ne!(waits(7, &plain), waits(8, &plain));
        for (index, wait) in waits(7, &plain).into_iter().enumerate() {
            let upper = retry.base.saturating_mul(1 << index.min(31)).min(retry.max_wait);
            assert!(wait <= upper, "wait {index} is {wait:?}");
        }
        assert!(waits(7, &plain).iter().any(|wait| *wait > retry.max_wait / 2), "jitter uses the whole range");
        assert!(waits(7, &status(429, Some(30))).iter().all(|wait| *wait == Duration::from_secs(30)));
        assert!(waits(7, &status(429, Some(86_400))).iter().all(|wait| *wait == retry.max_retry_after));
    }
}
