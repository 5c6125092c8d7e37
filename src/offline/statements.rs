//! What a passage states, piece by piece: sentences, list items with what introduces them, table rows with the names of
//! their columns, `key: value` lines, commands, questions with their answers.
//!
//! Every statement knows the bytes of the passage that it comes from. Which statement answers a question is not decided
//! here.

use std::collections::BTreeSet;
use std::ops::Range;

use super::entities::years;
use super::prose::{plain, whole_sentences};
use super::terms::{shape, word_count};
use crate::base::text::{is_cjk, one_line};
use crate::llm::purpose::EvidenceCard;

/// The longest introduction, in words, that is shown before a list item or a command.
const LEAD_WORDS: usize = 30;

/// The longest answer, in words, that is told whole behind its question.
const ANSWER_WORDS: usize = 45;

/// The most commands of a block that are told together.
const STEPS: usize = 4;

/// The longest name of a `key: value` line, and the longest term of a definition, in words.
const KEY_WORDS: usize = 8;

/// What form a statement has in its document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// A sentence of running text.
    Sentence,
    /// An item of a list.
    Item,
    /// A row of a table.
    Row,
    /// A value behind its name.
    Pair,
    /// A line of code or a command.
    Code,
}

/// One thing that a passage states.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Statement {
    /// Bytes of the passage.
    pub range: Range<usize>,
    /// What form it has there.
    pub form: Form,
    /// The heading within the passage that it stands below; empty where there is none.
    pub heading: String,
    /// What introduces it, on one line and without markup: the line before a list, the question before an answer, the
    /// sentence before a command. Empty where it stands alone.
    pub lead: String,
    /// Its words on one line, without markup; a row's values stand behind the names of their columns.
    pub text: String,
}

impl Context {
    /// The heading of a statement: a term that is explained tells what it is about, unless that introduces it already.
    fn heading(&self, lead: &str) -> String {
        match (self.heading.as_str(), self.defined.as_str()) {
            (heading, "") => heading.to_owned(),
            (heading, defined) if lead.contains(defined) => heading.to_owned(),
            ("", defined) => defined.to_owned(),
            (heading, defined) => format!("{heading} › {defined}"),
        }
    }
}

impl Statement {
    /// The words to show: the introduction, where there is one, and the statement.
    pub(super) fn shown(&self) -> String {
        match self.lead.as_str() {
            "" => self.text.clone(),
            lead => format!("{lead} {}", self.text),
        }
    }
}

/// What the lines so far say of the next one.
#[derive(Default)]
struct Context {
    /// The heading above.
    heading: String,
    /// The term above, as in a list of definitions, of which all that follows may be said.
    defined: String,
    /// The line or sentence that introduces what follows: it ends in a colon, or announces a list.
    lead: String,
    /// Whether a list has begun below it.
    listed: bool,
    /// How far the item is indented that is a term, explained by the items below it, and what introduced it itself.
    term: Option<(usize, String)>,
    /// The question of a question-and-answer pair, until its answer is read.
    question: String,
    /// The columns of the table that is being read.
    columns: Vec<String>,
    /// The last sentence of running text; it introduces code.
    last: String,
}

/// The statements of a passage, in its order.
pub(super) fn statements(card: &EvidenceCard) -> Vec<Statement> {
    stated(&card.text, card.headings.iter().chain([&card.title]))
}

