//! Writes a report, from the disk or of a run, in another form. No model is asked.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::path::Path;

use super::{App, AppError};
use crate::base::without_dots;
use crate::domain::{Authorship, DocumentRecord, Format};
use crate::form::{self as forms, Bibliography, Evidence, Form, FormedReport, Style, Template};
use crate::store::Store;

/// Bytes of a document shown before and after a quote.
const AROUND_BYTES: usize = 360;
/// The largest document, in bytes, whose lines are counted.
const MAX_COUNTED_BYTES: u64 = 4 << 20;

impl App {
    /// Writes a report with a template, or in `form` if there is none. `text` is Markdown, the JSON of a query, or a
    /// page; `folder` is where the result will stand, and its links to files start there. With a style it has
    /// references, too.
    pub async fn render_report(
        &self,
        text: &str,
        form: Form,
        template: Option<&Template>,
        style: Option<Style>,
        folder: &Path,
    ) -> Result<Vec<u8>, AppError> {
        let mut report = forms::parse_report(text)?;
        // The form is useful even without what the collections could add to it.
        if let Err(error) = self.add_surroundings(&mut report).await {
            tracing::warn!(%error, "the passages are shown without what stands around them");
        }
        for one in report.evidence.iter_mut().filter(|one| one.address.is_none()) {
            one.address = self.address_of_file(one, folder);
        }
        if let Some(style) = style {
            let known = self.authorships(&report).await;
            report.references = forms::references(&report, style, |one| authorship_of(&known, one));
        }
        Ok(forms::written(&report, form, template)?)
    }

    /// The documents that a report cites, for reference managers, with the authors that the collections know.
    pub async fn bibliography(&self, text: &str, form: Bibliography) -> Result<String, AppError> {
        let report = forms::parse_report(text)?;
        let known = self.authorships(&report).await;
        Ok(forms::bibliography(&report, form, |one| authorship_of(&known, one)))
    }

    /// The authors of the cited documents. A list without authors is still useful, so failures are only logged.
    async fn authorships(&self, report: &FormedReport) -> Authorships {
        self.known_authorships(report).await.unwrap_or_else(|error| {
            tracing::warn!(%error, "the list of cited documents has no authors");
            BTreeMap::new()
        })
    }

    async fn known_authorships(&self, report: &FormedReport) -> Result<Authorships, AppError> {
        let mut known = BTreeMap::new();
        let Some(store) = self.existing_store().await? else { return Ok(known) };
        for one in &report.evidence {
            if let Entry::Vacant(place) = known.entry((one.path.clone(), one.collection.clone())) {
                let record = self.record_of(store.as_ref(), one).await?;
                place.insert(record.map(|record| record.authorship).unwrap_or_default());
            }
        }
        Ok(known)
    }

    /// Adds what the collections know of the cited passages: more of the surrounding text, lines, hashes.
    async fn add_surroundings(&self, report: &mut FormedReport) -> Result<(), AppError> {
        let Some(store) = self.existing_store().await? else { return Ok(()) };
        let mut by_place: BTreeMap<(String, String), Option<Cited>> = BTreeMap::new();
        for one in &mut report.evidence {
            let Some(bytes) = one.bytes else { continue };
            let place = (one.path.clone(), one.collection.clone());
            if !by_place.contains_key(&place) {
                let cited = self.cited(store.as_ref(), one).await?;
                by_place.insert(place.clone(), cited);
            }
            if let Some(Some(cited)) = by_place.get(&place) {
                cited.add(store.as_ref(), one, bytes).await?;
            }
        }
        Ok(())
    }

    /// The record of the document that a citation names.
    async fn record_of(&self, store: &dyn Store, one: &Evidence) -> Result<Option<DocumentRecord>, AppError> {
        let whole = self.cwd().join(&one.path);
        let mut records = store.find_documents(one.path.trim_start_matches("./")).await?;
        records.retain(|record| one.collection.is_empty() || record.collection == one.collection);
        records.sort_by_key(|record| Path::new(&record.path) != whole);
        match records.into_iter().next() {
            Some(record) => Ok(Some(record)),
            None => renamed(store, one).await,
        }
    }

    /// The stored document that a citation names.
    async fn cited(&self, store: &dyn Store, one: &Evidence) -> Result<Option<Cited>, AppError> {
        let Some(record) = self.record_of(store, one).await? else { return Ok(None) };
        let text = match record.bytes <= MAX_COUNTED_BYTES {
            true => Some(store.text(record.id, 0..usize::MAX).await?),
            false => None,
        };
        Ok(Some(Cited { record, text }))
    }

