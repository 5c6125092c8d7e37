//! Sentence segmentation: the Unicode rules (UAX 29) for terminators, closing marks and continuations, written by hand
//! so that a scan touches most bytes once, plus rules that UAX 29 lacks: abbreviations, initials, wrapped lines.
//!
//! Two rules differ on purpose. UAX 29 ends a sentence at every line feed, which would cut hard-wrapped prose at each
//! line, and it ends one at `?` inside an address; here a lone line feed ends a sentence only where the lines look
//! like items, and an ASCII terminator needs white space after it.

use std::ops::Range;

use super::abbreviations::{is_german_article, is_month, is_shortened};
use super::is_thai;

/// A line shorter than this was not wrapped.
const WRAP_MIN_BYTES: usize = 40;
/// The longest prefix of a line, in bytes, that can hold a `label:`.
const LABEL_MAX_BYTES: usize = 40;
/// The longest word before a full stop that can be an abbreviation.
const ABBREVIATION_MAX_BYTES: usize = 16;
/// A bracket that closes farther away than this is treated as unclosed.
const BRACKET_MAX_CHARS: usize = 600;
/// Marks after a terminator that still belong to its sentence.
const CLOSERS: &str = "\"')]}”“’»›」』）】〉》〕］｝｣。！？…";
/// The longest dateline (place and day) at the beginning of a report.
const DATELINE_MAX_BYTES: usize = 40;
/// After at most this many Thai letters a space does not end a clause.
const THAI_CLAUSE: usize = 80;
/// How many characters may be examined after a full stop to find the letter that tells whether the sentence goes on.
const LOOKAHEAD_CHARS: usize = 4;

/// The sentences of `text`, as byte ranges without the white space around them, in order.
///
/// Unicode terminators end a sentence, including those of scripts without spaces; so do a blank line, a form feed and a
/// line that begins an item (a list, a heading, a table row, `label: value`). Abbreviations, initials, numbers and list
/// numbers do not. Every character that is not white space belongs to exactly one sentence.
pub fn sentences(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    Sentences { text, unclosed_until: 0, at: 0, line_start: 0, line_has_bar: false }
}

struct Sentences<'a> {
    text: &'a str,
    /// Up to this offset it is known that no bracket around a terminator closes.
    unclosed_until: usize,
    /// Where the search for the next sentence begins.
    at: usize,
    line_start: usize,
    line_has_bar: bool,
}

impl Iterator for Sentences<'_> {
    type Item = Range<usize>;

    fn next(&mut self) -> Option<Range<usize>> {
        while self.at < self.text.len() {
            let start = self.at;
            let end = self.find_end(start);
            self.at = end;
            let piece = &self.text[start..end];
            let body = piece.trim_start();
            let lead = piece.len() - body.len();
            let body = body.trim_end();
            if !body.is_empty() {
                return Some(start + lead..start + lead + body.len());
            }
        }
        None
    }
}

