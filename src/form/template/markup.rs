//! Writes pieces of a report in the markup of a template's output.

use std::path::Path;

use crate::base::text::shown;
use crate::form::model::{Block, Disagreement, FormedReport, Inline, Sentence, opening};
use crate::form::writer::Writer;
use crate::report::cite::MARK;
use crate::report::escaped;

/// The markup of the file that a template writes, by which text is escaped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::form) enum Markup {
    /// HTML or XML.
    Html,
    /// Markdown.
    Markdown,
    /// No markup that this program knows.
    Plain,
}

impl Markup {
    /// The markup by the names of the template and of its output file; if they differ, the one that escapes more.
    pub fn of(template: &Path, output: Option<&Path>) -> Markup {
        let written_to = output.map_or(Markup::Plain, Markup::of_name);
        let named = match template.extension().and_then(|ending| ending.to_str()) {
            Some("j2" | "jinja" | "jinja2") => Markup::of_name(&template.with_extension("")),
            _ => Markup::of_name(template),
        };
        match (written_to, named) {
            (Markup::Html, _) | (_, Markup::Html) => Markup::Html,
            (Markup::Markdown, _) | (_, Markup::Markdown) => Markup::Markdown,
            (Markup::Plain, Markup::Plain) => Markup::Plain,
        }
    }

    fn of_name(path: &Path) -> Markup {
        match path.extension().map(|ending| ending.to_string_lossy().to_lowercase()).as_deref() {
            Some("html" | "htm" | "xhtml" | "xml" | "svg" | "fodt") => Markup::Html,
            Some("md" | "markdown") => Markup::Markdown,
            _ => Markup::Plain,
        }
    }

    /// Escapes text. White space at its ends stays.
    pub fn text(self, words: &str) -> String {
        match self {
            Markup::Html => {
                let mut out = Writer::default();
                out.text(words);
                out.into_text()
            }
            Markup::Markdown => {
                let space = |is_there: bool| if is_there { " " } else { "" };
                let inner = escaped(&shown(words));
                if inner.is_empty() {
                    return space(!words.is_empty()).to_owned();
                }
                let (before, after) = (words.starts_with(char::is_whitespace), words.ends_with(char::is_whitespace));
                format!("{}{inner}{}", space(before), space(after))
            }
            Markup::Plain => shown(words),
        }
    }
}

/// Writes pieces of one report.
#[derive(Clone, Copy)]
pub(in crate::form) struct Marked<'r> {
    pub report: &'r FormedReport,
    pub markup: Markup,
}

