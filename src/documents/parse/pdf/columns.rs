//! Columns of a page and of a table. Lines that look like a table's rows may be running text.
//!
//! Columns may be drawn line by line across the page, and a line of few words may be set wide to fill its column.
//! Columns differ from a table in their cells: both are running text, and the right one begins at the same place in
//! many lines. Such lines are split, and the left column is put before the right one.
//!
//! The rows of a table give their cells but not which ones are empty, so a value could end up below the name of another
//! column. The row with the most cells shows where the columns are.

use super::lines::{CELL_MARK, Line};
use super::spacing::Gap;

/// The fewest lines across two columns; fewer are a table, or chance.
const LINES: usize = 6;

/// The fewest characters per line in each column, on average.
const CHARACTERS: usize = 25;

/// How far apart the lines of the right column may begin, in units of the font's size, since the first line of a
/// paragraph is indented.
const INDENT: f64 = 2.5;

/// The fewest gaps in a line that is set wide.
const EVEN_GAPS: usize = 3;
/// None of these gaps is wider than another by more than this factor.
const EVEN: f64 = 1.3;

/// The lines of a paragraph begin and end within this distance of each other, in units of the font's size.
const FLUSH: f64 = 0.3;
/// The lines of a paragraph follow each other within this distance.
const NEXT: f64 = 2.0;

/// Rows of one table follow each other within this distance, in units of the font's size.
const NEXT_ROW: f64 = 3.5;

/// With fewer columns, no cell is taken to be empty.
const LEAST_COLUMNS: usize = 3;

/// Turns rows that are only lines set wide into running text: their words are evenly spaced, and the line above or
/// below, which is not a row, begins and ends where they do.
pub(super) fn join_wide_lines(lines: &mut [Line]) {
    let down = 0..lines.len();
    // The last of several such lines in succession is recognised by the line below it.
    for at in down.clone().chain(down.rev()) {
        let mut beside = [at.checked_sub(1), Some(at + 1)].into_iter().flatten().filter_map(|at| lines.get(at));
        if is_even(&lines[at]) && beside.any(|other| !other.is_row && is_flush(other, &lines[at])) {
            close(&mut lines[at]);
        }
    }
}

fn close(line: &mut Line) {
    line.is_row = false;
    line.text = line.text.replace(CELL_MARK, " ");
    let mut closed = 0;
    for gap in &mut line.gaps {
        gap.at -= closed * (CELL_MARK.len() - 1);
        closed += usize::from(gap.is_cell);
        gap.is_cell = false;
    }
}

fn is_even(line: &Line) -> bool {
    // Programs leave more room after a point or a comma.
    let is_between = |gap: &&Gap| !line.text[..gap.at].ends_with(['.', ',', ':', ';', '?', '!']);
    let least = line.gaps.iter().map(|gap| gap.width).fold(f64::INFINITY, f64::min);
    let most = line.gaps.iter().filter(is_between).map(|gap| gap.width).fold(0.0, f64::max);
    let count = |is: fn(char) -> bool| line.text.chars().filter(|&one| is(one)).count();
    line.is_row
        && line.gaps.len() >= EVEN_GAPS
        && (least..=EVEN * least).contains(&most)
        && count(char::is_alphabetic) > count(char::is_numeric)
}

fn is_flush(one: &Line, other: &Line) -> bool {
    let within = |a: f64, b: f64, share: f64| (a - b).abs() <= share * other.size;
    // The first line of a paragraph is indented.
    let is_first = one.depth > other.depth && (0.0..INDENT).contains(&((other.start - one.start) / other.size));
    (within(one.start, other.start, FLUSH) || is_first)
        && within(one.end, other.end, FLUSH)
        && within(one.depth, other.depth, NEXT)
        && within(one.size, other.size, 0.1)
}

/// Splits the lines that go across two columns.
pub(super) fn untangle(lines: Vec<Line>) -> Vec<Line> {
    let Some(gutter) = gutter(&lines) else { return lines };
    let mut out = Vec::with_capacity(lines.len() * 2);
    let mut right_column = Vec::new();
    for line in lines {
        match line.only_gap() {
            Some(gap) if gap.left <= gutter && gap.right >= gutter => {
                let (left, right) = line.split(gap);
                out.push(left);
                right_column.push(right);
            }
            _ if line.start >= gutter => right_column.push(line),
            // A line across both columns ends them.
            _ if line.end > gutter => {
                out.append(&mut right_column);
                out.push(line);
            }
            _ => out.push(line),
        }
    }
    out.append(&mut right_column);
    out
}

