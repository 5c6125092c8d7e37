//! Detects the language of a query of a few words, which seldom include a small word, by the word lists that contain
//! them.

use std::cmp::Reverse;

use super::{Glosses, LISTS, is_glossed, languages, place, words};
use crate::base::text::{Compound, Language, Spoken, is_cjk};

/// The most words of a query whose language the lists decide. A longer query has small words.
const MOST_WORDS: usize = 8;
/// The fewest letters of a word that counts as a sign of a language.
const LEAST_LETTERS: usize = 4;
/// The fewest small words that show a language without any other word of it.
const FOREIGN_WORDS: usize = 2;

/// Like [`Spoken::answer_language`], with the language of a few words as [`language_of`] detects it.
pub(crate) fn answer_language(question: &str, spoken: &Spoken) -> Language {
    match language_of(question, spoken) {
        Language::UNKNOWN => spoken.answer_language(question),
        found => found,
    }
}

/// Like [`Spoken::query_language`], but where small words do not reveal the language, that of the lists that contain the
/// query's words: among the languages that are spoken or, if these and English have none of the words, among all.
pub(crate) fn language_of(query: &str, spoken: &Spoken) -> Language {
    let found = spoken.query_language(query);
    let words: Vec<String> = words::of(query, |_| false).map(|word| query[word].to_lowercase()).collect();
    let is_told = match found {
        // Ideographs decide nothing: Chinese has a list, Japanese has none.
        Language::UNKNOWN => !query.contains(is_cjk),
        found => found == Language::ENGLISH || is_glossed(found),
    };
    if words.len() > MOST_WORDS || !is_told {
        return found;
    }
    let small = |language: Language| words.iter().filter(|word| language.has_small_word(word)).count();
    let small_words = small(found);
    // A small word may be one of several languages: "was" is both English and German.
    let may_be = |language: &Language| small(*language) >= small_words;
    let others: Vec<Language> = languages().filter(may_be).collect();
    let words: Vec<&String> = words.iter().filter(|word| word.chars().nth(LEAST_LETTERS - 1).is_some()).collect();
    let held = |language: Language| words.iter().filter(|word| has(language, word)).count();
    if small_words > 0 && others.iter().all(|other| *other == found) {
        return found;
    }
    if found == Language::UNKNOWN {
        let spoken = spoken.counts().map(|(language, _)| language).filter(|language| language.is_written_as(query));
        // Names consist of English words in every language, so English counts only if it has all words.
        let is_meant = |(count, language): &(usize, Language)| *language != Language::ENGLISH || *count == words.len();
        let mut counts: Vec<_> = spoken.map(|language| (held(language), language)).filter(is_meant).collect();
        counts.sort_by_key(|(count, _)| Reverse(*count));
        let second = counts.get(1).map_or(0, |(count, _)| *count);
        if let Some(&(most, language)) = counts.first().filter(|(most, _)| *most > 0) {
            return if most > second { language } else { found };
        }
    } else if held(found) > 0 {
        return found;
    }
    if held(Language::ENGLISH) > 0 {
        return found;
    }
    // On a tie the first language wins: words that lists share have the same gloss.
    let most = others.iter().rev().map(|other| (held(*other) + small(*other), *other)).max_by_key(|(count, _)| *count);
    // Where no word is English, the small words decide if several of them are another language's.
    let is_meant = |language| held(language) > 0 || small(language) >= FOREIGN_WORDS.max(small_words + 1);
    let most = most.filter(|(_, language)| is_meant(*language));
    let joined = || words.iter().filter(|_| small_words == 0).find_map(|word| joins(word));
    most.map(|(_, language)| language).or_else(joined).unwrap_or(found)
}

/// The language in which a word is a compound of listed words.
fn joins(word: &str) -> Option<Language> {
    // A list is read only if the word may be a compound in its language.
    let mut languages = languages().filter(|language| Compound::of(word, *language).is_some());
    languages.find(|language| Glosses::of(*language).is_some_and(|glosses| glosses.gloss_of_compound(word).is_some()))
}

/// Whether a language's list contains a lower-case word; for English, whether the word is a gloss.
fn has(language: Language, word: &str) -> bool {
    if language == Language::ENGLISH {
        let line_end = format!("\t{word}\n");
        return LISTS.iter().any(|(_, list)| list.contains(&line_end));
    }
    let line = format!("\n{word}\t");
    place(language).map(|place| LISTS[place].1).is_some_and(|list| list.starts_with(&line[1..]) || list.contains(&line))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_tell_the_language_of_a_few_words() {
        let check = |spoken: &[(&str, u64)], query: &str, expected: &str| {
            let spoken = Spoken::of(spoken.iter().map(|(code, count)| (Language::from_code(code), *count)));
            assert_eq!(language_of(query, &spoken).code(), expected, "{query} over {spoken:?}");
        };
        let several = [("deu", 40), ("eng", 40), ("spa", 40), ("rus", 40)];
        check(&several, "Hauptstadt Bayern", "deu");
        check(&several, "contrato de alquiler", "spa");
        check(&several, "notice period", "eng");
        check(&several, "Lady Gaga", "und");
        check(&[("eng", 90)], "Miete", "deu");
        check(&[("eng", 90)], "Mietkaution", "deu");
        check(&[("eng", 90)], "kira sözleşmesi", "tur");
        check(&[("eng", 90)], "rebase branch", "eng");
        check(&[("eng", 90)], "Lady Gaga", "eng");
        check(&[("eng", 90)], "", "und");
        check(&[("spa", 90)], "Miete Garten", "deu");
        check(&[("spa", 90)], "software update", "spa");
        check(&[("swe", 90)], "hyra", "swe");
        check(&[("eng", 90)], "How do I rebase?", "eng");
        check(&[("eng", 90)], "Was macht git bisect?", "deu");
        check(&[("eng", 90)], "Was kostet die Kaffeemühle?", "deu");
        check(&[("eng", 90)], "Was kostet der Wasserfilter?", "deu");
        check(&[("eng", 90), ("fra", 90)], "¿Qué hace frob bisect?", "spa");
        check(&[("eng", 90), ("fra", 90)], "Wat doet git bisect?", "nld");
        check(&[("eng", 90), ("fra", 90)], "Que fait git bisect ?", "fra");
        check(&[("eng", 1), ("fra", 1)], "¿Qué hace frob bisect?", "spa");
        check(&[("fra", 1)], "¿Qué hace frob bisect?", "spa");
        check(&[("eng", 90)], "Cosa fa git bisect?", "ita");
        check(&[("eng", 90)], "Co robi git bisect?", "pol");
        check(&[("eng", 90), ("fra", 90)], "Что делает git bisect?", "rus");
        check(&[("eng", 90)], "What is a frobnicator?", "eng");
        check(&[("eng", 90)], "Die Hard", "eng");
        check(&[], "Miete", "deu");
        check(&[("jpn", 60), ("cmn", 50)], "定年", "und");
        check(&[("jpn", 60), ("cmn", 50)], "四分之一", "und");
    }
}
