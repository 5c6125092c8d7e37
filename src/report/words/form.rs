//! The words of the pages and documents that are made of a report.

use serde::Deserialize;

/// The fixed words of a page or document that is made of a report. `{n}` and `{m}` stand for numbers.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FormWords {
    /// Of the headings.
    pub contents: &'static str,
    /// Heads the cited documents in a style.
    pub references: &'static str,
    /// Before the question.
    pub question: &'static str,
    /// A citation's words beside the text.
    pub passage: &'static str,
    /// Of a file.
    pub line: &'static str,
    /// Leads back to the sentence.
    pub back: &'static str,
    /// Before the places that cite a source.
    pub cited_in: &'static str,
    /// Of a sentence that rests on one document.
    pub one_source: &'static str,
    /// `{n}` of `{m}` sentences do.
    pub one_source_count: &'static str,
    /// All `{n}` of them do.
    pub all_one_source: &'static str,
    /// Of a sentence that should cite something.
    pub uncited: &'static str,
    /// Heads the drawings.
    pub overview: &'static str,
    /// What was found and is cited.
    pub coverage: &'static str,
    /// `{n}` of `{m}` passages.
    pub passages: &'static str,
    /// `{n}` of `{m}` documents.
    pub documents: &'static str,
    /// The documents by their days.
    pub timeline: &'static str,
    /// The searches.
    pub tree: &'static str,
    /// Opens what a drawing shows as a list.
    pub as_list: &'static str,
    /// Heads the figures of a disagreement, the days, and what the sources say.
    pub against: [&'static str; 3],
    /// Said before the page has checked itself.
    pub unchecked: &'static str,
    /// All `{n}` parts are as they were written.
    pub intact: &'static str,
    /// Before what is not.
    pub altered: &'static str,
    /// Where the browser has no hashes.
    pub uncheckable: &'static str,
    /// The kinds of parts: sentence, passage, source, heading, drawing, text, the report kept in the page, and the page.
    pub parts: [&'static str; 8],
    /// Before the choice of a source.
    pub filter: &'static str,
    /// The choice of all.
    pub all: &'static str,
}
