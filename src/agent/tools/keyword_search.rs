use schemars::JsonSchema;
use serde::Deserialize;

use super::arguments::{count, text};
use crate::llm::ToolSpec;
use crate::llm::structured::strict_schema;

pub(super) const NAME: &str = "keyword_search";
pub(super) const FIELDS: [&str; 2] = ["query", "k"];
pub(super) const EXAMPLE: &str = r#"{"query": "words that the passage has", "k": 5}"#;
/// Passages of one search, at most.
pub(super) const MOST: u32 = 20;

/// What both searches are asked with.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct SearchArguments {
    /// What to look for.
    #[serde(deserialize_with = "text")]
    pub query: String,
    /// How many passages, from 1 to 20; 5 is mostly right.
    #[serde(default = "usual", deserialize_with = "count")]
    pub k: u32,
}

fn usual() -> u32 {
    5
}

pub(super) fn spec() -> ToolSpec {
    ToolSpec {
        name: NAME.to_owned(),
        description:
            "Ranks passages by the words of the query (BM25) and shows, for each, its ids, its title and only \
                      the sentences that hold the words. For names, numbers, terms and exact phrases."
                .to_owned(),
        parameters: strict_schema::<SearchArguments>(),
    }
}
