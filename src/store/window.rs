//! Measures how much of a query stands together in one place of a passage. An answer mostly stands in a sentence that
//! repeats the question's words; a passage that has them all, but far apart, is about something wider.

/// The width of the place in words: a long sentence or two short ones. In scripts without spaces it is this many
/// characters.
const WIDTH: u32 = 30;

/// The largest weight of distinct terms that stand within [`WIDTH`] positions of each other. `terms` gives each term's
/// weight and its ascending positions in the passage.
pub(in crate::store) fn densest<'a>(terms: impl Iterator<Item = (f32, &'a [u32])>) -> f32 {
    let mut weights = Vec::new();
    let mut occurrences: Vec<(u32, usize)> = Vec::new();
    for (nth, (weight, positions)) in terms.enumerate() {
        weights.push((weight, 0_u32));
        occurrences.extend(positions.iter().map(|&position| (position, nth)));
    }
    occurrences.sort_unstable();
    let (mut sum, mut best) = (0.0, 0_f32);
    let mut left = occurrences.iter().copied().peekable();
    for &(position, nth) in &occurrences {
        while let Some((_, gone)) = left.next_if(|(start, _)| position - start > WIDTH) {
            let (weight, count) = &mut weights[gone];
            *count -= 1;
            if *count == 0 {
                sum -= *weight;
            }
        }
        let (weight, count) = &mut weights[nth];
        *count += 1;
        if *count == 1 {
            sum += *weight;
        }
        best = best.max(sum);
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(terms: &[(f32, &[u32])], expected: f32) {
        assert_eq!(densest(terms.iter().copied()), expected, "{terms:?}");
    }

    #[test]
    fn terms_that_stand_together_add_up() {
        check(&[], 0.0);
        check(&[(2.0, &[]), (4.0, &[7])], 4.0);
        check(&[(2.0, &[0]), (4.0, &[WIDTH])], 6.0);
        check(&[(2.0, &[0]), (4.0, &[WIDTH + 1])], 4.0);
    }

    #[test]
    fn a_term_counts_once_in_a_place() {
        check(&[(2.0, &[1, 2, 3]), (4.0, &[5])], 6.0);
    }

    #[test]
    fn a_repeated_term_stays_until_its_last_occurrence_is_out() {
        // At 40 the first occurrence of the first term is out of reach, but the second is not.
        check(&[(2.0, &[5, 20]), (4.0, &[40]), (8.0, &[49])], 14.0);
        check(&[(2.0, &[5, 20]), (4.0, &[40]), (8.0, &[55])], 12.0);
    }

    #[test]
    fn the_best_place_counts_wherever_it_is() {
        check(&[(2.0, &[0, 200]), (4.0, &[10, 300]), (8.0, &[210])], 10.0);
    }
}
