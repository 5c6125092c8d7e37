//! Questions for one thing, answered from made-up passages by the bundled models.

use super::*;
use crate::domain::{Outline, SubQuery};
use crate::llm::purpose::{EarlierQuestion, EvidenceCard};
use crate::offline::testing::{card, write_input};
use crate::report::words;

mod values;

/// A passage that the search for the question found; the lower its number, the higher its score.
fn found(number: usize, title: &str, text: &str) -> EvidenceCard {
    EvidenceCard { found_by: vec![0], standings: vec![1.0 - number as f32 / 20.0], ..card(number, title, "", text) }
}

/// A passage found in a document of its own, with its day.
fn dated(number: usize, title: &str, date: &str, text: &str) -> EvidenceCard {
    EvidenceCard { date: date.to_owned(), path: format!("{number}.md"), ..found(number, title, text) }
}

fn report_in(language: Language, question: &str, evidence: Vec<EvidenceCard>) -> String {
    let input = WriteInput {
        question: question.to_owned(),
        language: language.english_name().to_owned(),
        asked: vec![SubQuery { text: question.to_owned(), collections: vec![] }],
        evidence,
        plan: None,
        incomplete: None,
        words: None,
        outline: Outline::default(),
        earlier: Default::default(),
        today: "2026-01-01".to_owned(),
    };
    answer(&input, language, words(language)).concat()
}

fn report(question: &str, evidence: Vec<EvidenceCard>) -> String {
    report_in(Language::ENGLISH, question, evidence)
}

#[test]
fn the_first_sentence_says_it() {
    let report = report(
        "When did The Simpsons Movie open?",
        vec![
            found(1, "Money", "The film grossed 536 million dollars. It was shown in 71 countries."),
            found(2, "The film", "Work began in 2001. The Simpsons Movie opened on July 27, 2007. It cost much."),
        ],
    );
    assert!(report.starts_with("The Simpsons Movie opened on **July 27, 2007** [2]."), "{report}");
}

#[test]
fn the_passage_that_the_search_puts_clearly_first_answers() {
    let check = |behind: [f32; 2], expected: &str| {
        let texts = ["The Orme lighthouse was built by Ann Reed.", "The Orme lighthouse was built by Tom Hall."];
        let of =
            |at: usize| EvidenceCard { behind: vec![behind[at]], ..found(at + 1, ["Guide", "Notes"][at], texts[at]) };
        let report = report("Who built the Orme lighthouse?", vec![of(0), of(1)]);
        let first = report.lines().next().unwrap_or_default();
        assert!(first.starts_with(expected), "{report}");
    };
    check([0.0, 6.0], "The Orme lighthouse was built by **Ann Reed** [1].");
    check([6.0, 0.0], "The Orme lighthouse was built by **Tom Hall** [2].");
}

#[test]
fn what_was_answered_before_is_not_answered_again() {
    let asked = |earlier: EarlierQuestion| {
        let evidence = vec![
            found(1, "The film", "The Simpsons Movie opened on July 27, 2007."),
            found(2, "Money", "The film had a budget of 75 million US dollars."),
        ];
        let question = "What was its budget (When did The Simpsons Movie open)?";
        let input = WriteInput { earlier, ..write_input(question, evidence) };
        answer(&input, Language::ENGLISH, words(Language::ENGLISH)).concat()
    };
    let question = "When did The Simpsons Movie open".to_owned();
    let report = asked(EarlierQuestion { question, answer: "July 27, 2007".to_owned() });
    assert!(report.starts_with("The film had a budget of **75 million"), "{report}");
}

