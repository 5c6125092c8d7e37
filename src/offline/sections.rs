//! What a report is divided into: for a question with parts a section for each part, for a broad one a section for
//! each group of documents that speak of the same things.

use std::collections::{BTreeMap, BTreeSet};

use super::phrases::Phrases;
use super::plan::{facet_of, topic};
use super::render::title_of;
use super::select::Candidate;
use super::split;
use super::terms::{Rarity, content_set, word_count};
use crate::base::text::{Language, excerpt, one_line};
use crate::llm::purpose::{EvidenceCard, WriteInput};

/// Most sections beside the lead and the disagreements.
const SECTIONS: usize = 6;

/// Fewest documents that are grouped.
const GROUPED: usize = 5;

/// One section on its way.
pub(super) struct Section {
    /// Its heading.
    pub heading: String,
    /// Candidates with their relevance to it.
    pub pool: Vec<(usize, f32)>,
    /// What it quotes.
    pub chosen: Vec<usize>,
    /// How many words that is.
    pub words: usize,
}

impl Section {
    fn new(heading: String) -> Self {
        Section { heading, pool: Vec::new(), chosen: Vec::new(), words: 0 }
    }

    fn weight(&self) -> f32 {
        self.pool.iter().map(|(_, score)| score).sum()
    }
}

/// A section for each group of documents that share their words, with `relevant` candidates and their relevance; none
/// where there are too few documents to group.
pub(super) fn by_documents(
    relevant: &[(usize, f32)],
    candidates: &[Candidate],
    evidence: &[EvidenceCard],
    topic: &str,
    language: Language,
) -> Vec<Section> {
    let mut documents: BTreeMap<usize, Vec<(usize, f32)>> = BTreeMap::new();
    for &(index, score) in relevant {
        documents.entry(candidates[index].document).or_default().push((index, score));
    }
    let documents: Vec<Vec<(usize, f32)>> = documents.into_values().collect();
    if documents.len() < GROUPED {
        return Vec::new();
    }
    let sets: Vec<BTreeSet<String>> = documents
        .iter()
        .map(|pool| pool.iter().flat_map(|(index, _)| candidates[*index].terms.iter().cloned()).collect())
        .collect();
    let rarity = Rarity::of(&sets);
    let likeness = |a: usize, b: usize| {
        let shared = rarity.sum(sets[a].intersection(&sets[b]));
        shared / (rarity.sum(&sets[a]) * rarity.sum(&sets[b])).sqrt().max(f32::MIN_POSITIVE)
    };
    let count = documents.len();
    let alike: Vec<Vec<f32>> = (0..count).map(|a| (0..count).map(|b| likeness(a, b)).collect()).collect();
    let wanted = (count / 2).clamp(2, SECTIONS);
    let most = (count * 3).div_ceil(wanted * 2);
    let mut groups: Vec<Vec<usize>> = (0..count).map(|document| vec![document]).collect();
    while groups.len() > wanted {
        let mut best: Option<(f32, usize, usize)> = None;
        for a in 0..groups.len() {
            for b in a + 1..groups.len() {
                if groups[a].len() + groups[b].len() > most {
                    continue;
                }
                let pairs = groups[a].iter().flat_map(|&x| groups[b].iter().map(move |&y| (x, y)));
                let total: f32 = pairs.map(|(x, y)| alike[x][y]).sum();
                // A document alone is no section, so that small groups grow first.
                let mean = total
                    / (groups[a].len() * groups[b].len()) as f32
                    / ((groups[a].len() + groups[b].len()) as f32).powf(0.5);
                if best.is_none_or(|(top, ..)| mean > top) {
                    best = Some((mean, a, b));
                }
            }
        }
        let Some((_, a, b)) = best else { break };
        let joined = groups.remove(b);
        groups[a].extend(joined);
    }
    // A document that no group had room for goes to the one that it is most like.
    while groups.len() > 2 {
        let Some(alone) = groups.iter().position(|group| group.len() == 1) else { break };
        let group = groups.remove(alone);
        let mean = |other: &[usize]| {
            let total: f32 = other.iter().map(|&x| group.iter().map(|&y| alike[x][y]).sum::<f32>()).sum();
            total / other.len() as f32
        };
        let means: Vec<f32> = groups.iter().map(|other| mean(other)).collect();
        let nearest = (0..means.len()).max_by(|&a, &b| means[a].total_cmp(&means[b]).then(b.cmp(&a)));
        if let Some(nearest) = nearest {
            groups[nearest].extend(group);
        }
    }
    let mut sections: Vec<Section> = groups
        .into_iter()
        .map(|mut group| {
            let central = |&document: &usize| -> f32 { group_likeness(document, &alike) };
            group.sort_by(|a, b| central(b).total_cmp(&central(a)).then(a.cmp(b)));
            let mut section = Section::new(heading_of(&group, &documents, candidates, evidence, topic, language));
            section.pool = group.iter().flat_map(|&document| documents[document].iter().copied()).collect();
            section
        })
        .collect();
    sections.sort_by(|a, b| b.weight().total_cmp(&a.weight()));
    sections
}

