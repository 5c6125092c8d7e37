//! Finds the words of a passage that support the claims about it.

use std::cell::LazyCell;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use crate::base::text::{Language, analysis, sentences};
use crate::domain::Headings;

/// A longer quote is cut: a table row or a text without full stops counts as one sentence.
const MAX_BYTES: usize = 480;
/// Another sentence joins the quote if it has at least this many more terms of the claim; a number counts for as many.
const JOIN_TERMS: usize = 2;

/// A quote that supports several claims may be this long.
const MAX_WIDE_BYTES: usize = 1_200;
/// The most claims that a passage is quoted for; further ones say nothing else about it.
const MOST_CLAIMS: usize = 100;
/// The most bytes of a claim that are looked for word for word.
const LONGEST_CLAIM: usize = 4_000;
/// Fewer letters than this, in bytes, occur in many places by chance.
const LEAST_LETTERS: usize = 8;

/// The part of `passage` that best supports `claims`, the sentences of a report that cite it, as [`support`] finds it;
/// the first sentence if none shares a term with a claim.
pub fn supporting_quote(passage: &str, headings: &Headings, claims: &[String], language: Language) -> Range<usize> {
    support(passage, headings, claims, language).unwrap_or_else(|| {
        let is_heading = headings_among(passage, headings);
        let mut sentences = sentences(passage).zip(&is_heading).peekable();
        let Some(heading) = sentences.peek().map(|(range, _)| range.clone()) else { return 0..passage.len() };
        let first = sentences.find(|(_, is_heading)| !**is_heading).map_or(heading, |(range, _)| range);
        cut(passage, first.clone(), first.start)
    })
}

/// For each sentence of `passage`, whether it is one of `headings`.
fn headings_among(passage: &str, headings: &Headings) -> Vec<bool> {
    let headings: BTreeSet<String> = headings.all().map(|heading| Letters::of(heading).text).collect();
    sentences(passage).map(|range| headings.contains(&Letters::of(&passage[range]).text)).collect()
}

/// The part of `passage` that best supports `claims`: the sentences that hold them word for word; else, for each claim,
/// the sentence with most in common with it and those near it that have more of its figures and names. A heading, one
/// of `headings`, is not quoted alone if text stands below it. `None` if no sentence shares a term with a claim.
pub fn support(passage: &str, headings: &Headings, claims: &[String], language: Language) -> Option<Range<usize>> {
    let claims = &claims[..claims.len().min(MOST_CLAIMS)];
    let ranges: Vec<Range<usize>> = sentences(passage).collect();
    let is_heading = headings_among(passage, headings);
    let below = |at: usize| (at..ranges.len()).find(|&at| !is_heading[at]).unwrap_or(at);
    let is_within_heading = |found: &Range<usize>| {
        let mut touched = (0..ranges.len()).filter(|&at| ranges[at].start < found.end && found.start < ranges[at].end);
        touched.all(|at| is_heading[at] && below(at) != at)
    };
    if let Some(range) = verbatim(passage, claims).filter(|range| !is_within_heading(range)) {
        return Some(range);
    }
    let terms: Vec<BTreeSet<String>> =
        ranges.iter().map(|range| analysis::term_set(&passage[range.clone()], language)).collect();
    let mut occurrences: BTreeMap<&str, usize> = BTreeMap::new();
    for term in terms.iter().flatten() {
        *occurrences.entry(term).or_default() += 1;
    }
    let best = |claim: &String| -> Option<Range<usize>> {
        let wanted = analysis::term_set(claim, language);
        let shared = |index: usize| -> BTreeSet<&String> { terms[index].intersection(&wanted).collect() };
        // A term that every sentence has weighs little; a number weighs more than a word.
        let weight = |term: &&String| {
            let rare = 1.0 / occurrences.get(term.as_str()).copied().unwrap_or(1) as f64;
            if is_number(term) { 2.0 * rare } else { rare }
        };
        let score = |index: usize| shared(index).iter().map(weight).sum::<f64>();
        let best = (0..ranges.len()).max_by(|&a, &b| score(a).total_cmp(&score(b)).then(b.cmp(&a)))?;
        let mut told = shared(best);
        if told.is_empty() {
            return None;
        }
        let mut quote = ranges[below(best)].clone();
        // The claim may take its figures and names from several sentences.
        let is_text = |&index: &usize| !is_heading[index] && !passage[ranges[index].clone()].starts_with('#');
        let mut others: Vec<usize> = (0..ranges.len()).filter(is_text).collect();
        others.sort_by_key(|&index| (index.abs_diff(best), index < best));
        for index in others {
            let both = quote.start.min(ranges[index].start)..quote.end.max(ranges[index].end);
            let new: Vec<&String> = shared(index).difference(&told).copied().collect();
            let adds: usize = new.iter().map(|term| if is_number(term) { JOIN_TERMS } else { 1 }).sum();
            if adds >= JOIN_TERMS && both.len() <= MAX_BYTES {
                quote = both;
                told.extend(new);
            }
        }
        let first_match = analysis::terms(&passage[quote.clone()], language)
            .into_iter()
            .find(|term| wanted.contains(&term.text))
            .map_or(quote.start, |term| quote.start + term.range.start);
        Some(cut(passage, quote, first_match))
    };
    let places: Vec<Range<usize>> = claims.iter().filter_map(best).collect();
    fullest(places, longest(claims))
}

