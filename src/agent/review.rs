//! What reflection is shown: the passages of each round, appended to what it was shown before.
//!
//! A prompt that begins like the previous one is read from a provider's cache, so the text shown before is not changed.
//! A round adds its searches, its best new passages in full, and the next best as one line each. Once all this fills
//! its part of the prompt, it begins anew with one line for each helpful passage.

use std::collections::BTreeSet;

use super::prompt_text::{self, dated};
use super::run::{Review, Run};
use crate::base::text::{estimate_tokens, excerpt, one_line, short_line};
use crate::domain::SubQuery;
use crate::prompt::fenced;
use crate::report::supporting_quote;

/// The first round adds, as whole passages, one part in this many of the evidence that a prompt may hold.
const FIRST: u64 = 14;
/// Each later round adds one part in this many of it.
const LATER: u64 = 28;
/// A round adds one part in this many of it as lines.
const LINES: u64 = 100;
/// Once one part in this many of it is shown, the review begins anew.
const ALL: u64 = 4;
/// The tokens of whole passages that a round adds at least, even if a prompt may hold little evidence.
const LEAST_WHOLE: u64 = 400;
/// The most characters that a line quotes of a passage.
const LINE_CHARS: usize = 140;
/// The most characters quoted of an earlier reason.
const REASON_CHARS: usize = 240;

/// The review with what the last round adds to it.
pub(super) fn with_last_round(run: &Run<'_>, evidence_tokens: u64) -> Review {
    let mut review = run.review.clone();
    let queries = last_queries(run);
    let part = if run.history.rounds.len() < 2 { FIRST } else { LATER };
    let whole_tokens = (evidence_tokens / part).max(LEAST_WHOLE.min(evidence_tokens));
    let (whole, others) = run.evidence.ledger.cards_except(&review.whole, &queries, whole_tokens);
    let lines = lines(run, others.iter().copied(), evidence_tokens / LINES);

    let mut added = searches(run);
    if !whole.is_empty() {
        added.push_str(&format!("\n{}\n", prompt_text::evidence_without_paths(&whole)));
    }
    if !lines.is_empty() {
        added.push_str(&format!("{}\n", fenced("more passages, a line each", &lines)));
    }
    if whole.is_empty() && lines.is_empty() {
        added.push_str("(nothing new was found)\n");
    }
    if !review.text.is_empty() && estimate_tokens(&review.text) + estimate_tokens(&added) > evidence_tokens / ALL {
        review = begun_anew(run, evidence_tokens);
    }
    review.whole.extend(whole.iter().map(|card| card.number));
    review.cards.extend(whole);
    review.text.push_str(&added);
    review
}

/// The searches so far, and a line for each helpful passage.
fn begun_anew(run: &Run<'_>, evidence_tokens: u64) -> Review {
    let helpful = run.evidence.ledger.helpful();
    let kept = lines(run, helpful.iter().copied(), evidence_tokens / ALL / 2);
    let cards = helpful.iter().filter_map(|&number| run.evidence.ledger.card_of(number)).collect();
    let last = run.history.rounds.last().map_or(0, |round| round.sub_queries.len());
    let all = run.history.asked.all();
    let earlier = prompt_text::asked(all.get(..all.len().saturating_sub(last)).unwrap_or_default());
    let mut text = format!("Asked in earlier rounds:\n{earlier}\n");
    if !kept.is_empty() {
        text.push_str(&format!("\n{}\n", fenced("helpful passages of earlier rounds, a line each", &kept)));
    }
    // Passages that were shown in full and were not helpful are not shown again.
    Review { text: format!("{text}\n"), cards, whole: run.review.whole.clone() }
}

/// The last round's searches, and the model's judgement on the rounds before it.
fn searches(run: &Run<'_>) -> String {
    let Some(round) = run.history.rounds.last() else {
        return format!("Searched for:\n- {}\n", prompt_text::asked_line(&run.history.asked.all()[0]));
    };
    let number = run.history.rounds.len();
    let mut text = String::new();
    if number > 1 {
        let helpful: String = run.evidence.ledger.helpful().iter().map(|number| format!("[{number}]")).collect();
        let helpful = if helpful.is_empty() { "none".to_owned() } else { helpful };
        let reason = short_line(&round.reason, REASON_CHARS);
        text.push_str(&format!("\nYour judgement so far: helpful {helpful}; {reason}\n\n"));
    }
    text.push_str(&format!("Round {number} searched for:\n"));
    for query in &round.sub_queries {
        text.push_str(&format!("- {}\n", prompt_text::asked_line(&query.query)));
    }
    text
}

/// The indices of the last round's searches in the list of all. The search for the question itself belongs to the first
/// round.
fn last_queries(run: &Run<'_>) -> BTreeSet<usize> {
    let last = run.history.rounds.last().map(|round| round.sub_queries.as_slice()).unwrap_or_default();
    let is_last = |query: &SubQuery| last.iter().any(|search| search.query == *query);
    let mut queries: BTreeSet<usize> =
        (0..).zip(run.history.asked.all()).filter(|(_, query)| is_last(query)).map(|(index, _)| index).collect();
    if run.history.rounds.len() < 2 {
        queries.insert(0);
    }
    queries
}

/// A line for each of these passages: its title, and the quote that best fits the searches that found it.
pub(super) fn lines(run: &Run<'_>, numbers: impl Iterator<Item = usize>, max_tokens: u64) -> String {
    let mut text = String::new();
    for number in numbers {
        let Some(entry) = run.evidence.ledger.get(number) else { continue };
        let chunk = &entry.chunk;
        let claims = run.evidence.ledger.queries_of(number).iter();
        let claims = claims.filter_map(|&query| run.history.asked.all().get(query)).map(|query| query.text.clone());
        let claim = claims.chain([run.question.text.to_owned()]).collect::<Vec<_>>().join(" ");
        let quote = chunk
            .text
            .get(supporting_quote(&chunk.text, &chunk.headings, &[claim], chunk.language))
            .unwrap_or_default();
        let quote = one_line(quote);
        let title = dated(&short_line(&chunk.title, 60), chunk.date);
        let line = format!("{number} | {title}: {}\n", excerpt(&quote, LINE_CHARS));
        if estimate_tokens(&text) + estimate_tokens(&line) > max_tokens {
            break;
        }
        text.push_str(&line);
    }
    text.trim_end().to_owned()
}
