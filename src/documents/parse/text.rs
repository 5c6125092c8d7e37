//! Plain text: the text is kept as the source. Only marks that are hard to mistake count as headings.

use super::{ParseError, Parsed, label, letterhead, lines};
use crate::base::text::{
    bare_subject, ends_in_initials, is_cjk, is_mail_header, is_sender_header, names_subject, wide_item,
};
use crate::domain::Heading;

/// A first line longer than this is a paragraph rather than a title.
const TITLE_CHARS: usize = 100;
/// The number of lines with words at the beginning among which a title is looked for.
const HEAD_LINES: usize = 12;
/// The most characters of a part's name after a full-width number.
const WIDE_NAME: usize = 20;
/// An underline is at least this long.
const UNDERLINE: usize = 3;

/// Parses a text, kept as it stands. Only calendars and address books, which fold their lines within words, are
/// unfolded.
pub(super) fn parse(text: String) -> Result<Parsed, ParseError> {
    let text = match name_of_entry(&text) {
        Some(_) => text.replace("\r\n", "\n").replace("\n ", ""),
        None => text,
    };
    let title = title(&text);
    let mut headings = headings(&text);
    headings.extend(numbered_parts(&text));
    // Where headings of both kinds begin at one line, the underlined one is kept.
    headings.sort_by_key(|heading| heading.start);
    headings.dedup_by_key(|heading| heading.start);
    Ok(Parsed { title, headings, text, ..Parsed::default() })
}

/// The lines that have words; an underline above a title is decoration.
fn head(text: &str) -> impl Iterator<Item = &str> {
    lines(text).map(|(_, line)| line.trim()).filter(|line| !line.is_empty() && underline(line).is_none())
}

/// The lines above the first empty one.
fn first_block(text: &str) -> impl Iterator<Item = &str> {
    text.trim_start().lines().take_while(|line| !line.trim().is_empty()).take(HEAD_LINES)
}

fn title(text: &str) -> Option<String> {
    if let Some(name) = name_of_entry(text) {
        return entry_title(text, name);
    }
    subject(text).or_else(|| first_title(text).map(unspaced))
}

/// The field that names the entries of a calendar or of an address book.
fn name_of_entry(text: &str) -> Option<&'static str> {
    match text.trim_start().lines().next()?.trim_end() {
        "BEGIN:VCALENDAR" => Some("SUMMARY"),
        "BEGIN:VCARD" => Some("FN"),
        _ => None,
    }
}

/// The name of the only entry; `None` if there are several.
fn entry_title(text: &str, name: &str) -> Option<String> {
    let mut named = text.lines().filter_map(|line| {
        let (field, value) = line.split_once(':')?;
        (field.split(';').next() == Some(name)).then_some(value)
    });
    let first = named.next()?;
    if named.next().is_some() { None } else { label(&first.replace("\\,", ",").replace("\\;", ";")) }
}

/// Joins the characters of a word that is spaced out to fill its line: "議 事 録".
fn unspaced(title: String) -> String {
    let is_one = |word: &str| word.chars().all(is_cjk) && word.chars().nth(1).is_none();
    if title.contains(' ') && title.split(' ').all(is_one) { title.replace(' ', "") } else { title }
}

/// The subject that a letter names; otherwise the first line, or the first one below a letterhead. Where that is not a
/// title, the sender's name, as above an article on a firm.
fn first_title(text: &str) -> Option<String> {
    let head: Vec<&str> = head(text).take(HEAD_LINES).collect();
    let (&first, below) = head.split_first()?;
    if let Some(subject) = letter_subject(&head) {
        return Some(subject);
    }
    let is_title = |line: &&str| is_short(line) && !is_sentence(line);
    if letterhead::is_genre(first) {
        // "OBITUARY" stands above the name of its subject.
        let named = below.iter().copied().find(|line| !is_above_title(line)).filter(is_title);
        return named.or(Some(first)).and_then(label);
    }
    if !letterhead::opens_letter(first) {
        // "UNIVERSITÀ DI VALLERONA" may stand right above "Verbale del Consiglio del 24 aprile 2024".
        let is_letterhead =
            !first.contains(char::is_lowercase) && first.contains(' ') && !letterhead::names_paper(first);
        let mut right_below = first_block(text).skip(1).map(str::trim);
        let below = right_below.find(|line| letterhead::names_paper(line)).filter(is_title);
        let below = below.filter(|_| is_letterhead).map(|paper| letterhead::with_body_name(paper, Some(first)));
        return below.or_else(|| Some(first).filter(is_title).map(str::to_owned)).and_then(|title| label(&title));
    }
    let sender = head.iter().copied().find(|line| letterhead::is_sender(line));
    let below =
        below_letterhead(below).filter(is_title).map(|paper| letterhead::with_body_name(bare_subject(paper), sender));
    below.or_else(|| sender.filter(|sender| *sender == first).map(str::to_owned)).and_then(|title| label(&title))
}

