//! Computes how strongly an event comes to mind: a pure function of its relevance to the question, of the time since it
//! was last needed, and of how often and how regularly it was needed before.
//!
//! With relevance r, time t and consolidation g, an event comes to mind with weight
//!
//! ```text
//! p(r, t, g) = (1 − exp(−r · e^(−t / g))) / (1 − e^(−1))
//! ```
//!
//! which is 1 for r = 1 and t = 0, falls with t, and falls more slowly the larger g is. g begins at 1. Each recall,
//! a time t after the one before it, adds S(t) = (1 − e^(−t)) / (1 + e^(−t)): nothing where the event was needed a
//! moment ago, up to 1 where it was needed again after a long time.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// The consolidation g of an event that was never recalled.
pub const FIRST_G: f64 = 1.0;

/// The unit of t.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TimeUnit {
    /// 3,600 seconds.
    Hours,
    /// 24 hours.
    Days,
    /// Seven days.
    Weeks,
    /// A twelfth of a year.
    Months,
    /// 365.2425 days, the mean of the calendar.
    #[default]
    Years,
}

impl TimeUnit {
    /// Its length in seconds.
    pub fn seconds(self) -> f64 {
        const DAY: f64 = 86_400.0;
        match self {
            TimeUnit::Hours => 3_600.0,
            TimeUnit::Days => DAY,
            TimeUnit::Weeks => 7.0 * DAY,
            TimeUnit::Months => 365.2425 * DAY / 12.0,
            TimeUnit::Years => 365.2425 * DAY,
        }
    }

    /// Returns the time from one instant to a later one, in this unit; 0 if it is not later.
    pub fn between(self, from: Timestamp, to: Timestamp) -> f64 {
        let seconds = to.as_second() as f64 - from.as_second() as f64;
        let rest = f64::from(to.subsec_nanosecond()) - f64::from(from.subsec_nanosecond());
        ((seconds + rest / 1e9) / self.seconds()).max(0.0)
    }
}

/// Returns the weight p with which an event of relevance `r` (from 0 to 1) comes to mind `t` after it was last needed.
pub fn weight(r: f64, t: f64, g: f64) -> f64 {
    // `exp_m1` keeps the digits that `1 - exp` loses where p is small.
    (-r * (-t / g).exp()).exp_m1() / (-1.0_f64).exp_m1()
}

/// Returns g after a recall that came `t` after the one before it.
pub fn consolidated(g: f64, t: f64) -> f64 {
    // (1 − e^−t) / (1 + e^−t) is the hyperbolic tangent of t / 2.
    g + (t / 2.0).tanh()
}

