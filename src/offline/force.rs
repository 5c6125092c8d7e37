//! What is in force: if a newer version of a document, or one that repeals it, speaks of the same thing as a statement,
//! its words take the statement's place.

use std::collections::{BTreeMap, BTreeSet};

use super::candidates::{Asked, Candidate, read_statements};
use super::change::{asks_for_former, holds, labelled_changes};
use super::clauses::clauses_of;
use super::prose::plain;
use super::statements::{Form, Statement, statements, statements_in, statements_of};
use super::terms::{Rarity, content_set, question_terms, word_count};
use super::wanted::{AskedTime, Offered, asks_for_older, came_later};
use crate::base::text::{folded, sentences};
use crate::llm::purpose::{EvidenceCard, WriteInput};
use crate::report::facts::days;
use crate::report::{
    amending_sentence, amendment_named, amends, clauses, deletes, is_amendment_of, is_newer_version, quoted_pairs,
    repealing, repeals_by_name, stated_changes,
};

/// The worth, in units of the reader's score, of two statements having the same article or value.
const SAME_LABEL: f32 = 12.0;
/// The worth of the same heading.
const SAME_HEADING: f32 = 6.0;
/// The worth of the same words.
const SAME_WORDS: f32 = 12.0;
/// The worth of the question's words in the newer statement.
const ASKED_WORDS: f32 = 6.0;

/// The worth of standing beside the words that repeal the older statement.
const BESIDE: f32 = 3.0;

/// From this worth on, a statement of a newer version is on the same thing.
const OF_VERSION: f32 = 7.0;
/// From this worth on, a statement of a document that repeals another one is on the same thing.
const OF_REPEAL: f32 = 3.0;

/// The share of the question's words in a statement that a change of its value must be told with.
const SAME_SUBJECT: f32 = 0.75;

/// The most words of a line that holds only a day.
const DATE_WORDS: usize = 4;

/// The number of statements of a document that are read to find the one that answers in place of another.
const READ: usize = 12;

/// The range to which the reader's scores are limited. That a statement does not answer tells little: "forbidden" does
/// not answer "until when".
const READ_SCORES: std::ops::Range<f32> = -2.0..8.0;

/// The statement that is in force in another one's place.
pub(super) struct Successor {
    /// The statement of the newer document.
    pub lead: Candidate,
    /// The statement in which that document says that it repeals the older one, unless the lead says it.
    pub repeal: Option<Candidate>,
}

/// Whether `newer` is a newer version of the document of `older`, or repeals it.
pub(super) fn is_replaced(older: &EvidenceCard, newer: &EvidenceCard) -> bool {
    is_newer_version(&newer.edition(), &older.edition()) || repeals_by_name(&newer.edition(), &older.edition())
}

/// Whether a sentence of a passage gives new words to an article that it names.
fn amends_articles(card: &EvidenceCard) -> bool {
    sentences(&card.text).map(|range| &card.text[range]).any(|one| amends(one) && !clauses(one).is_empty())
}

/// The sentences in which `newer`, by its title an amendment of the document of `older`, gives a place new words.
fn amending<'c>(newer: &'c EvidenceCard, older: &EvidenceCard) -> Vec<&'c str> {
    if !is_amendment_of(&newer.edition(), &older.edition()) {
        return Vec::new();
    }
    sentences(&newer.text).map(|range| &newer.text[range]).filter(|sentence| amends(sentence)).collect()
}

/// The articles of a document that others among `cards` delete.
pub(super) fn deleted_clauses(document: &EvidenceCard, cards: &[EvidenceCard]) -> BTreeSet<String> {
    let others = cards.iter().filter(|card| card.path != document.path);
    let said = others
        .flat_map(|card| repealing(&card.edition(), &document.edition()).into_iter().chain(amending(card, document)));
    said.filter(|sentence| deletes(sentence)).flat_map(clauses).collect()
}

