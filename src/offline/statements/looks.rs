//! What a line of a passage is by its looks: a heading, an item, a row, a `key: value` line, code, a question.
//! [`super`] makes statements of the lines.

use crate::base::text::{folded, is_cjk, sentences, wide_item};
use crate::offline::entities::years;
use crate::offline::terms::{has_stem, is_function_word, shape, word_count};
use crate::report::facts::days;

/// The longest name of a `key: value` line, and the longest term of a definition, in words.
pub(super) const KEY_WORDS: usize = 8;

/// The longest name before blanks and its value, in words.
const NAME_WORDS: usize = 4;

/// The longest introduction, in words, that is shown before a list item or a command.
pub(super) const LEAD_WORDS: usize = 30;

/// The longest unit behind the name of a column, in characters.
const UNIT: usize = 12;

/// A line that was broken for its length has more characters than this.
const BROKEN: usize = 48;

/// Whether a line of running text was broken between `before` and `after`: `before` is long and does not end like a
/// sentence, and `after` does not begin like one or `before` ends in a comma or a function word.
pub(super) fn is_wrapped_line(before: &str, after: &str) -> bool {
    before.chars().nth(BROKEN).is_some()
        && !before.ends_with(['.', '!', '?', ':', ';', '|'])
        && (after.starts_with(char::is_lowercase)
            || before.ends_with(',')
            || before.rsplit(' ').next().is_some_and(is_function_word))
}

/// A heading without the number of its section.
pub(super) fn unnumbered(heading: &str) -> &str {
    let is_number = |number: &str| number.contains(|c: char| c.is_ascii_digit()) && number.ends_with(['.', ')']);
    match heading.split_once(' ') {
        Some((number, rest)) if number.len() <= 10 && is_number(number) => rest.trim_start(),
        _ => heading,
    }
}

pub(super) fn is_fence(line: &str) -> bool {
    line.starts_with("```") || line.starts_with("~~~")
}

/// The cells of a table's row: at least two, between bars. A bar at one end alone leaves an empty cell there. A bar
/// within brackets stands between choices, as in `(--patch | -p)`.
pub(super) fn cells(line: &str) -> Option<Vec<&str>> {
    let inner = line.strip_prefix('|').and_then(|line| line.strip_suffix('|')).unwrap_or(line);
    let open = |text: &str| text.matches(['(', '[', '{', '<']).count() > text.matches([')', ']', '}', '>']).count();
    let is_row = line.starts_with('|') || line.match_indices(" | ").any(|(at, _)| !open(&line[..at]));
    let cells: Vec<&str> = inner.split('|').map(str::trim).collect();
    (is_row && cells.len() > 1).then_some(cells)
}

/// Whether a line is the rule of dashes below the names of a table's columns.
pub(super) fn is_rule(line: &str) -> bool {
    line.contains('-') && line.contains('|') && line.chars().all(|c| matches!(c, '|' | '-' | ':' | ' '))
}

/// Whether a first row without a rule of dashes names the columns: short words, years or periods, above a row of the
/// same width; the corner may be empty. A table of two columns mostly has names in the first and values in the second;
/// only if both cells are words above figures, as `Year | Cost` above `2020 | 9.1`, do they name the columns.
pub(super) fn names_columns(row: &[&str], below: &[&str]) -> bool {
    // "Parcel to 5 kg" over "£7.90" is a name; "MX-25" over "MX-40" is a value.
    let is_name = |cell: &str, under: &str| {
        !cell.contains(|c: char| c.is_ascii_digit())
            || !years(cell).is_empty()
            || cell.starts_with(char::is_alphabetic) && shape(cell) != shape(under)
            || cell.contains(char::is_alphabetic) && !under.contains(char::is_alphabetic)
    };
    let is_over_figure = |(cell, under): (&&str, &&str)| {
        let has = |text: &str, is: fn(char) -> bool| text.contains(is);
        let digit = |c: char| c.is_ascii_digit();
        has(cell, char::is_alphabetic) && !has(cell, digit) && has(under, digit) && !has(under, char::is_alphabetic)
    };
    // "1 October to 30 April" above "4 hours", beside another such cell.
    let is_period = |(cell, under): (&&str, &&str)| !days(cell).is_empty() && days(under).is_empty();
    let are_periods = row.iter().zip(below).filter(|&two| is_period(two)).count() > 1;
    (row.len() > 2 || row.len() == 2 && row.iter().zip(below).all(is_over_figure))
        && row.len() == below.len()
        && row.iter().zip(below).enumerate().all(|(column, (cell, under))| {
            (column == 0 || !cell.is_empty())
                && word_count(cell) <= KEY_WORDS
                && (is_name(cell, under) || are_periods && is_period((cell, under)))
        })
}

