//! Pictures of made-up memories. Their appearance was checked by eye; these tests preserve it.

use jiff::{Timestamp, ToSpan};

use super::*;
use crate::base::Rng;
use crate::memory::Recall;

fn at(day: i64) -> Timestamp {
    "2023-01-01T12:00:00Z".parse::<Timestamp>().unwrap() + (day * 24).hours()
}

/// Makes events over a year, in order of time, some of them recalled and some stale.
fn events(count: usize) -> Vec<MemoryEvent> {
    let mut rng = Rng::new(count as u64);
    let mut draw = move |limit: usize| rng.below(limit) as i64;
    let mut days: Vec<i64> = (0..count).map(|_| draw(300)).collect();
    days.sort_unstable();
    let one = |(index, day): (usize, i64)| {
        let mut recalls: Vec<Recall> = Vec::new();
        if index % 4 == 1 {
            for step in 1..=draw(4) {
                recalls.push(Recall {
                    at: at((day + step * 20).min(300)),
                    g: 1.0 + step as f64 * 0.03,
                    run: "r".to_owned(),
                });
            }
        }
        MemoryEvent {
            id: index as u64 + 1,
            kind: EventKind::ALL[[1, 1, 0, 1, 2, 1, 3][index % 7]],
            text: format!(
                "Event {index} <b>on</b> the crowds & queues at the station, which is long enough to be cut somewhere"
            ),
            made: at(day),
            collections: Vec::new(),
            citations: Vec::new(),
            run: String::new(),
            stale: (index % 11 == 5).then(|| at(300)),
            recalls,
        }
    };
    days.into_iter().enumerate().map(one).collect()
}

fn picture(events: &[MemoryEvent]) -> Picture<'_> {
    Picture { events, now: at(301), unit: TimeUnit::Years, from: None, to: None }
}

#[test]
fn every_event_has_one_mark() {
    for count in [1, 5, 24, 25, 100, 5_000] {
        let events = events(count);
        let text = svg(&picture(&events));
        // The legend has one mark of each class.
        let marks: usize = ["s0", "s1", "s2", "s3", "s4", "stale"]
            .iter()
            .map(|class| {
                text.matches(&format!("<rect class=\"{class}\"")).count()
                    + text.matches(&format!("<circle class=\"{class}\"")).count()
            })
            .sum();
        let rows = if count <= 24 { 0 } else { 24 };
        assert_eq!(marks - 6, count + rows, "{count}");
    }
}

#[test]
fn words_neither_overlap_nor_leave_their_column() {
    for count in [5, 100, 5_000] {
        let events = events(count);
        let text = svg(&picture(&events));
        let value = |line: &str, key: &str| -> f64 {
            line.split(&format!(" {key}=\"")).nth(1).unwrap().split('"').next().unwrap().parse().unwrap()
        };
        let mut lines: Vec<(f64, f64)> = Vec::new();
        for line in text.split("<text ").skip(1).filter(|line| line.starts_with("class=\"words")) {
            let words = line.split('>').nth(1).unwrap().split('<').next().unwrap();
            let shown = words.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
            lines.push((value(line, "y"), value(line, "x") + shown.chars().count() as f64 * 6.36));
        }
        assert_eq!(lines.len(), count.min(24));
        assert_eq!(text.matches("clip-path=\"url(#words)\"").count(), lines.len());
        assert!(lines.windows(2).all(|pair| pair[1].0 - pair[0].0 >= 20.0), "rows touch");
        assert!(lines.iter().all(|(_, end)| *end <= 420.0), "words reach into the plot");
    }
}

#[test]
fn a_picture_is_sound_xml_and_fits_a_screen() {
    let events = events(5_000);
    let text = svg(&picture(&events));
    assert!(!text.contains("<b>"));
    let height: f64 = text.split(" height=\"").nth(1).unwrap().split('"').next().unwrap().parse().unwrap();
    assert!(height < 1_200.0, "{height}");
    assert!(scraper::Html::parse_document(&html(&picture(&events))).errors.is_empty());
}

#[test]
fn an_empty_memory_can_be_drawn() {
    for text in [svg(&picture(&[])), html(&picture(&[])), terminal(&picture(&[]), 80)] {
        assert!(!text.is_empty());
    }
}

#[test]
fn the_terminal_shows_the_same() {
    let events = events(5);
    let text = terminal(&picture(&events), 100);
    let expected = events.iter().filter(|event| event.stale.is_none()).count();
    assert_eq!(text.lines().filter(|line| line.starts_with("2023-")).count(), expected.max(5));
    assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
    let many = super::tests::events(5_000);
    let text = terminal(&picture(&many), 80);
    assert!(text.contains("the 24 most present of 5000 events:"), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
}

#[test]
fn what_was_just_needed_is_darker_than_what_faded() {
    let mut events = events(2);
    events[0] = MemoryEvent { made: at(0), recalls: Vec::new(), stale: None, ..events[0].clone() };
    events[1] = MemoryEvent {
        recalls: vec![Recall { at: at(300), g: 1.1, run: String::new() }],
        stale: None,
        ..events[1].clone()
    };
    let picture = picture(&events);
    assert_eq!((picture.step(&events[0]), picture.step(&events[1])), (2, 4));
    assert_eq!(picture.most_present(1)[0].id, events[1].id);
}
