//! Encodes the many small parts of a document in few rows: one row for all its chunks, one for its vectors, and one per
//! 16 KiB of text. Only token states, which are as long as a page, have one row per chunk. Rows are expensive, bytes
//! are cheap.

use std::collections::HashMap;

use crate::base::ContentHash;
use crate::domain::{Chunk, ChunkVectors, Headings, Language};

/// The first byte of every row, so that a later layout can exist beside this one.
const LAYOUT: u8 = 1;

/// The first byte of a row that ends with a hash of its content, its key and the related data in other tables.
const SEALED: u8 = 2;

/// The bytes of a hash: enough to detect damage.
const HASH: usize = 8;

/// This bit is set in the length of a text block if the block's hash follows.
const HASHED_BLOCK: u32 = 1 << 31;

/// This bit is set in the number of headings if the headings of parts follow.
const WITH_PARTS: u32 = 1 << 31;

/// This bit is set in the number of headings if the places where further pages begin follow.
const WITH_TURNS: u32 = 1 << 30;

/// Bytes of a chunk's record: start (8), length (4), page (4), heading path (4), language (3), unused (1), hash (8).
const RECORD: usize = 32;

/// The bytes of extracted text that are compressed together. A block is small because showing a chunk unpacks one or
/// two of them.
pub(super) const TEXT_BLOCK: usize = 16 * 1024;

/// The number of chunks whose token states share a row in the old table.
pub(super) const OLD_STATES_IN_ROW: u32 = 8;

/// A row that differs from what the catalog wrote.
#[derive(Debug, thiserror::Error)]
#[error("a row is not what was written")]
pub(super) struct BadRow;

/// The location of a chunk in its document, with its properties.
#[derive(Debug, PartialEq)]
pub(super) struct ChunkPlace {
    pub(super) start: u64,
    pub(super) length: u32,
    pub(super) page: Option<u32>,
    pub(super) page_turns: Vec<usize>,
    pub(super) headings: Headings,
    pub(super) language: Language,
    /// The first bytes of the hash of the chunk's text.
    pub(super) hash: [u8; 8],
}

/// Returns the first bytes of a text's hash.
pub(super) fn short_hash(text: &str) -> [u8; HASH] {
    hash_of(&[text.as_bytes()])
}

fn hash_of(parts: &[&[u8]]) -> [u8; HASH] {
    let mut short = [0; HASH];
    short.copy_from_slice(&ContentHash::of_parts(parts).as_bytes()[..HASH]);
    short
}

/// Seals a row with a hash that [`unsealed`] verifies, covering the row, its key and `about`: the related data in
/// another table.
pub(super) fn sealed(mut row: Vec<u8>, key: i64, about: &[u8]) -> Vec<u8> {
    if let Some(first) = row.first_mut() {
        *first = SEALED;
    }
    let hash = hash_of(&[&key.to_le_bytes(), &row, about]);
    row.extend(hash);
    row
}

/// Returns a row without its seal, or an error if the row, its key or `about` differs from what was sealed. Rows
/// written before seals were introduced are accepted unchecked.
pub(super) fn unsealed<'a>(row: &'a [u8], key: i64, about: &[u8]) -> Result<&'a [u8], BadRow> {
    if row.first() == Some(&LAYOUT) {
        return Ok(row);
    }
    let (row, hash) = row.split_last_chunk::<HASH>().ok_or(BadRow)?;
    if hash_of(&[&key.to_le_bytes(), row, about]) == *hash { Ok(row) } else { Err(BadRow) }
}

/// Packs a block of text: its length, a hash of the length, the key and the compressed bytes, then these bytes.
pub(super) fn pack_text(block: &[u8], key: i64) -> Vec<u8> {
    let length = (block.len() as u32 | HASHED_BLOCK).to_le_bytes();
    let body = lz4_flex::compress(block);
    [&length[..], &hash_of(&[&key.to_le_bytes(), &length, &body]), &body].concat()
}

