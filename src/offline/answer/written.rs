//! The text of an answer while it is written: statements with their citations, the answer in bold, long ones cut around
//! it, and lists of them. Which statements are told is decided in [`super`].

use std::collections::BTreeSet;

use super::SURE;
use crate::base::text;
use crate::llm::purpose::EvidenceCard;
use crate::offline::candidates::Candidate;
use crate::offline::lookup::total::Total;
use crate::offline::prose::{is_mostly_unspaced, whole_sentences};
use crate::offline::render::{cited, dated_title, safe};
use crate::offline::statements::Statement;
use crate::offline::terms::word_count;
use crate::report::Words;

/// Most words of a statement; a longer one is cut around its answer.
const LONGEST: usize = 45;
/// Most words of a statement that is listed beside the answer.
pub(super) const LISTED: usize = 26;

/// The text so far, and what it has told.
pub(super) struct AnswerText<'w> {
    pub evidence: &'w [EvidenceCard],
    /// The number of words so far.
    words: usize,
    /// The indices of the passages that are cited.
    pub shown: BTreeSet<usize>,
    pub text: String,
}

impl<'w> AnswerText<'w> {
    /// Starts a text after `text`, whose words do not count.
    pub(super) fn behind(text: String, evidence: &'w [EvidenceCard]) -> Self {
        AnswerText { evidence, words: 0, shown: BTreeSet::new(), text }
    }

    pub(super) fn push(&mut self, text: &str) {
        self.words += word_count(text);
        self.text.push_str(text);
    }

    /// Adds words of the report's own before a statement.
    pub(super) fn introduce(&mut self, words: &str) {
        if !self.text.is_empty() && !self.text.ends_with(['\n', '。']) {
            self.text.push(' ');
        }
        self.push(&Words::spaced(words));
    }

    /// Adds a candidate's statement with its citation, the answer in bold, after the statement that leads to it.
    pub(super) fn statement(&mut self, candidate: &Candidate) {
        if let Some((card, statement)) = &candidate.behind {
            self.more(*card, statement, "");
        }
        self.more(candidate.card, &candidate.statement, &candidate.answer);
    }

    /// Adds one more statement on the same line, cut around the answer in it.
    pub(super) fn more(&mut self, card: usize, statement: &Statement, answer: &str) {
        let shown = cut(&statement.shown(), answer, LONGEST);
        let shown = emphasised_in(statement, &shown, answer);
        if !self.text.is_empty() && !self.text.ends_with(['\n', ' ', '。', '！', '？', '：']) {
            self.text.push(' ');
        }
        self.push(&cited(&shown, self.evidence[card].number));
        self.shown.insert(card);
    }

    /// Adds a total in bold behind its parts, with the passages, by index, that hold them.
    pub(super) fn total(&mut self, total: &Total<'_>, cited: &BTreeSet<usize>) {
        let part = |&(_, name, value): &(usize, Option<&str>, &str)| match name {
            Some(name) => format!("{value} ({name})"),
            None => value.to_owned(),
        };
        let parts: Vec<String> = total.parts.iter().map(part).collect();
        let numbers: String = cited.iter().map(|&card| format!("[{}]", self.evidence[card].number)).collect();
        let parts = safe(&format!("{}: {}", total.column, parts.join(" + ")));
        self.push(&format!("{parts} = **{}** {numbers}.", safe(&total.sum)));
        self.shown.extend(cited);
    }

    /// Adds the items of a list below their introduction, each with at most `most` words.
    pub(super) fn items(&mut self, items: &[(usize, &Statement)], most: usize) {
        if !self.text.is_empty() {
            self.text.push_str("\n\n");
        }
        for (card, item) in items {
            let shown = cut(&item.text, "", most);
            let mark = item.number.map_or_else(|| "-".to_owned(), |number| format!("{number}."));
            self.push(&format!("{mark} {}\n", cited(&safe(&shown), self.evidence[*card].number)));
        }
    }

    /// Adds statements as a list below a heading, within `most` words of the whole text; nothing if there are none.
    pub(super) fn list(&mut self, heading: &str, found: &[Candidate], chosen: &[usize], most: usize, phrases: &Words) {
        let mut begun = false;
        for &index in chosen {
            let candidate = &found[index];
            let card = &self.evidence[candidate.card];
            let source = format!("{}{}", dated_title(card, self.evidence), phrases.colon_behind(""));
            let shown = cut(&candidate.statement.shown(), &candidate.answer, LISTED);
            let words = word_count(&source) + word_count(&shown);
            if self.words + words > most {
                continue;
            }
            if !begun {
                self.push(&format!("## {heading}\n\n"));
                begun = true;
            }
            // In a list beside the answer, an answer is set in bold only if it is a sure one too.
            let answer = if candidate.score >= SURE { candidate.answer.as_str() } else { "" };
            let shown = emphasised_in(&candidate.statement, &shown, answer);
            self.push(&format!("- {source}{}\n", cited(&shown, card.number)));
            self.shown.insert(candidate.card);
        }
        if begun {
            self.text.push('\n');
        }
    }
}

