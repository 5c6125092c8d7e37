//! Abbreviations: words that carry a full stop of their own.

use super::folding::fold_accents;
use super::months::{is_english_month, is_german_month};
use super::{is_listed, may_open};

/// What a full stop after a word means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Abbreviation {
    /// Nothing special: the sentence ends.
    None,
    /// The sentence goes on, whatever follows.
    Always,
    /// The sentence goes on before a number, a currency written behind its amount, a dash, or another abbreviation.
    BeforeNumber,
    /// The sentence goes on unless the next word commonly opens one.
    UnlessOpener,
}

/// The most letters of an abbreviation without vowels.
const MOST_CONSONANTS: usize = 5;

/// Titles, kinds of places and other words that are abbreviated before what they belong to. A language has a line.
const BEFORE_NAMES: &str = "\
mej jhr jkvr afd \
profa engª profª \
ctra urb gral lic licda arq \
ets \
prof.ssa dr.ssa p.zza p.za c.so v.le l.go cav fraz \
dipl stellv lfd allg betr bzgl ggü entspr mtl monatl jährl tägl wöchentl hd \
im os woj hab zob tzw ww \
tzv např nám \
проф акад доц инж тов св бул дер мкр напр вул ім див \
jud \
avd \
mah cad sok bkz müh yrd \
βλ δρ δηλ λεωφ \
supt insp msgr atty asst brig";

/// The same of words that behind a number are units.
const UNLESS_UNITS: &str = "mw ds pl см ср гр";

/// Words that are abbreviated before a number.
const BEFORE_NUMBERS: &str = "\
apto ap cell págs entlo izq dcha gem whg lok rozdz ur odst alin апр янв февр авг сент окт нояб дек абз прил макс \
моб доб эт ок буд тис αρ τηλ παρ";

/// Words that are abbreviated within the names of firms and of their parts, or at a name's end.
const IN_NAMES: &str = "cia cía cie hnos gebr depto dpto edif f.lli assoc bd";

/// Abbreviations of two words, the second of which is a word of other languages: `p. ej. Madrid`, `ad es. Roma`.
const BEHIND: [(&str, &str); 3] = [("p.", "ej"), ("ad", "es"), ("per", "es")];

/// The vowels of Latin and Cyrillic letters, without accents.
const VOWELS: &str = "aeiouyаеиоуыэюяіїє";

/// Given names as old papers abbreviate them before a surname: `Wm. Oakes`.
const GIVEN_NAMES: [&str; 15] =
    ["Wm", "Chr", "Th", "Thos", "Jos", "Jas", "Chas", "Geo", "Robt", "Benj", "Edw", "Saml", "Joh", "Wilh", "Friedr"];

/// Units without vowels, which may end a sentence even where the number before them is written as a word.
const UNITS: [&str; 6] = ["zł", "kč", "km", "kg", "cm", "mm"];

/// Whether the full stop behind `word`, which is given without it, belongs to the word, so that the sentence goes on
/// with `next`; `before` is the sentence so far.
pub(super) fn is_shortened(word: &str, before: &str, next: &str) -> bool {
    let is_behind_number = before.trim_end().ends_with(|c: char| c.is_ascii_digit());
    let next_word = next.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    // Two abbreviations, as in `e. V.`.
    let is_pair = || {
        let is_letter = |word: &str| word.chars().count() == 1;
        is_letter(word) && is_letter(next_word) && next[next_word.len()..].starts_with('.')
    };
    // In `v. Chr.` the word follows another abbreviation and is no given name.
    if GIVEN_NAMES.contains(&word) && next_word.starts_with(char::is_uppercase) && !before.trim_end().ends_with('.') {
        return !is_sentence_opener(next_word);
    }
    if is_before_citation(next) {
        return true;
    }
    if BEHIND.iter().any(|&(first, second)| word == second && before.trim_end().to_lowercase().ends_with(first)) {
        return true;
    }
    // Behind a number `r.` means year, and an initial may follow it; but a club's `e. V.` stands there, too.
    let may_pair = !is_behind_number || word == "e";
    match classify(word, is_behind_number) {
        Abbreviation::None => false,
        Abbreviation::Always => true,
        Abbreviation::BeforeNumber => {
            next.starts_with(|c: char| c.is_ascii_digit() || "№§–—€₽₴₸".contains(c)) || may_pair && is_pair()
        }
        Abbreviation::UnlessOpener => !is_sentence_opener(next_word),
    }
}

