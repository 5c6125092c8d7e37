use super::prompt_text;
use crate::base::text::{estimate_tokens, excerpt};
use crate::domain::Hit;
use crate::llm::purpose::CollectionCard;

/// The number of typical words of a collection that the planner sees.
pub(super) const VOCABULARY: usize = 20;
/// The most tokens that the collections take in a prompt that shows evidence.
const BESIDE_EVIDENCE: u64 = 2_000;

/// What the question itself finds, before anything is planned.
#[derive(Default)]
pub(super) struct Overview {
    /// What models are shown of each collection.
    pub cards: Vec<CollectionCard>,
    /// The hits in each collection that are not yet in the ledger.
    pub hits: Vec<Vec<Hit>>,
}

impl Overview {
    /// The cards of the collections, with fewer samples and words if they do not fit.
    pub fn cards_within(&self, max_tokens: u64) -> Vec<CollectionCard> {
        fitted(self.cards.clone(), max_tokens)
    }

    /// The cards of the collections for a model that sees evidence, which shows better than samples what can be found;
    /// with fewer words if they do not fit.
    pub fn cards_without_samples(&self, max_tokens: u64) -> Vec<CollectionCard> {
        let max_tokens = max_tokens.min(BESIDE_EVIDENCE);
        let bare = |card: &CollectionCard| CollectionCard { samples: Vec::new(), ..card.clone() };
        // Collections are left out by the scores of their samples.
        let cards = fitted(self.cards.iter().map(bare).collect(), max_tokens);
        if cards.len() == self.cards.len() {
            return cards;
        }
        fitted(self.cards.clone(), max_tokens).iter().map(bare).collect()
    }
}

/// Cards within a limit of tokens: with fewer samples and words, then with shorter descriptions, then only those of the
/// collections in which the question found the best passages.
fn fitted(mut cards: Vec<CollectionCard>, max_tokens: u64) -> Vec<CollectionCard> {
    let fits = |cards: &[CollectionCard]| estimate_tokens(&prompt_text::collections(cards)) <= max_tokens;
    let shorter = [
        (4, VOCABULARY, usize::MAX),
        (2, VOCABULARY, usize::MAX),
        (1, VOCABULARY, usize::MAX),
        (1, 8, usize::MAX),
        (0, 8, usize::MAX),
        (0, 0, usize::MAX),
        (0, 0, 100),
        (0, 0, 0),
    ];
    let best = |card: &CollectionCard| card.samples.iter().map(|sample| sample.score).fold(f32::MIN, f32::max);
    let worth: Vec<f32> = cards.iter().map(best).collect();
    for (samples, words, chars) in shorter {
        if fits(&cards) {
            return cards;
        }
        for card in &mut cards {
            card.samples.truncate(samples);
            card.vocabulary.truncate(words);
            card.description = if chars == 0 { String::new() } else { excerpt(&card.description, chars).into_owned() };
        }
    }
    let mut order: Vec<usize> = (0..cards.len()).collect();
    order.sort_by(|&a, &b| worth[b].total_cmp(&worth[a]).then(a.cmp(&b)));
    let mut left = max_tokens;
    let mut kept = Vec::new();
    for index in order {
        let tokens = estimate_tokens(&prompt_text::collections(&cards[index..=index])) + 1;
        if tokens > left && !kept.is_empty() {
            break;
        }
        left = left.saturating_sub(tokens);
        kept.push(index);
    }
    kept.sort_unstable();
    kept.into_iter().map(|index| cards[index].clone()).collect()
}
