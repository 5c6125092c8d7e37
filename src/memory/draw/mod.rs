//! Draws the timeline: time along the axis, one mark for each event, the darker the more present the event is now.
//! Pure: events in, text out.
//!
//! All pictures have the same parts. Above is a lane for each kind with a mark for every event, stacked where many
//! coincide. Below is a row for each of the events that are most present now, with its words and its history: when it
//! was made, and every recall. The words stand in a column of their own, so that nothing can overlap.

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

/// The contents of a picture.
#[derive(Clone, Copy, Debug)]
pub struct Picture<'a> {
    /// The events, in order of time.
    pub events: &'a [MemoryEvent],
    /// The time at which the picture is drawn.
    pub now: Timestamp,
    /// The unit of time for the weights.
    pub unit: TimeUnit,
    /// Where the axis begins; `None`: at the first event.
    pub from: Option<Timestamp>,
    /// Where the axis ends; `None`: now, or at the last event if that is later.
    pub to: Option<Timestamp>,
}

/// The thresholds between the five steps of presence; the last is the weight at which an event comes to mind by default
/// (k = 0.9).
const STEPS: [f64; 4] = [0.1, 0.4, 0.7, 0.9];

/// The lanes: a name, and the kinds of events in it.
const LANES: [(&str, &[EventKind]); 4] = [
    ("Questions", &[EventKind::Question]),
    ("Findings", &[EventKind::Finding]),
    ("Notes", &[EventKind::Note]),
    ("Documents", &[EventKind::DocumentArrived, EventKind::DocumentChanged]),
];

impl<'a> Picture<'a> {
    /// Returns the weight that an event has now for a question that is entirely about it.
    fn presence(&self, event: &MemoryEvent) -> f64 {
        weight(1.0, self.unit.between(event.last(), self.now), event.g())
    }

    /// [`Self::presence`] as a number from 0 to 4.
    fn step(&self, event: &MemoryEvent) -> usize {
        let presence = self.presence(event);
        STEPS.iter().filter(|&&step| presence >= step).count()
    }

    /// Returns at most this many of the most present events, in order of time.
    fn most_present(&self, most: usize) -> Vec<&'a MemoryEvent> {
        let mut events: Vec<&MemoryEvent> = self.events.iter().collect();
        // A stale event does not come to mind, however recently it was needed.
        let rank = |event: &MemoryEvent| (event.stale.is_none(), self.presence(event));
        events.sort_by(|a, b| {
            let ((a_stands, a_weight), (b_stands, b_weight)) = (rank(a), rank(b));
            b_stands.cmp(&a_stands).then(b_weight.total_cmp(&a_weight)).then(b.made.cmp(&a.made)).then(b.id.cmp(&a.id))
        });
        events.truncate(most);
        events.sort_by(|a, b| a.made.cmp(&b.made).then(a.id.cmp(&b.id)));
        events
    }

    /// Returns both ends of the axis, which never coincide.
    fn span(&self) -> (Timestamp, Timestamp) {
        let first = self.events.iter().map(|event| event.made).min();
        let last = self.events.iter().map(MemoryEvent::last).max();
        let from = self.from.or(first).unwrap_or(self.now);
        let to = self.to.unwrap_or_else(|| last.map_or(self.now, |last| last.max(self.now)));
        let hour = jiff::SignedDuration::from_hours(1);
        let later = from.checked_add(hour).unwrap_or(Timestamp::MAX);
        (from, to.max(later))
    }

    /// Returns the lanes that have events, with these.
    fn lanes(&self) -> Vec<(&'static str, Vec<&'a MemoryEvent>)> {
        let of = |kinds: &[EventKind]| self.events.iter().filter(|event| kinds.contains(&event.kind)).collect();
        let lanes = LANES.iter().map(|(name, kinds)| (*name, of(kinds)));
        lanes.filter(|(_, events): &(_, Vec<_>)| !events.is_empty()).collect()
    }
}

/// Returns where an instant lies between the ends of the axis, from 0 to 1.
fn place(at: Timestamp, (from, to): (Timestamp, Timestamp)) -> f64 {
    let length = (to.as_microsecond() - from.as_microsecond()) as f64;
    (((at.as_microsecond() - from.as_microsecond()) as f64) / length).clamp(0.0, 1.0)
}

/// Returns the day of an instant.
pub(super) fn day(at: Timestamp) -> String {
    day_of(at).to_string()
}

#[cfg(test)]
mod tests;
