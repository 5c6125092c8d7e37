//! Sentences that tell of a change, questions that ask for one, and which of a change's two values answers a question.

use super::statements::Statement;
use super::terms::{content_set, has_stem, question_terms};
use crate::base::text::{Language, place_of};
use crate::report::{amends, label_of_change, quoted_pairs, stated_changes};

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

/// Words of questions that ask for the value before a change, and of questions in the past, which may.
const FORMER: [&str; 10] =
    ["previous", "former", "original", "initial", "earlier", "old", "before", "used to", "vorher", "auparavant"];
const WIDE_FORMER: [&str; 11] =
    ["改定前", "改正前", "改訂前", "変更前", "訂正前", "以前", "従来", "旧", "当初", "これまで", "元の"];
const PAST: [&str; 4] = ["was", "were", "did", "had"];
const WIDE_PAST: [&str; 3] = ["でした", "だった", "たか"];

/// Whether a question asks for the value before a change.
pub(super) fn asks_for_former(question: &str) -> bool {
    let lower = question.to_lowercase();
    FORMER.iter().any(|stem| has_stem(&lower, stem)) || WIDE_FORMER.iter().any(|word| lower.contains(word))
}

/// If `answer` is the old value of a change that `text` states, or holds its new value, returns the new one; `None` if
/// the question asks for the old one or names what stands beside it.
pub(super) fn current_value<'t>(text: &'t str, answer: &str, question: &str, language: Language) -> Option<&'t str> {
    if answer.is_empty() || asks_for_former(question) {
        return None;
    }
    let lower = question.to_lowercase();
    let is_past = language == Language::ENGLISH
        && lower.split(|c: char| !c.is_alphanumeric()).any(|word| PAST.contains(&word))
        || WIDE_PAST.iter().any(|word| lower.contains(word));
    let changes = match is_past {
        true if amends(text) => quoted_pairs(text),
        true => Vec::new(),
        false => stated_changes(text),
    };
    let is_asked = |[old, new]: &[&str; 2]| {
        let (asked, held) = (question_terms(question, language), content_set(new, language));
        content_set(old, language).iter().any(|term| asked.contains(term) && !held.contains(term))
    };
    let is_read = |[old, new]: &[&str; 2]| holds(old, answer) || holds(answer, old) || holds(answer, new);
    changes.into_iter().find(is_read).filter(|change| !is_asked(change)).map(|[_, new]| new)
}

/// Whether a text holds a value as words of their own: "180" does not hold "80".
pub(super) fn holds(text: &str, value: &str) -> bool {
    place_of(text, value, |c| c.is_ascii_digit()).is_some()
}

/// Returns the changes that statements below one another state by their labels, as `Old: 10` and `New: 12` do: the
/// places of the old and of the new one.
pub(super) fn labelled_changes(all: &[Statement]) -> Vec<[usize; 2]> {
    let labelled = all.iter().enumerate().filter_map(|(at, one)| Some((at, label_of_change(one.name())?)));
    let labelled: Vec<(usize, (bool, String))> = labelled.collect();
    let pairs = labelled.windows(2).filter(|pair| pair[0].1.0 != pair[1].1.0 && pair[0].1.1 == pair[1].1.1);
    pairs.map(|pair| if pair[1].1.0 { [pair[0].0, pair[1].0] } else { [pair[1].0, pair[0].0] }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::offline::testing::stated;

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
    fn the_new_value_of_a_change_answers() {
        let check = |question: &str, text: &str, answer: &str, expected: Option<&str>| {
            let language = if question.is_ascii() { Language::ENGLISH } else { Language::from_code("jpn") };
            assert_eq!(current_value(text, answer, question, language), expected, "{question}");
        };
        let fee = "The monthly fee is raised from £180 to £205.";
        check("How much is the monthly fee?", fee, "£180", Some("£205"));
        check("How much is the monthly fee?", fee, "monthly", None);
        check("What was the previous monthly fee?", fee, "£180", None);
        let members = "Membership rose from 5,000 in 1990 to 8,000 in 2000.";
        check("How many members were there in 1990?", members, "5,000", None);
        check("How large is the membership of 1990?", members, "5,000", None);
        let night = "東京都及び大阪府 1泊 15,000円（改定前12,000円）";
        check("現在、東京の宿泊費の上限はいくらですか", night, "12,000円", Some("15,000円"));
        check("改定前の東京の宿泊費の上限はいくらですか", night, "12,000円", None);
    }

    #[test]
    fn statements_with_labels_state_a_change() {
        let check =
            |text: &str, expected: &[[usize; 2]]| assert_eq!(labelled_changes(&stated(text)), expected, "{text}");
        check("変更前：11月7日\n変更後：11月14日", &[[0, 1]]);
        check("- New: 14 May\n- Old: 7 May", &[[1, 0]]);
        check("- New York: 14 May\n- Old Town: 7 May", &[]);
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
