//! The language of a query of a few words, which seldom have a small word among them: by the lists that have them.

use super::{Glosses, LISTS, words};
use crate::base::text::{Language, Spoken, is_cjk};

/// Words of a query that is told by lists. A longer one has small words.
const MOST_WORDS: usize = 8;
/// Letters of a word that tells a language.
const LEAST_LETTERS: usize = 4;

/// As [`Spoken::of_query`]; but where no small word tells the language, that of the lists which have the words: among
/// languages that are spoken, or, where these and English have none of them, among all.
pub(crate) fn language_of(query: &str, spoken: &Spoken) -> Language {
    let found = spoken.of_query(query);
    let words: Vec<String> = words::of(query, |_| false).map(|word| query[word].to_lowercase()).collect();
    // Japanese has no list beside that of Chinese.
    let is_listed = found == Language::UNKNOWN && !query.contains(is_cjk);
    let is_listed = is_listed || found == Language::ENGLISH || super::is_glossed(found);
    if words.len() > MOST_WORDS || !is_listed || words.iter().any(|word| found.has_small_word(word)) {
        return found;
    }
    let words: Vec<String> = words.into_iter().filter(|word| word.chars().nth(LEAST_LETTERS - 1).is_some()).collect();
    let held = |language: Language| words.iter().filter(|word| has(language, word)).count();
    if found == Language::UNKNOWN {
        let spoken = spoken.counts().map(|(language, _)| language).filter(|language| language.is_written_as(query));
        // Names are made of English words in every language.
        let is_told = |(count, language): &(usize, Language)| *language != Language::ENGLISH || *count == words.len();
        let mut counts: Vec<_> = spoken.map(|language| (held(language), language)).filter(is_told).collect();
        counts.sort_by_key(|(count, _)| std::cmp::Reverse(*count));
        match counts[..] {
            [(count, language)] | [(count, language), (0, _), ..] if count > 0 => return language,
            [(first, language), (second, _), ..] if first > second => return language,
            [(1.., _), ..] => return found,
            _ => {}
        }
    } else if held(found) > 0 {
        return found;
    }
    if held(Language::ENGLISH) > 0 {
        return found;
    }
    let others = LISTS.iter().map(|(code, _)| Language::from_code(code)).map(|language| (held(language), language));
    // The first of several: what they have in common has one gloss.
    let most = others.rev().max_by_key(|(count, _)| *count).filter(|(count, _)| *count > 0);
    let joined = || words.iter().find_map(|word| joins(word));
    most.map(|(_, language)| language).or_else(joined).unwrap_or(found)
}

/// The language in which a word is a compound of words that its list has.
fn joins(word: &str) -> Option<Language> {
    let languages = LISTS.iter().map(|(code, _)| Language::from_code(code)).filter(|language| language.has_compounds());
    languages
        .into_iter()
        .find(|language| Glosses::of(*language).is_some_and(|glosses| glosses.of_parts(word).is_some()))
}

/// Whether a language's list has a word in lower case; of English, whether it is a gloss.
fn has(language: Language, word: &str) -> bool {
    if language == Language::ENGLISH {
        let line_end = format!("\t{word}\n");
        return LISTS.iter().any(|(_, list)| list.contains(&line_end));
    }
    let line = format!("\n{word}\t");
    super::place(language).is_some_and(|place| LISTS[place].1.starts_with(&line[1..]) || LISTS[place].1.contains(&line))
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
        check(&[], "Miete", "deu");
        check(&[("jpn", 60), ("cmn", 50)], "定年", "und");
        check(&[("jpn", 60), ("cmn", 50)], "四分之一", "und");
    }
}