impl Sentences<'_> {
    /// The end of the sentence that begins at `start`; always greater than `start`.
    fn find_end(&mut self, start: usize) -> usize {
        let bytes = self.text.as_bytes();
        let mut at = start;
        // Offsets behind the brackets of wide scripts that are still open.
        let mut open: Vec<usize> = Vec::new();
        while at < bytes.len() {
            let byte = bytes[at];
            match CLASS[usize::from(byte)] {
                PLAIN => at += 1,
                BAR => {
                    self.line_has_bar = true;
                    at += 1;
                }
                NEWLINE => {
                    let border = self.newline_ends(at);
                    at += 1;
                    self.line_start = at;
                    self.line_has_bar = false;
                    if border {
                        return at;
                    }
                }
                FORM_FEED => {
                    self.line_start = at + 1;
                    self.line_has_bar = false;
                    return at + 1;
                }
                STOP => match self.ascii_terminator_end(start, at) {
                    Ok(end) => return end,
                    Err(next) => at = next,
                },
                _ => {
                    // The lead byte of a longer character; `at` is on a character boundary, so there is one.
                    let Some(character) = self.text[at..].chars().next() else { break };
                    at += character.len_utf8();
                    match character {
                        '\u{2029}' | '\u{2028}' | '\u{85}' => return at,
                        // A full-width full stop between digits is a decimal point.
                        '．' if self.text[at..].starts_with(char::is_numeric) => {}
                        '「' | '『' | '（' | '〈' | '《' | '【' | '〔' | '｢' => open.push(at),
                        '」' | '』' | '）' | '〉' | '》' | '】' | '〕' | '｣' => {
                            open.pop();
                        }
                        '。' | '！' | '？' | '｡' | '．' | '︒' | '﹒' | '﹖' | '﹗' => {
                            match self.past_brackets(&mut open, at) {
                                Some(next) if self.goes_on(next) => at = next,
                                Some(next) => return next,
                                None => return self.past_bold(start, self.after_closers(at)),
                            }
                        }
                        _ if character == '…' || is_terminator(character) => {
                            let end = self.after_closers(at);
                            // An ellipsis is a pause unless the next sentence visibly begins.
                            let goes_on = character == '…' && !self.begins_upper(end);
                            if !goes_on && self.white_or_end(end) {
                                return end;
                            }
                            at = end;
                        }
                        _ if is_thai(character) && self.pauses(start, at) => return at,
                        _ => {}
                    }
                }
            }
        }
        bytes.len()
    }

    /// Whether a space at `at` between two Thai letters is far enough from the sentence's start to end a clause: Thai
    /// has no other sign for the end of one.
    fn pauses(&self, start: usize, at: usize) -> bool {
        let Some(next) = self.text[at..].strip_prefix(' ') else { return false };
        // The abbreviation of an era precedes its year.
        next.starts_with(is_thai)
            && !next.starts_with("พ.ศ.")
            && self.text[start..at].chars().filter(|&c| is_thai(c)).nth(THAI_CLAUSE).is_some()
    }

    /// For a terminator that ends at `at` within brackets: the offset behind the outermost closing bracket. `None` if
    /// the terminator is not in brackets, or if they do not close soon.
    fn past_brackets(&mut self, open: &mut Vec<usize>, at: usize) -> Option<usize> {
        if open.is_empty() || at < self.unclosed_until {
            return None;
        }
        let mut depth = open.len();
        let mut newline = false;
        for (offset, character) in self.text[at..].char_indices().take(BRACKET_MAX_CHARS) {
            match character {
                '「' | '『' | '（' | '〈' | '《' | '【' | '〔' | '｢' => depth += 1,
                '」' | '』' | '）' | '〉' | '》' | '】' | '〕' | '｣' => depth -= 1,
                '\n' if newline => break,
                _ => {}
            }
            newline = character == '\n' || (newline && matches!(character, ' ' | '\r' | '\u{3000}'));
            if depth == 0 {
                open.clear();
                return Some(at + offset + character.len_utf8());
            }
            self.unclosed_until = at + offset;
        }
        open.clear();
        None
    }

    /// Whether the sentence goes on after brackets that enclose a whole sentence: `「はい。」と言った`.
    fn goes_on(&self, at: usize) -> bool {
        let next = self.text[at..].chars().next();
        next.is_some_and(|next| {
            matches!(next, 'ぁ'..='ん' | '、' | '，' | '・' | '」' | '』' | '）' | '。' | '！' | '？' | '：' | '；')
        })
    }

    /// Whether the line feed at `at` ends a sentence.
    fn newline_ends(&self, at: usize) -> bool {
        let rest = &self.text[at + 1..];
        let indent = rest.bytes().take(64).take_while(|byte| matches!(byte, b' ' | b'\t' | b'\r')).count();
        let rest = rest[indent..].trim_start_matches('\u{3000}');
        if rest.is_empty() || rest.starts_with('\n') {
            return true;
        }
        let line = self.text[self.line_start..at].trim_ascii();
        // A quotation continues from one marked line to the next.
        let (line, rest) = match (unquoted(line), unquoted(rest)) {
            (Some(line), Some(rest)) => (line, rest),
            // A statement may begin behind the marks of its first line.
            (None, Some(rest)) if self.line_start == 0 => (line, rest),
            _ => (line, rest),
        };
        let (line, rest) = (line.as_bytes(), rest.as_bytes());
        let Some(&first) = rest.first().filter(|first| **first != b'\n') else { return true };
        if line.is_empty() || self.line_has_bar {
            return true;
        }
        if matches!(line[0], b'#' | b'|') || line.starts_with(b"```") {
            return true;
        }
        if begins_item(rest) {
            return true;
        }
        line.len() < WRAP_MIN_BYTES && !first.is_ascii_lowercase()
    }

    /// `Ok` with the end of the sentence if the terminator at `at` ends it, else `Err` with the offset to continue
    /// from.
    fn ascii_terminator_end(&self, start: usize, at: usize) -> Result<usize, usize> {
        let bytes = self.text.as_bytes();
        let mut last = at;
        let mut only_stops = bytes[at] == b'.';
        while let Some(&byte) = bytes.get(last + 1).filter(|byte| matches!(byte, b'.' | b'?' | b'!')) {
            only_stops &= byte == b'.';
            last += 1;
        }
        let end = self.after_closers(last + 1);
        if !self.white_or_end(end) {
            // Before a wide character a full stop ends a sentence without a space, except inside an address.
            let wide_follows = self.text[end..].chars().next().is_some_and(is_wide);
            return if wide_follows && at > start && !bytes[at - 1].is_ascii_alphanumeric() {
                Ok(end)
            } else {
                Err(end)
            };
        }
        if !only_stops {
            // `"Stop!" he said.` is one sentence.
            return if end > last + 1 && self.begins_lower(end) { Err(end) } else { Ok(end) };
        }
        if self.begins_lower(end) || self.continues(end) || self.is_dateline(start, end) {
            return Err(end);
        }
        if last > at {
            // An ellipsis ends a sentence only if the next one visibly begins.
            return if self.begins_upper(end) || self.rest_is_white(end) { Ok(end) } else { Err(end) };
        }
        if end == at + 1 && self.is_abbreviation(start, at) { Err(end) } else { Ok(end) }
    }

    /// Whether the full stop at `at` belongs to its word and the sentence goes on.
    fn is_abbreviation(&self, start: usize, at: usize) -> bool {
        let bytes = self.text.as_bytes();
        let from = at.saturating_sub(ABBREVIATION_MAX_BYTES).max(start);
        let word_start = bytes[from..at]
            .iter()
            .rposition(|&byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | b'(' | b'[' | b'"' | b'\'' | b'/' | b'-'))
            .map_or(from, |position| from + position + 1);
        if word_start == from && from > start {
            return false;
        }
        let Some(word) = self.text.get(word_start..at).filter(|word| !word.is_empty()) else { return false };
        // A blank line after the full stop outweighs the form of the word.
        let next = self.text[at + 1..].trim_start_matches([' ', '\t', '\r']);
        let next = next.strip_prefix('\n').unwrap_or(next).trim_start_matches([' ', '\t']);
        if next.is_empty() || next.starts_with(['\n', '\r']) {
            return false;
        }
        let next_word = next.split(|character: char| !character.is_alphanumeric()).next().unwrap_or("");
        let word = word.rsplit('’').next().unwrap_or(word).trim_matches(['*', '_', '„', '“', '«']);
        if !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit()) {
            // A list number, or an ordinal before a month (`3. Oktober`) or after an article (`die 24. Kalenderwoche`).
            let before = self.text[start..word_start].trim();
            let ordinal = || is_month(next_word) || before.rsplit(' ').next().is_some_and(is_german_article);
            return word.len() <= 3 && (before.is_empty() || (word.len() <= 2 && ordinal()));
        }
        let begins = || !self.text[start..word_start].contains(char::is_alphanumeric);
        if (is_section_number(word) || is_roman(word)) && begins() {
            return true;
        }
        is_shortened(word, &self.text[start..word_start], next)
    }

    /// The offset behind the quotes and brackets that close with the sentence.
    fn after_closers(&self, at: usize) -> usize {
        self.text.len() - self.text[at..].trim_start_matches(|one: char| CLOSERS.contains(one)).len()
    }

    /// The offset behind a mark that closes bold text, as in a label: `**一、报告。**`.
    fn past_bold(&self, start: usize, at: usize) -> usize {
        let closes = self.text[at..].starts_with("**") && self.text[start..at].matches("**").count() % 2 == 1;
        if closes { at + 2 } else { at }
    }

    fn white_or_end(&self, at: usize) -> bool {
        self.text[at..].chars().next().is_none_or(char::is_whitespace)
    }

    fn rest_is_white(&self, at: usize) -> bool {
        self.text[at..].chars().take(LOOKAHEAD_CHARS).all(char::is_whitespace)
    }

    /// The first letter after `at`, past spaces and a few marks, on this line or the next.
    fn next_letter(&self, at: usize) -> Option<char> {
        let mut newlines = 0;
        self.text[at..]
            .chars()
            .take(64)
            .take_while(|&character| {
                newlines += usize::from(character == '\n');
                newlines < 2
            })
            .filter(|character| !character.is_whitespace())
            .take(LOOKAHEAD_CHARS)
            .find(|character| character.is_alphanumeric())
    }

    fn begins_lower(&self, at: usize) -> bool {
        self.next_letter(at).is_some_and(char::is_lowercase)
    }

    fn begins_upper(&self, at: usize) -> bool {
        self.next_letter(at).is_some_and(|letter| letter.is_uppercase() || is_wide(letter))
    }

    /// Whether a dateline, a few words followed by a dash, opens a report: `HARROWBECK, June 12. -- On Wednesday …`.
    fn is_dateline(&self, start: usize, at: usize) -> bool {
        let rest = self.text[at..].trim_start_matches(' ');
        at - start <= DATELINE_MAX_BYTES && ["-- ", "— ", "– "].iter().any(|dash| rest.starts_with(dash))
    }

    /// Whether a mark that continues a sentence follows (UAX 29's SContinue).
    fn continues(&self, at: usize) -> bool {
        let next = self.text[at..].chars().take(64).find(|character| !character.is_whitespace());
        next.is_some_and(|character| matches!(character, ',' | ';' | ':' | '、' | '，'))
    }
}

