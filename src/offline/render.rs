//! Renders quoted statements as Markdown, each with its citation.

use super::account::told::QuotableStatement;
use super::disagreement::Disagreement;
use super::prose::{plain, whole_sentences};
use super::terms::word_count;
use crate::base::text::{
    capitalised, ends_in_abbreviation, excerpt, is_cjk, is_terminator, joins_without_space, one_line, sentences,
    without_marks,
};
use crate::llm::purpose::EvidenceCard;
use crate::report::{Words, readable_title};

/// A sentence of at most this many words says nothing without the next one.
const LABEL_WORDS: usize = 2;

/// Stands for words that were left out.
const CUT: char = '…';

/// Sentence endings that set the tone.
const TONES: &str = "!?！？؟‽⁇⁈⁉‼﹖﹗፧";

/// The most characters of a title before what its document says.
const TITLE_CHARS: usize = 96;

/// Renders two statements that contradict each other. If both are dated, the newer one comes first and is marked as
/// newer.
pub(super) fn render_disagreement(
    conflict: &Disagreement,
    told: &[QuotableStatement],
    evidence: &[EvidenceCard],
    phrases: &Words,
) -> String {
    let date = |index: usize| evidence[told[index].card].date.as_str();
    let mut sides = [(conflict.first, &conflict.first_figure), (conflict.second, &conflict.second_figure)];
    let [first, second] = [date(conflict.first), date(conflict.second)];
    let dated = !first.is_empty() && !second.is_empty() && first != second;
    // Dates are written so that sorting them as text sorts them by time.
    if dated && first < second {
        sides.swap(0, 1);
    }
    let is_of_one_year = dated && first.get(..4) == second.get(..4);
    let side = |index: usize, newer: bool| {
        let card = &evidence[told[index].card];
        // The year alone would not tell it from the newer one.
        let source = if is_of_one_year && !newer { dated_title(card, evidence) } else { source(card, evidence) };
        let newer = if newer { format!(" ({} {})", phrases.newer, card.date) } else { String::new() };
        format!("{source}{newer}{}{}", phrases.colon_behind(""), quote(&told[index], evidence))
    };
    let [(newer, newer_figure), (older, older_figure)] = sides;
    format!(
        "- **{}** {} **{}**:\n  - {}\n  - {}\n",
        safe(newer_figure),
        phrases.against,
        safe(older_figure),
        side(newer, dated),
        side(older, false)
    )
}

/// Lists the searches that found nothing. A number in brackets would pass for a citation, and text after a question
/// mark for a claim, so these marks are removed; only if all of them are questions, each ends as one.
pub(super) fn searched_for(queries: &[&str], phrases: &Words) -> String {
    let mark = |query: &str| query.trim_end().chars().next_back().filter(|last| matches!(last, '?' | '？'));
    let are_questions = queries.iter().all(|query| mark(query).is_some());
    let told = queries.iter().map(|query| {
        let told = safe(&plain(&one_line(query))).replace(['?', '？', '!', '！', '。'], "").replace(". ", " ");
        let mark = mark(query).filter(|_| are_questions).map(String::from);
        told.trim_end().to_owned() + &mark.unwrap_or_default()
    });
    [phrases.searched_for, phrases.colon, &told.collect::<Vec<_>>().join(" · ")].concat()
}

/// Returns a document as shown to readers: its title and its year.
fn source(card: &EvidenceCard, evidence: &[EvidenceCard]) -> String {
    let title = attribution_title(&excerpt(&title_of(card, evidence), TITLE_CHARS));
    match card.date.get(..4) {
        Some(year) => format!("*{title}* ({year})"),
        None => format!("*{title}*"),
    }
}

/// Returns a title to stand before what its document says, without marks that would end the sentence.
pub(super) fn attribution_title(title: &str) -> String {
    let mut told = String::new();
    for part in sentences(title).map(|range| without_stops(&title[range], &['.', '!', '?', '。', '！', '？'])) {
        let joint = if part.starts_with(|c: char| !c.is_alphanumeric()) { " " } else { ", " };
        told.push_str(if told.is_empty() { "" } else { joint });
        told.push_str(part);
    }
    safe(&told)
}

/// Removes the stops that end a text, with the blank that French puts before them; those of `7 p.m.` are part of it.
fn without_stops<'t>(text: &'t str, stops: &[char]) -> &'t str {
    if ends_in_abbreviation(text) { text } else { text.trim_end_matches(stops).trim_end() }
}

/// Returns a document's title, and its day if it has one.
pub(super) fn dated_title(card: &EvidenceCard, evidence: &[EvidenceCard]) -> String {
    let day = if card.date.is_empty() { String::new() } else { format!(" ({})", card.date) };
    format!("*{}*{day}", attribution_title(&title_of(card, evidence)))
}

