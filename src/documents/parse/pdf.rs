//! PDF: the text of each page in reading order, its paragraphs, headings and table rows.
//!
//! The extraction library interprets a page's content and panics on much that is malformed. Each page is therefore
//! read on its own, with its panics caught: a page that cannot be read is left empty (or keeps what was read of it),
//! is named in the log, and the others stay. The work runs on a thread with a deep stack, because a content may nest.

mod columns;
mod flow;
mod layout;
mod repair;
mod running;
mod scanned;

use std::collections::BTreeMap;

use jiff::civil::Date;
use pdf_extract::encryption::DecryptionError;
use pdf_extract::{Dictionary, Document, Error, Object, ObjectId, decode_text_string, output_doc_page};

use self::layout::{Block, LineCollector};
use super::{Authorship, ParseError, Parsed, authorship};
use crate::base::quiet;
use crate::base::text::one_line;
use crate::domain::{DateOrigin, DocumentDate, Heading};

const STACK_BYTES: usize = 64 << 20;

/// Glyphs larger than those of the running text by this factor are a heading's.
const HEADING_SCALE: f64 = 1.15;

/// Longer blocks in large type are no headings.
const LONGEST_HEADING: usize = 200;

/// Longer XML about a document holds pictures.
const MOST_XMP: usize = 1 << 20;

/// Parses a PDF. One that opens with an empty password is read like any other.
pub(super) fn parse(bytes: &[u8]) -> Result<Parsed, ParseError> {
    std::thread::scope(|scope| {
        std::thread::Builder::new()
            .name("pdf".to_owned())
            .stack_size(STACK_BYTES)
            .spawn_scoped(scope, || parse_here(bytes))
            .map_err(|error| broken(format!("no thread to read it on: {error}")))?
            .join()
            .unwrap_or_else(|panic| Err(broken(quiet::message(&*panic))))
    })
}

fn broken(reason: String) -> ParseError {
    ParseError::Broken { format: "PDF", reason }
}

fn parse_here(bytes: &[u8]) -> Result<Parsed, ParseError> {
    let mut document = load(bytes)?;
    let pages: Vec<ObjectId> = document.page_iter().collect();
    if pages.is_empty() {
        return Err(broken(format!("it has no pages{}", cut_short(bytes))));
    }
    let title = information(&document, b"Title").and_then(|title| usable_title(&title));
    let date = [&b"CreationDate"[..], b"ModDate"].into_iter().find_map(|key| day(&information(&document, key)?));
    let said = said_of_itself(&document);
    repair::prepare(&mut document);
    let ids = pages;
    let (mut pages, lost) = read_pages(&mut document, &ids)?;
    let levels = heading_levels(&pages);
    let level = |block: &Block| levels.get(&size_key(block.size)).copied().filter(|_| is_heading_text(block));
    running::remove_running_heads(&mut pages, |block| level(block).is_some());
    let goes_on = flow::rejoin(&mut pages, |block| level(block).is_some());
    let is_picture = |&at: &usize| is_stamp(&pages[at]) && scanned::shows_image(&document, ids[at]);
    let pictures: Vec<usize> = (0..pages.len()).filter(is_picture).collect();
    let mut parsed = render(&pages, &goes_on, level);
    parsed.title = title.or_else(|| heading_of_first_page(&parsed));
    parsed.date = date.map(|date| DocumentDate { date, origin: DateOrigin::Metadata });
    parsed.pictures = pictures;
    parsed.lost = lost;
    parsed.authorship = said.or(Authorship::in_text(&parsed.text));
    if is_no_text(&parsed.text) {
        return Err(broken("its fonts do not tell which letters they draw, so its text cannot be read".to_owned()));
    }
    match (parsed.text.is_empty(), parsed.pictures.is_empty()) {
        (true, true) => Err(ParseError::Empty { hint: " (its pages are empty)".into() }),
        (true, false) => Err(ParseError::Scanned(Box::new(parsed))),
        (false, _) => Ok(parsed),
    }
}

/// Whether what a page says is too little to be its text.
fn is_stamp(blocks: &[Block]) -> bool {
    let words = blocks.iter().flat_map(|block| block.text.chars());
    words.filter(|character| character.is_alphanumeric()).take(scanned::STAMP).count() < scanned::STAMP
}

/// Whether a text is made of characters that stand for nothing: what is left where a font has no table of its letters.
fn is_no_text(text: &str) -> bool {
    let is_nothing = |one: char| one.is_control() || matches!(one, '\u{fffd}' | '\u{e000}'..='\u{f8ff}');
    let (mut shown, mut nothing) = (0_usize, 0_usize);
    for one in text.chars().filter(|one| !one.is_whitespace()) {
        shown += 1;
        nothing += usize::from(is_nothing(one));
    }
    nothing * 4 > shown
}

