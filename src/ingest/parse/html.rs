//! Web pages: the words a reader sees, with headings, lists and tables, and without the page's furniture.

use ego_tree::iter::Edge;
use ego_tree::{NodeId, NodeRef};
use scraper::node::Element;
use scraper::{Html, Node};

use super::Parsed;
use super::dates::parse_date;
use crate::base::text::one_line;
use crate::domain::{DateOrigin, DocumentDate, Heading};

/// The tree takes many times its source, and building it takes time with the square of the depth; what is longer or
/// deeper is read by dropping its tags.
const TREE_MAX_BYTES: usize = 16 * 1024 * 1024;
const TREE_MAX_DEPTH: usize = 2000;
/// A `<main>` with less text than this holds something else than the page's matter.
const MAIN_MIN_BYTES: usize = 200;

/// Title, text, headings and date of a page.
pub(super) fn parse(source: &str) -> Parsed {
    if source.len() > TREE_MAX_BYTES || is_deep(source) {
        return Parsed { text: without_tags(source), ..Parsed::default() };
    }
    let page = Html::parse_document(source);
    let head = Head::of(&page);
    let mut parsed = match head.main {
        Some(main) => {
            let parsed = page.tree.get(main).map(render).unwrap_or_default();
            if parsed.text.len() >= MAIN_MIN_BYTES { parsed } else { render(page.tree.root()) }
        }
        None => render(page.tree.root()),
    };
    let heading = parsed.headings.iter().find(|heading| heading.level == 1).map(|heading| heading.text.clone());
    parsed.title = head.social_title.or(head.title).or(heading);
    parsed.date = head.date.map(|date| DocumentDate { date, origin: DateOrigin::Metadata });
    parsed
}

/// What a page says about itself.
#[derive(Default)]
struct Head {
    title: Option<String>,
    social_title: Option<String>,
    /// With its rank; the lowest wins, and among equals the first.
    dated: Option<(usize, jiff::civil::Date)>,
    date: Option<jiff::civil::Date>,
    main: Option<NodeId>,
}

/// Names under which pages keep their date, the most telling first; a `<time>` comes after them.
const DATE_NAMES: [&str; 12] = [
    "article:published_time",
    "datepublished",
    "date",
    "dc.date",
    "dcterms.date",
    "dc.date.issued",
    "dcterms.created",
    "pubdate",
    "publish_date",
    "citation_publication_date",
    "article:modified_time",
    "last-modified",
];

impl Head {
    fn of(page: &Html) -> Head {
        let mut head = Head::default();
        for node in page.tree.root().descendants() {
            let Node::Element(element) = node.value() else { continue };
            match element.name() {
                "title" if head.title.is_none() => head.title = text_of(node),
                "meta" => head.meta(element),
                "time" => head.dated(element.attr("datetime"), DATE_NAMES.len()),
                "main" => head.main = head.main.or(Some(node.id())),
                _ if element.attr("role") == Some("main") => head.main = head.main.or(Some(node.id())),
                _ => {}
            }
        }
        head.date = head.dated.map(|(_, date)| date);
        head
    }

    fn meta(&mut self, element: &Element) {
        let name = ["property", "name", "itemprop", "http-equiv"].iter().find_map(|key| element.attr(key));
        let Some(name) = name.map(str::to_ascii_lowercase) else { return };
        let content = element.attr("content");
        if name == "og:title" {
            self.social_title = content.map(one_line).filter(|title| !title.is_empty());
        } else if let Some(rank) = DATE_NAMES.iter().position(|known| *known == name) {
            self.dated(content, rank);
        }
    }

    fn dated(&mut self, text: Option<&str>, rank: usize) {
        if let Some(date) = text.and_then(parse_date)
            && self.dated.is_none_or(|(best, _)| rank < best)
        {
            self.dated = Some((rank, date));
        }
    }
}

