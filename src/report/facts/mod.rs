//! What a sentence states that can be looked up in what it cites: figures, days, units and names, in any notation. Both
//! the check of a report while it is written and the check of one that lies on a disk use this; answers without a model
//! compare statements and days by it.

mod conflict;
mod derived;
mod names;
#[cfg(test)]
mod planted_tests;
mod scan;
mod sentence;
mod source;
#[cfg(test)]
mod tests;
mod units;

pub use conflict::{Comparison, Scope, Stated, compare};
pub use sentence::{Checked, Kind, Problem, check, differ_in_facts};
pub use source::Source;

use scan::{Day, Facts};

/// Whether a text names days with their years, and none after `day`, as `YYYY-MM-DD`.
pub fn is_past(text: &str, day: &str) -> bool {
    let last = |day: &Day| Some(format!("{:04}-{:02}-{:02}", day.year?, day.month?, day.day?));
    let dates = Facts::of(text).dates;
    let days: Option<Vec<String>> = dates.iter().flat_map(|date| &date.readings).map(last).collect();
    !day.is_empty() && days.is_some_and(|days| !days.is_empty() && days.iter().all(|one| one.as_str() <= day))
}
