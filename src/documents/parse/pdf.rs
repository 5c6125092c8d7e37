//! PDF: the text of each page in reading order, with its paragraphs, headings and table rows.
//!
//! Each page is read on its own, and panics of libraries are caught: unreadable parts are reported, and the other pages
//! are kept. The work runs on a thread with a deep stack, since content may nest.

mod columns;
mod flow;
mod fonts;
mod glyphs;
mod information;
mod items;
mod layout;
mod leftward;
mod lines;
mod page;
mod remarks;
mod running;
mod shadows;
mod spacing;
mod title;

use std::collections::BTreeMap;

use hayro_syntax::object::{Dict, Number};
use hayro_syntax::{DecryptionError, LoadPdfError, Pdf};

use self::information::Information;
use self::layout::Block;
use super::{ParseError, Parsed, publication};
use crate::base::quiet;
use crate::base::text::{is_cjk, one_line};
use crate::domain::{DocumentDate, Heading};

const STACK_BYTES: usize = 64 << 20;

/// Glyphs larger than those of the running text by this factor belong to a heading.
const HEADING_SCALE: f64 = 1.15;

/// Blocks in large type with more bytes are not headings.
const LONGEST_HEADING: usize = 200;

/// A size that occurs on one page only may be a title's on this many first pages.
const TITLE_PAGES: usize = 3;

/// The size of a bold heading is at least this share of the running text's.
const BOLD_SCALE: f64 = 0.88;
/// A bold block with more bytes is a paragraph.
const LONGEST_BOLD: usize = 120;
/// If more than one byte in this many is bold, bold lines are not headings.
const MOST_BOLD: usize = 5;
/// A bold heading stands above a paragraph of at least this many bytes.
const RUNNING_TEXT: usize = 60;

/// A page with an image and fewer letters and digits than this is a picture; the letters are a stamp or a page number.
const STAMP: usize = 8;

/// Parses a PDF. One that an empty password opens is read like any other.
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
    let pdf = load(bytes)?;
    let count = pdf.pages().len();
    if count == 0 {
        return Err(broken_or_cut_short("it has no pages", bytes));
    }
    let information = Information::of(&pdf);
    let Pages { mut pages, images, lost } = read_pages(&pdf)?;
    let body = body_size(&pages);
    let levels = heading_levels(&pages, body);
    mark_bold_headings(&mut pages, body);
    let below = levels.values().max().map_or(1, |lowest| (lowest + 1).min(6));
    let level = |block: &Block| {
        let of_size = levels.get(&size_key(block.size)).copied().filter(|_| is_heading_text(block));
        of_size.or_else(|| block.is_bold_heading.then_some(below))
    };
    running::remove_running_heads(&mut pages, |block| level(block).is_some());
    let goes_on = flow::rejoin(&mut pages, |block| level(block).is_some());
    let pictures: Vec<usize> = (0..count).filter(|&at| images[at] && is_stamp(&pages[at])).collect();
    remarks::add(&pdf, &mut pages, &goes_on, body as f64 / 2.0);
    let mut parsed = render(&pages, &goes_on, level);
    parsed.title = title::title(information.title(), &parsed, &pages);
    parsed.date = information.day().map(DocumentDate::metadata);
    parsed.pictures = pictures;
    parsed.lost = lost.or_else(|| missing_end(&pdf, bytes));
    let shown = publication::authorship_in_paper(&parsed.text, parsed.title.as_deref());
    parsed.authorship = information.authorship(&pdf).or(shown);
    if is_unreadable_text(&parsed.text) {
        return Err(broken("its fonts do not tell which letters they draw, so its text cannot be read".to_owned()));
    }
    match (parsed.text.is_empty(), parsed.pictures.is_empty()) {
        (true, true) if is_cut_short(bytes) => Err(broken_or_cut_short("no text is left of it", bytes)),
        (true, true) => Err(ParseError::Empty { hint: " (its pages are empty)".into() }),
        (true, false) => Err(ParseError::Scanned(Box::new(parsed))),
        (false, _) => Ok(parsed),
    }
}

/// Whether a page has too few letters and digits for these to be its text.
fn is_stamp(blocks: &[Block]) -> bool {
    let words = blocks.iter().flat_map(|block| block.text.chars());
    words.filter(|character| character.is_alphanumeric()).take(STAMP).count() < STAMP
}

