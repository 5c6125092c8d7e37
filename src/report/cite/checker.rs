//! Checks the citations of a report as it arrives, and numbers them.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use super::MARK;
use super::blocks::{Line, classify, is_programs_own};
use super::claims::{Claims, is_statement};
use super::fence;
use super::harmless::{Addresses, harmless, sanitize_except_definitions};
use super::markers::markers;
use super::quoted::{is_quoted_from, quotations, words};
use crate::base::text::{Language, one_line, sentences};
use crate::report::facts::{self, Kind, Problem, SentenceCheck, Source};

/// The most sentences whose check is remembered.
const MOST_KNOWN: usize = 1_000;
/// The most bytes of a sentence that are compared with its sources at once.
const LONGEST_CHECKED: usize = 4_000;

/// One piece of evidence that the report cites; its number in the report is its position in the list, from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cited {
    /// Its number in the evidence.
    pub evidence: usize,
    /// The sentences that cite it, on one line each, without citations.
    pub sentences: Vec<String>,
}

/// A sentence of the report that cites something, or should.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckedSentence {
    /// Its words on one line, without citations.
    pub text: String,
    /// Its bytes in the report as received, citations included.
    pub range: Range<usize>,
    /// The evidence numbers that it cites and that exist.
    pub citing: Vec<usize>,
    /// The numbers that it cites and that do not exist.
    pub unknown: Vec<usize>,
    /// Its parts that the cited passages do not contain.
    pub problems: Vec<Problem>,
    /// Its figures that follow from cited ones, each with its formula.
    pub derived: Vec<String>,
}

/// The result of the check.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CheckedCitations {
    /// The cited evidence, in order of first appearance: the first is `[1]`.
    pub cited: Vec<Cited>,
    /// The number of citations removed because there is no such evidence.
    pub removed: usize,
    /// The number of sentences marked because they state something and cite nothing.
    pub marked: usize,
    /// The sentences that cite something, and the claims that do not.
    pub sentences: Vec<CheckedSentence>,
}

impl CheckedCitations {
    /// Returns the number in the report of a piece of evidence that `sentence` cites; a new one at its first
    /// appearance.
    pub fn cite(&mut self, evidence: usize, sentence: &str) -> usize {
        let at = self.cited.iter().position(|cited| cited.evidence == evidence).unwrap_or_else(|| {
            self.cited.push(Cited { evidence, sentences: Vec::new() });
            self.cited.len() - 1
        });
        let sentences = &mut self.cited[at].sentences;
        let sentence = one_line(sentence);
        if !sentence.is_empty() && sentences.last() != Some(&sentence) {
            sentences.push(sentence);
        }
        at + 1
    }

    /// The problems that were found, each with its sentence.
    pub fn problems(&self) -> impl Iterator<Item = (&CheckedSentence, &Problem)> {
        self.sentences.iter().flat_map(|sentence| sentence.problems.iter().map(move |problem| (sentence, problem)))
    }
}

/// Checks a report as it arrives. The module describes what it does.
#[derive(Debug)]
pub struct CitationChecker {
    sources: BTreeMap<usize, Source>,
    language: Language,
    claims: Claims,
    addresses: Addresses,
    /// The number of bytes of the report before the current line, and before the current block.
    taken: usize,
    block_start: usize,
    /// The line that is not complete yet.
    line: String,
    /// Complete lines of the block that is not complete yet.
    block: Vec<Piece>,
    fence: Option<(char, usize)>,
    /// Whether every viewer sees code within the fence: the fence is not part of a list.
    code: bool,
    /// Inside a list, four spaces of indentation do not make code.
    in_list: bool,
    /// While a section that the program adds itself is left out: the level of its heading.
    skipped_list_level: Option<usize>,
    /// The words of the sources in which quotations were looked for.
    words: BTreeMap<usize, Vec<String>>,
    /// The results for sentences, by their words and what they cite: a report may repeat a sentence very often.
    known: HashMap<(String, Vec<usize>), SentenceCheck>,
    found: CheckedCitations,
    /// Whether a claim without a citation gets a mark.
    marks: bool,
}

/// A line of a block, with its line break, and where its text begins.
#[derive(Debug)]
struct Piece {
    line: String,
    text_start: usize,
}

