//! Reports made of quotes from made-up passages: every sentence is verbatim, cited, and appears once.

use std::collections::BTreeSet;

use super::*;
use crate::base::text::Language;
use crate::domain::SubQuery;
use crate::llm::purpose::EvidenceCard;
use crate::offline::render::{cited, safe};
use crate::offline::testing::{card, write_input};
use crate::report::cite::CitationChecker;

fn input(question: &str, language: &str, asked: &[&str], evidence: Vec<EvidenceCard>) -> WriteInput {
    WriteInput {
        language: language.to_owned(),
        asked: asked.iter().map(|text| SubQuery { text: (*text).to_owned(), collections: vec![] }).collect(),
        ..write_input(question, evidence)
    }
}

fn report(input: &WriteInput) -> String {
    write(input, 900).concat()
}

fn citations(report: &str) -> BTreeSet<usize> {
    report.split('[').skip(1).filter_map(|rest| rest.split_once(']')?.0.parse().ok()).collect()
}

/// Twelve documents of three sentences about one harbour, each with words of its own.
fn harbour() -> Vec<EvidenceCard> {
    const TRADES: [&str; 12] =
        ["salt", "wool", "grain", "timber", "copper", "wine", "fish", "silk", "glass", "amber", "paper", "leather"];
    TRADES
        .iter()
        .enumerate()
        .map(|(i, trade)| {
            let text = format!(
                "The harbour of Arles shipped {trade} to the north from {year} on. Merchants who dealt in {trade} \
                 built tall houses near the {trade} gate of the town. A tax on {trade} paid for the walls and for \
                 the dredging of the harbour.",
                year = 1500 + i * 10
            );
            let mut card = card(i + 1, &format!("The {trade} trade"), "", &text);
            card.found_by = vec![0, 1 + i % 2];
            card
        })
        .collect()
}

#[test]
fn a_part_of_a_brief_is_told_by_the_value_and_the_section_of_its_name() {
    let form =
        card(1, "Request", "", "- Number: R7\n- Subject: Purchase of a lamp\n- Amount: £300\n- Supplier: Lux Ltd");
    let reasons = card(2, "Request", "", "## Decision\n\nThe board agreed in May and wants it by July of that year.");
    let question = "Report on the purchase of a lamp: (1) amount; (2) decision.";
    let asked = [question, "purchase lamp: amount", "purchase lamp: decision."];
    let report = report(&input(question, "English", &asked, vec![form, reasons]));
    let of = |part: &str| report.split(part).nth(1).and_then(|rest| rest.split("\n## ").next()).unwrap_or_default();
    assert!(of("## Amount\n").contains("- Amount: £300 [1]."), "{report}");
    assert!(of("## Decision\n").contains("The board agreed in May"), "{report}");
}

#[test]
fn every_quoted_sentence_is_verbatim_and_cited_with_a_number_that_exists() {
    let evidence = harbour();
    let asked = ["How did the harbour of Arles grow?", "harbour of Arles: merchants", "harbour of Arles: tax"];
    let report = report(&input(asked[0], "English", &asked, evidence.clone()));
    let numbers = citations(&report);
    assert!(numbers.iter().all(|number| (1..=12).contains(number)), "{report}");
    assert!(numbers.len() >= 8, "too few documents: {numbers:?}\n{report}");
    for line in report.lines().filter(|line| line.contains('[')) {
        let quoted = line.split_once("*: ").map_or(line, |(_, quoted)| quoted);
        for sentence in quoted.split_inclusive("].") {
            let (words, citation) = sentence.trim().rsplit_once(" [").expect("a citation");
            let number: usize = citation.trim_end_matches("].").parse().expect("a number");
            assert!(evidence[number - 1].text.contains(words), "{words} is not in {number}");
        }
    }
}

#[test]
fn no_sentence_is_quoted_twice() {
    let asked = ["How did the harbour of Arles grow?", "harbour: merchants", "harbour: tax"];
    let report = report(&input(asked[0], "English", &asked, harbour()));
    let mut sentences: Vec<&str> = report.lines().flat_map(|line| line.split("]. ")).collect();
    sentences.retain(|sentence| sentence.contains('['));
    let distinct: BTreeSet<&str> = sentences.iter().copied().collect();
    assert_eq!(sentences.len(), distinct.len(), "{report}");
}

#[test]
fn what_the_searches_found_is_told_and_what_found_nothing_is_not() {
    let asked = [
        "How did the merchants and the tax change the town?",
        "merchants and houses",
        "tax and walls",
        "quantum physics",
    ];
    let report = report(&input(asked[0], "English", &asked, harbour()));
    assert!(report.contains("Merchants who dealt in") && report.contains("A tax on"), "{report}");
    assert!(!report.contains("quantum"), "{report}");
}

