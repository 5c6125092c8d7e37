//! Rows of tables in accounts: which row, and which of its values, the question names.

use std::collections::{BTreeMap, BTreeSet};

use super::{Account, Told};
use crate::offline::entities::years;
use crate::offline::lookup::{Asking, cells, is_asked};
use crate::offline::statements::Form;
use crate::offline::terms::content_set;

/// Of a row with so many values only those are told that are asked for.
const LONG_ROW: usize = 4;

impl Account<'_> {
    /// The rows of tables that stand beside those that are asked for: in their table, and where a change is asked for, in all
    /// others.
    pub(super) fn rows_beside(&self) -> BTreeSet<usize> {
        let asking = Asking::new(self.asks_for.as_ref().unwrap_or(&self.input.question), self.language);
        let row = |index: usize| &self.told[index].statement;
        let asked = self.subject();
        // A form names what it tells, and not what it is about.
        let is_form = |index: usize| cells(row(index)).count() < 3;
        let is_named = |index: &usize| {
            let first = cells(row(*index)).next().map_or("", |(_, first)| first);
            if is_form(*index) { is_asked(first, &asked, self.language) } else { asking.holds(first) }
        };
        let table = |index: usize| (self.told[index].document, cells(row(index)).next().map_or("", |(name, _)| name));
        let rows: Vec<usize> = (0..self.told.len()).filter(|&index| row(index).form == Form::Row).collect();
        let mut tables: BTreeMap<(usize, &str), Vec<usize>> = BTreeMap::new();
        rows.iter().for_each(|&index| tables.entry(table(index)).or_default().push(index));
        let mut beside = BTreeSet::new();
        let named = rows.iter().any(is_named);
        for rows in tables.values() {
            let mut found: Vec<usize> = rows.iter().copied().filter(is_named).collect();
            if found.is_empty() {
                found = self.rows_that_hold(rows, &asked);
            }
            if !found.is_empty() || named && self.changing {
                beside.extend(rows.iter().filter(|index| !found.contains(index)));
            }
        }
        beside
    }

    /// Of the records of a table those that hold most words of what is asked which neither title nor columns have.
    fn rows_that_hold(&self, rows: &[usize], asked: &BTreeSet<String>) -> Vec<usize> {
        let row = |index: usize| &self.told[index].statement;
        let names: Vec<&str> = cells(row(rows[0])).map(|(name, _)| name).collect();
        let title = &self.input.evidence[self.told[rows[0]].card].title;
        let about = content_set(&format!("{title} {} {}", row(rows[0]).heading, names.join(" ")), self.language);
        let own: BTreeSet<&String> = asked.difference(&about).collect();
        let held = |&index: &usize| {
            let values: Vec<&str> = cells(row(index)).map(|(_, value)| value).collect();
            content_set(&values.join(" "), self.language).iter().filter(|term| own.contains(term)).count()
        };
        let counts: Vec<usize> = rows.iter().map(held).collect();
        let most = counts.iter().copied().max().filter(|most| *most > 0);
        let with_counts = rows.iter().copied().zip(counts);
        let holding: Vec<usize> = with_counts.filter(|(_, held)| Some(*held) == most).map(|(index, _)| index).collect();
        if names.len() < LONG_ROW || holding.len() * 2 > rows.len() { Vec::new() } else { holding }
    }

    /// Of a long row, what names it, the values that hold words of the question, and those of the columns that it names; `None`
    /// where it names none.
    pub(super) fn asked_cells(&self, one: &Told) -> Option<String> {
        let row = &one.statement;
        if self.is_unread || row.form != Form::Row || row.cells().count() < LONG_ROW {
            return None;
        }
        // Of years the first and the last are named, and all between them are meant.
        if row.cells().any(|cell| !years(column(cell)).is_empty()) {
            return None;
        }
        let asked = self.subject();
        let is_named = |cell: &str| is_asked(column(cell), &asked, self.language);
        let holds = |cell: &str| {
            let value = cell.strip_prefix(column(cell)).unwrap_or(cell);
            !content_set(value, self.language).is_disjoint(&asked)
        };
        row.cells().skip(1).any(is_named).then(|| row.with_cells(|_, cell| is_named(cell) || holds(cell)))
    }
}

/// The name before a value.
fn column(cell: &str) -> &str {
    cell.split_once(": ").map_or("", |(name, _)| name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::text::Language;
    use crate::offline::testing::{card, write_input};

    fn check(question: &str, table: &str, expected: &[&str]) {
        let input = write_input(question, vec![card(1, "Figures", "", table)]);
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
    fn the_row_that_alone_holds_what_is_asked() {
        let csv = "Cost centre: 100 Staff; Item: Salaries; Plan (£): 1950000; Actual (£): 1987400; Remark: Pay award\n\
                   Cost centre: 100 Staff; Item: Training; Plan (£): 42000; Actual (£): 29650; Remark: Two cancelled\n\
                   Cost centre: 100 Staff; Item: Recruitment; Plan (£): 18000; Actual (£): 26900; Remark: Agency fees\n\
                   Cost centre: 200 Buildings; Item: Energy; Plan (£): 640000; Actual (£): 597200; Remark: Mild winter";
        let expected =
            "Cost centre: 100 Staff; Item: Training; Plan (£): 42000; Actual (£): 29650; Remark: Two cancelled";
        check("What does the budget say about training?", csv, &[expected]);
    }

    #[test]
    fn the_row_that_holds_most_is_told_with_what_it_holds() {
        let table = "| Code | Oil | Size | Carton | Price | Note |\n|---|---|---|---|---|---|\n\
                     | A-1 | Picual | 5 l jug | 3 | 46.50 | none |\n| A-2 | Hojiblanca | 5 l jug | 3 | 47.25 | new |\n\
                     | A-3 | Hojiblanca | 1 l jug | 9 | 9.50 | none |\n| A-4 | Olives | 1 kg | 4 | 4.10 | new |\n";
        check("Price of a jug of 5 l Hojiblanca?", table, &["Code: A-2; Oil: Hojiblanca; Size: 5 l jug; Price: 47.25"]);
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
