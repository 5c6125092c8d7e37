//! The cited documents as entries for reference managers, with what the documents say of themselves.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Map, Value, json};
use unicode_normalization::UnicodeNormalization;

use super::model::{Evidence, FormedReport};
use crate::base::is_url;
use crate::base::text::{Language, one_line, shown};
use crate::documents::parse::{WRITTEN_HERE, mark_of_csl};
use crate::domain::{Authorship, parted};
use crate::report::words;

/// The number of title words in a key if no author is known.
const WORDS_OF_KEY: usize = 3;
/// Shorter words of a title say too little for a key.
const SHORTEST_OF_KEY: usize = 4;

/// The format of a bibliography.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bibliography {
    /// BibTeX and BibLaTeX.
    Bibtex,
    /// Citation Style Language, as JSON.
    Csl,
    /// Research Information Systems.
    Ris,
}

/// A file name that is not a bibliography's.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no bibliography: its name ends in .bib, .json or .ris")]
pub struct UnknownBibliography(pub String);

impl Bibliography {
    /// The format by the extension of a file's name.
    pub fn of_file(path: &Path) -> Result<Self, UnknownBibliography> {
        match path.extension().map(|ending| ending.to_string_lossy().to_lowercase()).as_deref() {
            Some("bib") => Ok(Bibliography::Bibtex),
            Some("json") => Ok(Bibliography::Csl),
            Some("ris") => Ok(Bibliography::Ris),
            _ => Err(UnknownBibliography(path.display().to_string())),
        }
    }
}

/// The documents that a report cites, in the order of their first citation. `authorship` returns what a document says
/// of itself.
pub fn bibliography(
    report: &FormedReport,
    form: Bibliography,
    authorship: impl FnMut(&Evidence) -> Authorship,
) -> String {
    let list = written(&entries(&report.evidence, report.language, authorship), form);
    // Keeps a load from taking the file for a library that people entered.
    match form {
        Bibliography::Bibtex => format!("% {WRITTEN_HERE}\n\n{list}"),
        Bibliography::Ris => format!("{WRITTEN_HERE}\r\n\r\n{list}"),
        Bibliography::Csl => list,
    }
}

/// A cited document. Each text is on one line, without characters that a terminal would obey.
#[derive(Clone, Debug, Default)]
pub(super) struct Entry {
    pub title: String,
    /// Its path or URL, as the report shows it.
    pub path: String,
    /// Its date, as `YYYY-MM-DD`.
    pub date: Option<String>,
    /// The date on which a web page was fetched, as `YYYY-MM-DD`.
    pub accessed: Option<String>,
    pub said: Authorship,
    /// The numbers under which the report cites it.
    pub numbers: Vec<usize>,
}

/// The kinds of documents that reference managers treat differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Article,
    Preprint,
    Page,
    Book,
    Other,
}

/// The cited documents, in the order of their first citation.
pub(super) fn entries(
    evidence: &[Evidence],
    language: Language,
    mut authorship: impl FnMut(&Evidence) -> Authorship,
) -> Vec<Entry> {
    let accessed = words(language).accessed;
    let mut entries: Vec<Entry> = Vec::new();
    let mut known: BTreeMap<(&String, &String), usize> = BTreeMap::new();
    for one in evidence {
        let at = *known.entry((&one.collection, &one.path)).or_insert(entries.len());
        if let Some(entry) = entries.get_mut(at) {
            entry.numbers.push(one.number);
            continue;
        }
        let day = one.notes.iter().find_map(|note| note.strip_prefix(accessed));
        let said = authorship(one);
        entries.push(Entry {
            title: line(said.title.as_deref().unwrap_or(&one.title)),
            path: line(&one.path),
            date: one.date.clone(),
            accessed: day.map(line),
            said: Authorship {
                title: None,
                year: said.year.filter(|year| year.len() == 4 && year.bytes().all(|one| one.is_ascii_digit())),
                authors: said.authors.iter().map(|name| line(name)).collect(),
                journal: said.journal.as_deref().map(line),
                publisher: said.publisher.as_deref().map(line),
                doi: said.doi.as_deref().map(line),
                arxiv: said.arxiv.as_deref().map(line),
            },
            numbers: vec![one.number],
        });
    }
    entries
}

