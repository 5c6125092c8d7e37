//! Finds the day that a document gives itself where documents do: in its title, on a line of its own, after a label, or
//! in its file's name. Dates that a text mentions are not its own. The fields of a format are read with the format, and
//! `date` knows how dates are written.

mod labels;
mod words;

use std::ops::Range;
use std::path::Path;

use jiff::civil::Date;

use super::{Parsed, date, letterhead, lines};
use crate::base::text::{is_cjk, may_open, names_version};
use crate::domain::{DateOrigin, DocumentDate, Format};
use labels::LABELS;
pub(super) use words::is_office;
use words::{AFTER, BEFORE, DATED_TITLE_WORDS, DOES, DONE, FROM_DAY, ON};

/// How many lines with words at the beginning, and at the end (`TAIL_LINES`), may say the document's date.
const HEAD_LINES: usize = 12;
const TAIL_LINES: usize = 8;
/// How many of the first lines may stand above the title.
const ABOVE: usize = 2;
/// How many bytes at the beginning and at the end are looked at, so that a document of one line costs no more.
const LOOKED_AT: usize = 4096;
/// A line of more bytes is a paragraph, in which a date needs a label; above `LABELLED_BYTES` no date is looked for.
const LINE_BYTES: usize = 200;
const LABELLED_BYTES: usize = 600;
/// The first year of which a date without a label is taken as the document's: earlier dates are mostly ones it
/// mentions.
const DIGITAL: i16 = 1980;

/// The day of a document, from the fields of its format, its own words and its file's name.
///
/// The properties of office documents and PDFs say when a program made the file, which says less than the document's
/// own words.
pub(super) fn document_date(path: &Path, format: Format, parsed: &Parsed) -> Option<DocumentDate> {
    use Format::{
        Asciidoc, Docx, Html, Latex, Markdown, Notebook, Odp, Ods, Odt, Org, Pdf, Pptx, Rst, Rtf, Text, Xlsx,
    };
    let is_property = matches!(format, Pdf | Docx | Odt | Rtf | Pptx | Odp | Xlsx | Ods);
    if parsed.date.is_some() && !is_property {
        return parsed.date;
    }
    let has_lines = matches!(
        format,
        Text | Markdown | Html | Pdf | Docx | Odt | Rtf | Pptx | Odp | Latex | Org | Rst | Asciidoc | Notebook
    );
    let own = if has_lines { in_text(parsed) } else { None };
    let own = own.map(|date| DocumentDate { date, origin: DateOrigin::Dateline });
    let named = || date_in_file_name(path).map(|date| DocumentDate { date, origin: DateOrigin::FileName });
    own.or_else(named).or(parsed.date)
}

/// The day that a text gives as its own.
fn in_text(parsed: &Parsed) -> Option<Date> {
    let body = parsed.text.get(parsed.body_start..).unwrap_or(&parsed.text);
    let head: Vec<&str> = with_words(&body[..body.floor_char_boundary(LOOKED_AT)]).take(HEAD_LINES).collect();
    let end = &body[body.ceil_char_boundary(body.len().saturating_sub(LOOKED_AT))..];
    let mut tail: Vec<&str> = with_words(end).collect();
    tail.drain(..tail.len().saturating_sub(TAIL_LINES));
    // A list of versions ends with the oldest one.
    if parsed.headings.iter().filter(|heading| names_version(&heading.text)).nth(1).is_some() {
        tail.clear();
    }
    let titles = parsed.title.as_deref().into_iter().chain(parsed.headings.first().map(|first| first.text.as_str()));
    // If the first line names the sender, the name of the paper is below it.
    let below_sender = head.iter().copied().find(|line| !letterhead::is_sender(line));
    let titles = titles.chain(head.first().copied()).chain(below_sender);
    let titles: Vec<&str> = titles.filter(|line| line.len() <= LINE_BYTES).collect();
    if let Some(date) = titles.iter().find_map(|title| meeting_date(title)) {
        return Some(date);
    }
    let labelled = titles.iter().filter_map(|title| labelled(title, true));
    // Of several labelled dates (drawn up, changed) the latest is the one as of which the text speaks.
    let in_line = |line: &&str| self::labelled(line, false).or_else(|| signing_date(line));
    let labelled = labelled.chain(head.iter().chain(&tail).filter_map(in_line)).max();
    // A letter's own date stands above everything, even if the letter is about something that happened at a labelled
    // time.
    let is_filed = head.first().is_some_and(|first| letterhead::is_number(first));
    let above = lone_date_line(&head[..head.len().min(ABOVE)]).filter(|_| labelled.is_some() || is_filed);
    labelled
        .max(above)
        .or_else(|| titles.iter().find_map(|title| date_in_title(title)))
        .or_else(|| head.iter().filter_map(|line| labelled_month(line)).max())
        .or_else(|| head.iter().take(ABOVE).find_map(|line| dispatch_date(line)))
        .or_else(|| lone_date_line(if head.iter().any(|line| alone(line).is_some()) { &head } else { &tail }))
}

