//! Questions about a collection's own passages, for training.

use futures::StreamExt;

use super::{App, AppError};
use crate::agent::quiz;
use crate::base::text::analysis::terms;
use crate::domain::{ChunkId, StoredChunk, Usage};
use crate::retrieval::Corpus;

/// Questions per passage: more on the same sentences would teach the same.
const OF_A_PASSAGE: usize = 3;

/// Passages that are asked about at once. The model keeps its own limit on requests.
const AT_ONCE: usize = 16;

/// Questions that share at least this part of their words ask the same.
const ALIKE: f32 = 0.8;

/// A question about a collection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CollectionQuestion {
    /// The question.
    pub question: String,
    /// The passage that answers it.
    pub chunk: ChunkId,
    /// The document's path.
    pub path: String,
    /// The answer, as bytes of the document.
    pub answer: std::ops::Range<usize>,
}

/// The questions about a collection, and counts of those left out.
#[derive(Clone, Debug, Default)]
pub struct CollectionQuiz {
    /// The questions, in the order of their passages.
    pub questions: Vec<CollectionQuestion>,
    /// Questions whose answer is not where the model said.
    pub misplaced: usize,
    /// Questions that repeat an earlier one.
    pub repeated: usize,
    /// The number of passages that gave no question, and why the first one failed.
    pub failed: Option<(usize, String)>,
    /// What the model cost.
    pub usage: Usage,
}

impl App {
    /// At most `most` questions about passages from all over a collection, written by the configured model.
    pub async fn quiz(
        &self,
        corpus: &Corpus,
        collection: &str,
        most: usize,
        progress: &(dyn Fn(usize, usize) + Send + Sync),
    ) -> Result<CollectionQuiz, AppError> {
        let chosen = self.model()?;
        let prompts = self.prompts()?;
        let chunks = sample(corpus, collection, most.div_ceil(OF_A_PASSAGE)).await?;
        let asked = chunks.iter().map(|chunk| quiz(chosen.model.as_ref(), &prompts, chunk, OF_A_PASSAGE));
        let mut replies = futures::stream::iter(asked).buffered(AT_ONCE);
        let mut found = CollectionQuiz::default();
        let mut said: Vec<Vec<String>> = Vec::new();
        let mut done = 0;
        while let Some(reply) = replies.next().await {
            let chunk = &chunks[done];
            done += 1;
            progress(done, chunks.len());
            let posed = match reply {
                Ok((posed, misplaced, usage)) => {
                    found.misplaced += misplaced;
                    found.usage += usage;
                    posed
                }
                // A passage that fails does not lose the others; the last one's error is returned if none gave a
                // question.
                Err(error) if done == chunks.len() && found.questions.is_empty() => return Err(error.into()),
                Err(error) => {
                    let reason = error.to_string();
                    found.failed = Some(found.failed.map_or((1, reason), |(count, first)| (count + 1, first)));
                    continue;
                }
            };
            for one in posed {
                let mut words: Vec<String> =
                    terms(&one.question, chunk.language).into_iter().map(|term| term.text).collect();
                words.sort_unstable();
                words.dedup();
                if said.iter().any(|other| alike(other, &words)) {
                    found.repeated += 1;
                    continue;
                }
                said.push(words);
                found.questions.push(CollectionQuestion {
                    question: one.question,
                    chunk: chunk.id,
                    path: chunk.path.clone(),
                    answer: chunk.range.start + one.answer.start..chunk.range.start + one.answer.end,
                });
            }
        }
        drop(replies);
        found.questions.truncate(most);
        Ok(found)
    }
}

/// About `many` passages at even distances.
async fn sample(corpus: &Corpus, collection: &str, many: usize) -> Result<Vec<StoredChunk>, AppError> {
    let mut ids = Vec::new();
    for document in corpus.store().documents(collection).await? {
        ids.extend((0..document.chunks).map(|ordinal| ChunkId { document: document.id, ordinal }));
    }
    let step = ids.len().div_ceil(many.max(1)).max(1);
    let ids: Vec<ChunkId> = ids.into_iter().step_by(step).collect();
    Ok(corpus.store().chunks(&ids).await?)
}

/// Whether two sorted lists have nearly all words in common.
fn alike(a: &[String], b: &[String]) -> bool {
    let common = a.iter().filter(|word| b.binary_search(word).is_ok()).count();
    let all = a.len() + b.len() - common;
    all == 0 || common as f32 >= ALIKE * all as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(a: &str, b: &str, expected: bool) {
        let words = |text: &str| {
            let mut words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
            words.sort();
            words
        };
        assert_eq!(alike(&words(a), &words(b)), expected, "{a} / {b}");
    }

    #[test]
    fn questions_with_nearly_the_same_words_are_alike() {
        check("when harbour grow", "harbour grow when", true);
        check("a b c d e", "a b c d", true);
        check("a b c d e", "a b c f", false);
        check("a", "", false);
        check("", "", true);
    }
}
