//! The evidence of a run: every passage that a search found, once, under a number that never changes.
//!
//! Scores of different searches cannot be compared, so a passage's priority comes from its standing within each search
//! that found it: half is its score, scaled between the worst and the best of that search, half its rank there. The
//! best standing counts in full, every further one a tenth. Passages that the model called helpful come before all
//! others, and those of its newest judgement are in the order in which it named them.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::PathBuf;

use jiff::civil::Date;

use super::prompt_text::passage_tokens;
use crate::base::ContentHash;
use crate::base::text::{estimate_tokens, excerpt, one_line};
use crate::domain::{ChunkId, FoundPassage, Hit, ScoreParts, StoredChunk};
use crate::llm::purpose::EvidenceCard;
use crate::report::{shown_date, shown_path};

/// Added to the priority of a helpful passage: more than any standing.
const HELPFUL: f32 = 2.0;
/// The share of its standing that each further search that found a passage adds.
const FOUND_AGAIN: f32 = 0.1;
/// The rank, counted from 0, at which the rank's part of a standing is halved.
const HALF_RANK: f32 = 5.0;
/// The number of bytes shown on each side of the place where the answer begins.
const ANSWER_BYTES: usize = 48;
/// The number of passages of each sub-query that come before all others in a prompt.
const BEST_OF_EACH: usize = 3;
/// The least number of passages that a report is written from, if there are so many.
const ENOUGH: usize = 10;

/// One passage.
#[derive(Debug)]
pub(super) struct Entry {
    pub chunk: StoredChunk,
    /// The standing in each search that found the passage, best first.
    standings: Vec<f32>,
    /// Where the model put the passage among the helpful ones: the number of the judgement, from 1, and the place in
    /// it.
    helpful: Option<(usize, usize)>,
    /// The day since which an earlier run knows its content.
    pub known: Option<Date>,
    found_by: Vec<usize>,
    /// The best standing in the searches for each sub-query of `found_by`.
    found_at: Vec<f32>,
    /// For each of these sub-queries, the smallest distance of its score from the best one of the search.
    behind: Vec<f32>,
    /// The round that first found the passage; 0 for the probe.
    round: usize,
    /// Set once a search of the plan, or a later one, found the passage.
    planned: bool,
    /// Where an answer model says that the answer begins, and the standing in the search for which it said so.
    answer: Option<(f32, Range<usize>)>,
}

impl Entry {
    fn priority(&self) -> f32 {
        let best = self.standings.first().copied().unwrap_or(0.0);
        let again: f32 = self.standings.iter().skip(1).sum();
        best + (FOUND_AGAIN * again).min(0.5) + if self.helpful.is_some() { HELPFUL } else { 0.0 }
    }
}

/// All passages of a run; number `n` is entry `n - 1`.
#[derive(Debug, Default)]
pub(super) struct Ledger {
    entries: Vec<Entry>,
    by_chunk: BTreeMap<ChunkId, usize>,
    by_text: BTreeMap<ContentHash, usize>,
    round: usize,
    judgements: usize,
    /// The folder to which cards show paths relative, if they are below it.
    working_dir: Option<PathBuf>,
}

impl Ledger {
    pub fn below(working_dir: Option<PathBuf>) -> Self {
        Ledger { working_dir, ..Ledger::default() }
    }

    pub fn len(&self) -> usize {
        self.entries.len()
    }

    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Whether the ledger holds only what earlier runs knew.
    pub fn is_only_known(&self) -> bool {
        self.entries.iter().all(|entry| entry.known.is_some())
    }

    /// The passage with a number.
    pub fn get(&self, number: usize) -> Option<&Entry> {
        number.checked_sub(1).and_then(|index| self.entries.get(index))
    }

