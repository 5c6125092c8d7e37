//! Tests the tokenizer against the one that the models were trained with, on texts short enough to check by eye.

use super::super::TOKENIZER as JSON;
use super::*;

fn ids(tokenizer: &Tokenizer, text: &str) -> Vec<i32> {
    tokenizer.encode(text, Language::UNKNOWN).unwrap().into_iter().map(|(id, _)| id).collect()
}

/// The expected ids are those of the tokenizer that the model was trained with.
fn check(text: &str, expected: &[i32]) {
    let tokenizer = Tokenizer::from_json(JSON).unwrap();
    assert_eq!(ids(&tokenizer, text), expected, "{text:?}");
}

#[test]
fn empty_text_has_only_its_borders() {
    check("", &[101, 102]);
    check("  ", &[101, 102]);
}

#[test]
fn words_split_at_punctuation_and_into_pieces() {
    check("How has The Simpsons changed over time?", &[101, 2129, 2038, 1996, 19047, 2904, 2058, 2051, 1029, 102]);
    check(
        "unaffable re-tokenization, isn't it?",
        &[101, 14477, 20961, 3468, 2128, 1011, 19204, 3989, 1010, 3475, 1005, 1056, 2009, 1029, 102],
    );
    check(
        "$3.50 – 50% «quoted» “smart”…",
        &[101, 1002, 1017, 1012, 2753, 1516, 2753, 1003, 1077, 9339, 1090, 1523, 6047, 1524, 1529, 102],
    );
    check("foo_bar+baz=qux", &[101, 29379, 1035, 3347, 1009, 8670, 2480, 1027, 24209, 2595, 102]);
}

#[test]
fn case_and_accents_fold() {
    check("Café naïve résumé Ångström", &[101, 7668, 15743, 13746, 17076, 15687, 102]);
    check(
        "Ωμέγα ΣΊΣΥΦΟΣ",
        &[101, 1179, 29728, 29723, 29721, 14608, 1173, 18199, 29733, 29735, 29736, 29730, 29733, 102],
    );
    check("İstanbul DİYARBAKIR", &[101, 9960, 4487, 13380, 3676, 23630, 102]);
    check("word\u{301}accent", &[101, 2773, 6305, 13013, 102]);
}

#[test]
fn runs_of_kana_and_ideographs_are_cut_into_their_likeliest_pieces() {
    check("日本の首都は東京です。", &[101, 30574, 1671, 32409, 1672, 30890, 30542, 1636, 102]);
    check("ソフトウェア", &[101, 45036, 102]);
    check("コンピュータのメモリ管理", &[101, 35401, 1671, 32879, 31207, 102]);
    check("这个月的天气很好", &[101, 31006, 1872, 1916, 35662, 34418, 102]);
    check("㐀㐁", &[101, 100, 100, 102]);
}

#[test]
fn other_scripts_are_words() {
    check("第1章 Rust 2024", &[101, 30672, 1015, 1932, 18399, 16798, 2549, 102]);
    check(
        "한국어 문장",
        &[101, 1469, 30006, 30021, 29991, 30014, 30020, 29999, 30008, 1459, 30014, 30021, 30000, 30006, 30025, 102],
    );
    check("नमस्ते दुनिया", &[101, 1327, 29867, 29874, 29859, 1325, 29863, 29877, 29868, 29876, 102]);
}

#[test]
fn full_width_letters_are_those_of_everywhere_else() {
    check("８世紀の首都はＴＯＫＹＯ？", &[101, 1022, 30764, 1671, 32409, 1672, 5522, 1029, 102]);
    check("a\u{3000}b", &[101, 1037, 1038, 102]);
}

#[test]
fn space_is_space_and_what_does_not_print_is_dropped() {
    check("tab\there\nnew\u{a0}line", &[101, 21628, 2182, 2047, 2240, 102]);
    check("zero\u{200b}width soft\u{ad}hyphen\u{feff}", &[101, 5717, 9148, 11927, 2232, 3730, 10536, 8458, 2368, 102]);
    check("\u{0}nul�repl", &[101, 16371, 20974, 13699, 2140, 102]);
}

#[test]
fn a_word_with_an_unknown_part_is_unknown_as_a_whole() {
    check(
        "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
        &[101, 100, 102],
    );
    check("naive☃word 🙂 emoji", &[101, 100, 100, 7861, 29147, 2072, 102]);
    check("a🙂b", &[101, 100, 102]);
}

