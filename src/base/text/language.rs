use std::collections::HashMap;
use std::sync::LazyLock;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use whatlang::Lang;

/// A detected language, by its ISO 639-3 code; `und` where it is unknown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Language(pub Option<whatlang::Lang>);

impl Language {
    /// English.
    pub const ENGLISH: Language = Language(Some(whatlang::Lang::Eng));
    /// Not known.
    pub const UNKNOWN: Language = Language(None);

    /// ISO 639-3, or `und`.
    pub fn code(self) -> &'static str {
        self.0.map_or("und", |lang| lang.code())
    }

    /// The language of an ISO 639-3 code; [`Language::UNKNOWN`] for any other text.
    pub fn from_code(code: &str) -> Self {
        Language(whatlang::Lang::from_code(code))
    }

    /// Its English name, for prompts and tables.
    pub fn english_name(self) -> &'static str {
        self.0.map_or("unknown", |lang| lang.eng_name())
    }
}

impl Serialize for Language {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.code())
    }
}

impl<'de> Deserialize<'de> for Language {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Language::from_code(&String::deserialize(deserializer)?))
    }
}

/// How many characters are looked at: more does not change the answer, and trigrams are slow.
const SAMPLE_CHARS: usize = 600;
/// Below this many characters trigrams are noise.
const SHORT_CHARS: usize = 60;
/// How many letters of kana in a thousand make a text with ideographs Japanese; Chinese quotes fewer.
const KANA_PER_MILLE: usize = 50;

/// The language of `text`, from a sample of its beginning, middle and end; unknown where it is too short or too mixed
/// to tell.
///
/// The dominant script decides first. Among languages in Latin letters, function words decide where there are enough,
/// then trigrams; a short text (a query) in ASCII is English unless its function words say otherwise.
pub fn detect_language(text: &str) -> Language {
    let mut sample = [""; 3];
    if text.len() > SAMPLE_CHARS * 16 {
        let third = SAMPLE_CHARS / 3;
        sample = [0, text.len() / 2, text.len() - third * 4]
            .map(|at| first_chars(&text[super::ceil_boundary(text, at)..], third));
    } else {
        sample[0] = first_chars(text, SAMPLE_CHARS);
    }
    let counts = ScriptCounts::of(&sample);
    let letters = counts.latin + counts.han + counts.kana + counts.hangul + counts.other;
    if letters == 0 {
        return Language::UNKNOWN;
    }
    // An ideograph says about as much as two letters, so a Japanese sentence full of Latin names stays Japanese.
    let east = counts.han + counts.kana;
    let heaviest = (2 * east).max(2 * counts.hangul).max(counts.latin).max(counts.other);
    if heaviest == 2 * east {
        let japanese = counts.kana * 1000 > east * KANA_PER_MILLE;
        return Language(Some(if japanese { Lang::Jpn } else { Lang::Cmn }));
    }
    if heaviest == 2 * counts.hangul {
        return Language(Some(Lang::Kor));
    }
    let joined;
    let sample = if sample[1].is_empty() {
        sample[0]
    } else {
        joined = sample.join(" ");
        &joined
    };
    if heaviest == counts.other {
        return Language(whatlang::detect(sample).map(|info| info.lang()));
    }
    if let Some(lang) = by_function_words(sample) {
        return Language(Some(lang));
    }
    if letters < SHORT_CHARS && sample.is_ascii() {
        return Language::ENGLISH;
    }
    let found = whatlang::detect(sample).filter(|info| info.is_reliable() || info.confidence() > 0.5);
    Language(found.map(|info| info.lang()))
}

fn first_chars(text: &str, count: usize) -> &str {
    text.char_indices().nth(count).map_or(text, |(at, _)| &text[..at])
}

#[derive(Default)]
struct ScriptCounts {
    latin: usize,
    han: usize,
    kana: usize,
    hangul: usize,
    other: usize,
}

impl ScriptCounts {
    fn of(sample: &[&str]) -> Self {
        let mut counts = ScriptCounts::default();
        for character in sample.iter().flat_map(|piece| piece.chars()) {
            let count = match u32::from(character) {
                0x41..=0x5a | 0x61..=0x7a | 0xc0..=0x24f | 0x1e00..=0x1eff => &mut counts.latin,
                0x3040..=0x30ff | 0x31f0..=0x31ff | 0xff66..=0xff9d => &mut counts.kana,
                0x3400..=0x9fff | 0xf900..=0xfaff | 0x20000..=0x3ffff => &mut counts.han,
                0x1100..=0x11ff | 0x3130..=0x318f | 0xac00..=0xd7af => &mut counts.hangul,
                _ if character.is_alphabetic() => &mut counts.other,
                _ => continue,
            };
            *count += 1;
        }
        counts
    }
}

