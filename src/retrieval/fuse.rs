//! Fuses two scored lists into one. Fuses scores rather than ranks, since most of the information in a good list is how
//! much better the first result is than the second.

use std::collections::BTreeMap;

use crate::domain::{ChunkId, ScoreParts};
use crate::store::Scored;

/// A chunk on its way into the hits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Candidate {
    /// The chunk.
    pub id: ChunkId,
    /// The sum of the weighted normalized scores.
    pub score: f32,
    /// Its raw scores.
    pub parts: ScoreParts,
}

/// Fuses a keyword and a semantic list, each the best `asked` of its half, into one by falling score, then rising id.
///
/// Over the union of both lists, the scores of each list are normalized to mean 0 and standard deviation 1 and added,
/// the semantic ones multiplied by `semantic_weight`. A chunk that a list lacks is at most as good as the worst in the
/// list, and counts with that score. A keyword list shorter than `asked` is complete, however: a chunk that it lacks
/// holds no word of the query and counts 0, so that a single passage with a rare word stands out. A list whose scores
/// are all equal over the union carries no information and adds 0, as an empty one does; with one list alone, its order
/// is the result.
pub fn fuse(lexical: &[Scored], semantic: &[Scored], asked: usize, semantic_weight: f32) -> Vec<Candidate> {
    fuse_by(lexical, semantic, asked, |_| Halves { lexical: 1.0, semantic: semantic_weight })
}

/// The factors of a chunk's normalized scores.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Halves {
    pub(super) lexical: f32,
    pub(super) semantic: f32,
}

/// Like [`fuse`], with weights for each chunk.
pub(super) fn fuse_by(
    lexical: &[Scored],
    semantic: &[Scored],
    asked: usize,
    halves: impl Fn(ChunkId) -> Halves,
) -> Vec<Candidate> {
    let mut parts: BTreeMap<ChunkId, ScoreParts> = BTreeMap::new();
    for hit in lexical {
        parts.entry(hit.id).or_default().lexical = Some(hit.score);
    }
    for hit in semantic {
        parts.entry(hit.id).or_default().semantic = Some(hit.score);
    }
    let lexical_absent = if lexical.len() < asked { 0.0 } else { lowest(lexical) };
    let lexical_scale = Scale::of(lexical, parts.len(), lexical_absent);
    let semantic_scale = Scale::of(semantic, parts.len(), lowest(semantic));
    let mut fused: Vec<Candidate> = parts
        .into_iter()
        .map(|(id, parts)| {
            let weights = halves(id);
            let score = weights.lexical * lexical_scale.apply(parts.lexical)
                + weights.semantic * semantic_scale.apply(parts.semantic);
            Candidate { id, score, parts }
        })
        .collect();
    sort(&mut fused);
    fused
}

/// Sorts by falling score, then by rising id.
pub(super) fn sort(candidates: &mut [Candidate]) {
    candidates.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.id.cmp(&b.id)));
}

fn lowest(list: &[Scored]) -> f32 {
    list.iter().map(|hit| hit.score).min_by(f32::total_cmp).unwrap_or(0.0)
}

/// Normalizes the scores of one list to mean 0 and standard deviation 1 over the union.
struct Scale {
    absent: f32,
    /// The mean of the scores minus `absent`.
    mean: f32,
    deviation: f32,
}

impl Scale {
    /// `union` is the number of chunks in both lists together; those that this list lacks count as `absent`.
    fn of(list: &[Scored], union: usize, absent: f32) -> Self {
        let missing = union.saturating_sub(list.len()) as f64;
        let count = (union as f64).max(1.0);
        // Sums in f64: the deviation of a constant list must be exactly 0.
        let above = |hit: &Scored| f64::from(hit.score) - f64::from(absent);
        let mean = list.iter().map(above).sum::<f64>() / count;
        let squares = list.iter().map(|hit| (above(hit) - mean).powi(2)).sum::<f64>() + missing * mean * mean;
        let deviation = (squares / count).sqrt();
        Scale { absent, mean: mean as f32, deviation: deviation as f32 }
    }

    fn apply(&self, score: Option<f32>) -> f32 {
        // Differences below the precision of the scores count as none.
        if self.deviation <= f32::EPSILON * self.absent.abs().max(self.mean.abs()) {
            return 0.0;
        }
        (score.unwrap_or(self.absent) - self.absent - self.mean) / self.deviation
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

    /// Each half is asked for three hits.
    fn check(lexical: &[(u64, f32)], semantic: &[(u64, f32)], weight: f32, expected: &[(u64, f32)]) {
        let found: Vec<(u64, f32)> = fuse(&list(lexical), &list(semantic), 3, weight)
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
    fn a_single_keyword_hit_stands_out() {
        let semantic = [(1, 0.9), (2, 0.6), (5, 0.3)];
        check(&[(5, 7.0)], &semantic, 1.0, &[(1, 0.518), (5, 0.189), (2, -0.707)]);
        check(&[(5, 7.0)], &[], 1.0, &[(5, 0.0)]);
    }

    #[test]
    fn a_single_hit_by_meaning_tells_nothing() {
        // A passage without a vector lacks a semantic score through no fault of its own.
        check(&[(1, 9.0), (2, 6.0), (3, 3.0)], &[(3, 0.2)], 1.0, &[(1, 1.225), (2, 0.0), (3, -1.225)]);
    }

    #[test]
    fn equal_scores_add_nothing_and_ties_go_by_id() {
        check(&[(2, 0.1), (1, 0.1), (3, 0.1)], &[], 1.0, &[(1, 0.0), (2, 0.0), (3, 0.0)]);
        check(&[(2, 0.1), (1, 0.1)], &[(1, 0.2), (2, 0.4)], 1.0, &[(2, 1.0), (1, -1.0)]);
    }

    #[test]
    fn what_a_full_list_lacks_counts_as_its_lowest() {
        // 4 is only in the semantic list: as the full keyword list ends with 4.0, it may have as much.
        let lexical = [(1, 10.0), (2, 4.0), (3, 4.0)];
        check(&lexical, &[(4, 0.5)], 1.0, &[(1, 1.732), (2, -0.577), (3, -0.577), (4, -0.577)]);
    }

    #[test]
    fn what_a_whole_list_lacks_has_no_word_of_the_query() {
        check(&[(1, 4.0), (2, 4.0)], &[(3, 0.5)], 1.0, &[(1, 0.707), (2, 0.707), (3, -1.414)]);
    }

    #[test]
    fn scores_keep_how_much_better_the_first_is() {
        // By rank, 1 and 2 would tie; by score, 1 wins since its lead is larger.
        let found = fuse(&list(&[(1, 30.0), (2, 10.0), (3, 9.0)]), &list(&[(2, 0.51), (1, 0.50), (3, 0.2)]), 3, 1.0);
        assert_eq!(found[0].id.document.0, 1);
        assert_eq!(found[1].parts, ScoreParts { lexical: Some(10.0), semantic: Some(0.51), ..ScoreParts::default() });
    }
}
