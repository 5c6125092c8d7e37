//! The loss of a batch and its gradient.

use super::matrix::{Side, add_product, multiply};

/// A batch through the matrix: questions and tokens, mapped, and their products.
pub(super) struct Mapped {
    /// Questions, tokens, values in, values out.
    sizes: [usize; 4],
    scale: f32,
    questions: Vec<f32>,
    tokens: Vec<f32>,
    mapped_questions: Vec<f32>,
    mapped_tokens: Vec<f32>,
    /// One row of products with all tokens for each question.
    pub products: Vec<f32>,
}

/// Maps a batch. Products are multiplied by `scale`.
pub(super) fn forward(matrix: &[f32], inputs: usize, scale: f32, questions: Vec<f32>, tokens: Vec<f32>) -> Mapped {
    let outputs = matrix.len() / inputs;
    let (rows, columns) = (questions.len() / inputs, tokens.len() / inputs);
    let map = |rows: usize, values: &[f32]| {
        multiply([rows, inputs, outputs], 1.0, Side::plain(values, inputs), Side::transposed(matrix, inputs))
    };
    let (mapped_questions, mapped_tokens) = (map(rows, &questions), map(columns, &tokens));
    let products = multiply(
        [rows, outputs, columns],
        scale,
        Side::plain(&mapped_questions, outputs),
        Side::transposed(&mapped_tokens, outputs),
    );
    let sizes = [rows, columns, inputs, outputs];
    Mapped { sizes, scale, questions, tokens, mapped_questions, mapped_tokens, products }
}

impl Mapped {
    /// The gradient of the matrix, given that of the products.
    pub fn gradient(&self, products: &[f32]) -> Vec<f32> {
        let [rows, columns, inputs, outputs] = self.sizes;
        let questions = multiply(
            [rows, columns, outputs],
            self.scale,
            Side::plain(products, columns),
            Side::plain(&self.mapped_tokens, outputs),
        );
        let tokens = multiply(
            [columns, rows, outputs],
            self.scale,
            Side::transposed(products, columns),
            Side::plain(&self.mapped_questions, outputs),
        );
        let mut gradient = multiply(
            [outputs, columns, inputs],
            1.0,
            Side::transposed(&tokens, outputs),
            Side::plain(&self.tokens, inputs),
        );
        add_product(
            [outputs, rows, inputs],
            1.0,
            Side::transposed(&questions, outputs),
            Side::plain(&self.questions, inputs),
            &mut gradient,
        );
        gradient
    }
}

/// InfoNCE of one question: how unlikely its answer is against the chosen negatives, `-ln(e^p / (e^p + Σ e^n))`. Adds the
/// derivative by each product to `derivative`, times `share`.
pub fn info_nce(products: &[f32], positive: usize, negatives: &[usize], share: f32, derivative: &mut [f32]) -> f64 {
    if negatives.is_empty() {
        return 0.0;
    }
    let columns = || std::iter::once(positive).chain(negatives.iter().copied());
    let largest = columns().map(|column| products[column]).fold(f32::NEG_INFINITY, f32::max);
    let total: f32 = columns().map(|column| (products[column] - largest).exp()).sum();
    for column in columns() {
        derivative[column] += share * (products[column] - largest).exp() / total;
    }
    derivative[positive] -= share;
    f64::from(total.ln() + largest - products[positive])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Rng;
    use crate::train::negatives::{NegativeRule, choose};

    fn values(rng: &mut Rng, count: usize) -> Vec<f32> {
        (0..count).map(|_| (rng.next_u64() >> 40) as f32 / (1u64 << 23) as f32 - 1.0).collect()
    }

    /// The mean loss of three questions over their answers (the first three tokens) and five negatives.
    fn loss(matrix: &[f32], questions: &[f32], tokens: &[f32], rule: NegativeRule) -> (f64, Vec<f32>) {
        let mapped = forward(matrix, 4, 0.7, questions.to_vec(), tokens.to_vec());
        let mut derivative = vec![0f32; mapped.products.len()];
        let mut sum = 0.0;
        for (row, (products, derivative)) in mapped.products.chunks(8).zip(derivative.chunks_mut(8)).enumerate() {
            let negatives = choose(rule, products, products[row], (3..8).collect());
            sum += info_nce(products, row, &negatives, 1.0 / 3.0, derivative) / 3.0;
        }
        (sum, mapped.gradient(&derivative))
    }

    #[test]
    fn the_gradient_is_that_of_finite_differences() {
        for (seed, rule) in [(1, NegativeRule::All), (2, NegativeRule::SemiHard), (3, NegativeRule::MaxHard)] {
            let mut rng = Rng::new(seed);
            let (matrix, questions) = (values(&mut rng, 6 * 4), values(&mut rng, 3 * 4));
            let tokens = values(&mut rng, 8 * 4);
            let (_, gradient) = loss(&matrix, &questions, &tokens, rule);
            assert!(gradient.iter().any(|value| value.abs() > 0.01), "nothing to learn: {gradient:?}");
            for at in 0..matrix.len() {
                let moved = |by: f32| {
                    let mut matrix = matrix.clone();
                    matrix[at] += by;
                    loss(&matrix, &questions, &tokens, rule).0
                };
                let difference = ((moved(1e-2) - moved(-1e-2)) / 2e-2) as f32;
                assert!((difference - gradient[at]).abs() < 2e-3, "{rule:?} {at}: {difference} and {}", gradient[at]);
            }
        }
    }

    #[test]
    fn no_negative_is_no_loss() {
        let mut derivative = [0.0; 2];
        assert_eq!(info_nce(&[0.3, 0.9], 0, &[], 1.0, &mut derivative), 0.0);
        assert_eq!(derivative, [0.0; 2]);
    }
}
