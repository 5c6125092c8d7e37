//! Characters that XML, HTML and Markdown write by number.

/// The character of the entity `name`, which stands between `&` and `;`, if it is a number such as `#160` or `#xa0`.
pub fn numbered_character(name: &str) -> Option<char> {
    let number = name.strip_prefix('#')?;
    let code = match number.strip_prefix(['x', 'X']) {
        Some(digits) => u32::from_str_radix(digits, 16).ok()?,
        None => number.parse().ok()?,
    };
    char::from_u32(code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_are_told_by_their_numbers() {
        let check = |name: &str, expected: Option<char>| assert_eq!(numbered_character(name), expected, "{name}");
        check("#160", Some('\u{a0}'));
        check("#x20AC", Some('€'));
        check("#Xe9", Some('é'));
        check("#xd800", None);
        check("#", None);
        check("amp", None);
    }
}
