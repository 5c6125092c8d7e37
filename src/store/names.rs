use super::StoreError;
use crate::base::text::sort_by_similarity;

/// The longest name in bytes: names become part of messages, tables and prompts.
const LONGEST: usize = 200;

/// The number of names that an error offers.
const OFFERED: usize = 5;

/// Refuses names that no collection may have, because they could not be typed, distinguished or printed.
///
/// # Errors
/// [`StoreError::BadName`].
pub fn check_name(name: &str) -> Result<(), StoreError> {
    let reason = if name.is_empty() {
        "it is empty"
    } else if name.len() > LONGEST {
        "it is longer than 200 bytes"
    } else if name.chars().any(char::is_control) {
        "it holds a control character"
    } else if name.trim() != name {
        "it begins or ends with white space"
    } else {
        return Ok(());
    };
    Err(StoreError::BadName { name: name.to_owned(), reason })
}

/// Returns the error for a name that no collection has. It offers the most similar names first, and dissimilar ones
/// after them, because a short list of all names helps too.
pub(super) fn unknown_collection(name: &str, existing: impl IntoIterator<Item = String>) -> StoreError {
    let mut nearest = sort_by_similarity(name, existing);
    nearest.truncate(OFFERED);
    StoreError::NoCollection { name: name.to_owned(), nearest }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_cannot_be_used_are_refused() {
        fn check(name: &str, usable: bool) {
            assert_eq!(check_name(name).is_ok(), usable, "{name:?}");
        }
        check("docs", true);
        check("日本語 の 資料", true);
        check("a/b", true);
        check("", false);
        check(" docs", false);
        check("docs\u{a0}", false);
        check("do\ncs", false);
        check(&"é".repeat(100), true);
        check(&"é".repeat(101), false);
    }

    #[test]
    fn the_nearest_name_comes_first() {
        fn check(asked: &str, existing: &[&str], first: &str) {
            let StoreError::NoCollection { nearest, .. } =
                unknown_collection(asked, existing.iter().map(|name| (*name).to_owned()))
            else {
                panic!("another error");
            };
            assert_eq!(nearest[0], first);
            assert!(nearest.len() <= OFFERED);
        }
        check("simpson", &["aaa", "history", "simpsons", "zzz"], "simpsons");
        check("SIMPSONS", &["simple", "simpsons"], "simpsons");
        check("x", &["b", "a", "c", "d", "e", "f"], "a");
    }
}
