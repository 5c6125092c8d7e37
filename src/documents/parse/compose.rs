//! Composes a document's text from the elements of an office format: blocks, items, cells, pages and notes.

use super::Parsed;
use super::writer::{Kind, Writer};
use crate::base::text::one_line;

/// The level below which items are not indented further.
const DEEPEST_ITEM: usize = 8;

/// How a paragraph begins once it has words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Opened {
    /// As an element other than an item.
    As(Kind),
    /// As an item of a list, 0 being the outermost.
    Item(usize),
    /// Not at all: its words are left out.
    LeftOut,
}

/// Whether a program's description of a picture describes it; a path or a number does not.
pub(super) fn is_description(words: &str) -> bool {
    words.trim().contains(' ')
}

/// The document that is being written.
#[derive(Default)]
pub(super) struct Composer {
    writer: Writer,
    pages: Vec<usize>,
    /// The number of pages that begin with the next word; `page_begins_line` says whether they begin a line.
    pages_due: usize,
    page_begins_line: bool,
    /// Notes to be written after the block that refers to them.
    notes: Vec<String>,
    notes_written: usize,
    lists: usize,
    tables: usize,
}

impl Composer {
    /// Begins a paragraph and returns whether its words count.
    pub(super) fn begin(&mut self, opened: Opened) -> bool {
        match opened {
            Opened::As(kind) => self.open(kind),
            Opened::Item(level) => self.open_item(level),
            Opened::LeftOut => {}
        }
        opened != Opened::LeftOut
    }

    /// Ends a paragraph.
    pub(super) fn end(&mut self, opened: Opened) {
        match opened {
            Opened::As(kind) => self.close(kind),
            Opened::Item(_) => self.close_item(),
            Opened::LeftOut => {}
        }
    }

    /// Begins an element that is neither a list nor an item.
    pub(super) fn open(&mut self, kind: Kind) {
        match kind {
            Kind::Table => {
                self.end_lists();
                self.tables += 1;
            }
            Kind::Heading(_) | Kind::Block => self.end_lists(),
            _ => {}
        }
        self.writer.open(kind, false, "");
    }

    /// Ends an element.
    pub(super) fn close(&mut self, kind: Kind) {
        self.writer.close(kind);
        if kind == Kind::Table {
            self.tables = self.tables.saturating_sub(1);
        }
        if matches!(kind, Kind::Heading(_) | Kind::Block | Kind::Table) {
            self.write_notes();
        }
    }

    /// Sets the numbers of rows and columns that the open cell spans.
    pub(super) fn spans(&mut self, rows: usize, columns: usize) {
        self.writer.spans(rows, columns, false);
    }

    /// Makes the open cell a continuation of the cell above it.
    pub(super) fn continues(&mut self) {
        self.writer.continues();
    }

    /// Begins an item, and opens and closes the lists around it as needed.
    pub(super) fn open_item(&mut self, level: usize) {
        let level = level.min(DEEPEST_ITEM);
        if self.tables == 0 {
            while self.lists > level + 1 {
                self.writer.close(Kind::List);
                self.lists -= 1;
            }
            while self.lists < level + 1 {
                self.writer.open(Kind::List, false, "");
                self.lists += 1;
            }
        }
        self.writer.open(Kind::Item, false, "");
    }

    /// Ends an item.
    pub(super) fn close_item(&mut self) {
        self.writer.close(Kind::Item);
    }

    /// Gives the open item the number with which it is displayed. Markdown knows `2.` but not `(b)`.
    pub(super) fn number(&mut self, number: &str) {
        if self.tables > 0 {
            self.text(&format!("{number} "));
            return;
        }
        let digits = number.strip_suffix(['.', ')']).unwrap_or_default();
        let is_known = (1..4).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit());
        self.writer.mark(if is_known { number.to_owned() } else { format!("- {number}") });
    }

    /// Writes words.
    pub(super) fn text(&mut self, words: &str) {
        let begins_line = self.writer.is_at_line_start();
        let Some(first) = self.writer.text(words) else { return };
        if self.pages_due > 0 {
            let start = if begins_line && self.page_begins_line { self.writer.line_start(first) } else { first };
            self.pages.extend(std::iter::repeat_n(start, std::mem::take(&mut self.pages_due)));
        }
    }

    /// Begins a page.
    pub(super) fn page(&mut self) {
        self.pages_due += 1;
        self.page_begins_line = self.writer.is_at_line_start();
    }

    /// Writes a reference to a note, whose words follow the block with the reference.
    pub(super) fn note(&mut self, words: &str) {
        let words = one_line(words);
        if !words.is_empty() {
            let number = self.notes_written + self.notes.len() + 1;
            self.text(&format!("[^{number}]"));
            self.notes.push(words);
        }
    }

    /// The document. The caller adds title, date and language.
    pub(super) fn finish(mut self) -> Parsed {
        self.end_lists();
        self.write_notes();
        let (text, headings) = self.writer.finish();
        let mut pages = self.pages;
        pages.extend(std::iter::repeat_n(text.len(), self.pages_due));
        if pages.first().is_some_and(|&first| first > 0) {
            pages.insert(0, 0);
        }
        Parsed { text, headings, pages, ..Parsed::default() }
    }

    fn end_lists(&mut self) {
        if self.tables > 0 {
            return;
        }
        while self.lists > 0 {
            self.writer.close(Kind::List);
            self.lists -= 1;
        }
    }

    fn write_notes(&mut self) {
        if self.tables > 0 {
            return;
        }
        for words in std::mem::take(&mut self.notes) {
            self.end_lists();
            self.notes_written += 1;
            self.writer.open(Kind::Block, false, "");
            self.writer.text(&format!("[^{}]: {words}", self.notes_written));
            self.writer.close(Kind::Block);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Heading;

    fn block(composer: &mut Composer, kind: Kind, words: &str) {
        composer.open(kind);
        composer.text(words);
        composer.close(kind);
    }

    #[test]
    fn items_open_and_close_their_lists() {
        let mut composer = Composer::default();
        block(&mut composer, Kind::Block, "before");
        for (level, number, words) in [(0, "2.", "a"), (1, "(b)", "b"), (0, "", "c")] {
            composer.begin(Opened::Item(level));
            if !number.is_empty() {
                composer.number(number);
            }
            composer.text(words);
            composer.end(Opened::Item(level));
        }
        block(&mut composer, Kind::Block, "after");
        assert_eq!(composer.finish().text, "before\n\n2. a\n  - (b) b\n- c\n\nafter");
    }

    #[test]
    fn notes_follow_their_block_and_pages_know_their_start() {
        let mut composer = Composer::default();
        block(&mut composer, Kind::Heading(1), "Top");
        composer.open(Kind::Block);
        composer.text("One");
        composer.note(" the\nnote ");
        composer.page();
        composer.text(" two");
        composer.close(Kind::Block);
        composer.page();
        composer.page();
        composer.begin(Opened::Item(0));
        composer.text("item");
        composer.end(Opened::Item(0));
        composer.page();
        let parsed = composer.finish();
        assert_eq!(parsed.text, "Top\n\nOne[^1] two\n\n[^1]: the note\n\n- item");
        assert_eq!(parsed.pages, [0, 13, 34, 34, 40]);
        assert_eq!(parsed.headings, [Heading { start: 0, level: 1, text: "Top".into() }]);
    }
}
