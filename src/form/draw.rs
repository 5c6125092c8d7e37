//! Drawings of what a report knows besides its text: what was found and cited, the documents over time, and the
//! searches. Each comes with the same content as a list.

use std::collections::BTreeMap;

use jiff::civil::Date;

use super::model::{Evidence, FormedReport, ResearchSearch};
use super::words::counted;
use super::writer::Writer;
use crate::base::text::{excerpt, is_cjk, one_line};
use crate::domain::Coverage;
use crate::report::{FormWords, Noun, words};

/// Width of a drawing in its own units, in which a letter is 13 high.
const WIDTH: f64 = 640.0;
/// The most characters of a search that are drawn; the list has all.
const DRAWN_CHARS: usize = 84;
/// Approximate width of a letter.
const PLACE: f64 = 7.0;
/// Width of the longest bar.
const BAR: f64 = 110.0;
/// Rows that are deeper are drawn at this depth.
const DEEPEST: usize = 8;
/// Diameter of a dot on the timeline.
const DOT: f64 = 12.0;
const ROW: f64 = 24.0;
/// The most documents of one standing that a list names.
const MOST_NAMED: usize = 50;

/// A drawing with its content in words.
pub(super) struct Drawing {
    /// Identifies it among the drawings.
    pub id: &'static str,
    /// The title above it.
    pub title: &'static str,
    /// All that it shows in words, for those who cannot see it.
    pub alternative: String,
    /// The height in its own units, in which it is [`WIDTH`] wide.
    pub height: f64,
    /// The content of its `svg` element.
    pub svg: String,
    /// The same content as HTML lists.
    pub list: String,
}

impl Drawing {
    fn new(
        id: &'static str,
        title: &'static str,
        alternative: String,
        height: f64,
        drawing: impl FnOnce(&mut Writer),
        list: impl FnOnce(&mut Writer),
    ) -> Drawing {
        let (mut svg, mut listed) = (Writer::default(), Writer::default());
        drawing(&mut svg);
        list(&mut listed);
        Drawing { id, title, alternative, height, svg: svg.into_text(), list: listed.into_text() }
    }

    /// The `viewBox` of its `svg` element.
    pub fn view(&self) -> String {
        format!("0 0 {WIDTH} {}", self.height)
    }
}

/// All drawings that the report has data for.
pub(super) fn drawings(report: &FormedReport, form: &FormWords) -> Vec<Drawing> {
    let dated = dated(report);
    let mut found = Vec::new();
    if report.research.documents.is_some() && !report.evidence.is_empty() {
        found.push(coverage(report, form));
    }
    if dated.len() > 1 {
        found.push(timeline(form, &dated));
    }
    if !report.research.rounds.is_empty() {
        found.push(tree(report, form));
    }
    found
}

