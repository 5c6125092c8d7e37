//! Text documents of Office Open XML: paragraphs, headings, lists with their numbers, tables, notes and comments of the body.
//!
//! Deleted and moved text, repetitions (the fallback of a drawing, a table of contents, the headers of pages) and
//! hidden text are left out. Pages are where the program that wrote the file last broke them; a file that does not
//! record this has pages only if the breaks that its author set account for all of them.

mod numbers;
mod resolved;
mod styles;

use std::collections::BTreeMap;

use self::numbers::Numbers;
use self::styles::{Role, Styles};
use super::compose::{Composer, Opened, is_description};
use super::lost::LostParts;
use super::writer::Kind;
use super::xml::{self, Element, Node, Skipping};
use super::zip::{Package, read_optional_part};
use super::{ParseError, Parsed, label, opc};
use crate::domain::Heading;

const FORMAT: &str = "DOCX";

/// Elements whose content is skipped. `pPrChange` holds the properties of a paragraph before a change, and `rt` the
/// reading above a word, which would split the word.
const SKIPPED: &[&str] =
    &["Fallback", "moveFrom", "del", "instrText", "rPr", "pPrChange", "sectPr", "tblPr", "tblGrid", "trPr", "rt"];

/// Extracts a document.
pub(super) fn parse(bytes: &[u8]) -> Result<Parsed, ParseError> {
    let mut package = Package::open(bytes, FORMAT)?;
    let mut lost = LostParts::default();
    let properties = lost.or_default(opc::properties(&mut package, FORMAT), "its properties");
    let main = opc::main_part(&mut package, FORMAT)?;
    let parts = opc::relationships(&mut package, &main, FORMAT)?;
    let mut part = |kind: &str| opc::part(&mut package, &parts, kind);
    let styles = lost.or_default(read_optional_part(part("styles"), styles::read), "its styles");
    let numbers = lost.or_default(read_optional_part(part("numbering"), numbers::read), "the numbers of its lists");
    let footnotes = lost.or_default(read_optional_part(part("footnotes"), notes), "its footnotes");
    let endnotes = lost.or_default(read_optional_part(part("endnotes"), notes), "its endnotes");
    let comments = lost.or_default(read_optional_part(part("comments"), notes), "its comments");
    let body = package.require(&main)?;
    let breaks_are_rendered = contains(&body, b"lastRenderedPageBreak");
    let mut reader =
        Reader { styles, numbers, footnotes, endnotes, comments, breaks_are_rendered, ..Reader::default() };
    xml::walk(body, FORMAT, |node| {
        reader.visit(&node);
        Ok(())
    })?;
    let mut parsed = reader.composer.finish();
    if !breaks_are_rendered && !parsed.pages.is_empty() {
        let told = lost.or_default(told_pages(&mut package), "the number of its pages");
        if told != Some(parsed.pages.len()) {
            parsed.pages.clear();
        }
    }
    if parsed.text.is_empty() {
        return Err(ParseError::Empty { hint: " (it may hold pictures only)".into() });
    }
    parsed.title = label(&reader.title).or_else(|| parsed.first_heading());
    properties.tell(&mut parsed);
    parsed.lost = lost.told();
    Ok(parsed)
}

/// A document that this program wrote and somebody edited.
#[derive(Debug)]
pub struct EditedText {
    /// The words of the paragraph with the title.
    pub title: Option<String>,
    /// The text as it is now, without its notes; what is marked as deleted is left out.
    pub text: String,
    /// In order of their start.
    pub headings: Vec<Heading>,
    /// The values that the program stored beside the text under a name of its own, by their parts; empty if they are
    /// gone.
    pub kept: BTreeMap<String, String>,
    /// The words whose comments somebody has resolved.
    pub resolved: Vec<String>,
}