impl CitationChecker {
    /// Checks against `sources`: the passages that may be cited, by their numbers in the evidence. `language` is that
    /// of the report. Addresses that occur in the passages may be linked.
    pub fn new(sources: BTreeMap<usize, Source>, language: Language) -> Self {
        let claims = Claims::new(sources.values().map(|source| source.text.as_str()), language);
        CitationChecker {
            addresses: Addresses::of(sources.values().map(|source| source.text.as_str())),
            sources,
            language,
            claims,
            code: false,
            taken: 0,
            block_start: 0,
            line: String::new(),
            block: Vec::new(),
            fence: None,
            in_list: false,
            skipped_list_level: None,
            words: BTreeMap::new(),
            known: HashMap::new(),
            found: CheckedCitations::default(),
            marks: true,
        }
    }

    /// Lets the report link to these addresses too.
    pub fn linking<'p>(mut self, paths: impl Iterator<Item = &'p str>) -> Self {
        self.addresses.add(paths);
        self
    }

    /// Sets no mark behind a claim without a citation. A report that only quotes cites every statement, and where a
    /// sentence ends in quoted text is a matter of opinion.
    pub fn unmarked(mut self) -> Self {
        self.marks = false;
        self
    }

    /// Takes the next piece of the report and returns the text that is now complete, checked.
    pub fn push(&mut self, piece: &str) -> String {
        let mut out = String::new();
        let mut rest = piece;
        while let Some(end) = rest.find('\n') {
            let (head, tail) = rest.split_at(end + 1);
            self.line.push_str(head);
            let line = std::mem::take(&mut self.line);
            self.take_line(line, &mut out);
            rest = tail;
        }
        self.line.push_str(rest);
        out
    }

    /// Whether the text returned so far cites anything.
    pub fn cites(&self) -> bool {
        !self.found.cited.is_empty()
    }

    /// Ends the report and returns the rest of its text and the result of the check.
    pub fn finish(mut self) -> (String, CheckedCitations) {
        let mut out = String::new();
        let line = std::mem::take(&mut self.line);
        if !line.is_empty() {
            self.take_line(line, &mut out);
        }
        self.end_block(&mut out);
        (out, self.found)
    }

    fn take_line(&mut self, line: String, out: &mut String) {
        let start = self.taken;
        self.taken += line.len();
        let content = line.trim_end_matches(['\n', '\r']);
        if let Some(open) = self.fence {
            self.fence = fence::open_fence_after(Some(open), content);
            let line = if self.code { line } else { harmless(&line, &self.addresses) };
            return self.keep(&line, out);
        }
        let kind = classify(content);
        match kind {
            Line::Starts(text_start) => {
                self.end_block(out);
                self.in_list = true;
                self.block_start = start;
                self.block.push(Piece { line, text_start });
            }
            Line::Text(text_start) => {
                let indented = is_indented(content);
                if self.block.is_empty() && indented && !self.in_list {
                    return self.keep(&harmless(&line, &self.addresses), out);
                }
                self.in_list &= indented || !self.block.is_empty() || content.starts_with("  ");
                if self.block.is_empty() {
                    self.block_start = start;
                }
                self.block.push(Piece { line, text_start });
            }
            Line::Heading(level) => {
                self.end_block(out);
                self.in_list = false;
                self.enter_heading(content, level);
                let text_start = content.len() - content.trim_start()[level..].trim_start().len();
                self.block_start = start;
                self.take_unmarked(line, text_start, out);
            }
            Line::Apart => {
                self.end_block(out);
                self.block_start = start;
                self.take_unmarked(line, 0, out);
            }
            Line::Blank => {
                self.end_block(out);
                self.keep(&line, out);
            }
            Line::Fence(mark, length) => {
                self.end_block(out);
                self.fence = Some((mark, length));
                self.code = content.starts_with(mark);
                let line = if self.code { line } else { harmless(&line, &self.addresses) };
                self.keep(&line, out);
            }
            // The program lists the sources after the report, with numbers that the model could not know. Inside a
            // paragraph such a line defines nothing.
            Line::Definition if self.block.is_empty() => {}
            Line::Definition => self.block.push(Piece { line, text_start: 0 }),
        }
    }

    fn enter_heading(&mut self, heading: &str, level: usize) {
        if self.skipped_list_level.is_none_or(|open| level <= open) {
            self.skipped_list_level = is_programs_own(heading).then_some(level);
        }
    }

    fn keep(&self, text: &str, out: &mut String) {
        if self.skipped_list_level.is_none() {
            out.push_str(text);
        }
    }

    /// Checks a line whose citations are renumbered and whose claims are not marked.
    fn take_unmarked(&mut self, line: String, text_start: usize, out: &mut String) {
        self.check(vec![Piece { line, text_start }], false, out);
    }

    fn end_block(&mut self, out: &mut String) {
        let block = std::mem::take(&mut self.block);
        if block.is_empty() {
            return;
        }
        let whole: String = block.iter().map(|piece| &piece.line[piece.text_start.min(piece.line.len())..]).collect();
        let whole = whole.trim();
        // A paragraph that is all bold is a heading without a mark.
        let is_heading = ["**", "__"].iter().any(|mark| {
            whole.strip_prefix(mark).and_then(|rest| rest.strip_suffix(mark)).is_some_and(|rest| !rest.contains(mark))
        });
        if is_heading && is_programs_own(whole) {
            self.skipped_list_level = Some(6);
        }
        self.check(block, !is_heading, out);
    }

    fn check(&mut self, mut block: Vec<Piece>, marks_claims: bool, out: &mut String) {
        if self.skipped_list_level.is_some() {
            return;
        }
        // Before the citations are looked for: text that looks like a tag, and will be escaped, may hold some.
        for piece in &mut block {
            piece.line = sanitize_except_definitions(&piece.line, &self.addresses);
        }
        let text = BlockText::new(&block, self.sources.last_key_value().map_or(0, |(number, _)| *number));
        let sentences: Vec<Range<usize>> = sentences(&text.plain).collect();
        let owner = |at: usize| sentences.partition_point(|sentence| sentence.start < at).saturating_sub(1);
        let mut found: Vec<CheckedSentence> =
            sentences.iter().map(|range| text.sentence(range, self.block_start)).collect();
        let mut edits: Vec<(Range<usize>, String)> = Vec::new();
        // The report's numbers that the sentence cites, by the evidence's. A sentence may cite one piece very often.
        let mut cited: (usize, BTreeMap<usize, usize>) = (usize::MAX, BTreeMap::new());
        for citation in &text.citations {
            let (known, unknown): (Vec<usize>, Vec<usize>) =
                citation.numbers.iter().partition(|number| self.sources.contains_key(number));
            self.found.removed += unknown.len();
            let owned = owner(citation.plain_at);
            if cited.0 != owned {
                cited = (owned, BTreeMap::new());
            }
            let mut numbers: Vec<usize> = Vec::new();
            for evidence in known {
                let number = *cited.1.entry(evidence).or_insert_with(|| match found.get_mut(owned) {
                    Some(sentence) => {
                        sentence.citing.push(evidence);
                        self.found.cite(evidence, &sentence.text)
                    }
                    None => self.found.cite(evidence, ""),
                });
                if !numbers.contains(&number) {
                    numbers.push(number);
                }
            }
            if let Some(sentence) = found.get_mut(owned) {
                sentence.unknown.extend(unknown);
                sentence.range.end = sentence.range.end.max(self.block_start + citation.range.end);
            }
            if numbers.is_empty() {
                edits.push(text.removal(&citation.with_space));
            } else {
                let mut written: String = numbers.iter().map(|number| format!("[{number}]")).collect();
                if text.raw[citation.range.end..].starts_with([':', '(']) {
                    // `[1]:` at the start of a line would define a link and not be shown; `[1](` would begin a link.
                    written.push(' ');
                }
                edits.push((citation.range.clone(), written));
            }
        }
        for (range, mut sentence) in sentences.iter().zip(found) {
            let words = &text.plain[range.clone()];
            self.check_against_sources(&mut sentence);
            // Whoever wrote a citation that leads nowhere took the sentence for a claim.
            let states = || !sentence.unknown.is_empty() && is_statement(words) || self.claims.is_claim(words);
            let is_claim = self.marks && marks_claims && sentence.citing.is_empty() && states();
            if is_claim {
                self.found.marked += 1;
                let end = text.raw_end(range.end);
                edits.push((end..end, format!(" {MARK}")));
            }
            if is_claim || !sentence.citing.is_empty() || !sentence.unknown.is_empty() {
                self.found.sentences.push(sentence);
            }
        }
        edits.sort_by_key(|(range, _)| (range.start, range.end));
        let (mut at, mut checked) = (0, String::with_capacity(text.raw.len()));
        for (range, replacement) in edits {
            checked.push_str(text.raw.get(at..range.start).unwrap_or_default());
            checked.push_str(&replacement);
            at = at.max(range.end);
        }
        checked.push_str(&text.raw[at..]);
        out.push_str(&harmless(&checked, &self.addresses));
    }

    fn check_against_sources(&mut self, sentence: &mut CheckedSentence) {
        if sentence.citing.is_empty() {
            return;
        }
        let asked = (sentence.text.clone(), sentence.citing.clone());
        let SentenceCheck { problems, derived } = match self.known.get(&asked) {
            Some(known) => known.clone(),
            None => {
                let checked = self.against_sources(&sentence.text, &sentence.citing);
                if self.known.len() < MOST_KNOWN && sentence.text.len() < LONGEST_CHECKED {
                    self.known.insert(asked, checked.clone());
                }
                checked
            }
        };
        sentence.problems.extend(problems);
        sentence.derived = derived;
    }

    fn against_sources(&mut self, sentence: &str, citing: &[usize]) -> SentenceCheck {
        let cited: Vec<&Source> = citing.iter().filter_map(|number| self.sources.get(number)).collect();
        let mut checked = SentenceCheck::default();
        let quotations = quotations(sentence);
        if !quotations.is_empty() {
            for (number, source) in citing.iter().zip(&cited) {
                self.words.entry(*number).or_insert_with(|| words(&source.text));
            }
        }
        for quotation in quotations {
            let sources = citing.iter().filter_map(|number| self.words.get(number)).map(Vec::as_slice);
            if !is_quoted_from(quotation, sources) {
                let words = one_line(quotation);
                checked.problems.push(Problem { kind: Kind::Quotation, words, source: String::new() });
            }
        }
        // Text without an end is cut into pieces: its facts are compared with one another, and all pairs of them are
        // many.
        let mut rest = sentence;
        while !rest.is_empty() {
            let (piece, after) = rest.split_at(rest.floor_char_boundary(LONGEST_CHECKED));
            let found = facts::check(piece, &cited, self.language);
            checked.problems.extend(found.problems);
            checked.derived.extend(found.derived);
            rest = after;
        }
        checked
    }
}

