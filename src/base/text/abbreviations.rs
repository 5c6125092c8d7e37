//! Words that carry a full stop of their own.

use super::may_open;
use super::months::{is_english_month, is_german_month};

/// What a full stop after a word means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Abbreviation {
    /// Nothing special: the sentence ends.
    None,
    /// The sentence goes on, whatever follows.
    Always,
    /// The sentence goes on before a number.
    BeforeNumber,
    /// The sentence goes on unless the next word commonly opens one.
    UnlessOpener,
}

/// Which of these `word`, written without its last full stop, is.
pub(super) fn classify(word: &str) -> Abbreviation {
    let mut characters = word.chars();
    if let (Some(only), None) = (characters.next(), characters.next()) {
        // An initial, where `I` is more often the pronoun; or German words: `s. Anlage 2`, `v. a.`, `z. B.`.
        let is_short_word = "svzuido".contains(only);
        // Where letters have no case, as in Arabic, one alone is an initial or a title, too.
        let is_initial = may_open(only) && only != 'I';
        let always = is_initial || is_short_word;
        return if always { Abbreviation::Always } else { Abbreviation::BeforeNumber };
    }
    let lower = word.to_lowercase();
    match lower.as_str() {
        "mr" | "mrs" | "ms" | "dr" | "prof" | "st" | "gen" | "col" | "capt" | "cpt" | "lt" | "sgt" | "cmdr" | "rev"
        | "hon" | "gov" | "sen" | "rep" | "pres" | "mt" | "ft" | "vs" | "cf" | "approx" | "viz" | "messrs" | "e.g"
        | "i.e" | "eg" | "ie" | "al"
        // German, French, Spanish, Italian, Portuguese, Dutch, Polish, Turkish, Russian
        | "z.b" | "d.h" | "u.a" | "bzw" | "ggf" | "evtl" | "hr" | "fr" | "str" | "mme" | "mlle" | "sra" | "srta"
        | "dra" | "sig" | "sig.ra" | "dott" | "dott.ssa" | "gez" | "mgr" | "inż" | "ing" | "avv" | "bijv" | "dhr" | "mevr"
        | "arch" | "geom" | "rag" | "ul" | "т.е" | "т.к" | "ул" | "им" | "обл" | "geb" | "fa" | "zus" | "vgl" | "sog"
        | "bspw" | "insb" | "einschl" | "abzgl" | "avda" | "sigg" | "spett" | "tj" | "tzn" | "np" | "rd" | "zzt"
        | "fam" | "dña" | "sres" | "sras" | "av" | "eng" | "exmo" | "exma" | "ilmo" | "egr" | "gent" | "cfr"
        | "örn" | "doç" | "просп" | "наб" | "пер" | "пл" | "пос" => {
            Abbreviation::Always
        }
        "no" | "nos" | "nr" | "fig" | "figs" | "eq" | "eqs" | "sec" | "ch" | "chap" | "vol" | "pp" | "pg" | "art"
        | "abb" | "bd" | "núm" | "num" | "cap" | "pág" | "inv" | "abs" | "tel" | "ext" | "extn" | "int" | "durchw"
        | "wewn" | "apt" | "max" | "min" | "ref" | "godz" | "lit"
        | "jan" | "feb" | "mar" | "apr" | "jun" | "jul" | "aug"
        | "sep" | "sept" | "oct" | "nov" | "dec" | "ep" | "vers" | "ver" | "стр" | "рис" | "тел" | "env" | "pag"
        | "réf" | "tél" | "aprox" | "tfno" | "blz" | "ok" | "zał" | "poz" | "mind" | "ziff" | "kap" | "pos" | "anm" | "гл" | "табл" | "разд" | "корп" | "кв"
        | "руб" | "коп" | "тыс" | "млн" | "млрд" | "гг" => {
            Abbreviation::BeforeNumber
        }
        "inc" | "ltd" | "co" | "corp" | "jr" | "sr" | "dept" | "univ" | "etc" | "ed" | "eds" | "ave" | "blvd" | "bros"
        | "est" | "usw" | "ecc" | "incl" | "excl" | "inkl" | "exkl" | "zzgl" | "ca"
        // Millions and thousands, before what they count
        | "mio" | "mrd" | "tsd" | "mln" | "mld" => Abbreviation::UnlessOpener,
        _ if is_dotted(word) => Abbreviation::UnlessOpener,
        _ => Abbreviation::None,
    }
}

/// `U.S`, `a.m`, `Ph.D`: short letter groups joined by full stops.
fn is_dotted(word: &str) -> bool {
    word.contains('.')
        && word.split('.').all(|part| {
            let length = part.chars().count();
            (1..=2).contains(&length) && part.chars().all(char::is_alphabetic)
        })
}

/// Whether `word` often begins an English sentence and seldom a name.
pub(super) fn is_sentence_opener(word: &str) -> bool {
    matches!(
        word,
        "The"
            | "A"
            | "An"
            | "In"
            | "On"
            | "At"
            | "It"
            | "Its"
            | "He"
            | "She"
            | "They"
            | "We"
            | "I"
            | "You"
            | "This"
            | "That"
            | "These"
            | "Those"
            | "There"
            | "But"
            | "And"
            | "Or"
            | "So"
            | "If"
            | "When"
            | "While"
            | "As"
            | "For"
            | "From"
            | "His"
            | "Her"
            | "Their"
            | "Our"
            | "My"
            | "By"
            | "With"
            | "After"
            | "Before"
            | "Since"
            | "Some"
            | "Many"
            | "Most"
            | "One"
            | "Two"
            | "However"
            | "Although"
            | "Though"
            | "Because"
            | "What"
            | "Who"
            | "Why"
            | "How"
            | "Where"
            | "Then"
            | "Now"
            | "Not"
            | "No"
            | "Yes"
            | "To"
            | "Today"
            | "Later"
            | "Also"
            | "Another"
            | "Each"
            | "Der"
            | "Die"
            | "Das"
            | "Ein"
            | "Eine"
            | "Es"
            | "Er"
            | "Sie"
            | "Wir"
            | "Im"
            | "Damit"
            | "Dies"
            | "Diese"
            | "Für"
            | "Bei"
            | "Le"
            | "La"
            | "Les"
            | "Il"
            | "Elle"
            | "El"
            | "Los"
            | "Las"
            | "Un"
            | "Une"
            | "Una"
    )
}

/// Whether `word` is a month in a language that writes days as ordinals with a full stop.
pub(super) fn is_month(word: &str) -> bool {
    let mut characters = word.chars();
    let is_capitalised = characters.next().is_some_and(char::is_uppercase) && characters.all(char::is_lowercase);
    let lower = || word.to_lowercase();
    word == "Jahrhundert" || (is_capitalised && (is_german_month(&lower()) || is_english_month(&lower())))
}

/// Whether `word` is one that stands before an ordinal in German, where a full stop belongs to the number.
pub(super) fn is_german_article(word: &str) -> bool {
    matches!(
        word.to_lowercase().as_str(),
        "der" | "die" | "das" | "den" | "dem" | "des" | "am" | "zum" | "zur" | "vom" | "beim" | "im"
    )
}
