//! Which dates of a text, or of a file's name, are the document's own.

use super::*;
use crate::documents::parse::parse;

/// The day of a file and its origin.
fn day(name: &str, text: &str) -> Option<(String, DateOrigin)> {
    let (_, parsed) = parse(Path::new(name), text.as_bytes().to_vec()).unwrap();
    parsed.date.map(|date| (date.date.to_string(), date.origin))
}

fn check_own(text: &str, expected: &str) {
    let found = day("note.txt", &format!("{text}\n\nThe rest of it is text of several words.\n"));
    assert_eq!(found, Some((expected.to_owned(), DateOrigin::Dateline)), "{text}");
}

fn check_foreign(text: &str) {
    assert_eq!(day("note.txt", &format!("{text}\n\nThe rest of it is text of several words.\n")), None, "{text}");
}

fn check_name(name: &str, expected: Option<&str>) {
    assert_eq!(date_in_file_name(Path::new(name)).map(|date| date.to_string()).as_deref(), expected, "{name}");
}

#[test]
fn dates_that_a_text_tells_of_are_foreign() {
    for text in [
        "The inquiry was prepared by a commission, 3 March 2024 being its last day.",
        "Kurt Gerron was born on July 15, 1905 in Berlin.",
        "Anna Brown (born July 15, 1905; died May 3, 1999) was a painter.",
        "born July 15, 1905",
        "Born: July 15, 1905",
        "Date of birth: 15 July 1985",
        "On 7 December 1941 the harbour was attacked.",
        "July 20, 1969: the landing on the Moon",
        "The Wall Street Crash, 29 October 1929",
        "Treaty of 24 August 1989",
        "It was on 3 October 1990 that the two states became one.",
        "The company was founded on 1 April 1986 in Osaka",
        "Released: July 16, 1999",
        "2011-03-11 14:46 the earth shook in the north-east",
        "This agreement replaces the lease made on 1 February 2024 between A Ltd and B Ltd.",
        "Battle of Hastings\n\n14 October 1066 was the day of the battle.",
        "Titanic, 14 April 1912",
        "1912年4月14日、タイタニック号は氷山に衝突した。",
        "山田太郎（1905年7月15日 - 1999年5月3日）は、日本の画家。",
        "生年月日：1985年7月15日",
        "出生日期：1985年7月15日",
        "成立日期：2008年6月18日",
        "合同到期日期：2030年3月31日",
        "東日本大震災 2011年3月11日",
        "昭和20年8月15日に戦争が終わった。",
        "明治38年7月15日生まれ",
        "平成7年1月17日、阪神・淡路大震災が起きた。",
        "Am 9. November 1989 fiel die Mauer.",
        "Le 14 juillet 1989, la foule était là.",
        "El 23 de febrero de 1981 hubo un golpe.",
        "Il 2 giugno 1986 fu un lunedì.",
        "Urodzony 3 maja 1985 w Krakowie.",
        "9 мая 1985 года отмечали день победы.",
        "1989年11月9日，柏林墙倒塌。",
        "July 4, 1996\nThe ships come.\nJuly 5, 1996\nThey go.\nJuly 6, 1996\nNothing.",
        "Opening ceremony on 23 July 2021 in Tokyo",
        "Since 25 May 2018 the regulation applies.",
        "En París, el 3 de mayo de 1998 murió el pintor.",
        "En séance du 3 mars 1998 le conseil avait refusé.",
        "Expires: 2024-01-01",
        "Deadline: 3 March 2024",
        "截止时间：2024年4月20日",
        "The date was 2024-01-01 as far as anyone knew",
        "Пётр родился 3 марта 1985 года в г. Мурманске",
        "Новая редакция романа вышла 3 марта 1985 года",
        "In January 2025 the river rose.",
        "The club was founded in March 1986",
        "2011年3月の地震",
    ] {
        check_foreign(text);
    }
}

