//! Which two documents a question compares: two that it names by their codes, two issues of a series, two of different parties,
//! or two versions of one. What they say is compared in [`super`].

use std::collections::BTreeSet;

use crate::base::text::{Language, capitalised, codes};
use crate::llm::purpose::EvidenceCard;
use crate::offline::defined::{Definitions, are_apart};
use crate::offline::force::amending;
use crate::offline::named::title_and_file;
use crate::offline::split::compares;
use crate::offline::terms::{Rarity, asked_set, content_set, words_of};
use crate::report::{amendment_named, asks_what_changed, is_later_issue, is_newer_version, parties};

/// What the question's words in a passage are worth beside those in its title and its file's name.
const TEXT: f32 = 0.5;

/// Two documents whose differences a question asks for, by a passage of each.
pub(super) struct Pair {
    pub newer: usize,
    pub older: usize,
    /// The codes by which the question tells them apart, or whose they are, where neither was before the other.
    pub named: Option<[String; 2]>,
    /// Whether they are issues of a series, each on its own time, and no versions.
    pub are_issues: bool,
}

/// The documents among `cards` that `question` compares; `None` where it compares none.
pub(super) fn asked_pair(question: &str, language: Language, cards: &[EvidenceCard]) -> Option<Pair> {
    if !asks_what_changed(question) {
        return None;
    }
    named_pair(question, language, cards)
        .or_else(|| issues(question, cards))
        .or_else(|| siblings(question, language, cards))
        .or_else(|| versions(question, language, cards))
}

/// Passages of two issues of a series that the question names, the best of them first.
fn issues(question: &str, cards: &[EvidenceCard]) -> Option<Pair> {
    let pairs = (0..cards.len()).flat_map(|one| (0..cards.len()).map(move |other| (one, other)));
    let (newer, older) = pairs
        .filter(|&(newer, older)| is_later_issue(&cards[newer].edition(), &cards[older].edition(), question))
        .max_by(|a, b| {
            let worth = |&(newer, older): &(usize, usize)| cards[newer].score + cards[older].score;
            worth(a).total_cmp(&worth(b)).then(b.cmp(a))
        })?;
    Some(Pair { newer, older, named: None, are_issues: true })
}

/// Passages of two documents of one kind that the question tells apart by a code in their titles or files' names, as "AX-200
/// and AX-210", the one that is named last first.
fn named_pair(question: &str, language: Language, cards: &[EvidenceCard]) -> Option<Pair> {
    let mut asked: Vec<String> = codes(question).collect();
    asked.dedup();
    let named = |card: &EvidenceCard, code: &String| codes(&title_and_file(card)).any(|own| own == *code);
    let [.., old, new] = asked.as_slice() else { return None };
    let only = |own: &String, other: &String| -> Vec<usize> {
        (0..cards.len()).filter(|&card| named(&cards[card], own) && !named(&cards[card], other)).collect()
    };
    let codes = content_set(&format!("{old} {new}"), language);
    let title = |card: usize| &content_set(&cards[card].title, language) - &codes;
    let (news, olds) = (only(new, old), only(old, new));
    let pairs = news.iter().flat_map(|&a| olds.iter().map(move |&b| (a, b)));
    let (_, newer, older) = pairs
        .map(|(a, b)| (title(a).intersection(&title(b)).count(), a, b))
        .filter(|(shared, ..)| *shared > 0)
        .max_by(|one, other| one.0.cmp(&other.0).then((other.1, other.2).cmp(&(one.1, one.2))))?;
    Some(Pair { newer, older, named: Some([new.clone(), old.clone()]), are_issues: false })
}