#[test]
fn two_passages_answer_together() {
    let check = |question: &str, search: &str, second: (&str, &str), expected: &str| {
        let first = "The Salt Journal is a quarterly of some standing. It is published by the Harbour Society of Lund.";
        let second = EvidenceCard { found_by: vec![1], standings: vec![1.0], ..card(2, second.0, "", second.1) };
        let asked = |text: &str| SubQuery { text: text.to_owned(), collections: vec![] };
        let evidence = vec![found(1, "The Salt Journal", first), second];
        let input = WriteInput { asked: vec![asked(question), asked(search)], ..write_input(question, evidence) };
        let report = answer(&input, Language::ENGLISH, words(Language::ENGLISH)).concat();
        assert!(report.starts_with(expected), "{report}");
    };
    let question = "Who was the first president of the society which published the Salt Journal?";
    let (search, by) =
        ("Harbour Society of Lund: first president", "It is published by the Harbour Society of Lund [1].");
    let running = "The Harbour Society of Lund was founded in 1921. Its first president was Ada Holm, a pilot.";
    check(
        question,
        search,
        ("Societies", running),
        &format!("{by} Its first president was **Ada Holm**, a pilot [2]."),
    );
    let table =
        "| Society | First president |\n|---|---|\n| Harbour Society of Lund | Ada Holm |\n| Mill Guild | Bo Ek |\n";
    let row = "Society: Harbour Society of Lund; First president: **Ada Holm** [2].";
    check(question, search, ("Presidents", table), &format!("{by} {row}"));
    // If one passage answers, no other is needed.
    let question = "Who publishes the Salt Journal?";
    check(question, search, ("Societies", running), "It is published by the **Harbour Society of Lund** [1].");
}

#[test]
fn a_sentence_with_more_of_the_questions_words_displaces_no_answer() {
    let text = "The Harlow town choir rehearses songs of the choir in the town hall of Harlow. Ruth Vale conducts the singers on Mondays.";
    let report = report("Who conducts the songs of the Harlow town choir?", vec![found(1, "Choir", text)]);
    assert!(report.starts_with("**Ruth Vale** conducts the singers on Mondays [1]."), "{report}");
}

#[test]
fn what_supports_an_answer_is_on_the_same() {
    let evidence = vec![
        found(1, "The film", "Work began in 2001. The Simpsons Movie opened on July 27, 2007. It cost much."),
        found(
            2,
            "Money",
            "item: Budget of The Simpsons Movie; period: 2007; amount: 75\nitem: Gross; period: 1999; amount: 1",
        ),
    ];
    let report = report("When did The Simpsons Movie open?", evidence);
    assert!(!report.lines().next().unwrap_or_default().contains("Budget"), "{report}");
}

#[test]
fn another_answer_is_on_the_same_thing() {
    let japanese = Language::from_code("jpn");
    let check = |language: Language, question: &str, texts: [&str; 2], is_told: bool| {
        let titled = texts.iter().enumerate().map(|(at, text)| found(at + 1, ["Guide", "Notes"][at], text));
        let report = report_in(language, question, titled.collect());
        let told = report.split_once("## ").is_some_and(|(_, rest)| rest.starts_with(words(language).different));
        assert_eq!(told, is_told, "{report}");
    };
    let asked = "湊城の堀の深さは何メートルですか。";
    // "さは" and "さ6" are not words of their own.
    check(japanese, asked, ["湊城の堀の深さは4メートルです。", "湊城の堀は深さ6メートルで、水をたたえる。"], true);
    check(japanese, asked, ["湊城の堀の深さは4メートルです。", "笠松城の堀の深さは6メートルです。"], false);
    let asked = "How much did visitors pay at the Orme lighthouse in 1998?";
    let answer = "Visitors to the Orme lighthouse paid 3 dollars in 1998.";
    check(Language::ENGLISH, asked, [answer, "In 1998 the Orme lighthouse took 5 dollars from visitors."], true);
    check(Language::ENGLISH, asked, [answer, "Visitors to the Orme lighthouse paid 5 dollars in 2004."], false);
}

#[test]
fn values_rows_items_and_commands_answer_too() {
    let check = |question: &str, text: &str, expected: &str| {
        let report = report(question, vec![found(1, "Handbook", text)]);
        let first = report.lines().next().unwrap_or_default().replace("**", "");
        assert!(first.contains(expected), "{question}\n{report}");
    };
    check(
        "Who runs the help desk?",
        "Contacts:\n\n- Help desk: Maria Lopez, extension 3310\n- Fire: 112",
        "Maria Lopez",
    );
    check(
        "How much does the Pro plan cost?",
        "| Plan | Price |\n|---|---|\n| Basic | 5 dollars |\n| Pro | 12 dollars |",
        "Plan: Pro; Price: 12 dollars",
    );
    check(
        "How do I undo a commit but keep the changes?",
        "To delete a branch:\n\n```\ngit branch -d topic\n```\n\nTo undo a commit but keep the changes:\n\n```\ngit reset --soft HEAD~1\n```\n",
        "`git reset --soft HEAD~1`",
    );
}

