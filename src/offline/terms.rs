//! Content terms of questions and passages, and how informative each one is.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use crate::base::text::analysis::{self, Term};
use crate::base::text::formula::{formula, is_within};
use crate::base::text::{
    Compound, Language, Spoken, detect_language, figures, is_cjk, is_hiragana, is_kana, is_thai, may_be_inflections,
};
use crate::llm::purpose::EvidenceCard;

/// Words that shape a question or a sentence and name nothing. The analysis drops the stop words of a language that it
/// knows; this list adds the words typical of questions, and serves where the language is unknown.
const FUNCTION_WORDS: &str = "\
a an the this that these those it its itself he him his she her hers they them their theirs we us our you your i me my \
and or but nor so yet if then than as at by for from in into of off on onto out over to under up with within without \
about above after again against all also although am any are aren't because been before being below between both can \
cannot could did do does doing don't done down during each either else ever every few further get gets got had has have \
having here how however is isn't just less let like made make makes many may might more most much must neither no not \
now once one only other others own per rather same shall should since some such there therefore though through thus too \
until upon very via was wasn't were what whatever when whenever where whether which while who whom whose why will would \
across according along among around tell describe explain compare list give show overview name called known \
der die das den dem des ein eine einen einem einer eines und oder aber ist sind war waren wird wurde wurden hat haben \
hatte wie was wer wen wem wessen wann wo wohin woher warum welche welcher welches welchen wieviel viele im in am an auf \
aus bei mit nach von vor zu zum zur über unter durch für gegen ohne um als auch nicht nur noch sich es er sie wir ihr \
le la les un une des du de et ou mais est sont était étaient a ont avait qui que quoi quel quelle quels quelles quand où \
comment pourquoi combien dans sur sous avec sans pour par entre ce cette ces il elle ils elles se ne pas plus au aux \
el los las una unos unas y o pero es son era eran fue fueron ha han había quién quiénes qué cuál cuáles cuándo dónde \
cómo por cuánto cuántos cuántas en con sin para entre su sus se no más al del lo";

/// Whether `word` is a function word or a question word of one of the listed languages.
pub(super) fn is_function_word(word: &str) -> bool {
    use std::sync::LazyLock;
    static WORDS: LazyLock<BTreeSet<&'static str>> = LazyLock::new(|| FUNCTION_WORDS.split_whitespace().collect());
    WORDS.contains(word.to_lowercase().replace('’', "'").as_str())
}

/// The words of a text, separated by anything but letters and digits.
pub(super) fn words_of(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty())
}

/// Whether a term of a question says what the question is about. In scripts without spaces a single ideograph does not:
/// it is part of many words.
pub(super) fn is_informative_term(term: &str) -> bool {
    !term.contains(is_hiragana) && (!term.contains(is_cjk) || term.chars().nth(1).is_some())
}

/// The number of texts of the material whose languages are detected.
const LOOKED_AT: usize = 8;

/// The language to analyse with: the one named, else the question's, else English.
pub(super) fn language_of(name: &str, question: &str) -> Language {
    if let Some(named) = whatlang::Lang::all().iter().find(|lang| lang.eng_name().eq_ignore_ascii_case(name)) {
        return Language(Some(*named));
    }
    match detect_language(question) {
        Language::UNKNOWN => Language::ENGLISH,
        found => found,
    }
}

/// The languages of the first `LOOKED_AT` texts.
pub(super) fn detect_languages<'a>(material: impl IntoIterator<Item = &'a str>) -> Spoken {
    let languages = material.into_iter().take(LOOKED_AT).map(detect_language);
    Spoken::of(languages.filter(|language| *language != Language::UNKNOWN).map(|language| (language, 1)))
}

/// The languages of the first `LOOKED_AT` passages.
pub(super) fn spoken_in<'c>(cards: impl IntoIterator<Item = &'c EvidenceCard>) -> Spoken {
    let known = |card: &EvidenceCard| match card.language {
        Language::UNKNOWN => detect_language(&card.text),
        known => known,
    };
    let languages = cards.into_iter().take(LOOKED_AT).map(known);
    Spoken::of(languages.filter(|language| *language != Language::UNKNOWN).map(|language| (language, 1)))
}

