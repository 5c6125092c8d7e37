//! Sentences with and without one planted mistake (`tests/trust`), and derived figures over generated tables.

use super::*;
use crate::base::Rng;
use crate::base::text::{Language, thousands};

const ENGLISH: &str = include_str!("../../../tests/trust/planted-en.tsv");
const GERMAN: &str = include_str!("../../../tests/trust/planted-de.tsv");
const JAPANESE: &str = include_str!("../../../tests/trust/planted-ja.tsv");

/// The planted mistakes that were not found, and the right sentences that raised an alarm.
fn trial(lines: &str, code: &str) -> (Vec<String>, Vec<String>) {
    let language = Language::from_code(code);
    let (mut missed, mut alarms) = (Vec::new(), Vec::new());
    for line in lines.lines() {
        let mut columns = line.split('\t').skip(1);
        let mut next = || columns.next().expect("four columns");
        let (source, right, wrong) = (Source::new(next(), ""), next(), next());
        let problems = check(right, &[&source], language).problems;
        if !problems.is_empty() {
            alarms.push(format!("{right} | {} | {problems:?}", source.text));
        }
        if check(wrong, &[&source], language).problems.is_empty() {
            missed.push(format!("{wrong} | {}", source.text));
        }
    }
    (missed, alarms)
}

#[test]
fn every_planted_mistake_is_found_and_nothing_else() {
    for (lines, code) in [(ENGLISH, "eng"), (GERMAN, "deu"), (JAPANESE, "jpn")] {
        assert_eq!(lines.lines().count(), 42, "{code}");
        let (missed, alarms) = trial(lines, code);
        assert_eq!((missed.as_slice(), alarms.as_slice()), (&[] as &[String], &[] as &[String]), "{code}");
    }
}

const ITEMS: [&str; 6] = ["Wheat", "Barley", "Oats", "Rye", "Maize", "Flax"];

/// A table of amounts, a sentence with a figure that follows from them, and that figure.
fn derived(rng: &mut Rng) -> (String, String, f64, usize) {
    let years: Vec<usize> = (0..3).map(|at| 2019 + at).collect();
    let rows: Vec<Vec<u64>> = (0..5).map(|_| (0..3).map(|_| 1_000 + rng.below(9_000) as u64).collect()).collect();
    let mut table = format!(
        "| Crop | {} |\n|---|---|---|---|\n",
        years.iter().map(|year| format!("{year} (tonnes)")).collect::<Vec<_>>().join(" | ")
    );
    for (item, row) in ITEMS.iter().zip(&rows) {
        let cells: Vec<String> = row.iter().map(|cell| thousands(*cell)).collect();
        table.push_str(&format!("| {item} | {} |\n", cells.join(" | ")));
    }
    let row = rng.below(rows.len());
    let other = (row + 1 + rng.below(rows.len() - 1)) % rows.len();
    let (a, b, c) = (rows[row][0], rows[row][2], rows[other][0]);
    let [ta, tb, tc] = [a, b, c].map(thousands);
    let (item, second) = (ITEMS[row], ITEMS[other]);
    let (sentence, result, decimals) = match rng.below(6) {
        0 => (
            format!("{item} ({ta} tonnes) and {second} ({tc} tonnes) together came to {{}} tonnes in 2019."),
            (a + c) as f64,
            0,
        ),
        1 => (
            format!("The difference between {item} ({ta} tonnes) and {second} ({tc} tonnes) was {{}} tonnes in 2019."),
            a.abs_diff(c) as f64,
            0,
        ),
        2 => (
            format!(
                "{item} {} from {ta} tonnes in 2019 to {tb} tonnes in 2021, by {{}} %.",
                if b >= a { "rose" } else { "fell" }
            ),
            (b as f64 - a as f64).abs() / a as f64 * 100.0,
            1,
        ),
        3 => {
            let total = a + c;
            let (small, big) = (a.min(total), total);
            (
                format!(
                    "The share of {item}, {} tonnes, in {item} and {second} together ({ta} and {tc} tonnes) was {{}} %.",
                    thousands(small)
                ),
                small as f64 / big as f64 * 100.0,
                1,
            )
        }
        4 => (
            format!("On average {item} ({ta} tonnes) and {second} ({tc} tonnes) came to {{}} tonnes in 2019."),
            (a + c) as f64 / 2.0,
            1,
        ),
        _ => (
            format!(
                "With {} tonnes {} was {{}} times {} with {} tonnes in 2019.",
                thousands(a.max(c)),
                if a >= c { item } else { second },
                if a >= c { second } else { item },
                thousands(a.min(c))
            ),
            a.max(c) as f64 / a.min(c) as f64,
            2,
        ),
    };
    (table, sentence, result, decimals)
}

