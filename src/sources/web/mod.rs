//! Web pages, from their addresses to documents.
//!
//! A crawl (`crawl`) follows a frontier (`frontier`) of normalised addresses (`normalize`), within its limits (`scope`)
//! and avoiding what sites generate endlessly (`traps`); the outcome of each page is recorded (`books`). Servers are
//! asked politely (`hosts`, `robots`), and their responses are kept (`state`), so that an interrupted crawl continues,
//! the next one asks only for changes, and its documents are known (`known`). Pages are parsed (`reader`, `page`,
//! `listing`), and those that only say "not found" are recognised (`soft`).

mod books;
mod crawl;
mod error;
mod frontier;
mod hosts;
mod known;
mod listing;
mod normalize;
mod page;
mod reader;
mod report;
mod robots;
mod scope;
mod soft;
mod state;
mod traps;

pub use crawl::{Crawl, CrawlOptions, crawl};
pub use error::CrawlError;
pub use known::{CrawlOf, documents_of, forget_crawl};
pub use report::{CrawlReport, Crawled, CrawledPage, LeftOut};
pub use scope::{Breadth, Links};

#[cfg(test)]
mod crawl_tests;