#[test]
fn minutes_are_of_their_meeting() {
    let text = "# Ouvel Town Council\n\n## Minutes of the meeting held on 3 October 2022, 7 p.m., in the hall\n\n\
                All came.\n\n*Signed:* A. Reed, 7 November 2022\n";
    let (_, parsed) = parse(Path::new("minutes.md"), text.as_bytes().to_vec()).unwrap();
    assert_eq!(parsed.date.map(|date| date.date.to_string()).as_deref(), Some("2022-10-03"));
    let title = "Minutes of the meeting held on 3 October 2022, 7 p.m., in the hall – Ouvel Town Council";
    assert_eq!(parsed.title.as_deref(), Some(title));
}

#[test]
fn the_day_of_another_paper_is_not_that_of_the_one_that_names_it() {
    for (text, expected) in [
        ("Addendum No. 2 to the lease of 3 May 2023\nMade on 4 June 2024", "2024-06-04"),
        ("SECOND ADDENDUM to the Boat Charter dated 3 May 2023, m.v. Heron\nSigned 4 June 2024", "2024-06-04"),
        ("Nachtrag zum Pachtvertrag vom 3. Mai 2023\nStand: 4. Juni 2024", "2024-06-04"),
        ("2023年5月3日付賃貸借契約の変更について\n\n発行日：2024年6月4日", "2024-06-04"),
        ("Addendum to the lease, dated 4 June 2024", "2024-06-04"),
        ("Minutes of the meeting of 4 June 2024", "2024-06-04"),
    ] {
        check_own(text, expected);
    }
    for text in ["Addendum to the lease dated 3 May 2023", "令和5年5月3日付 委託契約の改定のお知らせ"]
    {
        check_foreign(text);
    }
}

