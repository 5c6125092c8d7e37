//! The amounts of a table within a passage, and those of them that a sentence calculates with: in the rows that it
//! cites or names, and the columns of the years that it names. [`super::derived`] compares the results with the
//! sentence.

use std::collections::BTreeSet;
use std::ops::Range;

use super::scan::{Facts, Number};
use super::source::Read;
use super::units::UnitKind;
use crate::base::text::{is_cjk, month_number};

/// The most cited rows of which every sum is tried.
const MAX_ROWS: usize = 4;

/// Words that tell quarters apart.
const ORDINALS: [&str; 8] = ["first", "second", "third", "fourth", "erste", "zweite", "dritte", "vierte"];

/// Words that mark a column as a period when it does not name its year.
const PERIODS: [&str; 9] = ["year", "quarter", "month", "period", "jahr", "quartal", "monat", "年", "期"];

/// A sentence names a row or a column if it has at least this share of its words.
const NAMED: f64 = 0.6;

/// The amounts of one passage.
#[derive(Debug, Default)]
pub(super) struct Table {
    columns: Vec<Head>,
    rows: Vec<Row>,
}

/// The text above a column or before a row.
#[derive(Clone, Debug, Default, PartialEq)]
struct Head {
    words: String,
    years: BTreeSet<i32>,
    /// The words without days and years.
    names: String,
    /// The words that tell what it is about, without year, quarter and month.
    rest: String,
}

#[derive(Debug)]
struct Row {
    head: Head,
    range: Range<usize>,
    cells: Vec<Option<Cell>>,
}

/// A cell with an amount.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Cell {
    pub value: f64,
    /// As written.
    pub words: String,
    pub is_percent: bool,
}

/// Two cells to compare: `new` is measured against `base`.
pub(super) struct Pair<'t> {
    pub base: &'t Cell,
    pub new: &'t Cell,
    /// Whether years tell which of them is the base.
    pub is_dated: bool,
    /// Whether they are the same thing in two years or of two things, and neither is a part of the other.
    pub is_alike: bool,
    /// Whether the sentence names both or neither: a thing that it names does not grow from one that it does not.
    pub is_meant: bool,
}

/// The cells that a sentence may calculate with.
#[derive(Default)]
pub(super) struct Chosen<'t> {
    /// Cells of several rows in one column, or of one row in several columns, that may be added.
    pub sums: Vec<Vec<&'t Cell>>,
    pub pairs: Vec<Pair<'t>>,
    /// Pairs in one row of which one may be a part of the other, and cells of one row that make a whole.
    pub parts: Vec<Pair<'t>>,
    pub wholes: Vec<Vec<&'t Cell>>,
    /// Cells that it may state as they are.
    pub cells: Vec<&'t Cell>,
    /// Whether no passage has the head of the table, so that the scale of its numbers is unknown.
    pub is_bare: bool,
}

impl Table {
    pub fn of(text: &str) -> Table {
        let mut table = Table::default();
        let mut heads: Vec<Vec<&str>> = Vec::new();
        let mut start = 0;
        for line in text.split_inclusive('\n') {
            let range = start..start + line.trim_end().len();
            start += line.len();
            let cells = split(line.trim_end());
            if cells.len() < 2 {
                continue;
            }
            let (names, values): (Vec<&str>, Vec<&str>) = cells.into_iter().unzip();
            let amounts: Vec<Option<Cell>> = values.iter().map(|value| Cell::of(value)).collect();
            let Some(first) = amounts.iter().position(Option::is_some) else {
                // Below rows, a line without amounts begins another table, which keeps the columns.
                if table.rows.is_empty() {
                    heads.push(values);
                }
                continue;
            };
            let label = values[..first].iter().filter(|one| !one.is_empty()).copied().collect::<Vec<_>>().join(" ");
            let column = |at: usize| {
                let above = heads.iter().filter_map(|head| above(head, at, values.len()));
                above.chain([names[at]]).filter(|name| !name.is_empty()).collect::<Vec<_>>().join(" ")
            };
            if table.columns.len() < values.len() {
                table.columns = (0..values.len()).map(|at| Head::of(&column(at))).collect();
            }
            let mut cells = amounts;
            for (cell, head) in cells.iter_mut().zip(&table.columns) {
                let is_share = head.words.contains(['%', '％']);
                cell.iter_mut().for_each(|cell| cell.is_percent |= is_share);
            }
            table.rows.push(Row { head: Head::of(&label), range, cells });
        }
        table
    }