/// Whether a term is a number or holds one.
fn is_number(term: &str) -> bool {
    term.chars().any(|character| character.is_ascii_digit())
}

/// The most bytes of a quote that supports these claims.
fn longest(claims: &[String]) -> usize {
    if claims.len() > 1 { MAX_WIDE_BYTES } else { MAX_BYTES }
}

/// The stretch of at most `most` bytes that holds most of `places`; the first of several. `None` if there are none.
fn fullest(mut places: Vec<Range<usize>>, most: usize) -> Option<Range<usize>> {
    places.sort_by_key(|place| (place.start, place.end));
    let mut best: Option<(usize, Range<usize>)> = None;
    for (first, place) in places.iter().enumerate() {
        let within = places[first..].iter().take_while(|other| other.end - place.start <= most);
        let (count, end) = within.fold((0, place.start), |(count, end), other| (count + 1, end.max(other.end)));
        if count > best.as_ref().map_or(0, |(most, _)| *most) {
            best = Some((count, place.start..end));
        }
    }
    best.map(|(_, range)| range)
}

/// The letters of the cells of a row that is written with the names of its columns: of `Item: Ink; Price: 12` those of
/// `Ink` and `12`.
fn row_cells(claim: &str) -> Option<Vec<String>> {
    let value = |cell: &str| Letters::of(cell.rsplit_once(": ").map_or(cell, |(_, value)| value)).text;
    // A tick has no letters.
    let cells: Vec<String> = claim.split("; ").map(value).filter(|value| !value.is_empty()).collect();
    (!cells.is_empty() && claim.contains("; ") && claim.contains(": ")).then_some(cells)
}

/// The line among `lines`, each with its letters, that has the cells of a row, perhaps with others between them.
fn row_place(lines: &[(Range<usize>, String)], cells: &[String]) -> Option<Range<usize>> {
    lines.iter().find_map(|(range, letters)| {
        let mut rest = letters.as_str();
        // The cells stand in the row's order.
        let holds = |cell: &String| rest.find(cell.as_str()).map(|at| rest = &rest[at + cell.len()..]).is_some();
        cells.iter().all(holds).then(|| range.clone())
    })
}

/// The lines of a passage, each with its letters.
fn lines_of(passage: &str) -> Vec<(Range<usize>, String)> {
    let mut start = 0;
    let line = |line: &str| {
        let range = start..start + line.trim_end().len();
        start += line.len();
        (range, Letters::of(line).text)
    };
    passage.split_inclusive('\n').map(line).collect()
}

/// The stretch of `passage` that holds most of `claims` word for word, apart from punctuation, spaces and case, with
/// the sentences around them. `None` if less than half of them stand in the passage, not counting those that are too
/// short to tell.
fn verbatim(passage: &str, claims: &[String]) -> Option<Range<usize>> {
    let letters = Letters::of(passage);
    let telling = claims.iter().filter(|claim| has_letters(claim)).count();
    let lines = LazyCell::new(|| lines_of(passage));
    let row = |claim: &String| row_place(&lines, &row_cells(claim)?);
    // "2020: 9.1" is too short to be looked for anywhere, but may be a whole line.
    let line = |claim: &String| {
        let wanted = Letters::of(claim).text;
        lines.iter().find(|(_, line)| *line == wanted && !wanted.is_empty()).map(|(range, _)| range.clone())
    };
    let place = |claim: &String| row(claim).or_else(|| letters.place_of(claim)).or_else(|| line(claim));
    let places: Vec<Range<usize>> = claims.iter().filter_map(place).collect();
    if places.len() * 2 < telling {
        return None;
    }
    let most = longest(claims);
    let stated = fullest(places, most)?;
    let touched = sentences(passage).filter(|range| range.start < stated.end && stated.start < range.end);
    let wide = touched.fold(stated.clone(), |wide, range| wide.start.min(range.start)..wide.end.max(range.end));
    Some(if wide.len() <= most { wide } else { stated })
}