/// Unpacks a block from [`pack_text`], or one without a hash as earlier versions wrote it.
pub(super) fn unpack_text(packed: &[u8], key: i64) -> Result<Vec<u8>, BadRow> {
    let (head, mut body) = packed.split_first_chunk::<4>().ok_or(BadRow)?;
    let length = u32::from_le_bytes(*head);
    if length & HASHED_BLOCK != 0 {
        let (hash, rest) = body.split_first_chunk::<HASH>().ok_or(BadRow)?;
        if hash_of(&[&key.to_le_bytes(), head, rest]) != *hash {
            return Err(BadRow);
        }
        body = rest;
    }
    // A damaged length must not determine how much memory is allocated.
    let size = (length & !HASHED_BLOCK) as usize;
    if size > TEXT_BLOCK {
        return Err(BadRow);
    }
    lz4_flex::decompress(body, size).map_err(|_| BadRow)
}

/// Encodes the chunks of a document as one row: a header, records of fixed size, a table of offsets, then the distinct
/// heading paths with the places where pages begin. One chunk can thus be read without the others.
pub(super) fn encode_chunks(text: &str, chunks: &[Chunk]) -> Vec<u8> {
    let mut paths: Vec<(&Headings, &[usize])> = Vec::new();
    let mut number_of: HashMap<(&Headings, &[usize]), u32> = HashMap::new();
    let mut row = Vec::with_capacity(9 + chunks.len() * (RECORD + 4));
    row.push(LAYOUT);
    row.extend((chunks.len() as u32).to_le_bytes());
    for chunk in chunks {
        let above = (&chunk.headings, chunk.page_turns.as_slice());
        let path = *number_of.entry(above).or_insert_with(|| {
            paths.push(above);
            paths.len() as u32 - 1
        });
        row.extend((chunk.range.start as u64).to_le_bytes());
        row.extend((chunk.range.len() as u32).to_le_bytes());
        row.extend(chunk.page.unwrap_or(0).to_le_bytes());
        row.extend(path.to_le_bytes());
        let mut code = [0; 4];
        code[..3].copy_from_slice(&chunk.language.code().as_bytes()[..3]);
        row.extend(code);
        row.extend(short_hash(text.get(chunk.range.clone()).unwrap_or_default()));
    }
    let mut strings = Vec::new();
    row.extend((paths.len() as u32).to_le_bytes());
    for (path, turns) in paths {
        row.extend((strings.len() as u32).to_le_bytes());
        let with_parts = if path.parts.is_empty() { 0 } else { WITH_PARTS };
        let with_turns = if turns.is_empty() { 0 } else { WITH_TURNS };
        push_texts(&mut strings, &path.shared, with_parts | with_turns);
        if !path.parts.is_empty() {
            strings.extend((path.parts.len() as u32).to_le_bytes());
        }
        for (from, further) in &path.parts {
            strings.extend((*from as u32).to_le_bytes());
            push_texts(&mut strings, further, 0);
        }
        if !turns.is_empty() {
            strings.extend((turns.len() as u32).to_le_bytes());
        }
        for turn in turns {
            strings.extend((*turn as u32).to_le_bytes());
        }
    }
    row.extend(strings);
    row
}

/// Appends the number of texts with `flag`, then each text after its length.
fn push_texts(row: &mut Vec<u8>, texts: &[String], flag: u32) {
    row.extend((texts.len() as u32 | flag).to_le_bytes());
    for text in texts {
        row.extend((text.len() as u32).to_le_bytes());
        row.extend(text.as_bytes());
    }
}

/// Reads `count` texts written by [`push_texts`] from `cursor` on, and moves the cursor behind them.
fn read_texts(row: &[u8], cursor: &mut usize, count: u32) -> Result<Vec<String>, BadRow> {
    let mut texts = Vec::new();
    for _ in 0..count {
        let length = next_u32(row, cursor)? as usize;
        let bytes = row.get(*cursor..*cursor + length).ok_or(BadRow)?;
        texts.push(std::str::from_utf8(bytes).map_err(|_| BadRow)?.to_owned());
        *cursor += length;
    }
    Ok(texts)
}

