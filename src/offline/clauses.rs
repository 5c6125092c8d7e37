//! Articles, sections and clauses by their numbers: which ones a sentence names, as an amendment does; in which one a
//! statement stands; and which words an amendment puts in the place of others.

use std::collections::BTreeSet;

use super::statements::Statement;
use crate::base::text::folded;
use crate::report::amends;

/// Words that stand before the number of an article.
const NAMES: [&str; 27] = [
    "section",
    "sections",
    "article",
    "articles",
    "clause",
    "clauses",
    "rule",
    "rules",
    "paragraph",
    "artikel",
    "ziffer",
    "punkt",
    "art",
    "cláusula",
    "cláusulas",
    "artículo",
    "artículos",
    "articolo",
    "articoli",
    "clausola",
    "artigo",
    "artigos",
    "artykuł",
    "статья",
    "пункт",
    "madde",
    "articolul",
];

/// The characters at the beginning of a statement or heading that may hold its number: later ones refer to others.
const BEGINNING: usize = 24;

/// The same for a statement that amends articles, which it names before their new words.
const AMENDED: usize = 60;

/// Returns the articles that `text` names: 48 for `第48条`, 4 for `Section 4`, 5 and 9 for `articles 5 et 9`.
pub(super) fn clauses(text: &str) -> BTreeSet<String> {
    let lower = folded(text);
    let mut found = BTreeSet::new();
    for (at, sign) in lower.match_indices('第') {
        let (number, after) = number_at(&lower[at + sign.len()..]);
        if !number.is_empty() && after.starts_with('条') {
            found.insert(number.to_owned());
        }
    }
    let spaced = lower.replace('§', " § ");
    let words: Vec<&str> =
        spaced.split(|one: char| one.is_whitespace() || "'’,;()".contains(one)).filter(|one| !one.is_empty()).collect();
    for (at, word) in words.iter().enumerate() {
        if *word != "§" && !NAMES.contains(&word.trim_end_matches('.')) {
            continue;
        }
        let mut rest = &words[at + 1..];
        while let [number, after @ ..] = rest {
            let Some(number) = number_of(number) else { break };
            found.insert(number);
            rest = match after {
                [and, after @ ..] if ["and", "und", "et", "y", "e", "en", "i", "и", "ve", "și"].contains(and) => {
                    after
                }
                _ => break,
            };
        }
    }
    found
}

/// Returns the number that a word consists of, such as `4` or `4º`.
fn number_of(word: &str) -> Option<String> {
    let word = word.trim_matches(|one: char| !one.is_alphanumeric());
    let (digits, after) = number_at(word);
    let is_number = !digits.is_empty() && (after.is_empty() || after.starts_with(['º', '°', 'ª']));
    is_number.then(|| digits.to_owned())
}

/// Splits `text` into the number that it begins with and the rest.
fn number_at(text: &str) -> (&str, &str) {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let number = text[..end].trim_end_matches('.');
    (number, &text[number.len()..])
}

/// Returns the article or section that a statement is or stands in; for a statement that gives others new words, those
/// that it names, and not its own number.
pub(super) fn clauses_of(statement: &Statement) -> BTreeSet<String> {
    let shown = statement.shown();
    let mut found = BTreeSet::new();
    if amends(&shown) {
        // The introduction to a list of amendments names no article.
        for text in [&statement.text, &shown] {
            found = clauses(&text.chars().take(AMENDED).collect::<String>());
            if !found.is_empty() {
                return found;
            }
        }
    }
    let is_heading = |text: &str| text == statement.heading;
    // If it has an introduction, "Clause 4: …" is named by its label.
    for text in [shown.as_str(), statement.name(), statement.heading.as_str()] {
        found.extend(clauses(&text.chars().take(BEGINNING).collect::<String>()).into_iter().take(1));
        let (number, after) = number_at(text);
        // "4 Handover" is a heading, but "4 racks" is not an article.
        let counts =
            after.starts_with(['.', ')', '．']) || after.starts_with(' ') && (number.contains('.') || is_heading(text));
        if counts && (1..=6).contains(&number.len()) {
            found.insert(number.to_owned());
        }
        // `5.4` also stands in 5.
        found.extend(text.split_once('.').and_then(|(first, _)| number_of(first)));
    }
    found
}

/// Returns the words that an amendment puts in the place of those in which the answer was read, both in quotation
/// marks, as in `「週２日」を「週３日」に改める`.
pub(super) fn new_words(text: &str, answer: &str) -> Option<String> {
    let is_read = |[old, new]: &[&str; 2]| old.contains(answer) || answer.contains(old) || answer.contains(new);
    let changed = quoted_pairs(text).into_iter().find(is_read)?;
    (!answer.is_empty()).then(|| changed[1].to_owned())
}

/// Returns the words in quotation marks in pairs, such as the old and the new words of an amendment.
pub(super) fn quoted_pairs(text: &str) -> Vec<[&str; 2]> {
    const MARKS: [(char, char); 7] =
        [('「', '」'), ('『', '』'), ('“', '”'), ('"', '"'), ('«', '»'), ('„', '“'), ('‘', '’')];
    let Some((open, close)) = MARKS.into_iter().find(|&(open, _)| text.contains(open)) else { return Vec::new() };
    let mut quoted = Vec::new();
    let mut rest = text;
    while let Some((words, after)) = rest.split_once(open).and_then(|(_, inner)| inner.split_once(close)) {
        quoted.push(words);
        rest = after;
    }
    quoted.as_chunks::<2>().0.to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::offline::testing::stated;

    #[test]
    fn articles_are_known_by_their_numbers() {
        let check = |text: &str, expected: &[&str]| {
            assert_eq!(clauses(text).into_iter().collect::<Vec<_>>(), expected, "{text}");
        };
        check("第48条　社員の定年は満60歳とする。", &["48"]);
        check("Section 4 of the handbook (animals) is repealed.", &["4"]);
        check("Section of the handbook on animals.", &[]);
        check("（２）第１８条（在宅勤務）", &["18"]);
        check("第12回の会議", &[]);
        check("原契約第３条第１項の委託料を変更する。", &["3"]);
        check("§ 3 Absatz 1 des Vertrags wird geändert", &["3"]);
        check("modifier les articles 5 et 9 du bail", &["5", "9"]);
        check("L'article 9 est remplacé", &["9"]);
        check("the art of 9 masters", &[]);
    }

    #[test]
    fn statements_stand_in_articles() {
        let check = |text: &str, heading: &str, expected: &[&str]| {
            let statement = Statement { heading: heading.to_owned(), ..stated(text).remove(0) };
            assert_eq!(clauses_of(&statement).into_iter().collect::<Vec<_>>(), expected, "{text}");
        };
        check("第48条　社員の定年は満60歳とする。", "", &["48"]);
        check("（３）窓ガラス清掃（年４回）", "第１条（委託業務）", &["1"]);
        check("The notice is six months.", "Article 9 – Notice", &["9"]);
        check("(2) Rooms are cleaned.", "§ 3 Cleaning", &["3"]);
        check("2.2 Clause 5.4 is replaced with: \"A charge is due.\"", "2. Amendments", &["5.4"]);
        check("As agreed in a long sentence under section 4.", "", &[]);
    }
}
