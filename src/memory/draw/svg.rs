//! The timeline as an SVG file.

use jiff::Timestamp;

use super::axis::ticks;
use super::{Picture, day, place};
use crate::memory::MemoryEvent;

/// The whole width, and the width of the column of words at the left.
const WIDTH: f64 = 1080.0;
const WORDS: f64 = 420.0;
const MARGIN: f64 = 20.0;
const PLOT: f64 = WIDTH - WORDS - MARGIN;

const HEAD: f64 = 56.0;
const ROW: f64 = 24.0;
/// The greatest height of all lanes together.
const LANES_HEIGHT: f64 = 420.0;
/// The greatest and the smallest width of an event's mark in a lane.
const WIDEST: f64 = 12.0;
const NARROWEST: f64 = 2.0;
/// The most events that have a row.
const ROWS: usize = 24;
/// Up to this many events need no lanes: each has a row.
const FEW: usize = 24;
/// The height of letters, and the share of it that a letter takes in width; words that are wider still are clipped at
/// the border of the column.
const LETTER: f64 = 12.0;
const LETTER_WIDTH: f64 = 0.53;

/// Colours by step, faint to strong, for a light and a dark background.
const LIGHT: [&str; 5] = ["#cfdcea", "#9fbcd9", "#6496c8", "#2a6aa8", "#08305e"];
const DARK: [&str; 5] = ["#2b3a4a", "#3f5d7c", "#5a8bbd", "#8dbbe6", "#dcefff"];

/// Returns the timeline as an SVG file, which follows the light or dark scheme of its viewer.
pub fn svg(picture: &Picture<'_>) -> String {
    let span = picture.span();
    let few = picture.events.len() <= FEW;
    let lanes = if few { Vec::new() } else { lanes(picture, span) };
    let rows = picture.most_present(ROWS);
    let lanes_height: f64 = lanes.iter().map(|lane| lane.height).sum();
    let rows_head = if few { 0.0 } else { 34.0 };
    let rows_top = HEAD + lanes_height + rows_head;
    let bottom = rows_top + rows.len() as f64 * ROW + 6.0;
    let height = bottom + 48.0;

    let mut out = String::new();
    put(
        &mut out,
        format_args!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" width=\"{WIDTH}\" height=\"{height}\" role=\"img\">\n"
        ),
    );
    out.push_str(&style());
    put(&mut out, format_args!("<title>Timeline of {} events</title>\n", picture.events.len()));
    put(&mut out, format_args!("<rect class=\"bg\" width=\"{WIDTH}\" height=\"{height}\"/>\n"));
    put(
        &mut out,
        format_args!(
            "<text class=\"head\" x=\"{MARGIN}\" y=\"24\">{}</text>\n",
            escape(&format!("{} events, {} to {}", picture.events.len(), day(span.0), day(span.1)))
        ),
    );
    put(
        &mut out,
        format_args!("<clipPath id=\"words\"><rect width=\"{}\" height=\"{height}\"/></clipPath>\n", WORDS - 10.0),
    );
    legend(&mut out);
    for tick in ticks(span, 6) {
        let x = WORDS + place(tick.at, span) * PLOT;
        // The label of the last mark would extend beyond the picture.
        let (anchor, at) = if x > WIDTH - 60.0 { ("end", WIDTH - 4.0) } else { ("middle", x) };
        put(
            &mut out,
            format_args!(
                "<path class=\"grid\" d=\"M{x:.1} {HEAD}V{bottom:.1}\"/><text class=\"tick\" text-anchor=\"{anchor}\" x=\"{at:.1}\" y=\"{:.1}\">{}</text>\n",
                bottom + 18.0,
                escape(&tick.label)
            ),
        );
    }
    let mut top = HEAD;
    for lane in &lanes {
        lane.draw(&mut out, picture, top);
        top += lane.height;
    }
    if !few {
        put(
            &mut out,
            format_args!("<text class=\"name\" x=\"{MARGIN}\" y=\"{:.1}\">Most present now</text>\n", rows_top - 8.0),
        );
    }
    for (index, event) in rows.iter().enumerate() {
        row(&mut out, picture, event, rows_top + (index as f64 + 0.5) * ROW, span);
    }
    put(&mut out, format_args!("<path class=\"axis\" d=\"M{WORDS} {bottom:.1}H{:.1}\"/>\n", WORDS + PLOT));
    out.push_str("</svg>\n");
    out
}

/// A lane: its events in columns, with the events of one column on top of each other.
struct Lane<'a> {
    name: &'static str,
    events: Vec<&'a MemoryEvent>,
    /// The column of each event, and its place in the column, counted from below.
    cells: Vec<(usize, usize)>,
    /// The width of a mark including the gap beside it.
    cell: f64,
    height: f64,
}

