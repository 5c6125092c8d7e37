//! Whether an English sentence has a verb. A title, a caption or a cell of a table ends in a full stop too, and states
//! nothing.

use std::collections::BTreeSet;
use std::sync::LazyLock;

/// Verbs without which few sentences of English are told, and past forms that do not end in "-ed".
const VERBS: &str = "is are was were be been being am has have had do does did can could will would shall should may might must cannot \
isn't aren't wasn't weren't hasn't haven't hadn't don't doesn't didn't can't couldn't won't wouldn't \
became become began begun bent bought bore broke brought built burnt came caught chose come cost cut dealt drew drove dug ate fell felt fled flew \
fought found forbade forgot froze gave get gets goes got go grew hung heard held hid hit hurt keep kept knew know known laid led learnt left lent let lie lost \
made make makes meant met need paid put ran read rang rose said sang sat saw say says sent set shook shot showed shown shut sold \
sought spent split spoke spread stood stole stuck struck swept swore swung take takes taught tell thought threw told took understood \
went win woke won wore wound wrote remain remains seem seems mean means want wants use uses like live lives include includes contain contains \
describe describes provide provides allow allows help helps work works show shows speak speaks lead leads stand stands";

/// Words after which a word in "-s" counts things and a word in "-ed" describes them.
const BEFORE_NOUN: [&str; 22] = [
    "the", "a", "an", "of", "in", "by", "for", "with", "as", "two", "three", "four", "five", "six", "many", "few",
    "all", "these", "those", "some", "first", "most",
];

/// Whether `sentence` may have a verb. Other languages than English are not judged.
pub(super) fn has_verb(sentence: &str) -> bool {
    static KNOWN: LazyLock<BTreeSet<&'static str>> = LazyLock::new(|| VERBS.split_whitespace().collect());
    let words: Vec<&str> = sentence
        .split(|c: char| !c.is_alphanumeric() && !matches!(c, '\'' | '’' | '-'))
        .filter(|word| !word.is_empty())
        .collect();
    let lower: Vec<String> = words.iter().map(|word| word.to_lowercase().replace('’', "'")).collect();
    let is_english =
        lower.iter().any(|word| matches!(word.as_str(), "the" | "of" | "and" | "to" | "in" | "with" | "by"))
            && !lower
                .iter()
                .any(|word| matches!(word.as_str(), "der" | "die" | "das" | "und" | "les" | "des" | "el" | "los"));
    if !is_english {
        return true;
    }
    lower.iter().enumerate().any(|(at, word)| {
        if KNOWN.contains(word.as_str())
            || ["'s", "'re", "'ve", "'ll", "'d", "'m"].iter().any(|end| {
                word.strip_suffix(end)
                    .is_some_and(|body| ["it", "he", "she", "they", "we", "you", "i", "that", "there"].contains(&body))
            })
        {
            return true;
        }
        let is_small = words[at].chars().next().is_some_and(char::is_lowercase);
        let Some(before) = at.checked_sub(1).map(|before| lower[before].as_str()) else { return false };
        if !is_small || BEFORE_NOUN.contains(&before) {
            return false;
        }
        // "Figures quoted by the studio": what was done to a thing names it.
        let done = word.ends_with("ed") && word.len() > 3 && lower.get(at + 1).is_some_and(|next| next != "by");
        // "Homer sleeps": after a name or a small word in the singular, a word in "-s" is mostly a verb.
        let does = word.ends_with('s')
            && !word.ends_with("ss")
            && word.len() > 3
            && !before.ends_with('s')
            && !before.ends_with("ed")
            && !before.chars().all(|c| c.is_ascii_digit())
            && at > 1
            && words[at - 1].chars().next().is_some_and(char::is_uppercase);
        done || does
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_and_captions_have_no_verb() {
        for (sentence, expected) in [
            ("The audience of The Simpsons on American television, 1989 to 2024.", false),
            ("In the first fourteen months, by the estimate of the trade press.", false),
            ("Retail sales over thirty years as estimated by a trade magazine.", false),
            ("A lecture for the society of letters.", false),
            ("The harbour froze in the winter.", true),
            ("In the winter the masters stayed in the town.", true),
            ("In the story Homer sleeps at the plant.", true),
            ("It's the end of the season.", true),
            ("Der Hafen von Arles im Winter.", true),
            ("", true),
        ] {
            assert_eq!(has_verb(sentence), expected, "{sentence}");
        }
    }
}
