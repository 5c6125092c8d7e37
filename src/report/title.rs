//! Makes a document's title readable: without markup, file names as words, capitals in lower case.

use std::borrow::Cow;
use std::collections::BTreeMap;

use unicode_segmentation::UnicodeSegmentation;

use super::repeats::wording;
use crate::base::text::{capitalised, is_small_word, one_line};

/// The most characters of a file's extension.
const MAX_ENDING: usize = 5;
/// A longer number before a file's name is a year or an id, and is kept.
const MAX_ORDINAL: usize = 3;

/// Articles and prepositions that lose their vowel before the next word.
const ELIDED: [&str; 16] =
    ["l", "d", "c", "j", "n", "s", "qu", "un", "all", "dall", "dell", "nell", "sull", "coll", "quell", "quest"];
/// Separates the name of a paper from that of the body that it comes from.
const BETWEEN_PARTS: &str = " – ";

/// A document's title in readable form: on one line, without Markdown marks. A file's name loses its extension, its
/// leading number and its hyphens. Text all in capitals becomes [`lower_capitals`]; `texts` are the known texts of the document.
pub fn readable_title<'t>(title: &str, texts: impl IntoIterator<Item = &'t str>) -> String {
    let line = one_line(title).replace(['*', '[', ']', '`', '#'], "");
    let line = line.trim();
    let name = match file_stem(line) {
        Some(stem) => Cow::Owned(words_of_file(stem).unwrap_or_else(|| line.to_owned())),
        None => Cow::Borrowed(line),
    };
    let texts: Vec<&str> = texts.into_iter().collect();
    lower_capitals(&name, &texts)
}

/// A title whose parts in capitals are put in lower case, except for words that `texts` write with a capital. A word
/// that they do not have at all may be a name, and keeps its capital.
pub fn lower_capitals(title: &str, texts: &[&str]) -> String {
    let part = |part: &str| if is_shouted(part) { sentence_case(part, texts) } else { part.to_owned() };
    if is_shouted(title) {
        return part(title);
    }
    title.split(BETWEEN_PARTS).map(part).collect::<Vec<_>>().join(BETWEEN_PARTS)
}

/// Whether a heading says the same as the title, or as a part of it.
pub fn repeats_title(heading: &str, title: &str) -> bool {
    let own = wording(heading);
    let says = |title: &str| wording(title) == own;
    !own.is_empty() && (says(title) || title.split(BETWEEN_PARTS).any(says))
}

/// The name of a file without its extension, if `line` is one.
fn file_stem(line: &str) -> Option<&str> {
    if line.contains(char::is_whitespace) {
        return None;
    }
    let ending = line.rsplit_once('.').filter(|(_, ending)| {
        (1..=MAX_ENDING).contains(&ending.len()) && ending.chars().all(|c| c.is_ascii_alphanumeric())
    });
    if let Some((stem, _)) = ending {
        return Some(stem);
    }
    let digits = line.chars().take_while(char::is_ascii_digit).count();
    let numbered = (1..=MAX_ORDINAL).contains(&digits) && line[digits..].starts_with(['-', '_']);
    let joined = line.matches(['-', '_']).count() > 1 && !line.contains(char::is_uppercase);
    (numbered || joined || line.contains('_')).then_some(line)
}

fn words_of_file(stem: &str) -> Option<String> {
    let digits = stem.chars().take_while(char::is_ascii_digit).count();
    let named = if digits <= MAX_ORDINAL { stem.trim_start_matches(|c: char| c.is_ascii_digit()) } else { stem };
    let words = named.replace(['-', '_'], " ");
    let words = one_line(words.trim_matches(|c: char| c == '.' || c.is_whitespace()));
    (!words.is_empty()).then(|| capitalised(&words))
}

fn is_shouted(title: &str) -> bool {
    let capitals = title.chars().filter(|c| c.is_uppercase()).count();
    // Greek capitals lack the accents, and these cannot be restored.
    let is_greek = title.contains(|c| ('\u{0370}'..='\u{03ff}').contains(&c));
    capitals > 4 && !is_greek && !title.chars().any(char::is_lowercase) && title.contains(' ')
}

/// A word in lower case. Turkish has two letters I, with and without a dot.
fn in_small_letters(word: &str, is_turkish: bool) -> String {
    let letters = word.chars().map(|c| match c {
        'I' if is_turkish => 'ı',
        'İ' => 'i',
        _ => c,
    });
    letters.collect::<String>().to_lowercase()
}

/// How often a word occurs with a capital inside a sentence, all in capitals, and in lower case.
#[derive(Default)]
struct Spelling {
    capital: usize,
    acronym: usize,
    small: usize,
}

/// The words of a text, and their places; `l'` is a word of its own before its noun.
fn words_at(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.unicode_word_indices()
        .flat_map(|(at, word)| match elided(word) {
            Some((article, noun)) => [Some((at, article)), Some((at + word.len() - noun.len(), noun))],
            None => [Some((at, word)), None],
        })
        .flatten()
}

/// An article without its vowel, and the noun behind it.
fn elided(word: &str) -> Option<(&str, &str)> {
    let (article, noun) = word.split_once(['\'', '’'])?;
    (ELIDED.contains(&article.to_lowercase().as_str()) && !noun.is_empty()).then_some((article, noun))
}

