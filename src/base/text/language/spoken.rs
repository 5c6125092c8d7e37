//! The languages of the searched documents, and what they tell about a query.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use whatlang::{Detector, Lang, Script};

use super::words::Evidence;
use super::{KANA_PER_MILLE, Language, ScriptCounts, detect_language, han, is_latin};

/// The fewest small words of a language in a query for it to count although no document is in it.
const FOREIGN_WORDS: usize = 2;
/// A language with more than this share of the passages in a query's script is that of a query that tells nothing
/// itself.
const ALMOST_ALL: f32 = 0.8;
/// The highest score from trigrams; a word that only one language has scores about 3.
const TRIGRAMS: f32 = 2.5;

/// The languages of some documents with their numbers of passages: the most frequent first, then by code.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Spoken(Vec<(Language, u64)>);

impl Spoken {
    /// Sums counts, in which a language may occur several times.
    pub fn of(counts: impl IntoIterator<Item = (Language, u64)>) -> Self {
        let mut sums: BTreeMap<&'static str, u64> = BTreeMap::new();
        for (language, count) in counts {
            *sums.entry(language.code()).or_default() += count;
        }
        let mut sums: Vec<(&'static str, u64)> = sums.into_iter().filter(|(_, count)| *count > 0).collect();
        sums.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
        Spoken(sums.into_iter().map(|(code, count)| (Language::from_code(code), count)).collect())
    }

    /// Whether no language is known.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Each language with its number of passages.
    pub fn counts(&self) -> impl Iterator<Item = (Language, u64)> + '_ {
        self.0.iter().copied()
    }

    /// The languages of both, with their counts added.
    pub fn with(&self, other: &Spoken) -> Spoken {
        Spoken::of(self.counts().chain(other.counts()))
    }

    /// The counts of these languages less those of `gone`.
    pub fn without(&self, gone: &Spoken) -> Spoken {
        Spoken::of(self.counts().map(|(language, count)| (language, count.saturating_sub(gone.count(language)))))
    }

    /// The language of a query to documents in these languages. A few words seldom tell by themselves: the languages of
    /// the documents decide unless the words clearly say otherwise. Unknown if the query may be in several.
    pub fn query_language(&self, query: &str) -> Language {
        if self.0.is_empty() {
            return detect_language(query);
        }
        let counts = ScriptCounts::of(query);
        let east = counts.han + counts.kana;
        let rest = counts.latin.max(counts.other);
        if 2 * counts.hangul > rest && counts.hangul > east {
            return Language(Some(Lang::Kor));
        }
        if 2 * east > rest {
            return self.japanese_or_chinese(query, &counts);
        }
        let Some(script) = script_of(query, &counts) else { return Language::UNKNOWN };
        self.of_script(query, script)
    }

    /// As [`Self::query_language`], for callers that must answer in some language: a question that may be in several is taken
    /// to be in the most frequent one that is written in its script.
    pub fn answer_language(&self, question: &str) -> Language {
        let found = self.query_language(question);
        if found != Language::UNKNOWN {
            return found;
        }
        let fits = |language: &Language| *language != Language::UNKNOWN && language.is_written_as(question);
        let most = self.counts().map(|(language, _)| language).find(fits);
        most.unwrap_or_else(|| detect_language(question))
    }

    /// The most frequent language; unknown if there is none.
    pub fn most(&self) -> Language {
        self.0.first().map_or(Language::UNKNOWN, |(language, _)| *language)
    }

    /// Japanese or Chinese; unknown if the query may be either.
    fn japanese_or_chinese(&self, query: &str, counts: &ScriptCounts) -> Language {
        let (japanese, chinese) = (Language(Some(Lang::Jpn)), Language(Some(Lang::Cmn)));
        if counts.kana * 1000 > (counts.han + counts.kana) * KANA_PER_MILLE {
            return japanese;
        }
        if counts.kana == 0 && han::speaks_chinese(query) {
            return chinese;
        }
        let (only_japanese, only_chinese) = han::count_exclusive_ideographs(query);
        if only_chinese > only_japanese {
            return chinese;
        }
        if only_japanese > 0 && (self.count(japanese) > 0 || self.count(chinese) == 0) {
            return japanese;
        }
        let (of_japanese, of_chinese) = (self.count(japanese) as f32, self.count(chinese) as f32);
        let all = of_japanese + of_chinese;
        if of_japanese > ALMOST_ALL * all {
            japanese
        } else if all > 0.0 && of_chinese <= ALMOST_ALL * all {
            // The word may be of both.
            Language::UNKNOWN
        } else {
            chinese
        }
    }

