//! The report: a lead of the most central sentences, a section for each part of the question that found something,
//! what the sources disagree on, and a note that nothing of it is reasoned.

use std::collections::BTreeSet;

use super::disagreement::{Disagreement, disagreements};
use super::phrases::{self, Phrases};
use super::plan::topic;
use super::select::{Candidate, Chosen, candidates, centrality};
use super::split;
use super::terms::{Rarity, content_set, is_cjk, language_of, word_count};
use super::titles;
use crate::base::text::{Language, excerpt, one_line};
use crate::llm::purpose::{EvidenceCard, WriteInput};

/// The lead's share of the words.
const LEAD_SHARE: usize = 9;

/// Most sections beside the lead and the disagreements.
const SECTIONS: usize = 7;

/// Most disagreements that are shown.
const DISAGREEMENTS: usize = 4;

/// Candidates below this relevance to the question and to every sub-query are not quoted.
const RELEVANT: f32 = 0.12;

/// What a query's term in a title or a heading is worth beside one in the sentence.
const CONTEXT: f32 = 0.4;

/// One section on its way.
struct Section {
    heading: String,
    /// Candidates with their relevance to it.
    pool: Vec<(usize, f32)>,
    chosen: Vec<usize>,
    words: usize,
}

/// The report in Markdown, in the pieces in which it is streamed.
pub(super) fn write(input: &WriteInput, max_words: usize) -> Vec<String> {
    let language = language_of(&input.language, &input.question, input.evidence.iter().map(|card| card.text.as_str()));
    let phrases = phrases::of(language);
    let candidates = candidates(&input.evidence, language);
    let rarity = Rarity::of(candidates.iter().map(|candidate| &candidate.terms));
    let general = relevance(&input.question, &candidates, input, &rarity, language, CONTEXT);
    // What opens the report must speak of the question in its own words, not under a title that does.
    let opening = relevance(&input.question, &candidates, input, &rarity, language, 0.0);

    let mut sections = sections(input, &candidates, &rarity, &general, language, phrases);
    if sections.is_empty() {
        return nothing(input, phrases);
    }
    let mut chosen = Chosen::new(&candidates, &rarity);
    let relevant: BTreeSet<usize> = sections.iter().flat_map(|section| section.pool.iter().map(|(i, _)| *i)).collect();
    let kept: Vec<usize> = relevant.iter().copied().collect();
    let subset: Vec<Candidate> = kept.iter().map(|&index| candidates[index].clone()).collect();
    let conflicts: Vec<Disagreement> = disagreements(&subset, &rarity, language, DISAGREEMENTS)
        .into_iter()
        .map(|one| Disagreement { first: kept[one.first], second: kept[one.second], ..one })
        .collect();
    for conflict in &conflicts {
        chosen.take(conflict.first);
        chosen.take(conflict.second);
    }

    let lead = lead(&opening, &relevant, &mut chosen, &candidates, max_words / LEAD_SHARE);
    fill(&mut sections, &mut chosen, &candidates, max_words - max_words / LEAD_SHARE);

    let mut pieces = Vec::new();
    if let Some(reason) = &input.incomplete {
        pieces.push(format!("> {}\n\n", phrases.incomplete.replace("{reason}", &one_line(reason))));
    }
    if !lead.is_empty() {
        let quotes: Vec<String> = lead.iter().map(|&index| quote(&candidates[index], &input.evidence)).collect();
        pieces.push(format!("{}\n\n", quotes.join(phrases.space)));
    }
    let mut attributions = 0;
    for section in sections.iter().filter(|section| !section.chosen.is_empty()) {
        pieces.push(format!("## {}\n\n", section.heading));
        for paragraph in paragraphs(&section.chosen, &candidates, &input.evidence) {
            pieces.push(render(&paragraph, &candidates, &input.evidence, phrases, attributions));
            attributions += 1;
        }
    }
    if !conflicts.is_empty() {
        pieces.push(format!("## {}\n\n{}\n\n", phrases.disagreement, phrases.disagreement_intro));
        for conflict in &conflicts {
            pieces.push(side_by_side(conflict, &candidates, &input.evidence, phrases));
        }
        pieces.push("\n".to_owned());
    }
    pieces.push(format!("*{}*\n", phrases.closing));
    pieces
}