/// A block as it stands, and its words alone: on one line, without list marks and citations.
struct BlockText {
    raw: String,
    plain: String,
    /// The pieces of `raw` that are in `plain`: where each begins in `plain`, and its range in `raw`.
    kept: Vec<(usize, Range<usize>)>,
    citations: Vec<BlockCitation>,
}

struct BlockCitation {
    range: Range<usize>,
    /// The citation with the white space before it, which is removed with it.
    with_space: Range<usize>,
    numbers: Vec<usize>,
    plain_at: usize,
}

impl BlockText {
    fn new(block: &[Piece], largest: usize) -> Self {
        let raw: String = block.iter().map(|piece| piece.line.as_str()).collect();
        let mut hidden: Vec<(Range<usize>, Option<usize>)> = Vec::new();
        let mut line_start = 0;
        let mut text_starts = Vec::new();
        for piece in block {
            let text_start = line_start + piece.text_start.min(piece.line.len());
            hidden.push((line_start..text_start, None));
            text_starts.push(text_start);
            line_start += piece.line.len();
        }
        let found = markers(&raw, largest);
        let mut citations: Vec<BlockCitation> = Vec::new();
        for marker in found {
            let line_text = text_starts.partition_point(|start| *start <= marker.range.start);
            let floor = line_text.checked_sub(1).map_or(0, |line| text_starts[line]);
            let floor = citations.last().map_or(floor, |last| last.range.end.max(floor));
            let before = raw.get(floor..marker.range.start).unwrap_or_default();
            let with_space = floor.max(floor + before.trim_end().len())..marker.range.end;
            let with_space = with_space.start.min(marker.range.start)..with_space.end;
            hidden.push((with_space.clone(), Some(citations.len())));
            citations.push(BlockCitation { range: marker.range, with_space, numbers: marker.numbers, plain_at: 0 });
        }
        hidden.sort_by_key(|(range, _)| (range.start, range.end));

        let (mut plain, mut kept, mut at) = (String::with_capacity(raw.len()), Vec::new(), 0);
        for (range, citation) in hidden {
            if let Some(words) = raw.get(at..range.start).filter(|words| !words.is_empty()) {
                kept.push((plain.len(), at..range.start));
                plain.push_str(words);
            }
            if let Some(citation) = citation.and_then(|index| citations.get_mut(index)) {
                citation.plain_at = plain.len();
                // Text that the citation separated stays separate: `1989.[3] Then` and `1989.[3]Then` are two
                // sentences.
                if plain.ends_with(['.', '!', '?']) && raw[range.end..].starts_with(char::is_alphanumeric) {
                    plain.push(' ');
                }
            }
            at = at.max(range.end);
        }
        kept.push((plain.len(), at..raw.len()));
        plain.push_str(&raw[at..]);
        let plain = plain.replace(['\n', '\r'], " ");
        BlockText { raw, plain, kept, citations }
    }

