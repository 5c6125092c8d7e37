//! Adds up a column of a table for a question that asks for a total which no row states: "How much did we spend on
//! travel in total?". The parts are told with the sum, so that it can be checked; amounts of different units are not added.

use std::collections::BTreeSet;

use super::amount::Notation;
use super::{Asking, cells};
use crate::base::text::{is_cjk, is_hiragana, is_listed};
use crate::offline::statements::Statement;
use crate::offline::terms::content_set;

/// Words that ask for a total or name one, in scripts with spaces; the beginnings of others; and phrases.
const WORDS: &str = "total totals sum altogether combined insgesamt zusammen totaal total totale totales somme suma soma somma \
    samen łącznie razem toplam toplamda всего итого subtotal";
const BEGINNINGS: &str = "gesamt|summe|zwischensumme|complessiv|общ";
const PHRASES: &str = "in all|add up|adds up|added up|en tout|ao todo|w sumie|в сумме";
const WIDE: &str = "合計|総計|総額|総数|小計|合わせて|全部で|の計|总计|合计|总共|一共|总额|총액|총 |총합|합계|모두";

/// The fewest parts of a total, and the most that are told.
const PARTS: std::ops::RangeInclusive<usize> = 2..=24;

/// Whether a text asks for a total, or names one.
pub(in crate::offline) fn names_total(text: &str) -> bool {
    let lower = text.to_lowercase();
    if lower.contains(is_cjk) {
        return WIDE.split('|').any(|word| lower.contains(word));
    }
    let mut words = lower.split(|c: char| !c.is_alphanumeric());
    words.any(|word| is_listed(WORDS, word) || BEGINNINGS.split('|').any(|one| word.starts_with(one)))
        || PHRASES.split('|').any(|phrase| lower.contains(phrase))
}

/// A column added up.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::offline) struct Total<'r> {
    /// The column's name.
    pub column: &'r str,
    /// The rows that are added up, with the name of each, if it has one, and its amount as written.
    pub parts: Vec<(usize, Option<&'r str>, &'r str)>,
    /// The sum, written as the amounts are.
    pub sum: String,
}

