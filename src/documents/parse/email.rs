//! E-mail: the sender, recipients, date and subject, then the words, then the names of the attachments.
//!
//! A message has parts in their own encodings, so it is read from bytes. Its words are the plain text if there is one,
//! else the HTML, which is read like a page. Attached messages are read along with it; other attachments are named.

use std::borrow::Cow;

use jiff::civil::Date;
use mail_parser::decoders::base64::base64_decode;
use mail_parser::decoders::charsets::map::charset_decoder;
use mail_parser::decoders::quoted_printable::quoted_printable_decode;
use mail_parser::{Address, DateTime, Encoding, Message, MessageParser, MessagePart, MimeHeaders, PartType};

use super::{ParseError, Parsed, charset, html, label};
use crate::base::text::{bare_subject, one_line, without_controls};
use crate::domain::{DocumentDate, Heading};

/// How many bytes at the start are looked at for the head of a message.
const HEAD_BYTES: usize = 16 * 1024;

/// How many addresses of a list are named.
const ADDRESSES: usize = 50;

/// The most messages within each other that are read.
const DEEPEST: usize = 4;

/// Fields that mail programs write and people do not.
const SURE_FIELDS: [&str; 6] =
    ["received:", "return-path:", "message-id:", "mime-version:", "delivered-to:", "dkim-signature:"];

/// Whether the first lines are those of a message: only fields, among them a sender and one that only mail has.
pub(super) fn is_email(bytes: &[u8]) -> bool {
    let head = String::from_utf8_lossy(&bytes[..bytes.len().min(HEAD_BYTES)]);
    let (mut from, mut sure) = (false, false);
    for (number, line) in head.lines().enumerate() {
        if line.is_empty() {
            break;
        }
        if line.starts_with([' ', '\t']) && number > 0 {
            continue;
        }
        let Some((name, _)) = line.split_once(':') else { return false };
        if name.is_empty() || !name.bytes().all(|byte| byte.is_ascii_graphic()) {
            return false;
        }
        let field = format!("{}:", name.to_ascii_lowercase());
        from |= field == "from:";
        sure |= SURE_FIELDS.contains(&field.as_str());
    }
    from && sure
}

/// Parses one message. A message that lost some of its bytes is still read: the words that are left are kept, and
/// attachments are marked as damaged. One whose words are all lost is broken. Returns `None` if it has none of the
/// fields with which a message begins.
pub fn parse(bytes: &[u8]) -> Result<Option<Parsed>, ParseError> {
    let bytes = with_readable_head(bytes);
    let bytes = without_nesting(&bytes);
    let Some(message) = MessageParser::default().parse(&*bytes).filter(has_fields) else { return Ok(None) };
    let mut parsed = Parsed::default();
    if write(&mut parsed, &message, 1) == Words::Lost {
        let reason = "its words are encoded, and the encoded text is damaged".to_owned();
        return Err(ParseError::Broken { format: "e-mail", reason });
    }
    parsed.text.truncate(parsed.text.trim_end().len());
    if parsed.text.is_empty() {
        return Err(ParseError::Empty { hint: "".into() });
    }
    // An attached message may be empty.
    let length = parsed.text.len();
    parsed.breaks.retain(|&at| at < length);
    parsed.headings.retain(|heading| heading.start < length);
    parsed.title = message.subject().map(bare_subject).and_then(label);
    parsed.date = message.date().and_then(day).map(DocumentDate::metadata);
    Ok(Some(parsed))
}

fn has_fields(message: &Message<'_>) -> bool {
    message.from().is_some() || message.date().is_some() || message.subject().is_some()
}

/// The day on which the message was written, in the sender's time zone.
fn day(time: &DateTime) -> Option<Date> {
    let year = i16::try_from(time.year).ok().filter(|year| (1970..=2199).contains(year))?;
    Date::new(year, i8::try_from(time.month).ok()?, i8::try_from(time.day).ok()?).ok()
}

/// The result of writing a message's words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Words {
    /// The words are written, or there are none.
    Written,
    /// There are words, but none can be decoded.
    Lost,
}

