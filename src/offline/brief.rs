//! Takes a brief apart: numbered parts, several questions in one text, and instructions about the form of the report,
//! which are not questions.

use super::entities::entities;
use super::joined::ASKING;
use super::split;
use super::terms::content_terms;
use crate::base::text::{Language, is_cjk, is_hiragana, is_listed, one_line, sentences};

/// The fewest parts that make a text a brief.
const LEAST: usize = 2;

/// The fewest clauses that ask for something, if they are neither numbered nor sentences.
const CLAUSES: usize = 3;

/// The most words of an item in a list of what is wanted.
const ITEM_WORDS: usize = 16;

/// Words that open an instruction.
const ORDERS: &str = "be keep use write give cite answer format include please limit avoid make state mention add show \
provide return output do don't focus bitte schreibe verwende antworte nenne veuillez écris utilise escribe usa responde";
/// Words about the form of the report, one of which an instruction must hold as well.
const FORM: &str = "amounts figures dates years examples specific concise short brief precise detailed numbers words bullet bullets table tables page \
pages sentence sentences paragraph paragraphs format markdown sources citations cite quote quotes english japanese german \
tone style headings kurz knapp zahlen tabelle stichpunkte quellen concis chiffres tableau sources breve cifras tabla fuentes";

/// Words about the report rather than its subject.
const REPORTS: &str = "report note summary overview prepare need want know cover write page memo briefing brief following \
meet meeting meetings call visit tomorrow today monday tuesday wednesday thursday friday week \
points questions please half one two short bericht übersicht rapport note informe";

/// The fewest characters of an item that a Japanese sentence lists.
const ITEM_CHARS: usize = 2;
/// The most characters of such an item.
const WIDE_ITEM: usize = 32;

/// The most words of a brief's subject, apart from names.
const SUBJECT_WORDS: usize = 5;
/// The most characters of the subject in scripts without spaces.
const WIDE_SUBJECT: usize = 24;

/// One part of a brief.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Part {
    /// The text as asked.
    pub text: String,
    /// The text with the subject of the brief, for the search.
    pub query: String,
}

impl Part {
    /// Makes a part of a brief on `subject`, which is added to the search unless the part names something itself.
    fn of(text: String, subject: &str, language: Language) -> Part {
        let names_something = || match subject.contains(is_cjk) {
            // In such scripts every noun looks like a name, so only the subject itself counts.
            true => runs(subject).any(|run| text.contains(run)),
            false => !entities(&text, language).is_empty(),
        };
        let joins = !subject.is_empty() && !names_something();
        Part { query: if joins { split::join(subject, &[&text]) } else { text.clone() }, text }
    }
}

/// Runs of kana, of ideographs or of Latin letters that are words.
fn runs(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| is_hiragana(c) || !c.is_alphanumeric() && c != 'ー').filter(|run| run.chars().nth(1).is_some())
}

/// Returns the parts of `question` in order, each as a question of its own; empty if it is one question.
pub(super) fn parts(question: &str, language: Language) -> Vec<Part> {
    let numbered = numbered(question, language);
    if numbered.len() >= LEAST {
        return numbered;
    }
    let questions = questions(question, language);
    if questions.len() >= LEAST {
        return questions;
    }
    let each = of_each(question);
    if !each.is_empty() {
        return each;
    }
    let listed = enumerated(question);
    let clauses = if listed.is_empty() { clauses(question) } else { listed };
    if clauses.len() < CLAUSES {
        return Vec::new();
    }
    // Without a preamble, the names of the whole text say what it is about.
    let before = question.find(clauses[0].as_str()).map_or("", |at| &question[..at]);
    // Text after a question, which says what the answer is for, is not the subject.
    let before = before.rsplit_once('?').map_or(before, |(asked, _)| asked);
    let names = entities(question, language).into_iter().take(2).map(|name| name.text);
    let subject = match subject(before, language) {
        subject if subject.is_empty() => names.collect::<Vec<_>>().join(" "),
        subject => subject,
    };
    clauses.into_iter().map(|text| Part::of(text, &subject, language)).collect()
}

/// The sentences of `question` that are not instructions about the report.
fn asking(question: &str) -> impl Iterator<Item = String> {
    sentences(question).map(|range| one_line(&question[range])).filter(|sentence| !is_instruction(sentence))
}

/// The questions of a text, if its script has spaces.
fn questions(text: &str, language: Language) -> Vec<Part> {
    let asked = asking(text).filter(|sentence| sentence.ends_with('?') && !text.contains(is_cjk));
    asked.map(|question| Part::of(question, "", language)).collect()
}