/// The lines with words, without the marks around them.
fn with_words(text: &str) -> impl Iterator<Item = &str> {
    lines(text).map(|(_, line)| bare(line)).filter(|line| line.chars().any(char::is_alphanumeric))
}

/// A line without marks of headings, emphasis, lists, quotes and tables.
fn bare(line: &str) -> &str {
    line.trim()
        .trim_matches(|mark: char| matches!(mark, '#' | '*' | '_' | '>' | '|' | '~' | '`' | '=' | ' ' | '\u{3000}'))
}

/// The latest date in a line that has a label before or after it, at the line's beginning or after a separator. In a
/// title, other words may precede the label.
fn labelled(line: &str, in_title: bool) -> Option<Date> {
    if line.len() > LABELLED_BYTES {
        return None;
    }
    dates(line).filter(|(_, range)| has_label(line, range, in_title)).map(|(date, _)| date).max()
}

/// The first day of the month in a line that has a label before or after a month and its year: `Stand: Januar 2025`.
fn labelled_month(line: &str) -> Option<Date> {
    if line.len() > LABELLED_BYTES {
        return None;
    }
    let (month, range) = date::find_month_at(line)?;
    has_label(line, &range, false).then_some(month)
}

/// Whether a label stands before or after the date at `range`.
fn has_label(line: &str, range: &Range<usize>, in_title: bool) -> bool {
    let (before, after) = (&line[..range.start], &line[range.end..]);
    let is_label = || is_label(before, in_title) && ends(after);
    let is_labelled =
        || is_label() || is_labelled_behind(before, after) || is_edition(before) || words::opens_deed(before);
    !words::is_date_of_other_document(before, after) && is_labelled()
}

/// The dates of a line, with their byte ranges.
fn dates(line: &str) -> impl Iterator<Item = (Date, Range<usize>)> + '_ {
    let mut from = 0;
    std::iter::from_fn(move || {
        let (date, range) = date::find_at(line.get(from..)?)?;
        let range = from + range.start..from + range.end;
        from = range.end;
        Some((date, range))
    })
}

fn is_separator(character: char) -> bool {
    matches!(
        character,
        '(' | '（'
            | '['
            | '【'
            | '〔'
            | '「'
            | '|'
            | '/'
            | '·'
            | '•'
            | '—'
            | '–'
            | ';'
            | '；'
            | ','
            | '、'
            | '。'
            | ')'
            | '）'
            | ']'
            | '】'
            | '\u{3000}'
            | '｜'
            | '・'
            | '<'
    )
}

/// Whether the text before a date ends with a label of document dates.
fn is_label(before: &str, in_title: bool) -> bool {
    let before = before.trim_end_matches(|mark: char| {
        mark.is_whitespace()
            || matches!(mark, ':' | '：' | '=' | '-' | '–' | '*' | '_' | '(' | '（' | '|' | '`' | '"' | '，')
    });
    let before = before.strip_suffix(',').map_or(before, words::without_day);
    let segment = before.rsplit(is_separator).next().unwrap_or(before);
    let segment = segment.rsplit(". ").next().unwrap_or(segment);
    let segment = bare(segment.rsplit(" - ").next().unwrap_or(segment));
    if BEFORE.iter().any(|label| segment.ends_with(label)) && !words::is_unrelated_label(segment) {
        // A few characters may stand before the label, as in `第3回改定`; a sentence may not.
        return in_title || segment.chars().count() <= 12;
    }
    if words::author(segment).is_some_and(|name| is_name(name, 4)) {
        return true;
    }
    let mut words: Vec<String> =
        segment.split_whitespace().map(|word| word.trim_matches(['.', ':', '*', '_']).to_lowercase()).collect();
    words.retain(|word| !word.is_empty());
    let all = words.len();
    while words.len() > 1 && words.last().is_some_and(|last| ON.contains(&last.as_str()) || words::is_time(last)) {
        words.pop();
    }
    // Slavic languages put no small word between the two: `Утверждено 3 февраля`.
    let is_beside = words.len() < all || words.len() == 1;
    if is_beside && words::tells_of_approval(&words) || words::names_day_of_paper(&words) {
        return true;
    }
    let of = |words: &[String]| LABELS.contains(&words.join(" ").as_str());
    of(&words)
        || (in_title && words.len() > 1 && (1..=3).any(|last| words.len() > last && of(&words[words.len() - last..])))
}