/// The kind of abbreviation that `word` is.
fn classify(word: &str, is_behind_number: bool) -> Abbreviation {
    let mut characters = word.chars();
    if let (Some(only), None) = (characters.next(), characters.next()) {
        // An initial, except `I`, which is more often the pronoun; a German abbreviation, as in `s. Anlage 2`, `v. a.`,
        // `z. B.` and `n. Chr.`; or a Slavic or Greek one before a name, `в г. Туле`, `p. Novák`, `κ. Παππάς`, which
        // behind a number is a year or a unit.
        let is_short_word = "svzuidon".contains(only) || !is_behind_number && "гдспршмpκ".contains(only);
        // In scripts without case, such as Arabic, a single letter is an initial or a title, too.
        let is_initial = may_open(only) && only != 'I';
        let always = is_initial || is_short_word;
        return if always { Abbreviation::Always } else { Abbreviation::BeforeNumber };
    }
    let lower = word.to_lowercase();
    if word.chars().skip(1).any(char::is_uppercase) {
        // In capitals these are acronyms: `OS`, `CIA`.
    } else if is_listed(BEFORE_NAMES, &lower) || is_listed(UNLESS_UNITS, &lower) && !is_behind_number {
        return Abbreviation::Always;
    } else if is_listed(BEFORE_NUMBERS, &lower) {
        return Abbreviation::BeforeNumber;
    } else if is_listed(IN_NAMES, &lower) {
        return Abbreviation::UnlessOpener;
    }
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
        | "örn" | "doç" | "просп" | "пр" | "наб" | "пер" | "пл" | "пос" | "mmes" | "mlles" | "excmo" | "excma" | "ilma"
        | "exmos" | "exmas" | "drs" | "św" | "pfr" | "hrn" | "frl" => {
            Abbreviation::Always
        }
        // Messieurs, the first half of the Spanish `EE. UU.`, and a Polish priest; the first and the last are also units.
        _ if matches!(word, "MM" | "EE") || lower == "ks" && !is_behind_number => Abbreviation::Always,
        "no" | "nos" | "nr" | "fig" | "figs" | "eq" | "eqs" | "sec" | "ch" | "chap" | "vol" | "pp" | "pg" | "art"
        | "abb" | "núm" | "num" | "cap" | "pág" | "inv" | "abs" | "tel" | "ext" | "extn" | "int" | "durchw"
        | "wewn" | "apt" | "max" | "min" | "ref" | "godz" | "lit"
        | "jan" | "feb" | "mar" | "apr" | "jun" | "jul" | "aug"
        | "sep" | "sept" | "oct" | "nov" | "dec" | "ep" | "vers" | "ver" | "стр" | "рис" | "тел" | "env" | "pag"
        | "réf" | "tél" | "aprox" | "tfno" | "blz" | "ok" | "zał" | "poz" | "mind" | "ziff" | "kap" | "pos" | "anm" | "гл" | "табл" | "разд" | "корп" | "кв" | "оф"
        | "руб" | "коп" | "тыс" | "млн" | "млрд" | "гг" | "artt" | "pagg" | "capp" | "segg" | "prot" | "ust" => {
            Abbreviation::BeforeNumber
        }
        "inc" | "ltd" | "co" | "corp" | "jr" | "sr" | "dept" | "univ" | "etc" | "ed" | "eds" | "ave" | "blvd" | "bros"
        | "est" | "usw" | "ecc" | "incl" | "excl" | "inkl" | "exkl" | "zzgl" | "ca"
        // Millions and thousands, before what they count
        | "mio" | "mrd" | "tsd" | "mln" | "mld" => Abbreviation::UnlessOpener,
        // Which in small letters are words: a Portuguese road and a German department. Vietnamese: a city, and the
        // titles of scholars.
        _ if matches!(word, "Rod" | "Abt" | "TP" | "Tp" | "TS" | "ThS" | "PGS") => Abbreviation::UnlessOpener,
        _ if is_dotted(word) => Abbreviation::UnlessOpener,
        _ if begins_dotted(word) || !is_behind_number && has_no_vowel(word) => Abbreviation::BeforeNumber,
        _ => Abbreviation::None,
    }
}