/// Whether a line below the first one still stands above the title.
fn is_above_title(line: &str) -> bool {
    letterhead::stands_above(line) || letterhead::is_genre(line)
}

/// The first of the lines that no longer belongs to a letterhead; `None` below a paragraph, where the closing and the
/// signature stand, which name nothing.
fn below_letterhead<'a>(lines: &[&'a str]) -> Option<&'a str> {
    for (at, &line) in lines.iter().enumerate() {
        // A day may end in a full stop, as in "3 мая 2024 г.".
        let is_ended = line.ends_with(['.', '。']) && !ends_in_initials(line);
        if !is_short(line) || is_ended && !letterhead::opens_letter(line) {
            return None;
        }
        if is_above_title(line) {
            continue;
        }
        let is_small = |line: &&str| line.starts_with(char::is_lowercase);
        let goes_on = is_small(&line) || lines.get(at + 1).is_some_and(is_small);
        if goes_on || line.ends_with(['!', '?', '！', '？']) {
            return None;
        }
        if !letterhead::is_address(line) {
            return Some(line);
        }
    }
    None
}

/// The subject that a letter names below its sender, its day or its addressee. The title of a report says more.
fn letter_subject(head: &[&str]) -> Option<String> {
    let is_titled = head.first().is_some_and(|first| letterhead::names_paper(first) && first.contains(' '));
    let above = head.iter().position(|line| letterhead::stands_above(line)).filter(|_| !is_titled)?;
    let mut below = head[above + 1..].iter().take_while(|line| is_short(line));
    label(bare_subject(&below.find_map(|line| value_of(line, names_subject))?))
}

/// The value of a line `name: value` whose name `is_named` accepts.
fn value_of(line: &str, is_named: fn(&str) -> bool) -> Option<String> {
    let (name, value) = line.split_once([':', '：'])?;
    is_named(name).then(|| value.trim().to_owned())
}

/// The subject of a mail that was saved as text, from the lines of its head. The head opens with the sender, or
/// consists of names and values only and opens with the subject or has several mail fields.
fn subject(text: &str) -> Option<String> {
    let head = || first_block(text);
    let is_of_sender = value_of(head().next()?, is_sender_header).is_some();
    let of_head = head().filter(|line| value_of(line, is_mail_header).is_some()).count();
    let opens = value_of(head().next()?, names_subject).is_some();
    let is_mail = is_of_sender || (opens || of_head > 1) && head().all(|line| line.contains([':', '：']));
    let subject = head().find_map(|line| value_of(line, names_subject)).filter(|_| is_mail)?;
    label(bare_subject(&subject))
}

/// Whether a line is a sentence. Titles end without a full stop; a question or an exclamation can be one.
fn is_sentence(line: &str) -> bool {
    let is_ended = line.ends_with(['.', '。', ';', ',', ':', '；', '，', '：']);
    is_ended && !line.ends_with("...") && !ends_in_initials(line)
}

fn is_short(line: &str) -> bool {
    // Counting stops early, since the line may be the whole document.
    line.chars().nth(TITLE_CHARS).is_none()
}

fn headings(text: &str) -> Vec<Heading> {
    let mut headings: Vec<Heading> = Vec::new();
    let mut above = None;
    // Whether the line above is the first of its paragraph: an underline below a longer paragraph is a rule.
    let mut opens_paragraph = true;
    let mut is_first = true;
    for (start, line) in lines(text) {
        let words = line.trim();
        if let (Some(level), Some((at, title))) = (underline(line.trim_end()), above) {
            push(&mut headings, at, level, title, line);
        }
        if words.is_empty() || underline(words).is_some() {
            above = None;
            opens_paragraph = true;
            continue;
        }
        if let Some(enclosed) = enclosed(words).filter(|_| is_short(words)) {
            headings.extend(label(enclosed).map(|text| Heading { start, level: 2, text }));
        } else if is_first && is_short(words) && is_capitals(words) && !letterhead::is_genre(words) {
            headings.extend(label(words).map(|text| Heading { start, level: 1, text }));
        }
        is_first = false;
        above = (opens_paragraph && is_short(words)).then_some((start, words));
        opens_paragraph = false;
    }
    headings
}