/// Whether a text has enough letters to be looked for; no more letters than needed are read.
fn has_letters(text: &str) -> bool {
    let letters = text.chars().filter(|character| character.is_alphanumeric()).flat_map(char::to_lowercase);
    letters.take(LEAST_LETTERS).map(char::len_utf8).sum::<usize>() >= LEAST_LETTERS
}

/// The letters and digits of a text in lower case, with their places in it.
struct Letters {
    text: String,
    /// For each byte of `text`, the bytes of the character that it was made from.
    places: Vec<Range<usize>>,
}

impl Letters {
    fn of(text: &str) -> Self {
        let mut letters = Letters { text: String::new(), places: Vec::new() };
        for (at, character) in text.char_indices().filter(|(_, character)| character.is_alphanumeric()) {
            for lower in character.to_lowercase() {
                letters.text.push(lower);
                letters.places.resize(letters.text.len(), at..at + character.len_utf8());
            }
        }
        letters
    }

    /// The bytes where the words of `claim` stand. Its words up to a colon may be the report's own; at an ellipsis
    /// words are left out, and the longest part counts.
    fn place_of(&self, claim: &str) -> Option<Range<usize>> {
        let claim = &claim[..claim.floor_char_boundary(LONGEST_CLAIM)];
        let own = claim.char_indices().filter(|(_, c)| matches!(c, ':' | '：')).map(|(at, c)| at + c.len_utf8());
        std::iter::once(0).chain(own).find_map(|start| {
            let part = claim[start..].split('…').max_by_key(|part| part.len())?;
            let wanted = Letters::of(part).text;
            if wanted.len() < LEAST_LETTERS {
                return None;
            }
            let found = self.text.find(&wanted)?;
            Some(self.places[found].start..self.places[found + wanted.len() - 1].end)
        })
    }
}