/// The terms of `text` that name something: function words and single letters are left out.
pub(super) fn content_terms(text: &str, language: Language) -> Vec<Term> {
    analysis::terms(text, language)
        .into_iter()
        .filter(|term| {
            let surface = text.get(term.range.clone()).unwrap_or_default();
            !is_function_word(surface)
                && (surface.chars().nth(1).is_some() || surface.chars().any(|c| is_cjk(c) || c.is_numeric()))
        })
        .collect()
}

/// The distinct content terms of `text`.
pub(super) fn content_set(text: &str, language: Language) -> BTreeSet<String> {
    content_terms(text, language).into_iter().map(|term| term.text).collect()
}

/// The distinct content terms of a question, without the words that only ask.
pub(super) fn question_terms(question: &str, language: Language) -> BTreeSet<String> {
    let asks = formula(question, language);
    let telling = content_terms(question, language).into_iter().filter(|term| !is_within(&term.range, &asks));
    telling.map(|term| term.text).collect()
}

/// The words of `text` whose content term is not in `known`, in order, as they are written.
pub(super) fn unknown_words(text: &str, known: &BTreeSet<String>, language: Language) -> Vec<String> {
    if text.contains(is_cjk) {
        return unknown_runs(text, known, language);
    }
    let mut seen = BTreeSet::new();
    let terms = content_terms(text, language);
    let unknown = terms.iter().filter(|term| !known.contains(&term.text) && seen.insert(term.text.as_str()));
    surfaces(text, unknown).into_iter().map(str::to_owned).collect()
}

/// The unknown words in scripts without spaces: runs of one script, since the analysis cuts such text into pairs of
/// characters, which are not words. Hiragana and the words that only ask are left out.
fn unknown_runs(text: &str, known: &BTreeSet<String>, language: Language) -> Vec<String> {
    let kind = |c: char| match c {
        _ if is_hiragana(c) => 0,
        _ if is_kana(c) => 1,
        _ if is_cjk(c) => 2,
        _ if c.is_alphanumeric() => 3,
        _ => 0,
    };
    let asks = formula(text, language);
    let mut runs: Vec<Range<usize>> = Vec::new();
    let mut last = 0;
    for (at, c) in text.char_indices() {
        let end = at + c.len_utf8();
        match runs.last_mut() {
            Some(run) if kind(c) == last && last != 0 => run.end = end,
            _ if kind(c) != 0 => runs.push(at..end),
            _ => {}
        }
        last = kind(c);
    }
    let mut found: Vec<String> = Vec::new();
    for run in runs.into_iter().filter(|run| !is_within(run, &asks)) {
        let word = &text[run];
        let terms = content_set(word, language);
        if word.chars().nth(1).is_some() && !terms.is_subset(known) && !found.iter().any(|other| other == word) {
            found.push(word.to_owned());
        }
    }
    found
}

/// The stretches of `text` that `terms` are written as. Terms that overlap, like the bigrams of scripts without spaces,
/// or that touch in such scripts, are joined into one stretch.
pub(super) fn surfaces<'t, 'r>(text: &'t str, terms: impl IntoIterator<Item = &'r Term>) -> Vec<&'t str> {
    let mut ranges: Vec<Range<usize>> = Vec::new();
    for term in terms {
        let is_wide = text.get(term.range.clone()).is_some_and(|word| word.chars().any(is_cjk));
        match ranges.last_mut() {
            Some(last) if term.range.start < last.end || (is_wide && term.range.start == last.end) => {
                last.end = last.end.max(term.range.end);
            }
            _ => ranges.push(term.range.clone()),
        }
    }
    ranges.into_iter().filter_map(|range| text.get(range)).collect()
}

/// The number of words a reader would count: two ideographs or kana count as one, and so do five letters of Thai.
pub(super) fn word_count(text: &str) -> usize {
    let count = |is: fn(char) -> bool| text.chars().filter(|&c| is(c)).count();
    let (wide, thai) = (count(is_cjk), count(is_thai));
    if (wide + thai) * 3 > text.chars().count() {
        return wide.div_ceil(2) + thai.div_ceil(5);
    }
    text.split_whitespace().count()
}

/// The fewest characters of a term that is looked for in compounds.
const LEAST_PART: usize = 5;

/// How informative terms are, by the share of texts that hold them.
#[derive(Clone)]
pub(super) struct Rarity {
    counts: BTreeMap<String, usize>,
    texts: usize,
}