fn coverage(report: &FormedReport, form: &FormWords) -> Drawing {
    let research = &report.research;
    let mut documents: BTreeMap<(&str, &str), (&str, usize)> = BTreeMap::new();
    for one in &report.evidence {
        documents.entry((&one.collection, &one.path)).or_insert((&one.title, 0)).1 += 1;
    }
    let (cited, of) = (documents.len() as u64, research.documents.unwrap_or(0));
    // The bars: each one's words, its parts from the strongest to the faintest, and their whole.
    let mut bars = vec![(counted(form.passages, research.cited, research.found), vec![research.cited], research.found)];
    let standings = report.coverage.as_ref().map(|coverage| standings(coverage, report)).unwrap_or_default();
    if standings.is_empty() {
        bars.push((counted(form.documents, cited, of.max(cited)), vec![cited], of.max(cited)));
    } else {
        let label = words(report.language);
        let told: Vec<String> = standings
            .iter()
            .filter(|(_, _, count)| *count > 0)
            .map(|(name, _, count)| label.counted(name, *count))
            .collect();
        let counts: Vec<u64> = standings.iter().map(|(_, _, count)| *count).collect();
        let whole = counts.iter().sum();
        bars.push((format!("{}{}{}", label.coverage, label.colon, told.join(label.comma)), counts, whole));
    }
    let alternative: Vec<&str> = bars.iter().map(|(told, _, _)| told.as_str()).collect();
    let drawing = |out: &mut Writer| {
        for (row, (told, parts, whole)) in bars.iter().enumerate() {
            let top = row as f64 * 46.0;
            out.words("text", &[("x", "0"), ("y", &n(top + 14.0))], told);
            rect(out, "track", (0.0, top + 22.0), (WIDTH, 12.0));
            let mut from = 0.0;
            for (part, class) in parts.iter().zip(["bar", "bar half", "bar third"]) {
                let width = (WIDTH * *part as f64 / (*whole).max(1) as f64).min(WIDTH - from);
                rect(out, class, (from, top + 22.0), (width, 12.0));
                from += width;
            }
        }
    };
    let list = |out: &mut Writer| {
        out.within("ul", &[], |out| {
            for (name, paths, count) in standings.iter().skip(1).filter(|(_, _, count)| *count > 0) {
                out.within("li", &[], |out| {
                    out.text(&format!("{}: {count}", words(report.language).heading(name, *count)));
                    out.within("ul", &[], |out| {
                        paths.iter().for_each(|path| out.words("li", &[("dir", "auto")], path))
                    });
                });
            }
            for ((_, path), (title, count)) in &documents {
                out.within("li", &[], |out| {
                    out.words("bdi", &[], &one_line(title));
                    out.text(" (");
                    out.words("bdi", &[], &one_line(path));
                    out.text(&format!("): {count}"));
                });
            }
        });
    };
    let alternative = alternative.join(". ");
    Drawing::new("coverage", form.coverage, alternative, 84.0, drawing, list)
}

/// The standings of documents: each one's name, the paths to list, and the number of all its documents.
fn standings<'c>(coverage: &'c Coverage, report: &FormedReport) -> Vec<(&'static Noun, Vec<&'c str>, u64)> {
    let names = &words(report.language).standings;
    let lists = [
        (&names.cited, &coverage.cited, 0),
        (&names.read, &coverage.read, 0),
        (&names.matched, &coverage.matched, 0),
        (&names.unmatched, &coverage.unmatched, coverage.unlisted),
    ];
    let mut found = Vec::new();
    for (name, list, beyond) in lists {
        let paths: Vec<&str> = list.iter().take(MOST_NAMED).map(|document| document.path.as_str()).collect();
        found.push((name, paths, list.len() as u64 + beyond));
    }
    let unreadable = coverage.unreadable.iter().take(MOST_NAMED).map(String::as_str).collect();
    found.push((&names.unreadable, unreadable, coverage.unreadable.len() as u64));
    found
}

/// The cited documents that have a date, by date, each with its citation numbers.
fn dated(report: &FormedReport) -> Vec<(Date, &Evidence, Vec<usize>)> {
    let mut found: BTreeMap<(Date, &str), (&Evidence, Vec<usize>)> = BTreeMap::new();
    for one in &report.evidence {
        if let Some(day) = one.date.as_deref().and_then(|day| day.parse().ok()) {
            found.entry((day, &one.path)).or_insert((one, Vec::new())).1.push(one.number);
        }
    }
    found.into_iter().map(|((day, _), (one, numbers))| (day, one, numbers)).collect()
}

