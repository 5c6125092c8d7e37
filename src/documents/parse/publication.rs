//! What a paper's first page says of its publication: its authors, its identifiers, and the year.
//!
//! Most years on a page are those of other papers. A year is the paper's own if it stands in the line of a journal's
//! issue or of a conference, in a sentence about this paper, or beside a copyright mark.

use super::authorship::doi_in;
use super::byline;
use crate::base::text::{NAME_PARTICLES, month_number, one_line};
use crate::domain::Authorship;

/// The bytes at a paper's beginning that are searched; a DOI that stands later is more likely another paper's.
const HEAD_BYTES: usize = 4_000;

/// The number of lines at the top among which the journal is looked for.
const TOP_LINES: usize = 15;

/// A line of more bytes is running text.
const LINE_BYTES: usize = 160;

/// The year of a publication stands within this many bytes after the words that announce it.
const REACH_BYTES: usize = 160;

/// The beginnings of lines that name a conference or a journal's dates.
const OPENINGS: [&str; 13] = [
    "proceedings of",
    "in proceedings of",
    "proc.",
    "published",
    "appears in",
    "appeared in",
    "to appear in",
    "presented at",
    "accepted",
    "available online",
    "received",
    "submitted to",
    "preprint submitted to",
];

/// Words that precede the year in a sentence about this paper.
const MARKS: [&str; 5] = ["version of ", "published", "publication in ", "typeset on ", "compiled on "];

/// Words between names that are not capitalised.
const BETWEEN_NAMES: [&str; 4] = ["and", "&", "et", "al."];

/// The authorship that the beginning of a paper's text states below its title.
pub(super) fn authorship_in_paper(text: &str, title: Option<&str>) -> Authorship {
    let head = &text[..text.floor_char_boundary(HEAD_BYTES)];
    let doi = head.lines().find_map(doi_of_line);
    let authors = title.map(|title| byline::authors(head, title)).unwrap_or_default();
    Authorship { authors, doi, year: year(head), arxiv: arxiv_in(head), ..Authorship::default() }
}

/// The DOI of a line that begins with one; DOIs in other lines are more likely those of cited papers.
fn doi_of_line(line: &str) -> Option<String> {
    let lower = line.trim_start().to_ascii_lowercase();
    ["doi", "https://doi.org/", "http://doi.org/", "https://dx.doi.org/", "http://dx.doi.org/"]
        .iter()
        .any(|mark| lower.starts_with(mark))
        .then(|| doi_in(line))?
}

/// The number in arXiv's stamp, as in `arXiv:2301.01234v2 [cs.CL]`, without its version.
fn arxiv_in(text: &str) -> Option<String> {
    text.split("arXiv:").skip(1).find_map(|rest| {
        let (number, class) = rest.split_once('[')?;
        let (number, version) = number.trim().split_once('v')?;
        let (month, count) = number.split_once('.')?;
        let is_number = |text: &str, lengths: std::ops::RangeInclusive<usize>| {
            lengths.contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit())
        };
        let is_stamp = is_number(month, 4..=4) && is_number(count, 4..=5) && is_number(version, 1..=3);
        (is_stamp && class.contains(']')).then(|| number.to_owned())
    })
}

/// The year that the beginning of a paper states.
fn year(head: &str) -> Option<String> {
    let lines = || head.lines().map(str::trim);
    let paragraphs = || head.split("\n\n").map(one_line);
    lines()
        .find_map(year_of_issue)
        .or_else(|| lines().filter(|line| !line.is_empty()).take(TOP_LINES).find_map(year_of_volume))
        .or_else(|| paragraphs().find_map(|paragraph| year_of_itself(&paragraph)))
        .or_else(|| lines().find_map(year_of_event))
        .or_else(|| year_of_copyright(head))
        .or_else(|| lines().find_map(year_of_month))
}

/// The years in a text, each with its offset.
fn years(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.match_indices(['1', '2']).filter_map(|(at, _)| {
        let year = text.get(at..at + 4)?;
        let is_year =
            (year.starts_with("19") || year.starts_with("20")) && year.bytes().all(|one| one.is_ascii_digit());
        let begins = !text[..at].ends_with(|one: char| one.is_alphanumeric() || matches!(one, '.' | '/' | '-' | '_'));
        let mut behind = text[at + 4..].chars();
        let next = behind.next();
        // The letter of `2008a` distinguishes papers of the same year.
        let ends = match next {
            Some(one) if one.is_ascii_lowercase() => !behind.next().is_some_and(char::is_alphanumeric),
            Some(one) => !one.is_alphanumeric() && one != '/',
            None => true,
        };
        (is_year && begins && ends).then_some((at, year))
    })
}