/// Returns the input with the question without the time that it names, and with only what was in force then of the
/// documents that others replace or amend. Nothing in a version tells the time at which it is in force, so no statement
/// answers the whole question. `None` if it names no time, or if there are no such documents.
pub(super) fn at_asked_time(input: &WriteInput, asked: Asked<'_>) -> Option<WriteInput> {
    let time = AskedTime::of(asked.question)?;
    let mut then = WriteInput { question: time.timeless.clone(), ..input.clone() };
    let cards = &input.evidence;
    let replaces = |newer: &EvidenceCard, older: &EvidenceCard| {
        newer.path != older.path && (is_replaced(older, newer) || is_amendment_of(&newer.edition(), &older.edition()))
    };
    for (card, own) in then.evidence.iter_mut().zip(cards) {
        let has_versions = || cards.iter().any(|other| replaces(own, other) || replaces(other, own));
        // "Storage Act 2024" tells its year.
        let year = || days(&own.title).iter().find_map(|day| day.year).map(|year| format!("{year}-01"));
        let date = Some(own.date.clone()).filter(|date| !date.is_empty()).or_else(year).unwrap_or_default();
        // Blanks, so that the rest keeps its place.
        if time.is_over_on(&date) || !has_versions() {
            card.text = " ".repeat(own.text.len());
            continue;
        }
        for range in sentences(&own.text).filter(|range| time.is_before_effect_of(&own.text[range.clone()])) {
            card.text.replace_range(range.clone(), &" ".repeat(range.len()));
        }
    }
    // The best of what is left stands first in each search. Where a part is gone, the search may have found that part.
    let is_whole = |(card, own): &(&EvidenceCard, &EvidenceCard)| card.text == own.text;
    let mut best: BTreeMap<usize, f32> = BTreeMap::new();
    for (card, _) in then.evidence.iter().zip(cards).filter(is_whole) {
        for (search, standing) in card.found_by.iter().zip(&card.standings) {
            let best = best.entry(*search).or_default();
            *best = best.max(*standing);
        }
    }
    for (card, own) in then.evidence.iter_mut().zip(cards) {
        for (search, standing) in card.found_by.iter().zip(&mut card.standings) {
            let best = best.get(search).copied().filter(|best| card.text == own.text && *best > 0.0);
            *standing = best.map_or(0.0, |best| *standing / best);
        }
    }
    (!best.is_empty()).then_some(then)
}

/// Removes the candidates of documents that did not apply yet when the question asks, or in the version that it asks
/// for, if one of an older document remains that answers: one that `answers` by itself, or says the same of another
/// time as one that does.
pub(super) fn retain_asked_versions(
    found: &mut Vec<Candidate>,
    cards: &[EvidenceCard],
    asked: Asked<'_>,
    answers: impl Fn(&Candidate) -> bool,
) {
    let words: Vec<String> = found.iter().map(|one| words_of(&one.statement)).collect();
    let terms: Vec<BTreeSet<String>> = words.iter().map(|words| content_set(words, asked.language)).collect();
    let is_asked_instead = |older: &Candidate, newer: &Candidate, [old, new]: [usize; 2]| {
        let older = Offered { card: &cards[older.card], words: &words[old] };
        let newer = Offered { card: &cards[newer.card], words: &words[new] };
        is_replaced(older.card, newer.card) && asks_for_older(asked.question, older, newer, cards)
            || !older.card.date.is_empty() && is_dated_by_name(newer.card) && came_later(asked.question, older, newer)
    };
    let mut is_later = vec![false; found.len()];
    for newer in 0..found.len() {
        for older in 0..found.len() {
            let is_alike = || {
                let shared = terms[older].intersection(&terms[newer]).count();
                answers(&found[newer]) && shared * 2 >= terms[older].len().min(terms[newer].len())
            };
            if is_asked_instead(&found[older], &found[newer], [older, newer]) && (answers(&found[older]) || is_alike())
            {
                is_later[newer] = true;
                // The search ranked the newer one higher, and not for what it says.
                let (score, order) = (found[newer].score, found[newer].order);
                let older = &mut found[older];
                (older.score, older.order) = (older.score.max(score), older.order.max(order));
            }
        }
    }
    let mut is_later = is_later.into_iter();
    found.retain(|_| is_later.next() != Some(true));
    found.sort_by(|a, b| b.order.total_cmp(&a.order).then(a.card.cmp(&b.card)));
}

