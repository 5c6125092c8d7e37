//! Collects glyphs at positions into lines.
//!
//! A PDF says where each glyph stands, not which ones belong together. Glyphs are taken in drawing order, which in
//! nearly all files is reading order; a column stays whole, since its lines are drawn one below the other. Where
//! columns are drawn across the page, `columns` separates them.

mod scripts;

use hayro_font::kurbo::{Affine, Point, Vec2};
use unicode_normalization::UnicodeNormalization;

use self::scripts::Script;
use super::glyphs::{combining, push_glyph};
use super::spacing::{FAINT_GAP, Gap, WORD_GAP};
use super::{columns, is_unreadable_character, items, leftward, spacing};
use crate::base::text::joins_without_space;

/// A gap this wide on one line separates the cells of a table.
const CELL_GAP: f64 = 1.2;

/// The most room that programs leave between ideographs and the letters or figures beside them.
const SCRIPT_GAP: f64 = 0.4;

/// In a line that is a row, a gap this wide in which no space was drawn also separates cells.
const NARROW_CELL_GAP: f64 = 0.5;

/// After a subscript or a superscript, this little room already separates two factors, as in `x1 x2`.
const FACTOR_GAP: f64 = 0.02;

/// A drawn space separates no words if the next glyph begins between these distances from the end of the line, in units
/// of the font's size: programs use it to move letters closer, and to stretch the joints of Arabic ones.
const BACK: f64 = -0.15;
const NOT_ON: f64 = 0.02;

/// A glyph drawn this close to an identical one, in units of its size, is its shadow.
const SHADOW: f64 = 0.1;

/// Glyphs smaller than this on the page are unreadable if they are also small beside their line: programs leave such
/// marks for themselves.
const UNREADABLE: f64 = 2.0;
/// The share of the line's size below which they count as small.
const UNREADABLE_SHARE: f64 = 0.1;

/// A word drawn along a curve continues within this distance, in units of the font's size, if it turns by less than
/// 60°.
const NEAR: f64 = 0.5;

/// A line of glyphs, with its positions along the direction of writing and across it.
#[derive(Clone, Debug, Default)]
pub(super) struct Line {
    pub(super) text: String,
    /// The size of most of its glyphs, on the page.
    pub(super) size: f64,
    /// By how many glyphs [`Self::size`] leads; a bullet or an initial at the start is soon outvoted.
    lead: usize,
    /// Whether the line has gaps as wide as those between a table's columns.
    pub(super) is_row: bool,
    /// The gaps between its words, from its start to its end.
    pub(super) gaps: Vec<Gap>,
    pub(super) start: f64,
    pub(super) end: f64,
    /// Where its last glyph begins; a script written to the left continues from there.
    last_start: f64,
    /// The position across the line, which grows down the page.
    pub(super) depth: f64,
    /// Unit vector of the direction of writing.
    direction: (f64, f64),
    /// Width of the first word, which tells whether it would have fitted on the line above.
    pub(super) first_word: Option<f64>,
    /// Marks over the letter that is drawn next.
    marks: String,
    /// Whether a space was drawn after the last glyph.
    spaced: bool,
    /// Where the last glyph ends on the page.
    tip: Point,
    /// The smaller glyphs above or below the line that were drawn last.
    script: Option<Script>,
    /// Whether dots lead from its words to a page number, as in a table of contents.
    pub(super) has_leader: bool,
    /// The look that the faces of all its glyphs share.
    look: Option<FontStyle>,
    /// The steps to the right less those to the left, between letters of a script written to the left; `None` if the
    /// line has no such letters.
    steps_right: Option<i32>,
}

/// Separates the cells of a row.
pub(super) const CELL_MARK: &str = " | ";

/// Collects a page's lines while its content is drawn.
#[derive(Default)]
pub(super) struct LineCollector {
    lines: Vec<Line>,
    current: Option<Line>,
    /// The look of the glyphs that are drawn next.
    pub(super) face: FontStyle,
}

/// The look of a face's letters, as its name indicates it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct FontStyle {
    /// Whether their strokes are heavy.
    pub(super) is_bold: bool,
    /// Whether they are all of one width, like those of code.
    pub(super) is_fixed: bool,
}

/// Lines in reading order: the columns of running text are separated, and cells are distinguished from words.
pub(super) fn arranged(drawn: Vec<Line>) -> Vec<Line> {
    let mut lines = columns::untangle(drawn);
    columns::join_wide_lines(&mut lines);
    for line in &mut lines {
        let is_narrow = |gap: &Gap| !gap.is_cell && !gap.is_drawn && gap.width > NARROW_CELL_GAP;
        // In a face of one width, a gap of this size is one blank, as between words.
        let is_code = line.is_fixed();
        for gap in line.gaps.iter_mut().rev().filter(|gap| line.is_row && is_narrow(gap)) {
            if !is_code || is_between_figures(&line.text, gap.at) {
                line.text.replace_range(gap.at..gap.at + 1, CELL_MARK);
                gap.is_cell = true;
            }
        }
        if line.steps_right.is_some() {
            line.text = leftward::in_order(&line.text, line.is_drawn_backwards());
        }
    }
    columns::align(&mut lines);
    lines
}

