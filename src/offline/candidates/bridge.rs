//! Answers that lie a step away: one passage speaks of what is asked and names somebody or something; another one,
//! found by the search for that name, says the rest. "Who was the first president of the association which published
//! the journal?" is answered by a passage that knows nothing of the journal. It is read after the statement that names
//! the association. Which names are searched for is decided in [`super::super::hops`].

use std::collections::BTreeSet;

use super::reading::{answer_in, is_readable, named, pair, read_all, text_with_headings, trim_answer};
use super::{Candidate, Field, order, standing, stands_alone};
use crate::offline::prose::plain;
use crate::offline::split::split_at_join;
use crate::offline::statements::{Statement, statements_in};
use crate::offline::terms::content_set;
use crate::read::{self, Pair, Reading};

/// The most passages that are read after another one's statement, and the most of these on one name.
const MOST: usize = 12;
const OF_A_NAME: usize = 2;

/// The number of best candidates whose answers may be names that lead on.
const ANSWERS: usize = 4;

/// How far ahead of the best passage alone, in `order`, two passages must be to answer together.
const AHEAD: f32 = 1.5;

/// The bonus if the second one's statement holds all words of the question that the first one leaves open; if it holds
/// less than half of them, they count against it.
const OPEN: f32 = 2.0;

/// How much less sure an answer of two passages is than that of one, in units of the reader's score.
const LESS_SURE: f32 = 2.0;

/// A passage on a name, and the statement of another one that brings the name in.
struct Bridge {
    /// The indices of the passages in the evidence.
    from: usize,
    to: usize,
    by: Statement,
    /// The words of the name.
    name: BTreeSet<String>,
    /// The words of the question that the first passage leaves open.
    open: BTreeSet<String>,
}

/// Returns the best answer that two passages give together, if it is better than each of `found`.
pub(super) fn joined(field: &Field<'_>, found: &[Candidate]) -> Option<Candidate> {
    if field.asked.search != 0 || !read::knows(field.asked.language) {
        return None;
    }
    let bridges = bridges(field, found);
    let texts: Vec<JoinedPassage<'_>> = bridges.iter().flat_map(|bridge| texts(field, bridge)).collect();
    let to = |one: &JoinedPassage<'_>| &field.input.evidence[one.bridge.to];
    let pairs: Vec<Pair> = texts.iter().map(|one| pair(field.asked, to(one), one.text.as_str())).collect();
    let readings = read_all(&pairs);
    let joined = texts.iter().zip(&readings).filter_map(|(joined, reading)| candidate(field, joined, reading));
    let best = joined.max_by(|a, b| a.order.total_cmp(&b.order))?;
    let alone = found.iter().map(|one| one.order).max_by(f32::total_cmp);
    tracing::debug!(score = best.score, order = best.order, alone, best.answer, "joined");
    alone.is_none_or(|alone| best.order > alone + AHEAD).then_some(best)
}

/// Returns the passages to read together: those on the answers of the best candidates, which may be the name that leads
/// on, and those that the searches for names found.
fn bridges(field: &Field<'_>, found: &[Candidate]) -> Vec<Bridge> {
    let (evidence, language) = (&field.input.evidence, field.asked.language);
    let question = content_set(field.asked.question, language);
    let held: Vec<BTreeSet<String>> =
        evidence.iter().map(|card| content_set(&format!("{}\n{}", card.title, card.text), language)).collect();
    let holding = |name: &BTreeSet<String>| -> Vec<usize> {
        let holds = |card: &usize| name.is_subset(&held[*card]) && is_readable(&evidence[*card], language);
        (0..evidence.len()).filter(holds).collect()
    };
    let mut bridges: Vec<Bridge> = Vec::new();
    let mut add =
        |from: usize, by: &Statement, name: &BTreeSet<String>, mut targets: Vec<usize>, near: &dyn Fn(usize) -> f32| {
            let place = content_set(&evidence[from].place, language);
            let is_open = |term: &&String| !held[from].contains(*term) && !place.contains(*term);
            let open: BTreeSet<String> = field.wanted.iter().filter(is_open).cloned().collect();
            targets.retain(|&card| evidence[card].path != evidence[from].path);
            targets.sort_by(|&a, &b| near(b).total_cmp(&near(a)));
            for to in targets.into_iter().take(OF_A_NAME) {
                if !bridges.iter().any(|one| (one.from, one.to, &one.name) == (from, to, name)) {
                    bridges.push(Bridge { from, to, by: by.clone(), name: name.clone(), open: open.clone() });
                }
            }
        };
    let mut best: Vec<&Candidate> = found.iter().filter(|one| !one.answer.is_empty()).collect();
    best.sort_by(|a, b| b.order.total_cmp(&a.order));
    let near = |card: usize| standing(&evidence[card], field.asked.search);
    for one in best.into_iter().take(ANSWERS) {
        let name = content_set(&one.answer, language);
        if !name.is_empty() && !name.is_subset(&question) {
            add(one.card, &one.statement, &name, holding(&name), &near);
        }
    }
    for (search, asked) in field.input.asked.iter().enumerate() {
        let name = content_set(split_at_join(&asked.text).0, language);
        if name.is_subset(&question) {
            continue;
        }
        let holding = holding(&name);
        let Some(&from) = holding.iter().max_by(|&&a, &&b| near(a).total_cmp(&near(b)).then(b.cmp(&a))) else {
            continue;
        };
        let naming = statements_in(evidence, from).into_iter().filter_map(|one| {
            let terms = content_set(&one.shown(), language);
            let shared = terms.intersection(&question).count();
            (shared > 0 && name.is_subset(&terms)).then_some((shared, one))
        });
        // Ties go to the first statement.
        let Some((_, by)) = naming.reduce(|best, next| if next.0 > best.0 { next } else { best }) else { continue };
        let found: Vec<usize> = holding.into_iter().filter(|&card| evidence[card].score_in(search).is_some()).collect();
        let near = |card: usize| evidence[card].score_in(search).unwrap_or_default();
        add(from, &by, &name, found, &near);
    }
    bridges.truncate(MOST);
    // If nothing is open, the first passage answers by itself.
    bridges.retain(|one| !one.open.is_empty());
    bridges
}

