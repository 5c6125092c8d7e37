//! The address of a citation: the page of a PDF, the words on a web page, or a file.

use url::Url;

/// The number of words at the beginning and at the end of a quote by which a browser finds it on a page.
const FRAGMENT_WORDS: usize = 5;
/// A quote of at most this many characters is searched for whole.
const WHOLE_CHARS: usize = 60;
/// Files whose records are quoted in a wording that does not occur in the file.
const RECORDS: [&str; 10] = [".csv", ".tsv", ".json", ".jsonl", ".yaml", ".yml", ".toml", ".xml", ".xlsx", ".ods"];

/// The address of a web page, with the place of the quote on it; `None` if `path` is not a web address.
pub(super) fn web_page_url(path: &str, page: Option<u32>, quote: &str) -> Option<String> {
    let mut url = Url::parse(path).ok().filter(|url| matches!(url.scheme(), "http" | "https"))?;
    if let Some(page) = page {
        url.set_fragment(Some(&format!("page={page}")));
        return Some(url.to_string());
    }
    let words = fragment(quote);
    let name = url.path().to_lowercase();
    if words.is_empty() || RECORDS.iter().any(|ending| name.ends_with(ending)) {
        return Some(url.to_string());
    }
    let mark = if url.fragment().is_some() { "" } else { "#" };
    Some(format!("{url}{mark}:~:{words}"))
}

/// The address of a file by its path, which may be relative to the page that links to it.
pub fn of_file(path: &str, page: Option<u32>) -> String {
    let path = path.replace('\\', "/");
    let encoded: Vec<String> = path.split('/').map(encoded).collect();
    let encoded = encoded.join("/");
    let place = page.map(|page| format!("#page={page}")).unwrap_or_default();
    match path.starts_with('/') {
        true => format!("file://{encoded}{place}"),
        // With `./`, no name can be read as the scheme of an address.
        false => format!("./{encoded}{place}"),
    }
}

/// `text=beginning,end` for a quote, or `text=` and the whole quote if it is short.
fn fragment(quote: &str) -> String {
    let words: Vec<&str> = quote.split_whitespace().collect();
    let joined = words.join(" ");
    if joined.is_empty() {
        return String::new();
    }
    if joined.chars().count() <= WHOLE_CHARS {
        return format!("text={}", quoted(&joined));
    }
    if words.len() >= 2 * FRAGMENT_WORDS {
        let (start, end) = (words[..FRAGMENT_WORDS].join(" "), words[words.len() - FRAGMENT_WORDS..].join(" "));
        return format!("text={},{}", quoted(&start), quoted(&end));
    }
    // In a script without spaces, characters are used instead of words.
    let characters: Vec<char> = joined.chars().collect();
    let part = |characters: &[char]| quoted(characters.iter().collect::<String>().trim());
    let length = (characters.len() / 2).min(WHOLE_CHARS / 3);
    format!("text={},{}", part(&characters[..length]), part(&characters[characters.len() - length..]))
}

/// Encodes words for a fragment, where a hyphen would have a meaning.
fn quoted(words: &str) -> String {
    encoded(words).replace('-', "%2D")
}

/// Percent-encodes every byte, as `%41`, except ASCII letters and digits, hyphens, dots, underscores and tildes.
fn encoded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => out.push(char::from(byte)),
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn citations_lead_to_the_words() {
        let check = |path: &str, page: Option<u32>, quote: &str, expected: Option<&str>| {
            assert_eq!(web_page_url(path, page, quote).as_deref(), expected);
        };
        check(
            "https://a.example/x",
            None,
            "It began, so-so.",
            Some("https://a.example/x#:~:text=It%20began%2C%20so%2Dso."),
        );
        check("https://a.example/x#y", None, "It", Some("https://a.example/x#y:~:text=It"));
        let long = "one two three four five six seven eight nine ten eleven twelve thirteen";
        let words =
            "https://a.example/#:~:text=one%20two%20three%20four%20five,nine%20ten%20eleven%20twelve%20thirteen";
        check("https://a.example/", None, long, Some(words));
        check("https://a.example/a.pdf", Some(3), "q", Some("https://a.example/a.pdf#page=3"));
        check("https://a.example/\"><script>", None, "", Some("https://a.example/%22%3E%3Cscript%3E"));
        check("https://a.example/a.CSV?x", None, "pump: A; litres: 40.", Some("https://a.example/a.CSV?x"));
        check("javascript:alert(1)", None, "q", None);
        check("docs/a.md", None, "q", None);
        let japanese = web_page_url("https://a.example/", None, &"語".repeat(80)).unwrap();
        assert_eq!(japanese.matches(',').count(), 1, "{japanese}");
    }

    #[test]
    fn files_are_files() {
        let check = |path: &str, page, expected: &str| assert_eq!(of_file(path, page), expected);
        check("docs/a b.pdf", Some(2), "./docs/a%20b.pdf#page=2");
        check("a-b%2Dc.md", None, "./a-b%252Dc.md");
        check("../docs/a.md", None, "./../docs/a.md");
        check("/home/ann/a.md", None, "file:///home/ann/a.md");
        check("javascript:alert(1)", None, "./javascript%3Aalert%281%29");
        check("a\"><img src=x>#y?z", None, "./a%22%3E%3Cimg%20src%3Dx%3E%23y%3Fz");
        check(r"C:\docs\a.md", None, "./C%3A/docs/a.md");
    }
}
