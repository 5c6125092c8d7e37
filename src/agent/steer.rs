//! Before a run searches, somebody may decide what is searched: first on the plan, then between two rounds. Decisions
//! are journaled, so that nobody is asked again when the run is resumed or replayed.

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

/// What somebody is shown before a decision.
#[derive(Clone, Debug, PartialEq)]
pub struct PlanPreview {
    /// The searches that would come next.
    pub next: Vec<SubQuery>,
    /// How the searches were planned, before anything was searched for them; `None` between two rounds.
    pub plan: Option<PlanMade>,
}

/// How a plan came about.
#[derive(Clone, Debug, PartialEq)]
pub struct PlanMade {
    /// The model's reason.
    pub reason: String,
    /// The cost of the run so far.
    pub usage: Usage,
    /// The time of the run so far, in seconds.
    pub seconds: f64,
}

/// What somebody decides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SteeringDecision {
    /// To make these searches; an empty list ends the research with what was found.
    Search(Vec<SubQuery>),
    /// To have another plan made, in view of these words.
    Again(String),
    /// Not to go on with the run now. The run is kept as it is.
    Nothing,
}

/// Shows somebody what would be searched next and returns their decision; `None` if they change nothing.
#[derive(Clone)]
pub struct Steering(Arc<Decide>);

type Decide = dyn Fn(PlanPreview) -> Decided + Send + Sync;
type Decided = BoxFuture<'static, Option<SteeringDecision>>;

impl Steering {
    /// Steering that decides by this function.
    pub fn by(decide: impl Fn(PlanPreview) -> Decided + Send + Sync + 'static) -> Self {
        Steering(Arc::new(decide))
    }
}

impl fmt::Debug for Steering {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Steering")
    }
}

/// Returns the next searches: `next`, unless somebody decides otherwise.
pub(super) async fn steer(run: &mut Run<'_>, mut next: Vec<PlannedQuery>) -> Result<Next, AgentError> {
    loop {
        match wanted(run, &next).await {
            None => return Ok(Next::Search(next)),
            Some(SteeringDecision::Nothing) => return Err(AgentError::Withdrawn),
            Some(SteeringDecision::Search(queries)) => {
                // A person may ask for more searches than a model may.
                run.history.wanted = queries.len();
                return Ok(Next::Search(queries.into_iter().map(PlannedQuery::from).collect()));
            }
            Some(SteeringDecision::Again(words)) => match plan_again(run, words, next).await? {
                Next::Search(queries) => next = queries,
                stop @ Next::Stop(_) => return Ok(stop),
            },
        }
    }
}

/// Returns somebody's decision, from the journal if it has one. The time that they take does not count as the run's.
async fn wanted(run: &Run<'_>, next: &[PlannedQuery]) -> Option<SteeringDecision> {
    let key = key_of("steer", &(run.history.rounds.len(), next));
    if let Some(wanted) = run.journal.recorded(&key, stored::to_wanted) {
        return Some(wanted);
    }
    // Answers from a journal take no time, so nobody can decide otherwise meanwhile.
    let Steering(decide) = run.engine.steering.as_ref().filter(|_| run.journal.is_live())?;
    let before = run.journal.stopwatch().running();
    let plan = run.history.rounds.is_empty().then(|| PlanMade {
        reason: run.history.reason.clone(),
        usage: run.spending.budget.spent(),
        seconds: run.spending.budget.elapsed().as_secs_f64(),
    });
    let shown = next.iter().cloned().map(SubQuery::from);
    let wanted = decide(PlanPreview { next: shown.collect(), plan }).await?;
    run.journal.stopwatch().go_on(before);
    if let Some(recorded) = stored::wanted(&wanted) {
        run.journal.record(&key, Some(recorded)).await;
    }
    Some(wanted)
}
