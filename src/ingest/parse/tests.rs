use proptest::prelude::*;

use super::*;

fn check(name: &str, bytes: &[u8], format: Format, text: &str) {
    let (found, parsed) = parse(Path::new(name), bytes.to_vec()).expect("a document");
    assert_eq!((found, parsed.text.as_str()), (format, text), "of {name}");
}

#[test]
fn formats() {
    check("a.txt", b"plain", Format::Text, "plain");
    check("a.md", b"# H\n", Format::Markdown, "# H\n");
    check("a.txt", b"<!doctype html><p>hi", Format::Html, "hi\n");
    check("a.json", b"{\"a\":1}", Format::Json, "a: 1\n");
    check("a.json", b"{\"a\":1}\n{\"a\":2}", Format::Jsonl, "a: 1\n\na: 2\n");
    check("a.json", b"{\"a\": broken", Format::Text, "{\"a\": broken");
    check("a.csv", b"a,b\n1,2\n", Format::Csv, "a: 1; b: 2\n");
    check("a.rs", b"fn main() {}", Format::Code, "fn main() {}");
}

#[test]
fn nothing_to_read() {
    let error = |name: &str, bytes: &[u8]| parse(Path::new(name), bytes.to_vec()).expect_err("unreadable").to_string();
    assert_eq!(error("a.txt", b" \n"), "no text in it");
    assert!(error("a.html", b"<html><script>x</script>").contains("scripts"));
    assert!(error("a.bin", &[0, 1, 2, 3]).contains("binary"));
}

fn assert_sound(parsed: &Parsed) -> Result<(), TestCaseError> {
    let text = &parsed.text;
    let starts = parsed.pages.iter().chain(&parsed.breaks).copied();
    for at in starts.chain(parsed.headings.iter().map(|heading| heading.start)) {
        prop_assert!(at <= text.len() && text.is_char_boundary(at), "{at} in {text:?}");
    }
    prop_assert!(parsed.headings.is_sorted_by_key(|heading| heading.start));
    prop_assert!(parsed.breaks.is_sorted() && parsed.pages.is_sorted());
    Ok(())
}

const NAMES: [&str; 9] = ["a", "a.txt", "a.md", "a.html", "a.json", "a.jsonl", "a.csv", "a.py", "a.rs"];

proptest! {
    #[test]
    fn any_bytes(name in prop::sample::select(NAMES.to_vec()), bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        if let Ok((_, parsed)) = parse(Path::new(name), bytes) {
            assert_sound(&parsed)?;
        }
    }

    #[test]
    fn any_text(
        name in prop::sample::select(NAMES.to_vec()),
        text in "(\\PC|[#<>{}\\[\\]\",:;=|\n\t -]|<(p|h1|td|tr|li|pre|table|/h1|/p)>|\"a\":|---\n|# h\n|é){0,80}",
    ) {
        if let Ok((_, parsed)) = parse(Path::new(name), text.into_bytes()) {
            assert_sound(&parsed)?;
        }
    }

    #[test]
    fn any_damage_to_a_pdf(tail in prop::collection::vec(any::<u8>(), 0..200)) {
        let bytes = [b"%PDF-1.4\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n".as_slice(), &tail].concat();
        prop_assert!(parse(Path::new("a.pdf"), bytes).is_err());
    }
}
