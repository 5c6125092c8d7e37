//! Follow-ups in languages that part their words with spaces.

use std::ops::Range;

use super::{from_last, giving_way};
use crate::base::text::{Language, capitalised, is_english_month};
use crate::offline::entities::{entities, years};
use crate::offline::plan::topic;
use crate::offline::terms::{is_function_word, shape};

/// Words that stand for what the earlier question was about, for a person in it, and those that say whose something is.
const THINGS: [&str; 10] = ["it", "they", "them", "this", "that", "these", "those", "ils", "ellos", "itself"];
const PERSONS: [&str; 9] = ["he", "she", "him", "er", "ihn", "sie", "elle", "il", "él"];
const WHOSE: [&str; 7] = ["its", "their", "his", "ihre", "ihren", "leur", "leurs"];
const MANY: [&str; 5] = ["they", "them", "these", "those", "their"];

/// Words that ask for something.
const INTERROGATIVES: [&str; 20] = [
    "what", "who", "whom", "whose", "when", "where", "which", "why", "how", "wer", "wann", "wo", "warum", "wie", "qui",
    "quand", "comment", "quién", "cuándo", "cómo",
];
/// Others that open a whole question.
const OPENING: [&str; 35] = [
    "did",
    "does",
    "do",
    "is",
    "are",
    "was",
    "were",
    "has",
    "have",
    "had",
    "can",
    "could",
    "should",
    "must",
    "may",
    "might",
    "will",
    "would",
    "shall",
    "tell",
    "explain",
    "describe",
    "list",
    "show",
    "give",
    "compare",
    "summarise",
    "summarize",
    "name",
    "say",
    "isn't",
    "aren't",
    "doesn't",
    "didn't",
    "please",
];

/// Verbs that stand before the subject of a question, whose own verb follows it.
const AUXILIARIES: [&str; 16] = [
    "do", "does", "did", "have", "has", "had", "can", "could", "should", "must", "may", "might", "will", "would",
    "shall", "cannot",
];
const BEING: [&str; 6] = ["is", "are", "was", "were", "be", "been"];

const PREPOSITIONS: [&str; 24] = [
    "in", "on", "at", "by", "for", "from", "to", "of", "with", "without", "under", "over", "after", "before", "during",
    "between", "about", "against", "through", "since", "until", "within", "into", "above",
];
const ARTICLES: [&str; 9] = ["the", "a", "an", "our", "your", "my", "der", "die", "das"];

/// Words that point to one of several; where several are meant they go.
const ORDINALS: [&str; 7] = ["first", "second", "third", "last", "next", "latest", "final"];

/// A longer answer is no name.
const NAME_WORDS: usize = 6;

/// What is asked of something new, of something that the earlier question or its answer named, or of both.
pub(super) fn resolved(earlier: &str, answer: &str, rest: &str, language: Language) -> String {
    let old = phrases(earlier, language);
    let rest = with_nouns(rest, earlier, &old);
    if let Some(replaced) = with_referents(&rest, earlier, answer, &old, language) {
        return replaced;
    }
    if asks(&rest) {
        let names_something = !entities(&rest, language).is_empty() || !years(&rest).is_empty();
        if names_something {
            return rest;
        }
        let subject = subject(earlier, answer, &old, language);
        return format!("{}: {rest}", capitalised(&subject));
    }
    with_other_number(earlier, &rest).unwrap_or_else(|| with_phrases(earlier, &rest, &old, language))
}

/// A phrase of a question: a name, or words that stand together and are no function words.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Phrase {
    range: Range<usize>,
    /// The preposition before it, empty where there is none.
    preposition: String,
    has_article: bool,
    is_name: bool,
    /// Whether a question word stands before it, as in "which studio".
    is_asked: bool,
}

