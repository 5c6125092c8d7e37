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
    fn what_is_not_seen_is_written_out() {
        let check = |text: &str, expected: &str| assert_eq!(visible(text), expected);
        check("a b é 資料 😀", "a b é 資料 😀");
        check("\x1b[2J\rx\ty\nz", "\\u{1b}[2J\\u{d}x\\u{9}y\\nz");
        check("\u{9b}1m", "\\u{9b}1m");
        check("\u{202e}txt.exe\u{200b}", "\\u{202e}txt.exe\\u{200b}");
    }
}
