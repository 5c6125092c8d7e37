//! Sentences of running text: where they end, whether they are prose, whether they lean on what was said before, and
//! how they read without markup. Other forms of text are handled elsewhere.

use std::ops::Range;

use super::terms::{is_function_word, word_count, words_of};
use crate::base::text::{
    self, is_cjk, is_listed, is_terminator, is_thai, joins_without_space, may_open, numbered_character, one_line,
    sentences, without_bold_marks,
};
use crate::report::clauses;

/// The most words of the number of a clause.
const CLAUSE_NUMBER: usize = 2;

/// Returns the sentences in `range`. The point of an initial or a title does not end one, and quoted speech stays
/// together, up to 600 bytes.
pub(super) fn whole_sentences(text: &str, range: Range<usize>) -> Vec<Range<usize>> {
    let mut whole: Vec<Range<usize>> = Vec::new();
    for part in sentences(&text[range.clone()]) {
        let part = range.start + part.start..range.start + part.end;
        match whole.last_mut() {
            Some(last) if is_incomplete_sentence(&text[last.clone()]) && part.end - last.start < 600 => {
                last.end = part.end
            }
            _ => whole.push(part),
        }
    }
    whole
}

/// Whether `sentence` is only a number, ends in an initial or a title, or leaves a quotation open.
fn is_incomplete_sentence(sentence: &str) -> bool {
    const TITLES: [&str; 14] =
        ["dr", "mr", "mrs", "ms", "st", "jr", "sr", "prof", "gen", "vs", "no", "hr", "mme", "sra"];
    let count = |c: char| sentence.matches(c).count();
    // The mark that closes a quotation in German opens one in English.
    let (opened, closed) = match count('„') {
        0 => (count('“'), count('”')),
        opened => (opened, count('“') + count('”')),
    };
    let is_open = count('"') % 2 == 1 || opened > closed || count('「') > count('」') || has_open_guillemet(sentence);
    is_open
        || sentence.trim_end().strip_suffix('.').is_some_and(|body| is_label(body) || is_clause_number(body))
        || sentence.trim_end().strip_suffix('.').is_some_and(|body| {
            let word = body.rsplit([' ', '.', '(']).next().unwrap_or_default();
            TITLES.contains(&word.to_lowercase().as_str())
                || (word.chars().count() == 1 && word.chars().all(|c| may_open(c) && !is_cjk(c)))
        })
}

/// Whether the last `«` of a text opens a quotation that does not close: in German, it closes one that `»` opens.
fn has_open_guillemet(text: &str) -> bool {
    let Some((before, behind)) = text.rsplit_once('«') else { return false };
    let opens = before.is_empty() || before.ends_with(|c: char| c.is_whitespace() || matches!(c, '(' | '['));
    opens && !behind.contains('»') && behind.contains(char::is_alphanumeric)
}

/// Whether a text is only the number of a clause, as stands before its first sentence: "Clause 4".
fn is_clause_number(text: &str) -> bool {
    word_count(text) <= CLAUSE_NUMBER && !clauses(text).is_empty()
}

/// Whether a text is a year or another number, or a span of them, as stands before a sentence in a chronicle: "1942 to
/// 1946".
pub(super) fn is_label(text: &str) -> bool {
    let mut words = words_of(text).peekable();
    let is_number = |word: &str| word.chars().all(|c| c.is_ascii_digit());
    words.peek().is_some_and(|first| is_number(first)) && words.all(|word| is_number(word) || word == "to")
}

/// Characters that separate the parts of a title.
pub(super) const TITLE_PARTS: [char; 5] = [':', '：', '–', '—', '|'];

/// Returns the innermost heading of a place such as `p. 3, History › Production`; empty if it has only a page.
pub(super) fn innermost(place: &str) -> &str {
    let last = place.rsplit('›').next().unwrap_or_default().trim();
    match last.strip_prefix("p. ") {
        Some(page) => page.split_once(", ").map_or("", |(_, heading)| heading),
        None => last,
    }
}

