//! Text that resembles prose: words by Zipf's law, sentences and paragraphs of varying length, the same in every run.

use deepsearch::base::Rng;

/// The number of different words.
const WORDS: usize = 60_000;

/// The most frequent words, by which the language is detected.
const FUNCTION_WORDS: [&str; 16] =
    ["the", "of", "and", "in", "to", "was", "is", "for", "that", "with", "by", "from", "which", "were", "this", "has"];

/// An endless source of sentences.
pub struct Prose {
    words: Vec<String>,
    random: Rng,
}

impl Prose {
    /// The generator whose text is determined by `seed`.
    pub fn new(seed: u64) -> Self {
        // The vocabulary is the same for all seeds.
        let mut random = Rng::new(1);
        let words = (0..WORDS).map(|rank| match FUNCTION_WORDS.get(rank) {
            Some(word) => (*word).to_owned(),
            None => word(&mut random),
        });
        Prose { words: words.collect(), random: Rng::new(seed) }
    }

    /// The next word. Frequent words are drawn more often: the rank is a power of the number of words.
    pub fn word(&mut self) -> &str {
        let uniform = self.random.below(1 << 24) as f64 / f64::from(1 << 24);
        let rank = (WORDS as f64).powf(uniform) as usize - 1;
        &self.words[rank.min(WORDS - 1)]
    }

    /// A sentence with its full stop.
    pub fn sentence(&mut self) -> String {
        let length = 8 + self.random.below(20);
        let mut sentence = String::new();
        for place in 0..length {
            let word = self.word().to_owned();
            if place == 0 {
                sentence.push_str(&word[..1].to_uppercase());
                sentence.push_str(&word[1..]);
            } else {
                sentence.push_str(if self.random.below(12) == 0 { ", " } else { " " });
                sentence.push_str(&word);
            }
        }
        sentence.push('.');
        sentence
    }

    /// Paragraphs of at least `bytes` bytes.
    pub fn text(&mut self, bytes: usize) -> String {
        let mut text = String::with_capacity(bytes + 1024);
        while text.len() < bytes {
            for _ in 0..3 + self.random.below(5) {
                text.push_str(&self.sentence());
                text.push(' ');
            }
            text.push_str("\n\n");
        }
        text
    }

    /// A vector of length 1.
    pub fn vector(&mut self, dimension: usize) -> Vec<f32> {
        let mut vector: Vec<f32> = (0..dimension).map(|_| self.random.below(2001) as f32 - 1000.0).collect();
        let length = vector.iter().map(|value| value * value).sum::<f32>().sqrt().max(1.0);
        vector.iter_mut().for_each(|value| *value /= length);
        vector
    }
}

fn word(random: &mut Rng) -> String {
    const STARTS: [&str; 14] = ["b", "c", "d", "f", "g", "h", "l", "m", "n", "p", "r", "s", "st", "tr"];
    const VOWELS: [&str; 6] = ["a", "e", "i", "o", "u", "ea"];
    const ENDS: [&str; 8] = ["", "n", "r", "s", "t", "l", "ing", "ed"];
    let mut word = String::new();
    for _ in 0..2 + random.below(2) {
        word.push_str(STARTS[random.below(STARTS.len())]);
        word.push_str(VOWELS[random.below(VOWELS.len())]);
    }
    word.push_str(ENDS[random.below(ENDS.len())]);
    word
}