#[test]
fn derived_figures_over_tables_are_calculated_again() {
    let mut rng = Rng::new(11);
    let (mut unseen, mut missed) = (Vec::new(), Vec::new());
    for _ in 0..200 {
        let (table, sentence, result, decimals) = derived(&mut rng);
        let source = Source::new(table, "");
        let figure = |value: f64| {
            let whole = thousands(value.trunc() as u64);
            if decimals == 0 { whole } else { format!("{whole}{}", &format!("{:.decimals$}", value.fract())[1..]) }
        };
        let rounded = (result * 10f64.powi(decimals as i32)).round() / 10f64.powi(decimals as i32);
        let right = sentence.replace("{}", &figure(rounded));
        let checked = check(&right, &[&source], Language::ENGLISH);
        if !checked.problems.is_empty() || checked.derived.is_empty() {
            unseen.push(format!("{right} {:?}", checked.problems));
        }
        // A mistake of 2 to 30 percent.
        let wrong_by = rounded * (1.02 + rng.below(28) as f64 / 100.0) + 0.11;
        let wrong = sentence
            .replace("{}", &figure((wrong_by * 10f64.powi(decimals as i32)).round() / 10f64.powi(decimals as i32)));
        if check(&wrong, &[&source], Language::ENGLISH).problems.is_empty() {
            missed.push(wrong);
        }
    }
    assert_eq!(unseen, [] as [String; 0], "{} of 200 were not calculated again", unseen.len());
    assert!(missed.len() <= 2, "{} of 200: {missed:#?}", missed.len());
}

const CONFLICTS: [(&str, &str); 2] = [
    (include_str!("../../../tests/trust/conflicts-en.tsv"), "eng"),
    (include_str!("../../../tests/trust/conflicts-ja.tsv"), "jpn"),
];

/// Pairs of policies, prices and minutes that contradict each other, and pairs that only seem to.
#[test]
fn contradictions_are_told_from_other_scopes() {
    let (mut scores, mut faults) = (Vec::new(), Vec::new());
    for (lines, code) in CONFLICTS {
        let (mut found, mut told, mut all) = (0, 0, 0);
        for line in lines.lines() {
            let mut columns = line.split('\t');
            let mut next = || columns.next().expect("three columns");
            let (kind, one, other) = (next(), next(), next());
            let language = Language::from_code(code);
            let (one, other) = (ParsedStatement::of(one, language), ParsedStatement::of(other, language));
            let comparison = compare(&one, &other);
            let says = comparison.is_some();
            all += usize::from(kind == "conflict");
            told += usize::from(says);
            found += usize::from(says && kind == "conflict");
            if says != (kind == "conflict") {
                faults.push(format!("{line} | {comparison:?}"));
            }
            assert_eq!(says, compare(&other, &one).is_some(), "{line}");
        }
        scores.push((code, found as f64 / told.max(1) as f64, found as f64 / all as f64));
    }
    eprintln!("{scores:?}\n{}", faults.join("\n"));
    for (code, precision, recall) in &scores {
        assert!(*precision >= 0.90 && *recall >= 0.80, "{code}: precision {precision}, recall {recall}: {faults:#?}");
    }
    assert!((scores[0].2 - scores[1].2).abs() <= 0.031, "{scores:?}");
}
