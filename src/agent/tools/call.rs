//! Interprets a model's tool calls: each is understood, or answered with how to do it right. Nothing is run here.

use super::arguments::{Parsed, parse};
use super::chunk_read::{self, MOST_NEIGHBOURS, ReadArguments};
use super::finish::{self, FinishArguments};
use super::keyword_search::{self, MOST, SearchArguments};
use super::{semantic_search, web_search};
use crate::base::text::excerpt;
use crate::domain::{ChunkId, SearchMode};
use crate::llm::{ToolCall, ToolSpec};

/// The action that a call asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::agent) enum ToolRequest {
    Search { mode: SearchMode, query: String, k: usize },
    Web { query: String, k: usize },
    Read { chunk: ChunkId, neighbours: u32 },
    Finish { plan: String },
}

/// A valid call, with notes on what in it was ignored or adjusted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::agent) struct ParsedCall {
    pub wish: ToolRequest,
    pub notes: Vec<String>,
}

/// The tools as they are described to models.
pub(in crate::agent) fn specs(web: bool) -> Vec<ToolSpec> {
    let web = web.then(web_search::spec);
    let own = [keyword_search::spec(), semantic_search::spec(), chunk_read::spec(), finish::spec()];
    own.into_iter().chain(web).collect()
}

/// Reads a call; the error tells the model what is wrong and how to do it right.
pub(in crate::agent) fn understand(call: &ToolCall, web: bool) -> Result<ParsedCall, String> {
    let by = |mode: SearchMode| move |query: String, k: usize| ToolRequest::Search { mode, query, k };
    let name = call.name.trim();
    let (understood, example) = match name {
        keyword_search::NAME => (search(call, by(SearchMode::Keyword)), keyword_search::EXAMPLE),
        semantic_search::NAME => (search(call, by(SearchMode::Semantic)), semantic_search::EXAMPLE),
        web_search::NAME if web => (search(call, |query, k| ToolRequest::Web { query, k }), web_search::EXAMPLE),
        chunk_read::NAME => (read(call), chunk_read::EXAMPLE),
        finish::NAME => (end(call), finish::EXAMPLE),
        other => {
            let names: Vec<String> = specs(web).into_iter().map(|spec| spec.name).collect();
            return Err(format!("there is no tool `{}`; the tools are {}", excerpt(other, 60), names.join(", ")));
        }
    };
    understood.map_err(|error| format!("{name} was not run: {error}. Call it with arguments such as {example}"))
}

fn search(call: &ToolCall, wish: impl FnOnce(String, usize) -> ToolRequest) -> Result<ParsedCall, String> {
    let (arguments, unknown): Parsed<SearchArguments> = parse(&call.arguments, &keyword_search::FIELDS)?;
    let mut notes = ignored(&unknown);
    let k = arguments.k.clamp(1, MOST);
    if k != arguments.k {
        notes.push(format!("k is from 1 to {MOST}; {k} was taken"));
    }
    Ok(ParsedCall { wish: wish(arguments.query, k as usize), notes })
}

fn read(call: &ToolCall) -> Result<ParsedCall, String> {
    let (arguments, unknown): Parsed<ReadArguments> = parse(&call.arguments, &chunk_read::FIELDS)?;
    let mut notes = ignored(&unknown);
    let neighbours = arguments.neighbours.min(MOST_NEIGHBOURS);
    if neighbours != arguments.neighbours {
        notes.push(format!("neighbours is from 0 to {MOST_NEIGHBOURS}; {neighbours} was taken"));
    }
    Ok(ParsedCall { wish: ToolRequest::Read { chunk: arguments.chunk()?, neighbours }, notes })
}

fn end(call: &ToolCall) -> Result<ParsedCall, String> {
    let (arguments, unknown): Parsed<FinishArguments> = parse(&call.arguments, &finish::FIELDS)?;
    Ok(ParsedCall { wish: ToolRequest::Finish { plan: arguments.plan }, notes: ignored(&unknown) })
}