impl Rarity {
    /// Counts the terms of all `texts`.
    pub(super) fn of<'a>(texts: impl IntoIterator<Item = &'a BTreeSet<String>>) -> Self {
        let mut rarity = Rarity { counts: BTreeMap::new(), texts: 0 };
        for text in texts {
            rarity.texts += 1;
            for term in text {
                *rarity.counts.entry(term.clone()).or_default() += 1;
            }
        }
        rarity
    }

    /// Returns `apart`, terms of `text`, with each term that no text holds replaced: by the parts of the compound, else
    /// by a term that may be another form of the word, else by the compounds that begin or end with it.
    pub(super) fn split_compounds(
        &self,
        mut apart: BTreeSet<String>,
        text: &str,
        language: Language,
    ) -> BTreeSet<String> {
        let holding = |term: &str| self.counts.get(term).copied().unwrap_or(0) as u64;
        for word in analysis::terms(text, language) {
            if !apart.contains(&word.text) || holding(&word.text) > 0 {
                continue;
            }
            let compound = Compound::of(&text[word.range.clone()], language);
            let parts = compound.iter().flat_map(|compound| compound.parts(holding));
            let mut instead: Vec<String> = parts.map(|(_, term)| term.to_owned()).collect();
            if instead.is_empty() && language.inflects() {
                let forms = self.counts.keys().filter(|other| may_be_inflections(&word.text, other));
                instead = forms.max_by_key(|other| holding(other)).cloned().into_iter().collect();
            }
            if instead.is_empty() && language.has_compounds() && word.text.chars().count() >= LEAST_PART {
                let is_part = |other: &&String| other.starts_with(&word.text) || other.ends_with(&word.text);
                instead = self.counts.keys().filter(is_part).cloned().collect();
            }
            if !instead.is_empty() {
                apart.remove(&word.text);
                apart.extend(instead);
            }
        }
        apart
    }

    /// The inverse document frequency of a term, never zero.
    pub(super) fn weight(&self, term: &str) -> f32 {
        let n = self.counts.get(term).copied().unwrap_or(0) as f32;
        (1.0 + (self.texts as f32 - n + 0.5) / (n + 0.5)).ln()
    }

    /// The weight of all `terms` together.
    pub(super) fn sum<'a>(&self, terms: impl IntoIterator<Item = &'a String>) -> f32 {
        terms.into_iter().map(|term| self.weight(term)).sum()
    }

    /// The share of `wanted`, by weight, that is in `held`, from 0 to 1.
    pub(super) fn coverage(&self, wanted: &BTreeSet<String>, held: &BTreeSet<String>) -> f32 {
        let all = self.sum(wanted);
        if all <= 0.0 { 0.0 } else { self.sum(wanted.intersection(held)) / all }
    }

    /// How alike two sets are: the weight they share divided by the weight of the lighter one.
    pub(super) fn overlap(&self, a: &BTreeSet<String>, b: &BTreeSet<String>) -> f32 {
        let smaller = self.sum(a).min(self.sum(b));
        if smaller <= 0.0 { 0.0 } else { self.sum(a.intersection(b)) / smaller }
    }
}

/// The kinds of characters that follow each other in a word: `A-9` for `MX-25`.
pub(super) fn shape(word: &str) -> String {
    let kinds = word.chars().map(|c| match c {
        _ if c.is_ascii_digit() => '9',
        _ if c.is_uppercase() => 'A',
        _ if c.is_lowercase() => 'a',
        _ => c,
    });
    let mut shape: Vec<char> = kinds.collect();
    shape.dedup();
    shape.into_iter().collect()
}

/// Whether two answers say the same: one contains the other, or they share more than half of the shorter one's words.
/// If both have figures, they must share one.
pub(super) fn same(one: &str, other: &str) -> bool {
    let (one, other) = (compact(one), compact(other));
    let (a, b) = (figures(&one), figures(&other));
    if !a.is_empty() && !b.is_empty() && a.is_disjoint(&b) {
        return false;
    }
    one.is_empty() || other.is_empty() || one.contains(&other) || other.contains(&one) || {
        let words = |text: &str| -> BTreeSet<String> { text.split(' ').map(str::to_owned).collect() };
        let (a, b) = (words(&one), words(&other));
        let shared = a.intersection(&b).count();
        shared * 2 > a.len().min(b.len())
    }
}

