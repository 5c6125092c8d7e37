//! The report on a question that asks for an account of a subject. If one document is most on it: what that document
//! says, in its own order below its title. If several documents tell it: a lead of the most telling statements, then
//! each document's own below its title. After either come additions from single passages.
//!
//! If the question asks how something changed, sections and statements stand in the order of the times that they name.

mod choice;
mod form;
mod nearest;
mod paragraphs;
mod relevance;
mod rows;
mod subject;
mod timeline;
pub(super) mod told;

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};

use super::asking::asks_for_way;
use super::brief::Part;
use super::change::{asks_for_change, states_change};
use super::joined::split_joined_question;
use super::plan::{facet_of, topic};
use super::prose::{has_pronoun, innermost};
use super::render::{heading_text, title_of, unambiguous_title};
use super::statements::Form;
use super::terms::{Rarity, content_set, question_terms, spoken_in, word_count};
use crate::base::text::{Language, is_cjk};
use crate::llm::purpose::WriteInput;
use crate::report::{Words, repeats_title, wording};

use choice::Choice;
pub(super) use form::{outline, outlined, wanted, write_account};
pub(super) use nearest::{nearest, nearest_in_other_language};
use relevance::rank_by_meaning;
use timeline::asks_for_timeline;
pub(super) use told::{QuotableStatement, told};

/// Most statements of the lead.
const LEAD: usize = 3;
/// Most words of the lead.
const LEAD_WORDS: usize = 90;
/// Fewest words of a statement of the lead.
const LEAD_LEAST: usize = 8;

/// The share of the best statement's relevance that a statement needs to stand in the lead.
const LEADS: f32 = 0.8;

/// The weight, in the lead, of a statement's likeness in meaning to the question.
const LEAD_MEANT: f32 = 0.8;

/// The most words of the main document.
const MAIN_WORDS: usize = 250;
/// The same if the way that is asked for is told above it.
const BELOW_WAY: usize = 90;

/// The most further passages told beside the main document.
const OTHERS: usize = 5;

/// The fewest statements that make a section.
const LEAST: usize = 2;

/// The share of the best statement's relevance that statements need for their disagreements to be told.
const DISAGREES: f32 = 0.6;

/// The fewest documents for sections by document; with fewer, a document's own headings divide the account.
const DOCUMENTS: usize = 3;

/// The weight of a brief's subject, relative to the words of one of its parts.
const ABOUT: f32 = 0.6;

/// If the question is a name, a statement that holds this share of it may lead, whatever its form.
const HOLDS: f32 = 0.6;

/// A part of a brief tells only statements with at least this share of its best statement's relevance.
const NEAR_BEST: f32 = 0.55;

/// The same share for an account below an answer.
const NEAR_ANSWER: f32 = 0.65;

/// The most statements compared in meaning with the question: those that share most words with it.
const MOST_COMPARED: usize = 80;

/// Returns the report in pieces, without its title, in about `words` words; `before` is the text that stands above it.
/// Empty if nothing is on the question.
pub(super) fn account(
    input: &WriteInput,
    asked_in: Language,
    words: usize,
    before: &str,
    phrases: &Words,
) -> Vec<String> {
    let mut account = Account::new(input, asked_in);
    let relevant = account.relevant_on_topic();
    if relevant.is_empty() {
        return Vec::new();
    }
    account.mark_already_told(before);
    let relevant = match before {
        "" => relevant,
        // Below an answer, only statements about as near as the best one are worth reading.
        _ => account.near_best(relevant, NEAR_ANSWER),
    };
    let mut pieces = Vec::new();
    if account.foreign && before.is_empty() {
        pieces.push(format!("{}\n\n", phrases.foreign));
    }
    if asks_for_timeline(&input.question)
        && let Some(timeline) = account.timeline(&relevant)
    {
        pieces.push(timeline);
        return pieces;
    }
    let conflicts = account.render_near_best_conflicts(&relevant, phrases);
    let main = account.main_document_statements(&relevant, before);
    let is_told = !before.is_empty() && asks_for_way(&input.question);
    let most = if is_told { BELOW_WAY } else { MAIN_WORDS };
    let own = account.choose(&main, most).chosen;
    let mut own = account.with_neighbours(own);
    let others = if own.is_empty() {
        account.add_multi_document_sections(&relevant, words, before, &mut pieces)
    } else {
        let others = if is_told { Vec::new() } else { account.best_of_further_passages(&relevant) };
        // What the main document says elsewhere also stands in the order of that document.
        let document = account.told[own[0]].document;
        let (of_it, others): (Vec<usize>, Vec<usize>) =
            others.into_iter().partition(|&index| account.told[index].document == document);
        own.extend(account.with_following_sentences(of_it));
        let others = account.without_amendments_of(others, &own);
        pieces.push(account.document(own));
        others
    };
    if !others.is_empty() {
        let lines: String = account.with_amendments(&others).iter().map(|&index| account.line(index)).collect();
        pieces.push(format!("## {}\n\n{lines}\n", phrases.further));
    }
    if !conflicts.is_empty() {
        pieces.push(conflicts);
    }
    pieces
}

