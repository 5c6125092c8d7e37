//! Detects the language of a text. A few words tell little by themselves, so their surroundings count: for a document
//! all of its text and what it declares ([`LanguageTracker`]), for a query the languages of the searched documents
//! ([`Spoken`]).

mod han;
mod spoken;
mod words;

use std::borrow::Cow;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use whatlang::{Detector, Lang, Script};

use super::UnknownLanguage;
pub use spoken::Spoken;
use words::Evidence;
pub(super) use words::is_function_word;
pub use words::is_small_word;

/// A detected language, by its ISO 639-3 code; `und` where it is unknown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Language(pub Option<whatlang::Lang>);

impl Language {
    /// English.
    pub const ENGLISH: Language = Language(Some(whatlang::Lang::Eng));
    /// The unknown language.
    pub const UNKNOWN: Language = Language(None);

    /// Its ISO 639-3 code, or `und`.
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

    /// The language of a tag as documents declare it, such as `de-AT`; [`Language::UNKNOWN`] if the tag names none.
    pub fn tagged(tag: &str) -> Self {
        let primary = tag.trim().split(['-', '_', ' ', ',']).next().unwrap_or_default();
        if (2..=3).contains(&primary.len()) {
            super::language_names::parse(primary).unwrap_or_default()
        } else {
            Language::UNKNOWN
        }
    }

    /// Whether the language is written in the script of most of `text`. An unknown one may be.
    pub fn is_written_as(self, text: &str) -> bool {
        let script = whatlang::detect_script(text);
        self.0.zip(script).is_none_or(|(lang, script)| match lang {
            Lang::Jpn => matches!(script, Script::Hiragana | Script::Katakana | Script::Mandarin),
            lang => script.langs().contains(&lang),
        })
    }

    /// Whether a lower-case word is a small word of the language, such as an article or a preposition.
    pub fn has_small_word(self, word: &str) -> bool {
        self.0.is_some_and(|lang| is_function_word(word, lang))
    }

    /// Its tag for browsers, which choose fonts and voices by it, such as `de`. For an unknown language it is `en`,
    /// since the program's own words are English.
    pub fn tag(self) -> &'static str {
        self.0.map_or("en", super::language_names::tag)
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

/// The number of characters that are examined: more do not change the answer, and trigrams are slow.
const SAMPLE_CHARS: usize = 600;
/// Below this many characters trigrams are noise.
const SHORT_CHARS: usize = 60;
/// A text is Japanese if kana are more than this many per thousand of its ideographs and kana. With fewer its
/// ideographs decide: tables and forms have few kana, and Chinese quotes some.
const KANA_PER_MILLE: usize = 50;
/// The number of places in a document that are examined, and the characters of each.
const PLACES: usize = 8;
const PLACE_CHARS: usize = 300;
/// A part of a document is in another language than the text before it if its small words speak for that language this
/// many times as clearly, and there are at least this many of them.
const TURN: f32 = 2.0;
const TURN_WORDS: usize = 4;

/// Detects the language of `text` from a sample of its beginning, middle and end; unknown if it is too short or too
/// mixed.
///
/// The dominant script decides first. Among languages of one script, small words decide if there are enough, then
/// trigrams; a short text in ASCII is English unless its small words say otherwise. For a few words in known
/// surroundings, [`Spoken::query_language`] tells more.
pub fn detect_language(text: &str) -> Language {
    let sample = sample(text);
    match quick(&sample) {
        QuickGuess::Certain(language) => language,
        QuickGuess::Ideographs => ideograph_language(Language::UNKNOWN),
        QuickGuess::Doubtful(_, evidence) => detect_shared_script(&sample, &evidence),
    }
}

/// Detects the languages of a document's parts in turn.
///
/// Trigrams cost more than everything else that is done to a part, and on lists and code they guess. If script and
/// small words do not decide, a part has the language of the text before it, unless trigrams say otherwise; these
/// examine only prose, and less often the longer they agree. Small words of another language than that of the text
/// before are believed if there are several and they are clear.
#[derive(Clone, Debug)]
pub struct LanguageTracker {
    language: Language,
    /// Trigram checks in a row that changed nothing.
    agreed: u32,
    /// Doubtful parts still to be skipped before the next trigram check.
    pause: u32,
}

impl LanguageTracker {
    /// Begins with the language of the document as a whole; `declared` is the one that the document declares, which is
    /// believed unless the text clearly says otherwise.
    pub fn new(document: &str, declared: Language) -> Self {
        LanguageTracker { language: of_document(document, declared), agreed: 0, pause: 0 }
    }

