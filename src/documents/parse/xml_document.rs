//! XML of any vocabulary: titles head their sections, running text becomes paragraphs, and other values follow their
//! path as those of JSON do.
//!
//! A document type is skipped, and only XML's own five entities, non-breaking spaces and characters by number are
//! expanded, so that a document can neither grow nor name files.

use std::collections::BTreeMap;

use quick_xml::events::{BytesStart, Event};
use quick_xml::{Reader, XmlVersion};
use serde_json::Value;

use super::values::{KeyPath, LONGEST_HEADING, Name, SENTENCE, Values, day};
use super::xml::resolved;
use super::{ParseError, Parsed, date, label};
use crate::base::text::one_line;
use crate::domain::DocumentDate;

/// Deeper documents are refused, since the tree is walked by recursion.
const DEEPEST: usize = 200;

/// How deep the document's own title and date are looked for.
const ABOUT_DEPTH: usize = 4;

const TITLES: [&str; 5] = ["title", "head", "heading", "headline", "name"];

const DATES: [&str; 9] =
    ["date", "published", "pubDate", "datePublished", "pubdate", "created", "updated", "issued", "modified"];

/// Elements that hold only running text in the vocabularies of books and articles; it needs no path even if it is
/// short.
const PARAGRAPHS: [&str; 6] = ["p", "para", "simpara", "ab", "l", "quote"];

/// Elements that hold running text, or other elements or values.
const TEXTS: [&str; 8] = ["text", "body", "content", "abstract", "description", "summary", "note", "caption"];

/// Elements that mark words within running text.
const INLINE: [&str; 20] = [
    "a", "b", "bold", "code", "em", "emph", "emphasis", "foreign", "hi", "i", "italic", "link", "ref", "sc", "span",
    "strong", "sub", "sup", "u", "xref",
];

/// Elements whose line breaks matter.
const VERBATIM: [&str; 6] = ["programlisting", "screen", "literallayout", "code", "pre", "verbatim"];

/// Elements whose children are the cells of a table's row.
const ROWS: [&str; 4] = ["row", "tr", "Row", "strow"];

/// Elements about the document: a title in them does not head a part of it.
const ABOUT: [&str; 9] =
    ["info", "head", "header", "front", "frontmatter", "articleinfo", "bookinfo", "teiHeader", "titleStmt"];

/// Parses an XML document.
pub(super) fn parse(text: &str) -> Result<Parsed, ParseError> {
    let root = tree(text.trim_start_matches('\u{feff}'))?;
    let mut values = Values::default();
    write(&mut values, &root, &KeyPath::root(), 1);
    values.parsed.title = about(&root, &|element| {
        let title = label(&(element.name == "title").then(|| element.text())?)?;
        (title.len() <= LONGEST_HEADING).then_some(title)
    });
    values.parsed.date = about(&root, &|element| {
        let known = DATES.contains(&element.name.as_str());
        known.then(|| element.text()).and_then(|text| day(&text).or_else(|| date::find(&text)))
    })
    .map(DocumentDate::metadata);
    values.finish()
}

/// Whether elements of this name hold running text.
fn holds_text(name: &str) -> bool {
    PARAGRAPHS.contains(&name) || TEXTS.contains(&name)
}

fn broken(reason: String) -> ParseError {
    ParseError::Broken { format: "XML", reason }
}

#[derive(Default)]
struct Element {
    /// Without its prefix.
    name: String,
    attributes: Vec<(String, String)>,
    children: Vec<Child>,
}

enum Child {
    Text(String),
    Element(Element),
}

impl Element {
    fn elements(&self) -> impl Iterator<Item = &Element> {
        self.children.iter().filter_map(|child| match child {
            Child::Element(element) => Some(element),
            Child::Text(_) => None,
        })
    }

    /// Whether it has words of its own, besides those of its children.
    fn has_words(&self) -> bool {
        self.children.iter().any(|child| matches!(child, Child::Text(text) if !text.trim().is_empty()))
    }

    /// Whether its words are running text that its elements are parts of; otherwise they stand beside its values.
    fn is_running(&self) -> bool {
        let name = self.name.as_str();
        let is_element = |child: &Child| matches!(child, Child::Element(_));
        let has_words = |child: &Child| matches!(child, Child::Text(text) if !text.trim().is_empty());
        let first = self.children.iter().position(is_element).unwrap_or(0);
        let last = self.children.iter().rposition(is_element).unwrap_or(0);
        self.has_words()
            && (first == last
                || holds_text(name)
                || VERBATIM.contains(&name)
                || self.children[first..last].iter().any(has_words)
                || self.elements().any(|element| INLINE.contains(&element.name.as_str())))
    }