/// The report when there is nothing to quote.
fn nothing(input: &WriteInput, phrases: &Phrases) -> Vec<String> {
    let mut pieces = Vec::new();
    if let Some(reason) = &input.incomplete {
        pieces.push(format!("> {}\n\n", phrases.incomplete.replace("{reason}", &one_line(reason))));
    }
    pieces.push(format!("{}\n", phrases.nothing));
    pieces
}

/// How relevant every candidate is to `query`: the query's terms in the sentence, fewer points for those in its
/// title and headings, how central it is, and how well the search thought of its passage.
fn relevance(
    query: &str,
    candidates: &[Candidate],
    input: &WriteInput,
    rarity: &Rarity,
    language: Language,
    context_share: f32,
) -> Vec<f32> {
    let wanted = content_set(query, language);
    let central = centrality(candidates, rarity);
    let best = input.evidence.iter().map(|card| card.score).max_by(f32::total_cmp).unwrap_or(0.0);
    let contexts: Vec<BTreeSet<String>> =
        input.evidence.iter().map(|card| content_set(&format!("{} {}", card.title, card.place), language)).collect();
    candidates
        .iter()
        .zip(central)
        .map(|(candidate, central)| {
            let card = &input.evidence[candidate.passage.card];
            let own = rarity.coverage(&wanted, &candidate.terms);
            let context = rarity.coverage(&wanted, &contexts[candidate.passage.card]);
            let score = if best > 0.0 { (card.score / best).clamp(0.0, 1.0) } else { 0.0 };
            let shared = own + context_share * context;
            let dated = if candidate.passage.years.is_empty() { 0.0 } else { 0.04 };
            if shared > 0.0 { shared + 0.25 * central + 0.2 * score + dated } else { 0.05 * central + 0.1 * score }
        })
        .collect()
}

/// One section for each sub-query, with the candidates that belong to it and to no other more.
fn sections(
    input: &WriteInput,
    candidates: &[Candidate],
    rarity: &Rarity,
    general: &[f32],
    language: Language,
    phrases: &Phrases,
) -> Vec<Section> {
    let question = split::key(&input.question, language);
    let topic = topic(&input.question, language);
    let mut kinds: Vec<(usize, String)> = Vec::new();
    for (index, asked) in input.asked.iter().enumerate() {
        let key = split::key(&asked.text, language);
        let known = kinds.iter().any(|(other, _)| split::key(&input.asked[*other].text, language) == key);
        if key != question && !key.is_empty() && !known {
            kinds.push((index, heading(&asked.text, &topic)));
        }
    }
    let parts: Vec<Vec<f32>> = kinds
        .iter()
        .map(|(index, _)| relevance(&input.asked[*index].text, candidates, input, rarity, language, CONTEXT))
        .collect();
    let mut sections: Vec<Section> = kinds
        .iter()
        .map(|(_, heading)| Section { heading: heading.clone(), pool: vec![], chosen: vec![], words: 0 })
        .collect();
    let mut rest = Section { heading: phrases.further.to_owned(), pool: vec![], chosen: vec![], words: 0 };
    let wanted: BTreeSet<String> = question.iter().cloned().collect();
    for (index, candidate) in candidates.iter().enumerate() {
        let card = &input.evidence[candidate.passage.card];
        let finders = |kind: usize| if card.found_by.contains(&kinds[kind].0) { 0.3 } else { 0.0 };
        let home = (0..kinds.len())
            .map(|kind| (kind, parts[kind][index] + finders(kind)))
            .max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)));
        let value = general[index].max(home.map_or(0.0, |(kind, _)| parts[kind][index]));
        if value < RELEVANT {
            continue;
        }
        // What shares nothing with the sub-query beyond the question's own words belongs to no section of its own.
        let special = home.filter(|(kind, _)| {
            let own: BTreeSet<String> =
                content_set(&input.asked[kinds[*kind].0].text, language).difference(&wanted).cloned().collect();
            let context = content_set(&format!("{} {} {}", card.title, card.place, candidate.passage.text), language);
            own.is_empty() || !own.is_disjoint(&context) || finders(*kind) > 0.0
        });
        match special {
            Some((kind, score)) => sections[kind].pool.push((index, score.max(general[index]))),
            None => rest.pool.push((index, general[index])),
        }
    }
    // A section needs something to say; the largest remain where there are too many.
    let weight = |section: &Section| section.pool.iter().map(|(_, score)| score).sum::<f32>();
    let mut order: Vec<usize> = (0..sections.len()).collect();
    order.sort_by(|&a, &b| weight(&sections[b]).total_cmp(&weight(&sections[a])).then(a.cmp(&b)));
    let keep: BTreeSet<usize> =
        order.into_iter().take(SECTIONS).filter(|&index| sections[index].pool.len() > 1 || kinds.len() == 1).collect();
    let mut kept = Vec::new();
    for (index, section) in sections.into_iter().enumerate() {
        if keep.contains(&index) {
            kept.push(section);
        } else {
            rest.pool.extend(section.pool);
        }
    }
    if !rest.pool.is_empty() {
        if kept.is_empty() {
            rest.heading = phrases.findings.to_owned();
        }
        kept.push(rest);
    }
    kept
}

