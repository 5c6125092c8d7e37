//! LaTeX: the words that a document sets, its sections, lists, tables, captions and notes.
//!
//! No macro is expanded: that would take TeX. An unknown command is left out and the content of its braces kept, which
//! is right for nearly all commands that mark words; those that name files, lengths and labels are listed with the
//! number of their arguments. Maths stays as it is written, unless it is only figures, letters and units.

mod arguments;
mod maths;
mod symbols;

use unicode_normalization::UnicodeNormalization;

use self::arguments::{Lookahead, MAX_ARGUMENT, name_length, unescaped};
use self::symbols::{Environment, arguments_left_out, combining, environment, environment_arguments, level, symbol};
use super::compose::Composer;
use super::writer::Kind;
use super::{ParseError, Parsed, date, label};
use crate::domain::DocumentDate;

/// Extracts a document, or a part that other documents include.
pub(super) fn parse(text: &str) -> Result<Parsed, ParseError> {
    let body = find_command(text, "\\begin{document}").unwrap_or(0);
    let has_chapters = find_command(text, "\\chapter").is_some();
    let has_sections = find_command(&text[body..], "\\section").is_some();
    let mut reader = Reader { text, has_chapters, has_sections, in_preamble: body > 0, body, ..Reader::default() };
    reader.read();
    reader.end_paragraph();
    let (title, date) = (reader.title.as_deref().and_then(label), reader.date.as_deref().and_then(date::find));
    let mut parsed = reader.composer.finish();
    if parsed.text.is_empty() {
        return Err(ParseError::Empty { hint: " (it may only include other files)".into() });
    }
    parsed.title = title.or_else(|| parsed.first_heading());
    parsed.date = date.map(DocumentDate::front_matter);
    Ok(parsed)
}

/// The words of a piece of TeX; the piece itself if it has none.
pub(super) fn words(text: &str) -> String {
    parse(text).map_or_else(|_| text.to_owned(), |parsed| parsed.text)
}

/// The most environments within each other that are tracked.
const MAX_NESTED: usize = 200;

/// The first place of a command outside comments, among its first hundred occurrences.
fn find_command(text: &str, command: &str) -> Option<usize> {
    text.match_indices(command).take(100).map(|(at, _)| at).find(|&at| {
        let line = &text[text[..at].rfind('\n').map_or(0, |newline| newline + 1)..at];
        !line.replace("\\%", "").contains('%')
    })
}

/// The construct that ends with a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Group {
    Plain,
    Heading(u8),
    Block,
    Captured,
}

/// Words that are kept for later.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DeferredField {
    Title,
    Author,
    Date,
    Note,
}

#[derive(Default)]
struct Reader<'a> {
    text: &'a str,
    at: usize,
    has_chapters: bool,
    has_sections: bool,
    in_preamble: bool,
    /// Where the preamble ends.
    body: usize,
    composer: Composer,
    groups: Vec<Group>,
    /// The kind of the next group.
    next: Option<Group>,
    kept: Vec<(DeferredField, String)>,
    environments: Vec<(String, Environment)>,
    in_item: bool,
    title: Option<String>,
    date: Option<String>,
    /// The content of the next title page: title, authors and date.
    title_page: [Option<String>; 3],
    ahead: Lookahead,
}

