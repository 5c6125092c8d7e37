//! Names in running text: capitalised words that stand together, quoted titles, and runs of one script where there are
//! no capitals. There is no dictionary: a capitalised word inside a sentence is taken for a name.

use std::collections::BTreeSet;
use std::ops::Range;

use unicode_segmentation::UnicodeSegmentation;

use super::terms::{content_set, is_function_word};
use crate::base::text::{ERAS, Language, is_cjk, is_english_month, is_kana, is_katakana, may_open};

/// A name and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entity {
    /// The name as written, without a possessive ending.
    pub text: String,
    /// The bytes of the text it came from.
    pub range: Range<usize>,
}

impl Entity {
    /// The number of words; a run of ideographs counts as two, since it is as telling as a full name.
    pub(super) fn words(&self) -> usize {
        if self.text.contains(is_cjk) { 2 } else { self.text.split_whitespace().count() }
    }
}

/// Lower-case words that may stand inside a name, before a capitalised word.
const JOINTS: [&str; 22] = [
    "of", "the", "de", "la", "le", "du", "des", "di", "da", "del", "von", "van", "der", "den", "zu", "al", "el", "bin",
    "ibn", "for", "y", "in",
];

/// Capitalised words, besides the months, that do not name anything one could look up.
const DAYS: [&str; 8] = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", "ad"];

/// Returns the names in `text`, in order of their place, each place once.
pub(super) fn entities(text: &str, language: Language) -> Vec<Entity> {
    let mut found = quoted(text);
    let taken: Vec<Range<usize>> = found.iter().map(|entity| entity.range.clone()).collect();
    let free = |range: &Range<usize>| taken.iter().all(|other| range.end <= other.start || other.end <= range.start);
    found.extend(capitalised(text, language).into_iter().filter(|entity| free(&entity.range)));
    found.extend(script_runs(text).into_iter().filter(|entity| free(&entity.range)));
    found.sort_by_key(|entity| (entity.range.start, entity.range.end));
    found
}

/// Returns the content terms of each name in `question`; names without any are left out.
pub(super) fn name_terms(question: &str, language: Language) -> Vec<BTreeSet<String>> {
    let names = entities(question, language);
    let terms = names.iter().map(|name| content_set(&name.text, language));
    terms.filter(|terms| !terms.is_empty()).collect()
}

/// Whether a text with the terms `held` holds any term of one of these names.
pub(super) fn is_named(names: &[BTreeSet<String>], held: &BTreeSet<String>) -> bool {
    names.iter().any(|name| !held.is_disjoint(name))
}

/// Returns the years from 1000 to 2099 that `text` names, in order, each once.
pub(super) fn years(text: &str) -> Vec<u16> {
    let mut years = Vec::new();
    let is_inside_number = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric());
    let mut digits = 0..0;
    for (at, c) in text.char_indices().chain([(text.len(), ' ')]) {
        if c.is_ascii_digit() {
            if digits.is_empty() {
                digits.start = at;
            }
            digits.end = at + 1;
            continue;
        }
        let run = std::mem::replace(&mut digits, 0..0);
        if run.len() != 4 || is_inside_number(Some(c)) || is_inside_number(text[..run.start].chars().next_back()) {
            continue;
        }
        // "1,987 people" and "$1.1999" are amounts, not years.
        let before = text[..run.start].chars().next_back();
        let separated = |mark: Option<char>, rest: Option<char>| {
            matches!(mark, Some(',' | '.')) && rest.is_some_and(|c| c.is_ascii_digit())
        };
        let amount = matches!(before, Some('$' | '€' | '£' | '¥'))
            || separated(before, text[..run.start].chars().rev().nth(1))
            || separated(text[run.end..].chars().next(), text[run.end..].chars().nth(1));
        if let (false, Ok(year)) = (amount, text[run].parse::<u16>())
            && (1000..2100).contains(&year)
            && !years.contains(&year)
        {
            years.push(year);
        }
    }
    years
}

/// Returns titles between quotation marks or marks of emphasis.
fn quoted(text: &str) -> Vec<Entity> {
    const PAIRS: [(&str, &str); 8] =
        [("“", "”"), ("\"", "\""), ("«", "»"), ("„", "“"), ("``", "''"), ("「", "」"), ("『", "』"), ("*", "*")];
    let mut found: Vec<Entity> = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        let Some((open, close)) = PAIRS.iter().find(|(open, _)| rest.starts_with(open)) else {
            at += rest.chars().next().map_or(1, char::len_utf8);
            continue;
        };
        let inner = at + open.len();
        let end = text[inner..].find(close).map(|length| inner + length);
        match end {
            Some(end) if is_title(&text[inner..end]) => {
                let trimmed = text[inner..end].trim().trim_end_matches([',', '.']);
                found.push(Entity { text: trimmed.to_owned(), range: at..end + close.len() });
                at = end + close.len();
            }
            // Marks of speech are also consumed in pairs, or a closing one would open the next pair.
            Some(end) if open == close && inner < end && !text[inner..end].contains('\n') => at = end + close.len(),
            _ => at = inner,
        }
    }
    found
}

