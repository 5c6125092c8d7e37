use jiff::Timestamp;
use unicode_segmentation::UnicodeSegmentation;

use super::axis::ticks;
use super::{Picture, day, place};
use crate::base::text::one_line;

/// The cells of the axis; the words stand to the right of it.
const CELLS: usize = 44;
/// The columns to the left of the axis.
const HEAD: usize = 12;
/// The most events that have a row.
const ROWS: usize = 24;
/// From faded to present.
const SHADES: [char; 5] = ['·', '░', '▒', '▓', '█'];

/// Returns the timeline in lines of at most `width` columns (no fewer than 80): a line for each lane, each cell as dark
/// as its most present event, and a line for each of the most present events with its history.
pub fn terminal(picture: &Picture<'_>, width: usize) -> String {
    let span = picture.span();
    let words = width.max(80) - HEAD - CELLS - 2;
    let mut out = String::new();
    for (name, events) in picture.lanes() {
        let mut cells = vec![' '; CELLS];
        let mut steps = vec![None; CELLS];
        for event in &events {
            let step = &mut steps[cell(event.made, span)];
            *step = (*step).max(Some(picture.step(event)));
        }
        for (cell, step) in cells.iter_mut().zip(steps) {
            *cell = step.map_or(' ', |step| SHADES[step]);
        }
        let cells: String = cells.into_iter().collect();
        push(&mut out, &format!("{name:HEAD$}{cells}  {}", events.len()));
    }
    push(&mut out, &axis(span));
    let rows = picture.most_present(ROWS);
    if rows.len() < picture.events.len() {
        push(&mut out, &format!("\nthe {} most present of {} events:", rows.len(), picture.events.len()));
    }
    for event in rows {
        let mut cells = vec![' '; CELLS];
        if let Some(last) = event.recalls.last() {
            cells[cell(event.made, span)..=cell(last.at, span)].fill('─');
        }
        for recall in &event.recalls {
            cells[cell(recall.at, span)] = '○';
        }
        cells[cell(event.made, span)] = if event.stale.is_some() { 'x' } else { SHADES[picture.step(event)] };
        let cells: String = cells.into_iter().collect();
        let stale = if event.stale.is_some() { "(stale) " } else { "" };
        push(&mut out, &format!("{:HEAD$}{cells}  {}", day(event.made), cut(&format!("{stale}{}", event.text), words)));
    }
    push(&mut out, "\n·░▒▓█ from faded to present now   ○ recalled   x stale");
    out
}

fn cell(at: Timestamp, span: (Timestamp, Timestamp)) -> usize {
    ((place(at, span) * CELLS as f64) as usize).min(CELLS - 1)
}

/// Returns the line of dates under their cells, as many as there is room for.
fn axis(span: (Timestamp, Timestamp)) -> String {
    let mut line = " ".repeat(HEAD);
    for tick in ticks(span, 4) {
        let at = HEAD + cell(tick.at, span);
        if line.chars().count() <= at {
            line.extend(std::iter::repeat_n(' ', at - line.chars().count()));
            line.push_str(&format!("┴{} ", tick.label));
        }
    }
    line
}

/// Returns the columns that a grapheme takes: two for a wide character.
fn columns(grapheme: &str) -> usize {
    let wide = |character: char| matches!(u32::from(character), 0x1100..=0x115f | 0x2e80..=0xa4cf | 0xac00..=0xd7a3 | 0xf900..=0xfaff | 0xfe30..=0xfe6f | 0xff00..=0xff60 | 0xffe0..=0xffe6 | 0x1f300..=0x1faff | 0x20000..=0x3fffd);
    if grapheme.chars().any(wide) { 2 } else { 1 }
}

/// Returns a text on one line, cut to this many columns.
fn cut(text: &str, width: usize) -> String {
    let line = one_line(text);
    let clean: String = line.chars().filter(|character| !character.is_control()).collect();
    if clean.graphemes(true).map(columns).sum::<usize>() <= width {
        return clean;
    }
    let mut left = width - 1;
    let mut shown = String::new();
    for grapheme in clean.graphemes(true) {
        let needed = columns(grapheme);
        if needed > left {
            break;
        }
        left -= needed;
        shown.push_str(grapheme);
    }
    format!("{}…", shown.trim_end())
}

fn push(out: &mut String, line: &str) {
    out.push_str(line.trim_end());
    out.push('\n');
}
