use serde::Serialize;

use super::{Strategy, SubQuery, Usage};

/// What a run would do and cost.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Preview {
    /// As asked.
    pub question: String,
    /// How the run would go about it; never [`Strategy::Auto`].
    pub strategy: Strategy,
    /// The model's reason for the plan, or for the strategy.
    pub reason: String,
    /// What would be searched first.
    pub sub_queries: Vec<SubQuery>,
    /// What the run costs where the first round is enough. Like `most` it begins with the plan, and counts no call that
    /// fails or has to be repaired.
    pub least: Estimate,
    /// What it costs where all rounds are made that the limits allow; `None` where nothing limits them.
    pub most: Option<Estimate>,
    /// The limit that would end the costliest run.
    pub may_reach: Option<&'static str>,
    /// What the preview itself cost.
    pub usage: Usage,
    /// How long it took.
    pub seconds: f64,
    /// What went wrong on the way.
    pub warnings: Vec<String>,
    /// Whether searches may go to the web. Nothing was fetched for the preview.
    pub web: bool,
}

/// About what a run costs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Estimate {
    /// Model calls.
    pub calls: u64,
    /// Tokens in.
    pub prompt_tokens: u64,
    /// Tokens out.
    pub completion_tokens: u64,
    /// US dollars; `None` where the config has no price for a model.
    pub usd: Option<f64>,
    /// Seconds of model calls, at the pace of the plan; `None` where that is not known.
    pub seconds: Option<f64>,
}