/// A statement with its headings.
fn words_of(statement: &Statement) -> String {
    format!("{} {}", statement.headings(), statement.shown())
}

/// Returns what is in force in the place of `older`; `None` if `older` still is, as far as the evidence tells.
pub(super) fn successor(older: &Candidate, input: &WriteInput, asked: Asked<'_>) -> Option<Successor> {
    let cards = &input.evidence;
    let old_card = &cards[older.card];
    if let Some(lead) = amendment_in_document(older, cards, asked) {
        return Some(Successor { lead, repeal: None });
    }
    let mut best: Option<(f32, Successor)> = None;
    let mut documents: BTreeSet<&str> = BTreeSet::from([old_card.path.as_str()]);
    for card in cards {
        if !documents.insert(&card.path) {
            continue;
        }
        let own: Vec<usize> = (0..cards.len()).filter(|&other| cards[other].path == card.path).collect();
        // An amendment may also state the new value without a word on the old one.
        let is_version = is_newer_version(&card.edition(), &old_card.edition())
            || is_amendment_of(&card.edition(), &old_card.edition());
        let repeal = repeal(older, &own, cards);
        let [old, new] = [(old_card, words_of(&older.statement)), (card, String::new())];
        let [old, new] = [&old, &new].map(|(card, words)| Offered { card, words });
        if !is_version && repeal.is_none() || asks_for_older(asked.question, old, new, cards) {
            continue;
        }
        let least = if repeal.is_some() { OF_REPEAL } else { OF_VERSION };
        let placed = placed(older, &own, repeal.as_ref(), input, asked).filter(|(worth, _)| *worth >= least);
        let found = match (placed, repeal) {
            (Some((worth, lead)), repeal) => {
                // A statement that amends the article itself needs no other sentence that says so.
                let repeal = repeal.filter(|one| {
                    (one.card != lead.card || one.statement != lead.statement) && !amends(&lead.statement.shown())
                });
                Some((worth, Successor { lead, repeal }))
            }
            // If a repealing document says nothing in that place, the repeal itself is the answer.
            (None, Some(lead)) => Some((OF_REPEAL, Successor { lead, repeal: None })),
            (None, None) => None,
        };
        if let Some((worth, found)) = found
            && best.as_ref().is_none_or(|(most, _)| worth > *most)
        {
            best = Some((worth, found));
        }
    }
    let changed = changed_value(older, cards, asked);
    match (best, changed) {
        // A document states the new value more exactly in a line on the change than in a sentence that announces it.
        (Some((_, found)), Some(lead)) if cards[found.lead.card].path == cards[lead.card].path => {
            Some(Successor { lead, ..found })
        }
        (Some((_, found)), _) => Some(found),
        (None, lead) => lead.map(|lead| Successor { lead, repeal: None }),
    }
}

