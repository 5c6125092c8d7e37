//! Finds the authors of a paper in the lines between its title and its abstract.

use super::authorship::names;
use crate::base::text::{NAME_PARTICLES, is_english_month, letters};

/// How many paragraphs may stand above the title (`ABOVE`), and between it and the authors (`BETWEEN`).
const ABOVE: usize = 8;
const BETWEEN: usize = 4;

/// Words at the start of the line that ends the head of a paper, after any number.
const ENDS: [&str; 10] = [
    "abstract",
    "introduction",
    "keywords",
    "r\u{e9}sum\u{e9}",
    "resumen",
    "resumo",
    "sommario",
    "streszczenie",
    "summary",
    "zusammenfassung",
];

/// Capitalised words that belong to a subtitle or to an institution.
const NO_NAMES: [&str; 47] = [
    "academy",
    "article",
    "center",
    "centre",
    "college",
    "computer",
    "contents",
    "corporation",
    "data",
    "department",
    "development",
    "documentation",
    "draft",
    "edition",
    "engineering",
    "examples",
    "faculty",
    "foundation",
    "group",
    "guide",
    "inc",
    "institut",
    "institute",
    "international",
    "introduction",
    "journal",
    "laboratory",
    "lab",
    "labs",
    "manual",
    "national",
    "package",
    "paper",
    "reference",
    "report",
    "research",
    "school",
    "science",
    "systems",
    "team",
    "universidad",
    "universidade",
    "universit\u{e4}t",
    "universit\u{e0}",
    "universit\u{e9}",
    "university",
    "version",
];

/// The authors below the title; none if no abstract or introduction follows, since the document is then not a paper.
pub(super) fn authors(head: &str, title: &str) -> Vec<String> {
    let title = letters(title);
    let paragraphs: Vec<&str> = head.split("\n\n").collect();
    let is_of_title = |paragraph: &&str| {
        let own = letters(paragraph);
        own.len() >= 3 && (title.contains(&own) || !title.is_empty() && own.contains(&title))
    };
    let Some(first) = paragraphs.iter().take(ABOVE).position(is_of_title) else { return Vec::new() };
    let last = first + paragraphs[first..].iter().take_while(|paragraph| is_of_title(paragraph)).count() - 1;
    let is_end = |paragraph: &&str| {
        let line = paragraph.trim_start_matches(|one: char| !one.is_alphabetic()).to_lowercase();
        ENDS.iter().any(|end| line.strip_prefix(end).is_some_and(|rest| !rest.starts_with(char::is_alphanumeric)))
    };
    if !paragraphs[last + 1..].iter().any(is_end) {
        return Vec::new();
    }
    let is_list = |paragraph: &&str| paragraph.eq_ignore_ascii_case("contents");
    let below = paragraphs[last + 1..].iter().take_while(|paragraph| !is_end(paragraph) && !is_list(paragraph));
    below.take(BETWEEN).map(|paragraph| in_paragraph(paragraph)).find(|names| !names.is_empty()).unwrap_or_default()
}

/// The names at the beginning of a paragraph.
fn in_paragraph(paragraph: &str) -> Vec<String> {
    let mut found = Vec::new();
    for line in paragraph.lines() {
        let plain: String =
            line.replace(" | ", ";").chars().map(|one| if is_note_mark(one) { ' ' } else { one }).collect();
        let plain = plain.trim();
        let plain = plain.strip_prefix("by ").or_else(|| plain.strip_prefix("By ")).unwrap_or(plain);
        let plain = plain.replace(", and ", " and ").replace(',', ";").replace(" and ", ";").replace(" & ", ";");
        let pieces: Vec<String> = names(&format!("{plain};")).iter().map(|piece| without_day(piece)).collect();
        for piece in &pieces {
            let Some((name, is_whole)) = name_in(piece) else { return found };
            found.push(name);
            if !is_whole {
                return found;
            }
        }
        if pieces.is_empty() {
            break;
        }
    }
    found
}

/// Whether a character marks a note or an institution.
fn is_note_mark(one: char) -> bool {
    one.is_numeric() || !one.is_alphanumeric() && !one.is_whitespace() && !".,;-'\u{2019}\u{2010}\u{b7}@&".contains(one)
}

/// The words before those of a day, as in `Ada Lovelace March`.
fn without_day(words: &str) -> String {
    words.split_whitespace().take_while(|word| !is_english_month(&word.to_lowercase())).collect::<Vec<&str>>().join(" ")
}

/// The name at the beginning of `words`, and whether nothing follows it: an institution or an address may.
fn name_in(words: &str) -> Option<(String, bool)> {
    let is_other = |word: &&str| word.contains('@') || NO_NAMES.contains(&word.to_lowercase().trim_matches('.'));
    let is_of_name = |word: &&str| {
        (word.starts_with(char::is_uppercase) || NAME_PARTICLES.contains(word) || *word == "y")
            && word.chars().all(|one| one.is_alphabetic() || ".-'\u{2019}\u{2010}".contains(one))
    };
    let is_short = |word: &&str| word.chars().filter(|one| one.is_alphabetic()).nth(1).is_none();
    let all: Vec<&str> = words.split_whitespace().collect();
    let mut name: Vec<&str> = all.iter().copied().take_while(|word| !is_other(word)).collect();
    let is_whole = name.len() == all.len();
    while !is_whole && name.last().is_some_and(is_short) {
        name.pop();
    }
    let fits = (2..=5).contains(&name.len())
        && name.iter().all(is_of_name)
        && !name.last().is_some_and(is_short)
        && name[0].starts_with(char::is_uppercase);
    fits.then(|| (name.join(" "), is_whole))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_names_below_the_title_are_the_authors() {
        let check = |below: &str, expected: &[&str]| {
            let head = format!("Annals 12\n\nTrees of the\n\nharbour\n\n{below}\n\nAbstract\u{2014}We count trees.");
            assert_eq!(authors(&head, "Trees of the harbour"), expected, "{below}");
        };
        check("Ada Lovelace\u{2217}\u{2020}", &["Ada Lovelace"]);
        check(
            "Ada Lovelace^1, Charles Babbage^1,2, and Mary de la Somerville^2\nUniversity of Tides",
            &["Ada Lovelace", "Charles Babbage", "Mary de la Somerville"],
        );
        check("Ada Lovelace | Charles Babbage\nada@tides.org", &["Ada Lovelace", "Charles Babbage"]);
        check("A subtitle of it\n\nby A. Lovelace & C. Babbage", &["A. Lovelace", "C. Babbage"]);
        check("Ada Lovelace March 14, 2024", &["Ada Lovelace"]);
        check("Ada Lovelace R Development Team ada@tides.org", &["Ada Lovelace"]);
        check("Ada Lovelace (ada@tides.org)", &["Ada Lovelace"]);
        check("University of Tides\n\n14 March 2024", &[]);
        check("Reference Manual\n\nVersion 3", &[]);
    }

    #[test]
    fn other_documents_have_none() {
        assert_eq!(authors("Trees\n\nGreen Leaves\n\nThey grow.", "Trees"), Vec::<String>::new());
        assert_eq!(authors("Trees\n\nContents\n\nGreen Leaves\n\n1 Introduction", "Trees"), Vec::<String>::new());
        assert_eq!(authors("Leaves\n\nAda Lovelace\n\nAbstract", "Trees"), Vec::<String>::new());
    }
}
