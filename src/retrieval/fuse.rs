//! Two scored lists become one. Scores are fused, not ranks: how much better the first result is than the second is
//! most of what a good list knows.

use std::collections::BTreeMap;

use crate::domain::{ChunkId, ScoreParts};
use crate::store::Scored;

/// A chunk on its way into the hits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Candidate {
    /// Which chunk.
    pub id: ChunkId,
    /// The sum of the weighted normalized scores.
    pub score: f32,
    /// Its raw scores.
    pub parts: ScoreParts,
}

/// Fuses a keyword and a semantic list into one by falling score, then by rising id.
///
/// Over the union of both lists each list's scores are brought to mean 0 and deviation 1 and added, the semantic ones
/// times `semantic_weight`. A chunk that a list does not have counts with the list's lowest score: it is at most as good
/// as the worst that was found. A list whose scores are all equal over the union tells nothing and adds 0; an empty one
/// does too. So with one list alone, its order is the order.
pub fn fuse(lexical: &[Scored], semantic: &[Scored], semantic_weight: f32) -> Vec<Candidate> {
    let mut parts: BTreeMap<ChunkId, ScoreParts> = BTreeMap::new();
    for hit in lexical {
        parts.entry(hit.id).or_default().lexical = Some(hit.score);
    }
    for hit in semantic {
        parts.entry(hit.id).or_default().semantic = Some(hit.score);
    }
    let lexical_scale = Scale::of(lexical, parts.len());
    let semantic_scale = Scale::of(semantic, parts.len());
    let mut fused: Vec<Candidate> = parts
        .into_iter()
        .map(|(id, parts)| {
            let score = lexical_scale.apply(parts.lexical) + semantic_weight * semantic_scale.apply(parts.semantic);
            Candidate { id, score, parts }
        })
        .collect();
    sort(&mut fused);
    fused
}

/// By falling score, then by rising id.
pub(super) fn sort(candidates: &mut [Candidate]) {
    candidates.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.id.cmp(&b.id)));
}

/// Brings one list's scores to mean 0 and deviation 1 over the union.
struct Scale {
    lowest: f32,
    mean: f32,
    deviation: f32,
}

impl Scale {
    /// `union`: how many chunks both lists have together; those that this one lacks count as its lowest.
    fn of(list: &[Scored], union: usize) -> Self {
        let lowest = list.iter().map(|hit| hit.score).min_by(f32::total_cmp).unwrap_or(0.0);
        let absent = union.saturating_sub(list.len()) as f64;
        let count = (union as f64).max(1.0);
        // Sums in f64: a constant list must come out with a deviation of exactly, not nearly, nothing.
        let above = |hit: &Scored| f64::from(hit.score) - f64::from(lowest);
        let mean = list.iter().map(above).sum::<f64>() / count;
        let squares = list.iter().map(|hit| (above(hit) - mean).powi(2)).sum::<f64>() + absent * mean * mean;
        let deviation = (squares / count).sqrt();
        Scale { lowest, mean: mean as f32, deviation: deviation as f32 }
    }

    fn apply(&self, score: Option<f32>) -> f32 {
        if self.deviation <= f32::EPSILON * self.lowest.abs().max(1.0) {
            return 0.0;
        }
        (score.unwrap_or(self.lowest) - self.lowest - self.mean) / self.deviation
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::DocumentId;

    fn list(scores: &[(u64, f32)]) -> Vec<Scored> {
        let id = |document| ChunkId { document: DocumentId(document), ordinal: 0 };
        scores.iter().map(|&(document, score)| Scored { id: id(document), score }).collect()
    }

    fn check(lexical: &[(u64, f32)], semantic: &[(u64, f32)], weight: f32, expected: &[(u64, f32)]) {
        let found: Vec<(u64, f32)> = fuse(&list(lexical), &list(semantic), weight)
            .iter()
            .map(|hit| (hit.id.document.0, (hit.score * 1000.0).round() / 1000.0))
            .collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn nothing_fuses_to_nothing() {
        check(&[], &[], 1.0, &[]);
    }

    #[test]
    fn one_list_keeps_its_order() {
        check(&[(3, 9.0), (1, 6.0), (2, 3.0)], &[], 1.0, &[(3, 1.225), (1, 0.0), (2, -1.225)]);
        check(&[], &[(3, 0.9), (1, 0.6), (2, 0.3)], 2.0, &[(3, 2.449), (1, 0.0), (2, -2.449)]);
    }

    #[test]
    fn a_single_hit_counts_by_being_found() {
        // One keyword hit among semantic ones: the other chunks count as equally bad as itself, so it tells nothing.
        check(&[(5, 7.0)], &[(1, 0.9), (5, 0.1)], 1.0, &[(1, 1.0), (5, -1.0)]);
        check(&[(5, 7.0)], &[], 1.0, &[(5, 0.0)]);
    }

    #[test]
    fn equal_scores_add_nothing_and_ties_go_by_id() {
        check(&[(2, 0.1), (1, 0.1), (3, 0.1)], &[], 1.0, &[(1, 0.0), (2, 0.0), (3, 0.0)]);
        check(&[(2, 0.1), (1, 0.1)], &[(1, 0.2), (2, 0.4)], 1.0, &[(2, 1.0), (1, -1.0)]);
    }

    #[test]
    fn a_missing_score_is_the_lowest_of_the_list() {
        // 1 is in both; 2 only lexical, 3 only semantic, each with its list's lowest score.
        check(&[(1, 10.0), (2, 4.0)], &[(1, 0.8), (3, 0.2)], 1.0, &[(1, 2.828), (2, -1.414), (3, -1.414)]);
    }

    #[test]
    fn scores_keep_how_much_better_the_first_is() {
        // By rank, 1 and 2 would tie; by score, 1 wins since its lead is larger.
        let found = fuse(&list(&[(1, 30.0), (2, 10.0), (3, 9.0)]), &list(&[(2, 0.51), (1, 0.50), (3, 0.2)]), 1.0);
        assert_eq!(found[0].id.document.0, 1);
        assert_eq!(found[1].parts, ScoreParts { lexical: Some(10.0), semantic: Some(0.51), rerank: None });
    }
}
