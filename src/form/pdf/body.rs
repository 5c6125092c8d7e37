//! A report as Typst source. Names and brackets are the program's own; all text is quoted strings, escaped in one
//! place, so that nothing that a document says is markup.

use std::collections::BTreeSet;

use crate::base::text::{one_line, short_line, shown};
use crate::form::draw::drawings;
use crate::form::model::{Block, Disagreement, Evidence, FormedReport, Inline, Sentence, opening, plain};
use crate::form::words::{is_right_to_left, place};
use crate::report::cite::MARK;
use crate::report::{FormWords, Words, words};

const STYLE: &str = include_str!("style.typ");
/// The most characters of a quote in a footnote; the list of sources has all.
const NOTE_CHARS: usize = 600;

struct Writing<'r> {
    report: &'r FormedReport,
    words: &'static Words,
    form: &'static FormWords,
    /// Characters that no font has.
    signs: &'r BTreeSet<char>,
    out: String,
    /// The level of the last heading; the next may be at most one level deeper.
    level: u8,
    /// Passages that have a footnote, with the part that the footnote quotes.
    noted: BTreeSet<(usize, usize, usize)>,
    /// Whether the account is being written: the citations that it names do not support its sentences.
    in_account: bool,
    /// The text of the sentence being written.
    sentence: String,
}

/// The Typst source of a report, set in `families`; `signs` are written as their code points.
pub(super) fn source(report: &FormedReport, families: &[String], signs: &BTreeSet<char>) -> String {
    let mut writing = Writing {
        report,
        words: words(report.language),
        form: &words(report.language).form,
        signs,
        out: STYLE.to_owned(),
        level: 0,
        noted: BTreeSet::new(),
        in_account: false,
        sentence: String::new(),
    };
    writing.all(families);
    writing.out
}

