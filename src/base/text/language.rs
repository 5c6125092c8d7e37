use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::LazyLock;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use whatlang::{Lang, Script};

use super::UnknownLanguage;
use super::stems::WordHashing;

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

    /// The language that a person means by a code of two or three letters or by an English name.
    pub fn named(text: &str) -> Result<Self, UnknownLanguage> {
        super::language_names::parse(text)
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
    let sample = sample(text);
    match quick(&sample) {
        Quick::Certain(language) => language,
        Quick::Doubtful(_) => by_trigrams(&sample),
    }
}

/// Detects the languages of one document's parts in turn.
///
/// Trigrams cost more than everything else that is done to a part, and on lists and code they guess. Where script and
/// function words do not decide, a part has the language of what stands before it, unless trigrams, which look at
/// prose only and less often the longer they agree, say otherwise.
#[derive(Clone, Debug)]
pub struct LanguageTracker {
    language: Language,
    /// Trigrams in a row that changed nothing.
    agreed: u32,
    /// Doubtful parts still to pass before trigrams look again.
    pause: u32,
}

impl LanguageTracker {
    /// Begins with the language of the document as a whole.
    pub fn new(document: &str) -> Self {
        LanguageTracker { language: detect_language(document), agreed: 0, pause: 0 }
    }

    /// The language of the document's next part.
    pub fn detect(&mut self, part: &str) -> Language {
        let sample = sample(part);
        match quick(&sample) {
            Quick::Certain(language) => {
                if language != Language::UNKNOWN {
                    self.language = language;
                }
                return language;
            }
            Quick::Doubtful(script) if !script.fits(self.language) => return by_trigrams(&sample),
            Quick::Doubtful(_) => {}
        }
        if self.pause > 0 {
            self.pause -= 1;
        } else if is_prose(&sample) {
            let found = by_trigrams(&sample);
            if found == Language::UNKNOWN || found == self.language {
                self.agreed = (self.agreed + 1).min(5);
                self.pause = (1 << self.agreed) - 1;
            } else {
                (self.language, self.agreed) = (found, 0);
            }
        }
        self.language
    }
}

fn sample(text: &str) -> Cow<'_, str> {
    if text.len() <= SAMPLE_CHARS * 16 {
        return Cow::Borrowed(first_chars(text, SAMPLE_CHARS));
    }
    let third = SAMPLE_CHARS / 3;
    let places = [0, text.len() / 2, text.len() - third * 4];
    Cow::Owned(places.map(|at| first_chars(&text[super::ceil_boundary(text, at)..], third)).join(" "))
}

/// What the cheap signs tell.
enum Quick {
    Certain(Language),
    Doubtful(DoubtfulScript),
}

/// Scripts that many languages share.
#[derive(Clone, Copy, PartialEq, Eq)]
enum DoubtfulScript {
    Latin,
    Other,
}

impl DoubtfulScript {
    fn fits(self, language: Language) -> bool {
        let is_latin = language.0.is_none_or(|lang| Script::Latin.langs().contains(&lang));
        is_latin == (self == DoubtfulScript::Latin) && !matches!(language.0, Some(Lang::Jpn | Lang::Cmn | Lang::Kor))
    }
}

fn quick(sample: &str) -> Quick {
    let counts = ScriptCounts::of(sample);
    let letters = counts.latin + counts.han + counts.kana + counts.hangul + counts.other;
    if letters == 0 {
        return Quick::Certain(Language::UNKNOWN);
    }
    // An ideograph says about as much as two letters, so a Japanese sentence full of Latin names stays Japanese.
    let east = counts.han + counts.kana;
    let heaviest = (2 * east).max(2 * counts.hangul).max(counts.latin).max(counts.other);
    if heaviest == 2 * east {
        let japanese = counts.kana * 1000 > east * KANA_PER_MILLE;
        return Quick::Certain(Language(Some(if japanese { Lang::Jpn } else { Lang::Cmn })));
    }
    if heaviest == 2 * counts.hangul {
        return Quick::Certain(Language(Some(Lang::Kor)));
    }
    if heaviest == counts.other {
        return Quick::Doubtful(DoubtfulScript::Other);
    }
    if let Some(lang) = by_function_words(sample) {
        return Quick::Certain(Language(Some(lang)));
    }
    if letters < SHORT_CHARS && sample.is_ascii() && sample.len() < 2 * SHORT_CHARS {
        return Quick::Certain(Language::ENGLISH);
    }
    Quick::Doubtful(DoubtfulScript::Latin)
}

fn by_trigrams(sample: &str) -> Language {
    let sure = |info: &whatlang::Info| info.script() != Script::Latin || info.is_reliable() || info.confidence() > 0.5;
    Language(whatlang::detect(sample).filter(sure).map(|info| info.lang()))
}

/// Whether a text is words in a row: code and tables are full of other things.
fn is_prose(sample: &str) -> bool {
    let (mut characters, mut odd, mut spaces) = (0usize, 0usize, 0usize);
    for character in sample.chars() {
        characters += 1;
        spaces += usize::from(character == ' ');
        odd += usize::from(!(character.is_alphabetic() || matches!(character, ' ' | ',' | '.' | '\'' | '’')));
    }
    spaces >= 12 && odd * 12 <= characters
}

fn first_chars(text: &str, count: usize) -> &str {
    if let Some((first, _)) = text.split_at_checked(count).filter(|(first, _)| first.is_ascii()) {
        return first;
    }
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
    fn of(sample: &str) -> Self {
        let mut counts = ScriptCounts::default();
        if sample.is_ascii() {
            counts.latin = sample.bytes().filter(u8::is_ascii_alphabetic).count();
            return counts;
        }
        for character in sample.chars() {
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
static WORD_LANGUAGES: LazyLock<HashMap<&'static str, u16, WordHashing>> = LazyLock::new(|| {
    let mut map = HashMap::with_hasher(WordHashing::new());
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
        if word.is_ascii() {
            lower.push_str(word);
            lower.make_ascii_lowercase();
        } else {
            lower.extend(word.chars().flat_map(char::to_lowercase));
        }
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
    fn parts_of_a_document() {
        let turkish = "Türkiye'nin başkenti Ankara'dır ve en kalabalık şehri İstanbul'dur. Ülke iki kıtada yer alır ve komşuları vardır.";
        let mut tracker = LanguageTracker::new("It is the capital of the country and has been so for a long time.");
        let parts = [
            ("let x = foo(bar)?; x.baz::<Qux>(); return Ok(y[0] + z[1] * 2);", "eng"),
            (turkish, "tur"),
            ("ANKARA-123; İZMİR-456; BURSA-789; ADANA-012; KONYA-345; VAN-678", "tur"),
            ("東京は日本の首都です。", "jpn"),
            ("The end of it is that the capital was moved to the east.", "eng"),
            ("Москва является столицей России и крупнейшим городом страны", "rus"),
        ];
        for (part, expected) in parts {
            assert_eq!(tracker.detect(part).code(), expected, "of {part:?}");
        }
    }

    #[test]
    fn nothing_to_tell() {
        check("", "und");
        check("12345 --- 67", "und");
    }
}