/// Returns the same question on each of two or more things: "断水と停電、それぞれいつですか".
fn of_each(question: &str) -> Vec<Part> {
    let Some((things, asked)) = question.split_once("それぞれ") else { return Vec::new() };
    let things = things.trim_end_matches(['、', 'の', 'は']).trim_end_matches("について");
    let things: Vec<&str> = things.split(['と', '、', '・']).map(str::trim).collect();
    let are_nouns = things.iter().all(|thing| (ITEM_CHARS..=WIDE_SUBJECT).contains(&thing.chars().count()));
    if things.len() < LEAST || !are_nouns || asked.trim().is_empty() {
        return Vec::new();
    }
    let part = |thing: &str| format!("{thing}は{}", asked.trim_start_matches(['、', 'の', 'は']));
    things.into_iter().map(|thing| Part { text: part(thing), query: part(thing) }).collect()
}

/// Whether a Japanese sentence lists at least three things that are wanted, separated by commas, each a noun or a
/// question.
fn lists_things(sentence: &str) -> bool {
    let whole = without_order(sentence).trim_end_matches(['。', ' ']);
    // If there are commas, a middle dot joins the words of one name.
    let comma = if whole.contains('、') { '、' } else { '・' };
    let mut depth = 0;
    let outside = |c: char| {
        depth += i32::from("(（「『".contains(c)) - i32::from(")）」』".contains(c));
        depth <= 0 && c == comma
    };
    let items: Vec<&str> = whole.split(outside).map(str::trim).collect();
    let stands = |item: &&str| {
        // A clause that goes on ends in a particle or in a verb form for that.
        let goes_on = ["て", "で", "が", "は", "に", "を", "ば", "ず", "し", "く", "から", "あり"];
        let is_nominal = !goes_on.iter().any(|end| item.ends_with(end));
        is_nominal && (ITEM_CHARS..=WIDE_ITEM).contains(&item.chars().count())
    };
    items.iter().all(stands) && items.iter().filter(|item| !speaks_of_form(item)).count() >= CLAUSES
}

/// Returns `question` without its instructions.
pub(super) fn without_instructions(question: &str) -> String {
    let kept: Vec<String> = asking(question).collect();
    if kept.is_empty() { one_line(question) } else { kept.join(" ") }
}

/// Returns the items that a sentence wants covered, as in "Cover static linking, stripping, and what to do when two
/// clash", or that it lists after a colon.
fn enumerated(text: &str) -> Vec<String> {
    const WANTING: [&str; 10] = [
        "cover ",
        "covering ",
        "include ",
        "including ",
        "address ",
        "discuss ",
        "i need ",
        "i want to know ",
        "we need ",
        "tell me about ",
    ];
    const NEEDING: [&str; 5] = ["; i need ", ", i need ", "; we need ", " and need ", " so i need "];
    for range in sentences(text) {
        let sentence = one_line(&text[range]);
        let lower = sentence.to_lowercase();
        let ends_as_question = sentence.ends_with(['?', '？']);
        let opening = WANTING.iter().find(|wanting| lower.starts_with(**wanting)).map(|wanting| wanting.len());
        // "I meet Acme tomorrow and need the contract, …" first tells what everything is about.
        let later = || {
            let needing = NEEDING.iter().find_map(|needing| Some(lower.find(needing)? + needing.len()));
            needing.filter(|_| lower.len() == sentence.len())
        };
        let opening = opening.or_else(later);
        // "I need it for a talk, so give me the figures, …" lists its items after the order.
        let ordered = ["give me ", "give us ", "tell me ", "show me "].iter().find_map(|order| {
            let at = lower.find(order).filter(|_| opening.is_some() && lower.len() == sentence.len())?;
            Some(at + order.len())
        });
        let start = ordered.or(opening).or_else(|| sentence.find(": ").map(|at| at + 2));
        let Some(start) = start else { continue };
        let rest = sentence.get(start..).unwrap_or_default();
        let start = start
            + ["to know ", "to know about "].iter().rev().find(|to| rest.starts_with(**to)).map_or(0, |to| to.len());
        if ends_as_question || !sentence.is_char_boundary(start) {
            continue;
        }
        let items = listed_spaced(sentence[start..].trim_end_matches('.'));
        if !items.is_empty() {
            return items;
        }
    }
    Vec::new()
}

