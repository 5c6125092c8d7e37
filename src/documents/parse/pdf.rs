//! PDF: the text of each page in reading order, its paragraphs, headings and table rows.
//!
//! Each page is read on its own, with the panics of libraries caught: what cannot be read of it is named, and the others
//! stay. The work runs on a thread with a deep stack, because a content may nest.

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

/// Glyphs larger than those of the running text by this factor are a heading's.
const HEADING_SCALE: f64 = 1.15;

/// Longer blocks in large type are no headings.
const LONGEST_HEADING: usize = 200;

/// On the first pages a title stands in a size of its own.
const TITLE_PAGES: usize = 3;

/// A bold heading is at least as large as this share of the running text.
const BOLD_SCALE: f64 = 0.88;
/// A longer one is a paragraph.
const LONGEST_BOLD: usize = 120;
/// Where more than one byte in so many is bold, bold lines are no headings.
const MOST_BOLD: usize = 5;
/// Below a bold heading stands a paragraph of so many bytes.
const RUNNING_TEXT: usize = 60;

/// A page with fewer letters and digits than this beside its image is a picture: a stamp, a page's number.
const STAMP: usize = 8;

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
    let shown = publication::in_paper(&parsed.text, parsed.title.as_deref());
    parsed.authorship = information.authorship(&pdf).or(shown);
    if is_no_text(&parsed.text) {
        return Err(broken("its fonts do not tell which letters they draw, so its text cannot be read".to_owned()));
    }
    match (parsed.text.is_empty(), parsed.pictures.is_empty()) {
        (true, true) if is_cut_short(bytes) => Err(broken_or_cut_short("no text is left of it", bytes)),
        (true, true) => Err(ParseError::Empty { hint: " (its pages are empty)".into() }),
        (true, false) => Err(ParseError::Scanned(Box::new(parsed))),
        (false, _) => Ok(parsed),
    }
}

/// Whether what a page says is too little to be its text.
fn is_stamp(blocks: &[Block]) -> bool {
    let words = blocks.iter().flat_map(|block| block.text.chars());
    words.filter(|character| character.is_alphanumeric()).take(STAMP).count() < STAMP
}

/// Whether a text is made of characters that stand for nothing: what is left where a font has no table of its letters.
fn is_no_text(text: &str) -> bool {
    let (mut shown, mut nothing) = (0_usize, 0_usize);
    for one in text.chars().filter(|one| !one.is_whitespace()) {
        shown += 1;
        nothing += usize::from(is_nothing(one));
    }
    nothing * 4 > shown
}

/// Whether a character stands for nothing that can be read.
fn is_nothing(one: char) -> bool {
    one.is_control() || matches!(one, '\u{fffd}' | '\u{e000}'..='\u{f8ff}')
}

/// Opens the file, and tells an encrypted one from a broken one.
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

/// What tells of a file without its end mark, as an interrupted download or copy leaves it.
const CUT_SHORT: &str = "the file is cut short (its end mark %%EOF is missing): get it again";

fn is_cut_short(bytes: &[u8]) -> bool {
    let tail = &bytes[bytes.len().saturating_sub(2048)..];
    !tail.windows(5).any(|window| window == b"%%EOF")
}

/// An error whose reason may be that the file's end is missing.
fn broken_or_cut_short(reason: &str, bytes: &[u8]) -> ParseError {
    broken(if is_cut_short(bytes) { format!("{reason}; {CUT_SHORT}") } else { reason.to_owned() })
}

/// What is lost of a file that ends too early, or whose list of pages leads nowhere.
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

/// Pages that are named of those that were lost.
const NAMED_PAGES: usize = 10;

/// What was read of all pages.
struct Pages {
    /// The blocks of each; an unreadable page has none.
    pages: Vec<Vec<Block>>,
    /// Whether each draws an image.
    images: Vec<bool>,
    /// Which of them are not here, or not to their end, and why.
    lost: Option<String>,
}

/// Reads every page; an error when not one can be read.
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
            Err(panic) => (page::Shown::default(), Some(panic)),
        };
        let mut blocks = layout::blocks(&shown.lines);
        let text: String = blocks.iter().map(|block| block.text.as_str()).collect();
        let reason = reason.or_else(|| {
            is_no_text(&text).then(|| {
                // Words in other fonts, as the lyrics under notes, are kept.
                for block in &mut blocks {
                    block.text.retain(|one| !is_nothing(one));
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

/// The size of the running text, as [`size_key`] has it; 0 where there is none.
fn body_size(pages: &[Vec<Block>]) -> i64 {
    let mut lengths: BTreeMap<i64, usize> = BTreeMap::new();
    for block in pages.iter().flatten() {
        *lengths.entry(size_key(block.size)).or_default() += block.text.len();
    }
    lengths.iter().rev().max_by_key(|&(_, length)| length).map_or(0, |(&body, _)| body)
}

/// The level of each size that is larger than the running text's, the largest being 1.
fn heading_levels(pages: &[Vec<Block>], body: i64) -> BTreeMap<i64, u8> {
    // The first page and the last one that each stands on.
    let mut sizes: BTreeMap<i64, (usize, usize)> = BTreeMap::new();
    for (page, block) in pages.iter().enumerate().flat_map(|(page, blocks)| blocks.iter().map(move |one| (page, one))) {
        let size = size_key(block.size);
        if is_heading_text(block) && size as f64 >= body as f64 * HEADING_SCALE {
            sizes.entry(size).or_insert((page, page)).1 = page;
        }
    }
    // A size of one page within a document is that of words in a figure.
    let sizes = sizes.into_iter().rev().filter(|(_, (first, last))| first < last || *first < TITLE_PAGES);
    let sizes = sizes.map(|(size, _)| size);
    sizes.zip((1..=6).chain(std::iter::repeat(6))).collect()
}

/// Marks the headings that are no larger than the running text and bold, above a paragraph that is not; where much is bold,
/// it heads nothing.
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
            // A section may begin with its first part.
            if is_heading(block) {
                block.is_bold_heading = is_above_text;
            } else {
                is_above_text = is_text(block);
            }
        }
    }
}

/// Large initials, numbers and whole paragraphs in large type head nothing, and neither does what names a figure.
fn is_heading_text(block: &Block) -> bool {
    let letters = block.text.chars().filter(|character| character.is_alphabetic()).take(2).count();
    !block.is_row && letters == 2 && block.text.len() <= LONGEST_HEADING && !flow::is_caption(&block.text)
}

#[cfg(test)]
mod tests;
