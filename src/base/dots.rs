use std::path::{Component, Path, PathBuf};

/// A path without `.` and `..`, resolved by its text alone: links are not followed.
pub fn without_dots(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => drop(plain.pop()),
            other => plain.push(other),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dots_lead_where_they_say() {
        let check =
            |path: &str, expected: &str| assert_eq!(without_dots(Path::new(path)), Path::new(expected), "{path}");
        check("/home/me/./docs/*.md", "/home/me/docs/*.md");
        check("/home/me/../you/**", "/home/you/**");
        check("/home/me/.", "/home/me");
        check("/..", "/");
    }
}
