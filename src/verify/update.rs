//! Brings a report up to date. Only sentences whose evidence was edited, superseded or removed are rewritten, in words
//! that the caller gives or by quoting anew; every other byte of the text stays.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use serde::Serialize;

use super::excerpt::{in_place_of_bold, marked};
use super::judge::CheckedSentence;
use super::near::LEAST_COMMON;
use super::place::{CheckedCitation, Verdict};
use super::plain::plain;
use super::read::{ReadReport, body_end};
use super::search::Verification;
use crate::base::text::{Language, joins_without_space, one_line, place_of, sentences, share_of_words, wide_item};
use crate::domain::{Coverage, DocumentName};
use crate::report::cite::cited_numbers;
use crate::report::{
    RECORD_FORMAT, Record, RecordedCitation, Words, escaped, quote_in, recounted, shown_quote, wording, words,
};

/// A longer text is not a sentence.
const MAX_SENTENCE_BYTES: usize = 800;

/// The marks that end a sentence.
const STOPS: [char; 6] = ['.', '。', '!', '?', '！', '？'];

/// A change to a sentence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Change {
    /// The line of the report on which it began.
    pub line: usize,
    /// The document that its words come from, or came from.
    pub source: String,
    /// Its old words.
    pub old: String,
    /// Its new words; `None` if it was struck, since nothing supports it any more.
    pub new: Option<String>,
}

/// A report brought up to date.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Update {
    /// The whole report.
    #[serde(skip)]
    pub markdown: String,
    /// The changes, in the order of the text.
    pub changes: Vec<Change>,
    /// The number of citations whose words are elsewhere now; their sentences are unchanged.
    pub moved: usize,
}

/// A sentence to be rewritten, with its citations.
#[derive(Clone, Debug)]
pub struct Outdated<'v> {
    /// Where it begins in the report; this identifies it.
    pub at: usize,
    /// The sentence.
    pub sentence: &'v CheckedSentence,
    /// All of its citations.
    pub citations: Vec<&'v CheckedCitation>,
}

/// The sentences that need rewriting and can still cite something, in the order of the text.
pub fn outdated(verification: &Verification) -> Vec<Outdated<'_>> {
    let of = |sentence: &CheckedSentence| -> Vec<&CheckedCitation> {
        let cited = sentence.citations.iter();
        cited.filter_map(|number| verification.citations.iter().find(|one| one.number == *number)).collect()
    };
    let changed = verification.sentences.iter().filter(|sentence| sentence.rests_on_changed());
    let outdated = changed.map(|sentence| Outdated { at: sentence.range.start, sentence, citations: of(sentence) });
    outdated.filter(|one| one.citations.iter().any(|citation| citation.words_now().is_some())).collect()
}

