//! Web pages: the words of the main part, with headings, lists, tables and preformatted blocks as text.
//!
//! A page that nests absurdly deep is flattened (`flatten`). It is then parsed into a tree, surveyed once for how much
//! text each element holds (`survey`), and walked once to write its main part (`writer`). Nothing recurses, since the
//! page decides how deep it nests.

mod elements;
mod flatten;
mod metadata;
mod survey;

use ego_tree::iter::Edge;
use scraper::node::Element;
use scraper::{Html, Node};

use super::writer::{Kind, Writer};
use super::{ParseError, Parsed};
pub(super) use flatten::RAW;
pub use flatten::flatten as flattened;
use survey::Survey;

/// Extracts a page's words and structure.
pub(super) fn parse(text: &str) -> Result<Parsed, ParseError> {
    let page = Html::parse_document(&flatten::flatten(text));
    let strict = Survey::of(&page, false);
    let mut parsed = extract(&page, &strict);
    if parsed.text.is_empty() {
        // A page with nothing but navigation, such as a table of contents, is still worth finding.
        parsed = extract(&page, &Survey::of(&page, true));
    }
    if parsed.text.is_empty() {
        return Err(ParseError::Empty { hint: " (the page has no words of its own; a script may write them)".into() });
    }
    parsed.title = metadata::title(&page).or_else(|| parsed.first_heading());
    parsed.date = metadata::date(&page);
    parsed.language = metadata::language(&page);
    parsed.authorship = metadata::authorship(&page);
    Ok(parsed)
}

/// Extracts a page without a site around it: all of it is text.
pub(super) fn parse_chapter(text: &str) -> Parsed {
    let page = Html::parse_document(&flatten::flatten(text));
    extract(&page, &Survey::whole(&page))
}

/// Writes the main part that the survey found.
fn extract(page: &Html, survey: &Survey) -> Parsed {
    let mut writer = Writer::default();
    // The element whose content is being skipped.
    let mut skipped = None;
    let Some(root) = page.tree.get(survey.main) else { return Parsed::default() };
    for edge in root.traverse() {
        match edge {
            Edge::Open(_) if skipped.is_some() => {}
            Edge::Close(node) if skipped.is_some() => {
                if skipped == Some(node.id()) {
                    skipped = None;
                }
            }
            Edge::Open(node) => match node.value() {
                Node::Text(words) => {
                    let mut around = node.ancestors().take(2).filter_map(|above| above.value().as_element());
                    let is_raised = around.clone().next().is_some_and(is_raised);
                    let mark = words.trim();
                    if around.any(elements::refers_to_note) && is_short(mark) {
                        writer.text(&format!("[^{mark}]"));
                    } else if is_raised && is_mark(mark, writer.is_in_cell()) {
                        writer.text(&format!("^{mark}"));
                    } else {
                        writer.text(words);
                    }
                }
                Node::Element(element) if survey.skips(node.id(), element) => skipped = Some(node.id()),
                Node::Element(element) => {
                    let kind = Kind::of(node, element);
                    writer.open(kind, survey.is_layout(node.id()), element.attr("alt").unwrap_or_default());
                    if kind == Kind::Cell {
                        let span =
                            |name: &str| element.attr(name).and_then(|span| span.trim().parse().ok()).unwrap_or(1);
                        writer.spans(span("rowspan"), span("colspan"), element.name() == "th");
                    }
                }
                _ => {}
            },
            Edge::Close(node) => {
                let Node::Element(element) = node.value() else { continue };
                writer.close(Kind::of(node, element));
            }
        }
    }
    let (text, headings) = writer.finish();
    Parsed { text, headings, ..Parsed::default() }
}

fn is_raised(element: &Element) -> bool {
    element.name() == "sup"
}

/// Whether words are a note's number or sign without brackets.
fn is_short(mark: &str) -> bool {
    (1..4).contains(&mark.chars().count()) && !mark.contains(['[', ']', ' '])
}

/// Whether raised words are an exponent or a note's mark, which would otherwise be read as part of the figure or word
/// before it: a number or, in a table, a letter.
fn is_mark(words: &str, in_cell: bool) -> bool {
    let digits = words.trim_start_matches(['-', '−', '+']);
    let is_number = !digits.is_empty() && digits.len() < 4 && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_number || in_cell && words.len() == 1 && words.bytes().all(|byte| byte.is_ascii_alphabetic())
}

#[cfg(test)]
mod tests;
