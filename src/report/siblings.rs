//! Similar documents that stand side by side, neither replacing the other: issues of a series, and papers of the same
//! kind with different parties.

use std::collections::{BTreeMap, BTreeSet};

use super::cases::are_separate_cases;
use super::edition::{Edition, figures, is_alike, is_later, is_later_version, runs, stem};
use crate::base::text::{is_cjk, month_number};

/// Whether both are issues of one series, like the minutes of two meetings or the figures of two quarters: each covers
/// its own time, and neither replaces the other.
pub(super) fn are_of_series(one: &Edition<'_>, other: &Edition<'_>) -> bool {
    let is_issue = |edition: &Edition<'_>| {
        let words: BTreeSet<String> = runs(&format!("{} {}", edition.title, stem(edition.path))).into_iter().collect();
        ISSUES.iter().any(|word| words.contains(*word))
            || WIDE_ISSUES.iter().any(|word| words.iter().any(|run| run.contains(word)))
            || words.contains("q")
    };
    let numbers = |edition: &Edition<'_>| figures(&format!("{} {}", edition.title, stem(edition.path)));
    let versions = |one: &str, other: &str| is_later_version(one, other) || is_later_version(other, one);
    is_alike(one, other)
        && is_issue(one)
        && is_issue(other)
        && numbers(one) != numbers(other)
        && !versions(stem(one.path), stem(other.path))
        && !versions(one.title, other.title)
}

/// Whether `newer` is the later of two issues of a series, and a question names both by what distinguishes them: "from
/// the first to the second quarter".
pub fn is_later_issue(newer: &Edition<'_>, older: &Edition<'_>, question: &str) -> bool {
    const ORDINALS: [&str; 4] = ["first", "second", "third", "fourth"];
    let told = |text: &str| -> BTreeSet<String> {
        let runs = runs(text);
        // "Q2" is the second quarter.
        let quarters = runs.windows(2).filter(|pair| ["q", "quarter"].contains(&pair[0].as_str()));
        let ordinal = |pair: &[String]| ORDINALS.get(pair[1].parse::<usize>().ok()?.checked_sub(1)?);
        let ordinals: Vec<String> = quarters.filter_map(ordinal).map(|word| (*word).to_owned()).collect();
        runs.into_iter().chain(ordinals).filter(|run| run.chars().all(char::is_alphanumeric)).collect()
    };
    let names = |edition: &Edition<'_>| told(&format!("{} {}", edition.title, stem(edition.path)));
    let (new, old, asked) = (names(newer), names(older), told(question));
    let is_named =
        |one: &BTreeSet<String>, other: &BTreeSet<String>| one.difference(other).any(|run| asked.contains(run));
    are_of_series(newer, older) && is_named(&new, &old) && is_named(&old, &new) && is_later(newer, older)
}

/// Words for documents that come out again and again; `q` stands before the number of a quarter.
const ISSUES: [&str; 41] = [
    "minutes",
    "meeting",
    "newsletter",
    "bulletin",
    "weekly",
    "monthly",
    "quarterly",
    "daily",
    "quarter",
    "sales",
    "results",
    "report",
    "reports",
    "invoice",
    "diary",
    "log",
    "incident",
    "survey",
    "protokoll",
    "sitzung",
    "bericht",
    "jahresbericht",
    "quartal",
    "rechnung",
    "rundbrief",
    "rapport",
    "réunion",
    "facture",
    "compte",
    "trimestre",
    "acta",
    "reunión",
    "informe",
    "factura",
    "boletín",
    "verbale",
    "riunione",
    "rapporto",
    "relazione",
    "fattura",
    "bollettino",
];
const WIDE_ISSUES: [&str; 20] = [
    "議事録",
    "会議",
    "会合",
    "報告",
    "月報",
    "週報",
    "日報",
    "日誌",
    "月次",
    "四半期",
    "上期",
    "下期",
    "請求書",
    "売上",
    "会报",
    "会议",
    "报告",
    "月报",
    "纪要",
    "アンケート",
];

/// Words of file names that tell a version, a language or a season, and not a party.
const BESIDE: [&str; 46] = [
    "version",
    "ver",
    "rev",
    "revision",
    "revised",
    "edition",
    "old",
    "new",
    "draft",
    "final",
    "current",
    "previous",
    "former",
    "latest",
    "original",
    "initial",
    "updated",
    "update",
    "amended",
    "amendment",
    "approved",
    "signed",
    "superseded",
    "replaced",
    "withdrawn",
    "archive",
    "archived",
    "copy",
    "clean",
    "english",
    "german",
    "japanese",
    "french",
    "spanish",
    "italian",
    "spring",
    "summer",
    "autumn",
    "winter",
    "neu",
    "alt",
    "aktuell",
    "ancien",
    "nouveau",
    "nuevo",
    "anterior",
];

/// The same words in scripts without spaces.
const WIDE_BESIDE: [&str; 22] = [
    "令和",
    "平成",
    "昭和",
    "年度",
    "現行",
    "旧",
    "新",
    "確定",
    "暫定",
    "最終",
    "原本",
    "写し",
    "控え",
    "改定",
    "改正",
    "改訂",
    "案",
    "版",
    "英語",
    "日本語",
    "和文",
    "英文",
];

