//! Which statements are on what is asked.

use super::*;
use crate::base::text::Language;
use crate::offline::testing::{card, write_input};

#[test]
fn a_request_is_more_than_the_name_of_its_subject() {
    let cards = vec![
        card(1, "Lease of the mill", "", "The rent is due in May. Notice is six months."),
        card(2, "Picnic", "", "The picnic is held in June."),
    ];
    let check = |question: &str, expected: bool| {
        let input = write_input(question, cards.clone());
        assert_eq!(Account::new(&input, Language::ENGLISH).is_name(), expected, "{question}");
    };
    check("Summarise the lease.", false);
    check("Tell me everything.", true);
    check("lease of the mill", true);
    // A request may name a document by its file.
    let mut cards = cards.clone();
    cards[1].path = "outing_plan.md".to_owned();
    let input = write_input("Explain the outing.", cards);
    assert!(!Account::new(&input, Language::ENGLISH).is_name());
}

#[test]
fn a_single_word_is_told_where_it_stands() {
    let text =
        ["Notice is six months. It is given by letter.", "The picnic is held in June.", "The pond is deep in winter."];
    let cards = (1..).zip(text).map(|(number, text)| card(number, "", "", text)).collect::<Vec<_>>();
    let check = |question: &str, expected: &[usize]| {
        let input = write_input(question, cards.clone());
        let account = Account::new(&input, Language::ENGLISH);
        let told = account.filter_by_only_word((0..account.told.len()).collect());
        assert_eq!(told, expected, "{question}");
    };
    check("notice", &[0, 1]);
    check("rent", &[0, 1, 2, 3]);
    check("notice picnic", &[0, 1, 2, 3]);
}

#[test]
fn of_minutes_the_items_on_the_subject_are_told() {
    let check = |title: &str, question: &str, expected: &[&str]| {
        let text = "## Offers\n\nThree firms made offers for the work on the mill.\n\n## Picnic\n\nThe picnic is held in June at the pond.";
        let input = write_input(question, vec![card(1, title, "", text)]);
        let account = Account::new(&input, Language::ENGLISH);
        let part = account.document_part_on_subject(0).into_iter().map(|index| account.told[index].text.as_str());
        assert_eq!(part.collect::<Vec<_>>(), expected, "{title}");
    };
    let question = "Which firms made offers for the work on the mill and on the green of the club?";
    let offers = "Three firms made offers for the work on the mill.";
    let picnic = "The picnic is held in June at the pond.";
    check("Minutes of the club", question, &[offers]);
    check("Letter to the club", question, &[offers, picnic]);
    check("Minutes of the club", "What do the minutes of the club say?", &[offers, picnic]);
}

#[test]
fn minutes_of_the_meeting_that_is_asked_about_are_told_whole() {
    let check = |code: &str, question: &str, title: &str, text: &str, expected: bool| {
        let input = write_input(question, vec![card(1, title, "", text)]);
        let account = Account::new(&input, Language::from_code(code));
        assert_eq!(account.document_part_on_subject(0).len() == account.told.len(), expected, "{question}");
    };
    let text = "## Absatz\n\nDie Sitzung begann mit dem Absatz.\n\n## Fest\n\nDas Fest findet im Juni statt.";
    check("deu", "Gib mir einen Überblick über die Leitersitzung.", "Protokoll der Leitersitzung", text, true);
    let items = "上周共发运412车次。\n\n## 决定事项\n\n何晓燕负责采购新的叉车。\n\n搬迁推迟到6月中旬。\n\n\
                 夜班补贴提高到110元。\n\n仓库从5月起扩大面积。";
    let text = format!("会议名称：运营部周例会\n\n## 上周情况\n\n{items}");
    check("cmn", "总结周例会。", "会议纪要", &text, true);
    check("cmn", "总结采购叉车。", "会议纪要", &text, false);
}

