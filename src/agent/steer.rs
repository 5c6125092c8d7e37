//! Before a run searches, somebody may say what is searched: first for the plan, then between two rounds. It is journaled,
//! so that a run that goes on or is replayed asks nobody again.

use std::fmt;
use std::sync::Arc;

use futures::future::BoxFuture;

use super::AgentError;
use super::journal::{key_of, stored};
use super::plan::plan_again;
use super::queries::Next;
use super::run::Run;
use crate::domain::{SubQuery, Usage};
use crate::llm::purpose::PlannedQuery;

/// What somebody is shown.
#[derive(Clone, Debug, PartialEq)]
pub struct Offer {
    /// What would be searched next.
    pub next: Vec<SubQuery>,
    /// How it was planned, before anything was searched for it; `None` between two rounds.
    pub plan: Option<PlanMade>,
}

/// How a plan came about.
#[derive(Clone, Debug, PartialEq)]
pub struct PlanMade {
    /// The model's reason.
    pub reason: String,
    /// What the run has cost until now.
    pub usage: Usage,
    /// How long it took.
    pub seconds: f64,
}

/// What somebody wants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// These searches; none ends the research with what was found.
    Search(Vec<SubQuery>),
    /// Another plan, made with these words in mind.
    Again(String),
    /// Not to go on with the run now. It is kept as it is.
    Nothing,
}

/// Somebody who is shown what would be searched next, and says what they want; `None` where they leave it at that.
#[derive(Clone)]
pub struct Steering(Arc<Decide>);

type Decide = dyn Fn(Offer) -> Decided + Send + Sync;
type Decided = BoxFuture<'static, Option<Wanted>>;

impl Steering {
    /// Decides by this.
    pub fn by(decide: impl Fn(Offer) -> Decided + Send + Sync + 'static) -> Self {
        Steering(Arc::new(decide))
    }
}

impl fmt::Debug for Steering {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Steering")
    }
}

/// What is searched next: `next`, unless somebody decides otherwise.
pub(super) async fn steer(run: &mut Run<'_>, mut next: Vec<PlannedQuery>) -> Result<Next, AgentError> {
    loop {
        match wanted(run, &next).await {
            None => return Ok(Next::Search(next)),
            Some(Wanted::Nothing) => return Err(AgentError::Withdrawn),
            Some(Wanted::Search(queries)) => {
                // Whoever asks for more than a model may ask for gets it.
                run.history.wanted = queries.len();
                return Ok(Next::Search(queries.into_iter().map(PlannedQuery::from).collect()));
            }
            Some(Wanted::Again(words)) => match plan_again(run, words, next).await? {
                Next::Search(queries) => next = queries,
                stop @ Next::Stop(_) => return Ok(stop),
            },
        }
    }
}

/// What somebody wants, or wanted where a journal has it. The time that they take is not the run's.
async fn wanted(run: &Run<'_>, next: &[PlannedQuery]) -> Option<Wanted> {
    let key = key_of("steer", &(run.history.rounds.len(), next));
    if let Some(wanted) = run.journal.recorded(&key, stored::to_wanted) {
        return Some(wanted);
    }
    // What a journal answers takes no time, in which nobody could have decided otherwise.
    let Steering(decide) = run.engine.steering.as_ref().filter(|_| run.journal.is_live())?;
    let before = run.journal.stopwatch().running();
    let plan = run.history.rounds.is_empty().then(|| PlanMade {
        reason: run.history.reason.clone(),
        usage: run.spending.budget.spent(),
        seconds: run.spending.budget.elapsed().as_secs_f64(),
    });
    let shown = next.iter().cloned().map(SubQuery::from);
    let wanted = decide(Offer { next: shown.collect(), plan }).await?;
    run.journal.stopwatch().go_on(before);
    if let Some(recorded) = stored::wanted(&wanted) {
        run.journal.record(&key, Some(recorded)).await;
    }
    Some(wanted)
}
