//! Compressed token states for late interaction: one bit for each dimension of each token.
//!
//! The states of this model's tokens are nearly centred, so the signs of a state keep most of its direction, and over
//! 384 signs the errors of one inner product nearly cancel. The query's states stay precise. On questions over
//! encyclopedia paragraphs this ranks as well as full floats, in a thirty-second of the space.

#[cfg(target_arch = "x86_64")]
mod fours;

use std::f32::consts::FRAC_PI_2;

use simsimd::SpatialSimilarity;

/// The name of the format; a change to the bytes or to which tokens are kept needs a new name.
pub(super) const FORMAT: &str = "sign-v1";

/// The eight signs of each byte as numbers, lowest bit first.
const SIGNS: [[i8; 8]; 256] = {
    let mut table = [[-1i8; 8]; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut bit = 0;
        while bit < 8 {
            if byte >> bit & 1 == 1 {
                table[byte][bit] = 1;
            }
            bit += 1;
        }
        byte += 1;
    }
    table
};

/// The number of bytes of one state.
pub(super) const fn bytes_per_state(dimension: usize) -> usize {
    dimension.div_ceil(8)
}

/// Appends the signs of `state`; its dimension must be a multiple of eight.
pub(super) fn push(state: &[f32], out: &mut Vec<u8>) {
    out.extend(state.chunks(8).map(|eight| {
        eight.iter().enumerate().fold(0u8, |byte, (bit, value)| byte | (u8::from(value.is_sign_positive()) << bit))
    }));
}

/// A query state as 8-bit integers, so that its inner products with signs need only integer arithmetic.
struct Quantized {
    values: Vec<i8>,
    /// The factor that turns an integer inner product into the estimate.
    scale: f32,
}

impl Quantized {
    fn of(state: &[f32]) -> Self {
        let largest = state.iter().fold(0f32, |largest, value| largest.max(value.abs()));
        let step = if largest > 0.0 { largest / 127.0 } else { 1.0 };
        // Rounded by hand: without a function call per value, the processor handles many values at once.
        let rounded = |value: &f32| (value / step + 0.5f32.copysign(*value)) as i8;
        let values = state.iter().map(rounded).collect();
        // The vector of signs has length √dimension, and a state keeps on average √(2/π) of its length along it:
        // dividing by both makes the estimate of the inner product unbiased.
        let scale = step * FRAC_PI_2.sqrt() / (state.len().max(1) as f32).sqrt();
        Quantized { values, scale }
    }
}

/// For each passage, the inner product of each query state with each of the passage's states, one row per query state.
/// Empty if either has no states, or if the passage is not a whole number of states of the query's dimension.
pub(super) fn similarities<'a>(query: impl Iterator<Item = &'a [f32]>, passages: &[impl AsRef<[u8]>]) -> Vec<Vec<f32>> {
    let query: Vec<Quantized> = query.map(Quantized::of).collect();
    let Some(dimension) = query.first().map(|state| state.values.len()) else {
        return vec![Vec::new(); passages.len()];
    };
    #[cfg(target_arch = "x86_64")]
    if let Some(fours) = fours::InterleavedStates::of(&query, dimension) {
        return each(passages, dimension, |passage, places| similarities_by_fours(&query, &fours, passage, places));
    }
    each(passages, dimension, |passage, places| one_by_one(&query, dimension, passage, places))
}

/// The result of `compare` for each passage, called with the passage and its number of states. Empty for a passage
/// without states or with an incomplete one.
fn each(passages: &[impl AsRef<[u8]>], dimension: usize, compare: impl Fn(&[u8], usize) -> Vec<f32>) -> Vec<Vec<f32>> {
    let width = bytes_per_state(dimension);
    let of_one = |passage: &[u8]| {
        let is_whole = width > 0 && passage.len().is_multiple_of(width);
        if is_whole && !passage.is_empty() { compare(passage, passage.len() / width) } else { Vec::new() }
    };
    passages.iter().map(|passage| of_one(passage.as_ref())).collect()
}

