//! The figures and days of a text, in any notation.

mod dates;

use std::ops::Range;

use super::units::{Unit, UnitKind, currency_before, ideographic, scale, spelled, unit_word, wide_scale};
use crate::base::text::{half_width, is_cjk, plain_digit};

/// A figure. One notation may have several values: `1.234` is read in the English and in the German way.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Number {
    /// The values that it may have, each with the place value of its last digit.
    pub values: Vec<(f64, f64)>,
    pub unit: Option<Unit>,
    /// Whether it is in words or a part of a name, so that it may be put in other words.
    pub soft: bool,
    /// Whether a word of magnitude marks it as rounded.
    pub scaled: bool,
    pub range: Range<usize>,
}

/// Whether two amounts are equal, up to rounding in their calculation.
pub(super) fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * a.abs().max(b.abs()).max(1e-9)
}

/// Whether two numbers share a value, whatever they count.
pub(super) fn same_value(one: &Number, other: &Number) -> bool {
    one.values.iter().any(|(a, _)| other.values.iter().any(|(b, _)| close(*a, *b)))
}

/// A day, a month or a year, as far as it is stated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Day {
    /// The year, also one before the first era that a text names.
    pub year: Option<i32>,
    /// The month, from 1.
    pub month: Option<u32>,
    /// The day of the month, from 1.
    pub day: Option<u32>,
}

impl Day {
    /// Whether it may be `other`, or lie in it, by the parts that `other` states.
    pub fn is_within(&self, other: &Day) -> bool {
        let holds = |own: Option<u32>, other: Option<u32>| other.is_none() || own == other;
        let year = self.year.is_none() || other.year.is_none() || self.year == other.year;
        year && holds(self.month, other.month) && holds(self.day, other.day)
    }
}

/// A date. `3/4/2024` has two readings unless its document is known to put the day or the month first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Date {
    pub readings: Vec<Day>,
    /// Whether it is written with slashes, with both month and day at most 12.
    pub ambiguous: bool,
    pub range: Range<usize>,
}

/// The facts of a text that can be looked up.
#[derive(Clone, Debug, Default)]
pub(crate) struct Facts {
    pub numbers: Vec<Number>,
    pub dates: Vec<Date>,
}

impl Facts {
    /// The facts of a text, in its order.
    pub fn of(text: &str) -> Facts {
        let mut scan = Scan::new(text);
        scan.run();
        scan.settle_habit();
        scan.facts
    }
}

/// The days, months and years that a text names, in each of their readings.
pub fn days(text: &str) -> Vec<Day> {
    Facts::of(text).dates.into_iter().flat_map(|date| date.readings).collect()
}

/// The places of the days, months and years that a text names.
pub(crate) fn date_ranges(text: &str) -> Vec<Range<usize>> {
    Facts::of(text).dates.into_iter().map(|date| date.range).collect()
}

struct Scan {
    /// The characters in lower case, with full-width forms and unusual spaces made plain.
    chars: Vec<char>,
    /// Whether the character was a capital.
    capital: Vec<bool>,
    /// The byte offset of each character, then that of the text's end.
    at: Vec<usize>,
    facts: Facts,
    /// Whether there are slashed dates that can only be read with the day first, and with the month first.
    habits: [bool; 2],
}

impl Scan {
    fn new(text: &str) -> Scan {
        let (mut chars, mut capital, mut at) = (Vec::new(), Vec::new(), Vec::new());
        for (byte, c) in text.char_indices() {
            let plain = match c {
                '～' => '-',
                '\u{a0}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{3000}' | '\n' | '\t' | '\r' => ' ',
                '−' | '‐' | '‑' | '–' | '—' | '〜' => '-',
                '’' => '\'',
                _ => plain_digit(half_width(c)),
            };
            chars.push(plain.to_lowercase().next().unwrap_or(plain));
            capital.push(plain.is_uppercase());
            at.push(byte);
        }
        at.push(text.len());
        Scan { chars, capital, at, facts: Facts::default(), habits: [false; 2] }
    }

    fn get(&self, at: usize) -> char {
        self.chars.get(at).copied().unwrap_or('\0')
    }

    fn starts(&self, at: usize, word: &str) -> bool {
        word.chars().enumerate().all(|(offset, c)| self.get(at + offset) == c)
    }

    fn digits(&self, at: usize) -> usize {
        self.chars.get(at..).map_or(0, |rest| rest.iter().take_while(|c| c.is_ascii_digit()).count())
    }

    fn value(&self, at: usize, length: usize) -> Option<u32> {
        self.chars.get(at..at + length)?.iter().collect::<String>().parse().ok()
    }

    fn range(&self, from: usize, to: usize) -> Range<usize> {
        self.at[from]..self.at[to.min(self.chars.len())]
    }

