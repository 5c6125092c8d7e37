//! PDF: the text of each page.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;

use pdf_extract::{Document, Object, PlainTextOutput, output_doc_page};

use super::dates::parse_pdf_date;
use super::{ParseError, Parsed};
use crate::base::text::one_line;
use crate::domain::{DateOrigin, DocumentDate};

/// How far from the ends of a file its marks may stand.
const MARK_BYTES: usize = 2048;

/// Whether the bytes begin as a PDF does; some writers put a little before the mark.
pub(super) fn is_pdf(bytes: &[u8]) -> bool {
    let head = &bytes[..bytes.len().min(1024)];
    // Text that merely speaks of the mark does not begin with it.
    head.starts_with(b"%PDF-")
        || (head.windows(5).any(|window| window == b"%PDF-")
            && bytes.windows(9).take(1 << 20).any(|w| w == b"startxref"))
}

/// The text page by page. A page that the library cannot read is left empty and named in the log; only when no page
/// can be read is the file broken.
pub(super) fn parse(bytes: &[u8]) -> Result<Parsed, ParseError> {
    let mut document = guarded(|| Document::load_mem(bytes))
        .map_err(|reason| broken(bytes, reason))?
        .map_err(|error| load_error(bytes, error))?;
    if document.is_encrypted() {
        // Many are encrypted with no password, to forbid printing.
        guarded(|| document.decrypt("")).map_err(|_| ParseError::Encrypted)?.map_err(|_| ParseError::Encrypted)?;
    }
    let mut parsed = Parsed::default();
    let mut first_failure = None;
    let pages: Vec<u32> = document.get_pages().into_keys().collect();
    let mut read = 0;
    for &page in &pages {
        parsed.pages.push(parsed.text.len());
        match page_text(&document, page) {
            Ok(text) => {
                read += 1;
                push_page(&mut parsed.text, &text);
            }
            Err(reason) => {
                tracing::warn!(page, reason, "a PDF page cannot be read");
                first_failure.get_or_insert(reason);
            }
        }
    }
    match first_failure {
        Some(reason) if read == 0 => return Err(broken(bytes, reason)),
        _ if pages.is_empty() => return Err(broken(bytes, "it has no pages".to_owned())),
        _ if parsed.text.trim().is_empty() => {
            return Err(ParseError::Empty { hint: " (pages are images: it needs OCR)" });
        }
        _ => {}
    }
    parsed.title = info(&document, b"Title").filter(|title| is_title(title));
    parsed.date = info(&document, b"CreationDate")
        .and_then(|text| parse_pdf_date(&text))
        .map(|date| DocumentDate { date, origin: DateOrigin::Metadata });
    Ok(parsed)
}

fn page_text(document: &Document, page: u32) -> Result<String, String> {
    let mut text = String::new();
    guarded(|| output_doc_page(document, &mut PlainTextOutput::new(&mut text), page))?
        .map_err(|error| error.to_string())?;
    Ok(text)
}

/// Adds a page's lines: words divided at a line's end are joined, runs of blank lines are one.
fn push_page(out: &mut String, page: &str) {
    let mut blank = true;
    let mut lines = page.lines().map(str::trim).peekable();
    while let Some(line) = lines.next() {
        if line.is_empty() {
            if !blank {
                out.push('\n');
            }
            blank = true;
            continue;
        }
        blank = false;
        let goes_on = lines.peek().is_some_and(|next| next.starts_with(char::is_lowercase));
        let divided = line.strip_suffix(['-', '\u{ad}', '‐']).filter(|head| head.ends_with(char::is_lowercase));
        match divided {
            Some(head) if goes_on => out.push_str(head),
            _ => {
                out.push_str(line);
                out.push('\n');
            }
        }
    }
    if !blank {
        out.push('\n');
    }
}

fn load_error(bytes: &[u8], error: pdf_extract::Error) -> ParseError {
    match error {
        pdf_extract::Error::Decryption(_) | pdf_extract::Error::InvalidPassword => ParseError::Encrypted,
        error => broken(bytes, error.to_string()),
    }
}

fn broken(bytes: &[u8], reason: String) -> ParseError {
    let tail = &bytes[bytes.len().saturating_sub(MARK_BYTES)..];
    let ends = tail.windows(5).any(|window| window == b"%%EOF");
    let reason = if ends { reason } else { format!("the file is cut short, its end mark is missing ({reason})") };
    ParseError::Broken { format: "PDF", reason }
}

