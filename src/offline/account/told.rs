//! The statements of the evidence that an account may quote. Which of them it quotes is not decided here.

use std::collections::{BTreeMap, BTreeSet};

use crate::base::text::{Language, capitalised, is_courtesy};
use crate::llm::purpose::EvidenceCard;
use crate::offline::entities::years;
use crate::offline::head::{mail_head_ranges, of_paper};
use crate::offline::lookup::cells;
use crate::offline::prose::{is_context_dependent, is_prose, points_to_own_document};
use crate::offline::statements::{Form, Statement, are_minutes, fenced, statements_in};
use crate::offline::terms::{content_set, word_count};
use crate::report::{repeats_title, wording};

/// Fewest words of a sentence that is quoted whatever is asked: most shorter ones are greetings and remarks. A value
/// behind its name may be shorter.
const LEAST: usize = 4;
/// Fewest words of a sentence that names something asked for, or a year: "Smoking is forbidden."
const LEAST_ASKED: usize = 2;
/// Most words of a salutation.
const SALUTATION: usize = 12;
/// Most words of a quoted statement.
const MOST: usize = 60;

/// Most lines of a quoted block of code; the end of a longer one is left out.
const BLOCK_LINES: usize = 24;

/// A statement that may be quoted.
#[derive(Clone, Debug)]
pub(in crate::offline) struct QuotableStatement {
    /// Index of its passage in the evidence.
    pub card: usize,
    /// The number of its document, the same for all statements of that document.
    pub document: usize,
    /// Where and in which form it stands.
    pub statement: Statement,
    /// The text as quoted, on one line.
    pub text: String,
    /// The whole block of code that it stands for, line by line, if that has several lines.
    pub block: Option<String>,
    /// The content terms of the text, its introduction included.
    pub terms: BTreeSet<String>,
    /// The content terms of its own words.
    pub own: BTreeSet<String>,
    /// The years that it names.
    pub years: Vec<u16>,
    /// The number of words, without the introduction.
    pub words: usize,
    /// In minutes, where in its document the numbered item begins that it belongs to: each item is about something else.
    /// Otherwise 0.
    pub item: usize,
    /// The statement before it, if it cannot stand without that one; that one may lean on another in turn.
    pub after: Option<usize>,
}

impl QuotableStatement {
    /// Whether both are items, rows or values of one list.
    pub fn is_listed_with(&self, other: &QuotableStatement) -> bool {
        let (one, two) = (&self.statement, &other.statement);
        let lists = one.form != Form::Sentence && self.block.is_none();
        let is_beside = self.card == other.card && self.item == other.item;
        lists && is_beside && one.form == two.form && one.heading == two.heading
    }

    /// Whether `other` has the same introduction, or is that introduction.
    pub fn is_introduced_by(&self, other: &QuotableStatement) -> bool {
        let lead = &self.statement.lead;
        self.card == other.card && !lead.is_empty() && (*lead == other.statement.lead || *lead == other.text)
    }
}

