//! Whether ideographs alone are Japanese or Chinese: each has characters that the standards of the other lack.

use encoding_rs::{GBK, SHIFT_JIS};

/// How many ideographs of a text only Japanese or traditional Chinese writes, and how many only simplified Chinese.
pub(super) fn only_in(text: &str) -> (usize, usize) {
    let (mut japanese, mut chinese) = (0, 0);
    for character in text.chars().filter(|&character| ('\u{3400}'..='\u{9fff}').contains(&character)) {
        let mut buffer = [0; 4];
        let written: &str = character.encode_utf8(&mut buffer);
        let (_, _, is_missing) = SHIFT_JIS.encode(written);
        let (bytes, _, _) = GBK.encode(written);
        // The first standard for simplified characters is a part of the later encoding.
        let is_simplified = matches!(&*bytes, [0xb0..=0xf7, 0xa1..=0xfe]);
        japanese += usize::from(!is_missing && !is_simplified);
        chinese += usize::from(is_missing && is_simplified);
    }
    (japanese, chinese)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_of_one_alone() {
        fn check(text: &str, expected: (usize, usize)) {
            assert_eq!(only_in(text), expected, "{text}");
        }
        check("宿泊費", (1, 0));
        check("网络设置", (0, 2));
        check("東京都", (1, 0));
        check("大学", (0, 0));
        check("abc", (0, 0));
    }
}
