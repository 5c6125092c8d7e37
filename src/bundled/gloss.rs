//! English glosses for words of other languages, by which models that know English read texts in German and others word
//! for word.
//!
//! Each language has a list of words with glosses, the most frequent word first. A form that is not listed takes the
//! gloss of the first word with the same stem; a compound takes the glosses of its parts; another form takes that of
//! the word that begins most like it. Word order is unchanged and no sense is chosen: this is not a translation for
//! people. Where spaces stand between syllables or are not used, the list also determines the words ([`words`]).

mod asked;
mod words;

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::sync::OnceLock;

use deunicode::deunicode;

use crate::base::text::analysis::terms;
use crate::base::text::{Compound, beginning_of_forms, is_latin, may_be_inflections};
use crate::domain::Language;

pub(crate) use self::asked::{answer_language, language_of};

static LISTS: [(&str, &str); 17] = [
    ("deu", include_str!("../../models/glosses/de.tsv")),
    ("fra", include_str!("../../models/glosses/fr.tsv")),
    ("spa", include_str!("../../models/glosses/es.tsv")),
    ("ita", include_str!("../../models/glosses/it.tsv")),
    ("por", include_str!("../../models/glosses/pt.tsv")),
    ("nld", include_str!("../../models/glosses/nl.tsv")),
    ("pol", include_str!("../../models/glosses/pl.tsv")),
    ("ron", include_str!("../../models/glosses/ro.tsv")),
    ("rus", include_str!("../../models/glosses/ru.tsv")),
    ("cmn", include_str!("../../models/glosses/zh.tsv")),
    ("kor", include_str!("../../models/glosses/ko.tsv")),
    ("tur", include_str!("../../models/glosses/tr.tsv")),
    ("ell", include_str!("../../models/glosses/el.tsv")),
    ("vie", include_str!("../../models/glosses/vi.tsv")),
    ("tha", include_str!("../../models/glosses/th.tsv")),
    ("ara", include_str!("../../models/glosses/ar.tsv")),
    ("hin", include_str!("../../models/glosses/hi.tsv")),
];

/// The fewest letters of an Arabic word without its clitics.
const LEAST_BARE: usize = 3;

/// The fewest letters of a stem that may take the gloss of another stem with a similar beginning.
const LEAST_OF_FORM: usize = 5;

/// Whether texts in a language are read by way of English glosses.
pub(crate) fn is_glossed(language: Language) -> bool {
    place(language).is_some()
}

/// The languages that have a list.
fn languages() -> impl DoubleEndedIterator<Item = Language> {
    LISTS.iter().map(|(code, _)| Language::from_code(code))
}

fn place(language: Language) -> Option<usize> {
    LISTS.iter().position(|(code, _)| *code == language.code())
}

/// The glosses of one language.
pub(crate) struct Glosses {
    language: Language,
    forms: HashMap<&'static str, &'static str>,
    stems: BTreeMap<String, &'static str>,
    /// For the stem of an English word, the words whose gloss is that word alone.
    glossed_as: HashMap<String, Vec<&'static str>>,
}

/// The words of a text, delimited by the list of its language.
pub(crate) fn words_of(text: &str, language: Language) -> Vec<Range<usize>> {
    match Glosses::of(language) {
        Some(glosses) => glosses.words(text).collect(),
        None => words::of(text, |_| false).collect(),
    }
}

/// Words of `to` for a word of `from`, matched by their English glosses; empty if a list lacks the word.
pub(crate) fn translations(word: &str, from: Language, to: Language) -> Vec<String> {
    let english = match Glosses::of(from) {
        Some(glosses) => glosses.gloss(word),
        None if from == Language::ENGLISH => Some(Cow::Borrowed(word)),
        None => None,
    };
    let Some(english) = english.filter(|_| from != to) else { return Vec::new() };
    let words = english.split(' ');
    match Glosses::of(to) {
        Some(glosses) => words.flat_map(|word| glosses.glossed_as(word)).map(|&word| word.to_owned()).collect(),
        None if to == Language::ENGLISH => words.map(str::to_owned).collect(),
        None => Vec::new(),
    }
}

