//! The notes on cells, by sheet. The library for spreadsheets skips them.

use std::collections::BTreeMap;

use crate::documents::parse::xml::{self, Element, Node};
use crate::documents::parse::zip::Package;
use crate::documents::parse::{ParseError, opc};

use super::FORMAT;

/// Begins the author's name if the note is a copy of a conversation, for programs that do not support these. The copy
/// begins after an address of the program's maker.
const COPIED: &str = "tc=";
const ADDRESS: &str = "linkid=870924";

/// A note: its cell, as in `B2`, and its words after the name of its author.
pub(super) type Note = (String, String);

/// The notes of each sheet by its name.
pub(super) fn read(package: &mut Package<'_>) -> Result<BTreeMap<String, Vec<Note>>, ParseError> {
    // If a package does not say which part is the workbook, the library decides whether that is an error.
    let Ok(main) = opc::main_part(package, FORMAT) else { return Ok(BTreeMap::new()) };
    let parts = opc::relationships(package, &main, FORMAT)?;
    let mut sheets: Vec<(String, String)> = Vec::new();
    let Some(book) = package.read(&main)? else { return Ok(BTreeMap::new()) };
    xml::walk(book, FORMAT, |node| {
        if let Node::Open(element) = node
            && element.name() == "sheet"
            && let (Some(name), Some(id)) = (element.attribute("name"), element.attribute("id"))
        {
            sheets.push((name, id));
        }
        Ok(())
    })?;
    let mut notes = BTreeMap::new();
    for (name, id) in sheets {
        let Some(part) = parts.get(&id) else { continue };
        let beside = opc::relationships(package, &part.target, FORMAT)?.into_values();
        for part in beside.filter(|part| part.kind == "comments") {
            if let Some(bytes) = package.read(&part.target)? {
                notes.insert(name.clone(), of_sheet(bytes)?);
            }
        }
    }
    Ok(notes)
}

#[derive(Default)]
struct Reader {
    authors: Vec<String>,
    notes: Vec<Note>,
    /// The author of the note that is open.
    author: usize,
    in_author: bool,
    in_text: bool,
    in_note: bool,
}

fn of_sheet(bytes: Vec<u8>) -> Result<Vec<Note>, ParseError> {
    let mut reader = Reader::default();
    xml::walk(bytes, FORMAT, |node| {
        match node {
            Node::Open(element) => reader.open(element),
            Node::Close("author") => reader.in_author = false,
            Node::Close("t") => reader.in_text = false,
            Node::Close("comment") => reader.close_note(),
            Node::Text(words) => reader.words(words),
            Node::Close(_) => {}
        }
        Ok(())
    })?;
    reader.notes.retain(|(_, words)| !words.is_empty());
    Ok(reader.notes)
}

impl Reader {
    fn open(&mut self, element: &Element<'_>) {
        match element.name() {
            "author" => {
                self.in_author = true;
                self.authors.push(String::new());
            }
            "comment" => {
                self.in_note = true;
                self.author = element.attribute("authorId").and_then(|id| id.parse().ok()).unwrap_or(usize::MAX);
                self.notes.push((element.attribute("ref").unwrap_or_default(), String::new()));
            }
            "t" => self.in_text = self.in_note,
            _ => {}
        }
    }

    fn words(&mut self, words: &str) {
        if self.in_author {
            if let Some(author) = self.authors.last_mut() {
                author.push_str(words);
            }
        } else if self.in_text
            && let Some((_, note)) = self.notes.last_mut()
        {
            note.push_str(words);
        }
    }

    fn close_note(&mut self) {
        self.in_note = false;
        let author = self.authors.get(self.author).map_or("", |author| author.trim());
        let Some((_, note)) = self.notes.last_mut() else { return };
        let words = note.trim();
        let is_copy = author.starts_with(COPIED);
        // Programs also write the author's name before the words.
        let words = match words.split_once(ADDRESS) {
            Some((_, copied)) if is_copy => copied.trim(),
            _ => words.strip_prefix(author).and_then(|words| words.strip_prefix(':')).unwrap_or(words).trim(),
        };
        let is_signed = !is_copy && !author.is_empty() && !words.is_empty();
        *note = if is_signed { format!("{author}: {words}") } else { words.to_owned() };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_stand_behind_the_name_of_who_wrote_them() {
        let check = |author: &str, words: &str, expected: &str| {
            let part = format!(
                "<comments><authors><author>{author}</author></authors><commentList><comment ref='B2' authorId='0'><text>\
                 <r><t>{words}</t></r></text></comment></commentList></comments>"
            );
            let notes = of_sheet(part.into_bytes()).expect("readable");
            assert_eq!(notes, [("B2".to_owned(), expected.to_owned())], "{words}");
        };
        check("Ann Roe", "Paid by the club.", "Ann Roe: Paid by the club.");
        check("Ann Roe", "Ann Roe:\nPaid by the club.", "Ann Roe: Paid by the club.");
        check("", "Paid.", "Paid.");
        check("tc={1}", "See https://x/?linkid=870924\n\nComment:\n Paid.", "Comment:\n Paid.");
    }
}
