//! Files of reference managers: BibTeX, RIS and CSL-JSON. People wrote what these files say about a document, so it
//! takes precedence over what the document says of itself.

use std::collections::HashMap;
use std::path::Path;

use jiff::civil::Date;
use serde_json::{Value, json};

use super::authorship::one_name;
use super::{authorship, latex, lines};
use crate::base::text::{letters, one_line};
use crate::domain::Authorship;

/// The first line of a bibliography that this program wrote. Such a file is not read: it only repeats what the
/// documents say of themselves, or once said. In JSON, which has no such line, each entry has [`mark_of_csl`].
pub const WRITTEN_HERE: &str = "Written by deepsearch from the documents that a report cites.";

/// The most entries that are read.
const MOST: usize = 20_000;
/// The deepest nesting of braces.
const DEEPEST: usize = 32;

/// An entry of a bibliography.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reference {
    /// The documents that belong to the entry, as it names them: relative to the file, or absolute.
    pub files: Vec<String>,
    /// What the entry says of them.
    pub said: Authorship,
    /// The day on which they appeared; a month or a day that the entry lacks counts as the first.
    pub date: Option<Date>,
}

/// Entries of bibliographies in one folder.
#[derive(Clone, Debug, Default)]
pub struct References {
    all: Vec<Reference>,
    by_file: HashMap<String, usize>,
    /// `None` for a DOI that several entries have; likewise for titles.
    by_doi: HashMap<String, Option<usize>>,
    by_title: HashMap<String, Option<usize>>,
}

impl References {
    /// Adds the entries of a file; none if it is not a bibliography, or if this program wrote it.
    pub fn add(&mut self, path: &Path, text: &str) {
        for one in references(path, text) {
            let place = self.all.len();
            for file in &one.files {
                self.by_file.entry(plain_path(file)).or_insert(place);
            }
            let once = |seen: &mut HashMap<String, Option<usize>>, key: String| {
                seen.entry(key).and_modify(|known| *known = None).or_insert(Some(place));
            };
            if let Some(doi) = &one.said.doi {
                once(&mut self.by_doi, doi.to_lowercase());
            }
            if let Some(title) = one.said.title.as_deref().map(letters).filter(|title| !title.is_empty()) {
                once(&mut self.by_title, title);
            }
            self.all.push(one);
        }
    }

    /// Whether there are no entries.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// The first entry that names a file.
    pub fn of_file(&self, path: &Path) -> Option<&Reference> {
        self.by_file.get(&plain_path(&path.to_string_lossy())).map(|place| &self.all[*place])
    }

    /// The only entry with this DOI.
    pub fn of_doi(&self, doi: &str) -> Option<&Reference> {
        self.by_doi.get(&doi.to_lowercase()).copied().flatten().map(|place| &self.all[place])
    }

    /// The only entry with this title.
    pub fn of_title(&self, title: &str) -> Option<&Reference> {
        self.by_title.get(&letters(title)).copied().flatten().map(|place| &self.all[place])
    }
}

/// The form of a path that is compared: with `/`, and without `./` before it.
fn plain_path(path: &str) -> String {
    path.replace('\\', "/").trim_start_matches("./").to_owned()
}

/// The entries of a file; none if it is not a bibliography, or if this program wrote it.
fn references(path: &Path, text: &str) -> Vec<Reference> {
    let ending = path.extension().map(|ending| ending.to_string_lossy().to_lowercase());
    let first = text.trim_start_matches(['\u{feff}', '%', ' ']);
    let mut all = match ending.as_deref() {
        _ if first.starts_with(WRITTEN_HERE) => Vec::new(),
        Some("bib") => bibtex(text),
        Some("ris") => ris(text),
        Some("json") => csl(text),
        _ => Vec::new(),
    };
    all.retain(|one| one.said.title.is_some());
    all
}

/// Takes the value of a field, given by its name in BibTeX.
fn take(one: &mut Reference, field: &str, value: &str) {
    let words = one_line(value);
    if words.is_empty() {
        return;
    }
    let said = &mut one.said;
    match field {
        "title" => said.title = Some(words),
        "year" | "date" => {
            let year = words.get(..4).filter(|year| year.bytes().all(|byte| byte.is_ascii_digit()));
            said.year = said.year.take().or(year.map(str::to_owned));
            // A year alone does not replace a known day.
            if one.date.is_none() || words.len() > 4 {
                one.date = day(&words).or(one.date);
            }
        }
        "journal" | "journaltitle" | "booktitle" => authorship::take(said, "publicationName", &words),
        "publisher" | "doi" => authorship::take(said, field, &words),
        _ => {}
    }
}

