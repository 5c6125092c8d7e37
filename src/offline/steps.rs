//! The steps of a procedure, told as a whole: whoever asks how to do something needs all of them, in their order.

use std::collections::BTreeSet;

use super::statements::{Form, Statement};
use super::tables::Place;
use crate::llm::purpose::EvidenceCard;

/// Fewer steps are no procedure.
const FEWEST: usize = 3;

/// The steps of the procedure that a statement is of, each as one statement with the rank of its passage.
pub(super) fn procedure(
    cards: &[&EvidenceCard],
    stated: &[Vec<Statement>],
    own: Place,
) -> Option<Vec<(usize, Statement)>> {
    let document = of_document(cards, stated, own.0);
    let begins = |place: Place| cards[place.0].at + stated[place.0][place.1].range.start;
    let at = document.iter().position(|one| begins(one.place) == begins(own))?;
    let mut found = steps(stated, &document, at)?;
    let (rank, index) = document[at].place;
    let one = &stated[rank][index];
    if one.form == Form::Sentence {
        found[0].1.lead = one.shown();
    }
    Some(found)
}

/// The steps among which a statement stands, or which follow it below its heading, each as one statement with the rank of its
/// passage; `None` where there are none. They may go on in other passages of the document.
fn steps(stated: &[Vec<Statement>], document: &[Placed<'_>], at: usize) -> Option<Vec<(usize, Statement)>> {
    let one = |at: usize| &stated[document[at].place.0][document[at].place.1];
    let is_below = |&other: &usize| document[other].heading == document[at].heading;
    let first = |at: &usize| one(*at).number == Some(1) && matches!(one(*at).form, Form::Item | Form::Pair);
    let before = (0..=at).rev().take_while(is_below).find(first);
    let start = before.or_else(|| (at..document.len()).take_while(is_below).find(first))?;
    let mut found: Vec<Step> = Vec::new();
    for at in (start..document.len()).take_while(is_below) {
        let (place, statement) = (document[at].place, one(at));
        let last = found.last().map_or(0, |step| step.number);
        match statement.number {
            Some(number) if number == last + 1 => found.push(Step { number, parts: vec![place] }),
            Some(_) => break,
            None => found.last_mut()?.parts.push(place),
        }
    }
    // What follows the last step is a part of it only where it has the form of one.
    if let Some(last) = found.last_mut() {
        let goes_on = |place: &&Place| matches!(stated[place.0][place.1].form, Form::Item | Form::Pair | Form::Code);
        let length = last.parts.iter().take_while(goes_on).count();
        last.parts.truncate(length.max(1));
    }
    let is_one_of = found.iter().any(|step| step.parts.contains(&document[at].place));
    let is_whole = found.len() >= FEWEST && (is_one_of || at < start);
    is_whole.then(|| found.iter().map(|step| (step.parts[0].0, step.told(stated))).collect())
}

/// A step, with the places of what it says.
struct Step {
    number: u32,
    parts: Vec<Place>,
}

impl Step {
    fn told(&self, stated: &[Vec<Statement>]) -> Statement {
        let parts: Vec<&Statement> = self.parts.iter().map(|&(rank, index)| &stated[rank][index]).collect();
        let mut told = parts[0].clone();
        let mut said = BTreeSet::new();
        let mut words = |one: &&Statement| match one.form {
            Form::Code if said.insert(one.lead.clone()) && !parts.iter().any(|part| part.text == one.lead) => {
                one.shown()
            }
            _ => one.text.clone(),
        };
        told.text = parts.iter().map(&mut words).collect::<Vec<String>>().join(" ");
        told.lead.clear();
        told.number = Some(self.number);
        told
    }
}

/// A statement of a document, and the heading that it stands below, in whichever passage that is.
struct Placed<'a> {
    place: Place,
    heading: &'a str,
}

