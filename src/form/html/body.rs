//! The content of a page: blocks, sentences with their passages beside them, the list of sources and the account.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::base::text::one_line;
use crate::form::model::{Block, Disagreement, Evidence, FormedReport, Inline, Sentence, opening, plain};
use crate::form::seal::PART;
use crate::form::words::page_and_line;
use crate::form::writer::{Attributes, Writer};
use crate::report::{FormWords, Words, words};

/// The most characters of context around a quote beside the text; the list of sources shows all.
const AROUND_CHARS: usize = 160;
/// Part names up to `b9` are reserved for the page's head.
const PARTS_OF_HEAD: usize = 9;

/// Writes the text of a page.
pub(super) struct Body<'r> {
    pub report: &'r FormedReport,
    pub form: &'static FormWords,
    words: &'static Words,
    claims: usize,
    headings: usize,
    parts: usize,
    /// The level of the last heading; the next may be at most one level deeper.
    level: u8,
    /// How often each passage has been written beside the text.
    notes: BTreeMap<usize, usize>,
    /// The numbers of the sentences that cite each source.
    cited_in: BTreeMap<usize, Vec<usize>>,
    /// Whether sentences that rest on one document are marked: if all do, the marks say nothing.
    marks_single: bool,
    /// Whether the account is being written: the citations that it names do not support its sentences.
    in_account: bool,
    /// Passages that cannot be written where they are cited, as in a table; they follow it.
    held_back: Option<Vec<Note>>,
}

/// A passage beside the text.
struct Note {
    id: String,
    number: usize,
    claim: String,
    /// The byte range of the quote on which the sentence rests.
    support: Range<usize>,
}

impl<'r> Body<'r> {
    pub fn new(report: &'r FormedReport, form: &'static FormWords) -> Self {
        Body {
            report,
            form,
            words: words(report.language),
            claims: 0,
            headings: 0,
            parts: PARTS_OF_HEAD,
            level: 1,
            notes: BTreeMap::new(),
            cited_in: BTreeMap::new(),
            marks_single: report.citing().iter().any(|sentence| report.number_of_documents(sentence) > 1),
            in_account: false,
            held_back: None,
        }
    }

    /// The name of the next part.
    pub fn part(&mut self) -> String {
        self.parts += 1;
        format!("b{}", self.parts)
    }

    /// Writes a heading of the page's own, with an anchor.
    pub fn heading(&mut self, out: &mut Writer, text: &str) {
        self.level = 2;
        self.headings += 1;
        let id = format!("h{}", self.headings);
        out.words("h2", &[("id", &id), (PART, &id)], text);
    }

    pub fn blocks(&mut self, out: &mut Writer, blocks: &[Block]) {
        for block in blocks {
            self.block(out, block);
        }
    }

    fn block(&mut self, out: &mut Writer, block: &Block) {
        match block {
            Block::Heading { level, words } => {
                self.level = (*level).clamp(2, self.level + 1);
                self.headings += 1;
                let id = format!("h{}", self.headings);
                const NAMES: [&str; 5] = ["h2", "h3", "h4", "h5", "h6"];
                let name = NAMES[usize::from(self.level - 2).min(NAMES.len() - 1)];
                out.within(name, &[("id", &id), (PART, &id), ("dir", "auto")], |out| self.inlines(out, words, &[]));
            }
            Block::Paragraph(sentences) => self.within_part(out, "p", &[], |body, out| body.sentences(out, sentences)),
            Block::List { first: None, items } => {
                out.within("ul", &[], |out| self.items(out, items));
            }
            Block::List { first: Some(first), items } => {
                out.within("ol", &[("start", &first.to_string())], |out| self.items(out, items));
            }
            Block::Quote(blocks) => out.within("blockquote", &[], |out| self.blocks(out, blocks)),
            Block::Code(text) => self.within_part(out, "pre", &[("dir", "auto")], |_, out| out.text(text)),
            Block::Table(rows) => self.table(out, rows),
            Block::Disagreements(all) => {
                for one in all {
                    self.disagreement(out, one);
                }
            }
            Block::Rule => out.open("hr", &[]),
        }
    }

