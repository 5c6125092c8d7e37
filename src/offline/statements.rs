//! The statements of a passage: sentences, list items with their introductions, table rows with the names of their
//! columns, `key: value` lines, commands, questions with their answers.
//!
//! Every statement knows its bytes in the passage. Which statement answers a question is decided elsewhere.

mod looks;
mod marks;
mod running;

use std::cell::LazyCell;
use std::collections::BTreeSet;
use std::ops::Range;

use super::prose::{plain, unquoted};
use super::terms::word_count;
use crate::base::text::one_line;
use crate::llm::purpose::EvidenceCard;
use crate::report::{Words, repeats_title};

use looks::{
    HEADING_MARKS, LEAD_WORDS, cells, clause_label, has_clauses, is_fence, is_heading, is_numbered, is_question,
    is_root_prompt, is_rule, item_title, names_columns, pair, unbracketed, unnumbered,
};
pub(super) use looks::{announces, are_minutes, points_ahead};
use marks::skipped_line_count;
use running::paragraph_at;

/// The most commands of a block that form one statement.
const STEPS: usize = 4;

/// Separates the cells of a row.
pub(super) const BETWEEN_CELLS: &str = "; ";

/// The form of a statement in its document.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Form {
    /// A sentence of running text.
    #[default]
    Sentence,
    /// An item of a list.
    Item,
    /// A row of a table.
    Row,
    /// A name with its value.
    Pair,
    /// A line of code or a command.
    Code,
}

/// One thing that a passage states.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Statement {
    /// Its bytes in the passage.
    pub range: Range<usize>,
    /// Its form in the document.
    pub form: Form,
    /// The heading within the passage that it stands below; empty if there is none.
    pub heading: String,
    /// If `heading` is the label of a clause or a paragraph, the headings above that label, the outermost first.
    pub above: String,
    /// Its introduction, on one line and without markup: the line before a list, the question before an answer, the
    /// sentence before a command. Empty if it stands alone.
    pub lead: String,
    /// Its words on one line, without markup; in a row each value follows the name of its column.
    pub text: String,
    /// The number of the item, step or paragraph that begins with it.
    pub number: Option<u32>,
}

impl Statement {
    /// The headings within the passage that it stands below, the outermost first.
    pub(super) fn headings(&self) -> String {
        match (self.above.as_str(), self.heading.as_str()) {
            (above, "") => above.to_owned(),
            ("", heading) => heading.to_owned(),
            (above, heading) => format!("{above} › {heading}"),
        }
    }

    /// The name before its value; empty where it has none.
    pub(super) fn name(&self) -> &str {
        let name = self.text.split_once([':', '：']).map_or("", |(name, _)| name.trim());
        // A row may have names of its own, before those of its values.
        name.split(BETWEEN_CELLS).next().unwrap_or_default()
    }

    /// The cells of a row, each behind the name of its column if that has one.
    pub(super) fn cells(&self) -> impl Iterator<Item = &str> {
        self.text.split(BETWEEN_CELLS)
    }

    /// Whether it is a value whose name satisfies `by`.
    pub(super) fn is_named(&self, by: fn(&str) -> bool) -> bool {
        self.form == Form::Pair && by(self.name())
    }

    /// Whether it is the answer to a question beside it, which is its introduction.
    pub(super) fn answers_question(&self) -> bool {
        is_question(&self.lead)
    }

    /// The words to show: the introduction, if there is one, and the statement.
    pub(super) fn shown(&self) -> String {
        match self.lead.as_str() {
            "" => self.text.clone(),
            lead => Words::spaced(lead) + &self.text,
        }
    }
}

/// What the lines read so far say about the next one.
#[derive(Default)]
struct Context {
    /// The heading above and, if that is a label, the headings above it.
    heading: String,
    above: String,
    /// The term above, as in a list of definitions, that everything below it may be about.
    defined: String,
    /// The line or sentence that introduces what follows: it ends in a colon, or announces a list.
    lead: String,
    /// Whether a list has begun below the lead.
    listed: bool,
    /// The indentation of an item that is a term, explained by the items below it, and the lead before the term.
    term: Option<(usize, String)>,
    /// The question of a question-and-answer pair, until its answer is read.
    question: String,
    /// The columns of the table that is being read.
    columns: Vec<String>,
    /// The last sentence of running text, which introduces code.
    last: String,
}

