//! Between two rounds somebody may say what is searched next. It is journaled, so that a run that goes on or is replayed
//! asks nobody again.

use std::fmt;
use std::sync::Arc;

use futures::future::BoxFuture;

use super::journal::{key_of, stored};
use super::run::Run;
use crate::domain::SubQuery;
use crate::llm::purpose::PlannedQuery;

/// Somebody who is shown what would be searched next, and gives what is to be searched; `None` where they leave it at
/// that. No search at all ends the research with what was found.
#[derive(Clone)]
pub struct Steering(Arc<Decide>);

type Decide = dyn Fn(Vec<SubQuery>) -> Decided + Send + Sync;
type Decided = BoxFuture<'static, Option<Vec<SubQuery>>>;

impl Steering {
    /// Decides by this.
    pub fn by(decide: impl Fn(Vec<SubQuery>) -> Decided + Send + Sync + 'static) -> Self {
        Steering(Arc::new(decide))
    }
}

impl fmt::Debug for Steering {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Steering")
    }
}

/// What is searched next: `next`, unless somebody decides otherwise. The time that they take is not the run's.
pub(super) async fn steer(run: &Run<'_>, next: Vec<PlannedQuery>) -> Vec<PlannedQuery> {
    let key = key_of("steer", &(run.history.rounds.len(), &next));
    if let Some(steered) = run.journal.recorded(&key, stored::to_steered) {
        return planned(steered);
    }
    // What a journal answers takes no time, in which nobody could have decided otherwise.
    let Some(Steering(decide)) = run.engine.steering.as_ref().filter(|_| run.journal.is_live()) else { return next };
    let before = run.journal.stopwatch().running();
    let shown = next.iter().map(|one| SubQuery { text: one.query.clone(), collections: one.collections.clone() });
    let Some(steered) = decide(shown.collect()).await else { return next };
    run.journal.stopwatch().go_on(before);
    run.journal.record(&key, Some(stored::steered(&steered))).await;
    planned(steered)
}

fn planned(queries: Vec<SubQuery>) -> Vec<PlannedQuery> {
    queries.into_iter().map(|SubQuery { text, collections }| PlannedQuery { query: text, collections }).collect()
}
