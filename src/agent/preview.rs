//! What a run would do and cost: the decisions before the first search are made, and the rest is estimated from them.

use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::act::act_request;
use super::budget::{Budget, REPLY_TOKENS_OUT, REPORT_TOKENS_OUT};
use super::conversation::Conversation;
use super::follow::follow_request;
use super::journal::Journal;
use super::limits::Limit;
use super::plan::plan;
use super::prompt_text::passage_tokens;
use super::queries::Next;
use super::reflect::reflect_request;
use super::run::Run;
use super::write::write_request;
use super::{AgentError, Engine, probe, sections, strategy};
use crate::domain::{Estimate, EventSink, Preview, StopReason, Strategy, SubQuery, Usage};
use crate::llm::Purpose;
use crate::prompt::PromptError;

/// The number of tokens in a short reply to a reflection.
const SHORT_REPLY: u64 = 100;
/// The number of tokens in a short report.
const SHORT_REPORT: u64 = 500;
/// A limit of more rounds counts as none.
const MANY_ROUNDS: usize = 1_000;

/// Chooses the strategy and makes the plan of a run, with the calls that this takes, and estimates the cost of the run.
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
    probe::probe(&mut run).await?;
    probe::admit(&mut run);
    strategy::settle(&mut run).await?;
    let sub_queries = match run.strategy {
        Strategy::Deep | Strategy::Auto => match plan(&mut run).await? {
            Next::Search(planned) => {
                run.history.asked.unsearched(planned, &run.scope.names(), engine.options.max_sub_queries)
            }
            Next::Stop(StopReason::Interrupted) => return Err(AgentError::Interrupted),
            Next::Stop(_) => Vec::new(),
        },
        Strategy::React | Strategy::Chain | Strategy::Naive => {
            vec![SubQuery { text: run.question.text.to_owned(), collections: Vec::new() }]
        }
    };
    // A strategy that searches once makes no call for a round.
    let rounds = if run.strategy == Strategy::Naive { Some(0) } else { run.spending.budget.limits().max_rounds };
    let least = forecast(&run, rounds.unwrap_or(1).min(1), &sub_queries, false)?;
    let most = forecast(&run, rounds.unwrap_or(MANY_ROUNDS).min(MANY_ROUNDS), &sub_queries, true)?;
    let endless =
        run.engine.model.reasons() && rounds.is_none_or(|rounds| rounds > MANY_ROUNDS) && most.reached.is_none();
    let web = run.scope.has_web;
    Ok(Preview {
        question: run.question.text.to_owned(),
        strategy: run.strategy,
        reason: if run.history.reason.is_empty() { run.history.chosen } else { run.history.reason },
        sub_queries,
        least: least.estimate,
        most: (!endless).then_some(most.estimate),
        may_reach: most.reached.map(Limit::name),
        usage: run.spending.budget.spent(),
        seconds: run.spending.budget.elapsed().as_secs_f64(),
        web,
        warnings: run.events.warnings,
    })
}

/// The estimated cost of a run, and the limit that would end it.
struct Forecast {
    estimate: Estimate,
    reached: Option<Limit>,
}

