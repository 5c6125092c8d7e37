//! Remarks that somebody left on the pages, whose words no page draws.

use std::collections::BTreeSet;

use hayro_syntax::Pdf;
use hayro_syntax::object::{Array, Dict, Name, ObjectIdentifier, String as Bytes};
use hayro_syntax::page::Page;

use super::information::text_of;
use super::layout::Block;
use super::page::is_hidden;
use crate::base::quiet;
use crate::base::text::{one_line, without_controls};

/// Kinds of annotations that are remarks; others are links, fields, and the windows in which remarks open.
const KINDS: [&str; 12] = [
    "Text",
    "FreeText",
    "Highlight",
    "Underline",
    "Squiggly",
    "StrikeOut",
    "Caret",
    "Stamp",
    "Ink",
    "Line",
    "Square",
    "Circle",
];

/// The most remarks of a page that are read.
const MOST: usize = 1000;

/// A remark with at least this many characters that also occurs in the page's text is a copy: programs put the marked
/// words into a remark.
const COPY: usize = 10;

/// Puts the remarks of each page after its blocks, in type of `size`. If a page's last paragraph continues overleaf,
/// its remarks follow that paragraph.
pub(super) fn add(pdf: &Pdf, pages: &mut [Vec<Block>], goes_on: &[bool], size: f64) {
    let (mut seen, mut number) = (BTreeSet::new(), 0);
    let mut due: Vec<String> = Vec::new();
    let mut block = |words: String| {
        number += 1;
        Block { text: format!("[^{number}]: {words}"), size, ..Block::default() }
    };
    for (at, (page, blocks)) in pdf.pages().iter().zip(pages).enumerate() {
        // If the list is damaged, the page still has its words.
        let found = quiet::catch(|| of_page(page, blocks)).unwrap_or_default();
        // A page may repeat a remark, and several pages may name the same object.
        let mut said = BTreeSet::new();
        let is_new = |(object, words): &(Option<ObjectIdentifier>, String)| {
            let key = object.map_or_else(|| Key::Words(words.clone()), Key::Object);
            seen.insert(key) && said.insert(words.clone())
        };
        let found: Vec<String> = found.into_iter().filter(is_new).map(|(_, words)| words).collect();
        let runs_on = goes_on.get(at + 1) == Some(&true);
        // A page may be only a part of one paragraph.
        if !runs_on || blocks.len() > 1 {
            let behind = blocks.len().min(1);
            let remarks: Vec<Block> = due.drain(..).map(&mut block).collect();
            drop(blocks.splice(behind..behind, remarks));
        }
        if runs_on {
            due.extend(found);
        } else {
            blocks.extend(found.into_iter().map(&mut block));
        }
    }
}

/// Identifies a remark that was read before: by its object or, if it has none of its own, by its words.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    Object(ObjectIdentifier),
    Words(String),
}

/// The remarks of a page with these blocks, each with its object.
fn of_page(page: &Page<'_>, blocks: &[Block]) -> Vec<(Option<ObjectIdentifier>, String)> {
    let Some(annotations) = page.raw().get::<Array<'_>>("Annots") else { return Vec::new() };
    let words = one_line(&blocks.iter().map(|one| one.text.as_str()).collect::<Vec<_>>().join(" "));
    let annotations = annotations.iter::<Dict<'_>>().take(MOST);
    annotations.filter_map(|one| Some((one.obj_id(), remark(&one, &words)?))).collect()
}

/// The words of a remark after its author's name, if it is shown and says more than the page.
fn remark(annotation: &Dict<'_>, page: &str) -> Option<String> {
    let kind = annotation.get::<Name<'_>>("Subtype")?;
    let field = |key: &str| {
        let text = text_of(annotation.get::<Bytes<'_>>(key)?.as_bytes());
        Some(one_line(&without_controls(&text))).filter(|words| !words.is_empty())
    };
    let words = field("Contents").filter(|_| KINDS.contains(&kind.as_str()) && !is_hidden(annotation))?;
    if words.chars().count() >= COPY && page.contains(&words) {
        return None;
    }
    Some(field("T").map_or_else(|| words.clone(), |author| format!("{author}: {words}")))
}
