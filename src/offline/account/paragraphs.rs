//! Sets the statements of an account: as paragraphs and lists with their citations, below their introductions and after
//! the heading of their item. Which statements are told is not decided here.

use std::collections::BTreeSet;

use super::{Account, QuotableStatement};
use crate::base::text::Language;
use crate::offline::force::amending_statement;
use crate::offline::render::{attribution_title, cited, code_block, introducing, safe, unambiguous_title};
use crate::offline::statements::{BETWEEN_CELLS, Form};
use crate::offline::terms::word_count;
use crate::report::{repeats_title, words};

/// A paragraph of at least this many words ends with its passage.
const PARAGRAPH: usize = 60;

impl Account<'_> {
    /// Sets statements with their citations: sentences of one passage as a paragraph, other forms as a list below their
    /// introduction.
    pub(super) fn paragraphs(&self, chosen: &[usize]) -> String {
        let mut text = String::new();
        let mut last: Option<&QuotableStatement> = None;
        let mut lead: Option<&QuotableStatement> = None;
        for (place, &index) in chosen.iter().enumerate() {
            let one = &self.told[index];
            let running = one.statement.form == Form::Sentence;
            let introduced = lead.is_some_and(|lead| one.is_introduced_by(lead));
            let rest = chosen[place + 1..].iter().map(|&index| &self.told[index]);
            let mut listed = rest.take_while(|next| next.card == one.card && next.statement.form != Form::Sentence);
            // An introduction to several statements stands above them.
            let introduces = !introduced && listed.any(|next| next.is_introduced_by(one));
            // The second sentence of an item does not end the list.
            if running || !one.statement.lead.is_empty() {
                lead = Some(one);
            }
            let item = self.item(one);
            let goes_on = last.is_some_and(|last| last.card == one.card && self.item(last) == item);
            let label = if goes_on { String::new() } else { item_heading_prefix(item, self.asked_in) };
            if let Some(last) = last {
                let ran = last.statement.form == Form::Sentence;
                // A long document is set in paragraphs, not in one piece.
                let words = || word_count(text.rsplit("\n\n").next().unwrap_or_default());
                let is_near = last.card == one.card || last.document == one.document && words() < PARAGRAPH;
                let is_apart = self.item(last) != item;
                text.push_str(if ran && running && !is_apart && is_near {
                    if ends_with_fullwidth_stop(&text) { "" } else { " " }
                } else if !ran && !running && !introduces && !is_apart && one.block.is_none() && last.block.is_none() {
                    "\n"
                } else {
                    "\n\n"
                });
            }
            let number = self.input.evidence[one.card].number;
            if let Some(block) = &one.block {
                text.push_str(&code_block(one, block, introduced, number));
                last = Some(one);
                continue;
            }
            if introduces {
                text.push_str(&label);
                text.push_str(&introducing(&safe(&one.statement.lead), number));
                text.push_str("\n\n");
            }
            if !running {
                text.push_str("- ");
            }
            if !introduces {
                text.push_str(&label);
            }
            // The label may be the question that the statement answers.
            let is_labelled = !item.is_empty() && item.ends_with(one.statement.lead.as_str());
            let words = if introduced || introduces || is_labelled { &one.statement.text } else { &one.text };
            text.push_str(&cited(&safe(&self.typeset(one, words)), number));
            last = Some(one);
        }
        if text.is_empty() { text } else { format!("{text}\n\n") }
    }

    /// Returns `chosen`, each followed by the statement of an amendment that gives it new words, which is not told again.
    pub(super) fn with_amendments(&self, chosen: &[usize]) -> Vec<usize> {
        let amending: Vec<Option<usize>> = chosen.iter().map(|&index| self.amendment_of(index)).collect();
        let own = chosen.iter().copied().filter(|index| !amending.contains(&Some(*index)));
        let amended = |index: usize| amending[chosen.iter().position(|&one| one == index)?];
        let mut told = BTreeSet::new();
        own.flat_map(|index| [Some(index), amended(index)]).flatten().filter(|&index| told.insert(index)).collect()
    }

    /// Returns `others` without the statements of amendments that are told behind those of `told` which they change.
    pub(super) fn without_amendments_of(&self, mut others: Vec<usize>, told: &[usize]) -> Vec<usize> {
        let amending: BTreeSet<usize> = told.iter().filter_map(|&index| self.amendment_of(index)).collect();
        others.retain(|index| !amending.contains(index));
        others
    }

    /// Returns the statement of an amendment that gives this one new words.
    pub(super) fn amendment_of(&self, index: usize) -> Option<usize> {
        let one = &self.told[index];
        let (card, amending) = amending_statement(&one.statement, one.card, &self.input.evidence)?;
        let is_it = |other: &QuotableStatement| {
            let range = &other.statement.range;
            other.card == card && range.start < amending.range.end && amending.range.start < range.end
        };
        self.told.iter().position(is_it)
    }

    /// Returns the heading of the item or section that a statement stands below, if no reader has judged what answers
    /// and the passage has other headings too; else empty.
    pub(super) fn item<'t>(&self, one: &'t QuotableStatement) -> &'t str {
        let heading = one.statement.heading.as_str();
        let is_title = || repeats_title(heading, &self.input.evidence[one.card].title);
        let is_part =
            || self.told.iter().any(|other| other.card == one.card && other.statement.heading != one.statement.heading);
        if self.is_unread && !heading.is_empty() && !is_title() && is_part() { heading } else { "" }
    }

    /// Sets statements with their citations as one paragraph, whatever documents they come from.
    pub(super) fn running(&self, chosen: &[usize]) -> String {
        let mut text = String::new();
        for &index in chosen {
            let one = &self.told[index];
            if !text.is_empty() && !ends_with_fullwidth_stop(&text) {
                text.push(' ');
            }
            text.push_str(&cited(&safe(&self.typeset(one, &one.text)), self.input.evidence[one.card].number));
        }
        format!("{text}\n\n")
    }

    pub(super) fn line(&self, index: usize) -> String {
        let one = &self.told[index];
        let card = &self.input.evidence[one.card];
        let title = attribution_title(&unambiguous_title(card, &self.input.evidence));
        let colon = words(self.asked_in).colon_behind("");
        format!("- *{title}*{colon}{}\n", cited(&safe(&self.typeset(one, &one.text)), card.number))
    }

    /// Returns the words of a statement; a row has the colons of the report's language behind the names of its columns.
    fn typeset(&self, one: &QuotableStatement, text: &str) -> String {
        let colon = words(self.asked_in).colon_behind("");
        let cell = |cell: &str| match cell.split_once(": ") {
            Some((name, value)) => format!("{}{colon}{value}", name.trim_end()),
            None => cell.to_owned(),
        };
        match one.statement.form {
            Form::Row => text.split(BETWEEN_CELLS).map(cell).collect::<Vec<_>>().join(BETWEEN_CELLS),
            _ => text.to_owned(),
        }
    }
}

