//! Which of two documents is a newer version of the other, or says that it replaces it.

use std::collections::BTreeSet;

use super::siblings::{are_of_series, parties};
use crate::base::text::{ERAS, is_cjk, sentences};

/// What tells versions of a document apart.
#[derive(Clone, Copy, Debug)]
pub struct Edition<'a> {
    /// The document's title.
    pub title: &'a str,
    /// Its path or URL.
    pub path: &'a str,
    /// Its day as `YYYY-MM-DD`; empty where it is unknown.
    pub date: &'a str,
    /// Its words, or a passage of them.
    pub text: &'a str,
}

/// The share of their titles' words, figures aside, that two versions of one document share at least.
const ALIKE: f32 = 0.66;

/// Words with which a document says that it takes another's place.
const REPEALING: [&str; 32] = [
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

/// What amendments are called.
const AMENDMENTS: [&str; 39] = [
    "amendment",
    "addendum",
    "supplemental agreement",
    "deed of variation",
    "variation agreement",
    "supplemental deed",
    "nachtrag",
    "änderungsvereinbarung",
    "änderungsvertrag",
    "ergänzungsvereinbarung",
    "avenant",
    "adenda",
    "addenda",
    "modificación",
    "novación",
    "aditamento",
    "termo aditivo",
    "atto aggiuntivo",
    "atto modificativo",
    "allonge",
    "wijziging",
    "aneks",
    "дополнительное соглашение",
    "допсоглашение",
    "ek protokol",
    "zeyilname",
    "act adițional",
    "変更契約",
    "覚書",
    "一部を改正",
    "一部改正",
    "一部改定",
    "一部変更",
    "改正通知",
    "改定通知",
    "変更に関する",
    "补充协议",
    "변경계약",
    "변경 계약",
];

/// Whether a question asks what is different in a newer version.
pub fn asks_what_changed(question: &str) -> bool {
    const ASKING: &str = "changed|changes|change in|change from|change between|what is new|what's new|are new|is new in|new since|differ|compare|amended|updated|\
        geändert|änderung|unterschied|neu in|changé|changement|nouveau|différen|cambió|cambiado|cambios|diferencia|\
        cambiat|modific|変わ|変更|改定|改正|改訂|違い|異な|新旧|比べ|比較|变化|修改|不同|比较|改了|调整|区别|\
        mudou|mudança|alteraç|diferença|veranderd|gewijzigd|wijziging|verschil|is er anders|is er nieuw|ist anders|zmieni|zmian|różni|schimbat|schimbări|\
        измени|отлича|различ|змін|відрізня|değişti|değişiklik|ändrat|ändring|skillnad|달라|바뀌|변경|차이";
    let lower = question.to_lowercase();
    ASKING.split('|').any(|word| lower.contains(word))
}

/// What amendments are called in `text`: the first such name.
pub fn amendment_named(text: &str) -> Option<&'static str> {
    let lower = text.to_lowercase();
    AMENDMENTS.into_iter().find(|name| lower.contains(name))
}

/// Whether `newer` is a version of the same document as `older` with a later date. The second amendment of a contract is no
/// version of the first one.
pub fn is_newer_version(newer: &Edition<'_>, older: &Edition<'_>) -> bool {
    let amend = [newer, older].iter().all(|one| amendment_named(one.title).is_some());
    !amend && is_later(newer, older) && is_same_document(newer, older) && !are_of_series(newer, older)
}

/// Whether `newer` says that it repeals or replaces `older`.
pub fn repeals_by_name(newer: &Edition<'_>, older: &Edition<'_>) -> bool {
    !repealing(newer, older).is_empty()
}