/// The place between the columns at which a page is empty; `None` if it has no two columns drawn across.
fn gutter(lines: &[Line]) -> Option<f64> {
    let mut across: Vec<(&Line, Gap)> =
        lines.iter().filter_map(|line| line.only_gap().map(|gap| (line, gap))).collect();
    across.sort_by(|one, other| one.1.right.total_cmp(&other.1.right));
    let begin = across.get(across.len() / 3)?.1.right;
    across.retain(|(line, gap)| (gap.right - begin).abs() <= INDENT * line.size);
    let (left, right) = across.iter().fold((0, 0), |(left, right), (line, gap)| {
        let (one, other) = line.text.split_at(gap.at);
        (left + one.chars().count(), right + other.chars().count())
    });
    let enough = across.len() * CHARACTERS;
    if across.len() < LINES || left < enough || right < enough {
        return None;
    }
    // The middle of the space that all of them leave empty.
    let left = across.iter().map(|(_, gap)| gap.left).fold(f64::NEG_INFINITY, f64::max);
    let right = across.iter().map(|(_, gap)| gap.right).fold(f64::INFINITY, f64::min);
    (left < right).then_some((left + right) / 2.0)
}

/// Inserts an empty cell where a row of a table has nothing in a column.
pub(super) fn align(lines: &mut [Line]) {
    let mut begin = 0;
    for at in 1..=lines.len() {
        if at == lines.len() || !is_next_row(&lines[at - 1], &lines[at]) {
            align_table(&mut lines[begin..at]);
            begin = at;
        }
    }
}

fn is_next_row(above: &Line, line: &Line) -> bool {
    let down = (line.depth - above.depth) / line.size;
    // Code and program output are set in columns of characters, where a gap means less.
    let is_table = |line: &Line| line.is_row && !line.is_fixed() && !line.is_drawn_backwards();
    is_table(above) && is_table(line) && above.is_parallel(line) && (0.0..=NEXT_ROW).contains(&down)
}

fn align_table(rows: &mut [Line]) {
    let mut by_cells: Vec<Vec<(f64, f64)>> = rows.iter().map(cells).collect();
    by_cells.sort_by_key(|cells| std::cmp::Reverse(cells.len()));
    let [columns, next, ..] = by_cells.as_slice() else { return };
    // A single row may have been split too often.
    if columns.len() < LEAST_COLUMNS || next.len() != columns.len() {
        return;
    }
    for row in rows {
        let cells = cells(row);
        let texts: Vec<&str> = row.text.split(CELL_MARK).collect();
        if cells.len() == columns.len() || texts.len() != cells.len() {
            continue;
        }
        let places: Option<Vec<usize>> = cells.iter().map(|cell| place(*cell, columns)).collect();
        let Some(places) = places.filter(|places| places.is_sorted_by(|one, other| one < other)) else { continue };
        let mut whole = vec![""; columns.len()];
        for (place, text) in places.into_iter().zip(texts) {
            whole[place] = text;
        }
        // A bar at one end stands for the empty cell there; bars at both ends would enclose a whole row.
        if whole[0].is_empty() && whole[whole.len() - 1].is_empty() {
            continue;
        }
        row.text = whole.join(CELL_MARK).trim().to_owned();
    }
}

/// The start and the end of each cell of a row.
fn cells(row: &Line) -> Vec<(f64, f64)> {
    let mut cells = Vec::new();
    let mut start = row.start;
    for gap in row.gaps.iter().filter(|gap| gap.is_cell) {
        cells.push((start, gap.left));
        start = gap.right;
    }
    cells.push((start, row.end));
    cells
}

/// The column in which most of a cell lies.
fn place(cell: (f64, f64), columns: &[(f64, f64)]) -> Option<usize> {
    let shared = |column: &(f64, f64)| column.1.min(cell.1) - column.0.max(cell.0);
    let best = columns.iter().enumerate().max_by(|one, other| shared(one.1).total_cmp(&shared(other.1)))?;
    (shared(best.1) > 0.0).then_some(best.0)
}
