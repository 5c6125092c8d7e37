//! What may answer a question: the statements of the nearest passages, with the words that the reader points to and how
//! sure they make the answer. What is told of them is decided in [`super::answer`].

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::entities::{is_named, name_terms};
use super::prose::leans;
use super::statements::{Form, Statement, plain, statements};
use super::terms::{Rarity, asked_set, content_set};
use super::wanted::Wanted;
use crate::base::text::{Language, detect_language, floor_boundary, is_cjk, is_hiragana, is_kana};
use crate::embed::minilm;
use crate::llm::purpose::{EvidenceCard, WriteInput};
use crate::read::{self, Pair, Reading};

/// Passages that are read for the answer, the best of the search first.
const READ: usize = 16;

/// Rows, items and values that are read one by one: most of each of the nearest passages, and a quarter of it of others.
const SINGLE: usize = 12;
const NEAREST: usize = 3;

/// Sentences of each of the nearest passages that are read one by one, too.
const SENTENCES: usize = 4;

/// How much more the best hit of the search is worth than its last, in units of the reader's score.
const PRIOR: f32 = 9.0;

/// What the question's words in and around a statement are worth, in the same units.
pub(super) const SHARED: f32 = 6.0;

/// What it is worth, beside the search's judgement, that an earlier run found a passage and that it came to mind again.
const KNOWN: f32 = 0.8;

/// What likeness in meaning is worth where rows are chosen to be read, in the same units.
const MEANING: f32 = 10.0;

/// Rows, items and values that are compared with the question, those first that share most words with it.
const LIKENED: usize = 48;

/// Bytes of a statement that are compared: what it is about stands at its beginning.
const COMPARED: usize = 280;

/// The share of the question's words that a passage's best statement must have more than the one the reader points to, to
/// be told in its place.
const MISSED: f32 = 0.4;

/// What it costs not to hold a figure or a number of the question, or any figure where one is asked for.
const LACKS: f32 = 5.0;

/// What a command is worth where the question asks how to do something.
const STEP: f32 = 2.0;

/// What a value is worth whose name is all that the question asks about.
const DEFINES: f32 = 6.0;

/// What it is worth that a row itself names what the question names by number, as "season 20" and "MX-25".
const NAMED: f32 = 2.0;

/// A statement that may answer.
pub(super) struct Candidate {
    /// Index of its passage in the evidence.
    pub card: usize,
    pub statement: Statement,
    /// The answer's words in the statement, as shown; empty where nobody knows them.
    pub answer: String,
    /// How sure its words alone make the answer, in units of the reader's score.
    pub sure: f32,
    /// That, what the search thinks of its passage, and what the question demands: candidates are ranked by it, and an
    /// answer is told from none.
    pub score: f32,
}

/// A question that is answered, and the search that was made for it.
#[derive(Clone, Copy)]
pub(super) struct Asked<'a> {
    pub question: &'a str,
    /// Index among the run's searches; 0 is the question as a whole.
    pub search: usize,
    pub language: Language,
}

