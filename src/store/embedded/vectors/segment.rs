//! One file of vectors: its layout, reading its rows, and writing it as a whole. `update.rs` decides which files are
//! merged, and `scan.rs` scans them.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};

use memmap2::Mmap;

use super::{damaged, folder_in, io_error};
use crate::base::ContentHash;
use crate::domain::ChunkId;
use crate::store::StoreError;
use crate::store::embedded::checked::Checks;

const MAGIC: &[u8; 8] = b"DSVECTOR";
const FORMAT: u32 = 2;

/// Magic (8), format (4), dimension (4), rows (8), hash of the body (16), hash of the preceding bytes (16), unused (8).
const HEADER: usize = 64;

/// A memory-mapped file of rows: after the header the packed chunk ids (8 bytes each), then the scales (4 each), then
/// the signs (one bit per dimension, in whole words of 8 bytes), then the values (one byte per dimension).
pub(super) struct Segment {
    path: PathBuf,
    map: Mmap,
    dimension: usize,
    rows: usize,
}

impl Segment {
    /// Opens a segment and checks the header and the length, without reading the whole file. The body is checked by
    /// [`Self::verify`].
    pub(super) fn open(data: &Path, name: &str) -> Result<Self, StoreError> {
        let path = folder_in(data).join(name);
        let file = File::open(&path).map_err(|error| io_error(data, "cannot open", &path, error))?;
        // SAFETY: a segment is written under another name, renamed when complete, and never changed afterwards; this
        // program only ever unlinks it. Truncating it from outside would break the guarantee that any mapped file
        // relies on.
        let map = unsafe { Mmap::map(&file) }.map_err(|error| io_error(data, "cannot map", &path, error))?;
        let header = map.first_chunk::<HEADER>().ok_or_else(|| damaged(&path, "it is cut short"))?;
        if &header[..8] != MAGIC || header[40..56] != *ContentHash::of(&header[..40]).as_bytes() {
            return Err(damaged(&path, "its header is not what was written"));
        }
        if u32_at(header, 8) != FORMAT {
            return Err(damaged(&path, "it is of another version"));
        }
        let (dimension, rows) = (u32_at(header, 12) as usize, u64_at(header, 16) as usize);
        let row = dimension + 12 + signs_width(dimension);
        let length = row.checked_mul(rows).and_then(|body| body.checked_add(HEADER));
        if dimension == 0 || length != Some(map.len()) {
            return Err(damaged(&path, "its length is not what its header says"));
        }
        Ok(Segment { path, map, dimension, rows })
    }

    /// Reads the whole body and compares it with its hash.
    pub(super) fn verify(&self) -> Result<(), StoreError> {
        if self.map[24..40] == *ContentHash::of(&self.map[HEADER..]).as_bytes() {
            Ok(())
        } else {
            Err(damaged(&self.path, "its content is not what was written"))
        }
    }

    /// Runs [`Self::verify`], unless that was already done.
    pub(super) fn check(&self, checks: &Checks) -> Result<(), StoreError> {
        checks.check(self.name().as_ref(), || self.verify())
    }

    pub(super) fn len(&self) -> usize {
        self.rows
    }

    pub(super) fn dimension(&self) -> usize {
        self.dimension
    }

    pub(super) fn chunk(&self, row: usize) -> u64 {
        u64_at(&self.map, HEADER + row * 8)
    }

    pub(super) fn scale(&self, row: usize) -> f32 {
        f32::from_bits(u32_at(&self.map, HEADER + self.rows * 8 + row * 4))
    }

    /// Returns the values of a row, each an `i8` in two's complement.
    pub(super) fn values(&self, row: usize) -> &[u8] {
        self.column(Column::Values, row..row + 1)
    }

    /// Returns the signs of some rows, [`signs_width`] bytes each, as written by [`push_signs`].
    pub(super) fn signs(&self, rows: Range<usize>) -> &[u8] {
        self.column(Column::Signs, rows)
    }

    /// Returns the bytes from which a row's score is computed.
    pub(super) fn parts(&self, row: usize) -> [&[u8]; 2] {
        [Column::Values, Column::Scales].map(|column| self.column(column, row..row + 1))
    }

    /// Returns the file's name.
    pub(super) fn name(&self) -> &str {
        self.path.file_name().and_then(|name| name.to_str()).unwrap_or_default()
    }

