//! Questions with known answers as training examples: encoded, with the search results for each.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use serde_json::Value;

use super::dataset::Dataset;
use super::retrieval::EvalError;
use crate::bundled::language_of;
use crate::domain::{ChunkId, Hit, SearchMode, StoredChunk};
use crate::embed::{Embedder, Text};
use crate::retrieval::answer::Question;
use crate::retrieval::{Corpus, Rerank, SearchOptions, SearchRequest};
use crate::train::{Answer, Example, Ranked, TrainingSet};

/// Passages retrieved for each question.
const RANKED: usize = 20;

/// Questions searched, and documents read, at once.
const AT_ONCE: usize = 64;

/// The most left-out questions that a warning names.
const NAMED: usize = 5;

/// The place of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    /// The document's path.
    pub path: String,
    /// The byte range in its text.
    pub range: Range<usize>,
}

/// A question with its answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    /// Its id.
    pub id: String,
    /// Its words.
    pub text: String,
    /// Paths of the documents that answer it. `None`: only passages that contain the answer do.
    pub relevant: Option<BTreeSet<String>>,
    /// The places of the answers, at least one.
    pub answers: Vec<Span>,
}

/// Training examples, with warnings about the questions that were left out.
#[derive(Clone, Debug)]
pub struct GatheredExamples {
    /// The examples.
    pub set: TrainingSet,
    /// Warnings for the user.
    pub warnings: Vec<String>,
}

/// The questions of a set that locate their answers: `answers` with `text` and `start` (or SQuAD's `answer_start`),
/// counted in characters. Also returns warnings about what was left out.
pub fn located_questions(set: &Dataset) -> (Vec<Asked>, Vec<String>) {
    let texts: BTreeMap<&str, &str> =
        set.passages.iter().map(|passage| (passage.id.as_str(), passage.text.as_str())).collect();
    let (mut asked, mut without, mut wrong) = (Vec::new(), Vec::new(), Vec::new());
    for query in &set.queries {
        let relevant: BTreeSet<String> = query.relevant().cloned().collect();
        let said = query.metadata.get("answers").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        let said: Vec<(&str, usize)> = said.iter().filter_map(written_answer).collect();
        let mut answers: Vec<Span> = Vec::new();
        for path in &relevant {
            let text = texts.get(path.as_str()).copied().unwrap_or_default();
            for range in said.iter().filter_map(|&(answer, start)| place_of(text, answer, start)) {
                let span = Span { path: path.clone(), range };
                if !answers.contains(&span) {
                    answers.push(span);
                }
            }
        }
        if said.is_empty() {
            without.push(query.id.as_str());
        } else if answers.is_empty() {
            wrong.push(query.id.as_str());
        } else {
            asked.push(Asked { id: query.id.clone(), text: query.text.clone(), relevant: Some(relevant), answers });
        }
    }
    let warnings = [
        left_out(&without, "do not say where their answer stands"),
        left_out(&wrong, "have answers that do not stand at their offsets"),
    ];
    (asked, warnings.into_iter().flatten().collect())
}

fn written_answer(value: &Value) -> Option<(&str, usize)> {
    let text = value.get("text")?.as_str().filter(|text| !text.trim().is_empty())?;
    let start = value.get("start").or_else(|| value.get("answer_start"))?.as_u64()?;
    Some((text, usize::try_from(start).ok()?))
}

/// The byte range of `answer` at a character offset of `text`; `None` if other text is there.
fn place_of(text: &str, answer: &str, start: usize) -> Option<Range<usize>> {
    let at = text.char_indices().map(|(at, _)| at).nth(start)?;
    text[at..].starts_with(answer).then(|| at..at + answer.len())
}

fn left_out(ids: &[&str], why: &str) -> Option<String> {
    let named = ids.iter().take(NAMED).copied().collect::<Vec<_>>().join(", ");
    let more = if ids.len() > NAMED { ", …" } else { "" };
    (!ids.is_empty()).then(|| format!("{} questions {why} and are left out: {named}{more}", ids.len()))
}