/// Whether a word is a section number, such as "2.5" or "D.2".
fn is_section_number(word: &str) -> bool {
    let is_number = |part: &str| (1..=3).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit());
    let is_letter = |part: &str| part.len() == 1 && part.as_bytes()[0].is_ascii_uppercase();
    word.split_once('.')
        .is_some_and(|(first, rest)| (is_number(first) || is_letter(first)) && rest.split('.').all(is_number))
}

/// Whether a word is the Roman number of a recital or a part, such as "IV". "I" is excluded: it is more often the
/// pronoun.
fn is_roman(word: &str) -> bool {
    (2..=5).contains(&word.len()) && word.bytes().all(|byte| matches!(byte, b'I' | b'V' | b'X'))
}

/// A line without its quotation marks (`>`); `None` if it has none.
pub fn unquoted(line: &str) -> Option<&str> {
    line.starts_with('>').then(|| line.trim_start_matches(['>', ' ']))
}

/// Whether a line that begins with `rest` is a list item, a heading, a row, a quote, a fence or a `label: value`.
fn begins_item(rest: &[u8]) -> bool {
    match rest[0] {
        b'#' | b'|' | b'>' => true,
        b'-' | b'*' | b'+' => rest.get(1).is_none_or(|byte| matches!(byte, b' ' | b'\t' | b'-' | b'*')),
        b'`' => rest.starts_with(b"```"),
        b'0'..=b'9' => {
            let digits = rest.iter().take(4).take_while(|byte| byte.is_ascii_digit()).count();
            matches!(rest.get(digits), Some(b'.' | b')')) && matches!(rest.get(digits + 1), Some(b' '))
        }
        0xE2 => rest.starts_with("•".as_bytes()) || rest.starts_with("–".as_bytes()) || begins_wide_item(rest),
        0xEF | b'(' => begins_wide_item(rest),
        _ => begins_label(rest),
    }
}

