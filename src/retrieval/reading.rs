//! The reader in a search: reads the first hits together with the question, marks the words that answer it, and moves
//! the hit that answers best to the top. The reader sees question and passage together, which no other score does.

use super::RetrievalError;
use super::corpus::{Corpus, SearchRequest};
use crate::base::text::{Language, Spoken, is_cjk};
use crate::bundled::language_of;
use crate::domain::{Hit, StoredChunk};
use crate::read::{self, GoOn, Pair, Reading};

/// The number of hits that are read: as many as the reader manages in a third of a second.
const READ: usize = 10;

/// The weight of the reader's score against the hit's own, within one language.
const WORTH: f32 = 0.3;

/// The weights across languages: whether the passage answers, and how much likelier its best words are than none.
const ANSWERABLE: f32 = 0.4;
const SPAN: f32 = 0.1;

impl Corpus {
    /// Like [`Corpus::search`] for one request, with the first hits read if the settings say so. If `go_on` returns
    /// false before all of them are read, they stay in the order of the search.
    pub async fn search_and_read(&self, request: &SearchRequest, go_on: GoOn) -> Result<Vec<Hit>, RetrievalError> {
        if self.options().reader {
            // Loads the reader in parallel with the search, which uses another model.
            read::load_ahead();
        }
        let mut hits = self.search(std::slice::from_ref(request)).await.pop().transpose()?.unwrap_or_default();
        if self.options().reader {
            read_hits(&mut hits, &request.query, go_on).await;
        }
        Ok(hits)
    }
}

/// Reads the first hits. Hits in a language that the reader does not know keep their places, and so do those in another
/// language or script than the query, unless the first of them is one.
async fn read_hits(hits: &mut [Hit], query: &str, go_on: GoOn) {
    let wide = query.contains(is_cjk);
    // A query is too short to tell its language; hits in its own script count as in its language.
    let japanese = Language::from_code("jpn");
    let is_wide = |chunk: &StoredChunk| match chunk.language {
        Language::UNKNOWN => chunk.text.contains(is_cjk),
        language => language == japanese,
    };
    let known = |&place: &usize| read::can_read(hits[place].chunk.language);
    let mut places: Vec<usize> = (0..hits.len().min(READ)).filter(known).collect();
    let spoken = Spoken::of(hits.iter().map(|hit| (hit.chunk.language, 1)));
    let asked_in = language_of(query, &spoken);
    let is_across = |place: &usize| {
        let chunk = &hits[*place].chunk;
        let differ = ![asked_in, chunk.language].contains(&Language::UNKNOWN) && asked_in != chunk.language;
        differ || is_wide(chunk) != wide
    };
    let across = places.first().is_some_and(is_across);
    if !across {
        places.retain(|place| !is_across(place));
    }
    let pair = |chunk: &StoredChunk| Pair::new((query, asked_in), (chunk.text.as_str(), chunk.language));
    let pairs: Vec<Pair> = places.iter().map(|&place| pair(&hits[place].chunk)).collect();
    match read::read(pairs, go_on).await {
        Ok(Some(readings)) => judge(hits, &places, readings, across),
        Ok(None) => {}
        Err(error) => tracing::warn!(%error, "the hits stay in the order of the search"),
    }
}