/// Sets the heading of an item before its statements, as a document's title stands before what it says.
fn item_heading_prefix(item: &str, language: Language) -> String {
    let colon = words(language).colon_behind(item);
    if item.is_empty() {
        return String::new();
    }
    // A question mark between emphasis and a colon ends no sentence, except one of a script without spaces.
    let asked = item.strip_suffix('?').map_or(item, |asked| asked.trim_end());
    format!("*{}{}*{colon}", attribution_title(asked), &item[asked.len()..])
}

/// Whether a text, apart from a citation, ends with the stop of a script without spaces.
fn ends_with_fullwidth_stop(text: &str) -> bool {
    text.trim_end_matches(|c: char| matches!(c, '[' | ']') || c.is_ascii_digit()).ends_with(['。', '！', '？'])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::offline::testing::{card, write_input};

    fn check(language: &str, text: &str, expected: &str) {
        let input = write_input("", vec![card(1, "Page", "", text)]);
        let mut account = Account::new(&input, Language::from_code(language));
        account.is_unread = true;
        let all: Vec<usize> = (0..account.told.len()).collect();
        assert_eq!(account.paragraphs(&all).trim(), expected);
    }

    #[test]
    fn a_question_that_heads_its_answer_is_told_once() {
        check(
            "spa",
            "## ¿Cómo puedo pagar?\n\nCon tarjeta, Bizum o transferencia.\n\n## Soy socio. ¿Se puede visitar la almazara?\n\n\
             Sí, los sábados a las once, con reserva previa.\n",
            "*¿Cómo puedo pagar?*: Con tarjeta, Bizum o transferencia [1].\n\n\
             *Soy socio ¿Se puede visitar la almazara?*: Sí, los sábados a las once, con reserva previa [1].",
        );
    }

    #[test]
    fn rows_have_the_colons_of_the_report() {
        let table = "| Soin | Prix |\n|---|---|\n| Couronne dentaire | 420 € |\n";
        check("fra", table, "- Soin : Couronne dentaire; Prix : 420 € [1].");
        check("deu", table, "- Soin: Couronne dentaire; Prix: 420 € [1].");
    }
}
