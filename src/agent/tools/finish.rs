use schemars::JsonSchema;
use serde::Deserialize;

use super::arguments::text;
use crate::llm::ToolSpec;
use crate::llm::structured::strict_schema;

pub(super) const NAME: &str = "finish";
pub(super) const FIELDS: [&str; 1] = ["plan"];
pub(super) const EXAMPLE: &str = r#"{"plan": "the answer, point by point, with the numbers of the passages read"}"#;

/// What the research ends with.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct FinishArguments {
    /// The answer in a few lines, point by point, each with the numbers of the passages that state it, as in [3]; and
    /// what was not found.
    #[serde(deserialize_with = "text")]
    pub plan: String,
}

pub(super) fn spec() -> ToolSpec {
    ToolSpec {
        name: NAME.to_owned(),
        description: "Ends the research. The report is then written from the passages that were read.".to_owned(),
        parameters: strict_schema::<FinishArguments>(),
    }
}