/// Lays out the lanes with the widest marks with which all fit.
fn lanes<'a>(picture: &Picture<'a>, span: (Timestamp, Timestamp)) -> Vec<Lane<'a>> {
    let kinds = picture.lanes();
    let mut cell = WIDEST;
    loop {
        let columns = (PLOT / cell) as usize;
        let lanes: Vec<Lane<'a>> = kinds
            .iter()
            .map(|(name, events)| {
                let mut filled = vec![0_usize; columns + 1];
                let cells: Vec<(usize, usize)> = events
                    .iter()
                    .map(|event| {
                        let column =
                            ((place(event.made, span) * columns as f64) as usize).min(columns.saturating_sub(1));
                        let level = filled[column];
                        filled[column] += 1;
                        (column, level)
                    })
                    .collect();
                let highest = filled.iter().max().copied().unwrap_or(0) as f64;
                // Below the marks there is room for the ticks of the recalls.
                Lane { name, events: events.clone(), cells, cell, height: (highest * cell).max(ROW) + 20.0 }
            })
            .collect();
        let height: f64 = lanes.iter().map(|lane| lane.height).sum();
        if height <= LANES_HEIGHT || cell <= NARROWEST {
            return lanes;
        }
        cell = (cell * 0.9).max(NARROWEST);
    }
}

impl Lane<'_> {
    fn draw(&self, out: &mut String, picture: &Picture<'_>, top: f64) {
        let span = picture.span();
        let floor = top + self.height - 12.0;
        put(
            out,
            format_args!(
                "<path class=\"grid\" d=\"M{MARGIN} {:.1}H{:.1}\"/><text class=\"name\" x=\"{MARGIN}\" y=\"{:.1}\">{}</text><text class=\"count\" x=\"{MARGIN}\" y=\"{:.1}\">{}</text>\n",
                top + self.height - 1.0,
                WORDS + PLOT,
                floor - 12.0,
                self.name,
                floor + 3.0,
                counts(&self.events)
            ),
        );
        let side = (self.cell - if self.cell > 4.0 { 1.5 } else { 0.5 }).max(1.0);
        for (event, (column, level)) in self.events.iter().zip(&self.cells) {
            let x = WORDS + *column as f64 * self.cell;
            let y = floor - (*level as f64 + 1.0) * self.cell;
            put(
                out,
                format_args!(
                    "<rect class=\"{}\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{side:.1}\" height=\"{side:.1}\" rx=\"{:.1}\"><title>{}</title></rect>\n",
                    class(picture, event),
                    side / 5.0,
                    escape(&told(picture, event))
                ),
            );
            for recall in &event.recalls {
                let at = WORDS + place(recall.at, span) * PLOT;
                put(out, format_args!("<path class=\"again\" d=\"M{at:.1} {:.1}v6\"/>\n", floor + 2.0));
            }
        }
    }
}

fn counts(events: &[&MemoryEvent]) -> String {
    let recalls: usize = events.iter().map(|event| event.recalls.len()).sum();
    let stale = events.iter().filter(|event| event.stale.is_some()).count();
    let mut text = format!("{}", events.len());
    if recalls > 0 {
        text.push_str(&format!(", {recalls} recalls"));
    }
    if stale > 0 {
        text.push_str(&format!(", {stale} stale"));
    }
    text
}

/// Draws one event with its words and its history.
fn row(out: &mut String, picture: &Picture<'_>, event: &MemoryEvent, y: f64, span: (Timestamp, Timestamp)) {
    let x = |at: Timestamp| WORDS + place(at, span) * PLOT;
    let words = fitting(&event.text, WORDS - MARGIN - 84.0 - 14.0);
    put(
        out,
        format_args!(
            "<g><title>{}</title><text class=\"day\" x=\"{MARGIN}\" y=\"{:.1}\">{}</text><text class=\"words{}\" clip-path=\"url(#words)\" x=\"{:.1}\" y=\"{:.1}\">{}</text>",
            escape(&told(picture, event)),
            y + 4.0,
            day(event.made),
            if event.stale.is_some() { " gone" } else { "" },
            MARGIN + 84.0,
            y + 4.0,
            escape(&words)
        ),
    );
    if let Some(last) = event.recalls.last() {
        put(out, format_args!("<path class=\"life\" d=\"M{:.1} {y:.1}H{:.1}\"/>", x(event.made), x(last.at)));
    }
    for recall in &event.recalls {
        put(out, format_args!("<circle class=\"recall\" cx=\"{:.1}\" cy=\"{y:.1}\" r=\"3.5\"/>", x(recall.at)));
    }
    put(
        out,
        format_args!(
            "<circle class=\"{}\" cx=\"{:.1}\" cy=\"{y:.1}\" r=\"6\"/></g>\n",
            class(picture, event),
            x(event.made)
        ),
    );
}

