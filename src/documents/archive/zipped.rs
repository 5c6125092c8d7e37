use std::fs::File;
use std::io::{BufReader, Read};

use zip::ZipArchive;
use zip::result::ZipError;

use super::limits::Counted;
use super::name::{leads_out, link_stays_inside};
use super::read::{Flow, Level, Problem};

/// No file system has longer links.
const LONGEST_TARGET: u64 = 4096;

/// Shows the members of a zip archive in the order of its directory.
pub(super) fn read(file: File, level: &mut Level<'_>) -> Result<Flow, Problem> {
    let mut archive = ZipArchive::new(BufReader::new(file)).map_err(|error| level.broken("zip", &error))?;
    for index in 0..archive.len() {
        level.meter.member()?;
        if one(&mut archive, index, level)? == Flow::Stop {
            return Ok(Flow::Stop);
        }
        if let Some(exceeded) = level.meter.exceeded() {
            return Err(exceeded.into());
        }
    }
    Ok(Flow::On)
}

/// What can be said of a member without unpacking it, also where that is not possible.
struct Head {
    name: String,
    modified_ns: Option<i64>,
    is_dir: bool,
    is_link: bool,
    encrypted: bool,
}

fn head(archive: &mut ZipArchive<BufReader<File>>, index: usize) -> Result<Head, ZipError> {
    let entry = archive.by_index_raw(index)?;
    Ok(Head {
        name: match entry.name() {
            Ok(name) => name.into_owned(),
            Err(_) => String::from_utf8_lossy(entry.name_raw()).into_owned(),
        },
        modified_ns: entry.last_modified().and_then(modified_ns),
        is_dir: entry.is_dir(),
        is_link: entry.is_symlink(),
        encrypted: entry.encrypted(),
    })
}

fn one(archive: &mut ZipArchive<BufReader<File>>, index: usize, level: &mut Level<'_>) -> Result<Flow, Problem> {
    let head = match head(archive, index) {
        Ok(head) => head,
        Err(error) => return Ok(level.refuse(&format!("#{index}"), reason(&error))),
    };
    if head.is_dir {
        return Ok(Flow::On);
    }
    if head.encrypted {
        return Ok(level.refuse(&head.name, "encrypted: remove the password and load it again".to_owned()));
    }
    if head.is_link {
        return Ok(link(archive, index, &head.name, level));
    }
    match archive.by_index(index) {
        Ok(entry) => {
            let size = entry.size();
            let mut content = Counted { inner: entry, meter: level.meter.clone() };
            level.member(&head.name, size, head.modified_ns.unwrap_or(level.modified_ns), &mut content)
        }
        Err(error) => Ok(level.refuse(&head.name, reason(&error))),
    }
}

/// A link's target is its content; what it points to inside is a member of its own.
fn link(archive: &mut ZipArchive<BufReader<File>>, index: usize, name: &str, level: &mut Level<'_>) -> Flow {
    let mut target = Vec::new();
    let read = match archive.by_index(index) {
        Ok(entry) => entry.take(LONGEST_TARGET).read_to_end(&mut target).map_err(ZipError::from),
        Err(error) => Err(error),
    };
    let target = String::from_utf8_lossy(&target);
    match read {
        Err(error) => level.refuse(name, reason(&error)),
        Ok(_) if link_stays_inside(name, &target) => level.skip(),
        Ok(_) => level.refuse(name, leads_out(&target)),
    }
}

fn reason(error: &ZipError) -> String {
    format!("its archive does not give it: {error}")
}

/// The time of a member. Zip archives tell no zone, so it is taken as universal time, which is the same everywhere.
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
