//! Sentences that join two questions: "Why did the dyke break, and what was done about it?"

use std::borrow::Cow;

use crate::base::text::{is_cjk, sentences};

/// Words that open a question.
pub(super) const ASKING: [&str; 9] = ["what", "when", "where", "who", "which", "why", "how", "whether", "whom"];

/// Words that ask in Japanese.
const ASKING_WIDE: [&str; 12] =
    ["いつ", "誰", "だれ", "どこ", "いくら", "いくつ", "何", "どの", "どれ", "なぜ", "どう", "どんな"];

/// Returns the two questions that `question` joins; `None` if it joins another number, or has several sentences.
pub(super) fn split_joined_question(question: &str) -> Option<(&str, &str)> {
    let question = question.trim();
    if sentences(question).count() != 1 {
        return None;
    }
    if question.contains(is_cjk) { split_joined_unspaced(question) } else { split_joined_spaced(question) }
}

fn split_joined_spaced(question: &str) -> Option<(&str, &str)> {
    let asks = |clause: &str| {
        let words: Vec<String> = clause.split(' ').take(4).map(str::to_lowercase).collect();
        let is_before = |word: &String| ["in", "at", "by", "on", "for", "to"].contains(&word.as_str());
        let at = usize::from(words.first().is_some_and(is_before));
        // "…, and when?" asks for more about the same and is no second question.
        words.get(at).is_some_and(|word| ASKING.contains(&word.as_str())) && words.len() >= at + 3
    };
    let (at, join) = [", and ", " and "].iter().find_map(|join| {
        let mut places = question.match_indices(join).filter(|(at, _)| asks(&question[at + join.len()..]));
        places.next().filter(|_| places.next().is_none())
    })?;
    let (first, second) = (&question[..at], &question[at + join.len()..]);
    (asks(first) && question.ends_with('?')).then_some((first, second))
}

fn split_joined_unspaced(question: &str) -> Option<(&str, &str)> {
    // After "会社は、" the first clause has not asked yet, whatever it holds, as in "幾何学は、何…".
    let asks_first = |first: &str| !first.ends_with('は') && has_japanese_question_word(first);
    let mut places = question.match_indices('、').filter(|(at, comma)| {
        asks_first(&question[..*at]) && has_japanese_question_word(&question[at + comma.len()..])
    });
    let (at, comma) = places.next().filter(|_| places.next().is_none())?;
    let (first, second) = (&question[..at], &question[at + comma.len()..]);
    second.trim_end_matches(['。', ' ']).ends_with(['か', '?', '？']).then_some((first, second))
}

/// Returns the first of two questions as one of its own: "…は何日で" becomes "…は何日ですか".
pub(super) fn complete_question(first: &str) -> Cow<'_, str> {
    if first.ends_with('で') { format!("{first}すか").into() } else { first.into() }
}

/// Whether a Japanese clause has a word that asks: 何か, いつも and 誰でも do not, but いつから and a 何か at its end do.
fn has_japanese_question_word(clause: &str) -> bool {
    let asks = |behind: &str| match behind.strip_prefix('か') {
        Some(rest) => rest.is_empty() || rest.starts_with('ら'),
        None => !behind.starts_with('も') && !behind.starts_with("でも"),
    };
    ASKING_WIDE.iter().any(|word| clause.match_indices(word).any(|(at, _)| asks(&clause[at + word.len()..])))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_that_asks_twice() {
        let check = |question: &str, expected: Option<(&str, &str)>| {
            assert_eq!(split_joined_question(question), expected, "{question}")
        };
        check("Who made it, and why did it fail?", Some(("Who made it", "why did it fail?")));
        check("Who made it, and when?", None);
        check("What is salt and pepper?", None);
        check("Who made it? And why did it fail?", None);
        check("事故はなぜ起き、何をしましたか。", Some(("事故はなぜ起き", "何をしましたか。")));
        check("会社は、何をしましたか。", None);
        check("幾何学文様期は、何という時代か。", None);
        check("何かあったとき、どこに連絡しますか。", None);
        check("原因は何か、いつから続いたか。", Some(("原因は何か", "いつから続いたか。")));
        check("", None);
    }
}
