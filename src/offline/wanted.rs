//! What the wording of a question demands of an answer, whatever it is about: the things that it names by a number, the
//! property whose figure it asks for, the number of a version, and the role whose holder it asks for.

mod role;
mod times;
mod versions;

use std::collections::BTreeSet;

use super::entities::years;
use super::statements::Statement;
use super::terms::{content_set, is_function_word, words_of};
use crate::base::text::{Language, codes, contains_code, folded, is_cjk, is_hiragana, is_kana, place_of};
use crate::llm::purpose::EvidenceCard;
use crate::report::facts::{Day, days};

use role::{is_of_other, role};
pub(super) use times::AskedTime;
use versions::{asks_for_version, numbers_of_versions, version_in};

/// Nouns for the part of a document that the number in a heading counts, in the form in which [`counted`] has them.
const SECTIONS: [&str; 21] = [
    "section",
    "clause",
    "article",
    "chapter",
    "part",
    "paragraph",
    "item",
    "point",
    "step",
    "annex",
    "appendix",
    "rule",
    "abschnitt",
    "artikel",
    "kapitel",
    "ziffer",
    "absatz",
    "chapitre",
    "articolo",
    "artigo",
    "punto",
];

/// The first lines of a document among which the number of its version may stand.
const HEAD: usize = 8;

/// What a question demands.
pub(super) struct Demands {
    /// Words of the question with a digit, as `12月`, `MX-25` and `2019`, folded.
    named: Vec<String>,
    /// The days that it names.
    days: Vec<Day>,
    /// Nouns followed by a number, as in "room 4".
    counted: Vec<(String, String)>,
    /// The terms of the property whose figure it asks for.
    pub property: BTreeSet<String>,
    /// Whether it asks for the number of a version.
    version: bool,
    /// Whether it asks for a percentage.
    percentage: bool,
    /// The role whose holder it asks for.
    role: Option<String>,
}

impl Demands {
    pub(super) fn of(question: &str, language: Language) -> Self {
        let folded = folded(question);
        Demands {
            days: days(question).into_iter().filter(|day| day.day.is_some()).collect(),
            named: named(&folded),
            property: property(question, language),
            counted: counted(question),
            version: asks_for_version(&folded),
            percentage: asks_for_percentage(&folded),
            role: role(question),
        }
    }

    /// Whether the question asks who has a role and a statement names it as that of somebody else than `name`.
    pub(super) fn is_of_other(&self, statement: &Statement, name: &str) -> bool {
        self.role.as_ref().is_some_and(|role| is_of_other(&statement.shown(), name, role))
    }

    /// Whether the question asks for the number of a version and a statement has none except those of the question.
    pub(super) fn lacks_version(&self, statement: &Statement) -> bool {
        let told = || self.named.iter().fold(statement.shown(), |told, name| told.replace(name.as_str(), " "));
        self.version && version_in(&told()).is_none()
    }

    /// Whether the question asks for a percentage and a statement has none.
    pub(super) fn lacks_percentage(&self, statement: &Statement) -> bool {
        self.percentage && !has_percentage(&folded(&statement.shown()))
    }

    /// Whether a title or a heading has the days that the question names or, if it names no day, all its numbers that
    /// are not years, months or days. False if the question names neither.
    pub(super) fn is_numbered_in(&self, heading: &str) -> bool {
        if !self.days.is_empty() {
            let told = days(heading);
            return self.days.iter().all(|day| told.iter().any(|other| other.is_within(day)));
        }
        let is_date = |name: &str| !years(name).is_empty() || name.ends_with(['月', '日']);
        let numbers: Vec<&String> = self.named.iter().filter(|name| !is_date(name)).collect();
        !numbers.is_empty() && {
            let heading = folded(heading);
            // "Room 4" is not the fourth section.
            let is_other = |(noun, of): &(String, String)| {
                numbers.contains(&of) && !SECTIONS.contains(&noun.as_str()) && !heading.contains(noun.as_str())
            };
            numbers.iter().all(|number| holds(&heading, number)) && !self.counted.iter().any(is_other)
        }
    }
}

/// Words for parts of a hundred, folded.
const PERCENT: [&str; 9] =
    ["%", "percent", "per cent", "prozent", "pour cent", "por cien", "procent", "процент", "パーセント"];

/// Whether a question, folded, asks for a percentage.
fn asks_for_percentage(question: &str) -> bool {
    const ASKING: [&str; 12] = [
        "what ",
        "which ",
        "how many ",
        "how much ",
        "wie viel",
        "welche",
        "quel ",
        "combien ",
        "qué ",
        "cuánt",
        "hoeveel ",
        "сколько ",
    ];
    const WHOLE: [&str; 10] = [
        "何%",
        "何パーセント",
        "何割",
        "percentage",
        "prozentsatz",
        "pourcentage",
        "porcentaje",
        "percentuale",
        "percentagem",
        "porcentagem",
    ];
    let is_asked = |asking: &str| {
        question.split(asking).skip(1).any(|rest| PERCENT.iter().any(|percent| rest.trim_start().starts_with(percent)))
    };
    WHOLE.iter().any(|asking| question.contains(asking)) || ASKING.iter().any(|asking| is_asked(asking))
}

