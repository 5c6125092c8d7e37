//! What questions ask for, in the words of many languages.

use super::*;

#[test]
fn a_question_asks_with_the_words_of_its_language() {
    let check = |code: &str, question: &str, expected: bool| {
        assert_eq!(asks_for_account(question, Language::from_code(code)), expected, "{question}");
    };
    check("deu", "Bis wann muss die Rechnung bezahlt sein?", false);
    check("deu", "Wie hat sich der Umsatz entwickelt?", true);
    check("deu", "Wer hat die Fassade bezahlt?", false);
    check("deu", "Was hat der Rat bezahlt?", false);
    check("fra", "À combien s’élève la caution ?", false);
    check("fra", "Que s’est-il passé au chai ?", true);
    check("spa", "¿Con cuánto tiempo hay que avisar?", false);
    check("spa", "Cuéntame la historia del museo", true);
    check("ita", "Entro quando si paga?", false);
    check("por", "O que mudou na política de viagens?", true);
    check("nld", "Wat weten we over de dijk?", true);
    check("pol", "Do kiedy trzeba oddać klucze?", false);
    check("pol", "Czym jest ilość minimalna?", false);
    check("ron", "Ce s-a schimbat în contract?", true);
    check("tur", "Sözleşmeyi özetle", true);
    check("rus", "Во сколько открывается касса?", false);
    check("swe", "Sammanfatta protokollet", true);
    check("kor", "계약금은 얼마입니까?", false);
    check("vie", "Chuyện gì đã xảy ra ở bến tàu?", true);
    check("vie", "Vé bao nhiêu tiền?", false);
    check("ara", "ماذا حدث في مستودع التمور؟", true);
    check("ara", "كم ثمن الكشف؟", false);
    check("ell", "Τι άλλαξε στον κανονισμό;", true);
    check("ell", "Πόσο κοστίζει το εισιτήριο;", false);
    check("hin", "नाव दुर्घटना में क्या हुआ था?", true);
    check("hin", "किराया कितना है?", false);
    check("tha", "เมื่อคืนวันเสาร์เกิดอะไรขึ้น", true);
    check("tha", "น้ำผึ้งขวดละเท่าไร", false);
    check("eng", "What went wrong with the winch?", true);
    // The phrases of Italian do not match another language's words.
    check("ita", "Wann ist das?", false);
}

#[test]
fn a_line_without_a_mark_may_open_as_a_question() {
    let check = |code: &str, line: &str, expected: bool| {
        assert_eq!(opens_as_question(line, Language::from_code(code)), expected, "{line}");
    };
    check("tha", "โรงพยาบาลมีกี่เตียง", true);
    check("tha", "โรงพยาบาลในเมือง", false);
    check("deu", "welche Fristen gelten", true);
    check("deu", "Fristen für Einsprüche", false);
    check("eng", "Isle of Wight ferry", false);
    check("nld", "hoeveel kost een kaartje", true);
}

#[test]
fn one_thing_is_told_from_several() {
    let check = |question: &str, expected: QuestionType| {
        let language = if question.contains(is_cjk) { Language::from_code("jpn") } else { Language::ENGLISH };
        assert_eq!(question_type(question, language), expected, "{question}");
    };
    for several in [
        "Who were the showrunners of The Simpsons?",
        "Which words did the show bring into English?",
        "How must debian/changelog be written?",
        "What is the Replaces field for?",
        "What is the proposed procedure for giving out a flat?",
        "What did the board decide in June?",
        "What does a bidder have to do before the deadline?",
        "What did we order from the supplier?",
        "What will the board decide in June?",
        "What does the hall have?",
        "What is left to do on the viaduct?",
        "I have been here since 2020. What is different for me now?",
        "How do I undo a commit but keep the changes?",
        "Why did the tubes rot?",
        "会議で何が決まりましたか。",
        "入札までに何をしなければなりませんか。",
        "弁室で何をしている人ですか。",
        "どのような権限が必要ですか。",
        "契約の条件は？",
        "なんで予定より遅れてるの？",
        "大雪の日はどう走るんですか",
    ] {
        check(several, QuestionType::List);
    }
    for one in [
        "What is the order of the speakers?",
        "What is the process called?",
        "What would a family pay for a return ticket?",
        "Who was the first mayor?",
        "Which bus goes there?",
        "At what time does the gate open?",
        "How many seasons are there?",
        "How loud is the pump?",
        "Am I allowed to use private USB sticks?",
        "権限は何ですか。",
        "大阪支社の電話番号は？",
        "駐車場は使えますか",
        "第二工場の操業開始はいつですか。",
        "何時に閉まる？",
        "SKKって何の略ですか",
        "すべての行を出力するオプションは？",
    ] {
        check(one, QuestionType::Factoid);
    }
    // If no reader can judge an answer, a question asks for one thing.
    assert_eq!(question_type("Warum ist der Kessel undicht?", Language::from_code("deu")), QuestionType::Factoid);
}

#[test]
fn ways_are_told_from_rules() {
    let check = |question: &str, expected: bool| assert_eq!(asks_for_way(question), expected, "{question}");
    check("How do I undo a commit?", true);
    check("how to delete a branch", true);
    check("How must the changelog be written?", false);
    check("How has the ferry changed?", false);
    check("印刷範囲を解除するには？", true);
    check("印刷範囲とは？", false);
}

