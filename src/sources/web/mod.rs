//! Web pages, from their addresses to documents.
//!
//! A crawl (`crawl`) follows a frontier (`frontier`) of addresses in one form each (`normalize`), as far as it was
//! asked to (`scope`) and not into what sites make up without end (`traps`); what becomes of each page stands in its
//! books (`books`). Servers are asked politely (`hosts`, `robots`), and what they answer is kept (`state`), so that an
//! interrupted crawl goes on, the next one asks only for changes, and it is known what it brought (`known`). A page is
//! taken apart (`reader`, `page`, `listing`) and recognised where it says nothing of its own (`soft`).

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
