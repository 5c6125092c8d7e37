//! A page's own statements in its head: title, date, language and authorship.

use jiff::civil::Date;
use scraper::{Html, Node};

use super::super::{authorship, date as dates, label};
use crate::base::text::Language;
use crate::domain::{Authorship, DocumentDate};

/// Names under which pages give the day of their publication, the most reliable first; days of changes come last.
const DATE_NAMES: [&str; 24] = [
    "article:published_time",
    "datepublished",
    "date",
    "dc.date",
    "dc.date.issued",
    "dc.date.created",
    "dcterms.date",
    "dcterms.issued",
    "dcterms.created",
    "dcterms.available",
    "citation_publication_date",
    "citation_online_date",
    "citation_date",
    "pubdate",
    "publishdate",
    "publish-date",
    "publish_date",
    "publication_date",
    "parsely-pub-date",
    "sailthru.date",
    "og:article:published_time",
    "article:modified_time",
    "datemodified",
    "last-modified",
];

/// The page's title: `<title>`, else the one that it offers to sites that link to it.
pub(super) fn title(page: &Html) -> Option<String> {
    let mut offered = None;
    for node in page.tree.nodes() {
        let Node::Element(element) = node.value() else { continue };
        match element.name() {
            "title" if !is_in_drawing(node) => {
                let words: String =
                    node.children().filter_map(|child| child.value().as_text().map(|text| &**text)).collect();
                if let Some(title) = label(&words) {
                    return Some(title);
                }
            }
            "meta" if offered.is_none() && element.attr("property") == Some("og:title") => {
                offered = element.attr("content").and_then(label);
            }
            _ => {}
        }
    }
    offered
}

/// The authors, journal, publisher and DOI in a page's head, as journals give them.
pub(super) fn authorship(page: &Html) -> Authorship {
    let mut said = Authorship::default();
    for node in page.tree.nodes() {
        let Node::Element(element) = node.value() else { continue };
        let (Some(name), Some(content)) = (element.attr("name"), element.attr("content")) else { continue };
        let field = match name.to_ascii_lowercase().as_str() {
            "citation_author" | "author" | "dc.creator" => "creator",
            "citation_journal_title" | "prism.publicationname" => "publicationName",
            "citation_publisher" | "dc.publisher" => "publisher",
            "citation_doi" | "dc.identifier" | "prism.doi" => "doi",
            _ => continue,
        };
        authorship::take(&mut said, field, content);
    }
    said
}

/// The language that the page declares for all of its text.
pub(super) fn language(page: &Html) -> Language {
    let declares = |name: &str| matches!(name, "html" | "body");
    let mut elements = page.tree.nodes().filter_map(|node| node.value().as_element()).take(8);
    let tag = elements.find_map(|element| element.attr("lang").filter(|_| declares(element.name())));
    Language::tagged(tag.unwrap_or_default())
}

/// Whether a title belongs to a drawing.
fn is_in_drawing(node: ego_tree::NodeRef<'_, Node>) -> bool {
    node.parent()
        .and_then(|parent| parent.value().as_element().map(|element| element.name() != "head"))
        .unwrap_or(false)
}

/// With more words around it than this, a `<time>` is part of a sentence that mentions the day.
const WORDS_BESIDE_TIME: usize = 6;
/// How many elements and texts around a `<time>` are looked at.
const NODES_BESIDE_TIME: usize = 100;
/// A `<time>` before this year is a date that the page mentions.
const FIRST_YEAR: i16 = 1980;

/// The day that a page gives in `<meta>`, else in the first `<time>` that stands by itself.
pub(super) fn date(page: &Html) -> Option<DocumentDate> {
    let mut best: Option<(usize, Date)> = None;
    for node in page.tree.nodes() {
        let Node::Element(element) = node.value() else { continue };
        let (rank, value) = match element.name() {
            // The first `<time>` is taken, and a day in `<meta>` is more reliable.
            "time" if best.is_some() || is_beside_words(node) => continue,
            "time" => (DATE_NAMES.len(), element.attr("datetime")),
            _ => {
                let name = ["property", "name", "itemprop", "http-equiv"].iter().find_map(|key| element.attr(key));
                let Some(name) = name.map(str::to_ascii_lowercase) else { continue };
                let Some(rank) = DATE_NAMES.iter().position(|known| *known == name) else { continue };
                (rank, element.attr("content").or_else(|| element.attr("datetime")))
            }
        };
        let Some(value) = value.filter(|value| value.len() < 200) else { continue };
        if best.is_none_or(|(known, _)| rank < known)
            && let Some(date) = dates::find(value)
            && (rank < DATE_NAMES.len() || date.year() >= FIRST_YEAR)
        {
            best = Some((rank, date));
        }
    }
    best.map(|(_, date)| DocumentDate::metadata(date))
}

/// Whether a `<time>` is within a sentence.
fn is_beside_words(time: ego_tree::NodeRef<'_, Node>) -> bool {
    let flows = |name: &str| matches!(name, "p" | "li" | "td" | "dd" | "blockquote" | "figcaption");
    let around = time.ancestors().take(8).find(|node| node.value().as_element().is_some_and(|one| flows(one.name())));
    let Some(around) = around else { return false };
    let texts = around.descendants().take(NODES_BESIDE_TIME).filter_map(|node| node.value().as_text());
    texts.flat_map(|text| text.split_whitespace()).nth(WORDS_BESIDE_TIME + 3).is_some()
}