/// A sub-query as a heading: without the topic that every facet repeats, with a capital at its beginning.
fn heading(query: &str, topic: &str) -> String {
    let line = one_line(query);
    let facet = line
        .strip_prefix(topic)
        .map(|rest| rest.trim_start_matches([':', '：', ' ']))
        .filter(|rest| word_count(rest) > 0 && !rest.is_empty());
    let text = facet.unwrap_or(&line).trim_end_matches(['.', '。']).replace(['#', '[', ']', '*', '`'], "");
    // A list of words reads better with its last comma as a dash of meaning, so only the first letter changes.
    let mut letters = text.trim().chars();
    let first: String = letters.next().map(|c| c.to_uppercase().collect()).unwrap_or_default();
    excerpt(&format!("{first}{}", letters.as_str()), 90).into_owned()
}

/// Up to three of the most central sentences, of different documents.
fn lead(
    opening: &[f32],
    relevant: &BTreeSet<usize>,
    chosen: &mut Chosen<'_>,
    candidates: &[Candidate],
    words: usize,
) -> Vec<usize> {
    let mut lead: Vec<usize> = Vec::new();
    let mut left = words.max(40);
    while lead.len() < 3 {
        let documents: BTreeSet<usize> = lead.iter().map(|&index| candidates[index].document).collect();
        let pool: Vec<(usize, f32)> = relevant
            .iter()
            .filter(|&&index| !documents.contains(&candidates[index].document))
            // A sentence that leans on the one before it cannot open a report.
            .filter(|&&index| !candidates[index].passage.leans)
            // A short statement opens better than a long tale.
            .map(|&index| (index, opening[index] - 0.012 * candidates[index].words.saturating_sub(18) as f32))
            .collect();
        let Some(index) = chosen.best(&pool, left) else { break };
        chosen.take(index);
        left = left.saturating_sub(candidates[index].words);
        lead.push(index);
    }
    lead
}

/// Lets the sections choose in turn until the words are used up or nothing is left to say.
fn fill(sections: &mut [Section], chosen: &mut Chosen<'_>, candidates: &[Candidate], words: usize) {
    let share = words / sections.len().max(1);
    let mut left = words;
    // First every section gets its share; then what is left goes to those that have more to say.
    for limit in [share, share * 2, words] {
        let mut progress = true;
        while progress {
            progress = false;
            for section in sections.iter_mut() {
                let room = limit.saturating_sub(section.words).min(left);
                let Some(index) = chosen.best(&section.pool, room) else { continue };
                chosen.take(index);
                section.chosen.push(index);
                section.words += candidates[index].words;
                left -= candidates[index].words;
                progress = true;
            }
        }
    }
}