fn text_of(node: NodeRef<'_, Node>) -> Option<String> {
    let joined: String = node.descendants().filter_map(|inner| inner.value().as_text().map(|text| &**text)).collect();
    Some(one_line(&joined)).filter(|text| !text.is_empty())
}

/// The text beneath `root`. Walks the tree without recursion, so depth costs no stack.
fn render(root: NodeRef<'_, Node>) -> Parsed {
    let mut page = Renderer::default();
    let mut skipped: Option<NodeId> = None;
    for edge in root.traverse() {
        match edge {
            Edge::Open(node) if skipped.is_none() => match node.value() {
                Node::Text(text) => page.text(text),
                Node::Element(element) if is_furniture(element) => skipped = Some(node.id()),
                Node::Element(element) => page.open(element.name()),
                _ => {}
            },
            Edge::Close(node) if skipped == Some(node.id()) => skipped = None,
            Edge::Close(node) if skipped.is_none() => {
                if let Node::Element(element) = node.value() {
                    page.close(element.name());
                }
            }
            _ => {}
        }
    }
    page.finish()
}

/// Whether an element is not part of what the page says.
fn is_furniture(element: &Element) -> bool {
    matches!(
        element.name(),
        "script"
            | "style"
            | "nav"
            | "footer"
            | "noscript"
            | "template"
            | "svg"
            | "iframe"
            | "head"
            | "button"
            | "select"
            | "canvas"
            | "object"
            | "dialog"
    ) || element.attr("hidden").is_some()
        || element.attr("aria-hidden") == Some("true")
        || matches!(element.attr("role"), Some("navigation" | "contentinfo" | "banner" | "search"))
        || element.classes().any(|class| matches!(class, "mw-editsection" | "navbox" | "noprint" | "sr-only"))
}

#[derive(Default)]
struct Renderer {
    parsed: Parsed,
    /// A space was seen and nothing has followed it yet.
    space: bool,
    /// Line feeds that the next word needs before it.
    newlines: usize,
    preformatted: usize,
    /// Level of the heading that is open, and where its text begins once it has any.
    heading: Option<(u8, Option<usize>)>,
    /// A cell has begun and nothing stands in it yet; whether it is the row's first.
    cell: Option<bool>,
    row_has_cells: bool,
    item: bool,
}

impl Renderer {
    fn text(&mut self, text: &str) {
        if self.preformatted > 0 {
            if !text.trim().is_empty() {
                self.settle();
                self.parsed.text.push_str(text.trim_end_matches('\n'));
            }
            return;
        }
        for (place, word) in text.split(is_html_space).enumerate() {
            self.space |= place > 0;
            if !word.is_empty() {
                self.settle();
                self.parsed.text.push_str(word);
            }
        }
    }

    /// Writes the white space and marks that are due before a word.
    fn settle(&mut self) {
        let out = &mut self.parsed.text;
        if self.newlines > 0 && !out.is_empty() {
            out.extend(std::iter::repeat_n('\n', self.newlines));
        } else if let Some(false) = self.cell {
            out.push_str(" | ");
        } else if self.space && !out.is_empty() && self.cell.is_none() {
            out.push(' ');
        }
        if self.item {
            out.push_str("- ");
        }
        if let Some((_, start @ None)) = &mut self.heading {
            *start = Some(out.len());
        }
        (self.space, self.newlines, self.cell, self.item) = (false, 0, None, false);
    }

    fn break_lines(&mut self, newlines: usize) {
        self.newlines = self.newlines.max(newlines);
        self.space = false;
    }

    fn open(&mut self, name: &str) {
        match name {
            "br" | "hr" => self.break_lines(1),
            "td" | "th" => {
                // An empty cell keeps its place in the row.
                if self.cell == Some(false) {
                    self.parsed.text.push_str(" |");
                }
                self.cell = Some(!self.row_has_cells);
                self.row_has_cells = true;
            }
            "tr" => {
                self.break_lines(1);
                self.row_has_cells = false;
                self.cell = None;
            }
            "li" => {
                self.break_lines(1);
                self.item = true;
            }
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => {
                self.break_lines(2);
                self.heading = Some((name.as_bytes()[1] - b'0', None));
            }
            // Within a cell a paragraph is a space: the row stays a line.
            _ if is_block(name) && self.row_has_cells && name != "table" => self.space = true,
            "pre" => {
                self.break_lines(2);
                self.preformatted += 1;
            }
            _ if is_paragraph(name) => self.break_lines(2),
            _ if is_block(name) => self.break_lines(1),
            _ => {}
        }
    }