impl Marked<'_> {
    pub fn blocks(self, blocks: &[Block]) -> String {
        let written: Vec<String> = blocks.iter().map(|block| self.block(block)).collect();
        written.join(if self.markup == Markup::Html { "\n" } else { "\n\n" })
    }

    fn block(self, block: &Block) -> String {
        if self.markup == Markup::Html {
            return self.element(block);
        }
        match block {
            Block::Heading { level, words } => match self.markup {
                Markup::Markdown => format!("{} {}", "#".repeat(usize::from(*level)), self.inlines(words)),
                _ => self.inlines(words),
            },
            Block::Paragraph(sentences) => self.at_line_start(self.sentences(sentences)),
            Block::List { first, items } => {
                let item = |(at, item): (usize, &Vec<Block>)| {
                    let mark = first.map_or_else(|| "- ".to_owned(), |first| format!("{}. ", first + at as u64));
                    indented(&mark, &self.item(item))
                };
                items.iter().enumerate().map(item).collect::<Vec<_>>().join("\n")
            }
            Block::Quote(blocks) => {
                self.blocks(blocks).lines().map(|line| format!("> {line}\n")).collect::<String>().trim_end().to_owned()
            }
            Block::Code(text) => {
                let longest = text.split(|one| one != '`').map(str::len).max().unwrap_or(0);
                let fence = "`".repeat((longest + 1).max(3));
                match self.markup {
                    Markup::Markdown => format!("{fence}\n{}\n{fence}", shown(text).trim_end()),
                    _ => shown(text),
                }
            }
            Block::Table(rows) => self.table(rows),
            Block::Disagreements(all) => {
                let one = |one: &Disagreement| {
                    let side = |words: &[Sentence]| format!("- {}", self.at_line_start(self.sentences(words)));
                    let sides: Vec<String> = one.sides.iter().map(|one| side(&one.sentences)).collect();
                    indented("- ", &format!("{}\n{}", self.inlines(&one.on), sides.join("\n")))
                };
                all.iter().map(one).collect::<Vec<_>>().join("\n")
            }
            Block::Rule => "---".to_owned(),
        }
    }

    /// The blocks of an item; no empty line separates a line from a list below it.
    fn item(self, item: &[Block]) -> String {
        let mut text = String::new();
        for block in item {
            let gap = if matches!(block, Block::List { .. } | Block::Disagreements(_)) { "\n" } else { "\n\n" };
            text.push_str(if text.is_empty() { "" } else { gap });
            text.push_str(&self.block(block));
        }
        text
    }

    fn table(self, rows: &[Vec<Vec<Sentence>>]) -> String {
        let row = |row: &Vec<Vec<Sentence>>| {
            let cells: Vec<String> = row.iter().map(|cell| self.sentences(cell).replace('\n', " ")).collect();
            format!("| {} |\n", cells.join(" | "))
        };
        let mut text = rows.first().map(row).unwrap_or_default();
        text.push_str(&format!("|{}\n", "---|".repeat(rows.first().map_or(0, Vec::len))));
        text.extend(rows.iter().skip(1).map(row));
        text.trim_end().to_owned()
    }

    /// Escapes text at the beginning of a line that Markdown would read as a list or heading.
    fn at_line_start(self, words: String) -> String {
        let digits = words.len() - words.trim_start_matches(|one: char| one.is_ascii_digit()).len();
        let rest = &words[digits..];
        match self.markup {
            Markup::Markdown if digits == 0 && words.starts_with(['-', '+', '=']) => format!("\\{words}"),
            Markup::Markdown if digits > 0 && rest.starts_with(['.', ')']) => format!("{}\\{rest}", &words[..digits]),
            _ => words,
        }
    }

    pub fn sentences(self, sentences: &[Sentence]) -> String {
        sentences.iter().map(|sentence| self.inlines(&sentence.words)).collect::<String>().trim().to_owned()
    }

    pub fn inlines(self, words: &[Inline]) -> String {
        words.iter().map(|word| self.inline(word)).collect()
    }

    fn inline(self, word: &Inline) -> String {
        let within = |mark: &str, name: &'static str, inner: &[Inline]| match self.markup {
            Markup::Html => format!("<{name}>{}</{name}>", self.inlines(inner)),
            Markup::Markdown => format!("{mark}{}{mark}", self.inlines(inner)),
            Markup::Plain => self.inlines(inner),
        };
        match word {
            Inline::Text(words) => self.markup.text(words),
            Inline::Strong(inner) => within("**", "strong", inner),
            Inline::Emphasis(inner) => within("*", "em", inner),
            Inline::Struck(inner) => within("~~", "s", inner),
            Inline::Code(words) => match self.markup {
                Markup::Html => format!("<code>{}</code>", self.markup.text(words)),
                // Between backticks, words that contain backticks themselves would be changed.
                _ => self.markup.text(words),
            },
            Inline::Link { to, words } => match self.markup {
                Markup::Html => element("a", &[("href", to), ("rel", "noreferrer")], &self.inlines(words)),
                Markup::Markdown => format!("[{}](<{to}>)", self.inlines(words)),
                Markup::Plain => format!("{} ({to})", self.inlines(words)),
            },
            Inline::Cite(number) if self.markup == Markup::Html && self.report.evidence_of(*number).is_some() => {
                let address = format!("#source-{number}");
                element("a", &[("class", "cite"), ("href", &address)], &format!("[{number}]"))
            }
            Inline::Cite(number) => format!("[{number}]"),
            Inline::Uncited => MARK.to_owned(),
            Inline::Break => match self.markup {
                Markup::Html => "<br>".to_owned(),
                Markup::Markdown => "\\\n".to_owned(),
                Markup::Plain => "\n".to_owned(),
            },
        }
    }

    /// A block as an HTML element.
    fn element(self, block: &Block) -> String {
        let each = |name: &'static str, inner: Vec<String>| -> String {
            inner.iter().map(|inner| format!("<{name}>{inner}</{name}>")).collect()
        };
        let row = |name: &'static str, row: &Vec<Vec<Sentence>>| {
            format!("<tr>{}</tr>", each(name, row.iter().map(|cell| self.sentences(cell)).collect()))
        };
        match block {
            Block::Heading { level, words } => {
                let level = (*level).clamp(1, 6);
                format!("<h{level}>{}</h{level}>", self.inlines(words))
            }
            Block::Paragraph(sentences) => format!("<p>{}</p>", self.sentences(sentences)),
            Block::List { first, items } => {
                let items = items.iter().map(|item| {
                    let (sentences, rest) = opening(item);
                    format!("{}{}", self.sentences(sentences), self.blocks(rest))
                });
                let items = each("li", items.collect());
                match first {
                    Some(first) => element("ol", &[("start", &first.to_string())], &items),
                    None => element("ul", &[], &items),
                }
            }
            Block::Quote(blocks) => element("blockquote", &[], &self.blocks(blocks)),
            Block::Code(text) => element("pre", &[], &self.markup.text(text)),
            Block::Table(rows) => {
                let rows: String =
                    rows.iter().enumerate().map(|(at, one)| row(if at == 0 { "th" } else { "td" }, one)).collect();
                element("table", &[], &rows)
            }
            Block::Disagreements(all) => {
                let one = |one: &Disagreement| {
                    let side = |words: &[Sentence]| format!("<li>{}</li>", self.sentences(words));
                    let sides: String = one.sides.iter().map(|one| side(&one.sentences)).collect();
                    format!("<li>{}<ul>{sides}</ul></li>", self.inlines(&one.on))
                };
                element("ul", &[], &all.iter().map(one).collect::<String>())
            }
            Block::Rule => "<hr>".to_owned(),
        }
    }
}