    /// The rows that are cited; if no row is cited, or too many are, those that the sentence names.
    fn cited_rows(&self, lower: &str, quoted: &[Range<usize>]) -> Vec<&Row> {
        let mut rows: Vec<&Row> = Vec::new();
        for quote in quoted {
            let touched = self.rows.iter().filter(|row| row.range.start < quote.end && quote.start < row.range.end);
            let touched: Vec<&Row> = touched.collect();
            if touched.len() <= MAX_ROWS {
                rows.extend(touched);
            }
        }
        if rows.is_empty() {
            let mut named: Vec<(f64, &Row)> =
                self.rows.iter().map(|row| (row.head.mentioned_word_share(lower), row)).collect();
            named.retain(|(share, _)| *share >= NAMED);
            named.sort_by(|a, b| b.0.total_cmp(&a.0));
            rows = named.into_iter().take(MAX_ROWS).map(|(_, row)| row).collect();
        }
        rows.sort_by_key(|row| row.range.start);
        rows.dedup_by_key(|row| row.range.start);
        rows.truncate(MAX_ROWS);
        rows
    }
}

impl Row {
    fn cell(&self, column: usize) -> Option<&Cell> {
        self.cells.get(column)?.as_ref()
    }
}

impl Head {
    fn of(words: &str) -> Head {
        let facts = Facts::of(words);
        let mut years: BTreeSet<i32> =
            facts.dates.iter().flat_map(|date| &date.readings).filter_map(|day| day.year).collect();
        years.extend(short_years(words));
        let lower = words.to_lowercase();
        let mut names = words.to_owned();
        for date in facts.dates.iter().rev() {
            names.replace_range(date.range.clone(), " ");
        }
        let names = names.to_lowercase();
        let rest: Vec<&str> = self::words(&names)
            .filter(|word| month_number(word).is_none() && !ORDINALS.iter().any(|ordinal| word.starts_with(ordinal)))
            .collect();
        Head { years, rest: rest.join(" "), names, words: lower }
    }

    fn is_named_in(&self, lower: &str) -> bool {
        self.mentioned_word_share(lower) >= NAMED
    }

    fn is_period(&self) -> bool {
        !self.years.is_empty() || PERIODS.iter().any(|word| self.words.contains(word))
    }

    /// The first place where a sentence in lower case names it.
    fn first_mention(&self, lower: &str) -> usize {
        words(&self.words).filter_map(|word| lower.find(word)).min().unwrap_or(usize::MAX)
    }

    /// The share of its words that a sentence in lower case has.
    fn mentioned_word_share(&self, lower: &str) -> f64 {
        let all = words(&self.words).count();
        let held = words(&self.words).filter(|word| lower.contains(*word)).count();
        held as f64 / all.max(1) as f64
    }
}

impl Cell {
    /// The only amount of a cell, if the cell has at most three other letters; a character of Chinese or Japanese
    /// counts as two.
    fn of(cell: &str) -> Option<Cell> {
        let facts = Facts::of(cell);
        let [Number { values, unit, soft: false, range, .. }] = &facts.numbers[..] else { return None };
        if !facts.dates.is_empty() {
            return None;
        }
        let (before, after) = (&cell[..range.start], &cell[range.end..]);
        // "7. 商工費" is a name.
        let others = before.chars().chain(after.chars()).filter(|c| c.is_alphanumeric());
        let letters: usize = others.map(|c| if is_cjk(c) { 2 } else { 1 }).sum();
        let sign = if before.contains(['-', '−', '△', '▲', '(', '–', '▼']) { -1.0 } else { 1.0 };
        let is_percent = unit.is_some_and(|unit| unit.kind == UnitKind::Percent) || after.trim_start().starts_with('%');
        let words = cell.trim().to_owned();
        (letters <= 3).then(|| Cell { value: sign * values[0].0, words, is_percent })
    }
}

/// Whether a line is a row of a table that has amounts.
pub(super) fn is_row(line: &str) -> bool {
    let cells = split(line.trim_end());
    cells.len() > 1 && cells.iter().any(|(_, value)| Cell::of(value).is_some())
}