/// Whether only a version number stands before a date: `Version 2.0, `, `第4版　`.
fn is_edition(before: &str) -> bool {
    let before = before.trim().trim_end_matches([',', ':', '(', '（', '、', '·', '-', '–']).trim();
    let low = before.to_lowercase();
    let number = |rest: &str| {
        let rest = rest.trim().trim_start_matches(['.', '#']);
        !rest.is_empty() && rest.len() <= 8 && rest.chars().all(|c| c.is_ascii_digit() || c == '.' || c == '-')
    };
    ["version", "ver.", "rev", "revision", "edition", "issue", "v"]
        .iter()
        .any(|word| low.strip_prefix(word).is_some_and(number))
        || low.strip_prefix('第').and_then(|rest| rest.strip_suffix('版')).is_some_and(number)
}

/// Whether a label directly follows a date that begins its line or its part of the line.
fn is_labelled_behind(before: &str, after: &str) -> bool {
    let begins = before.trim_end().is_empty()
        || before.ends_with(|mark: char| mark.is_whitespace() || is_separator(mark) || matches!(mark, '自' | 'は'));
    let behind =
        |text: &str, known: &[&str]| known.iter().find(|one| text.starts_with(**one)).map_or(0, |one| one.len());
    let after = after.trim_start();
    let after = after[behind(after, &FROM_DAY)..].trim_start();
    // `施行版` is the version of that day.
    let ends_there = |rest: &str| ends(rest.strip_prefix('版').unwrap_or(&rest[behind(rest, &DOES)..]));
    begins && AFTER.iter().any(|label| after.strip_prefix(label).is_some_and(ends_there))
}

/// Whether nothing but a time, a day of the week, a new part of the line or a new sentence follows.
fn ends(after: &str) -> bool {
    if after.starts_with(". ") {
        return true;
    }
    let after = after.trim_start_matches(['*', '_', '`', '"', '.']);
    let rest = after.trim_start();
    match rest.chars().next() {
        None => true,
        Some('T') if rest[1..].starts_with(|digit: char| digit.is_ascii_digit()) => true,
        Some(first) if first.is_alphabetic() => {
            words::is_time(rest)
                || words::by(rest).is_some_and(|name| is_name(name, 5))
                || (after.len() > rest.len() && first >= '\u{2e80}' && is_short_name(rest))
        }
        Some(_) => true,
    }
}

/// Whether a text is a few characters without punctuation or particles, which name a person, an office or a place.
fn is_short_name(text: &str) -> bool {
    let text = text.trim();
    text.chars().count() <= 20 && !text.contains(['、', '。', '，', 'は', 'が', 'を'])
}

/// The date at the beginning or the end of a title that names a kind of document with a day.
fn date_in_title(title: &str) -> Option<Date> {
    let low = title.to_lowercase();
    let named = DATED_TITLE_WORDS.iter().any(|kind| low.contains(kind));
    let at_border = |range: &Range<usize>| {
        let is_mark = |rest: &str| !rest.chars().any(char::is_alphanumeric);
        is_mark(&title[..range.start]) || is_mark(&title[range.end..]) || words::is_time(title[range.end..].trim())
    };
    let is_own = |range: &Range<usize>| !words::is_date_of_other_document(&title[..range.start], &title[range.end..]);
    let mut found = dates(title).filter(|(_, range)| is_own(range));
    found.find(|(date, range)| named && date.year() >= DIGITAL && at_border(range)).map(|(date, _)| date)
}

/// The day of the meeting that the title of minutes names. Minutes are signed on another day.
fn meeting_date(title: &str) -> Option<Date> {
    let (date, _) = dates(title).next().filter(|_| letterhead::names_minutes(title))?;
    (date.year() >= DIGITAL).then_some(date)
}

/// The date of the one line that is nothing but a date. Different dates on several such lines belong to a list or a
/// diary.
fn lone_date_line(lines: &[&str]) -> Option<Date> {
    let mut found = lines.iter().filter_map(|line| alone(line));
    let first = found.next()?;
    found.all(|other| other == first).then_some(first)
}

/// The date of a line that says nothing but when, where and by whom a document was written or signed.
pub fn date_of_dateline(line: &str) -> Option<Date> {
    alone(line).or_else(|| signing_date(line))
}

/// The date of a line with nothing else but a day of the week, a time, a place or the writer.
pub(super) fn alone(line: &str) -> Option<Date> {
    if line.len() > LINE_BYTES {
        return None;
    }
    let (date, range) = date::find_at(line).filter(|(date, _)| date.year() >= DIGITAL)?;
    let (before, after) = (line[..range.start].trim(), line[range.end..].trim());
    let spaced = line[range.end..].starts_with(|mark: char| mark.is_whitespace() || matches!(mark, '(' | '（'));
    let after = words::without_times(after);
    let is_wide = after.chars().all(|one| one >= '\u{2e80}' || !one.is_alphanumeric());
    let behind = after.is_empty() || (spaced && is_wide && is_short_name(after));
    (behind && may_precede_date(before)).then_some(date)
}

