//! The places where a run may stop before its end: the user interrupts, or a limit is reached. Whether it did, and what
//! was under way, is journaled, since neither comes at the same moment again.

use std::future::Future;

use super::journal::Dropped;
use super::run::{Run, out_of_all_time, out_of_time};
use crate::domain::{StopReason, Usage};

impl Run<'_> {
    /// Whether the run stops here: as it did before, or for this reason. Not to be asked by things that happen at once,
    /// which would have no order.
    pub async fn stops_for(&self, reason: Option<StopReason>) -> Option<StopReason> {
        let (gate, before) = self.journal.gate();
        if let Some(before) = before {
            return Some(before.reason);
        }
        if let Some(reason) = reason {
            self.journal.halt(gate, Dropped::nothing(reason)).await;
        }
        reason
    }

    /// Whether the user wants the run to stop here. What a journal answers takes no time, so that nothing stops it.
    pub async fn interrupted(&self) -> Option<StopReason> {
        let interrupted = self.journal.is_live() && self.interrupt.is_cancelled();
        self.stops_for(interrupted.then_some(StopReason::Interrupted)).await
    }

    /// Does something outside, unless the user interrupts or the time for searching is over before it is done. `spent`
    /// says what was spent on it when it is dropped. As with [`Self::stops_for`], one after the other.
    pub async fn unless_stopped<T>(
        &self,
        work: impl Future<Output = T>,
        spent: impl Fn() -> Usage,
    ) -> Result<T, Dropped> {
        let stop = async {
            tokio::select! {
                biased;
                () = self.interrupt.cancelled() => StopReason::Interrupted,
                () = out_of_time(&self.budget) => StopReason::Budget,
            }
        };
        let under_way = |reason| Dropped { reason, usage: spent(), streamed: String::new() };
        self.unless(stop, work, under_way).await
    }

    /// As [`Self::unless_stopped`], for the report, which only the end of all time stops. `under_way` says what was
    /// spent, and what was streamed.
    pub async fn unless_over<T>(
        &self,
        work: impl Future<Output = T>,
        under_way: impl Fn() -> (Usage, String),
    ) -> Result<T, Dropped> {
        let stop = async {
            out_of_all_time(&self.budget).await;
            StopReason::Budget
        };
        let under_way = |reason| {
            let (usage, streamed) = under_way();
            Dropped { reason, usage, streamed }
        };
        self.unless(stop, work, under_way).await
    }

    async fn unless<T>(
        &self,
        stop: impl Future<Output = StopReason>,
        work: impl Future<Output = T>,
        under_way: impl Fn(StopReason) -> Dropped,
    ) -> Result<T, Dropped> {
        let (gate, before) = self.journal.gate();
        if let Some(before) = before {
            return Err(before);
        }
        let stop = async {
            self.journal.live().await;
            stop.await
        };
        let reason = tokio::select! {
            biased;
            reason = stop => reason,
            done = work => return Ok(done),
        };
        let dropped = under_way(reason);
        self.journal.halt(gate, dropped.clone()).await;
        Err(dropped)
    }
}