/// Words that are frequent in one language and rare or absent in its neighbours.
const FUNCTION_WORDS: [(Lang, &[&str]); 9] = [
    (
        Lang::Eng,
        &[
            "the", "and", "of", "to", "is", "was", "with", "that", "for", "are", "what", "how", "which", "who", "did",
            "does", "were", "this", "from", "by", "has", "have", "when", "why", "where", "its",
        ],
    ),
    (
        Lang::Deu,
        &[
            "der", "die", "das", "und", "ist", "nicht", "ein", "eine", "den", "dem", "mit", "von", "für", "wie", "wer",
            "wann", "wo", "hat", "wurde", "auf", "im", "zu", "sich", "auch", "warum", "welche",
        ],
    ),
    (
        Lang::Fra,
        &[
            "le", "les", "des", "est", "et", "une", "dans", "qui", "pour", "du", "au", "sur", "pas", "quel", "quelle",
            "comment", "pourquoi", "où", "avec", "par", "il", "elle", "sont", "aux",
        ],
    ),
    (
        Lang::Spa,
        &[
            "el", "los", "las", "una", "por", "con", "para", "es", "del", "cómo", "qué", "quién", "cuándo", "dónde",
            "más", "su", "como", "fue", "y", "son", "pero", "cuál",
        ],
    ),
    (
        Lang::Ita,
        &[
            "il", "gli", "della", "di", "che", "è", "per", "una", "nel", "sono", "non", "con", "del", "come", "perché",
            "quando", "chi", "dei", "alla", "più", "anche",
        ],
    ),
    (
        Lang::Por,
        &[
            "o", "os", "uma", "não", "do", "da", "dos", "das", "em", "no", "na", "é", "com", "para", "como", "quem",
            "quando", "foi", "mais", "ao", "são", "por",
        ],
    ),
    (
        Lang::Nld,
        &[
            "het", "een", "van", "en", "niet", "de", "dat", "is", "op", "te", "zijn", "voor", "met", "wat", "hoe",
            "wie", "waarom", "ook", "aan", "door", "werd",
        ],
    ),
    (
        Lang::Swe,
        &["och", "att", "det", "som", "är", "inte", "på", "en", "ett", "med", "för", "den", "av", "till", "var"],
    ),
    (Lang::Pol, &["nie", "się", "jest", "na", "do", "że", "w", "z", "i", "jak", "to", "kto", "są", "od", "przez"]),
];

/// Each function word with the languages that have it, as bits of their place in [`FUNCTION_WORDS`].
static WORD_LANGUAGES: LazyLock<HashMap<&'static str, u16>> = LazyLock::new(|| {
    let mut map = HashMap::new();
    for (place, (_, words)) in FUNCTION_WORDS.iter().enumerate() {
        for word in *words {
            *map.entry(*word).or_insert(0) |= 1 << place;
        }
    }
    map
});

/// The language whose function words clearly lead: a tenth of the words at least, and half more than any other.
fn by_function_words(sample: &str) -> Option<Lang> {
    let mut hits = [0usize; FUNCTION_WORDS.len()];
    let mut words = 0;
    let mut lower = String::new();
    for word in sample.split(|character: char| !character.is_alphabetic()).filter(|word| !word.is_empty()) {
        words += 1;
        if word.len() > 9 {
            continue;
        }
        lower.clear();
        lower.extend(word.chars().flat_map(char::to_lowercase));
        let mut bits = WORD_LANGUAGES.get(lower.as_str()).copied().unwrap_or(0);
        while bits != 0 {
            hits[bits.trailing_zeros() as usize] += 1;
            bits &= bits - 1;
        }
    }
    let (best, &most) = hits.iter().enumerate().max_by_key(|&(place, &count)| (count, usize::MAX - place))?;
    let second = hits.iter().enumerate().filter(|&(place, _)| place != best).map(|(_, &count)| count).max()?;
    let enough = if words < 12 { 2 } else { 3 };
    (most >= enough && most * 10 >= words && most * 2 >= second * 3).then_some(FUNCTION_WORDS[best].0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        assert_eq!(detect_language(text).code(), expected, "of {text:?}");
    }

    #[test]
    fn script_decides() {
        check("ザ・シンプソンズはアメリカのアニメです。", "jpn");
        check("东京是日本的首都。", "cmn");
        check("서울은 대한민국의 수도이다.", "kor");
        check("Москва является столицей России и крупнейшим городом страны", "rus");
        check("Η Αθήνα είναι πρωτεύουσα της Ελλάδας", "ell");
        check(
            "The Simpsons (ザ・シンプソンズ) is an American animated sitcom that was created by Matt Groening",
            "eng",
        );
        check("アニメThe Simpsonsは1989年に始まった", "jpn");
    }

    #[test]
    fn short_ascii_is_english_unless_clearly_otherwise() {
        check("pizza Milano", "eng");
        check("Bart Simpson age", "eng");
        check("Wie hat sich die Serie entwickelt und wer ist der Autor", "deu");
        check("qui est le president de la France et pour quoi", "fra");
        check("how has it changed", "eng");
    }

    #[test]
    fn prose_of_latin_languages() {
        check("Der Hund ist nicht im Haus und die Katze schläft auf dem Sofa.", "deu");
        check("Les enfants sont dans le jardin avec une amie qui chante pour eux.", "fra");
        check("La casa es grande y los niños juegan con el perro por las tardes.", "spa");
        check("Türkiye'nin başkenti Ankara'dır ve en kalabalık şehri İstanbul'dur. Ülke iki kıtada yer alır.", "tur");
    }

    #[test]
    fn nothing_to_tell() {
        check("", "und");
        check("12345 --- 67", "und");
    }
}
