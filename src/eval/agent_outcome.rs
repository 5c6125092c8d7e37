//! The printed outcome of an evaluation of whole questions.

use serde::Serialize;

use super::agent::QuestionResult;
use super::measure::Measured;
use super::report::GoldMeasures;

/// The measures of one run over a set's questions: means over the questions, with intervals.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AgentOutcome {
    /// The set's name.
    pub dataset: String,
    /// The model that planned.
    pub model: String,
    /// Questions that were run.
    pub queries: usize,
    /// Those of them that ended in an error; they count as having found nothing.
    pub failed: usize,
    /// How many passages count as evidence: the first ones that the writer gets.
    pub passages: usize,
    /// Share of the gold passages in the evidence.
    pub recall: Measured,
    /// Share of the questions with every gold passage in the evidence.
    pub all_gold: Measured,
    /// Share of the questions whose report has a gold answer before its sources. This and the next four are absent if
    /// the set has no gold answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer_contained: Option<Measured>,
    /// Share of the questions whose first sentence has a gold answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer_first: Option<Measured>,
    /// Share of the questions whose first paragraph has a gold answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer_opening: Option<Measured>,
    /// Share of the questions whose first words in bold are a gold answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer_exact: Option<Measured>,
    /// F1 of the first words in bold against a gold answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer_f1: Option<Measured>,
    /// Share of the questions whose report says that the documents do not answer.
    pub not_found: Measured,
    /// Share of the cited statements that occur in the printed quote of their source; absent if nothing is cited.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quoted: Option<Measured>,
    /// Words of the report before its sources.
    pub words: Measured,
    /// Chunks in the evidence.
    pub evidence_chunks: Measured,
    /// Share of the gold passages in the whole ledger.
    pub recall_ledger: Measured,
    /// Chunks in the whole ledger.
    pub ledger_chunks: Measured,
    /// Share of the gold passages among those that the planned searches found. A passage found only by the first
    /// search, for the question itself, does not count.
    pub recall_planned: Measured,
    /// New chunks per planned search.
    pub new_chunks_per_search: Measured,
    /// Planned searches.
    pub searches: Measured,
    /// Model calls.
    pub calls: Measured,
    /// Tokens in.
    pub prompt_tokens: Measured,
    /// Tokens out.
    pub completion_tokens: Measured,
    /// Tokens of all passages that the searches retrieved, each passage counted once.
    pub retrieved_tokens: Measured,
    /// Seconds from the question to the end of the report.
    pub wall_s: Measured,
}

impl AgentOutcome {
    /// Sums up the results of a set's questions.
    pub fn sum_up(dataset: &str, model: &str, passages: usize, results: &[QuestionResult]) -> Self {
        let mean =
            |pick: &dyn Fn(&QuestionResult) -> f64| Measured::mean(&results.iter().map(pick).collect::<Vec<_>>());
        let known = |pick: &dyn Fn(&QuestionResult) -> Option<f64>| {
            let values: Vec<f64> = results.iter().filter_map(pick).collect();
            (!values.is_empty()).then(|| Measured::mean(&values))
        };
        let gold = |pick: fn(&GoldMeasures) -> f64| known(&|one| one.report.gold.as_ref().map(pick));
        let per_search =
            |one: &QuestionResult| one.new_chunks.iter().sum::<usize>() as f64 / one.searches.len().max(1) as f64;
        AgentOutcome {
            dataset: dataset.to_owned(),
            model: model.to_owned(),
            queries: results.len(),
            failed: results.iter().filter(|one| one.error.is_some()).count(),
            passages,
            recall: mean(&|one| one.recall),
            all_gold: mean(&|one| one.all_gold),
            answer_contained: gold(|gold| gold.anywhere),
            answer_first: gold(|gold| gold.first_sentence),
            answer_opening: gold(|gold| gold.opening),
            answer_exact: gold(|gold| gold.exact),
            answer_f1: gold(|gold| gold.f1),
            not_found: mean(&|one| one.report.not_found),
            quoted: known(&|one| one.report.quoted),
            words: mean(&|one| one.report.words),
            evidence_chunks: mean(&|one| one.evidence_chunks as f64),
            recall_ledger: mean(&|one| one.recall_ledger),
            ledger_chunks: mean(&|one| one.ledger_chunks as f64),
            recall_planned: mean(&|one| one.recall_planned),
            new_chunks_per_search: mean(&per_search),
            searches: mean(&|one| one.searches.len() as f64),
            calls: mean(&|one| one.usage.calls as f64),
            prompt_tokens: mean(&|one| one.usage.prompt_tokens as f64),
            completion_tokens: mean(&|one| one.usage.completion_tokens as f64),
            retrieved_tokens: mean(&|one| one.retrieved_tokens as f64),
            wall_s: mean(&|one| one.wall_s),
        }
    }

    /// The measures as a readable table, shares in percent, with their intervals.
    pub fn table(&self) -> String {
        let mut table = format!(
            "{}: {} questions, model {}, the first {} passages count as evidence\n",
            self.dataset, self.queries, self.model, self.passages
        );
        if self.failed > 0 {
            table.push_str(&format!("{} questions ended in an error and count as nothing found\n", self.failed));
        }
        let shares = [
            ("recall", Some(&self.recall)),
            ("all gold", Some(&self.all_gold)),
            ("answer contained", self.answer_contained.as_ref()),
            ("answer in first", self.answer_first.as_ref()),
            ("answer in opening", self.answer_opening.as_ref()),
            ("answer exact", self.answer_exact.as_ref()),
            ("answer F1", self.answer_f1.as_ref()),
            ("not found", Some(&self.not_found)),
            ("held by its quote", self.quoted.as_ref()),
            ("recall of the ledger", Some(&self.recall_ledger)),
            ("recall of the planned", Some(&self.recall_planned)),
        ];
        for (name, measured) in shares.into_iter().filter_map(|(name, measured)| Some((name, measured?))) {
            table.push_str(&row(name, measured, 100.0, 1));
        }
        let counts = [
            ("words", &self.words, 0),
            ("evidence chunks", &self.evidence_chunks, 1),
            ("ledger chunks", &self.ledger_chunks, 1),
            ("searches", &self.searches, 1),
            ("new chunks a search", &self.new_chunks_per_search, 1),
            ("calls", &self.calls, 1),
            ("prompt tokens", &self.prompt_tokens, 0),
            ("completion tokens", &self.completion_tokens, 0),
            ("retrieved tokens", &self.retrieved_tokens, 0),
            ("seconds", &self.wall_s, 2),
        ];
        for (name, measured, decimals) in counts {
            table.push_str(&row(name, measured, 1.0, decimals));
        }
        table
    }
}

fn row(name: &str, measured: &Measured, scale: f64, decimals: usize) -> String {
    let shown = |value: f64| format!("{:.decimals$}", value * scale);
    format!("{name:<22} {:>8}  [{}, {}]\n", shown(measured.value), shown(measured.low), shown(measured.high))
}
