//! Papers of one form on different cases, such as two applications or two invoices: similar documents, which their
//! numbers, names or subjects tell apart. Neither replaces the other.

use std::collections::{BTreeMap, BTreeSet};

use super::edition::{Edition, is_alike, is_year, stem};
use crate::base::text::{bare_subject, codes, folded, is_cjk};

/// The lines at the beginning of a paper among which the number or the name of its case stands.
const HEAD: usize = 16;
/// The most characters of a label.
const LABEL: usize = 24;

/// Last words of the labels of numbers, in lower case.
const NUMBERS: &str = "number|no|nr|nº|n°|№|id|reference|ref|nummer|aktenzeichen|zeichen|numéro|número|numero|nummer|numer|номер|番号|编号|編號|번호";
/// Parts of such labels whose number belongs to something else, or counts.
const OTHERS: [&str; 12] =
    ["phone", "tel", "fax", "version", "page", "maximum", "minimum", "greatest", "total", ",", "電話", "内線"];
/// The number of a case stands among the first lines with a label.
const FIRST: usize = 3;
/// Labels of what a paper is about, in lower case.
const NAMES: &str = "name|subject|re|regarding|client|customer|applicant|employee|patient|project|product|model|betreff|kunde|antragsteller|patient|projekt|\
    objet|nom|client|demandeur|projet|asunto|nombre|cliente|solicitante|proyecto|oggetto|nome|richiedente|progetto|\
    onderwerp|naam|klant|temat|nazwisko|тема|件名|氏名|名前|案件|案件名|顧客名|申請者|型番|製品名|品名|物件名|姓名|主题|제목|성명";

/// Whether two similar documents are papers of one form on different cases: the same label stands before another number,
/// name or subject, or their files are named after other numbers.
pub(super) fn are_separate_cases(one: &Edition<'_>, other: &Edition<'_>) -> bool {
    let (own, others) = (identifiers(one), identifiers(other));
    let differs = |(label, value): (&String, &String)| others.get(label).is_some_and(|other| other != value);
    let (files, other_files) = (case_numbers(one.path), case_numbers(other.path));
    is_alike(one, other)
        && (own.iter().any(differs) || !files.is_empty() && !other_files.is_empty() && files != other_files)
}

/// The numbers of cases in a file's name: `R7-031` and `INV-2024-003`. Years, days and versions are none.
pub fn case_numbers(path: &str) -> BTreeSet<String> {
    let is_number = |code: &String| {
        let counts = |run: &str| (3..8).contains(&run.len()) && !run.parse().is_ok_and(is_year);
        !code.contains(|c: char| c.is_ascii_lowercase() || c == '.')
            && code.starts_with(|c: char| c.is_ascii_uppercase())
            && code.split(|c: char| !c.is_ascii_digit()).any(counts)
    };
    codes(stem(path)).filter(is_number).collect()
}

/// The numbers, names and subjects at the beginning of a paper, by their labels. A subject that is its title tells it from
/// no other document, and a label that stands there several times lists things.
fn identifiers(edition: &Edition<'_>) -> BTreeMap<String, String> {
    let title = folded(edition.title);
    let read = |(place, (label, value)): (usize, (&str, &str))| {
        let (label, value) = (folded(label), folded(bare_subject(value)));
        let is_of = |labels: &str| labels.split('|').any(|known| known == label);
        let last = label.trim_end_matches('.').rsplit([' ', '-']).next().unwrap_or_default();
        let ends = |known: &str| last == known || known.contains(is_cjk) && label.ends_with(known);
        let is_number = place < FIRST
            && NUMBERS.split('|').any(ends)
            && value.contains(|c: char| c.is_ascii_digit())
            && !OTHERS.iter().any(|other| label.contains(other));
        ((is_number || is_of(NAMES)) && !title.contains(&value)).then_some((label, value))
    };
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let head = edition.text.lines().filter(|line| !line.trim().is_empty()).take(HEAD);
    let labelled = head.filter_map(labelled).enumerate();
    labelled.filter_map(read).for_each(|(label, value)| found.entry(label).or_default().push(value));
    let single = |(label, values): (String, Vec<String>)| Some((label, <[String; 1]>::try_from(values).ok()?));
    found.into_iter().filter_map(single).map(|(label, [value])| (label, value)).collect()
}

/// The label and the value of a line: two cells of a table, or a value behind a colon or a wide gap. A row of several
/// values has none.
fn labelled(line: &str) -> Option<(&str, &str)> {
    let line = line.trim().trim_start_matches(['|', '-', '*', ' ']);
    let (label, rest) = line.split_once(['|', ':', '：', '\t', '\u{3000}']).or_else(|| line.split_once("  "))?;
    let marks = |c: char| c.is_whitespace() || matches!(c, '|' | '*' | ':' | '：');
    let (label, value) = (label.trim_matches(marks), rest.trim_matches(marks));
    let is_one = !value.is_empty() && !value.contains(['|', ';']);
    (!label.is_empty() && is_one && label.chars().count() <= LABEL).then_some((label, value))
}

#[cfg(test)]
mod tests {
    use super::super::edition::dated;
    use super::super::{are_parallel_documents, is_newer_version};
    use super::*;

    #[test]
    fn records_of_one_form_are_told_apart_by_what_identifies_them() {
        let check = |one: &str, other: &str, expected: bool| {
            let (newer, older) =
                (dated("Application", "b.md", "2025-06-20", one), dated("Application", "a.md", "2025-04-28", other));
            assert_eq!(are_parallel_documents(&newer, &older), expected, "{one} / {other}");
            assert_eq!(is_newer_version(&newer, &older), !expected, "{one} / {other}");
        };
        check("| 稟議番号 | R7-042 |\n| 決裁者 | 鈴木 |", "| 稟議番号 | R7-031 |\n| 決裁者 | 田中 |", true);
        check("件名　フォークリフト更新の件", "件名　基幹システムの導入について", true);
        check("# Application\n\n**Invoice No.:** 118\nSum: 9", "# Application\n\n**Invoice No.:** 97\nSum: 8", true);
        check("Name: A. Holt\nDays: 5", "Name: B. Marsh\nDays: 3", true);
        check("Name: Holt; Phone: 4410", "Name: Holt; Phone: 4411", false);
        check("Name: Holt\nPhone: 1\nName: Marsh", "Name: Holt\nPhone: 1\nName: Ash", false);
        check("Form no.: F-12\nDeposit: 60", "Form no.: F-12\nDeposit: 50", false);
        check("Sensors, greatest number: 16", "Sensors, greatest number: 64", false);
        check("Phone number: 4410\nDeposit: 60", "Phone number: 4411\nDeposit: 50", false);
        check("Subject: Application\nDeposit: 60", "Subject: Re: Application\nDeposit: 50", false);
    }

    #[test]
    fn numbers_of_cases_in_the_names_of_files() {
        let check = |path: &str, expected: &[&str]| {
            assert_eq!(case_numbers(path).iter().map(String::as_str).collect::<Vec<_>>(), expected, "{path}");
        };
        check("forms/稟議書_R7-031.md", &["R7-031"]);
        check("INV-2024-003.pdf", &["INV-2024-003"]);
        check("旅費規程_R5-04-01.docx", &[]);
        check("Policy-V2.md", &[]);
        check("Travel-Policy-2024.md", &[]);
        check("FY2024-25.xlsx", &[]);
    }
}
