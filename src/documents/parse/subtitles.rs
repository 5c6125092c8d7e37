//! Subtitles (SubRip and WebVTT): what is said, joined to paragraphs, each under the time at which it begins.
//!
//! A cue is cut where the screen is full, not where a sentence ends; so cues are joined until a sentence ends and a
//! minute is over, or until there is silence. The time at which a paragraph begins is its heading.

use super::{ParseError, Parsed};
use crate::base::text::{joins_without_space, one_line};
use crate::domain::Heading;

/// A paragraph ends with the first sentence that ends after so many milliseconds.
const PARAGRAPH_MS: u64 = 60_000;

/// Where nobody ends a sentence, it ends with the first cue that ends after so many.
const LONGEST_PARAGRAPH_MS: u64 = 120_000;

/// It ends before a silence of this length.
const SILENCE_MS: u64 = 10_000;

/// Captions that roll up follow each other without a pause. A line that comes again after a longer pause was said twice.
const ROLL_MS: u64 = 50;

/// A caption of more lines does not fit on a screen.
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
    // Since when the paragraph goes on, and when its last cue ended.
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
        // Captions that roll up repeat the line above.
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

/// A line that a new voice begins with a dash stays a line.
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

/// Chinese and Japanese put no space between lines.
fn is_wide(character: Option<char>) -> bool {
    character.is_some_and(joins_without_space)
}

/// The cues in the file's order; what is no cue (numbers, notes, styles) is passed over.
fn cues(text: &str) -> Vec<Cue> {
    let mut cues: Vec<Cue> = Vec::new();
    let mut open = false;
    for line in text.trim_start_matches('\u{feff}').lines().map(str::trim) {
        if let Some((start_ms, end_ms)) = times(line) {
            // Where no blank line ends the cue before, this one's number looks like a line of it.
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

/// `00:01:02,500 --> 00:01:04,000`, with the settings that WebVTT puts behind it.
fn times(line: &str) -> Option<(u64, u64)> {
    let (start, rest) = line.split_once("-->")?;
    Some((time(start.trim())?, time(rest.split_whitespace().next()?)?))
}

/// Whether a line is a cue's times.
pub(super) fn is_times(line: &str) -> bool {
    times(line).is_some()
}

/// `01:02:03,500`, `02:03.500`.
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

/// A line without its tags; a voice's name stands before its words.
fn plain(line: &str) -> String {
    let mut text = String::new();
    let mut rest = line;
    // Behind the last end no tag is closed, and none is looked for.
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
