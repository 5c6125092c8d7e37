//! The old and the new value where a text states a change: "from £180 to £205", `180万円から205万円に変更する`,
//! "£12 (previously £10)", `Old rate: 10; New rate: 12`, and words in quotation marks in an amendment.
//!
//! Only values with a figure count, except in quotation marks and behind labels: "from Leeds to York" may be a journey.

use super::amendments::amends;
use super::facts::{amounts, days};
use crate::base::text::{ERAS, is_cjk, is_hiragana};

/// The most words, or the most characters in scripts without spaces, of a value.
const WORDS: usize = 5;
const WIDE: usize = 24;

/// Words between which the old and the new value stand.
const FROM_TO: [[&str; 2]; 11] = [
    [" from ", " to "],
    [" von ", " auf "],
    [" vom ", " auf den "],
    [" de ", " à "],
    [" de ", " a "],
    [" da ", " a "],
    [" van ", " naar "],
    [" de ", " para "],
    [" z ", " na "],
    [" с ", " до "],
    [" с ", " на "],
];

/// Beginnings of words that say that a value changes, beside those of amendments; and the same for days, which do not
/// rise or fall. "Fell from 1990 to 2000" states no change of a day.
const OF_DAYS: &str = "chang|mov|postpon|brought forward|extend|shorten|revis|correct|reschedul|defer|delay|put back";
const OF_AMOUNTS: &str = "rais|rise|rose|increas|reduc|lower|cut|fall|fell|drop|decreas|adjust|went|goes|go |grow|grew|\
    wordt ver|gaat van|gaan van|passa|reduz|aument|podwyższ|obniż|skraca|wydłuż|zwiększ|увелич|уменьш|сокращ|повыш|снижа";
const OF_WIDE_DAYS: &str = "変更|改定|改正|改訂|改め|延期|延長|前倒|繰り上|繰り下|見直|修正|訂正|移";
const OF_WIDE_AMOUNTS: &str = "上げ|下げ|増|減|短縮|拡大|縮小|切り替|上昇|低下|なっ|なる";

/// Words that open a remark on a value and say that the value in it is the old one, or the new one.
const WAS: &str = "previously|formerly|was|before|old|until now|up from|down from|originally|bisher|vorher|zuvor|\
    auparavant|précédemment|anteriormente|antes|in precedenza|prima|voorheen|改定前|改正前|改訂前|変更前|訂正前|従来|旧|これまで";
const IS: &str = "now|new|neu|nunmehr|désormais|ahora|ora|agora|nu|改定後|改正後|改訂後|変更後|訂正後|現在|新";

/// Labels of the old and of the new value.
const OLD: &str = "old|previous|former|before|bisher|alt|ancien|ancienne|anterior|vecchio|precedente|antigo|oud|\
    改定前|改正前|改訂前|変更前|訂正前|修正前|従来|現行|旧|誤";
const NEW: &str = "new|current|after|neu|nouveau|nouvelle|nuevo|nueva|nuovo|nuova|novo|nova|nieuw|\
    改定後|改正後|改訂後|変更後|訂正後|修正後|今後|新|正";

/// Returns the changes that a text states, each as its old and its new words.
pub fn stated_changes(text: &str) -> Vec<[&str; 2]> {
    let mut found = if amends(text) { quoted_pairs(text) } else { Vec::new() };
    found.extend(labelled(text));
    found.extend(behind_labels(text));
    found.extend(in_brackets(text));
    found.extend(from_to(text));
    found.extend(wide_from_to(text));
    found.extend(chinese_from_to(text));
    found.extend(korean_from_to(text));
    found
}

/// Returns the words in quotation marks in pairs, such as the old and the new words of an amendment.
pub fn quoted_pairs(text: &str) -> Vec<[&str; 2]> {
    // German closes with the mark that opens an English quotation.
    const MARKS: [(char, &[char]); 7] = [
        ('「', &['」']),
        ('『', &['』']),
        ('„', &['“', '”']),
        ('“', &['”']),
        ('"', &['"']),
        ('«', &['»']),
        ('‘', &['’']),
    ];
    let Some((open, close)) = MARKS.into_iter().find(|&(open, _)| text.contains(open)) else { return Vec::new() };
    let mut quoted = Vec::new();
    let mut rest = text;
    while let Some((words, after)) = rest.split_once(open).and_then(|(_, inner)| inner.split_once(close)) {
        quoted.push(words);
        rest = after;
    }
    quoted.as_chunks::<2>().0.to_vec()
}

