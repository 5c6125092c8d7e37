//! The role whose holder a question asks for, as "Who is the landlord?" does. A statement that names the role may be on
//! somebody who only meets its holder: "Tom Reed called the landlord".

use crate::base::text::{is_hiragana, is_listed, place_of};

/// The most words of a role before what it belongs to.
const WORDS: usize = 4;

/// Words between a name and a role that say that the name's bearer has it.
const HOLDS: &str = "is was are were be been being as became become becomes remains named appointed elected who acting";

/// Words that may directly follow a name without being its verb.
const NO_VERBS: &str = "the a an our your their his her its new current former and or of for at in on from with by to \
    has have had will would";

/// Particles by which a Japanese role is an object: 家主に電話した.
const OBJECTS: [&str; 5] = ["に", "を", "と", "へ", "から"];

/// The noun of the role that a question asks for; `None` if it asks for something else.
pub(super) fn role(question: &str) -> Option<String> {
    let question = question.trim_end_matches(['?', '？', '.', '。', ' ']);
    if let Some((role, _)) = question.split_once("は誰").or_else(|| question.split_once("はだれ")) {
        let noun = role.rsplit(|c: char| is_hiragana(c) || matches!(c, '、' | ' ' | '　')).next()?;
        return (noun.chars().count() > 1).then(|| noun.to_owned());
    }
    let lower = question.to_lowercase();
    let rest = ["who is ", "who's ", "who was ", "who are ", "who were "].iter().find_map(|who| {
        let rest = lower.strip_prefix(who)?;
        question.get(question.len() - rest.len()..)
    })?;
    let is_link = |word: &&str| ["of", "for", "at", "in", "on", "to"].contains(word);
    let words: Vec<&str> = rest.split_whitespace().take_while(|word| !is_link(word)).collect();
    let noun = words.last().filter(|noun| words.len() <= WORDS && noun.chars().all(char::is_lowercase))?;
    (words.len() > 1).then(|| (*noun).to_owned())
}

/// Whether a text mentions a role only as that of somebody else than the bearer of `name`.
pub(super) fn is_of_other(text: &str, name: &str, role: &str) -> bool {
    if name.is_empty() || name.contains(role) {
        return false;
    }
    let mut mentioned = false;
    let mut start = 0;
    while let Some(place) = place_of(&text[start..], role, |c| c.is_ascii_alphanumeric()) {
        let (before, behind) = (&text[..start + place], &text[start + place + role.len()..]);
        let is_of_other = if role.is_ascii() {
            before.rsplit_once(name).is_some_and(|(_, between)| acts_on(between))
        } else {
            OBJECTS.iter().any(|particle| behind.starts_with(particle))
        };
        if !is_of_other {
            return false;
        }
        (mentioned, start) = (true, text.len() - behind.len());
    }
    mentioned
}

/// Whether the words between a name and a role begin with a verb whose object the role is.
fn acts_on(between: &str) -> bool {
    let mut words = between.split_whitespace();
    let begins = words.next().is_some_and(|first| {
        first.chars().all(char::is_lowercase) && !is_listed(NO_VERBS, first) && !is_listed(HOLDS, first)
    });
    begins
        && between.starts_with(' ')
        && !between.contains([',', ';', ':', '.', '(', '–', '—'])
        && words.all(|word| !is_listed(HOLDS, word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_asks_for_the_holder_of_a_role() {
        let check = |question: &str, expected: Option<&str>| {
            assert_eq!(role(question).as_deref(), expected, "{question}");
        };
        check("Who is the new head of finance?", Some("head"));
        check("Who was the landlord?", Some("landlord"));
        check("Who is Tom Reed?", None);
        check("Who is responsible for the keys?", None);
        check("Who signed the lease?", None);
        check("家主は誰ですか？", Some("家主"));
        check("名古屋支店の新しい店長は誰ですか", Some("店長"));
    }

    #[test]
    fn who_meets_the_holder_of_a_role_does_not_have_it() {
        let check = |text: &str, name: &str, role: &str, expected: bool| {
            assert_eq!(is_of_other(text, name, role), expected, "{text}");
        };
        check("Anna Berg interviewed the new head of finance.", "Anna Berg", "head", true);
        check("Tom Reed called the landlord.", "Tom Reed", "landlord", true);
        check("Sam Ortiz became head of finance.", "Sam Ortiz", "head", false);
        check("Sam Ortiz joined us as head of finance.", "Sam Ortiz", "head", false);
        check("Head of finance: Sam Ortiz", "Sam Ortiz", "head", false);
        check("The landlord, Tom Reed, called.", "Tom Reed", "landlord", false);
        check("Tom Reed, the landlord, called.", "Tom Reed", "landlord", false);
        check("Tom Reed called.", "Tom Reed", "landlord", false);
        check("佐藤花子は家主に電話した。", "佐藤花子", "家主", true);
        check("家主は佐藤花子である。", "佐藤花子", "家主", false);
        check("田中は家主佐藤花子に電話した。", "佐藤花子", "家主", false);
    }
}