/// The parties by which the file names of two similar documents differ: `smith` and `jones` of `lease-smith.md` and
/// `lease-jones.md`. Neither document is a version of the other. `None` if the names differ only in versions, days and
/// languages, or if only one of them has a party of its own.
pub(super) fn parties(one: &Edition<'_>, other: &Edition<'_>) -> Option<[BTreeSet<String>; 2]> {
    // Each word in lower case, and as written.
    let own_words = |edition: &Edition<'_>| -> BTreeMap<String, String> {
        let words =
            stem(edition.path).split(|c: char| !c.is_alphabetic()).map(|word| (word.to_lowercase(), word.to_owned()));
        words
            .filter(|(word, _)| if word.contains(is_cjk) { word.chars().nth(1).is_some() } else { word.len() >= 3 })
            .collect()
    };
    let tells = |word: &String| {
        let is_beside = BESIDE.contains(&word.as_str()) || month_number(word).is_some();
        !(is_beside || word.contains(is_cjk) && WIDE_BESIDE.iter().any(|beside| word.contains(beside)))
    };
    let (own, others) = (own_words(one), own_words(other));
    let of = |one: &BTreeMap<String, String>, other: &BTreeMap<String, String>| -> BTreeSet<String> {
        one.iter().filter(|(word, _)| !other.contains_key(*word) && tells(word)).map(|(_, word)| word.clone()).collect()
    };
    let parties = [of(&own, &others), of(&others, &own)];
    let are_siblings = is_alike(one, other) && own.keys().any(|word| others.contains_key(word));
    (are_siblings && parties.iter().all(|party| !party.is_empty())).then_some(parties)
}

/// Whether two similar documents each cover their own time, their own party or their own case, so that their statements
/// may differ.
pub fn are_parallel_documents(one: &Edition<'_>, other: &Edition<'_>) -> bool {
    are_of_series(one, other) || parties(one, other).is_some() || are_separate_cases(one, other)
}

#[cfg(test)]
mod tests {
    use super::super::edition::dated;
    use super::super::is_newer_version;
    use super::*;

    #[test]
    fn issues_of_a_series_replace_nothing() {
        let check = |one: (&str, &str), other: (&str, &str), expected: bool| {
            let (one, other) = (dated(one.0, one.1, "2026-06-23", "x"), dated(other.0, other.1, "2026-03-17", "x"));
            assert_eq!(are_of_series(&one, &other), expected, "{} / {}", one.title, other.title);
            assert_eq!(is_newer_version(&one, &other), !expected, "{} / {}", one.title, other.title);
        };
        let board = ("Board meeting, 23 June 2026", "minutes-2026-06.md");
        check(board, ("Board meeting, 17 March 2026", "minutes-2026-03.md"), true);
        check(("営業会議 議事録", "議事録_2026年6月.md"), ("営業会議 議事録", "議事録_2026年3月.md"), true);
        check(("営業会議 議事録", "議事録_令和7年1月.md"), ("営業会議 議事録", "議事録_令和6年12月.md"), true);
        check(("sales q2", "sales-2026-q2.csv"), ("sales q1", "sales-2026-q1.csv"), true);
        check(("Travel policy 2026", "a.docx"), ("Travel policy 2024", "b.docx"), false);
        check(("Report on tides", "report-v2.md"), ("Report on tides", "report-v1.md"), false);
        check(("在宅勤務規程", "規程_2026.docx"), ("在宅勤務規程", "規程_2023.docx"), false);
    }

    #[test]
    fn like_documents_of_different_parties_are_no_versions() {
        let check = |title: &str, one: &str, other: &str, expected: Option<[&str; 2]>| {
            let (newer, older) = (dated(title, one, "2024-01-01", "x"), dated(title, other, "2020-01-01", "x"));
            let found =
                parties(&newer, &older).map(|both| both.map(|party| party.into_iter().collect::<Vec<_>>().join(" ")));
            assert_eq!(found, expected.map(|both| both.map(str::to_owned)), "{one} / {other}");
            assert_eq!(is_newer_version(&newer, &older), expected.is_none(), "{one} / {other}");
        };
        check(
            "Lease",
            "lease-16-quay-northgate.md",
            "lease-14-quay-brightwater.md",
            Some(["northgate", "brightwater"]),
        );
        check("秘密保持契約書", "秘密保持契約-東和化学.md", "秘密保持契約-三浦製薬.md", Some(["東和化学", "三浦製薬"]));
        check("Travel policy", "travel-policy-2024-final.md", "travel-policy-2020-draft.md", None);
        check("Travel policy", "travel-policy-march.md", "travel-policy-june.md", None);
        check("Travel policy", "travel-policy-superseded.md", "travel-policy.md", None);
        check("就業規則", "就業規則-改定版.md", "就業規則-現行.md", None);
        check("旅費規程", "旅費規程_令和6年.md", "旅費規程_平成30年.md", None);
        check("Loan rules", "b.md", "a.md", None);
    }
}
