//! A question that follows an earlier one, as a question of its own: "and in 2019?", "why did they leave?".

use super::entities::{entities, years};
use super::plan::topic;
use super::terms::content_terms;
use crate::base::text::{Language, is_cjk, one_line};

/// Words that open a follow-up and ask nothing.
const OPENERS: [&str; 20] = [
    "and what about",
    "and how about",
    "what about",
    "how about",
    "and",
    "but",
    "or",
    "also",
    "und was ist mit",
    "was ist mit",
    "und",
    "oder",
    "aber",
    "et",
    "mais",
    "y",
    "pero",
    "e",
    "では",
    "それで",
];
/// Words that stand for what the earlier question was about, and those that say whose something is.
const STANDS_FOR: [&str; 16] = [
    "it", "they", "them", "he", "she", "him", "this", "these", "those", "er", "ihn", "sie", "elle", "ils", "ellos",
    "それ",
];
const WHOSE: [&str; 8] = ["its", "their", "his", "her", "ihre", "ihren", "leur", "leurs"];
/// Words that open a whole question.
const ASKING: [&str; 31] = [
    "what", "who", "whom", "whose", "when", "where", "which", "why", "how", "did", "does", "do", "is", "are", "was",
    "were", "has", "have", "can", "will", "wer", "wann", "wo", "warum", "wie", "qui", "quand", "comment", "quién",
    "cuándo", "cómo",
];
/// In scripts without spaces, a follow-up with so many telling words is a whole question.
const STANDS_ALONE: usize = 3;

/// `follow_up`, asked after `earlier`, as a question that stands alone.
pub fn resolved(earlier: &str, follow_up: &str, language: Language) -> String {
    let (earlier, follow_up) = (one_line(earlier.trim()), one_line(follow_up.trim()));
    let topic = topic(&earlier, language);
    let rest = without_opener(&follow_up);
    if let Some(replaced) = with_topic(rest, &topic) {
        return replaced;
    }
    let (asked, before) = (years(rest), years(&earlier));
    let telling = content_terms(rest, language).len();
    // "And in 2019?" asks the same of another year.
    if let ([year], [old]) = (asked.as_slice(), before.as_slice())
        && telling <= 2
    {
        return earlier.replace(&old.to_string(), &year.to_string());
    }
    if let Some(other) = with_other_number(&earlier, rest) {
        return other;
    }
    let is_wide = rest.chars().any(is_cjk);
    let first = rest.split(' ').next().unwrap_or_default().to_lowercase();
    let asks = ASKING.contains(&first.as_str()) || (is_wide && telling >= STANDS_ALONE);
    // A piece of a question goes on from the earlier one.
    if !asks {
        let separator = if is_wide { "、" } else { ", " };
        return format!("{}{separator}{rest}", earlier.trim_end_matches(['?', '？', '.', '。', ' ']));
    }
    let names_something = !entities(rest, language).is_empty() || is_wide;
    if names_something { rest.to_owned() } else { format!("{topic}: {rest}") }
}

fn without_opener(text: &str) -> &str {
    let lower = text.to_lowercase();
    let opener = OPENERS.iter().find(|opener| {
        let after = lower.strip_prefix(**opener);
        after.is_some_and(|after| after.starts_with([' ', ',', '、']) || opener.chars().any(is_cjk))
    });
    let rest = opener.and_then(|opener| text.get(opener.len()..)).unwrap_or(text);
    let rest = rest.trim_start_matches([' ', ',', '、']);
    if rest.is_empty() { text } else { rest }
}

/// The earlier question with another number behind the same word: "season 5" and "in season 9?".
fn with_other_number(earlier: &str, rest: &str) -> Option<String> {
    let bare = |word: &str| word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    let is_number =
        |word: &str| word.trim_start_matches(|c: char| !c.is_alphanumeric()).starts_with(|c: char| c.is_ascii_digit());
    let goes_on =
        |word: &str| is_number(word) || ["and", "to", "or", "und", "bis", "oder", "et", "à", "y"].contains(&word);
    let asked: Vec<&str> = rest.trim_end_matches(['?', '？', '.']).split(' ').collect();
    let at = asked.windows(2).position(|pair| is_number(pair[1]))?;
    let words: Vec<&str> = earlier.split(' ').collect();
    let same = words.windows(2).position(|pair| bare(pair[0]) == bare(asked[at]) && is_number(pair[1]))?;
    let stretch = words[same + 1..].iter().take_while(|word| goes_on(word)).count();
    // A word that joins numbers belongs to them only where one follows.
    let numbers = words[same + 1..][..stretch].iter().rposition(|word| is_number(word)).map_or(0, |last| last + 1);
    let end = same + 1 + numbers;
    let last = words.get(end - 1).copied().unwrap_or_default();
    let mark: String =
        last.chars().rev().take_while(|c| !c.is_alphanumeric()).collect::<Vec<_>>().into_iter().rev().collect();
    let new = format!("{}{mark}", asked[at..].join(" "));
    Some([&words[..same], &[new.as_str()], &words[end..]].concat().join(" "))
}

/// The text with the topic in place of the words that stand for it; `None` where there is none.
fn with_topic(text: &str, topic: &str) -> Option<String> {
    let mut found = false;
    let words = text.split(' ').map(|word| {
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
        let lower = bare.to_lowercase();
        let own = if STANDS_FOR.contains(&lower.as_str()) {
            topic.to_owned()
        } else if WHOSE.contains(&lower.as_str()) {
            format!("{topic}'s")
        } else {
            return word.to_owned();
        };
        found = true;
        word.replacen(bare, &own, 1)
    });
    let replaced: Vec<String> = words.collect();
    found.then(|| replaced.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(earlier: &str, follow_up: &str, expected: &str) {
        assert_eq!(resolved(earlier, follow_up, Language::ENGLISH), expected);
    }

    #[test]
    fn a_follow_up_becomes_a_question_of_its_own() {
        let ratings = "How many people watched The Simpsons in 2005?";
        check(ratings, "and in 2019?", "How many people watched The Simpsons in 2019?");
        check(
            "How has The Simpsons changed over time?",
            "and in 2019?",
            "How has The Simpsons changed over time, in 2019?",
        );
        check(ratings, "and what did the film earn?", "The Simpsons: what did the film earn?");
        check("Who ran seasons 5 and 6?", "and seasons 9 to 12?", "Who ran seasons 9 to 12?");
        check("Who ran season 5, and why?", "What about season 12?", "Who ran season 12, and why?");
        check(ratings, "Who wrote it?", "Who wrote The Simpsons?");
        check(ratings, "And who are their writers?", "who are The Simpsons's writers?");
        check(ratings, "Where did Matt Groening grow up as a child?", "Where did Matt Groening grow up as a child?");
        check(
            ratings,
            "Why did ratings fall after the nineties?",
            "The Simpsons: Why did ratings fall after the nineties?",
        );
    }
}