/// Returns the newest statement which says that the answer of `older` was changed to another value. It stands in a
/// document that is not older, whichever that is, and speaks of what `older` answers.
fn changed_value(older: &Candidate, cards: &[EvidenceCard], asked: Asked<'_>) -> Option<Candidate> {
    let digits: String = older.answer.chars().skip_while(|c| !c.is_numeric()).take_while(|c| c.is_numeric()).collect();
    if digits.is_empty() || asks_for_former(asked.question) {
        return None;
    }
    let (old_card, own) = (&cards[older.card], words_of(&older.statement));
    let wanted = question_terms(asked.question, asked.language);
    let terms = |card: &EvidenceCard, words: &str| content_set(&format!("{} {words}", card.title), asked.language);
    let subject: BTreeSet<String> = terms(old_card, &own).intersection(&wanted).cloned().collect();
    let mut best: Option<(&str, usize, Statement, String)> = None;
    for (index, card) in cards.iter().enumerate() {
        let is_older = !card.date.is_empty() && card.date < old_card.date;
        let is_known = best.as_ref().is_some_and(|(date, ..)| *date >= card.date.as_str());
        if is_older || is_known || !card.text.contains(&digits) {
            continue;
        }
        let all = statements_in(cards, index);
        let labelled = labelled_changes(&all).into_iter().map(|[old, new]| {
            let value =
                |at: usize| all[at].text.split_once([':', '：']).map_or("", |(_, value)| value.trim()).to_owned();
            (new, value(old), value(new))
        });
        let stated = (0..all.len()).flat_map(|at| {
            let pairs: Vec<[String; 2]> =
                stated_changes(&all[at].shown()).into_iter().map(|pair| pair.map(str::to_owned)).collect();
            pairs.into_iter().map(move |[old, new]| (at, old, new))
        });
        let found = labelled.chain(stated).find(|(at, old, new)| {
            let held = terms(card, &words_of(&all[*at]));
            let shared = subject.intersection(&held).count();
            (holds(&older.answer, old) || holds(old, &older.answer))
                && !holds(&own, new)
                && shared > 0
                && shared as f32 >= SAME_SUBJECT * subject.len() as f32
        });
        if let Some((at, _, new)) = found {
            best = Some((&card.date, index, all[at].clone(), new));
        }
    }
    best.map(|(_, card, statement, new)| older.replaced_by(card, statement, new))
}

/// Whether the title or the name of a document's file tells its year, as those of minutes and letters do.
fn is_dated_by_name(card: &EvidenceCard) -> bool {
    let year = card.date.get(..4).unwrap_or_default();
    let names = format!("{} {}", card.title, card.file_name());
    !year.is_empty() && (holds(&names, year) || days(&names).iter().any(|day| day.year == year.parse().ok()))
}

/// Returns the statement that gives `older` new words in its own document, as a list of amendments below the rules
/// does.
pub(super) fn amendment_in_document(older: &Candidate, cards: &[EvidenceCard], asked: Asked<'_>) -> Option<Candidate> {
    let old_card = &cards[older.card];
    if is_amendment(&older.statement, old_card) {
        return None;
    }
    let mut all = statements_of(cards, &old_card.path);
    let (card, statement) = all.find(|(_, one)| changes(&older.statement, one))?;
    let answer = match replacement_text(&statement.text, &older.statement) {
        Some(new) => new,
        None => read_statements(asked, &[(&cards[card], &statement)]).pop()?.1,
    };
    Some(older.replaced_by(card, statement, answer))
}

/// Returns the statement of an amendment of the document of the card `older_card` that gives `older` new words or
/// deletes its place; of several amendments, the last by their days.
pub(super) fn amending_statement(
    older: &Statement,
    older_card: usize,
    cards: &[EvidenceCard],
) -> Option<(usize, Statement)> {
    let is_titled = |&card: &usize| amendment_named(&cards[card].title).is_some();
    let mut amendments: Vec<usize> = (0..cards.len()).filter(is_titled).collect();
    // The days and numbers by which an amendment names the document may stand in another passage of it.
    let of_document = || cards.iter().filter(|card| card.path == cards[older_card].path);
    amendments.retain(|&card| of_document().any(|older| is_amendment_of(&cards[card].edition(), &older.edition())));
    if amendments.is_empty() {
        return None;
    }
    amendments.sort_by_key(|&card| &cards[card].date);
    let (shown, places) = (older.shown(), clauses_of(older));
    let mut last: Option<(usize, Statement)> = None;
    for card in amendments {
        // A later amendment may name the words of the one before.
        let before = last.as_ref().map_or("", |(_, one)| one.text.as_str());
        let found = amending_sentence(&cards[card].text, [&shown, before], &places);
        let found = found
            .and_then(|range| stated_as(&cards[card].text[range], &cards[card], &statements(&cards[card])).cloned());
        last = found.map(|one| (card, one)).or(last);
    }
    last
}