    /// The texts of all passages.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        self.entries.iter().map(|entry| entry.chunk.text.as_str())
    }

    /// Begins a new round: passages that it finds first count as new.
    pub fn begin_round(&mut self, round: usize) {
        self.round = round;
    }

    /// Adds the hits of one search, best first, and returns the number of passages that no search of a round had found.
    /// Passages found only before the plan count as new.
    pub fn add(&mut self, hits: Vec<Hit>, query: usize) -> usize {
        let mut new = 0;
        let best = hits.first().map_or(0.0, |hit| hit.score);
        let worst = hits.last().map_or(0.0, |hit| hit.score);
        for (rank, hit) in hits.into_iter().enumerate() {
            let spread = best - worst;
            let share = if spread > 0.0 { ((hit.score - worst) / spread).clamp(0.0, 1.0) } else { 1.0 };
            let standing = 0.5 * share + 0.5 / (1.0 + rank as f32 / HALF_RANK);
            let text = words_of(&hit.chunk);
            let known = self.by_chunk.get(&hit.chunk.id).or_else(|| self.by_text.get(&text)).copied();
            let index = known.unwrap_or_else(|| {
                self.entries.push(Entry {
                    chunk: hit.chunk.clone(),
                    standings: Vec::new(),
                    helpful: None,
                    known: None,
                    found_by: Vec::new(),
                    found_at: Vec::new(),
                    behind: Vec::new(),
                    round: self.round,
                    planned: false,
                    answer: None,
                });
                self.entries.len() - 1
            });
            self.by_chunk.insert(hit.chunk.id, index);
            self.by_text.entry(text).or_insert(index);
            let entry = &mut self.entries[index];
            let looked_at_before = self.round > 0 && !entry.planned && entry.known.is_none();
            new += usize::from(known.is_none() || looked_at_before);
            entry.planned |= self.round > 0;
            // Another chunk with the same words does not count: its case and spaces may shift the place.
            if let Some(answer) = hit.answer.filter(|_| entry.chunk.text == hit.chunk.text)
                && entry.answer.as_ref().is_none_or(|(best, _)| standing > *best)
            {
                entry.answer = Some((standing, answer));
            }
            entry.standings.push(standing);
            entry.standings.sort_by(|a, b| b.total_cmp(a));
            match entry.found_by.iter().position(|&other| other == query) {
                Some(place) => {
                    entry.found_at[place] = entry.found_at[place].max(standing);
                    entry.behind[place] = entry.behind[place].min(best - hit.score);
                }
                None => {
                    entry.behind.push(best - hit.score);
                    entry.found_by.push(query);
                    entry.found_at.push(standing);
                }
            }
        }
        new
    }

    /// Adds passages that are read for the sake of their document, each as an entry of its own even if a passage of
    /// another document has the same words: text that two versions share is in both. Returns the number of passages
    /// that were not here.
    pub fn add_separately(&mut self, chunks: Vec<StoredChunk>) -> usize {
        let is_here = |chunk: &StoredChunk| {
            let index = self.by_chunk.get(&chunk.id);
            index.and_then(|&index| self.entries.get(index)).is_some_and(|entry| entry.chunk.id == chunk.id)
        };
        let new: Vec<StoredChunk> = chunks.into_iter().filter(|chunk| !is_here(chunk)).collect();
        for chunk in &new {
            self.by_chunk.remove(&chunk.id);
            self.by_text.remove(&words_of(chunk));
        }
        self.add(new.into_iter().map(unscored).collect(), 0)
    }

    /// The number of a passage; `None` if it is not here.
    pub fn number_of(&self, chunk: ChunkId) -> Option<usize> {
        self.by_chunk.get(&chunk).map(|index| index + 1)
    }

    /// A passage as models see it, in full.
    pub fn card_of(&self, number: usize) -> Option<EvidenceCard> {
        let index = number.checked_sub(1)?;
        let text = self.entries.get(index)?.chunk.text.as_str();
        Some(self.card(index, text))
    }

    /// A passage as models see it, without a number; it need not be in the ledger.
    pub fn sample(&self, chunk: &StoredChunk, text: &str) -> EvidenceCard {
        let page = chunk.page.map(|page| format!("p. {page}"));
        let headings = Some(chunk.headings.shared.join(" › ")).filter(|headings| !headings.is_empty());
        EvidenceCard {
            number: 0,
            collection: chunk.collection.clone(),
            title: chunk.title.clone(),
            path: shown_path(&chunk.path, self.working_dir.as_deref()),
            place: page.into_iter().chain(headings).collect::<Vec<_>>().join(", "),
            date: shown_date(chunk.date).unwrap_or_default(),
            known: String::new(),
            answer: String::new(),
            text: text.to_owned(),
            language: chunk.language,
            headings: chunk.headings.clone(),
            at: chunk.range.start,
            score: 0.0,
            found_by: Vec::new(),
            standings: Vec::new(),
            behind: Vec::new(),
            new: false,
        }
    }

    /// Adds the passages of a finding of an earlier run that still holds. They helped then, so they rank above what the
    /// question alone finds.
    pub fn add_known(&mut self, chunks: Vec<StoredChunk>, since: Date) {
        let mut numbers = Vec::new();
        for chunk in chunks {
            let id = chunk.id;
            if !self.by_chunk.contains_key(&id) {
                self.add(vec![unscored(chunk)], 0);
            }
            let index = self.by_chunk.get(&id).copied();
            if let Some((index, entry)) = index.and_then(|index| Some((index, self.entries.get_mut(index)?))) {
                entry.known = Some(entry.known.map_or(since, |known| known.min(since)));
                numbers.push(index + 1);
            }
        }
        self.mark_helpful(&numbers);
    }

    /// Records which passages the model calls helpful, the most helpful first; returns the numbers that do not exist.
    pub fn mark_helpful(&mut self, numbers: &[usize]) -> Vec<usize> {
        let mut missing = Vec::new();
        self.judgements += 1;
        for (place, &number) in numbers.iter().enumerate() {
            match number.checked_sub(1).and_then(|index| self.entries.get_mut(index)) {
                // A number that is named twice keeps its first place.
                Some(Entry { helpful: Some((judgement, _)), .. }) if *judgement == self.judgements => {}
                Some(entry) => entry.helpful = Some((self.judgements, place)),
                None => missing.push(number),
            }
        }
        missing
    }

    /// The passages for a prompt, best first, within a limit of tokens. The best few of every sub-query come before the
    /// rest, so that no part of the question is crowded out. Of passages that overlap in their document the later one
    /// shows only the text that the earlier one lacks. At least one passage is returned, cut to the limit if necessary.
    pub fn cards(&self, max_tokens: u64) -> Vec<EvidenceCard> {
        self.cards_within(&self.reading_order(), max_tokens)
    }

    /// Like [`Self::cards`], with the paths as stored, for uses that show them to nobody.
    pub fn cards_as_stored(&self, max_tokens: u64) -> Vec<EvidenceCard> {
        let mut cards = self.cards(max_tokens);
        for card in &mut cards {
            card.path.clone_from(&self.entries[card.number - 1].chunk.path);
        }
        cards
    }

    /// Like [`Self::cards`], for the passages that one sub-query found.
    pub fn cards_of(&self, query: usize, max_tokens: u64) -> Vec<EvidenceCard> {
        let mut order = self.reading_order();
        order.retain(|&index| self.entries[index].found_by.contains(&query));
        self.cards_within(&order, max_tokens)
    }

    /// The passages for the report: all helpful ones, and the best of the others as long as all together stay within
    /// `enough` tokens or are few. If none is helpful, as [`Self::cards`].
    pub fn cards_for_report(&self, max_tokens: u64, enough: u64) -> Vec<EvidenceCard> {
        let helpful: Vec<usize> = self.helpful().iter().map(|number| number - 1).collect();
        if helpful.is_empty() {
            return self.cards(max_tokens);
        }
        let mut taken = Vec::new();
        let mut left = self.take(&mut taken, &helpful, max_tokens);
        let order = self.reading_order();
        for index in order {
            // A later passage may still be short enough.
            let room = if taken.len() < ENOUGH { left } else { enough.saturating_sub(max_tokens - left).min(left) };
            left -= room - self.take(&mut taken, &[index], room);
        }
        self.cards_of_taken(taken, &helpful, max_tokens)
    }

    /// Like [`Self::cards`], for the passages that some of these sub-queries found and that are not in `shown`. Also
    /// returns the numbers of those that did not fit, the best first.
    pub fn cards_except(
        &self,
        shown: &BTreeSet<usize>,
        queries: &BTreeSet<usize>,
        max_tokens: u64,
    ) -> (Vec<EvidenceCard>, Vec<usize>) {
        let mut order = self.reading_order();
        order.retain(|&index| {
            !shown.contains(&(index + 1)) && self.entries[index].found_by.iter().any(|query| queries.contains(query))
        });
        let cards = self.cards_within(&order, max_tokens);
        let is_taken = |index: &usize| cards.iter().any(|card| card.number == index + 1);
        let others = order.iter().filter(|index| !is_taken(index)).map(|index| index + 1).collect();
        (cards, others)
    }

    /// Like [`Self::cards`], for the named passages and then for those that one sub-query found.
    pub fn cards_among(&self, named: &[usize], query: usize, max_tokens: u64) -> Vec<EvidenceCard> {
        let named = named.iter().filter_map(|number| number.checked_sub(1)).filter(|&index| index < self.entries.len());
        let mut order: Vec<usize> = Vec::new();
        let found = self.reading_order().into_iter().filter(|&index| self.entries[index].found_by.contains(&query));
        for index in named.chain(found) {
            if !order.contains(&index) {
                order.push(index);
            }
        }
        self.cards_within(&order, max_tokens)
    }

    fn cards_within(&self, order: &[usize], max_tokens: u64) -> Vec<EvidenceCard> {
        let mut taken = Vec::new();
        self.take(&mut taken, order, max_tokens);
        self.cards_of_taken(taken, order, max_tokens)
    }

    /// Takes the passages of `order` that fit and do not lie within one taken before; returns the tokens that are left.
    fn take(&self, taken: &mut Vec<usize>, order: &[usize], mut left: u64) -> u64 {
        for &index in order {
            let Some(entry) = self.entries.get(index) else { continue };
            if taken.iter().filter_map(|&other| self.entries.get(other)).any(|other| holds(other, entry)) {
                continue;
            }
            let tokens = passage_tokens(&self.card(index, &entry.chunk.text));
            if tokens <= left {
                left -= tokens;
                taken.push(index);
            }
        }
        left
    }

    fn cards_of_taken(&self, mut taken: Vec<usize>, order: &[usize], max_tokens: u64) -> Vec<EvidenceCard> {
        if taken.is_empty() {
            return order.iter().take(1).map(|&index| self.cut_card(index, max_tokens)).collect();
        }
        taken.sort_by(|&a, &b| self.by_priority(a, b));
        taken.iter().map(|&index| self.card(index, self.text_beside(index, &taken))).collect()
    }

    /// The numbers of the helpful passages, those of the newest judgement first.
    pub fn helpful(&self) -> Vec<usize> {
        let mut helpful: Vec<usize> =
            (0..self.entries.len()).filter(|&index| self.entries[index].helpful.is_some()).collect();
        helpful.sort_by(|&a, &b| self.by_priority(a, b));
        helpful.into_iter().map(|index| index + 1).collect()
    }

    /// The sub-queries that found a passage.
    pub fn queries_of(&self, number: usize) -> &[usize] {
        self.get(number).map_or(&[], |entry| &entry.found_by)
    }

    /// Every passage, in the order in which prompts show them.
    pub fn found(&self) -> Vec<FoundPassage> {
        let mut order: Vec<usize> = (0..self.entries.len()).collect();
        order.sort_by(|&a, &b| self.by_priority(a, b));
        let found = |index: usize| {
            let Entry { chunk, round, planned, .. } = &self.entries[index];
            FoundPassage {
                number: index + 1,
                chunk: chunk.id,
                path: chunk.path.clone(),
                collection: chunk.collection.clone(),
                round: *round,
                planned: *planned,
                tokens: estimate_tokens(&chunk.text),
            }
        };
        order.into_iter().map(found).collect()
    }

    /// Orders the passages of the newest judgement as named there, then those of earlier ones, then the rest by
    /// standing.
    fn by_priority(&self, a: usize, b: usize) -> std::cmp::Ordering {
        let judged =
            |index: usize| self.entries[index].helpful.map(|(judgement, place)| (self.judgements - judgement, place));
        let by_judgement = match (judged(a), judged(b)) {
            (Some(a), Some(b)) => a.cmp(&b),
            (a, b) => b.is_some().cmp(&a.is_some()),
        };
        let by_standing = || self.entries[b].priority().total_cmp(&self.entries[a].priority());
        by_judgement.then_with(by_standing).then(a.cmp(&b))
    }

    /// Every passage once: the best of each sub-query in turn, then all by priority.
    fn reading_order(&self) -> Vec<usize> {
        let mut by_priority: Vec<usize> = (0..self.entries.len()).collect();
        by_priority.sort_by(|&a, &b| self.by_priority(a, b));
        let queries = self.entries.iter().flat_map(|entry| &entry.found_by).max().map_or(0, |last| last + 1);
        let mut best: Vec<Vec<usize>> = vec![Vec::new(); queries];
        for &index in &by_priority {
            for &query in &self.entries[index].found_by {
                if best[query].len() < BEST_OF_EACH {
                    best[query].push(index);
                }
            }
        }
        let turns = (0..BEST_OF_EACH).flat_map(|turn| best.iter().filter_map(move |list| list.get(turn).copied()));
        let mut seen = vec![false; self.entries.len()];
        turns.chain(by_priority.iter().copied()).filter(|&index| !std::mem::replace(&mut seen[index], true)).collect()
    }

    /// The text of a passage without the part shown by an earlier passage of the same document that is also taken.
    fn text_beside(&self, index: usize, taken: &[usize]) -> &str {
        let chunk = &self.entries[index].chunk;
        let shown_until = taken
            .iter()
            .map(|&other| &self.entries[other].chunk)
            .filter(|other| other.id.document == chunk.id.document && other.range.start < chunk.range.start)
            .map(|other| other.range.end)
            .max()
            .unwrap_or(0);
        beyond(chunk, Some(shown_until))
    }

    fn cut_card(&self, index: usize, max_tokens: u64) -> EvidenceCard {
        let text = &self.entries[index].chunk.text;
        // A token has at least about one character, so the text is within the limit in every script.
        let chars = usize::try_from(max_tokens).unwrap_or(usize::MAX).max(100);
        self.card(index, &excerpt(text, chars))
    }

    fn card(&self, index: usize, text: &str) -> EvidenceCard {
        let entry = &self.entries[index];
        EvidenceCard {
            number: index + 1,
            score: entry.priority(),
            found_by: entry.found_by.clone(),
            standings: entry.found_at.clone(),
            behind: entry.behind.clone(),
            new: entry.round == self.round,
            known: entry.known.map(|known| known.to_string()).unwrap_or_default(),
            answer: entry.answer.as_ref().map(|(_, place)| around(&entry.chunk.text, place)).unwrap_or_default(),
            ..self.sample(&entry.chunk, text)
        }
    }
}

