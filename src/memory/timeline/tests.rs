//! The timeline on disk.

use std::collections::BTreeSet;

use jiff::{Timestamp, ToSpan};
use tempfile::TempDir;

use super::*;
use crate::base::ContentHash;
use crate::memory::event::{Basis, EventKind, MemoryEvent, NewEvent};
use crate::memory::recall::{TimeUnit, consolidated};

const UNIT: TimeUnit = TimeUnit::Days;

fn day(number: i64) -> Timestamp {
    Timestamp::from_second(number * 86_400).unwrap()
}

fn event(text: &str, at: i64) -> NewEvent {
    NewEvent {
        kind: EventKind::Finding,
        text: text.to_owned(),
        made: day(at),
        collections: vec!["docs".to_owned()],
        citations: Vec::new(),
        run: format!("run of {at}"),
    }
}

fn open() -> (TempDir, Timeline) {
    let folder = tempfile::tempdir().unwrap();
    let timeline = Timeline::open(&folder.path().join(FILE)).unwrap();
    (folder, timeline)
}

/// Adds events without vectors; returns their numbers.
fn add(timeline: &Timeline, events: &[NewEvent]) -> Vec<u64> {
    let events: Vec<_> = events.iter().map(|event| (event.clone(), None)).collect();
    timeline.add(&events, UNIT).unwrap().iter().map(|placed| placed.id).collect()
}

fn texts(events: &[MemoryEvent]) -> Vec<&str> {
    events.iter().map(|event| event.text.as_str()).collect()
}

#[test]
fn an_event_comes_back_as_it_went_in() {
    let (folder, timeline) = open();
    let citation = Basis {
        collection: "docs".to_owned(),
        path: "/a \"b\".md".to_owned(),
        title: "A".to_owned(),
        bytes: [3, 9],
        hash: ContentHash::of(b"x"),
        page: Some(2),
        date: None,
    };
    let new =
        NewEvent { citations: vec![citation], collections: vec!["b".to_owned(), "a".to_owned()], ..event("x", 4) };
    let id = add(&timeline, std::slice::from_ref(&new))[0];
    drop(timeline);
    let timeline = Timeline::open(&folder.path().join(FILE)).unwrap();
    let expected = MemoryEvent {
        id,
        kind: new.kind,
        text: new.text,
        made: new.made,
        collections: vec!["a".to_owned(), "b".to_owned()],
        citations: new.citations,
        run: new.run,
        stale: None,
        recalls: Vec::new(),
    };
    assert_eq!(timeline.by_id(&[id, 99]).unwrap(), [expected]);
}

#[test]
fn a_memory_that_cannot_be_written_is_read() {
    let (folder, timeline) = open();
    let ids = add(&timeline, &[event("a", 0)]);
    drop(timeline);
    let path = folder.path().join(FILE);
    let (connection, _) = crate::base::open_immutable(&path).and_then(open::prepared).unwrap();
    let timeline = Timeline { path, connection: Mutex::new(connection) };
    assert_eq!(texts(&timeline.events(&EventFilter::default()).unwrap()), ["a"]);
    assert!(matches!(timeline.forget(&ids), Err(MemoryError::NotWritable { .. })));
}

#[test]
fn events_are_in_the_order_of_their_time() {
    let (_folder, timeline) = open();
    add(&timeline, &[event("c", 3), event("a", 1), event("d", 4), event("b", 2)]);
    let check = |filter: EventFilter, expected: &[&str]| {
        assert_eq!(texts(&timeline.events(&filter).unwrap()), expected, "{filter:?}");
    };
    let all = EventFilter::default();
    check(all.clone(), &["a", "b", "c", "d"]);
    check(EventFilter { from: Some(day(2)), to: Some(day(4)), ..all.clone() }, &["b", "c"]);
    check(EventFilter { newest: Some(2), ..all.clone() }, &["c", "d"]);
    check(EventFilter { kind: Some(EventKind::Note), ..all.clone() }, &[]);
    check(EventFilter { stale: true, ..all.clone() }, &[]);
    check(EventFilter { collections: Some(vec!["other".to_owned()]), ..all }, &[]);
}

/// The query plan shows that a range is found by the index, whatever its size.
#[test]
fn a_range_of_time_is_found_by_the_index() {
    let (_folder, timeline) = open();
    let query =
        "EXPLAIN QUERY PLAN SELECT id FROM events e WHERE e.made >= 1 AND e.made < 2 ORDER BY e.made DESC, e.id DESC";
    let plan: String =
        timeline.read("explaining", |connection| connection.query_row(query, [], |row| row.get(3))).unwrap();
    assert!(plan.contains("events_by_time (made>? AND made<?)"), "{plan}");
}