    fn items(&mut self, out: &mut Writer, items: &[Vec<Block>]) {
        for item in items {
            let (sentences, rest) = opening(item);
            self.within_part(out, "li", &[], |body, out| {
                body.sentences(out, sentences);
                body.blocks(out, rest);
            });
        }
    }

    fn table(&mut self, out: &mut Writer, rows: &[Vec<Vec<Sentence>>]) {
        self.defer_evidence(out, |body, out| {
            out.within("table", &[], |out| {
                let (head, rest) = rows.split_at(rows.len().min(1));
                for row in head {
                    out.within("thead", &[], |out| {
                        out.within("tr", &[], |out| {
                            for cell in row {
                                body.cell(out, "th", &[("scope", "col")], cell);
                            }
                        });
                    });
                }
                out.within("tbody", &[], |out| {
                    for row in rest {
                        out.within("tr", &[], |out| row.iter().for_each(|cell| body.cell(out, "td", &[], cell)));
                    }
                });
            });
        });
    }

    fn cell(&mut self, out: &mut Writer, name: &'static str, attributes: &Attributes<'_>, cell: &[Sentence]) {
        self.within_part(out, name, attributes, |body, out| body.sentences(out, cell));
    }

    /// Writes sources that contradict each other as a table of their sides.
    fn disagreement(&mut self, out: &mut Writer, one: &Disagreement) {
        self.defer_evidence(out, |body, out| {
            out.within("table", &[("class", "against")], |out| {
                body.within_part(out, "caption", &[], |body, out| body.inlines(out, &one.on, &[]));
                body.within_part(out, "thead", &[], |body, out| {
                    out.within("tr", &[], |out| {
                        for word in body.form.against {
                            out.words("th", &[("scope", "col")], word);
                        }
                    });
                });
                out.within("tbody", &[], |out| {
                    for side in &one.sides {
                        let date = body.report.date_of(side);
                        body.within_part(out, "tr", &[], |body, out| {
                            out.words("th", &[("scope", "row")], &side.figure);
                            out.words("td", &[("class", "date")], date.unwrap_or("–"));
                            out.within("td", &[], |out| body.sentences(out, &side.sentences));
                        });
                    }
                });
            });
        });
    }

