//! Cuts text into chunks that end at sentence and heading boundaries.
//!
//! A document is first divided at its headings and breaks; sections too small to stand alone join their neighbour. Each
//! section is then filled sentence by sentence; a paragraph that begins late in a chunk and does not end there begins
//! the next chunk. A sentence longer than a chunk is cut where a reader would pause.

use std::collections::BTreeMap;
use std::ops::Range;

use unicode_segmentation::GraphemeCursor;

use super::parse::Parsed;
use crate::base::text::{Language, LanguageTracker, detect_language, is_link_target, sentences};
use crate::domain::{Chunk, Heading, Headings};

/// How chunks are cut. Lengths are in bytes of UTF-8. A Japanese character takes three bytes, so a Japanese chunk has a
/// third as many characters and about as much meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChunkOptions {
    /// A chunk grows by whole sentences while it stays within this. Values below [`ChunkOptions::MIN_TARGET_BYTES`] are
    /// raised to it.
    pub target_bytes: usize,
    /// Whole sentences from the end of the previous chunk, up to this length, are repeated at the start of the next.
    pub overlap_bytes: usize,
}

impl ChunkOptions {
    /// The smallest target: every character has to fit.
    pub const MIN_TARGET_BYTES: usize = 16;

    /// The options as they are applied: the target is large enough for any character, and the overlap is at most half
    /// of it.
    pub fn effective(&self) -> ChunkOptions {
        let target_bytes = self.target_bytes.max(ChunkOptions::MIN_TARGET_BYTES);
        ChunkOptions { target_bytes, overlap_bytes: self.overlap_bytes.min(target_bytes / 2) }
    }
}

impl Default for ChunkOptions {
    fn default() -> Self {
        ChunkOptions { target_bytes: 1200, overlap_bytes: 200 }
    }
}

/// Cuts a parsed document into chunks: in order, none empty or longer than the target. Every character of the body that
/// is not white space is in at least one chunk, except for link target lines at the end of a section.
pub fn chunk(parsed: &Parsed, options: &ChunkOptions) -> Vec<Chunk> {
    let ChunkOptions { target_bytes: target, overlap_bytes: overlap } = options.effective();
    let mut ranges = Vec::new();
    for section in sections(parsed, target) {
        Filler { text: &parsed.text, target, overlap, ranges: &mut ranges, units: Vec::new(), repeated: 0 }
            .fill(section);
    }
    let mut place = Place::new(parsed);
    ranges.into_iter().map(|range| place.describe(parsed, range)).collect()
}

/// The kind of a boundary.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Border {
    Heading(u8),
    Break,
}

/// The sections of a document, which no chunk crosses, in order, without the white space around them.
fn sections(parsed: &Parsed, target: usize) -> Vec<Range<usize>> {
    let text = parsed.text.as_str();
    // Parsers promise boundaries within the text; a wrong one must not lose the document.
    let body_start = text.floor_char_boundary(parsed.body_start);
    let sound = |at: &usize| (body_start..text.len()).contains(at) && text.is_char_boundary(*at);
    let mut borders: Vec<(usize, Border)> = vec![(body_start, Border::Break)];
    borders.extend(parsed.breaks.iter().filter(|at| sound(at)).map(|&at| (at, Border::Break)));
    borders.extend(parsed.headings.iter().filter(|h| sound(&h.start)).map(|h| (h.start, Border::Heading(h.level))));
    // A heading outweighs a break at the same place.
    borders.sort_by_key(|&(at, border)| (at, border == Border::Break));
    borders.dedup_by_key(|&mut (at, _)| at);

    let begins_page = |at: usize| at > body_start && parsed.pages.binary_search(&at).is_ok();
    let small = target / 4;
    let mut merged: Vec<(Range<usize>, Border)> = Vec::new();
    for (place, &(start, border)) in borders.iter().enumerate() {
        let end = borders.get(place + 1).map_or(text.len(), |&(next, _)| next);
        let range = without_link_targets(text, trim(text, start..end));
        if range.is_empty() {
            continue;
        }
        if let Some((last, last_border)) = merged.last_mut() {
            let joint = range.end - last.start;
            let joins = match (*last_border, border) {
                // A slide, a sheet or a chapter that begins a page stays separate, so that its passages have its page.
                (_, Border::Heading(_)) if begins_page(start) => false,
                // A short title joins the section beneath it, whatever its length: the chunk then starts with both.
                (Border::Heading(above), Border::Heading(level)) if level > above => last.len() < small,
                (Border::Heading(above), Border::Heading(level)) if level == above => {
                    last.len() < small && joint <= target
                }
                // A new chapter does not join the one before it, unless that is only a line or two.
                (_, Border::Heading(_)) => last.len() < small / 4 && joint <= target,
                // Records and rows share a chunk, as many as fit whole.
                (_, Border::Break) => (last.len() < small || range.len() < small) && joint <= target,
            };
            if joins {
                last.end = range.end;
                continue;
            }
        }
        merged.push((range, border));
    }
    // A last section too small to be found joins the one before it.
    if let [.., (before, _), (tail, _)] = merged.as_mut_slice()
        && tail.len() < small / 4
        && !begins_page(tail.start)
        && tail.end - before.start <= target
    {
        before.end = tail.end;
        merged.pop();
    }
    merged.into_iter().map(|(range, _)| range).collect()
}

