//! Words of magnitude and of units, in English, German and Japanese.

/// What a number counts: numbers of one kind compare after their factors.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Unit {
    /// Names the kind.
    pub kind: &'static str,
    /// What one of it is in the kind's first unit.
    pub factor: f64,
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
const WORDS: &[(&str, &str, f64)] = &[
    ("percent", "percent", 1.0),
    ("per cent", "percent", 1.0),
    ("prozent", "percent", 1.0),
    ("percentage points", "points", 1.0),
    ("percentage point", "points", 1.0),
    ("prozentpunkte", "points", 1.0),
    ("prozentpunkten", "points", 1.0),
    ("prozentpunkt", "points", 1.0),
    ("dollar", "USD", 1.0),
    ("dollars", "USD", 1.0),
    ("us dollars", "USD", 1.0),
    ("us-dollar", "USD", 1.0),
    ("usd", "USD", 1.0),
    ("euro", "EUR", 1.0),
    ("euros", "EUR", 1.0),
    ("eur", "EUR", 1.0),
    ("gbp", "GBP", 1.0),
    ("pounds sterling", "GBP", 1.0),
    ("yen", "JPY", 1.0),
    ("jpy", "JPY", 1.0),
    ("chf", "CHF", 1.0),
    ("franken", "CHF", 1.0),
    ("francs", "CHF", 1.0),
    ("km", "length", 1e3),
    ("kilometre", "length", 1e3),
    ("kilometres", "length", 1e3),
    ("kilometer", "length", 1e3),
    ("kilometers", "length", 1e3),
    ("kilometern", "length", 1e3),
    ("m", "length", 1.0),
    ("metre", "length", 1.0),
    ("metres", "length", 1.0),
    ("meter", "length", 1.0),
    ("meters", "length", 1.0),
    ("metern", "length", 1.0),
    ("cm", "length", 1e-2),
    ("centimetres", "length", 1e-2),
    ("zentimeter", "length", 1e-2),
    ("mm", "length", 1e-3),
    ("millimetres", "length", 1e-3),
    ("millimeter", "length", 1e-3),
    ("mile", "length", 1609.344),
    ("miles", "length", 1609.344),
    ("meilen", "length", 1609.344),
    ("feet", "length", 0.3048),
    ("foot", "length", 0.3048),
    ("inches", "length", 0.0254),
    ("kg", "mass", 1.0),
    ("kilo", "mass", 1.0),
    ("kilos", "mass", 1.0),
    ("kilogram", "mass", 1.0),
    ("kilograms", "mass", 1.0),
    ("kilogramm", "mass", 1.0),
    ("g", "mass", 1e-3),
    ("grams", "mass", 1e-3),
    ("gramm", "mass", 1e-3),
    ("mg", "mass", 1e-6),
    ("t", "mass", 1e3),
    ("ton", "mass", 1e3),
    ("tons", "mass", 1e3),
    ("tonne", "mass", 1e3),
    ("tonnes", "mass", 1e3),
    ("tonnen", "mass", 1e3),
    ("l", "volume", 1.0),
    ("litre", "volume", 1.0),
    ("litres", "volume", 1.0),
    ("liter", "volume", 1.0),
    ("liters", "volume", 1.0),
    ("litern", "volume", 1.0),
    ("ml", "volume", 1e-3),
    ("cubic metre", "volume", 1e3),
    ("cubic metres", "volume", 1e3),
    ("cubic meter", "volume", 1e3),
    ("cubic meters", "volume", 1e3),
    ("kubikmeter", "volume", 1e3),
    ("kubikmetern", "volume", 1e3),
    ("m³", "volume", 1e3),
    ("cubic foot", "volume", 28.316_846),
    ("cubic feet", "volume", 28.316_846),
    ("gallon", "volume", 3.785_411),
    ("gallons", "volume", 3.785_411),
    ("gallone", "volume", 3.785_411),
    ("gallonen", "volume", 3.785_411),
    ("lb", "mass", 0.453_592),
    ("lbs", "mass", 0.453_592),
    ("acre", "area", 4046.856),
    ("acres", "area", 4046.856),
    ("hectare", "area", 1e4),
    ("quadratmetern", "area", 1.0),
    ("quadratkilometern", "area", 1e6),
    ("square feet", "area", 0.092_903),
    ("per mille", "percent", 0.1),
    ("promille", "percent", 0.1),
    ("degrees", "degrees", 1.0),
    ("degree", "degrees", 1.0),
    ("grad", "degrees", 1.0),
    ("degrees celsius", "degrees", 1.0),
    ("degree celsius", "degrees", 1.0),
    ("grad celsius", "degrees", 1.0),
    ("degrees fahrenheit", "fahrenheit", 1.0),
    ("grad fahrenheit", "fahrenheit", 1.0),
    ("second", "time", 1.0),
    ("seconds", "time", 1.0),
    ("sekunde", "time", 1.0),
    ("sekunden", "time", 1.0),
    ("minute", "time", 60.0),
    ("minutes", "time", 60.0),
    ("minuten", "time", 60.0),
    ("min", "time", 60.0),
    ("hour", "time", 3600.0),
    ("hours", "time", 3600.0),
    ("stunde", "time", 3600.0),
    ("stunden", "time", 3600.0),
    ("h", "time", 3600.0),
    ("day", "time", 86_400.0),
    ("days", "time", 86_400.0),
    ("tag", "time", 86_400.0),
    ("tage", "time", 86_400.0),
    ("tagen", "time", 86_400.0),
    ("week", "time", 604_800.0),
    ("weeks", "time", 604_800.0),
    ("woche", "time", 604_800.0),
    ("wochen", "time", 604_800.0),
    ("month", "time", 2_629_800.0),
    ("months", "time", 2_629_800.0),
    ("monat", "time", 2_629_800.0),
    ("monate", "time", 2_629_800.0),
    ("monaten", "time", 2_629_800.0),
    ("year", "time", 31_557_600.0),
    ("years", "time", 31_557_600.0),
    ("jahr", "time", 31_557_600.0),
    ("jahre", "time", 31_557_600.0),
    ("jahren", "time", 31_557_600.0),
    ("kwh", "energy", 1.0),
    ("mwh", "energy", 1e3),
    ("gwh", "energy", 1e6),
    ("kw", "power", 1.0),
    ("mw", "power", 1e3),
    ("gw", "power", 1e6),
    ("kb", "data", 1e3),
    ("mb", "data", 1e6),
    ("gb", "data", 1e9),
    ("tb", "data", 1e12),
    ("ha", "area", 1e4),
    ("hectares", "area", 1e4),
    ("hektar", "area", 1e4),
    ("m2", "area", 1.0),
    ("m²", "area", 1.0),
    ("km2", "area", 1e6),
    ("km²", "area", 1e6),
    ("square metres", "area", 1.0),
    ("square meters", "area", 1.0),
    ("square kilometres", "area", 1e6),
    ("square kilometers", "area", 1e6),
    ("quadratmeter", "area", 1.0),
    ("quadratkilometer", "area", 1e6),
    ("times", "times", 1.0),
    ("mal", "times", 1.0),
];

