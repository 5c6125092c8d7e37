//! The seal of a page: a hash of each of its parts as a browser reads them, and one of the whole file.
//!
//! The page's own script computes the same hashes (`html/page.js`) over the elements, attributes and words that it
//! shows, so that whoever opens the page is told which part was altered. `deepsearch verify` does so too, and also
//! detects any other changed byte. A seal shows what was changed; it does not say who made a page.

use std::collections::{BTreeMap, BTreeSet};

use scraper::node::Node;
use scraper::{ElementRef, Html, Selector};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::base::text::{excerpt, one_line};

/// The element for the seal in a page that has none yet.
pub(super) const UNSEALED: &str = "<script type=\"application/json\" id=\"seal\"></script>";
/// The markup before and after the seal's JSON.
const OPENING: &str = "<script type=\"application/json\" id=\"seal\">";
const CLOSING: &str = "</script>";
/// The attribute that names a part.
pub(super) const PART: &str = "data-part";
/// The id of the element that keeps the report.
pub(super) const BUNDLE: &str = "bundle";
/// The number of hexadecimal digits of a part's hash.
const PART_DIGITS: usize = 32;
/// Stands in place of the file's own hash while that is computed.
const NO_HASH: &str = "0000000000000000000000000000000000000000000000000000000000000000";
/// The most characters of a part that a message shows.
const TOLD_CHARS: usize = 80;
/// The most characters kept for that, including white space.
const KEPT_CHARS: usize = 400;

/// The hashes that a page keeps of itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Seal {
    /// SHA-256 of the file's bytes, with zeros in place of this value.
    file: String,
    /// SHA-256 of everything outside the parts, and of `parts`.
    root: String,
    /// The parts in order: the name, and the first digits of the SHA-256.
    parts: Vec<(String, String)>,
}

/// The report that a page keeps.
#[derive(Serialize, Deserialize)]
pub(super) struct Bundle {
    /// The whole report.
    pub markdown: String,
    /// The documents behind its citations.
    pub sources: Vec<BundledSource>,
}

/// What a page keeps of a cited document.
#[derive(Serialize, Deserialize)]
pub(super) struct BundledSource {
    /// The number of the citation.
    pub number: usize,
    /// BLAKE3 of the document's bytes, 128 bits, if the document was available.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub document: Option<String>,
    /// SHA-256 of the quoted words.
    pub quote: String,
}

/// Puts the seal into a page.
pub(super) fn sealed(page: &str) -> String {
    let read = Read::of(page);
    let seal = Seal { file: NO_HASH.to_owned(), root: read.root(), parts: read.parts() };
    // Part names and hashes contain nothing that ends a script.
    let json = serde_json::to_string(&seal).unwrap_or_default();
    let page = page.replacen(UNSEALED, &format!("{OPENING}{json}{CLOSING}"), 1);
    let hash = sha256(page.as_bytes());
    // Only the hash in the seal: the page may show as many zeros elsewhere.
    match page.split_once(OPENING) {
        Some((before, seal)) => format!("{before}{OPENING}{}", seal.replacen(NO_HASH, &hash, 1)),
        None => page,
    }
}

/// The file as it was before its own hash was inserted.
fn without_hash(page: &str, hash: &str) -> String {
    match page.split_once(OPENING) {
        Some((before, seal)) => format!("{before}{OPENING}{}", seal.replacen(hash, NO_HASH, 1)),
        None => page.to_owned(),
    }
}

/// Whether a text is a page that this program wrote, even if altered.
pub(super) fn is_page(text: &str) -> bool {
    let start = text.trim_start_matches('\u{feff}').trim_start();
    let is_html = start.get(..9).is_some_and(|start| start.eq_ignore_ascii_case("<!doctype"))
        || start.get(..5).is_some_and(|start| start.eq_ignore_ascii_case("<html"));
    is_html && (text.contains("id=\"seal\"") || text.contains("id=\"bundle\""))
}

/// Reads the report that a page keeps.
pub(super) fn bundled(page: &str) -> Result<Bundle, String> {
    let html = Html::parse_document(page);
    let found = Selector::parse("#bundle").ok().and_then(|bundle| html.select(&bundle).next());
    let json: String = found.ok_or("it keeps no report any more")?.text().collect();
    serde_json::from_str(&json).map_err(|error| format!("the report that it keeps is damaged: {error}"))
}

/// Describes what was altered in a page; `None` if the text is not a page of this program.
pub fn altered(text: &str) -> Option<Vec<String>> {
    is_page(text).then(|| alterations(text))
}

