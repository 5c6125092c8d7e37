//! Decodes bytes to text by the byte order mark, as UTF-8, by the document's declaration, then by statistics.

use std::borrow::Cow;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{EUC_KR, Encoding, GBK, ISO_2022_JP, UTF_8, UTF_16BE, UTF_16LE};

use super::ParseError;
use crate::base::text::without_controls;

/// How far into a document a declaration of its encoding may stand.
const DECLARATION_BYTES: usize = 4096;
/// How many bytes of a text the statistics look at, from its first one that is not ASCII.
const SAMPLE_BYTES: usize = 256 * 1024;
/// A NUL within this many bytes of the start makes a document binary; further on, it is a stray one in a log.
const NUL_BYTES: usize = 8 * 1024;
/// A document is binary if more than one in this many of its bytes is undecodable or a control character.
const JUNK_SHARE: usize = 30;

/// Decodes `bytes`. Valid UTF-8 becomes the text without a copy. The text has no byte order mark, and no sequences that
/// control a terminal, which would otherwise end up in every report.
pub(super) fn decode(bytes: Vec<u8>) -> Result<String, ParseError> {
    let text = match Encoding::for_bom(&bytes) {
        Some((encoding, length)) if encoding != UTF_8 => owned(bytes, length, encoding),
        mark => unmarked(bytes, mark.map_or(0, |(_, length)| length))?,
    };
    if is_junk(&text) {
        return Err(ParseError::Binary);
    }
    if let Cow::Owned(clean) = without_controls(&text) {
        return Ok(clean);
    }
    Ok(text)
}

/// Decodes text that begins at `start`, as UTF-8 unless something indicates another encoding.
fn unmarked(mut bytes: Vec<u8>, start: usize) -> Result<String, ParseError> {
    if let Some(encoding) = utf_16_without_mark(&bytes) {
        return Ok(owned(bytes, 0, encoding));
    }
    if bytes.iter().take(NUL_BYTES).any(|&byte| byte == 0) {
        return Err(ParseError::Binary);
    }
    if start > 0 {
        bytes.drain(..start);
    }
    match String::from_utf8(bytes) {
        // ISO-2022-JP is the one encoding in use whose bytes are all ASCII.
        Ok(text) if text.contains("\x1b$") => Ok(iso_2022_jp(text)),
        Ok(text) => Ok(text),
        Err(error) => {
            let first_foreign = error.utf8_error().valid_up_to();
            let bytes = error.into_bytes();
            let encoding = match declared(&bytes) {
                Some(encoding) if encoding != UTF_8 => encoding,
                _ if start > 0 || is_damaged_utf_8(&bytes) => UTF_8,
                _ => guessed(&bytes, first_foreign),
            };
            Ok(owned(bytes, 0, encoding))
        }
    }
}

fn owned(bytes: Vec<u8>, start: usize, encoding: &'static Encoding) -> String {
    encoding.decode_without_bom_handling(&bytes[start..]).0.into_owned()
}

fn iso_2022_jp(text: String) -> String {
    let decoded = match ISO_2022_JP.decode_without_bom_handling(text.as_bytes()) {
        (Cow::Owned(decoded), false) => Some(decoded),
        _ => None,
    };
    decoded.unwrap_or(text)
}

/// Decodes mail in the former 7-bit charsets for Chinese and Korean; `None` if `label` names none of them. Between an
/// opening and a closing mark, the bytes are those of an 8-bit charset without the highest bit. An escape names that
/// charset; it is skipped, since only one is possible.
pub(super) fn decode_seven_bits(bytes: &[u8], label: &str) -> Option<String> {
    const ESCAPE: u8 = 0x1b;
    let (opening, closing, encoding) = match label.to_ascii_lowercase().as_str() {
        "hz-gb-2312" => ("~{", "~}", GBK),
        "iso-2022-cn" | "iso-2022-cn-ext" => ("\x0e", "\x0f", GBK),
        "iso-2022-kr" | "csiso2022kr" => ("\x0e", "\x0f", EUC_KR),
        _ => return None,
    };
    let (mut of_eight, mut is_wide, mut rest) = (Vec::with_capacity(bytes.len()), false, bytes);
    while let Some((&first, behind)) = rest.split_first() {
        let mark = if is_wide { closing } else { opening };
        if let Some(behind) = rest.strip_prefix(mark.as_bytes()) {
            (is_wide, rest) = (!is_wide, behind);
        } else if first == ESCAPE {
            rest = rest.get(4..).unwrap_or_default();
        } else {
            // A line that is not closed does not affect the next one.
            is_wide &= first != b'\n';
            of_eight.push(if is_wide && first > b' ' { first | 0x80 } else { first });
            rest = behind;
        }
    }
    Some(encoding.decode_without_bom_handling(&of_eight).0.into_owned())
}

