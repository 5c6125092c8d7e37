//! Tells whether ideographs alone are Japanese or Chinese: each has characters that the standards of the other lack.

use std::cmp::Ordering;

use encoding_rs::{BIG5, Encoding, GBK, SHIFT_JIS};
use whatlang::Lang;

/// Japanese or Chinese, simplified or traditional, by the characters that only one of them writes; `None` if there are
/// none, or as many of both.
pub(super) fn written(text: &str) -> Option<Lang> {
    let (japanese, chinese) = counted(text, |character| is_simplified(character) || has(BIG5, character));
    match japanese.cmp(&chinese) {
        Ordering::Greater => Some(Lang::Jpn),
        Ordering::Less => Some(Lang::Cmn),
        Ordering::Equal => None,
    }
}

/// Small words of Chinese that no Japanese word contains unless kana stand beside it. They are needed because the nouns
/// around them may have traditional characters, which both write.
const SMALL_WORDS: &str = "誰嗎呢哪麼怎這們沒您你她吧很";

/// The Japanese words with 是, which alone is the Chinese word for "is".
const JAPANESE_IS: [&str; 5] = ["是正", "是非", "是認", "国是", "社是"];

/// Whether a text without kana is Chinese by its small words, whatever the standards of its other characters.
pub(super) fn speaks_chinese(text: &str) -> bool {
    // Japanese puts 的 behind its own words only.
    let owns = |(at, _): (usize, &str)| text[..at].ends_with(|before: char| before.is_ascii_alphanumeric());
    text.contains(|character: char| SMALL_WORDS.contains(character))
        || text.contains("多少")
        || text.match_indices('的').any(owns)
        || JAPANESE_IS.iter().fold(text.to_owned(), |rest, word| rest.replace(word, "")).contains('是')
}

/// The number of ideographs in a text that only Japanese or traditional Chinese writes, and of those that only
/// simplified Chinese writes.
pub(super) fn count_exclusive_ideographs(text: &str) -> (usize, usize) {
    counted(text, is_simplified)
}

/// The number of ideographs in a text that are Japanese and not Chinese by `is_chinese`, and the number for the
/// opposite.
fn counted(text: &str, is_chinese: impl Fn(&str) -> bool) -> (usize, usize) {
    let (mut japanese, mut chinese) = (0, 0);
    for character in text.chars().filter(|character| ('\u{3400}'..='\u{9fff}').contains(character)) {
        let mut buffer = [0; 4];
        let written: &str = character.encode_utf8(&mut buffer);
        match (has(SHIFT_JIS, written), is_chinese(written)) {
            (true, false) => japanese += 1,
            (false, true) => chinese += 1,
            _ => {}
        }
    }
    (japanese, chinese)
}

fn has(standard: &'static Encoding, character: &str) -> bool {
    !standard.encode(character).2
}

/// Whether the first standard for simplified characters, a part of the later GBK, has the character.
fn is_simplified(character: &str) -> bool {
    let (bytes, _, is_missing) = GBK.encode(character);
    !is_missing && matches!(&*bytes, [0xb0..=0xf7, 0xa1..=0xfe])
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
    fn small_words_of_chinese() {
        fn check(text: &str, expected: bool) {
            assert_eq!(speaks_chinese(text), expected, "{text}");
        }
        check("L400的价格是多少？", true);
        check("L200的分辨率", true);
        check("契約金額是多少", true);
        check("誰負責採購", true);
        check("是正措置期限", false);
        check("基本的人権", false);
        check("社是", false);
    }

    #[test]
    fn characters_of_one_alone() {
        fn check(text: &str, expected: (usize, usize)) {
            assert_eq!(count_exclusive_ideographs(text), expected, "{text}");
        }
        check("宿泊費", (1, 0));
        check("网络设置", (0, 2));
        check("東京都", (1, 0));
        check("大学", (0, 0));
        check("abc", (0, 0));
    }
}