/// The statements of `text`, in its order. A line that is one of `headings` is one, whatever it looks like.
pub(super) fn stated<'h>(text: &str, headings: impl IntoIterator<Item = &'h String>) -> Vec<Statement> {
    let known: BTreeSet<String> = headings.into_iter().map(|heading| plain(heading)).collect();
    let mut found = Vec::new();
    let mut context = Context::default();
    let lines = lines(text);
    let mut fenced = false;
    let mut at = 0;
    if lines.first().is_some_and(|line| text[line.clone()].trim_end() == "---") {
        // Front matter is about the document.
        if let Some(end) = lines.iter().skip(1).position(|line| text[line.clone()].trim_end() == "---") {
            at = end + 2;
        }
    }
    while let Some(line) = lines.get(at).cloned() {
        let raw = &text[line.clone()];
        let trimmed = raw.trim();
        if is_fence(trimmed) {
            fenced = !fenced;
            at += 1;
            continue;
        }
        if trimmed.is_empty() {
            context.columns.clear();
            at += 1;
            continue;
        }
        if !fenced && trimmed.starts_with("<!--") {
            // A comment is for whoever edits the source.
            let rest = lines[at..].iter().position(|line| text[line.clone()].contains("-->"));
            at += rest.unwrap_or(0) + 1;
            continue;
        }
        if !fenced && is_link_target(trimmed) {
            at += 1;
            continue;
        }
        let body = trimmed_range(text, &line);
        if fenced || is_code(raw) {
            let end = if fenced { block_end(text, &lines, at) } else { at + 1 };
            code(text, &lines[at..end], &context, &mut found);
            at = end;
        } else if known.contains(&plain(trimmed.trim_matches(['#', ' '])))
            || is_heading(trimmed)
            || is_bare_heading(text, &lines, at)
        {
            let heading = plain(trimmed.trim_matches(['#', ' ']));
            let question = if is_question(&heading) { heading.clone() } else { String::new() };
            context = Context { heading, question, ..Context::default() };
            at += 1;
        } else if let Some(cells) = cells(trimmed) {
            let is_first =
                at.checked_sub(1).is_none_or(|before| self::cells(text[lines[before].clone()].trim()).is_none());
            let below = lines.get(at + 1).map(|next| text[next.clone()].trim()).unwrap_or_default();
            if is_rule(trimmed) {
                // It only divides the names from the rows.
            } else if is_first && (is_rule(below) || names_columns(&cells, below)) {
                context.columns = cells.iter().map(|cell| plain(cell)).collect();
            } else {
                row(body, &cells, &context, &mut found);
            }
            at += 1;
        } else {
            context.columns.clear();
            let indent = raw.len() - raw.trim_start().len();
            if context.term.as_ref().is_some_and(|(of_term, _)| indent <= *of_term || bullet(trimmed).is_none()) {
                context.lead = context.term.take().map_or(String::new(), |(_, outer)| outer);
            }
            let end = paragraph_end(text, &lines, at);
            if let Some(term) = term(text, &lines, at, end) {
                let outer = std::mem::replace(&mut context.lead, format!("{term}:"));
                context.term = Some((indent, outer));
                at = end;
                continue;
            }
            let last = lines.get(end - 1).map_or(body.end, |last| trimmed_range(text, last).end);
            paragraph(text, body.start..last, &mut context, &mut found);
            let below = lines[end..].iter().map(|next| text[next.clone()].trim()).find(|next| !next.is_empty());
            let is_item = bullet(&text[body.start..last]).is_some();
            if !is_item && below.is_some_and(|below| bullet(below).is_some()) && announces(&context.last) {
                context.lead.clone_from(&context.last);
                context.listed = false;
            }
            at = end;
        }
    }
    // What only announces the next one is told with it.
    let introduced: BTreeSet<usize> = (1..found.len())
        .filter(|&at| found[at].lead == found[at - 1].text && announces(&found[at - 1].text))
        .map(|at| at - 1)
        .collect();
    let told = found.into_iter().enumerate().filter(|(at, _)| !introduced.contains(at));
    told.map(|(_, statement)| statement).collect()
}

