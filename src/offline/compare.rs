//! What changed between two versions of one document: their statements side by side, each change with its old and its new
//! wording.

mod pair;

use std::collections::BTreeSet;

use super::clauses::{clauses, clauses_of};
use super::force::{Amendment, amendments as amendments_of, key, spoken_of};
use super::head::length_of_head;
use super::render::{cited, dated_title, safe};
use super::statements::{Form, Statement, statements};
use super::terms::{Rarity, asked_set, content_set, word_count};
use crate::base::text::{Language, is_cjk, is_hiragana};
use crate::llm::purpose::{EvidenceCard, WriteInput};
use crate::report::{Words, amends, asks_what_changed};

use pair::{Pair, asked_pair};

/// Statements that are less alike speak of different things.
const ALIKE: f32 = 0.34;

/// What a heading in common is worth.
const SAME_HEADING: f32 = 0.15;

/// The same of an article that an amendment names: articles of other documents have its number, too, and share no words.
const SAME_ARTICLE: f32 = 0.24;

/// With which words an amendment adds something that takes no place.
const ADDING: [&str; 7] = ["is inserted", "is added", "eingefügt", "ajouté", "añade", "aggiunt", "を加える"];

/// Words of the whole list.
const WORDS: usize = 420;

/// Words of courtesy, which are others in every letter and change nothing.
const COURTESIES: [&str; 20] = [
    "we apologise",
    "we apologize",
    "we are sorry",
    "we regret the",
    "thank you for",
    "wir bitten um verständnis",
    "wir bedauern die",
    "vielen dank für",
    "nous vous prions d",
    "merci de votre",
    "lamentamos las molestias",
    "gracias por su",
    "ci scusiamo",
    "ご不便",
    "ご迷惑",
    "申し訳",
    "お変わりなく",
    "お過ごしのこと",
    "ご清栄",
    "ご健勝",
];

/// A statement of one of the versions.
struct Said {
    card: usize,
    statement: Statement,
    text: String,
    terms: BTreeSet<String>,
}

/// The changes between the two versions that the question speaks of; `None` where it asks for none, or no two documents of
/// the evidence are versions of one.
pub(super) fn changes(input: &WriteInput, language: Language, phrases: &Words) -> Option<String> {
    let cards = &input.evidence;
    let pair = asked_pair(&input.question, language, cards)?;
    let both = SideBySide::of(pair, cards, language);
    // Of two things neither was before the other.
    let labels = both.pair.named.as_ref().map(|names| names.each_ref().map(|name| format!("{}:", safe(name))));
    let mut told = both.told(&input.question, labels.as_ref(), phrases);
    // Two things differ in much that nobody asks for.
    if labels.is_some() && told.iter().any(|change| change.is_asked) {
        told.retain(|change| change.is_asked);
    }
    let text: String = within(told, WORDS).iter().map(|change| change.line.as_str()).collect();
    let [new, old] = both.titles();
    let heading = if labels.is_some() { format!("## {new} / {old}\n\n") } else { format!("## {old} → {new}\n\n") };
    (!text.is_empty()).then(|| format!("{heading}{text}\n"))
}

/// What two documents say, side by side.
struct SideBySide<'c> {
    pair: Pair,
    cards: &'c [EvidenceCard],
    language: Language,
    new: Vec<Said>,
    old: Vec<Said>,
    /// For each of `new` the one of `old` in whose place it stands.
    partner: Vec<Option<usize>>,
    /// Whether the newer document amends the older one, and leaves in force what it does not name.
    is_amendment: bool,
}

impl<'c> SideBySide<'c> {
    fn of(pair: Pair, cards: &'c [EvidenceCard], language: Language) -> Self {
        let mut new = said(cards, &cards[pair.newer].path, language);
        let mut old = said(cards, &cards[pair.older].path, language);
        if pair.are_issues {
            // Only figures of the same things compare; each tells much more of its own time.
            let has_key = |one: &Said| key(&one.statement).is_some() && one.text.contains(|c: char| c.is_ascii_digit());
            new.retain(has_key);
            old.retain(has_key);
        }
        let mut amendments = amendments_of(&cards[pair.older], cards);
        amendments.retain(|amendment| cards[amendment.card].path == cards[pair.newer].path);
        let is_amendment = !amendments.is_empty();
        if is_amendment {
            keep_amended(&mut new, &mut old, &amendments, cards);
        }
        let partner = partners(&new, &old, is_amendment, pair.are_issues, cards);
        SideBySide { pair, cards, language, new, old, partner, is_amendment }
    }

    /// The titles of the newer and of the older document.
    fn titles(&self) -> [String; 2] {
        [self.pair.newer, self.pair.older].map(|card| dated_title(&self.cards[card], self.cards))
    }

    /// All changes: what is another or new, then what is gone. `labels` are the names of two things, of which neither was before
    /// the other.
    fn told(&self, question: &str, labels: Option<&[String; 2]>, phrases: &Words) -> Vec<Change> {
        let (now, before, dropped) = match labels {
            Some([new, old]) => (format!("{new} "), old.as_str(), old.as_str()),
            None => (String::new(), phrases.before, phrases.dropped),
        };
        let added = if now.is_empty() { format!("{} ", phrases.added) } else { now.clone() };
        let subject = self.subject(question, labels);
        let is_asked = |one: &Said| {
            let heading = content_set(&one.statement.heading, self.language);
            subject.iter().any(|term| one.terms.contains(term) || heading.contains(term))
        };
        let current = if labels.is_some() { self.amended_today() } else { Vec::new() };
        let quote = |one: &Said| self.quoted(one, &current, phrases);
        let (new, old, partner) = (&self.new, &self.old, &self.partner);
        let are_issues = self.pair.are_issues;
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
        let is_gone = |index: &usize| !self.is_amendment && !are_issues && !partner.contains(&Some(*index));
        let gone = (0..old.len()).filter(is_gone).map(|index| Change {
            line: format!("- {dropped} {}\n", quote(&old[index])),
            words: word_count(&old[index].text),
            is_asked: is_asked(&old[index]),
            weight: 0,
        });
        changed.chain(gone).collect()
    }

