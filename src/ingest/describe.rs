//! Describes what a collection holds, without a model.

use std::collections::BTreeMap;

use crate::base::text::short_line;
use crate::domain::{DateOrigin, DocumentRecord};
use crate::store::{Store, StoreError};

/// The most titles in a description.
const TITLES: usize = 8;
/// The most characters of a title.
const TITLE_CHARS: usize = 60;
/// The most telling words in a description.
const WORDS: usize = 16;

/// A description of `collection` from its documents' formats, dates and titles and from the store's telling words, for
/// a planner to route by. The same contents give the same description.
///
/// # Errors
/// Those of the store.
pub async fn derive_description(store: &dyn Store, collection: &str) -> Result<String, StoreError> {
    let records = store.documents(collection).await?;
    let words = store.vocabulary(collection, WORDS).await?;
    Ok(describe(&records, &words))
}

fn describe(records: &[DocumentRecord], words: &[String]) -> String {
    let plural = if records.len() == 1 { "" } else { "s" };
    let mut text = format!("{} document{plural}", records.len());
    if records.is_empty() {
        return text;
    }
    let mut formats: BTreeMap<&str, usize> = BTreeMap::new();
    for record in records {
        *formats.entry(record.format.name()).or_default() += 1;
    }
    let usual = formats.iter().max_by(|a, b| a.1.cmp(b.1).then_with(|| b.0.cmp(a.0)));
    if let Some((format, count)) = usual {
        let mostly = if *count == records.len() { "" } else { "mostly " };
        text.push_str(&format!(", {mostly}{format}"));
    }
    // A file's own time says when it was copied, not what time its text is from.
    let dates = records.iter().filter_map(|record| record.date).filter(|date| date.origin != DateOrigin::FileTime);
    let years: Vec<i16> = dates.map(|date| date.date.year()).collect();
    match (years.iter().min(), years.iter().max()) {
        (Some(first), Some(last)) if first != last => text.push_str(&format!(", {first} to {last}")),
        (Some(year), _) => text.push_str(&format!(", {year}")),
        (None, _) => {}
    }
    text.push_str(&format!(": {}", titles(records).join("; ")));
    if records.len() > TITLES {
        text.push_str("; …");
    }
    if !words.is_empty() {
        text.push_str(&format!(". Telling words: {}", words.join(", ")));
    }
    text
}

/// Titles spread evenly over the collection in the order of paths, without duplicates.
fn titles(records: &[DocumentRecord]) -> Vec<String> {
    let shown = records.len().min(TITLES);
    let mut titles: Vec<String> = Vec::with_capacity(shown);
    for nth in 0..shown {
        let record = &records[nth * records.len() / shown];
        let title = short_line(&record.title, TITLE_CHARS);
        if !titles.contains(&title) {
            titles.push(title);
        }
    }
    titles
}

#[cfg(test)]
mod tests {
    use super::super::testing::record;
    use super::*;
    use crate::domain::{DocumentDate, Format};

    fn check(records: &[DocumentRecord], words: &[&str], expected: &str) {
        let words: Vec<String> = words.iter().map(ToString::to_string).collect();
        assert_eq!(describe(records, &words), expected);
    }

    #[test]
    fn says_what_is_there() {
        check(&[], &[], "0 documents");
        check(&[record("/a", "One")], &[], "1 document, text: One");
        let mut dated = record("/b", "Two\n  lines");
        dated.format = Format::Pdf;
        dated.date = Some(DocumentDate { date: jiff::civil::date(1999, 1, 1), origin: DateOrigin::Metadata });
        let mut copied = record("/c", "One");
        copied.date = Some(DocumentDate { date: jiff::civil::date(2024, 1, 1), origin: DateOrigin::FileTime });
        check(
            &[record("/a", "One"), dated, copied],
            &["ox", "plough"],
            "3 documents, mostly text, 1999: One; Two lines. Telling words: ox, plough",
        );
    }

    #[test]
    fn names_titles_from_all_over() {
        let many: Vec<DocumentRecord> = (0..80).map(|n| record(&format!("/{n:02}"), &format!("T{n}"))).collect();
        check(&many, &[], "80 documents, text: T0; T10; T20; T30; T40; T50; T60; T70; …");
    }
}
