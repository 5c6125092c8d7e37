//! Splits a compound question into parts: its sentences, its relative clauses, the things it compares.

use unicode_segmentation::UnicodeSegmentation;

use super::entities::{Entity, entities};
use super::terms::{content_set, content_terms, is_function_word, surfaces, unknown_words};
use crate::base::text::analysis::Term;
use crate::base::text::{Language, is_cjk, one_line, sentences};

/// Words that open a clause about the noun before it.
const RELATIVES: [&str; 22] = [
    "which", "that", "who", "whose", "whom", "where", "when", "while", "qui", "que", "dont", "où", "quien", "cuyo",
    "cuya", "donde", "welcher", "welche", "welches", "deren", "dessen", "wo",
];

/// Words that join two clauses or two things.
const CONJUNCTIONS: [&str; 9] = ["and", "or", "und", "oder", "et", "ou", "y", "o", "versus"];

/// Strings that join two things in scripts without spaces.
const JOINING_WIDE: [&str; 9] = ["と", "や", "、", "及び", "または", "和", "与", "與", "或"];

/// Words that compare things.
const COMPARING: [&str; 22] = [
    "both",
    "difference",
    "differences",
    "differ",
    "differs",
    "different",
    "compare",
    "compared",
    "comparison",
    "between",
    "similar",
    "common",
    "versus",
    "vs",
    "unterschied",
    "unterschiede",
    "zwischen",
    "vergleiche",
    "différence",
    "différences",
    "diferencia",
    "diferencias",
];

/// Words that say in what respect two things are compared.
const DEGREES: [&str; 9] = ["same", "more", "older", "younger", "first", "larger", "smaller", "longer", "than"];

/// Returns the parts of `question` worth searching for on their own, most telling first, without the question itself.
pub(super) fn parts(question: &str, language: Language) -> Vec<String> {
    let question = one_line(question);
    let mut parts: Vec<String> = Vec::new();
    // What a question leans on follows it in brackets.
    let (own, earlier) =
        question.strip_suffix(')').and_then(|rest| rest.rsplit_once(" (")).unwrap_or((question.as_str(), ""));
    let sentences = [own, earlier].into_iter().flat_map(|text| sentences(text).filter_map(|range| text.get(range)));
    let asked: Vec<String> = sentences.map(str::to_owned).collect();
    if asked.len() > 1 {
        let says_much = |part: &&String| part.as_str() == own || content_terms(part, language).len() > 1;
        parts.extend(asked.iter().filter(says_much).cloned());
    }
    for sentence in &asked {
        let compared = comparison(sentence, language);
        // Clauses end between words, and scripts without spaces do not show where that is.
        if compared.is_empty() && !sentence.contains(is_cjk) {
            parts.extend(clauses(sentence, language));
        }
        parts.extend(compared);
    }
    // Two phrasings of one search have the same terms.
    let mut seen = std::collections::BTreeSet::from([content_set(&question, language)]);
    parts.retain(|part| {
        let terms = content_set(part, language);
        !terms.is_empty() && seen.insert(terms)
    });
    parts
}

/// Whether a question compares things.
pub(super) fn compares(question: &str) -> bool {
    let lower = question.to_lowercase();
    let words: Vec<&str> = lower.unicode_words().collect();
    COMPARING.iter().any(|word| words.contains(word))
        || ["違い", "比較", "比べ", "区别", "比较"].iter().any(|word| lower.contains(word))
}

/// For "are A and B both C" and "A or B", returns one search for each, with what is asked of them.
fn comparison(sentence: &str, language: Language) -> Vec<String> {
    let names = entities(sentence, language);
    let coordinated: Vec<&Entity> = names
        .iter()
        .enumerate()
        .filter(|&(i, name)| {
            let joins = |from: usize, to: usize| {
                sentence.get(from..to).is_some_and(|gap| {
                    let words: Vec<String> = gap.unicode_words().map(str::to_lowercase).collect();
                    gap.trim() == ","
                        || JOINING_WIDE.contains(&gap.trim())
                        || words.iter().any(|word| CONJUNCTIONS.contains(&word.as_str()) || word == "with")
                            && words.iter().all(|word| is_function_word(word) || word == "versus")
                })
            };
            let after = names.get(i + 1).is_some_and(|next| joins(name.range.end, next.range.start));
            let before = i > 0 && names.get(i - 1).is_some_and(|prior| joins(prior.range.end, name.range.start));
            after || before
        })
        .map(|(_, name)| name)
        .collect();
    if coordinated.len() < 2 {
        return Vec::new();
    }
    let terms = content_terms(sentence, language);
    let others = terms.iter().filter(|term| coordinated.iter().all(|name| !overlaps(&name.range, &term.range)));
    let asked: Vec<String> = if sentence.contains(is_cjk) {
        unknown_words(
            sentence,
            &coordinated.iter().flat_map(|name| content_set(&name.text, language)).collect(),
            language,
        )
    } else {
        surfaces(sentence, others).into_iter().map(str::to_owned).collect()
    };
    let says_how = |word: &String| {
        let lower = word.to_lowercase();
        COMPARING.contains(&lower.as_str()) || DEGREES.contains(&lower.as_str())
    };
    let asked: Vec<String> = asked.into_iter().filter(|word| !says_how(word)).collect();
    coordinated.iter().map(|name| join(&name.text, &asked)).collect()
}

pub(super) fn overlaps(a: &std::ops::Range<usize>, b: &std::ops::Range<usize>) -> bool {
    a.start < b.end && b.start < a.end
}

/// Joins a name and what is asked about it.
pub(super) fn join(name: &str, asked: &[impl AsRef<str>]) -> String {
    if asked.is_empty() {
        return name.to_owned();
    }
    let asked: Vec<&str> = asked.iter().map(AsRef::as_ref).collect();
    format!("{name}: {}", asked.join(" "))
}

