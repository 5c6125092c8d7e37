//! Paragraph styles: which one is the title's, and which ones begin a page.

use std::collections::BTreeMap;

use crate::documents::parse::ParseError;
use crate::documents::parse::xml::{self, Node};

/// The most parents of a style that are followed, which also ends a circle.
const MAX_PARENTS: usize = 20;

#[derive(Debug, Default)]
struct Style {
    parent: Option<String>,
    breaks_page: bool,
}

/// The paragraph styles of a document, both named ones and those that the program generated.
#[derive(Debug, Default)]
pub(super) struct Styles(BTreeMap<String, Style>);

impl Styles {
    /// Adds the styles of a part.
    pub(super) fn read(&mut self, part: &str, format: &'static str) -> Result<(), ParseError> {
        let mut current: Option<String> = None;
        xml::walk_text(part, format, |node| {
            match node {
                Node::Open(element) if element.name() == "style" => {
                    let is_of_paragraphs = element.attribute("family").as_deref() == Some("paragraph");
                    current = element.attribute("name").filter(|_| is_of_paragraphs);
                    if let Some(name) = &current {
                        // A style with its own page layout also begins a page.
                        let breaks_page = element.attribute("master-page-name").is_some_and(|name| !name.is_empty());
                        let style = Style { parent: element.attribute("parent-style-name"), breaks_page };
                        self.0.insert(name.clone(), style);
                    }
                }
                Node::Open(element) if element.name() == "paragraph-properties" => {
                    if element.attribute("break-before").as_deref() == Some("page")
                        && let Some(style) = current.as_ref().and_then(|name| self.0.get_mut(name))
                    {
                        style.breaks_page = true;
                    }
                }
                Node::Close("style") => current = None,
                Node::Open(_) | Node::Close(_) | Node::Text(_) => {}
            }
            Ok(())
        })
    }

    pub(super) fn is_title(&self, name: &str) -> bool {
        self.chain(name).any(|name| name == "Title")
    }

    pub(super) fn breaks_page(&self, name: &str) -> bool {
        self.chain(name).any(|name| self.0.get(name).is_some_and(|style| style.breaks_page))
    }

    /// The names of a style and of its parents.
    fn chain<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        let parent = |name: &&'a str| self.0.get(*name)?.parent.as_deref();
        std::iter::successors(Some(name), parent).take(MAX_PARENTS)
    }
}
