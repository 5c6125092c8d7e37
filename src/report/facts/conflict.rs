//! Whether two statements contradict each other: they have the same subject and property, period, unit and basis, but
//! another figure, day, name or state. If their scopes differ, both may be right.

use std::collections::BTreeSet;
use std::ops::Range;

use super::names;
use super::scan::{Date, Day, Facts, Number, close};
use super::units::{UnitKind, taxes};
use crate::base::text::analysis::{Term, terms};
use crate::base::text::{Language, is_cjk, is_hiragana, is_kana, place_of};

/// The least share of the shorter statement's words, facts aside, that two statements about one thing have in common if
/// their figures count the same.
const SAME_AMOUNT: f64 = 0.5;
/// The same share for days, names and states, which many things have.
const SAME_THING: f64 = 0.6;
/// From this share on, words that only one of the statements has do not count.
const NEARLY_ALL: f64 = 0.8;
/// Figures that differ by this factor or more count different things.
const UNRELATED_FACTOR: f64 = 10.0;

/// Whether one of two statements has all words of the other; `終わる` counts as `終了`.
fn is_either_subset(one: &BTreeSet<String>, other: &BTreeSet<String>) -> bool {
    let says = |all: &BTreeSet<String>, word: &String| {
        let stem = word.chars().next().filter(|c| is_cjk(*c) && word.chars().count() == 1);
        all.contains(word) || stem.is_some_and(|stem| all.iter().any(|longer| longer.contains(stem)))
    };
    one.iter().all(|word| says(other, word)) || other.iter().all(|word| says(one, word))
}

/// A statement, read once for all comparisons.
#[derive(Debug)]
pub struct ParsedStatement<'t> {
    text: &'t str,
    lower: String,
    facts: Facts,
    names: Vec<Range<usize>>,
    /// Its words, without facts, names and words of state.
    words: BTreeSet<String>,
    /// Like `words`, with those of state.
    said: BTreeSet<String>,
    all: Vec<Term>,
    language: Language,
}

/// What a figure counts: by its unit, or by the word behind it.
#[derive(Clone, Copy, PartialEq)]
enum Counted<'a> {
    Unit(UnitKind),
    Word(&'a str),
}

/// Extends a Japanese family name by the given name behind it, if a title follows.
fn with_given_name(text: &str, name: Range<usize>) -> Range<usize> {
    let is_part = |c: &char| is_cjk(*c) && !is_kana(*c) && !"氏様".contains(*c);
    let given: usize = text[name.end..].chars().take_while(is_part).take(3).map(char::len_utf8).sum();
    let titled = ["氏", "さん", "様"].iter().any(|title| text[name.end + given..].starts_with(title));
    if titled { name.start..name.end + given } else { name }
}

/// The parts of two statements of different documents, as written, that cannot both be right.
pub fn compare(a: &ParsedStatement<'_>, b: &ParsedStatement<'_>) -> Option<(String, String)> {
    let shared = a.words.intersection(&b.words).count();
    let shorter = a.words.len().min(b.words.len()).max(1);
    let share = shared as f64 / shorter as f64;
    // Each says something that the other does not.
    let apart = !is_either_subset(&a.words, &b.words) && share < NEARLY_ALL;
    let happened = is_either_subset(&a.said, &b.said) || [a, b].iter().all(|one| one.said.len() == one.words.len());
    if shared == 0 || share < SAME_AMOUNT || differ_in_scope(a, b) {
        return None;
    }
    let amounts = amounts(a, b);
    if let Amounts::Different(p, q) = amounts {
        let is_of_one = !differ_in_period(a, b) && !have_different_names(a, b);
        return is_of_one.then(|| (a.text[p].to_owned(), b.text[q].to_owned()));
    }
    if share < SAME_THING {
        return None;
    }
    let is_counted = amounts == Amounts::Same;
    state(a, b)
        .filter(|_| share >= NEARLY_ALL || !apart)
        .or_else(|| if apart || !happened || is_counted { None } else { days(a, b) })
        .or_else(|| if is_counted { None } else { conflicting_names(a, b) })
}

