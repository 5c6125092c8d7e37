//! The point that counts the collections and names those being created. A number is taken together with the name it is
//! for, by a change of this point that only one of several machines can make. So if two create a collection of the same
//! name at once, one waits for the other.

use std::time::Duration;

use qdrant_client::Payload;
use qdrant_client::qdrant::{Condition, Filter};

use super::Server;
use super::change::LOOKS;
use super::counts::COLLECTION_FIELD;
use super::error::ENGINE;
use super::layout::{self, KIND, VERSION, is_number, text, unsigned};
use super::server::Vectors;
use super::state::{CollectionStates, NEXT, PHASE, ROOT, Root, TURN, WRITER};
use crate::store::StoreError;

/// How many times a change is tried if others are faster; each time, one of them makes progress.
const TRIES: u32 = 1_000;

impl Server {
    /// Replaces the point that was read, unless another machine has changed it; returns whether the replacement took
    /// effect.
    async fn change_root(&self, before: &Root, after: &mut Root) -> Result<bool, StoreError> {
        after.turn = before.turn + 1;
        let unchanged = Filter::must([Condition::has_id([ROOT]), is_number(TURN, before.turn)]);
        self.client.set(&self.meta(), unchanged, Payload::from(after.payload(&self.writer))).await?;
        let found = self.client.get(&self.meta(), &[ROOT], &[TURN, WRITER], &[]).await?;
        Ok(found.first().is_some_and(|point| {
            unsigned(&point.payload, TURN) == Some(after.turn)
                && text(&point.payload, WRITER) == Some(self.writer.as_str())
        }))
    }

    /// Takes the next number for a new collection, whose name must be free. Waits for another writer that is creating
    /// one of this name.
    pub(super) async fn take_number(&self, name: &str) -> Result<u64, StoreError> {
        let pause = self.options.patience / LOOKS;
        let mut waited = Duration::ZERO;
        for _ in 0..TRIES {
            let states = self.states().await?;
            if states.all.iter().any(|state| state.collection.name == name) {
                return Err(StoreError::CollectionExists { name: name.to_owned() });
            }
            let Some(before) = states.root.clone() else {
                self.make_meta().await?;
                continue;
            };
            if before.making.iter().any(|(_, making)| making == name) && waited < self.options.patience {
                tokio::time::sleep(pause).await;
                waited += pause;
                continue;
            }
            if before.next >= layout::COLLECTIONS {
                let reason = format!(
                    "{} has had {} collections, which is all that one prefix can; use another prefix",
                    self.client.url(),
                    before.next
                );
                return Err(StoreError::Engine { engine: ENGINE, action: "making a collection", reason });
            }
            let mut after = Root { next: before.next + 1, ..before.clone() };
            retain_unfinished(&mut after, &states, name);
            after.making.push((before.next, name.to_owned()));
            if self.change_root(&before, &mut after).await? {
                return Ok(before.next);
            }
        }
        Err(self.contention_error())
    }

    /// Records that a collection was created, or will not be.
    pub(super) async fn note_made(&self, name: &str) -> Result<(), StoreError> {
        for _ in 0..TRIES {
            let states = self.states().await?;
            let Some(before) = states.root.clone().filter(|root| root.making.iter().any(|(_, making)| making == name))
            else {
                return Ok(());
            };
            let mut after = before.clone();
            retain_unfinished(&mut after, &states, name);
            if self.change_root(&before, &mut after).await? {
                return Ok(());
            }
        }
        Err(self.contention_error())
    }

    fn contention_error(&self) -> StoreError {
        StoreError::Locked { path: self.place(), holder: "many others make collections".to_owned() }
    }

    /// Creates the server collection of the states. Whoever creates it writes its first point, and all others wait for
    /// that: if it were written twice, numbers would be given out again.
    async fn make_meta(&self) -> Result<(), StoreError> {
        let is_new = self.make_points(&self.meta(), Vectors::None, 1).await?;
        // All fields that filters use: a server may refuse to filter by a field without an index.
        let fields =
            [(KIND, true), (PHASE, true), (WRITER, true), (TURN, false), (VERSION, false), (COLLECTION_FIELD, false)];
        self.index_fields(&self.meta(), &fields).await?;
        let pause = self.options.patience / LOOKS;
        for look in 0..=LOOKS {
            if !self.client.get(&self.meta(), &[ROOT], &[NEXT], &[]).await?.is_empty() {
                return Ok(());
            }
            // If the creator died before it wrote the point, it is written here.
            if is_new || look == LOOKS {
                break;
            }
            tokio::time::sleep(pause).await;
        }
        let root = Root { next: 1, turn: 0, making: Vec::new() };
        self.client.upsert(&self.meta(), vec![layout::bare(ROOT, root.payload(&self.writer))]).await
    }
}

/// Removes entries whose collections exist by now, and those of this name.
fn retain_unfinished(root: &mut Root, states: &CollectionStates, name: &str) {
    let is_there = |number: u64| states.all.iter().any(|state| state.number == number);
    root.making.retain(|(number, making)| making != name && !is_there(*number));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_comes_back_as_it_was_written() {
        let making = vec![(3, "a name of three words".to_owned()), (4, "b".to_owned())];
        let root = Root { next: 5, turn: 9, making };
        assert_eq!(Root::read(&root.payload("somebody")), Some(root));
    }
}
