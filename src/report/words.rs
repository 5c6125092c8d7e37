//! The program's own words in a report, in a page or document made from one, and in an answer without a model: one file
//! of them for each language.

mod form;

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::LazyLock;

use serde::Deserialize;

pub use form::FormWords;

use crate::base::text::{Language, joins_without_space, thousands};
use crate::domain::StopReason;
use crate::report::facts::{Kind, Problem};

/// The languages by their codes in ISO 639-3, and their words.
const FILES: [(&str, &str); 20] = [
    ("eng", include_str!("words/eng.json")),
    ("deu", include_str!("words/deu.json")),
    ("fra", include_str!("words/fra.json")),
    ("spa", include_str!("words/spa.json")),
    ("ita", include_str!("words/ita.json")),
    ("por", include_str!("words/por.json")),
    ("nld", include_str!("words/nld.json")),
    ("ron", include_str!("words/ron.json")),
    ("pol", include_str!("words/pol.json")),
    ("rus", include_str!("words/rus.json")),
    ("ukr", include_str!("words/ukr.json")),
    ("tur", include_str!("words/tur.json")),
    ("vie", include_str!("words/vie.json")),
    ("ara", include_str!("words/ara.json")),
    ("ell", include_str!("words/ell.json")),
    ("hin", include_str!("words/hin.json")),
    ("tha", include_str!("words/tha.json")),
    ("jpn", include_str!("words/jpn.json")),
    ("cmn", include_str!("words/cmn.json")),
    ("kor", include_str!("words/kor.json")),
];

static WORDS: LazyLock<BTreeMap<&str, Words>> = LazyLock::new(|| {
    let read = |(code, file)| (code, serde_json::from_str(file).expect("the bundled words are well formed"));
    FILES.into_iter().map(read).collect()
});

