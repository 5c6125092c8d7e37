//! Which of several things of one kind a question asks for. A statement may tell them all, and the reader point to
//! another one: the figure of one of several things, the name of one of several people, an end of a span of time.

use std::collections::BTreeSet;

use super::Asked;
use crate::base::text::{Language, is_cjk};
use crate::offline::asking::{SpanPart, asked_part_of_span};
use crate::offline::entities::years;
use crate::offline::lookup::cells;
use crate::offline::statements::{Form, Statement};
use crate::offline::terms::{content_set, is_function_word, word_count, words_of};
use crate::report::amends;
use crate::report::facts::date_ranges;

/// Separators of the clauses of a sentence.
const CLAUSE_ENDS: [&str; 8] = ["、", "，", ", ", "; ", "；", " and ", " und ", " et "];

/// The most words of a name before brackets.
const NAME: usize = 5;

/// Returns the words of a statement that answer if `answer` is something else of the same kind; `wanted` are the terms
/// of the question. `None` if `answer` is right, or if it cannot be told.
pub(super) fn asked_words(
    statement: &Statement,
    answer: &str,
    asked: Asked<'_>,
    wanted: &BTreeSet<String>,
) -> Option<String> {
    let shown = statement.shown();
    let language = asked.language;
    figure_of_asked_clause(&shown, answer, wanted, language)
        .or_else(|| figure_of_counted(&shown, answer, &counted(asked.question, language), language))
        .or_else(|| name_of_asked_bracket(&shown, answer, wanted, language))
        .or_else(|| words_of_asked_cell(statement, answer, wanted, language))
        .or_else(|| {
            let part = asked_part_of_span(asked.question, matches!(statement.form, Form::Pair | Form::Row))?;
            part_of_span(&shown, answer, part)
        })
        .map(str::to_owned)
}

/// The clauses of a text.
fn clauses(text: &str) -> Vec<&str> {
    CLAUSE_ENDS.iter().fold(vec![text], |parts, end| parts.iter().flat_map(|part| part.split(end)).collect())
}

/// If a statement has a figure of one kind for each of several things and `answer` is not the one asked for, returns
/// that one: for "Members pay £5, guests £8" the one of guests. `None` if `answer` is right, or if it cannot be told.
fn figure_of_asked_clause<'t>(
    text: &'t str,
    answer: &str,
    asked: &BTreeSet<String>,
    language: Language,
) -> Option<&'t str> {
    let (before, behind) = (answer.split(is_figure_part).next()?, answer.rsplit(is_figure_part).next()?);
    let figure = answer.strip_prefix(before)?.strip_suffix(behind).filter(|figure| !figure.is_empty())?;
    if !figure.chars().all(is_figure_part) || before.is_empty() && behind.is_empty() {
        return None;
    }
    let clauses = clauses(text);
    let own = *clauses.iter().find(|clause| clause.contains(answer))?;
    let held = |clause: &str| content_set(clause, language).intersection(asked).count();
    // Such a clause has one figure with the same unit, and no second one.
    let of_kind = |clause: &'t str| {
        let starts = clause.match_indices(|c: char| c.is_ascii_digit()).map(|(at, _)| at);
        let figure = |at: usize| {
            let end = clause[at..].find(|c| !is_figure_part(c)).map_or(clause.len(), |length| at + length);
            let is_of_kind = clause[..at].ends_with(before) && clause[end..].starts_with(behind);
            is_of_kind.then(|| &clause[at - before.len()..end + behind.len()])
        };
        let mut found = starts.filter(|&at| !clause[..at].ends_with(is_figure_part)).filter_map(figure);
        found.next().filter(|_| found.next().is_none())
    };
    of_kind(own)?;
    let others = clauses.iter().filter(|clause| **clause != own);
    let mut others: Vec<(usize, &str)> = others.filter_map(|clause| Some((held(clause), of_kind(clause)?))).collect();
    others.sort_by_key(|other| std::cmp::Reverse(other.0));
    let best = *others.first().filter(|best| best.0 > held(own))?;
    others.get(1).is_none_or(|next| next.0 < best.0).then_some(best.1)
}