/// Returns all statements of `cards` that may be quoted when the terms `asked` are asked for. Statements that
/// overlapping passages repeat are taken once.
pub(in crate::offline) fn told(
    cards: &[EvidenceCard],
    asked: &BTreeSet<String>,
    language: Language,
) -> Vec<QuotableStatement> {
    let mut documents: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    let mut seen: BTreeSet<(usize, String)> = BTreeSet::new();
    let mut found: Vec<QuotableStatement> = Vec::new();
    for (card, evidence) in cards.iter().enumerate() {
        let next = documents.len();
        let document = *documents.entry((&evidence.collection, &evidence.path)).or_insert(next);
        let mut before: Option<usize> = None;
        let are_minutes = are_minutes(&evidence.title);
        let (mut item, mut heading, mut is_greeted) = (0, String::new(), false);
        let all = statements_in(cards, card);
        let mut of_head = mail_head_ranges(&all);
        of_head.extend(of_paper(evidence, &all, asked, language));
        for (statement, block) in blocks(evidence, all) {
            if heading != statement.heading {
                (item, heading) = (0, statement.heading.clone());
            }
            if are_minutes && statement.number.is_some() {
                item = evidence.at + statement.range.start + 1;
            }
            // An introduction that is the document's title stands above its statements already.
            let is_led = repeats_title(&statement.lead, &evidence.title);
            let text = if is_led { statement.text.clone() } else { statement.shown() };
            // A sheet of values has no title of its own, so one of its lines is taken for it.
            let is_asked_value =
                statement.form == Form::Pair && !content_set(statement.name(), language).is_disjoint(asked);
            let is_title = !is_asked_value
                && (within_title(&statement.text, evidence) || evidence.place.contains(&statement.text))
                // A label such as "Note:" and below it the same words as a heading.
                || !statement.lead.is_empty() && wording(&statement.text) == wording(&statement.lead);
            let tells = !is_title && !of_head.contains(&statement.range);
            let own = content_set(&statement.text, language);
            // Behind "Liebe Kollegen," a letter goes on in lower case, often with a remark.
            let is_body = std::mem::replace(&mut is_greeted, is_salutation(&statement)) && !own.is_disjoint(asked);
            let reads_as_prose = || is_prose(&statement.text) || is_body && is_prose(&capitalised(&statement.text));
            let usable = tells && (statement.form != Form::Sentence || reads_as_prose());
            let after = statement.lead.is_empty()
                && is_context_dependent(&statement.text)
                && !points_to_own_document(&statement.text, &evidence.title);
            let words = word_count(&text);
            let years = years(&text);
            let is_asked = || words >= LEAST_ASKED && (!years.is_empty() || !own.is_disjoint(asked));
            if !usable
                || statement.form == Form::Sentence && is_courtesy(&statement.text)
                || text.ends_with(['?', '？'])
                || (words > MOST && block.is_none())
                || (words < LEAST && statement.form == Form::Sentence && !is_asked())
                || (!is_mostly_letters(&statement) && block.is_none())
                || (after && before.is_none())
                || ends_in_section(&text)
                || !seen.insert((document, text.clone()))
            {
                before = None;
                continue;
            }
            let one = QuotableStatement {
                card,
                document,
                terms: if statement.lead.is_empty() { own.clone() } else { content_set(&text, language) },
                own,
                years,
                words: word_count(&statement.text),
                item,
                after: if after { before } else { None },
                statement,
                text,
                block,
            };
            before = Some(found.len());
            found.push(one);
        }
    }
    found
}

/// Whether a document's title holds a text; the case is ignored for a text in capitals.
fn within_title(text: &str, card: &EvidenceCard) -> bool {
    let is_shouted = || text.contains(char::is_uppercase) && !text.contains(char::is_lowercase);
    card.title.contains(text) || is_shouted() && card.title.to_lowercase().contains(&text.to_lowercase())
}

/// Returns the statements of a passage, those of one block of code as one, with the lines of the block if there are
/// several.
fn blocks(card: &EvidenceCard, all: Vec<Statement>) -> Vec<(Statement, Option<String>)> {
    let fenced = fenced(&card.text);
    let block_of =
        |one: &Statement| fenced.iter().find(|block| block.start <= one.range.start && one.range.end <= block.end);
    let mut found: Vec<(Statement, Option<String>)> = Vec::new();
    for one in all {
        let block = block_of(&one).filter(|_| one.form == Form::Code);
        match found.last_mut() {
            Some((last, Some(_))) if block.is_some() && block_of(last) == block => {
                last.text = format!("{} {}", last.text, one.text);
                last.range.end = one.range.end;
            }
            _ => {
                let lines = block.map(|block| dedented(&card.text[block.clone()]));
                found.push((one, lines.filter(|lines| lines.contains('\n'))));
            }
        }
    }
    found
}

/// Returns the lines without the indentation that they share, and without those beyond the longest block.
fn dedented(text: &str) -> String {
    let lines: Vec<&str> = text.trim_end().trim_start_matches(['\n', '\r']).lines().collect();
    let indent = |line: &&str| line.len() - line.trim_start().len();
    let shared = lines.iter().filter(|line| !line.trim().is_empty()).map(indent).min().unwrap_or(0);
    let kept = lines.iter().take(BLOCK_LINES).map(|line| line.get(shared..).unwrap_or_default().trim_end());
    let cut = if lines.len() > BLOCK_LINES { "\n…" } else { "" };
    format!("{}{cut}", kept.collect::<Vec<_>>().join("\n"))
}

/// Whether a statement ends in the number of a section, as a reference in a list of contents does: "Passwords, 4.4". A
/// time or a date that ends a sentence has no comma before it.
fn ends_in_section(text: &str) -> bool {
    let number = text.trim_end_matches(['.', '。']).rsplit_once(", ").map_or("", |(_, last)| last);
    number.contains('.') && number.len() <= 6 && number.chars().all(|c| c.is_ascii_digit() || c == '.')
}