#[test]
fn of_minutes_only_the_numbered_items_on_the_subject_are_told() {
    let text = "1. The accounts of last year were approved.\n2. Mill at Ford. The council objected to the sale, and the board gave it up.\n\
                3. Ann Holt will leave the board in May. Her successor is not known.\n4. Next meeting: 3 May.";
    let check = |question: &str, expected: &[&str]| {
        let input = write_input(question, vec![card(1, "Minutes of the club", "", text)]);
        let account = Account::new(&input, Language::ENGLISH);
        let part = account.document_part_on_subject(0).into_iter().map(|index| account.told[index].text.as_str());
        assert_eq!(part.collect::<Vec<_>>(), expected, "{question}");
    };
    let mill = "The council objected to the sale, and the board gave it up.";
    check("What happened with the mill at Ford?", &[mill]);
    let [leaves, follows] = ["Ann Holt will leave the board in May.", "Her successor is not known."];
    check("What happened with Ann Holt?", &[leaves, follows]);
}

#[test]
fn the_numbers_of_a_briefs_parts_are_asked_for_by_none_of_them() {
    let text = "## Sugar\n\nBees need sugar in winter.\n\n## Water, parts 1 and 2\n\nBees need water.";
    let input =
        write_input("(1) What is known of their water? (2) What of their sugar?", vec![card(1, "Bees", "", text)]);
    let mut account = Account::new(&input, Language::ENGLISH);
    let all: Vec<usize> = (0..account.told.len()).collect();
    assert_eq!(account.filter_by_asked_number(all.clone()).len(), 1);
    account.ask_for("their water".to_owned(), BTreeSet::new(), None);
    assert_eq!(account.filter_by_asked_number(all.clone()), all);
}

#[test]
fn what_has_nothing_to_do_with_the_question_is_dropped() {
    let cards = vec![
        card(1, "Harbour of Ford", "", "The harbour of Ford was dredged in spring. Its two cranes were sold."),
        card(2, "Post office", "", "Letters are collected at noon. Parcels are weighed at the desk."),
    ];
    let check = |question: &str, expected: &[usize]| {
        let input = write_input(question, cards.clone());
        let account = Account::new(&input, Language::ENGLISH);
        assert_eq!(account.drop_unrelated((0..account.told.len()).collect()), expected, "{question}");
    };
    check("What is known about the harbour of Ford?", &[0, 1]);
    check("What is known about the desk for parcels?", &[2, 3]);
    check("What is known?", &[0, 1, 2, 3]);
}

#[test]
fn a_statement_holds_what_is_asked() {
    let check = |language: &str, question: &str, title: &str, text: &str, expected: bool| {
        let input = write_input(question, vec![card(1, title, "", text)]);
        let account = Account::new(&input, Language::from_code(language));
        let all: Vec<usize> = (0..account.told.len()).collect();
        assert_eq!(account.holds_all_asked(&all), expected, "{question}");
    };
    let contract = "双方商定，合同总金额为人民币86万元。";
    check("cmn", "采购合同的总金额是多少？", "采购合同", contract, true);
    check("cmn", "采购合同的违约金是多少？", "采购合同", contract, false);
    let rent = "Le loyer mensuel s'élève à 2 150 €, payable d'avance.";
    check("fra", "Quel est le montant du loyer mensuel ?", "Bail", rent, true);
    check("fra", "Quel est le montant du loyer du garage ?", "Bail", rent, false);
    check("fra", "Quel est le montant ?", "Bail", rent, false);
    let drill = "El SIMULACRO DE EVACUACION tendrá lugar el 14 de mayo.";
    check("spa", "¿Cuándo es el simulacro de evacuación?", "Aviso", drill, true);
}

#[test]
fn of_versions_only_what_is_on_the_change_is_told() {
    let text = |limit: u32| format!("In London the limit is £{limit}. Cars are paid by the mile.");
    let dated = |number: usize, date: &str, limit: u32| EvidenceCard {
        date: date.to_owned(),
        path: format!("{number}.md"),
        ..card(number, "Travel policy", "", &text(limit))
    };
    let check = |question: &str, cards: Vec<EvidenceCard>, expected: &[usize]| {
        let input = write_input(question, cards);
        let account = Account::new(&input, Language::ENGLISH);
        assert_eq!(account.filter_by_changed_subject((0..account.told.len()).collect()), expected, "{question}");
    };
    let versions = vec![dated(1, "2024-06-01", 175), dated(2, "2026-01-01", 190)];
    check("How did the limit in London develop?", versions.clone(), &[0, 2]);
    check("How did the travel policy develop?", versions, &[0, 1, 2, 3]);
    check("How did the limit in London develop?", vec![dated(1, "2024-06-01", 175)], &[0, 1]);
}
