use std::borrow::Cow;

/// `text` for a terminal, with every character written out (`\u{1b}`) that would be obeyed, break the line, or not be
/// seen: what stands in a file of unknown origin is then shown as it is.
pub fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\n' => shown.push_str("\\n"),
            _ if character.is_control() || is_hidden(character) => {
                shown.push_str(&format!("\\u{{{:x}}}", u32::from(character)));
            }
            _ => shown.push(character),
        }
    }
    shown
}

/// `text` as a program may show it: in place of control characters other than line breaks and tabs, of those that turn
/// the direction of a line around, and of those that XML forbids stands the mark of an unknown character.
pub fn shown(text: &str) -> String {
    let is_obeyed = |one: char| {
        (one.is_control() && !matches!(one, '\n' | '\t')) || turns_line(one) || matches!(one, '\u{fffe}' | '\u{ffff}')
    };
    text.replace("\r\n", "\n").chars().map(|one| if is_obeyed(one) { '\u{fffd}' } else { one }).collect()
}

/// Whether a character turns the direction of the line around that it stands in.
pub fn turns_line(one: char) -> bool {
    matches!(one, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// `text` without what a terminal would obey in place of showing it: control characters other than white space, with the
/// commands that they open, and marks that turn the direction of what follows.
pub fn without_controls(text: &str) -> Cow<'_, str> {
    let mut clean = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(is_obeyed) {
        clean.push_str(&rest[..at]);
        rest = behind_command(&rest[at..]);
    }
    if rest.len() == text.len() {
        return Cow::Borrowed(text);
    }
    clean.push_str(rest);
    Cow::Owned(clean)
}

fn is_obeyed(character: char) -> bool {
    (character.is_control() && !character.is_whitespace()) || turns_line(character)
}

/// What stands behind the control character that `text` begins with, and behind the command that it opens.
fn behind_command(text: &str) -> &str {
    let mut characters = text.chars();
    let first = characters.next();
    let after = characters.as_str();
    let parameters = match first {
        Some('\u{9b}') => Some(after),
        Some('\u{1b}') => after.strip_prefix('['),
        _ => return after,
    };
    if let Some(parameters) = parameters {
        // A colour, as in ESC [ 3 1 m.
        let end = parameters.trim_start_matches(|one: char| (' '..='?').contains(&one));
        return end.strip_prefix(|one: char| ('@'..='~').contains(&one)).unwrap_or(end);
    }
    match after.strip_prefix(']') {
        // A title, up to a bell or to another escape, which is left to the next round.
        Some(command) => {
            let end = command.find(['\u{7}', '\u{1b}', '\n']).unwrap_or(command.len());
            &command[end..]
        }
        None => after.strip_prefix('\\').unwrap_or(after),
    }
}

/// Whether a character has no width, or turns the direction of others.
fn is_hidden(character: char) -> bool {
    matches!(
        character,
        '\u{ad}'
            | '\u{34f}'
            | '\u{61c}'
            | '\u{115f}'..='\u{1160}'
            | '\u{17b4}'..='\u{17b5}'
            | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}'
            | '\u{feff}'
            | '\u{ffa0}'
            | '\u{fff0}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e0fff}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_obeyed_is_left_out() {
        let check = |text: &str, expected: &str| assert_eq!(without_controls(text), expected, "{text:?}");
        check("a\tb\r\nc\x0cd é 資料 عربى\u{200f}", "a\tb\r\nc\x0cd é 資料 عربى\u{200f}");
        check("\x1b[1;31mred\x1b[0m \u{9b}2Jand\x07 \u{202e}blue\u{2066}", "red and blue");
        check("a\x1b]0;title\x07b\x1b]8;;x\x1b\\c", "abc");
        check("\x1b", "");
        check("\x1b[", "");
        check("\x1b[3日", "日");
    }

    #[test]
    fn nothing_that_is_shown_is_obeyed() {
        let check = |text: &str, expected: &str| assert_eq!(shown(text), expected);
        check("a\tb\r\nc é 資料 عربى", "a\tb\nc é 資料 عربى");
        check("\x1b[31m\u{202e}txt.exe\u{2066}\u{ffff}", "\u{fffd}[31m\u{fffd}txt.exe\u{fffd}\u{fffd}");
    }

    #[test]
    fn what_is_not_seen_is_written_out() {
        let check = |text: &str, expected: &str| assert_eq!(visible(text), expected);
        check("a b é 資料 😀", "a b é 資料 😀");
        check("\x1b[2J\rx\ty\nz", "\\u{1b}[2J\\u{d}x\\u{9}y\\nz");
        check("\u{9b}1m", "\\u{9b}1m");
        check("\u{202e}txt.exe\u{200b}", "\\u{202e}txt.exe\\u{200b}");
    }
}
