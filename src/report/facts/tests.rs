//! Sentences with and without a planted mistake.

use super::*;
use crate::base::text::Language;

/// Each of `right` says in other words what `source` says; each of `wrong` has one mistake of its kind.
fn check_sentence(language: &str, source: &str, right: &[&str], wrong: &[(&str, Kind)]) {
    let language = Language::from_code(language);
    let source = Source::new(source, "");
    for sentence in right {
        let checked = check(sentence, &[&source], language);
        assert_eq!(checked.problems, [], "{sentence}\n{}", source.text);
    }
    for (sentence, kind) in wrong {
        let problems = check(sentence, &[&source], language).problems;
        assert!(problems.iter().any(|problem| problem.kind == *kind), "{sentence}: {problems:?}\n{}", source.text);
    }
}

#[test]
fn a_name_in_another_script_is_not_missed() {
    let check = |language, source, right: &[&str], wrong: &[(&str, Kind)]| {
        check_sentence(language, source, right, wrong);
    };
    let limit = "The limit for a hotel night is £140 in the UK.";
    check("jpn", limit, &["英国での上限は1泊140ポンドである。"], &[]);
    check("jpn", "英国の上限は1泊140ポンドです。", &[], &[("フランスでの上限は1泊140ポンドである。", Kind::Name)]);
    check("eng", "上限は140ポンドで、田中が承認した。", &["Tanaka set the limit of 140 pounds."], &[]);
}

#[test]
fn a_comparison_with_a_figure_that_only_the_source_has() {
    let source = "The limit for a hotel night was 120 euros in 2024. It is 150 euros from 2025 on.";
    let right = ["It rose by 25 % from 120 euros, an increase of 30 euros.", "That is 20 % less than 150 euros."];
    check_sentence("eng", source, &right, &[("It rose by 35 % from 120 euros.", Kind::Figure)]);
    let wrong = [("差は40ユーロで、120ユーロから25%上がりました。", Kind::Figure)];
    check_sentence("jpn", source, &["差は30ユーロで、120ユーロから25%上がりました。"], &wrong);
}

#[test]
fn a_row_is_not_compared_with_running_text() {
    let source = "The limit is 120 euros. Trips above 1,000 euros need the approval of the head of department.";
    let row = "| Hotel | 120 euros | head of department |";
    check_sentence("eng", source, &[row], &[("| Hotel | 130 euros | head of department |", Kind::Figure)]);
}

#[test]
fn the_first_word_of_a_row_is_no_name() {
    let source = "- A test of the renewal is run every month (open, owner Priya Nair).";
    let wrong = [("| Monthly test of the renewal | open, Petra Nair |", Kind::Name)];
    check_sentence("eng", source, &["| Monthly test of the renewal | open, Priya Nair |"], &wrong);
}

#[test]
fn english() {
    let check = |source, right: &[&str], wrong: &[(&str, Kind)]| check_sentence("eng", source, right, wrong);
    check(
        "The ferry company carried 1,200,000 passengers in 2023, up from 1,050,000 in 2022. Its director Maria Keller \
         opened the new pier in Harlow on 4 March 2024. A ticket costs 12.50 dollars.",
        &[
            "In 2023 the company had 1.2 million passengers.",
            "Maria Keller opened a pier in Harlow on March 4, 2024.",
            "On 3/4/2024 the pier at Harlow was opened.",
            "Tickets cost $12.50.",
            "Passengers grew by 14.3 % between 2022 and 2023, from 1,050,000 to 1,200,000.",
            "The company carried 150,000 more passengers than in 2022 (1,200,000 against 1,050,000).",
            "On 2024-03-04 Keller opened the pier.",
        ],
        &[
            ("In 2023 the company had 1.3 million passengers.", Kind::Figure),
            ("Maria Keller opened a pier in Harlow on March 5, 2024.", Kind::Date),
            ("Maria Keller opened a pier in Harlow in 2021.", Kind::Date),
            ("Maria Kessler opened a pier in Harlow on March 4, 2024.", Kind::Name),
            ("The company, led by Petra Vogel, opened a pier.", Kind::Name),
            ("Maria Keller opened a pier in Brighton on March 4, 2024.", Kind::Name),
            ("Tickets cost €12.50.", Kind::Unit),
            ("A ticket costs 12.50 euros.", Kind::Unit),
            ("Passengers grew by 16.3 % between 2022 and 2023, from 1,050,000 to 1,200,000.", Kind::Derived),
            ("The ferry company carried 1,050,000 passengers in 2023, up from 1,200,000 in 2022.", Kind::Figure),
        ],
    );
    check(
        "The bridge is 3.2 kilometres long and was finished in December 1998. It cost 450 million euros. About 40 percent of \
         the traffic are lorries. Work took 30 months.",
        &[
            "It is 3,200 metres long.",
            "The bridge, finished in 1998, cost 450,000,000 euros.",
            "Lorries make up 40% of its traffic.",
            "Work on it took 2.5 years.",
        ],
        &[
            ("The bridge is 3.2 miles long.", Kind::Figure),
            ("The bridge was finished in November 1998.", Kind::Date),
            ("It cost 450 million dollars.", Kind::Unit),
            ("Lorries make up 45% of its traffic.", Kind::Figure),
            ("Work took 30 weeks.", Kind::Figure),
        ],
    );
}