fn line(text: &str) -> String {
    one_line(&shown(text))
}

impl Entry {
    pub fn kind(&self) -> Kind {
        match &self.said {
            said if said.journal.is_some() => Kind::Article,
            said if said.arxiv.is_some() => Kind::Preprint,
            _ if is_url(&self.path) => Kind::Page,
            said if said.publisher.is_some() && said.doi.is_none() => Kind::Book,
            _ => Kind::Other,
        }
    }

    /// The year of the document. For a paper on arXiv its number gives the year, since the file's date is that of a
    /// version.
    pub fn year(&self) -> Option<String> {
        if let Some(year) = &self.said.year {
            return Some(year.clone());
        }
        let arxiv = self.said.arxiv.as_deref().and_then(|number| number.get(..2));
        arxiv.map(|year| format!("20{year}")).or_else(|| self.date.as_deref()?.get(..4).map(str::to_owned))
    }

    /// The date, if it is in the same year.
    pub fn day(&self) -> Option<&str> {
        let year = self.year()?;
        self.date.as_deref().filter(|day| day.starts_with(&year))
    }

    pub fn url(&self) -> Option<String> {
        let arxiv = || self.said.arxiv.as_ref().map(|number| format!("https://arxiv.org/abs/{number}"));
        is_url(&self.path).then(|| self.path.clone()).or_else(arxiv)
    }

    fn file(&self) -> Option<&str> {
        (!is_url(&self.path)).then_some(self.path.as_str())
    }

    /// A key as people write it: the first author's family name, the year and a word of the title. Without an author it
    /// has more words of the title, or if those have no Latin letters, the file's name.
    fn key(&self) -> String {
        let year = self.year().unwrap_or_default();
        let name = self.path.rsplit('/').next().unwrap_or_default();
        let family = self.said.authors.first().map(|name| latin(&parted(name).0)).unwrap_or_default();
        let title: Vec<String> = self
            .title
            .split(|one: char| !one.is_alphanumeric())
            .map(latin)
            .filter(|word| word.len() >= SHORTEST_OF_KEY)
            .take(if family.is_empty() { WORDS_OF_KEY } else { 1 })
            .collect();
        let key = match (family.is_empty(), title.is_empty()) {
            (false, _) => format!("{family}{year}{}", title.concat()),
            (true, false) => format!("{}{year}", title.concat()),
            (true, true) => latin(name.rsplit_once('.').map_or(name, |(stem, _)| stem)) + &year,
        };
        if key.is_empty() { "source".to_owned() } else { key }
    }
}

/// The letters and digits that every program accepts in a key.
fn latin(text: &str) -> String {
    text.nfd().filter(char::is_ascii_alphanumeric).collect::<String>().to_lowercase()
}

fn written(entries: &[Entry], form: Bibliography) -> String {
    let keys = keys(entries);
    let all = entries.iter().zip(&keys);
    match form {
        Bibliography::Bibtex => all.map(|(entry, key)| bibtex(entry, key)).collect::<Vec<_>>().join("\n"),
        Bibliography::Ris => all.map(|(entry, key)| ris(entry, key)).collect::<Vec<_>>().join("\r\n"),
        Bibliography::Csl => {
            let list: Vec<Value> = all.map(|(entry, key)| csl(entry, key)).collect();
            format!("{:#}\n", Value::Array(list))
        }
    }
}

/// A key for each entry. A repeated key gets a number after a hyphen, which no other key contains.
fn keys(entries: &[Entry]) -> Vec<String> {
    let mut used: BTreeMap<String, usize> = BTreeMap::new();
    let numbered = |key: String| {
        let count = used.entry(key.clone()).or_default();
        *count += 1;
        if *count == 1 { key } else { format!("{key}-{count}") }
    };
    entries.iter().map(Entry::key).map(numbered).collect()
}