    fn is_leaf(&self) -> bool {
        self.elements().next().is_none()
    }

    /// All words inside.
    fn text(&self) -> String {
        let mut text = String::new();
        self.collect(&mut text);
        text
    }

    fn collect(&self, into: &mut String) {
        for child in &self.children {
            match child {
                Child::Text(text) => into.push_str(text),
                Child::Element(element) => {
                    let is_apart = !element.has_words();
                    if is_apart && !into.is_empty() && !into.ends_with(char::is_whitespace) {
                        into.push(' ');
                    }
                    element.collect(into);
                    // Elements without a space between them are separate words, as in a list within a sentence.
                    if is_apart && !into.ends_with(char::is_whitespace) {
                        into.push(' ');
                    }
                }
            }
        }
    }

    fn push_text(&mut self, text: &str) {
        match self.children.last_mut() {
            Some(Child::Text(last)) => last.push_str(text),
            _ => self.children.push(Child::Text(text.to_owned())),
        }
    }
}

fn tree(text: &str) -> Result<Element, ParseError> {
    let mut reader = Reader::from_str(text);
    let mut open: Vec<Element> = Vec::new();
    let mut root = None;
    loop {
        let event = reader.read_event().map_err(|error| {
            let line =
                text.as_bytes().iter().take(reader.error_position() as usize).filter(|&&byte| byte == b'\n').count();
            broken(format!("line {}: {error}", line + 1))
        })?;
        let done = match event {
            Event::Start(_) | Event::Empty(_) if open.is_empty() && root.is_some() => {
                return Err(broken("it has more than one outermost element".to_owned()));
            }
            Event::Start(_) if open.len() == DEEPEST => {
                return Err(broken(format!("it nests deeper than {DEEPEST} elements")));
            }
            Event::Start(start) => {
                open.push(element(&start));
                None
            }
            Event::Empty(start) => Some(element(&start)),
            Event::End(_) => open.pop(),
            Event::Eof => break,
            Event::Text(words) => {
                if let Some(element) = open.last_mut() {
                    element.push_text(&words);
                } else if !words.trim().is_empty() {
                    return Err(broken("it has text outside of its outermost element".to_owned()));
                }
                None
            }
            Event::CData(words) => {
                if let Some(element) = open.last_mut() {
                    element.push_text(&words);
                }
                None
            }
            Event::GeneralRef(name) => {
                if let Some(element) = open.last_mut() {
                    element.push_text(&resolved(&name));
                }
                None
            }
            Event::Decl(_) | Event::PI(_) | Event::DocType(_) | Event::Comment(_) => None,
        };
        match (done, open.last_mut()) {
            (Some(element), Some(parent)) => parent.children.push(Child::Element(element)),
            (Some(element), None) => root = Some(element),
            (None, _) => {}
        }
    }
    match open.last() {
        Some(element) => Err(broken(format!("it ends within the element `{}`", element.name))),
        None => root.ok_or_else(|| broken("it has no element".to_owned())),
    }
}

fn element(start: &BytesStart<'_>) -> Element {
    let mut raw = start.attributes();
    let attributes = raw.with_checks(false).filter_map(|attribute| {
        // A malformed attribute is skipped; its element is still worth reading.
        let attribute = attribute.ok()?;
        let name = attribute.key.0;
        if name.starts_with("xmlns") || name.starts_with("xml:") || name.starts_with("xsi:") {
            return None;
        }
        let value = attribute.normalized_value(XmlVersion::Implicit1_0).unwrap_or(attribute.value);
        Some((attribute.key.local_name().into_inner().to_owned(), value.into_owned()))
    });
    Element { attributes: attributes.collect(), name: start.local_name().into_inner().to_owned(), children: Vec::new() }
}

/// The value that `tell` finds in the element nearest to the root, in breadth-first order.
fn about<T>(root: &Element, tell: &impl Fn(&Element) -> Option<T>) -> Option<T> {
    let mut level = vec![root];
    for _ in 0..ABOUT_DEPTH {
        if let Some(told) = level.iter().find_map(|element| tell(element)) {
            return Some(told);
        }
        level = level.into_iter().flat_map(Element::elements).collect();
    }
    None
}

