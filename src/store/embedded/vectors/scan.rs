//! Scans the vectors. The exact scan takes the inner product of the query with every row. The two-stage scan first
//! counts in how many signs each row differs from the query, which reads an eighth of the bytes, and then scores
//! exactly the rows that differ least.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;
use std::ops::Range;

use rayon::prelude::*;
use simsimd::SpatialSimilarity;

use super::segment::{Segment, push_signs, signs_width};
use super::{Nearest, quantize};
use crate::domain::ChunkId;
use crate::store::Scored;
use crate::store::embedded::admitted::Admitted;

/// The rows that one task scans: few enough to balance two cores, enough to make the cost of a task negligible.
const ROWS_IN_TASK: usize = 8192;

/// Up to this many tasks run on the calling thread: they take about a millisecond, and a server's other threads have
/// searches of their own.
const TASKS_ALONE: usize = 16;

/// Up to this many rows are scanned exactly, which takes a few milliseconds.
const EXACT_ROWS: usize = 50_000;

/// The least number of rows that the second stage scores. Of a million rows made from real embeddings, these include 99
/// % of the ten best, 98 % of the hundred best and 97 % of the two hundred best (`examples/scale.rs`).
const SECOND_STAGE: usize = 4096;

/// The number of rows that the second stage scores per requested row, if that is more.
const SECOND_STAGE_OF_K: usize = 20;

/// One row in this many is counted to choose the border of the second stage.
const SAMPLE: usize = 16;

/// The rows that are skipped together when rows are chosen for the second stage.
const ROWS_IN_BLOCK: usize = 32;

/// How many bytes ahead signs are prefetched. The processor's own prefetching of a stream is not far enough ahead to
/// keep up with the counting: a million rows then take 5.0 ms of one core instead of 3.5.
const SIGNS_AHEAD: usize = 2048;

/// How many rows ahead the second stage prefetches. Its rows are spread all over the file, so this halves its time.
const ROWS_AHEAD: usize = 8;

/// The bytes that a processor fetches at once.
const CACHE_LINE: usize = 64;

/// A row and its score. Greater means better: a larger score, then a smaller id, which is read only if scores are
/// equal.
#[derive(Clone, Copy)]
struct Candidate<'s> {
    score: f32,
    segment: &'s Segment,
    row: usize,
}

impl<'s> Candidate<'s> {
    /// Returns a row with its inner product with the query.
    fn of(segment: &'s Segment, row: usize, query: &[i8], scale: f32) -> Self {
        Candidate { score: dot(query, signed(segment.values(row))) * scale * segment.scale(row), segment, row }
    }

    fn chunk(&self) -> u64 {
        self.segment.chunk(self.row)
    }
}

impl PartialEq for Candidate<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Candidate<'_> {}

impl Ord for Candidate<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.score.total_cmp(&other.score).then_with(|| other.chunk().cmp(&self.chunk()))
    }
}

impl PartialOrd for Candidate<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The `k` best candidates so far, with the worst of them on top.
struct Best<'s> {
    k: usize,
    heap: BinaryHeap<Reverse<Candidate<'s>>>,
}

impl<'s> Best<'s> {
    fn new(k: usize) -> Self {
        Best { k, heap: BinaryHeap::with_capacity(k.min(ROWS_IN_TASK) + 1) }
    }

    fn push(&mut self, candidate: Candidate<'s>) {
        if self.heap.len() < self.k {
            self.heap.push(Reverse(candidate));
        } else if let Some(mut worst) = self.heap.peek_mut()
            && candidate > worst.0
        {
            *worst = Reverse(candidate);
        }
    }
}

/// A range of rows of one segment that one task scans.
type Task<'s> = (&'s Segment, Range<usize>);