/// The day of `2021`, `2021-03` and `1843/10/02`.
fn day(words: &str) -> Option<Date> {
    let mut parts = words.split(['-', '/']).map(str::trim);
    let year = parts.next().filter(|year| year.len() == 4)?.parse().ok()?;
    let mut part = || parts.next().and_then(|part| part.parse().ok()).unwrap_or(1);
    let (month, day) = (part(), part());
    Date::new(year, month, day).or_else(|_| Date::new(year, 1, 1)).ok()
}

/// Parses entries such as `@article{key, title = {A {B}}, year = 2021}`. A broken one ends at the next `@` at a line's
/// start.
fn bibtex(text: &str) -> Vec<Reference> {
    let entry = |(start, line): (usize, &str)| {
        let words = line.trim_start();
        words.starts_with('@').then_some(start + line.len() - words.len())
    };
    let starts: Vec<usize> = lines(text).filter_map(entry).take(MOST).collect();
    let ends = starts.iter().skip(1).copied().chain([text.len()]);
    starts.iter().zip(ends).filter_map(|(start, end)| bibtex_entry(&text[*start..end])).collect()
}

fn bibtex_entry(text: &str) -> Option<Reference> {
    let (kind, fields) = text[1..].split_once(['{', '('])?;
    if ["comment", "preamble", "string"].contains(&kind.trim().to_lowercase().as_str()) {
        return None;
    }
    let (_, mut rest) = fields.split_once(',')?;
    let mut one = Reference::default();
    while let Some((name, after)) = rest.split_once('=') {
        // Text joined to the value before stands before the comma.
        let name = name.rsplit(',').next().unwrap_or(name).trim().to_lowercase();
        let (value, after) = bibtex_value(after.trim_start())?;
        rest = after;
        match name.as_str() {
            // File names may hold characters that TeX would take for commands.
            "file" => one.files.extend(files(value)),
            "doi" => take(&mut one, "doi", value),
            "author" => {
                one.said.authors.extend(one_line(value).split(" and ").filter_map(|name| one_name(&plain(name))))
            }
            _ => take(&mut one, &name, &plain(value)),
        }
    }
    Some(one)
}

/// A value without its delimiters, and the text after it.
fn bibtex_value(text: &str) -> Option<(&str, &str)> {
    let close = match text.chars().next()? {
        '{' => '}',
        '"' => '"',
        _ => {
            let end = text.find([',', '}', ')', '\n']).unwrap_or(text.len());
            return Some((text[..end].trim(), &text[end..]));
        }
    };
    let (mut depth, mut escaped) = (0_usize, false);
    for (at, one) in text.char_indices().skip(1) {
        match one {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            one if one == close && depth == 0 => return Some((&text[1..at], &text[at + 1..])),
            '{' => depth += 1,
            '}' => depth = depth.checked_sub(1)?,
            _ => {}
        }
        if depth > DEEPEST {
            return None;
        }
    }
    None
}

/// The plain words of a value in TeX.
fn plain(value: &str) -> String {
    if !value.contains(['\\', '{', '$', '~']) {
        return value.to_owned();
    }
    one_line(&latex::words(value))
}

/// The paths in the field `file`: `a.pdf`, or `Title:a.pdf:application/pdf`, several separated by semicolons. A
/// backslash before a colon or a semicolon makes it part of the name.
fn files(value: &str) -> Vec<String> {
    let divides = |mark: char| {
        let mut is_escaped = false;
        move |one: char| {
            let divides = one == mark && !is_escaped;
            is_escaped = one == '\\' && !is_escaped;
            divides
        }
    };
    let one = |part: &str| {
        let parts: Vec<&str> = part.split(divides(':')).collect();
        let path = match parts.as_slice() {
            [_, path, kind] if kind.contains('/') || kind.chars().all(char::is_alphanumeric) => path,
            [_, drive, path, _] if drive.len() == 1 => return Some(format!("{drive}:{path}")),
            _ => part,
        };
        let path = path.trim().replace("\\:", ":").replace("\\;", ";").replace("\\\\", "/");
        Some(path).filter(|path| !path.is_empty())
    };
    value.split(divides(';')).filter_map(one).collect()
}

