//! The time whose state a question asks for, as in "in 2021" and "before November 2024".

use crate::report::amends;
use crate::report::facts::{Day, date_ranges, days};

/// Words before a day, month or year within which the state is asked for; and before which, behind them.
const DURING: [&str; 12] = ["in", "on", "during", "as of", "as at", "im", "am", "en", "em", "nel", "w", "в"];
const BEFORE: [&str; 14] = [
    "before",
    "until",
    "prior to",
    "up to",
    "vor",
    "bis",
    "avant",
    "antes de",
    "hasta",
    "prima del",
    "voor",
    "tot",
    "przed",
    "до",
];
/// The same behind it.
const WIDE_DURING: [&str; 6] = ["に", "の時点", "時点", "当時", "現在", "には"];
const WIDE_BEFORE: [&str; 4] = ["以前", "より前", "前", "まで"];

/// The words behind a preposition among which its date stands.
const DATE_WORDS: usize = 4;

/// The time whose state is asked for.
pub(in crate::offline) struct AskedTime {
    day: Day,
    /// A text that sorts, among days as `YYYY-MM-DD`, before those that come after the time.
    end: String,
    /// The question without the time.
    pub(in crate::offline) timeless: String,
}

impl AskedTime {
    /// The time that a question names by a year at least; `None` if it names none, or several.
    pub(in crate::offline) fn of(question: &str) -> Option<Self> {
        let [day] = days(question).try_into().ok()?;
        let words: Vec<&str> = question.split_whitespace().collect();
        let behind = |at: usize, preposition: &str| {
            let own = preposition.split(' ').count();
            let rest = &words[at..];
            rest.iter().take(own).map(|word| word.to_lowercase()).eq(preposition.split(' ')) && {
                // The names of months begin with capitals.
                let date = rest.iter().skip(own).take(DATE_WORDS).copied().collect::<Vec<_>>().join(" ");
                days(&date).contains(&day)
            }
        };
        let is_behind = |all: &[&str]| (0..words.len()).any(|at| all.iter().any(|one| behind(at, one)));
        let is_followed = |all: &[&str]| {
            let ends_in_date = |at: usize| question[..at].ends_with(['年', '月', '日', '度']);
            all.iter().any(|one| question.match_indices(one).any(|(at, _)| ends_in_date(at)))
        };
        let is_before = is_behind(&BEFORE) || is_followed(&WIDE_BEFORE);
        if !is_before && !is_behind(&DURING) && !is_followed(&WIDE_DURING) {
            return None;
        }
        let mut end = format!("{:04}", day.year?);
        for part in day.month.into_iter().chain(day.day) {
            end.push_str(&format!("-{part:02}"));
        }
        // All days of 2021 sort before "2021~", and after "2021".
        end.push_str(if is_before { "" } else { "~" });
        Some(AskedTime { day, end, timeless: without_time(question)? })
    }

    /// Whether a sentence that changes something takes effect on a day after the time.
    pub(in crate::offline) fn is_before_effect_of(&self, sentence: &str) -> bool {
        let is_over = |day: &Day| match (day.year, day.month, day.day) {
            (Some(year), Some(month), Some(day)) => self.is_over_on(&format!("{year:04}-{month:02}-{day:02}")),
            _ => false,
        };
        amends(sentence) && days(sentence).iter().any(is_over)
    }

    /// Whether a day, as `YYYY-MM-DD`, comes after the time. False for an unknown one.
    pub(in crate::offline) fn is_over_on(&self, date: &str) -> bool {
        !date.is_empty() && date > self.end.as_str()
    }

    /// Whether a text names its year.
    pub(super) fn is_named_in(&self, text: &str) -> bool {
        days(text).iter().any(|day| day.year == self.day.year)
    }
}

/// Returns a question without the time that it names, its preposition and the mark or particle behind it.
fn without_time(question: &str) -> Option<String> {
    let date = date_ranges(question).into_iter().next()?;
    let (before, behind) = (&question[..date.start], &question[date.end..]);
    let lower = format!(" {}", before.to_lowercase());
    let starts = BEFORE.iter().chain(&DURING).filter_map(|word| lower.rfind(&format!(" {word} ")));
    let is_near = |start: &usize| lower[*start..].split_whitespace().count() <= DATE_WORDS;
    let before = before.get(..starts.max().filter(is_near).unwrap_or(before.len()))?;
    let suffixes = WIDE_BEFORE.iter().chain(&WIDE_DURING).filter_map(|suffix| behind.strip_prefix(suffix));
    let behind = suffixes.min_by_key(|rest| rest.len()).unwrap_or(behind);
    let behind = behind.trim_start_matches(|c: char| c.is_whitespace() || ",、はの".contains(c));
    let space = if before.is_empty() || behind.starts_with(|c: char| !c.is_ascii_alphanumeric()) { "" } else { " " };
    Some(format!("{}{space}{behind}", before.trim_end()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_whose_state_is_asked_for() {
        let check = |question: &str, date: &str, expected: Option<bool>| {
            assert_eq!(AskedTime::of(question).map(|time| time.is_over_on(date)), expected, "{question} {date}");
        };
        check("Who was the officer in 2021?", "2024-11-04", Some(true));
        check("Who was the officer in 2021?", "2021-11-04", Some(false));
        check("In March 2021, who was the officer?", "2021-04-01", Some(true));
        check("How long were they kept before November 2024?", "2024-11-04", Some(true));
        check("How long were they kept before November 2024?", "2024-10-31", Some(false));
        check("How long are they kept since 2021?", "2024-11-04", None);
        check("How did it change from 2021 to 2024?", "2024-11-04", None);
        check("2024年11月以前の保存期間は何か月ですか", "2024-11-04", Some(true));
        check("2021年には何か月でしたか", "2024-11-04", Some(true));
        check("2021年以降は何か月ですか", "2024-11-04", None);
    }

    #[test]
    fn the_question_without_its_time() {
        let check = |question: &str, expected: &str| {
            assert_eq!(AskedTime::of(question).map(|time| time.timeless).as_deref(), Some(expected));
        };
        check("What was the fee before July 2023?", "What was the fee?");
        check("In March 2021, who was the officer?", "who was the officer?");
        check("Who was the officer in 2021 in Leeds?", "Who was the officer in Leeds?");
        check("Wie hoch war die Gebühr im Jahr 2022?", "Wie hoch war die Gebühr?");
        check("2024年11月以前の保存期間は何か月ですか", "保存期間は何か月ですか");
        check("保存期間は2021年には何か月でしたか", "保存期間は何か月でしたか");
    }

    #[test]
    fn a_change_takes_effect_on_its_day() {
        let check = |sentence: &str, expected: bool| {
            let time = AskedTime::of("What was the fee before July 2023?");
            assert_eq!(time.map(|time| time.is_before_effect_of(sentence)), Some(expected), "{sentence}");
        };
        check("The fee is increased from £100 to £120 with effect from 1 July 2023.", true);
        check("The fee is increased from £100 to £120 with effect from 1 May 2023.", false);
        check("The fee is increased from £100 to £120.", false);
        check("The fee was paid on 3 August 2023.", false);
    }
}