    fn run(&mut self) {
        let mut at = 0;
        while at < self.chars.len() {
            at = self.date(at).or_else(|| self.number(at)).unwrap_or_else(|| self.past(at));
        }
    }

    /// The place behind a word, or behind one character that begins none.
    fn past(&self, at: usize) -> usize {
        let is_word = |c: char| c.is_alphabetic() && !is_cjk(c);
        let length = self.chars[at..].iter().take_while(|c| is_word(**c)).count();
        at + length.max(1)
    }

    fn number(&mut self, at: usize) -> Option<usize> {
        let first = self.get(at);
        let before = if at > 0 { self.get(at - 1) } else { ' ' };
        if first.is_ascii_digit() {
            return self.digit_number(at, before);
        }
        if is_ideographic_digit(first) && !is_ideographic_digit(before) {
            return self.ideographic_number(at);
        }
        if first.is_alphabetic() && !is_cjk(first) && !before.is_alphanumeric() {
            return self.spelled_number(at);
        }
        None
    }

    fn digit_number(&mut self, at: usize, before: char) -> Option<usize> {
        // `Q3`, `v1.2` and `F-16` are names. A currency code before the digits does not make one.
        let currency = currency_before(&self.chars[..at]);
        let soft = before.is_alphanumeric() && !is_cjk(before) && currency.is_none();
        let (mut values, mut end) = self.digit_values(at);
        let mut scaled = false;
        // `1億2,345万6千`
        let mut total = 0.0;
        while let Some(scale) = wide_scale(self.get(end)) {
            let digits = self.chars[end..].iter().take_while(|c| wide_scale(**c).is_some()).count();
            let scale =
                self.chars[end + 1..end + digits].iter().filter_map(|c| wide_scale(*c)).fold(scale, |a, b| a * b);
            scaled = true;
            end += digits;
            values.iter_mut().for_each(|(value, step)| (*value, *step) = (*value * scale, *step * scale));
            if self.digits(end) == 0 {
                break;
            }
            total += values.first()?.0;
            (values, end) = self.digit_values(end);
            if wide_scale(self.get(end)).is_none() {
                break;
            }
        }
        values.iter_mut().for_each(|(value, _)| *value += total);
        // `1.2 million`, `5-million`, `3 Mio.`
        loop {
            let gap = usize::from(matches!(self.get(end), ' ' | '-'));
            let start = end + gap;
            let length = self
                .chars
                .get(start..)
                .map_or(0, |rest| rest.iter().take_while(|c| c.is_alphabetic() && !is_cjk(**c)).count());
            let word: String = self.chars.get(start..start + length)?.iter().collect();
            let attached = matches!(word.as_str(), "m" | "b") && currency.is_some();
            let factor = if attached { Some(if word == "m" { 1e6 } else { 1e9 }) } else { scale(&word) };
            let Some(factor) = factor else { break };
            scaled = true;
            values.iter_mut().for_each(|(value, step)| (*value, *step) = (*value * factor, *step * factor));
            end = start + length + usize::from(self.get(start + length) == '.' && self.get(start + length + 1) == ' ');
            if length == 0 {
                break;
            }
        }
        let soft = soft || self.chars.get(end).is_some_and(|c| c.is_ascii_alphabetic()) && self.unit_at(end).is_none();
        Some(self.push_number(at, end, values, currency, soft, scaled))
    }

    fn push_number(
        &mut self,
        from: usize,
        end: usize,
        values: Vec<(f64, f64)>,
        currency: Option<Unit>,
        soft: bool,
        scaled: bool,
    ) -> usize {
        let unit = self.unit_at(end);
        let end = unit.map_or(end, |(_, end)| end);
        let unit = currency.or(unit.map(|(unit, _)| unit));
        self.facts.numbers.push(Number { values, unit, soft, scaled, range: self.range(from, end) });
        end
    }

    fn unit_at(&self, at: usize) -> Option<(Unit, usize)> {
        let gap = usize::from(matches!(self.get(at), ' ' | '-'));
        let (unit, length) = unit_word(self.chars.get(at + gap..)?)?;
        // The unit may stand right behind its number, or after a space or a hyphen.
        Some((unit, at + gap + length))
    }

    /// Whether the digits that stand here follow the number of an item: they have another width, or are those of a
    /// month, as in `４．8月8日`.
    fn is_behind_item(&self, at: usize) -> bool {
        let length = self.digits(at);
        let width = |at: usize| self.at[at + 1] - self.at[at];
        at > 1
            && length > 0
            && self.get(at - 1) == '.'
            && self.get(at - 2).is_ascii_digit()
            && (width(at) != width(at - 2) || self.get(at + length) == '月')
    }

