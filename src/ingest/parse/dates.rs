//! The day that a written date names.

use jiff::civil::Date;

/// The day that `text` begins with, in the forms that documents carry: ISO 8601 (with or without a time), `20200131`,
/// `2020/01/31`, RFC 2822, `31 January 2020`, `January 31, 2020`. `None` for anything else.
pub(super) fn parse_date(text: &str) -> Option<Date> {
    let text = text.trim().trim_matches(['"', '\'']);
    numeric(text).or_else(|| worded(text))
}

/// The day in a PDF's `D:20200131120000Z`.
pub(super) fn parse_pdf_date(text: &str) -> Option<Date> {
    numeric(text.trim().trim_start_matches("D:"))
}

fn numeric(text: &str) -> Option<Date> {
    let digits = |range: std::ops::Range<usize>| {
        text.get(range).filter(|part| part.bytes().all(|byte| byte.is_ascii_digit()))?.parse::<i16>().ok()
    };
    let year = digits(0..4)?;
    let (month, day) = match text.as_bytes().get(4)? {
        separator @ (b'-' | b'/' | b'.') if text.as_bytes().get(7) == Some(separator) => {
            (digits(5..7)?, digits(8..10)?)
        }
        byte if byte.is_ascii_digit() => (digits(4..6)?, digits(6..8)?),
        _ => return None,
    };
    civil(year, month, day)
}

/// A day, a month's English name and a year, in either order, perhaps after a weekday.
fn worded(text: &str) -> Option<Date> {
    let mut words = text.split(|character: char| !character.is_alphanumeric()).filter(|word| !word.is_empty()).take(4);
    let (mut day, mut month) = (None, None);
    words.find_map(|word| {
        if let Some(named) = month_number(word) {
            month = Some(named);
        } else if let Ok(number) = word.trim_end_matches(|c: char| c.is_ascii_alphabetic()).parse::<i16>() {
            if number > 31 {
                return Some(civil(number, month?, day?));
            }
            day = Some(number);
        }
        None
    })?
}

fn month_number(word: &str) -> Option<i16> {
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
    let lower = word.to_ascii_lowercase();
    let place = MONTHS.iter().position(|month| lower.len() >= 3 && month.starts_with(lower.as_str()))?;
    i16::try_from(place + 1).ok()
}

fn civil(year: i16, month: i16, day: i16) -> Option<Date> {
    // A day that does not exist is no date; a year outside these is some other number.
    if !(1000..=2999).contains(&year) {
        return None;
    }
    Date::new(year, i8::try_from(month).ok()?, i8::try_from(day).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Option<&str>) {
        assert_eq!(parse_date(text).map(|date| date.to_string()).as_deref(), expected, "of {text:?}");
    }

    #[test]
    fn forms() {
        check("2020-01-31", Some("2020-01-31"));
        check("\"2020-01-31T10:00:00+09:00\"", Some("2020-01-31"));
        check("20200131", Some("2020-01-31"));
        check("2020/01/31 10:00", Some("2020-01-31"));
        check("Fri, 31 Jan 2020 10:00:00 GMT", Some("2020-01-31"));
        check("January 31, 2020", Some("2020-01-31"));
        check("31st December 1999", Some("1999-12-31"));
        check("2020-02-30", None);
        check("1234567890", None);
        check("soon", None);
        check("", None);
        check("２０２０", None);
        assert_eq!(parse_pdf_date("D:20200131120000Z").map(|date| date.to_string()).as_deref(), Some("2020-01-31"));
    }
}
