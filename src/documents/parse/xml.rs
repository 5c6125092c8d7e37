//! XML as elements that open and close, and the words between them.
//!
//! Names come without their prefix. An empty element opens and closes. Declarations in a document type are not read:
//! none of its own entities is expanded, so none can grow or name a file.

use std::borrow::Cow;
use std::collections::BTreeMap;

use quick_xml::Reader;
use quick_xml::escape::resolve_xml_entity;
use quick_xml::events::{BytesStart, Event};

use super::{ParseError, charset};
use crate::base::text::numbered_character;

/// Documents that nest deeper are refused; those of office programs stay below a hundred.
const MAX_DEPTH: usize = 2000;

/// A step of the walk.
#[derive(Debug)]
pub(super) enum Node<'a> {
    /// An element begins.
    Open(&'a Element<'a>),
    /// The element of this name ends.
    Close(&'a str),
    /// Words, with references resolved.
    Text(&'a str),
}

/// An element's name and attributes.
#[derive(Debug)]
pub(super) struct Element<'a> {
    start: BytesStart<'a>,
}

impl Element<'_> {
    /// The name without its prefix.
    pub(super) fn name(&self) -> &str {
        self.start.local_name().into_inner()
    }

    /// The value of the first attribute of this name, whatever its prefix.
    pub(super) fn attribute(&self, name: &str) -> Option<String> {
        self.values_of(name).next()
    }

    /// The values of all attributes of this name, whatever their prefixes.
    pub(super) fn attributes(&self, name: &str) -> Vec<String> {
        self.values_of(name).collect()
    }

    fn values_of(&self, name: &str) -> impl Iterator<Item = String> {
        // An attribute that cannot be read hides those after it, as if they were missing.
        let mut readable = self.start.attributes();
        readable.with_checks(false);
        let readable = readable.map_while(Result::ok);
        readable.filter(move |attribute| attribute.key.local_name().into_inner() == name).map(|attribute| {
            let raw = &attribute.value;
            quick_xml::escape::unescape(raw).map_or_else(|_| raw.to_string(), Cow::into_owned)
        })
    }
}

/// Skips elements.
#[derive(Debug, Default)]
pub(super) struct Skipping {
    /// The depth within a skipped element; 0 outside.
    pub(super) depth: usize,
}

impl Skipping {
    /// Whether to skip a node, because it is or stands within an element with one of these names.
    pub(super) fn skips(&mut self, node: &Node<'_>, names: &[&str]) -> bool {
        match node {
            Node::Open(element) if self.depth > 0 || names.contains(&element.name()) => {
                self.depth += 1;
                true
            }
            Node::Close(_) if self.depth > 0 => {
                self.depth -= 1;
                true
            }
            _ => self.depth > 0,
        }
    }

    /// Skips the rest of the element that was just opened.
    pub(super) fn skip(&mut self) {
        self.depth = 1;
    }
}

/// Decodes the text of a part.
pub(super) fn text(bytes: Vec<u8>, format: &'static str) -> Result<String, ParseError> {
    charset::decode(bytes)
        .map_err(|_| ParseError::Broken { format, reason: "a part of it that should be XML is binary data".to_owned() })
}

