use minijinja::context;

use super::call::{self, Reply, request};
use super::queries::{self, Next, shortened_reason};
use super::run::Run;
use super::{AgentError, prompt_text, review};
use crate::domain::{Event, StopReason, SubQuery};
use crate::llm::purpose::{ReflectInput, Reflection};
use crate::llm::{ChatRequest, Input};
use crate::prompt::PromptError;

/// Asks the model whether the evidence is enough, and what else to search.
pub(super) async fn reflect(run: &mut Run<'_>) -> Result<Next, AgentError> {
    let reflection = match call::structured::<Reflection>(run, reflect_request).await? {
        Reply::Done(reflection) => reflection,
        Reply::Stop(reason) => return Ok(Next::Stop(reason)),
        Reply::Failed(error) => {
            run.warn(format!("the evidence could not be judged, so the report uses what was found: {error}"));
            return Ok(Next::Stop(StopReason::ModelFailed));
        }
    };
    run.review = review::with_last_round(run, run.spending.evidence_tokens);
    run.evidence.mark_helpful(reflection.helpful);
    let queries = if reflection.enough { Vec::new() } else { reflection.sub_queries };
    let next = queries
        .iter()
        .take(run.engine.options.max_sub_queries)
        .map(|planned| SubQuery { text: queries::shortened(&planned.query), collections: planned.collections.clone() });
    run.history.reason = shortened_reason(&reflection.reason);
    run.emit(&Event::Reflected {
        round: run.history.rounds.len(),
        enough: reflection.enough,
        reason: run.history.reason.clone(),
        next: next.collect(),
    });
    Ok(if queries.is_empty() {
        Next::Stop(StopReason::Enough)
    } else if run.allows_round() {
        Next::Search(queries)
    } else {
        run.history.skipped =
            run.history.asked.unsearched(queries, &run.scope.names(), run.engine.options.max_sub_queries);
        Next::Stop(StopReason::RoundLimit)
    })
}

pub(super) fn reflect_request(run: &Run<'_>, evidence_tokens: u64) -> Result<ChatRequest, PromptError> {
    let options = &run.engine.options;
    let review = review::with_last_round(run, evidence_tokens);
    let input = ReflectInput {
        question: run.question.for_prompt(),
        language: run.question.language.english_name().to_owned(),
        asked: run.history.asked.all().to_vec(),
        // A model that only quotes has no cache to keep and no tokens to pay for: it weighs all evidence.
        evidence: if run.engine.model.reasons() { review.cards } else { run.evidence.ledger.cards(evidence_tokens) },
        // The evidence shows better than samples what can be found.
        collections: run.overview.cards_without_samples(evidence_tokens),
        round: run.history.rounds.len(),
        max_sub_queries: options.max_sub_queries,
        today: run.today().to_string(),
    };
    let variables = context! {
        question => input.question.as_str(),
        language => input.language.as_str(),
        today => input.today.as_str(),
        round => input.round,
        max_sub_queries => input.max_sub_queries,
        evidence => review.text,
        collections => prompt_text::collections(&input.collections),
        single => input.collections.len() == 1,
        web => run.scope.has_web,
    };
    request(&run.engine.prompts, variables, Input::Reflect(input))
}