/// Returns the `k` rows of `parts` with the largest inner product with the query, best first. Every part must have the
/// query's dimension.
///
/// Many rows are scanned in two stages unless `asked.exact`: all by their signs, then the nearest of them in full.
pub(super) fn nearest(parts: &[Task<'_>], asked: &Nearest<'_>) -> Vec<Scored> {
    let (k, (scale, values)) = (asked.k, quantize(asked.vector));
    if k == 0 || scale == 0.0 {
        return Vec::new();
    }
    let tasks: Vec<Task<'_>> = parts
        .iter()
        .flat_map(|(segment, rows)| {
            rows.clone().step_by(ROWS_IN_TASK).map(|start| (*segment, start..rows.end.min(start + ROWS_IN_TASK)))
        })
        .collect();
    let all: usize = tasks.iter().map(|(_, rows)| rows.len()).sum();
    let rows = asked.admitted.map_or(all, |admitted| all.min(usize::try_from(admitted.chunks()).unwrap_or(all)));
    let second_stage = SECOND_STAGE.max(k.saturating_mul(SECOND_STAGE_OF_K));
    let score = |segment, row| Candidate::of(segment, row, &values, scale);
    let found: Vec<Vec<Candidate<'_>>> = if asked.exact || rows <= EXACT_ROWS.max(second_stage) {
        each(&tasks, |_, (segment, rows)| {
            let mut best = Best::new(k);
            let keeps = keeps(segment, asked.admitted);
            rows.clone().filter(|&row| keeps(row)).for_each(|row| best.push(score(segment, row)));
            best.heap.into_iter().map(|Reverse(candidate)| candidate).collect()
        })
    } else {
        let (distances, farthest) = by_signs(&tasks, &values, asked.admitted, second_stage);
        each(&tasks, |nth, (segment, rows)| {
            let near: Vec<usize> = within(&distances[nth], farthest).map(|place| rows.start + place).collect();
            let scored = near.iter().enumerate().map(|(at, &row)| {
                if let Some(&next) = near.get(at + ROWS_AHEAD) {
                    segment.parts(next).into_iter().for_each(fetch);
                }
                score(segment, row)
            });
            scored.collect()
        })
    };
    let mut candidates: Vec<Candidate<'_>> = found.into_iter().flatten().collect();
    if candidates.len() > k {
        candidates.select_nth_unstable_by(k - 1, |a, b| b.cmp(a));
        candidates.truncate(k);
    }
    candidates.sort_unstable_by(|a, b| b.cmp(a));
    candidates.into_iter().map(|found| Scored { id: ChunkId::unpack(found.chunk()), score: found.score }).collect()
}

/// Runs `work` on each task with its index and returns the results in order, on all threads unless the tasks are few.
fn each<'s, T: Send>(tasks: &[Task<'s>], work: impl Fn(usize, &Task<'s>) -> T + Sync) -> Vec<T> {
    let numbered = |nth: usize| work(nth, &tasks[nth]);
    if tasks.len() <= TASKS_ALONE {
        (0..tasks.len()).map(numbered).collect()
    } else {
        (0..tasks.len()).into_par_iter().map(numbered).collect()
    }
}

/// Whether a row of the segment may be found.
fn keeps<'s>(segment: &'s Segment, admitted: Option<&'s Admitted>) -> impl Fn(usize) -> bool + 's {
    move |row| admitted.is_none_or(|admitted| admitted.contains(ChunkId::unpack(segment.chunk(row)).document.0))
}

