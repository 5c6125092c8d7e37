//! Rich text: paragraphs, headings by their style or outline level, lists, tables and notes.
//!
//! The crates that read it keep fonts and colours, and lose tables, styles and code pages. So its tokens are read one
//! by one (`lexer`), and only control words that matter for the text are obeyed. An unknown group that is marked as
//! ignorable is left out. Code pages come from the current font, as programs of every country expect.

mod lexer;
mod names;

use std::collections::BTreeMap;

use encoding_rs::{Encoding, WINDOWS_1252};

use self::lexer::{Lexer, Token};
use self::names::{Role, code_page, of_charset, role, special};
use super::compose::{Composer, Opened};
use super::properties::usable_title;
use super::writer::Kind;
use super::{ParseError, Parsed, label};
use crate::domain::DocumentDate;

/// Extracts a document.
pub(super) fn parse(bytes: &[u8]) -> Result<Parsed, ParseError> {
    if !bytes.starts_with(b"{\\rtf") {
        return Err(broken("it does not begin as rich text does"));
    }
    let mut reader = Reader::default();
    let mut lexer = Lexer::new(bytes);
    while let Some(token) = lexer.next() {
        reader.take(token, &mut lexer);
        if reader.is_over {
            return reader.finish();
        }
    }
    Err(broken("its last group is not closed: the file is cut short"))
}

fn broken(reason: &str) -> ParseError {
    ParseError::Broken { format: "RTF", reason: reason.to_owned() }
}

/// Where the words of a group go.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Destination {
    #[default]
    Body,
    Note,
    Fonts,
    Styles,
    Title,
    Info,
    Made,
    Nowhere,
}

/// State that holds until a group ends.
#[derive(Clone, Copy, Debug, Default)]
struct Group {
    destination: Destination,
    /// The number of fallback characters after each Unicode one, for programs that know no Unicode.
    fallback: usize,
    font: i32,
    is_hidden: bool,
    says_twice: bool,
    paragraph: Paragraph,
}

/// The properties of a paragraph.
#[derive(Clone, Copy, Debug, Default)]
struct Paragraph {
    style: i32,
    outline: Option<u8>,
    is_item: bool,
    level: usize,
    /// The left indent, in steps of the usual one.
    indent: i32,
    in_table: bool,
    page_before: bool,
}

#[derive(Default)]
struct Style {
    number: i32,
    outline: Option<u8>,
    name: String,
}

/// The parts of a table that are open.
#[derive(Default)]
struct Open {
    table: bool,
    row: bool,
    cell: bool,
}

/// The day on which the document was made.
#[derive(Default)]
struct CreationDate {
    year: Option<i32>,
    month: Option<i32>,
    day: Option<i32>,
}

#[derive(Default)]
struct Reader {
    groups: Vec<Group>,
    is_over: bool,
    /// Whether the token before said that programs that do not know the group may ignore it.
    may_ignore: bool,
    /// Characters of a fallback still to be skipped.
    to_skip: usize,
    /// Bytes not decoded yet, and the first half of a character that takes two control words.
    bytes: Vec<u8>,
    surrogate: Option<u16>,
    default_page: Option<&'static Encoding>,
    default_font: i32,
    fonts: BTreeMap<i32, &'static Encoding>,
    styles: BTreeMap<i32, Role>,
    /// The style that is being defined.
    style: Style,
    composer: Composer,
    begun: Option<Opened>,
    open: Open,
    note: String,
    title: String,
    own_title: String,
    made: CreationDate,
    pages_told: Option<i32>,
}

