//! Subtitles (SubRip and WebVTT): the spoken words, joined into paragraphs, each under the time at which it begins.
//!
//! A cue ends where the screen is full, not where a sentence ends. So cues are joined until a sentence ends after at
//! least a minute, or until there is silence. The time at which a paragraph begins is its heading.

use super::{ParseError, Parsed};
use crate::base::text::{joins_without_space, one_line};
use crate::domain::Heading;

/// A paragraph ends with the first sentence that ends after this many milliseconds.
const PARAGRAPH_MS: u64 = 60_000;

/// If no sentence ends, a paragraph ends with the first cue that ends after this many milliseconds.
const LONGEST_PARAGRAPH_MS: u64 = 120_000;

/// A paragraph ends before a silence of this many milliseconds.
const SILENCE_MS: u64 = 10_000;

/// The longest pause between captions that roll up, in milliseconds. A line repeated after a longer pause was said
/// twice.
const ROLL_MS: u64 = 50;

/// The most lines of a caption that rolls up; more do not fit on a screen.
const ROLL_LINES: usize = 20;

struct Cue {
    start_ms: u64,
    end_ms: u64,
    lines: Vec<String>,
}

/// Parses a file of either kind.
pub(super) fn parse(text: &str) -> Result<Parsed, ParseError> {
    let cues = cues(text);
    if cues.is_empty() {
        let reason = "it has no line such as `00:01:02,500 --> 00:01:04,000`".to_owned();
        return Err(ParseError::Broken { format: "subtitles", reason });
    }
    let mut parsed = Parsed::default();
    // When the paragraph began, and when its last cue ended.
    let mut paragraph: Option<(u64, u64)> = None;
    let mut previous: Vec<String> = Vec::new();
    for cue in cues {
        let begins = paragraph.is_none_or(|(since, ended)| {
            let lasted = cue.start_ms.saturating_sub(since);
            let ends_sentence =
                parsed.text.ends_with(['.', '!', '?', '\u{2026}', '\u{3002}', '"', '\u{201d}', ']', ')']);
            cue.start_ms.saturating_sub(ended) >= SILENCE_MS
                || lasted >= LONGEST_PARAGRAPH_MS
                || (lasted >= PARAGRAPH_MS && ends_sentence)
        });
        // Captions that roll up repeat the lines above.
        let follows = paragraph.is_some_and(|(_, ended)| cue.start_ms <= ended.saturating_add(ROLL_MS));
        let rolls = follows && previous.len() <= ROLL_LINES;
        let fresh: Vec<&String> = cue.lines.iter().filter(|line| !(rolls && previous.contains(line))).collect();
        if fresh.is_empty() {
            continue;
        }
        if begins {
            begin_paragraph(&mut parsed, cue.start_ms);
        }
        for line in fresh {
            join(&mut parsed.text, line);
        }
        paragraph = match paragraph {
            Some((since, _)) if !begins => Some((since, cue.end_ms)),
            _ => Some((cue.start_ms, cue.end_ms)),
        };
        previous = cue.lines;
    }
    if parsed.text.is_empty() { Err(ParseError::Empty { hint: "".into() }) } else { Ok(parsed) }
}