impl Context {
    /// The statement in `range`, below the headings so far.
    fn statement(&self, range: Range<usize>, form: Form, lead: String, text: String) -> Statement {
        let (heading, above) = (self.heading(&lead), self.above.clone());
        Statement { range, form, heading, above, lead, text, number: None }
    }

    /// The context of the text below a label.
    fn below(&self, label: &str) -> Context {
        let above = [self.above.as_str(), self.heading.as_str()].into_iter().filter(|one| !one.is_empty());
        let marks = |c: char| !c.is_alphanumeric() && !matches!(c, '(' | '（' | '「' | '“' | '"');
        let heading = plain(label).trim_end_matches(['.', '。', ' ']).trim_start_matches(marks).to_owned();
        Context { heading, above: above.collect::<Vec<_>>().join(" › "), ..Context::default() }
    }

    /// The heading of a statement: the heading above and the defined term, unless the lead already names that.
    fn heading(&self, lead: &str) -> String {
        match (self.heading.as_str(), self.defined.as_str()) {
            (heading, "") => heading.to_owned(),
            (heading, defined) if lead.contains(defined) => heading.to_owned(),
            ("", defined) => defined.to_owned(),
            (heading, defined) => format!("{heading} › {defined}"),
        }
    }
}

/// The statements of a passage, in its order.
pub(super) fn statements(card: &EvidenceCard) -> Vec<Statement> {
    statements_below_columns(card, Vec::new()).0
}

/// The statements of the passage at `index` of `cards`, in its order. Rows of a table that begins in another passage
/// have the names of that table's columns.
pub(super) fn statements_in(cards: &[EvidenceCard], index: usize) -> Vec<Statement> {
    statements_and_columns(cards, index).0
}

/// The statements of all passages of the document at `path`, in its order, each with the index of its passage.
pub(super) fn statements_of(cards: &[EvidenceCard], path: &str) -> impl Iterator<Item = (usize, Statement)> {
    let mut own: Vec<usize> = (0..cards.len()).filter(|&index| cards[index].path == path).collect();
    own.sort_by_key(|&index| (cards[index].at, index));
    own.into_iter().flat_map(|index| statements_in(cards, index).into_iter().map(move |one| (index, one)))
}

fn statements_and_columns(cards: &[EvidenceCard], index: usize) -> (Vec<Statement>, Vec<String>) {
    let card = &cards[index];
    let line = card.text.lines().next().unwrap_or_default().trim();
    let begins_in_table = cells(line).is_some();
    let is_before = |&other: &usize| {
        let other = &cards[other];
        let is_same = (&other.collection, &other.path, &other.place) == (&card.collection, &card.path, &card.place);
        is_same && other.at < card.at
    };
    let before = (0..cards.len()).filter(|other| begins_in_table && is_before(other));
    let before = before.max_by_key(|&other| cards[other].at);
    let columns = before.map(|before| statements_and_columns(cards, before).1).unwrap_or_default();
    statements_below_columns(card, columns)
}

/// The statements of a passage, in its order, and the columns of the table that it ends with. Rows that it begins with
/// stand below `columns`.
fn statements_below_columns(card: &EvidenceCard, columns: Vec<String>) -> (Vec<Statement>, Vec<String>) {
    let text = card.text.as_str();
    // A line equal to a known heading is a heading, whatever it looks like.
    let known: BTreeSet<String> = card.headings.all().map(|heading| plain(heading)).collect();
    let mut found = Vec::new();
    let mut context = Context { columns, ..Context::default() };
    let lines = lines(text);
    let is_known = |line: &str, at: usize| {
        known.contains(line) || repeats_title(line, &card.title) && !is_of_sheet(text, &lines, at)
    };
    let mut fenced = begins_in_code(text, &lines);
    let are_minutes = are_minutes(&card.title);
    let has_clauses = LazyCell::new(|| [false, true].map(|numbered| has_clauses(text, numbered)));
    let title = |line: &str| match are_minutes {
        true => item_title(line),
        false => clause_label(line).filter(|_| has_clauses[usize::from(is_numbered(line))]),
    };
    let mut at = if card.at == 0 { behind_front_matter(text, &lines) } else { 0 };
    while let Some(line) = lines.get(at).cloned() {
        let trimmed = text[line].trim();
        if is_fence(trimmed) {
            if fenced {
                // The code that the lead announced has come.
                context.lead.clear();
            }
            fenced = !fenced;
            at += 1;
            continue;
        }
        if trimmed.is_empty() {
            context.columns.clear();
            at += 1;
            continue;
        }
        let passed = if fenced { 0 } else { skipped_line_count(text, &lines, at) };
        if passed > 0 {
            at += passed;
            continue;
        }
        if fenced || is_root_prompt(trimmed) {
            let end = if fenced { block_end(text, &lines, at) } else { at + 1 };
            code(text, &lines[at..end], &context, &mut found);
            at = end;
        } else if is_known(&plain(trimmed.trim_matches(['#', '=', '*', ' '])), at)
            || is_heading(trimmed) && cells(trimmed).is_none()
        {
            let heading = unbracketed(trimmed.trim_matches(['#', '=', '*', ' ']));
            let heading = plain(heading.trim_start_matches(HEADING_MARKS).trim_start());
            // A rule divides the text above from the text below and names nothing.
            let heading = if heading.contains(char::is_alphanumeric) { heading } else { String::new() };
            let question = if is_question(&heading) { unnumbered(&heading).to_owned() } else { String::new() };
            context = Context { heading, question, ..Context::default() };
            at += 1;
        } else if let Some(cells) = cells(trimmed) {
            line_of_table(text, &lines, at, &cells, &mut context, &mut found);
            at += 1;
        } else {
            context.columns.clear();
            at = paragraph_at(text, &lines, at, title, &mut context, &mut found);
        }
    }
    (without_introductions(found), context.columns)
}

