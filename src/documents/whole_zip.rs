//! Opens zip archives that are whole, whether they contain documents or are one document.

use std::io::{ErrorKind, Read, Seek};

use zip::ZipArchive;
use zip::result::{ZipError, ZipResult};

/// Opens an archive that begins where `reader` does. An archive is found by its end; if its own end is missing, that of
/// an archive inside it would be taken for it.
pub(super) fn open<R: Read + Seek>(reader: R) -> ZipResult<ZipArchive<R>> {
    let archive = ZipArchive::new(reader)?;
    if archive.offset() > 0 {
        return Err(ZipError::InvalidArchive("what is left of it ends with another archive".into()));
    }
    Ok(archive)
}

/// Explains what is wrong with an archive that cannot be opened, and what to do.
pub(super) fn fault(error: &ZipError) -> String {
    let is_damaged = match error {
        ZipError::InvalidArchive(_) => true,
        ZipError::Io(error) => error.kind() == ErrorKind::UnexpectedEof,
        _ => false,
    };
    if is_damaged {
        return "it is cut short or damaged (it does not end with a list of what is in it): get it again".to_owned();
    }
    error.to_string()
}

#[cfg(test)]
mod tests {
    use std::io::{Cursor, Write};

    use zip::ZipWriter;
    use zip::write::SimpleFileOptions;

    use super::*;

    #[test]
    fn an_archive_that_lies_in_a_cut_one_does_not_pass_for_it() {
        let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
        writer.start_file("a.txt", SimpleFileOptions::default()).unwrap();
        writer.write_all(b"words").unwrap();
        let whole = writer.finish().unwrap().into_inner();
        assert_eq!(open(Cursor::new(&whole)).map(|archive| archive.len()).unwrap(), 1);
        let around = [&b"PK\x03\x04 a member, and the head of the next"[..], whole.as_slice()].concat();
        for cut in [&around[..], &whole[..whole.len() - 9]] {
            let error = open(Cursor::new(cut)).map(|archive| archive.len()).unwrap_err();
            assert!(fault(&error).starts_with("it is cut short or damaged"), "{error}");
        }
    }
}