fn begin_paragraph(parsed: &mut Parsed, at_ms: u64) {
    let start = parsed.begin_block();
    let seconds = at_ms / 1000;
    let text = format!("{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
    parsed.text.push_str(&text);
    parsed.text.push('\n');
    parsed.headings.push(Heading { start, level: 2, text });
}

/// Appends a line; one that begins with the dash of a new speaker stays a line of its own.
fn join(text: &mut String, line: &str) {
    if line.starts_with("- ") || line.starts_with("\u{2013} ") {
        if !text.ends_with('\n') {
            text.push('\n');
        }
    } else if text.chars().next_back().is_some_and(|last| !last.is_whitespace())
        && !(is_wide(text.chars().next_back()) && is_wide(line.chars().next()))
    {
        text.push(' ');
    }
    text.push_str(line);
}

/// Whether a character belongs to Chinese or Japanese, which put no space between lines.
fn is_wide(character: Option<char>) -> bool {
    character.is_some_and(joins_without_space)
}

/// The cues in the file's order; everything else (numbers, notes, styles) is skipped.
fn cues(text: &str) -> Vec<Cue> {
    let mut cues: Vec<Cue> = Vec::new();
    let mut open = false;
    for line in text.trim_start_matches('\u{feff}').lines().map(str::trim) {
        if let Some((start_ms, end_ms)) = times(line) {
            // Without a blank line after the cue before, this cue's number looks like a line of it.
            if let (true, Some(before)) = (open, cues.last_mut()) {
                before.lines.pop_if(|line| line.bytes().all(|byte| byte.is_ascii_digit()));
            }
            cues.push(Cue { start_ms, end_ms, lines: Vec::new() });
            open = true;
        } else if line.is_empty() {
            open = false;
        } else if let (true, Some(cue)) = (open, cues.last_mut()) {
            let words = one_line(&plain(line));
            if !words.is_empty() {
                cue.lines.push(words);
            }
        }
    }
    cues
}

/// The start and the end in milliseconds of `00:01:02,500 --> 00:01:04,000`; WebVTT puts settings after them.
fn times(line: &str) -> Option<(u64, u64)> {
    let (start, rest) = line.split_once("-->")?;
    Some((time(start.trim())?, time(rest.split_whitespace().next()?)?))
}

/// Whether a line gives the times of a cue.
pub(super) fn is_times(line: &str) -> bool {
    times(line).is_some()
}

/// The milliseconds of `01:02:03,500` or `02:03.500`.
fn time(text: &str) -> Option<u64> {
    let (clock, fraction) = text.split_once([',', '.']).unwrap_or((text, "0"));
    let fraction: u64 = fraction.get(..fraction.len().min(3))?.parse().ok()?;
    let mut seconds = 0_u64;
    let mut parts = 0;
    for part in clock.split(':') {
        let value: u64 = part.parse().ok().filter(|&value| value < 100_000)?;
        seconds = seconds * 60 + value;
        parts += 1;
    }
    (2..=3).contains(&parts).then(|| seconds * 1000 + fraction)
}

/// A line without its tags; the name of a voice is put before its words.
fn plain(line: &str) -> String {
    let mut text = String::new();
    let mut rest = line;
    // No tag is closed after the last end mark, so none is looked for there.
    let [last_tag, last_command] = ['>', '}'].map(|end| line.rfind(end).unwrap_or(0));
    while let Some(at) = rest.find(['<', '{', '&']) {
        text.push_str(&rest[..at]);
        rest = &rest[at..];
        if let Some(entity) = ENTITIES.iter().find(|(name, _)| rest.starts_with(name)) {
            text.push_str(entity.1);
            rest = &rest[entity.0.len()..];
            continue;
        }
        let at = line.len() - rest.len();
        let end = match rest.as_bytes() {
            [b'<', next, ..] if at < last_tag && (next.is_ascii_alphanumeric() || *next == b'/') => rest.find('>'),
            [b'{', b'\\', ..] if at < last_command => rest.find('}'),
            _ => None,
        };
        let Some(end) = end else {
            text.push_str(&rest[..1]);
            rest = &rest[1..];
            continue;
        };
        if let Some(name) = rest[..end].strip_prefix("<v").filter(|name| name.starts_with([' ', '.'])) {
            let name = name.split_once(' ').map_or("", |(_, name)| name).trim();
            if !name.is_empty() {
                text.push_str(name);
                text.push_str(": ");
            }
        }
        rest = &rest[end + 1..];
    }
    text.push_str(rest);
    text
}

const ENTITIES: [(&str, &str); 6] =
    [("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">"), ("&nbsp;", " "), ("&lrm;", ""), ("&rlm;", "")];

#[cfg(test)]
mod tests {
    use super::*;

    fn check(source: &str, expected: &str) {
        let parsed = parse(source).expect("they are subtitles");
        assert_eq!(parsed.text, expected, "{source}");
        for heading in &parsed.headings {
            assert!(parsed.text[heading.start..].starts_with(&heading.text));
        }
    }

    #[test]
    fn cues_are_joined_to_sentences() {
        check(
            "1\r\n00:00:01,000 --> 00:00:03,500\r\n<i>The tide</i> rises\r\ntwice\r\n\r\n2\r\n00:00:03,600 --> 00:00:05,000\r\na day.\r\n",
            "00:00:01\nThe tide rises twice a day.",
        );
        check(
            "1\n00:00:01,000 --> 00:00:02,000\n潮が\n満ち\n\n2\n0:00:02,000 --> 0:00:03,000 X1:3\nる。",
            "00:00:01\n潮が満ちる。",
        );
    }

    #[test]
    fn a_minute_or_a_silence_begins_a_paragraph() {
        check(
            "00:01.000 --> 00:30.000\nOne,\n\n00:58.000 --> 01:02.000\ntwo.\n\n01:02.500 --> 01:04.000\nThree\n\n01:20.000 --> 01:30.000\nfour",
            "00:00:01\nOne,\n\n00:00:58\ntwo. Three\n\n00:01:20\nfour",
        );
        let long: String = (0..7).map(|cue| format!("00:0{0}:00.000 --> 00:0{0}:59.000\nWord {0}.\n\n", cue)).collect();
        check(
            &long,
            "00:00:00\nWord 0.\n\n00:01:00\nWord 1.\n\n00:02:00\nWord 2.\n\n00:03:00\nWord 3.\n\n00:04:00\nWord 4.\n\n00:05:00\nWord 5.\n\n00:06:00\nWord 6.",
        );
    }

    #[test]
    fn webvtt_has_notes_voices_and_tags() {
        check(
            "WEBVTT - tides\n\nSTYLE\n::cue { color: red }\n\nNOTE not said\n\nintro\n00:01.000 --> 00:02.000 align:start\n<v Ada>Hello &amp; <c.loud>wel</c>come</v>\n- Yes < 3\n",
            "00:00:01\nAda: Hello & welcome\n- Yes < 3",
        );
        check("1\n00:00:01,000 --> 00:00:02,000\n{\\an8}a <b>b</b> <c {\\d", "00:00:01\na b <c {\\d");
    }

    #[test]
    fn lines_that_roll_up_are_said_once() {
        check(
            "WEBVTT\n\n00:01.000 --> 00:02.000\nfirst line\n\n00:02.000 --> 00:03.000\nfirst line\nsecond line\n\n00:03.000 --> 00:04.000\nsecond line\n",
            "00:00:01\nfirst line second line",
        );
    }

    #[test]
    fn what_has_no_times_is_told() {
        let reason = |source: &str| parse(source).expect_err("it is broken").to_string();
        assert!(reason("1\n00:00:01 -> 00:00:02\nwords").starts_with("broken subtitles: it has no line such as"));
        assert_eq!(reason("00:00:01,000 --> 00:00:02,000\n<b></b>\n"), "no text in it");
        assert!(reason("99999999999999999999:00:00,000 --> 1\nx").starts_with("broken"));
    }
}
