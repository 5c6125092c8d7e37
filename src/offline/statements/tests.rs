//! Statements of made-up passages: sentences, items, rows, values, commands, terms with their explanations.

use super::*;
use crate::domain::Headings;
use crate::offline::testing::{card, stated};

fn check(text: &str, expected: &[&str]) {
    let found: Vec<String> = stated(text).iter().map(Statement::shown).collect();
    assert_eq!(found, expected, "{text}");
}

#[test]
fn a_term_stands_before_what_explains_it() {
    check(
        "The ids are divided as follows:\n\n0-99:\n\nAllocated by the project. They are the same everywhere.\n\n100-999:\n\nAllocated by need.",
        &["0-99: Allocated by the project.", "0-99: They are the same everywhere.", "100-999: Allocated by need."],
    );
    check("陈总：\n\n三家公司的报价已经全部收齐。", &["陈总：三家公司的报价已经全部收齐。"]);
    check("He wrote to all of his many friends in the old town:\n\nThe mill is closed.", &["The mill is closed."]);
}

#[test]
fn brackets_around_a_whole_heading_are_no_part_of_it() {
    let check = |text: &str, expected: &str| assert_eq!(stated(text)[0].heading, expected, "{text}");
    check("【第一工場】\n能力：40トン", "第一工場");
    check("## 【人】音を聞く\n\n機械の音を聞いて38年になる。", "【人】音を聞く");
}

#[test]
fn all_that_follows_a_term_is_said_of_it() {
    let text = "OPTIONS\n\nauto:\n\nLimits loose objects. The default is 6700.\n\nNothing else counts.";
    let headings = vec!["OPTIONS".to_owned()].into();
    let found = statements(&EvidenceCard { headings, ..card(1, "", "", text) });
    let found: Vec<(&str, String)> = found.iter().map(|one| (one.heading.as_str(), one.shown())).collect();
    let expected = [
        ("OPTIONS", "auto: Limits loose objects."),
        ("OPTIONS", "auto: The default is 6700."),
        ("OPTIONS › auto", "Nothing else counts."),
    ];
    assert_eq!(found, expected.map(|(heading, text)| (heading, text.to_owned())));
}

#[test]
fn the_title_of_an_item_of_minutes_heads_what_it_says() {
    let check = |title: &str, expected: &[(&str, &str)]| {
        let text = "1. The minutes of May were approved.\n2. Depot at Ford. It stays open for two more years.\n3. The next meeting is in July.\n\n\
                    - Sealer. The offer of Holt amounts to £900.";
        let found = statements(&card(1, title, "", text));
        let found: Vec<(&str, &str)> = found.iter().map(|one| (one.heading.as_str(), one.text.as_str())).collect();
        assert_eq!(found, expected, "{title}");
    };
    check(
        "Minutes of the board",
        &[
            ("", "The minutes of May were approved."),
            ("2. Depot at Ford", "It stays open for two more years."),
            ("", "The next meeting is in July."),
            ("Sealer", "The offer of Holt amounts to £900."),
        ],
    );
    let found = statements(&card(
        1,
        "定例会 議事録",
        "",
        "1. 硬さのばらつき。焼入れ後の硬さが下限を割った。\n2. 返品は2件。月末に多い。",
    ));
    let found: Vec<(&str, &str)> = found.iter().map(|one| (one.heading.as_str(), one.text.as_str())).collect();
    assert_eq!(
        found,
        [("1. 硬さのばらつき", "焼入れ後の硬さが下限を割った。"), ("", "返品は2件。"), ("", "月末に多い。")]
    );
    check(
        "Report of the board",
        &[
            ("", "The minutes of May were approved."),
            ("", "Depot at Ford."),
            ("", "It stays open for two more years."),
            ("", "The next meeting is in July."),
            ("", "Sealer."),
            ("", "The offer of Holt amounts to £900."),
        ],
    );
}

