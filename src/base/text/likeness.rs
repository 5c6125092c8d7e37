/// The least likeness of two names for one to be suggested in place of the other.
const ALIKE: f64 = 0.8;

/// The names among `known` that may have been meant by `name`, the likeliest first.
pub fn alike<N: AsRef<str>>(name: &str, known: impl IntoIterator<Item = N>) -> Vec<N> {
    ranked(name, known).into_iter().take_while(|(likeness, _)| *likeness >= ALIKE).map(|(_, name)| name).collect()
}

/// All of `known`, the most similar to `name` first.
pub fn sort_by_similarity<N: AsRef<str>>(name: &str, known: impl IntoIterator<Item = N>) -> Vec<N> {
    ranked(name, known).into_iter().map(|(_, name)| name).collect()
}

/// Ranks names by Jaro-Winkler similarity, which is 1 for equal names, without regard to case; ties by name.
fn ranked<N: AsRef<str>>(name: &str, known: impl IntoIterator<Item = N>) -> Vec<(f64, N)> {
    let name = name.to_lowercase();
    let likeness = |other: &str| strsim::jaro_winkler(&name, &other.to_lowercase());
    let mut ranked: Vec<(f64, N)> = known.into_iter().map(|other| (likeness(other.as_ref()), other)).collect();
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.as_ref().cmp(b.1.as_ref())));
    ranked
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_meant_comes_first() {
        let check = |name: &str, known: &[&'static str], expected: &[&str]| {
            assert_eq!(alike(name, known.iter().copied()), expected, "{name}");
        };
        check("histroy", &["letters", "history", "histories"], &["history", "histories"]);
        check("HISTORY", &["History"], &["History"]);
        check("germen", &["Greek", "German", "Georgian"], &["German"]);
        check("x", &["history"], &[]);
        assert_eq!(sort_by_similarity("x", ["b", "y", "a"]), ["a", "b", "y"]);
    }
}
