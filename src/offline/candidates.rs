//! The candidates for an answer to a question: the statements of the nearest passages, with the words that the reader
//! points to and how sure they make the answer. Which of them are told is decided in [`super::answer`].

mod asked;
mod bridge;
mod reading;

use std::collections::{BTreeMap, BTreeSet};

use self::asked::asked_words;
use self::reading::{answer_in, is_readable, likenesses, named, readings, text_with_headings, trim_answer};
pub(super) use self::reading::{best_of_passages, likeness, read_statements};
use super::asking::asks_yes_or_no;
use super::change::{asks_for_former, current_value, labelled_changes};
use super::entities::years;
use super::head::{dateline_ranges, mail_head_ranges};
use super::leaning::own_words;
use super::lookup::extreme::Extreme;
use super::lookup::{Asking, look_up};
use super::named::NamedDocuments;
use super::prose::{opens_with_proviso, plain};
use super::statements::{Form, Statement, statements_in};
use super::tables::{Place, tables};
use super::terms::{Rarity, content_set, is_informative_term, question_terms, same};
use super::wanted::{Demands, names_other};
use crate::base::text::{Language, is_cjk};
use crate::embed::Text;
use crate::llm::purpose::{EvidenceCard, WriteInput};
use crate::read::{self, Reading};

/// The number of passages that are read for the answer, those that the search ranks highest first.
const READ: usize = 16;

/// The most rows, items and values read one by one in each of the nearest passages, and how many those are; others get
/// a quarter.
const SINGLE: usize = 12;
const NEAREST: usize = 3;

/// How much more the best hit of the search is worth than its last one, in units of the reader's score.
const PRIOR: f32 = 9.0;

/// The weight of the question's words in and around a statement, in the same units.
const SHARED: f32 = 6.0;

/// The bonus in rank for a passage in the question's script that an earlier run found and that was recalled, in units
/// of the reader's score. It decides between passages that answer alike. It does not make the answer surer: the earlier
/// run asked something else.
const KNOWN: f32 = 0.5;

/// The weight of likeness in meaning in choosing the rows to read, in the same units.
const MEANING: f32 = 10.0;

/// The most rows, items and values that are compared with the question: those that share most words with it.
const LIKENED: usize = 48;

/// The penalty for a figure of another property than the one asked for, in units of the reader's score.
const OTHER_PROPERTY: f32 = 9.0;

/// The penalty for naming somebody who only meets the person that is asked for, in units of the reader's score.
const OTHER_PERSON: f32 = 18.0;

/// The penalty for answering as the earlier report did, in units of the reader's score.
const REPEAT_PENALTY: f32 = 18.0;

/// The penalty for lacking the number of a version if one is asked for.
const LACKS: f32 = 5.0;

/// A passage of other documents than those that the question names counts as lacking this many things.
const ELSEWHERE: usize = 2;

/// A statement without a percentage counts as lacking this many things if one is asked for.
const PERCENTAGE: usize = 2;

/// The bonus in choosing the rows to read if a table answers with the row.
const BY_TABLE: f32 = 100.0;

/// The bonus for a row that holds the value that the question looks up; and the sureness of that value if nothing else
/// is read.
const LOOKED_UP: f32 = 12.0;
const UNREAD: f32 = 12.0;

/// The weights that rank candidates. The reader's judgement and the question's words in a statement count in full;
/// other things count less than in deciding whether there is an answer. Fitted as a conditional logit over the
/// candidates of questions that were written for it.
mod order {
    /// The weight of the search's opinion of the passage.
    pub(super) const PRIOR: f32 = 0.4;
    /// The penalty per point by which the search scores the passage below its best one; and the points assumed for a
    /// passage that it did not find.
    pub(super) const BEHIND: f32 = 0.35;
    pub(super) const UNFOUND: f32 = 6.0;
    /// The penalty for each thing that the question demands and the statement lacks.
    pub(super) const LACKS: f32 = 1.0;
    /// The weight of the likeness in meaning of a row, item or value to the question; and the usual likeness, which
    /// counts as 0.
    pub(super) const ALIKE: f32 = 4.5;
    pub(super) const USUAL: f32 = 0.3;
}