/// The lines of `text` as byte ranges without their ends.
fn lines(text: &str) -> Vec<Range<usize>> {
    let mut start = 0;
    text.split_inclusive('\n')
        .map(|line| {
            let range = start..start + line.trim_end_matches(['\n', '\r']).len();
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

/// Where the paragraph ends that begins at line `at`: before a blank line, a line of another form, or the next item.
fn paragraph_end(text: &str, lines: &[Range<usize>], at: usize) -> usize {
    let mut end = at + 1;
    while let Some(line) = lines.get(end) {
        let (raw, before) = (&text[line.clone()], text[lines[end - 1].clone()].trim());
        let trimmed = raw.trim();
        let opens = trimmed.is_empty()
            || is_heading(trimmed)
            || is_link_target(trimmed)
            || is_code(raw)
            || is_fence(trimmed)
            || cells(trimmed).is_some()
            || bullet(trimmed).is_some()
            || pair(trimmed).is_some()
            || pair(before).is_some()
            || before.ends_with([':', '：', '。', '？', '?'])
            || answers(trimmed).is_some();
        if opens {
            break;
        }
        end += 1;
    }
    end
}

/// The item at line `at` where it is a term: short, without the end of a sentence, and explained by items below it that are
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

/// A stretch of running text, an item, a `key: value` line, or one half of a question-and-answer pair.
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
    // A question in running text is answered by what follows it.
    if !is_item && !answered && is_question(&text[body.clone()]) && word_count(&text[body.clone()]) <= LEAD_WORDS {
        context.question = plain(&text[body]);
        return;
    }
    if !is_item && !answered && ends_in_colon(&text[body.clone()]) && word_count(&text[body.clone()]) <= LEAD_WORDS {
        context.lead = plain(&text[body.clone()]);
        context.last.clone_from(&context.lead);
        let defined = context.lead.trim_end_matches([':', '：', ' ']);
        context.defined = if word_count(defined) <= KEY_WORDS { defined.to_owned() } else { String::new() };
        context.listed = false;
        return;
    }
    // A term stands before what explains it, as in a list of definitions; a longer introduction is no part of a paragraph.
    let explained = !is_item && pair(raw).is_none();
    context.listed |= is_item;
    if explained && (context.listed || word_count(&context.lead) > KEY_WORDS) {
        context.lead.clear();
    }
    let asked = !context.question.is_empty();
    let lead = match asked {
        true => std::mem::take(&mut context.question),
        false if explained => std::mem::take(&mut context.lead),
        false => context.lead.clone(),
    };
    if let Some(value) = pair(&text[body.clone()]).filter(|_| !answered) {
        if !value.is_empty() {
            let form = if is_row(&text[body.clone()]) { Form::Row } else { Form::Pair };
            push(text, body, form, context, if is_item { lead } else { String::new() }, found);
        }
        return;
    }
    let mut sentences: Vec<Range<usize>> = whole_sentences(text, body.clone());
    let form = if is_item { Form::Item } else { Form::Sentence };
    if asked && word_count(&text[body.clone()]) <= ANSWER_WORDS {
        // An answer is told whole.
        sentences = vec![body];
    }
    // All that explains a term is said of it.
    let is_term = explained && !asked && lead.ends_with([':', '：']);
    for (index, sentence) in sentences.into_iter().enumerate() {
        context.last = plain(&text[sentence.clone()]);
        let lead = if index == 0 || is_term { lead.clone() } else { String::new() };
        push(text, sentence, form, context, lead, found);
    }
}

fn push(text: &str, range: Range<usize>, form: Form, context: &Context, lead: String, found: &mut Vec<Statement>) {
    let shown = match led(&text[range.clone()]).filter(|_| form == Form::Pair) {
        Some((key, value)) => format!("{}: {}", plain(key), plain(value)),
        None => plain(&text[range.clone()]),
    };
    // What only announces something else states nothing.
    if shown.chars().any(char::is_alphanumeric) && !ends_in_colon(&shown) {
        found.push(Statement { range, form, heading: context.heading(&lead), lead, text: shown });
    }
}

/// Where the lines of code end that are told together from line `at` on: a short block without comments is a sequence of
/// steps; else each line is for itself.
fn block_end(text: &str, lines: &[Range<usize>], at: usize) -> usize {
    let line = |at: usize| lines.get(at).map_or("", |line| text[line.clone()].trim());
    let begins = at.checked_sub(1).is_none_or(|before| is_fence(line(before)));
    let rest = lines[at..].iter().map(|range| text[range.clone()].trim());
    let length = rest.take_while(|line| !line.is_empty() && !is_fence(line)).count();
    let closes = lines.get(at + length).is_none_or(|range| is_fence(text[range.clone()].trim()));
    let is_plain = (at..at + length).all(|at| !line(at).starts_with("//") && !line(at).contains('#'));
    if begins && closes && is_plain && (1..=STEPS).contains(&length) { at + length } else { at + 1 }
}

fn is_fence(line: &str) -> bool {
    line.starts_with("```") || line.starts_with("~~~")
}

/// Lines of code that are told together, introduced by what stands before them. Comments and lone marks state nothing.
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
        let heading = context.heading(&lead);
        found.push(Statement { range, form: Form::Code, heading, lead, text: shown.join(" ") });
    }
}