fn ignored(unknown: &[String]) -> Vec<String> {
    let name = |name: &String| format!("there is no argument `{}`; it was ignored", excerpt(name, 40));
    unknown.iter().take(3).map(name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::DocumentId;

    fn check(name: &str, arguments: &str, expected: Result<(ToolRequest, usize), &str>) {
        let call = ToolCall { id: "1".to_owned(), name: name.to_owned(), arguments: arguments.to_owned() };
        match (understand(&call, name == "web_search"), expected) {
            (Ok(found), Ok((wish, notes))) => {
                assert_eq!((&found.wish, found.notes.len()), (&wish, notes), "{arguments}: {:?}", found.notes);
            }
            (Err(found), Err(part)) => assert!(found.contains(part), "{arguments}: {found}"),
            (found, _) => panic!("{arguments}: {found:?}"),
        }
    }

    fn search(mode: SearchMode, query: &str, k: usize) -> ToolRequest {
        ToolRequest::Search { mode, query: query.to_owned(), k }
    }

    fn read(document: u64, ordinal: u32, neighbours: u32) -> ToolRequest {
        ToolRequest::Read { chunk: ChunkId { document: DocumentId(document), ordinal }, neighbours }
    }

    #[test]
    fn searches_are_understood_however_numbers_are_written() {
        let keyword = |k| Ok((search(SearchMode::Keyword, "lion", k), 0));
        check("keyword_search", r#"{"query": "lion", "k": 7}"#, keyword(7));
        check(" keyword_search ", r#"{"query": "lion"}"#, keyword(5));
        check("keyword_search", r#"{"query": "lion", "k": "7"}"#, keyword(7));
        check("keyword_search", r#"{"query": "lion", "k": 7.0}"#, keyword(7));
        check("keyword_search", r#""{\"query\": \"lion\", \"k\": 7}""#, keyword(7));
        check(
            "web_search",
            r#"{"query": "lion", "k": 3}"#,
            Ok((ToolRequest::Web { query: "lion".to_owned(), k: 3 }, 0)),
        );
        check("semantic_search", r#"{"query": "ライオン"}"#, Ok((search(SearchMode::Semantic, "ライオン", 5), 0)));
    }

    #[test]
    fn what_is_out_of_range_is_cut_with_a_note() {
        check("keyword_search", r#"{"query": "x", "k": 0}"#, Ok((search(SearchMode::Keyword, "x", 1), 1)));
        check("keyword_search", r#"{"query": "x", "k": -3}"#, Ok((search(SearchMode::Keyword, "x", 1), 1)));
        check("keyword_search", r#"{"query": "x", "k": 1e99}"#, Ok((search(SearchMode::Keyword, "x", 20), 1)));
        check("keyword_search", r#"{"query": "x", "top_k": 9}"#, Ok((search(SearchMode::Keyword, "x", 5), 1)));
        check("chunk_read", r#"{"doc_id": "d1", "chunk_id": 2, "neighbours": 9}"#, Ok((read(1, 2, 2), 1)));
    }

    #[test]
    fn passages_are_named_in_every_usual_way() {
        check("chunk_read", r#"{"doc_id": "d12", "chunk_id": 3, "neighbours": 1}"#, Ok((read(12, 3, 1), 0)));
        check("chunk_read", r#"{"doc_id": 12, "chunk_id": "3"}"#, Ok((read(12, 3, 0), 0)));
        check("chunk_read", r#"{"doc_id": "d12#3"}"#, Ok((read(12, 3, 0), 0)));
        check("chunk_read", r#"{"doc_id": "d12"}"#, Err("chunk_id is missing"));
        check("chunk_read", r#"{"doc_id": "the first", "chunk_id": 1}"#, Err("`the first` is no doc_id"));
        check("chunk_read", r#"{"doc_id": 99999999999999999999, "chunk_id": 1}"#, Err("is no doc_id"));
        check("chunk_read", r#"{"doc_id": 18446744073709551615, "chunk_id": 4294967295}"#, {
            Ok((read(u64::MAX >> 24, (1 << 24) - 1, 0), 0))
        });
    }

    #[test]
    fn mistakes_are_answered_with_how_to_do_it_right() {
        check("keyword_search", "{}", Err("missing field `query`. Call it with arguments such as {\"query\""));
        check("keyword_search", "", Err("missing field `query`"));
        check("keyword_search", r#"{"query": " "}"#, Err("a text is empty"));
        check("keyword_search", r#"{"query": 7}"#, Err("expected a string"));
        check("semantic_search", r#"{"query": "x", "k": "many"}"#, Err("expected a whole number, found \"many\""));
        check("semantic_search", r#"{"query": "x""#, Err("no JSON"));
        check("semantic_search", "[1]", Err("no JSON object"));
        check("finish", "{}", Err("missing field `plan`"));
        check("open_page", "{}", Err("there is no tool `open_page`; the tools are keyword_search, semantic_search"));
        check("web_search", "{}", Err("missing field `query`. Call it with arguments such as {\"query\""));
        let call = ToolCall { id: "1".to_owned(), name: "web_search".to_owned(), arguments: "{}".to_owned() };
        assert!(understand(&call, false).is_err_and(|told| told.starts_with("there is no tool `web_search`")));
        check("", "{}", Err("there is no tool ``"));
    }

    #[test]
    fn a_tool_is_told_with_its_arguments_and_their_meaning() {
        for spec in specs(true) {
            let properties = spec.parameters["properties"].as_object().unwrap();
            let required = spec.parameters["required"].as_array().unwrap();
            assert_eq!(properties.len(), required.len(), "{}", spec.name);
            for (name, property) in properties {
                assert!(property["description"].is_string(), "{} {name}", spec.name);
            }
        }
    }
}