/// A statement that may answer the question.
pub(super) struct Candidate {
    /// The index of its passage in the evidence.
    pub card: usize,
    pub statement: Statement,
    /// The answer's words in the statement, as shown; empty if they are unknown.
    pub answer: String,
    /// How sure its words alone make the answer, in units of the reader's score; and the same for all statements of its
    /// passage that were read.
    pub sure: f32,
    pub read: Vec<f32>,
    /// The sum of that, the search's opinion of its passage, and what the question demands; decides whether it is an
    /// answer.
    pub score: f32,
    /// The score by which candidates are ranked, and the best one of a passage is chosen.
    pub order: f32,
    /// Whether the question looks up a value in a table and this is that value.
    pub looked_up: bool,
    /// The statement that leads to it, and the index of that one's passage, if two passages answer together.
    pub behind: Option<(usize, Statement)>,
}

impl Candidate {
    /// Returns the candidate with another statement and its answer in place of its own.
    pub(super) fn replaced_by(&self, card: usize, statement: Statement, answer: String) -> Self {
        Candidate { card, statement, answer, read: Vec::new(), behind: None, ..*self }
    }
}

/// A question to answer, and the search that was made for it.
#[derive(Clone, Copy)]
pub(super) struct Asked<'a> {
    pub question: &'a str,
    /// The search's index among those of the run; 0 is the question as a whole.
    pub search: usize,
    pub language: Language,
}

/// Returns the candidates, one for each passage that was read. Running text is read as a whole; rows, items, values and
/// commands are read one by one below their heading, since a reader that sees a whole table picks the wrong row.
pub(super) fn candidates(input: &WriteInput, asked: Asked<'_>) -> Vec<Candidate> {
    let field = Field::new(input, asked);
    let single = field.to_read_alone();
    let whole = field.cards.iter().take(READ).enumerate();
    let whole = whole.map(|(rank, &card)| (rank, text_with_headings(&input.evidence[card])));
    let texts: Vec<(usize, String)> =
        whole.chain(single.iter().map(|(place, _)| (place.0, field.named(place)))).collect();
    let mut by_passage = readings(&field, &texts);
    let by_statement = by_passage.split_off(field.cards.len().min(READ));
    let of_passages = by_passage.iter().enumerate().filter_map(|(rank, reading)| Some((rank, reading.as_ref()?)));
    let mut offers: Vec<StatementPlace> =
        of_passages.flat_map(|(rank, reading)| field.offers_of_passage(rank, &texts[rank].1, reading)).collect();
    for (((place, likeness), (_, text)), reading) in
        single.iter().zip(&texts[field.cards.len().min(READ)..]).zip(by_statement)
    {
        offers.extend(reading.map(|reading| field.offer_alone(place, *likeness, text, &reading)));
    }
    offers.extend(field.unread());
    let mut found = field.best(offers);
    if let Some(mut joined) = bridge::joined(&field, &found) {
        if let Some(alone) = found.iter().position(|one| one.card == joined.card) {
            joined.read = found.remove(alone).read;
        }
        found.push(joined);
    }
    found
}

/// A statement, by its passage and its place there, that may answer.
struct StatementPlace {
    rank: usize,
    index: usize,
    answer: String,
    sure: f32,
    order: f32,
}

/// The passages to read, by rank, with what each statement holds of the question.
struct Field<'a> {
    input: &'a WriteInput,
    asked: Asked<'a>,
    wants: Demands,
    /// The words of the question that are not in the question which it follows.
    new: BTreeSet<String>,
    /// The indices of the passages in the evidence.
    cards: Vec<usize>,
    /// The statements of each passage.
    stated: Vec<Vec<Statement>>,
    /// The question's words, and how rare each is in the statements.
    wanted: BTreeSet<String>,
    rarity: Rarity,
    /// The worth of the question's words in and around each statement.
    shared: Vec<Vec<f32>>,
    /// The rows in which the question looks up a value, and that value.
    looked_up: BTreeMap<Place, String>,
    /// Whether each passage is in another script than the question, so that no word of one can stand in the other.
    across: Vec<bool>,
    /// Whether each passage belongs to none of the documents that the question names and does not speak of them.
    elsewhere: Vec<bool>,
}