/// Units that follow a number without a space, the longest first among those that begin alike.
const WIDE: &[(&str, &str, f64)] = &[
    ("パーセントポイント", "points", 1.0),
    ("パーセント", "percent", 1.0),
    ("ポイント", "points", 1.0),
    ("割", "percent", 10.0),
    ("米ドル", "USD", 1.0),
    ("ドル", "USD", 1.0),
    ("ユーロ", "EUR", 1.0),
    ("円", "JPY", 1.0),
    ("元", "CNY", 1.0),
    ("ウォン", "KRW", 1.0),
    ("キロメートル", "length", 1e3),
    ("センチメートル", "length", 1e-2),
    ("ミリメートル", "length", 1e-3),
    ("平方メートル", "area", 1.0),
    ("平方キロ", "area", 1e6),
    ("メートル", "length", 1.0),
    ("キログラム", "mass", 1.0),
    ("グラム", "mass", 1e-3),
    ("トン", "mass", 1e3),
    ("リットル", "volume", 1.0),
    ("ヘクタール", "area", 1e4),
    ("秒", "time", 1.0),
    ("分の", "fraction", 1.0),
    ("分", "time", 60.0),
    ("時間", "time", 3600.0),
    ("時", "clock", 1.0),
    ("日間", "time", 86_400.0),
    ("日", "time", 86_400.0),
    ("週間", "time", 604_800.0),
    ("か月", "time", 2_629_800.0),
    ("ヶ月", "time", 2_629_800.0),
    ("カ月", "time", 2_629_800.0),
    ("ケ月", "time", 2_629_800.0),
    ("箇月", "time", 2_629_800.0),
    ("年間", "time", 31_557_600.0),
    ("年", "time", 31_557_600.0),
    ("人", "people", 1.0),
    ("名", "people", 1.0),
    ("歳", "age", 1.0),
    ("才", "age", 1.0),
    ("件", "cases", 1.0),
    ("個", "pieces", 1.0),
    ("台", "machines", 1.0),
    ("社", "firms", 1.0),
    ("店", "shops", 1.0),
    ("回", "times", 1.0),
    ("倍", "fold", 1.0),
    ("枚", "sheets", 1.0),
    ("冊", "books", 1.0),
    ("度", "degrees", 1.0),
    ("℃", "degrees", 1.0),
    ("°c", "degrees", 1.0),
    ("° c", "degrees", 1.0),
    ("°f", "fahrenheit", 1.0),
    ("° f", "fahrenheit", 1.0),
    ("‰", "percent", 0.1),
    ("立方メートル", "volume", 1e3),
    ("ガロン", "volume", 3.785_411),
    ("°", "degrees", 1.0),
    ("%", "percent", 1.0),
    ("€", "EUR", 1.0),
    ("$", "USD", 1.0),
    ("£", "GBP", 1.0),
];

