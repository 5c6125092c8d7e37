//! Which documents a question compares: two issues of a series, two versions of one document, or a document and its
//! amendments. What they say is compared in [`super`].

use std::collections::BTreeSet;

use crate::base::text::Language;
use crate::llm::purpose::EvidenceCard;
use crate::offline::terms::{Rarity, content_set, question_terms};
use crate::report::{Edition, amendment_named, asks_what_changed, is_amendment_of, is_later_issue, is_newer_version};

/// The weight of the question's words in a passage, relative to those in its title and its file's name.
const TEXT: f32 = 0.5;

/// Two documents whose differences a question asks for, each by one of its passages.
pub(super) struct Pair {
    pub newer: usize,
    pub older: usize,
    pub kind: Kind,
}

/// How two documents whose differences a question asks for belong together.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Kind {
    /// They are issues of a series, each on its own time.
    Issues,
    /// The newer is another version of the older and says all that holds now.
    Versions,
    /// The newer gives places of the older new words.
    Amendment,
}

/// Returns the documents among `cards` that `question` compares: two, or one with each of its amendments in the order of
/// their days; empty if it compares none.
pub(super) fn asked_pairs(question: &str, language: Language, cards: &[EvidenceCard]) -> Vec<Pair> {
    if !asks_what_changed(question) {
        return Vec::new();
    }
    if let Some(pair) = issues(question, cards) {
        return vec![pair];
    }
    let newest = |is_newer: fn(&Edition<'_>, &Edition<'_>) -> bool| best_pair(question, language, cards, is_newer);
    if let Some((newer, older)) = newest(is_newer_version) {
        return vec![Pair { newer, older, kind: Kind::Versions }];
    }
    let amends = |newer: &Edition<'_>, older: &Edition<'_>| {
        amendment_named(older.title).is_none() && is_amendment_of(newer, older)
    };
    let Some((_, older)) = newest(amends) else { return Vec::new() };
    let mut paths = BTreeSet::new();
    let mut amendments: Vec<usize> = (0..cards.len())
        .filter(|&card| is_amendment_of(&cards[card].edition(), &cards[older].edition()))
        .filter(|&card| paths.insert(&cards[card].path))
        .collect();
    amendments.sort_by_key(|&card| &cards[card].date);
    amendments.into_iter().map(|newer| Pair { newer, older, kind: Kind::Amendment }).collect()
}

/// Returns passages of two issues of a series that the question names, those with the highest scores.
fn issues(question: &str, cards: &[EvidenceCard]) -> Option<Pair> {
    let pairs = (0..cards.len()).flat_map(|one| (0..cards.len()).map(move |other| (one, other)));
    let (newer, older) = pairs
        .filter(|&(newer, older)| is_later_issue(&cards[newer].edition(), &cards[older].edition(), question))
        .max_by(|a, b| {
            let worth = |&(newer, older): &(usize, usize)| cards[newer].score + cards[older].score;
            worth(a).total_cmp(&worth(b)).then(b.cmp(a))
        })?;
    Some(Pair { newer, older, kind: Kind::Issues })
}

/// Returns passages of the newer and the older of two documents of which one is newer in this sense. No other document's title and file name may hold more
/// of the question's words, or if no title holds any, no other text. Of several pairs the one that holds most of them
/// is taken, and of several versions the last two.
fn best_pair(
    question: &str,
    language: Language,
    cards: &[EvidenceCard],
    is_newer: impl Fn(&Edition<'_>, &Edition<'_>) -> bool,
) -> Option<(usize, usize)> {
    let named = |card: &EvidenceCard| content_set(&format!("{} {} {}", card.title, card.path, card.date), language);
    let names: Vec<BTreeSet<String>> = cards.iter().map(named).collect();
    let texts: Vec<BTreeSet<String>> = cards.iter().map(|card| content_set(&card.text, language)).collect();
    let rarity = Rarity::of(names.iter().chain(&texts));
    let wanted = rarity.split_compounds(question_terms(question, language), question, language);
    let named_in = |card: usize| rarity.coverage(&wanted, &names[card]);
    let held = |card: usize| named_in(card) + TEXT * rarity.coverage(&wanted, &texts[card]);
    let most = |of: &dyn Fn(usize) -> f32| (0..cards.len()).map(of).fold(0.0, f32::max);
    let (most_named, most_held) = (most(&named_in), most(&held));
    let is_asked = |card: usize| if most_named > 0.0 { named_in(card) >= most_named } else { held(card) >= most_held };
    let is_pair = |&(newer, older): &(usize, usize)| is_newer(&cards[newer].edition(), &cards[older].edition());
    let pairs = (0..cards.len()).flat_map(|one| (0..cards.len()).map(move |other| (one, other)));
    pairs
        .filter(is_pair)
        .filter(|&(newer, older)| (is_asked(newer) || is_asked(older)) && held(newer) + held(older) > 0.0)
        .max_by(|a, b| {
            let worth = |pair: &(usize, usize)| held(pair.0) + held(pair.1);
            let dates = |pair: &(usize, usize)| (cards[pair.0].date.as_str(), cards[pair.1].date.as_str());
            worth(a).total_cmp(&worth(b)).then(dates(a).cmp(&dates(b))).then(b.cmp(a))
        })
}