/// Whether a line begins with an item number as Japanese and Chinese texts write it: `（１）`, `（ア）`, `(一)`, `①`, `２．`.
fn begins_wide_item(rest: &[u8]) -> bool {
    let window = rest[..rest.len().min(LABEL_MAX_BYTES)].utf8_chunks().next();
    wide_item(window.map_or("", |chunk| chunk.valid())).is_some()
}

/// The length in bytes of a Japanese or Chinese item number, including the space after it.
pub fn wide_item(line: &str) -> Option<usize> {
    let is_wide_digit = |c: char| ('０'..='９').contains(&c);
    let is_ideograph = |c: char| "一二三四五六七八九十".contains(c);
    let in_brackets =
        [('（', '）'), ('(', ')')].into_iter().find_map(|(open, close)| line.strip_prefix(open)?.split_once(close));
    let rest = if let Some((number, rest)) = in_brackets {
        let is_wide = line.starts_with('（');
        let is_digits = is_wide && number.chars().all(|c| is_wide_digit(c) || c.is_ascii_digit());
        let is_letter = is_wide && matches!(number.chars().collect::<Vec<_>>()[..], ['ア'..='ン']);
        let is_number = (1..=2).contains(&number.chars().count()) && (is_digits || number.chars().all(is_ideograph));
        (is_number || is_letter).then_some(rest)?
    } else if line.starts_with(|c: char| ('①'..='⑳').contains(&c)) {
        &line['①'.len_utf8()..]
    } else {
        let rest = line.trim_start_matches(is_wide_digit);
        let digits = (line.len() - rest.len()) / '０'.len_utf8();
        (1..=2).contains(&digits).then_some(())?;
        rest.strip_prefix(['．', '　', '）'])?
    };
    Some(line.len() - rest.trim_start().len())
}

