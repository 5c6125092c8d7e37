//! The parts that the program itself writes below a report: the list of sources and the account of the research.

use std::path::Path;

use super::coverage::totals;
use super::{Words, repeats_title, shown_path, words};
use crate::base::is_url;
use crate::base::text::{Language, one_line, without_marks};
use crate::domain::{
    Citation, Coverage, DateOrigin, DocumentDate, RoundSummary, StopReason, Strategy, SubQuery, Usage,
};

/// A collection that a run could search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchedCollection {
    /// Its name.
    pub name: String,
    /// Number of documents.
    pub documents: u64,
}

/// The data for the account of a run.
#[derive(Clone, Debug)]
pub struct Account<'a> {
    /// The language of the question.
    pub language: Language,
    /// The collections that could be searched, by name.
    pub collections: &'a [SearchedCollection],
    /// Whether the asker named these collections; a search that names none is then one of these.
    pub restricted: bool,
    /// The strategy of the run.
    pub strategy: Strategy,
    /// Why this strategy was chosen; empty if it was given.
    pub chosen: &'a str,
    /// The rounds of searches.
    pub rounds: &'a [RoundSummary],
    /// The number of passages in the ledger.
    pub evidence: usize,
    /// The number of passages that the report cites.
    pub cited: usize,
    /// The number of tokens of documents that searching brought.
    pub retrieved_tokens: u64,
    /// Why the search ended.
    pub stopped: StopReason,
    /// The planned searches that were not made any more.
    pub skipped: &'a [SubQuery],
    /// The model calls, tokens and money that were used.
    pub usage: Usage,
    /// The seconds from the question to the last word.
    pub seconds: f64,
    /// Names of the models that were called.
    pub models: &'a [String],
    /// Whether the report only quotes, without a language model.
    pub quotes_only: bool,
    /// The day after which documents were left out, and how many of their passages were.
    pub as_of: Option<(jiff::civil::Date, usize)>,
    /// What became of every document; `None` if the documents were not listed.
    pub coverage: Option<&'a Coverage>,
    /// The points settled with the asker before the search.
    pub settled: &'a [String],
    /// Files that could not be read, each with its reason, if `coverage` does not have them.
    pub unread: &'a [String],
    /// Other warnings.
    pub warnings: &'a [String],
}

/// The list of sources, one line each; empty if nothing is cited. It begins with an empty line.
pub fn sources(citations: &[Citation], language: Language, working_dir: Option<&Path>) -> String {
    let words = words(language);
    let mut out = String::new();
    if citations.is_empty() {
        return out;
    }
    push_line(&mut out, format_args!("\n## {}\n", words.sources));
    for citation in citations {
        let mut parts = vec![format!("**{}**", escaped(&citation.title)), shown_source(&citation.path, working_dir)];
        parts.extend(citation.by.as_deref().map(escaped));
        if let Some(page) = citation.page {
            parts.push(format!("{} {page}", words.page));
        }
        // The outermost heading mostly repeats the title.
        let headings = citation.headings.iter().filter(|heading| !repeats_title(heading, &citation.title));
        let headings: Vec<String> = headings.map(|heading| escaped(heading)).collect();
        if !headings.is_empty() {
            parts.push(format!("§ {}", headings.join(" › ").trim_start_matches(['§', ' '])));
        }
        // The year already stands beside the authors.
        let is_year = |date: &DocumentDate| date.origin == DateOrigin::Library && date.date.day_of_year() == 1;
        let date = citation.date.filter(|date| citation.by.is_none() || !is_year(date));
        parts.extend(shown_date(date));
        parts.extend(citation.accessed.map(|day| format!("{} {day}", words.accessed)));
        parts.extend(citation.known_since.map(|since| format!("{} {since}", words.known_since)));
        parts.extend(citation.same_origin.map(|first| words.same_origin.replace("{number}", &first.to_string())));
        push_line(
            &mut out,
            format_args!(
                "{}. {}{}{}",
                citation.number,
                parts.join(", "),
                words.colon,
                words.quoted(&shown_quote(&citation.quote))
            ),
        );
    }
    out
}