impl Reader {
    fn take(&mut self, token: Token<'_>, lexer: &mut Lexer<'_>) {
        match token {
            Token::Open => {
                self.flush();
                self.to_skip = 0;
                let mut group = self.group();
                if self.groups.is_empty() {
                    group.fallback = 1;
                }
                // Of two groups that say the same, the first is for programs that know no Unicode; it is left out.
                if std::mem::take(&mut group.says_twice) {
                    group.destination = Destination::Nowhere;
                    self.set(|around| around.says_twice = false);
                }
                self.groups.push(group);
            }
            Token::Close => self.close_group(),
            Token::Byte(_) if self.to_skip > 0 => self.to_skip -= 1,
            Token::Byte(byte) => self.bytes.push(byte),
            Token::Ignorable => self.may_ignore = true,
            Token::Symbol(symbol) => {
                self.flush();
                match symbol {
                    '~' => self.words("\u{a0}"),
                    '_' => self.words("\u{2011}"),
                    '\n' => self.end_paragraph(),
                    _ => {}
                }
            }
            Token::Word(word, value) => {
                self.flush();
                let may_ignore = std::mem::take(&mut self.may_ignore);
                self.word(word, value, may_ignore);
                if word == "bin" {
                    lexer.skip(usize::try_from(value.unwrap_or(0)).unwrap_or(0));
                }
            }
        }
    }

    fn group(&self) -> Group {
        self.groups.last().copied().unwrap_or_default()
    }

    fn set(&mut self, change: impl FnOnce(&mut Group)) {
        if let Some(group) = self.groups.last_mut() {
            change(group);
        }
    }

    fn paragraph(&mut self, change: impl FnOnce(&mut Paragraph)) {
        self.set(|group| change(&mut group.paragraph));
    }

    fn close_group(&mut self) {
        self.flush();
        self.to_skip = 0;
        let Some(closed) = self.groups.pop() else { return };
        let destination = self.group().destination;
        self.is_over = self.groups.is_empty();
        if self.is_over {
            self.end_paragraph();
        } else if closed.destination == Destination::Note && destination != Destination::Note {
            let note = std::mem::take(&mut self.note);
            if self.begin() {
                self.composer.note(&note);
            }
        } else if closed.destination == Destination::Styles {
            let style = std::mem::take(&mut self.style);
            self.styles.extend(role(&style.name, style.outline).map(|role| (style.number, role)));
        }
    }

    fn word(&mut self, word: &str, value: Option<i32>, may_ignore: bool) {
        let number = value.unwrap_or(0);
        let is_on = value != Some(0);
        if let Some(destination) = destination(word, may_ignore) {
            self.enter(destination, word);
            return;
        }
        match word {
            "u" => self.unicode(number),
            "upr" => self.set(|group| group.says_twice = true),
            "uc" => self.set(|group| group.fallback = usize::try_from(number).unwrap_or(1)),
            "f" => self.set(|group| group.font = number),
            "fcharset" if self.group().destination == Destination::Fonts => {
                let font = self.group().font;
                self.fonts.extend(of_charset(number).map(|page| (font, page)));
            }
            "ansicpg" => self.default_page = code_page(number),
            "deff" => self.default_font = number,
            "v" | "deleted" => self.set(|group| group.is_hidden = is_on),
            "plain" => {
                let font = self.default_font;
                self.set(|group| (group.is_hidden, group.font) = (false, font));
            }
            "nofpages" => self.pages_told = value,
            "yr" if self.group().destination == Destination::Made => self.made.year = self.made.year.or(value),
            "mo" if self.group().destination == Destination::Made => self.made.month = self.made.month.or(value),
            "dy" if self.group().destination == Destination::Made => self.made.day = self.made.day.or(value),
            "s" if self.group().destination == Destination::Styles => self.style.number = number,
            "outlinelevel" if self.group().destination == Destination::Styles => {
                self.style.outline = u8::try_from(number).ok()
            }
            _ if self.group().destination == Destination::Body => self.body_word(word, number, is_on),
            "tab" | "line" | "par" if self.group().destination == Destination::Note => self.note.push(' '),
            _ => {
                if let Some(words) = special(word) {
                    self.words(words);
                }
            }
        }
    }