/// The characters by which a document's kind is recognised in its title: at least as many in scripts with spaces, and as
/// many in those without.
const KIND_CHARACTERS: [usize; 2] = [4, 2];

/// Whether `sentence` reads as prose: it opens and ends like a sentence, and is made of words.
pub(super) fn is_prose(sentence: &str) -> bool {
    // German closes with “ and «, and French puts a space before ».
    let closers = ['"', '”', '“', '’', '‘', '\'', ')', '»', '«', '」', '』', '*', ']', ' ', '\u{a0}', '\u{202f}'];
    let ends = sentence.trim_end_matches(closers);
    // Thai has no mark for the end of a sentence.
    let ended = ends.ends_with(|c| matches!(c, '.' | '…') || is_terminator(c) || is_thai(c));
    let total = sentence.chars().filter(|c| !c.is_whitespace()).count();
    let letters = sentence.chars().filter(|c| c.is_alphabetic()).count();
    // "Der Preis stieg 2019 auf 1.200.000 €" is prose, and "3.1 5.40 7" is not.
    let signs = sentence.chars().filter(|c| !c.is_whitespace() && !c.is_alphanumeric()).count();
    let begins = sentence.chars().find(|c| c.is_alphanumeric());
    let opens = begins.is_some_and(|c| !c.is_lowercase());
    let balanced = sentence.matches('"').count().is_multiple_of(2);
    // A line of a table of contents ends in the number of the next section; "31.12.2025" is a day.
    let last = ends.trim_end_matches('.').rsplit(char::is_whitespace).next().unwrap_or_default();
    let numbers = last.matches('.').count() >= 2
        && last.split('.').all(|part| part.len() <= 2 && part.chars().all(|c| c.is_ascii_digit()))
        && last.split('.').next_back().is_none_or(|year| year.len() != 2);
    ended && opens && balanced && !numbers && letters * 5 >= total && signs * 5 <= total * 2
}

/// Whether a text is mostly in a script without spaces, such as Japanese but not Korean; commands and figures may stand
/// in it.
pub(super) fn is_mostly_unspaced(text: &str) -> bool {
    text.chars().filter(|&c| joins_without_space(c)).count() * 3 > text.chars().count()
}

/// Whether a statement leans on what was said before it: it opens with a pronoun or a connective, or one of its first
/// words is a personal pronoun without a name before it.
pub(super) fn is_context_dependent(text: &str) -> bool {
    const OPENING: &str = "he she it they his her its their this that these those both such there but and also \
        thus therefore er sie es dies diese dieser il elle ils cela ello esto";
    const WIDE: [&str; 12] =
        ["彼は", "彼女", "これ", "それ", "この", "その", "同", "また", "しかし", "他们", "这", "它"];
    let words = || text.split(|c: char| !c.is_alphanumeric() && c != '\'').filter(|word| !word.is_empty());
    let first = words().next().unwrap_or_default();
    let next: Vec<&str> = words().skip(1).take(5).collect();
    let is_pronoun = |word: &&str| ["he", "she", "they", "er", "sie", "il", "elle"].contains(word);
    let pronoun = next.iter().position(is_pronoun);
    let name = next.iter().position(|word| word.chars().next().is_some_and(char::is_uppercase));
    let unnamed = pronoun.is_some_and(|at| name.is_none_or(|name| name > at));
    // "Groening said that he …": the first word is a name, unless it is a word that opens sentences.
    is_listed(OPENING, &first.to_lowercase())
        || (unnamed && is_function_word(first))
        || opens_with_proviso(text)
        || WIDE.iter().any(|opening| text.starts_with(opening))
}