/// The phrases of a question without its verb, as far as the order of words tells it.
fn phrases(text: &str, language: Language) -> Vec<Phrase> {
    let names: Vec<Range<usize>> = entities(text, language).into_iter().map(|name| name.range).collect();
    let words = words(text);
    let mut found: Vec<Phrase> = Vec::new();
    let blank =
        || Phrase { range: 0..0, preposition: String::new(), has_article: false, is_name: false, is_asked: false };
    let mut phrase = blank();
    // Whether an auxiliary was read whose verb was not, and the end of the subject between them; whether "who" was read
    // last; whether something is said to be something.
    let (mut verb_due, mut subject_end, mut who, mut being) = (false, None, false, false);
    let mut at = 0;
    while let Some(word) = words.get(at) {
        let lower = text[word.clone()].to_lowercase();
        if let Some(name) = names.iter().find(|name| name.contains(&word.start)) {
            at += words[at..].iter().take_while(|word| word.start < name.end).count();
            let end = words[at - 1].end;
            found.push(Phrase { range: word.start..end, is_name: true, ..phrase });
            subject_end = Some(end);
            phrase = blank();
            who = false;
            continue;
        }
        if is_plain(&lower) {
            if PREPOSITIONS.contains(&lower.as_str()) {
                phrase = Phrase { preposition: lower.clone(), ..blank() };
            } else if ARTICLES.contains(&lower.as_str()) {
                phrase.has_article = true;
            } else if INTERROGATIVES.contains(&lower.as_str()) {
                phrase = Phrase { is_asked: true, ..blank() };
            } else if !["many", "much"].contains(&lower.as_str()) {
                phrase = blank();
            }
            verb_due |= AUXILIARIES.contains(&lower.as_str());
            being |= BEING.contains(&lower.as_str());
            who = lower == "who";
            at += 1;
            continue;
        }
        let is_own = |word: &Range<usize>| {
            !is_plain(&text[word.clone()]) && !names.iter().any(|name| name.contains(&word.start))
        };
        let parted = |one: usize| text[words[one - 1].end..words[one].start].contains([',', ';', ':']);
        let end = (at + 1..words.len()).find(|&next| !is_own(&words[next]) || parted(next)).unwrap_or(words.len());
        let (mut first, mut last) = (at, end);
        let touches = subject_end.is_some_and(|end| !text[end..words[at].start].contains(char::is_alphanumeric));
        // "What mode should log files have?": the verb is one of the words that join.
        let verb_follows = words.get(end).is_some_and(|next| {
            let next = text[next.clone()].to_lowercase();
            is_plain(&next) && ![&PREPOSITIONS[..], &ARTICLES[..]].concat().contains(&next.as_str())
        });
        if who || verb_due && touches {
            first += 1;
            (verb_due, phrase.is_asked) = (false, false);
        } else if verb_due && subject_end.is_none() && last - first > 1 && !phrase.is_asked && !verb_follows {
            last -= 1;
            verb_due = false;
        } else if being && text[words[last - 1].clone()].ends_with("ed") && (!phrase.has_article || last - first > 1) {
            last -= 1;
        }
        if !phrase.is_asked {
            subject_end = Some(words[last.max(first + 1).min(end) - 1].end);
        }
        if first < last {
            found.push(Phrase { range: words[first].start..words[last - 1].end, ..phrase });
        }
        phrase = blank();
        who = false;
        at = end;
    }
    found
}

/// Whether a word names nothing: it joins others, or it asks.
fn is_plain(word: &str) -> bool {
    let lower = word.to_lowercase();
    is_function_word(&lower) || opens_question(&lower) || BEING.contains(&lower.as_str())
}

/// Whether a word in small letters opens a whole question.
fn opens_question(word: &str) -> bool {
    INTERROGATIVES.contains(&word) || OPENING.contains(&word)
}

/// The bytes of the words, without the marks around them.
fn words(text: &str) -> Vec<Range<usize>> {
    const MARKS: [char; 13] = [',', '.', ';', ':', '?', '!', '"', '“', '”', '(', ')', '‘', '…'];
    let mut found = Vec::new();
    let mut at = 0;
    for word in text.split_inclusive(' ') {
        let trimmed = word.trim().trim_end_matches(MARKS);
        let start = at + (word.len() - word.trim_start().trim_start_matches(MARKS).len());
        let end = at + word.find(trimmed).unwrap_or(0) + trimmed.len();
        if start < end {
            found.push(start..end);
        }
        at += word.len();
    }
    found
}

