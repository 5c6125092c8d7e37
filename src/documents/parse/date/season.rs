//! The season and the year of an issue, as `Spring 2025` and `令和7年春号`.

use std::ops::Range;

use jiff::civil::Date;

use super::era;
use crate::base::text::{is_cjk, is_one_of};

/// The seasons by their names, each with its first month. "Estate" is more often English than Italian.
const NAMES: [(&str, i8); 4] = [
    ("spring|frühling|frühjahr|printemps|primavera|lente|voorjaar|wiosna|primăvara|ilkbahar|весна|άνοιξη|vår|forår", 3),
    ("summer|sommer|été|verano|verão|zomer|lato|vara|yaz|лето|літо|καλοκαίρι|sommar", 6),
    (
        "autumn|fall|herbst|automne|otoño|autunno|outono|herfst|najaar|jesień|toamna|sonbahar|осень|осінь|\
         φθινόπωρο|höst|efterår",
        9,
    ),
    ("winter|hiver|invierno|inverno|zima|iarna|kış|зима|χειμώνας|vinter", 12),
];
/// The same where a year ends with a mark of its own.
const WIDE: [(&str, i8); 8] =
    [("春", 3), ("夏", 6), ("秋", 9), ("冬", 12), ("봄", 3), ("여름", 6), ("가을", 9), ("겨울", 12)];
const WIDE_YEARS: [&str; 3] = ["年度", "年", "년"];
/// What an issue is called behind its season.
const ISSUES: [&str; 5] = ["季号", "季刊", "号", "号外", "호"];
/// What may stand between a season and its year.
const OF: &str = "of|de|del|di";

/// The first day of the first season with its year in `text`, and its bytes there.
pub(in crate::documents::parse) fn find(text: &str) -> Option<(Date, Range<usize>)> {
    by_name(text).or_else(|| wide(text))
}

fn by_name(text: &str) -> Option<(Date, Range<usize>)> {
    let words = words(text);
    words.iter().enumerate().find_map(|(at, season)| {
        let (_, month) = NAMES.iter().find(|(names, _)| is_one_of(&text[season.clone()], names))?;
        let mut behind =
            (at + 1..words.len()).skip_while(|&next| next == at + 1 && is_one_of(&text[words[next].clone()], OF));
        let behind = behind.next().and_then(|next| Some((year(&text[words[next].clone()])?, next)));
        let before = || at.checked_sub(1).and_then(|last| Some((year(&text[words[last].clone()])?, last)));
        let (year, place) = behind.or_else(before)?;
        // The winter of 2024/25.
        let goes_on = words.get(place + 1).filter(|next| {
            let gap = &text[words[place].end..next.start];
            matches!(gap, "/" | "-" | "–") && text[(*next).clone()].bytes().all(|byte| byte.is_ascii_digit())
        });
        let end = goes_on.map_or(words[place].end, |next| next.end).max(season.end);
        Some((Date::new(year, *month, 1).ok()?, season.start.min(words[place].start)..end))
    })
}

fn year(word: &str) -> Option<i16> {
    let is_year = word.len() == 4 && word.bytes().all(|byte| byte.is_ascii_digit());
    is_year.then(|| word.parse().ok()).flatten()
}

/// Where the words of a text stand.
fn words(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut start = None;
    for (at, one) in text.char_indices().chain([(text.len(), ' ')]) {
        match start {
            None if one.is_alphanumeric() => start = Some(at),
            Some(from) if !one.is_alphanumeric() => {
                found.push(from..at);
                start = None;
            }
            _ => {}
        }
    }
    found
}

fn wide(text: &str) -> Option<(Date, Range<usize>)> {
    let mut found =
        WIDE.iter().flat_map(|(name, month)| text.match_indices(name).map(move |(at, name)| (at, name, *month)));
    found.find_map(|(at, name, month)| {
        let marked = text[..at].trim_end();
        let before = WIDE_YEARS.iter().find_map(|mark| marked.strip_suffix(mark))?;
        let (year, start) = era::year_before(text, before.len())?;
        let end = at + name.len();
        let issue = ISSUES.iter().find(|issue| text[end..].starts_with(**issue)).map_or(0, |issue| issue.len());
        // 春日 is a name.
        let goes_on = issue == 0 && text[end..].starts_with(is_cjk);
        let date = Date::new(year, month, 1).ok().filter(|_| !goes_on)?;
        Some((date, start..end + issue))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seasons_with_their_years() {
        let check = |text: &str, expected: Option<(&str, &str)>| {
            let found = find(text).map(|(date, range)| (date.to_string(), &text[range]));
            assert_eq!(found.as_ref().map(|(date, words)| (date.as_str(), *words)), expected, "{text}");
        };
        check("The Ferryman, Spring 2025", Some(("2025-03-01", "Spring 2025")));
        check("Bulletin d'été 2024", Some(("2024-06-01", "été 2024")));
        check("Otoño de 2023", Some(("2023-09-01", "Otoño de 2023")));
        check("Winter 2024/25", Some(("2024-12-01", "Winter 2024/25")));
        check("2025 Summer issue", Some(("2025-06-01", "2025 Summer")));
        check("館報 令和7年春号", Some(("2025-03-01", "令和7年春号")));
        check("館報（2024年 冬）", Some(("2024-12-01", "2024年 冬")));
        check("令和６年度秋号", Some(("2024-09-01", "令和６年度秋号")));
        check("2025년 가을호", Some(("2025-09-01", "2025년 가을호")));
        check("春日だより 2025年春号", Some(("2025-03-01", "2025年春号")));
        check("令和7年春日神社の祭り", None);
        check("The spring of the lift, 40 mm", None);
        check("Spring cleaning", None);
        check("", None);
    }
}
