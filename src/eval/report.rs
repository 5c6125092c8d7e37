//! Measures a report by its words: where the gold answer is, how long the report is, and whether the printed quote of
//! each source contains the words that cite it.
//!
//! It reads the finished Markdown as a person would: the opening is the first paragraph below the title, and the answer
//! is the bold text in it. It does not know how the report was made.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::agent::{holds, plain_words};
use super::dataset::Query;
use crate::base::text::{is_cjk, letters, sentences};
use crate::domain::Report;
use crate::report::cite::{cited_numbers, with_citations};
use crate::report::without_introduction;

/// Measures of what one report says, and where. Shares are between 0 and 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AnswerMeasures {
    /// 1 if the report says that the documents do not answer.
    pub not_found: f64,
    /// Words before the list of sources; two characters of a script without spaces count as one word.
    pub words: f64,
    /// Share of the cited statements whose words occur in the printed quote of a source that they cite; absent if
    /// nothing is cited.
    pub quoted: Option<f64>,
    /// Where the gold answer is; absent if the set has none.
    pub gold: Option<GoldMeasures>,
}

/// Where the gold answer is in a report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GoldMeasures {
    /// 1 if it is in the first sentence.
    pub first_sentence: f64,
    /// 1 if it is in the first paragraph.
    pub opening: f64,
    /// 1 if it is anywhere before the sources.
    pub anywhere: f64,
    /// 1 if the first words in bold are a gold answer, apart from articles, case and punctuation.
    pub exact: f64,
    /// The best F1 of the first words in bold against a gold answer: by words, by characters in scripts without spaces.
    pub f1: f64,
}

/// Measures `report`, the answer to `query`.
pub(super) fn measure(query: &Query, report: &Report) -> AnswerMeasures {
    let body = report.markdown.get(..report.written).unwrap_or(&report.markdown);
    let opening = opening(body);
    AnswerMeasures {
        not_found: if report.answered { 0.0 } else { 1.0 },
        words: words(body) as f64,
        quoted: quoted(body, report),
        gold: gold(query, body, &opening),
    }
}

