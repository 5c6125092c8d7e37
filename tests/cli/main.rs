//! Tests the command line through its real binary, with one file per theme and one harness.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

mod ask;
mod bad_input;
mod chat;
mod circles;
mod collections;
mod config;
mod crawl;
#[cfg(target_os = "linux")]
mod disk;
mod endpoint;
mod eval_agent;
mod eval_retrieval;
mod examples;
mod export;
mod filters;
mod floors;
mod form;
mod formats;
mod harness;
mod help;
#[cfg(target_os = "linux")]
mod hostile;
#[cfg(target_os = "linux")]
#[path = "../hostile/mod.rs"]
#[expect(dead_code, reason = "the example measures all of them, which takes long")]
mod hostile_files;
#[cfg(unix)]
mod interrupt;
mod keys;
mod limits;
mod listener;
mod load;
mod lookup;
mod mcp;
mod memory;
mod offline;
#[cfg(target_os = "linux")]
mod person;
mod python_docs;
mod query;
mod readme;
mod recovery;
mod runs;
#[cfg(unix)]
mod scans;
mod serve;
mod serve_guard;
mod serve_shared;
mod server;
mod site;
mod smoke;
mod sources;
#[path = "../qdrant/mod.rs"]
#[expect(dead_code, reason = "the store's own tests make it fail in more ways")]
mod stand_in;
mod strategies;
mod train;
mod trust;
mod update;
mod usage;
mod verify;
mod watch_question;
mod web_search;