impl LineCollector {
    /// The lines drawn so far, in drawing order.
    pub(super) fn drawn(mut self) -> Vec<Line> {
        self.finish_line();
        self.lines
    }

    /// Ends the line, so that the next glyph begins another.
    pub(super) fn finish_line(&mut self) {
        if let Some(mut line) = self.current.take() {
            line.end_script();
            line.text.push_str(&line.marks);
            line.text.truncate(line.text.trim_end().len());
            line.name_signs();
            line.has_leader = spacing::settle(&mut line.text, &mut line.gaps);
            if !line.text.is_empty() {
                self.lines.push(line);
            }
        }
    }

    /// Adds a glyph: `matrix` places its font's unit square on the page, `width` is its advance in that unit, and
    /// `glyph` is its text.
    pub(super) fn put(&mut self, matrix: Affine, width: f64, glyph: &str) {
        let [a, b, c, d, x, y] = matrix.as_coeffs();
        let along = (a, b);
        let scale = along.0.hypot(along.1);
        let size = c.hypot(d);
        if !(scale > 0.0 && size > 0.0 && scale.is_finite() && size.is_finite()) {
            return;
        }
        // A mirrored letter, as in the logo of XeTeX, stands before the place where it begins.
        let is_mirrored = a * d - b * c < 0.0;
        let forward = if is_mirrored { -1.0 / scale } else { 1.0 / scale };
        let direction = (along.0 * forward, along.1 * forward);
        let begin = x * direction.0 + y * direction.1;
        let depth = x * direction.1 - y * direction.0;
        let (start, end) = if is_mirrored { (begin - width * scale, begin) } else { (begin, begin + width * scale) };
        let place = Place { start, end, depth, size, direction };
        if !self.current.as_ref().is_some_and(|line| line.continues(place) || line.bends(place)) {
            self.finish_line();
        }
        if self.current.as_ref().is_some_and(|line| line.hides(place)) {
            return;
        }
        let line =
            self.current.get_or_insert_with(|| Line { size, start, end: start, depth, direction, ..Line::default() });
        let mut drawn = String::new();
        for character in glyph.chars() {
            push_glyph(&mut drawn, character);
        }
        if drawn.len() > 2 && drawn.starts_with(leftward::is_right_to_left_letter) {
            let letters: Vec<String> = drawn.chars().map(String::from).collect();
            drawn = letters.join(&leftward::JOINER.to_string());
        }
        if drawn.is_empty() {
            // Another glyph already stands for this text.
            if !line.text.is_empty() {
                (line.end, line.last_start) = (place.end.max(line.end), start);
            }
        } else if drawn.trim().is_empty() {
            // A space does not move the line's end, so that padding between cells is seen as the gap that it is. At the
            // end of a line it has no effect.
            line.spaced = true;
        } else if !line.is_shadow(place, &drawn) {
            line.push(place, &drawn);
            let look = line.look.get_or_insert(self.face);
            look.is_bold &= self.face.is_bold;
            look.is_fixed &= self.face.is_fixed;
        }
        line.tip = if is_mirrored { Point::new(x, y) } else { Point::new(x, y) + width * Vec2::new(along.0, along.1) };
    }
}

/// The place of a glyph, as seen along its own line.
#[derive(Clone, Copy)]
struct Place {
    start: f64,
    end: f64,
    depth: f64,
    size: f64,
    direction: (f64, f64),
}

impl Line {
    /// The gap between its cells, if there are exactly two.
    pub(super) fn only_gap(&self) -> Option<Gap> {
        let mut cells = self.gaps.iter().filter(|gap| gap.is_cell);
        cells.next().copied().filter(|_| cells.next().is_none())
    }

    /// The two lines of which this one consists, if the gap between its cells is one between columns.
    pub(super) fn split(self, gap: Gap) -> (Line, Line) {
        let mut one = Line { is_row: false, ..self };
        let mut other = Line { start: gap.right, first_word: None, ..one.clone() };
        other.text = one.text.split_off(gap.at).split_off(CELL_MARK.len());
        one.end = gap.left;
        one.gaps.retain(|other| other.at < gap.at);
        other.gaps.retain(|other| other.at > gap.at);
        for moved in &mut other.gaps {
            moved.at -= gap.at + CELL_MARK.len();
        }
        (one, other)
    }

