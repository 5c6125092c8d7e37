//! Answers that depend on the time that is asked for, or on all rows of a table.

use super::*;

#[test]
fn a_total_that_no_row_states_is_added_up() {
    let check = |language: &str, table: &str, question: &str, expected: &str| {
        let report = report_in(Language::from_code(language), question, vec![found(1, "Offices", table)]);
        assert!(report.starts_with(expected), "{question}: {report}");
    };
    let staff = "| Office | Staff |\n|---|---|\n| Leeds | 14 |\n| York | 9 |\n| Hull | 21 |\n";
    let total = "Staff: 14 (Leeds) + 9 (York) + 21 (Hull) = **44** [1].";
    check("eng", staff, "How many staff do we have in total?", total);
    check("eng", staff, "How many staff work in Leeds?", "Office: Leeds; Staff: **14** [1].");
    let staff = "| Büro | Mitarbeiter |\n|---|---|\n| Kiel | 1.014 |\n| Ulm | 9 |\n";
    let total = "Mitarbeiter: 1.014 (Kiel) + 9 (Ulm) = **1.023** [1].";
    check("deu", staff, "Wie viele Mitarbeiter gibt es insgesamt?", total);
    let staff = "| 支店 | 人数 |\n|---|---|\n| 名古屋 | 12 |\n| 大阪 | 31 |\n";
    check("jpn", staff, "全支店の人数は合わせて何人ですか", "人数: 12 (名古屋) + 31 (大阪) = **43** [1].");
}

#[test]
fn the_most_of_an_unclear_column_is_only_probable() {
    let table =
        "| Region | Colonies | Lost |\n|---|---|---|\n| Alsace | 60 | 9 |\n| Jura | 45 | 4 |\n| Provence | 75 | 21 |\n";
    let report = report("Which region lost the most colonies?", vec![found(1, "Colonies lost by region", table)]);
    assert!(!report.starts_with("Region: **"), "{report}");
}

#[test]
fn a_question_about_the_present_is_answered_by_what_holds() {
    let rules = "# 規程\n\n## 第3条（定年）\n\n職員の定年は満65歳とし、定年に達した日の属する年度末に退職する。\n\n\
        ## 第12条（夏季休暇）\n\n夏季休暇は7月から9月の間に5日とする。\n";
    let report = report_in(Language::from_code("jpn"), "現在の定年は何歳ですか", vec![found(1, "規程", rules)]);
    assert!(report.starts_with("職員の定年は**満65歳**とし"), "{report}");
}

#[test]
fn an_amendment_may_state_the_new_value_alone() {
    let check = |question: &str, expected: &str| {
        let lease = "The monthly rent is 1,450 EUR. Notice of termination is three months.";
        let evidence = vec![
            dated(1, "First amendment to the lease of Mill House", "2025-01-01", "The monthly rent is 1,520 EUR."),
            dated(2, "Lease of Mill House", "2024-03-01", lease),
        ];
        let report = report(question, evidence);
        let lead = report.split("\n\n").next().unwrap_or_default().replace("**", "");
        assert_eq!(lead, expected, "{report}");
    };
    let both = "The monthly rent is 1,520 EUR [1]. Before: The monthly rent is 1,450 EUR [2].";
    check("How much is the monthly rent?", both);
    check("What is the current monthly rent of Mill House?", both);
    check("How long is the notice of termination?", "Notice of termination is three months [2].");
}

#[test]
fn the_amendments_up_to_the_asked_time_count() {
    let check = |question: &str, expected: &str| {
        let amendment = |number: usize, name: &str, date: &str, change: &str| {
            let text = format!("1. Clause 5 (Fees): the monthly fee is increased from {change}.");
            dated(number, &format!("{name} Amendment to the Cleaning Services Agreement"), date, &text)
        };
        let fee = "## 5. Fees\n\nThe Client shall pay a monthly fee of £100.";
        let evidence = vec![
            amendment(1, "Second", "2024-01-09", "£120 to £130"),
            amendment(2, "First", "2023-06-12", "£100 to £120 with effect from 1 July 2023"),
            // Another search may put first what the question itself hardly finds.
            EvidenceCard {
                found_by: vec![0, 1],
                standings: vec![0.3, 1.0],
                ..dated(3, "Cleaning Services Agreement", "2022-03-03", fee)
            },
        ];
        let report = report(question, evidence);
        let first = report.lines().next().unwrap_or_default();
        assert!(first.contains(expected), "{question}: {report}");
    };
    check("What was the monthly fee in 2022?", "a monthly fee of **£100** [3]");
    check("What was the monthly fee before July 2023?", "a monthly fee of **£100** [3]");
    check("What was the monthly fee in August 2023?", "from £100 to **£120**");
    check("What is the monthly fee?", "from £120 to **£130** [1]");
    let act = |number: usize, title: &str, text: &str| dated(number, title, "", text);
    let evidence = vec![
        act(
            1,
            "Storage (Amendment) Act 2024",
            "In section 3 of the Storage Act 2019, “five years” is replaced by “six years”.",
        ),
        act(2, "Storage Act 2019", "## Section 3. Licence\n\nA licence is valid for five years."),
    ];
    let report = report("How long was a licence valid in 2022?", evidence);
    assert!(report.starts_with("A licence is valid for **five years** [2]"), "{report}");
}
