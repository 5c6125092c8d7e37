//! Rows of tables in accounts, and which of them the question names.

use std::collections::{BTreeMap, BTreeSet};

use super::Account;
use crate::offline::entities::years;
use crate::offline::lookup::{Asking, cells, is_asked};
use crate::offline::statements::Form;
use crate::offline::terms::content_set;
use crate::report::asks_what_changed;

/// A table of at least this many columns holds records.
const RECORD: usize = 4;

impl Account<'_> {
    /// Returns the rows that stand beside those asked for: in the same table, and if a change is asked for, also in all
    /// others. For a question for one thing, `name: value` lines are the rows of a table, too.
    pub(super) fn sibling_rows(&self) -> BTreeSet<usize> {
        let asking = Asking::new(self.question(), self.language);
        let row = |index: usize| &self.told[index].statement;
        let asked = self.subject();
        // A row of a form names in its first cell what it tells, and not what it is about.
        let is_form = |index: usize| cells(row(index)).count() < 3;
        let is_named = |index: &usize| {
            let first = match row(*index).form {
                Form::Pair => row(*index).name(),
                _ => cells(row(*index)).next().map_or("", |(_, first)| first),
            };
            if is_form(*index) { is_asked(first, &asked, self.language) } else { asking.holds(first) }
        };
        let table = |index: usize| match row(index).form {
            Form::Pair => (self.told[index].document, row(index).heading.as_str()),
            _ => (self.told[index].document, cells(row(index)).next().map_or("", |(name, _)| name)),
        };
        let is_row = |&index: &usize| row(index).form == Form::Row || self.is_unread && row(index).form == Form::Pair;
        let rows: Vec<usize> = (0..self.told.len()).filter(is_row).collect();
        let mut tables: BTreeMap<(usize, &str), Vec<usize>> = BTreeMap::new();
        rows.iter().for_each(|&index| tables.entry(table(index)).or_default().push(index));
        let mut beside = BTreeSet::new();
        let named = rows.iter().any(is_named);
        for rows in tables.values() {
            let mut found: Vec<usize> = rows.iter().copied().filter(is_named).collect();
            // "The hours of building and live music" asks for the value of "Building noise" beside that of "Live music".
            let pairs = found.iter().map(|&index| row(index).name());
            let named_terms: BTreeSet<String> = pairs.flat_map(|name| content_set(name, self.language)).collect();
            let is_also_asked = |&index: &usize| {
                let name = content_set(row(index).name(), self.language);
                row(index).form == Form::Pair
                    && name.iter().any(|term| asked.contains(term) && !named_terms.contains(term))
            };
            if found.is_empty() {
                found = self.rows_with_change(rows);
            } else {
                found.extend(rows.iter().copied().filter(is_also_asked));
            }
            if found.is_empty() {
                found = self.rows_matching_question(rows, &asked);
            }
            if !found.is_empty() || named && self.changing {
                beside.extend(rows.iter().filter(|index| !found.contains(index)));
            }
        }
        beside
    }

    /// Returns the rows whose values differ between the columns of the years that a question for a change names; none if
    /// it asks for no change or the table has no two such columns.
    fn rows_with_change(&self, rows: &[usize]) -> Vec<usize> {
        let question = self.question();
        let asked = if self.changing || asks_what_changed(question) { years(question) } else { Vec::new() };
        let is_asked = |name: &str| years(name).iter().any(|year| asked.contains(year));
        let has_changed = |&index: &usize| {
            let of_years: Vec<_> =
                cells(&self.told[index].statement).filter(|(name, _)| !years(name).is_empty()).collect();
            // A question that names one year compares it with the one before.
            of_years
                .windows(2)
                .any(|two| two[0].1 != two[1].1 && is_asked(two[1].0) && (asked.len() == 1 || is_asked(two[0].0)))
        };
        rows.iter().copied().filter(has_changed).collect()
    }

    /// Returns the records of a table that hold most of the words of what is asked which neither title nor columns
    /// have.
    fn rows_matching_question(&self, rows: &[usize], asked: &BTreeSet<String>) -> Vec<usize> {
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
        if names.len() < RECORD || holding.len() * 2 > rows.len() { Vec::new() } else { holding }
    }
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
        let shown = |&index: &usize| account.told[index].text.as_str();
        assert_eq!(told.iter().map(shown).collect::<Vec<_>>(), expected, "{question}");
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
    fn of_a_sheet_of_values_the_one_asked_for_answers_a_question_for_one_thing() {
        let check = |question: &str, is_unread: bool, expected: usize| {
            let text = "Firm: Huber Ltd\nShare capital: 50,000 euros\nStaff: 326";
            let input = write_input(question, vec![card(1, "Facts", "", text)]);
            let mut account = Account::new(&input, Language::ENGLISH);
            account.is_unread = is_unread;
            assert_eq!(account.relevant().len(), expected, "{question}");
        };
        check("What is the share capital?", true, 1);
        check("What is the share capital?", false, 3);
        check("Who is the director?", true, 3);
    }

    #[test]
    fn values_of_a_sheet_that_each_answer_a_part_of_the_question() {
        let text = "Building noise: from 8 to 18\nLive music: until midnight\nDogs: on a lead\nFishing: from the pier";
        let input = write_input("The hours of building and live music?", vec![card(1, "Summer", "", text)]);
        let mut account = Account::new(&input, Language::ENGLISH);
        account.is_unread = true;
        assert_eq!(account.relevant().len(), 2);
    }

    #[test]
    fn a_change_between_two_years_is_told_by_the_rows_that_differ() {
        let table = "| Item | Amount 2024 | Amount 2025 | Due |\n|---|---|---|---|\n| Membership fee | £48 | £54 | January |\n\
                     | Entrance fee | £75 | £75 | January |\n| Water | £2.85 | £3.10 | June |\n| Key deposit | £25 | £25 | June |\n";
        let expected = [
            "Item: Membership fee; Amount 2024: £48; Amount 2025: £54; Due: January",
            "Item: Water; Amount 2024: £2.85; Amount 2025: £3.10; Due: June",
        ];
        check("What has changed in the fees from 2024 to 2025?", table, &expected);
        check("What changes in the fees in 2025?", table, &expected);
    }

    #[test]
    fn the_row_that_holds_most_is_told() {
        let table = "| Code | Oil | Size | Carton | Price | Note |\n|---|---|---|---|---|---|\n\
                     | A-1 | Picual | 5 l jug | 3 | 46.50 | none |\n| A-2 | Hojiblanca | 5 l jug | 3 | 47.25 | new |\n\
                     | A-3 | Hojiblanca | 1 l jug | 9 | 9.50 | none |\n| A-4 | Olives | 1 kg | 4 | 4.10 | new |\n";
        let expected = "Code: A-2; Oil: Hojiblanca; Size: 5 l jug; Carton: 3; Price: 47.25; Note: new";
        check("Price of a jug of 5 l Hojiblanca?", table, &[expected]);
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
