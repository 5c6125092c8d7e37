//! Days, months and years, in any notation.

use unicode_normalization::char::is_combining_mark;

use super::super::units::{Unit, UnitKind, currency_before, ideographic, wide_scale};
use super::{Date, Day, Number, Scan, is_ideographic_digit};
use crate::base::text::{ERA_LETTERS, ERAS, common_year, is_cjk, month_number};

impl Scan {
    fn push_date(&mut self, from: usize, to: usize, readings: Vec<Day>) -> Option<usize> {
        let ambiguous = readings.len() > 1;
        self.facts.dates.push(Date { readings, ambiguous, range: self.range(from, to) });
        Some(to)
    }

    pub(super) fn date(&mut self, at: usize) -> Option<usize> {
        let first = self.get(at);
        if first.is_ascii_digit() {
            return if at > 0 && self.get(at - 1).is_ascii_digit() { None } else { self.digit_date(at) };
        }
        if let Some((era, length)) = self.era(at) {
            let (years, after) = self.small_number(at + length)?;
            if self.get(after) == '年' {
                return self.wide_date(at, era + i32::try_from(years).ok()?, after + 1);
            }
            return None;
        }
        if is_ideographic_digit(first) && (at == 0 || !is_ideographic_digit(self.get(at - 1))) {
            let length = self.chars[at..].iter().take_while(|c| is_ideographic_digit(**c)).count();
            let value = ideographic(&self.chars[at..at + length])?;
            if self.get(at + length) == '年' && (1000.0..2200.0).contains(&value) {
                return self.wide_date(at, value as i32, at + length + 1);
            }
            return None;
        }
        self.month_first(at)
    }

    /// The year before the first of the era whose name stands here, and the name's length.
    fn era(&self, at: usize) -> Option<(i32, usize)> {
        if let Some((name, year)) = ERAS.iter().find(|(name, _)| self.starts(at, name)) {
            return Some((i32::from(*year), name.chars().count()));
        }
        // The text is in lower case; `capital` tells how it was written.
        let letter = ERA_LETTERS.into_iter().find(|(c, _)| c.to_ascii_lowercase() == self.get(at))?;
        let digits = self.digits(at + 1);
        let alone = at == 0 || !self.get(at - 1).is_alphanumeric() || is_cjk(self.get(at - 1));
        let is_year = (1..=2).contains(&digits) && self.get(at + 1 + digits) == '年';
        (self.capital[at] && alone && is_year).then_some((i32::from(letter.1), 1))
    }

    /// Reads digits, ideographs or `元` for one, and returns the number and its end.
    fn small_number(&self, at: usize) -> Option<(u32, usize)> {
        if self.get(at) == '元' {
            return Some((1, at + 1));
        }
        let digits = self.digits(at);
        if digits > 0 {
            return Some((self.value(at, digits)?, at + digits));
        }
        let length = self.chars.get(at..)?.iter().take_while(|c| is_ideographic_digit(**c)).count();
        (length > 0).then_some(())?;
        Some((ideographic(&self.chars[at..at + length])? as u32, at + length))
    }

    /// Reads the month and the day behind `2024年`.
    fn wide_date(&mut self, from: usize, year: i32, after: usize) -> Option<usize> {
        let mut day = Day { year: Some(year), ..Day::default() };
        if self.get(after) == '代' {
            return self.decade(from, after + 1, f64::from(year));
        }
        let mut end = if self.get(after) == '度' { after + 1 } else { after };
        if let Some((month, mark)) =
            self.small_number(end).filter(|(month, mark)| *month <= 12 && self.get(*mark) == '月')
        {
            day.month = Some(month);
            end = mark + 1;
            if let Some((number, mark)) =
                self.small_number(end).filter(|(number, mark)| *number <= 31 && self.get(*mark) == '日')
            {
                day.day = Some(number);
                end = mark + 1;
            }
        }
        self.push_date(from, end, vec![day])
    }

    pub(super) fn decade(&mut self, from: usize, to: usize, year: f64) -> Option<usize> {
        let unit = Some(Unit { kind: UnitKind::Decade, factor: 1.0 });
        let year = if year < 100.0 { year + 1900.0 } else { year };
        let range = self.range(from, to);
        self.facts.numbers.push(Number { values: vec![(year, 1.0)], unit, soft: false, scaled: false, range });
        Some(to)
    }

