use std::fs::File;
use std::io::{BufReader, Read};

use encoding_rs::Encoding;
use zip::ZipArchive;
use zip::result::ZipError;

use super::found::{ArchiveEntry, Flow, Problem, Show};
use super::limits::{Counted, Meter};
use super::name::{leads_out, link_stays_inside};
use crate::documents::parse::charset_of_names;
use crate::documents::whole_zip;

/// The longest target of a link in bytes; no file system has longer ones.
const LONGEST_TARGET: u64 = 4096;

/// Shows the members of a zip archive in the order of its directory.
pub(super) fn read(file: File, meter: &Meter, show: Show<'_>) -> Result<Flow, Problem> {
    let mut archive = whole_zip::open(BufReader::new(file))
        .map_err(|error| Problem::Broken { format: "zip", reason: whole_zip::fault(&error) })?;
    let undeclared: Vec<&[u8]> = archive.file_names_raw().filter(|name| str::from_utf8(name).is_err()).collect();
    let charset = charset_of_names(&undeclared);
    for index in 0..archive.len() {
        meter.count_member()?;
        let head = head(&mut archive, index, charset);
        if one(&mut archive, index, head, meter, show)? == Flow::Stop {
            return Ok(Flow::Stop);
        }
        if let Some(exceeded) = meter.exceeded() {
            return Err(exceeded.into());
        }
    }
    Ok(Flow::On)
}

/// What is known of a member without unpacking it, even if it cannot be unpacked.
struct Head {
    name: String,
    modified_ns: Option<i64>,
    is_dir: bool,
    is_link: bool,
    encrypted: bool,
}

/// `charset` is that of names that are not valid UTF-8, if known; otherwise they are taken for DOS names.
fn head(
    archive: &mut ZipArchive<BufReader<File>>,
    index: usize,
    charset: Option<&'static Encoding>,
) -> Result<Head, ZipError> {
    let entry = archive.by_index_raw(index)?;
    let raw = entry.name_raw();
    let name = match charset.filter(|_| str::from_utf8(raw).is_err()) {
        Some(charset) => charset.decode_without_bom_handling(raw).0.into_owned(),
        None => entry.name().map_or_else(|_| String::from_utf8_lossy(raw).into_owned(), |name| name.into_owned()),
    };
    Ok(Head {
        name,
        modified_ns: entry.last_modified().and_then(modified_ns),
        is_dir: entry.is_dir(),
        is_link: entry.is_symlink(),
        encrypted: entry.encrypted(),
    })
}

fn one(
    archive: &mut ZipArchive<BufReader<File>>,
    index: usize,
    head: Result<Head, ZipError>,
    meter: &Meter,
    show: Show<'_>,
) -> Result<Flow, Problem> {
    let head = match head {
        Ok(head) => head,
        Err(error) => return show(ArchiveEntry::Refused { name: &format!("#{index}"), reason: reason(&error) }),
    };
    if head.is_dir {
        return Ok(Flow::On);
    }
    if head.encrypted {
        let reason = "encrypted: remove the password and load it again".to_owned();
        return show(ArchiveEntry::Refused { name: &head.name, reason });
    }
    if head.is_link {
        return link(archive, index, &head.name, show);
    }
    match archive.by_index(index) {
        Ok(entry) => {
            let size = entry.size();
            let mut content = Counted { inner: entry, meter: meter.clone() };
            show(ArchiveEntry::Member { name: &head.name, size, modified_ns: head.modified_ns, content: &mut content })
        }
        Err(error) => show(ArchiveEntry::Refused { name: &head.name, reason: reason(&error) }),
    }
}

/// Handles a link: its target is its content, and a target inside the archive is a member itself.
fn link(archive: &mut ZipArchive<BufReader<File>>, index: usize, name: &str, show: Show<'_>) -> Result<Flow, Problem> {
    let mut target = Vec::new();
    let read = match archive.by_index(index) {
        Ok(entry) => entry.take(LONGEST_TARGET).read_to_end(&mut target).map_err(ZipError::from),
        Err(error) => Err(error),
    };
    let target = String::from_utf8_lossy(&target);
    match read {
        Err(error) => show(ArchiveEntry::Refused { name, reason: reason(&error) }),
        Ok(_) if link_stays_inside(name, &target) => show(ArchiveEntry::Skipped { name }),
        Ok(_) => show(ArchiveEntry::Refused { name, reason: leads_out(&target) }),
    }
}

fn reason(error: &ZipError) -> String {
    format!("its archive does not give it: {error}")
}

/// The time of a member. Zip archives record no time zone, so UTC is assumed, which gives the same result everywhere.
fn modified_ns(time: zip::DateTime) -> Option<i64> {
    let part = |value: u8| i8::try_from(value).ok();
    let date = jiff::civil::DateTime::new(
        i16::try_from(time.year()).ok()?,
        part(time.month())?,
        part(time.day())?,
        part(time.hour())?,
        part(time.minute())?,
        part(time.second())?,
        0,
    );
    let instant = date.ok()?.to_zoned(jiff::tz::TimeZone::UTC).ok()?.timestamp();
    i64::try_from(instant.as_nanosecond()).ok()
}