/// Whether the text before the date of a dateline is empty, a day of the week, a place or a writer.
fn may_precede_date(before: &str) -> bool {
    let rest = words::without_times(before);
    if rest.is_empty() {
        return true;
    }
    // `Boston, `, `Iserlohn, den `
    let is_place = before.split_once(',').is_some_and(|(place, on)| {
        let on = words::without_times(on);
        (on.is_empty() || ON.contains(&on)) && is_name(place, 3)
    });
    // `г. Мурманск`, with or without a comma
    let town = words::town(before).is_some_and(|place| is_name(place, 3));
    let is_place = is_place || town || is_place_of_deed(before);
    let is_writer = (before.ends_with(['|', '·', '•', '—', '–', ','])
        && words::by(rest).is_some_and(|name| is_name(name, 5)))
        || (before.ends_with(['|', '·', '•', '—', '–']) && is_name(rest, 5));
    // The issuing office stands alone in a line of wide characters: `人事課　2026年1月20日`.
    let is_office = before.chars().all(|one| one >= '\u{2e80}') && is_short_name(rest) && is_office(rest);
    is_place || is_writer || is_office
}

/// Whether the place of a deed stands before its date: `Fait à Toulouse, le `, `En Madrid, a `.
fn is_place_of_deed(before: &str) -> bool {
    let Some((place, on)) = before.rsplit_once(',') else { return false };
    let low = place.to_lowercase();
    let done = DONE.iter().find(|done| low.starts_with(**done));
    // The number of copies may follow the place.
    let place = done.and_then(|done| place.get(done.len()..)).and_then(|place| place.split(" en ").next());
    let on = on.trim();
    (on.is_empty() || ON.contains(&on)) && place.is_some_and(|place| is_name(place, 3))
}

/// The date of a line that says where and when a deed was signed, and perhaps in how many copies.
fn signing_date(line: &str) -> Option<Date> {
    let (date, range) = date::find_at(line).filter(|(date, _)| date.year() >= DIGITAL)?;
    let after = line[range.end..].trim_start();
    let ends = after.is_empty() || after.starts_with([',', '.']);
    (ends && is_place_of_deed(line[..range.start].trim())).then_some(date)
}

/// The date of a report that begins with the place and day of dispatch: `PARIS, 3 March 2024 (Agency) — `.
fn dispatch_date(line: &str) -> Option<Date> {
    let (date, range) = date::find_at(line).filter(|(date, _)| date.year() >= DIGITAL)?;
    let place = line[..range.start].trim();
    let mut after = line[range.end..].trim_start();
    if let Some(agency) = after.strip_prefix('(') {
        after = agency.split_once(')')?.1.trim_start();
    }
    let is_sent = after.starts_with(['—', '–']) || after.starts_with("- ") || after.starts_with("-- ");
    (place.ends_with([',', '،']) && is_name(place, 3) && is_sent).then_some(date)
}

/// Whether a text is at most `most` words, each capitalised if its script has capitals.
fn is_name(text: &str, most: usize) -> bool {
    let words: Vec<&str> =
        text.split(|mark: char| !(mark.is_alphanumeric() || matches!(mark, '\'' | '-' | '.' | '’'))).collect();
    let words: Vec<&str> = words.into_iter().filter(|word| !word.is_empty()).collect();
    !words.is_empty() && words.len() <= most && words.iter().all(|word| word.starts_with(|c| may_open(c) && !is_cjk(c)))
}

/// The day in a file's name: `2023-04-01`, `20230401` apart from other digits, or a form used in texts.
fn date_in_file_name(path: &Path) -> Option<Date> {
    let name = path.file_stem()?.to_string_lossy();
    let name = name.get(..name.floor_char_boundary(LINE_BYTES))?;
    let spaced = name.replace('_', " ");
    let written = dates(&spaced).map(|(date, _)| date);
    let is_digit = |character: char| character.is_ascii_digit();
    let in_digits = name.split(|character| !is_digit(character)).zip(starts(name)).filter_map(|(digits, start)| {
        let glued = name[..start].ends_with(|before: char| before.is_ascii_alphabetic());
        if digits.len() != 8 || glued {
            return None;
        }
        Date::strptime("%Y%m%d", digits).ok()
    });
    written.chain(in_digits).find(|date| date.year() >= DIGITAL && date::YEARS.contains(&date.year()))
}

/// Where the pieces between characters other than digits begin.
fn starts(name: &str) -> impl Iterator<Item = usize> + '_ {
    let behind = name.char_indices().filter(|(_, character)| !character.is_ascii_digit());
    std::iter::once(0).chain(behind.map(|(at, character)| at + character.len_utf8()))
}

#[cfg(test)]
mod tests;
