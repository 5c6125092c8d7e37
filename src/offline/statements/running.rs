//! Running text, items, `key: value` lines and pairs of a question and its answer: where a paragraph ends, what
//! introduces the text below it, and which statements it holds.

use std::ops::Range;

use super::looks::{
    KEY_WORDS, LEAD_WORDS, announces, answers, asks, bullet, cells, ends_in_colon, is_article_heading, is_fence,
    is_heading, is_question, is_root_prompt, is_row, is_wrapped_line, number, split_blanks, split_leader_dots, valued,
};
use super::marks::skipped_line_count;
use super::{Context, Form, Statement, trimmed_range};
use crate::base::text::{is_cjk, is_courtesy, sentences};
use crate::documents::parse::date_of_dateline;
use crate::offline::prose::{has_pronoun, is_label, plain, whole_sentences};
use crate::offline::terms::word_count;
use crate::report::amends;

/// The longest answer, in words, that is kept whole behind its question.
const ANSWER_WORDS: usize = 45;

/// The most words of a label without markup that heads its paragraph.
const RUN_IN_WORDS: usize = 2;

/// The most words of a bold label that heads its paragraph, not counting its number and the dash behind that.
const HEADING_WORDS: usize = 8;

/// The most characters of a given name.
const GIVEN_NAME: usize = 4;

/// Reads the paragraph that begins at line `at` and returns the line behind it. `title` returns the length of the mark and
/// the title with which a clause or an item begins.
pub(super) fn paragraph_at(
    text: &str,
    lines: &[Range<usize>],
    at: usize,
    title: impl Fn(&str) -> Option<usize>,
    context: &mut Context,
    found: &mut Vec<Statement>,
) -> usize {
    let raw = &text[lines[at].clone()];
    let indent = raw.len() - raw.trim_start().len();
    if context.term.as_ref().is_some_and(|(of_term, _)| indent <= *of_term || bullet(raw.trim()).is_none()) {
        context.lead = context.term.take().map_or(String::new(), |(_, outer)| outer);
    }
    if let Some(key) = name_before_blanks(text, lines, at) {
        let end =
            at + 1 + lines[at + 1..].iter().take_while(|next| is_further_value(&text[(*next).clone()], raw)).count();
        let range = trimmed_range(text, &lines[at]).start..trimmed_range(text, &lines[end - 1]).end;
        let shown = format!("{}: {}", plain(key), plain(&text[range.start + key.len()..range.end]));
        found.push(context.statement(range, Form::Pair, String::new(), shown));
        return end;
    }
    // The line that signs a paper stands below all its articles, not below the last one.
    if is_article_heading(&context.heading) && date_of_dateline(raw.trim()).is_some() {
        *context = Context::default();
    }
    let end = paragraph_end(text, lines, at);
    if let Some(term) = term(text, lines, at, end) {
        let outer = std::mem::replace(&mut context.lead, format!("{term}:"));
        context.term = Some((indent, outer));
        return end;
    }
    let body = trimmed_range(text, &lines[at]);
    let body = body.start..lines.get(end - 1).map_or(body.end, |last| trimmed_range(text, last).end);
    if let Some(length) = title(&text[body.clone()]) {
        let behind = body.start + length;
        paragraph(text, behind..body.end, &mut context.below(&text[body.start..behind]), found);
        return end;
    }
    let first = found.len();
    paragraph(text, body.clone(), context, found);
    if let Some(first) = found.get_mut(first) {
        first.number = number(&text[body.clone()]);
    }
    let below = lines[end..].iter().map(|next| text[next.clone()].trim()).find(|next| !next.is_empty());
    let is_item = bullet(&text[body]).is_some();
    if !is_item && below.is_some_and(|below| bullet(below).is_some()) && announces(&context.last) {
        context.lead.clone_from(&context.last);
        context.listed = false;
    }
    end
}

/// Where the paragraph that begins at line `at` ends: before a blank line, a line of another form, or the next item.
fn paragraph_end(text: &str, lines: &[Range<usize>], at: usize) -> usize {
    let mut end = at + 1;
    while let Some(line) = lines.get(end) {
        let (trimmed, before) = (text[line.clone()].trim(), text[lines[end - 1].clone()].trim());
        let named = (valued(before).is_some(), valued(trimmed).is_some());
        let opens_value = match is_wrapped_line(before, trimmed) {
            // A broken line, as "…, and then tell the", continues in one that happens to have a colon; two values do
            // not.
            true => named == (true, true),
            false => named != (false, false),
        };
        let opens = trimmed.is_empty()
            || opens_value
            || is_heading(trimmed)
            || skipped_line_count(text, lines, end) > 0
            || is_root_prompt(trimmed)
            || is_fence(trimmed)
            || cells(trimmed).is_some()
            || bullet(trimmed).is_some()
            || name_before_blanks(text, lines, end).is_some()
            || before.ends_with([':', '：', '。', '？', '?'])
            || answers(trimmed).is_some();
        if opens {
            break;
        }
        end += 1;
    }
    end
}