/// What may answer, one candidate for each passage that was read. Running text is read as a whole; rows, items, values and
/// commands are read one by one below their heading, since a reader that sees a whole table takes the wrong row.
pub(super) fn candidates(input: &WriteInput, asked: Asked<'_>) -> Vec<Candidate> {
    let cards = best_cards(input, asked.search);
    let stated: Vec<Vec<Statement>> = cards.iter().map(|&card| statements(&input.evidence[card])).collect();
    let terms = |statement: &Statement| content_set(&statement.shown(), asked.language);
    let sets: Vec<Vec<BTreeSet<String>>> = stated.iter().map(|all| all.iter().map(terms).collect()).collect();
    let rarity = Rarity::of(sets.iter().flatten());
    let wanted = asked_set(asked.question, asked.language);
    let shares = |rank: usize, index: usize| {
        let card = &input.evidence[cards[rank]];
        let around = format!("{} {} {}", card.title, card.place, stated[rank][index].heading);
        let held: BTreeSet<String> = sets[rank][index].union(&content_set(&around, asked.language)).cloned().collect();
        SHARED * (0.6 * rarity.coverage(&wanted, &sets[rank][index]) + 0.4 * rarity.coverage(&wanted, &held))
    };
    let shared: Vec<Vec<f32>> =
        (0..cards.len()).map(|rank| (0..stated[rank].len()).map(|index| shares(rank, index)).collect()).collect();
    let prior = |rank: usize| PRIOR * prior(&input.evidence[cards[rank]], asked.search, rank, cards.len());

    let mut alone: Vec<(usize, usize)> = (0..cards.len())
        .flat_map(|rank| (0..stated[rank].len()).map(move |index| (rank, index)))
        .filter(|&(rank, index)| stands_alone(&stated[rank][index]))
        .collect();
    alone.sort_by(|a, b| shared[b.0][b.1].total_cmp(&shared[a.0][a.1]).then(a.cmp(b)));
    alone.truncate(LIKENED);
    // Of the nearest passages, the sentences with most of the question's words, too: read as a whole, a passage gives one
    // answer.
    for rank in 0..cards.len().min(NEAREST) {
        let holds = |&index: &usize| !stands_alone(&stated[rank][index]) && shared[rank][index] > 0.0;
        let mut running: Vec<usize> = (0..stated[rank].len()).filter(holds).collect();
        running.sort_by(|&a, &b| shared[rank][b].total_cmp(&shared[rank][a]).then(a.cmp(&b)));
        alone.extend(running.into_iter().take(SENTENCES).map(|index| (rank, index)));
    }
    let named = |&(rank, index): &(usize, usize)| named(&input.evidence[cards[rank]], &stated[rank][index]);
    let meant = meanings(asked, alone.iter().map(named).collect());
    let worth = alone.iter().zip(meant).map(|(&(rank, index), meant)| ((rank, index), shared[rank][index] + meant));
    let single = single_statements(worth.collect());
    let whole = cards.iter().enumerate().map(|(rank, &card)| (rank, input.evidence[card].text.clone()));
    let texts: Vec<(usize, String)> =
        whole.chain(single.iter().map(|&(rank, index)| (rank, named(&(rank, index))))).collect();
    let mut by_passage = readings(input, &cards, &texts, asked);
    let by_statement = by_passage.split_off(cards.len());
    let seeks_steps = seeks_steps(asked.question);

    let wants = Wanted::of(asked.question);
    let names = name_terms(asked.question, asked.language);
    let knows = |&card: &usize| knows_names(&input.evidence[card], &names, asked.language);
    let knows_names: Vec<bool> = cards.iter().map(knows).collect();
    // Where some passage knows a name of the question, one that knows none is about something else.
    let is_known = knows_names.contains(&true);
    let lacks = |rank: usize, one: &Statement| {
        wants.lacks(one, &input.evidence[cards[rank]]) + usize::from(is_known && !knows_names[rank])
    };
    let mut offers: Vec<Offer> = Vec::new();
    let mut offer = |rank: usize, index: usize, answer: String, sure: f32, prior: f32| {
        offers.push(Offer { rank, index, answer, sure, prior });
    };
    let mut pointed_at: Vec<Option<usize>> = vec![None; cards.len()];
    for (rank, reading) in by_passage.iter().enumerate() {
        let most = |of: &dyn Fn(&Statement) -> bool| {
            (0..stated[rank].len())
                .filter(|&index| of(&stated[rank][index]))
                .max_by(|&a, &b| shared[rank][a].total_cmp(&shared[rank][b]).then(b.cmp(&a)))
        };
        let Some(reading) = reading else {
            let fits = |one: &Statement| !seeks_steps || one.form == Form::Code;
            if let Some(index) = most(&fits).or_else(|| most(&|_| true)) {
                offer(rank, index, String::new(), shared[rank][index], 0.1 * prior(rank));
            }
            continue;
        };
        let Some(span) = reading.answer.clone() else { continue };
        let pointed = |one: &Statement| one.range.start < span.end && span.start < one.range.end;
        let Some(index) = stated[rank].iter().position(pointed) else { continue };
        pointed_at[rank] = Some(index);
        if !stands_alone(&stated[rank][index]) {
            let text = &input.evidence[cards[rank]].text;
            let answer = plain(&text[whole_words(text, span)]);
            offer(rank, index, answer, reading.score() + shared[rank][index], prior(rank));
        }
        let lacking = lacks(rank, &stated[rank][index]);
        // The reader sees words and not names: a sentence with far more of the question's words is the better one.
        if let Some(other) = most(&|one| !stands_alone(one))
            && shared[rank][other] - shared[rank][index] > MISSED * SHARED
            && lacks(rank, &stated[rank][other]) <= lacking
            // What the answer leans on is told with it.
            && !(other + 1 == index && leans(&stated[rank][index].text))
        {
            let sure = reading.score() + 2.0 * shared[rank][other] - shared[rank][index];
            offer(rank, other, String::new(), sure, prior(rank));
        } else if let Some(other) =
            most(&|one| !stands_alone(one) && wants.is_named_in(one) && lacks(rank, one) < lacking)
        {
            // It points to another year, or to another one of a series.
            offer(rank, other, String::new(), reading.score() + shared[rank][other], prior(rank));
        }
    }
    for ((&(rank, index), (_, text)), reading) in single.iter().zip(&texts[cards.len()..]).zip(by_statement) {
        let Some(reading) = reading else { continue };
        // Out of its passage a sentence answers only where it holds more of the question than the one pointed to.
        let holds_more = |pointed: usize| shared[rank][index] > shared[rank][pointed];
        if !stands_alone(&stated[rank][index]) && !pointed_at[rank].is_none_or(holds_more) {
            continue;
        }
        let answer = answer_in(&reading, &stated[rank][index], text);
        let missed = if answer.is_empty() { MISSED * SHARED } else { 0.0 };
        let step = if seeks_steps && stated[rank][index].form == Form::Code { STEP } else { 0.0 };
        let (key, value) = stated[rank][index].text.split_once(": ").unwrap_or_default();
        let is_asked = |text: &str| !wanted.is_empty() && content_set(text, asked.language) == wanted;
        let defines = if is_asked(key) || wants.is_code(value) { DEFINES } else { 0.0 };
        let own = stands_alone(&stated[rank][index]) && wants.is_named_in(&stated[rank][index]);
        let named = if own { NAMED } else { 0.0 };
        let sure = reading.score() + shared[rank][index] + step + defines + named - missed;
        offer(rank, index, answer, sure, prior(rank));
    }
    let mut best: Vec<Option<Candidate>> = (0..cards.len()).map(|_| None).collect();
    for Offer { rank, index, answer, sure, prior } in offers {
        let statement = stated[rank][index].clone();
        let lacking = lacks(rank, &statement);
        let text = &statement.text;
        tracing::trace!(rank, index, answer, sure, shared = shared[rank][index], lacking, text, "offer");
        let score = sure + prior - LACKS * lacking as f32;
        let candidate = Candidate { card: cards[rank], statement, answer, sure, score };
        if best[rank].as_ref().is_none_or(|known| candidate.score > known.score) {
            best[rank] = Some(candidate);
        }
    }
    best.into_iter().flatten().collect()
}