fn row(range: Range<usize>, cells: &[&str], context: &Context, found: &mut Vec<Statement>) {
    let columns = &context.columns;
    let named = columns.len() == cells.len() && columns.iter().any(|name| !name.is_empty());
    let values: Vec<String> = cells
        .iter()
        .enumerate()
        .map(|(index, cell)| (columns.get(index).filter(|_| named), plain(cell)))
        .filter(|(_, value)| !value.is_empty())
        .map(|(column, value)| match column.filter(|name| !name.is_empty()) {
            Some(name) => format!("{name}: {value}"),
            None => value,
        })
        .collect();
    // Two cells below no names are a value behind its name.
    let joint = if values.len() == 2 && !named { ": " } else { "; " };
    if !values.is_empty() {
        let heading = context.heading("");
        found.push(Statement { range, form: Form::Row, heading, lead: String::new(), text: values.join(joint) });
    }
}

/// The cells of a table's row: at least two, between bars. A bar at one end alone leaves an empty cell there.
fn cells(line: &str) -> Option<Vec<&str>> {
    let inner = line.strip_prefix('|').and_then(|line| line.strip_suffix('|')).unwrap_or(line);
    let is_row = line.starts_with('|') || line.contains(" | ");
    let cells: Vec<&str> = inner.split('|').map(str::trim).collect();
    (is_row && cells.len() > 1).then_some(cells)
}

/// The line of dashes below the names of a table's columns.
fn is_rule(line: &str) -> bool {
    line.contains('-') && line.contains('|') && line.chars().all(|c| matches!(c, '|' | '-' | ':' | ' '))
}

/// Whether a first row without a line of dashes names the columns: short words or years, over a row as wide; in the corner
/// may be nothing. A table of two columns mostly has names in the first and values in the second one.
fn names_columns(row: &[&str], below: &str) -> bool {
    // "Parcel to 5 kg" over "£7.90" is a name; "MX-25" over "MX-40" is a value.
    let is_name = |cell: &str, under: &str| {
        !cell.contains(|c: char| c.is_ascii_digit())
            || !years(cell).is_empty()
            || cell.starts_with(char::is_alphabetic) && shape(cell) != shape(under)
    };
    row.len() > 2
        && cells(below).filter(|next| next.len() == row.len()).is_some_and(|next| {
            row.iter().zip(next).enumerate().all(|(column, (cell, under))| {
                (column == 0 || !cell.is_empty()) && word_count(cell) <= KEY_WORDS && is_name(cell, under)
            })
        })
}

/// A row of a table that is written out: several values behind their names.
fn is_row(line: &str) -> bool {
    line.split("; ").filter(|value| pair(value).is_some()).count() > 1
}

