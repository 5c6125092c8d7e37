//! Choosing sentences: central ones first, none that repeats another, and as many documents as have something to say.

use std::collections::{BTreeMap, BTreeSet};

use super::passages::{self, Passage};
use super::terms::{Rarity, content_set, word_count};
use crate::base::text::Language;
use crate::llm::purpose::EvidenceCard;

/// Sentences that share more than this with a chosen one say the same.
const DUPLICATE: f32 = 0.72;

/// Fewer words than this are a remark.
const SHORT: usize = 8;

/// A sentence that may be quoted.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    /// What is quoted.
    pub passage: Passage,
    /// Its content terms.
    pub terms: BTreeSet<String>,
    /// The same number for all candidates of one document.
    pub document: usize,
    /// How many words.
    pub words: usize,
}

/// All sentences of `cards` that may be quoted. A sentence that overlapping chunks repeat is taken once.
pub(super) fn candidates(cards: &[EvidenceCard], language: Language) -> Vec<Candidate> {
    let mut documents: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    let mut seen: BTreeSet<(usize, String)> = BTreeSet::new();
    let mut found = Vec::new();
    for (index, card) in cards.iter().enumerate() {
        let next = documents.len();
        let document = *documents.entry((&card.collection, &card.path)).or_insert(next);
        for passage in passages::of_card(index, card) {
            if seen.insert((document, passage.text.clone())) {
                let terms = content_set(&passage.text, language);
                found.push(Candidate { words: word_count(&passage.text), passage, terms, document });
            }
        }
    }
    found
}

/// What is already chosen, over the whole report.
pub(super) struct Chosen<'c> {
    candidates: &'c [Candidate],
    rarity: &'c Rarity,
    taken: Vec<usize>,
    per_document: BTreeMap<usize, usize>,
}

impl<'c> Chosen<'c> {
    /// Nothing yet.
    pub(super) fn new(candidates: &'c [Candidate], rarity: &'c Rarity) -> Self {
        Chosen { candidates, rarity, taken: Vec::new(), per_document: BTreeMap::new() }
    }

    /// Marks a candidate as used.
    pub(super) fn take(&mut self, index: usize) {
        self.taken.push(index);
        *self.per_document.entry(self.candidates[index].document).or_default() += 1;
    }

    /// The best of `pool` that fits `words` and repeats nothing: relevance less what it shares with the chosen, and
    /// less for each sentence that its document already has. `None` when nothing is worth adding.
    pub(super) fn best(&self, pool: &[(usize, f32)], words: usize) -> Option<usize> {
        let mut best: Option<(f32, usize)> = None;
        for &(index, relevance) in pool {
            let candidate = &self.candidates[index];
            if candidate.words > words || self.taken.contains(&index) {
                continue;
            }
            let likeness = self
                .taken
                .iter()
                .map(|&other| self.likeness(candidate, &self.candidates[other]))
                .max_by(f32::total_cmp)
                .unwrap_or(0.0);
            if likeness > DUPLICATE {
                continue;
            }
            let used = self.per_document.get(&candidate.document).copied().unwrap_or(0);
            let fresh = if used == 0 { 0.25 } else { -0.06 * used as f32 };
            // Very short sentences live on what surrounds them.
            let short = if candidate.words < SHORT { 0.1 } else { 0.0 };
            let score = relevance + fresh - 0.5 * likeness - short;
            if best.is_none_or(|(top, _)| score > top) {
                best = Some((score, index));
            }
        }
        best.map(|(_, index)| index)
    }

    fn likeness(&self, a: &Candidate, b: &Candidate) -> f32 {
        if a.document == b.document
            && (a.passage.text.contains(&b.passage.text) || b.passage.text.contains(&a.passage.text))
        {
            return 1.0;
        }
        self.rarity.overlap(&a.terms, &b.terms)
    }
}

/// How central each candidate is: its mean likeness to the candidates of other documents, scaled to the highest.
pub(super) fn centrality(candidates: &[Candidate], rarity: &Rarity) -> Vec<f32> {
    let mut weights: BTreeMap<&String, f32> = BTreeMap::new();
    for candidate in candidates {
        for term in &candidate.terms {
            // A term that one document alone has says nothing of agreement.
            *weights.entry(term).or_default() += 1.0;
        }
    }
    let raw: Vec<f32> = candidates
        .iter()
        .map(|candidate| {
            let sum: f32 = candidate
                .terms
                .iter()
                .map(|term| (weights.get(term).copied().unwrap_or(1.0) - 1.0).sqrt() * rarity.weight(term))
                .sum();
            sum / (candidate.terms.len() as f32 + 4.0)
        })
        .collect();
    let top = raw.iter().copied().max_by(f32::total_cmp).filter(|top| *top > 0.0).unwrap_or(1.0);
    raw.into_iter().map(|value| value / top).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::offline::testing::card;

    fn chosen_texts(cards: &[EvidenceCard], relevance: &[f32], words: usize, count: usize) -> Vec<String> {
        let candidates = candidates(cards, Language::ENGLISH);
        let rarity = Rarity::of(candidates.iter().map(|candidate| &candidate.terms));
        let pool: Vec<(usize, f32)> = relevance.iter().copied().enumerate().collect();
        let mut chosen = Chosen::new(&candidates, &rarity);
        let mut texts = Vec::new();
        while let Some(index) = chosen.best(&pool, words).filter(|_| texts.len() < count) {
            chosen.take(index);
            texts.push(candidates[index].passage.text.clone());
        }
        texts
    }

    #[test]
    fn a_repetition_is_not_chosen() {
        let cards = [
            card(1, "A", "", "The harbour of Arles froze over in the long winter."),
            card(2, "B", "", "The harbour of Arles froze over in the very long winter."),
            card(3, "C", "", "Bread became dear and the mills stood still for weeks."),
        ];
        assert_eq!(
            chosen_texts(&cards, &[0.9, 0.8, 0.1], 100, 5),
            [
                "The harbour of Arles froze over in the long winter.",
                "Bread became dear and the mills stood still for weeks.",
            ]
        );
    }

    #[test]
    fn documents_take_turns() {
        let cards = [
            card(1, "A", "", "Ships carried salt along the river. Grain came down from the northern hills."),
            card(2, "B", "", "Weavers sold cloth at the autumn market."),
        ];
        assert_eq!(chosen_texts(&cards, &[0.6, 0.55, 0.4], 100, 2)[1], "Weavers sold cloth at the autumn market.");
    }

    #[test]
    fn what_overlapping_chunks_share_is_one_candidate() {
        let text = "Ships carried salt along the wide river.";
        let mut cards = [card(1, "A", "", text), card(2, "A", "", text)];
        assert_eq!(candidates(&cards, Language::ENGLISH).len(), 1);
        cards[1].path = "B.md".to_owned();
        assert_eq!(candidates(&cards, Language::ENGLISH).len(), 2);
    }

    #[test]
    fn sentences_beyond_the_room_are_left_out() {
        let cards = [card(1, "A", "", "Ships carried salt along the wide and slow river.")];
        assert!(chosen_texts(&cards, &[1.0], 5, 5).is_empty());
    }
}
