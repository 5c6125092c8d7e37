//! Accounts in a requested form: of a given length, or with given headings.

use std::collections::{BTreeMap, BTreeSet};

use super::{Account, LEAD_WORDS, LEAST, QuotableStatement, Section, rank_by_meaning};
use crate::base::text::{Language, one_line};
use crate::domain::OutlineSection;
use crate::llm::purpose::{OutlineInput, Outlined, OutlinedSection, WriteInput};
use crate::offline::disagreement::disagreements;
use crate::offline::render::{heading_text, render_disagreement, searched_for, title_of};
use crate::offline::terms::{content_set, word_count};
use crate::report::{Words, wording};

/// The approximate minimum of words in a section; a short account has fewer sections.
const SECTION_WORDS: usize = 130;
/// The most sections that share the words; further documents follow with what is left.
const MOST_SECTIONS: usize = 24;
/// An account of fewer words than this does not tell of disagreements.
const TELLS_DISAGREEMENTS: usize = 600;
/// An account with less than this share of the requested words says so.
const SHORT: f32 = 0.85;
/// A statement counts as told if this many bytes of its beginning stand above.
const SAID: usize = 100;
/// The words of a section of an outline if no length is requested.
const OUTLINED_WORDS: usize = 120;
/// The share of a heading's own words that a passage must hold to be on it.
const SPEAKS: f32 = 0.5;
/// Headings that any report may have; such a section is on the question itself.
const GENERAL: [&str; 14] = [
    "introduction",
    "overview",
    "summary",
    "background",
    "conclusion",
    "context",
    "abstract",
    "einleitung",
    "überblick",
    "zusammenfassung",
    "résumé",
    "概要",
    "はじめに",
    "まとめ",
];

/// Returns how many words a report is to have, if its form was requested.
pub(in crate::offline) fn wanted(input: &WriteInput) -> Option<usize> {
    let by_outline = || LEAD_WORDS + OUTLINED_WORDS * input.outline.sections.len();
    input.words.or_else(|| (!input.outline.sections.is_empty()).then(by_outline))
}

/// Returns an account of about `words` words, in pieces and without a title; `before` is the text above it.
pub(in crate::offline) fn write_account(
    input: &WriteInput,
    asked_in: Language,
    words: usize,
    before: &str,
    phrases: &Words,
) -> Vec<String> {
    let mut account = Account::new(input, asked_in);
    let relevant = account.relevant_to_question();
    let relevant = account.drop_unrelated(relevant);
    let relevant = account.drop_old_versions(relevant);
    if relevant.is_empty() {
        let told = if before.is_empty() { phrases.not_found } else { phrases.shorter };
        return vec![format!("{told}\n")];
    }
    account.mark_already_told(before);
    let mut pieces = Vec::new();
    if account.foreign && before.is_empty() {
        pieces.push(format!("{}\n\n", phrases.foreign));
    }
    let mut left = words.saturating_sub(prose_word_count(before));
    let disagreements = if left < TELLS_DISAGREEMENTS { String::new() } else { account.conflicts(&relevant, phrases) };
    left = left.saturating_sub(prose_word_count(&disagreements));
    if before.is_empty() {
        let lead = account.lead(&relevant);
        if !lead.is_empty() {
            let lead = account.running(&lead);
            left = left.saturating_sub(prose_word_count(&lead));
            pieces.push(lead);
        }
    }
    let sections = account.select_sections(&relevant, left);
    let told: String = sections.iter().map(|section| account.render_section(section)).collect();
    if !told.is_empty() {
        pieces.push(told);
    }
    if !disagreements.is_empty() {
        pieces.push(disagreements);
    }
    let all = prose_word_count(before) + pieces.iter().map(|piece| prose_word_count(piece)).sum::<usize>();
    if (all as f32) < SHORT * words as f32 {
        pieces.push(format!("{}\n", phrases.shorter));
    }
    pieces
}

