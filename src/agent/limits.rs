use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::domain::Strategy;

/// When a run must end. Whatever the limits, there is a report of what was found. A limit on tokens, time or money may
/// be exceeded only by the call that is under way when it is reached, with its retries.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Limits {
    /// The maximum number of search rounds; at least one is made.
    pub max_rounds: Option<usize>,
    /// The maximum number of model calls. A retry counts as one, and is not sent if none is left.
    pub max_calls: Option<u64>,
    /// The maximum number of tokens, in and out.
    pub max_tokens: Option<u64>,
    /// The maximum time from the question to the last word.
    pub max_time: Option<Duration>,
    /// The maximum cost in US dollars; without prices it cannot be enforced.
    pub max_usd: Option<f64>,
}

/// What a limit bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Limit {
    Calls,
    Tokens,
    Money,
    Time,
}

impl Limit {
    /// The name in warnings, the journal and previews.
    pub fn name(self) -> &'static str {
        match self {
            Limit::Calls => "calls",
            Limit::Tokens => "tokens",
            Limit::Money => "money",
            Limit::Time => "time",
        }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Limits { max_rounds: Some(4), ..Limits::NONE }
    }
}

impl Limits {
    /// No limit at all.
    pub const NONE: Limits =
        Limits { max_rounds: None, max_calls: None, max_tokens: None, max_time: None, max_usd: None };

    /// These limits; those that are missing are taken from `common`.
    pub fn or(self, common: Limits) -> Limits {
        Limits {
            max_rounds: self.max_rounds.or(common.max_rounds),
            max_calls: self.max_calls.or(common.max_calls),
            max_tokens: self.max_tokens.or(common.max_tokens),
            max_time: self.max_time.or(common.max_time),
            max_usd: self.max_usd.or(common.max_usd),
        }
    }
}

/// The limits of a run by its strategy: a round of one strategy is a single step of another.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct StrategyLimits {
    /// The limits of a strategy that has none of its own, and of a run whose strategy is not chosen yet.
    pub common: Limits,
    /// The limits of the strategy `deep`; those that are missing are taken from `common`.
    pub deep: Limits,
    /// The limits of the strategy `react`, likewise.
    pub react: Limits,
    /// The limits of the strategy `chain`, likewise.
    pub chain: Limits,
    /// The limits of the strategy `naive`, likewise.
    pub naive: Limits,
}

impl Default for StrategyLimits {
    fn default() -> Self {
        StrategyLimits {
            react: Limits { max_rounds: Some(20), ..Limits::NONE },
            chain: Limits { max_rounds: Some(8), ..Limits::NONE },
            ..StrategyLimits::from(Limits::default())
        }
    }
}

impl From<Limits> for StrategyLimits {
    /// The same for every strategy.
    fn from(common: Limits) -> Self {
        let none = Limits::NONE;
        StrategyLimits { common, deep: none, react: none, chain: none, naive: none }
    }
}

impl StrategyLimits {
    /// These limits, replaced for every strategy by those that are set in `other`.
    pub fn with(&self, other: Limits) -> StrategyLimits {
        let with = |own: Limits| other.or(own);
        StrategyLimits {
            common: with(self.common),
            deep: with(self.deep),
            react: with(self.react),
            chain: with(self.chain),
            naive: with(self.naive),
        }
    }

    /// The limits that apply to a strategy.
    pub fn of(&self, strategy: Strategy) -> Limits {
        let own = match strategy {
            Strategy::Deep => self.deep,
            Strategy::React => self.react,
            Strategy::Chain => self.chain,
            Strategy::Naive => self.naive,
            Strategy::Auto => Limits::NONE,
        };
        own.or(self.common)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_strategys_own_limit_goes_before_the_common_one() {
        let limits = StrategyLimits {
            common: Limits { max_calls: Some(9), ..Limits::default() },
            react: Limits { max_rounds: Some(20), max_usd: Some(0.5), ..Limits::NONE },
            ..StrategyLimits::default()
        };
        let common = Limits { max_rounds: Some(4), max_calls: Some(9), ..Limits::NONE };
        assert_eq!(limits.of(Strategy::React), Limits { max_rounds: Some(20), max_usd: Some(0.5), ..common });
        assert_eq!(limits.of(Strategy::Chain), Limits { max_rounds: Some(8), ..common });
        for strategy in [Strategy::Deep, Strategy::Naive, Strategy::Auto] {
            assert_eq!(limits.of(strategy), common, "{}", strategy.name());
        }
    }
}
