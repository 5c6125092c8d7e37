use std::ops::Range;

use crate::domain::EmbedderIdentity;
use crate::embed::Embedder;
use crate::retrieval::answer::Question;

/// An answer as a span of tokens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// Index of the passage in the set.
    pub passage: usize,
    /// The tokens of the answer there; the first begins it.
    pub tokens: Range<usize>,
}

/// A passage that a search found for a question.
#[derive(Clone, Debug, PartialEq)]
pub struct Ranked {
    /// Index of the passage in the set.
    pub passage: usize,
    /// Index of the document, given by that of its first passage.
    pub document: usize,
    /// Whether it answers the question.
    pub relevant: bool,
    /// Score of the fused halves.
    pub fused: f32,
    /// The same, with late interaction.
    pub late: f32,
}

/// A question whose answer is known.
#[derive(Clone, Debug)]
pub struct Example {
    /// Its id.
    pub id: String,
    /// The title of its document. Questions of one group stay together when questions are split.
    pub group: String,
    /// The encoded question.
    pub question: Question,
    /// Where its answers are; at least one.
    pub answers: Vec<Answer>,
    /// The passages that a search finds for it, best first.
    pub ranking: Vec<Ranked>,
}

impl Example {
    /// Whether a token is part of an answer.
    pub(super) fn is_answer_token(&self, (passage, token): (usize, usize)) -> bool {
        self.answers.iter().any(|answer| answer.passage == passage && answer.tokens.contains(&token))
    }
}

/// Questions and the passages they are about.
#[derive(Clone, Debug)]
pub struct TrainingSet {
    /// The model that encoded them.
    pub encoder: EmbedderIdentity,
    /// The compressed states of each passage.
    pub passages: Vec<Vec<u8>>,
    /// The document of each passage, given by the index of the document's first passage.
    pub documents: Vec<usize>,
    /// The questions.
    pub examples: Vec<Example>,
}

impl TrainingSet {
    /// The number of tokens of a passage; all states have the same size in bytes.
    pub(super) fn tokens(&self, passage: usize, width: usize) -> usize {
        self.passages[passage].len() / width.max(1)
    }

    /// The size of one state in bytes; 0 if there are none.
    pub(super) fn width(&self, embedder: &dyn Embedder) -> usize {
        let filled = self.passages.iter().find(|states| !states.is_empty());
        filled.map_or(0, |states| {
            let tokens = embedder.unpack(states).len() / self.encoder.dimension.max(1);
            states.len() / tokens.max(1)
        })
    }

    /// The state of one token.
    pub(super) fn state(&self, embedder: &dyn Embedder, width: usize, (passage, token): (usize, usize)) -> Vec<f32> {
        embedder.unpack(&self.passages[passage][token * width..(token + 1) * width])
    }
}
