//! A report as a text document of Office Open XML: real headings, lists and tables, the sources as footnotes, and the
//! evidence as comments on the very words that it supports. It keeps the data needed to check it after editing.

mod body;
mod read;
mod styles;
#[cfg(test)]
mod tests;

use std::io::{Cursor, Write};

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use zip::ZipWriter;
use zip::result::ZipResult;
use zip::write::SimpleFileOptions;

use self::body::Body;
use super::model::FormedReport;
use super::writer::Writer;

pub use read::is_document;
pub(super) use read::markdown;

const XML: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>";
const WORDS: &str = "http://schemas.openxmlformats.org/wordprocessingml/2006/main";
const RELATIONS: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const PACKAGE: &str = "http://schemas.openxmlformats.org/package/2006";
/// The relationship type of the part that says which comments are resolved.
const RESOLVED: &str = "http://schemas.microsoft.com/office/2011/relationships/commentsExtended";
/// The namespace of the element that keeps what the text does not show.
const KEPT: &str = "urn:deepsearch:report";
const KEPT_PART: &str = "customXml/item1.xml";

/// The parts that the document refers to, each with the last word of its type.
const PARTS: [(&str, &str); 5] = [
    ("styles", "styles.xml"),
    ("numbering", "numbering.xml"),
    ("footnotes", "footnotes.xml"),
    ("comments", "comments.xml"),
    ("settings", "settings.xml"),
];

/// The document of a report.
pub(super) fn docx(report: &FormedReport) -> ZipResult<Vec<u8>> {
    let body = Body::of(report);
    let resolves = body.resolved.is_some();
    let mut parts = vec![
        ("[Content_Types].xml", content_types(resolves)),
        ("_rels/.rels", package_relations()),
        ("docProps/core.xml", properties(report)),
        ("word/document.xml", format!("{XML}{}", body.document)),
        ("word/styles.xml", format!("{XML}{}", styles::styles(report.language))),
        ("word/numbering.xml", format!("{XML}{}", styles::numbering(&body.numbered))),
        ("word/footnotes.xml", format!("{XML}{}", body.footnotes)),
        ("word/comments.xml", format!("{XML}{}", body.comments)),
        ("word/settings.xml", format!("{XML}{}", styles::settings())),
        ("word/_rels/document.xml.rels", document_relations(&body.links, resolves)),
        (KEPT_PART, kept(report, None)),
        ("customXml/itemProps1.xml", kept_properties()),
        ("customXml/_rels/item1.xml.rels", kept_relations()),
    ];
    parts.extend(body.resolved.map(|text| ("word/commentsExtended.xml", format!("{XML}{text}"))));
    let document = archive(&parts)?;
    let Some(seal) = read::seal(&document) else { return Ok(document) };
    for (_, text) in parts.iter_mut().filter(|(name, _)| *name == KEPT_PART) {
        *text = kept(report, Some(&seal));
    }
    archive(&parts)
}

fn archive(parts: &[(&str, String)]) -> ZipResult<Vec<u8>> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, text) in parts {
        writer.start_file(*name, SimpleFileOptions::default())?;
        writer.write_all(text.as_bytes())?;
    }
    Ok(writer.finish()?.into_inner())
}

fn content_types(resolves: bool) -> String {
    let main = "application/vnd.openxmlformats-officedocument.wordprocessingml";
    let mut out = Writer::default();
    out.within("Types", &[("xmlns", &format!("{PACKAGE}/content-types"))], |out| {
        for (ending, kind) in
            [("rels", "application/vnd.openxmlformats-package.relationships+xml"), ("xml", "application/xml")]
        {
            out.within("Default", &[("Extension", ending), ("ContentType", kind)], |_| {});
        }
        let mut part = |name: &str, kind: &str| {
            out.within("Override", &[("PartName", name), ("ContentType", kind)], |_| {});
        };
        part("/word/document.xml", &format!("{main}.document.main+xml"));
        for (kind, name) in PARTS {
            part(&format!("/word/{name}"), &format!("{main}.{kind}+xml"));
        }
        if resolves {
            part("/word/commentsExtended.xml", &format!("{main}.commentsExtended+xml"));
        }
        part("/docProps/core.xml", "application/vnd.openxmlformats-package.core-properties+xml");
        part("/customXml/itemProps1.xml", "application/vnd.openxmlformats-officedocument.customXmlProperties+xml");
    });
    format!("{XML}{}", out.into_text())
}

