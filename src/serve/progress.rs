//! Events of a run in words, for clients that show progress.

use crate::base::text::{Language, short_line};
use crate::domain::{Event, SubQuery};
use crate::report::words;

/// One line for an event; `None` for events that do not interest a waiting person.
pub(super) fn line(event: &Event) -> Option<String> {
    let short = |text: &str| short_line(text, 300);
    let queries = |all: &[SubQuery]| {
        let texts: Vec<String> = all.iter().map(|one| format!("“{}”", short(&one.text))).collect();
        texts.join(", ")
    };
    Some(match event {
        Event::Begun { .. } | Event::Called { .. } | Event::Text { .. } => return None,
        Event::Chosen { strategy, reason } => format!("Strategy {}: {}", strategy.name(), short(reason)),
        Event::Planned { sub_queries, reason } => {
            format!("Plan: {} Searching {}.", short(reason), queries(sub_queries))
        }
        Event::Recalled { events, .. } => format!("Remembered from earlier questions: {events}."),
        Event::Searched { round, sub_query, hits, new } => {
            format!("Round {round}: “{}” found {hits}, {new} new.", short(&sub_query.text))
        }
        Event::Reflected { enough: true, reason, .. } => format!("Enough: {}", short(reason)),
        Event::Reflected { reason, next, .. } => format!("Missing: {} Searching {}.", short(reason), queries(next)),
        Event::ToolCalled { step, tool, arguments, found, .. } => {
            format!("Step {step}: {} {} found {found}.", short(tool), short(arguments))
        }
        Event::Followed { question, answer, next, .. } => {
            let next = next.as_ref().map_or_else(String::new, |next| format!(" Next: “{}”.", short(&next.text)));
            format!("“{}”: {}{next}", short(question), short(answer))
        }
        Event::Writing { stopped, evidence } => {
            format!("Writing from {evidence} passages: {}.", words(Language::ENGLISH).stop_reason(*stopped))
        }
        Event::Warning { message } => format!("Warning: {}", short(message)),
    })
}