    /// The values of the digits and separators that stand here, and their end.
    fn digit_values(&self, at: usize) -> (Vec<(f64, f64)>, usize) {
        let mut groups: Vec<Range<usize>> = Vec::new();
        let mut marks: Vec<char> = Vec::new();
        let mut next = at;
        loop {
            let length = self.digits(next);
            groups.push(next..next + length);
            next += length;
            let mark = self.get(next);
            let following = self.digits(next + 1);
            let first = groups.first().map_or(0, Range::len);
            let joins = match mark {
                ',' | '.' => following > 0 && !self.is_behind_item(next + 1),
                ' ' | '\'' => following == 3 && first <= 3 && marks.iter().all(|other| *other == mark),
                _ => false,
            };
            if !joins {
                break;
            }
            marks.push(mark);
            next += 1;
        }
        let text = |range: &Range<usize>| self.chars[range.clone()].iter().collect::<String>();
        let number = |whole: &str, fraction: &str| {
            let value = format!("{whole}.{fraction}0").parse::<f64>().unwrap_or(f64::NAN);
            (value, 10f64.powi(-i32::try_from(fraction.len()).unwrap_or(0)))
        };
        let grouped = |range: &[Range<usize>]| range.iter().map(text).collect::<String>();
        let threes = |range: &[Range<usize>]| range.iter().skip(1).all(|group| group.len() == 3) && range[0].len() <= 3;
        let end = |count: usize| groups[count - 1].end;
        let all = groups.len();
        let last = marks.last().copied();
        let uniform = marks.iter().all(|mark| Some(*mark) == last);
        match (all, last) {
            (1, _) => (vec![number(&text(&groups[0]), "")], end(1)),
            (2, Some(mark @ (',' | '.'))) => {
                let decimal = number(&text(&groups[0]), &text(&groups[1]));
                let thousands = number(&grouped(&groups), "");
                let may_group = threes(&groups) && text(&groups[0]) != "0";
                match (may_group, mark) {
                    (true, ',') => (vec![thousands, decimal], end(2)),
                    (true, _) => (vec![decimal, thousands], end(2)),
                    (false, _) => (vec![decimal], end(2)),
                }
            }
            _ if uniform && threes(&groups) => (vec![number(&grouped(&groups), "")], end(all)),
            _ if !uniform
                && marks[..all - 2].iter().all(|mark| *mark == marks[0])
                && matches!(last, Some(',' | '.'))
                && threes(&groups[..all - 1]) =>
            {
                (vec![number(&grouped(&groups[..all - 1]), &text(&groups[all - 1]))], end(all))
            }
            // A list without spaces, or the number of a chapter: its parts are read one by one.
            _ => (vec![number(&text(&groups[0]), "")], end(1)),
        }
    }

    fn ideographic_number(&mut self, at: usize) -> Option<usize> {
        let length = self.chars[at..].iter().take_while(|c| is_ideographic_digit(**c)).count();
        let value = ideographic(&self.chars[at..at + length])?;
        let unit = self.unit_at(at + length);
        // `一般` and `三井` are words; a lone small number is mostly a part of one too.
        let soft =
            unit.is_none() || value <= 10.0 && length == 1 || unit.is_some_and(|(unit, _)| unit.kind == UnitKind::Cny);
        Some(self.push_number(at, at + length, vec![(value, 1.0)], None, soft, false))
    }

    fn spelled_number(&mut self, at: usize) -> Option<usize> {
        let is_word = |c: &&char| c.is_alphabetic() && !is_cjk(**c) || **c == '-';
        let length = self.chars[at..].iter().take_while(is_word).count();
        let word: String = self.chars[at..at + length].iter().collect();
        if let Some(year) = ["seventies", "eighties", "nineties"].iter().position(|decade| *decade == word) {
            return self.decade(at, at + length, 1970.0 + 10.0 * year as f64);
        }
        let value = spelled(word.trim_end_matches('-'))?;
        let mut end = at + word.trim_end_matches('-').chars().count();
        let mut values = vec![(value, 1.0)];
        let mut scaled = false;
        while self.get(end) == ' ' {
            let length = self.chars[end + 1..].iter().take_while(|c| c.is_alphabetic()).count();
            let next: String = self.chars[end + 1..end + 1 + length].iter().collect();
            let Some(factor) = scale(&next) else { break };
            values.iter_mut().for_each(|(value, step)| (*value, *step) = (*value * factor, *step * factor));
            scaled = true;
            end += 1 + length;
        }
        let soft = !scaled && (value <= 12.0 || word.ends_with("th"));
        Some(self.push_number(at, end, values, None, soft, scaled))
    }
}

