//! The words in which a page or document tells where a citation is.

use super::model::Evidence;
use crate::base::text::{Language, one_line};
use crate::report::{numbered, words};

/// Whether lines of a language run from right to left.
pub(super) fn is_right_to_left(code: &str) -> bool {
    matches!(code, "ara" | "heb" | "pes" | "urd" | "yid")
}

/// The page and line of a citation, if it has them.
pub(super) fn page_and_line(one: &Evidence, language: Language) -> impl Iterator<Item = String> + use<> {
    let page = one.page.map(|page| format!("{} {page}", words(language).page));
    let line = one.line.map(|line| numbered(words(language).form.line, line));
    page.into_iter().chain(line)
}

/// The text after a source's title: its path, its place there, its date and other notes.
pub(super) fn place(one: &Evidence, language: Language) -> String {
    let headings = (!one.headings.is_empty()).then(|| format!("§ {}", one_line(&one.headings)));
    let within = page_and_line(one, language).chain(headings).chain(one.date.clone()).chain(one.notes.iter().cloned());
    std::iter::once(one_line(&one.path)).chain(within).map(|part| format!(", {part}")).collect()
}

/// A text with the numbers `n` and `m` filled in.
pub(super) fn counted(text: &str, n: u64, m: u64) -> String {
    text.replace("{n}", &n.to_string()).replace("{m}", &m.to_string())
}
