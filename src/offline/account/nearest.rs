//! The statements nearest to a question for one thing, if no reader has judged whether they answer it. Running text is
//! told in one piece, since the answer often stands beside the sentence that shares the question's words.

use std::collections::BTreeSet;

use super::Account;
use crate::base::text::Language;
use crate::llm::purpose::{EvidenceCard, WriteInput};
use crate::offline::candidates::{Asked, best_of_passages};
use crate::offline::statements::Form;
use crate::read;
use crate::report::Words;

/// A statement counts as nearest if its relevance is at least this share of the best one's.
const NEAREST: f32 = 0.7;

/// Below this best score of the reader for a whole passage, the report says that nothing was found. It then does so for
/// 18 of 50 questions without an answer, and for 9 of 100 whose answer is told below.
const NOTHING: f32 = -1.0;

/// The lowest score at which a passage in another language counts as an answer.
const ANSWERS: f32 = 0.0;

/// Tells the statements nearest to a question for one thing, in about `words` words: the best statements of the best
/// passages, grouped by passage. `None` if no passage is on the question.
pub(in crate::offline) fn nearest(
    input: &WriteInput,
    asked: Asked<'_>,
    words: usize,
    phrases: &Words,
) -> Option<String> {
    let mut account = Account::new(input, asked.language);
    if asked.search > 0 {
        account.ask_for(asked.question.to_owned(), BTreeSet::new(), Some(asked.search));
    }
    let relevant = account.relevant_to_question();
    let relevant = account.as_read(relevant);
    let relevant = account.with_what_is_wanted(relevant, asked.question);
    let relevant = account.of_what_holds(relevant);
    let near = account.near_best(relevant, NEAREST);
    for &index in &near {
        let one = &account.told[index];
        tracing::trace!(relevance = account.relevance[index], read = account.read[index], one.text);
    }
    let chosen = account.choose(&near, words).chosen;
    let mut chosen = account.as_running_text(chosen);
    account.is_unread = true;
    let mut text = String::new();
    // The statements of the nearest one's item stand together, before the others.
    let nearest = chosen.first().map(|&index| &account.told[index]);
    let is_of_its_item = |index: usize| {
        let one = &account.told[index];
        let item = account.item(one);
        !item.is_empty() && nearest.is_some_and(|nearest| one.card == nearest.card && account.item(nearest) == item)
    };
    // The nearest statement comes first, unless it leans on the text before it.
    let leads = |&index: &usize| {
        let one = &account.told[index];
        one.statement.form == Form::Sentence
            && one.statement.lead.is_empty()
            && one.after.is_none()
            && account.item(one).is_empty()
    };
    if chosen.len() > 1 && chosen.first().is_some_and(leads) {
        text.push_str(&account.paragraphs(&[chosen.remove(0)]));
    }
    let mut cards: Vec<usize> = Vec::new();
    for card in chosen.iter().map(|&index| account.told[index].card) {
        if !cards.contains(&card) {
            cards.push(card);
        }
    }
    for card in cards {
        let mut own: Vec<usize> = chosen.iter().copied().filter(|&index| account.told[index].card == card).collect();
        account.in_order(&mut own);
        own.sort_by_key(|&index| !is_of_its_item(index));
        text.push_str(&account.paragraphs(&own));
    }
    if text.is_empty() {
        return None;
    }
    let best = best_of_passages(input.evidence.iter().collect(), asked).map(|(_, best)| best);
    tracing::debug!(best, "nearest");
    let answers = best.is_none_or(|best| best >= NOTHING);
    let not_found = if answers { String::new() } else { format!("{}\n\n", phrases.not_found) };
    Some(format!("{not_found}{}\n\n{text}", phrases.closest))
}

/// As [`nearest`], for the one passage in another language than the question's that answers best, if one answers: it
/// shares no words by which it could be ranked with others. If the reader knows both languages, it has already found
/// that nothing answers.
pub(in crate::offline) fn nearest_elsewhere(
    input: &WriteInput,
    asked: Asked<'_>,
    words: usize,
    phrases: &Words,
) -> Option<String> {
    let is_elsewhere = |card: &&EvidenceCard| card.language != asked.language && card.language != Language::UNKNOWN;
    let is_open = |card: &&EvidenceCard| {
        read::makes_out(card.language) && !(read::knows(card.language) && read::knows(asked.language))
    };
    let cards = input.evidence.iter().filter(is_elsewhere).filter(is_open).collect();
    let (card, _) = best_of_passages(cards, asked).filter(|(_, best)| *best >= ANSWERS)?;
    let only = WriteInput { evidence: vec![card.clone()], ..input.clone() };
    nearest(&only, asked, words, phrases)
}

impl Account<'_> {
    /// Returns `chosen`, whose first is the nearest, followed by the sentence after that one and the few between two of
    /// one paragraph.
    fn as_running_text(&self, mut chosen: Vec<usize>) -> Vec<usize> {
        let mut beside = self.between(&chosen);
        beside.extend(chosen.first().map(|nearest| nearest + 1).filter(|&next| self.is_running(next - 1, next)));
        beside.retain(|index| !chosen.contains(index));
        chosen.extend(beside);
        chosen
    }
}