/// The cells of a line, each with its name if the line has one.
fn split(line: &str) -> Vec<(&str, &str)> {
    if line.contains('|') {
        let inner = line.trim().trim_start_matches('|').trim_end_matches('|');
        return inner.split('|').map(|cell| ("", cell.trim())).collect();
    }
    let named = named_cells(line);
    if named.len() > 1 {
        return named;
    }
    let spaced = line.trim().split('\t').flat_map(|part| part.split("  "));
    spaced.map(str::trim).filter(|cell| !cell.is_empty()).map(|cell| ("", cell)).collect()
}

/// The cells of a line that has the name of its column before each. A name may hold a semicolon.
fn named_cells(line: &str) -> Vec<(&str, &str)> {
    let (mut found, mut start) = (Vec::new(), 0);
    let ends = line.match_indices("; ").map(|(at, _)| at).chain([line.len()]);
    for end in ends {
        if let Some(cell) = line[start..end].split_once(": ") {
            found.push(cell);
            start = (end + 2).min(line.len());
        }
    }
    found
}

/// The cell of a head line above column `at` of `of`. The head may lack the cell above the rows' names, or its cells
/// may span several columns.
fn above<'t>(head: &[&'t str], at: usize, of: usize) -> Option<&'t str> {
    match head.len() {
        length if length == of => head.get(at).copied(),
        length if length + 1 == of => at.checked_sub(1).and_then(|at| head.get(at).copied()),
        length if length > 1 && (of - 1).is_multiple_of(length - 1) && at > 0 => {
            head.get(1 + (at - 1) / ((of - 1) / (length - 1))).copied()
        }
        length if (of - 1).is_multiple_of(length) && at > 0 => head.get((at - 1) / ((of - 1) / length)).copied(),
        _ => None,
    }
}

/// Years in a short form, as `FY 23`, `FY23` and `H27`, and those that stand alone as a number.
fn short_years(words: &str) -> BTreeSet<i32> {
    let pieces: Vec<&str> = words.split(|c: char| !c.is_alphanumeric()).filter(|piece| !piece.is_empty()).collect();
    let mut found = BTreeSet::new();
    for (at, piece) in pieces.iter().enumerate() {
        let digits: String = piece.chars().filter(char::is_ascii_digit).collect();
        let letters = piece.trim_matches(|c: char| c.is_ascii_digit());
        let Ok(number) = digits.parse::<i32>() else { continue };
        let is_fiscal = letters == "FY" || letters.is_empty() && at > 0 && pieces[at - 1].eq_ignore_ascii_case("fy");
        match (letters, digits.len()) {
            ("H", 1..=2) => _ = found.insert(1988 + number),
            ("R", 1..=2) => _ = found.insert(2018 + number),
            ("S", 2) => _ = found.insert(1925 + number),
            (_, 2) if is_fiscal => _ = found.insert(2000 + number),
            (_, 4) if (letters.is_empty() || is_fiscal) && (1800..2200).contains(&number) => _ = found.insert(number),
            _ => {}
        }
    }
    found
}

/// Every choice of one or more of the first `MAX_ROWS` cells.
fn subsets<'t>(cells: &[&'t Cell]) -> Vec<Vec<&'t Cell>> {
    let cells = &cells[..cells.len().min(MAX_ROWS)];
    let choice = |mask: usize| (0..cells.len()).filter(|at| mask >> at & 1 == 1).map(|at| cells[at]).collect();
    (1..1usize << cells.len()).map(choice).collect()
}

/// The cells that a sentence may calculate with, in the passages that it cites. Rows with the same columns belong to
/// one table, whatever passages they stand in.
pub(super) fn chosen<'r>(sentence: &str, reads: &[&'r Read]) -> Vec<Chosen<'r>> {
    let lower = sentence.to_lowercase();
    let mut tables: Vec<(&[Head], Vec<&Row>)> = Vec::new();
    let mut seen: Vec<&Read> = Vec::new();
    for &read in reads {
        if seen.iter().any(|other| other.whole() == read.whole()) {
            continue;
        }
        seen.push(read);
        let same = reads.iter().filter(|other| other.whole() == read.whole());
        let quoted: Vec<Range<usize>> = same.map(|one| one.quoted.clone()).filter(|one| !one.is_empty()).collect();
        let rows = read.table().cited_rows(&lower, &quoted);
        let columns = &read.table().columns[..];
        // The columns of a passage that begins inside a table have no names.
        let is_same =
            |other: &[Head]| other == columns || other.len() == columns.len() && (is_bare(other) || is_bare(columns));
        match tables.iter_mut().find(|(other, _)| is_same(other)) {
            Some((known, all)) => {
                all.extend(rows);
                *known = if is_bare(known) { columns } else { known };
            }
            None => tables.push((columns, rows)),
        }
    }
    let said = Head::of(sentence).years;
    tables.into_iter().map(|(columns, rows)| Selection::new(columns, rows, &lower, &said).chosen()).collect()
}

