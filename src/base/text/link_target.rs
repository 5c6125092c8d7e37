//! Lines of Markdown that only define where links lead.

/// Whether a line only defines where the links of a name lead, as `[#12]: https://example.org/12` does.
pub fn is_link_target(line: &str) -> bool {
    line.trim().strip_prefix('[').and_then(|rest| rest.split_once("]: ")).is_some_and(|(name, target)| {
        !name.contains(']')
            && !name.starts_with('^')
            && target.contains(['/', '.', '#'])
            && !target.trim().contains(' ')
    })
}
