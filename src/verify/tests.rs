//! Changes documents in ten ways, and checks the verdicts on their citations.

use std::collections::{BTreeMap, BTreeSet};

use super::*;
use crate::base::Rng;
use crate::domain::DocumentDate;
use crate::report::{Record, RecordedCitation};

/// A document of the trial, with its sentences by section; some of them are cited.
#[derive(Clone)]
struct Written {
    path: String,
    title: String,
    sections: Vec<Vec<String>>,
    japanese: bool,
}

impl Written {
    fn text(&self) -> String {
        let joint = if self.japanese { "" } else { " " };
        let section = |(index, sentences): (usize, &Vec<String>)| {
            let name = if self.japanese { format!("第{}節", index + 1) } else { format!("Part {}", index + 1) };
            format!("## {name}\n\n{}\n", sentences.join(joint))
        };
        let sections: Vec<String> = self.sections.iter().enumerate().map(section).collect();
        format!("# {}\n\n{}", self.title, sections.join("\n"))
    }
}

const PLACES: [&str; 12] = [
    "Ashford",
    "Birchwood",
    "Calder",
    "Dunmore",
    "Elmsett",
    "Fairhaven",
    "Glenside",
    "Harrow",
    "Ivybridge",
    "Juniper",
    "Kestrel",
    "Lowmoor",
];
const WIDE_PLACES: [&str; 8] = ["青葉", "若松", "港南", "西原", "桜丘", "大川", "高台", "中野"];

fn sentence(japanese: bool, rng: &mut Rng) -> String {
    let year = 1950 + rng.below(70);
    let (a, b) = (rng.below(900) + 100, rng.below(90) + 10);
    if japanese {
        let place = WIDE_PLACES[rng.below(WIDE_PLACES.len())];
        match rng.below(4) {
            0 => format!("{place}施設は{year}年に開設され、定員は{a}人である。"),
            1 => format!("{place}線の利用者は一日に{a}人で、料金は{b}円に据え置かれている。"),
            2 => format!("{place}倉庫の改修には{a}万円を要し、工事は{year}年{}月に終わった。", b % 12 + 1),
            _ => format!("{place}支部の会員は{year}年に{a}人となり、集会は{b}回開かれた。"),
        }
    } else {
        let place = PLACES[rng.below(PLACES.len())];
        match rng.below(4) {
            0 => format!("The {place} depot was opened in {year} and holds {a} carriages in {b} sheds."),
            1 => format!("In {year} the ferry to {place} carried {a} passengers, who paid {b} cents each."),
            2 => format!("Repairs of the {place} bridge took {b} months and cost {a} thousand crowns."),
            _ => format!("The library of {place} lent {a} books in {year}, and {b} of them were lost."),
        }
    }
}

fn written(index: usize, rng: &mut Rng) -> Written {
    let japanese = index % 2 == 1;
    let sections = (0..4).map(|_| (0..5).map(|_| sentence(japanese, rng)).collect()).collect();
    let title = if japanese { format!("記録 {index}") } else { format!("Record {index}") };
    Written { path: format!("/docs/{}/{index:03}.md", if japanese { "ja" } else { "en" }), title, sections, japanese }
}

/// A report that cites sentences of documents, each repeated word for word, and the place of each cited sentence.
fn report(documents: &[Written], each: usize) -> (String, Vec<(usize, usize, usize)>) {
    let (mut body, mut citations, mut cited) = (String::from("# Trial\n\n"), Vec::new(), Vec::new());
    for (index, document) in documents.iter().enumerate() {
        let text = document.text();
        for at in 0..each {
            let (section, place) = (at % document.sections.len(), (at * 2 + index) % document.sections[0].len());
            let quote = &document.sections[section][place];
            let Some(start) = text.find(quote.as_str()) else { continue };
            let bytes = [start, start + quote.len()];
            let (before, after) = RecordedCitation::around(&text, bytes);
            let number = citations.len() + 1;
            let stop = if document.japanese { "。" } else { "." };
            body.push_str(&format!("{} [{number}]{stop}\n\n", quote.trim_end_matches(stop)));
            citations.push(RecordedCitation {
                number,
                path: document.path.trim_start_matches('/').to_owned(),
                collection: String::new(),
                bytes,
                passage: [start, start + quote.len()],
                quote: quote.clone(),
                before,
                after,
            });
            cited.push((index, section, place));
        }
    }
    (format!("{body}{}", record(citations).comment()), cited)
}

