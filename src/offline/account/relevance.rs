//! How relevant each statement is to what is asked: by its words and its passage, by its meaning, and by the reader's
//! judgement. Which statements are told is not decided here.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::{ABOUT, Account, MOST_COMPARED, QuotableStatement};
use crate::embed::Text;
use crate::offline::candidates::{Asked, likeness, read_statements, standing};
use crate::offline::entities::entities;
use crate::offline::joined::split_joined_question;
use crate::offline::statements::Form;
use crate::offline::terms::content_set;
use crate::offline::wanted::Demands;
use crate::read;

/// The most statements that the reader judges.
const READ: usize = 60;
/// The weight of the reader's judgement that a statement answers.
const ANSWERS: f32 = 0.6;
/// The reader's score that earns the full weight.
const SURE: f32 = 10.0;

/// The share of its best statement's relevance that each statement of a list or table gets.
const LISTED: f32 = 0.85;
/// The most statements of a list or table that is told as a whole.
const LONGEST_LIST: usize = 10;

/// The weight of a term in the title or a heading, relative to one in the statement.
const CONTEXT: f32 = 0.4;

/// The bonus if the heading above a statement, or the name before its value, is what is asked for.
const NAMED: f32 = 0.6;

/// The share of a passage's best relevance that is added to each of its statements.
const PASSAGE: f32 = 0.3;

/// The weight of naming the subject if most documents are on it, relative to one subject among others.
const NAMING_ALL: f32 = 0.5;

/// The penalty for lacking the number of a version if one is asked for.
const LACKS: f32 = 0.3;

/// The bonus for a passage that an earlier run found and that was recalled.
const KNOWN: f32 = 0.05;

