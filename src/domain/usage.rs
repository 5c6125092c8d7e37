use std::ops::AddAssign;

use serde::{Deserialize, Serialize};

/// The number, the tokens and the cost of model calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Usage {
    /// Requests sent, repairs and failures included.
    pub calls: u64,
    /// Tokens in.
    pub prompt_tokens: u64,
    /// The number of these that the provider had cached.
    pub cached_tokens: u64,
    /// Tokens out, reasoning included.
    pub completion_tokens: u64,
    /// US dollars; `None` if the config has no price for a model that was called.
    pub usd: Option<f64>,
    /// Whether some tokens were estimated from lengths because the endpoint did not report them.
    pub estimated: bool,
    /// Calls that were under way when the process was killed: their cost is unknown, and they are counted nowhere else.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub unanswered: u32,
}

fn is_zero(count: &u32) -> bool {
    *count == 0
}

impl Usage {
    /// The usage of calls that cost nothing.
    pub fn free(calls: u64) -> Self {
        Usage { calls, usd: Some(0.0), ..Usage::default() }
    }
}

impl AddAssign for Usage {
    /// The sum has a price only if every part that made calls has one.
    fn add_assign(&mut self, other: Usage) {
        self.usd = match (self.calls, other.calls) {
            (_, 0) => self.usd,
            (0, _) => other.usd,
            _ => self.usd.zip(other.usd).map(|(a, b)| a + b),
        };
        // An endpoint may report any number, so the sums must not overflow.
        self.calls = self.calls.saturating_add(other.calls);
        self.prompt_tokens = self.prompt_tokens.saturating_add(other.prompt_tokens);
        self.cached_tokens = self.cached_tokens.saturating_add(other.cached_tokens);
        self.completion_tokens = self.completion_tokens.saturating_add(other.completion_tokens);
        self.estimated = self.estimated || other.estimated;
        self.unanswered = self.unanswered.saturating_add(other.unanswered);
    }
}

/// US dollars per million tokens of one model.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Price {
    /// Tokens in.
    pub input: f64,
    /// Tokens in that the provider had cached; `None` for the full input price.
    pub cached_input: Option<f64>,
    /// Tokens out.
    pub output: f64,
}

impl Price {
    /// What `usage` costs in US dollars.
    pub fn of(&self, usage: &Usage) -> f64 {
        let cached = usage.cached_tokens.min(usage.prompt_tokens);
        let fresh = usage.prompt_tokens - cached;
        (fresh as f64 * self.input
            + cached as f64 * self.cached_input.unwrap_or(self.input)
            + usage.completion_tokens as f64 * self.output)
            / 1e6
    }
}
