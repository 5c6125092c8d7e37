//! The program's own words in a report, by language. Those of pages and documents are in `crate::form`.

mod eastern;
mod latin;

use eastern::{CHINESE, JAPANESE, KOREAN};
use latin::{DUTCH, ENGLISH, FRENCH, GERMAN, ITALIAN, PORTUGUESE, SPANISH, TURKISH};

use crate::base::text::{Language, joins_without_space, thousands};
use crate::domain::StopReason;

/// The program's own words in a report, in one language.
#[derive(Debug, PartialEq, Eq)]
pub struct Words {
    /// Heading of the list of sources.
    pub sources: &'static str,
    /// Before a page's number.
    pub page: &'static str,
    /// Before the day on which a page of the web was fetched.
    pub accessed: &'static str,
    /// Before the day since which an earlier run knows what a source says.
    pub known_since: &'static str,
    /// Before the day after which documents were left out.
    pub as_of: &'static str,
    /// Counts passages that were left out for it.
    pub too_new: Noun,
    /// Heading of the account.
    pub account: &'static str,
    /// What was searched.
    pub searched: &'static str,
    /// Said of a heading on which nothing was found.
    pub not_found: &'static str,
    /// Before what was searched for in vain.
    pub searched_for: &'static str,
    /// Said of an answer that rests on what an earlier report was written from, and of one that does not.
    pub from_earlier: &'static str,
    /// See `from_earlier`.
    pub searched_again: &'static str,
    /// Counts documents.
    pub documents: Noun,
    /// Counts passages in the evidence.
    pub evidence: Noun,
    /// Counts passages that are cited.
    pub cited: Noun,
    /// Counts tokens of documents that the model was given.
    pub retrieved: &'static str,
    /// Before the strategy's name.
    pub strategy: &'static str,
    /// Before a round's number.
    pub round: &'static str,
    /// Counts passages that a round found.
    pub found: Noun,
    /// Counts those that were new.
    pub new: Noun,
    /// Where a sub-query went to every collection.
    pub everywhere: &'static str,
    /// Before the reason why the search ended.
    pub stopped: &'static str,
    /// The reasons, in the order of [`StopReason`].
    stop_reasons: [&'static str; 7],
    /// What was planned and not searched.
    pub skipped: &'static str,
    /// What was settled with its asker before the search.
    pub settled: &'static str,
    /// What could not be read.
    pub unread: &'static str,
    /// What else went wrong.
    pub warnings: &'static str,
    /// Before the bill.
    pub cost: &'static str,
    /// Counts calls.
    pub calls: Noun,
    /// Counts tokens in.
    pub tokens_in: &'static str,
    /// Counts tokens out.
    pub tokens_out: &'static str,
    /// Where token counts are estimates.
    pub estimated: &'static str,
    /// Before the models' names.
    pub models: &'static str,
    /// Said where the model does not reason.
    pub quotes_only: &'static str,
    /// Heading of a report that is only a list of evidence.
    pub evidence_only: &'static str,
    /// Where the rest of a report is missing.
    pub cut_short: &'static str,
    /// Before the totals of the documents, by what became of them.
    pub coverage: &'static str,
    /// What became of a document, in the order of [`Coverage`](crate::domain::Coverage)'s lists.
    pub standings: [&'static str; 5],
    /// Above the list of all documents.
    pub every_document: &'static str,
    /// After a number of documents that are not named.
    pub more: &'static str,
    /// Before what was asked and is not answered.
    pub unanswered: &'static str,
    /// At a source whose document is a copy of an earlier one's, the number of which is `{number}`.
    pub same_origin: &'static str,
    /// Heading of what was loaded after a report, before its day.
    pub loaded_since: &'static str,
    /// Heading of what an answer says otherwise than an earlier one, before the day of that.
    pub changed_since: &'static str,
    /// Above the sentences that are no longer so.
    pub no_longer: &'static str,
    /// Above the sentences that the earlier answer did not have.
    pub newly: &'static str,
    /// After a label.
    pub colon: &'static str,
    /// Between thousands, and before decimals.
    marks: [&'static str; 2],
}

/// What is counted, for one of it and for any other number.
#[derive(Debug, PartialEq, Eq)]
pub struct Noun {
    one: &'static str,
    many: &'static str,
}

impl Noun {
    const fn new(one: &'static str, many: &'static str) -> Self {
        Noun { one, many }
    }

    /// Of a word that does not change.
    const fn same(word: &'static str) -> Self {
        Noun { one: word, many: word }
    }
}

impl Words {
    /// A number, and what it counts.
    pub fn counted(&self, noun: &Noun, number: u64) -> String {
        // In French and Portuguese none is one, too.
        let is_one = number == 1 || number == 0 && [&FRENCH, &PORTUGUESE].contains(&self);
        self.count(number, if is_one { noun.one } else { noun.many })
    }

    /// A number, and what it counts; scripts without spaces have none between.
    pub fn count(&self, number: u64, name: &str) -> String {
        let space = if name.starts_with(joins_without_space) { "" } else { " " };
        format!("{}{space}{name}", thousands(number).replace(',', self.marks[0]))
    }

    /// Seconds with their unit.
    pub fn seconds(&self, seconds: f64) -> String {
        format!("{seconds:.1} s").replace('.', self.marks[1])
    }

    /// What stands between two things of a list.
    pub fn comma(&self) -> &'static str {
        if self.colon == "：" { "、" } else { ", " }
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

/// The words of every language.
pub(super) const ALL: [&Words; 11] =
    [&ENGLISH, &GERMAN, &FRENCH, &SPANISH, &ITALIAN, &PORTUGUESE, &DUTCH, &TURKISH, &JAPANESE, &CHINESE, &KOREAN];

/// The words of a language; English where there are none.
pub fn words(language: Language) -> &'static Words {
    match language.code() {
        "deu" => &GERMAN,
        "fra" => &FRENCH,
        "spa" => &SPANISH,
        "ita" => &ITALIAN,
        "jpn" => &JAPANESE,
        "cmn" => &CHINESE,
        "por" => &PORTUGUESE,
        "nld" => &DUTCH,
        "tur" => &TURKISH,
        "kor" => &KOREAN,
        _ => &ENGLISH,
    }
}

/// Whether a heading's words say that the account of the research follows, in any language.
pub fn heads_account(heading: &str) -> bool {
    ALL.iter().any(|words| words.account == heading)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nouns_agree_with_their_numbers() {
        let check = |language: &str, number, expected: &str| {
            let words = words(Language::from_code(language));
            assert_eq!(words.counted(&words.calls, number), expected);
        };
        check("eng", 0, "0 model calls");
        check("eng", 1, "1 model call");
        check("eng", 1200, "1,200 model calls");
        check("deu", 1, "1 Modellaufruf");
        check("deu", 1200, "1.200 Modellaufrufe");
        check("cmn", 1, "1次模型调用");
        check("fra", 0, "0 appel au modèle");
        check("spa", 0, "0 llamadas al modelo");
    }
}
