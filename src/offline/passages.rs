//! The sentences of a card that could stand in a report: no headings, no tables, no fragments, and no sentence that
//! hangs on the one before it without that one.

use super::entities::years;
use super::statements::without_markup;
use super::terms::{is_cjk, is_function_word, word_count};
use super::verbs::has_verb;
use crate::base::text::{one_line, sentences};
use crate::llm::purpose::EvidenceCard;

/// Fewest and most words of a sentence that is quoted.
const WORDS: std::ops::RangeInclusive<usize> = 5..=60;

/// A sentence that could be quoted, with its predecessor where it needs one.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Passage {
    /// Index of its card in the evidence.
    pub card: usize,
    /// Its place in the card, from 0.
    pub place: usize,
    /// As it will be quoted, on one line.
    pub text: String,
    /// The years that it names.
    pub years: Vec<u16>,
    /// Set when its own sentence would hang on the one before it, which therefore stands in front.
    pub leans: bool,
}

/// Openings that point to something said before.
const DANGLING: [&str; 32] = [
    "he",
    "she",
    "it",
    "they",
    "his",
    "her",
    "its",
    "their",
    "this",
    "that",
    "these",
    "those",
    "both",
    "such",
    "there",
    "however",
    "but",
    "and",
    "also",
    "thus",
    "therefore",
    "er",
    "sie",
    "dies",
    "diese",
    "dieser",
    "il",
    "elle",
    "ils",
    "cela",
    "ello",
    "esto",
];

/// All sentences of `text`, also those that cannot stand alone in a report.
pub(super) fn statements(text: &str) -> Vec<String> {
    blocks(text).iter().flat_map(|block| whole_sentences(&without_markup(block))).collect()
}

/// The sentences of `card`, which is number `index` of the evidence.
pub(super) fn of_card(index: usize, card: &EvidenceCard) -> Vec<Passage> {
    let mut found = Vec::new();
    let mut place = 0;
    for block in blocks(&card.text) {
        let block = without_markup(&block);
        // A CSV cell or a JSON value is prose only where a sentence stands in it.
        let mut before: Option<String> = None;
        for sentence in whole_sentences(&block) {
            place += 1;
            if !is_prose(&sentence) {
                before = None;
                continue;
            }
            let leans = dangles(&sentence);
            let text = match before.take() {
                // The one before leans itself, or is not there: what the sentence speaks of stays unknown.
                None if leans => continue,
                Some(before) if leans => joined(&before, &sentence),
                _ => sentence.clone(),
            };
            before = (!leans).then_some(sentence);
            if WORDS.contains(&word_count(&text)) {
                found.push(Passage { card: index, place, years: years(&text), leans, text });
            }
        }
    }
    found
}

fn joined(before: &str, sentence: &str) -> String {
    let space = if before.chars().next_back().is_some_and(|c| "。！？".contains(c)) { "" } else { " " };
    format!("{before}{space}{sentence}")
}

/// The sentences of `block`, each on one line. The Unicode rules end a sentence at the point of an initial or a title;
/// it is put together again.
pub(super) fn whole_sentences(block: &str) -> Vec<String> {
    const SHORT: [&str; 14] =
        ["dr", "mr", "mrs", "ms", "st", "jr", "sr", "prof", "gen", "vs", "no", "hr", "mme", "sra"];
    let mut whole: Vec<String> = Vec::new();
    for range in sentences(block) {
        let sentence = one_line(&block[range]);
        match whole.last_mut() {
            Some(last)
                if is_open(last)
                    || last.strip_suffix('.').is_some_and(|body| {
                        let word = body.rsplit([' ', '.', '(']).next().unwrap_or_default();
                        SHORT.contains(&word.to_lowercase().as_str())
                            || (word.chars().count() == 1 && word.chars().all(char::is_uppercase))
                    }) =>
            {
                last.push(' ');
                last.push_str(&sentence);
            }
            _ => whole.push(sentence),
        }
    }
    whole
}

/// Whether a quotation begins in `sentence` that does not end in it. Speech of several sentences stays together, up to
/// the length of what is quoted.
fn is_open(sentence: &str) -> bool {
    let (opened, closed) = (sentence.matches('“').count(), sentence.matches('”').count());
    (sentence.matches('"').count() % 2 == 1 || opened > closed) && word_count(sentence) < *WORDS.end()
}