/// A passage that no search has found, as a hit with score 0.
pub(super) fn unscored(chunk: StoredChunk) -> Hit {
    Hit { chunk, score: 0.0, parts: ScoreParts::default(), highlights: Vec::new(), answer: None }
}

/// A hash of a passage's words that ignores case and spaces.
fn words_of(chunk: &StoredChunk) -> ContentHash {
    ContentHash::of(one_line(&chunk.text).to_lowercase().as_bytes())
}

/// A place in a passage with a few words on each side, as one line.
fn around(text: &str, place: &Range<usize>) -> String {
    let from = text.floor_char_boundary(place.start.saturating_sub(ANSWER_BYTES));
    let to = text.floor_char_boundary(place.end.saturating_add(ANSWER_BYTES));
    let words = text.get(from..to).unwrap_or_default();
    // Words that are cut at the borders are left out.
    let words = if from > 0 { words.split_once(char::is_whitespace).map_or(words, |(_, rest)| rest) } else { words };
    let words =
        if to < text.len() { words.rsplit_once(char::is_whitespace).map_or(words, |(rest, _)| rest) } else { words };
    one_line(words)
}

/// Whether a passage lies within another of the same document.
fn holds(outer: &Entry, inner: &Entry) -> bool {
    outer.chunk.id.document == inner.chunk.id.document
        && outer.chunk.range.start <= inner.chunk.range.start
        && inner.chunk.range.end <= outer.chunk.range.end
}

/// The text of a chunk beyond `shown_until`, up to which its document is shown already; the whole text if nothing else
/// is left.
pub(super) fn beyond(chunk: &StoredChunk, shown_until: Option<usize>) -> &str {
    let own = shown_until.and_then(|end| chunk.text.get(end.checked_sub(chunk.range.start)?..));
    own.map(str::trim_start).filter(|own| !own.is_empty()).unwrap_or(&chunk.text)
}

#[cfg(test)]
#[path = "ledger_tests.rs"]
mod tests;