/// The offset at which the words below the leading headings of a section begin.
fn end_of_headings(parsed: &Parsed, range: &Range<usize>) -> usize {
    let mut at = range.start;
    let first = parsed.headings.partition_point(|heading| heading.start < at);
    let mut headings = parsed.headings.get(first..).unwrap_or_default().iter().peekable();
    while let Some(heading) = headings.next() {
        let stands_here = heading.start < range.end
            && parsed.text.get(at..heading.start).is_some_and(|between| between.trim().is_empty());
        if !stands_here {
            break;
        }
        at = heading.start;
        // A value or a row may begin with the text of its heading.
        let line = parsed.text.get(at..range.end).and_then(|rest| rest.lines().next()).unwrap_or_default();
        if line.strip_prefix(heading.text.as_str()).is_some_and(|rest| rest.contains(char::is_alphanumeric)) {
            break;
        }
        let end = headings.peek().map_or(range.end, |next| next.start.min(range.end));
        // A heading may span several lines and be underlined.
        let mut words = heading.text.split_whitespace().count().max(1);
        for line in parsed.text.get(at..end).unwrap_or_default().split_inclusive('\n') {
            if words == 0 && line.contains(char::is_alphanumeric) {
                break;
            }
            words = words.saturating_sub(line.split_whitespace().count());
            at += line.len();
        }
    }
    at
}

/// `range` without the lines at its end that only give link targets: nobody reads them, and a list of changes has so
/// many of them that they would dominate the search results.
fn without_link_targets(text: &str, mut range: Range<usize>) -> Range<usize> {
    loop {
        let piece = &text[range.clone()];
        let last = piece.rfind('\n').map_or(0, |newline| newline + 1);
        if !is_link_target(&piece[last..]) {
            return range;
        }
        range = trim(text, range.start..range.start + last);
    }
}

fn trim(text: &str, range: Range<usize>) -> Range<usize> {
    let piece = &text[range.clone()];
    let start = range.start + piece.len() - piece.trim_start().len();
    start..start + piece.trim().len()
}

/// Fills the chunks of one section.
struct Filler<'a> {
    text: &'a str,
    target: usize,
    overlap: usize,
    ranges: &'a mut Vec<Range<usize>>,
    /// The sentences of the chunk being filled, or pieces of sentences that are too long.
    units: Vec<Range<usize>>,
    /// The number of units repeated from the previous chunk.
    repeated: usize,
}

