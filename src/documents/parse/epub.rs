//! Books made of web pages: the chapters in reading order, as one text.

use std::collections::BTreeMap;

use super::lost::LostParts;
use super::properties::Properties;
use super::xml::{self, Node};
use super::zip::{Package, resolve};
use super::{ParseError, Parsed, authorship, charset, html};
use crate::base::text::percent_decoded;
use crate::domain::Authorship;

const FORMAT: &str = "EPUB";

/// A file of the book.
#[derive(Default)]
struct Item {
    href: String,
    media_type: String,
    properties: String,
}

/// The book's list of contents.
#[derive(Default)]
struct Book {
    properties: Properties,
    authorship: Authorship,
    items: BTreeMap<String, Item>,
    /// The ids of the chapters, in order.
    spine: Vec<String>,
}

/// Extracts a book.
pub(super) fn parse(bytes: &[u8]) -> Result<Parsed, ParseError> {
    let mut package = Package::open(bytes, FORMAT)?;
    if package.read("META-INF/encryption.xml")?.is_some_and(|list| hides_pages(&list)) {
        return Err(ParseError::Encrypted);
    }
    let mut list = None;
    xml::walk(package.require("META-INF/container.xml")?, FORMAT, |node| {
        if let Node::Open(element) = node
            && element.name() == "rootfile"
            && list.is_none()
        {
            list = element.attribute("full-path");
        }
        Ok(())
    })?;
    let broken = |reason: &str| ParseError::Broken { format: FORMAT, reason: reason.to_owned() };
    let list = list.ok_or_else(|| broken("it does not say where its contents are listed"))?;
    let book = read_list(package.require(&list)?)?;
    let folder = list.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut whole = Parsed::default();
    let mut lost = LostParts::default();
    for item in book.spine.iter().filter_map(|id| book.items.get(id)) {
        let is_contents = item.properties.split_whitespace().any(|property| property == "nav");
        if is_contents || !item.media_type.contains("html") {
            continue;
        }
        let href = item.href.split('#').next().unwrap_or_default();
        let name = resolve(folder, &percent_decoded(href).unwrap_or_else(|| href.to_owned()));
        let read = package.require(&name).and_then(|page| append(&mut whole, &name, page));
        lost.or_default(read, "a chapter");
    }
    if whole.text.is_empty() {
        return Err(lost.into_error(" (its pages may be pictures)"));
    }
    book.properties.tell(&mut whole);
    whole.authorship = book.authorship;
    whole.lost = lost.told();
    Ok(whole)
}

/// Whether more than fonts is encrypted.
fn hides_pages(list: &[u8]) -> bool {
    let list = String::from_utf8_lossy(list);
    list.split("CipherReference").skip(1).any(|reference| {
        let uri = reference.split(['>']).next().unwrap_or_default();
        [".xhtml", ".html", ".htm", ".xml"].iter().any(|ending| uri.contains(ending))
    })
}

fn read_list(bytes: Vec<u8>) -> Result<Book, ParseError> {
    let mut book = Book {
        properties: Properties::read(bytes.clone(), FORMAT, &["date"])?,
        authorship: authorship::authorship_in_xml(bytes.clone()),
        ..Book::default()
    };
    xml::walk(bytes, FORMAT, |node| {
        let Node::Open(element) = node else { return Ok(()) };
        let value = |name: &str| element.attribute(name).unwrap_or_default();
        match element.name() {
            "item" => {
                let (href, media_type, properties) = (value("href"), value("media-type"), value("properties"));
                book.items.insert(value("id"), Item { href, media_type, properties });
            }
            "itemref" => book.spine.push(value("idref")),
            _ => {}
        }
        Ok(())
    })?;
    Ok(book)
}

/// Appends a chapter and shifts its offsets by the length of the text before it.
fn append(whole: &mut Parsed, name: &str, page: Vec<u8>) -> Result<(), ParseError> {
    let page = charset::decode(page)
        .map_err(|_| ParseError::Broken { format: FORMAT, reason: format!("its part `{name}` is binary data") })?;
    let chapter = html::parse_chapter(&closed(&page));
    if chapter.text.is_empty() {
        return Ok(());
    }
    let start = whole.begin_block();
    whole.text.push_str(&chapter.text);
    whole.breaks.push(start);
    whole.headings.extend(chapter.headings.into_iter().map(|mut heading| {
        heading.start += start;
        heading
    }));
    Ok(())
}

