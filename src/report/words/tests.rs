//! Tests that the words of every language are complete and are put together as that language does.

use super::*;

#[test]
fn a_warning_is_in_the_language_of_the_report() {
    let check = |language: &str, kind, source: &str, expected: &str| {
        let problem = Problem { kind, words: "39 %".to_owned(), source: source.to_owned() };
        assert_eq!(words(Language::from_code(language)).problem(&problem, "It grew."), expected);
    };
    check("eng", Kind::Figure, "", "“39 %” (figure) does not stand in what is cited: “It grew.”");
    check(
        "eng",
        Kind::Derived,
        "9 / 23 × 100 = 39.1 %",
        "“39 %” (calculation) does not stand in what is cited – 9 / 23 × 100 = 39.1 %: “It grew.”",
    );
    check("jpn", Kind::Name, "40 %", "「39 %」 (名前) 引用元に見当たりません – 「40 %」：「It grew.」");
    check("deu", Kind::Quotation, "", "„39 %“ (wörtliches Zitat) steht nicht in der zitierten Stelle: „It grew.“");
}

#[test]
fn nouns_agree_with_their_numbers() {
    let check = |language: &str, number, expected: &str| {
        let words = words(Language::from_code(language));
        assert_eq!(words.counted(&words.calls, number), expected);
    };
    check("eng", 0, "0 model calls");
    check("eng", 1, "1 model call");
    check("eng", 1200, "1,200 model calls");
    check("deu", 1, "1 Modellaufruf");
    check("deu", 1200, "1.200 Modellaufrufe");
    check("cmn", 1, "1次模型调用");
    check("fra", 0, "0 appel au modèle");
    check("spa", 0, "0 llamadas al modelo");
    check("pol", 1, "1 wywołanie modelu");
    check("pol", 22, "22 wywołania modelu");
    check("pol", 12, "12 wywołań modelu");
    check("pol", 21, "21 wywołań modelu");
    check("rus", 21, "21 вызов модели");
    check("rus", 11, "11 вызовов модели");
    check("rus", 104, "104 вызова модели");
    check("ron", 19, "19 apeluri ale modelului");
    check("ron", 20, "20 de apeluri ale modelului");
    check("ron", 101, "101 apeluri ale modelului");
    check("ara", 5, "5 استدعاءات للنموذج");
    check("ara", 100, "100 استدعاء للنموذج");
    check("por", 0, "0 chamadas ao modelo");
    check("kor", 1200, "모델 호출 1,200회");
}

#[test]
fn what_became_of_documents_agrees_with_their_number_and_heads_them() {
    let check = |language: &str, number, expected: &str, heading: &str| {
        let words = words(Language::from_code(language));
        let cited = &words.standings.cited;
        assert_eq!((words.counted(cited, number).as_str(), words.heading(cited, number)), (expected, heading));
    };
    check("eng", 1, "1 cited", "cited");
    check("fra", 1, "1 cité", "cité");
    check("fra", 2, "2 cités", "cités");
    check("rus", 1, "1 процитирован", "процитирован");
    check("rus", 3, "3 процитированы", "процитированы");
    check("rus", 5, "5 процитировано", "процитированы");
    check("por", 0, "0 citados", "citados");
    check("kor", 2, "2건 인용", "인용함");
    check("cmn", 1, "1篇已引用", "已引用");
    check("jpn", 1, "1件を引用", "引用");
    check("jpn", 3, "3件を引用", "引用");
}

#[test]
fn a_number_stands_where_its_language_sets_it() {
    let check = |language: &str, number, expected: &str| {
        let words = words(Language::from_code(language));
        assert_eq!(words.counted(&words.more, number), expected, "{language}");
    };
    check("eng", 24, "24 more");
    check("rus", 24, "ещё 24");
    check("ukr", 24, "ще 24");
    check("nld", 24, "nog 24");
    check("por", 1200, "mais 1.200");
    check("fra", 1, "1 autre");
    check("fra", 24, "24 autres");
    check("ita", 1, "1 altro");
    check("ita", 24, "altri 24");
    check("jpn", 24, "ほか24件");
}

#[test]
fn a_quote_is_found_in_the_marks_of_any_language() {
    let check = |language: &str, quote: &str, expected: &str| {
        let entry = format!("p. 2, § A: B: {}", words(Language::from_code(language)).quoted(quote));
        assert_eq!(entry, format!("p. 2, § A: B: {expected}"));
        let (at, found) = quote_in(&entry).expect("a quote");
        assert_eq!((&entry[..at], &entry[found]), ("p. 2, § A: B: ", quote));
    };
    check("eng", "It “began” in: “1989”.", "“It “began” in: “1989”.”");
    check("deu", "Er rief: „Halt!“, “nun”", "„Er rief: „Halt!“, “nun”“");
    check("pol", "Mówi: “tak”.", "„Mówi: “tak”.”");
    check("fra", "Il dit : « oui ».", "«\u{202f}Il dit : « oui ».\u{202f}»");
    check("spa", "Dice: «sí»", "«Dice: «sí»»");
    check("jpn", "「はい」と", "「「はい」と」");
    assert_eq!(quote_in("p. 2：“引用”").map(|(_, found)| found), Some(10..16));
    assert_eq!(quote_in("p. 2, no quote"), None);
}

#[test]
fn a_colon_is_that_of_the_label_or_of_the_language() {
    let check = |language: &str, label: &str, expected: &str| {
        assert_eq!(words(Language::from_code(language)).colon_behind(label), expected, "{language} {label}");
    };
    check("fra", "Rythmes", " : ");
    check("deu", "Zeiten", ": ");
    check("jpn", "時間", "：");
    check("jpn", "API", ": ");
}

#[test]
fn seconds_have_the_unit_of_their_language() {
    let check = |language: &str, expected: &str| {
        assert_eq!(words(Language::from_code(language)).seconds(1.5), expected);
    };
    check("eng", "1.5 s");
    check("rus", "1,5 с");
    check("cmn", "1.5秒");
    check("kor", "1.5초");
}

#[test]
fn every_language_has_every_word_and_keeps_its_places() {
    for (code, _) in FILES {
        let words = words(Language::from_code(code));
        assert!(words.incomplete.contains("{reason}") && words.same_origin.contains("{number}"), "{code}");
        for told in [words.form.one_source_count, words.form.passages, words.form.documents] {
            assert!(told.contains("{n}") && told.contains("{m}"), "{code}: {told}");
        }
        assert!(words.form.intact.contains("{n}") && words.form.all_one_source.contains("{n}"), "{code}");
        for phrase in [words.not_found, words.searched_for, words.disagreement_intro, words.quotes_only] {
            assert!(!phrase.chars().any(char::is_numeric), "{code}: {phrase}");
        }
    }
}

#[test]
fn what_introduces_a_statement_is_known() {
    let check = |text: &str, expected: &str| assert_eq!(without_introduction(text).trim(), expected);
    check("Probably: it rains.", "it rains.");
    check("- 変更前：雨。", "雨。");
    check("- Было: дождь.", "дождь.");
    check("- Прежде: дождь.", "дождь.");
    check("Weather: rain.", "Weather: rain.");
}

#[test]
fn other_languages_fall_back_to_english() {
    assert_eq!(words(Language::from_code("swe")).further, "Other passages");
    assert_eq!(words(Language::UNKNOWN).further, "Other passages");
}
