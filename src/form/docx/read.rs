//! Turns a document that was written here and edited elsewhere back into the report's Markdown.

use std::collections::BTreeSet;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;

use super::KEPT;
use crate::base::ContentHash;
use crate::base::text::{one_line, sentences};
use crate::documents::parse::{EditedText, edited_text};
use crate::report::cite::is_sources_heading;
use crate::report::{Record, is_account_heading, wording};

/// Whether the bytes are a ZIP package, as text documents are.
pub fn is_document(bytes: &[u8]) -> bool {
    bytes.starts_with(b"PK\x03\x04")
}

/// The report with the document's current text, and the sources and the record that it was written with. If nobody has
/// changed its words, this is the Markdown that it was written from. Text marked as deleted is left out, inserted text
/// is included, and a sentence whose comment is resolved is approved.
pub(in crate::form) fn markdown(bytes: &[u8]) -> Result<String, String> {
    let edited = edited_text(bytes, KEPT).map_err(|error| error.to_string())?;
    let is_untouched = edited.kept.get("text").is_some_and(|told| told.trim() == fingerprint(&edited));
    let EditedText { title, text, headings, kept, resolved } = edited;
    let below = kept.get("below").ok_or("it does not hold the sources of a report any more")?;
    let below = decoded(below).ok_or("the sources that it holds are damaged")?;
    if let Some(body) = kept.get("body").filter(|_| is_untouched).and_then(|body| decoded(body)) {
        return Ok(with_approved(&format!("{body}{below}"), &resolved));
    }
    let mut markdown = String::with_capacity(text.len() + below.len());
    let mut at = 0;
    if title.is_some_and(|title| text.starts_with(title.trim())) {
        markdown.push_str("# ");
    }
    for (count, heading) in headings.iter().enumerate() {
        markdown.push_str(text.get(at..heading.start).unwrap_or_default());
        if count > 0 && (is_sources_heading(&heading.text) || is_account_heading(&heading.text)) {
            at = text.len();
            break;
        }
        // The first level is the title.
        markdown.push_str(&"#".repeat(usize::from(heading.level).clamp(1, 5) + 1));
        markdown.push(' ');
        at = heading.start;
    }
    markdown.push_str(text.get(at..).unwrap_or_default());
    Ok(with_approved(&format!("{}\n\n{}", markdown.trim_end(), below.trim_start()), &resolved))
}

/// The fingerprint that shows whether the words of a document have been changed; `None` if it cannot be read.
pub(super) fn seal(bytes: &[u8]) -> Option<String> {
    edited_text(bytes, KEPT).ok().map(|text| fingerprint(&text))
}

fn fingerprint(edited: &EditedText) -> String {
    let headings = edited.headings.iter().map(|one| format!("{} {}\n", one.level, one.text)).collect::<String>();
    let title = edited.title.as_deref().unwrap_or_default();
    ContentHash::of(format!("{title}\n{headings}\n{}", edited.text).as_bytes()).to_string()
}

fn decoded(kept: &str) -> Option<String> {
    BASE64_STANDARD.decode(kept.trim()).ok().and_then(|bytes| String::from_utf8(bytes).ok())
}

/// The report with the approved sentences in its record: those whose comments are resolved.
fn with_approved(markdown: &str, resolved: &[String]) -> String {
    let (visible, Some(Ok(record))) = Record::split(markdown) else { return markdown.to_owned() };
    let all = resolved.iter().flat_map(|words| sentences(words).map(|range| one_line(&words[range])));
    let approved: BTreeSet<String> = all.filter(|one| !wording(one).is_empty()).collect();
    let approved: Vec<String> = approved.into_iter().collect();
    if approved == record.approved {
        return markdown.to_owned();
    }
    format!("{visible}{}", Record { approved, ..record }.comment().trim_start())
}
