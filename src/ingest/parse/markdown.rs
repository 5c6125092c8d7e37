//! Markdown: the source is the text; headings and front matter are read from it.

use pulldown_cmark::{Event, HeadingLevel, MetadataBlockKind, Options, Parser, Tag, TagEnd};

use super::Parsed;
use super::dates::parse_date;
use crate::domain::{DateOrigin, DocumentDate, Heading};

/// The parser keeps a tree many times the size of its input; beyond this, headings are read line by line.
const TREE_MAX_BYTES: usize = 8 * 1024 * 1024;

/// Reads headings, title and date.
pub(super) fn parse(text: String) -> Parsed {
    let (headings, front) = if text.len() > TREE_MAX_BYTES { (by_lines(&text), None) } else { by_tree(&text) };
    let mut title = None;
    let mut date = None;
    for (key, value) in front.iter().flat_map(|front| fields(front)) {
        match key {
            "title" if title.is_none() => title = Some(value.to_owned()),
            // The day of publication is the one a document speaks from; changes come later.
            "date" | "published" | "created" | "pubdate" | "publishdate" if date.is_none() => date = parse_date(value),
            _ => {}
        }
    }
    if title.is_none() {
        title = headings.iter().find(|heading| heading.level == 1).map(|heading| heading.text.clone());
    }
    let date = date.map(|date| DocumentDate { date, origin: DateOrigin::FrontMatter });
    Parsed { title, headings, date, text, ..Parsed::default() }
}

fn by_tree(text: &str) -> (Vec<Heading>, Option<String>) {
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_HEADING_ATTRIBUTES
        | Options::ENABLE_YAML_STYLE_METADATA_BLOCKS
        | Options::ENABLE_PLUSES_DELIMITED_METADATA_BLOCKS;
    let mut headings = Vec::new();
    let mut open: Option<Heading> = None;
    let mut front: Option<String> = None;
    let mut in_front = false;
    for (event, range) in Parser::new_ext(text, options).into_offset_iter() {
        match event {
            Event::Start(Tag::Heading { level, .. }) => {
                open = Some(Heading { start: range.start, level: level_number(level), text: String::new() });
            }
            Event::End(TagEnd::Heading(_)) => {
                headings.extend(open.take().map(|heading| Heading { text: one_line(&heading.text), ..heading }));
            }
            Event::Start(Tag::MetadataBlock(MetadataBlockKind::YamlStyle | MetadataBlockKind::PlusesStyle)) => {
                // Only the first block, at the head of the file, is front matter.
                in_front = front.is_none() && text[..range.start].trim().is_empty();
            }
            Event::End(TagEnd::MetadataBlock(_)) => in_front = false,
            Event::Text(piece) if in_front => front.get_or_insert_default().push_str(&piece),
            Event::Text(piece) | Event::Code(piece) => {
                if let Some(heading) = &mut open {
                    heading.text.push_str(&piece);
                }
            }
            Event::SoftBreak | Event::HardBreak => {
                if let Some(heading) = &mut open {
                    heading.text.push(' ');
                }
            }
            _ => {}
        }
    }
    headings.retain(|heading| !heading.text.is_empty());
    (headings, front)
}

/// Headings that begin with `#`, outside fences.
fn by_lines(text: &str) -> Vec<Heading> {
    let mut headings = Vec::new();
    let mut start = 0;
    let mut fenced = false;
    for line in text.split_inclusive('\n') {
        if line.starts_with("```") || line.starts_with("~~~") {
            fenced = !fenced;
        }
        let level = line.bytes().take(7).take_while(|&byte| byte == b'#').count();
        let rest = &line[level..];
        if !fenced && (1..=6).contains(&level) && rest.starts_with([' ', '\t']) && rest.len() < 1024 {
            let words = one_line(rest.trim().trim_end_matches('#'));
            if !words.is_empty() {
                headings.push(Heading { start, level: u8::try_from(level).unwrap_or(6), text: words });
            }
        }
        start += line.len();
    }
    headings
}

/// The `key: value` (YAML) and `key = value` (TOML) lines of front matter, keys in lower case by convention.
fn fields(front: &str) -> impl Iterator<Item = (&str, &str)> {
    front.lines().filter_map(|line| {
        let at = line.find([':', '='])?;
        let value = line[at + 1..].trim();
        let bare = value.trim_matches(['"', '\'']);
        (!bare.is_empty()).then(|| (line[..at].trim(), bare))
    })
}

fn level_number(level: HeadingLevel) -> u8 {
    match level {
        HeadingLevel::H1 => 1,
        HeadingLevel::H2 => 2,
        HeadingLevel::H3 => 3,
        HeadingLevel::H4 => 4,
        HeadingLevel::H5 => 5,
        HeadingLevel::H6 => 6,
    }
}

fn one_line(text: &str) -> String {
    crate::base::text::one_line(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, title: Option<&str>, headings: &[(usize, u8, &str)]) {
        let parsed = parse(text.to_owned());
        assert_eq!(parsed.title.as_deref(), title);
        let found: Vec<_> = parsed.headings.iter().map(|h| (h.start, h.level, h.text.as_str())).collect();
        assert_eq!(found, headings);
        assert_eq!(parsed.text, text);
    }

    #[test]
    fn headings_with_their_offsets() {
        check("# One `x` *y*\n\ntext\n\n## Two\n", Some("One x y"), &[(0, 1, "One x y"), (21, 2, "Two")]);
        check("Set\n===\n\nSub\n---\n", Some("Set"), &[(0, 1, "Set"), (9, 2, "Sub")]);
        check("```\n# no heading\n```\n", None, &[]);
        check("日本\n\n# 題\n", Some("題"), &[(8, 1, "題")]);
        check("#\n\ntext", None, &[]);
    }

    #[test]
    fn front_matter() {
        let parsed = parse("---\ntitle: \"A: b\"\ndate: 2020-01-31T00:00:00Z\n---\n# Head\n".to_owned());
        assert_eq!(parsed.title.as_deref(), Some("A: b"));
        assert_eq!(parsed.date.map(|date| date.date.to_string()).as_deref(), Some("2020-01-31"));
        let parsed = parse("+++\ntitle = 'T'\ndate = 2021-02-03\n+++\ntext\n".to_owned());
        assert_eq!((parsed.title.as_deref(), parsed.date.is_some()), (Some("T"), true));
        assert_eq!(parse("text\n\n---\ntitle: no\n---\n".to_owned()).date, None);
    }

    #[test]
    fn lines_and_tree_agree() {
        let text = "# One\n\ntext\n\n```\n# no\n```\n## Two ##\n### 三\n";
        assert_eq!(by_lines(text), by_tree(text).0);
    }
}
