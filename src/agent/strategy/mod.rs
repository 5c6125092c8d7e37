//! The strategies. Each decides what a run does next; all share the state, the calls and the searches.

mod chain;
mod deep;
mod naive;
mod policy;
mod react;

pub(super) use policy::{run, settle};