#[test]
fn german() {
    let check = |source, right: &[&str], wrong: &[(&str, Kind)]| check_sentence("deu", source, right, wrong);
    check(
        "Die Stadtwerke meldeten für 2023 einen Umsatz von 1.234,5 Mio. Euro. Geschäftsführerin Anna Brandt eröffnete am \
         4. März 2024 das Werk in Ulm. Der Anteil erneuerbarer Energie lag bei 62 Prozent.",
        &[
            "Im Jahr 2023 betrug der Umsatz 1,2345 Milliarden Euro.",
            "Anna Brandt hat das Werk in Ulm am 4.3.2024 eröffnet.",
            "Erneuerbare Quellen lieferten 62 % der Energie.",
            "Das Unternehmen erzielte 2023 einen Umsatz von 1.234,5 Millionen Euro.",
        ],
        &[
            ("Im Jahr 2023 betrug der Umsatz 1,2445 Milliarden Euro.", Kind::Figure),
            ("Anna Brandt hat das Werk in Ulm am 5.3.2024 eröffnet.", Kind::Date),
            ("Frau Schneider hat das Werk in Ulm am 4.3.2024 eröffnet.", Kind::Name),
            ("Anna Brandt eröffnete am 4. März 2024 das Werk in Hamburg.", Kind::Name),
            ("Im Jahr 2022 betrug der Umsatz 1.234,5 Mio. Euro.", Kind::Date),
            ("Der Umsatz betrug 1.234,5 Mio. Dollar.", Kind::Unit),
            ("Der Anteil erneuerbarer Energie lag bei 26 Prozent.", Kind::Figure),
        ],
    );
}

#[test]
fn japanese() {
    let check = |source, right: &[&str], wrong: &[(&str, Kind)]| check_sentence("jpn", source, right, wrong);
    check(
        "青葉市は令和6年3月4日に新図書館を開館した。建設費は12億3,400万円で、蔵書は12万冊である。館長は田中一郎氏である。利用料は税込1,100円とする。",
        &[
            "2024年3月4日、青葉市に新しい図書館が開いた。",
            "蔵書は120,000冊ある。",
            "建設には１２億３４００万円がかかった。",
            "館長には田中一郎氏が就いた。",
            "利用料は1,100円（税込）である。",
        ],
        &[
            ("2023年3月4日、青葉市に新しい図書館が開いた。", Kind::Date),
            ("2024年3月14日、青葉市に新しい図書館が開いた。", Kind::Date),
            ("蔵書は12,000冊ある。", Kind::Figure),
            ("建設には12億4,300万円がかかった。", Kind::Figure),
            ("館長には鈴木一郎氏が就いた。", Kind::Name),
            ("利用料は税抜1,100円である。", Kind::Unit),
            ("蔵書は12万枚である。", Kind::Unit),
            ("横浜市は令和6年3月4日に新図書館を開館した。", Kind::Name),
        ],
    );
    check(
        "５．3月7日（金）は16時に閉館する。６．４月8日は休む。",
        &["3月7日（金）は16時に閉館する。", "４月8日は休む。"],
        &[("3月8日（金）は16時に閉館する。", Kind::Date)],
    );
    check(
        "売上高は前年の4,500万円から5,400万円に増えた。従業員は120人、うち女性は48人である。",
        &["売上高は4,500万円から5,400万円へと20%増加した。", "従業員120人のうち女性48人で、割合は40%である。"],
        &[
            ("売上高は4,500万円から5,400万円へと25%増加した。", Kind::Derived),
            ("従業員120人のうち女性48人で、割合は45%である。", Kind::Derived),
        ],
    );
}

