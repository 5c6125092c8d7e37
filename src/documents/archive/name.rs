//! Checks the names of members, so that none leads out of its archive.

use std::path::Path;

use crate::documents::is_lock;

/// The longest accepted name in bytes: longer than any file system allows.
const LONGEST: usize = 4096;

/// The result of checking a member's name.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Name {
    /// A path below the archive: names joined by `/`.
    Inside(String),
    /// Hidden, like files with such names.
    Hidden,
    /// Refused, and why.
    Refused(&'static str),
}

/// Checks a member's name. Backslashes count as separators, since some writers use them so.
pub(super) fn check_name(name: &str) -> Name {
    if name.len() > LONGEST {
        return Name::Refused("its name is too long");
    }
    if name.chars().any(char::is_control) {
        return Name::Refused("its name has control characters");
    }
    let name = name.replace('\\', "/");
    let bytes = name.as_bytes();
    if name.starts_with('/') || (bytes.len() > 1 && bytes[1] == b':' && bytes[0].is_ascii_alphabetic()) {
        return Name::Refused("its name is an absolute path, which leads out of the archive");
    }
    let mut parts = Vec::new();
    for part in name.split('/') {
        match part {
            "" | "." => {}
            ".." => return Name::Refused("its name leads out of the archive (`..`)"),
            part => parts.push(part),
        }
    }
    if parts.is_empty() {
        Name::Refused("it has no name")
    } else if parts.iter().any(|part| part.starts_with('.')) || parts[0] == "__MACOSX" || is_lock(Path::new(&name)) {
        Name::Hidden
    } else {
        Name::Inside(parts.join("/"))
    }
}

/// Whether a link from the member `name` to `target` stays in the archive.
pub(super) fn link_stays_inside(name: &str, target: &str) -> bool {
    if target.starts_with(['/', '\\']) || target.contains(':') {
        return false;
    }
    let mut depth = name.split('/').filter(|part| !matches!(*part, "" | ".")).count().saturating_sub(1);
    for part in target.split(['/', '\\']) {
        match part {
            "" | "." => {}
            ".." => match depth.checked_sub(1) {
                Some(above) => depth = above,
                None => return false,
            },
            _ => depth += 1,
        }
    }
    true
}

/// Why a link is refused.
pub(super) fn leads_out(target: &str) -> String {
    format!("a link that leads out of the archive, to `{}`", target.escape_debug())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_leads_out() {
        fn check(name: &str, expected: Option<&str>) {
            let found = match check_name(name) {
                Name::Inside(path) => Some(path),
                Name::Hidden | Name::Refused(_) => None,
            };
            assert_eq!(found.as_deref(), expected, "{name:?}");
        }
        check("a/b.md", Some("a/b.md"));
        check("./a//b.md", Some("a/b.md"));
        check("a\\b.md", Some("a/b.md"));
        check("資料/箱.txt", Some("資料/箱.txt"));
        check("a..b/c...md", Some("a..b/c...md"));
        for refused in [
            "../a",
            "a/../../b",
            "a/..",
            "..",
            "/etc/passwd",
            "\\a",
            "..\\a",
            "a\\..\\..\\b",
            "C:\\a",
            "c:a",
            "",
            "/",
            "a\0b",
            "a\nb",
        ] {
            assert!(matches!(check_name(refused), Name::Refused(_)), "{refused:?}");
        }
        for hidden in [".git/config", "a/.hidden.md", "__MACOSX/a.md", "a/~$plan.docx"] {
            assert_eq!(check_name(hidden), Name::Hidden, "{hidden}");
        }
    }

    #[test]
    fn a_link_is_followed_to_its_end() {
        fn check(name: &str, target: &str, expected: bool) {
            assert_eq!(link_stays_inside(name, target), expected, "{name} -> {target}");
        }
        check("a/b", "c", true);
        check("a/b", "../c", true);
        check("a/b", "../../c", false);
        check("b", "../c", false);
        check("b", "x/../../c", false);
        check("b", "/etc/passwd", false);
    }
}