/// Returns the most telling statements on each part of a brief, within `words` words each and none twice. `searches`
/// holds the place of each part among the run's searches. A text is empty if nothing is on its part.
pub(super) fn parts(
    input: &WriteInput,
    parts: &[Part],
    searches: &[usize],
    language: Language,
    words: usize,
) -> Vec<String> {
    let whole = Account::new(input, language);
    let mut accounts: Vec<Account<'_>> = Vec::new();
    for (part, &search) in parts.iter().zip(searches) {
        let mut account = whole.clone();
        account.changing = asks_for_change(&part.text);
        account.ask_for(part.text.clone(), content_set(&part.query, account.language), Some(search));
        accounts.push(account);
    }
    let asked: Vec<&str> = parts.iter().map(|part| part.query.as_str()).collect();
    let relevant = rank_by_meaning(&mut accounts, &asked);
    let mut choices: Vec<Choice> = accounts
        .iter()
        .zip(relevant)
        .map(|(account, relevant)| {
            let near = account.near_best(account.filter_by_question_script(relevant), NEAR_BEST);
            account.choice(near, words)
        })
        .collect();
    // The parts choose in turn, so that the most telling statements on one part are not used up by the parts before it.
    loop {
        let mut told: Vec<usize> = Vec::new();
        for place in 0..accounts.len() {
            let new = accounts[place].next(&mut choices[place]);
            for (account, choice) in accounts.iter_mut().zip(&mut choices) {
                account.note(choice, &new);
            }
            told.extend(new);
        }
        if told.is_empty() {
            break;
        }
    }
    let tell = |(account, mut choice): (&Account<'_>, Choice)| {
        account.sort_for_reading(&mut choice.chosen);
        account.paragraphs(&account.with_amendments(&choice.chosen))
    };
    accounts.iter().zip(choices).map(tell).collect()
}

/// A section that is being filled.
struct Section {
    heading: String,
    weight: f32,
    chosen: Vec<usize>,
}

/// The statements and scores from which a report is made.
#[derive(Clone)]
struct Account<'i> {
    input: &'i WriteInput,
    told: Vec<QuotableStatement>,
    rarity: Rarity,
    /// The terms of each passage's title and headings.
    contexts: Vec<BTreeSet<String>>,
    /// The same plus those of the passage's text, as [`Account::terms_of_passages`] makes them.
    passages: OnceCell<Vec<BTreeSet<String>>>,
    /// The worth of each statement by its words and its passage, set by [`Account::relevant`].
    worth: Vec<f32>,
    /// The sum that ranks each statement: `worth`, `meant`, `read` and a share of the best in its passage; set by
    /// [`Account::rank_statements`].
    relevance: Vec<f32>,
    /// The likeness in meaning of each statement to what is asked; 0 if not compared.
    meant: Vec<f32>,
    /// The worth of the reader's judgement of each statement as an answer; 0 if not asked.
    read: Vec<f32>,
    /// The statements that are told already.
    taken: BTreeSet<usize>,
    /// Whether no reader has judged what answers. Rows are then told with all their values, since only a reader could
    /// tell which is asked for, and statements with the heading of their item before them: "The motion was lost" says
    /// little alone.
    is_unread: bool,
    /// The language of the question.
    asked_in: Language,
    /// The language in which the documents are read: their own if `foreign`, else the question's.
    language: Language,
    /// Whether the documents are in another language, so that the question's words cannot be expected in them.
    foreign: bool,
    /// Whether the question asks for a change.
    changing: bool,
    /// Whether most documents are on the subject that changed, so that naming it tells little.
    subject_is_common: bool,
    /// The terms of the brief that the question is a part of.
    about: BTreeSet<String>,
    /// The text asked for instead of the question and its searches, if the account is on a part of it.
    asks_for: Option<String>,
    /// The score of each passage in the search for that part, in place of all searches.
    scores: Option<Vec<f32>>,
}

