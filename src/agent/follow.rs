use minijinja::context;

use super::call::{self, Reply, request};
use super::run::Run;
use super::{AgentError, prompt_text};
use crate::base::text::short_line;
use crate::domain::{Event, StopReason, SubQuery};
use crate::llm::purpose::{ChainStep, FollowInput, Followed, PlannedQuery};
use crate::llm::{ChatRequest, Input};
use crate::prompt::{PromptError, fenced};

/// The most characters of an answer to one question of a chain; a longer one is a report.
const MAX_ANSWER_CHARS: usize = 600;
/// The number of newest answers that a prompt shows; a longer chain has lost its thread anyway.
const MAX_STEPS_SHOWN: usize = 20;

/// The outcome for the question that was searched last.
pub(super) enum Link {
    /// The question is answered. `next` is asked now; it is `None` if the whole question can be answered.
    Answered {
        step: ChainStep,
        next: Option<PlannedQuery>,
    },
    Stop(StopReason),
}

/// Asks the model to answer the question with the index `asked` from what its search found, and to name the next one.
pub(super) async fn follow(run: &mut Run<'_>, steps: &[ChainStep], asked: usize) -> Result<Link, AgentError> {
    let followed =
        match call::structured::<Followed>(run, |run, tokens| follow_request(run, tokens, steps, asked)).await? {
            Reply::Done(followed) => followed,
            Reply::Stop(reason) => return Ok(Link::Stop(reason)),
            Reply::Failed(error) => {
                run.warn(format!("the evidence could not be judged, so the report uses what was found: {error}"));
                return Ok(Link::Stop(StopReason::ModelFailed));
            }
        };
    let evidence = run.evidence.mark_helpful(followed.helpful);
    let answer = short_line(&followed.answer, MAX_ANSWER_CHARS);
    let step = ChainStep { question: asked_text(run, asked), answer, evidence };
    let next = Some(followed.next).filter(|next| !followed.done && !next.query.trim().is_empty());
    run.emit(&Event::Followed {
        step: steps.len() + 1,
        question: step.question.clone(),
        answer: step.answer.clone(),
        next: next.clone().map(SubQuery::from),
    });
    run.history.reason = step.answer.clone();
    Ok(Link::Answered { step, next })
}

fn asked_text(run: &Run<'_>, index: usize) -> String {
    run.history.asked.all().get(index).map_or_else(|| run.question.text.to_owned(), |query| query.text.clone())
}

pub(super) fn follow_request(
    run: &Run<'_>,
    evidence_tokens: u64,
    steps: &[ChainStep],
    asked: usize,
) -> Result<ChatRequest, PromptError> {
    let input = FollowInput {
        question: run.question.for_prompt(),
        language: run.question.language.english_name().to_owned(),
        steps: steps.get(steps.len().saturating_sub(MAX_STEPS_SHOWN)..).unwrap_or_default().to_vec(),
        asked: asked_text(run, asked),
        evidence: run.evidence.ledger.cards_of(asked, evidence_tokens),
        collections: run.overview.cards_without_samples(evidence_tokens),
        left: run.spending.budget.max_rounds().map(|most| most.saturating_sub(run.history.rounds.len())),
        known: run.evidence.known.clone(),
        today: run.today().to_string(),
    };
    let variables = context! {
        question => input.question.as_str(),
        language => input.language.as_str(),
        today => input.today.as_str(),
        steps => fenced("answers", &prompt_text::chain(&input.steps)),
        asked => input.asked.as_str(),
        evidence => prompt_text::evidence(&input.evidence),
        collections => prompt_text::collections(&input.collections),
        single => input.collections.len() == 1,
        web => run.scope.has_web,
        last => input.left == Some(0),
        known => prompt_text::known(&input.known),
    };
    request(&run.engine.prompts, variables, Input::Follow(input))
}