/// The name in line `at` if blanks set it apart from its value and the line beside it is another such line. A list of
/// people, with blanks between their names, has no long value.
fn name_before_blanks<'t>(text: &'t str, lines: &[Range<usize>], at: usize) -> Option<&'t str> {
    let line = |at: usize| lines.get(at).map(|line| &text[line.clone()]);
    let is_value = |(_, value): (&str, &str)| value.chars().nth(GIVEN_NAME).is_some();
    let raw = line(at)?;
    let own = split_blanks(raw.trim())?;
    let before = (0..at).rev().filter_map(line).find(|before| !is_further_value(before, raw));
    let after = (at + 1..lines.len()).filter_map(line).find(|after| !is_further_value(after, raw));
    let beside: Vec<(&str, &str)> =
        [before, after].into_iter().flatten().filter_map(|line| split_blanks(line.trim())).collect();
    (!beside.is_empty() && beside.into_iter().chain([own]).any(is_value)).then_some(own.0)
}

/// Whether a line continues the value of the line `first`: it is indented further.
fn is_further_value(line: &str, first: &str) -> bool {
    let indent = |line: &str| line.chars().take_while(|c| c.is_whitespace()).count();
    let words = line.trim();
    indent(line) > indent(first) + 1 && !words.is_empty() && bullet(words).is_none() && split_blanks(words).is_none()
}

/// The item at line `at` if it is a term: short, not ending like a sentence, and explained by items below it that are
/// indented further.
fn term(text: &str, lines: &[Range<usize>], at: usize, end: usize) -> Option<String> {
    let indented = |line: &Range<usize>| text[line.clone()].len() - text[line.clone()].trim_start().len();
    let line = lines.get(at).filter(|_| end == at + 1)?;
    let item = text[line.clone()].trim();
    let term = plain(item[bullet(item)?..].trim_end_matches([':', '：']));
    let below = lines[end..].iter().find(|below| !text[(*below).clone()].trim().is_empty())?;
    let is_explained = indented(below) > indented(line) && bullet(text[below.clone()].trim()).is_some();
    let ends = term.ends_with(['.', '!', '?', '。', '！', '？', ',', '、', ';']);
    (is_explained && !ends && (1..=KEY_WORDS).contains(&word_count(&term))).then_some(term)
}

/// The length of the label that a paragraph begins with and of the space behind it: "Off-hire. Hire ceases while …". A
/// sentence may be as short, but one with a pronoun is not a label: "He agreed."
fn run_in_label_length(text: &str) -> Option<usize> {
    let label = sentences(text).next().map(|first| &text[first])?;
    let name = label.strip_suffix('.')?;
    let is_name = name.starts_with(char::is_uppercase)
        && name.chars().all(|one| one.is_alphabetic() && !is_cjk(one) || matches!(one, ' ' | '-' | '’' | '\''))
        && word_count(name) <= RUN_IN_WORDS;
    let rest = text[label.len()..].trim_start();
    let is_followed =
        word_count(rest) > RUN_IN_WORDS && rest.starts_with(|one: char| one.is_uppercase() || !one.is_alphabetic());
    (is_name && is_followed && !has_pronoun(name)).then(|| text.len() - rest.len())
}