/// Writes a message. `depth` counts the message and those that it is attached to.
fn write(parsed: &mut Parsed, message: &Message<'_>, depth: usize) -> Words {
    if depth > 1 {
        parsed.breaks.push(parsed.text.len());
    }
    if let Some(subject) = message.subject().and_then(label) {
        let start = parsed.text.len();
        parsed.text.push_str(&subject);
        parsed.text.push('\n');
        parsed.headings.push(Heading { start, level: depth.min(6) as u8, text: subject });
    }
    let fields = [("From", message.from()), ("To", message.to()), ("Cc", message.cc())];
    for (name, value) in fields.into_iter().filter_map(|(name, value)| Some((name, addresses(value?)?))) {
        parsed.text.push_str(&format!("{name}: {value}\n"));
    }
    if let Some(time) = message.date().filter(|time| day(time).is_some()) {
        parsed.text.push_str(&format!("Date: {}\n", time.to_rfc822()));
    }
    parsed.text.push('\n');
    let words = write_words(parsed, message, depth);
    let names: Vec<String> = message
        .attachments()
        .filter(|part| !is_message(part))
        .filter_map(|part| {
            let damaged = if part.is_encoding_problem { " (damaged)" } else { "" };
            Some(format!("{}{damaged}", label(part.attachment_name()?)?))
        })
        .collect();
    if !names.is_empty() {
        paragraph(parsed, &format!("Attachments: {}", names.join(", ")));
    }
    for part in message.attachments().filter(|part| is_message(part) && depth < DEEPEST) {
        let bytes = with_readable_head(part.contents());
        let bytes = without_nesting(&bytes);
        if let Some(attached) = MessageParser::default().parse(&*bytes) {
            write(parsed, &attached, depth + 1);
        }
    }
    words
}

fn write_words(parsed: &mut Parsed, message: &Message<'_>, depth: usize) -> Words {
    let start = parsed.text.len();
    let bodies = if has_plain_words(message) { &message.text_body } else { &message.html_body };
    for part in bodies.iter().filter_map(|&part| message.part(part)).filter(|part| !is_undecoded(part)) {
        match &part.body {
            PartType::Text(text) => paragraph(parsed, &text_of(message, part, text)),
            PartType::Html(page) => page_words(parsed, &text_of(message, part, page), depth),
            _ => {}
        }
    }
    if !parsed.text[start..].trim().is_empty() {
        return Words::Written;
    }
    // A truncated message ends within a part, which the library then takes for an attachment.
    let is_of_words = |part: &&MessagePart<'_>| part.is_encoding_problem && is_text(part);
    for part in message.parts.iter().filter(is_of_words).filter(|part| !is_undecoded(part)) {
        let text = text_of(message, part, part.text_contents().unwrap_or_default());
        if part.content_type().and_then(|kind| kind.subtype()) == Some("html") {
            page_words(parsed, &text, depth);
        } else {
            paragraph(parsed, &text);
        }
    }
    let is_lost = parsed.text[start..].trim().is_empty() && message.parts.iter().any(is_undecoded);
    if is_lost { Words::Lost } else { Words::Written }
}

/// The text of a part, which the library read as `text`. A declared charset that the library knows is trusted, except
/// ASCII, which says nothing about other bytes. If none is declared, the charset is detected as for a file.
fn text_of<'a>(message: &Message<'_>, part: &MessagePart<'_>, text: &'a str) -> Cow<'a, str> {
    let declared = part.content_type().and_then(|kind| kind.attribute("charset")).unwrap_or_default();
    let is_ascii = ["us-ascii", "ascii"].iter().any(|name| declared.eq_ignore_ascii_case(name));
    // The library knows the names of some charsets for which it replaces the whole text by one character.
    let is_replaced = encoding_rs::Encoding::for_label(declared.as_bytes()) == Some(encoding_rs::REPLACEMENT);
    if !is_ascii && !is_replaced && charset_decoder(declared.as_bytes()).is_some() {
        return Cow::Borrowed(text);
    }
    let decoded = bytes_of(message, part)
        .and_then(|bytes| charset::decode_seven_bits(&bytes, declared).or_else(|| charset::decode(bytes).ok()));
    decoded.map_or(Cow::Borrowed(text), Cow::Owned)
}

/// The bytes of a part, before they are decoded to text.
fn bytes_of(message: &Message<'_>, part: &MessagePart<'_>) -> Option<Vec<u8>> {
    let place = part.raw_body_offset() as usize..part.raw_end_offset() as usize;
    let written = message.raw_message().get(place)?;
    match part.encoding {
        Encoding::None => Some(written.to_vec()),
        Encoding::QuotedPrintable => quoted_printable_decode(written),
        Encoding::Base64 => base64_decode(written),
    }
}

