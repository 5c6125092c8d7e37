//! Reads what a report's account says of the search, from the lines that `crate::report::account` writes.

use super::model::{Research, ResearchRound, ResearchSearch};
use crate::base::text::Language;
use crate::report::{Words, words};
use crate::verify::unescaped;

/// Reads an account that is written in `language`.
pub(super) fn research(account: &str, language: Language) -> Research {
    let words = words(language);
    let mut research = Research::default();
    let mut under = NestedList::Nothing;
    for line in account.lines() {
        if let Some(item) = line.strip_prefix("  - ") {
            match under {
                NestedList::Round => {
                    if let Some(round) = research.rounds.last_mut() {
                        round.searches.push(search(item, words));
                    }
                }
                NestedList::Skipped => research.skipped.push(unescaped(item)),
                NestedList::Nothing => {}
            }
            continue;
        }
        under = NestedList::Nothing;
        let Some((label, text)) = line.strip_prefix("- **").and_then(|rest| rest.split_once("**")) else { continue };
        let text = text.trim_start_matches(words.colon.trim_end()).trim();
        let label = words.present_label(label);
        if label == words.searched {
            searched(text, words, &mut research);
        } else if label == words.skipped {
            under = NestedList::Skipped;
        } else if is_round(label, words) {
            under = NestedList::Round;
            let brought = text.split(". ").next().unwrap_or(text);
            let mut numbers = numbers(brought);
            research.rounds.push(ResearchRound {
                name: label.to_owned(),
                brought: unescaped(brought),
                found: numbers.next().unwrap_or(0),
                new: numbers.next().unwrap_or(0),
                searches: Vec::new(),
            });
        }
    }
    research
}

/// Reads `**1.2** Who wrote it? (history; 15 passages found, 11 new)`; earlier versions wrote neither place nor
/// numbers.
fn search(item: &str, of_language: &Words) -> ResearchSearch {
    let marked = item.strip_prefix("**").and_then(|rest| rest.split_once("** "));
    let place = |mark: &str| mark.split('.').map(|number| number.parse().ok()).collect::<Option<Vec<usize>>>();
    let Some((place, words)) = marked.and_then(|(mark, words)| Some((place(mark)?, words))) else {
        return ResearchSearch { words: unescaped(item), ..ResearchSearch::default() };
    };
    let mut brought = numbers(at_semicolon(words, of_language).map_or("", |(_, brought)| brought));
    let (found, new) = (brought.next().unwrap_or(0), brought.next().unwrap_or(0));
    ResearchSearch { words: unescaped(words), place, found, new }
}

/// The kind of line that the items of a nested list belong to.
enum NestedList {
    Nothing,
    Round,
    Skipped,
}

/// The word before the number of a round in Chinese reports of earlier versions.
const EARLIER_ROUND: &str = "轮次";

fn is_round(label: &str, words: &Words) -> bool {
    let (before, behind) = words.round.split_once("{n}").unwrap_or((words.round, ""));
    let numbers = |before: &str, behind: &str| {
        let number = label.strip_prefix(before).and_then(|rest| rest.strip_suffix(behind));
        number.is_some_and(|number| number.trim().parse::<usize>().is_ok())
    };
    numbers(before, behind) || numbers(EARLIER_ROUND, "")
}

/// Reads `history (1,234 documents); 14 passages in the evidence, 5 cited, 3,456 tokens retrieved`.
fn searched(text: &str, words: &Words, research: &mut Research) {
    let Some((collections, passages)) = at_semicolon(text, words) else { return };
    let opening = Some(words.brackets[0]).filter(|opening| collections.contains(opening)).unwrap_or(" (");
    let in_brackets = collections.split(opening).skip(1).filter_map(|rest| numbers(rest).next());
    research.documents = Some(in_brackets.sum());
    let mut numbers = numbers(passages);
    research.found = numbers.next().unwrap_or(0);
    research.cited = numbers.next().unwrap_or(0);
}

/// The text before and after the last semicolon; earlier versions used the English one in every language.
fn at_semicolon<'t>(text: &'t str, words: &Words) -> Option<(&'t str, &'t str)> {
    text.rsplit_once(words.semicolon).or_else(|| text.rsplit_once("; "))
}

/// The numbers of a text, with the thousands separators of its language; earlier versions used commas in every
/// language.
fn numbers(text: &str) -> impl Iterator<Item = u64> + '_ {
    const APART: [char; 3] = [',', '.', '\u{202f}'];
    let pieces = text.split(|one: char| !one.is_ascii_digit() && !APART.contains(&one));
    pieces.filter_map(|piece| piece.replace(APART, "").parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{RoundSearch, RoundSummary, StopReason, Strategy, SubQuery, Usage};
    use crate::report::{Account, SearchedCollection, account};

    fn told(language: &str) -> Research {
        let search = |text: &str| SubQuery { text: text.to_owned(), collections: Vec::new() };
        let rounds = [RoundSummary {
            sub_queries: vec![RoundSearch { query: search("When [a]?"), place: vec![2, 1], hits: 1_020, new: 12 }],
            hits: 20,
            new: 12,
            reason: "So it is.".to_owned(),
        }];
        let collections = |name: &str, documents| SearchedCollection { name: name.to_owned(), documents };
        let language = Language::from_code(language);
        let written = account(&Account {
            language,
            collections: &[collections("a (b)", 1234), collections("c; d", 3)],
            restricted: false,
            strategy: Strategy::Deep,
            chosen: "",
            rounds: &rounds,
            evidence: 14,
            cited: 5,
            retrieved_tokens: 3_456,
            coverage: None,
            settled: &[],
            stopped: StopReason::Budget,
            skipped: &[search("Who?")],
            usage: Usage::default(),
            seconds: 1.0,
            models: &[],
            quotes_only: false,
            as_of: None,
            unread: &[],
            warnings: &[],
        });
        research(&written, language)
    }

    #[test]
    fn an_account_is_read_back_in_every_language() {
        for language in
            ["eng", "deu", "fra", "por", "nld", "ron", "pol", "rus", "tur", "vie", "ara", "ell", "jpn", "cmn", "kor"]
        {
            let found = told(language);
            let opening = words(Language::from_code(language)).brackets[0];
            assert_eq!((found.documents, found.found, found.cited), (Some(1237), 14, 5), "{language}");
            assert_eq!(found.rounds.len(), 1, "{language}");
            assert_eq!((found.rounds[0].found, found.rounds[0].new), (20, 12), "{language}");
            let search = &found.rounds[0].searches[0];
            assert!(search.words.starts_with(&format!("When [a]?{opening}")), "{search:?}");
            assert_eq!((search.place.as_slice(), search.found, search.new), (&[2, 1][..], 1_020, 12), "{language}");
            assert!(found.skipped[0].starts_with(&format!("Who?{opening}")), "{language}");
        }
        assert_eq!(research("", Language::ENGLISH), Research::default());
        let formerly = research("- **Уже не искали**:\n  - Кто?\n", Language::from_code("rus"));
        assert_eq!(formerly.skipped, ["Кто?"]);
        assert!(is_round("轮次 2", words(Language::from_code("cmn"))));
        let japanese = words(Language::from_code("jpn"));
        let mut before = Research::default();
        searched("番組 (15件の文書); 27か所を収集、6か所を引用", japanese, &mut before);
        assert_eq!((before.documents, before.found, before.cited), (Some(15), 27, 6));
        let earlier = search("\\*\\*1989\\*\\* or 1990; when? (history)", japanese);
        assert_eq!((earlier.words.as_str(), earlier.place.as_slice()), ("**1989** or 1990; when? (history)", &[][..]));
    }
}
