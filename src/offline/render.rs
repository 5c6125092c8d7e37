//! Quoted sentences as Markdown: each with its citation, in paragraphs by source and time.

use std::collections::BTreeMap;

use super::disagreement::Disagreement;
use super::passages;
use super::phrases::Phrases;
use super::select::Candidate;
use super::terms::is_cjk;
use crate::base::text::{Language, excerpt};
use crate::llm::purpose::EvidenceCard;
use crate::report::cite::CitationChecker;
use crate::report::readable_title;

/// A longer title is cut at a colon or a dash.
const TITLE_CHARS: usize = 48;

/// Everything a piece of the report is rendered from.
pub(super) struct Renderer<'r> {
    candidates: &'r [Candidate],
    evidence: &'r [EvidenceCard],
    phrases: &'r Phrases,
}

impl<'r> Renderer<'r> {
    /// For the candidates that `evidence` holds.
    pub(super) fn new(candidates: &'r [Candidate], evidence: &'r [EvidenceCard], phrases: &'r Phrases) -> Self {
        Renderer { candidates, evidence, phrases }
    }

    /// Sentences one after the other, without saying whose they are.
    pub(super) fn plain(&self, chosen: &[usize]) -> String {
        let quotes: Vec<String> = chosen.iter().map(|&index| quote(&self.candidates[index], self.evidence)).collect();
        let mut text = String::new();
        for quote in quotes {
            if !text.is_empty() && !text.ends_with(['。', '！', '？']) {
                text.push(' ');
            }
            text.push_str(&quote);
        }
        format!("{text}\n\n")
    }

    /// The sentences of a section in paragraphs, one for each document, in the order of time.
    pub(super) fn paragraphs(&self, chosen: &[usize]) -> String {
        by_document(chosen, self.candidates, self.evidence).iter().map(|group| self.plain(group)).collect()
    }

    /// Two sentences that contradict each other. Where both are dated, the newer stands first and is called so.
    pub(super) fn side_by_side(&self, conflict: &Disagreement) -> String {
        let date = |index: usize| self.evidence[self.candidates[index].passage.card].date.as_str();
        let mut sides = [(conflict.first, &conflict.first_figure), (conflict.second, &conflict.second_figure)];
        let [first, second] = [date(conflict.first), date(conflict.second)];
        let dated = !first.is_empty() && !second.is_empty() && first != second;
        // Dates are written so that their order is that of the texts.
        if dated && first < second {
            sides.swap(0, 1);
        }
        let side = |index: usize, newer: bool| {
            let candidate = &self.candidates[index];
            let card = &self.evidence[candidate.passage.card];
            let newer = if newer { format!(" ({} {})", self.phrases.newer, card.date) } else { String::new() };
            format!("{}{newer}: {}", source(card, self.evidence), quote(candidate, self.evidence))
        };
        let [(newer, newer_figure), (older, older_figure)] = sides;
        format!(
            "- **{}** {} **{}**:\n  - {}\n  - {}\n",
            safe(newer_figure),
            self.phrases.against,
            safe(older_figure),
            side(newer, dated),
            side(older, false)
        )
    }
}

/// The chosen sentences by document, documents by the time that they speak of.
fn by_document(chosen: &[usize], candidates: &[Candidate], evidence: &[EvidenceCard]) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for &index in chosen {
        let document = candidates[index].document;
        match groups.iter_mut().find(|group| candidates[group[0]].document == document) {
            Some(group) => group.push(index),
            None => groups.push(vec![index]),
        }
    }
    for group in &mut groups {
        // The passages of one document come in the order of the search; the years that they name tell theirs.
        let mut first_years: BTreeMap<usize, u16> = BTreeMap::new();
        for &index in group.iter() {
            let passage = &candidates[index].passage;
            let year = passage.years.iter().copied().min().unwrap_or(u16::MAX);
            first_years.entry(passage.card).and_modify(|first| *first = year.min(*first)).or_insert(year);
        }
        group.sort_by_key(|&index| {
            let passage = &candidates[index].passage;
            (first_years.get(&passage.card).copied(), passage.card, passage.place)
        });
    }
    let year = |group: &Vec<usize>| {
        let named = group.iter().filter_map(|&index| candidates[index].passage.years.first().copied()).min();
        let dated = evidence[candidates[group[0]].passage.card].date.get(..4).and_then(|year| year.parse().ok());
        named.or(dated)
    };
    // Where few groups have a time, the order of choice is the better one.
    if groups.iter().filter(|group| year(group).is_some()).count() * 2 > groups.len() {
        groups.sort_by_key(|group| (year(group).unwrap_or(u16::MAX), group[0]));
    }
    groups
}

