//! Measures of a ranking, with confidence intervals.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::base::Rng;

/// The number of times that a set of queries is resampled for an interval.
const RESAMPLES: usize = 1000;

/// The measures of one query's ranking, each from 0 to 1.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct QueryScores {
    /// Average precision over all relevant passages.
    pub ap: f64,
    /// Reciprocal rank of the first relevant passage.
    pub rr: f64,
    /// Share of the relevant passages among the first 1, 2, 5 and 10.
    pub recall: [f64; 4],
    /// 1 when all relevant passages are among the first 10.
    pub all_gold: f64,
    /// Normalized discounted cumulative gain of the first 10, with gain 2^grade − 1.
    pub ndcg: f64,
}

/// The cut-offs of [`QueryScores::recall`].
pub const RECALL_CUTS: [usize; 4] = [1, 2, 5, 10];

/// The cut-off of nDCG and of `all_gold`.
const TOP: usize = 10;

impl QueryScores {
    /// Scores a ranking (best first, no id twice) against judgements (id → grade; grades of 0 are irrelevant).
    pub fn of(ranking: &[String], judgements: &BTreeMap<String, u32>) -> Self {
        let relevant = judgements.values().filter(|&&grade| grade > 0).count();
        if relevant == 0 {
            return QueryScores::default();
        }
        let (mut found, mut ap, mut rr, mut dcg, mut recall, mut in_top) = (0usize, 0.0, 0.0, 0.0, [0.0; 4], 0usize);
        for (index, id) in ranking.iter().enumerate() {
            let grade = judgements.get(id).copied().unwrap_or(0);
            if grade == 0 {
                continue;
            }
            found += 1;
            let rank = index + 1;
            ap += found as f64 / rank as f64;
            if found == 1 {
                rr = 1.0 / rank as f64;
            }
            for (cut, value) in RECALL_CUTS.iter().zip(&mut recall) {
                if rank <= *cut {
                    *value += 1.0 / relevant as f64;
                }
            }
            if rank <= TOP {
                in_top += 1;
                dcg += gain(grade) / discount(rank);
            }
        }
        let mut ideal: Vec<u32> = judgements.values().copied().filter(|&grade| grade > 0).collect();
        ideal.sort_unstable_by(|a, b| b.cmp(a));
        let best: f64 =
            ideal.iter().take(TOP).enumerate().map(|(index, &grade)| gain(grade) / discount(index + 1)).sum();
        QueryScores {
            ap: ap / relevant as f64,
            rr,
            recall,
            all_gold: if in_top == relevant { 1.0 } else { 0.0 },
            ndcg: dcg / best,
        }
    }
}

fn gain(grade: u32) -> f64 {
    f64::from(grade).exp2() - 1.0
}

fn discount(rank: usize) -> f64 {
    (rank as f64 + 1.0).log2()
}

/// A mean over queries with its 95 % bootstrap interval (percentile method).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    /// The mean.
    pub value: f64,
    /// Lower end of the interval.
    pub low: f64,
    /// Upper end of the interval.
    pub high: f64,
}

impl Measured {
    /// The mean of `values` and its interval; deterministic. All zero if there are no values.
    pub fn mean(values: &[f64]) -> Self {
        if values.is_empty() {
            return Measured { value: 0.0, low: 0.0, high: 0.0 };
        }
        let mean = |sum: f64| sum / values.len() as f64;
        let mut rng = Rng::new(0x0005_eed0_fd1c_e000);
        let mut means: Vec<f64> =
            (0..RESAMPLES).map(|_| mean((0..values.len()).map(|_| values[rng.below(values.len())]).sum())).collect();
        means.sort_unstable_by(f64::total_cmp);
        Measured {
            value: mean(values.iter().sum()),
            low: means[RESAMPLES * 25 / 1000],
            high: means[RESAMPLES * 975 / 1000 - 1],
        }
    }
}

