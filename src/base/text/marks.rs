//! The Markdown marks of headings and bold words, which are not words of a text.

/// The most signs in the mark of a heading, and in one around bold words.
const HEADING: usize = 6;
const BOLD: usize = 3;

/// The length of the mark at `at` in a text; 0 if there is none. Only its neighbours decide, so that the result is the
/// same in a part of the text.
pub fn mark_length(text: &str, at: usize) -> usize {
    let (before, rest) = text.split_at(at);
    let Some(sign) = rest.chars().next().filter(|sign| matches!(sign, '#' | '*')) else { return 0 };
    let length = rest.len() - rest.trim_start_matches(sign).len();
    let (before, after) = (before.chars().next_back(), rest[length..].chars().next());
    let is_space = |c: Option<char>| c.is_none_or(char::is_whitespace);
    let is_letter = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    if before == Some(sign) {
        return 0;
    }
    let is_mark = match sign {
        // `C#` and `#5` contain no mark.
        '#' => length <= HEADING && is_space(before) && after.is_some_and(char::is_whitespace),
        // `x**2`, `x ** 2` and the path `**/x` contain no mark.
        _ => {
            (2..=BOLD).contains(&length)
                && before != Some('/')
                && after != Some('/')
                && !(is_letter(before) && is_letter(after))
                && !(is_space(before) && is_space(after))
        }
    };
    if is_mark { length } else { 0 }
}

/// The place where the words at `at` begin, behind their marks, if they have any.
pub fn skip_marks(text: &str, mut at: usize) -> usize {
    while text.is_char_boundary(at) {
        let length = mark_length(text, at);
        if length == 0 {
            break;
        }
        let rest = &text[at + length..];
        at += length + rest.len() - rest.trim_start().len();
    }
    at
}

/// `text` without the marks of headings, which stand at the beginning of a line, and of bold words.
pub fn without_marks(text: &str) -> String {
    let begins_line = |at: usize| at == 0 || text[..at].ends_with('\n');
    without(text, |at, character| character == '*' || character == '#' && begins_line(at))
}

/// `text` without the marks of bold words.
pub fn without_bold_marks(text: &str) -> String {
    without(text, |_, character| character == '*')
}

/// `text` without the marks whose first sign, at a position, `may_be_mark`.
fn without(text: &str, may_be_mark: impl Fn(usize, char) -> bool) -> String {
    let mut words = String::with_capacity(text.len());
    let mut behind = 0;
    for (at, character) in text.char_indices() {
        if at < behind {
            continue;
        }
        let length = if may_be_mark(at, character) { mark_length(text, at) } else { 0 };
        behind = at + length;
        if length == 0 {
            words.push(character);
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_no_words() {
        let check = |text: &str, expected: &str| assert_eq!(without_marks(text), expected, "{text}");
        check("## Part 2\nIt is **very** old.", " Part 2\nIt is very old.");
        check("**目的。** 本会は古い。", "目的。 本会は古い。");
        check("C# has x**2, x ** 2 and Room # 5, #5.", "C# has x**2, x ** 2 and Room # 5, #5.");
        check("* one\n* two", "* one\n* two");
        check("####### x ##", "####### x ##");
        check("a **** b", "a **** b");
        check("**/*.log and src/** are **paths**", "**/*.log and src/** are paths");
        check("", "");
        assert_eq!(skip_marks("a\n## **Part** 2", 2), 7);
        assert_eq!(skip_marks("a\n## Part", 0), 0);
        assert_eq!(skip_marks("é", 1), 1);
    }
}
