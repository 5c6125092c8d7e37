//! The statements nearest to a question for one thing, if no reader has judged whether they answer it. Running text is
//! told in one piece, since the answer often stands beside the sentence that shares the question's words.

use std::collections::BTreeSet;

use super::Account;
use crate::base::text::{Language, is_cjk, sentences};
use crate::llm::purpose::{EvidenceCard, WriteInput};
use crate::offline::candidates::{Asked, best_of_passages};
use crate::offline::prose::is_prose;
use crate::offline::statements::Form;
use crate::read;
use crate::report::Words;

/// A statement counts as nearest if its relevance is at least this share of the best one's.
const NEAREST: f32 = 0.7;

/// Below this best score of the reader for a whole passage, the report says that nothing was found, unless one of the
/// nearest statements holds all words of the question: questions without an answer mostly ask for something that no
/// statement names.
const NOTHING: f32 = -1.0;

/// The lowest score at which a passage in another language counts as an answer.
const ANSWERS: f32 = 0.0;

/// Tells the statements nearest to a question for one thing, in about `words` words, of passages in the question's own
/// language if there are any. If these answer nothing, tells above them what `elsewhere` returns, or that nothing was
/// found. `None` if no passage is on the question.
pub(in crate::offline) fn nearest(
    input: &WriteInput,
    asked: Asked<'_>,
    words: usize,
    phrases: &Words,
    elsewhere: impl Fn() -> Option<String>,
) -> Option<String> {
    let own: Vec<&EvidenceCard> = input.evidence.iter().filter(|card| !is_elsewhere(card, asked.language)).collect();
    let cards = if own.is_empty() { input.evidence.iter().collect() } else { own };
    let best = best_of_passages(cards.clone(), asked).map(|(_, best)| best);
    tracing::debug!(best, passages = cards.len(), "nearest");
    let nearest = tell(cards, input, asked, words, phrases);
    let answers = best.is_none_or(|best| best >= NOTHING) || nearest.as_ref().is_some_and(|nearest| nearest.holds_all);
    if (!answers || nearest.is_none())
        && let Some(elsewhere) = elsewhere()
    {
        return Some(elsewhere + &nearest.map_or_else(String::new, |nearest| nearest.text));
    }
    let text = nearest?.text;
    let not_found = if answers { String::new() } else { format!("{}\n\n", phrases.not_found) };
    Some(format!("{not_found}{}\n\n{text}", phrases.closest))
}

/// The statements nearest to a question.
struct Nearest {
    text: String,
    /// Whether one of them holds all words of the question.
    holds_all: bool,
}

/// Whether a passage is in another language than a question, if the reader can make out one of the two: other languages
/// that are close to each other are often taken for one another, and so are those of tables.
fn is_elsewhere(card: &EvidenceCard, asked_in: Language) -> bool {
    let is_other = card.language != asked_in && card.language != Language::UNKNOWN;
    let is_told = || card.text.contains(is_cjk) != asked_in.is_written_as("日本語") || has_prose(&card.text);
    is_other && (read::can_read(card.language) || read::can_read(asked_in)) && is_told()
}

fn has_prose(text: &str) -> bool {
    sentences(text).any(|range| is_prose(&text[range]))
}