/// An element around markup that is written already.
fn element(name: &'static str, attributes: &[(&'static str, &str)], inner: &str) -> String {
    let mut out = Writer::default();
    out.within(name, attributes, |out| out.raw(inner));
    out.into_text()
}

/// The lines of a text, with a mark before the first and the others indented below its words.
fn indented(mark: &str, text: &str) -> String {
    let space = " ".repeat(mark.len());
    let mut lines = text.lines();
    let mut all = format!("{mark}{}", lines.next().unwrap_or_default());
    for line in lines {
        all.push('\n');
        if !line.is_empty() {
            all.push_str(&space);
            all.push_str(line);
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_more_careful_name_decides_what_is_escaped() {
        let check = |template: &str, output: Option<&str>, expected: Markup| {
            assert_eq!(Markup::of(Path::new(template), output.map(Path::new)), expected, "{template} {output:?}");
        };
        check("letter.html", None, Markup::Html);
        check("letter.html.j2", Some("out.txt"), Markup::Html);
        check("letter.tex", Some("out.HTM"), Markup::Html);
        check("house.md", Some("out.txt"), Markup::Markdown);
        check("house.txt.jinja", Some("out.md"), Markup::Markdown);
        check("house.txt", Some("out"), Markup::Plain);
        check("j2", None, Markup::Plain);
    }

    #[test]
    fn words_stay_words_and_keep_the_space_around_them() {
        let check = |markup: Markup, words: &str, expected: &str| assert_eq!(markup.text(words), expected);
        check(Markup::Html, " <b> & ", " &lt;b&gt; &amp; ");
        check(Markup::Markdown, " a *b* [c](d) ", " a \\*b\\* \\[c\\](d) ");
        check(Markup::Markdown, "\n", " ");
        check(Markup::Markdown, "", "");
        check(Markup::Plain, " a\u{202e}b\u{1b} ", " a\u{fffd}b\u{fffd} ");
    }
}