fn record(citations: Vec<RecordedCitation>) -> Record {
    let (question, language) = ("?".to_owned(), "eng".to_owned());
    Record { format: 1, written: None, question, language, citations, coverage: None, approved: Vec::new() }
}

fn verify(report: &str, documents: &[(String, String, String)]) -> Verification {
    let library = Library::new(
        documents
            .iter()
            .map(|(path, title, _)| LibraryDocument {
                path: path.clone(),
                collection: String::new(),
                title: title.clone(),
                date: None::<DocumentDate>,
            })
            .collect(),
    );
    let texts: BTreeMap<usize, String> = documents.iter().map(|(_, _, text)| text.clone()).enumerate().collect();
    let mut check = Check::new(read(report).unwrap(), &library);
    let mut search = check.look(&texts);
    for (index, text) in &texts {
        search.look(*index, text);
    }
    check.finish(&texts, &search, &[])
}

/// The words that now stand in the place of a row of a table, and their verdict.
fn row_now(cited: &str, old: &[String], new: &[String]) -> (Verdict, Option<String>) {
    let text = |rows: &[String]| format!("# Prices\n\n{}\n", rows.join("\n\n"));
    let (old, new) = (text(old), text(new));
    let start = old.find(cited).unwrap();
    let bytes = [start, start + cited.len()];
    let (before, after) = RecordedCitation::around(&old, bytes);
    let (path, collection, quote) = ("prices.csv".to_owned(), String::new(), cited.to_owned());
    let citation = RecordedCitation { number: 1, path, collection, bytes, passage: bytes, quote, before, after };
    let report = format!("# T\n\n{cited} [1]\n\n{}", record(vec![citation]).comment());
    let found = verify(&report, &[("/prices.csv".to_owned(), "Prices".to_owned(), new)]);
    (found.citations[0].verdict, found.citations[0].now.clone())
}

#[test]
fn an_edited_row_is_told_from_rows_like_it() {
    let row = |part: u32, price: u32| {
        format!("Part: MS-{part}; Name: Steel valve; Price: {price}; Minimum order: 5; Days: 14.")
    };
    let old = [row(150, 24500), row(200, 24500), row(210, 31800), row(300, 42000), row(310, 42000)];
    let check = |changes: &[(usize, u32, u32)], cited: usize, expected: &str| {
        let mut new = old.clone();
        for &(at, part, price) in changes {
            new[at] = row(part, price);
        }
        let (verdict, now) = row_now(&old[cited], &old, &new);
        assert_eq!((verdict, now.as_deref()), (Verdict::Edited, Some(expected)), "{changes:?}");
    };
    check(&[(2, 210, 34300)], 2, &row(210, 34300));
    check(&[(1, 200, 34300)], 1, &row(200, 34300));
    check(&[(1, 200, 26000), (2, 210, 34300), (3, 300, 45000)], 2, &row(210, 34300));
    check(&[(4, 310, 26000)], 4, &row(310, 26000));
    check(&[(2, 211, 31800)], 2, &row(211, 31800));
    let old = &old[..4];
    let new = [row(150, 24500), row(200, 24500), row(210, 34300), row(300, 42000)];
    assert_eq!(row_now(&old[2], old, &new), (Verdict::Edited, Some(row(210, 34300))));
}

fn stored(documents: &[Written]) -> Vec<(String, String, String)> {
    documents.iter().map(|one| (one.path.clone(), one.title.clone(), one.text())).collect()
}

/// The expected verdict on a change.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Expected {
    /// The words are found again.
    Held,
    /// The change is reported.
    Told,
    /// Either is right: the words are now in another document.
    Any,
}

const OPERATORS: [&str; 10] =
    ["insert", "reflow", "rename", "section", "figure", "date", "negate", "delete", "replace", "swap"];

