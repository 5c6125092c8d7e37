//! What every form is written from.

use std::collections::BTreeSet;

use crate::base::text::Language;
use crate::domain::Coverage;

/// A report, taken apart.
#[derive(Clone, Debug)]
pub struct FormedReport {
    /// The report as it was read, with its record.
    pub markdown: String,
    /// Where in it the text ends, and the list of sources begins.
    pub body_end: usize,
    /// As asked; empty where the record is gone.
    pub question: String,
    /// When it was asked; `None` where the record does not say.
    pub written: Option<jiff::Timestamp>,
    /// Of the text.
    pub language: Language,
    /// Its first heading; the question where it has none.
    pub title: String,
    /// The text below its title, without the list of sources and the account.
    pub blocks: Vec<Block>,
    /// What its numbers stand for, by number.
    pub evidence: Vec<Evidence>,
    /// The cited documents in a style, as a list; empty unless one was asked for.
    pub references: Vec<Block>,
    /// What stands below the list of sources.
    pub account: Vec<Block>,
    /// What the account says of the search.
    pub research: Research,
    /// What became of every document; `None` where the record does not tell.
    pub coverage: Option<Coverage>,
    /// Sentences that somebody has approved, as they were then.
    pub approved: Vec<String>,
}

/// A piece of a text.
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
        /// The first number, where its items are numbered.
        first: Option<u64>,
        /// What stands in each.
        items: Vec<Vec<Block>>,
    },
    /// Words of others.
    Quote(Vec<Block>),
    /// Words that stand as they are.
    Code(String),
    /// A table: its rows, the first of which heads it.
    Table(Vec<Vec<Vec<Sentence>>>),
    /// What sources say against each other.
    Disagreements(Vec<Disagreement>),
    /// A line across.
    Rule,
}

/// Sources that contradict each other.
#[derive(Clone, Debug, PartialEq)]
pub struct Disagreement {
    /// On what, as in "**527** against **536**:".
    pub on: Vec<Inline>,
    /// At least two.
    pub sides: Vec<Side>,
}

/// What one source says.
#[derive(Clone, Debug, PartialEq)]
pub struct Side {
    /// The figure that only it has; empty where that is not known.
    pub figure: String,
    /// Its words, with what they cite.
    pub sentences: Vec<Sentence>,
}

/// A sentence, with the white space behind it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sentence {
    /// Its words and citations.
    pub words: Vec<Inline>,
    /// The numbers that it cites, each once.
    pub cites: Vec<usize>,
}

/// A piece of a line.
#[derive(Clone, Debug, PartialEq)]
pub enum Inline {
    /// Words.
    Text(String),
    /// Words that stand as they are.
    Code(String),
    /// Words that weigh more.
    Strong(Vec<Inline>),
    /// Words set apart.
    Emphasis(Vec<Inline>),
    /// Words that do not hold any more.
    Struck(Vec<Inline>),
    /// Words that lead to an address of the web.
    Link {
        /// `http` or `https`.
        to: String,
        /// The words.
        words: Vec<Inline>,
    },
    /// A number of the list of sources.
    Cite(usize),
    /// The mark of a sentence that should cite something.
    Uncited,
    /// The end of a line.
    Break,
}

/// What a number of a report stands for.
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
    /// 1-based page, where there are pages.
    pub page: Option<u32>,
    /// The headings above, as the report shows them.
    pub headings: String,
    /// The document's day, as `YYYY-MM-DD`.
    pub date: Option<String>,
    /// What else the list of sources says, as when it was fetched.
    pub notes: Vec<String>,
    /// Byte range of the quote in the document's extracted text; `None` where the record is gone.
    pub bytes: Option<[usize; 2]>,
    /// What stands before the quote.
    pub before: String,
    /// The exact words.
    pub quote: String,
    /// What stands after them.
    pub after: String,
    /// The line of the document on which the quote begins, from 1, where its text is the file itself.
    pub line: Option<usize>,
    /// Where the document is, as an address from the page's own place.
    pub address: Option<String>,
    /// Hash of the document's bytes as they were when it was loaded (BLAKE3, 128 bits, hexadecimal).
    pub hash: Option<String>,
}

/// What a report's account tells of the search for it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Research {
    /// Documents that could be found; `None` where the account is gone.
    pub documents: Option<u64>,
    /// Passages that were found.
    pub found: u64,
    /// Of those, passages that are cited.
    pub cited: u64,
    /// In their order.
    pub rounds: Vec<ResearchRound>,
    /// What was planned and not searched any more.
    pub skipped: Vec<String>,
}

/// One round of searches.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ResearchRound {
    /// As in "Round 1".
    pub name: String,
    /// As in "20 passages found, 12 new".
    pub brought: String,
    /// Passages that it found.
    pub found: u64,
    /// Of those, the ones that no earlier round had found.
    pub new: u64,
    /// What was searched.
    pub searches: Vec<ResearchSearch>,
}

/// A search, in the tree of a run's questions.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ResearchSearch {
    /// What was searched, and in brackets where and with what outcome.
    pub words: String,
    /// Its place below the question, from 1: `[2, 1]` is the first search that the second one led to; empty where an
    /// earlier version wrote the account.
    pub place: Vec<usize>,
    /// Passages that it found.
    pub found: u64,
    /// Of those, the ones that no earlier search had found.
    pub new: u64,
}

/// A report with fewer headings needs no contents.
const FEW_HEADINGS: usize = 3;

impl FormedReport {
    /// The headings of the first two levels, each with its number among all headings, from 1; none where they are few.
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

    /// The day of the first document with one that a side of a disagreement cites.
    pub(super) fn date_of(&self, side: &Side) -> Option<&str> {
        let mut cites = side.sentences.iter().flat_map(|sentence| &sentence.cites);
        cites.find_map(|number| self.evidence_of(*number)?.date.as_deref())
    }

    /// What a number stands for.
    pub fn evidence_of(&self, number: usize) -> Option<&Evidence> {
        self.evidence.iter().find(|one| one.number == number)
    }

    /// What the numbers of a sentence stand for, as far as that is known.
    pub(super) fn cited_by(&self, sentence: &Sentence) -> Vec<&Evidence> {
        sentence.cites.iter().filter_map(|number| self.evidence_of(*number)).collect()
    }

    /// How many documents a sentence rests on.
    pub fn number_of_documents(&self, sentence: &Sentence) -> usize {
        let known = self.cited_by(sentence).into_iter();
        let documents: BTreeSet<(&str, &str)> = known.map(|one| (one.collection.as_str(), one.path.as_str())).collect();
        documents.len()
    }

    /// The sentences of the text that cite something, in their order.
    pub fn citing(&self) -> Vec<&Sentence> {
        let mut found = Vec::new();
        sentences_in(&self.blocks, &mut found);
        found.retain(|sentence| !sentence.cites.is_empty());
        found
    }
}

/// The words that an item of a list begins with, which need no paragraph of their own, and its other blocks.
pub(super) fn opening(item: &[Block]) -> (&[Sentence], &[Block]) {
    match item.split_first() {
        Some((Block::Paragraph(sentences), rest)) => (sentences, rest),
        _ => (&[], item),
    }
}

/// How many headings a block is or holds, as a quote may.
fn headings_in(block: &Block) -> usize {
    match block {
        Block::Heading { .. } => 1,
        Block::List { items, .. } => items.iter().flatten().map(headings_in).sum(),
        Block::Quote(blocks) => blocks.iter().map(headings_in).sum(),
        _ => 0,
    }
}

/// The sentences of some blocks, in their order.
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

/// The words of a line, without its citations.
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