/// Returns the best statements of the best of these passages, grouped by passage.
fn tell(
    cards: Vec<&EvidenceCard>,
    input: &WriteInput,
    asked: Asked<'_>,
    words: usize,
    phrases: &Words,
) -> Option<Nearest> {
    let input = &WriteInput { evidence: cards.into_iter().cloned().collect(), ..input.clone() };
    let mut account = Account::new(input, asked.language);
    account.is_unread = true;
    if asked.search > 0 {
        account.ask_for(asked.question.to_owned(), BTreeSet::new(), Some(asked.search));
    }
    let relevant = account.relevant_to_question();
    let relevant = account.rerank_by_reader(relevant);
    let relevant = account.rerank_by_demands(relevant, asked.question);
    let relevant = account.drop_superseded(relevant);
    let near = account.near_best(relevant, NEAREST);
    for &index in &near {
        let one = &account.told[index];
        tracing::trace!(relevance = account.relevance[index], read = account.read[index], one.text);
    }
    let chosen = account.choose(&near, words).chosen;
    let mut chosen = account.with_connecting_sentences(chosen);
    let holds_all = account.holds_all_asked(&chosen);
    tracing::debug!(holds_all, asked = ?account.subject(), "nearest");
    let mut text = String::new();
    // The statements of the nearest one's item stand together, before the others.
    let nearest = chosen.first().map(|&index| &account.told[index]);
    let is_of_its_item = |index: usize| {
        let one = &account.told[index];
        let item = account.item(one);
        !item.is_empty() && nearest.is_some_and(|nearest| one.card == nearest.card && account.item(nearest) == item)
    };
    // What an amendment says in the place of the nearest statement comes before that.
    if let Some(amending) = chosen.first().and_then(|&index| account.amendment_of(index)) {
        let older = chosen.remove(0);
        chosen.retain(|&index| index != amending);
        let [new, old] = [amending, older].map(|index| account.running(&[index]));
        text.push_str(&format!("{} {}{old}", new.trim_end(), Words::spaced(phrases.before)));
    }
    let mut chosen = account.without_amendments_of(chosen.clone(), &chosen);
    // The nearest statement comes first, unless it leans on the text before it.
    let leads = |&index: &usize| {
        let one = &account.told[index];
        one.statement.form == Form::Sentence
            && one.statement.lead.is_empty()
            && one.after.is_none()
            && account.item(one).is_empty()
    };
    if chosen.len() > 1 && chosen.first().is_some_and(leads) {
        text.push_str(&account.paragraphs(&account.with_amendments(&[chosen.remove(0)])));
    }
    let mut cards: Vec<usize> = Vec::new();
    for card in chosen.iter().map(|&index| account.told[index].card) {
        if !cards.contains(&card) {
            cards.push(card);
        }
    }
    for card in cards {
        let mut own: Vec<usize> = chosen.iter().copied().filter(|&index| account.told[index].card == card).collect();
        account.sort_for_reading(&mut own);
        own.sort_by_key(|&index| !is_of_its_item(index));
        text.push_str(&account.paragraphs(&account.with_amendments(&own)));
    }
    (!text.is_empty()).then_some(Nearest { text, holds_all })
}

/// As [`nearest`], for the one passage in another language than the question's that answers best, if one answers: it
/// shares no words by which it could be ranked with others. If the reader knows both languages, it has already found
/// that nothing answers.
pub(in crate::offline) fn nearest_in_other_language(
    input: &WriteInput,
    asked: Asked<'_>,
    words: usize,
    phrases: &Words,
) -> Option<String> {
    let is_open = |card: &&EvidenceCard| {
        read::can_read(card.language) && !(read::knows(card.language) && read::knows(asked.language))
    };
    let cards = input.evidence.iter().filter(|card| is_elsewhere(card, asked.language)).filter(is_open).collect();
    let (card, _) = best_of_passages(cards, asked).filter(|(_, best)| *best >= ANSWERS)?;
    let text = tell(vec![card], input, asked, words, phrases)?.text;
    Some(format!("{}\n\n{text}", phrases.closest))
}

impl Account<'_> {
    /// Returns `chosen`, whose first is the nearest, followed by the sentence after that one and the few between two of
    /// one paragraph.
    fn with_connecting_sentences(&self, mut chosen: Vec<usize>) -> Vec<usize> {
        let mut beside = self.sentences_between(&chosen);
        beside.extend(chosen.first().map(|nearest| nearest + 1).filter(|&next| self.is_running(next - 1, next)));
        beside.retain(|index| !chosen.contains(index));
        chosen.extend(beside);
        chosen
    }
}
