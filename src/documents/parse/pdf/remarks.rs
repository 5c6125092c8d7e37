//! Remarks that somebody left on the pages: no page draws their words.

use std::collections::BTreeSet;

use hayro_syntax::Pdf;
use hayro_syntax::object::{Array, Dict, Name, String as Bytes};
use hayro_syntax::page::Page;

use super::information::text_of;
use super::layout::Block;
use crate::base::quiet;
use crate::base::text::{one_line, without_controls};

/// Kinds of annotations that are remarks; others are links, fields, and the windows that remarks open in.
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

/// Remarks of a page that are read.
const MOST: usize = 1000;

/// Puts the remarks of each page behind its blocks, in type of `size`, and before a paragraph that goes on overleaf.
pub(super) fn add(pdf: &Pdf, pages: &mut [Vec<Block>], goes_on: &[bool], size: f64) {
    let (mut seen, mut number, mut due) = (BTreeSet::new(), 0, Vec::new());
    for (at, (page, blocks)) in pdf.pages().iter().zip(pages).enumerate() {
        // Where the list is damaged, the page has its words still.
        let found = quiet::catch(|| of_page(page)).unwrap_or_default();
        // A page may name the same remark again and again.
        due.extend(found.into_iter().filter(|words| seen.insert(words.clone())));
        let is_cut = |page: usize| goes_on.get(page) == Some(&true);
        let place = blocks.len().saturating_sub(usize::from(is_cut(at + 1)));
        if place == 0 && is_cut(at) {
            // The page is a part of one sentence.
            continue;
        }
        let remarks: Vec<Block> = due
            .drain(..)
            .map(|words| {
                number += 1;
                Block { text: format!("[^{number}]: {words}"), size, ..Block::default() }
            })
            .collect();
        drop(blocks.splice(place..place, remarks));
    }
}

fn of_page(page: &Page<'_>) -> Vec<String> {
    let Some(annotations) = page.raw().get::<Array<'_>>("Annots") else { return Vec::new() };
    annotations.iter::<Dict<'_>>().take(MOST).filter_map(|annotation| remark(&annotation)).collect()
}

/// The words of a remark behind the name of who wrote them.
fn remark(annotation: &Dict<'_>) -> Option<String> {
    let kind = annotation.get::<Name<'_>>("Subtype")?;
    let field = |key: &str| {
        let text = text_of(annotation.get::<Bytes<'_>>(key)?.as_bytes());
        Some(one_line(&without_controls(&text))).filter(|words| !words.is_empty())
    };
    let words = field("Contents").filter(|_| KINDS.contains(&kind.as_str()))?;
    Some(field("T").map_or_else(|| words.clone(), |author| format!("{author}: {words}")))
}