/// The program's own words in one language. None has a number or a name, so that none needs a citation.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Words {
    /// Heading of the list of sources.
    pub sources: &'static str,
    /// Before a page's number.
    pub page: &'static str,
    /// Before the day on which a page of the web was fetched.
    pub accessed: &'static str,
    /// Before the day on which a report was brought up to date.
    pub updated: &'static str,
    /// Before a sentence that was struck because no document says it any more.
    pub struck: &'static str,
    /// Before the day since which an earlier run has known what a source says.
    pub known_since: &'static str,
    /// Before the day after which documents were left out.
    pub as_of: &'static str,
    /// Counts the passages that were left out because of that day.
    pub too_new: Noun,
    /// Behind a part of a sentence that the cited passages do not have.
    pub not_in_source: &'static str,
    /// The kinds of such parts, in the order of [`Kind`].
    pub problem_kinds: [&'static str; 6],
    /// Behind the number of further such parts.
    pub more_of_kind: &'static str,
    /// Before the number of removed citations.
    pub removed_citations: &'static str,
    /// Heading of the account.
    pub account: &'static str,
    /// Before the collections that were searched.
    pub searched: &'static str,
    /// Said below a heading about which nothing was found.
    pub not_found: &'static str,
    /// Introduces the list of searches that found nothing.
    pub searched_for: &'static str,
    /// Said of an answer from the evidence of an earlier report.
    pub from_earlier: &'static str,
    /// Said of an answer for which the documents were searched again, since that evidence was not enough.
    pub searched_again: &'static str,
    /// Counts documents.
    pub documents: Noun,
    /// Counts passages in the evidence.
    pub evidence: Noun,
    /// Counts passages that are cited.
    pub cited: Noun,
    /// Counts tokens of documents that the model was given.
    pub retrieved: Noun,
    /// Before the strategy's name.
    pub strategy: &'static str,
    /// A round; its number stands for `{n}`, or behind the word.
    pub round: &'static str,
    /// Counts passages that a round found.
    pub found: Noun,
    /// Counts the new passages among them.
    pub new: Noun,
    /// In place of collections, where a sub-query went to all of them.
    pub everywhere: &'static str,
    /// Before the reason why the search ended.
    pub stopped: &'static str,
    /// The reasons, in the order of [`StopReason`].
    stop_reasons: [&'static str; 7],
    /// Before the planned searches that were not made.
    pub skipped: &'static str,
    /// Before the points settled with the asker before the search.
    pub settled: &'static str,
    /// Before the files that could not be read.
    pub unread: &'static str,
    /// Before the other warnings.
    pub warnings: &'static str,
    /// Before the bill.
    pub cost: &'static str,
    /// Behind a number of seconds.
    second: &'static str,
    /// Counts calls.
    pub calls: Noun,
    /// Counts tokens in.
    pub tokens_in: Noun,
    /// Counts tokens out.
    pub tokens_out: Noun,
    /// Behind token counts that are estimates.
    pub estimated: &'static str,
    /// Before the models' names.
    pub models: &'static str,
    /// Said of a report that was written without a language model.
    pub quotes_only: &'static str,
    /// Heading of a report that is only a list of evidence.
    pub evidence_only: &'static str,
    /// Said where the rest of a report is missing.
    pub cut_short: &'static str,
    /// Before the totals of the documents, by what became of them.
    pub coverage: &'static str,
    /// The names of what may become of a document.
    pub standings: CoverageWords,
    /// Above the list of all documents.
    pub every_document: &'static str,
    /// After a number of documents that are not named.
    pub more: Noun,
    /// Before the searches that nothing answered.
    pub unanswered: &'static str,
    /// At a source that is a copy of an earlier one, whose number is `{number}`.
    pub same_origin: &'static str,
    /// Heading of the documents that were loaded after a report, before the report's day.
    pub loaded_since: &'static str,
    /// Heading of the differences between an answer and an earlier one, before the earlier one's day.
    pub changed_since: &'static str,
    /// Above the sentences that no longer hold.
    pub no_longer: &'static str,
    /// Above the sentences that the earlier answer did not have.
    pub newly: &'static str,
    /// Heading of the passages that fit no other section.
    pub further: &'static str,
    /// Heading of the disagreements.
    pub disagreement: &'static str,
    /// Opens the disagreements.
    pub disagreement_intro: &'static str,
    /// Between two figures that differ.
    pub against: &'static str,
    /// Before the date of the newer of two sources.
    pub newer: &'static str,
    /// Heading of answers that differ from the first.
    pub different: &'static str,
    /// Heading of the facts about others with the name that is asked about.
    pub namesakes: &'static str,
    /// Before a passage that may not be an answer.
    pub probably: &'static str,
    /// Said when the search ended early; `{reason}` says why.
    pub incomplete: &'static str,
    /// Said when the documents are in another language than the question.
    pub foreign: &'static str,
    /// Before the old wording of a statement that a newer version of a document changes.
    pub before: &'static str,
    /// Before a statement that only the newer version has.
    pub added: &'static str,
    /// Before a statement that only the older version has.
    pub dropped: &'static str,
    /// Said where the documents have too little for the requested length.
    pub shorter: &'static str,
    /// Heading of the passage that comes nearest to an answer.
    pub nearest: &'static str,
    /// Before the statements closest to the question, where it was not checked whether they answer it.
    pub closest: &'static str,
    /// After a label.
    pub colon: &'static str,
    /// Between two things of a list.
    pub comma: &'static str,
    /// Between listed things and what is said about them.
    pub semicolon: &'static str,
    /// Around a remark right behind a thing, with the space before the bracket.
    pub brackets: [&'static str; 2],
    /// Around a quotation.
    quotes: [&'static str; 2],
    thousands: &'static str,
    decimals: &'static str,
    plural: Plural,
    /// Earlier wordings that are read from reports, each with the present one.
    #[serde(default)]
    formerly: BTreeMap<&'static str, &'static str>,
    /// The words of pages and documents that are made from a report.
    pub form: FormWords,
}

/// A counted noun: its forms, as many as [`Plural`] has for the language, or one that does not change. The number
/// stands before it, or where a form has `{n}`. If the forms make no sense without a number, one that does follows
/// them.
#[derive(Debug, Deserialize)]
#[serde(bound(deserialize = "'de: 'static"))]
pub struct Noun(Vec<&'static str>);

impl Noun {
    /// The form for a heading over many things.
    pub fn many(&self) -> &'static str {
        self.0.last().copied().unwrap_or_default()
    }

    /// All its forms.
    pub(super) fn forms(&self) -> &[&'static str] {
        &self.0
    }

    /// Whether a text ends with the noun.
    pub(super) fn ends(&self, text: &str) -> bool {
        self.0.iter().any(|form| text.ends_with(form))
    }
}

/// The names of what may become of documents; a file has them as a list, in this order.
#[derive(Debug, Deserialize)]
#[serde(bound(deserialize = "'de: 'static"))]
pub struct CoverageWords {
    /// A report cites it.
    pub cited: Noun,
    /// It was read, and is not cited.
    pub read: Noun,
    /// A search found it, and it was not read.
    pub matched: Noun,
    /// No search found it.
    pub unmatched: Noun,
    /// It could not be read.
    pub unreadable: Noun,
}

/// Which form of a noun stands with a number, by the plural rules of the Unicode CLDR.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Plural {
    Unchanging,
    One,
    ZeroOne,
    Romanian,
    Polish,
    EastSlavic,
    Arabic,
}

impl Plural {
    fn form(self, number: u64) -> usize {
        let (ten, hundred) = (number % 10, number % 100);
        let few = (2..=4).contains(&ten) && !(12..=14).contains(&hundred);
        match self {
            Plural::Unchanging => 0,
            Plural::One => usize::from(number != 1),
            Plural::ZeroOne => usize::from(number > 1),
            Plural::Romanian if number == 1 => 0,
            Plural::Romanian => {
                if number == 0 || (1..20).contains(&hundred) {
                    1
                } else {
                    2
                }
            }
            Plural::Polish if number == 1 => 0,
            Plural::EastSlavic if ten == 1 && hundred != 11 => 0,
            Plural::Polish | Plural::EastSlavic => {
                if few {
                    1
                } else {
                    2
                }
            }
            // One and two have words of their own, before which no number is written.
            Plural::Arabic => match hundred {
                3..=10 => 1,
                11..=99 => 2,
                _ => 0,
            },
        }
    }
}

impl Words {
    /// The mark before the decimals of a number.
    pub fn decimal_mark(&self) -> char {
        if self.decimals == "," { ',' } else { '.' }
    }

    /// A number and the noun that it counts, in the form for that number.
    pub fn counted(&self, noun: &Noun, number: u64) -> String {
        let name = self.agreeing(noun, number);
        let number = thousands(number).replace(',', self.thousands);
        if name.contains("{n}") { name.replace("{n}", &number) } else { with_unit(&number, name) }
    }

    /// The warning of a part of a sentence that the cited passages do not have.
    pub fn problem(&self, problem: &Problem, sentence: &str) -> String {
        let (words, kind) = (self.quoted(&problem.words), self.problem_kinds[problem.kind as usize]);
        let said = match (problem.source.as_str(), problem.kind) {
            ("", _) => String::new(),
            (formula, Kind::Derived) => format!(" – {formula}"),
            (source, _) => format!(" – {}", self.quoted(source)),
        };
        format!("{words} ({kind}) {}{said}{}{}", self.not_in_source, self.colon, self.quoted(sentence))
    }

    /// A text between quotation marks.
    pub fn quoted(&self, text: &str) -> String {
        let [opening, closing] = self.quotes;
        format!("{opening}{text}{closing}")
    }

    /// The form of a noun that goes with a number.
    fn agreeing(&self, noun: &Noun, number: u64) -> &'static str {
        noun.0.get(self.plural.form(number)).copied().unwrap_or_else(|| noun.many())
    }

    /// The form of a noun for a heading over `number` things, which does not tell the number.
    pub fn heading(&self, noun: &Noun, number: u64) -> &'static str {
        match self.plural {
            Plural::Unchanging => noun.many(),
            _ if number == 1 => self.agreeing(noun, number),
            _ => noun.many(),
        }
    }

    /// A text in brackets, to stand behind the thing that it is about.
    pub fn bracketed(&self, text: &str) -> String {
        let [opening, closing] = self.brackets;
        format!("{opening}{text}{closing}")
    }

    /// One of these words with the space that separates it from what follows; a full-width colon has its own.
    pub fn spaced(words: &str) -> String {
        if words.ends_with('：') { words.to_owned() } else { format!("{words} ") }
    }

    /// The colon behind a label in the words of a document, which may be in another script than the report.
    pub fn colon_behind(&self, label: &str) -> &'static str {
        match label.ends_with(joins_without_space) {
            true => "：",
            false if self.colon == "：" => ": ",
            false => self.colon,
        }
    }

    /// The name of a round, by its number.
    pub fn numbered_round(&self, number: usize) -> String {
        numbered(self.round, number)
    }

    /// Seconds with their unit.
    pub fn seconds(&self, seconds: f64) -> String {
        with_unit(&format!("{seconds:.1}").replace('.', self.decimals), self.second)
    }

    /// A label of a report as it is worded now.
    pub fn present_label<'t>(&self, label: &'t str) -> &'t str {
        self.formerly.get(label).copied().unwrap_or(label)
    }

    /// Why the search ended.
    pub fn stop_reason(&self, reason: StopReason) -> &'static str {
        let index = match reason {
            StopReason::Enough => 0,
            StopReason::OneSearch => 1,
            StopReason::NoNewEvidence => 2,
            StopReason::RoundLimit => 3,
            StopReason::Budget => 4,
            StopReason::ModelFailed => 5,
            StopReason::Interrupted => 6,
        };
        self.stop_reasons[index]
    }
}