fn sentence_case(title: &str, texts: &[&str]) -> String {
    let is_turkish = title.contains(['İ', 'Ş', 'Ğ']);
    let mut spellings: BTreeMap<String, Spelling> =
        words_at(title).map(|(_, word)| (in_small_letters(word, is_turkish), Spelling::default())).collect();
    for text in texts {
        let mut end = 0;
        for (at, word) in words_at(text) {
            let gap = text.get(end..at).unwrap_or_default();
            let opens = end == 0 || gap.contains(['.', '!', '?', ':', '\n', '"', '“']);
            end = at + word.len();
            let Some(spelling) = spellings.get_mut(&in_small_letters(word, is_turkish)) else { continue };
            if word.starts_with(char::is_lowercase) {
                spelling.small += 1;
            } else if word.chars().nth(1).is_some() && !word.chars().any(char::is_lowercase) {
                // A heading in capitals tells as little as the title; a short word in capitals may be an acronym.
                spelling.acronym += usize::from(word.chars().count() <= 4);
            } else if !opens {
                spelling.capital += 1;
            }
        }
    }
    let mut cased = String::with_capacity(title.len());
    let mut end = 0;
    for (at, word) in words_at(title) {
        cased.push_str(title.get(end..at).unwrap_or_default());
        end = at + word.len();
        let lower = in_small_letters(word, is_turkish);
        let is_article = ELIDED.contains(&lower.as_str()) && title[end..].starts_with(['\'', '’']);
        if is_article && !cased.is_empty() {
            cased.push_str(&lower);
            continue;
        }
        let spelling = spellings.get(&lower);
        let is_name = spelling.is_some_and(|known| known.capital > known.small);
        let is_unknown = spelling.is_none_or(|known| known.capital + known.small == 0);
        let may_be_name = is_unknown && word.chars().nth(2).is_some() && !is_small_word(&lower);
        let is_acronym = spelling.is_some_and(|known| known.acronym > 0 && known.small + known.capital == 0)
            && word.chars().count() <= 4
            && word.chars().nth(1).is_some();
        if is_acronym && spelling.is_some_and(|known| known.acronym > 1) {
            cased.push_str(word);
        } else if is_name || may_be_name || cased.is_empty() {
            let mut letters = lower.chars();
            cased.extend(letters.next().into_iter().flat_map(char::to_uppercase));
            cased.push_str(letters.as_str());
        } else {
            cased.push_str(&lower);
        }
    }
    cased.push_str(title.get(end..).unwrap_or_default());
    cased
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(title: &str, text: &str, expected: &str) {
        assert_eq!(readable_title(title, [text]), expected, "{title}");
    }

    #[test]
    fn names_of_files_become_titles() {
        check("03-voices-and-contracts.txt", "", "Voices and contracts");
        check("03-box-office-and-money", "", "Box office and money");
        check("release_notes", "", "Release notes");
        check("Spider-Man", "", "Spider-Man");
        check("*The Film*  of\n[1999]", "", "The Film of 1999");
        check("Was there a golden age?", "", "Was there a golden age?");
        check("St. Louis", "", "St. Louis");
        check("2019.csv", "", "2019");
        check("12.csv", "", "12.csv");
        check("", "", "");
    }

    #[test]
    fn shouted_titles_are_said_calmly() {
        let text =
            "WORDS OF THE SIMPSONS\nIn English the Simpsons left words. The words of TV, as seen on TV, are many.";
        check("WORDS OF THE SIMPSONS", text, "Words of the Simpsons");
        check("WORDS ON TV", text, "Words on TV");
        check("VOICES AND CONTRACTS", "Voices changed. They have contracts.", "Voices and contracts");
        check("VOICES AND CONTRACTS", "Voices changed.", "Voices and Contracts");
        check("CORO LA BETULLA DI NAVE", "", "Coro la Betulla di Nave");
        check("PROTOKOLL DER VERSAMMLUNG", "Es kamen elf.", "Protokoll der Versammlung");
        check("NASA", "", "NASA");
        check("VERBALE DEL CONSIGLIO D'ISTITUTO", "", "Verbale del Consiglio d'Istituto");
        check("VERBALE DELL’ASSEMBLEA", "Si apre l’assemblea con il verbale.", "Verbale dell’assemblea");
        check("L'ASSEMBLEA DEI SOCI", "", "L'Assemblea dei Soci");
        check("Minutes of 4 May – OUVEL TOWN COUNCIL", "", "Minutes of 4 May – Ouvel Town Council");
        check(
            "YEŞİLOVA ÜNİVERSİTESİ YURDU KURALLARI",
            "Isparta'daki Yeşilova Üniversitesi",
            "Yeşilova Üniversitesi Yurdu Kuralları",
        );
        check("ΔΗΜΟΣ ΜΕΛΙΣΣΙΟΥ", "", "ΔΗΜΟΣ ΜΕΛΙΣΣΙΟΥ");
    }

    #[test]
    fn a_heading_may_be_a_part_of_the_title() {
        let check = |heading: &str, expected: bool| {
            assert_eq!(repeats_title(heading, "Minutes of 4 May – Ouvel Town Council"), expected, "{heading}");
        };
        check("OUVEL TOWN COUNCIL", true);
        check("Minutes of 4 May", true);
        check("Council", false);
        check("", false);
    }

    proptest::proptest! {
        #[test]
        fn any_title_is_survived(title in "\\PC{0,40}", text in "\\PC{0,60}") {
            readable_title(&title, [text.as_str()]);
        }
    }
}