#[test]
fn a_table_says_once_for_all_how_large_its_numbers_are() {
    let check = |table: &str, about: &str, sentence: &str, expected: usize| {
        let source = Source::new(table, about);
        let problems = super::check(sentence, &[&source], Language::ENGLISH).problems;
        assert_eq!(problems.len(), expected, "{sentence} {problems:?}");
    };
    let table = "| Firm | 1936 (million dollars) |\n|---|---|\n| Union Oil | 23.21 |\n| Goodyear | 23.39 |\n";
    check(table, "", "Union Oil invested 23.21 million dollars in 1936.", 0);
    check(table, "", "Union Oil invested 23.21 billion dollars in 1936.", 1);
    check(
        table,
        "",
        "Union Oil (23.21 million dollars) and Goodyear (23.39 million dollars) together came to 46.6 million dollars.",
        0,
    );
    check(
        table,
        "",
        "Union Oil (23.21 million dollars) and Goodyear (23.39 million dollars) together came to 46.9 million dollars.",
        1,
    );
    let bare = "| Firm | 1936 |\n|---|---|\n| Union Oil | 23.21 |\n";
    check(bare, "Investment in millions of dollars", "Union Oil invested 23.21 million dollars in 1936.", 0);
    check(bare, "Investment", "Union Oil invested 23.21 million dollars in 1936.", 1);
    check(bare, "Firms that 5 million people know", "Union Oil invested 23.21 million dollars in 1936.", 1);
    check("| 会社 | 売上（百万円） |\n|---|---|\n| 青葉 | 1,204 |\n", "", "青葉の売上は1,204百万円である。", 0);
}

/// `right` and `wrong` calculate with cells of a table without naming them; each cites the rows that begin with the
/// given words.
fn check_table(language: &str, table: &str, right: &[(&str, &[&str])], wrong: &[(&str, &[&str])]) {
    let language = Language::from_code(language);
    let checked = |sentence: &str, rows: &[&str]| {
        let place = |row: &&str| table.find(row).unwrap_or_else(|| panic!("{row}"));
        let quoted =
            |row: &&str| place(row)..place(row) + table[place(row)..].find('\n').unwrap_or(table.len() - place(row));
        let sources: Vec<Source> = rows.iter().map(|row| Source::new(table, "").quoting(quoted(row))).collect();
        check(sentence, &sources.iter().collect::<Vec<_>>(), language)
    };
    for (sentence, rows) in right {
        let checked = checked(sentence, rows);
        assert!(checked.problems.is_empty() && !checked.derived.is_empty(), "{sentence}: {checked:?}");
    }
    for (sentence, rows) in wrong {
        let problems = checked(sentence, rows).problems;
        assert!(!problems.is_empty(), "{sentence}");
    }
}

#[test]
fn cells_of_an_english_table() {
    let table = "(in thousands)\n\n| | 2024 | % | 2023 | % |\n|---|---|---|---|---|\n| Net revenue | 745,840 | 100.0% | 683,759 | 100.0% |\n\
        | Ferries | 391,588 | 52.9% | $ 427,832 | 63.5% |\n| Trains | 349,252 | 47.1% | $ 245,927 | 36.5% |\n\
        | Interest | (1,250) | | (980) | |\n";
    check_table(
        "eng",
        table,
        &[
            ("Ferries and trains together brought in $673.8 million in 2023.", &["| Ferries", "| Trains"]),
            ("Revenue from trains rose by about $103.3 million from 2023 to 2024.", &["| Trains"]),
            ("Trains were 35.97 % of net revenue in 2023.", &["| Trains", "| Net revenue"]),
            ("Revenue from ferries shrank by 8.5 % in 2024.", &["| Ferries"]),
            ("Interest paid grew by 27.6 % year on year.", &["| Interest"]),
            ("Ferries earned $181.9 million more than trains in 2023.", &["| Trains", "| Ferries"]),
        ],
        &[
            ("Ferries and trains together brought in $637.8 million in 2023.", &["| Ferries", "| Trains"]),
            ("Ferries and trains together brought in $673.8 billion in 2023.", &["| Ferries", "| Trains"]),
            ("Revenue from trains fell by about $103.3 million from 2023 to 2024.", &["| Trains"]),
            ("Revenue from trains grew by 29.6 % in 2024.", &["| Trains"]),
            ("Trains were 35.97 % of net revenue in 2024.", &["| Trains", "| Net revenue"]),
        ],
    );
    let quarters = "Quarter ended      March 31, 2024   June 30, 2024   September 30, 2024   December 31, 2024\n\
        Total revenue      30,888           32,196          37,095               45,059\n";
    check_table(
        "eng",
        quarters,
        &[("Total revenue over all four quarters of 2024 was 145,238.", &["Total revenue"])],
        &[("Total revenue over all four quarters of 2024 was 154,238.", &["Total revenue"])],
    );
}