fn class(picture: &Picture<'_>, event: &MemoryEvent) -> String {
    let step = picture.step(event);
    if event.stale.is_some() { "stale".to_owned() } else { format!("s{step}") }
}

/// Returns the words shown when a mark is pointed at.
fn told(picture: &Picture<'_>, event: &MemoryEvent) -> String {
    let mut text = format!("{} · {} · weight {:.2}", day(event.made), event.kind, picture.presence(event));
    if !event.recalls.is_empty() {
        text.push_str(&format!(" · recalled {} times, last {}", event.recalls.len(), day(event.last())));
    }
    if let Some(stale) = event.stale {
        text.push_str(&format!(" · stale since {}", day(stale)));
    }
    text.push_str(&format!("\n{}", crate::base::text::excerpt(&event.text, 160)));
    text
}

fn legend(out: &mut String) {
    let mut x = WORDS;
    put(out, format_args!("<text class=\"tick\" x=\"{x}\" y=\"24\">faded</text>"));
    x += 44.0;
    for step in 0..LIGHT.len() {
        put(out, format_args!("<rect class=\"s{step}\" x=\"{x}\" y=\"13\" width=\"14\" height=\"14\" rx=\"3\"/>"));
        x += 18.0;
    }
    put(
        out,
        format_args!(
            "<text class=\"tick\" x=\"{:.1}\" y=\"24\">present now</text><circle class=\"recall\" cx=\"{:.1}\" cy=\"20\" r=\"3.5\"/><text class=\"tick\" x=\"{:.1}\" y=\"24\">recalled</text><rect class=\"stale\" x=\"{:.1}\" y=\"14\" width=\"12\" height=\"12\" rx=\"3\"/><text class=\"tick\" x=\"{:.1}\" y=\"24\">stale</text>\n",
            x + 4.0,
            x + 110.0,
            x + 120.0,
            x + 200.0,
            x + 218.0
        ),
    );
}

fn style() -> String {
    let scheme = |colors: [&str; 5], [bg, ink, faint, grid, gone]: [&str; 5]| {
        let mut css = format!(
            ".bg{{fill:{bg}}}text{{fill:{ink}}}.tick,.day,.count{{fill:{faint}}}.grid{{stroke:{grid}}}.axis,.life{{stroke:{faint}}}\
             .recall{{fill:{bg};stroke:{ink}}}.again{{stroke:{faint}}}.stale{{fill:{bg};stroke:{gone}}}.gone{{fill:{gone}}}"
        );
        for (step, color) in colors.iter().enumerate() {
            css.push_str(&format!(".s{step}{{fill:{color}}}"));
        }
        css
    };
    let light = scheme(LIGHT, ["#ffffff", "#1c2733", "#5d6b7a", "#e3e8ee", "#b4521e"]);
    let dark = scheme(DARK, ["#11161c", "#e4ebf2", "#93a1b0", "#26303b", "#f0955c"]);
    format!(
        "<style>text{{font-family:system-ui,'Segoe UI','DejaVu Sans',sans-serif;font-size:{LETTER}px}}.head{{font-size:15px;font-weight:600}}\
         .name{{font-weight:600}}.grid{{stroke-width:1}}.axis{{stroke-width:1.5}}.life{{stroke-width:1.5}}.recall{{stroke-width:1.5}}\
         .again{{stroke-width:1;stroke-opacity:.55}}.stale{{stroke-width:1.2}}{light}@media(prefers-color-scheme:dark){{{dark}}}</style>\n"
    )
}

/// Returns as much of a text as fits into a width, on one line.
fn fitting(text: &str, width: f64) -> String {
    let line = crate::base::text::one_line(text);
    let of = |character: char| if character.is_ascii() { LETTER * LETTER_WIDTH } else { LETTER * 1.05 };
    if line.chars().map(of).sum::<f64>() <= width {
        return line.to_string();
    }
    let mut left = width - of('…');
    let mut shown = String::new();
    for character in line.chars() {
        left -= of(character);
        if left < 0.0 {
            break;
        }
        shown.push(character);
    }
    format!("{}…", shown.trim_end())
}

/// Escapes text for XML. Control characters are dropped.
pub(super) fn escape(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\n' => safe.push('\n'),
            other if other.is_control() || matches!(other, '\u{fffe}' | '\u{ffff}') => {}
            other => safe.push(other),
        }
    }
    safe
}

fn put(out: &mut String, line: std::fmt::Arguments<'_>) {
    out.push_str(&line.to_string());
}