/// Whether a statement that opens with "this" points to the document that it stands in, whose title is `title`: "Diese
/// Ordnung" in a "Dienstwagenordnung".
pub(super) fn points_to_own_document(text: &str, title: &str) -> bool {
    const WIDE: [&str; 3] = ["この", "这", "此"];
    if let Some(rest) = WIDE.iter().find_map(|opening| text.strip_prefix(opening)) {
        let kind: String = rest.chars().take(KIND_CHARACTERS[1]).collect();
        return kind.chars().all(is_cjk) && title.contains(&kind);
    }
    let (lower, title) = (text.to_lowercase(), title.to_lowercase());
    let mut words = words_of(&lower);
    let is_demonstrative = words.next().is_some_and(|first| is_listed("this these dies diese dieser", first));
    let names =
        |kind: &str| kind.chars().count() >= KIND_CHARACTERS[0] && words_of(&title).any(|word| word.ends_with(kind));
    is_demonstrative && words.next().is_some_and(names)
}

/// Whether a statement opens with a connective that restricts or supplements the sentence before it.
pub(super) fn opens_with_proviso(text: &str) -> bool {
    const WIDE: [&str; 5] = ["ただし", "但し", "なお", "もっとも", "但是"];
    const OPENING: &str = "however jedoch allerdings toutefois cependant néanmoins tuttavia contudo todavia echter \
        evenwel jednak однако ancak";
    const SEVERAL: [&str; 4] = ["sin embargo", "no obstante", "no entanto", "provided that"];
    let lower = text.to_lowercase();
    is_listed(OPENING, words_of(&lower).next().unwrap_or_default())
        || WIDE.iter().any(|opening| text.starts_with(opening))
        || SEVERAL.iter().any(|opening| lower.starts_with(opening))
}

/// Whether a text refers to somebody or something by a pronoun.
pub(super) fn has_pronoun(text: &str) -> bool {
    words_of(text)
        .any(|word| ["he", "she", "they", "it", "He", "She", "They", "It", "er", "sie", "il", "elle"].contains(&word))
        || text.contains("彼")
}

/// Returns `text` on one line, without markup. Signs that a report would take for markup or citations are escaped.
pub(super) fn plain(text: &str) -> String {
    let text = without_markup(text);
    if !text.starts_with('>') && !text.contains("\n>") {
        return one_line(&text);
    }
    one_line(&text.lines().map(unquoted).collect::<Vec<_>>().join("\n"))
}

/// Returns a line without the marks that a mail or Markdown puts before quoted text.
pub(super) fn unquoted(line: &str) -> &str {
    text::unquoted(line.trim_start_matches(' ')).unwrap_or(line)
}

/// Stands for an opening bracket that is kept.
const OPEN: &str = "\u{e001}";
const OPENED: char = '\u{e001}';
/// Stands for a closing bracket that is kept.
const CLOSE: &str = "\u{e002}";
/// Stand for an underline and an asterisk within code.
const UNDERLINE: &str = "\u{e004}";
const ASTERISK: &str = "\u{e005}";
/// Placeholders for the signs that are no markup within code.
const CODE: [(char, &str); 4] = [('[', OPEN), (']', CLOSE), ('_', UNDERLINE), ('*', ASTERISK)];

/// Protects the signs in the code spans of `text` from being taken for markup, and removes comments and entities
/// elsewhere.
fn kept_code(text: &str) -> String {
    let is_span = text.matches('`').count().is_multiple_of(2);
    let kept = |(at, part): (usize, &str)| match is_span && at % 2 == 1 {
        true => CODE.iter().fold(part.to_owned(), |part, (sign, kept)| part.replace(*sign, kept)),
        false => decoded(&uncommented(part)),
    };
    text.split('`').enumerate().map(kept).collect::<Vec<_>>().join("`")
}

/// Removes HTML comments from `text`; one that is not closed is removed to the end.
fn uncommented(text: &str) -> String {
    let mut parts = text.split("<!--");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |said, part| said + part.split_once("-->").map_or("", |(_, after)| after))
}