/// Opens the file, and tells an encrypted one from a broken one.
fn load(bytes: &[u8]) -> Result<Document, ParseError> {
    let loaded = quiet::catch(|| {
        let mut document = Document::load_mem(bytes)?;
        if document.is_encrypted() {
            document.decrypt("")?;
        }
        Ok(document)
    });
    match loaded {
        Ok(Ok(document)) => Ok(document),
        Ok(Err(
            Error::InvalidPassword
            | Error::UnsupportedSecurityHandler(_)
            | Error::Decryption(DecryptionError::IncorrectPassword),
        )) => Err(ParseError::Encrypted),
        Ok(Err(error)) => Err(broken(format!("{error}{}", cut_short(bytes)))),
        Err(panic) => Err(broken(format!("{panic}{}", cut_short(bytes)))),
    }
}

/// What to add to a reason when the file's end is missing, which tells an interrupted download or copy.
fn cut_short(bytes: &[u8]) -> &'static str {
    let tail = &bytes[bytes.len().saturating_sub(2048)..];
    let ends = tail.windows(5).any(|window| window == b"%%EOF");
    if ends { "" } else { "; the file is cut short (its end mark %%EOF is missing): get it again" }
}

/// What the document says of its publication as XML, and in its dictionary.
fn said_of_itself(document: &Document) -> Authorship {
    let field = |key: &[u8]| information(document, key);
    let listed = Authorship {
        authors: field(b"Author").map(|names| authorship::names(&names)).unwrap_or_default(),
        doi: [&b"doi"[..], b"DOI", b"WPS-ARTICLEDOI", b"Subject"]
            .iter()
            .find_map(|key| authorship::doi_in(&field(key)?)),
        ..Authorship::default()
    };
    xmp(document).map(authorship::in_xml).unwrap_or_default().or(listed)
}

fn xmp(document: &Document) -> Option<Vec<u8>> {
    let stream = dereferenced(document, document.catalog().ok()?.get(b"Metadata").ok()?)?.as_stream().ok()?;
    // Programs store it as it is, so that others find it; what is packed may unpack to anything.
    (stream.dict.get(b"Filter").is_err() && stream.content.len() <= MOST_XMP).then(|| stream.content.clone())
}

/// An entry of the information dictionary.
fn information(document: &Document, key: &[u8]) -> Option<String> {
    let dictionary = dereferenced(document, document.trailer.get(b"Info").ok()?)?.as_dict().ok()?;
    decode_text_string(dereferenced(document, dictionary.get(key).ok()?)?).ok()
}

fn dereferenced<'a>(document: &'a Document, object: &'a Object) -> Option<&'a Object> {
    document.dereference(object).ok().map(|(_, object)| object)
}

/// The title without what programs put there on their own.
fn usable_title(title: &str) -> Option<String> {
    let title = one_line(&title.replace('\0', ""));
    let title = title.strip_prefix("Microsoft Word - ").unwrap_or(&title);
    let bare = title.trim_matches(['(', ')']).to_lowercase();
    let is_filler = matches!(bare.as_str(), "" | "untitled" | "anonymous" | "unspecified" | "title" | "document");
    (!is_filler && !names_file(title) && title.chars().any(char::is_alphanumeric)).then(|| title.to_owned())
}

/// Whether a title is the name of the file that the PDF was made from, as in `paper.dvi` and `C:\\data\\a.tex`.
fn names_file(title: &str) -> bool {
    const ENDINGS: [&str; 21] = [
        "dvi", "tex", "ps", "eps", "pdf", "doc", "docx", "dot", "rtf", "odt", "wpd", "ppt", "pptx", "xls", "xlsx",
        "txt", "fm", "book", "indd", "qxd", "htm",
    ];
    let ending = title.rsplit_once('.').map(|(_, ending)| ending.to_lowercase()).unwrap_or_default();
    ENDINGS.contains(&ending.as_str()) || (!title.contains(' ') && title.contains(['/', '\\']))
}

/// The day of `D:20240131120000+01'00'`; a missing month or day is the first.
fn day(text: &str) -> Option<Date> {
    let text = text.trim();
    let digits = text.strip_prefix("D:").unwrap_or(text);
    let number = |from: usize, to: usize| digits.get(from..to).and_then(|part| part.parse::<i8>().ok());
    let year = digits.get(..4)?.parse::<i16>().ok()?;
    Date::new(year, number(4, 6).unwrap_or(1), number(6, 8).unwrap_or(1)).ok()
}

/// Pages that are named of those that were lost.
const NAMED_PAGES: usize = 10;

