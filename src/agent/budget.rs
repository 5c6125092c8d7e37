//! What a run has spent, and whether its limits allow another round or call. It makes no call and waits for nothing;
//! requests are counted as they are made in `metered.rs`.

use std::collections::HashMap;
use std::time::Duration;

use super::Limits;
use super::journal::Stopwatch;
use super::limits::Limit;
use crate::domain::{Price, Usage};
use crate::llm::Purpose;

/// Tokens that a report has, about.
pub(super) const REPORT_TOKENS_OUT: u64 = 3_000;
/// Tokens that the reply of a plan or a reflection has, about.
pub(super) const REPLY_TOKENS_OUT: u64 = 500;
/// A report of a capable model seldom takes longer.
const REPORT_TIME: Duration = Duration::from_secs(60);

/// Counts what a run has spent, and keeps enough in reserve for the report.
///
/// A call is made only while nothing is over its limit, so that no limit is exceeded by more than the call under way:
/// what a call costs is known for certain only after it. Calls of the search must also leave the reserve alone, which
/// is what a report costs, but at most half of a limit on tokens or money and a quarter of one on time.
#[derive(Debug)]
pub(super) struct Budget {
    limits: Limits,
    prices: HashMap<Purpose, Price>,
    stopwatch: Stopwatch,
    spent: Usage,
    /// What was paid for anything but calls, in US dollars.
    beside: f64,
    /// Tokens of the evidence that the report is written from.
    evidence_tokens: u64,
    slowest: Duration,
}

/// What is left for the report's own text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Room {
    /// Tokens out.
    pub tokens: u64,
    /// Which limit allows no more.
    pub limit: Limit,
}

impl Budget {
    pub fn start(limits: Limits, prices: HashMap<Purpose, Price>, stopwatch: Stopwatch, evidence_tokens: u64) -> Self {
        let (spent, slowest) = (Usage::default(), Duration::ZERO);
        Budget { limits, prices, stopwatch, spent, beside: 0.0, evidence_tokens, slowest }
    }

    pub fn limits(&self) -> Limits {
        self.limits
    }

    /// The longest step until now.
    pub fn slowest(&self) -> Duration {
        self.slowest
    }

    /// Other limits, once the strategy is chosen.
    pub fn set_limits(&mut self, limits: Limits) {
        self.limits = limits;
    }

    /// How many rounds may be made; `None` without a limit.
    pub fn max_rounds(&self) -> Option<usize> {
        self.limits.max_rounds.map(|most| most.max(1))
    }

    pub fn spent(&self) -> Usage {
        let usd = match self.spent.usd {
            None if self.spent.calls == 0 && self.beside > 0.0 => Some(self.beside),
            usd => usd.map(|usd| usd + self.beside),
        };
        Usage { usd, ..self.spent }
    }

    /// From the start to the last answer from outside; nothing passes under a fixed clock.
    pub fn elapsed(&self) -> Duration {
        self.stopwatch.elapsed()
    }

    pub fn charge(&mut self, usage: Usage, took: Duration) {
        self.spent += usage;
        self.slowest = self.slowest.max(took);
    }

    /// Counts what was paid for something that is no call.
    pub fn charge_money(&mut self, usd: f64) {
        self.beside += usd;
    }

    /// What so many tokens cost in a call of a purpose: at its price, else at that of the earlier calls; `None` where
    /// neither is known.
    pub fn usd(&self, purpose: Purpose, prompt_tokens: u64, completion_tokens: u64) -> Option<f64> {
        let price = self.price(purpose)?;
        Some(price.of(&Usage { prompt_tokens, completion_tokens, ..Usage::default() }))
    }

    fn price(&self, purpose: Purpose) -> Option<Price> {
        let of_earlier_calls = || {
            let tokens = tokens(&self.spent);
            let million = self.spent.usd.filter(|_| tokens > 0)? / tokens as f64 * 1e6;
            Some(Price { input: million, cached_input: None, output: million })
        };
        self.prices.get(&purpose).copied().or_else(of_earlier_calls)
    }

    /// Whether another round may be searched after `done` of them.
    pub fn allows_round(&self, done: usize) -> bool {
        self.max_rounds().is_none_or(|most| done < most)
    }