/// The index of the first line behind the front matter, the fields above a document's text. Without a field it is text
/// between two rules.
fn behind_front_matter(text: &str, lines: &[Range<usize>]) -> usize {
    let is_border = |line: &Range<usize>| text[line.clone()].trim_end() == "---";
    let end = lines.first().filter(|first| is_border(first)).and_then(|_| lines.iter().skip(1).position(is_border));
    let has_field = |end: &usize| lines[1..=*end].iter().any(|line| text[line.clone()].contains(':'));
    end.filter(has_field).map_or(0, |end| end + 2)
}

/// Whether the line at `at` is a `key: value` line above another one. A sheet of values has no title of its own, so one
/// of its lines may be taken for it.
fn is_of_sheet(text: &str, lines: &[Range<usize>], at: usize) -> bool {
    let is_value = |line: &Range<usize>| pair(text[line.clone()].trim()).is_some();
    lines[at..].iter().take(2).filter(|line| is_value(line)).count() == 2
}

/// Reads the line of a table at `at`: a row, the names of the columns, or the rule between them.
fn line_of_table(
    text: &str,
    lines: &[Range<usize>],
    at: usize,
    cells: &[&str],
    context: &mut Context,
    found: &mut Vec<Statement>,
) {
    let line = |at: usize| lines.get(at).map_or("", |line| text[line.clone()].trim());
    if is_rule(line(at)) {
        return;
    }
    let is_first = at.checked_sub(1).is_none_or(|before| looks::cells(line(before)).is_none());
    let below = line(at + 1);
    let is_named = || is_rule(below) || looks::cells(below).is_some_and(|below| names_columns(cells, &below));
    if is_first && context.columns.len() != cells.len() && is_named() {
        context.columns = cells.iter().map(|cell| plain(cell)).collect();
    } else {
        row(trimmed_range(text, &lines[at]), cells, context, found);
    }
}

/// Leaves out the statements that only announce the next one: that has them as its lead.
fn without_introductions(found: Vec<Statement>) -> Vec<Statement> {
    let introduced: BTreeSet<usize> = (1..found.len())
        .filter(|&at| found[at].lead == found[at - 1].text && announces(&found[at - 1].text))
        .map(|at| at - 1)
        .collect();
    let told = found.into_iter().enumerate().filter(|(at, _)| !introduced.contains(at));
    told.map(|(_, statement)| statement).collect()
}

/// The bytes between the fences of each block of code.
pub(super) fn fenced(text: &str) -> Vec<Range<usize>> {
    let lines = lines(text);
    let fences = fences(text, &lines);
    let opening = &fences[usize::from(begins_in_code(text, &lines))..];
    let start_of = |&at: &usize| lines[at].start;
    opening.chunks(2).map(|block| lines[block[0]].end..block.get(1).map_or(text.len(), start_of)).collect()
}

/// The indices of the lines that open or close a block of code.
fn fences(text: &str, lines: &[Range<usize>]) -> Vec<usize> {
    (0..lines.len()).filter(|&at| is_fence(text[lines[at].clone()].trim())).collect()
}