/// Whether a word is like `d.lgs`: one or two letters, then groups of up to four letters behind full stops.
fn begins_dotted(word: &str) -> bool {
    word.split_once('.').is_some_and(|(first, rest)| {
        let is_group = |group: &str, most: usize| {
            (1..=most).contains(&group.chars().count()) && group.chars().all(char::is_alphabetic)
        };
        is_group(first, 2) && rest.split('.').all(|group| is_group(group, 4))
    })
}

/// Whether a word is like `Nrn`, `pkt`, `см`: it cannot be pronounced, so it is abbreviated. Acronyms are in capitals.
fn has_no_vowel(word: &str) -> bool {
    let plain = fold_accents(&word.to_lowercase());
    (2..=MOST_CONSONANTS).contains(&word.chars().count())
        && !UNITS.contains(&word)
        && word.chars().skip(1).all(char::is_lowercase)
        && word.chars().all(|c| matches!(c, 'A'..='Z' | 'a'..='z' | '\u{c0}'..='\u{17f}' | 'Ѐ'..='ӿ'))
        && !plain.contains(|c: char| VOWELS.contains(c))
}

/// Whether a word is like `U.S`, `a.m`, `Ph.D`: short groups of letters joined by full stops.
fn is_dotted(word: &str) -> bool {
    word.contains('.')
        && word.split('.').all(|part| {
            let length = part.chars().count();
            (1..=2).contains(&length) && part.chars().all(char::is_alphabetic)
        })
}

/// Whether a text ends in single letters with full stops, as `7 p.m.` and `Chor Aue e. V.` do: the sentence need not
/// end there.
pub fn ends_in_initials(text: &str) -> bool {
    let is_letter = |one: &str| one.chars().all(char::is_alphabetic) && one.chars().count() == 1;
    let is_initials = |word: &&str| word.strip_suffix('.').is_some_and(|letters| letters.split('.').all(is_letter));
    text.rsplit(' ').take_while(is_initials).map(|word| word.matches('.').count()).sum::<usize>() > 1
}

/// Abbreviations that keep their full stop wherever they stand, and those that keep it behind a number: a year, an
/// amount, a count.
const ABBREVIATIONS: &str = "etc usw ecc itd itp др";
const BEHIND_NUMBERS: &str = "r г гг р рр руб коп тыс шт чел godz std";

/// Whether the full stop that ends a text is part of its last word: `5 kwietnia 2025 r.`, `usw.`, `7 p.m.`.
pub fn ends_in_abbreviation(text: &str) -> bool {
    let Some((before, word)) = text.strip_suffix('.').and_then(|text| text.rsplit_once(' ')) else { return false };
    let word = word.to_lowercase();
    let is_behind_number = || {
        let is_part =
            |one: &str| one.ends_with(|c: char| c.is_ascii_digit()) || is_listed(BEHIND_NUMBERS, &one.to_lowercase());
        before.rsplit(' ').next().is_some_and(|last| is_part(last.trim_end_matches('.')))
    };
    is_listed(ABBREVIATIONS, &word) || is_listed(BEHIND_NUMBERS, &word) && is_behind_number() || ends_in_initials(text)
}

/// Whether a citation follows, and the full stop of the sentence behind it.
fn is_before_citation(next: &str) -> bool {
    let rest = next.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '[' | ']'));
    next.starts_with('[')
        && rest.len() < next.len()
        && next[..next.len() - rest.len()].ends_with(']')
        && rest.starts_with('.')
}