/// Changes the document of a citation, and returns the expected verdict on that citation.
fn mutate(
    operator: &str,
    documents: &[Written],
    texts: &mut [(String, String, String)],
    (document, section, place): (usize, usize, usize),
    rng: &mut Rng,
) -> Expected {
    let japanese = documents[document].japanese;
    let quote = documents[document].sections[section][place].clone();
    let set = |texts: &mut [(String, String, String)], changed: &Written| texts[document].2 = changed.text();
    let mut changed = documents[document].clone();
    match operator {
        "insert" => {
            changed.sections[0]
                .insert(0, if japanese { "はじめに述べる。".to_owned() } else { "A new beginning.".to_owned() });
            set(texts, &changed);
            Expected::Held
        }
        "reflow" => {
            let text = &texts[document].2;
            texts[document].2 = if japanese {
                text.chars()
                    .enumerate()
                    .flat_map(|(at, c)| [Some(c), (at % 17 == 16 && c != '#' && c != '\n').then_some('\n')])
                    .flatten()
                    .collect()
            } else {
                let words: Vec<&str> = text.split(' ').collect();
                words.chunks(7).map(|line| line.join(" ")).collect::<Vec<_>>().join("\n")
            };
            Expected::Held
        }
        "rename" => {
            texts[document].0 = format!("/docs/moved/new-name-{document}.md");
            Expected::Held
        }
        "section" => {
            let moved = changed.sections.remove(section);
            changed.sections.push(moved);
            set(texts, &changed);
            Expected::Held
        }
        "figure" | "date" => {
            let digits: Vec<usize> = quote.match_indices(|c: char| c.is_ascii_digit()).map(|(at, _)| at).collect();
            let pick = match operator {
                "figure" => digits[digits.len() - 1],
                _ => digits[2],
            };
            let old = quote.as_bytes()[pick] - b'0';
            let new = (old + 1 + u8::try_from(rng.below(8)).unwrap()) % 10;
            let mut edited = quote.clone();
            edited.replace_range(pick..=pick, &new.to_string());
            changed.sections[section][place] = edited;
            set(texts, &changed);
            Expected::Told
        }
        "negate" => {
            let edited = if japanese {
                quote.trim_end_matches('。').to_owned() + "わけではない。"
            } else {
                let verbs = [" was ", " carried ", " took ", " lent "];
                let verb = verbs.iter().find(|verb| quote.contains(**verb)).unwrap();
                quote.replacen(verb, &format!("{verb}not "), 1)
            };
            changed.sections[section][place] = edited;
            set(texts, &changed);
            Expected::Told
        }
        "delete" => {
            changed.sections[section].remove(place);
            set(texts, &changed);
            Expected::Told
        }
        "replace" => {
            texts[document].2 = if japanese {
                "別の話題について書く。何も残らない。".to_owned()
            } else {
                "Gardens need water. Nothing else is left here.".to_owned()
            };
            Expected::Told
        }
        _ => {
            let other = (document + 2) % documents.len();
            let (a, b) = (texts[document].2.clone(), texts[other].2.clone());
            texts[document].2 = b;
            texts[other].2 = a;
            Expected::Any
        }
    }
}

/// The number of citations tried with each operator, forty per report; 1,000 take minutes in an unoptimised build.
fn trials() -> usize {
    std::env::var("DEEPSEARCH_TEST_MUTATIONS").ok().and_then(|count| count.parse().ok()).unwrap_or(40)
}

