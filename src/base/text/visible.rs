use std::borrow::Cow;

/// `text` for a terminal: every character that the terminal would obey, that would break the line, or that would be
/// invisible is written as an escape (`\u{1b}`). Text from a file of unknown origin is thus shown as it is.
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

/// `text` for display in a program: the replacement character stands in for control characters other than line breaks
/// and tabs, for those that reverse the direction of a line, and for those that XML forbids.
pub fn shown(text: &str) -> String {
    let is_obeyed = |one: char| {
        (one.is_control() && !matches!(one, '\n' | '\t'))
            || changes_line_direction(one)
            || matches!(one, '\u{fffe}' | '\u{ffff}')
    };
    text.replace("\r\n", "\n").chars().map(|one| if is_obeyed(one) { '\u{fffd}' } else { one }).collect()
}

/// Whether a character changes the text direction of the line it stands in.
pub fn changes_line_direction(one: char) -> bool {
    matches!(one, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// `text` without what a terminal would obey instead of showing: control characters other than white space, including
/// the escape sequences that they open, and marks that change the direction of the text after them.
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
    (character.is_control() && !character.is_whitespace()) || changes_line_direction(character)
}

/// The text after the control character that `text` begins with and after the escape sequence that it opens.
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
        // A colour, such as ESC [ 3 1 m.
        let end = parameters.trim_start_matches(|one: char| (' '..='?').contains(&one));
        return end.strip_prefix(|one: char| ('@'..='~').contains(&one)).unwrap_or(end);
    }
    match after.strip_prefix(']') {
        // A title, up to a bell or to another escape, which the next call handles.
        Some(command) => {
            let end = command.find(['\u{7}', '\u{1b}', '\n']).unwrap_or(command.len());
            &command[end..]
        }
        None => after.strip_prefix('\\').unwrap_or(after),
    }
}

/// Whether a character has no width or changes the direction of others.
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
