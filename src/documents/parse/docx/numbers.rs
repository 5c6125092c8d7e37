//! The numbers that a word processor counts and shows before paragraphs: a file says how to number, not which numbers
//! result.

use std::collections::{BTreeMap, BTreeSet};

use crate::documents::parse::ParseError;
use crate::documents::parse::xml::{self, Element, Node};

use super::FORMAT;

/// The number of levels of a list, and the most characters of the form in which a number is shown (`LONGEST_FORM`).
const LEVELS: usize = 9;
const LONGEST_FORM: usize = 40;

/// The lists of a document, and how far each has been counted.
#[derive(Debug, Default)]
pub(super) struct Numbers {
    definitions: BTreeMap<String, Definition>,
    lists: BTreeMap<String, List>,
    begun: BTreeSet<String>,
}

/// A numbering that several lists may share; they continue each other's count.
#[derive(Debug, Default)]
struct Definition {
    levels: [Level; LEVELS],
    /// The current number of each level that has begun.
    counts: [Option<u32>; LEVELS],
}

#[derive(Debug, Default)]
struct Level {
    start: Option<u32>,
    format: String,
    /// The text shown, with `%1` in place of the number of the first level.
    form: String,
    /// The style of the paragraphs on this level.
    style: Option<String>,
}

#[derive(Debug, Default)]
struct List {
    definition: String,
    /// The numbers at which levels start again.
    starts: BTreeMap<usize, u32>,
}

/// Reads the part that defines how lists are numbered.
pub(super) fn read(bytes: Vec<u8>) -> Result<Numbers, ParseError> {
    let mut reader = Reader::default();
    xml::walk(bytes, FORMAT, |node| {
        match node {
            Node::Open(element) => reader.open(element),
            Node::Close("abstractNum") => reader.definition = None,
            Node::Close("num") => reader.list = None,
            Node::Close(_) | Node::Text(_) => {}
        }
        Ok(())
    })?;
    Ok(reader.numbers)
}

#[derive(Default)]
struct Reader {
    numbers: Numbers,
    definition: Option<String>,
    list: Option<String>,
    level: usize,
}

impl Reader {
    fn open(&mut self, element: &Element<'_>) {
        let value = || element.attribute("val");
        match element.name() {
            "abstractNum" => self.definition = element.attribute("abstractNumId"),
            "num" => self.list = element.attribute("numId"),
            "lvl" | "lvlOverride" => {
                let level = element.attribute("ilvl").and_then(|level| level.parse::<usize>().ok());
                self.level = level.unwrap_or(0).min(LEVELS - 1);
            }
            "abstractNumId" => {
                if let (Some(list), Some(definition)) = (&self.list, value()) {
                    self.numbers.lists.entry(list.clone()).or_default().definition = definition;
                }
            }
            "startOverride" => {
                if let (Some(list), Some(start)) = (&self.list, value().and_then(|start| start.parse().ok())) {
                    self.numbers.lists.entry(list.clone()).or_default().starts.insert(self.level, start);
                }
            }
            name => {
                let Some(id) = &self.definition else { return };
                let level = &mut self.numbers.definitions.entry(id.clone()).or_default().levels[self.level];
                match name {
                    "start" => level.start = value().and_then(|start| start.parse().ok()),
                    "numFmt" => level.format = value().unwrap_or_default(),
                    "lvlText" => level.form = value().unwrap_or_default(),
                    "pStyle" => level.style = value(),
                    _ => {}
                }
            }
        }
    }
}

impl Numbers {
    /// The level that paragraphs of a style have in a list.
    pub(super) fn level_of_style(&self, list: &str, style: &str) -> Option<usize> {
        let definition = self.definitions.get(&self.lists.get(list)?.definition)?;
        definition.levels.iter().position(|level| level.style.as_deref() == Some(style))
    }

    /// Counts a paragraph of a list and returns its number as shown, if it has one.
    pub(super) fn next(&mut self, list: &str, level: usize) -> Option<String> {
        let own = self.lists.get(list)?;
        let definition = self.definitions.get_mut(&own.definition)?;
        let level = level.min(LEVELS - 1);
        if self.begun.insert(list.to_owned()) {
            own.starts.keys().for_each(|&anew| definition.counts[anew..].fill(None));
        }
        let first = own.starts.get(&level).copied().or(definition.levels[level].start).unwrap_or(1);
        definition.counts[level] = Some(definition.counts[level].map_or(first, |count| count.saturating_add(1)));
        definition.counts[level + 1..].fill(None);
        definition.shown(level)
    }
}

