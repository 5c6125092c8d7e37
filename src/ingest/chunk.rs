//! From text to chunks that end at sentence and heading borders.

use std::ops::Range;

use unicode_segmentation::UnicodeSegmentation;

use super::parse::Parsed;
use crate::base::text::{Language, detect_language, floor_boundary, sentences};
use crate::domain::{Chunk, Heading};

/// How chunks are cut. Lengths are in bytes of UTF-8: a chunk of a script without spaces has a third as many
/// characters, which hold about as much meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChunkOptions {
    /// A chunk grows by whole sentences while it stays within this.
    pub target_bytes: usize,
    /// Whole sentences from the end of the previous chunk, up to this, are repeated at the start of the next.
    pub overlap_bytes: usize,
}

impl Default for ChunkOptions {
    fn default() -> Self {
        ChunkOptions { target_bytes: 1200, overlap_bytes: 200 }
    }
}

/// A section with less text than a sixth of a chunk joins its neighbour: alone it would be found for its heading only.
const TINY_SECTIONS_PER_CHUNK: usize = 6;

/// A chunk that ends at a record's border may be this much shorter than one that does not.
const RECORDS_PER_CHUNK: usize = 3;

/// Cuts a parsed document into chunks.
///
/// The chunks come in the order of their start, cover everything but white space, and are no longer than the target.
/// None crosses from one section into the next, unless a section is tiny; none repeats sentences of another section or
/// record. Work is linear in the text's length.
pub fn chunk(parsed: &Parsed, options: &ChunkOptions) -> Vec<Chunk> {
    let options = ChunkOptions { target_bytes: options.target_bytes.max(64), ..*options };
    let mut chunks = Vec::new();
    let mut pages = PageCounter { starts: &parsed.pages, at: 0 };
    let mut breaks = parsed.breaks.as_slice();
    for section in sections(parsed, options.target_bytes / TINY_SECTIONS_PER_CHUNK) {
        let inside = breaks.partition_point(|&at| at < section.range.end);
        let (here, later) = breaks.split_at(inside);
        breaks = later;
        for range in pieces(&parsed.text, &section.range, here, &options) {
            chunks.push(Chunk {
                page: pages.of(range.start),
                headings: section.headings.clone(),
                language: chunk_language(&parsed.text[range.clone()]),
                range,
            });
        }
    }
    chunks
}

fn chunk_language(text: &str) -> Language {
    detect_language(text)
}

/// A stretch of the text under one heading.
struct Section {
    range: Range<usize>,
    headings: Vec<String>,
}

/// The text's sections in order, tiny ones joined to their neighbours.
fn sections(parsed: &Parsed, tiny: usize) -> Vec<Section> {
    let mut sections: Vec<Section> = Vec::new();
    // Bytes of the longest part of the section that is being built: that part's headings stand for the whole.
    let mut longest = 0;
    let mut path: Vec<&Heading> = Vec::new();
    let starts = std::iter::once(0).chain(parsed.headings.iter().map(|heading| heading.start));
    let ends = parsed.headings.iter().map(|heading| heading.start).chain([parsed.text.len()]);
    for (index, (start, end)) in starts.zip(ends).enumerate() {
        if let Some(heading) = index.checked_sub(1).and_then(|at| parsed.headings.get(at)) {
            path.retain(|above| above.level < heading.level);
            path.push(heading);
        }
        let length = parsed.text.get(start..end).map_or(0, |text| text.trim().len());
        if length == 0 {
            continue;
        }
        let headings: Vec<String> = path.iter().map(|heading| heading.text.clone()).collect();
        match sections.last_mut() {
            Some(open) if parsed.text[open.range.clone()].trim().len() < tiny || length < tiny => {
                open.range.end = end;
                if length > longest {
                    (open.headings, longest) = (headings, length);
                }
            }
            _ => {
                sections.push(Section { range: start..end, headings });
                longest = length;
            }
        }
    }
    sections
}

/// The pages of rising offsets.
struct PageCounter<'a> {
    starts: &'a [usize],
    at: usize,
}

impl PageCounter<'_> {
    /// The page, from 1, that `offset` lies on. Offsets of one document rise but for the overlap, which is looked up anew.
    fn of(&mut self, offset: usize) -> Option<u32> {
        if self.starts.is_empty() {
            return None;
        }
        if self.starts.get(self.at).is_none_or(|&start| start > offset) {
            self.at = 0;
        }
        self.at += self.starts[self.at..].partition_point(|&start| start <= offset).max(1) - 1;
        u32::try_from(self.at + 1).ok()
    }
}