impl<'t> ParsedStatement<'t> {
    /// Reads a statement.
    pub fn of(text: &'t str, language: Language) -> Self {
        let (lower, facts) = (text.to_lowercase(), Facts::of(text));
        let names: Vec<Range<usize>> =
            names::missing(text, &[], language).into_iter().map(|range| with_given_name(text, range)).collect();
        let all = terms(text, language);
        let is_ideograph = |c: char| is_cjk(c) && !is_hiragana(c);
        let taken = |range: &Range<usize>| {
            let overlaps = |other: &Range<usize>| other.start < range.end && range.start < other.end;
            // `一日券` is a word with a number in it.
            let is_word = |one: &Number| one.soft && text[one.range.end..].starts_with(is_ideograph);
            facts.numbers.iter().any(|one| overlaps(&one.range) && !is_word(one))
                || facts.dates.iter().any(|one| overlaps(&one.range))
                || names.iter().any(overlaps)
        };
        let is_state = |range: &Range<usize>| {
            let word = text[range.clone()].to_lowercase();
            let says = |state: &&str| {
                *state == word || word.chars().count() > 1 && word.chars().all(is_cjk) && state.contains(word.as_str())
            };
            STATES.iter().any(|(one, other)| one.iter().chain(*other).any(says))
        };
        // In scripts without spaces only pairs of characters or lone ideographs count, and none with hiragana, which is
        // grammar.
        let says = |term: &Term| {
            let wide = term.text.chars().any(is_cjk);
            let alone =
                !text[..term.range.start].ends_with(is_ideograph) && !text[term.range.end..].starts_with(is_ideograph);
            !wide || (term.text.chars().count() > 1 || alone) && !term.text.chars().any(is_hiragana)
        };
        let said: Vec<&Term> = all.iter().filter(|term| says(term) && !taken(&term.range)).collect();
        let words = said.iter().filter(|term| !is_state(&term.range)).map(|term| term.text.clone()).collect();
        let said = said.iter().map(|term| term.text.clone()).collect();
        ParsedStatement { text, lower, words, said, facts, names, all, language }
    }

    /// What a figure counts: its unit, or the word behind it.
    fn counted(&self, number: &Number) -> Option<Counted<'_>> {
        match number.unit {
            Some(unit) => Some(Counted::Unit(unit.kind)),
            None => self.word_behind(number).map(|term| Counted::Word(&term.text)),
        }
    }

    fn word_behind(&self, number: &Number) -> Option<&Term> {
        let next = self.all.iter().find(|term| term.range.start >= number.range.end)?;
        let gap = self.text.get(number.range.end..next.range.start)?;
        let near = gap.chars().all(|c| c.is_alphabetic() || c == ' ' || c == '-') && gap.split(' ').count() <= 3;
        near.then_some(next)
    }

    /// The bytes of a figure as written, with its currency sign and the word for what it counts.
    fn shown(&self, number: &Number) -> Range<usize> {
        let sign = self.text[..number.range.start].chars().next_back().filter(|c| "$€£¥".contains(*c));
        let behind = if number.unit.is_none() { self.word_behind(number) } else { None };
        let end = behind.filter(|term| !term.text.chars().any(is_cjk)).map_or(number.range.end, |term| term.range.end);
        number.range.start - sign.map_or(0, char::len_utf8)..end
    }

    fn name(&self, index: usize) -> &str {
        &self.text[self.names[index].clone()]
    }
}

#[derive(PartialEq)]
enum Amounts {
    /// Nothing is counted in both.
    None,
    Same,
    Different(Range<usize>, Range<usize>),
}

