use super::is_cjk;

/// Breaks a line between words, or between the characters of scripts without spaces, so that it has at most `width`
/// columns; continuation lines are indented by `indent` spaces. A longer word stays whole.
pub fn wrapped(line: &str, width: usize, indent: usize) -> String {
    let lead = line.len() - line.trim_start().len();
    let mut column = lead;
    let mut text = line[..lead].to_owned();
    let mut begins = true;
    for (piece, spaced) in pieces(line.trim_start()) {
        let wide = columns(piece) + usize::from(spaced);
        if !begins && column + wide > width {
            text.push('\n');
            text.push_str(&" ".repeat(indent));
            text.push_str(piece);
            column = indent + wide - usize::from(spaced);
        } else {
            text.push_str(if spaced { " " } else { "" });
            text.push_str(piece);
            column += wide;
        }
        begins = false;
    }
    text
}

/// The pieces between which a line may be broken, each with whether a space precedes it.
fn pieces(text: &str) -> Vec<(&str, bool)> {
    let mut found = Vec::new();
    for (index, word) in text.split(' ').enumerate() {
        let mut start = 0;
        let mut spaced = index > 0;
        let mut last = None;
        for (at, c) in word.char_indices() {
            // No line begins with a closing mark.
            let closes = "、。，．）」』】〕》〉！？：；”’ー".contains(c) || c.is_ascii_punctuation();
            if at > start && last.is_some_and(is_cjk) && !closes {
                found.push((&word[start..at], spaced));
                (start, spaced) = (at, false);
            }
            last = Some(c);
        }
        found.push((&word[start..], spaced));
    }
    found
}

/// The number of terminal columns that a text takes.
fn columns(text: &str) -> usize {
    let is_wide = |c: char| is_cjk(c) || matches!(u32::from(c), 0x1100..=0x115f | 0x2e80..=0x303f | 0xff00..=0xff60);
    text.chars().map(|c| if is_wide(c) { 2 } else { 1 }).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_break_between_words() {
        let check = |line: &str, indent: usize, expected: &str| assert_eq!(wrapped(line, 12, indent), expected);
        check("one two three four", 0, "one two\nthree four");
        check("  1  one two three", 5, "  1  one two\n     three");
        check("a-very-long-word b", 2, "a-very-long-word\n  b");
        check("何が変わったか。次", 0, "何が変わった\nか。次");
        check("", 3, "");
    }
}