fn first_year(text: &str) -> Option<String> {
    years(text).next().map(|(_, year)| year.to_owned())
}

/// The year in a line such as `July 2008, Volume 27, Issue 3`.
fn year_of_issue(line: &str) -> Option<String> {
    let words: Vec<&str> = line.split_whitespace().take(4).collect();
    let [month, year, volume, number] = words.as_slice() else { return None };
    let year = year.strip_suffix(',')?;
    let is_volume = ["Volume", "Vol.", "Vol"].contains(volume) && number.starts_with(|one: char| one.is_ascii_digit());
    (is_volume && month.chars().all(char::is_alphabetic)).then(|| first_year(year).filter(|found| found == year))?
}

/// The year in a line such as `Pattern Recognition 40 (2007) 2730-2741`, `Volume 18 (1997), No. 4`.
fn year_of_volume(line: &str) -> Option<String> {
    if line.len() > LINE_BYTES {
        return None;
    }
    let (at, year) = years(line).find(|&(at, _)| line[..at].ends_with('('))?;
    let before = line[..at - 1].trim_end();
    let behind = line[at + 4..].strip_prefix(')')?.trim_start_matches([' ', ',', ':']).to_lowercase();
    let has_volume = before.ends_with(|last: char| last.is_ascii_digit());
    let has_pages = ["no.", "no ", "pp", "p. ", "article"].iter().any(|word| behind.starts_with(word))
        || behind.starts_with(|first: char| first.is_ascii_digit());
    (has_volume && has_pages && before.starts_with(char::is_uppercase)).then(|| year.to_owned())
}

/// The year in `This is a modified version of Lovelace and Babbage (2008a)`, `This article was published in the Annals,
/// 2009`.
fn year_of_itself(paragraph: &str) -> Option<String> {
    let lower = paragraph.to_ascii_lowercase();
    for (at, mark) in MARKS.iter().flat_map(|mark| lower.match_indices(mark)) {
        let begin = lower[..at].rfind(". ").map_or(0, |end| end + 2);
        let subject = &lower[begin..at];
        let is_of_itself = ["this ", "it has been"].iter().any(|begin| subject.starts_with(begin))
            || subject.contains(" this ")
                && !["previous", "earlier", "material"].iter().any(|word| subject.contains(word));
        let behind = &paragraph[at + mark.len()..];
        let behind = &behind[..behind.floor_char_boundary(REACH_BYTES)];
        let Some((year_at, year)) = years(behind).next() else { continue };
        // With other words before the year, it may be another paper's.
        let names = behind[..year_at].trim_end_matches(['(', ' ']);
        let ends = names
            .find(". ")
            .is_some_and(|end| !names[..end].ends_with("al") && names[end + 2..].starts_with(char::is_uppercase));
        let is_name = |word: &str| {
            word.starts_with(char::is_uppercase) || BETWEEN_NAMES.contains(&word) || NAME_PARTICLES.contains(&word)
        };
        let are_names = || names.split([' ', ',']).filter(|word| !word.is_empty()).all(is_name);
        if is_of_itself && !ends && (mark != "version of " || are_names()) {
            return Some(year.to_owned());
        }
    }
    None
}

/// The year in `Proceedings of the 36th Conference on Tides, 2019`, `31st Conference on Tides (CT 2017)`, `Received 1
/// May 2006; published 3 March 2007`.
fn year_of_event(line: &str) -> Option<String> {
    let lower = line.to_ascii_lowercase();
    let ordinal = lower.trim_start_matches(|one: char| one.is_ascii_digit());
    let is_nth = ordinal.len() < lower.len()
        && ["st ", "nd ", "rd ", "th "].iter().any(|end| ordinal.starts_with(end))
        && ["conference", "symposium", "workshop", "meeting", "congress"].iter().any(|kind| lower.contains(kind));
    if line.len() > 2 * LINE_BYTES || !(is_nth || OPENINGS.iter().any(|opening| lower.starts_with(opening))) {
        return None;
    }
    let from = ["published", "available online", "accepted"].iter().find_map(|word| lower.find(word)).unwrap_or(0);
    first_year(&line[from..])
}

/// The latest year beside any copyright mark, as in `Copyright 1999-2006 Harbour Press`.
fn year_of_copyright(head: &str) -> Option<String> {
    let lower = head.to_ascii_lowercase();
    let marks = ["copyright", "\u{a9}", "(c)"].iter().flat_map(|mark| lower.match_indices(mark));
    let latest = |(at, mark): (usize, &str)| {
        let rest = head[at + mark.len()..].trim_start_matches(['\u{a9}', ' ']);
        let rest = rest.strip_prefix("(c)").or_else(|| rest.strip_prefix("(C)")).unwrap_or(rest).trim_start();
        let end = rest.find(|one: char| !(one.is_ascii_digit() || matches!(one, ' ' | ',' | '-' | '\u{2013}')));
        let listed = rest[..end.unwrap_or(rest.len())].replace(['-', '\u{2013}'], " ");
        years(&listed).map(|(_, year)| year.to_owned()).max()
    };
    marks.filter_map(latest).max()
}

