//! Text as bytes, characters, sentences, languages and search terms. Every offset is a byte offset on a character
//! border.

mod abbreviations;
mod alignment;
pub mod analysis;
mod codes;
mod compounds;
mod entity;
mod eras;
mod folding;
mod forms;
pub mod formula;
mod language;
mod language_names;
mod likeness;
mod link_target;
mod listed;
mod mail_head;
mod months;
mod nouns;
mod numbers;
mod offsets;
mod sentences;
mod stems;
mod unspaced;
mod visible;
mod wrap;

pub use alignment::{Token, common_tokens, tokens};
pub use codes::{codes, folded, holds_code, versions};
pub use compounds::Compound;
pub use entity::numbered_character;
pub use eras::{ERA_LETTERS, ERAS};
pub use forms::{beginning_of_forms, may_be_forms};
pub use language::{Language, LanguageTracker, Spoken, detect_language, is_small_word};
pub use language_names::UnknownLanguage;
pub use likeness::{alike, by_likeness};
pub use link_target::is_link_target;
pub use listed::is_listed;
pub use mail_head::{bare_subject, is_of_mail_head, is_one_of, names_sender, names_subject};
pub use months::{common_year, is_english_month, month_number};
pub use nouns::{chinese_words, korean_nouns};
pub use numbers::{figures, plain_digit, thousands};
pub use offsets::{capitalised, ceil_boundary, estimate_tokens, excerpt, floor_boundary, letters, one_line};
pub use sentences::{is_terminator, sentences, unquoted, wide_item};
pub use unspaced::{half_width, is_cjk, is_hiragana, is_kana, is_katakana, is_thai, joins_without_space, may_open};
pub use visible::{visible, without_controls};
pub use wrap::wrapped;