/// Whether a part is text and not an attachment.
fn is_text(part: &MessagePart<'_>) -> bool {
    let is_attached = part.attachment_name().is_some()
        || part.content_disposition().is_some_and(|disposition| disposition.is_attachment());
    !is_attached && part.content_type().is_none_or(|kind| kind.ctype() == "text")
}

/// Whether a text part is encoded in base64 that cannot be decoded.
fn is_undecoded(part: &MessagePart<'_>) -> bool {
    let is_encoded = part.content_transfer_encoding().is_some_and(|name| name.eq_ignore_ascii_case("base64"));
    part.is_encoding_problem && is_encoded && is_text(part)
}

/// Whether a message has plain text with words; text made from HTML does not count.
fn has_plain_words(message: &Message<'_>) -> bool {
    message
        .text_body
        .iter()
        .filter_map(|&part| message.part(part))
        .any(|part| matches!(&part.body, PartType::Text(text) if !text.trim().is_empty() && !is_undecoded(part)))
}

/// The message with its head in UTF-8, as which the library reads a head. Another charset is detected from the whole
/// message, as old programs used one for all of it.
fn with_readable_head(bytes: &[u8]) -> Cow<'_, [u8]> {
    let (head, rest) = bytes.split_at(head_length(bytes));
    if !head.contains(&0x1b) && str::from_utf8(head).is_ok() {
        return Cow::Borrowed(bytes);
    }
    let Ok(text) = charset::decode(bytes.to_vec()) else { return Cow::Borrowed(bytes) };
    let text = text.as_bytes();
    Cow::Owned([&text[..head_length(text)], rest].concat())
}

/// The length of a message's fields, including the empty line below them.
fn head_length(message: &[u8]) -> usize {
    let mut length = 0;
    for line in message.split_inclusive(|&byte| byte == b'\n') {
        length += line.len();
        if line.trim_ascii().is_empty() {
            break;
        }
    }
    length
}

/// The kinds of parts that hold messages, each with a replacement that no message uses. The messages of a digest are
/// read as its text.
const NESTING: [(&[u8], &[u8]); 3] = [(b"rfc822", b"rfc8-2"), (b"global", b"glob-l"), (b"digest", b"dige-t")];

/// The message with its attached messages turned into attachments of an unknown kind. The library would read nested
/// messages to any depth and overflow the stack; here they are read one by one, a few levels deep.
fn without_nesting(bytes: &[u8]) -> Cow<'_, [u8]> {
    let mut changed: Option<Vec<u8>> = None;
    let (mut start, mut in_kind) = (0, false);
    for line in bytes.split_inclusive(|&byte| byte == b'\n') {
        let goes_on = line.first().is_some_and(|&byte| byte == b' ' || byte == b'\t');
        in_kind = names_content_type(line) || (in_kind && goes_on);
        if in_kind {
            // The kind ends at a semicolon, unless that is in a comment. A boundary between parts may look like a kind.
            let end = line.iter().position(|byte| b";(".contains(byte)).filter(|&at| line[at] == b';');
            let kind = &line[..end.unwrap_or(line.len())];
            for (from, to) in NESTING {
                for at in 0..(kind.len() + 1).saturating_sub(from.len()) {
                    if kind[at..at + from.len()].eq_ignore_ascii_case(from) {
                        let at = start + at;
                        changed.get_or_insert_with(|| bytes.to_vec())[at..at + to.len()].copy_from_slice(to);
                    }
                }
            }
            in_kind = end.is_none();
        }
        start += line.len();
    }
    changed.map_or(Cow::Borrowed(bytes), Cow::Owned)
}

/// Whether a line begins the field, as leniently as in the library: white space within its name is ignored.
fn names_content_type(line: &[u8]) -> bool {
    let mut rest = line.iter().filter(|byte| !byte.is_ascii_whitespace()).skip_while(|&&byte| byte == b':');
    b"content-type:".iter().all(|expected| rest.next().is_some_and(|byte| byte.eq_ignore_ascii_case(expected)))
}

/// Whether a part is a message.
fn is_message(part: &MessagePart<'_>) -> bool {
    let subtype = part.content_type().filter(|kind| kind.ctype() == "message").and_then(|kind| kind.subtype());
    subtype.is_some_and(|subtype| NESTING.iter().any(|(_, to)| subtype.as_bytes() == *to))
}

/// The original words, since a message may quote the fields of another.
fn as_written(text: &str) -> Cow<'_, str> {
    let mut written = Cow::Borrowed(text);
    for (from, to) in NESTING.map(|(from, to)| (String::from_utf8_lossy(from), String::from_utf8_lossy(to))) {
        if written.contains(to.as_ref()) {
            written = Cow::Owned(written.replace(to.as_ref(), &from));
        }
    }
    written
}