impl<'a> Field<'a> {
    fn new(input: &'a WriteInput, asked: Asked<'a>) -> Self {
        let (cards, whole) = (best_cards(input, asked.search), asked.question);
        let asked = Asked { question: own_words(whole, &input.earlier.question, asked.language), ..asked };
        let stated = cards.iter().map(|&card| stated_for(input, card, asked)).collect();
        let across: Vec<bool> = cards.iter().map(|&card| is_in_other_script(&input.evidence[card], asked)).collect();
        let named = NamedDocuments::of(whole, &input.evidence, asked.language);
        let concerns = |card: usize| named.concerns(&input.evidence[card], asked.language);
        let elsewhere = cards.iter().zip(&across).map(|(&card, &across)| !across && !concerns(card));
        let earlier = &input.earlier.question;
        let wanted = question_terms(whole, asked.language);
        let known = content_set(earlier, asked.language);
        let is_new = |term: &&String| !earlier.is_empty() && !known.contains(*term);
        let mut field = Field {
            new: wanted.iter().filter(is_new).cloned().collect(),
            input,
            asked,
            wants: Demands::of(asked.question, asked.language),
            elsewhere: elsewhere.collect(),
            cards,
            stated,
            wanted,
            rarity: Rarity::of([]),
            shared: Vec::new(),
            looked_up: BTreeMap::new(),
            across,
        };
        let mut asking = Asking::new(asked.question, asked.language);
        asking.new_terms.clone_from(&field.new);
        let in_bands = field.look_up_values(&asking);
        let mut terms = field.terms();
        for (rank, index) in in_bands {
            terms[rank][index].extend(asking.amount_terms.iter().cloned());
        }
        field.rarity = Rarity::of(terms.iter().flatten());
        field.shared = field.worth_of_words(&terms);
        field
    }

    /// The terms of each statement.
    fn terms(&self) -> Vec<Vec<BTreeSet<String>>> {
        let terms = |statement: &Statement| content_set(&statement.shown(), self.asked.language);
        self.stated.iter().map(|all| all.iter().map(terms).collect()).collect()
    }

    /// The worth of the question's words that stand in a statement, and in or around it.
    fn worth(&self, own: &BTreeSet<String>, held: &BTreeSet<String>) -> f32 {
        let covers = |held: &BTreeSet<String>| {
            let all = self.rarity.coverage(&self.wanted, held);
            if self.new.is_empty() { all } else { (all + self.rarity.coverage(&self.new, held)) / 2.0 }
        };
        SHARED * (0.6 * covers(own) + 0.4 * covers(held))
    }

    /// The worth of the question's words in and around each statement.
    fn worth_of_words(&self, terms: &[Vec<BTreeSet<String>>]) -> Vec<Vec<f32>> {
        let shares = |rank: usize, index: usize| {
            let (card, statement) = (self.card(rank), &self.stated[rank][index]);
            let around = format!("{} {} {} {}", card.title, card.place, file_name(card), statement.headings());
            let own = &terms[rank][index];
            let held: BTreeSet<String> = own.union(&content_set(&around, self.asked.language)).cloned().collect();
            self.worth(own, &held)
        };
        let all = |rank: usize| 0..self.stated[rank].len();
        let mut shared: Vec<Vec<f32>> =
            (0..self.cards.len()).map(|rank| all(rank).map(|index| shares(rank, index)).collect()).collect();
        // Across scripts, likeness in meaning takes the place of shared words.
        let across = (0..self.cards.len()).filter(|&rank| self.across[rank]);
        let places: Vec<Place> = across.flat_map(|rank| all(rank).map(move |index| (rank, index))).collect();
        let texts: Vec<Text> = places.iter().map(|place| self.to_compare(place)).collect();
        for ((rank, index), likeness) in places.into_iter().zip(likenesses(self.asked, &texts)) {
            shared[rank][index] = SHARED * likeness;
        }
        shared
    }