/// Passages of two documents of one kind that a question compares: like ones of different parties, whose titles and files'
/// names hold more of its words than those of other documents; or contracts that it names, each by a party or a word of its
/// own.
fn siblings(question: &str, language: Language, cards: &[EvidenceCard]) -> Option<Pair> {
    if !compares(question) {
        return None;
    }
    let wanted = asked_set(question, language);
    let titles: Vec<BTreeSet<String>> = cards.iter().map(|card| content_set(&card.title, language)).collect();
    let names: Vec<BTreeSet<String>> =
        cards.iter().map(|card| content_set(&format!("{} {}", card.title, card.file_name()), language)).collect();
    let rarity = Rarity::of(&names);
    let held = |card: usize| rarity.coverage(&wanted, &names[card]);
    let most = (0..cards.len()).map(held).fold(0.0, f32::max);
    let are_named = |one: usize, other: usize| held(one).max(held(other)) >= most && held(one).min(held(other)) > 0.0;
    let parties = |one: usize, other: usize| parties(&cards[one].edition(), &cards[other].edition());
    let definitions = Definitions::of(cards, &wanted, language);
    let asked_of = |one: usize, other: usize| -> Option<String> {
        let mut parties = definitions.names(&cards[one]);
        let party = parties.find(|name| definitions.names(&cards[other]).all(|of_other| of_other != *name));
        let are_alike = !titles[one].is_disjoint(&titles[other]);
        if let Some(party) = party.filter(|_| are_alike) {
            return Some(party.to_owned());
        }
        let shown = format!("{} {}", cards[one].title, cards[one].file_name());
        let is_own = |word: &&str| {
            let terms = content_set(word, language);
            !terms.is_empty() && terms.is_subset(&wanted) && terms.is_disjoint(&names[other])
        };
        let own: Vec<&str> = words_of(&shown).filter(is_own).collect();
        // Names are written as such.
        let name = own.iter().copied().find(|word| question.contains(&capitalised(word)));
        let name = name.or(own.first().copied()).filter(|_| are_alike && are_apart(&cards[one], &cards[other], cards));
        name.map(str::to_owned)
    };
    let pairs = (0..cards.len()).flat_map(|one| (0..one).map(move |other| (one, other)));
    let pairs = pairs.filter(|&(one, other)| cards[one].path != cards[other].path).filter_map(|(one, other)| {
        let of_parties = || parties(one, other).filter(|_| are_named(one, other));
        let named = match (asked_of(one, other), asked_of(other, one)) {
            (Some(own), Some(others)) => [own, others],
            _ => of_parties()?.map(|party| party.into_iter().collect::<Vec<_>>().join(" ")),
        };
        Some((held(one) + held(other), one, other, named))
    });
    let (_, newer, older, named) = pairs.max_by(|a, b| a.0.total_cmp(&b.0).then((b.1, b.2).cmp(&(a.1, a.2))))?;
    Some(Pair { newer, older, named: Some(named.map(|name| capitalised(&name))), are_issues: false })
}

/// Passages of the newer and the older of two versions, where no other document's title and file's name hold more of the
/// question's words, nor its text where no title holds any; of several pairs the one that holds most of them, and of several
/// versions the last two.
fn versions(question: &str, language: Language, cards: &[EvidenceCard]) -> Option<Pair> {
    let named = |card: &EvidenceCard| content_set(&format!("{} {} {}", card.title, card.path, card.date), language);
    let names: Vec<BTreeSet<String>> = cards.iter().map(named).collect();
    let texts: Vec<BTreeSet<String>> = cards.iter().map(|card| content_set(&card.text, language)).collect();
    let rarity = Rarity::of(names.iter().chain(&texts));
    let wanted = rarity.taken_apart(asked_set(question, language), question, language);
    let named_in = |card: usize| rarity.coverage(&wanted, &names[card]);
    let held = |card: usize| named_in(card) + TEXT * rarity.coverage(&wanted, &texts[card]);
    let most = |of: &dyn Fn(usize) -> f32| (0..cards.len()).map(of).fold(0.0, f32::max);
    let (most_named, most_held) = (most(&named_in), most(&held));
    let is_asked = |card: usize| if most_named > 0.0 { named_in(card) >= most_named } else { held(card) >= most_held };
    let is_pair = |&(newer, older): &(usize, usize)| {
        let (newer, older) = (&cards[newer], &cards[older]);
        let is_amended = || amendment_named(&older.title).is_none() && !amending(newer, older).is_empty();
        is_newer_version(&newer.edition(), &older.edition()) || is_amended()
    };
    let pairs = (0..cards.len()).flat_map(|one| (0..cards.len()).map(move |other| (one, other)));
    let (newer, older) = pairs
        .filter(is_pair)
        .filter(|&(newer, older)| (is_asked(newer) || is_asked(older)) && held(newer) + held(older) > 0.0)
        .max_by(|a, b| {
            let worth = |pair: &(usize, usize)| held(pair.0) + held(pair.1);
            let dates = |pair: &(usize, usize)| (cards[pair.0].date.as_str(), cards[pair.1].date.as_str());
            worth(a).total_cmp(&worth(b)).then(dates(a).cmp(&dates(b))).then(b.cmp(a))
        })?;
    Some(Pair { newer, older, named: None, are_issues: false })
}