/// Whether quoted words look like a title rather than speech.
fn is_title(inner: &str) -> bool {
    let words = inner.split_whitespace().count();
    let first = inner.trim().chars().next();
    (1..=8).contains(&words)
        && inner.chars().count() <= 60
        && inner.chars().filter(|c| c.is_alphabetic()).count() >= 2
        && !inner.split_whitespace().all(tells_time)
        && first.is_some_and(|c| may_open(c) || c.is_numeric())
}

/// One word of the scan for capitals.
struct Word<'t> {
    start: usize,
    text: &'t str,
    /// The characters between the word before and this one.
    gap: &'t str,
}

/// Returns runs of capitalised words.
fn capitalised(text: &str, language: Language) -> Vec<Entity> {
    let mut words: Vec<Word<'_>> = Vec::new();
    let mut end = 0;
    for (start, word) in text.unicode_word_indices() {
        words.push(Word { start, text: word, gap: &text[end..start] });
        end = start + word.len();
    }
    let inside: BTreeSet<&str> = words
        .iter()
        .enumerate()
        .filter(|&(i, word)| i > 0 && !begins_sentence(word, words.get(i - 1)) && is_capital(word.text))
        .map(|(_, word)| word.text)
        .collect();
    let mut found = Vec::new();
    let mut i = 0;
    while i < words.len() {
        if !is_capital(words[i].text) {
            i += 1;
            continue;
        }
        let first = i;
        let mut last = i;
        loop {
            let next = last + 1;
            let joins = |k: usize| words.get(k).is_some_and(|word| joins_run(word, words.get(k - 1)));
            let named = |k: usize| words.get(k).is_some_and(|word| is_capital(word.text) || is_numeral(word.text));
            if joins(next) && named(next) {
                last = next;
            } else if let Some(step) = (1..=2).find(|step| {
                (0..*step).all(|k| joins(next + k) && words.get(next + k).is_some_and(|w| JOINTS.contains(&w.text)))
                    && joins(next + step)
                    && words.get(next + step).is_some_and(|word| is_capital(word.text))
            }) {
                last = next + step;
            } else {
                break;
            }
        }
        i = last + 1;
        found.extend(name_of(text, &words, first, last, &inside, language));
    }
    found
}