/// The page with end tags for empty elements that XHTML may close with `/>`, but after which HTML would read on to an
/// end tag, if need be through the whole page.
fn closed(page: &str) -> String {
    let mut out = String::with_capacity(page.len());
    let mut rest = page;
    while let Some(at) = rest.find("/>") {
        let (before, after) = (&rest[..at], &rest[at + 2..]);
        let tag = before.rfind('<').map_or("", |open| &before[open + 1..]);
        let name = tag.split(|char: char| char.is_whitespace()).next().unwrap_or_default();
        out.push_str(before);
        if html::RAW.contains(&name) {
            out.push_str("></");
            out.push_str(name);
            out.push('>');
        } else {
            out.push_str("/>");
        }
        rest = after;
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::documents::parse::zip::testing::archive;

    fn package(chapters: &[(&str, &str)]) -> Vec<u8> {
        let container = "<container><rootfiles><rootfile full-path='EPUB/book.opf'/></rootfiles></container>";
        let item = |(index, (name, _)): (usize, &(&str, &str))| {
            format!("<item id='i{index}' href='{}' media-type='application/xhtml+xml'/>", name.replace(' ', "%20"))
        };
        let items: String = chapters.iter().enumerate().map(item).collect();
        let spine: String = (0..chapters.len()).map(|index| format!("<itemref idref='i{index}'/>")).collect();
        let list = format!(
            "<package><metadata><dc:title>The book</dc:title><dc:date>2022-10-03</dc:date></metadata><manifest>{items}\
             <item id='nav' href='nav.xhtml' media-type='application/xhtml+xml' properties='nav'/></manifest>\
             <spine><itemref idref='nav'/>{spine}</spine></package>"
        );
        let names: Vec<String> = chapters.iter().map(|(name, _)| format!("EPUB/{name}")).collect();
        let mut parts: Vec<(&str, &[u8])> =
            vec![("META-INF/container.xml", container.as_bytes()), ("EPUB/book.opf", list.as_bytes())];
        parts.push(("EPUB/nav.xhtml", b"<html><body>Contents</body></html>"));
        parts.extend(names.iter().zip(chapters).map(|(name, (_, page))| (name.as_str(), page.as_bytes())));
        archive(&parts)
    }

    #[test]
    fn chapters_follow_each_other() {
        let first = "<?xml version='1.0'?><html><head><title/></head><body><h1>One</h1><p>Café.</p><aside>A note.</aside></body></html>";
        let second = "<html><body><section><h2>Two</h2><p>More.</p></section></body></html>";
        let parsed = parse(&package(&[("a b.xhtml", first), ("c.xhtml", second)])).expect("readable");
        assert_eq!(parsed.text, "One\n\nCafé.\n\nA note.\n\nTwo\n\nMore.");
        let headings: Vec<_> = parsed.headings.iter().map(|h| (h.start, h.level, h.text.as_str())).collect();
        assert_eq!(headings, [(0, 1, "One"), (22, 2, "Two")]);
        assert_eq!(parsed.breaks, [0, 22]);
        assert_eq!(parsed.title.as_deref(), Some("The book"));
        assert_eq!(parsed.date.map(|date| date.date.to_string()).as_deref(), Some("2022-10-03"));
    }

    #[test]
    fn a_chapter_that_is_lost_is_told() {
        let page = |words: &str| format!("<html><body><p>{words}</p></body></html>");
        let check = |bytes: &[u8], lost: &str| {
            let parsed = parse(bytes).expect("readable");
            assert_eq!((parsed.text.as_str(), parsed.lost.as_deref()), ("One.\n\nTwo.", Some(lost)));
        };
        let (one, two) = (page("One."), page("Two."));
        let binary = package(&[("a.xhtml", &one), ("b.xhtml", "\0\u{1}"), ("c.xhtml", &two)]);
        check(&binary, "a chapter (broken EPUB: its part `EPUB/b.xhtml` is binary data)");
        let list = "<package><manifest><item id='a' href='a.xhtml' media-type='x/html'/>\
            <item id='b' href='b.xhtml' media-type='x/html'/><item id='c' href='c.xhtml' media-type='x/html'/></manifest>\
            <spine><itemref idref='a'/><itemref idref='b'/><itemref idref='c'/></spine></package>";
        let missing = archive(&[
            ("META-INF/container.xml", b"<container><rootfile full-path='book.opf'/></container>"),
            ("book.opf", list.as_bytes()),
            ("a.xhtml", one.as_bytes()),
            ("c.xhtml", two.as_bytes()),
        ]);
        check(&missing, "a chapter (broken EPUB: its part `b.xhtml` is missing)");
    }

    #[test]
    fn what_is_broken_is_told() {
        let check = |bytes: &[u8], reason: &str| {
            let told = parse(bytes).expect_err("broken").to_string();
            assert!(told.contains(reason), "{told}");
        };
        check(&archive(&[("a", b"b")]), "its part `META-INF/container.xml` is missing");
        check(&archive(&[("META-INF/container.xml", b"<container/>")]), "does not say where");
        check(&package(&[("a.xhtml", "<html/>")]), "no text in it");
        check(&package(&[]), "no text in it");
        let locked = b"<encryption><CipherReference URI='EPUB/a.xhtml'/></encryption>";
        check(&archive(&[("META-INF/encryption.xml", locked)]), "encrypted");
    }
}
