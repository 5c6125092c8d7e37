//! Which parser a text is for.

use std::path::Path;

use super::code::Family;
use super::json;

/// What a text is read as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Html,
    Markdown,
    Code(Family),
    Json,
    Jsonl,
    Csv,
    Text,
}

/// How far the content is looked at.
const HEAD_BYTES: usize = 1024;

/// What `text` is: by what it begins with, then by the name of `path`.
pub(super) fn kind(path: &Path, text: &str) -> Kind {
    let named = by_name(path);
    match named {
        // A template or a script that begins with a tag is still source.
        Some(Kind::Code(_)) => {}
        _ if begins_as_html(text) => return Kind::Html,
        _ => {}
    }
    if let Some(kind) = named {
        return kind;
    }
    let start = text.trim_start();
    if start.starts_with("#!") && start.lines().next().is_some_and(|line| line.contains('/')) {
        return Kind::Code(Family::Hash);
    }
    match start.as_bytes().first() {
        Some(b'{') if json::looks_like_lines(text) => Kind::Jsonl,
        // Whether it is JSON only the parser can say, and what it refuses is text.
        Some(b'{' | b'[') if matches!(text.trim_end().as_bytes().last(), Some(b'}' | b']')) => Kind::Json,
        _ => Kind::Text,
    }
}

fn begins_as_html(text: &str) -> bool {
    let mut head = &text[..crate::base::text::floor_boundary(text, HEAD_BYTES)];
    loop {
        head = head.trim_start();
        // A declaration or a comment may stand before the page.
        let end = if head.starts_with("<!--") {
            head.find("-->").map(|at| at + 3)
        } else if head.starts_with("<?xml") {
            head.find("?>").map(|at| at + 2)
        } else {
            None
        };
        match end {
            Some(end) => head = &head[end..],
            None => break,
        }
    }
    let starts = |prefix: &str| head.get(..prefix.len()).is_some_and(|start| start.eq_ignore_ascii_case(prefix));
    starts("<!doctype html") || starts("<html") || starts("<head>") || starts("<body")
}

/// What the name promises; `None` for one that promises nothing.
fn by_name(path: &Path) -> Option<Kind> {
    let extension = path.extension()?.to_str()?.to_ascii_lowercase();
    Some(match extension.as_str() {
        "html" | "htm" | "xhtml" => Kind::Html,
        "md" | "markdown" | "mdown" | "mkd" | "mdx" | "rmd" | "qmd" => Kind::Markdown,
        "json" | "geojson" | "ipynb" => Kind::Json,
        "jsonl" | "ndjson" => Kind::Jsonl,
        "csv" | "tsv" | "tab" => Kind::Csv,
        "rst" | "adoc" | "tex" | "org" | "log" => Kind::Text,
        other => Kind::Code(Family::of_extension(other)?),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(path: &str, text: &str, expected: Kind) {
        assert_eq!(kind(Path::new(path), text), expected, "of {path} with {text:?}");
    }

    #[test]
    fn content_first_name_second() {
        check("a.txt", "<!DOCTYPE html><p>x", Kind::Html);
        check("a", "<?xml version='1.0'?>\n<!-- c -->\n<HTML>", Kind::Html);
        check("a.php", "<html><?php ?>", Kind::Code(Family::Brace));
        check("a.md", "[link](x)", Kind::Markdown);
        check("a.txt", "{\"a\": 1}", Kind::Json);
        check("a", "{\"a\": 1}\n{\"a\": 2}\n", Kind::Jsonl);
        check("a.txt", "[note] plain text", Kind::Text);
        check("a.py", "[1]", Kind::Code(Family::Indent));
        check("run", "#!/bin/sh\nls", Kind::Code(Family::Hash));
        check("a.TSV", "a\tb", Kind::Csv);
        check("a.txt", "日本語", Kind::Text);
    }
}
