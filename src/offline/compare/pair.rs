//! Which two documents a question compares: two issues of a series, or two versions of one document. What they say is
//! compared in [`super`].

use std::collections::BTreeSet;

use crate::base::text::Language;
use crate::llm::purpose::EvidenceCard;
use crate::offline::terms::{Rarity, content_set, question_terms};
use crate::report::{asks_what_changed, is_later_issue, is_newer_version};

/// The weight of the question's words in a passage, relative to those in its title and its file's name.
const TEXT: f32 = 0.5;

/// Two documents whose differences a question asks for, each by one of its passages.
pub(super) struct Pair {
    pub newer: usize,
    pub older: usize,
    /// Whether they are issues of a series, each on its own time, rather than versions.
    pub are_issues: bool,
}

/// Returns the documents among `cards` that `question` compares; `None` if it compares none.
pub(super) fn asked_pair(question: &str, language: Language, cards: &[EvidenceCard]) -> Option<Pair> {
    if !asks_what_changed(question) {
        return None;
    }
    issues(question, cards).or_else(|| versions(question, language, cards))
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
    Some(Pair { newer, older, are_issues: true })
}

/// Returns passages of the newer and the older of two versions. No other document's title and file name may hold more
/// of the question's words, or if no title holds any, no other text. Of several pairs the one that holds most of them
/// is taken, and of several versions the last two.
fn versions(question: &str, language: Language, cards: &[EvidenceCard]) -> Option<Pair> {
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
    let is_pair = |&(newer, older): &(usize, usize)| is_newer_version(&cards[newer].edition(), &cards[older].edition());
    let pairs = (0..cards.len()).flat_map(|one| (0..cards.len()).map(move |other| (one, other)));
    let (newer, older) = pairs
        .filter(is_pair)
        .filter(|&(newer, older)| (is_asked(newer) || is_asked(older)) && held(newer) + held(older) > 0.0)
        .max_by(|a, b| {
            let worth = |pair: &(usize, usize)| held(pair.0) + held(pair.1);
            let dates = |pair: &(usize, usize)| (cards[pair.0].date.as_str(), cards[pair.1].date.as_str());
            worth(a).total_cmp(&worth(b)).then(dates(a).cmp(&dates(b))).then(b.cmp(a))
        })?;
    Some(Pair { newer, older, are_issues: false })
}
