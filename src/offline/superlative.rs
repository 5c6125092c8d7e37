//! The row of a table that a question asks for by the most or the least of one of its columns: "Which branch has the most
//! staff?".

use std::collections::BTreeSet;

use super::statements::{Form, Statement};
use super::terms::content_set;
use crate::base::text::{Language, half_width};

/// Words that ask for the most, and for the least, of something.
const MOST: [&str; 14] = [
    "most",
    "highest",
    "largest",
    "biggest",
    "greatest",
    "longest",
    "latest",
    "最も高",
    "最も多",
    "最も大き",
    "最も長",
    "一番高",
    "一番多",
    "一番大き",
];
const LEAST: [&str; 13] = [
    "least",
    "fewest",
    "lowest",
    "smallest",
    "shortest",
    "earliest",
    "最も低",
    "最も少",
    "最も小さ",
    "最も短",
    "一番低",
    "一番少",
    "一番小さ",
];
/// Words that ask for another than the first of them.
const NOT_THE_FIRST: [&str; 6] = ["second", "third", "次に", "番目に", "two", "three"];

/// The one of `rows`, those of one table, that has the most or the least of the column that the question names; `None` where
/// it asks for no such thing, or where a row has no figure there.
pub(super) fn superlative(question: &str, language: Language, rows: &[&Statement]) -> Option<usize> {
    let lower = question.to_lowercase();
    let has = |words: &[&str]| {
        words
            .iter()
            .any(|word| if word.is_ascii() { lower.split(' ').any(|one| one == *word) } else { lower.contains(word) })
    };
    let (most, least) = (has(&MOST), has(&LEAST));
    if most == least || has(&NOT_THE_FIRST) || rows.len() < 2 || rows.iter().any(|row| row.form != Form::Row) {
        return None;
    }
    let asked = content_set(question, language);
    let columns = |row: &Statement| -> Vec<(String, String)> {
        let cells = row.text.split("; ").filter_map(|cell| cell.split_once(": "));
        cells.map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
    };
    let names = columns(rows[0]).into_iter().map(|(name, _)| name);
    let is_named = |name: &String| {
        let terms: BTreeSet<String> = content_set(name.split(['(', '（']).next().unwrap_or(name), language);
        !terms.is_empty() && terms.is_subset(&asked)
    };
    let figures = |name: String| -> Option<Vec<f64>> {
        rows.iter()
            .map(|row| columns(row).iter().find(|cell| cell.0 == name).and_then(|cell| figure(&cell.1)))
            .collect()
    };
    let figures = names.filter(is_named).find_map(figures)?;
    let sign = if most { 1.0 } else { -1.0 };
    let best = figures.iter().map(|figure| figure * sign).fold(f64::MIN, f64::max);
    let mut best = (0..figures.len()).filter(|&row| figures[row] * sign >= best);
    best.next().filter(|_| best.next().is_none())
}

/// The figure that a cell begins with, behind the sign of a currency: "£1,240.50 a year", "0.5%".
fn figure(cell: &str) -> Option<f64> {
    let cell: String = cell.chars().map(half_width).filter(|c| *c != ',').collect();
    let cell = cell.trim_start_matches(|c: char| !c.is_alphanumeric() && c != '-' && c != '.');
    let end = cell.find(|c: char| !c.is_ascii_digit() && c != '.' && c != '-').unwrap_or(cell.len());
    cell[..end].trim_end_matches('.').parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::offline::statements::statements;
    use crate::offline::testing::card;

    #[test]
    fn the_row_with_the_most_or_the_least() {
        let check = |question: &str, expected: Option<&str>| {
            let table = "| Branch | Staff | Rent (GBP) | Manager |\n|---|---|---|---|\n\
                         | Leeds | 9 | £1,200.50 | Ann |\n| York | 24 | £900 | Bo |\n| Hull | 9 | £10,000 | Cy |\n";
            let stated = statements(&card(1, "Branches", "", table));
            let rows: Vec<&Statement> = stated.iter().filter(|one| one.form == Form::Row).collect();
            let found = superlative(question, Language::ENGLISH, &rows).map(|row| rows[row].text.clone());
            let found = found.map(|text| text["Branch: ".len()..].split(';').next().unwrap_or_default().to_owned());
            assert_eq!(found.as_deref(), expected, "{question}");
        };
        check("Which branch has the most staff?", Some("York"));
        check("Which branch pays the highest rent?", Some("Hull"));
        check("Who manages the branch with the lowest rent?", Some("York"));
        check("Which branch has the fewest staff?", None);
        check("Which branch has the second highest rent?", None);
        check("Which branch has the most customers?", None);
        check("How many staff has York?", None);
    }

    #[test]
    fn a_cell_begins_with_its_figure() {
        let check = |cell: &str, expected: Option<f64>| assert_eq!(figure(cell), expected, "{cell}");
        check("£1,240.50 a year", Some(1240.5));
        check("０.５０％", Some(0.5));
        check("-3", Some(-3.0));
        check("12,400 台", Some(12400.0));
        check("on request", None);
        check("", None);
    }
}
