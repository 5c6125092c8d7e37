//! Where the words of a citation stand today.

use std::cell::OnceCell;
use std::ops::Range;

use serde::Serialize;

use super::near::{Nearest, Words};
use super::plain::{Plain, plain};
use super::read::ReadCitation;
use crate::base::text::behind_marks;

/// Bytes of what stood around a quote that must be the same for its place to be known again.
const CONTEXT: usize = 12;
/// How far from known words an edited quote is looked for.
const NEARBY: usize = 2_000;

/// What became of a citation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// The words stand where they stood.
    Unchanged,
    /// The same words stand elsewhere in the document, or in another one.
    Moved,
    /// Other words stand in their place.
    Edited,
    /// Nothing like them is there.
    Vanished,
    /// They stand where they stood, and a newer document says otherwise.
    Superseded,
    /// The document is a page of the web that is not loaded.
    Unchecked,
}

impl Verdict {
    /// Whether a sentence may still rest on it.
    pub fn holds(self) -> bool {
        matches!(self, Verdict::Unchanged | Verdict::Moved | Verdict::Unchecked)
    }
}

/// A citation, checked.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CheckedCitation {
    /// The number in the text.
    pub number: usize,
    /// What became of it.
    pub verdict: Verdict,
    /// The document as the report names it.
    pub path: String,
    /// The document in which the words, or those in their place, stand now.
    pub document: Option<String>,
    /// Where they stand there.
    pub bytes: Option<[usize; 2]>,
    /// The words as the report quotes them.
    pub quote: String,
    /// The words that stand in their place, where they are others.
    pub now: Option<String>,
    /// What else is known, as where a newer version is.
    pub note: String,
    /// Title and day of the document that has come in the place of the cited one; empty where none has.
    #[serde(skip)]
    pub newer: (String, String),
    /// The collection's name; empty where there is none.
    #[serde(skip)]
    pub collection: String,
    /// The passage around the words as they are now.
    #[serde(skip)]
    pub passage: [usize; 2],
    /// What stands right before and after them now.
    #[serde(skip)]
    pub around: (String, String),
}

/// What one document has of a citation, the better the greater.
#[derive(Clone, Debug)]
pub(super) enum Found {
    /// Something like it.
    Near(Nearest),
    /// Other words between those that stood around it.
    InPlace(Nearest),
    /// The words, in another place.
    Elsewhere([usize; 2]),
    /// The words where they stood.
    Same([usize; 2]),
}

impl Found {
    pub fn rank(&self) -> u32 {
        match self {
            Found::Near(near) => (near.share * 100.0) as u32,
            Found::InPlace(_) => 200,
            Found::Elsewhere(_) => 300,
            Found::Same(_) => 400,
        }
    }
}

/// Looks for a citation in a document.
pub(super) fn look<'t>(
    citation: &ReadCitation,
    text: &'t str,
    whole: &Plain,
    words: &OnceCell<Words<'t>>,
) -> Option<Found> {
    let wanted = plain(&citation.quote);
    let place = citation.place.as_ref();
    let contexts = place.map(|place| (plain(&place.before), plain(&place.after))).unwrap_or_default();
    let (before, after) = (tail(&contexts.0), head(&contexts.1));
    let nearest = |within: Range<usize>| words.get_or_init(|| Words::of(text)).nearest(&citation.quote, within);
    let has_context = is_known(before) || is_known(after);
    if !wanted.is_empty() {
        let same_start = place.map(|place| behind_marks(text, place.bytes[0]));
        let agreement = |at: usize| {
            let end = at + wanted.len();
            usize::from(is_known(before) && whole.text[..at].ends_with(before))
                + usize::from(is_known(after) && whole.text[end..].starts_with(after))
        };
        let mut best: Option<(bool, usize, usize)> = None;
        for (at, _) in whole.text.match_indices(wanted.as_str()) {
            let is_same = same_start == Some(whole.original(at, at + wanted.len())[0]);
            let candidate = (is_same, agreement(at), at);
            if best.is_none_or(|(same, agreed, _)| (is_same, candidate.1) > (same, agreed)) {
                best = Some(candidate);
            }
        }
        if let Some((is_same, agreed, at)) = best {
            let bytes = whole.original(at, at + wanted.len());
            if is_same || place.is_none() {
                return Some(Found::Same(bytes));
            }
            // The same words may stand in a document twice. Where what stood around them now holds others, those are
            // what became of them.
            if agreed == 0
                && has_context
                && let Some(near) = between(whole, before, after, &nearest).filter(|near| near.share < 1.0)
            {
                return Some(Found::InPlace(near));
            }
            return Some(Found::Elsewhere(bytes));
        }
    }
    if is_known(before) && is_known(after) && whole.text.contains(&format!("{}{}", contexts.0, contexts.1)) {
        // What stood before and after it now stands side by side.
        return None;
    }
    between(whole, before, after, &nearest).map(Found::InPlace).or_else(|| nearest(0..text.len()).map(Found::Near))
}

/// What stands between the words that stood around a quote.
fn between(
    whole: &Plain,
    before: &str,
    after: &str,
    nearest: &impl Fn(Range<usize>) -> Option<Nearest>,
) -> Option<Nearest> {
    let once = |words: &str| {
        let mut places = whole.text.match_indices(words).map(|(at, _)| at);
        let first = places.next().filter(|_| is_known(words))?;
        places.next().is_none().then_some(first)
    };
    let from = once(before).map(|at| whole.original(at, at + before.len())[1]);
    let to = once(after).map(|at| whole.original(at, at + after.len())[0]);
    match (from, to) {
        (Some(from), Some(to)) if from < to && to - from < NEARBY => nearest(from..to),
        (Some(from), None) => nearest(from..from + NEARBY / 2),
        (None, Some(to)) => nearest(to.saturating_sub(NEARBY / 2)..to),
        _ => None,
    }
}

/// Whether there are enough words to know a place by.
fn is_known(context: &str) -> bool {
    context.len() + 3 > CONTEXT
}

fn tail(text: &str) -> &str {
    &text[text.ceil_char_boundary(text.len().saturating_sub(CONTEXT))..]
}

fn head(text: &str) -> &str {
    &text[..text.floor_char_boundary(CONTEXT)]
}
