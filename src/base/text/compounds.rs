//! Compounds: German, Dutch and related languages write as one word what others write as several, and a text may say
//! the same in another form: `Löschfrist`, "die Frist für das Löschen".

use std::collections::BTreeSet;

use whatlang::Lang;

use super::Language;
use super::analysis::terms;

/// The fewest characters of a compound, of its first part and of its last one.
const LEAST: [usize; 3] = [8, 4, 3];

/// The fewest characters of a part that counts although no passage holds the other one.
const LEAST_ALONE: usize = 5;

impl Language {
    /// Whether the language joins nouns into one word.
    pub fn has_compounds(self) -> bool {
        matches!(self.0, Some(Lang::Deu | Lang::Nld | Lang::Swe | Lang::Dan | Lang::Nob))
    }

    /// Whether a word is written as only nouns are in this language, as in German.
    pub fn marks_noun(self, word: &str) -> bool {
        self.0 == Some(Lang::Deu) && word.starts_with(char::is_uppercase)
    }
}

/// A word that may be a compound, with every way to split it.
pub struct Compound<'a> {
    splits: Vec<Split<'a>>,
}

/// The parts of a split as written, and their terms.
struct Split<'a> {
    parts: [&'a str; 2],
    terms: [String; 2],
}

impl<'a> Compound<'a> {
    /// Splits a word; `None` for a short word, one with characters other than letters, and in languages without
    /// compounds.
    pub fn of(word: &'a str, language: Language) -> Option<Self> {
        let places: Vec<usize> = word.char_indices().map(|(at, _)| at).collect();
        if !language.has_compounds() || places.len() < LEAST[0] || !word.chars().all(char::is_alphabetic) {
            return None;
        }
        let term = |part: &str| match terms(part, language).as_slice() {
            [term] => Some(term.text.clone()),
            _ => None,
        };
        let mut splits = Vec::new();
        for &at in &places[LEAST[1]..=places.len() - LEAST[2]] {
            let (first, last) = word.split_at(at);
            let unlinked = first.strip_suffix('s').filter(|first| first.chars().count() >= LEAST[1]);
            for first in [Some(first), unlinked].into_iter().flatten() {
                if let (Some(one), Some(other)) = (term(first), term(last)) {
                    splits.push(Split { parts: [first, last], terms: [one, other] });
                }
            }
        }
        Some(Compound { splits })
    }

    /// The terms of all parts.
    pub fn terms(&self) -> BTreeSet<&str> {
        self.splits.iter().flat_map(|split| &split.terms).map(String::as_str).collect()
    }

    /// The two parts with the highest product of the numbers of passages that hold them (Koehn and Knight, "Empirical
    /// Methods for Compound Splitting", 2003, equation 1), or else the longest part that any passage holds; each as
    /// written, with its term. `holding` returns the number of passages that hold a term.
    pub fn parts(&self, holding: impl Fn(&str) -> u64) -> Vec<(&'a str, &str)> {
        let product = |split: &&Split| holding(&split.terms[0]) * holding(&split.terms[1]);
        if let Some(best) = self.splits.iter().max_by_key(product).filter(|best| product(best) > 0) {
            return best.parts.into_iter().zip(best.terms.iter().map(String::as_str)).collect();
        }
        let parts = self.splits.iter().flat_map(|split| split.parts.into_iter().zip(&split.terms));
        let held = parts.filter(|(part, term)| part.chars().count() >= LEAST_ALONE && holding(term) > 0);
        held.map(|(part, term)| (part, term.as_str())).max_by_key(|(part, _)| part.len()).into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(word: &str, held: &str, expected: &[&str]) {
        let language = Language(Some(Lang::Deu));
        let held: Vec<String> = terms(held, language).into_iter().map(|term| term.text).collect();
        let compound = Compound::of(word, language);
        let count = |term: &str| held.iter().filter(|one| *one == term).count() as u64;
        let parts: Vec<&str> =
            compound.iter().flat_map(|compound| compound.parts(count)).map(|(part, _)| part).collect();
        assert_eq!(parts, expected, "{word}");
    }

    #[test]
    fn a_compound_is_taken_apart_where_both_parts_are_known() {
        check("Löschfrist", "lösch Frist", &["Lösch", "frist"]);
        check("Urlaubsantrag", "ein Antrag auf Urlaub", &["Urlaub", "antrag"]);
        check("Donaudampfer", "Donau Dampfer", &["Donau", "dampfer"]);
    }

    #[test]
    fn the_parts_that_are_held_most_win() {
        check("Altteilwert", "alt Teilwert Altteil Altteil Wert Wert", &["Altteil", "wert"]);
    }

    #[test]
    fn one_known_part_stands_alone_where_it_is_long() {
        check("Videoaufnahmen", "die Aufnahmen", &["aufnahmen"]);
        check("Feiertag", "der Tag", &[]);
    }

    #[test]
    fn other_words_are_left_whole() {
        check("Frist", "Fri st", &[]);
        check("Kraftwerk-Anlage", "Kraftwerk Anlage", &[]);
        check("Rauschenbach", "Frist", &[]);
        assert!(Compound::of("notwithstanding", Language::ENGLISH).is_none());
    }
}