fn begins_label(rest: &[u8]) -> bool {
    let window = &rest[..rest.len().min(LABEL_MAX_BYTES)];
    let reach = window
        .iter()
        .position(|byte| !(byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-' | b'[' | b']')))
        .unwrap_or(window.len());
    reach > 0 && window.get(reach) == Some(&b':') && matches!(rest.get(reach + 1), Some(b' ' | b'\n' | b'\r'))
}

/// Whether a character ends sentences; excludes the full stop and pause marks.
pub fn is_terminator(character: char) -> bool {
    "!?।॥؟۔‽⁇⁈⁉።፧។၊။᙮᠃։‼。！？｡．︒﹒﹖﹗".contains(character)
}

/// Whether a sentence may begin with a character without a space before it; includes full-width marks and letters.
fn is_wide(character: char) -> bool {
    matches!(u32::from(character), 0x2e80..=0x9fff | 0xac00..=0xd7af | 0xf900..=0xfaff | 0xff00..=0xffef | 0x20000..=0x3ffff)
}

const PLAIN: u8 = 0;
const STOP: u8 = 1;
const NEWLINE: u8 = 2;
const BAR: u8 = 3;
const FORM_FEED: u8 = 4;
const WIDE: u8 = 5;

/// The class of each byte: most bytes of any text are `PLAIN` and cost one look-up.
const CLASS: [u8; 256] = {
    let mut class = [PLAIN; 256];
    class[b'.' as usize] = STOP;
    class[b'?' as usize] = STOP;
    class[b'!' as usize] = STOP;
    class[b'\n' as usize] = NEWLINE;
    class[b'|' as usize] = BAR;
    class[0x0c] = FORM_FEED;
    let mut lead = 0xc0;
    while lead < 256 {
        class[lead] = WIDE;
        lead += 1;
    }
    class
};

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use unicode_segmentation::UnicodeSegmentation;

    use super::*;

    fn check(text: &str, expected: &[&str]) {
        let found: Vec<&str> = sentences(text).map(|range| &text[range]).collect();
        assert_eq!(found, expected, "in {text:?}");
    }

    #[test]
    fn a_dateline_belongs_to_its_first_sentence() {
        check(
            "HARROWBECK, June 12. -- On Wednesday it ran. It rained.",
            &["HARROWBECK, June 12. -- On Wednesday it ran.", "It rained."],
        );
    }

    #[test]
    fn thai_clauses_end_at_a_space() {
        let (first, second) = (
            "ในอดีตผ้าลายนกยูงใช้เฉพาะในพิธีแต่งงานเท่านั้น เจ้าสาวต้องทอเองให้เสร็จก่อนวันแต่งงานของตนเองสามวัน",
            "ต่อมาใน พ.ศ. 2517 จึงมีคนซื้อ",
        );
        check(&format!("{first} {second}"), &[first, second]);
        check(second, &[second]);
    }

    #[test]
    fn terminators_and_closers() {
        check("One. Two! Three? Four", &["One.", "Two!", "Three?", "Four"]);
        check("He said \"Go.\" Then he left.", &["He said \"Go.\"", "Then he left."]);
        check("\"Stop!\" he said. (Really.) Yes.", &["\"Stop!\" he said.", "(Really.)", "Yes."]);
        check("What?! No... Yes. Well... maybe.", &["What?!", "No...", "Yes.", "Well... maybe."]);
        check("", &[]);
        check(" \n\n ", &[]);
    }

    #[test]
    fn full_stops_inside_words_and_numbers() {
        check("It is 3.14 or example.com/a?b=c today. Next", &["It is 3.14 or example.com/a?b=c today.", "Next"]);
        check("Version 1.2.3 came. It works.", &["Version 1.2.3 came.", "It works."]);
    }

    #[test]
    fn abbreviations() {
        check("Mr. Burns met Dr. Hibbert. They spoke.", &["Mr. Burns met Dr. Hibbert.", "They spoke."]);
        check("J. R. R. Tolkien wrote. It sold.", &["J. R. R. Tolkien wrote.", "It sold."]);
        check("Il referente è l'arch. Giulia Marengo. Fine.", &["Il referente è l'arch. Giulia Marengo.", "Fine."]);
        check("- Noor – **ext. 4018** – room. New.", &["- Noor – **ext. 4018** – room.", "New."]);
        check("See No. 5 and Fig. 3. No. It is not.", &["See No. 5 and Fig. 3.", "No.", "It is not."]);
        check(
            "In the U.S. Senate he won. In the U.S. The end.",
            &["In the U.S. Senate he won.", "In the U.S.", "The end."],
        );
        check("Many, e.g. Apple Inc. They grew.", &["Many, e.g. Apple Inc.", "They grew."]);
        check("It costs £82 incl. VAT a year. They pay.", &["It costs £82 incl. VAT a year.", "They pay."]);
        check(
            "D.2. Disk space. 2.5.1. Memory. It needs 2.5. More.",
            &["D.2. Disk space.", "2.5.1. Memory.", "It needs 2.5.", "More."],
        );
        check("*E.3. 謝辞*：終わり。", &["*E.3. 謝辞*：終わり。"]);
        check("Am 3. Oktober war es. Dann z.B. Berlin.", &["Am 3. Oktober war es.", "Dann z.B. Berlin."]);
        check(
            "Damit ist die 24. Kalenderwoche zu halten. Es waren 24. Das reicht.",
            &["Damit ist die 24. Kalenderwoche zu halten.", "Es waren 24.", "Das reicht."],
        );
        check("Frist s. Anlage 2, v. a. für Fa. Voss. Ende.", &["Frist s. Anlage 2, v. a. für Fa. Voss.", "Ende."]);
        check("Приказ от 12 января 2024 г. № 4. Срок.", &["Приказ от 12 января 2024 г. № 4.", "Срок."]);
        check("Było to w 2024 r. Potem nic.", &["Było to w 2024 r.", "Potem nic."]);
        check("Er stieg auf 40 Mio. Euro. Wir zahlen.", &["Er stieg auf 40 Mio. Euro.", "Wir zahlen."]);
        check(
            "Er läuft bis ca. Ende Mai. Es kostet rd. 8.600 Euro.",
            &["Er läuft bis ca. Ende Mai.", "Es kostet rd. 8.600 Euro."],
        );
        check("Ce sont 187 500 € T.T.C. Le chantier démarre.", &["Ce sont 187 500 € T.T.C.", "Le chantier démarre."]);
        check("Взнос 300 руб. 50 коп. Срок прошёл.", &["Взнос 300 руб. 50 коп.", "Срок прошёл."]);
        check("Er sagte: „Geh.“ Dann ging er.", &["Er sagte: „Geh.“", "Dann ging er."]);
        check("处理措施\n(一)淘汰旧瓶\n（二）购置手套", &["处理措施", "(一)淘汰旧瓶", "（二）购置手套"]);
        check(
            "次の業務\n　（１）日常清掃\n　（２）窓ガラス清掃\n　２　料金",
            &["次の業務", "（１）日常清掃", "（２）窓ガラス清掃", "２　料金"],
        );
        check("At Acme Inc.\n\nNext part.", &["At Acme Inc.", "Next part."]);
        check("Fin.\n\n**5. Cuentas.** Nada.", &["Fin.", "**5. Cuentas.** Nada."]);
    }

    #[test]
    fn scripts_without_spaces() {
        check("これは文です。次の文！「はい。」と言った？", &["これは文です。", "次の文！", "「はい。」と言った？"]);
        check(
            "対象者（市内に住む者。ただし、子を除く。）は、申請できる。次",
            &["対象者（市内に住む者。ただし、子を除く。）は、申請できる。", "次"],
        );
        check(
            "「はい。」「いいえ。そうです。」彼は行った。",
            &["「はい。」", "「いいえ。そうです。」", "彼は行った。"],
        );
        check("「（注。）はい。」と言う。終わり。", &["「（注。）はい。」と言う。", "終わり。"]);
        check("行った（昨日。）。次の文。", &["行った（昨日。）。", "次の文。"]);
        check("開いた「ままの文。次の文。\n\n最後」の文。", &["開いた「ままの文。", "次の文。", "最後」の文。"]);
        check("値は３．５です。次", &["値は３．５です。", "次"]);
        check("你好。世界！", &["你好。", "世界！"]);
        check("**一、报告。** 大家同意。", &["**一、报告。**", "大家同意。"]);
    }

    #[test]
    fn lines() {
        check(
            "A line that is long enough to have been wrapped by hand\nGoes on here. End.",
            &["A line that is long enough to have been wrapped by hand\nGoes on here.", "End."],
        );
        check("Title\n\nText without stop\n\nMore", &["Title", "Text without stop", "More"]);
        check("# Head\ntext here\n- one\n- two\n1. three", &["# Head", "text here", "- one", "- two", "1. three"]);
        check("a | b\nc | d\n", &["a | b", "c | d"]);
        check(
            "name: x and a long value that goes on and on\nage: 3",
            &["name: x and a long value that goes on and on", "age: 3"],
        );
        check("one\r\n\r\ntwo", &["one", "two"]);
    }

    proptest! {
        #[test]
        fn every_non_white_character_is_in_one_sentence(text in "(\\PC|[.?! \n\r\"A。」…\u{2029}]){0,80}") {
            let mut end = 0;
            for range in sentences(&text) {
                prop_assert!(range.start >= end && range.start < range.end);
                prop_assert!(text[end..range.start].trim().is_empty());
                prop_assert_eq!(text[range.clone()].trim(), &text[range.clone()]);
                end = range.end;
            }
            prop_assert!(text[end..].trim().is_empty());
        }

        #[test]
        fn agrees_with_unicode_on_plain_prose(
            words in prop::collection::vec(("[A-Z][a-z]{2,6}( [a-z]{2,7}){1,6}", "[.?!]"), 1..8),
        ) {
            let text = words.iter().map(|(body, stop)| format!("{body}xq{stop}")).collect::<Vec<_>>().join(" ");
            let expected: Vec<&str> = text.unicode_sentences().map(str::trim).collect();
            let found: Vec<&str> = sentences(&text).map(|range| &text[range]).collect();
            prop_assert_eq!(found, expected);
        }
    }
}