fn paragraph(parsed: &mut Parsed, text: &str) {
    let text = without_controls(&as_written(text)).replace('\r', "");
    let text = text.trim_matches('\n').trim_end();
    if !text.trim().is_empty() {
        parsed.text.push_str(text);
        parsed.text.push_str("\n\n");
    }
}

/// The words of an HTML part, with its headings below the subject.
fn page_words(parsed: &mut Parsed, page: &str, depth: usize) {
    // A part without words is not an error of the message.
    let Ok(page) = html::parse(&as_written(page)) else { return };
    let offset = parsed.text.len();
    parsed.headings.extend(page.headings.into_iter().map(|heading| Heading {
        start: offset + heading.start,
        level: (heading.level as usize + depth).min(6) as u8,
        text: heading.text,
    }));
    parsed.text.push_str(&page.text);
    parsed.text.push_str("\n\n");
}

/// A list of addresses, as `Ada Lovelace <ada@example.org>, bob@example.org`.
fn addresses(addresses: &Address<'_>) -> Option<String> {
    let all: Vec<String> = addresses
        .iter()
        .map(|one| [one.name(), one.address()].map(|part| Some(one_line(&without_controls(part?)))))
        .filter_map(|[name, address]| match (name, address) {
            (Some(name), Some(address)) if !name.is_empty() => Some(format!("{name} <{address}>")),
            (_, Some(address)) => Some(address),
            (name, None) => name,
        })
        .filter(|one| !one.is_empty())
        .collect();
    let more = all.len().saturating_sub(ADDRESSES);
    let mut named = all.into_iter().take(ADDRESSES).collect::<Vec<_>>().join(", ");
    if more > 0 {
        named.push_str(&format!(" and {more} more"));
    }
    (!named.is_empty()).then_some(named)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(message: &str, expected: &str) -> Parsed {
        let parsed = parse(message.replace('\n', "\r\n").as_bytes()).expect("it is read").expect("it is a message");
        assert_eq!(parsed.text, expected);
        for heading in &parsed.headings {
            assert!(parsed.text[heading.start..].starts_with(heading.text.as_str()), "{heading:?}");
        }
        parsed
    }

    #[test]
    fn a_plain_message_tells_its_fields_and_words() {
        let parsed = check(
            "From: Ada Lovelace <ada@example.org>\nTo: bob@example.org, \"C, D\" <c@example.org>\nSubject: =?utf-8?B?5r2u44Gu?= times\n\
             Date: Tue, 5 Mar 2024 23:30:00 -0800\nMessage-ID: <1@x>\nContent-Type: text/plain; charset=iso-8859-1\n\
             Content-Transfer-Encoding: quoted-printable\n\nHigh water at caf=E9.\n\n> quoted\n-- \nAda\n",
            "\u{6f6e}\u{306e} times\nFrom: Ada Lovelace <ada@example.org>\nTo: bob@example.org, C, D <c@example.org>\n\
             Date: Tue, 5 Mar 2024 23:30:00 -0800\n\nHigh water at café.\n\n> quoted\n--\nAda",
        );
        assert_eq!(parsed.title.as_deref(), Some("\u{6f6e}\u{306e} times"));
        assert_eq!(parsed.date.map(|date| date.date.to_string()).as_deref(), Some("2024-03-05"));
    }

    #[test]
    fn names_hold_nothing_that_a_terminal_obeys() {
        check("From: =?utf-8?Q?A=1B=5B2Jda?= <a@x.org>\nSubject: s\n\nWords.\n", "s\nFrom: Ada <a@x.org>\n\nWords.");
    }

    fn encoded(text: &str, charset: &str) -> Vec<u8> {
        let charset = encoding_rs::Encoding::for_label(charset.as_bytes()).expect("a charset");
        let (bytes, _, unmappable) = charset.encode(text);
        assert!(!unmappable, "{text}");
        bytes.into_owned()
    }

    fn in_digits(bytes: &[u8]) -> String {
        bytes.iter().map(|byte| format!("={byte:02X}")).collect()
    }

    #[test]
    fn names_subjects_and_words_are_read_in_the_charset_that_they_declare() {
        fn check(charset: &str, subject: &str, words: &str) {
            let digits = in_digits(&encoded(subject, charset));
            let head = format!(
                "From: =?{charset}?Q?{digits}?= <a@example.org>\r\nSubject: =?{charset}?Q?{digits}?=\r\n\
                 Content-Type: text/plain; charset=\"{charset}\"\r\n\r\n"
            );
            let parsed = parse(&[head.as_bytes(), &*encoded(words, charset)].concat())
                .expect("it is read")
                .expect("it is a message");
            assert_eq!(parsed.text, format!("{subject}\nFrom: {subject} <a@example.org>\n\n{words}"), "{charset}");
            assert_eq!(parsed.title.as_deref(), Some(subject), "{charset}");
        }
        for charset in ["ISO-2022-JP", "iso-2022-jp", "Shift_JIS", "Windows-31J", "EUC-JP"] {
            check(charset, "堤防の点検", "堤防は毎月三回、見回ります。");
        }
        for charset in ["gb2312", "GBK", "gb18030"] {
            check(charset, "堤坝检查", "堤坝每月检查三次。");
        }
        check("Big5", "堤防檢查", "堤防每月檢查三次。");
        for charset in ["EUC-KR", "ks_c_5601-1987"] {
            check(charset, "제방 점검", "제방은 매달 세 번 점검합니다.");
        }
        check("KOI8-R", "Осмотр", "Плотину осматривают трижды в месяц.");
    }

    #[test]
    fn a_charset_that_is_not_declared_is_detected() {
        fn check(fields: &str, head: &[u8], words: &[u8], expected: &str) {
            let parts: [&[u8]; 6] =
                [b"From: a@example.org\r\nSubject: ", head, b"\r\n", fields.as_bytes(), b"\r\n", words];
            assert_eq!(parse(&parts.concat()).expect("it is read").expect("it is a message").text, expected);
        }
        let words = "堤防の水位は毎朝六時に測り、その値を台帳に書いてください。";
        let expected = format!("堤防の点検\nFrom: a@example.org\n\n{words}");
        for charset in ["shift_jis", "euc-jp", "iso-2022-jp", "utf-8"] {
            let (head, words) = (encoded("堤防の点検", charset), encoded(words, charset));
            check("", &head, &words, &expected);
            check("Content-Type: text/plain; charset=us-ascii\r\n", &head, &words, &expected);
            check("Content-Type: text/plain; charset=x-unknown\r\n", &head, &words, &expected);
            let digits = in_digits(&words);
            check("Content-Transfer-Encoding: quoted-printable\r\n", &head, digits.as_bytes(), &expected);
        }
        let words = "Die Brücke trägt achtzehn Tonnen.";
        check(
            "Content-Type: text/plain; charset=US-ASCII\r\n",
            b"S",
            words.as_bytes(),
            &format!("S\nFrom: a@example.org\n\n{words}"),
        );
    }

    #[test]
    fn charsets_of_seven_bits_are_decoded() {
        fn check(charset: &str, of_eight: &str, opening: &str, closing: &str, words: &str) {
            let seven: Vec<u8> = encoded(words, of_eight).iter().map(|byte| byte & 0x7f).collect();
            let head = format!(
                "From: a@example.org\r\nSubject: S\r\nContent-Type: text/plain; charset={charset}\r\n\r\nTea: {opening}"
            );
            let parts: [&[u8]; 4] = [head.as_bytes(), &seven, closing.as_bytes(), b" 3\r\nMilk."];
            let parsed = parse(&parts.concat()).expect("it is read").expect("it is a message");
            assert_eq!(parsed.text, format!("S\nFrom: a@example.org\n\nTea: {words} 3\nMilk."), "{charset}");
        }
        check("HZ-GB-2312", "gbk", "~{", "~}", "茶叶");
        check("iso-2022-cn", "gbk", "\x1b$)A\x0e", "\x0f", "茶叶");
        check("ISO-2022-KR", "euc-kr", "\x1b$)C\x0e", "\x0f", "녹차");
        check("iso-2022-kr", "euc-kr", "", "", "");
    }

    #[test]
    fn html_is_read_where_there_is_no_plain_text_and_attachments_are_named() {
        check(
            "From: a@example.org\nSubject: Report\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=x\n\n--x\n\
             Content-Type: text/html\n\n<style>p{}</style><h1>Part</h1><p>Words &amp; more.</p>\n--x\n\
             Content-Type: application/pdf; name=\"a b.pdf\"\nContent-Disposition: attachment; filename=\"a b.pdf\"\n\
             Content-Transfer-Encoding: base64\n\nJVBERi0=\n--x--\n",
            "Report\nFrom: a@example.org\n\nPart\n\nWords & more.\n\nAttachments: a b.pdf",
        );
        check(
            "From: a@example.org\nSubject: Both\nMIME-Version: 1.0\nContent-Type: multipart/alternative; boundary=x\n\n--x\n\
             Content-Type: text/plain\n\nPlain words.\n--x\nContent-Type: text/html\n\n<p>Rich words.</p>\n--x--\n",
            "Both\nFrom: a@example.org\n\nPlain words.",
        );
    }

    #[test]
    fn attached_messages_are_read_along() {
        let parsed = check(
            "From: a@example.org\nSubject: Fwd\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=x\n\n--x\n\
             Content-Type: text/plain\n\nSee below.\n--x\nContent-Type: message/rfc822\n\nFrom: b@example.org\n\
             Subject: Inner\n\nInner words.\n--x--\n",
            "Fwd\nFrom: a@example.org\n\nSee below.\n\nInner\nFrom: b@example.org\n\nInner words.",
        );
        assert_eq!(parsed.headings.iter().map(|heading| heading.level).collect::<Vec<_>>(), [1, 2]);
        assert_eq!(parsed.breaks.len(), 1);
    }

    const MIXED: &str =
        "From: a@example.org\nSubject: S\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=x\n\n--x\n";

    #[test]
    fn what_a_damaged_message_has_left_is_read() {
        // The message is cut off within its words.
        check(&format!("{MIXED}Content-Type: text/plain\n\nWords that"), "S\nFrom: a@example.org\n\nWords that");
        let zip = "Content-Type: application/zip; name=a.zip\nContent-Transfer-Encoding: base64\n\nUEsD";
        check(
            &format!("{MIXED}Content-Type: text/plain\n\nWords.\n--x\n{zip}BBQ\0\0\n--x--\n"),
            "S\nFrom: a@example.org\n\nWords.\n\nAttachments: a.zip (damaged)",
        );
        check(
            &format!("{MIXED}Content-Type: text/plain\n\nWords.\n--x\n{zip}"),
            "S\nFrom: a@example.org\n\nWords.\n\nAttachments: a.zip (damaged)",
        );
    }

    #[test]
    fn a_message_without_readable_words_is_broken() {
        let encoded = "Content-Type: text/plain\nContent-Transfer-Encoding: base64\n\n";
        for message in [
            format!("From: a@example.org\nSubject: S\n{encoded}V29y\0\0\0ZHM=\n"),
            format!("{MIXED}{encoded}V29y\0\0\0ZHM=\n--x--\n"),
            format!("{MIXED}{encoded}V29y\n"),
        ] {
            let error = parse(message.as_bytes()).expect_err("it is broken").to_string();
            assert_eq!(error, "broken e-mail: its words are encoded, and the encoded text is damaged", "{message}");
        }
        // Words in another part are enough.
        let html = "--x\nContent-Type: text/html\n\n<p>Words.</p>\n--x--\n";
        check(&format!("{MIXED}{encoded}V29y\0\0ZHM=\n{html}"), "S\nFrom: a@example.org\n\nWords.");
    }

    #[test]
    fn messages_in_messages_are_read_some_levels_deep_and_never_deeper_than_the_stack() {
        let nested = |levels: usize| {
            let level =
                |level: usize| format!("From: a@example.org\nSubject: L{level}\nContent-Type: message/RFC822\n\n");
            (1..=levels).map(level).collect::<String>() + "Subject: End\n\nContent-Type: message/rfc822 is quoted.\n"
        };
        check(
            &nested(2),
            "L1\nFrom: a@example.org\n\nL2\nFrom: a@example.org\n\nEnd\n\nContent-Type: message/rfc822 is quoted.",
        );
        let deep = parse(nested(20_000).as_bytes()).expect("it is read").expect("it is a message");
        assert_eq!(deep.headings.len(), DEEPEST);
    }

    #[test]
    fn messages_are_known_by_their_fields() {
        let check = |text: &str, expected: bool| assert_eq!(is_email(text.as_bytes()), expected, "{text}");
        check("Received: from a\n by b\nFrom: x@y\n\nwords", true);
        check("From: x@y\r\nMessage-ID: <1>\r\n\r\nwords", true);
        check("From: the station\nTo: the harbour\n\nA way of walking.", false);
        check("From the start:\nMessage-ID: 1\n", false);
        check("", false);
        assert!(parse("Von: Anna\nBetreff: Wasser\n\nHallo".as_bytes()).expect("it is read").is_none());
    }
}
