//! The model that every form is written from.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::base::text::Language;
use crate::domain::{Coverage, Headings};
use crate::report;

/// A report, taken apart into its pieces.
#[derive(Clone, Debug)]
pub struct FormedReport {
    /// The report as it was read, with its record.
    pub markdown: String,
    /// The byte offset at which the text ends and the list of sources begins.
    pub body_end: usize,
    /// The question as asked; empty if the record is missing.
    pub question: String,
    /// When the question was asked; `None` if the record does not say.
    pub written: Option<jiff::Timestamp>,
    /// The language of the text.
    pub language: Language,
    /// The first heading, or the question if there is none.
    pub title: String,
    /// The text below its title, without the list of sources and the account.
    pub blocks: Vec<Block>,
    /// The evidence behind the citation numbers, by number.
    pub evidence: Vec<Evidence>,
    /// The cited documents as a list in a reference style; empty unless one was requested.
    pub references: Vec<Block>,
    /// The text below the list of sources.
    pub account: Vec<Block>,
    /// What the account says of the search.
    pub research: Research,
    /// The standing of every document; `None` if the record does not say.
    pub coverage: Option<Coverage>,
    /// Sentences that a person has approved, in the wording of that time.
    pub approved: Vec<String>,
}

/// A block of the text.
#[derive(Clone, Debug, PartialEq)]
pub enum Block {
    /// A heading, 1 for the outermost level.
    Heading {
        /// From 1 to 6.
        level: u8,
        /// Its words.
        words: Vec<Inline>,
    },
    /// A paragraph.
    Paragraph(Vec<Sentence>),
    /// A list.
    List {
        /// The first number, if the items are numbered.
        first: Option<u64>,
        /// The blocks of each item.
        items: Vec<Vec<Block>>,
    },
    /// A quotation.
    Quote(Vec<Block>),
    /// Text that stands as it is.
    Code(String),
    /// A table as rows, the first of which is the header.
    Table(Vec<Vec<Vec<Sentence>>>),
    /// Statements in which sources disagree.
    Disagreements(Vec<Disagreement>),
    /// A horizontal rule.
    Rule,
}

/// Sources that contradict each other.
#[derive(Clone, Debug, PartialEq)]
pub struct Disagreement {
    /// The subject, as in "**527** against **536**:".
    pub on: Vec<Inline>,
    /// The sides, at least two.
    pub sides: Vec<Side>,
}

/// The statement of one source.
#[derive(Clone, Debug, PartialEq)]
pub struct Side {
    /// The figure that only this source gives; empty if unknown.
    pub figure: String,
    /// Its sentences, with their citations.
    pub sentences: Vec<Sentence>,
}

/// A sentence, with the white space after it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sentence {
    /// Its words and citations.
    pub words: Vec<Inline>,
    /// The numbers that it cites, each once.
    pub cites: Vec<usize>,
}

/// An inline piece of text.
#[derive(Clone, Debug, PartialEq)]
pub enum Inline {
    /// Words.
    Text(String),
    /// Code, which stands as it is.
    Code(String),
    /// Strong text.
    Strong(Vec<Inline>),
    /// Emphasized text.
    Emphasis(Vec<Inline>),
    /// Struck text.
    Struck(Vec<Inline>),
    /// A link to a web address.
    Link {
        /// The address, `http` or `https`.
        to: String,
        /// The linked words.
        words: Vec<Inline>,
    },
    /// A citation, by its number in the list of sources.
    Cite(usize),
    /// The mark of a sentence that lacks a citation.
    Uncited,
    /// A line break.
    Break,
}

/// The evidence behind a citation number.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Evidence {
    /// The number in the text.
    pub number: usize,
    /// The document's title.
    pub title: String,
    /// Its path or URL, as the report shows it.
    pub path: String,
    /// The collection's name; empty where it is not known.
    pub collection: String,
    /// The page, from 1, if the document has pages.
    pub page: Option<u32>,
    /// The headings above the passage, as the report shows them.
    pub headings: String,
    /// The document's date, as `YYYY-MM-DD`.
    pub date: Option<String>,
    /// Other notes in the list of sources, such as when it was fetched.
    pub notes: Vec<String>,
    /// Byte range of the quote in the document's extracted text; `None` if the record is missing.
    pub bytes: Option<[usize; 2]>,
    /// The text before the quote.
    pub before: String,
    /// The exact words of the quote.
    pub quote: String,
    /// The text after the quote.
    pub after: String,
    /// The line of the document on which the quote begins, from 1, if its text is the file itself.
    pub line: Option<usize>,
    /// The document's address, as seen from the page.
    pub address: Option<String>,
    /// Hash of the document's bytes when it was loaded (BLAKE3, 128 bits, hexadecimal).
    pub hash: Option<String>,
}

/// What a report's account says of its search.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Research {
    /// Documents that could be found; `None` if the account is missing.
    pub documents: Option<u64>,
    /// Passages that were found.
    pub found: u64,
    /// Of those, passages that are cited.
    pub cited: u64,
    /// The rounds, in order.
    pub rounds: Vec<ResearchRound>,
    /// Searches that were planned but not run.
    pub skipped: Vec<String>,
}