/// Returns the statements worth telling for each account, best first, by the words that they share with what is asked
/// and by their likeness to it in meaning.
pub(super) fn rank_by_meaning(accounts: &mut [Account<'_>], asked: &[&str]) -> Vec<Vec<usize>> {
    let first: Vec<Vec<usize>> = accounts.iter_mut().map(Account::relevant).collect();
    let Some(account) = accounts.first() else { return first };
    let compared: BTreeSet<usize> =
        first.iter().flat_map(|relevant| relevant.iter().take(MOST_COMPARED)).copied().collect();
    let named = |&index: &usize| {
        let one = &account.told[index];
        let heading = one.statement.headings();
        let text = if heading.is_empty() { one.text.clone() } else { format!("{heading}\n{}", one.text) };
        Text { text, language: account.input.evidence[one.card].language }
    };
    let texts: Vec<Text> = compared.iter().map(named).collect();
    let alike = likeness(asked, account.asked_in, &texts);
    if alike.is_empty() {
        return first;
    }
    for (account, likeness) in accounts.iter_mut().zip(alike) {
        for (&index, likeness) in compared.iter().zip(likeness) {
            account.meant[index] = likeness.max(0.0);
        }
    }
    accounts.iter_mut().map(Account::rank_statements).collect()
}

impl Account<'_> {
    /// Returns the statements worth telling on the question itself, best first; none if no passage is on it.
    pub(super) fn relevant_to_question(&mut self) -> Vec<usize> {
        if !self.has_passage_on_question() {
            return Vec::new();
        }
        let question = &self.input.question;
        rank_by_meaning(std::slice::from_mut(self), &[question]).remove(0)
    }

    /// Returns all statements, best first: those that hold words of what is asked, themselves or in their title and
    /// headings, and whose passage the search scores high.
    pub(super) fn relevant(&mut self) -> Vec<usize> {
        let evidence = &self.input.evidence;
        // Other searches only lead to what the question is about, so their scores count less.
        let score_of =
            |card: usize| self.scores.as_ref().map_or_else(|| standing(&evidence[card], 0), |scores| scores[card]);
        let best = (0..evidence.len()).map(score_of).max_by(f32::total_cmp).unwrap_or(0.0);
        let wanted = [(1.0, self.subject()), (ABOUT, self.about.clone())];
        let named = self.named();
        let naming = 0.5 * self.naming();
        self.worth = self
            .told
            .iter()
            .zip(named)
            .map(|(one, named)| {
                let card = &evidence[one.card];
                let score = if best > 0.0 { (score_of(one.card) / best).clamp(0.0, 1.0) } else { 0.0 };
                let shared = wanted
                    .iter()
                    .map(|(worth, wanted)| {
                        let own = self.rarity.coverage(wanted, &one.terms);
                        worth * (own + CONTEXT * self.rarity.coverage(wanted, &self.contexts[one.card]))
                    })
                    .fold(0.0, f32::max);
                let known = if card.known.is_empty() || shared <= 0.0 { 0.0 } else { KNOWN };
                // Figures, years and names are what an account is read for.
                let facts = 0.04 * f32::from(u8::from(!one.years.is_empty()))
                    + 0.04 * f32::from(u8::from(one.text.contains(|c: char| c.is_numeric())))
                    + 0.02 * entities(&one.text, self.language).len().min(3) as f32;
                naming * shared + score + facts + known + if named { NAMED } else { 0.0 }
            })
            .collect();
        self.rank_statements()
    }

    /// For each statement, whether the heading above it or the name before its value is what is asked for, in a
    /// document that holds most of the rest.
    fn named(&self) -> Vec<bool> {
        let asked = self.subject();
        let mut documents: BTreeMap<usize, BTreeSet<&String>> = BTreeMap::new();
        for one in &self.told {
            documents.entry(one.document).or_default().extend(one.terms.iter().chain(&self.contexts[one.card]));
        }
        let all: BTreeSet<&String> = asked.union(&self.about).collect();
        let holds_most = |held: BTreeSet<&String>| 2 * held.intersection(&all).count() > all.len();
        let on_it: BTreeMap<usize, bool> = documents.into_iter().map(|(of, held)| (of, holds_most(held))).collect();
        let names = |text: &str, one: &QuotableStatement| {
            let terms = content_set(text.trim_start_matches(|c: char| !c.is_alphabetic()), self.language);
            let title = || content_set(&self.input.evidence[one.card].title, self.language);
            !terms.is_empty() && terms.is_subset(&asked) && !terms.is_subset(&title())
        };
        let is_named = |one: &QuotableStatement| {
            on_it[&one.document] && (names(&one.statement.heading, one) || names(one.statement.name(), one))
        };
        self.told.iter().map(is_named).collect()
    }

    /// Returns the statements, best first, by all that is known of each so far: the words that it shares with what is
    /// asked, its meaning, and the reader's judgement.
    fn rank_statements(&mut self) -> Vec<usize> {
        let naming = self.naming();
        let parts = self.worth.iter().zip(&self.meant).zip(&self.read);
        self.relevance = parts.map(|((worth, meant), read)| worth + naming * meant + read).collect();
        // A short list or table is told as a whole.
        let beside = self.sibling_rows();
        for list in self.lists() {
            // If one row is asked for by name, it is told without the rest of its table.
            if list.len() > LONGEST_LIST || list.clone().any(|index| beside.contains(&index)) {
                continue;
            }
            let best = list.clone().map(|index| self.relevance[index]).fold(0.0, f32::max);
            for index in list {
                self.relevance[index] = self.relevance[index].max(LISTED * best);
            }
        }
        // The text around a telling statement goes on about the same thing.
        let mut best_of: BTreeMap<usize, f32> = BTreeMap::new();
        for (one, relevance) in self.told.iter().zip(&self.relevance) {
            let best = best_of.entry(one.card).or_insert(*relevance);
            *best = best.max(*relevance);
        }
        for (one, relevance) in self.told.iter().zip(&mut self.relevance) {
            *relevance += PASSAGE * best_of[&one.card];
        }
        let mut found: Vec<usize> = (0..self.told.len()).filter(|index| !beside.contains(index)).collect();
        found.sort_by(|&a, &b| self.relevance[b].total_cmp(&self.relevance[a]).then(a.cmp(&b)));
        found
    }

    /// Ranks `relevant` again, counting also what the question demands: the number of a version.
    pub(super) fn rerank_by_demands(&mut self, mut relevant: Vec<usize>, question: &str) -> Vec<usize> {
        let wanted = Demands::of(question, self.language);
        for &index in &relevant {
            if wanted.lacks_version(&self.told[index].statement) {
                self.relevance[index] -= LACKS;
            }
        }
        relevant.sort_by(|&a, &b| self.relevance[b].total_cmp(&self.relevance[a]).then(a.cmp(&b)));
        relevant
    }

    /// The weight of naming what is asked about, by words or by meaning.
    fn naming(&self) -> f32 {
        if self.subject_is_common { NAMING_ALL } else { 1.0 }
    }

    /// Returns the ranges of items, rows or values that stand together.
    fn lists(&self) -> Vec<Range<usize>> {
        let mut lists: Vec<Range<usize>> = Vec::new();
        for index in (0..self.told.len()).filter(|&index| self.told[index].statement.form != Form::Sentence) {
            match lists.last_mut() {
                Some(list) if list.end == index && self.told[index].is_listed_with(&self.told[list.start]) => {
                    list.end += 1;
                }
                _ => lists.push(index..index + 1),
            }
        }
        lists
    }

    /// Ranks the statements again, counting also the reader's judgement of the best of `relevant` as answers; returns
    /// `relevant` itself if the reader is not asked.
    pub(super) fn rerank_by_reader(&mut self, relevant: Vec<usize>) -> Vec<usize> {
        // A change is told by many statements, none of which is the answer.
        if relevant.is_empty() || !read::can_read(self.language) || self.foreign || self.changing {
            return relevant;
        }
        let first = &relevant[..relevant.len().min(READ)];
        let evidence = &self.input.evidence;
        let chosen: Vec<_> = first.iter().map(|&index| &self.told[index]).collect();
        let chosen: Vec<_> = chosen.iter().map(|one| (&evidence[one.card], &one.statement)).collect();
        let question = self.question().to_owned();
        let worth = |(score, _): (f32, String)| ANSWERS * (1.0 + (score / SURE).clamp(-1.0, 1.0));
        // If one sentence asks two questions, an answer to one does not answer both, so each is asked alone.
        let each =
            split_joined_question(&question).map_or(vec![question.as_str()], |(first, second)| vec![first, second]);
        for question in each {
            let asked = Asked { question, search: 0, language: self.language };
            for (&index, reading) in first.iter().zip(read_statements(asked, &chosen)) {
                self.read[index] = self.read[index].max(worth(reading));
            }
        }
        self.rank_statements()
    }
}