fn timeline(form: &FormWords, dated: &[(Date, &Evidence, Vec<usize>)]) -> Drawing {
    let year = |day: Date| f64::from(day.year()) + f64::from(day.day_of_year() - 1) / 366.0;
    let first = dated.iter().map(|(day, ..)| year(*day)).fold(f64::INFINITY, f64::min).floor();
    let last = dated.iter().map(|(day, ..)| year(*day)).fold(f64::NEG_INFINITY, f64::max).floor() + 1.0;
    let place = |at: f64| 16.0 + (at - first) / (last - first) * (WIDTH - 32.0);
    let mut rows: Vec<f64> = Vec::new();
    let mut marks: Vec<(f64, usize, String)> = Vec::new();
    for (day, one, numbers) in dated {
        let x = place(year(*day));
        // The first row with enough room.
        let row = rows.iter().position(|taken| x - taken >= DOT + 2.0).unwrap_or(rows.len());
        if row == rows.len() {
            rows.push(x);
        } else {
            rows[row] = x;
        }
        let numbers: Vec<String> = numbers.iter().map(|number| format!("[{number}]")).collect();
        marks.push((x, row, format!("{day}: {} {}", one_line(&one.title), numbers.concat())));
    }
    let height = rows.len() as f64 * (DOT + 4.0) + 46.0;
    let base = height - 28.0;
    let alternative: Vec<&str> = marks.iter().map(|(_, _, told)| told.as_str()).collect();
    let alternative = alternative.join("; ");
    let drawing = |out: &mut Writer| {
        for tick in ticks(first as i64, last as i64) {
            let x = place(tick as f64);
            let line = format!("M{} {}V{}", n(x), n(4.0), n(base));
            out.within("path", &[("class", "tick"), ("d", &line)], |_| {});
            let anchor = if x > WIDTH - 40.0 {
                "end"
            } else if x < 30.0 {
                "start"
            } else {
                "middle"
            };
            let attributes = [("class", "soft"), ("text-anchor", anchor), ("x", &n(x)), ("y", &n(base + 20.0))];
            out.words("text", &attributes, &tick.to_string());
        }
        let line = format!("M0 {}H{}", n(base), n(WIDTH));
        out.within("path", &[("class", "stroke"), ("d", &line)], |_| {});
        for (x, row, told) in &marks {
            let y = base - 10.0 - *row as f64 * (DOT + 4.0);
            let attributes = [("class", "bar"), ("cx", &n(*x)), ("cy", &n(y)), ("r", &n(DOT / 2.0))];
            out.within("circle", &attributes, |out| out.words("title", &[], told));
        }
    };
    let list = |out: &mut Writer| {
        out.within("ul", &[], |out| {
            for (day, one, numbers) in dated {
                out.within("li", &[], |out| {
                    out.text(&format!("{day}: "));
                    out.words("bdi", &[], &one_line(&one.title));
                    for number in numbers {
                        out.text(" ");
                        out.words("a", &[("href", &format!("#s{number}"))], &format!("[{number}]"));
                    }
                });
            }
        });
    };
    Drawing::new("time", form.timeline, alternative, height, drawing, list)
}

/// The years marked on a scale, at most nine.
fn ticks(first: i64, last: i64) -> Vec<i64> {
    let steps = [1, 2, 5, 10, 20, 25, 50, 100, 200, 500, 1000, 2000, 5000];
    let step = steps.into_iter().find(|step| (last - first) / step <= 8).unwrap_or(10_000);
    let start = first.div_euclid(step) * step;
    (0..).map(|count| start + count * step).skip_while(|year| *year < first).take_while(|year| *year <= last).collect()
}

/// A row of the tree of questions.
struct Node {
    /// Its depth below the question.
    depth: usize,
    told: String,
    found: u64,
    new: u64,
}

/// The rows below the question, each after its parent: searches below those that led to them, or, in an account by an
/// earlier version, below their rounds.
fn nodes(report: &FormedReport) -> Vec<Node> {
    let rounds = &report.research.rounds;
    let mut placed: BTreeMap<&[usize], &ResearchSearch> = BTreeMap::new();
    for search in rounds.iter().flat_map(|round| &round.searches).filter(|search| !search.place.is_empty()) {
        placed.entry(&search.place).or_insert(search);
    }
    let mut found: Vec<Node> = placed
        .into_iter()
        .map(|(place, search)| {
            let number: Vec<String> = place.iter().map(usize::to_string).collect();
            let told = format!("{} {}", number.join("."), one_line(&search.words));
            Node { depth: place.len().min(DEEPEST), told, found: search.found, new: search.new }
        })
        .collect();
    for round in rounds {
        let earlier: Vec<&ResearchSearch> = round.searches.iter().filter(|search| search.place.is_empty()).collect();
        if !earlier.is_empty() {
            let told = format!("{}: {}", round.name, round.brought);
            found.push(Node { depth: 1, told, found: round.found, new: round.new });
        }
        let below = |search: &ResearchSearch| Node { depth: 2, told: one_line(&search.words), found: 0, new: 0 };
        found.extend(earlier.into_iter().map(below));
    }
    if !report.research.skipped.is_empty() {
        let label = crate::report::words(report.language).skipped;
        found.push(Node { depth: 1, told: label.to_owned(), found: 0, new: 0 });
        let below = |search: &String| Node { depth: 2, told: one_line(search), found: 0, new: 0 };
        found.extend(report.research.skipped.iter().map(below));
    }
    found
}

