//! Web search engines behind one interface: a query goes in, addresses of pages come out.
//!
//! Only addresses and titles are used. The snippets of an engine are its own choice and may no longer be on the page,
//! so they are never evidence: the pages are fetched and read.

mod engine;
mod replies;
#[cfg(test)]
mod tests;

pub use engine::{Provider, SearchEngine, SearchEngineError, SearchEngineOptions};

/// A page in the results of an engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebResult {
    /// The address, `http` or `https`, without a fragment.
    pub url: String,
    /// The title according to the engine; may be empty.
    pub title: String,
}
