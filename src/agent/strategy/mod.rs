//! The strategies: each is the policy of what a run does next, over the state, the calls and the searches that all share.

mod chain;
mod deep;
mod naive;
mod policy;
mod react;

pub(super) use policy::{run, settle};