/// The words of `text` in lower case, without articles and punctuation, separated by single spaces.
pub(super) fn compact(text: &str) -> String {
    let lower = text.to_lowercase();
    let words = words_of(&lower).filter(|word| !["a", "an", "the"].contains(word));
    words.collect::<Vec<_>>().join(" ")
}

/// Whether a word of `lower` begins with `stem`.
pub(super) fn has_stem(lower: &str, stem: &str) -> bool {
    lower.match_indices(stem).any(|(at, _)| !lower[..at].ends_with(char::is_alphanumeric))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_terms_leave_out_what_only_asks() {
        let check = |text: &str, expected: &[&str]| {
            let words = unknown_words(text, &BTreeSet::new(), Language::ENGLISH);
            assert_eq!(words, expected, "{text}");
        };
        check("Who was the first president of the association?", &["first", "president", "association"]);
        check("How many seasons are there?", &["seasons"]);
        check("Is it what it was?", &[]);
    }

    #[test]
    fn unknown_words_are_those_nothing_covers() {
        let known = content_set("the journal of psychotherapy", Language::ENGLISH);
        assert_eq!(unknown_words("president journal president", &known, Language::ENGLISH), ["president"]);
    }

    #[test]
    fn unknown_words_of_scripts_without_spaces_are_whole() {
        let japanese = Language::from_code("jpn");
        let check = |text: &str, known: &str, expected: &[&str]| {
            assert_eq!(unknown_words(text, &content_set(known, japanese), japanese), expected, "{text}");
        };
        check("一般社員の出張の日当は現在いくらですか。", "", &["一般社員", "出張", "日当", "現在"]);
        check("本社でタバコを吸える場所はありますか", "本社の場所", &["タバコ"]);
    }

    #[test]
    fn bigrams_that_overlap_are_one_stretch() {
        let text = "東京都 の人口";
        let term = |range: Range<usize>| Term { text: text[range.clone()].to_owned(), range, position: 0 };
        let terms = [term(0..6), term(3..9), term(13..19)];
        assert_eq!(surfaces(text, &terms), ["東京都", "人口"]);
        let words = "two words";
        let term = |range: Range<usize>| Term { text: words[range.clone()].to_owned(), range, position: 0 };
        assert_eq!(surfaces(words, &[term(0..3), term(4..9)]), ["two", "words"]);
    }

    #[test]
    fn languages_come_from_the_name_then_the_script() {
        let check = |name: &str, question: &str, expected: &str| {
            assert_eq!(language_of(name, question).code(), expected, "{name} {question}");
        };
        check("German", "Simpsons?", "deu");
        check("unknown", "東京は", "jpn");
        check("unknown", "北京", "cmn");
        check("unknown", "Simpsons", "eng");
    }

    #[test]
    fn rare_terms_weigh_more_and_coverage_stays_in_bounds() {
        let sets: Vec<_> =
            ["red car", "red bus", "red train"].iter().map(|text| content_set(text, Language::ENGLISH)).collect();
        let rarity = Rarity::of(&sets);
        assert!(rarity.weight("car") > rarity.weight("red"));
        assert!(rarity.weight("red") > 0.0);
        assert_eq!(rarity.coverage(&BTreeSet::new(), &sets[0]), 0.0);
        assert!((rarity.coverage(&sets[0], &sets[0]) - 1.0).abs() < 1e-6);
    }

    #[test]
    fn a_word_that_no_text_holds_stands_in_compounds() {
        let german = Language::from_code("deu");
        let rarity = Rarity::of(&[content_set("Er hat 30 Urlaubstage und Sonderurlaub.", german)]);
        let check = |question: &str, expected: &str| {
            let found = rarity.split_compounds(content_set(question, german), question, german);
            assert_eq!(found, content_set(expected, german), "{question}");
        };
        check("Urlaub", "Urlaubstage Sonderurlaub");
        check("Tage", "Tage");
    }

    #[test]
    fn words_of_scripts_without_spaces_are_counted_by_characters() {
        let check = |text: &str, expected: usize| assert_eq!(word_count(text), expected, "{text}");
        check("four words stand here", 4);
        check("東京は日本の首都", 4);
        check("", 0);
    }
}