/// Reads a document as it is now, and the values that its writer stored in it under `name`.
pub(super) fn edited(bytes: &[u8], name: &str) -> Result<EditedText, ParseError> {
    let mut package = Package::open(bytes, FORMAT)?;
    let main = opc::main_part(&mut package, FORMAT)?;
    let parts = opc::relationships(&mut package, &main, FORMAT)?;
    let mut kept = BTreeMap::new();
    for part in parts.values().filter(|part| part.kind == "customXml") {
        let Some(bytes) = package.read(&part.target)? else { continue };
        if contains(&bytes, name.as_bytes()) {
            kept = xml::values(bytes, FORMAT, &["below", "body", "text"])?;
        }
    }
    let body = xml::text(package.require(&main)?, FORMAT)?;
    let mut part = |kind: &str| opc::part(&mut package, &parts, kind);
    let styles = read_optional_part(part("styles"), styles::read)?;
    let resolved = match (part("comments")?, part("commentsExtended")?) {
        (Some(comments), Some(extended)) => resolved::resolved(comments, extended, &body)?,
        _ => Vec::new(),
    };
    // Without their numbers, the items are still as they were written.
    let numbers = read_optional_part(part("numbering"), numbers::read).unwrap_or_default();
    // The markers of its citations are hidden text.
    let mut reader = Reader { styles, numbers, breaks_are_rendered: true, reads_hidden: true, ..Reader::default() };
    xml::walk_text(&body, FORMAT, |node| {
        reader.visit(&node);
        Ok(())
    })?;
    let title = (!reader.title.is_empty()).then_some(reader.title);
    let Parsed { text, headings, .. } = reader.composer.finish();
    Ok(EditedText { title, text, headings, kept, resolved })
}

/// Whether a property is on; its value may turn it off.
fn is_on(property: &Element<'_>) -> bool {
    !matches!(property.attribute("val").as_deref(), Some("0" | "false" | "off"))
}

fn contains(bytes: &[u8], needle: &[u8]) -> bool {
    bytes.windows(needle.len()).any(|window| window == needle)
}

/// The number of pages that the program that wrote the file counted.
fn told_pages(package: &mut Package<'_>) -> Result<Option<usize>, ParseError> {
    let parts = opc::relationships(package, "", FORMAT)?;
    let Some(bytes) = opc::part(package, &parts, "extended-properties")? else { return Ok(None) };
    Ok(xml::values(bytes, FORMAT, &["Pages"])?.get("Pages").and_then(|pages| pages.trim().parse().ok()))
}

/// The words of each note or comment by its id, after the name of a comment's author. The lines that separate notes
/// from the page are notes too, without words.
fn notes(bytes: Vec<u8>) -> Result<BTreeMap<String, String>, ParseError> {
    let mut notes: BTreeMap<String, String> = BTreeMap::new();
    let mut current = None;
    let mut is_text = false;
    xml::walk(bytes, FORMAT, |node| {
        match node {
            Node::Open(element) => match element.name() {
                "footnote" | "endnote" => current = element.attribute("id"),
                "comment" => {
                    current = element.attribute("id");
                    let author = element.attribute("author").filter(|author| !author.trim().is_empty());
                    if let (Some(id), Some(author)) = (&current, author) {
                        notes.insert(id.clone(), format!("{}:", author.trim()));
                    }
                }
                "t" => is_text = true,
                "p" | "br" | "tab" => {
                    if let Some(id) = &current {
                        notes.entry(id.clone()).or_default().push(' ');
                    }
                }
                _ => {}
            },
            Node::Close("t") => is_text = false,
            Node::Text(words) if is_text => {
                if let Some(id) = &current {
                    notes.entry(id.clone()).or_default().push_str(words);
                }
            }
            Node::Close(_) | Node::Text(_) => {}
        }
        Ok(())
    })?;
    Ok(notes)
}

/// An open paragraph.
#[derive(Default)]
struct Paragraph {
    style: Option<String>,
    outline: Option<u8>,
    /// The level in its list; `Some(None)` if the paragraph says that it is in none.
    list: Option<Option<usize>>,
    /// The id of the list that numbers the paragraph.
    number: Option<String>,
    page_before: bool,
    /// Whether it is the document's title.
    is_title: bool,
    /// How it was begun, once it has words.
    begun: Option<Opened>,
}

