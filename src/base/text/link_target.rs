//! Lines of Markdown that only say where links lead.

/// Whether a line says where the links of a name lead and no more, as `[#12]: https://example.org/12`.
pub fn is_link_target(line: &str) -> bool {
    line.trim().strip_prefix('[').and_then(|rest| rest.split_once("]: ")).is_some_and(|(name, target)| {
        !name.contains(']')
            && !name.starts_with('^')
            && target.contains(['/', '.', '#'])
            && !target.trim().contains(' ')
    })
}
