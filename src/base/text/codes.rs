//! Codes in a text: the names of forms, machines and contracts, and version numbers. Codes are compared exactly, not by
//! likeness.

use super::half_width;

/// The codes of a text: words of Latin letters with a capital, and a digit or a joining sign; and numbers with two
/// points or more.
pub fn codes(text: &str) -> impl Iterator<Item = String> {
    let text: String = text.chars().map(half_width).collect();
    let words: Vec<String> = text
        .split(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '-' | '/' | '.')))
        .flat_map(|word| if is_version(word) { vec![word] } else { word.split('.').collect() })
        .map(|word| word.trim_matches(['-', '/', '.']))
        .filter(|word| {
            let is_joined = |c: char| c.is_ascii_digit() || matches!(c, '-' | '/');
            is_version(word) || word.contains(|c: char| c.is_ascii_uppercase()) && word.contains(is_joined)
        })
        .map(str::to_owned)
        .collect();
    words.into_iter()
}

/// The codes of a text that are version numbers.
pub fn versions(text: &str) -> impl Iterator<Item = String> {
    // Other codes contain no point.
    codes(text).filter(|code| code.contains('.'))
}

/// Whether a heading names a version by its number.
pub fn names_version(heading: &str) -> bool {
    versions(heading).any(|version| !version.contains(char::is_alphabetic))
}

/// Whether a word is a number of three parts or more, such as "0.8.5" and "v1.2.3-rc.1".
fn is_version(word: &str) -> bool {
    let body = word.trim_start_matches(['v', 'V']).trim_end_matches('.');
    let parts: Vec<&str> = body.split('-').next().unwrap_or_default().split('.').collect();
    let is_number = |part: &&str| (1..=5).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit());
    parts.len() >= 3 && parts.iter().all(is_number)
}

/// Whether a text that is [`folded`] contains a code that is not part of a longer one.
pub fn contains_code(text: &str, code: &str) -> bool {
    let code = folded(code);
    let joins = |c: Option<char>, next: Option<char>| match c {
        Some(c) if c.is_ascii_alphanumeric() => true,
        // "0.8.5.1" is another version; but a point at the end of a sentence does not continue a code.
        Some('.') => next.is_some_and(|next| next.is_ascii_digit()),
        _ => false,
    };
    text.match_indices(&code).any(|(at, _)| {
        let (before, after) = (&text[..at], &text[at + code.len()..]);
        let (mut back, mut on) = (before.chars().rev(), after.chars());
        let is_prefix = before.ends_with('v') && code.starts_with(|c: char| c.is_ascii_digit());
        (is_prefix || !joins(back.next(), back.next())) && !joins(on.next(), on.next())
    })
}

/// The text in lower case, with letters and digits of half width.
pub fn folded(text: &str) -> String {
    text.chars().map(half_width).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_things_and_numbers_of_versions() {
        let check = |text: &str, expected: &[&str]| assert_eq!(codes(text).collect::<Vec<_>>(), expected, "{text}");
        check("What changed in axum 0.8.5?", &["0.8.5"]);
        check("Since v1.2.3-rc.1, or 1.2.", &["v1.2.3-rc.1"]);
        check("Is RV-2021-117 (form B12) paid? It cost 1.200.", &["RV-2021-117", "B12"]);
        check("On 3.4.2024 we met.", &["3.4.2024"]);
        check("ＦＡＸ番号はＦ－１ですか", &["F-1"]);
        check("Wi-Fi in 2024", &["Wi-Fi"]);
    }

    #[test]
    fn a_code_is_no_part_of_another() {
        let check = |text: &str, code: &str, expected: bool| assert_eq!(contains_code(&folded(text), code), expected);
        check("# 0.8.5\n", "0.8.5", true);
        check("It came with v0.8.5.", "0.8.5", true);
        check("10.8.5 and 0.8.51 and 0.8.5.1", "0.8.5", false);
        check("form b12", "B12", true);
        check("form B123", "B12", false);
    }
}
