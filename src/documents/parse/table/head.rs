//! Finds the rows that name a table's columns. Rows of a title or of units may stand above the names, the names may
//! take several rows, and the first row may already hold values.

use std::collections::{BTreeMap, BTreeSet};

use csv::StringRecord;

use crate::base::text::one_line;
use crate::documents::parse::columns;

/// The number of rows from which the others are judged.
pub(in super::super) const SNIFFED_ROWS: usize = 50;

/// A cell of at least this many words is prose, not a name.
pub(in super::super) const PROSE_WORDS: usize = 8;

/// The fewest different cells in a row of names that has others above it.
pub(super) const NAMES: usize = 3;

/// The most rows above or below the names that belong to them.
const MOST_ABOVE: usize = 3;

/// Years that may name a column.
const YEARS: std::ops::RangeInclusive<u16> = 1800..=2100;

/// Signs that stand before or after a number.
const UNITS: [char; 8] = ['%', '‰', '€', '$', '£', '¥', '￥', '₩'];

/// The number of first rows that stand above the names of the columns: a title, a unit, the author. They have far fewer
/// cells than most rows, and the names below them are not numbers.
pub(in super::super) fn rows_above(first: &[StringRecord]) -> usize {
    let typical = median(first.iter().map(filled::<&str>).collect());
    let is_above = |row: &StringRecord| {
        let cells = filled(row);
        // A row without a first cell may hold the names, above a column of row names that has no name itself.
        begins(row) && cells < typical && (cells == 1 || cells * 3 <= typical * 2)
    };
    let above = (0..first.len()).take_while(|&at| is_above(&first[at]) && rows_dividing(&first[at..]) == 0).count();
    if first.get(above).is_some_and(|names| names.iter().any(is_number)) { 0 } else { above }
}

/// The names of the columns, and the number of rows that hold them; none if the first row already holds values. Rows
/// above the names that have gaps, such as those of units or years, are put after the names: "Price GBP". A name that
/// spans several others is put before them.
pub(in super::super) fn header(rows: &[StringRecord]) -> (StringRecord, usize) {
    let dividing = rows_dividing(rows);
    if dividing > 0 {
        return (divided(&rows[..=dividing]), dividing + 1);
    }
    if begins_with_values(rows) {
        return (StringRecord::new(), 0);
    }
    let above = rows.iter().take(MOST_ABOVE).take_while(|row| !begins(row)).count().max(1);
    let (upper, rest) = rows.split_at(above.min(rows.len()));
    let Some((lower, _)) = rest.split_first().filter(|(lower, below)| are_names(upper, lower, below)) else {
        return (rows.first().cloned().unwrap_or_default(), 1);
    };
    let mut names: Vec<String> = lower.iter().map(str::to_owned).collect();
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    lower.iter().for_each(|name| *counts.entry(name).or_default() += 1);
    for row in upper.iter().rev() {
        let mut spanned = "";
        for (column, name) in lower.iter().enumerate() {
            let is_repeated = counts.get(name).is_some_and(|&count| count > 1);
            let cell = row.get(column).unwrap_or_default();
            // "2024" over two columns stands above the first of them.
            spanned = if cell.is_empty() && is_repeated { spanned } else { cell };
            names[column] = one_line(&format!("{} {spanned}", names[column]));
        }
    }
    (names.into(), above + 1)
}

/// Whether `lower` names columns, too, and is not the first row of values: it fills gaps of `upper`, its cells are
/// different words, and several columns below it hold numbers.
fn are_names(upper: &[StringRecord], lower: &StringRecord, below: &[StringRecord]) -> bool {
    let cells: Vec<&str> = lower.iter().filter(|cell| !cell.is_empty()).collect();
    let different: BTreeSet<&str> = cells.iter().copied().collect();
    upper.iter().all(|row| filled(row) < cells.len() && row.len() <= lower.len() && !row.iter().any(is_number))
        && different.len() >= cells.len().min(NAMES)
        && cells.iter().all(|cell| is_name(cell))
        && has_numbers(lower.len(), below)
}

/// Whether at least two of the `columns` hold mostly numbers.
fn has_numbers(columns: usize, rows: &[StringRecord]) -> bool {
    let holds_numbers = |column: &usize| {
        let values: Vec<&str> =
            rows.iter().filter_map(|row| row.get(*column)).filter(|cell| !cell.is_empty()).collect();
        values.iter().filter(|value| is_number(value)).count() * 2 > values.len()
    };
    (0..columns).filter(holds_numbers).count() >= 2
}