/// Whether a line is a row of a table that is written out: several values behind their names.
pub(super) fn is_row(line: &str) -> bool {
    // A column's unit stands in brackets: "Rent (£): 900".
    let has_unit = |value: &str| {
        let (name, value) = value.split_once("): ").or_else(|| value.split_once("）: "))?;
        let (name, unit) = name.rsplit_once(['(', '（'])?;
        (unit.chars().count() <= UNIT).then(|| pair(&format!("{}: {value}", name.trim_end())).is_some())
    };
    line.split("; ").filter(|value| pair(value).is_some() || has_unit(value) == Some(true)).count() > 1
}

/// The value of a `key: value` line; the whole line if it is a row whose first cells have no name.
pub(super) fn valued(line: &str) -> Option<&str> {
    let label = || line.split("; ").next().unwrap_or_default();
    let begins_row = || word_count(label()) <= KEY_WORDS && !label().contains([':', '：', '。']) && is_row(line);
    pair(line).or_else(|| begins_row().then_some(line))
}

/// The value of a `key: value` line, or of one with leader dots between the two. A sentence that happens to have a
/// colon has none: its key is long or has punctuation, or key and value both have many words.
pub(super) fn pair(line: &str) -> Option<&str> {
    let line = line.trim();
    let (key, value) = split_leader_dots(line).or_else(|| {
        // "所在地:鷹取町" has no space; "10:30" and "https://" have no name before the colon.
        let narrow = || line.match_indices(':').map(|(at, _)| at).find(|&at| line[..at].ends_with(is_cjk));
        let at = line.find(": ").or_else(|| line.find('：')).or_else(narrow)?;
        Some((&line[..at], line[at..].trim_start_matches([':', '：', ' '])))
    })?;
    let is_key = !key.is_empty()
        && word_count(key) <= KEY_WORDS
        && !key.contains(['.', '?', '!', '。', '？', ',', '、', '"', '(', '“', '「'])
        && key.chars().any(char::is_alphabetic)
        && (word_count(key) <= 3 || word_count(value) <= 12);
    is_key.then_some(value)
}

/// The parts before and behind the dots of a line, as in "Goods-in ........ 204"; or before and behind the end of a
/// bold label, as in "**Cause.** The filter is full."
pub(super) fn split_leader_dots(line: &str) -> Option<(&str, &str)> {
    if let Some((key, value)) = line.strip_prefix("**").and_then(|rest| rest.split_once("**")) {
        let is_wide = key.ends_with(is_cjk) && value.starts_with(char::is_whitespace);
        let (key, value) = (key.trim_end_matches(['.', '。']), value.trim());
        let is_label = is_wide || line[2 + key.len()..].starts_with(['.', '。']);
        let begins = |c: char| !c.is_lowercase();
        if is_label && value.starts_with(begins) {
            return Some((key, value));
        }
    }
    let is_leader = |word: &&str| word.chars().all(|c| matches!(c, '.' | '…' | '‥' | '・')) && word.len() > 3;
    let leader = line.split_whitespace().find(is_leader)?;
    let (key, value) = line.split_once(leader)?;
    let (key, value) = (key.trim(), value.trim());
    (!value.is_empty()).then_some((key, value))
}

