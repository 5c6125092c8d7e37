//! The exact scan. A first pass over sign bits, with this as the second, would take the parts and give back the rows
//! worth scoring; nothing outside this file would change.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;
use std::ops::Range;

use rayon::prelude::*;
use simsimd::SpatialSimilarity;

use super::quantize;
use super::segment::Segment;
use crate::domain::ChunkId;
use crate::store::Scored;

/// Rows that one task scans: small enough to balance two cores, large enough that the task costs nothing.
const ROWS_IN_TASK: usize = 8192;

/// A row's score and chunk; greater is better: a larger score, then a smaller id.
#[derive(Clone, Copy, PartialEq)]
struct Candidate {
    score: f32,
    chunk: u64,
}

impl Eq for Candidate {}

impl Ord for Candidate {
    fn cmp(&self, other: &Self) -> Ordering {
        self.score.total_cmp(&other.score).then_with(|| other.chunk.cmp(&self.chunk))
    }
}

impl PartialOrd for Candidate {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The `k` best seen so far; the worst of them on top.
struct Best {
    k: usize,
    heap: BinaryHeap<Reverse<Candidate>>,
}

impl Best {
    fn new(k: usize) -> Self {
        Best { k, heap: BinaryHeap::with_capacity(k.min(ROWS_IN_TASK) + 1) }
    }

    fn push(&mut self, candidate: Candidate) {
        if self.heap.len() < self.k {
            self.heap.push(Reverse(candidate));
        } else if let Some(mut worst) = self.heap.peek_mut()
            && candidate > worst.0
        {
            *worst = Reverse(candidate);
        }
    }

    fn merge(mut self, other: Best) -> Best {
        for Reverse(candidate) in other.heap {
            self.push(candidate);
        }
        self
    }
}

/// The `k` rows of `parts` with the largest inner product with `query`, best first. Every part has its dimension.
pub(super) fn nearest(parts: &[(&Segment, Range<usize>)], query: &[f32], k: usize) -> Vec<Scored> {
    let (scale, values) = quantize(query);
    if k == 0 || scale == 0.0 {
        return Vec::new();
    }
    let tasks: Vec<(&Segment, Range<usize>)> = parts
        .iter()
        .flat_map(|(segment, rows)| {
            rows.clone().step_by(ROWS_IN_TASK).map(|start| (*segment, start..rows.end.min(start + ROWS_IN_TASK)))
        })
        .collect();
    let best = tasks
        .into_par_iter()
        .map(|(segment, rows)| {
            let mut best = Best::new(k);
            for row in rows {
                let product = dot(&values, signed(segment.values(row)));
                best.push(Candidate { score: product * scale * segment.scale(row), chunk: segment.chunk(row) });
            }
            best
        })
        .reduce(|| Best::new(k), Best::merge);
    let mut candidates: Vec<Candidate> = best.heap.into_iter().map(|Reverse(candidate)| candidate).collect();
    candidates.sort_by(|a, b| b.cmp(a));
    candidates.into_iter().map(|found| Scored { id: ChunkId::unpack(found.chunk), score: found.score }).collect()
}

/// The kernel answers unless the lengths differ, and segments of another dimension are not scanned.
fn dot(a: &[i8], b: &[i8]) -> f32 {
    <i8 as SpatialSimilarity>::dot(a, b).unwrap_or(0.0) as f32
}

fn signed(bytes: &[u8]) -> &[i8] {
    // SAFETY: `u8` and `i8` have the same size and alignment, and every bit pattern is a value of both.
    unsafe { std::slice::from_raw_parts(bytes.as_ptr().cast(), bytes.len()) }
}