#[cfg(target_arch = "x86_64")]
fn similarities_by_fours(
    query: &[Quantized],
    fours: &fours::InterleavedStates,
    passage: &[u8],
    places: usize,
) -> Vec<f32> {
    let mut similarities = vec![0f32; query.len() * places];
    let mut masks = Vec::new();
    for (place, state) in passage.chunks_exact(passage.len() / places).enumerate() {
        fours.products(state, &mut masks, |nth, product| {
            similarities[nth * places + place] = product as f32 * query[nth].scale;
        });
    }
    similarities
}

fn one_by_one(query: &[Quantized], dimension: usize, passage: &[u8], places: usize) -> Vec<f32> {
    let width = passage.len() / places;
    let mut similarities = vec![0f32; query.len() * places];
    let mut signs = vec![0i8; width * 8];
    for (place, state) in passage.chunks_exact(width).enumerate() {
        // Eight signs at a time, by one store each; copying a slice would be a call.
        for (eight, &byte) in signs.as_chunks_mut::<8>().0.iter_mut().zip(state) {
            *eight = SIGNS[usize::from(byte)];
        }
        for (row, query) in similarities.chunks_exact_mut(places).zip(query) {
            if let Some(product) = i8::dot(&query.values, &signs[..dimension]) {
                row[place] = product as f32 * query.scale;
            }
        }
    }
    similarities
}

/// Like [`similarities`], but returns the products with the signs as a vector of length 1, not estimates of the
/// products with the floats, so that they match what a model learned from [`unpack`]ed states.
pub(super) fn inner_products(vectors: &[&[f32]], passage: &[u8]) -> Vec<f32> {
    let mut products = similarities(vectors.iter().copied(), &[passage]).pop().unwrap_or_default();
    products.iter_mut().for_each(|product| *product /= FRAC_PI_2.sqrt());
    products
}

