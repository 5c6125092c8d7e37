//! What is told together with a candidate: the record whose first value it is, the steps of its procedure, the rows that
//! are asked for with it, or the items of its list that answer as well.

use std::collections::BTreeSet;

use super::{Candidate, Field};
use crate::base::text::is_cjk;
use crate::llm::purpose::EvidenceCard;
use crate::offline::asking::{asks_for_several, asks_for_way};
use crate::offline::prose::innermost;
use crate::offline::statements::{Form, Statement, is_question};
use crate::offline::steps::procedure;
use crate::offline::tables::Place;
use crate::offline::terms::{asked_set, content_set};

/// Items of one list that answer this nearly as well as the best of them, in units of the reader's score, answer together
/// where they are at least so many.
const AS_GOOD: f32 = 4.0;
const SEVERAL: usize = 3;

/// A shorter run of characters may stand in a question and in a text by chance.
const PASTED: usize = 10;

/// Characters of a question that are looked for in a text.
const COMPARED: usize = 600;

impl Field<'_> {
    /// What is told together with a candidate, itself among it, and whether that is all that the question asks for; nothing
    /// where it is told alone. `items` are the items of lists that answer, with how sure each is.
    pub(super) fn together(
        &self,
        rank: usize,
        candidate: &Candidate,
        items: &[(Place, f32)],
    ) -> (Vec<(usize, Statement)>, bool) {
        if let Some(record) = self.record_with(rank, candidate) {
            return (record, true);
        }
        // Whoever names a procedure and asks nothing may want more than its steps.
        let asks = || is_question(self.asked.question) || !self.asked.question.contains(is_cjk);
        if let Some(steps) = self.steps_with(rank, candidate) {
            return (steps, asks());
        }
        match self.section_with(rank, candidate) {
            Some(section) => (section, true),
            None => (self.listed_with(rank, candidate, items), false),
        }
    }

    /// Whether a statement stands in the list that the question asks for by its heading: "Actions", "Decisions" where it is asked
    /// what was decided.
    pub(super) fn is_below_its_name(&self, rank: usize, statement: &Statement) -> bool {
        const DECIDED: [&str; 6] = ["decided", "agreed", "resolved", "決ま", "決定", "決議"];
        const DECISIONS: [&str; 6] = ["decisions", "resolutions", "agreed", "resolved", "決定事項", "決議事項"];
        const ONE_THING: [&str; 6] = ["誰", "いつ", "いくら", "なぜ", "どこ", "何時"];
        let (asked, heading) = (self.asked.question.to_lowercase(), statement.heading.to_lowercase());
        if !matches!(statement.form, Form::Item | Form::Pair) {
            // Running text is asked for by no more than the word above it: "…の対策は何ですか".
            let heading = if heading.is_empty() { innermost(&self.card(rank).place) } else { &heading };
            return heading.contains(is_cjk) && asked.contains(&format!("{heading}は何"));
        }
        if heading.is_empty() {
            return false;
        }
        let asks_what = match asked.contains(is_cjk) {
            true => !ONE_THING.iter().any(|word| asked.contains(word)),
            false => ["what ", "which "].iter().any(|what| asked.starts_with(what)),
        };
        let is_several = || heading.ends_with('s') || heading.ends_with("事項") || asks_for_several(&asked);
        let terms = || content_set(&heading, self.asked.language);
        let is_named =
            |terms: BTreeSet<String>| !terms.is_empty() && terms.is_subset(&asked_set(&asked, self.asked.language));
        let decides = || DECISIONS.contains(&heading.as_str()) && DECIDED.iter().any(|word| asked.contains(word));
        asks_what && (is_several() && is_named(terms()) || decides())
    }

    /// All items of the section that a candidate is an item of, where the question names it by its heading, as in
    /// "What were the actions of the July meeting?".
    fn section_with(&self, rank: usize, candidate: &Candidate) -> Option<Vec<(usize, Statement)>> {
        if !self.is_below_its_name(rank, &candidate.statement) {
            return None;
        }
        let place = |rank: usize, one: &Statement| {
            let card = self.card(rank);
            (card.path.as_str(), format!("{} › {}", card.place, one.headings()))
        };
        let own = place(rank, &candidate.statement);
        let all = (0..self.cards.len()).flat_map(|rank| self.stated[rank].iter().map(move |one| (rank, one)));
        let of_it = all.filter(|(rank, one)| one.form == candidate.statement.form && place(*rank, one) == own);
        let mut items: Vec<(usize, &Statement)> = of_it.collect();
        items.sort_by_key(|(rank, one)| (self.card(*rank).at, one.range.start));
        items.dedup_by(|one, other| one.1.text == other.1.text);
        (items.len() > 1).then(|| items.into_iter().map(|(rank, one)| (self.cards[rank], one.clone())).collect())
    }

    /// All steps of the procedure that a candidate is of, where it is asked how something is done.
    fn steps_with(&self, rank: usize, candidate: &Candidate) -> Option<Vec<(usize, Statement)>> {
        if !asks_for_way(self.asked.question) {
            return None;
        }
        let place = self.stated[rank].iter().position(|one| one.range == candidate.statement.range)?;
        let cards: Vec<&EvidenceCard> = self.cards.iter().map(|&card| &self.input.evidence[card]).collect();
        let asked = asked_set(self.asked.question, self.asked.language);
        let said = |heading: &str| content_set(heading, self.asked.language).intersection(&asked).count();
        let steps = procedure(&cards, &self.stated, (rank, place), said)?;
        Some(steps.into_iter().map(|(rank, step)| (self.cards[rank], step)).collect())
    }

    /// Where a candidate says no more than the question, as the symptom does whose message was pasted: it and the values below
    /// it, up to the next record. That one begins with a name that was there before.
    fn record_with(&self, rank: usize, candidate: &Candidate) -> Option<Vec<(usize, Statement)>> {
        let own = &candidate.statement;
        if own.form != Form::Pair || !is_pasted(self.asked.question, &own.text) {
            return None;
        }
        let mut names: BTreeSet<&str> = BTreeSet::new();
        let below = self.stated[rank].iter().skip_while(|one| one.range != own.range);
        let record = below
            .take_while(|one| one.form == Form::Pair && one.headings() == own.headings() && names.insert(one.name()))
            .map(|one| (candidate.card, one.clone()));
        let record: Vec<(usize, Statement)> = record.collect();
        (record.len() > 1).then_some(record)
    }

    /// The rows that are asked for together with a candidate, or the items of its list that answer about as well, itself
    /// among them; none where they are few.
    fn listed_with(&self, rank: usize, candidate: &Candidate, items: &[(Place, f32)]) -> Vec<(usize, Statement)> {
        let own = &candidate.statement;
        let is_own = |place: &Place| place.0 == rank && self.stated[rank][place.1].range == own.range;
        if let Some((_, rows)) = self.picked.iter().find(|(first, rows)| is_own(first) && rows.len() > 1) {
            return rows.iter().map(|&(rank, index)| (self.cards[rank], self.stated[rank][index].clone())).collect();
        }
        let as_good = |((of, index), sure): &(Place, f32)| {
            let item = &self.stated[*of][*index];
            let is_listed = *of == rank && item.heading == own.heading && item.lead == own.lead;
            (is_listed && candidate.sure - sure <= AS_GOOD).then_some(*index)
        };
        let places: BTreeSet<usize> = items.iter().filter_map(as_good).collect();
        let is_several = own.form == Form::Item && places.len() >= SEVERAL && !self.wants.figure;
        places
            .into_iter()
            .filter(|_| is_several)
            .map(|index| (candidate.card, self.stated[rank][index].clone()))
            .collect()
    }
}

/// Whether at least half of the question stands in `text` as one run: a message was pasted from it.
fn is_pasted(question: &str, text: &str) -> bool {
    let chars = |text: &str| -> Vec<char> { text.chars().filter(|c| !c.is_whitespace()).take(COMPARED).collect() };
    let (question, text) = (chars(question), chars(text));
    // Lengths of the runs that end at each character of the text.
    let (mut longest, mut before) = (0, vec![0; text.len() + 1]);
    for asked in &question {
        let mut runs = vec![0; text.len() + 1];
        for (at, told) in text.iter().enumerate() {
            if asked == told {
                runs[at + 1] = before[at] + 1;
                longest = longest.max(runs[at + 1]);
            }
        }
        before = runs;
    }
    longest >= PASTED && longest * 2 >= question.len()
}