impl<'i> Account<'i> {
    fn new(input: &'i WriteInput, asked_in: Language) -> Self {
        let languages = spoken_in(&input.evidence);
        let spoken = languages.most();
        let foreign = spoken != Language::UNKNOWN
            && spoken != asked_in
            && !matches!(languages.query_language(&input.question), found if found == spoken || found == Language::UNKNOWN)
            && !is_spoken_of(input, asked_in);
        let language = if foreign { spoken } else { asked_in };
        let told = told(&input.evidence, &question_terms(&input.question, language), language);
        let rarity = Rarity::of(told.iter().map(|one| &one.terms));
        let contexts = input
            .evidence
            .iter()
            .map(|card| content_set(&format!("{} {}", card.title, card.place), language))
            .collect();
        let mut account = Account {
            input,
            worth: vec![0.0; told.len()],
            relevance: vec![0.0; told.len()],
            meant: vec![0.0; told.len()],
            read: vec![0.0; told.len()],
            told,
            rarity,
            contexts,
            passages: OnceCell::new(),
            taken: BTreeSet::new(),
            is_unread: false,
            asked_in,
            language,
            foreign,
            // "Why did it fail, and what was changed?" asks for what happened; the change is a part of it.
            changing: asks_for_change(
                split_joined_question(&input.question).map_or(&input.question, |(first, _)| first),
            ),
            subject_is_common: false,
            about: BTreeSet::new(),
            asks_for: None,
            scores: None,
        };
        account.subject_is_common = account.changing && account.is_common_subject();
        account
    }

    /// The question that the account answers: the whole one, or the part that it is on.
    fn question(&self) -> &str {
        self.asks_for.as_deref().unwrap_or(&self.input.question)
    }

    /// Makes this an account of one part of the question. If the part had a search of its own, only that search's
    /// scores of the passages count.
    fn ask_for(&mut self, text: String, about: BTreeSet<String>, search: Option<usize>) {
        let standing = |search| self.input.evidence.iter().map(|card| card.score_in(search).unwrap_or(0.0)).collect();
        self.asks_for = Some(text);
        self.about = about;
        self.scores = search.map(standing);
        self.subject_is_common = self.changing && self.is_common_subject();
    }

    /// Returns the statements on what the question asks, best first; none if no passage is on it.
    fn relevant_on_topic(&mut self) -> Vec<usize> {
        let relevant = self.relevant_to_question();
        let relevant = self.rerank_by_reader(relevant);
        self.filter_on_topic(relevant)
    }

    /// Tells the disagreements between the statements whose relevance comes near the best one's.
    fn render_near_best_conflicts(&mut self, relevant: &[usize], phrases: &Words) -> String {
        // A change is told by statements of many kinds, and any of them may be disputed.
        let least = if self.changing { 0.0 } else { DISAGREES * self.relevance[relevant[0]] };
        let near: Vec<usize> = relevant.iter().copied().filter(|&index| self.relevance[index] >= least).collect();
        self.conflicts(&near, phrases)
    }

    /// Returns the statements of the main document; below an answer, `before`, only those of the sections that hold
    /// relevant statements, since the rest is not asked for.
    fn main_document_statements(&self, relevant: &[usize], before: &str) -> Vec<usize> {
        let mut main = self.main_document(relevant);
        if !before.is_empty() {
            let place = |index: usize| (self.told[index].document, self.heading(index), self.told[index].item);
            let on_it: BTreeSet<(usize, &str, usize)> = relevant.iter().map(|&index| place(index)).collect();
            main.retain(|&index| on_it.contains(&place(index)));
        }
        main
    }

    /// Adds what several documents tell, below `before`: the lead, and a section for each document that tells several
    /// things. Returns the statements that stand alone.
    fn add_multi_document_sections(
        &mut self,
        relevant: &[usize],
        words: usize,
        before: &str,
        pieces: &mut Vec<String>,
    ) -> Vec<usize> {
        let mut chosen = self.choose(relevant, words.saturating_sub(word_count(before))).chosen;
        if before.is_empty() {
            self.taken.retain(|index| !chosen.contains(index));
            let least = LEADS * self.relevance[relevant[0]];
            let best: Vec<usize> = chosen.iter().copied().filter(|&index| self.relevance[index] >= least).collect();
            let lead = self.lead(&best);
            chosen.retain(|index| !lead.contains(index));
            if !lead.is_empty() {
                pieces.push(self.running(&lead));
            }
        }
        let chosen = self.with_neighbours(chosen);
        let chosen = self.without_amendments_of(chosen.clone(), &chosen);
        let (sections, mut others) = self.sections(chosen);
        pieces.extend(sections.iter().map(|section| self.render_section(section)));
        if sections.is_empty() && pieces.is_empty() && before.is_empty() {
            // If these are all there is, they stand beside nothing.
            let mut others = std::mem::take(&mut others);
            others.sort_by(|&a, &b| self.relevance[b].total_cmp(&self.relevance[a]));
            pieces.push(if self.changing && others.len() > 1 {
                // What changed is told with the day of each document, in their order.
                others.sort_by_key(|&index| &self.input.evidence[self.told[index].card].date);
                others.iter().map(|&index| self.line(index)).collect::<String>() + "\n"
            } else {
                self.paragraphs(&self.with_amendments(&others))
            });
        }
        others
    }

