use super::*;
use crate::domain::{DocumentId, Headings, Language, ScoreParts};

fn hit(document: u64, ordinal: u32, start: usize, text: &str, score: f32) -> Hit {
    let chunk = StoredChunk {
        id: ChunkId { document: DocumentId(document), ordinal },
        collection: "c".to_owned(),
        path: format!("/d/{document}.md"),
        title: format!("T{document}"),
        date: None,
        by: None,
        range: start..start + text.len(),
        page: None,
        page_turns: Vec::new(),
        headings: Headings::default(),
        language: Language::ENGLISH,
        text: text.to_owned(),
    };
    Hit { chunk, score, parts: ScoreParts::default(), highlights: Vec::new(), answer: None }
}

fn numbers(ledger: &Ledger, max_tokens: u64) -> Vec<usize> {
    ledger.cards(max_tokens).iter().map(|card| card.number).collect()
}

#[test]
fn a_passage_has_one_number_however_often_it_is_found() {
    let mut ledger = Ledger::default();
    assert_eq!(ledger.add(vec![hit(1, 0, 0, "alpha", 9.0), hit(2, 0, 0, "beta", 1.0)], 0), 2);
    // The same chunk, and the same words in another document.
    assert_eq!(ledger.add(vec![hit(2, 0, 0, "beta", 3.0), hit(3, 0, 0, "ALPHA ", 2.0)], 1), 0);
    assert_eq!(ledger.len(), 2);
    let cards = ledger.cards(1_000);
    assert!(cards.iter().all(|card| card.found_by == [0, 1]));
    assert_eq!(ledger.get(1).map(|entry| entry.chunk.text.as_str()), Some("alpha"));
    assert!(ledger.get(0).is_none() && ledger.get(3).is_none());
}

#[test]
fn standings_compare_across_searches_of_different_scale() {
    let mut ledger = Ledger::default();
    ledger.add(vec![hit(1, 0, 0, "a", 90.0), hit(2, 0, 0, "b", 10.0)], 0);
    ledger.add(vec![hit(3, 0, 0, "c", -0.1), hit(4, 0, 0, "d", -0.9)], 1);
    let order = numbers(&ledger, 1_000);
    assert_eq!(order, [1, 3, 2, 4]);
}

#[test]
fn helpful_passages_come_first_and_wrong_numbers_are_told() {
    let mut ledger = Ledger::default();
    ledger.add((0..6).map(|index| hit(index, 0, 0, &format!("text {index}"), 6.0 - index as f32)).collect(), 0);
    assert_eq!(ledger.mark_helpful(&[5, 0, 99]), [0, 99]);
    assert_eq!(numbers(&ledger, 1_000), [5, 1, 2, 3, 4, 6]);
}

#[test]
fn the_newest_judgement_says_what_comes_first() {
    let mut ledger = Ledger::default();
    ledger.add((0..6).map(|index| hit(index, 0, 0, &format!("text {index}"), 6.0 - index as f32)).collect(), 0);
    ledger.begin_round(1);
    ledger.add(vec![hit(9, 0, 0, "text 9", 1.0), hit(2, 0, 0, "text 2", 0.5)], 1);
    ledger.mark_helpful(&[4, 5]);
    ledger.mark_helpful(&[6, 4, 6]);
    assert_eq!(numbers(&ledger, 1_000), [6, 4, 5, 1, 7, 2, 3]);
    let found: Vec<(usize, usize, bool)> =
        ledger.found().iter().map(|passage| (passage.number, passage.round, passage.planned)).collect();
    let first = [(6, 0, false), (4, 0, false), (5, 0, false), (1, 0, false)];
    assert_eq!((&found[..4], &found[4..]), (&first[..], &[(7, 1, true), (2, 0, false), (3, 0, true)][..]));
}