/// Whether a text, folded, has a percentage, or tenths in Japanese.
fn has_percentage(text: &str) -> bool {
    let is_tenths =
        |(at, _): (usize, &str)| text[..at].ends_with(|c: char| c.is_numeric() || "一二三四五六七八九".contains(c));
    PERCENT.iter().any(|percent| text.contains(percent)) || text.match_indices('割').any(is_tenths)
}

/// Whether a text with a figure names another thing of the kind that a question in a script without spaces asks for: a
/// compound with the same last word, 在宅勤務手当 for 住宅手当, and nowhere the first word of the one asked for.
pub(super) fn names_other(question: &str, text: &str, answer: &str) -> bool {
    const WORD: usize = 2;
    // One property of a thing may go by several names: 営業時間 and 受付時間.
    const PROPERTIES: [&str; 14] = [
        "時間", "期間", "期限", "期日", "日数", "金額", "料金", "費用", "価格", "場所", "方法", "人数", "回数", "番号",
    ];
    let is_ideograph = |c: char| is_cjk(c) && !is_kana(c) && !is_hiragana(c) && c.is_alphabetic();
    let compounds = |text: &str| -> Vec<Vec<char>> {
        let runs = text.split(|c| !is_ideograph(c)).map(|run| run.chars().collect::<Vec<_>>());
        runs.filter(|run| run.len() >= 2 * WORD).collect()
    };
    // 何日以内 names nothing.
    let is_name = |one: &Vec<char>| one.len() == 2 * WORD && !one.contains(&'何');
    let asked: Vec<Vec<char>> = compounds(question).into_iter().filter(is_name).collect();
    answer.contains(char::is_numeric)
        && asked.iter().any(|asked| {
            let first: String = asked[..WORD].iter().collect();
            let last: String = asked[WORD..].iter().collect();
            !PROPERTIES.contains(&last.as_str())
                && !text.contains(&first)
                && compounds(text).iter().any(|other| other.ends_with(&asked[WORD..]))
        })
}

/// Whether a text has `name` as a number of its own: 2007 does not hold 20.
fn holds(text: &str, name: &str) -> bool {
    place_of(text, name, |c| c.is_ascii_digit()).is_some()
}

/// Words that may answer, and their passage.
#[derive(Clone, Copy)]
pub(super) struct Offered<'a> {
    pub card: &'a EvidenceCard,
    /// The statement with its headings; empty if it is not chosen yet.
    pub words: &'a str,
}

/// Whether a question asks for the older of two versions: it names that one by something that the newer one's title,
/// file name, date and words lack, as "the rules of 2022"; or by the number that it gives itself, as "version 1"; or the
/// newer one came after the time that the question asks for.
pub(super) fn asks_for_older(question: &str, older: Offered<'_>, newer: Offered<'_>, cards: &[EvidenceCard]) -> bool {
    let names = |card: &EvidenceCard| folded(&format!("{} {} {}", card.title, card.file_name(), card.date));
    let (old, new) = (names(older.card), format!("{} {}", names(newer.card), folded(newer.words)));
    // "Clause 1" is not version 1.
    let counted = counted(question);
    let is_part = |name: &String| counted.iter().any(|(noun, of)| of == name && SECTIONS.contains(&noun.as_str()));
    let named = named(&folded(question));
    let is_of_older = |name: &String| holds(&old, name) && !holds(&new, name) && !is_part(name);
    let versions = numbers_of_versions(&folded(question));
    let is_asked = |one: Offered<'_>| own_version(one.card, cards).is_some_and(|own| versions.contains(&own));
    named.iter().any(is_of_older) || is_asked(older) && !is_asked(newer) || came_later(question, older, newer)
}

/// Whether of two documents only the first was there at the time that a question asks for. One whose words name that
/// time speaks of it.
pub(super) fn came_later(question: &str, older: Offered<'_>, newer: Offered<'_>) -> bool {
    let Some(time) = AskedTime::of(question) else { return false };
    let is_later = |one: Offered<'_>| time.is_over_on(&one.card.date) && !time.is_named_in(one.words);
    is_later(newer) && !is_later(older)
}

/// The number of the version that a document gives itself: in its title, its file's name or its first lines.
fn own_version(card: &EvidenceCard, cards: &[EvidenceCard]) -> Option<String> {
    let first = cards.iter().find(|other| other.path == card.path && other.at == 0);
    let lines = first.into_iter().flat_map(|first| first.text.lines().take(HEAD));
    let texts = [card.title.as_str(), card.file_name()].into_iter().chain(lines);
    texts.filter_map(|text| numbers_of_versions(&folded(text)).into_iter().next()).next()
}

