//! An answer model and its arithmetic: how well a passage answers, and by which token. `file.rs` stores the model;
//! `rank.rs` combines its scores with the others.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::domain::EmbedderIdentity;
use crate::embed::{Embedder, QueryVectors, l2_normalize};
use crate::retrieval::place::slide;

/// The number of tokens to either side in which the words of the question are matched. 4 and 16 rank as well; 8 finds
/// more answers.
const WINDOW: usize = 8;

/// How much a token loses by being similar to a word of the question, since the answer is something that the question
/// did not say. Applies only to the place of the answer.
const OWN_PENALTY: f32 = 0.1;

/// Words that tell which kind of answer is wanted.
const INTERROGATIVES: [&str; 9] = ["what", "who", "when", "where", "which", "how", "why", "whom", "whose"];

/// A question in the form that answer retrieval needs.
#[derive(Clone, Debug)]
pub struct Question {
    /// The encoder's question vector if it gives one, else the mean state plus that of the interrogative; of length 1.
    pub vector: Vec<f32>,
    /// The states of its tokens, each of length 1.
    pub states: Vec<Vec<f32>>,
}

impl Question {
    /// Returns `None` if the encoder gives no token states.
    pub fn of(query: &QueryVectors) -> Option<Self> {
        if query.states.is_empty() {
            return None;
        }
        let states = query.states.iter().map(|state| state.state.clone()).collect();
        if let Some(vector) = &query.question {
            return Some(Question { vector: vector.clone(), states });
        }
        let mut vector = query.embedding.clone();
        if let Some(word) = query.states.iter().find(|state| INTERROGATIVES.contains(&state.token.as_str())) {
            vector.iter_mut().zip(&word.state).for_each(|(sum, value)| *sum += value);
        }
        l2_normalize(&mut vector);
        Some(Question { vector, states })
    }
}

/// The weights of the parts of the answer score, tuned on questions that the matrix was not trained on.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Weights {
    /// The weight of the answer score against the fused score.
    pub alone: f32,
    /// The weight of the answer score against the fused score combined with late interaction.
    pub with_late: f32,
    /// The weight of the learned part in a passage's score; the evidence has weight 1.
    pub learned: f32,
    /// The weight of the learned part in the choice of the token.
    pub locating: f32,
}

/// What was measured after training, on questions used neither for training nor for tuning.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Figures {
    /// Where the questions came from.
    pub data: String,
    /// The number of questions with a known answer.
    pub questions: usize,
    /// Mean average precision of the search without the model, and with it.
    pub map: [f64; 2],
    /// The share of questions whose first passage is right, without the model and with it.
    pub first: [f64; 2],
    /// The mean difference of the average precisions, and its 95 % interval.
    pub gain: [f64; 3],
    /// The share of right passages in which the winning token lies in the answer.
    pub located: f64,
}

/// A trained answer model: a matrix of `outputs` rows, and its weights.
#[derive(Clone, Debug, PartialEq)]
pub struct AnswerModel {
    /// The encoder that made the states in training. The states of another encoder mean nothing to the model.
    pub encoder: EmbedderIdentity,
    /// The number of rows of the matrix.
    pub outputs: usize,
    /// The matrix row by row, each row as long as a state.
    pub matrix: Vec<f32>,
    /// The weights of its scores.
    pub weights: Weights,
    /// The quality measured after training.
    pub figures: Figures,
}

impl AnswerModel {
    /// The answer score of a passage; `None` if it has no states.
    pub fn score(&self, question: &Question, direction: &[f32], embedder: &dyn Embedder, states: &[u8]) -> Option<f32> {
        let tokens = Tokens::of(question, direction, embedder, states)?;
        let scores =
            tokens.near.iter().zip(&tokens.learned).map(|(near, learned)| near + self.weights.learned * learned);
        scores.max_by(f32::total_cmp)
    }

    /// The byte range of the word that begins the answer: the best token among those whose range lies in `body`.
    /// `ranges` are the byte ranges of the states.
    pub fn locate(
        &self,
        question: &Question,
        embedder: &dyn Embedder,
        states: &[u8],
        ranges: &[Range<usize>],
        body: Range<usize>,
    ) -> Option<Range<usize>> {
        let direction = direction(&self.matrix, &question.vector);
        let tokens = Tokens::of(question, &direction, embedder, states)?;
        let scores = places(&tokens.near, &tokens.own, &tokens.learned, self.weights.locating);
        // States and ranges belong to the same text, unless it was tokenized by another version.
        if scores.len() != ranges.len() {
            return None;
        }
        let inside = |range: &Range<usize>| body.start <= range.start && range.end <= body.end;
        let eligible = ranges.iter().zip(scores).filter(|(range, _)| inside(range));
        // Of equals, the first.
        eligible.reduce(|a, b| if b.1 > a.1 { b } else { a }).map(|(range, _)| range.clone())
    }
}

/// The vector whose inner product with a token state equals that of the mapped question with the mapped state: `(M q) ·
/// (M x) = (MᵀM q) · x`. Passages need not be mapped, so a new matrix needs no new states. Its length is 1, so that
/// scores of different trainings are comparable.
pub fn direction(matrix: &[f32], vector: &[f32]) -> Vec<f32> {
    let mut direction = vec![0f32; vector.len()];
    for row in matrix.chunks_exact(vector.len().max(1)) {
        let mapped = dot(row, vector);
        direction.iter_mut().zip(row).for_each(|(sum, value)| *sum += mapped * value);
    }
    l2_normalize(&mut direction);
    direction
}

