//! One sentence that joins two questions: "Why did the dyke break, and what was done about it?", "What is its height and
//! weight?"

use std::borrow::Cow;

use super::render::heading_text;
use crate::base::text::{is_cjk, sentences};
use crate::report::Words;

/// Words that open a question.
pub(super) const ASKING: [&str; 9] = ["what", "when", "where", "who", "which", "why", "how", "whether", "whom"];

/// Words that ask in Japanese.
const ASKING_WIDE: [&str; 12] =
    ["いつ", "誰", "だれ", "どこ", "いくら", "いくつ", "何", "どの", "どれ", "なぜ", "どう", "どんな"];

/// The two questions that `question` joins; `None` where it is another number of them, or several sentences.
pub(super) fn both(question: &str) -> Option<(&str, &str)> {
    let question = question.trim();
    if sentences(question).count() != 1 {
        return None;
    }
    if question.contains(is_cjk) { both_wide(question) } else { both_spaced(question) }
}

fn both_spaced(question: &str) -> Option<(&str, &str)> {
    let asks = |clause: &str| {
        let lower = clause.to_lowercase();
        let words: Vec<&str> = lower.split(' ').collect();
        let at = usize::from(words.first().is_some_and(|word| ["in", "at", "by", "on", "for", "to"].contains(word)));
        // "…, and when?" asks the same of another kind.
        words.get(at).is_some_and(|word| ASKING.contains(word)) && words.len() >= at + 3
    };
    let (at, join) = [", and ", " and "].iter().find_map(|join| {
        let mut places = question.match_indices(join).filter(|(at, _)| asks(&question[at + join.len()..]));
        places.next().filter(|_| places.next().is_none())
    })?;
    let (first, second) = (&question[..at], &question[at + join.len()..]);
    (asks(first) && question.ends_with('?')).then_some((first, second))
}

fn both_wide(question: &str) -> Option<(&str, &str)> {
    // Behind "会社は、" the first clause has not asked yet, whatever it holds: "幾何学は、何…".
    let asks_first = |first: &str| !first.ends_with('は') && asks_wide(first);
    let mut places = question
        .match_indices('、')
        .filter(|(at, comma)| asks_first(&question[..*at]) && asks_wide(&question[at + comma.len()..]));
    let (at, comma) = places.next().filter(|_| places.next().is_none())?;
    let (first, second) = (&question[..at], &question[at + comma.len()..]);
    asks_in_japanese(second).then_some((first, second))
}

/// The first of two questions as one of its own: "…は何日で" goes on where "…は何日ですか" ends.
pub(super) fn whole(first: &str) -> Cow<'_, str> {
    if first.ends_with('で') { format!("{first}すか").into() } else { first.into() }
}

/// The answers to both halves of a question on two nouns of one thing, where the answer to the whole, `whole`, tells one
/// of them and each half has an answer of its own.
pub(super) fn halves(
    question: &str,
    whole: &str,
    answer: impl Fn(&str) -> String,
    phrases: &Words,
) -> Option<Vec<String>> {
    let halves = of_both(question)?;
    let told = whole.to_lowercase();
    let tells = |noun: &str| told.contains(&noun.to_lowercase());
    if halves.iter().all(|(noun, _)| tells(noun)) {
        return None;
    }
    let answers = halves.map(|(_, half)| (answer(&half), half));
    let opening = |text: &str| text.lines().next().unwrap_or_default().to_owned();
    let [first, second] = [&answers[0].0, &answers[1].0].map(|text| opening(text));
    if first == second || [first, second].iter().any(|text| text.starts_with(phrases.not_found)) {
        return None;
    }
    Some(answers.map(|(text, half)| format!("## {}\n\n{text}", heading_text(&half))).into())
}

/// "The height and weight of X": the noun of each half, and the question with that noun alone; `None` where `question`
/// asks for no two nouns of one thing.
fn of_both(question: &str) -> Option<[(&str, String); 2]> {
    let halves = if question.contains(is_cjk) { of_both_wide(question) } else { of_both_spaced(question) };
    halves.map(|(before, first, second, behind)| [first, second].map(|noun| (noun, format!("{before}{noun}{behind}"))))
}

/// What stands before two joined nouns, the nouns, and what stands behind them.
type Halves<'a> = (&'a str, &'a str, &'a str, &'a str);