/// Adds the statements of a stretch of running text, an item, a `key: value` line, or one half of a question-and-answer
/// pair.
fn paragraph(text: &str, range: Range<usize>, context: &mut Context, found: &mut Vec<Statement>) {
    let raw = &text[range.clone()];
    let (is_item, body) = match bullet(raw) {
        Some(length) => (true, range.start + length..range.end),
        None => (false, range.clone()),
    };
    if let Some(length) = asks(&text[body.clone()]) {
        context.question = plain(&text[body.start + length..body.end]);
        return;
    }
    let (answered, body) = match answers(&text[body.clone()]) {
        Some(length) => (true, body.start + length..body.end),
        None => (false, body),
    };
    // A bold label that is not the key of a value heads its paragraph.
    if !is_item
        && !answered
        && let Some((label, value)) =
            split_leader_dots(&text[body.clone()]).filter(|_| raw.starts_with("**") && valued(raw).is_none())
        && word_count(label).saturating_sub(marks_of(label)) <= HEADING_WORDS
        && !is_label(label)
    {
        return paragraph(text, body.end - value.len()..body.end, &mut context.below(label), found);
    }
    // So does a label of a word or two before its first sentence.
    if !is_item
        && !answered
        && context.question.is_empty()
        && let Some(length) = run_in_label_length(&text[body.clone()])
    {
        let (label, behind) = (&text[body.start..body.start + length], body.start + length);
        // A line below may begin with a label of its own.
        let mut lines = text[behind..body.end].match_indices('\n').map(|(at, _)| behind + at + 1);
        let next = lines.find(|&line| run_in_label_length(&text[line..body.end]).is_some()).unwrap_or(body.end);
        paragraph(text, trimmed_range(text, &(behind..next)), &mut context.below(label), found);
        if next < body.end {
            paragraph(text, next..body.end, context, found);
        }
        return;
    }
    // A question in running text is answered by what follows it.
    if !is_item && !answered && is_question(&text[body.clone()]) && word_count(&text[body.clone()]) <= LEAD_WORDS {
        context.question = plain(&text[body]);
        return;
    }
    // The last sentence of a paragraph that ends in a colon introduces what follows.
    if !is_item
        && !answered
        && ends_in_colon(&text[body.clone()])
        && let Some(last) = sentences(&text[body.clone()]).last().filter(|last| last.start > 0)
    {
        let last = body.start + last.start..body.end;
        let before = body.start..body.start + text[body.start..last.start].trim_end().len();
        paragraph(text, before, context, found);
        return paragraph(text, last, context, found);
    }
    if !is_item && !answered && ends_in_colon(&text[body.clone()]) && word_count(&text[body.clone()]) <= LEAD_WORDS {
        // "Buenos días:" opens a letter and introduces nothing.
        if is_courtesy(&text[body.clone()]) {
            return;
        }
        context.lead = plain(&text[body.clone()]);
        context.last.clone_from(&context.lead);
        let defined = context.lead.trim_end_matches([':', '：', ' ']);
        context.defined = if word_count(defined) <= KEY_WORDS { defined.to_owned() } else { String::new() };
        context.listed = false;
        return;
    }
    // A term stays the lead of what explains it, as in a list of definitions; a longer introduction does not.
    let explained = !is_item && valued(raw).is_none();
    context.listed |= is_item;
    // The text that an amendment inserts is told with the place that it amends.
    let is_long = word_count(&context.lead) > KEY_WORDS && !amends(&context.lead);
    if explained && (context.listed || is_long) {
        context.lead.clear();
    }
    let asked = !context.question.is_empty();
    let lead = match asked {
        true => std::mem::take(&mut context.question),
        false if explained => std::mem::take(&mut context.lead),
        false => context.lead.clone(),
    };
    if let Some(value) = valued(&text[body.clone()]).filter(|_| !answered) {
        if !value.is_empty() {
            let form = if is_row(&text[body.clone()]) { Form::Row } else { Form::Pair };
            let lead = if is_item { lead } else { String::new() };
            // Of a long paragraph that begins like a value, only the beginning is the value.
            let mut rest = match word_count(&text[body.clone()]) > ANSWER_WORDS && form == Form::Pair {
                true => whole_sentences(text, body.clone()),
                false => Vec::new(),
            };
            // A bold label ends like a sentence, before its value.
            let ends = |one: &Range<usize>| valued(&text[body.start..one.end]).is_some_and(|value| !value.is_empty());
            let end = rest
                .iter()
                .position(ends)
                .map_or(body.end, |at| rest.drain(..=at).next_back().map_or(body.end, |one| one.end));
            push(text, body.start..end, form, context, lead, found);
            rest.into_iter().for_each(|next| push(text, next, Form::Sentence, context, String::new(), found));
        }
        return;
    }
    let mut sentences = whole_sentences(text, body.clone());
    let form = if is_item { Form::Item } else { Form::Sentence };
    if asked && word_count(&text[body.clone()]) <= ANSWER_WORDS {
        // An answer is kept whole.
        sentences = vec![body];
    }
    // Every sentence that explains a term has the term as its lead.
    let is_term = explained && !asked && lead.ends_with([':', '：']);
    for (index, sentence) in sentences.into_iter().enumerate() {
        context.last = plain(&text[sentence.clone()]);
        let lead = if index == 0 || is_term { lead.clone() } else { String::new() };
        push(text, sentence, form, context, lead, found);
    }
}

/// How many words of a label have no letter.
fn marks_of(label: &str) -> usize {
    label.split_whitespace().filter(|word| !word.contains(char::is_alphabetic)).count()
}

/// Takes the full stop away behind a number before a sentence, since a sentence would end there: behind a year in a
/// chronicle stands a colon, and behind the number of a clause nothing.
fn label_without_stop(text: String) -> String {
    match text.split_once(". ") {
        Some((label, rest)) if is_label(label) => {
            let is_clause = label.contains('.') && label.split('.').all(|part| part.len() <= 3);
            format!("{label}{} {rest}", if is_clause { "" } else { ":" })
        }
        _ => text,
    }
}

fn push(text: &str, range: Range<usize>, form: Form, context: &Context, lead: String, found: &mut Vec<Statement>) {
    let shown = match split_leader_dots(&text[range.clone()]).filter(|_| form == Form::Pair) {
        Some((key, value)) => format!("{}: {}", plain(key), plain(value)),
        None => label_without_stop(plain(&text[range.clone()])),
    };
    // A text that only announces something else states nothing.
    if shown.chars().any(char::is_alphanumeric) && !ends_in_colon(&shown) {
        let is_amended = !lead.is_empty() && amends(&shown) && !amends(&lead);
        let lead = if is_amended { String::new() } else { lead };
        found.push(context.statement(range, form, lead, shown));
    }
}