fn alterations(page: &str) -> Vec<String> {
    let read = Read::of(page);
    let json = page.find(OPENING).map(|at| &page[at + OPENING.len()..]);
    let json = json.and_then(|rest| rest.find(CLOSING).map(|end| &rest[..end]));
    let Some(seal) = json.and_then(|json| serde_json::from_str::<Seal>(json).ok()) else {
        return vec!["the seal is gone or damaged, so that nothing of the page can be checked".to_owned()];
    };
    let mut found = Vec::new();
    for (name, hash) in &seal.parts {
        match read.by_name.get(name) {
            None => found.push(format!("{} is gone", told(name, ""))),
            Some(part) if part.hash() != *hash => found.push(format!("{} was altered", told(name, &part.words))),
            Some(_) => {}
        }
    }
    let sealed: BTreeSet<&String> = seal.parts.iter().map(|(name, _)| name).collect();
    for (name, part) in &read.by_name {
        if !sealed.contains(name) {
            found.push(format!("{} was added", told(name, &part.words)));
        }
    }
    if found.is_empty() && Read::root_of(&read.frame, &seal.parts) != seal.root {
        found.push(
            "something was added, left out or put elsewhere between the parts of the page, or its seal was altered"
                .to_owned(),
        );
    }
    if found.is_empty() && sha256(without_hash(page, &seal.file).as_bytes()) != seal.file {
        found.push("bytes of the file that nobody sees were altered, as spaces within a tag".to_owned());
    }
    found
}

/// Describes a part by its name and first words.
fn told(name: &str, words: &str) -> String {
    let kind = match name.trim_end_matches(|one: char| one.is_ascii_digit() || one == '-') {
        "c" => "the sentence",
        "e" => "the passage beside the text",
        "s" => "the entry of the list of sources",
        "h" => "the heading",
        "f" => "the drawing",
        "bundle" => return "the report that the page keeps for checking".to_owned(),
        "style" => return "the page's style".to_owned(),
        "script" => return "the page's script".to_owned(),
        _ => "the text",
    };
    let number = name.trim_start_matches(|one: char| !one.is_ascii_digit());
    let words = one_line(words);
    let shown = if words.is_empty() { String::new() } else { format!(", “{}”", excerpt(&words, TOLD_CHARS)) };
    format!("{kind} {number}{shown}")
}

/// The SHA-256 of some bytes, in hexadecimal digits.
pub(super) fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A page as a browser reads it, in a canonical form.
#[derive(Default)]
struct Read {
    /// Everything outside the parts, with the parts' names in their places.
    frame: String,
    by_name: BTreeMap<String, Part>,
    order: Vec<String>,
}

#[derive(Default)]
struct Part {
    form: String,
    /// The beginning of its words, by which messages describe it.
    words: String,
}

impl Part {
    /// Adds words until there are enough to describe the part: parts within parts would copy them at each level.
    fn add_words(&mut self, words: &str) {
        if self.words.len() < KEPT_CHARS {
            self.words.extend(words.chars().take(KEPT_CHARS));
        }
    }

    fn hash(&self) -> String {
        let mut hash = sha256(self.form.as_bytes());
        hash.truncate(PART_DIGITS);
        hash
    }
}

impl Read {
    fn of(page: &str) -> Read {
        let html = Html::parse_document(page);
        let mut read = Read::default();
        let frame = read.form(html.root_element());
        read.frame = frame;
        read
    }

    fn parts(&self) -> Vec<(String, String)> {
        let hash = |name: &String| self.by_name.get(name).map(|part| (name.clone(), part.hash()));
        self.order.iter().filter_map(hash).collect()
    }

    fn root(&self) -> String {
        Read::root_of(&self.frame, &self.parts())
    }

    fn root_of(frame: &str, parts: &[(String, String)]) -> String {
        let lines: Vec<String> = parts.iter().map(|(name, hash)| format!("{name} {hash}")).collect();
        sha256(format!("{frame}\n{}", lines.join("\n")).as_bytes())
    }