/// The chosen sentences of a section by document, documents by the time that they speak of.
fn paragraphs(chosen: &[usize], candidates: &[Candidate], evidence: &[EvidenceCard]) -> Vec<Vec<usize>> {
    let mut paragraphs: Vec<Vec<usize>> = Vec::new();
    for &index in chosen {
        let document = candidates[index].document;
        match paragraphs.iter_mut().find(|paragraph| candidates[paragraph[0]].document == document) {
            Some(paragraph) => paragraph.push(index),
            None => paragraphs.push(vec![index]),
        }
    }
    for paragraph in &mut paragraphs {
        // The passages of one document come in the order of the search; the years that they name tell theirs.
        let members = paragraph.clone();
        let year_of_card = |card: usize| {
            let years = members.iter().map(|&index| &candidates[index].passage).filter(|passage| passage.card == card);
            years.flat_map(|passage| passage.years.iter().copied()).min().unwrap_or(u16::MAX)
        };
        paragraph.sort_by_key(|&index| {
            let passage = &candidates[index].passage;
            (year_of_card(passage.card), passage.card, passage.place)
        });
    }
    let year = |paragraph: &Vec<usize>| {
        let named = paragraph.iter().filter_map(|&index| candidates[index].passage.years.first().copied()).min();
        let dated = evidence[candidates[paragraph[0]].passage.card].date.get(..4).and_then(|year| year.parse().ok());
        named.or(dated)
    };
    // Where few paragraphs have a time, the order of choice is the better one.
    if paragraphs.iter().filter(|paragraph| year(paragraph).is_some()).count() * 2 > paragraphs.len() {
        paragraphs.sort_by_key(|paragraph| (year(paragraph).unwrap_or(u16::MAX), paragraph[0]));
    }
    paragraphs
}

fn render(
    paragraph: &[usize],
    candidates: &[Candidate],
    evidence: &[EvidenceCard],
    phrases: &Phrases,
    turn: usize,
) -> String {
    let card = &evidence[candidates[paragraph[0]].passage.card];
    let pattern = phrases.attributions[turn % phrases.attributions.len()];
    let quotes: Vec<String> = paragraph.iter().map(|&index| quote(&candidates[index], evidence)).collect();
    format!("{}{}\n\n", pattern.replace("{title}", &source(card)), quotes.join(phrases.space))
}

/// A document as a reader meets it: its title and the year it speaks from.
fn source(card: &EvidenceCard) -> String {
    let title = titles::readable(if card.title.trim().is_empty() { &card.path } else { &card.title });
    let title = excerpt(&title, 90);
    match card.date.get(..4) {
        Some(year) => format!("*{title}* ({year})"),
        None => format!("*{title}*"),
    }
}

/// The sentence with its citation before the mark that ends it, so that the citation stays with its sentence.
fn quote(candidate: &Candidate, evidence: &[EvidenceCard]) -> String {
    let number = evidence[candidate.passage.card].number;
    let text = safe(&candidate.passage.text);
    let text = text.trim_end();
    let closing: String = text
        .chars()
        .rev()
        .take_while(|c| {
            matches!(c, '"' | '”' | '’' | ')' | '»' | '」' | '』' | '*' | '.' | '!' | '?' | '。' | '！' | '？' | '…')
        })
        .collect::<Vec<_>>()
        .into_iter()
        .rev()
        .collect();
    let body = &text[..text.len() - closing.len()];
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
fn safe(text: &str) -> String {
    text.replace('<', "\\<")
}

fn side_by_side(
    conflict: &Disagreement,
    candidates: &[Candidate],
    evidence: &[EvidenceCard],
    phrases: &Phrases,
) -> String {
    let side = |index: usize| {
        let candidate = &candidates[index];
        format!("{}: {}", source(&evidence[candidate.passage.card]), quote(candidate, evidence))
    };
    format!(
        "- **{}** {} **{}**\n  - {}\n  - {}\n",
        conflict.first_figure,
        phrases.against,
        conflict.second_figure,
        side(conflict.first),
        side(conflict.second)
    )
}

#[cfg(test)]
mod tests;
