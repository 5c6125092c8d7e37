//! The text of a document with its footnotes and comments.

use std::collections::BTreeSet;

use super::{RELATIONS, WORDS};
use crate::base::text::one_line;
use crate::form::model::{Block, Disagreement, Evidence, FormedReport, Inline, Sentence, opening, plain};
use crate::form::words::{is_right_to_left, place};
use crate::form::writer::Writer;
use crate::report::{FormWords, Words, wording, words};

/// The author of the comments that hold evidence; comments by other authors are people's.
pub(super) const AUTHOR: &str = "deepsearch";
/// Comments are numbered from here: LibreOffice mixes up a footnote and a comment of the same number.
const FIRST_COMMENT: usize = 100_000;
/// The paragraphs of comments are numbered from here.
const FIRST_PARAGRAPH: usize = 0x10_0000;
const WORD_2010: &str = "http://schemas.microsoft.com/office/word/2010/wordml";
const WORD_2012: &str = "http://schemas.microsoft.com/office/word/2012/wordml";

/// The parts of a document that are written at the same time.
pub(super) struct Body {
    pub document: String,
    pub footnotes: String,
    pub comments: String,
    /// The part that says which comments are resolved; `None` if none is.
    pub resolved: Option<String>,
    /// Web addresses; the index is the number of the link.
    pub links: Vec<String>,
    /// The first number of each numbered list.
    pub numbered: Vec<u64>,
}

struct Writing<'r> {
    report: &'r FormedReport,
    words: &'static Words,
    form: &'static FormWords,
    out: Writer,
    footnotes: Writer,
    comments: Writer,
    /// The id of the last paragraph of each comment, and whether the comment is resolved.
    paragraphs: Vec<(String, bool)>,
    /// The wordings of the approved sentences.
    approved: BTreeSet<String>,
    links: Vec<String>,
    numbered: Vec<u64>,
    footnote: usize,
    comment: usize,
    noted: BTreeSet<usize>,
    from_right: bool,
    /// Whether the account is being written: the citations that it names do not support its sentences.
    in_account: bool,
}

/// The formatting of a run of letters.
#[derive(Clone, Copy, Default)]
struct CharacterStyle {
    bold: bool,
    italic: bool,
    struck: bool,
    code: bool,
    link: bool,
}

impl Body {
    pub fn of(report: &FormedReport) -> Body {
        let mut writing = Writing {
            report,
            words: words(report.language),
            form: &words(report.language).form,
            out: Writer::default(),
            footnotes: Writer::default(),
            comments: Writer::default(),
            paragraphs: Vec::new(),
            approved: report.approved.iter().map(|one| wording(one)).collect(),
            links: Vec::new(),
            numbered: Vec::new(),
            footnote: 0,
            comment: 0,
            noted: BTreeSet::new(),
            from_right: is_right_to_left(report.language.code()),
            in_account: false,
        };
        let names = [("xmlns:w", WORDS), ("xmlns:r", RELATIONS)];
        writing.footnotes.open("w:footnotes", &names);
        for (id, kind) in [("-1", "separator"), ("0", "continuationSeparator")] {
            writing.footnotes.within("w:footnote", &[("w:id", id), ("w:type", kind)], |out| {
                out.raw(if id == "0" {
                    "<w:p><w:r><w:continuationSeparator/></w:r></w:p>"
                } else {
                    "<w:p><w:r><w:separator/></w:r></w:p>"
                });
            });
        }
        writing.comments.open("w:comments", &[names[0], names[1], ("xmlns:w14", WORD_2010)]);
        writing.out.open("w:document", &names);
        writing.out.open("w:body", &[]);
        writing.all();
        writing.out.raw("<w:sectPr><w:pgSz w:w=\"11906\" w:h=\"16838\"/><w:pgMar w:top=\"1300\" w:right=\"1300\" w:bottom=\"1300\" w:left=\"1300\" w:header=\"700\" w:footer=\"700\" w:gutter=\"0\"/></w:sectPr>");
        writing.out.close("w:body");
        writing.out.close("w:document");
        writing.footnotes.close("w:footnotes");
        writing.comments.close("w:comments");
        Body {
            document: writing.out.into_text(),
            footnotes: writing.footnotes.into_text(),
            comments: writing.comments.into_text(),
            resolved: resolved(&writing.paragraphs),
            links: writing.links,
            numbered: writing.numbered,
        }
    }
}