    /// Finds the rows in which the question looks up a value. Returns those with a band that fits it.
    fn look_up_values(&mut self, asking: &Asking) -> BTreeSet<Place> {
        let ranked: Vec<&EvidenceCard> = (0..self.cards.len()).map(|rank| self.card(rank)).collect();
        let (mut banded, extreme) = (BTreeSet::new(), Extreme::of(self.asked.question));
        let asked_years: Vec<String> = years(self.asked.question).iter().map(u16::to_string).collect();
        for places in tables(&ranked, &self.stated) {
            let rows: Vec<&Statement> = places.iter().map(|&(rank, index)| &self.stated[rank][index]).collect();
            let in_bands = asking.in_bands(&rows);
            let card = ranked[places[0].0];
            let document = format!("{} {}", card.title, card.file_name());
            // A table of another year does not tell the most in the one that is asked for.
            let is_of_year = |year: &String| {
                let of_document = [&card.title, &card.path, &card.date];
                of_document.into_iter().any(|text| text.contains(year.as_str()))
                    || rows.iter().any(|row| format!("{} {}", row.text, row.headings()).contains(year.as_str()))
            };
            let of_extreme = extreme.filter(|_| asked_years.iter().all(is_of_year));
            let of_extreme = of_extreme.and_then(|extreme| extreme.look_up(asking, &rows, &document));
            let found = of_extreme.or_else(|| look_up(asking, &rows, &in_bands));
            if let Some((row, value)) = found.filter(|(row, _)| !self.wants.lacks_percentage(rows[*row])) {
                self.looked_up.insert(places[row], value.to_owned());
            }
            banded.extend(in_bands.into_iter().map(|(row, _)| places[row]));
        }
        banded
    }

