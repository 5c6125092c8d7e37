//! What changed between two versions of one document: their statements side by side, each change with its old and its new
//! wording.

use std::collections::BTreeSet;

use super::clauses::{clauses, clauses_of};
use super::defined::{Definitions, are_apart};
use super::force::{amendments as amendments_of, key, spoken_of};
use super::head::length_of_head;
use super::named::title_and_file;
use super::render::{cited, dated_title, safe};
use super::split::compares;
use super::statements::{Form, Statement, statements};
use super::terms::{Rarity, asked_set, content_set, word_count, words_of};
use crate::base::text::{Language, capitalised, codes, is_cjk, is_hiragana};
use crate::llm::purpose::{EvidenceCard, WriteInput};
use crate::report::Words;
use crate::report::{amending, amendment_named, amends, asks_what_changed, is_later_issue, is_newer_version, parties};

/// Statements that are less alike speak of different things.
const ALIKE: f32 = 0.34;

/// What a heading in common is worth.
const SAME_HEADING: f32 = 0.15;

/// The same of an article that an amendment names: articles of other documents have its number, too, and share no words.
const SAME_ARTICLE: f32 = 0.24;

/// With which words an amendment adds something that takes no place.
const ADDING: [&str; 7] = ["is inserted", "is added", "eingefügt", "ajouté", "añade", "aggiunt", "を加える"];

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

