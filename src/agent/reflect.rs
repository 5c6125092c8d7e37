use minijinja::context;

use super::queries::{self, shortened_reason};
use super::run::{Next, Reply, Run, request};
use super::{AgentError, material};
use crate::domain::{Event, StopReason, SubQuery};
use crate::llm::purpose::{ReflectInput, Reflection};
use crate::llm::{ChatRequest, Input};
use crate::prompt::{PromptError, PromptName};

impl Run<'_> {
    /// Asks the model whether the evidence is enough, and what to search else.
    pub async fn reflect(&mut self) -> Result<Next, AgentError> {
        let reflection = match self.call::<Reflection>(reflect_request).await? {
            Reply::Done(reflection) => reflection,
            Reply::Stop(reason) => return Ok(Next::Stop(reason)),
            Reply::Failed(error) => {
                self.warn(format!("the evidence could not be judged, so the report uses what was found: {error}"));
                return Ok(Next::Stop(StopReason::ModelFailed));
            }
        };
        self.take_helpful(reflection.helpful);
        let queries = if reflection.enough { Vec::new() } else { reflection.sub_queries };
        let next = queries.iter().take(self.engine.options.max_sub_queries).map(|planned| SubQuery {
            text: queries::shortened(&planned.query),
            collections: planned.collections.clone(),
        });
        self.reason = shortened_reason(&reflection.reason);
        self.emit(&Event::Reflected {
            round: self.rounds.len(),
            enough: reflection.enough,
            reason: self.reason.clone(),
            next: next.collect(),
        });
        Ok(if queries.is_empty() {
            Next::Stop(StopReason::Enough)
        } else if self.budget.allows_round(self.rounds.len()) {
            Next::Search(queries)
        } else {
            self.skipped = self.asked.unsearched(queries, &self.names(), self.engine.options.max_sub_queries);
            Next::Stop(StopReason::RoundLimit)
        })
    }
}

pub(super) fn reflect_request(run: &Run<'_>, evidence_tokens: u64) -> Result<ChatRequest, PromptError> {
    let options = &run.engine.options;
    let input = ReflectInput {
        question: run.question.to_owned(),
        language: run.language.english_name().to_owned(),
        asked: run.asked.all().to_vec(),
        evidence: run.ledger.cards(evidence_tokens, options.working_dir.as_deref()),
        // The evidence shows better than samples what can be found.
        collections: run.cards_without_samples(evidence_tokens),
        round: run.rounds.len(),
        max_sub_queries: options.max_sub_queries,
        today: run.today(),
    };
    let variables = context! {
        question => input.question.as_str(),
        language => input.language.as_str(),
        today => input.today.as_str(),
        round => input.round,
        max_sub_queries => input.max_sub_queries,
        asked => material::asked(&input.asked),
        evidence => material::evidence(&input.evidence),
        collections => material::collections(&input.collections),
        single => input.collections.len() == 1,
        web => run.has_web(),
    };
    Ok(request(run.engine.prompts.render(PromptName::Reflect, variables)?, Input::Reflect(input)))
}