/// Returns an account with the headings of the outline, in their order; a section that nothing is on says so.
pub(in crate::offline) fn outlined(
    input: &WriteInput,
    asked_in: Language,
    words: usize,
    phrases: &Words,
) -> Vec<String> {
    let sections = &input.outline.sections;
    let whole = Account::new(input, asked_in);
    let parts: Vec<SectionQuery> = sections.iter().map(|section| SectionQuery::of(section, &whole)).collect();
    // All sections are compared with the evidence at once.
    let asked: Vec<&str> = parts.iter().map(|part| part.asked.as_str()).chain([input.question.as_str()]).collect();
    let mut accounts: Vec<Account<'_>> = parts.iter().map(|part| part.account(&whole)).chain([whole.clone()]).collect();
    let mut relevant = rank_by_meaning(&mut accounts, &asked);
    let (Some(mut account), Some(on_question)) = (accounts.pop(), relevant.pop()) else { return Vec::new() };
    let on_question = if account.has_passage_on_question() { on_question } else { Vec::new() };
    let mut pieces = Vec::new();
    if account.foreign {
        pieces.push(format!("{}\n\n", phrases.foreign));
    }
    let lead = if words < 3 * LEAD_WORDS { Vec::new() } else { account.lead(&on_question) };
    let lead = if lead.is_empty() { String::new() } else { account.running(&lead) };
    let mut taken = account.taken.clone();

    for (part, relevant) in parts.iter().zip(&mut relevant) {
        relevant.retain(|&index| part.speaks[account.told[index].card]);
    }
    let spoken_of = relevant.iter().filter(|relevant| !relevant.is_empty()).count().max(1);
    let mut chosen: Vec<Vec<usize>> = vec![Vec::new(); sections.len()];
    let mut left = words.saturating_sub(prose_word_count(&lead));
    let share = left / spoken_of;
    // Each section gets its share; what some leave goes to those that have more to say.
    for share in [share, usize::MAX] {
        for ((account, relevant), chosen) in accounts.iter_mut().zip(&relevant).zip(&mut chosen) {
            account.taken.clone_from(&taken);
            let choice = account.choose(relevant, share.min(left));
            left -= choice.used;
            chosen.extend(choice.chosen);
            taken.clone_from(&account.taken);
        }
    }
    if !lead.is_empty() {
        pieces.push(lead);
    }
    let mut all = pieces.iter().map(|piece| prose_word_count(piece)).sum::<usize>();
    for ((section, account), mut chosen) in sections.iter().zip(&accounts).zip(chosen) {
        let text = if chosen.is_empty() {
            format!("{}\n\n{}\n\n", phrases.not_found, searched_for(&[section.query()], phrases))
        } else {
            account.sort_for_reading(&mut chosen);
            account.paragraphs(&chosen)
        };
        all += prose_word_count(&text);
        pieces.push(format!("{} {}\n\n{text}", "#".repeat(section.level.max(2)), heading_text(&section.heading)));
    }
    if input.words.is_some() && (all as f32) < SHORT * words as f32 {
        pieces.push(format!("{}\n", phrases.shorter));
    }
    pieces
}

/// Returns the documents' own titles as headings, each with its passages.
pub(in crate::offline) fn outline(input: &OutlineInput) -> Outlined {
    let mut sections: Vec<OutlinedSection> = Vec::new();
    for card in &input.evidence {
        let heading = heading_text(&title_of(card, &input.evidence));
        if let Some(section) = sections.iter_mut().find(|section| section.heading == heading) {
            section.evidence.push(card.number);
        } else if sections.len() < input.max_sections {
            sections.push(OutlinedSection { question: heading.clone(), heading, evidence: vec![card.number] });
        }
    }
    Outlined { sections }
}

/// What a section of an outline asks for.
struct SectionQuery {
    asked: String,
    /// Whether the section is on the question itself, as an introduction is.
    is_general: bool,
    /// The terms of what the whole report is about.
    about: BTreeSet<String>,
    search: Option<usize>,
    /// For each passage, whether it is on the section.
    speaks: Vec<bool>,
}

impl SectionQuery {
    fn of(section: &OutlineSection, whole: &Account<'_>) -> SectionQuery {
        let (heading, question) = (section.heading.as_str(), section.question.as_str());
        let about = content_set(&whole.input.question, whole.language);
        let own = |text: &str| -> BTreeSet<String> { &content_set(text, whole.language) - &about };
        let wanted = [own(heading), own(question)];
        let named_so = question.is_empty() && GENERAL.contains(&heading.to_lowercase().as_str());
        let is_general = named_so || wanted.iter().all(BTreeSet::is_empty);
        let spoken_of = |wanted: &BTreeSet<String>, held: &BTreeSet<String>| {
            !wanted.is_empty() && whole.rarity.coverage(wanted, held) >= SPEAKS
        };
        // A passage must hold words of the section's own; the subject of the whole report alone is not enough.
        let speaks = whole.terms_of_passages().iter();
        let speaks = speaks.map(|held| is_general || wanted.iter().any(|wanted| spoken_of(wanted, held)));
        let asked = if is_general { whole.input.question.clone() } else { format!("{heading} {question}") };
        let search = whole.input.asked.iter().position(|asked| asked.text == one_line(section.query()));
        SectionQuery { asked, is_general, speaks: speaks.collect(), about, search }
    }

    fn account<'i>(&self, whole: &Account<'i>) -> Account<'i> {
        let mut account = whole.clone();
        if !self.is_general {
            account.ask_for(self.asked.clone(), self.about.clone(), self.search);
        }
        account
    }
}

