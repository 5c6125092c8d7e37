//! The research itself: plan, search, reflect, search again, write.
//!
//! `strategy` is the loop, `run` the state that all strategies share. Each step is a function in the file of its name:
//! `probe`, `plan`, `search`, `reflect`, `follow`, `act`, `choose`, `recall`, `widen`, `write`. The exceptions are web
//! searches, in `web_round`, and the use of tools, in `tool_use`.
//!
//! [`research`] runs a strategy and writes the report. All strategies share one state: what is asked, the evidence
//! ledger that all searches fill and all prompts read, the budget ([`Limits`] bound it), and the report, whose
//! citations are checked as it streams. The model decides whether the search goes on; limits, failures and the user
//! only end it early, and the report is then written from what was found.

mod act;
mod again;
mod age;
mod budget;
mod call;
mod choose;
mod conversation;
mod coverage;
mod describe;
mod draft;
mod engine;
mod error;
mod follow;
mod gate;
pub mod journal;
mod ledger;
mod limits;
mod lineage;
mod metered;
mod outline;
mod overview;
mod plan;
mod preview;
mod probe;
mod prompt_text;
mod queries;
mod quiz;
mod recall;
mod reflect;
mod research;
mod review;
mod revise;
mod run;
mod scope;
mod search;
mod sections;
mod sources;
mod steer;
mod strategy;
mod tool_search;
mod tool_use;
mod tools;
mod tree;
#[cfg(test)]
mod trials;
mod web_pages;
mod web_round;
mod widen;
mod write;

pub use again::{repeat_searches, search_question};
pub use age::AgeOptions;
pub use describe::describe;
pub use engine::{AgentOptions, Engine, FollowUp};
pub use error::{AgentError, MAX_QUESTION_BYTES, checked_question};
pub use journal::{Journal, JournalError};
pub use limits::{Limits, StrategyLimits};
pub use preview::preview;
pub use quiz::{PosedQuestion, quiz};
pub use research::{journaled, research};
pub use revise::revise;
pub use sources::Sources;
pub use steer::{PlanMade, PlanPreview, Steering, SteeringDecision};
pub use web_pages::{OpenPageIndex, PageIndex, WebSource};
