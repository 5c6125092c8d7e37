//! Follow-ups in scripts without spaces.

use std::ops::Range;

use super::{from_last, giving_way};
use crate::base::text::{Language, is_cjk, is_hiragana, is_kana, is_katakana};

/// Words that stand for what the earlier question was about, with what stays of them: "その費用" is its costs.
const THINGS: [(&str, &str); 14] = [
    ("そこ", ""),
    ("それら", ""),
    ("それ", ""),
    ("これら", ""),
    ("これ", ""),
    ("その", "の"),
    ("この", "の"),
    ("同社", ""),
    ("同店", ""),
    ("同校", ""),
    ("同院", ""),
    ("当該", "の"),
    ("它", ""),
    ("该", "的"),
];
const PERSONS: [&str; 5] = ["彼女", "彼", "同氏", "その人", "この人"];
/// Words that begin like these and stand for nothing.
const JOINING: [&str; 12] = [
    "その他",
    "そのほか",
    "その後",
    "そのため",
    "その際",
    "そのまま",
    "そのうち",
    "それぞれ",
    "それから",
    "それでも",
    "その上",
    "その時",
];
/// Words that ask.
const ASKING: [&str; 14] = [
    "いつ",
    "どこ",
    "なぜ",
    "どう",
    "どの",
    "どれ",
    "どんな",
    "いくら",
    "いくつ",
    "どちら",
    "誰",
    "何",
    "だれ",
    "なに",
];
/// Particles behind a noun.
const PARTICLES: [&str; 16] =
    ["は", "が", "を", "に", "で", "の", "と", "へ", "や", "も", "から", "まで", "より", "って", "なら", "だけ"];
/// What ends a follow-up that only names something else.
const NAMING: [&str; 16] = [
    "の場合は",
    "の場合",
    "についても",
    "については",
    "に関しては",
    "のときは",
    "とは",
    "では",
    "には",
    "からは",
    "だったら",
    "なら",
    "って",
    "は",
    "も",
    "呢",
];
/// What may stand behind the last word of a question.
const MARKS: [char; 5] = ['?', '？', '.', '。', ' '];
/// A longer answer is no name, and a follow-up with so many nouns stands alone.
const NAME_CHARS: usize = 16;
const STANDS_ALONE: usize = 4;

/// What is asked of something new, or of what the earlier question or its answer named.
pub(super) fn resolved(earlier: &str, answer: &str, rest: &str, language: Language) -> String {
    let bare = earlier.trim_end_matches(MARKS);
    if let Some(replaced) = with_referents(bare, answer, rest) {
        return replaced;
    }
    let body = rest.trim_end_matches(MARKS);
    let named = NAMING.iter().find_map(|end| body.strip_suffix(end)).unwrap_or(body);
    let asks = ASKING.iter().any(|word| body.contains(word)) || body.ends_with('か') || body.ends_with("ください");
    let new = nouns(named);
    if !asks && !new.is_empty() {
        return with_nouns(earlier, named, &new, language);
    }
    if new.is_empty() {
        return format!("{bare}、{rest}");
    }
    let subject = subject(bare, answer);
    let is_own = |c: char| c.is_ascii_alphabetic() || is_katakana(c);
    let shared = nouns(&subject).iter().any(|noun| body.contains(&subject[noun.clone()]));
    let names_something = body.contains(is_own) || body.contains('「') || new.len() >= STANDS_ALONE;
    if shared || names_something || subject.is_empty() { rest.to_owned() } else { format!("{subject}の{rest}") }
}

/// The text with what it stands for in place of the words that do; `None` where there are none.
fn with_referents(earlier: &str, answer: &str, text: &str) -> Option<String> {
    let begins = |word: &str| text.find(word).filter(|at| !JOINING.iter().any(|joins| text[*at..].starts_with(joins)));
    let person = PERSONS.iter().find_map(|word| begins(word).map(|at| (at, word.len(), "")));
    let thing = THINGS.iter().find_map(|(word, left)| begins(word).map(|at| (at, word.len(), *left)));
    let (at, length, left) = person.or(thing)?;
    let named_by_answer = (person.is_some() || text[at..].starts_with('同')) && asks_for_name(earlier);
    let own = if named_by_answer && is_name(answer) { answer.to_owned() } else { subject(earlier, answer) };
    if own.is_empty() {
        return None;
    }
    Some(format!("{}{own}{left}{}", &text[..at], &text[at + length..]))
}