/// Rewrites the sentences that `verification`, the check of `report`, found changed. `anew` gives new words by where
/// the sentences begin; a sentence without new words quotes its source as it is now, and empty words strike a sentence.
/// `day` is written beside the changes.
pub fn update(
    report: &ReadReport,
    verification: &Verification,
    anew: &BTreeMap<usize, String>,
    day: jiff::civil::Date,
) -> Update {
    let citation = |number: usize| verification.citations.iter().find(|one| one.number == number);
    let mut edits: Vec<(Range<usize>, String)> = Vec::new();
    let mut changes = Vec::new();
    for sentence in verification.sentences.iter().filter(|sentence| sentence.rests_on_changed()) {
        let failing = sentence.changed.iter().filter_map(|number| citation(*number));
        let Some(first) = failing.clone().next() else { continue };
        if let Some(words) = anew.get(&sentence.range.start).filter(|words| can_replace_sentence(words)) {
            let standing =
                sentence.citations.iter().filter(|number| citation(**number).is_some_and(|one| !one.is_gone()));
            let numbers: String = standing.map(|number| format!("[{number}]")).collect();
            let (written, new) = match words.is_empty() {
                true => (format!("~~{}~~", sentence.text), None),
                false => (cited_each(&words.replace('<', "\\<"), &numbers), Some(words.clone())),
            };
            let source = first.document.as_deref().unwrap_or(&first.path).to_owned();
            edits.push((sentence.range.clone(), written));
            changes.push(Change { line: sentence.line, source, old: sentence.text.clone(), new });
            continue;
        }
        // Words that an amendment leaves in force do not take the place of others.
        let mut quotable = failing.clone().filter(|one| one.kept.is_none());
        let anew = quotable.find_map(|one| Some((one, current_quote(&sentence.text, one)?)));
        let (source, new) = match anew {
            Some((one, words)) => {
                let shown = in_place_of_bold(&sentence.text, &words.replace('<', "\\<"));
                edits.push((sentence.range.clone(), cited(&shown, &format!("[{}]", one.number))));
                (one.document.as_deref().unwrap_or(&one.path), Some(words))
            }
            None => {
                edits.push((sentence.range.clone(), format!("~~{}~~", sentence.text)));
                (first.path.as_str(), None)
            }
        };
        changes.push(Change { line: sentence.line, source: source.to_owned(), old: sentence.text.clone(), new });
    }
    let moved = verification.citations.iter().filter(|one| one.verdict == Verdict::Moved).count();
    let (visible, _) = Record::split(&report.markdown);
    if verification.citations.iter().all(|one| one.verdict == Verdict::Unchanged) {
        return Update { markdown: report.markdown.clone(), changes, moved };
    }
    edits.extend(entries(visible, report.body.end, &verification.citations, report.language));
    edits.sort_by_key(|(range, _)| range.start);
    let mut markdown = String::with_capacity(report.markdown.len() + 1024);
    let mut at = 0;
    for (range, words) in edits {
        markdown.push_str(visible.get(at..range.start).unwrap_or_default());
        markdown.push_str(&words);
        at = at.max(range.end);
    }
    markdown.push_str(visible.get(at..).unwrap_or_default());
    if !changes.is_empty() {
        markdown.truncate(markdown.trim_end().len());
        markdown.push_str(&told(&changes, day, words(report.language)));
    }
    markdown.truncate(markdown.trim_end().len());
    markdown.push('\n');
    let citations: Vec<RecordedCitation> =
        verification.citations.iter().filter(|one| !one.is_gone()).map(CheckedCitation::recorded).collect();
    let record = Record {
        format: RECORD_FORMAT,
        written: report.written,
        question: report.question.clone(),
        language: report.language.code().to_owned(),
        coverage: report.coverage.clone().map(|coverage| with_new_names(coverage, &verification.citations)),
        citations,
        approved: still_approved(&report.approved, &changes),
    };
    let (mut markdown, record) = recounted(&markdown, record, &markdown[..body_end(&markdown, true)]);
    markdown.push_str(&record.comment());
    Update { markdown, changes, moved }
}

/// The coverage with the present names of the cited documents that have been renamed.
fn with_new_names(coverage: Coverage, citations: &[CheckedCitation]) -> Coverage {
    let renamed = citations.iter().filter(|one| one.verdict == Verdict::Moved && one.shown_document() != one.path);
    renamed.fold(coverage, |coverage, one| {
        let name = |path: &str| DocumentName { collection: one.collection.clone(), path: path.to_owned() };
        coverage.renamed(&name(&one.path), &name(one.shown_document()))
    })
}

/// The approved sentences that were not changed.
fn still_approved(approved: &[String], changes: &[Change]) -> Vec<String> {
    let changed: BTreeSet<String> = changes.iter().map(|change| wording(&change.old)).collect();
    approved.iter().filter(|one| !changed.contains(&wording(one))).cloned().collect()
}

/// The words that replace those of a source on which a sentence rests: the new sentence or row that is most like the
/// one that stood there, and less like any other. `None` if there is none, so that it was removed.
fn current_quote(sentence: &str, citation: &CheckedCitation) -> Option<String> {
    let (quote, now) = (citation.quote.as_str(), citation.now.as_deref()?);
    let olds = pieces(quote).map(|old| (share_of_words(old, sentence).min(share_of_words(sentence, old)), old));
    let (_, old) = olds.max_by(|one, other| one.0.total_cmp(&other.0)).filter(|(share, _)| *share > 0.0)?;
    let is_same_row = |new: &str| first_cell(old).is_some_and(|cell| first_cell(new) == Some(cell));
    let likeness =
        |new: &str| if is_same_row(new) { 1.0 } else { share_of_words(old, new).max(share_of_words(sentence, new)) };
    let kept = plain(quote);
    let news = pieces(now).filter(|new| !kept.contains(&plain(new))).map(|new| (likeness(new), new));
    let (most, new) = news.max_by(|one, other| one.0.total_cmp(&other.0))?;
    let is_whole = |text| pieces(text).nth(1).is_none();
    // All words of a heading may stand in a sentence that is not in its place.
    let alike = |one: &str| share_of_words(one, new).min(share_of_words(new, one));
    let is_in_its_place = is_whole(now) && (is_whole(quote) || citation.verdict == Verdict::Superseded)
        || is_same_row(new)
        || most >= LEAST_COMMON && pieces(quote).all(|other| alike(other) <= alike(old));
    let words = with_new_cells(sentence, old, new)
        .unwrap_or_else(|| format!("{}{}", own_label(sentence, old), one_line(without_item_mark(new))));
    // The report ends an item with a stop that the document may not have.
    let stop = if words.ends_with(STOPS) { "" } else { &sentence[sentence.trim_end_matches(STOPS).len()..] };
    let words = format!("{words}{stop}");
    (is_in_its_place && !words.is_empty() && words.len() <= MAX_SENTENCE_BYTES).then_some(words)
}

