//! Runs whole questions through the real loop and measures how many gold passages a run finds, and at what cost.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Instant;

use futures::StreamExt;
use serde::{Deserialize, Serialize};
use tokio_util::sync::CancellationToken;
use unicode_segmentation::UnicodeSegmentation;

use super::dataset::{Dataset, Query};
use super::report::{self, AnswerMeasures};
use crate::agent::{AgentError, Engine, research};
use crate::domain::{FoundPassage, NullSink, Report, Usage};

/// How the questions of a set are run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AgentRun {
    /// The most questions that run at once.
    pub jobs: usize,
    /// How many passages count as evidence: the first ones that the writer gets.
    pub passages: usize,
}

/// The result of one question. Written as one line of JSON, and read back when an evaluation is resumed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct QuestionResult {
    /// The query's id.
    pub id: String,
    /// The query's words.
    pub question: String,
    /// The model that planned.
    pub model: String,
    /// The configured strategy.
    #[serde(default)]
    pub strategy: String,
    /// As in [`AgentRun::passages`].
    pub passages: usize,
    /// Share of the gold passages in the evidence.
    pub recall: f64,
    /// Share of the gold passages in the whole ledger.
    pub recall_ledger: f64,
    /// Share of the gold passages among those that the planned searches found. A passage found only by the first
    /// search, for the question itself, does not count.
    pub recall_planned: f64,
    /// 1 when every gold passage is in the evidence.
    pub all_gold: f64,
    /// Measures of the report's text.
    #[serde(default)]
    pub report: AnswerMeasures,
    /// Chunks in the evidence.
    pub evidence_chunks: usize,
    /// Chunks in the whole ledger.
    pub ledger_chunks: usize,
    /// New chunks of each round: those that no earlier round found.
    pub new_chunks: Vec<usize>,
    /// What the model calls cost.
    pub usage: Usage,
    /// Tokens retrieved by searching: each new passage in full, or everything that the model's own tools returned to
    /// it.
    pub retrieved_tokens: u64,
    /// Seconds from the question to the end of the report.
    pub wall_s: f64,
    /// All searches of the plan and after it, in order.
    pub searches: Vec<String>,
    /// The evidence: the passages' ids, best first.
    pub evidence: Vec<String>,
    /// Gold passages missing from the evidence, and whether the ledger has them.
    pub missed: BTreeMap<String, bool>,
    /// Why there is no report. Such a question counts as having found nothing, and runs again when an evaluation is
    /// resumed.
    pub error: Option<String>,
}

/// Runs the queries of `set` that `done` lacks, several at once, and passes each result to `finished` as it comes.
/// Returns all results in the set's order, including those of `done`. Ends early, with the finished results, once
/// `interrupt` is cancelled. A refused key ends it with an error, since no other question would fare better.
pub async fn measure_agent(
    engine: &Engine,
    collection: &str,
    set: &Dataset,
    run: AgentRun,
    done: Vec<QuestionResult>,
    interrupt: &CancellationToken,
    mut finished: impl FnMut(&QuestionResult),
) -> Result<Vec<QuestionResult>, AgentError> {
    let mut results: BTreeMap<String, QuestionResult> =
        done.into_iter().filter(|one| one.error.is_none()).map(|one| (one.id.clone(), one)).collect();
    let open: Vec<&Query> = set.queries.iter().filter(|query| !results.contains_key(&query.id)).collect();
    let asked = futures::stream::iter(open)
        .take_while(|_| std::future::ready(!interrupt.is_cancelled()))
        .map(|query| ask(engine, collection, query, run, interrupt));
    let mut answers = std::pin::pin!(asked.buffer_unordered(run.jobs.max(1)));
    while let Some(answer) = answers.next().await {
        // An interrupted question is not a measurement.
        if interrupt.is_cancelled() {
            break;
        }
        let result = answer?;
        finished(&result);
        results.insert(result.id.clone(), result);
    }
    Ok(set.queries.iter().filter_map(|query| results.remove(&query.id)).collect())
}

async fn ask(
    engine: &Engine,
    collection: &str,
    query: &Query,
    run: AgentRun,
    interrupt: &CancellationToken,
) -> Result<QuestionResult, AgentError> {
    let start = Instant::now();
    let names = [collection.to_owned()];
    let outcome = research(engine, &query.text, &names, Arc::new(NullSink), interrupt.clone()).await;
    let base = QuestionResult {
        id: query.id.clone(),
        question: query.text.clone(),
        model: engine.model.name(crate::llm::Purpose::Plan).to_owned(),
        strategy: engine.options.strategy.name().to_owned(),
        passages: run.passages,
        wall_s: start.elapsed().as_secs_f64(),
        ..QuestionResult::default()
    };
    match outcome {
        Ok(report) => Ok(score_report(base, query, &report, run.passages)),
        Err(AgentError::Llm(error)) if error.is_setup_error() => Err(error.into()),
        Err(error) => {
            let missed = query.relevant().map(|id| (id.clone(), false)).collect();
            Ok(QuestionResult { missed, error: Some(error.to_string()), ..base })
        }
    }
}

fn score_report(base: QuestionResult, query: &Query, report: &Report, passages: usize) -> QuestionResult {
    let ids = |found: &mut dyn Iterator<Item = &FoundPassage>| -> BTreeSet<String> {
        found.map(|passage| passage.path.clone()).collect()
    };
    let evidence = ids(&mut report.found.iter().take(passages));
    let ledger = ids(&mut report.found.iter());
    let planned = ids(&mut report.found.iter().filter(|passage| passage.planned));
    let gold = query.relevant().count().max(1) as f64;
    let share = |of: &BTreeSet<String>| query.relevant().filter(|id| of.contains(*id)).count() as f64 / gold;
    let recall = share(&evidence);
    QuestionResult {
        recall,
        recall_ledger: share(&ledger),
        recall_planned: share(&planned),
        all_gold: if query.relevant().all(|id| evidence.contains(id)) { 1.0 } else { 0.0 },
        report: report::measure(query, report),
        evidence_chunks: report.found.len().min(passages),
        ledger_chunks: report.found.len(),
        new_chunks: report.rounds.iter().map(|round| round.new).collect(),
        usage: report.usage,
        retrieved_tokens: report.retrieved_tokens,
        searches: report
            .rounds
            .iter()
            .flat_map(|round| &round.sub_queries)
            .map(|search| search.query.text.clone())
            .collect(),
        evidence: report.found.iter().take(passages).map(|passage| passage.path.clone()).collect(),
        missed: query
            .relevant()
            .filter(|id| !evidence.contains(*id))
            .map(|id| (id.clone(), ledger.contains(id)))
            .collect(),
        ..base
    }
}

/// Whether `words` occur in `text` one after another; false if `words` is empty.
pub(super) fn holds(text: &[String], words: &[String]) -> bool {
    !words.is_empty() && text.windows(words.len()).any(|window| window == words)
}

/// Lower-case words without articles.
pub(super) fn plain_words(text: &str) -> Vec<String> {
    text.unicode_words().map(str::to_lowercase).filter(|word| !["a", "an", "the"].contains(&word.as_str())).collect()
}