#[test]
fn the_label_of_a_clause_heads_what_it_says() {
    let check = |text: &str, expected: &[(&str, &str)]| {
        let found = stated(text);
        let found: Vec<(&str, &str)> = found.iter().map(|one| (one.heading.as_str(), one.text.as_str())).collect();
        assert_eq!(found, expected, "{text}");
    };
    let lease = "3. Rent. The Lessee shall pay £900 each month. It is paid in advance.\n\n4. **Repair.** The Lessor shall keep it in repair.";
    check(
        lease,
        &[
            ("3. Rent", "The Lessee shall pay £900 each month."),
            ("3. Rent", "It is paid in advance."),
            ("4. Repair", "The Lessor shall keep it in repair."),
        ],
    );
    check(
        "3. Rent. The Lessee shall pay £900 each month.\n4. Repair. The Lessor shall keep it in repair.\n5. Notice. It shall be given in writing and by post.\n6. Damage is made good by the Lessee before he leaves.",
        &[
            ("3. Rent", "The Lessee shall pay £900 each month."),
            ("4. Repair", "The Lessor shall keep it in repair."),
            ("5. Notice", "It shall be given in writing and by post."),
            ("", "Damage is made good by the Lessee before he leaves."),
        ],
    );
    check(
        "1. Открыл собрание Лис П. К. (участок 4). Кворум есть, можно начать работу.\n2. Насос. Его надо купить уже этой весной.",
        &[
            ("", "Открыл собрание Лис П. К. (участок 4)."),
            ("", "Кворум есть, можно начать работу."),
            ("", "Насос."),
            ("", "Его надо купить уже этой весной."),
        ],
    );
    check(
        "1. Wait. Then go on as before and wait.\n2. Close the lid.",
        &[("", "Wait."), ("", "Then go on as before and wait."), ("", "Close the lid.")],
    );
}

#[test]
fn rows_with_units_in_the_names_of_their_columns() {
    let check = |text: &str, expected: Form| assert_eq!(stated(text)[0].form, expected, "{text}");
    check("Year: 2024; Fares (£): 214300; Insurance (£): 26400", Form::Row);
    check("Year: 2024", Form::Pair);
}

#[test]
fn a_row_in_capitals_is_no_heading() {
    check(
        "| Format | Reading | Writing |\n|---|---|---|\n| LZMA | ✅ | |\n| Deflate | ✅ | ✅ |",
        &["Format: LZMA; Reading: ✅", "Format: Deflate; Reading: ✅; Writing: ✅"],
    );
}

#[test]
fn a_line_that_ends_in_a_small_word_goes_on() {
    check(
        "Prices are under pressure: the average price of a logger fell from USD 9.80 in\n2021 to USD 5.40 in 2025.",
        &["Prices are under pressure: the average price of a logger fell from USD 9.80 in 2021 to USD 5.40 in 2025."],
    );
}

#[test]
fn a_year_before_a_sentence_is_its_label() {
    check("**1974.** A new car came. It was red.", &["1974: A new car came.", "It was red."]);
    check("1942 to 1946. Shut by order.", &["1942 to 1946: Shut by order."]);
    check("It cost 30. He paid 3.1.", &["It cost 30.", "He paid 3.1."]);
    check("2.1. The fee is 860 pounds.", &["2.1 The fee is 860 pounds."]);
    check("31.12.2025. A new car came.", &["31.12.2025: A new car came."]);
}

#[test]
fn a_greeting_introduces_nothing() {
    check("Buenos días:\n\nAnoche se paró la bomba.", &["Anoche se paró la bomba."]);
    check("Estimada Ana:\n\nLa bomba va.", &["La bomba va."]);
    check("Nota:\n\nLa bomba va.", &["Nota: La bomba va."]);
}

#[test]
fn what_is_for_editors_and_browsers_states_nothing() {
    check(
        "It is 1.85.\n[#12]: https://example.org/12\n[a b]: /c.md\n\n<!-- Also change:\n- a.md\n-->\nIt lasts.",
        &["It is 1.85.", "It lasts."],
    );
    check("<!-- checked --> The mill costs 12 pounds.", &["The mill costs 12 pounds."]);
    check("<!-- checked\nby Ann --> on Monday\nThe mill is old.", &["The mill is old."]);
    check("---\ntitle: Mill\n---\nThe mill is open.", &["The mill is open."]);
    check("---\nThe mill is open.\n---\nIt is old.", &["The mill is open.", "It is old."]);
}

