//! The flags that restrict a search to some documents.

use clap::Args;
use jiff::civil::Date;

use crate::base::text::{Language, UnknownLanguage};
use crate::base::without_dots;
use crate::cli::CliError;
use crate::domain::{BadPattern, DocumentFilter, PathPattern};

/// Which documents may be found.
#[derive(Clone, Debug, Default, Args)]
pub struct FilterArgs {
    /// Only documents whose path ends with this or lies below it, as in '2019/*.md' or contracts
    #[arg(long, value_name = "GLOB", value_parser = pattern)]
    pub path: Option<PathPattern>,
    /// Only documents mostly in this language, as in en or German
    #[arg(long, value_name = "CODE", value_parser = language)]
    pub language: Option<Language>,
    /// Only documents dated this day or later: 2019-07-31, 2019-07 or 2019
    #[arg(long, value_name = "DATE", value_parser = first_day)]
    pub since: Option<Date>,
    /// Only documents dated this day or earlier
    #[arg(long, value_name = "DATE", value_parser = last_day)]
    pub until: Option<Date>,
}

impl FilterArgs {
    /// The filter that the flags give.
    pub fn filter(&self) -> Result<DocumentFilter, CliError> {
        if let (Some(since), Some(until)) = (self.since, self.until)
            && since > until
        {
            return Err(CliError::usage(format!("--since {since} is after --until {until}: no day is left")));
        }
        let FilterArgs { path, language, since, until } = self.clone();
        Ok(DocumentFilter { path, language, since, until, ..DocumentFilter::default() })
    }
}

/// Stored paths are absolute, so a pattern that says where it starts is taken from here.
fn pattern(text: &str) -> Result<PathPattern, BadPattern> {
    let relative = ["./", "../", ".\\", "..\\"].iter().any(|start| text.starts_with(start));
    match std::env::current_dir() {
        Ok(folder) if relative || text == "." || text == ".." => {
            without_dots(&folder.join(text)).to_string_lossy().parse()
        }
        _ => text.parse(),
    }
}

fn language(text: &str) -> Result<Language, UnknownLanguage> {
    Language::named(text)
}

fn first_day(text: &str) -> Result<Date, String> {
    Ok(days(text)?.0)
}

/// The last of the days that a day, a month or a year stands for.
pub(super) fn last_day(text: &str) -> Result<Date, String> {
    Ok(days(text)?.1)
}

/// The first and the last day of a day, a month or a year.
fn days(text: &str) -> Result<(Date, Date), String> {
    let wrong = || "expected a day as in 2019-07-31, a month as in 2019-07, or a year".to_owned();
    let parts: Vec<&str> = text.trim().split('-').collect();
    let number = |at: usize, digits: usize| -> Option<i16> {
        let part = parts.get(at)?;
        (part.len() == digits && part.bytes().all(|byte| byte.is_ascii_digit())).then(|| part.parse().ok()).flatten()
    };
    let day = |month: i16, day: i16| -> Option<Date> {
        Date::new(number(0, 4)?, month.try_into().ok()?, day.try_into().ok()?).ok()
    };
    let whole = match parts.len() {
        1 => day(1, 1).zip(day(12, 31)),
        2 => number(1, 2).and_then(|month| day(month, 1)).map(|first| (first, first.last_of_month())),
        3 => number(1, 2).zip(number(2, 2)).and_then(|(month, of)| day(month, of)).map(|only| (only, only)),
        _ => None,
    };
    whole.ok_or_else(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_days_months_and_years() {
        fn check(text: &str, expected: Option<(&str, &str)>) {
            let found = days(text).ok().map(|(first, last)| (first.to_string(), last.to_string()));
            let expected = expected.map(|(first, last)| (first.to_owned(), last.to_owned()));
            assert_eq!(found, expected, "{text}");
        }
        check("2019-07-31", Some(("2019-07-31", "2019-07-31")));
        check("2019-02", Some(("2019-02-01", "2019-02-28")));
        check("2020-02", Some(("2020-02-01", "2020-02-29")));
        check("2019", Some(("2019-01-01", "2019-12-31")));
        check("2019-02-30", None);
        check("2019-13", None);
        check("19", None);
        check("31/07/2019", None);
        check("2019-7-1", None);
        check("", None);
        check("-2019", None);
        check("tomorrow", None);
    }

    #[test]
    fn days_in_the_wrong_order_are_refused() {
        let date = |text| Some(first_day(text).unwrap());
        let args = FilterArgs { since: date("2020-01-02"), until: date("2020-01-01"), ..FilterArgs::default() };
        let error = args.filter().unwrap_err();
        assert_eq!(error.message, "--since 2020-01-02 is after --until 2020-01-01: no day is left");
        let args = FilterArgs { since: date("2020"), until: date("2020"), ..FilterArgs::default() };
        assert!(args.filter().is_ok());
    }
}
