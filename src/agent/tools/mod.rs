//! The tools that the strategy `react` gives to a model: how they are described, how calls are understood, and how
//! results are worded. Whatever a model writes, a call is either understood or answered with how to do it right.

mod arguments;
mod call;
mod chunk_read;
mod finish;
mod keyword_search;
mod semantic_search;
mod snippets;
mod web_search;

pub(super) use call::{ParsedCall, ToolRequest, specs, understand};
pub(super) use chunk_read::shown;
pub(super) use snippets::{ListedHit, snippets};
