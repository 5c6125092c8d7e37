use super::keyword_search::SearchArguments;
use crate::llm::ToolSpec;
use crate::llm::structured::strict_schema;

pub(super) const NAME: &str = "semantic_search";
pub(super) const EXAMPLE: &str = r#"{"query": "a question or a statement", "k": 5}"#;

pub(super) fn spec() -> ToolSpec {
    ToolSpec {
        name: NAME.to_owned(),
        description:
            "Ranks passages by meaning, whatever their words, and shows, for each, its ids, its title and only \
                      the sentences closest to the query. For questions and descriptions."
                .to_owned(),
        parameters: strict_schema::<SearchArguments>(),
    }
}
