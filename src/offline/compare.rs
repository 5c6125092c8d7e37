//! What changed between two versions of one document: their statements side by side, each change with its old and its new
//! wording.

use std::collections::BTreeSet;

use super::phrases::Phrases;
use super::render::{cited, dated_title, safe};
use super::statements::{Form, Statement, statements};
use super::terms::{Rarity, asked_set, content_set, word_count};
use super::wanted::codes;
use crate::base::text::Language;
use crate::llm::purpose::{EvidenceCard, WriteInput};
use crate::report::is_newer_version;

/// Statements that are less alike speak of different things.
const ALIKE: f32 = 0.34;

/// What a heading in common is worth.
const SAME_HEADING: f32 = 0.15;

/// What the question's words in a passage are worth beside those in its title and its file's name.
const TEXT: f32 = 0.5;

/// Words of the whole list.
const WORDS: usize = 420;

/// A statement of one of the versions.
struct Stated {
    card: usize,
    statement: Statement,
    text: String,
    terms: BTreeSet<String>,
}

/// Whether the question asks what is different in a newer version.
fn asks_what_changed(question: &str) -> bool {
    const ASKING: &str = "changed|changes|change in|change from|change between|what is new|what's new|are new|is new in|new since|differ|compared|different|amended|updated|\
        geändert|änderung|unterschied|neu in|changé|changement|nouveau|différen|cambió|cambiado|cambios|diferencia|\
        cambiat|modific|変わ|変更|改定|改正|改訂|違い|異な|新旧|变化|修改|不同";
    let lower = question.to_lowercase();
    ASKING.split('|').any(|word| lower.contains(word))
}

/// The changes between the two versions that the question speaks of; `None` where it asks for none, or no two documents of
/// the evidence are versions of one.
pub(super) fn changes(input: &WriteInput, language: Language, phrases: &Phrases) -> Option<String> {
    let cards = &input.evidence;
    if !asks_what_changed(&input.question) {
        return None;
    }
    let named = named_pair(input, language);
    let (newer, older) = match &named {
        Some(pair) => (pair[0].0, pair[1].0),
        None => asked_pair(input, language)?,
    };
    // Of two things neither was before the other.
    let labels = named.map(|[new, old]| (format!("{}:", safe(&new.1)), format!("{}:", safe(&old.1))));
    let (now, before, dropped) = match &labels {
        Some((new, old)) => (format!("{new} "), old.as_str(), old.as_str()),
        None => (String::new(), phrases.before, phrases.dropped),
    };
    let added = if labels.is_some() { "" } else { phrases.added };
    let (new, old) = (stated(cards, &cards[newer].path, language), stated(cards, &cards[older].path, language));
    let rarity = Rarity::of(new.iter().chain(&old).map(|one| &one.terms));
    let mut pairs: Vec<(f32, usize, usize)> = Vec::new();
    for (a, one) in new.iter().enumerate() {
        for (b, other) in old.iter().enumerate() {
            let heading = !one.statement.heading.is_empty() && one.statement.heading == other.statement.heading;
            let likeness = rarity.overlap(&one.terms, &other.terms) + if heading { SAME_HEADING } else { 0.0 };
            if likeness >= ALIKE {
                pairs.push((likeness, a, b));
            }
        }
    }
    pairs.sort_by(|a, b| b.0.total_cmp(&a.0).then((a.1, a.2).cmp(&(b.1, b.2))));
    let mut partner: Vec<Option<usize>> = vec![None; new.len()];
    let mut matched = vec![false; old.len()];
    for (_, a, b) in pairs {
        if partner[a].is_none() && !matched[b] {
            (partner[a], matched[b]) = (Some(b), true);
        }
    }

    let mut text = String::new();
    let mut words = 0;
    let quote = |one: &Stated| cited(&safe(&one.text), cards[one.card].number);
    let mut tell = |line: String, cost: usize| {
        if words + cost <= WORDS {
            words += cost;
            text.push_str(&line);
        }
    };
    for (one, matched) in new.iter().zip(&partner) {
        match matched.map(|index| &old[index]) {
            Some(other) if other.text == one.text => {}
            Some(other) => tell(
                format!("- {now}{}\n  - {before} {}\n", quote(one), quote(other)),
                word_count(&one.text) + word_count(&other.text),
            ),
            None => tell(
                format!("- {}{}\n", if now.is_empty() { format!("{added} ") } else { now.clone() }, quote(one)),
                word_count(&one.text),
            ),
        }
    }
    for (other, matched) in old.iter().zip(matched) {
        if !matched {
            tell(format!("- {dropped} {}\n", quote(other)), word_count(&other.text));
        }
    }
    let heading = format!("## {} → {}\n\n", dated_title(&cards[older], cards), dated_title(&cards[newer], cards));
    (!text.is_empty()).then(|| format!("{heading}{text}\n"))
}

