//! Which cell of a row answers where the reader, which sees a row as a run of names and values, points to another.

use crate::base::text::{ERAS, is_cjk};
use crate::offline::entities::years;
use crate::offline::lookup::{bare, cells};
use crate::offline::statements::Statement;

/// Words that ask for what was before.
const EARLIER: [&str; 14] = [
    "last year",
    "previous",
    "former",
    "used to",
    "letztes jahr",
    "vorjahr",
    "l'année dernière",
    "año pasado",
    "昨年",
    "去年",
    "前年",
    "以前",
    "旧",
    "改定前",
];

/// The value that answers in place of `answer`: that of the column that is asked for outright, or of the latest year.
pub(super) fn of_row(row: &Statement, answer: &str, question: &str) -> Option<String> {
    of_asked_column(row, question).or_else(|| of_latest_year(row, answer, question)).map(str::to_owned)
}

/// The value of the one column that a question asks for by its name, as in "What is the rent of …?" and 「…の主食は何ですか」.
fn of_asked_column<'r>(row: &'r Statement, question: &str) -> Option<&'r str> {
    const ASKING: [&str; 4] = ["what is the ", "what was the ", "which ", "what "];
    const WIDE: [&str; 13] =
        ["何か", "何で", "何だ", "何が", "いくら", "いくつ", "誰", "だれ", "どなた", "いつ", "どこ", "どれ", "どの"];
    let lower = question.trim().to_lowercase();
    let is_behind = |rest: &str| {
        let rest = rest.trim_start_matches('、');
        rest.trim_matches(['？', '?', '。', ' ']).is_empty() || WIDE.iter().any(|word| rest.starts_with(word))
    };
    let is_asked = |name: &str| {
        let name = bare(name).trim().to_lowercase();
        if name.contains(is_cjk) {
            let topic = format!("{name}は");
            let mut found = lower.match_indices(topic.as_str());
            return name.chars().nth(1).is_some() && found.any(|(at, _)| is_behind(&lower[at + topic.len()..]));
        }
        let behind = |asking: &&str| lower.strip_prefix(*asking)?.strip_prefix(name.as_str());
        !name.is_empty() && ASKING.iter().find_map(behind).is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
    };
    let mut asked = cells(row).filter(|(name, _)| is_asked(name));
    asked.next().filter(|_| asked.next().is_none()).map(|(_, value)| value)
}

/// Of columns that differ in their year alone the value of the latest one, where `answer` is that of an earlier one and the
/// question asks for no year.
fn of_latest_year<'r>(row: &'r Statement, answer: &str, question: &str) -> Option<&'r str> {
    let lower = question.to_lowercase();
    let names_year = !years(question).is_empty() || ERAS.iter().any(|(era, _)| question.contains(*era));
    if names_year || EARLIER.iter().any(|word| lower.contains(word)) {
        return None;
    }
    let (own, _) = cells(row).find(|(_, value)| *value == answer)?;
    let (of, year) = dated(own)?;
    let same =
        cells(row).filter_map(|(name, value)| dated(name).filter(|(other, _)| *other == of).map(|one| (one.1, value)));
    same.max_by_key(|one| one.0).filter(|latest| latest.0 > year).map(|(_, value)| value)
}

/// What stands before and behind the year in the name of a column, and the year; `None` where it has none, or more numbers.
fn dated(name: &str) -> Option<([&str; 2], u32)> {
    let start = name.find(|c: char| c.is_ascii_digit())?;
    let end = name[start..].find(|c: char| !c.is_ascii_digit()).map_or(name.len(), |length| start + length);
    let (before, behind) = (&name[..start], &name[end..]);
    let year: u32 = name[start..end].parse().ok()?;
    let is_year = (1900..2100).contains(&year) || ERAS.iter().any(|(era, _)| before.ends_with(*era));
    (is_year && !behind.contains(|c: char| c.is_ascii_digit())).then_some(([before, behind], year))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::offline::testing::stated;

    #[test]
    fn the_cell_that_is_asked_for() {
        let check = |table: &str, answer: &str, question: &str, expected: Option<&str>| {
            assert_eq!(of_row(&stated(table)[0], answer, question).as_deref(), expected, "{question}");
        };
        let meals = "| 日付 | 主食 | 副菜 | 残り(%) |\n|---|---|---|---|\n| 5月3日 | うどん | 漬物 | 7 |\n| 5月4日 | ごはん | 豆 | 9 |\n";
        check(meals, "漬物", "残りが少なかった日の主食は何か", Some("うどん"));
        check(meals, "5月3日", "残りが少なかった日はいつか", None);
        check(meals, "7", "主食は何年に変わったか", None);
        let rooms =
            "| 部屋 | 令和5年度(円) | 令和6年度(円) |\n|---|---|---|\n| 個室 | 900 | 950 |\n| 二人部屋 | 400 | 420 |\n";
        check(rooms, "900", "個室の室料はいくらですか", Some("950"));
        check(rooms, "900", "令和5年度の個室の室料はいくらですか", None);
        check(rooms, "900", "個室の室料は昨年度いくらでしたか", None);
        check(rooms, "950", "個室の室料はいくらですか", None);
        let branches = "| Branch | Rent 2024 | Rent 2025 | Manager |\n|---|---|---|---|\n| Hull | 900 | 950 | Cy |\n| York | 400 | 420 | Bo |\n";
        check(branches, "900", "What does Hull pay?", Some("950"));
        check(branches, "900", "What did Hull pay in 2024?", None);
        check(branches, "Hull", "What is the manager of Hull called?", Some("Cy"));
        check(branches, "Cy", "Who runs Hull?", None);
    }
}