    fn card(&self, rank: usize) -> &'a EvidenceCard {
        &self.input.evidence[self.cards[rank]]
    }

    /// The search's opinion of a passage, in units of the reader's score.
    fn prior(&self, rank: usize) -> f32 {
        PRIOR * prior(self.card(rank), self.asked.search, rank, self.cards.len())
    }

    /// Returns a statement as it is read alone.
    fn named(&self, &(rank, index): &Place) -> String {
        named(self.card(rank), &self.stated[rank][index])
    }

    /// Returns a statement as it is compared in meaning.
    fn to_compare(&self, place: &Place) -> Text {
        Text { text: self.named(place), language: self.card(place.0).language }
    }

    /// Returns the statements to read one by one: rows, items and values. With each, its likeness in meaning to the
    /// question.
    fn to_read_alone(&self) -> Vec<(Place, f32)> {
        let by_table = |place: &Place| if self.looked_up.contains_key(place) { BY_TABLE } else { 0.0 };
        let shared = |place: &Place| self.shared[place.0][place.1] + by_table(place);
        let most_first = |a: &Place, b: &Place| shared(b).total_cmp(&shared(a)).then(a.cmp(b));
        let alone = |place: &Place| {
            stands_alone(&self.stated[place.0][place.1]) && (place.0 < READ || self.looked_up.contains_key(place))
        };
        let all = |rank: usize| (0..self.stated[rank].len()).map(move |index| (rank, index));
        let mut chosen: Vec<Place> = (0..self.cards.len()).flat_map(all).filter(alone).collect();
        chosen.sort_by(most_first);
        chosen.truncate(LIKENED);
        // Across scripts, the worth of shared words already is the likeness.
        let (far, near): (Vec<Place>, Vec<Place>) = chosen.into_iter().partition(|place| self.across[place.0]);
        let texts: Vec<Text> = near.iter().map(|place| self.to_compare(place)).collect();
        let likeness = likenesses(self.asked, &texts);
        let far = far.into_iter().map(|place| (place, shared(&place) / SHARED));
        single_statements(near.into_iter().zip(likeness).chain(far).collect(), |(place, likeness)| {
            shared(place) + MEANING * likeness
        })
    }

    /// Returns the answers that the sentences of a passage offer by its reading as a whole, as `text`.
    fn offers_of_passage(&self, rank: usize, text: &str, reading: &Reading) -> Vec<StatementPlace> {
        let from = text.len() - self.card(rank).text.len();
        let offer = |(index, one): (usize, &Statement)| {
            let (span, worse) = reading.within(from + one.range.start..from + one.range.end)?;
            let shared = self.shared[rank][index];
            let answer = trim_answer(&plain(&text[span]));
            let (sure, order) = (reading.score() - worse + shared, reading.answerable - worse + shared);
            Some(StatementPlace { rank, index, answer, sure, order })
        };
        let running = self.stated[rank].iter().enumerate().filter(|(_, one)| !stands_alone(one));
        running.filter_map(offer).collect()
    }

    /// Returns the answer that a row, item or value offers by its reading alone, as `text`.
    fn offer_alone(&self, &(rank, index): &Place, likeness: f32, text: &str, reading: &Reading) -> StatementPlace {
        let (statement, shared) = (&self.stated[rank][index], self.shared[rank][index]);
        let looked_up = self.looked_up.get(&(rank, index));
        let by_table = if looked_up.is_some() { LOOKED_UP } else { 0.0 };
        let answer = looked_up.cloned().unwrap_or_else(|| answer_in(reading, statement, text));
        // Across scripts, the worth of shared words already is the likeness.
        let alike = if self.across[rank] { 0.0 } else { order::ALIKE * (likeness - order::USUAL) };
        let order = reading.answerable + shared + by_table + alike;
        StatementPlace { rank, index, answer, sure: reading.score() + shared + by_table, order }
    }

    /// Returns the values looked up in tables that the reader cannot read.
    fn unread(&self) -> Vec<StatementPlace> {
        let unread = self.looked_up.iter().filter(|((rank, _), _)| !self.is_read(*rank));
        let offer = |(&(rank, index), answer): (&Place, &String)| StatementPlace {
            rank,
            index,
            answer: answer.clone(),
            sure: UNREAD,
            // Of several tables, the one that shares most words with the question.
            order: UNREAD + self.shared[rank][index],
        };
        unread.map(offer).collect()
    }

    /// Whether the reader knows the languages of the question and of a passage.
    fn is_read(&self, rank: usize) -> bool {
        read::knows(self.asked.language) && is_readable(self.card(rank), self.asked.language)
    }

    /// The share of the property asked for that is mentioned neither in a figure's statement nor in the headings above
    /// it nor in the statement before it; 1 if the statement is on another thing than the one asked for.
    fn missing_property_share(&self, rank: usize, index: usize, answer: &str) -> f32 {
        let property = &self.wants.property;
        let statement = &self.stated[rank][index];
        if names_other(self.asked.question, &format!("{} {}", statement.shown(), statement.headings()), answer) {
            return 1.0;
        }
        // What is paid goes by many names.
        let is_measured = answer.contains(|c: char| c.is_numeric()) && !answer.contains(['£', '$', '€', '¥']);
        if property.is_empty() || !is_measured || self.across[rank] {
            return 0.0;
        }
        let before = index.checked_sub(1).map(|before| self.stated[rank][before].shown()).unwrap_or_default();
        let around = format!("{} {} {before}", statement.shown(), statement.headings());
        property.difference(&content_set(&around, self.asked.language)).count() as f32 / property.len() as f32
    }

    /// Whether a statement answers as the earlier report did that the question follows, and holds nothing that is new
    /// in the question.
    fn repeats(&self, rank: usize, index: usize, answer: &str) -> bool {
        let (earlier, statement) = (&self.input.earlier.answer, &self.stated[rank][index]);
        let held = || content_set(&format!("{} {}", statement.shown(), statement.headings()), self.asked.language);
        !earlier.is_empty() && !answer.is_empty() && same(earlier, answer) && self.new.is_disjoint(&held())
    }

    /// Puts a proviso behind the sentence that it restricts. Alone it does not answer whether that holds, unless the
    /// question names something that only the proviso holds.
    fn put_behind_rule(&self, rank: usize, candidate: &mut Candidate) {
        let statement = &candidate.statement;
        if !opens_with_proviso(&statement.text) || !statement.lead.is_empty() {
            return;
        }
        let at = self.stated[rank].iter().position(|one| one.range == statement.range);
        let Some(rule) = at.and_then(|at| self.stated[rank].get(at.checked_sub(1)?)) else { return };
        if rule.headings() != statement.headings() || matches!(rule.form, Form::Row | Form::Code) {
            return;
        }
        let held = content_set(&format!("{} {}", rule.shown(), rule.headings()), self.asked.language);
        let own = content_set(&statement.text, self.asked.language);
        if asks_yes_or_no(self.asked.question)
            && own.intersection(&self.wanted).all(|term| held.contains(term) || !is_informative_term(term))
        {
            candidate.answer.clear();
        }
        candidate.behind = Some((candidate.card, rule.clone()));
    }

    /// Returns the best offer of each passage.
    fn best(&self, offers: Vec<StatementPlace>) -> Vec<Candidate> {
        let mut best: BTreeMap<usize, Candidate> = BTreeMap::new();
        let mut read: BTreeMap<usize, Vec<f32>> = BTreeMap::new();
        for StatementPlace { rank, index, answer, sure, order } in offers {
            let statement = &self.stated[rank][index];
            let other = OTHER_PROPERTY * self.missing_property_share(rank, index, &answer);
            let again = if self.repeats(rank, index, &answer) { REPEAT_PENALTY } else { 0.0 };
            let person = if self.wants.is_of_other(statement, &answer) { OTHER_PERSON } else { 0.0 };
            let (sure, order) = (sure - other - person - again, order - other - person - again);
            read.entry(rank).or_default().push(sure);
            let looked_up = self.looked_up.contains_key(&(rank, index));
            let elsewhere = if self.elsewhere[rank] { ELSEWHERE } else { 0 };
            // A table may name its versions in another cell than the one that answers.
            let lacks_version = !looked_up && self.wants.lacks_version(statement);
            let lacks_percentage = if self.wants.lacks_percentage(statement) { PERCENTAGE } else { 0 };
            let lacking = (usize::from(lacks_version) + lacks_percentage + elsewhere) as f32;
            let prior = self.prior(rank);
            tracing::trace!(
                rank,
                index,
                answer,
                sure,
                order,
                lacking,
                shared = self.shared[rank][index],
                statement.text
            );
            let is_known = !self.card(rank).known.is_empty() && !self.across[rank];
            let known = if is_known { KNOWN } else { 0.0 };
            let score = sure + prior - LACKS * lacking;
            let behind = self.card(rank).score_gap_in(self.asked.search).unwrap_or(order::UNFOUND);
            let order = order + order::PRIOR * prior + known - order::LACKS * lacking - order::BEHIND * behind;
            if best.get(&rank).is_none_or(|known| order > known.order) {
                let (card, statement) = (self.cards[rank], statement.clone());
                let (read, behind) = (Vec::new(), None);
                best.insert(rank, Candidate { card, statement, answer, sure, read, score, order, looked_up, behind });
            }
        }
        for (&rank, candidate) in &mut best {
            if !candidate.looked_up
                && let Some(asked) = asked_words(&candidate.statement, &candidate.answer, self.asked, &self.wanted)
            {
                candidate.answer = asked;
            }
            let Asked { question, language, .. } = self.asked;
            let shown = candidate.statement.shown();
            if let Some(current) = current_value(&shown, &candidate.answer, question, language) {
                candidate.answer = current.to_owned();
            }
            self.put_behind_rule(rank, candidate);
            candidate.read = read.remove(&rank).unwrap_or_default();
        }
        best.into_values().collect()
    }
}