impl Filler<'_> {
    fn fill(mut self, section: Range<usize>) {
        let offset = section.start;
        for sentence in sentences(&self.text[section]) {
            let sentence = offset + sentence.start..offset + sentence.end;
            if sentence.len() <= self.target {
                self.add(sentence);
            } else {
                self.add_long(sentence);
            }
        }
        self.emit();
    }

    fn add(&mut self, unit: Range<usize>) {
        if let Some(first) = self.units.first()
            && unit.end - first.start > self.target
        {
            self.cut(&unit);
        }
        self.units.push(unit);
    }

    /// Ends the chunk before `next`. A paragraph that begins late in the chunk and continues with `next` moves to the
    /// next chunk, so that it stays whole.
    fn cut(&mut self, next: &Range<usize>) {
        let is_blank = |between: Range<usize>| self.text[between].matches('\n').count() > 1;
        let goes_on = self.units.last().is_some_and(|last| !is_blank(last.end..next.start));
        let begins = |&at: &usize| is_blank(self.units[at - 1].end..self.units[at].start);
        let late = (self.repeated + 1..self.units.len()).rev().find(begins);
        let Some(at) = late.filter(|&at| goes_on && next.end - self.units[at].start <= self.target / 2) else {
            self.emit();
            return self.keep_overlap(next);
        };
        let paragraph = self.units.split_off(at);
        self.emit();
        self.units = paragraph;
        self.repeated = 0;
    }

    /// Ends the chunk, if it contains anything that the previous one does not.
    fn emit(&mut self) {
        if self.units.len() > self.repeated
            && let (Some(first), Some(last)) = (self.units.first(), self.units.last())
        {
            self.ranges.push(first.start..last.end);
        }
    }

    /// Keeps the last sentences of the finished chunk as the beginning of the next, if they leave room for `next`.
    fn keep_overlap(&mut self, next: &Range<usize>) {
        let Some(end) = self.units.last().map(|last| last.end) else { return };
        // Never keeps the whole chunk: the next one has to begin later.
        let keep_from = (1..self.units.len())
            .rev()
            .take_while(|&place| {
                let start = self.units[place].start;
                end - start <= self.overlap && next.end - start <= self.target
            })
            .last()
            .unwrap_or(self.units.len());
        self.units.drain(..keep_from);
        self.repeated = self.units.len();
    }

    /// Adds a sentence longer than a chunk in pieces.
    fn add_long(&mut self, sentence: Range<usize>) {
        let mut start = sentence.start;
        while sentence.end - start > self.target {
            let cut = start + pause(&self.text[start..sentence.end], self.target);
            let piece = trim(self.text, start..cut);
            if !piece.is_empty() {
                self.add(piece);
            }
            start = cut;
        }
        let rest = trim(self.text, start..sentence.end);
        if !rest.is_empty() {
            self.add(rest);
        }
    }
}

/// Where to cut `text`, which is longer than `limit`: after a line or else after a clause, both in the second half;
/// else after a word; else between two grapheme clusters. Positive, on a character boundary, and at most `limit`.
fn pause(text: &str, limit: usize) -> usize {
    let window = &text[..text.floor_char_boundary(limit)];
    let half = window.floor_char_boundary(window.len() / 2);
    let late = &window[half..];
    if let Some(line) = late.rfind('\n') {
        return half + line + 1;
    }
    let mut clause = None;
    let mut previous = ' ';
    for (at, character) in late.char_indices() {
        if matches!(previous, ',' | ';' | ':' | '—' | '–') && character.is_whitespace() {
            clause = Some(at);
        } else if matches!(character, '、' | '，' | '；' | '：') {
            clause = Some(at + character.len_utf8());
        }
        previous = character;
    }
    if let Some(clause) = clause {
        return half + clause;
    }
    if let Some(word) = window.rfind(char::is_whitespace).filter(|&at| at > 0) {
        return word;
    }
    // The cursor may look slightly beyond the limit to see whether a combining mark follows.
    let view = &text[..text.floor_char_boundary(limit + 32)];
    let mut cursor = GraphemeCursor::new(window.len(), view.len(), true);
    let border = match cursor.is_boundary(view, 0) {
        Ok(true) => Some(window.len()),
        _ => cursor.prev_boundary(view, 0).ok().flatten(),
    };
    // One character with too many combining marks: cut among the marks.
    border.filter(|&at| at > 0).unwrap_or(window.len())
}

/// Tracks page, headings and language at a position that only moves forward.
struct Place {
    languages: LanguageTracker,
    pages_passed: usize,
    headings_passed: usize,
    open: Vec<(u8, String)>,
}

impl Place {
    fn new(parsed: &Parsed) -> Self {
        let languages = LanguageTracker::new(&parsed.text, parsed.language);
        Place { languages, pages_passed: 0, headings_passed: 0, open: Vec::new() }
    }

