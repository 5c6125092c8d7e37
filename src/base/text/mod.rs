//! Text as bytes, characters, sentences, languages and search terms. Every offset is a byte offset on a character
//! boundary.

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
mod marks;
mod months;
mod names;
mod numbers;
mod offsets;
mod percent;
mod sentences;
mod stems;
mod unspaced;
mod visible;
mod wrap;

pub use abbreviations::{ends_in_abbreviation, ends_in_initials};
pub use alignment::{Token, common_tokens, share_of_words, tokens};
pub use codes::{codes, contains_code, folded, names_version, versions};
pub use compounds::Compound;
pub use entity::numbered_character;
pub use eras::{ERA_LETTERS, ERAS};
pub use forms::{beginning_of_forms, may_be_inflections};
pub use language::{
    Language, LanguageTracker, Spoken, detect_language, is_latin, is_small_word, language_for_question,
};
pub use language_names::UnknownLanguage;
pub use likeness::{alike, sort_by_similarity};
pub use link_target::is_link_target;
pub use listed::is_listed;
pub use mail_head::{bare_subject, is_courtesy, is_mail_header, is_one_of, is_sender_header, names_subject};
pub use marks::{mark_length, skip_marks, without_bold_marks, without_marks};
pub use months::{common_year, is_english_month, month_number};
pub use names::NAME_PARTICLES;
pub use numbers::{figures, ideographic_digit, plain_digit, thousands};
pub use offsets::{capitalised, estimate_tokens, excerpt, letters, one_line, place_of, short_line};
pub use percent::percent_decoded;
pub use sentences::{is_terminator, sentences, unquoted, wide_item};
pub use unspaced::{half_width, is_cjk, is_hiragana, is_kana, is_katakana, is_thai, joins_without_space, may_open};
pub use visible::{changes_line_direction, shown, visible, without_controls};
pub use wrap::wrapped;
