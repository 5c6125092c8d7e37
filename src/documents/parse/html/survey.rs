//! Measures how much of a page's text each element holds, and so finds its main part.

use std::collections::HashSet;

use ego_tree::NodeId;
use ego_tree::iter::Edge;
use scraper::node::Element;
use scraper::{Html, Node};

use super::elements;
use crate::documents::parse::writer::Kind;

/// Teasers beside an article hold at most one part in this many of its length.
const TEASER_SHARE: usize = 4;
/// An element that a page declares to be its main part is accepted if it holds more than one part in this many of the
/// text; short pages of a large site hold little text beside its menus.
const NAMED_SHARE: usize = 10;

/// The facts about a page that are needed before its first word is written.
pub(super) struct Survey {
    /// Where the page's main part begins.
    pub(super) main: NodeId,
    /// Whether the site's furniture counts as text.
    keeps_furniture: bool,
    /// Forms that hold most of the page: some frameworks wrap whole pages in one.
    wrapping_forms: HashSet<NodeId>,
    /// Tables that place parts of the page instead of listing data.
    layout_tables: HashSet<NodeId>,
}

/// An element that is open during the walk.
struct Open {
    id: NodeId,
    role: Role,
    /// The number of characters before it, without white space.
    before: usize,
    is_layout: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    /// `<main>`, or the role `main`.
    Main,
    /// `<article>`: there may be several.
    Article,
    Form,
    Table,
}

impl Survey {
    /// Surveys a page without a site around it: all of it is its main part.
    pub(super) fn whole(page: &Html) -> Survey {
        Survey { main: page.tree.root().id(), ..Survey::of(page, true) }
    }

    /// Walks the page once. With `keeps_furniture`, navigation and the like count as text.
    pub(super) fn of(page: &Html, keeps_furniture: bool) -> Survey {
        let root = page.tree.root();
        let mut survey =
            Survey { main: root.id(), keeps_furniture, wrapping_forms: HashSet::new(), layout_tables: HashSet::new() };
        let mut open: Vec<Open> = Vec::new();
        let mut total = 0_usize;
        let mut skipped = None;
        let mut forms: Vec<(NodeId, usize)> = Vec::new();
        let mut mains: Vec<(NodeId, usize)> = Vec::new();
        let mut named: Vec<(NodeId, usize)> = Vec::new();
        for edge in root.traverse() {
            match edge {
                Edge::Open(_) if skipped.is_some() => {}
                Edge::Open(node) => match node.value() {
                    Node::Text(text) => total += text.chars().filter(|char| !char.is_whitespace()).count(),
                    Node::Element(element) => {
                        // Whether a form is furniture is known only at the end.
                        if element.name() != "form" && survey.skips(node.id(), element) {
                            skipped = Some(node.id());
                            continue;
                        }
                        mark_layout(&mut open, element);
                        if let Some(role) = role(element) {
                            let is_layout = matches!(element.attr("role"), Some("presentation" | "none"));
                            open.push(Open { id: node.id(), role, before: total, is_layout });
                        }
                    }
                    _ => {}
                },
                Edge::Close(node) => {
                    if skipped == Some(node.id()) {
                        skipped = None;
                    }
                    if skipped.is_some() || open.last().is_none_or(|last| last.id != node.id()) {
                        continue;
                    }
                    let Some(closed) = open.pop() else { continue };
                    let length = total - closed.before;
                    // The outermost one contains the inner ones and the text between them.
                    let is_within = open.iter().any(|open| matches!(open.role, Role::Main | Role::Article));
                    match closed.role {
                        Role::Main | Role::Article if is_within => {}
                        Role::Main => {
                            named.push((closed.id, length));
                            mains.push((closed.id, length));
                        }
                        Role::Article => mains.push((closed.id, length)),
                        Role::Form => forms.push((closed.id, length)),
                        Role::Table if closed.is_layout => {
                            survey.layout_tables.insert(closed.id);
                        }
                        Role::Table => {}
                    }
                }
            }
        }
        survey.wrapping_forms = forms.iter().filter(|(_, length)| length * 2 > total).map(|&(id, _)| id).collect();
        // A small form is not part of the text after all.
        let small = forms.iter().filter(|(_, length)| length * 2 <= total).map(|(_, length)| length).sum();
        let total = total.saturating_sub(small);
        if let Some(main) = named_main(&named, total).or_else(|| main_of(&mains, total)) {
            survey.main = main;
        }
        survey
    }

    /// Whether an element and its content are left out.
    pub(super) fn skips(&self, id: NodeId, element: &Element) -> bool {
        elements::is_wordless(element)
            || (!self.keeps_furniture && elements::is_furniture(element) && !self.wrapping_forms.contains(&id))
    }

    /// Whether an element is a table that places parts of the page.
    pub(super) fn is_layout(&self, id: NodeId) -> bool {
        self.layout_tables.contains(&id)
    }
}

/// The only part that the page declares as its main one, if it holds enough of `total` characters.
fn named_main(named: &[(NodeId, usize)], total: usize) -> Option<NodeId> {
    match named {
        &[(id, length)] if length * NAMED_SHARE > total => Some(id),
        _ => None,
    }
}

/// The one part that holds most of `total` characters. If several stand side by side, as in a list of articles, the
/// page is all of them, unless the others are no more than teasers.
fn main_of(outermost: &[(NodeId, usize)], total: usize) -> Option<NodeId> {
    let &(id, length) = outermost.iter().max_by_key(|(_, length)| *length)?;
    let others = outermost.iter().map(|(_, length)| length).sum::<usize>() - length;
    (length * 2 > total && others * TEASER_SHARE <= length).then_some(id)
}

fn role(element: &Element) -> Option<Role> {
    match element.name() {
        "form" => Some(Role::Form),
        "table" => Some(Role::Table),
        "article" => Some(Role::Article),
        _ => elements::is_main(element).then_some(Role::Main),
    }
}

/// Marks the open tables as layout when a table or a heading is inside them.
fn mark_layout(open: &mut [Open], element: &Element) {
    if element.name() != "table" && !Kind::of_name(element.name()).is_heading() {
        return;
    }
    for table in open.iter_mut().rev().filter(|open| open.role == Role::Table) {
        // The tables around a marked one are marked already.
        if std::mem::replace(&mut table.is_layout, true) {
            break;
        }
    }
}
