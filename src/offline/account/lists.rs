//! Lists that are asked for, whole and in their order, where an answer would tear one item off.

use super::Account;
use super::relevance::LONGEST_LIST;
use crate::base::text::Language;
use crate::llm::purpose::WriteInput;
use crate::offline::asking::asks_for_several;
use crate::offline::statements::Form;

/// The list that what was `said` is one item or one row of; of a table those rows that are asked for. `None` where the question
/// asks for one thing, or what was said is no item, or all of it, or one of very many.
pub(in crate::offline) fn whole_list(input: &WriteInput, asked_in: Language, said: &str) -> Option<String> {
    if !asks_for_several(&input.question) {
        return None;
    }
    let mut account = Account::new(input, asked_in);
    account.note_said(said);
    let mut items = account.taken.iter().copied();
    let (Some(item), None) = (items.next(), items.next()) else { return None };
    let list = account.list_of(item);
    (2..=LONGEST_LIST).contains(&list.len()).then(|| account.paragraphs(&list, ""))
}

impl Account<'_> {
    /// The items of the list of an item, or the rows of its table that are asked for, in their order; empty where it is none.
    fn list_of(&self, item: usize) -> Vec<usize> {
        let one = &self.told[item];
        if !matches!(one.statement.form, Form::Item | Form::Row) || one.block.is_some() {
            return Vec::new();
        }
        let beside = self.rows_beside();
        let is_of_it = |&index: &usize| {
            let other = &self.told[index];
            let (mine, its) = (&one.statement, &other.statement);
            other.document == one.document
                && (mine.form, &mine.heading, &mine.lead) == (its.form, &its.heading, &its.lead)
                && !beside.contains(&index)
        };
        let mut list: Vec<usize> = (0..self.told.len()).filter(is_of_it).collect();
        list.sort_by_key(|&index| self.at(index));
        list
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::offline::testing::{card, write_input};

    #[test]
    fn an_item_of_a_list_brings_the_list() {
        let check = |question: &str, text: &str, said: &str, expected: Option<&str>| {
            let input = write_input(question, vec![card(1, "Papers", "", text)]);
            let told = whole_list(&input, Language::ENGLISH, said);
            assert_eq!(told.as_deref(), expected, "{question}");
        };
        let losses = "## Exclusions\n\n- Loss of income in the first week.\n- Animals, other than by fire.\n\
                      - Money left in vehicles.\n\n## Claims\n\nRing the night line of the broker within a day.";
        let said = "Animals, other than by **fire** [1].\n\n";
        let all = "- Loss of income in the first week [1].\n- Animals, other than by fire [1].\n- Money left in vehicles [1].\n\n";
        check("What kinds of loss are excluded?", losses, said, Some(all));
        check("What is covered against fire?", losses, said, None);
        check("What kinds of loss are excluded?", losses, "Ring the night line of the broker within a day [1].", None);
        let jobs = "Number: 1; Work: New pump; Hours: 5; By: Reed\nNumber: 2; Work: Paint; Hours: 9; By: Hale\n\
                    Number: 3; Work: Oil change; Hours: 2; By: Reed\nNumber: 4; Work: New lamp; Hours: 1; By: Moss\n\
                    Number: 5; Work: Cable; Hours: 3; By: Hale";
        let said = "Number: 3; Work: **Oil change**; Hours: 2; By: Reed [1].\n\n";
        let all = "- Number: 1; Work: New pump; Hours: 5; By: Reed [1].\n- Number: 3; Work: Oil change; Hours: 2; By: Reed [1].\n\n";
        check("Which jobs were done by Reed?", jobs, said, Some(all));
    }
}