/// Simulates a run with this many rounds after the plan. If `long`, every search finds as many new passages as it may
/// and every reply is long; otherwise the searches find what the question itself found, and replies are short.
fn forecast(run: &Run<'_>, rounds: usize, first: &[SubQuery], long: bool) -> Result<Forecast, PromptError> {
    let (options, budget) = (&run.engine.options, &run.spending.budget);
    // Quoting costs nothing.
    if !run.engine.model.reasons() {
        return Ok(Forecast { estimate: Estimate::default(), reached: None });
    }
    let found = run.evidence.ledger.cards(u64::MAX);
    let found_tokens: u64 = found.iter().map(passage_tokens).sum();
    let each = found_tokens.div_ceil(found.len().max(1) as u64);
    let evidence_after = |rounds: usize| {
        let searches = first.len() + rounds.saturating_sub(1) * options.max_sub_queries;
        let new = if long { (searches * options.hits_per_query) as u64 * each } else { 0 };
        (found_tokens + new).min(run.spending.evidence_tokens)
    };
    let shown = found_tokens.min(run.spending.evidence_tokens);
    // The tokens of a round's prompt; for `react` and `chain` without its evidence, which is added below.
    let (purpose, reflect) = match run.strategy {
        Strategy::React => {
            let request = act_request(run, run.spending.evidence_tokens, &Conversation::default())?;
            (Purpose::Act, request.estimated_tokens())
        }
        Strategy::Chain => {
            let request = follow_request(run, run.spending.evidence_tokens, &[], 0)?;
            (Purpose::Follow, request.estimated_tokens().saturating_sub(shown))
        }
        Strategy::Deep | Strategy::Auto | Strategy::Naive => {
            let request = reflect_request(run, run.spending.evidence_tokens)?;
            (Purpose::Reflect, request.estimated_tokens())
        }
    };
    // A reflection is shown what each later round adds, and begins anew before that fills its prompt.
    let grows = |rounds: usize| match run.strategy {
        Strategy::React | Strategy::Chain => evidence_after(rounds),
        _ if long => (run.spending.evidence_tokens / 16 * (rounds - 1) as u64).min(run.spending.evidence_tokens / 4),
        _ => 0,
    };
    let write = write_request(run, StopReason::Enough)?.0.estimated_tokens().saturating_sub(shown);
    let (reply, report) = if long { (REPLY_TOKENS_OUT, REPORT_TOKENS_OUT) } else { (SHORT_REPLY, SHORT_REPORT) };

    let mut ahead = Usage::free(0);
    let (mut reached, mut searched) = (None, rounds.min(1));
    for round in 1..=rounds {
        let prompt = reflect + grows(round);
        let time = budget.time_left().zip(seconds(run, ahead.completion_tokens + reply));
        let late = time.is_some_and(|(left, takes)| takes > left);
        let allowed = budget.allows_call(purpose, prompt, ahead);
        reached = allowed.err().or_else(|| late.then_some(Limit::Time));
        if reached.is_some() {
            break;
        }
        searched = round;
        ahead += cost(budget, purpose, prompt, reply);
    }
    let sections = sections::count(run);
    if sections > 0 {
        let prompt = write + run.spending.evidence_tokens / 4;
        ahead += cost(budget, Purpose::Outline, prompt, reply);
        for _ in 0..sections {
            ahead += report_cost(budget, prompt, SHORT_REPORT, ahead);
        }
    }
    ahead += report_cost(budget, write + evidence_after(searched), report, ahead);
    let mut total = budget.spent();
    total += ahead;
    let estimate = Estimate {
        calls: total.calls,
        prompt_tokens: total.prompt_tokens,
        completion_tokens: total.completion_tokens,
        usd: total.usd,
        seconds: seconds(run, total.completion_tokens).map(|time| time.as_secs_f64()),
    };
    Ok(Forecast { estimate, reached })
}

fn cost(budget: &Budget, purpose: Purpose, prompt_tokens: u64, completion_tokens: u64) -> Usage {
    let usd = budget.usd(purpose, prompt_tokens, completion_tokens);
    Usage { calls: 1, prompt_tokens, completion_tokens, usd, estimated: true, ..Usage::default() }
}

/// The cost of the report, within what the limits leave for it.
fn report_cost(budget: &Budget, prompt_tokens: u64, completion_tokens: u64, ahead: Usage) -> Usage {
    let (limits, mut spent) = (budget.limits(), budget.spent());
    spent += ahead;
    if limits.max_calls.is_some_and(|most| spent.calls >= most) {
        return Usage::free(0);
    }
    let left = limits
        .max_tokens
        .map_or(u64::MAX, |most| most.saturating_sub(spent.prompt_tokens).saturating_sub(spent.completion_tokens));
    let completion_tokens = completion_tokens.min(left / 2);
    cost(budget, Purpose::Write, prompt_tokens.min(left - completion_tokens), completion_tokens)
}

/// The time of replies with this many tokens, at the pace of the plan. A model's time depends on what it writes; a
/// model that only quotes has no such pace.
fn seconds(run: &Run<'_>, completion_tokens: u64) -> Option<Duration> {
    let (took, written) = (run.spending.budget.slowest(), run.spending.budget.spent().completion_tokens);
    let known = run.engine.model.reasons() && written > 0 && !took.is_zero();
    known.then(|| took.mul_f64(completion_tokens as f64 / written as f64))
}
