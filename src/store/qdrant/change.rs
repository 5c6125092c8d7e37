//! Writing. A change has three steps, each of which one point makes known: new versions are announced and written, seen
//! by nobody; they are put in force, and in the same moment the old ones out of it; the old ones are deleted. Whoever
//! writes next finishes or undoes what stopped in between.

use std::time::Duration;

use qdrant_client::qdrant::{Condition, Filter};

use super::Server;
use super::error::ENGINE;
use super::layout::VERSIONS;
use super::state::{CollectionState, Phase, between, of_versions};
use crate::store::StoreError;

/// How often a state is looked at that somebody else is changing.
pub(super) const LOOKS: u32 = 60;

/// A change that is under way, announced to all.
pub(super) struct Change {
    pub(super) state: CollectionState,
    /// The first of its new versions.
    pub(super) from: u64,
}

impl Server {
    /// Announces a change of a collection with so many new versions.
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
            if self.exchange(&before, &mut state).await? {
                let from = state.from;
                return Ok(Change { state, from });
            }
        }
    }

    /// Puts a change in force. `publish` says what is different then.
    pub(super) async fn publish(
        &self,
        change: Change,
        publish: impl FnOnce(&mut CollectionState),
    ) -> Result<CollectionState, StoreError> {
        let mut after = change.state.clone();
        after.phase = Phase::Published;
        after.old.clear();
        publish(&mut after);
        if self.exchange(&change.state, &mut after).await? {
            return Ok(after);
        }
        Err(StoreError::Locked {
            path: self.place(),
            holder: "it thought that this one had died, and took over; load again".to_owned(),
        })
    }

    /// Deletes what a change put out of force. It may fail without harm: whoever writes next does it.
    pub(super) async fn clean_up(&self, published: CollectionState) {
        if let Err(error) = self.finish(published).await {
            tracing::warn!(%error, "old versions could not be deleted; the next load does it");
        }
    }

    async fn finish(&self, published: CollectionState) -> Result<(), StoreError> {
        if !published.old.is_empty() {
            for versions in published.old.chunks(1_000) {
                self.delete_points(&published, of_versions(versions)).await?;
            }
        }
        let mut idle = published.clone();
        idle.phase = Phase::Idle;
        idle.old.clear();
        self.exchange(&published, &mut idle).await.map(drop)
    }

    /// Deletes the points of versions, wherever they are.
    async fn delete_points(&self, state: &CollectionState, versions: Condition) -> Result<(), StoreError> {
        let prefix = &self.options.prefix;
        let mut places = state.all_chunks(prefix);
        places.push(state.texts(prefix));
        let deletes = places.iter().map(|place| self.client.delete(place, Filter::must([versions.clone()])));
        futures::future::try_join_all(deletes).await?;
        self.delete_counts(state.number, Some(versions)).await
    }

    /// The state of a collection that nobody is changing. What this store left undone is done at once; what another
    /// one does is waited for, and done in its place if it does not get on.
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

    /// Ends what another writer has begun: what was announced is given up, what was put in force is finished.
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
                if self.exchange(state, &mut after).await? && state.version > state.from {
                    self.delete_points(&after, between(state.from, state.version)).await?;
                }
                Ok(())
            }
        }
    }
}
