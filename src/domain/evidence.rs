use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::StoredChunk;

/// The halves of the search that are used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SearchMode {
    /// BM25 alone.
    Keyword,
    /// Vectors alone.
    Semantic,
    /// Both, fused by score.
    #[default]
    Hybrid,
}

/// Why a hit ranks where it does. Scores of one query are comparable; those of different queries are not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct ScoreParts {
    /// The BM25 score, if the keyword half found it.
    pub lexical: Option<f32>,
    /// The cosine similarity, if the semantic half found it.
    pub semantic: Option<f32>,
    /// The re-ranker's score, if it was among the candidates.
    pub rerank: Option<f32>,
    /// The answer model's score, if that model looked at it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<f32>,
    /// How sure the reader is that the passage answers, if it was read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reader: Option<f32>,
}

/// A found chunk.
#[derive(Clone, Debug, PartialEq)]
pub struct Hit {
    /// The chunk that was found.
    pub chunk: StoredChunk,
    /// The final score, by which hits are ordered; higher is better.
    pub score: f32,
    /// The scores behind it.
    pub parts: ScoreParts,
    /// The sentences that match best, as byte ranges of `chunk.text`, in order of position.
    pub highlights: Vec<Range<usize>>,
    /// The words that answer, as a byte range of `chunk.text`, if an answer model found the first of them or the reader
    /// found all.
    pub answer: Option<Range<usize>>,
}

impl Hit {
    /// The headings above the words that answer, or else above those that match best; outermost first.
    pub fn headings(&self) -> Vec<String> {
        self.chunk.headings.above(&self.words())
    }

    /// The page on which these words begin, if the document has pages.
    pub fn page(&self) -> Option<u32> {
        self.chunk.page_at(self.words().start)
    }

    /// The words that answer, or else those that match best.
    fn words(&self) -> Range<usize> {
        let matches =
            self.highlights.first().map(|first| first.start..self.highlights.last().map_or(first.end, |last| last.end));
        self.answer.clone().or(matches).unwrap_or(0..self.chunk.text.len())
    }

    /// The best-matching sentences as one line, or the beginning of the chunk if none matches.
    pub fn snippet(&self) -> String {
        let mut parts: Vec<&str> =
            self.highlights.iter().filter_map(|range| self.chunk.text.get(range.clone())).collect();
        if parts.is_empty() {
            parts.push(&self.chunk.text);
        }
        let joined = parts.join(" … ");
        let line = joined.split_whitespace().collect::<Vec<_>>().join(" ");
        crate::base::text::excerpt(&line, 400).into_owned()
    }
}