#[test]
fn what_no_passage_answers_is_not_found() {
    let evidence =
        vec![found(1, "Salt", "Salt came down the river in flat boats."), found(2, "Wool", "Wool was dear.")];
    let report = report("What is the capital of Mongolia?", evidence);
    assert!(report.starts_with("Not found in these documents.\n\nSearched these documents for: "), "{report}");
    // A passage that shares no word with the question is not near to it.
    assert!(!report.contains("## Nearest passage\n"), "{report}");
}

#[test]
fn what_comes_near_to_an_unanswered_question_is_shown() {
    let evidence = vec![found(1, "Mongolia", "Yurts are round."), found(2, "Wool", "Wool was dear.")];
    let report = report("What is the capital of Mongolia?", evidence);
    assert!(report.contains("## Nearest passage\n\n- *Mongolia*: Yurts are round [1]."), "{report}");
}

#[test]
fn the_newer_version_of_a_document_leads() {
    let dated = |number: usize, date: &str, text: &str| EvidenceCard {
        date: date.to_owned(),
        path: format!("policy-{date}.md"),
        ..found(number, "Policy on USB sticks", text)
    };
    let report = report(
        "How many days may a visitor keep a USB stick?",
        vec![
            dated(1, "2021-03-01", "A visitor may keep a USB stick for 30 days."),
            dated(2, "2025-03-01", "A visitor may keep a USB stick for 7 days."),
        ],
    );
    assert!(report.lines().next().unwrap_or_default().contains("[2]"), "{report}");
}

#[test]
fn an_amendment_takes_the_place_of_the_article_that_it_names() {
    let japanese = Language::from_code("jpn");
    let dated = |number: usize, title: &str, date: &str, text: &str| EvidenceCard {
        date: date.to_owned(),
        ..found(number, title, text)
    };
    let report = report_in(
        japanese,
        "当社の定年は何歳ですか。",
        vec![
            dated(1, "就業規則", "1987-04-01", "第48条　社員の定年は満60歳とし、その月の末日をもって退職とする。"),
            dated(
                2,
                "就業規則の一部を改正する規則",
                "2024-12-18",
                "# 就業規則の一部を改正する規則\n\n2024年12月18日\n\n就業規則第48条中「満60歳」を「満65歳」に改める。",
            ),
        ],
    );
    assert!(report.lines().next().unwrap_or_default().contains("満65歳"), "{report}");
}

#[test]
fn amendments_follow_each_other_by_the_articles_that_they_name() {
    let agreement = "## 5. Charges\n\n5.4 The surcharge for a Theatre order is £46.00 per order.\n\n\
                     ## 10. Liability\n\n10.1 The Provider's liability is £750,000 a year.";
    let first = "## 2. Amendments\n\n2.2 Clause 5.4 is replaced with: \"The surcharge for a Theatre order is £39.50.\"";
    let second =
        "## 2. Amendments\n\n2.2 Clause 10.1 is replaced with: \"The Provider's liability is £1.2 million a year.\"";
    let evidence = || {
        vec![
            dated(1, "Services Agreement", "2021-05-03", agreement),
            dated(2, "First Amendment to the Services Agreement", "2023-03-14", first),
            dated(3, "Second Amendment to the Services Agreement", "2024-12-09", second),
        ]
    };
    let surcharge = report("What is the surcharge for a Theatre order?", evidence());
    assert!(surcharge.contains("**£39.50**\" [2]. Before: 5.4 The surcharge"), "{surcharge}");
    assert!(!surcharge.contains("million"), "{surcharge}");
    let liability = report("How much is the Provider's liability a year?", evidence());
    assert!(liability.starts_with("2.2 Clause 10.1") && liability.contains("£1.2 million"), "{liability}");
}

#[test]
fn a_notice_amends_the_articles_of_its_headings() {
    let report = report_in(
        Language::from_code("jpn"),
        "在宅勤務は週に何日までできますか",
        vec![
            dated(
                1,
                "株式会社汐見 就業規則",
                "2023-04-01",
                "### 第18条（在宅勤務）\n1. 在宅勤務は、週2日を限度として認める。",
            ),
            dated(
                2,
                "就業規則の一部改定について（通知）",
                "2025-03-14",
                "### （１）第１２条（慶弔休暇）\n　　「２日」を「５日」に改める。\n\n### （２）第１８条（在宅勤務）\n　　第１項「週２日を限度」を「週３日を限度」に改める。",
            ),
        ],
    );
    let expected =
        "第１項「週２日を限度」を「**週３日を限度**」に改める[2]。変更前：在宅勤務は、週2日を限度として認める[1]。";
    assert!(report.starts_with(expected), "{report}");
}

