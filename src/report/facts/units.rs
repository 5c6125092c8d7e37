//! Words of magnitude and of units, in English, German and Japanese, with some in French and Spanish.

/// What a number counts: numbers of one kind compare after their factors.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Unit {
    pub kind: UnitKind,
    /// What one of it is in the kind's first unit.
    pub factor: f64,
}

/// What a unit measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UnitKind {
    Percent,
    /// Percentage points.
    Points,
    /// A multiple or a count, as `times` is.
    Times,
    /// A multiple, as `倍` is.
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

/// What a word of magnitude multiplies by.
pub(super) fn scale(word: &str) -> Option<f64> {
    SCALES.iter().find(|(name, _)| *name == word).map(|(_, factor)| *factor)
}

/// Units in letters, in lower case.
const WORDS: &[(&str, UnitKind, f64)] = &[
    ("percent", UnitKind::Percent, 1.0),
    ("per cent", UnitKind::Percent, 1.0),
    ("prozent", UnitKind::Percent, 1.0),
    ("percentage points", UnitKind::Points, 1.0),
    ("percentage point", UnitKind::Points, 1.0),
    ("prozentpunkte", UnitKind::Points, 1.0),
    ("prozentpunkten", UnitKind::Points, 1.0),
    ("prozentpunkt", UnitKind::Points, 1.0),
    ("dollar", UnitKind::Usd, 1.0),
    ("dollars", UnitKind::Usd, 1.0),
    ("us dollars", UnitKind::Usd, 1.0),
    ("us-dollar", UnitKind::Usd, 1.0),
    ("usd", UnitKind::Usd, 1.0),
    ("euro", UnitKind::Eur, 1.0),
    ("euros", UnitKind::Eur, 1.0),
    ("eur", UnitKind::Eur, 1.0),
    ("gbp", UnitKind::Gbp, 1.0),
    ("pounds sterling", UnitKind::Gbp, 1.0),
    ("yen", UnitKind::Jpy, 1.0),
    ("jpy", UnitKind::Jpy, 1.0),
    ("chf", UnitKind::Chf, 1.0),
    ("franken", UnitKind::Chf, 1.0),
    ("francs", UnitKind::Chf, 1.0),
    ("km", UnitKind::Length, 1e3),
    ("kilometre", UnitKind::Length, 1e3),
    ("kilometres", UnitKind::Length, 1e3),
    ("kilometer", UnitKind::Length, 1e3),
    ("kilometers", UnitKind::Length, 1e3),
    ("kilometern", UnitKind::Length, 1e3),
    ("m", UnitKind::Length, 1.0),
    ("metre", UnitKind::Length, 1.0),
    ("metres", UnitKind::Length, 1.0),
    ("meter", UnitKind::Length, 1.0),
    ("meters", UnitKind::Length, 1.0),
    ("metern", UnitKind::Length, 1.0),
    ("cm", UnitKind::Length, 1e-2),
    ("centimetres", UnitKind::Length, 1e-2),
    ("zentimeter", UnitKind::Length, 1e-2),
    ("mm", UnitKind::Length, 1e-3),
    ("millimetres", UnitKind::Length, 1e-3),
    ("millimeter", UnitKind::Length, 1e-3),
    ("mile", UnitKind::Length, 1609.344),
    ("miles", UnitKind::Length, 1609.344),
    ("meilen", UnitKind::Length, 1609.344),
    ("feet", UnitKind::Length, 0.3048),
    ("foot", UnitKind::Length, 0.3048),
    ("inches", UnitKind::Length, 0.0254),
    ("kg", UnitKind::Mass, 1.0),
    ("kilo", UnitKind::Mass, 1.0),
    ("kilos", UnitKind::Mass, 1.0),
    ("kilogram", UnitKind::Mass, 1.0),
    ("kilograms", UnitKind::Mass, 1.0),
    ("kilogramm", UnitKind::Mass, 1.0),
    ("g", UnitKind::Mass, 1e-3),
    ("grams", UnitKind::Mass, 1e-3),
    ("gramm", UnitKind::Mass, 1e-3),
    ("mg", UnitKind::Mass, 1e-6),
    ("t", UnitKind::Mass, 1e3),
    ("ton", UnitKind::Mass, 1e3),
    ("tons", UnitKind::Mass, 1e3),
    ("tonne", UnitKind::Mass, 1e3),
    ("tonnes", UnitKind::Mass, 1e3),
    ("tonnen", UnitKind::Mass, 1e3),
    ("l", UnitKind::Volume, 1.0),
    ("litre", UnitKind::Volume, 1.0),
    ("litres", UnitKind::Volume, 1.0),
    ("liter", UnitKind::Volume, 1.0),
    ("liters", UnitKind::Volume, 1.0),
    ("litern", UnitKind::Volume, 1.0),
    ("ml", UnitKind::Volume, 1e-3),
    ("cubic metre", UnitKind::Volume, 1e3),
    ("cubic metres", UnitKind::Volume, 1e3),
    ("cubic meter", UnitKind::Volume, 1e3),
    ("cubic meters", UnitKind::Volume, 1e3),
    ("kubikmeter", UnitKind::Volume, 1e3),
    ("kubikmetern", UnitKind::Volume, 1e3),
    ("m³", UnitKind::Volume, 1e3),
    ("cubic foot", UnitKind::Volume, 28.316_846),
    ("cubic feet", UnitKind::Volume, 28.316_846),
    ("gallon", UnitKind::Volume, 3.785_411),
    ("gallons", UnitKind::Volume, 3.785_411),
    ("gallone", UnitKind::Volume, 3.785_411),
    ("gallonen", UnitKind::Volume, 3.785_411),
    ("lb", UnitKind::Mass, 0.453_592),
    ("lbs", UnitKind::Mass, 0.453_592),
    ("acre", UnitKind::Area, 4046.856),
    ("acres", UnitKind::Area, 4046.856),
    ("hectare", UnitKind::Area, 1e4),
    ("quadratmetern", UnitKind::Area, 1.0),
    ("quadratkilometern", UnitKind::Area, 1e6),
    ("square feet", UnitKind::Area, 0.092_903),
    ("per mille", UnitKind::Percent, 0.1),
    ("promille", UnitKind::Percent, 0.1),
    ("degrees", UnitKind::Degrees, 1.0),
    ("degree", UnitKind::Degrees, 1.0),
    ("grad", UnitKind::Degrees, 1.0),
    ("degrees celsius", UnitKind::Degrees, 1.0),
    ("degree celsius", UnitKind::Degrees, 1.0),
    ("grad celsius", UnitKind::Degrees, 1.0),
    ("degrees fahrenheit", UnitKind::Fahrenheit, 1.0),
    ("grad fahrenheit", UnitKind::Fahrenheit, 1.0),
    ("second", UnitKind::Time, 1.0),
    ("seconds", UnitKind::Time, 1.0),
    ("sekunde", UnitKind::Time, 1.0),
    ("sekunden", UnitKind::Time, 1.0),
    ("minute", UnitKind::Time, 60.0),
    ("minutes", UnitKind::Time, 60.0),
    ("minuten", UnitKind::Time, 60.0),
    ("min", UnitKind::Time, 60.0),
    ("hour", UnitKind::Time, 3600.0),
    ("hours", UnitKind::Time, 3600.0),
    ("stunde", UnitKind::Time, 3600.0),
    ("stunden", UnitKind::Time, 3600.0),
    ("h", UnitKind::Time, 3600.0),
    ("day", UnitKind::Time, 86_400.0),
    ("days", UnitKind::Time, 86_400.0),
    ("tag", UnitKind::Time, 86_400.0),
    ("tage", UnitKind::Time, 86_400.0),
    ("tagen", UnitKind::Time, 86_400.0),
    ("week", UnitKind::Time, 604_800.0),
    ("weeks", UnitKind::Time, 604_800.0),
    ("woche", UnitKind::Time, 604_800.0),
    ("wochen", UnitKind::Time, 604_800.0),
    ("month", UnitKind::Time, 2_629_800.0),
    ("months", UnitKind::Time, 2_629_800.0),
    ("monat", UnitKind::Time, 2_629_800.0),
    ("monate", UnitKind::Time, 2_629_800.0),
    ("monaten", UnitKind::Time, 2_629_800.0),
    ("year", UnitKind::Time, 31_557_600.0),
    ("years", UnitKind::Time, 31_557_600.0),
    ("jahr", UnitKind::Time, 31_557_600.0),
    ("jahre", UnitKind::Time, 31_557_600.0),
    ("jahren", UnitKind::Time, 31_557_600.0),
    ("kwh", UnitKind::Energy, 1.0),
    ("mwh", UnitKind::Energy, 1e3),
    ("gwh", UnitKind::Energy, 1e6),
    ("kw", UnitKind::Power, 1.0),
    ("mw", UnitKind::Power, 1e3),
    ("gw", UnitKind::Power, 1e6),
    ("kb", UnitKind::Data, 1e3),
    ("mb", UnitKind::Data, 1e6),
    ("gb", UnitKind::Data, 1e9),
    ("tb", UnitKind::Data, 1e12),
    ("ha", UnitKind::Area, 1e4),
    ("hectares", UnitKind::Area, 1e4),
    ("hektar", UnitKind::Area, 1e4),
    ("m2", UnitKind::Area, 1.0),
    ("m²", UnitKind::Area, 1.0),
    ("km2", UnitKind::Area, 1e6),
    ("km²", UnitKind::Area, 1e6),
    ("square metres", UnitKind::Area, 1.0),
    ("square meters", UnitKind::Area, 1.0),
    ("square kilometres", UnitKind::Area, 1e6),
    ("square kilometers", UnitKind::Area, 1e6),
    ("quadratmeter", UnitKind::Area, 1.0),
    ("quadratkilometer", UnitKind::Area, 1e6),
    ("times", UnitKind::Times, 1.0),
    ("mal", UnitKind::Times, 1.0),
];

