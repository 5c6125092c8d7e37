//! Dates as people and programs write them, found in running text.
//!
//! Only forms with one reading are taken: a day, a month by name and a year in either order, or year, month and day in
//! numbers. `03/10/2022` is March in one country and October in another, so it is no date here.

use jiff::civil::Date;

/// Years outside these are page numbers, quantities and identifiers more often than years.
const YEARS: std::ops::RangeInclusive<i16> = 1000..=2199;

const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

/// The first date in `text`.
pub(super) fn find(text: &str) -> Option<Date> {
    let runs = runs(text);
    (0..runs.len())
        .find_map(|at| numeric(&runs[at..]).or_else(|| day_first(&runs[at..])).or_else(|| month_first(&runs[at..])))
}

/// A run of digits or of letters, and what stands between it and the next run.
#[derive(Debug)]
struct Run<'a> {
    text: &'a str,
    gap: &'a str,
    /// Whether a letter or digit touches it on the left, as in `v2022`.
    glued: bool,
}

impl Run<'_> {
    fn number(&self, digits: std::ops::RangeInclusive<usize>) -> Option<i16> {
        let is_number = digits.contains(&self.text.len()) && self.text.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then(|| self.text.parse().ok()).flatten()
    }

    fn month(&self) -> Option<i16> {
        let name = self.text.to_lowercase();
        let full = MONTHS.iter().position(|month| *month == name);
        let short = || MONTHS.iter().position(|month| month[..3] == *name || (name == "sept" && *month == "september"));
        full.or_else(short).and_then(|index| i16::try_from(index + 1).ok())
    }

    fn year(&self) -> Option<i16> {
        self.number(4..=4).filter(|year| YEARS.contains(year))
    }
}

fn runs(text: &str) -> Vec<Run<'_>> {
    #[derive(PartialEq, Clone, Copy)]
    enum Class {
        Digits,
        Letters,
        Gap,
    }
    let class = |char: char| match char {
        // Ideographs of dates separate their numbers as hyphens do elsewhere.
        '年' | '月' | '日' | '년' | '월' | '일' => Class::Gap,
        _ if char.is_ascii_digit() => Class::Digits,
        _ if char.is_alphanumeric() || char == '_' => Class::Letters,
        _ => Class::Gap,
    };
    let mut pieces: Vec<(Class, usize)> = Vec::new();
    for (start, char) in text.char_indices() {
        let class = class(char);
        if pieces.last().is_none_or(|&(last, _)| last != class) {
            pieces.push((class, start));
        }
    }
    let end = |piece: usize| pieces.get(piece + 1).map_or(text.len(), |&(_, start)| start);
    let mut runs = Vec::new();
    for (piece, &(class, start)) in pieces.iter().enumerate() {
        if class == Class::Gap {
            continue;
        }
        let gap_follows = pieces.get(piece + 1).is_some_and(|&(next, _)| next == Class::Gap);
        let gap = if gap_follows { &text[end(piece)..end(piece + 1)] } else { "" };
        let glued = piece > 0 && pieces[piece - 1].0 != Class::Gap;
        runs.push(Run { text: &text[start..end(piece)], gap, glued });
    }
    runs
}

/// `2022-10-03`, `2022/10/3`, `2022.10.03`, `2022年10月3日`, each perhaps with a time behind it.
fn numeric(runs: &[Run<'_>]) -> Option<Date> {
    let [year, month, day, ..] = runs else { return None };
    if year.glued || month.glued || day.glued {
        return None;
    }
    let separated = match (year.gap, month.gap) {
        ("-", "-") | ("/", "/") | (".", ".") => true,
        (first, second) => {
            (first.starts_with('年') && second.starts_with('月'))
                || (first.starts_with('년') && second.starts_with('월'))
        }
    };
    if !separated {
        return None;
    }
    date(year.year()?, month.number(1..=2)?, day.number(1..=2)?)
}

/// `3 October 2022`, `3rd of Oct. 2022`, `03-Oct-2022`.
fn day_first(runs: &[Run<'_>]) -> Option<Date> {
    let (day, mut rest) = runs.split_first()?;
    if day.glued {
        return None;
    }
    let number = day.number(1..=2)?;
    if let [ordinal, tail @ ..] = rest
        && day.gap.is_empty()
    {
        if !is_ordinal_suffix(ordinal.text) {
            return None;
        }
        rest = tail;
    }
    if let [of, tail @ ..] = rest
        && of.text.eq_ignore_ascii_case("of")
    {
        rest = tail;
    }
    let [month, year, ..] = rest else { return None };
    if !is_light(month.gap) {
        return None;
    }
    date(year.year()?, month.month()?, number)
}

/// `October 3, 2022`, `Oct. 3rd 2022`.
fn month_first(runs: &[Run<'_>]) -> Option<Date> {
    let [month, day, rest @ ..] = runs else { return None };
    if month.glued || day.glued || !is_light(month.gap) {
        return None;
    }
    let (month, number) = (month.month()?, day.number(1..=2)?);
    let (gap, year) = match rest {
        [ordinal, year, ..] if day.gap.is_empty() && is_ordinal_suffix(ordinal.text) => (ordinal.gap, year),
        [year, ..] => (day.gap, year),
        [] => return None,
    };
    if !is_light(gap) {
        return None;
    }
    date(year.year()?, month, number)
}

fn is_ordinal_suffix(text: &str) -> bool {
    ["st", "nd", "rd", "th"].iter().any(|suffix| text.eq_ignore_ascii_case(suffix))
}

/// What may stand between the parts of one date: the parts of two sentences do not make a date.
fn is_light(gap: &str) -> bool {
    !gap.is_empty() && gap.len() <= 3 && gap.chars().all(|char| matches!(char, ' ' | ',' | '.' | '-' | '\u{a0}' | '\t'))
}

fn date(year: i16, month: i16, day: i16) -> Option<Date> {
    let (month, day) = (i8::try_from(month).ok()?, i8::try_from(day).ok()?);
    // An impossible day, as in `2022-02-30`, is not a fault of the document: it just is not a date.
    Date::new(year, month, day).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Option<&str>) {
        assert_eq!(find(text).map(|date| date.to_string()).as_deref(), expected, "{text}");
    }

    #[test]
    fn takes_unambiguous_forms() {
        check("2022-10-03", Some("2022-10-03"));
        check("2022-10-03T09:30:00+02:00", Some("2022-10-03"));
        check("published 2022/10/3, revised 2023/01/01", Some("2022-10-03"));
        check("2022年10月3日（月）", Some("2022-10-03"));
        check("on 3 October 2022.", Some("2022-10-03"));
        check("Mon, 03 Oct 2022 09:30:00 GMT", Some("2022-10-03"));
        check("the 3rd of October, 2022", Some("2022-10-03"));
        check("October 3, 2022", Some("2022-10-03"));
        check("Sept. 21st, 2021", Some("2021-09-21"));
    }

    #[test]
    fn takes_nothing_else() {
        check("03/10/2022", None);
        check("October 2022", None);
        check("2022-02-30", None);
        check("2022-13-01", None);
        check("v2022-10-03", None);
        check("9999-10-03", None);
        check("chapter 3. October was cold; 2022 men", None);
        check("3x October 2022", None);
        check("", None);
    }
}