/// Returns the items of a list of at least three; empty if the text is no such list, or is only on the form of the
/// report, such as "dates, figures and sources".
fn listed_spaced(list: &str) -> Vec<String> {
    let mut items: Vec<&str> = list.split([',', ';']).collect();
    // The last two may be joined only by "and".
    if let Some((last, joined)) = items.last().copied().and_then(|last| last.split_once(" and ")) {
        items.pop();
        items.extend([last, joined]);
    }
    let items: Vec<String> = items
        .into_iter()
        .map(|item| item.trim().trim_start_matches("and ").trim_start_matches("or ").trim())
        // The owner that these words refer to stands before the list.
        .map(|item| ["its ", "their ", "his ", "her "].iter().find_map(|of| item.strip_prefix(of)).unwrap_or(item))
        .filter(|item| !item.is_empty())
        .map(str::to_owned)
        .collect();
    let is_short = |item: &String| item.split_whitespace().count() <= ITEM_WORDS;
    let of_form = |item: &String| item.split_whitespace().any(|word| is_listed(FORM, word));
    let is_list = items.len() >= CLAUSES && items.iter().all(is_short) && !items.iter().all(of_form);
    if is_list { items } else { Vec::new() }
}

/// Returns the clauses that each ask for something: "when it was completed, where one can watch it, and how many are
/// ordered".
fn clauses(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for range in sentences(text) {
        let sentence = one_line(&text[range]);
        if is_instruction(&sentence) {
            continue;
        }
        let mut starts: Vec<usize> = Vec::new();
        let mut at = 0;
        for word in sentence.split_inclusive(' ') {
            let before = sentence[..at].trim_end();
            let opens = before.is_empty()
                || before.ends_with([',', ';', ':'])
                || [" and", " or", " know", " say", " tell us", " explain"].iter().any(|end| before.ends_with(end));
            let plain = word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
            if opens && ASKING.contains(&plain.as_str()) {
                starts.push(at);
            }
            at += word.len();
        }
        let ends = starts.iter().skip(1).copied().chain([sentence.len()]);
        found.extend(starts.iter().zip(ends).map(|(&start, end)| {
            let clause = sentence[start..end].trim().trim_end_matches([',', ';', '.', '?']);
            clause.trim_end_matches(" and").trim_end_matches(',').trim().to_owned()
        }));
    }
    found
}

/// Returns the items after `(1)`, `1.`, `1)` or `①`, counted from one without a gap. Their subject stands before the
/// first one, unless an item names something itself.
fn numbered(text: &str, language: Language) -> Vec<Part> {
    let mut starts: Vec<(usize, usize)> = Vec::new();
    for (at, _) in text.char_indices() {
        let Some(length) = mark(text, at, starts.len() + 1) else { continue };
        if starts.last().is_none_or(|(_, end)| at >= *end) {
            starts.push((at, at + length));
        }
    }
    let Some(&(first, _)) = starts.first() else { return Vec::new() };
    let subject = subject(&text[..first], language);
    let ends = starts.iter().skip(1).map(|(start, _)| *start).chain([text.len()]);
    starts
        .iter()
        .zip(ends)
        .map(|(&(_, start), end)| {
            let item = one_line(&text[start..end]);
            // Instructions may follow the last item.
            let kept: Vec<String> = sentences(&item)
                .map(|range| item[range].to_owned())
                .filter(|sentence| !is_instruction(sentence))
                .collect();
            let item = kept.join(" ");
            let item =
                without_order(item.trim()).trim_end_matches(" and").trim_end_matches([';', ',', '；', '、', ' ']);
            item.to_owned()
        })
        .filter(|item| !item.is_empty())
        .map(|text| Part::of(text, &subject, language))
        .collect()
}

/// Returns the subject of a brief from the words before its first part: its content words without those that only order
/// a report.
fn subject(preamble: &str, language: Language) -> String {
    let is_wide = preamble.chars().any(is_cjk);
    if is_wide {
        return wide_subject(preamble).to_owned();
    }
    let names: Vec<String> = entities(preamble, language).into_iter().map(|name| name.text).collect();
    let telling: Vec<String> = content_terms(preamble, language)
        .into_iter()
        .filter(|term| {
            let word = preamble.get(term.range.clone()).unwrap_or_default().to_lowercase();
            ![ORDERS, FORM, REPORTS].iter().any(|table| is_listed(table, &word))
                && !names.iter().any(|name| name.to_lowercase().contains(&word))
        })
        .filter_map(|term| preamble.get(term.range))
        .map(str::to_owned)
        .collect();
    names.into_iter().take(2).chain(telling.into_iter().take(SUBJECT_WORDS)).collect::<Vec<_>>().join(" ")
}

