use std::ops::Range;

/// How well a token fits as the first and as the last of the answer.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Fit {
    pub bytes: Range<usize>,
    pub first: f32,
    pub last: f32,
}

/// Windows of at most `size` that cover `0..length`, each sharing at least `overlap` with the next. The last one is as
/// long as the others, so that no answer is read without its context. One empty window if `length` is 0.
pub(super) fn windows(length: usize, size: usize, overlap: usize) -> impl Iterator<Item = Range<usize>> {
    let step = size.saturating_sub(overlap).max(1);
    let more = length.saturating_sub(size).div_ceil(step);
    (0..=more).map(move |nth| {
        let start = (nth * step).min(length.saturating_sub(size));
        start..(start + size).min(length)
    })
}

/// The first and last token of the likeliest answer, and its score; in a tie, the first. `None` without tokens.
pub(super) fn best_span(fits: &[Fit], longest: usize) -> Option<(usize, usize, f32)> {
    let mut best: Option<(usize, usize, f32)> = None;
    for first in 0..fits.len() {
        for last in first..(first + longest).min(fits.len()) {
            let score = fits[first].first + fits[last].last;
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
            let fits: Vec<Fit> = logits.chunks(2).map(|of| Fit { bytes: 0..0, first: of[0], last: of[1] }).collect();
            assert_eq!(best_span(&fits, longest).map(|(first, last, _)| (first, last)), expected, "{logits:?}");
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