/// Whether a statement gives something new words: it says so, or stands below the heading of an amendment.
fn is_amendment(one: &Statement, card: &EvidenceCard) -> bool {
    amends(&one.shown()) || amendment_named(&format!("{} {}", card.place, one.headings())).is_some()
}

/// Whether another statement of the document of `older` gives it new words. The words that it quotes from `older` tell
/// what is meant, wherever that statement stands.
fn changes(older: &Statement, one: &Statement) -> bool {
    if one.text == older.text {
        return false;
    }
    let (shown, named, places) = (one.shown(), clauses(&one.shown()), clauses_of(older));
    replacement_text(&shown, older).is_some()
        && (!named.is_disjoint(&places) || named.is_empty() || places.is_empty())
        && (amends(&shown) || !named.is_empty())
}

/// Returns the words that an amendment puts in the place of some of a statement, whether full-width or not.
fn replacement_text(amendment: &str, older: &Statement) -> Option<String> {
    let text = folded(&older.text);
    let is_of_it = |[old, new]: &[&str; 2]| text.contains(&folded(old)) && !text.contains(&folded(new));
    let quoted = quoted_pairs(amendment).into_iter().find(is_of_it);
    // Of figures, only the place tells which is meant.
    let is_placed = || !clauses(amendment).is_disjoint(&clauses_of(older));
    let is_value_of_it = |[old, new]: &[&str; 2]| holds(&older.text, old) && !holds(&older.text, new);
    let stated = || stated_changes(amendment).into_iter().find(is_value_of_it).filter(|_| is_placed());
    quoted.or_else(stated).map(|[_, new]| new.to_owned())
}

/// Whether a passage may give new words to `card`, a passage of the same document.
pub fn may_amend(text: &str, card: &EvidenceCard) -> bool {
    let mut places: Option<BTreeSet<String>> = None;
    sentences(text).any(|range| {
        let sentence = &text[range];
        let (amends, named) = (amends(sentence), clauses(sentence));
        let mut is_placed = || {
            let places = places.get_or_insert_with(|| statements(card).iter().flat_map(clauses_of).collect());
            !named.is_disjoint(places)
        };
        let is_quoted = |[old, _]: &[&str; 2]| folded(&card.text).contains(&folded(old));
        (amends || !named.is_empty()) && quoted_pairs(sentence).iter().any(is_quoted)
            || amends && !named.is_empty() && is_placed()
    })
}

/// Returns the statement in the cards `own` that says that their document repeals that of `older`, or its place.
fn repeal(older: &Candidate, own: &[usize], cards: &[EvidenceCard]) -> Option<Candidate> {
    // A document that amends single articles leaves the others in force.
    let by_article = own.iter().any(|&card| amends_articles(&cards[card]));
    own.iter().find_map(|&card| {
        let all = statements(&cards[card]);
        let said = repealing(&cards[card].edition(), &cards[older.card].edition()).into_iter();
        let said = said.chain(amending(&cards[card], &cards[older.card]));
        said.filter_map(|said| Some((said, stated_as(said, &cards[card], &all)?)))
            .filter(|(said, statement)| !by_article || !named(said, statement).is_empty())
            .find(|(said, statement)| concerns(said, statement, &older.statement))
            .map(|(_, statement)| {
                let new = replacement_text(&statement.text, &older.statement).unwrap_or_default();
                older.replaced_by(card, statement.clone(), new)
            })
    })
}

/// Returns the statement among `all` of a passage that holds one of its sentences.
fn stated_as<'s>(said: &str, card: &EvidenceCard, all: &'s [Statement]) -> Option<&'s Statement> {
    let start = card.text.find(said)?;
    // A sentence may begin with the heading above it, which is not a statement; and a sentence that only introduces the
    // new words is told with them.
    let holds = |one: &&Statement| one.range.start < start + said.len() && start < one.range.end;
    let introduction = plain(said);
    let introduces = |one: &&Statement| !one.lead.is_empty() && introduction.ends_with(&one.lead);
    all.iter().rfind(holds).or_else(|| all.iter().find(introduces))
}

