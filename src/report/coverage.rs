//! What became of every document, as a report tells it: the totals on one line of its account, and the documents in a
//! folded list below it.

use std::path::Path;

use super::cite::{cited_numbers, with_escaped_footnotes};
use super::markdown::shown_source;
use super::{Noun, Record, RecordedCitation, Words, escaped, shown_path, words};
use crate::base::text::Language;
use crate::domain::{Coverage, DocumentName};

/// The most documents of one kind that the list names; the JSON of a report names all.
const MOST_NAMED: usize = 50;
/// The most documents without a match that the list names; their names say least.
const MOST_UNMATCHED: usize = 20;

const OPENING: &str = "<details>";
const CLOSING: &str = "</details>\n";

/// The totals, as a line of the account.
pub(super) fn totals(coverage: &Coverage, words: &Words) -> String {
    let names = &words.standings;
    let told = [
        (&names.cited, coverage.cited.len() as u64),
        (&names.read, coverage.read.len() as u64),
        (&names.matched, coverage.matched.len() as u64),
        (&names.unmatched, coverage.without_match()),
    ];
    // Documents that could not be read are only mentioned if there are any.
    let unreadable = Some((&names.unreadable, coverage.unreadable.len() as u64)).filter(|(_, count)| *count > 0);
    let told: Vec<String> =
        told.into_iter().chain(unreadable).map(|(name, count)| words.counted(name, count)).collect();
    format!("- **{}**{}{}\n", words.coverage, words.colon, told.join(words.comma))
}

/// The list of all documents, folded away; it begins with an empty line.
pub fn covered_documents(coverage: &Coverage, language: Language) -> String {
    let words = words(language);
    let mut out = format!("\n{OPENING}\n<summary>{}</summary>\n\n", words.every_document);
    let names = &words.standings;
    let lists = [
        (&names.cited, &coverage.cited, MOST_NAMED, 0),
        (&names.read, &coverage.read, MOST_NAMED, 0),
        (&names.matched, &coverage.matched, MOST_NAMED, 0),
        (&names.unmatched, &coverage.unmatched, MOST_UNMATCHED, coverage.unlisted),
    ];
    for (name, list, most, unlisted) in lists {
        let beyond = list.len().saturating_sub(most) as u64 + unlisted;
        let named = list.iter().take(most).map(|document| shown_source(&document.path, None));
        group(&mut out, name, list.len() as u64 + beyond, named, beyond, words);
    }
    let unreadable = coverage.unreadable.iter().map(|reason| escaped(reason));
    group(&mut out, &names.unreadable, coverage.unreadable.len() as u64, unreadable, 0, words);
    out.push_str(&format!("\n{CLOSING}"));
    out
}

fn group(out: &mut String, name: &Noun, count: u64, lines: impl Iterator<Item = String>, beyond: u64, words: &Words) {
    if count == 0 {
        return;
    }
    out.push_str(&format!("- **{}**{}\n", words.heading(name, count), words.colon.trim_end()));
    for line in lines {
        out.push_str(&format!("  - {line}\n"));
    }
    if beyond > 0 {
        out.push_str(&format!("  - {}\n", words.counted(&words.more, beyond)));
    }
}

/// Whether a piece of a report is the folded list of all documents, which is not shown on a screen.
pub fn is_folded_list(piece: &str) -> bool {
    piece.trim_start().starts_with(OPENING)
}

/// The same coverage with the paths that people read.
pub fn with_shown_paths(coverage: &Coverage, working_dir: Option<&Path>) -> Coverage {
    let shown = |list: &[DocumentName]| list.iter().map(|one| shown_name(one, working_dir)).collect();
    Coverage {
        cited: shown(&coverage.cited),
        read: shown(&coverage.read),
        matched: shown(&coverage.matched),
        unmatched: shown(&coverage.unmatched),
        ..coverage.clone()
    }
}

/// The coverage as a report records it: with the paths that people read, and without the documents that no search
/// found.
pub fn recorded_coverage(coverage: &Coverage, working_dir: Option<&Path>) -> Coverage {
    let named = with_shown_paths(coverage, working_dir);
    let unlisted = coverage.without_match();
    Coverage { unlisted, unmatched: Vec::new(), not_found: Vec::new(), ..named }
}

/// The same document with the path that people read.
fn shown_name(document: &DocumentName, working_dir: Option<&Path>) -> DocumentName {
    DocumentName { collection: document.collection.clone(), path: shown_path(&document.path, working_dir) }
}