#[test]
fn marks_of_notes_and_tasks_are_not_said() {
    check("It ran.[^b] It was liked.", &["It ran. It was liked."]);
    check(".. note::\n\n.. _kilns:\n\nThe kiln burns lime.", &["The kiln burns lime."]);
    check(
        "* Pumps\n:PROPERTIES:\n:ID: 7\n:END:\nThe pump lifts 940 gallons.",
        &["Pumps", "The pump lifts 940 gallons."],
    );
    check("- [x] The bridge was painted.\n- [ ] Order a ladder.", &["The bridge was painted.", "Order a ladder."]);
    check("5 engines slept. <!-- ask Ann --> They woke.", &["5 engines slept.", "They woke."]);
    check("The tunnel &mdash; 530&nbsp;yards long &amp; dry.", &["The tunnel — 530 yards long & dry."]);
    check(
        "It takes 96 threads.footnote:[The shuttle is of boxwood.]",
        &["It takes 96 threads. (The shuttle is of boxwood.)"],
    );
}

#[test]
fn sentences_of_running_text() {
    check(
        "# Warranty\n\nAcme warrants the cartridges\nfor 18 months. It pays for the post.",
        &["Acme warrants the cartridges for 18 months.", "It pays for the post."],
    );
    check("保証期間は18か月です。送料は当社が負担します。", &["保証期間は18か月です。", "送料は当社が負担します。"]);
    check("---\ntitle: A page\n---\nThe body counts.", &["The body counts."]);
}

#[test]
fn a_broken_line_goes_on() {
    check(
        "It is agreed that both of us will come. We also have to tell the\nwater authority: our permit ends in May.",
        &[
            "It is agreed that both of us will come.",
            "We also have to tell the water authority: our permit ends in May.",
        ],
    );
    let long = "Total: £318 before tax. Of this sum 40% was paid with the order, the rest is due 30 days\nafter acceptance. \
        Delivery is promised for 13 October; for each full week of delay one percent of the price is deducted, but no more \
        than five, and the fitter stays for three days.";
    let found = stated(long);
    assert_eq!(found[0].shown(), "Total: £318 before tax.");
    assert_eq!(found[1].shown(), "Of this sum 40% was paid with the order, the rest is due 30 days after acceptance.");
    // Values on consecutive lines stay separate, however long they are.
    check(
        "description: what the machine is for, told in one long line without an end\nport: 80",
        &["description: what the machine is for, told in one long line without an end", "port: 80"],
    );
}

#[test]
fn a_name_in_brackets_is_the_heading_of_its_values() {
    let found = stated("【第一工場】\n能力：40トン\n所在地:港町 10:30\n\n【重要】は別に示す。\n");
    let found: Vec<(&str, String)> = found.iter().map(|one| (one.heading.as_str(), one.shown())).collect();
    assert_eq!(found[0], ("第一工場", "能力：40トン".to_owned()));
    assert_eq!(found[1], ("第一工場", "所在地:港町 10:30".to_owned()));
    assert_eq!(found[2].1, "【重要】は別に示す。");
}

#[test]
fn items_keep_what_introduces_them() {
    check(
        "Whom to call:\n\n- Help desk: Maria Lopez, extension 3310\n- Fire: 112",
        &["Whom to call: Help desk: Maria Lopez, extension 3310", "Whom to call: Fire: 112"],
    );
    check(
        "- \"Depends\"\n\n  - これは絶対依存を宣言します。\n\n- Fruit\n  - an apple\n  - a pear\n- Bread and butter",
        &["\"Depends\": これは絶対依存を宣言します。", "Fruit: an apple", "Fruit: a pear", "Bread and butter"],
    );
    check("1. Open the lid.\n2. Fill in water.", &["Open the lid.", "Fill in water."]);
    check("Whom to call:\n\n- Fire: 112\n\nThe office is shut.", &["Whom to call: Fire: 112", "The office is shut."]);
    check("盗難を防ぐには、次の対策が必要です。\n\n- 扉に施錠", &["盗難を防ぐには、次の対策が必要です。 扉に施錠"]);
}