/// The rows and columns that a sentence speaks of.
struct Selection<'s, 't> {
    heads: &'t [Head],
    rows: Vec<&'t Row>,
    lower: &'s str,
    /// The columns in which rows are compared, those in which one row is compared with itself, and those of the same years,
    /// of which one may be a part of another.
    columns: Vec<usize>,
    over_years: Vec<usize>,
    parts: Vec<usize>,
    /// The columns that the sentence names, and whether all of `columns` are among them.
    named: Vec<usize>,
    is_named: bool,
}

impl<'s, 't> Selection<'s, 't> {
    fn new(heads: &'t [Head], mut rows: Vec<&'t Row>, lower: &'s str, said: &BTreeSet<i32>) -> Self {
        rows.truncate(MAX_ROWS);
        let all: Vec<usize> = (0..heads.len()).filter(|&at| rows.iter().any(|row| row.cell(at).is_some())).collect();
        let named = named_columns(heads, &all, lower);
        let dated: Vec<usize> = all.iter().copied().filter(|&at| !heads[at].years.is_disjoint(said)).collect();
        let narrowed = |columns: &[usize]| -> Vec<usize> {
            let both: Vec<usize> = columns.iter().copied().filter(|at| named.contains(at)).collect();
            if both.is_empty() { columns.to_vec() } else { both }
        };
        let parts = if dated.is_empty() { all.clone() } else { dated };
        let columns = narrowed(&parts);
        let is_named = columns.iter().all(|at| named.contains(at));
        let years: BTreeSet<i32> = columns.iter().flat_map(|&at| &heads[at].years).copied().collect();
        let mut over_years = columns.clone();
        // A comparison with the year before names only one year.
        if years.len() == 1 || columns.len() == 1 {
            let is_before = |at: &usize| said.iter().any(|year| heads[*at].years.contains(&(year - 1)));
            let others: Vec<usize> = all.iter().copied().filter(|at| !columns.contains(at)).collect();
            let before: Vec<usize> = others.iter().copied().filter(is_before).collect();
            over_years.extend(narrowed(if before.is_empty() { &others } else { &before }));
            over_years.sort_unstable();
        }
        Selection { heads, rows, lower, columns, over_years, parts, named, is_named }
    }

