//! Finds dates in running text as people and programs write them. `dateline` decides which is the document's own.
//!
//! Only unambiguous forms are taken: a day, a month by name and a year in either order; year, month and day in numbers;
//! years of Japanese eras; and day, month and year separated by dots, which nobody writes with the month first.
//! `03/10/2022` is March in one country and October in another, so it does not count as a date; `23/10/2022` does.

mod era;

use std::ops::Range;

use jiff::civil::Date;
use unicode_normalization::char::is_combining_mark;

use crate::base::text::{common_year, month_number, plain_digit};

/// Numbers outside this range are page numbers, quantities and identifiers more often than years.
pub(super) const YEARS: std::ops::RangeInclusive<i16> = 1000..=2199;

/// The first date in `text`.
pub(super) fn find(text: &str) -> Option<Date> {
    find_at(text).map(|(date, _)| date)
}

/// The first date in `text`, and its byte range.
pub(super) fn find_at(text: &str) -> Option<(Date, Range<usize>)> {
    let runs = runs(text);
    let in_runs = (0..runs.len()).find_map(|at| {
        let here = &runs[at..];
        // "1.2.3.2022" is the number of a section or a version.
        let goes_on = at > 0 && runs[at - 1].gap == ".";
        let year_last = || numeric_year_last(here).filter(|_| !goes_on);
        let (date, length) =
            numeric(here).or_else(year_last).or_else(|| day_first(here)).or_else(|| month_first(here))?;
        let last = &here[length - 1];
        // The ideograph that ends a date is in the gap after its last number.
        let mark = last.gap.chars().next().filter(|mark| matches!(mark, '日' | '일')).map_or(0, char::len_utf8);
        Some((date, here[0].start..last.start + last.text.len() + mark))
    });
    let of_era = era::find(text);
    match (in_runs, of_era) {
        (Some(one), Some(other)) => Some(if one.1.start < other.1.start { one } else { other }),
        (one, other) => one.or(other),
    }
}

/// The first day of the first month in `text` that is written with its year, and the byte range of the two: `January
/// 2025`, `enero de 2025`, `2025年1月`.
pub(super) fn find_month_at(text: &str) -> Option<(Date, Range<usize>)> {
    let runs = runs(text);
    (0..runs.len()).find_map(|at| {
        let (first, rest) = runs[at..].split_first()?;
        let [second, ..] = without_of(rest) else { return None };
        let (year, month) = match first.month().filter(|_| is_light(first.gap)) {
            Some(month) => (second.year_by_name()?, month),
            None if first.gap.starts_with('年') && second.gap.starts_with('月') => {
                (first.year()?, second.number(1..=2)?)
            }
            None => return None,
        };
        let mark = if second.gap.starts_with('月') { '月'.len_utf8() } else { 0 };
        let is_apart = !first.glued && !second.glued;
        date(year, month, 1)
            .filter(|_| is_apart)
            .map(|date| (date, first.start..second.start + second.text.len() + mark))
    })
}

/// A run of digits or of letters, and the gap between it and the next run.
#[derive(Debug)]
struct Run<'a> {
    text: &'a str,
    start: usize,
    gap: &'a str,
    /// Whether a letter or digit touches it on the left, as in `v2022`.
    glued: bool,
}

impl Run<'_> {
    fn number(&self, digits: std::ops::RangeInclusive<usize>) -> Option<i16> {
        let number: String = self.text.chars().map(plain_digit).collect();
        let is_number = digits.contains(&number.len()) && number.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then(|| number.parse().ok()).flatten()
    }

    fn is_any(&self, words: &[&str]) -> bool {
        words.iter().any(|word| self.text.eq_ignore_ascii_case(word))
    }

    fn month(&self) -> Option<i16> {
        month_number(self.text)
    }

    fn year(&self) -> Option<i16> {
        self.number(4..=4).filter(|year| YEARS.contains(year))
    }

    /// The year after a month's name, which may be of the Buddhist era.
    fn year_by_name(&self) -> Option<i16> {
        self.number(4..=4).map(common_year).filter(|year| YEARS.contains(year))
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
        // In dates, ideographs separate numbers as hyphens do elsewhere.
        '年' | '月' | '日' | '년' | '월' | '일' => Class::Gap,
        _ if plain_digit(char).is_ascii_digit() => Class::Digits,
        _ if char.is_alphanumeric() || char == '_' || is_combining_mark(char) => Class::Letters,
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
        runs.push(Run { text: &text[start..end(piece)], start, gap, glued });
    }
    runs
}