impl Account<'_> {
    /// Marks what has been said before as told, so that it is not repeated.
    pub(super) fn mark_already_told(&mut self, before: &str) {
        if before.is_empty() {
            return;
        }
        let before = wording(before);
        let said = |one: &QuotableStatement| {
            // A long statement was cut when it was told.
            let own = wording(&one.text);
            before.contains(&own[..own.floor_char_boundary(SAID)])
        };
        let said: Vec<usize> = (0..self.told.len()).filter(|&index| said(&self.told[index])).collect();
        self.taken.extend(said);
    }

    pub(super) fn conflicts(&mut self, relevant: &[usize], phrases: &Words) -> String {
        // In the order of the documents: of two of one day, relevance must not decide which comes first.
        let is_single = |index: &usize| self.told[*index].block.is_none();
        let mut relevant: Vec<usize> = relevant.iter().copied().filter(is_single).collect();
        relevant.sort_unstable();
        let pool: Vec<QuotableStatement> = relevant.iter().map(|&index| self.told[index].clone()).collect();
        let conflicts = disagreements(&pool, &self.input.evidence, &self.rarity, self.language);
        if conflicts.is_empty() {
            return String::new();
        }
        for conflict in &conflicts {
            self.taken.extend([relevant[conflict.first], relevant[conflict.second]]);
        }
        let evidence = &self.input.evidence;
        let shown: String =
            conflicts.iter().map(|conflict| render_disagreement(conflict, &pool, evidence, phrases)).collect();
        format!("## {}\n\n{}\n\n{shown}\n", phrases.disagreement, phrases.disagreement_intro)
    }

    /// Returns sections by document, those with most to say first; further documents follow. Each of the first gets a
    /// share of the words, and what some leave goes to the others.
    fn select_sections(&mut self, relevant: &[usize], words: usize) -> Vec<Section> {
        let groups = self.grouped(relevant, |documents| documents * SECTION_WORDS * 2 < words);
        let mut sections = self.ranked(groups);
        let most = (words / SECTION_WORDS).clamp(2, MOST_SECTIONS);
        let mut left = words;
        let share = words / most.min(sections.len()).max(1);
        for share in [share, usize::MAX] {
            for (section, pool) in sections.iter_mut().take(most) {
                self.extend(section, pool, share, &mut left);
            }
        }
        // Further documents, such as those that say only one thing, stand at the end.
        for (section, pool) in sections.iter_mut().skip(most) {
            self.extend(section, pool, SECTION_WORDS, &mut left);
        }
        for (section, pool) in &mut sections {
            self.extend(section, pool, usize::MAX, &mut left);
        }
        let mut first: Vec<Section> = sections.into_iter().map(|(section, _)| section).collect();
        let mut more = first.split_off(most.min(first.len()));
        first.retain(|section| !section.chosen.is_empty());
        more.retain(|section| !section.chosen.is_empty());
        for section in first.iter_mut().chain(more.iter_mut()) {
            let mut chosen = std::mem::take(&mut section.chosen);
            self.sort_for_reading(&mut chosen);
            section.chosen = chosen;
        }
        if self.changing {
            first.sort_by_key(|section| self.first_year(section));
        }
        first.extend(more);
        // Documents with the same title share one heading.
        let mut joined: Vec<Section> = Vec::new();
        for section in first {
            match joined.iter_mut().find(|other| other.heading == section.heading) {
                Some(other) => other.chosen.extend(section.chosen),
                None => joined.push(section),
            }
        }
        joined
    }

    /// Adds statements of a section's pool to it, within a share of the words that are left.
    fn extend(&mut self, section: &mut Section, pool: &[usize], share: usize, left: &mut usize) {
        let heading = if section.chosen.is_empty() { word_count(&section.heading) } else { 0 };
        let Some(room) = share.min(*left).checked_sub(heading) else { return };
        let choice = self.choose(pool, room);
        if choice.chosen.is_empty() {
            return;
        }
        *left -= heading + choice.used;
        section.chosen.extend(choice.chosen);
    }

    /// Returns a section with its pool for each group, in the order in which they are filled.
    fn ranked(&self, groups: BTreeMap<(usize, &str), Vec<usize>>) -> Vec<(Section, Vec<usize>)> {
        let mut sections: Vec<(Section, Vec<usize>)> =
            groups.into_iter().map(|((_, place), pool)| (self.section(place, &pool), pool)).collect();
        // Documents with a single statement come last, whatever it says.
        let is_thin = |pool: &[usize]| pool.len() < LEAST;
        sections.sort_by(|(a, own), (b, other)| is_thin(own).cmp(&is_thin(other)).then(b.weight.total_cmp(&a.weight)));
        sections
    }

    pub(super) fn first_year(&self, section: &Section) -> u16 {
        let named = section.chosen.iter().filter_map(|&index| self.told[index].years.first().copied()).min();
        named.unwrap_or(u16::MAX)
    }
}

/// The number of words of a text, without its citations and the marks of its headings.
fn prose_word_count(text: &str) -> usize {
    let is_citation = |word: &str| word.starts_with('[') && word.ends_with(['.', ']', '。']);
    let words: Vec<&str> =
        text.split_whitespace().filter(|word| !is_citation(word) && !word.starts_with('#')).collect();
    word_count(&words.join(" "))
}
