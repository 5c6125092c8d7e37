//! The timeline as a picture: time along the axis, one mark for each event, dark where it is present now. Pure: events
//! in, text out.
//!
//! All pictures have the same parts. Above, a lane for each kind with a mark for every event, stacked where many fall
//! together. Below, a row for each of the events that are most present now, with its words and its history: from when
//! it was made over every recall. The words stand in a column of their own, so that nothing can overlap.

mod axis;
mod html;
mod svg;
mod terminal;

pub use html::html;
pub use svg::svg;
pub use terminal::terminal;

use jiff::Timestamp;

use super::recall::{TimeUnit, weight};
use super::{EventKind, MemoryEvent};
use crate::base::day_of;

/// What is drawn.
#[derive(Clone, Copy, Debug)]
pub struct Picture<'a> {
    /// In the order of their time.
    pub events: &'a [MemoryEvent],
    /// When it is looked at.
    pub now: Timestamp,
    /// The unit of time of the weights.
    pub unit: TimeUnit,
    /// Where the axis begins, where that is not with the first event.
    pub from: Option<Timestamp>,
    /// Where the axis ends, where that is not now.
    pub to: Option<Timestamp>,
}

/// How present an event is now, in five steps; the last is that of what comes to mind at k = 0.9.
const STEPS: [f64; 4] = [0.1, 0.4, 0.7, 0.9];

/// The lanes: a name and the kinds in it.
const LANES: [(&str, &[EventKind]); 4] = [
    ("Questions", &[EventKind::Question]),
    ("Findings", &[EventKind::Finding]),
    ("Notes", &[EventKind::Note]),
    ("Documents", &[EventKind::DocumentArrived, EventKind::DocumentChanged]),
];

impl<'a> Picture<'a> {
    /// The weight that an event has now for a question that is entirely about it.
    fn presence(&self, event: &MemoryEvent) -> f64 {
        weight(1.0, self.unit.between(event.last(), self.now), event.g())
    }

    /// [`Self::presence`] as a number from 0 to 4.
    fn step(&self, event: &MemoryEvent) -> usize {
        let presence = self.presence(event);
        STEPS.iter().filter(|&&step| presence >= step).count()
    }

    /// The most present events, at most so many, in the order of their time.
    fn most_present(&self, most: usize) -> Vec<&'a MemoryEvent> {
        let mut events: Vec<&MemoryEvent> = self.events.iter().collect();
        // What is stale does not come to mind, however lately it was found.
        let rank = |event: &MemoryEvent| (event.stale.is_none(), self.presence(event));
        events.sort_by(|a, b| {
            let ((a_stands, a_weight), (b_stands, b_weight)) = (rank(a), rank(b));
            b_stands.cmp(&a_stands).then(b_weight.total_cmp(&a_weight)).then(b.made.cmp(&a.made)).then(b.id.cmp(&a.id))
        });
        events.truncate(most);
        events.sort_by(|a, b| a.made.cmp(&b.made).then(a.id.cmp(&b.id)));
        events
    }

    /// Both ends of the axis, never the same.
    fn span(&self) -> (Timestamp, Timestamp) {
        let first = self.events.iter().map(|event| event.made).min();
        let last = self.events.iter().map(MemoryEvent::last).max();
        let from = self.from.or(first).unwrap_or(self.now);
        let to = self.to.unwrap_or_else(|| last.map_or(self.now, |last| last.max(self.now)));
        let hour = jiff::SignedDuration::from_hours(1);
        let later = from.checked_add(hour).unwrap_or(Timestamp::MAX);
        (from, to.max(later))
    }

    /// The events of each lane that has some.
    fn lanes(&self) -> Vec<(&'static str, Vec<&'a MemoryEvent>)> {
        let of = |kinds: &[EventKind]| self.events.iter().filter(|event| kinds.contains(&event.kind)).collect();
        let lanes = LANES.iter().map(|(name, kinds)| (*name, of(kinds)));
        lanes.filter(|(_, events): &(_, Vec<_>)| !events.is_empty()).collect()
    }
}

/// Where an instant lies between the ends of the axis, from 0 to 1.
fn place(at: Timestamp, (from, to): (Timestamp, Timestamp)) -> f64 {
    let length = (to.as_microsecond() - from.as_microsecond()) as f64;
    (((at.as_microsecond() - from.as_microsecond()) as f64) / length).clamp(0.0, 1.0)
}

/// The day of an instant.
pub(super) fn day(at: Timestamp) -> String {
    day_of(at).to_string()
}

#[cfg(test)]
mod tests;
