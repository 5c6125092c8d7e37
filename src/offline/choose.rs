//! Which strategy suits a question, by the rules in `docs/strategies.md`; the first rule that applies holds.

use super::asking::is_broad;
use super::entities::{Entity, entities, years};
use super::terms::{language_of, word_count};
use crate::base::text::{Language, is_cjk, is_listed, one_line};
use crate::llm::purpose::{Choice, ChooseInput, ChosenStrategy};

/// Words of questions with several sides: comparisons, developments, causes.
const SIDES: &str = "\
compare compared comparison differ differs difference differences versus vs both change changed changes changing develop \
developed development evolve evolved evolution why reasons causes effects impact influence advantages disadvantages \
overview history similarities common \
vergleiche vergleich unterschied unterschiede unterscheiden beide änderte geändert verändert entwickelte entwicklung warum \
weshalb gründe ursachen folgen überblick \
comparer comparaison différence différences différent évolué évolution changé changement pourquoi raisons causes \
comparar comparación diferencia diferencias cambió cambiado cambio evolución desarrollo razones causas";
/// The same in scripts without spaces.
const WIDE_SIDES: [&str; 16] = [
    "比較",
    "違い",
    "変化",
    "変わ",
    "推移",
    "なぜ",
    "理由",
    "原因",
    "経緯",
    "影響",
    "比较",
    "区别",
    "变化",
    "为什么",
    "演变",
    "影响",
];
/// Words that link one thing to another that is not named.
const LINKS: &str = "\
of whose where who that which whom dessen deren von des dont qui du duquel cuyo cuya del donde quien";
/// Opening words that ask what the following words are, and do not link.
const OPENINGS: &str = "who whom whose which what where when how in on at by from to wer wessen wo qui quién dónde";
/// A question of more words than this does not ask for one plain fact.
const SHORT: usize = 14;

/// Chooses by the question's words alone: without a model, nothing else can be judged.
pub(super) fn choose(input: &ChooseInput) -> Choice {
    let question = one_line(&input.question);
    let language = language_of(&input.language, &question);
    let (strategy, reason) = if has_sides(&question, language) {
        (ChosenStrategy::Deep, "the question compares, follows a change or has several parts")
    } else if links(&question) >= 2 {
        (ChosenStrategy::Chain, "the question goes through something that it does not name")
    } else if is_broad(&question, language) {
        (ChosenStrategy::Deep, "the question is broad")
    } else if word_count(&question) <= SHORT {
        (ChosenStrategy::Naive, "the question asks for one fact")
    } else {
        (ChosenStrategy::Deep, "the question is long and fits no other rule")
    };
    Choice { reason: format!("By rule: {reason}."), strategy }
}

/// Whether there are several questions, several years, things compared with each other, or a word of comparison, change
/// or cause.
fn has_sides(question: &str, language: Language) -> bool {
    let asked = question.chars().filter(|character| matches!(character, '?' | '？')).count();
    let word = words(question).iter().any(|word| is_listed(SIDES, word));
    let wide = WIDE_SIDES.iter().any(|word| question.contains(word));
    asked > 1 || word || wide || years(question).len() > 1 || joins_names(question, language)
}

/// Whether two names stand side by side, joined by "or" or "and".
fn joins_names(question: &str, language: Language) -> bool {
    let names = entities(question, language);
    let between = |pair: &[Entity]| question.get(pair[0].range.end..pair[1].range.start);
    let joints = [" or ", " and ", ", or ", " oder ", " und ", " ou ", " et ", " o ", " y "];
    names.windows(2).any(|pair| between(pair).is_some_and(|gap| joints.contains(&gap)))
}

/// Counts the links from one thing to another: "of", a relative clause, a possessive, or の and 的.
fn links(question: &str) -> usize {
    if question.chars().any(is_cjk) {
        return question.matches(['の', '的']).count();
    }
    let words = words(question);
    // "Which", "In which" and "Of whom" open a question; only after the first other word are they links.
    let body = words.iter().position(|word| !is_listed(OPENINGS, word)).unwrap_or(0);
    let possessive = |word: &String| word.ends_with("'s") || word.ends_with("s'");
    words.iter().skip(body).filter(|word| is_listed(LINKS, word) || possessive(word)).count()
}

fn words(question: &str) -> Vec<String> {
    let lower = question.to_lowercase().replace('’', "'");
    let trim = |word: &str| word.trim_matches(|c: char| !c.is_alphanumeric() && c != '\'').to_owned();
    lower.split_whitespace().map(trim).filter(|word| !word.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(question: &str, expected: ChosenStrategy) {
        let input = ChooseInput { question: question.to_owned(), language: "unknown".to_owned(), collections: vec![] };
        let choice = choose(&input);
        assert_eq!(choice.strategy, expected, "{question}: {}", choice.reason);
    }

    #[test]
    fn several_sides_are_researched_in_depth() {
        check("How has The Simpsons changed over time?", ChosenStrategy::Deep);
        check("What is the difference between the two contracts?", ChosenStrategy::Deep);
        check("Who wrote the opera? When was the theatre built?", ChosenStrategy::Deep);
        check("Which magazine was started first, Arthur's Magazine or First for Women?", ChosenStrategy::Deep);
        check("What was sold in 1990 and in 2007?", ChosenStrategy::Deep);
        check("Warum wurde das Werk geschlossen?", ChosenStrategy::Deep);
        check("二つの契約の違いは何ですか", ChosenStrategy::Deep);
    }

    #[test]
    fn what_hangs_on_something_unnamed_is_followed() {
        check("Where was the director of the film that won the prize born?", ChosenStrategy::Chain);
        check("Who was the spouse of the singer of Hello Love?", ChosenStrategy::Chain);
        check("In which county is the birthplace of the founder of Klasky?", ChosenStrategy::Chain);
        check("映画の監督の出身地はどこですか", ChosenStrategy::Chain);
    }

    #[test]
    fn one_fact_takes_one_search() {
        check("When did the show premiere?", ChosenStrategy::Naive);
        check("Who voiced Apu?", ChosenStrategy::Naive);
        check("What is the capital of France?", ChosenStrategy::Naive);
        check("誰がアプーを演じましたか", ChosenStrategy::Naive);
    }

    #[test]
    fn what_is_broad_or_long_is_researched_in_depth() {
        check("The Simpsons", ChosenStrategy::Deep);
        check(
            "Which amount did the supplier name in the letter about late parts before the meeting with our lawyers last spring?",
            ChosenStrategy::Deep,
        );
    }
}
