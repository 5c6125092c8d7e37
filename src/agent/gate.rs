//! The points at which a run may stop early: the user interrupts, or a limit is reached. Each stop is journaled with
//! what was under way, since neither would come at the same moment again.

use std::future::{Future, pending};
use std::time::Duration;

use super::journal::Dropped;
use super::run::Run;
use crate::domain::{StopReason, Usage};

/// Whether the run stops here: because it did so before, or for this reason. Concurrent tasks must not ask, since the
/// order of the calls tells the points apart.
async fn stop_reason_at_gate(run: &Run<'_>, reason: Option<StopReason>) -> Option<StopReason> {
    let (gate, before) = run.journal.gate();
    if let Some(before) = before {
        return Some(before.reason);
    }
    if let Some(reason) = reason {
        run.journal.halt(gate, Dropped::nothing(reason)).await;
    }
    reason
}

/// Whether the user wants the run to stop here. Answers from a journal take no time, so nothing interrupts them.
pub(super) async fn interrupted(run: &Run<'_>) -> Option<StopReason> {
    let interrupted = run.journal.is_live() && run.interrupt.is_cancelled();
    stop_reason_at_gate(run, interrupted.then_some(StopReason::Interrupted)).await
}

/// Whether the run stops here because its whole time is over, that for the report included.
pub(super) async fn is_over(run: &Run<'_>) -> bool {
    let over = run.spending.budget.is_all_time_over();
    stop_reason_at_gate(run, over.then_some(StopReason::Budget)).await.is_some()
}

/// Does some work outside, unless the user interrupts or the time for searching ends first. `spent` returns the cost of
/// work that is dropped. Like [`stop_reason_at_gate`], not for concurrent tasks.
pub(super) async fn unless_stopped<T>(
    run: &Run<'_>,
    work: impl Future<Output = T>,
    spent: impl Fn() -> Usage,
) -> Result<T, Dropped> {
    let stop = async {
        tokio::select! {
            biased;
            () = run.interrupt.cancelled() => StopReason::Interrupted,
            () = pass(run.spending.budget.time_left()) => StopReason::Budget,
        }
    };
    let under_way = |reason| Dropped { reason, usage: spent(), streamed: String::new() };
    unless(run, stop, work, under_way).await
}

/// Like [`unless_stopped`], for the report, which only the end of the whole time stops. `under_way` returns what was
/// spent, and what was streamed.
pub(super) async fn unless_over<T>(
    run: &Run<'_>,
    work: impl Future<Output = T>,
    under_way: impl Fn() -> (Usage, String),
) -> Result<T, Dropped> {
    let stop = async {
        pass(run.spending.budget.all_time_left()).await;
        StopReason::Budget
    };
    let under_way = |reason| {
        let (usage, streamed) = under_way();
        Dropped { reason, usage, streamed }
    };
    unless(run, stop, work, under_way).await
}

async fn unless<T>(
    run: &Run<'_>,
    stop: impl Future<Output = StopReason>,
    work: impl Future<Output = T>,
    under_way: impl Fn(StopReason) -> Dropped,
) -> Result<T, Dropped> {
    let (gate, before) = run.journal.gate();
    if let Some(before) = before {
        return Err(before);
    }
    let stop = async {
        run.journal.live().await;
        stop.await
    };
    let reason = tokio::select! {
        biased;
        reason = stop => reason,
        done = work => return Ok(done),
    };
    let dropped = under_way(reason);
    run.journal.halt(gate, dropped.clone()).await;
    Err(dropped)
}

/// Returns when this much time has passed; without a limit, never.
async fn pass(time: Option<Duration>) {
    match time {
        Some(left) => tokio::time::sleep(left).await,
        None => pending().await,
    }
}