/// A document as a reader meets it: its title and the year it speaks from.
fn source(card: &EvidenceCard, evidence: &[EvidenceCard]) -> String {
    let title = title_of(card, evidence);
    // A mark that ends a sentence would end the attribution.
    let title = short_title(&title).trim_end_matches(['.', '。']).replace(". ", ", ");
    match card.date.get(..4) {
        Some(year) => format!("*{}* ({year})", safe(&title)),
        None => format!("*{}*", safe(&title)),
    }
}

/// The title of a card's document, or its file's name where it has none.
pub(super) fn title_of(card: &EvidenceCard, evidence: &[EvidenceCard]) -> String {
    let name = card.path.rsplit(['/', '\\']).next().unwrap_or_default();
    let title = if card.title.trim().is_empty() { name } else { &card.title };
    readable_title(title, evidence.iter().map(|card| card.text.as_str()))
}

fn short_title(title: &str) -> String {
    let short = if title.chars().count() > TITLE_CHARS {
        title.split([':', '：', '–', '—', '|']).next().unwrap_or(title).trim()
    } else {
        title
    };
    excerpt(short, TITLE_CHARS * 2).into_owned()
}

/// The sentences of a candidate with their citations.
pub(super) fn quote(candidate: &Candidate, evidence: &[EvidenceCard]) -> String {
    cited(&safe(&candidate.passage.text), evidence[candidate.passage.card].number)
}

/// `text` with a citation in each sentence, before the mark that ends it, so that the citation stays with its sentence.
pub(super) fn cited(text: &str, number: usize) -> String {
    let wide = text.chars().next_back().is_some_and(|c| is_cjk(c) || "。！？」』".contains(c));
    let cited: Vec<String> = passages::whole_sentences(text).iter().map(|sentence| cite(sentence, number)).collect();
    cited.join(if wide { "" } else { " " })
}

/// Whether the check of citations would leave the sentence as it is. It may see an end where there is none, as in
/// the names of some works, and would ask for a citation there.
pub(super) fn stays_unmarked(candidate: &Candidate, evidence: &[EvidenceCard], language: Language) -> bool {
    let text = &candidate.passage.text;
    let ends = text.matches(['.', '!', '?', '。']).count();
    if ends < 2 {
        return true;
    }
    let card = &evidence[candidate.passage.card];
    let sources = BTreeMap::from([(card.number, card.text.clone())]);
    let mut checker = CitationChecker::new(sources, language);
    checker.push(&quote(candidate, evidence));
    checker.finish().1.marked == 0
}

fn cite(sentence: &str, number: usize) -> String {
    let text = sentence.trim_end();
    let ending = |c: &char| {
        matches!(c, '"' | '”' | '’' | ')' | '»' | '」' | '』' | '*' | '.' | '!' | '?' | '。' | '！' | '？' | '…')
    };
    let length: usize = text.chars().rev().take_while(ending).map(char::len_utf8).sum();
    let (body, closing) = text.split_at(text.len() - length);
    let stop = closing.chars().rev().find(|c| matches!(c, '.' | '!' | '?' | '。' | '！' | '？' | '…'));
    let space = if body.chars().next_back().is_some_and(is_cjk) { "" } else { " " };
    match (closing.chars().count(), stop) {
        (1, Some(stop)) => format!("{body}{space}[{number}]{stop}"),
        // A full stop inside quotation marks moves behind the citation; marks that carry a tone stay.
        (_, Some('.' | '。')) if !closing.contains("..") => {
            let kept: String = closing.chars().filter(|c| !matches!(c, '.' | '。')).collect();
            format!("{body}{kept}{space}[{number}]{}", if closing.contains('。') { '。' } else { '.' })
        }
        _ => format!("{body}{closing}{space}[{number}]{}", if space.is_empty() { "。" } else { "." }),
    }
}

/// Source words as Markdown text: nothing in them may become markup that loads or runs something.
pub(super) fn safe(text: &str) -> String {
    text.replace('<', "\\<")
}