/// Returns the statements of a passage that may answer a question: all but the head of a mail, the date line of a
/// document, and the old values beside new ones if the question does not ask for those.
fn stated_for(input: &WriteInput, index: usize, asked: Asked<'_>) -> Vec<Statement> {
    let mut stated = statements_in(&input.evidence, index);
    let mut left_out = mail_head_ranges(&stated);
    left_out.extend(dateline_ranges(&input.evidence, index, &stated, asked.question, asked.language));
    if !asks_for_former(asked.question) {
        left_out.extend(labelled_changes(&stated).into_iter().map(|[old, _]| stated[old].range.clone()));
    }
    stated.retain(|one| !left_out.contains(&one.range));
    stated
}

/// Whether a passage is in another script than the question.
fn is_in_other_script(card: &EvidenceCard, asked: Asked<'_>) -> bool {
    let wide = card.text.chars().filter(|&c| is_cjk(c)).count();
    let narrow = card.text.chars().filter(char::is_ascii_alphabetic).count();
    // A wide character says as much as about four letters; passages of figures alone are in any script.
    if asked.question.contains(is_cjk) { wide * 4 < narrow } else { wide * 4 > narrow }
}

/// The words of the name of a passage's file.
fn file_name(card: &EvidenceCard) -> String {
    card.file_name().replace(|c: char| !c.is_alphanumeric(), " ")
}

