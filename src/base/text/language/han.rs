//! Whether ideographs alone are Japanese or Chinese: each has characters that the standards of the other lack.

use encoding_rs::{BIG5, Encoding, GBK, SHIFT_JIS};
use whatlang::Lang;

/// Japanese or Chinese, simplified or traditional, by the characters that only one of them writes; `None` where there are
/// none, or as many of both.
pub(super) fn written(text: &str) -> Option<Lang> {
    let (mut japanese, mut chinese) = (0, 0);
    for character in ideographs(text) {
        let mut buffer = [0; 4];
        let written: &str = character.encode_utf8(&mut buffer);
        let is_in = |standard: &'static Encoding| !standard.encode(written).2;
        match (is_in(SHIFT_JIS), is_simplified(written) || is_in(BIG5)) {
            (true, false) => japanese += 1,
            (false, true) => chinese += 1,
            _ => {}
        }
    }
    match (japanese, chinese) {
        _ if japanese > chinese => Some(Lang::Jpn),
        _ if chinese > japanese => Some(Lang::Cmn),
        _ => None,
    }
}

fn ideographs(text: &str) -> impl Iterator<Item = char> + '_ {
    text.chars().filter(|character| ('\u{3400}'..='\u{9fff}').contains(character))
}

/// Whether the first standard for simplified characters has it, which is a part of the later encoding.
fn is_simplified(written: &str) -> bool {
    let (bytes, _, is_missing) = GBK.encode(written);
    !is_missing && matches!(&*bytes, [0xb0..=0xf7, 0xa1..=0xfe])
}

/// How many ideographs of a text only Japanese or traditional Chinese writes, and how many only simplified Chinese.
pub(super) fn only_in(text: &str) -> (usize, usize) {
    let (mut japanese, mut chinese) = (0, 0);
    for character in ideographs(text) {
        let mut buffer = [0; 4];
        let written: &str = character.encode_utf8(&mut buffer);
        let (_, _, is_missing) = SHIFT_JIS.encode(written);
        japanese += usize::from(!is_missing && !is_simplified(written));
        chinese += usize::from(is_missing && is_simplified(written));
    }
    (japanese, chinese)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ideographs_of_one_alone() {
        fn check(text: &str, expected: Option<Lang>) {
            assert_eq!(written(text), expected, "{text}");
        }
        check("窓口営業時間：9時～11時30分", Some(Lang::Jpn));
        check("10万円未満：課長決裁", Some(Lang::Jpn));
        check("网络设置", Some(Lang::Cmn));
        check("這裡的營業時間，你們", Some(Lang::Cmn));
        check("大学", None);
        check("", None);
    }

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