/// Whether a text is a question of its own: it opens with a word that asks, perhaps behind a preposition.
fn asks(text: &str) -> bool {
    let lower = text.to_lowercase();
    let mut words = lower.split(' ').map(|word| word.trim_matches(|c: char| !c.is_alphanumeric() && c != '\''));
    let (first, second) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    opens_question(first) || PREPOSITIONS.contains(&first) && INTERROGATIVES.contains(&second)
}

/// The text with the nouns that it leaves to the earlier question: "which one followed", "how many did he write".
fn with_nouns(text: &str, earlier: &str, old: &[Phrase]) -> String {
    let asked = old.iter().find(|phrase| phrase.is_asked);
    let object = || old.iter().rev().find(|phrase| !phrase.is_name && years(&earlier[phrase.range.clone()]).is_empty());
    let Some(phrase) = asked.or_else(object) else { return text.to_owned() };
    let phrase = &earlier[phrase.range.clone()];
    let noun = match asked {
        // Behind the noun that is asked for a verb may stand.
        Some(_) => phrase.split(' ').next(),
        None => phrase.rsplit(' ').next(),
    };
    let noun = noun.unwrap_or(phrase);
    let words: Vec<&str> = text.split(' ').collect();
    let lower: Vec<String> = words.iter().map(|word| word.to_lowercase()).collect();
    let is_open = |at: usize| {
        lower.get(at + 1).is_some_and(|next| AUXILIARIES.contains(&next.as_str()) || BEING.contains(&next.as_str()))
    };
    let mut told: Vec<&str> = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let before = at.checked_sub(1).map_or("", |before| lower[before].as_str());
        let one = ["one", "ones"].contains(&lower[at].trim_end_matches(['?', '.']))
            && ["which", "other", "first", "last", "next", "that", "this"].contains(&before);
        told.push(if one { noun } else { word });
        if lower[at] == "many" && before == "how" && is_open(at) {
            told.push(noun);
        }
    }
    told.join(" ")
}

/// The text with what the earlier question was about in place of the words that stand for it; `None` where there are none.
fn with_referents(text: &str, earlier: &str, answer: &str, old: &[Phrase], language: Language) -> Option<String> {
    let words: Vec<&str> = text.split(' ').collect();
    let mut found = false;
    let mut prefix = None;
    let mut told: Vec<String> = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
        let lower = bare.to_lowercase();
        let next = words.get(at + 1).map(|next| next.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase());
        let before_noun = next.is_some_and(|next| !is_function_word(&next)) && !word.ends_with([',', '?', '.']);
        let thing = || {
            let subject = subject(earlier, answer, old, language);
            if MANY.contains(&lower.as_str()) { without_ordinal(&subject) } else { subject }
        };
        let own = if ["this", "that", "these", "those"].contains(&lower.as_str())
            && (before_noun || lower == "that" && at + 1 < words.len())
        {
            // "That pump" and "those seasons" lean on the earlier question; other words join clauses.
            if before_noun {
                prefix = Some(thing());
            }
            None
        } else if THINGS.contains(&lower.as_str()) {
            Some(thing())
        } else if PERSONS.contains(&lower.as_str()) || lower == "her" && !before_noun {
            Some(person(earlier, answer, old, language))
        } else if WHOSE.contains(&lower.as_str()) || lower == "her" {
            let whose =
                if ["his", "her"].contains(&lower.as_str()) { person(earlier, answer, old, language) } else { thing() };
            Some(format!("{whose}'s"))
        } else if lower == "there"
            && at > 0
            && at + 1 == words.len()
            && !BEING.contains(&words[at - 1].to_lowercase().as_str())
        {
            Some(format!("in {}", thing()))
        } else {
            None
        };
        found |= own.is_some();
        told.push(own.map_or_else(|| (*word).to_owned(), |own| word.replacen(bare, &own, 1)));
    }
    match (found, prefix) {
        (true, _) => Some(told.join(" ")),
        (false, Some(subject)) => Some(format!("{}: {text}", capitalised(&subject))),
        (false, None) => None,
    }
}

fn without_ordinal(subject: &str) -> String {
    let kept: Vec<&str> = subject.split(' ').filter(|word| !ORDINALS.contains(word)).collect();
    kept.join(" ")
}