/// Returns the articles that a repealing or amending sentence names, or that its statement stands below: "Art. 2 –
/// Deposit (art. 9)" is on article 9.
fn named(said: &str, statement: &Statement) -> BTreeSet<String> {
    let named = clauses(said);
    if !named.is_empty() || !amends(said) {
        return named;
    }
    let in_brackets = statement.heading.split(['(', '（']).nth(1).map(clauses).unwrap_or_default();
    if in_brackets.is_empty() { clauses_of(statement) } else { in_brackets }
}

/// Whether a repealing sentence, told as `statement`, concerns `older`: it names the article of `older` or none, or
/// puts new words in the place of some of it.
fn concerns(said: &str, statement: &Statement, older: &Statement) -> bool {
    let named = named(said, statement);
    named.is_empty() || !named.is_disjoint(&clauses_of(older)) || replacement_text(said, older).is_some()
}

/// Returns the statement in the cards `own` that is on the same thing as `older`, and its worth. A statement that only
/// says that the older one is repealed does not count, unless it amends the same article; those beside it do.
fn placed(
    older: &Candidate,
    own: &[usize],
    repeal: Option<&Candidate>,
    input: &WriteInput,
    asked: Asked<'_>,
) -> Option<(f32, Candidate)> {
    let cards = &input.evidence;
    // A statement that also stands in the older document replaces only itself.
    let of_older = cards.iter().filter(|card| card.path == cards[older.card].path);
    let kept: BTreeSet<String> = of_older.flat_map(statements).map(|one| one.text).collect();
    let mut all: Vec<(usize, Statement)> = Vec::new();
    for &card in own {
        // The signatures of an amendment also bear a date.
        let is_date = |one: &Statement| {
            let is_bare = one.text.chars().all(|c| !c.is_alphabetic() || "令和平成昭年月日".contains(c));
            is_bare || word_count(&one.text) <= DATE_WORDS && !days(&one.text).is_empty()
        };
        let changed =
            |one: &Statement| !is_date(one) && (one.text == older.statement.text || !kept.contains(&one.text));
        all.extend(statements(&cards[card]).into_iter().filter(changed).map(|one| (card, one)));
    }
    let (places, key) = (clauses_of(&older.statement), key(&older.statement));
    // A statement that gives other articles new words says nothing of this one.
    let is_of_others = |one: &Statement| {
        let shown = one.shown();
        let mut quoted = quoted_pairs(&shown).into_iter();
        amends(&shown)
            && !clauses(&shown).is_empty()
            && clauses_of(one).is_disjoint(&places)
            && !quoted.any(|[old, _]| folded(&older.statement.text).contains(&folded(old)))
    };
    all.retain(|(_, one)| !is_of_others(one));
    let repeal = repeal.filter(|it| clauses_of(&it.statement).is_disjoint(&places));
    let at = all.iter().position(|(card, one)| repeal.is_some_and(|it| it.card == *card && it.statement == *one));
    let beside = |index: usize| at.is_some_and(|at| at == index || at == index + 1);
    if let Some(at) = at {
        all.remove(at);
    }
    let terms = |one: &Statement| content_set(&format!("{} {}", one.heading, one.shown()), asked.language);
    let sets: Vec<BTreeSet<String>> = all.iter().map(|(_, one)| terms(one)).collect();
    let (held, wanted) = (terms(&older.statement), question_terms(asked.question, asked.language));
    let rarity = Rarity::of(sets.iter().chain([&held]));
    let worth = |(at, (_, one)): (usize, &(usize, Statement))| {
        let same_label = !clauses_of(one).is_disjoint(&places);
        let same_key = key.is_some() && self::key(one) == key;
        let same_heading = !one.heading.is_empty() && one.heading == older.statement.heading;
        SAME_LABEL * f32::from(u8::from(same_label || same_key))
            + SAME_HEADING * f32::from(u8::from(same_heading))
            + BESIDE * f32::from(u8::from(beside(at)))
            + SAME_WORDS * rarity.overlap(&held, &sets[at])
            + ASKED_WORDS * rarity.coverage(&wanted, &sets[at])
    };
    let mut ranked: Vec<(f32, usize)> = all.iter().enumerate().map(|one| (worth(one), one.0)).collect();
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    ranked.truncate(READ);
    let chosen: Vec<(&EvidenceCard, &Statement)> =
        ranked.iter().map(|&(_, at)| (&cards[all[at].0], &all[at].1)).collect();
    let read = read_statements(asked, &chosen);
    let (worth, at, answer) = ranked
        .into_iter()
        .zip(read)
        .map(|((worth, at), (score, answer))| {
            (worth + score.clamp(READ_SCORES.start, READ_SCORES.end) / 2.0, at, answer)
        })
        .max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)))?;
    let (card, statement) = all.swap_remove(at);
    // Of a repeal only the word for it answers.
    let answer = if deletes(&statement.shown()) && !deletes(&answer) { String::new() } else { answer };
    let answer = replacement_text(&statement.text, &older.statement).unwrap_or(answer);
    Some((worth, older.replaced_by(card, statement, answer)))
}

