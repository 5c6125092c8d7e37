//! Plain text: the text is the source. Only marks that are hard to mistake count as headings.

use super::{ParseError, Parsed, label, letterhead, lines};
use crate::base::text::{bare_subject, is_cjk, is_of_mail_head, names_sender, names_subject};
use crate::domain::Heading;

/// A first line longer than this is a paragraph rather than a title.
const TITLE_CHARS: usize = 100;
/// Lines with words at the beginning among which a title is looked for.
const HEAD_LINES: usize = 12;
/// An underline is at least this long.
const UNDERLINE: usize = 3;

/// Takes a text as it is.
pub(super) fn parse(text: String) -> Result<Parsed, ParseError> {
    let title = title(&text);
    let headings = headings(&text);
    Ok(Parsed { title, headings, text, ..Parsed::default() })
}

/// Lines that have words: an underline above a title is decoration.
fn head(text: &str) -> impl Iterator<Item = &str> {
    lines(text).map(|(_, line)| line.trim()).filter(|line| !line.is_empty() && underline(line).is_none())
}

fn title(text: &str) -> Option<String> {
    subject(text).or_else(|| first_title(text).map(unspaced))
}

/// "議 事 録" is one word, spaced out to fill its line.
fn unspaced(title: String) -> String {
    let is_one = |word: &str| word.chars().all(is_cjk) && word.chars().nth(1).is_none();
    if title.contains(' ') && title.split(' ').all(is_one) { title.replace(' ', "") } else { title }
}

/// The first line, or the first one below a letterhead. Where that is no title, the sender's name, as above an article on a firm.
fn first_title(text: &str) -> Option<String> {
    let mut head = head(text).take(HEAD_LINES);
    let first = head.next()?;
    let is_title = |line: &&str| is_short(line) && !is_sentence(line);
    if !letterhead::opens_letter(first) {
        return Some(first).filter(is_title).and_then(label);
    }
    let below = head.find(|line| !letterhead::stands_above(line) && !letterhead::is_address(line)).filter(is_title);
    below.or_else(|| Some(first).filter(|first| letterhead::is_sender(first))).and_then(label)
}

/// What a mail that was saved as text is about: the subject among the lines of its head, which opens with its sender or has
/// nothing but names and values.
fn subject(text: &str) -> Option<String> {
    let value = |line: &str, is_named: fn(&str) -> bool| {
        let (name, value) = line.split_once([':', '：'])?;
        is_named(name).then(|| value.trim().to_owned())
    };
    let head = || text.trim_start().lines().take_while(|line| !line.trim().is_empty()).take(HEAD_LINES);
    let is_of_sender = value(head().next()?, names_sender).is_some();
    let of_head = head().filter(|line| value(line, is_of_mail_head).is_some()).count();
    let is_mail = is_of_sender || of_head > 1 && head().all(|line| line.contains([':', '：']));
    let subject = head().find_map(|line| value(line, names_subject)).filter(|_| is_mail)?;
    label(bare_subject(&subject))
}

/// Titles end without a full stop; a question or an exclamation can be one.
fn is_sentence(line: &str) -> bool {
    line.ends_with(['.', '。', ';', ',', ':']) && !line.ends_with("...")
}

fn is_short(line: &str) -> bool {
    // Counting stops early, since the line may be the whole document.
    line.chars().nth(TITLE_CHARS).is_none()
}

fn headings(text: &str) -> Vec<Heading> {
    let mut headings: Vec<Heading> = Vec::new();
    let mut above = None;
    // Whether the line above is the first of its paragraph: an underline below a longer paragraph is a rule.
    let mut opens_paragraph = true;
    let mut is_first = true;
    for (start, line) in lines(text) {
        let words = line.trim();
        if let (Some(level), Some((at, title))) = (underline(line.trim_end()), above) {
            push(&mut headings, at, level, title, line);
        }
        if words.is_empty() || underline(words).is_some() {
            above = None;
            opens_paragraph = true;
            continue;
        }
        if is_first && is_short(words) && is_capitals(words) {
            headings.extend(label(words).map(|text| Heading { start, level: 1, text }));
        }
        is_first = false;
        above = (opens_paragraph && is_short(words)).then_some((start, words));
        opens_paragraph = false;
    }
    headings
}

fn push(headings: &mut Vec<Heading>, start: usize, level: u8, title: &str, underline: &str) {
    // An underline covers most of its title; a short one is a separator. Wide characters take two columns.
    let is_covered = underline.trim_end().len() * 2 >= title.chars().count();
    let is_known = headings.last().is_some_and(|heading| heading.start == start);
    if is_covered && !is_known {
        headings.extend(label(title).map(|text| Heading { start, level, text }));
    }
}

/// The level that a line of nothing but `=` or `-` gives to the line above it.
fn underline(line: &str) -> Option<u8> {
    let level = match line.bytes().next()? {
        b'=' => 1,
        b'-' => 2,
        _ => return None,
    };
    let mark = line.as_bytes()[0];
    (line.len() >= UNDERLINE && line.bytes().all(|byte| byte == mark)).then_some(level)
}