fn is_ideographic_digit(c: char) -> bool {
    "〇零一二三四五六七八九十百千万億兆".contains(c)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(text: &str) -> Vec<(f64, Option<UnitKind>)> {
        let facts = Facts::of(text);
        facts.numbers.iter().map(|one| (one.values[0].0, one.unit.map(|unit| unit.kind))).collect()
    }

    fn days(text: &str) -> Vec<String> {
        let part = |part: Option<u32>| part.map_or("?".to_owned(), |part| part.to_string());
        let shown = |day: &Day| {
            format!(
                "{}-{}-{}",
                day.year.map_or("?".to_owned(), |year| year.to_string()),
                part(day.month),
                part(day.day)
            )
        };
        Facts::of(text).dates.iter().map(|date| date.readings.iter().map(shown).collect::<Vec<_>>().join("|")).collect()
    }

    #[test]
    fn numbers_are_read_in_every_notation() {
        use UnitKind::{Eur, Jpy, Length, Mass, People, Percent, Points, Time, Usd};
        let check = |text: &str, expected: &[(f64, Option<UnitKind>)]| assert_eq!(numbers(text), expected, "{text}");
        check("1.2 million", &[(1_200_000.0, None)]);
        check("1,200,000 dollars", &[(1_200_000.0, Some(Usd))]);
        check("$5bn and €3.5 million", &[(5e9, Some(Usd)), (3.5e6, Some(Eur))]);
        check("１２万円", &[(120_000.0, Some(Jpy))]);
        check("1億2,345万円", &[(123_450_000.0, Some(Jpy))]);
        check("三千五百人", &[(3500.0, Some(People))]);
        check("売上高は12.5%", &[(12.5, Some(Percent))]);
        check("３．12名、４．５％", &[(3.0, None), (12.0, Some(People)), (4.5, Some(Percent))]);
        check("3割", &[(3.0, Some(Percent))]);
        check("1.234,5 kg", &[(1234.5, Some(Mass))]);
        check("12 345 km", &[(12345.0, Some(Length))]);
        check("3 Mio. Euro", &[(3e6, Some(Eur))]);
        check("dreiundzwanzig Jahre", &[(23.0, Some(Time))]);
        check("thirty-five years", &[(35.0, Some(Time))]);
        check("a 5-year plan", &[(5.0, Some(Time))]);
        check("7.5 percentage points", &[(7.5, Some(Points))]);
        check("about 3.5 per cent", &[(3.5, Some(Percent))]);
    }

    #[test]
    fn a_grouping_of_three_has_two_readings() {
        let values = |text: &str| Facts::of(text).numbers[0].values.iter().map(|(value, _)| *value).collect::<Vec<_>>();
        assert_eq!(values("1.234"), [1.234, 1234.0]);
        assert_eq!(values("1,234"), [1234.0, 1.234]);
        assert_eq!(values("0,234"), [0.234]);
        assert_eq!(values("1,5"), [1.5]);
    }

    #[test]
    fn dates_are_read_in_every_notation() {
        let check = |text: &str, expected: &[&str]| assert_eq!(days(text), expected, "{text}");
        check("2024-03-04", &["2024-3-4"]);
        check("on March 4, 2024 and 4 March", &["2024-3-4", "?-3-4"]);
        check("am 4. März 2024", &["2024-3-4"]);
        check("4.3.2024", &["2024-3-4"]);
        check("3/4/2024", &["2024-4-3|2024-3-4"]);
        check("3/4/2024, then 25/4/2024", &["2024-4-3", "2024-4-25"]);
        check("令和6年3月4日", &["2024-3-4"]);
        check("平成元年", &["1989-?-?"]);
        check("2024年度", &["2024-?-?"]);
        check("二〇二四年三月", &["2024-3-?"]);
        check("3月4日", &["?-3-4"]);
        check("４．3月4日と５．６月７日", &["?-3-4", "?-6-7"]);
        check("６．2024年3月", &["2024-3-?"]);
        check("in 1989 and December 1990", &["1989-?-?", "1990-12-?"]);
        check("2000 km", &[]);
        check("2013–14", &["2013-?-?|2014-?-?"]);
        check("the fee of 1500 euros", &[]);
    }

    #[test]
    fn years_and_decades_are_no_amounts() {
        assert_eq!(
            numbers("the 1990s and the nineties"),
            [(1990.0, Some(UnitKind::Decade)), (1990.0, Some(UnitKind::Decade))]
        );
        assert_eq!(numbers("in 1989"), []);
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_survived(text in "[0-9a-zA-Z万億年月日令和元.,/ %$〇一二十-]{0,40}|\\PC{0,40}") {
            for number in Facts::of(&text).numbers {
                proptest::prop_assert!(text.get(number.range).is_some());
            }
            for date in Facts::of(&text).dates {
                proptest::prop_assert!(text.get(date.range).is_some());
            }
        }
    }
}