/// Whether a text is largely characters that stand for nothing, as remain where a font has no table of its letters.
fn is_unreadable_text(text: &str) -> bool {
    let (mut shown, mut nothing) = (0_usize, 0_usize);
    for one in text.chars().filter(|one| !one.is_whitespace()) {
        shown += 1;
        nothing += usize::from(is_unreadable_character(one));
    }
    nothing * 4 > shown
}

/// Whether a character stands for nothing that can be read.
fn is_unreadable_character(one: char) -> bool {
    one.is_control() || matches!(one, '\u{fffd}' | '\u{e000}'..='\u{f8ff}')
}

/// Opens the file, and distinguishes an encrypted one from a broken one.
fn load(bytes: &[u8]) -> Result<Pdf, ParseError> {
    match quiet::catch(|| Pdf::new(bytes.to_vec())) {
        Ok(Ok(pdf)) => Ok(pdf),
        Ok(Err(LoadPdfError::Decryption(
            DecryptionError::PasswordProtected | DecryptionError::UnsupportedAlgorithm,
        ))) => Err(ParseError::Encrypted),
        Ok(Err(LoadPdfError::Decryption(_))) => Err(broken("its encryption is damaged".to_owned())),
        Ok(Err(LoadPdfError::Invalid)) => Err(broken_or_cut_short("it has no pages that can be found", bytes)),
        Err(panic) => Err(broken_or_cut_short(&panic, bytes)),
    }
}

/// The message for a file without its end mark, as an interrupted download or copy leaves it.
const CUT_SHORT: &str = "the file is cut short (its end mark %%EOF is missing): get it again";

fn is_cut_short(bytes: &[u8]) -> bool {
    let tail = &bytes[bytes.len().saturating_sub(2048)..];
    !tail.windows(5).any(|window| window == b"%%EOF")
}

/// An error whose reason may be that the file's end is missing.
fn broken_or_cut_short(reason: &str, bytes: &[u8]) -> ParseError {
    broken(if is_cut_short(bytes) { format!("{reason}; {CUT_SHORT}") } else { reason.to_owned() })
}

/// The parts missing from a file that ends too early, or whose list of pages leads nowhere.
fn missing_end(pdf: &Pdf, bytes: &[u8]) -> Option<String> {
    let catalog = pdf.xref().get::<Dict<'_>>(pdf.xref().root_id());
    let pages = catalog.and_then(|catalog| catalog.get::<Dict<'_>>("Pages"));
    let promised = pages.and_then(|pages| pages.get::<Number>("Count")).map_or(0, |count| count.as_i64());
    let found = pdf.pages().len();
    let missing = usize::try_from(promised).unwrap_or(0).saturating_sub(found);
    match (missing, is_cut_short(bytes)) {
        (0, false) => None,
        (0, true) => Some(CUT_SHORT.to_owned()),
        (_, false) => Some(format!("{missing} of its {promised} pages, which cannot be found")),
        (_, true) => Some(format!("{missing} of its {promised} pages; {CUT_SHORT}")),
    }
}

/// How many of the lost pages are named.
const NAMED_PAGES: usize = 10;

/// The result of reading all pages.
struct Pages {
    /// The blocks of each page; an unreadable page has none.
    pages: Vec<Vec<Block>>,
    /// Whether each page draws an image.
    images: Vec<bool>,
    /// The pages that are missing or incomplete, and why.
    lost: Option<String>,
}

/// Reads every page; fails if none can be read.
fn read_pages(pdf: &Pdf) -> Result<Pages, ParseError> {
    let mut read = Pages { pages: Vec::new(), images: Vec::new(), lost: None };
    let mut reader = page::Reader::new(pdf);
    let (mut unreadable, mut first_reason, mut lost) = (0, None, Vec::new());
    for (index, page) in pdf.pages().iter().enumerate() {
        let shown = quiet::catch(|| reader.read(page));
        let (shown, reason) = match shown {
            Ok(shown) => {
                let reason = shown.lost.map(str::to_owned);
                (shown, reason)
            }
            Err(panic) => (page::PageContent::default(), Some(panic)),
        };
        let mut blocks = layout::blocks(&shown.lines);
        let text: String = blocks.iter().map(|block| block.text.as_str()).collect();
        let reason = reason.or_else(|| {
            is_unreadable_text(&text).then(|| {
                // Words in other fonts, such as lyrics under notes, are kept.
                for block in &mut blocks {
                    block.text.retain(|one| !is_unreadable_character(one));
                }
                blocks.retain(|block| block.text.contains(char::is_alphanumeric));
                "its fonts do not tell which letters they draw".to_owned()
            })
        });
        if let Some(reason) = reason {
            unreadable += usize::from(blocks.is_empty());
            lost.push((index + 1).to_string());
            first_reason.get_or_insert_with(|| format!("page {}: {reason}", index + 1));
        }
        read.pages.push(blocks);
        read.images.push(shown.has_image);
    }
    match first_reason {
        Some(reason) if unreadable == read.pages.len() => Err(broken(format!("no page can be read; {reason}"))),
        Some(reason) => {
            let more = if lost.len() > NAMED_PAGES { ", \u{2026}" } else { "" };
            let named = lost[..lost.len().min(NAMED_PAGES)].join(", ");
            let what = if lost.len() == 1 { "page" } else { "pages" };
            read.lost = Some(format!("{what} {named}{more}, not to the end; the rest is stored ({reason})"));
            Ok(read)
        }
        None => Ok(read),
    }
}

/// Writes the blocks one below the other, with a blank line between paragraphs and pages and none between a table's
/// rows. A page that continues a sentence begins within a paragraph.
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
            // An empty page keeps its number by starting at the end of the text so far.
            parsed.pages.push(parsed.text.len());
        }
    }
    parsed
}