/// Whether the sentence leans on the one before it: it opens with a pronoun or a connective, or one of its first words
/// is a personal pronoun and no name stands before it.
fn dangles(sentence: &str) -> bool {
    let mut words = sentence.split(|c: char| !c.is_alphanumeric() && c != '\'').filter(|word| !word.is_empty());
    let first = words.next().unwrap_or_default();
    let opening: Vec<&str> = words.take(5).collect();
    let pronoun = opening.iter().position(|word| ["he", "she", "they", "er", "sie", "il", "elle"].contains(word));
    let name = opening.iter().position(|word| word.chars().next().is_some_and(char::is_uppercase));
    let unnamed = pronoun.is_some_and(|at| name.is_none_or(|name| name > at));
    // "Groening said that he …": the first word is a name unless it is a word that opens sentences.
    DANGLING.contains(&first.to_lowercase().as_str())
        || (unnamed && is_function_word(first))
        || ["彼は", "彼女", "これ", "それ", "この", "その", "また", "しかし", "他们", "这", "它"]
            .iter()
            .any(|opening| sentence.starts_with(opening))
}

/// The paragraphs of `text`, each on its own, list items apart, headings and tables left out.
fn blocks(text: &str) -> Vec<String> {
    let mut blocks: Vec<String> = vec![String::new()];
    let mut fenced = false;
    let mut front_matter = text.trim_start().starts_with("---\n");
    let mut rules = 0;
    for line in text.lines() {
        let line = line.trim();
        // Comments are the prose of source code.
        let line = ["///", "//!", "//"].iter().find_map(|mark| line.strip_prefix(mark)).map_or(line, str::trim_start);
        if is_code(line) {
            blocks.push(String::new());
            continue;
        }
        if line.starts_with("---") && line.chars().all(|c| c == '-') {
            rules += 1;
            front_matter &= rules < 2;
            blocks.push(String::new());
            continue;
        }
        if line.starts_with("```") {
            fenced = !fenced;
            continue;
        }
        let table = line.matches('|').count() > 1 || line.matches('\t').count() > 1;
        if fenced
            || front_matter
            || line.is_empty()
            || line.starts_with('#')
            || table
            || is_shouted(line)
            || is_row(line)
        {
            blocks.push(String::new());
            continue;
        }
        let (item, is_item) = strip_bullet(line);
        let value = field_value(item);
        if is_item || value.is_some() {
            blocks.push(String::new());
        }
        if let Some(block) = blocks.last_mut() {
            if !block.is_empty() {
                block.push(' ');
            }
            block.push_str(value.unwrap_or(item));
        }
    }
    blocks.retain(|block| !block.is_empty());
    blocks
}

/// A heading of plain text: several capital letters and no lower-case one.
fn is_shouted(line: &str) -> bool {
    line.chars().filter(|c| c.is_uppercase()).count() > 3 && !line.chars().any(char::is_lowercase)
}

/// A line of source code between its comments.
fn is_code(line: &str) -> bool {
    const OPENINGS: [&str; 16] = [
        "pub ", "fn ", "let ", "use ", "impl ", "#[", "def ", "class ", "return ", "import ", "const ", "struct ",
        "enum ", "static ", "async ", "type ",
    ];
    line.ends_with(['{', '}', ';'])
        || (OPENINGS.iter().any(|opening| line.starts_with(opening))
            && line.contains(['(', ')', '=', '<', ':', ';', '{']))
}

/// A row of a table written out: several values behind their names.
fn is_row(line: &str) -> bool {
    line.split("; ").filter(|value| field_value(value).is_some()).count() > 1
}

fn strip_bullet(line: &str) -> (&str, bool) {
    for bullet in ["- ", "* ", "+ ", "• ", "> "] {
        if let Some(rest) = line.strip_prefix(bullet) {
            return (rest.trim_start(), true);
        }
    }
    (line, false)
}

