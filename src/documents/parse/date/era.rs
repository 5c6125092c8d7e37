//! Dates with ideographs whose numbers are not plain digits: years of Japanese eras, full-width digits, numbers in
//! words.

use std::ops::Range;

use jiff::civil::Date;

use crate::base::text::{ERA_LETTERS, ERAS, half_width, ideographic_digit};

/// The longest number in characters: 二千二十五 and 二〇二五 are years.
const DIGITS: usize = 5;

/// The first such date in `text`, and its byte range.
pub(super) fn find(text: &str) -> Option<(Date, Range<usize>)> {
    let in_words = text.match_indices('年').find_map(|(at, _)| around(text, at));
    let short = text.match_indices(|character| ERA_LETTERS.iter().any(|(letter, _)| *letter == character));
    in_words.or_else(|| short.filter_map(|(at, _)| by_letter(text, at)).next())
}

/// The date whose year ends with the `年` at `at`.
fn around(text: &str, at: usize) -> Option<(Date, Range<usize>)> {
    let (year, start) = year_before(text, at)?;
    let (month, rest) = part(&text[at + '年'.len_utf8()..], '月')?;
    let (day, rest) = part(rest, '日')?;
    Some((super::date(year, month, day)?, start..text.len() - rest.len()))
}

/// The year, in full or of an era, that ends before `at`, and where it begins.
fn year_before(text: &str, at: usize) -> Option<(i16, usize)> {
    let before = text[..at].trim_end();
    let digits = before.char_indices().rev().take(DIGITS).take_while(|(_, character)| is_digit(*character));
    let mut start = digits.last().map(|(start, _)| start)?;
    let mut year = number(&text[start..before.len()])?;
    let named = text[..start].trim_end();
    let era = ERAS.iter().find_map(|(name, before)| Some((named.strip_suffix(name)?.len(), before)));
    match era {
        Some((era, first)) if year <= 99 => (start, year) = (era, year + first),
        _ if super::YEARS.contains(&year) => {}
        _ => return None,
    }
    Some((year, start))
}

/// The number before `mark`, and the text after the mark.
fn part(text: &str, mark: char) -> Option<(i16, &str)> {
    let text = text.trim_start();
    let end = text.char_indices().take(DIGITS).find(|(_, character)| !is_digit(*character))?.0;
    let rest = text[end..].trim_start().strip_prefix(mark)?;
    Some((number(&text[..end])?, rest))
}

/// A date such as `R7.7.1`, with no letter or digit next to it.
fn by_letter(text: &str, at: usize) -> Option<(Date, Range<usize>)> {
    if text[..at].ends_with(|character: char| character.is_ascii_alphanumeric() || character == '.') {
        return None;
    }
    let mut characters = text[at..].chars();
    let letter = characters.next()?;
    let (_, before) = ERA_LETTERS.iter().find(|(known, _)| *known == letter)?;
    let rest = characters.as_str();
    let end = rest.find(|character: char| !(character.is_ascii_digit() || character == '.')).unwrap_or(rest.len());
    if rest[end..].starts_with(|character: char| character.is_ascii_alphanumeric()) {
        return None;
    }
    let parts: Vec<i16> = rest[..end].split('.').map(|part| part.parse().ok()).collect::<Option<_>>()?;
    let [year, month, day] = parts[..] else { return None };
    if !(1..=64).contains(&year) {
        return None;
    }
    Some((super::date(year + before, month, day)?, at..at + 1 + end))
}

fn is_digit(character: char) -> bool {
    value(character).is_some() || matches!(character, '十' | '百' | '千' | '元')
}

fn value(character: char) -> Option<i16> {
    let digit = ideographic_digit(character).or_else(|| half_width(character).to_digit(10))?;
    i16::try_from(digit).ok()
}

/// A number in digits of any kind, or in words up to the thousands. `元` is the first year of an era.
fn number(text: &str) -> Option<i16> {
    if text.is_empty() || text == "元" {
        return (text == "元").then_some(1);
    }
    let (mut sum, mut digits) = (0i16, None);
    for character in text.chars() {
        if let Some(value) = value(character) {
            digits = Some(digits.unwrap_or(0i16).checked_mul(10)?.checked_add(value)?);
            continue;
        }
        let unit = match character {
            '十' => 10,
            '百' => 100,
            '千' => 1000,
            _ => return None,
        };
        sum = sum.checked_add(digits.take().unwrap_or(1).checked_mul(unit)?)?;
    }
    sum.checked_add(digits.unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Option<(&str, &str)>) {
        let found = find(text).map(|(date, range)| (date.to_string(), &text[range]));
        assert_eq!(found.as_ref().map(|(date, words)| (date.as_str(), *words)), expected, "{text}");
    }

    #[test]
    fn years_of_eras() {
        check("令和7年7月1日", Some(("2025-07-01", "令和7年7月1日")));
        check("改定 平成３１年４月１日施行", Some(("2019-04-01", "平成３１年４月１日")));
        check("（令和元年五月一日）", Some(("2019-05-01", "令和元年五月一日")));
        check("昭和 64 年 1 月 7 日", Some(("1989-01-07", "昭和 64 年 1 月 7 日")));
        check("R7.7.1更新", Some(("2025-07-01", "R7.7.1")));
        check("明治三十八年七月十五日", Some(("1905-07-15", "明治三十八年七月十五日")));
    }

    #[test]
    fn years_in_words() {
        check("二〇二三年四月一日", Some(("2023-04-01", "二〇二三年四月一日")));
        check("二千二十五年十二月二十五日", Some(("2025-12-25", "二千二十五年十二月二十五日")));
        check("二零二三年四月一日", Some(("2023-04-01", "二零二三年四月一日")));
        check("２０２５年４月１８日", Some(("2025-04-18", "２０２５年４月１８日")));
    }

    #[test]
    fn nothing_else() {
        for text in [
            "7年7月1日",
            "令和7年度",
            "令和7年13月1日",
            "令和7年7月",
            "PR7.7.1",
            "R7.7",
            "R7.7.1.2",
            "R32767.1.1",
            "年",
            "十年",
            "H2.O",
        ] {
            check(text, None);
        }
    }
}
