//! OpenDocument's text documents and presentations, whose content is the same XML.
//!
//! Deleted text, forms and tables of contents are left out. Pages of a text are where the program that wrote the file
//! broke them, and where its author did.

mod styles;

use super::compose::{Composer, Opened, is_description};
use super::lost::LostParts;
use super::properties::Properties;
use super::writer::Kind;
use super::xml::{self, Element, Node, Skipping};
use super::zip::{Package, read_optional_part};
use super::{ParseError, Parsed, label};
use styles::Styles;

/// Elements whose content is skipped.
const SKIPPED: &[&str] = &[
    "tracked-changes",
    "forms",
    "table-of-content",
    "note-citation",
    "ruby-text",
    "binary-data",
    "scripts",
    "font-face-decls",
    "master-styles",
    "footer-decl",
    "header-decl",
    "date-time-decl",
];

/// Extracts a text document or a presentation.
pub(super) fn parse(bytes: &[u8], format: &'static str) -> Result<Parsed, ParseError> {
    let mut package = Package::open(bytes, format)?;
    refuse_encrypted(&mut package, format)?;
    let mut lost = LostParts::default();
    let properties = lost.or_default(properties(&mut package, format), "its properties");
    let mut styles = Styles::default();
    let shared = read_optional_part(package.read("styles.xml"), |part| styles.read(&xml::text(part, format)?, format));
    lost.or_default(shared, "its styles");
    let content = xml::text(package.require("content.xml")?, format)?;
    styles.read(&content, format)?;
    let mut reader = Reader { styles, ..Reader::default() };
    xml::walk_text(&content, format, |node| {
        reader.visit(&node);
        Ok(())
    })?;
    let mut parsed = reader.composer.finish();
    if parsed.text.is_empty() {
        return Err(ParseError::Empty { hint: " (it may hold pictures only)".into() });
    }
    if parsed.pages.is_empty() {
        // A text that records its page breaks and has none is one page.
        parsed.pages.extend(reader.tells_pages.then_some(0));
    }
    parsed.title = label(&reader.title).or_else(|| parsed.first_heading());
    properties.tell(&mut parsed);
    parsed.lost = lost.told();
    Ok(parsed)
}

/// Refuses an encrypted document, which says so in its manifest; its parts are noise.
pub(super) fn refuse_encrypted(package: &mut Package<'_>, format: &'static str) -> Result<(), ParseError> {
    let Some(manifest) = package.read("META-INF/manifest.xml")? else { return Ok(()) };
    xml::walk(manifest, format, |node| match node {
        Node::Open(element) if element.name() == "encryption-data" => Err(ParseError::Encrypted),
        _ => Ok(()),
    })
}

/// The title and the day; the day of a document's creation takes precedence over that of its last change.
pub(super) fn properties(package: &mut Package<'_>, format: &'static str) -> Result<Properties, ParseError> {
    read_optional_part(package.read("meta.xml"), |meta| Properties::read(meta, format, &["creation-date", "date"]))
}

/// An open comment.
#[derive(Default)]
pub(super) struct Annotation {
    author: String,
    pub(super) words: String,
    pub(super) in_author: bool,
}

impl Annotation {
    /// Adds words to the author's name, or to the text if a paragraph is open.
    pub(super) fn add_words(&mut self, words: &str, in_paragraph: bool) {
        if self.in_author {
            self.author.push_str(words);
        } else if in_paragraph {
            self.words.push_str(words);
        }
    }

    /// The words after the author's name; empty if there are no words.
    pub(super) fn told(&self) -> String {
        match (self.author.trim(), self.words.trim()) {
            (_, "") => String::new(),
            ("", words) => words.to_owned(),
            (author, words) => format!("{author}: {words}"),
        }
    }
}

/// An open paragraph or heading, and how it began once it has words.
#[derive(Default)]
struct Paragraph {
    heading: Option<u8>,
    is_title: bool,
    begun: Option<Opened>,
}

#[derive(Default)]
struct Reader {
    styles: Styles,
    composer: Composer,
    /// The open paragraphs: within a frame, a paragraph stands in a paragraph.
    paragraphs: Vec<Paragraph>,
    /// For each open list, whether the item's mark is due.
    lists: Vec<bool>,
    /// The words of the open note.
    note: Option<String>,
    /// The open comment, and how many of its paragraphs are open.
    comment: Option<(Annotation, usize)>,
    /// The class of the open frame, as in `title`.
    frame: Option<String>,
    is_description: bool,
    /// Whether the text records its page breaks.
    tells_pages: bool,
    /// The number of slides that have begun.
    slides: usize,
    skipping: Skipping,
    /// The words of the first paragraph in the title's style that has any.
    title: String,
}

impl Reader {
    fn visit(&mut self, node: &Node<'_>) {
        match node {
            _ if self.skipping.skips(node, SKIPPED) => {}
            _ if self.comment.is_some() => self.commented(node),
            Node::Open(element) => self.open(element),
            Node::Close(name) => self.close(name),
            Node::Text(words) if self.is_description => {
                if is_description(words) {
                    self.words(&format!(" {words} "));
                }
            }
            Node::Text(words) if !self.paragraphs.is_empty() => self.words(words),
            Node::Text(_) => {}
        }
    }

