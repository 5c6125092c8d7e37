//! Writes one reference in each style.

use jiff::civil::Date;

use super::Style;
use crate::base::text::is_cjk;
use crate::domain::parted;
use crate::form::address::web_page_url;
use crate::form::bibliography::{Entry, Kind};
use crate::form::model::{Inline, plain};

/// A document's reference in a style.
pub(super) fn line(entry: &Entry, style: Style) -> Vec<Inline> {
    let mut line = Line::default();
    match style {
        Style::Apa => line.apa(entry),
        Style::Chicago => line.chicago(entry),
        Style::Harvard => line.harvard(entry),
        Style::Ieee => line.ieee(entry),
        Style::Mla => line.mla(entry),
        Style::Vancouver => line.vancouver(entry),
    }
    line.0
}

/// A reference that is being written.
#[derive(Default)]
struct Line(Vec<Inline>);

impl Line {
    fn text(&mut self, text: &str) {
        if !text.is_empty() {
            self.0.push(Inline::Text(text.to_owned()));
        }
    }

    fn italic(&mut self, text: &str) {
        self.0.push(Inline::Emphasis(vec![Inline::Text(text.to_owned())]));
    }

    fn link(&mut self, to: &str) {
        self.0.push(Inline::Link { to: to.to_owned(), words: vec![Inline::Text(to.to_owned())] });
    }

    /// Ends a part with a full stop, unless its words end with a mark.
    fn stop(&mut self) {
        if !plain(&self.0).ends_with(['.', '?', '!', '。', '？', '！']) {
            self.text(".");
        }
    }

    /// A title in quotation marks, with the closing punctuation inside them.
    fn quoted(&mut self, title: &str, end: &str) {
        let end = if title.ends_with(['.', '?', '!', '。', '？', '！']) { "" } else { end };
        self.text(&format!("“{title}{end}”"));
    }

    fn apa(&mut self, entry: &Entry) {
        let names: Vec<String> = authors(entry).map(|name| name.inverted(true)).collect();
        let names = match names.as_slice() {
            [first @ .., last] if names.len() > 20 => format!("{}, . . . {last}", first[..19].join(", ")),
            _ => joined(&names, ", & ", ", & "),
        };
        let is_dated = matches!(entry.kind(), Kind::Page | Kind::Preprint);
        let day = day_of(entry).filter(|_| is_dated).map(|day| day.strftime("%Y, %B %-d").to_string());
        let date = day.or_else(|| entry.year()).unwrap_or_else(|| "n.d.".to_owned());
        if !names.is_empty() {
            self.text(&names);
            self.stop();
            self.text(&format!(" ({date}). "));
        }
        match entry.kind() {
            Kind::Article => self.text(&entry.title),
            _ => self.italic(&entry.title),
        }
        if let (Kind::Preprint, Some(number)) = (entry.kind(), &entry.said.arxiv) {
            self.text(&format!(" (arXiv:{number})"));
        }
        self.stop();
        if names.is_empty() {
            self.text(&format!(" ({date})."));
        }
        self.journal(entry);
        self.publisher(entry);
        if let Some(to) = address(entry) {
            match accessed(entry).filter(|_| entry.year().is_none()) {
                Some(day) => self.text(&format!(" Retrieved {}, from ", day.strftime("%B %-d, %Y"))),
                None => self.text(" "),
            }
            self.link(&to);
        }
    }

    fn chicago(&mut self, entry: &Entry) {
        let names = first_inverted(entry);
        let names = if names.len() > 10 {
            format!("{}, et al.", names[..7].join(", "))
        } else {
            joined(&names, ", and ", ", and ")
        };
        let year = entry.year().unwrap_or_else(|| "n.d.".to_owned());
        if !names.is_empty() {
            self.text(&names);
            self.stop();
            self.text(&format!(" {year}"));
            self.stop();
            self.text(" ");
        }
        self.title(entry);
        if names.is_empty() {
            self.text(&format!(" {year}"));
            self.stop();
        }
        self.journal(entry);
        self.publisher(entry);
        self.preprint(entry);
        if let Some(day) = accessed(entry) {
            self.text(&format!(" Accessed {}.", day.strftime("%B %-d, %Y")));
        }
        self.write_address(entry);
    }

