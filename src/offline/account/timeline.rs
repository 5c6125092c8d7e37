//! The account of a question that asks for a timeline: the dated statements on what is asked, one per line, by date.
//! Statements without a date are left out; if too few have one, there is no timeline.

use super::{Account, QuotableStatement};
use crate::offline::entities::{is_named, name_terms};
use crate::offline::render::quote;
use crate::offline::terms::content_set;
use crate::report::facts::days;

/// Most words of a timeline.
const WORDS: usize = 380;
/// Fewest lines of a timeline.
const LEAST: usize = 3;
/// Fewest words of a line.
const SHORTEST: usize = 5;

/// Whether a question asks for events in the order of time.
pub(super) fn asks_for_timeline(question: &str) -> bool {
    const ASKING: [&str; 15] = [
        "timeline",
        "time line",
        "chronolog",
        "zeitleiste",
        "zeitstrahl",
        "zeitlich",
        "cronolog",
        "línea de tiempo",
        "linha do tempo",
        "linea del tempo",
        "tijdlijn",
        "хронолог",
        "年表",
        "時系列",
        "时间线",
    ];
    let lower = question.to_lowercase();
    ASKING.iter().any(|words| lower.contains(words))
}

impl Account<'_> {
    /// Lists the most relevant statements that name a day or a year, by date; `None` if there are too few.
    pub(super) fn timeline(&mut self, relevant: &[usize]) -> Option<String> {
        let is_dated =
            |one: &QuotableStatement| one.after.is_none() && one.words >= SHORTEST && day(&one.text).is_some();
        let mut dated: Vec<usize> = relevant.iter().copied().filter(|&index| is_dated(&self.told[index])).collect();
        // Events of others at the time are not asked for.
        let names = name_terms(&self.input.question, self.language);
        let is_on_it = |&index: &usize| {
            let one = &self.told[index];
            let around = content_set(&one.statement.headings(), self.language);
            [&one.terms, &self.contexts[one.card], &around].iter().any(|held| is_named(&names, held))
        };
        if dated.iter().filter(|index| is_on_it(index)).count() >= LEAST {
            dated.retain(is_on_it);
        }
        if dated.len() < LEAST {
            return None;
        }
        let mut chosen = self.choose(&dated, WORDS).chosen;
        chosen.sort_by_key(|&index| (day(&self.told[index].text), index));
        let line = |index: usize| format!("- {}\n", quote(&self.told[index], &self.input.evidence));
        Some(chosen.into_iter().map(line).collect::<String>() + "\n")
    }
}

/// The year, month and day of the first date in a text that has a year; 0 for a missing month or day.
fn day(text: &str) -> Option<(i32, u32, u32)> {
    days(text).into_iter().find_map(|day| Some((day.year?, day.month.unwrap_or(0), day.day.unwrap_or(0))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_for_a_timeline() {
        let check = |question: &str, expected: bool| assert_eq!(asks_for_timeline(question), expected, "{question}");
        check("Give me a timeline of the history of Warsaw.", true);
        check("障害の経過を時系列でまとめてください", true);
        check("How has Warsaw changed?", false);
    }

    #[test]
    fn a_day_is_as_exact_as_it_is_told() {
        let check = |text: &str, expected: Option<(i32, u32, u32)>| {
            assert_eq!(day(text), expected, "{text}");
        };
        check("On 3 May 1791 the constitution was adopted.", Some((1791, 5, 3)));
        check("It opened in March 2019.", Some((2019, 3, 0)));
        check("In 1529 it became the seat of the General Sejm, until 1596.", Some((1529, 0, 0)));
        check("Seventeen people came.", None);
    }
}