fn relations(list: &[(&str, &str, &str)], links: &[String]) -> String {
    let mut out = Writer::default();
    out.within("Relationships", &[("xmlns", &format!("{PACKAGE}/relationships"))], |out| {
        for (id, kind, target) in list {
            out.within("Relationship", &[("Id", id), ("Type", kind), ("Target", target)], |_| {});
        }
        for (at, link) in links.iter().enumerate() {
            let (id, kind) = (format!("link{at}"), format!("{RELATIONS}/hyperlink"));
            let attributes = [("Id", id.as_str()), ("Type", &kind), ("Target", link), ("TargetMode", "External")];
            out.within("Relationship", &attributes, |_| {});
        }
    });
    format!("{XML}{}", out.into_text())
}

fn package_relations() -> String {
    let document = format!("{RELATIONS}/officeDocument");
    let core = format!("{PACKAGE}/relationships/metadata/core-properties");
    relations(&[("r1", &document, "word/document.xml"), ("r2", &core, "docProps/core.xml")], &[])
}

fn document_relations(links: &[String], resolves: bool) -> String {
    let kinds: Vec<(String, String, &str)> = PARTS
        .iter()
        .map(|(kind, name)| (format!("p-{kind}"), format!("{RELATIONS}/{kind}"), *name))
        .chain([("p-kept".to_owned(), format!("{RELATIONS}/customXml"), "../customXml/item1.xml")])
        .chain(resolves.then(|| ("p-resolved".to_owned(), RESOLVED.to_owned(), "commentsExtended.xml")))
        .collect();
    let list: Vec<(&str, &str, &str)> =
        kinds.iter().map(|(id, kind, name)| (id.as_str(), kind.as_str(), *name)).collect();
    relations(&list, links)
}

fn properties(report: &FormedReport) -> String {
    let mut out = Writer::default();
    let attributes = [
        ("xmlns:cp", format!("{PACKAGE}/metadata/core-properties")),
        ("xmlns:dc", "http://purl.org/dc/elements/1.1/".to_owned()),
    ];
    let attributes: Vec<(&'static str, &str)> =
        attributes.iter().map(|(name, value)| (*name, value.as_str())).collect();
    out.within("cp:coreProperties", &attributes, |out| {
        out.words("dc:title", &[], &report.title);
        out.words("dc:subject", &[], &report.question);
        out.words("dc:creator", &[], "deepsearch");
        out.words("dc:language", &[], report.language.tag());
    });
    format!("{XML}{}", out.into_text())
}

/// The list of sources, the account and the record, as in the Markdown that the document was written from. With a seal,
/// which shows whether the document's words are unchanged, also the text as in the Markdown.
fn kept(report: &FormedReport, seal: Option<&str>) -> String {
    let mut out = Writer::default();
    let (body, below) = report.markdown.split_at(report.body_end);
    out.within("report", &[("xmlns", KEPT), ("format", "1")], |out| {
        out.words("below", &[], &BASE64_STANDARD.encode(below));
        if let Some(seal) = seal {
            out.words("text", &[], seal);
            out.words("body", &[], &BASE64_STANDARD.encode(body));
        }
    });
    format!("{XML}{}", out.into_text())
}

fn kept_properties() -> String {
    let mut out = Writer::default();
    let attributes = [
        ("ds:itemID", "{8D6E5A52-3B0B-4C55-9C0B-6D2E7B1C0A11}"),
        ("xmlns:ds", "http://schemas.openxmlformats.org/officeDocument/2006/customXml"),
    ];
    out.within("ds:datastoreItem", &attributes, |out| {
        out.within("ds:schemaRefs", &[], |out| out.within("ds:schemaRef", &[("ds:uri", KEPT)], |_| {}));
    });
    format!("{XML}{}", out.into_text())
}

fn kept_relations() -> String {
    relations(&[("r1", &format!("{RELATIONS}/customXmlProps"), "itemProps1.xml")], &[])
}