/// Kinds of which one in place of another is a mistake; the rest may be told in other words.
const STRICT: &[&str] = &[
    "percent",
    "points",
    "USD",
    "EUR",
    "GBP",
    "JPY",
    "CHF",
    "CNY",
    "KRW",
    "length",
    "mass",
    "volume",
    "time",
    "energy",
    "power",
    "data",
    "area",
    "people",
    "age",
    "cases",
    "pieces",
    "machines",
    "firms",
    "shops",
    "fold",
    "sheets",
    "books",
    "degrees",
    "fahrenheit",
];

impl Unit {
    /// Whether another kind in its place says something else.
    pub fn is_strict(self) -> bool {
        STRICT.contains(&self.kind)
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
        return Some((Unit { kind, factor: *factor }, name.chars().count()));
    }
    let word = WORDS.iter().filter(|(name, ..)| starts(name) && whole(name)).max_by_key(|(name, ..)| name.len());
    word.map(|(name, kind, factor)| (Unit { kind, factor: *factor }, name.chars().count()))
}

/// The currency that stands right before a number: the sign or the code at the end of `text`.
pub(super) fn currency_before(text: &[char]) -> Option<Unit> {
    let text: String = text.iter().rev().take(4).rev().collect();
    let text = text.trim_end();
    let named = |kind| Some(Unit { kind, factor: 1.0 });
    match text.chars().next_back()? {
        '$' => named("USD"),
        '€' => named("EUR"),
        '£' => named("GBP"),
        '¥' | '￥' => named("JPY"),
        _ => ["USD", "EUR", "GBP", "JPY", "CHF"]
            .into_iter()
            .find(|code| text.ends_with(&code.to_lowercase()))
            .and_then(named),
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