/// Marks the answers in the hits at `places`, and reorders these hits by score and reading. Within one language, only
/// the best one moves, to the first place, if the reader thinks that it answers: a passage that does not answer may
/// still be needed beside the one that does. `across` languages all move, since the search could not compare words.
fn judge(hits: &mut [Hit], places: &[usize], readings: Vec<Reading>, across: bool) {
    let worth = |reading: &Reading| {
        if across {
            ANSWERABLE * reading.answerable + SPAN * (reading.span - reading.null)
        } else {
            WORTH * reading.score()
        }
    };
    let mut judged = Vec::with_capacity(places.len());
    for (&place, reading) in places.iter().zip(readings) {
        let hit = &mut hits[place];
        judged.push((hit.score + worth(&reading), place));
        hit.parts.reader = Some(reading.score());
        if hit.answer.is_none() && reading.score() > 0.0 {
            hit.answer = reading.answer;
        }
    }
    judged.sort_by(|a: &(f32, usize), b| b.0.total_cmp(&a.0));
    if across {
        let ordered: Vec<Hit> = judged.iter().map(|&(_, place)| hits[place].clone()).collect();
        for (&place, hit) in places.iter().zip(ordered) {
            hits[place] = Hit { score: hits[place].score, ..hit };
        }
    } else if let (Some(&(_, best)), Some(&first)) = (judged.first(), places.first())
        && hits[best].parts.reader > Some(0.0)
    {
        // Hits above the first one that was read are not affected by the reader.
        hits[best].score = hits[first].score;
        hits[first..=best].rotate_right(1);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;
    use crate::domain::{ChunkId, DocumentId, Headings, ScoreParts};

    fn hit(document: u64, score: f32, language: Language, text: &str) -> Hit {
        Hit {
            chunk: StoredChunk {
                id: ChunkId { document: DocumentId(document), ordinal: 0 },
                collection: "docs".to_owned(),
                path: format!("{document}.md"),
                title: String::new(),
                text: text.to_owned(),
                range: 0..text.len(),
                page: None,
                page_turns: Vec::new(),
                headings: Headings::default(),
                language,
                date: None,
                by: None,
            },
            score,
            parts: ScoreParts::default(),
            highlights: Vec::new(),
            answer: None,
        }
    }

    async fn check(query: &str, mut hits: Vec<Hit>, expected: &[u64]) -> Vec<Hit> {
        read_hits(&mut hits, query, Arc::new(|| true)).await;
        let order: Vec<u64> = hits.iter().map(|hit| hit.chunk.id.document.0).collect();
        assert_eq!(order, expected, "{query}");
        assert!(hits.is_sorted_by(|a, b| a.score >= b.score), "{query}");
        hits
    }

    #[tokio::test]
    async fn the_passage_that_answers_rises_and_shows_the_answer() {
        let english = Language::ENGLISH;
        let hits = vec![
            hit(1, 1.1, english, "The film was praised. It cost 75 million dollars and was shown in many countries."),
            hit(2, 1.0, english, "Work began in 2001. The Simpsons Movie opened on July 27, 2007."),
        ];
        let found = check("When did The Simpsons Movie open?", hits, &[2, 1]).await;
        let answer = found[0].answer.clone().and_then(|range| found[0].chunk.text.get(range));
        assert_eq!(answer, Some("July 27, 2007"));
        assert_eq!(found[1].answer, None);
    }

    #[tokio::test]
    async fn a_passage_that_does_not_answer_stays_behind_the_first() {
        let english = Language::ENGLISH;
        let hits = vec![
            hit(1, 1.1, english, "The mill stands by the river, and its wheel is of oak."),
            hit(2, 1.0, english, "The Simpsons Movie was praised by many."),
        ];
        let found = check("When did The Simpsons Movie open?", hits, &[1, 2]).await;
        // The second is nearer to an answer than the first.
        let by = |nth: usize| found[nth].parts.reader.unwrap();
        assert!(WORTH * (by(1) - by(0)) > 0.1 && by(1) < 0.0, "{} {}", by(0), by(1));
    }

    #[tokio::test]
    async fn what_was_not_read_to_its_end_stays_as_it_was_found() {
        let hits = vec![
            hit(1, 1.1, Language::ENGLISH, "The film was praised. It cost 75 million dollars."),
            hit(2, 1.0, Language::ENGLISH, "The Simpsons Movie opened on July 27, 2007."),
        ];
        let mut found = hits.clone();
        // The reader is stopped before the last passage.
        let asked = AtomicUsize::new(0);
        let go_on = Arc::new(move || asked.fetch_add(1, Ordering::Relaxed) < 1);
        read_hits(&mut found, "When did The Simpsons Movie open?", go_on).await;
        assert_eq!(found, hits);
    }

    #[tokio::test]
    async fn what_the_reader_does_not_know_keeps_its_place() {
        let hungarian = Language::from_code("hun");
        let hits = vec![
            hit(1, 1.2, hungarian, "A filmet dicsérték."),
            hit(2, 1.1, Language::ENGLISH, "The film was praised."),
            hit(3, 1.0, Language::ENGLISH, "The Simpsons Movie opened on July 27, 2007."),
        ];
        let found = check("When did The Simpsons Movie open?", hits, &[1, 3, 2]).await;
        assert_eq!(found[0].parts.reader, None);
        assert!(found[1].parts.reader > found[2].parts.reader);
        check("", Vec::new(), &[]).await;
    }

    #[tokio::test]
    async fn across_languages_all_that_was_read_is_ordered_by_the_reader() {
        let (english, japanese) = (Language::ENGLISH, Language::from_code("jpn"));
        let hits = vec![
            hit(1, 1.3, english, "The film was praised, and was shown in many countries."),
            hit(2, 1.2, Language::from_code("hun"), "A filmet dicsérték."),
            hit(3, 1.1, english, "Work began in 2001. The Simpsons Movie opened in July."),
            hit(4, 1.0, english, "The Simpsons Movie opened on July 27, 2007."),
        ];
        let question = "映画「The Simpsons Movie」はいつ公開されたか。";
        let found = check(question, hits.clone(), &[4, 2, 3, 1]).await;
        assert_eq!(found[1].parts.reader, None);
        // If a hit in the query's own script comes first, the other hits are not read.
        let own = hit(5, 1.4, japanese, "映画は高く評価された。");
        let found = check(question, [vec![own], hits].concat(), &[5, 1, 2, 3, 4]).await;
        assert!(found[0].parts.reader.is_some() && found[1..].iter().all(|hit| hit.parts.reader.is_none()));
    }
}
