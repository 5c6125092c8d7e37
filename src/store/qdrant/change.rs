//! Writes changes. A change has three steps, each announced in the collection's state, a single point: new versions are
//! announced and written, invisible to readers; they become current and the old ones cease to be, in the same moment;
//! the old ones are deleted. The next writer finishes or undoes a change that stopped in between.

use std::time::Duration;

use qdrant_client::qdrant::{Condition, Filter};

use super::Server;
use super::error::ENGINE;
use super::layout::VERSIONS;
use super::state::{CollectionState, Phase, between, match_versions};
use crate::store::StoreError;

/// How many times a state that another writer is changing is read within the time of patience.
pub(super) const LOOKS: u32 = 60;

/// A change in progress, announced to all.
pub(super) struct Change {
    pub(super) state: CollectionState,
    /// The number of its first new version.
    pub(super) from: u64,
}

impl Server {
    /// Announces a change of a collection with `versions` new versions.
    pub(super) async fn begin(&self, name: &str, versions: u64) -> Result<Change, StoreError> {
        loop {
            let before = self.settled(name).await?;
            if before.version + versions >= VERSIONS {
                let reason = format!(
                    "`{name}` has had {} versions of documents, which is all that one collection can; copy it to a new one",
                    before.version
                );
                return Err(StoreError::Engine { engine: ENGINE, action: "putting documents", reason });
            }
            let mut state = before.clone();
            state.phase = Phase::Writing;
            state.from = before.version;
            state.version = before.version + versions;
            if self.compare_and_swap(&before, &mut state).await? {
                let from = state.from;
                return Ok(Change { state, from });
            }
        }
    }

    /// Makes a change current. `publish` sets what is then different in the state.
    pub(super) async fn publish(
        &self,
        change: Change,
        publish: impl FnOnce(&mut CollectionState),
    ) -> Result<CollectionState, StoreError> {
        let mut after = change.state.clone();
        after.phase = Phase::Published;
        after.old.clear();
        publish(&mut after);
        if self.compare_and_swap(&change.state, &mut after).await? {
            return Ok(after);
        }
        Err(StoreError::Locked {
            path: self.place(),
            holder: "it thought that this one had died, and took over; load again".to_owned(),
        })
    }

    /// Deletes the versions that a change replaced. A failure does no harm: the next writer deletes them.
    pub(super) async fn clean_up(&self, published: CollectionState) {
        if let Err(error) = self.finish(published).await {
            tracing::warn!(%error, "old versions could not be deleted; the next load does it");
        }
    }

    async fn finish(&self, published: CollectionState) -> Result<(), StoreError> {
        if !published.old.is_empty() {
            for versions in published.old.chunks(1_000) {
                self.delete_points(&published, match_versions(versions)).await?;
            }
        }
        let mut idle = published.clone();
        idle.phase = Phase::Idle;
        idle.old.clear();
        self.compare_and_swap(&published, &mut idle).await.map(drop)
    }

    /// Deletes the points of versions from all server collections.
    async fn delete_points(&self, state: &CollectionState, versions: Condition) -> Result<(), StoreError> {
        let prefix = &self.options.prefix;
        let mut places = state.all_chunks(prefix);
        places.push(state.texts(prefix));
        let deletes = places.iter().map(|place| self.client.delete(place, Filter::must([versions.clone()])));
        futures::future::try_join_all(deletes).await?;
        self.delete_counts(state.number, Some(versions)).await
    }

    /// Returns the state of a collection that nobody is changing. A change that this store left unfinished is ended at
    /// once; another store's change is waited for, and ended in its place if it makes no progress.
    pub(super) async fn settled(&self, name: &str) -> Result<CollectionState, StoreError> {
        let pause = self.options.patience / LOOKS;
        let mut waited = Duration::ZERO;
        let mut seen: Option<CollectionState> = None;
        loop {
            let state = self.states().await?.find(name)?;
            if state.phase == Phase::Idle {
                return Ok(state);
            }
            let stands_still = seen.as_ref().is_some_and(|seen| seen.turn == state.turn);
            if state.writer == self.writer || (stands_still && waited >= self.options.patience) {
                self.take_over(&state).await?;
                (waited, seen) = (Duration::ZERO, None);
                continue;
            }
            if !stands_still {
                if seen.is_none() {
                    tracing::info!(collection = name, writer = %state.writer, "waiting for another writer");
                }
                waited = Duration::ZERO;
            }
            seen = Some(state);
            tokio::time::sleep(pause).await;
            waited += pause;
        }
    }

    /// Ends a change that another writer has begun: an announced change is undone, a published one is finished.
    async fn take_over(&self, state: &CollectionState) -> Result<(), StoreError> {
        match state.phase {
            Phase::Idle => Ok(()),
            Phase::Published => self.finish(state.clone()).await,
            Phase::Writing => {
                tracing::warn!(collection = %state.collection.name, writer = %state.writer, "an unfinished load is undone");
                let mut after = state.clone();
                after.phase = Phase::Idle;
                if state.version > state.from {
                    after.given_up.push((state.from, state.version));
                }
                if self.compare_and_swap(state, &mut after).await? && state.version > state.from {
                    self.delete_points(&after, between(state.from, state.version)).await?;
                }
                Ok(())
            }
        }
    }
}
