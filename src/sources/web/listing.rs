//! Documents that list pages: sitemaps, sitemap indexes, and feeds. Only addresses are read; the pages describe the
//! rest better.

use std::io::Read;

use flate2::read::GzDecoder;
use quick_xml::escape::resolve_predefined_entity;
use quick_xml::events::{BytesRef, BytesStart, Event};
use quick_xml::{Reader, XmlVersion};

use crate::documents::parse::decoded;

/// The maximum number of addresses in one listing, as in the sitemap protocol.
const MOST_ENTRIES: usize = 50_000;
/// The maximum size of an unpacked listing, as in the sitemap protocol.
const MOST_BYTES: u64 = 50 << 20;
/// Documents with deeper nesting are not listings.
const DEEPEST: usize = 64;

/// The entries of a listing, in order, as written there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Listing {
    /// Pages.
    Pages(Vec<String>),
    /// Other listings.
    Listings(Vec<String>),
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Sitemap,
    Index,
    /// RSS in its many versions.
    Rss,
    Atom,
}

/// Reads a listing, plain or gzipped. `None` for any other document; a truncated one gives its first entries.
pub(super) fn read(bytes: &[u8]) -> Option<Listing> {
    let unpacked = if bytes.starts_with(&[0x1f, 0x8b]) { unpacked(bytes) } else { bytes.to_vec() };
    let text = decoded("text/xml", unpacked)?;
    if text.trim_start().starts_with('<') { entries(&text) } else { None }
}

fn unpacked(bytes: &[u8]) -> Vec<u8> {
    let mut unpacked = Vec::new();
    if let Err(error) = GzDecoder::new(bytes).take(MOST_BYTES).read_to_end(&mut unpacked) {
        tracing::debug!(%error, "a packed listing that breaks off");
    }
    unpacked
}

fn entries(text: &str) -> Option<Listing> {
    let mut reader = Reader::from_str(text);
    reader.config_mut().check_end_names = false;
    let mut kind = None;
    let mut found = Vec::new();
    // The names of the open elements, without prefixes.
    let mut open: Vec<String> = Vec::new();
    let mut words = String::new();
    while found.len() < MOST_ENTRIES {
        match reader.read_event() {
            Ok(Event::Start(element)) => {
                kind = Some(kind.or_else(|| kind_of(&element))?);
                if open.len() >= DEEPEST {
                    break;
                }
                if kind == Some(Kind::Atom) && open.last().is_some_and(|parent| parent == "entry") {
                    found.extend(link(&element));
                }
                open.push(element.local_name().as_ref().to_owned());
                words.clear();
            }
            Ok(Event::Empty(element)) => {
                kind = Some(kind.or_else(|| kind_of(&element))?);
                if kind == Some(Kind::Atom) && open.last().is_some_and(|parent| parent == "entry") {
                    found.extend(link(&element));
                }
            }
            Ok(Event::Text(text)) => words.push_str(&text),
            Ok(Event::CData(text)) => words.push_str(&text),
            Ok(Event::GeneralRef(entity)) => words.extend(character(&entity)),
            Ok(Event::End(_)) => {
                let name = open.pop().unwrap_or_default();
                let parent = open.last().map_or("", String::as_str);
                let names_one = match kind? {
                    Kind::Sitemap => name == "loc" && parent == "url",
                    Kind::Index => name == "loc" && parent == "sitemap",
                    Kind::Rss => name == "link" && parent == "item",
                    Kind::Atom => false,
                };
                if names_one && !words.trim().is_empty() {
                    found.push(words.trim().to_owned());
                }
                words.clear();
            }
            Ok(Event::Eof) => break,
            Ok(_) => {}
            Err(error) => {
                tracing::debug!(%error, "a listing that breaks off");
                break;
            }
        }
    }
    Some(if kind? == Kind::Index { Listing::Listings(found) } else { Listing::Pages(found) })
}

fn kind_of(root: &BytesStart<'_>) -> Option<Kind> {
    match root.local_name().as_ref() {
        "urlset" => Some(Kind::Sitemap),
        "sitemapindex" => Some(Kind::Index),
        "rss" | "RDF" => Some(Kind::Rss),
        "feed" => Some(Kind::Atom),
        _ => None,
    }
}

