//! The report: a title, and below it an answer, an account, or the changes between two versions.

use super::account::{account, outlined, write_account};
use super::answer::{Opening, answer, opening};
use super::asking::{QuestionType, question_type};
use super::brief;
use super::compare::changes;
use super::render::heading_text;
use super::terms::language_of;
use super::wanted::knows_codes;
use crate::base::text::one_line;
use crate::llm::purpose::WriteInput;
use crate::report;

/// An answer stands alone if it leaves fewer of the requested words than this.
const WORTH_MORE: usize = 60;

/// The report in Markdown, in the pieces that are streamed.
pub(super) fn write(input: &WriteInput, max_words: usize) -> Vec<String> {
    let asked_in = language_of(&input.language, &input.question);
    let phrases = report::words(asked_in);
    let title = match input.outline.title.as_str() {
        "" => heading_text(&one_line(&input.question)),
        own => heading_text(own),
    };
    let mut pieces = vec![format!("# {title}\n\n")];
    if let Some(reason) = &input.incomplete {
        pieces.push(format!("> {}\n\n", phrases.incomplete.replace("{reason}", &one_line(reason))));
    }
    if !input.outline.sections.is_empty() {
        pieces.extend(outlined(input, asked_in, max_words, phrases));
        return pieces;
    }
    let is_brief = !brief::parts(&input.question, asked_in).is_empty();
    let asked_for = if is_brief { QuestionType::Factoid } else { question_type(&input.question, asked_in) };
    if !is_brief && let Some(changes) = changes(input, asked_in, phrases) {
        pieces.push(changes);
        return pieces;
    }
    // The text above an account, the text if there is nothing for an account, and whether there may be one.
    let (said, nothing, is_account) = match asked_for {
        QuestionType::Factoid => (answer(input, asked_in, phrases).concat(), String::new(), false),
        QuestionType::Summary => (String::new(), format!("{}\n", phrases.not_found), true),
        // A query that names a subject and asks nothing may still be answered: "hotel limit in London".
        QuestionType::List | QuestionType::Topic if input.words.is_none() => {
            let Opening { text, speaks, is_all } = opening(input, asked_in, phrases);
            match (text.starts_with(phrases.not_found), speaks && knows_codes(&input.question, &input.evidence)) {
                (true, true) => (String::new(), text, true),
                (is_nothing, _) => (text, String::new(), !is_nothing && !is_all),
            }
        }
        QuestionType::List | QuestionType::Topic => Default::default(),
    };
    if !said.is_empty() {
        pieces.push(said.clone());
    }
    match input.words {
        None if is_account => {
            let told = account(input, asked_in, max_words, &said, phrases);
            pieces.extend(if told.is_empty() { vec![nothing] } else { told });
        }
        Some(_) if asked_for != QuestionType::Factoid || max_words >= said.split_whitespace().count() + WORTH_MORE => {
            pieces.extend(write_account(input, asked_in, max_words, &said, phrases));
        }
        _ => {}
    }
    pieces
}

#[cfg(test)]
mod tests;