    fn digit_date(&mut self, at: usize) -> Option<usize> {
        if at > 0 && matches!(self.get(at - 1), '$' | '€' | '£' | '¥' | '.' | ',') && !self.is_behind_item(at) {
            return None;
        }
        let length = self.digits(at);
        let first = self.value(at, length)?;
        let mark = self.get(at + length);
        if length == 4 {
            return self.year_date(at, first);
        }
        if length > 2 {
            return None;
        }
        if mark == '月' && first <= 12 && self.get(at + length + 1) != '間' {
            let after = at + length + 1;
            let day = self.small_number(after).filter(|(day, end)| *day <= 31 && self.get(*end) == '日');
            let end = day.map_or(after, |(_, end)| end + 1);
            return self.push_date(at, end, vec![Day { year: None, month: Some(first), day: day.map(|(day, _)| day) }]);
        }
        if matches!(mark, '/' | '.')
            && let Some(found) = self.three_parts(at, length, first, mark)
        {
            return Some(found);
        }
        if length == 2 && mark == '年' && self.get(at + 3) == '代' {
            return self.decade(at, at + 4, f64::from(first));
        }
        self.day_first(at, length, first)
    }

    /// `2024-03-04`, `2024/3`, `2024年3月4日`, `1990s`, `2013–14`, `2024`.
    fn year_date(&mut self, at: usize, year: u32) -> Option<usize> {
        let mark = self.get(at + 4);
        let year = i32::try_from(year).ok()?;
        if mark == '年' {
            return self.wide_date(at, year, at + 5);
        }
        if !(1000..2200).contains(&year) {
            return None;
        }
        if mark == 's' || self.starts(at + 4, "er ") || self.starts(at + 4, "'s") {
            let length = if mark == 's' { 1 } else { 2 };
            return if year % 10 == 0 { self.decade(at, at + 4 + length, f64::from(year)) } else { None };
        }
        let second = self.digits(at + 5);
        if matches!(mark, '-' | '/' | '.') && (1..=2).contains(&second) {
            let month = self.value(at + 5, second)?;
            let next = at + 5 + second;
            let third = if self.get(next) == mark { self.digits(next + 1) } else { 0 };
            let day = if (1..=2).contains(&third) { self.value(next + 1, third) } else { None };
            if let Some(day) = day.filter(|day| (1..=31).contains(day) && (1..=12).contains(&month)) {
                let full = Day { year: Some(year), month: Some(month), day: Some(day) };
                return self.push_date(at, next + 1 + third, vec![full]);
            }
            if mark != '.' && second == 2 {
                let (until, only) =
                    (year - year % 100 + i32::try_from(month).ok()?, Day { year: Some(year), ..Day::default() });
                let with_month = Day { month: Some(month), ..only };
                let mut readings = vec![only];
                if until > year {
                    readings.push(Day { year: Some(until), ..only });
                }
                if (1..=12).contains(&month) {
                    readings.insert(0, with_month);
                }
                self.push_date(at, next, readings);
                self.facts.dates.last_mut()?.ambiguous = false;
                return Some(next);
            }
        }
        // `1,234`, `2024.5` and `1500 km` are not years.
        let more = |c: char| matches!(c, ',' | '.') && self.get(at + 5).is_ascii_digit();
        if more(mark) || mark.is_ascii_alphabetic() || self.unit_at(at + 4).is_some() || wide_scale(mark).is_some() {
            return None;
        }
        if at > 2 && self.chars[..at].ends_with(&[' ']) && currency_before(&self.chars[..at]).is_some() {
            return None;
        }
        self.push_date(at, at + 4, vec![Day { year: Some(year), ..Day::default() }])
    }

    /// `4.3.2024` and `3/4/2024`.
    fn three_parts(&mut self, at: usize, length: usize, first: u32, mark: char) -> Option<usize> {
        let middle = at + length + 1;
        let second_length = self.digits(middle);
        let last = middle + second_length + 1;
        let third_length = self.digits(last);
        let is_date = (1..=2).contains(&second_length)
            && self.get(middle + second_length) == mark
            && matches!(third_length, 2 | 4)
            && !(self.get(last + third_length) == mark && self.get(last + third_length + 1).is_ascii_digit());
        if !is_date {
            return None;
        }
        let (second, third) = (self.value(middle, second_length)?, self.value(last, third_length)?);
        let year = match third {
            0..70 => third + 2000,
            70..100 => third + 1900,
            _ => third,
        };
        let reading = |day: u32, month: u32| {
            let right = (1..=12).contains(&month) && (1..=31).contains(&day);
            right.then_some(Day { year: i32::try_from(year).ok(), month: Some(month), day: Some(day) })
        };
        let day_first = reading(first, second);
        let month_first = if mark == '/' { reading(second, first) } else { None };
        if mark == '/' && day_first.is_some() != month_first.is_some() {
            self.habits[usize::from(month_first.is_some())] = true;
        }
        let mut readings: Vec<Day> = day_first.into_iter().chain(month_first).collect();
        readings.dedup();
        if readings.is_empty() { None } else { self.push_date(at, last + third_length, readings) }
    }