#[test]
fn a_total_of_thousands_behind_full_stops_is_recalculated() {
    let table = "| Artikel | Bestand |\n|---|---|\n| Anker | 6 |\n| Bolzen | 412 |\n| Clip | 1.150 |\n";
    let rows: &[&str] = &["| Anker", "| Bolzen", "| Clip"];
    let [right, wrong] =
        ["1.568", "1.658"].map(|sum| format!("Bestand: 6 (Anker) + 412 (Bolzen) + 1.150 (Clip) = {sum}."));
    check_table("deu", table, &[(&right, rows)], &[(&wrong, rows)]);
}

#[test]
fn no_figure_is_too_exact_to_be_read() {
    let sentence =
        format!("In total the orchard has 5 apple trees and 7 pear trees, together 0.{} trees.", "3".repeat(330));
    let source = Source::new("The orchard has 5 apple trees and 7 pear trees.", "");
    assert!(!super::check(&sentence, &[&source], Language::ENGLISH).problems.is_empty());
}

#[test]
fn what_a_sentence_names_does_not_grow_from_something_else() {
    let rows = &["| Revenue", "| Costs"];
    check_table(
        "eng",
        "| | 2023 (euros) | 2024 (euros) |\n|---|---|---|\n| Revenue | 1,000,000 | 1,200,000 |\n| Costs | 700,000 | 800,000 |\n",
        &[
            ("Revenue grew by 20 percent from 2023 to 2024.", rows),
            ("Revenue and costs together came to 2,000,000 euros in 2024.", rows),
        ],
        &[
            ("Revenue grew by 50 percent in 2024.", rows),
            ("Revenue grew by 14.3 percent from 2023 to 2024.", rows),
            ("The sum of revenue was 2,000,000 euros in 2024.", rows),
        ],
    );
    check_table(
        "eng",
        "| Year | Revenue | Costs |\n|---|---|---|\n| 2023 | 1,000,000 | 700,000 |\n| 2024 | 1,200,000 | 800,000 |\n",
        &[("Revenue grew by 20 percent from 2023 to 2024.", &["| 2023", "| 2024"])],
        &[("Revenue grew by 50 percent in 2024.", &["| 2024"])],
    );
}

#[test]
fn figures_of_running_text_are_of_what_their_clauses_name() {
    check_sentence(
        "eng",
        "Revenue was 1,000,000 euros in 2023 and 1,200,000 euros in 2024. Costs came to 800,000 euros in 2024.",
        &[
            "Revenue grew by 20 percent from 2023 to 2024.",
            "The average revenue was 1,100,000 euros.",
            "The sum of revenue was 2,200,000 euros.",
            "Costs were 66.7 percent of revenue in 2024.",
            "The gap between revenue and costs was 400,000 euros in 2024.",
        ],
        &[
            ("Revenue grew by 25 percent from 2023 to 2024.", Kind::Figure),
            ("Revenue grew by 50 percent in 2024.", Kind::Figure),
            ("Revenue fell by 20 percent from 2023 to 2024.", Kind::Derived),
            ("The sum of revenue was 2,000,000 euros in 2024.", Kind::Figure),
            ("Costs were 80 percent of revenue in 2023.", Kind::Figure),
        ],
    );
    check_sentence(
        "eng",
        "Revenue of 1,200,000 euros with costs of 800,000 euros was told. Sales rose from 40,000 to 48,000 tonnes.",
        &["Sales grew by 20 percent."],
        &[("Revenue grew by 50 percent.", Kind::Figure), ("Sales fell by 20 percent.", Kind::Figure)],
    );
    check_sentence(
        "jpn",
        "売上高は2023年に4,000万円、2024年に5,000万円だった。費用は2024年に3,000万円だった。",
        &["売上高は2023年から2024年に25%増加した。"],
        &[("売上高は2024年に66.7%増加した。", Kind::Figure)],
    );
}