    /// Replaces the unnamed glyph that a font draws for a bullet, and soft hyphens that were drawn as hyphens.
    fn name_signs(&mut self) {
        let mut first = self.text.chars();
        if first.next().is_some_and(is_unreadable_character) && first.next() == Some(' ') {
            let length = self.text.len() - first.as_str().len() - 1;
            self.text.replace_range(..length, "\u{2022}");
            let shift = |gap: &mut Gap| gap.at = gap.at + "\u{2022}".len() - length;
            self.gaps.iter_mut().for_each(shift);
        }
        // The last soft hyphen may divide a word that continues below.
        let end = self.text.strip_suffix('\u{ad}').map_or(self.text.len(), str::len);
        if self.text[..end].contains('\u{ad}') {
            // A hyphen is a byte shorter.
            let (mut from, mut shorter) = (0, 0);
            for gap in &mut self.gaps {
                shorter += self.text.get(from..gap.at).map_or(0, |between| between.matches('\u{ad}').count());
                from = gap.at;
                gap.at -= shorter;
            }
            let seen = self.text[..end].replace('\u{ad}', "-");
            self.text.replace_range(..end, &seen);
        }
    }

    /// Whether a glyph stands on this line.
    fn continues(&self, glyph: Place) -> bool {
        let larger = self.script.as_ref().map_or(self.size, |script| script.base.max(self.size)).max(glyph.size);
        (glyph.depth - self.depth).abs() <= larger * 0.5
            && (glyph.start >= self.end - larger
                || (self.last_start - glyph.end).abs() <= larger * CELL_GAP
                || self.is_stacked(glyph))
            && self.turn(glyph) > 0.99
    }

    /// Whether the line reads to the left and was drawn to the right.
    pub(super) fn is_drawn_backwards(&self) -> bool {
        self.steps_right.is_some_and(|steps| steps > 0)
    }

    /// Whether every glyph of it is bold.
    pub(super) fn is_bold(&self) -> bool {
        self.look.is_some_and(|look| look.is_bold)
    }

    /// Whether it is set like code.
    pub(super) fn is_fixed(&self) -> bool {
        self.look.is_some_and(|look| look.is_fixed)
    }

    /// The cosine of the angle to a glyph's direction.
    fn turn(&self, glyph: Place) -> f64 {
        glyph.direction.0 * self.direction.0 + glyph.direction.1 * self.direction.1
    }

    /// Whether a glyph is too small to be read.
    fn hides(&self, glyph: Place) -> bool {
        glyph.size < UNREADABLE && glyph.size < UNREADABLE_SHARE * self.size
    }

    /// Whether a glyph repeats the last one.
    fn is_shadow(&self, glyph: Place, drawn: &str) -> bool {
        let near = SHADOW * glyph.size;
        (glyph.start - self.last_start).abs() <= near
            && (glyph.end - self.end).abs() <= near
            && (glyph.depth - self.depth).abs() <= near
            && !self.spaced
            && self.text.ends_with(drawn)
    }

    /// Whether another line is written in the same direction.
    pub(super) fn is_parallel(&self, other: &Line) -> bool {
        self.direction.0 * other.direction.0 + self.direction.1 * other.direction.1 > 0.999
    }

    /// Whether the line is a curve that continues with a glyph.
    fn bends(&self, glyph: Place) -> bool {
        let turn = self.turn(glyph);
        let (along, across) = glyph.direction;
        let from = Point::new(glyph.start * along + glyph.depth * across, glyph.start * across - glyph.depth * along);
        (0.5..0.9999).contains(&turn)
            && (self.size - glyph.size).abs() <= 0.01 * glyph.size
            && from.distance(self.tip) <= NEAR * glyph.size
    }

