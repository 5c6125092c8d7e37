//! Which tokens a question learns from.

/// Which negatives of a batch enter the loss of a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NegativeRule {
    /// All.
    All,
    /// Those that are nearer to the question than its answer is.
    SemiHard,
    /// The nearest one.
    MaxHard,
}

/// The columns that `rule` chooses of a question's `eligible` ones. `products` are those of the question with every
/// token of the batch, `positive` the one with its answer.
pub(super) fn choose(rule: NegativeRule, products: &[f32], positive: f32, eligible: Vec<usize>) -> Vec<usize> {
    match rule {
        NegativeRule::All => eligible,
        NegativeRule::SemiHard => eligible.into_iter().filter(|&column| products[column] > positive).collect(),
        NegativeRule::MaxHard => eligible
            .into_iter()
            // Of equals the first.
            .reduce(|a, b| if products[b] > products[a] { b } else { a })
            .into_iter()
            .collect(),
    }
}

/// A token of the set: its passage and its place there.
pub(super) type Place = (usize, usize);

/// The `count` hardest of some tokens that a question met, each once.
pub(super) fn hardest(mut met: Vec<(f32, Place)>, count: usize) -> Vec<Place> {
    met.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let mut kept: Vec<Place> = Vec::with_capacity(count);
    for (_, place) in met {
        if kept.len() == count {
            break;
        }
        if !kept.contains(&place) {
            kept.push(place);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(rule: NegativeRule, eligible: &[usize], expected: &[usize]) {
        let products = [0.5, 0.9, 0.1, 0.7, 0.9];
        assert_eq!(choose(rule, &products, 0.5, eligible.to_vec()), expected, "{rule:?}");
    }

    #[test]
    fn rules_choose() {
        check(NegativeRule::All, &[1, 2, 3], &[1, 2, 3]);
        check(NegativeRule::SemiHard, &[1, 2, 3], &[1, 3]);
        check(NegativeRule::SemiHard, &[0, 2], &[]);
        check(NegativeRule::MaxHard, &[2, 3, 4, 1], &[4]);
        check(NegativeRule::MaxHard, &[], &[]);
    }

    #[test]
    fn the_hardest_are_kept_once() {
        let met = vec![(0.1, (0, 0)), (0.9, (1, 4)), (0.9, (1, 2)), (0.9, (1, 4)), (0.3, (2, 2))];
        assert_eq!(hardest(met, 3), [(1, 2), (1, 4), (2, 2)]);
    }
}