/// Whether a label names the new value of a change rather than the old one, and what else it says: `true` and "rate" for
/// "New rate". `None` if it names neither.
pub fn label_of_change(label: &str) -> Option<(bool, String)> {
    let lower = label.trim().to_lowercase();
    let rest = |words: &str| {
        words.split('|').find_map(|word| {
            let rest = lower.strip_prefix(word)?;
            // "Olderman" does not begin with "old", nor "新宿" with "新".
            let ends = rest.is_empty() || !word.contains(is_cjk) && rest.starts_with(' ') || rest.starts_with('の');
            ends.then(|| rest.trim_start_matches([' ', 'の']).to_owned())
        })
    };
    rest(OLD).map(|rest| (false, rest)).or_else(|| rest(NEW).map(|rest| (true, rest)))
}

/// Values behind two labels, in the cells of a row or in one line.
fn labelled(text: &str) -> Option<[&str; 2]> {
    let cells = text.split("; ").filter_map(|cell| cell.split_once([':', '：']));
    let cells: Vec<((bool, String), &str)> =
        cells.filter_map(|(name, value)| Some((label_of_change(name)?, value.trim()))).collect();
    let old = cells.iter().find(|((is_new, _), _)| !is_new)?;
    let new = cells.iter().find(|((is_new, rest), _)| *is_new && *rest == old.0.1)?;
    Some([old.1, new.1])
}

/// Values behind labels in brackets: `（現行）週3日 → （変更後）週2日`.
fn behind_labels(text: &str) -> Vec<[&str; 2]> {
    let labelled = |(at, open): (usize, &str)| {
        let (label, behind) = text[at + open.len()..].split_once([')', '）'])?;
        let (is_new, rest) = label_of_change(label)?;
        let value = behind.split(['(', '（', '→', '⇒', '。', '\n']).next()?;
        Some((is_new, rest, value.trim_matches([' ', '　', '、', ',', ';', ':', '：', '.'])))
    };
    let values: Vec<(bool, String, &str)> = text.match_indices(['(', '（']).filter_map(labelled).collect();
    let changes = values.windows(2).filter(|two| !two[0].0 && two[1].0 && two[0].1 == two[1].1);
    changes.map(|two| [two[0].2, two[1].2]).filter(|change| are_values(*change)).collect()
}

/// Values before and within brackets: "£12 (previously £10)".
fn in_brackets(text: &str) -> Vec<[&str; 2]> {
    let opens = text.match_indices(['(', '（']);
    let pair = |(at, open): (usize, &'_ str)| {
        let inner = text[at + open.len()..].split([')', '）']).next()?;
        let lower = inner.to_lowercase();
        let behind = |words: &str| {
            let word = words.split('|').filter(|word| lower.starts_with(word)).max_by_key(|word| word.len())?;
            let rest = inner.get(word.len()..)?;
            let ends = word.contains(is_cjk) || !rest.starts_with(char::is_alphabetic);
            let rest = rest.trim_start_matches(|c: char| " :：、は".contains(c));
            let is_whole = !word.contains(is_cjk) || wide_value_at_end(rest) == Some(rest);
            (ends && is_whole).then_some(rest)
        };
        let outer = |inner: &str| value_at_end(text[..at].trim_end(), inner);
        let change = match (behind(WAS), behind(IS)) {
            (Some(old), _) => [old, outer(old)?],
            (None, new) => [outer(new?)?, new?],
        };
        are_values(change).then_some(change)
    };
    opens.filter_map(pair).collect()
}

/// Returns the value that a text ends with: its last words, as many as `other` has, or more up to a figure.
fn value_at_end<'t>(text: &'t str, other: &str) -> Option<&'t str> {
    if other.contains(is_cjk) {
        return wide_value_at_end(text);
    }
    last_words_with_figure(text, other.split_whitespace().count().checked_sub(1)?)
}

/// Returns the last words of a text, more than `least`, as far back as a figure.
fn last_words_with_figure(text: &str, least: usize) -> Option<&str> {
    let starts = text.rmatch_indices(' ').map(|(at, _)| at + 1).chain([0]).take(WORDS);
    starts.skip(least).map(|start| &text[start..]).find(|words| words.contains(char::is_numeric))
}