    /// Obeys a control word that describes the text around it.
    fn body_word(&mut self, word: &str, number: i32, is_on: bool) {
        match word {
            "pard" => self.paragraph(|it| *it = Paragraph::default()),
            "s" => self.paragraph(|it| it.style = number),
            "outlinelevel" => self.paragraph(|it| it.outline = u8::try_from(number).ok().filter(|&level| level < 9)),
            "ls" => self.paragraph(|it| it.is_item = number > 0),
            "ilvl" => self.paragraph(|it| it.level = usize::try_from(number).unwrap_or(0)),
            "li" => self.paragraph(|it| it.indent = number / 360),
            "intbl" => self.paragraph(|it| it.in_table = is_on),
            "pagebb" => self.paragraph(|it| it.page_before = is_on),
            "par" | "sect" => self.end_paragraph(),
            "line" | "lbr" if self.begin() => {
                self.title_goes_on();
                self.composer.open(Kind::Break);
            }
            "tab" => self.words(" "),
            "page" => {
                self.composer.open(Kind::Break);
                self.composer.page();
            }
            "cell" | "nestcell" => self.end_cell(),
            "row" | "nestrow" => self.end_row(),
            // A typed bullet makes an item where no list does.
            "bullet" if self.begun.is_none() && !self.group().paragraph.in_table => {
                let level = usize::try_from(self.group().paragraph.indent - 1).unwrap_or(0);
                self.paragraph(|it| (it.is_item, it.level) = (true, level));
            }
            _ => {
                if let Some(words) = special(word) {
                    self.words(words);
                }
            }
        }
    }

    fn enter(&mut self, destination: Destination, word: &str) {
        match destination {
            // The mark of an item that the program numbered: the item matters, the mark does not.
            Destination::Nowhere if matches!(word, "listtext" | "pntext") => {
                let place = self.groups.len().saturating_sub(2);
                if let Some(around) = self.groups.get_mut(place) {
                    around.paragraph.is_item = true;
                }
            }
            Destination::Note if self.group().destination != Destination::Body => {
                return self.set(|group| group.destination = Destination::Nowhere);
            }
            _ => {}
        }
        // A group inside a group that is left out is left out, too.
        self.set(|group| {
            if group.destination != Destination::Nowhere {
                group.destination = destination;
            }
        });
    }

    fn unicode(&mut self, number: i32) {
        self.to_skip = self.group().fallback;
        // Values above 32767 are written as negative.
        let unit = (number & 0xffff) as u16;
        let units: Vec<u16> = self.surrogate.take().into_iter().chain([unit]).collect();
        if (0xd800..0xdc00).contains(&unit) {
            self.surrogate = Some(unit);
            return;
        }
        let words: String = char::decode_utf16(units).filter_map(Result::ok).collect();
        self.words(&words);
    }

    /// Decodes the bytes collected so far.
    fn flush(&mut self) {
        if self.bytes.is_empty() {
            return;
        }
        let bytes = std::mem::take(&mut self.bytes);
        let page = self.fonts.get(&self.group().font).copied().or(self.default_page).unwrap_or(WINDOWS_1252);
        let words = page.decode_without_bom_handling(&bytes).0.into_owned();
        self.words(&words);
    }

    fn words(&mut self, words: &str) {
        let group = self.group();
        match group.destination {
            Destination::Styles => self.style.name.push_str(words),
            Destination::Title => self.title.push_str(words),
            Destination::Note => self.note.push_str(words),
            Destination::Body if !group.is_hidden => {
                if words.trim().is_empty() && self.begun.is_none() {
                    return;
                }
                let is_title = self.styles.get(&group.paragraph.style) == Some(&Role::Title);
                if self.begin() {
                    if is_title {
                        self.own_title.push_str(words);
                    }
                    self.composer.text(words);
                }
            }
            _ => {}
        }
    }