    /// The language of the document's next part.
    pub fn detect(&mut self, part: &str) -> Language {
        let sample = sample(part);
        let (script, evidence) = match quick(&sample) {
            QuickGuess::Certain(language) => {
                if language != Language::UNKNOWN {
                    self.language = language;
                }
                return language;
            }
            QuickGuess::Ideographs => return ideograph_language(self.language),
            QuickGuess::Doubtful(script, evidence) => (script, evidence),
        };
        if !script.fits(self.language) || self.language == Language::UNKNOWN {
            let found = detect_shared_script(&sample, &evidence);
            if found != Language::UNKNOWN && script.fits(self.language) {
                self.language = found;
            }
            return found;
        }
        let (_, own) = self.language.0.map_or((0, 0.0), |lang| evidence.of_language(lang));
        match evidence.leaders()[..] {
            [] => {}
            [lang, ..] if !switches_language(evidence.of_language(lang), own) => {
                return self.language;
            }
            [lang] => {
                self.language = Language(Some(lang));
                return self.language;
            }
            [..] => {
                self.language = detect_shared_script(&sample, &evidence);
                return self.language;
            }
        }
        if self.pause > 0 {
            self.pause -= 1;
        } else if is_prose(&sample) {
            let found = by_trigrams(&sample);
            if found == Language::UNKNOWN || found == self.language || own > 0.0 {
                self.agreed = (self.agreed + 1).min(5);
                self.pause = (1 << self.agreed) - 1;
            } else {
                (self.language, self.agreed) = (found, 0);
            }
        }
        self.language
    }
}

/// Whether small words, as [`Evidence::of_language`] counts them, outweigh those of the current language.
fn switches_language((words, score): (usize, f32), own: f32) -> bool {
    score >= own * TURN && (words >= TURN_WORDS || own == 0.0)
}

/// The language of most of a document, from places all over it.
fn of_document(text: &str, declared: Language) -> Language {
    let spread: Cow<'_, str> = if text.len() <= PLACES * PLACE_CHARS {
        Cow::Borrowed(text)
    } else {
        let step = text.len() / PLACES;
        let places = (0..PLACES).map(|nth| first_chars(&text[text.ceil_char_boundary(nth * step)..], PLACE_CHARS));
        Cow::Owned(places.collect::<Vec<_>>().join(" "))
    };
    let (script, evidence) = match quick(&spread) {
        QuickGuess::Certain(language) => return language,
        QuickGuess::Ideographs => return ideograph_language(declared),
        QuickGuess::Doubtful(script, evidence) => (script, evidence),
    };
    let leaders = evidence.leaders();
    if let Some(lang) = declared.0.filter(|_| script.fits(declared) && declared.is_written_as(&spread)) {
        let (_, own) = evidence.of_language(lang);
        if leaders.first().is_none_or(|&other| !switches_language(evidence.of_language(other), own)) {
            return declared;
        }
    }
    detect_shared_script(&spread, &evidence)
}

fn sample(text: &str) -> Cow<'_, str> {
    if text.len() <= SAMPLE_CHARS * 16 {
        return Cow::Borrowed(first_chars(text, SAMPLE_CHARS));
    }
    let third = SAMPLE_CHARS / 3;
    let places = [0, text.len() / 2, text.len() - third * 4];
    Cow::Owned(places.map(|at| first_chars(&text[text.ceil_char_boundary(at)..], third)).join(" "))
}

