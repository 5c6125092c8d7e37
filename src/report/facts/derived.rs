//! Figures that a report calculates from cited ones: sums, differences, shares, growth, multiples and averages.

use std::cell::OnceCell;

use super::cells::{Cell, Chosen, Pair, chosen};
use super::prose::{Claim, Figure, figures, groups, pairs as prose_pairs};
use super::scan::{Facts, Number, same_value};
use super::source::Read;
use super::units::UnitKind;
use crate::base::text::{Language, is_cjk};

/// The most bytes that a form of a cue may have behind the cue.
const LONGEST_ENDING: usize = 3;

/// A calculation over cited figures.
#[derive(Clone)]
pub(super) struct Derivation {
    /// Both sides, in a form that a reader can check.
    pub formula: String,
    right: bool,
    /// Whether the sentence says that it rises while it falls, or the other way round.
    other_way: bool,
}

impl Derivation {
    fn new(formula: String, right: bool) -> Self {
        Derivation { formula, right, other_way: false }
    }

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

/// Words by which a sentence says that something rises, or is more than another.
const RISES: &str = "grew|grow|rose|rise|increase|gained|climb|jump|higher|more|above|exceed|went up|up |added|widened|\
wuchs|stieg|zunahme|mehr als|増|伸び|上昇|上回|上が|多|大きい|広い";

/// Words by which a sentence says that something falls, or is less than another.
const FALLS: &str = "fell|fall|decrease|declin|dropped|lower|less|fewer|below|shrank|shrunk|lost|went down|down |\
sank|gesunken|rückgang|weniger als|減|低下|下回|下が|少な|小さい";

/// Other words for a calculation.
const CUES: [(Operation, &str); 6] = [
    (Operation::Average, "average|mean|durchschnitt|im mittel|平均"),
    (Operation::Growth, "wachstum|成長"),
    (
        Operation::Share,
        "share|of the total|accounts for|accounted for|proportion|made up|make up|makes up|contribut|represent|correspond|\
        % of|percent of|per cent of|provided|absorbed|took|went to|anteil|macht|占め|相当|当たる|にとどまる|割合|比率|%を",
    ),
    (Operation::Difference, "difference|gap|differenz|unterschied|差"),
    (
        Operation::Sum,
        "total|sum|together|combined|in all|add up|added up|amount|came to|brought in|bring in|whole|overall|\
        insgesamt|zusammen|合計|総額|総計|の計|合わせ",
    ),
    (Operation::Multiple, "times|fold|doubled|tripled|mal so|fache|倍"),
];

/// If the passages have more figures of a kind than this, none is tried as the other side of a comparison.
const MOST_COUNTERPARTS: usize = 6;

/// The factors by which tables scale their numbers.
const SCALES: [f64; 3] = [1e3, 1e6, 1e9];

/// Whether a sentence in lower case has one of some words.
fn contains_any_word(lower: &str, words: &str) -> bool {
    words.split('|').any(|word| lower.contains(word))
}

/// Whether a word, or a pair of characters, in lower case denotes a calculation and not its subject.
pub(super) fn is_cue(word: &str) -> bool {
    let all = CUES.iter().map(|(_, words)| *words).chain([RISES, FALLS]);
    all.flat_map(|words| words.split('|')).map(str::trim).any(|cue| {
        let is_wide = cue.starts_with(is_cjk);
        is_wide && word.contains(cue) || word.strip_prefix(cue).is_some_and(|rest| rest.len() <= LONGEST_ENDING)
    })
}

/// The calculations that a sentence mentions.
fn cued(lower: &str) -> Vec<Operation> {
    let named = CUES.iter().filter(|(_, words)| contains_any_word(lower, words)).map(|(operation, _)| *operation);
    let is_compared = contains_any_word(lower, RISES) || contains_any_word(lower, FALLS);
    named.chain([Operation::Growth, Operation::Difference].into_iter().filter(|_| is_compared)).collect()
}

/// One figure that may be a part of a calculation.
#[derive(Clone, Copy)]
struct Operand<'a> {
    value: f64,
    words: &'a str,
}

impl<'a> Operand<'a> {
    fn of(cell: &'a Cell) -> Self {
        Operand { value: cell.value, words: &cell.words }
    }

    fn said(figure: &Figure<'a>) -> Self {
        Operand { value: figure.value, words: figure.words }
    }
}

/// A sentence of a report, without its citations, and the passages that it cites.
pub(super) struct Sentence<'a> {
    pub text: &'a str,
    pub facts: &'a Facts,
    pub reads: &'a [&'a Read],
    language: Language,
    /// The cells that it speaks of, kept since finding them takes long and all its figures use them.
    cells: OnceCell<Vec<Chosen<'a>>>,
}

