//! Decides whether one of two documents is a newer version of the other, or says that it replaces it.

use std::collections::BTreeSet;

use super::amendments::{amendment_named, amends};
use super::cases::are_separate_cases;
use super::clauses::clauses;
use super::edition::{Edition, edition_words, head, is_alike, is_later, is_year, tail};
use super::siblings::{are_of_series, parties};
use crate::base::text::{is_cjk, sentences};

/// Words with which a document says that it replaces another.
const REPEALING: [&str; 35] = [
    "in its place",
    "に改め",
    "repeals",
    "replaces",
    "supersedes",
    "supersede ",
    "is repealed",
    "are repealed",
    "is replaced",
    "are replaced",
    "is superseded",
    "in place of the",
    "no longer applies",
    "is revoked",
    "is rescinded",
    "is withdrawn",
    "is discontinued",
    "ersetzt",
    "außer kraft",
    "aufgehoben",
    "remplace",
    "abroge",
    "abrogé",
    "abrogat",
    "revogad",
    "sustituye",
    "deroga",
    "廃止",
    "改定",
    "改正",
    "に代わ",
    "取って代わ",
    "代替",
    "废止",
    "取代",
];

/// Whether a question asks what changed in a newer version.
pub fn asks_what_changed(question: &str) -> bool {
    const ASKING: &str = "changed|changes|change in|change from|change between|what is new|what's new|are new|is new in|new since|differ|compare|amended|updated|\
        geändert|ändert sich|ändern sich|änderung|unterschied|neu in|changé|changement|nouveau|différen|cambió|cambiado|cambios|diferencia|\
        cambiat|modific|変わ|変更|改定|改正|改訂|違い|異な|新旧|比べ|比較|变化|修改|不同|比较|改了|调整|区别|\
        mudou|mudança|alteraç|diferença|veranderd|gewijzigd|wijziging|verschil|is er anders|is er nieuw|ist anders|zmieni|zmian|różni|schimbat|schimbări|\
        измени|отлича|различ|змін|відрізня|değişti|değişiklik|ändrat|ändring|skillnad|달라|바뀌|변경|차이";
    let lower = question.to_lowercase();
    ASKING.split('|').any(|word| lower.contains(word))
}

/// Whether `newer` is a later version of the same document as `older`. The second amendment of a contract is not a
/// version of the first one, and an amendment that gives single articles other words is none of the contract.
pub fn is_newer_version(newer: &Edition<'_>, older: &Edition<'_>) -> bool {
    let amends_articles = || {
        let mut all = sentences(newer.text).filter_map(|range| newer.text.get(range));
        all.any(|sentence| amends(sentence) && !clauses(sentence).is_empty())
    };
    let amend = amendment_named(newer.title).is_some() && (amendment_named(older.title).is_some() || amends_articles());
    !amend && is_later(newer, older) && is_same_document(newer, older) && !are_of_series(newer, older)
}

/// Whether `newer` says that it repeals or replaces `older`.
pub fn repeals_by_name(newer: &Edition<'_>, older: &Edition<'_>) -> bool {
    !repealing(newer, older).is_empty()
}

/// The sentences in which `newer` says that it repeals or replaces `older`, or a part of it. They name it by most words
/// of its title, of the title's beginning or of its end, or by its number; or both titles begin alike, and the sentence
/// speaks of something earlier.
pub fn repealing<'t>(newer: &Edition<'t>, older: &Edition<'_>) -> Vec<&'t str> {
    let (title, number) = (edition_words(older.title), number(older.title));
    let [head, tail] = [head(older.title), tail(older.title)].map(edition_words);
    // Parts of one work have the same title; versions under one title are told apart by their dates.
    let is_other = newer.path != older.path && title != edition_words(newer.title);
    if title.len() < 2 || !is_other || is_later(older, newer) {
        return Vec::new();
    }
    let same_head = head.len() > 1 && head == edition_words(self::head(newer.title));
    let says = |sentence: &&str| {
        // "改定前の規程による" repeals nothing.
        let lower = BEFORE.iter().fold(sentence.to_lowercase(), |lower, before| lower.replace(before, ""));
        let said = edition_words(sentence);
        let held =
            |named: &BTreeSet<String>| named.iter().filter(|word| said.contains(*word)).count() * 5 >= named.len() * 4;
        let numbered = match &number {
            Some((kind, number)) => bare_words(&lower).windows(2).any(|pair| pair[0] == kind && pair[1] == number),
            None => false,
        };
        let wide = wide_number(older.title).is_some_and(|number| sentence.contains(number));
        // A heading says that something is repealed elsewhere.
        let is_heading = lower.contains(is_cjk) && !lower.contains(['。', 'る', 'た', 'す']);
        !is_heading
            && REPEALING.iter().any(|word| lower.contains(word))
            && (numbered
                || wide
                || held(&title)
                || [&head, &tail].iter().any(|part| part.len() > 1 && held(part))
                || same_head && EARLIER.iter().any(|word| lower.contains(word)))
    };
    sentences(newer.text).filter_map(|range| newer.text.get(range)).filter(says).collect()
}