/// The account of how the answer came about. It begins with an empty line.
pub fn account(account: &Account<'_>) -> String {
    let words = words(account.language);
    let mut out = String::new();
    push_line(&mut out, format_args!("\n## {}\n", words.account));
    if account.quotes_only {
        push_line(&mut out, format_args!("{}\n", words.quotes_only));
    }
    let collections: Vec<String> = account
        .collections
        .iter()
        .map(|collection| {
            let documents = words.counted(&words.documents, collection.documents);
            format!("{}{}", escaped(&collection.name), words.bracketed(&documents))
        })
        .collect();
    item(
        &mut out,
        words.searched,
        words,
        &format!(
            "{}{}{}",
            collections.join(words.comma),
            words.semicolon,
            [
                words.counted(&words.evidence, account.evidence as u64),
                words.counted(&words.cited, account.cited as u64),
                words.counted(&words.retrieved, account.retrieved_tokens),
            ]
            .join(words.comma)
        ),
    );
    list(&mut out, words.settled, words, account.settled);
    if let Some(coverage) = account.coverage {
        out.push_str(&totals(coverage, words));
    }
    // The program's reasons are in English and say little to a reader; the journal has them.
    let why = |reason: &str| {
        if reason.is_empty() || account.quotes_only { String::new() } else { format!(". {}", escaped(reason)) }
    };
    item(&mut out, words.strategy, words, &format!("{}{}", account.strategy.name(), why(account.chosen)));
    if let Some((day, left_out)) = account.as_of {
        let left_out = words.counted(&words.too_new, left_out as u64);
        item(&mut out, words.as_of, words, &format!("{day}{}{left_out}", words.semicolon));
    }
    for (index, round) in account.rounds.iter().enumerate() {
        let label = words.numbered_round(index + 1);
        let found = [words.counted(&words.found, round.hits as u64), words.counted(&words.new, round.new as u64)]
            .join(words.comma);
        item(&mut out, &label, words, &format!("{found}{}", why(&round.reason)));
        for search in &round.sub_queries {
            let place: Vec<String> = search.place.iter().map(usize::to_string).collect();
            let (text, scope) = (escaped(&search.query.text), scope(&search.query, account, words));
            let found = words.counted(&words.found, search.hits as u64);
            let found = [found, words.counted(&words.new, search.new as u64)].join(words.comma);
            let brought = words.bracketed(&format!("{scope}{}{found}", words.semicolon));
            push_line(&mut out, format_args!("  - **{}** {text}{brought}", place.join(".")));
        }
    }
    item(&mut out, words.stopped, words, words.stop_reason(account.stopped));
    if !account.skipped.is_empty() {
        push_line(&mut out, format_args!("- **{}**{}", words.skipped, words.colon.trim_end()));
        for sub_query in account.skipped {
            let scope = words.bracketed(&scope(sub_query, account, words));
            push_line(&mut out, format_args!("  - {}{scope}", escaped(&sub_query.text)));
        }
    }
    if let Some(coverage) = account.coverage.filter(|coverage| !coverage.not_found.is_empty()) {
        push_line(&mut out, format_args!("- **{}**{}", words.unanswered, words.colon.trim_end()));
        for one in &coverage.not_found {
            let found = words.counted(&words.found, one.found as u64);
            let query = &one.searched;
            let brought = words.bracketed(&format!("{}{}{found}", scope(query, account, words), words.semicolon));
            push_line(&mut out, format_args!("  - {}{brought}", escaped(&query.text)));
        }
    }
    list(&mut out, words.unread, words, account.unread);
    list(&mut out, words.warnings, words, account.warnings);
    item(&mut out, words.cost, words, &bill(account, words));
    if !account.models.is_empty() {
        item(&mut out, words.models, words, &escaped(&account.models.join(", ")));
    }
    out
}

fn bill(account: &Account<'_>, words: &Words) -> String {
    let usage = &account.usage;
    if usage.calls == 0 {
        return [words.counted(&words.calls, 0), words.seconds(account.seconds)].join(words.comma);
    }
    let estimated = if usage.estimated { words.bracketed(words.estimated) } else { String::new() };
    let mut bill = vec![
        words.counted(&words.calls, usage.calls),
        words.counted(&words.tokens_in, usage.prompt_tokens),
        format!("{}{estimated}", words.counted(&words.tokens_out, usage.completion_tokens)),
        words.seconds(account.seconds),
    ];
    bill.extend(usage.usd.map(|usd| format!("${usd:.4}")));
    bill.join(words.comma)
}

fn scope(sub_query: &SubQuery, account: &Account<'_>, words: &Words) -> String {
    if !sub_query.collections.is_empty() {
        return escaped(&sub_query.collections.join(", "));
    }
    if account.restricted {
        let names: Vec<&str> = account.collections.iter().map(|collection| collection.name.as_str()).collect();
        return escaped(&names.join(", "));
    }
    words.everywhere.to_owned()
}

fn item(out: &mut String, label: &str, words: &Words, text: &str) {
    push_line(out, format_args!("- **{label}**{}{text}", words.colon));
}

fn list(out: &mut String, label: &str, words: &Words, items: &[String]) {
    if items.is_empty() {
        return;
    }
    push_line(out, format_args!("- **{label}**{}", words.colon.trim_end()));
    for text in items {
        push_line(out, format_args!("  - {}", escaped(text)));
    }
}

