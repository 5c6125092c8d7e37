//! Removes text that is drawn twice: the shadow of letters, and letters made bold by a second copy.
//!
//! The copy stands at the place of the first or a little beside it, so a reader sees the words once.

use std::collections::HashMap;

use super::lines::Line;

/// The largest distance between a copy and its original, in units of the font's size.
const BESIDE: f64 = 0.2;

/// The most lines beginning or ending at the same place that a line is compared with.
const COMPARED: usize = 8;

/// Removes lines that repeat, at the same place, the whole, the beginning or the end of another line.
pub(super) fn remove(lines: &mut Vec<Line>) {
    let mut seen: HashMap<Corner, Vec<usize>> = HashMap::new();
    let mut is_copy = vec![false; lines.len()];
    let mut depths: Vec<f64> = lines.iter().map(|line| line.depth).collect();
    depths.sort_unstable_by(f64::total_cmp);
    for at in 0..lines.len() {
        if is_alone(&lines[at], &depths) {
            continue;
        }
        for is_end in [false, true] {
            for corner in near(&lines[at], is_end) {
                for &other in seen.get(&corner).into_iter().flatten() {
                    if is_copy[other] || is_copy[at] || !is_beside(&lines[other], &lines[at], is_end) {
                        continue;
                    }
                    let says = |whole: &Line, part: &Line| match is_end {
                        true => whole.text.ends_with(&part.text),
                        false => whole.text.starts_with(&part.text),
                    };
                    if says(&lines[other], &lines[at]) {
                        is_copy[at] = true;
                    } else if says(&lines[at], &lines[other]) {
                        is_copy[other] = true;
                    }
                }
            }
        }
        if !is_copy[at] {
            for is_end in [false, true] {
                let there = seen.entry(corner(&lines[at], is_end, 0.0, 0.0)).or_default();
                if there.len() < COMPARED {
                    there.push(at);
                }
            }
        }
    }
    let mut is_copy = is_copy.into_iter();
    lines.retain(|_| is_copy.next() != Some(true));
}

/// Whether no other line stands at this line's depth, so that there is nothing to compare; most lines are alone.
/// `depths`: the depths of all lines, sorted.
fn is_alone(line: &Line, depths: &[f64]) -> bool {
    let near = BESIDE * line.size;
    let first = depths.partition_point(|&depth| depth < line.depth - near);
    depths.get(first + 1).is_none_or(|&next| next > line.depth + near)
}

/// The start or the end of a line on a grid of squares as large as its letters.
#[derive(PartialEq, Eq, Hash)]
struct Corner {
    is_end: bool,
    size: i64,
    along: i64,
    depth: i64,
}

fn corner(line: &Line, is_end: bool, along: f64, down: f64) -> Corner {
    let square = |at: f64| (at / line.size).floor() as i64;
    let begins = if is_end { line.end } else { line.start };
    Corner {
        is_end,
        size: (line.size * 4.0).round() as i64,
        along: square(begins + along),
        depth: square(line.depth + down),
    }
}

/// The squares in which the same corner of a copy may lie.
fn near(line: &Line, is_end: bool) -> Vec<Corner> {
    let beside = BESIDE * line.size;
    let mut near: Vec<Corner> = Vec::with_capacity(4);
    for (along, down) in [(-beside, -beside), (beside, -beside), (-beside, beside), (beside, beside)] {
        let corner = corner(line, is_end, along, down);
        if !near.contains(&corner) {
            near.push(corner);
        }
    }
    near
}

fn is_beside(one: &Line, other: &Line, is_end: bool) -> bool {
    let within = |a: f64, b: f64| (a - b).abs() <= BESIDE * other.size;
    let begins = if is_end { within(one.end, other.end) } else { within(one.start, other.start) };
    begins && within(one.depth, other.depth) && one.is_parallel(other)
}