/// The address in a `<link>` of an entry, if it leads to the entry's page.
fn link(element: &BytesStart<'_>) -> Option<String> {
    if element.local_name().as_ref() != "link" {
        return None;
    }
    let attribute = |name: &str| {
        let value = element.try_get_attribute(name).ok()??;
        value.normalized_value(XmlVersion::Implicit1_0).ok().map(|value| value.trim().to_owned())
    };
    let leads_to_page = attribute("rel").is_none_or(|rel| rel == "alternate");
    attribute("href").filter(|_| leads_to_page)
}

/// Resolves a character reference. Entities defined in the document itself are not expanded.
fn character(entity: &BytesRef<'_>) -> Option<char> {
    if let Ok(Some(char)) = entity.resolve_char_ref() {
        return Some(char);
    }
    resolve_predefined_entity(entity).and_then(|text| text.chars().next())
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn check(text: &str, expected: Option<Listing>) {
        assert_eq!(read(text.as_bytes()), expected, "{text}");
    }

    fn pages(urls: &[&str]) -> Option<Listing> {
        Some(Listing::Pages(urls.iter().map(|&url| url.to_owned()).collect()))
    }

    fn packed(text: &str) -> Vec<u8> {
        let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        packer.write_all(text.as_bytes()).expect("memory");
        packer.finish().expect("memory")
    }

    const SITEMAP: &str = "<?xml version=\"1.0\"?>\n<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9' \
        xmlns:image='i'>\n<url><loc> https://a.example/?x=1&amp;y=2 </loc><lastmod>2026-01-01</lastmod>\
        <image:image><image:loc>https://a.example/i.png</image:loc></image:image></url>\n\
        <url><loc><![CDATA[https://a.example/b]]></loc></url></urlset>";

    #[test]
    fn sitemaps() {
        check(SITEMAP, pages(&["https://a.example/?x=1&y=2", "https://a.example/b"]));
        let index = "<sitemapindex><sitemap><loc>https://a.example/1.xml.gz</loc></sitemap></sitemapindex>";
        check(index, Some(Listing::Listings(vec!["https://a.example/1.xml.gz".to_owned()])));
        assert_eq!(read(&packed(SITEMAP)), read(SITEMAP.as_bytes()));
    }

    #[test]
    fn feeds() {
        let rss = "<rss version='2.0'><channel><link>https://a.example/</link><item><title>T</title>\
                   <link>https://a.example/1</link></item><item><link>https://a.example/2</link></item></channel></rss>";
        check(rss, pages(&["https://a.example/1", "https://a.example/2"]));
        let rdf = "<rdf:RDF xmlns:rdf='r'><channel/><item><link>https://a.example/1</link></item></rdf:RDF>";
        check(rdf, pages(&["https://a.example/1"]));
        let atom = "<feed xmlns='http://www.w3.org/2005/Atom'><link href='https://a.example/'/><entry>\
                    <link rel='self' href='https://a.example/1.atom'/><link href='https://a.example/1?a&amp;b'/>\
                    </entry></feed>";
        check(atom, pages(&["https://a.example/1?a&b"]));
    }

    #[test]
    fn other_documents_are_no_listings() {
        for text in ["", "words", "<html><body>x</body></html>", "{}", "<!-- only this -->", "<note/>"] {
            check(text, None);
        }
        assert_eq!(read(b"\x1f\x8bbroken"), None);
    }

    #[test]
    fn broken_listings_give_what_came_before() {
        check("<urlset><url><loc>https://a.example/1</loc></url><url><loc", pages(&["https://a.example/1"]));
        let bomb = "<!DOCTYPE urlset [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;\">]><urlset><url><loc>/&b;x</loc></url></urlset>";
        check(bomb, pages(&["/x"]));
        check(&"<urlset>".repeat(100_000), pages(&[]));
        let urls: Vec<String> = (0..5_000).map(|number| format!("https://a.example/{number}")).collect();
        let whole = format!(
            "<urlset>{}</urlset>",
            urls.iter().map(|url| format!("<url><loc>{url}</loc></url>")).collect::<String>()
        );
        let packed = packed(&whole);
        match read(&packed[..packed.len() / 2]) {
            Some(Listing::Pages(found)) => assert!(!found.is_empty() && urls.starts_with(&found), "{}", found.len()),
            other => panic!("{other:?}"),
        }
    }
}