#[test]
fn without_evidence_it_says_so() {
    let check = |language: &str, evidence: Vec<EvidenceCard>, expected: &str| {
        let report = report(&input("What grows in Arles?", language, &["What grows in Arles?"], evidence));
        assert!(report.starts_with(&format!("# What grows in Arles?\n\n{expected}")), "{report}");
        assert!(citations(&report).is_empty());
    };
    check("English", vec![], "Not found in these documents.");
    check("German", vec![], "In diesen Dokumenten wurde keine Antwort gefunden.");
    check("English", vec![card(1, "T", "", "# Only a heading")], "Not found in these documents.");
}

#[test]
fn an_early_end_is_told_first() {
    let mut early = input("What of Arles?", "English", &["What of Arles?"], harbour());
    early.incomplete = Some("the limit on calls\nwas reached".to_owned());
    assert!(report(&early).starts_with("# What of Arles?\n\n> The search ended early"), "{}", report(&early));
}

#[test]
fn differing_figures_are_shown_side_by_side() {
    let mut evidence = harbour();
    evidence.push(card(13, "The count", "", "The harbour of Arles held 300 ships on an average summer day."));
    evidence.push(card(14, "The census", "", "On an average summer day the harbour of Arles held 450 ships."));
    let report = report(&input(
        "How did the harbour of Arles grow?",
        "English",
        &["How did the harbour of Arles grow?"],
        evidence,
    ));
    let (_, shown) = report.split_once("## Where the sources disagree").expect("a section on it");
    assert!(shown.contains("**300 ships** against **450 ships**"), "{shown}");
    assert!(shown.contains("[13]") && shown.contains("[14]"), "{shown}");
}

#[test]
fn the_newer_of_two_that_differ_stands_first_and_is_called_so() {
    let check = |count: &str, census: &str, expected: &[&str]| {
        let mut evidence = harbour();
        let dated = |mut card: EvidenceCard, date: &str| {
            date.clone_into(&mut card.date);
            card
        };
        let held = "The harbour of Arles held 300 ships on an average summer day.";
        evidence.push(dated(card(13, "The count", "", held), count));
        let held = "On an average summer day the harbour of Arles held 450 ships.";
        evidence.push(dated(card(14, "The census", "", held), census));
        let question = "How did the harbour of Arles grow?";
        let report = report(&input(question, "English", &[question], evidence));
        let (_, shown) = report.split_once("## Where the sources disagree").expect("a section on it");
        for part in expected {
            assert!(shown.contains(part), "`{part}` is not in {shown}");
        }
        assert_eq!(shown.matches("the newer").count(), usize::from(count != census), "{shown}");
    };
    let newer = "*The census* (2021) (the newer, 2021-05-02): ";
    check("2019-01-01", "2021-05-02", &["**450 ships** against **300 ships**", newer]);
    let newer = "*The count* (2023) (the newer, 2023-01-01): ";
    check("2023-01-01", "2021-05-02", &["**300 ships** against **450 ships**", newer]);
    check("2021-05-02", "2021-05-02", &["**300 ships** against **450 ships**"]);
    let newer = "*The census* (2021) (the newer, 2021-05-02): ";
    check("2021-02-01", "2021-05-02", &[newer, "*The count* (2021-02-01): "]);
}

#[test]
fn what_came_to_mind_leads_among_equals() {
    let question = "How many ships did the harbour of Arles hold in summer?";
    let cards = || {
        vec![
            card(
                1,
                "The count",
                "",
                "The harbour of Arles, as the harbour master wrote, held in summer very many ships, which lay there in three rows.",
            ),
            card(2, "The census", "", "A clerk wrote that the harbour of Arles held very many ships in summer."),
        ]
    };
    let lead = |evidence: Vec<EvidenceCard>| {
        let report = report(&input(question, "English", &[question], evidence));
        [1, 2].into_iter().min_by_key(|number| report.find(&format!("[{number}]")).unwrap_or(usize::MAX))
    };
    for known in [1, 2] {
        let mut evidence = cards();
        "2023-08-05".clone_into(&mut evidence[known - 1].known);
        assert_eq!(lead(evidence), Some(known));
    }
}

#[test]
fn the_fixed_words_are_in_the_language_of_the_question() {
    let evidence = vec![
        card(
            1,
            "東京の歴史",
            "",
            "東京は江戸時代に徳川家康によって大きく発展した都市である。人口は1920年に370万人であった。",
        ),
        card(2, "都市の発展", "", "東京の鉄道は1872年に開業し、都市の発展を支えた。"),
    ];
    let report = report(&input("東京はどのように発展したか", "Japanese", &["東京はどのように発展したか"], evidence));
    assert!(report.contains("[1]。") && report.contains("[2]。"), "{report}");
    assert!(!report.contains("Other passages"), "{report}");
}

