//! Narrow questions whose answer lies a step or two away: "the spouse of the director of the film" names the film, a
//! passage on the film names the director, and only a search for that name finds the spouse.
//!
//! A first passage is judged by its standing in the searches for the question and by how many of the question's telling
//! words it holds. Each name that the best passages bring in may lead on: it is searched together with the question's
//! words that its passage leaves open. What such a follow-up finds is judged by the passage that led there, by whether
//! it is about the name, and by how many of the open words it holds. No passage is judged only by its likeness to the
//! question, which the last step of a chain seldom has.

use std::collections::{BTreeMap, BTreeSet};

use super::entities::entities;
use super::split;
use super::statements::{Form, Statement, statements};
use super::terms::{Rarity, content_set, is_informative_term, unknown_words};
use crate::base::text::Language;
use crate::llm::purpose::{EvidenceCard, ReflectInput};

/// The weight of the question's words that a first passage holds, relative to its standing.
const WORDS: f32 = 0.5;
/// The weight of a part of the question, relative to the whole.
const PART: f32 = 0.7;
/// The weight of a further step, times the merits of the passage: [`PLACE`] to [`OPEN`].
const STEP: f32 = 0.6;
/// The merit of its standing in the follow-up.
const PLACE: f32 = 0.6;
/// The merit of speaking of the name.
const SPEAKS: f32 = 0.5;
/// The merit of the open words that it holds.
const OPEN: f32 = 0.3;
/// The number of passages whose names are followed.
const READ: usize = 3;
/// The weight of names in the first sentence, which says what a passage is about: they lead further than others.
const FIRST: f32 = 1.2;
/// The weight of a name whose passage leaves nothing open: it is more likely the answer than the way to it.
const NOTHING_OPEN: f32 = 0.4;
/// The weight of a single word, which is taken for a name by mistake more often than several.
const SINGLE: f32 = 0.8;
/// The most words of the question that a follow-up carries on.
const OPEN_WORDS: usize = 8;

/// A passage and its score.
pub(super) struct ScoredPassage<'c> {
    /// The passage.
    pub card: &'c EvidenceCard,
    /// The content terms of its text and title.
    terms: BTreeSet<String>,
    title: BTreeSet<String>,
    /// More than 0 if the passage holds a telling word of the question or of a follow-up.
    pub score: f32,
}

/// A search for a name.
pub(super) struct FollowUp {
    /// The name.
    pub name: String,
    /// The text of the search.
    pub query: String,
}

/// Returns the passages of `input`, best first.
pub(super) fn judged<'c>(input: &'c ReflectInput, language: Language) -> Vec<ScoredPassage<'c>> {
    let question = content_set(&input.question, language);
    let mut judged: Vec<ScoredPassage<'c>> = input
        .evidence
        .iter()
        .map(|card| ScoredPassage {
            card,
            terms: content_set(&format!("{}\n{}", card.title, card.text), language),
            title: content_set(plain_title(card), language),
            score: 0.0,
        })
        .collect();
    let rarity = Rarity::of(judged.iter().map(|one| &one.terms));
    let asked: Vec<BTreeSet<String>> = input.asked.iter().map(|asked| content_set(&asked.text, language)).collect();
    let is_part = |index: usize| asked.get(index).is_some_and(|terms| terms.is_subset(&question));
    for one in &mut judged {
        let held = rarity.coverage(&question, &one.terms);
        let standings = one.card.found_by.iter().zip(&one.card.standings).filter(|(index, _)| is_part(**index));
        let standing = standings
            .map(|(&index, &standing)| if index == 0 { standing } else { PART * standing })
            .max_by(f32::total_cmp)
            .unwrap_or(0.0);
        one.score = if held > 0.0 { standing + WORDS * held } else { 0.0 };
    }
    for (index, asked) in input.asked.iter().enumerate().filter(|(index, _)| !is_part(*index)) {
        step(&mut judged, index, &asked.text, &rarity, language);
    }
    judged.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.card.number.cmp(&b.card.number)));
    judged
}

