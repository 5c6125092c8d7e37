//! Runs that somebody steers between their rounds.

use futures::FutureExt;

use super::*;
use crate::agent::{PlanPreview, Steering, SteeringDecision};
use crate::domain::SubQuery;

const HINT: &str = "What did the film earn in 2007?";

fn query(text: &str) -> SubQuery {
    SubQuery { text: text.to_owned(), collections: Vec::new() }
}

/// Drops the search for critics, leaves the next round alone, asks for one more search when the model has enough, and
/// then leaves the run alone.
fn steered(shown: &Arc<std::sync::Mutex<Vec<Vec<String>>>>) -> Steering {
    let shown = Arc::clone(shown);
    Steering::by(move |PlanPreview { next, .. }| {
        let mut shown = shown.lock().unwrap();
        shown.push(next.iter().map(|one| one.text.clone()).collect());
        let decided = match shown.len() {
            1 => Some(SteeringDecision::Search(next.into_iter().filter(|one| !one.text.contains("critics")).collect())),
            3 => Some(SteeringDecision::Search(vec![query(HINT)])),
            _ => None,
        };
        async move { decided }.boxed()
    })
}

async fn go(world: &World, run: OpenedRun, model: &Arc<Model>, steering: Steering) -> Report {
    let engine = Engine { limits: run.settings.limits, steering: Some(steering), ..world.engine(model) };
    let RunSettings { question, collections, .. } = &run.settings;
    let heard = Arc::new(EventBuffer::default());
    journaled(&engine, &run.journal, question, collections, heard, CancellationToken::new()).await.unwrap()
}

#[tokio::test]
async fn what_somebody_decides_between_the_rounds_is_decided_once() {
    let world = World::new().await;
    let model = Arc::new(Model::new());
    let shown = Arc::default();
    let run = world.begin(&model, Limits::default());
    let id = run.id.clone();
    let report = go(&world, run, &model, steered(&shown)).await;
    let expected: [&[&str]; 3] =
        [&["When did the show premiere?", "What did critics say?"], &["What did the film earn?"], &[]];
    assert_eq!(*shown.lock().unwrap(), expected);
    let searched: Vec<Vec<&str>> = report
        .rounds
        .iter()
        .map(|round| round.sub_queries.iter().map(|one| one.query.text.as_str()).collect())
        .collect();
    assert_eq!(searched, [["When did the show premiere?"], ["What did the film earn?"], [HINT]]);
    assert_eq!((report.stopped, model.calls()), (StopReason::NoNewEvidence, 4));
    assert_eq!(world.replayed(&id).await, report);

    // Killed before the report: nobody is asked again for the decisions.
    let whole = std::fs::read_to_string(world.runs.path(&id)).unwrap();
    let kept: Vec<&str> =
        whole.split_inclusive('\n').take_while(|line| !line.contains(r#""purpose":"write""#)).collect();
    std::fs::write(world.runs.path(&id), kept.concat()).unwrap();
    let model = Arc::new(Model::new());
    let resumed = world.runs.resume(&id, model.as_ref(), Clock::System).unwrap();
    let again = go(&world, resumed, &model, Steering::by(|offer| panic!("asked again about {offer:?}"))).await;
    assert_eq!(told(&again), told(&report));
    assert_eq!(model.calls(), 1);
}

#[tokio::test]
async fn who_drops_every_search_gets_the_report_of_what_was_found() {
    let world = World::new().await;
    let model = Arc::new(Model::new());
    let run = world.begin(&model, Limits::default());
    let id = run.id.clone();
    let report =
        go(&world, run, &model, Steering::by(|_| async { Some(SteeringDecision::Search(Vec::new())) }.boxed())).await;
    assert_eq!((report.rounds.len(), report.stopped), (0, StopReason::Enough));
    assert!(report.evidence > 0, "the question itself was searched");
    assert_eq!(model.calls(), 2);
    assert_eq!(world.replayed(&id).await, report);
}

/// Asks for another plan, and puts the run off when that plan is shown.
fn undecided(plans: &Arc<std::sync::Mutex<Vec<PlanPreview>>>) -> Steering {
    let plans = Arc::clone(plans);
    Steering::by(move |offer| {
        let mut plans = plans.lock().unwrap();
        plans.push(offer);
        let wanted = if plans.len() == 1 {
            SteeringDecision::Again("only the film".to_owned())
        } else {
            SteeringDecision::Nothing
        };
        async move { Some(wanted) }.boxed()
    })
}

#[tokio::test]
async fn a_plan_that_was_paid_for_is_there_when_the_run_goes_on() {
    let world = World::new().await;
    let model = Arc::new(Model::new());
    let plans = Arc::default();
    let run = world.begin(&model, Limits::default());
    let id = run.id.clone();
    let engine = Engine { steering: Some(undecided(&plans)), ..world.engine(&model) };
    let heard = Arc::new(EventBuffer::default());
    let RunSettings { question, collections, .. } = &run.settings;
    let ended = journaled(&engine, &run.journal, question, collections, heard, CancellationToken::new()).await;
    assert!(matches!(ended, Err(AgentError::Withdrawn)), "{ended:?}");
    drop(run.journal);
    {
        let plans = plans.lock().unwrap();
        let calls: Vec<u64> = plans.iter().map(|offer| offer.plan.as_ref().unwrap().usage.calls).collect();
        assert_eq!((calls.as_slice(), plans[0].next.len()), (&[1, 2][..], 2), "the first plan, then the one made anew");
    }
    assert_eq!(model.calls(), 2);

    let model = Arc::new(Model::new());
    let resumed = world.runs.resume(&id, model.as_ref(), Clock::System).unwrap();
    let engine = world.engine(&model);
    let heard = Arc::new(EventBuffer::default());
    let report =
        journaled(&engine, &resumed.journal, question, collections, heard, CancellationToken::new()).await.unwrap();
    assert_eq!(report.usage.calls, model.calls() as u64 + 2, "both plans are in the bill, and neither is made again");
    assert_eq!(world.replayed(&id).await, report);
}

#[tokio::test]
async fn who_asks_for_more_than_a_model_may_gets_it() {
    let world = World::new().await;
    let model = Arc::new(Model::new());
    let run = world.begin(&model, Limits::default());
    let most = world.engine(&model).options.max_sub_queries;
    let wanted = move |_| {
        let wanted = (0..most + 2).map(|number| query(&format!("What happened in {}?", 1989 + number))).collect();
        async move { Some(SteeringDecision::Search(wanted)) }.boxed()
    };
    let report = go(&world, run, &model, Steering::by(wanted)).await;
    assert_eq!(report.rounds[0].sub_queries.len(), most + 2);
}
