//! Parses values given on the command line, and settings given by flags.

use std::fmt::Display;
use std::str::FromStr;

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};

use crate::config::Flag;

/// A setting given by a flag.
pub fn flag(flag: &str, key: &str, value: impl Into<String>) -> Flag {
    Flag { flag: flag.to_owned(), key: key.to_owned(), value: value.into() }
}

/// A setting and its value.
pub fn assignment(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((key, value)) if !key.trim().is_empty() => Ok((key.trim().to_owned(), value.trim().to_owned())),
        _ => Err("expected KEY=VALUE, as in llm.provider=ollama".to_owned()),
    }
}

/// The approximate number of words of a report; `None` for as many as its evidence deserves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Length(pub Option<usize>);

/// The length of a report: a name or a number of words.
pub fn length(text: &str) -> Result<Length, String> {
    const WORDS: std::ops::RangeInclusive<usize> = 50..=20_000;
    let words = match text {
        "short" => Some(300),
        "normal" => None,
        "long" => Some(3_000),
        number => match number.parse() {
            Ok(words) if WORDS.contains(&words) => Some(words),
            Ok(_) => return Err("a report has 50 to 20000 words".to_owned()),
            Err(_) => return Err("expected short, normal, long or a number of words, as in 1500".to_owned()),
        },
    };
    Ok(Length(words))
}

/// A number from 0 to 1.
pub fn share(text: &str) -> Result<f64, String> {
    let wrong = || "expected a number from 0 to 1".to_owned();
    text.parse().ok().filter(|share| (0.0..=1.0).contains(share)).ok_or_else(wrong)
}

/// A whole number.
pub fn number<T: FromStr>(text: &str) -> Result<T, String> {
    text.parse().map_err(|_| "expected a whole number".to_owned())
}

/// A whole number of at least one.
pub fn several(text: &str) -> Result<u64, String> {
    let wrong = || "expected a whole number from 1 on".to_owned();
    text.parse().ok().filter(|&number| number >= 1).ok_or_else(wrong)
}

/// A whole number from `least` to `most`, both included.
pub fn between<T: FromStr + PartialOrd + Display>(text: &str, least: T, most: T) -> Result<T, String> {
    let wrong = || format!("expected a whole number from {least} to {most}");
    text.parse().ok().filter(|number| (&least..=&most).contains(&number)).ok_or_else(wrong)
}

/// An amount of money, at least 0.
pub fn amount(text: &str) -> Result<f64, String> {
    let wrong = || "expected an amount such as 0.50".to_owned();
    text.parse().ok().filter(|amount: &f64| amount.is_finite() && *amount >= 0.0).ok_or_else(wrong)
}

/// A length of time, in seconds.
pub fn seconds(text: &str) -> Result<u64, String> {
    let digits = text.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
    let unit = match &text[digits.len()..] {
        "" | "s" => 1,
        "m" | "min" => 60,
        "h" => 3600,
        other => return Err(format!("`{other}` is no unit of time: use s, m or h")),
    };
    let wrong = || "expected a time such as 90s, 5m or 1h".to_owned();
    let count: u64 = digits.parse().map_err(|_| wrong())?;
    count.checked_mul(unit).filter(|&seconds| seconds > 0).ok_or_else(wrong)
}

/// A day.
pub fn date(text: &str) -> Result<Date, String> {
    text.parse().map_err(|_| "expected a date such as 2023-10-28".to_owned())
}

/// An instant; a day stands for its beginning in UTC.
pub fn instant(text: &str) -> Result<Timestamp, String> {
    if let Ok(instant) = text.parse::<Timestamp>() {
        return Ok(instant);
    }
    let day: Option<Date> = text.parse().ok().filter(|_| text.len() == 10);
    day.and_then(|day| day.to_zoned(TimeZone::UTC).ok())
        .map(|zoned| zoned.timestamp())
        .ok_or_else(|| "expected a date such as 2023-10-28, or a time such as 2023-10-28T15:00:00Z".to_owned())
}

/// An instant; a day stands for its end in UTC.
pub fn end(text: &str) -> Result<Timestamp, String> {
    let begin = instant(text)?;
    let whole_day = text.len() == 10;
    Ok(if whole_day { begin.checked_add(24.hours()).unwrap_or(Timestamp::MAX) } else { begin })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_units() {
        let check = |text, expected: Option<u64>| assert_eq!(seconds(text).ok(), expected, "{text}");
        check("90", Some(90));
        check("90s", Some(90));
        check("5m", Some(300));
        check("1h", Some(3600));
        check("0", None);
        check("", None);
        check("m", None);
        check("5 parsecs", None);
        check("-5", None);
        check("99999999999999999h", None);
    }

    #[test]
    fn numbers_are_asked_for_in_words() {
        fn check<T: PartialEq + std::fmt::Debug>(found: Result<T, String>, expected: Result<T, &str>) {
            assert_eq!(found, expected.map_err(str::to_owned));
        }
        check(number("7"), Ok(7_u64));
        check(number::<u64>("x"), Err("expected a whole number"));
        check(several("1"), Ok(1));
        check(several("0"), Err("expected a whole number from 1 on"));
        check(between("3", 1_u16, 3), Ok(3));
        check(between("4", 1_u16, 3), Err("expected a whole number from 1 to 3"));
        check(between("", 1_u16, 3), Err("expected a whole number from 1 to 3"));
        check(amount("0.5"), Ok(0.5));
        check(amount("much"), Err("expected an amount such as 0.50"));
    }

    #[test]
    fn assignments_have_a_name() {
        assert_eq!(assignment("a.b = c=d"), Ok(("a.b".to_owned(), "c=d".to_owned())));
        assert!(assignment("a.b").is_err() && assignment("=c").is_err());
    }

    #[test]
    fn a_date_is_a_day_or_an_instant() {
        fn check(parse: fn(&str) -> Result<Timestamp, String>, text: &str, expected: Option<&str>) {
            assert_eq!(parse(text).ok().map(|at| at.to_string()).as_deref(), expected, "{text}");
        }
        check(instant, "2023-10-28", Some("2023-10-28T00:00:00Z"));
        check(instant, "2023-10-28T15:00:00+02:00", Some("2023-10-28T13:00:00Z"));
        check(instant, "28.10.2023", None);
        check(instant, "2023-10", None);
        check(instant, "2023-13-01", None);
        check(end, "2023-10-28", Some("2023-10-29T00:00:00Z"));
        check(end, "2023-10-28T15:00:00Z", Some("2023-10-28T15:00:00Z"));
    }
}