/// The counts over all changes.
#[derive(Default)]
struct Trial {
    missed: Vec<(&'static str, usize)>,
    /// Citations whose words were moved, and how many of them were found again.
    moved: usize,
    held: usize,
    /// Citations that no change touched, and how many of them were reported.
    others: usize,
    alarms: Vec<(&'static str, usize, usize, Verdict)>,
}

impl Trial {
    /// Changes each citation of a report on eight documents with each operator. A sentence that occurs twice is
    /// identified by its surroundings, so both occurrences count.
    fn of_report(&mut self, seed: usize) {
        let mut rng = Rng::new(7 + seed as u64);
        let documents: Vec<Written> = (8 * seed..8 * seed + 8).map(|index| written(index, &mut rng)).collect();
        let (report, cited) = report(&documents, 5);
        let clean = verify(&report, &stored(&documents));
        assert!(clean.holds, "{}", shown(&clean, "report.md"));
        for operator in OPERATORS {
            for (index, place) in cited.iter().enumerate() {
                let mut texts = stored(&documents);
                let expected = mutate(operator, &documents, &mut texts, *place, &mut rng);
                let checked = verify(&report, &texts);
                let verdict = checked.citations[index].verdict;
                match expected {
                    Expected::Held => {
                        self.moved += 1;
                        self.held += usize::from(verdict.holds());
                    }
                    Expected::Told if verdict.holds() => self.missed.push((operator, index + 1)),
                    Expected::Any if verdict == Verdict::Unchanged => self.missed.push((operator, index + 1)),
                    _ => {}
                }
                let touched: BTreeSet<usize> = match operator {
                    "replace" | "swap" => [place.0, (place.0 + 2) % documents.len()].into(),
                    _ => BTreeSet::new(),
                };
                for (other, one) in checked.citations.iter().enumerate() {
                    if other != index && !touched.contains(&cited[other].0) && cited[other] != *place {
                        self.others += 1;
                        if !one.verdict.holds() {
                            self.alarms.push((operator, index + 1, other + 1, one.verdict));
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn no_change_is_missed_and_nothing_else_is_told() {
    let mut trial = Trial::default();
    (0..trials().div_ceil(40)).for_each(|seed| trial.of_report(seed));
    let Trial { missed, moved, held, others, alarms } = trial;
    println!("{moved} moved, {held} found again; {others} others, {} told", alarms.len());
    assert_eq!(missed, [], "changes that were missed");
    assert!(held * 100 >= moved * 98, "{held} of {moved} were found again");
    assert!(alarms.len() * 1000 <= others * 5, "{} of {others}: {:?}", alarms.len(), &alarms[..alarms.len().min(9)]);
}

/// A report on 200 documents, some of which have changed. Its outdated sentences are rewritten, every third in a
/// model's words.
#[test]
fn an_update_touches_only_what_changed() {
    let mut rng = Rng::new(23);
    let documents: Vec<Written> = (0..200).map(|index| written(index, &mut rng)).collect();
    let (report, cited) = report(&documents, 2);
    for changed in [1, 5, 20] {
        let mut texts = stored(&documents);
        let mut planted = BTreeSet::new();
        for at in 0..changed {
            let index = 2 * ((at * 37 + changed) % documents.len());
            mutate("figure", &documents, &mut texts, cited[index], &mut rng);
            planted.insert(index);
        }
        let verification = verify(&report, &texts);
        let read = read(&report).unwrap();
        let outdated = outdated(&verification);
        let found: BTreeSet<usize> = outdated.iter().flat_map(|one| &one.sentence.changed).map(|one| one - 1).collect();
        let hit = planted.intersection(&found).count();
        let unfound: Vec<_> =
            planted.difference(&found).map(|index| (index + 1, &verification.citations[*index])).collect();
        assert!(hit * 100 >= planted.len() * 95, "{hit} of {} are found; not {unfound:?}", planted.len());
        let anew: BTreeMap<usize, String> =
            outdated.iter().step_by(3).map(|one| (one.at, "Other words, of one's own".to_owned())).collect();
        let ranges: Vec<_> = outdated.iter().map(|one| one.sentence.range.clone()).collect();
        let updated = update(&read, &verification, &anew, jiff::civil::date(2026, 2, 3));
        assert_eq!(updated.changes.len(), outdated.len());
        // The text between the changed sentences stays the same to the byte.
        let (mut from, mut at) = (0, 0);
        for range in &ranges {
            let kept = &report[from..range.start];
            assert!(updated.markdown[at..].contains(kept), "{kept}");
            at += updated.markdown[at..].find(kept).unwrap() + kept.len();
            from = range.end;
        }
        let rest = &report[from..read.body.end];
        assert!(updated.markdown[at..].contains(rest.trim_end()));
        assert_eq!(updated.markdown.matches("Other words, of one's own [").count(), anew.len());
        assert!(verify(&updated.markdown, &texts).citations.iter().all(|one| one.verdict.holds()));
    }
}

#[test]
fn a_report_does_not_support_itself() {
    let sentence = "The login limit is five tries an hour for every account.";
    let bytes = [0, sentence.len()];
    let citation = RecordedCitation {
        number: 1,
        path: "limits.md".to_owned(),
        collection: String::new(),
        bytes,
        passage: bytes,
        quote: sentence.to_owned(),
        before: String::new(),
        after: String::new(),
    };
    let report = format!("# T\n\n{sentence} [1]\n\n{}", record(vec![citation]).comment());
    let check = |name: &str, text: &str, expected: Verdict| {
        let found = verify(&report, &[(name.to_owned(), "T".to_owned(), text.to_owned())]);
        assert_eq!(found.citations[0].verdict, expected, "{name}");
    };
    check("/report.md", &report, Verdict::Vanished);
    check("/copy.md", sentence, Verdict::Moved);
}