fn bibtex(entry: &Entry, key: &str) -> String {
    let said = &entry.said;
    let kind = match entry.kind() {
        Kind::Article => "article",
        Kind::Book => "book",
        Kind::Preprint | Kind::Page | Kind::Other => "misc",
    };
    let author = |name: &String| match parted(name) {
        (family, given) if given.is_empty() => format!("{{{}}}", tex(&family)),
        (family, given) => format!("{}, {}", tex(&family), tex(&given)),
    };
    let authors: Vec<String> = said.authors.iter().map(author).collect();
    let fields = [
        // Inner braces keep styles from changing the case of names.
        ("title", Some(format!("{{{}}}", tex(&entry.title)))),
        ("author", (!authors.is_empty()).then(|| authors.join(" and "))),
        ("year", entry.year()),
        ("date", entry.day().map(str::to_owned)),
        ("journal", said.journal.as_deref().map(tex)),
        ("publisher", said.publisher.as_deref().map(tex)),
        ("doi", said.doi.as_deref().map(verbatim)),
        ("eprint", said.arxiv.as_deref().map(verbatim)),
        ("archiveprefix", said.arxiv.as_ref().map(|_| "arXiv".to_owned())),
        ("url", entry.url().as_deref().map(verbatim)),
        ("urldate", entry.accessed.as_deref().map(tex)),
        ("file", entry.file().map(verbatim)),
    ];
    let set = fields.into_iter().filter_map(|(name, value)| Some(format!("  {name} = {{{}}}", value?)));
    format!("@{kind}{{{key},\n{}\n}}\n", set.collect::<Vec<_>>().join(",\n"))
}

/// Escapes all that TeX would act on. Braces are written by name, since BibTeX counts even those with a backslash.
fn tex(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for one in text.chars() {
        match one {
            '\\' => out.push_str("{\\textbackslash}"),
            '~' => out.push_str("{\\textasciitilde}"),
            '^' => out.push_str("{\\textasciicircum}"),
            '{' => out.push_str("{\\textbraceleft}"),
            '}' => out.push_str("{\\textbraceright}"),
            '&' | '%' | '$' | '#' | '_' => out.extend(['\\', one]),
            _ => out.push(one),
        }
    }
    out
}

/// Makes an address, which is read verbatim, free of characters that would end its field.
fn verbatim(text: &str) -> String {
    text.replace('\\', "%5C").replace('{', "%7B").replace('}', "%7D")
}

fn ris(entry: &Entry, key: &str) -> String {
    let said = &entry.said;
    let kind = match entry.kind() {
        Kind::Article => "JOUR",
        Kind::Page => "ELEC",
        Kind::Book => "BOOK",
        Kind::Preprint | Kind::Other => "GEN",
    };
    let mut lines = vec![("TY", kind.to_owned()), ("ID", key.to_owned()), ("TI", entry.title.clone())];
    lines.extend(said.authors.iter().map(|name| match parted(name) {
        (family, given) if given.is_empty() => ("AU", family),
        (family, given) => ("AU", format!("{family}, {given}")),
    }));
    let more = [
        ("PY", entry.year()),
        ("DA", entry.day().map(|day| day.replace('-', "/"))),
        ("T2", said.journal.clone()),
        ("PB", said.publisher.clone()),
        ("DO", said.doi.clone()),
        ("AN", said.arxiv.as_ref().map(|number| format!("arXiv:{number}"))),
        ("UR", entry.url()),
        ("Y2", entry.accessed.as_ref().map(|day| day.replace('-', "/"))),
        ("L1", entry.file().map(str::to_owned)),
    ];
    lines.extend(more.into_iter().filter_map(|(tag, value)| Some((tag, value?))));
    lines.push(("ER", String::new()));
    lines.iter().map(|(tag, value)| format!("{tag}  - {value}\r\n")).collect()
}

