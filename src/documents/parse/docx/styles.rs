//! The roles of a document's paragraph styles. Their names are English in every language of the program.

use std::collections::BTreeMap;

use crate::documents::parse::ParseError;
use crate::documents::parse::xml::{self, Node};

use super::FORMAT;

/// The most parents of a style that are followed, which also ends a circle.
const MAX_PARENTS: usize = 20;

/// The role of a paragraph by its style.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Title,
    Heading(u8),
    /// An entry of a table of contents.
    Contents,
    /// An item of a list, at this level.
    Item(usize),
}

/// The roles of a document's styles by their ids, and the lists that number their paragraphs.
#[derive(Debug, Default)]
pub(super) struct Styles {
    roles: BTreeMap<String, Role>,
    numbered: BTreeMap<String, Numbered>,
}

/// The list of a style, and the level in it if the style sets one.
#[derive(Clone, Debug)]
pub(super) struct Numbered {
    pub(super) list: String,
    pub(super) level: Option<usize>,
}

impl Styles {
    pub(super) fn role(&self, id: &str) -> Option<&Role> {
        self.roles.get(id)
    }

    pub(super) fn numbered(&self, id: &str) -> Option<&Numbered> {
        self.numbered.get(id)
    }
}

#[derive(Debug, Default)]
struct Style {
    name: String,
    parent: Option<String>,
    outline: Option<u8>,
    list: Option<usize>,
    number: Option<String>,
    level: Option<usize>,
}

/// Reads the part with the styles.
pub(super) fn read(bytes: Vec<u8>) -> Result<Styles, ParseError> {
    let mut styles: BTreeMap<String, Style> = BTreeMap::new();
    let mut current: Option<String> = None;
    xml::walk(bytes, FORMAT, |node| {
        match node {
            Node::Open(element) if element.name() == "style" => {
                current = element.attribute("styleId");
                styles.extend(current.iter().map(|id| (id.clone(), Style::default())));
            }
            Node::Close("style") => current = None,
            Node::Open(element) => {
                let Some(style) = current.as_ref().and_then(|id| styles.get_mut(id)) else { return Ok(()) };
                let value = element.attribute("val");
                match element.name() {
                    "name" => style.name = value.unwrap_or_default().to_lowercase(),
                    "basedOn" => style.parent = value,
                    "outlineLvl" => style.outline = value.and_then(|level| level.parse().ok()),
                    "ilvl" => {
                        style.level = value.and_then(|level| level.parse().ok());
                        style.list = style.level;
                    }
                    "numId" => {
                        style.list = style.list.or(Some(0));
                        style.number = value;
                    }
                    _ => {}
                }
            }
            Node::Close(_) | Node::Text(_) => {}
        }
        Ok(())
    })?;
    let roles = styles.keys().filter_map(|id| Some((id.clone(), nearest(&styles, id, own_role)?))).collect();
    let numbered = styles.keys().filter_map(|id| Some((id.clone(), nearest(&styles, id, own_number)?))).collect();
    Ok(Styles { roles, numbered })
}

/// A style's own value, else that of its nearest parent with one.
fn nearest<T>(styles: &BTreeMap<String, Style>, id: &str, own: fn(&Style) -> Option<T>) -> Option<T> {
    let mut id = id;
    for _ in 0..MAX_PARENTS {
        let style = styles.get(id)?;
        if let Some(found) = own(style) {
            return Some(found);
        }
        id = style.parent.as_deref()?;
    }
    None
}

/// A style's own list. The id 0, which no document defines, takes it out of the list of its parent.
fn own_number(style: &Style) -> Option<Numbered> {
    style.number.clone().map(|list| Numbered { list, level: style.level })
}

fn own_role(style: &Style) -> Option<Role> {
    if style.name == "title" {
        return Some(Role::Title);
    }
    if style.name.starts_with("toc ") {
        return Some(Role::Contents);
    }
    let by_name = style.name.strip_prefix("heading ").and_then(|level| level.parse::<u8>().ok());
    let level = by_name.or(style.outline.filter(|&level| level < 9).map(|level| level + 1));
    if let Some(level) = level.filter(|&level| level > 0) {
        return Some(Role::Heading(level.min(6)));
    }
    style.list.map(Role::Item)
}
