//! What an evaluation prints.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::measure::{Measured, QueryScores, paired_difference};

/// Recall at the usual cuts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Recall {
    /// Among the first result.
    #[serde(rename = "1")]
    pub at1: Measured,
    /// Among the first two.
    #[serde(rename = "2")]
    pub at2: Measured,
    /// Among the first five.
    #[serde(rename = "5")]
    pub at5: Measured,
    /// Among the first ten.
    #[serde(rename = "10")]
    pub at10: Measured,
}

/// Time of one search from the words to the hits.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Latency {
    /// Median, milliseconds.
    pub p50: f64,
    /// 95th percentile, milliseconds.
    pub p95: f64,
}

impl Latency {
    /// The percentiles of some durations in milliseconds (nearest rank); zero for none.
    pub fn of(mut milliseconds: Vec<f64>) -> Self {
        milliseconds.sort_unstable_by(f64::total_cmp);
        let at = |share: f64| {
            let rank = (share * milliseconds.len() as f64).ceil() as usize;
            milliseconds.get(rank.saturating_sub(1)).copied().unwrap_or(0.0)
        };
        Latency { p50: at(0.5), p95: at(0.95) }
    }
}

/// The measures of one run over one set.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// The set's name.
    pub dataset: String,
    /// Judged queries.
    pub queries: usize,
    /// Passages in the corpus.
    pub passages: usize,
    /// Mean average precision, over the ranking down to the depth that was searched.
    pub map: Measured,
    /// Mean reciprocal rank.
    pub mrr: Measured,
    /// Share of the relevant passages that are found.
    pub recall: Recall,
    /// Share of queries with every relevant passage among the first ten.
    #[serde(rename = "all_gold@10")]
    pub all_gold: Measured,
    /// Normalized discounted cumulative gain of the first ten.
    #[serde(rename = "ndcg@10")]
    pub ndcg: Measured,
    /// Time of one search.
    pub latency_ms: Latency,
    /// Seconds to chunk, embed and store the corpus; absent where it was there before.
    pub load_s: Option<f64>,
    /// The embedder's name, or `none`.
    pub embedder: String,
    /// Which halves answered.
    pub mode: String,
    /// The re-ranker's name, or `none`.
    pub rerank: String,
    /// Average precision by query: what two runs are compared by.
    pub ap: BTreeMap<String, f64>,
}

impl Outcome {
    /// Sums up the scores of all queries, given with their ids.
    pub fn sum_up(scores: &[(String, QueryScores)], run: Run) -> Self {
        let mean = |pick: &dyn Fn(&QueryScores) -> f64| {
            Measured::mean(&scores.iter().map(|(_, score)| pick(score)).collect::<Vec<_>>())
        };
        Outcome {
            dataset: run.dataset,
            queries: scores.len(),
            passages: run.passages,
            map: mean(&|score| score.ap),
            mrr: mean(&|score| score.rr),
            recall: Recall {
                at1: mean(&|score| score.recall[0]),
                at2: mean(&|score| score.recall[1]),
                at5: mean(&|score| score.recall[2]),
                at10: mean(&|score| score.recall[3]),
            },
            all_gold: mean(&|score| score.all_gold),
            ndcg: mean(&|score| score.ndcg),
            latency_ms: run.latency_ms,
            load_s: run.load_s,
            embedder: run.embedder,
            mode: run.mode,
            rerank: run.rerank,
            ap: scores.iter().map(|(id, score)| (id.clone(), score.ap)).collect(),
        }
    }

    /// The measures as a table for people, in percent with their intervals.
    pub fn table(&self) -> String {
        let rows = [
            ("MAP", &self.map),
            ("MRR", &self.mrr),
            ("R@1", &self.recall.at1),
            ("R@2", &self.recall.at2),
            ("R@5", &self.recall.at5),
            ("R@10", &self.recall.at10),
            ("all@10", &self.all_gold),
            ("nDCG@10", &self.ndcg),
        ];
        let mut table = format!(
            "{}: {} queries over {} passages, {} search, embedder {}, re-ranker {}\n",
            self.dataset, self.queries, self.passages, self.mode, self.embedder, self.rerank
        );
        for (name, measured) in rows {
            table.push_str(&format!(
                "{name:<8} {:>5.1}  [{:.1}, {:.1}]\n",
                measured.value * 100.0,
                measured.low * 100.0,
                measured.high * 100.0
            ));
        }
        table.push_str(&format!("latency  p50 {:.1} ms, p95 {:.1} ms", self.latency_ms.p50, self.latency_ms.p95));
        if let Some(seconds) = self.load_s {
            table.push_str(&format!("; load {seconds:.1} s"));
        }
        table.push('\n');
        table
    }
}

/// What a run was, beside its scores.
#[derive(Clone, Debug)]
pub struct Run {
    /// As in [`Outcome::dataset`].
    pub dataset: String,
    /// As in [`Outcome::passages`].
    pub passages: usize,
    /// As in [`Outcome::latency_ms`].
    pub latency_ms: Latency,
    /// As in [`Outcome::load_s`].
    pub load_s: Option<f64>,
    /// As in [`Outcome::embedder`].
    pub embedder: String,
    /// As in [`Outcome::mode`].
    pub mode: String,
    /// As in [`Outcome::rerank`].
    pub rerank: String,
}

/// How one run differs from another on the same queries.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Comparison {
    /// Mean of the second run's average precision minus the first's.
    pub map_difference: Measured,
    /// Queries that both runs have.
    pub queries: usize,
}

impl Comparison {
    /// Compares `b` with `a`, query by query.
    pub fn of(a: &Outcome, b: &Outcome) -> Self {
        let (map_difference, queries) = paired_difference(&a.ap, &b.ap);
        Comparison { map_difference, queries }
    }
}
