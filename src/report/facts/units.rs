//! Words of magnitude and of units, in English, German and Japanese, with some in French and Spanish.

use crate::base::text::ideographic_digit;

/// The unit of a number. Numbers of one kind are compared after their factors are applied.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Unit {
    pub kind: UnitKind,
    /// How many of the kind's first unit one of it is.
    pub factor: f64,
}

/// What a unit measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UnitKind {
    Percent,
    /// Percentage points.
    Points,
    /// A multiple or a count, like `times`.
    Times,
    /// A multiple, like `倍`.
    Fold,
    Fraction,
    Usd,
    Eur,
    Gbp,
    Jpy,
    Chf,
    Cny,
    Krw,
    Length,
    Area,
    Volume,
    Mass,
    Time,
    Energy,
    Power,
    Data,
    Degrees,
    Fahrenheit,
    /// Ten years.
    Decade,
    /// An hour of the day.
    Clock,
    Age,
    People,
    Cases,
    Pieces,
    Machines,
    Firms,
    Shops,
    Sheets,
    Books,
}

/// Words that multiply the number before them.
const SCALES: &[(&str, f64)] = &[
    ("hundred", 1e2),
    ("thousand", 1e3),
    ("k", 1e3),
    ("million", 1e6),
    ("millions", 1e6),
    ("mn", 1e6),
    ("mln", 1e6),
    ("mio", 1e6),
    ("billion", 1e9),
    ("billions", 1e9),
    ("bn", 1e9),
    ("trillion", 1e12),
    ("dozen", 12.0),
    ("hundert", 1e2),
    ("tausend", 1e3),
    ("tsd", 1e3),
    ("millionen", 1e6),
    ("milliarde", 1e9),
    ("milliarden", 1e9),
    ("mrd", 1e9),
    ("billionen", 1e12),
    ("mille", 1e3),
    ("milliard", 1e9),
    ("milliards", 1e9),
    ("mil", 1e3),
    ("millones", 1e6),
];

/// The factor of a word of magnitude.
pub(super) fn scale(word: &str) -> Option<f64> {
    SCALES.iter().find(|(name, _)| *name == word).map(|(_, factor)| *factor)
}

/// Units in letters, in lower case: their kind, their size in the kind's first unit, and their names.
const WORDS: &[(UnitKind, f64, &str)] = &[
    (UnitKind::Percent, 1.0, "percent|per cent|prozent"),
    (UnitKind::Points, 1.0, "percentage points|percentage point|prozentpunkte|prozentpunkten|prozentpunkt"),
    (UnitKind::Usd, 1.0, "dollar|dollars|us dollars|us-dollar|usd"),
    (UnitKind::Eur, 1.0, "euro|euros|eur"),
    (UnitKind::Gbp, 1.0, "gbp|pounds sterling"),
    (UnitKind::Jpy, 1.0, "yen|jpy"),
    (UnitKind::Chf, 1.0, "chf|franken|francs"),
    (UnitKind::Length, 1e3, "km|kilometre|kilometres|kilometer|kilometers|kilometern"),
    (UnitKind::Length, 1.0, "m|metre|metres|meter|meters|metern"),
    (UnitKind::Length, 1e-2, "cm|centimetres|zentimeter"),
    (UnitKind::Length, 1e-3, "mm|millimetres|millimeter"),
    (UnitKind::Length, 1609.344, "mile|miles|meilen"),
    (UnitKind::Length, 0.3048, "feet|foot"),
    (UnitKind::Length, 0.0254, "inches"),
    (UnitKind::Mass, 1.0, "kg|kilo|kilos|kilogram|kilograms|kilogramm"),
    (UnitKind::Mass, 1e-3, "g|grams|gramm"),
    (UnitKind::Mass, 1e-6, "mg"),
    (UnitKind::Mass, 1e3, "t|ton|tons|tonne|tonnes|tonnen"),
    (UnitKind::Volume, 1.0, "l|litre|litres|liter|liters|litern"),
    (UnitKind::Volume, 1e-3, "ml"),
    (UnitKind::Volume, 1e3, "cubic metre|cubic metres|cubic meter|cubic meters|kubikmeter|kubikmetern|m³"),
    (UnitKind::Volume, 28.316_846, "cubic foot|cubic feet"),
    (UnitKind::Volume, 3.785_411, "gallon|gallons|gallone|gallonen"),
    (UnitKind::Mass, 0.453_592, "lb|lbs"),
    (UnitKind::Area, 4046.856, "acre|acres"),
    (UnitKind::Area, 1e4, "hectare|ha|hectares|hektar"),
    (UnitKind::Area, 1.0, "quadratmetern|m2|m²|square metres|square meters|quadratmeter"),
    (UnitKind::Area, 1e6, "quadratkilometern|km2|km²|square kilometres|square kilometers|quadratkilometer"),
    (UnitKind::Area, 0.092_903, "square feet"),
    (UnitKind::Percent, 0.1, "per mille|promille"),
    (UnitKind::Degrees, 1.0, "degrees|degree|grad|degrees celsius|degree celsius|grad celsius"),
    (UnitKind::Fahrenheit, 1.0, "degrees fahrenheit|grad fahrenheit"),
    (UnitKind::Time, 1.0, "second|seconds|sekunde|sekunden"),
    (UnitKind::Time, 60.0, "minute|minutes|minuten|min"),
    (UnitKind::Time, 3600.0, "hour|hours|stunde|stunden|h"),
    (UnitKind::Time, 86_400.0, "day|days|tag|tage|tagen"),
    (UnitKind::Time, 604_800.0, "week|weeks|woche|wochen"),
    (UnitKind::Time, 2_629_800.0, "month|months|monat|monate|monaten"),
    (UnitKind::Time, 31_557_600.0, "year|years|jahr|jahre|jahren"),
    (UnitKind::Energy, 1.0, "kwh"),
    (UnitKind::Energy, 1e3, "mwh"),
    (UnitKind::Energy, 1e6, "gwh"),
    (UnitKind::Power, 1.0, "kw"),
    (UnitKind::Power, 1e3, "mw"),
    (UnitKind::Power, 1e6, "gw"),
    (UnitKind::Data, 1e3, "kb"),
    (UnitKind::Data, 1e6, "mb"),
    (UnitKind::Data, 1e9, "gb"),
    (UnitKind::Data, 1e12, "tb"),
    (UnitKind::Times, 1.0, "times|mal"),
];

