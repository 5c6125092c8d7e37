//! Figures that a report calculates from cited ones: sums, differences, shares, growth, multiples and averages.

use super::scan::{Facts, Number};
use super::source::Read;

/// More figures of a passage than this are not tried in all pairs.
const MAX_FIGURES: usize = 24;

/// A calculation over cited figures.
pub(super) struct Derivation {
    /// Both sides, as a reader can check them.
    pub formula: String,
    right: bool,
}

impl Derivation {
    pub fn is_right(&self) -> bool {
        self.right
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Operation {
    Sum,
    Difference,
    Growth,
    Share,
    Multiple,
    Average,
}

const CUES: &[(Operation, &[&str])] = &[
    (Operation::Average, &["average", "mean", "durchschnitt", "im mittel", "平均"]),
    (
        Operation::Growth,
        &[
            "growth",
            "grew",
            "grow",
            "rose",
            "increase",
            "fell",
            "decrease",
            "declin",
            "dropped",
            "up by",
            "down by",
            "gained",
            "lost",
            "wuchs",
            "wachstum",
            "stieg",
            "gestiegen",
            "anstieg",
            "zunahme",
            "sank",
            "gesunken",
            "rückgang",
            "増加",
            "減少",
            "増",
            "減",
            "伸び",
            "成長",
            "上昇",
            "低下",
        ],
    ),
    (
        Operation::Share,
        &[
            "share",
            "of the total",
            "accounts for",
            "accounted for",
            "proportion",
            "anteil",
            "macht",
            "占め",
            "割合",
            "比率",
            "%を",
        ],
    ),
    (
        Operation::Difference,
        &[
            "difference",
            "more than",
            "less than",
            "fewer",
            "gap",
            "higher",
            "lower",
            "increase",
            "decrease",
            "rose by",
            "fell by",
            "grew by",
            "differenz",
            "unterschied",
            "mehr als",
            "weniger als",
            "stieg um",
            "sank um",
            "差",
            "増",
            "減",
            "上回",
            "下回",
            "多い",
            "少ない",
        ],
    ),
    (
        Operation::Sum,
        &[
            "total",
            "sum",
            "together",
            "combined",
            "altogether",
            "in all",
            "overall",
            "insgesamt",
            "zusammen",
            "summe",
            "合計",
            "総額",
            "総計",
            "計",
            "合わせ",
        ],
    ),
    (Operation::Multiple, &["times", "-fold", "fold", "doubled", "tripled", "mal so", "fache", "倍"]),
];

/// One figure that may be a part of a calculation.
struct Operand<'a> {
    value: f64,
    words: &'a str,
}

/// How a figure that no source has follows from those that they have. `None` where nothing says that it is calculated, or
/// from what.
pub(super) fn derivation(sentence: &str, number: &Number, facts: &Facts, reads: &[&Read]) -> Option<Derivation> {
    let lower = sentence.to_lowercase();
    let cued: Vec<Operation> = CUES
        .iter()
        .filter(|(_, cues)| cues.iter().any(|cue| lower.contains(cue)))
        .map(|(operation, _)| *operation)
        .collect();
    let kind = number.unit.map(|unit| unit.kind);
    let relative = matches!(kind, Some("percent" | "points" | "fold" | "times"));
    // The figures of the sentence itself that stand in what it cites come first.
    let stated: Vec<Operand<'_>> = facts
        .numbers
        .iter()
        .filter(|other| other.range != number.range && !other.soft && stands(other, reads))
        .filter(|other| may_join(other, kind, relative))
        .filter_map(|other| operand(other, sentence))
        .collect();
    if let Some(found) = try_all(number, kind, &stated, &cued, true) {
        return Some(found);
    }
    let cited: Vec<Operand<'_>> = reads
        .iter()
        .flat_map(|read| read.facts.numbers.iter().map(move |other| (read, other)))
        .filter(|(_, other)| !other.soft && may_join(other, kind, relative))
        .filter_map(|(read, other)| operand(other, read.whole()))
        .take(MAX_FIGURES + 1)
        .collect();
    if !cued.is_empty()
        && stated.len() < 2
        && cited.len() <= MAX_FIGURES
        && let Some(found) = try_all(number, kind, &cited, &cued, false)
    {
        return Some(found);
    }
    // Where the sentence names its figures, the result that they give is known.
    (stated.len() >= 2 && !cued.is_empty()).then(|| wrong(number, kind, &stated, &cued)).flatten()
}

fn operand<'a>(number: &Number, text: &'a str) -> Option<Operand<'a>> {
    let (value, _) = number.values.first().copied()?;
    Some(Operand { value, words: text.get(number.range.clone())? })
}