/// A text of the information dictionary.
fn info(document: &Document, key: &[u8]) -> Option<String> {
    let info = match document.trailer.get(b"Info").ok()? {
        Object::Reference(id) => document.get_dictionary(*id).ok()?,
        object => object.as_dict().ok()?,
    };
    let text = guarded(|| pdf_extract::decode_text_string(info.get(key).ok()?).ok()).ok()??;
    Some(one_line(&text)).filter(|text| !text.is_empty())
}

/// Writers put file names and placeholders where the title belongs.
fn is_title(title: &str) -> bool {
    let lower = title.to_lowercase();
    lower.chars().any(char::is_alphabetic)
        && !lower.starts_with("microsoft word")
        && !lower.starts_with("untitled")
        && ![".doc", ".docx", ".pdf", ".tex", ".dvi", ".indd"].iter().any(|suffix| lower.ends_with(suffix))
}

thread_local! {
    static GUARDED: Cell<bool> = const { Cell::new(false) };
}

/// Runs library code that panics on files it does not understand; `Err` is what the panic said. Nothing is printed.
fn guarded<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let previous = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            if !GUARDED.get() {
                previous(panic);
            }
        }));
    });
    GUARDED.set(true);
    let outcome = catch_unwind(AssertUnwindSafe(work));
    GUARDED.set(false);
    outcome.map_err(|panic| {
        let said = panic.downcast_ref::<String>().map(String::as_str).or_else(|| panic.downcast_ref::<&str>().copied());
        crate::base::text::excerpt(&one_line(said.unwrap_or("unsupported construct")), 200).into_owned()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A PDF with one line of Helvetica on each page.
    fn pdf(pages: &[&str], info: &str) -> Vec<u8> {
        let kids: String = (0..pages.len()).map(|page| format!("{} 0 R ", 5 + 2 * page)).collect();
        let mut objects = vec![
            "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
            format!("<< /Type /Pages /Kids [{kids}] /Count {} >>", pages.len()),
            "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>".to_owned(),
            format!("<< {info} >>"),
        ];
        for (place, text) in pages.iter().enumerate() {
            objects.push(format!(
                "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents {} 0 R /Resources << /Font << /F1 3 0 R >> >> >>",
                6 + 2 * place
            ));
            let lines: String = text.split('\n').map(|line| format!("({line}) Tj T* ")).collect();
            let stream = format!("BT /F1 12 Tf 14 TL 72 700 Td {lines}ET");
            objects.push(format!("<< /Length {} >>\nstream\n{stream}\nendstream", stream.len()));
        }
        let mut out = b"%PDF-1.4\n".to_vec();
        let mut offsets = Vec::new();
        for (place, object) in objects.iter().enumerate() {
            offsets.push(out.len());
            out.extend(format!("{} 0 obj\n{object}\nendobj\n", place + 1).bytes());
        }
        let table = out.len();
        out.extend(format!("xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1).bytes());
        for offset in offsets {
            out.extend(format!("{offset:010} 00000 n \n").bytes());
        }
        let count = objects.len() + 1;
        out.extend(
            format!("trailer\n<< /Size {count} /Root 1 0 R /Info 4 0 R >>\nstartxref\n{table}\n%%EOF\n").bytes(),
        );
        out
    }

    #[test]
    fn pages_title_and_date() {
        let bytes = pdf(&["Hello world.", "Second page."], "/Title (A Title) /CreationDate (D:20200131120000Z)");
        let parsed = parse(&bytes).expect("a PDF");
        assert_eq!(parsed.pages.len(), 2);
        assert_eq!(parsed.text[..parsed.pages[1]].trim(), "Hello world.");
        assert_eq!(parsed.text[parsed.pages[1]..].trim(), "Second page.");
        assert_eq!(parsed.title.as_deref(), Some("A Title"));
        assert_eq!(parsed.date.map(|date| date.date.to_string()).as_deref(), Some("2020-01-31"));
    }

    #[test]
    fn divided_words_are_joined() {
        let parsed = parse(&pdf(&["An exam-\nple of Anglo-\nSaxon words."], "")).expect("a PDF");
        assert_eq!(parsed.text.trim(), "An example of Anglo-\nSaxon words.");
    }

    #[test]
    fn damage_is_named() {
        let whole = pdf(&["Hello world."], "");
        let check = |bytes: &[u8], expected: &str| {
            let error = parse(bytes).expect_err("damaged").to_string();
            assert!(error.contains(expected), "{error}");
        };
        check(&whole[..whole.len() / 2], "cut short");
        check(b"%PDF-1.4\n", "cut short");
        check(b"%PDF-1.4 junk %%EOF", "broken PDF");
        check(&pdf(&[""], ""), "OCR");
        check(&pdf(&[], ""), "no pages");
    }
}