/// Whether a passage begins inside a block of code that an earlier passage opens: its number of fences is odd, and the
/// first one names no language and stands below a line that is not blank.
fn begins_in_code(text: &str, lines: &[Range<usize>]) -> bool {
    let trimmed = |line: &Range<usize>| text[line.clone()].trim();
    let fences = fences(text, lines);
    let Some(&first) = fences.first().filter(|_| !fences.len().is_multiple_of(2)) else { return false };
    let is_bare = trimmed(&lines[first]).chars().all(|mark| matches!(mark, '`' | '~'));
    is_bare && first > 0 && !trimmed(&lines[first - 1]).is_empty()
}

/// The byte ranges of the lines of `text`, without line ends and without quote marks.
fn lines(text: &str) -> Vec<Range<usize>> {
    let mut start = 0;
    text.split_inclusive('\n')
        .map(|line| {
            let marks = line.len() - unquoted(line).len();
            let range = start + marks..start + line.trim_end_matches(['\n', '\r']).len().max(marks);
            start += line.len();
            range
        })
        .collect()
}

fn trimmed_range(text: &str, line: &Range<usize>) -> Range<usize> {
    let raw = &text[line.clone()];
    let start = line.start + (raw.len() - raw.trim_start().len());
    start..start + raw.trim().len()
}

/// The end of the lines of code, from line `at` on, that form one statement: a short block without comments is a
/// sequence of steps; otherwise each line stands for itself.
fn block_end(text: &str, lines: &[Range<usize>], at: usize) -> usize {
    let line = |at: usize| lines.get(at).map_or("", |line| text[line.clone()].trim());
    let begins = at.checked_sub(1).is_none_or(|before| is_fence(line(before)));
    let rest = lines[at..].iter().map(|range| text[range.clone()].trim());
    let length = rest.take_while(|line| !line.is_empty() && !is_fence(line)).count();
    let closes = lines.get(at + length).is_none_or(|range| is_fence(text[range.clone()].trim()));
    let is_plain = (at..at + length).all(|at| !line(at).starts_with("//") && !line(at).contains('#'));
    if begins && closes && is_plain && (1..=STEPS).contains(&length) { at + length } else { at + 1 }
}

/// Adds lines of code as one statement, introduced by the text before them. Comments and lines without letters state
/// nothing.
fn code(text: &str, lines: &[Range<usize>], context: &Context, found: &mut Vec<Statement>) {
    let mut range: Option<Range<usize>> = None;
    let mut shown: Vec<String> = Vec::new();
    for line in lines {
        let command = text[line.clone()].trim_start_matches(['$', '>', '%', ' ']).trim();
        let command = if is_root_prompt(command) { command.trim_start_matches(['#', ' ']) } else { command };
        if command.starts_with('#') || command.starts_with("//") || !command.chars().any(char::is_alphabetic) {
            continue;
        }
        let start = line.start + text[line.clone()].find(command).unwrap_or(0);
        range = Some(range.map_or(start, |range| range.start)..start + command.len());
        shown.push(format!("`{}`", one_line(command).replace('`', "'")));
    }
    let lead = if context.lead.is_empty() { &context.last } else { &context.lead };
    let lead = if word_count(lead) <= LEAD_WORDS { lead.clone() } else { String::new() };
    if let Some(range) = range {
        found.push(context.statement(range, Form::Code, lead, shown.join(" ")));
    }
}

fn row(range: Range<usize>, cells: &[&str], context: &Context, found: &mut Vec<Statement>) {
    let columns = &context.columns;
    let named = columns.len() == cells.len() && columns.iter().any(|name| !name.is_empty());
    let values: Vec<String> = cells
        .iter()
        .enumerate()
        .map(|(index, cell)| (columns.get(index).filter(|_| named), plain(cell).replace(BETWEEN_CELLS, ", ")))
        .filter(|(_, value)| !value.is_empty())
        .map(|(column, value)| match column.filter(|name| !name.is_empty()) {
            Some(name) => format!("{name}: {value}"),
            None => value,
        })
        .collect();
    // Two cells without column names are a name and its value.
    let joint = if values.len() == 2 && !named { ": " } else { BETWEEN_CELLS };
    if !values.is_empty() {
        found.push(context.statement(range, Form::Row, String::new(), values.join(joint)));
    }
}

#[cfg(test)]
mod tests;