/// Words for the state before a change.
const BEFORE: [&str; 4] = ["改定前", "改正前", "改訂前", "廃止前"];

/// Words for an earlier document of the same kind.
const EARLIER: [&str; 8] = ["earlier", "previous", "former", "older", "従来", "以前", "旧", "これまで"];

fn bare_words(lower: &str) -> Vec<&str> {
    lower.split_whitespace().map(|word| word.trim_matches(|c: char| !c.is_alphanumeric())).collect()
}

/// The number that identifies a titled document, with the word before it: `bylaw` and `3` of "Bylaw 3 on parking", `no`
/// and `14/1998` of "By-law No. 14/1998".
fn number(title: &str) -> Option<(String, String)> {
    const SECTIONS: [&str; 9] = ["section", "article", "chapter", "part", "page", "clause", "version", "revision", "v"];
    let lower = title.to_lowercase();
    bare_words(&lower).windows(2).find_map(|pair| {
        let is_number = pair[1].starts_with(|c: char| c.is_ascii_digit()) && !is_year(pair[1].parse().unwrap_or(0));
        let is_kind = !pair[0].is_empty() && pair[0].chars().all(char::is_alphabetic) && !SECTIONS.contains(&pair[0]);
        (is_number && is_kind).then(|| (pair[0].to_owned(), pair[1].to_owned()))
    })
}

/// The number of a Japanese or Chinese title: `第16-08号`.
fn wide_number(title: &str) -> Option<&str> {
    let from = &title[title.find('第')?..];
    Some(&from[..from.find('号')? + '号'.len_utf8()]).filter(|number| number.len() < 30)
}

fn is_same_document(one: &Edition<'_>, other: &Edition<'_>) -> bool {
    is_alike(one, other) && parties(one, other).is_none() && !are_separate_cases(one, other)
}

#[cfg(test)]
mod tests {
    use super::super::edition::dated;
    use super::*;

    #[test]
    fn years_of_titles_decide_before_days() {
        let check = |newer: (&str, &str), older: (&str, &str), expected: bool| {
            let (newer, older) = (dated(newer.0, "a.md", newer.1, "x"), dated(older.0, "b.md", older.1, "x"));
            assert_eq!(is_newer_version(&newer, &older), expected, "{} / {}", newer.title, older.title);
        };
        check(("Travel policy 2026", "2013-12-23"), ("Travel policy 2024", "2024-01-01"), true);
        check(("Travel policy 2024", "2024-01-01"), ("Travel policy 2026", "2013-12-23"), false);
    }