/// Units that follow a number without a space, the longest first among those that begin alike.
const WIDE: &[(&str, UnitKind, f64)] = &[
    ("パーセントポイント", UnitKind::Points, 1.0),
    ("パーセント", UnitKind::Percent, 1.0),
    ("ポイント", UnitKind::Points, 1.0),
    ("割", UnitKind::Percent, 10.0),
    ("米ドル", UnitKind::Usd, 1.0),
    ("ドル", UnitKind::Usd, 1.0),
    ("ユーロ", UnitKind::Eur, 1.0),
    ("円", UnitKind::Jpy, 1.0),
    ("元", UnitKind::Cny, 1.0),
    ("ウォン", UnitKind::Krw, 1.0),
    ("キロメートル", UnitKind::Length, 1e3),
    ("センチメートル", UnitKind::Length, 1e-2),
    ("ミリメートル", UnitKind::Length, 1e-3),
    ("平方メートル", UnitKind::Area, 1.0),
    ("平方キロ", UnitKind::Area, 1e6),
    ("メートル", UnitKind::Length, 1.0),
    ("キログラム", UnitKind::Mass, 1.0),
    ("グラム", UnitKind::Mass, 1e-3),
    ("トン", UnitKind::Mass, 1e3),
    ("リットル", UnitKind::Volume, 1.0),
    ("ヘクタール", UnitKind::Area, 1e4),
    ("秒", UnitKind::Time, 1.0),
    ("分の", UnitKind::Fraction, 1.0),
    ("分", UnitKind::Time, 60.0),
    ("時間", UnitKind::Time, 3600.0),
    ("時", UnitKind::Clock, 1.0),
    ("日間", UnitKind::Time, 86_400.0),
    ("日", UnitKind::Time, 86_400.0),
    ("週間", UnitKind::Time, 604_800.0),
    ("か月", UnitKind::Time, 2_629_800.0),
    ("ヶ月", UnitKind::Time, 2_629_800.0),
    ("カ月", UnitKind::Time, 2_629_800.0),
    ("ケ月", UnitKind::Time, 2_629_800.0),
    ("箇月", UnitKind::Time, 2_629_800.0),
    ("年間", UnitKind::Time, 31_557_600.0),
    ("年", UnitKind::Time, 31_557_600.0),
    ("人", UnitKind::People, 1.0),
    ("名", UnitKind::People, 1.0),
    ("歳", UnitKind::Age, 1.0),
    ("才", UnitKind::Age, 1.0),
    ("件", UnitKind::Cases, 1.0),
    ("個", UnitKind::Pieces, 1.0),
    ("台", UnitKind::Machines, 1.0),
    ("社", UnitKind::Firms, 1.0),
    ("店", UnitKind::Shops, 1.0),
    ("回", UnitKind::Times, 1.0),
    ("倍", UnitKind::Fold, 1.0),
    ("枚", UnitKind::Sheets, 1.0),
    ("冊", UnitKind::Books, 1.0),
    ("度", UnitKind::Degrees, 1.0),
    ("℃", UnitKind::Degrees, 1.0),
    ("°c", UnitKind::Degrees, 1.0),
    ("° c", UnitKind::Degrees, 1.0),
    ("°f", UnitKind::Fahrenheit, 1.0),
    ("° f", UnitKind::Fahrenheit, 1.0),
    ("‰", UnitKind::Percent, 0.1),
    ("立方メートル", UnitKind::Volume, 1e3),
    ("ガロン", UnitKind::Volume, 3.785_411),
    ("°", UnitKind::Degrees, 1.0),
    ("%", UnitKind::Percent, 1.0),
    ("€", UnitKind::Eur, 1.0),
    ("$", UnitKind::Usd, 1.0),
    ("£", UnitKind::Gbp, 1.0),
];