#[test]
fn citations_stay_with_their_sentence() {
    let check = |text: &str, expected: &str| {
        assert_eq!(cited(&safe(text), 7), expected);
    };
    check("The ships left the harbour at dawn.", "The ships left the harbour at dawn [7].");
    check("The king called it \"the best of harbours.\"", "The king called it \"the best of harbours\" [7].");
    check("The king asked \"who owns the harbour?\"", "The king asked \"who owns the harbour?\" [7].");
    check("Did the ships leave at dawn?", "Did the ships leave at dawn? [7]");
    check(
        "港は夜明けに出る船でいっぱいになり、町はにぎわった。",
        "港は夜明けに出る船でいっぱいになり、町はにぎわった[7]。",
    );
    check("The tag <img src=x> stands in the harbour log.", "The tag \\<img src=x> stands in the harbour log [7].");
}

#[test]
fn all_that_a_report_cites_holds() {
    let mut evidence = harbour();
    evidence.push(card(
        13,
        "ST. TROPHIME. WAS IT OLD?",
        "",
        "Peter Holm ran the harbour of Arles from 1810 to 1830. He brought cranes from England and moved the quays. \
         The harbour of Arles was called \"Small. Old. Wet.\" by the paper Le Midi in 1840. Mr. Blum of the U.S. Navy \
         measured the harbour of Arles at 300 metres in 1850.",
    ));
    evidence.push(card(14, "The survey", "", "Mr. Blum of the Navy measured the harbour of Arles at 420 metres."));
    for question in ["How has the harbour of Arles changed?", "Who ran the harbour of Arles, Holm or Blum?"] {
        let sources = evidence.iter().map(|card| (card.number, card.text.clone().into())).collect();
        let mut checker = CitationChecker::new(sources, Language::ENGLISH).unmarked();
        let text = report(&input(question, "English", &[question, "Arles: tax", "Peter Holm"], evidence.clone()));
        let mut checked = checker.push(&text);
        let (rest, found) = checker.finish();
        checked.push_str(&rest);
        assert_eq!((found.removed, found.problems().count()), (0, 0), "{checked}");
        assert!(found.cited.len() > 1, "{checked}");
    }
}

#[test]
fn a_name_that_no_passage_knows_has_no_answer() {
    let question = "What is the capital of Mongolia?";
    let report = report(&input(question, "English", &[question], harbour()));
    assert!(report.contains("Not found in these documents."), "{report}");
}

proptest::proptest! {
    // The bundled model reads each case, hence so few.
    #![proptest_config(proptest::test_runner::Config::with_cases(48))]
    #[test]
    fn any_evidence_is_survived(texts in proptest::collection::vec("[\\PC\\[\\]0-9]{0,60}\\. [A-Z][a-z ]{30,60}\\.", 0..6)) {
        let evidence: Vec<EvidenceCard> =
            texts.iter().enumerate().map(|(i, text)| card(i + 1, "T [9]", "", text)).collect();
        let count = evidence.len();
        let report = report(&input("What is it about?", "unknown", &["What is it [77] about?"], evidence));
        for number in citations(&report) {
            proptest::prop_assert!((1..=count).contains(&number), "{report}");
        }
    }
}

#[test]
fn a_clause_is_told_with_what_changes_it_in_its_own_document() {
    let text = "## 8. Liability\n\n8.1 The total liability of each party is limited to £750,000.\n\n\
                8.2 Nothing limits the liability for death.\n\n## Amendment No. 1\n\nThe parties amend as follows:\n\n\
                1. In clause 3.2, \"30 days\" is replaced by \"45 days\".\n\
                2. In clause 8.1, \"£750,000\" is replaced by \"£1,200,000\".";
    let question = "What does clause 8.1 of the agreement say?";
    let report = report(&input(question, "English", &[question], vec![card(1, "Supply Agreement", "", text)]));
    assert!(report.contains("is limited to £750,000") && report.contains("£1,200,000"), "{report}");
    assert!(!report.contains("45 days") && !report.contains("death"), "{report}");
}

#[test]
fn the_name_of_a_subject_is_answered_by_what_is_said_of_it() {
    let check = |question: &str, language: &str, texts: [&str; 2], told: &str| {
        let cards = vec![card(1, "Rules", "", texts[0]), card(2, "Notes", "", texts[1])];
        let report = report(&input(question, language, &[question], cards));
        let body = report.split_once("\n\n").map_or("", |(_, body)| body).replace("**", "");
        assert!(body.starts_with(told), "{report}");
    };
    check(
        "travel allowance",
        "English",
        [
            "Overtime is paid at one and a quarter of the usual rate. The travel allowance is 40 euros a day. \
             Cars are parked behind the rear gate of the works.",
            "Emergency food is kept for three days in the cellar of the main building. The cellar is locked.",
        ],
        "The travel allowance is 40 euros a day",
    );
    check(
        "通勤手当",
        "Japanese",
        [
            "残業手当は通常の賃金の二割五分増しで計算して支払います。通勤手当は月50,000円まで実費を払う。\
             社員の駐車場は工場の裏門の脇にあります。",
            "非常食は三日分を本館の地下の倉庫に置いています。地下の倉庫には鍵がかかっています。",
        ],
        "通勤手当は月50,000円まで実費を払う",
    );
}