/// Compares the figures of two statements that count the same.
fn amounts(a: &ParsedStatement<'_>, b: &ParsedStatement<'_>) -> Amounts {
    let mut different = None;
    let mut same = false;
    for p in &a.facts.numbers {
        let Some(counted) = a.counted(p) else { continue };
        let own: Vec<&Number> = b.facts.numbers.iter().filter(|q| b.counted(q) == Some(counted)).collect();
        let shared = |p: &Number| own.iter().any(|q| agree(a, p, b, q));
        let siblings = a.facts.numbers.iter().filter(|other| a.counted(other) == Some(counted));
        if own.is_empty() {
            continue;
        }
        if siblings.into_iter().any(shared) {
            same = true;
        } else if let Some(q) = own.first().filter(|q| is_near(p, q)) {
            different.get_or_insert((a.shown(p), b.shown(q)));
        }
    }
    match (different, same) {
        (Some((p, q)), _) => Amounts::Different(p, q),
        (None, true) => Amounts::Same,
        _ => Amounts::None,
    }
}

fn amount(number: &Number) -> f64 {
    number.amounts().next().unwrap_or_default()
}

fn is_near(p: &Number, q: &Number) -> bool {
    let (p, q) = (amount(p).abs().max(1e-9), amount(q).abs().max(1e-9));
    (p / q).max(q / p) < UNRELATED_FACTOR
}

/// Whether both figures may be right: they are equal, one is a rounded form of the other, or one is said to be
/// approximate or a bound.
fn agree(a: &ParsedStatement<'_>, p: &Number, b: &ParsedStatement<'_>, q: &Number) -> bool {
    if p.amounts().any(|x| q.amounts().any(|y| close(x, y))) {
        return true;
    }
    let (x, y) = (amount(p), amount(q));
    let step = |number: &Number| {
        let factor = number.unit.map_or(1.0, |unit| unit.factor);
        number.values.first().map_or(0.0, |(_, step)| if number.scaled { step * factor } else { 0.0 })
    };
    if (x - y).abs() <= 0.5 * step(p).max(step(q)) {
        return true;
    }
    match (bound(a, p), bound(b, q)) {
        (Some(Bound::About), other) => (x - y).abs() <= grain(x).max(if other.is_some() { grain(y) } else { 0.0 }),
        (_, Some(Bound::About)) => (x - y).abs() <= grain(y),
        (Some(Bound::More), Some(Bound::More)) | (Some(Bound::Less), Some(Bound::Less)) => true,
        (Some(Bound::More), _) | (_, Some(Bound::Less)) => x <= y,
        (Some(Bound::Less), _) | (_, Some(Bound::More)) => x >= y,
        (None, None) => false,
    }
}

/// The place value of the last significant digit of a round figure: 100 for 8,200.
fn grain(amount: f64) -> f64 {
    let mut grain = 1.0;
    while amount.abs() >= grain * 10.0 && (amount / (grain * 10.0)).fract().abs() < 1e-9 {
        grain *= 10.0;
    }
    grain
}

#[derive(Clone, Copy)]
enum Bound {
    About,
    More,
    Less,
}

/// How exact a figure is said to be. `At least` and `up to` set a rule, which another figure contradicts.
fn bound(statement: &ParsedStatement<'_>, number: &Number) -> Option<Bound> {
    const BEFORE: [(&str, Bound); 17] = [
        ("more than", Bound::More),
        ("over", Bound::More),
        ("above", Bound::More),
        ("mehr als", Bound::More),
        ("über", Bound::More),
        ("less than", Bound::Less),
        ("fewer than", Bound::Less),
        ("under", Bound::Less),
        ("below", Bound::Less),
        ("nearly", Bound::Less),
        ("almost", Bound::Less),
        ("fast", Bound::Less),
        ("about", Bound::About),
        ("around", Bound::About),
        ("rund", Bound::About),
        ("etwa", Bound::About),
        ("約", Bound::About),
    ];
    const BEHIND: [(&str, Bound); 6] = [
        ("を超え", Bound::More),
        ("余り", Bound::More),
        ("余", Bound::More),
        ("近く", Bound::Less),
        ("弱", Bound::Less),
        ("ほど", Bound::About),
    ];
    let before = statement.text[..number.range.start].to_lowercase();
    let before = before.trim_end_matches([' ', '$', '€', '£', '¥']);
    let behind = &statement.text[number.range.end..];
    let ahead = BEFORE.iter().find(|(word, _)| before.ends_with(word));
    ahead.or_else(|| BEHIND.iter().find(|(word, _)| behind.starts_with(word))).map(|(_, bound)| *bound)
}

