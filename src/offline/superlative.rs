//! The row of a table that a question asks for by the most or the least of one of its columns: "Which branch has the most
//! staff?".

use super::lookup::is_asked;
use super::statements::Statement;
use super::terms::{content_set, has_word};
use crate::base::text::Language;
use crate::report::facts::leading_amount;

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

/// The one of `rows` of one table that has the most or the least of the column that the question names; `None` where it asks
/// for no such thing, or where a row has no figure there.
pub(super) fn superlative(question: &str, language: Language, rows: &[&Statement]) -> Option<usize> {
    let question = &question.replace("いちばん", "一番").replace("もっとも", "最も");
    let (most, least) = (has_word(question, &MOST), has_word(question, &LEAST));
    if most == least || has_word(question, &NOT_THE_FIRST) || rows.len() < 2 {
        return None;
    }
    let asked = content_set(question, language);
    let is_named = |name: &&str| is_asked(name, &asked, language);
    let figure =
        |row: &Statement, name: &str| cells(row).find(|cell| cell.0 == name).and_then(|cell| leading_amount(cell.1));
    let figures = |name: &str| rows.iter().map(|row| figure(row, name)).collect::<Option<Vec<f64>>>();
    // "Which year had the highest fares?" does not ask for the highest year.
    let are_years = |figures: &Vec<f64>| figures.iter().all(|figure| (1000.0..2100.0).contains(figure));
    let named = cells(rows[0]).map(|(name, _)| name).filter(is_named).filter_map(figures);
    let figures = named.min_by_key(are_years)?;
    let sign = if most { 1.0 } else { -1.0 };
    let best = figures.iter().map(|figure| figure * sign).fold(f64::MIN, f64::max);
    let mut best = (0..figures.len()).filter(|&row| figures[row] * sign >= best);
    let first = best.next()?;
    // Passages that overlap hold a row twice.
    best.all(|other| rows[other].text == rows[first].text).then_some(first)
}

/// The values of a row behind the names of their columns.
pub(super) fn cells(row: &Statement) -> impl Iterator<Item = (&str, &str)> {
    row.text.split("; ").filter_map(|cell| cell.split_once(": "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::offline::statements::{Form, statements};
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
        check("Where is rent the lowest?", Some("York"));
        check("Which branch has the fewest staff?", None);
        check("Which branch has the second highest rent?", None);
        check("Which branch has the most customers?", None);
        check("How many staff has York?", None);
        let table = "| 年度 | 合計(人) |\n|---|---|\n| 2018 | 268000 |\n| 2024 | 214300 |\n";
        let stated = statements(&card(1, "入館者", "", table));
        let rows: Vec<&Statement> = stated.iter().collect();
        let found = superlative("合計がいちばん多かったのは何年度ですか", Language::from_code("jpn"), &rows);
        assert_eq!(found, Some(0));
        let table = "| Year | Fares (£) | Wages (£) |\n|---|---|---|\n| 2018 | 268000 | 9 |\n| 2024 | 214300 | 9 |\n";
        let stated = statements(&card(1, "Accounts", "", table));
        let rows: Vec<&Statement> = stated.iter().collect();
        let found = superlative("Which year had the highest fares?", Language::ENGLISH, &rows);
        assert_eq!(found, Some(0));
    }
}
