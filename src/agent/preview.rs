//! What a run would do and cost: what its strategy decides before the first search is decided, and from that the rest is
//! estimated.

use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::act::act_request;
use super::budget::{REPLY_TOKENS_OUT, REPORT_TOKENS_OUT};
use super::conversation::Conversation;
use super::follow::follow_request;
use super::journal::Journal;
use super::material::passage_tokens;
use super::reflect::reflect_request;
use super::run::{Next, Run};
use super::{AgentError, Engine, strategy};
use crate::domain::{Estimate, EventSink, Preview, StopReason, Strategy, SubQuery, Usage};
use crate::llm::Purpose;
use crate::prompt::PromptError;

/// Tokens that a short reply to a reflection has, and a short report.
const SHORT_REPLY: u64 = 100;
const SHORT_REPORT: u64 = 500;
/// More rounds are no limit.
const MANY_ROUNDS: usize = 1_000;

/// Chooses the strategy and makes the plan of a run, with the calls that this takes, and estimates what the run would cost.
/// Strategies without a plan begin with the question itself.
pub async fn preview(
    engine: &Engine,
    question: &str,
    collections: &[String],
    sink: Arc<dyn EventSink>,
    interrupt: CancellationToken,
) -> Result<Preview, AgentError> {
    let journal = Journal::off(engine.clock);
    let engine = &engine.through(&journal);
    let mut run = Run::start(engine, &journal, question, collections, sink, interrupt).await?;
    run.probe().await?;
    run.admit_probe();
    strategy::settle(&mut run).await?;
    let sub_queries = match run.strategy {
        Strategy::Deep | Strategy::Auto => match run.plan().await? {
            Next::Search(planned) => run.asked.unsearched(planned, &run.names(), engine.options.max_sub_queries),
            Next::Stop(StopReason::Interrupted) => return Err(AgentError::Interrupted),
            Next::Stop(_) => Vec::new(),
        },
        Strategy::React | Strategy::Chain | Strategy::Naive => {
            vec![SubQuery { text: run.question.to_owned(), collections: Vec::new() }]
        }
    };
    // A strategy that searches once has no call for a round.
    let rounds = if run.strategy == Strategy::Naive { Some(0) } else { run.budget.limits().max_rounds };
    let least = run.forecast(rounds.unwrap_or(1).min(1), &sub_queries, false)?;
    let most = run.forecast(rounds.unwrap_or(MANY_ROUNDS).min(MANY_ROUNDS), &sub_queries, true)?;
    let endless = rounds.is_none_or(|rounds| rounds > MANY_ROUNDS) && most.reached.is_none();
    let web = run.has_web();
    Ok(Preview {
        question: run.question.to_owned(),
        strategy: run.strategy,
        reason: if run.reason.is_empty() { run.chosen } else { run.reason },
        sub_queries,
        least: least.estimate,
        most: (!endless).then_some(most.estimate),
        may_reach: most.reached,
        usage: run.budget.spent(),
        seconds: run.budget.elapsed().as_secs_f64(),
        web,
        warnings: run.warnings,
    })
}

/// What a run would cost, and the limit that would end it.
struct Forecast {
    estimate: Estimate,
    reached: Option<&'static str>,
}

impl Run<'_> {
    /// Goes through a run of so many rounds after the plan. `long`: every search brings as many new passages as it may
    /// and every reply is long; else the searches find what the question itself has found, and replies are short.
    fn forecast(&self, rounds: usize, first: &[SubQuery], long: bool) -> Result<Forecast, PromptError> {
        let options = &self.engine.options;
        let found = self.ledger.cards(u64::MAX, options.working_dir.as_deref());
        let found_tokens: u64 = found.iter().map(passage_tokens).sum();
        let each = found_tokens.div_ceil(found.len().max(1) as u64);
        let evidence_after = |rounds: usize| {
            let searches = first.len() + rounds.saturating_sub(1) * options.max_sub_queries;
            let new = if long { (searches * options.hits_per_query) as u64 * each } else { 0 };
            (found_tokens + new).min(self.evidence_tokens)
        };
        let shown = found_tokens.min(self.evidence_tokens);
        // The prompt of a round without its evidence, which for tools comes after it.
        let (purpose, reflect) = match self.strategy {
            Strategy::React => {
                let request = act_request(self, self.evidence_tokens, &Conversation::default())?;
                (Purpose::Act, request.estimated_tokens())
            }
            Strategy::Chain => {
                let request = follow_request(self, self.evidence_tokens, &[], 0)?;
                (Purpose::Follow, request.estimated_tokens().saturating_sub(shown))
            }
            Strategy::Deep | Strategy::Auto | Strategy::Naive => {
                let request = reflect_request(self, self.evidence_tokens)?;
                (Purpose::Reflect, request.estimated_tokens().saturating_sub(shown))
            }
        };
        let write = self.write_request(StopReason::Enough)?.0.estimated_tokens().saturating_sub(shown);
        let (reply, report) = if long { (REPLY_TOKENS_OUT, REPORT_TOKENS_OUT) } else { (SHORT_REPLY, SHORT_REPORT) };

        let mut ahead = Usage::free(0);
        let (mut reached, mut searched) = (None, rounds.min(1));
        for round in 1..=rounds {
            let prompt = reflect + evidence_after(round);
            let time = self.budget.time_left().zip(self.seconds(ahead.completion_tokens + reply));
            let late = time.is_some_and(|(left, takes)| takes > left);
            let allowed = self.budget.allows_call(purpose, prompt, ahead);
            reached = allowed.err().or_else(|| late.then_some("time"));
            if reached.is_some() {
                break;
            }
            searched = round;
            ahead += self.cost(purpose, prompt, reply);
        }
        ahead += self.report_cost(write + evidence_after(searched), report, ahead);
        let mut total = self.budget.spent();
        total += ahead;
        let estimate = Estimate {
            calls: total.calls,
            prompt_tokens: total.prompt_tokens,
            completion_tokens: total.completion_tokens,
            usd: total.usd,
            seconds: self.seconds(total.completion_tokens).map(|time| time.as_secs_f64()),
        };
        Ok(Forecast { estimate, reached })
    }

    fn cost(&self, purpose: Purpose, prompt_tokens: u64, completion_tokens: u64) -> Usage {
        let usd = self.budget.usd(purpose, prompt_tokens, completion_tokens);
        Usage { calls: 1, prompt_tokens, completion_tokens, usd, estimated: true, ..Usage::default() }
    }

    /// What the report costs, with what the limits leave for it.
    fn report_cost(&self, prompt_tokens: u64, completion_tokens: u64, ahead: Usage) -> Usage {
        let (limits, mut spent) = (self.budget.limits(), self.budget.spent());
        spent += ahead;
        if limits.max_calls.is_some_and(|most| spent.calls >= most) {
            return Usage::free(0);
        }
        let left = limits
            .max_tokens
            .map_or(u64::MAX, |most| most.saturating_sub(spent.prompt_tokens).saturating_sub(spent.completion_tokens));
        let completion_tokens = completion_tokens.min(left / 2);
        self.cost(Purpose::Write, prompt_tokens.min(left - completion_tokens), completion_tokens)
    }

    /// How long replies of so many tokens take, at the pace of the plan. What a model takes goes by what it writes; one
    /// that only quotes has no such pace.
    fn seconds(&self, completion_tokens: u64) -> Option<Duration> {
        let (took, written) = (self.budget.slowest(), self.budget.spent().completion_tokens);
        let known = self.engine.model.reasons() && written > 0 && !took.is_zero();
        known.then(|| took.mul_f64(completion_tokens as f64 / written as f64))
    }
}