/// Whether a statement is a salutation at the beginning of a letter.
fn is_salutation(statement: &Statement) -> bool {
    let text = statement.text.as_str();
    statement.form == Form::Sentence
        && text.ends_with([',', '，'])
        && text.starts_with(char::is_uppercase)
        && word_count(text) <= SALUTATION
}

/// Whether a statement is made of words rather than signs, unlike the rows of a table of operators. Of a row only the
/// values count: the marks around them are not its own.
fn is_mostly_letters(statement: &Statement) -> bool {
    let text: String = match statement.form {
        Form::Row => cells(statement).map(|(_, value)| value).collect(),
        _ => statement.shown(),
    };
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
            let found = told(&[card(1, title, "", text)], &BTreeSet::new(), Language::ENGLISH);
            assert_eq!(found.iter().map(|told| told.text.as_str()).collect::<Vec<_>>(), [expected]);
        };
        check("When was it best?", "Nine of ten viewers name the same seven years.");
        check("Questions", "When was it best? Nine of ten viewers name the same seven years.");
    }

    #[test]
    fn a_value_that_is_asked_for_is_told_although_it_is_the_title() {
        let check = |asked: &str, expected: usize| {
            let cards = [card(1, "Capital: 50,000 euros", "", "Firm: Huber\nCapital: 50,000 euros\nStaff: 326")];
            let found = told(&cards, &content_set(asked, Language::ENGLISH), Language::ENGLISH);
            assert_eq!(found.len(), expected, "{asked}");
        };
        check("capital", 3);
        check("staff", 2);
    }

    #[test]
    fn a_sentence_may_end_in_a_time_or_a_day_and_a_list_of_contents_in_a_section() {
        let text = "Le case mobili vanno liberate entro le 9.30.\n\nDer Vertrag endet am 31.12.2025.\n\nGood passwords in use, 4.4.";
        let found = told(&[card(1, "Camping", "", text)], &BTreeSet::new(), Language::ENGLISH);
        let texts: Vec<&str> = found.iter().map(|told| told.text.as_str()).collect();
        assert_eq!(texts, ["Le case mobili vanno liberate entro le 9.30.", "Der Vertrag endet am 31.12.2025."]);
    }

    #[test]
    fn a_short_sentence_is_told_if_it_names_what_is_asked_or_a_year() {
        let check = |text: &str, asked: &str, expected: &[&str]| {
            let asked = content_set(asked, Language::ENGLISH);
            let found = told(&[card(1, "Rules", "", text)], &asked, Language::ENGLISH);
            assert_eq!(found.iter().map(|told| told.text.as_str()).collect::<Vec<_>>(), expected, "{asked:?}");
        };
        let text = "The house opens at nine. Smoking is forbidden. Valid from 3 May 2025. That is all.";
        let (first, year) = ("The house opens at nine.", "Valid from 3 May 2025.");
        check(text, "smoking", &[first, "Smoking is forbidden.", year]);
        check(text, "dogs", &[first, year]);
        check("禁止吸烟。下班关灯。", "吸烟", &["禁止吸烟。"]);
        check("Smoking!", "smoking", &[]);
    }

    #[test]
    fn a_letter_goes_on_behind_its_salutation() {
        let check = |salutation: &str, asked: &str, expected: usize| {
            let text = format!("{salutation}\n\nder Parkplatz ist im Juni gesperrt.");
            let german = Language::from_code("deu");
            let found = told(&[card(1, "Parken", "", &text)], &content_set(asked, german), german);
            assert_eq!(found.len(), expected, "{salutation} {asked}");
        };
        check("Liebe Kolleginnen und Kollegen,", "Parkplatz", 1);
        check("Liebe Kolleginnen und Kollegen,", "Garage", 0);
        check("Kolleginnen und Kollegen", "Parkplatz", 0);
    }

    #[test]
    fn what_points_to_its_own_document_needs_no_sentence_before_it() {
        let check = |title: &str, text: &str, expected: usize| {
            assert_eq!(
                told(&[card(1, title, "", text)], &BTreeSet::new(), Language::ENGLISH).len(),
                expected,
                "{text}"
            );
        };
        check("Dienstwagenordnung", "Diese Ordnung gilt ab dem 1. Mai 2025.", 1);
        check("Travel policy (2025)", "This policy covers all trips of the staff.", 1);
        check("出張旅費規程", "この規程は、出張の旅費を定める。", 1);
        check("Travel policy (2025)", "This rule covers all trips of the staff.", 0);
    }

    #[test]
    fn a_row_is_told_however_short_its_values_are() {
        let check = |table: &str, expected: usize| {
            let found = told(&[card(1, "Figures", "", table)], &BTreeSet::new(), Language::ENGLISH);
            assert_eq!(found.len(), expected, "{table}");
        };
        check("| 모델 | 품명 | 단가(원) | 재고(대) |\n|---|---|---|---|\n| SR-20 | 제습기 | 345,000 | 62 |", 1);
        check("| Код | Товар | Цена (₽) | Остаток (шт.) |\n|---|---|---|---|\n| К-2 | Лом | 12,8 | 40 |", 1);
        check("| + | - | * | / |\n|---|---|---|---|\n| += | -= | *= | /= |", 0);
    }

    #[test]
    fn a_short_item_is_told() {
        let text = "What to bring:\n\n- the insurance card\n- a signed form\n- slippers";
        let found = told(&[card(1, "Patients", "", text)], &BTreeSet::new(), Language::ENGLISH);
        assert_eq!(found.len(), 3);
    }

    #[test]
    fn who_met_where_is_not_told() {
        let text = "議事録\n\n日 時:令和6年8月20日\n場 所:本館三階 会議室\n出席者:榎並館長、三枝飼育課長\n\n保守契約は三年契約で更新する。";
        let found = told(&[card(1, "議事録", "", text)], &BTreeSet::new(), Language::ENGLISH);
        assert_eq!(found.iter().map(|told| told.text.as_str()).collect::<Vec<_>>(), ["保守契約は三年契約で更新する。"]);
    }

    #[test]
    fn lines_by_which_an_office_keeps_its_papers_are_not_told() {
        let text = "# Report on the ropes\n\n- Reference: R/12\n- Author: A. Smith\n- Date: 3 May\n- Rope: the north one\n\nIt was worn out in June.";
        let found = told(
            &[card(1, "Report on the ropes", "", text)],
            &content_set("rope", Language::ENGLISH),
            Language::ENGLISH,
        );
        let texts: Vec<&str> = found.iter().map(|told| told.text.as_str()).collect();
        assert_eq!(texts, ["Rope: the north one", "It was worn out in June."]);
    }

    #[test]
    fn neither_greeting_nor_closing_of_a_mail_is_told() {
        let text = "お疲れさまです。\n部品を交換しました。\n\nよろしくお願いいたします。";
        let found = told(&[card(1, "Re: 部品", "", text)], &BTreeSet::new(), Language::ENGLISH);
        assert_eq!(found.iter().map(|told| told.text.as_str()).collect::<Vec<_>>(), ["部品を交換しました。"]);
    }

    #[test]
    fn a_block_of_code_is_one_statement_with_its_lines() {
        let check = |text: &str, expected: &[(&str, Option<&str>)]| {
            let found = told(&[card(1, "Manual", "", text)], &BTreeSet::new(), Language::ENGLISH);
            let found: Vec<_> = found.iter().map(|told| (told.text.as_str(), told.block.as_deref())).collect();
            assert_eq!(found, expected, "{text}");
        };
        let yaml = "A file says what is built:\n\n```text\n  jobs:\n    # all\n    test: cargo test\n    on: push\n    os: linux\n    run: yes\n```\n\nIt is read at once by the server.";
        let line = "A file says what is built: `jobs:` `test: cargo test` `on: push` `os: linux` `run: yes`";
        let block = "jobs:\n  # all\n  test: cargo test\n  on: push\n  os: linux\n  run: yes";
        check(yaml, &[(line, Some(block)), ("It is read at once by the server.", None)]);
        check(
            "Build the whole thing:\n\n```\ncargo build --release\n```",
            &[("Build the whole thing: `cargo build --release`", None)],
        );
        // The passage begins within a block.
        let rest = "cargo test --all --locked\n```\n\nEach of the packages is tested.\n\n```text\ncargo fmt --all\n```";
        check(
            rest,
            &[
                ("`cargo test --all --locked`", None),
                ("Each of the packages is tested.", None),
                ("Each of the packages is tested. `cargo fmt --all`", None),
            ],
        );
    }

    #[test]
    fn what_is_mostly_figures_and_no_words_is_not_told() {
        let check = |text: &str, expected: bool| {
            let found = told(&[card(1, "Rules", "", text)], &BTreeSet::new(), Language::ENGLISH);
            assert_eq!(!found.is_empty(), expected, "{text}");
        };
        check("第8条 日当は、北米・欧州が6,200円、アジアが4,800円、その他の地域が5,300円とする。", true);
        check("In 2019 it cost $1,200,000; in 2020, $1,400,000.", true);
        check("3.1 5.40 7.12 a 0.44 9.1 b 3.3 2.5 = 4.0.", false);
    }
}