/// Parses lines such as `TI  - A title`; `ER  -` ends each entry.
fn ris(text: &str) -> Vec<Reference> {
    let mut all: Vec<Reference> = Vec::new();
    let mut open: Option<Reference> = None;
    for line in text.lines() {
        let Some((tag, value)) = line.trim_start_matches('\u{feff}').split_once("  -") else { continue };
        let value = value.trim();
        match (tag, &mut open) {
            ("TY", _) => open = Some(Reference::default()),
            ("ER", _) => all.extend(open.take()),
            (_, None) => {}
            ("TI" | "T1", Some(one)) => take(one, "title", value),
            ("AU" | "A1", Some(one)) => one.said.authors.extend(one_name(&one_line(value))),
            ("PY" | "Y1" | "DA", Some(one)) => take(one, "year", value),
            ("JO" | "JF" | "T2" | "JA", Some(one)) => take(one, "journal", value),
            ("PB", Some(one)) => take(one, "publisher", value),
            ("DO", Some(one)) => take(one, "doi", value),
            ("L1" | "LK", Some(one)) => one.files.push(value.trim_start_matches("file://").to_owned()),
            (_, Some(_)) => {}
        }
        if all.len() >= MOST {
            break;
        }
    }
    all
}

/// The value of the field `custom` that marks an entry in the Citation Style Language as written by this program. The
/// field is meant for data that the language has no name for.
pub fn mark_of_csl() -> Value {
    json!({"written-by": "deepsearch"})
}

/// Parses a list of objects in the Citation Style Language.
fn csl(text: &str) -> Vec<Reference> {
    let Ok(Value::Array(items)) = serde_json::from_str(text) else { return Vec::new() };
    let one = |item: &Value| {
        let mut one = Reference::default();
        let text = |key: &str| item.get(key).and_then(Value::as_str).unwrap_or_default();
        take(&mut one, "title", text("title"));
        take(&mut one, "journal", text("container-title"));
        take(&mut one, "publisher", text("publisher"));
        take(&mut one, "doi", text("DOI"));
        let number =
            |part: &Value| part.as_u64().map(|part| part.to_string()).or_else(|| part.as_str().map(str::to_owned));
        let parts = item.pointer("/issued/date-parts/0").and_then(Value::as_array).into_iter().flatten();
        take(&mut one, "date", &parts.filter_map(number).collect::<Vec<String>>().join("-"));
        let authors = item.get("author").and_then(Value::as_array).into_iter().flatten();
        one.said.authors = authors.filter_map(person).collect();
        one
    };
    let mark = mark_of_csl();
    items.iter().filter(|item| item.get("custom") != Some(&mark)).take(MOST).map(one).collect()
}