    /// Begins the paragraph unless it has begun; returns whether its words count.
    fn begin(&mut self) -> bool {
        if let Some(begun) = self.begun {
            return begun != Opened::LeftOut;
        }
        let paragraph = self.group().paragraph;
        if paragraph.in_table {
            self.open_cell();
        } else {
            self.end_table();
        }
        if paragraph.page_before {
            self.composer.page();
        }
        let begun = match (paragraph.outline, self.styles.get(&paragraph.style)) {
            (_, Some(Role::Contents)) => Opened::LeftOut,
            (Some(level), _) => Opened::As(Kind::Heading((level + 1).min(6))),
            (None, Some(Role::Heading(level))) => Opened::As(Kind::Heading(*level)),
            _ if paragraph.is_item => Opened::Item(paragraph.level),
            _ => Opened::As(Kind::Block),
        };
        self.begun = Some(begun);
        self.composer.begin(begun)
    }

    /// Joins the lines of a title that is set in several.
    fn title_goes_on(&mut self) {
        if !self.own_title.is_empty() && !self.own_title.ends_with(' ') {
            self.own_title.push(' ');
        }
    }

    fn end_paragraph(&mut self) {
        self.title_goes_on();
        self.begun.take().into_iter().for_each(|begun| self.composer.end(begun));
    }

    fn open_cell(&mut self) {
        let Open { table, row, cell } = &mut self.open;
        for (open, kind) in [(table, Kind::Table), (row, Kind::Row), (cell, Kind::Cell)] {
            if !std::mem::replace(open, true) {
                self.composer.open(kind);
            }
        }
    }

    fn end_cell(&mut self) {
        self.end_paragraph();
        self.open_cell();
        self.composer.close(Kind::Cell);
        self.open.cell = false;
    }

    fn end_row(&mut self) {
        self.end_paragraph();
        if std::mem::replace(&mut self.open.cell, false) {
            self.composer.close(Kind::Cell);
        }
        if std::mem::replace(&mut self.open.row, false) {
            self.composer.close(Kind::Row);
        }
    }

    fn end_table(&mut self) {
        self.end_row();
        if std::mem::replace(&mut self.open.table, false) {
            self.composer.close(Kind::Table);
        }
    }

    fn finish(mut self) -> Result<Parsed, ParseError> {
        self.end_table();
        let mut parsed = self.composer.finish();
        if parsed.text.is_empty() {
            return Err(ParseError::Empty { hint: " (it may hold pictures only)".into() });
        }
        // Automatic page breaks are not in the file: pages are kept only if the explicit breaks account for all of
        // them.
        if self.pages_told != i32::try_from(parsed.pages.len()).ok() {
            parsed.pages.clear();
        }
        let own_title = || label(&self.own_title).or_else(|| parsed.first_heading());
        parsed.title = usable_title(&self.title).or_else(own_title);
        if let CreationDate { year: Some(year), month: Some(month), day: Some(day) } = self.made
            && let (Ok(year), Ok(month), Ok(day)) = (i16::try_from(year), i8::try_from(month), i8::try_from(day))
            && year > 1980
        {
            parsed.date = jiff::civil::Date::new(year, month, day).ok().map(DocumentDate::metadata);
        }
        Ok(parsed)
    }
}

/// The destination that a control word gives to the words of its group.
fn destination(word: &str, may_ignore: bool) -> Option<Destination> {
    match word {
        "footnote" => Some(Destination::Note),
        "fonttbl" => Some(Destination::Fonts),
        "stylesheet" => Some(Destination::Styles),
        "info" => Some(Destination::Info),
        "title" => Some(Destination::Title),
        "creatim" => Some(Destination::Made),
        "shppict" | "shpinst" | "shptxt" | "ud" => None,
        "colortbl" | "pict" | "object" | "header" | "headerl" | "headerr" | "headerf" | "footer" | "footerl"
        | "footerr" | "footerf" | "ftnsep" | "ftnsepc" | "aftnsep" | "aftnsepc" | "listtext" | "pntext"
        | "nonshppict" | "xe" | "tc" | "txe" | "fldinst" | "author" | "operator" | "subject" | "keywords"
        | "comment" | "doccomm" | "company" | "revtim" | "printim" | "buptim" | "nonesttables" | "sp" => {
            Some(Destination::Nowhere)
        }
        _ if may_ignore => Some(Destination::Nowhere),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