    /// A document that puts the day first, or the month, in one place is read that way everywhere.
    pub(super) fn settle_habit(&mut self) {
        let keep = match self.habits {
            [true, false] => 0,
            [false, true] => 1,
            _ => return,
        };
        for date in self.facts.dates.iter_mut().filter(|date| date.ambiguous && date.readings.len() == 2) {
            date.readings = vec![date.readings[keep]];
        }
    }

    /// `4 March 2024`, `4th of March`, `4. März`, `4 tháng 3 năm 2024`, `4 มีนาคม พ.ศ. 2567`.
    fn day_first(&mut self, at: usize, length: usize, day: u32) -> Option<usize> {
        let mut next = at + length;
        let ordinal = ["st", "nd", "rd", "th", ".", "ης", "η"].into_iter().find(|ending| self.starts(next, ending));
        next += ordinal.map_or(0, |ending| ending.chars().count());
        if self.get(next) != ' ' {
            return None;
        }
        next += 1;
        for word in ["of ", "de "] {
            if self.starts(next, word) {
                next += word.len();
            }
        }
        let (month, end) = self.month_counted(next).or_else(|| self.month_at(next))?;
        (1..=31).contains(&day).then_some(())?;
        let (year, end) = self.year_after(end);
        self.push_date(at, end, vec![Day { year, month: Some(month), day: Some(day) }])
    }

    /// `March 4, 2024`, `March 2024`, and `March` alone.
    fn month_first(&mut self, at: usize) -> Option<usize> {
        if !self.capital[at] || (at > 0 && self.get(at - 1).is_alphanumeric()) {
            return None;
        }
        let (month, end) = self.month_at(at)?;
        let mut next = end;
        if self.get(next) == ' ' {
            let length = self.digits(next + 1);
            // `April 1.200 Euro` is not a day.
            let end = next + 1 + length;
            let goes_on = matches!(self.get(end), '.' | ',') && self.digits(end + 1) == 3;
            let day = self.value(next + 1, length).filter(|day| length <= 2 && (1..=31).contains(day) && !goes_on);
            if let Some(day) = day {
                next += 1 + length;
                for ending in ["st", "nd", "rd", "th"] {
                    if self.starts(next, ending) {
                        next += 2;
                    }
                }
                let (year, next) = self.year_after(next);
                return self.push_date(at, next, vec![Day { year, month: Some(month), day: Some(day) }]);
            }
        }
        let (year, next) = self.year_after(end);
        // `May`, `March` and `August` are words too.
        let named = end - at > 3 && self.get(at + 2) != 'y';
        if year.is_none() && !named {
            return None;
        }
        self.push_date(at, next, vec![Day { year, month: Some(month), day: None }])
    }

    /// The month that stands here, and its end, including the full stop of a short form.
    fn month_at(&self, at: usize) -> Option<(u32, usize)> {
        let is_letter = |c: &&char| c.is_alphabetic() && !is_cjk(**c) || is_combining_mark(**c);
        let length = self.chars.get(at..)?.iter().take_while(is_letter).count();
        if !(2..=12).contains(&length) {
            return None;
        }
        let word: String = self.chars[at..at + length].iter().collect();
        let month = u32::try_from(month_number(&word)?).ok()?;
        let short = length <= 4 && self.get(at + length) == '.' && self.get(at + length + 1) == ' ';
        Some((month, at + length + usize::from(short)))
    }

    /// The month of `tháng 3`.
    fn month_counted(&self, at: usize) -> Option<(u32, usize)> {
        const MONTH: &str = "tháng ";
        let start = at + MONTH.chars().count();
        let length = self.digits(start);
        let month = self.value(start, length).filter(|month| (1..=12).contains(month))?;
        self.starts(at, MONTH).then_some((month, start + length))
    }

    fn year_after(&self, at: usize) -> (Option<i32>, usize) {
        for between in [", ", " of ", " de ", " năm ", " พ.ศ. ", " "] {
            let start = at + between.chars().count();
            if self.starts(at, between) && self.digits(start) == 4 {
                let year = self.value(start, 4).and_then(|year| i16::try_from(year).ok());
                let year = year.map(|year| i32::from(common_year(year)));
                if let Some(year) = year.filter(|year| (1000..2200).contains(year)) {
                    return (Some(year), start + 4);
                }
            }
        }
        (None, at)
    }
}
