//! A document that is a zip archive of parts, opened with limits.
//!
//! The sizes that an archive states are not trusted: bytes are counted as they are decompressed. A part, all parts
//! together and the ratio to the stored size are capped, so a small file cannot fill the memory.

use std::io::{Cursor, Read};

use zip::ZipArchive;
use zip::result::ZipError;

use super::ParseError;
use crate::documents::magic::is_zip;
use crate::documents::whole_zip;

/// Limits on what may come out of an archive.
#[derive(Clone, Copy, Debug)]
struct Limits {
    /// Bytes of one part.
    part_bytes: u64,
    /// Bytes of all parts that are read.
    total_bytes: u64,
    /// The ratio of unpacked bytes to the size of the archive, unless they are at most [`FREE_BYTES`].
    ratio: u64,
    /// The number of parts.
    parts: usize,
}

/// One word repeated over and over packs a thousand times smaller; this many bytes are never a danger.
const FREE_BYTES: u64 = 16 << 20;

impl Default for Limits {
    fn default() -> Self {
        Limits { part_bytes: 256 << 20, total_bytes: 512 << 20, ratio: 200, parts: 65_536 }
    }
}

/// An open archive.
#[derive(Debug)]
pub(super) struct Package<'a> {
    archive: ZipArchive<Cursor<&'a [u8]>>,
    format: &'static str,
    limits: Limits,
    stored_bytes: u64,
    read_bytes: u64,
    /// Bytes unpacked so far, those of refused parts included.
    unpacked_bytes: u64,
}

impl<'a> Package<'a> {
    /// Opens the archive of a document of the given format.
    pub(super) fn open(bytes: &'a [u8], format: &'static str) -> Result<Self, ParseError> {
        Package::with_limits(bytes, format, Limits::default())
    }

    /// Opens an archive with the caller's limits.
    fn with_limits(bytes: &'a [u8], format: &'static str, limits: Limits) -> Result<Self, ParseError> {
        let broken = |reason: String| ParseError::Broken { format, reason };
        if !is_zip(bytes) {
            return Err(broken(format!(
                "it is no zip archive, as every {format} is: its name is wrong, or its words are lost"
            )));
        }
        let archive = whole_zip::open(Cursor::new(bytes)).map_err(|error| broken(whole_zip::fault(&error)))?;
        if archive.len() > limits.parts {
            let reason = format!("it has {} parts, and at most {} are read", archive.len(), limits.parts);
            return Err(broken(reason));
        }
        Ok(Package { archive, format, limits, stored_bytes: bytes.len() as u64, read_bytes: 0, unpacked_bytes: 0 })
    }

    /// Reads a part that must be there.
    pub(super) fn require(&mut self, name: &str) -> Result<Vec<u8>, ParseError> {
        let format = self.format;
        self.read(name)?.ok_or_else(|| ParseError::Broken { format, reason: format!("its part `{name}` is missing") })
    }

    /// Unpacks every part once and keeps none, for a library that unpacks without limits of its own.
    pub(super) fn unpack_once(&mut self) -> Result<(), ParseError> {
        let mut total = 0_u64;
        let limit = self.limits.total_bytes.min(self.allowed_by_ratio());
        for index in 0..self.archive.len() {
            let part = self.archive.by_index(index).map_err(|error| fault(self.format, "a part of it", &error))?;
            let left = limit.saturating_sub(total);
            let most = left.min(self.limits.part_bytes);
            let read = std::io::copy(&mut part.take(most.saturating_add(1)), &mut std::io::sink());
            let read = read.map_err(|error| ParseError::Broken {
                format: self.format,
                reason: format!("a part of it cannot be unpacked: {error}"),
            })?;
            total += read;
            if read > most {
                let (what, most) = if most < left { ("a part of it", most) } else { ("it", limit) };
                let reason = format!("{what} unpacks to more than {most} bytes, which no document of this size does");
                return Err(ParseError::Broken { format: self.format, reason });
            }
        }
        Ok(())
    }

    fn allowed_by_ratio(&self) -> u64 {
        self.stored_bytes.saturating_mul(self.limits.ratio).max(FREE_BYTES)
    }

    /// Reads a part; `None` if there is none of that name.
    pub(super) fn read(&mut self, name: &str) -> Result<Option<Vec<u8>>, ParseError> {
        let format = self.format;
        let left = self.limits.total_bytes.saturating_sub(self.unpacked_bytes);
        let by_ratio = self.allowed_by_ratio();
        let limit = self.limits.part_bytes.min(left).min(by_ratio.saturating_sub(self.read_bytes));
        let part = match self.archive.by_name(name) {
            Ok(part) => part,
            Err(ZipError::FileNotFound) => return Ok(None),
            Err(error) => return Err(fault(format, &format!("its part `{name}`"), &error)),
        };
        if part.encrypted() {
            return Err(ParseError::Encrypted);
        }
        let mut bytes = Vec::new();
        let read = part.take(limit.saturating_add(1)).read_to_end(&mut bytes);
        self.unpacked_bytes += bytes.len() as u64;
        read.map_err(|error| ParseError::Broken {
            format,
            reason: format!("its part `{name}` cannot be unpacked: {error}"),
        })?;
        if bytes.len() as u64 > limit {
            let reason =
                format!("its part `{name}` unpacks to more than {limit} bytes, which no document of this size does");
            return Err(ParseError::Broken { format, reason });
        }
        self.read_bytes += bytes.len() as u64;
        Ok(Some(bytes))
    }
}