/// Names of characters in Markdown and HTML.
const ENTITIES: [(&str, char); 24] = [
    ("nbsp", '\u{a0}'),
    ("thinsp", '\u{2009}'),
    ("ensp", '\u{2002}'),
    ("emsp", '\u{2003}'),
    ("mdash", '—'),
    ("ndash", '–'),
    ("hellip", '…'),
    ("amp", '&'),
    ("lt", '<'),
    ("gt", '>'),
    ("quot", '"'),
    ("apos", '\''),
    ("lsquo", '‘'),
    ("rsquo", '’'),
    ("ldquo", '“'),
    ("rdquo", '”'),
    ("laquo", '«'),
    ("raquo", '»'),
    ("euro", '€'),
    ("pound", '£'),
    ("deg", '°'),
    ("times", '×'),
    ("middot", '·'),
    ("frac12", '½'),
];

/// Replaces the entities in `text` by their characters.
fn decoded(text: &str) -> String {
    let mut parts = text.split('&');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |mut out, part| {
        let named = part.split_once(';').and_then(|(name, after)| Some((entity(name)?, after)));
        match named {
            Some((character, after)) => {
                out.push(character);
                out + after
            }
            None => out + "&" + part,
        }
    })
}

fn entity(name: &str) -> Option<char> {
    let named = ENTITIES.iter().find(|(known, _)| *known == name).map(|(_, character)| *character);
    named.or_else(|| numbered_character(name).filter(|character| !character.is_control()))
}

/// Removes images, link targets, reference numbers and unbalanced emphasis from `text`. A reference number of the
/// source would pass for a citation of the report.
fn without_markup(text: &str) -> String {
    let text = without_targets(&kept_code(text));
    let text = shown_brackets(&text).replace('`', "");
    let text = without_underlines(&without_bold_marks(&text)).replace(UNDERLINE, "_");
    with_signs(&text).replace(ASTERISK, "\\*")
}

/// Removes images, link targets and reference numbers from `text`, and marks the brackets that are kept.
fn without_targets(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(open) = rest.find('[') {
        let (before, from) = rest.split_at(open);
        let Some(close) = closing(from) else { break };
        let inner = &from[1..close];
        let after = &from[close + 1..];
        if let Some((said, _)) = before.rsplit_once("footnote:").filter(|(_, id)| !id.contains(char::is_whitespace)) {
            out.push_str(&format!("{said} ({})", without_targets(inner)));
            rest = after;
            continue;
        }
        let is_image = before.ends_with('!');
        let is_beside = before.ends_with(|last: char| last.is_alphanumeric() || "^_)".contains(last));
        let target = after.strip_prefix('(').and_then(|after| after.find(')').map(|end| (end, after)));
        // "[its guide][guide]" and "![Build][badge]" name a target that stands elsewhere.
        let named = || after.strip_prefix('[').and_then(|after| after.find(']').map(|end| (end, after)));
        match target.or_else(|| if is_beside || is_number(inner) { None } else { named() }) {
            Some((end, after)) => {
                out.push_str(before.strip_suffix('!').unwrap_or(before));
                if !is_image {
                    out.push_str(&without_targets(inner));
                }
                rest = &after[end + 1..];
            }
            None => {
                // An editor's note such as "[citation needed]" is no more part of the text than a number.
                let is_note =
                    inner.len() < 30 && (inner.ends_with(" needed") || inner.ends_with('?')) || inner == "要出典";
                let is_reference = !before.ends_with('^') && (is_note || is_number(inner) || is_footnote(inner));
                let inner = without_targets(inner);
                let is_reference = is_reference || inner.is_empty();
                out.push_str(if is_reference { before.trim_end() } else { before });
                if !is_reference {
                    out.extend([OPEN, inner.as_str(), CLOSE]);
                }
                rest = after;
            }
        }
    }
    out.push_str(rest);
    // A bracket without its other one was cut.
    out.replace('[', "(").replace(']', ")")
}