/// Returns the name made of `words[first..=last]`, if it is one.
fn name_of(
    text: &str,
    words: &[Word<'_>],
    first: usize,
    last: usize,
    inside: &BTreeSet<&str>,
    language: Language,
) -> Option<Entity> {
    let article = |word: &str| matches!(word, "The" | "A" | "An" | "Der" | "Die" | "Das" | "Le" | "La" | "Les" | "El");
    let mut first = first;
    // "In" or "After" opens a sentence, not a name; an article may belong to the name.
    while first <= last && is_function_word(words[first].text) && (!article(words[first].text) || first == last) {
        first += 1;
    }
    if first > last {
        return None;
    }
    let body: Vec<&Word<'_>> = words[first..=last].iter().filter(|word| !article(word.text)).collect();
    let plain = |word: &&Word<'_>| tells_time(word.text);
    let opens = begins_sentence(&words[first], first.checked_sub(1).and_then(|before| words.get(before)));
    // "Opened 3 May" is not a name.
    let is_dated = |rest: &[&Word<'_>]| rest.iter().all(plain) && rest.iter().any(|one| is_capital(one.text));
    if body.iter().all(plain) || opens && is_dated(body.get(1..).unwrap_or_default()) {
        return None;
    }
    if let [single] = body.as_slice() {
        let nouns_are_capitalised = language == Language(Some(whatlang::Lang::Deu));
        if nouns_are_capitalised
            || single.text.chars().count() < 3
            || (opens && first == last && !inside.contains(single.text))
        {
            return None;
        }
    }
    let end = words[last].start + words[last].text.len();
    let range = words[first].start..end;
    let name = text.get(range.clone())?;
    let name = name.strip_suffix("'s").or_else(|| name.strip_suffix("’s")).unwrap_or(name);
    Some(Entity { text: name.to_owned(), range })
}

/// Whether a word is a day of the week, a month or a number.
fn tells_time(word: &str) -> bool {
    let name = word.to_lowercase();
    is_english_month(&name)
        || DAYS.contains(&name.strip_suffix('s').unwrap_or(&name))
        || word.chars().all(|c| c.is_ascii_digit())
}

fn is_capital(word: &str) -> bool {
    word.chars().next().is_some_and(char::is_uppercase)
}

fn is_numeral(word: &str) -> bool {
    word.len() < 4 && word.chars().all(|c| c.is_ascii_digit())
}

/// Whether only a space, a hyphen, an apostrophe, an ampersand or the point of an initial separates `word` from the one
/// before.
fn joins_run(word: &Word<'_>, before: Option<&Word<'_>>) -> bool {
    match word.gap {
        " " | "-" | " & " | "–" | "'" | "’" => true,
        ". " | "." => before.is_some_and(|before| before.text.chars().count() <= 2 || before.text == "Mrs"),
        _ => false,
    }
}

fn begins_sentence(word: &Word<'_>, before: Option<&Word<'_>>) -> bool {
    before.is_none() || (word.gap.contains(['.', '!', '?', ':', '\n', '"', '“']) && !joins_run(word, before))
}

/// Returns names in scripts without capitals: runs of katakana, and of ideographs.
fn script_runs(text: &str) -> Vec<Entity> {
    let class = |c: char| match c {
        _ if is_katakana(c) => 1,
        '\u{3400}'..='\u{9fff}' => 2,
        _ => 0,
    };
    let mut found = Vec::new();
    let has_kana = text.chars().any(is_kana);
    let mut start = 0;
    let mut current = 0;
    for (at, c) in text.char_indices().chain([(text.len(), ' ')]) {
        let next = class(c);
        if next == current {
            continue;
        }
        let length = text[start..at].chars().count();
        // In Chinese, ideographs run on through whole clauses, so only short runs in a text with kana are names.
        let named = match current {
            1 => length >= 3,
            2 => has_kana && (2..=8).contains(&length) && is_noun(&text[..start], &text[start..at], &text[at..]),
            _ => false,
        };
        if named {
            found.push(Entity { text: text[start..at].to_owned(), range: start..at });
        }
        (start, current) = (at, next);
    }
    found
}

/// Whether a run of ideographs between two others is a noun that may be a name: not a unit after a figure, as in 月末,
/// not an era, not a half of a day, and not a verb.
fn is_noun(before: &str, run: &str, behind: &str) -> bool {
    const VERBS: [&str; 8] = ["する", "すれ", "した", "して", "します", "しま", "され", "させ"];
    let is_time = ERAS.iter().any(|&(era, _)| era == run) || ["午前", "午後"].contains(&run);
    !before.ends_with(char::is_numeric) && !is_time && !VERBS.iter().any(|verb| behind.starts_with(verb))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[&str]) {
        let found: Vec<String> = entities(text, Language::ENGLISH).into_iter().map(|entity| entity.text).collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn names_are_runs_of_capitals() {
        check("It is published by the American Psychological Association.", &["American Psychological Association"]);
        check("He studied at the University of California and in Rome.", &["University of California", "Rome"]);
        check(
            "The editor is George T. Solomon (George Washington University).",
            &["George T. Solomon", "George Washington University"],
        );
        check("How has The Simpsons changed?", &["The Simpsons"]);
    }

    #[test]
    fn a_sentence_does_not_make_its_first_word_a_name() {
        check("Nobody came. Later it rained.", &[]);
        check("In Paris nobody came.", &["Paris"]);
        check("On March 20 it rained in May.", &[]);
        check("Opened 22 July by Ann Lee. Closed on *Thursdays*.", &["Ann Lee"]);
        check("Homer sleeps, and so Homer dreams.", &["Homer", "Homer"]);
    }

    #[test]
    fn a_possessive_ending_is_no_part_of_a_name() {
        check("the state where Hello Love's performer lived", &["Hello Love"]);
        check("when Arthur's Magazine began", &["Arthur's Magazine"]);
    }

    #[test]
    fn quotes_hold_titles_but_not_speech() {
        check("the episode \"Bart the Genius\" of 1990", &["Bart the Genius"]);
        check("she said \"and so it goes\"", &[]);
        check("a film, *Annie Hall*, by someone", &["Annie Hall"]);
        check("an open quote \"Never closed", &[]);
    }

    #[test]
    fn scripts_without_capitals_give_runs() {
        check("彼はマイクロソフトの東京支社で働いた。", &["マイクロソフト", "東京支社"]);
        check("他说「红楼梦」很好", &["红楼梦"]);
        check("令和7年1月末の午後に、小林が214号室を確認した。", &["小林"]);
    }

    #[test]
    fn years_are_four_lonely_digits() {
        let check = |text: &str, expected: &[u16]| assert_eq!(years(text), expected, "{text}");
        check("from 1989 to 1991, and 1989 again", &[1989, 1991]);
        check("1,987 people, $1999, 12345, 1990s, 0999", &[]);
        check("im Jahr 2001.", &[2001]);
        check("2001年に", &[2001]);
        check("on 2019-03-20", &[2019]);
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_survived(text in "\\PC{0,60}") {
            for entity in entities(&text, Language::ENGLISH) {
                proptest::prop_assert!(text.get(entity.range).is_some());
            }
            years(&text);
        }
    }
}