#[test]
fn a_line_that_states_the_change_goes_before_the_sentence_that_announces_it() {
    let rules =
        "### 第18条（在宅勤務）\n1 従業員は、所属長の許可を得て、週３日を限度として在宅勤務をすることができる。";
    let notice = "就業規則第18条第1項の改定により、2025年4月1日から下記のとおり変更しますので通知します。\n\n\
        １．在宅勤務の上限　（現行）週３日　→　（変更後）週２日\n２．勤務手当　（現行）月額3,000円　→　（変更後）月額4,000円";
    let report = report_in(
        Language::from_code("jpn"),
        "在宅勤務は週何日までできますか",
        vec![
            dated(1, "就業規則", "2024-04-01", rules),
            dated(2, "在宅勤務の取扱いの変更について（通知）", "2025-01-15", notice),
        ],
    );
    assert!(report.contains("**週２日**") && report.contains("変更前："), "{report}");
}

#[test]
fn a_list_of_changes_below_the_rules_gives_them_other_words() {
    let check = |question: &str, text: &str, expected: &str| {
        let report = report(question, vec![found(1, "Rules of the workshop", text)]);
        assert!(report.lines().next().unwrap_or_default().starts_with(expected), "{report}");
    };
    let rules =
        "## 4. Night work\n\nThe kiln is switched off at 22:00.\n\n## 5. Keys\n\nThe warden keeps the keys.\n\n";
    let switched = |change: &str| format!("{rules}## Changes\n\n- {change}");
    let question = "When is the kiln switched off?";
    let change = switched("3 March 2025: in section 4 “22:00” becomes “21:00”.");
    check(question, &change, "3 March 2025: in section 4 “22:00” becomes “**21:00**” [1]. Before: ");
    let change = switched("Section 4 is amended: the kiln is switched off at 20:30.");
    check(question, &change, "Section 4 is amended: the kiln is switched off ");
    let change = switched("In section 5 “22:00” becomes “21:00”.");
    check(question, &change, "The kiln is switched off **at 22:00** [1].");
}

#[test]
fn an_amendment_of_other_articles_does_not_take_the_place_of_one() {
    let rules = "（1） 本人の結婚 5日\n（2） 子の看護 3日\n（4） 配偶者の出産 2日";
    let change = "第１３条の「１週につき２日」を「１週につき３日」に改める。";
    let check = |changes: &str, expected: &str| {
        let evidence = vec![
            dated(1, "就業規則", "2026-04-01", rules),
            dated(2, "就業規則の一部改正について（通知）", "2026-09-11", changes),
        ];
        let report = report_in(Language::from_code("jpn"), "配偶者の出産のときは何日休めますか", evidence);
        assert!(report.starts_with(expected), "{report}");
    };
    check(change, "配偶者の出産 **2日**");
    check(
        &format!("{change}\n\n第２１条第４号の「２日」を「５日」に改める。"),
        "第２１条第４号の「２日」を「**５日**」に改める",
    );
}

#[test]
fn a_document_that_repeals_another_is_told_with_what_holds_now() {
    let dated = |number: usize, title: &str, date: &str, text: &str| EvidenceCard {
        date: date.to_owned(),
        ..found(number, title, text)
    };
    let handbook = "## Section 7 Sickness\n\nA doctor's note is needed from the fourth day of sickness.\n\n\
                    ## Section 8 Leave\n\nEverybody has 25 days of leave a year.";
    let circular = "To all staff\n\nSection 7 of the Staff handbook is repealed. From now on a doctor's note is needed \
                    from the first day of sickness.\n\nThe canteen is closed on Friday.";
    let evidence = vec![
        dated(1, "Staff handbook", "2016-05-03", handbook),
        dated(2, "Circular of November", "2024-11-12", circular),
    ];
    let report = report("From which day of sickness do I need a doctor's note?", evidence);
    let answer = report.lines().next().unwrap_or_default().replace("**", "");
    assert!(
        answer.starts_with(
            "Section 7 of the Staff handbook is repealed [2]. From now on a doctor's note is needed from the first day of \
             sickness [2]. Before: A doctor's note is needed from the fourth day of sickness [1]."
        ),
        "{report}"
    );
}