#[test]
fn rows_name_their_columns() {
    check(
        "| Plan | Price |\n|---|---|\n| Basic | $5 |\n| Pro | $12 |",
        &["Plan: Basic; Price: $5", "Plan: Pro; Price: $12"],
    );
    check(
        "支店 | 店長 | 電話\n名古屋 | 山田花子 | 052\n大阪 | 鈴木一郎 | 06",
        &["支店: 名古屋; 店長: 山田花子; 電話: 052", "支店: 大阪; 店長: 鈴木一郎; 電話: 06"],
    );
    check("Landlord | Fulmar Estates\nDeposit | £6,900", &["Landlord: Fulmar Estates", "Deposit: £6,900"]);
    check(
        "| North | South\nPrice | £38 | £52\nStored in | Ireland | Utah\nSign-on | included | extra",
        &[
            "Price; North: £38; South: £52",
            "Stored in; North: Ireland; South: Utah",
            "Sign-on; North: included; South: extra",
        ],
    );
    check(
        "Device | Interval 15 min | A3\nLG-5 | 30 months | no",
        &["Device: LG-5; Interval 15 min: 30 months; A3: no"],
    );
    check(
        "Ferry | 1 March to 31 May | 1 June to 31 August\nNorth pier | 6 crossings | one an hour",
        &["Ferry: North pier; 1 March to 31 May: 6 crossings; 1 June to 31 August: one an hour"],
    );
    check(
        "Spring fair | 3 May | 9 to 5\nSummer fair | 7 June | 10 to 6",
        &["Spring fair; 3 May; 9 to 5", "Summer fair; 7 June; 10 to 6"],
    );
    check("MX-25 | red | large\nMX-40 | blue | small", &["MX-25; red; large", "MX-40; blue; small"]);
    check("Goods-in ........ DU-1 (labels)\nOffice .... DU-2", &["Goods-in: DU-1 (labels)", "Office: DU-2"]);
    check(
        "It rained, and so on it went. Then .... it was sunny.",
        &["It rained, and so on it went.", "Then .... it was sunny."],
    );
    check("£m | 2023 | Budget 2025\nRevenue | 9.7 | 13.9", &["£m: Revenue; 2023: 9.7; Budget 2025: 13.9"]);
    check("| | |\n|---|---|\n| Severity | high |", &["Severity: high"]);
    check("name: Nagoya; manager: H. Yamada", &["name: Nagoya; manager: H. Yamada"]);
}

#[test]
fn values_behind_their_names() {
    check("Deadline: 30 June\nOwner: Finance", &["Deadline: 30 June", "Owner: Finance"]);
    check("締切：6月30日", &["締切：6月30日"]);
}

#[test]
fn values_behind_names_and_blanks() {
    check(
        "実施日　　10月14日（火）\n場所　　　本社1階　食堂\n持ち物　　問診票、健康保険証、\n　　　　　検便容器\n費用　　　会社負担。ただし、検査は自己負担。",
        &[
            "実施日: 10月14日（火）",
            "場所: 本社1階 食堂",
            "持ち物: 問診票、健康保険証、検便容器",
            "費用: 会社負担。ただし、検査は自己負担。",
        ],
    );
    check(
        "Place:  Hall\nDress code    smart\nParking       behind the mill",
        &["Place: Hall", "Dress code: smart", "Parking: behind the mill"],
    );
    // One such line, a list of people and the rows of a table are none.
    check(
        "拝啓　時下ますますご清栄のこととお喜び申し上げます。",
        &["拝啓 時下ますますご清栄のこととお喜び申し上げます。"],
    );
    assert!(stated("田中　太郎\n鈴木　花子").iter().all(|one| one.form == Form::Sentence));
    assert!(stated("Bolt    M8    3.20\nNut     M8    1.10").iter().all(|one| one.form == Form::Sentence));
    assert!(
        stated("第1条　この規程は目的を定める。\n第2条　この規程は範囲を定める。")
            .iter()
            .all(|one| one.form == Form::Sentence)
    );
}