/// Walks a document that is a part of a file of the given format.
pub(super) fn walk(
    bytes: Vec<u8>,
    format: &'static str,
    visit: impl FnMut(Node<'_>) -> Result<(), ParseError>,
) -> Result<(), ParseError> {
    walk_text(&text(bytes, format)?, format, visit)
}

/// [`walk`] over decoded text, for a part that is walked several times.
pub(super) fn walk_text(
    text: &str,
    format: &'static str,
    mut visit: impl FnMut(Node<'_>) -> Result<(), ParseError>,
) -> Result<(), ParseError> {
    let broken = |reason: String| ParseError::Broken { format, reason };
    let mut reader = Reader::from_str(text);
    reader.config_mut().expand_empty_elements = true;
    let mut depth = 0_usize;
    loop {
        let position = reader.buffer_position();
        match reader.read_event().map_err(|error| broken(format!("{error} (XML, byte {position})")))? {
            Event::Start(start) => {
                depth += 1;
                if depth > MAX_DEPTH {
                    return Err(broken(format!("its XML nests deeper than {MAX_DEPTH}")));
                }
                visit(Node::Open(&Element { start }))?;
            }
            Event::End(end) => {
                depth = depth.saturating_sub(1);
                visit(Node::Close(end.local_name().into_inner()))?;
            }
            Event::Text(words) => visit(Node::Text(&words))?,
            Event::CData(words) => visit(Node::Text(&words))?,
            Event::GeneralRef(reference) => visit(Node::Text(&resolved(&reference)))?,
            Event::Eof if depth > 0 => return Err(broken("its XML ends too early: the file may be cut short".into())),
            Event::Eof => return Ok(()),
            Event::Empty(_) | Event::Comment(_) | Event::Decl(_) | Event::PI(_) | Event::DocType(_) => {}
        }
    }
}

/// The words of the first element of each name; names without an element or words are left out.
pub(super) fn values(
    bytes: Vec<u8>,
    format: &'static str,
    names: &[&str],
) -> Result<BTreeMap<String, String>, ParseError> {
    let mut values: BTreeMap<String, String> = BTreeMap::new();
    let mut open: Option<String> = None;
    walk(bytes, format, |node| {
        match node {
            Node::Open(element) if names.contains(&element.name()) && !values.contains_key(element.name()) => {
                open = Some(element.name().to_owned());
            }
            Node::Text(words) => {
                if let Some(name) = &open {
                    values.entry(name.clone()).or_default().push_str(words);
                }
            }
            Node::Close(name) if open.as_deref() == Some(name) => open = None,
            Node::Open(_) | Node::Close(_) => {}
        }
        Ok(())
    })?;
    Ok(values)
}

/// The text for a reference: a character by its number, one of XML's five names, or a non-breaking space. Any other
/// reference stays as it is written.
pub(super) fn resolved(name: &str) -> Cow<'static, str> {
    match (numbered_character(name).filter(|&char| char != '\0'), resolve_xml_entity(name)) {
        (Some(char), _) => Cow::Owned(char.to_string()),
        (None, Some(words)) => Cow::Borrowed(words),
        (None, None) if name == "nbsp" => Cow::Borrowed("\u{a0}"),
        (None, None) => Cow::Owned(format!("&{name};")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(source: &str, expected: Result<&str, &str>) {
        let mut seen = String::new();
        let walked = walk(source.as_bytes().to_vec(), "test", |node| {
            match node {
                Node::Open(element) => {
                    let value = element.attribute("v").map(|value| format!("={value}")).unwrap_or_default();
                    seen.push_str(&format!("<{}{value}>", element.name()));
                }
                Node::Close(name) => seen.push_str(&format!("</{name}>")),
                Node::Text(words) => seen.push_str(words),
            }
            Ok(())
        });
        match (walked, expected) {
            (Ok(()), Ok(expected)) => assert_eq!(seen, expected),
            (Err(error), Err(reason)) => assert!(error.to_string().contains(reason), "{error}"),
            (found, _) => panic!("{source}: {found:?}"),
        }
    }

    #[test]
    fn elements_words_and_references() {
        check("<?xml version='1.0'?><w:p x:v='a&lt;b'>é &amp; &#x65E5;<br/></w:p>", Ok("<p=a<b>é & 日<br></br></p>"));
        check("<a><![CDATA[<b>]]></a>", Ok("<a><b></a>"));
    }

    #[test]
    fn entities_of_a_document_are_not_expanded() {
        let laughs =
            "<!DOCTYPE a [<!ENTITY x \"ha\"><!ENTITY y \"&x;&x;&x;\"><!ENTITY f SYSTEM \"file:///etc/passwd\">]>";
        check(&format!("{laughs}<a>&y; &f;</a>"), Ok("<a>&y; &f;</a>"));
    }

    #[test]
    fn what_is_broken_is_told() {
        check("<a><b></a>", Err("broken test: "));
        check("<a><b>", Err("cut short"));
        check(&"<a>".repeat(MAX_DEPTH + 1), Err("nests deeper"));
        check("\0\u{1}", Err("binary data"));
    }
}
