//! The meaning of each HTML element for the text around it.

use ego_tree::NodeRef;
use scraper::node::Element;
use scraper::{CaseSensitivity, Node};

use crate::documents::parse::writer::Kind;

/// Classes, and beginnings of classes, that generators give to source code and to screen output.
const CODE: [&str; 6] = ["highlight", "code", "programlisting", "screen", "prettyprint", "brush:"];
const CODE_STEMS: [&str; 4] = ["highlight-", "language-", "sourceCode", "literal-block"];

impl Kind {
    /// The kind of an element. Preformatted text may be code, but also mail or a poem.
    pub(super) fn of(node: NodeRef<'_, Node>, element: &Element) -> Kind {
        let kind = Kind::of_name(element.name());
        if kind == Kind::Preformatted && is_code(node, element) { Kind::Code } else { kind }
    }

    pub(super) fn of_name(name: &str) -> Kind {
        match name {
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

/// Whether a preformatted element is code: its class or its parent's says so, or it has a `code` child.
fn is_code(node: NodeRef<'_, Node>, element: &Element) -> bool {
    let is_named = |element: &Element| {
        element.classes().any(|class| CODE.contains(&class) || CODE_STEMS.iter().any(|stem| class.starts_with(stem)))
    };
    let is_within = || node.parent().and_then(|parent| parent.value().as_element()).is_some_and(is_named);
    let holds = || node.children().any(|child| child.value().as_element().is_some_and(|child| child.name() == "code"));
    is_named(element) || is_within() || holds()
}

/// Whether an element never contains words of the page.
pub(super) fn is_wordless(element: &Element) -> bool {
    let by_name = matches!(
        element.name(),
        "head" | "title" | "script" | "style" | "template" | "noscript" | "iframe" | "object" | "embed" | "svg" | "math"
            | "canvas" | "audio" | "video" | "textarea" | "select" | "datalist" | "dialog" | "frameset"
            // The reading above a word would split the word.
            | "rt" | "rp"
    );
    by_name
        || element.attr("hidden").is_some_and(|value| !value.eq_ignore_ascii_case("until-found"))
        || element.attr("aria-hidden") == Some("true")
        // Marks that generators put beside headings, and hidden lines of examples.
        || ["headerlink", "mw-editsection", "boring"].iter().any(|class| has_class(element, class))
}

/// Classes that generators of pages and manuals give to links around the text.
const FURNITURE: [&str; 6] = ["navheader", "navfooter", "navbox", "breadcrumb", "breadcrumbs", "pagination"];

/// Whether an element contains words about the site rather than the page.
pub(super) fn is_furniture(element: &Element) -> bool {
    matches!(element.name(), "nav" | "footer" | "form" | "button" | "search")
        || (element.name() == "aside" && !is_note(element))
        || FURNITURE.iter().any(|class| has_class(element, class))
        || element.attr("role").is_some_and(|role| {
            matches!(role, "navigation" | "contentinfo" | "complementary" | "search" | "dialog" | "alertdialog")
        })
}

/// Whether an aside belongs to the text: a footnote or a box, as documentation generators mark them.
fn is_note(element: &Element) -> bool {
    matches!(element.attr("role"), Some("note" | "doc-footnote" | "doc-endnotes" | "doc-tip"))
        || ["footnote", "footnote-list", "topic", "admonition"].iter().any(|class| has_class(element, class))
}

/// Whether an element refers to a note, as books and documentation generators mark it.
pub(super) fn refers_to_note(element: &Element) -> bool {
    element.attr("epub:type") == Some("noteref")
        || element.attr("role") == Some("doc-noteref")
        || has_class(element, "footnote-reference")
}

/// Whether the page declares an element to be its main part.
pub(super) fn is_main(element: &Element) -> bool {
    element.name() == "main" || element.attr("role") == Some("main")
}

fn has_class(element: &Element, class: &str) -> bool {
    // The lookup is cheap without a class attribute, and most elements have none.
    element.has_class(class, CaseSensitivity::CaseSensitive)
}