#[test]
fn a_recall_consolidates_by_the_time_since_the_one_before() {
    let (_folder, timeline) = open();
    let id = add(&timeline, &[event("a", 0)])[0];
    assert_eq!(timeline.recall(&[id], "x", day(2), UNIT).unwrap(), 1);
    assert_eq!(timeline.recall(&[id], "y", day(5), UNIT).unwrap(), 1);
    let found = timeline.by_id(&[id]).unwrap().remove(0);
    let first = consolidated(1.0, 2.0);
    let expected = [(day(2), first), (day(5), consolidated(first, 3.0))];
    assert_eq!(found.recalls.iter().map(|recall| (recall.at, recall.g)).collect::<Vec<_>>(), expected);
    assert_eq!((found.last(), found.g()), expected[1]);
}

#[test]
fn a_run_counts_once_however_often_it_says_so() {
    let (_folder, timeline) = open();
    let id = add(&timeline, &[event("a", 0)])[0];
    let check = |run: &str, expected: usize| {
        assert_eq!(timeline.recall(&[id, 77], run, day(1), UNIT).unwrap(), expected, "{run}");
    };
    check("x", 1);
    check("x", 0);
    check("run of 0", 0);
    check("y", 1);
    assert_eq!(timeline.by_id(&[id]).unwrap()[0].recalls.len(), 2);
}

#[test]
fn what_is_found_again_is_recalled_and_not_kept_twice() {
    let (_folder, timeline) = open();
    let first = event("a", 0);
    let id = add(&timeline, std::slice::from_ref(&first))[0];
    // The run that found it writes it again after being killed.
    let placed = timeline.add(&[(first.clone(), None)], UNIT).unwrap();
    assert_eq!(placed, [Remembered { id, new: false }]);
    assert_eq!(timeline.by_id(&[id]).unwrap()[0].recalls, []);
    timeline.mark_stale(&[id], day(1)).unwrap();
    let later = NewEvent { made: day(3), run: "later".to_owned(), ..first };
    timeline.add(&[(later, None)], UNIT).unwrap();
    let found = timeline.events(&EventFilter::default()).unwrap();
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].made, found[0].last(), found[0].stale), (day(0), day(3), None));
}

#[test]
fn a_recall_of_an_earlier_time_does_not_make_it_older() {
    let (_folder, timeline) = open();
    let id = add(&timeline, &[event("a", 5)])[0];
    timeline.recall(&[id], "x", day(1), UNIT).unwrap();
    let found = timeline.by_id(&[id]).unwrap().remove(0);
    assert_eq!((found.last(), found.g()), (day(5), 1.0));
}

fn vector(values: &[f32]) -> Vector {
    let length = values.iter().map(|value| value * value).sum::<f32>().sqrt();
    Vector { embedder: "m".to_owned(), values: values.iter().map(|value| value / length).collect() }
}

#[test]
fn the_like_are_found_by_meaning_and_the_others_by_words() {
    let (_folder, timeline) = open();
    let near = vector(&[1.0, 0.2, -0.1, 0.3]);
    let far = vector(&[-1.0, 0.1, 0.9, -0.4]);
    let other = Vector { embedder: "n".to_owned(), ..near.clone() };
    let note = NewEvent { collections: Vec::new(), ..event("harvest of quinces", 4) };
    let events = [
        (event("apples", 1), Some(near.clone())),
        (event("pears", 2), Some(far)),
        (event("quinces", 3), Some(other)),
        (note, None),
    ];
    let ids: Vec<u64> = timeline.add(&events, UNIT).unwrap().iter().map(|placed| placed.id).collect();
    let ask = |vector: Option<&Vector>, collections: Option<&[String]>| {
        let vector = vector.map(|vector| (vector.embedder.as_str(), vector.values.as_slice()));
        timeline.alike(&Asked { text: "the quince harvest", vector, collections }).unwrap()
    };
    let found = ask(Some(&near), None);
    let cosines: Vec<(u64, f64)> = found
        .iter()
        .filter_map(|found| match found.similarity {
            Similarity::Meaning(cosine) => Some((found.id, (cosine * 100.0).round() / 100.0)),
            Similarity::Words(_) => None,
        })
        .collect();
    assert_eq!(cosines, [(ids[0], 1.0), (ids[1], -0.79)]);
    let by_words = |found: &[EventCandidate]| -> BTreeSet<u64> {
        found.iter().filter(|found| matches!(found.similarity, Similarity::Words(_))).map(|found| found.id).collect()
    };
    assert_eq!(by_words(&found), BTreeSet::from([ids[2], ids[3]]));
    assert_eq!(by_words(&ask(None, None)), BTreeSet::from([ids[2], ids[3]]));
    // A note that belongs to no collection comes to mind anywhere; a finding only where its collections are searched.
    let elsewhere = ask(Some(&near), Some(&["elsewhere".to_owned()]));
    assert_eq!(elsewhere.iter().map(|found| found.id).collect::<Vec<_>>(), [ids[3]]);
}

