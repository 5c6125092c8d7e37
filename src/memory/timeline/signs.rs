//! Blocks of signs: for each event, its number, its space, and one bit for each dimension of its vector.

/// Events whose numbers differ only in these bits share a block.
const BLOCK_BITS: u32 = 9;

/// Returns the block of an event.
pub(super) fn block_of(event: u64) -> i64 {
    (event >> BLOCK_BITS) as i64
}

/// One event's row in a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Row {
    pub event: u64,
    pub space: i64,
    pub signs: Vec<u64>,
}

/// Returns one bit for each value, set if it is negative; the last word is padded with zeros.
pub(super) fn signs_of(values: impl IntoIterator<Item = f32>) -> Vec<u64> {
    let mut words = Vec::new();
    for (at, value) in values.into_iter().enumerate() {
        if at % 64 == 0 {
            words.push(0);
        }
        if let Some(word) = words.last_mut()
            && value < 0.0
        {
            *word |= 1 << (at % 64);
        }
    }
    words
}

/// Adds a row at the end of a block.
pub(super) fn push(block: &mut Vec<u8>, row: &Row) {
    block.extend_from_slice(&row.event.to_le_bytes());
    block.extend_from_slice(&row.space.to_le_bytes());
    for word in &row.signs {
        block.extend_from_slice(&word.to_le_bytes());
    }
}

/// Returns a block without the rows of these events.
pub(super) fn without(block: &[u8], words: usize, events: &[u64]) -> Vec<u8> {
    let rows = block.chunks_exact(width(words));
    rows.filter(|row| !events.contains(&word(row, 0))).flatten().copied().collect()
}

/// Returns a block in which the rows of one space are in another.
pub(super) fn in_other_space(block: &[u8], words: usize, from: i64, to: i64) -> Vec<u8> {
    let mut block = block.to_vec();
    for row in block.chunks_exact_mut(width(words)).filter(|row| word(row, 1) as i64 == from) {
        row[8..16].copy_from_slice(&to.to_le_bytes());
    }
    block
}

/// Calls `visit` with each row's event, its space, and the number of signs in which it differs from `query`.
pub(super) fn distances(block: &[u8], query: &[u64], mut visit: impl FnMut(u64, i64, u32)) {
    for row in block.chunks_exact(width(query.len())) {
        let differing = query.iter().enumerate().map(|(at, signs)| (signs ^ word(row, at + 2)).count_ones()).sum();
        visit(word(row, 0), word(row, 1) as i64, differing);
    }
}

/// Returns the bytes of a row with this many words of signs.
fn width(words: usize) -> usize {
    (words + 2) * 8
}

fn word(row: &[u8], at: usize) -> u64 {
    row.get(at * 8..).and_then(|rest| rest.first_chunk()).map_or(0, |bytes| u64::from_le_bytes(*bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_go_in_and_come_out() {
        let row = |event, space, values: &[f32]| Row { event, space, signs: signs_of(values.iter().copied()) };
        let mut block = Vec::new();
        let far: Vec<f32> = (0..70).map(|at| if at < 66 { -1.0 } else { 1.0 }).collect();
        let near = vec![0.5; 70];
        push(&mut block, &row(7, 1, &far));
        push(&mut block, &row(9, 2, &near));
        let seen = |block: &[u8]| {
            let mut seen = Vec::new();
            distances(block, &signs_of(near.clone()), |event, space, far| seen.push((event, space, far)));
            seen
        };
        assert_eq!(seen(&block), [(7, 1, 66), (9, 2, 0)]);
        assert_eq!(seen(&without(&block, 2, &[7])), [(9, 2, 0)]);
        assert_eq!(seen(&without(&block, 2, &[9, 7])), []);
        assert_eq!(seen(&in_other_space(&block, 2, 1, 5)), [(7, 5, 66), (9, 2, 0)]);
    }

    #[test]
    fn neighbours_share_a_block() {
        assert_eq!((block_of(0), block_of(511), block_of(512)), (0, 0, 1));
    }
}
