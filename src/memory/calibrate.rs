//! Turns the similarity of two texts into the relevance of one for the other.
//!
//! The meaning of a cosine depends on the model: one gives 0.6 to a question and its answer, another 0.85; texts that
//! have nothing in common get 0.05 or 0.7. So every embedder is measured once, on questions with their answers
//! ([`super::sample`]), and its cosines are put on one scale by three marks: the usual cosine of a question and the
//! answer to another (relevance 0), the cosine that only one in two hundred of those pairs exceeds (0.5), and the one
//! that half of the true answers exceed (0.9, just above what comes to mind at once with k = 0.9). Between the marks
//! relevance grows linearly; identical texts have 1. Similarity by words is measured in the same way.

use serde::Serialize;

use super::MemoryError;
use super::sample::PAIRS;
use super::words::{likeness, words_of};
use crate::embed::{Embedder, Text};

/// The relevance at [`Calibration::border`] and at [`Calibration::related`].
const AT_BORDER: f64 = 0.5;
const AT_RELATED: f64 = 0.9;

/// The quantiles of the measured similarities at which the marks stand.
const UNRELATED: f64 = 0.5;
const BORDER: f64 = 0.995;
const RELATED: f64 = 0.5;

/// The marks of one way to compare texts.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Calibration {
    /// The median similarity of a question and the answer to another one.
    pub unrelated: f64,
    /// The similarity that almost none of those pairs reach.
    pub border: f64,
    /// The median similarity of a question and its own answer.
    pub related: f64,
}

impl Calibration {
    /// Returns the relevance, from 0 to 1, of a text with this similarity.
    pub fn relevance(&self, likeness: f64) -> f64 {
        let marks = [(self.unrelated, 0.0), (self.border, AT_BORDER), (self.related, AT_RELATED), (1.0, 1.0)];
        if likeness <= self.unrelated {
            return 0.0;
        }
        for pair in marks.windows(2) {
            let [(from, low), (to, high)] = [pair[0], pair[1]];
            if likeness < to {
                return low + (high - low) * (likeness - from) / (to - from);
            }
        }
        1.0
    }

    /// Computes the marks from the similarities of questions with their own answers, and with those of others.
    fn of(mut related: Vec<f64>, mut unrelated: Vec<f64>) -> Self {
        let low = quantile(&mut unrelated, UNRELATED).clamp(-1.0, 0.97);
        // The marks stay in order even for a model that cannot tell the two apart.
        let border = quantile(&mut unrelated, BORDER).clamp(low + 0.01, 0.98);
        let related = quantile(&mut related, RELATED).clamp(border + 0.01, 0.99);
        Calibration { unrelated: low, border, related }
    }
}

/// Measures an embedder.
pub(super) async fn calibrate_embedder(embedder: &dyn Embedder) -> Result<Calibration, MemoryError> {
    let questions = embedder.queries(PAIRS.iter().map(|(question, _)| Text::from(*question)).collect()).await?;
    let answers = embedder.passages(PAIRS.iter().map(|(_, answer)| Text::from(*answer)).collect()).await?;
    Ok(calibrate_from_pairs(|question, answer| {
        let pair = questions.get(question).zip(answers.get(answer));
        pair.map_or(0.0, |(question, answer)| cosine(&question.embedding, &answer.embedding))
    }))
}

/// Measures the comparison by words.
pub(super) fn calibrate_by_words() -> Calibration {
    let words: Vec<_> = PAIRS.iter().map(|(question, answer)| (words_of(question), words_of(answer))).collect();
    calibrate_from_pairs(|question, answer| {
        let (question, answer) = (&words[question].0, &words[answer].1);
        likeness(question.intersection(answer).count(), question.len(), answer.len())
    })
}

fn calibrate_from_pairs(likeness: impl Fn(usize, usize) -> f64) -> Calibration {
    let (mut related, mut unrelated) = (Vec::new(), Vec::new());
    for question in 0..PAIRS.len() {
        for answer in 0..PAIRS.len() {
            let list = if question == answer { &mut related } else { &mut unrelated };
            list.push(likeness(question, answer));
        }
    }
    Calibration::of(related, unrelated)
}

/// The inner product of two vectors of length 1.
pub(super) fn cosine(a: &[f32], b: &[f32]) -> f64 {
    a.iter().zip(b).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum()
}

/// Returns a quantile: the value that this part of the values does not exceed.
fn quantile(values: &mut [f64], part: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    let at = (part * values.len().saturating_sub(1) as f64).round() as usize;
    values.get(at).copied().unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::embed::minilm::MiniLm;

    const MARKS: Calibration = Calibration { unrelated: 0.1, border: 0.3, related: 0.7 };

    #[test]
    fn relevance_passes_through_the_marks() {
        let check = |likeness, expected: f64| {
            let found = MARKS.relevance(likeness);
            assert!((found - expected).abs() < 1e-12, "{likeness}: {found} instead of {expected}");
        };
        check(-1.0, 0.0);
        check(0.1, 0.0);
        check(0.2, 0.25);
        check(0.3, 0.5);
        check(0.5, 0.7);
        check(0.7, 0.9);
        check(0.85, 0.95);
        check(1.0, 1.0);
        check(1.01, 1.0);
    }

    #[test]
    fn marks_are_in_order_whatever_was_measured() {
        let check = |related: &[f64], unrelated: &[f64]| {
            let marks = Calibration::of(related.to_vec(), unrelated.to_vec());
            let order = [marks.unrelated, marks.border, marks.related, 1.0];
            assert!(order.windows(2).all(|pair| pair[0] < pair[1]), "{marks:?}");
        };
        check(&[0.6, 0.7], &[0.0, 0.1, 0.2]);
        check(&[0.0], &[1.0]);
        check(&[1.0], &[1.0]);
        check(&[-1.0], &[-1.0]);
        check(&[], &[]);
    }

    /// The figures are those in `docs/memory.md`.
    #[tokio::test]
    async fn the_bundled_model_is_measured() {
        let marks = calibrate_embedder(&MiniLm::new()).await.unwrap();
        let near = |found: f64, expected: f64| assert!((found - expected).abs() < 0.01, "{marks:?}");
        near(marks.unrelated, 0.05);
        near(marks.border, 0.50);
        near(marks.related, 0.64);
    }

    #[test]
    fn the_comparison_by_words_is_measured() {
        let marks = calibrate_by_words();
        assert_eq!(marks.unrelated, 0.0);
        assert!(marks.border > 0.1 && marks.related > marks.border && marks.related < 0.8, "{marks:?}");
    }

    proptest! {
        #[test]
        fn more_alike_is_never_less_relevant(a in -1.0..1.0_f64, more in 0.0..1.0_f64) {
            prop_assert!(MARKS.relevance(a) <= MARKS.relevance(a + more));
        }
    }
}
