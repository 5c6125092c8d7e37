//! Finds the words of a sentence that name somebody or something.

use std::ops::Range;

use unicode_segmentation::UnicodeSegmentation;

use super::source::Read;
use crate::base::text::{Language, is_cjk, is_kana, month_number};

/// Endings by which a name and its form in another place may differ.
const ENDINGS: &[&str] = &[
    "s", "es", "'s", "’s", "n", "en", "er", "e", "ns", "in", "an", "ian", "ese", "ish", "i", "ic", "er's", "ens", "ern",
];

/// Words behind the name of a firm.
const FIRMS: &[&str] = &["GmbH", "AG", "KG", "SE", "OHG", "eG"];

/// A Japanese word followed by one of these names a person.
const WIDE_ENDINGS: [&str; 11] = ["さん", "氏", "様", "社長", "会長", "部長", "課長", "教授", "先生", "監督", "知事"];

/// The commonest Japanese family names, the prefectures and large cities.
const WIDE_NAMES: &[&str] = &[
    "佐藤",
    "鈴木",
    "高橋",
    "田中",
    "伊藤",
    "渡辺",
    "渡邊",
    "山本",
    "中村",
    "小林",
    "加藤",
    "吉田",
    "山田",
    "佐々木",
    "山口",
    "松本",
    "井上",
    "木村",
    "林",
    "斎藤",
    "斉藤",
    "清水",
    "山崎",
    "森",
    "池田",
    "橋本",
    "阿部",
    "石川",
    "山下",
    "中島",
    "石井",
    "小川",
    "前田",
    "岡田",
    "長谷川",
    "藤田",
    "後藤",
    "近藤",
    "村上",
    "遠藤",
    "青木",
    "坂本",
    "福田",
    "太田",
    "西村",
    "藤井",
    "金子",
    "岡本",
    "藤原",
    "三浦",
    "中野",
    "原田",
    "中川",
    "松田",
    "竹内",
    "小野",
    "田村",
    "中山",
    "和田",
    "石田",
    "上田",
    "森田",
    "柴田",
    "酒井",
    "工藤",
    "横山",
    "宮崎",
    "宮本",
    "内田",
    "高木",
    "安藤",
    "谷口",
    "大野",
    "丸山",
    "今井",
    "武田",
    "西田",
    "平野",
    "村田",
    "矢野",
    "杉山",
    "増田",
    "小島",
    "桜井",
    "大塚",
    "千葉",
    "菅原",
    "野口",
    "松井",
    "野村",
    "渡部",
    "河野",
    "木下",
    "北海道",
    "青森",
    "岩手",
    "宮城",
    "秋田",
    "山形",
    "福島",
    "茨城",
    "栃木",
    "群馬",
    "埼玉",
    "東京",
    "神奈川",
    "新潟",
    "富山",
    "福井",
    "山梨",
    "長野",
    "岐阜",
    "静岡",
    "愛知",
    "三重",
    "滋賀",
    "京都",
    "大阪",
    "兵庫",
    "奈良",
    "和歌山",
    "鳥取",
    "島根",
    "岡山",
    "広島",
    "徳島",
    "香川",
    "愛媛",
    "高知",
    "福岡",
    "佐賀",
    "長崎",
    "熊本",
    "大分",
    "鹿児島",
    "沖縄",
    "横浜",
    "名古屋",
    "神戸",
    "札幌",
    "仙台",
    "川崎",
    "北九州",
    "函館",
    "小樽",
    "旭川",
    "釧路",
    "帯広",
    "八戸",
    "弘前",
    "盛岡",
    "郡山",
    "水戸",
    "宇都宮",
    "高崎",
    "前橋",
    "川越",
    "所沢",
    "船橋",
    "八王子",
    "町田",
    "横須賀",
    "相模原",
    "鎌倉",
    "小田原",
    "長岡",
    "金沢",
    "甲府",
    "豊橋",
    "豊田",
    "岡崎",
    "四日市",
    "大津",
    "東大阪",
    "豊中",
    "尼崎",
    "姫路",
    "西宮",
    "倉敷",
    "福山",
    "下関",
    "松山",
    "高松",
    "久留米",
    "佐世保",
    "別府",
    "那覇",
    "さいたま",
    "堺",
    "浜松",
    "日本",
    "米国",
    "英国",
    "中国",
    "韓国",
    "ドイツ",
    "フランス",
    "アメリカ",
    "イギリス",
    "イタリア",
    "スペイン",
];

