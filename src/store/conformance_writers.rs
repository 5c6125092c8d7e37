//! What every store must do with two writers and with requests for embeddings.

use std::collections::BTreeMap;

use super::conformance::{document, found as found_by_words, near, spec, vector};
use super::{Store, StoreError};
use crate::domain::ChunkId;

/// Two stores on the same data write in turn and at once. Documents whose storing was confirmed are there in full. If
/// one writer is blocked by the other, it returns an error and has stored nothing.
pub(super) async fn two_writers<S: Store>(mut open: impl FnMut() -> S) {
    let (one, other) = (open(), open());
    let lines = |writer: &str, turn: usize| format!("{writer} {turn} apples\nshared words of {turn}\n");
    let mut expected: BTreeMap<String, String> = BTreeMap::new();
    one.create(spec("docs", true)).await.unwrap();
    let mut keep = |result: Result<(), StoreError>, path: &str, text: String| match result {
        Ok(()) => drop(expected.insert(path.to_owned(), text)),
        Err(error) => assert!(matches!(error, StoreError::Locked { .. }), "{error}"),
    };
    for turn in 0..4 {
        for (store, writer) in [(&one, "one"), (&other, "other")] {
            let text = lines(writer, turn);
            keep(store.put("docs", vec![document("/both", &text, true)]).await, "/both", text.clone());
        }
        let (path_of_one, path_of_other) = (format!("/one {turn}"), format!("/other {turn}"));
        let (text_of_one, text_of_other) = (lines("one", turn), lines("other", turn));
        let (first, second) = tokio::join!(
            one.put("docs", vec![document(&path_of_one, &text_of_one, true)]),
            other.put("docs", vec![document(&path_of_other, &text_of_other, true)]),
        );
        keep(first, &path_of_one, text_of_one);
        keep(second, &path_of_other, text_of_other);
    }
    one.flush().await.unwrap();
    for store in [&one, &other] {
        let records = store.documents("docs").await.unwrap();
        let found: Vec<(String, String)> =
            futures::future::join_all(records.iter().map(|record| async move {
                (record.path.clone(), store.text(record.id, 0..usize::MAX).await.unwrap())
            }))
            .await;
        assert_eq!(found, expected.clone().into_iter().collect::<Vec<_>>());
        let counted = store.collection("docs").await.unwrap();
        assert_eq!((counted.documents, counted.chunks), (found.len() as u64, found.len() as u64 * 2));
        assert_eq!(found_by_words(store, &[], "apples", 100).await.len(), found.len());
        assert_eq!(near(store, &[], "shared words of 1", 100).await.len(), found.len() * 2);
    }
}

/// Embeddings are returned by chunk, in the order requested; a chunk without one gives none.
pub(super) async fn embeddings_by_chunk(store: &dyn Store) {
    store.create(spec("docs", true)).await.unwrap();
    store.create(spec("plain", false)).await.unwrap();
    store.put("docs", vec![document("/a", "apples\n", true), document("/b", "pears\nplums\n", true)]).await.unwrap();
    store.put("plain", vec![document("/c", "apples\n", false)]).await.unwrap();
    store.flush().await.unwrap();
    let mut ids = Vec::new();
    for path in ["/b", "/c", "/a"] {
        let id = store.find_documents(path).await.unwrap()[0].id;
        ids.extend((0..2).map(|ordinal| ChunkId { document: id, ordinal }));
    }
    let expected = [Some("pears"), Some("plums"), None, None, Some("apples"), None];
    let check = async |expected: &[Option<&str>]| {
        let found = store.embeddings(&ids).await.unwrap();
        assert_eq!(found.len(), ids.len());
        for (found, text) in found.into_iter().zip(expected) {
            let expected = text.map(vector);
            assert_eq!(found.is_some(), expected.is_some(), "{text:?}");
            for (value, expected) in found.into_iter().flatten().zip(expected.into_iter().flatten()) {
                assert!((value - expected).abs() < 0.01, "{text:?}");
            }
        }
    };
    check(&expected).await;
    store.remove("docs", vec!["/b".to_owned()]).await.unwrap();
    store.flush().await.unwrap();
    check(&[None, None, None, None, Some("apples"), None]).await;
}