    fn open(&mut self, element: &Element<'_>) {
        match element.name() {
            "text" => self.tells_pages |= element.attribute("use-soft-page-breaks").as_deref() == Some("true"),
            "page" => {
                self.slides += 1;
                self.composer.page();
            }
            "frame" => {
                self.frame = element.attribute("class");
                if matches!(self.frame.as_deref(), Some("page-number" | "date-time" | "footer" | "header")) {
                    self.skipping.skip();
                    self.frame = None;
                }
            }
            "p" | "h" => self.open_paragraph(element),
            "s" | "tab" => self.words(" "),
            "line-break" if self.note.is_some() => self.words(" "),
            "line-break" => {
                // A title on two lines is one title.
                self.titled(" ");
                self.composer.open(Kind::Break);
            }
            "soft-page-break" if self.tells_pages => self.composer.page(),
            "note" => self.note = Some(String::new()),
            "annotation" => self.comment = Some((Annotation::default(), 0)),
            "desc" => self.is_description = true,
            "list" => self.lists.push(false),
            "list-item" => {
                if let Some(mark) = self.lists.last_mut() {
                    *mark = true;
                }
            }
            "table" => self.composer.open(Kind::Table),
            "table-row" => self.composer.open(Kind::Row),
            "table-cell" => {
                self.composer.open(Kind::Cell);
                let span = |name| element.attribute(name).and_then(|span| span.parse().ok()).unwrap_or(1);
                self.composer.spans(span("number-rows-spanned"), span("number-columns-spanned"));
            }
            _ => {}
        }
    }

    fn open_paragraph(&mut self, element: &Element<'_>) {
        if let Some(note) = &mut self.note {
            note.push(' ');
        }
        let style = element.attribute("style-name").unwrap_or_default();
        if self.slides == 0 && self.note.is_none() && self.styles.breaks_page(&style) && self.tells_pages {
            self.composer.page();
        }
        let heading = match (element.name(), self.frame.as_deref()) {
            ("h", _) => {
                let level = element.attribute("outline-level").and_then(|level| level.parse::<u8>().ok());
                Some(level.unwrap_or(1).clamp(1, 6))
            }
            (_, Some("title")) if self.slides > 0 => Some(1),
            _ => None,
        };
        let is_title = heading.is_none() && self.title.is_empty() && self.styles.is_title(&style);
        self.paragraphs.push(Paragraph { heading, is_title, begun: None });
    }

    fn close(&mut self, name: &str) {
        match name {
            "p" | "h" => {
                let begun = self.paragraphs.pop().and_then(|paragraph| paragraph.begun);
                begun.into_iter().for_each(|begun| self.composer.end(begun));
            }
            "frame" => self.frame = None,
            "desc" => self.is_description = false,
            "note" => {
                if let Some(words) = self.note.take() {
                    self.begin();
                    self.composer.note(&words);
                }
            }
            "list" => {
                self.lists.pop();
            }
            "table" => self.composer.close(Kind::Table),
            "table-row" => self.composer.close(Kind::Row),
            "table-cell" => self.composer.close(Kind::Cell),
            _ => {}
        }
    }

    /// Reads the content of a comment; its words follow the block that it is about, like those of a note.
    fn commented(&mut self, node: &Node<'_>) {
        let Some((comment, paragraphs)) = &mut self.comment else { return };
        match node {
            Node::Open(element) => match element.name() {
                "creator" => comment.in_author = true,
                "p" => {
                    *paragraphs += 1;
                    comment.words.push(' ');
                }
                "s" | "tab" | "line-break" => comment.words.push(' '),
                _ => {}
            },
            Node::Close("creator") => comment.in_author = false,
            Node::Close("p") => *paragraphs = paragraphs.saturating_sub(1),
            Node::Text(words) => comment.add_words(words, *paragraphs > 0),
            Node::Close("annotation") => {
                let words = comment.told();
                self.comment = None;
                match &mut self.note {
                    Some(_) if words.is_empty() => {}
                    Some(note) => note.push_str(&format!(" ({words})")),
                    None => {
                        self.begin();
                        self.composer.note(&words);
                    }
                }
            }
            Node::Close(_) => {}
        }
    }

    fn words(&mut self, words: &str) {
        if let Some(note) = &mut self.note {
            note.push_str(words);
            return;
        }
        self.begin();
        self.titled(words);
        self.composer.text(words);
    }

    /// Adds words to the title if its paragraph is open.
    fn titled(&mut self, words: &str) {
        let is_title = self.paragraphs.last().is_some_and(|paragraph| paragraph.is_title);
        if is_title && !(self.title.is_empty() && words.trim().is_empty()) {
            self.title.push_str(words);
        }
    }

    /// Begins the open paragraph if it has not begun.
    fn begin(&mut self) {
        let Some(paragraph) = self.paragraphs.last_mut() else { return };
        if paragraph.begun.is_some() {
            return;
        }
        let level = self.lists.len().saturating_sub(1);
        let begun = match (paragraph.heading, self.lists.last_mut()) {
            (Some(level), _) => Opened::As(Kind::Heading(level)),
            (None, Some(mark @ true)) => {
                *mark = false;
                Opened::Item(level)
            }
            // A further paragraph of an item stays in its list.
            (None, Some(false)) => Opened::As(Kind::Line),
            (None, None) => Opened::As(Kind::Block),
        };
        paragraph.begun = Some(begun);
        self.composer.begin(begun);
    }
}

#[cfg(test)]
mod tests;
