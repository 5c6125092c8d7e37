//! Sentences of running text: where they end, whether they are prose, whether they lean on what was said before, and how
//! they read without markup. What other forms a passage has is not known here.

use std::ops::Range;

use super::terms::is_function_word;
use crate::base::text::{self, is_cjk, is_hiragana, is_kana, joins_without_space, one_line, sentences};

/// The sentences in `range`. The point of an initial or a title ends none, and speech stays together, up to the length of
/// what is quoted.
pub(super) fn whole_sentences(text: &str, range: Range<usize>) -> Vec<Range<usize>> {
    let mut whole: Vec<Range<usize>> = Vec::new();
    for part in sentences(&text[range.clone()]) {
        let part = range.start + part.start..range.start + part.end;
        match whole.last_mut() {
            Some(last) if goes_on(&text[last.clone()]) && part.end - last.start < 600 => last.end = part.end,
            _ => whole.push(part),
        }
    }
    whole
}

/// Whether `sentence` is a number alone, ends in an initial or a title, or leaves a quotation open.
fn goes_on(sentence: &str) -> bool {
    const TITLES: [&str; 14] =
        ["dr", "mr", "mrs", "ms", "st", "jr", "sr", "prof", "gen", "vs", "no", "hr", "mme", "sra"];
    let count = |c: char| sentence.matches(c).count();
    // What closes a quotation in German opens one in English.
    let (opened, closed) = match count('„') {
        0 => (count('“'), count('”')),
        opened => (opened, count('“') + count('”')),
    };
    let is_open = count('"') % 2 == 1 || opened > closed || count('「') > count('」');
    is_open
        || sentence.trim_end().strip_suffix('.').is_some_and(is_label)
        || sentence.trim_end().strip_suffix('.').is_some_and(|body| {
            let word = body.rsplit([' ', '.', '(']).next().unwrap_or_default();
            TITLES.contains(&word.to_lowercase().as_str())
                || (word.chars().count() == 1 && word.chars().all(char::is_uppercase))
        })
}

/// Whether a text is a year or another number, or a span of them, which stands before a sentence in a chronicle: "1942 to 1946".
pub(super) fn is_label(text: &str) -> bool {
    let mut words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).peekable();
    let is_number = |word: &str| word.chars().all(|c| c.is_ascii_digit());
    words.peek().is_some_and(|first| is_number(first)) && words.all(|word| is_number(word) || word == "to")
}

/// The innermost heading of a place such as `p. 3, History › Production`; empty where it has a page alone.
pub(super) fn innermost(place: &str) -> &str {
    let last = place.rsplit('›').next().unwrap_or_default().trim();
    match last.strip_prefix("p. ") {
        Some(page) => page.split_once(", ").map_or("", |(_, heading)| heading),
        None => last,
    }
}

/// Whether `sentence` reads as a sentence of prose: it opens and ends like one, and it is made of words.
pub(super) fn is_prose(sentence: &str) -> bool {
    // German closes with “ and «, and French sets a space before ».
    let closers = ['"', '”', '“', '’', '‘', '\'', ')', '»', '«', '」', '』', '*', ']', ' ', '\u{a0}', '\u{202f}'];
    let ends = sentence.trim_end_matches(closers);
    let ended = ends.ends_with(['.', '!', '?', '。', '！', '？', '…']);
    let total = sentence.chars().filter(|c| !c.is_whitespace()).count();
    let letters = sentence.chars().filter(|c| c.is_alphabetic()).count();
    // "Der Preis stieg 2019 auf 1.200.000 €" is prose, and "3.1 5.40 7" is not.
    let signs = sentence.chars().filter(|c| !c.is_whitespace() && !c.is_alphanumeric()).count();
    let begins = sentence.chars().find(|c| c.is_alphanumeric());
    let opens = begins.is_some_and(|c| c.is_uppercase() || c.is_numeric() || is_cjk(c));
    let balanced = sentence.matches('"').count().is_multiple_of(2);
    // A line of a table of contents ends in the number of the next section; "31.12.2025" is a day.
    let last = ends.trim_end_matches('.').rsplit(char::is_whitespace).next().unwrap_or_default();
    let numbers = last.matches('.').count() >= 2
        && last.split('.').all(|part| part.len() <= 2 && part.chars().all(|c| c.is_ascii_digit()))
        && last.split('.').next_back().is_none_or(|year| year.len() != 2);
    ended && opens && balanced && !numbers && letters * 5 >= total && signs * 5 <= total * 2
}