/// Returns the words of a statement with the answer in bold; a question before its answer has none.
fn emphasised_in(statement: &Statement, shown: &str, answer: &str) -> String {
    let question =
        if statement.answers_question() && shown.starts_with(&statement.lead) { &statement.lead } else { "" };
    format!("{}{}", safe(question), emphasised(&safe(&shown[question.len()..]), &safe(answer)))
}

/// Returns `text` with the first occurrence of `answer` in bold, as far as that stands in one sentence.
fn emphasised(text: &str, answer: &str) -> String {
    let first = whole_sentences(answer, 0..answer.len()).into_iter().next();
    let answer = first.and_then(|first| answer.get(first)).unwrap_or(answer);
    let answer = answer.trim().trim_end_matches(['.', '。']);
    let Some(at) = place_of(text, answer) else { return text.to_owned() };
    let end = at + answer.len();
    // Emphasis has no effect within code, but code within emphasis has.
    if text[..at].matches('`').count() % 2 == 1 {
        return text.to_owned();
    }
    // Beside wide characters, asterisks without a space or a mark around them close nothing.
    format!("{}**{answer}**{}", &text[..at], &text[end..])
}

/// Returns where `text` has `words` as words of their own: "8 pixels" does not stand in "48 pixels".
fn place_of(text: &str, words: &str) -> Option<usize> {
    if words.is_empty() { None } else { text::place_of(text, words, |c| c.is_ascii_alphanumeric()) }
}

/// Returns at most `longest` words of a statement, around its answer; an ellipsis stands for what is left out.
fn cut(text: &str, answer: &str, longest: usize) -> String {
    if word_count(text) <= longest {
        return text.to_owned();
    }
    let at = place_of(text, answer).or_else(|| text.find(answer)).unwrap_or(0);
    let is_wide = is_mostly_unspaced(text);
    let pauses: Vec<usize> = text
        .char_indices()
        .filter(|(_, c)| if is_wide { "、。；".contains(*c) } else { *c == ' ' })
        .map(|(at, c)| at + c.len_utf8())
        .collect();
    let most = if is_wide { longest * 2 } else { longest };
    let length = |from: usize, to: usize| {
        let part = text.get(from..to).unwrap_or_default();
        if is_wide { part.chars().count() } else { part.split_whitespace().count() }
    };
    // The beginning is kept if the answer is near it.
    let mut start = 0;
    if length(0, at + answer.len()) > most {
        // After an ellipsis a capital would look like the beginning of a sentence.
        let goes_on = |pause: usize| !text[pause..].starts_with(char::is_uppercase);
        let near = |pause: &usize| length(*pause, at) <= most / 2 && (goes_on(*pause) || *pause >= at);
        let starts = || pauses.iter().copied().filter(near);
        let opens_clause = |pause: &usize| *pause <= at && text[..*pause].trim_end().ends_with([',', ';']);
        start = starts().find(opens_clause).or_else(|| starts().next()).unwrap_or(at).min(at);
    }
    let end = pauses.iter().copied().rev().find(|&pause| pause > at + answer.len() && length(start, pause) <= most);
    let end = end.unwrap_or(text.len());
    // Before wide characters, a space would pass for the end of a sentence.
    let before = match (start, is_wide) {
        (0, _) => "",
        (_, true) => "…",
        (_, false) => "… ",
    };
    let is_whole = text[start..end].trim_end().ends_with(['.', '!', '?', '。', '！', '？']);
    let after = if end < text.len() && !is_whole { " …" } else { "" };
    format!("{before}{}{after}", text[start..end].trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_in_bold_is_words_of_their_own() {
        let check = |text: &str, answer: &str, expected: &str| assert_eq!(emphasised(text, answer), expected, "{text}");
        check("At most 48 pixels, by default 8 pixels.", "8 pixels", "At most 48 pixels, by default **8 pixels**.");
        check("At most 48 pixels.", "8 pixels", "At most 48 pixels.");
        check("料金は50円です。", "50円", "料金は**50円**です。");
    }

    #[test]
    fn a_long_statement_is_cut_around_its_answer() {
        let check = |text: &str, answer: &str| {
            let cut = cut(text, answer, LONGEST);
            assert!(cut.contains(answer) && word_count(&cut) <= LONGEST + 4, "{cut}");
        };
        check(&format!("{} needle {}", "word ".repeat(60), "more ".repeat(60)), "needle");
        check(&format!("needle {}", "more ".repeat(90)), "needle");
        check(&format!("{}針{}", "言葉、".repeat(60), "続き、".repeat(60)), "針");
        assert_eq!(cut("A short one.", "short", LONGEST), "A short one.");
        let names = format!("{} K. Ruud of the north {} needle", "word ".repeat(60), "more ".repeat(18));
        assert!(cut(&names, "needle", LONGEST).starts_with("… of the north"), "{}", cut(&names, "needle", LONGEST));
        let clauses = format!("{} to 15, after {} needle", "word ".repeat(60), "more ".repeat(15));
        assert!(cut(&clauses, "needle", LONGEST).starts_with("… after more"), "{}", cut(&clauses, "needle", LONGEST));
    }
}