impl<'a> Sentence<'a> {
    pub fn new(text: &'a str, facts: &'a Facts, reads: &'a [&'a Read], language: Language) -> Self {
        Sentence { text, facts, reads, language, cells: OnceCell::new() }
    }

    /// How a figure that no source has follows from those that they have. `None` if nothing says that it is calculated,
    /// or from what.
    pub fn derivation(&self, number: &Number) -> Option<Derivation> {
        let Sentence { text, facts, reads, language, .. } = *self;
        let lower = text.to_lowercase();
        let cued = cued(&lower);
        let kind = number.unit.map(|unit| unit.kind);
        let relative = matches!(kind, Some(UnitKind::Percent | UnitKind::Points | UnitKind::Fold | UnitKind::Times));
        let direction = direction(&lower);
        // The cells of a table come first, since the sentence says which ones it means.
        let cells = self.cells.get_or_init(|| chosen(text, reads));
        let tabled = from_cells(number, kind, cells, &cued, direction, reads);
        if let Some(found) = tabled.as_ref().filter(|found| found.right || found.other_way) {
            return Some(found.clone());
        }
        let may_state = |other: &&Number| {
            other.range != number.range && !other.soft && is_in_sources(other, reads) && may_join(other, kind, relative)
        };
        let operands = |reading| -> Vec<Operand<'_>> {
            facts.numbers.iter().filter(may_state).filter_map(|other| operand(other, reading, text)).collect()
        };
        let stated = operands(Reading::First);
        let result = |stated: &[Operand<'_>]| try_all(number, kind, stated, &cued, direction);
        // `1.234` is read in the same way in a whole calculation.
        let other_reading = || facts.numbers.iter().any(|one| one.values.len() > 1).then(|| operands(Reading::Last));
        if let Some(found) = result(&stated).or_else(|| result(&other_reading()?)) {
            return Some(found);
        }
        let is_tabled = cells.iter().any(|one| !(one.sums.is_empty() && one.pairs.is_empty() && one.parts.is_empty()));
        if !is_tabled && stated.len() < 2 && !cued.is_empty() {
            let claim = Claim::of(text, number, facts, language);
            let told = figures(&claim, reads, language, |other| may_join(other, kind, relative));
            if let Some(found) = from_prose(number, kind, &claim, &told, &cued) {
                return Some(found);
            }
        }
        if !is_tabled
            && let [own] = &stated[..]
            && let Some(found) = self.compared_with_source(number, kind, own, &cued)
        {
            return Some(found);
        }
        // If the sentence names its figures, their result is known.
        tabled.or_else(|| {
            (stated.len() >= 2 && !cued.is_empty())
                .then(|| contradicting_result(number, kind, &stated, &cued))
                .flatten()
        })
    }
}

impl Sentence<'_> {
    /// The comparison of the only figure that the sentence names with one of its kind in the passages that gives the
    /// number: "up 25 % from 120 euros".
    fn compared_with_source(
        &self,
        number: &Number,
        kind: Option<UnitKind>,
        own: &Operand<'_>,
        cued: &[Operation],
    ) -> Option<Derivation> {
        let unit = self.facts.numbers.iter().find(|one| self.text.get(one.range.clone()) == Some(own.words))?.unit?;
        let mut others: Vec<Operand<'_>> = Vec::new();
        for read in self.reads {
            for one in
                read.facts.numbers.iter().filter(|one| !one.soft && one.unit.map(|unit| unit.kind) == Some(unit.kind))
            {
                let Some((value, _)) = one.values.first().copied() else { continue };
                if value != own.value && others.iter().all(|other| other.value != value) {
                    others.push(Operand { value, words: read.text(one.range.start, one.range.end) });
                }
            }
        }
        if others.len() > MOST_COUNTERPARTS {
            return None;
        }
        let direction = direction(&self.text.to_lowercase());
        let compares = |one: &Operation| !matches!(one, Operation::Sum | Operation::Average) && cued.contains(one);
        operations(kind, cued).into_iter().filter(compares).find_map(|operation| {
            others.iter().find_map(|other| {
                let pair = [*own, *other];
                let formula = apply(operation, number, &pair, direction)?;
                Some(Derivation::new(formula, true))
            })
        })
    }
}