fn next_u32(row: &[u8], cursor: &mut usize) -> Result<u32, BadRow> {
    let number = read_u32(row, *cursor)?;
    *cursor += 4;
    Ok(number)
}

/// Reads one chunk from a row of [`encode_chunks`]; `None` if the document has fewer chunks.
pub(super) fn decode_chunk(row: &[u8], ordinal: u32) -> Result<Option<ChunkPlace>, BadRow> {
    let count = read_header(row)?;
    if ordinal >= count {
        return Ok(None);
    }
    let at = 5 + ordinal as usize * RECORD;
    let record = row.get(at..at + RECORD).ok_or(BadRow)?;
    let page = read_u32(record, 12)?;
    let code = std::str::from_utf8(&record[20..23]).map_err(|_| BadRow)?;
    let mut hash = [0; 8];
    hash.copy_from_slice(&record[24..]);
    let table = 5 + count as usize * RECORD;
    let paths = read_u32(row, table)? as usize;
    let path = read_u32(record, 16)? as usize;
    let strings = table + 4 + paths * 4;
    let mut cursor = strings + read_u32(row, table + 4 + path * 4)? as usize;
    let shared = next_u32(row, &mut cursor)?;
    let texts = shared & !(WITH_PARTS | WITH_TURNS);
    let mut headings = Headings { shared: read_texts(row, &mut cursor, texts)?, parts: Vec::new() };
    let parts = if shared & WITH_PARTS == 0 { 0 } else { next_u32(row, &mut cursor)? };
    for _ in 0..parts {
        let from = next_u32(row, &mut cursor)? as usize;
        let further = next_u32(row, &mut cursor)?;
        headings.parts.push((from, read_texts(row, &mut cursor, further)?));
    }
    let turns = if shared & WITH_TURNS == 0 { 0 } else { next_u32(row, &mut cursor)? };
    let mut page_turns = Vec::new();
    for _ in 0..turns {
        page_turns.push(next_u32(row, &mut cursor)? as usize);
    }
    Ok(Some(ChunkPlace {
        start: u64::from_le_bytes(record[..8].try_into().map_err(|_| BadRow)?),
        length: read_u32(record, 8)?,
        page: (page > 0).then_some(page),
        page_turns,
        headings,
        language: Language::from_code(code),
        hash,
    }))
}

/// Returns the languages of the chunks in a row of [`encode_chunks`], in their order.
pub(super) fn decode_languages(row: &[u8]) -> Result<Vec<Language>, BadRow> {
    let count = read_header(row)? as usize;
    let records = row.get(5..5 + count * RECORD).ok_or(BadRow)?;
    let mut languages = Vec::with_capacity(count);
    let mut last = (&b""[..], Language::UNKNOWN);
    for code in records.chunks_exact(RECORD).map(|record| &record[20..23]) {
        // Usually all chunks are in one language.
        if code != last.0 {
            last = (code, Language::from_code(std::str::from_utf8(code).map_err(|_| BadRow)?));
        }
        languages.push(last.1);
    }
    Ok(languages)
}

/// Encodes the embeddings of a document as one row: a header, the dimension, then for each chunk its scale (0 for none)
/// and its quantized values.
pub(super) fn encode_vectors(dimension: usize, vectors: &[Option<ChunkVectors>]) -> Vec<u8> {
    let mut row = Vec::with_capacity(9 + vectors.len() * (dimension + 4));
    row.push(LAYOUT);
    row.extend((vectors.len() as u32).to_le_bytes());
    row.extend((dimension as u32).to_le_bytes());
    for vector in vectors {
        match vector {
            Some(vector) => {
                let (scale, values) = crate::store::embedded::vectors::quantize(&vector.embedding);
                row.extend(scale.to_le_bytes());
                row.extend(values.iter().map(|&value| value as u8));
            }
            None => row.resize(row.len() + 4 + dimension, 0),
        }
    }
    row
}