/// Encodes questions, searches for each in `collection`, and finds the tokens of their answers.
pub async fn gather(
    corpus: &Corpus,
    collection: &str,
    asked: &[Asked],
    progress: &(dyn Fn(usize) + Send + Sync),
) -> Result<GatheredExamples, EvalError> {
    let Some(embedder) = corpus.embedder() else {
        return Err(EvalError::Search(crate::retrieval::RetrievalError::NoEmbedder));
    };
    // Coverage moves passages for reasons other than their score.
    let options = SearchOptions { rerank: Rerank::Late, coverage_weight: 0.0, ..corpus.options().clone() };
    let plain = corpus.clone().with_options(options.clone());
    let passages = Passages::read(corpus, collection).await?;
    let spoken = corpus.store().collection(collection).await?.languages;
    let mut examples = Vec::with_capacity(asked.len());
    let mut lost = Vec::new();
    for (index, batch) in asked.chunks(AT_ONCE).enumerate() {
        let read = |asked: &Asked| Text { text: asked.text.clone(), language: language_of(&asked.text, &spoken) };
        let texts = batch.iter().map(read).collect();
        let encoded = embedder.queries(texts).await?;
        let request = |asked: &Asked| SearchRequest {
            query: asked.text.clone(),
            collections: vec![collection.to_owned()],
            mode: SearchMode::Hybrid,
            k: RANKED,
        };
        let requests: Vec<SearchRequest> = batch.iter().map(request).collect();
        let found = plain.search(&requests).await;
        for ((asked, encoded), found) in batch.iter().zip(encoded).zip(found) {
            let answers = passages.answers(asked, embedder.as_ref());
            let Some(question) = Question::of(&encoded).filter(|_| !answers.is_empty()) else {
                lost.push(asked.id.as_str());
                continue;
            };
            let ranking = found?.iter().filter_map(|hit| passages.ranked(hit, asked, &answers, &options)).collect();
            let group = passages.group(&answers);
            examples.push(Example { id: asked.id.clone(), group, question, answers, ranking });
        }
        progress((index * AT_ONCE + batch.len()).min(asked.len()));
    }
    let encoder = embedder.identity().clone();
    // As in [`Passages::ranked`].
    let is_judged = asked.iter().any(|asked| asked.relevant.is_some());
    let documents = (0..passages.chunks.len()).map(|at| if is_judged { passages.document(at) } else { at }).collect();
    let set = TrainingSet { encoder, passages: passages.states, documents, examples };
    let warnings = left_out(&lost, "have answers that stand in no passage of the collection").into_iter().collect();
    Ok(GatheredExamples { set, warnings })
}

/// The chunks of a collection and their states, in the order of their ids.
struct Passages {
    chunks: Vec<StoredChunk>,
    states: Vec<Vec<u8>>,
    by_id: BTreeMap<ChunkId, usize>,
    by_path: BTreeMap<String, Vec<usize>>,
}

impl Passages {
    async fn read(corpus: &Corpus, collection: &str) -> Result<Self, EvalError> {
        let store = corpus.store();
        let (mut chunks, mut states) = (Vec::new(), Vec::new());
        for documents in store.documents(collection).await?.chunks(AT_ONCE) {
            let ids: Vec<ChunkId> = documents
                .iter()
                .flat_map(|document| (0..document.chunks).map(|ordinal| ChunkId { document: document.id, ordinal }))
                .collect();
            let read = store.chunks(&ids).await?;
            let ids: Vec<ChunkId> = read.iter().map(|chunk| chunk.id).collect();
            states.extend(store.states(&ids).await?);
            chunks.extend(read);
        }
        let by_id = chunks.iter().enumerate().map(|(at, chunk)| (chunk.id, at)).collect();
        let mut by_path: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for (at, chunk) in chunks.iter().enumerate() {
            by_path.entry(chunk.path.clone()).or_default().push(at);
        }
        Ok(Passages { chunks, states, by_id, by_path })
    }