/// Does the same in scripts without spaces: returns the text before the first particle that ends a subject or an
/// object, as in "バックアップの方針を検討しています".
fn wide_subject(preamble: &str) -> &str {
    const ENDS: [&str; 14] = [
        "について",
        "に関し",
        "に関する",
        "につき",
        "の件",
        "では",
        "を",
        "は",
        "が",
        "、",
        "。",
        "，",
        "关于",
        "的情况",
    ];
    let preamble = preamble.trim_start_matches("关于").trim();
    let end = ENDS.iter().filter_map(|end| preamble.find(end)).min().unwrap_or(preamble.len());
    let subject = preamble[..end].trim();
    if subject.chars().count() <= WIDE_SUBJECT { subject } else { "" }
}

/// Removes the order at the end of a Japanese part, as in "何を外すか、を一枚にまとめてください", and the word that joins it to what was
/// said before, as in "また注意も添えてください".
fn without_order(item: &str) -> &str {
    let item = ["また、", "また", "さらに、", "さらに", "あわせて、"]
        .iter()
        .find_map(|joins| item.strip_prefix(joins))
        .unwrap_or(item);
    let body = item.trim_end_matches(['。', ' ']);
    if !is_imperative(body) {
        return item;
    }
    let last = |marks: &[&str]| marks.iter().filter_map(|mark| body.rfind(mark)).max().filter(|at| *at > 0);
    let at =
        last(&["、を", "を、", "について", "、数", "、表", "、箇条"]).or_else(|| last(&["を", "も", "が知りたい"]));
    let asks = || ["か教え", "か説明", "か知り"].iter().find_map(|mark| body.rfind(mark)).map(|at| at + "か".len());
    at.into_iter().chain(asks()).max().map_or(item, |at| body[..at].trim_end_matches(['を', '、']))
}

/// Whether a Japanese sentence ends as an order to tell something.
fn is_imperative(body: &str) -> bool {
    const ENDS: [&str; 12] = [
        "ください",
        "下さい",
        "お願いします",
        "願います",
        "ほしい",
        "欲しい",
        "知りたい",
        "知りたいです",
        "まとめて",
        "報告して",
        "説明して",
        "教えて",
    ];
    ENDS.iter().any(|end| body.ends_with(end))
}

/// Returns the length of the mark of item `number` if it stands at `at`.
fn mark(text: &str, at: usize, number: usize) -> Option<usize> {
    let rest = &text[at..];
    let free = text[..at].chars().next_back().is_none_or(|c| c.is_whitespace() || "。、：:；;,".contains(c));
    let circled = char::from_u32(0x2460 + u32::try_from(number).ok()? - 1).filter(|_| number <= 20)?;
    if rest.starts_with(circled) {
        return Some(circled.len_utf8());
    }
    // "Article 6(1)" is a place in a law.
    let is_of_number = text[..at].ends_with(|c: char| c.is_ascii_alphanumeric());
    for mark in [format!("({number})"), format!("（{number}）")] {
        if rest.starts_with(&mark) && !is_of_number {
            return Some(mark.len());
        }
    }
    let plain = [format!("{number}. "), format!("{number}) ")].into_iter().find(|mark| rest.starts_with(mark));
    plain.filter(|_| free).map(|mark| mark.len())
}

fn is_instruction(sentence: &str) -> bool {
    if sentence.trim_end().ends_with(['?', '？']) {
        return false;
    }
    let lower = sentence.to_lowercase();
    let words: Vec<&str> =
        lower.split(|c: char| !c.is_alphanumeric() && c != '\'').filter(|word| !word.is_empty()).collect();
    let orders = words.first().is_some_and(|word| is_listed(ORDERS, word));
    let japanese = ["してください", "して下さい", "お願いします", "こと。"]
        .iter()
        .any(|end| lower.ends_with(end) || lower.ends_with(&format!("{end}。")))
        && speaks_of_form(&lower)
        // A sentence that wants three things or more is no instruction, even if it ends with words on the form.
        && !lists_things(sentence);
    let forms = words.iter().skip(1).any(|word| is_listed(FORM, word));
    // "Half a page, please, with dates." orders without a verb.
    let asks_nicely = words.contains(&"please") && forms;
    japanese || asks_nicely || (orders && forms)
}

/// Whether Japanese words are about the form of the report.
fn speaks_of_form(text: &str) -> bool {
    ["具体的", "数字", "簡潔", "表", "箇条書き", "出典", "文字", "形式"].iter().any(|word| text.contains(word))
}

#[cfg(test)]
mod tests;