impl Unit {
    /// Whether another kind in its place says something else; the others may be told in other words.
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
    let wide = WIDE.iter().filter(|(name, ..)| starts(name)).max_by_key(|(name, ..)| name.len());
    if let Some((name, kind, factor)) = wide {
        return Some((Unit { kind: *kind, factor: *factor }, name.chars().count()));
    }
    let word = WORDS.iter().filter(|(name, ..)| starts(name) && whole(name)).max_by_key(|(name, ..)| name.len());
    word.map(|(name, kind, factor)| (Unit { kind: *kind, factor: *factor }, name.chars().count()))
}

/// The currency that stands right before a number: the sign or the code at the end of `text`.
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

/// Words of numbers; what is spelled may be said in other words, so it only counts where it stands in the place of
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
pub(super) fn ideographic(numeral: &[char]) -> Option<f64> {
    let digit =
        |c: char| "〇零一二三四五六七八九".chars().position(|other| other == c).map(|at| at.saturating_sub(1) as f64);
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

/// What `万`, `億` and `兆` multiply by, and `千` and `百` after digits.
pub(super) fn wide_scale(c: char) -> Option<f64> {
    match c {
        '百' => Some(1e2),
        '千' => Some(1e3),
        '万' => Some(1e4),
        '億' | '亿' => Some(1e8),
        '兆' => Some(1e12),
        _ => None,
    }
}

/// Whether a price has its tax in it.
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

/// What a text, in lower case, says of tax: each with the words that say it.
pub(super) fn taxes(lower: &str) -> Vec<(Tax, &'static str)> {
    TAXES.iter().filter(|(name, _)| contains_word(lower, name)).map(|(name, tax)| (*tax, *name)).collect()
}

fn contains_word(text: &str, word: &str) -> bool {
    let is_letter = |c: char| c.is_ascii_alphanumeric();
    text.match_indices(word).any(|(at, _)| {
        !word.is_ascii() || !text[..at].ends_with(is_letter) && !text[at + word.len()..].starts_with(is_letter)
    })
}