impl Glosses {
    /// The glosses of a language, read at their first use; `None` if it has no list.
    pub(crate) fn of(language: Language) -> Option<&'static Glosses> {
        static READ: [OnceLock<Glosses>; LISTS.len()] = [const { OnceLock::new() }; LISTS.len()];
        let place = place(language)?;
        Some(READ[place].get_or_init(|| Glosses::read(language, LISTS[place].1)))
    }

    fn read(language: Language, list: &'static str) -> Self {
        let mut glosses =
            Glosses { language, forms: HashMap::new(), stems: BTreeMap::new(), glossed_as: HashMap::new() };
        for (word, gloss) in list.lines().filter_map(|line| line.split_once('\t')) {
            glosses.forms.entry(word).or_insert(gloss);
            let stem = glosses.stem(word);
            if stem.as_ref().is_none_or(|stem| !glosses.stems.contains_key(stem))
                && let Some(english) = stem_of(gloss, Language::ENGLISH)
            {
                glosses.glossed_as.entry(english).or_default().push(word);
            }
            if let Some(stem) = stem {
                glosses.stems.entry(stem).or_insert(gloss);
            }
        }
        glosses
    }

    /// The words of `text` that have a gloss, each with it, in order.
    pub(crate) fn glossed<'t>(&'t self, text: &'t str) -> impl Iterator<Item = (Range<usize>, Cow<'static, str>)> + 't {
        self.words(text).filter_map(|word| Some((word.clone(), self.gloss(&text[word])?)))
    }

    /// Like [`Self::glossed`], but words of another script that have no gloss are transliterated into Latin letters:
    /// they are names and international words, by which passages are found. Ideographs are left out, because the
    /// encoder knows them as they are. The reader does not use this: it is more certain of texts without such words.
    pub(crate) fn glossed_or_spelt<'t>(
        &'t self,
        text: &'t str,
    ) -> impl Iterator<Item = (Range<usize>, Cow<'static, str>)> + 't {
        let is_spelt = |word: &str| !word.starts_with(is_latin) && self.language.code() != "cmn";
        let gloss =
            move |word: &str| self.gloss(word).or_else(|| is_spelt(word).then(|| in_latin_letters(word).into()));
        self.words(text).filter_map(move |word| Some((word.clone(), gloss(&text[word])?)))
    }

    /// The words of `text`, including those in no list.
    fn words<'t>(&'t self, text: &'t str) -> impl Iterator<Item = Range<usize>> + 't {
        words::of(text, |word| self.forms.contains_key(word))
    }

    fn gloss(&self, word: &str) -> Option<Cow<'static, str>> {
        let lower = word.to_lowercase();
        let mut stem = None;
        for word in with_clitics_and_without(&lower, self.language) {
            if let Some(gloss) = self.forms.get(word) {
                return Some(Cow::Borrowed(gloss));
            }
            stem = self.stem(word);
            if let Some(gloss) = stem.as_ref().and_then(|stem| self.stems.get(stem)) {
                return Some(Cow::Borrowed(gloss));
            }
        }
        self.gloss_of_compound(&lower).or_else(|| self.gloss_of_related_form(&stem?).map(Cow::Borrowed))
    }

    /// The glosses of the parts of a compound.
    fn gloss_of_compound(&self, word: &str) -> Option<Cow<'static, str>> {
        let compound = Compound::of(word, self.language)?;
        let parts = compound.parts(|term| u64::from(self.stems.contains_key(term)));
        let glosses: Vec<&str> = parts
            .iter()
            .map(|(part, term)| self.forms.get(part).or_else(|| self.stems.get(*term)).copied())
            .collect::<Option<_>>()?;
        (glosses.len() == 2).then(|| Cow::Owned(glosses.join(" ")))
    }

    /// The gloss of a word of which this may be another form: the one with the longest common beginning; on a tie, the
    /// first.
    fn gloss_of_related_form(&self, stem: &str) -> Option<&'static str> {
        if stem.chars().count() < LEAST_OF_FORM {
            return None;
        }
        let beginning = beginning_of_forms(stem);
        let near = self.stems.range(beginning.to_owned()..).take_while(|(other, _)| other.starts_with(beginning));
        let near = near.filter(|(other, _)| may_be_inflections(stem, other));
        let alike = |other: &str| other.chars().zip(stem.chars()).take_while(|(a, b)| a == b).count();
        near.min_by_key(|(other, _)| Reverse(alike(other))).map(|(_, gloss)| *gloss)
    }

    fn glossed_as(&self, english: &str) -> &[&'static str] {
        let stem = stem_of(english, Language::ENGLISH);
        stem.and_then(|stem| self.glossed_as.get(&stem)).map_or(&[], Vec::as_slice)
    }

    fn stem(&self, word: &str) -> Option<String> {
        stem_of(word, self.language)
    }
}