/// Whether a text is mostly in a script without spaces, which Korean is not: commands and figures may stand in it.
pub(super) fn is_mostly_wide(text: &str) -> bool {
    text.chars().filter(|&c| joins_without_space(c)).count() * 3 > text.chars().count()
}

/// Whether a statement leans on what was said before it: it opens with a pronoun or a connective, or one of its first
/// words is a personal pronoun and no name stands before it.
pub(super) fn leans(text: &str) -> bool {
    const OPENING: &str = "he she it they his her its their this that these those both such there however but and also \
        thus therefore er sie es dies diese dieser il elle ils cela ello esto";
    const WIDE: [&str; 13] =
        ["彼は", "彼女", "これ", "それ", "この", "その", "同", "また", "しかし", "なお", "他们", "这", "它"];
    let mut words = text.split(|c: char| !c.is_alphanumeric() && c != '\'').filter(|word| !word.is_empty());
    let first = words.next().unwrap_or_default();
    let next: Vec<&str> = words.take(5).collect();
    let pronoun = next.iter().position(|word| ["he", "she", "they", "er", "sie", "il", "elle"].contains(word));
    let name = next.iter().position(|word| word.chars().next().is_some_and(char::is_uppercase));
    let unnamed = pronoun.is_some_and(|at| name.is_none_or(|name| name > at));
    // "Groening said that he …": the first word is a name unless it is a word that opens sentences.
    OPENING.split_whitespace().any(|word| word == first.to_lowercase())
        || (unnamed && is_function_word(first))
        || WIDE.iter().any(|opening| text.starts_with(opening))
}

/// `text` on one line, without markup.
pub(super) fn plain(text: &str) -> String {
    let text = without_markup(text);
    if !text.starts_with('>') && !text.contains("\n>") {
        return one_line(&text);
    }
    one_line(&text.lines().map(unquoted).collect::<Vec<_>>().join("\n"))
}

/// A line without the marks that a mail or Markdown puts before what it quotes.
pub(super) fn unquoted(line: &str) -> &str {
    text::unquoted(line.trim_start_matches(' ')).unwrap_or(line)
}

/// Stand for brackets that stay.
const OPEN: &str = "\u{e001}";
const CLOSE: &str = "\u{e002}";

/// `text` without images, link targets, reference numbers and unbalanced emphasis. A reference number of the source
/// would pass for a citation of the report, and so would any other number in brackets.
pub(super) fn without_markup(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(open) = rest.find('[') {
        let (before, from) = rest.split_at(open);
        let Some(close) = from.find(']') else { break };
        let inner = &from[1..close];
        let after = &from[close + 1..];
        let target = after.strip_prefix('(').and_then(|after| after.find(')').map(|end| (end, after)));
        match target {
            Some((end, after)) => {
                let is_image = before.ends_with('!');
                out.push_str(before.strip_suffix('!').unwrap_or(before));
                out.push_str(if is_image { "" } else { inner });
                rest = &after[end + 1..];
            }
            None => {
                // An editor's note, as in "[citation needed]", is as little of the text as a number.
                let is_note =
                    inner.len() < 30 && (inner.ends_with(" needed") || inner.ends_with('?')) || inner == "要出典";
                let is_reference = !before.ends_with('^')
                    && (is_note
                        || !inner.is_empty() && inner.chars().all(|c| c.is_ascii_digit() || ", –-^".contains(c)));
                // Beside a word it is a part of it: `Control[AMD]`, `^[0-9]`.
                let is_part = before.ends_with(|last: char| last.is_alphanumeric() || "^_)".contains(last))
                    && inner.contains(|one: char| one.is_ascii_alphabetic() || one == '-')
                    && !inner.contains([' ', '^']);
                out.push_str(if is_reference { before.trim_end() } else { before });
                match (is_reference, is_part) {
                    (true, _) => {}
                    (false, true) => out.extend([OPEN, inner, CLOSE]),
                    (false, false) => out.push_str(inner),
                }
                rest = after;
            }
        }
    }
    out.push_str(rest);
    let out = out.replace('[', "(").replace(']', ")").replace("**", "").replace("__", "").replace('`', "");
    let out = out.replace(OPEN, "[").replace(CLOSE, "]");
    // An escaped one is no mark.
    let marks = out.matches('*').count() - out.matches("\\*").count();
    if marks.is_multiple_of(2) {
        return out;
    }
    out.replace("\\*", "\u{e000}").replace('*', "").replace('\u{e000}', "\\*")
}