fn tree(report: &FormedReport, form: &FormWords) -> Drawing {
    let nodes = nodes(report);
    let height = (1 + nodes.len()) as f64 * ROW + 8.0;
    let question = one_line(if report.question.is_empty() { &report.title } else { &report.question });
    let most = nodes.iter().map(|node| node.found).max().unwrap_or(0).max(1) as f64;
    let told: Vec<&str> = nodes.iter().map(|node| node.told.as_str()).collect();
    let alternative = format!("{question}. {}", told.join(". "));
    let drawing = |out: &mut Writer| {
        out.words("text", &[("class", "strong"), ("x", "0"), ("y", &n(ROW - 6.0))], &cut(&question, DRAWN_CHARS));
        for (row, node) in nodes.iter().enumerate() {
            let y = ROW * (row + 2) as f64;
            let x = 8.0 + 20.0 * node.depth.saturating_sub(1) as f64;
            branch(out, x, y - 10.0);
            let (class, room) = (if node.depth > 1 { "soft" } else { "" }, x + 20.0);
            let bar = if node.found > 0 { BAR } else { 0.0 };
            let places = ((WIDTH - bar - room) / PLACE) as usize;
            out.words("text", &[("class", class), ("x", &n(room)), ("y", &n(y - 6.0))], &cut(&node.told, places));
            if node.found > 0 {
                let (left, share) = (WIDTH - BAR, |count: u64| BAR * count as f64 / most);
                rect(out, "track", (left, y - 15.0), (share(node.found), 10.0));
                rect(out, "bar", (left, y - 15.0), (share(node.new.min(node.found)), 10.0));
            }
        }
    };
    let list = |out: &mut Writer| {
        out.words("p", &[("dir", "auto")], &question);
        out.within("ul", &[], |out| listed(out, &nodes));
    };
    Drawing::new("tree", form.tree, alternative, height, drawing, list)
}

/// Writes rows as list items, each with the rows below it as a nested list.
fn listed(out: &mut Writer, nodes: &[Node]) {
    let mut rest = nodes;
    while let Some((first, after)) = rest.split_first() {
        let below = after.iter().take_while(|node| node.depth > first.depth).count();
        out.within("li", &[("dir", "auto")], |out| {
            out.text(&first.told);
            if below > 0 {
                out.within("ul", &[], |out| listed(out, &after[..below]));
            }
        });
        rest = &after[below..];
    }
}

fn branch(out: &mut Writer, x: f64, y: f64) {
    let line = format!("M{} {}V{}H{}", n(x), n(y - ROW + 8.0), n(y), n(x + 14.0));
    out.within("path", &[("class", "stroke"), ("d", &line)], |_| {});
}

fn rect(out: &mut Writer, class: &str, at: (f64, f64), size: (f64, f64)) {
    let attributes =
        [("class", class), ("x", &n(at.0)), ("y", &n(at.1)), ("width", &n(size.0)), ("height", &n(size.1))];
    out.within("rect", &attributes, |_| {});
}

/// Cuts a text to one line of `places` characters, or half as many if most are wide.
fn cut(text: &str, places: usize) -> String {
    let line = one_line(text);
    let wide = line.chars().filter(|one| is_cjk(*one)).count() * 2 > line.chars().count();
    excerpt(&line, if wide { places / 2 } else { places }).into_owned()
}

/// A number for an attribute.
fn n(value: f64) -> String {
    let rounded = (value * 10.0).round() / 10.0;
    format!("{rounded}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scale_has_few_marks() {
        let check = |first, last, expected: &[i64]| assert_eq!(ticks(first, last), expected, "{first} to {last}");
        check(2024, 2025, &[2024, 2025]);
        check(1989, 2024, &[1990, 1995, 2000, 2005, 2010, 2015, 2020]);
        check(1, 2024, &[500, 1000, 1500, 2000]);
    }
}