/// The text of a passage that is read after the statement that leads to it.
struct JoinedPassage<'b> {
    bridge: &'b Bridge,
    /// The statements that may answer: the running text, or the one row, item or value that is read alone.
    statements: Vec<Statement>,
    is_alone: bool,
    text: String,
}

/// Returns the texts to read: the passage if it has running text, and its rows, items and values that hold the name.
fn texts<'b>(field: &Field<'_>, bridge: &'b Bridge) -> Vec<JoinedPassage<'b>> {
    let language = field.asked.language;
    let (from, to) = (&field.input.evidence[bridge.from], &field.input.evidence[bridge.to]);
    let joined = |statements: Vec<Statement>, is_alone: bool, words: &str| JoinedPassage {
        bridge,
        statements,
        is_alone,
        text: format!("{}\n{}\n{words}", from.title, bridge.by.shown()),
    };
    let (alone, running): (Vec<Statement>, Vec<Statement>) =
        statements_in(&field.input.evidence, bridge.to).into_iter().partition(stands_alone);
    let of_name = alone.into_iter().filter(|one| bridge.name.is_subset(&content_set(&one.shown(), language)));
    let alone = of_name.take(OF_A_NAME).map(|one| {
        let words = named(to, &one);
        joined(vec![one], true, &words)
    });
    let whole = Some(running).filter(|running| !running.is_empty());
    whole
        .map(|running| joined(running, false, &format!("{}\n{}", to.title, text_with_headings(to))))
        .into_iter()
        .chain(alone)
        .collect()
}

/// Returns the answer of a passage after the statement that leads to it.
fn candidate(field: &Field<'_>, joined: &JoinedPassage<'_>, reading: &Reading) -> Option<Candidate> {
    let language = field.asked.language;
    let Bridge { from, to, by, open, .. } = joined.bridge;
    let (first, second) = (&field.input.evidence[*from], &field.input.evidence[*to]);
    let (answer, worse, statement) = match joined.statements.as_slice() {
        [one] if joined.is_alone => (answer_in(reading, one, &joined.text), 0.0, one),
        running => {
            let at = joined.text.len() - second.text.len();
            let spans = running.iter().filter_map(|one| {
                let (span, worse) = reading.within(at + one.range.start..at + one.range.end)?;
                Some((span, worse, one))
            });
            let (span, worse, statement) = spans.min_by(|a, b| a.1.total_cmp(&b.1))?;
            (trim_answer(&plain(&joined.text[span])), worse, statement)
        }
    };
    if answer.is_empty() {
        return None;
    }
    let mut own = content_set(&statement.shown(), language);
    let told = OPEN * (field.rarity.coverage(open, &own) - 0.5);
    own.extend(content_set(&by.shown(), language));
    let around = content_set(&format!("{} {}", first.title, second.title), language);
    let shared = field.worth(&own, &own.union(&around).cloned().collect());
    let rank = field.cards.iter().position(|card| card == from);
    let prior = rank.map_or(0.0, |rank| field.prior(rank));
    let behind = first.score_gap_in(field.asked.search).unwrap_or(order::UNFOUND);
    let sure = reading.score() - worse + shared + told;
    Some(Candidate {
        card: *to,
        answer,
        statement: statement.clone(),
        sure,
        read: Vec::new(),
        score: sure + prior - LESS_SURE,
        order: reading.answerable - worse + shared + told + order::PRIOR * prior - order::BEHIND * behind,
        looked_up: false,
        behind: Some((*from, by.clone())),
    })
}