/// What the earlier question was about: what it asks to be told of, the answer where it asks which one, else a name or the
/// first phrase.
fn subject(earlier: &str, answer: &str, old: &[Phrase], language: Language) -> String {
    let words: Vec<&str> = earlier.trim_end_matches(['?', '.', ' ']).split(' ').collect();
    let lower = |at: usize| words.get(at).map(|word| word.to_lowercase()).unwrap_or_default();
    // "What is the highest mountain of Peru?"
    if ["what", "who", "which"].contains(&lower(0).as_str())
        && BEING.contains(&lower(1).as_str())
        && ARTICLES.contains(&lower(2).as_str())
        && words.len() <= 10
    {
        return if is_name(answer) { answer.to_owned() } else { words[2..].join(" ") };
    }
    // "Which studio animated the film?"
    let is_asked_for = ["which", "who"].contains(&lower(0).as_str())
        && !words[1..].iter().take(3).any(|word| AUXILIARIES.contains(word) || BEING.contains(word));
    let names = entities(earlier, language);
    if is_asked_for && is_name(answer) && (lower(0) == "which" || names.is_empty()) {
        return answer.to_owned();
    }
    // The longest name, the first of equals.
    if let Some(name) = names.iter().rev().max_by_key(|name| name.words()) {
        return name.text.clone();
    }
    let Some(phrase) = old.iter().find(|phrase| !phrase.is_asked).or(old.first()) else {
        return topic(earlier, language);
    };
    // What belongs to it by "of" is told with it.
    let of = old.iter().find(|other| {
        other.preposition == "of"
            && earlier[..other.range.start].trim_end_matches([' ', 'a', 'n', 't', 'h', 'e']).ends_with(" of")
            && other.range.start > phrase.range.end
            && other.range.start - phrase.range.end <= " of the ".len()
    });
    let end = of.map_or(phrase.range.end, |of| of.range.end);
    let article = if phrase.has_article { "the " } else { "" };
    format!("{article}{}", &earlier[phrase.range.start..end])
}

/// The person that the earlier question or its answer names.
fn person(earlier: &str, answer: &str, old: &[Phrase], language: Language) -> String {
    let mut words = earlier.split(' ');
    let asks_for_one = words.next().is_some_and(|first| ["Who", "who", "Whose", "Which", "Whom"].contains(&first));
    // "Who was Ada Lovelace?" names the one it asks for.
    let names_one =
        matches!(old, [only] if only.is_name && earlier[..only.range.start].trim_end().split(' ').count() <= 2);
    if asks_for_one && !names_one && is_name(answer) {
        return answer.to_owned();
    }
    let one = || match earlier.strip_prefix("Who ").filter(|_| !names_one) {
        Some(did) => format!("the one who {}", did.trim_end_matches(['?', ' '])),
        None => subject(earlier, answer, old, language),
    };
    old.iter().find(|phrase| phrase.is_name && !earlier.starts_with("Who ")).map_or_else(one, |phrase| {
        let name = &earlier[phrase.range.clone()];
        name.strip_suffix("'s").or_else(|| name.strip_suffix("’s")).unwrap_or(name).to_owned()
    })
}

/// Whether an answer is a short name: its words begin with capitals, but for those that join names.
fn is_name(answer: &str) -> bool {
    let words: Vec<&str> = answer.split_whitespace().collect();
    let capital = |word: &&&str| word.starts_with(|c: char| c.is_uppercase() || !c.is_alphanumeric());
    (1..=NAME_WORDS).contains(&words.len())
        && words.iter().filter(|word| !is_function_word(word)).all(|word| capital(&word))
        && words.iter().any(|word| word.starts_with(char::is_uppercase))
}