/// Returns in how many signs each row of each task differs from the query, and the distance within which about `wanted`
/// rows lie. Rows that are not admitted get the largest distance.
fn by_signs(tasks: &[Task<'_>], values: &[i8], admitted: Option<&Admitted>, wanted: usize) -> (Vec<Vec<u16>>, u16) {
    let mut signs = Vec::with_capacity(signs_width(values.len()));
    push_signs(unsigned(values), &mut signs);
    let query: Vec<u64> = signs.chunks_exact(8).map(word).collect();
    // One row in sixteen is enough to estimate the border. Admitted rows may follow a pattern, so with a filter all are
    // counted.
    let sample = if admitted.is_some() { 1 } else { SAMPLE };
    let of_tasks: Vec<(Vec<u16>, Vec<usize>)> = each(tasks, |_, (segment, rows)| {
        let mut distances = Vec::with_capacity(rows.len());
        sign_distances(&query, segment.signs(rows.clone()), &mut distances);
        if admitted.is_some() {
            let keeps = keeps(segment, admitted);
            let left_out = distances.iter_mut().zip(rows.clone()).filter(|(_, row)| !keeps(*row));
            left_out.for_each(|(distance, _)| *distance = u16::MAX);
        }
        let mut counts = vec![0; values.len() + 1];
        for &distance in distances.iter().step_by(sample) {
            if let Some(count) = counts.get_mut(usize::from(distance)) {
                *count += sample;
            }
        }
        (distances, counts)
    });
    let (distances, of_tasks): (Vec<Vec<u16>>, Vec<Vec<usize>>) = of_tasks.into_iter().unzip();
    let mut counts = vec![0_usize; values.len() + 1];
    for of_task in of_tasks {
        counts.iter_mut().zip(of_task).for_each(|(count, of_task)| *count += of_task);
    }
    let mut within = 0;
    let farthest = counts.iter().position(|count| {
        within += count;
        within >= wanted
    });
    (distances, farthest.unwrap_or(values.len()).try_into().unwrap_or(u16::MAX - 1))
}

/// Returns the positions of distances up to `farthest`. They are few, so blocks without any are skipped: the processor
/// compares many distances of a block at once, because the test has no branch for each.
fn within(distances: &[u16], farthest: u16) -> impl Iterator<Item = usize> + '_ {
    let has_any = move |block: &[u16]| block.iter().fold(false, |any, distance| any | (*distance <= farthest));
    let blocks = distances.chunks(ROWS_IN_BLOCK).zip((0..).step_by(ROWS_IN_BLOCK));
    blocks.filter(move |(block, _)| has_any(block)).flat_map(move |(block, start)| {
        block.iter().zip(start..).filter(move |(distance, _)| **distance <= farthest).map(|(_, place)| place)
    })
}

/// Appends the number of differing bits of each row. Every x86-64 processor of the last fifteen years has an
/// instruction that counts bits, but a build for all processors does not use it by default.
fn sign_distances(query: &[u64], signs: &[u8], distances: &mut Vec<u16>) {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("popcnt") {
        #[target_feature(enable = "popcnt")]
        fn counted(query: &[u64], signs: &[u8], distances: &mut Vec<u16>) {
            count_differences(query, signs, distances);
        }
        // SAFETY: the check above found that the processor has the instruction.
        unsafe { counted(query, signs, distances) };
        return;
    }
    count_differences(query, signs, distances);
}

#[inline(always)]
fn count_differences(query: &[u64], signs: &[u8], distances: &mut Vec<u16>) {
    // For the dimensions of common models, loops have a fixed length: 1.8 ms instead of 2.8 for a million rows of 384.
    match query.len() {
        6 => count_in_words::<6>(query, signs, distances),
        12 => count_in_words::<12>(query, signs, distances),
        16 => count_in_words::<16>(query, signs, distances),
        _ => count_in_rows(query, signs, distances),
    }
}

#[inline(always)]
fn count_in_words<const WORDS: usize>(query: &[u64], signs: &[u8], distances: &mut Vec<u16>) {
    let Some(query) = query.first_chunk::<WORDS>() else { return };
    let (rows, _) = signs.as_chunks::<8>().0.as_chunks::<WORDS>();
    distances.reserve(rows.len());
    for row in rows {
        distances.push(differing(query, row));
    }
}

#[inline(always)]
fn count_in_rows(query: &[u64], signs: &[u8], distances: &mut Vec<u16>) {
    let words = signs.as_chunks::<8>().0;
    distances.reserve(words.len() / query.len().max(1));
    for row in words.chunks_exact(query.len().max(1)) {
        distances.push(differing(query, row));
    }
}