/// The number of rows below the first one that subdivide its names. The first row has gaps, of which they fill some;
/// their first cell is empty or repeats the first row's.
fn rows_dividing(rows: &[StringRecord]) -> usize {
    let Some((first, below)) = rows.split_first().filter(|(first, _)| begins(first)) else { return 0 };
    let goes_on = |row: &StringRecord| !begins(row) || row.get(0) == first.get(0);
    let count = below.iter().take(MOST_ABOVE).take_while(|row| goes_on(row)).count();
    let own = |row: &StringRecord| {
        let cells = row.iter().enumerate();
        cells.filter(|(column, cell)| !cell.is_empty() && first.get(*column) != Some(*cell)).count()
    };
    let fills = |row: &StringRecord| {
        let mut cells = row.iter().enumerate();
        cells.any(|(column, cell)| !cell.is_empty() && first.get(column).is_none_or(str::is_empty))
    };
    // Repeated names, or numbers below, distinguish rows of names from a row of values with a gap.
    let names: Vec<&str> = below[..count].iter().flatten().filter(|cell| !cell.is_empty()).collect();
    let is_repeated = names.iter().collect::<BTreeSet<_>>().len() < names.len();
    let divide = (is_repeated || has_numbers(first.len(), &below[count..]))
        && below[..count].iter().any(fills)
        && below[..count].iter().all(|row| own(row) > 1)
        && rows[..=count].iter().all(|row| row.iter().all(is_name))
        && below.get(count).is_some_and(|row| !goes_on(row));
    if divide { count } else { 0 }
}

/// The names of columns that stand in several rows, the upper ones before those that subdivide them.
fn divided(rows: &[StringRecord]) -> StringRecord {
    let mut names = vec![String::new(); rows.iter().map(StringRecord::len).max().unwrap_or(0)];
    for (at, row) in rows.iter().enumerate() {
        let mut spanned = "";
        for (column, name) in names.iter_mut().enumerate() {
            let cell = row.get(column).unwrap_or_default();
            let is_divided = rows[at + 1..].iter().any(|lower| lower.get(column).is_some_and(|cell| !cell.is_empty()));
            spanned = if cell.is_empty() && is_divided { spanned } else { cell };
            // A name that reaches down may be repeated in each row.
            if *name != spanned {
                *name = one_line(&format!("{name} {spanned}"));
            }
        }
    }
    names.into()
}

/// Whether the first row holds values: a number or a day in it stands above others of its kind, and no word stands
/// above numbers or days. Years above other numbers, and consecutive numbers, are names.
fn begins_with_values(rows: &[StringRecord]) -> bool {
    let Some((first, below)) = rows.split_first() else { return false };
    let below = &below[..below.len().min(SNIFFED_ROWS)];
    let are_mostly = |column: usize, is: &dyn Fn(Kind) -> bool| {
        let cells = below.iter().filter_map(|row| row.get(column)).filter(|cell| !cell.is_empty());
        let kinds: Vec<Kind> = cells.map(kind).collect();
        kinds.iter().filter(|kind| is(**kind)).count() * 2 > kinds.len()
    };
    let cells: Vec<(usize, Kind)> =
        first.iter().enumerate().filter(|(_, cell)| !cell.is_empty()).map(|(at, cell)| (at, kind(cell))).collect();
    let counted: Vec<i64> = first.iter().filter_map(|cell| cell.parse().ok()).collect();
    let are_counted = counted.len() > 1 && counted.windows(2).all(|two| two[1].checked_sub(two[0]) == Some(1));
    !are_counted
        && cells.iter().any(|&(column, own)| own != Kind::Word && are_mostly(column, &|kind| kind == own))
        && !cells.iter().any(|&(column, own)| own == Kind::Word && are_mostly(column, &|kind| kind != Kind::Word))
}

/// The kind of a cell's content.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Word,
    Whole,
    Decimal,
    Year,
    Day,
}

fn kind(cell: &str) -> Kind {
    let is_sign = |sign: char| sign.is_whitespace() || UNITS.contains(&sign);
    let figures = cell.trim_matches(is_sign).replace(',', "");
    let is_part = |part: &str| (1..=4).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit());
    let day: Vec<&str> = cell.split(['T', ' ']).next().unwrap_or_default().split(['-', '/', '.']).collect();
    if day.len() == 3 && day.iter().all(|part| is_part(part)) {
        return Kind::Day;
    }
    match figures.parse::<f64>() {
        Ok(number) if !number.is_finite() => Kind::Word,
        Ok(_) if figures.contains('.') => Kind::Decimal,
        Ok(_) if cell.len() == 4 && cell.parse::<u16>().is_ok_and(|year| YEARS.contains(&year)) => Kind::Year,
        Ok(_) => Kind::Whole,
        Err(_) => Kind::Word,
    }
}

/// Whether a cell is a number, with or without a unit, and not a year.
pub(in super::super) fn is_number(cell: &str) -> bool {
    matches!(kind(cell), Kind::Whole | Kind::Decimal)
}

/// Whether a cell may name a column.
pub(in super::super) fn is_name(cell: &str) -> bool {
    !is_number(cell) && word_count(cell) < PROSE_WORDS
}

/// Whether a row has something in its first column.
fn begins(row: &StringRecord) -> bool {
    row.get(0).is_some_and(|cell| !cell.is_empty())
}

/// The number of cells of a row that are not empty.
pub(in super::super) fn filled<C: AsRef<str>>(row: impl IntoIterator<Item = C>) -> usize {
    row.into_iter().filter(|cell| !cell.as_ref().is_empty()).count()
}

pub(in super::super) fn median(mut counts: Vec<usize>) -> usize {
    counts.sort_unstable();
    counts.get(counts.len() / 2).copied().unwrap_or(0)
}

/// The number of words; in scripts without spaces, two characters count as one.
pub(super) fn word_count(cell: &str) -> usize {
    let wide = columns(cell) - cell.chars().count();
    cell.split_whitespace().count() + wide / 2
}