#[test]
fn dates_where_documents_put_theirs_are_their_own() {
    for (text, expected) in [
        ("Minutes\n3 October 2022", "2022-10-03"),
        ("生效日期：2025年4月1日", "2025-04-01"),
        ("تاريخ السريان: 1 أبريل 2025", "2025-04-01"),
        ("Biên bản họp ngày 3 tháng 4 năm 2025", "2025-04-03"),
        ("Toplantı Tutanağı, 3 Nisan 2025", "2025-04-03"),
        ("Date of the lease: 3 April 2025", "2025-04-03"),
        ("Date du contrat : 3 avril 2025", "2025-04-03"),
        ("TARN LIFTS LTD\nBulletin 8        3 October 2022\n\nSubject: Ice at the door", "2022-10-03"),
        ("NỘI QUY\nNgày ban hành: 8 tháng 3 năm 2021\n\nĐiều 1.", "2021-03-08"),
        ("THÔNG BÁO\nNgày 22 tháng 4 năm 2024\n\nThư viện", "2024-04-22"),
        ("ΑΝΑΚΟΙΝΩΣΗ\nΗμερομηνία: 2 Απριλίου 2024", "2024-04-02"),
        ("لائحة الاستعارة\nتاريخ الصدور: 10 يناير 2022", "2022-01-10"),
        ("حريق في السُّمار\nالسُّمار، 18 نوفمبر 2023 – اندلع حريق كبير فجر أمس", "2023-11-18"),
        ("सूचना\nजारी करने की तिथि: 12 फ़रवरी 2024", "2024-02-12"),
        ("ระเบียบ\nประกาศ ณ วันที่ 15 กุมภาพันธ์ พ.ศ. 2565", "2022-02-15"),
        ("ANUNȚ\nData emiterii: 3 mai 2024", "2024-05-03"),
        ("KURALLAR\nYayım tarihi: 6 Eylül 2021", "2021-09-06"),
        ("Explozie la o brutărie\nRâușor, 7 noiembrie 2023 – O explozie puternică a distrus brutăria", "2023-11-07"),
        ("Minutes of the meeting\n=======\n\nBoston, 3 October 2022", "2022-10-03"),
        ("Minutes of 3 October 2022", "2022-10-03"),
        ("A guide to maps\nUpdated 2025-02-03", "2025-02-03"),
        ("A guide to maps (updated 2025-02-03)", "2025-02-03"),
        ("A guide to maps\n*Last updated on May 3, 2024*", "2024-05-03"),
        ("**Date:** 2024-05-01", "2024-05-01"),
        ("Date: Mon, 3 Oct 2022 09:30:00 GMT", "2022-10-03"),
        ("| Date | 2024-05-01 |", "2024-05-01"),
        ("Published 2024-01-01 · Updated 2025-02-03", "2025-02-03"),
        ("By Jane Doe | March 3, 2024", "2024-03-03"),
        ("Posted on March 3, 2024 by Jane Doe", "2024-03-03"),
        ("Sales report\n\nPrepared by Jane Doe, 3 March 2024.", "2024-03-03"),
        ("Bericht\n\nErstellt von Eva Kern, 3. März 2024", "2024-03-03"),
        ("PARIS, March 3, 2024 (Agency) — The river has risen.", "2024-03-03"),
        ("Monday, 4 March 2024", "2024-03-04"),
        ("Date: 2024-05-07 Tuesday", "2024-05-07"),
        ("Date: 2024-05-07T10:30", "2024-05-07"),
        ("Treaty\nConcluded on 3 May 2024", "2024-05-03"),
        ("Satzung\nFassung vom 3. Mai 2024", "2024-05-03"),
        ("Protokół\nPosiedzenie z dnia 3 maja 2024", "2024-05-03"),
        ("Regulamin\nObowiązuje od 3 maja 2024", "2024-05-03"),
        ("Правила\nДействует с 03.05.2024", "2024-05-03"),
        ("Regulament\nÎn vigoare de la 3 mai 2024", "2024-05-03"),
        ("Date: July 15, 1905\nDear Sir,", "1905-07-15"),
        ("日時：2025年4月18日", "2025-04-18"),
        ("稟議書\n| 起案日 | 令和7年4月28日 |", "2025-04-28"),
        ("稟議書\n起案日 令和7年4月28日", "2025-04-28"),
        ("Distribution\nThis agreement is made on 1 February 2024 between A Ltd and B Ltd.", "2024-02-01"),
        ("Charter\nThis charter agreement was entered into on 1 February 2024 by A and B.", "2024-02-01"),
        ("Bail\nLe présent contrat est conclu le 3 mars 2024 entre A et B.", "2024-03-03"),
        ("会议纪要\n时间：2024年4月20日下午三点。地点：一楼。", "2024-04-20"),
        ("令和6年7月30日\n安全推進室\n\n落石事故の原因について\n\n日時　令和6年3月18日\n", "2024-07-30"),
        ("2016年10月3日\n要綱\n最終改正　2023年7月1日\n", "2023-07-01"),
        ("日時：2025年4月18日（金）10時00分～", "2025-04-18"),
        ("就業規則（改定 2023年4月1日）", "2023-04-01"),
        ("就業規則 改定 2023年4月1日", "2023-04-01"),
        ("2023年4月1日改定\n就業規則", "2023-04-01"),
        ("令和7年7月1日", "2025-07-01"),
        ("令和７年７月１日\n○○市長　山田太郎", "2025-07-01"),
        ("お知らせ\n令和七年七月一日　総務課", "2025-07-01"),
        ("更新日：R7.7.1", "2025-07-01"),
        ("平成31年4月1日施行", "2019-04-01"),
        ("就業規則（抜粋）　2021年10月1日施行版", "2021-10-01"),
        ("議事録 2025年4月18日", "2025-04-18"),
        ("最終更新日：2024年5月3日", "2024-05-03"),
        ("発布日期 2020年1月1日\n发布日期：2024年6月7日", "2024-06-07"),
        ("Stand: 3. Oktober 2022", "2022-10-03"),
        ("Zuletzt aktualisiert am 3. März 2024", "2024-03-03"),
        ("Publié le 3 mars 2024", "2024-03-03"),
        ("Fecha: 3 de marzo de 2024", "2024-03-03"),
        ("Дата: 3 марта 2024", "2024-03-03"),
        ("Fecha: lunes, 20 de mayo de 2024, 9:12", "2024-05-20"),
        ("Date : lundi 22 janvier 2024, 08 h 52", "2024-01-22"),
        ("Acuerdo\n\nEn Valdehiguera, a 20 de febrero de 2023.", "2023-02-20"),
        ("Bail\n\nFait à Toulouse, le 12 décembre 2023, en deux exemplaires.", "2023-12-12"),
        ("Procès-verbal\nSéance du mardi 12 mars 2024, à 18 h 30, salle Riquet", "2024-03-12"),
        ("Règlement\nAssociation « Le Canal » – version 3, applicable au 1er septembre 2022", "2022-09-01"),
        ("Ordnung\nGültig ab 1. Januar 2024", "2024-01-01"),
        ("Vereinbarung\n\nIserlohn, den 12. Juni 2024\ngez. Voss", "2024-06-12"),
        ("Contrat\n\nFait à Reims en deux exemplaires, le 17 avril 2023", "2023-04-17"),
        ("Plan\nStand 20.01.2025", "2025-01-20"),
        ("Règlement\nMJC du Moulin – adopté par l'assemblée générale du 26 mars 2022", "2022-03-26"),
        ("Reglamento\nCooperativa · Versión aprobada por el Consejo Rector el 9 de febrero de 2024", "2024-02-09"),
        ("Reglement\nVastgesteld door de vergadering van eigenaars op 18 april 2023. Geldt voor alle.", "2023-04-18"),
        ("Правила\nЗдание на Лесной, 31. Утверждены приказом директора от 12 января 2024 г. № 4", "2024-01-12"),
        ("Отчёт\nДата: 24.01.2025", "2025-01-24"),
        ("Вопросы\nОбновлено 05.11.2024", "2024-11-05"),
        ("Domande\nValide per tutti. Aggiornate il 20/01/2025.", "2025-01-20"),
        ("办法\n财务部发布　2023年3月1日起施行", "2023-03-01"),
        ("办法\n\n第九条　本办法自2025年1月1日起施行。", "2025-01-01"),
        ("규정\n한빛정밀 총무팀, 2024년 5월 1일 시행", "2024-05-01"),
        ("規程\n\n附則\nこの規程は、2025年4月1日から施行する。", "2025-04-01"),
        ("Положение\n\nРедакция от 1 марта 2025 г.", "2025-03-01"),
        ("Положение\n\nРедакция от 3 февраля 2025 года. Редакция от 12 января 2022 года утратила силу.", "2025-02-03"),
        ("Правила\n\nВерсия от 03.02.2025", "2025-02-03"),
        ("Правила\n\nУтверждено 3 февраля 2025 года", "2025-02-03"),
        ("Тарифы\n\nПо состоянию на 1 марта 2025 г.", "2025-03-01"),
        ("Договор аренды\n\nг. Мурманск, 18 декабря 2024 г.", "2024-12-18"),
        ("Договор аренды\n\nг. Мурманск          «18» декабря 2024 г.", "2024-12-18"),
        ("Cennik\n\nWersja z dnia 3 lutego 2025 r.", "2025-02-03"),
        ("Cennik\n\nStan na dzień 3 lutego 2025 r.", "2025-02-03"),
        ("Regulamin\n\nZatwierdzono 3 lutego 2025 r.", "2025-02-03"),
        ("Preisliste\n\nStand: Januar 2025", "2025-01-01"),
        ("Tarifs\n\nVersion de mars 2024", "2024-03-01"),
        ("Tarifs\n\nÉtat au 3 mars 2024", "2024-03-03"),
        ("Tarifas\n\nVersión de 3 de marzo de 2024", "2024-03-03"),
        ("Listino\n\nEdizione del 3 marzo 2024", "2024-03-03"),
        ("Tabela\n\nVersão de 3 de março de 2024", "2024-03-03"),
        ("Prijslijst\n\nVersie van 3 maart 2024", "2024-03-03"),
        ("料金表\n2025年1月改定", "2025-01-01"),
    ] {
        check_own(text, expected);
    }
}

