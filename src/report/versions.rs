//! Which of two documents is a newer version of the other, or says that it replaces it.

use std::collections::BTreeSet;

use crate::base::text::sentences;

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
const REPEALING: [&str; 27] = [
    "in its place",
    "in place of the earlier",
    "に改め",
    "repeals",
    "replaces",
    "supersedes",
    "supersede ",
    "is repealed",
    "are repealed",
    "is superseded",
    "in place of the",
    "no longer applies",
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

/// Whether `newer` is a version of the same document as `older` with a later date.
pub fn is_newer_version(newer: &Edition<'_>, older: &Edition<'_>) -> bool {
    is_later(newer, older) && is_same_document(newer, older)
}

/// Whether `newer` says that it repeals or replaces a document, and is of the same kind as `older`.
pub fn states_repeal(newer: &Edition<'_>, older: &Edition<'_>) -> bool {
    let lower = newer.text.to_lowercase();
    let repeals = REPEALING.iter().any(|word| lower.contains(word));
    repeals && !is_later(older, newer) && newer.path != older.path && share(newer.title, older.title) > 0.0
}

/// Whether `newer` says of `older`, by most words of its title, that it repeals or replaces it.
pub fn repeals_by_name(newer: &Edition<'_>, older: &Edition<'_>) -> bool {
    let named = edition_words(older.title);
    let says = |range: std::ops::Range<usize>| {
        let sentence = newer.text.get(range).unwrap_or_default();
        let lower = sentence.to_lowercase();
        let said = edition_words(sentence);
        REPEALING.iter().any(|word| lower.contains(word))
            && named.iter().filter(|word| said.contains(*word)).count() * 5 >= named.len() * 4
    };
    !named.is_empty() && newer.path != older.path && !is_later(older, newer) && sentences(newer.text).any(says)
}

/// The words by which two versions of a document are known as such: those of a title or a file's name without figures;
/// pairs of characters where words are not spaced.
pub fn edition_words(text: &str) -> BTreeSet<String> {
    words(text)
}

/// By their dates, which are written so that their order is that of the texts; where one has none, by the numbers in the
/// names of their files and in their titles.
fn is_later(newer: &Edition<'_>, older: &Edition<'_>) -> bool {
    if !newer.date.is_empty() && !older.date.is_empty() && newer.date != older.date {
        return newer.date > older.date;
    }
    is_later_edition(name(newer.path), name(older.path)) || is_later_edition(newer.title, older.title)
}

/// Whether the first part in which two names differ is a later year, or a greater number or later letter behind a word for
/// versions: `v1.10` after `v1.9`, `rev-d` after `rev-c`, `第5版` after `第4版`. Other numbers count chapters or pages.
fn is_later_edition(newer: &str, older: &str) -> bool {
    let (newer, older) = (runs(newer), runs(older));
    let Some(at) = newer.iter().zip(&older).position(|(one, other)| one != other) else { return false };
    let before = newer[..at].iter().rev().find(|run| run.chars().all(char::is_alphabetic));
    let is_version = before.is_some_and(|word| {
        ["v", "ver", "version", "rev", "revision", "edition", "ed", "第", "draft"].contains(&word.as_str())
    });
    let is_year = |number: u64| (1900..2100).contains(&number);
    match (newer[at].parse::<u64>(), older[at].parse::<u64>()) {
        (Ok(one), Ok(other)) => one > other && (is_version || is_year(one) && is_year(other)),
        _ => is_version && newer[at].len() == 1 && older[at].len() == 1 && newer[at] > older[at],
    }
}

/// The runs of digits, of letters and of anything else, in lower case.
fn runs(text: &str) -> Vec<String> {
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

fn is_same_document(one: &Edition<'_>, other: &Edition<'_>) -> bool {
    let titles = share(one.title, other.title);
    one.path != other.path && (titles >= ALIKE || titles > 0.0 && share(name(one.path), name(other.path)) >= ALIKE)
}

fn name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or_default()
}

/// The share of the words of both, figures aside, that they have in common.
fn share(one: &str, other: &str) -> f32 {
    let (one, other) = (words(one), words(other));
    let all = one.union(&other).count();
    if all == 0 { 0.0 } else { one.intersection(&other).count() as f32 / all as f32 }
}

/// Words without figures; pairs of characters where words are not spaced.
fn words(text: &str) -> BTreeSet<String> {
    const VERSION: [&str; 8] = ["v", "version", "rev", "old", "new", "draft", "final", "md"];
    let lower = text.to_lowercase();
    let mut found = BTreeSet::new();
    for word in lower.split(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty() && !VERSION.contains(word)) {
        if word.is_ascii() {
            found.insert(word.to_owned());
        } else {
            let wide: Vec<char> = word.chars().filter(|c| !"年月日版第令和平成".contains(*c)).collect();
            found.extend(wide.windows(2).map(|pair| pair.iter().collect::<String>()));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dated<'a>(title: &'a str, path: &'a str, date: &'a str, text: &'a str) -> Edition<'a> {
        Edition { title, path, date, text }
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
        check(("SOP 114, revision C", "x.md", ""), ("SOP 114, revision D", "y.md", ""), false);
    }

    #[test]
    fn a_document_may_say_that_it_replaces_another() {
        let old = dated("Travel policy", "old.md", "", "Hotels cost up to 90 euros.");
        let new = dated("Travel rules", "new.md", "", "This document replaces the travel policy of 2021.");
        assert!(states_repeal(&new, &old));
        assert!(!states_repeal(&old, &new));
    }
}