/// A loop over indices instead of a chain of iterators: parts of a chain become separate functions, which are called
/// for each row and are compiled for all processors, without the instruction.
#[inline(always)]
fn differing(query: &[u64], row: &[[u8; 8]]) -> u16 {
    fetch_line(row.as_ptr().cast::<u8>().wrapping_add(SIGNS_AHEAD));
    let (mut differing, mut at) = (0, 0);
    while at < query.len().min(row.len()) {
        differing += (u64::from_le_bytes(row[at]) ^ query[at]).count_ones();
        at += 1;
    }
    differing as u16
}

#[inline(always)]
fn word(bytes: &[u8]) -> u64 {
    bytes.first_chunk::<8>().map_or(0, |bytes| u64::from_le_bytes(*bytes))
}

/// Prefetches bytes that are read soon.
fn fetch(bytes: &[u8]) {
    bytes.iter().step_by(CACHE_LINE).chain(bytes.last()).for_each(|byte| fetch_line(byte));
}

/// Prefetches the bytes around an address, which need not be valid: a prefetch hint reads nothing and never fails.
#[inline(always)]
fn fetch_line(address: *const u8) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: every processor of this architecture has the instruction, which has no effect that a program could
    // observe.
    unsafe {
        std::arch::x86_64::_mm_prefetch::<{ std::arch::x86_64::_MM_HINT_T0 }>(address.cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = address;
}

/// Returns the inner product. The kernel fails only if the lengths differ, and segments of another dimension are not
/// scanned.
fn dot(a: &[i8], b: &[i8]) -> f32 {
    <i8 as SpatialSimilarity>::dot(a, b).unwrap_or(0.0) as f32
}

fn signed(bytes: &[u8]) -> &[i8] {
    // SAFETY: `u8` and `i8` have the same size and alignment, and every bit pattern is a value of both.
    unsafe { std::slice::from_raw_parts(bytes.as_ptr().cast(), bytes.len()) }
}

fn unsigned(values: &[i8]) -> &[u8] {
    // SAFETY: as in `signed`.
    unsafe { std::slice::from_raw_parts(values.as_ptr().cast(), values.len()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::embedded::vectors::segment::SegmentBuilder;

    #[test]
    fn two_stages_find_what_one_finds() {
        const DIMENSION: usize = 64;
        let mut rng = crate::base::Rng::new(3);
        let mut vector = || -> Vec<f32> { (0..DIMENSION).map(|_| rng.below(2001) as f32 / 1000.0 - 1.0).collect() };
        let mut builder = SegmentBuilder::new(DIMENSION);
        for row in 0..EXACT_ROWS as u64 + 10_000 {
            let (scale, values) = quantize(&vector());
            builder.push(row, scale, unsigned(&values));
        }
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join(super::super::FOLDER)).unwrap();
        builder.write(folder.path(), "a.vec").unwrap();
        let segment = Segment::open(folder.path(), "a.vec").unwrap();
        // Rows in the middle are left out.
        let parts = [(&segment, 0..20_000), (&segment, 20_500..segment.len())];
        let mut shared = 0;
        for _ in 0..10 {
            let vector = vector();
            let exact = nearest(&parts, &Nearest { vector: &vector, k: 10, exact: true, admitted: None });
            let staged = nearest(&parts, &Nearest { vector: &vector, k: 10, exact: false, admitted: None });
            assert_eq!((exact.len(), staged.len()), (10, 10));
            assert!(staged.iter().all(|found| !(20_000..20_500).contains(&found.id.pack())));
            assert!(staged.windows(2).all(|pair| pair[0].score >= pair[1].score));
            shared += staged.iter().filter(|found| exact.contains(found)).count();
        }
        assert!(shared >= 90, "{shared} of 100");
    }

    #[test]
    fn the_rows_of_the_second_stage_are_those_near_enough() {
        let mut rng = crate::base::Rng::new(9);
        for length in [0, 1, 31, 32, 33, 1000] {
            let distances: Vec<u16> = (0..length).map(|_| 100 + rng.below(100) as u16).chain([u16::MAX]).collect();
            for farthest in [99, 100, 103, 150, u16::MAX - 1] {
                let found: Vec<usize> = within(&distances, farthest).collect();
                let near = |place: &usize| distances[*place] <= farthest;
                let expected: Vec<usize> = (0..distances.len()).filter(near).collect();
                assert_eq!(found, expected, "{length} rows, {farthest}");
            }
        }
    }

    #[test]
    fn a_filter_is_asked_before_the_best_are_chosen() {
        const DIMENSION: usize = 64;
        const CHUNKS: u64 = 8;
        let mut rng = crate::base::Rng::new(5);
        let mut vector = || -> Vec<f32> { (0..DIMENSION).map(|_| rng.below(2001) as f32 / 1000.0 - 1.0).collect() };
        let mut builder = SegmentBuilder::new(DIMENSION);
        let documents = EXACT_ROWS as u64 * 3 / CHUNKS;
        for row in 0..documents * CHUNKS {
            let (scale, values) = quantize(&vector());
            let chunk = ChunkId { document: crate::domain::DocumentId(row / CHUNKS), ordinal: (row % CHUNKS) as u32 };
            builder.push(chunk.pack(), scale, unsigned(&values));
        }
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join(super::super::FOLDER)).unwrap();
        builder.write(folder.path(), "a.vec").unwrap();
        let segment = Segment::open(folder.path(), "a.vec").unwrap();
        let vector = vector();
        let search = |k, exact, admitted: Option<&Admitted>| {
            nearest(&[(&segment, 0..segment.len())], &Nearest { vector: &vector, k, exact, admitted })
        };
        let all = search(segment.len(), true, None);
        // Every hundredth document, scanned exactly; and every second, whose rows are too many for that.
        for (every, least) in [(100, 50), (2, 45)] {
            let mut admitted = Admitted::default();
            (0..documents)
                .filter(|document| document % every == 0)
                .for_each(|document| admitted.insert(document, CHUNKS));
            let expected: Vec<Scored> =
                all.iter().filter(|found| admitted.contains(found.id.document.0)).take(50).copied().collect();
            assert_eq!(search(50, true, Some(&admitted)), expected, "every {every}");
            let found = search(50, false, Some(&admitted));
            assert!(found.len() == 50 && found.iter().all(|found| admitted.contains(found.id.document.0)));
            let shared = found.iter().filter(|found| expected.contains(found)).count();
            assert!(shared >= least, "{shared} of 50 with every {every}");
        }
        assert!(search(50, false, Some(&Admitted::default())).is_empty());
    }

    #[test]
    fn signs_differ_where_values_do() {
        fn check(a: &[i8], b: &[i8], expected: u16) {
            let (mut signs, mut query) = (Vec::new(), Vec::new());
            push_signs(unsigned(a), &mut signs);
            push_signs(unsigned(b), &mut query);
            assert_eq!(signs.len(), signs_width(a.len()));
            let query: Vec<u64> = query.chunks_exact(8).map(word).collect();
            let (mut fast, mut plain) = (Vec::new(), Vec::new());
            sign_distances(&query, &signs, &mut fast);
            count_differences(&query, &signs, &mut plain);
            assert_eq!((fast.as_slice(), plain.as_slice()), (&[expected][..], &[expected][..]));
        }
        check(&[1, -1, 0], &[1, -1, 0], 0);
        check(&[1, -1, 0], &[-5, 7, 0], 2);
        check(&[1, -1, 0], &[127, -127, -1], 0);
        for dimension in [130, 384, 768, 1024] {
            check(&vec![1; dimension], &vec![-1; dimension], dimension as u16);
        }
    }
}