/// Groups of words of which two tell different scopes: another time, another subject or part of it, another basis.
const SCOPES: &[&[&str]] = &[
    &["first quarter", "second quarter", "third quarter", "fourth quarter"],
    &["first half", "second half"],
    &["spring", "summer", "autumn", "winter"],
    &["weekday", "weekend", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", "holiday"],
    &["第1四半期", "第2四半期", "第3四半期", "第4四半期", "第一四半期", "第二四半期", "第三四半期", "第四四半期"],
    &["上半期", "下半期"],
    &["春季", "夏季", "秋季", "冬季"],
    &["平日", "休日", "祝日", "月曜", "火曜", "水曜", "木曜", "金曜", "土曜", "日曜"],
    &["adult", "child", "student", "senior", "member"],
    &["大人", "子供", "小人", "学生", "会員", "一般", "高齢者"],
    &["erwachsene", "kinder", "studierende", "mitglieder"],
    &["male", "female", "men", "women"],
    &["north", "south", "east", "west"],
    &["upper", "lower"],
    &["東館", "西館", "南館", "北館", "本館", "新館"],
    &["東棟", "西棟", "南棟", "北棟"],
    &["東口", "西口", "南口", "北口"],
    &[
        "per hour",
        "an hour",
        "per day",
        "a day",
        "per night",
        "a night",
        "per week",
        "a week",
        "per month",
        "a month",
        "per year",
        "a year",
    ],
    &["一泊", "一日", "一週間", "一か月", "月額", "年額", "日額"],
    &["single", "return"],
    &["片道", "往復"],
    &["gross", "net"],
    &["brutto", "netto"],
    &["総利益", "営業利益", "経常利益", "純利益"],
];

/// Whether the statements name different scopes: each names one, and they have none in common.
fn differ_in_scope(a: &ParsedStatement<'_>, b: &ParsedStatement<'_>) -> bool {
    let said = |statement: &ParsedStatement<'_>, words: &[&'static str]| -> BTreeSet<&'static str> {
        words.iter().copied().filter(|word| begins_a_word(&statement.lower, word)).collect()
    };
    let by_words = || SCOPES.iter().any(|words| are_disjoint(&said(a, words), &said(b, words)));
    let tax = |statement: &ParsedStatement<'_>| taxes(&statement.lower).first().map(|(tax, _)| *tax);
    let by_tax = || matches!((tax(a), tax(b)), (Some(one), Some(other)) if one != other);
    by_words() || by_tax() || are_disjoint(&labels(a.text), &labels(b.text)) || is_forecast(a) != is_forecast(b)
}

/// Whether both sets hold something, and nothing in common.
fn are_disjoint<T: Ord>(one: &BTreeSet<T>, other: &BTreeSet<T>) -> bool {
    !one.is_empty() && !other.is_empty() && one.is_disjoint(other)
}

/// Whether a statement tells what is expected and not what happened.
fn is_forecast(statement: &ParsedStatement<'_>) -> bool {
    const WORDS: [&str; 10] =
        ["expect", "forecast", "outlook", "erwart", "prognos", "prévo", "予想", "見込", "予測", "見通し"];
    WORDS.iter().any(|word| begins_a_word(&statement.lower, word))
}

/// Single capitals that name a model or a variant, as in `Model B` and `B型`.
fn labels(text: &str) -> BTreeSet<char> {
    let letters: Vec<char> = text.chars().collect();
    let is_alone = |at: usize| {
        let side = |c: Option<&char>| c.is_none_or(|c| !c.is_ascii_alphanumeric() && !"'’.".contains(*c));
        side(at.checked_sub(1).and_then(|at| letters.get(at))) && side(letters.get(at + 1))
    };
    let opens = |at: usize| at == 0 && letters.get(1) == Some(&' ');
    (0..letters.len())
        .filter(|&at| letters[at].is_ascii_uppercase() && letters[at] != 'I' && is_alone(at) && !opens(at))
        .map(|at| letters[at])
        .collect()
}

