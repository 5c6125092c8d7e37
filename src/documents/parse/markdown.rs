//! Markdown: the text is the source; headings, title and date come from its markup and front matter.

mod front_matter;

use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd};

use super::{ParseError, Parsed, label, lines};
use crate::base::text::names_version;
use crate::domain::Heading;

/// A line of more bytes is data that was pasted in. It is not a heading, and the Markdown parser, which needs many
/// times the length of its input in memory, never sees it.
const LONG_LINE: usize = 64 * 1024;
/// About how many bytes the Markdown parser gets at once, which bounds its memory.
const PIECE: usize = 4 * 1024 * 1024;

/// Parses a Markdown document. Front matter stays in the text, and the body begins after it.
pub(super) fn parse(text: String) -> Result<Parsed, ParseError> {
    let front = front_matter::find(&text);
    let body = front.as_ref().map_or(0, |front| front.end);
    let headings = headings(&text, body);
    let language = front.as_ref().map(|front| front.language).unwrap_or_default();
    let (title, date) = front.map_or((None, None), |front| (front.title, front.date));
    let title = title.or_else(|| heading_of_all(&headings).map(|heading| heading.text.clone()));
    Ok(Parsed { title, headings, body_start: body, date, language, text, ..Parsed::default() })
}

/// Parses a text that is not named as Markdown but opens like it. Fields of its front matter other than those read here
/// are its own words, and not the settings of a program.
pub(super) fn parse_unnamed(text: String) -> Result<Parsed, ParseError> {
    let words = front_matter::find(&text).and_then(|front| front.other);
    let parsed = parse(text)?;
    Ok(Parsed { body_start: words.unwrap_or(parsed.body_start), ..parsed })
}

/// Whether a text opens with front matter that contains a title.
pub(super) fn has_titled_front_matter(text: &str) -> bool {
    front_matter::find(text).is_some_and(|front| front.title.is_some())
}

/// The first heading of the first level, unless it only heads the newest of several versions.
fn heading_of_all(headings: &[Heading]) -> Option<&Heading> {
    let mut first = headings.iter().filter(|heading| heading.level == 1);
    let title = first.next()?;
    let is_one_of_several = names_version(&title.text) && first.next().is_some_and(|next| names_version(&next.text));
    (!is_one_of_several).then_some(title)
}

fn headings(text: &str, body: usize) -> Vec<Heading> {
    let mut headings = Vec::new();
    let mut piece = body;
    let mut fence = Fence::default();
    let mut after_blank = true;
    for (at, line) in lines(&text[body..]) {
        let start = body + at;
        if line.len() > LONG_LINE {
            headings_of_piece(text, piece, start, &mut headings);
            piece = start + line.len();
            continue;
        }
        // No block of Markdown may be open where a piece ends: only then do two pieces read like the whole. A text
        // without such a place is data.
        let is_border = after_blank && !line.starts_with([' ', '\t', '>']);
        let longest = if is_border { PIECE } else { 2 * PIECE };
        if !fence.is_open() && start - piece > longest {
            headings_of_piece(text, piece, start, &mut headings);
            piece = start;
        }
        fence.pass(line);
        after_blank = line.trim().is_empty();
    }
    headings_of_piece(text, piece, text.len(), &mut headings);
    headings
}

/// Whether a line is within a fenced code block.
#[derive(Default)]
struct Fence {
    /// The character that opened the block, and how often it was repeated.
    open: Option<(char, usize)>,
}

impl Fence {
    fn is_open(&self) -> bool {
        self.open.is_some()
    }

    fn pass(&mut self, line: &str) {
        let line = line.trim_start();
        let Some(mark) = line.chars().next().filter(|mark| matches!(mark, '`' | '~')) else { return };
        let rest = line.trim_start_matches(mark);
        let length = line.len() - rest.len();
        match self.open {
            None if length >= 3 => self.open = Some((mark, length)),
            Some((opener, least)) if mark == opener && length >= least && rest.trim().is_empty() => self.open = None,
            _ => {}
        }
    }
}

fn headings_of_piece(text: &str, from: usize, to: usize, headings: &mut Vec<Heading>) {
    let mut current: Option<Heading> = None;
    // Badges stand beside a heading's words; if there are none, the words of its picture are the heading.
    let (mut in_image, mut pictured) = (false, String::new());
    let events = Parser::new_ext(&text[from..to], Options::ENABLE_HEADING_ATTRIBUTES | Options::ENABLE_TABLES);
    for (event, range) in events.into_offset_iter() {
        match event {
            Event::Start(Tag::Heading { level, .. }) => {
                let start = line_start(text, from + range.start);
                current = Some(Heading { start, level: depth(level), text: String::new() });
                pictured.clear();
            }
            Event::End(TagEnd::Heading(_)) => {
                let finished = current.take();
                headings.extend(finished.and_then(|heading| {
                    let text = label(&heading.text).or_else(|| label(&pictured))?;
                    Some(Heading { text, ..heading })
                }));
            }
            Event::Start(Tag::Image { .. }) => in_image = true,
            Event::End(TagEnd::Image) => in_image = false,
            Event::Text(words) if in_image => pictured.push_str(&words),
            Event::Text(words) | Event::Code(words) => {
                if let Some(heading) = &mut current {
                    heading.text.push_str(&words);
                }
            }
            Event::SoftBreak | Event::HardBreak => {
                if let Some(heading) = &mut current {
                    heading.text.push(' ');
                }
            }
            _ => {}
        }
    }
}

