//! Sentences that tell of a change, and questions that ask for one.

use std::collections::BTreeSet;

use super::terms::has_stem;

/// Beginnings of words in questions that ask how something became what it is.
const ASKING: [&str; 32] = [
    "chang",
    "evol",
    "develop",
    "grow",
    "grew",
    "histor",
    "becom",
    "became",
    "transform",
    "progress",
    "declin",
    "over time",
    "over the years",
    "since",
    "trend",
    "shift",
    "rise",
    "fall of",
    "veränder",
    "gewandelt",
    "évolu",
    "devenu",
    "cambi",
    "desarroll",
    "αλλαγ",
    "αλλάζ",
    "άλλαξ",
    "thay đổi",
    "تغير",
    "تغيّر",
    "बदल",
    "परिवर्तन",
];

/// The same where they may also stand within a word: in German ones that are made of two, and in scripts without spaces.
const ASKING_WITHIN: [&str; 13] =
    ["entwick", "geschicht", "wandel", "変わ", "変化", "発展", "歴史", "推移", "变", "发展", "历史", "演化", "演进"];

/// Whether `question` asks for a change.
pub(super) fn asks_for_change(question: &str) -> bool {
    let lower = question.to_lowercase();
    ASKING.iter().any(|stem| has_stem(&lower, stem)) || ASKING_WITHIN.iter().any(|stem| lower.contains(stem))
}

/// Words that set one time against another, or say that something is no longer as it was.
const TELLING: &str = "change changed changes changing become became becomes grew grow grown fell fallen falls rose risen rises dropped \
drop replaced replace moved since until instead longer later earlier once now today still ended end began begun started \
first last new anymore fewer more less increased decreased declined decline increase doubled halved lost gained turned \
shifted gave retired stopped introduced abandoned earliest latest eventually gradually again former formerly then \
before after than \
änderte verändert wurde geworden seit früher heute später zuerst zuletzt stieg sank fiel wuchs ersetzt mehr weniger begann endete \
changé devint devenu depuis autrefois aujourd'hui premier dernier augmenté baissé remplacé commença \
cambió desde antes hoy después primero último aumentó bajó reemplazado comenzó";

/// Words and phrases that say outright that something changed.
const STRONG: [&str; 43] = [
    "changed",
    "has become",
    "have become",
    "became",
    "has shrunk",
    "have shrunk",
    "has grown",
    "had grown",
    "has fallen",
    "have fallen",
    "has risen",
    "have risen",
    "has dropped",
    "no longer",
    "any more",
    "more and more",
    "fewer and fewer",
    "replaced",
    "gave way",
    "instead of",
    "used to",
    "moved from",
    "in almost every year",
    "by the middle",
    "had passed",
    "dropped",
    "fell to",
    "rose to",
    "rises to",
    "greatest change",
    "veränderte",
    "nicht mehr",
    "ist geworden",
    "a changé",
    "ne plus",
    "ha cambiado",
    "ya no",
    "変わっ",
    "増え",
    "減っ",
    "廃止",
    "改定",
    "改变",
];

/// Whether a sentence says outright that something changed.
pub(super) fn states_change(text: &str) -> bool {
    let lower = text.to_lowercase();
    STRONG.iter().any(|phrase| lower.contains(phrase))
}

/// Marks of the same in scripts without spaces.
const TELLING_WIDE: [&str; 11] = ["変わ", "変化", "なった", "以来", "から", "増え", "減", "变", "成为", "增", "减"];

/// How much a sentence tells of change, from 0 to 1: words of change, and times set against each other.
pub(super) fn change(text: &str, years: &[u16]) -> f32 {
    use std::sync::LazyLock;
    static WORDS: LazyLock<BTreeSet<&'static str>> = LazyLock::new(|| TELLING.split_whitespace().collect());
    let lower = text.to_lowercase();
    let words = lower.split(|c: char| !c.is_alphanumeric() && c != '\'');
    let mut found: BTreeSet<&str> = words.filter(|word| WORDS.contains(word)).collect();
    found.extend(TELLING_WIDE.iter().filter(|mark| lower.contains(**mark)));
    let pair = lower.find("from ").is_some_and(|at| lower[at..].contains(" to "));
    let strong = STRONG.iter().filter(|phrase| lower.contains(**phrase)).count();
    let times = if years.len() > 1 { 1.0 } else { 0.3 * years.len() as f32 };
    let marks = found.len() as f32 + 1.5 * strong as f32 + if pair { 1.0 } else { 0.0 } + times;
    // A long sentence holds more of everything.
    let length = (lower.split_whitespace().count() as f32 / 22.0).max(1.0);
    (marks / length / 4.0).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::offline::entities::years;

    fn told(text: &str) -> f32 {
        change(text, &years(text))
    }

    #[test]
    fn questions_that_ask_for_a_change() {
        for question in ["How has the harbour changed?", "Wie hat sich der Hafen verändert?", "港はどう変わったか"]
        {
            assert!(asks_for_change(question), "{question}");
        }
        for question in
            ["Who owns the harbour?", "Why was the gasket exchanged?", "Which enterprise paid?", "講演は誰ですか"]
        {
            assert!(!asks_for_change(question), "{question}");
        }
    }

    #[test]
    fn what_only_begins_states_no_change() {
        let check = |text: &str, expected: bool| assert_eq!(states_change(text), expected, "{text}");
        check("The audience has fallen in almost every year.", true);
        check("What the show is quoted for has changed.", true);
        check("在宅勤務規程は廃止する。", true);
        check("Work in earnest began in 2001, when the actors had agreed to take part.", false);
    }

    #[test]
    fn sentences_of_change_tell_more() {
        let change = told("By 2005 the median age had grown from twelve to thirty, and it rose again until 2020.");
        assert!(change > told("The harbour lies to the north of the town, and it is deep."));
        assert!(told("") == 0.0 && change <= 1.0);
    }
}
