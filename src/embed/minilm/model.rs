//! The encoder itself: token ids in, the last layer's token states out.

use std::ops::Range;

use crate::bundled::{DIMENSION, Graph, ModelError, Tokenizer, Vocabulary, on_all_cores};
use crate::embed::{Text, l2_normalize};

pub(super) const MODEL: &[u8] = include_bytes!("../../../models/encoder/model.onnx");

/// One encoded text.
pub(super) struct Encoded {
    /// The token ids, with `[CLS]` first and `[SEP]` last.
    pub(super) ids: Vec<i32>,
    /// The byte range of the text that each id stands for.
    pub(super) ranges: Vec<Range<usize>>,
    /// [`DIMENSION`] values for each id, from the last layer.
    pub(super) states: Vec<f32>,
}

impl Encoded {
    /// The mean of all states, scaled to length 1.
    pub(super) fn embedding(&self) -> Vec<f32> {
        let mut mean = vec![0.0; DIMENSION];
        for state in self.states.chunks_exact(DIMENSION) {
            for (sum, value) in mean.iter_mut().zip(state) {
                *sum += value;
            }
        }
        l2_normalize(&mut mean);
        mean
    }

    /// The ids that stand for letters or digits, each with its byte range of the text and its state scaled to length 1.
    pub(super) fn content_states<'a>(
        &'a self,
        tokenizer: &'a Tokenizer,
    ) -> impl Iterator<Item = (i32, Range<usize>, Vec<f32>)> + 'a {
        let tokens = self.ids.iter().zip(&self.ranges).zip(self.states.chunks_exact(DIMENSION));
        tokens.filter(|((id, _), _)| tokenizer.is_content(**id)).map(|((&id, range), state)| {
            let mut state = state.to_vec();
            l2_normalize(&mut state);
            (id, range.clone(), state)
        })
    }
}

/// The bundled encoder.
pub(super) struct Encoder {
    pub(super) tokenizer: &'static Tokenizer,
    vocabulary: &'static Vocabulary,
    graph: Graph,
}

impl Encoder {
    /// Reads the bundled files, which takes tens of milliseconds.
    pub(super) fn load() -> Result<Self, ModelError> {
        // The graph comes first: the reader, which may load at the same time, begins with the vocabulary.
        let graph = Graph::load(MODEL, &["last_hidden_state"])?;
        let vocabulary = Vocabulary::bundled()?;
        Ok(Encoder { tokenizer: &vocabulary.tokenizer, vocabulary, graph })
    }

    /// Encodes texts on all cores and passes each result to `finish` on the thread that made it. The results keep the
    /// order of the texts.
    pub(super) fn encode_all<T: Send>(
        &self,
        texts: &[Text],
        finish: impl Fn(Encoded) -> T + Sync,
    ) -> Result<Vec<T>, ModelError> {
        let inputs = texts
            .iter()
            .map(|text| Ok(self.tokenizer.encode(&text.text, text.language)?.into_iter().unzip()))
            .collect::<Result<Vec<(Vec<i32>, Vec<Range<usize>>)>, ModelError>>()?;
        on_all_cores(
            &inputs,
            |(ids, _)| ids.len(),
            |(ids, ranges), pool| {
                let mut outputs = self.graph.run(&self.vocabulary.words, ids, vec![0; ids.len()], pool)?;
                let states = outputs.pop().unwrap_or_default();
                if states.len() != ids.len() * DIMENSION {
                    return Err(ModelError::Shape { tokens: ids.len(), found: states.len() });
                }
                Ok(finish(Encoded { ids: ids.clone(), ranges: ranges.clone(), states }))
            },
        )
    }
}