fn csl(entry: &Entry, key: &str) -> Value {
    let said = &entry.said;
    let kind = match entry.kind() {
        Kind::Article => "article-journal",
        Kind::Preprint => "article",
        Kind::Page => "webpage",
        Kind::Book => "book",
        Kind::Other => "document",
    };
    let author = |name: &String| match parted(name) {
        (family, given) if given.is_empty() => json!({"literal": family}),
        (family, given) => json!({"family": family, "given": given}),
    };
    let authors: Vec<Value> = said.authors.iter().map(author).collect();
    let day = |day: &str| {
        let parts: Vec<u32> = day.trim().split('-').filter_map(|part| part.parse().ok()).collect();
        json!({"date-parts": [parts]})
    };
    let words = |value: &Option<String>| value.as_ref().map(|value| json!(value));
    let fields = [
        ("id", Some(json!(key))),
        ("type", Some(json!(kind))),
        ("title", Some(json!(entry.title))),
        ("author", (!authors.is_empty()).then_some(Value::Array(authors))),
        ("issued", entry.day().map(str::to_owned).or_else(|| entry.year()).as_deref().map(day)),
        ("accessed", entry.accessed.as_deref().map(day)),
        ("container-title", words(&said.journal)),
        ("publisher", words(&said.publisher)),
        ("DOI", words(&said.doi)),
        ("number", said.arxiv.as_ref().map(|number| json!(format!("arXiv:{number}")))),
        ("URL", words(&entry.url())),
        ("note", entry.file().map(|path| json!(path))),
        ("custom", Some(mark_of_csl())),
    ];
    let set = fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
    Value::Object(set.collect::<Map<String, Value>>())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paper() -> Entry {
        Entry {
            title: "Über the Engine & {its} 100% use".to_owned(),
            path: "papers/a_b.pdf".to_owned(),
            date: Some("2019-04-05".to_owned()),
            said: Authorship {
                authors: ["Ada van der Müller", "Babbage, Charles, Jr.", "山田太郎", "鈴木 花子"]
                    .map(str::to_owned)
                    .to_vec(),
                journal: Some("Annals".to_owned()),
                doi: Some("10.1000/x_1".to_owned()),
                ..Authorship::default()
            },
            ..Entry::default()
        }
    }

    #[test]
    fn a_paper_is_an_article_in_every_form() {
        assert_eq!(
            written(&[paper()], Bibliography::Bibtex),
            "@article{vandermuller2019uber,\n  \
             title = {{Über the Engine \\& {\\textbraceleft}its{\\textbraceright} 100\\% use}},\n  \
             author = {van der Müller, Ada and Babbage, Charles Jr. and {山田太郎} and 鈴木, 花子},\n  \
             year = {2019},\n  date = {2019-04-05},\n  journal = {Annals},\n  doi = {10.1000/x_1},\n  \
             file = {papers/a_b.pdf}\n}\n"
        );
        assert_eq!(
            written(&[paper()], Bibliography::Ris),
            "TY  - JOUR\r\nID  - vandermuller2019uber\r\nTI  - Über the Engine & {its} 100% use\r\n\
             AU  - van der Müller, Ada\r\nAU  - Babbage, Charles Jr.\r\nAU  - 山田太郎\r\nAU  - 鈴木, 花子\r\n\
             PY  - 2019\r\nDA  - 2019/04/05\r\nT2  - Annals\r\nDO  - 10.1000/x_1\r\nL1  - papers/a_b.pdf\r\nER  - \r\n"
        );
        let csl: Value = serde_json::from_str(&written(&[paper()], Bibliography::Csl)).unwrap();
        assert_eq!(csl[0]["issued"]["date-parts"][0], json!([2019, 4, 5]));
        assert_eq!(csl[0]["author"][2], json!({"literal": "山田太郎"}));
        assert_eq!(csl[0]["author"][3], json!({"family": "鈴木", "given": "花子"}));
    }

    #[test]
    fn keys_are_plain_and_each_is_one_entrys() {
        let check = |authors: &[&str], title: &str, path: &str, date: Option<&str>, expected: &str| {
            let said = Authorship {
                authors: authors.iter().map(|name| (*name).to_owned()).collect(),
                ..Authorship::default()
            };
            let date = date.map(str::to_owned);
            let entry = Entry { title: title.to_owned(), path: path.to_owned(), date, said, ..Entry::default() };
            assert_eq!(entry.key(), expected);
        };
        check(&["Ada Lovelace"], "On the Engine", "a.pdf", None, "lovelaceengine");
        check(&[], "The Simpsons Movie, and more of it", "a.md", Some("2007-07-27"), "simpsonsmoviemore2007");
        check(&["山田太郎"], "映画の歴史", "docs/eiga-01.txt", Some("1999-01-01"), "eiga011999");
        check(&[], "映画", "映画.txt", None, "source");
        assert_eq!(keys(&[paper(), paper()]), ["vandermuller2019uber", "vandermuller2019uber-2"]);
    }

    #[test]
    fn every_cited_document_is_one_entry_even_without_a_word_of_its_own() {
        let web = "https://a.example/x_{1}";
        let one = |path: &str, title: &str| Evidence { path: path.into(), title: title.into(), ..Evidence::default() };
        let notes = vec!["known since 2020-01-01".to_owned(), "accessed 2026-03-04".to_owned()];
        let evidence = vec![one("a.md", "a.md"), Evidence { notes, ..one(web, "Page") }, one("a.md", "a.md")];
        let entries = entries(&evidence, Language::default(), |_| Authorship::default());
        let csl = written(&entries, Bibliography::Csl);
        let (accessed, mark) = (json!({"date-parts": [[2026, 3, 4]]}), mark_of_csl());
        let expected = json!([
            {"id": "a", "type": "document", "title": "a.md", "note": "a.md", "custom": mark},
            {"id": "page", "type": "webpage", "title": "Page", "URL": web, "accessed": accessed, "custom": mark},
        ]);
        assert_eq!(serde_json::from_str::<Value>(&csl).unwrap(), expected);
        let bib = written(&entries, Bibliography::Bibtex);
        assert!(bib.contains("  url = {https://a.example/x_%7B1%7D},\n  urldate = {2026-03-04}\n}"), "{bib}");
    }

    #[test]
    fn what_documents_say_ends_no_field_and_no_entry() {
        let attack = "a}\n}\n@article{x, title={\\input{/etc/passwd}}\r\nER  - \r\nTY  - JOUR\u{202e}\u{1b}[31m \"}";
        let said = Authorship {
            authors: vec![attack.to_owned()],
            journal: Some(attack.to_owned()),
            publisher: Some(attack.to_owned()),
            doi: Some(attack.to_owned()),
            year: Some(attack.to_owned()),
            title: Some(attack.to_owned()),
            arxiv: None,
        };
        let one = |path: &str| Evidence { path: path.to_owned(), title: attack.to_owned(), ..Evidence::default() };
        let evidence = vec![one(attack), one(&format!("https://a.example/{attack}"))];
        let entries = entries(&evidence, Language::default(), |_| said.clone());
        let [bib, ris, csl] =
            [Bibliography::Bibtex, Bibliography::Ris, Bibliography::Csl].map(|form| written(&entries, form));
        for text in [&bib, &ris, &csl] {
            assert!(!text.contains(['\u{202e}', '\u{1b}']), "{text}");
        }
        let mut depth = 0_i32;
        let mut outer = 0;
        for one in bib.chars() {
            depth += i32::from(one == '{') - i32::from(one == '}');
            assert!(depth >= 0, "{bib}");
            outer += usize::from(one == '@' && depth == 0);
        }
        assert_eq!((depth, outer), (0, 2), "{bib}");
        assert!(!bib.contains("\\input"), "{bib}");
        let begins = |mark: &str| ris.lines().filter(|line| line.starts_with(mark)).count();
        assert_eq!((begins("TY  - "), begins("ER  - ")), (2, 2), "{ris}");
        assert!(ris.split_inclusive('\n').all(|line| line.ends_with("\r\n")), "{ris}");
        assert_eq!(serde_json::from_str::<Value>(&csl).unwrap().as_array().map(Vec::len), Some(2));
    }
}
