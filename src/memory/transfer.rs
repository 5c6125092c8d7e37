//! The memory as text: a line that identifies the format, and one JSON object for each event.

use serde::{Deserialize, Serialize};

use super::{MemoryError, MemoryEvent};

/// The version of the format.
const FORMAT: u32 = 1;

/// The first line.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Head {
    deepsearch_memory: u32,
}

/// Writes events as JSON lines.
pub fn export(events: &[MemoryEvent]) -> String {
    let mut text = String::new();
    // Plain data of numbers and text can always be written as JSON.
    let mut push = |line: Result<String, serde_json::Error>| {
        text.push_str(&line.unwrap_or_default());
        text.push('\n');
    };
    push(serde_json::to_string(&Head { deepsearch_memory: FORMAT }));
    for event in events {
        push(serde_json::to_string(event));
    }
    text
}

/// Reads events from JSON lines as written by [`export`].
pub fn import(text: &str) -> Result<Vec<MemoryEvent>, MemoryError> {
    let mut lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let wrong = |line: usize, reason: String| MemoryError::Import { line: line + 1, reason };
    let (at, first) = lines.next().ok_or_else(|| wrong(0, "it is empty".to_owned()))?;
    let head: Head = serde_json::from_str(first)
        .map_err(|_| wrong(at, format!("expected {{\"deepsearch_memory\":{FORMAT}}}, as an export begins")))?;
    if head.deepsearch_memory > FORMAT {
        let found = head.deepsearch_memory;
        return Err(wrong(at, format!("it has format {found}, and this version reads formats up to {FORMAT}")));
    }
    let mut events = Vec::new();
    for (at, line) in lines {
        let event: MemoryEvent = serde_json::from_str(line).map_err(|error| wrong(at, error.to_string()))?;
        let ordered = event.recalls.windows(2).all(|pair| pair[0].at <= pair[1].at);
        if !ordered || event.recalls.iter().any(|recall| !recall.g.is_finite() || recall.g < super::recall::FIRST_G) {
            return Err(wrong(at, "its recalls are not in order, or a g is less than 1".to_owned()));
        }
        events.push(event);
    }
    Ok(events)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_export_is_refused_with_its_line() {
        let check = |text: &str, expected: &str| {
            let error = import(text).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        };
        check("", "line 1");
        check("hello", "expected {\"deepsearch_memory\":1}");
        check("{\"deepsearch_memory\":2}", "format 2");
        check("{\"deepsearch_memory\":1}\n\n{\"id\":1}", "line 3");
    }

    #[test]
    fn an_empty_memory_has_a_head() {
        assert_eq!(export(&[]), "{\"deepsearch_memory\":1}\n");
        assert_eq!(import(&export(&[])).unwrap(), []);
    }
}
