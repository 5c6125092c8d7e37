//! The value that a question looks up in a table: it names the column, and values of one row alone: "What is the rent of the
//! York branch?". Which words of running text answer is not judged here.

use std::collections::BTreeSet;

use super::statements::{Form, Statement};
use super::superlative::cells;
use super::terms::content_set;
use crate::base::text::{Language, is_cjk, is_hiragana};

/// A row with so many values is not shown whole.
const LONG_ROW: usize = 5;

/// The row of one table that the question is about, and the value in the column that it names. `None` where it names no
/// column, or several alike, or where several rows fit as well.
pub(super) fn look_up<'r>(question: &str, language: Language, rows: &[&'r Statement]) -> Option<(usize, &'r str)> {
    if rows.len() < 2 {
        return None;
    }
    let (asked, lower) = (content_set(question, language), question.to_lowercase());
    let is_named = |value: &str| is_named(value, &lower, &asked, language);
    let named = |row: &&Statement| cells(row).filter(|(_, value)| is_named(value)).count();
    let named: Vec<usize> = rows.iter().map(named).collect();
    let most = named.iter().copied().max().filter(|most| *most > 0)?;
    let mut best = (0..rows.len()).filter(|&row| named[row] == most);
    let row = best.next()?;
    // Passages that overlap hold a row twice.
    if best.any(|other| rows[other].text != rows[row].text) {
        return None;
    }
    // Where words are not spaced, a column's name stands in the question as it is.
    let is_word = |name: &str| name.contains(is_cjk) && name.chars().nth(1).is_some();
    let stands = |name: &str| is_word(bare(name)) && lower.contains(&bare(name).trim().to_lowercase());
    // A question that asks for much else is not answered by a cell.
    let held = content_set(&rows[row].text, language);
    let words = |term: &&String| !term.contains(is_hiragana);
    let shared = asked.intersection(&held).filter(words).count();
    if shared * 2 < asked.iter().filter(words).count() && !cells(rows[row]).any(|(name, _)| stands(name)) {
        return None;
    }
    // The longest name of a column that the question holds: whole, or all but a word of three.
    let held = |name: &str| {
        let terms = content_set(bare(name), language);
        let shared = terms.intersection(&asked).count();
        if stands(name) {
            return terms.len() + 1;
        }
        if shared == terms.len() || shared >= 2 && shared * 3 >= terms.len() * 2 { shared } else { 0 }
    };
    // What is said already is not asked for: "the four-room flat" asks for no number of rooms.
    let said: BTreeSet<String> = cells(rows[row])
        .filter(|(_, value)| is_named(value))
        .flat_map(|(_, value)| content_set(value, language))
        .collect();
    let is_said = |name: &str| content_set(bare(name), language).is_subset(&said);
    let open = cells(rows[row]).filter(|(name, value)| !is_named(value) && !is_said(name));
    let values = open.map(|(name, value)| (held(name), value));
    let values: Vec<(usize, &str)> = values.filter(|(held, _)| *held > 0).collect();
    let longest = values.iter().map(|(held, _)| *held).max()?;
    let mut asked_for = values.iter().filter(|(held, _)| *held == longest);
    asked_for.next().filter(|_| asked_for.next().is_none()).map(|&(_, value)| (row, value))
}

/// A statement as it is shown with its answer: of a long row without the figures that are not asked for, but for the first,
/// which names it.
pub(super) fn around(statement: &Statement, answer: &str) -> String {
    let cells: Vec<&str> = statement.text.split("; ").collect();
    if statement.form != Form::Row || cells.len() < LONG_ROW || answer.is_empty() {
        return statement.shown();
    }
    let is_kept = |cell: &str| {
        let value = cell.rsplit_once(": ").map_or(cell, |(_, value)| value);
        value == answer || value.contains(char::is_alphabetic) || !value.contains(|c: char| c.is_ascii_digit())
    };
    let kept = cells.iter().enumerate().filter(|(place, cell)| *place == 0 || is_kept(cell));
    kept.map(|(_, cell)| *cell).collect::<Vec<_>>().join("; ")
}

/// Whether the question holds a name whole, what stands in brackets aside.
pub(super) fn is_asked(name: &str, asked: &BTreeSet<String>, language: Language) -> bool {
    let terms = content_set(bare(name), language);
    !terms.is_empty() && terms.is_subset(asked)
}

/// A name without what stands in brackets behind it.
fn bare(name: &str) -> &str {
    name.split(['(', '（']).next().unwrap_or(name)
}