/// A chunk's ordinal, scale and values.
pub(super) type VectorRecord<'a> = (u32, f32, &'a [u8]);

/// Decodes the vectors in a row of [`encode_vectors`]: for each chunk that has one, its ordinal, scale and values (each
/// an `i8` in two's complement).
pub(super) fn decode_vectors(row: &[u8]) -> Result<Vec<VectorRecord<'_>>, BadRow> {
    let count = read_header(row)?;
    let dimension = read_u32(row, 5)? as usize;
    let body = row.get(9..9 + count as usize * (dimension + 4)).ok_or(BadRow)?;
    Ok(body
        .chunks_exact(dimension + 4)
        .zip(0..)
        .filter_map(|(record, ordinal)| {
            let scale = f32::from_le_bytes(record[..4].try_into().ok()?);
            (scale > 0.0).then_some((ordinal, scale, &record[4..]))
        })
        .collect())
}

/// Encodes the token states of one chunk, or of up to [`OLD_STATES_IN_ROW`]: a header, the lengths, the bytes.
pub(super) fn encode_states(states: &[&[u8]]) -> Vec<u8> {
    let mut row = vec![LAYOUT];
    row.extend((states.len() as u32).to_le_bytes());
    for state in states {
        row.extend((state.len() as u32).to_le_bytes());
    }
    for state in states {
        row.extend(*state);
    }
    row
}

/// Returns the number of bytes in a row of [`encode_states`] that are not states, given its first five bytes.
pub(super) fn states_overhead(start: &[u8]) -> Result<i64, BadRow> {
    let seal = if start.first() == Some(&SEALED) { HASH as i64 } else { 0 };
    Ok(5 + 4 * i64::from(read_header(start)?) + seal)
}

/// Returns one chunk's states from a row of [`encode_states`].
pub(super) fn decode_states(row: &[u8], within: u32) -> Result<&[u8], BadRow> {
    let count = read_header(row)?;
    if within >= count {
        return Ok(&[]);
    }
    let mut start = 5 + count as usize * 4;
    for earlier in 0..within as usize {
        start += read_u32(row, 5 + earlier * 4)? as usize;
    }
    let length = read_u32(row, 5 + within as usize * 4)? as usize;
    row.get(start..start + length).ok_or(BadRow)
}

/// Returns the number of chunks in a row.
pub(super) fn read_header(row: &[u8]) -> Result<u32, BadRow> {
    if !matches!(row.first(), Some(&(LAYOUT | SEALED))) {
        return Err(BadRow);
    }
    read_u32(row, 1)
}

