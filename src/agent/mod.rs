//! The research itself: plan, search, reflect, search again, write.
//!
//! [`research`] runs a strategy and writes the report. All strategies share one state: what is asked, the evidence ledger
//! that all searches fill and all prompts read from, the budget ([`Limits`] bound it), and the report, whose citations are
//! checked as it streams.
//! Whether the search goes on is the model's decision; limits, failures and the user only end it early, and then the
//! report is written from what was found.

mod act;
mod age;
mod budget;
mod choose;
mod conversation;
mod describe;
mod engine;
mod error;
mod follow;
mod gate;
pub mod journal;
mod ledger;
mod limits;
mod material;
mod metered;
mod plan;
mod preview;
mod queries;
mod quiz;
mod recall;
mod reflect;
mod run;
mod search;
mod sources;
mod strategy;
mod tool_use;
mod tools;
#[cfg(test)]
mod trials;
mod web;
mod web_round;
mod write;

pub use age::AgeOptions;
pub use describe::describe;
pub use engine::{AgentOptions, Engine};
pub use error::AgentError;
pub use journal::{Journal, JournalError};
pub use limits::{Limits, StrategyLimits};
pub use preview::preview;
pub use quiz::{Posed, quiz};
pub use run::{journaled, research};
pub use sources::Sources;
pub use web::{OpenPageIndex, PageIndex, WebSource};
