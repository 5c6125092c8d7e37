//! What of a document's source says how it is set, or what is for whoever edits it: it states nothing.

use std::ops::Range;

use crate::base::text::is_link_target;

/// Directives of reStructuredText whose words are said to the reader.
const REMARKS: [&str; 14] = [
    "note",
    "tip",
    "hint",
    "warning",
    "caution",
    "danger",
    "error",
    "important",
    "attention",
    "seealso",
    "admonition",
    "versionadded",
    "versionchanged",
    "deprecated",
];

/// How many lines from the one at `at` on state nothing: a comment, a drawer of Org, where links lead, a directive.
pub(super) fn unsaid(text: &str, lines: &[Range<usize>], at: usize) -> usize {
    let line = text[lines[at].clone()].trim();
    let end = match line {
        _ if line.starts_with("<!--") => "-->",
        ":PROPERTIES:" | ":LOGBOOK:" => ":END:",
        ":END:" => return 1,
        _ => return usize::from(is_link_target(line) || is_directive(line)),
    };
    let closes = lines[at..].iter().position(|line| text[line.clone()].contains(end)).unwrap_or(0);
    // Words may stand behind a comment of one line, and those are said.
    let behind = line.split_once(end).map_or("", |(_, behind)| behind.trim());
    if behind.is_empty() { closes + 1 } else { 0 }
}

/// Whether a line only tells a program what to do here: `.. list-table::`, `.. _target:`, `.. note::` above its words.
fn is_directive(line: &str) -> bool {
    let says = |(name, words): (&str, &str)| REMARKS.contains(&name) && !words.trim().is_empty();
    line.strip_prefix(".. ").is_some_and(|directive| match directive.split_once("::") {
        Some(parts) => !directive.starts_with('[') && !says(parts),
        None => directive.starts_with('_'),
    })
}