fn stands(number: &Number, reads: &[&Read]) -> bool {
    reads.iter().any(|read| {
        read.facts.numbers.iter().any(|theirs| {
            number
                .values
                .iter()
                .any(|(a, _)| theirs.values.iter().any(|(b, _)| (a - b).abs() <= 1e-9 * a.abs().max(1.0)))
        })
    })
}

/// Whether a figure may be a part of one of a kind: years and other units may not.
fn may_join(other: &Number, kind: Option<&str>, relative: bool) -> bool {
    let theirs = other.unit.map(|unit| unit.kind);
    if theirs == Some("decade") || theirs == Some("clock") {
        return false;
    }
    match kind {
        Some("points") => theirs == Some("percent") || theirs.is_none(),
        _ if relative => true,
        Some(kind) => theirs == Some(kind) || theirs.is_none(),
        None => theirs != Some("percent"),
    }
}

fn try_all(
    number: &Number,
    kind: Option<&str>,
    operands: &[Operand<'_>],
    cued: &[Operation],
    stated: bool,
) -> Option<Derivation> {
    for operation in operations(kind, cued) {
        // Any two of many figures give some percentage; only a sum, or what the sentence itself names, is sure.
        if !stated && !cued.contains(&operation) {
            continue;
        }
        if let Some(formula) = apply(operation, number, operands) {
            return Some(Derivation { formula, right: true });
        }
    }
    None
}

fn operations(kind: Option<&str>, cued: &[Operation]) -> Vec<Operation> {
    let possible: &[Operation] = match kind {
        Some("percent") => &[Operation::Growth, Operation::Share, Operation::Average],
        Some("points") => &[Operation::Difference],
        Some("fold" | "times") => &[Operation::Multiple],
        _ => &[Operation::Sum, Operation::Difference, Operation::Average, Operation::Multiple],
    };
    let mut sorted: Vec<Operation> = possible.iter().copied().filter(|one| cued.contains(one)).collect();
    sorted.extend(possible.iter().copied().filter(|one| !cued.contains(one)));
    sorted
}

/// Whether a result, rounded as the report rounds it, is what it says.
fn gives(number: &Number, result: f64) -> bool {
    number.values.iter().any(|(value, step)| (value.abs() - result.abs()).abs() <= 0.5 * step * 1.000_001)
}

fn apply(operation: Operation, number: &Number, operands: &[Operand<'_>]) -> Option<String> {
    let shown = |result: f64| plain(result, number);
    match operation {
        Operation::Sum | Operation::Average => {
            let all = operands.len();
            let subsets = (2..=all).rev().flat_map(|length| (0..=all - length).map(move |from| from..from + length));
            for range in subsets {
                let part = &operands[range];
                let sum: f64 = part.iter().map(|one| one.value).sum();
                let words: Vec<&str> = part.iter().map(|one| one.words).collect();
                if operation == Operation::Sum && gives(number, sum) {
                    return Some(format!("{} = {}", words.join(" + "), shown(sum)));
                }
                let average = sum / part.len() as f64;
                if operation == Operation::Average && gives(number, average) {
                    return Some(format!("({}) / {} = {}", words.join(" + "), part.len(), shown(average)));
                }
            }
            None
        }
        _ => pairs(operands)
            .find_map(|(a, b)| {
                let (result, formula) = of_pair(operation, a, b)?;
                gives(number, result).then(|| format!("{formula} = {}", shown(result)))
            })
            .or_else(|| if operation == Operation::Share { share_of_sum(number, operands) } else { None }),
    }
}

/// One of some figures as a share of all of them together.
fn share_of_sum(number: &Number, operands: &[Operand<'_>]) -> Option<String> {
    let mut parts: Vec<&Operand<'_>> = Vec::new();
    for one in operands {
        if parts.iter().all(|other| other.value != one.value) {
            parts.push(one);
        }
    }
    let sum: f64 = parts.iter().map(|one| one.value).sum();
    let words: Vec<&str> = parts.iter().map(|one| one.words).collect();
    let result = |one: &Operand<'_>| one.value / sum * 100.0;
    let found = parts.iter().find(|one| parts.len() > 1 && sum > 0.0 && gives(number, result(one)))?;
    Some(format!("{} / ({}) × 100 = {}", found.words, words.join(" + "), plain(result(found), number)))
}

fn pairs<'a, 'b>(operands: &'a [Operand<'b>]) -> impl Iterator<Item = (&'a Operand<'b>, &'a Operand<'b>)> {
    let others = move |a: usize| operands.iter().enumerate().filter(move |(b, _)| *b != a);
    (0..operands.len()).flat_map(move |a| others(a).map(move |(_, other)| (&operands[a], other)))
}

fn of_pair(operation: Operation, a: &Operand<'_>, b: &Operand<'_>) -> Option<(f64, String)> {
    Some(match operation {
        Operation::Difference => (b.value - a.value, format!("{} − {}", b.words, a.words)),
        Operation::Growth if a.value != 0.0 => {
            ((b.value - a.value) / a.value * 100.0, format!("({} − {}) / {} × 100", b.words, a.words, a.words))
        }
        Operation::Share if b.value != 0.0 => (a.value / b.value * 100.0, format!("{} / {} × 100", a.words, b.words)),
        Operation::Multiple if b.value != 0.0 => (a.value / b.value, format!("{} / {}", a.words, b.words)),
        _ => return None,
    })
}

/// What the figures that a sentence names give, where it says something else.
fn wrong(number: &Number, kind: Option<&str>, stated: &[Operand<'_>], cued: &[Operation]) -> Option<Derivation> {
    let operation = operations(kind, cued).into_iter().find(|operation| cued.contains(operation))?;
    let formula = match operation {
        Operation::Sum | Operation::Average => {
            let sum: f64 = stated.iter().map(|one| one.value).sum();
            let words: Vec<&str> = stated.iter().map(|one| one.words).collect();
            let average = sum / stated.len() as f64;
            match operation {
                Operation::Sum => format!("{} = {}", words.join(" + "), plain(sum, number)),
                _ => format!("({}) / {} = {}", words.join(" + "), stated.len(), plain(average, number)),
            }
        }
        _ => {
            let (a, b) = (stated.first()?, stated.get(1)?);
            let (small, large) = if a.value <= b.value { (a, b) } else { (b, a) };
            let (result, formula) = match operation {
                Operation::Difference | Operation::Share => of_pair(operation, small, large)?,
                Operation::Multiple => of_pair(operation, large, small)?,
                _ => of_pair(operation, a, b)?,
            };
            format!("{formula} = {}", plain(result, number))
        }
    };
    Some(Derivation { formula, right: false })
}

/// A result with as many decimals as the report gives, in its scale.
fn plain(result: f64, number: &Number) -> String {
    let step = number.values.first().map_or(1.0, |(_, step)| *step);
    let decimals = if step < 1.0 { (-step.log10()).round() as usize } else { 0 };
    let text = format!("{result:.decimals$}");
    if number.unit.is_some_and(|unit| unit.kind == "percent") { format!("{text} %") } else { text }
}