/// Whether a word of a Japanese sentence is known to be a name.
pub(super) fn is_known_wide(word: &str) -> bool {
    WIDE_NAMES.contains(&word)
}

/// The names in a sentence that none of the `sources` has.
pub(super) fn missing(sentence: &str, sources: &[&Read], language: Language) -> Vec<Range<usize>> {
    let mut found = if language.code() == "jpn" || sentence.chars().any(is_kana) {
        wide_names(sentence)
    } else {
        latin_names(sentence, language)
    };
    found.retain(|range| {
        let name = &sentence[range.clone()];
        is_in_script_of(name, sources) && !stands(name, sources)
    });
    if language.code() == "deu" {
        found.extend(near_misses(sentence, sources));
        found.sort_by_key(|range| range.start);
        found.dedup();
    }
    found
}

/// Whether a passage has letters of the script of a name. How the name is written in another script cannot be told.
fn is_in_script_of(name: &str, sources: &[&Read]) -> bool {
    // Latin letters, and blocks of Unicode for the other scripts.
    let script = |c: char| match u32::from(c) {
        _ if is_cjk(c) => u32::MAX,
        latin @ ..0x250 => latin >> 16,
        other => other >> 8,
    };
    let own = name.chars().find(|c| c.is_alphabetic()).map(script);
    own.is_none_or(|own| {
        sources.is_empty()
            || sources.iter().any(|source| source.whole().chars().any(|c| c.is_alphabetic() && script(c) == own))
    })
}

/// German nouns that no source has, while one has a noun that differs only in its first letter, as `Marnsee` and
/// `Varnsee`: misspelled names. No other form of a word changes its first letter.
fn near_misses(sentence: &str, sources: &[&Read]) -> Vec<Range<usize>> {
    let tail = |word: &str| {
        let mut letters = word.chars();
        letters.next();
        letters.as_str().to_owned()
    };
    let words = sentence.unicode_word_indices().skip(1).filter(|(_, word)| is_capitalized(word) && word.len() > 5);
    words
        .filter(|(_, word)| !stands(word, sources))
        .filter(|(_, word)| {
            let (own, length) = (tail(&word.to_lowercase()), word.chars().count());
            let like = |other: &String| other.chars().count() == length && tail(other) == own;
            sources.iter().any(|source| source.words.iter().any(like))
        })
        .map(|(at, word)| at..at + word.len())
        .collect()
}

/// Whether a name, in one of its forms, stands in one of the passages.
pub(super) fn stands(name: &str, sources: &[&Read]) -> bool {
    let lower = name.to_lowercase();
    if lower.chars().any(is_cjk) {
        let bare = lower.trim_end_matches('ー');
        return sources.iter().any(|source| source.lower.contains(bare));
    }
    sources.iter().any(|source| source.words.contains(&lower) || is_form(&lower, source) || is_short(name, source))
}

fn is_form(lower: &str, source: &Read) -> bool {
    let stem = lower.trim_end_matches("'s").trim_end_matches("’s");
    if stem.chars().count() < 3 {
        return source.words.contains(stem);
    }
    let shorter = ENDINGS.iter().any(|ending| {
        stem.strip_suffix(ending).is_some_and(|stem| stem.chars().count() >= 3 && source.words.contains(stem))
    });
    shorter
        || ENDINGS.iter().any(|ending| source.words.contains(&format!("{stem}{ending}")))
        || source.words.contains(stem)
}

/// Whether a name abbreviates words of the source, as `UK` does `United Kingdom`.
fn is_short(name: &str, source: &Read) -> bool {
    let letters: Vec<char> = name.chars().filter(|c| c.is_alphabetic()).flat_map(char::to_lowercase).collect();
    if letters.len() < 2 || name.chars().any(char::is_lowercase) {
        return false;
    }
    let words: Vec<&str> = source.lower.unicode_words().collect();
    words.windows(letters.len()).any(|run| run.iter().zip(&letters).all(|(word, letter)| word.starts_with(*letter)))
}