fn person(name: &Value) -> Option<String> {
    let text = |key: &str| name.get(key).and_then(Value::as_str).map(one_line).filter(|text| !text.is_empty());
    match (text("family"), text("given")) {
        (Some(family), Some(given)) => Some(format!("{family}, {given}")),
        (Some(name), None) => Some(name),
        _ => text("literal"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Title, authors, year, journal, DOI and files of each entry.
    fn check(name: &str, text: &str, expected: &[&str]) {
        let told = |one: &Reference| {
            let Authorship { title, authors, year, journal, doi, .. } = &one.said;
            let text = |text: &Option<String>| text.clone().unwrap_or_default();
            let day = one.date.map(|date| date.to_string()).unwrap_or_default();
            assert_eq!(text(year), day.split('-').next().unwrap_or_default());
            let parts = [text(title), authors.join(" & "), day, text(journal), text(doi), one.files.join(" ")];
            parts.join(" | ")
        };
        let all: Vec<String> = references(Path::new(name), text).iter().map(told).collect();
        assert_eq!(all, expected, "{name}");
    }

    #[test]
    fn bibtex_is_read() {
        let text = "% a comment\n@string{x = {y}}\n@article{one,\n  title = {The {Great} Wave of G{\\\"o}del},\n  author = \
                    {G{\\\"o}del, Kurt and M\\\"uller, Anna},\n  year = 1931,\n  journal = \"Monatshefte\",\n  doi = \
                    {10.1007/BF01700692},\n  file = {PDF:files/12/a_b.pdf:application/pdf;x.html}\n}\n@misc{two, title={料金 \
                    の研究}, date = {2021-03}, file={b.pdf}}\n@book{broken, title = {Never closed\n@book{three, title = {C}}\n";
        let expected = [
            "The Great Wave of Gödel | Gödel, Kurt & Müller, Anna | 1931-01-01 | Monatshefte | 10.1007/BF01700692 | \
             files/12/a_b.pdf x.html",
            "料金 の研究 |  | 2021-03-01 |  |  | b.pdf",
            "C |  |  |  |  | ",
        ];
        check("a.bib", text, &expected);
        check("a.bib", "@@@{{{=", &[]);
        let text = "@misc{one, month = \"8~\" # jan,\n title = {X},\n author = {van Rossum, Guido\n  and García Márquez, Gabriel}, \
                    file = {:C\\:/papers/a.pdf:PDF;:C\\:\\\\papers\\\\b\\;c.pdf:PDF}}\n  @misc{two, title = {Y}, author = {A, B}}";
        let expected = [
            "X | van Rossum, Guido & García Márquez, Gabriel |  |  |  | C:/papers/a.pdf C:/papers/b;c.pdf",
            "Y | A, B |  |  |  | ",
        ];
        check("a.bib", text, &expected);
        check("a.bib", &format!("% {WRITTEN_HERE}\n\n@misc{{a, title = {{T}}}}"), &[]);
        check("a.txt", "@misc{a, title = {T}}", &[]);
    }

    #[test]
    fn ris_and_csl_are_read() {
        let text = "TY  - JOUR\r\nTI  - A title\r\nAU  - Lovelace,  Ada\r\nAU  - Anonymous ,\r\nAU  - Babbage, Charles\r\nAU  - García Márquez, Gabriel\r\nPY  - 1843/10\r\nJO  - \
                    Memoirs\r\nDO  - 10.1000/182\r\nL1  - files/a.pdf\r\nER  - \r\nTI  - outside\r\n";
        let expected = [
            "A title | Lovelace, Ada & Babbage, Charles & García Márquez, Gabriel | 1843-10-01 | Memoirs | 10.1000/182 | files/a.pdf",
        ];
        check("a.ris", text, &expected);
        let text = r#"[{"title": "A title", "author": [{"family": "Lovelace", "given": "Ada"}, {"literal": "山田太郎"}],
            "issued": {"date-parts": [["1843", 10]]}, "container-title": "Memoirs", "DOI": "10.1000/182"}, {"x": 1}]"#;
        check("a.json", text, &["A title | Lovelace, Ada & 山田太郎 | 1843-10-01 | Memoirs | 10.1000/182 | "]);
        check("a.json", "{\"title\": 1}", &[]);
        check("a.ris", &format!("{WRITTEN_HERE}\r\n\r\nTY  - GEN\r\nTI  - A title\r\nER  - \r\n"), &[]);
        let list = json!([{"title": "Ours", "custom": mark_of_csl()}, {"title": "Theirs", "custom": {"x": 1}}]);
        check("a.json", &list.to_string(), &["Theirs |  |  |  |  | "]);
    }

    #[test]
    fn an_entry_is_found_by_file_doi_and_title() {
        let text = "@a{a, title={One}, file={x/a.pdf}}\n@a{b, title={Two: a tale}, doi={10.1000/B}}\n@a{c, title={Same}}\n\
                    @a{d, title={Same}}\n";
        let mut all = References::default();
        all.add(Path::new("a.bib"), text);
        let title = |one: Option<&Reference>| one.and_then(|one| one.said.title.clone()).unwrap_or_default();
        assert_eq!(title(all.of_file(Path::new("x/a.pdf"))), "One");
        assert_eq!(title(all.of_file(Path::new("y/a.pdf"))), "");
        assert_eq!(title(all.of_doi("10.1000/b")), "Two: a tale");
        assert_eq!(title(all.of_title("two — A Tale")), "Two: a tale");
        assert_eq!(title(all.of_title("Same")), "", "two have it");
        assert_eq!(title(all.of_title("")), "");
    }
}