impl Writing<'_> {
    fn all(&mut self, families: &[String]) {
        let (report, form) = (self.report, self.form);
        let code = report.language.code();
        let date = report.written.map_or_else(
            || "none".to_owned(),
            |written| written.strftime("datetime(year: %Y, month: %-m, day: %-d)").to_string(),
        );
        let fonts: String = families.iter().map(|family| format!("{}, ", self.string(family))).collect();
        let title = self.string(&one_line(&report.title));
        let direction = if is_right_to_left(code) { "rtl" } else { "ltr" };
        let language = self.string(report.language.tag());
        self.out.push_str(&format!(
            "\n#show: setup.with(title: {title}, language: {language}, direction: {direction}, fonts: ({fonts}), date: {date})\n#std.title()\n"
        ));
        if !report.question.is_empty() && report.question != report.title {
            self.call("par", |this| {
                this.text(&format!("{}{}", form.question, this.words.colon));
                this.text(&one_line(&report.question));
            });
        }
        if !report.contents().is_empty() {
            let contents = self.string(form.contents);
            self.out.push_str(&format!("#outline(title: {contents}, depth: 2)\n"));
        }
        self.blocks(&report.blocks);
        self.drawings(families);
        self.sources();
        self.in_account = true;
        if !report.references.is_empty() {
            self.own_heading(form.references);
            self.blocks(&report.references);
        }
        self.blocks(&report.account);
    }

    fn blocks(&mut self, blocks: &[Block]) {
        for block in blocks {
            self.block(block);
        }
    }

    fn block(&mut self, block: &Block) {
        match block {
            Block::Heading { level, words } => {
                // The first level is the document's title.
                self.level = level.saturating_sub(1).clamp(1, self.level + 1);
                self.out.push_str(&format!("#heading(level: {})[", self.level));
                self.inlines(words);
                self.out.push_str("]\n");
            }
            Block::Paragraph(sentences) => self.call("par", |this| this.sentences(sentences)),
            Block::List { first, items } => {
                let name = first.map_or_else(|| "list(".to_owned(), |first| format!("enum(start: {first}, "));
                self.out.push_str(&format!("#{name}"));
                for item in items {
                    let (sentences, rest) = opening(item);
                    self.out.push('[');
                    self.sentences(sentences);
                    self.blocks(rest);
                    self.out.push_str("], ");
                }
                self.out.push_str(")\n");
            }
            Block::Quote(blocks) => self.call("quote", |this| this.blocks(blocks)),
            Block::Code(text) => {
                let text = self.string(text.trim_end());
                self.out.push_str(&format!("#raw({text}, block: true)\n"));
            }
            Block::Table(rows) => {
                let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
                if columns > 0 {
                    self.out.push_str(&format!("#table(columns: {columns}, "));
                    for (at, row) in rows.iter().enumerate() {
                        self.row(at == 0, columns, |this, column| {
                            this.sentences(row.get(column).map_or(&[], Vec::as_slice));
                        });
                    }
                    self.out.push_str(")\n");
                }
            }
            Block::Disagreements(all) => all.iter().for_each(|one| self.disagreement(one)),
            Block::Rule => self.out.push_str("#line(length: 100%, stroke: .5pt + rule)\n"),
        }
    }

    fn row(&mut self, heads: bool, columns: usize, cell: impl Fn(&mut Self, usize)) {
        self.out.push_str(if heads { "table.header(" } else { "" });
        for column in 0..columns {
            self.out.push('[');
            cell(self, column);
            self.out.push_str("], ");
        }
        self.out.push_str(if heads { "), " } else { "" });
    }

    fn disagreement(&mut self, one: &Disagreement) {
        let form = self.form;
        self.out.push_str("#figure(kind: table, caption: [");
        self.inlines(&one.on);
        self.out.push_str("], table(columns: (auto, auto, 1fr), ");
        self.row(true, 3, |this, column| this.text(form.against[column]));
        for side in &one.sides {
            let date = self.report.date_of(side);
            self.row(false, 3, |this, column| match column {
                0 => this.call("strong", |this| this.text(&side.figure)),
                1 => this.text(date.unwrap_or("–")),
                _ => this.sentences(&side.sentences),
            });
        }
        self.out.push_str("))\n");
    }

    fn sentences(&mut self, sentences: &[Sentence]) {
        for sentence in sentences {
            self.sentence = plain(&sentence.words);
            self.inlines(&sentence.words);
        }
    }

    fn inlines(&mut self, words: &[Inline]) {
        for word in words {
            match word {
                Inline::Text(text) => self.text(text),
                Inline::Code(text) => {
                    let text = self.string(text);
                    self.out.push_str(&format!("#raw({text});"));
                }
                Inline::Strong(inner) => self.call("strong", |this| this.inlines(inner)),
                Inline::Emphasis(inner) => self.call("emph", |this| this.inlines(inner)),
                Inline::Struck(inner) => self.call("strike", |this| this.inlines(inner)),
                Inline::Link { to, words } => {
                    let to = self.string(to);
                    self.call(&format!("link({to})"), |this| this.inlines(words));
                }
                Inline::Cite(number) => self.cite(*number),
                Inline::Uncited => self.call("strong", |this| this.text(MARK)),
                Inline::Break => self.out.push_str("#linebreak();"),
            }
        }
    }

    /// Writes a citation: a footnote with the words that its sentence rests on, or if those have a footnote already, a
    /// link to the list of sources.
    fn cite(&mut self, number: usize) {
        let report = self.report;
        let Some(one) = report.evidence_of(number) else { return self.text(&format!("[{number}]")) };
        let part = report.support(one, &self.sentence);
        if self.in_account || !self.noted.insert((number, part.start, part.end)) {
            self.out.push_str(&format!("#to({number});"));
            return;
        }
        let quote = short_line(&one.quote[part], NOTE_CHARS);
        self.out.push_str(&format!("#evidence({number})["));
        self.leading(one, |this| this.call("emph", |this| this.text(&one_line(&one.title))));
        // The list of sources tells where the document is.
        let page = one.page.map(|page| format!(", {} {page}", self.words.page)).unwrap_or_default();
        self.text(&format!("{page}: {}", self.words.quoted(&quote)));
        self.out.push_str("];");
    }

    fn drawings(&mut self, families: &[String]) {
        let drawings = drawings(self.report, self.form);
        if !drawings.is_empty() {
            self.own_heading(self.form.overview);
        }
        let family = families.first().map_or("serif", String::as_str).replace(['\'', '<', '&'], "");
        for one in drawings {
            let svg = format!(
                "<svg xmlns='http://www.w3.org/2000/svg' viewBox='{}'><style>text {{ font: 13px '{family}'; fill: #1b1b1b }} \
                 .soft {{ fill: #585858 }} .strong {{ font-weight: 600 }} .bar {{ fill: #2a6aa8 }} .half {{ opacity: .55 }} \
                 .third {{ opacity: .3 }} .track {{ fill: #d9dde2 }} .stroke {{ fill: none; stroke: #585858 }} .tick {{ fill: \
                 none; stroke: #c9c9c9 }}</style>{}</svg>",
                one.view(),
                one.svg
            );
            let (svg, told, title) = (self.string(&svg), self.string(&one.alternative), self.string(one.title));
            self.out.push_str(&format!("#drawing({svg}, {told}, {title})\n"));
        }
    }

    fn sources(&mut self) {
        let report = self.report;
        if !report.evidence.is_empty() {
            self.own_heading(self.words.sources);
        }
        for one in &report.evidence {
            self.out.push_str(&format!("#entry({})[", one.number));
            self.call("strong", |this| this.text(&one_line(&one.title)));
            let place = place(one, report.language);
            self.leading(one, |this| this.text(&place));
            self.out.push_str("#linebreak();");
            self.call("words", |this| this.text(&this.words.quoted(&one_line(&one.quote))));
            self.out.push_str("]\n");
        }
    }

    /// Makes `inside` a link to a document: to its web address, or to its file from where the PDF is.
    fn leading(&mut self, one: &Evidence, inside: impl FnOnce(&mut Self)) {
        match &one.address {
            Some(address) => {
                let address = self.string(address);
                self.call(&format!("link({address})"), inside);
            }
            None => inside(self),
        }
    }

    fn own_heading(&mut self, text: &str) {
        self.level = 1;
        self.call("heading(level: 1)", |this| this.text(text));
    }

    /// Writes a function call with its content.
    fn call(&mut self, name: &str, inside: impl FnOnce(&mut Self)) {
        self.out.push_str(&format!("#{name}["));
        inside(self);
        self.out.push_str("];");
    }

    /// Writes text, with its line breaks as spaces.
    fn text(&mut self, words: &str) {
        let text = self.string(&words.replace(['\n', '\t'], " "));
        self.out.push_str(&format!("#{text};"));
    }

    /// A quoted string of Typst source.
    fn string(&self, text: &str) -> String {
        let mut string = String::with_capacity(text.len() + 2);
        string.push('"');
        for one in shown(text).chars() {
            match one {
                '"' => string.push_str("\\\""),
                '\\' => string.push_str("\\\\"),
                '\n' => string.push_str("\\n"),
                one if self.signs.contains(&one) => string.push_str(&format!("[U+{:04X}]", u32::from(one))),
                other => string.push(other),
            }
        }
        string.push('"');
        string
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::form::parse_report;

    /// The text inside the quotes of a source, and the text outside them.
    fn taken_apart(source: &str) -> (Vec<String>, String) {
        let (mut inside, mut outside) = (Vec::new(), String::new());
        let mut string: Option<String> = None;
        let mut characters = source.chars();
        while let Some(one) = characters.next() {
            match (&mut string, one) {
                (None, '"') => string = Some(String::new()),
                (None, other) => outside.push(other),
                (Some(_), '"') => inside.extend(string.take()),
                (Some(words), '\\') => words.extend(characters.next()),
                (Some(words), other) => words.push(other),
            }
        }
        assert!(string.is_none(), "a string has no end: {source}");
        (inside, outside)
    }

    #[test]
    fn sources_lead_on_from_their_footnotes_and_from_the_list() {
        let list = "1. **T**, `docs/a b.pdf`, p. 2: “q”\n2. **U**, `gone.md`: “r”\n";
        let mut report = parse_report(&format!("# T\n\nIt says [1]. So [2].\n\n## Sources\n\n{list}")).unwrap();
        report.evidence[0].address = Some(crate::form::address_of_file("docs/a b.pdf", Some(2)));
        let text = source(&report, &["A".to_owned()], &BTreeSet::new());
        let link = "#link(\"./docs/a%20b.pdf#page=2\")";
        assert!(text.contains(&format!("#evidence(1)[{link}[#emph[#\"T\";];];")), "{text}");
        assert!(text.contains(&format!("{link}[#\", docs/a b.pdf, p. 2\";];")), "{text}");
        assert_eq!(text.matches("#link(").count(), 2, "{text}");
    }

    #[test]
    fn whatever_a_report_says_stands_in_quotes() {
        let attacks =
            ["\\\\\"; #panic() //", "]; #include \"x\"", "#eval(1) $x$ @s1 <s1>", "*b* _i_ = h", "\u{202e}\u{1b}"];
        let body: String =
            attacks.iter().map(|one| format!("It says {} of 1989 [1].\n\n", crate::report::escaped(one))).collect();
        let markdown = format!("# T\n\n{body}\n```\n{}\n```\n\n## Sources\n\n1. **T**, `a`: “q”\n", attacks.concat());
        let mut report = parse_report(&markdown).unwrap();
        let harmless = taken_apart(&source(&report, &["A".to_owned()], &BTreeSet::new())).1;
        for field in [&mut report.title, &mut report.question] {
            *field = attacks.concat();
        }
        let one = &mut report.evidence[0];
        for field in [&mut one.title, &mut one.path, &mut one.headings, &mut one.quote] {
            *field = attacks.concat();
        }
        one.address = Some(format!("https://a.example/{}", attacks.concat()));
        let (inside, outside) = taken_apart(&source(&report, &["A\"]#x".to_owned()], &BTreeSet::new()));
        for attack in attacks {
            let word = attack.split_whitespace().next().unwrap();
            assert!(!outside.contains(word) || harmless.contains(word), "{word} is outside of quotes: {outside}");
        }
        assert!(
            inside.iter().any(|words| words.contains("\\\\\"; #panic() //]; #include \"x\"#eval(1)")),
            "{inside:?}"
        );
        assert!(inside.iter().all(|words| !words.contains(['\u{202e}', '\u{1b}'])));
    }

    #[test]
    fn the_words_of_a_sentence_are_quoted_once() {
        let markdown = "# T\n\nIt began in 1989 [1]. It began in 1989, too [1]. Critics praised it [1].\n\n## Sources\n\n\
            1. **A**, `a.md`: “It began in 1989. Critics praised it.”\n";
        let text = source(&parse_report(markdown).unwrap(), &[], &BTreeSet::from(['T']));
        assert_eq!(text.matches("#evidence(1)[").count(), 2, "{text}");
        assert_eq!(text.matches("#to(1);").count(), 1, "{text}");
        assert!(text.contains(": “It began in 1989.”\"") && text.contains(": “Critics praised it.”\""), "{text}");
        assert!(text.contains("title: \"[U+0054]\""), "{text}");
    }
}