    fn harvard(&mut self, entry: &Entry) {
        let names: Vec<String> = authors(entry).map(|name| name.inverted(true)).collect();
        let names = if names.len() > 3 { format!("{} et al.", names[0]) } else { joined(&names, " and ", " and ") };
        let year = entry.year().unwrap_or_else(|| "no date".to_owned());
        if !names.is_empty() {
            self.text(&format!("{names} ({year}) "));
        }
        match entry.kind() {
            Kind::Article => self.text(&format!("‘{}’", entry.title)),
            _ => self.italic(&entry.title),
        }
        if names.is_empty() {
            self.text(&format!(" ({year})"));
        }
        if let Some(journal) = &entry.said.journal {
            self.text(", ");
            self.italic(journal);
        }
        self.stop();
        self.publisher(entry);
        self.preprint(entry);
        if let Some(to) = address(entry) {
            self.text(" Available at: ");
            self.link(&to);
            if let Some(day) = accessed(entry) {
                self.text(&format!(" (Accessed: {})", day.strftime("%-d %B %Y")));
            }
            self.text(".");
        }
    }

    fn ieee(&mut self, entry: &Entry) {
        let names: Vec<String> = authors(entry).map(|name| name.direct(true)).collect();
        let names = if names.len() > 6 { format!("{} et al.", names[0]) } else { joined(&names, " and ", ", and ") };
        if !names.is_empty() {
            self.text(&format!("{names}, "));
        }
        let said = &entry.said;
        let day = day_of(entry).map(|day| format!("{} {}", month(day, false), day.year()));
        let parts = [
            said.publisher.clone(),
            day.or_else(|| entry.year()),
            said.arxiv.as_ref().map(|number| format!("arXiv:{number}")),
            said.doi.as_ref().map(|doi| format!("doi: {doi}")),
        ];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        let has_more = said.journal.is_some() || !parts.is_empty();
        match entry.kind() {
            Kind::Book => {
                self.italic(&entry.title);
                self.text(if has_more { ". " } else { "" });
            }
            _ => {
                self.quoted(&entry.title, if has_more { "," } else { "." });
                self.text(if has_more { " " } else { "" });
            }
        }
        if let Some(journal) = &said.journal {
            self.italic(journal);
            self.text(if parts.is_empty() { "" } else { ", " });
        }
        self.text(&parts.join(", "));
        if has_more || entry.kind() == Kind::Book {
            self.stop();
        }
        if let Some(to) = address(entry).filter(|_| said.doi.is_none()) {
            if let Some(day) = accessed(entry) {
                self.text(&format!(" Accessed: {} {}, {}.", month(day, false), day.strftime("%d"), day.year()));
            }
            self.text(" [Online]. Available: ");
            self.link(&to);
        }
    }

    fn mla(&mut self, entry: &Entry) {
        let names = first_inverted(entry);
        let names = if names.len() > 2 { format!("{}, et al.", names[0]) } else { joined(&names, ", and ", "") };
        self.opening(&names);
        self.title(entry);
        let day = day_of(entry).map(|day| format!("{} {} {}", day.day(), month(day, true), day.year()));
        let said = &entry.said;
        let arxiv = said.arxiv.as_ref().map(|number| format!("arXiv:{number}"));
        let mut between = " ";
        if let Some(journal) = &said.journal {
            self.text(between);
            self.italic(journal);
            between = ", ";
        }
        for part in [said.publisher.clone(), arxiv, day.or_else(|| entry.year())].into_iter().flatten() {
            self.text(&format!("{between}{part}"));
            between = ", ";
        }
        if let Some(to) = address(entry) {
            self.text(between);
            self.link(&to);
            between = ", ";
        }
        self.text(if between == ", " { "." } else { "" });
        if let Some(day) = accessed(entry) {
            self.text(&format!(" Accessed {} {} {}.", day.day(), month(day, true), day.year()));
        }
    }

    fn vancouver(&mut self, entry: &Entry) {
        let names: Vec<String> = authors(entry).map(|name| name.initials_behind()).collect();
        let names = if names.len() > 6 { format!("{}, et al", names[..6].join(", ")) } else { names.join(", ") };
        self.opening(&names);
        self.text(&entry.title);
        let to = address(entry).filter(|_| entry.said.doi.is_none());
        self.text(if to.is_some() { " [Internet]" } else { "" });
        self.stop();
        for part in entry.said.journal.iter().chain(&entry.said.publisher) {
            self.text(&format!(" {part}"));
            self.stop();
        }
        let cited = accessed(entry).map(|day| format!(" [cited {}]", day.strftime("%Y %b %-d")));
        if entry.year().is_some() || cited.is_some() {
            self.text(&format!(
                " {}",
                format!("{}{}", entry.year().unwrap_or_default(), cited.unwrap_or_default()).trim()
            ));
            self.stop();
        }
        if let Some(doi) = &entry.said.doi {
            self.text(&format!(" doi:{doi}"));
        }
        if let Some(to) = to {
            self.text(" Available from: ");
            self.link(&to);
        }
    }