    /// Returns the most relevant statements, best first, with at least this share of the best one's relevance.
    fn near_best(&self, relevant: Vec<usize>, share: f32) -> Vec<usize> {
        let top = relevant.first().map_or(0.0, |&index| self.relevance[index]);
        // The best relevance may be negative if the statements lack the number that is asked for.
        let least = (share * top).min(top);
        let close = |&index: &usize| self.relevance[index] >= least;
        relevant.into_iter().take(MOST_COMPARED).take_while(close).collect()
    }

    /// Returns the statements in the question's script, or all of them if none is in it.
    fn filter_by_question_script(&self, relevant: Vec<usize>) -> Vec<usize> {
        let is_wide = self.input.question.contains(is_cjk);
        those_or_all(relevant, |&index| self.told[index].text.contains(is_cjk) == is_wide)
    }

    /// Chooses statements of different documents that stand alone and hold most of the subject in their own words.
    fn lead(&mut self, relevant: &[usize]) -> Vec<usize> {
        let subject = self.subject();
        let is_name = self.is_name();
        let names_it = |one: &QuotableStatement| is_name && self.rarity.coverage(&subject, &one.terms) >= HOLDS;
        let mut pool: Vec<(f32, usize)> = relevant
            .iter()
            .map(|&index| (index, &self.told[index]))
            .filter(|(_, one)| {
                one.after.is_none()
                    && (!self.changing || states_change(&one.text))
                    && (one.words >= LEAD_LEAST && one.statement.form == Form::Sentence || names_it(one))
                    // A pronoun such as "he" needs its subject named before.
                    && (!has_pronoun(&one.text) || self.rarity.coverage(&subject, &one.terms) > 0.0)
            })
            .map(|(index, one)| {
                // Likeness in meaning, if compared, shows better than words what a statement is about.
                let own = match self.meant[index] {
                    0.0 => 0.4 * self.rarity.coverage(&subject, &one.terms),
                    meant => LEAD_MEANT * meant,
                };
                // A short statement opens better than a long one.
                (self.relevance[index] + own - 0.008 * one.words.saturating_sub(24) as f32, index)
            })
            .collect();
        pool.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let mut lead: Vec<usize> = Vec::new();
        for (_, index) in pool {
            let other_document = lead.iter().all(|&other| self.told[other].document != self.told[index].document);
            let words: usize = lead.iter().map(|&other| self.told[other].words).sum();
            if lead.len() < LEAD && other_document && words + self.told[index].words <= LEAD_WORDS {
                lead.extend(self.choose(&[index], usize::MAX).chosen);
            }
        }
        lead
    }

    /// Returns a section for each document with several chosen statements, or for each heading if there are few
    /// documents; and the statements that stand alone.
    fn sections(&self, chosen: Vec<usize>) -> (Vec<Section>, Vec<usize>) {
        let groups = self.grouped(&chosen, |documents| documents < DOCUMENTS);
        let (several, single): (Vec<_>, Vec<_>) = groups.into_iter().partition(|(_, pool)| pool.len() >= LEAST);
        let mut sections: Vec<Section> = several
            .into_iter()
            .map(|((_, place), mut chosen)| {
                self.sort_for_reading(&mut chosen);
                let section = self.section(place, &chosen);
                Section { chosen, ..section }
            })
            .collect();
        if self.changing {
            sections.sort_by_key(|section| self.first_year(section));
        } else {
            sections.sort_by(|a, b| b.weight.total_cmp(&a.weight));
        }
        (sections, single.into_iter().flat_map(|(_, pool)| pool).collect())
    }