    /// Whether a call with a prompt of this length leaves enough for the report; else which limit does not. `pending` was
    /// spent in the same step and is not charged yet.
    pub fn allows_call(&self, purpose: Purpose, prompt_tokens: u64, pending: Usage) -> Result<(), Limit> {
        let mut spent = self.spent;
        spent += pending;
        let spent_usd = spent.usd.unwrap_or(0.0) + self.beside;
        let call_usd = self.usd(purpose, prompt_tokens, REPLY_TOKENS_OUT).unwrap_or(0.0);
        let report_usd = self.usd(Purpose::Write, self.evidence_tokens, REPORT_TOKENS_OUT).unwrap_or(0.0);
        let fits_tokens = |most: u64| {
            let report = (self.evidence_tokens + REPORT_TOKENS_OUT).min(most / 2);
            tokens(&spent) + prompt_tokens + REPLY_TOKENS_OUT + report <= most
        };
        let fits_usd = |most: f64| most > 0.0 && spent_usd + call_usd + report_usd.min(most / 2.0) <= most;
        if self.limits.max_calls.is_some_and(|most| spent.calls + 2 > most) {
            Err(Limit::Calls)
        } else if self.limits.max_tokens.is_some_and(|most| !fits_tokens(most)) {
            Err(Limit::Tokens)
        } else if self.limits.max_usd.is_some_and(|most| !fits_usd(most)) {
            Err(Limit::Money)
        } else if self.time_left().is_some_and(|left| left.is_zero()) {
            Err(Limit::Time)
        } else {
            Ok(())
        }
    }

    /// How many requests the limit on calls leaves to a call, retries included; `None` without a limit. A call of the
    /// search leaves one for the report. `pending` as in [`Self::allows_call`].
    pub fn requests_left(&self, pending: Usage, keeps_reserve: bool) -> Option<u64> {
        let taken = self.spent.calls + pending.calls + u64::from(keeps_reserve);
        Some(self.limits.max_calls?.saturating_sub(taken))
    }

    /// How long the report may be that is written from a prompt of this length; `None` without a limit. The error is the
    /// limit that does not allow the call at all; one on time is for [`Self::all_time_left`] to say.
    pub fn report_room(&self, prompt_tokens: u64) -> Result<Option<Room>, Limit> {
        if self.limits.max_calls.is_some_and(|most| self.spent.calls + 1 > most) {
            return Err(Limit::Calls);
        }
        let by_tokens = self.limits.max_tokens.map(|most| Room {
            tokens: most.saturating_sub(tokens(&self.spent)).saturating_sub(prompt_tokens),
            limit: Limit::Tokens,
        });
        let by_usd = self.limits.max_usd.zip(self.price(Purpose::Write)).and_then(|(most, price)| {
            let prompt = Usage { prompt_tokens, ..Usage::default() };
            let left = most - self.spent.usd.unwrap_or(0.0) - self.beside - price.of(&prompt);
            let tokens = match price.output > 0.0 {
                true => (left.max(0.0) * 1e6 / price.output) as u64,
                false if left >= 0.0 => return None,
                false => 0,
            };
            Some(Room { tokens, limit: Limit::Money })
        });
        Ok([by_tokens, by_usd].into_iter().flatten().min_by_key(|room| room.tokens))
    }

    /// Whether the limits allow so many calls for the report, with so many tokens in and out together.
    pub fn allows_parts(&self, calls: u64, prompt_tokens: u64, completion_tokens: u64) -> bool {
        let usd = self.usd(Purpose::Write, prompt_tokens, completion_tokens).unwrap_or(0.0);
        let spent_usd = self.spent.usd.unwrap_or(0.0) + self.beside;
        self.limits.max_calls.is_none_or(|most| self.spent.calls + calls <= most)
            && self.limits.max_tokens.is_none_or(|most| tokens(&self.spent) + prompt_tokens + completion_tokens <= most)
            && self.limits.max_usd.is_none_or(|most| spent_usd + usd <= most)
    }

    /// How long searching may go on; `None` without a limit. The report keeps twice the time of the slowest call and a
    /// minute at least, but at most a quarter of all.
    pub fn time_left(&self) -> Option<Duration> {
        let most = self.limits.max_time?;
        let reserve = (self.slowest * 2).max(REPORT_TIME).min(most / 4);
        Some(most.saturating_sub(reserve).saturating_sub(self.stopwatch.running()))
    }

    /// How long the run may go on; `None` without a limit.
    pub fn all_time_left(&self) -> Option<Duration> {
        Some(self.limits.max_time?.saturating_sub(self.stopwatch.running()))
    }

    /// Whether the run may not go on, since its time is over.
    pub fn is_all_time_over(&self) -> bool {
        self.all_time_left().is_some_and(|left| left.is_zero())
    }
}

fn tokens(usage: &Usage) -> u64 {
    usage.prompt_tokens + usage.completion_tokens
}

#[cfg(test)]
#[path = "budget_tests.rs"]
mod tests;