    fn describe(&mut self, parsed: &Parsed, range: Range<usize>) -> Chunk {
        while parsed.pages.get(self.pages_passed).is_some_and(|&page| page <= range.start) {
            self.pages_passed += 1;
        }
        let turns = parsed.pages.get(self.pages_passed..).unwrap_or_default().iter();
        let page_turns = turns.take_while(|&&page| page < range.end).map(|&page| page - range.start).collect();
        // Of consecutive headings, the last one is directly above the words.
        let words = end_of_headings(parsed, &range);
        let is_above = |heading: &&Heading| heading.start <= range.start || heading.start < words;
        while let Some(heading) = parsed.headings.get(self.headings_passed).filter(is_above) {
            enter(&mut self.open, heading);
            self.headings_passed += 1;
        }
        // Small sections may share a chunk.
        let further = parsed.headings.get(self.headings_passed..).unwrap_or_default().iter();
        let further = further.take_while(|heading| heading.start < range.end);
        let has_words = |heading: &&Heading| end_of_headings(parsed, &(heading.start..range.end)) < range.end;
        let further: Vec<&Heading> = further.filter(has_words).collect();
        let level = further.iter().map(|heading| heading.level).min().unwrap_or(u8::MAX);
        let shared = self.open.partition_point(|(open, _)| *open < level);
        let texts = |open: &[(u8, String)]| open.iter().map(|(_, text)| text.clone()).collect::<Vec<_>>();
        let mut headings = Headings { shared: texts(&self.open[..shared]), parts: Vec::new() };
        let mut open = self.open.clone();
        if shared < open.len() {
            headings.parts.push((0, texts(&open[shared..])));
        }
        for heading in further {
            enter(&mut open, heading);
            headings.parts.push((heading.start - range.start, texts(&open[shared..])));
        }
        Chunk {
            page: u32::try_from(self.pages_passed).ok().filter(|&page| page > 0),
            page_turns,
            headings,
            language: self.languages.detect(&parsed.text[range.clone()]),
            range,
        }
    }
}

/// Makes `heading` the innermost of the `open` headings; it closes those of its level and deeper.
fn enter(open: &mut Vec<(u8, String)>, heading: &Heading) {
    open.retain(|(level, _)| *level < heading.level);
    open.push((heading.level, heading.text.clone()));
}

