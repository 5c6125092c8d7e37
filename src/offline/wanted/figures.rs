//! Whether a question asks for a figure or a time, and whether a text has one.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use crate::base::text::{Language, month_number};
use crate::offline::asking;
use crate::offline::terms::words_of;

/// Whether a question asks when, how much or how many.
pub(super) fn asks_for_figure(question: &str, language: Language) -> bool {
    const OPENINGS: [&str; 15] = [
        "when ",
        "how many ",
        "how much ",
        "how long ",
        "how old ",
        "how far ",
        "how high ",
        "what year ",
        "which year ",
        "in what year ",
        "in which year ",
        "what version ",
        "which version ",
        "what versions ",
        "which versions ",
    ];
    const WIDE: [&str; 24] = [
        "いつ",
        "いくら",
        "いくつ",
        "何年",
        "何月",
        "何日",
        "何時",
        "何人",
        "何名",
        "何円",
        "何台",
        "何回",
        "何件",
        "何本",
        "何個",
        "何か月",
        "何ヶ月",
        "何週間",
        "何パーセント",
        "何％",
        "何歳",
        "何割",
        "何キロ",
        "何メートル",
    ];
    let lower = question.trim_start().to_lowercase();
    asking::asks_for_figure(question, language)
        || OPENINGS.iter().any(|opening| lower.starts_with(opening))
        || WIDE.iter().any(|word| lower.contains(word))
}

/// Words that count or measure time without a figure, as in "for at least a year" and "every Friday".
const COUNTS: &str = "\
one two three four five six seven eight nine ten eleven twelve fifteen twenty thirty forty fifty sixty ninety hundred \
thousand million billion dozen half quarter once twice double triple \
twenties thirties forties fifties sixties seventies eighties nineties teens \
seconds minute minutes hour hours day days week weeks month months year years decade decades century centuries \
daily weekly monthly quarterly annually yearly today tomorrow noon midnight \
monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays thursdays fridays saturdays sundays \
zwei drei vier fünf sechs sieben acht neun zehn zwölf zwanzig dreißig hundert tausend million millionen halb hälfte \
minute minuten stunde stunden tage tagen woche wochen monat monate monaten jahr jahre jahren täglich wöchentlich \
montag dienstag mittwoch donnerstag freitag samstag sonntag monatlich jährlich mittag mitternacht \
deux trois quatre cinq six sept huit neuf dix douze vingt trente cent mille heure heures jour jours semaine semaines mois \
année années lundi mardi mercredi jeudi vendredi samedi dimanche midi minuit \
dos tres cuatro cinco seis siete ocho nueve diez doce veinte treinta cien mil hora horas día días semana semanas mes \
meses año años lunes martes miércoles jueves viernes sábado domingo mediodía medianoche";

/// Whether a text names a number or a time, in figures or in words.
pub(super) fn has_figure(text: &str) -> bool {
    static WORDS: LazyLock<BTreeSet<&'static str>> = LazyLock::new(|| COUNTS.split_whitespace().collect());
    let counts = |word: &str| WORDS.contains(word.to_lowercase().as_str());
    text.contains(|c: char| c.is_numeric() || "一二三四五六七八九十百千万曜".contains(c))
        || text.split(|c: char| !c.is_alphabetic()).any(counts)
        || names_month(text)
}

/// Whether a text names a month, written with a capital: "may" is none.
pub(super) fn names_month(text: &str) -> bool {
    let is_name =
        |word: &&str| word.starts_with(char::is_uppercase) && (word.chars().nth(3).is_some() || *word == "May");
    words_of(text).filter(is_name).any(|word| month_number(word).is_some())
}