/// Returns the lowest relevance with which an event comes to mind at once (t = 0) with weight `k`; above 1 if none
/// does.
pub fn least_relevance(k: f64) -> f64 {
    -(k * (-1.0_f64).exp_m1()).ln_1p()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The exponential function as a series and by repeated squaring, so that the formula is checked without the
    /// functions used above.
    fn independent_exp(x: f64) -> f64 {
        let halvings = 12;
        let small = x / f64::from(1 << halvings);
        let (mut term, mut sum) = (1.0, 0.0);
        for n in 1..30 {
            sum += term;
            term *= small / f64::from(n);
        }
        (0..halvings).fold(sum, |power, _| power * power)
    }

    fn independent_weight(r: f64, t: f64, g: f64) -> f64 {
        (1.0 - independent_exp(-r * independent_exp(-t / g))) / (1.0 - independent_exp(-1.0))
    }

    #[test]
    fn the_formula_is_exact() {
        let check = |r, t, g, expected: f64| {
            let found = weight(r, t, g);
            assert!((found - expected).abs() < 1e-12, "p({r}, {t}, {g}) = {found}, not {expected}");
        };
        check(1.0, 0.0, 1.0, 1.0);
        check(0.0, 3.0, 1.0, 0.0);
        for (r, t, g) in (0..11).flat_map(|r| (0..20).map(move |t| (f64::from(r) / 10.0, f64::from(t) / 4.0, 1.5))) {
            check(r, t, g, independent_weight(r, t, g));
        }
    }

    #[test]
    fn consolidation_is_exact() {
        let check = |g: f64, t: f64| {
            let expected = g + (1.0 - independent_exp(-t)) / (1.0 + independent_exp(-t));
            assert!((consolidated(g, t) - expected).abs() < 1e-12, "g = {g}, t = {t}");
        };
        for t in 0..60 {
            check(1.0, f64::from(t) / 8.0);
            check(3.25, f64::from(t) / 3.0);
        }
        assert_eq!(consolidated(1.0, 0.0), 1.0);
    }

    /// Three events about one question: only the one that was needed a moment ago passes 0.9, although the others are
    /// as relevant or more. `docs/memory.md` shows the same figures.
    #[test]
    fn the_event_just_needed_passes_and_the_more_relevant_ones_do_not() {
        let days = |days: f64| days * 86_400.0 / TimeUnit::Years.seconds();
        let check = |r, t, g, expected: f64, passes: bool| {
            let p = weight(r, t, g);
            assert!((p - expected).abs() < 1e-4, "p({r}, {t}, {g}) = {p}, not {expected}");
            assert_eq!(p >= 0.9, passes, "{p}");
        };
        check(0.9104, days(41.8), 1.0, 0.8796, false);
        check(0.8980, days(40.95), 1.0, 0.8731, false);
        check(0.8779, days(0.14), 1.0, 0.9242, true);
    }

    #[test]
    fn the_least_relevance_is_the_one_that_just_passes() {
        for k in [0.1, 0.5, 0.9, 0.99] {
            assert!((weight(least_relevance(k), 0.0, 1.0) - k).abs() < 1e-12);
        }
        assert!((least_relevance(0.9) - 0.841_434_9).abs() < 1e-6);
    }

    #[test]
    fn time_is_counted_in_the_unit() {
        let at = |text: &str| text.parse::<Timestamp>().unwrap();
        let check = |unit: TimeUnit, from: &str, to: &str, expected: f64| {
            assert!((unit.between(at(from), at(to)) - expected).abs() < 1e-12, "{unit:?} {from} {to}");
        };
        check(TimeUnit::Days, "2023-10-28T00:00:00Z", "2023-10-29T12:00:00Z", 1.5);
        check(TimeUnit::Hours, "2023-10-28T00:00:00.5Z", "2023-10-28T00:00:36.5Z", 0.01);
        check(TimeUnit::Weeks, "2023-10-28T00:00:00Z", "2023-11-04T00:00:00Z", 1.0);
        check(TimeUnit::Years, "2023-10-28T00:00:00Z", "2023-10-27T00:00:00Z", 0.0);
        assert!((TimeUnit::Months.seconds() * 12.0 - TimeUnit::Years.seconds()).abs() < 1e-6);
    }

    proptest! {
        #[test]
        fn more_relevant_comes_to_mind_more(r in 0.0..1.0_f64, more in 1e-6..1.0_f64, t in 0.0..20.0_f64, g in 1.0..9.0_f64) {
            prop_assert!(weight(r, t, g) <= weight((r + more).min(1.0), t, g));
            if r + more <= 1.0 {
                prop_assert!(weight(r, t, g) < weight(r + more, t, g));
            }
        }

        #[test]
        fn longer_unneeded_comes_to_mind_less(r in 0.01..1.0_f64, t in 0.0..20.0_f64, more in 1e-6..9.0_f64, g in 1.0..9.0_f64) {
            prop_assert!(weight(r, t + more, g) < weight(r, t, g));
        }

        #[test]
        fn what_is_consolidated_fades_more_slowly(r in 0.01..1.0_f64, t in 0.01..20.0_f64, g in 1.0..9.0_f64, more in 1e-6..9.0_f64) {
            prop_assert!(weight(r, t, g + more) > weight(r, t, g));
        }

        #[test]
        fn a_recall_consolidates_and_by_less_than_one(g in 1.0..9.0_f64, t in 1e-6..50.0_f64) {
            let after = consolidated(g, t);
            prop_assert!(after > g && after <= g + 1.0);
        }

        #[test]
        fn a_weight_is_between_nothing_and_one(r in 0.0..=1.0_f64, t in 0.0..1e6_f64, g in 1.0..100.0_f64) {
            prop_assert!((0.0..=1.0).contains(&weight(r, t, g)));
        }
    }
}