fn read_u32(row: &[u8], at: usize) -> Result<u32, BadRow> {
    let bytes = row.get(at..at + 4).ok_or(BadRow)?;
    Ok(u32::from_le_bytes(bytes.try_into().map_err(|_| BadRow)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_changed_bit_breaks_the_seal() {
        let row = encode_states(&[&[1, 2, 3]]);
        assert_eq!(unsealed(&row, 7, b"old").unwrap(), row, "rows of earlier versions have none");
        let stored = sealed(row.clone(), 7, b"a title");
        assert_eq!(decode_states(unsealed(&stored, 7, b"a title").unwrap(), 0).unwrap(), [1, 2, 3]);
        assert!(unsealed(&stored, 7, b"another").is_err());
        assert!(unsealed(&stored, 8, b"a title").is_err());
        assert_eq!(stored.len() as i64 - states_overhead(&stored[..5]).unwrap(), 3);
        let text = b"the text of a block, the text of a block";
        let packed = pack_text(text, 7);
        assert_eq!(unpack_text(&packed, 7).unwrap(), text);
        assert!(unpack_text(&packed, 8).is_err());
        assert_eq!(unpack_text(&lz4_flex::compress_prepend_size(b"as before"), 7).unwrap(), b"as before");
        for bit in 0..stored.len() * 8 {
            let mut changed = stored.clone();
            changed[bit / 8] ^= 1 << (bit % 8);
            assert!(unsealed(&changed, 7, b"a title").is_err(), "bit {bit}");
        }
        for bit in 0..packed.len() * 8 {
            let mut changed = packed.clone();
            changed[bit / 8] ^= 1 << (bit % 8);
            assert!(unpack_text(&changed, 7).is_err(), "bit {bit}");
        }
    }

    #[test]
    fn chunks_come_back_one_by_one() {
        let text = "日本語の本文。And English.";
        let owned = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<String>>();
        let chunk = |range, page, page_turns: &[usize], headings: &[&str], parts: &[&str], language| Chunk {
            range,
            page,
            page_turns: page_turns.to_vec(),
            headings: Headings {
                shared: owned(headings),
                parts: owned(parts).into_iter().map(|text| (5, vec![text])).collect(),
            },
            language,
        };
        let chunks = [
            chunk(0..21, Some(3), &[9, 15], &["章", "節"], &[], Language::from_code("jpn")),
            chunk(21..33, None, &[], &[], &["項"], Language::ENGLISH),
            chunk(0..33, Some(4), &[9], &["章", "節"], &["項", "号"], Language::UNKNOWN),
        ];
        let row = encode_chunks(text, &chunks);
        for (chunk, ordinal) in chunks.iter().zip(0..) {
            let place = decode_chunk(&row, ordinal).unwrap().unwrap();
            let expected = ChunkPlace {
                start: chunk.range.start as u64,
                length: chunk.range.len() as u32,
                page: chunk.page,
                page_turns: chunk.page_turns.clone(),
                headings: chunk.headings.clone(),
                language: chunk.language,
                hash: short_hash(&text[chunk.range.clone()]),
            };
            assert_eq!(place, expected);
        }
        assert_eq!(decode_chunk(&row, 3).unwrap(), None);
        assert_eq!(decode_languages(&row).unwrap(), chunks.map(|chunk| chunk.language));
        assert!(decode_languages(&row[..5 + 2 * RECORD]).is_err());
        assert_eq!(read_header(&row).unwrap(), 3);
    }

    #[test]
    fn a_row_cut_anywhere_is_an_error_and_no_panic() {
        let headings = Headings { shared: vec!["one".into()], parts: vec![(0, vec!["two".into()])] };
        let page_turns = vec![0];
        let chunks = [Chunk { range: 0..1, page: None, page_turns, headings, language: Language::ENGLISH }];
        let row = encode_chunks("a", &chunks);
        for end in 0..row.len() {
            assert!(decode_chunk(&row[..end], 0).is_err(), "cut at {end}");
        }
        let vectors = encode_vectors(2, &[Some(ChunkVectors { embedding: vec![1.0, 0.0], states: vec![] })]);
        for end in 0..vectors.len() {
            assert!(decode_vectors(&vectors[..end]).is_err(), "cut at {end}");
        }
        let states = encode_states(&[b"ab", b"c"]);
        for end in 0..states.len() {
            assert!(decode_states(&states[..end], 1).is_err(), "cut at {end}");
        }
    }

    #[test]
    fn missing_vectors_keep_the_others_in_place() {
        let vector = |embedding: &[f32]| Some(ChunkVectors { embedding: embedding.to_vec(), states: vec![] });
        let row = encode_vectors(2, &[None, vector(&[0.0, -1.0]), None, vector(&[0.6, 0.8])]);
        let found = decode_vectors(&row).unwrap();
        assert_eq!(found.iter().map(|(ordinal, ..)| *ordinal).collect::<Vec<_>>(), [1, 3]);
        assert_eq!(found[0].2, [0, -127i8 as u8]);
    }

    #[test]
    fn states_of_one_chunk_are_its_own() {
        let row = encode_states(&[b"first", b"", b"third"]);
        for (within, expected) in [(0, &b"first"[..]), (1, b""), (2, b"third"), (3, b"")] {
            assert_eq!(decode_states(&row, within).unwrap(), expected);
        }
    }
}