    /// Groups statements by their document, or also by their place in it if `by_place` says so of the number of
    /// documents.
    fn grouped(&self, all: &[usize], by_place: impl Fn(usize) -> bool) -> BTreeMap<(usize, &str), Vec<usize>> {
        let documents: BTreeSet<usize> = all.iter().map(|&index| self.told[index].document).collect();
        let by_place = by_place(documents.len());
        let mut groups: BTreeMap<(usize, &str), Vec<usize>> = BTreeMap::new();
        for &index in all {
            let one = &self.told[index];
            let place = if by_place { self.input.evidence[one.card].place.as_str() } else { "" };
            groups.entry((one.document, place)).or_default().push(index);
        }
        groups
    }

    /// Returns the best statement of each further passage whose relevance comes near the best one's.
    fn best_of_further_passages(&self, relevant: &[usize]) -> Vec<usize> {
        let mut cards: BTreeSet<usize> = self.taken.iter().map(|&index| self.told[index].card).collect();
        let near = self.near_best(relevant.to_vec(), NEAR_BEST);
        // A sentence that leans on another one says something else alone.
        let stands_alone = |&index: &usize| self.told[index].block.is_none() && self.told[index].after.is_none();
        let single = near.into_iter().filter(stands_alone);
        single.filter(|&index| cards.insert(self.told[index].card)).take(OTHERS).collect()
    }

    /// Where a statement stands in its document.
    fn at(&self, index: usize) -> (usize, usize) {
        let one = &self.told[index];
        (self.input.evidence[one.card].at, one.statement.range.start)
    }

    /// Sets statements of one document in its own order, below its title and its headings.
    fn document(&self, mut chosen: Vec<usize>) -> String {
        let card = |index: usize| &self.input.evidence[self.told[index].card];
        chosen.sort_by_key(|&index| self.at(index));
        let title = title_of(card(chosen[0]), &self.input.evidence);
        let heading = |index: usize| {
            let last = self.heading(index);
            let is_new = !wording(last).is_empty() && !repeats_title(last, &title);
            if is_new { heading_text(last) } else { String::new() }
        };
        let mut text = format!("## {}\n\n", heading_text(&unambiguous_title(card(chosen[0]), &self.input.evidence)));
        for part in chosen.chunk_by(|&one, &next| heading(one) == heading(next)) {
            let heading = heading(part[0]);
            if !heading.is_empty() {
                text.push_str(&format!("### {heading}\n\n"));
            }
            text.push_str(&self.paragraphs(&self.with_amendments(part)));
        }
        text
    }

    /// Returns a section, still empty, for these statements of one document at this place.
    fn section(&self, place: &str, pool: &[usize]) -> Section {
        let subject = topic(&self.input.question, self.language);
        let card = &self.input.evidence[self.told[pool[0]].card];
        let title = title_of(card, &self.input.evidence);
        let own = facet_of(&title, &subject, self.language).unwrap_or(title);
        let heading = Some(innermost(place)).filter(|heading| !heading.is_empty()).map_or(own, str::to_owned);
        let weight = pool.iter().map(|&index| self.relevance[index]).fold(0.0, f32::max);
        Section { heading: heading_text(&heading), weight, chosen: Vec::new() }
    }

    /// Sorts by document, then by the earliest year that a passage names, then as the statements stand in the passage.
    fn sort_for_reading(&self, chosen: &mut [usize]) {
        let mut first: BTreeMap<usize, u16> = BTreeMap::new();
        for &index in chosen.iter() {
            let year = self.told[index].years.iter().copied().min().unwrap_or(u16::MAX);
            let known = first.entry(self.told[index].card).or_insert(year);
            *known = year.min(*known);
        }
        chosen.sort_by_key(|&index| {
            let one = &self.told[index];
            (one.document, first.get(&one.card).copied(), one.card, one.statement.range.start)
        });
    }

    /// Returns the text of a section, below its heading.
    fn render_section(&self, section: &Section) -> String {
        format!("## {}\n\n{}", section.heading, self.paragraphs(&self.with_amendments(&section.chosen)))
    }
}

/// Returns the items that fit, or all of them if none does.
fn those_or_all<T: Copy>(all: Vec<T>, fits: impl Fn(&T) -> bool) -> Vec<T> {
    let those: Vec<T> = all.iter().copied().filter(fits).collect();
    if those.is_empty() { all } else { those }
}

/// Whether evidence in this language holds words of the question.
fn is_spoken_of(input: &WriteInput, language: Language) -> bool {
    let wanted = content_set(&input.question, language);
    let holds = |text: &str| !wanted.is_disjoint(&content_set(text, language));
    input.evidence.iter().any(|card| spoken_in([card]).most() == language && holds(&card.text))
}