    /// How a citation is removed: the range to remove, and the text that replaces it so that its neighbours do not form
    /// a new citation, a link or code.
    fn removal(&self, citation: &Range<usize>) -> (Range<usize>, String) {
        let (before, after) = (&self.raw[..citation.start], &self.raw[citation.end..]);
        let last = before.trim_end().chars().next_back();
        let next = after.trim_start().chars().next();
        let in_brackets = |character: char| character.is_numeric() || "[]【】［］^,;，、；-–—～〜".contains(character);
        // Only the indentation is looked at: the line may be as long as the report, and this runs for each of its
        // citations.
        let indent = before.trim_end_matches(|space: char| space.is_whitespace() && space != '\n');
        let starts_line = indent.is_empty() || indent.ends_with('\n');
        let line_after = if starts_line { after.lines().next().unwrap_or_default() } else { "" };
        let space = line_after.len() - line_after.trim_start().len();
        match (last, next) {
            (Some(last), Some(next)) if in_brackets(last) && in_brackets(next) => (citation.clone(), "?".to_owned()),
            // An escaped mark would no longer begin a code span.
            _ if starts_line && matches!(classify(line_after), Line::Fence(..)) => (citation.clone(), "?".to_owned()),
            (Some('`' | '~'), Some('`' | '~')) | (Some(']'), Some('(' | ':')) => (citation.clone(), " ".to_owned()),
            _ if starts_line && !matches!(classify(line_after), Line::Text(_) | Line::Blank) => {
                // Escaped, since at the start of a line it would begin a list, a table, a code block.
                (citation.start..citation.end + space, "\\".to_owned())
            }
            // At the start of a line this much space would turn the text into code.
            _ if starts_line && is_indented(&format!("{}{line_after}", &before[indent.len()..])) => {
                (citation.start..citation.end + space, String::new())
            }
            _ => (citation.clone(), String::new()),
        }
    }

    /// A sentence of `plain`, still unchecked, in a block that begins at byte `block_start` of the report.
    fn sentence(&self, range: &Range<usize>, block_start: usize) -> CheckedSentence {
        let piece = self.kept.partition_point(|(start, _)| *start <= range.start).saturating_sub(1);
        let start = self.kept.get(piece).map_or(0, |(start, kept)| (kept.start + (range.start - start)).min(kept.end));
        CheckedSentence {
            text: one_line(&self.plain[range.clone()]),
            range: block_start + start..block_start + self.raw_end(range.end),
            citing: Vec::new(),
            unknown: Vec::new(),
            problems: Vec::new(),
            derived: Vec::new(),
        }
    }

    /// The end in `raw` of the text that ends at `end` in `plain`.
    fn raw_end(&self, end: usize) -> usize {
        let piece = self.kept.partition_point(|(start, _)| *start < end).saturating_sub(1);
        self.kept.get(piece).map_or(self.raw.len(), |(start, range)| (range.start + (end - start)).min(range.end))
    }
}

/// Whether a line begins like one of a code block without a fence.
fn is_indented(line: &str) -> bool {
    line.starts_with("    ") || line.starts_with('\t')
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