/// The calculation over the cells that a sentence speaks of that gives the number, or else their only other result.
fn from_cells(
    number: &Number,
    kind: Option<UnitKind>,
    cells: &[Chosen<'_>],
    cued: &[Operation],
    direction: Option<bool>,
    reads: &[&Read],
) -> Option<Derivation> {
    let possible = operations(kind, cued);
    let named: Vec<Operation> = possible.iter().copied().filter(|one| cued.contains(one)).collect();
    let tried = if named.is_empty() { &possible } else { &named };
    let is_points = kind == Some(UnitKind::Points);
    let said: Vec<f64> = reads.iter().flat_map(|read| &read.scales).copied().collect();
    // If no passage says how the table scales its numbers, a result may be of any scale.
    let scales = if said.is_empty() && number.scaled { &SCALES[..] } else { &said };
    let may_round = number.scaled && (!said.is_empty() || cells.iter().any(|one| one.is_bare));
    let mut rounded = cells.iter().flat_map(|one| &one.cells).filter(|cell| may_round && !cell.is_percent);
    if let Some(cell) = rounded.find(|cell| scales.iter().any(|factor| gives(number, cell.value * factor))) {
        return Some(Derivation::new(format!("{} = {}", cell.words, plain(cell.value, number, 1.0)), true));
    }
    let results = |operation| cells.iter().flat_map(move |one| results(operation, one, is_points, direction));
    let all: Vec<Outcome> = tried.iter().copied().flat_map(results).collect();
    let fits = |one: &&Outcome| {
        let mut factors = [1.0].into_iter().chain(scales.iter().copied());
        factors.find(|factor| gives(number, one.result * factor))
    };
    let told = |one: &Outcome, right: bool| {
        let factor = fits(&one).unwrap_or(1.0);
        Derivation::new(format!("{} = {}", one.formula, plain(one.result, number, factor)), right)
    };
    if let Some(one) = all.iter().filter(|one| fits(one).is_some()).max_by_key(|one| one.is_told) {
        return Some(Derivation { other_way: !one.is_told, ..told(one, one.is_told) });
    }
    match &all[..] {
        [one] if !named.is_empty() => Some(told(one, false)),
        _ => None,
    }
}

/// The calculation that gives a number from figures of running text with the names and the years of a claim. A growth
/// is that of one thing.
fn from_prose(
    number: &Number,
    kind: Option<UnitKind>,
    claim: &Claim,
    figures: &[Figure<'_>],
    cued: &[Operation],
) -> Option<Derivation> {
    let direction = direction(&claim.lower);
    let told = |formula: String, result: f64| format!("{formula} = {}", plain(result, number, 1.0));
    let mut other_way = None;
    for operation in operations(kind, cued).into_iter().filter(|one| cued.contains(one)) {
        let group = || groups(claim, figures).into_iter().map(Operand::said).collect::<Vec<_>>();
        if matches!(operation, Operation::Sum | Operation::Average) {
            let group = group();
            let (result, formula) = together(operation, &group);
            if !group.is_empty() && gives(number, result) {
                return Some(Derivation::new(told(formula, result), true));
            }
            continue;
        }
        if operation == Operation::Share
            && let Some(formula) = share_of_sum(number, &group())
        {
            return Some(Derivation::new(formula, true));
        }
        for pair in prose_pairs(claim, figures) {
            let (base, new) = (Operand::said(pair.base), Operand::said(pair.new));
            let rises = new.value.abs() >= base.value.abs();
            let found = match operation {
                Operation::Growth if !pair.is_same => None,
                Operation::Share if pair.is_same => None,
                Operation::Share if rises => of_pair(operation, &base, &new),
                Operation::Share | Operation::Multiple => of_pair(operation, &new, &base),
                _ => of_pair(operation, &base, &new),
            };
            let Some((result, formula)) = found.filter(|(result, _)| gives(number, *result)) else { continue };
            if operation == Operation::Share || direction.is_none_or(|up| up == rises) {
                return Some(Derivation::new(told(formula, result), true));
            }
            if pair.is_dated && other_way.is_none() {
                other_way = Some(Derivation { other_way: true, ..Derivation::new(told(formula, result), false) });
            }
        }
    }
    other_way
}

/// The result of an operation.
struct Outcome {
    result: f64,
    formula: String,
    /// Whether it goes in the direction that the sentence says.
    is_told: bool,
}

/// The results of an operation over the cells that a sentence speaks of; cells in percent only serve percentage points.
fn results(operation: Operation, cells: &Chosen<'_>, is_points: bool, direction: Option<bool>) -> Vec<Outcome> {
    let of_kind = |pair: &&Pair<'_>| pair.base.is_percent == is_points;
    let outcome = |result: f64, formula: String| Outcome { result, formula, is_told: true };
    let taken =
        |operation, some: &[&Cell]| together(operation, &some.iter().map(|cell| Operand::of(cell)).collect::<Vec<_>>());
    let sums = cells.sums.iter().filter(|some| some[0].is_percent == is_points);
    match operation {
        Operation::Sum | Operation::Average => {
            sums.map(|some| taken(operation, some)).map(|(result, formula)| outcome(result, formula)).collect()
        }
        Operation::Share => {
            let share = |pair: &Pair<'_>| {
                let in_order = pair.base.value.abs() <= pair.new.value.abs();
                let (part, whole) = if in_order { (pair.base, pair.new) } else { (pair.new, pair.base) };
                let formula = format!("{} / {} × 100", part.words, whole.words);
                (whole.value != 0.0).then(|| outcome(part.value / whole.value * 100.0, formula))
            };
            let of_whole = |some: &Vec<&Cell>| {
                let (sum, words) = taken(Operation::Sum, some);
                let share =
                    |cell: &&Cell| outcome(cell.value / sum * 100.0, format!("{} / ({words}) × 100", cell.words));
                some.iter().filter(|_| sum != 0.0).map(share).collect::<Vec<_>>()
            };
            let pairs = cells.pairs.iter().chain(&cells.parts).filter(of_kind).filter_map(share);
            let wholes = cells.wholes.iter().filter(|some| some[0].is_percent == is_points);
            pairs.chain(wholes.flat_map(of_whole)).collect()
        }
        Operation::Difference | Operation::Growth | Operation::Multiple => {
            let meant = || cells.pairs.iter().filter(of_kind).filter(|pair| pair.is_meant);
            let has_alike = meant().any(|pair| pair.is_alike);
            let pairs = meant().filter(|pair| pair.is_alike || !has_alike);
            pairs.filter_map(|pair| compared(operation, pair, direction)).collect()
        }
    }
}

/// The difference, growth or multiple of two cells; if no years order them, in the direction that the sentence says.
fn compared(operation: Operation, pair: &Pair<'_>, direction: Option<bool>) -> Option<Outcome> {
    // When a loss grows, its amount rises.
    let rises = pair.new.value.abs() >= pair.base.value.abs();
    let is_told = direction.is_none_or(|rise| rise == rises);
    let (base, new) = if is_told || pair.is_dated { (pair.base, pair.new) } else { (pair.new, pair.base) };
    let (base, new) = (Operand::of(base), Operand::of(new));
    let (result, formula) = match operation {
        Operation::Multiple => of_pair(operation, &new, &base)?,
        _ => of_pair(operation, &base, &new)?,
    };
    Some(Outcome { result, formula, is_told: is_told || !pair.is_dated })
}

/// Whether a sentence says that something rises, or that it falls; `None` if it says both or neither.
fn direction(lower: &str) -> Option<bool> {
    match (contains_any_word(lower, RISES), contains_any_word(lower, FALLS)) {
        (true, false) => Some(true),
        (false, true) => Some(false),
        _ => None,
    }
}

/// Which of the values that a figure may have is meant.
#[derive(Clone, Copy)]
enum Reading {
    First,
    Last,
}

fn operand<'a>(number: &Number, reading: Reading, text: &'a str) -> Option<Operand<'a>> {
    let value = match reading {
        Reading::First => number.values.first(),
        Reading::Last => number.values.last(),
    };
    let (value, _) = *value?;
    Some(Operand { value, words: text.get(number.range.clone())? })
}