/// The sentence in a line like `note: The film earned more.`, which is how rows and records are written out.
fn field_value(line: &str) -> Option<&str> {
    let (name, value) = line.split_once(": ")?;
    let is_name = name.len() <= 24
        && name.chars().next().is_some_and(char::is_lowercase)
        && name.chars().all(|c| c.is_alphanumeric() || "_-. ".contains(c))
        && name.split_whitespace().count() <= 2;
    is_name.then_some(value.trim().trim_matches('"'))
}

/// Whether `sentence` reads as a sentence: it ends like one, and it is made of words.
fn is_prose(sentence: &str) -> bool {
    let ends = sentence.trim_end_matches(['"', '”', '’', '\'', ')', '»', '」', '』', '*', ']']);
    let ended = ends.ends_with(['.', '!', '?', '。', '！', '？', '…']);
    let total = sentence.chars().filter(|c| !c.is_whitespace()).count();
    let letters = sentence.chars().filter(|c| c.is_alphabetic()).count();
    let begins = sentence.chars().find(|c| c.is_alphanumeric());
    let opens = begins.is_some_and(|c| c.is_uppercase() || c.is_numeric() || is_cjk(c));
    let cells = sentence.matches(',').count() * 4 > sentence.split_whitespace().count().max(4) * 3;
    let balanced = sentence.matches('"').count().is_multiple_of(2);
    ended && opens && balanced && !cells && letters * 10 >= total * 6 && has_verb(sentence)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::offline::testing::card;

    fn check(text: &str, expected: &[&str]) {
        let found: Vec<String> = of_card(0, &card(1, "T", "", text)).into_iter().map(|passage| passage.text).collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn sentences_that_could_be_quoted() {
        check(
            "# A heading here\n\nThe show began in the winter of 1989.\nIt was drawn by hand in Korea.",
            &[
                "The show began in the winter of 1989.",
                "The show began in the winter of 1989. It was drawn by hand in Korea.",
            ],
        );
        check(
            "WHO RAN THE SHOW, AND WHEN\nThe first two seasons had three leaders.",
            &["The first two seasons had three leaders."],
        );
        check("| a | b |\n|---|---|\n| some words in a cell. | and more words |", &[]);
        check(
            "In 1992 President George H. W. Bush spoke of the show.",
            &["In 1992 President George H. W. Bush spoke of the show."],
        );
        check(
            "The phrase \"Worst. Episode. Ever.\" was first heard in the spring.",
            &["The phrase \"Worst. Episode. Ever.\" was first heard in the spring."],
        );
        check("In later seasons he is a drinker again.", &[]);
        check(
            "In 1998 Fox said that it would search for voices.",
            &["In 1998 Fox said that it would search for voices."],
        );
        check("Too short here.", &[]);
        check("and a fragment from the middle of some sentence.", &[]);
        check("This is a line that never comes to an end", &[]);
        check("```\nThis is code and not a real sentence.\n```", &[]);
        check(
            "---\ntitle: This is a title of some page.\n---\nThe body of the page is quoted.",
            &["The body of the page is quoted."],
        );
    }

    #[test]
    fn lists_and_records_give_their_sentences() {
        check(
            "- The first item has enough words.\n- The second item has them too.",
            &["The first item has enough words.", "The second item has them too."],
        );
        check(
            "item: Gross\namount: 536\nnote: The film grossed 536 million dollars worldwide.",
            &["The film grossed 536 million dollars worldwide."],
        );
    }

    #[test]
    fn reference_numbers_and_links_do_not_pass_for_citations() {
        check(
            "The [first film](http://x.y/z) earned a lot[12] in the year 2007 [3].",
            &["The first film earned a lot in the year 2007."],
        );
        check(
            "The film of the year [[3]] was seen by many people.",
            &["The film of the year (3) was seen by many people."],
        );
        check("An ![alt](http://x.y/p.png) image stands in this sentence.", &["An image stands in this sentence."]);
    }

    #[test]
    fn sentences_without_spaces_are_measured_by_characters() {
        check(
            "東京は日本の首都であり、世界最大級の都市の一つである。短い。",
            &["東京は日本の首都であり、世界最大級の都市の一つである。"],
        );
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_survived(text in "[\\PC\n\\[\\]()*`|#-]{0,120}") {
            of_card(0, &card(1, "T", "", &text));
        }
    }
}