/// Passages of two documents of one kind that the question tells apart by a code in their titles or files' names, as "AX-200
/// and AX-210", each with its code, the one that is named last first.
fn named_pair(input: &WriteInput, language: Language) -> Option<[(usize, String); 2]> {
    let cards = &input.evidence;
    let mut asked: Vec<String> = codes(&input.question).collect();
    asked.dedup();
    let named = |card: &EvidenceCard, code: &String| {
        codes(&format!("{} {}", card.title, card.file_name().replace(['_', '.'], " "))).any(|own| own == *code)
    };
    let [.., old, new] = asked.as_slice() else { return None };
    let only = |own: &String, other: &String| -> Vec<usize> {
        (0..cards.len()).filter(|&card| named(&cards[card], own) && !named(&cards[card], other)).collect()
    };
    let title = |card: usize| content_set(&cards[card].title, language);
    let (news, olds) = (only(new, old), only(old, new));
    let pairs = news.iter().flat_map(|&a| olds.iter().map(move |&b| (a, b)));
    let (_, a, b) = pairs
        .map(|(a, b)| (title(a).intersection(&title(b)).count(), a, b))
        .filter(|(shared, ..)| *shared > 0)
        .max_by(|one, other| one.0.cmp(&other.0).then((other.1, other.2).cmp(&(one.1, one.2))))?;
    Some([(a, new.clone()), (b, old.clone())])
}

/// Passages of the newer and the older of two versions: of all such pairs, those whose titles, files' names and words hold
/// most of the question's words; of several versions the last two.
fn asked_pair(input: &WriteInput, language: Language) -> Option<(usize, usize)> {
    let cards = &input.evidence;
    let wanted = asked_set(&input.question, language);
    let named = |card: &EvidenceCard| content_set(&format!("{} {} {}", card.title, card.path, card.date), language);
    let names: Vec<BTreeSet<String>> = cards.iter().map(named).collect();
    let texts: Vec<BTreeSet<String>> = cards.iter().map(|card| content_set(&card.text, language)).collect();
    let rarity = Rarity::of(names.iter().chain(&texts));
    let held = |card: usize| rarity.coverage(&wanted, &names[card]) + TEXT * rarity.coverage(&wanted, &texts[card]);
    let is_pair = |&(newer, older): &(usize, usize)| is_newer_version(&cards[newer].edition(), &cards[older].edition());
    (0..cards.len())
        .flat_map(|one| (0..cards.len()).map(move |other| (one, other)))
        .filter(is_pair)
        .filter(|&(newer, older)| held(newer) + held(older) > 0.0)
        .max_by(|a, b| {
            let worth = |pair: &(usize, usize)| held(pair.0) + held(pair.1);
            let dates = |pair: &(usize, usize)| (cards[pair.0].date.as_str(), cards[pair.1].date.as_str());
            worth(a).total_cmp(&worth(b)).then(dates(a).cmp(&dates(b))).then(b.cmp(a))
        })
}

