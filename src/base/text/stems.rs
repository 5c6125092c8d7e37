//! Stop words and stems by language, with what each thread has already stemmed.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher, Hasher, RandomState};

use frostem::{Algorithm, Stemmer};
use whatlang::Lang;

use super::folding::fold_accents;

/// How many words a thread remembers for each language. Beyond it the memory starts anew: the frequent words, which
/// are what pays, return at once.
const REMEMBERED_WORDS: usize = 65_536;
/// Longer words are seldom met twice.
const REMEMBERED_BYTES: usize = 32;

/// What becomes of the words of one language.
pub(super) struct WordForms {
    stemmer: Option<Stemmer>,
    stop_words: HashSet<&'static str>,
    fold_first: bool,
    /// Words and the places of their terms in `terms`.
    remembered: HashMap<Box<str>, usize, WordHashing>,
    terms: Vec<Option<Box<str>>>,
    scratch: Box<str>,
}

impl WordForms {
    pub(super) fn new(lang: Option<Lang>) -> Self {
        let (algorithm, code) = lang.map_or((None, None), resources);
        let stop_words = code.and_then(stop_words::lookup).map(|words| words.iter().copied().collect());
        WordForms {
            stemmer: algorithm.map(Stemmer::new),
            stop_words: stop_words.unwrap_or_default(),
            // English knows accents only in loans, and its stemmer does not know them at all.
            fold_first: lang == Some(Lang::Eng),
            remembered: HashMap::with_hasher(WordHashing::new()),
            terms: Vec::new(),
            scratch: Box::default(),
        }
    }

    /// Whether the lower-case `word` is a stop word.
    pub(super) fn is_stop_word(&self, word: &str) -> bool {
        self.stop_words.contains(word)
    }

    /// The term of a lower-case `word`; `None` for a stop word.
    pub(super) fn term(&mut self, word: &str) -> Option<&str> {
        if word.len() > REMEMBERED_BYTES {
            self.scratch = self.derive(word)?;
            return Some(&self.scratch);
        }
        let place = match self.remembered.get(word) {
            Some(&place) => place,
            None => self.remember(word),
        };
        self.terms[place].as_deref()
    }

    fn remember(&mut self, word: &str) -> usize {
        if self.terms.len() >= REMEMBERED_WORDS {
            self.remembered.clear();
            self.terms.clear();
        }
        let place = self.terms.len();
        self.terms.push(self.derive(word));
        self.remembered.insert(word.into(), place);
        place
    }

    fn derive(&self, word: &str) -> Option<Box<str>> {
        if self.is_stop_word(word) {
            return None;
        }
        let stem = |word: &str| match &self.stemmer {
            Some(stemmer) if !word.bytes().any(|byte| byte.is_ascii_digit()) => stemmer.stem(word).into_owned(),
            _ => word.to_owned(),
        };
        let term = if word.is_ascii() {
            stem(word)
        } else if self.fold_first {
            stem(&fold_accents(word))
        } else {
            fold_accents(&stem(word))
        };
        // A word of nothing but marks folds to nothing.
        (!term.is_empty()).then(|| term.into())
    }
}

/// The stemmer and the ISO 639-1 code of the stop words of a language.
fn resources(lang: Lang) -> (Option<Algorithm>, Option<&'static str>) {
    let (algorithm, code) = match lang {
        Lang::Eng => (Algorithm::English, "en"),
        Lang::Ara => (Algorithm::Arabic, "ar"),
        Lang::Hye => (Algorithm::Armenian, "hy"),
        Lang::Cat => (Algorithm::Catalan, "ca"),
        Lang::Ces => (Algorithm::Czech, "cs"),
        Lang::Dan => (Algorithm::Danish, "da"),
        Lang::Nld => (Algorithm::Dutch, "nl"),
        Lang::Epo => (Algorithm::Esperanto, "eo"),
        Lang::Est => (Algorithm::Estonian, "et"),
        Lang::Fin => (Algorithm::Finnish, "fi"),
        Lang::Fra => (Algorithm::French, "fr"),
        Lang::Deu => (Algorithm::German, "de"),
        Lang::Ell => (Algorithm::Greek, "el"),
        Lang::Hin => (Algorithm::Hindi, "hi"),
        Lang::Hun => (Algorithm::Hungarian, "hu"),
        Lang::Ind => (Algorithm::Indonesian, "id"),
        Lang::Ita => (Algorithm::Italian, "it"),
        Lang::Lit => (Algorithm::Lithuanian, "lt"),
        Lang::Nep => (Algorithm::Nepali, "ne"),
        Lang::Nob => (Algorithm::Norwegian, "no"),
        Lang::Pes => (Algorithm::Persian, "fa"),
        Lang::Pol => (Algorithm::Polish, "pl"),
        Lang::Por => (Algorithm::Portuguese, "pt"),
        Lang::Ron => (Algorithm::Romanian, "ro"),
        Lang::Rus => (Algorithm::Russian, "ru"),
        Lang::Spa => (Algorithm::Spanish, "es"),
        Lang::Srp => (Algorithm::Serbian, "sr"),
        Lang::Swe => (Algorithm::Swedish, "sv"),
        Lang::Tam => (Algorithm::Tamil, "ta"),
        Lang::Tur => (Algorithm::Turkish, "tr"),
        Lang::Ukr => (Algorithm::Ukrainian, "uk"),
        _ => return (None, None),
    };
    (Some(algorithm), Some(code))
}

/// Hashes short words in a few instructions. Each map has a seed of its own, so that no document can be written to
/// make its words collide; the bound on the map limits what remains.
struct WordHashing {
    seed: u64,
}

impl WordHashing {
    fn new() -> Self {
        WordHashing { seed: RandomState::new().hash_one(0u8) }
    }
}

impl BuildHasher for WordHashing {
    type Hasher = WordHasher;

    fn build_hasher(&self) -> WordHasher {
        WordHasher { state: self.seed }
    }
}

struct WordHasher {
    state: u64,
}

impl WordHasher {
    fn mix(&mut self, word: u64) {
        let product = u128::from(self.state ^ word) * u128::from(0x9e37_79b9_7f4a_7c15_u64);
        // The halves of the product folded: every input bit reaches every output bit.
        self.state = (product as u64) ^ ((product >> 64) as u64);
    }
}

impl Hasher for WordHasher {
    fn write(&mut self, bytes: &[u8]) {
        let mut eights = bytes.chunks_exact(8);
        for eight in &mut eights {
            let mut word = [0; 8];
            word.copy_from_slice(eight);
            self.mix(u64::from_le_bytes(word));
        }
        let rest = eights.remainder();
        if !rest.is_empty() {
            let mut word = [0; 8];
            word[..rest.len()].copy_from_slice(rest);
            self.mix(u64::from_le_bytes(word) ^ (rest.len() as u64) << 56);
        }
    }

    fn write_u8(&mut self, _end_of_string: u8) {
        // A word is hashed alone, so nothing has to tell where it ends.
    }

    fn finish(&self) -> u64 {
        self.state
    }
}