#[test]
fn the_number_and_the_name_of_an_article_head_it() {
    let check = |text: &str, expected: &[(&str, &str)]| {
        let found = stated(text);
        let found: Vec<(&str, &str)> = found.iter().map(|one| (one.heading.as_str(), one.text.as_str())).collect();
        assert_eq!(found, expected, "{text}");
    };
    check("第2条（委託料）\n委託料は、月額180万円とする。", &[("第2条（委託料）", "委託料は、月額180万円とする。")]);
    check("第十条の二（再委託）\n再委託は認めない。", &[("第十条の二（再委託）", "再委託は認めない。")]);
    check(
        "第2条（委託料）\n委託料は、月額180万円とする。\n\n2023年6月15日",
        &[("第2条（委託料）", "委託料は、月額180万円とする。"), ("", "2023年6月15日")],
    );
    check("第2条（委託料）は改める。", &[("", "第2条（委託料）は改める。")]);
    check(
        "- Crieff. The notice for the shop was not sent.\n- Tender at Orme. A bid will be handed in by 20 January.",
        &[
            ("Crieff", "The notice for the shop was not sent."),
            ("Tender at Orme", "A bid will be handed in by 20 January."),
        ],
    );
    check(
        "- Crieff. The notice was not sent at all.\n- It is closed.\n- It is shut.",
        &[("", "Crieff."), ("", "The notice was not sent at all."), ("", "It is closed."), ("", "It is shut.")],
    );
}

#[test]
fn commands_stand_behind_the_sentence_that_introduces_them() {
    check(
        "Undo a commit but keep the changes:\n\n```\ngit reset --soft HEAD~1\n```\n",
        &["Undo a commit but keep the changes: `git reset --soft HEAD~1`"],
    );
    check(
        "Delete a remote branch so.\n\n```sh\n# with the name of the branch\ngit push origin --delete topic\n```\n",
        &["Delete a remote branch so.", "Delete a remote branch so. `git push origin --delete topic`"],
    );
    check(
        "次のようにして全消去します。\n\n# dd if=/dev/zero of=/dev/sda\n\n# the end of it\n",
        &["次のようにして全消去します。 `dd if=/dev/zero of=/dev/sda`"],
    );
}

#[test]
fn answers_stand_behind_their_questions() {
    check("Q: Who may park here?\nA: Visitors only.", &["Who may park here? Visitors only."]);
    check("問：駐車できますか。\n答：来客のみ可能です。", &["駐車できますか。 来客のみ可能です。"]);
    check("**Can I pay by card?**\n\nYes, at the desk.", &["Can I pay by card? Yes, at the desk."]);
}

#[test]
fn a_short_answer_is_told_whole() {
    check(
        "# Badges\n\nMy badge opens no door. What now?\n\nRights end after 90 days. Ask the reception.",
        &["My badge opens no door. What now? Rights end after 90 days. Ask the reception."],
    );
    check(
        "社員証をなくしました。どうすればよいですか。\n\n総務へ電話してください。三日かかります。",
        &["社員証をなくしました。どうすればよいですか。 総務へ電話してください。三日かかります。"],
    );
}

#[test]
fn known_headings_are_no_statements() {
    let headings = Headings::from(vec!["Hotels".to_owned()]);
    let found = statements(&EvidenceCard { headings, ..card(1, "", "", "Hotels\n\nAt most 140 euros.") });
    let found: Vec<(&str, &str)> = found.iter().map(|one| (one.heading.as_str(), one.text.as_str())).collect();
    assert_eq!(found, [("Hotels", "At most 140 euros.")]);
}

#[test]
fn a_label_stands_below_the_heading_above_it() {
    let found = stated("## 6 May\n\nClubs. The choir meets on Mondays.\n\nThe shop is shut.");
    let found: Vec<(String, &str)> = found.iter().map(|one| (one.headings(), one.text.as_str())).collect();
    let found: Vec<(&str, &str)> = found.iter().map(|(headings, text)| (headings.as_str(), *text)).collect();
    assert_eq!(found, [("6 May › Clubs", "The choir meets on Mondays."), ("6 May", "The shop is shut.")]);
}

#[test]
fn a_label_in_bold_names_what_stands_behind_it() {
    check(
        "**Symptom.** The pump hums.\n**Cause.** The filter is full. It has to be changed.",
        &["Symptom: The pump hums.", "Cause: The filter is full. It has to be changed."],
    );
    check("**故障。**電源が切れた。", &["故障: 電源が切れた。"]);
    check("**原因**　電源が入っていません。", &["原因: 電源が入っていません。"]);
    check("**The pump** hums.", &["The pump hums."]);
    check("**Goods-in** ........ 204", &["Goods-in: 204"]);
    let long = "It is changed by whoever holds the key to the cellar, and nobody else may open the door of the room \
                in which the pump stands, the filter hangs, the spare parts lie, the book is kept \
                and the old bicycles of the club are stored.";
    check(&format!("**Cause.** The filter is full. {long}"), &["Cause: The filter is full.", long]);
}