/// Whether a question asks who or which one.
fn asks_for_name(question: &str) -> bool {
    ["誰", "だれ", "どなた", "どの", "どちら", "どこ", "何という"].iter().any(|word| question.contains(word))
}

fn is_name(answer: &str) -> bool {
    !answer.is_empty() && answer.chars().count() <= NAME_CHARS && !answer.starts_with(|c: char| c.is_numeric())
}

/// What a question is about: what stands before its first particle, or the answer where that only asks.
fn subject(question: &str, answer: &str) -> String {
    const ENDS: [&str; 10] = ["とは", "には", "では", "について", "は", "が", "を", "、", "的", "，"];
    let end = ENDS.iter().filter_map(|end| question.find(end)).min().unwrap_or(question.len());
    let subject = question[..end].trim();
    if ASKING.iter().any(|word| subject.contains(word)) {
        return if is_name(answer) { answer.to_owned() } else { String::new() };
    }
    subject.to_owned()
}

/// The nouns of a text: runs without hiragana, with a particle or nothing behind them, that do not ask.
fn nouns(text: &str) -> Vec<Range<usize>> {
    let is_part = |c: char| !is_hiragana(c) && !"、。？?！!「」『』（）()：:,".contains(c);
    let mut runs: Vec<Range<usize>> = Vec::new();
    let mut open = false;
    for (at, c) in text.char_indices() {
        let end = at + c.len_utf8();
        match runs.last_mut() {
            Some(run) if open && is_part(c) => run.end = end,
            _ if is_part(c) => runs.push(at..end),
            _ => {}
        }
        open = is_part(c);
    }
    runs.into_iter()
        .map(|run| {
            let word = &text[run.clone()];
            let start = run.start + word.len() - word.trim_start().len();
            start..start + word.trim().len()
        })
        .filter(|run| {
            let word = &text[run.clone()];
            let after = text[run.end..].trim_start();
            let is_noun = !after.starts_with(is_hiragana) || PARTICLES.iter().any(|end| after.starts_with(end));
            !word.is_empty() && is_noun && !ASKING.iter().any(|asking| word.contains(asking)) && after != "か"
        })
        .collect()
}

/// The earlier question with new nouns in place of those of the same kind, those without their like before it.
fn with_nouns(earlier: &str, named: &str, new: &[Range<usize>], language: Language) -> String {
    let old: Vec<Range<usize>> = nouns(earlier)
        .into_iter()
        .filter(|noun| {
            !earlier[..noun.start].trim_end().ends_with("どの") && !earlier[..noun.start].ends_with("どんな")
        })
        .collect();
    // "新しい大阪支店" is one thing.
    let news: Vec<&str> = match new {
        [_] => vec![named.trim()],
        several => several.iter().map(|range| &named[range.clone()]).collect(),
    };
    let olds: Vec<&str> = old.iter().map(|range| &earlier[range.clone()]).collect();
    let places = giving_way(&news, &olds, language, |one, other| fit(news[one], olds[other]));
    let added: String =
        places.iter().zip(&news).filter(|(place, _)| place.is_none()).map(|(_, new)| format!("{new}、")).collect();
    let mut question = earlier.to_owned();
    for (place, new) in from_last(&places, &news) {
        question.replace_range(old[place].clone(), new);
    }
    added + &question
}

/// How well a noun gives way to a new one: both of one script, with the same beginning or end; never a figure to a word.
fn fit(new: &str, old: &str) -> f32 {
    let (a, b): (Vec<char>, Vec<char>) = (new.chars().collect(), old.chars().collect());
    let same_start = a.iter().zip(&b).take_while(|(a, b)| a == b).count();
    let same_end = a.iter().rev().zip(b.iter().rev()).take_while(|(a, b)| a == b).count();
    let is_figure = |text: &[char]| text.first().is_some_and(|c| c.is_numeric());
    if is_figure(&a) != is_figure(&b) {
        return -1.0;
    }
    let shared = (same_start.min(4) + same_end.min(4)) as f32;
    let same_script = if script(&a) == script(&b) { 2.0 } else { 0.0 };
    shared + same_script
}

/// The script of most of a word.
fn script(word: &[char]) -> usize {
    let kinds = [
        word.iter().filter(|c| is_cjk(**c) && !is_kana(**c)).count(),
        word.iter().filter(|c| is_kana(**c)).count(),
        word.iter().filter(|c| c.is_ascii_alphanumeric()).count(),
    ];
    (0..kinds.len()).max_by_key(|kind| kinds[*kind]).unwrap_or(0)
}