/// A size in half points; sizes that differ by less are the same.
fn size_key(size: f64) -> i64 {
    (size * 2.0).round() as i64
}

/// The size of the running text, as [`size_key`] gives it; 0 if there is none.
fn body_size(pages: &[Vec<Block>]) -> i64 {
    let mut lengths: BTreeMap<i64, usize> = BTreeMap::new();
    for block in pages.iter().flatten() {
        *lengths.entry(size_key(block.size)).or_default() += block.text.len();
    }
    lengths.iter().rev().max_by_key(|&(_, length)| length).map_or(0, |(&body, _)| body)
}

/// The level of each size that is larger than the running text's, the largest being 1.
fn heading_levels(pages: &[Vec<Block>], body: i64) -> BTreeMap<i64, u8> {
    // The first and the last page on which each size occurs.
    let mut sizes: BTreeMap<i64, (usize, usize)> = BTreeMap::new();
    for (page, block) in pages.iter().enumerate().flat_map(|(page, blocks)| blocks.iter().map(move |one| (page, one))) {
        let size = size_key(block.size);
        if is_heading_text(block) && size as f64 >= body as f64 * HEADING_SCALE {
            sizes.entry(size).or_insert((page, page)).1 = page;
        }
    }
    // A size on a single page within a document is that of words in a figure.
    let sizes = sizes.into_iter().rev().filter(|(_, (first, last))| first < last || *first < TITLE_PAGES);
    let sizes = sizes.map(|(size, _)| size);
    sizes.zip((1..=6).chain(std::iter::repeat(6))).collect()
}

/// Marks the bold headings that are no larger than the running text, above a paragraph that is not bold. If much of the
/// text is bold, none are marked.
fn mark_bold_headings(pages: &mut [Vec<Block>], body: i64) {
    let length = |is: fn(&Block) -> bool| -> usize {
        pages.iter().flatten().filter(|block| is(block)).map(|block| block.text.len()).sum()
    };
    if length(|block| block.is_bold) * MOST_BOLD > length(|_| true) {
        return;
    }
    let is_heading = |block: &Block| {
        block.is_bold
            && size_key(block.size) as f64 >= body as f64 * BOLD_SCALE
            && is_heading_text(block)
            && block.text.len() <= LONGEST_BOLD
            && block.text.starts_with(|first: char| first.is_uppercase() || first.is_numeric() || is_cjk(first))
            && !block.text.ends_with(['.', ':', ',', ';', '\u{3002}'])
    };
    let is_text = |block: &Block| !block.is_bold && !block.is_row && block.text.len() >= RUNNING_TEXT;
    for blocks in pages {
        let mut is_above_text = false;
        for block in blocks.iter_mut().rev() {
            // The heading of a section may be followed directly by that of its first part.
            if is_heading(block) {
                block.is_bold_heading = is_above_text;
            } else {
                is_above_text = is_text(block);
            }
        }
    }
}

/// Whether a block may be a heading. Large initials, numbers, whole paragraphs in large type and captions are not.
fn is_heading_text(block: &Block) -> bool {
    let letters = block.text.chars().filter(|character| character.is_alphabetic()).take(2).count();
    !block.is_row && letters == 2 && block.text.len() <= LONGEST_HEADING && !flow::is_caption(&block.text)
}

#[cfg(test)]
mod tests;