/// The value of a `key: value` line, or of one with dots between both. A sentence that happens to have a colon is none: its
/// key would be long or hold a verb's worth of words.
fn pair(line: &str) -> Option<&str> {
    let line = line.trim();
    let (key, value) = led(line).or_else(|| {
        let at = line.find(": ").or_else(|| line.find('：'))?;
        Some((&line[..at], line[at..].trim_start_matches([':', '：', ' '])))
    })?;
    let is_key = !key.is_empty()
        && word_count(key) <= KEY_WORDS
        && !key.contains(['.', '?', '!', '。', '？', ',', '、', '"', '(', '“', '「'])
        && key.chars().any(char::is_alphabetic)
        && (word_count(key) <= 3 || word_count(value) <= 12);
    is_key.then_some(value)
}

/// What stands before and behind the dots of a line, as in "Goods-in ........ 204".
fn led(line: &str) -> Option<(&str, &str)> {
    let is_leader = |word: &&str| word.chars().all(|c| matches!(c, '.' | '…' | '‥' | '・')) && word.len() > 3;
    let leader = line.split_whitespace().find(is_leader)?;
    let (key, value) = line.split_once(leader)?;
    let (key, value) = (key.trim(), value.trim());
    (!value.is_empty()).then_some((key, value))
}

/// Whether a sentence says that a list or a command follows, as one does that ends in a colon.
pub(super) fn announces(sentence: &str) -> bool {
    word_count(sentence) <= LEAD_WORDS && points_ahead(sentence)
}

/// Whether a sentence, however long, says that something follows.
pub(super) fn points_ahead(sentence: &str) -> bool {
    const FOLLOWS: [&str; 8] = ["次の", "次が", "次に", "次は", "以下", "下記", "following", "as follows"];
    FOLLOWS.iter().any(|word| sentence.contains(word))
}

fn ends_in_colon(text: &str) -> bool {
    text.trim_end().trim_end_matches(['*', '_']).ends_with([':', '：'])
}

/// The length of a list's mark with the space behind it.
fn bullet(line: &str) -> Option<usize> {
    for mark in ["- ", "* ", "+ ", "• ", "· ", "> ", "・", "● ", "○ ", "■ ", "◆ ", "– "] {
        if let Some(rest) = line.strip_prefix(mark) {
            return Some(line.len() - rest.trim_start().len());
        }
    }
    let digits = line.chars().take_while(char::is_ascii_digit).count();
    let rest = &line[digits..];
    let numbered =
        (1..=3).contains(&digits) && (rest.starts_with(". ") || rest.starts_with(") ") || rest.starts_with('．'));
    if numbered {
        let rest = rest.trim_start_matches(['.', ')', '．', ' ']);
        return Some(line.len() - rest.len());
    }
    None
}

/// Whether a text asks: its last sentence does.
fn is_question(text: &str) -> bool {
    let text = text.trim_end_matches(['*', '_', ' ']);
    text.ends_with(['?', '？']) || text.trim_end_matches('。').ends_with('か') && text.chars().any(is_cjk)
}

/// The length of what marks the question of a pair, as in `Q: `, `Q3. ` or `問：`.
fn asks(text: &str) -> Option<usize> {
    marked(text, &["q", "question", "frage", "pregunta", "問", "質問", "Ｑ"])
}

/// The length of what marks the answer of a pair.
fn answers(text: &str) -> Option<usize> {
    marked(text, &["a", "answer", "antwort", "réponse", "respuesta", "答", "回答", "Ａ"])
}

fn marked(text: &str, words: &[&str]) -> Option<usize> {
    let word_end = text.find(|c: char| !c.is_alphabetic()).unwrap_or(text.len());
    if !words.contains(&text[..word_end].to_lowercase().as_str()) && !words.contains(&&text[..word_end]) {
        return None;
    }
    let rest = text[word_end..].trim_start_matches(|c: char| c.is_ascii_digit());
    let after = rest.strip_prefix([':', '：', '.', '．', ')', '）']).or_else(|| rest.strip_prefix('、'))?;
    Some(text.len() - after.trim_start().len())
}

