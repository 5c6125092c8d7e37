//! Removes the tags of a page that nest deeper than any reader needs.
//!
//! The tree builder looks at every open element for many of its tags, so a page of a hundred thousand `<div>` costs ten
//! thousand million looks. Browsers also stop nesting at 512; deeper elements keep their words and lose their tags.

use std::borrow::Cow;

const MAX_DEPTH: usize = 512;

/// A tag with more attributes loses them, since the tree builder compares each with all before it.
const MAX_ATTRIBUTES: usize = 2000;

/// Elements that have no end tag, that HTML closes by itself, or that pages often leave open. They do not nest, and
/// counting them would make a long page look deep.
const NOT_COUNTED: [&str; 45] = [
    "a", "area", "base", "basefont", "bgsound", "body", "br", "button", "col", "colgroup", "dd", "dt", "embed",
    "frame", "head", "hr", "html", "image", "img", "input", "isindex", "keygen", "li", "link", "meta", "nobr",
    "optgroup", "option", "p", "param", "path", "rp", "rt", "source", "tbody", "td", "tfoot", "th", "thead", "tr",
    "track", "use", "wbr", "frameset", "rb",
];

/// Elements whose content is not markup: HTML reads on to their end tag.
pub const RAW: [&str; 7] = ["script", "style", "textarea", "title", "xmp", "iframe", "noscript"];

/// The page itself if it nests as pages do, else a copy without the tags beyond the limit.
pub fn flatten(page: &str) -> Cow<'_, str> {
    let bytes = page.as_bytes();
    let mut depth = 0_usize;
    let mut flat: Option<String> = None;
    // The page is copied up to here.
    let mut copied = 0;
    let mut at = 0;
    while let Some(found) = page[at..].find('<') {
        let start = at + found;
        if page[start..].starts_with("<!--") {
            at = page[start..].find("-->").map_or(page.len(), |end| start + end + 3);
            continue;
        }
        let closes = bytes.get(start + 1) == Some(&b'/');
        let name_start = start + 1 + usize::from(closes);
        let name_length = bytes[name_start..].iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
        let name = page[name_start..name_start + name_length].to_ascii_lowercase();
        if !name.starts_with(|char: char| char.is_ascii_alphabetic()) {
            at = start + 1;
            continue;
        }
        let (end, attributes) = tag_end(page, name_start + name_length);
        at = end;
        let mut keep = |flat: &mut Option<String>| {
            if attributes > MAX_ATTRIBUTES {
                flat.get_or_insert_default().push_str(&page[copied..name_start + name_length]);
                copied = if page[..end].ends_with('>') { end - 1 } else { end };
            }
        };
        if RAW.contains(&name.as_str()) {
            keep(&mut flat);
            if !closes {
                at = raw_end(page, end, &name);
            }
            continue;
        }
        if NOT_COUNTED.contains(&name.as_str()) || page[start..end].ends_with("/>") {
            keep(&mut flat);
            continue;
        }
        let is_beyond = if closes {
            depth = depth.saturating_sub(1);
            depth >= MAX_DEPTH
        } else {
            depth += 1;
            depth > MAX_DEPTH
        };
        if is_beyond {
            let flat = flat.get_or_insert_default();
            flat.push_str(&page[copied..start]);
            // Keep the words on both sides of a block apart.
            flat.push(' ');
            copied = end;
        } else {
            keep(&mut flat);
        }
    }
    match flat {
        Some(mut flat) => {
            flat.push_str(&page[copied..]);
            Cow::Owned(flat)
        }
        None => Cow::Borrowed(page),
    }
}

/// The place after the `>` that ends a tag (a quoted value may contain one), and the most attributes that the tag can
/// have.
fn tag_end(page: &str, from: usize) -> (usize, usize) {
    let mut quote = None;
    let (mut before, mut last, mut attributes) = (b' ', b' ', 0);
    for (offset, &byte) in page.as_bytes()[from..].iter().enumerate() {
        let parts = byte == b'/' || (last.is_ascii_whitespace() && !byte.is_ascii_whitespace());
        attributes += usize::from(quote.is_none() && parts);
        last = byte;
        match quote {
            Some(mark) if byte == mark => {
                quote = None;
                attributes += 1;
            }
            Some(_) => {}
            None if byte == b'>' => return (from + offset + 1, attributes),
            // A quote opens a value only after `=`; elsewhere it is a typing error.
            None if (byte == b'"' || byte == b'\'') && before == b'=' => quote = Some(byte),
            None => {}
        }
        if !byte.is_ascii_whitespace() {
            before = byte;
        }
    }
    (page.len(), attributes)
}

/// Where the end tag of a raw element starts.
fn raw_end(page: &str, from: usize, name: &str) -> usize {
    let mut at = from;
    while let Some(found) = page[at..].find("</") {
        let end = at + found;
        let rest = &page.as_bytes()[end + 2..];
        if rest.len() >= name.len() && rest[..name.len()].eq_ignore_ascii_case(name.as_bytes()) {
            return end;
        }
        at = end + 2;
    }
    page.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(page: &str, expected: &str) {
        assert_eq!(flatten(page), expected);
    }

    #[test]
    fn ordinary_pages_are_not_copied() {
        let page = "<p>a<div title='>'>b</div><!-- <div> --><script>if (a<b) '<div>'</script>".repeat(2000);
        assert!(matches!(flatten(&page), Cow::Borrowed(_)));
        let unclosed = "<p>a<li>b<td>c<br>".repeat(5000);
        assert!(matches!(flatten(&unclosed), Cow::Borrowed(_)));
    }

    #[test]
    fn tags_beyond_the_limit_go_in_pairs() {
        let deep = |depth: usize, inner: &str| format!("{}{inner}{}", "<div>".repeat(depth), "</div>".repeat(depth));
        check(&deep(MAX_DEPTH, "x"), &deep(MAX_DEPTH, "x"));
        check(&deep(MAX_DEPTH + 1, "x"), &deep(MAX_DEPTH, " x "));
        check(&deep(MAX_DEPTH, "a<B class='c>d'>b</B>c"), &deep(MAX_DEPTH, "a b c"));
    }

    #[test]
    fn a_tag_with_attributes_without_end_loses_them() {
        let tag = |count: usize| format!("<p{}>", " a='1'".repeat(count));
        check(&tag(MAX_ATTRIBUTES / 2), &tag(MAX_ATTRIBUTES / 2));
        check(&format!("a{}b</p>c", tag(MAX_ATTRIBUTES + 1)), "a<p>b</p>c");
        let path = format!("<path d='{}'>", "M 1 2 ".repeat(MAX_ATTRIBUTES));
        check(&path, &path);
        let deep = "<div>".repeat(MAX_DEPTH);
        check(&format!("{deep}<b{}>x", " a".repeat(MAX_ATTRIBUTES + 1)), &format!("{deep} x"));
    }

    #[test]
    fn broken_tags_end_with_the_page() {
        for page in ["<", "</", "<div", "<div a='", "<!--", "<script>", "<é>", "a < b"] {
            check(page, page);
        }
    }
}