#[derive(Default)]
struct Reader {
    styles: Styles,
    numbers: Numbers,
    footnotes: BTreeMap<String, String>,
    endnotes: BTreeMap<String, String>,
    comments: BTreeMap<String, String>,
    breaks_are_rendered: bool,
    composer: Composer,
    /// The open paragraphs: within a text box, a paragraph stands in a paragraph.
    paragraphs: Vec<Paragraph>,
    /// Whether the properties of a paragraph are open.
    in_properties: bool,
    in_text: bool,
    reads_hidden: bool,
    /// Whether the open run is hidden and must not be read.
    is_hidden: bool,
    skipping: Skipping,
    /// The words of the first paragraph in the title's style that has any.
    title: String,
}

impl Reader {
    fn visit(&mut self, node: &Node<'_>) {
        if let Node::Open(element) = node
            && element.name() == "vanish"
            && self.skipping.depth == 1
            && !self.in_properties
        {
            self.is_hidden = is_on(element) && !self.reads_hidden;
        }
        match node {
            _ if self.skipping.skips(node, SKIPPED) => {}
            Node::Open(element) if self.in_properties => self.property(element),
            Node::Open(element) => self.open(element),
            Node::Close("pPr") => self.in_properties = false,
            Node::Close(_) if self.in_properties => {}
            Node::Close(name) => self.close(name),
            Node::Text(words) if self.in_text && !self.is_hidden => self.words(words),
            Node::Text(_) => {}
        }
    }

    /// Reads a property of the open paragraph.
    fn property(&mut self, element: &Element<'_>) {
        let Some(paragraph) = self.paragraphs.last_mut() else { return };
        let value = || element.attribute("val");
        match element.name() {
            "pStyle" => paragraph.style = value(),
            "outlineLvl" => paragraph.outline = value().and_then(|level| level.parse().ok()),
            "ilvl" => paragraph.list = Some(value().and_then(|level| level.parse().ok())),
            // 0 takes a paragraph out of the list into which its style puts it.
            "numId" => {
                paragraph.number = value();
                if paragraph.number.as_deref() == Some("0") {
                    paragraph.list = Some(None);
                } else {
                    paragraph.list = paragraph.list.or(Some(Some(0)));
                }
            }
            "pageBreakBefore" => paragraph.page_before = is_on(element),
            _ => {}
        }
    }

    fn open(&mut self, element: &Element<'_>) {
        match element.name() {
            "p" => self.paragraphs.push(Paragraph::default()),
            "pPr" => self.in_properties = true,
            "r" => self.is_hidden = false,
            "t" => self.in_text = true,
            "tab" | "ptab" => self.words(" "),
            "noBreakHyphen" => self.words("\u{2011}"),
            "br" if element.attribute("type").as_deref() == Some("page") => {
                self.line_break();
                if !self.breaks_are_rendered {
                    self.composer.page();
                }
            }
            "br" | "cr" => self.line_break(),
            "lastRenderedPageBreak" => self.composer.page(),
            "docPr" => {
                if let Some(words) = element.attribute("descr").filter(|words| is_description(words)) {
                    self.words(&format!(" {words} "));
                }
            }
            "footnoteReference" => self.note(element, |reader| &reader.footnotes),
            "endnoteReference" => self.note(element, |reader| &reader.endnotes),
            "commentReference" => self.note(element, |reader| &reader.comments),
            "tbl" => self.composer.open(Kind::Table),
            "tr" => self.composer.open(Kind::Row),
            "tc" => self.composer.open(Kind::Cell),
            "gridSpan" => {
                let columns = element.attribute("val").and_then(|columns| columns.parse().ok()).unwrap_or(1);
                self.composer.spans(1, columns);
            }
            "vMerge" if element.attribute("val").as_deref() != Some("restart") => self.composer.continues(),
            _ => {}
        }
    }