/// Splits a text made by [`join`] into the name and what is asked about it.
pub(super) fn split_at_join(query: &str) -> (&str, &str) {
    query.rsplit_once(": ").unwrap_or((query, ""))
}

/// Returns the clauses of one sentence that name something, each with the noun that it is about.
fn clauses(sentence: &str, language: Language) -> Vec<String> {
    let words: Vec<(usize, &str)> = sentence.unicode_word_indices().collect();
    let mut cuts: Vec<usize> = Vec::new();
    for (i, (_, word)) in words.iter().enumerate().skip(1) {
        let lower = word.to_lowercase();
        let (before_at, before) = words[i - 1];
        let comma = sentence[before_at + before.len()..words[i].0].contains([',', ';', '，', '、']);
        let opens = |word: Option<&(usize, &str)>| {
            word.is_some_and(|(_, word)| {
                is_function_word(word) && !JOINING_ARTICLES.contains(&word.to_lowercase().as_str())
            })
        };
        let relative = is_relative(word);
        let coordinate = CONJUNCTIONS.contains(&lower.as_str()) && opens(words.get(i + 1));
        if relative || coordinate || (comma && words.len() - i >= 3) {
            // "in which" and "of whom" open the clause together.
            let pulled = relative && i >= 2 && is_function_word(before) && !is_relative(before);
            cuts.push(if pulled { i - 1 } else { i });
        }
    }
    cuts.dedup();
    let names = entities(sentence, language);
    let terms = content_terms(sentence, language);
    let bounds: Vec<usize> = [0].into_iter().chain(cuts).chain([words.len()]).collect();
    let mut found: Vec<(bool, String)> = Vec::new();
    for pair in bounds.windows(2) {
        let (from, to) = (pair[0], pair[1]);
        if from >= to {
            continue;
        }
        let start = words[from].0;
        let end = words[to - 1].0 + words[to - 1].1.len();
        let inside = |range: &std::ops::Range<usize>| start <= range.start && range.end <= end;
        let own = surfaces(sentence, terms.iter().filter(|term| inside(&term.range)));
        let named = names.iter().any(|name| inside(&name.range));
        if own.is_empty() || (own.len() < 2 && !named) {
            continue;
        }
        // The noun before a relative clause is what the clause is about: at most two words, close before it.
        let before = |term: &&Term| from > 0 && term.range.end <= start && start - term.range.end <= 24;
        let head = surfaces(sentence, terms.iter().filter(before));
        let head = &head[head.len().saturating_sub(2)..];
        let text = head.iter().chain(own.iter()).copied().collect::<Vec<_>>().join(" ");
        found.push((named, text));
    }
    if bounds.len() < 3 {
        found.clear();
    }
    // A name with the words around it finds the page about it, which the whole question may miss.
    for name in &names {
        let is_near = |term: &&Term| {
            let gap = if term.range.start >= name.range.end {
                sentence.get(name.range.end..term.range.start)
            } else {
                sentence.get(term.range.end..name.range.start)
            };
            !overlaps(&name.range, &term.range) && gap.is_some_and(|gap| gap.chars().count() <= 12)
        };
        let near = surfaces(sentence, terms.iter().filter(is_near));
        found.push((true, join(&name.text, &near)));
    }
    found.sort_by_key(|(named, _)| !named);
    found.into_iter().map(|(_, text)| text).collect()
}

const JOINING_ARTICLES: [&str; 6] = ["the", "a", "an", "der", "die", "das"];

fn is_relative(word: &str) -> bool {
    RELATIVES.contains(&word.to_lowercase().as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(question: &str, expected: &[&str]) {
        let found = parts(question, Language::ENGLISH);
        for part in expected {
            assert!(found.iter().any(|found| found == part), "{question}: no {part:?} in {found:?}");
        }
        if expected.is_empty() {
            assert!(found.is_empty(), "{question}: {found:?}");
        }
    }

    #[test]
    fn relative_clauses_keep_their_noun() {
        check(
            "Who was the first president of the association which published Journal of Psychotherapy Integration?",
            &["president association published Journal Psychotherapy Integration"],
        );
    }

    #[test]
    fn compared_things_are_searched_one_by_one() {
        check(
            "Are Christopher Nolan and Sathish Kalathil both film directors?",
            &["Christopher Nolan: film directors", "Sathish Kalathil: film directors"],
        );
        check(
            "Which magazine was started first, Arthur's Magazine or First for Women?",
            &["Arthur's Magazine: magazine started"],
        );
    }

    #[test]
    fn in_japanese_only_what_is_joined_is_compared() {
        let check = |question: &str, expected: &[&str]| {
            assert_eq!(parts(question, Language::from_code("jpn")), expected, "{question}");
        };
        check("清掃会社との契約を途中でやめるには何か月前に知らせる必要がありますか。", &[]);
        check(
            "大阪支社と名古屋支店の電話番号は何番ですか。",
            &["大阪支社: 電話番号 何番", "名古屋支店: 電話番号 何番"],
        );
    }

    #[test]
    fn every_sentence_is_a_part() {
        check(
            "Who wrote the opera? When was the theatre built?",
            &["Who wrote the opera?", "When was the theatre built?"],
        );
    }

    #[test]
    fn a_plain_question_has_no_parts() {
        check("what is a compiler", &[]);
        check("", &[]);
        check("?!", &[]);
    }

    proptest::proptest! {
        #[test]
        fn any_question_is_survived(question in "\\PC{0,80}") {
            parts(&question, Language::ENGLISH);
        }
    }
}
