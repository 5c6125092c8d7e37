//! The statements of the evidence that an account may quote. Which of them it quotes is not decided here.

use std::collections::{BTreeMap, BTreeSet};

use crate::base::text::{Language, is_of_mail_head, is_of_minutes, names_sender};
use crate::llm::purpose::EvidenceCard;
use crate::offline::entities::years;
use crate::offline::prose::{is_prose, leans};
use crate::offline::statements::{Form, Statement, statements};
use crate::offline::terms::{content_set, word_count};

/// Fewest words of a sentence that is quoted, and most of any statement; a value behind its name may be short.
const LEAST: usize = 4;
const MOST: usize = 60;

/// A passage with so many lines that stand above minutes begins with such.
const HEAD_LINES: usize = 3;

/// A statement that may be quoted.
#[derive(Clone, Debug)]
pub(in crate::offline) struct Told {
    /// Index of its passage in the evidence.
    pub card: usize,
    /// The same number for all statements of one document.
    pub document: usize,
    /// Where and in which form it stands.
    pub statement: Statement,
    /// As it is quoted, on one line.
    pub text: String,
    /// Its content terms, those of what introduces it among them.
    pub terms: BTreeSet<String>,
    /// The content terms of its own words.
    pub own: BTreeSet<String>,
    /// The years that it names.
    pub years: Vec<u16>,
    /// How many words, without what introduces it.
    pub words: usize,
    /// The statement before it, where it cannot stand without that one.
    pub after: Option<usize>,
}

impl Told {
    /// Whether both are items, rows or values of one list.
    pub fn is_listed_with(&self, other: &Told) -> bool {
        let (one, two) = (&self.statement, &other.statement);
        one.form != Form::Sentence && self.card == other.card && one.form == two.form && one.heading == two.heading
    }

    /// Whether the same words introduce it as `other`, or `other` is those words.
    pub fn is_introduced_by(&self, other: &Told) -> bool {
        let lead = &self.statement.lead;
        self.card == other.card && !lead.is_empty() && (*lead == other.statement.lead || *lead == other.text)
    }
}

/// All statements of `cards` that may be quoted. What overlapping passages repeat is taken once.
pub(in crate::offline) fn told(cards: &[EvidenceCard], language: Language) -> Vec<Told> {
    let mut documents: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    let mut seen: BTreeSet<(usize, String)> = BTreeSet::new();
    let mut found: Vec<Told> = Vec::new();
    for (card, evidence) in cards.iter().enumerate() {
        let next = documents.len();
        let document = *documents.entry((&evidence.collection, &evidence.path)).or_insert(next);
        let mut before: Option<usize> = None;
        let all = statements(evidence);
        let is_named = |one: &Statement, by: fn(&str) -> bool| one.form == Form::Pair && by(one.name());
        let is_mail = all.iter().any(|one| is_named(one, names_sender));
        let is_minutes = all.iter().filter(|one| is_named(one, is_of_minutes)).count() >= HEAD_LINES;
        for statement in all {
            // A question that is the document's title stands above what is told of it.
            let text = if evidence.title == statement.lead { statement.text.clone() } else { statement.shown() };
            // It tells nothing of the matter.
            let of_head =
                is_mail && is_named(&statement, is_of_mail_head) || is_minutes && is_named(&statement, is_of_minutes);
            let is_title = evidence.title.contains(&statement.text) || evidence.place.contains(&statement.text);
            let usable = !is_title && !of_head && (statement.form != Form::Sentence || is_prose(&statement.text));
            let after = statement.lead.is_empty() && leans(&statement.text);
            let words = word_count(&text);
            if !usable
                || text.ends_with(['?', '？'])
                || words > MOST
                || (words < LEAST && !matches!(statement.form, Form::Pair | Form::Row))
                || !is_mostly_letters(&text)
                || ends_in_section(&text)
                || (after && before.is_none())
                || !seen.insert((document, text.clone()))
            {
                before = None;
                continue;
            }
            let own = content_set(&statement.text, language);
            let one = Told {
                card,
                document,
                terms: if statement.lead.is_empty() { own.clone() } else { content_set(&text, language) },
                own,
                years: years(&text),
                words: word_count(&statement.text),
                after: if after { before } else { None },
                statement,
                text,
            };
            // A statement that leans carries no other.
            before = if after { None } else { Some(found.len()) };
            found.push(one);
        }
    }
    found
}

/// Whether a statement ends in the number of a section, as the lines of a table of contents do.
fn ends_in_section(text: &str) -> bool {
    let last = text.trim_end_matches(['.', '。', ' ']).rsplit(' ').next().unwrap_or_default();
    last.contains('.') && last.chars().all(|c| c.is_ascii_digit() || c == '.') && last.len() <= 6
}

/// Whether a statement is words and not signs, as the rows of a table of operators are.
fn is_mostly_letters(text: &str) -> bool {
    let of = |is: fn(char) -> bool| text.chars().filter(|&c| is(c)).count();
    of(char::is_alphanumeric) * 3 >= of(|c| !c.is_whitespace()) * 2
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::offline::testing::card;

    #[test]
    fn a_title_is_not_repeated_before_its_answer() {
        let check = |title: &str, expected: &str| {
            let text = "# When was it best?\n\nNine of ten viewers name the same seven years.";
            let found = told(&[card(1, title, "", text)], Language::ENGLISH);
            assert_eq!(found.iter().map(|told| told.text.as_str()).collect::<Vec<_>>(), [expected]);
        };
        check("When was it best?", "Nine of ten viewers name the same seven years.");
        check("Questions", "When was it best? Nine of ten viewers name the same seven years.");
    }

    #[test]
    fn who_met_where_is_not_told() {
        let text = "議事録\n\n日 時:令和6年8月20日\n場 所:本館三階 会議室\n出席者:榎並館長、三枝飼育課長\n\n保守契約は三年契約で更新する。";
        let found = told(&[card(1, "議事録", "", text)], Language::ENGLISH);
        assert_eq!(found.iter().map(|told| told.text.as_str()).collect::<Vec<_>>(), ["保守契約は三年契約で更新する。"]);
    }

    #[test]
    fn what_is_mostly_figures_and_no_words_is_not_told() {
        let check = |text: &str, expected: bool| {
            let found = told(&[card(1, "Rules", "", text)], Language::ENGLISH);
            assert_eq!(!found.is_empty(), expected, "{text}");
        };
        check("第8条 日当は、北米・欧州が6,200円、アジアが4,800円、その他の地域が5,300円とする。", true);
        check("In 2019 it cost $1,200,000; in 2020, $1,400,000.", true);
        check("3.1 5.40 7.12 a 0.44 9.1 b 3.3 2.5 = 4.0.", false);
    }
}
