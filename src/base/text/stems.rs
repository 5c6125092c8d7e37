//! Stop words and stems by language, with a cache of stemmed words per thread.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher, Hasher, RandomState};

use frostem::{Algorithm, Stemmer};
use whatlang::Lang;

use super::folding::fold_accents;

/// The number of words that a thread caches for each language. When it is full, the cache is cleared: the frequent
/// words, which benefit most, return at once.
const REMEMBERED_WORDS: usize = 65_536;
/// Longer words are not cached: they seldom occur twice.
const REMEMBERED_BYTES: usize = 32;

/// The sizes of the table of short words, in slots. It grows with the amount of analysed text, so that a query pays
/// only for a small table.
const SHORT_SLOTS: [usize; 3] = [1 << 10, 1 << 13, 1 << 16];
/// The length in bytes of the longest word that the table takes.
pub(super) const SHORT_BYTES: usize = 23;

/// A lower-case ASCII word of at most [`SHORT_BYTES`] bytes, padded with zeros.
pub(super) type ShortWord = [u8; SHORT_BYTES + 1];

/// A word and its term side by side, so that a look-up touches one place in memory: loading looks up every word of the
/// text, and most of that cost is memory latency.
#[derive(Clone, Copy, Default)]
struct ShortSlot {
    word: ShortWord,
    /// The last byte is the length; 0 for a stop word.
    term: ShortWord,
}

/// Short words by hash, two to a place; a third displaces the less recently used one.
#[derive(Default)]
struct ShortWords {
    places: Vec<[ShortSlot; 2]>,
    held: usize,
}

impl ShortWords {
    fn place(&self, word: &ShortWord) -> usize {
        let part = |at: usize| {
            let mut eight = [0; 8];
            eight.copy_from_slice(&word[at..at + 8]);
            u64::from_le_bytes(eight)
        };
        // Colliding words only displace each other, so this hash needs no seed.
        let mixed = part(0).wrapping_mul(0x9e37_79b9_7f4a_7c15)
            ^ part(8).wrapping_mul(0xc2b2_ae3d_27d4_eb4f)
            ^ part(16).wrapping_mul(0x1656_67b1_9e37_79f9);
        (mixed ^ mixed >> 32) as usize & self.places.len().wrapping_sub(1)
    }

    /// Finds the place of a word and moves the word to its first slot.
    fn find(&mut self, word: &ShortWord) -> Option<usize> {
        let place = self.place(word);
        let slots = self.places.get_mut(place)?;
        if slots[0].word != *word {
            if slots[1].word != *word {
                return None;
            }
            slots.swap(0, 1);
        }
        Some(place)
    }

    /// Stores a word that was not found; returns its place as [`ShortWords::find`] does.
    fn keep(&mut self, slot: ShortSlot) -> usize {
        if self.held * 2 >= self.places.len() {
            let slots = self.places.len() * 2;
            if let Some(larger) = SHORT_SLOTS.iter().find(|&&larger| larger > slots) {
                let kept = std::mem::replace(&mut self.places, vec![Default::default(); larger / 2]);
                self.held = 0;
                for slot in kept.iter().flatten().rev().filter(|slot| slot.word[0] != 0) {
                    self.keep(*slot);
                }
            }
        }
        let place = self.place(&slot.word);
        let slots = &mut self.places[place];
        *slots = [slot, slots[0]];
        self.held += 1;
        place
    }
}

/// Whether a language has a stemmer.
pub(super) fn has_stemmer(language: super::Language) -> bool {
    language.0.is_some_and(|language| resources(language).0.is_some())
}

/// Turns words of one language into terms and caches the results.
pub(super) struct WordForms {
    stemmer: Option<Stemmer>,
    stop_words: HashSet<&'static str>,
    fold_first: bool,
    /// Maps words to the indices of their terms in `terms`.
    remembered: HashMap<Box<str>, usize, WordHashing>,
    terms: Vec<Option<Box<str>>>,
    scratch: Box<str>,
    short: ShortWords,
}

impl WordForms {
    pub(super) fn new(lang: Option<Lang>) -> Self {
        let (algorithm, code) = lang.map_or((None, None), resources);
        let stop_words = code.and_then(stop_words::lookup).map(|words| words.iter().copied().collect());
        WordForms {
            stemmer: algorithm.map(Stemmer::new),
            stop_words: stop_words.unwrap_or_default(),
            // English has accents only in loan words, and its stemmer does not handle them.
            fold_first: lang == Some(Lang::Eng),
            remembered: HashMap::with_hasher(WordHashing::new()),
            terms: Vec::new(),
            scratch: Box::default(),
            short: ShortWords::default(),
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

    /// The term of a lower-case ASCII word of `length` bytes, padded with zeros; `None` for a stop word. Gives the same
    /// as [`WordForms::term`], but faster.
    pub(super) fn short_term(&mut self, word: &ShortWord, length: usize) -> Option<&str> {
        let place = match self.short.find(word) {
            Some(place) => place,
            None => {
                let text = word.get(..length).and_then(|word| std::str::from_utf8(word).ok())?;
                let mut slot = ShortSlot { word: *word, ..ShortSlot::default() };
                if let Some(term) = self.derive(text) {
                    if term.len() > SHORT_BYTES {
                        return self.term(text);
                    }
                    slot.term[..term.len()].copy_from_slice(term.as_bytes());
                    slot.term[SHORT_BYTES] = term.len() as u8;
                }
                self.short.keep(slot)
            }
        };
        let term = &self.short.places[place][0].term;
        let term = term.get(..usize::from(term[SHORT_BYTES])).filter(|term| !term.is_empty())?;
        std::str::from_utf8(term).ok()
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
        // A word that consists only of marks folds to nothing.
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

/// Hashes short words in a few instructions. Each map has its own seed, so that no document can be written to make its
/// words collide; the bound on the map's size limits the remaining risk.
pub(super) struct WordHashing {
    seed: u64,
}

impl WordHashing {
    pub(super) fn new() -> Self {
        WordHashing { seed: RandomState::new().hash_one(0u8) }
    }
}

impl BuildHasher for WordHashing {
    type Hasher = WordHasher;

    fn build_hasher(&self) -> WordHasher {
        WordHasher { state: self.seed }
    }
}

pub(super) struct WordHasher {
    state: u64,
}

impl WordHasher {
    fn mix(&mut self, word: u64) {
        let product = u128::from(self.state ^ word) * u128::from(0x9e37_79b9_7f4a_7c15_u64);
        // Folding the halves of the product lets every input bit reach every output bit.
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
        // Words are hashed one at a time, so no end marker is needed.
    }

    fn finish(&self) -> u64 {
        self.state
    }
}