impl Definition {
    fn shown(&self, level: usize) -> Option<String> {
        let form = &self.levels[level].form;
        let is_number = !matches!(self.levels[level].format.as_str(), "bullet" | "none");
        if !is_number || !form.contains('%') || form.chars().count() > LONGEST_FORM {
            return None;
        }
        let mut shown = String::new();
        let mut parts = form.split('%');
        shown.push_str(parts.next().unwrap_or_default());
        for part in parts {
            let of = part.chars().next().and_then(|digit| digit.to_digit(10)).filter(|digit| (1..=9).contains(digit));
            let Some(of) = of else {
                shown.push('%');
                shown.push_str(part);
                continue;
            };
            let of = of as usize - 1;
            // A skipped level counts as its first number.
            let count = self.counts[of].or(self.levels[of].start).unwrap_or(1);
            shown.push_str(&written(count, &self.levels[of].format));
            shown.push_str(&part[1..]);
        }
        Some(shown.trim().to_owned()).filter(|shown| !shown.is_empty())
    }
}

/// A number in a format; in digits if it is too large for the format or the format is not known here.
fn written(number: u32, format: &str) -> String {
    match format {
        "lowerLetter" if (1..=26).contains(&number) => letter(number, b'a'),
        "upperLetter" if (1..=26).contains(&number) => letter(number, b'A'),
        "lowerRoman" if (1..=100).contains(&number) => roman(number).to_lowercase(),
        "upperRoman" if (1..=100).contains(&number) => roman(number),
        "decimalZero" if number < 10 => format!("0{number}"),
        "japaneseCounting" | "chineseCounting" | "chineseCountingThousand" | "taiwaneseCounting"
            if (1..=99).contains(&number) =>
        {
            ideographs(number)
        }
        _ => number.to_string(),
    }
}

fn letter(number: u32, first: u8) -> String {
    char::from(first.saturating_add(u8::try_from(number - 1).unwrap_or(0))).to_string()
}

fn roman(mut number: u32) -> String {
    const SIGNS: [(u32, &str); 9] =
        [(100, "C"), (90, "XC"), (50, "L"), (40, "XL"), (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I")];
    let mut written = String::new();
    for (value, sign) in SIGNS {
        while number >= value {
            written.push_str(sign);
            number -= value;
        }
    }
    written
}

/// 12 becomes 十二.
fn ideographs(number: u32) -> String {
    const DIGITS: [&str; 10] = ["", "一", "二", "三", "四", "五", "六", "七", "八", "九"];
    let (tens, ones) = (number as usize / 10 % 10, number as usize % 10);
    let tens = match tens {
        0 => String::new(),
        1 => "十".to_owned(),
        _ => format!("{}十", DIGITS[tens]),
    };
    format!("{tens}{}", DIGITS[ones])
}

#[cfg(test)]
mod tests {
    use super::*;

    const LISTS: &str = "<n><w:abstractNum w:abstractNumId='7'><w:lvl w:ilvl='0'><w:start w:val='1'/><w:numFmt w:val='decimal'/>\
        <w:lvlText w:val='%1.'/></w:lvl><w:lvl w:ilvl='1'><w:numFmt w:val='lowerLetter'/><w:lvlText w:val='(%2)'/>\
        <w:pStyle w:val='Sub'/></w:lvl><w:lvl w:ilvl='2'><w:numFmt w:val='upperRoman'/><w:lvlText w:val='%1.%2 %3'/></w:lvl>\
        </w:abstractNum><w:abstractNum w:abstractNumId='8'><w:lvl w:ilvl='0'><w:numFmt w:val='bullet'/><w:lvlText w:val='o'/>\
        </w:lvl></w:abstractNum><w:num w:numId='1'><w:abstractNumId w:val='7'/></w:num><w:num w:numId='2'><w:abstractNumId \
        w:val='7'/><w:lvlOverride w:ilvl='0'><w:startOverride w:val='5'/></w:lvlOverride></w:num><w:num w:numId='3'>\
        <w:abstractNumId w:val='8'/></w:num></n>";

    #[test]
    fn levels_count_and_begin_anew() {
        let mut numbers = read(LISTS.as_bytes().to_vec()).expect("readable");
        let mut check = |list: &str, level: usize, expected: Option<&str>| {
            assert_eq!(numbers.next(list, level).as_deref(), expected, "{list} {level}");
        };
        check("1", 0, Some("1."));
        check("1", 1, Some("(a)"));
        check("1", 1, Some("(b)"));
        check("1", 2, Some("1.b I"));
        check("1", 0, Some("2."));
        check("1", 1, Some("(a)"));
        check("2", 0, Some("5."));
        check("2", 0, Some("6."));
        check("3", 0, None);
        check("9", 0, None);
    }

    #[test]
    fn a_style_may_tell_the_level() {
        let numbers = read(LISTS.as_bytes().to_vec()).expect("readable");
        assert_eq!(numbers.level_of_style("1", "Sub"), Some(1));
        assert_eq!(numbers.level_of_style("1", "Other"), None);
    }

    #[test]
    fn numbers_in_their_formats() {
        let check = |number: u32, format: &str, expected: &str| assert_eq!(written(number, format), expected);
        check(26, "upperLetter", "Z");
        check(27, "upperLetter", "27");
        check(49, "lowerRoman", "xlix");
        check(20, "japaneseCounting", "二十");
        check(13, "chineseCounting", "十三");
        check(3, "decimalZero", "03");
        check(4_000_000, "upperRoman", "4000000");
    }
}