/// The first paragraph that is neither a heading nor a quoted remark, on one line.
fn opening(body: &str) -> String {
    let is_text = |block: &&str| !block.trim().is_empty() && !block.trim_start().starts_with(['#', '>']);
    body.split("\n\n").find(is_text).unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The number of words, without the marks of headings and without citations.
fn words(body: &str) -> usize {
    let plain = without_citations(body);
    let wide = plain.chars().filter(|&c| is_cjk(c)).count();
    let others: String = plain.chars().map(|c| if is_cjk(c) { ' ' } else { c }).collect();
    wide.div_ceil(2) + others.split_whitespace().filter(|word| word.contains(char::is_alphanumeric)).count()
}

fn without_citations(text: &str) -> String {
    with_citations(text, |_| String::new())
}

fn quoted(body: &str, report: &Report) -> Option<f64> {
    let quotes: BTreeMap<usize, String> =
        report.citations.iter().map(|one| (one.number, letters(&one.quote))).collect();
    let (mut held, mut all) = (0, 0);
    for block in body.split('\n') {
        for range in sentences(block) {
            let sentence = &block[range];
            let cited = cited_numbers(sentence);
            if cited.is_empty() {
                continue;
            }
            all += 1;
            // The introduction of a statement is the report's own.
            let statement = sentence.rsplit_once("*: ").map_or(sentence, |(_, statement)| statement);
            let statement = without_citations(without_introduction(statement));
            let parts: Vec<String> = statement.split(['…', ';', ':', '|']).map(letters).collect();
            let holds = |quote: &String| parts.iter().all(|part| quote.contains(part.as_str()));
            held += usize::from(cited.iter().filter_map(|number| quotes.get(number)).any(holds));
        }
    }
    (all > 0).then(|| f64::from(held as u32) / f64::from(all))
}

fn gold(query: &Query, body: &str, opening: &str) -> Option<GoldMeasures> {
    let answers = gold_answers(query);
    if answers.is_empty() {
        return None;
    }
    let held = |text: &str| {
        let words = plain_words(&without_citations(text));
        f64::from(u8::from(answers.iter().any(|answer| holds(&words, &plain_words(answer)))))
    };
    let first = sentences(opening).next().map_or("", |range| &opening[range]);
    let bold = opening.split("**").nth(1).unwrap_or_default();
    Some(GoldMeasures {
        first_sentence: held(first),
        opening: held(opening),
        anywhere: held(body),
        exact: if answers.iter().any(|answer| units(answer) == units(bold)) { 1.0 } else { 0.0 },
        f1: answers.iter().map(|answer| f1(&units(answer), &units(bold))).fold(0.0, f64::max),
    })
}

/// The set's answers to a query.
pub(super) fn gold_answers(query: &Query) -> Vec<&str> {
    let answers = query.metadata.get("answers").and_then(|answers| answers.as_array()).map_or(&[][..], Vec::as_slice);
    answers.iter().filter_map(|answer| answer.get("text").unwrap_or(answer).as_str()).collect()
}

/// The units by which answers are compared: lower-case words without articles, or characters in scripts without spaces.
fn units(text: &str) -> Vec<String> {
    if text.chars().any(is_cjk) {
        return text.chars().filter(|c| c.is_alphanumeric()).map(|c| c.to_lowercase().to_string()).collect();
    }
    plain_words(text)
}

fn f1(gold: &[String], said: &[String]) -> f64 {
    let mut left: BTreeMap<&str, usize> = BTreeMap::new();
    for unit in gold {
        *left.entry(unit).or_default() += 1;
    }
    let shared = said
        .iter()
        .filter(|unit| left.get_mut(unit.as_str()).filter(|count| **count > 0).map(|count| *count -= 1).is_some())
        .count();
    if shared == 0 {
        return 0.0;
    }
    2.0 * shared as f64 / (gold.len() + said.len()) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(answers: serde_json::Value) -> Query {
        let metadata = serde_json::json!({ "answers": answers });
        Query { id: "q".to_owned(), text: "?".to_owned(), judgements: BTreeMap::new(), metadata }
    }

    #[test]
    fn answers_are_compared_by_their_words() {
        let check = |answers: serde_json::Value, report: &str, expected: Option<f64>| {
            let found = gold(&asked(answers), report, report).map(|gold| gold.anywhere);
            assert_eq!(found, expected, "{report}");
        };
        let hall = serde_json::json!([{ "text": "G. Stanley Hall" }, { "text": "Stanley Hall" }]);
        check(hall.clone(), "It was **Stanley Hall** [1].", Some(1.0));
        check(hall, "It was Hall.", Some(0.0));
        check(serde_json::json!(["the Roman Empire"]), "roman empire", Some(1.0));
        check(serde_json::json!(["東京"]), "首都は東京です", Some(1.0));
        check(serde_json::json!(["art"]), "a party", Some(0.0));
        check(serde_json::json!(["12"]), "There were ten [12].", Some(0.0));
        check(serde_json::json!([]), "", None);
        check(serde_json::Value::Null, "", None);
    }

    #[test]
    fn the_opening_is_measured_apart() {
        let body = "# When?\n\n> Ended early.\n\nIt opened in **July 2007** [1]. It cost much [2].\n\n## More\n\n- In 1990 [2].\n";
        let opening = opening(body);
        assert_eq!(opening, "It opened in **July 2007** [1]. It cost much [2].");
        let check = |answer: &str, first: f64, anywhere: f64, exact: f64, f1: f64| {
            let found = gold(&asked(serde_json::json!([answer])), body, &opening).expect("gold");
            assert_eq!(
                (found.first_sentence, found.anywhere, found.exact, found.f1),
                (first, anywhere, exact, f1),
                "{answer}"
            );
        };
        check("July 2007", 1.0, 1.0, 1.0, 1.0);
        check("2007", 1.0, 1.0, 0.0, 2.0 / 3.0);
        check("1990", 0.0, 1.0, 0.0, 0.0);
        assert_eq!(words(body), 14);
        assert_eq!(words("東京は首都です。[1]"), 4);
    }
}