#[test]
fn no_label_ends_in_a_word_that_is_taken_off_before_it_is_looked_up() {
    for label in LABELS {
        let last = label.rsplit_once(' ').map(|(_, last)| last);
        assert!(last.is_none_or(|last| !ON.contains(&last) && !words::is_time(last)), "{label}");
    }
}

#[test]
fn the_end_of_a_text_may_say_it_too() {
    let text = format!("A guide\n\n{}\nLast updated: 3 May 2024\n", "Some words of the guide.\n".repeat(400));
    assert_eq!(day("guide.txt", &text), Some(("2024-05-03".to_owned(), DateOrigin::Dateline)));
    let foreign = format!("A guide\n\n{}\nThe war ended on 3 May 1985.\n", "Some words.\n".repeat(400));
    assert_eq!(day("guide.txt", &foreign), None);
}

#[test]
fn names_of_files() {
    check_name("/a/2023-04-01-minutes.md", Some("2023-04-01"));
    check_name("/a/minutes_20230401.pdf", Some("2023-04-01"));
    check_name("/a/20250418議事録.txt", Some("2025-04-18"));
    check_name("/a/議事録_令和5年4月1日.docx", Some("2023-04-01"));
    check_name("/a/Minutes 3 October 2022.txt", Some("2022-10-03"));
    check_name("/a/2023.04.01/notes.md", None);
    check_name("/a/part-1234567890.txt", None);
    check_name("/a/v20230401.txt", None);
    check_name("/a/20231301.txt", None);
    check_name("/a/apollo-1969-07-20.txt", None);
}