impl Writing<'_> {
    fn all(&mut self) {
        let report = self.report;
        self.paragraph("Title", None, |this| this.text(&report.title, CharacterStyle::default()));
        self.contents();
        self.blocks(&report.blocks, None);
        if !report.evidence.is_empty() {
            self.paragraph("Heading1", None, |this| this.text(this.words.sources, CharacterStyle::default()));
            for one in &report.evidence {
                self.paragraph("Source", None, |this| this.source(one));
            }
        }
        self.in_account = true;
        if !report.references.is_empty() {
            self.paragraph("Heading1", None, |this| this.text(this.form.references, CharacterStyle::default()));
            self.blocks(&report.references, None);
        }
        self.blocks(&report.account, None);
    }

    /// Writes the headings as a field that a word processor can update, with page numbers.
    fn contents(&mut self) {
        let headings = self.report.contents();
        for (at, (_, heading)) in headings.iter().enumerate() {
            self.paragraph("TOC1", None, |this| {
                if at == 0 {
                    this.out.raw("<w:r><w:fldChar w:fldCharType=\"begin\"/></w:r><w:r><w:instrText xml:space=\"preserve\"> TOC \\o \"1-2\" \\h \\z \\u </w:instrText></w:r><w:r><w:fldChar w:fldCharType=\"separate\"/></w:r>");
                }
                this.text(&plain(heading), CharacterStyle::default());
                if at + 1 == headings.len() {
                    this.out.raw("<w:r><w:fldChar w:fldCharType=\"end\"/></w:r>");
                }
            });
        }
    }

    fn paragraph(&mut self, style: &str, list: Option<(usize, usize)>, inside: impl FnOnce(&mut Self)) {
        self.out.open("w:p", &[]);
        self.out.open("w:pPr", &[]);
        self.out.within("w:pStyle", &[("w:val", style)], |_| {});
        if let Some((level, number)) = list {
            self.out.within("w:numPr", &[], |out| {
                out.within("w:ilvl", &[("w:val", &level.min(8).to_string())], |_| {});
                out.within("w:numId", &[("w:val", &number.to_string())], |_| {});
            });
        }
        if self.from_right {
            self.out.raw("<w:bidi/>");
        }
        self.out.close("w:pPr");
        inside(self);
        self.out.close("w:p");
    }

    /// `list`: the nesting level, and the number of the list.
    fn blocks(&mut self, blocks: &[Block], list: Option<(usize, usize)>) {
        for block in blocks {
            self.block(block, list);
        }
    }

    fn block(&mut self, block: &Block, list: Option<(usize, usize)>) {
        match block {
            Block::Heading { level, words } => {
                // The first level is the document's title.
                let style = format!("Heading{}", level.saturating_sub(1).clamp(1, 5));
                self.paragraph(&style, None, |this| this.inlines(words, CharacterStyle::default()));
            }
            Block::Paragraph(sentences) => {
                let style = if list.is_some() { "ListParagraph" } else { "Normal" };
                self.paragraph(style, None, |this| this.sentences(sentences));
            }
            Block::List { first, items } => {
                let number = match first {
                    Some(first) => {
                        self.numbered.push(*first);
                        self.numbered.len() + 1
                    }
                    None => 1,
                };
                let level = list.map_or(0, |(level, _)| level + 1);
                for item in items {
                    self.item(item, (level, number));
                }
            }
            Block::Quote(blocks) => {
                for block in blocks {
                    match block {
                        Block::Paragraph(sentences) => {
                            self.paragraph("Quote", None, |this| this.sentences(sentences));
                        }
                        other => self.block(other, list),
                    }
                }
            }
            Block::Code(text) => {
                for line in text.lines() {
                    self.paragraph("Code", None, |this| this.text(line, CharacterStyle::default()));
                }
            }
            Block::Table(rows) => self.table(rows),
            Block::Disagreements(all) => all.iter().for_each(|one| self.disagreement(one)),
            Block::Rule => self.paragraph("Normal", None, |_| {}),
        }
    }

    fn item(&mut self, item: &[Block], list: (usize, usize)) {
        let (sentences, rest) = opening(item);
        if !sentences.is_empty() {
            self.paragraph("ListParagraph", Some(list), |this| this.sentences(sentences));
        }
        self.blocks(rest, Some(list));
    }

    fn table(&mut self, rows: &[Vec<Vec<Sentence>>]) {
        self.open_table();
        for (at, row) in rows.iter().enumerate() {
            self.row(at == 0, row.len(), |this, column| this.sentences(&row[column]));
        }
        self.close_table();
    }

    fn disagreement(&mut self, one: &Disagreement) {
        self.paragraph("Normal", None, |this| this.inlines(&one.on, CharacterStyle::default()));
        self.open_table();
        self.row(true, 3, |this, column| {
            this.text(this.form.against[column], CharacterStyle { bold: true, ..CharacterStyle::default() })
        });
        for side in &one.sides {
            let date = self.report.date_of(side);
            self.row(false, 3, |this, column| match column {
                0 => this.text(&side.figure, CharacterStyle { bold: true, ..CharacterStyle::default() }),
                1 => this.text(date.unwrap_or("–"), CharacterStyle::default()),
                _ => this.sentences(&side.sentences),
            });
        }
        self.close_table();
    }

    fn open_table(&mut self) {
        self.out.open("w:tbl", &[]);
        self.out.raw("<w:tblPr><w:tblStyle w:val=\"TableGrid\"/>");
        if self.from_right {
            self.out.raw("<w:bidiVisual/>");
        }
        self.out.raw("<w:tblW w:w=\"5000\" w:type=\"pct\"/></w:tblPr><w:tblGrid/>");
    }

    fn close_table(&mut self) {
        self.out.close("w:tbl");
        // Two adjacent tables would become one.
        self.paragraph("Normal", None, |_| {});
    }

    fn row(&mut self, heads: bool, columns: usize, cell: impl Fn(&mut Self, usize)) {
        self.out.open("w:tr", &[]);
        if heads {
            self.out.raw("<w:trPr><w:tblHeader/></w:trPr>");
        }
        for column in 0..columns {
            self.out.open("w:tc", &[]);
            self.paragraph("TableText", None, |this| cell(this, column));
            self.out.close("w:tc");
        }
        self.out.close("w:tr");
    }

    fn sentences(&mut self, sentences: &[Sentence]) {
        for sentence in sentences {
            let known = self.report.cited_by(sentence);
            if known.is_empty() || self.in_account {
                self.inlines(&sentence.words, CharacterStyle::default());
                continue;
            }
            self.comment += 1;
            let id = (FIRST_COMMENT + self.comment).to_string();
            self.out.within("w:commentRangeStart", &[("w:id", &id)], |_| {});
            self.inlines(&sentence.words, CharacterStyle::default());
            self.out.within("w:commentRangeEnd", &[("w:id", &id)], |_| {});
            self.out.raw("<w:r><w:rPr><w:rStyle w:val=\"CommentReference\"/></w:rPr>");
            self.out.within("w:commentReference", &[("w:id", &id)], |_| {});
            self.out.raw("</w:r>");
            self.evidence(&id, sentence, &known);
        }
    }

    /// Writes the passages behind a sentence as a comment on its words.
    fn evidence(&mut self, id: &str, sentence: &Sentence, known: &[&Evidence]) {
        let plain = plain(&sentence.words);
        let attributes = [("w:id", id), ("w:author", AUTHOR), ("w:initials", "ds")];
        let places: Vec<String> = known.iter().map(|one| place(one, self.report.language)).collect();
        let paragraph = format!("{:08X}", FIRST_PARAGRAPH + self.comment);
        self.paragraphs.push((paragraph.clone(), self.approved.contains(&wording(&plain))));
        self.comments.within("w:comment", &attributes, |out| {
            for (at, (one, place)) in known.iter().zip(&places).enumerate() {
                comment_paragraph(out, None, |out| {
                    run(out, &format!("[{}] {}", one.number, one_line(&one.title)), true);
                    run(out, place, false);
                });
                let last = (at + 1 == known.len()).then_some(paragraph.as_str());
                comment_paragraph(out, last, |out| {
                    let part = self.report.support(one, &plain);
                    run(out, &one_line_around(&one.before, &one.quote[..part.start], true), false);
                    run(out, &one_line(&one.quote[part.clone()]), true);
                    run(out, &one_line_around(&one.quote[part.end..], &one.after, false), false);
                });
            }
        });
    }

    fn source(&mut self, one: &Evidence) {
        self.text(&format!("[{}] ", one.number), CharacterStyle::default());
        self.text(&one_line(&one.title), CharacterStyle { bold: true, ..CharacterStyle::default() });
        let place = place(one, self.report.language);
        match &one.address {
            Some(address) => {
                self.text(", ", CharacterStyle::default());
                let address = address.clone();
                self.link(&address, |this| {
                    this.text(
                        place.trim_start_matches(", "),
                        CharacterStyle { link: true, ..CharacterStyle::default() },
                    );
                });
            }
            None => self.text(&place, CharacterStyle::default()),
        }
        self.text(
            &format!("{}{}", self.words.colon, self.words.quoted(&one_line(&one.quote))),
            CharacterStyle::default(),
        );
    }

    fn link(&mut self, address: &str, inside: impl FnOnce(&mut Self)) {
        let id = format!("link{}", self.links.len());
        self.links.push(address.to_owned());
        self.out.open("w:hyperlink", &[("r:id", &id)]);
        inside(self);
        self.out.close("w:hyperlink");
    }

    fn inlines(&mut self, words: &[Inline], face: CharacterStyle) {
        for word in words {
            match word {
                Inline::Text(text) => self.text(text, face),
                Inline::Code(text) => self.text(text, CharacterStyle { code: true, ..face }),
                Inline::Strong(inner) => self.inlines(inner, CharacterStyle { bold: true, ..face }),
                Inline::Emphasis(inner) => self.inlines(inner, CharacterStyle { italic: true, ..face }),
                Inline::Struck(inner) => self.inlines(inner, CharacterStyle { struck: true, ..face }),
                Inline::Link { to, words } => {
                    self.link(to, |this| this.inlines(words, CharacterStyle { link: true, ..face }));
                }
                Inline::Cite(number) => self.cite(*number),
                Inline::Uncited => self.text(crate::report::cite::MARK, CharacterStyle { italic: true, ..face }),
                Inline::Break => self.out.raw("<w:r><w:br/></w:r>"),
            }
        }
    }

    /// Writes a citation as a footnote that begins with the citation's number. In the text that number is hidden beside
    /// the footnote's own, so that the document can be read back. LibreOffice would show a custom footnote mark twice.
    fn cite(&mut self, number: usize) {
        let mark = format!("[{number}]");
        let known = self.report.evidence_of(number).filter(|_| !self.in_account);
        let Some(one) = known else { return self.text(&mark, CharacterStyle::default()) };
        self.footnote += 1;
        let id = self.footnote.to_string();
        self.out.raw("<w:r><w:rPr><w:vanish/></w:rPr>");
        self.out.words("w:t", &[], &mark);
        self.out.raw("</w:r><w:r><w:rPr><w:rStyle w:val=\"FootnoteReference\"/></w:rPr>");
        self.out.within("w:footnoteReference", &[("w:id", &id)], |_| {});
        self.out.raw("</w:r>");
        let place = place(one, self.report.language);
        let is_new = self.noted.insert(number);
        let quote = self.words.quoted(&one_line(&one.quote));
        self.footnotes.within("w:footnote", &[("w:id", &id)], |out| {
            out.raw("<w:p><w:pPr><w:pStyle w:val=\"FootnoteText\"/></w:pPr><w:r><w:rPr><w:rStyle w:val=\"FootnoteReference\"/></w:rPr><w:footnoteRef/></w:r>");
            run(out, &format!(" {mark} "), false);
            run(out, &one_line(&one.title), true);
            if is_new {
                run(out, &format!("{place}: {quote}"), false);
            }
            out.raw("</w:p>");
        });
    }

    fn text(&mut self, text: &str, face: CharacterStyle) {
        if text.is_empty() {
            return;
        }
        let from_right = self.from_right && text.chars().any(is_letter_from_right);
        self.out.open("w:r", &[]);
        self.out.open("w:rPr", &[]);
        for (set, mark) in [
            (face.link, "<w:rStyle w:val=\"Hyperlink\"/>"),
            (face.code, "<w:rFonts w:ascii=\"Consolas\" w:hAnsi=\"Consolas\"/>"),
            (face.bold, "<w:b/><w:bCs/>"),
            (face.italic, "<w:i/><w:iCs/>"),
            (face.struck, "<w:strike/>"),
            (from_right, "<w:rtl/>"),
        ] {
            if set {
                self.out.raw(mark);
            }
        }
        self.out.close("w:rPr");
        self.out.words("w:t", &[("xml:space", "preserve")], text);
        self.out.close("w:r");
    }
}