#[test]
fn compatibility_characters_stay() {
    check("E=mc² ½ ﬁ", &[101, 1041, 1027, 11338, 10701, 1092, 1984, 102]);
}

#[test]
fn a_document_cannot_write_special_tokens() {
    let tokenizer = Tokenizer::from_json(JSON).unwrap();
    let ids = ids(&tokenizer, "[CLS] [SEP] [MASK] [PAD]");
    assert_eq!(ids.iter().filter(|&&id| id <= 103).count(), 2, "only the borders: {ids:?}");
}

#[test]
fn a_long_text_ends_with_its_border() {
    let tokenizer = Tokenizer::from_json(JSON).unwrap();
    let ids = ids(&tokenizer, &"unaffable ".repeat(10_000));
    assert_eq!((ids.len(), ids.first(), ids.last()), (MAX_TOKENS, Some(&101), Some(&102)));
}

#[test]
fn a_broken_vocabulary_is_named() {
    let error = |json: &str| Tokenizer::from_json(json.as_bytes()).err().map(|error| error.to_string()).unwrap();
    assert!(error("{").starts_with("the vocabulary is broken"));
    assert_eq!(error(r#"{"model":{"vocab":{"a":0}}}"#), "the vocabulary lacks [CLS]");
    assert!(error(r#"{"model":{"vocab":{"[CLS]":0,"[SEP]":1,"[UNK]":9}}}"#).contains("consecutive"));
    assert!(error(r#"{"model":{"vocab":{"[CLS]":0,"[SEP]":1,"[UNK]":2}},"runs":[["a"]]}"#).contains("broken"));
}

/// Checks which words of `text` the tokens between the borders stand for; the pieces of a word share its range.
fn check_ranges(text: &str, expected: &[&str]) {
    let tokens = Tokenizer::from_json(JSON).unwrap().encode(text, Language::UNKNOWN).unwrap();
    let mut ranges: Vec<Range<usize>> = tokens[1..tokens.len() - 1].iter().map(|(_, range)| range.clone()).collect();
    ranges.dedup();
    let words: Vec<&str> = ranges.into_iter().map(|range| &text[range]).collect();
    assert_eq!(words, expected, "{text:?}");
}

#[test]
fn tokens_know_their_bytes() {
    check_ranges("", &[]);
    check_ranges("In 1066, Normandy.", &["In", "1066", ",", "Normandy", "."]);
    check_ranges("the unaffable", &["the", "unaffable"]);
    check_ranges("  Café\u{200b}s\n— Ångström", &["Café\u{200b}s", "—", "Ångström"]);
    check_ranges("首都は東京", &["首都", "は", "東京"]);
    check_ranges("In ８世紀、TOKYO", &["In", "８", "世紀", "、", "TOKYO"]);
    check_ranges("the the the", &["the", "the", "the"]);
}

#[test]
fn tokens_have_no_borders_and_a_limit() {
    let tokenizer = Tokenizer::from_json(JSON).unwrap();
    let check = |text: &str, limit: usize, expected: &[&str]| {
        let tokens = tokenizer.tokens(text, Language::UNKNOWN, limit).unwrap();
        let words: Vec<&str> = tokens.into_iter().map(|(_, range)| &text[range]).collect();
        assert_eq!(words, expected, "{text:?}");
    };
    check("the capital 首都は東京", 9, &["the", "capital", "首都", "は", "東京"]);
    check("the capital 首都は東京", 4, &["the", "capital", "首都", "は"]);
    check("the capital 首都は東京", 1, &["the"]);
    check("the capital", 0, &[]);
}

#[test]
fn the_tokens_of_a_gloss_stand_for_the_word() {
    let tokenizer = Tokenizer::from_json(crate::bundled::TOKENIZER).unwrap();
    let german = Language::from_code("deu");
    let text = "Die Fristen, Zorglub!";
    let tokens = tokenizer.tokens(text, german, usize::MAX).unwrap();
    let found: Vec<(&str, &str)> =
        tokens.iter().map(|(id, range)| (tokenizer.piece(*id), &text[range.clone()])).collect();
    assert_eq!(found[..4], [("the", "Die"), ("deadline", "Fristen"), ("##s", "Fristen"), (",", ",")]);
    assert_eq!(found[4].1, "Zorglub");
    // A limit gives a prefix of the tokens.
    assert_eq!(tokenizer.tokens(text, german, 2).unwrap(), tokens[..2]);
}