fn group_likeness(document: usize, alike: &[Vec<f32>]) -> f32 {
    alike[document].iter().sum()
}

/// The title of a group's most central document that says more than the topic.
fn heading_of(
    group: &[usize],
    documents: &[Vec<(usize, f32)>],
    candidates: &[Candidate],
    evidence: &[EvidenceCard],
    topic: &str,
    language: Language,
) -> String {
    let titles = group.iter().filter_map(|&document| {
        let (index, _) = documents[document].first()?;
        let title = title_of(&evidence[candidates[*index].passage.card], evidence);
        facet_of(&title, topic, language).or(Some(title).filter(|title| !title.is_empty()))
    });
    titles.into_iter().next().map_or_else(String::new, |title| heading_text(&title))
}

/// One section for each sub-query, with the candidates that belong to it and to no other more.
pub(super) fn by_queries(
    input: &WriteInput,
    candidates: &[Candidate],
    general: &[(usize, f32)],
    relevance: impl Fn(&str) -> Vec<f32>,
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
    let parts: Vec<Vec<f32>> = kinds.iter().map(|(index, _)| relevance(&input.asked[*index].text)).collect();
    let mut sections: Vec<Section> = kinds.iter().map(|(_, heading)| Section::new(heading.clone())).collect();
    let mut rest = Section::new(phrases.further.to_owned());
    let wanted: BTreeSet<String> = question.iter().cloned().collect();
    for &(index, general) in general {
        let candidate = &candidates[index];
        let card = &input.evidence[candidate.passage.card];
        let finders = |kind: usize| if card.found_by.contains(&kinds[kind].0) { 0.3 } else { 0.0 };
        let home = (0..kinds.len())
            .map(|kind| (kind, parts[kind][index] + finders(kind)))
            .max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)));
        // What shares nothing with the sub-query beyond the question's own words belongs to no section of its own.
        let special = home.filter(|(kind, _)| {
            let own: BTreeSet<String> =
                content_set(&input.asked[kinds[*kind].0].text, language).difference(&wanted).cloned().collect();
            let context = content_set(&format!("{} {} {}", card.title, card.place, candidate.passage.text), language);
            own.is_empty() || !own.is_disjoint(&context)
        });
        match special {
            Some((kind, score)) => sections[kind].pool.push((index, score.max(general))),
            None => rest.pool.push((index, general)),
        }
    }
    // A section needs something to say; the largest remain where there are too many.
    let mut order: Vec<usize> = (0..sections.len()).collect();
    order.sort_by(|&a, &b| sections[b].weight().total_cmp(&sections[a].weight()).then(a.cmp(&b)));
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
        kept.push(rest);
    }
    kept
}

/// The sections that say enough to stand; what the others chose goes to the last one.
pub(super) fn settled(sections: Vec<Section>, phrases: &Phrases) -> Vec<Section> {
    let (mut kept, small): (Vec<Section>, Vec<Section>) =
        sections.into_iter().filter(|section| !section.chosen.is_empty()).partition(|section| section.chosen.len() > 1);
    let moved: Vec<usize> = small.into_iter().flat_map(|section| section.chosen).collect();
    if !moved.is_empty() {
        if kept.last().is_none_or(|last| last.heading != phrases.further) {
            kept.push(Section::new(phrases.further.to_owned()));
        }
        if let Some(last) = kept.last_mut() {
            last.chosen.extend(moved);
        }
    }
    if let [only] = kept.as_mut_slice() {
        phrases.findings.clone_into(&mut only.heading);
    }
    kept
}

/// A sub-query as a heading: without the topic that every facet repeats, with a capital at its beginning.
pub(super) fn heading(query: &str, topic: &str) -> String {
    let line = one_line(query);
    let facet = line
        .strip_prefix(topic)
        .map(|rest| rest.trim_start_matches([':', '：', ' ']))
        .filter(|rest| word_count(rest) > 0 && !rest.is_empty());
    heading_text(facet.unwrap_or(&line))
}

/// Words of a source or of a question as a heading.
pub(super) fn heading_text(text: &str) -> String {
    let text = one_line(text).replace(['#', '[', ']', '*', '`', '<', '>'], "");
    let text = text.trim().trim_end_matches(['.', '。']);
    let mut letters = text.chars();
    let first: String = letters.next().map(|c| c.to_uppercase().collect()).unwrap_or_default();
    excerpt(&format!("{first}{}", letters.as_str()), 160).into_owned()
}