/// The sentences and rows of a text.
fn pieces(text: &str) -> impl Iterator<Item = &str> {
    sentences(text).map(|range| &text[range])
}

/// The label with which a report introduces words of a source, such as "New:" or the number of a clause; empty if there
/// is none.
fn own_label<'s>(sentence: &'s str, old: &str) -> &'s str {
    let Some((_, rest)) = sentence.split_once([':', '：']) else { return "" };
    let rest = rest.trim_start();
    let label = &sentence[..sentence.len() - rest.len()];
    let (old, words) = (plain(old), plain(rest.trim_end_matches(STOPS)));
    let is_own = !words.is_empty() && old.contains(&words) && !old.contains(&plain(label));
    if is_own { label } else { "" }
}

/// A line without the sign or the number of an item before its words.
fn without_item_mark(line: &str) -> &str {
    let behind = |rest: &str| rest.starts_with(char::is_whitespace).then(|| rest.len() - rest.trim_start().len());
    let digits = line.len() - line.trim_start_matches(|one: char| one.is_ascii_digit()).len();
    let sign = ["-", "*", "+", "•", "–"].into_iter().find(|sign| line.starts_with(sign)).map(str::len);
    let number = (1..=3).contains(&digits) && line[digits..].starts_with(['.', ')']);
    let mark = sign.or(number.then_some(digits + 1));
    let end = mark.and_then(|mark| Some(mark + behind(&line[mark..])?)).or_else(|| wide_item(line));
    &line[end.unwrap_or(0)..]
}

/// The first cell of a row of a table.
fn first_cell(row: &str) -> Option<&str> {
    row.strip_prefix('|')?.split('|').next().map(str::trim)
}

/// A sentence that tells the cells of a row, with those of the new row in the place of those that differ. `None` if it
/// does not tell them.
fn with_new_cells(sentence: &str, old: &str, new: &str) -> Option<String> {
    first_cell(old)?;
    let [old, new] = [old, new].map(|row| row.split('|').map(str::trim).collect::<Vec<&str>>());
    let mut text = sentence.replace("**", "");
    let mut at = 0;
    for (old, new) in old.iter().zip(&new).filter(|(old, _)| !old.is_empty()) {
        match place_of(&text[at..], old, char::is_alphanumeric) {
            Some(place) => {
                text.replace_range(at + place..at + place + old.len(), new);
                at += place + new.len();
            }
            None if old != new => return None,
            None => {}
        }
    }
    (old.len() == new.len()).then_some(text)
}

/// Whether words can replace a sentence: on one line, not too long, and without citations.
fn can_replace_sentence(words: &str) -> bool {
    words.len() <= MAX_SENTENCE_BYTES && one_line(words) == words && cited_numbers(words).is_empty()
}

/// Words with citations in each sentence.
fn cited_each(words: &str, numbers: &str) -> String {
    let mut text = String::new();
    for range in sentences(words) {
        let sentence = words[range].trim();
        let wide = sentence.starts_with(joins_without_space);
        text.push_str(if text.is_empty() || wide { "" } else { " " });
        text.push_str(&cited(sentence, numbers));
    }
    text
}