    /// The address of a document's file as seen from a folder, if the file is there.
    fn address_of_file(&self, one: &Evidence, folder: &Path) -> Option<String> {
        let path = Path::new(&one.path);
        if !self.cwd().join(path).is_file() {
            return None;
        }
        let shown = match path.is_absolute() {
            true => one.path.clone(),
            false => relative(&self.cwd().join(path), &self.cwd().join(folder))?,
        };
        Some(forms::address_of_file(&shown, one.page))
    }
}

/// The document with the title of a cited one and the cited words at their place: its file was renamed.
async fn renamed(store: &dyn Store, one: &Evidence) -> Result<Option<DocumentRecord>, AppError> {
    let Some([start, end]) = one.bytes else { return Ok(None) };
    for collection in store.collections().await? {
        if !one.collection.is_empty() && collection.name != one.collection {
            continue;
        }
        for record in store.documents(&collection.name).await? {
            if record.title == one.title && store.text(record.id, start..end).await? == one.quote {
                return Ok(Some(record));
            }
        }
    }
    Ok(None)
}

/// The known authorships of documents, by path and collection.
type Authorships = BTreeMap<(String, String), Authorship>;

fn authorship_of(known: &Authorships, one: &Evidence) -> Authorship {
    known.get(&(one.path.clone(), one.collection.clone())).cloned().unwrap_or_default()
}

/// A stored document, with its text if that is short.
struct Cited {
    record: DocumentRecord,
    text: Option<String>,
}

impl Cited {
    /// Adds what is known of a citation, if its words still stand at the same place.
    async fn add(&self, store: &dyn Store, one: &mut Evidence, [start, end]: [usize; 2]) -> Result<(), AppError> {
        let id = self.record.id;
        let around = [start.saturating_sub(AROUND_BYTES)..start, start..end, end..end.saturating_add(AROUND_BYTES)];
        let [before, quote, after] = match &self.text {
            Some(text) => {
                let part = |range: std::ops::Range<usize>| {
                    let range = text.ceil_char_boundary(range.start)..text.floor_char_boundary(range.end);
                    text.get(range).unwrap_or_default().to_owned()
                };
                around.map(part)
            }
            None => {
                let [before, quote, after] = around;
                [store.text(id, before).await?, store.text(id, quote).await?, store.text(id, after).await?]
            }
        };
        if quote != one.quote {
            return Ok(());
        }
        one.hash = Some(self.record.hash.to_string());
        let whole = start <= AROUND_BYTES;
        one.before = if whole { before } else { from_word(&before).to_owned() };
        one.after = after.rsplit_once(char::is_whitespace).map_or(after.as_str(), |(whole, _)| whole).to_owned();
        if let (Some(text), true) = (&self.text, is_its_own_text(self.record.format)) {
            let lines = text.as_bytes().get(..start).unwrap_or_default().iter().filter(|byte| **byte == b'\n').count();
            one.line = Some(lines + 1);
        }
        Ok(())
    }
}

/// The part of a text from its first whole word on.
fn from_word(text: &str) -> &str {
    text.split_once(char::is_whitespace).map_or(text, |(_, rest)| rest)
}

/// Whether a document's text is the content of its file, so that line numbers agree.
fn is_its_own_text(format: Format) -> bool {
    matches!(format, Format::Markdown | Format::Text | Format::Code | Format::Org | Format::Rst | Format::Asciidoc)
}

/// A path relative to a folder, with `/`; `None` if they have nothing in common.
fn relative(path: &Path, folder: &Path) -> Option<String> {
    let (path, folder) = (without_dots(path), without_dots(folder));
    let common = path.components().zip(folder.components()).take_while(|(a, b)| a == b).count();
    if common == 0 {
        return None;
    }
    let up = folder.components().skip(common).map(|_| "..".to_owned());
    let down = path.components().skip(common).map(|part| part.as_os_str().to_string_lossy().into_owned());
    Some(up.chain(down).collect::<Vec<_>>().join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_leads_to_files_from_where_it_stands() {
        let check = |path: &str, folder: &str, expected: &str| {
            assert_eq!(relative(Path::new(path), Path::new(folder)).as_deref(), Some(expected));
        };
        check("/a/docs/x.md", "/a", "docs/x.md");
        check("/a/docs/x.md", "/a/out/../reports/.", "../docs/x.md");
        check("/a/./x.md", "/b/c", "../../a/x.md");
    }
}
