//! Similar passages answer similarly: a passage whose nearest neighbours among the candidates score high is likelier to
//! be relevant than its own score says, and one alone among poor ones is less likely.

use simsimd::SpatialSimilarity;

use super::fuse::{Candidate, sort};

/// The number of most similar candidates that count. Four to six do equally well; more blur the scores.
const NEIGHBOURS: usize = 5;

/// Mixes `weight` of the mean score of its nearest neighbours into the score of each of the first candidates, one for
/// each of `vectors`, and sorts them again. The first candidate keeps its place. A candidate without a vector, or
/// without one to compare it with, keeps its score. Later candidates take no higher score than the last of these.
pub fn smooth(candidates: &mut [Candidate], vectors: &[Option<Vec<f32>>], weight: f32) {
    let count = vectors.len().min(candidates.len());
    let (head, tail) = candidates.split_at_mut(count);
    let smoothed: Vec<f32> = (0..count)
        .map(|at| {
            let own = head[at].score;
            mean_of_nearest(head, vectors, at).map_or(own, |mean| (1.0 - weight) * own + weight * mean)
        })
        .collect();
    head.iter_mut().zip(smoothed).for_each(|(candidate, score)| candidate.score = score);
    let Some((first, rest)) = head.split_first_mut() else { return };
    sort(rest);
    first.score = rest.first().map_or(first.score, |second| first.score.max(second.score));
    let lowest = rest.last().map_or(first.score, |last| last.score);
    tail.iter_mut().for_each(|candidate| candidate.score = candidate.score.min(lowest));
}

/// The mean score of the candidates nearest to the one at `at`.
fn mean_of_nearest(candidates: &[Candidate], vectors: &[Option<Vec<f32>>], at: usize) -> Option<f32> {
    let own = vectors[at].as_ref()?;
    let mut near: Vec<(f64, usize)> = vectors
        .iter()
        .enumerate()
        .filter(|(other, _)| *other != at)
        .filter_map(|(other, vector)| Some((f32::cosine(own, vector.as_ref()?)?, other)))
        .filter(|(distance, _)| !distance.is_nan())
        .collect();
    near.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    near.truncate(NEIGHBOURS);
    let sum: f32 = near.iter().map(|&(_, other)| candidates[other].score).sum();
    (!near.is_empty()).then(|| sum / near.len() as f32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{ChunkId, DocumentId, ScoreParts};

    /// Candidates 1, 2, … with their scores and the angles of their vectors in degrees.
    fn check(given: &[(f32, Option<f32>)], behind: &[f32], weight: f32, expected: &[(u64, f32)]) {
        let scores = given.iter().map(|&(score, _)| score).chain(behind.iter().copied());
        let mut candidates: Vec<Candidate> = (1..)
            .zip(scores)
            .map(|(document, score)| {
                let id = ChunkId { document: DocumentId(document), ordinal: 0 };
                Candidate { id, score, parts: ScoreParts::default() }
            })
            .collect();
        let direction = |angle: f32| vec![angle.to_radians().cos(), angle.to_radians().sin()];
        let vectors: Vec<Option<Vec<f32>>> = given.iter().map(|&(_, angle)| angle.map(direction)).collect();
        smooth(&mut candidates, &vectors, weight);
        let found: Vec<(u64, f32)> = candidates.iter().map(|hit| (hit.id.document.0, hit.score)).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn a_passage_like_good_ones_passes_one_like_poor_ones() {
        // Six near 0 degrees, six near 90; 6 and 7 change places, as the neighbours of 6 are poor.
        let good = |score| (score, Some(0.0));
        let poor = |score| (score, Some(90.0));
        let given = [
            good(10.0),
            good(10.0),
            good(10.0),
            good(10.0),
            good(10.0),
            poor(6.0),
            good(5.0),
            poor(2.0),
            poor(2.0),
            poor(2.0),
            poor(2.0),
            poor(2.0),
        ];
        let mut candidates_first = vec![(1, 9.5), (2, 9.5), (3, 9.5), (4, 9.5), (5, 9.5)];
        candidates_first.extend([(7, 7.5), (6, 4.0)]);
        candidates_first.extend((8..=12).map(|id| (id, 2.4)));
        check(&given, &[], 0.5, &candidates_first);
    }

    #[test]
    fn the_first_place_stands_and_scores_fall() {
        let given = [(5.0, Some(90.0)), (4.0, Some(0.0)), (4.0, Some(1.0)), (0.0, Some(89.0))];
        check(&given, &[3.0, -9.0], 0.0, &[(1, 5.0), (2, 4.0), (3, 4.0), (4, 0.0), (5, 0.0), (6, -9.0)]);
        check(&[(2.0, Some(0.0)), (0.0, Some(5.0))], &[], 0.75, &[(1, 1.5), (2, 1.5)]);
    }

    #[test]
    fn what_cannot_be_compared_keeps_its_score() {
        check(&[(3.0, None), (2.0, Some(0.0)), (1.0, None)], &[], 0.5, &[(1, 3.0), (2, 2.0), (3, 1.0)]);
        check(&[(3.0, Some(0.0))], &[], 0.5, &[(1, 3.0)]);
        check(&[], &[1.0], 0.5, &[(1, 1.0)]);
    }
}
