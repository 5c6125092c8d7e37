use crate::domain::{Chunk, Document};

/// What is embedded of a chunk: the document's title on a line of its own, then the chunk's text. A chunk from the
/// middle of a document seldom names the document's subject, and the title does.
pub fn passage_text(document: &Document, chunk: &Chunk) -> String {
    let text = document.text.get(chunk.range.clone()).unwrap_or_default();
    let title = document.title.trim();
    let opening = text.trim_start_matches(['#', ' ', '\t', '\n', '\r']);
    if title.is_empty() || opening.starts_with(title) { text.to_owned() } else { format!("{title}\n{text}") }
}