    fn close(&mut self, name: &str) {
        match name {
            "t" => self.in_text = false,
            "p" => {
                if self.paragraphs.last().is_some_and(|paragraph| paragraph.begun.is_none()) {
                    // A paragraph without words is numbered too.
                    self.number();
                }
                let Some(paragraph) = self.paragraphs.pop() else { return };
                paragraph.begun.into_iter().for_each(|begun| self.composer.end(begun));
            }
            "tbl" => self.composer.close(Kind::Table),
            "tr" => self.composer.close(Kind::Row),
            "tc" => self.composer.close(Kind::Cell),
            _ => {}
        }
    }

    fn note(&mut self, element: &Element<'_>, notes: fn(&Reader) -> &BTreeMap<String, String>) {
        let Some(words) = element.attribute("id").and_then(|id| notes(self).get(&id).cloned()) else { return };
        if self.begin() {
            self.composer.note(&words);
        }
    }

    fn words(&mut self, words: &str) {
        if !self.begin() {
            return;
        }
        self.titled(words);
        self.composer.text(words);
    }

    /// Breaks a line; a title on two lines is one title.
    fn line_break(&mut self) {
        self.titled(" ");
        self.composer.open(Kind::Break);
    }

    /// Adds words to the title if its paragraph is open.
    fn titled(&mut self, words: &str) {
        let is_title = self.paragraphs.last().is_some_and(|paragraph| paragraph.is_title);
        if is_title && !(self.title.is_empty() && words.trim().is_empty()) {
            self.title.push_str(words);
        }
    }

    /// The number that the program shows before the open paragraph.
    fn number(&mut self) -> Option<String> {
        let paragraph = self.paragraphs.last()?;
        let style = paragraph.style.as_deref();
        let of_style = style.and_then(|style| self.styles.numbered(style));
        let list = paragraph.number.clone().or_else(|| of_style.map(|numbered| numbered.list.clone()))?;
        let named = || self.numbers.level_of_style(&list, style?);
        let level = paragraph.list.flatten().or_else(|| of_style.and_then(|numbered| numbered.level));
        let level = level.or_else(named).unwrap_or(0);
        self.numbers.next(&list, level)
    }

    /// Begins the open paragraph if it has not begun, and returns whether its words count.
    fn begin(&mut self) -> bool {
        let Some(paragraph) = self.paragraphs.last_mut() else { return true };
        if let Some(begun) = paragraph.begun {
            return begun != Opened::LeftOut;
        }
        let role = paragraph.style.as_deref().and_then(|style| self.styles.role(style));
        let list = paragraph.list.unwrap_or(match role {
            Some(Role::Item(level)) => Some(*level),
            _ => None,
        });
        if paragraph.page_before && !self.breaks_are_rendered {
            self.composer.page();
        }
        paragraph.is_title = role == Some(&Role::Title) && self.title.is_empty();
        let begun = match (paragraph.outline.filter(|&level| level < 9), role, list) {
            (_, Some(Role::Contents), _) => Opened::LeftOut,
            (Some(level), _, _) => Opened::As(Kind::Heading((level + 1).min(6))),
            // To the program, the numbers of headings are lists.
            (None, Some(Role::Heading(level)), _) => Opened::As(Kind::Heading(*level)),
            // A second title heads a document bound behind the first, such as an amendment behind its contract.
            (None, Some(Role::Title), _) if !paragraph.is_title => Opened::As(Kind::Heading(1)),
            (None, _, Some(level)) => Opened::Item(level),
            (None, _, None) => Opened::As(Kind::Block),
        };
        paragraph.begun = Some(begun);
        if !self.composer.begin(begun) {
            return false;
        }
        match self.number() {
            Some(number) if matches!(begun, Opened::Item(_)) => self.composer.number(&number),
            Some(number) => self.composer.text(&format!("{number} ")),
            None => {}
        }
        true
    }
}

#[cfg(test)]
mod tests;
