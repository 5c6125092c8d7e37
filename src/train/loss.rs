//! The loss of a batch and its gradient.

use super::matrix::{Side, add_product, multiply};

/// The questions of a batch, mapped by the matrix `M`.
///
/// The product of a question `q` with a token `x` is `(M q) · (M x) = (MᵀM q) · x`, so tokens are never mapped: a batch
/// has two hundred of them and more, and the passages of its questions have thousands.
pub(super) struct Mapped<'a> {
    matrix: &'a [f32],
    /// The lengths of vectors before and after mapping.
    sizes: [usize; 2],
    questions: &'a [f32],
    /// `M q` of each question.
    mapped: Vec<f32>,
    /// `MᵀM q` of each question.
    pub directions: Vec<f32>,
}

impl<'a> Mapped<'a> {
    /// Maps questions of length `inputs` by `M`, and back by its transpose.
    pub fn of(matrix: &'a [f32], inputs: usize, questions: &'a [f32]) -> Self {
        let (rows, outputs) = (questions.len() / inputs, matrix.len() / inputs);
        let (plain, transposed) = (Side::plain(questions, inputs), Side::transposed(matrix, inputs));
        let mapped = multiply([rows, inputs, outputs], 1.0, plain, transposed);
        let back = (Side::plain(&mapped, outputs), Side::plain(matrix, inputs));
        let directions = multiply([rows, outputs, inputs], 1.0, back.0, back.1);
        Mapped { matrix, sizes: [inputs, outputs], questions, mapped, directions }
    }

    /// The products of each question with each token, a row for each question.
    pub fn products(&self, scale: f32, tokens: &[f32]) -> Vec<f32> {
        let [inputs, _] = self.sizes;
        let (rows, columns) = (self.questions.len() / inputs, tokens.len() / inputs);
        let sides = (Side::plain(&self.directions, inputs), Side::transposed(tokens, inputs));
        multiply([rows, inputs, columns], scale, sides.0, sides.1)
    }

    /// The gradient of the matrix. `sums` has a row for each question: the sum of the tokens that it was compared with,
    /// each times the derivative of the loss by their product. As a product is linear in the token, this sum stands for
    /// all of them.
    pub fn gradient(&self, scale: f32, sums: &[f32]) -> Vec<f32> {
        let [inputs, outputs] = self.sizes;
        let rows = self.questions.len() / inputs;
        let mapped_sums =
            multiply([rows, inputs, outputs], 1.0, Side::plain(sums, inputs), Side::transposed(self.matrix, inputs));
        let mut gradient = vec![0f32; self.matrix.len()];
        let shape = [outputs, rows, inputs];
        let sides = (Side::transposed(&self.mapped, outputs), Side::plain(sums, inputs));
        add_product(shape, scale, sides.0, sides.1, &mut gradient);
        let sides = (Side::transposed(&mapped_sums, outputs), Side::plain(self.questions, inputs));
        add_product(shape, scale, sides.0, sides.1, &mut gradient);
        gradient
    }
}

/// For each question, the sum of the tokens, each times its derivative.
pub(super) fn weighed(derivative: &[f32], tokens: &[f32], inputs: usize) -> Vec<f32> {
    let columns = tokens.len() / inputs;
    let rows = derivative.len() / columns.max(1);
    multiply([rows, columns, inputs], 1.0, Side::plain(derivative, columns), Side::plain(tokens, inputs))
}

/// The InfoNCE loss of one question, `-ln(e^p / (e^p + Σ e^n))`: how unlikely its answer is against the chosen
/// negatives. Adds the derivative by each product, times `share`, to `derivative`.
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
        let mapped = Mapped::of(matrix, 4, questions);
        let products = mapped.products(0.7, tokens);
        let mut derivative = vec![0f32; products.len()];
        let mut sum = 0.0;
        for (row, (products, derivative)) in products.chunks(8).zip(derivative.chunks_mut(8)).enumerate() {
            let negatives = choose(rule, products, products[row], (3..8).collect());
            sum += info_nce(products, row, &negatives, 1.0 / 3.0, derivative) / 3.0;
        }
        (sum, mapped.gradient(0.7, &weighed(&derivative, tokens, 4)))
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
