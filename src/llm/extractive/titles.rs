//! Titles as a reader wants them: without markup, and without what only a file's name carries.

use crate::base::text::one_line;

/// `title` on one line without Markdown marks. A file's name loses its ending, its leading number and its hyphens.
pub(super) fn readable(title: &str) -> String {
    let line = one_line(title).replace(['*', '[', ']', '`', '#'], "");
    let line = line.trim();
    let stem = line.rsplit_once('.').filter(|(stem, ending)| {
        !stem.contains(' ') && (1..=5).contains(&ending.len()) && ending.chars().all(|c| c.is_ascii_alphanumeric())
    });
    let Some((stem, _)) = stem else { return line.to_owned() };
    let words = stem.trim_start_matches(|c: char| c.is_ascii_digit() || "-_. ".contains(c)).replace(['-', '_'], " ");
    let mut letters = words.trim().chars();
    match letters.next() {
        Some(first) => first.to_uppercase().chain(letters).collect(),
        None => line.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files_become_titles() {
        let check = |title: &str, expected: &str| assert_eq!(readable(title), expected, "{title}");
        check("03-voices-and-contracts.txt", "Voices and contracts");
        check("*The Film*  of\n[1999]", "The Film of 1999");
        check("Was there a golden age?", "Was there a golden age?");
        check("St. Louis", "St. Louis");
        check("2019.csv", "2019.csv");
        check("", "");
    }
}