    /// Writes an element that is a part of the page.
    fn within_part(
        &mut self,
        out: &mut Writer,
        name: &'static str,
        attributes: &Attributes<'_>,
        inside: impl FnOnce(&mut Self, &mut Writer),
    ) {
        let part = self.part();
        let attributes: Vec<(&'static str, &str)> = attributes.iter().copied().chain([(PART, part.as_str())]).collect();
        out.open(name, &attributes);
        inside(self, out);
        out.close(name);
    }

    /// Writes an element that cannot contain passages, and then the passages cited in it.
    fn defer_evidence(&mut self, out: &mut Writer, inside: impl FnOnce(&mut Self, &mut Writer)) {
        let outer = self.held_back.replace(Vec::new());
        inside(self, out);
        let notes = std::mem::replace(&mut self.held_back, outer).unwrap_or_default();
        if !notes.is_empty() {
            out.within("div", &[("class", "notes")], |out| notes.iter().for_each(|note| self.note(out, note)));
        }
    }

    fn sentences(&mut self, out: &mut Writer, sentences: &[Sentence]) {
        for sentence in sentences {
            self.sentence(out, sentence);
        }
    }

    fn sentence(&mut self, out: &mut Writer, sentence: &Sentence) {
        let known = self.report.cited_by(sentence);
        if known.is_empty() || self.in_account {
            return self.inlines(out, &sentence.words, &[]);
        }
        self.claims += 1;
        let claim = format!("c{}", self.claims);
        let mut new = Vec::new();
        let mut targets: Vec<(usize, String)> = Vec::new();
        for one in &known {
            self.cited_in.entry(one.number).or_default().push(self.claims);
            let count = self.notes.entry(one.number).or_default();
            *count += 1;
            let id = format!("e{}-{count}", one.number);
            targets.push((one.number, id.clone()));
            let support = self.report.support(one, &plain(&sentence.words));
            new.push(Note { id, number: one.number, claim: claim.clone(), support });
        }
        let cites: Vec<String> = known.iter().map(|one| one.number.to_string()).collect();
        let cites = cites.join(" ");
        let attributes = [("class", "claim"), ("id", claim.as_str()), (PART, &claim), ("data-cites", &cites)];
        let (words, space) = without_space_behind(&sentence.words);
        out.within("span", &attributes, |out| {
            self.inlines(out, &words, &targets);
            if self.marks_single && self.report.number_of_documents(sentence) == 1 {
                let attributes = [("class", "one"), ("role", "img"), ("aria-label", self.form.one_source)];
                let attributes = [attributes.as_slice(), &[("title", self.form.one_source)]].concat();
                out.words("span", &attributes, "◦");
            }
        });
        out.text(space);
        match &mut self.held_back {
            Some(notes) => notes.extend(new),
            None => out.within("span", &[("class", "beside")], |out| new.iter().for_each(|note| self.note(out, note))),
        }
    }

    /// Writes a passage beside the text.
    fn note(&self, out: &mut Writer, note: &Note) {
        let Some(one) = self.report.evidence_of(note.number) else { return };
        let number = note.number.to_string();
        let label = format!("{} {number}", self.form.passage);
        let attributes = [
            ("class", "note"),
            ("id", note.id.as_str()),
            ("role", "note"),
            ("tabindex", "-1"),
            ("aria-label", &label),
            (PART, &note.id),
            ("data-of", &note.claim),
            ("data-number", &number),
        ];
        out.within("span", &attributes, |out| {
            out.within("span", &[("class", "title")], |out| {
                out.words("span", &[("class", "no")], &number);
                out.text(" ");
                out.words("bdi", &[], &one_line(&one.title));
            });
            out.within("span", &[("class", "words"), ("dir", "auto")], |out| {
                supporting_words(out, one, &note.support);
            });
            out.within("span", &[("class", "place")], |out| {
                out.words("a", &[("href", &format!("#s{number}"))], &self.place(one));
                out.text(" ");
                let back = format!("#{}", note.claim);
                out.words("a", &[("class", "back"), ("href", &back), ("aria-label", self.form.back)], "↩");
            });
        });
    }

    /// The page, line and date of a citation, or its path if it has none of them.
    fn place(&self, one: &Evidence) -> String {
        let parts: Vec<String> = page_and_line(one, self.report.language).chain(one.date.clone()).collect();
        if parts.is_empty() { one_line(&one.path) } else { parts.join(", ") }
    }

    fn inlines(&self, out: &mut Writer, words: &[Inline], targets: &[(usize, String)]) {
        for word in words {
            match word {
                Inline::Text(text) => out.text(text),
                Inline::Code(text) => out.words("code", &[], text),
                Inline::Strong(inner) => out.within("strong", &[], |out| self.inlines(out, inner, targets)),
                Inline::Emphasis(inner) => out.within("em", &[], |out| self.inlines(out, inner, targets)),
                Inline::Struck(inner) => out.within("s", &[], |out| self.inlines(out, inner, targets)),
                Inline::Link { to, words } => {
                    out.within("a", &[("href", to), ("rel", "noreferrer")], |out| self.inlines(out, words, targets));
                }
                Inline::Cite(number) => {
                    let target = targets.iter().find(|(known, _)| known == number);
                    match target {
                        Some((_, id)) => {
                            out.words("a", &[("class", "cite"), ("href", &format!("#{id}"))], &format!("[{number}]"));
                        }
                        None if self.report.evidence_of(*number).is_some() => {
                            let source = format!("#s{number}");
                            out.words("a", &[("class", "cite"), ("href", &source)], &format!("[{number}]"));
                        }
                        None => out.text(&format!("[{number}]")),
                    }
                }
                Inline::Uncited => out.words("strong", &[("class", "uncited")], &format!("[{}]", self.form.uncited)),
                Inline::Break => out.open("br", &[]),
            }
        }
    }

    /// Writes the list of sources: the full quote of each, its place, and how to read the rest of the document.
    pub fn sources(&mut self, out: &mut Writer) {
        if self.report.evidence.is_empty() {
            return;
        }
        self.heading(out, self.words.sources);
        out.within("ol", &[("class", "sources")], |out| {
            for one in &self.report.evidence {
                let number = one.number.to_string();
                let id = format!("s{number}");
                out.within("li", &[("id", &id), ("value", &number), (PART, &id)], |out| self.source(out, one));
            }
        });
    }

    fn source(&self, out: &mut Writer, one: &Evidence) {
        out.within("p", &[], |out| {
            out.within("cite", &[], |out| out.words("bdi", &[], &one_line(&one.title)));
            out.text(", ");
            let path = one_line(&one.path);
            match &one.address {
                Some(address) => {
                    out.within("a", &[("href", address), ("rel", "noreferrer")], |out| out.words("bdi", &[], &path));
                }
                None => out.words("bdi", &[], &path),
            }
            for part in page_and_line(one, self.report.language) {
                out.text(&format!(", {part}"));
            }
            if !one.headings.is_empty() {
                out.text(", § ");
                out.words("bdi", &[], &one_line(&one.headings));
            }
            for part in one.date.iter().chain(&one.notes) {
                out.text(&format!(", {part}"));
            }
        });
        out.within("blockquote", &[("dir", "auto")], |out| write_quote_in_context(out, one));
        out.within("p", &[("class", "more")], |out| {
            out.words("code", &[("dir", "ltr")], &format!("deepsearch read {}", quoted(&one_line(&one.path))));
            if let Some(claims) = self.cited_in.get(&one.number) {
                out.text(&format!(" · {} ", self.form.cited_in));
                for (at, claim) in claims.iter().enumerate() {
                    out.text(if at > 0 { ", " } else { "" });
                    out.words("a", &[("href", &format!("#c{claim}"))], &claim.to_string());
                }
            }
            if let Some(hash) = &one.hash {
                out.text(" · BLAKE3 ");
                out.words("code", &[], hash);
            }
        });
    }

    /// Writes the cited documents in a reference style.
    pub fn references(&mut self, out: &mut Writer) {
        let report = self.report;
        if !report.references.is_empty() {
            self.heading(out, self.form.references);
            self.blocks(out, &report.references);
        }
    }

    /// Writes how the report came about.
    pub fn account(&mut self, out: &mut Writer) {
        let report = self.report;
        self.in_account = true;
        self.blocks(out, &report.account);
    }
}

/// Writes a quote, marked, with the text around it.
fn write_quote_in_context(out: &mut Writer, one: &Evidence) {
    around(out, "…", &one.before, "");
    out.words("mark", &[], &one.quote);
    around(out, "", &one.after, "…");
}

/// Writes a quote in which the part that supports a sentence is marked, with some of the text around it.
fn supporting_words(out: &mut Writer, one: &Evidence, support: &Range<usize>) {
    around(out, "…", last(&one.before, AROUND_CHARS), "");
    let part = |range: Range<usize>| one.quote.get(range).unwrap_or_default();
    for (name, class, words) in [
        ("span", "rest", part(0..support.start)),
        ("mark", "", part(support.clone())),
        ("span", "rest", part(support.end..one.quote.len())),
    ] {
        let attributes = [("class", class)];
        if !words.is_empty() {
            out.words(name, if class.is_empty() { &[] } else { &attributes }, words);
        }
    }
    let after: String = one.after.chars().take(AROUND_CHARS).collect();
    around(out, "", &after, "…");
}

fn around(out: &mut Writer, before: &str, words: &str, after: &str) {
    if !words.trim().is_empty() {
        out.words("span", &[("class", "around")], &format!("{before}{words}{after}"));
    }
}

fn last(text: &str, characters: usize) -> &str {
    let start = text.char_indices().rev().nth(characters.saturating_sub(1)).map_or(0, |(at, _)| at);
    &text[start..]
}

/// A word quoted for a shell.
fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', "'\\''"))
}

/// A sentence's words without the white space at the end, and that white space.
fn without_space_behind(words: &[Inline]) -> (Vec<Inline>, &str) {
    let mut words = words.to_vec();
    match words.last_mut() {
        Some(Inline::Text(text)) if text.ends_with(char::is_whitespace) => {
            text.truncate(text.trim_end().len());
            (words, " ")
        }
        _ => (words, ""),
    }
}
