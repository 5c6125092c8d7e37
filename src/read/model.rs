use std::ops::Range;

use super::window::{Fit, best_span, windows};
use super::{Pair, Reading};
use crate::bundled::{Graph, ModelError, Vocabulary, on_all_cores};

pub(super) const MODEL: &[u8] = include_bytes!("../../models/reader/model.onnx");

/// The number of tokens of a question that are read.
const MAX_QUESTION: usize = 64;

/// The number of tokens of a passage that are read at once. The model was trained on at most 240, and reads a few more
/// at once better than in two parts.
pub(super) const WINDOW: usize = 320;

/// The number of tokens that a window shares with the next one, more than any answer has.
pub(super) const OVERLAP: usize = 48;

/// The number of bytes of a passage that are read, which take a few seconds on one core.
const MAX_PASSAGE: usize = 64 * 1024;

/// The number of tokens of the longest answer.
pub(super) const LONGEST_ANSWER: usize = 40;

/// A question and one window of a passage, as the graph takes them.
struct Input<'a> {
    pair: usize,
    question: &'a [i32],
    passage: &'a [(i32, Range<usize>)],
}

pub(super) struct Reader {
    vocabulary: &'static Vocabulary,
    graph: Graph,
}

impl Reader {
    pub(super) fn load() -> Result<Self, ModelError> {
        Self::from_bytes(MODEL)
    }

    pub(super) fn from_bytes(onnx: &'static [u8]) -> Result<Self, ModelError> {
        let vocabulary = Vocabulary::bundled()?;
        let graph = Graph::load(onnx, &["span_logits", "answerable_logit"])?;
        Ok(Reader { vocabulary, graph })
    }

    /// Returns `None` if `go_on` said no before the last window.
    pub(super) fn read(
        &self,
        pairs: &[Pair],
        go_on: &(dyn Fn() -> bool + Sync),
    ) -> Result<Option<Vec<Reading>>, ModelError> {
        let tokens = |text: &str, language, limit| self.vocabulary.tokenizer.tokens(text, language, limit);
        let mut questions: Vec<Vec<i32>> = Vec::with_capacity(pairs.len());
        let mut passages: Vec<Vec<(i32, Range<usize>)>> = Vec::with_capacity(pairs.len());
        for (nth, pair) in pairs.iter().enumerate() {
            // The usual call asks one question of many passages.
            let asked = match nth.checked_sub(1).filter(|&before| pairs[before].has_same_question(pair)) {
                Some(before) => questions[before].clone(),
                None => {
                    let question = &pair.question[..pair.question.floor_char_boundary(MAX_PASSAGE)];
                    tokens(question, pair.question_in, MAX_QUESTION)?.into_iter().map(|(id, _)| id).collect()
                }
            };
            questions.push(asked);
            let passage = &pair.passage[..pair.passage.floor_char_boundary(MAX_PASSAGE)];
            passages.push(tokens(passage, pair.passage_in, usize::MAX)?);
        }
        let mut inputs = Vec::with_capacity(pairs.len());
        for (pair, (question, passage)) in questions.iter().zip(&passages).enumerate() {
            inputs.extend(windows(passage.len(), WINDOW, OVERLAP).map(|window| Input {
                pair,
                question: question.as_slice(),
                passage: &passage[window],
            }));
        }
        let length = |input: &Input<'_>| input.question.len() + input.passage.len();
        let read = on_all_cores(&inputs, length, |input, pool| {
            if !go_on() {
                return Ok(None);
            }
            let tokenizer = &self.vocabulary.tokenizer;
            let (start, end) = (tokenizer.start(), tokenizer.end());
            let passage_ids = input.passage.iter().map(|(id, _)| *id);
            let ids: Vec<i32> = [start]
                .into_iter()
                .chain(input.question.iter().copied())
                .chain([end])
                .chain(passage_ids)
                .chain([end])
                .collect();
            let offset = input.question.len() + 2;
            let types = (0..ids.len()).map(|at| i32::from(at >= offset)).collect();
            let outputs = self.graph.run(&self.vocabulary.words, &ids, types, pool)?;
            reading(input.passage, offset, ids.len(), &outputs).map(Some)
        })?;
        let Some(read) = read.into_iter().collect::<Option<Vec<Reading>>>() else { return Ok(None) };
        // The window that answers best counts for the passage; in a tie, the first.
        let mut best: Vec<Option<Reading>> = vec![None; pairs.len()];
        for (input, reading) in inputs.iter().zip(read) {
            let slot = &mut best[input.pair];
            if slot.as_ref().is_none_or(|best| reading.score() > best.score()) {
                *slot = Some(reading);
            }
        }
        Ok(Some(best.into_iter().flatten().collect()))
    }
}

/// The reading of a window, from the graph's outputs.
fn reading(
    passage: &[(i32, Range<usize>)],
    offset: usize,
    tokens: usize,
    outputs: &[Vec<f32>],
) -> Result<Reading, ModelError> {
    let [spans, answerable] = outputs else { return Err(ModelError::Shape { tokens, found: outputs.len() }) };
    let (Some(&answerable), true) = (answerable.first(), spans.len() == tokens * 2) else {
        return Err(ModelError::Shape { tokens, found: spans.len() });
    };
    // Start and end alternate; the first token stands for "nothing here".
    let of_passage = spans[offset * 2..(offset + passage.len()) * 2].chunks_exact(2);
    let fit = |((_, bytes), logits): (&(i32, Range<usize>), &[f32])| Fit {
        bytes: bytes.clone(),
        first: logits[0],
        last: logits[1],
    };
    let fits: Vec<Fit> = passage.iter().zip(of_passage).map(fit).collect();
    let found = best_span(&fits, LONGEST_ANSWER);
    let null = spans[0] + spans[1];
    Ok(Reading {
        answer: found.map(|(first, last, _)| passage[first].1.start..passage[last].1.end),
        span: found.map_or(null, |(_, _, span)| span),
        null,
        answerable,
        fits,
    })
}