/// A paragraph of a comment; its last one has an id, by which the comment is resolved.
fn comment_paragraph(out: &mut Writer, id: Option<&str>, inside: impl FnOnce(&mut Writer)) {
    let id = id.map(|id| ("w14:paraId", id));
    out.within("w:p", id.as_slice(), |out| {
        out.raw("<w:pPr><w:pStyle w:val=\"CommentText\"/></w:pPr>");
        inside(out);
    });
}

/// The part that says which comments are resolved.
fn resolved(paragraphs: &[(String, bool)]) -> Option<String> {
    paragraphs.iter().any(|(_, done)| *done).then(|| {
        let mut out = Writer::default();
        out.within("w15:commentsEx", &[("xmlns:w15", WORD_2012)], |out| {
            for (paragraph, done) in paragraphs {
                let done = if *done { "1" } else { "0" };
                out.within("w15:commentEx", &[("w15:paraId", paragraph), ("w15:done", done)], |_| {});
            }
        });
        out.into_text()
    })
}

fn run(out: &mut Writer, text: &str, bold: bool) {
    if text.is_empty() {
        return;
    }
    out.raw(if bold { "<w:r><w:rPr><w:b/><w:bCs/></w:rPr>" } else { "<w:r>" });
    out.words("w:t", &[("xml:space", "preserve")], text);
    out.raw("</w:r>");
}

/// Joins two texts beside the words of a comment on one line, with a space towards those words if there was one.
fn one_line_around(first: &str, second: &str, is_before: bool) -> String {
    let whole = format!("{first}{second}");
    let line = one_line(&whole);
    match (line.is_empty(), is_before) {
        (true, _) => " ".to_owned(),
        (false, true) if whole.ends_with(char::is_whitespace) => format!("…{line} "),
        (false, true) => format!("…{line}"),
        (false, false) if whole.starts_with(char::is_whitespace) => format!(" {line}…"),
        (false, false) => format!("{line}…"),
    }
}

fn is_letter_from_right(one: char) -> bool {
    matches!(one, '\u{590}'..='\u{8ff}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{feff}')
}
