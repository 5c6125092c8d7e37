//! In which article, section or clause a statement stands.

use std::collections::BTreeSet;

use super::statements::Statement;
use crate::report::{amends, clauses, number_at, number_of};

/// The characters at the beginning of a statement or heading that may hold its number: later ones refer to others.
const BEGINNING: usize = 24;

/// The same for a statement that amends articles, which it names before their new words.
const AMENDED: usize = 60;

/// Returns the article or section that a statement is or stands in; for a statement that gives others new words, those
/// that it names, and not its own number.
pub(super) fn clauses_of(statement: &Statement) -> BTreeSet<String> {
    let shown = statement.shown();
    let mut found = BTreeSet::new();
    if amends(&shown) {
        // The introduction to a list of amendments names no article.
        for text in [&statement.text, &shown] {
            found = clauses(&text.chars().take(AMENDED).collect::<String>());
            if !found.is_empty() {
                return found;
            }
        }
    }
    let is_heading = |text: &str| text == statement.heading;
    // If it has an introduction, "Clause 4: …" is named by its label.
    for text in [shown.as_str(), statement.name(), statement.heading.as_str()] {
        found.extend(clauses(&text.chars().take(BEGINNING).collect::<String>()).into_iter().take(1));
        let (number, after) = number_at(text);
        // "4 Handover" is a heading, but "4 racks" is not an article.
        let counts = after.starts_with(['.', ')', '．'])
            || after.starts_with([' ', ':']) && (number.contains('.') || is_heading(text));
        if counts && (1..=6).contains(&number.len()) {
            found.insert(number.to_owned());
        }
        // `5.4` also stands in 5.
        found.extend(text.split_once('.').and_then(|(first, _)| number_of(first)));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::offline::testing::stated;

    #[test]
    fn statements_stand_in_articles() {
        let check = |text: &str, heading: &str, expected: &[&str]| {
            let statement = Statement { heading: heading.to_owned(), ..stated(text).remove(0) };
            assert_eq!(clauses_of(&statement).into_iter().collect::<Vec<_>>(), expected, "{text}");
        };
        check("第48条　社員の定年は満60歳とする。", "", &["48"]);
        check("（３）窓ガラス清掃（年４回）", "第１条（委託業務）", &["1"]);
        check("The notice is six months.", "Article 9 – Notice", &["9"]);
        check("(2) Rooms are cleaned.", "§ 3 Cleaning", &["3"]);
        check("5.2. Notice is given 30 days before.", "5. Notice", &["5", "5.2"]);
        check("2.2 Clause 5.4 is replaced with: \"A charge is due.\"", "2. Amendments", &["5.4"]);
        check("As agreed in a long sentence under section 4.", "", &[]);
    }
}