/// `2022-10-03`, `2022/10/3`, `2022.10.03`, `2022年10月3日`, each optionally followed by a time.
fn numeric(runs: &[Run<'_>]) -> Option<(Date, usize)> {
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
    Some((date(year.year()?, month.number(1..=2)?, day.number(1..=2)?)?, 3))
}

/// `3.10.2022`, `03. 10. 2022`, and `23/10/2022`, `10/23/2022`, `23-10-2022`, where only one of the first two numbers
/// can be a month.
fn numeric_year_last(runs: &[Run<'_>]) -> Option<(Date, usize)> {
    let [first, second, year, ..] = runs else { return None };
    if first.glued || second.glued || year.glued {
        return None;
    }
    let (one, two, year) = (first.number(1..=2)?, second.number(1..=2)?, year.year()?);
    let (month, day) = match (first.gap, second.gap) {
        (".", ".") | (". ", ". ") => (two, one),
        ("/", "/") | ("-", "-") if one > 12 => (two, one),
        ("/", "/") | ("-", "-") if two > 12 => (one, two),
        _ => return None,
    };
    Some((date(year, month, day)?, 3))
}

/// `3 October 2022`, `3rd of Oct. 2022`, `03-Oct-2022`, `3 de octubre de 2022`, `3 tháng 10 năm 2022`, `3 ตุลาคม พ.ศ.
/// 2565`. Like its siblings, returns the date and the number of runs in it.
fn day_first(runs: &[Run<'_>]) -> Option<(Date, usize)> {
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
    rest = without_of(rest);
    let [month, tail @ ..] = rest else { return None };
    if !is_light(month.gap) {
        return None;
    }
    let (month, tail) = match tail {
        [counted, tail @ ..] if month.is_any(&["tháng"]) => (counted.number(1..=2)?, tail),
        _ => (month.month()?, tail),
    };
    let [year, tail @ ..] = without_of(tail) else { return None };
    let date = date(year.year_by_name()?, month, number)?;
    Some((date, runs.len() - tail.len()))
}

/// The runs after a preposition that joins the parts of a date, or after the name of the era before its year.
fn without_of<'r, 't>(runs: &'r [Run<'t>]) -> &'r [Run<'t>] {
    match runs {
        [of, tail @ ..] if of.is_any(&["of", "de", "del", "năm"]) => tail,
        [first, era, tail @ ..] if first.is_any(&["พ"]) && era.is_any(&["ศ"]) => tail,
        _ => runs,
    }
}

/// `October 3, 2022`, `Oct. 3rd 2022`.
fn month_first(runs: &[Run<'_>]) -> Option<(Date, usize)> {
    let [month, day, rest @ ..] = runs else { return None };
    if month.glued || day.glued || !is_light(month.gap) {
        return None;
    }
    let (month, number) = (month.month()?, day.number(1..=2)?);
    let (gap, year, length) = match rest {
        [ordinal, year, ..] if day.gap.is_empty() && is_ordinal_suffix(ordinal.text) => (ordinal.gap, year, 4),
        [year, ..] => (day.gap, year, 3),
        [] => return None,
    };
    if !is_light(gap) {
        return None;
    }
    Some((date(year.year_by_name()?, month, number)?, length))
}

fn is_ordinal_suffix(text: &str) -> bool {
    ["st", "nd", "rd", "th", "er", "º", "η", "ης"].iter().any(|suffix| text.eq_ignore_ascii_case(suffix))
}

/// Whether a gap may stand between the parts of one date. Parts of two sentences do not make a date.
fn is_light(gap: &str) -> bool {
    !gap.is_empty()
        && gap.len() <= 3
        && gap.chars().all(|char| matches!(char, ' ' | ',' | '.' | '-' | '°' | '\u{a0}' | '\t'))
}

fn date(year: i16, month: i16, day: i16) -> Option<Date> {
    let (month, day) = (i8::try_from(month).ok()?, i8::try_from(day).ok()?);
    // An impossible day, as in `2022-02-30`, is not a fault of the document: it is not a date.
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
        check("le 1er septembre 2022", Some("2022-09-01"));
        check("1º de março de 2024", Some("2024-03-01"));
        check("1° gennaio 2024", Some("2024-01-01"));
        check("Mon, 03 Oct 2022 09:30:00 GMT", Some("2022-10-03"));
        check("the 3rd of October, 2022", Some("2022-10-03"));
        check("October 3, 2022", Some("2022-10-03"));
        check("Sept. 21st, 2021", Some("2021-09-21"));
        check("am 3. Oktober 2022 in Bonn", Some("2022-10-03"));
        check("3 de octubre de 2022", Some("2022-10-03"));
        check("3 octobre 2022", Some("2022-10-03"));
        check("3 października 2022 r.", Some("2022-10-03"));
        check("της 14ης Μαΐου 2020", Some("2020-05-14"));
        check("Ngày ban hành: 8 tháng 3 năm 2021", Some("2021-03-08"));
        check("تاريخ الصدور: 3 مارس 2024", Some("2024-03-03"));
        check("١٠ يناير ٢٠٢٢", Some("2022-01-10"));
        check("12 फ़रवरी 2024", Some("2024-02-12"));
        check("५ अप्रैल २०२१", Some("2021-04-05"));
        check("ณ วันที่ 15 กุมภาพันธ์ พ.ศ. 2565", Some("2022-02-15"));
        check("20 พฤษภาคม 2567", Some("2024-05-20"));
        check("๒๐ พฤษภาคม ๒๕๖๗", Some("2024-05-20"));
        check("14 січня 2023 року", Some("2023-01-14"));
        check("令和4年10月3日から", Some("2022-10-03"));
        check("am 3.10.2022 in Bonn", Some("2022-10-03"));
        check("Stand: 03. 10. 2022", Some("2022-10-03"));
        check("le 23/10/2022", Some("2022-10-23"));
        check("10/23/2022", Some("2022-10-23"));
        check("23-10-2022", Some("2022-10-23"));
    }

    #[test]
    fn tells_where_the_date_stands() {
        fn check(text: &str, expected: &str) {
            let (_, range) = find_at(text).unwrap();
            assert_eq!(&text[range], expected, "{text}");
        }
        check("on 3rd of October, 2022.", "3rd of October, 2022");
        check("Oct. 3rd 2022, noon", "Oct. 3rd 2022");
        check("（2022年10月3日）", "2022年10月3日");
        check("2022-10-03T09:30", "2022-10-03");
        check("改定 令和４年10月３日、2023年1月1日", "令和４年10月３日");
        check("el 3 de octubre de 2022.", "3 de octubre de 2022");
    }

    #[test]
    fn finds_months_with_their_years() {
        let check = |text: &str, expected: Option<(&str, &str)>| {
            let found = find_month_at(text).map(|(date, range)| (date.to_string(), &text[range]));
            assert_eq!(found, expected.map(|(date, written)| (date.to_owned(), written)), "{text}");
        };
        check("Stand: Januar 2025", Some(("2025-01-01", "Januar 2025")));
        check("versión de marzo de 2024.", Some(("2024-03-01", "marzo de 2024")));
        check("2025年1月改定", Some(("2025-01-01", "2025年1月")));
        check("In May came 2024 men", None);
        check("v2 May2024", None);
    }

    #[test]
    fn takes_nothing_else() {
        check("03/10/2022", None);
        check("03-10-2022", None);
        check("3.13.2022", None);
        check("1.2.3.2022", None);
        check("v3.10.2022", None);
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
