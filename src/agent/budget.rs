use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::journal::Stopwatch;
use crate::domain::Usage;

/// When a run must stop searching. Whatever the limits, a report is written from what was found.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Limits {
    /// Rounds of search; at least one is made.
    pub max_rounds: Option<usize>,
    /// Model calls.
    pub max_calls: Option<u64>,
    /// Tokens in and out.
    pub max_tokens: Option<u64>,
    /// From the question on.
    pub max_time: Option<Duration>,
    /// US dollars; without prices in the config it cannot be held.
    pub max_usd: Option<f64>,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { max_rounds: Some(4), max_calls: None, max_tokens: None, max_time: None, max_usd: None }
    }
}

impl Limits {
    /// These, and in their place those of `other` that are set.
    pub fn with(&self, other: &Limits) -> Limits {
        Limits {
            max_rounds: other.max_rounds.or(self.max_rounds),
            max_calls: other.max_calls.or(self.max_calls),
            max_tokens: other.max_tokens.or(self.max_tokens),
            max_time: other.max_time.or(self.max_time),
            max_usd: other.max_usd.or(self.max_usd),
        }
    }
}

/// Tokens that a report has, about.
const REPORT_TOKENS_OUT: u64 = 3_000;
/// Tokens that the reply of a plan or a reflection has, about.
const REPLY_TOKENS_OUT: u64 = 500;

/// Counts what a run has spent, and keeps enough in reserve for the report.
#[derive(Debug)]
pub(super) struct Budget {
    limits: Limits,
    stopwatch: Stopwatch,
    spent: Usage,
    /// Tokens of the evidence that the report is written from.
    evidence_tokens: u64,
    slowest: Duration,
}

impl Budget {
    pub fn start(limits: Limits, stopwatch: impl Into<Stopwatch>, evidence_tokens: u64) -> Self {
        let (stopwatch, spent, slowest) = (stopwatch.into(), Usage::default(), Duration::ZERO);
        Budget { limits, stopwatch, spent, evidence_tokens, slowest }
    }

    pub fn spent(&self) -> Usage {
        self.spent
    }

    /// From the start to the last answer from outside; nothing passes under a fixed clock.
    pub fn elapsed(&self) -> Duration {
        self.stopwatch.elapsed()
    }

    pub fn charge(&mut self, usage: Usage, took: Duration) {
        self.spent += usage;
        self.slowest = self.slowest.max(took);
    }

    /// What a call costs that was sent and dropped: its prompt, at the price of the earlier calls.
    pub fn dropped(&self, prompt_tokens: u64) -> Usage {
        let usd = self.usd_per_token().map(|price| price * prompt_tokens as f64);
        Usage { calls: 1, prompt_tokens, usd, estimated: true, ..Usage::default() }
    }

    /// Whether another round may be searched after `done` of them.
    pub fn allows_round(&self, done: usize) -> bool {
        self.limits.max_rounds.is_none_or(|most| done < most.max(1))
    }

    /// Whether a call with a prompt of this length leaves enough for the report; else which limit does not.
    pub fn allows_call(&self, prompt_tokens: u64) -> Result<(), &'static str> {
        let tokens = prompt_tokens + REPLY_TOKENS_OUT + self.evidence_tokens + REPORT_TOKENS_OUT;
        let spent = self.spent.prompt_tokens + self.spent.completion_tokens;
        let usd = self.spent.usd.unwrap_or(0.0) + self.usd_per_token().unwrap_or(0.0) * tokens as f64;
        if self.limits.max_calls.is_some_and(|most| self.spent.calls + 2 > most) {
            Err("calls")
        } else if self.limits.max_tokens.is_some_and(|most| spent + tokens > most) {
            Err("tokens")
        } else if self.limits.max_usd.is_some_and(|most| usd > most || most <= 0.0) {
            Err("money")
        } else if self.time_left().is_some_and(|left| left.is_zero()) {
            Err("time")
        } else {
            Ok(())
        }
    }

    /// How long searching may go on; `None` without a limit. The report keeps twice the time of the slowest call, but
    /// at most a quarter of all.
    pub fn time_left(&self) -> Option<Duration> {
        let most = self.limits.max_time?;
        let reserve = (self.slowest * 2).min(most / 4);
        Some(most.saturating_sub(reserve).saturating_sub(self.stopwatch.running()))
    }

    fn usd_per_token(&self) -> Option<f64> {
        let tokens = self.spent.prompt_tokens + self.spent.completion_tokens;
        self.spent.usd.filter(|_| tokens > 0).map(|usd| usd / tokens as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Clock;

    fn check(limits: Limits, spent: Usage, prompt_tokens: u64, expected: Result<(), &'static str>) {
        let mut budget = Budget::start(limits, Clock::Fixed(jiff::Timestamp::UNIX_EPOCH), 1_000);
        budget.charge(spent, Duration::from_secs(5));
        assert_eq!(budget.allows_call(prompt_tokens), expected);
    }

    #[test]
    fn a_call_must_leave_enough_for_the_report() {
        let none = Limits::default();
        let spent = Usage { calls: 3, prompt_tokens: 900, completion_tokens: 100, usd: Some(0.01), ..Usage::default() };
        check(none, spent, 1_000_000, Ok(()));
        check(Limits { max_calls: Some(5), ..none }, spent, 1, Ok(()));
        check(Limits { max_calls: Some(4), ..none }, spent, 1, Err("calls"));
        // 1,000 spent, 500 for the prompt and as many for its reply, 4,000 for the report.
        check(Limits { max_tokens: Some(6_000), ..none }, spent, 500, Ok(()));
        check(Limits { max_tokens: Some(5_999), ..none }, spent, 500, Err("tokens"));
        check(Limits { max_usd: Some(0.061), ..none }, spent, 500, Ok(()));
        check(Limits { max_usd: Some(0.059), ..none }, spent, 500, Err("money"));
        check(Limits { max_usd: Some(0.0), ..none }, Usage::default(), 1, Err("money"));
        check(Limits { max_time: Some(Duration::from_secs(60)), ..none }, spent, 1, Ok(()));
        check(Limits { max_time: Some(Duration::ZERO), ..none }, spent, 1, Err("time"));
    }

    #[test]
    fn the_report_keeps_some_of_the_time() {
        let limits = Limits { max_time: Some(Duration::from_secs(60)), ..Limits::default() };
        let mut budget = Budget::start(limits, Clock::Fixed(jiff::Timestamp::UNIX_EPOCH), 0);
        assert_eq!(budget.time_left(), Some(Duration::from_secs(60)));
        budget.charge(Usage::default(), Duration::from_secs(5));
        assert_eq!(budget.time_left(), Some(Duration::from_secs(50)));
        budget.charge(Usage::default(), Duration::from_secs(50));
        assert_eq!(budget.time_left(), Some(Duration::from_secs(45)));
    }
}