/// Writes an element; `level` is the level of a heading in it.
fn write(values: &mut Values, element: &Element, path: &KeyPath, level: u8) {
    if element.is_running() {
        attributes(values, element, path);
        words(values, element, path);
        return;
    }
    if let Some(cells) = short_list(element).filter(|_| !element.has_words()) {
        attributes(values, element, path);
        match ROWS.contains(&element.name.as_str()) {
            true => values.line(&KeyPath::root(), &cells.join(" | ")),
            false => {
                let name = element.elements().next().map_or("", |first| &first.name);
                values.line(&path.join(name), &cells.join(", "));
            }
        }
        return;
    }
    let is_about = ABOUT.contains(&element.name.as_str());
    let title = element.elements().find(|child| !is_about && is_title(child));
    let inner = if let Some(text) = title.and_then(|title| label(&title.text())) {
        values.blank_line();
        values.titled(level, &text);
        (level + 1).min(6)
    } else {
        level
    };
    attributes(values, element, path);
    let mut counts: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for child in element.elements() {
        counts.entry(&child.name).or_default().0 += 1;
    }
    for child in element.elements() {
        if title.is_some_and(|title| std::ptr::eq(title, child)) {
            continue;
        }
        let child_path = path.join(&child.name);
        let Some((count, seen)) = counts.get_mut(child.name.as_str()) else { continue };
        *seen += 1;
        let is_record = *count > 1 && !child.is_leaf() && !child.is_running() && !ROWS.contains(&child.name.as_str());
        if !is_record {
            write(values, child, &child_path, inner);
            continue;
        }
        let number = *seen;
        values.blank_line();
        let start = values.parsed.text.len();
        let item = child_path.item(number);
        values.untitled(inner, Name::Path(item.clone()));
        write(values, child, &item, inner);
        if values.parsed.text.len() > start {
            values.parsed.breaks.push(start);
        }
        if number == *count {
            values.blank_line();
            values.untitled(inner, Name::FirstPath);
        }
    }
    for child in &element.children {
        if let Child::Text(text) = child {
            values.value(&Value::String(one_line(text)), path);
        }
    }
}

fn attributes(values: &mut Values, element: &Element, path: &KeyPath) {
    for (name, value) in &element.attributes {
        values.line(&path.join(name), &one_line(value));
    }
}

fn is_title(element: &Element) -> bool {
    TITLES.contains(&element.name.as_str()) && element.has_words() && {
        let text = element.text();
        text.trim().len() <= LONGEST_HEADING && label(&text).is_some()
    }
}

/// The cells of a row, or two or more short values of one kind and nothing else.
fn short_list(element: &Element) -> Option<Vec<String>> {
    let first = element.elements().next()?;
    let is_row = ROWS.contains(&element.name.as_str());
    let mut cells = Vec::new();
    for child in element.elements() {
        let is_alike = child.name == first.name && child.is_leaf() && child.attributes.is_empty();
        if !is_row && (!is_alike || holds_text(&child.name)) {
            return None;
        }
        let text = one_line(&child.text());
        if !is_row && text.len() > SENTENCE {
            return None;
        }
        cells.push(text);
    }
    (is_row || cells.len() > 1).then_some(cells)
}