/// `span` without half words: in scripts without spaces it grows over the run of one script that it cuts, and a bracket
/// that it opens is closed or left out.
pub(super) fn whole_words(text: &str, span: Range<usize>) -> Range<usize> {
    let kind = |c: char| match c {
        _ if is_hiragana(c) => 0,
        _ if is_kana(c) => 1,
        _ if is_cjk(c) => 2,
        _ if c.is_ascii_digit() => 3,
        _ => 4,
    };
    // Particles end words, so a run of hiragana is no word.
    let joined = |a: Option<char>, b: Option<char>| matches!((a, b), (Some(a), Some(b)) if kind(a) == kind(b) && [1, 2, 3].contains(&kind(a)) || kind(a) == 3 && kind(b) == 2);
    let (mut start, mut end) = (span.start, span.end);
    while joined(text[..start].chars().next_back(), text[start..].chars().next()) {
        start = text[..start].char_indices().next_back().map_or(0, |(at, _)| at);
    }
    while joined(text[..end].chars().next_back(), text[end..].chars().next()) {
        end += text[end..].chars().next().map_or(1, char::len_utf8);
    }
    for (open, close) in [('（', '）'), ('(', ')'), ('「', '」')] {
        let inside = &text[start..end];
        if inside.matches(open).count() > inside.matches(close).count() {
            if let Some(at) = text[end..].find(close).filter(|at| *at < 30) {
                end += at + close.len_utf8();
            } else if let Some(at) = inside.find(open).filter(|at| *at > 0) {
                end = start + at;
            }
        }
    }
    start..end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_without_markup() {
        let check = |text: &str, expected: &str| assert_eq!(plain(text), expected, "{text}");
        check("a **b** *c* `d`", "a b *c* d");
        check("left *open here", "left open here");
        check("Listed Grade II\\* in 1987", "Listed Grade II\\* in 1987");
        check("He wrote\n> that the tank\n>> leaks.", "He wrote that the tank leaks.");
        check(">> that it leaks.", "that it leaks.");
        check("5 > 3", "5 > 3");
        check(
            "Set Control[AMD_DENSE] to 10 [3]; [see](x.md) [the Trust]",
            "Set Control[AMD_DENSE] to 10; see the Trust",
        );
        check("Enter ^[0-9] there", "Enter ^[0-9] there");
    }

    #[test]
    fn a_number_before_a_sentence_belongs_to_it() {
        let check = |text: &str, expected: &[&str]| {
            let found: Vec<&str> =
                whole_sentences(text, 0..text.len()).into_iter().map(|range| text[range].trim()).collect();
            assert_eq!(found, expected);
        };
        check("1974. A new car came. It was red.", &["1974. A new car came.", "It was red."]);
        check("It cost 30. He paid.", &["It cost 30.", "He paid."]);
        check("Das Portal heißt „Reise“. Man fragt.", &["Das Portal heißt „Reise“.", "Man fragt."]);
    }
}