/// The statements of one document that say more than when it was written, each once, in the order of its passages.
fn stated(cards: &[EvidenceCard], path: &str, language: Language) -> Vec<Stated> {
    let mut own: Vec<usize> = (0..cards.len()).filter(|&card| cards[card].path == path).collect();
    own.sort_by(|&a, &b| cards[a].place.cmp(&cards[b].place).then(a.cmp(&b)));
    let mut found: Vec<Stated> = Vec::new();
    for card in own {
        for statement in statements(&cards[card]) {
            let text = statement.shown();
            let terms = content_set(&text, language);
            let says = word_count(&text) >= 4 || statement.form != Form::Sentence;
            if says && !terms.is_empty() && found.iter().all(|other| other.text != text) {
                found.push(Stated { card, statement, text, terms });
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Outline, SubQuery};
    use crate::offline::phrases;
    use crate::offline::testing::card;

    fn told(question: &str, old: &str, new: &str) -> Option<String> {
        let version = |number: usize, date: &str, text: &str| EvidenceCard {
            path: format!("travel-{date}.md"),
            date: date.to_owned(),
            ..card(number, "Travel policy", "", text)
        };
        let input = WriteInput {
            question: question.to_owned(),
            language: "English".to_owned(),
            asked: vec![SubQuery { text: question.to_owned(), collections: vec![] }],
            evidence: vec![version(1, "2021-02-01", old), version(2, "2024-04-01", new)],
            plan: None,
            incomplete: None,
            words: None,
            outline: Outline::default(),
            today: "2026-01-01".to_owned(),
        };
        changes(&input, Language::ENGLISH, phrases::of(Language::ENGLISH))
    }

    #[test]
    fn changes_are_told_with_their_old_and_their_new_wording() {
        let old =
            "A hotel night may cost up to £95. Taxis need the approval of the office. Receipts are kept for a year.";
        let new = "A hotel night may cost up to £120. Receipts are kept for a year. Bicycles are paid by the mile.";
        let told = told("What changed in the travel policy?", old, new).expect("changes");
        assert!(
            told.contains(
                "- A hotel night may cost up to £120 [2].\n  - Before: A hotel night may cost up to £95 [1]."
            ),
            "{told}"
        );
        assert!(told.contains("- New: Bicycles are paid by the mile [2]."), "{told}");
        assert!(told.contains("- No longer there: Taxis need the approval"), "{told}");
        assert!(!told.contains("Receipts"), "{told}");
    }

    #[test]
    fn two_things_that_are_named_stand_side_by_side() {
        let sheet = |number: usize, code: &str, text: &str| card(number, &format!("Water meter {code}"), "", text);
        let input = WriteInput {
            question: "What is the difference between the AX-200 and the AX-210?".to_owned(),
            language: "English".to_owned(),
            asked: vec![SubQuery { text: String::new(), collections: vec![] }],
            evidence: vec![
                sheet(1, "AX-210", "Weight: 3.4 kg\nHeater: built in"),
                sheet(2, "AX-200", "Weight: 2.8 kg"),
                sheet(3, "AX-300", "Weight: 9.9 kg"),
            ],
            plan: None,
            incomplete: None,
            words: None,
            outline: Outline::default(),
            today: "2026-01-01".to_owned(),
        };
        let told = changes(&input, Language::ENGLISH, phrases::of(Language::ENGLISH)).expect("differences");
        assert!(told.contains("- AX-210: Weight: 3.4 kg [1].\n  - AX-200: Weight: 2.8 kg [2]."), "{told}");
        assert!(told.contains("- AX-210: Heater: built in [1]."), "{told}");
        assert!(!told.contains("9.9") && !told.contains("Before"), "{told}");
    }

    #[test]
    fn other_questions_and_equal_versions_have_no_changes() {
        assert_eq!(
            told("How much may a hotel cost?", "A night costs £95 at most.", "A night costs £120 at most."),
            None
        );
        assert_eq!(told("What changed?", "A night costs £95 at most.", "A night costs £95 at most."), None);
    }
}
