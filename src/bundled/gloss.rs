//! Words of other languages as English ones, by which models that know English read a text in German, word for word.
//!
//! A list for each language has its words with a gloss, the most frequent word first. A form that is not in the list has the
//! gloss of the first word with its stem, and a compound those of its parts. No order of words is changed and no sense
//! chosen: this is no translation for people.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::OnceLock;

use crate::base::text::Compound;
use crate::base::text::analysis::terms;
use crate::domain::Language;

const LISTS: [(&str, &str); 9] = [
    ("deu", include_str!("../../models/glosses/de.tsv")),
    ("fra", include_str!("../../models/glosses/fr.tsv")),
    ("spa", include_str!("../../models/glosses/es.tsv")),
    ("ita", include_str!("../../models/glosses/it.tsv")),
    ("por", include_str!("../../models/glosses/pt.tsv")),
    ("nld", include_str!("../../models/glosses/nl.tsv")),
    ("pol", include_str!("../../models/glosses/pl.tsv")),
    ("ron", include_str!("../../models/glosses/ro.tsv")),
    ("rus", include_str!("../../models/glosses/ru.tsv")),
];

/// Whether texts in a language are read by English glosses.
pub(crate) fn is_glossed(language: Language) -> bool {
    place(language).is_some()
}

fn place(language: Language) -> Option<usize> {
    LISTS.iter().position(|(code, _)| *code == language.code())
}

/// The glosses of one language.
pub(crate) struct Glosses {
    language: Language,
    forms: HashMap<&'static str, &'static str>,
    stems: HashMap<String, &'static str>,
}

impl Glosses {
    /// Those of a language, read at their first use; `None` where there are none.
    pub(crate) fn of(language: Language) -> Option<&'static Glosses> {
        static READ: [OnceLock<Glosses>; LISTS.len()] = [const { OnceLock::new() }; LISTS.len()];
        let place = place(language)?;
        Some(READ[place].get_or_init(|| Glosses::read(language, LISTS[place].1)))
    }

    fn read(language: Language, list: &'static str) -> Self {
        let mut glosses = Glosses { language, forms: HashMap::new(), stems: HashMap::new() };
        for (word, gloss) in list.lines().filter_map(|line| line.split_once('\t')) {
            glosses.forms.entry(word).or_insert(gloss);
            if let Some(stem) = glosses.stem(word) {
                glosses.stems.entry(stem).or_insert(gloss);
            }
        }
        glosses
    }

    /// The words of `text` that have a gloss, with it, in their order.
    pub(crate) fn glossed<'t>(&'t self, text: &'t str) -> impl Iterator<Item = (Range<usize>, Cow<'static, str>)> + 't {
        words(text).filter_map(|word| Some((word.clone(), self.gloss(&text[word])?)))
    }

    fn gloss(&self, word: &str) -> Option<Cow<'static, str>> {
        let lower = word.to_lowercase();
        let known = self.forms.get(lower.as_str()).copied();
        known.or_else(|| self.stems.get(&self.stem(&lower)?).copied()).map(Cow::Borrowed).or_else(|| {
            let compound = Compound::of(&lower, self.language)?;
            let parts = compound.parts(|term| u64::from(self.stems.contains_key(term)));
            let glosses: Vec<&str> = parts
                .iter()
                .map(|(part, term)| self.forms.get(part).or_else(|| self.stems.get(*term)).copied())
                .collect::<Option<_>>()?;
            (glosses.len() == 2).then(|| Cow::Owned(glosses.join(" ")))
        })
    }

    fn stem(&self, word: &str) -> Option<String> {
        match terms(word, self.language).as_slice() {
            [term] => Some(term.text.clone()),
            _ => None,
        }
    }
}

/// The words of a text: runs of letters that no digit touches.
fn words(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            let start = at + text[at..].find(char::is_alphanumeric)?;
            let end =
                text[start..].find(|one: char| !one.is_alphanumeric()).map_or(text.len(), |length| start + length);
            at = end;
            if text[start..end].chars().all(char::is_alphabetic) {
                return Some(start..end);
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_have_glosses_in_their_sense() {
        let check = |code: &str, text: &str, expected: &[(&str, &str)]| {
            let glosses = Glosses::of(Language::from_code(code)).expect("a list");
            let found: Vec<(&str, Cow<'_, str>)> =
                glosses.glossed(text).map(|(range, gloss)| (&text[range], gloss)).collect();
            let found: Vec<(&str, &str)> = found.iter().map(|(word, gloss)| (*word, gloss.as_ref())).collect();
            assert_eq!(found, expected, "{text}");
        };
        check(
            "deu",
            "Wann endet die FRIST?",
            &[("Wann", "when"), ("endet", "ends"), ("die", "the"), ("FRIST", "deadline")],
        );
        // The stem of a form that is not in the list; the parts of a compound; a name and a code, which have none.
        check("fra", "l'école, Zorglub 3a", &[("l", "the"), ("école", "school")]);
        check("deu", "Bücherrechnung", &[("Bücherrechnung", "books invoice")]);
        check("spa", "", &[]);
        assert!(Glosses::of(Language::ENGLISH).is_none());
        assert!(Glosses::of(Language::UNKNOWN).is_none());
    }

    #[test]
    fn every_line_of_a_list_is_a_word_and_its_gloss() {
        for (code, list) in LISTS {
            let mut words = std::collections::HashSet::new();
            for line in list.lines() {
                let (word, gloss) = line.split_once('\t').unwrap_or_default();
                let is_word = !word.is_empty() && word.chars().all(char::is_alphabetic) && word == word.to_lowercase();
                let is_gloss = gloss.starts_with(|first: char| first.is_ascii_alphabetic()) && gloss.is_ascii();
                assert!(is_word && is_gloss && words.insert(word), "{code}: {line:?}");
            }
            assert!(words.len() > 4_000, "{code}");
        }
    }
}