/// The terms of what a question counts: `nurses` of "How many nurses does the Trust employ?".
fn counted(question: &str, language: Language) -> BTreeSet<String> {
    const COUNTING: [&str; 12] = [
        "how many ",
        "wie viele ",
        "combien de ",
        "combien d'",
        "cuántos ",
        "cuántas ",
        "quanti ",
        "quante ",
        "quantos ",
        "quantas ",
        "hoeveel ",
        "сколько ",
    ];
    let lower = question.to_lowercase().replace('’', "'");
    let rest = COUNTING.iter().find_map(|counting| Some(&lower[lower.find(counting)? + counting.len()..]));
    let noun: Vec<&str> = words_of(rest.unwrap_or_default()).take_while(|word| !is_function_word(word)).collect();
    content_set(&noun.join(" "), language)
}

/// If `answer` is a figure whose clause does not hold what is `counted`, and one other clause holds it with a single
/// figure, returns that one: of "employed 3,214 people, of whom 1,105 were nurses" the one of the nurses.
fn figure_of_counted<'t>(
    text: &'t str,
    answer: &str,
    counted: &BTreeSet<String>,
    language: Language,
) -> Option<&'t str> {
    let clauses = clauses(text);
    let own = *clauses.iter().find(|clause| clause.contains(answer)).filter(|_| has_digit(answer))?;
    let holds = |clause: &&&str| !content_set(clause, language).is_disjoint(counted);
    let mut holding = clauses.iter().filter(holds);
    let clause = *holding.next().filter(|first| **first != own && holding.next().is_none())?;
    let figures =
        clause.split(|c| !is_figure_part(c)).map(|figure| figure.trim_matches(['.', ','])).filter(|one| has_digit(one));
    let mut figures = figures.filter(|_| years(clause).is_empty() && !clause.contains('%'));
    figures.next().filter(|_| figures.next().is_none())
}

/// Whether a character may be part of a figure.
fn is_figure_part(c: char) -> bool {
    c.is_ascii_digit() || matches!(c, '.' | ',')
}

fn has_digit(text: &str) -> bool {
    text.contains(|c: char| c.is_ascii_digit())
}

/// In a list of names, each with what it is in brackets behind it, the name whose brackets hold most of what is asked
/// for, if `answer` is another one of them: "Ann Reed (chair), Tom Hall (secretary)".
fn name_of_asked_bracket<'t>(
    text: &'t str,
    answer: &str,
    asked: &BTreeSet<String>,
    language: Language,
) -> Option<&'t str> {
    const BEFORE: [&str; 8] = [", ", "; ", ": ", "、", "，", "：", " and ", "。"];
    let mut entries: Vec<(&str, usize)> = Vec::new();
    let mut from = 0;
    while let Some(open) = text[from..].find(['(', '（']).map(|at| from + at) {
        let Some(close) = text[open..].find([')', '）']).map(|at| open + at) else { break };
        let before = &text[from..open];
        let start = BEFORE.iter().filter_map(|mark| before.rfind(mark).map(|at| at + mark.len())).max().unwrap_or(0);
        let name = before[start..].trim();
        let held = content_set(&text[open..close], language).intersection(asked).count();
        if !name.is_empty() && word_count(name) <= NAME && !has_digit(name) {
            entries.push((name, held));
        }
        from = close + text[close..].chars().next().map_or(1, char::len_utf8);
    }
    let own = entries.iter().find(|(name, _)| *name == answer)?.1;
    let most = entries.iter().map(|entry| entry.1).max().filter(|most| *most > own)?;
    let mut best = entries.iter().filter(|entry| entry.1 == most);
    best.next().filter(|_| best.next().is_none()).map(|best| best.0)
}

/// If `answer` is one of the words of a cell and another cell of the row holds more of what is asked for, returns the
/// word in its place there: 村井 of 条件付承認 11/12 村井 for 大塚 of 承認 11/8 大塚.
fn words_of_asked_cell<'t>(
    row: &'t Statement,
    answer: &str,
    asked: &BTreeSet<String>,
    language: Language,
) -> Option<&'t str> {
    let held = |value: &str| content_set(value, language).intersection(asked).count();
    let parts = |value: &'t str| value.split_whitespace().collect::<Vec<_>>();
    let own = cells(row).find_map(|(_, value)| Some((value, parts(value).iter().position(|word| *word == answer)?)));
    let (own, place) = own.filter(|(own, _)| row.form == Form::Row && *own != answer)?;
    let is_asked = |(_, value): &(&str, &str)| held(value) > held(own);
    let others: Vec<&str> = cells(row).filter(is_asked).map(|(_, value)| value).collect();
    let [other] = others[..] else { return None };
    let words = parts(other);
    words.get(place).copied().filter(|_| words.len() == parts(own).len())
}

