//! Version numbers in a query, and a query that is nothing but a number or a code: a passage that holds them goes before
//! those that hold similar ones, since neither meaning nor a sum over words tells them apart. The code of a contract or
//! a machine within a question is not such a number: the answer is in passages of its document that do not repeat it.

use super::fuse::{Candidate, sort};
use crate::base::text::{contains_code, folded, versions};
use crate::domain::{ChunkId, StoredChunk};
use crate::store::{Store, StoreError};

/// The bonus for a passage that holds the versions of the query, in units of the final score: more than the differences
/// that re-ranking makes between passages on the same subject.
const HELD: f32 = 12.0;

/// Raises the candidates that hold every version that `query` names, or the number or code that it is.
pub(super) async fn raise_exact(
    query: &str,
    store: &dyn Store,
    candidates: &mut [Candidate],
) -> Result<(), StoreError> {
    let wanted: Vec<String> = match is_code(query) {
        true => vec![folded(query.trim())],
        false => versions(query).collect(),
    };
    if wanted.is_empty() {
        return Ok(());
    }
    let ids: Vec<ChunkId> = candidates.iter().map(|candidate| candidate.id).collect();
    let chunks = store.chunks(&ids).await?;
    let holds = |chunk: &StoredChunk| {
        // A continuation of a section about a version names the version in its heading only.
        let headings: Vec<&str> = chunk.headings.all().map(String::as_str).collect();
        let text = folded(&format!("{} {} {}", chunk.title, headings.join(" "), chunk.text));
        wanted.iter().all(|code| contains_code(&text, code))
    };
    let holding: Vec<ChunkId> = chunks.iter().filter(|chunk| holds(chunk)).map(|chunk| chunk.id).collect();
    for candidate in candidates.iter_mut().filter(|candidate| holding.contains(&candidate.id)) {
        candidate.score += HELD;
    }
    sort(candidates);
    Ok(())
}

/// Whether a query is one word with a digit, such as an error's number.
fn is_code(query: &str) -> bool {
    let word = query.trim();
    word.contains(|c: char| c.is_ascii_digit()) && word.bytes().all(|byte| byte.is_ascii_graphic())
}
