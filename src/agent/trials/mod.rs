//! Runs with generated models: whatever a model says or costs, a run ends, keeps to its limits, and writes a report.

mod coverage;
mod limits;
mod prompts;
mod replies;
mod setting;