/// Whether a line is written in capitals: a few letters at least, and none small. Scripts without case have none.
fn is_capitals(line: &str) -> bool {
    line.chars().filter(|char| char.is_uppercase()).take(4).count() == 4 && !line.chars().any(char::is_lowercase)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, title: Option<&str>, headings: &[(usize, u8, &str)]) {
        let parsed = parse(text.to_owned()).unwrap();
        assert_eq!(parsed.text, text);
        assert_eq!(parsed.title.as_deref(), title, "{text}");
        let found: Vec<_> = parsed.headings.iter().map(|h| (h.start, h.level, h.text.as_str())).collect();
        assert_eq!(found, headings, "{text}");
    }

    #[test]
    fn titles_of_papers_and_mails() {
        let check = |text: &str, expected: &str| assert_eq!(title(text).as_deref(), Some(expected), "{text}");
        check(
            "WENLOW CLIFF LIFT TRUST\nMinutes of the meeting in the hall, Tuesday 14 November 2023, 7 pm\n\nPresent: Ann",
            "Minutes of the meeting in the hall, Tuesday 14 November 2023, 7 pm",
        );
        check(
            "公益財団法人汐待海洋文化財団\n飼育作業規程(平成31年4月1日施行)\n\n第1章 総則",
            "飼育作業規程(平成31年4月1日施行)",
        );
        check("議 事 録\n\n日 時:令和6年8月20日", "議事録");
        check("From: Ann <a@example.org>\nSubject: Re: AW: Re: Tank\n\nSettled.", "Tank");
        check("From: Ann <a@example.org>\nSubject: Re:\n\nSettled.", "Re:");
    }

    #[test]
    fn first_line_is_the_title_when_short() {
        check("\n\n  A note \nmore", Some("A note"), &[]);
        check(&"long ".repeat(30), None, &[]);
        check(&"語".repeat(100), Some("語".repeat(100).as_str()), &[]);
        check(&"語".repeat(101), None, &[]);
    }

    #[test]
    fn a_mail_is_titled_by_its_subject() {
        check(
            "From: Ann <a@b.example>\nTo: Bo\nSubject: Boiler 2 again\n\nBo,\nit failed.",
            Some("Boiler 2 again"),
            &[],
        );
        check("差出人：安西\n件名：給水車の返却\n\n本文", Some("給水車の返却"), &[]);
        check("件名:柚子果汁の納期\n日付:2024年12月12日\n差出人:宇津木\n\n本文", Some("柚子果汁の納期"), &[]);
        check("From: Ann\n\nSubject: of another part", Some("From: Ann"), &[]);
        check("From: here to there\nSubject:\n\ntext", Some("From: here to there"), &[]);
    }

    #[test]
    fn the_title_of_a_letter_is_below_its_letterhead() {
        check(
            "OUVEL FERRY TRUST\nMinutes of the board\n27 March 2025\n\nPresent: all",
            Some("Minutes of the board"),
            &[(0, 1, "OUVEL FERRY TRUST")],
        );
        let letter = "Larchfield Tenants Ltd\nBoard office, Block B\nOpen Mondays 17:00-19:00\n\nTo all households\n\n\
            Dear members,\n\nReplacement of the lift\n\nThe meeting decided it.";
        check(letter, Some("Replacement of the lift"), &[]);
        check(
            "  営発第25-007号\n  令和7年1月20日\nお得意先各位\n\n価格改定のお願い\n\n拝啓",
            Some("価格改定のお願い"),
            &[],
        );
        check(
            "令和6年7月30日\n霧ノ瀬鉄道株式会社 安全推進室\n\n落石事故の原因について",
            Some("落石事故の原因について"),
            &[],
        );
        check("Ouvel Ferry Trust\n\nThe ferry has run since 1904.", Some("Ouvel Ferry Trust"), &[]);
        check("An overview of the ferries\nand of much else", Some("An overview of the ferries"), &[]);
        check("To Kill a Mockingbird\n\nChapter 1", Some("To Kill a Mockingbird"), &[]);
        check("1 June 2024\nWe met.", None, &[]);
    }

    #[test]
    fn underlines_make_headings() {
        check("Title\n=====\n\nText.\n\nPart\n----\nmore", Some("Title"), &[(0, 1, "Title"), (20, 2, "Part")]);
        check("=====\nTitle\n=====\r\nText", Some("Title"), &[(6, 1, "Title")]);
        check("日本語\n======\n", Some("日本語"), &[(0, 1, "日本語")]);
    }

    #[test]
    fn rules_and_tables_do_not() {
        check("One line.\nAnother line.\n-------------\nText", None, &[]);
        check("A sentence that goes on.\n---\nText", None, &[]);
        check("a  b\n-  -\n1  2", Some("a b"), &[]);
        check("---\n---\ntext", Some("text"), &[]);
    }

    #[test]
    fn capitals_count_on_the_first_line_only() {
        check("THE REPORT\n\nTHE REST", Some("THE REPORT"), &[(0, 1, "THE REPORT")]);
        check("THE REPORT\n==========\n", Some("THE REPORT"), &[(0, 1, "THE REPORT")]);
        check("日本語の文", Some("日本語の文"), &[]);
        check("NB", Some("NB"), &[]);
    }
}