/// The name and the value of a line with only blanks between them, as in `持ち物　　問診票`: one or more full-width blanks,
/// or at least two others. Only several such lines below one another are taken for values.
pub(super) fn split_blanks(line: &str) -> Option<(&str, &str)> {
    const GAPS: [&str; 3] = ["\u{3000}", "  ", "\t"];
    let at = GAPS.iter().filter_map(|gap| line.find(gap)).min()?;
    let (key, value) = (line[..at].trim_end(), line[at..].trim());
    let is_number = |c: char| c.is_numeric() || "一二三四五六七八九十".contains(c);
    let is_key = word_count(key) <= NAME_WORDS
        && key.starts_with(char::is_alphabetic)
        && !key.contains(['.', '?', '!', '。', '？', ',', '、', '"', '“', '「', ':', '：'])
        && !key.starts_with('第')
        && !key.chars().all(is_number)
        && !key.contains(|c: char| c.is_ascii_digit());
    // With a further gap it is the row of a table.
    let is_value =
        !value.is_empty() && !value.contains("  ") && !value.contains("\u{3000}\u{3000}") && !value.contains('\t');
    (is_key && is_value && !is_question(value) && bullet(line).is_none()).then_some((key, value))
}

pub(super) fn ends_in_colon(text: &str) -> bool {
    text.trim_end().trim_end_matches(['*', '_']).ends_with([':', '：'])
}

/// The length of a list mark with the space behind it and the checkbox of a task.
pub(super) fn bullet(line: &str) -> Option<usize> {
    for mark in ["- ", "* ", "+ ", "• ", "· ", "・", "● ", "○ ", "■ ", "◆ ", "– "] {
        if let Some(rest) = line.strip_prefix(mark) {
            return Some(line.len() - without_box(rest.trim_start()).len());
        }
    }
    // "a. Add the buffer" is a step within a step.
    let of_letter = line.strip_prefix(|c: char| c.is_ascii_lowercase());
    let of_letter = of_letter.and_then(|rest| rest.strip_prefix(". ").or_else(|| rest.strip_prefix(") ")));
    if let Some(rest) = of_letter.filter(|rest| rest.starts_with(|c: char| c.is_uppercase() || c.is_ascii_digit())) {
        return Some(line.len() - rest.len());
    }
    let digits = line.chars().take_while(char::is_ascii_digit).count();
    let rest = &line[digits..];
    let numbered =
        (1..=3).contains(&digits) && (rest.starts_with(". ") || rest.starts_with(") ") || rest.starts_with('．'));
    if numbered {
        let rest = rest.trim_start_matches(['.', ')', '．', ' ']);
        return Some(line.len() - without_box(rest).len());
    }
    wide_item(line)
}

/// The words of a task without the checkbox before them, ticked or not.
fn without_box(item: &str) -> &str {
    let words = ["[ ] ", "[x] ", "[X] ", "[-] "].iter().find_map(|one| item.strip_prefix(one));
    words.map_or(item, str::trim_start)
}

/// Parts of the titles of minutes. Minutes are on many things, even if their title holds a word of what is asked, as a
/// committee's name may be.
const MINUTES: &str = "minutes|meeting of|meeting on|protokoll|niederschrift|procès-verbal|compte rendu|compte-rendu|acta de|acta n|verbale|ata de|ata d|\
    ata n|notulen|protokół|протокол|tutanak|議事|会議録|会议纪要|会议记录";

/// Whether a title is that of the minutes of a meeting.
pub(in crate::offline) fn are_minutes(title: &str) -> bool {
    let lower = title.to_lowercase();
    MINUTES.split('|').any(|part| if part.contains(is_cjk) { lower.contains(part) } else { has_stem(&lower, part) })
}

/// The most words of the label of a clause or of a part of a paragraph.
const LABEL_WORDS: usize = 4;
/// The most characters of such a label in a script without spaces; characters that it does not contain, and those with
/// which it does not end, since sentences do.
const LABEL_CHARACTERS: usize = 12;
const NO_TITLE: [char; 6] = ['は', 'が', 'を', '、', '，', ' '];
const VERBAL: [char; 9] = ['た', 'る', 'す', 'い', 'だ', 'う', 'く', 'む', 'ん'];
/// The fewest labelled clauses of a contract, or labelled items of a list.
const CLAUSES: usize = 2;

