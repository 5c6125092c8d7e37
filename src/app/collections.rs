use super::{App, AppError};
use crate::ingest::register::KnownSource;
use crate::store::StoreError;

/// The result of dropping a collection.
pub struct Dropped {
    /// The sources that had no other collection: loads no longer refresh them.
    pub forgotten: Vec<KnownSource>,
    /// The store's error if it could not list the documents; their history then does not record that they are gone.
    pub unread: Option<StoreError>,
}

impl App {
    /// Renames a collection wherever it is known.
    pub async fn rename_collection(&self, from: &str, to: &str) -> Result<(), AppError> {
        self.store_with(from).await?.rename(from, to).await?;
        self.rename_in_memory(from, to).await?;
        self.rename_in_register(from, to).await?;
        self.rename_in_answers(from, to)
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