/// Words that often begin a sentence and seldom a name.
const SENTENCE_OPENERS: &str = "\
The A An In On At It Its He She They We I You This That These Those There But And Or So If When While As For \
From His Her Their Our My By With After Before Since Some Many Most One Two However Although Though Because What \
Who Why How Where Then Now Not No Yes To Today Later Also Another Each O Os Um Uma Em Ele Ela Het Een Hij Zij Der Die Das Ein Eine Es Er Sie Wir Im \
Damit Dies Diese Für Bei Le La Les Il Elle El Los Las Un Une Una";

/// Whether `word` often begins a sentence and seldom a name.
fn is_sentence_opener(word: &str) -> bool {
    is_listed(SENTENCE_OPENERS, word)
}

/// Whether `word` is a month in a language that writes days as ordinals with a full stop.
pub(super) fn is_month(word: &str) -> bool {
    let mut characters = word.chars();
    let is_capitalised = characters.next().is_some_and(char::is_uppercase) && characters.all(char::is_lowercase);
    let lower = || word.to_lowercase();
    word == "Jahrhundert" || (is_capitalised && (is_german_month(&lower()) || is_english_month(&lower())))
}

/// Whether `word` often stands before an ordinal in German, where a full stop belongs to the number.
pub(super) fn is_german_article(word: &str) -> bool {
    matches!(
        word.to_lowercase().as_str(),
        "der" | "die" | "das" | "den" | "dem" | "des" | "am" | "zum" | "zur" | "vom" | "beim" | "im"
    )
}

#[cfg(test)]
mod tests {
    use super::{ends_in_abbreviation, ends_in_initials};
    use crate::base::text::sentences;

    #[test]
    fn single_letters_with_stops() {
        let check = |text: &str, expected: bool| assert_eq!(ends_in_initials(text), expected, "{text}");
        check("Minutes, 7 p.m.", true);
        check("Chor Aue e. V.", true);
        check("We took plan B.", false);
        check("It is over.", false);
        check("", false);
    }

    #[test]
    fn abbreviations_keep_their_stop() {
        let check = |text: &str, expected: bool| assert_eq!(ends_in_abbreviation(text), expected, "{text}");
        check("Zawody odbędą się 5 kwietnia 2025 r.", true);
        check("до 31 декабря 2025 г.", true);
        check("это стоит 12 тыс. руб.", true);
        check("Äpfel, Birnen usw.", true);
        check("at 7 p.m.", true);
        check("Das sind 5 m.", false);
        check("It rained.", false);
        check("usw", false);
    }