/// Units that follow a number without a space, in the same form.
const WIDE: &[(UnitKind, f64, &str)] = &[
    (UnitKind::Points, 1.0, "パーセントポイント|ポイント"),
    (UnitKind::Percent, 1.0, "パーセント|%"),
    (UnitKind::Percent, 10.0, "割"),
    (UnitKind::Usd, 1.0, "米ドル|ドル|$"),
    (UnitKind::Eur, 1.0, "ユーロ|€"),
    (UnitKind::Jpy, 1.0, "円"),
    (UnitKind::Cny, 1.0, "元"),
    (UnitKind::Krw, 1.0, "ウォン"),
    (UnitKind::Length, 1e3, "キロメートル"),
    (UnitKind::Length, 1e-2, "センチメートル"),
    (UnitKind::Length, 1e-3, "ミリメートル"),
    (UnitKind::Area, 1.0, "平方メートル"),
    (UnitKind::Area, 1e6, "平方キロ"),
    (UnitKind::Length, 1.0, "メートル"),
    (UnitKind::Mass, 1.0, "キログラム"),
    (UnitKind::Mass, 1e-3, "グラム"),
    (UnitKind::Mass, 1e3, "トン"),
    (UnitKind::Volume, 1.0, "リットル"),
    (UnitKind::Area, 1e4, "ヘクタール"),
    (UnitKind::Time, 1.0, "秒"),
    (UnitKind::Fraction, 1.0, "分の"),
    (UnitKind::Time, 60.0, "分"),
    (UnitKind::Time, 3600.0, "時間"),
    (UnitKind::Clock, 1.0, "時"),
    (UnitKind::Time, 86_400.0, "日間|日"),
    (UnitKind::Time, 604_800.0, "週間"),
    (UnitKind::Time, 2_629_800.0, "か月|ヶ月|カ月|ケ月|箇月"),
    (UnitKind::Time, 31_557_600.0, "年間|年"),
    (UnitKind::People, 1.0, "人|名"),
    (UnitKind::Age, 1.0, "歳|才"),
    (UnitKind::Cases, 1.0, "件"),
    (UnitKind::Pieces, 1.0, "個"),
    (UnitKind::Machines, 1.0, "台"),
    (UnitKind::Firms, 1.0, "社"),
    (UnitKind::Shops, 1.0, "店"),
    (UnitKind::Times, 1.0, "回"),
    (UnitKind::Fold, 1.0, "倍"),
    (UnitKind::Sheets, 1.0, "枚"),
    (UnitKind::Books, 1.0, "冊"),
    (UnitKind::Degrees, 1.0, "度|℃|°c|° c|°"),
    (UnitKind::Fahrenheit, 1.0, "°f|° f"),
    (UnitKind::Percent, 0.1, "‰"),
    (UnitKind::Volume, 1e3, "立方メートル"),
    (UnitKind::Volume, 3.785_411, "ガロン"),
    (UnitKind::Gbp, 1.0, "£"),
];