    /// Returns the file's length in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.map.len()
    }

    /// Returns the bytes of some rows in one column.
    fn column(&self, column: Column, rows: Range<usize>) -> &[u8] {
        let (offset, width) = match column {
            Column::Chunks => (0, 8),
            Column::Scales => (self.rows * 8, 4),
            Column::Signs => (self.rows * 12, signs_width(self.dimension)),
            Column::Values => (self.rows * (12 + signs_width(self.dimension)), self.dimension),
        };
        &self.map[HEADER + offset + rows.start * width..HEADER + offset + rows.end * width]
    }

    /// Returns the rows of `within` except those of `dead` documents, which must be ascending.
    pub(super) fn rows_without(&self, within: Range<usize>, dead: &[u64]) -> Vec<Range<usize>> {
        let mut alive = Vec::new();
        let mut next = within.start;
        for rows in dead.iter().filter_map(|&document| self.rows_of(document)) {
            if rows.start >= within.end {
                break;
            }
            if rows.start > next {
                alive.push(next..rows.start);
            }
            next = next.max(rows.end);
        }
        if next < within.end {
            alive.push(next..within.end);
        }
        alive
    }

    /// Returns the rows of a document, which are contiguous; `None` if it has none here.
    pub(super) fn rows_of(&self, document: u64) -> Option<Range<usize>> {
        let first = self.first_row_from(document << ChunkId::ORDINAL_BITS);
        let end = self.first_row_from((document + 1) << ChunkId::ORDINAL_BITS);
        (first < end).then_some(first..end)
    }

    /// Returns the row of a chunk; `None` if it is not here.
    pub(super) fn row_of(&self, chunk: ChunkId) -> Option<usize> {
        let row = self.first_row_from(chunk.pack());
        (row < self.rows && self.chunk(row) == chunk.pack()).then_some(row)
    }

    /// Returns the first row whose chunk is `packed` or a later one.
    fn first_row_from(&self, packed: u64) -> usize {
        let (mut low, mut high) = (0, self.rows);
        while low < high {
            let middle = low + (high - low) / 2;
            if self.chunk(middle) < packed {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }
}

/// The parts of a segment's body.
#[derive(Clone, Copy)]
enum Column {
    Chunks,
    Scales,
    Signs,
    Values,
}

/// Returns the number of bytes that the signs of a row take.
pub(super) fn signs_width(dimension: usize) -> usize {
    dimension.div_ceil(64) * 8
}

/// Appends one bit for each value, set if the value is above zero; the bits that pad the last word are not set.
pub(super) fn push_signs(values: &[u8], signs: &mut Vec<u8>) {
    for word in values.chunks(64) {
        let bits = word.iter().zip(0..).fold(0_u64, |bits, (&value, at)| bits | (u64::from((value as i8) > 0) << at));
        signs.extend(bits.to_le_bytes());
    }
}

/// Collects rows and writes them as a segment.
pub(super) struct SegmentBuilder {
    dimension: usize,
    chunks: Vec<u8>,
    scales: Vec<u8>,
    signs: Vec<u8>,
    values: Vec<u8>,
}

impl SegmentBuilder {
    pub(super) fn new(dimension: usize) -> Self {
        SegmentBuilder { dimension, chunks: Vec::new(), scales: Vec::new(), signs: Vec::new(), values: Vec::new() }
    }

    pub(super) fn len(&self) -> usize {
        self.chunks.len() / 8
    }

    pub(super) fn bytes(&self) -> usize {
        self.values.len()
    }

    pub(super) fn dimension(&self) -> usize {
        self.dimension
    }

    /// Adds a row. Its chunk must come after all previous ones, and it must have as many values as the dimension.
    pub(super) fn push(&mut self, chunk: u64, scale: f32, values: &[u8]) {
        self.chunks.extend(chunk.to_le_bytes());
        self.scales.extend(scale.to_le_bytes());
        push_signs(values, &mut self.signs);
        self.values.extend(values);
    }

    /// Writes the file under another name first, so that it is complete and durable before it gets its name.
    pub(super) fn write(&self, data: &Path, name: &str) -> Result<(), StoreError> {
        write_segment(data, name, self.dimension, self.len(), |sink| {
            sink(&self.chunks)?;
            sink(&self.scales)?;
            sink(&self.signs)?;
            sink(&self.values)
        })
    }
}

/// The receiver of the pieces of a body.
type Sink<'a> = dyn FnMut(&[u8]) -> std::io::Result<()> + 'a;

/// Writes the live rows of some segments as one. The segments must be in ascending order of their rows.
pub(super) fn merge(data: &Path, name: &str, parts: &[(&Segment, Vec<Range<usize>>)]) -> Result<(), StoreError> {
    let dimension = parts.first().map_or(1, |(segment, _)| segment.dimension);
    let rows = parts.iter().flat_map(|(_, alive)| alive).map(Range::len).sum();
    for (segment, _) in parts {
        segment.verify()?;
    }
    write_segment(data, name, dimension, rows, |sink| {
        // Column by column, each over all parts, directly from the maps.
        for column in [Column::Chunks, Column::Scales, Column::Signs, Column::Values] {
            for (segment, alive) in parts {
                for rows in alive {
                    sink(segment.column(column, rows.clone()))?;
                }
            }
        }
        Ok(())
    })
}

/// Writes a header and the body that `fill` produces in pieces. It is called twice: once for the hash, once for the
/// file.
fn write_segment(
    data: &Path,
    name: &str,
    dimension: usize,
    rows: usize,
    fill: impl Fn(&mut Sink<'_>) -> std::io::Result<()>,
) -> Result<(), StoreError> {
    let path = folder_in(data).join(name);
    let partial = path.with_extension("tmp");
    let written = (|| {
        let mut hasher = blake3::Hasher::new();
        fill(&mut |piece| {
            hasher.update(piece);
            Ok(())
        })?;
        let mut header = Vec::with_capacity(HEADER);
        header.extend(MAGIC);
        header.extend(FORMAT.to_le_bytes());
        header.extend((dimension as u32).to_le_bytes());
        header.extend((rows as u64).to_le_bytes());
        header.extend(&hasher.finalize().as_bytes()[..16]);
        let hash = ContentHash::of(&header);
        header.extend(hash.as_bytes());
        header.resize(HEADER, 0);
        let mut file = BufWriter::with_capacity(1 << 16, File::create(&partial)?);
        file.write_all(&header)?;
        fill(&mut |piece| file.write_all(piece))?;
        file.into_inner().map_err(std::io::IntoInnerError::into_error)?.sync_all()?;
        std::fs::rename(&partial, &path)
    })();
    written.map_err(|error| io_error(data, "cannot write", &path, error))
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    let mut number = [0; 4];
    number.copy_from_slice(&bytes[at..at + 4]);
    u32::from_le_bytes(number)
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    let mut number = [0; 8];
    number.copy_from_slice(&bytes[at..at + 8]);
    u64::from_le_bytes(number)
}