/// Whether the question holds a value: its words, and in scripts without spaces itself; what stands in brackets aside.
fn is_named(value: &str, lower: &str, asked: &BTreeSet<String>, language: Language) -> bool {
    let value = bare(value).trim().to_lowercase();
    if value.contains(is_cjk) {
        return value.chars().nth(1).is_some() && lower.contains(&value);
    }
    let terms = content_set(&value, language);
    let stands = |(at, _): (usize, &str)| {
        let (before, after) = (&lower[..at], &lower[at + value.len()..]);
        !before.ends_with(is_narrow) && !after.starts_with(is_narrow)
    };
    // A figure or a code must stand there as it is.
    match value.contains(|c: char| c.is_ascii_digit()) || terms.is_empty() {
        true => !value.is_empty() && lower.match_indices(value.as_str()).any(stands),
        false => terms.is_subset(asked),
    }
}

/// Whether a character is part of a word of a script with spaces.
fn is_narrow(c: char) -> bool {
    c.is_alphanumeric() && !is_cjk(c)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::text::detect_language;
    use crate::offline::statements::statements;
    use crate::offline::testing::card;

    fn check(table: &str, question: &str, expected: Option<(usize, &str)>) {
        let language = detect_language(question);
        let stated = statements(&card(1, "Branches", "", table));
        let rows: Vec<&Statement> = stated.iter().filter(|one| one.form == Form::Row).collect();
        assert_eq!(look_up(question, language, &rows), expected, "{question}");
    }

    #[test]
    fn the_value_of_a_named_column_in_a_named_row() {
        let check = |question: &str, expected: Option<(usize, &str)>| {
            let table = "| Branch | Floor | Rent 2024 (GBP) | Rent 2025 (GBP) | Manager |\n|---|---|---|---|---|\n\
                         | North Leeds | 2 | 1,200.50 | 1,300 | Ann Lee |\n| York | 2 | 900 | 950 | Bo Hill |\n";
            check(table, question, expected);
        };
        check("What was the rent of York in 2024?", Some((1, "900")));
        check("rent 2025 north leeds", Some((0, "1,300")));
        check("Who is the manager in York?", Some((1, "Bo Hill")));
        check("Who is the manager on floor 2?", None);
        check("What is the rent of York?", None);
        check("Which branch is run by Ann Lee?", Some((0, "North Leeds")));
        let flats = "| Flat | Rooms | Charge |\n|---|---|---|\n| Four-room | 4 | 1,106 |\n| Two-room | 2 | 700 |\n";
        super::tests::check(flats, "What does the four-room flat cost?", None);
        let flats = "| Flat | Rooms | Monthly charge 2024 | Monthly charge 2025 |\n|---|---|---|---|\n| Four-room | 4 | 1,058 | 1,106 |\n| Two-room | 2 | 600 | 700 |\n";
        super::tests::check(flats, "What does the four-room flat cost per month in 2025?", Some((0, "1,106")));
        check("What does the branch in Hull sell?", None);
        let accounts = "| Year | Fares (£) | Insurance (£) | Deficit (£) |\n|---|---|---|---|\n| 2023 | 187400 | 18600 | -31000 |\n| 2024 | 214300 | 26400 | -25900 |\n";
        super::tests::check(accounts, "Insurance premium 2024", Some((1, "26400")));
        check("What does the manager in York say of ice, fog, storms, strikes and overhauls?", None);
    }

    #[test]
    fn a_long_row_is_shown_around_its_answer() {
        let check = |answer: &str, expected: &str| {
            let table = "| Year | Fares (£) | Rent (£) | Bank | Insurance (£) |\n|---|---|---|---|---|\n| 2024 | 214300 | 900 | Hill & Co | 26400 |\n| 2023 | 1 | 2 | Hill & Co | 3 |\n";
            let stated = statements(&card(1, "Accounts", "", table));
            assert_eq!(around(&stated[0], answer), expected);
        };
        check("26400", "Year: 2024; Bank: Hill & Co; Insurance (£): 26400");
        check("", "Year: 2024; Fares (£): 214300; Rent (£): 900; Bank: Hill & Co; Insurance (£): 26400");
    }

    #[test]
    fn values_in_japanese() {
        let check = |question: &str, expected: Option<(usize, &str)>| {
            let table = "| 年度 | 合計(人) | 電気代(千円) |\n|---|---|---|\n| 2015 | 612000 | 98400 |\n| 2024 | 393000 | 165300 |\n";
            check(table, question, expected);
        };
        check("2024年度の電気代はいくらでしたか", Some((1, "165300")));
        check("2015年度の合計", Some((0, "612000")));
        check("電気代はいくらですか", None);
        check("2014年度の電気代は", None);
        let prices = "| 品番 | 品名 | 標準価格(円) | 卸価格A(円) | 卸価格B(円) |\n|---|---|---|---|---|\n\
                      | MA-300 | 清浄機 | 31800 | 20670 | 22260 |\n| MA-300S | 清浄機 静音 | 33800 | 21970 | 23660 |\n";
        super::tests::check(prices, "MA-300Sの卸価格Bはいくらですか", Some((1, "23660")));
        super::tests::check(prices, "MA-300の卸価格Aはいくらですか", Some((0, "20670")));
    }
}
