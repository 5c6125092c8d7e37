//! A report as Markdown again, whoever has edited it: its words are as they were, and nothing in them acts.

use super::model::FormedReport;
use super::shown::shown;
use crate::report::Record;
use crate::report::cite::harmless_report;

pub(super) fn markdown(report: &FormedReport) -> String {
    let (visible, record) = Record::split(&report.markdown);
    let sources = report.evidence.iter().flat_map(|one| [one.path.as_str(), one.quote.as_str()]);
    let mut text = harmless_report(&shown(visible), sources);
    // A record that cannot be read is left out: nobody knows where it ends.
    if let Some(Ok(record)) = record {
        text.truncate(text.trim_end_matches('\n').len());
        text.push('\n');
        text.push_str(&record.comment());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::{Form, formed, written};
    use crate::report::{RECORD_FORMAT, Record};

    fn check(report: &str, expected: &str) {
        let report = formed(report).expect("a report");
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