    fn of_script(&self, query: &str, script: Script) -> Language {
        let written = script.langs();
        if let [only] = written {
            return Language(Some(*only));
        }
        let here: Vec<(Lang, u64)> = self
            .0
            .iter()
            .filter_map(|(language, count)| Some((language.0?, *count)))
            .filter(|(lang, _)| written.contains(lang))
            .collect();
        let all: u64 = here.iter().map(|(_, count)| count).sum();
        let share = |lang: Lang| {
            here.iter().find(|(known, _)| *known == lang).map_or(0.0, |(_, count)| *count as f32 / all as f32)
        };
        let evidence = Evidence::of(query);
        let guess = self.by_trigrams(query, &here);
        let mut scored: Vec<(f32, Lang)> = Vec::new();
        let foreign = evidence.languages().filter(|lang| share(*lang) == 0.0 && written.contains(lang));
        for lang in here.iter().map(|(lang, _)| *lang).chain(foreign) {
            let (words, score) = evidence.of_language(lang);
            if share(lang) == 0.0 && words < FOREIGN_WORDS {
                continue;
            }
            let by_trigrams =
                guess.filter(|(guessed, _)| *guessed == lang).map_or(0.0, |(_, confidence)| confidence * TRIGRAMS);
            scored.push(((1.0 + 20.0 * share(lang)).ln() + score + by_trigrams, lang));
        }
        scored.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.code().cmp(b.1.code())));
        let Some(&(best, lang)) = scored.first() else { return of_words_in_script(query, script, &evidence) };
        // Nothing but its share of the documents speaks for it.
        let says_nothing = evidence.of_language(lang).0 == 0 && guess.is_none_or(|(guessed, _)| guessed != lang);
        let is_close = scored.get(1).is_some_and(|(second, _)| best - second < 0.7);
        if share(lang) < ALMOST_ALL && (says_nothing || is_close) { Language::UNKNOWN } else { Language(Some(lang)) }
    }

    /// The language of the documents that trigrams take a query for, and their confidence.
    fn by_trigrams(&self, query: &str, here: &[(Lang, u64)]) -> Option<(Lang, f32)> {
        if here.len() < 2 {
            return None;
        }
        let info = Detector::with_allowlist(here.iter().map(|(lang, _)| *lang).collect()).detect(query)?;
        (info.confidence() > 0.0).then(|| (info.lang(), info.confidence().min(1.0) as f32))
    }

    fn count(&self, language: Language) -> u64 {
        self.0.iter().find(|(known, _)| *known == language).map_or(0, |(_, count)| *count)
    }
}

/// The language of a query's words in `script`, whatever the documents are in.
fn of_words_in_script(query: &str, script: Script, evidence: &Evidence) -> Language {
    if script == Script::Latin {
        return detect_language(query);
    }
    let words: String = query.chars().filter(|one| !is_latin(*one)).collect();
    let small = script.langs().iter().rev().map(|lang| (evidence.of_language(*lang).0, *lang)).max_by_key(|one| one.0);
    small.filter(|(count, _)| *count > 0).map_or_else(|| detect_language(&words), |(_, lang)| Language(Some(lang)))
}

/// The script of a query. Among words of another script, Latin letters spell names and commands, however many: the
/// Latin part of `Где ezmlm/qmail?` is not English. Small words of a Latin language do count.
fn script_of(query: &str, counts: &ScriptCounts) -> Option<Script> {
    let most = whatlang::detect_script(query)?;
    if most != Script::Latin || counts.other == 0 {
        return Some(most);
    }
    let others: String = query.chars().filter(|one| !is_latin(*one)).collect();
    let Some(other) = whatlang::detect_script(&others) else { return Some(most) };
    let evidence = Evidence::of(query);
    let small = |script: Script| {
        let words = script.langs().iter().map(|lang| evidence.of_language(*lang).0);
        words.max().unwrap_or(0)
    };
    let is_named = small(other) > 0 || 2 * counts.other >= counts.latin;
    Some(if is_named && small(Script::Latin) < FOREIGN_WORDS.max(small(other)) { other } else { most })
}

/// Serialized as a map from code to count.
impl Serialize for Spoken {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(language, count)| (language.code(), count)))
    }
}