/// The length of the mark and the label of a clause or an item, with the space behind them: of `3. Rent. ` or `- Rent. `
/// before its text.
pub(super) fn clause_label(line: &str) -> Option<usize> {
    let digits = line.chars().take_while(char::is_ascii_digit).count();
    let mark = match digits {
        0 => bullet(line).filter(|_| !line.starts_with(char::is_alphabetic))?,
        _ => line.len() - line[digits..].strip_prefix(". ").filter(|_| digits <= 2)?.len(),
    };
    Some(mark + title_length(&line[mark..])?)
}

/// The length of the mark and the title of an item of minutes, with the space behind them.
pub(super) fn item_title(line: &str) -> Option<usize> {
    let mark = bullet(line)?;
    Some(mark + title_length(&line[mark..])?)
}

/// The length of the title of an item and of the space behind it: of `Sealer. ` before what is said of it.
fn title_length(item: &str) -> Option<usize> {
    let (label, said) = if item.starts_with("**") {
        item.split_once(".** ")?
    } else {
        let end = sentences(item).next()?.end;
        (item[..end].strip_suffix(['.', '。'])?, item[end..].trim_start())
    };
    if label.ends_with(is_cjk) {
        let is_label =
            label.chars().count() <= LABEL_CHARACTERS && !label.contains(NO_TITLE) && !label.ends_with(VERBAL);
        return (is_label && word_count(said) > LABEL_WORDS).then(|| item.len() - said.len());
    }
    let is_label = (1..=LABEL_WORDS).contains(&label.split(' ').count())
        && label.trim_start_matches('*').starts_with(char::is_uppercase)
        && !label.contains([',', ';', ':', '('])
        && label.chars().nth(2).is_some();
    (is_label && word_count(said) > LABEL_WORDS).then(|| item.len() - said.len())
}

/// Whether a line begins with a digit, as numbered clauses do.
pub(super) fn is_numbered(line: &str) -> bool {
    line.starts_with(|c: char| c.is_ascii_digit())
}

/// Whether the numbered items of a text, or else the others, have labels: at least `CLAUSES` and three quarters of them.
pub(super) fn has_clauses(text: &str, numbered: bool) -> bool {
    let is_clause = |line: &&str| is_numbered(line) == numbered && bullet(line).is_some();
    let clauses: Vec<&str> = text.lines().map(str::trim).filter(is_clause).collect();
    let labelled = clauses.iter().filter(|line| clause_label(line).is_some()).count();
    labelled >= CLAUSES && labelled * 4 >= clauses.len() * 3
}

/// The number that a line begins with as an item, a step or a paragraph: 2 of `2. `, `(2) `, `（２）`, `②`.
pub(super) fn number(line: &str) -> Option<u32> {
    let circled = line.chars().next().filter(|c| ('①'..='⑳').contains(c));
    if let Some(circled) = circled {
        return Some(u32::from(circled) - u32::from('①') + 1);
    }
    let in_brackets = || line.strip_prefix('(')?.split_once(") ").map(|(number, _)| number);
    let mark = in_brackets().or_else(|| line.get(..bullet(line)?))?;
    folded(mark).trim_matches(|c: char| !c.is_ascii_digit()).parse().ok()
}

/// Whether a sentence says that a list or a command follows, like one that ends in a colon.
pub(in crate::offline) fn announces(sentence: &str) -> bool {
    word_count(sentence) <= LEAD_WORDS && points_ahead(sentence)
}

/// Whether a sentence, however long, says that something follows.
pub(in crate::offline) fn points_ahead(sentence: &str) -> bool {
    const FOLLOWS: [&str; 8] = ["次の", "次が", "次に", "次は", "以下", "下記", "following", "as follows"];
    FOLLOWS.iter().any(|word| sentence.contains(word))
}

