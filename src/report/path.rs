//! The paths of documents as people read them.

use std::path::Path;

/// A document's path as people read it: relative to `working_dir` if it lies below that, else unchanged. URLs stay.
pub fn shown_path(path: &str, working_dir: Option<&Path>) -> String {
    let relative = working_dir.and_then(|dir| Path::new(path).strip_prefix(dir).ok());
    match relative.map(|relative| relative.to_string_lossy()) {
        Some(relative) if !relative.is_empty() => relative.into_owned(),
        _ => path.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(path: &str, working_dir: Option<&str>, expected: &str) {
        assert_eq!(shown_path(path, working_dir.map(Path::new)), expected);
    }

    #[test]
    fn paths_below_the_working_directory_are_relative() {
        check("/home/ann/docs/a.md", Some("/home/ann"), "docs/a.md");
        check("/home/anna/a.md", Some("/home/ann"), "/home/anna/a.md");
        check("/home/ann", Some("/home/ann"), "/home/ann");
        check("/home/ann/a.md", None, "/home/ann/a.md");
        check("https://example.org/a", Some("/"), "https://example.org/a");
    }
}