/// Lines of their own that number the parts of a text, with text below each: `4. Finances`, `5.º Zona azul`, `§ 3
/// Notice`, `第3条（通知）`, `３．経過`, `二、决定事项`. A single one does not count, and neither do the items of a list, which have nothing
/// below them, or only the rest of their sentence.
fn numbered_parts(text: &str) -> Vec<Heading> {
    let mut parts = Vec::new();
    // A line that numbers a part if it has text below it.
    let mut pending: Option<(usize, u8, &str)> = None;
    let mut stands_apart = true;
    for (start, line) in lines(text) {
        let line = line.trim();
        if line.is_empty() {
            stands_apart = true;
            continue;
        }
        if let Some(part @ (_, level, above)) = pending.take() {
            let goes_on = !stands_apart && line.starts_with(char::is_lowercase);
            // Steps below a heading begin with 1 again.
            let is_step = line.starts_with("1. ") && !above.starts_with("1. ");
            if !goes_on && (is_step || part_level(line).is_none_or(|of_line| of_line > level)) {
                parts.push(part);
            }
        }
        if stands_apart && is_short(line) && !is_sentence(line) {
            pending = part_level(line).map(|level| (start, level, line));
        }
        stands_apart = false;
    }
    if parts.len() < 2 {
        return Vec::new();
    }
    let heading = |(start, level, line)| label(line).map(|text| Heading { start, level, text });
    parts.into_iter().filter_map(heading).collect()
}

/// The names of numbered parts.
const PART_NAMES: [&str; 34] = [
    "§",
    "article",
    "art",
    "artículo",
    "artikel",
    "articolo",
    "artigo",
    "artykuł",
    "статья",
    "section",
    "clause",
    "chapter",
    "kapitel",
    "chapitre",
    "capítulo",
    "capitolo",
    "hoofdstuk",
    "rozdział",
    "глава",
    "раздел",
    "part",
    "teil",
    "titre",
    "titolo",
    "título",
    "top",
    "annex",
    "annexe",
    "anlage",
    "schedule",
    "amendment",
    "nachtrag",
    "avenant",
    "addendum",
];

/// What stands between such a name and its number.
const BEFORE_NUMBER: [&str; 6] = ["nr.", "no.", "n°", "nº", "núm.", "№"];

/// The level of a numbered part.
fn part_level(line: &str) -> Option<u8> {
    if let Some(rest) = line.strip_prefix('第') {
        return cjk_level(rest);
    }
    // `１．経過` and `二、决定` need no space; `１．日時　5月3日` is a name with its value, not a heading.
    let wide = wide_item(line).filter(|&length| line[..length].trim_end().ends_with('．'));
    let ideographs = line.trim_start_matches(|one: char| "一二三四五六七八九十".contains(one));
    let behind = ideographs.strip_prefix('、').filter(|_| ideographs.len() < line.len());
    if let Some(words) = wide.map(|length| &line[length..]).or(behind) {
        let is_name = words.starts_with(char::is_alphanumeric) && !words.contains(['\u{3000}', '：', ':', '、']);
        return (is_name && words.chars().nth(WIDE_NAME).is_none()).then_some(2);
    }
    let (first, rest) = line.split_once([' ', '\u{3000}', '\u{a0}'])?;
    let is_named = PART_NAMES.contains(&first.trim_end_matches('.').to_lowercase().as_str());
    let (number, rest) = if is_named { named_number(rest.trim_start()) } else { (first, rest) };
    let digits = number.trim_end_matches(['.', ')', ':', 'º', '°', 'ª', '–', '-']);
    let is_ended = is_named || digits.len() < number.len() || digits.contains('.');
    let parts = digits.split('.').filter(|part| !part.is_empty());
    let is_number = |part: &str| part.len() <= 3 && part.bytes().all(|byte| byte.is_ascii_digit());
    let is_roman = !digits.is_empty() && digits.len() <= 5 && digits.chars().all(|one| "IVXLC".contains(one));
    let is_numbered = is_roman || !digits.is_empty() && parts.clone().all(is_number);
    let rest = rest.trim_start();
    // "Section 6 of the Act is repealed." is a sentence about a part.
    let has_words = match is_named {
        true => !(rest.starts_with(char::is_lowercase) && is_sentence(line)),
        false => rest.starts_with(|first: char| first.is_uppercase() || is_cjk(first)),
    };
    (is_numbered && is_ended && has_words).then(|| u8::try_from(parts.count()).unwrap_or(1).saturating_add(1).min(6))
}

