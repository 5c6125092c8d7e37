//! Which collections a search goes to, by the words of their names, descriptions, vocabularies and samples.

use std::collections::BTreeSet;

use super::terms::{Rarity, content_set};
use crate::base::text::Language;
use crate::llm::purpose::CollectionCard;

/// A collection is also searched if its score is at least this share of the best one's.
const CLOSE: f32 = 0.5;

/// The terms of the collections, prepared once for all searches of a plan.
pub(super) struct Routes {
    collections: Vec<(String, BTreeSet<String>)>,
    rarity: Rarity,
}

impl Routes {
    /// Analyses the collections' cards.
    pub(super) fn new(cards: &[CollectionCard], language: Language) -> Self {
        let collections: Vec<(String, BTreeSet<String>)> = cards
            .iter()
            .map(|card| {
                let mut text = format!("{}\n{}\n{}", card.name, card.description, card.vocabulary.join(" "));
                for sample in &card.samples {
                    for part in [&sample.title, &sample.place, &sample.text] {
                        text.push('\n');
                        text.push_str(part);
                    }
                }
                (card.name.clone(), content_set(&text, language))
            })
            .collect();
        let rarity = Rarity::of(collections.iter().map(|(_, terms)| terms));
        Routes { collections, rarity }
    }

    /// Returns the collections that know the words of `query`; empty, which means all, if there is nothing to choose or
    /// the words do not tell.
    pub(super) fn of(&self, query: &str, language: Language) -> Vec<String> {
        if self.collections.len() < 2 {
            return Vec::new();
        }
        let wanted = content_set(query, language);
        // A word that every collection knows, or none, does not tell them apart.
        let telling: BTreeSet<String> = wanted
            .into_iter()
            .filter(|term| {
                let holders = self.collections.iter().filter(|(_, terms)| terms.contains(term)).count();
                (1..self.collections.len()).contains(&holders)
            })
            .collect();
        if telling.len() < 2 {
            return Vec::new();
        }
        let scores: Vec<f32> =
            self.collections.iter().map(|(_, terms)| self.rarity.coverage(&telling, terms)).collect();
        let best = scores.iter().copied().max_by(f32::total_cmp).unwrap_or(0.0);
        if best < 0.5 {
            return Vec::new();
        }
        let chosen: Vec<String> = self
            .collections
            .iter()
            .zip(&scores)
            .filter(|(_, score)| **score >= best * CLOSE)
            .map(|((name, _), _)| name.clone())
            .collect();
        if chosen.len() == self.collections.len() { Vec::new() } else { chosen }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn card(name: &str, description: &str, vocabulary: &str) -> CollectionCard {
        CollectionCard {
            name: name.to_owned(),
            description: description.to_owned(),
            documents: 3,
            vocabulary: vocabulary.split_whitespace().map(str::to_owned).collect(),
            samples: Vec::new(),
        }
    }

    #[test]
    fn searches_go_where_their_words_are_known() {
        let cards = [
            card("birds", "Field guides", "feather wing nest migration bird"),
            card("ships", "Harbour logs", "hull sail anchor migration cargo"),
            card("taxes", "Statutes", "levy duty income cargo"),
        ];
        let routes = Routes::new(&cards, Language::ENGLISH);
        let check = |query: &str, expected: &[&str]| {
            assert_eq!(routes.of(query, Language::ENGLISH), expected, "{query}");
        };
        check("wing and feather of a nest", &["birds"]);
        check("hull duty", &["ships", "taxes"]);
        check("what is quantum chromodynamics", &[]);
        check("hull", &[]);
        check("", &[]);
    }

    #[test]
    fn a_single_collection_needs_no_route() {
        let routes = Routes::new(&[card("birds", "", "feather wing")], Language::ENGLISH);
        assert!(routes.of("feather wing", Language::ENGLISH).is_empty());
    }
}