fn is_capitalized(word: &str) -> bool {
    let mut letters = word.chars();
    letters.next().is_some_and(char::is_uppercase) && letters.next().is_some_and(char::is_alphabetic)
}

fn latin_names(sentence: &str, language: Language) -> Vec<Range<usize>> {
    let german = language.code() == "deu";
    let words: Vec<(usize, &str)> = sentence.unicode_word_indices().collect();
    let mut found = Vec::new();
    for (index, &(at, word)) in words.iter().enumerate() {
        if !is_capitalized(word) || word.contains(is_cjk) || month_number(word).is_some() {
            continue;
        }
        let before = sentence[..at].trim_end();
        let opens = index == 0 || before.ends_with([':', '“', '"', '«', '„', '.', '!', '?', '(', '*', '|', ';', '「']);
        let touches = |other: Option<&(usize, &str)>, gap_from: usize| {
            other.is_some_and(|&(next, word)| {
                is_capitalized(word) && sentence.get(gap_from..next).is_some_and(|gap| gap == " " || gap == "-")
            })
        };
        let next_is_name = touches(words.get(index + 1), at + word.len());
        let previous = index.checked_sub(1).map(|index| words[index]);
        let after_name = previous.is_some_and(|(start, other)| {
            is_capitalized(other) && sentence.get(start + other.len()..at) == Some(" ") && month_number(other).is_none()
        });
        let is_name = if german {
            let firm = words.get(index + 1).is_some_and(|(_, next)| FIRMS.contains(next));
            firm || is_german_name(word, previous.map(|(_, word)| word), opens, next_is_name || after_name)
        } else if opens {
            next_is_name && !is_opener(word)
        } else {
            true
        };
        if is_name {
            found.push(at..at + word.len());
        }
    }
    found
}

/// Whether a word begins sentences without being a name.
fn is_opener(word: &str) -> bool {
    matches!(
        word.to_lowercase().as_str(),
        "the"
            | "a"
            | "an"
            | "in"
            | "on"
            | "at"
            | "by"
            | "for"
            | "from"
            | "of"
            | "to"
            | "and"
            | "but"
            | "or"
            | "as"
            | "with"
            | "when"
            | "while"
            | "after"
            | "before"
            | "since"
            | "both"
            | "its"
            | "his"
            | "her"
            | "their"
            | "our"
            | "this"
            | "that"
            | "these"
            | "those"
            | "under"
            | "president"
            | "according"
            | "where"
            | "why"
            | "how"
            | "what"
            | "who"
            | "le"
            | "la"
            | "les"
            | "el"
            | "los"
            | "las"
            | "il"
            | "un"
            | "une"
            | "una"
            | "en"
            | "dans"
            | "de"
            | "del"
    )
}

/// Whether a German word is a name. All German nouns have a capital, so a name is a noun in the place of one: after a
/// title, in a pair without an article, or after a preposition of place without an article.
fn is_german_name(word: &str, previous: Option<&str>, opens: bool, paired: bool) -> bool {
    const COMMON: [&str; 16] = [
        "ung", "heit", "keit", "schaft", "tion", "tät", "nis", "ment", "ungen", "tionen", "jahr", "jahre", "ende",
        "anfang", "prozent", "euro",
    ];
    let lower = word.to_lowercase();
    let common = COMMON.iter().any(|ending| lower.ends_with(ending)) || lower.chars().count() < 3;
    let previous = previous.unwrap_or_default().to_lowercase();
    let titled = ["herr", "herrn", "frau", "dr", "prof", "professor", "direktor", "direktorin", "minister"];
    if titled.contains(&previous.as_str()) {
        return true;
    }
    let places = ["in", "aus", "nach", "bei", "von", "durch", "für", "mit", "gegen"];
    // An adjective before its noun, even one that opens the sentence with a capital.
    let article = ["e", "er", "en", "em", "es"].iter().any(|ending| previous.ends_with(ending));
    let held = ["der", "die", "das", "dem", "den", "des", "ein", "eine", "einer", "einem", "einen", "kein", "keine"];
    if common || held.contains(&previous.as_str()) {
        return false;
    }
    paired && !opens && !article || places.contains(&previous.as_str()) && looks_like_a_name(&lower)
}

