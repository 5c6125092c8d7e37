//! Whether a question that follows a report can be searched as it is, or leans on the one before it, like "and in
//! 2019?", "why did they leave?" and "大阪は？".

use std::collections::BTreeSet;

use super::asking::{asks_for_account, opens_as_question};
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

/// Whether a question is complete and says what it is about, by a name or by several words, and no word in it refers
/// back.
pub fn stands_alone(question: &str, language: Language) -> bool {
    if question.contains(is_cjk) {
        return unknown_words(question, &BTreeSet::new(), language).len() >= OWN_WORDS
            && !POINTING_WIDE.iter().any(|word| question.contains(word));
    }
    let lower = question.to_lowercase();
    let is_whole = (opens_as_question(question, language) || asks_for_account(question, language))
        && words_of(&lower).nth(1) != Some("about");
    let names = || !entities(question, language).is_empty();
    is_whole
        && (question_terms(question, language).len() >= OWN_WORDS || names())
        && !words_of(&lower).any(|word| is_listed(POINTING, word))
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
        check("jpn", "良好なパスワードは何文字ですか。", true);
        check("jpn", "本社のタバコを吸える場所は何階にありますか。", true);
        check("jpn", "その本社のタバコを吸える場所は何階にありますか。", false);
        check("jpn", "費用はいくらですか。", false);
        check("jpn", "大阪は？", false);
    }
}
