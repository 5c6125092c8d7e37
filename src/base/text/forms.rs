//! Forms of one word that its stemmer does not unite: Russian "Китай" and "Китая", "командировка" and "командировок".

use super::Language;
use super::stems::has_stemmer;

/// The fewest characters that forms of one word share at their beginning, and that share of the longer one, in tenths.
const LEAST: usize = 3;
const SHARE: usize = 7;

impl Language {
    /// Whether words of the language have so many forms that a stemmer does not unite all of them.
    pub fn inflects(self) -> bool {
        self != Language::ENGLISH && has_stemmer(self)
    }
}

/// The characters with which the forms of a term's word begin.
pub fn beginning_of_forms(term: &str) -> &str {
    let length = term.chars().count();
    let least = (length * SHARE).div_ceil(10).max(LEAST);
    term.char_indices().nth(least).map_or(term, |(at, _)| &term[..at])
}

/// Whether two terms may come from forms of one word: they mostly begin alike.
pub fn may_be_inflections(one: &str, other: &str) -> bool {
    let shared = one.chars().zip(other.chars()).take_while(|(a, b)| a == b).count();
    shared >= LEAST && shared * 10 >= SHARE * one.chars().count().max(other.chars().count())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_begin_alike() {
        let check = |one: &str, other: &str, expected: bool| {
            assert_eq!(may_be_inflections(one, other), expected, "{one} {other}");
            assert_eq!(may_be_inflections(other, one), expected, "{other} {one}");
            assert!(!expected || other.starts_with(beginning_of_forms(one)), "{one} {other}");
        };
        check("кита", "кит", true);
        check("командировок", "командировк", true);
        check("доставк", "достав", true);
        check("ден", "дня", false);
        check("цен", "цене", true);
        check("аренд", "ар", false);
        check("", "", false);
    }
}
