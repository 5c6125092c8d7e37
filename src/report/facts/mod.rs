//! The facts that a sentence states and that can be looked up in the passages that it cites: figures, days, units and
//! names, in any notation. The check of a report while it is written and the check of a stored one both use this;
//! answers without a model compare statements and days with it.

mod band;
mod cells;
mod conflict;
mod derived;
mod names;
#[cfg(test)]
mod planted_tests;
mod prose;
mod scan;
mod sentence;
mod source;
#[cfg(test)]
mod tests;
mod units;

pub(crate) use band::{Band, amounts, states_amount};
pub use conflict::{ParsedStatement, compare};
pub use scan::{Day, days};
pub(crate) use scan::{Number, date_ranges};
pub use sentence::{Kind, Problem, SentenceCheck, check, differ_in_facts};
pub use source::Source;
pub(super) use units::ideographic;