#[test]
fn cards_say_how_well_they_stand_in_each_search() {
    let mut ledger = Ledger::default();
    ledger.add(vec![hit(1, 0, 0, "a", 9.0), hit(2, 0, 0, "b", 1.0)], 0);
    ledger.add(vec![hit(2, 0, 0, "b", 9.0), hit(1, 0, 0, "a", 1.0)], 0);
    ledger.add(vec![hit(3, 0, 0, "c", 9.0), hit(1, 0, 0, "a", 1.0)], 4);
    let card = ledger.cards(1_000).into_iter().find(|card| card.number == 1).unwrap();
    assert_eq!((card.found_by, card.standings[0]), (vec![0, 4], 1.0));
    assert!(card.standings[1] < 0.5, "{:?}", card.standings);
    assert_eq!(card.behind, [0.0, 8.0]);
}

#[test]
fn the_limit_keeps_the_best_of_each_sub_query() {
    let mut ledger = Ledger::default();
    let long = |name: &str| format!("{name} {}", "word ".repeat(40));
    let many = (0..8).map(|index| hit(index, 0, 0, &long(&format!("a{index}")), 9.0 - index as f32 * 0.01));
    ledger.add(many.collect(), 0);
    ledger.add(vec![hit(20, 0, 0, &long("other"), 1.0), hit(21, 0, 0, &long("last"), 0.5)], 1);
    // Labels differ by a character or two.
    let four = 4 * passage_tokens(&ledger.cards(10_000)[0]) + 4;
    let kept = numbers(&ledger, four);
    assert_eq!(kept.len(), 4);
    assert!(kept.contains(&9) && kept.contains(&1), "{kept:?}");
    let all = ledger.cards(four);
    assert!(all.iter().map(passage_tokens).sum::<u64>() <= four);
    // The limit is too small for any passage: one is given, cut.
    assert_eq!(ledger.cards(10).len(), 1);
    assert!(Ledger::default().cards(10).is_empty());
}

#[test]
fn overlapping_neighbours_show_the_shared_part_once() {
    let mut ledger = Ledger::default();
    ledger.add(
        vec![
            hit(1, 1, 10, "B shared. C own.", 3.0),
            hit(1, 0, 0, "A own one. B shared.", 2.0),
            hit(1, 2, 12, "shared.", 1.0),
            hit(2, 1, 10, "B shared; but elsewhere.", 0.5),
        ],
        0,
    );
    let cards = ledger.cards(1_000);
    let texts: Vec<(usize, &str)> = cards.iter().map(|card| (card.number, card.text.as_str())).collect();
    assert_eq!(texts, [(1, "C own."), (2, "A own one. B shared."), (4, "B shared; but elsewhere.")]);
}

#[test]
fn new_means_the_newest_round() {
    let mut ledger = Ledger::default();
    ledger.add(vec![hit(1, 0, 0, "a", 1.0)], 0);
    ledger.begin_round(1);
    ledger.add(vec![hit(1, 0, 0, "a", 1.0), hit(2, 0, 0, "b", 0.5)], 1);
    let new: Vec<(usize, bool)> = ledger.cards(1_000).iter().map(|card| (card.number, card.new)).collect();
    assert_eq!(new, [(1, false), (2, true)]);
}

#[test]
fn a_card_quotes_where_the_answer_begins() {
    let text = format!("{}The keeper was Élise, from 1894 to the end.{}", "Über ".repeat(40), " tail".repeat(40));
    let at = text.find("Élise").expect("there");
    let found = |place: Option<std::ops::Range<usize>>, score: f32| Hit { answer: place, ..hit(1, 0, 0, &text, score) };
    let mut ledger = Ledger::default();
    ledger.add(vec![found(None, 9.0), hit(2, 0, 0, "other", 1.0)], 0);
    assert_eq!(ledger.cards(10_000)[0].answer, "");
    ledger.add(vec![found(Some(at..at + 6), 9.0), hit(2, 0, 0, "other", 1.0)], 1);
    // A place from a search in which the passage stands lower does not replace it.
    ledger.add(vec![hit(2, 0, 0, "other", 9.0), found(Some(0..5), 1.0)], 2);
    let answer = &ledger.cards(10_000)[0].answer;
    assert!(answer.starts_with("Über ") && answer.contains("keeper was Élise, from 1894"), "{answer}");
    assert!(answer.len() < 130 && answer.ends_with(" tail"), "{answer}");
}