/// Whether a passage knows one of `names`, if there is one.
pub(super) fn knows_names(card: &EvidenceCard, names: &[BTreeSet<String>], language: Language) -> bool {
    let held = || content_set(&format!("{} {} {} {}", card.title, card.place, card.path, card.text), language);
    names.is_empty() || is_named(names, &held())
}

/// A statement of a passage, by their places, that may answer.
struct Offer {
    rank: usize,
    index: usize,
    answer: String,
    sure: f32,
    prior: f32,
}

/// A statement below its heading, as it is read and compared.
fn named(card: &EvidenceCard, statement: &Statement) -> String {
    let above = if statement.heading.is_empty() { card.title.as_str() } else { statement.heading.as_str() };
    format!("{above}\n{}", statement.shown())
}

/// What statements are worth by their likeness to the question in meaning: "bicycle" may answer "bike". Nothing in a
/// language that the encoder does not know.
fn meanings(asked: Asked<'_>, texts: Vec<String>) -> Vec<f32> {
    let mut found = vec![0.0; texts.len()];
    if read::knows(asked.language) {
        let likeness = likeness(&[asked.question], &texts).into_iter().flatten();
        found.iter_mut().zip(likeness).for_each(|(worth, likeness)| *worth = MEANING * likeness);
    }
    found
}

