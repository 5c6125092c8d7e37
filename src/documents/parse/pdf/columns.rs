//! Columns that were drawn line by line across the page, as some programs do: each line then looks like a table's row.
//!
//! They are told from a table by their cells: running text in both, beginning at the same place on the right, in many
//! lines. Such lines are taken apart, and the left column is put before the right one.

use super::lines::Line;
use super::spacing::Gap;

/// In fewer lines it is a table, or chance.
const LINES: usize = 6;

/// Both columns have at least so many characters a line on average.
const CHARACTERS: usize = 25;

/// By so much, in units of the font's size, the lines of the right column may begin beside each other: the first line of
/// a paragraph is indented.
const INDENT: f64 = 2.5;

/// Takes apart the lines that go across two columns.
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
            // A line that lies across both ends them.
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

/// Where between its columns a page is empty; `None` where it has no two columns drawn across.
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
    // The middle of what is left empty by all of them.
    let left = across.iter().map(|(_, gap)| gap.left).fold(f64::NEG_INFINITY, f64::max);
    let right = across.iter().map(|(_, gap)| gap.right).fold(f64::INFINITY, f64::min);
    (left < right).then_some((left + right) / 2.0)
}