/// Writes an element that has words of its own.
fn words(values: &mut Values, element: &Element, path: &KeyPath) {
    let text = element.text();
    if VERBATIM.contains(&element.name.as_str()) {
        values.paragraphs(&text);
        return;
    }
    let text = one_line(&text);
    let is_running = holds_text(&element.name) || !element.is_leaf();
    let is_always = PARAGRAPHS.contains(&element.name.as_str());
    if is_running && (is_always || text.len() >= SENTENCE || path.is_root() || !element.is_leaf()) {
        values.paragraphs(&text);
    } else {
        values.value(&Value::String(text), path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(source: &str, expected: &str) -> Parsed {
        let parsed = parse(source).expect("it is XML");
        assert_eq!(parsed.text, expected, "{source}");
        assert!(parsed.breaks.is_sorted() && parsed.breaks.iter().all(|&at| at < parsed.text.len()));
        parsed
    }

    fn reason(source: &str) -> String {
        parse(source).expect_err("it is broken").to_string()
    }

    #[test]
    fn values_stand_behind_their_paths() {
        check(
            "<?xml version='1.0'?><!-- c --><port xmlns='urn:x' code='Ö&amp;1'><city>Örebro</city>\
             <size unit=\"m\">120</size><tags><tag>old</tag><tag>港</tag></tags><empty/></port>",
            "code: Ö&1\ncity: Örebro\nsize.unit: m\nsize: 120\ntags.tag: old, 港",
        );
    }

    #[test]
    fn records_are_breaks_headed_by_their_titles() {
        let parsed = check(
            "<list><pier id='1'><name>North</name><length>3</length></pier><pier><name>South</name><length>4</length></pier>\
             <boat><crew>2</crew><flag>a</flag></boat><boat><crew>5</crew><flag>b</flag></boat></list>",
            "North\npier[1].id: 1\npier[1].length: 3\n\nSouth\npier[2].length: 4\n\nboat[1].crew: 2\nboat[1].flag: a\n\nboat[2].crew: 5\nboat[2].flag: b",
        );
        let headings: Vec<&str> = parsed.headings.iter().map(|heading| heading.text.as_str()).collect();
        assert_eq!(headings, ["North", "South", "boat[1]", "boat[2]"]);
        assert_eq!(parsed.breaks.len(), 4);
    }

    #[test]
    fn words_beside_values_are_not_joined_to_them() {
        check(
            "<list><pier no='1'><name>North</name><cost>1890</cost><![CDATA[kept <dry>]]></pier><pier><name>South</name>\
             <cost>7</cost></pier><p>See <b>a</b><i>b</i></p></list>",
            "North\npier[1].no: 1\npier[1].cost: 1890\npier[1]: kept <dry>\n\nSouth\npier[2].cost: 7\n\nSee ab",
        );
    }

    #[test]
    fn an_article_reads_as_one() {
        let parsed = check(
            "<article><info><title>On Tides</title><date>2021-03-04</date></info><para>The <emphasis>spring</emphasis> tide \
             is\n higher.</para><section><title>Causes</title><para>The moon &#x2014; mostly.</para>\
             <programlisting>a\n  b</programlisting><table><row><entry>x</entry><entry>y</entry></row></table></section></article>",
            "info.title: On Tides\ninfo.date: 2021-03-04\n\nThe spring tide is higher.\n\nCauses\nThe moon \u{2014} mostly.\n\na\n  b\n\nx | y",
        );
        assert_eq!(parsed.title.as_deref(), Some("On Tides"));
        assert_eq!(parsed.date.map(|date| date.date.to_string()).as_deref(), Some("2021-03-04"));
        assert_eq!(parsed.headings.iter().map(|heading| heading.level).collect::<Vec<_>>(), [1]);
    }

    #[test]
    fn dates_without_separators_and_characters_that_are_none() {
        let parsed = check("<info><date>20240501</date><name>A&#0;b</name></info>", "date: 20240501\nname: A&#0;b");
        assert_eq!(parsed.date.map(|date| date.date.to_string()).as_deref(), Some("2024-05-01"));
    }

    #[test]
    fn entities_are_not_expanded() {
        let mut bomb = "<!DOCTYPE a [<!ENTITY l0 'lol'><!ENTITY f SYSTEM 'file:///etc/passwd'>".to_owned();
        for level in 1..20 {
            let below = format!("&l{};", level - 1).repeat(10);
            bomb.push_str(&format!("<!ENTITY l{level} '{below}'>"));
        }
        check(&format!("{bomb}]><a>x &l19; &f; &lt;y&#62;</a>"), "x &l19; &f; <y>");
        check("<a b='&f;'>x</a>", "b: &f;\nx");
    }

    #[test]
    fn damage_is_told_with_its_line() {
        assert_eq!(
            reason("<a>\n<b></a>"),
            "broken XML: line 2: ill-formed document: expected `</b>`, but `</a>` was found"
        );
        assert_eq!(reason("<a><b>x</b>"), "broken XML: it ends within the element `a`");
        assert_eq!(reason("<a/><b/>"), "broken XML: it has more than one outermost element");
        assert_eq!(reason("words"), "broken XML: it has text outside of its outermost element");
        assert_eq!(reason(&"<a>".repeat(100_000)), "broken XML: it nests deeper than 200 elements");
        assert_eq!(reason("<a/>"), "no text in it");
    }
}
