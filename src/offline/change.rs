//! Sentences that tell of a change, and questions that ask for one.

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

/// The same for parts that may also stand within a word: in German compounds, and in scripts without spaces.
const ASKING_WITHIN: [&str; 13] =
    ["entwick", "geschicht", "wandel", "変わ", "変化", "発展", "歴史", "推移", "变", "发展", "历史", "演化", "演进"];

/// Whether `question` asks for a change.
pub(super) fn asks_for_change(question: &str) -> bool {
    let lower = question.to_lowercase();
    ASKING.iter().any(|stem| has_stem(&lower, stem)) || ASKING_WITHIN.iter().any(|stem| lower.contains(stem))
}

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

#[cfg(test)]
mod tests {
    use super::*;

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
}