/// Whether a statement is read by itself: a row, an item, a value, a command, or the answer to a question beside it.
fn stands_alone(statement: &Statement) -> bool {
    statement.form != Form::Sentence || !statement.lead.is_empty()
}

/// Keeps the statements among `alone` that are worth most in each passage.
fn single_statements(mut alone: Vec<(Place, f32)>, worth: impl Fn(&(Place, f32)) -> f32) -> Vec<(Place, f32)> {
    alone.sort_by(|a, b| worth(b).total_cmp(&worth(a)).then(a.0.cmp(&b.0)));
    let mut taken: BTreeMap<usize, usize> = BTreeMap::new();
    alone.retain(|((rank, _), _)| {
        let taken = taken.entry(*rank).or_default();
        *taken += 1;
        *taken <= if *rank < NEAREST { SINGLE } else { SINGLE / 4 }
    });
    alone
}

/// Returns the indices of the passages to read, those first that the search for the question itself ranks highest.
pub(super) fn best_cards(input: &WriteInput, search: usize) -> Vec<usize> {
    let mut cards: Vec<usize> = (0..input.evidence.len()).collect();
    let standing = |card: usize| standing(&input.evidence[card], search);
    cards.sort_by(|&a, &b| standing(b).total_cmp(&standing(a)).then(a.cmp(&b)));
    // A passage that only searches for other names found comes after those that the question itself finds.
    cards.sort_by_key(|&card| input.evidence[card].score_in(search).is_none());
    // Values are looked up in all passages of the nearest tables.
    let table = |card: usize| (&input.evidence[card].collection, &input.evidence[card].path);
    let near: BTreeSet<_> = cards.iter().take(NEAREST).map(|&card| table(card)).collect();
    let further = cards.iter().copied().skip(READ).filter(|&card| near.contains(&table(card)));
    cards.iter().copied().take(READ).chain(further).collect()
}

/// How high a passage stands in the search for the question itself; lower if only other searches found it.
pub(super) fn standing(card: &EvidenceCard, search: usize) -> f32 {
    let other = card.standings.iter().copied().max_by(f32::total_cmp).unwrap_or(0.0);
    card.score_in(search).unwrap_or(0.6 * other)
}

/// The search's opinion of a passage, roughly between 0 and 1.
fn prior(card: &EvidenceCard, search: usize, rank: usize, of: usize) -> f32 {
    let by_rank = 1.0 - rank as f32 / of.max(1) as f32;
    0.5 * standing(card, search).clamp(0.0, 1.0) + 0.5 * by_rank
}
