//! Which search of a run led to which.
//!
//! A search comes from an earlier one if that found a passage that names what the later one asks for beyond the
//! question. All other searches come from the question itself. So the tree of searches follows from the searches and
//! their results, whoever asked for them, and a journal need not hold it.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use super::ledger::Ledger;
use super::run::Run;
use crate::base::text::Language;
use crate::base::text::analysis::term_set;
use crate::llm::purpose::PlannedQuery;

/// The share, weighted by rarity, of the terms beyond the question that a passage must name to have led to a search.
const NAMED: f32 = 0.5;

/// For each query, the search that led to it, as an index into the list of all; 0 for the question itself. Must be
/// called before the results of the queries are in the ledger.
pub(super) fn led_by<'q>(run: &Run<'_>, queries: impl Iterator<Item = &'q str>) -> Vec<usize> {
    if run.history.rounds.is_empty() {
        return queries.map(|_| 0).collect();
    }
    let language = run.question.language;
    let passages = Passages::of(&run.evidence.ledger, language);
    let question = term_set(run.question.text, language);
    queries.map(|query| leading(run, &passages, &question, query)).collect()
}

/// The search that led to one query.
fn leading(run: &Run<'_>, passages: &Passages, question: &BTreeSet<String>, query: &str) -> usize {
    let language = run.question.language;
    let asked = term_set(query, language);
    let beyond: BTreeSet<&String> = asked.difference(question).collect();
    let weight = |term: &&&String| passages.rarity(term);
    let whole: f32 = beyond.iter().map(|term| weight(&term)).sum();
    let named = |has: &BTreeSet<String>| beyond.iter().filter(|term| has.contains(**term)).map(|t| weight(&t)).sum();
    let weighed = (1..).zip(&passages.terms).map(|(number, has)| -> (usize, f32) { (number, named(has)) });
    let best = weighed.max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)));
    let Some((number, _)) = best.filter(|(_, share)| *share > 0.0 && *share >= NAMED * whole) else { return 0 };
    // Of the searches that found the passage, the one most like this query.
    let alike = |index: &usize| {
        let text = run.history.asked.all().get(*index).map_or("", |query| query.text.as_str());
        term_set(text, language).intersection(&asked).count()
    };
    let finders = run.evidence.ledger.queries_of(number).iter().copied().filter(|index| *index > 0);
    finders.max_by_key(|index| (alike(index), Reverse(*index))).unwrap_or(0)
}

/// Sorts the queries by how promising their branches are: those come first whose parent search brought the most helpful
/// passages, then the most new ones.
pub(super) fn promising_first(run: &Run<'_>, planned: Vec<PlannedQuery>) -> Vec<PlannedQuery> {
    let ledger = &run.evidence.ledger;
    let helpful = ledger.helpful();
    let promise = |index: usize| {
        let helped = helpful.iter().filter(|number| ledger.queries_of(**number).contains(&index)).count();
        (helped, run.history.tree.new_passage_count(index))
    };
    let led_by = led_by(run, planned.iter().map(|query| query.query.as_str()));
    let mut all: Vec<(usize, PlannedQuery)> = led_by.into_iter().zip(planned).collect();
    all.sort_by_key(|(from, _)| Reverse(promise(*from)));
    all.into_iter().map(|(_, query)| query).collect()
}

/// The terms of each passage, and the number of passages that have each term.
struct Passages {
    terms: Vec<BTreeSet<String>>,
    counts: BTreeMap<String, usize>,
}

impl Passages {
    fn of(ledger: &Ledger, language: Language) -> Self {
        let terms: Vec<BTreeSet<String>> = ledger.texts().map(|text| term_set(text, language)).collect();
        let mut counts = BTreeMap::new();
        for term in terms.iter().flatten() {
            *counts.entry(term.clone()).or_insert(0) += 1;
        }
        Passages { terms, counts }
    }

    fn rarity(&self, term: &str) -> f32 {
        let count = self.counts.get(term).copied().unwrap_or(0);
        (1.0 + self.terms.len() as f32 / (1 + count) as f32).ln()
    }
}
