//! Rows of tables in accounts: which row, and which of its values, the question names.

use super::{Account, Told};
use crate::offline::entities::years;
use crate::offline::lookup::is_asked;
use crate::offline::statements::Form;

/// Of a row with so many values only those are told that are asked for.
const LONG_ROW: usize = 4;

impl Account<'_> {
    /// Whether the question names a row by its first value: the others of its table are not asked for.
    pub(super) fn names_row(&self, index: usize) -> bool {
        let one = &self.told[index].statement;
        let first = one.text.split("; ").next().and_then(|cell| cell.split_once(": ")).map_or("", |(_, value)| value);
        one.form == Form::Row && is_asked(first, &self.subject(), self.language)
    }

    /// Of a long row, what names it and the values of the columns that the question names; `None` where it names none.
    pub(super) fn asked_cells(&self, one: &Told) -> Option<String> {
        let cells: Vec<&str> = one.statement.text.split("; ").collect();
        if one.statement.form != Form::Row || cells.len() < LONG_ROW {
            return None;
        }
        let name = |cell: &str| cell.split_once(": ").map_or(String::new(), |(name, _)| name.to_owned());
        // Of years the first and the last are named, and all between them are meant.
        if cells.iter().any(|cell| !years(&name(cell)).is_empty()) {
            return None;
        }
        let asked = self.subject();
        let named = cells[1..].iter().copied().filter(|cell| is_asked(&name(cell), &asked, self.language));
        let named: Vec<&str> = named.collect();
        (!named.is_empty()).then(|| format!("{}; {}", cells[0], named.join("; ")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::text::Language;
    use crate::llm::purpose::WriteInput;
    use crate::offline::testing::card;

    fn check(question: &str, table: &str, expected: &[&str]) {
        let input = WriteInput {
            question: question.to_owned(),
            language: "English".to_owned(),
            asked: vec![],
            evidence: vec![card(1, "Figures", "", table)],
            plan: None,
            incomplete: None,
            words: None,
            outline: Default::default(),
            today: "2026-01-01".to_owned(),
        };
        let mut account = Account::new(&input, Language::ENGLISH);
        let mut told: Vec<usize> = account.relevant();
        told.sort_unstable();
        let shown = |&index: &usize| {
            let one = &account.told[index];
            account.asked_cells(one).unwrap_or_else(|| one.text.clone())
        };
        assert_eq!(told.iter().map(shown).collect::<Vec<_>>(), expected, "{question}");
    }

    #[test]
    fn the_column_that_is_asked_for() {
        let table = "| Year | Passengers | Dogs (paid) | Runs |\n|---|---|---|---|\n| 2018 | 1586 | 49 | 12 |\n| 2019 | 714 | 26 | 6 |\n";
        let check = |question: &str, expected: &[&str]| check(question, table, expected);
        let passengers = ["Year: 2018; Passengers: 1586", "Year: 2019; Passengers: 714"];
        check("How did the number of passengers develop?", &passengers);
        check("How many dogs came?", &["Year: 2018; Dogs (paid): 49", "Year: 2019; Dogs (paid): 26"]);
        let whole = |year: &str| format!("Year: {year}");
        check(
            "How was business?",
            &[
                &format!("{}; Passengers: 1586; Dogs (paid): 49; Runs: 12", whole("2018")),
                &format!("{}; Passengers: 714; Dogs (paid): 26; Runs: 6", whole("2019")),
            ],
        );
    }

    #[test]
    fn the_row_that_is_asked_for() {
        let table = "| Key figure | 2018 | 2019 | 2020 |\n|---|---|---|---|\n| Revenue (m) | 38 | 35 | 40 |\n| Staff | 241 | 236 | 243 |\n";
        check(
            "How did revenue develop from 2018 to 2020?",
            table,
            &["Key figure: Revenue (m); 2018: 38; 2019: 35; 2020: 40"],
        );
    }
}