#[test]
fn what_is_forgotten_is_nowhere() {
    let (_folder, timeline) = open();
    let near = vector(&[1.0, 0.2, -0.1, 0.3]);
    let events: Vec<_> = (0..4).map(|at| (event(&format!("pear {at}"), at), Some(near.clone()))).collect();
    let ids: Vec<u64> = timeline.add(&events, UNIT).unwrap().iter().map(|placed| placed.id).collect();
    timeline.recall(&[ids[3]], "x", day(9), UNIT).unwrap();
    assert!(matches!(timeline.forget(&[ids[0], 99]), Err(MemoryError::NoEvent { id: 99 })));
    assert_eq!(timeline.counts().unwrap(), (4, 0));
    timeline.forget(&[ids[3]]).unwrap();
    assert_eq!(timeline.forget_before(day(2)).unwrap(), 2);
    let left = |vector: Option<(&str, &[f32])>| -> Vec<u64> {
        let asked = Asked { text: "pear", vector, collections: None };
        timeline.alike(&asked).unwrap().iter().map(|found| found.id).collect()
    };
    assert_eq!(left(Some(("m", &near.values))), [ids[2]]);
    assert_eq!(left(None), [ids[2]]);
    let rows = |table: &str| -> i64 {
        let count = format!("SELECT count(*) FROM {table}");
        timeline.read("counting", |connection| connection.query_row(&count, [], |row| row.get(0))).unwrap()
    };
    assert_eq!((rows("vectors"), rows("recalls"), rows("terms")), (1, 0, 2));
}

#[test]
fn an_export_is_restored_with_its_history() {
    let (_folder, timeline) = open();
    let ids = add(&timeline, &[event("a", 0), event("b", 1)]);
    timeline.recall(&[ids[1]], "x", day(7), UNIT).unwrap();
    timeline.mark_stale(&[ids[0]], day(8)).unwrap();
    let events = timeline.events(&EventFilter::default()).unwrap();
    let (_other_folder, other) = open();
    let lines = crate::memory::import(&crate::memory::export(&events)).unwrap();
    let pairs: Vec<_> = lines.into_iter().map(|event| (event, None)).collect();
    assert_eq!(other.restore(&pairs).unwrap(), 2);
    assert_eq!(other.restore(&pairs).unwrap(), 0);
    assert_eq!(other.events(&EventFilter::default()).unwrap(), events);
}

#[test]
fn an_export_adds_nothing_to_its_own_memory() {
    let (_folder, timeline) = open();
    let made = day(3) + 123_456_789.nanoseconds();
    add(&timeline, &[NewEvent { kind: EventKind::Note, made, ..event("a", 0) }]);
    let events = timeline.events(&EventFilter::default()).unwrap();
    let lines = crate::memory::import(&crate::memory::export(&events)).unwrap();
    let pairs: Vec<_> = lines.into_iter().map(|event| (event, None)).collect();
    assert_eq!(timeline.restore(&pairs).unwrap(), 0);
}

#[test]
fn a_renamed_collection_keeps_its_events() {
    let (_folder, timeline) = open();
    let id = add(&timeline, &[resting_on(&["/a"])])[0];
    timeline.rename_collection("docs", "papers").unwrap();
    let found = timeline.by_id(&[id]).unwrap().remove(0);
    assert_eq!(found.collections, ["papers"]);
    assert_eq!((found.citations[0].collection.as_str(), found.citations[0].title.as_str()), ("papers", "docs"));
    assert_eq!(add(&timeline, &[found.as_new()]), [id], "found again, it is known");
}

#[test]
fn a_collection_takes_the_name_of_a_dropped_one() {
    let (_folder, timeline) = open();
    let (other, embedded) =
        (NewEvent { collections: vec!["b".to_owned()], ..event("a pear", 1) }, event("a quince", 0));
    let near = vector(&[1.0, 0.2, -0.1, 0.3]);
    let placed = timeline.add(&[(other, Some(near.clone())), (embedded, Some(near.clone()))], UNIT).unwrap();
    timeline.rename_collection("docs", "b").unwrap();
    let named = ["b".to_owned()];
    let vector = Some((near.embedder.as_str(), near.values.as_slice()));
    let asked = Asked { text: "fruit", vector, collections: Some(&named) };
    let found: BTreeSet<u64> = timeline.alike(&asked).unwrap().iter().map(|found| found.id).collect();
    assert_eq!(found, placed.iter().map(|one| one.id).collect());
    timeline.forget(&[placed[1].id]).unwrap();
    assert_eq!(timeline.alike(&asked).unwrap().len(), 1);
}