/// Returns the title of a card's document, or its file's name if it has none.
pub(super) fn title_of(card: &EvidenceCard, evidence: &[EvidenceCard]) -> String {
    let name = card.file_name();
    let title = if card.title.trim().is_empty() { name } else { &card.title };
    readable_title(title, evidence.iter().map(|card| card.text.as_str()))
}

/// Returns the title of a card's document, with its day if another document with the same title has another day.
pub(super) fn unambiguous_title(card: &EvidenceCard, evidence: &[EvidenceCard]) -> String {
    let title = title_of(card, evidence);
    let is_like =
        |other: &EvidenceCard| other.title == card.title && other.path != card.path && other.date != card.date;
    let shares = evidence.iter().any(|other| is_like(other) && title_of(other, evidence) == title);
    if shares && !card.date.is_empty() { format!("{title} ({})", card.date) } else { title }
}

/// Returns a statement with its citation.
pub(super) fn quote(one: &QuotableStatement, evidence: &[EvidenceCard]) -> String {
    cited(&safe(&one.text), evidence[one.card].number)
}

/// Returns `text` with a citation in each sentence, before the full stop that ends it, so that the citation stays with
/// its sentence, and after the marks that set its tone. An ellipsis, which stands for what was cut off, does not end a
/// sentence.
pub(super) fn cited(text: &str, number: usize) -> String {
    // A row in Japanese may consist mostly of figures, and end in one.
    let letters = |is: fn(char) -> bool| text.chars().filter(|&c| is(c)).count();
    let wide = text.chars().next_back().is_some_and(joins_without_space)
        || letters(joins_without_space) > letters(|c| c.is_alphabetic() && !joins_without_space(c));
    let cut_before = if text.starts_with(CUT) { text.len() - text.trim_start_matches([CUT, ' ']).len() } else { 0 };
    let cut_after = text.trim_end_matches([CUT, ' ']).len().max(cut_before);
    // A command is one sentence, whatever marks it holds.
    let code = if text.ends_with('`') { text.find('`').unwrap_or(cut_after) } else { cut_after };
    let mut ranges = whole_sentences(text, cut_before..code.min(cut_after));
    if code < cut_after {
        ranges.push(code..cut_after);
    }
    let last = ranges.len().saturating_sub(1);
    let cited: Vec<String> = ranges
        .into_iter()
        .enumerate()
        .map(|(at, range)| {
            let ends_cut = at == last && cut_after < text.len();
            let sentence = if ends_cut { &text[range.start..] } else { &text[range] };
            // A question, an introduction or a label makes no claim.
            if let Some(asked) = sentence.trim_end_matches(['。', ' ']).strip_suffix('か').filter(|_| at < last) {
                return format!("{asked}か？");
            }
            let is_label = || sentence.trim_end().ends_with('.') && word_count(sentence) <= LABEL_WORDS;
            let claims = at == last || !sentence.trim_end().ends_with(['?', '？', ':', '：']) && !is_label();
            if claims { cite(sentence, number, wide) } else { sentence.trim_end().to_owned() }
        })
        .collect();
    format!("{}{}", &text[..cut_before], cited.join(if wide { "" } else { " " }))
}

/// Renders the words above a list with citations: a last sentence that ends in a colon only introduces it, and makes no
/// claim.
pub(super) fn introducing(lead: &str, number: usize) -> String {
    let last = whole_sentences(lead, 0..lead.len()).pop().filter(|_| lead.ends_with([':', '：']));
    match last.map(|last| lead.split_at(last.start)) {
        Some(("", _)) => lead.to_owned(),
        Some((claims, introduces)) => {
            let claims = cited(claims.trim_end(), number);
            let space = if claims.ends_with('。') { "" } else { " " };
            format!("{claims}{space}{introduces}")
        }
        None => cited(lead, number),
    }
}

