//! The account of a question that asks how something went: what each document tells of it, in the order of their days. Of one
//! or two documents, or of such without days, there is no course.

use std::collections::{BTreeMap, BTreeSet};

use super::timeline::{Date, day};
use super::{Account, MAIN_WORDS};
use crate::base::text::folded;
use crate::llm::purpose::EvidenceCard;
use crate::offline::render::{heading_text, title_of};
use crate::report::facts::days;

/// Fewest and most documents of a course, and the fewest of them that have a day.
const LEAST: usize = 3;
const MOST: usize = 7;
const DATED: usize = 2;

/// Words of a document beside the one that is most on what is asked.
const WORDS: usize = 90;

/// A document is a part of the course where the search thinks this share of it of what it thinks of the best one.
const NEAR: f32 = 0.15;

/// It is on the subject where one of its passages holds this share of what one of the best document's holds.
const ON_IT: f32 = 0.4;

/// A statement of it is on the subject where it holds this share of what the one holds that holds most.
const SPEAKS: f32 = 0.5;

/// What it is worth to name a day, to tell a decision, and to tell a figure: how something went is told by these, and what
/// only describes it shares as many words with the question.
const DAY: f32 = 0.5;
const DECISION: f32 = 0.5;
const FIGURE: f32 = 0.15;

/// Parts of words that tell a decision.
const DECIDING: &str = "resolved|agreed|decided|approved|accepted|awarded|signed|adopted|recommend|action:|beschloss|einstimmig|\
    genehmigt|vereinbart|entschied|décid|approuv|convenu|acord|aprob|decidi|deliber|approv|decis|aprov|besloten|besluit|\
    goedgekeurd|postanowi|uchwal|zatwierdz|решили|решено|постанов|утверд|决定|同意|批准|決定|決議|決め|承認|こととし|こととする|\
    ことにし|実施|対策";

impl Account<'_> {
    /// What the documents that the search thinks most of tell of it, each below its title, in the order of their days; `None`
    /// where few of them tell it.
    pub(super) fn course(&mut self, relevant: &[usize]) -> Option<String> {
        let documents = self.documents(relevant);
        let (best, main) = *documents.first()?;
        let near = documents.into_iter().take(MOST).take_while(|(standing, _)| *standing >= NEAR * best);
        let near: Vec<(usize, f32)> = near.map(|(_, document)| (document, self.held(document))).collect();
        let least = ON_IT * near[0].1;
        let on_it = near.into_iter().filter(|(_, held)| *held >= least);
        let told: Vec<usize> = on_it.flat_map(|(document, _)| self.telling(document, document == main)).collect();
        // What changed is told by the old terms, too.
        let told = if self.changing { told } else { self.of_what_holds(told) };
        let parts = self.by_document(&told);
        if parts.len() < LEAST {
            return None;
        }
        for &index in &told {
            self.relevance[index] += happening(&self.told[index].text);
        }
        let mut chosen: Vec<usize> = Vec::new();
        for (document, part) in parts {
            let words = if document == main { MAIN_WORDS } else { WORDS };
            chosen.extend(self.choose(&part, words).chosen);
        }
        let chosen = self.with_neighbours(chosen);
        let mut parts: Vec<(Option<Date>, Vec<usize>)> =
            self.by_document(&chosen).into_values().map(|part| (self.day_of(&part), part)).collect();
        if parts.iter().filter(|(day, _)| day.is_some()).count() < DATED {
            return None;
        }
        parts.sort_by_key(|(day, _)| (day.is_none(), *day));
        let tell = |(_, part): &(Option<Date>, Vec<usize>)| {
            let heading = self.dated_heading(&self.input.evidence[self.told[part[0]].card]);
            format!("## {heading}\n\n{}", self.paragraphs(part, ""))
        };
        Some(parts.iter().map(tell).collect())
    }

    /// The title of a passage's document as a heading, with its day where the title does not name that.
    pub(super) fn dated_heading(&self, card: &EvidenceCard) -> String {
        let title = title_of(card, &self.input.evidence);
        let own = day(&card.date);
        let is_named = || days(&title).into_iter().any(|named| own == Date::of(named));
        let heading = heading_text(&title);
        if own.is_none() || is_named() { heading } else { format!("{heading} ({})", card.date) }
    }

    /// Statements by their documents, those of each in its own order.
    fn by_document(&self, all: &[usize]) -> BTreeMap<usize, Vec<usize>> {
        let mut parts: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for &index in all {
            parts.entry(self.told[index].document).or_default().push(index);
        }
        for part in parts.values_mut() {
            part.sort_by_key(|&index| self.at(index));
        }
        parts
    }

    /// The day of a document; of one that has none the first that is told of it, or the one in its title.
    fn day_of(&self, part: &[usize]) -> Option<Date> {
        let card = &self.input.evidence[self.told[part[0]].card];
        let told = || part.iter().filter_map(|&index| day(&self.told[index].text)).filter(Date::has_month).min();
        day(&card.date).or_else(told).or_else(|| day(&card.title))
    }

    /// The most that a passage of a document holds of the subject.
    fn held(&self, document: usize) -> f32 {
        let (subject, passages) = (self.subject(), self.terms_of_passages());
        let own: BTreeSet<usize> =
            self.told.iter().filter(|one| one.document == document).map(|one| one.card).collect();
        own.into_iter().map(|card| self.rarity.coverage(&subject, &passages[card])).fold(0.0, f32::max)
    }

    /// Of a document's statements those that hold about as much of the subject as the one that holds most, themselves or in
    /// the headings above them, and those beside them in their paragraph; of the main one all on the subject.
    fn telling(&self, document: usize, is_main: bool) -> Vec<usize> {
        let part = self.part_on_subject(document);
        let subject = self.subject();
        let coverage = |index: usize| self.rarity.coverage(&subject, &self.terms_below_headings(index));
        let covered: BTreeMap<usize, f32> = part.iter().map(|&index| (index, coverage(index))).collect();
        let best = covered.values().copied().fold(0.0, f32::max);
        // What shares no word with the question tells of something else, unless it is in another language.
        if best <= 0.0 && !self.foreign {
            return Vec::new();
        }
        let least = if is_main { 0.0 } else { SPEAKS * best };
        let speaks = |index: usize| covered.get(&index).is_some_and(|covered| *covered >= least);
        let is_beside = |index: usize| {
            let before = index.checked_sub(1).is_some_and(|before| speaks(before) && self.stands_by(before, index));
            before || speaks(index + 1) && self.stands_by(index, index + 1)
        };
        part.into_iter().filter(|&index| speaks(index) || is_beside(index)).collect()
    }
}

/// What it is worth in a course that a statement tells when something was, what was decided, or a figure.
fn happening(text: &str) -> f32 {
    let lower = folded(text);
    let of = |holds: bool, worth: f32| if holds { worth } else { 0.0 };
    of(days(text).iter().any(|day| day.month.is_some()), DAY)
        + of(DECIDING.split('|').any(|part| lower.contains(part)), DECISION)
        + of(text.contains(char::is_numeric), FIGURE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_happened_is_worth_more_than_what_is_there() {
        let check = |more: &str, less: &str| assert!(happening(more) > happening(less), "{more}");
        check("The pump failed on 3 May.", "The pump stands 140 m above the bridge.");
        check("Agreed to order a second pump.", "The pump has a second outlet.");
        check("5月3日にポンプが止まった。", "ポンプは橋の上流140メートルにある。");
        check("ポンプを二台とすることとした。", "ポンプの出口は二つある。");
        check("The pump costs £3,400.", "The pump is green.");
    }
}
