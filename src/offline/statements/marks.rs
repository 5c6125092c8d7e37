//! Markup of a document's source that concerns its layout or addresses its editors: it states nothing.

use std::ops::Range;

use crate::base::text::is_link_target;

/// Directives of reStructuredText whose words address the reader.
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

/// The number of lines from `at` on that state nothing: a comment, a drawer of Org, a link target, a directive.
pub(super) fn skipped_line_count(text: &str, lines: &[Range<usize>], at: usize) -> usize {
    let line = text[lines[at].clone()].trim();
    let end = match line {
        _ if line.starts_with("<!--") => "-->",
        ":PROPERTIES:" | ":LOGBOOK:" => ":END:",
        ":END:" => return 1,
        _ => return usize::from(is_link_target(line) || is_directive(line)),
    };
    let closes = lines[at..].iter().position(|line| text[line.clone()].contains(end)).unwrap_or(0);
    // Text that follows a comment on its line is a statement.
    let behind = line.split_once(end).map_or("", |(_, behind)| behind.trim());
    if behind.is_empty() { closes + 1 } else { 0 }
}

/// Whether a line only instructs a program: `.. list-table::`, `.. _target:`, `.. note::` above its words.
fn is_directive(line: &str) -> bool {
    let says = |(name, words): (&str, &str)| REMARKS.contains(&name) && !words.trim().is_empty();
    line.strip_prefix(".. ").is_some_and(|directive| match directive.split_once("::") {
        Some(parts) => !directive.starts_with('[') && !says(parts),
        None => directive.starts_with('_'),
    })
}