    /// Writes the text before the title as a part of its own; nothing if it is empty.
    fn opening(&mut self, names: &str) {
        if !names.is_empty() {
            self.text(names);
            self.stop();
            self.text(" ");
        }
    }

    /// Writes the title as a part of its own: in italics for a book, in quotation marks for a part of a larger work.
    fn title(&mut self, entry: &Entry) {
        match entry.kind() {
            Kind::Book => {
                self.italic(&entry.title);
                self.stop();
            }
            _ => self.quoted(&entry.title, "."),
        }
    }

    /// Writes a journal as a part of its own.
    fn journal(&mut self, entry: &Entry) {
        if let Some(journal) = &entry.said.journal {
            self.text(" ");
            self.italic(journal);
            self.stop();
        }
    }

    fn publisher(&mut self, entry: &Entry) {
        if let Some(publisher) = &entry.said.publisher {
            self.text(&format!(" {publisher}"));
            self.stop();
        }
    }

    fn preprint(&mut self, entry: &Entry) {
        if let (Kind::Preprint, Some(number)) = (entry.kind(), &entry.said.arxiv) {
            self.text(&format!(" arXiv:{number}."));
        }
    }

    /// Writes the address of a document after its other parts.
    fn write_address(&mut self, entry: &Entry) {
        if let Some(to) = address(entry) {
            self.text(" ");
            self.link(&to);
            self.text(".");
        }
    }
}

/// An author. Names without a given part, or in Chinese, Japanese or Korean characters, are written whole.
struct Name {
    family: String,
    given: String,
}

fn authors(entry: &Entry) -> impl Iterator<Item = Name> {
    entry.said.authors.iter().map(|name| {
        let (family, given) = parted(name);
        match name.contains(is_cjk) {
            true => Name { family: family + &given, given: String::new() },
            false => Name { family, given },
        }
    })
}

/// The authors' full names, the first author's with the family name first.
fn first_inverted(entry: &Entry) -> Vec<String> {
    let mut all = authors(entry);
    let first = all.next().map(|name| name.inverted(false));
    first.into_iter().chain(all.map(|name| name.direct(false))).collect()
}

impl Name {
    /// The family name first: `Lovelace, Ada`, or `Lovelace, A.`.
    fn inverted(&self, short: bool) -> String {
        let given = if short { self.initials() } else { self.given.clone() };
        if given.is_empty() { self.family.clone() } else { format!("{}, {given}", self.family) }
    }

    /// The spoken order: `Ada Lovelace`, or `A. Lovelace`.
    fn direct(&self, short: bool) -> String {
        let given = if short { self.initials() } else { self.given.clone() };
        format!("{given} {}", self.family).trim_start().to_owned()
    }

    /// The initials after the family name: `Lovelace AK`.
    fn initials_behind(&self) -> String {
        let letters: String = self.initials().chars().filter(|one| one.is_alphabetic()).collect();
        format!("{} {letters}", self.family).trim_end().to_owned()
    }

    /// The initials: `A. K.` for Ada King, `J.-P.` for Jean-Paul.
    fn initials(&self) -> String {
        let words = self.given.split([' ', '.']).filter(|word| word.contains(char::is_alphabetic));
        let short = |word: &str| {
            let parts = word.split('-').filter_map(|part| part.chars().find(|one| one.is_alphabetic()));
            parts.map(|first| format!("{}.", first.to_uppercase())).collect::<Vec<_>>().join("-")
        };
        words.map(short).collect::<Vec<_>>().join(" ")
    }
}

/// Joins names, with `two` between two names and `last` before the last of more.
fn joined(names: &[String], two: &str, last: &str) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [one, other] => format!("{one}{two}{other}"),
        [first @ .., other] => format!("{}{last}{other}", first.join(", ")),
    }
}

fn day_of(entry: &Entry) -> Option<Date> {
    entry.day()?.parse().ok()
}

fn accessed(entry: &Entry) -> Option<Date> {
    entry.accessed.as_deref()?.trim().parse().ok()
}

/// The web address of a document: its DOI's, or else its own.
fn address(entry: &Entry) -> Option<String> {
    let doi = entry.said.doi.as_ref().map(|doi| format!("https://doi.org/{doi}"));
    web_page_url(&doi.or_else(|| entry.url())?, None, "")
}

/// A month's short English name; `longer` as in the humanities.
fn month(day: Date, longer: bool) -> String {
    match (day.month(), longer) {
        (5, _) => "May".to_owned(),
        (6, true) => "June".to_owned(),
        (7, true) => "July".to_owned(),
        (9, true) => "Sept.".to_owned(),
        _ => format!("{}.", day.strftime("%b")),
    }
}
