/// Whether a place is a web address rather than a path.
pub fn is_url(place: &str) -> bool {
    let scheme = place.split_once("://").map(|(scheme, _)| scheme);
    scheme.is_some_and(|scheme| scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_are_told_from_paths() {
        for (place, expected) in [
            ("https://example.org", true),
            ("HTTP://example.org/x", true),
            ("./http", false),
            ("http", false),
            ("https:/x", false),
            ("ftp://example.org", false),
            ("docs/https://x", false),
        ] {
            assert_eq!(is_url(place), expected, "{place}");
        }
    }
}