#[test]
fn what_says_more_wins() {
    let check = |name: &str, text: &str, expected: (&str, DateOrigin)| {
        assert_eq!(day(name, text), Some((expected.0.to_owned(), expected.1)), "{name} {text}");
    };
    let front = "---\ndate: 2020-01-02\n---\nUpdated 2025-02-03\n\nText.";
    check("2019-01-01.md", front, ("2020-01-02", DateOrigin::FrontMatter));
    check("2019-01-01.md", "# Guide\n\nUpdated 2025-02-03\n\nText.", ("2025-02-03", DateOrigin::Dateline));
    check("2019-01-01.md", "# Guide\n\nText.", ("2019-01-01", DateOrigin::FileName));
    let page = "<meta name=date content=2020-01-02><p>Updated 2025-02-03</p><p>Text of the page.</p>";
    check("x.html", page, ("2020-01-02", DateOrigin::Metadata));
    check("x.html", "<h1>Page</h1><p>Updated 2025-02-03</p><p>Text.</p>", ("2025-02-03", DateOrigin::Dateline));
}

#[test]
fn a_day_may_be_followed_by_a_sentence_and_preceded_by_one_or_an_office() {
    for (text, expected) in [
        ("Valid from 1 February 2026. This policy replaces the policy of 2024.", "2026-02-01"),
        ("From: Ada Lovelace. To: heads of division. Date: 9 February 2026.", "2026-02-09"),
        ("Between Halden AB (the buyer) and Orbis BV (the supplier). Signed on 4 October 2023.", "2023-10-04"),
        ("人事課　2026年1月20日", "2026-01-20"),
        ("作成：総務部　2026年3月2日", "2026-03-02"),
        ("甲と乙は、次のとおり契約する。締結日：2025年6月16日", "2025-06-16"),
        ("**Date:** Tuesday 23 January 2024, 18:00 to 20:10\n**Place:** Quay House", "2024-01-23"),
        ("総務通達　第２５−０３号\n令和７年３月１４日\n\n社員各位\n\n１．施行日\n　令和７年４月１日", "2025-03-14"),
    ] {
        check_own(text, expected);
    }
    for text in ["The house burned down on 4 May 1986. It was rebuilt.", "会社の設立　1985年4月1日"] {
        check_foreign(text);
    }
}
