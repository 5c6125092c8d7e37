//! Writes a report by a user's template: another order, a letterhead, a house style.

mod markup;
#[cfg(test)]
mod tests;

use std::path::Path;

use minijinja::{AutoEscape, Environment, Output, State, Value, context};

pub(super) use self::markup::{Marked, Markup};
use super::model::{Block, Disagreement, Evidence, FormedReport, Inline, Sentence, plain, sentences_in};
use super::words::is_right_to_left;
use crate::domain::{Coverage, DocumentName};
use crate::prompt::{TemplateError, check_variables, environment};
use crate::report::Record;

/// The variables that a template gets; `docs/reports.md` explains each.
const VARIABLES: [&str; 14] = [
    "title",
    "question",
    "date",
    "language",
    "right_to_left",
    "sections",
    "sources",
    "references",
    "disagreements",
    "coverage",
    "research",
    "account",
    "record",
    "program",
];
/// The name by which the engine knows the template.
const NAME: &str = "template";

/// A template that was read and checked.
pub struct Template {
    environment: Environment<'static>,
    file: String,
    markup: Markup,
}

impl Template {
    /// Reads a template. Its name and that of its output file decide what is escaped: HTML if one of them is HTML or
    /// XML, else Markdown if one of them is Markdown, else nothing.
    pub fn open(path: &Path, output: Option<&Path>) -> Result<Template, TemplateError> {
        let source =
            std::fs::read_to_string(path).map_err(|source| TemplateError::Io { path: path.to_owned(), source })?;
        Template::of(&path.display().to_string(), source, Markup::of(path, output))
    }

    fn of(file: &str, source: String, markup: Markup) -> Result<Template, TemplateError> {
        let wrong = |error: minijinja::Error| TemplateError::wrong(file, &error);
        let mut environment = environment()?;
        // With escaping on, the engine marks what a macro returns as escaped already.
        environment.set_auto_escape_callback(move |_| match markup {
            Markup::Html => AutoEscape::Html,
            Markup::Markdown => AutoEscape::Custom("markdown".into()),
            Markup::Plain => AutoEscape::None,
        });
        environment.set_formatter(move |out, state, value| print(out, state, value, markup));
        environment.add_template_owned(NAME, source.clone()).map_err(wrong)?;
        let used = environment.get_template(NAME).map_err(wrong)?.undeclared_variables(false);
        let functions: Vec<&str> = environment.globals().map(|(name, _)| name).collect();
        let mut used: Vec<&str> = used.iter().map(String::as_str).filter(|name| !functions.contains(name)).collect();
        used.sort_unstable();
        check_variables(file, &source, used, &VARIABLES)?;
        Ok(Template { environment, file: file.to_owned(), markup })
    }

    /// The report as the template renders it.
    pub(super) fn render(&self, report: &FormedReport) -> Result<String, TemplateError> {
        let wrong = |error: minijinja::Error| TemplateError::wrong(&self.file, &error);
        let template = self.environment.get_template(NAME).map_err(wrong)?;
        let text = template.render(values(report, self.markup));
        let text = text.map_err(|error| wrong(error).within(template.source()))?;
        Ok(format!("{}\n", text.trim_end()))
    }
}

/// Prints a value as escaped text, unless it is this program's own markup; an unknown value prints nothing.
fn print(out: &mut Output<'_>, _: &mut State<'_, '_>, value: &Value, markup: Markup) -> Result<(), minijinja::Error> {
    if value.is_none() {
        return Ok(());
    }
    let text = value.to_string();
    out.write_str(&if value.is_safe() { text } else { markup.text(&text) }).map_err(minijinja::Error::from)
}

fn values(report: &FormedReport, markup: Markup) -> Value {
    let marked = Marked { report, markup };
    let code = report.language.code();
    let (_, record) = report.markdown.split_at(Record::split(&report.markdown).0.len());
    context! {
        title => report.title.as_str(),
        question => report.question.as_str(),
        date => report.written.map(|written| written.strftime("%Y-%m-%d").to_string()),
        language => report.language.tag(),
        right_to_left => is_right_to_left(code),
        sections => sections(marked),
        sources => report.evidence.iter().map(source).collect::<Vec<_>>(),
        references => safe(marked.blocks(&report.references)),
        disagreements => disagreements(marked),
        coverage => report.coverage.as_ref().map(coverage),
        research => research(report),
        account => safe(marked.blocks(&report.account)),
        record => safe(record.trim().to_owned()),
        program => format!("deepsearch {}", env!("CARGO_PKG_VERSION")),
    }
}