#[test]
fn a_result_may_be_of_any_scale_where_the_table_tells_none() {
    let cells = ["Nuclear"].as_slice();
    check_table(
        "eng",
        "| | 1980 | 1990 |\n|---|---|---|\n| Nuclear | 251.1 | 576.9 |\n",
        &[("Between 1980 and 1990 nuclear power went up by 325.8 billion kilowatt-hours.", cells)],
        &[("Between 1980 and 1990 nuclear power went up by 352.8 billion kilowatt-hours.", cells)],
    );
}

#[test]
fn cells_of_a_japanese_table() {
    let rows = "科目: 7. 商工費; 令和元年度 決算額（千円）: 1468102; 令和元年度 構成比（%）: 5; 令和2年度 決算額（千円）: 1075825; 令和2年度 構成比（%）: 2.9.\n\
        科目: 歳出合計; 令和元年度 決算額（千円）: 29362040; 令和元年度 構成比（%）: 100; 令和2年度 決算額（千円）: 36929138; 令和2年度 構成比（%）: 100.\n";
    check_table(
        "jpn",
        rows,
        &[
            ("商工費は令和元年度から令和2年度に26.7%減少した。", &["科目: 7"]),
            ("令和2年度の歳出合計のうち商工費は2.91%を占めた。", &["科目: 7", "科目: 歳出合計"]),
        ],
        &[
            ("商工費は令和元年度から令和2年度に26.7%増加した。", &["科目: 7"]),
            ("商工費は令和元年度から令和2年度に36.5%減少した。", &["科目: 7"]),
        ],
    );
    let table = "(単位:百万円)\n\n売上高 | 前連結会計年度 | 当連結会計年度\n報告セグメント計 | 84,706 | 93,170\n消去 | △1,680 | △1,798\n";
    check_table(
        "jpn",
        table,
        &[("報告セグメント計の売上高は前連結会計年度から8,464百万円増加した。", &["報告"])],
        &[("報告セグメント計の売上高は前連結会計年度から8,446百万円増加した。", &["報告"])],
    );
}

#[test]
fn rows_of_one_table_in_two_passages() {
    let language = Language::ENGLISH;
    let row = |name: &str, amount: &str| Source::new(format!("Region: {name}; Area: {amount}"), "").quoting(0..12);
    let sources = [row("North", "110,442"), row("South", "364,882")];
    let sources: Vec<&Source> = sources.iter().collect();
    let checked = |sentence: &str| check(sentence, &sources, language).problems.is_empty();
    assert!(checked("North and South have an area of 475,324 together."));
    assert!(!checked("North and South have an area of 457,324 together."));
}

#[test]
fn a_number_in_the_title_is_not_compared_with_another_sentence() {
    let text =
        "旅費規程（第３版）\n\n※出張旅費規程 第4版に移行\n\n第9条 出張者は帰着後１０営業日以内に精算書を提出する。";
    let quoted = text.find("第9条").unwrap()..text.len();
    let source = Source::new(text, "旅費規程（第３版）").quoting(quoted);
    let check = |sentence: &str, holds: bool| {
        let problems = super::check(sentence, &[&source], Language::from_code("jpn")).problems;
        assert_eq!(problems.is_empty(), holds, "{sentence}: {problems:?}");
    };
    check("旅費規程（第３版）: 第9条 出張者は帰着後１０営業日以内に精算書を提出する。", true);
    check("旅費規程（第５版）: 第9条 出張者は帰着後１０営業日以内に精算書を提出する。", false);
    check("第9条 出張者は帰着後３営業日以内に精算書を提出する。", false);
}
