//! The printed outcome of an evaluation.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::measure::{Measured, QueryScores, paired_difference};
use super::retrieval::QueryRanks;

/// Recall at the usual cut-offs.
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

/// Time of one search, from the query to the hits.
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
    /// Mean average precision, over the ranking down to the searched depth.
    pub map: Measured,
    /// Mean reciprocal rank.
    pub mrr: Measured,
    /// Share of the relevant passages that were found.
    pub recall: Recall,
    /// Share of queries with every relevant passage among the first ten.
    #[serde(rename = "all_gold@10")]
    pub all_gold: Measured,
    /// Normalized discounted cumulative gain of the first ten.
    #[serde(rename = "ndcg@10")]
    pub ndcg: Measured,
    /// Time of one search.
    pub latency_ms: Latency,
    /// Seconds to chunk, embed and store the corpus; absent if it was stored before.
    pub load_s: Option<f64>,
    /// The embedder's name, or `none`.
    pub embedder: String,
    /// The search mode: which halves of the search answered.
    pub mode: String,
    /// The re-ranker's name, or `none`.
    pub rerank: String,
    /// Average precision by query id, by which two runs are compared.
    pub ap: BTreeMap<String, f64>,
    /// The measures by language of query and of document.
    #[serde(default)]
    pub languages: Vec<OfLanguages>,
}

/// The measures of the queries of one language whose relevant passages are in one language.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OfLanguages {
    /// The code of the language that the queries are taken to be in.
    pub query: String,
    /// The code of the language of their passages.
    pub document: String,
    /// The number of these queries.
    pub queries: usize,
    /// As in [`Outcome::map`].
    pub map: Measured,
    /// Among the first result.
    #[serde(rename = "recall@1")]
    pub at1: Measured,
    /// Among the first ten.
    #[serde(rename = "recall@10")]
    pub at10: Measured,
}

impl OfLanguages {
    /// The measures of each pair of query language and document language.
    fn each(scores: &[(String, QueryScores)], ranks: &[QueryRanks]) -> Vec<Self> {
        let mut pairs: BTreeMap<(&str, &str), Vec<&QueryScores>> = BTreeMap::new();
        for ((_, score), query) in scores.iter().zip(ranks) {
            pairs.entry((query.query_language, query.document_language)).or_default().push(score);
        }
        let of_pair = |((query, document), scores): ((&str, &str), Vec<&QueryScores>)| {
            let mean = |pick: fn(&QueryScores) -> f64| {
                Measured::mean(&scores.iter().map(|score| pick(score)).collect::<Vec<_>>())
            };
            OfLanguages {
                query: query.to_owned(),
                document: document.to_owned(),
                queries: scores.len(),
                map: mean(|score| score.ap),
                at1: mean(|score| score.recall[0]),
                at10: mean(|score| score.recall[3]),
            }
        };
        pairs.into_iter().map(of_pair).collect()
    }
}

impl Outcome {
    /// Sums up the scores of all queries, given with their ids, and their ranks in the same order.
    pub fn sum_up(scores: &[(String, QueryScores)], ranks: &[QueryRanks], run: Run) -> Self {
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
            languages: OfLanguages::each(scores, ranks),
        }
    }

    /// The measures as a readable table, in percent with their intervals.
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
        if self.languages.len() > 1 {
            table.push_str("by language of query and of document\n");
            for one in &self.languages {
                table.push_str(&format!(
                    "{} {}  {:>5} queries  MAP {:>5.1}  R@1 {:>5.1}  R@10 {:>5.1}\n",
                    one.query,
                    one.document,
                    one.queries,
                    one.map.value * 100.0,
                    one.at1.value * 100.0,
                    one.at10.value * 100.0
                ));
            }
        }
        table.push_str(&format!("latency  p50 {:.1} ms, p95 {:.1} ms", self.latency_ms.p50, self.latency_ms.p95));
        if let Some(seconds) = self.load_s {
            table.push_str(&format!("; load {seconds:.1} s"));
        }
        table.push('\n');
        table
    }
}

/// A run's properties besides its scores.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queries_are_told_apart_by_their_language_and_that_of_their_passages() {
        let of = |query_language, document_language, ap: f64| {
            let ranks = QueryRanks {
                id: String::new(),
                query: String::new(),
                ranks: BTreeMap::new(),
                top: Vec::new(),
                ap,
                query_language,
                document_language,
            };
            ((String::new(), QueryScores { ap, ..QueryScores::default() }), ranks)
        };
        let (scores, ranks): (Vec<_>, Vec<_>) =
            [of("jpn", "eng", 0.5), of("eng", "eng", 1.0), of("jpn", "eng", 0.0)].into_iter().unzip();
        let found: Vec<_> = OfLanguages::each(&scores, &ranks)
            .into_iter()
            .map(|one| (one.query, one.document, one.queries, one.map.value))
            .collect();
        let pair = |query: &str, document: &str, queries, map| (query.to_owned(), document.to_owned(), queries, map);
        assert_eq!(found, [pair("eng", "eng", 1, 1.0), pair("jpn", "eng", 2, 0.25)]);
    }
}