/// Cuts one section into ranges of whole sentences.
fn pieces(text: &str, section: &Range<usize>, breaks: &[usize], options: &ChunkOptions) -> Vec<Range<usize>> {
    let units = units(text, section, breaks, options.target_bytes);
    let mut pieces = Vec::new();
    // Units first..next are in the open piece.
    let (mut first, mut next) = (0, 0);
    while next < units.len() {
        let start = units[first].range.start;
        let fits = units[next].range.end - start <= options.target_bytes;
        let ends_record = next > first && units[next].begins_record && {
            let length = units[next - 1].range.end - start;
            length * RECORDS_PER_CHUNK >= options.target_bytes
                || record_end(&units, next) - start > options.target_bytes
        };
        if next == first || (fits && !ends_record) {
            next += 1;
            continue;
        }
        pieces.push(start..units[next - 1].range.end);
        first =
            if ends_record || units[next].begins_record { next } else { overlap_start(&units, first, next, options) };
    }
    if first < units.len() {
        pieces.push(units[first].range.start..units[units.len() - 1].range.end);
    }
    pieces
}

/// A sentence, or a part of one that is too long.
struct Unit {
    range: Range<usize>,
    begins_record: bool,
}

/// Where the record ends that begins at unit `from`.
fn record_end(units: &[Unit], from: usize) -> usize {
    let last =
        units[from + 1..].iter().position(|unit| unit.begins_record).map_or(units.len() - 1, |after| from + after);
    units[last].range.end
}

/// The first unit of the piece that follows the units `first..next`: as many whole sentences before `next` as the overlap
/// allows, as long as the unit `next` still fits behind them.
fn overlap_start(units: &[Unit], first: usize, next: usize, options: &ChunkOptions) -> usize {
    let mut start = next;
    while start > first + 1 {
        let candidate = &units[start - 1];
        let repeated = units[next - 1].range.end - candidate.range.start;
        let with_next = units[next].range.end - candidate.range.start;
        if candidate.begins_record || repeated > options.overlap_bytes || with_next > options.target_bytes {
            break;
        }
        start -= 1;
    }
    start
}

fn units(text: &str, section: &Range<usize>, breaks: &[usize], target: usize) -> Vec<Unit> {
    let mut units = Vec::new();
    let borders = breaks.iter().copied().filter(|&at| at > section.start && text.is_char_boundary(at));
    let starts = std::iter::once(section.start).chain(borders.clone());
    for (start, end) in starts.zip(borders.chain([section.end])) {
        let record = start != section.start || breaks.contains(&start);
        let mut begins_record = record;
        for sentence in sentences(&text[start..end]) {
            for range in cut(&text[start..end], sentence, target) {
                units.push(Unit { range: start + range.start..start + range.end, begins_record });
                begins_record = false;
            }
        }
    }
    units
}

/// A sentence within the target as it is; a longer one in parts, each cut behind a clause, else behind a word, else
/// between what a reader sees as characters.
fn cut(text: &str, sentence: Range<usize>, target: usize) -> Vec<Range<usize>> {
    let mut parts = Vec::new();
    let mut start = sentence.start;
    while sentence.end - start > target {
        let limit = floor_boundary(text, start + target);
        let end = last_border(&text[start..limit]).map_or(limit, |at| start + at);
        let body = text[start..end].trim_end();
        if !body.is_empty() {
            parts.push(start..start + body.len());
        }
        start = end + (text[end..sentence.end].len() - text[end..sentence.end].trim_start().len());
    }
    if start < sentence.end {
        parts.push(start..sentence.end);
    }
    parts
}

