//! Cuts a run of characters without spaces into parts.

use std::ops::Range;

/// The most likely segmentation: its parts in order, each with its value. For a part and its number of characters,
/// `of_part` gives the value and the log-likelihood, or `None` if there is no such part; for a single character it must
/// not be `None`.
pub(super) fn likeliest<T: Copy>(
    run: &str,
    longest: usize,
    of_part: impl Fn(&str, usize) -> Option<(T, f32)>,
) -> Vec<(Range<usize>, T)> {
    let borders: Vec<usize> = run.char_indices().map(|(at, _)| at).chain([run.len()]).collect();
    // The best way to reach each border: its log-likelihood, and where its last part begins, with that part's value.
    let mut best: Vec<(f32, usize, Option<T>)> = vec![(f32::NEG_INFINITY, 0, None); borders.len()];
    best[0].0 = 0.0;
    for (first, &from) in borders.iter().enumerate() {
        for (last, &to) in borders.iter().enumerate().skip(first + 1).take(longest) {
            let Some((part, chance)) = of_part(&run[from..to], last - first) else { continue };
            let reached = best[first].0 + chance;
            if reached > best[last].0 {
                best[last] = (reached, first, Some(part));
            }
        }
    }
    let (mut parts, mut last) = (Vec::new(), borders.len() - 1);
    while let (_, first, Some(part)) = best[last] {
        parts.push((borders[first]..borders[last], part));
        last = first;
    }
    parts.reverse();
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_likeliest_parts_together_win() {
        let check = |run: &str, expected: &[&str]| {
            let of_part = |part: &str, length: usize| match (part, length) {
                ("ab", _) => Some(((), -1.0)),
                ("abc", _) => Some(((), -3.5)),
                ("cdé", _) => Some(((), -2.0)),
                (_, 1) => Some(((), -3.0)),
                _ => None,
            };
            let found: Vec<&str> = likeliest(run, 3, of_part).into_iter().map(|(part, ())| &run[part]).collect();
            assert_eq!(found, expected, "{run}");
        };
        check("abcdé", &["ab", "cdé"]);
        check("abc", &["abc"]);
        check("bcd", &["b", "c", "d"]);
        check("", &[]);
    }
}