#[test]
fn an_account_keeps_to_the_number_that_a_question_names() {
    let version =
        |number: usize, version: &str, text: &str| card(number, "Mill", version, &format!("## {version}\n\n{text}"));
    let evidence = vec![
        version(1, "Mill 0.15", "- The grinder has been replaced by a faster one.\n- Flour is no longer sieved twice."),
        version(2, "Mill 0.22", "- The hopper has become larger.\n- The belt no longer slips when it is wet."),
    ];
    let report = report(&input("What changed in Mill 0.22?", "English", &["Mill 0.22"], evidence));
    assert!(report.contains("hopper") && !report.contains("grinder"), "{report}");
}

#[test]
fn a_subject_that_asks_nothing_is_answered_where_a_passage_answers() {
    let hotels = || {
        vec![
            card(
                1,
                "Travel policy",
                "",
                "A hotel night in London may cost up to £165. Hotels are booked by the office.",
            ),
            card(2, "Canteen", "", "Lunch is served from noon. Soup costs £2."),
        ]
    };
    let told =
        report(&input("hotel limit per night in London", "English", &["hotel limit per night in London"], hotels()));
    let first = told.lines().find(|line| !line.is_empty() && !line.starts_with('#')).unwrap_or_default();
    assert!(first.contains("£165"), "{told}");
    let told = report(&input("price of the MX-300", "English", &["price of the MX-300"], hotels()));
    assert!(told.contains("Not found in these documents."), "{told}");
}

#[test]
fn sentences_that_lean_on_one_another_are_told_in_turn() {
    let life = "Ada Brandt, the founder of the lifeboat station, died in March at the age of ninety. She came to the island to teach \
        the children of the keepers. She learnt to row in her second winter there. In that time she saw four boats go down.";
    let question = "What is known about Ada Brandt?";
    let report = report(&input(question, "English", &[question], vec![card(1, "Ada Brandt", "", life)]));
    for sentence in life.split_inclusive(". ").map(|sentence| sentence.trim_end_matches([' ', '.'])) {
        assert!(report.contains(sentence), "{sentence}\n{report}");
    }
}

#[test]
fn a_clause_is_told_with_what_an_amendment_says_in_its_place() {
    let lease = "## § 1 Mietsache\n\nVermietet wird die Lagerhalle mit einer Fläche von 860 Quadratmetern.\n\n## § 3 Miete\n\n\
                 Die monatliche Nettomiete beträgt 5.200 Euro. Sie ist bis zum dritten Werktag zu zahlen.\n";
    let amendment = "1. § 3 Satz 1 erhält folgende Fassung: „Die monatliche Nettomiete beträgt 5.650 Euro.“\n\
                     2. In § 1 wird die Fläche „860 Quadratmetern“ durch „910 Quadratmetern“ ersetzt.\n\
                     3. Die Mieterin darf vier Stellplätze nutzen.\n";
    let dated = |number, title: &str, date: &str, text| EvidenceCard {
        path: format!("/{number}.md"),
        date: date.to_owned(),
        language: Language::from_code("deu"),
        ..card(number, title, "", text)
    };
    let said = |question: &str| {
        let cards = vec![
            dated(1, "Gewerbemietvertrag", "2021-03-14", lease),
            dated(2, "Nachtrag Nr. 1 zum Gewerbemietvertrag", "2024-11-20", amendment),
        ];
        report(&input(question, "German", &[question], cards))
    };
    let check = |question: &str, in_order: [&str; 2]| {
        let report = said(question);
        let places = in_order.map(|words| report.find(words));
        assert!(places[0].is_some() && places[0] < places[1], "{report}");
    };
    check(
        "Wie hoch ist die monatliche Nettomiete?",
        ["5.650 Euro", "Vorher: Die monatliche Nettomiete beträgt 5.200 Euro [1]."],
    );
    check("Gib mir einen Überblick über den Gewerbemietvertrag.", ["5.200 Euro [1].", "5.650 Euro"]);
    let changes = "Was hat sich am Gewerbemietvertrag geändert?";
    check(changes, ["5.650 Euro", "Vorher: Die monatliche Nettomiete beträgt 5.200"]);
    check(changes, ["910 Quadratmetern", "Neu: Die Mieterin darf vier Stellplätze nutzen"]);
}
