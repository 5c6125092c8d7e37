//! Articles, sections and clauses by their numbers: which ones a sentence names, as an amendment does, and in which one a
//! place of a document stands.

use std::collections::BTreeSet;

use super::facts::ideographic;
use crate::base::text::folded;

/// Words that stand before the number of an article.
const NAMES: [&str; 25] = [
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
    "madde",
    "articolul",
];

/// The beginnings of such words in Russian, which has many endings.
const STEMS: [&str; 3] = ["пункт", "стать", "раздел"];

/// The words for the numbers from 1 to 10 as contracts in Spanish, Portuguese and French use them.
const ORDINALS: [&[&str]; 10] = [
    &["primera", "primero", "primeira", "primeiro", "premier"],
    &["segunda", "segundo"],
    &["tercera", "tercero", "terceira", "terceiro"],
    &["cuarta", "cuarto", "quarta", "quarto"],
    &["quinta", "quinto"],
    &["sexta", "sexto"],
    &["séptima", "séptimo", "sétima", "sétimo"],
    &["octava", "octavo", "oitava", "oitavo"],
    &["novena", "noveno", "nona", "nono"],
    &["décima", "décimo"],
];

/// The most ideographs of the number of an article: 第二十三条.
const NUMERAL: usize = 5;

/// The characters at the beginning of a line that may hold its number.
const BEGINNING: usize = 24;

/// Returns the articles that `text` names: 48 for `第48条`, 4 for `Section 4`, 5 and 9 for `articles 5 et 9`.
pub fn clauses(text: &str) -> BTreeSet<String> {
    let lower = folded(text);
    let mut found = BTreeSet::new();
    for (at, sign) in lower.match_indices(['第', '제']) {
        let rest = &lower[at + sign.len()..];
        let (number, after) = number_at(rest);
        if !number.is_empty() && after.starts_with(['条', '조']) {
            found.insert(number.to_owned());
        }
        let written = rest.split('条').next().filter(|written| written.len() < rest.len()).unwrap_or_default();
        let numeral: Vec<char> = written.chars().take(NUMERAL + 1).collect();
        if (1..=NUMERAL).contains(&numeral.len()) && numeral.iter().all(|c| "一二三四五六七八九十百".contains(*c))
        {
            found.extend(ideographic(&numeral).map(|number| format!("{number:.0}")));
        }
    }
    let spaced = lower.replace('§', " § ");
    let words: Vec<&str> =
        spaced.split(|one: char| one.is_whitespace() || "'’,;()".contains(one)).filter(|one| !one.is_empty()).collect();
    for (at, word) in words.iter().enumerate() {
        let is_name = NAMES.contains(&word.trim_end_matches('.')) || STEMS.iter().any(|stem| word.starts_with(stem));
        if *word != "§" && !is_name {
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

/// Returns the number that a word consists of, such as `4` or `4º`, or stands for: 2 for `segunda`.
pub fn number_of(word: &str) -> Option<String> {
    let word = word.trim_matches(|one: char| !one.is_alphanumeric());
    if let Some(place) = ORDINALS.iter().position(|words| words.contains(&word.to_lowercase().as_str())) {
        return Some((place + 1).to_string());
    }
    let (digits, after) = number_at(word);
    let is_number = !digits.is_empty() && (after.is_empty() || after.starts_with(['º', '°', 'ª']));
    is_number.then(|| digits.to_owned())
}

/// Splits `text` into the number that it begins with and the rest.
pub fn number_at(text: &str) -> (&str, &str) {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let number = text[..end].trim_end_matches('.');
    (number, &text[number.len()..])
}

/// Returns the article or section in which a place of a document stands: the number of its line, and that of the nearest
/// heading or line before it that begins with one.
pub fn clauses_at(text: &str, place: usize) -> BTreeSet<String> {
    let end = text[place..].find('\n').map_or(text.len(), |length| place + length);
    let mut above = text[..end].lines().rev();
    let own = above.next().map(numbers_of_line).unwrap_or_default();
    // An item of a list stands in the clause whose heading is above it.
    let is_heading = |line: &&str| line.starts_with('#') || !clauses(beginning(line)).is_empty();
    let heading = above.clone().find(|line| is_heading(line) && !numbers_of_line(line).is_empty());
    let above = heading.or_else(|| above.filter(|_| own.is_empty()).find(|line| !numbers_of_line(line).is_empty()));
    own.into_iter().chain(above.map(numbers_of_line).unwrap_or_default()).collect()
}

/// Returns the number that a line begins with, and that of the article which this number is a part of: 5.4 and 5.
fn numbers_of_line(line: &str) -> BTreeSet<String> {
    let line = line.trim_start_matches(|c: char| c.is_whitespace() || "#*-".contains(c));
    let mut found: BTreeSet<String> = clauses(beginning(line)).into_iter().take(1).collect();
    // "Segunda. Precio" is a heading, but "Segunda clase" is not.
    found.extend(line.split_once(['.', ':']).and_then(|(first, _)| number_of(first)));
    let (number, after) = number_at(line);
    if (1..=6).contains(&number.len()) && (after.starts_with(['.', ')', '．']) || number.contains('.')) {
        found.insert(number.to_owned());
        found.extend(number.split_once('.').map(|(first, _)| first.to_owned()));
    }
    found
}

fn beginning(line: &str) -> &str {
    &line[..line.char_indices().nth(BEGINNING).map_or(line.len(), |(at, _)| at)]
}

#[cfg(test)]
mod tests {
    use super::*;

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
        check("第二十三条中的付款期限", &["23"]);
        check("제5조의 해지 통보 기간", &["5"]);
        check("原契約第３条第１項の委託料を変更する。", &["3"]);
        check("§ 3 Absatz 1 des Vertrags wird geändert", &["3"]);
        check("modifier les articles 5 et 9 du bail", &["5", "9"]);
        check("L'article 9 est remplacé", &["9"]);
        check("la cláusula segunda queda redactada así", &["2"]);
        check("В пункте 5.2 и статье 7 слова", &["5.2", "7"]);
        check("the art of 9 masters", &[]);
    }

    #[test]
    fn a_place_stands_in_an_article() {
        let check = |before: &str, expected: &[&str]| {
            let found = clauses_at(&format!("{before}¦"), before.len());
            assert_eq!(found.into_iter().collect::<Vec<_>>(), expected, "{before}");
        };
        check("# Lease\n\n## 6. Delay\nIt is late. ", &["6"]);
        check("## 6. Delay\n\n## 7. Notice\n1. In writing. ", &["1", "7"]);
        check("6. The rent is due.\n7. A note is needed. ", &["7"]);
        check("第5条（日当）\n　日当は2,000円とする。", &["5"]);
        check("# Lease\nNothing is numbered. ", &[]);
        check("# Contrato\n## Segunda. Precio\nEs de 5 euros. ", &["2"]);
        check("# Contrato\nSegunda clase. ", &[]);
    }
}
