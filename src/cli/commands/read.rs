//! `read`: shows a document, or one passage with its neighbours.

use serde_json::json;

use crate::cli::args::ReadArgs;
use crate::cli::context::Context;
use crate::cli::terminal::{Ink, write_json, write_text};
use crate::cli::{CliError, ExitStatus};
use crate::domain::{ChunkId, DocumentId, DocumentRecord};
use crate::store::{Store, with_neighbours};

/// What `DOC[#CHUNK]` refers to.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Address {
    document: Named,
    chunk: Option<u32>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Named {
    Id(DocumentId),
    Path(String),
}

/// Shows a document, or one passage with its neighbours.
pub(super) fn run(args: &ReadArgs, context: &Context) -> Result<ExitStatus, CliError> {
    let address = parse(&args.document)?;
    if address.chunk.is_none() && args.neighbours > 0 {
        let hint = format!("name a passage, as in {}#3", args.document);
        return Err(CliError::usage("--neighbours needs a passage to stand beside").with_hint(hint));
    }
    let app = context.app(Vec::new())?;
    context.block_on(async {
        let not_found =
            || CliError::new(ExitStatus::NothingFound, format!("no document `{}` is loaded", args.document));
        let Some(store) = app.existing_store().await? else {
            return Err(not_found().with_hint("load something first: deepsearch load ./docs"));
        };
        let Some(record) = find(store.as_ref(), &address.document).await? else {
            return Err(not_found().with_hint(instead(store.as_ref(), &address.document).await?));
        };
        let range = match address.chunk {
            None => 0..usize::MAX,
            Some(chunk) => span(store.as_ref(), &record, chunk, args.neighbours).await?,
        };
        let mut text = store.text(record.id, range.clone()).await?;
        if args.json {
            let bytes = [range.start, range.start + text.len()];
            write_json(&json!({"document": record, "chunk": address.chunk, "bytes": bytes, "text": text}))?;
        } else {
            let title = context.terminal.paint(Ink::Strong, &record.title);
            context.terminal.note(&format!("{title}  {}  {}  {}", record.id, record.path, record.collection));
            if !text.ends_with('\n') {
                text.push('\n');
            }
            write_text(&text)?;
        }
        Ok(ExitStatus::Done)
    })
}

/// Suggests what can be read instead of something that cannot.
async fn instead(store: &dyn Store, named: &Named) -> Result<String, CliError> {
    let mut inside = Vec::new();
    if let Named::Path(path) = named {
        let (whole, part) = (format!("{path}!/"), format!("/{path}!/"));
        for collection in store.collections().await? {
            let records = store.documents(&collection.name).await?;
            let paths = records.into_iter().map(|record| record.path);
            inside.extend(paths.filter(|inner| inner.starts_with(&whole) || inner.contains(&part)));
        }
    }
    Ok(match inside.as_slice() {
        [] => "`deepsearch collections show NAME` lists documents".to_owned(),
        [one] => format!("it is an archive: read '{one}'"),
        [first, others @ ..] => {
            format!("it is an archive: read '{first}', or another of its {} documents", others.len() + 1)
        }
    })
}

/// Parses `d12`, `d12#3`, `path` or `path#3`. What follows a `#` and is not a number belongs to the path.
fn parse(text: &str) -> Result<Address, CliError> {
    let (name, chunk) = match text.rsplit_once('#').map(|(name, number)| (name, number.parse().ok())) {
        Some((name, Some(number))) => (name, Some(number)),
        _ => (text, None),
    };
    if name.is_empty() {
        return Err(CliError::usage("a document needs a path or an id"));
    }
    let id = name.strip_prefix('d').filter(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()));
    let document = match id.and_then(|digits| digits.parse().ok()) {
        // An id is packed into 40 bits; a larger number is part of a file name.
        Some(id) if id < 1 << (64 - ChunkId::ORDINAL_BITS) => Named::Id(DocumentId(id)),
        _ => Named::Path(name.trim_start_matches("./").to_owned()),
    };
    Ok(Address { document, chunk })
}

async fn find(store: &dyn Store, named: &Named) -> Result<Option<DocumentRecord>, CliError> {
    let path = match named {
        Named::Path(path) => path.clone(),
        // A store finds records by path, and a document's first chunk has its path.
        Named::Id(id) => match store.chunks(&[ChunkId { document: *id, ordinal: 0 }]).await?.pop() {
            Some(chunk) => chunk.path,
            None => return Ok(None),
        },
    };
    let mut records = store.find_documents(&path).await?;
    if let Named::Id(id) = named {
        records.retain(|record| record.id == *id);
    }
    // One file in several collections is the same text.
    records.dedup_by(|a, b| a.path == b.path && a.hash == b.hash);
    if records.len() > 1 {
        let list: Vec<String> =
            records.iter().map(|record| format!("{} ({}, {})", record.id, record.path, record.collection)).collect();
        let message = format!("`{path}` names {} documents", records.len());
        return Err(CliError::usage(message).with_hint(format!("name one by its id: {}", list.join(", "))));
    }
    Ok(records.pop())
}

/// The bytes from the first neighbour to the last.
async fn span(
    store: &dyn Store,
    record: &DocumentRecord,
    chunk: u32,
    neighbours: u32,
) -> Result<std::ops::Range<usize>, CliError> {
    if chunk >= record.chunks {
        let passages = match record.chunks {
            0 => "it has none".to_owned(),
            count => format!("its passages are #0 to #{}", count - 1),
        };
        let message = format!("{} has no passage #{chunk}; {passages}", record.path);
        return Err(CliError::new(ExitStatus::NothingFound, message));
    }
    with_neighbours(store, record, chunk, neighbours).await?.ok_or_else(|| {
        CliError::new(ExitStatus::NothingFound, format!("{} was replaced while it was read", record.path))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_ids_or_paths_with_a_passage() {
        let check = |text: &str, document: Named, chunk: Option<u32>| {
            assert_eq!(parse(text).unwrap(), Address { document, chunk }, "{text}");
        };
        let path = |path: &str| Named::Path(path.to_owned());
        check("d12", Named::Id(DocumentId(12)), None);
        check("d12#3", Named::Id(DocumentId(12)), Some(3));
        check("./a/b.md", path("a/b.md"), None);
        check("b.md#0", path("b.md"), Some(0));
        check("c#sharp.md", path("c#sharp.md"), None);
        check("c#.md#4", path("c#.md"), Some(4));
        check("d", path("d"), None);
        check("docs", path("docs"), None);
        check("d99999999999999999999", path("d99999999999999999999"), None);
        assert!(parse("#3").is_err());
        assert!(parse("").is_err());
    }
}