/// The earlier question with another number behind the same word: "season 5" and "in season 9?".
fn with_other_number(earlier: &str, rest: &str) -> Option<String> {
    let bare = |word: &str| word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    let is_number =
        |word: &str| word.trim_start_matches(|c: char| !c.is_alphanumeric()).starts_with(|c: char| c.is_ascii_digit());
    let goes_on =
        |word: &str| is_number(word) || ["and", "to", "or", "und", "bis", "oder", "et", "à", "y"].contains(&word);
    let asked: Vec<&str> = rest.trim_end_matches(['?', '？', '.']).split(' ').collect();
    let at = asked.windows(2).position(|pair| is_number(pair[1]) && !PREPOSITIONS.contains(&pair[0]))?;
    let words: Vec<&str> = earlier.split(' ').collect();
    let same = |one: &str, other: &str| bare(one).trim_end_matches('s') == bare(other).trim_end_matches('s');
    let same = words.windows(2).position(|pair| same(pair[0], asked[at]) && is_number(pair[1]))?;
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

/// The earlier question with new phrases in place of those of the same kind; what has no like there is added at its end.
fn with_phrases(earlier: &str, rest: &str, old: &[Phrase], language: Language) -> String {
    let mut new = phrases(rest, language);
    for phrase in &mut new {
        // What opens a follow-up is a name where it has a capital.
        phrase.is_name |= rest[phrase.range.clone()].starts_with(char::is_uppercase);
    }
    let news: Vec<&str> = new.iter().map(|phrase| &rest[phrase.range.clone()]).collect();
    let olds: Vec<&str> = old.iter().map(|phrase| &earlier[phrase.range.clone()]).collect();
    let fit = |one: usize, other: usize| fit((&new[one], news[one]), (&old[other], olds[other]));
    let places = giving_way(&news, &olds, language, fit);
    let mark = earlier.chars().rev().take_while(|c| ['?', '.', ' '].contains(c)).count();
    let mut question = earlier[..earlier.len() - mark].to_owned();
    let new_phrases = &new;
    let replaced = from_last(&places, &news);
    if replaced.is_empty() {
        return format!("{question}, {rest}");
    }
    for (place, new) in replaced {
        let mut range = old[place].range.clone();
        // The article belongs to what gives way.
        let bare =
            places.iter().position(|other| *other == Some(place)).is_some_and(|one| !new_phrases[one].has_article);
        if old[place].has_article && bare && earlier[old[place].range.end..].trim_start().len() < 2 {
            let before = question[..range.start].trim_end();
            range.start = before.rfind(' ').map_or(range.start, |at| at + 1);
        }
        question.replace_range(range, new);
    }
    for (phrase, _) in new.iter().zip(&places).filter(|(_, place)| place.is_none()) {
        let before = if phrase.preposition.is_empty() { ", ".to_owned() } else { format!(" {} ", phrase.preposition) };
        question.push_str(&format!("{before}{}", &rest[phrase.range.clone()]));
    }
    question.push('?');
    question
}

/// How well a phrase of the earlier question gives way to a new one; below nought where it does not.
fn fit((new, new_text): (&Phrase, &str), (old, old_text): (&Phrase, &str)) -> f32 {
    const NEVER: f32 = -1.0;
    let (new_lower, old_lower) = (new_text.to_lowercase(), old_text.to_lowercase());
    let is_time = |text: &str| !years(text).is_empty() || text.split(' ').any(is_english_month);
    if is_time(&new_lower) != is_time(&old_lower) {
        return NEVER;
    }
    let head = |text: &str| text.rsplit(' ').next().unwrap_or_default().trim_end_matches('s').to_owned();
    let shares = old_lower.split(' ').any(|word| new_lower.split(' ').any(|other| word == other));
    let mut fit = 0.0;
    fit += if is_time(&new_lower) { 4.0 } else { 0.0 };
    fit += if has_sign(new_text) && shape(new_text) == shape(old_text) { 4.0 } else { 0.0 };
    fit += if new.is_name && old.is_name { 3.0 } else { 0.0 };
    fit += if head(&new_lower) == head(&old_lower) { 3.0 } else { f32::from(u8::from(shares)) };
    let said = |phrase: &Phrase| phrase.has_article;
    fit += if said(new) == said(old) { 1.0 } else { 0.0 };
    let same_place = !new.preposition.is_empty() && new.preposition == old.preposition;
    fit += if same_place { 2.0 } else { 0.0 };
    // A name seldom gives way to a word with an article, nor does what is asked for.
    fit -= if old.is_name && new.has_article && !new.is_name { 2.0 } else { 0.0 };
    if old.is_asked { fit - 3.0 } else { fit }
}

/// Whether a text has a digit or a slash, as codes and paths have.
fn has_sign(text: &str) -> bool {
    text.contains(|c: char| c.is_ascii_digit() || c == '/')
}