#[test]
fn what_a_newer_version_does_not_change_is_told_of_it() {
    let dated = |number: usize, date: &str, text: &str| EvidenceCard {
        date: date.to_owned(),
        path: format!("rules-{date}.md"),
        ..found(number, "Camp rules", text)
    };
    let evidence = vec![
        dated(1, "2018-03-01", "## Dogs\nDogs are welcome on a lead.\n\n## Fires\nFires are allowed until 10 pm."),
        dated(2, "2025-03-01", "## Dogs\nDogs are welcome on a lead.\n\n## Fires\nFires are forbidden everywhere."),
    ];
    let first = |question: &str| report(question, evidence.clone()).replace("**", "");
    assert!(first("Are dogs welcome on a lead?").starts_with("Dogs are welcome on a lead [2]."));
    let fires = first("Until when are fires allowed?");
    assert!(
        fires.contains("Fires are forbidden everywhere [2]. Before: Fires are allowed until 10 pm [1]."),
        "{fires}"
    );
}

#[test]
fn what_means_the_same_answers_in_other_words() {
    let rows = "## Fares, one way\n\n| Ticket | Low season | High season |\n|---|---|---|\n| Adult | £9.40 | £12.80 |\n\
                | Bicycle | £2.00 | £3.00 |\n| Dog | free | £1.50 |";
    let report = report("What is the fare for a bike in high season?", vec![found(1, "Summer timetable", rows)]);
    assert!(report.lines().next().unwrap_or_default().contains("£3.00"), "{report}");
}

#[test]
fn what_no_passage_holds_a_word_of_is_not_answered() {
    let rows = "## Room hire\n\n| Tenant | Room | Rent |\n|---|---|---|\n| Ostler Ceramics | Studio | £420 |";
    let report = report("Who teaches the pottery course?", vec![found(1, "Old mill", rows)]);
    assert!(report.starts_with("Not found"), "{report}");
}

#[test]
fn the_explanation_of_a_word_is_what_says_what_it_is() {
    let evidence = vec![
        found(1, "Sales", "A sale may follow a lease, and what a lease costs a tenant who leaves is a month's rent."),
        found(2, "Words", "lease:\n\nA lease is a contract that lets a house to somebody for a time."),
    ];
    let report = report("What is a lease?", evidence);
    assert!(report.lines().next().unwrap_or_default().contains("contract"), "{report}");
    assert!(!report.contains("say otherwise"), "{report}");
}

#[test]
fn passages_in_another_script_answer_by_their_meaning() {
    let japanese = Language::from_code("jpn");
    let fee =
        found(1, "The light and its keepers", "The entrance fee for adults is 6 pounds. The tower has 186 steps.");
    let told = report_in(japanese, "塔に入るには大人はいくら払いますか。", vec![fee.clone()]);
    assert!(told.contains("**6 pounds** [1]"), "{told}");
    let missing = report_in(japanese, "ヘリコプターの操縦士は誰ですか。", vec![fee]);
    assert!(missing.starts_with(words(japanese).not_found), "{missing}");
    let plant = found(1, "本社工場の概要", "本社工場は1974年に操業を始めた。敷地面積は29,000平方メートルである。");
    let told = report("When did the head office plant begin to operate?", vec![plant]);
    assert!(told.contains("**1974年**"), "{told}");
}

#[test]
fn what_came_to_mind_in_another_language_displaces_no_answer() {
    let rules = found(1, "出張規程", "宿泊費の上限は東京では一泊30,000円、大阪では一泊22,000円とする。");
    let handbook = EvidenceCard {
        known: "2026-11-29".to_owned(),
        ..found(2, "Travel Handbook", "The nightly hotel limit is 200 euros in Berlin and 240 euros in Tokyo.")
    };
    let report = report_in(Language::from_code("jpn"), "東京での宿泊費の上限はいくらですか", vec![rules, handbook]);
    assert!(report.contains("一泊**30,000円**"), "{report}");
}