/// The signs of some states as vectors of length 1, one after another.
pub(super) fn unpack(passage: &[u8], dimension: usize) -> Vec<f32> {
    let length = 1.0 / (dimension.max(1) as f32).sqrt();
    passage.iter().flat_map(|&byte| SIGNS[usize::from(byte)].map(|sign| f32::from(sign) * length)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A pseudo-random unit vector, the same on every machine.
    fn vector(seed: u64, dimension: usize) -> Vec<f32> {
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let mut next = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 40) as f32 / (1u64 << 24) as f32
        };
        // A sum of several uniform values is close to normally distributed, as states are.
        let values: Vec<f32> = (0..dimension).map(|_| (0..6).map(|_| next()).sum::<f32>() - 3.0).collect();
        let length = values.iter().map(|value| value * value).sum::<f32>().sqrt();
        values.into_iter().map(|value| value / length).collect()
    }

    fn compress(states: &[Vec<f32>]) -> Vec<u8> {
        let mut bytes = Vec::new();
        states.iter().for_each(|state| push(state, &mut bytes));
        bytes
    }

    fn of_one<'a>(query: impl Iterator<Item = &'a [f32]>, passage: &[u8]) -> Vec<f32> {
        similarities(query, &[passage]).remove(0)
    }

    fn dot(a: &[f32], b: &[f32]) -> f32 {
        a.iter().zip(b).map(|(a, b)| a * b).sum()
    }

    #[test]
    fn signs_come_back() {
        let state: Vec<f32> = vector(7, 384);
        let bytes = compress(std::slice::from_ref(&state));
        assert_eq!(bytes.len(), bytes_per_state(384));
        for (index, value) in state.iter().enumerate() {
            let sign = SIGNS[usize::from(bytes[index / 8])][index % 8];
            assert_eq!(sign > 0, *value >= 0.0, "dimension {index}");
        }
    }

    #[test]
    fn estimates_are_near_the_floats() {
        // A passage state made of `share` of the query and otherwise of something else has about that inner product.
        for (seed, share) in [(1u64, 0.0f32), (2, 0.3), (3, 0.6), (4, 0.9), (5, 1.0)] {
            let (query, other) = (vector(seed, 384), vector(seed + 100, 384));
            let mixed: Vec<f32> =
                query.iter().zip(&other).map(|(q, o)| share * q + (1.0 - share * share).sqrt() * o).collect();
            let estimate = of_one([query.as_slice()].into_iter(), &compress(std::slice::from_ref(&mixed)))[0];
            let exact = dot(&query, &mixed);
            assert!((estimate - exact).abs() < 0.1, "share {share}: {estimate} for {exact}");
        }
    }

    #[test]
    fn similarities_are_those_of_a_naive_loop() {
        let query: Vec<Vec<f32>> = (0..5).map(|seed| vector(seed + 1, 384)).collect();
        let passage: Vec<Vec<f32>> = (0..40).map(|seed| vector(seed + 50, 384)).collect();
        let found = of_one(query.iter().map(Vec::as_slice), &compress(&passage));
        assert_eq!(found.len(), query.len() * passage.len());
        for (query, row) in query.iter().zip(found.chunks(passage.len())) {
            for (state, found) in passage.iter().zip(row) {
                let signs: Vec<f32> = state.iter().map(|value| value.signum()).collect();
                let naive = dot(query, &signs) * FRAC_PI_2.sqrt() / 384f32.sqrt();
                assert!((found - naive).abs() < 0.005, "{found} for {naive}");
            }
        }
    }

    #[test]
    #[cfg(target_arch = "x86_64")]
    fn four_at_once_are_those_one_by_one() {
        for (dimension, states) in [(8, 1), (72, 3), (384, 4), (392, 5), (384, 17)] {
            let query: Vec<Quantized> = (0..states).map(|seed| Quantized::of(&vector(seed + 3, dimension))).collect();
            let Some(fours) = fours::InterleavedStates::of(&query, dimension) else { return };
            let passage: Vec<Vec<f32>> = (0..9).map(|seed| vector(seed + 70, dimension)).collect();
            let passage = compress(&passage);
            let one_by_one = one_by_one(&query, dimension, &passage, 9);
            assert_eq!(similarities_by_fours(&query, &fours, &passage, 9), one_by_one, "{states} of {dimension}");
            assert!(one_by_one.iter().any(|product| *product > 0.0) && one_by_one.iter().any(|product| *product < 0.0));
        }
    }

    #[test]
    fn nothing_gives_nothing() {
        let query = vector(1, 384);
        assert!(of_one([query.as_slice()].into_iter(), &[]).is_empty());
        assert!(of_one(std::iter::empty(), &[0; 48]).is_empty());
        assert!(of_one([query.as_slice()].into_iter(), &[0; 47]).is_empty(), "not a whole state");
    }

    #[test]
    fn a_state_of_zeros_is_harmless() {
        let found = of_one([vec![0.0; 384].as_slice()].into_iter(), &[0xff; 48]);
        assert_eq!(found, [0.0]);
    }

    #[test]
    fn inner_products_are_those_of_the_unpacked_states() {
        let vectors: Vec<Vec<f32>> = (0..3).map(|seed| vector(seed + 9, 384)).collect();
        let states: Vec<Vec<f32>> = (0..4).map(|seed| vector(seed + 20, 384)).collect();
        let packed = compress(&states);
        let unpacked = unpack(&packed, 384);
        let slices: Vec<&[f32]> = vectors.iter().map(Vec::as_slice).collect();
        let expected: Vec<f32> =
            slices.iter().flat_map(|vector| unpacked.chunks(384).map(|state| dot(vector, state))).collect();
        let found = inner_products(&slices, &packed);
        assert_eq!(found.len(), expected.len());
        for (found, expected) in found.iter().zip(expected) {
            assert!((found - expected).abs() < 0.005, "{found} for {expected}");
        }
        assert!(inner_products(&slices, &packed[1..]).is_empty(), "not a whole state");
    }
}
