use schemars::JsonSchema;
use serde::Deserialize;

use super::arguments::{count, maybe_count, name};
use crate::agent::prompt_text::label;
use crate::domain::{ChunkId, DocumentId};
use crate::llm::ToolSpec;
use crate::llm::purpose::EvidenceCard;
use crate::llm::structured::strict_schema;
use crate::prompt::fenced;

pub(super) const NAME: &str = "chunk_read";
pub(super) const FIELDS: [&str; 3] = ["doc_id", "chunk_id", "neighbours"];
pub(super) const EXAMPLE: &str = r#"{"doc_id": "d12", "chunk_id": 3, "neighbours": 0}"#;
/// Passages before and after the one asked for, at most.
pub(super) const MOST_NEIGHBOURS: u32 = 2;

/// Which passage to read.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct ReadArguments {
    /// The document, as a search shows it.
    #[serde(deserialize_with = "name")]
    pub doc_id: String,
    /// The passage in it, as a search shows it.
    #[serde(default, deserialize_with = "maybe_count")]
    #[schemars(with = "u32")]
    pub chunk_id: Option<u32>,
    /// How many passages before and after it to read as well, from 0 to 2.
    #[serde(default, deserialize_with = "count")]
    pub neighbours: u32,
}

impl ReadArguments {
    /// The chunk that the ids mean. A document's id may carry the passage's, as people write it: `d12#3`.
    pub fn chunk(&self) -> Result<ChunkId, String> {
        let (document, passage) = match self.doc_id.trim().split_once('#') {
            Some((document, passage)) => (document.trim(), passage.trim().parse().ok()),
            None => (self.doc_id.trim(), None),
        };
        let number = document.strip_prefix(['d', 'D']).unwrap_or(document);
        let number = number.parse().map_err(|_| format!("`{}` is no doc_id", self.doc_id))?;
        let ordinal = self.chunk_id.or(passage).ok_or("chunk_id is missing")?;
        // What does not fit is the id of nothing: beyond the last, so that reading says so.
        let ordinal = ordinal.min((1 << ChunkId::ORDINAL_BITS) - 1);
        let most = u64::MAX >> ChunkId::ORDINAL_BITS;
        Ok(ChunkId { document: DocumentId(std::cmp::min(number, most)), ordinal })
    }
}

pub(super) fn spec() -> ToolSpec {
    ToolSpec {
        name: NAME.to_owned(),
        description:
            "Gives a passage in full, with its place in the document, and its neighbours where asked. A passage \
                      that was read before is not given again."
                .to_owned(),
        parameters: strict_schema::<ReadArguments>(),
    }
}

/// A passage in full, fenced, under the number that the report cites it by.
pub(in crate::agent) fn shown(card: &EvidenceCard, chunk: ChunkId, chunks: u32) -> String {
    let position = format!("{} of {chunks}", chunk.ordinal + 1);
    let label = label(
        &format!("passage [{}] | {} | {}", card.number, card.title, card.path),
        &[&card.place, &position, &card.date],
    );
    fenced(&label, &card.text)
}