/// The sentences in which `newer` says that it repeals or replaces `older`, or a part of it. They name it by most words of
/// its title or of what stands there before a comma or a colon, or by its number; or both titles begin alike, and the
/// sentence speaks of something earlier.
pub fn repealing<'t>(newer: &Edition<'t>, older: &Edition<'_>) -> Vec<&'t str> {
    let (title, number) = (edition_words(older.title), number(older.title));
    let [head, tail] = [head(older.title), tail(older.title)].map(edition_words);
    // Parts of one work have the same title, and versions of one document are told by their dates.
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

/// What was before a change.
const BEFORE: [&str; 4] = ["改定前", "改正前", "改訂前", "廃止前"];

/// Words for an earlier document of the same kind.
const EARLIER: [&str; 8] = ["earlier", "previous", "former", "older", "従来", "以前", "旧", "これまで"];

/// A title up to the first comma, colon, dash or bracket.
fn head(title: &str) -> &str {
    title.split(PARTS).next().unwrap_or(title)
}

/// A title from the last such mark on, where words are not spaced from the last space on: its paper's name behind a firm's.
pub(super) fn tail(title: &str) -> &str {
    let tail = title.rsplit(PARTS).next().unwrap_or(title);
    if tail.contains(is_cjk) { tail.rsplit(char::is_whitespace).next().unwrap_or(tail) } else { tail }
}

const PARTS: [char; 9] = [',', ':', '：', '、', '(', '（', '–', '—', '|'];

fn bare_words(lower: &str) -> Vec<&str> {
    lower.split_whitespace().map(|word| word.trim_matches(|c: char| !c.is_alphanumeric())).collect()
}

/// The number that a title in words is known by, with the word before it: `bylaw` and `3` of "Bylaw 3 on parking", `no` and
/// `14/1998` of "By-law No. 14/1998".
fn number(title: &str) -> Option<(String, String)> {
    const SECTIONS: [&str; 9] = ["section", "article", "chapter", "part", "page", "clause", "version", "revision", "v"];
    let lower = title.to_lowercase();
    bare_words(&lower).windows(2).find_map(|pair| {
        let is_number = pair[1].starts_with(|c: char| c.is_ascii_digit()) && !is_year(pair[1].parse().unwrap_or(0));
        let is_kind = !pair[0].is_empty() && pair[0].chars().all(char::is_alphabetic) && !SECTIONS.contains(&pair[0]);
        (is_number && is_kind).then(|| (pair[0].to_owned(), pair[1].to_owned()))
    })
}

/// The same in Japanese and Chinese: `第16-08号`.
fn wide_number(title: &str) -> Option<&str> {
    let from = &title[title.find('第')?..];
    Some(&from[..from.find('号')? + '号'.len_utf8()]).filter(|number| number.len() < 30)
}

fn is_year(number: u64) -> bool {
    (1900..2100).contains(&number)
}

/// By the years of their titles, or of their files' names where a title has none; else by their dates, which are written
/// so that their order is that of the texts; where one has none, by the numbers in the names of their files and in their
/// titles.
pub(super) fn is_later(newer: &Edition<'_>, older: &Edition<'_>) -> bool {
    let named = |edition: &Edition<'_>| year(edition.title).or_else(|| year(stem(edition.path)));
    if let (Some(one), Some(other)) = (named(newer), named(older))
        && one != other
    {
        return one > other;
    }
    if !newer.date.is_empty() && !older.date.is_empty() && newer.date != older.date {
        return newer.date > older.date;
    }
    is_later_edition(stem(newer.path), stem(older.path)) || is_later_edition(newer.title, older.title)
}

/// The only year that a title or a file's name has.
fn year(title: &str) -> Option<u64> {
    let mut years = runs(title).into_iter().filter_map(|run| run.parse().ok()).filter(|&number| is_year(number));
    years.next().filter(|_| years.next().is_none())
}

/// As [`is_later_edition`], where a word for versions stands before the number, and neither name has a year.
pub(super) fn is_later_version(newer: &str, older: &str) -> bool {
    let is_dated = |name: &str| {
        let is_era = |run: &String| ERAS.iter().any(|&(era, _)| run.ends_with(era));
        runs(name).iter().any(|run| run.parse::<u64>().is_ok_and(is_year) || is_era(run))
    };
    !is_dated(newer) && !is_dated(older) && is_later_edition(newer, older)
}

/// Whether the first part in which two names differ is a later year, a greater number or later letter behind a word for
/// versions, or a word for the new one against one for the old: `v1.10` after `v1.9`, `2.0` at the end after `1.8`, `rev-d`
/// after `rev-c`, `第5版` after `第4版`, `新` after `旧`. Other numbers count chapters or pages.
fn is_later_edition(newer: &str, older: &str) -> bool {
    const VERSIONS: [&str; 11] =
        ["v", "ver", "version", "rev", "revision", "edition", "ed", "第", "draft", "令和", "平成"];
    let (newer, older) = (runs(newer), runs(older));
    let Some(at) = newer.iter().zip(&older).position(|(one, other)| one != other) else { return false };
    let (one, other) = (newer[at].as_str(), older[at].as_str());
    if ["old", "旧", "previous"].contains(&other) {
        return ["new", "新", "current"].contains(&one);
    }
    let era = |name: &str| ERAS.iter().find(|(era, _)| *era == name).map(|(_, before)| before);
    if let (Some(one), Some(other)) = (era(one), era(other)) {
        return one > other;
    }
    let before = newer[..at].iter().rev().find(|run| run.chars().all(char::is_alphabetic));
    // 第10章 is a chapter, and 第2版 is a version.
    let counts_parts = |word: &str| {
        let unit = newer.get(at + 1).map_or("", String::as_str);
        word == "第" && !["版", "次", "稿", "案", "改"].iter().any(|version| unit.starts_with(version))
    };
    let is_version = before.is_some_and(|word| VERSIONS.contains(&word.as_str()) && !counts_parts(word));
    match (one.parse::<u64>(), other.parse::<u64>()) {
        (Ok(one), Ok(other)) => {
            one > other
                && (is_version
                    || is_year(one) && is_year(other)
                    || ends_in_version(&newer, at) && ends_in_version(&older, at))
        }
        _ => is_version && one.len() == 1 && other.len() == 1 && one > other,
    }
}

/// Whether a name ends in a number with a point, and the run at `at` is a part of it.
fn ends_in_version(runs: &[String], at: usize) -> bool {
    let is_number = |run: &String| run.chars().all(|c| c.is_ascii_digit());
    let dotted = runs.iter().rev().take_while(|run| is_number(run) || *run == ".").count();
    dotted == 3 && at + dotted >= runs.len()
}

/// The runs of digits, of letters and of anything else, in lower case.
pub(super) fn runs(text: &str) -> Vec<String> {
    let mut runs: Vec<String> = Vec::new();
    let mut last = None;
    for c in text.to_lowercase().chars() {
        let kind = if c.is_ascii_digit() { 0 } else { 1 + u8::from(c.is_alphabetic()) };
        match runs.last_mut() {
            Some(run) if last == Some(kind) => run.push(c),
            _ => runs.push(c.to_string()),
        }
        last = Some(kind);
    }
    runs
}

/// The numbers of a text, as its runs of digits.
pub(super) fn figures(text: &str) -> Vec<String> {
    runs(text).into_iter().filter(|run| run.chars().all(|c| c.is_ascii_digit())).collect()
}

fn is_same_document(one: &Edition<'_>, other: &Edition<'_>) -> bool {
    is_alike(one, other) && parties(one, other).is_none()
}

pub(super) fn is_alike(one: &Edition<'_>, other: &Edition<'_>) -> bool {
    let titles = share(one.title, other.title);
    one.path != other.path && (titles >= ALIKE || titles > 0.0 && share(stem(one.path), stem(other.path)) >= ALIKE)
}

/// The name of a file without its ending.
pub(super) fn stem(path: &str) -> &str {
    let name = path.rsplit(['/', '\\']).next().unwrap_or_default();
    name.rsplit_once('.').map_or(name, |(stem, ending)| {
        if ending.len() <= 4 && ending.chars().any(char::is_alphabetic) { stem } else { name }
    })
}

/// The share of the words of both, figures aside, that they have in common.
fn share(one: &str, other: &str) -> f32 {
    let (one, other) = (edition_words(one), edition_words(other));
    let all = one.union(&other).count();
    if all == 0 { 0.0 } else { one.intersection(&other).count() as f32 / all as f32 }
}

/// The words by which two versions of a document are known as such: those of a title or a file's name without figures;
/// pairs of characters where words are not spaced.
pub fn edition_words(text: &str) -> BTreeSet<String> {
    const VERSION: [&str; 8] = ["v", "version", "rev", "old", "new", "draft", "final", "md"];
    const WIDE_VERSION: [&str; 7] = ["令和", "平成", "改定", "改正", "改訂", "施行", "抜粋"];
    let lower = text.to_lowercase();
    let mut found = BTreeSet::new();
    for word in lower.split(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty() && !VERSION.contains(word)) {
        if word.is_ascii() {
            found.insert(word.to_owned());
        } else {
            let wide = WIDE_VERSION.iter().fold(word.to_owned(), |word, version| word.replace(version, ""));
            let wide: Vec<char> = wide.chars().filter(|c| !"年月日版第新旧".contains(*c)).collect();
            found.extend(wide.windows(2).map(|pair| pair.iter().collect::<String>()));
        }
    }
    found
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(in crate::report) fn dated<'a>(title: &'a str, path: &'a str, date: &'a str, text: &'a str) -> Edition<'a> {
        Edition { title, path, date, text }
    }

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