    fn push(&mut self, glyph: Place, drawn: &str) {
        let Place { start, end, depth, size, direction } = glyph;
        if self.turn(glyph) < 0.9999 && !self.text.is_empty() {
            // The line is a curve: from here on, positions are taken along this glyph's direction.
            let tip = self.tip.x * direction.0 + self.tip.y * direction.1;
            (self.direction, self.depth, self.end, self.last_start) = (direction, depth, tip, tip.min(start));
        }
        let distance = if start < self.last_start { self.last_start - end } else { start - self.end };
        let is_stacked = self.is_stacked(glyph);
        let gap = if is_stacked { 0.0 } else { distance / size.max(self.size) };
        let overlaps = gap < -0.1 && start < self.end;
        let side = self.side(glyph);
        let goes_on = self.script.as_ref().is_some_and(|script| Some(script.is_raised) == side);
        let ends_script = !goes_on && !is_stacked && self.end_script();
        let ends_mark = self.is_note_mark(glyph);
        let is_cell =
            gap > CELL_GAP && !ends_mark && !items::is_mark(&self.text) && !spacing::ends_with_leader(&self.text);
        if drawn.starts_with(leftward::is_right_to_left_letter) {
            let has_neighbour = self.text.ends_with(leftward::is_right_to_left_letter);
            let step = if start > self.last_start { 1 } else { -1 };
            *self.steps_right.get_or_insert(0) += if has_neighbour { step } else { 0 };
        }
        if self.text.is_empty() {
            (self.start, self.last_start, self.size, self.depth) = (start, start, size, depth);
        } else if drawn.starts_with(leftward::is_mark) {
            // It is over or under a letter that is already drawn or, after a gap, over the next one.
            let is_of_next = self.spaced || gap > WORD_GAP || !self.marks.is_empty();
            if is_of_next { &mut self.marks } else { &mut self.text }.push_str(drawn);
            return;
        } else if overlaps && self.accent(glyph, drawn) {
            (self.end, self.last_start) = (end.max(self.end), start);
            return;
        } else if !self.spaced && !ends_mark && gap <= SCRIPT_GAP && self.changes_script(drawn) {
            // This room is for the eye only, and not a space.
        } else if is_cell || gap > WORD_GAP || self.spaced && !(BACK..=NOT_ON).contains(&gap) {
            self.first_word.get_or_insert(self.end - self.start);
            self.open_gap(start, gap, is_cell);
            self.text.push_str(if is_cell { CELL_MARK } else { " " });
            self.is_row |= is_cell;
        } else if ends_mark || ends_script && side.is_none() && gap > FACTOR_GAP && self.is_next_factor(drawn) {
            self.text.push(' ');
        } else if gap > FAINT_GAP {
            self.open_gap(start, gap, is_cell);
        }
        if ends_mark {
            (self.size, self.lead, self.depth) = (size, 0, depth);
        }
        if let Some(is_raised) = side.filter(|_| !goes_on) {
            self.begin_script(is_raised, glyph, drawn);
        }
        self.spaced = false;
        if (self.size - size).abs() <= 0.01 * size {
            self.lead += 1;
        } else if self.lead > 0 {
            self.lead -= 1;
        } else {
            (self.size, self.lead) = (size, 1);
            if side.is_none() {
                self.depth = depth;
            }
        }
        self.text.push_str(&std::mem::take(&mut self.marks));
        self.text.push_str(drawn);
        self.end = end.max(self.end);
        self.last_start = start;
    }

    /// Whether a glyph and the one before it change between a script without spaces and one with spaces.
    fn changes_script(&self, drawn: &str) -> bool {
        let pair = self.text.chars().next_back().zip(drawn.chars().next());
        pair.is_some_and(|(last, next)| {
            joins_without_space(last) && next.is_ascii_alphanumeric()
                || last.is_ascii_alphanumeric() && joins_without_space(next)
        })
    }

    fn open_gap(&mut self, right: f64, width: f64, is_cell: bool) {
        let (at, left, is_drawn) = (self.text.len(), self.end, self.spaced);
        self.gaps.push(Gap { at, left, right, width, is_cell, is_drawn });
    }

    /// Combines a letter and the accent drawn over it, in either order; `false` if they are not a letter and an accent.
    fn accent(&mut self, glyph: Place, drawn: &str) -> bool {
        let mut characters = drawn.chars();
        let (Some(new), None, Some(old)) = (characters.next(), characters.next(), self.text.chars().next_back()) else {
            return false;
        };
        let (letter, mark) = match (combining(old), combining(new)) {
            (Some(mark), None) => (new, mark),
            // An accent whose middle is beyond the letter belongs to the next, narrower one.
            (None, Some(mark)) if glyph.start + glyph.end < 2.0 * self.end => (old, mark),
            _ => return false,
        };
        let letter = match letter {
            '\u{131}' => 'i',
            '\u{237}' => 'j',
            letter => letter,
        };
        if !letter.is_alphabetic() {
            return false;
        }
        self.text.pop();
        // There is less room before a wide letter than before its accent.
        let opened =
            self.gaps.last().filter(|gap| gap.at >= self.text.trim_end().len() && !gap.is_cell && !gap.is_drawn);
        if let Some(gap) = opened.filter(|gap| glyph.start - gap.left <= FAINT_GAP * glyph.size) {
            self.text.truncate(gap.at);
            self.gaps.pop();
        }
        if let Some(script) = &mut self.script {
            script.at = script.at.min(self.text.len());
        }
        self.text.extend([letter, mark].into_iter().nfc());
        true
    }
}

/// Whether the gap at `at` is between two figures.
fn is_between_figures(text: &str, at: usize) -> bool {
    let ends = text[..at].ends_with(|last: char| last.is_ascii_digit() || last == '%');
    ends && text[at..]
        .trim_start()
        .trim_start_matches(['-', '<', '+'])
        .starts_with(|first: char| first.is_ascii_digit())
}

#[cfg(test)]
mod tests;
