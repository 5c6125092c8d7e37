//! What a run has spent, and whether its limits allow another round or call. Nothing here makes a call or waits;
//! requests are counted in `metered.rs` as they are made.

use std::collections::HashMap;
use std::time::Duration;

use super::Limits;
use super::journal::Stopwatch;
use super::limits::Limit;
use crate::domain::{Price, Usage};
use crate::llm::Purpose;

/// The approximate number of tokens in a report.
pub(super) const REPORT_TOKENS_OUT: u64 = 3_000;
/// The approximate number of tokens in the reply of a plan or a reflection.
pub(super) const REPLY_TOKENS_OUT: u64 = 500;
/// A capable model seldom takes longer for a report.
const REPORT_TIME: Duration = Duration::from_secs(60);

/// Counts what a run has spent, and keeps a reserve for the report.
///
/// A call is made only while no limit is exceeded, so that a limit is exceeded by no more than the call under way,
/// whose cost is known for certain only afterwards. Calls of the search must also leave the reserve alone. The reserve
/// is the cost of a report, but at most half of a limit on tokens or money and a quarter of one on time.
#[derive(Debug)]
pub(super) struct Budget {
    limits: Limits,
    prices: HashMap<Purpose, Price>,
    stopwatch: Stopwatch,
    spent: Usage,
    /// What was spent on anything but model calls, in US dollars.
    beside: f64,
    /// Tokens of the evidence that the report is written from.
    evidence_tokens: u64,
    slowest: Duration,
}

/// The room that the limits leave for the report's own text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct OutputAllowance {
    /// Completion tokens.
    pub tokens: u64,
    /// The limit that allows no more.
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

    /// The time of the slowest step so far.
    pub fn slowest(&self) -> Duration {
        self.slowest
    }

    /// Sets other limits, once the strategy is chosen.
    pub fn set_limits(&mut self, limits: Limits) {
        self.limits = limits;
    }

    /// The number of rounds allowed; `None` without a limit.
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

    /// The time from the start to the last answer from outside. Under a fixed clock no time passes.
    pub fn elapsed(&self) -> Duration {
        self.stopwatch.elapsed()
    }

    pub fn charge(&mut self, usage: Usage, took: Duration) {
        self.spent += usage;
        self.slowest = self.slowest.max(took);
    }

    /// Adds a cost in US dollars that is not that of a model call.
    pub fn charge_money(&mut self, usd: f64) {
        self.beside += usd;
    }

    /// The cost of a call with these tokens, at the price of its purpose or else at the average price of the earlier
    /// calls; `None` if neither is known.
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

    /// Whether another round may be searched after `done` rounds.
    pub fn allows_round(&self, done: usize) -> bool {
        self.max_rounds().is_none_or(|most| done < most)
    }

    /// Checks that a call with a prompt of this length leaves enough for the report; the error is the limit that
    /// forbids it. `pending` was spent in the same step and is not charged yet.
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

    /// The number of requests, retries included, that the limit on calls leaves to a call; `None` without a limit. A
    /// call of the search leaves one for the report. `pending` is as in [`Self::allows_call`].
    pub fn requests_left(&self, pending: Usage, keeps_reserve: bool) -> Option<u64> {
        let taken = self.spent.calls + pending.calls + u64::from(keeps_reserve);
        Some(self.limits.max_calls?.saturating_sub(taken))
    }

    /// The longest report that may be written from a prompt of this length; `None` without a limit. The error is the
    /// limit that forbids the call altogether. The limit on time is checked by [`Self::all_time_left`].
    pub fn report_room(&self, prompt_tokens: u64) -> Result<Option<OutputAllowance>, Limit> {
        if self.limits.max_calls.is_some_and(|most| self.spent.calls + 1 > most) {
            return Err(Limit::Calls);
        }
        let by_tokens = self.limits.max_tokens.map(|most| OutputAllowance {
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
            Some(OutputAllowance { tokens, limit: Limit::Money })
        });
        Ok([by_tokens, by_usd].into_iter().flatten().min_by_key(|room| room.tokens))
    }

    /// Whether the limits allow this many calls for the report, with these numbers of tokens in total.
    pub fn allows_parts(&self, calls: u64, prompt_tokens: u64, completion_tokens: u64) -> bool {
        let usd = self.usd(Purpose::Write, prompt_tokens, completion_tokens).unwrap_or(0.0);
        let spent_usd = self.spent.usd.unwrap_or(0.0) + self.beside;
        self.limits.max_calls.is_none_or(|most| self.spent.calls + calls <= most)
            && self.limits.max_tokens.is_none_or(|most| tokens(&self.spent) + prompt_tokens + completion_tokens <= most)
            && self.limits.max_usd.is_none_or(|most| spent_usd + usd <= most)
    }

    /// How much longer searching may go on; `None` without a limit. The report keeps twice the time of the slowest
    /// call, at least a minute, but at most a quarter of the whole time.
    pub fn time_left(&self) -> Option<Duration> {
        let most = self.limits.max_time?;
        let reserve = (self.slowest * 2).max(REPORT_TIME).min(most / 4);
        Some(most.saturating_sub(reserve).saturating_sub(self.stopwatch.running()))
    }

    /// How much longer the run may go on; `None` without a limit.
    pub fn all_time_left(&self) -> Option<Duration> {
        Some(self.limits.max_time?.saturating_sub(self.stopwatch.running()))
    }

    /// Whether the run must end because its time is over.
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
