//! Web search engines behind one interface: a query goes in, addresses of pages come out.
//!
//! Only addresses and titles are taken. The words that an engine shows of a page are its own choice and may not stand
//! there any more, so they are never evidence: the pages are fetched and read.

mod engine;
mod replies;
#[cfg(test)]
mod tests;

pub use engine::{Provider, SearchEngine, SearchEngineError, SearchEngineOptions};

/// A page that an engine names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebResult {
    /// Its address, `http` or `https`, without a fragment.
    pub url: String,
    /// Its title, as the engine has it; may be empty.
    pub title: String,
}