/// The changes between the two versions that the question speaks of; `None` where it asks for none, or no two documents of
/// the evidence are versions of one.
pub(super) fn changes(input: &WriteInput, language: Language, phrases: &Words) -> Option<String> {
    let cards = &input.evidence;
    let Pair { newer, older, named, are_issues } = asked_pair(&input.question, language, cards)?;
    // Of two things neither was before the other.
    let labels = named.map(|[new, old]| (format!("{}:", safe(&new)), format!("{}:", safe(&old))));
    let (now, before, dropped) = match &labels {
        Some((new, old)) => (format!("{new} "), old.as_str(), old.as_str()),
        None => (String::new(), phrases.before, phrases.dropped),
    };
    let added = if now.is_empty() { format!("{} ", phrases.added) } else { now.clone() };
    let (mut new, mut old) = (stated(cards, &cards[newer].path, language), stated(cards, &cards[older].path, language));
    if are_issues {
        // Only figures of the same things compare; each tells much more of its own time.
        let has_key = |one: &Stated| key(&one.statement).is_some() && one.text.contains(|c: char| c.is_ascii_digit());
        new.retain(has_key);
        old.retain(has_key);
    }
    let mut amendments = amendments_of(&cards[older], cards);
    amendments.retain(|amendment| cards[amendment.card].path == cards[newer].path);
    let is_amendment = !amendments.is_empty();
    if is_amendment {
        // It leaves in force what it does not name, and begins with who agreed on it and why.
        old.retain(|one| {
            let clauses = clauses_of(&one.statement);
            amendments.iter().any(|amendment| amendment.concerns(&clauses))
        });
        let names_articles = amendments.iter().any(|amendment| !amendment.clauses.is_empty());
        new.retain(|one| {
            let articles = spoken_of(&one.statement, &cards[one.card]);
            let is_own = !names_articles || !articles.is_empty() || one.statement.form == Form::Item;
            let amends = amends(&one.text) && is_own;
            amends || amendments.iter().any(|amendment| amendment.concerns(&articles))
        });
        for one in new.iter_mut().filter(|one| clauses(&one.text).is_empty()) {
            let heading = &one.statement.heading;
            if !clauses(heading).is_empty() {
                one.text = format!("{heading}: {}", one.text);
            }
        }
    }
    let rarity = Rarity::of(new.iter().chain(&old).map(|one| &one.terms));
    // The articles that each statement gives other words, and those that the old ones stand in.
    let adds = |one: &Stated| ADDING.iter().any(|word| one.text.contains(word));
    let gives = |one: &Stated| spoken_of(&one.statement, &cards[one.card]);
    let none = |one: &Stated| !is_amendment || adds(one);
    let amended: Vec<_> = new.iter().map(|one| if none(one) { BTreeSet::new() } else { gives(one) }).collect();
    let articles: Vec<_> = old.iter().map(|one| clauses_of(&one.statement)).collect();
    let mut pairs: Vec<(f32, usize, usize)> = Vec::new();
    for (a, one) in new.iter().enumerate() {
        for (b, other) in old.iter().enumerate() {
            let heading = !one.statement.heading.is_empty() && one.statement.heading == other.statement.heading;
            let is_amended = !amended[a].is_disjoint(&articles[b]);
            let place = if is_amended { SAME_ARTICLE } else { SAME_HEADING * f32::from(u8::from(heading)) };
            let likeness = rarity.overlap(&one.terms, &other.terms) + place;
            if likeness >= ALIKE && (!are_issues || key(&one.statement) == key(&other.statement)) {
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

    // What is asked beyond which documents are compared stands above the rest.
    let names = format!("{} {}", dated_title(&cards[older], cards), dated_title(&cards[newer], cards));
    let of_labels = labels.iter().flat_map(|(new, old)| [new, old]).map(|label| format!(" {label}"));
    let named = content_set(&of_labels.fold(names, |names, label| names + &label), language);
    // In scripts without spaces two ideographs are a word, and one is in many.
    let is_word = |term: &str| !term.contains(is_hiragana) && (!term.contains(is_cjk) || term.chars().nth(1).is_some());
    // "Tenant" is in every clause.
    let all = new.len() + old.len();
    let is_usual = |term: &str| new.iter().chain(&old).filter(|one| one.terms.contains(term)).count() * 2 > all;
    let is_usual = |term: &str| labels.is_some() && is_usual(term);
    let is_subject =
        |term: &&String| !named.contains(*term) && !asks_what_changed(term) && is_word(term) && !is_usual(term);
    let asked = asked_set(&input.question, language);
    let subject: BTreeSet<&String> = asked.iter().filter(is_subject).collect();
    let is_asked = |one: &Stated| {
        let heading = content_set(&one.statement.heading, language);
        subject.iter().any(|term| one.terms.contains(*term) || heading.contains(*term))
    };

    let amended_today = |card: usize| (cards[card].path.as_str(), amendments_of(&cards[card], cards));
    let current = if labels.is_some() { vec![amended_today(newer), amended_today(older)] } else { Vec::new() };
    let quote = |one: &Stated| {
        let said = cited(&safe(&one.text), cards[one.card].number);
        // Of two things each is told as it is today.
        let places = clauses_of(&one.statement);
        let of_document = current.iter().find(|(path, _)| *path == cards[one.card].path);
        let amended = of_document.and_then(|(_, all)| all.iter().rfind(|amendment| amendment.concerns(&places)));
        amended.map_or(said.clone(), |new| {
            format!("{} {} {said}", cited(&safe(&new.said), cards[new.card].number), phrases.before)
        })
    };
    let is_told = |index: usize| partner[index].map_or(!are_issues, |other| old[other].text != new[index].text);
    let changed = (0..new.len()).filter(|&index| is_told(index)).map(|index| match partner[index] {
        Some(other) => Change {
            line: format!("- {now}{}\n  - {before} {}\n", quote(&new[index]), quote(&old[other])),
            words: word_count(&new[index].text) + word_count(&old[other].text),
            is_asked: is_asked(&new[index]) || is_asked(&old[other]),
            weight: 2,
        },
        None => {
            let added = if amends(&new[index].text) { "" } else { added.as_str() };
            let line = format!("- {added}{}\n", quote(&new[index]));
            Change { line, words: word_count(&new[index].text), is_asked: is_asked(&new[index]), weight: 1 }
        }
    });
    let gone =
        old.iter().zip(matched).filter(|(_, matched)| !matched && !is_amendment && !are_issues).map(|(other, _)| {
            Change {
                line: format!("- {dropped} {}\n", quote(other)),
                words: word_count(&other.text),
                is_asked: is_asked(other),
                weight: 0,
            }
        });
    let mut all: Vec<Change> = changed.chain(gone).collect();
    // Two things differ in much that nobody asks for.
    if labels.is_some() && all.iter().any(|change| change.is_asked) {
        all.retain(|change| change.is_asked);
    }
    let told = within(all, WORDS);
    let text: String = told.iter().map(|change| change.line.as_str()).collect();
    let [new, old] = [newer, older].map(|card| dated_title(&cards[card], cards));
    let heading = if labels.is_some() { format!("## {new} / {old}\n\n") } else { format!("## {old} → {new}\n\n") };
    (!text.is_empty()).then(|| format!("{heading}{text}\n"))
}

/// What is told of one change.
struct Change {
    line: String,
    words: usize,
    /// Whether it is on what the question asks for.
    is_asked: bool,
    /// What was one thing and is another is worth more than what is new, and that more than what is gone.
    weight: u8,
}

/// The changes that are worth most, within so many words: those on what is asked, then the others, each in their order.
fn within(changes: Vec<Change>, most: usize) -> Vec<Change> {
    let mut order: Vec<usize> = (0..changes.len()).collect();
    order.sort_by_key(|&index| std::cmp::Reverse((changes[index].is_asked, changes[index].weight)));
    let mut left = most;
    let mut kept = BTreeSet::new();
    for index in order {
        if changes[index].words <= left {
            left -= changes[index].words;
            kept.insert(index);
        }
    }
    let kept = changes.into_iter().enumerate().filter(|(index, _)| kept.contains(index)).map(|(_, change)| change);
    let (asked, others): (Vec<Change>, Vec<Change>) = kept.partition(|change| change.is_asked);
    asked.into_iter().chain(others).collect()
}

/// Two documents whose differences a question asks for, by a passage of each.
struct Pair {
    newer: usize,
    older: usize,
    /// The codes by which the question tells them apart, or whose they are, where neither was before the other.
    named: Option<[String; 2]>,
    /// Whether they are issues of a series, each on its own time, and no versions.
    are_issues: bool,
}

/// The documents among `cards` that `question` compares; `None` where it compares none.
fn asked_pair(question: &str, language: Language, cards: &[EvidenceCard]) -> Option<Pair> {
    if !asks_what_changed(question) {
        return None;
    }
    named_pair(question, language, cards)
        .or_else(|| issues(question, cards))
        .or_else(|| siblings(question, language, cards))
        .or_else(|| versions(question, language, cards))
}

/// Passages of two issues of a series that the question names, the best of them first.
fn issues(question: &str, cards: &[EvidenceCard]) -> Option<Pair> {
    let pairs = (0..cards.len()).flat_map(|one| (0..cards.len()).map(move |other| (one, other)));
    let (newer, older) = pairs
        .filter(|&(newer, older)| is_later_issue(&cards[newer].edition(), &cards[older].edition(), question))
        .max_by(|a, b| {
            let worth = |&(newer, older): &(usize, usize)| cards[newer].score + cards[older].score;
            worth(a).total_cmp(&worth(b)).then(b.cmp(a))
        })?;
    Some(Pair { newer, older, named: None, are_issues: true })
}

/// Passages of two documents of one kind that the question tells apart by a code in their titles or files' names, as "AX-200
/// and AX-210", the one that is named last first.
fn named_pair(question: &str, language: Language, cards: &[EvidenceCard]) -> Option<Pair> {
    let mut asked: Vec<String> = codes(question).collect();
    asked.dedup();
    let named = |card: &EvidenceCard, code: &String| codes(&title_and_file(card)).any(|own| own == *code);
    let [.., old, new] = asked.as_slice() else { return None };
    let only = |own: &String, other: &String| -> Vec<usize> {
        (0..cards.len()).filter(|&card| named(&cards[card], own) && !named(&cards[card], other)).collect()
    };
    let codes = content_set(&format!("{old} {new}"), language);
    let title = |card: usize| &content_set(&cards[card].title, language) - &codes;
    let (news, olds) = (only(new, old), only(old, new));
    let pairs = news.iter().flat_map(|&a| olds.iter().map(move |&b| (a, b)));
    let (_, newer, older) = pairs
        .map(|(a, b)| (title(a).intersection(&title(b)).count(), a, b))
        .filter(|(shared, ..)| *shared > 0)
        .max_by(|one, other| one.0.cmp(&other.0).then((other.1, other.2).cmp(&(one.1, one.2))))?;
    Some(Pair { newer, older, named: Some([new.clone(), old.clone()]), are_issues: false })
}

/// Passages of two documents of one kind that a question compares: like ones of different parties, whose titles and files'
/// names hold more of its words than those of other documents; or contracts that it names, each by a party or a word of its
/// own.
fn siblings(question: &str, language: Language, cards: &[EvidenceCard]) -> Option<Pair> {
    if !compares(question) {
        return None;
    }
    let wanted = asked_set(question, language);
    let titles: Vec<BTreeSet<String>> = cards.iter().map(|card| content_set(&card.title, language)).collect();
    let names: Vec<BTreeSet<String>> =
        cards.iter().map(|card| content_set(&format!("{} {}", card.title, card.file_name()), language)).collect();
    let rarity = Rarity::of(&names);
    let held = |card: usize| rarity.coverage(&wanted, &names[card]);
    let most = (0..cards.len()).map(held).fold(0.0, f32::max);
    let are_named = |one: usize, other: usize| held(one).max(held(other)) >= most && held(one).min(held(other)) > 0.0;
    let parties = |one: usize, other: usize| parties(&cards[one].edition(), &cards[other].edition());
    let definitions = Definitions::of(cards, &wanted, language);
    let asked_of = |one: usize, other: usize| -> Option<String> {
        let mut parties = definitions.names(&cards[one]);
        let party = parties.find(|name| definitions.names(&cards[other]).all(|of_other| of_other != *name));
        let are_alike = !titles[one].is_disjoint(&titles[other]);
        if let Some(party) = party.filter(|_| are_alike) {
            return Some(party.to_owned());
        }
        let shown = format!("{} {}", cards[one].title, cards[one].file_name());
        let is_own = |word: &&str| {
            let terms = content_set(word, language);
            !terms.is_empty() && terms.is_subset(&wanted) && terms.is_disjoint(&names[other])
        };
        let own: Vec<&str> = words_of(&shown).filter(is_own).collect();
        // Names are written as such.
        let name = own.iter().copied().find(|word| question.contains(&capitalised(word)));
        let name = name.or(own.first().copied()).filter(|_| are_alike && are_apart(&cards[one], &cards[other], cards));
        name.map(str::to_owned)
    };
    let pairs = (0..cards.len()).flat_map(|one| (0..one).map(move |other| (one, other)));
    let pairs = pairs.filter(|&(one, other)| cards[one].path != cards[other].path).filter_map(|(one, other)| {
        let of_parties = || parties(one, other).filter(|_| are_named(one, other));
        let named = match (asked_of(one, other), asked_of(other, one)) {
            (Some(own), Some(others)) => [own, others],
            _ => of_parties()?.map(|party| party.into_iter().collect::<Vec<_>>().join(" ")),
        };
        Some((held(one) + held(other), one, other, named))
    });
    let (_, newer, older, named) = pairs.max_by(|a, b| a.0.total_cmp(&b.0).then((b.1, b.2).cmp(&(a.1, a.2))))?;
    Some(Pair { newer, older, named: Some(named.map(|name| capitalised(&name))), are_issues: false })
}

/// Passages of the newer and the older of two versions, where no other document's title and file's name hold more of the
/// question's words, nor its text where no title holds any; of several pairs the one that holds most of them, and of several
/// versions the last two.
fn versions(question: &str, language: Language, cards: &[EvidenceCard]) -> Option<Pair> {
    let named = |card: &EvidenceCard| content_set(&format!("{} {} {}", card.title, card.path, card.date), language);
    let names: Vec<BTreeSet<String>> = cards.iter().map(named).collect();
    let texts: Vec<BTreeSet<String>> = cards.iter().map(|card| content_set(&card.text, language)).collect();
    let rarity = Rarity::of(names.iter().chain(&texts));
    let wanted = rarity.taken_apart(asked_set(question, language), question, language);
    let named_in = |card: usize| rarity.coverage(&wanted, &names[card]);
    let held = |card: usize| named_in(card) + TEXT * rarity.coverage(&wanted, &texts[card]);
    let most = |of: &dyn Fn(usize) -> f32| (0..cards.len()).map(of).fold(0.0, f32::max);
    let (most_named, most_held) = (most(&named_in), most(&held));
    let is_asked = |card: usize| if most_named > 0.0 { named_in(card) >= most_named } else { held(card) >= most_held };
    let is_pair = |&(newer, older): &(usize, usize)| {
        let (newer, older) = (cards[newer].edition(), cards[older].edition());
        let is_amended = || amendment_named(older.title).is_none() && !amending(&newer, &older).is_empty();
        is_newer_version(&newer, &older) || is_amended()
    };
    let pairs = (0..cards.len()).flat_map(|one| (0..cards.len()).map(move |other| (one, other)));
    let (newer, older) = pairs
        .filter(is_pair)
        .filter(|&(newer, older)| (is_asked(newer) || is_asked(older)) && held(newer) + held(older) > 0.0)
        .max_by(|a, b| {
            let worth = |pair: &(usize, usize)| held(pair.0) + held(pair.1);
            let dates = |pair: &(usize, usize)| (cards[pair.0].date.as_str(), cards[pair.1].date.as_str());
            worth(a).total_cmp(&worth(b)).then(dates(a).cmp(&dates(b))).then(b.cmp(a))
        })?;
    Some(Pair { newer, older, named: None, are_issues: false })
}

/// The statements of one document that say more than what paper it is, each once, in the order of its passages.
fn stated(cards: &[EvidenceCard], path: &str, language: Language) -> Vec<Stated> {
    let mut own: Vec<usize> = (0..cards.len()).filter(|&card| cards[card].path == path).collect();
    own.sort_by_key(|&card| (cards[card].at, card));
    let mut found: Vec<Stated> = Vec::new();
    for card in own {
        let all = statements(&cards[card]);
        let head = length_of_head(&cards[card], &all);
        let is_matter = |(place, one): &(usize, Statement)| *place >= head || one.form != Form::Pair;
        for (_, statement) in all.into_iter().enumerate().filter(is_matter) {
            let text = statement.shown();
            let terms = content_set(&text, language);
            // A number with a word behind it is the heading of a clause.
            let least = match statement.form {
                Form::Sentence => 4,
                Form::Item => 2,
                _ => 1,
            };
            let says = word_count(&text) >= least;
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
    use crate::offline::testing::card;
    use crate::report::words;

    fn asked(question: &str, language: &str, evidence: Vec<EvidenceCard>) -> WriteInput {
        WriteInput {
            question: question.to_owned(),
            language: language.to_owned(),
            asked: vec![SubQuery { text: question.to_owned(), collections: vec![] }],
            evidence,
            plan: None,
            incomplete: None,
            words: None,
            outline: Outline::default(),
            today: "2026-01-01".to_owned(),
        }
    }

    fn told(question: &str, old: &str, new: &str) -> Option<String> {
        let version = |number: usize, date: &str, text: &str| EvidenceCard {
            path: format!("travel-{date}.md"),
            date: date.to_owned(),
            ..card(number, "Travel policy", "", text)
        };
        let input = asked(question, "English", vec![version(1, "2021-02-01", old), version(2, "2024-04-01", new)]);
        changes(&input, Language::ENGLISH, words(Language::ENGLISH))
    }

    #[test]
    fn changes_on_what_is_asked_come_first() {
        let old = "Meals are paid up to 20 euros.\n\nHotels are paid up to 90 euros a night.";
        let new = "Meals are paid up to 25 euros.\n\nHotels are paid up to 110 euros a night.";
        let first = |question: &str| {
            let told = told(question, old, new).unwrap();
            told.lines().find(|line| line.starts_with("- ")).unwrap_or_default().to_owned()
        };
        assert!(first("What changed in the travel policy?").starts_with("- Meals"));
        assert!(first("What changed in the travel policy for hotels?").starts_with("- Hotels"));
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
    fn an_amendment_leaves_what_it_does_not_name() {
        let german = Language::from_code("deu");
        let contract = "## § 6 Störungen\n\n(1) Eine Rufbereitschaft besteht an allen Tagen.\n\n\
                        (2) Die Reaktionszeit beträgt 8 Stunden nach der Meldung.\n\n\
                        ## § 7 Haftung\n\nDie Haftung ist auf 500.000 Euro begrenzt.";
        let amendment = "# Nachtrag Nr. 1 zum Rahmenvertrag RV-117\n\nDie Parteien haben am 9. März 2021 einen Vertrag \
                         geschlossen.\n\n§ 6 Absatz 2 wird wie folgt gefasst:\n\n\
                         „Die Reaktionszeit beträgt 4 Stunden nach der Meldung.“\n\ngez. Döring und Vollmer";
        let input = asked(
            "Was hat sich mit dem Nachtrag geändert?",
            "German",
            vec![
                card(1, "Rahmenvertrag RV-117", "", contract),
                card(2, "Nachtrag Nr. 1 zum Rahmenvertrag RV-117", "", amendment),
            ],
        );
        let told = changes(&input, german, words(german)).expect("changes");
        assert!(
            told.contains("4 Stunden nach der Meldung.“ [2].\n  - Vorher: (2) Die Reaktionszeit beträgt 8 Stunden"),
            "{told}"
        );
        assert_eq!(told.matches("\n- ").count(), 1, "{told}");
    }

    #[test]
    fn two_things_that_are_named_stand_side_by_side() {
        let sheet = |number: usize, code: &str, text: &str| card(number, &format!("Water meter {code}"), "", text);
        let input = asked(
            "What is the difference between the AX-200 and the AX-210?",
            "English",
            vec![
                sheet(1, "AX-210", "Weight: 3.4 kg\nHeater: built in"),
                sheet(2, "AX-200", "Weight: 2.8 kg"),
                sheet(3, "AX-300", "Weight: 9.9 kg"),
            ],
        );
        let told = changes(&input, Language::ENGLISH, words(Language::ENGLISH)).expect("differences");
        assert!(told.contains("- AX-210: Weight: 3.4 kg [1].\n  - AX-200: Weight: 2.8 kg [2]."), "{told}");
        assert!(told.contains("- AX-210: Heater: built in [1]."), "{told}");
        assert!(!told.contains("9.9") && !told.contains("Before"), "{told}");
    }

    #[test]
    fn two_issues_of_a_series_compare_in_their_figures() {
        let issue = |number: usize, quarter: &str, text: &str| EvidenceCard {
            path: format!("quarterly_report_2026-{quarter}.md"),
            date: format!("2026-{quarter}"),
            ..card(number, &format!("Quarterly report, {quarter} 2026"), "", text)
        };
        let table = |revenue: &str| {
            format!("Figures:\n\n| | EUR m |\n|---|---|\n| Revenue | {revenue} |\n\nSix people of {revenue} were new.")
        };
        let check = |question: &str, expected: Option<&str>| {
            let evidence =
                vec![issue(1, "q1", &table("5.6")), issue(2, "q2", &table("6.6")), issue(3, "q3", &table("7"))];
            let told = changes(&asked(question, "English", evidence), Language::ENGLISH, words(Language::ENGLISH));
            assert_eq!(told.as_deref().and_then(|told| told.split_once("\n\n")).map(|(_, told)| told.trim()), expected);
        };
        check(
            "How did revenue change from the first to the second quarter of 2026?",
            Some("- Revenue; EUR m: 6.6 [2].\n  - Before: Revenue; EUR m: 5.6 [1]."),
        );
        check(
            "What changed between Q2 and Q3?",
            Some("- Revenue; EUR m: 7 [3].\n  - Before: Revenue; EUR m: 6.6 [2]."),
        );
        check("How did revenue change in the second quarter?", None);
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