    fn close(&mut self, name: &str) {
        match name {
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => {
                if let Some((level, Some(start))) = self.heading.take() {
                    let text = one_line(&self.parsed.text[start..]);
                    self.parsed.headings.push(Heading { start, level, text });
                }
                self.break_lines(2);
            }
            "td" | "th" => self.space = false,
            "tr" => {
                self.break_lines(1);
                self.row_has_cells = false;
                self.cell = None;
            }
            "li" => {
                self.break_lines(1);
                self.item = false;
            }
            "pre" => {
                self.preformatted = self.preformatted.saturating_sub(1);
                self.break_lines(2);
            }
            "table" => {
                self.break_lines(2);
                self.row_has_cells = false;
                self.cell = None;
            }
            _ if is_block(name) && self.row_has_cells => self.space = true,
            _ if is_paragraph(name) => self.break_lines(2),
            _ if is_block(name) => self.break_lines(1),
            _ => {}
        }
    }

    fn finish(mut self) -> Parsed {
        if !self.parsed.text.is_empty() {
            self.parsed.text.push('\n');
        }
        self.parsed
    }
}

fn is_html_space(character: char) -> bool {
    // A no-break space is a space to a reader.
    matches!(character, ' ' | '\t' | '\n' | '\r' | '\x0c' | '\u{a0}')
}

fn is_paragraph(name: &str) -> bool {
    matches!(
        name,
        "p" | "blockquote" | "table" | "pre" | "section" | "article" | "ul" | "ol" | "dl" | "figure" | "aside"
    )
}

fn is_block(name: &str) -> bool {
    is_paragraph(name)
        || matches!(
            name,
            "div"
                | "dt"
                | "dd"
                | "header"
                | "main"
                | "body"
                | "form"
                | "fieldset"
                | "address"
                | "figcaption"
                | "caption"
                | "thead"
                | "tbody"
                | "tfoot"
                | "details"
                | "summary"
                | "option"
                | "center"
        )
}

/// Whether elements that need an end tag lie deeper than the tree may be.
fn is_deep(source: &str) -> bool {
    let bytes = source.as_bytes();
    let (mut depth, mut at) = (0usize, 0);
    while let Some(found) = bytes[at..].iter().position(|&byte| byte == b'<') {
        at += found + 1;
        let closing = bytes.get(at) == Some(&b'/');
        let name_start = at + usize::from(closing);
        let length = bytes[name_start..].iter().take(16).take_while(|byte| byte.is_ascii_alphanumeric()).count();
        let name = bytes[name_start..name_start + length].to_ascii_lowercase();
        if length == 0 || ends_itself(&name) {
            continue;
        }
        depth = if closing { depth.saturating_sub(1) } else { depth + 1 };
        if depth > TREE_MAX_DEPTH {
            return true;
        }
    }
    false
}

/// Elements without content, or whose end tag is often left out.
fn ends_itself(name: &[u8]) -> bool {
    matches!(
        name,
        b"area"
            | b"base"
            | b"br"
            | b"col"
            | b"embed"
            | b"hr"
            | b"img"
            | b"input"
            | b"link"
            | b"meta"
            | b"source"
            | b"track"
            | b"wbr"
            | b"p"
            | b"li"
            | b"td"
            | b"th"
            | b"tr"
            | b"dt"
            | b"dd"
            | b"option"
            | b"thead"
            | b"tbody"
            | b"path"
            | b"rect"
            | b"circle"
            | b"line"
            | b"use"
            | b"polygon"
            | b"param"
    )
}