/// Renders a block of code between fences, below its introduction unless that stands above already.
pub(super) fn code_block(one: &QuotableStatement, block: &str, introduced: bool, number: usize) -> String {
    let longest = block.split(|c: char| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    let code = format!("{fence}\n{block}\n{fence}");
    match safe(&one.statement.lead).trim_end_matches([':', '：']) {
        _ if introduced => code,
        "" => format!("[{number}]\n\n{code}"),
        lead => format!("{}\n\n{code}", cited(lead, number)),
    }
}

fn cite(sentence: &str, number: usize, wide: bool) -> String {
    // An item of a list may end in a semicolon, where the next one goes on.
    let text = sentence.trim_end().trim_end_matches([';', '；']).trim_end();
    let is_stop = |c: &char| matches!(c, '.' | '…') || is_terminator(*c);
    let ending = |c: &char| matches!(c, '"' | '”' | '’' | ')' | '»' | '」' | '』' | '*') || is_stop(c);
    let length: usize = text.chars().rev().take_while(ending).map(char::len_utf8).sum();
    let (body, closing) = text.split_at(text.len() - length);
    let stop = closing.chars().rev().find(is_stop);
    let carries_tone = !closing.is_empty() && closing.chars().all(|c| TONES.contains(c));
    let space = if wide || body.chars().next_back().is_some_and(joins_without_space) { "" } else { " " };
    match (closing.chars().count(), stop) {
        _ if carries_tone => format!("{body}{closing}{space}[{number}]"),
        (1, Some('.')) if ends_in_abbreviation(text) => {
            format!("{text}{space}[{number}]{}", if wide { '。' } else { '.' })
        }
        (1, Some('.')) if wide => format!("{body}{space}[{number}]。"),
        (1, Some(stop)) if stop != CUT => format!("{body}{space}[{number}]{stop}"),
        // The full stop of an abbreviation stays within its brackets.
        (_, Some('.')) if closing.starts_with(".)") && !text.starts_with('(') => {
            format!("{body}{}{space}[{number}].", closing.trim_end_matches('.'))
        }
        // A full stop inside quotation marks moves behind the citation; marks that set a tone stay.
        (_, Some('.' | '。')) if !closing.contains("..") => {
            let kept: String = closing.chars().filter(|c| !matches!(c, '.' | '。')).collect();
            format!("{body}{kept}{space}[{number}]{}", if closing.contains('。') { '。' } else { '.' })
        }
        _ => format!("{body}{closing}{space}[{number}]{}", if space.is_empty() { "。" } else { "." }),
    }
}

/// Escapes source words as Markdown text: nothing in them may become markup that loads or runs something, and neither
/// of the two backslashes before the name of a server may be lost.
pub(super) fn safe(text: &str) -> String {
    let is_paired = text.matches('`').count().is_multiple_of(2);
    let mut told = String::with_capacity(text.len());
    for (place, part) in text.split('`').enumerate() {
        if place > 0 {
            told.push('`');
        }
        // Within code every sign stands for itself.
        if place % 2 == 1 && is_paired {
            told.push_str(part);
            continue;
        }
        let part = part.replace('<', "\\<");
        let mut rest = part.as_str();
        while let Some(at) = rest.find("\\\\").filter(|_| place % 2 == 0) {
            let (before, path) = rest.split_at(at);
            let after = path.trim_start_matches('\\');
            let run = &path[..path.len() - after.len()];
            told.push_str(before);
            told.push_str(run);
            // A longer run already is markup.
            if run.len() == 2 && after.starts_with(char::is_alphanumeric) {
                told.push_str(run);
            }
            rest = after;
        }
        told.push_str(rest);
    }
    told
}

/// Returns words of a source or a question as a heading.
pub(super) fn heading_text(text: &str) -> String {
    let text = without_marks(&one_line(text)).replace(['#', '`', '<', '>'], "");
    let text = without_stops(text.trim(), &['.', '。']);
    // A name in Latin letters keeps its own capitals within Japanese.
    let text = if text.contains(is_cjk) { text.to_owned() } else { capitalised(text) };
    excerpt(&text, 160).replace('*', "\\*").replace('[', "\\[").replace(']', "\\]")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::text::Language;
    use crate::offline::testing::card;
    use crate::report::words;

    #[test]
    fn searches_that_are_questions_end_as_such() {
        let check = |queries: &[&str], expected: &str| {
            assert_eq!(searched_for(queries, words(Language::from_code("deu"))), expected);
        };
        check(&["Was kostet ein Fass?"], "In diesen Dokumenten wurde gesucht nach: Was kostet ein Fass?");
        check(&["Fass? Wo", "Wo?"], "In diesen Dokumenten wurde gesucht nach: Fass Wo · Wo");
    }

    #[test]
    fn what_introduces_a_list_claims_only_what_stands_before() {
        let check = |lead: &str, expected: &str| assert_eq!(introducing(lead, 1), expected);
        check("There are two ways:", "There are two ways:");
        check("The press is old. There are two ways:", "The press is old [1]. There are two ways:");
        check("機械は古い。方法は次のとおり：", "機械は古い[1]。方法は次のとおり：");
        check("The press is old.", "The press is old [1].");
    }

    #[test]
    fn signs_of_a_heading_are_shown() {
        let check = |text: &str, expected: &str| assert_eq!(heading_text(text), expected);
        check("what is \"$*\"?", "What is \"$\\*\"?");
        check("## **Part 2** [draft].", "Part 2 \\[draft\\]");
        check("#include <x> in `main`", "Include x in main");
    }

    #[test]
    fn source_words_stay_what_they_are() {
        let check = |text: &str, expected: &str| assert_eq!(safe(text), expected);
        check(r"type \\print-srv\NAME there", r"type \\\\print-srv\NAME there");
        check(r"type `\\print-srv\NAME` there", r"type `\\print-srv\NAME` there");
        check(r"type \\\\print-srv there", r"type \\\\print-srv there");
        check("run `add <name>` in <b", "run `add <name>` in \\<b");
        check("an open ` mark <img>", "an open ` mark \\<img>");
        check("a <img> and \\* a star", "a \\<img> and \\* a star");
    }

    #[test]
    fn of_several_documents_with_one_title_each_has_its_day() {
        let dated = |path: &str, title: &str, date: &str| EvidenceCard {
            path: path.to_owned(),
            date: date.to_owned(),
            ..card(1, title, "", "The tide was high.")
        };
        let cards = [
            dated("03.md", "Board – Minutes", "2024-03-12"),
            dated("05.md", "Board – Minutes", "2024-05-14"),
            dated("rules.md", "Rules of the board", "2024-01-01"),
        ];
        let told = cards.each_ref().map(|card| unambiguous_title(card, &cards));
        assert_eq!(told, ["Board – Minutes (2024-03-12)", "Board – Minutes (2024-05-14)", "Rules of the board"]);
    }

    #[test]
    fn no_mark_in_a_title_ends_what_is_attributed_to_it() {
        let check = |title: &str, expected: &str| assert_eq!(attribution_title(title), expected);
        check("Hello, Cargo! - The Book", "Hello, Cargo - The Book");
        check("Betriebsvereinbarung Nr. 7/2018", "Betriebsvereinbarung Nr. 7/2018");
        check("Who pays? A guide.", "Who pays, A guide");
        check("À qui envoyer un arrêt maladie ?", "À qui envoyer un arrêt maladie");
        check("Minutes of the board, 7.00 p.m.", "Minutes of the board, 7.00 p.m.");
        check("Aneks do umowy z dnia 7 czerwca 2022 r.", "Aneks do umowy z dnia 7 czerwca 2022 r.");
    }

    #[test]
    fn each_sentence_is_cited_and_an_ellipsis_ends_none() {
        let check = |text: &str, expected: &str| assert_eq!(cited(text, 3), expected);
        check("Salt was dear. It came by boat.", "Salt was dear [3]. It came by boat [3].");
        check("… and it came by boat in the spring …", "… and it came by boat in the spring … [3].");
        check("塩は高かった。舟で来た。", "塩は高かった[3]。舟で来た[3]。");
        check("塩はいくらですか。120円です。", "塩はいくらですか？120円です[3]。");
        check(
            "年度: 2016; 合計(人): 556,500; 収入(千円): 675,300",
            "年度: 2016; 合計(人): 556,500; 収入(千円): 675,300[3]。",
        );
        check("… 舟で来た", "… 舟で来た[3]。");
        check("部門: 開発部; 前年比: 109%", "部門: 開発部; 前年比: 109%[3]。");
        check("部門: 開発部; 備考: 更新.", "部門: 開発部; 備考: 更新[3]。");
        check("소금은 비쌌다. 배로 왔다.", "소금은 비쌌다 [3]. 배로 왔다 [3].");
        check("부서: 개발부", "부서: 개발부 [3].");
        check("The pump rests until 6 a.m. It is loud.", "The pump rests until 6 a.m. [3]. It is loud [3].");
        check("Zawody są 5 maja 2025 r. Wstęp wolny.", "Zawody są 5 maja 2025 r. [3]. Wstęp wolny [3].");
        check("Срок – до 31 декабря 2025 г.", "Срок – до 31 декабря 2025 г. [3].");
        check("«2.1. Цена – 5 руб. с НДС.»", "«2.1. Цена – 5 руб. с НДС» [3].");
        check("a list goes to the office;", "a list goes to the office [3].");
        check("Ask first. `if ! ask; then`", "Ask first. `if ! ask; then` [3].");
        check("Les courges\u{a0}! Elles poussent.", "Les courges\u{a0}! [3] Elles poussent [3].");
        check("塩だ！舟で来た。", "塩だ！[3]舟で来た[3]。");
        check("Это дорого (1 200 руб.).", "Это дорого (1 200 руб.) [3].");
        check("Sie kam spät (nach 5 Uhr usw.)", "Sie kam spät (nach 5 Uhr usw.) [3].");
    }
}
