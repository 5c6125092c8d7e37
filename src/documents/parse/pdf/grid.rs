//! The columns of a table. A row says what its cells are and not which are empty, so a value would stand below the name of
//! another column. The row with the most cells tells where the columns are.

use super::lines::{CELL_MARK, Line};

/// Rows of one table stand no further below each other, in units of the font's size.
const NEXT: f64 = 3.5;

/// In fewer columns no cell is empty.
const LEAST: usize = 3;

/// Leaves a cell empty where a row of a table has nothing in a column.
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
    // Code and what programs print is set in columns of characters, of which a gap tells less.
    let is_table = |line: &Line| line.is_row && !line.is_fixed() && !line.is_leftward();
    is_table(above) && is_table(line) && above.is_parallel(line) && (0.0..=NEXT).contains(&down)
}

fn align_table(rows: &mut [Line]) {
    let mut by_cells: Vec<Vec<(f64, f64)>> = rows.iter().map(cells).collect();
    by_cells.sort_by_key(|cells| std::cmp::Reverse(cells.len()));
    let [columns, next, ..] = by_cells.as_slice() else { return };
    // One row alone may have been cut too often.
    if columns.len() < LEAST || next.len() != columns.len() {
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
        // A bar at one end stands for the empty cell there; two would be those around a whole row.
        if whole[0].is_empty() && whole[whole.len() - 1].is_empty() {
            continue;
        }
        row.text = whole.join(CELL_MARK).trim().to_owned();
    }
}

/// From where to where each cell of a row lies.
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

/// The column that most of a cell lies in.
fn place(cell: (f64, f64), columns: &[(f64, f64)]) -> Option<usize> {
    let shared = |column: &(f64, f64)| column.1.min(cell.1) - column.0.max(cell.0);
    let best = columns.iter().enumerate().max_by(|one, other| shared(one.1).total_cmp(&shared(other.1)))?;
    (shared(best.1) > 0.0).then_some(best.0)
}
