//! A report with the answer to a further question in it.

use super::cite::fence::with_levels;
use super::cite::renumbered;
use super::coverage::recounted;
use super::record::{Record, RecordedCitation};
use super::words::{Words, all_words};

/// The list of sources of a report.
struct Sources {
    /// The start of its heading and the end of its last line, in bytes.
    at: usize,
    end: usize,
    /// Its lines without their numbers.
    lines: Vec<String>,
}

/// `report` with a new section before its list of sources: the text of the report `answer`, whose sources follow the
/// old ones. The numbers of the new sources continue those of the old ones, also in the record. Everything else except
/// the account of the documents stays the same, byte for byte. `None` if either report has no list of sources.
pub fn amended(report: &str, heading: &str, answer: &str) -> Option<String> {
    let ((text, kept), (answer, added)) = (Record::split(report), Record::split(answer));
    let comment = &report[text.len()..];
    let report = text;
    let (old, new) = (sources_of(report)?, sources_of(answer)?);
    let last = old.lines.len();
    let text = renumbered(without_title(&answer[..new.at]).trim(), |number| number + last);
    let lines: String = (last + 1..).zip(&new.lines).map(|(number, line)| format!("{number}. {line}\n")).collect();
    let break_before = if report[..old.end].ends_with('\n') { "" } else { "\n" };
    let body = format!("{}## {heading}\n\n{text}\n\n", &report[..old.at]);
    let whole = format!("{body}{}{break_before}{lines}{}", &report[old.at..old.end], &report[old.end..]);
    let (whole, record) = match (kept, added) {
        (Some(Ok(kept)), Some(Ok(added))) => {
            let more = added.citations.into_iter().map(|one| RecordedCitation { number: one.number + last, ..one });
            let citations = kept.citations.into_iter().chain(more).collect();
            let coverage = match (kept.coverage, added.coverage) {
                (Some(kept), Some(added)) => Some(kept.with(added)),
                _ => None,
            };
            let (whole, record) = recounted(&whole, Record { citations, coverage, ..kept }, &body);
            // The empty line before the record belongs to the text.
            (whole, record.comment().trim_start().to_owned())
        }
        _ => (whole, comment.to_owned()),
    };
    Some(format!("{whole}{record}"))
}

/// Whether a report has a list of sources, to which those of an answer can be added.
pub fn is_amendable(report: &str) -> bool {
    sources_of(Record::split(report).0).is_some()
}

fn sources_of(report: &str) -> Option<Sources> {
    let is_heading = |line: &str, words: &Words| line.trim_end() == format!("## {}", words.sources);
    let mut at = 0;
    let mut found: Option<Sources> = None;
    for line in report.split_inclusive('\n') {
        let end = at + line.len();
        if all_words().any(|words| is_heading(line, words)) {
            found = Some(Sources { at, end, lines: Vec::new() });
        } else if let Some(sources) = &mut found
            && let Some((number, source)) = line.trim_end().split_once(". ")
            && number.parse() == Ok(sources.lines.len() + 1)
        {
            sources.end = end;
            sources.lines.push(source.to_owned());
        }
        at = end;
    }
    found.filter(|sources| !sources.lines.is_empty())
}

/// A report's text below its title, its headings one level deeper.
fn without_title(markdown: &str) -> String {
    with_levels(markdown, |level| (level > 1).then_some(level + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_section_is_added_and_nothing_else_changes() {
        let report = "# T\n\nIt grew [1].\n\n## Sources\n\n1. **A**, a.md: “x”\n2. **B**, b.md: “y”\n\n## How\n\n- x\n";
        let answer = "# And then?\n\nIt fell [1]. Since 1990 [2][1].\n\n## More\n\n- z [2]\n\n## 出典\n\n1. **C**: “z”\n\
                      2. **D**: “w”\n\n## How\n\n- y\n";
        assert_eq!(
            amended(report, "And then?", answer).unwrap(),
            "# T\n\nIt grew [1].\n\n## And then?\n\nIt fell [3]. Since 1990 [4][3].\n\n### More\n\n- z [4]\n\n## Sources\n\n\
             1. **A**, a.md: “x”\n2. **B**, b.md: “y”\n3. **C**: “z”\n4. **D**: “w”\n\n## How\n\n- x\n"
        );
        assert_eq!(amended("# T\n\nNo sources.\n", "h", answer), None);
        assert!(is_amendable(report) && !is_amendable("# T\n\nNo sources.\n"));
    }

    #[test]
    fn the_record_knows_the_new_sources() {
        let with_record = |text: &str, quote: &str| {
            let citation = RecordedCitation {
                number: 1,
                path: "a.md".to_owned(),
                collection: String::new(),
                bytes: [0, 1],
                passage: [0, 1],
                quote: quote.to_owned(),
                before: String::new(),
                after: String::new(),
            };
            let record = Record {
                format: 1,
                written: None,
                question: quote.to_owned(),
                language: "eng".to_owned(),
                citations: vec![citation],
                coverage: None,
                approved: Vec::new(),
            };
            format!("{text}{}", record.comment())
        };
        let report = with_record("# T\n\nIt grew [1].\n\n## Sources\n\n1. **A**: “x”\n", "x");
        let answer = with_record("# N\n\nIt fell [1].\n\n## Sources\n\n1. **B**: “y”\n", "y");
        let amended = amended(&report, "N", &answer).unwrap();
        let (text, record) = Record::split(&amended);
        let citations = record.unwrap().unwrap().citations;
        let quotes: Vec<(usize, &str)> = citations.iter().map(|one| (one.number, one.quote.as_str())).collect();
        assert_eq!(quotes, [(1, "x"), (2, "y")]);
        assert!(text.ends_with("2. **B**: “y”\n\n") && report.starts_with("# T\n\nIt grew [1].\n\n"), "{text}");
    }
}
