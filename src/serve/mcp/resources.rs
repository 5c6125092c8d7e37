//! Collections, documents and passages as resources.

use rmcp::ErrorData;
use rmcp::model::{
    ListResourceTemplatesResult, ListResourcesResult, ReadResourceResult, Resource, ResourceContents, ResourceTemplate,
};
use serde_json::json;
use url::Url;

use crate::base::text::percent_decoded;
use crate::serve::{Access, Library, Refusal, RefusalKind};

const SCHEME: &str = "deepsearch://";

pub(super) async fn list(library: &Library, access: &Access) -> Result<ListResourcesResult, ErrorData> {
    let collections = library.collections(access).await.map_err(error)?;
    let one = |collection: crate::domain::Collection| {
        let uri = uri_of_collection(&collection.name);
        let description = format!("{} ({} documents)", collection.description, collection.documents);
        Resource::new(uri, collection.name).with_description(description).with_mime_type("application/json")
    };
    Ok(ListResourcesResult::with_all_items(collections.into_iter().map(one).collect()))
}

pub(super) fn templates() -> ListResourceTemplatesResult {
    let template = |uri: &str, name: &str, description: &str, media: &str| {
        ResourceTemplate::new(format!("{SCHEME}{uri}"), name).with_description(description).with_mime_type(media)
    };
    ListResourceTemplatesResult::with_all_items(vec![
        template("collection/{name}", "collection", "What a collection holds, with its documents", "application/json"),
        template("document/{document}", "document", "The text of a document: an id such as d12", "text/plain"),
        template(
            "document/{document}/{passage}",
            "passage",
            "A passage of a document with those beside it: an id such as d12 and a number",
            "text/plain",
        ),
    ])
}

pub(super) async fn read(library: &Library, uri: &str, access: &Access) -> Result<ReadResourceResult, ErrorData> {
    let unknown = || {
        ErrorData::resource_not_found(
            "there is no such resource; resources/list shows the collections, and each of them its documents",
            None,
        )
    };
    let parts = parts(uri).ok_or_else(unknown)?;
    let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
    let text = match parts.as_slice() {
        ["collection", name] => {
            let (collection, documents, _) = library.collection(name, access).await.map_err(error)?;
            let documents: Vec<_> = documents
                .iter()
                .map(|document| {
                    json!({
                        "uri": format!("{SCHEME}document/{}", document.id),
                        "title": document.title,
                        "path": document.path,
                        "format": document.format.name(),
                        "passages": document.chunks,
                    })
                })
                .collect();
            let whole = json!({"collection": collection, "documents": documents}).to_string();
            return Ok(ReadResourceResult::new(vec![
                ResourceContents::text(whole, uri).with_mime_type("application/json"),
            ]));
        }
        ["document", document] => library.fetch(document, access).await.map_err(error)?.text,
        ["document", document, passage] => {
            library.fetch(&format!("{document}#{passage}"), access).await.map_err(error)?.text
        }
        _ => return Err(unknown()),
    };
    Ok(ReadResourceResult::new(vec![ResourceContents::text(text, uri)]))
}

fn uri_of_collection(name: &str) -> String {
    match Url::parse(&format!("{SCHEME}collection/")) {
        Ok(mut url) => {
            if let Ok(mut segments) = url.path_segments_mut() {
                segments.pop_if_empty().push(name);
            }
            url.into()
        }
        // Does not happen, since the scheme and the host are fixed and valid.
        Err(_) => format!("{SCHEME}collection/{name}"),
    }
}

/// The host and the path segments of a `deepsearch:` URL, decoded.
fn parts(uri: &str) -> Option<Vec<String>> {
    let url = Url::parse(uri).ok()?;
    if url.scheme() != "deepsearch" {
        return None;
    }
    let mut parts = vec![url.host_str()?.to_owned()];
    parts.extend(url.path_segments()?.map(percent_decoded).collect::<Option<Vec<_>>>()?);
    Some(parts)
}

fn error(refusal: Refusal) -> ErrorData {
    let text = refusal.text();
    match refusal.kind {
        RefusalKind::NotFound => ErrorData::resource_not_found(text, None),
        RefusalKind::Bad | RefusalKind::Forbidden => ErrorData::invalid_params(text, None),
        RefusalKind::Busy | RefusalKind::Spent | RefusalKind::Failed => ErrorData::internal_error(text, None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_survive_their_addresses() {
        for name in ["papers", "資料 室", "a/b", "50%", "..", "x#1?y"] {
            let uri = uri_of_collection(name);
            if name != ".." {
                assert_eq!(parts(&uri).unwrap(), ["collection", name], "{uri}");
            }
        }
        for uri in ["", "file:///etc/passwd", "deepsearch:x", "http://document/d1", "deepsearch://document/%ff"] {
            assert!(parts(uri).is_none(), "{uri}");
        }
    }
}