    /// The tokens of a question's answers.
    fn answers(&self, asked: &Asked, embedder: &dyn Embedder) -> Vec<Answer> {
        let mut answers = Vec::new();
        for span in &asked.answers {
            for &passage in self.by_path.get(&span.path).map_or(&[][..], Vec::as_slice) {
                let chunk = &self.chunks[passage];
                // A passage in a language that the encoder does not know has no states.
                if self.states[passage].is_empty() {
                    continue;
                }
                if span.range.start < chunk.range.start || chunk.range.end < span.range.end {
                    continue;
                }
                let text = Text::of_chunk(chunk);
                let before = text.text.len() - chunk.text.len();
                let at = |byte: usize| byte - chunk.range.start + before;
                let (start, end) = (at(span.range.start), at(span.range.end));
                let ranges = embedder.state_ranges(&text);
                let overlaps = |range: &Range<usize>| range.start < end && start < range.end;
                let first = ranges.iter().position(overlaps);
                let last = ranges.iter().rposition(overlaps);
                if let (Some(first), Some(last)) = (first, last) {
                    let answer = Answer { passage, tokens: first..last + 1 };
                    if !answers.contains(&answer) {
                        answers.push(answer);
                    }
                }
            }
        }
        answers
    }

    fn ranked(&self, hit: &Hit, asked: &Asked, answers: &[Answer], options: &SearchOptions) -> Option<Ranked> {
        let passage = *self.by_id.get(&hit.chunk.id)?;
        let relevant = match &asked.relevant {
            Some(paths) => paths.contains(&hit.chunk.path),
            None => answers.iter().any(|answer| answer.passage == passage),
        };
        let document = match &asked.relevant {
            Some(_) => self.document(passage),
            None => passage,
        };
        let late = hit.parts.rerank.map_or(0.0, |late| late * options.rerank_weight);
        Some(Ranked { passage, document, relevant, fused: hit.score - late, late: hit.score })
    }

    /// The first passage of the passage's document, which represents the document.
    fn document(&self, passage: usize) -> usize {
        let of_path = self.by_path.get(&self.chunks[passage].path);
        of_path.and_then(|all| all.first()).copied().unwrap_or(passage)
    }

    /// The title of the document that answers, or its path if it has no title.
    fn group(&self, answers: &[Answer]) -> String {
        let chunk = answers.first().map(|answer| &self.chunks[answer.passage]);
        chunk.map_or_else(String::new, |chunk| {
            if chunk.title.trim().is_empty() { chunk.path.clone() } else { chunk.title.clone() }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::{Passage, Query};

    fn set(answers: Value) -> Dataset {
        let passage =
            |id: &str, text: &str| Passage { id: id.to_owned(), title: "T".to_owned(), text: text.to_owned() };
        let query = Query {
            id: "q".to_owned(),
            text: "Where?".to_owned(),
            judgements: BTreeMap::from([("a".to_owned(), 1), ("b".to_owned(), 0)]),
            metadata: serde_json::json!({ "answers": answers }),
        };
        Dataset {
            name: "set".to_owned(),
            passages: vec![passage("a", "Zürich liegt in Zürich."), passage("b", "Bern")],
            queries: vec![query],
            warnings: Vec::new(),
        }
    }

    fn check(answers: Value, expected: Result<Range<usize>, &str>) {
        let (asked, warnings) = located_questions(&set(answers));
        match expected {
            Ok(range) => {
                let found: Vec<Range<usize>> = asked[0].answers.iter().map(|span| span.range.clone()).collect();
                assert_eq!((found, warnings.len()), (vec![range], 0));
            }
            Err(part) => {
                assert!(asked.is_empty());
                assert!(warnings[0].contains(part), "{warnings:?}");
            }
        }
    }

    #[test]
    fn answers_are_taken_at_their_characters() {
        check(serde_json::json!([{"text": "Zürich", "start": 16}]), Ok(17..24));
        check(serde_json::json!([{"text": "liegt", "answer_start": 7}, {"text": "liegt", "start": 7}]), Ok(8..13));
        check(serde_json::json!([{"text": "Genf", "start": 0}, {"text": "in", "start": 13}]), Ok(14..16));
    }

    #[test]
    fn answers_that_are_not_there_are_named() {
        check(serde_json::json!([{"text": "Zürich", "start": 15}]), Err("1 questions have answers that do not stand"));
        check(serde_json::json!([{"text": "Zürich", "start": 900}]), Err("left out: q"));
        check(serde_json::json!([]), Err("do not say where"));
        check(Value::Null, Err("do not say where"));
    }
}
