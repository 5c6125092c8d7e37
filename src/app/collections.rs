use std::collections::BTreeMap;

use jiff::Timestamp;

use super::{App, AppError};
use crate::ingest::register::{KnownSource, Renaming};
use crate::store::StoreError;

/// The result of dropping a collection.
pub struct Dropped {
    /// The sources that had no other collection: loads no longer refresh them.
    pub forgotten: Vec<KnownSource>,
    /// The store's error if it could not list the documents; their history then does not record that they are gone.
    pub unread: Option<StoreError>,
}

impl App {
    /// Renames a collection wherever it is known, or nowhere. A renaming that was killed is completed if it is repeated.
    pub async fn rename_collection(&self, from: &str, to: &str) -> Result<(), AppError> {
        let store = self.store_with(from).await?;
        if from == to {
            return Ok(store.rename(from, to).await?);
        }
        let renamings = self.read_register(|register| register.renamings()).await?;
        let begun = renamings.last().is_some_and(|last| last.former == from && last.name == to);
        if begun && store.collection(from).await.is_err() && store.collection(to).await.is_ok() {
            return self.follow_renaming(from, to).await;
        }
        let renaming = Renaming { at: self.clock()?.now(), former: from.to_owned(), name: to.to_owned() };
        let noted = renaming.clone();
        self.register(move |register| register.note_renaming(&noted)).await?;
        let renamed = match store.rename(from, to).await {
            Ok(()) => {
                let followed = self.follow_renaming(from, to).await;
                if followed.is_err() {
                    store.rename(to, from).await?;
                }
                followed
            }
            Err(error) => Err(error.into()),
        };
        if renamed.is_err() {
            self.register(move |register| register.forget_renaming(&renaming)).await?;
        }
        renamed
    }

    /// Follows a renaming of the store everywhere else, or nowhere. The memory comes last, since it may hold events of
    /// an earlier collection of the new name, which could not be told from the others if the memory were renamed back.
    async fn follow_renaming(&self, from: &str, to: &str) -> Result<(), AppError> {
        self.rename_in_register(from, to).await?;
        let mut followed = self.rename_in_answers(from, to);
        if followed.is_ok() {
            followed = self.rename_in_memory(from, to).await;
            if followed.is_err() {
                self.rename_in_answers(to, from)?;
            }
        }
        if followed.is_err() {
            self.rename_in_register(to, from).await?;
        }
        followed
    }

    /// The present names of collections, by the names that they had at an earlier time, where these differ.
    pub(super) async fn renamed_since(
        &self,
        names: &[String],
        since: Timestamp,
    ) -> Result<BTreeMap<String, String>, AppError> {
        let renamings = self.read_register(|register| register.renamings()).await?;
        Ok(followed(names, since, &renamings))
    }

    /// Drops a collection, even a damaged one, wherever it is known.
    pub async fn drop_collection(&self, name: &str) -> Result<Dropped, AppError> {
        let store = self.store_with(name).await?;
        let (documents, unread) = match store.documents(name).await {
            Ok(documents) => (documents, None),
            Err(error) => (Vec::new(), Some(error)),
        };
        store.drop_collection(name).await?;
        self.forget_in_answers(name)?;
        let paths = documents.into_iter().map(|document| document.path).collect();
        Ok(Dropped { forgotten: self.drop_in_register(name, paths).await?, unread })
    }
}

/// Collections by their present names.
pub(super) fn present_names(names: &[String], renamed: &BTreeMap<String, String>) -> Vec<String> {
    names.iter().map(|name| renamed.get(name).unwrap_or(name).clone()).collect()
}

/// The names after all renamings since a time, by the names before, where these differ.
fn followed(names: &[String], since: Timestamp, renamings: &[Renaming]) -> BTreeMap<String, String> {
    let now = |name: &String| {
        let later = renamings.iter().filter(|renaming| renaming.at >= since);
        later.fold(name.clone(), |name, renaming| if renaming.former == name { renaming.name.clone() } else { name })
    };
    names.iter().map(|name| (name.clone(), now(name))).filter(|(name, now)| name != now).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_follows_the_renamings_after_its_time() {
        let at = |second| Timestamp::from_second(second).unwrap();
        let renaming = |second, former: &str, name: &str| Renaming {
            at: at(second),
            former: former.to_owned(),
            name: name.to_owned(),
        };
        let renamings = [renaming(10, "a", "b"), renaming(20, "b", "c"), renaming(30, "x", "a")];
        let check = |name: &str, since, expected: Option<&str>| {
            let found = followed(&[name.to_owned()], at(since), &renamings);
            assert_eq!(found.get(name).map(String::as_str), expected, "{name} at {since}");
        };
        check("a", 5, Some("c"));
        check("b", 15, Some("c"));
        // Another collection has had the name since.
        check("a", 15, None);
        check("x", 15, Some("a"));
        check("d", 5, None);
    }
}