impl<'a> Reader<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn read(&mut self) {
        while let Some(first) = self.rest().chars().next() {
            if self.in_preamble && self.at >= self.body {
                self.in_preamble = false;
                // Anything that is still open in the preamble is never closed.
                self.groups.clear();
                self.kept.clear();
                self.next = None;
            }
            match first {
                '%' => self.pass_comment(),
                '\\' => self.command(),
                '{' => {
                    self.at += 1;
                    let group = self.next.take().unwrap_or(Group::Plain);
                    self.groups.push(group);
                }
                '}' => {
                    self.at += 1;
                    self.end_group();
                }
                '$' => self.maths(),
                '&' if self.in_table() => {
                    self.at += 1;
                    self.composer.close(Kind::Cell);
                    self.composer.open(Kind::Cell);
                }
                '~' => {
                    self.at += 1;
                    self.words("\u{a0}");
                }
                '-' | '`' | '\'' => self.ligature(),
                _ if first.is_whitespace() => self.space(),
                _ => {
                    let rest = self.rest();
                    let end = rest.find(|char: char| "%\\{}$&~-`'".contains(char) || char.is_whitespace());
                    let words = &rest[..end.unwrap_or(rest.len()).max(first.len_utf8())];
                    self.at += words.len();
                    self.words(words);
                }
            }
        }
    }

    /// Adds words to the innermost text that is kept for later, else to the document.
    fn words(&mut self, words: &str) {
        if let Some((_, kept)) = self.kept.last_mut() {
            kept.push_str(words);
        } else if !self.in_preamble {
            self.composer.text(words);
        }
    }

    fn pass_comment(&mut self) {
        let line = self.rest().find('\n').map_or(self.rest().len(), |newline| newline + 1);
        self.at += line;
        // White space at the start of the next line does not count.
        let rest = self.rest();
        let spaces = rest.len() - rest.trim_start_matches([' ', '\t']).len();
        self.at += spaces;
    }

    /// Reads white space: one space, or the end of a paragraph if it contains an empty line.
    fn space(&mut self) {
        let rest = self.rest();
        let length = rest.len() - rest.trim_start().len();
        self.at += length;
        if rest[..length].matches('\n').count() > 1 && self.kept.is_empty() {
            self.end_paragraph();
        } else {
            self.words(" ");
        }
    }

    fn ligature(&mut self) {
        const LIGATURES: [(&str, &str); 5] = [("---", "—"), ("--", "–"), ("``", "“"), ("''", "”"), ("`", "‘")];
        let rest = self.rest();
        let (written, set) =
            LIGATURES.into_iter().find(|(written, _)| rest.starts_with(written)).unwrap_or_else(|| {
                let one = &rest[..1];
                (one, one)
            });
        self.at += written.len();
        self.words(set);
    }

    fn end_paragraph(&mut self) {
        if self.in_preamble {
            return;
        }
        let kind = if self.in_item || self.in_list() { Kind::Line } else { Kind::Block };
        self.composer.open(kind);
        self.composer.close(kind);
    }

    fn in_list(&self) -> bool {
        self.environments.iter().any(|(_, environment)| *environment == Environment::List)
    }

    fn in_table(&self) -> bool {
        self.kept.is_empty()
            && self
                .environments
                .iter()
                .rev()
                .find(|(_, it)| *it != Environment::Inline)
                .is_some_and(|(_, it)| *it == Environment::Table)
    }

    fn end_group(&mut self) {
        match self.groups.pop() {
            Some(Group::Heading(level)) => self.composer.close(Kind::Heading(level)),
            Some(Group::Block) => self.end_paragraph(),
            Some(Group::Captured) => self.end_kept(),
            Some(Group::Plain) | None => {}
        }
    }

    fn end_kept(&mut self) {
        let Some((kept, words)) = self.kept.pop() else { return };
        match kept {
            DeferredField::Title => {
                self.title_page[0] = Some(words.clone());
                self.title = Some(words);
            }
            DeferredField::Author => self.title_page[1] = Some(words),
            DeferredField::Date => {
                self.title_page[2] = Some(words.clone());
                self.date = Some(words);
            }
            DeferredField::Note if !self.in_preamble => self.composer.note(&words),
            DeferredField::Note => {}
        }
    }

    /// Reads maths between dollars, as words or as it is written. A dollar that is not closed in its paragraph stands
    /// for itself.
    fn maths(&mut self) {
        let rest = self.rest();
        let mark = if rest.starts_with("$$") { "$$" } else { "$" };
        let inside = &rest[mark.len()..];
        let near = &inside[..inside.floor_char_boundary(MAX_ARGUMENT)];
        let near = near.split("\n\n").next().unwrap_or(near);
        let mut is_escaped = false;
        let end = near.char_indices().find_map(|(at, char)| {
            let is_end = !is_escaped && near[at..].starts_with(mark);
            is_escaped = char == '\\' && !is_escaped;
            is_end.then_some(at)
        });
        let length = end.map_or(mark.len(), |end| end + 2 * mark.len());
        self.at += length;
        let plain = end.and_then(|end| maths::plain(&inside[..end]));
        self.words(plain.as_deref().unwrap_or(&rest[..length]));
    }

    fn command(&mut self) {
        let rest = &self.rest()[1..];
        let letters = name_length(rest);
        if letters == 0 {
            let symbol = rest.chars().next().unwrap_or(' ');
            self.at += 1 + rest.chars().next().map_or(0, char::len_utf8);
            return self.control_symbol(symbol);
        }
        let name = &rest[..letters];
        self.at += 1 + letters;
        if name == "verb" || name == "lstinline" {
            return self.verbatim_words();
        }
        self.at += usize::from(self.rest().starts_with('*'));
        // White space after a name does not count, but an empty line does.
        let blank = self.rest();
        let spaces = blank.len() - blank.trim_start_matches([' ', '\t']).len();
        let line =
            blank[spaces..].strip_prefix('\n').filter(|next| !next.trim_start_matches([' ', '\t']).starts_with('\n'));
        self.at += if line.is_some() { spaces + 1 } else { spaces };
        self.named(name);
    }

    fn control_symbol(&mut self, symbol: char) {
        match symbol {
            '%' | '&' | '$' | '#' | '_' | '{' | '}' => self.words(symbol.encode_utf8(&mut [0; 4])),
            '\\' => {
                self.at += usize::from(self.rest().starts_with('*'));
                self.optional();
                if self.in_table() {
                    self.composer.close(Kind::Cell);
                    self.composer.close(Kind::Row);
                    self.composer.open(Kind::Row);
                    self.composer.open(Kind::Cell);
                } else if self.kept.is_empty() && !self.in_preamble {
                    self.composer.open(Kind::Break);
                } else {
                    self.words(" ");
                }
            }
            '(' | '[' => {
                let end = if symbol == '(' { "\\)" } else { "\\]" };
                let near = self.ahead.next(self.text, self.at, end).filter(|at| at - self.at <= MAX_ARGUMENT);
                let (text, at) = (self.text, self.at);
                let inside = near.map_or("", |near| &text[at..near + end.len()]);
                self.at += inside.len();
                self.words(&format!("\\{symbol}{inside}"));
            }
            ' ' | ',' | ';' | ':' | '\n' | '\t' => self.words(" "),
            _ => {
                if let Some(mark) = combining(symbol.encode_utf8(&mut [0; 4])) {
                    self.accent(mark);
                }
            }
        }
    }

    /// Puts a mark on the next letter.
    fn accent(&mut self, mark: char) {
        let rest = self.rest().trim_start();
        self.at = self.text.len() - rest.len();
        let inside = if rest.starts_with('{') { self.argument() } else { None };
        let letter = match inside {
            Some(inside) => inside.trim().to_owned(),
            None if rest.starts_with("\\i") || rest.starts_with("\\j") => {
                self.at += 2;
                rest[..2].to_owned()
            }
            None => {
                let letter = rest.chars().next().filter(|char| char.is_alphanumeric());
                self.at += letter.map_or(0, char::len_utf8);
                letter.map_or_else(String::new, String::from)
            }
        };
        // A dotless letter is written only because of the mark.
        let letter = letter.strip_prefix('\\').unwrap_or(&letter).to_owned();
        let mut chars = letter.chars();
        let marked: String = chars.next().into_iter().chain([mark]).nfc().collect();
        if !letter.is_empty() {
            self.words(&(marked + chars.as_str()));
        }
    }

    fn named(&mut self, name: &str) {
        if let Some(words) = symbol(name) {
            // The braces in `\ss{}` only end the name.
            self.at += if self.rest().starts_with("{}") { 2 } else { 0 };
            return self.words(words);
        }
        if let Some(mark) = combining(name) {
            return self.accent(mark);
        }
        if let Some(level) = level(name, self.has_chapters) {
            self.optional();
            return self.open_heading(level);
        }
        match name {
            "begin" => {
                let name = self.argument().unwrap_or_default();
                self.begin(name.trim());
            }
            "end" => {
                let name = self.argument().unwrap_or_default();
                self.end(name.trim());
            }
            "item" => self.item(),
            "bibitem" => {
                self.item();
                self.argument();
            }
            "par" | "newpage" | "clearpage" | "cleardoublepage" | "pagebreak" => self.end_paragraph(),
            "newline" | "linebreak" | "tabularnewline" => self.control_symbol('\\'),
            "title" => self.keep(DeferredField::Title),
            "author" => self.keep(DeferredField::Author),
            "date" => self.keep(DeferredField::Date),
            "footnote" | "footnotetext" | "thanks" | "endnote" => self.keep(DeferredField::Note),
            // A title page is set once, since LaTeX then forgets its content.
            "maketitle" | "titlepage" if !self.in_preamble => {
                for words in std::mem::take(&mut self.title_page).into_iter().flatten() {
                    self.end_paragraph();
                    self.words(&words);
                }
                self.end_paragraph();
            }
            "and" => {
                if let Some((_, kept)) = self.kept.last_mut() {
                    kept.truncate(kept.trim_end().len());
                }
                self.words(", ");
            }
            "frametitle" => self.frame_title(),
            "caption" => {
                self.optional();
                if self.rest().starts_with('{') && !self.in_preamble {
                    self.end_paragraph();
                    self.next = Some(Group::Block);
                }
            }
            // The number of the referenced item is not known, and its label says more than a gap.
            "cite" | "citep" | "citet" | "parencite" | "textcite" | "autocite" | "ref" | "eqref" | "pageref"
            | "autoref" | "nameref" | "cref" | "Cref" => {
                while self.optional().is_some() {}
                if let Some(keys) = self.argument() {
                    self.words(&format!("[{keys}]"));
                }
            }
            "url" | "path" | "nolinkurl" => {
                if let Some(address) = self.argument() {
                    self.words(&unescaped(address));
                }
            }
            // The trimming of the rule is given in parentheses.
            "cmidrule" => {
                self.optional();
                let near = self.ahead.next(self.text, self.at, ")").filter(|at| at - self.at <= MAX_ARGUMENT);
                self.at = near.filter(|_| self.rest().starts_with('(')).map_or(self.at, |near| near + 1);
                self.argument();
            }
            "texorpdfstring" => {
                // The first argument is in TeX, the second in plain words.
                self.argument();
            }
            // `\newcommand{\name}[2][default]{…}`
            "newcommand" | "renewcommand" | "providecommand" | "newenvironment" | "renewenvironment" => {
                if self.argument().is_none() {
                    self.pass_name();
                }
                while self.optional().is_some() {}
                self.argument();
                if name.ends_with("environment") {
                    self.argument();
                }
            }
            "def" | "let" | "edef" | "gdef" => {
                self.pass_name();
                if name != "let" {
                    let rest = self.rest();
                    let near = self.ahead.next(self.text, self.at, "{").map(|at| at - self.at);
                    let near = near.filter(|&length| length <= MAX_ARGUMENT && !rest[..length].contains('\n'));
                    self.at += near.unwrap_or(0);
                    self.argument();
                }
            }
            _ => {
                self.optional();
                for _ in 0..arguments_left_out(name) {
                    while self.optional().is_some() {}
                    self.argument();
                }
            }
        }
    }

    fn keep(&mut self, kept: DeferredField) {
        self.optional();
        if self.rest().starts_with('{') {
            self.kept.push((kept, String::new()));
            self.next = Some(Group::Captured);
        }
    }

    /// Begins the title of a slide, if one stands here.
    fn frame_title(&mut self) {
        self.open_heading(1 + u8::from(self.has_sections));
    }

    /// Begins a heading, if one stands here.
    fn open_heading(&mut self, level: u8) {
        if self.rest().starts_with('{') && self.kept.is_empty() && !self.in_preamble {
            self.composer.open(Kind::Heading(level));
            self.next = Some(Group::Heading(level));
        }
    }

    fn item(&mut self) {
        if self.in_preamble || !self.kept.is_empty() {
            return;
        }
        self.end_item();
        let level = self.environments.iter().filter(|(_, it)| *it == Environment::List).count();
        self.composer.open_item(level.saturating_sub(1));
        self.in_item = true;
        if let Some(name) = self.optional() {
            // The described word is part of the text.
            if let Ok(words) = parse(name) {
                self.words(&format!("{} ", words.text));
            }
        }
    }

    fn end_item(&mut self) {
        if std::mem::take(&mut self.in_item) {
            self.composer.close_item();
        }
    }

    fn begin(&mut self, name: &str) {
        if name == "document" {
            return;
        }
        let kind = environment(name);
        if matches!(kind, Environment::Verbatim | Environment::Maths | Environment::Nothing) {
            return self.raw(name, kind);
        }
        self.optional();
        for _ in 0..environment_arguments(name) {
            while self.optional().is_some() {}
            self.argument();
        }
        match kind {
            Environment::Table if !self.in_preamble => {
                self.composer.open(Kind::Table);
                self.composer.open(Kind::Row);
                self.composer.open(Kind::Cell);
            }
            Environment::List => self.end_item(),
            Environment::Block => {
                self.end_paragraph();
                if name == "frame" {
                    self.frame_title();
                }
            }
            _ => {}
        }
        if self.environments.len() < MAX_NESTED {
            self.environments.push((name.to_owned(), kind));
        }
    }

    fn end(&mut self, name: &str) {
        let Some(place) = self.environments.iter().rposition(|(open, _)| open == name) else {
            if name == "document" {
                // Text after the end is not typeset.
                self.at = self.text.len();
            }
            return;
        };
        for (_, kind) in self.environments.split_off(place) {
            match kind {
                Environment::Table => {
                    for kind in [Kind::Cell, Kind::Row, Kind::Table] {
                        self.composer.close(kind);
                    }
                }
                Environment::List => {
                    self.end_item();
                    self.end_paragraph();
                }
                Environment::Block => self.end_paragraph(),
                _ => {}
            }
        }
    }

    /// Reads an environment whose content is not LaTeX text.
    fn raw(&mut self, name: &str, kind: Environment) {
        let rest = self.rest();
        let end = format!("\\end{{{name}}}");
        let length = rest.find(&end).unwrap_or(rest.len());
        let inside = &rest[..length];
        self.at += (length + end.len()).min(rest.len());
        if self.in_preamble || kind == Environment::Nothing {
            return;
        }
        self.end_paragraph();
        if kind == Environment::Maths {
            self.words(inside.trim());
        } else {
            // Options stand on the line of `\begin`.
            let inside =
                inside.split_once('\n').filter(|(line, _)| line.trim().is_empty() || line.starts_with(['[', '{']));
            let inside = inside.map_or(&rest[..length], |(_, inside)| inside);
            self.composer.open(Kind::Preformatted);
            self.composer.text(inside.trim_end());
            self.composer.close(Kind::Preformatted);
        }
        self.end_paragraph();
    }
}

#[cfg(test)]
mod tests;
