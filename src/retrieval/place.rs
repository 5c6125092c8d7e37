//! Late interaction in one place: the best matches of the query's tokens may lie anywhere in a passage, in sentences
//! that have nothing to do with each other, but an answer is mostly where many of them meet.

/// The minimum reach: even a query of two words needs a whole sentence.
const LEAST_REACH: usize = 8;

/// How many tokens away from a place a match may lie, for a query of `tokens` tokens: the answer to a long question is
/// long. Of fixed reaches, twelve is the best, but worse than this for questions of thirty tokens.
pub(super) fn reach(tokens: usize) -> usize {
    tokens.max(LEAST_REACH)
}

/// The largest similarity of each query token. The similarities are in rows, one for each of `tokens`.
pub(super) fn max_sims(similarities: &[f32], tokens: usize) -> Vec<f32> {
    let width = similarities.len() / tokens.max(1);
    if width == 0 {
        return Vec::new();
    }
    similarities.chunks_exact(width).map(|row| row.iter().copied().fold(f32::NEG_INFINITY, f32::max)).collect()
}

/// The weighted mean of the query tokens' best matches within `reach` tokens of one place of the passage, at the place
/// where it is highest. `similarities` are in rows, one for each weight; `None` if there are none.
pub fn best_place(similarities: &[f32], weights: &[f32], reach: usize) -> Option<f32> {
    let total: f32 = weights.iter().sum();
    let width = similarities.len() / weights.len().max(1);
    if width == 0 || total <= 0.0 {
        return None;
    }
    let mut sums = vec![0f32; width];
    let mut largest = Vec::new();
    for (row, weight) in similarities.chunks_exact(width).zip(weights) {
        slide(row, reach.min(width), &mut largest);
        sums.iter_mut().zip(&largest).for_each(|(sum, sim)| *sum += weight * sim);
    }
    sums.into_iter().max_by(f32::total_cmp).map(|sum| sum / total)
}

/// Fills `largest` with the largest value within `reach` of each place of `row`. The maxima are taken over spans that
/// double in length in each step, so a wide reach costs hardly more than a narrow one.
pub(super) fn slide(row: &[f32], reach: usize, largest: &mut Vec<f32>) {
    largest.clear();
    largest.resize(reach, f32::NEG_INFINITY);
    largest.extend(row);
    largest.resize(row.len() + 2 * reach, f32::NEG_INFINITY);
    let (wanted, mut span) = (2 * reach + 1, 1);
    // Written into another buffer each time, so that the processor can fill many values at once.
    let mut longer = Vec::with_capacity(largest.len());
    while span < wanted {
        let step = span.min(wanted - span);
        longer.clear();
        longer.extend(largest.iter().zip(&largest[step..]).map(|(near, far)| if far > near { *far } else { *near }));
        std::mem::swap(largest, &mut longer);
        span += step;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Rng;

    fn check(similarities: &[f32], weights: &[f32], reach: usize, expected: Option<f32>) {
        assert_eq!(best_place(similarities, weights, reach), expected);
    }

    #[test]
    fn matches_that_meet_beat_better_ones_far_apart() {
        // Two tokens; six places.
        let far = [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, /**/ 0.0, 0.0, 0.0, 0.0, 0.0, 1.0];
        let near = [0.0, 0.75, 0.0, 0.0, 0.0, 0.0, /**/ 0.0, 0.0, 0.75, 0.0, 0.0, 0.0];
        check(&far, &[1.0, 1.0], 1, Some(0.5));
        check(&near, &[1.0, 1.0], 1, Some(0.75));
        check(&far, &[1.0, 1.0], 100, Some(1.0));
        assert_eq!((max_sims(&far, 2), max_sims(&near, 2)), (vec![1.0, 1.0], vec![0.75, 0.75]));
    }

    #[test]
    fn tokens_count_by_their_weight() {
        check(&[0.5, 0.0, /**/ 0.0, 1.0], &[3.0, 1.0], 0, Some(0.375));
    }

    #[test]
    fn nothing_has_no_place() {
        check(&[], &[1.0], 8, None);
        check(&[0.5], &[], 8, None);
        check(&[0.5], &[0.0], 8, None);
        assert!(max_sims(&[], 3).is_empty() && max_sims(&[], 0).is_empty());
    }

    #[test]
    fn the_largest_near_each_place_is_as_a_plain_look_finds_it() {
        let mut rng = Rng::new(5);
        for length in [1usize, 2, 7, 40] {
            let row: Vec<f32> = (0..length).map(|_| rng.below(1000) as f32 - 500.0).collect();
            for reach in [0, 1, 2, 3, 8, 12, 50] {
                let mut found = Vec::new();
                slide(&row, reach, &mut found);
                let plain: Vec<f32> = (0..length)
                    .map(|at| &row[at.saturating_sub(reach)..(at + reach + 1).min(length)])
                    .map(|near| near.iter().copied().fold(f32::NEG_INFINITY, f32::max))
                    .collect();
                assert_eq!(found, plain, "reach {reach} in {row:?}");
            }
        }
    }
}