/// Whether a noun after a preposition may be a name. Many stand there without an article (`von Anfang`, `in Betrieb`);
/// the list has the common ones.
fn looks_like_a_name(lower: &str) -> bool {
    const NOUNS: [&str; 48] = [
        "betrieb",
        "anfang",
        "zukunft",
        "kraft",
        "zeiten",
        "zeit",
        "form",
        "folge",
        "person",
        "personen",
        "menschen",
        "kunden",
        "kundinnen",
        "mitarbeitern",
        "mitarbeiter",
        "geld",
        "holz",
        "stahl",
        "beton",
        "glas",
        "wasser",
        "strom",
        "gas",
        "öl",
        "papier",
        "kindern",
        "kinder",
        "eltern",
        "frauen",
        "männern",
        "hause",
        "haus",
        "gästen",
        "besuchern",
        "tieren",
        "pflanzen",
        "bäumen",
        "autos",
        "bussen",
        "zügen",
        "raten",
        "höhe",
        "bezug",
        "verbindung",
        "vertrag",
        "verlust",
        "gewinn",
        "teilen",
    ];
    !NOUNS.contains(&lower)
}

/// The words before or behind `株式会社`, and names in katakana before a word for an institution.
fn wide_firms(sentence: &str) -> Vec<Range<usize>> {
    const FIRM: &str = "株式会社";
    const INSTITUTIONS: [&str; 8] = ["研究所", "大学", "銀行", "製作所", "病院", "財団", "新聞", "社"];
    let is_part = |c: char| is_cjk(c) && !matches!(u32::from(c), 0x3041..=0x309f) || c == 'ー';
    let is_katakana = |c: char| matches!(u32::from(c), 0x30a1..=0x30fc);
    let before = |at: usize, part: &dyn Fn(char) -> bool| {
        let length: usize = sentence[..at].chars().rev().take_while(|c| part(*c)).map(char::len_utf8).sum();
        at - length..at
    };
    let mut found = Vec::new();
    for (at, _) in sentence.match_indices(FIRM) {
        let after = at + FIRM.len();
        let length: usize = sentence[after..].chars().take_while(|c| is_part(*c)).map(char::len_utf8).sum();
        found.extend([before(at, &is_part), after..after + length]);
    }
    for institution in INSTITUTIONS {
        found.extend(sentence.match_indices(institution).map(|(at, _)| before(at, &is_katakana)));
    }
    found.retain(|range| (2..=12).contains(&sentence[range.clone()].chars().count()));
    found
}

fn wide_names(sentence: &str) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    for name in WIDE_NAMES.iter().filter(|name| name.chars().count() > 1) {
        found.extend(sentence.match_indices(name).map(|(at, name)| at..at + name.len()));
    }
    for ending in WIDE_ENDINGS {
        for (at, _) in sentence.match_indices(ending) {
            let is_name = |c: &char| is_cjk(*c) && !matches!(u32::from(*c), 0x3041..=0x309f) && !ending.contains(*c);
            let before: String = sentence[..at].chars().rev().take_while(is_name).take(6).collect();
            let count = before.chars().count();
            // `会長室` holds such an ending within a word.
            let follows = sentence[at + ending.len()..].chars().next();
            let ends = follows.is_none_or(|c| !is_cjk(c) || matches!(u32::from(c), 0x3041..=0x309f));
            if ends && (2..=4).contains(&count) {
                found.push(at - before.len()..at);
            }
        }
    }
    found.extend(wide_firms(sentence));
    let mut latin = 0;
    for (at, word) in sentence.unicode_word_indices().filter(|(_, word)| word.is_ascii() && is_capitalized(word)) {
        if at >= latin && month_number(word).is_none() {
            latin = at + word.len();
            found.push(at..latin);
        }
    }
    found.sort_by_key(|range| (range.start, range.end));
    found.dedup();
    found
}