#[test]
fn what_answers_in_another_language_is_told_as_nearest() {
    let french = EvidenceCard {
        language: Language::from_code("fra"),
        ..found(1, "Règlement", "Les poubelles sont vidées le mardi matin. Il est interdit de fumer dans l'escalier.")
    };
    let english = EvidenceCard {
        language: Language::ENGLISH,
        ..found(2, "Garden", "The lawn is mown each month, and the hedges are cut in autumn.")
    };
    let evidence = vec![french, english];
    let told = report("When are the bins emptied?", evidence.clone());
    let nearest = told.strip_prefix(words(Language::ENGLISH).closest).unwrap_or_default();
    assert!(nearest.starts_with("\n\nLes poubelles sont vidées le mardi matin [1]."), "{told}");
    assert!(!told.contains("lawn"), "{told}");
    let missing = report("Who is the pilot of the helicopter?", evidence);
    assert!(missing.starts_with(words(Language::ENGLISH).not_found) && !missing.contains("poubelles"), "{missing}");
}

#[test]
fn what_answers_in_another_language_stands_above_the_nearest_in_the_questions_own() {
    let german = Language::from_code("deu");
    let french = EvidenceCard {
        language: Language::from_code("fra"),
        ..found(1, "Règlement", "Les poubelles sont vidées le mardi matin. Il est interdit de fumer dans l'escalier.")
    };
    let own = EvidenceCard { language: german, ..found(2, "Hof", "Die Farbe der Mülltonnen ist Grün.") };
    let told = report_in(german, "Wann werden die Mülltonnen geleert?", vec![french, own]);
    let [answer, nearest] = ["Les poubelles sont vidées", "Die Farbe der Mülltonnen"].map(|words| told.find(words));
    assert!(answer.is_some() && answer < nearest, "{told}");
}

#[test]
fn where_no_reader_knows_the_language_the_words_decide() {
    let german = Language::from_code("deu");
    let evidence = vec![
        found(1, "Wolle", "Die Wolle wurde im Norden der Stadt verkauft und war sehr teuer."),
        found(2, "Salz", "Das Salz kam im Sommer mit flachen Schiffen den Fluss herab in die Stadt."),
    ];
    let phrases = words(german);
    let report = report_in(german, "Wann kam das Salz den Fluss herab?", evidence.clone());
    let nearest = report.strip_prefix(phrases.closest).unwrap_or_default();
    assert!(nearest.starts_with("\n\nDas Salz kam im Sommer") && !nearest.contains("Wolle"), "{report}");
    // The nearest statement stands first, before the text above it in its passage.
    let passage =
        "Das Kloster liegt im Norden des Bezirks. Der Vogt stiftete das Kloster im Norden aus Dank für seine Rettung.";
    let question = "Warum stiftete der Vogt das Kloster im Norden?";
    let report = report_in(german, question, vec![found(1, "Kloster", passage)]);
    let nearest = report.split_once(phrases.closest).map_or("", |(_, nearest)| nearest);
    assert!(nearest.starts_with("\n\nDer Vogt stiftete"), "{report}");
    let missing = report_in(german, "Wie hoch ist der Kirchturm von Lübeck?", evidence);
    assert!(missing.starts_with(phrases.not_found), "{missing}");
}

#[test]
fn what_stands_below_an_item_is_told_behind_it_where_nobody_reads() {
    let minutes = "Der Verein traf sich im alten Spritzenhaus.\n\n\
                   **TOP 1 – Kasse.** Der Überschuss beträgt 4.200 Euro und geht in die Rücklage.\n\n\
                   **TOP 2 – Brunnen im Hof.** Der Antrag der Familie Voss wurde abgelehnt, weil das Rohr zu schwach ist. Im \
                   Herbst wird darüber neu beraten.";
    let question = "Warum wurde der Antrag der Familie Voss abgelehnt?";
    let report = report_in(Language::from_code("deu"), question, vec![found(1, "Protokoll", minutes)]);
    assert!(report.contains("*TOP 2 – Brunnen im Hof*: Der Antrag der Familie Voss wurde abgelehnt"), "{report}");
    assert_eq!(report.matches("Brunnen im Hof").count(), 1, "{report}");
}

