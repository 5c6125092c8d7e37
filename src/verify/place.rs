//! Finds where the words of a citation stand today.

use std::cell::OnceCell;
use std::ops::Range;

use serde::Serialize;

use super::near::{Nearest, Words};
use super::plain::{Plain, plain};
use super::read::ReadCitation;
use crate::base::text::skip_marks;

/// The fewest bytes of context before or after a quote that must be the same for its place to be recognised.
const CONTEXT: usize = 12;
/// Bytes around recognised context within which an edited quote is looked for.
const NEARBY: usize = 2_000;

/// The present state of a citation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// The words are where they were.
    Unchanged,
    /// The same words are elsewhere in the document, or in another one.
    Moved,
    /// Other words are in their place.
    Edited,
    /// Nothing like them is left.
    Vanished,
    /// The words are where they were, but a newer document says otherwise.
    Superseded,
    /// The document is a web page that is not loaded.
    Unchecked,
}

impl Verdict {
    /// Whether a sentence may still rest on the citation.
    pub fn holds(self) -> bool {
        matches!(self, Verdict::Unchanged | Verdict::Moved | Verdict::Unchecked)
    }
}

/// A citation, checked.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CheckedCitation {
    /// The number in the text.
    pub number: usize,
    /// Its present state.
    pub verdict: Verdict,
    /// The document, as the report names it.
    pub path: String,
    /// The document that has the words now, or those in their place.
    pub document: Option<String>,
    /// Their bytes there.
    pub bytes: Option<[usize; 2]>,
    /// The words as the report quotes them.
    pub quote: String,
    /// The words now in their place, if they differ.
    pub now: Option<String>,
    /// Further information, such as where a newer version is.
    pub note: String,
    /// Title and date of the document that replaces the cited one; empty if none does.
    #[serde(skip)]
    pub newer: (String, String),
    /// Those of its words that still hold, if an amendment changes only some of its sentences.
    #[serde(skip)]
    pub kept: Option<String>,
    /// The collection's name; empty if there is none.
    #[serde(skip)]
    pub collection: String,
    /// The passage around the present words, in bytes.
    #[serde(skip)]
    pub passage: [usize; 2],
    /// The text right before and after the present words.
    #[serde(skip)]
    pub around: (String, String),
}

/// How well one document matches a citation, from worst to best.
#[derive(Clone, Debug)]
pub(super) enum PlaceMatch {
    /// Something similar.
    Near(Nearest),
    /// Other words between the old context.
    InPlace(Nearest),
    /// The words, in another place.
    Elsewhere([usize; 2]),
    /// The words, in their old place.
    Same([usize; 2]),
}

impl PlaceMatch {
    pub fn rank(&self) -> u32 {
        match self {
            PlaceMatch::Near(near) => (near.share * 100.0) as u32,
            PlaceMatch::InPlace(_) => 200,
            PlaceMatch::Elsewhere(_) => 300,
            PlaceMatch::Same(_) => 400,
        }
    }
}

/// Looks for a citation in a document.
pub(super) fn look<'t>(
    citation: &ReadCitation,
    text: &'t str,
    whole: &Plain,
    words: &OnceCell<Words<'t>>,
) -> Option<PlaceMatch> {
    let wanted = plain(&citation.quote);
    let place = citation.place.as_ref();
    let contexts = place.map(|place| (plain(&place.before), plain(&place.after))).unwrap_or_default();
    let (before, after) = (last_bytes(&contexts.0, CONTEXT), first_bytes(&contexts.1, CONTEXT));
    let nearest = |within: Range<usize>| words.get_or_init(|| Words::of(text)).nearest(&citation.quote, within);
    let has_context = is_known(before) || is_known(after);
    if !wanted.is_empty() {
        let same_start = place.map(|place| skip_marks(text, place.bytes[0]));
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
                return Some(PlaceMatch::Same(bytes));
            }
            // The same words may occur twice in a document. If their old context now encloses other words, those are
            // the edited ones.
            if agreed == 0
                && has_context
                && let Some(near) = between(whole, &contexts, &nearest).filter(|near| near.share < 1.0)
            {
                return Some(PlaceMatch::InPlace(near));
            }
            return Some(PlaceMatch::Elsewhere(bytes));
        }
    }
    if is_known(before) && is_known(after) && whole.text.contains(&format!("{}{}", contexts.0, contexts.1)) {
        // The context before and after it is now adjacent, so the words were removed.
        return None;
    }
    between(whole, &contexts, &nearest)
        .map(PlaceMatch::InPlace)
        .or_else(|| nearest(0..text.len()).map(PlaceMatch::Near))
        .or_else(|| of_same_name(&citation.quote, text).map(PlaceMatch::InPlace))
}

