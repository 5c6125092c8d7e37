//! What each HTML element means for the text around it.

use scraper::CaseSensitivity;
use scraper::node::Element;

use crate::documents::parse::writer::Kind;

impl Kind {
    /// What an element of a page does.
    pub(super) fn of(element: &Element) -> Kind {
        match element.name() {
            "h1" => Kind::Heading(1),
            "h2" => Kind::Heading(2),
            "h3" => Kind::Heading(3),
            "h4" => Kind::Heading(4),
            "h5" => Kind::Heading(5),
            "h6" => Kind::Heading(6),
            "ul" | "ol" | "menu" | "dir" => Kind::List,
            "li" => Kind::Item,
            "table" => Kind::Table,
            "tr" => Kind::Row,
            "td" | "th" => Kind::Cell,
            "pre" | "listing" | "xmp" => Kind::Preformatted,
            "img" | "area" => Kind::Image,
            "br" => Kind::Break,
            "dt" => Kind::Term,
            "dd" | "option" | "legend" | "summary" | "figcaption" => Kind::Line,
            "html" | "body" | "p" | "div" | "section" | "article" | "main" | "header" | "footer" | "aside" | "nav"
            | "form" | "fieldset" | "blockquote" | "figure" | "details" | "dl" | "hr" | "address" | "hgroup"
            | "center" | "caption" | "search" => Kind::Block,
            _ => Kind::Inline,
        }
    }
}

/// Whether an element never holds words of the page.
pub(super) fn is_wordless(element: &Element) -> bool {
    let by_name = matches!(
        element.name(),
        "head" | "title" | "script" | "style" | "template" | "noscript" | "iframe" | "object" | "embed" | "svg" | "math"
            | "canvas" | "audio" | "video" | "textarea" | "select" | "datalist" | "dialog" | "frameset"
            // The reading above a word would split it.
            | "rt" | "rp"
    );
    by_name
        || element.attr("hidden").is_some_and(|value| !value.eq_ignore_ascii_case("until-found"))
        || element.attr("aria-hidden") == Some("true")
        // Marks that generators put beside headings.
        || ["headerlink", "mw-editsection"].iter().any(|class| has_class(element, class))
}

/// Classes that generators of pages and of manuals give to links around the text.
const FURNITURE: [&str; 6] = ["navheader", "navfooter", "navbox", "breadcrumb", "breadcrumbs", "pagination"];

/// Whether an element holds words about the site rather than the page.
pub(super) fn is_furniture(element: &Element) -> bool {
    matches!(element.name(), "nav" | "footer" | "form" | "button" | "search")
        || (element.name() == "aside" && !is_note(element))
        || FURNITURE.iter().any(|class| has_class(element, class))
        || element.attr("role").is_some_and(|role| {
            matches!(role, "navigation" | "contentinfo" | "complementary" | "search" | "dialog" | "alertdialog")
        })
}

/// Whether what stands aside belongs to the text: footnotes and boxes, as generators of documentation mark them.
fn is_note(element: &Element) -> bool {
    matches!(element.attr("role"), Some("note" | "doc-footnote" | "doc-endnotes" | "doc-tip"))
        || ["footnote", "footnote-list", "topic", "admonition"].iter().any(|class| has_class(element, class))
}

/// Whether the page calls an element its main part.
pub(super) fn is_main(element: &Element) -> bool {
    element.name() == "main" || element.attr("role") == Some("main")
}

fn has_class(element: &Element, class: &str) -> bool {
    // `has_class` of a missing attribute is cheap; most elements have none.
    element.has_class(class, CaseSensitivity::CaseSensitive)
}
