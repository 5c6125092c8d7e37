//! The research itself: plan, search, reflect, search again, write.
//!
//! [`research`] is the loop. Its parts are one file each: what is planned and asked ([`Limits`] bound it), the evidence
//! ledger that all searches fill and all prompts read from, and the report, whose citations are checked as it streams.
//! Whether the search goes on is the model's decision; limits, failures and the user only end it early, and then the
//! report is written from what was found.

mod age;
mod budget;
mod describe;
mod engine;
mod error;
mod ledger;
mod material;
mod plan;
mod queries;
mod recall;
mod reflect;
mod run;
mod search;
mod write;

pub use age::AgeOptions;
pub use budget::Limits;
pub use describe::describe;
pub use engine::{AgentOptions, Engine};
pub use error::AgentError;
pub use run::research;