/// The report with its account of the documents rewritten from `coverage`; the parts about documents that no search
/// found, or that could not be read, stay.
fn rewrite_coverage(visible: &str, coverage: &Coverage, language: Language) -> String {
    let words = words(language);
    let coverage = &Coverage { unreadable: Vec::new(), ..coverage.clone() };
    let label = format!("- **{}**{}", words.coverage, words.colon);
    let line = visible.rfind(&format!("\n{label}")).map(|at| at + 1);
    let Some(start) = line else { return visible.to_owned() };
    let end = visible[start..].find('\n').map_or(visible.len(), |length| start + length + 1);
    let unreadable = visible[start..end].trim_end().rsplit_once(words.comma).map(|(_, last)| last);
    let unreadable = unreadable.filter(|last| words.standings.unreadable.ends(last));
    let mut told = totals(coverage, words);
    if let Some(last) = unreadable {
        told.truncate(told.trim_end().len());
        told.push_str(&format!("{}{last}\n", words.comma));
    }
    let folded = visible[end..].find(&format!("\n{OPENING}\n")).map(|at| end + at);
    let list = folded.and_then(|from| Some((from, from + visible[from..].find(CLOSING)? + CLOSING.len())));
    let Some((from, to)) = list else {
        return format!("{}{told}{}", &visible[..start], &visible[end..]);
    };
    // The names of documents that no search found stand only in the list.
    let headings = [&words.standings.unmatched, &words.standings.unreadable].into_iter().flat_map(|name| name.forms());
    let rest = headings.filter_map(|form| visible[from..to].find(&format!("\n- **{form}**"))).min();
    let fresh = covered_documents(&Coverage { unlisted: 0, ..coverage.clone() }, language);
    let list = match rest {
        Some(at) => {
            let head = fresh.trim_end().trim_end_matches(CLOSING.trim_end()).trim_end();
            format!("{head}{}", &visible[from + at..to])
        }
        None => fresh,
    };
    format!("{}{told}{}{list}{}", &visible[..start], &visible[end..from], &visible[to..])
}

/// The coverage of a record, recounted from the citations in `body`; `None` if the record has no coverage.
pub fn coverage_of(record: &Record, body: &str) -> Option<Coverage> {
    let coverage = record.coverage.clone()?;
    let standing = cited_numbers(&with_escaped_footnotes(body));
    let lists = [&coverage.cited, &coverage.read, &coverage.matched];
    let name = |citation: &RecordedCitation| {
        let (path, collection) = (&citation.path, &citation.collection);
        // If the report was checked against files, its documents are in no collection.
        let known = lists.into_iter().flatten().find(|one| collection.is_empty() && one.path == *path);
        known.cloned().unwrap_or_else(|| DocumentName { collection: collection.clone(), path: path.clone() })
    };
    let standing = record.citations.iter().filter(|citation| standing.contains(&citation.number));
    let cited: Vec<DocumentName> = standing.map(name).collect();
    Some(coverage.recounted(&cited))
}

/// The text of a report and its record, both with the documents recounted from the citations in `body`, the text above
/// the list of sources.
pub fn recounted(visible: &str, record: Record, body: &str) -> (String, Record) {
    let Some(coverage) = coverage_of(&record, body) else { return (visible.to_owned(), record) };
    let text = rewrite_coverage(visible, &coverage, Language::from_code(&record.language));
    (text, Record { coverage: Some(coverage), ..record })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(paths: &[&str]) -> Vec<DocumentName> {
        paths.iter().map(|path| DocumentName { collection: "c".to_owned(), path: (*path).to_owned() }).collect()
    }

    fn coverage() -> Coverage {
        Coverage {
            cited: named(&["a.md", "b.md"]),
            read: named(&["c.md"]),
            matched: named(&["d.md"]),
            unmatched: named(&["e`.md"]),
            unlisted: 1_200,
            unreadable: vec!["f.pdf: encrypted".to_owned()],
            not_found: Vec::new(),
        }
    }

    #[test]
    fn totals_are_one_line_and_documents_are_folded_away() {
        let words = words(Language::ENGLISH);
        assert_eq!(
            totals(&coverage(), words),
            "- **Documents**: 2 cited, 1 read and not used, 1 matched and not read, 1,201 did not match, 1 could not be \
             read\n"
        );
        let list = covered_documents(&coverage(), Language::ENGLISH);
        assert!(is_folded_list(&list) && list.ends_with("</details>\n"), "{list}");
        assert!(list.contains("- **did not match**:\n  - `` e`.md ``\n  - 1,200 more\n"), "{list}");
        assert!(list.contains("- **could not be read**:\n  - f.pdf: encrypted\n"), "{list}");
        let many = Coverage { unmatched: named(&["g.md"; 23]), ..coverage() };
        let list = covered_documents(&many, Language::ENGLISH);
        assert!(list.matches("`g.md`").count() == 20 && list.contains("  - 1,203 more\n"), "{list}");
    }

    #[test]
    fn an_account_is_retold_by_the_citations_that_stand() {
        let all = coverage();
        let account = format!(
            "# T\n\n## How\n\n{}- **Cost**: 0\n{}",
            totals(&all, words(Language::ENGLISH)),
            covered_documents(&all, Language::ENGLISH)
        );
        let fewer = recorded_coverage(&all, None).recounted(&named(&["b.md"]));
        assert_eq!(
            (&fewer.unreadable, fewer.unlisted),
            (&all.unreadable, 1_201),
            "what could not be read travels along"
        );
        let told = rewrite_coverage(&account, &fewer, Language::ENGLISH);
        assert!(told.contains("1 cited, 2 read and not used, 1 matched and not read, 1,201 did not match, 1 could"));
        let kept = account.replace("2 cited, 1 read", "1 cited, 2 read").replace("  - `a.md`\n", "");
        assert_eq!(told, kept.replace("  - `c.md`\n", "  - `a.md`\n  - `c.md`\n"));
        assert_eq!(rewrite_coverage("# T\n", &fewer, Language::ENGLISH), "# T\n");
    }
}