/// How alike each question and each text are in meaning, for every question; nothing where that cannot be told.
pub(super) fn likeness(questions: &[&str], texts: &[String]) -> Vec<Vec<f32>> {
    let texts: Vec<String> = texts.iter().map(|text| text[..floor_boundary(text, COMPARED)].to_owned()).collect();
    minilm::likeness_blocking(questions, &texts).unwrap_or_else(|error| {
        tracing::warn!(%error, "the report is written without regard to meaning");
        Vec::new()
    })
}

/// What the reader makes of single statements, each below its heading: its score, and the words that answer; zero and
/// nothing where it cannot be asked.
pub(super) fn read_statements(asked: Asked<'_>, chosen: &[(&EvidenceCard, &Statement)]) -> Vec<(f32, String)> {
    let texts: Vec<String> = chosen.iter().map(|(card, statement)| named(card, statement)).collect();
    let pairs: Vec<Pair> = texts.iter().map(|text| Pair::new(asked.question, text.as_str())).collect();
    let read = if read::knows(asked.language) { read_all(&pairs) } else { Vec::new() };
    let mut found: Vec<(f32, String)> = read
        .iter()
        .zip(chosen.iter().zip(&texts))
        .map(|(reading, ((_, statement), text))| (reading.score(), answer_in(reading, statement, text)))
        .collect();
    found.resize(chosen.len(), (0.0, String::new()));
    found
}

/// The words of a statement that answer, as shown; empty where the reading of `text`, the statement below its heading,
/// points to none of them.
fn answer_in(reading: &Reading, statement: &Statement, text: &str) -> String {
    let from = text.len() - statement.shown().len();
    let span = reading.answer.clone().filter(|span| span.start >= from);
    span.map_or_else(String::new, |span| plain(&text[whole_words(text, span)]))
}

/// Whether a statement is read by itself: a row, an item, a value, a command, or the answer to a question beside it.
pub(super) fn stands_alone(statement: &Statement) -> bool {
    statement.form != Form::Sentence || !statement.lead.is_empty()
}

/// The statements to read by themselves: of each passage those among `alone` that are worth most.
fn single_statements(mut ranked: Vec<((usize, usize), f32)>) -> Vec<(usize, usize)> {
    ranked.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    let mut taken: BTreeMap<usize, usize> = BTreeMap::new();
    ranked.retain(|((rank, _), _)| {
        let taken = taken.entry(*rank).or_default();
        *taken += 1;
        *taken <= if *rank < NEAREST { SINGLE } else { SINGLE / 4 }
    });
    ranked.into_iter().map(|(place, _)| place).collect()
}

/// `span` without half words: in scripts without spaces it grows over the run of one script that it cuts, and a bracket
/// that it opens is closed or left out.
fn whole_words(text: &str, span: Range<usize>) -> Range<usize> {
    let kind = |c: char| match c {
        _ if is_hiragana(c) => 0,
        _ if is_kana(c) => 1,
        _ if is_cjk(c) => 2,
        _ if c.is_ascii_digit() => 3,
        _ => 4,
    };
    // Particles end words, so a run of hiragana is no word.
    let joined = |a: Option<char>, b: Option<char>| matches!((a, b), (Some(a), Some(b)) if kind(a) == kind(b) && [1, 2, 3].contains(&kind(a)) || kind(a) == 3 && kind(b) == 2);
    let (mut start, mut end) = (span.start, span.end);
    while joined(text[..start].chars().next_back(), text[start..].chars().next()) {
        start = text[..start].char_indices().next_back().map_or(0, |(at, _)| at);
    }
    while joined(text[..end].chars().next_back(), text[end..].chars().next()) {
        end += text[end..].chars().next().map_or(1, char::len_utf8);
    }
    for (open, close) in [('（', '）'), ('(', ')'), ('「', '」')] {
        let inside = &text[start..end];
        if inside.matches(open).count() > inside.matches(close).count() {
            if let Some(at) = text[end..].find(close).filter(|at| *at < 30) {
                end += at + close.len_utf8();
            } else if let Some(at) = inside.find(open).filter(|at| *at > 0) {
                end = start + at;
            }
        }
    }
    start..end
}