/// The result of `read` on a part; the default if the part is missing.
pub(super) fn read_optional_part<T: Default>(
    part: Result<Option<Vec<u8>>, ParseError>,
    read: impl FnOnce(Vec<u8>) -> Result<T, ParseError>,
) -> Result<T, ParseError> {
    part?.map(read).transpose().map(Option::unwrap_or_default)
}

/// The name of the part that a target refers to; a relative target starts from the folder of the part that names it.
pub(super) fn resolve(folder: &str, target: &str) -> String {
    if let Some(absolute) = target.strip_prefix('/') {
        return absolute.to_owned();
    }
    let mut path: Vec<&str> = folder.split('/').filter(|step| !step.is_empty()).collect();
    for step in target.split('/') {
        match step {
            "" | "." => {}
            ".." => {
                path.pop();
            }
            _ => path.push(step),
        }
    }
    path.join("/")
}

fn fault(format: &'static str, what: &str, error: &ZipError) -> ParseError {
    match error {
        ZipError::UnsupportedArchive(reason) if *reason == ZipError::PASSWORD_REQUIRED => ParseError::Encrypted,
        _ => ParseError::Broken { format, reason: format!("{what} cannot be unpacked: {error}") },
    }
}

/// Archives for the tests of the formats that are archives.
#[cfg(test)]
pub(super) mod testing {
    use std::io::{Cursor, Write};

    use zip::ZipWriter;
    use zip::write::SimpleFileOptions;

    /// An archive of parts.
    pub(in crate::documents::parse) fn archive(parts: &[(&str, &[u8])]) -> Vec<u8> {
        let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
        for (name, bytes) in parts {
            writer.start_file(*name, SimpleFileOptions::default()).expect("a part begins");
            writer.write_all(bytes).expect("a part is written");
        }
        writer.finish().expect("the archive ends").into_inner()
    }
}

#[cfg(test)]
mod tests {
    use super::testing::archive;
    use super::*;

    #[test]
    fn targets_become_names_of_parts() {
        let check = |folder: &str, target: &str, expected: &str| assert_eq!(resolve(folder, target), expected);
        check("word", "footnotes.xml", "word/footnotes.xml");
        check("ppt/slides", "../notesSlides/n1.xml", "ppt/notesSlides/n1.xml");
        check("ppt/slides", "/ppt/x.xml", "ppt/x.xml");
        check("", "word/document.xml", "word/document.xml");
        check("", "../../x", "x");
    }

    #[test]
    fn parts_are_read_by_name() {
        let bytes = archive(&[("b/c.xml", b"<c/>"), ("a", b"1")]);
        let mut package = Package::open(&bytes, "test").expect("it opens");
        assert_eq!(package.read("b/c.xml").expect("readable").as_deref(), Some(&b"<c/>"[..]));
        assert_eq!(package.read("absent").expect("readable"), None);
        let told = package.require("absent").expect_err("it is missing").to_string();
        assert_eq!(told, "broken test: its part `absent` is missing");
    }

    #[test]
    fn a_bomb_is_refused() {
        let zeros = vec![0; 40 << 20];
        let bytes = archive(&[("bomb", &zeros)]);
        assert!(bytes.len() < 100_000, "it is small: {}", bytes.len());
        let told = Package::open(&bytes, "test").expect("it opens").read("bomb").expect_err("refused").to_string();
        assert!(told.contains("unpacks to more than 16777216 bytes"), "{told}");
        let told = Package::open(&bytes, "test").expect("it opens").unpack_once().expect_err("refused").to_string();
        assert!(told.contains("unpacks to more than 16777216 bytes"), "{told}");
    }

    #[test]
    fn many_parts_share_one_limit() {
        let bytes = archive(&[("a", &[1; 600]), ("b", &[2; 600])]);
        let limits = Limits { total_bytes: 1000, ..Limits::default() };
        let mut package = Package::with_limits(&bytes, "test", limits).expect("it opens");
        assert_eq!(package.read("a").expect("readable").map(|part| part.len()), Some(600));
        assert!(package.read("b").is_err());
        // The bytes of a refused part count, since the rest of the document is still read.
        assert!(package.read("b").is_err_and(|told| told.to_string().contains("more than 0 bytes")));
        let check = |limits: Limits, expected: &str| {
            let mut package = Package::with_limits(&bytes, "test", limits).expect("it opens");
            let told = package.unpack_once().expect_err("refused").to_string();
            assert!(told.starts_with(expected), "{told}");
        };
        check(limits, "broken test: it unpacks to more than 1000 bytes");
        let limits = Limits { part_bytes: 500, ..Limits::default() };
        check(limits, "broken test: a part of it unpacks to more than 500 bytes");
        let limits = Limits { parts: 1, ..Limits::default() };
        assert!(Package::with_limits(&bytes, "test", limits).is_err());
    }

    #[test]
    fn what_is_cut_short_is_broken() {
        let bytes = archive(&[("a", b"words")]);
        let told = Package::open(&bytes[..bytes.len() - 10], "test").expect_err("broken").to_string();
        assert!(told.starts_with("broken test: it is cut short or damaged"), "{told}");
        let told = Package::open(b"words", "test").expect_err("none").to_string();
        assert!(told.starts_with("broken test: it is no zip archive"), "{told}");
    }
}
