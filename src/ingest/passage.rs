use crate::domain::{Chunk, Document};

/// What is embedded of a chunk: the document's title on a line of its own, then the chunk's text. A chunk from the
/// middle of a document seldom names the document's subject, and the title does.
pub fn passage_text(document: &Document, chunk: &Chunk) -> String {
    let text = document.text.get(chunk.range.clone()).unwrap_or_default();
    let title = document.title.trim();
    let opening = text.trim_start_matches(['#', ' ', '\t', '\n', '\r']);
    if title.is_empty() || opening.starts_with(title) { text.to_owned() } else { format!("{title}\n{text}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::ContentHash;
    use crate::base::text::Language;
    use crate::domain::Format;

    fn check(title: &str, text: &str, expected: &str) {
        let (page, headings, language) = (None, Vec::new(), Language::UNKNOWN);
        let chunk = Chunk { range: 0..text.len(), page, headings, language };
        let document = Document {
            path: "/x".to_owned(),
            title: title.to_owned(),
            format: Format::Text,
            language,
            date: None,
            hash: ContentHash::of(b""),
            bytes: 0,
            modified_ns: 0,
            text: text.to_owned(),
            chunks: Vec::new(),
        };
        assert_eq!(passage_text(&document, &chunk), expected);
    }

    #[test]
    fn the_title_stands_once() {
        check("Oxen", "They plough.", "Oxen\nThey plough.");
        check("Oxen", "# Oxen\n\nThey plough.", "# Oxen\n\nThey plough.");
        check(" ", "They plough.", "They plough.");
        check("牛", "耕す。", "牛\n耕す。");
    }
}