    /// The canonical form of an element: its attributes by name, and its content; for a part within it only the name.
    /// `html/page.js` has the same function. It walks the nesting with its own stack, since an altered page may be
    /// nested deeply.
    fn form(&mut self, root: ElementRef<'_>) -> String {
        enum Step<'d> {
            Enter(ego_tree::NodeRef<'d, Node>),
            Leave(Option<String>),
        }
        let mut open: Vec<Part> = vec![Part::default()];
        let mut steps = vec![Step::Enter(*root)];
        let mut after_text = false;
        while let Some(step) = steps.pop() {
            let was_after_text = std::mem::replace(&mut after_text, false);
            let Some(current) = open.last_mut() else { break };
            match step {
                Step::Enter(node) => match node.value() {
                    Node::Text(text) => {
                        // Browsers split long texts into several nodes.
                        if !was_after_text {
                            current.form.push('\u{2}');
                        }
                        current.form.push_str(text);
                        current.add_words(text);
                        after_text = true;
                    }
                    Node::Comment(comment) => {
                        current.form.push('\u{3}');
                        current.form.push_str(comment);
                    }
                    Node::Element(element) if element.id() == Some("seal") => current.form.push('\u{4}'),
                    Node::Element(element) => {
                        let part = element.attr(PART).map(str::to_owned);
                        if part.is_some() {
                            open.push(Part::default());
                        }
                        if let Some(current) = open.last_mut() {
                            let mut attributes: Vec<String> =
                                element.attrs().map(|(name, value)| format!("{name}={value}")).collect();
                            attributes.sort();
                            current.form.push_str(&format!("\u{1}{}", element.name()));
                            attributes.iter().for_each(|one| current.form.push_str(&format!("\u{5}{one}")));
                        }
                        steps.push(Step::Leave(part));
                        steps.extend(node.children().rev().map(Step::Enter));
                    }
                    _ => {}
                },
                Step::Leave(part) => {
                    current.form.push('\u{6}');
                    let Some(name) = part else { continue };
                    let Some(done) = open.pop() else { break };
                    if let Some(around) = open.last_mut() {
                        around.form.push_str(&format!("\u{7}{name}"));
                        around.add_words(&done.words);
                    }
                    if !self.by_name.contains_key(&name) {
                        self.order.push(name.clone());
                    }
                    self.by_name.insert(name, done);
                }
            }
        }
        open.pop().map(|frame| frame.form).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Rng;
    use crate::form::{html, parse_report};

    fn page() -> String {
        let zeros = "0".repeat(64);
        let report = format!(
            "# A *tale*\n\nIt began in 1989 [1]. Then **more** came [2].\n\n- One [1]\n- Two & <b>\n\n| a | b |\n|---|---|\n| c [2] | {zeros} |\n\n\
             ## Sources\n\n1. **T \\<x\\>**, `docs/a.md`, p. 2, § A, 2001-02-03: “It began in 1989. It was late.”\n\
             2. **番組**, <https://a.example/x>: “Then more came.”\n"
        );
        html(&parse_report(&report).unwrap())
    }

    #[test]
    fn an_untouched_page_is_as_it_was_written() {
        let page = page();
        assert_eq!(altered(&page), Some(Vec::new()));
        assert!(markdown(&page).contains("It began in 1989 [1]."));
        assert_eq!(altered("# A report\n\nText [1]."), None);
    }

    fn markdown(page: &str) -> String {
        bundled(page).unwrap().markdown
    }

    #[test]
    fn the_altered_part_is_named() {
        let page = page();
        let check = |from: &str, to: &str, expected: &str| {
            assert!(page.contains(from), "{from}");
            let told = altered(&page.replacen(from, to, 1)).unwrap();
            assert!(told.len() == 1 && told[0].contains(expected), "{told:?}");
        };
        check(">It began in 1989 <", ">It began in 1998 <", "sentence 1, “It began in 1998");
        check("href=\"https://a.example/x#", "href=\"https://evil.example/x#", "entry of the list of sources 2");
        check(">Then more came.<", ">Then less came.<", "passage beside the text 2-1");
        check("</main>", "<p>More.</p></main>", "something was added");
        check("<head>", "<head ><!-- x -->", "something was added");
        check("<main>", "<main  >", "that nobody sees");
        check("\"root\":\"", "\"root\":\"f", "its seal was altered");
        check("\"file\":\"", "\"file\":\"f", "that nobody sees");
        check("\"use strict\";", "\"use strict\";alert(1);", "the page's script");
        check("--paper: #fff", "--paper: #ffe", "the page's style");
        check("{\"markdown\":\"", "{\"markdown\":\"x", "report that the page keeps");
        let gone = altered(&page.replacen(" id=\"seal\"", "", 1)).unwrap();
        assert!(gone[0].contains("the seal is gone"), "{gone:?}");
    }

    #[test]
    fn parts_within_parts_keep_their_first_words() {
        let nested: String = (0..300).map(|number| format!("<span data-part=\"n{number}\">")).collect();
        let read = Read::of(&format!("<html><body>{nested}{}", "words ".repeat(1_000)));
        assert_eq!(read.by_name.len(), 300);
        for part in read.by_name.values() {
            assert!(part.words.starts_with("words words") && part.words.len() == KEPT_CHARS, "{}", part.words.len());
        }
    }

    #[test]
    fn every_random_edit_is_named() {
        let page = page();
        let mut random = Rng::new(7);
        let borders: Vec<usize> = page.char_indices().map(|(at, _)| at).collect();
        for count in 0..200 {
            let mut edited: Vec<char> = page.chars().collect();
            let at = random.below(borders.len());
            match random.below(4) {
                0 => drop(edited.remove(at)),
                1 => edited.insert(at, ['x', ' ', '<', '"', '9'][random.below(5)]),
                2 => edited.swap(at, random.below(borders.len())),
                _ => edited[at] = char::from(b'!' + random.below(90) as u8),
            }
            let edited: String = edited.into_iter().collect();
            if edited != page {
                let told = altered(&edited);
                assert!(told.is_none_or(|told| !told.is_empty()), "edit {count} at {at} is not named");
            }
        }
    }
}