/// The inner product, summed in eight lanes so that it can be vectorized and is the same on every machine.
fn dot(a: &[f32], b: &[f32]) -> f32 {
    let mut lanes = [0f32; 8];
    let (a, b) = (a.as_chunks::<8>(), b.as_chunks::<8>());
    for (a, b) in a.0.iter().zip(b.0) {
        lanes.iter_mut().zip(a.iter().zip(b)).for_each(|(sum, (a, b))| *sum += a * b);
    }
    lanes.iter().sum::<f32>() + a.1.iter().zip(b.1).map(|(a, b)| a * b).sum::<f32>()
}

/// The products of the tokens of a passage with a question.
struct Tokens {
    near: Vec<f32>,
    own: Vec<f32>,
    /// The inner product of the mapped vectors.
    learned: Vec<f32>,
}

impl Tokens {
    /// Returns `None` if the passage has no states.
    fn of(question: &Question, direction: &[f32], embedder: &dyn Embedder, states: &[u8]) -> Option<Self> {
        let vectors: Vec<&[f32]> = question.states.iter().map(Vec::as_slice).chain([direction]).collect();
        let mut products = embedder.inner_products(&vectors, states);
        if products.is_empty() {
            return None;
        }
        let learned = products.split_off(products.len() / vectors.len() * question.states.len());
        let (near, own) = evidence(&products, question.states.len());
        Some(Tokens { near, own, learned })
    }
}

/// For each token of a passage, how well the words of the question are matched near it, and how well the token itself
/// matches any of them. `products` are those of the states of the question, in `words` rows.
///
/// The match of a word near a token is the best product within the window, and the evidence of the token is the mean
/// over all words: late interaction as if the passage consisted of only those few tokens.
pub fn evidence(products: &[f32], words: usize) -> (Vec<f32>, Vec<f32>) {
    let tokens = products.len() / words.max(1);
    let (mut near, mut own) = (vec![0f32; tokens], vec![f32::NEG_INFINITY; tokens]);
    if tokens == 0 {
        return (near, own);
    }
    let mut largest = Vec::new();
    for row in products.chunks_exact(tokens) {
        slide(row, WINDOW.min(tokens), &mut largest);
        near.iter_mut().zip(&largest).for_each(|(sum, product)| *sum += product / words as f32);
        own.iter_mut().zip(row).for_each(|(best, product)| *best = best.max(*product));
    }
    (near, own)
}

/// The scores by which the place of the answer is chosen: for each token, its evidence minus its similarity to the
/// words of the question, plus `locating` times the learned part.
pub fn places(near: &[f32], own: &[f32], learned: &[f32], locating: f32) -> Vec<f32> {
    let parts = near.iter().zip(own).zip(learned);
    parts.map(|((near, own), learned)| near - OWN_PENALTY * own + locating * learned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::embed::TokenState;

    /// Products of two question words with four consecutive words.
    const PRODUCTS: [f32; 8] = [0.9, 0.1, 0.0, 0.3, 0.0, 0.2, 0.8, 0.1];

    #[test]
    fn evidence_is_the_mean_of_the_best_matches_nearby() {
        let (near, own) = evidence(&PRODUCTS, 2);
        // Four tokens are all within one window.
        assert!(near.iter().all(|near| (near - 0.85).abs() < 1e-6), "{near:?}");
        assert_eq!(own, [0.9, 0.2, 0.8, 0.3]);
        assert_eq!(evidence(&[], 2), (Vec::new(), Vec::new()));
    }

    #[test]
    fn evidence_does_not_reach_beyond_the_window() {
        let mut products = vec![0.0; 30];
        products[0] = 1.0;
        let (near, _) = evidence(&products, 1);
        assert_eq!(near.iter().filter(|near| **near > 0.5).count(), WINDOW + 1);
    }

    #[test]
    fn a_word_of_the_question_is_no_answer() {
        let (near, own) = evidence(&PRODUCTS, 2);
        let places = places(&near, &own, &[0.0; 4], 0.0);
        let best = places.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1)).unwrap().0;
        assert_eq!(best, 1, "{places:?}");
    }

    #[test]
    fn the_direction_is_the_matrix_transposed_times_the_mapped_question() {
        let matrix = [1.0, 2.0, 0.0, 1.0, -1.0, 0.5];
        let map = |x: [f32; 2]| matrix.chunks(2).map(|row| row[0] * x[0] + row[1] * x[1]).collect::<Vec<f32>>();
        let q = [0.6, 0.8];
        let direction = direction(&matrix, &q);
        // Up to its length, which is 1.
        let ratio = |x: [f32; 2]| {
            let mapped: f32 = map(q).iter().zip(map(x)).map(|(a, b)| a * b).sum();
            direction.iter().zip(x).map(|(a, b)| a * b).sum::<f32>() / mapped
        };
        let (one, other) = (ratio([0.8, -0.6]), ratio([0.1, 0.7]));
        assert!(one > 0.0 && (one - other).abs() < 1e-5, "{one} and {other}");
        assert!((direction.iter().map(|value| value * value).sum::<f32>() - 1.0).abs() < 1e-5);
    }

    #[test]
    fn the_interrogative_turns_the_question_vector() {
        let state =
            |token: &str, state: [f32; 2]| TokenState { token: token.to_owned(), word: 0..0, state: state.to_vec() };
        let check = |states: Vec<TokenState>, expected: Option<[f32; 2]>| {
            let question = Question::of(&QueryVectors { embedding: vec![1.0, 0.0], states, question: None });
            assert_eq!(question.map(|question| question.vector), expected.map(Vec::from));
        };
        check(Vec::new(), None);
        check(vec![state("rome", [0.0, 1.0])], Some([1.0, 0.0]));
        let diagonal = 0.5f32.sqrt();
        check(vec![state("rome", [1.0, 0.0]), state("when", [0.0, 1.0])], Some([diagonal, diagonal]));
    }
}
