use crate::domain::{Chunk, ChunkVectors, Document, titled};
use crate::embed::{EmbedError, Embedder, Text, check_vectors};
use crate::store::NewDocument;

/// The text that is embedded for a chunk, see [`titled`].
pub(super) fn passage_text(document: &Document, chunk: &Chunk) -> Text {
    let text = titled(&document.title, document.text.get(chunk.range.clone()).unwrap_or_default());
    Text { text, language: chunk.language }
}

/// The vectors of each document's chunks; `None` for chunks in languages that the embedder does not know.
pub(super) type Vectors = Vec<Vec<Option<ChunkVectors>>>;

/// Embeds some texts and checks their vectors.
pub(super) async fn embed_texts(embedder: &dyn Embedder, texts: Vec<Text>) -> Result<Vec<ChunkVectors>, EmbedError> {
    let count = texts.len();
    let embedded = embedder.passages(texts).await?;
    check_vectors(embedder.identity(), count, embedded.iter().map(|vectors| &vectors.embedding))?;
    Ok(embedded)
}

/// Embeds the chunks of some documents, at most `call` passages at once. `go_on` gets the number of passages that each
/// call embedded and whether more follow; if it returns false and more follow, the result is `None`.
pub(super) async fn embed(
    embedder: &dyn Embedder,
    documents: &[Document],
    call: usize,
    mut go_on: impl FnMut(usize, bool) -> bool + Send,
) -> Result<Option<Vectors>, EmbedError> {
    let mut vectors: Vectors = documents.iter().map(|document| vec![None; document.chunks.len()]).collect();
    let mut places: Vec<(usize, usize)> = Vec::new();
    for (nth, document) in documents.iter().enumerate() {
        let known = document.chunks.iter().enumerate().filter(|(_, chunk)| embedder.knows(chunk.language));
        places.extend(known.map(|(ordinal, _)| (nth, ordinal)));
    }
    let mut calls = places.chunks(call.max(1));
    while let Some(call) = calls.next() {
        let text = |&(nth, ordinal): &(usize, usize)| passage_text(&documents[nth], &documents[nth].chunks[ordinal]);
        let embedded = embed_texts(embedder, call.iter().map(text).collect()).await?;
        for (&(nth, ordinal), vector) in call.iter().zip(embedded) {
            vectors[nth][ordinal] = Some(vector);
        }
        let more = calls.len() > 0;
        if !go_on(call.len(), more) && more {
            return Ok(None);
        }
    }
    Ok(Some(vectors))
}

/// Documents as a store takes them, embedded if there is an embedder, for callers whose documents are already in
/// memory.
pub async fn with_vectors(
    documents: Vec<Document>,
    embedder: Option<&dyn Embedder>,
) -> Result<Vec<NewDocument>, EmbedError> {
    let vectors = match embedder {
        Some(embedder) => embed(embedder, &documents, usize::MAX, |_, _| true).await?,
        None => None,
    };
    let mut vectors = vectors.unwrap_or_default().into_iter();
    let with = |document| NewDocument { document, vectors: vectors.next().unwrap_or_default() };
    Ok(documents.into_iter().map(with).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::ContentHash;
    use crate::base::text::Language;
    use crate::domain::{Format, Headings};

    fn check(title: &str, text: &str, expected: &str) {
        let (page, headings, language) = (None, Headings::default(), Language::UNKNOWN);
        let chunk = Chunk { range: 0..text.len(), page, page_turns: Vec::new(), headings, language };
        let document = Document {
            path: "/x".to_owned(),
            title: title.to_owned(),
            format: Format::Text,
            language,
            date: None,
            authorship: crate::domain::Authorship::default(),
            hash: ContentHash::of(b""),
            bytes: 0,
            modified_ns: 0,
            cut: None,
            text: text.to_owned(),
            chunks: Vec::new(),
        };
        assert_eq!(passage_text(&document, &chunk).text, expected);
    }

    #[test]
    fn the_title_stands_once() {
        check("Oxen", "They plough.", "Oxen\nThey plough.");
        check("Oxen", "# Oxen\n\nThey plough.", "# Oxen\n\nThey plough.");
        check(" ", "They plough.", "They plough.");
        check("牛", "耕す。", "牛\n耕す。");
    }
}