/// Puts the kept brackets back, escaped where a report would read a citation or a link: `[0-9]`, `[a](b)`.
fn shown_brackets(text: &str) -> String {
    let mut parts = text.split(OPEN);
    let first = parts.next().unwrap_or_default().to_owned();
    let text = parts.fold(first, |out, part| {
        let acts = part.starts_with(|c: char| c.is_ascii_digit() || c == ' ' || c == '^')
            || part.split_once(CLOSE).is_some_and(|(_, after)| after.starts_with(['(', '[', OPENED]));
        out + if acts { "\\[" } else { "[" } + part
    });
    text.replace(CLOSE, "]")
}

/// Removes the double underlines around bold words. Around a name in lower case they are part of it: `__init__`.
fn without_underlines(text: &str) -> String {
    let is_name = |part: &str| !part.is_empty() && part.chars().all(|c| c.is_ascii_lowercase() || c == '_');
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once("__") {
        out.push_str(before);
        rest = match behind.split_once("__") {
            Some((inner, after)) if is_name(inner) => {
                out.extend(["__", inner, "__"]);
                after
            }
            _ => behind,
        };
    }
    out + rest
}

/// Escapes the asterisks that are signs of the text, as in `2*3`, `$*` and "Grade II*", and removes those of an emphasis
/// that was cut.
fn with_signs(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    // Where an emphasis begins, and whether only a space is before it.
    let mut opened: Option<(usize, bool)> = None;
    let mut before: Option<char> = None;
    let mut rest = text.chars().peekable();
    let is_letter = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    let is_space = |c: Option<char>| c.is_none_or(char::is_whitespace);
    while let Some(one) = rest.next() {
        let next = rest.peek().copied();
        let is_run = before == Some('*') || next == Some('*');
        match one {
            '*' if before == Some('\\') => out.push(one),
            '*' if is_run || is_letter(before) && is_letter(next) => out.push_str("\\*"),
            '*' if opened.is_some() && !is_space(before) => {
                opened = None;
                out.push(one);
            }
            '*' if opened.is_none() && is_letter(next) => {
                opened = Some((out.len(), is_space(before)));
                out.push(one);
            }
            // The end of an emphasis that began in the sentence before.
            '*' if is_space(next) && before.is_some_and(is_terminator_or_point) => {}
            '*' => out.push_str("\\*"),
            _ => out.push(one),
        }
        before = Some(one);
    }
    match opened {
        Some((at, true)) => {
            out.remove(at);
        }
        Some((at, false)) => out.insert(at, '\\'),
        None => {}
    }
    out
}

fn is_terminator_or_point(c: char) -> bool {
    c == '.' || is_terminator(c)
}

/// Returns the position of the bracket that closes the one at the beginning, past nested ones.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 0usize;
    text.char_indices().filter(|(_, c)| matches!(c, '[' | ']')).find_map(|(at, c)| {
        depth = if c == '[' { depth + 1 } else { depth.saturating_sub(1) };
        (depth == 0).then_some(at)
    })
}

/// Whether the content of brackets refers to a footnote, as `^a` does. `^a-z` is a class of characters.
fn is_footnote(inner: &str) -> bool {
    let Some(name) = inner.strip_prefix('^').filter(|name| !name.is_empty()) else { return false };
    let is_class = name.contains('-') && name.len() < 4;
    !is_class && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '*' | '†' | '‡'))
}

