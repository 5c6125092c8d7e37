//! Words of unknown authors as any form may show them.

/// `text` without what a program would obey in place of showing it: control characters, and those that turn the
/// direction of a line around. In their place stands the mark of an unknown character.
pub(super) fn shown(text: &str) -> String {
    let is_obeyed = |one: char| {
        (one.is_control() && !matches!(one, '\n' | '\t'))
            || matches!(one, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{fffe}' | '\u{ffff}')
    };
    text.replace("\r\n", "\n").chars().map(|one| if is_obeyed(one) { '\u{fffd}' } else { one }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_obeyed() {
        let check = |text: &str, expected: &str| assert_eq!(shown(text), expected);
        check("a\tb\r\nc é 資料 عربى", "a\tb\nc é 資料 عربى");
        check("\x1b[31m\u{202e}txt.exe\u{2066}\u{ffff}", "\u{fffd}[31m\u{fffd}txt.exe\u{fffd}\u{fffd}");
    }
}