/// Recognises UTF-16 without a byte order mark, as Windows programs write it. In Western text, most of every second
/// byte is then zero, and none of the others.
fn utf_16_without_mark(bytes: &[u8]) -> Option<&'static Encoding> {
    let sample = &bytes[..bytes.len().min(NUL_BYTES)];
    let pairs = sample.len() / 2;
    if pairs < 4 || !bytes.len().is_multiple_of(2) {
        return None;
    }
    let zeros = |offset: usize| sample.iter().skip(offset).step_by(2).filter(|&&byte| byte == 0).count();
    match (zeros(0), zeros(1)) {
        (0, low) if low * 2 > pairs => Some(UTF_16LE),
        (high, 0) if high * 2 > pairs => Some(UTF_16BE),
        _ => None,
    }
}

/// The encoding that `<meta charset=…>`, `content="text/html; charset=…"` or `<?xml encoding=…?>` declares in a
/// document of tags.
fn declared(bytes: &[u8]) -> Option<&'static Encoding> {
    let head = bytes[..bytes.len().min(DECLARATION_BYTES)].to_ascii_lowercase();
    if head.trim_ascii_start().first() != Some(&b'<') {
        return None;
    }
    let label = label_after(&head, b"charset").or_else(|| label_after(&head, b"encoding"))?;
    let encoding = Encoding::for_label(label)?;
    // The declaration was readable as ASCII, so UTF-16 cannot be right.
    (encoding != UTF_16LE && encoding != UTF_16BE).then_some(encoding)
}

fn label_after<'a>(head: &'a [u8], key: &[u8]) -> Option<&'a [u8]> {
    let found = head.windows(key.len()).position(|window| window == key)?;
    let rest = head[found + key.len()..].trim_ascii_start().strip_prefix(b"=")?.trim_ascii_start();
    let rest = rest.strip_prefix(b"\"").or_else(|| rest.strip_prefix(b"'")).unwrap_or(rest);
    let length =
        rest.iter().position(|byte| !(byte.is_ascii_alphanumeric() || b"-_:.".contains(byte))).unwrap_or(rest.len());
    Some(&rest[..length])
}

/// Whether the bytes are UTF-8 apart from a few: cut off within a character, or with a line in another encoding pasted
/// in. Text in another encoding hardly ever has runs that are valid multi-byte characters.
fn is_damaged_utf_8(bytes: &[u8]) -> bool {
    let (mut good, mut bad) = (0_usize, 0_usize);
    for chunk in bytes.utf8_chunks() {
        // Each character beyond ASCII has exactly one byte that starts it.
        good += chunk.valid().bytes().filter(|&byte| byte >= 0xC0).count();
        bad += usize::from(!chunk.invalid().is_empty());
    }
    good >= bad.saturating_mul(10)
}

fn guessed(bytes: &[u8], first_foreign: usize) -> &'static Encoding {
    let end = bytes.len().min(first_foreign.saturating_add(SAMPLE_BYTES));
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(&bytes[first_foreign.saturating_sub(1024)..end], end == bytes.len());
    detector.guess(None, Utf8Detection::Deny)
}

/// The charset of file names that do not state it and are not UTF-8, guessed from all of them together. `None` if their
/// letters beyond ASCII mostly stand alone, as accented ones do: Western names are in charsets that the statistics do
/// not know.
pub(in crate::documents) fn charset_of_names(names: &[&[u8]]) -> Option<&'static Encoding> {
    let all = names.join(&b'\n');
    let charset = guessed(&all, 0);
    let (text, is_damaged) = charset.decode_without_bom_handling(&all);
    let is_foreign = |c: char| !c.is_ascii() && c.is_alphabetic();
    let (mut alone, mut together) = (0_usize, 0_usize);
    for run in text.split(|c: char| !is_foreign(c)) {
        match run.chars().count() {
            0 => {}
            1 => alone += 1,
            letters => together += letters,
        }
    }
    (!is_damaged && together > alone).then_some(charset)
}

/// Whether a decoded text is not text: it has a NUL near its start, or too many characters that no text has.
fn is_junk(text: &str) -> bool {
    if text.bytes().take(NUL_BYTES).any(|byte| byte == 0) {
        return true;
    }
    // The bytes of U+FFFD are EF BF BD; EF and BF do occur in other characters, the sequence does not.
    let bytes = text.as_bytes();
    let controls = bytes.iter().filter(|&&byte| is_junk_byte(byte)).count();
    let replaced = if controls * JUNK_SHARE > bytes.len() { 0 } else { text.matches('\u{fffd}').count() };
    (controls + replaced * 2) * JUNK_SHARE > bytes.len()
}

