//! Marks along the axis: round dates, as dense as space allows.

use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use jiff::{Span, Timestamp, ToSpan, Unit};

/// A mark on the axis.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Tick {
    pub at: Timestamp,
    pub label: String,
}

/// A distance between marks.
#[derive(Clone, Copy)]
enum Step {
    Hours(i64),
    Days(i64),
    Months(i64),
    Years(i64),
}

const STEPS: [Step; 19] = [
    Step::Hours(1),
    Step::Hours(3),
    Step::Hours(6),
    Step::Hours(12),
    Step::Days(1),
    Step::Days(2),
    Step::Days(7),
    Step::Days(14),
    Step::Months(1),
    Step::Months(2),
    Step::Months(3),
    Step::Months(6),
    Step::Years(1),
    Step::Years(2),
    Step::Years(5),
    Step::Years(10),
    Step::Years(50),
    Step::Years(200),
    Step::Years(1000),
];

impl Step {
    fn span(self) -> Span {
        match self {
            Step::Hours(hours) => hours.hours(),
            Step::Days(days) => days.days(),
            Step::Months(months) => months.months(),
            Step::Years(years) => years.years(),
        }
    }

    /// Returns the last round date at or before `at`.
    fn start(self, at: DateTime) -> DateTime {
        let day = at.date();
        match self {
            Step::Hours(hours) => day.at((i64::from(at.hour()) / hours * hours) as i8, 0, 0, 0),
            // Days and weeks are counted from a Monday.
            Step::Days(days) => {
                let since =
                    Date::constant(1970, 1, 5).until((Unit::Day, day)).map_or(0, |span| i64::from(span.get_days()));
                day.saturating_sub(since.rem_euclid(days).days()).at(0, 0, 0, 0)
            }
            Step::Months(months) => {
                let month = (i64::from(day.month()) - 1) / months * months + 1;
                Date::new(day.year(), month as i8, 1).unwrap_or(day).at(0, 0, 0, 0)
            }
            Step::Years(years) => {
                let year = i64::from(day.year()).div_euclid(years) * years;
                Date::new(year as i16, 1, 1).unwrap_or(Date::MIN).at(0, 0, 0, 0)
            }
        }
    }

    fn label(self, at: DateTime) -> String {
        match self {
            Step::Hours(_) => format!("{} {:02}:00", at.date(), at.hour()),
            Step::Days(_) => at.date().to_string(),
            Step::Months(_) => at.date().strftime("%Y-%m").to_string(),
            Step::Years(_) => at.date().year().to_string(),
        }
    }
}

/// Returns the marks between two instants, no more than `most` (at least two are allowed).
pub(super) fn ticks((from, to): (Timestamp, Timestamp), most: usize) -> Vec<Tick> {
    let utc = |at: Timestamp| at.to_zoned(TimeZone::UTC).datetime();
    let mut found = Vec::new();
    for step in STEPS {
        found.clear();
        let mut at = step.start(utc(from));
        loop {
            let Ok(instant) = at.to_zoned(TimeZone::UTC).map(|zoned| zoned.timestamp()) else { break };
            if instant > to || found.len() > most.max(2) {
                break;
            }
            if instant >= from {
                found.push(Tick { at: instant, label: step.label(at) });
            }
            let Ok(next) = at.checked_add(step.span()) else { break };
            at = next;
        }
        if found.len() <= most.max(2) {
            break;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(from: &str, to: &str, most: usize, expected: &[&str]) {
        let labels: Vec<String> =
            ticks((from.parse().unwrap(), to.parse().unwrap()), most).into_iter().map(|tick| tick.label).collect();
        assert_eq!(labels, expected);
    }

    #[test]
    fn marks_are_round_dates() {
        check(
            "2023-10-28T10:20:00Z",
            "2023-10-28T14:00:00Z",
            6,
            &["2023-10-28 11:00", "2023-10-28 12:00", "2023-10-28 13:00", "2023-10-28 14:00"],
        );
        check("2023-10-27T10:20:00Z", "2023-10-30T14:00:00Z", 6, &["2023-10-28", "2023-10-29", "2023-10-30"]);
        check("2023-01-20T00:00:00Z", "2023-10-28T00:00:00Z", 6, &["2023-03", "2023-05", "2023-07", "2023-09"]);
        check("2019-06-01T00:00:00Z", "2023-10-28T00:00:00Z", 4, &["2020", "2021", "2022", "2023"]);
        check("1000-06-01T00:00:00Z", "2023-10-28T00:00:00Z", 3, &["2000"]);
    }

    #[test]
    fn there_is_room_for_all() {
        for hours in [1, 5, 30, 100, 1_000, 9_000, 80_000, 700_000, 6_000_000] {
            let from: Timestamp = "1500-03-05T11:00:00Z".parse().unwrap();
            let to = from.checked_add(hours.hours()).unwrap();
            assert!(ticks((from, to), 6).len() <= 6, "{hours}");
        }
    }
}