/// Values between prepositions, in a sentence with a word for a change.
fn from_to(text: &str) -> Vec<[&str; 2]> {
    let lower = text.to_lowercase();
    let has = |words: &str| {
        let begins = |(at, _): (usize, &str)| !lower[..at].ends_with(char::is_alphanumeric);
        words.split('|').any(|word| lower.match_indices(word).any(begins))
    };
    let (of_days, of_amounts) = (amends(text) || has(OF_DAYS), has(OF_AMOUNTS));
    if !of_days && !of_amounts {
        return Vec::new();
    }
    let pair = |from: &str, to: &str, at: usize| {
        let (old, rest) = text[at + from.len()..].split_once(to)?;
        let words = old.split_whitespace().count();
        let clause = rest.split([';', '(', '\n']).next().and_then(|clause| clause.split(", ").next()).unwrap_or(rest);
        let mut end = clause.match_indices(' ').nth(words.checked_sub(1)?).map_or(clause.len(), |(at, _)| at);
        // The year may stand only behind the second day.
        let year = clause.get(end + 1..).map_or("", |rest| rest.split([' ', '.']).next().unwrap_or_default());
        if year.len() == 4 && year.chars().all(|c| c.is_ascii_digit()) {
            end += 1 + year.len();
        }
        let new = clause[..end].trim_end_matches(['.', ':', '!', '?']);
        (are_values([old, new]) && !old.contains(from) && (of_days || days(old).is_empty())).then_some([old, new])
    };
    let of_words = |[from, to]: [&'static str; 2]| text.match_indices(from).map(move |(at, _)| (from, to, at));
    FROM_TO.into_iter().flat_map(of_words).filter_map(|(from, to, at)| pair(from, to, at)).collect()
}

/// Values in Japanese: `AからBに変更する`, `AをBに改める`.
fn wide_from_to(text: &str) -> Vec<[&str; 2]> {
    let pair = |(at, mark): (usize, &str)| {
        let rest = &text[at + mark.len()..];
        let (between, behind) = rest.split_once(['に', 'へ'])?;
        let behind = behind.split('。').next().unwrap_or_default();
        let new = between.split(|c: char| is_hiragana(c) || "（(、。 　".contains(c)).next()?;
        let remark = &between[new.len()..];
        let is_whole = remark.is_empty() || remark.starts_with(['（', '(']) && remark.ends_with(['）', ')']);
        let old = wide_value_at_end(text[..at].trim_end_matches(['）', ')']))?;
        let says = |words: &str| words.split('|').any(|word| behind.contains(word));
        let changes = says(OF_WIDE_DAYS) || days(old).is_empty() && says(OF_WIDE_AMOUNTS);
        (is_whole && changes && are_values([old, new])).then_some([old, new])
    };
    let marks = text.match_indices("から").chain(text.match_indices('を'));
    marks.filter_map(pair).collect()
}

/// Values in Chinese: `由A改为B`, `从A延长至B`.
fn chinese_from_to(text: &str) -> Vec<[&str; 2]> {
    const VERBS: &str = "改为|调整为|变更为|修改为|提高到|提高至|降低到|降低至|降至|延长到|延长至|缩短到|缩短至|增加到|增加至|减少到|减少至|上调至|下调至";
    let pair = |(at, verb): (usize, &str)| {
        let before = &text[..at];
        let is_part = |c: char| c.is_numeric() || matches!(c, '.' | ',');
        let last = before.rfind(|c: char| c.is_numeric())?;
        let start = before[..last].rfind(|c: char| !is_part(c)).map_or(0, |at| before.ceil_char_boundary(at + 1));
        let new = text[at + verb.len()..].split(['，', '。', '；', '、', '（', '\n']).next()?.trim();
        let old = before[start..].trim();
        are_values([old, new]).then_some([old, new])
    };
    VERBS.split('|').flat_map(|verb| text.match_indices(verb)).filter_map(pair).collect()
}

/// Values in Korean: `A에서 B로 인상한다`.
fn korean_from_to(text: &str) -> Vec<[&str; 2]> {
    const VERBS: &str = "인상|인하|변경|줄|늘|단축|연장|조정|올리|올립|내리|내립|낮추|높이";
    let pair = |(at, from): (usize, &str)| {
        let rest = text[at + from.len()..].split(['.', '\n']).next()?;
        let (new, verb) = rest.split_once("으로 ").or_else(|| rest.split_once("로 "))?;
        let (old, new) = (last_words_with_figure(text[..at].trim_end(), 0)?, new.trim());
        (VERBS.split('|').any(|one| verb.contains(one)) && are_values([old, new])).then_some([old, new])
    };
    text.match_indices("에서").filter_map(pair).collect()
}

/// Returns the value that a Japanese text ends with: from the first figure of its last run without kana, blanks and
/// marks.
fn wide_value_at_end(text: &str) -> Option<&str> {
    let run = text.rfind(|c: char| is_hiragana(c) || "、。（(「：:・ 　".contains(c));
    let start = run.map_or(0, |at| at + text[at..].chars().next().map_or(1, char::len_utf8));
    let run = &text[start..];
    let is_figure = |c: char| c.is_numeric() || "¥￥$＄€第".contains(c);
    let era = ERAS.iter().filter_map(|(era, _)| run.find(era));
    Some(&run[era.chain(run.find(is_figure)).min()?..])
}

/// Whether both are values of one kind: days, or something else.
fn are_values([old, new]: [&str; 2]) -> bool {
    is_value(old) && is_value(new) && days(old).is_empty() == days(new).is_empty()
}

/// Whether some words are one value: a few, with a figure. A year alone names a time and not a value.
fn is_value(words: &str) -> bool {
    let is_year = || matches!(days(words).as_slice(), [day] if day.year.is_some() && day.month.is_none());
    let is_short = words.split_whitespace().count() <= WORDS && words.chars().count() <= WIDE.max(WORDS * 8);
    is_short
        && (words.contains(char::is_numeric) || !amounts(words).is_empty())
        && !words.contains(['。', '、', ';', '\n'])
        && !words.contains(". ")
        && !is_year()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_has_an_old_and_a_new_value() {
        let check = |text: &str, expected: &[[&str; 2]]| assert_eq!(stated_changes(text), expected, "{text}");
        check("The monthly fee was raised from £180 to £205 in May.", &[["£180", "£205"]]);
        check("The move is postponed from 18 August to 8 September 2025.", &[["18 August", "8 September 2025"]]);
        check("The notice in article 5 is reduced from twelve to nine months.", &[["twelve", "nine"]]);
        check("In clause 7, the notice is changed from 90 days to 180 days.", &[["90 days", "180 days"]]);
        check("Der Beitrag wird von 80 Euro auf 95 Euro erhöht.", &[["80 Euro", "95 Euro"]]);
        check("Membership rose from 5,000 to 8,000, more than ever.", &[["5,000", "8,000"]]);
        check("The limit is £15,000 (previously £12,000) a night.", &[["£12,000", "£15,000"]]);
        check("委託料の月額を、180万円から205万円（消費税別）に変更する。", &[["180万円", "205万円"]]);
        check("移転日を2025年8月18日から2025年9月8日に変更したい。", &[["2025年8月18日", "2025年9月8日"]]);
        check("東京都 1泊 15,000円（改定前12,000円）", &[["12,000円", "15,000円"]]);
        check("塗布量を1台あたり2.5gから4.0gに増やします。", &[["2.5g", "4.0g"]]);
        check("Fee; Old: 10 euros; New: 12 euros", &[["10 euros", "12 euros"]]);
        check("１．上限　　（現行）週３日　→　（変更後）週２日", &[["週３日", "週２日"]]);
        check("Fee: (old) £10 (new) £12 a month", &[["£10", "£12 a month"]]);
        check("De huurprijs gaat van € 3.400 naar € 3.650 per maand.", &[["€ 3.400", "€ 3.650"]]);
        check("O prazo é reduzido de 40 para 30 minutos.", &[["40", "30"]]);
        check("第二条中的付款期限由收到发票后30日改为45日。", &[["30日", "45日"]]);
        check("월 임대료를 150만 원에서 165만 원으로 인상한다.", &[["150만 원", "165만 원"]]);
        check("제5조의 해지 통보 기간을 3개월에서 2개월로 줄인다.", &[["3개월", "2개월"]]);
        check("第3条の「翌月払い」を「翌々月払い」に変更する。", &[["翌月払い", "翌々月払い"]]);
    }

    #[test]
    fn a_span_or_a_journey_is_no_change() {
        let check = |text: &str| assert_eq!(stated_changes(text), [[""; 2]; 0], "{text}");
        check("Rooms 3 (old) and 4 (new) are closed.");
        check("The office is open from 9 to 17.");
        check("The number of members fell from 1990 to 2000.");
        check("The number of members fell from 3 May to 8 June.");
        check("The firm moved from Leeds to York.");
        check("期間は令和7年5月1日から10月31日までとする。");
        check("8月18日から9月8日に開催する。");
        check("The bridge (was it ever built?) cost 5 million.");
        check("New York: 5; Old Town: 3");
    }

    #[test]
    fn labels_of_changes() {
        let check = |label: &str, expected: Option<(bool, &str)>| {
            assert_eq!(label_of_change(label), expected.map(|(is_new, rest)| (is_new, rest.to_owned())), "{label}");
        };
        check("変更前", Some((false, "")));
        check("New rate", Some((true, "rate")));
        check("新宿", None);
        check("Older members", None);
    }
}