/// At most [`MAX_BYTES`] of a sentence, around its first matching term, on character boundaries.
fn cut(passage: &str, quote: Range<usize>, matched: usize) -> Range<usize> {
    if quote.len() <= MAX_BYTES {
        return quote;
    }
    let start = if matched - quote.start > MAX_BYTES / 2 { passage.ceil_char_boundary(matched) } else { quote.start };
    let end = passage.floor_char_boundary((start + MAX_BYTES).min(quote.end));
    let window = &passage[start..end];
    let trimmed = window.trim_end().len();
    start..start + trimmed
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(passage: &str, claim: &str, expected: &str) {
        let headings = vec!["Where the town lies".to_owned()].into();
        let range = supporting_quote(passage, &headings, &[claim.to_owned()], Language::ENGLISH);
        assert_eq!(&passage[range], expected);
    }

    const PASSAGE: &str = "The show has many writers. It began in December 1989 on television. The town is Springfield. \
                           Nobody knows the state.";

    #[test]
    fn the_best_sentence_is_quoted() {
        check(PASSAGE, "It started in 1989.", "It began in December 1989 on television.");
        check(PASSAGE, "The state stays unknown.", "Nobody knows the state.");
        check(PASSAGE, "Zebras graze.", "The show has many writers.");
    }

    #[test]
    fn what_supports_a_sentence_shares_terms_with_it() {
        let check = |passage: &str, claim: &str, expected: Option<&str>| {
            let found = support(passage, &Headings::default(), &[claim.to_owned()], Language::ENGLISH);
            assert_eq!(found.map(|range| &passage[range]), expected, "{claim}");
        };
        check(PASSAGE, "Springfield is the town [3].", Some("The town is Springfield."));
        check(PASSAGE, "Zebras graze.", None);
        check("", "a", None);
        let table = "| Item | Price per box |\n|---|---|\n| Paper | 30 |\n| Ink | 12 |";
        check(table, "Ink costs 12 [1].", Some("| Ink | 12 |"));
        check(table, "Item: Paper; Price per box: 30", Some("| Paper | 30 |"));
    }

    #[test]
    fn a_neighbour_that_adds_to_it_joins() {
        check(
            PASSAGE,
            "It began in December 1989 on television in the town Springfield.",
            "It began in December 1989 on television. The town is Springfield.",
        );
    }

    #[test]
    fn another_paragraph_does_not_join() {
        let claim = "It began in December 1989 on television in the town Springfield.";
        let two = "# The town of Springfield\n\nIt began in December 1989 on television.";
        check(two, claim, "It began in December 1989 on television.");
        check(
            "It began in December 1989 on television.\nThe town is Springfield.",
            claim,
            "It began in December 1989 on television.\nThe town is Springfield.",
        );
    }

    #[test]
    fn a_heading_is_not_quoted_in_place_of_what_stands_below() {
        let passage = "# Where the town lies\n\nBetween a river and a mountain. A road leads there.";
        for claim in ["Where the town lies", "Where does the town lie?", "A zebra."] {
            check(passage, claim, "Between a river and a mountain.");
        }
        check(passage, "A road leads to the town.", "A road leads there.");
        check("# Where the town lies", "Where the town lies", "# Where the town lies");
    }

    #[test]
    fn what_stands_word_for_word_is_quoted_as_far_as_it_stands_together() {
        let check = |passage: &str, claims: &[&str], expected: &str| {
            let claims: Vec<String> = claims.iter().map(|claim| (*claim).to_owned()).collect();
            let range = supporting_quote(passage, &Headings::default(), &claims, Language::ENGLISH);
            assert_eq!(&passage[range], expected, "{claims:?}");
        };
        let costs = "It cost much to build.\n\nYear | Cost\n2020 | 9.1\n2021 | 12.4\n\nIt is wide.";
        check(costs, &["2020: 9.1", "2021: 12.4"], "2020 | 9.1\n2021 | 12.4");
        let commands = "Make a file.\n\n$ ls\n\n$ umask 002\n\nRead it again.";
        check(commands, &["Make a file", "ls", "umask 002"], "Make a file.\n\n$ ls\n\n$ umask 002");
        check(
            PASSAGE,
            &["It began in December 1989 on television", "Nobody knows the state", "It has a king"],
            "It began in December 1989 on television. The town is Springfield. Nobody knows the state.",
        );
        let table = "| No | Place | Area |\n|---|---|---|\n| 12 | Harbour hall | 870 m² |\n| 13 | Old archive | 390 m² |\n\nIt is paid.";
        check(
            table,
            &["No: 12; Place: Harbour hall; Area: 870 m²", "New: No: 13; Place: Old archive; Area: 390 m²"],
            "| 12 | Harbour hall | 870 m² |\n| 13 | Old archive | 390 m² |",
        );
        let table = "| | P-2 | P-4 |\n|---|---|---|\n| Weight | 310 g | 480 g |\n\n03:05 | Desk called | Ann\n04:12 | Disk changed | Ann";
        check(table, &["Time: 04:12; What: Disk changed; Who: Ann"], "04:12 | Disk changed | Ann");
        check(table, &["Weight; P-4: 480 g"], "| Weight | 310 g | 480 g |");
        let far = format!(
            "The first thing is said.{}\n\nThe second thing is said. The third thing is said.",
            " x".repeat(800)
        );
        check(
            &far,
            &["The first thing is said", "The second thing is said", "The third thing is said"],
            "The second thing is said. The third thing is said.",
        );
    }

    #[test]
    fn every_claim_has_its_sentences_in_the_quote() {
        let check = |claims: &[&str], expected: &str| {
            let passage = "# Why they leave\n\nDate: 20 January 2026. Author: Mei.\n\nIn 2025 we lost 23 of 412 customers. \
                           We asked all: 9 named missing contact, 7 the price.\n\nWe propose a named contact from March.";
            let claims: Vec<String> = claims.iter().map(|claim| (*claim).to_owned()).collect();
            let range = supporting_quote(passage, &Headings::default(), &claims, Language::ENGLISH);
            assert_eq!(&passage[range], expected, "{claims:?}");
        };
        let lost = "In 2025 we lost 23 of 412 customers.";
        let asked = "We asked all: 9 named missing contact, 7 the price.";
        check(&["The firm lost 23 customers in 2025."], lost);
        check(&["Of the 23 lost customers, 9 named missing contact."], &format!("{lost} {asked}"));
        check(
            &["The firm lost 23 customers in 2025.", "It wants to propose a contact for each."],
            &format!("{lost} {asked}\n\nWe propose a named contact from March."),
        );
        check(&["Seven zebras graze there."], "# Why they leave");
    }

    #[test]
    fn a_sentence_without_end_is_cut_near_the_match() {
        let passage = format!("{} zebra {}", "日本 ".repeat(400), "x ".repeat(400));
        let range = supporting_quote(&passage, &Headings::default(), &["A zebra.".to_owned()], Language::ENGLISH);
        assert!(range.len() <= MAX_BYTES && passage[range].starts_with("zebra"));
    }

    proptest! {
        #[test]
        fn the_quote_is_a_part_of_the_passage(passage in any::<String>(), claim in any::<String>()) {
            let range = supporting_quote(&passage, &vec!["a".to_owned()].into(), &[claim], Language::UNKNOWN);
            prop_assert!(passage.get(range).is_some());
        }
    }
}