    /// What is asked beyond which documents are compared.
    fn subject(&self, question: &str, labels: Option<&[String; 2]>) -> BTreeSet<String> {
        let [new, old] = self.titles();
        let names =
            labels.into_iter().flatten().fold(format!("{old} {new}"), |names, label| format!("{names} {label}"));
        let named = content_set(&names, self.language);
        // In scripts without spaces two ideographs are a word, and one is in many.
        let is_word =
            |term: &str| !term.contains(is_hiragana) && (!term.contains(is_cjk) || term.chars().nth(1).is_some());
        // "Tenant" is in every clause.
        let all = self.new.len() + self.old.len();
        let holding = |term: &str| self.new.iter().chain(&self.old).filter(|one| one.terms.contains(term)).count();
        let is_usual = |term: &str| labels.is_some() && holding(term) * 2 > all;
        let mut asked = asked_set(question, self.language);
        asked.retain(|term| !named.contains(term) && !asks_what_changed(term) && is_word(term) && !is_usual(term));
        asked
    }

    /// What amends each of the two documents, by its path.
    fn amended_today(&self) -> Vec<(&'c str, Vec<Amendment>)> {
        let cards = self.cards;
        let amended = |card: usize| (cards[card].path.as_str(), amendments_of(&cards[card], cards));
        vec![amended(self.pair.newer), amended(self.pair.older)]
    }

    /// A statement with its citation, behind what is said in its place today by those of `current`: of two things each is told as
    /// it is today.
    fn quoted(&self, one: &Said, current: &[(&str, Vec<Amendment>)], phrases: &Words) -> String {
        let cards = self.cards;
        let said = cited(&safe(&one.text), cards[one.card].number);
        let places = clauses_of(&one.statement);
        let of_document = current.iter().find(|(path, _)| *path == cards[one.card].path);
        let amended = of_document.and_then(|(_, all)| all.iter().rfind(|amendment| amendment.concerns(&places)));
        match amended {
            Some(new) => {
                format!("{} {} {said}", cited(&safe(&new.said), cards[new.card].number), phrases.before)
            }
            None => said,
        }
    }
}

/// Leaves what `amendments` name: the rest of the older document stays in force, and the newer one begins with who agreed on it
/// and why.
fn keep_amended(new: &mut Vec<Said>, old: &mut Vec<Said>, amendments: &[Amendment], cards: &[EvidenceCard]) {
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

/// For each of `new` the one of `old` that speaks of the same thing, if there is one; each is one's alone, the most alike first.
fn partners(
    new: &[Said],
    old: &[Said],
    is_amendment: bool,
    are_issues: bool,
    cards: &[EvidenceCard],
) -> Vec<Option<usize>> {
    let rarity = Rarity::of(new.iter().chain(old).map(|one| &one.terms));
    // The articles that each statement gives other words, and those that the old ones stand in.
    let adds = |one: &Said| ADDING.iter().any(|word| one.text.contains(word));
    let gives = |one: &Said| spoken_of(&one.statement, &cards[one.card]);
    let none = |one: &Said| !is_amendment || adds(one);
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
    partner
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

/// The statements of one document that say more than what paper it is, each once, in the order of its passages.
fn said(cards: &[EvidenceCard], path: &str, language: Language) -> Vec<Said> {
    let mut own: Vec<usize> = (0..cards.len()).filter(|&card| cards[card].path == path).collect();
    own.sort_by_key(|&card| (cards[card].at, card));
    let mut found: Vec<Said> = Vec::new();
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
            let says = word_count(&text) >= least && !is_courtesy(&text);
            if says && !terms.is_empty() && found.iter().all(|other| other.text != text) {
                found.push(Said { card, statement, text, terms });
            }
        }
    }
    found
}

/// Whether a statement is but a courtesy: it tells no figure.
fn is_courtesy(text: &str) -> bool {
    let lower = text.to_lowercase();
    !lower.contains(char::is_numeric) && COURTESIES.iter().any(|words| lower.contains(words))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::SubQuery;
    use crate::offline::testing::{card, write_input};
    use crate::report::words;

    fn asked(question: &str, language: &str, evidence: Vec<EvidenceCard>) -> WriteInput {
        WriteInput {
            language: language.to_owned(),
            asked: vec![SubQuery { text: question.to_owned(), collections: vec![] }],
            ..write_input(question, evidence)
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
    fn courtesies_are_no_changes() {
        let check = |text: &str, expected: bool| assert_eq!(is_courtesy(text), expected, "{text}");
        check("We are sorry for the long wait.", true);
        check("長らくご不便をおかけしました。", true);
        check("ご不便をおかけしますが、2月から閉館します。", false);
        check("The gate is shut.", false);
        let told = told(
            "What changed in the travel policy?",
            "Hotels are paid up to 90 euros a night.\n\nWe are sorry for the long wait.",
            "Hotels are paid up to 110 euros a night.\n\nWe are sorry that the wait was so long.",
        );
        let told = told.unwrap_or_default();
        assert!(told.contains("110 euros") && !told.contains("sorry"), "{told}");
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