/// The start of the line: a heading in a quotation or a list begins after the mark, but its chunk takes the whole line.
fn line_start(text: &str, at: usize) -> usize {
    text[..at].rfind('\n').map_or(0, |newline| newline + 1)
}

fn depth(level: HeadingLevel) -> u8 {
    match level {
        HeadingLevel::H1 => 1,
        HeadingLevel::H2 => 2,
        HeadingLevel::H3 => 3,
        HeadingLevel::H4 => 4,
        HeadingLevel::H5 => 5,
        HeadingLevel::H6 => 6,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::DateOrigin;

    fn check(text: &str, title: Option<&str>, headings: &[(usize, u8, &str)]) {
        let parsed = parse(text.to_owned()).unwrap();
        assert_eq!(parsed.text, text);
        assert_eq!(parsed.title.as_deref(), title, "{text}");
        let found: Vec<_> = parsed.headings.iter().map(|h| (h.start, h.level, h.text.as_str())).collect();
        assert_eq!(found, headings, "{text}");
    }

    #[test]
    fn headings_of_both_styles() {
        check("# One\n\ntext\n\n## Two ##\n", Some("One"), &[(0, 1, "One"), (13, 2, "Two")]);
        check("intro\n\nOne\n===\n\nTwo\n---\n", Some("One"), &[(7, 1, "One"), (16, 2, "Two")]);
        check("## Only two\n", None, &[(0, 2, "Only two")]);
    }

    #[test]
    fn headings_lose_their_markup() {
        check("# A *b* `c` [d](e) ![f](g) {#id}\n", Some("A b c d"), &[(0, 1, "A b c d")]);
        check("# ![Logo](x.png)\n", Some("Logo"), &[(0, 1, "Logo")]);
        check("# 1.2.0 (May 3)\n# 1.1.9\n", None, &[(0, 1, "1.2.0 (May 3)"), (16, 1, "1.1.9")]);
        check("# Tool 1.2.0\n\n## New\n", Some("Tool 1.2.0"), &[(0, 1, "Tool 1.2.0"), (14, 2, "New")]);
        check("#\n# &amp; more\n", Some("& more"), &[(2, 1, "& more")]);
    }

    #[test]
    fn code_is_no_heading() {
        check("```\n# no\n```\n\n    # no\n\n# yes\n", Some("yes"), &[(24, 1, "yes")]);
    }

    #[test]
    fn offsets_are_of_the_line() {
        check("é\n\n  # One\n\n> # Two\n", Some("One"), &[(4, 1, "One"), (13, 1, "Two")]);
    }

    #[test]
    fn front_matter_is_skipped_and_read() {
        let text = "---\ntitle: \"The: title\"\ndate: 2022-10-03\n---\n# Heading\n";
        let parsed = parse(text.to_owned()).unwrap();
        assert_eq!(parsed.title.as_deref(), Some("The: title"));
        assert_eq!(parsed.body_start, text.find("# Heading").unwrap());
        assert_eq!(parsed.headings.len(), 1, "the closing fence is no underline");
        assert_eq!(parsed.headings[0].start, parsed.body_start);
        let date = parsed.date.unwrap();
        assert_eq!((date.date.to_string().as_str(), date.origin), ("2022-10-03", DateOrigin::FrontMatter));
    }

    #[test]
    fn what_a_text_says_in_its_front_matter_is_searched() {
        let check = |text: &str, body: &str| {
            let parsed = parse_unnamed(text.to_owned()).unwrap();
            assert_eq!((parsed.title.as_deref(), &text[parsed.body_start..]), (Some("Weir"), body));
        };
        check("---\nTitle: Weir\nKeeper: Bo\n---\nWords.", "Keeper: Bo\n---\nWords.");
        check("---\nTitle: Weir\nDate: 2022-10-03\n---\nWords.", "Words.");
    }

    #[test]
    fn long_lines_are_passed_over() {
        let long = "*".repeat(LONG_LINE + 1);
        let text = format!("# One\n\n{long}\n\n# Two\n");
        let two = text.find("# Two").unwrap();
        check(&text, Some("One"), &[(0, 1, "One"), (two, 1, "Two")]);
    }

    #[test]
    fn a_text_without_blank_lines_is_read_in_pieces() {
        let line = "# a\n";
        let count = PIECE * 9 / 4 / line.len();
        let parsed = parse(line.repeat(count)).unwrap();
        assert_eq!(parsed.headings.len(), count);
    }

    #[test]
    fn pieces_read_like_the_whole() {
        let part = "## Part\n\n```sh\n# comment\n\n# comment\n```\n\nWords and more words.\n\n";
        let count = PIECE * 5 / 2 / part.len();
        let parsed = parse(part.repeat(count)).unwrap();
        assert_eq!(parsed.headings.len(), count);
        assert!(parsed.headings.iter().enumerate().all(|(index, heading)| heading.start == index * part.len()));
    }
}
