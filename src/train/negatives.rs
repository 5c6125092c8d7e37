//! Chooses the tokens that a question learns from.

/// Which negatives of a batch enter the loss of a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NegativeRule {
    /// All.
    All,
    /// Those nearer to the question than its answer is.
    SemiHard,
    /// The nearest one.
    MaxHard,
}

/// The columns that `rule` chooses from a question's `eligible` ones. `products` are those of the question with every
/// token of the batch; `positive` is the one with its answer.
pub(super) fn choose(rule: NegativeRule, products: &[f32], positive: f32, eligible: Vec<usize>) -> Vec<usize> {
    match rule {
        NegativeRule::All => eligible,
        NegativeRule::SemiHard => eligible.into_iter().filter(|&column| products[column] > positive).collect(),
        NegativeRule::MaxHard => eligible
            .into_iter()
            // Ties go to the first.
            .reduce(|a, b| if products[b] > products[a] { b } else { a })
            .into_iter()
            .collect(),
    }
}

/// A token of the set: its passage, and its index there.
pub(super) type Place = (usize, usize);

/// The `count` hardest of the tokens that a question met, each once; ties go to those that come first in the set.
pub(super) fn hardest(met: impl Iterator<Item = (f32, Place)>, count: usize) -> Vec<Place> {
    let mut kept: Vec<(f32, Place)> = Vec::with_capacity(count + 1);
    let before = |a: &(f32, Place), b: &(f32, Place)| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)).is_lt();
    for one in met {
        // Most tokens are easier than the few that are kept.
        if kept.len() == count && kept.last().is_none_or(|last| !before(&one, last)) {
            continue;
        }
        if let Some(at) = kept.iter().position(|known| known.1 == one.1) {
            if !before(&one, &kept[at]) {
                continue;
            }
            kept.remove(at);
        }
        let at = kept.partition_point(|known| before(known, &one));
        kept.insert(at, one);
        kept.truncate(count);
    }
    kept.into_iter().map(|(_, place)| place).collect()
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
        assert_eq!(hardest(met.clone().into_iter(), 3), [(1, 2), (1, 4), (2, 2)]);
        assert_eq!(hardest(met.clone().into_iter(), 9), [(1, 2), (1, 4), (2, 2), (0, 0)]);
        assert_eq!(hardest(met.into_iter().rev(), 1), [(1, 2)]);
        assert!(hardest([(0.5, (0, 0))].into_iter(), 0).is_empty());
    }
}