/// Whether the question asks how to do something, so that a command answers it.
fn seeks_steps(question: &str) -> bool {
    let lower = question.to_lowercase();
    ["how do ", "how can ", "how to ", "how should ", "wie kann", "wie mach", "comment ", "cómo "]
        .iter()
        .any(|opening| lower.starts_with(opening))
        || ["方法", "やり方", "どうやって", "手順", "コマンド", "command"].iter().any(|word| lower.contains(word))
}

/// Indices of the passages to read, those first that the search for the question itself thinks most of.
fn best_cards(input: &WriteInput, search: usize) -> Vec<usize> {
    let mut cards: Vec<usize> = (0..input.evidence.len()).collect();
    let standing = |card: usize| standing(&input.evidence[card], search);
    cards.sort_by(|&a, &b| standing(b).total_cmp(&standing(a)).then(a.cmp(&b)));
    cards.truncate(READ);
    cards
}

/// How well a passage stands in the search for the question itself; less where only other searches found it.
pub(super) fn standing(card: &EvidenceCard, search: usize) -> f32 {
    let other = card.standings.iter().copied().max_by(f32::total_cmp).unwrap_or(0.0);
    card.standing_in(search).unwrap_or(0.6 * other)
}

/// What the search, and what earlier runs learnt, think of a passage, about between 0 and 1.
fn prior(card: &EvidenceCard, search: usize, rank: usize, of: usize) -> f32 {
    let by_rank = 1.0 - rank as f32 / of.max(1) as f32;
    let known = if card.known.is_empty() { 0.0 } else { KNOWN };
    0.5 * standing(card, search).clamp(0.0, 1.0) + 0.5 * by_rank + known
}

/// The readings of texts, each of the passage whose place in `cards` stands before it; `None` for a passage in a language
/// that the reader does not know.
fn readings(input: &WriteInput, cards: &[usize], texts: &[(usize, String)], asked: Asked<'_>) -> Vec<Option<Reading>> {
    let readable: Vec<bool> = cards
        .iter()
        .map(|&card| read::knows(asked.language) && is_readable(&input.evidence[card].text, asked.language))
        .collect();
    let known = texts.iter().filter(|(rank, _)| readable[*rank]);
    let pairs: Vec<Pair> = known.map(|(_, text)| Pair::new(asked.question, text.as_str())).collect();
    let mut read = read_all(&pairs).into_iter();
    texts.iter().map(|(rank, _)| if readable[*rank] { read.next() } else { None }).collect()
}

/// What the reader makes of `pairs`; nothing where it cannot be asked, which is told.
fn read_all(pairs: &[Pair]) -> Vec<Reading> {
    read::read_blocking(pairs).unwrap_or_else(|error| {
        tracing::warn!(%error, "the report is written without the reader");
        Vec::new()
    })
}

/// Whether the reader knows the language of `text`. Detection errs on rows of names and figures, so a short text counts
/// as being in the question's language where its script allows that.
fn is_readable(text: &str, asked_in: Language) -> bool {
    /// A text of fewer bytes tells little of its language.
    const SHORT: usize = 240;
    let detected = detect_language(text);
    let wide = text.chars().any(is_cjk);
    read::knows(detected)
        || (text.len() < SHORT || detected == Language::UNKNOWN) && wide == (asked_in != Language::ENGLISH)
}