/// The text between tags, a line for each run; scripts and styles left out.
fn without_tags(source: &str) -> String {
    let mut out = String::with_capacity(source.len() / 2);
    let mut rest = source;
    while let Some(open) = rest.find('<') {
        push_run(&mut out, &rest[..open]);
        rest = &rest[open..];
        let skipped = [("<script", "</script"), ("<style", "</style"), ("<!--", "-->")]
            .into_iter()
            .find(|(start, _)| rest.get(..start.len()).is_some_and(|head| head.eq_ignore_ascii_case(start)));
        let from = skipped.map_or(0, |(_, end)| {
            let bytes = rest.as_bytes();
            bytes
                .windows(end.len())
                .position(|window| window.eq_ignore_ascii_case(end.as_bytes()))
                .unwrap_or(bytes.len())
        });
        match rest[from..].find('>') {
            Some(close) => rest = &rest[from + close + 1..],
            None => return out,
        }
    }
    push_run(&mut out, rest);
    out
}

fn push_run(out: &mut String, run: &str) {
    let run = run.trim();
    if !run.is_empty() {
        for (entity, character) in [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&nbsp;", " "), ("&amp;", "&")] {
            if run.contains(entity) {
                // One entity at a time, the ampersand last, so that nothing is decoded twice.
                let decoded = run.replace(entity, character);
                if entity == "&amp;" {
                    out.push_str(&decoded);
                    out.push('\n');
                } else {
                    push_run(out, &decoded);
                }
                return;
            }
        }
        out.push_str(run);
        out.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(source: &str, expected: &str) {
        assert_eq!(parse(source).text, expected, "of {source:?}");
    }

    #[test]
    fn blocks_become_lines() {
        check("<p>One  <b>two</b>\n three</p><p>Four", "One two three\n\nFour\n");
        check("<div>a<div>b</div>c</div>d<br>e", "a\nb\nc\nd\ne\n");
        check("<ul><li>one<li>two <i>x</i></ul>end", "- one\n- two x\n\nend\n");
        check("<pre>a\n  b</pre>", "a\n  b\n");
        check("a&nbsp;b &amp;lt; c", "a b &lt; c\n");
    }

    #[test]
    fn tables_become_rows() {
        check("<table><tr><th>A<th>B</tr><tr><td><p>1</p><p>x</p><td>2</table>t", "A | B\n1 x | 2\n\nt\n");
        check("<table><tr><td>1<td><td>3</tr></table>", "1 | | 3\n");
    }

    #[test]
    fn furniture_is_left_out() {
        check("<nav>menu</nav><script>x()</script><style>y</style>text<footer>foot</footer><p hidden>no</p>", "text\n");
        let long = "words ".repeat(50);
        check(&format!("<div>side</div><main>{long}</main>"), &format!("{}\n", long.trim()));
    }

    #[test]
    fn headings_title_and_date() {
        let parsed = parse(
            "<html><head><title> The\n Page</title><meta name=date content=2001-01-01>\
             <meta property='article:published_time' content='2020-01-31T00:00:00Z'></head>\
             <body><p>é</p><h2>A <i>b</i></h2>text<time datetime=1999-01-01>x</time></body>",
        );
        assert_eq!(parsed.title.as_deref(), Some("The Page"));
        assert_eq!(parsed.date.map(|date| date.date.to_string()).as_deref(), Some("2020-01-31"));
        assert_eq!(parsed.text, "é\n\nA b\n\ntextx\n");
        assert_eq!(parsed.headings, [Heading { start: 4, level: 2, text: "A b".to_owned() }]);
    }

    #[test]
    fn depth_costs_no_stack() {
        let deep = format!("{}deep &amp; down{}", "<div>".repeat(200_000), "</div>".repeat(200_000));
        check(&deep, "deep & down\n");
        let table = format!("{}x", "<table><tr><td>".repeat(1500));
        assert!(parse(&table).text.contains('x'));
    }
}
