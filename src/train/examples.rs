use std::ops::Range;

use crate::domain::EmbedderIdentity;
use crate::embed::Embedder;
use crate::retrieval::answer::Question;

/// A token that begins an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// Which passage of the set.
    pub passage: usize,
    /// The tokens of the answer there; the first begins it.
    pub tokens: Range<usize>,
}

/// A passage that a search found for a question.
#[derive(Clone, Debug, PartialEq)]
pub struct Ranked {
    /// Which passage of the set.
    pub passage: usize,
    /// Of which document: its first passage stands for it.
    pub document: usize,
    /// Whether it answers the question.
    pub relevant: bool,
    /// Score of the fused halves.
    pub fused: f32,
    /// The same with late interaction.
    pub late: f32,
}

/// A question whose answer is known.
#[derive(Clone, Debug)]
pub struct Example {
    /// Its id.
    pub id: String,
    /// What it must not be parted from when questions are split: the title of its document.
    pub group: String,
    /// Encoded.
    pub question: Question,
    /// Where its answers are; at least one.
    pub answers: Vec<Answer>,
    /// What a search finds for it, best first.
    pub ranking: Vec<Ranked>,
}

impl Example {
    /// Whether a token is part of an answer.
    pub(super) fn answers_with(&self, (passage, token): (usize, usize)) -> bool {
        self.answers.iter().any(|answer| answer.passage == passage && answer.tokens.contains(&token))
    }
}

/// Questions and the passages they are about.
#[derive(Clone, Debug)]
pub struct TrainingSet {
    /// What encoded them.
    pub encoder: EmbedderIdentity,
    /// The compressed states of each passage.
    pub passages: Vec<Vec<u8>>,
    /// Of each passage, which one stands for its document: the document's first.
    pub documents: Vec<usize>,
    /// The questions.
    pub examples: Vec<Example>,
}

impl TrainingSet {
    /// Tokens of a passage; every state takes as many bytes.
    pub(super) fn tokens(&self, passage: usize, width: usize) -> usize {
        self.passages[passage].len() / width.max(1)
    }

    /// Bytes of one state, 0 where there is none.
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