    #[test]
    fn versions_share_their_title_and_differ_in_their_day() {
        let check = |one: (&str, &str, &str), other: (&str, &str, &str), expected: bool| {
            let (one, other) = (dated(one.0, one.1, one.2, "x"), dated(other.0, other.1, other.2, "x"));
            assert_eq!(is_newer_version(&one, &other), expected, "{} / {}", one.title, other.title);
        };
        check(("Travel policy 2025", "a.md", "2025-01-01"), ("Travel policy 2021", "b.md", "2021-01-01"), true);
        check(("Travel policy 2021", "a.md", "2021-01-01"), ("Travel policy 2025", "b.md", "2025-01-01"), false);
        check(("旅費規程 令和7年版", "a.md", "2025-04-01"), ("旅費規程 平成30年版", "b.md", "2018-04-01"), true);
        check(("Travel policy", "a.md", "2025-01-01"), ("Security policy", "b.md", "2021-01-01"), false);
        check(("Travel policy", "policy.md", ""), ("Travel policy", "policy.md.old", "2021-01-01"), false);
        check(("Remote work", "work-v1.10.md", ""), ("Remote work", "work-v1.9.md", ""), true);
        check(("SOP 114, revision D", "sop.md", ""), ("SOP 114, revision C", "sop2.md", ""), true);
        check(("Complexity", "p70", ""), ("Complexity", "p69", ""), false);
        check(("Loan rules", "rules-2024.html", ""), ("Loan rules", "rules-2020.html", ""), true);
        check(("検査基準書", "検査_第5版.md", ""), ("検査基準書", "検査_第4版.md", ""), true);
        check(("第11章 データー", "ch11.md", ""), ("第10章 データー", "ch10.md", ""), false);
        check(("SOP 114, revision C", "x.md", ""), ("SOP 114, revision D", "y.md", ""), false);
        check(("Router notes 4.0", "r-4.0.md", ""), ("Router notes 3.1", "r-3.1.md", ""), true);
        check(("2.1 Introduction", "b.md", ""), ("1.3 Introduction", "a.md", ""), false);
        check(("会則", "会則_新.txt", ""), ("会則", "会則_旧.txt", ""), true);
        check(("会則", "会則_旧.txt", ""), ("会則", "会則_新.txt", ""), false);
        let old = ("株式会社汐見 就業規則（抜粋） 2021年10月1日施行版", "就業規則_2021年版_旧.txt", "2026-01-01");
        check(("就業規則", "就業規則_2024年4月改定.docx", "2024-04-01"), old, true);
        check(("旅費規程", "旅費規程_2024年.docx", "2024-04-01"), old, false);
        check(("献立 令和5年度", "a.md", ""), ("献立 平成27年度", "b.md", ""), true);
        check(("献立 令和6年度", "a.md", ""), ("献立 令和3年度", "b.md", ""), true);
    }

    #[test]
    fn an_amendment_is_no_version() {
        let check = |title: &str, text: &str, expected: bool| {
            let old = dated("Storage Act 2019", "act.txt", "", "A licence is valid for five years.");
            assert_eq!(is_newer_version(&dated(title, "new.txt", "", text), &old), expected, "{title}: {text}");
        };
        let text = "In section 3 of the Storage Act 2019, “five years” is replaced by “three years”.";
        check("Storage (Amendment) Act 2024", text, false);
        check("Storage Act 2024", text, true);
        check("Storage (Amendment) Act 2024", "A licence is valid for three years.", true);
    }

    #[test]
    fn a_document_may_say_that_it_replaces_another() {
        let check = |title: &str, text: &str, expected: bool| {
            let (old, new) = (dated(title, "old.md", "", "Hotels cost 90 euros."), dated("Notice", "new.md", "", text));
            assert_eq!(repeals_by_name(&new, &old), expected, "{title}: {text}");
            assert!(!repeals_by_name(&old, &new));
        };
        check("Travel policy", "This document replaces the travel policy of 2021.", true);
        check("Travel policy", "This document replaces the security policy of 2021.", false);
        check("Travel policy", "The travel policy is on page 3.", false);
        check("Notice", "The notice replaces an older one.", false);
        check("Acme Ltd – Staff Handbook", "Section 5 of the staff handbook is replaced by this memo.", true);
        check("Bylaw 3 on parking in the old town", "Bylaw 3 is repealed.", true);
        check("Bylaw 3 on parking in the old town", "Bylaw 31 is repealed.", false);
        check("Town of Ford: By-law No. 14/1998, fires", "9. By-law No. 14/1998 is repealed.", true);
        check("Site rules, Hollin Quarry", "Rule 12 of the site rules no longer applies.", true);
        check("通達　第16-08号　通勤の取扱いについて", "通達第16-08号を廃止する。", true);
    }
}
