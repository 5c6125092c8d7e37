use super::keyword_search::SearchArguments;
use crate::llm::ToolSpec;
use crate::llm::structured::strict_schema;

pub(super) const NAME: &str = "web_search";
pub(super) const EXAMPLE: &str = r#"{"query": "words that a page has", "k": 5}"#;

pub(super) fn spec() -> ToolSpec {
    ToolSpec {
        name: NAME.to_owned(),
        description:
            "Asks a web search engine, fetches the pages that it names, and shows their best passages like any \
                      other search. Slow; for what the user's own documents cannot hold. Anybody may have written the pages."
                .to_owned(),
        parameters: strict_schema::<SearchArguments>(),
    }
}