/// The line of a document that gives another value to the name of a quoted line `name: value`; `None` if several do.
/// Too few words of such a line may be left to find it by them.
fn of_same_name(quote: &str, text: &str) -> Option<Nearest> {
    let name = |line: &str| {
        let (name, value) = line.trim_start_matches(['-', '*', '•', ' ']).split_once([':', '：'])?;
        let is_value = !value.trim().is_empty() && !value.starts_with("//") && !name.contains('|');
        is_value.then(|| plain(name)).filter(|name| !name.is_empty())
    };
    let wanted = name(quote).filter(|_| quote.trim().lines().count() == 1)?;
    let mut at = 0;
    let lines = text.split_inclusive('\n').map(|line| {
        at += line.len();
        let start = at - line.trim_start().len();
        (start..start + line.trim().len(), line)
    });
    let mut named = lines.filter(|(_, line)| name(line).as_ref() == Some(&wanted));
    let (bytes, _) = named.next().filter(|_| named.next().is_none())?;
    Some(Nearest { bytes, share: 0.0 })
}

/// The part between the context that stood `before` and `after` a quote.
fn between(
    whole: &Plain,
    (before, after): &(String, String),
    nearest: &impl Fn(Range<usize>) -> Option<Nearest>,
) -> Option<Nearest> {
    // As much context as it takes to tell the place from others, such as the rows of a table.
    let once = |shorten: fn(&str, usize) -> &str, context: &str| {
        let lengths = (CONTEXT..context.len()).step_by(CONTEXT).chain([context.len()]);
        let words = lengths.map(|length| shorten(context, length)).filter(|words| is_known(words));
        let places =
            |words: &str| whole.text.match_indices(words).map(|(at, _)| at..at + words.len()).take(2).collect();
        let found = words.map(places).find(|places: &Vec<Range<usize>>| places.len() < 2)?;
        found.first().map(|place| whole.original(place.start, place.end))
    };
    let from = once(last_bytes, before).map(|bytes| bytes[1]);
    let to = once(first_bytes, after).map(|bytes| bytes[0]);
    match (from, to) {
        (Some(from), Some(to)) if from < to && to - from < NEARBY => nearest(from..to),
        (Some(from), None) => nearest(from..from + NEARBY / 2),
        (None, Some(to)) => nearest(to.saturating_sub(NEARBY / 2)..to),
        _ => None,
    }
}

/// Whether the context is long enough to recognise a place by.
fn is_known(context: &str) -> bool {
    context.len() + 3 > CONTEXT
}

/// At most `length` bytes from the end.
fn last_bytes(text: &str, length: usize) -> &str {
    &text[text.ceil_char_boundary(text.len().saturating_sub(length))..]
}

/// At most `length` bytes from the beginning.
fn first_bytes(text: &str, length: usize) -> &str {
    &text[..text.floor_char_boundary(length)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_edited_where_its_name_stands() {
        let check = |quote: &str, text: &str, expected: Option<&str>| {
            assert_eq!(of_same_name(quote, text).map(|near| &text[near.bytes]), expected, "{quote}");
        };
        let text = "Lease\n\n- Rent: £900\n- **Deposit**: £11,900\nTerm: five years\nNote: a\nNote: b\n";
        check("Deposit: £10,200", text, Some("- **Deposit**: £11,900"));
        check("- Term: ten years", text, Some("Term: five years"));
        check("Note: c", text, None);
        check("Fee: £5", text, None);
        check("Rent: £800\nTerm: ten years", text, None);
        check("https://example.org", "https://example.com", None);
    }
}