    #[test]
    fn shortened_words_end_no_sentence_and_sentences_end() {
        let check = |text: &str, expected: &[&str]| {
            let found: Vec<&str> = sentences(text).map(|range| &text[range]).collect();
            assert_eq!(found, expected);
        };
        check(
            "Vale il d.lgs. 12 aprile 2019, n. 4. Si vedano gli artt. 7 e 8. Fine.",
            &["Vale il d.lgs. 12 aprile 2019, n. 4.", "Si vedano gli artt. 7 e 8.", "Fine."],
        );
        check(
            "Er heißt „Chor Aue e. V.“ und singt. Es gelten die Nrn. 3 und 4. Ende.",
            &["Er heißt „Chor Aue e. V.“ und singt.", "Es gelten die Nrn. 3 und 4.", "Ende."],
        );
        check(
            "Es war 50 n. Chr. gebaut. Es wiegt 5 kg. 20 Leute kamen.",
            &["Es war 50 n. Chr. gebaut.", "Es wiegt 5 kg.", "20 Leute kamen."],
        );
        check(
            "Das ist gut. 20 Leute kamen. Das sah die ARD. 3 Uhr war es.",
            &["Das ist gut.", "20 Leute kamen.", "Das sah die ARD.", "3 Uhr war es."],
        );
        check(
            "Klub działa na podstawie ustawy z dnia 5 maja 1995 r. – Prawo wodne. Zob. pkt. 4. W 1996 r. P. Lis odszedł.",
            &[
                "Klub działa na podstawie ustawy z dnia 5 maja 1995 r. – Prawo wodne.",
                "Zob. pkt. 4.",
                "W 1996 r.",
                "P. Lis odszedł.",
            ],
        );
        check("Kosztuje 2 mln zł. 15 osób płaci.", &["Kosztuje 2 mln zł.", "15 osób płaci."]);
        check(
            "Он живёт в г. Туле. Это было в 2020 г. Потом см. 4. Конец.",
            &["Он живёт в г. Туле.", "Это было в 2020 г.", "Потом см. 4.", "Конец."],
        );
        check(
            "Er heißt „Chor Aue 1924 e. V.“ und singt. Der Chor Aue 1924 e. V. singt. Ende.",
            &["Er heißt „Chor Aue 1924 e. V.“ und singt.", "Der Chor Aue 1924 e. V. singt.", "Ende."],
        );
        check(
            "The builder, Wm. Oakes & Sons, came. So did Jos. Marr. They stayed with Thos. The end.",
            &["The builder, Wm. Oakes & Sons, came.", "So did Jos. Marr.", "They stayed with Thos.", "The end."],
        );
        check(
            "Es war 50 v. Chr. Rom war groß. Chr. Rau schrieb es.",
            &["Es war 50 v. Chr.", "Rom war groß.", "Chr. Rau schrieb es."],
        );
        check(
            "Сумма 950 тыс. ₽ за год. Адрес: пр. Мира, д. 3, оф. 12. Конец.",
            &["Сумма 950 тыс. ₽ за год.", "Адрес: пр. Мира, д. 3, оф. 12.", "Конец."],
        );
        check(
            "Het is verleend door mw. Bakker van de afd. Inkoop. De vergunning kwam op 12 mei jl. Daarna ging het goed.",
            &[
                "Het is verleend door mw. Bakker van de afd. Inkoop.",
                "De vergunning kwam op 12 mei jl.",
                "Daarna ging het goed.",
            ],
        );
        check(
            "A Profa. Lemos, do depto. Financeiro, falou com a Souza & Cia. Engenharia. O apto. 305 é dela. Fim.",
            &[
                "A Profa. Lemos, do depto. Financeiro, falou com a Souza & Cia. Engenharia.",
                "O apto. 305 é dela.",
                "Fim.",
            ],
        );
        check(
            "La sede está en la Ctra. Nacional, p. ej. Madrid. Fin.",
            &["La sede está en la Ctra. Nacional, p. ej. Madrid.", "Fin."],
        );
        check(
            "Bitte z. Hd. Herrn Rau, bzgl. Miete, lfd. Nr. 5. Ende.",
            &["Bitte z. Hd. Herrn Rau, bzgl. Miete, lfd. Nr. 5.", "Ende."],
        );
        check(
            "Szkoła im. Jana Lisa stoi na os. Leśnym. Koniec.",
            &["Szkoła im. Jana Lisa stoi na os. Leśnym.", "Koniec."],
        );
        check(
            "Длина 5 см. Она мала. См. Приложение 2. Всё.",
            &["Длина 5 см.", "Она мала.", "См. Приложение 2.", "Всё."],
        );
        check(
            "It runs on OS. Peter worked for the CIA. Ann uses 5 MW. Power is dear.",
            &["It runs on OS.", "Peter worked for the CIA.", "Ann uses 5 MW.", "Power is dear."],
        );
        check("TP. Hồ Chí Minh là trụ sở. Ông TS. Minh đến.", &["TP. Hồ Chí Minh là trụ sở.", "Ông TS. Minh đến."]);
        check("To 5 maja 2025 r. [1]. To w 2025 r. Nowe.", &["To 5 maja 2025 r. [1].", "To w 2025 r.", "Nowe."]);
        check("È l’art. 5 che vale. Sì.", &["È l’art. 5 che vale.", "Sì."]);
        check(
            "MM. Roux et Petit parlent. Il mesure 5 mm. Voilà.",
            &["MM. Roux et Petit parlent.", "Il mesure 5 mm.", "Voilà."],
        );
    }
}