/// The level of a part such as `第3条`, from the text after `第`.
fn cjk_level(rest: &str) -> Option<u8> {
    let rest = rest.trim_start_matches(|one: char| one.is_numeric() || "一二三四五六七八九十百".contains(one));
    match rest.chars().next()? {
        '編' | '章' => Some(2),
        '節' => Some(3),
        '条' => Some(4),
        _ => None,
    }
}

/// The number after a part's name, and the text after it.
fn named_number(words: &str) -> (&str, &str) {
    let (first, behind) = words.split_once(' ').unwrap_or((words, ""));
    match BEFORE_NUMBER.contains(&first.to_lowercase().as_str()) {
        true => {
            let behind = behind.trim_start();
            behind.split_once(' ').unwrap_or((behind, ""))
        }
        false => (first, behind),
    }
}

fn push(headings: &mut Vec<Heading>, start: usize, level: u8, title: &str, underline: &str) {
    // An underline covers at least half of its title; a shorter one is a separator. Wide characters take two columns.
    let is_covered = underline.trim_end().len() * 2 >= title.chars().count();
    let is_known = headings.last().is_some_and(|heading| heading.start == start);
    // Names with wide gaps between them are the header of a table.
    let names_columns = title.replace("\u{3000}", " ").split("  ").filter(|name| !name.is_empty()).count() > 2;
    if is_covered && !is_known && !names_columns {
        headings.extend(label(title).map(|text| Heading { start, level, text }));
    }
}

/// The level that a line of only `=` or `-` gives to the line above it.
fn underline(line: &str) -> Option<u8> {
    let level = match line.bytes().next()? {
        b'=' => 1,
        b'-' => 2,
        _ => return None,
    };
    let mark = line.as_bytes()[0];
    (line.len() >= UNDERLINE && line.bytes().all(|byte| byte == mark)).then_some(level)
}

/// The text between marks that set a heading apart: `== Costs ==`, `*** COSTS ***`.
fn enclosed(line: &str) -> Option<&str> {
    let mark = line.chars().next().filter(|mark| matches!(mark, '=' | '*'))?;
    let inner = line.trim_matches(mark);
    let least = if mark == '=' { 2 } else { 3 };
    let is_marked = |length: usize| length >= least;
    let (before, after) =
        (line.len() - line.trim_start_matches(mark).len(), line.len() - line.trim_end_matches(mark).len());
    let is_set = inner.starts_with(' ') && inner.ends_with(' ') && inner.contains(char::is_alphabetic);
    (is_set && is_marked(before) && is_marked(after)).then(|| inner.trim())
}

