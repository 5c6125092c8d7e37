//! Which sentences state something, and so need a citation.

use std::collections::{BTreeMap, BTreeSet};

use unicode_segmentation::UnicodeSegmentation;

use crate::base::text::{Language, sentences};

/// Phrases in which a report speaks of itself and of its material.
const OWN_ACCOUNT: [&str; 51] = [
    "this report",
    "these documents",
    "the documents",
    "the evidence",
    "the sources",
    "the passages",
    "available sources",
    "no source",
    "no passage",
    "not found",
    "nicht gefunden",
    "non trouvé",
    "pas trouvé",
    "no encontrad",
    "non trovat",
    "não encontrad",
    "niet gevonden",
    "nie znaleziono",
    "не найден",
    "bulunamadı",
    "negăsit",
    "見つから",
    "見つかりません",
    "未找到",
    "찾을 수 없",
    "찾지 못",
    "no document",
    "dieser bericht",
    "diese dokumente",
    "diesen dokumenten",
    "den dokumenten",
    "die quellen",
    "den quellen",
    "keine quelle",
    "ce rapport",
    "ces documents",
    "les documents",
    "les sources",
    "aucune source",
    "este informe",
    "estos documentos",
    "los documentos",
    "las fuentes",
    "ninguna fuente",
    "nei documenti",
    "nos documentos",
    "本報告",
    "文書で検索",
    "資料には",
    "本报告",
    "资料中",
];

/// Tells claims from other sentences.
#[derive(Debug)]
pub(super) struct Claims {
    german: bool,
    /// Words that the sources only write with a capital, in lower case here.
    names: BTreeSet<String>,
}

impl Claims {
    pub fn new<'a>(sources: impl Iterator<Item = &'a str>, language: Language) -> Self {
        let german = language.code() == "deu";
        // German capitalizes every noun, so a capital says nothing there.
        let names = if german { BTreeSet::new() } else { names_in(sources) };
        Claims { german, names }
    }

    /// Whether a sentence states a number or a name, and so needs a citation.
    pub fn is_claim(&self, sentence: &str) -> bool {
        if !is_statement(sentence) || !(has_number(sentence) || self.has_name(sentence)) {
            return false;
        }
        let lower = sentence.to_lowercase();
        !OWN_ACCOUNT.iter().any(|phrase| lower.contains(phrase))
    }

    fn has_name(&self, sentence: &str) -> bool {
        if sentence.contains(['《', '『']) {
            return true;
        }
        let words: Vec<(usize, &str)> = sentence.unicode_word_indices().collect();
        words.iter().enumerate().any(|(index, &(at, word))| {
            if word.chars().filter(|character| character.is_uppercase()).count() >= 2 {
                return true;
            }
            if !is_capitalized(word) {
                return false;
            }
            let opens = index == 0
                || sentence[..at].trim_end().ends_with([':', '“', '"', '«', '„', '(', '*', '_', '‘', '.', '!', '?']);
            let next_is_name = words.get(index + 1).is_some_and(|&(next, word)| {
                is_capitalized(word) && sentence[at..next].trim_end().len() == words[index].1.len()
            });
            match (self.german, opens) {
                (true, opens) => !opens && next_is_name,
                (false, true) => next_is_name || self.names.contains(&word.to_lowercase()),
                (false, false) => true,
            }
        })
    }
}

/// Whether a sentence states something: it neither asks nor leads to what follows, and has several words.
pub(super) fn is_statement(sentence: &str) -> bool {
    let body = sentence.trim_end_matches(|end: char| end.is_whitespace() || "\"”»)*_』」".contains(end));
    !body.ends_with(['?', '？', ':', '：']) && sentence.unicode_words().nth(1).is_some()
}

/// Whether a word begins with a capital and a small letter: `I` and acronyms do not.
fn is_capitalized(word: &str) -> bool {
    let mut characters = word.chars();
    let first = characters.next().is_some_and(char::is_uppercase);
    let mut rest = characters.filter(|character| character.is_alphabetic());
    first && rest.next().is_some_and(char::is_lowercase) && !word.starts_with("I'") && !word.starts_with("I’")
}

fn has_number(sentence: &str) -> bool {
    if sentence.chars().any(is_digit) {
        return true;
    }
    let is_ideographic_digit = |character: char| "一二三四五六七八九十百千万億".contains(character);
    let counted = |character: char| "年月日回人話期作割倍歳".contains(character);
    sentence.chars().zip(sentence.chars().skip(1)).any(|(digit, unit)| is_ideographic_digit(digit) && counted(unit))
}

/// Whether a character is a decimal digit of any script, or a number letter such as `Ⅳ` and `½`; ideographs are handled
/// apart.
fn is_digit(character: char) -> bool {
    character.is_numeric() && !matches!(u32::from(character), 0x3007 | 0x3400..=0x9fff | 0x20000..=0x3ffff)
}

/// Words that have a capital inside a sentence somewhere, and are written without one nowhere.
fn names_in<'a>(sources: impl Iterator<Item = &'a str>) -> BTreeSet<String> {
    let mut seen: BTreeMap<String, (bool, bool)> = BTreeMap::new();
    for source in sources {
        for sentence in sentences(source) {
            for (index, word) in source[sentence].unicode_words().enumerate() {
                let small = word.starts_with(char::is_lowercase);
                if small || (index > 0 && is_capitalized(word)) {
                    let entry = seen.entry(word.to_lowercase()).or_default();
                    entry.0 |= !small;
                    entry.1 |= small;
                }
            }
        }
    }
    seen.into_iter().filter(|(_, (capital, small))| *capital && !small).map(|(word, _)| word).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(language: &str, sentence: &str, expected: bool) {
        let source = "In the town, Homer works at the plant. Then a season of the show ended.";
        let claims = Claims::new([source].into_iter(), Language::from_code(language));
        assert_eq!(claims.is_claim(sentence), expected, "{sentence}");
    }

    #[test]
    fn numbers_and_names_make_a_claim() {
        for sentence in [
            "The show began in 1989.",
            "It was created by Groening.",
            "Matt Groening drew it.",
            "Homer works there.",
            "It runs on FOX today.",
            "About ½ of them left.",
        ] {
            check("eng", sentence, true);
        }
        check("deu", "Die Serie begann 1989.", true);
        check("deu", "Sie stammt von Matt Groening.", true);
        check("jpn", "番組は1989年に始まった。", true);
        check("jpn", "番組は三十年続いた。", true);
        check("jpn", "『シンプソンズ』は人気がある。", true);
        check("cmn", "该节目已播出三十多年。", false);
    }

    #[test]
    fn other_sentences_are_none() {
        for sentence in [
            "The tone grew darker.",
            "What happened in 1989?",
            "In 1989 three things changed:",
            "The documents do not say what happened after 2010.",
            "Not found: who followed Homer in 2010.",
            "Season endings vary.",
            "So I think it did.",
            "1989",
        ] {
            check("eng", sentence, false);
        }
        check("deu", "Die Qualität der Serie nahm ab.", false);
        check("jpn", "番組は人気がある。", false);
        check("jpn", "2010年の後任については見つからなかった。", false);
    }
}