/// One round of searches.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ResearchRound {
    /// The name, as in "Round 1".
    pub name: String,
    /// The result, as in "20 passages found, 12 new".
    pub brought: String,
    /// Passages that it found.
    pub found: u64,
    /// Of those, the ones that no earlier round had found.
    pub new: u64,
    /// The searches of the round.
    pub searches: Vec<ResearchSearch>,
}

/// A search, in the tree of a run's questions.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ResearchSearch {
    /// The words that were searched, and in brackets where and with what result.
    pub words: String,
    /// Its place below the question, from 1: `[2, 1]` is the first search that the second one led to. Empty in an
    /// account written by an earlier version.
    pub place: Vec<usize>,
    /// Passages that it found.
    pub found: u64,
    /// Of those, the ones that no earlier search had found.
    pub new: u64,
}

/// A report with fewer headings needs no contents.
const FEW_HEADINGS: usize = 3;

impl FormedReport {
    /// The headings of the first two levels, each with its number among all headings, from 1; none if they are few.
    pub(super) fn contents(&self) -> Vec<(usize, &[Inline])> {
        let mut contents: Vec<(usize, &[Inline])> = Vec::new();
        let mut number = 0;
        for block in &self.blocks {
            number += headings_in(block);
            if let Block::Heading { level: ..=2, words } = block {
                contents.push((number, words));
            }
        }
        if contents.len() < FEW_HEADINGS { Vec::new() } else { contents }
    }

    /// The date of the first dated document that a side of a disagreement cites.
    pub(super) fn date_of(&self, side: &Side) -> Option<&str> {
        let mut cites = side.sentences.iter().flat_map(|sentence| &sentence.cites);
        cites.find_map(|number| self.evidence_of(*number)?.date.as_deref())
    }

    /// The evidence behind a citation number.
    pub fn evidence_of(&self, number: usize) -> Option<&Evidence> {
        self.evidence.iter().find(|one| one.number == number)
    }

    /// The bytes of the quote of `one` that a sentence rests on; the whole quote if none stands out. A quote serves all
    /// sentences that cite its passage.
    pub(super) fn support(&self, one: &Evidence, sentence: &str) -> Range<usize> {
        let support = report::support(&one.quote, &Headings::default(), &[sentence.to_owned()], self.language);
        support.unwrap_or(0..one.quote.len())
    }

    /// The evidence that a sentence cites, as far as it is known.
    pub(super) fn cited_by(&self, sentence: &Sentence) -> Vec<&Evidence> {
        sentence.cites.iter().filter_map(|number| self.evidence_of(*number)).collect()
    }

    /// The number of documents that a sentence rests on.
    pub fn number_of_documents(&self, sentence: &Sentence) -> usize {
        let known = self.cited_by(sentence).into_iter();
        let documents: BTreeSet<(&str, &str)> = known.map(|one| (one.collection.as_str(), one.path.as_str())).collect();
        documents.len()
    }

    /// The sentences of the text that have citations, in order.
    pub fn citing(&self) -> Vec<&Sentence> {
        let mut found = Vec::new();
        sentences_in(&self.blocks, &mut found);
        found.retain(|sentence| !sentence.cites.is_empty());
        found
    }
}

/// The text that a list item begins with, which needs no paragraph of its own, and the item's other blocks.
pub(super) fn opening(item: &[Block]) -> (&[Sentence], &[Block]) {
    match item.split_first() {
        Some((Block::Paragraph(sentences), rest)) => (sentences, rest),
        _ => (&[], item),
    }
}

/// The number of headings that a block is or contains, as a quotation may.
fn headings_in(block: &Block) -> usize {
    match block {
        Block::Heading { .. } => 1,
        Block::List { items, .. } => items.iter().flatten().map(headings_in).sum(),
        Block::Quote(blocks) => blocks.iter().map(headings_in).sum(),
        _ => 0,
    }
}

/// Collects the sentences of some blocks, in order.
pub(super) fn sentences_in<'b>(blocks: &'b [Block], found: &mut Vec<&'b Sentence>) {
    for block in blocks {
        match block {
            Block::Paragraph(sentences) => found.extend(sentences),
            Block::List { items, .. } => items.iter().for_each(|item| sentences_in(item, found)),
            Block::Quote(blocks) => sentences_in(blocks, found),
            Block::Table(rows) => found.extend(rows.iter().flatten().flatten()),
            Block::Disagreements(all) => {
                found.extend(all.iter().flat_map(|one| &one.sides).flat_map(|side| &side.sentences));
            }
            Block::Heading { .. } | Block::Code(_) | Block::Rule => {}
        }
    }
}

/// The text of a line, without its citations.
pub(super) fn plain(words: &[Inline]) -> String {
    let mut text = String::new();
    push_plain(words, &mut text);
    text
}

fn push_plain(words: &[Inline], text: &mut String) {
    for word in words {
        match word {
            Inline::Text(words) | Inline::Code(words) => text.push_str(words),
            Inline::Strong(inner) | Inline::Emphasis(inner) | Inline::Struck(inner) => push_plain(inner, text),
            Inline::Link { words, .. } => push_plain(words, text),
            Inline::Break => text.push('\n'),
            Inline::Cite(_) | Inline::Uncited => {}
        }
    }
}