/// If `answer` lies in a span of time, as in "from 3 May to 5 May", returns the part of the span that is asked for.
fn part_of_span<'t>(text: &'t str, answer: &str, part: SpanPart) -> Option<&'t str> {
    let at = text.find(answer).filter(|_| has_digit(answer))?;
    let dates = date_ranges(text);
    let spans = dates.windows(2).filter(|two| is_span(text, two[0].end, two[1].start, two[1].end));
    let mut of_answer = spans.filter(|two| at < two[1].end && at + answer.len() > two[0].start);
    let (first, last) = of_answer.next().map(|two| (two[0].clone(), two[1].clone()))?;
    let asked = match part {
        SpanPart::Start => first,
        SpanPart::End => last,
        SpanPart::Whole => first.start..last.end,
    };
    Some(&text[asked])
}

/// Whether two dates, of which one ends at `from` and the next reaches from `to` to `end`, are the ends of a span. A day
/// that was moved from one to the other is none.
fn is_span(text: &str, from: usize, to: usize, end: usize) -> bool {
    const TO: &str = "to until till through bis au al tot a à do por até по";
    const MOVED: [&str; 10] =
        ["postpone", "move", "reschedule", "change", "delay", "verschoben", "verlegt", "reporté", "aplaza", "rinviat"];
    let Some(between) = text.get(from..to) else { return false };
    // The day of the week stands behind its date in brackets, or before the next one.
    let between = match between.trim_start().strip_prefix(['(', '（']).and_then(|rest| rest.split_once([')', '）'])) {
        Some((_, rest)) => rest.trim(),
        None => between.trim(),
    };
    if between.chars().all(|c| matches!(c, '-' | '–' | '—' | '〜' | '～' | '~' | '―' | '－')) {
        return !between.is_empty();
    }
    if let Some(rest) = ["から", "より"].iter().find_map(|from| between.strip_prefix(from)) {
        let behind = text[end..].trim_start();
        let behind = match behind.strip_prefix(['(', '（']).and_then(|rest| rest.split_once([')', '）'])) {
            Some((_, rest)) => rest,
            None => behind,
        };
        return behind.starts_with("まで") && rest.chars().all(is_cjk) && rest.chars().count() <= 2;
    }
    let mut words = words_of(between);
    let leads = words.next().is_some_and(|first| TO.split(' ').any(|to| to == first));
    let lower = text.to_lowercase();
    leads && words.count() <= 1 && !amends(text) && !MOVED.iter().any(|moved| lower.contains(moved))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::offline::statements::statements;
    use crate::offline::terms::question_terms;
    use crate::offline::testing::card;

    #[test]
    fn the_word_of_the_cell_that_is_asked_for() {
        let check = |question: &str, answer: &str, expected: Option<&str>| {
            let table = "| 課長 | 部長 | 経理部長 |\n|---|---|---|\n| 承認 11/6 佐藤 | 承認 11/8 大塚 | 条件付承認 11/12 村井 |\n";
            let japanese = Language::from_code("jpn");
            let all = statements(&card(1, "", "", table));
            let row = all.iter().find(|one| one.form == Form::Row).expect("a row");
            let found = words_of_asked_cell(row, answer, &question_terms(question, japanese), japanese);
            assert_eq!(found, expected, "{question}");
        };
        check("条件付承認をしたのは誰ですか", "大塚", Some("村井"));
        check("条件付承認をしたのはいつですか", "11/8", Some("11/12"));
        check("条件付承認をしたのは誰ですか", "村井", None);
        check("承認をしたのは誰ですか", "大塚", None);
    }

    #[test]
    fn the_figure_of_the_clause_that_is_asked_for() {
        let check = |code: &str, question: &str, text: &str, answer: &str, expected: Option<&str>| {
            let language = Language::from_code(code);
            let found = figure_of_asked_clause(text, answer, &question_terms(question, language), language);
            assert_eq!(found, expected, "{question}");
        };
        let fees = "Members pay £5, guests £8 and children £2.50 at the door.";
        check("eng", "How much do guests pay?", fees, "£5", None);
        check("eng", "What does it cost for guests?", fees, "£5", Some("£8"));
        check("eng", "What does it cost for guests?", fees, "£8", None);
        check("eng", "What does it cost for children?", fees, "£5", Some("£2.50"));
        check("eng", "What does it cost?", fees, "£5", None);
        let microscope = "利用料は学内者1時間1,500円、学外者1時間6,800円とする。";
        check("jpn", "電子顕微鏡は学内の人なら1時間いくらで使えますか。", microscope, "6,800円", Some("1,500円"));
        check("jpn", "電子顕微鏡は学外の人なら1時間いくらで使えますか。", microscope, "6,800円", None);
        check("eng", "When was it built?", "It was built in 1901, and sold in 1955.", "1901", None);
    }

    #[test]
    fn the_figure_of_what_is_counted() {
        let check = |question: &str, text: &str, answer: &str, expected: Option<&str>| {
            let counted = counted(question, Language::ENGLISH);
            assert_eq!(figure_of_counted(text, answer, &counted, Language::ENGLISH), expected, "{question}");
        };
        let trust = "In March the Trust employed 3,214 people, of whom 1,105 were nurses and 402 doctors.";
        check("How many nurses does the Trust employ?", trust, "3,214 people", Some("1,105"));
        check("How many doctors were there?", trust, "3,214 people", Some("402"));
        check("How many people does the Trust employ?", trust, "3,214 people", None);
        check("How many porters does the Trust employ?", trust, "3,214 people", None);
        let strike = "It employs 3,214 people, and in 2019 the nurses went on strike.";
        check("How many nurses does it employ?", strike, "3,214 people", None);
    }

    #[test]
    fn the_name_of_the_role_that_is_asked_for() {
        let check = |code: &str, question: &str, text: &str, answer: &str, expected: Option<&str>| {
            let language = Language::from_code(code);
            let asked = question_terms(question, language);
            assert_eq!(name_of_asked_bracket(text, answer, &asked, language), expected, "{question}");
        };
        let signed = "Signed: Ann Reed (Managing Director, Orme Cargo Ltd), Tom Hall (Chief Executive, Lund Foods).";
        check("eng", "Who is the managing director of Orme Cargo?", signed, "Tom Hall", Some("Ann Reed"));
        check("eng", "Who is the chief executive of Lund Foods?", signed, "Tom Hall", None);
        check("eng", "Who signed it?", signed, "Tom Hall", None);
        let present = "出席者：田中浩（社長）、鈴木一郎（専務）、佐藤和子（総務部長）";
        check("jpn", "専務は誰ですか", present, "田中浩", Some("鈴木一郎"));
    }

    #[test]
    fn the_part_of_a_span_that_is_asked_for() {
        let check = |text: &str, answer: &str, expected: [Option<&str>; 3]| {
            let found = [SpanPart::Start, SpanPart::End, SpanPart::Whole].map(|part| part_of_span(text, answer, part));
            assert_eq!(found, expected, "{text}");
        };
        let cool = "期間は、令和7年5月1日から同年10月31日までとする。";
        let whole = Some("令和7年5月1日から同年10月31日");
        check(cool, "令和7年5月1日", [Some("令和7年5月1日"), Some("10月31日"), whole]);
        let check_up = "実施日: 令和7年10月14日（火）〜10月17日（金）";
        let whole = Some("令和7年10月14日（火）〜10月17日");
        check(check_up, "令和7年10月14日", [Some("令和7年10月14日"), Some("10月17日"), whole]);
        let fair = "It is open from Monday, 3 May 2024, to Friday 7 May 2024.";
        check(fair, "7 May 2024", [Some("3 May 2024"), Some("7 May 2024"), Some("3 May 2024, to Friday 7 May 2024")]);
        check("移転日を2025年8月18日から2025年9月8日に変更する。", "2025年8月18日", [None; 3]);
        check("The fair was moved from 3 May 2024 to 7 May 2024.", "3 May 2024", [None; 3]);
        check("It was built in May 1901, and sold in June 1955.", "May 1901", [None; 3]);
    }
}