/// Words with citations before their final punctuation.
fn cited(words: &str, numbers: &str) -> String {
    let body = words.trim_end_matches(STOPS);
    let space = if body.ends_with(joins_without_space) { "" } else { " " };
    match &words[body.len()..] {
        "" => format!("{body}{space}{numbers}"),
        stop => format!("{body}{space}{numbers}{stop}"),
    }
}

/// The edits to the entries of the list of sources.
fn entries(
    visible: &str,
    from: usize,
    citations: &[CheckedCitation],
    language: Language,
) -> Vec<(Range<usize>, String)> {
    let words = words(language);
    let mut edits = Vec::new();
    let mut start = from;
    for line in visible.get(from..).unwrap_or_default().split_inclusive('\n') {
        let range = start..start + line.trim_end().len();
        start += line.len();
        let number = line.split_once(". **").and_then(|(number, _)| number.parse::<usize>().ok());
        let Some(one) = citations.iter().find(|one| Some(one.number) == number) else { continue };
        let line = line.trim_end();
        match (one.verdict, line.split_once(". ")) {
            (_, Some((number, rest))) if one.is_gone() => edits.push((range, format!("{number}. ~~{rest}~~"))),
            (Verdict::Moved | Verdict::Edited | Verdict::Superseded, _) => {
                if let (Verdict::Superseded, Some(now)) = (one.verdict, &one.now) {
                    let (title, day) = (escaped(&one.newer.0), &one.newer.1);
                    let day = if day.is_empty() { String::new() } else { format!(", {day}") };
                    let (number, place, quote) = (one.number, one.shown_document(), words.quoted(&shown_quote(now)));
                    edits.push((range, format!("{number}. **{title}**, `{place}`{day}{}{quote}", words.colon)));
                    continue;
                }
                let shown = format!("`{}`", one.path);
                let place = one.shown_document();
                let line =
                    if place == one.path { line.to_owned() } else { line.replacen(&shown, &format!("`{place}`"), 1) };
                // A title may contain a quote too.
                let behind = line.find("**, ").unwrap_or(0);
                let line = match (&one.now, quote_in(&line[behind..])) {
                    (Some(now), Some((mark, _))) => {
                        let entry = without_day(&line[..behind + mark], words.known_since);
                        format!("{entry}{}", words.quoted(&shown_quote(now)))
                    }
                    _ => line,
                };
                edits.push((range, line));
            }
            _ => {}
        }
    }
    edits
}

/// Removes the day since which an entry's words are known, as its present words are new.
fn without_day(entry: &str, known_since: &str) -> String {
    let told = format!(", {known_since} ");
    let Some((before, behind)) = entry.rsplit_once(&told) else { return entry.to_owned() };
    let day = behind.len() - behind.trim_start_matches(|c: char| c.is_ascii_digit() || c == '-').len();
    format!("{before}{}", &behind[day..])
}

/// The section that lists the changes.
fn told(changes: &[Change], day: jiff::civil::Date, words: &Words) -> String {
    let one = |change: &Change| {
        let old = change.old.replace("**", "");
        let told = match &change.new {
            Some(new) => {
                let (old, new) = marked(&old, new);
                format!("{} → {}", words.quoted(&old), words.quoted(&new))
            }
            None => format!("{}{}", Words::spaced(words.struck), words.quoted(&escaped(&old))),
        };
        format!("- `{}`{}{told}\n", change.source, words.colon)
    };
    format!("\n\n## {} {day}\n\n{}", words.updated, changes.iter().map(one).collect::<String>())
}

impl CheckedCitation {
    /// The words that a sentence may rest on now; `None` if they are gone.
    pub fn words_now(&self) -> Option<&str> {
        if self.is_gone() { None } else { self.kept.as_deref().or(self.now.as_deref()).or(Some(&self.quote)) }
    }

    /// Whether no words are left to cite.
    fn is_gone(&self) -> bool {
        self.verdict == Verdict::Vanished
            || self.verdict == Verdict::Superseded
                && self.now.is_none()
                && self.kept.as_ref().is_none_or(String::is_empty)
    }

    /// The citation as the record of an updated report has it.
    fn recorded(&self) -> RecordedCitation {
        RecordedCitation {
            number: self.number,
            path: self.shown_document().to_owned(),
            collection: self.collection.clone(),
            bytes: self.bytes.unwrap_or_default(),
            passage: self.passage,
            quote: self.now.clone().unwrap_or_else(|| self.quote.clone()),
            before: self.around.0.clone(),
            after: self.around.1.clone(),
        }
    }