fn of_both_spaced(question: &str) -> Option<Halves<'_>> {
    const VERBS: [&str; 4] = [" is ", " are ", " was ", " were "];
    const PREPOSITIONS: [&str; 4] = [" of ", " for ", " in ", " at "];
    let (left, right) = question.split_once(" and ").filter(|(_, right)| !right.contains(" and "))?;
    let opens = ["What", "what", "Which", "which"].iter().any(|word| left.starts_with(word));
    let verb = VERBS.iter().filter_map(|verb| Some(left.find(verb)? + verb.len())).min().filter(|_| opens)?;
    let owned = left[verb..].rfind("'s ").or_else(|| left[verb..].rfind("s' ")).map(|at| verb + at + "'s ".len());
    let is_noun = |noun: &str| {
        let few = (1..=3).contains(&noun.split(' ').count());
        few && !noun.contains([',', '"', '?']) && PREPOSITIONS.iter().all(|word| !format!(" {noun} ").contains(word))
    };
    let (before, behind) = match owned {
        Some(owned) => (owned, right.len() - usize::from(right.ends_with('?'))),
        None => (
            verb + if left[verb..].starts_with("the ") { "the ".len() } else { 0 },
            PREPOSITIONS.iter().filter_map(|word| right.find(word)).min()?,
        ),
    };
    let (first, second) = (&left[before..], &right[..behind]);
    let second = second.strip_prefix("the ").unwrap_or(second);
    (is_noun(first) && is_noun(second)).then_some((&left[..before], first, second, &right[behind..]))
}

fn of_both_wide(question: &str) -> Option<Halves<'_>> {
    let (nouns, asked) = question.split_once('は')?;
    let (left, second) = nouns.split_once('と').filter(|(_, second)| !second.contains('と'))?;
    let at = left.rfind('の')? + 'の'.len_utf8();
    let is_noun = |noun: &str| (2..=10).contains(&noun.chars().count()) && !noun.contains(['の', '、', 'や']);
    // Behind "…の" both are of one thing; "Aの色とBの色" are of two.
    (is_noun(&left[at..]) && is_noun(second))
        .then(|| (&left[..at], &left[at..], second, &question[nouns.len()..]))
        .filter(|_| !asked.is_empty())
}

/// Whether a clause in Japanese has a word that asks; 何か, いつも and 誰でも ask nothing, いつから and a last 何か do.
pub(super) fn asks_wide(clause: &str) -> bool {
    let asks = |behind: &str| match behind.strip_prefix('か') {
        Some(rest) => rest.is_empty() || rest.starts_with('ら'),
        None => !behind.starts_with('も') && !behind.starts_with("でも"),
    };
    ASKING_WIDE.iter().any(|word| clause.match_indices(word).any(|(at, _)| asks(&clause[at + word.len()..])))
}

/// Whether a sentence in Japanese ends as a question or as an order to tell.
pub(super) fn asks_in_japanese(sentence: &str) -> bool {
    let body = sentence.trim_end_matches(['。', ' ']);
    body.ends_with(['か', '?', '？']) || is_order(body)
}

/// Whether it ends as an order to tell.
pub(super) fn is_order(body: &str) -> bool {
    const ENDS: [&str; 12] = [
        "ください",
        "下さい",
        "お願いします",
        "願います",
        "ほしい",
        "欲しい",
        "知りたい",
        "知りたいです",
        "まとめて",
        "報告して",
        "説明して",
        "教えて",
    ];
    ENDS.iter().any(|end| body.ends_with(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_nouns_of_one_thing() {
        let check = |question: &str, expected: Option<[&str; 2]>| {
            let found = of_both(question).map(|halves| halves.map(|(_, half)| half));
            assert_eq!(found, expected.map(|halves| halves.map(str::to_owned)), "{question}");
        };
        check(
            "What is the height and the weight of the HP-240?",
            Some(["What is the height of the HP-240?", "What is the weight of the HP-240?"]),
        );
        check(
            "What are Maria's extension and e-mail address?",
            Some(["What are Maria's extension?", "What are Maria's e-mail address?"]),
        );
        check(
            "HP-240の高さと重さはいくらですか。",
            Some(["HP-240の高さはいくらですか。", "HP-240の重さはいくらですか。"]),
        );
        check("What is salt and pepper?", None);
        check("Who are the owner and the tenant of the house?", None);
        check("大阪支社と名古屋支店の電話番号は何番ですか。", None);
        check("", None);
    }

    #[test]
    fn a_sentence_that_asks_twice() {
        let check = |question: &str, expected: Option<(&str, &str)>| assert_eq!(both(question), expected, "{question}");
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