#[test]
fn a_short_block_of_commands_is_told_whole() {
    check(
        "## Restart\n\nStop the intake first:\n\n```sh\nctl --pause\nsystemctl restart shop\nctl --resume\n```\n",
        &["Stop the intake first: `ctl --pause` `systemctl restart shop` `ctl --resume`"],
    );
    check("```sh\nctl --pause # wait\nctl --resume\n```\n", &["`ctl --pause # wait`", "`ctl --resume`"]);
}

#[test]
fn reference_numbers_and_links_do_not_pass_for_citations() {
    check("The [first film](http://x.y/z) earned a lot[12] in 2007 [3].", &["The first film earned a lot in 2007."]);
    check("The film [[3]] was seen.", &["The film was seen."]);
    check("It was seen.[citation needed] It was liked.", &["It was seen. It was liked."]);
}

proptest::proptest! {
    #[test]
    fn every_statement_stands_in_its_text(text in "[\\PC\n\\[\\]()*`|#:;：。-]{0,120}") {
        for statement in stated(&text) {
            proptest::prop_assert!(text.get(statement.range.clone()).is_some_and(|words| !words.trim().is_empty()));
        }
    }
}

#[test]
fn the_last_sentence_of_a_paragraph_introduces_a_list() {
    check(
        "The mayor was told. Two offers came for the boiler:\n  – Vesle: 18 640 €, five weeks;\n  – Rémy: 17 915 €, eleven weeks.\nThe first was taken.",
        &[
            "The mayor was told.",
            "Two offers came for the boiler: Vesle: 18 640 €, five weeks;",
            "Two offers came for the boiler: Rémy: 17 915 €, eleven weeks.",
            "The first was taken.",
        ],
    );
}

#[test]
fn a_label_without_marks_heads_its_paragraph() {
    let check = |text: &str, expected: &[(&str, &str)]| {
        let all = statements(&card(1, "News", "", text));
        let found: Vec<(&str, &str)> = all.iter().map(|one| (one.heading.as_str(), one.text.as_str())).collect();
        assert_eq!(found, expected, "{text}");
    };
    check(
        "Clubs. The choir meets on Mondays. Bring a pen.\n\nThe shop is shut.",
        &[("Clubs", "The choir meets on Mondays."), ("Clubs", "Bring a pen."), ("", "The shop is shut.")],
    );
    check(
        "Skel Rock. The tower is of granite.\nCape Annan. The tower is of brick.",
        &[("Skel Rock", "The tower is of granite."), ("Cape Annan", "The tower is of brick.")],
    );
    check("Кружки. Хор собирается по средам.", &[("Кружки", "Хор собирается по средам.")]);
    check(
        "He agreed. The shop will be shut on Mondays.",
        &[("", "He agreed."), ("", "The shop will be shut on Mondays.")],
    );
    check(
        "- Stop it. Then call the engineer of the day.",
        &[("", "Stop it."), ("", "Then call the engineer of the day.")],
    );
}

#[test]
fn a_long_label_in_bold_heads_its_paragraph() {
    let found = stated(
        "**Article 7 – Rates of the halls.** The hall with the stage costs 380 € for a weekend in summer. The room costs 120 €.",
    );
    let found: Vec<(&str, &str)> = found.iter().map(|one| (one.heading.as_str(), one.text.as_str())).collect();
    assert_eq!(
        found,
        [
            ("Article 7 – Rates of the halls", "The hall with the stage costs 380 € for a weekend in summer."),
            ("Article 7 – Rates of the halls", "The room costs 120 €.")
        ]
    );
    let found = stated("**Motion no 12 – New windows for the old school.** The motion is carried. Work begins in May.");
    let heading = "Motion no 12 – New windows for the old school";
    assert!(found.len() == 2 && found.iter().all(|one| one.heading == heading), "{found:?}");
}
