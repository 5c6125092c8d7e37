//! Jupyter notebooks: the Markdown as it stands, the code and its printed output as blocks, with a break at each cell.
//!
//! The notebook becomes one Markdown text, so its headings, title and front matter are found as in any Markdown.
//! Pictures and other output that is not plain text are left out.

use serde_json::Value;

use super::{ParseError, Parsed, markdown};
use crate::base::text::without_controls;

/// The most bytes kept of one output: a loop may print for hours.
const LONGEST_OUTPUT: usize = 20_000;

/// Parses a notebook of format 3 or 4.
pub(super) fn parse(text: &str) -> Result<Parsed, ParseError> {
    let notebook: Value =
        serde_json::from_str(text.trim_start_matches('\u{feff}')).map_err(|error| broken(error.to_string()))?;
    let language = ["/metadata/kernelspec/language", "/metadata/language_info/name"]
        .into_iter()
        .find_map(|place| notebook.pointer(place)?.as_str())
        .filter(|name| name.len() <= 20 && name.chars().all(char::is_alphanumeric))
        .unwrap_or_default();
    let cells = ["/cells", "/worksheets/0/cells"].into_iter().find_map(|place| notebook.pointer(place)?.as_array());
    let cells = cells.ok_or_else(|| broken("it has no list of cells".to_owned()))?;
    let mut source = String::new();
    let mut breaks = Vec::new();
    for cell in cells {
        let words = text_of(cell.get("source").or_else(|| cell.get("input")));
        let words = words.trim_matches('\n');
        let start = source.len();
        match cell.get("cell_type").and_then(Value::as_str) {
            Some("code") => {
                block(&mut source, language, words);
                let outputs = cell.get("outputs").and_then(Value::as_array).into_iter().flatten();
                outputs.for_each(|output| block(&mut source, "", &printed(output)));
            }
            Some("heading") => {
                let level = cell.get("level").and_then(Value::as_u64).unwrap_or(1).clamp(1, 6);
                paragraph(&mut source, &format!("{} {words}", "#".repeat(level as usize)));
            }
            _ => paragraph(&mut source, words),
        }
        if source.len() > start {
            // The blank line belongs to the previous cell.
            breaks.push(if start == 0 { 0 } else { start + 2 });
        }
    }
    if source.trim().is_empty() {
        return Err(ParseError::Empty { hint: "".into() });
    }
    let parsed = markdown::parse(source)?;
    Ok(Parsed { breaks, ..parsed })
}

fn broken(reason: String) -> ParseError {
    ParseError::Broken { format: "notebook", reason }
}

/// A text, or a list of its lines, without the colours of a terminal.
fn text_of(value: Option<&Value>) -> String {
    match value {
        Some(Value::String(text)) => without_controls(text).into_owned(),
        Some(Value::Array(lines)) => {
            without_controls(&lines.iter().filter_map(Value::as_str).collect::<String>()).into_owned()
        }
        _ => String::new(),
    }
}

/// The plain text of a code cell's output.
fn printed(output: &Value) -> String {
    let text = match output.get("output_type").and_then(Value::as_str) {
        Some("stream") => text_of(output.get("text")),
        Some("error" | "pyerr") => {
            let part = |key| text_of(output.get(key));
            format!("{}: {}", part("ename"), part("evalue"))
        }
        _ => text_of(output.pointer("/data/text~1plain").or_else(|| output.get("text"))),
    };
    let mut text = text.replace('\r', "");
    if text.len() > LONGEST_OUTPUT {
        text.truncate(text.floor_char_boundary(LONGEST_OUTPUT));
        text.push('\u{2026}');
    }
    text.trim_matches('\n').to_owned()
}

fn paragraph(source: &mut String, words: &str) {
    if words.trim().is_empty() {
        return;
    }
    if !source.is_empty() {
        source.push_str("\n\n");
    }
    source.push_str(words);
}

/// Adds a fenced block, with a fence that is longer than any in it.
fn block(source: &mut String, language: &str, words: &str) {
    if words.trim().is_empty() {
        return;
    }
    let inside = words.split(|char| char != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(inside.max(2) + 1);
    paragraph(source, &format!("{fence}{language}\n{words}\n{fence}"));
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check(notebook: &Value, expected: &str, breaks: &[usize]) -> Parsed {
        let parsed = parse(&notebook.to_string()).expect("it is a notebook");
        assert_eq!(parsed.text, expected);
        assert_eq!(parsed.breaks, breaks);
        parsed
    }

    #[test]
    fn cells_are_blocks_and_headings_are_found() {
        let notebook = json!({"nbformat": 4, "metadata": {"kernelspec": {"language": "python"}}, "cells": [
            {"cell_type": "markdown", "source": ["# Tides\n", "\n", "Of the 港.\n"]},
            {"cell_type": "code", "source": "print(\"```\")\n", "outputs": [
                {"output_type": "stream", "text": ["\u{1b}[32mok\u{1b}[0m\n"]},
                {"output_type": "display_data", "data": {"image/png": "iVBO", "text/plain": ["<Figure>"]}},
                {"output_type": "error", "ename": "KeyError", "evalue": "'x'", "traceback": ["long"]}]},
            {"cell_type": "code", "source": [], "outputs": []},
            {"cell_type": "raw", "source": "raw \u{1b}[1mwords"}]});
        let expected = "# Tides\n\nOf the 港.\n\n````python\nprint(\"```\")\n````\n\n```\nok\n```\n\n```\n<Figure>\n```\n\n\
                        ```\nKeyError: 'x'\n```\n\nraw words";
        let at = |words: &str| expected.find(words).expect("it is there");
        let parsed = check(&notebook, expected, &[0, at("````python"), at("raw")]);
        assert_eq!(parsed.title.as_deref(), Some("Tides"));
        assert_eq!(parsed.headings.len(), 1);
    }

    #[test]
    fn the_older_format_has_worksheets() {
        let notebook = json!({"nbformat": 3, "worksheets": [{"cells": [
            {"cell_type": "heading", "level": 2, "source": "Part"},
            {"cell_type": "code", "input": "1 + 1", "outputs": [{"output_type": "pyout", "text": "2"}]}]}]});
        let parsed = check(&notebook, "## Part\n\n```\n1 + 1\n```\n\n```\n2\n```", &[0, 9]);
        assert_eq!(parsed.headings[0].level, 2);
    }

    #[test]
    fn what_is_no_notebook_is_told() {
        let check = |text: &str, expected: &str| {
            let error = parse(text).expect_err("it is broken").to_string();
            assert!(error.starts_with(expected), "{error}");
        };
        check("{\"cells\": 3", "broken notebook: EOF");
        check("{\"cells\": 3}", "broken notebook: it has no list of cells");
        check("{\"cells\": [{\"cell_type\": \"code\"}, 7]}", "no text in it");
    }
}