/// Whether a line is written in capitals: at least four, and no small letters. Scripts without case have no capitals.
fn is_capitals(line: &str) -> bool {
    let has_small = line.chars().any(|one| one.is_lowercase() || is_cjk(one));
    line.chars().filter(|char| char.is_uppercase()).take(4).count() == 4 && !has_small
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, title: Option<&str>, headings: &[(usize, u8, &str)]) {
        let parsed = parse(text.to_owned()).unwrap();
        assert_eq!(parsed.text, text);
        assert_eq!(parsed.title.as_deref(), title, "{text}");
        let found: Vec<_> = parsed.headings.iter().map(|h| (h.start, h.level, h.text.as_str())).collect();
        assert_eq!(found, headings, "{text}");
    }

    #[test]
    fn titles_of_papers_and_mails() {
        let check = |text: &str, expected: &str| assert_eq!(title(text).as_deref(), Some(expected), "{text}");
        check(
            "WENLOW CLIFF LIFT TRUST\nMinutes of the meeting in the hall, Tuesday 14 November 2023, 7 pm\n\nPresent: Ann",
            "Minutes of the meeting in the hall, Tuesday 14 November 2023, 7 pm – WENLOW CLIFF LIFT TRUST",
        );
        check(
            "公益財団法人汐待海洋文化財団\n飼育作業規程(平成31年4月1日施行)\n\n第1章 総則",
            "飼育作業規程(平成31年4月1日施行)",
        );
        check(
            "UNIVERSITÀ DI VALLERONA\nDipartimento di Scienze\nVerbale del Consiglio del 24 aprile 2024\n\nPresenti: Ugo",
            "Verbale del Consiglio del 24 aprile 2024 – UNIVERSITÀ DI VALLERONA",
        );
        check(
            "令和6年5月3日\n保護者の皆様へ\nみどり保育園　園長　古賀 信夫\n\n遠足の中止について\n\n雨のためです。",
            "遠足の中止について",
        );
        check("A LETTER TO ANN\nfrom Bo\n\nReport of it follows.", "A LETTER TO ANN");
        check("議 事 録\n\n日 時:令和6年8月20日", "議事録");
        check("From: Ann <a@example.org>\nSubject: Re: AW: Re: Tank\n\nSettled.", "Tank");
        check("From: Ann <a@example.org>\nSubject: Re:\n\nSettled.", "Re:");
    }

    #[test]
    fn an_event_and_a_card_have_their_own_titles() {
        let check = |text: &str, expected: Option<&str>| assert_eq!(title(text).as_deref(), expected, "{text}");
        let event = "BEGIN:VEVENT\nSUMMARY;LANGUAGE=en:Tea\\, then cake\nEND:VEVENT\n";
        check(&format!("BEGIN:VCALENDAR\n{event}END:VCALENDAR\n"), Some("Tea, then cake"));
        check(&format!("BEGIN:VCALENDAR\n{event}{event}END:VCALENDAR\n"), None);
        check("BEGIN:VCARD\r\nN:Roe;Ann\r\nFN:Ann Roe\r\nEND:VCARD\r\n", Some("Ann Roe"));
        let folded = parse("BEGIN:VCARD\r\nFN:Ann Ro\r\n e\r\nEND:VCARD\r\n".to_owned()).unwrap();
        assert_eq!(folded.text, "BEGIN:VCARD\nFN:Ann Roe\nEND:VCARD\n");
    }

    #[test]
    fn first_line_is_the_title_when_short() {
        check("\n\n  A note \nmore", Some("A note"), &[]);
        check(&"long ".repeat(30), None, &[]);
        check(&"語".repeat(100), Some("語".repeat(100).as_str()), &[]);
        check(&"語".repeat(101), None, &[]);
    }

    #[test]
    fn a_mail_is_titled_by_its_subject() {
        check(
            "From: Ann <a@b.example>\nTo: Bo\nSubject: Boiler 2 again\n\nBo,\nit failed.",
            Some("Boiler 2 again"),
            &[],
        );
        check("Subject: Receipts\n\nThey are handed in within a month.", Some("Receipts"), &[]);
        check("Subject: Receipts\nThey are handed in.", Some("Subject: Receipts"), &[]);
        check("差出人：安西\n件名：給水車の返却\n\n本文", Some("給水車の返却"), &[]);
        check("件名:柚子果汁の納期\n日付:2024年12月12日\n差出人:宇津木\n\n本文", Some("柚子果汁の納期"), &[]);
        check("From: Ann\n\nSubject: of another part", Some("From: Ann"), &[]);
        check("From: here to there\nSubject:\n\ntext", Some("From: here to there"), &[]);
    }

    #[test]
    fn the_title_of_a_letter_is_below_its_letterhead() {
        check(
            "OUVEL FERRY TRUST\nMinutes of the board\n27 March 2025\n\nPresent: all",
            Some("Minutes of the board – OUVEL FERRY TRUST"),
            &[(0, 1, "OUVEL FERRY TRUST")],
        );
        let letter = "Larchfield Tenants Ltd\nBoard office, Block B\nOpen Mondays 17:00-19:00\n\nTo all households\n\n\
            Dear members,\n\nReplacement of the lift\n\nThe meeting decided it.";
        check(letter, Some("Replacement of the lift"), &[]);
        check(
            "庶務課　第12号\n令和6年9月3日\n\n寮に住む皆さまへ\n\n庶務課　森　健一\n\n浴室の改修について\n\n来月は使えません。",
            Some("浴室の改修について"),
            &[],
        );
        check(
            "OUVEL FERRY TRUST\nMinutes of the board, 27 March 2025, 7.00 p.m.\nHeld on board\n\nPresent: all",
            Some("Minutes of the board, 27 March 2025, 7.00 p.m. – OUVEL FERRY TRUST"),
            &[(0, 1, "OUVEL FERRY TRUST")],
        );
        check(
            "  営発第25-007号\n  令和7年1月20日\nお得意先各位\n\n価格改定のお願い\n\n拝啓",
            Some("価格改定のお願い"),
            &[],
        );
        check(
            "令和6年7月30日\n霧ノ瀬鉄道株式会社 安全推進室\n\n落石事故の原因について",
            Some("落石事故の原因について"),
            &[],
        );
        check("Ouvel Ferry Trust\n\nThe ferry has run since 1904.", Some("Ouvel Ferry Trust"), &[]);
        check("12 May 2024\n\nDear Mr Hale,\n\nRe: Lease of flat 4\n\nThe rent rises.", Some("Lease of flat 4"), &[]);
        check("An overview of the ferries\nand of much else", Some("An overview of the ferries"), &[]);
        check("To Kill a Mockingbird\n\nChapter 1", Some("To Kill a Mockingbird"), &[]);
        check("1 June 2024\nWe met.", None, &[]);
    }

    #[test]
    fn the_form_of_a_paper_is_no_title() {
        let body = "The lift has stood still since the spring, and the firm that is to mend it has been found at last.";
        let check = |head: &str, expected: &str| {
            let text = format!("{head}\n\n{body}");
            let parsed = parse(text).unwrap();
            assert_eq!((parsed.title.as_deref(), parsed.headings.len()), (Some(expected), 0), "{head}");
        };
        check("OBITUARY\nAnn Reed, keeper of the lift\nThe Gazette, 3 May 2024", "Ann Reed, keeper of the lift");
        check("PRESS RELEASE - NOT FOR DISTRIBUTION ABROAD\n\n3 May 2024\n\nThe lift is sold", "The lift is sold");
        let dated = "Lift Cliff Trust\nPRESS RELEASE\nFor immediate release: 3 May 2024\n\nThe lift is sold";
        check(dated, "The lift is sold");
        check("Obituary", "Obituary");
        check("プレスリリース\n2024年5月3日\n\nリフトの売却について", "リフトの売却について");
    }

    #[test]
    fn neither_greeting_nor_closing_titles_a_letter() {
        let body = "The roof is tight again, as you asked, and the bill lies with this letter.";
        let check = |head: &str, closing: &str, expected: Option<&str>| {
            let text = format!("{head}\n\n{body}\n\n{closing}");
            assert_eq!(title(&text).as_deref(), expected, "{text}");
        };
        check("Kassel, 3. Mai 2024\n\nSehr geehrter Herr Ohm,", "Mit freundlichen Grüßen\nUte Rau", None);
        check("Vigo, 3 de mayo de 2024\n\nEstimado Luis:", "Un abrazo,\nAna Prieto", None);
        check("Lyon, le 3 mai 2024\n\nÀ l'attention de M. Roux\n\nCher Monsieur,", "Bien à vous,\nLéa Pic", None);
        check("Тула, 3 мая 2024 г.\n\nУважаемый Пётр Ильич!", "С уважением,\nА. Орлова", None);
        check("Уважаемые соседи!", "С уважением,\nА. Орлова", None);
        check("王主任：", "李强\n2024年5月3日", None);
        check("김민호 대표님께", "이수진 드림", None);
        check("Pavia, 3 maggio 2024\n\nOggetto: tetto e grondaie\n\nGentili soci,", "Ugo", Some("tetto e grondaie"));
        check("AVVISO AI SOCI\n\nPavia, 3 maggio 2024\n\nOggetto: tetto", "Ugo", Some("tetto"));
        check("Minutes of the board\n3 May 2024\nSubject: roof", "Ugo", Some("Minutes of the board"));
    }

    #[test]
    fn underlines_make_headings() {
        check("Title\n=====\n\nText.\n\nPart\n----\nmore", Some("Title"), &[(0, 1, "Title"), (20, 2, "Part")]);
        check("=====\nTitle\n=====\r\nText", Some("Title"), &[(6, 1, "Title")]);
        check("日本語\n======\n", Some("日本語"), &[(0, 1, "日本語")]);
    }

    #[test]
    fn numbers_of_parts_make_headings() {
        let check = |text: &str, expected: &[(u8, &str)]| {
            let parsed = parse(text.to_owned()).unwrap();
            let found: Vec<_> = parsed.headings.iter().map(|heading| (heading.level, heading.text.as_str())).collect();
            assert_eq!(found, expected, "{text}");
        };
        check(
            "Acta\n\n1.º Actas\n\nSe aprueba.\n\n2.º Zona azul\n\nSe retira.",
            &[(2, "1.º Actas"), (2, "2.º Zona azul")],
        );
        check("Lease\n\n§ 1 Rent\n\nIt is due.\n\n§ 2 Notice\n\nTwo months.", &[(2, "§ 1 Rent"), (2, "§ 2 Notice")]);
        check(
            "A\n\n1. Rent\n\n1.1 Due\n\nOn the 3rd.\n\n2. Notice\n\nTwo.",
            &[(2, "1. Rent"), (3, "1.1 Due"), (2, "2. Notice")],
        );
        check(
            "規程\n\n第1条（目的）\n目的を定める。\n\n第2条（通知）\n通知する。",
            &[(4, "第1条（目的）"), (4, "第2条（通知）")],
        );
        check("PV\n\nArticle 1\n\nTexte.\n\nArticle 2\n\nTexte.", &[(2, "Article 1"), (2, "Article 2")]);
        check(
            "Mietvertrag\n\n§ 1 Mietgegenstand\n(1) Vermietet wird Halle 3.\n\nNACHTRAG NR. 2 zum Mietvertrag\nDie Miete steigt.",
            &[(2, "§ 1 Mietgegenstand"), (2, "NACHTRAG NR. 2 zum Mietvertrag")],
        );
        check(
            "A\n\nSection 1. Fees\nFees rise.\n\nSection 2. Repeal\nSection 6 of the Act is repealed.",
            &[(2, "Section 1. Fees"), (2, "Section 2. Repeal")],
        );
        check(
            "PV\n\n1. Panne\nLa chaudière est percée.\n\n2. Fête\n– Le groupe vient.",
            &[(2, "1. Panne"), (2, "2. Fête")],
        );
        check(
            "議事メモ\n\n１．経過の説明（森）\n窯は平成8年に築いた。\n\n２．決まったこと\n・窯を直す。\n\n３．余談\n茶が出た。",
            &[(2, "１．経過の説明（森）"), (2, "２．決まったこと"), (2, "３．余談")],
        );
        check(
            "会议纪要\n\n一、上周情况\n发运412车次。\n\n二、决定事项\n1. 采购叉车。\n2. 推迟搬迁。",
            &[(2, "一、上周情况"), (2, "二、决定事项")],
        );
        check("規則\n\n一、会員は会費を納める。\n\n二、役員は三人とする。", &[]);
        check("案内\n\n１．日時　5月3日\n雨の日は休む。\n\n２．場所　本館\n門は東にある。", &[]);
        // A single part, the items of a list, a paragraph, and lines that only begin with a number.
        check("Acta\n\n1. Zona azul\n\nSe retira.", &[]);
        check("To do\n\n1. Buy tape\n\n2. Call Ann\n\n3. Rest", &[]);
        check("A\n\n1. We met and\nwe talked.\n\n2. We left\nat noon.", &[]);
        check("A\n\n12 people came\n\nThey sat.\n\n14 people left\n\nThey ran.", &[]);
    }

    #[test]
    fn marks_on_both_sides_make_headings() {
        check(
            "Notes on rivals\n\n== LAUFFER ==\nCheap.\n\n*** Others ***\nNone.",
            Some("Notes on rivals"),
            &[(17, 2, "LAUFFER"), (39, 2, "Others")],
        );
        check("Sums\n\nif a == b\n** bold **\n== ==", Some("Sums"), &[]);
    }

    #[test]
    fn rules_and_tables_do_not() {
        check("One line.\nAnother line.\n-------------\nText", None, &[]);
        check("A sentence that goes on.\n---\nText", None, &[]);
        check("a  b\n-  -\n1  2", Some("a b"), &[]);
        check("---\n---\ntext", Some("text"), &[]);
    }

    #[test]
    fn capitals_count_on_the_first_line_only() {
        check("THE REPORT\n\nTHE REST", Some("THE REPORT"), &[(0, 1, "THE REPORT")]);
        check("THE REPORT\n==========\n", Some("THE REPORT"), &[(0, 1, "THE REPORT")]);
        check("日本語の文", Some("日本語の文"), &[]);
        check("NB", Some("NB"), &[]);
    }
}