fn candidate(card: usize, form: Form, answer: &str) -> Candidate {
    Candidate {
        card,
        statement: Statement { form, text: format!("Name: {answer}"), ..Statement::default() },
        answer: answer.to_owned(),
        sure: 0.0,
        read: Vec::new(),
        score: SURE,
        order: 0.0,
        looked_up: false,
        behind: None,
    }
}

#[test]
fn of_two_rows_the_second_is_told_where_it_is_on_the_same() {
    let check = |form: Form, is_alike: bool, expected: Option<usize>| {
        let found = [candidate(0, form, "Ann"), candidate(1, form, "Bo")];
        assert_eq!(second(&found, &[true, is_alike], &[], &BTreeSet::new()), expected, "{form:?} {is_alike}");
    };
    check(Form::Row, false, None);
    check(Form::Row, true, Some(1));
    check(Form::Sentence, false, Some(1));
}

#[test]
fn a_second_answer_holds_words_of_the_question_if_the_first_one_does() {
    let check = |lead: &str, other: &str, expected: bool| {
        let asked =
            Asked { question: "Which rate per mile applies since 2024?", search: 0, language: Language::ENGLISH };
        let stated = |text: &str| Candidate {
            statement: Statement { text: text.to_owned(), ..Statement::default() },
            ..candidate(0, Form::Sentence, "")
        };
        assert_eq!(shares_words(&stated(lead), &stated(other), asked), expected, "{lead} / {other}");
    };
    let lead = "The charge is £2 per mile since May 2024.";
    check(lead, "3.5 per cent for 2024, after 3.0 per cent.", false);
    check(lead, "The old rate was £1.", true);
    check("It costs £2.", "3.5 per cent for 2024, after 3.0 per cent.", true);
}

#[test]
fn answers_with_other_figures_are_others() {
    let check = |one: &str, other: &str, expected: bool| assert_eq!(same(one, other), expected, "{one} / {other}");
    check("527 million dollars", "536 million dollars", false);
    check("527 million dollars", "about 527 million", true);
    check("July 27, 2007", "27 July 2007", true);
    check("David Mirkin", "Mirkin", true);
    check("David Mirkin", "David Silverman", false);
}

#[test]
fn a_figure_contradicts_no_name() {
    let check =
        |one: &str, other: &str, expected: bool| assert_eq!(alike_in_kind(one, other), expected, "{one} {other}");
    check("1904", "the harbour board", false);
    check("三社から", "北川製作所", false);
    check("三社から", "4社", true);
    check("三森商店", "北川製作所", true);
}

#[test]
fn a_proviso_is_told_behind_its_rule() {
    let japanese = Language::from_code("jpn");
    let check = |question: &str, expected: &str| {
        let rules = "第20条 従業員は、届け出ることにより副業をすることができる。ただし、競業会社の業務及び月40時間を超える副業は認めない。";
        let report = report_in(japanese, question, vec![found(1, "就業規則", rules)]);
        assert!(report.starts_with(expected), "{report}");
    };
    let rule = "第20条 従業員は、届け出ることにより副業をすることができる[1]。ただし、";
    check("副業はできますか", &format!("{rule}競業会社の業務及び月40時間を超える副業は認めない[1]。"));
}

#[test]
fn the_end_of_a_span_answers_until_when() {
    let japanese = Language::from_code("jpn");
    let check = |question: &str, expected: &str| {
        let text = "令和7年4月21日\n\nクールビズの期間は、令和7年5月1日から同年10月31日までとする。";
        let report = report_in(japanese, question, vec![found(1, "クールビズの実施について", text)]);
        assert!(report.starts_with(expected), "{report}");
    };
    check("クールビズはいつまでですか", "クールビズの期間は、令和7年5月1日から同年**10月31日**まで");
    check("クールビズはいつからですか", "クールビズの期間は、**令和7年5月1日**から同年10月31日まで");
    check("クールビズはいつですか", "クールビズの期間は、**令和7年5月1日から同年10月31日**まで");
}

#[test]
fn the_words_of_a_question_are_not_its_answer() {
    let text = "# FAQ\n\n## 出張修理はできますか。\n\n関東地方に限り承っております。";
    let report = report_in(Language::from_code("jpn"), "出張修理はできますか", vec![found(1, "FAQ", text)]);
    assert!(report.starts_with("出張修理はできますか？**関東地方に限り承っております**[1]。"), "{report}");
}