/// A name with a number in the place of `{n}`, or behind it.
pub fn numbered(name: &str, number: usize) -> String {
    if name.contains("{n}") { name.replace("{n}", &number.to_string()) } else { format!("{name} {number}") }
}

/// A number and its unit, without a space in scripts that have none.
fn with_unit(number: &str, unit: &str) -> String {
    // Korean has spaces, but not before a counter.
    let is_counter = |first: char| joins_without_space(first) || ('가'..='힣').contains(&first);
    let space = if unit.starts_with(is_counter) { "" } else { " " };
    format!("{number}{space}{unit}")
}

/// The words of every language.
pub(super) fn all_words() -> impl Iterator<Item = &'static Words> {
    WORDS.values()
}

/// The words of a language; English where there are none.
pub fn words(language: Language) -> &'static Words {
    WORDS.get(language.code()).unwrap_or_else(|| &WORDS["eng"])
}

/// Finds the quote in an entry of a list of sources: the byte where its opening mark stands, and the range of its
/// words. The marks may be those of any language, since earlier versions always set the English ones. The mark that
/// closes last decides; if several close there, the one that opens first.
pub fn quote_in(entry: &str) -> Option<(usize, Range<usize>)> {
    let quote = |words: &Words| {
        let [opening, closing] = words.quotes;
        let behind = |colon: &str| Some(entry.find(&format!("{colon}{opening}"))? + colon.len());
        let at = [": ", "："].into_iter().filter_map(behind).min()?;
        let words = at + opening.len()..entry.rfind(closing)?;
        (words.start <= words.end).then_some((at, words, closing.len()))
    };
    let found = all_words().filter_map(quote);
    let last = found.max_by_key(|(at, words, closing)| (words.end + closing, Reverse(*at), words.start));
    last.map(|(at, words, _)| (at, words))
}

/// Whether a heading is that of the account of the research, in any language.
pub fn is_account_heading(heading: &str) -> bool {
    all_words().any(|words| words.account == heading)
}

/// Whether a heading is that of a list of references, in any language.
pub fn is_references_heading(heading: &str) -> bool {
    all_words().any(|words| words.form.references == heading)
}

/// `text` without the words with which a report introduces a quote, as in "Probably:".
pub fn without_introduction(text: &str) -> &str {
    let text = text.trim_start_matches(['-', ' ']);
    all_words()
        .flat_map(|words| {
            let own = [words.probably, words.closest, words.before, words.added, words.dropped];
            own.into_iter().chain(words.formerly.keys().copied())
        })
        .find_map(|own| text.strip_prefix(own))
        .unwrap_or(text)
}

#[cfg(test)]
mod tests;