fn push_line(out: &mut String, line: std::fmt::Arguments<'_>) {
    out.push_str(&format!("{line}\n"));
}

/// Facts about a document that a sentence may state and that none of its passages has: title, place, day and headings.
pub fn about(title: &str, path: &str, date: Option<DocumentDate>, headings: &[String]) -> String {
    let day = shown_date(date).unwrap_or_default();
    format!("{title}\n{path}\n{day}\n{}", headings.join("\n"))
}

/// The day that a document speaks from, as `YYYY-MM-DD`. A file's modification time says when it was copied, and is not
/// shown.
pub fn shown_date(date: Option<DocumentDate>) -> Option<String> {
    date.filter(|date| date.origin != DateOrigin::FileTime).map(|date| date.date.to_string())
}

pub(super) fn shown_source(path: &str, working_dir: Option<&Path>) -> String {
    if is_url(path) {
        let bare = path.chars().all(|character| !character.is_whitespace() && !matches!(character, '<' | '>'));
        return if bare { format!("<{path}>") } else { escaped(path) };
    }
    let shown = one_line(&shown_path(path, working_dir));
    let run = shown.split(|character| character != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(run + 1);
    let space = if run > 0 { " " } else { "" };
    format!("{fence}{space}{shown}{space}{fence}")
}

/// A quote as the list of sources shows it: without Markdown marks.
pub fn shown_quote(quote: &str) -> String {
    escaped(&without_marks(quote))
}

/// Text of unknown authors on one line, escaped so that nothing in it acts as Markdown or HTML.
pub fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for character in one_line(text).chars() {
        if matches!(character, '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '|' | '~' | '#' | '&') {
            safe.push('\\');
        }
        // Control characters would reach the terminal.
        if !character.is_control() {
            safe.push(character);
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{ChunkId, DocumentId, RoundSearch};

    fn citation(title: &str, path: &str, quote: &str) -> Citation {
        Citation {
            number: 1,
            title: title.to_owned(),
            path: path.to_owned(),
            collection: "history".to_owned(),
            chunk: ChunkId { document: DocumentId(1), ordinal: 0 },
            page: Some(3),
            headings: vec!["A".to_owned(), "B_c".to_owned()],
            bytes: [0, 3],
            quote: quote.to_owned(),
            by: None,
            accessed: None,
            known_since: None,
            same_origin: None,
            date: Some(DocumentDate { date: jiff::civil::date(2001, 2, 3), origin: DateOrigin::Metadata }),
        }
    }

    fn check(citation: Citation, language: &str, expected: &str) {
        let listed = sources(&[citation], Language::from_code(language), Some(Path::new("/home/ann")));
        assert_eq!(listed, expected);
    }

    #[test]
    fn a_source_is_one_line_that_nothing_breaks() {
        check(
            citation("The *show*", "/home/ann/docs/a.md", "It began\n[1] <b>in</b> 1989."),
            "eng",
            "\n## Sources\n\n1. **The \\*show\\***, `docs/a.md`, p. 3, § A › B\\_c, 2001-02-03: “It began \\[1\\] \\<b\\>in\\</b\\> 1989.”\n",
        );
        let library = |month| DocumentDate { date: jiff::civil::date(1843, month, 1), origin: DateOrigin::Library };
        let by = Some("Lovelace & Babbage (1843)".to_owned());
        let year = Citation { by: by.clone(), date: Some(library(1)), ..citation("T", "/a.md", "q") };
        check(year, "eng", "\n## Sources\n\n1. **T**, `/a.md`, Lovelace \\& Babbage (1843), p. 3, § A › B\\_c: “q”\n");
        let day = Citation { by, date: Some(library(9)), headings: Vec::new(), ..citation("T", "/a.md", "q") };
        check(day, "eng", "\n## Sources\n\n1. **T**, `/a.md`, Lovelace \\& Babbage (1843), p. 3, 1843-09-01: “q”\n");
        let known = Citation { known_since: Some(jiff::civil::date(2023, 9, 16)), ..citation("T", "/a.md", "q") };
        check(
            known,
            "eng",
            "\n## Sources\n\n1. **T**, `/a.md`, p. 3, § A › B\\_c, 2001-02-03, known since 2023-09-16: “q”\n",
        );
        let headed =
            Citation { page: None, date: None, headings: Vec::new(), ..citation("T", "/a.md", "## A\n\n**It** is.") };
        check(headed, "eng", "\n## Sources\n\n1. **T**, `/a.md`: “A It is.”\n");
        let copied = Citation { same_origin: Some(2), ..citation("T", "/a.md", "q") };
        let listed = |mark| format!("1. **T**, `/a.md`, p. 3, § A › B\\_c, 2001-02-03, {mark}");
        check(copied.clone(), "eng", &format!("\n## Sources\n\n{}: “q”\n", listed("same origin as 2")));
        check(copied, "jpn", &format!("\n## 出典\n\n{}：「q」\n", listed("2と同じ出所")));
        check(
            citation("T", "/a`b.md", "q\u{1b}[31m"),
            "jpn",
            "\n## 出典\n\n1. **T**, `` /a`b.md ``, p. 3, § A › B\\_c, 2001-02-03：「q\\[31m」\n",
        );
        let mut copied = citation("T", "https://example.org/a", "q");
        copied.date = copied.date.map(|date| DocumentDate { origin: DateOrigin::FileTime, ..date });
        copied.accessed = Some(jiff::civil::date(2026, 3, 4));
        check(
            copied,
            "eng",
            "\n## Sources\n\n1. **T**, <https://example.org/a>, p. 3, § A › B\\_c, accessed 2026-03-04: “q”\n",
        );
        assert_eq!(sources(&[], Language::ENGLISH, None), "");
    }

    #[test]
    fn the_account_names_everything() {
        let rounds = [RoundSummary {
            sub_queries: vec![
                RoundSearch {
                    query: SubQuery { text: "When did it begin?".to_owned(), collections: vec!["history".to_owned()] },
                    place: vec![1],
                    hits: 15,
                    new: 11,
                },
                RoundSearch {
                    query: SubQuery { text: "Who wrote it?".to_owned(), collections: vec![] },
                    place: vec![1, 2],
                    hits: 5,
                    new: 1,
                },
            ],
            hits: 20,
            new: 12,
            reason: "Beginnings first.".to_owned(),
        }];
        let told = Account {
            language: Language::ENGLISH,
            collections: &[SearchedCollection { name: "history".to_owned(), documents: 1234 }],
            restricted: false,
            strategy: Strategy::Chain,
            chosen: "It has two hops.",
            rounds: &rounds,
            evidence: 14,
            cited: 5,
            retrieved_tokens: 3_456,
            stopped: StopReason::Budget,
            skipped: &[SubQuery { text: "Who drew [it]?".to_owned(), collections: vec!["history".to_owned()] }],
            usage: Usage {
                calls: 3,
                prompt_tokens: 1_234_567,
                completion_tokens: 890,
                usd: Some(0.01234),
                estimated: true,
                ..Usage::default()
            },
            seconds: 1.26,
            models: &["m1".to_owned()],
            quotes_only: false,
            as_of: Some((jiff::civil::date(2020, 1, 2), 7)),
            coverage: None,
            settled: &["“ACME” was taken for [a] customer".to_owned()],
            unread: &["a.pdf: encrypted".to_owned()],
            warnings: &[],
        };
        let expected = "\n## How this was researched\n\n\
            - **Searched**: history (1,234 documents); 14 passages in the evidence, 5 cited, 3,456 tokens retrieved\n\
            - **Settled before the search**:\n\
            \x20 - “ACME” was taken for \\[a\\] customer\n\
            - **Strategy**: chain. It has two hops.\n\
            - **As of**: 2020-01-02; 7 passages of later documents left out\n\
            - **Round 1**: 20 passages found, 12 new. Beginnings first.\n\
            \x20 - **1** When did it begin? (history; 15 passages found, 11 new)\n\
            \x20 - **1.2** Who wrote it? (all collections; 5 passages found, 1 new)\n\
            - **Why the search ended**: a limit on tokens, money, calls or time was reached\n\
            - **Not searched any more**:\n\
            \x20 - Who drew \\[it\\]? (history)\n\
            - **Could not be read**:\n\
            \x20 - a.pdf: encrypted\n\
            - **Cost**: 3 model calls, 1,234,567 tokens in, 890 tokens out (estimated), 1.3 s, $0.0123\n\
            - **Models**: m1\n";
        assert_eq!(account(&told), expected);
        let in_language = |code| account(&Account { language: Language::from_code(code), ..told.clone() });
        let french = in_language("fra");
        assert!(french.contains("history (1\u{202f}234 documents) ; 14 passages"), "{french}");
        let japanese = in_language("jpn");
        assert!(japanese.contains("：history（1,234件の文書）；14か所"), "{japanese}");
        assert!(japanese.contains("** When did it begin?（history；15か所"), "{japanese}");
        let restricted = account(&Account { restricted: true, ..told.clone() });
        assert!(restricted.contains("** Who wrote it? (history; 5 passages"), "{restricted}");
        let quoted = account(&Account { quotes_only: true, ..told });
        assert!(quoted.contains("- **Strategy**: chain\n") && quoted.contains("12 new\n"), "{quoted}");
        assert!(quoted.contains("This report quotes the documents and does not reason about them"), "{quoted}");
    }
}
