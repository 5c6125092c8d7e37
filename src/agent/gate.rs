//! The places where a run may stop before its end: the user interrupts, or a limit is reached. Whether it did is
//! journaled, since neither comes at the same moment again.

use std::future::Future;

use super::run::{Run, out_of_time};
use crate::domain::StopReason;

impl Run<'_> {
    /// Whether the run stops before it asks for something: as it did before, or because of `limit`, or because the user
    /// wants it to. Not to be asked for things that happen at once, which would have no order.
    pub async fn stops(&self, limit: Option<StopReason>) -> Option<StopReason> {
        let (gate, before) = self.journal.gate();
        if before.is_some() {
            return before;
        }
        let interrupted = self.journal.is_live() && self.interrupt.is_cancelled();
        let reason = if interrupted { Some(StopReason::Interrupted) } else { limit };
        if let Some(reason) = reason {
            self.journal.halt(gate, reason).await;
        }
        reason
    }

    /// Does something outside, unless the user interrupts or the time for searching is over before it is done. What a
    /// journal answers takes no time, so that nothing stops it. As with [`Self::stops`], one after the other.
    pub async fn unless_stopped<T>(&self, work: impl Future<Output = T>) -> Result<T, StopReason> {
        let (gate, before) = self.journal.gate();
        if let Some(reason) = before {
            return Err(reason);
        }
        let stop = async {
            self.journal.live().await;
            tokio::select! {
                biased;
                () = self.interrupt.cancelled() => StopReason::Interrupted,
                () = out_of_time(&self.budget) => StopReason::Budget,
            }
        };
        let reason = tokio::select! {
            biased;
            reason = stop => reason,
            done = work => return Ok(done),
        };
        self.journal.halt(gate, reason).await;
        Err(reason)
    }
}