/// The year of `October 2014`, on a line of its own or at the beginning of a short one.
fn year_of_month(line: &str) -> Option<String> {
    let (month, rest) = line.split_once(' ')?;
    let is_short = line.len() * 2 < LINE_BYTES;
    let year = rest.split(|one: char| !one.is_ascii_digit()).next().filter(|year| first_year(year).is_some())?;
    (is_short && month_number(&month.trim_end_matches([',', '.']).to_lowercase()).is_some()).then(|| year.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Option<&str>) {
        assert_eq!(year(text).as_deref(), expected, "{text}");
    }

    #[test]
    fn the_year_of_a_journals_issue_is_found() {
        check("Journal of Statistical Software\nJuly 2008, Volume 27, Issue 3.\nForecasting", Some("2008"));
        check("März 2012, Vol. 5", Some("2012"));
        check("Leisch 2004, Volume by volume", None);
        check("July 2008 Volume 27 of it and so on", Some("2008"));
        check("In 2008, Volkswagen", None);
        check("July 20080, Volume 27", None);
        check("Harbour Letters 40 (2007) 2730 \u{2013} 2741", Some("2007"));
        check("Tide News, Volume 18 (1997), No. 4", Some("1997"));
        check("as Babbage 40 (2007) has it", None);
    }

    #[test]
    fn a_paper_tells_of_its_own_publication() {
        check(
            "This introduction is a (slightly) modified version of Lovelace and Babbage (2010a), published in the Annals.",
            Some("2010"),
        );
        check("This is a new version of the method of Babbage (1990) that is faster.", None);
        check("This article was originally published as Lovelace (2004b) in the Annals.", Some("2004"));
        check(
            "A version of this manuscript has been published online in the Annals, on Oct. 2015, with a DOI.",
            Some("2015"),
        );
        check("A previous version of this manuscript was published in the Annals (Lovelace, 2005b).", None);
        check("Much of the material in this manual is published in the Annals (2011) 38.", None);
        check("This vignette corresponds to an article published in the\nAnnals 2016;70(10).", Some("2016"));
        check("This version corresponds to engine 1.0 and was typeset on January 11, 2022.", Some("2022"));
        check("Preprint submitted to Annals of Tides | February 10, 2020", Some("2020"));
        check("We published tides in 2001. Others followed.", None);
        check("This shows what was published. Babbage (1990) says more.", None);
        check("31st Conference on Tides (CT 2017), Long Beach, CA, USA.", Some("2017"));
        check(
            "Proceedings of the 36 th Conference on Tides, Volume 97, 2019. Copyright 2019 by the authors.",
            Some("2019"),
        );
        check("Received 1 May 2006; accepted 3 March 2007", Some("2007"));
        check("Preprint. Copyright \u{a9} 2009 Harbour Press; available online", Some("2009"));
        check("Copyright (C) 1994-2003, 2005 A. Lovelace", Some("2005"));
        check("Copyright 1998-2002 A. Lovelace\nCopyright 2005\u{2013}2017 C. Babbage", Some("2017"));
        check("October 2014 \u{2217}(revised in May 2020)", Some("2014"));
        check("Tides were low (Babbage 1990). In May 2001 they rose.", None);
    }

    #[test]
    fn numbers_of_papers_are_found() {
        let check = |text: &str, doi: Option<&str>, arxiv: Option<&str>| {
            let found = authorship_in_paper(text, None);
            assert_eq!((found.doi.as_deref(), found.arxiv.as_deref()), (doi, arxiv), "{text}");
        };
        check("Title\n\nhttps://doi.org/10.1145/3442188.3445922.", Some("10.1145/3442188.3445922"), None);
        check("DOI: 10.1000/182", Some("10.1000/182"), None);
        check("As in https://doi.org/10.1145/3442188.3445922", None, None);
        check("doi 2.10.1145/1 and 10.5/x", None, None);
        check("doi: 10. 10.語/x 10.", None, None);
        check("arXiv:2301.01234v2 [cs.CL] 3 Jan 2023", None, Some("2301.01234"));
        check("Builds on arXiv:1706.03762 [3]", None, None);
        check("arXiv: a site [1]. 2301.01234", None, None);
        check(&format!("{}\ndoi:10.1145/3442188", "語".repeat(3000)), None, None);
    }
}