/// Whether the content of brackets is one or more reference numbers; none of them is 0.
fn is_number(inner: &str) -> bool {
    let mut numbers = inner.split(|c: char| !c.is_ascii_digit()).filter(|number| !number.is_empty());
    inner.contains(|c: char| c.is_ascii_digit())
        && inner.chars().all(|c| c.is_ascii_digit() || ", –-^".contains(c))
        && numbers.all(|number| !number.starts_with('0'))
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
        check("The bridge is listed (Grade II*).", "The bridge is listed (Grade II\\*).");
        check("The *old* bridge is Grade II* now.", "The *old* bridge is Grade II\\* now.");
        check("It was built there.*", "It was built there.");
        check("10K is 10*1024, and 5*3 is more than 2 * 4.", "10K is 10\\*1024, and 5\\*3 is more than 2 \\* 4.");
        check("Both a*b and \"$*\" are kept, and f(*args).", "Both a\\*b and \"$\\*\" are kept, and f(\\*args).");
        check("Logs are in **/*.log, see __init__ and __Note__.", "Logs are in \\*\\*/\\*.log, see __init__ and Note.");
        check("Pass `*args` or `**kwargs`.", "Pass \\*args or \\*\\*kwargs.");
        check("Match [0-9]+ or `[1-9]:`, [a-z] too.", "Match \\[0-9]+ or \\[1-9]:, [a-z] too.");
        check("git reset [<tree-ish>] [--] [<path>…]", "git reset [<tree-ish>] [--] [<path>…]");
        check("The last is buf[0].[2]", "The last is buf\\[0].");
        check("He wrote\n> that the tank\n>> leaks.", "He wrote that the tank leaks.");
        check(">> that it leaks.", "that it leaks.");
        check("5 > 3", "5 > 3");
        check(
            "Set Control[AMD_DENSE] to 10 [3]; [see](x.md) [the Trust]",
            "Set Control[AMD_DENSE] to 10; see [the Trust]",
        );
        check("Enter ^[0-9] there", "Enter ^\\[0-9] there");
        check("See [the guide][guide] and [1][2], ring [a][b].", "See the guide and, ring a.");
        check("[![Crate](https://a.example/b.svg)](https://c.example) [![CI][ci]][runs] Fast.", "Fast.");
        check("Open [[a] b] c", "Open [[a] b] c");
        check("It ran.[^a] Match ^[a-z] and `[^x]`.", "It ran. Match ^[a-z] and \\[^x].");
        check("R&D &ndash; 5&#160;km &#x20AC;3 &unknown; `&amp;`", "R&D – 5 km €3 &unknown; &amp;");
        check("one <!-- not said --> two <!-- open", "one two");
        check("Impl `Clone` for `Box<[T]>` and `__init__`, `a[0]`", "Impl Clone for Box<[T]> and __init__, a\\[0]");
    }

    #[test]
    fn provisos_lean_on_the_sentence_before() {
        let check = |text: &str, expected: bool| {
            assert_eq!((opens_with_proviso(text), is_context_dependent(text)), (expected, expected), "{text}");
        };
        check("ただし、競業会社の業務は認めない。", true);
        check("However, more than 40 hours are not allowed.", true);
        check("Jedoch gilt das nicht für Lehrlinge.", true);
        check("No obstante, se admite.", true);
        check("Employees may take a side job.", false);
    }

    #[test]
    fn prose_in_scripts_without_capitals() {
        let check = |text: &str, expected: bool| assert_eq!(is_prose(text), expected, "{text}");
        check("وصلت أول سيارة إطفاء بعد خمس وعشرين دقيقة.", true);
        check("क्या यह झील सबसे बड़ी है? यह नगर के उत्तर में है।", true);
        check("ผ้าทอทับศิลาเป็นผ้าฝ้ายทอมือของชุมชนบ้านทับศิลา", true);
        check("חנות הספרים נפתחה בשנת 1950.", true);
        check("and went on to the end.", false);
        check("حريق في المستودع", false);
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
        check(
            "Clause 4. The rent is due. Cláusula 5. É devido.",
            &["Clause 4. The rent is due.", "Cláusula 5. É devido."],
        );
        check("Он сказал: «Да. Нет.» И ушёл.", &["Он сказал: «Да. Нет.»", "И ушёл."]);
        check("Sie rief: »Ja. Gern.« Dann ging sie.", &["Sie rief: »Ja.", "Gern.« Dann ging sie."]);
        check("Das Portal heißt „Reise“. Man fragt.", &["Das Portal heißt „Reise“.", "Man fragt."]);
    }
}