/// Returns what a value, an item or a row is about: the words before its colon, or the first cell of a row.
pub(super) fn key(statement: &Statement) -> Option<String> {
    let text = match statement.form {
        Form::Sentence | Form::Code => return None,
        Form::Row => statement.cells().next().unwrap_or_default(),
        Form::Item | Form::Pair => statement.text.split([':', '：', '　']).next().unwrap_or_default(),
    };
    (!text.is_empty() && text.len() < statement.text.len()).then(|| text.to_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::offline::testing::{card, stated};

    #[test]
    fn a_repeal_of_one_article_leaves_the_others() {
        let check = |text: &str, expected: bool| {
            let statement = stated(text).remove(0);
            let said = "Section 7 of the handbook is repealed.";
            assert_eq!(concerns(said, &stated(said)[0], &statement), expected, "{text}");
        };
        check("## Section 7 Sickness\nA note is needed.", true);
        check("## 7. Sickness\nA note is needed.", true);
        check("## Section 8 Leave\nEverybody has 25 days.", false);
        let said = "The handbook is repealed.";
        assert!(concerns(said, &stated(said)[0], &stated("Everybody has 25 days.")[0]));
    }

    #[test]
    fn an_amendment_by_its_title_gives_places_other_words() {
        let check = |title: &str, expected: &[&str]| {
            let text = "A. In clause 2, “1 May” is replaced by “15 May”.\n\nB. In clause 4, “£80” becomes “£90”.\n\n\
                        C. Everything else stays as it was.";
            let older = card(1, "Boat charter", "", "4. Hire. £80 a day, to be paid in advance.");
            let newer = card(2, title, "", text);
            let found: Vec<String> = amending(&newer, &older).into_iter().map(plain).collect();
            assert_eq!(found, expected, "{title}");
        };
        let two = ["A. In clause 2, “1 May” is replaced by “15 May”.", "B. In clause 4, “£80” becomes “£90”."];
        check("Addendum No. 1 to the boat charter", &two);
        check("Letter on the boat charter", &[]);
        check("Addendum No. 1 to the lease of the shed", &[]);
    }

    #[test]
    fn values_are_known_by_their_names() {
        let check = |text: &str, expected: Option<&str>| {
            assert_eq!(key(&stated(text)[0]).as_deref(), expected, "{text}");
        };
        check("回数：週2日を限度とする", Some("回数"));
        check("| Ticket | Price |\n|---|---|\n| Adult | 5 euros |", Some("ticket: adult"));
        check("A note is needed from the fourth day.", None);
    }
}