impl Unit {
    /// Whether another kind in its place changes the meaning; the other units may be put in other words.
    pub fn is_strict(self) -> bool {
        !matches!(self.kind, UnitKind::Times | UnitKind::Fraction | UnitKind::Clock | UnitKind::Decade)
    }

    /// Whether it is money.
    pub fn is_currency(self) -> bool {
        use UnitKind::{Chf, Cny, Eur, Gbp, Jpy, Krw, Usd};
        matches!(self.kind, Usd | Eur | Gbp | Jpy | Chf | Cny | Krw)
    }
}

/// The unit that `text`, in lower case, begins with, and its length in characters.
pub(super) fn unit_word(text: &[char]) -> Option<(Unit, usize)> {
    let starts = |name: &str| {
        let mut at = text.iter();
        name.chars().all(|c| at.next() == Some(&c))
    };
    let whole =
        |name: &str| !text.get(name.chars().count()).is_some_and(|next| next.is_alphanumeric() && next.is_ascii());
    let longest = |units: &'static [(UnitKind, f64, &str)], fits: &dyn Fn(&str) -> bool| {
        let named =
            units.iter().flat_map(|(kind, factor, names)| names.split('|').map(move |name| (kind, factor, name)));
        let (kind, factor, name) = named.filter(|(.., name)| fits(name)).max_by_key(|(.., name)| name.len())?;
        Some((Unit { kind: *kind, factor: *factor }, name.chars().count()))
    };
    longest(WIDE, &starts).or_else(|| longest(WORDS, &|name| starts(name) && whole(name)))
}

/// The currency right before a number: a sign or a code at the end of `text`.
pub(super) fn currency_before(text: &[char]) -> Option<Unit> {
    let text: String = text.iter().rev().take(4).rev().collect();
    let text = text.trim_end();
    let named = |kind| Some(Unit { kind, factor: 1.0 });
    match text.chars().next_back()? {
        '$' => named(UnitKind::Usd),
        '€' => named(UnitKind::Eur),
        '£' => named(UnitKind::Gbp),
        '¥' | '￥' => named(UnitKind::Jpy),
        _ => {
            let codes = ["usd", "eur", "gbp", "jpy", "chf"];
            let kinds = [UnitKind::Usd, UnitKind::Eur, UnitKind::Gbp, UnitKind::Jpy, UnitKind::Chf];
            codes.into_iter().zip(kinds).find(|(code, _)| text.ends_with(code)).and_then(|(_, kind)| named(kind))
        }
    }
}

/// The value of a word for a number. Such a word may be replaced by other words, so it only counts in the place of
/// another number.
pub(super) fn spelled(word: &str) -> Option<f64> {
    const ENGLISH: [&str; 19] = [
        "two",
        "three",
        "four",
        "five",
        "six",
        "seven",
        "eight",
        "nine",
        "ten",
        "eleven",
        "twelve",
        "thirteen",
        "fourteen",
        "fifteen",
        "sixteen",
        "seventeen",
        "eighteen",
        "nineteen",
        "twenty",
    ];
    const GERMAN: [&str; 19] = [
        "zwei",
        "drei",
        "vier",
        "fünf",
        "sechs",
        "sieben",
        "acht",
        "neun",
        "zehn",
        "elf",
        "zwölf",
        "dreizehn",
        "vierzehn",
        "fünfzehn",
        "sechzehn",
        "siebzehn",
        "achtzehn",
        "neunzehn",
        "zwanzig",
    ];
    const TENS: [(&str, f64); 16] = [
        ("twenty", 20.0),
        ("thirty", 30.0),
        ("forty", 40.0),
        ("fifty", 50.0),
        ("sixty", 60.0),
        ("seventy", 70.0),
        ("eighty", 80.0),
        ("ninety", 90.0),
        ("zwanzig", 20.0),
        ("dreißig", 30.0),
        ("vierzig", 40.0),
        ("fünfzig", 50.0),
        ("sechzig", 60.0),
        ("siebzig", 70.0),
        ("achtzig", 80.0),
        ("neunzig", 90.0),
    ];
    const ORDINALS: [(&str, f64); 24] = [
        ("third", 3.0),
        ("fourth", 4.0),
        ("fifth", 5.0),
        ("sixth", 6.0),
        ("seventh", 7.0),
        ("eighth", 8.0),
        ("ninth", 9.0),
        ("tenth", 10.0),
        ("eleventh", 11.0),
        ("twelfth", 12.0),
        ("thirteenth", 13.0),
        ("fourteenth", 14.0),
        ("fifteenth", 15.0),
        ("twentieth", 20.0),
        ("dritte", 3.0),
        ("dritten", 3.0),
        ("vierte", 4.0),
        ("vierten", 4.0),
        ("fünfte", 5.0),
        ("fünften", 5.0),
        ("sechste", 6.0),
        ("siebte", 7.0),
        ("achte", 8.0),
        ("zehnte", 10.0),
    ];
    let small = |names: &[&str]| names.iter().position(|name| *name == word).map(|at| at as f64 + 2.0);
    let ten = |word: &str| TENS.iter().find(|(name, _)| *name == word).map(|(_, value)| *value);
    let one_of = |word: &str| matches!(word, "one" | "ein").then_some(1.0);
    let ordinal = || ORDINALS.iter().find(|(name, _)| *name == word).map(|(_, value)| *value);
    let digit = |word: &str| {
        let at = |names: &[&str]| names.iter().take(8).position(|name| *name == word).map(|at| at as f64 + 2.0);
        at(&ENGLISH).or_else(|| at(&GERMAN)).or_else(|| one_of(word))
    };
    let joined = || {
        let (tens, ones) = word.split_once('-')?;
        Some(ten(tens)? + digit(ones)?)
    };
    let german = || {
        let (ones, tens) = word.split_once("und")?;
        Some(ten(tens)? + digit(ones)?)
    };
    small(&ENGLISH).or_else(|| small(&GERMAN)).or_else(|| ten(word)).or_else(ordinal).or_else(joined).or_else(german)
}