fn begins_a_word(text: &str, word: &str) -> bool {
    text.match_indices(word).any(|(at, _)| !word.is_ascii() || !text[..at].ends_with(|c: char| c.is_alphanumeric()))
}

/// Whether both name a time, and not the same one.
fn differ_in_period(a: &ParsedStatement<'_>, b: &ParsedStatement<'_>) -> bool {
    !a.facts.dates.is_empty() && !b.facts.dates.is_empty() && !same_day(&a.facts.dates, &b.facts.dates)
}

fn same_day(one: &[Date], other: &[Date]) -> bool {
    fn fits<T: PartialEq>(one: Option<T>, other: Option<T>) -> bool {
        one.is_none() || other.is_none() || one == other
    }
    let same = |a: &Day, b: &Day| fits(a.year, b.year) && fits(a.month, b.month) && fits(a.day, b.day);
    let days = |dates: &[Date]| dates.iter().flat_map(|date| date.readings.clone()).collect::<Vec<Day>>();
    let other = days(other);
    days(one).iter().any(|a| other.iter().any(|b| same(a, b)))
}

/// Whether each names somebody or something that the other does not.
fn have_different_names(a: &ParsedStatement<'_>, b: &ParsedStatement<'_>) -> bool {
    alone(a, b).is_some() && alone(b, a).is_some()
}

/// The first name of a statement that the other does not have.
fn alone(a: &ParsedStatement<'_>, b: &ParsedStatement<'_>) -> Option<usize> {
    (0..a.names.len()).find(|&index| !b.lower.contains(&a.name(index).to_lowercase()))
}

/// The days that two statements tell, if they differ.
fn days(a: &ParsedStatement<'_>, b: &ParsedStatement<'_>) -> Option<(String, String)> {
    let (one, other) = (a.facts.dates.first()?, b.facts.dates.first()?);
    let differ = !same_day(&a.facts.dates, &b.facts.dates) && !have_different_names(a, b);
    differ.then(|| (a.text[one.range.clone()].to_owned(), b.text[other.range.clone()].to_owned()))
}

/// Words for a role or an act that only one can have, or for the only place of something.
const ROLES: [&str; 58] = [
    "chair",
    "director",
    "head",
    "president",
    "mayor",
    "author",
    "architect",
    "engineer",
    "founder",
    "winner",
    "supplier",
    "venue",
    "capital",
    "contact",
    "manager",
    "responsible",
    "held",
    "taken",
    "written",
    "designed",
    "founded",
    "elected",
    "born",
    "owner",
    "editor",
    "secretary",
    "treasurer",
    "located",
    "leiter",
    "direktor",
    "vorsitz",
    "autor",
    "architekt",
    "gründer",
    "sieger",
    "lieferant",
    "hauptstadt",
    "ort",
    "geleitet",
    "gewählt",
    "館長",
    "会長",
    "社長",
    "議長",
    "委員長",
    "監督",
    "著者",
    "設計",
    "創業",
    "業者",
    "会場",
    "開かれ",
    "開催",
    "作成",
    "担当",
    "選ばれ",
    "本社",
    "所在地",
];

/// The different names that two statements give for what only one can be.
fn conflicting_names(a: &ParsedStatement<'_>, b: &ParsedStatement<'_>) -> Option<(String, String)> {
    let (one, other) = (alone(a, b)?, alone(b, a)?);
    let has_role = |statement: &ParsedStatement<'_>| ROLES.iter().any(|role| begins_a_word(&statement.lower, role));
    (has_role(a) && has_role(b) && !differ_in_period(a, b)).then(|| (whole_name(a, one), whole_name(b, other)))
}

