//! Chooses which statements of a pool are told within a number of words: the most relevant first, none that repeats
//! what is told; and which of their neighbours are told with them. It does not judge relevance.

use std::collections::BTreeSet;

use super::Account;
use crate::offline::prose::has_pronoun;
use crate::offline::statements::Form;
use crate::offline::terms::word_count;

/// If a change is asked for: what a statement loses for each statement of its document that is chosen already.
const SPREAD: f32 = 0.15;

/// Statements whose overlap with a chosen one exceeds this say the same.
const SAME: f32 = 0.72;

/// The most sentences between two told ones that are told with them, and the most below a label.
const BETWEEN: usize = 2;

/// A choice from a pool of statements, within a number of words.
pub(super) struct Choice {
    pool: Vec<usize>,
    /// The likeness of each statement of the pool to what is told, updated as more is told.
    likeness: Vec<f32>,
    /// The most words of the choice, and the words used so far.
    words: usize,
    pub used: usize,
    /// The indices of the chosen statements, in the order of choice.
    pub chosen: Vec<usize>,
}

impl Account<'_> {
    /// Chooses the best of `pool` within `words`, none that repeats what is told. A statement that leans on the one
    /// before it brings that one along.
    pub(super) fn choose(&mut self, pool: &[usize], words: usize) -> Choice {
        let mut choice = self.choice(pool.to_vec(), words);
        loop {
            let new = self.next(&mut choice);
            if new.is_empty() {
                return choice;
            }
            self.note(&mut choice, &new);
        }
    }

    pub(super) fn choice(&self, pool: Vec<usize>, words: usize) -> Choice {
        let like_told =
            |&index: &usize| self.taken.iter().map(|&other| self.overlap_share(index, other)).fold(0.0, f32::max);
        let likeness = pool.iter().map(like_told).collect();
        Choice { pool, likeness, words, used: 0, chosen: Vec::new() }
    }

    /// Chooses the next statement, after the ones that it leans on; empty if none is left or none fits.
    pub(super) fn next(&mut self, choice: &mut Choice) -> Vec<usize> {
        let mut best: Option<(f32, usize)> = None;
        for (&index, &likeness) in choice.pool.iter().zip(&choice.likeness) {
            let one = &self.told[index];
            let new = self.with_antecedents(index);
            let cost: usize = new.iter().map(|&index| self.cost(index)).sum();
            if cost > choice.words - choice.used || self.taken.contains(&index) {
                continue;
            }
            // A list that has begun is continued.
            let begun = || choice.chosen.iter().any(|&other| one.is_listed_with(&self.told[other]));
            if likeness > SAME && !begun() {
                continue;
            }
            let of_document = || choice.chosen.iter().filter(|&&other| self.told[other].document == one.document);
            let spread = if self.changing && !begun() { SPREAD * of_document().count() as f32 } else { 0.0 };
            let score = self.relevance[index] - spread;
            if best.is_none_or(|(top, _)| score > top) {
                best = Some((score, index));
            }
        }
        let Some((_, index)) = best else { return Vec::new() };
        let new = self.with_antecedents(index);
        choice.used += new.iter().map(|&index| self.cost(index)).sum::<usize>();
        choice.chosen.extend(&new);
        new
    }

    /// Returns a statement after those that it leans on and that are not told yet, in their order.
    fn with_antecedents(&self, index: usize) -> Vec<usize> {
        let before = |&index: &usize| self.told[index].after.filter(|before| !self.taken.contains(before));
        let mut needed: Vec<usize> = std::iter::successors(Some(index), before).collect();
        needed.reverse();
        needed
    }

    /// Returns the words that telling a statement takes: its introduction is told only once.
    fn cost(&self, index: usize) -> usize {
        let one = &self.told[index];
        let is_introduced = || self.taken.iter().any(|&other| one.is_introduced_by(&self.told[other]));
        let lead = if one.statement.lead.is_empty() || is_introduced() { 0 } else { word_count(&one.statement.lead) };
        one.words + lead
    }

    /// Records that statements are told, by whichever choice.
    pub(super) fn note(&mut self, choice: &mut Choice, told: &[usize]) {
        self.taken.extend(told);
        for (&other, likeness) in choice.pool.iter().zip(&mut choice.likeness) {
            *likeness = told.iter().map(|&index| self.overlap_share(other, index)).fold(*likeness, f32::max);
        }
    }

    /// Returns `chosen`, which are told, with the neighbours without which they are fragments: the few sentences
    /// between two in a running text, the one that opens a paragraph before one that leans on it, and the text right
    /// below a label.
    pub(super) fn with_neighbours(&mut self, mut chosen: Vec<usize>) -> Vec<usize> {
        let subject = self.subject();
        let leans = |index: usize| {
            let one = &self.told[index];
            has_pronoun(&one.text) || subject.is_disjoint(&one.terms)
        };
        let mut beside = self.sentences_between(&chosen);
        for &index in &chosen {
            beside.extend(self.opening_before(index).filter(|_| leans(index)));
            beside.extend(self.below_label(index));
        }
        beside.retain(|index| !chosen.contains(index) && !self.taken.contains(index));
        self.taken.extend(&beside);
        chosen.extend(beside);
        chosen
    }

    /// Returns `chosen`, each the only one of its section, and the next sentences of their paragraphs: one names what
    /// is asked about, and the next tells how it came about.
    pub(super) fn with_following_sentences(&mut self, mut chosen: Vec<usize>) -> Vec<usize> {
        self.taken.extend(&chosen);
        let behind: BTreeSet<usize> = chosen.iter().flat_map(|&index| self.following(index)).collect();
        chosen.extend(behind.iter().filter(|index| !self.taken.contains(*index)));
        self.taken.extend(&behind);
        chosen
    }

    /// Returns the next few sentences of a statement's paragraph.
    fn following(&self, index: usize) -> Vec<usize> {
        let follows = |&next: &usize| self.is_running(next - 1, next) && self.is_adjacent_statement(next - 1, next);
        (index + 1..).take_while(follows).take(BETWEEN).collect()
    }

    /// Returns the few sentences between two of `chosen` in a running text.
    pub(super) fn sentences_between(&self, chosen: &[usize]) -> BTreeSet<usize> {
        let mut told = chosen.to_vec();
        told.sort_unstable();
        let near = |pair: &&[usize]| pair[1] - pair[0] <= BETWEEN + 1 && self.is_running(pair[0], pair[1]);
        told.windows(2).filter(near).flat_map(|pair| pair[0]..pair[1]).collect()
    }

    /// Whether all statements from one to another are sentences of one passage below one heading.
    pub(super) fn is_running(&self, from: usize, to: usize) -> bool {
        let place = |index: usize| {
            let one = self.told.get(index)?;
            (one.statement.form == Form::Sentence).then_some((one.card, &one.statement.heading))
        };
        place(from).is_some() && (from..=to).all(|index| place(index) == place(from))
    }

    /// Whether `next`, the statement after `index`, stands in the same paragraph or on the line below it.
    fn is_adjacent_statement(&self, index: usize, next: usize) -> bool {
        let (Some(one), Some(next)) = (self.told.get(index), self.told.get(next)) else { return false };
        let text = &self.input.evidence[one.card].text;
        let gap = text.get(one.statement.range.end..next.statement.range.start);
        one.card == next.card
            && one.statement.heading == next.statement.heading
            && next.statement.number.is_none()
            && gap.is_some_and(|gap| gap.matches('\n').count() < 2 && !gap.contains(char::is_alphanumeric))
    }

    /// Returns the sentence that opens the paragraph in which `index` is the second.
    fn opening_before(&self, index: usize) -> Option<usize> {
        let before = index.checked_sub(1).filter(|&before| self.is_running(before, index))?;
        let follows = |index: usize| {
            index
                .checked_sub(1)
                .is_some_and(|before| self.is_running(before, index) && self.is_adjacent_statement(before, index))
        };
        (self.is_adjacent_statement(before, index) && !follows(before)).then_some(before)
    }

    /// Returns the first sentences right below a line that is not a sentence, such as the number and day of an entry.
    fn below_label(&self, index: usize) -> Vec<usize> {
        let is_sentence = |index: usize| self.told.get(index).is_some_and(|one| one.statement.form == Form::Sentence);
        let is_below = |&next: &usize| is_sentence(next) && self.is_adjacent_statement(next - 1, next);
        let is_label = !is_sentence(index) && self.told[index].block.is_none();
        if is_label { (index + 1..).take_while(is_below).take(BETWEEN).collect() } else { Vec::new() }
    }

    /// The share of what a statement says that another one says too.
    fn overlap_share(&self, index: usize, other: usize) -> f32 {
        let (one, other) = (&self.told[index], &self.told[other]);
        let same = other.document == one.document && other.text.contains(&one.text);
        if same { 1.0 } else { self.rarity.overlap(&one.own, &other.own) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::text::Language;
    use crate::llm::purpose::WriteInput;
    use crate::offline::testing::{card, write_input};

    fn papers(text: &str) -> WriteInput {
        write_input("Which firms offered to paint the bridge?", vec![card(1, "Papers", "", text)])
    }

    #[test]
    fn what_stands_in_another_section_is_told_with_what_follows_it() {
        let check = |chosen: usize, expected: &[usize]| {
            let text = "The lamp of the bridge was out. A mason had pulled its plug in the morning. Nobody put it back. \
                        The bridge keeper was ill that day.\n\nThe lamp is to be hung higher.";
            let input = papers(text);
            let mut account = Account::new(&input, Language::ENGLISH);
            account.taken.insert(chosen);
            assert_eq!(account.with_following_sentences(vec![chosen]), expected);
        };
        check(0, &[0, 1, 2]);
        check(3, &[3]);
        check(4, &[4]);
    }

    #[test]
    fn fragments_are_told_with_what_stands_beside_them() {
        let check = |text: &str, chosen: &[usize], expected: &[&str]| {
            let input = papers(text);
            let mut account = Account::new(&input, Language::ENGLISH);
            account.taken.extend(chosen);
            let mut told = account.with_neighbours(chosen.to_vec());
            told.sort_unstable();
            assert_eq!(told.iter().map(|&index| account.told[index].text.as_str()).collect::<Vec<_>>(), expected);
        };
        let [offer, asked, aside, others] = [
            "The offer of the Lower Mill looks cheap at first.",
            "Asked about it, they wanted £900 more for the scaffold.",
            "The sum was far too high for that.",
            "The others were complete in all their parts.",
        ];
        let text = format!("{offer} {asked} {aside}\n\n{others}");
        check(&text, &[1], &[offer, asked]);
        check(&text, &[0, 2], &[offer, asked, aside]);
        check(&text, &[2], &[aside]);
        check(&text, &[3], &[others]);
        let entry = "No. 7 | 3 May 2021 | Old bridge\nA girder fell into the river below the deck. Nobody was hurt in the fall.";
        let row = "No. 7; 3 May 2021; Old bridge";
        let girder = "A girder fell into the river below the deck.";
        check(entry, &[0], &[row, girder, "Nobody was hurt in the fall."]);
    }
}
