//! A report as Markdown again, whoever has edited it: its words are unchanged, and nothing in them acts.

use super::model::FormedReport;
use super::read::headings;
use super::template::{Marked, Markup};
use crate::base::text::shown;
use crate::report::cite::sanitize_report;
use crate::report::{Record, is_account_heading, is_references_heading, words};

pub(super) fn markdown(report: &FormedReport) -> String {
    let (visible, record) = Record::split(&report.markdown);
    let sources = report.evidence.iter().flat_map(|one| [one.path.as_str(), one.quote.as_str()]);
    let mut text = sanitize_report(&shown(visible), sources);
    if !report.references.is_empty() {
        text = with_references(&text, report);
    }
    // A record that cannot be read is left out, since its end is unknown.
    if let Some(Ok(record)) = record {
        text.truncate(text.trim_end_matches('\n').len());
        text.push('\n');
        text.push_str(&record.comment());
    }
    text
}

/// The text with the list of references below its sources, replacing an earlier list.
fn with_references(text: &str, report: &FormedReport) -> String {
    let section = Marked { report, markup: Markup::Markdown }.blocks(&report.references);
    let section = format!("## {}\n\n{section}\n", words(report.language).form.references);
    // The heading of the sources is the first that is not part of the body.
    let sources = headings(&report.markdown[..report.body_end]).len();
    let headings = headings(text);
    let below = headings.get(sources + 1..).unwrap_or_default();
    let old = below.iter().position(|(_, heading)| is_references_heading(heading));
    let place = old.or_else(|| below.iter().position(|(_, heading)| is_account_heading(heading)));
    let at = |index: Option<usize>| index.and_then(|index| below.get(index)).map_or(text.len(), |(at, _)| *at);
    let (before, after) = (&text[..at(place)], &text[at(old.map_or(place, |old| Some(old + 1)))..]);
    let gap = if after.is_empty() { "" } else { "\n" };
    format!("{}\n\n{section}{gap}{after}", before.trim_end())
}

#[cfg(test)]
mod tests {
    use super::super::{Form, Style, parse_report, references, written};
    use crate::domain::Authorship;
    use crate::report::{RECORD_FORMAT, Record};

    fn check(report: &str, expected: &str) {
        let report = parse_report(report).expect("a report");
        let again = written(&report, Form::Markdown, None).expect("written");
        assert_eq!(String::from_utf8(again).expect("text"), expected);
    }

    const LIST: &str = "## Sources\n\n1. **T**, `a.md`: “The harbour was built in 1870.”\n";
    fn record() -> String {
        Record {
            format: RECORD_FORMAT,
            written: None,
            question: "Q".to_owned(),
            language: "eng".to_owned(),
            citations: Vec::new(),
            coverage: None,
            approved: Vec::new(),
        }
        .comment()
    }

    #[test]
    fn a_report_is_written_as_it_is() {
        let record = record();
        let report = format!("# Q\n\nThe harbour was built in 1870[1].\n\n{LIST}{record}");
        check(&report, &report);
        let report = format!(
            "# Q\n\nThe harbour was built in 1870[1]. See below.[^1]\n\n[^1]: My own remark.\n\n{LIST}{record}"
        );
        check(&report, &report);
        let read = parse_report(&report).expect("a report");
        assert_eq!(read.citing().len(), 1, "the footnote is no citation");
        let link = format!("# Q\n\n[^1]: https://b.example 'x'\n\n{LIST}{record}");
        check(&link, &link.replace("]: https:", "\\]: https\\:"));
    }

    #[test]
    fn references_stand_below_the_sources_once() {
        let styled = |text: &str, style: Style| {
            let mut report = parse_report(text).expect("a report");
            let said = Authorship { authors: vec!["Ada *Lovelace*".to_owned()], ..Authorship::default() };
            report.references = references(&report, style, |_| said.clone());
            String::from_utf8(written(&report, Form::Markdown, None).expect("written")).expect("text")
        };
        let check = |account: &str| {
            let record = record();
            let text = format!("# Q\n\n## References\n\nThe harbour was built in 1870[1].\n\n{LIST}{account}{record}");
            let expected = |reference: &str| {
                format!(
                    "# Q\n\n## References\n\nThe harbour was built in 1870[1].\n\n{LIST}\n## References\n\n- {reference}\n{account}{record}"
                )
            };
            let apa = styled(&text, Style::Apa);
            assert_eq!(apa, expected("\\*Lovelace\\*, A. (n.d.). *T*. [1]"));
            let ieee = expected("A. \\*Lovelace\\*, “T.” [1]");
            assert_eq!((styled(&apa, Style::Ieee), styled(&ieee, Style::Ieee)), (ieee.clone(), ieee.clone()));
            let again = parse_report(&ieee).expect("a report");
            assert_eq!((again.evidence.len(), again.citing().len()), (1, 1), "the references cite nothing");
        };
        check("");
        check("\n## How this was researched\n\nBy reading.\n");
    }

    #[test]
    fn what_somebody_has_put_in_acts_no_more() {
        let record = record();
        let edited =
            format!("# Q\n\n<img src=x onerror=y>\u{202e} built in 1870[1].\n\n{LIST}{record}<script>x</script>\n");
        let expected = format!("# Q\n\n\\<img src=x onerror=y>\u{fffd} built in 1870[1].\n\n{LIST}{record}");
        check(&edited, &expected);
        check(
            &format!("# Q\n\n[a](javascript:b)\n\n{LIST}\n<!-- deepsearch-record --!><script>x</script>\n"),
            &format!("# Q\n\n[a\\](javascript:b)\n\n{LIST}\n"),
        );
    }
}