/// The value of a numeral in ideographs, as in `三千五百`, `二〇二四` or `十二`.
pub(in crate::report) fn ideographic(numeral: &[char]) -> Option<f64> {
    let digit = |c: char| ideographic_digit(c).map(f64::from);
    if numeral.len() > 1 && numeral.iter().all(|c| digit(*c).is_some()) {
        return numeral.iter().try_fold(0.0, |value, c| Some(value * 10.0 + digit(*c)?));
    }
    let (mut total, mut section, mut ones) = (0.0, 0.0, None);
    for c in numeral {
        if let Some(value) = digit(*c) {
            ones = Some(value);
            continue;
        }
        match c {
            '十' | '百' | '千' => {
                section +=
                    ones.take().unwrap_or(1.0) * [10.0, 100.0, 1000.0]["十百千".chars().position(|o| o == *c)?];
            }
            _ => {
                section += ones.take().unwrap_or(0.0);
                total += if section == 0.0 { 1.0 } else { section } * wide_scale(*c)?;
                section = 0.0;
            }
        }
    }
    Some(total + section + ones.unwrap_or(0.0))
}

/// The factors of `万`, `億` and `兆`, and of `千` and `百` after digits, also as they are written in Korean.
pub(super) fn wide_scale(c: char) -> Option<f64> {
    match c {
        '百' => Some(1e2),
        '千' | '천' => Some(1e3),
        '万' | '만' => Some(1e4),
        '億' | '亿' | '억' => Some(1e8),
        '兆' | '조' => Some(1e12),
        _ => None,
    }
}

/// Whether a price includes its tax.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tax {
    Included,
    Left,
}

const TAXES: &[(&str, Tax)] = &[
    ("税込", Tax::Included),
    ("消費税込", Tax::Included),
    ("税抜", Tax::Left),
    ("税別", Tax::Left),
    ("including vat", Tax::Included),
    ("incl. vat", Tax::Included),
    ("including tax", Tax::Included),
    ("excluding vat", Tax::Left),
    ("excl. vat", Tax::Left),
    ("plus vat", Tax::Left),
    ("excluding tax", Tax::Left),
    ("before tax", Tax::Left),
    ("after tax", Tax::Included),
    ("inkl. mwst", Tax::Included),
    ("inklusive mehrwertsteuer", Tax::Included),
    ("einschließlich mehrwertsteuer", Tax::Included),
    ("zzgl. mwst", Tax::Left),
    ("zuzüglich mehrwertsteuer", Tax::Left),
    ("ohne mehrwertsteuer", Tax::Left),
    ("brutto", Tax::Included),
    ("netto", Tax::Left),
    ("gross", Tax::Included),
    ("net of tax", Tax::Left),
];

/// What a text in lower case says about tax, each with the words that say it.
pub(super) fn taxes(lower: &str) -> Vec<(Tax, &'static str)> {
    TAXES.iter().filter(|(name, _)| contains_word(lower, name)).map(|(name, tax)| (*tax, *name)).collect()
}

fn contains_word(text: &str, word: &str) -> bool {
    let is_letter = |c: char| c.is_ascii_alphanumeric();
    text.match_indices(word).any(|(at, _)| {
        !word.is_ascii() || !text[..at].ends_with(is_letter) && !text[at + word.len()..].starts_with(is_letter)
    })
}