/// Whether the last sentence of a text asks a question.
pub(super) fn is_question(text: &str) -> bool {
    let text = text.trim_end_matches(['*', '_', ' ']);
    text.ends_with(['?', '？']) || text.trim_end_matches('。').ends_with('か') && text.chars().any(is_cjk)
}

/// The length of the mark before the question of a pair: `Q: `, `Q3. ` or `問：`.
pub(super) fn asks(text: &str) -> Option<usize> {
    marked(text, &["q", "question", "frage", "pregunta", "問", "質問", "Ｑ"])
}

/// The length of the mark before the answer of a pair.
pub(super) fn answers(text: &str) -> Option<usize> {
    marked(text, &["a", "answer", "antwort", "réponse", "respuesta", "答", "回答", "Ａ"])
}

fn marked(text: &str, words: &[&str]) -> Option<usize> {
    let word_end = text.find(|c: char| !c.is_alphabetic()).unwrap_or(text.len());
    if !words.contains(&text[..word_end].to_lowercase().as_str()) && !words.contains(&&text[..word_end]) {
        return None;
    }
    let rest = text[word_end..].trim_start_matches(|c: char| c.is_ascii_digit());
    let after = rest.strip_prefix([':', '：', '.', '．', ')', '）']).or_else(|| rest.strip_prefix('、'))?;
    Some(text.len() - after.trim_start().len())
}

/// A heading without the lenticular brackets around it; brackets around its first words only are a part of it.
pub(super) fn unbracketed(heading: &str) -> &str {
    let inner = heading.strip_prefix('【').and_then(|inner| inner.strip_suffix('】'));
    inner.filter(|inner| !inner.contains('】')).unwrap_or(heading)
}

/// Whether a line only numbers an article and names it in brackets: `第2条（委託料）`.
pub(super) fn is_article_heading(line: &str) -> bool {
    let Some((number, rest)) = line.strip_prefix('第').and_then(|line| line.split_once('条')) else { return false };
    let is_number = |c: char| c.is_numeric() || "一二三四五六七八九十百".contains(c);
    let rest = rest.trim_start_matches(|c: char| c == 'の' || is_number(c)).trim_start();
    let name = rest.strip_prefix(['（', '(']).and_then(|rest| rest.strip_suffix(['）', ')']));
    let is_named = name.is_some_and(|name| !name.contains(['（', '(', '）', ')', '。']));
    number.chars().all(is_number) && !number.is_empty() && (rest.is_empty() || is_named)
}

/// Whether a line is a heading of Markdown, a rule, a line in lenticular brackets, the number of an article with its
/// name, or a line in capital letters.
pub(super) fn is_heading(line: &str) -> bool {
    let marks = line.chars().take_while(|c| *c == '#').count();
    ((1..=6).contains(&marks) && line[marks..].starts_with(' '))
        || is_article_heading(line)
        || unbracketed(line) != line
        || line.chars().all(|c| matches!(c, '=' | '-' | '*' | '_' | ' '))
        || (line.chars().filter(|c| c.is_uppercase()).count() > 3
            && !line.chars().any(|c| c.is_lowercase() || c.is_numeric() || is_cjk(c)))
}

/// The marks of headings in Japanese papers.
pub(super) const HEADING_MARKS: [char; 7] = ['■', '□', '◆', '◇', '●', '○', '▼'];

/// Whether a line is a command behind the root prompt `# `, not a heading or a comment.
pub(super) fn is_root_prompt(line: &str) -> bool {
    line.strip_prefix("# ").is_some_and(|rest| {
        rest.starts_with(|c: char| c.is_ascii_lowercase())
            && rest.is_ascii()
            && rest.split(' ').skip(1).any(|word| word.starts_with(['-', '/']) || word.contains("=/"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_of_minutes() {
        let check = |title: &str, expected: bool| assert_eq!(are_minutes(title), expected, "{title}");
        check("Minutes of the club", true);
        check("防災委員会議事録", true);
        check("Acta de la reunión", true);
        check("Board meeting of 3 December", true);
        check("Data sheet of the pump", false);
        check("Meeting rooms", false);
    }
}