/// A name with the names directly behind it.
fn whole_name(statement: &ParsedStatement<'_>, index: usize) -> String {
    let mut range = statement.names[index].clone();
    for next in &statement.names[index + 1..] {
        if statement.text[range.end..].starts_with(' ') && next.start == range.end + 1 {
            range.end = next.end;
        }
    }
    statement.text[range].to_owned()
}

/// Words of states that exclude each other. A denied state counts as its opposite.
const STATES: &[(&[&str], &[&str])] = &[
    (&["allowed", "permitted"], &["forbidden", "prohibited", "banned"]),
    (&["open"], &["closed"]),
    (&["approved", "accepted", "adopted", "passed"], &["rejected", "refused", "declined", "postponed", "deferred"]),
    (&["required", "mandatory", "compulsory"], &["optional", "voluntary"]),
    (&["included"], &["excluded", "extra"]),
    (&["free"], &["charged"]),
    (&["permanent"], &["temporary"]),
    (&["erlaubt", "gestattet"], &["verboten", "untersagt"]),
    (&["geöffnet"], &["geschlossen"]),
    (&["genehmigt", "angenommen"], &["abgelehnt", "vertagt"]),
    (&["pflicht", "vorgeschrieben"], &["freiwillig"]),
    (&["可能", "認め", "許可"], &["禁止", "不可"]),
    (&["開館", "開園", "営業"], &["休館", "休園", "休業"]),
    (&["承認", "可決", "採択"], &["却下", "否決", "否認", "延期"]),
    (&["必須", "必要", "義務"], &["任意", "不要"]),
    (&["含む", "含み"], &["別途"]),
    (&["無料"], &["有料"]),
    (&["継続", "存続"], &["廃止", "中止"]),
];

/// Words that deny, in lower case; the Japanese ones stand behind their verb.
const DENIALS: [&str; 16] = [
    "not ",
    "no longer",
    "never ",
    "cannot",
    "n't ",
    "nicht ",
    "kein",
    "nie ",
    "ない",
    "ません",
    "なかった",
    "ne pas",
    " no ",
    "nor ",
    "niemals",
    "せず",
];

/// The place of a state in a text. In a script with spaces it must be a word of its own: "open" is not in "opened".
fn state_in(text: &str, state: &str) -> Option<usize> {
    place_of(text, state, |c| c.is_alphanumeric() && !is_cjk(c))
}

/// Opposite states of the same thing, as the statements write them.
fn state(a: &ParsedStatement<'_>, b: &ParsedStatement<'_>) -> Option<(String, String)> {
    let denied = |statement: &ParsedStatement<'_>| DENIALS.iter().any(|word| statement.lower.contains(word));
    let pole = |statement: &ParsedStatement<'_>, words: &[&'static str]| {
        words.iter().copied().find(|word| state_in(&statement.lower, word).is_some())
    };
    for (yes, no) in STATES {
        let of = |statement: &ParsedStatement<'_>| {
            let found =
                pole(statement, no).map(|word| (false, word)).or_else(|| pole(statement, yes).map(|word| (true, word)));
            found.map(|(is, word)| (is != denied(statement), word))
        };
        if let (Some((one, first)), Some((other, second))) = (of(a), of(b)) {
            return (one != other).then(|| (shown(a, first), shown(b, second)));
        }
    }
    let plain = a.language.code() != "jpn" || a.words == b.words;
    (denied(a) != denied(b) && a.words == b.words && plain && !a.words.is_empty())
        .then(|| (a.text.to_owned(), b.text.to_owned()))
}

/// A state as its statement writes it, with the word that denies it.
fn shown(statement: &ParsedStatement<'_>, word: &str) -> String {
    let Some(at) = state_in(&statement.lower, word).filter(|_| statement.lower.len() == statement.text.len()) else {
        return word.to_owned();
    };
    let before = &statement.lower[..at];
    let denial = ["not ", "nicht ", "kein "].into_iter().find(|denial| before.ends_with(denial)).unwrap_or_default();
    statement.text[at - denial.len()..at + word.len()].to_owned()
}
