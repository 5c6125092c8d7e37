//! Superscripts, subscripts and the marks of notes, which stand above or below their line.

use super::{Line, Place};

/// A glyph is raised if it is higher than its line by this share of the line's size, and smaller by [`SMALLER`].
const RAISED: f64 = 0.2;

/// A superscript or a subscript is smaller than this share of its line's size.
const SMALLER: f64 = 0.87;

/// Glyphs smaller than this share are the text beside an initial.
const SMALLEST: f64 = 0.45;

/// A glyph that is lower by this share is a subscript.
const LOWERED: f64 = 0.1;

/// A subscript and a superscript of one letter begin this near to each other, in units of the line's size.
const STACKED: f64 = 0.3;

/// A subscript of at least this many letters after as many letters is a word.
const SHORTEST_WORD: usize = 3;

/// A run of superscripts or subscripts.
#[derive(Clone, Debug)]
pub(super) struct Script {
    pub(super) is_raised: bool,
    pub(super) size: f64,
    pub(super) depth: f64,
    /// The size of the letters to which it belongs: if most of a line is small, the line's own size soon becomes the
    /// run's.
    pub(super) base: f64,
    /// Where it begins in the text, and (`start`) along the line.
    pub(super) at: usize,
    pub(super) start: f64,
    /// The superscript that was drawn before this subscript of the same letter, and is read after it.
    pub(super) held: String,
}

impl Line {
    /// Whether a glyph is a superscript (`true`) or a subscript (`false`) of this line; `None` if it is neither.
    pub(super) fn side(&self, glyph: Place) -> Option<bool> {
        let is_like = |script: &&Script| {
            (script.size - glyph.size).abs() <= 0.01 * glyph.size
                && (script.depth - glyph.depth).abs() <= 0.1 * glyph.size
        };
        if let Some(script) = self.script.as_ref().filter(is_like) {
            return Some(script.is_raised);
        }
        let base = self.script.as_ref().map_or(self.size, |script| script.base);
        let down = (glyph.depth - self.depth) / base;
        let is_script = (SMALLEST * base..SMALLER * base).contains(&glyph.size) && !self.text.is_empty();
        (is_script && !(-RAISED..=LOWERED).contains(&down)).then_some(down < 0.0)
    }

    /// Whether a glyph begins the subscript of the letter whose superscript was drawn last, or the other way round.
    pub(super) fn is_stacked(&self, glyph: Place) -> bool {
        self.script.as_ref().is_some_and(|script| {
            self.side(glyph) == Some(!script.is_raised) && (glyph.start - script.start).abs() <= STACKED * script.base
        })
    }

    pub(super) fn begin_script(&mut self, is_raised: bool, glyph: Place, drawn: &str) {
        let (mut held, mut base) = (String::new(), self.size);
        if let Some(other) = self.script.take() {
            base = other.base;
            // One is above the other: after a space they are a fraction, otherwise the subscript of a letter, which is
            // read first, and its superscript.
            if self.text[..other.at].ends_with(' ') {
                self.text.push('/');
            } else if !is_raised {
                held = self.text.split_off(other.at);
                self.gaps.retain(|gap| gap.at <= other.at);
            }
        }
        let at = self.text.len();
        if is_raised
            && self.text.ends_with(|last: char| !last.is_whitespace())
            && drawn.starts_with(|first: char| first.is_ascii_digit())
        {
            // 10\u{2075} is not 105, and the mark of a note is not part of a number.
            self.text.push('^');
        }
        let Place { start, depth, size, .. } = glyph;
        self.script = Some(Script { is_raised, size, depth, base, at, start, held });
    }

    /// Ends the run of superscripts or subscripts, and returns whether there was one.
    pub(super) fn end_script(&mut self) -> bool {
        let Some(script) = self.script.take() else { return false };
        let (before, own) = self.text.split_at(script.at);
        let last = before.rsplit(|one: char| !one.is_alphabetic()).next().unwrap_or_default();
        let first = own.split(|one: char| !one.is_alphabetic()).next().unwrap_or_default();
        if [last, first].iter().all(|word| word.chars().nth(SHORTEST_WORD - 1).is_some()) {
            // A word below another is a separate word.
            self.text.insert(script.at, ' ');
            for gap in self.gaps.iter_mut().filter(|gap| gap.at >= script.at) {
                gap.at += 1;
            }
        }
        self.text.push_str(&script.held);
        true
    }

    /// Whether a glyph right after a subscript or a superscript is the next factor of a product and not the rest of a
    /// word, as in `H2O`.
    pub(super) fn is_next_factor(&self, drawn: &str) -> bool {
        let (last, first) = (self.text.chars().next_back(), drawn.chars().next());
        last.zip(first).is_some_and(|(last, first)| {
            last.is_alphanumeric() && first.is_alphabetic() && !(last.is_numeric() && first.is_uppercase())
        })
    }

    /// Whether the line so far is only a raised note mark, and `glyph` begins the words of the note.
    pub(super) fn is_note_mark(&self, glyph: Place) -> bool {
        self.size < SMALLER * glyph.size
            && glyph.depth - self.depth > RAISED * glyph.size
            && self.text.chars().nth(3).is_none()
    }
}
