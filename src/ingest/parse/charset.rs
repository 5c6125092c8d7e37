//! From bytes to text: byte order marks, UTF-8, declared and guessed encodings, and what is no text at all.

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};

use super::ParseError;

/// How much is looked at to guess an encoding.
const GUESS_BYTES: usize = 256 * 1024;
/// How far a page's own declaration is searched for.
const DECLARATION_BYTES: usize = 2048;
/// A NUL in the first bytes says that this is no text.
const MAGIC_BYTES: usize = 8192;
/// One control character in so many is damage; more is data.
const CHARACTERS_PER_CONTROL: usize = 200;

/// Decodes `bytes`; UTF-8 without a copy.
pub(super) fn decode(bytes: Vec<u8>) -> Result<String, ParseError> {
    let text = match Encoding::for_bom(&bytes) {
        Some((encoding, _)) => encoding.decode_with_bom_removal(&bytes).0.into_owned(),
        None => match utf_16_without_mark(&bytes) {
            Some(encoding) => encoding.decode_without_bom_handling(&bytes).0.into_owned(),
            None => match String::from_utf8(bytes) {
                Ok(text) => text,
                Err(error) => {
                    let bytes = error.into_bytes();
                    if bytes.iter().take(MAGIC_BYTES).any(|&byte| byte == 0) {
                        return Err(ParseError::Binary);
                    }
                    encoding_of(&bytes).decode_without_bom_handling(&bytes).0.into_owned()
                }
            },
        },
    };
    if is_binary(&text) {
        return Err(ParseError::Binary);
    }
    // A stray NUL ends strings in whatever is written in C.
    Ok(if text.contains('\0') { text.replace('\0', " ") } else { text })
}

/// UTF-16 of mostly Latin text: every other byte is zero.
fn utf_16_without_mark(bytes: &[u8]) -> Option<&'static Encoding> {
    let sample = &bytes[..bytes.len().min(1024) & !1];
    if sample.len() < 8 {
        return None;
    }
    let zeros = |parity: usize| sample.iter().skip(parity).step_by(2).filter(|&&byte| byte == 0).count();
    let (even, odd) = (zeros(0), zeros(1));
    let most = sample.len() / 2 * 9 / 10;
    match (even, odd) {
        (0, odd) if odd >= most => Some(UTF_16LE),
        (even, 0) if even >= most => Some(UTF_16BE),
        _ => None,
    }
}

/// The encoding of bytes that are no clean UTF-8.
fn encoding_of(bytes: &[u8]) -> &'static Encoding {
    if is_damaged_utf_8(bytes) {
        return UTF_8;
    }
    if let Some(declared) = declared_encoding(bytes).filter(|&declared| declared != UTF_8) {
        return declared;
    }
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Allow);
    // A long ASCII beginning tells nothing: begin shortly before the first other byte.
    let from = bytes.iter().position(|byte| !byte.is_ascii()).map_or(0, |first| first.saturating_sub(1024));
    let sample = &bytes[from..bytes.len().min(from + GUESS_BYTES)];
    detector.feed(sample, sample.len() == bytes.len() - from);
    detector.guess(None, Utf8Detection::Deny)
}

/// Whether nearly all that is not ASCII is right in UTF-8: then a few bytes are broken, and the encoding is not another.
fn is_damaged_utf_8(bytes: &[u8]) -> bool {
    let sample = &bytes[..bytes.len().min(4 * GUESS_BYTES)];
    let (mut right, mut wrong) = (0usize, 0usize);
    for piece in sample.utf8_chunks() {
        right += piece.valid().bytes().filter(|byte| *byte >= 0xc0).count();
        wrong += usize::from(!piece.invalid().is_empty());
    }
    right > 4 * wrong
}

/// What `charset=` in a page's head says.
fn declared_encoding(bytes: &[u8]) -> Option<&'static Encoding> {
    let head = bytes[..bytes.len().min(DECLARATION_BYTES)].to_ascii_lowercase();
    if !head.contains(&b'<') {
        return None;
    }
    let key = b"charset=";
    let at = head.windows(key.len()).position(|window| window == key)? + key.len();
    let label: Vec<u8> = head[at..]
        .iter()
        .copied()
        .skip_while(|byte| matches!(byte, b'"' | b'\'' | b' '))
        .take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b':'))
        .collect();
    Encoding::for_label(&label)
}

fn is_binary(text: &str) -> bool {
    let bytes = text.as_bytes();
    if bytes.iter().take(MAGIC_BYTES).any(|&byte| byte == 0) {
        return true;
    }
    let control = |byte: &&u8| **byte < 0x20 && !matches!(**byte, b'\t' | b'\n' | b'\r' | 0x0c | 0x1b | 0x08);
    bytes.iter().filter(control).count() * CHARACTERS_PER_CONTROL > bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(bytes: &[u8], expected: &str) {
        assert_eq!(decode(bytes.to_vec()).expect("text"), expected);
    }

    #[test]
    fn marks_and_unicode() {
        check(b"\xef\xbb\xbfplain", "plain");
        check("naïve 東京".as_bytes(), "naïve 東京");
        check(b"\xff\xfeh\0i\0", "hi");
        check(b"\xfe\xff\0h\0i", "hi");
        check(b"s\0o\0m\0e\0 \0t\0e\0x\0t\0", "some text");
    }

    #[test]
    fn other_encodings() {
        check(
            "Über die Größe läßt sich streiten, würde ich sagen."
                .chars()
                .map(|c| c as u8)
                .collect::<Vec<_>>()
                .as_slice(),
            "Über die Größe läßt sich streiten, würde ich sagen.",
        );
        let (japanese, _, _) = encoding_rs::SHIFT_JIS.encode("これは日本語の文章です。東京は日本の首都である。");
        check(&japanese, "これは日本語の文章です。東京は日本の首都である。");
        let (russian, _, _) = encoding_rs::WINDOWS_1251.encode("<meta charset=\"windows-1251\"><p>да");
        check(&russian, "<meta charset=\"windows-1251\"><p>да");
    }

    #[test]
    fn a_broken_byte_does_not_change_the_encoding() {
        let mut bytes = "Größe über naïve été".as_bytes().to_vec();
        bytes.push(0xe2);
        check(&bytes, "Größe über naïve été\u{fffd}");
    }

    #[test]
    fn data_is_no_text() {
        let noise: Vec<u8> = (0..4000u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
        assert!(matches!(decode(noise), Err(ParseError::Binary)));
        assert!(matches!(decode(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec()), Err(ParseError::Binary)));
        assert!(matches!(decode(b"abc\0def".to_vec()), Err(ParseError::Binary)));
    }
}