/// The language of most of the text, by the bytes of its chunks.
pub fn main_language(text: &str, chunks: &[Chunk]) -> Language {
    let mut bytes: BTreeMap<&str, usize> = BTreeMap::new();
    for chunk in chunks {
        *bytes.entry(chunk.language.code()).or_default() += chunk.range.len();
    }
    match bytes.into_iter().max_by(|a, b| a.1.cmp(&b.1).then_with(|| b.0.cmp(a.0))) {
        Some((code, _)) => Language::from_code(code),
        None => detect_language(text),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const SMALL: ChunkOptions = ChunkOptions { target_bytes: 40, overlap_bytes: 0 };

    fn parsed(text: &str, headings: &[(&str, u8)]) -> Parsed {
        let mut from = 0;
        let headings = headings.iter().map(|&(line, level)| {
            let start = from + text[from..].find(line).expect("the heading stands in the text");
            from = start + line.len();
            Heading { start, level, text: line.trim_start_matches('#').trim().to_owned() }
        });
        Parsed { headings: headings.collect(), text: text.to_owned(), ..Parsed::default() }
    }

    fn check(parsed: &Parsed, options: &ChunkOptions, expected: &[&str]) {
        let chunks = chunk(parsed, options);
        let found: Vec<&str> = chunks.iter().map(|chunk| &parsed.text[chunk.range.clone()]).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn grows_by_whole_sentences() {
        let text = "One two three four. Five six seven. Eight nine ten eleven. End.";
        check(&parsed(text, &[]), &SMALL, &["One two three four. Five six seven.", "Eight nine ten eleven. End."]);
        check(&parsed("", &[]), &SMALL, &[]);
        check(&parsed(" \n ", &[]), &SMALL, &[]);
    }

    #[test]
    fn lines_that_say_where_links_lead_are_in_no_chunk() {
        let text =
            "# 1.2\n\nA fix ([#7]).\n\n[#7]: https://x.org/7\n[#8]: https://x.org/8\n\n# 1.1\n\nSee [a]: it is old.\n";
        let options = ChunkOptions { target_bytes: 40, overlap_bytes: 0 };
        let headings = [("# 1.2", 1), ("# 1.1", 1)];
        check(&parsed(text, &headings), &options, &["# 1.2\n\nA fix ([#7]).", "# 1.1\n\nSee [a]: it is old."]);
    }

    #[test]
    fn overlaps_by_whole_sentences() {
        let options = ChunkOptions { target_bytes: 40, overlap_bytes: 17 };
        let text = "One two three four. Five six seven. Eight nine ten. End of it all.";
        check(
            &parsed(text, &[]),
            &options,
            &[
                "One two three four. Five six seven.",
                "Five six seven. Eight nine ten.",
                "Eight nine ten. End of it all.",
            ],
        );
    }

    #[test]
    fn a_paragraph_that_begins_late_stays_whole() {
        let options = ChunkOptions { target_bytes: 60, overlap_bytes: 10 };
        let text = "One two three. Four five six. Seven.\n\nEight nine ten. Eleven.\n\nEnd of it all. Late.";
        check(
            &parsed(text, &[]),
            &options,
            &["One two three. Four five six. Seven.", "Eight nine ten. Eleven.\n\nEnd of it all. Late."],
        );
        // A paragraph that would fill more than half a chunk is cut.
        let text = "One two three.\n\nFour five six seven. Eight nine ten. Eleven twelve.";
        check(
            &parsed(text, &[]),
            &options,
            &["One two three.\n\nFour five six seven. Eight nine ten.", "Eleven twelve."],
        );
    }

    #[test]
    fn headings_begin_chunks_and_tiny_sections_join() {
        let text = "# Title\n\n## First\nSome words that are long.\n\n## Second\nOther words that are long.\n";
        let parsed = parsed(text, &[("# Title", 1), ("## First", 2), ("## Second", 2)]);
        let options = ChunkOptions { target_bytes: 50, overlap_bytes: 0 };
        check(
            &parsed,
            &options,
            &["# Title\n\n## First\nSome words that are long.", "## Second\nOther words that are long."],
        );
        let chunks = chunk(&parsed, &options);
        assert_eq!(chunks[0].headings.shared, ["Title", "First"]);
        assert_eq!(chunks[1].headings.shared, ["Title", "Second"]);
    }

    #[test]
    fn a_value_may_begin_with_its_heading() {
        let parsed = parsed("Hall\nBig.\n\nnote: Old.", &[("Hall", 2), ("note", 2)]);
        let chunks = chunk(&parsed, &ChunkOptions::default());
        assert_eq!(chunks[0].headings.above(&(11..21)), ["note"]);
    }

    #[test]
    fn words_are_never_cited_under_the_heading_of_others() {
        fn check(text: &str, expected: &[(&str, &[&str])]) {
            let heads = [("Lease", 1), ("Article 1", 2), ("Article 2", 2), ("Annex", 1), ("Part A", 2)];
            let heads: Vec<(&str, u8)> = heads.into_iter().filter(|(line, _)| text.contains(line)).collect();
            let chunks = chunk(&parsed(text, &heads), &ChunkOptions::default());
            for (words, above) in expected {
                let at = text.find(words).unwrap();
                let holds = |chunk: &&Chunk| chunk.range.start <= at && at + words.len() <= chunk.range.end;
                let chunk = chunks.iter().find(holds).unwrap();
                let from = at - chunk.range.start;
                assert_eq!(chunk.headings.above(&(from..from + words.len())), *above, "{words} of {text}");
            }
        }
        let (rent, roof) = ("The rent is due.", "The roof is new.");
        check("Lease\n\nArticle 1\n\nThe rent is due.", &[(rent, &["Lease", "Article 1"])]);
        check("Lease\n=====\n\nArticle 1\nThe rent is due.", &[(rent, &["Lease", "Article 1"])]);
        let two = "Lease\n\nArticle 1\n\nThe rent is due.\n\nArticle 2\n\nThe roof is new.";
        check(two, &[(rent, &["Lease", "Article 1"]), (roof, &["Lease", "Article 2"]), (two, &["Lease"])]);
        let apart = "Lease\n\nOf a house.\n\nArticle 2\n\nThe roof is new.";
        check(apart, &[("Of a house.", &["Lease"]), (roof, &["Lease", "Article 2"]), (apart, &["Lease"])]);
        check("Article 1\n\nThe rent is due.\n\nArticle 2\n", &[(rent, &["Article 1"])]);
        check("Annex\n\nPart A\n\nThe rent is due.", &[(rent, &["Annex", "Part A"])]);
        let ended = "Lease\n\nArticle 1\n\nThe rent is due.\n\nAnnex\n\nPart A\n\nThe roof is new.";
        check(ended, &[(rent, &["Lease", "Article 1"]), (roof, &["Annex", "Part A"]), (ended, &[])]);
    }

    #[test]
    fn what_stands_before_the_body_is_left_out() {
        let text = "---\ntitle: T\n---\nThe body.";
        let document = Parsed { body_start: text.find("The").unwrap(), ..parsed(text, &[]) };
        check(&document, &SMALL, &["The body."]);
    }

    #[test]
    fn records_stay_whole() {
        let rows = ["name: Ada; x: 1", "name: Bob; x: 2", "name: Cyd; x: 3", "name: Dan; x: 4", "name: Eve; x: 5"];
        let mut document = parsed(&rows.join("\n"), &[]);
        document.breaks = (0..rows.len()).map(|row| row * 16).collect();
        let options = ChunkOptions { target_bytes: 64, overlap_bytes: 20 };
        check(&document, &options, &[&rows[..4].join("\n"), rows[4]]);
        // A sufficiently large record stands alone.
        check(&document, &SMALL, &rows);
    }

    #[test]
    fn long_sentences_are_cut_at_pauses() {
        check(
            &parsed("alpha beta gamma delta, epsilon zeta eta theta iota kappa", &[]),
            &SMALL,
            &["alpha beta gamma delta,", "epsilon zeta eta theta iota kappa"],
        );
        check(&parsed(&"あ".repeat(20), &[]), &SMALL, &["あ".repeat(13).as_str(), "あ".repeat(7).as_str()]);
        // The family emoji is one character of 25 bytes.
        check(&parsed(&"👨‍👩‍👧‍👦".repeat(2), &[]), &SMALL, &["👨‍👩‍👧‍👦", "👨‍👩‍👧‍👦"]);
    }

    #[test]
    fn a_heading_that_begins_a_page_begins_a_chunk() {
        let mut slides = parsed("# One\n\na\n\n# Two\n\nb", &[("# One", 1), ("# Two", 1)]);
        check(&slides, &SMALL, &["# One\n\na\n\n# Two\n\nb"]);
        slides.pages = vec![0, 10];
        check(&slides, &SMALL, &["# One\n\na", "# Two\n\nb"]);
    }

    #[test]
    fn pages_are_counted_from_one() {
        let mut document = parsed("First page here and long.\n\nSecond page here and long.", &[]);
        document.pages = vec![0, 27];
        let pages: Vec<_> = chunk(&document, &SMALL).iter().map(|chunk| chunk.page).collect();
        assert_eq!(pages, [Some(1), Some(2)]);
        let whole = chunk(&document, &ChunkOptions::default());
        assert_eq!((whole.len(), whole[0].page, &whole[0].page_turns[..]), (1, Some(1), &[27][..]));
        document.pages.clear();
        assert!(chunk(&document, &SMALL).iter().all(|chunk| chunk.page.is_none()));
    }

    proptest! {
        #[test]
        fn covers_the_text_in_order(
            text in "(\\PC|[a-z.!? \n,]|[あ-ん。、]){0,300}",
            borders in prop::collection::vec((0usize..400, 1u8..4, any::<bool>()), 0..8),
            target_bytes in 0usize..90,
            overlap_bytes in 0usize..60,
        ) {
            let mut document = Parsed { text, ..Parsed::default() };
            let mut borders = borders;
            borders.sort();
            for (at, level, heading) in borders {
                let start = document.text.floor_char_boundary(at);
                if heading {
                    document.headings.push(Heading { start, level, text: "h".to_owned() });
                } else {
                    document.breaks.push(start);
                }
            }
            let chunks = chunk(&document, &ChunkOptions { target_bytes, overlap_bytes });
            let limit = target_bytes.max(ChunkOptions::MIN_TARGET_BYTES);
            let (mut covered, mut last_start) = (0, None);
            for found in &chunks {
                let body = document.text.get(found.range.clone());
                prop_assert!(body.is_some_and(|body| !body.is_empty() && body.trim() == body));
                prop_assert!(found.range.len() <= limit, "{:?} > {limit}", found.range);
                prop_assert!(last_start.is_none_or(|last| found.range.start > last));
                if found.range.start > covered {
                    prop_assert!(document.text[covered..found.range.start].trim().is_empty());
                }
                prop_assert!(found.range.end > covered);
                covered = found.range.end;
                last_start = Some(found.range.start);
            }
            prop_assert!(document.text[covered..].trim().is_empty());
        }
    }
}
