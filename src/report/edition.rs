//! The features that tell versions of a document apart: the words, years and numbers of their titles and file names.
//! Whether one version replaces another is decided in `versions.rs`, `siblings.rs` and `amendments.rs`.

use std::collections::BTreeSet;

use crate::base::text::{ERAS, is_cjk};

/// A document, by the features that tell its versions apart.
#[derive(Clone, Copy, Debug)]
pub struct Edition<'a> {
    /// The document's title.
    pub title: &'a str,
    /// Its path or URL.
    pub path: &'a str,
    /// Its day as `YYYY-MM-DD`; empty if it is unknown.
    pub date: &'a str,
    /// Its text, or a passage of it.
    pub text: &'a str,
}

/// The least share of the words of their titles, figures aside, that two versions of one document have in common.
const ALIKE: f32 = 0.66;

/// A title up to the first comma, colon, dash or bracket.
pub(super) fn head(title: &str) -> &str {
    title.split(PARTS).next().unwrap_or(title)
}

/// A title from the last such mark on and, where words are not spaced, from the last space on: the paper's name behind
/// a firm's.
pub(super) fn tail(title: &str) -> &str {
    let tail = title.rsplit(PARTS).next().unwrap_or(title);
    if tail.contains(is_cjk) { tail.rsplit(char::is_whitespace).next().unwrap_or(tail) } else { tail }
}

/// Marks between the parts of a title.
const PARTS: [char; 9] = [',', ':', '：', '、', '(', '（', '–', '—', '|'];

pub(super) fn is_year(number: u64) -> bool {
    (1900..2100).contains(&number)
}

/// Whether `newer` is the later of two: by the years of their titles, or of their file names where a title has none;
/// else by their dates, which sort as texts; if a date is missing or both are equal, by the numbers in their file names
/// and titles.
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

/// The year of a title or a file name that has only one.
fn year(title: &str) -> Option<u64> {
    let mut years = runs(title).into_iter().filter_map(|run| run.parse().ok()).filter(|&number| is_year(number));
    years.next().filter(|_| years.next().is_none())
}

/// Like [`is_later_edition`], but only for two names without a year.
pub(super) fn is_later_version(newer: &str, older: &str) -> bool {
    let is_dated = |name: &str| {
        let is_era = |run: &String| ERAS.iter().any(|&(era, _)| run.ends_with(era));
        runs(name).iter().any(|run| run.parse::<u64>().is_ok_and(is_year) || is_era(run))
    };
    !is_dated(newer) && !is_dated(older) && is_later_edition(newer, older)
}

/// Whether the first part in which two names differ is a later year, a greater number or later letter behind a word for
/// versions, or a word for the new version against one for the old: `v1.10` after `v1.9`, `2.0` at the end after `1.8`,
/// `rev-d` after `rev-c`, `第5版` after `第4版`, `新` after `旧`. Other numbers count chapters or pages.
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

/// Whether a name ends in a number with a point, of which the run at `at` is a part.
fn ends_in_version(runs: &[String], at: usize) -> bool {
    let is_number = |run: &String| run.chars().all(|c| c.is_ascii_digit());
    let dotted = runs.iter().rev().take_while(|run| is_number(run) || *run == ".").count();
    dotted == 3 && at + dotted >= runs.len()
}

/// The runs of digits, of letters and of other characters of a text, in lower case.
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

pub(super) fn is_alike(one: &Edition<'_>, other: &Edition<'_>) -> bool {
    let titles = share(one.title, other.title);
    one.path != other.path && (titles >= ALIKE || titles > 0.0 && share(stem(one.path), stem(other.path)) >= ALIKE)
}

/// The name of a file without its extension.
pub(super) fn stem(path: &str) -> &str {
    let name = path.rsplit(['/', '\\']).next().unwrap_or_default();
    name.rsplit_once('.').map_or(name, |(stem, ending)| {
        if ending.len() <= 4 && ending.chars().any(char::is_alphabetic) { stem } else { name }
    })
}

/// The share of the words of two names, figures aside, that both have.
fn share(one: &str, other: &str) -> f32 {
    let (one, other) = (edition_words(one), edition_words(other));
    let all = one.union(&other).count();
    if all == 0 { 0.0 } else { one.intersection(&other).count() as f32 / all as f32 }
}

/// The words by which versions of one document are recognised: those of a title or a file name, without figures and
/// words for versions; pairs of characters for words that are not ASCII.
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
pub(super) fn dated<'a>(title: &'a str, path: &'a str, date: &'a str, text: &'a str) -> Edition<'a> {
    Edition { title, path, date, text }
}
