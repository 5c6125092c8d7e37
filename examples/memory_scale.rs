//! Measures a memory of many events: how long it takes to open it and to find the events that resemble a question.
//!
//! ```text
//! cargo run --release --example memory_scale -- 100000
//! ```

#![expect(clippy::print_stdout, reason = "an example that prints its measurements")]

use std::time::Instant;

use deepsearch::base::Rng;
use deepsearch::memory::recall::TimeUnit;
use deepsearch::memory::{Asked, EventFilter, EventKind, NewEvent, Similarity, Timeline, Vector};
use jiff::Timestamp;

const DIMENSIONS: usize = 384;
const QUESTIONS: usize = 50;
const BATCH: usize = 1_000;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let count: usize = std::env::args().nth(1).map_or(Ok(100_000), |count| count.parse())?;
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("memory.sqlite");
    let mut rng = Rng::new(7);
    let questions: Vec<Vec<f32>> = (0..QUESTIONS).map(|_| random(&mut rng)).collect();
    let start = Instant::now();
    {
        let timeline = Timeline::open(&path)?;
        for batch in 0..count.div_ceil(BATCH) {
            let events: Vec<(NewEvent, Option<Vector>)> = (batch * BATCH..count.min((batch + 1) * BATCH))
                .map(|index| {
                    // One event in a hundred is near a question; the others are near nothing.
                    let values = match index % 100 {
                        0 => near(&questions[index / 100 % QUESTIONS], &mut rng),
                        _ => random(&mut rng),
                    };
                    (event(index), Some(Vector { embedder: "random".to_owned(), values }))
                })
                .collect();
            timeline.add(&events, TimeUnit::Years)?;
        }
    }
    println!("{count} events written in {:.1} s", start.elapsed().as_secs_f64());
    println!("{:.1} MB on disk", std::fs::metadata(&path)?.len() as f64 / 1e6);

    let start = Instant::now();
    let timeline = Timeline::open(&path)?;
    println!("opened in {:.2} ms", start.elapsed().as_secs_f64() * 1e3);
    let (mut times, mut found, mut there) = (Vec::new(), 0, 0);
    for (number, question) in questions.iter().enumerate() {
        let start = Instant::now();
        let asked = Asked { text: "what is this about", vector: Some(("random", question)), collections: None };
        let alike = timeline.alike(&asked)?;
        times.push(start.elapsed().as_secs_f64() * 1e3);
        let is_near = |id: u64| (id - 1).is_multiple_of(100) && (id as usize - 1) / 100 % QUESTIONS == number;
        there += (1..=count as u64).filter(|id| is_near(*id)).count();
        let close = |similarity| matches!(similarity, Similarity::Meaning(cosine) if cosine > 0.3);
        found += alike.iter().filter(|one| is_near(one.id) && close(one.similarity)).count();
    }
    println!("first question {:.1} ms", times[0]);
    times.sort_by(f64::total_cmp);
    println!("median {:.1} ms, slowest {:.1} ms of {QUESTIONS}", times[QUESTIONS / 2], times[QUESTIONS - 1]);
    println!("{found} of {there} near events are among those compared in full");

    let start = Instant::now();
    let day = Timestamp::from_second(86_400 * 5)?;
    let range =
        EventFilter { from: Some(day), to: Some(Timestamp::from_second(86_400 * 6)?), ..EventFilter::default() };
    let events = timeline.events(&range)?.len();
    println!("a day of {events} events read in {:.2} ms", start.elapsed().as_secs_f64() * 1e3);
    Ok(())
}

fn event(index: usize) -> NewEvent {
    NewEvent {
        kind: EventKind::Finding,
        text: format!("Event {index} tells of subject {} in the year {}", index % 977, 1900 + index % 120),
        // A hundred events a day.
        made: Timestamp::UNIX_EPOCH + jiff::SignedDuration::from_secs(index as i64 * 864),
        collections: vec![format!("collection {}", index % 5)],
        citations: Vec::new(),
        run: format!("run {}", index / 10),
    }
}

fn random(rng: &mut Rng) -> Vec<f32> {
    // The sum of a few uniform numbers is close enough to a normal distribution.
    let mut normal = || (0..4).map(|_| rng.below(1_000) as f32 / 500.0 - 1.0).sum::<f32>();
    scaled((0..DIMENSIONS).map(|_| normal()).collect())
}

/// A vector whose cosine with `other` is about 0.6.
fn near(other: &[f32], rng: &mut Rng) -> Vec<f32> {
    let noise = random(rng);
    scaled(other.iter().zip(noise).map(|(value, noise)| 0.6 * value + 0.8 * noise).collect())
}

fn scaled(values: Vec<f32>) -> Vec<f32> {
    let length = values.iter().map(|value| value * value).sum::<f32>().sqrt();
    values.iter().map(|value| value / length).collect()
}
