//! The fixed words of the pages and documents made from a report.

use serde::Deserialize;

/// The fixed words of a page or document made from a report. `{n}` and `{m}` stand for numbers.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FormWords {
    /// The title of the table of contents.
    pub contents: &'static str,
    /// The heading of the list of cited documents in a citation style.
    pub references: &'static str,
    /// Precedes the question.
    pub question: &'static str,
    /// The label of a cited passage beside the text.
    pub passage: &'static str,
    /// A line of a file; its number stands for `{n}`, or behind the word.
    pub line: &'static str,
    /// The link back to the sentence.
    pub back: &'static str,
    /// Precedes the places that cite a source.
    pub cited_in: &'static str,
    /// The mark of a sentence that rests on one document only.
    pub one_source: &'static str,
    /// Says that `{n}` of `{m}` sentences rest on one document only.
    pub one_source_count: &'static str,
    /// Says that all `{n}` sentences rest on one document each.
    pub all_one_source: &'static str,
    /// The mark of a sentence that lacks a citation.
    pub uncited: &'static str,
    /// The heading of the drawings.
    pub overview: &'static str,
    /// The title of the drawing of passages found and cited.
    pub coverage: &'static str,
    /// Says that `{n}` of `{m}` passages are cited.
    pub passages: &'static str,
    /// Says that `{n}` of `{m}` documents are cited.
    pub documents: &'static str,
    /// The title of the timeline of the cited documents.
    pub timeline: &'static str,
    /// The title of the tree of searches.
    pub tree: &'static str,
    /// Opens the contents of a drawing as a list.
    pub as_list: &'static str,
    /// The headings of the figures of a disagreement, the dates, and the statements of the sources.
    pub against: [&'static str; 3],
    /// Shown until the page has checked itself.
    pub unchecked: &'static str,
    /// Says that all `{n}` parts are unaltered.
    pub intact: &'static str,
    /// Precedes the parts that were altered.
    pub altered: &'static str,
    /// Shown if the browser cannot compute hashes.
    pub uncheckable: &'static str,
    /// The kinds of parts: sentence, passage, source, heading, drawing, text, the report kept in the page, and the
    /// page.
    pub parts: [&'static str; 8],
    /// Precedes the choice of a source.
    pub filter: &'static str,
    /// The choice of all sources.
    pub all: &'static str,
}