/// The mean of `b − a` over the queries that both have, with its interval, and the number of those queries.
pub fn paired_difference(a: &BTreeMap<String, f64>, b: &BTreeMap<String, f64>) -> (Measured, usize) {
    let differences: Vec<f64> = a.iter().filter_map(|(id, x)| b.get(id).map(|y| y - x)).collect();
    (Measured::mean(&differences), differences.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(ranking: &str, judged: &[(&str, u32)], expected: QueryScores) {
        let ranking: Vec<String> = ranking.split_whitespace().map(str::to_owned).collect();
        let judged = judged.iter().map(|(id, grade)| ((*id).to_owned(), *grade)).collect();
        let found = QueryScores::of(&ranking, &judged);
        let pairs = [
            (found.ap, expected.ap),
            (found.rr, expected.rr),
            (found.all_gold, expected.all_gold),
            (found.ndcg, expected.ndcg),
        ];
        for (x, y) in pairs.into_iter().chain(found.recall.into_iter().zip(expected.recall)) {
            assert!((x - y).abs() < 1e-9, "{found:?}\n{expected:?}");
        }
    }

    #[test]
    fn first_place_is_perfect() {
        check("a b", &[("a", 1)], QueryScores { ap: 1.0, rr: 1.0, recall: [1.0; 4], all_gold: 1.0, ndcg: 1.0 });
    }

    #[test]
    fn two_relevant_at_second_and_fourth_place() {
        let ideal = 1.0 + 1.0 / 3f64.log2();
        let dcg = 1.0 / 3f64.log2() + 1.0 / 5f64.log2();
        check(
            "x a y b",
            &[("a", 1), ("b", 1), ("x", 0)],
            QueryScores {
                ap: (0.5 + 0.5) / 2.0,
                rr: 0.5,
                recall: [0.0, 0.5, 1.0, 1.0],
                all_gold: 1.0,
                ndcg: dcg / ideal,
            },
        );
    }

    #[test]
    fn a_relevant_passage_that_is_missing_counts_against_the_ranking() {
        check(
            "a",
            &[("a", 1), ("b", 1)],
            QueryScores { ap: 0.5, rr: 1.0, recall: [0.5; 4], all_gold: 0.0, ndcg: 1.0 / (1.0 + 1.0 / 3f64.log2()) },
        );
    }

    #[test]
    fn grades_weigh_by_two_to_the_grade() {
        check(
            "low high",
            &[("high", 3), ("low", 1)],
            QueryScores {
                ap: 1.0,
                rr: 1.0,
                recall: [0.5, 1.0, 1.0, 1.0],
                all_gold: 1.0,
                ndcg: (1.0 + 7.0 / 3f64.log2()) / (7.0 + 1.0 / 3f64.log2()),
            },
        );
    }

    #[test]
    fn intervals_hold_the_mean_and_shrink_with_more_queries() {
        let few: Vec<f64> = (0..20).map(|i| f64::from(i % 2)).collect();
        let many: Vec<f64> = (0..2000).map(|i| f64::from(i % 2)).collect();
        let (few, many) = (Measured::mean(&few), Measured::mean(&many));
        assert!(few.low < few.value && few.value < few.high);
        assert!((many.high - many.low) < (few.high - few.low) / 5.0);
        // The standard error of a fair coin over 2,000 throws is 0.0112: the interval is about four of them wide.
        assert!((many.high - many.low - 0.0438).abs() < 0.006, "{many:?}");
    }

    #[test]
    fn a_difference_uses_only_queries_that_both_runs_have() {
        let a = [("q1".to_owned(), 0.5), ("q2".to_owned(), 0.25)].into();
        let b = [("q1".to_owned(), 1.0), ("q3".to_owned(), 0.0)].into();
        let (difference, queries) = paired_difference(&a, &b);
        assert_eq!((difference.value, queries), (0.5, 1));
    }
}