/// The result of the cheap checks.
enum QuickGuess {
    Certain(Language),
    /// Ideographs that Japanese and Chinese share.
    Ideographs,
    Doubtful(DoubtfulScript, Box<Evidence>),
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

fn quick(sample: &str) -> QuickGuess {
    let counts = ScriptCounts::of(sample);
    let letters = counts.latin + counts.han + counts.kana + counts.hangul + counts.other;
    if letters == 0 {
        return QuickGuess::Certain(Language::UNKNOWN);
    }
    // An ideograph counts as much as two letters, so a Japanese sentence full of Latin names stays Japanese.
    let east = counts.han + counts.kana;
    let heaviest = (2 * east).max(2 * counts.hangul).max(counts.latin).max(counts.other);
    if heaviest == 2 * east {
        let has_kana = counts.kana * 1000 > east * KANA_PER_MILLE;
        let written = if has_kana { Some(Lang::Jpn) } else { han::written(sample) };
        return match written.or((counts.kana > 0).then_some(Lang::Jpn)) {
            Some(lang) => QuickGuess::Certain(Language(Some(lang))),
            None => QuickGuess::Ideographs,
        };
    }
    if heaviest == 2 * counts.hangul {
        return QuickGuess::Certain(Language(Some(Lang::Kor)));
    }
    let script = if heaviest == counts.other { DoubtfulScript::Other } else { DoubtfulScript::Latin };
    QuickGuess::Doubtful(script, Box::new(Evidence::of(sample)))
}

/// The language of ideographs that Japanese and Chinese share: the one known of their surroundings, or else Chinese.
fn ideograph_language(known: Language) -> Language {
    if matches!(known.0, Some(Lang::Jpn | Lang::Cmn)) { known } else { Language(Some(Lang::Cmn)) }
}

/// The language of a passage that is taken for `stored`, for a question in `asked_in`. Ideographs that Japanese and
/// Chinese share are taken for Chinese where nothing around them tells more; a Japanese question tells more.
pub fn language_for_question(text: &str, stored: Language, asked_in: Language) -> Language {
    let may_be_asked = (stored.0, asked_in.0) == (Some(Lang::Cmn), Some(Lang::Jpn));
    let is_shared = || matches!(quick(&sample(text)), QuickGuess::Ideographs);
    if may_be_asked && is_shared() { asked_in } else { stored }
}

/// The language of a text in a script that many share: by its small words, by trigrams among the languages that these
/// leave, or by trigrams alone. A short text in ASCII is English if nothing speaks against it. A text in Russian letters
/// is Russian if it is shorter still or has letters that only Russian has: trigrams take it for any of its neighbours.
/// English, too, is a text without
/// non-ASCII letters whose few small words are English among code and figures, where trigrams take other things for
/// words.
fn detect_shared_script(sample: &str, evidence: &Evidence) -> Language {
    match evidence.leaders()[..] {
        [lang] => return Language(Some(lang)),
        [] => {}
        [first, ..] => {
            let among = Detector::with_allowlist(evidence.leaders()).detect_lang(sample);
            return Language(among.or(Some(first)));
        }
    }
    let is_short = sample.is_ascii() && sample.len() < 2 * SHORT_CHARS;
    if is_short && sample.bytes().filter(u8::is_ascii_alphabetic).count() < SHORT_CHARS {
        return Language::ENGLISH;
    }
    let is_plain = || sample.chars().all(|one| one.is_ascii() || !one.is_alphabetic());
    let is_russian = |one: char| !one.is_alphabetic() || matches!(one, 'а'..='я' | 'А'..='Я' | 'ё' | 'Ё');
    let is_short = sample.chars().count() < SHORT_CHARS / 2;
    if (is_short || sample.contains(['ы', 'э', 'ё'])) && sample.chars().all(is_russian) {
        return Language(Some(Lang::Rus));
    }
    if evidence.is_led_by(Lang::Eng) && is_plain() && !is_prose(sample) {
        return Language::ENGLISH;
    }
    by_trigrams(sample)
}

fn by_trigrams(sample: &str) -> Language {
    let sure = |info: &whatlang::Info| info.script() != Script::Latin || info.is_reliable() || info.confidence() > 0.5;
    Language(whatlang::detect(sample).filter(sure).map(|info| info.lang()))
}

/// Whether a text is running words: code and tables are full of other things.
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

/// Whether a letter is of the Latin alphabet, with accents or without.
pub fn is_latin(letter: char) -> bool {
    matches!(u32::from(letter), 0x41..=0x5a | 0x61..=0x7a | 0xc0..=0x24f | 0x1e00..=0x1eff)
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
                _ if is_latin(character) => &mut counts.latin,
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
        check("Hotelkosten werden bis 135,00 € je Nacht erstattet.", "deu");
        check("서울은 대한민국의 수도이다.", "kor");
        check("Москва является столицей России и крупнейшим городом страны", "rus");
        check("Курение запрещено.", "rus");
        check("Η Αθήνα είναι πρωτεύουσα της Ελλάδας", "ell");
        check(
            "The Simpsons (ザ・シンプソンズ) is an American animated sitcom that was created by Matt Groening",
            "eng",
        );
        check("アニメThe Simpsonsは1989年に始まった", "jpn");
        check(
            "| 検査の種類 | 周期 | 担当班 |\n| 仕業検査 | 3日以内 | 検修1班 |\n| 重要部検査 | 4年以内 | 検修2班 |",
            "jpn",
        );
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
        let mut tracker = LanguageTracker::new(
            "It is the capital of the country and has been so for a long time.",
            Language::UNKNOWN,
        );
        let parts = [
            ("let x = foo(bar)?; x.baz::<Qux>(); return Ok(y[0] + z[1] * 2);", "eng"),
            (turkish, "tur"),
            ("ANKARA-123; İZMİR-456; BURSA-789; ADANA-012; KONYA-345; VAN-678", "tur"),
            ("東京は日本の首都です。", "jpn"),
            ("大阪本部, 神戸本部", "jpn"),
            ("The end of it is that the capital was moved to the east.", "eng"),
            ("Москва является столицей России и крупнейшим городом страны", "rus"),
        ];
        for (part, expected) in parts {
            assert_eq!(tracker.detect(part).code(), expected, "of {part:?}");
        }
    }