/// Scores the passages that the follow-up with this `index` found.
fn step(judged: &mut [ScoredPassage<'_>], index: usize, text: &str, rarity: &Rarity, language: Language) {
    let (name, open) = split::split_at_join(text);
    let (name, open) = (content_set(name, language), content_set(open, language));
    let from = judged
        .iter()
        .enumerate()
        .filter(|(_, one)| name.is_subset(&one.terms))
        .max_by(|(_, a), (_, b)| a.score.total_cmp(&b.score).then(b.card.number.cmp(&a.card.number)))
        .map(|(place, one)| (place, one.score));
    let Some((source, score)) = from else { return };
    for (place, one) in judged.iter_mut().enumerate() {
        let Some(found) = one.card.found_by.iter().position(|&other| other == index) else { continue };
        if place == source {
            continue;
        }
        let standing = one.card.standings.get(found).copied().unwrap_or(0.0);
        let mut speaks = PLACE * standing + OPEN * rarity.coverage(&open, &one.terms);
        if name.is_subset(&one.terms) {
            speaks += SPEAKS;
        }
        one.score = one.score.max(STEP * score * speaks);
    }
}

/// A name that a passage brings in and that may lead on.
struct Bridge {
    follow_up: FollowUp,
    terms: BTreeSet<String>,
    score: f32,
}

/// Returns at most `limit` searches for names that the best passages bring in and that nobody has asked about, most
/// promising first.
pub(super) fn follow_ups(
    input: &ReflectInput,
    judged: &[ScoredPassage<'_>],
    language: Language,
    limit: usize,
) -> Vec<FollowUp> {
    let question = content_set(&input.question, language);
    let asked: Vec<BTreeSet<String>> = input.asked.iter().map(|asked| content_set(&asked.text, language)).collect();
    let rarity = Rarity::of(judged.iter().map(|one| &one.terms));
    let is_known = |terms: &BTreeSet<String>| {
        terms.is_empty() || terms.is_subset(&question) || asked.iter().any(|asked| terms.is_subset(asked))
    };
    let telling: BTreeSet<String> = question.iter().filter(|term| is_informative_term(term)).cloned().collect();
    // A name that several documents share is on their subject.
    let is_shared = |terms: &BTreeSet<String>| {
        let holding = judged.iter().take(READ).filter(|one| terms.is_subset(&one.terms));
        holding.map(|one| one.card.path.as_str()).collect::<BTreeSet<_>>().len() > 1
    };
    let mut bridges: BTreeMap<BTreeSet<String>, Bridge> = BTreeMap::new();
    for one in judged.iter().take(READ).filter(|one| one.score > 0.0) {
        for (place, statement) in statements(one.card).into_iter().enumerate() {
            let mut context = content_set(&statement.text, language);
            context.extend(one.title.iter().cloned());
            let near = 1.0 + rarity.coverage(&question, &context);
            let leads = !telling.is_disjoint(&context);
            for name in entities(&values(&statement), language) {
                let terms = content_set(&name.text, language);
                if is_known(&terms) || !leads && !is_shared(&terms) {
                    continue;
                }
                let covered: BTreeSet<String> = one.terms.union(&terms).cloned().collect();
                let mut open = unknown_words(&input.question, &covered, language);
                open.truncate(OPEN_WORDS);
                let first = if place == 0 { FIRST } else { 1.0 };
                let left = if open.is_empty() { NOTHING_OPEN } else { 1.0 };
                let full = if terms.len() > 1 { 1.0 } else { SINGLE };
                let score = one.score * near * first * left * full;
                if bridges.get(&terms).is_none_or(|known| known.score < score) {
                    let query = split::join(&name.text, &open);
                    let follow_up = FollowUp { name: name.text, query };
                    bridges.insert(terms.clone(), Bridge { follow_up, terms, score });
                }
            }
        }
    }
    let mut ranked: Vec<Bridge> = bridges.into_values().collect();
    ranked.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.follow_up.name.cmp(&b.follow_up.name)));
    let mut chosen: Vec<Bridge> = Vec::new();
    for bridge in ranked {
        if chosen.len() >= limit {
            break;
        }
        // "Stanley Hall" and "G. Stanley Hall" need only one search.
        if !chosen.iter().any(|other| bridge.terms.is_subset(&other.terms) || other.terms.is_subset(&bridge.terms)) {
            chosen.push(bridge);
        }
    }
    chosen.into_iter().map(|bridge| bridge.follow_up).collect()
}

/// Returns the values of a statement, without the names of columns and values.
fn values(statement: &Statement) -> String {
    let value = |cell: &str| cell.split_once([':', '：']).map_or(cell, |(_, value)| value.trim()).to_owned();
    match statement.form {
        Form::Row => statement.cells().map(value).collect::<Vec<_>>().join("; "),
        Form::Pair => value(&statement.text),
        _ => statement.text.clone(),
    }
}