/// All statements of the document of a passage, in its order; what passages share, once.
fn of_document<'a>(cards: &[&EvidenceCard], stated: &'a [Vec<Statement>], rank: usize) -> Vec<Placed<'a>> {
    let is_of_it =
        |one: &usize| (&cards[*one].collection, &cards[*one].path) == (&cards[rank].collection, &cards[rank].path);
    let mut ranks: Vec<usize> = (0..cards.len()).filter(is_of_it).collect();
    ranks.sort_by_key(|&one| cards[one].at);
    let (mut document, mut told, mut heading) = (Vec::new(), 0, "");
    for rank in ranks {
        for (index, one) in stated[rank].iter().enumerate() {
            if cards[rank].at + one.range.start >= told {
                told = cards[rank].at + one.range.end;
                // A passage that begins below a heading does not hold it.
                heading = if one.heading.is_empty() { heading } else { &one.heading };
                document.push(Placed { place: (rank, index), heading });
            }
        }
    }
    document
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::offline::statements::statements_in;
    use crate::offline::testing::card;

    fn check(texts: &[&str], holding: &str, expected: &[&str]) {
        let mut at = 0;
        let place = |text: &&str| {
            at += text.len() + 2;
            EvidenceCard { at: at - text.len() - 2, ..card(1, "", "", text) }
        };
        let cards: Vec<EvidenceCard> = texts.iter().map(place).collect();
        let stated: Vec<Vec<Statement>> = (0..cards.len()).map(|index| statements_in(&cards, index)).collect();
        let places = stated.iter().enumerate().flat_map(|(rank, all)| (0..all.len()).map(move |index| (rank, index)));
        let own = places.into_iter().find(|&(rank, index)| stated[rank][index].text.contains(holding)).expect(holding);
        let found = procedure(&cards.iter().collect::<Vec<_>>(), &stated, own).unwrap_or_default();
        let told = |(_, step): &(usize, Statement)| format!("{}. {}", step.number.unwrap_or(0), step.text);
        assert_eq!(found.iter().map(told).collect::<Vec<String>>(), expected, "{holding}");
    }

    #[test]
    fn all_steps_in_their_order() {
        let pump = "## Replace a pump\n\nTwo people do it.\n\n1. Close the valve.\n2. Drain the pump.\n3. Start the pump. It fills in a \
                    minute.\n4. Open the valve.\n\nCall the shop.\n\n## Other\n\n1. Rest.\n2. Go on.\n";
        let all = [
            "1. Close the valve.",
            "2. Drain the pump.",
            "3. Start the pump. It fills in a minute.",
            "4. Open the valve.",
        ];
        check(&[pump], "Drain", &all);
        check(&[pump], "It fills", &all);
        check(&[pump], "Two people", &all);
        check(&[pump], "Call the shop", &[]);
        check(&[pump], "Rest", &[]);
        // The list goes on in another passage.
        check(
            &["1. One thing.\n2. Two things.", "3. Three things.\n4. Four things."],
            "Four",
            &["1. One thing.", "2. Two things.", "3. Three things.", "4. Four things."],
        );
        check(
            &["## Do it\n\n1. One thing.\n2. Two things.", "3. Three things.\n\n## Other\n\n1. Rest."],
            "One",
            &["1. One thing.", "2. Two things.", "3. Three things."],
        );
        check(
            &["1. 副系を確認する。\n2. 受付を止める。\n3. 昇格させる。\n"],
            "受付",
            &["1. 副系を確認する。", "2. 受付を止める。", "3. 昇格させる。"],
        );
    }

    #[test]
    fn steps_with_commands_and_steps_within_steps() {
        check(
            &["1. Stop it: `stop`.\n2. Note the number.\n\n   ```\n   list\n   ```\n\n3. Start it.\n4. Wait.\n"],
            "Start it",
            &["1. Stop it: stop.", "2. Note the number. `list`", "3. Start it.", "4. Wait."],
        );
        check(
            &["1. Grind.\n   a. Put it in a mortar.\n   b. Grind it.\n2. Lyse.\n   a. Add 600 µl of L1.\n3. Bind.\n"],
            "600",
            &["1. Grind. Put it in a mortar. Grind it.", "2. Lyse. Add 600 µl of L1.", "3. Bind."],
        );
    }
}
