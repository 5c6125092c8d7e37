use std::ops::Range;

/// Windows of at most `size` that cover `0..length`, each sharing at least `overlap` with the next. The last one is as long as
/// the others, so that no answer is read without what surrounds it. One empty window where there is nothing.
pub(super) fn windows(length: usize, size: usize, overlap: usize) -> impl Iterator<Item = Range<usize>> {
    let step = size.saturating_sub(overlap).max(1);
    let more = length.saturating_sub(size).div_ceil(step);
    (0..=more).map(move |nth| {
        let start = (nth * step).min(length.saturating_sub(size));
        start..(start + size).min(length)
    })
}

/// The first and last token of the likeliest answer, and its score, from a start and an end logit for each token. Of equal
/// ones the first; `None` where there are no tokens.
pub(super) fn best_span(logits: &[f32], longest: usize) -> Option<(usize, usize, f32)> {
    let mut best: Option<(usize, usize, f32)> = None;
    for first in 0..logits.len() / 2 {
        for last in first..(first + longest).min(logits.len() / 2) {
            let score = logits[first * 2] + logits[last * 2 + 1];
            if best.is_none_or(|(_, _, best)| score > best) {
                best = Some((first, last, score));
            }
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_cover_everything_and_overlap() {
        let check = |length: usize, expected: &[(usize, usize)]| {
            let found: Vec<(usize, usize)> = windows(length, 10, 4).map(|window| (window.start, window.end)).collect();
            assert_eq!(found, expected, "{length}");
        };
        check(0, &[(0, 0)]);
        check(1, &[(0, 1)]);
        check(10, &[(0, 10)]);
        check(11, &[(0, 10), (1, 11)]);
        check(16, &[(0, 10), (6, 16)]);
        check(17, &[(0, 10), (6, 16), (7, 17)]);
        check(22, &[(0, 10), (6, 16), (12, 22)]);
    }

    #[test]
    fn an_answer_ends_where_it_starts_or_later() {
        let check = |logits: &[f32], longest: usize, expected: Option<(usize, usize)>| {
            assert_eq!(best_span(logits, longest).map(|(first, last, _)| (first, last)), expected, "{logits:?}");
        };
        check(&[], 3, None);
        check(&[0.0, 0.0], 3, Some((0, 0)));
        // The best end stands before the best start.
        check(&[0.0, 9.0, 5.0, 0.0, 0.0, 1.0], 3, Some((0, 0)));
        check(&[0.0, 3.0, 9.0, 0.0, 0.0, 1.0], 3, Some((1, 2)));
        // The best end is too far.
        check(&[5.0, 0.0, 0.0, 1.0, 0.0, 2.0, 0.0, 9.0], 3, Some((1, 3)));
    }
}