#[test]
fn broad_is_one_topic_without_a_narrow_opening() {
    let check = |question: &str, expected: bool| {
        assert_eq!(is_broad(question, Language::ENGLISH), expected, "{question}");
    };
    check("How has The Simpsons changed over time?", true);
    check("What is known about coral bleaching?", true);
    check("school visit to Dunmore - what do we know about it?", true);
    check("What is the name of the waterfall in the country of the Bubye River?", false);
    check("How many seasons are there?", false);
    check("Who wrote Hamlet?", false);
    check("What did Anna Blume write about Peter Holm?", false);
    check("The state where Henry Worrall died has how many districts?", false);
    check("The soundtrack of the film was produced by a man born in what year?", false);
    check("At the census of 2011, what was the population of the city?", false);
    check("Tell me of the founder, who began in Maine, and the company", true);
    check("Describe the way in which The Simpsons changed", true);
    check("Tell me what is known about coral bleaching", true);
    check("", false);
    check("How did the harbour of Arles grow?", true);
    check("Who ran the harbour over the years?", true);
    check("What does the contract require of suppliers?", true);
    check("What does the laundry contract say?", true);
    check("What does the Company Law Directive article 11 require?", false);
    check("What are the rules for log files?", true);
    check("What changed at the harbour under Anna Blume?", true);
    check("東京に出張するときの宿泊費の上限は", false);
    check("The golden age of The Simpsons", true);
    check("How do I undo a commit but keep the changes?", false);
    check("What does the Pro plan cost?", false);
    check("Am I allowed to use private USB sticks?", false);
    check("How loud is the pump?", false);
    let check = |question: &str, expected: bool| {
        assert_eq!(is_broad(question, Language::from_code("jpn")), expected, "{question}");
    };
    check("東京はどのように発展したか", true);
    check("宿泊費", true);
    check("大阪支社の電話番号は？", false);
    check("第二工場の操業開始はいつですか。", false);
    check("東京について教えてください", true);
    check("返品は何台でしたか", false);
    check("会議室の予約を取り消したい。", false);
    check("休暇をどのように申請しますか。", false);
    check("東京の歴史について調べたい", true);
    let check = |question: &str, expected: QuestionType| {
        assert_eq!(question_type(question, Language::from_code("jpn")), expected, "{question}");
    };
    check("本社の電話番号", QuestionType::Topic);
    check("宿泊費", QuestionType::Summary);
    check("装置が故障したときの連絡先と対応の条件、契約の内容", QuestionType::Topic);
    check("東京の歴史の概要", QuestionType::Summary);
    check("産業医の先生の名前は", QuestionType::Factoid);
}

#[test]
fn what_was_decided_is_an_account_in_every_language() {
    let check = |code: &str, question: &str| {
        assert!(is_broad(question, Language::from_code(code)), "{question}");
    };
    check("deu", "Welche Beschlüsse fasste der Aufsichtsrat im Mai?");
    check("fra", "Quelles décisions le conseil a-t-il prises en mai ?");
    check("spa", "¿Qué medidas se tomaron después de las averías?");
    check("ita", "Quali decisioni ha preso il consiglio a maggio?");
    check("deu", "Was hat die Versammlung im Mai zum Dach beschlossen?");
    check("fra", "Qu’a-t-il été décidé à la réunion ?");
    check("por", "O que ficou decidido na reunião de maio?");
    check("nld", "Wat heeft de raad in mei besloten?");
    check("rus", "Что решило собрание в мае?");
    check("kor", "5월 회의에서 무엇이 결정되었나요?");
    check("cmn", "五月的会议作出了哪些决定？");
}

#[test]
fn questions_for_a_part_of_a_span() {
    let check = |question: &str, expected: Option<SpanPart>| {
        assert_eq!(asked_part_of_span(question, false), expected, "{question}");
    };
    check("いつまでですか", Some(SpanPart::End));
    check("いつからですか", Some(SpanPart::Start));
    check("いつからいつまでですか", Some(SpanPart::Whole));
    check("契約はいつ終了しますか", Some(SpanPart::End));
    check("健康診断はいつですか", Some(SpanPart::Whole));
    check("いつ入社しましたか", None);
    check("何日までに出せばよいですか", Some(SpanPart::End));
    check("週何日までできますか", None);
    check("どこからですか", None);
    check("When does the lease end?", Some(SpanPart::End));
    check("Until when is it valid?", Some(SpanPart::End));
    check("From when is it valid?", Some(SpanPart::Start));
    check("Bis wann gilt die Regel?", Some(SpanPart::End));
    check("When was it sold?", None);
    assert_eq!(asked_part_of_span("When is the fair?", true), Some(SpanPart::Whole));
}

#[test]
fn questions_for_yes_or_no() {
    let check = |question: &str, expected: bool| assert_eq!(asks_yes_or_no(question), expected, "{question}");
    check("副業はできますか", true);
    check("副業はどのようにできますか", false);
    check("Can employees take a side job?", true);
    check("When can they do it?", false);
}
