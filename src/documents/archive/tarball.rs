use std::io::{self, Read};

use tar::{Archive, Entry, EntryType};

use super::found::{ArchiveEntry, Flow, Problem, Show};
use super::limits::Meter;
use super::name::{leads_out, link_stays_inside};

/// The most bytes of all headers of one member (long names, extended attributes).
const HEADER: u64 = 1 << 20;

/// Shows the members of a tar archive in order. `reader` must count with `meter`.
pub(super) fn read(reader: impl Read, meter: &Meter, show: Show<'_>) -> Result<Flow, Problem> {
    let mut archive = Archive::new(reader);
    let mut entries = archive.entries().map_err(|error| Problem::of(meter, "tar", &error))?;
    loop {
        meter.expect_header(Some(HEADER));
        let next = entries.next();
        meter.expect_header(None);
        let mut entry = match next {
            None => return Ok(Flow::On),
            Some(Ok(entry)) => entry,
            Some(Err(error)) => return Err(Problem::of(meter, "tar", &error)),
        };
        meter.count_member()?;
        if one(&mut entry, show)? == Flow::Stop {
            return Ok(Flow::Stop);
        }
        // The unread rest of a member precedes the next header.
        io::copy(&mut entry, &mut io::sink()).map_err(|error| Problem::of(meter, "tar", &error))?;
        if let Some(exceeded) = meter.exceeded() {
            return Err(exceeded.into());
        }
    }
}

fn one<R: Read>(entry: &mut Entry<'_, R>, show: Show<'_>) -> Result<Flow, Problem> {
    let kind = entry.header().entry_type();
    if matches!(kind, EntryType::Directory | EntryType::XGlobalHeader | EntryType::XHeader) {
        return Ok(Flow::On);
    }
    let name = match String::from_utf8(entry.path_bytes().into_owned()) {
        Ok(name) => name,
        Err(error) => {
            let shown = String::from_utf8_lossy(error.as_bytes()).into_owned();
            let reason = "its name is not valid UTF-8: unpack it and rename it".to_owned();
            return show(ArchiveEntry::Refused { name: &shown, reason });
        }
    };
    match kind {
        EntryType::Regular | EntryType::Continuous => {
            let seconds = entry.header().mtime().ok().and_then(|seconds| i64::try_from(seconds).ok());
            let modified_ns = seconds.and_then(|seconds| seconds.checked_mul(1_000_000_000));
            let size = entry.size();
            let modified_ns = modified_ns.filter(|&time| time > 0);
            show(ArchiveEntry::Member { name: &name, size, modified_ns, content: entry })
        }
        // The target of a link inside the archive is a member itself.
        EntryType::Symlink | EntryType::Link => {
            let target = entry.link_name_bytes().map(|target| String::from_utf8_lossy(&target).into_owned());
            // A hard link gives its target relative to the archive's root.
            let from = if kind == EntryType::Symlink { name.as_str() } else { "" };
            match target.filter(|target| !link_stays_inside(from, target)) {
                Some(target) => show(ArchiveEntry::Refused { name: &name, reason: leads_out(&target) }),
                None => show(ArchiveEntry::Skipped { name: &name }),
            }
        }
        EntryType::GNUSparse => {
            show(ArchiveEntry::Refused { name: &name, reason: "a sparse file, which may be of any length".to_owned() })
        }
        _ => show(ArchiveEntry::Skipped { name: &name }),
    }
}
