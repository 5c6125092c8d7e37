//! The amounts in one column of a table. One amount alone may be read in two ways, `1.234` in English and in German;
//! what the others in its column look like decides.

use crate::base::text::Language;
use crate::report::facts::amounts;
use crate::report::words;

/// The notation of a column's amounts.
#[derive(Clone, Copy)]
pub(super) struct Notation {
    /// The mark before decimals.
    decimal_mark: char,
}

impl Notation {
    /// The notation that the values show, or else that of the language.
    pub(super) fn of<'v>(values: impl Iterator<Item = &'v str> + Clone, language: Language) -> Self {
        let shown = values.clone().find_map(decimal_mark).or_else(|| {
            // Beside a whole number, three digits behind a full stop are thousands rather than decimals.
            let is_whole = |value: &str| digits(value).is_some_and(|digits| digits.chars().all(|c| c.is_ascii_digit()));
            let has_point = |value: &str| digits(value).is_some_and(|digits| digits.contains('.'));
            (values.clone().any(is_whole) && values.clone().any(has_point)).then_some(',')
        });
        Notation { decimal_mark: shown.unwrap_or_else(|| words(language).decimal_mark()) }
    }

    /// The amount that a value is; `None` if it says more than that, such as a name with a number.
    pub(super) fn amount(self, value: &str) -> Option<f64> {
        let found = amounts(value);
        let [number] = found.as_slice() else { return None };
        let rest = value.len() - number.range.len();
        if rest > number.range.len().max(8) || value.starts_with(char::is_alphabetic) {
            return None;
        }
        let has_decimals = value[number.range.clone()].contains(self.decimal_mark);
        let readings = number.values.iter().map(|(value, _)| *value);
        let amount = if has_decimals { readings.reduce(f64::min) } else { readings.reduce(f64::max) };
        amount.map(|amount| amount * number.unit.map_or(1.0, |unit| unit.factor))
    }

    /// Adds up amounts, exactly; the sum is written as they are. `None` if they have different units or marks.
    pub(super) fn sum(self, values: &[&str]) -> Option<String> {
        let numbers: Vec<Written<'_>> = values.iter().map(|value| self.written(value)).collect::<Option<_>>()?;
        let first = numbers.first()?;
        let decimals = numbers.iter().map(|one| one.decimals).max()?;
        let group = numbers.iter().find_map(|one| one.group);
        if !numbers.iter().all(|one| (one.before, one.behind) == (first.before, first.behind)) {
            return None;
        }
        let scaled = |one: &Written<'_>| one.digits.checked_mul(10_i64.checked_pow(decimals - one.decimals)?);
        let sum = numbers.iter().try_fold(0_i64, |sum, one| sum.checked_add(scaled(one)?))?;
        let digits = format!("{sum:0width$}", width = decimals as usize + 1);
        let (whole, part) = digits.split_at(digits.len() - decimals as usize);
        let mut written = String::new();
        for (at, digit) in whole.chars().enumerate() {
            written.extend(group.filter(|_| at > 0 && (whole.len() - at).is_multiple_of(3)));
            written.push(digit);
        }
        written.extend(Some(self.decimal_mark).filter(|_| decimals > 0));
        Some(format!("{}{written}{part}{}", first.before, first.behind))
    }

    /// `None` if the amount is negative, or if its digits alone are not the amount, as in 3億2,400万.
    fn written(self, value: &str) -> Option<Written<'_>> {
        let number = digits(value)?;
        let (before, behind) = value.split_once(number)?;
        let (whole, part) = number.split_once(self.decimal_mark).unwrap_or((number, ""));
        let mut marks = whole.chars().filter(|c| !c.is_ascii_digit());
        let group = marks.next();
        let is_uniform = marks.all(|mark| Some(mark) == group) && part.chars().all(|c| c.is_ascii_digit());
        let joined: String = [whole, part].concat().chars().filter(char::is_ascii_digit).collect();
        let digits: i64 = joined.parse().ok()?;
        let decimals = u32::try_from(part.len()).ok()?;
        let is_all = (digits as f64 / 10_f64.powi(decimals as i32) - self.amount(number)?).abs() < 1e-6;
        let is_negative = before.contains(['-', '−', '–', '△', '▲', '(']);
        (is_uniform && is_all && !is_negative).then_some(Written { digits, decimals, group, before, behind })
    }
}

/// An amount as it is written: its digits, how many of them are decimals, and what stands between and around them.
struct Written<'v> {
    digits: i64,
    decimals: u32,
    group: Option<char>,
    before: &'v str,
    behind: &'v str,
}

/// The part of a value from its first to its last digit.
fn digits(value: &str) -> Option<&str> {
    let is_digit = |c: char| c.is_ascii_digit();
    value.get(value.find(is_digit)?..value.rfind(is_digit)? + 1)
}

/// The mark before decimals that a value shows: its last one of two kinds, or the only one if it cannot group thousands.
fn decimal_mark(value: &str) -> Option<char> {
    let digits = digits(value)?;
    let marks: Vec<(usize, char)> = digits.char_indices().filter(|(_, c)| ".,".contains(*c)).collect();
    let (first, (at, last)) = (marks.first()?, marks.last()?);
    let other = if *last == '.' { ',' } else { '.' };
    let decimals = digits.len() - at - 1;
    match marks.len() {
        1 if decimals != 3 || digits.starts_with('0') || *at > 3 => Some(*last),
        1 => None,
        _ if first.1 == *last => Some(other),
        _ => Some(*last),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_other_amounts_of_a_column_decide_how_one_is_read() {
        let check = |values: &[&str], language: &str, expected: &[f64]| {
            let notation = Notation::of(values.iter().copied(), Language::from_code(language));
            let found: Vec<f64> = values.iter().filter_map(|value| notation.amount(value)).collect();
            assert_eq!(found, expected, "{values:?}");
        };
        check(&["6", "412", "1.150"], "deu", &[6.0, 412.0, 1150.0]);
        check(&["6", "412", "1.150"], "eng", &[6.0, 412.0, 1150.0]);
        check(&["7.450,00", "3.290,50", "12.800"], "eng", &[7450.0, 3290.5, 12800.0]);
        check(&["1.250", "0.875"], "deu", &[1.25, 0.875]);
        check(&["1.250", "2.875"], "deu", &[1250.0, 2875.0]);
        check(&["1.250", "2.875"], "eng", &[1.25, 2.875]);
        check(&["1,250", "975"], "eng", &[1250.0, 975.0]);
        check(&["2.480 €", "99,5 €"], "fra", &[2480.0, 99.5]);
    }

    #[test]
    fn sums_are_written_as_the_amounts_are() {
        let check = |values: &[&str], expected: Option<&str>| {
            let notation = Notation::of(values.iter().copied(), Language::ENGLISH);
            assert_eq!(notation.sum(values).as_deref(), expected, "{values:?}");
        };
        check(&["1.200,50 €", "99,5 €"], Some("1.300,00 €"));
        check(&["1 200,50 €", "99,5 €"], Some("1 300,00 €"));
        check(&["950円", "1,050円"], Some("2,000円"));
        check(&["£38", "£4.25"], Some("£42.25"));
        check(&["120", "980"], Some("1100"));
        check(&["3億2,400万", "1万"], None);
        check(&["12 kg", "7 m"], None);
        check(&["−200", "90"], None);
    }
}