    fn chosen(&self) -> Chosen<'t> {
        let mut chosen = Chosen { is_bare: is_bare(self.heads), ..Chosen::default() };
        for &column in &self.columns {
            let cells: Vec<&Cell> =
                self.rows.iter().filter(|row| self.means(row)).filter_map(|row| row.cell(column)).collect();
            chosen.sums.extend(subsets(&cells).into_iter().filter(|some| some.len() > 1));
            for (at, one) in self.rows.iter().enumerate() {
                chosen
                    .pairs
                    .extend(self.rows[at + 1..].iter().filter_map(|other| self.pair_of_rows(one, other, column)));
            }
        }
        // Among many columns without names it is unknown which one is meant.
        let is_unclear = self.columns.len() > MAX_ROWS && chosen.is_bare;
        for row in self.rows.iter().filter(|_| !is_unclear) {
            chosen.cells.extend(self.over_years.iter().filter_map(|&at| row.cell(at)));
            if self.is_named && self.means(row) {
                let cells: Vec<&Cell> = self.columns.iter().filter_map(|&at| row.cell(at)).collect();
                chosen.sums.extend(subsets(&cells).into_iter().filter(|some| some.len() > 1));
            }
            for (at, &one) in self.parts.iter().enumerate() {
                let others = self.parts[at + 1..].iter().filter_map(|&other| self.pair_of_columns(row, one, other));
                chosen.parts.extend(others);
            }
            for (at, &one) in self.over_years.iter().enumerate() {
                let others = &self.over_years[at + 1..];
                chosen.pairs.extend(others.iter().filter_map(|&other| self.pair_of_columns(row, one, other)));
                // Only columns side by side are added.
                for end in at + 2..=self.over_years.len() {
                    let part = &self.over_years[at..end];
                    let is_alike = part.iter().all(|&at| self.heads[at].rest == self.heads[one].rest);
                    let cells: Vec<&Cell> = part.iter().filter_map(|&at| row.cell(at)).collect();
                    if is_alike && cells.len() > 1 {
                        if self.means(row) {
                            chosen.sums.push(cells.clone());
                        }
                        chosen.wholes.push(cells);
                    }
                }
            }
        }
        let is_one_kind = |some: &Vec<&Cell>| some.iter().all(|cell| cell.is_percent == some[0].is_percent);
        chosen.sums.retain(is_one_kind);
        chosen.wholes.retain(is_one_kind);
        chosen.pairs.retain(|pair| pair.base.is_percent == pair.new.is_percent);
        chosen.parts.retain(|pair| pair.base.is_percent == pair.new.is_percent);
        chosen
    }

    /// The pair of two rows in one column: the later year is compared with the earlier; without years, the row named
    /// first is compared with the other.
    fn pair_of_rows(&self, one: &'t Row, other: &'t Row, column: usize) -> Option<Pair<'t>> {
        let (base, new) = one.cell(column).zip(other.cell(column))?;
        let years = differing(&one.head, &other.head);
        let is_first_new = years
            .map_or_else(|| one.head.first_mention(self.lower) < other.head.first_mention(self.lower), |(a, b)| a > b);
        let (base, new) = if is_first_new { (new, base) } else { (base, new) };
        let is_meant = one.head.is_named_in(self.lower) == other.head.is_named_in(self.lower);
        Some(Pair { base, new, is_dated: years.is_some(), is_alike: true, is_meant })
    }

    /// Whether the sentence may mean a row: it names this row, or none of the rows that it cites.
    fn means(&self, row: &Row) -> bool {
        let is_named = |row: &Row| row.head.is_named_in(self.lower);
        is_named(row) || !self.rows.iter().any(|row| is_named(row))
    }

    /// The pair of one row in two columns.
    fn pair_of_columns(&self, row: &'t Row, one: usize, other: usize) -> Option<Pair<'t>> {
        let (base, new) = row.cell(one).zip(row.cell(other))?;
        let (a, b) = (&self.heads[one], &self.heads[other]);
        let years = differing(a, b);
        let (base, new) = if years.is_some_and(|(a, b)| a > b) { (new, base) } else { (base, new) };
        let is_alike = a.rest == b.rest;
        let are_told = self.named.contains(&one) == self.named.contains(&other) || a.is_period() && b.is_period();
        let is_meant = self.means(row) && (is_alike || are_told);
        Some(Pair { base, new, is_dated: years.is_some(), is_alike, is_meant })
    }
}

/// Whether no column has a name.
fn is_bare(heads: &[Head]) -> bool {
    heads.iter().all(|head| head.words.is_empty())
}

/// The first years of two heads, if they differ.
fn differing(one: &Head, other: &Head) -> Option<(i32, i32)> {
    one.years.first().copied().zip(other.years.first().copied()).filter(|(a, b)| a != b)
}

/// The columns that a sentence names by words that not all columns have.
fn named_columns(heads: &[Head], all: &[usize], lower: &str) -> Vec<usize> {
    let words: Vec<BTreeSet<&str>> = heads.iter().map(|head| words(&head.names).collect()).collect();
    let headed: Vec<&BTreeSet<&str>> = words.iter().filter(|words| !words.is_empty()).collect();
    let is_telling = |word: &&&str| !headed.iter().all(|words| words.contains(**word));
    let is_named = |at: &usize| {
        let telling: Vec<&&str> = words[*at].iter().filter(is_telling).collect();
        let held = telling.iter().filter(|word| lower.contains(**word)).count();
        held > 0 && held * 2 >= telling.len()
    };
    all.iter().copied().filter(is_named).collect()
}

/// The words of a text: runs of more than two letters, or of any length in scripts without spaces.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let pieces = text.split(|c: char| !c.is_alphabetic()).filter(|piece| !piece.is_empty());
    pieces.filter(|piece| piece.contains(is_cjk) || piece.chars().count() > 2)
}