fn is_junk_byte(byte: u8) -> bool {
    matches!(byte, 0..=8 | 0x0e..=0x1a | 0x1c..=0x1f | 0x7f)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(bytes: &[u8], expected: &str) {
        assert_eq!(decode(bytes.to_vec()).unwrap(), expected);
    }

    fn check_binary(bytes: &[u8]) {
        let decoded = decode(bytes.to_vec());
        assert!(matches!(decoded, Err(ParseError::Binary)), "{decoded:?}");
    }

    fn encoded(text: &str, label: &str) -> Vec<u8> {
        let (bytes, _, unmappable) = Encoding::for_label(label.as_bytes()).unwrap().encode(text);
        assert!(!unmappable);
        bytes.into_owned()
    }

    const JAPANESE: &str = "吾輩は猫である。名前はまだ無い。どこで生れたかとんと見当がつかぬ。";

    #[test]
    fn marks_are_read_and_removed() {
        check(b"\xEF\xBB\xBFcaf\xC3\xA9", "café");
        check(b"\xFF\xFEh\0i\0", "hi");
        check(b"\xFE\xFF\0h\0i", "hi");
    }

    #[test]
    fn utf_16_needs_no_mark() {
        let little: Vec<u8> = "plain words".encode_utf16().flat_map(u16::to_le_bytes).collect();
        check(&little, "plain words");
        let big: Vec<u8> = "plain words".encode_utf16().flat_map(u16::to_be_bytes).collect();
        check(&big, "plain words");
    }

    #[test]
    fn utf_8_keeps_its_allocation() {
        let bytes = "déjà vu".as_bytes().to_vec();
        let address = bytes.as_ptr();
        let text = decode(bytes).unwrap();
        assert_eq!(text.as_ptr(), address);
    }

    #[test]
    fn legacy_encodings_are_guessed() {
        for label in ["shift_jis", "euc-jp", "iso-2022-jp"] {
            check(&encoded(JAPANESE, label), JAPANESE);
        }
        let french = "Un élève très âgé, déjà rentré de l'été à la forêt.";
        check(&encoded(french, "windows-1252"), french);
        let russian = "Все счастливые семьи похожи друг на друга.";
        check(&encoded(russian, "windows-1251"), russian);
    }

    #[test]
    fn declarations_beat_statistics() {
        let page = "<html><head><meta charset=\"windows-1251\"></head>Да</html>";
        check(&encoded(page, "windows-1251"), page);
        let page = "<?xml version='1.0' encoding='iso-8859-2'?><p>ł</p>";
        check(&encoded(page, "iso-8859-2"), page);
        let page = "<meta http-equiv=content-type content='text/html; charset=euc-kr'><p>한</p>";
        check(&encoded(page, "euc-kr"), page);
    }

    #[test]
    fn names_are_told_together_and_accents_are_no_words() {
        fn check(names: &[&[u8]], expected: Option<&str>) {
            assert_eq!(charset_of_names(names).map(Encoding::name), expected, "{names:?}");
        }
        for (name, charset) in
            [("堤防の点検.txt", "Shift_JIS"), ("堤防檢查紀錄.txt", "Big5"), ("Осмотр плотины.txt", "IBM866")]
        {
            check(&[encoded(name, charset).as_slice()], Some(charset));
        }
        // As DOS wrote them.
        check(&[b"K\x84se f\x81r M\x81ller.txt"], None);
        check(&[b"\x99l.txt", b"sch\x94n.txt"], None);
        check(&[], None);
    }

    #[test]
    fn a_cut_character_does_not_change_the_encoding() {
        let mut bytes = JAPANESE.as_bytes().to_vec();
        bytes.pop();
        let decoded = decode(bytes).unwrap();
        assert!(decoded.starts_with("吾輩は猫である。") && decoded.ends_with('\u{fffd}'), "{decoded}");
    }

    #[test]
    fn escapes_are_left_out_and_form_feeds_are_text() {
        check(b"\x1b[31mred\x1b[0m\x0cnext page\r\n", "red\x0cnext page\r\n");
    }

    #[test]
    fn junk_is_refused() {
        check_binary(b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x03\0\x3e\0");
        check_binary(b"\x89PNG\r\n\x1a\n\x01\x02\x03\x04\x05\x06\x07\x08");
        check_binary(b"text\0text and more of it, ever so much more of it");
    }
}
