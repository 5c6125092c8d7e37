//! Whether a question that follows a report can be searched as it is, or leans on the one before it, like "and in
//! 2019?", "why did they leave?" and "大阪は？"; and which words of it the reader is asked.

use std::collections::BTreeSet;

use super::asking::{MARKS, asks_for_account, opens_as_question};
use super::entities::entities;
use super::terms::{question_terms, unknown_words, words_of};
use crate::base::text::{Language, is_cjk, is_listed};

/// At least this many words say what a question is about.
const OWN_WORDS: usize = 3;

/// Words that refer to something said before.
const POINTING: &str = "he him his she her hers it its they them their theirs this that these those there then one ones else \
    er ihn ihm sie ihr ihre es dies diese dieser il elle ils elles cela leur leurs lo ello esto";
const POINTING_WIDE: [&str; 14] =
    ["それ", "これ", "あれ", "その", "この", "あの", "そこ", "ここ", "彼", "同", "它", "他们", "这", "该"];

/// How complete Japanese questions and requests end, and the words that ask in Chinese.
const COMPLETE_WIDE: [&str; 3] = ["か", "ください", "下さい"];
const ASKING_CHINESE: [&str; 8] = ["谁", "什么", "哪", "几", "多少", "多久", "怎", "吗"];

/// Words that join a question to the one before it.
const JOINING: &str = "and or but then so for und oder aber dann et ou mais alors y o pero entonces e ma ed per en of maar dan \
    a ale i lub и а но или ve veya peki și sau dar";

/// Whether a question says what it is about, by a name or by several words, and no word in it refers back.
pub fn stands_alone(question: &str, language: Language) -> bool {
    if question.contains(is_cjk) {
        return unknown_words(question, &BTreeSet::new(), language).len() >= OWN_WORDS && !points_back(question);
    }
    let asks = || opens_as_question(question, language) || asks_for_account(question, language);
    let names = || asks() && !entities(question, language).is_empty();
    (question_terms(question, language).len() >= OWN_WORDS || names()) && !points_back(question)
}

/// Whether a word of a question refers to what was said before, or joins the question to it.
fn points_back(question: &str) -> bool {
    let lower = question.to_lowercase();
    let joins = || words_of(&lower).next().is_some_and(|first| is_listed(JOINING, first));
    POINTING_WIDE.iter().any(|word| question.contains(word))
        || words_of(&lower).any(|word| is_listed(POINTING, word))
        || words_of(&lower).nth(1) == Some("about")
        || joins()
}

/// The part of a question that the reader is asked. A question that leans on an `earlier` one is searched with that one
/// in brackets; if it is complete by itself, the reader sees only its own words, so that it does not answer the earlier
/// one.
pub(super) fn own_words<'q>(question: &'q str, earlier: &str, language: Language) -> &'q str {
    let own = question.strip_suffix(')').and_then(|rest| rest.strip_suffix(earlier)?.strip_suffix(" ("));
    own.filter(|own| !earlier.is_empty() && is_complete(own, language) && !points_back(own)).unwrap_or(question)
}

/// Whether a question asks for something: "費用はいくらですか" does, "大阪は？" does not.
fn is_complete(question: &str, language: Language) -> bool {
    let ends = |end: &&str| question.trim_end_matches(MARKS).ends_with(end);
    match question.contains(is_cjk) {
        true => COMPLETE_WIDE.iter().any(ends) || ASKING_CHINESE.iter().any(|word| question.contains(word)),
        false => opens_as_question(question, language) || asks_for_account(question, language),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_stands_alone_where_it_says_what_it_is_about() {
        let check = |code: &str, question: &str, expected: bool| {
            assert_eq!(stands_alone(question, Language::from_code(code)), expected, "{question}");
        };
        check("eng", "Where did Matt Groening grow up as a child?", true);
        check("eng", "Who is the voice of Apu?", true);
        check("eng", "Which options should init scripts support?", true);
        check("eng", "Who paid for the repairs?", false);
        check("eng", "What should its Maintainer field be set to?", false);
        check("eng", "and in 2019?", false);
        check("eng", "And for ordinary user accounts?", false);
        check("eng", "What about the night shift at the Osaka plant?", false);
        check("eng", "why?", false);
        check("deu", "Wann wurde die Brücke über die Elbe gesperrt?", true);
        check("deu", "und im Mai?", false);
        check("eng", "From when can customers order the successor?", true);
        check("eng", "out-of-hours repairs telephone number", true);
        check("jpn", "良好なパスワードは何文字ですか。", true);
        check("jpn", "本社のタバコを吸える場所は何階にありますか。", true);
        check("jpn", "その本社のタバコを吸える場所は何階にありますか。", false);
        check("jpn", "費用はいくらですか。", false);
        check("jpn", "大阪は？", false);
    }

    #[test]
    fn the_reader_is_asked_a_complete_question_by_itself() {
        let check = |code: &str, own: &str, earlier: &str, is_own: bool| {
            let asked = format!("{own} ({earlier})");
            let expected = if is_own { own } else { &asked };
            assert_eq!(own_words(&asked, earlier, Language::from_code(code)), expected, "{own}");
        };
        check("eng", "Who paid for the repairs?", "When did the storm hit the pier", true);
        check("eng", "Why did they leave?", "Who wrote the first season", false);
        check("eng", "and in 2019?", "How many people watched it in 2005", false);
        check("jpn", "副業はできますか", "現在の定年は何歳ですか", true);
        check("jpn", "それはいつ始まりましたか", "現在の定年は何歳ですか", false);
        check("jpn", "大阪は？", "東京の宿泊費の上限はいくらですか", false);
        check("cmn", "费用是多少", "体检在哪里", true);
        let language = Language::ENGLISH;
        assert_eq!(own_words("What is the limit (per day)?", "", language), "What is the limit (per day)?");
    }
}