impl<'r> Total<'r> {
    /// The total that a question asks for, over those rows of the named document that hold most of its words; no row
    /// twice. `None` if a row or a column already states a total, if it is not clear which column is meant, or if the
    /// question names something that the rows do not speak of.
    pub fn of(asking: &Asking, rows: &[&'r Statement], document: &str) -> Option<Total<'r>> {
        let states_total = |row: &&Statement| cells(row).any(|(name, value)| names_total(name) || names_total(value));
        if !names_total(&asking.question) || rows.iter().any(states_total) {
            return None;
        }
        let own: Vec<BTreeSet<String>> = rows.iter().map(|row| content_set(&row.text, asking.language)).collect();
        // The pairs of characters at the edge of a word for a total say nothing.
        let asked = WIDE.split('|').fold(asking.question.clone(), |rest, word| rest.replace(word, " "));
        let mut wanted = content_set(&asked, asking.language);
        wanted.retain(|term| !names_total(term) && !term.contains(is_hiragana));
        let held = |row: usize| wanted.intersection(&own[row]).count();
        let most = (0..rows.len()).map(held).max()?;
        let mut seen = BTreeSet::new();
        let among: Vec<usize> =
            (0..rows.len()).filter(|&row| held(row) == most && seen.insert(rows[row].text.as_str())).collect();
        // What the rows do not speak of may be a condition that some of them do not meet.
        let first = rows.first()?;
        let columns: Vec<&str> = cells(first).map(|(name, _)| name).collect();
        let around = format!("{document} {} {} {}", first.headings(), first.lead, columns.join(" "));
        let around = content_set(&around, asking.language);
        let is_open = |term: &&String| !around.contains(*term) && !among.iter().any(|&row| own[row].contains(*term));
        let open: Vec<&String> = wanted.iter().filter(is_open).collect();
        if open.iter().any(|term| term.contains(char::is_numeric)) || open.len() * 2 > wanted.len() {
            return None;
        }
        let column = column(asking, rows, &among)?;
        let value = |row: usize, of: &str| cells(rows[row]).find(|(name, _)| *name == of).map(|(_, value)| value);
        let values: Vec<&str> = among.iter().map(|&row| value(row, column)).collect::<Option<_>>()?;
        // The first column that tells the rows apart names them.
        let names = columns.iter().filter(|name| **name != column).find_map(|name| {
            let of_rows: Option<Vec<&str>> = among.iter().map(|&row| value(row, name)).collect();
            of_rows.filter(|all| all.iter().collect::<BTreeSet<_>>().len() == all.len())
        });
        let name = |at: usize| names.as_ref().map(|names| names[at]);
        let parts: Vec<_> = among.iter().enumerate().map(|(at, &row)| (row, name(at), values[at])).collect();
        let sum = Notation::of(values.iter().copied(), asking.language).sum(&values)?;
        PARTS.contains(&parts.len()).then_some(Total { column, parts, sum })
    }
}

/// The column that the question is about: of those with an amount in all rows, the one whose name shares most words
/// with it, or else the only one.
fn column<'r>(asking: &Asking, rows: &[&'r Statement], among: &[usize]) -> Option<&'r str> {
    let first = rows[*among.first()?];
    // How an amount is read does not change whether a value is one.
    let notation = Notation::of([].into_iter(), asking.language);
    let has_amount = |row: usize, column: &str| {
        cells(rows[row]).any(|(name, value)| name == column && notation.amount(value).is_some())
    };
    let all = cells(first).map(|(name, _)| name).filter(|name| !name.is_empty());
    let all: Vec<&str> = all.filter(|name| among.iter().all(|&row| has_amount(row, name))).collect();
    let most = all.iter().map(|name| asking.terms_shared(name)).max()?;
    let mut best = all.into_iter().filter(|name| asking.terms_shared(name) == most);
    best.next().filter(|_| best.next().is_none())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::text::detect_language;
    use crate::offline::statements::{Form, statements};
    use crate::offline::testing::card;

    const SPENT: &str = "| Date | Category | Place | Amount (GBP) |\n|---|---|---|---|\n\
        | 2025-01-14 | Travel | Leeds | 1,210.50 |\n| 2025-02-03 | Training | York | 800.00 |\n\
        | 2025-02-20 | Travel | Hull | 96.25 |\n| 2024-11-02 | Travel | Leeds | 40.00 |\n";

    fn check(table: &str, question: &str, expected: Option<(&str, usize)>) {
        let stated = statements(&card(1, "", "", table));
        let rows: Vec<&Statement> = stated.iter().filter(|one| one.form == Form::Row).collect();
        let found = Total::of(&Asking::new(question, detect_language(question)), &rows, "Office costs");
        let found = found.as_ref().map(|total| (total.sum.as_str(), total.parts.len()));
        assert_eq!(found, expected, "{question}");
    }

    #[test]
    fn rows_that_the_question_speaks_of_are_added_up() {
        check(SPENT, "What is the total amount spent on travel?", Some(("1,346.75", 3)));
        check(SPENT, "What is the total amount spent on travel in 2025?", Some(("1,306.75", 2)));
        check(SPENT, "What is the total amount?", Some(("2,146.75", 4)));
        check(SPENT, "What is the total amount for Leeds?", Some(("1,250.50", 2)));
        check(SPENT, "What was the amount for Hull?", None);
    }

    #[test]
    fn what_is_not_clear_is_not_added_up() {
        check(SPENT, "What is the total amount spent on travel in 2023?", None);
        check(SPENT, "What is the total amount for Hull?", None);
        check(SPENT, "How many staff work on repairs in total?", None);
        let stated = "| Item | Price |\n|---|---|\n| Desk | 200 |\n| Chair | 90 |\n| Total | 290 |\n";
        check(stated, "What is the total price?", None);
        let mixed = "| Item | Price |\n|---|---|\n| Desk | $200 |\n| Chair | €90 |\n";
        check(mixed, "What is the total price?", None);
        let losses = "| Year | Result |\n|---|---|\n| 2023 | −200 |\n| 2024 | 90 |\n";
        check(losses, "What is the total result?", None);
    }

    #[test]
    fn totals_in_other_languages() {
        let branches = "| 支店 | 売上（万円） | 人数 |\n|---|---|---|\n| 名古屋 | 1,240 | 12 |\n| 大阪 | 2,310 | 31 |\n| 福岡 | 980 | 9 |\n";
        check(branches, "売上の合計はいくらですか", Some(("4,530", 3)));
        check(branches, "支店の人数は合わせて何人ですか", Some(("52", 3)));
        let costs = "| Posten | Betrag (€) |\n|---|---|\n| Miete | 1.820,00 |\n| Strom | 260,50 |\n";
        check(costs, "Wie hoch ist der Betrag insgesamt?", Some(("2.080,50", 2)));
    }
}