    #[test]
    fn short_texts_of_many_languages() {
        check("El proyecto de la red en el que se basa", "spa");
        check("Acest program este folosit pentru a afișa o listă de fișiere", "ron");
        check("Dosyaların listesini görmek için bu komut kullanılır ve sonra bir dosya seçilir", "tur");
        check("Program, który jest używany do wyświetlania plików, nie może być uruchomiony", "pol");
        check("Программа, которая используется для просмотра файлов, может быть запущена", "rus");
        check("Програма, яка використовується для перегляду файлів, може бути запущена", "ukr");
    }

    #[test]
    fn a_document_is_judged_by_all_of_it_and_by_what_it_declares() {
        fn check_document(document: &str, declared: &str, part: &str, expected: &str) {
            let mut tracker = LanguageTracker::new(document, Language::from_code(declared));
            assert_eq!(tracker.detect(part).code(), expected, "{declared}: {part}");
        }
        let spanish = "El tren sale de la estación a las ocho y llega por la tarde a la capital de la provincia.";
        check_document(spanish, "", "Tren de Madrid", "spa");
        check_document("Tren 12: Madrid, Lugo", "glg", "Tren de Madrid", "eng");
        check_document("Tren 12: Madrid, Lugo", "spa", "Madrid, Lugo, Burgos", "spa");
        // Templates declare English whatever is written in them.
        check_document(spanish, "eng", "Madrid, Lugo, Burgos", "spa");
        check_document("東京は日本の首都です。", "eng", "大阪は商業の街です。", "jpn");
        let code = "let port = Port::named(\"Kalmar\")?; let pier = port.pier(\"Norra\");\nlet tide = pier.tide(Day::new(2, 5));\n\
            assert_eq!(tide.level(), Level::Low);\nlet vessel = Vessel::load(\"kolo.toml\")?;\n\
            vessel.moor(&pier, Line::Stern).unwrap();\nlet sail = vessel.sails().last().unwrap();\n\
            port.close(); vessel.sail(&port)?;\nlet kilo = vessel.cargo().kilos(); println!(\"{kilo}\");\n\
            let lamp = Lamp::parse(\"<i>rondo</i>\")?;\nlamp.render(&mut Screen::default());\n";
        let manual = format!(
            "# Basin\n\nReads lists of the ports and their tides.\n\n```\n{}```\n\nIt will skip what it cannot read.\n",
            code.repeat(2)
        );
        check_document(&manual, "", &manual, "eng");
        // "n/a" is not taken for French.
        let table =
            "Stall: Cheese; Fee: n/a; Paid: n/a.\n\nStall: Fudge; Fee: n/a; Paid: 12.\n\nStall: Eggs; Fee: n/a.";
        check_document(table, "eng", table, "eng");
    }

    #[test]
    fn ideographs_alone_are_in_the_language_of_a_japanese_question() {
        let check = |text: &str, stored: &str, asked_in: &str, expected: &str| {
            let language = language_for_question(text, Language::from_code(stored), Language::from_code(asked_in));
            assert_eq!(language.code(), expected, "{text} for {asked_in}");
        };
        let form = "申請番号 118\n申請日 5月14日\n承認者 大野一郎";
        assert_eq!(detect_language(form).code(), "cmn");
        check(form, "cmn", "jpn", "jpn");
        check(form, "cmn", "eng", "cmn");
        check("申请编号 118\n申请人 张伟", "cmn", "jpn", "cmn");
    }

    #[test]
    fn nothing_to_tell() {
        check("", "und");
        check("12345 --- 67", "und");
    }
}
