//! What every store must do about languages: it knows the languages of its chunks and analyses a query in each of them.

use super::conformance::{document, spec};
use super::{KeywordQuery, NewDocument, Store, TermRelation};
use crate::base::text::{Language, Spoken};
use crate::domain::{DocumentFilter, Headings};

fn in_language(path: &str, text: &str, code: &str) -> NewDocument {
    let mut new = document(path, text, false);
    new.document.language = Language::from_code(code);
    for chunk in &mut new.document.chunks {
        chunk.language = new.document.language;
        chunk.headings = Headings::default();
    }
    new
}

/// Returns the texts found by a query that is taken to be in the given language.
async fn found(store: &dyn Store, collections: &[&str], text: &str, code: &str) -> Vec<String> {
    let collections = collections.iter().map(|name| (*name).to_owned()).collect();
    let filter = DocumentFilter::default();
    let query = KeywordQuery { collections, text: text.to_owned(), language: Language::from_code(code), k: 9, filter };
    let ids: Vec<_> = store.keyword(&query).await.unwrap().iter().map(|scored| scored.id).collect();
    store.chunks(&ids).await.unwrap().into_iter().map(|chunk| chunk.text).collect()
}

/// Tests two collections in different languages.
pub(super) async fn languages(store: &dyn Store) {
    const GAGA: &str = "Un concierto de Lady Gaga en la capital";
    const HOUSES: &str = "Alte Häuser stehen am Fluss";
    const TOWN: &str = "Running through the old town";
    for name in ["south", "north"] {
        store.create(spec(name, false)).await.unwrap();
    }
    store.put("south", vec![in_language("/s.txt", GAGA, "spa")]).await.unwrap();
    let north = vec![in_language("/h.txt", HOUSES, "deu"), in_language("/t.txt", TOWN, "eng")];
    store.put("north", north).await.unwrap();
    store.flush().await.unwrap();

    let spoken = |codes: &[&str]| Spoken::of(codes.iter().map(|code| (Language::from_code(code), 1)));
    assert_eq!(store.collection("south").await.unwrap().languages, spoken(&["spa"]));
    let all = store.collections().await.unwrap();
    assert_eq!(all[0].languages, spoken(&["deu", "eng"]), "{}", all[0].name);

    // The Spanish and English stems of the name differ; it is found in whichever language the query is analysed.
    for code in ["und", "eng", "deu", "spa"] {
        assert_eq!(found(store, &[], "Lady Gaga", code).await, [GAGA], "as {code}");
    }
    assert_eq!(found(store, &["south"], "Gaga", "eng").await, [GAGA]);
    assert_eq!(found(store, &["north"], "Haus", "eng").await, [HOUSES]);
    assert_eq!(found(store, &["north"], "towns", "spa").await, [TOWN]);
    // Words dropped as stop words in the query's language are not searched for in other languages either.
    assert!(found(store, &[], "the", "eng").await.is_empty());
    assert_eq!(found(store, &[], "the Häuser", "eng").await, [HOUSES]);

    for (like, term, expected) in [
        (TermRelation::Longer, "conc", "conciert"),
        (TermRelation::Part, "ciert", "conciert"),
        (TermRelation::Form, "concierta", "conciert"),
    ] {
        let found = store.like_terms(term, like, 9).await.unwrap();
        assert!(found.is_empty() || found == [expected], "a store may keep no list of terms: {term}, {found:?}");
    }
}