/// A heading of Markdown, or a line of capital letters.
fn is_heading(line: &str) -> bool {
    let marks = line.chars().take_while(|c| *c == '#').count();
    ((1..=6).contains(&marks) && line[marks..].starts_with(' '))
        || line.chars().all(|c| matches!(c, '=' | '-' | '*' | '_' | ' '))
        || (line.chars().filter(|c| c.is_uppercase()).count() > 3
            && !line.chars().any(|c| c.is_lowercase() || c.is_numeric()))
}

/// Whether the line at `at` is a heading without a mark, as parsers of office documents leave it: a short line that ends
/// like no sentence, above a longer one that does.
fn is_bare_heading(text: &str, lines: &[Range<usize>], at: usize) -> bool {
    let line = text[lines[at].clone()].trim();
    let before = at.checked_sub(1).and_then(|before| lines.get(before)).map_or("", |line| text[line.clone()].trim());
    let next = lines[at + 1..].iter().map(|line| text[line.clone()].trim()).find(|line| !line.is_empty());
    let ends = |text: &str| text.ends_with(['.', '!', '?', '。', '！', '？', ':', '：', ',', '、', ';', ')', '）']);
    let wide = line.chars().filter(|&c| is_cjk(c)).count();
    let is_short = if wide > 0 { line.chars().count() <= 20 } else { word_count(line) <= 8 };
    if is_article(line) && is_short {
        return true;
    }
    (before.is_empty() || ends(before))
        && is_short
        && !ends(line)
        && bullet(line).is_none_or(|_| line.starts_with(|c: char| c.is_ascii_digit()))
        && pair(line).is_none()
        && cells(line).is_none()
        && line.chars().next().is_some_and(|c| c.is_uppercase() || c.is_numeric() || is_cjk(c))
        && next.is_some_and(|next| {
            bullet(next).is_none()
                && cells(next).is_none()
                && (next.ends_with('。') && next.chars().count() > 20 || word_count(next) > 10 && !is_heading(next))
        })
}

/// Whether a line is the number of an article with its name in brackets and no more, as `第12条（秘密保持）`.
fn is_article(line: &str) -> bool {
    let number = line.strip_prefix('第').and_then(|rest| rest.split_once(['条', '章', '節', '項']));
    number.is_some_and(|(number, name)| {
        let name = name.trim();
        number.chars().count() <= 6
            && number.chars().all(|c| c.is_numeric() || "一二三四五六七八九十百の".contains(c))
            && (name.is_empty() || name.starts_with(['（', '(']) && name.ends_with(['）', ')']))
    })
}

/// Whether a line is a command behind the prompt of the administrator, and neither a heading nor a comment.
fn is_root_prompt(line: &str) -> bool {
    line.strip_prefix("# ").is_some_and(|rest| {
        rest.starts_with(|c: char| c.is_ascii_lowercase())
            && rest.is_ascii()
            && rest.split(' ').skip(1).any(|word| word.starts_with(['-', '/']) || word.contains("=/"))
    })
}

/// A line that only says where the links of a name lead, as `[#12]: https://example.org/12`.
fn is_link_target(line: &str) -> bool {
    line.strip_prefix('[').and_then(|rest| rest.split_once("]: ")).is_some_and(|(name, target)| {
        !name.contains(']')
            && !name.starts_with('^')
            && target.contains(['/', '.', '#'])
            && !target.trim().contains(' ')
    })
}

/// An indented line or one behind a prompt that is source code or a command.
fn is_code(line: &str) -> bool {
    let body = line.trim();
    if is_root_prompt(body) {
        return true;
    }
    let is_indented = line.starts_with("    ") || line.starts_with('\t');
    let prompted =
        body.strip_prefix("$ ").is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_lowercase() || c == '.'));
    let reads_as_code = body.contains(" --")
        || body.contains(" -")
            && body.starts_with(|c: char| c.is_ascii_lowercase())
            && body.split_whitespace().any(|word| word.starts_with('-') && word.len() > 1)
        || body.ends_with(['{', '}', ';'])
        || body.contains("()");
    prompted || (is_indented && bullet(body).is_none() && reads_as_code && !body.ends_with('.'))
}

#[cfg(test)]
mod tests;
