//! Text as bytes, characters, sentences, languages and search terms. Every offset is a byte offset on a character
//! border.

mod abbreviations;
pub mod analysis;
mod folding;
pub mod formula;
mod language;
mod language_names;
mod numbers;
mod offsets;
mod sentences;
mod stems;
mod visible;

pub use language::{Language, LanguageTracker, Spoken, detect_language};
pub use language_names::UnknownLanguage;
pub use numbers::thousands;
pub use offsets::{ceil_boundary, estimate_tokens, excerpt, floor_boundary, one_line};
pub use sentences::sentences;
pub use visible::visible;