/// A finding in the collection `docs`.
fn resting_on(paths: &[&str]) -> NewEvent {
    let citation = |path: &&str| Basis {
        collection: "docs".to_owned(),
        path: (*path).to_owned(),
        title: "docs".to_owned(),
        bytes: [0, 1],
        hash: ContentHash::of(b"x"),
        page: None,
        date: None,
    };
    NewEvent { citations: paths.iter().map(citation).collect(), ..event("a", 0) }
}

#[test]
fn a_finding_follows_its_documents() {
    let (_folder, timeline) = open();
    let ids = add(&timeline, &[resting_on(&["/a", "/b"]), resting_on(&["/c"]), event("no source", 0)]);
    let moved = |from: &str, to: &str| MovedDocument {
        collection: "docs".to_owned(),
        from: from.to_owned(),
        to: to.to_owned(),
    };
    let elsewhere = MovedDocument { collection: "other".to_owned(), ..moved("/c", "/d") };
    // One document now has another's old path.
    assert_eq!(timeline.move_documents(&[moved("/a", "/b"), moved("/b", "/new/b"), elsewhere]).unwrap(), 1);
    let found = timeline.by_id(&ids).unwrap();
    let paths = |at: usize| -> Vec<&str> { found[at].citations.iter().map(|basis| basis.path.as_str()).collect() };
    assert_eq!((paths(0), paths(1), paths(2)), (vec!["/b", "/new/b"], vec!["/c"], vec![]));
    assert_eq!(add(&timeline, &[found[0].as_new()]), [ids[0]], "found again, it is known");
    // Two events that come to have the same content remain two.
    let double = add(&timeline, &[resting_on(&["/e"])])[0];
    assert_eq!(timeline.move_documents(&[moved("/e", "/c")]).unwrap(), 1);
    assert_eq!(timeline.by_id(&[double]).unwrap()[0].citations[0].path, "/c");
}

/// Two processes are simulated by two connections: each has its own [`Timeline`] on the same file.
#[test]
fn runs_at_once_lose_nothing_and_count_nothing_twice() {
    let (folder, timeline) = open();
    let shared = add(&timeline, &[event("shared", 0)])[0];
    let run = |name: &str| {
        let timeline = Timeline::open(&folder.path().join(FILE)).unwrap();
        for n in 0..25 {
            add(&timeline, &[event(&format!("{name} {n}"), n)]);
            timeline.recall(&[shared], &format!("{name} {n}"), day(n), UNIT).unwrap();
            timeline.recall(&[shared], &format!("both {n}"), day(n), UNIT).unwrap();
        }
    };
    std::thread::scope(|scope| {
        scope.spawn(|| run("left"));
        scope.spawn(|| run("right"));
    });
    assert_eq!(timeline.counts().unwrap().0, 51);
    let recalls = timeline.by_id(&[shared]).unwrap().remove(0).recalls;
    let runs: BTreeSet<&str> = recalls.iter().map(|recall| recall.run.as_str()).collect();
    assert_eq!((recalls.len(), runs.len()), (75, 75));
    assert!(recalls.windows(2).all(|pair| pair[0].at <= pair[1].at && pair[0].g <= pair[1].g));
}

#[test]
fn a_newer_format_is_refused() {
    let (folder, timeline) = open();
    timeline.connection().pragma_update(None, "user_version", 2).unwrap();
    drop(timeline);
    let refused = Timeline::open(&folder.path().join(FILE)).unwrap_err();
    assert!(matches!(refused, MemoryError::NewerFormat { found: 2, known: 1, .. }), "{refused}");
}

#[test]
fn what_is_no_memory_is_called_damaged() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(FILE);
    std::fs::write(&path, "This is no database, and it is long enough to be seen as none.".repeat(40)).unwrap();
    assert!(matches!(Timeline::open(&path).unwrap_err(), MemoryError::Damaged { .. }));
}

#[test]
fn an_instant_keeps_its_microseconds() {
    let (_folder, timeline) = open();
    let made = day(3) + 123_456.microseconds();
    let id = add(&timeline, &[NewEvent { made, ..event("a", 0) }])[0];
    assert_eq!(timeline.by_id(&[id]).unwrap()[0].made, made);
}
