//! Documents from a server, which states a type and an encoding in addition to what the bytes show.

use std::borrow::Cow;
use std::path::PathBuf;

use encoding_rs::{Encoding, UTF_8};
use url::Url;

use super::{ParseError, Parsed, parse};
use crate::domain::Format;

/// Extensions for types that say more than the URL's own extension.
const ENDINGS: [(&str, &str); 17] = [
    ("text/html", "html"),
    ("application/xhtml+xml", "html"),
    ("application/pdf", "pdf"),
    ("text/markdown", "md"),
    ("text/csv", "csv"),
    ("text/tab-separated-values", "tsv"),
    ("application/json", "json"),
    ("application/x-ndjson", "jsonl"),
    ("application/jsonl", "jsonl"),
    ("application/epub+zip", "epub"),
    ("application/rtf", "rtf"),
    ("application/vnd.openxmlformats-officedocument.wordprocessingml.document", "docx"),
    ("application/vnd.openxmlformats-officedocument.presentationml.presentation", "pptx"),
    ("application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "xlsx"),
    ("application/vnd.oasis.opendocument.text", "odt"),
    ("application/vnd.oasis.opendocument.spreadsheet", "ods"),
    ("message/rfc822", "eml"),
];

/// Parses what a server sent. `content_type` is its header in lower case, empty where there is none.
pub fn parse_fetched(url: &Url, content_type: &str, bytes: Vec<u8>) -> Result<(Format, Parsed), ParseError> {
    parse(&file_name(url, content_type), in_utf_8(bytes, content_type))
}

/// The text of a server's answer; `None` if it is not text.
pub fn decoded(content_type: &str, bytes: Vec<u8>) -> Option<String> {
    super::charset::decode(in_utf_8(bytes, content_type)).ok()
}

/// Whether a type says that the content is not text to read.
pub fn is_media_type(content_type: &str) -> bool {
    let kind = essence(content_type);
    let family = kind.split('/').next().unwrap_or_default();
    (matches!(family, "image" | "audio" | "video" | "font") && kind != "image/svg+xml")
        || matches!(kind, "application/javascript" | "text/javascript" | "text/css" | "application/wasm")
}

/// The name by which the format of a fetched document is determined: the URL's last part, with the type's extension.
/// With `text/plain` and unknown types, the URL's own extension counts, which distinguishes source code from prose.
pub fn file_name(url: &Url, content_type: &str) -> PathBuf {
    let last = url.path_segments().and_then(|mut parts| parts.rfind(|part| !part.is_empty())).unwrap_or_default();
    let name = if last.is_empty() { url.host_str().unwrap_or("page") } else { last };
    let kind = essence(content_type);
    let ending = ENDINGS.iter().find(|(of, _)| *of == kind).map(|(_, ending)| *ending);
    match ending {
        Some(ending) if last.to_ascii_lowercase().ends_with(&format!(".{ending}")) => PathBuf::from(name),
        Some(ending) => PathBuf::from(format!("{name}.{ending}")),
        // The end of a host's name is not an extension.
        None if last.is_empty() => PathBuf::from(format!("{name}.txt")),
        None => PathBuf::from(name),
    }
}

/// The type without its parameters.
fn essence(content_type: &str) -> &str {
    content_type.split(';').next().unwrap_or_default().trim()
}

/// Decodes text with the encoding that the header names, unless it is valid UTF-8: headers are set for whole servers
/// and are wrong for single pages. Whatever the header leaves open is left to the page's own declaration and to
/// statistics.
fn in_utf_8(bytes: Vec<u8>, content_type: &str) -> Vec<u8> {
    let named = content_type.split(';').skip(1).find_map(|parameter| parameter.trim().strip_prefix("charset="));
    let Some(encoding) = named.and_then(|label| Encoding::for_label(label.trim_matches(['"', '\'', ' ']).as_bytes()))
    else {
        return bytes;
    };
    let is_wide = encoding.name().starts_with("UTF-16");
    let is_text = essence(content_type).starts_with("text/") || essence(content_type).ends_with("xml");
    if !is_text || encoding == UTF_8 || Encoding::for_bom(&bytes).is_some() {
        return bytes;
    }
    if std::str::from_utf8(&bytes).is_ok() && !(is_wide && bytes.contains(&0)) {
        return bytes;
    }
    match encoding.decode_without_bom_handling(&bytes).0 {
        Cow::Owned(text) => text.into_bytes(),
        Cow::Borrowed(_) => bytes,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_header_and_the_url_name_the_format() {
        let check = |url: &str, content_type: &str, expected: &str| {
            let url = Url::parse(url).expect("a URL");
            assert_eq!(file_name(&url, content_type), PathBuf::from(expected), "{url} {content_type}");
        };
        check("https://a.example/", "text/html; charset=utf-8", "a.example.html");
        check("https://a.example/x/", "text/html", "x.html");
        check("https://a.example/x.html?a=b.pdf", "text/html", "x.html");
        check("https://a.example/paper?id=3", "application/pdf", "paper.pdf");
        check("https://a.example/main.rs", "text/plain", "main.rs");
        check("https://a.example/README.MD", "text/markdown", "README.MD");
        check("https://a.example/", "text/plain", "a.example.txt");
        check("https://a.example/x.bin", "", "x.bin");
    }

    #[test]
    fn the_header_tells_the_encoding_unless_it_is_plainly_wrong() {
        let check = |bytes: &[u8], content_type: &str, expected: &str| {
            let url = Url::parse("https://a.example/x").expect("a URL");
            let (_, parsed) = parse_fetched(&url, content_type, bytes.to_vec()).expect("text");
            assert_eq!(parsed.text, expected, "{content_type}");
        };
        check(b"\xc4\xe0", "text/plain; charset=windows-1251", "Да");
        check("Да".as_bytes(), "text/plain; charset=windows-1251", "Да");
        check(b"<html><p>\xc4\xe0", "text/html; charset=\"windows-1251\"", "Да");
        check("<html><meta charset=windows-1251><p>Да".as_bytes(), "text/html", "Да");
        check(b"h\0i\0", "text/plain;charset=utf-16le", "hi");
        let french = "<html><meta charset=iso-8859-1><p>d\u{e9}j\u{e0} vu, \u{e9}t\u{e9}";
        let bytes: Vec<u8> = french.chars().map(|char| char as u8).collect();
        check(&bytes, "text/html; charset=utf-8", "déjà vu, été");
        check(&bytes, "text/html; charset=no-such-thing", "déjà vu, été");
    }

    #[test]
    fn media_are_known_by_their_type() {
        for (content_type, expected) in [
            ("image/png", true),
            ("image/svg+xml", false),
            ("video/mp4; codecs=x", true),
            ("text/css", true),
            ("text/html", false),
            ("application/octet-stream", false),
            ("", false),
        ] {
            assert_eq!(is_media_type(content_type), expected, "{content_type}");
        }
    }
}