/// A word; if it is Arabic, then also without the attached conjunction, preposition and article, removed one after the
/// other.
fn with_clitics_and_without(word: &str, language: Language) -> impl Iterator<Item = &str> {
    let clitics: &[&[&str]] =
        if language.code() == "ara" { &[&["و", "ف"], &["ب", "ك", "ل"], &["ال", "ل"]] } else { &[] };
    let mut clitics = clitics.iter();
    std::iter::successors(Some(word), move |word| {
        let bare = clitics.by_ref().find_map(|each| each.iter().find_map(|clitic| word.strip_prefix(clitic)));
        bare.filter(|bare| bare.chars().count() >= LEAST_BARE)
    })
}

fn in_latin_letters(word: &str) -> String {
    deunicode(word).to_lowercase().replace(|letter: char| !letter.is_ascii_alphabetic(), "")
}

/// The stem of a word that analysis turns into exactly one term.
fn stem_of(word: &str, language: Language) -> Option<String> {
    match terms(word, language).as_slice() {
        [term] => Some(term.text.clone()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_have_glosses_in_their_sense() {
        let check = |code: &str, text: &str, expected: &[(&str, &str)]| {
            let glosses = Glosses::of(Language::from_code(code)).expect("a list");
            let found: Vec<(&str, Cow<'_, str>)> =
                glosses.glossed_or_spelt(text).map(|(range, gloss)| (&text[range], gloss)).collect();
            let found: Vec<(&str, &str)> = found.iter().map(|(word, gloss)| (*word, gloss.as_ref())).collect();
            assert_eq!(found, expected, "{text}");
        };
        check(
            "deu",
            "Wann endet die FRIST?",
            &[("Wann", "when"), ("endet", "ends"), ("die", "the"), ("FRIST", "deadline")],
        );
        // The stem of an unlisted form; the parts of a compound; a name and a code, which have no gloss.
        check("fra", "l'école, Zorglub 3a", &[("l", "the"), ("école", "school")]);
        check("deu", "Bücherrechnung", &[("Bücherrechnung", "books invoice")]);
        // An unlisted form with a different stem, and a name in another script.
        check("pol", "uniwersytetach dynastii", &[("uniwersytetach", "university"), ("dynastii", "dynasty")]);
        check("ara", "والخلايا للالتهاب", &[("والخلايا", "cells"), ("للالتهاب", "inflammation")]);
        check("rus", "Зорглубов", &[("Зорглубов", "zorglubov")]);
        check("spa", "", &[]);
        assert!(Glosses::of(Language::ENGLISH).is_none());
        assert!(Glosses::of(Language::UNKNOWN).is_none());
    }

    #[test]
    fn words_are_translated_by_their_glosses() {
        let check = |from: &str, word: &str, to: &str, expected: &[&str]| {
            assert_eq!(translations(word, Language::from_code(from), Language::from_code(to)), expected, "{word}");
        };
        check("deu", "Kündigungsfrist", "eng", &["notice", "period"]);
        check("deu", "Zorglub", "eng", &[]);
        check("deu", "Frist", "deu", &[]);
        check("jpn", "期限", "deu", &[]);
        check("deu", "Frist", "jpn", &[]);
        let found =
            |word: &str, from: &str, to: &str| translations(word, Language::from_code(from), Language::from_code(to));
        assert!(found("deadlines", "eng", "deu").contains(&"frist".to_owned()));
        assert!(found("Vertrag", "deu", "spa").contains(&"contrato".to_owned()));
    }

    #[test]
    fn every_line_of_a_list_is_a_word_and_its_gloss() {
        for (code, list) in LISTS {
            let mut words = std::collections::HashSet::new();
            for line in list.lines() {
                let (word, gloss) = line.split_once('\t').unwrap_or_default();
                let found: Vec<&str> =
                    words_of(word, Language::from_code(code)).into_iter().map(|range| &word[range]).collect();
                let is_word = found == [word] && word == word.to_lowercase();
                // The gloss of a particle may be empty.
                let is_gloss = gloss.chars().all(|one| one.is_ascii_alphabetic() || " -'".contains(one));
                assert!(is_word && is_gloss && words.insert(word), "{code}: {line:?}");
            }
            assert!(words.len() > 4_000, "{code}");
        }
    }
}
