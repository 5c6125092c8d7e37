//! Inner products of four query states at a time with the signs of a passage's states, by instructions that x86
//! processors have since 2019. The sums are of integers, so any other order of adding gives the same.

use std::arch::x86_64::{
    _mm_add_epi32, _mm256_add_epi32, _mm256_castsi256_si128, _mm256_extracti128_si256, _mm512_add_epi32,
    _mm512_castsi512_si256, _mm512_dpbusd_epi32, _mm512_extracti64x4_epi64, _mm512_maskz_loadu_epi8, _mm512_set1_epi8,
    _mm512_setzero_si512, _mm512_unpackhi_epi32, _mm512_unpackhi_epi64, _mm512_unpacklo_epi32, _mm512_unpacklo_epi64,
};

use super::Quantized;

/// The number of values whose signs make up one word.
const WORD: usize = 64;

/// Query states in groups of four.
pub(super) struct InterleavedStates {
    /// For each group of four, their words in turn: the first word of all four, then the second. Zeros fill the last
    /// word and the last group.
    values: Vec<[[i8; WORD]; 4]>,
    /// The number of words of a state.
    words: usize,
    /// The sum of each state's values.
    totals: Vec<i32>,
}

impl InterleavedStates {
    /// `None` where the processor lacks the instructions.
    pub(super) fn of(query: &[Quantized], dimension: usize) -> Option<Self> {
        let is_able = is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512vnni");
        if !is_able {
            return None;
        }
        let words = dimension.div_ceil(WORD);
        let mut values = vec![[[0; WORD]; 4]; query.len().div_ceil(4) * words];
        for (nth, state) in query.iter().enumerate() {
            for (word, chunk) in state.values.chunks(WORD).take(words).enumerate() {
                values[nth / 4 * words + word][nth % 4][..chunk.len()].copy_from_slice(chunk);
            }
        }
        let totals = query.iter().map(|state| state.values.iter().map(|&value| i32::from(value)).sum()).collect();
        Some(InterleavedStates { values, words, totals })
    }

    /// Calls `take` with the index of each query state and its inner product with the signs of one passage state.
    pub(super) fn products(&self, signs: &[u8], masks: &mut Vec<u64>, mut take: impl FnMut(usize, i32)) {
        let (whole, rest) = signs.as_chunks::<8>();
        masks.clear();
        masks.extend(whole.iter().map(|word| u64::from_le_bytes(*word)));
        if !rest.is_empty() {
            masks.push(rest.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte)));
        }
        let mut nth = 0;
        for (words, totals) in self.values.chunks_exact(self.words.max(1)).zip(self.totals.chunks(4)) {
            // SAFETY: `of` made this only where the processor has the instructions.
            let sums = unsafe { masked_sums(words, masks) };
            for (sum, total) in sums.into_iter().zip(totals) {
                // The values outside the mask have a negative sign.
                take(nth, 2 * sum - total);
                nth += 1;
            }
        }
    }
}

/// For each of the four, the sum of the values that `masks` selects.
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
fn masked_sums(words: &[[[i8; WORD]; 4]], masks: &[u64]) -> [i32; 4] {
    let ones = _mm512_set1_epi8(1);
    let mut sums = [_mm512_setzero_si512(); 4];
    for (four, &mask) in words.iter().zip(masks) {
        for (sum, values) in sums.iter_mut().zip(four) {
            // SAFETY: the array holds the 64 bytes that are read.
            let named = unsafe { _mm512_maskz_loadu_epi8(mask, values.as_ptr()) };
            *sum = _mm512_dpbusd_epi32(*sum, ones, named);
        }
    }
    // Adds up the sixteen parts of each sum, for all four sums at once.
    let [a, b, c, d] = sums;
    let ab = _mm512_add_epi32(_mm512_unpacklo_epi32(a, b), _mm512_unpackhi_epi32(a, b));
    let cd = _mm512_add_epi32(_mm512_unpacklo_epi32(c, d), _mm512_unpackhi_epi32(c, d));
    let all = _mm512_add_epi32(_mm512_unpacklo_epi64(ab, cd), _mm512_unpackhi_epi64(ab, cd));
    let half = _mm256_add_epi32(_mm512_castsi512_si256(all), _mm512_extracti64x4_epi64::<1>(all));
    let quarter = _mm_add_epi32(_mm256_castsi256_si128(half), _mm256_extracti128_si256::<1>(half));
    // SAFETY: both types have sixteen bytes, and every bit pattern is four integers.
    unsafe { std::mem::transmute(quarter) }
}
