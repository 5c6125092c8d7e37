//! Finds the sentences of a passage that are closest to a query in meaning.

use std::ops::Range;

use super::{Corpus, RetrievalError};
use crate::base::text::{Spoken, sentences};
use crate::bundled::language_of;
use crate::domain::Hit;
use crate::embed::Text;

/// The maximum number of sentences of one passage that are compared. Only a list has more.
const MOST_COMPARED: usize = 16;
/// The maximum number of sentences of one passage that are marked.
const MOST_MARKED: usize = 2;
/// A sentence whose similarity is below this share of the closest one's is not worth showing beside it.
const SHARE_OF_BEST: f32 = 0.85;

impl Corpus {
    /// Marks in each hit the sentences closest to the query in meaning, instead of those that hold its words. Hits stay
    /// as they are if there is no embedder or it does not know the query's language.
    pub async fn mark_closest(&self, query: &str, hits: &mut [Hit]) -> Result<(), RetrievalError> {
        let Some(embedder) = self.embedder() else { return Ok(()) };
        let spoken = Spoken::of(hits.iter().map(|hit| (hit.chunk.language, 1)));
        let language = language_of(query, &spoken);
        if !super::scope::knows(embedder.as_ref(), query, language) {
            return Ok(());
        }
        let mut texts = Vec::new();
        let mut places: Vec<(usize, Range<usize>)> = Vec::new();
        for (index, hit) in hits.iter().enumerate() {
            for range in sentences(&hit.chunk.text).take(MOST_COMPARED) {
                texts.push(Text { text: hit.chunk.text[range.clone()].to_owned(), language: hit.chunk.language });
                places.push((index, range));
            }
        }
        if texts.is_empty() {
            return Ok(());
        }
        let queries = embedder.queries(vec![Text { text: query.to_owned(), language }]).await?;
        let vectors = embedder.passages(texts).await?;
        let Some(query) = queries.first() else { return Ok(()) };
        let mut scored: Vec<Vec<(f32, Range<usize>)>> = vec![Vec::new(); hits.len()];
        for ((index, range), vector) in places.into_iter().zip(&vectors) {
            let pairs = query.embedding.iter().zip(&vector.embedding);
            scored[index].push((pairs.map(|(a, b)| a * b).sum(), range));
        }
        for (hit, scored) in hits.iter_mut().zip(scored) {
            hit.highlights = best(scored);
        }
        Ok(())
    }
}

/// The best sentences of a passage, in text order.
fn best(mut scored: Vec<(f32, Range<usize>)>) -> Vec<Range<usize>> {
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.start.cmp(&b.1.start)));
    let least = scored.first().map_or(0.0, |(best, _)| best * SHARE_OF_BEST);
    let mut best: Vec<Range<usize>> = scored
        .into_iter()
        .take(MOST_MARKED)
        .enumerate()
        .filter(|(place, (score, _))| *place == 0 || *score >= least)
        .map(|(_, (_, range))| range)
        .collect();
    best.sort_by_key(|range| range.start);
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(scores: &[f32], expected: &[usize]) {
        let scored = scores.iter().enumerate().map(|(index, score)| (*score, index..index + 1)).collect();
        let found: Vec<usize> = best(scored).into_iter().map(|range| range.start).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn the_closest_is_marked_and_a_near_second() {
        check(&[0.1, 0.8, 0.75, 0.7], &[1, 2]);
        check(&[0.79, 0.1, 0.8], &[0, 2]);
        check(&[0.1, 0.8, 0.2], &[1]);
        check(&[-0.3, -0.2], &[1]);
        check(&[], &[]);
    }
}