/// Returns a title without the part that tells it from others of the same name.
fn plain_title(card: &EvidenceCard) -> &str {
    card.title.split(" (").next().unwrap_or_default().trim()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::SubQuery;
    use crate::offline::testing::card;

    const QUESTION: &str = "Who is the spouse of the main director of the film Big Eyes?";

    fn found(mut card: EvidenceCard, by: &[(usize, f32)]) -> EvidenceCard {
        (card.found_by, card.standings) = by.iter().copied().unzip();
        card
    }

    fn film() -> EvidenceCard {
        let text = "Big Eyes is a film directed by Tim Burton. It was shown first in New York by Mary Holm.";
        found(card(1, "Big Eyes (film)", "", text), &[(0, 1.0)])
    }

    fn input(asked: &[&str], evidence: Vec<EvidenceCard>) -> ReflectInput {
        let asked = asked.iter().map(|text| SubQuery { text: (*text).to_owned(), collections: vec![] }).collect();
        ReflectInput {
            question: QUESTION.to_owned(),
            language: "English".to_owned(),
            asked,
            evidence,
            collections: vec![],
            round: 1,
            max_sub_queries: 6,
            today: "2026-01-01".to_owned(),
        }
    }

    fn order(input: &ReflectInput) -> Vec<usize> {
        judged(input, Language::ENGLISH).iter().map(|one| one.card.number).collect()
    }

    #[test]
    fn names_are_asked_about_with_the_words_that_stay_open() {
        let input = input(&[QUESTION], vec![film()]);
        let judged = judged(&input, Language::ENGLISH);
        let check = |limit: usize, expected: &[&str]| {
            let asked: Vec<String> =
                follow_ups(&input, &judged, Language::ENGLISH, limit).into_iter().map(|one| one.query).collect();
            assert_eq!(asked, expected);
        };
        check(1, &["Tim Burton: spouse main director"]);
        check(0, &[]);
        let of = |name: &str| format!("{name}: spouse main director");
        check(6, &[&of("Tim Burton"), &of("Mary Holm"), &of("New York")]);
    }

    #[test]
    fn a_name_leads_where_its_statement_shares_a_word_or_documents_share_it() {
        let check = |texts: [&str; 2], expected: &[&str]| {
            let of = |number: usize, title: &str, text: &str| found(card(number, title, "", text), &[(0, 1.0)]);
            let input = input(&[QUESTION], vec![of(1, "Minutes", texts[0]), of(2, "Letter", texts[1])]);
            let judged = judged(&input, Language::ENGLISH);
            let names: Vec<String> =
                follow_ups(&input, &judged, Language::ENGLISH, 6).into_iter().map(|one| one.name).collect();
            assert_eq!(names, expected);
        };
        let told = "The film was made by Tim Burton. Supper was served by Mary Holm.";
        check([told, "Nothing was said of the film."], &["Tim Burton"]);
        check([told, "The film was shown. It rained on Mary Holm."], &["Tim Burton", "Mary Holm"]);
        check(["Main Director: Tim Burton", "Nothing was said of the film."], &["Tim Burton"]);
    }

    #[test]
    fn what_a_follow_up_finds_is_judged_by_the_way_to_it() {
        let spouse = card(2, "Planet of the Apes", "", "Helena Bonham Carter became the spouse of Tim Burton.");
        let likely = card(3, "Directors", "", "The main director of a film is often its producer.");
        let beside = card(4, "Mills", "", "Mills were built by the river.");
        let asked = [QUESTION, "Tim Burton: spouse main director"];
        let evidence = vec![found(beside, &[(1, 0.5)]), found(likely, &[(0, 0.3)]), film(), found(spouse, &[(1, 1.0)])];
        assert_eq!(order(&input(&asked, evidence)), [1, 2, 3, 4]);
    }

    #[test]
    fn a_second_step_goes_on_from_the_first() {
        let director = found(card(2, "Tim Burton", "", "Tim Burton grew up in Burbank."), &[(1, 1.0)]);
        let town = found(card(3, "Burbank", "", "Burbank is the town where his spouse met him."), &[(2, 1.0)]);
        let asked = [QUESTION, "Tim Burton: spouse main director", "Burbank: spouse main"];
        let input = input(&asked, vec![film(), director, town]);
        let scores: Vec<f32> = judged(&input, Language::ENGLISH).iter().map(|one| one.score).collect();
        assert!(scores.iter().all(|&score| score > 0.0), "{scores:?}");
    }

    #[test]
    fn a_passage_that_holds_no_telling_word_has_nothing_for_it() {
        let other = found(card(2, "Potatoes", "", "A potato is a tuber."), &[(0, 0.9)]);
        let input = input(&[QUESTION], vec![other, film()]);
        let judged = judged(&input, Language::ENGLISH);
        assert_eq!(judged.iter().map(|one| one.card.number).collect::<Vec<_>>(), [1, 2]);
        assert_eq!(judged[1].score, 0.0);
    }

    #[test]
    fn asked_names_and_the_names_of_the_question_are_not_asked_again() {
        let input = input(&[QUESTION, "Tim Burton: spouse main director", "New York: spouse"], vec![film()]);
        let judged = judged(&input, Language::ENGLISH);
        let names: Vec<String> =
            follow_ups(&input, &judged, Language::ENGLISH, 6).into_iter().map(|one| one.name).collect();
        assert_eq!(names, ["Mary Holm"]);
    }
}