fn safe(text: String) -> Value {
    Value::from_safe_string(text)
}

/// The sections of the text, by headings. The text above the first heading is a section without one.
fn sections(marked: Marked<'_>) -> Vec<Value> {
    let blocks = &marked.report.blocks;
    let is_heading = |block: &Block| matches!(block, Block::Heading { .. });
    let mut found = Vec::new();
    let mut start = 0;
    while start < blocks.len() {
        let heading = match &blocks[start] {
            Block::Heading { level, words } => Some((*level, words)),
            _ => None,
        };
        let from = start + usize::from(heading.is_some());
        let end = blocks[from..].iter().position(is_heading).map_or(blocks.len(), |at| from + at);
        let mut sentences = Vec::new();
        sentences_in(&blocks[from..end], &mut sentences);
        found.push(context! {
            level => heading.map_or(0, |(level, _)| level),
            heading => heading.map(|(_, words)| plain(words)),
            body => safe(marked.blocks(&blocks[from..end])),
            sentences => sentences.into_iter().map(|one| sentence(marked, one)).collect::<Vec<_>>(),
        });
        start = end;
    }
    found
}

fn sentence(marked: Marked<'_>, one: &Sentence) -> Value {
    context! {
        text => without_citations(&one.words),
        marked => safe(marked.sentences(std::slice::from_ref(one))),
        cites => one.cites.clone(),
        documents => marked.report.number_of_documents(one),
        uncited => one.words.contains(&Inline::Uncited),
    }
}

/// The words of a sentence without its citations.
fn without_citations(words: &[Inline]) -> String {
    let mut text = String::new();
    for word in words {
        if matches!(word, Inline::Cite(_) | Inline::Uncited) {
            text.truncate(text.trim_end().len());
        }
        text.push_str(&plain(std::slice::from_ref(word)));
    }
    text.trim().to_owned()
}

fn source(one: &Evidence) -> Value {
    context! {
        number => one.number,
        title => one.title.as_str(),
        path => one.path.as_str(),
        collection => one.collection.as_str(),
        page => one.page,
        line => one.line,
        headings => one.headings.as_str(),
        date => one.date.clone(),
        notes => one.notes.clone(),
        before => one.before.as_str(),
        quote => one.quote.as_str(),
        after => one.after.as_str(),
        address => one.address.clone(),
        hash => one.hash.clone(),
    }
}

fn disagreements(marked: Marked<'_>) -> Vec<Value> {
    let all = marked.report.blocks.iter().filter_map(|block| match block {
        Block::Disagreements(all) => Some(all),
        _ => None,
    });
    let one = |one: &Disagreement| {
        let sides = one.sides.iter().map(|side| {
            context! {
                figure => side.figure.as_str(),
                date => marked.report.date_of(side),
                sentences => side.sentences.iter().map(|one| sentence(marked, one)).collect::<Vec<_>>(),
            }
        });
        context! { on => plain(&one.on), sides => sides.collect::<Vec<_>>() }
    };
    all.flatten().map(one).collect()
}

fn coverage(coverage: &Coverage) -> Value {
    let paths = |list: &[DocumentName]| list.iter().map(|one| one.path.clone()).collect::<Vec<String>>();
    context! {
        cited => paths(&coverage.cited),
        read => paths(&coverage.read),
        matched => paths(&coverage.matched),
        unmatched => paths(&coverage.unmatched),
        unlisted => coverage.unlisted,
        unreadable => coverage.unreadable.clone(),
    }
}

fn research(report: &FormedReport) -> Value {
    let searches =
        |round: &super::ResearchRound| round.searches.iter().map(|one| one.words.clone()).collect::<Vec<_>>();
    let research = &report.research;
    let round = |round: &super::ResearchRound| {
        context! { name => round.name.as_str(), brought => round.brought.as_str(), searches => searches(round) }
    };
    context! {
        documents => research.documents,
        found => research.found,
        cited => research.cited,
        rounds => research.rounds.iter().map(round).collect::<Vec<_>>(),
        skipped => research.skipped.clone(),
    }
}