/// Whether each code in a question occurs in some passage. The search finds every passage with a rare word.
pub(super) fn knows_codes(question: &str, cards: &[EvidenceCard]) -> bool {
    let texts: Vec<String> =
        cards.iter().map(|card| folded(&format!("{} {} {}", card.title, card.place, card.text))).collect();
    codes(question).all(|code| texts.iter().any(|text| contains_code(text, &code)))
}

/// Characters that count the thing whose number stands before them.
const UNITS: &str = "年月日時回期条号階";

/// Nouns followed by a number of fewer than four digits.
fn counted(question: &str) -> Vec<(String, String)> {
    let words: Vec<&str> = words_of(question).collect();
    let is_noun = |word: &str| {
        word.chars().nth(2).is_some() && word.chars().all(|c| c.is_ascii_lowercase()) && !is_function_word(word)
    };
    let is_number = |word: &str| word.len() < 4 && word.chars().all(|c| c.is_ascii_digit());
    let pairs = words.windows(2).filter(|pair| is_noun(pair[0]) && is_number(pair[1]));
    pairs.map(|pair| (pair[0].trim_end_matches('s').to_owned(), pair[1].to_owned())).collect()
}

/// The words with a digit. In a run of ideographs only the unit behind the number belongs to the word.
fn named(question: &str) -> Vec<String> {
    let mut found = Vec::new();
    for word in question.split(|c: char| !(c.is_ascii_alphanumeric() || c == '-' || c == '.' || is_cjk(c))) {
        let mut rest = word;
        while let Some(digit) = rest.find(|c: char| c.is_ascii_digit()) {
            let is_latin = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '.';
            let start = rest[..digit]
                .rfind(|c| !is_latin(c))
                .map_or(0, |at| at + rest[at..].chars().next().map_or(1, char::len_utf8));
            let end = digit + rest[digit..].find(|c| !is_latin(c)).unwrap_or(rest.len() - digit);
            let unit = rest[end..].chars().next().filter(|c| UNITS.contains(*c));
            let end = end + unit.map_or(0, char::len_utf8);
            found.push(rest[start..end].trim_matches(['-', '.']).to_owned());
            rest = &rest[end..];
        }
    }
    found
}