fn is_in_sources(number: &Number, reads: &[&Read]) -> bool {
    reads.iter().any(|read| read.facts.numbers.iter().any(|theirs| same_value(number, theirs)))
}

/// Whether a figure may be a part of the calculation of one of a kind: decades, times of day and other units may not.
fn may_join(other: &Number, kind: Option<UnitKind>, relative: bool) -> bool {
    let theirs = other.unit.map(|unit| unit.kind);
    if matches!(theirs, Some(UnitKind::Decade | UnitKind::Clock)) {
        return false;
    }
    match kind {
        Some(UnitKind::Points) => theirs == Some(UnitKind::Percent) || theirs.is_none(),
        _ if relative => true,
        Some(kind) => theirs == Some(kind) || theirs.is_none(),
        None => theirs != Some(UnitKind::Percent),
    }
}

fn try_all(
    number: &Number,
    kind: Option<UnitKind>,
    operands: &[Operand<'_>],
    cued: &[Operation],
    direction: Option<bool>,
) -> Option<Derivation> {
    for operation in operations(kind, cued) {
        if let Some(formula) = apply(operation, number, operands, direction) {
            return Some(Derivation::new(formula, true));
        }
    }
    None
}

fn operations(kind: Option<UnitKind>, cued: &[Operation]) -> Vec<Operation> {
    let possible: &[Operation] = match kind {
        Some(UnitKind::Percent) => &[Operation::Growth, Operation::Share, Operation::Average],
        Some(UnitKind::Points) => &[Operation::Difference],
        Some(UnitKind::Fold | UnitKind::Times) => &[Operation::Multiple],
        _ => &[Operation::Sum, Operation::Difference, Operation::Average, Operation::Multiple],
    };
    let mut sorted: Vec<Operation> = possible.iter().copied().filter(|one| cued.contains(one)).collect();
    sorted.extend(possible.iter().copied().filter(|one| !cued.contains(one)));
    sorted
}

/// Whether a result, rounded like the report's number, equals it.
fn gives(number: &Number, result: f64) -> bool {
    number.values.iter().any(|(value, step)| (value.abs() - result.abs()).abs() <= 0.5 * step * 1.000_001)
}

fn apply(operation: Operation, number: &Number, operands: &[Operand<'_>], direction: Option<bool>) -> Option<String> {
    let shown = |result: f64| plain(result, number, 1.0);
    match operation {
        Operation::Sum | Operation::Average => {
            let all = operands.len();
            // The sums of the first figures, so that the sum of any stretch is known at once.
            let mut sums = vec![0.0];
            sums.extend(operands.iter().scan(0.0, |sum, one| {
                *sum += one.value;
                Some(*sum)
            }));
            let subsets = (2..=all).rev().flat_map(|length| (0..=all - length).map(move |from| from..from + length));
            subsets.into_iter().find_map(|range| {
                let (count, sum) = (range.len(), sums[range.end] - sums[range.start]);
                let result = if operation == Operation::Sum { sum } else { sum / count as f64 };
                gives(number, result)
                    .then(|| format!("{} = {}", together(operation, &operands[range]).1, shown(result)))
            })
        }
        _ => pairs(operands)
            // A growth must go in the direction that the sentence says.
            .filter(|(a, b)| {
                operation != Operation::Growth
                    || direction.is_none_or(|rises| rises == (b.value.abs() >= a.value.abs()))
            })
            .find_map(|(a, b)| {
                let (result, formula) = of_pair(operation, a, b)?;
                gives(number, result).then(|| format!("{formula} = {}", shown(result)))
            })
            .or_else(|| if operation == Operation::Share { share_of_sum(number, operands) } else { None }),
    }
}

/// One of some figures as a share of their sum, if that gives the number.
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
    Some(format!("{} / ({}) × 100 = {}", found.words, words.join(" + "), plain(result(found), number, 1.0)))
}

/// The average of some figures, or for any other operation their sum, with its formula.
fn together(operation: Operation, operands: &[Operand<'_>]) -> (f64, String) {
    let sum: f64 = operands.iter().map(|one| one.value).sum();
    let words = operands.iter().map(|one| one.words).collect::<Vec<_>>().join(" + ");
    match operation {
        Operation::Average => (sum / operands.len() as f64, format!("({words}) / {}", operands.len())),
        _ => (sum, words),
    }
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

/// The result of the figures that a sentence names, where the sentence states another one.
fn contradicting_result(
    number: &Number,
    kind: Option<UnitKind>,
    stated: &[Operand<'_>],
    cued: &[Operation],
) -> Option<Derivation> {
    let operation = operations(kind, cued).into_iter().find(|operation| cued.contains(operation))?;
    let (result, formula) = match operation {
        Operation::Sum | Operation::Average => together(operation, stated),
        _ => {
            let (a, b) = (stated.first()?, stated.get(1)?);
            let (small, large) = if a.value <= b.value { (a, b) } else { (b, a) };
            match operation {
                Operation::Difference | Operation::Share => of_pair(operation, small, large)?,
                Operation::Multiple => of_pair(operation, large, small)?,
                _ => of_pair(operation, a, b)?,
            }
        }
    };
    Some(Derivation::new(format!("{formula} = {}", plain(result, number, 1.0)), false))
}

/// The most decimals of a result; no figure of a report is more exact.
const MOST_DECIMALS: usize = 12;

/// A result with as many decimals as the report's number, which is the result multiplied by `factor`.
fn plain(result: f64, number: &Number, factor: f64) -> String {
    let step = number.values.first().map_or(1.0, |(_, step)| *step) / factor;
    let decimals = if step < 1.0 { (-step.log10()).round() as usize } else { 0 }.min(MOST_DECIMALS);
    let text = format!("{result:.decimals$}");
    if number.unit.is_some_and(|unit| unit.kind == UnitKind::Percent) { format!("{text} %") } else { text }
}
