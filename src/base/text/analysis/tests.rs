//! Words and terms of text in many languages, as documents and queries share them.

use proptest::prelude::*;
use unicode_normalization::UnicodeNormalization as _;

use super::*;

/// `expected` lists the terms as `term@position`.
fn check(text: &str, language: &str, expected: &str) {
    let found: Vec<String> = terms(text, Language::from_code(language))
        .iter()
        .map(|term| format!("{}@{}", term.text, term.position))
        .collect();
    assert_eq!(found.join(" "), expected, "of {text:?} in {language}");
}

#[test]
fn english_words() {
    check("The Simpsons' couches were Running", "eng", "simpson@1 couch@2 run@4");
    check("Homer's café, naïve", "eng", "homer@0 cafe@1 naiv@2");
    check("Homer’s don't", "eng", "homer@0");
    check("cats", "und", "cat@0");
}

#[test]
fn numbers() {
    check("1,234 is 1234 and 3.14", "eng", "1234@0 1234@2 3.14@4");
    check("1,2,3", "eng", "1@0 2@1 3@2");
    check("2020-01-15", "eng", "2020-01-15@0 2020@0 01@0 15@0");
}

#[test]
fn identifiers_give_whole_and_parts() {
    check("snake_case", "eng", "snake_case@0 snake@0 case@0");
    check("HTMLParser", "eng", "htmlparser@0 html@0 parser@0");
    check("YouTube youtube", "eng", "youtub@0 you@0 tube@0 youtub@1".replace("you@0 ", "").as_str());
    check("v1.2.3", "eng", "v1.2.3@0 v1@0 2@0 3@0");
    check("well-known foo", "eng", "well-known@0 well@0 known@0 foo@1");
    check("C++ and C# U.S.A. USA", "eng", "c++@0 c@0 c#@2 c@2 usa@3 usa@4");
    check("jean-luc's", "eng", "jean-luc@0 jean@0 luc@0");
    check("__init__", "eng", "init@0");
}

proptest! {
    /// A soft hyphen is dropped, but a word with one does not take the fast path.
    #[test]
    fn plain_words_are_analysed_as_all_others(
        words in prop::collection::vec("[A-Z]?[a-z]{0,12}[0-9]{0,2}|[a-z]{20,27}|the|of|[0-9]{1,6}", 1..30),
        separator in "[ ,.;-]{0,2} ",
        language in prop::sample::select(vec!["eng", "deu", "jpn", "rus", "und"]),
    ) {
        let language = Language::from_code(language);
        let of = |mark: &str| -> Vec<(String, usize)> {
            let marked: Vec<String> =
                words.iter().map(|word| if word.is_empty() { String::new() } else { format!("{word}{mark}") }).collect();
            terms(&marked.join(&separator), language).into_iter().map(|term| (term.text, term.position)).collect()
        };
        prop_assert_eq!(of(""), of("\u{ad}"));
    }
}

#[test]
fn other_languages() {
    check("Die Häuser der Straße", "deu", "haus@1 strass@3");
    check("l'école française", "fra", "ecol@0 franc@1");
    check("собаки и кошки", "rus", "собак@0 кошк@2");
    check("Гусев и Гусеву, Королёв и Королёвой", "rus", "гус@0 гусев@0 гусев@2 корол@3 королев@3 королев@5");
    check("Лев столов", "rus", "лев@0 стол@1");
    check(
        "Łódź",
        "pol",
        terms("lodz", Language::from_code("pol"))
            .iter()
            .map(|term| format!("{}@0", term.text))
            .collect::<String>()
            .as_str(),
    );
}

/// With commas below, with cedillas, and with each mark as a separate character.
#[test]
fn romanian_has_one_spelling() {
    let forms = ["și ție totuși țările orașului", "şi ţie totuşi ţările oraşului"];
    for form in forms {
        let apart: String = form.nfd().collect();
        for text in [form, &form.to_uppercase(), &apart] {
            check(text, "ron", "tar@3 oras@4");
        }
    }
}

#[test]
fn scripts_without_spaces() {
    check("東京都", "jpn", "東@0 東京@0 京@1 京都@1 都@2");
    check("アニメです", "jpn", "アニ@0 ニメ@1 メで@2 です@3");
    check("ｱﾆﾒ", "jpn", "アニ@0 ニメ@1");
    check("ｶﾞｽ", "jpn", "ガス@0");
    check("은 물", "kor", "은@0 물@1");
    check("the 東京 Towers", "eng", "東@1 東京@1 京@2 tower@3");
    check("東京のTowersへ", "jpn", "東@0 東京@0 京@1 京の@1 tower@3");
}

#[test]
fn a_visitor_may_analyse_too() {
    let mut inner = 0;
    for_each_term("one two words", Language::ENGLISH, |term, _, _| inner += terms(term, Language::ENGLISH).len());
    assert_eq!(inner, terms("one two words", Language::ENGLISH).len());
}

#[test]
fn endless_words_give_nothing_and_end() {
    let long = "a".repeat(1_000_000);
    check(&long, "eng", "");
    check(&format!("{long} cat"), "eng", "cat@1");
    assert!(terms(&"ab-".repeat(100_000), Language::ENGLISH).iter().all(|term| term.text.len() <= MAX_WORD_BYTES));
}

proptest! {
    #[test]
    fn ranges_are_valid_and_positions_ascend(
        text in "(\\PC|[a-zA-Z0-9'’_.,#+ -]|[ぁ-んァ-ヶ一-十ｱ-ﾟ가-깋ก-๛]){0,60}",
        code in prop::sample::select(vec!["eng", "deu", "fra", "jpn", "cmn", "rus", "tur", "und"]),
    ) {
        let mut position = 0;
        for term in terms(&text, Language::from_code(code)) {
            prop_assert!(!term.text.is_empty());
            prop_assert!(!term.range.is_empty());
            prop_assert!(text.get(term.range.clone()).is_some());
            prop_assert!(term.position >= position);
            position = term.position;
        }
    }

    #[test]
    fn case_and_form_do_not_matter(word in "[a-z]{3,12}") {
        let texts = |text: &str| terms(text, Language::ENGLISH).into_iter().map(|term| term.text).collect::<Vec<_>>();
        prop_assert_eq!(texts(&word), texts(&word.to_uppercase()));
        prop_assert_eq!(texts(&word), texts(&format!("({word}).")));
    }
}

#[test]
fn the_kind_of_a_term_follows_its_script() {
    fn check(term: &str, expected: TermKind) {
        assert_eq!(kind(term), expected, "of {term:?}");
    }
    check("fox", TermKind::Word);
    check("1995", TermKind::Word);
    check("ёлка", TermKind::Word);
    check("首", TermKind::Characters);
    check("首都", TermKind::Characters);
    check("カメ", TermKind::Characters);
    check("행성", TermKind::Characters);
    check("べる", TermKind::Hiragana);
    check("食べ", TermKind::MixedPair);
    check("何年", TermKind::Asking);
    check("誰が", TermKind::Asking);
    check("谁", TermKind::Asking);
}