/// The terms of the property whose figure a question in English asks for, as `hardness` in "What is the hardness of
/// LZ-26?"; empty if it asks otherwise.
fn property(question: &str, language: Language) -> BTreeSet<String> {
    const ASKING: [&str; 2] = ["what is the ", "what was the "];
    // These are properties that documents word in many ways.
    const GENERAL: &str = "number amount date year time day total value figure limit maximum minimum cap cost price fee \
        charge rate rent salary pay budget term period length duration deadline size share percentage";
    let lower = question.trim().to_lowercase();
    let asked = ASKING.iter().find_map(|asking| lower.strip_prefix(asking)).unwrap_or_default();
    let noun = [" of ", " for "].iter().filter_map(|of| Some(&asked[..asked.find(of)?])).min_by_key(|noun| noun.len());
    let noun = noun.filter(|noun| noun.split(' ').count() <= 3).unwrap_or_default();
    let terms = content_set(noun, language);
    if terms.is_disjoint(&content_set(GENERAL, language)) { terms } else { BTreeSet::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_compound_that_shares_only_its_last_word_is_another_thing() {
        let check = |question: &str, text: &str, expected: bool| {
            assert_eq!(names_other(question, text, "3,000円"), expected, "{question}");
        };
        check("住宅手当は月額いくらですか。", "在宅勤務手当は月額3,000円とする。", true);
        check("住宅手当は月額いくらですか。", "手当は月額3,000円とする。", false);
        check("住宅手当は月額いくらですか。", "第5条（住宅手当） 手当は月額3,000円とする。", false);
        check("在宅勤務手当は月額いくらですか。", "在宅勤務手当は月額3,000円とする。", false);
        check("営業時間は何時からですか。", "受付時間は9時から17時まで", false);
        check("精算は何日以内に行いますか。", "帰着後５営業日以内に精算書を提出する。", false);
        check("手当は月額いくらですか。", "在宅勤務手当は月額3,000円とする。", false);
    }
    use crate::offline::testing::card;

    #[test]
    fn the_property_whose_figure_is_asked_for() {
        let check = |question: &str, expected: &str| {
            let expected = content_set(expected, Language::ENGLISH);
            assert_eq!(property(question, Language::ENGLISH), expected, "{question}");
        };
        check("What is the Vickers hardness of LZ-26?", "Vickers hardness");
        check("What was the number of visitors of the fair?", "");
        check("What is the limit for a hotel night in London?", "");
        check("Who wrote the history of LZ-26?", "");
    }

    #[test]
    fn what_a_question_names_by_number() {
        let check = |question: &str, expected: &[&str]| assert_eq!(named(&folded(question)), expected, "{question}");
        check("12月の売上はいくらですか。", &["12月"]);
        check("What does the MX-25 cost in 2026?", &["mx-25", "2026"]);
        check("ＢＸ-200の返品は何台でしたか", &["bx-200"]);
        check("2025年度の第3条", &["2025年", "3条"]);
        check("Who runs it?", &[]);
    }

    #[test]
    fn the_number_of_a_section_is_none_of_a_room() {
        let check = |language: &str, question: &str, heading: &str, expected: bool| {
            let wanted = Demands::of(question, Language::from_code(language));
            assert_eq!(wanted.is_numbered_in(heading), expected, "{question} {heading}");
        };
        check("spa", "¿Qué ha pasado con la humedad de la sala 4?", "Préstamos › 4. Conservación", false);
        check("spa", "¿Qué ha pasado con la humedad de la sala 4?", "Humedad en la sala 4", true);
        check("eng", "What does clause 5 say?", "5. Liability", true);
        check("jpn", "第3条には何と書いてありますか", "第3条（保証）", true);
        check("jpn", "2024年10月の障害はなぜ起きましたか", "保守契約書（2024年10月版）", false);
        check("jpn", "6月18日の障害の再発防止策", "6月18日 生産管理システムの停止 › 対策", true);
        check("jpn", "6月18日の障害の再発防止策", "4月18日 生産管理システムの停止 › 対策", false);
    }

    #[test]
    fn the_older_version_is_asked_for_by_what_it_is_called() {
        let version = |title: &str, date: &str, text: &str| EvidenceCard {
            date: date.to_owned(),
            path: format!("{date}.md"),
            ..card(1, title, "", text)
        };
        let told = |question: &str, cards: [EvidenceCard; 2], words: [&str; 2]| {
            let [old, new] = [0, 1].map(|at| Offered { card: &cards[at], words: words[at] });
            asks_for_older(question, old, new, &cards)
        };
        let check = |question: &str, expected: bool| {
            let cards =
                [version("面会規程 令和5年", "2023-10-01", "x"), version("面会規程 令和7年", "2025-06-01", "x")];
            assert_eq!(told(question, cards, ["", ""]), expected, "{question}");
        };
        check("令和5年の面会規程では何人まででしたか", true);
        check("What did the rules of 2023 say?", true);
        check("令和7年の面会規程では何人までですか", false);
        check("How many may come in 2026?", false);
        check("How many may come?", false);
        let check = |question: &str, newer: &str, expected: bool| {
            let old = version("Records policy", "2021-01-10", "Version 1, adopted 10 January 2021.");
            let new = version("Records policy", "2024-11-04", "Version 2, 4 November 2024, supersedes version 1.");
            assert_eq!(told(question, [old, new], ["", newer]), expected, "{question}");
        };
        check("How long are they kept under version 1?", "", true);
        check("How long are they kept under version 2?", "", false);
        check("How long are they kept under clause 1?", "", false);
        check("How long were they kept before November 2024?", "", true);
        check("Who was the officer in 2022?", "", true);
        check("How many were kept in 2022?", "In 2022, 14 boxes were kept.", false);
        check("Who was the officer in 2025?", "", false);
    }

    #[test]
    fn a_percentage_is_asked_for_and_lacking() {
        let check = |question: &str, text: &str, expected: bool| {
            let statement = Statement { text: text.to_owned(), ..Statement::default() };
            assert_eq!(Demands::of(question, Language::ENGLISH).lacks_percentage(&statement), expected, "{question}");
        };
        check("価格は何％上がりますか", "標準価格（円）: 24500", true);
        check("価格は何%上がりますか", "8%引き上げる。", false);
        check("何割引ですか", "2割引とする。", false);
        check("何割引ですか", "割引は500円とする。", true);
        check("By what percentage do prices rise?", "The price is £24.", true);
        check("How many per cent of it is sold?", "Sold: 8 per cent", false);
        check("Wie viel Prozent Rabatt gibt es?", "Der Preis ist 24 Euro.", true);
        check("What does the 8 % levy cost?", "The levy costs £24.", false);
    }

    #[test]
    fn a_number_is_no_part_of_another() {
        let check = |text: &str, name: &str, expected: bool| assert_eq!(holds(text, name), expected, "{text} {name}");
        check("season 20; viewers: 7 million", "20", true);
        check("period: 2007", "20", false);
        check("1120", "20", false);
        check("12月の売上", "2月", false);
        check("2月の売上", "2月", true);
    }
}