/// The blocks of every page, and what was lost. An unreadable page has none; an error when not one page can be read.
fn read_pages(document: &mut Document, ids: &[ObjectId]) -> Result<(Vec<Vec<Block>>, Option<String>), ParseError> {
    // The library walks the page tree anew for each page, so it gets a tree of that page alone: the time for a
    // document then grows with its pages, not with their square.
    let tree = document.add_object(Dictionary::from_iter([("Type", Object::Name(b"Pages".to_vec()))]));
    document
        .catalog_mut()
        .map_err(|error| broken(format!("its catalog is unreadable: {error}")))?
        .set("Pages", Object::Reference(tree));
    let mut pages = Vec::with_capacity(ids.len());
    let (mut unreadable, mut first_reason, mut lost) = (0, None, Vec::new());
    for (index, &id) in ids.iter().enumerate() {
        let mut lines = LineCollector::default();
        let result = repair::isolate(document, tree, id).and_then(|()| {
            match quiet::catch(|| output_doc_page(document, &mut lines, 1)) {
                Ok(Ok(())) => Ok(()),
                Ok(Err(error)) => Err(error.to_string()),
                Err(panic) => Err(panic),
            }
        });
        let blocks = layout::blocks(&lines.into_lines());
        if let Err(reason) = result {
            unreadable += usize::from(blocks.is_empty());
            lost.push((index + 1).to_string());
            first_reason.get_or_insert_with(|| format!("page {}: {reason}", index + 1));
        }
        pages.push(blocks);
    }
    match first_reason {
        Some(reason) if unreadable == ids.len() => Err(broken(format!("no page can be read; {reason}"))),
        Some(reason) => {
            let more = if lost.len() > NAMED_PAGES { ", …" } else { "" };
            let named = lost[..lost.len().min(NAMED_PAGES)].join(", ");
            let what = if lost.len() == 1 { "page" } else { "pages" };
            Ok((pages, Some(format!("{what} {named}{more}, not to the end; the rest is stored ({reason})"))))
        }
        None => Ok((pages, None)),
    }
}

/// Writes the blocks one below the other: a blank line between paragraphs and pages, none between a table's rows. A page
/// that goes on a sentence begins within a paragraph.
fn render(pages: &[Vec<Block>], goes_on: &[bool], level: impl Fn(&Block) -> Option<u8>) -> Parsed {
    let mut parsed = Parsed::default();
    for (page, blocks) in pages.iter().enumerate() {
        let mut previous_row = false;
        for (index, block) in blocks.iter().enumerate() {
            if index == 0 && goes_on.get(page) == Some(&true) {
                layout::join(&mut parsed.text, &block.text, false);
                parsed.pages.push(parsed.text.len() - block.text.len());
                continue;
            }
            if !parsed.text.is_empty() {
                parsed.text.push_str(if block.is_row && previous_row { "\n" } else { "\n\n" });
            }
            previous_row = block.is_row;
            let start = parsed.text.len();
            if index == 0 {
                parsed.pages.push(start);
            }
            match level(block) {
                Some(level) => {
                    let text = one_line(&block.text);
                    parsed.text.push_str(&text);
                    parsed.headings.push(Heading { start, level, text });
                }
                None => parsed.text.push_str(&block.text),
            }
        }
        if blocks.is_empty() {
            // An empty page keeps its number by starting where the text stands.
            parsed.pages.push(parsed.text.len());
        }
    }
    parsed
}

/// Half points: sizes that differ by less are the same.
fn size_key(size: f64) -> i64 {
    (size * 2.0).round() as i64
}

/// The level of each size that is larger than the running text's, the largest being 1.
fn heading_levels(pages: &[Vec<Block>]) -> BTreeMap<i64, u8> {
    let mut lengths: BTreeMap<i64, usize> = BTreeMap::new();
    for block in pages.iter().flatten() {
        *lengths.entry(size_key(block.size)).or_default() += block.text.len();
    }
    let Some((&body, _)) = lengths.iter().rev().max_by_key(|&(_, length)| length) else {
        return BTreeMap::new();
    };
    let mut sizes: Vec<i64> = pages
        .iter()
        .flatten()
        .filter(|block| is_heading_text(block))
        .map(|block| size_key(block.size))
        .filter(|&size| size as f64 >= body as f64 * HEADING_SCALE)
        .collect();
    sizes.sort_unstable_by(|one, other| other.cmp(one));
    sizes.dedup();
    sizes.into_iter().zip((1..=6).chain(std::iter::repeat(6))).collect()
}

/// Large initials, numbers and whole paragraphs in large type head nothing.
fn is_heading_text(block: &Block) -> bool {
    let letters = block.text.chars().filter(|character| character.is_alphabetic()).take(2).count();
    !block.is_row && letters == 2 && block.text.len() <= LONGEST_HEADING
}

fn heading_of_first_page(parsed: &Parsed) -> Option<String> {
    let end = parsed.pages.iter().copied().find(|&start| start > 0).unwrap_or(parsed.text.len());
    let first_page = parsed.headings.iter().filter(|heading| heading.start < end);
    first_page.min_by_key(|heading| (heading.level, heading.start)).map(|heading| heading.text.clone())
}

#[cfg(test)]
mod tests;