    /// The document as the report should name it: by its old path, if that still leads to the document.
    fn shown_document(&self) -> &str {
        match &self.document {
            Some(place) if !place.ends_with(self.path.trim_start_matches("./")) => place,
            _ => &self.path,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn new_words_are_not_known_since_an_earlier_day() {
        let check = |entry: &str, expected: &str| assert_eq!(without_day(entry, "known since"), expected, "{entry}");
        check("1. **T**, `a.md`, 2001-02-03, known since 2023-09-16: ", "1. **T**, `a.md`, 2001-02-03: ");
        check("1. **T**, `a.md`, known since 2023-09-16, same origin as 2: ", "1. **T**, `a.md`, same origin as 2: ");
        check("1. **T**, `a.md`, 2001-02-03: ", "1. **T**, `a.md`, 2001-02-03: ");
    }

    #[test]
    fn citations_stand_as_the_script_sets_spaces() {
        let check = |words: &str, expected: &str| assert_eq!(cited(words, "[3]"), expected);
        check("대출은 14일 동안 한다.", "대출은 14일 동안 한다 [3].");
        check("期限为五年。", "期限为五年[3]。");
        check("It is due.", "It is due [3].");
    }

    #[test]
    fn a_sentence_tells_the_new_cells_of_its_row() {
        let (old, new) = ("| Polyamide | 96.8 | 1.74 |", "| Polyamide | 96.8 | 1.47 |");
        let check = |sentence: &str, old: &str, new: &str, expected: Option<&str>| {
            assert_eq!(with_new_cells(sentence, old, new).as_deref(), expected, "{sentence}");
        };
        let told = "Material: Polyamide; Strength: 96.8; Density: **1.74**.";
        check(told, old, new, Some("Material: Polyamide; Strength: 96.8; Density: 1.47."));
        check("Polyamide has a density of 1.74.", old, new, Some("Polyamide has a density of 1.47."));
        check("Polyamide is strong.", old, new, None);
        check(told, old, "| Polyamide | 1.47 |", None);
        check("The density is 1.74.", "The density is 1.74.", "The density is 1.47.", None);
    }

    #[test]
    fn a_sentence_gets_the_words_in_its_place() {
        let check = |sentence: &str, quote: &str, now: &str, expected: Option<&str>| {
            let citation = CheckedCitation {
                number: 1,
                verdict: Verdict::Edited,
                path: String::new(),
                document: None,
                bytes: None,
                quote: quote.to_owned(),
                now: Some(now.to_owned()),
                note: String::new(),
                newer: Default::default(),
                kept: None,
                collection: String::new(),
                passage: [0, 0],
                around: Default::default(),
            };
            assert_eq!(current_quote(sentence, &citation).as_deref(), expected, "{sentence}");
        };
        let quote = "## Rent\n\nThe tenant pays a rent of £5. It is due in May.\n\n## Repairs\n\nThe tenant keeps the \
                     interior in good repair. The owner keeps the roof in repair.";
        let now = "## Rent\n\nThe tenant pays a rent of £6. It is due in May.\n\n## Repairs\n\nThe owner keeps the \
                   roof and the walls in repair.";
        check("The tenant pays a rent of £5.", quote, now, Some("The tenant pays a rent of £6."));
        check("The tenant keeps the interior in good repair.", quote, now, None);
        let roof = Some("The owner keeps the roof and the walls in repair.");
        check("The owner keeps the roof in repair.", quote, now, roof);
        let [old, new] = ["| Oak | 0.9 |\n| Elm | 0.7 |\n| Ash | 0.5 |", "| Oak | 0.9 |\n| Elm | 0.6 |\n| Ash | 0.5 |"];
        check("Wood: Elm; Density: 0.7.", old, new, Some("Wood: Elm; Density: 0.6."));
        check("New: Elm is cheap.", "- Elm is cheap.", "- Elm is dear.", Some("New: Elm is dear."));
        check("*§ 2*: Elm is **cheap**.", "1. Elm is cheap.", "1. Elm is dear.", Some("*§ 2*: Elm is dear."));
        check("Elm: cheap.", "Elm: cheap", "Elm: dear", Some("Elm: dear."));
        check("In May it is due.", "It is due in May.", "Rents may be paid later.", Some("Rents may be paid later."));
    }
}