/// Where to end within `text`, which is too long by what follows it; in its second half, so that parts do not get tiny.
fn last_border(text: &str) -> Option<usize> {
    let half = floor_boundary(text, text.len() / 2);
    let tail = &text[half..];
    let behind = |found: Option<(usize, char)>| found.map(|(at, character)| half + at + character.len_utf8());
    let clause = |&(_, character): &(usize, char)| matches!(character, ',' | ';' | ':' | '、' | '，' | '；' | '：');
    behind(tail.char_indices().rev().find(clause))
        .or_else(|| behind(tail.char_indices().rev().find(|(_, character)| character.is_whitespace())))
        .or_else(|| tail.grapheme_indices(true).next_back().map(|(at, _)| half + at).filter(|&at| at > 0))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn options(target_bytes: usize, overlap_bytes: usize) -> ChunkOptions {
        ChunkOptions { target_bytes, overlap_bytes }
    }

    fn heading(text: &str, words: &str, level: u8) -> Heading {
        Heading { start: text.find(words).unwrap(), level, text: words.trim_start_matches('#').trim().to_owned() }
    }

    fn check(parsed: &Parsed, options: &ChunkOptions, expected: &[&str]) {
        let texts: Vec<&str> = chunk(parsed, options).into_iter().map(|chunk| &parsed.text[chunk.range]).collect();
        assert_eq!(texts, expected);
    }

    fn plain(text: &str) -> Parsed {
        Parsed { text: text.to_owned(), ..Parsed::default() }
    }

    #[test]
    fn chunks_end_at_sentences_and_repeat_the_last_one() {
        let text = "The first sentence has forty letters here. The second one is short. The third sentence is again \
                    of some length. The end.";
        check(
            &plain(text),
            &options(90, 30),
            &[
                "The first sentence has forty letters here. The second one is short.",
                "The second one is short. The third sentence is again of some length. The end.",
            ],
        );
        check(
            &plain(text),
            &options(90, 0),
            &[
                "The first sentence has forty letters here. The second one is short.",
                "The third sentence is again of some length. The end.",
            ],
        );
    }

    #[test]
    fn japanese_sentences_are_kept_whole() {
        let text = "吾輩は猫である。名前はまだ無い。どこで生れたかとんと見当がつかぬ。";
        check(
            &plain(text),
            &options(64, 0),
            &["吾輩は猫である。", "名前はまだ無い。", "どこで生れたかとんと見当がつか", "ぬ。"],
        );
        check(
            &plain(text),
            &options(120, 0),
            &["吾輩は猫である。名前はまだ無い。", "どこで生れたかとんと見当がつかぬ。"],
        );
    }

    #[test]
    fn a_chunk_stays_within_its_section_and_knows_its_headings() {
        let text = "# One\n\nThe first section says something of its own.\n\n## Two\n\nThe second section says \
                    something else, at length.\n";
        let headings = vec![heading(text, "# One", 1), heading(text, "## Two", 2)];
        let parsed = Parsed { text: text.to_owned(), headings, ..Parsed::default() };
        let chunks = chunk(&parsed, &options(120, 60));
        let found: Vec<_> = chunks.iter().map(|chunk| chunk.headings.join("/")).collect();
        assert_eq!(found, ["One", "One/Two"]);
        assert!(parsed.text[chunks[1].range.clone()].starts_with("## Two"));
    }

    #[test]
    fn a_heading_alone_joins_the_section_below_it() {
        let text = "# Title\n\n## Part\n\nThe part has enough text to stand on its own feet, as one can see.\n";
        let headings = vec![heading(text, "# Title", 1), heading(text, "## Part", 2)];
        let parsed = Parsed { text: text.to_owned(), headings, ..Parsed::default() };
        let chunks = chunk(&parsed, &options(300, 0));
        assert_eq!(chunks.len(), 1);
        assert_eq!(chunks[0].headings, ["Title", "Part"]);
    }

    #[test]
    fn records_are_not_cut_in_two_when_they_fit() {
        let rows =
            ["name: Anna; city: Bern.", "name: Bert; city: Rome and a long note on it.", "name: Cleo; city: Cairo."];
        let text = rows.join("\n");
        let breaks = vec![0, rows[0].len() + 1, rows[0].len() + rows[1].len() + 2];
        let parsed = Parsed { text, breaks, ..Parsed::default() };
        check(&parsed, &options(80, 40), &[&rows[..2].join("\n"), rows[2]]);
        check(&parsed, &options(64, 40), &rows);
    }

    #[test]
    fn a_sentence_without_end_is_cut_at_clauses_words_or_characters() {
        let words = "word ".repeat(40);
        for chunk in chunk(&plain(&words), &options(64, 0)) {
            assert!(words[chunk.range.clone()].split(' ').all(|word| word == "word"), "{chunk:?}");
        }
        let solid = "é".repeat(100);
        let lengths: Vec<usize> =
            chunk(&plain(&solid), &options(64, 0)).iter().map(|chunk| chunk.range.len()).collect();
        assert_eq!(lengths.iter().sum::<usize>(), 200);
    }

    #[test]
    fn pages_are_those_of_the_start() {
        let text = "Page one is here. It has two sentences.\n\nPage two is here. It has more of them.";
        let parsed = Parsed { text: text.to_owned(), pages: vec![0, 41], ..Parsed::default() };
        let pages: Vec<_> = chunk(&parsed, &options(64, 0)).iter().map(|chunk| chunk.page).collect();
        assert_eq!(pages, [Some(1), Some(2)]);
    }

    proptest! {
        #[test]
        fn everything_is_covered_in_order_within_the_target(
            text in "(?s)[ \\n.a-zé猫。,A-Z]{0,600}",
            target in 64usize..200,
            overlap in 0usize..60,
            marks in proptest::collection::vec(0usize..600, 0..6),
        ) {
            let mut marks: Vec<usize> = marks.into_iter().map(|at| floor_boundary(&text, at)).collect();
            marks.sort_unstable();
            marks.dedup();
            let headings = marks.iter().map(|&start| Heading { start, level: 1, text: "h".to_owned() }).collect();
            let parsed = Parsed { text: text.clone(), headings, breaks: marks, ..Parsed::default() };
            let mut covered = vec![false; text.len()];
            let mut last = 0;
            for chunk in chunk(&parsed, &options(target, overlap)) {
                prop_assert!(!chunk.range.is_empty() && chunk.range.len() <= target);
                prop_assert!(text.get(chunk.range.clone()).is_some());
                prop_assert!(chunk.range.start >= last);
                last = chunk.range.start;
                covered[chunk.range].fill(true);
            }
            for (at, character) in text.char_indices() {
                prop_assert!(character.is_whitespace() || covered[at], "{at} of {text:?}");
            }
        }
    }
}
