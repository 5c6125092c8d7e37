use serde::Serialize;

use super::{Strategy, SubQuery, Usage};

/// What a run would do and cost.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Preview {
    /// The question as asked.
    pub question: String,
    /// The strategy that the run would use; never [`Strategy::Auto`].
    pub strategy: Strategy,
    /// The model's reason for the plan, or for the strategy.
    pub reason: String,
    /// The searches that would come first.
    pub sub_queries: Vec<SubQuery>,
    /// The cost of the run if the first round is enough. Like `most`, it begins with the plan, and counts no call that
    /// fails or has to be repaired.
    pub least: Estimate,
    /// The cost if the run makes all rounds that the limits allow; `None` if nothing limits them.
    pub most: Option<Estimate>,
    /// The limit that would end the costliest run.
    pub may_reach: Option<&'static str>,
    /// What the preview itself cost.
    pub usage: Usage,
    /// How long it took.
    pub seconds: f64,
    /// What went wrong during the preview.
    pub warnings: Vec<String>,
    /// Whether searches may go to the web. Nothing was fetched for the preview.
    pub web: bool,
}

/// The approximate cost of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Estimate {
    /// Model calls.
    pub calls: u64,
    /// Tokens in.
    pub prompt_tokens: u64,
    /// Tokens out.
    pub completion_tokens: u64,
    /// US dollars; `None` if the config has no price for a model.
    pub usd: Option<f64>,
    /// Seconds of model calls, at the pace of the plan; `None` if that is not known.
    pub seconds: Option<f64>,
}
