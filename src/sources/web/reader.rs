//! Parses a fetched page for a crawl. Runs on a blocking thread.

use url::Url;

use super::listing::{self, Listing};
use super::page::{PageSignals, signs};
use super::robots::RobotsDirectives;
use super::soft::Sketch;
use crate::base::ContentHash;
use crate::base::day_of;
use crate::documents::parse::{ParseError, Parsed, decoded, file_name, is_media_type, parse_fetched};
use crate::domain::{DocumentDate, Format};
use crate::net::web::Fetched;

/// Parts of the media types with which sitemaps and feeds are served.
const LISTING_TYPES: [&str; 4] = ["xml", "rss", "atom", "gzip"];

/// A parsed page.
#[derive(Debug)]
pub(super) struct Read {
    pub(super) signs: PageSignals,
    pub(super) content: Content,
    /// The hash of the bytes as received.
    pub(super) hash: ContentHash,
    pub(super) bytes: u64,
    /// Why it was not rendered, if that was attempted.
    pub(super) not_rendered: Option<String>,
}

#[derive(Debug)]
pub(super) enum Content {
    /// A document.
    Document(Box<Words>),
    /// A list of other pages.
    Listing(Listing),
    /// Nothing with text in it.
    Media,
    /// Not a document after all.
    Broken(ParseError),
}

/// A document with the data to recognise it by.
#[derive(Debug)]
pub(super) struct Words {
    pub(super) format: Format,
    pub(super) parsed: Parsed,
    pub(super) hash: ContentHash,
    pub(super) sketch: Sketch,
    /// A file name for it.
    pub(super) name: String,
}

/// Parses a page. `name` is the crawler's name, for rules addressed to it alone.
pub(super) fn read(page: Fetched, name: &str) -> Read {
    let Fetched { url, content_type, validators, robots, body, .. } = page;
    let (hash, bytes) = (ContentHash::of(&body), body.len() as u64);
    let mut wishes = RobotsDirectives::default();
    for header in &robots {
        wishes.read_directives(name, header);
    }
    let only = |content| Read {
        signs: PageSignals { wishes, ..PageSignals::default() },
        content,
        hash,
        bytes,
        not_rendered: None,
    };
    if is_media_type(&content_type) {
        return only(Content::Media);
    }
    let may_list = LISTING_TYPES.iter().any(|kind| content_type.contains(kind)) || url.path().ends_with(".gz");
    if may_list && let Some(listing) = listing::read(&body) {
        return only(Content::Listing(listing));
    }
    // The source text is needed for web pages only.
    let may_be_page = content_type.contains("html") || body.trim_ascii_start().starts_with(b"<");
    let text = if may_be_page { decoded(&content_type, body.clone()) } else { None };
    let file = file_name(&url, &content_type).to_string_lossy().into_owned();
    let parsed = parse_fetched(&url, &content_type, body);
    let is_page = match &parsed {
        Ok((format, _)) => *format == Format::Html,
        Err(_) => content_type.contains("html"),
    };
    let chars = parsed.as_ref().map_or(0, |(_, parsed)| parsed.text.chars().count());
    let mut signs = match text.filter(|_| is_page) {
        Some(text) => signs(&text, &url, name, chars),
        None => PageSignals::default(),
    };
    signs.wishes.no_index |= wishes.no_index;
    signs.wishes.no_follow |= wishes.no_follow;
    let content = match parsed {
        Err(error) => Content::Broken(error),
        Ok((_, parsed)) if parsed.text.trim().is_empty() => Content::Broken(ParseError::Empty { hint: "".into() }),
        Ok((format, mut parsed)) => {
            parsed.date = parsed.date.or_else(|| changed(validators.last_modified.as_deref()?));
            let hash = ContentHash::of(parsed.text.as_bytes());
            let sketch = Sketch::of(&parsed.text, &url);
            Content::Document(Box::new(Words { format, parsed, hash, sketch, name: file }))
        }
    };
    Read { signs, content, hash, bytes, not_rendered: None }
}

/// The day of a `Last-Modified` header, for pages that give no date themselves.
fn changed(last_modified: &str) -> Option<DocumentDate> {
    let instant = httpdate::parse_http_date(last_modified).ok()?;
    let instant = jiff::Timestamp::try_from(instant).ok()?;
    Some(DocumentDate::metadata(day_of(instant)))
}

/// Whether the extension of a URL shows that it leads to no text.
pub(super) fn has_media_extension(url: &Url) -> bool {
    crate::documents::is_media(std::path::Path::new(url.path()))
}
