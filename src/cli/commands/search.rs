use std::sync::Arc;

use serde_json::{Value, json};

use crate::base::text::one_line;
use crate::cli::args::SearchArgs;
use crate::cli::context::Context;
use crate::cli::terminal::{Ink, Terminal, write_json, write_result};
use crate::cli::{CliError, ExitStatus};
use crate::domain::Hit;
use crate::report::repeats_title;
use crate::retrieval::SearchRequest;

/// Shows the best passages, and why each is ranked where it is.
pub(super) fn run(args: &SearchArgs, context: &Context) -> Result<ExitStatus, CliError> {
    if !args.query.chars().any(char::is_alphanumeric) {
        let hint = "write what to look for, as in: deepsearch search \"box office\"";
        return Err(CliError::usage("the query is empty").with_hint(hint));
    }
    let query = super::query::asked(&args.query)?;
    let filter = args.filter.filter()?;
    let app = context.app(args.flags())?;
    let request =
        SearchRequest { query, collections: args.collection.clone(), mode: args.mode.into(), k: app.config().search.k };
    let hits = context.block_on(async { Ok(app.search(request, filter, Arc::new(|| true)).await?) })?;
    if args.json {
        write_json(&hits.iter().map(as_json).collect::<Vec<_>>())?;
    } else {
        let blocks: Vec<String> =
            hits.iter().enumerate().map(|(at, hit)| block(at + 1, hit, &context.terminal)).collect();
        write_result(&blocks.join("\n"))?;
    }
    if hits.is_empty() {
        context.terminal.note("nothing was found");
        return Ok(ExitStatus::NothingFound);
    }
    Ok(ExitStatus::Done)
}

/// The known parts of the score, each with its name.
fn reasons(hit: &Hit) -> String {
    let parts = [
        ("lexical", hit.parts.lexical),
        ("semantic", hit.parts.semantic),
        ("re-rank", hit.parts.rerank),
        ("answer", hit.parts.answer),
        ("reader", hit.parts.reader),
    ];
    let known: Vec<String> =
        parts.iter().filter_map(|(name, score)| Some(format!("{name} {:.3}", (*score)?))).collect();
    known.join(", ")
}

/// The page and headings of a passage. A heading that supplied the document's title is left out, since the title is
/// shown beside it.
fn place(hit: &Hit) -> String {
    let page = hit.page().map(|page| format!("page {page}"));
    let headings = hit.headings().into_iter().skip_while(|heading| repeats_title(heading, &hit.chunk.title));
    let parts: Vec<String> = page.into_iter().chain(headings).collect();
    parts.join(" › ")
}

fn address(hit: &Hit) -> String {
    format!("{}#{}", hit.chunk.id.document, hit.chunk.id.ordinal)
}

fn block(number: usize, hit: &Hit, terminal: &Terminal) -> String {
    let place = place(hit);
    let separator = if place.is_empty() { "" } else { "  " };
    let why = terminal.paint_result(Ink::Faint, &format!("{:.3} = {}", hit.score, reasons(hit)));
    format!(
        "{number}. {}{separator}{place}\n   {}  {}  {}\n   {why}\n   {}\n{}",
        terminal.paint_result(Ink::Strong, &hit.chunk.title),
        address(hit),
        hit.chunk.path,
        hit.chunk.collection,
        hit.snippet(),
        answer(hit, terminal)
    )
}

/// The beginning of the answer, with the words around it.
fn answer(hit: &Hit, terminal: &Terminal) -> String {
    let Some(range) = &hit.answer else { return String::new() };
    let text = &hit.chunk.text;
    let from = text.ceil_char_boundary(range.start.saturating_sub(60));
    let to = text.floor_char_boundary(range.end.saturating_add(60).min(text.len()));
    let part = |range: std::ops::Range<usize>| text.get(range).unwrap_or_default();
    let word = terminal.paint_result(Ink::Strong, &format!("[{}]", part(range.clone())));
    let around = format!("{}{word}{}", part(from..range.start), part(range.end..to));
    format!("   answer: {}\n", one_line(&around))
}

fn as_json(hit: &Hit) -> Value {
    json!({
        "document": hit.chunk.id.document.to_string(),
        "chunk": address(hit),
        "collection": hit.chunk.collection,
        "path": hit.chunk.path,
        "title": hit.chunk.title,
        "date": hit.chunk.date,
        "page": hit.page(),
        "headings": hit.headings(),
        "bytes": [hit.chunk.range.start, hit.chunk.range.end],
        "score": hit.score,
        "parts": hit.parts,
        "text": hit.chunk.text,
        "answer": hit.answer.as_ref().map(|range| [range.start, range.end]),
        "highlights": hit.highlights.iter().map(|range| [range.start, range.end]).collect::<Vec<_>>(),
    })
}