impl<'de> Deserialize<'de> for Spoken {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let counts: BTreeMap<String, u64> = BTreeMap::deserialize(deserializer)?;
        Ok(Spoken::of(counts.into_iter().map(|(code, count)| (Language::from_code(&code), count))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(spoken: &[(&str, u64)], query: &str, expected: &str) {
        let spoken = Spoken::of(spoken.iter().map(|(code, count)| (Language::from_code(code), *count)));
        assert_eq!(spoken.query_language(query).code(), expected, "{query} over {spoken:?}");
    }

    #[test]
    fn what_is_spoken_decides_where_words_do_not() {
        check(&[("spa", 90), ("eng", 2)], "Lady Gaga", "spa");
        check(&[("spa", 90)], "mapa de red", "spa");
        check(&[("deu", 50)], "Hauptstadt Bayern", "deu");
        check(&[("eng", 50)], "pizza Milano", "eng");
        check(&[("spa", 50), ("eng", 50)], "Lady Gaga", "und");
        check(&[], "Lady Gaga", "eng");
    }

    #[test]
    fn a_question_is_answered_in_some_language() {
        let spoken =
            Spoken::of([(Language::from_code("spa"), 60), (Language::from_code("rus"), 80), (Language::ENGLISH, 50)]);
        assert_eq!(spoken.answer_language("Lady Gaga").code(), "spa");
        assert_eq!(spoken.answer_language("42").code(), "rus");
        assert_eq!(spoken.most().code(), "rus");
    }

    #[test]
    fn clear_words_outweigh_it() {
        check(&[("spa", 90)], "What is the capital of Peru?", "eng");
        check(&[("eng", 90)], "Wer war der erste Kanzler?", "deu");
        check(&[("deu", 40), ("eng", 40), ("spa", 40)], "¿Cuál es la capital del Perú?", "spa");
        check(&[("deu", 40), ("eng", 40), ("spa", 40)], "Wie kann ich die Karte drehen?", "deu");
        check(&[("eng", 40), ("deu", 4)], "How do I rebase?", "eng");
        check(&[("rus", 40), ("ukr", 4)], "столица страны", "rus");
        check(&[("rus", 40), ("ukr", 40)], "Яка столиця і де вона є?", "ukr");
    }

    #[test]
    fn latin_names_do_not_change_the_language_of_another_script() {
        let both = [("rus", 90), ("eng", 20)];
        check(&both, "Где ezmlm/djbdns/qmail?", "rus");
        check(&both, "Что такое Debian GNU/Linux?", "rus");
        check(&both, "Зачем нужны сценарии preinst, postinst, prerm и postrm?", "rus");
        check(&both, "What does Спасибо mean?", "eng");
        check(&both, "the α-helix of a protein", "eng");
        check(&[("ell", 90), ("eng", 20)], "Τι είναι το Debian GNU/Linux;", "ell");
    }

    #[test]
    fn one_small_word_of_a_foreign_language_is_a_name() {
        check(&[("spa", 90)], "Come Together", "spa");
        check(&[("eng", 90)], "Die Hard", "eng");
    }

    #[test]
    fn ideographs_alone_are_of_the_language_that_is_spoken() {
        check(&[("jpn", 90)], "宿泊費", "jpn");
        check(&[("cmn", 90)], "宿泊", "cmn");
        check(&[("jpn", 50), ("cmn", 50)], "宿泊費", "jpn");
        check(&[("jpn", 50), ("cmn", 50)], "网络费用", "cmn");
        check(&[("jpn", 60), ("cmn", 50)], "定年", "und");
        check(&[("jpn", 50), ("cmn", 60)], "定年", "und");
        check(&[("jpn", 90), ("cmn", 10)], "定年", "jpn");
        check(&[("jpn", 10), ("cmn", 90)], "定年", "cmn");
        check(&[("jpn", 90)], "网络", "cmn");
        check(&[("jpn", 90), ("cmn", 5)], "圖書館的館長是誰？", "cmn");
        check(&[("jpn", 90), ("cmn", 5)], "書店在哪裡", "cmn");
        check(&[("jpn", 90), ("cmn", 5)], "図書館館長は誰", "jpn");
        check(&[("eng", 90)], "宿泊費", "jpn");
        check(&[("cmn", 90)], "どこに泊まる", "jpn");
        check(&[("jpn", 90)], "서울", "kor");
    }

    #[test]
    fn counts_are_kept_by_code() {
        let spoken = Spoken::of([(Language::ENGLISH, 2), (Language::UNKNOWN, 7), (Language::ENGLISH, 3)]);
        let text = serde_json::to_string(&spoken).unwrap();
        assert_eq!(text, r#"{"und":7,"eng":5}"#);
        assert_eq!(serde_json::from_str::<Spoken>(&text).unwrap(), spoken);
    }
}
