//! The command line through its real binary: one file for each theme, one harness.

mod collections;
mod config;
mod harness;
mod help;
mod usage;
