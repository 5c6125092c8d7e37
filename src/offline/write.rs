//! The report: a title, a lead of the sentences that answer most, sections, what the sources disagree on, and a note
//! that nothing of it is reasoned.

use std::collections::BTreeSet;

use super::answer::answer;
use super::brief;
use super::change::{asks_for_change, change};
use super::disagreement::{Disagreement, disagreements};
use super::entities::entities;
use super::phrases;
use super::plan::{is_broad, topic};
use super::render::{Renderer, stays_unmarked};
use super::sections::{self, Section, heading_text};
use super::select::{Candidate, Chosen, candidates, centrality};
use super::terms::{Rarity, content_set, language_of, spoken_by};
use crate::base::text::{Language, one_line};
use crate::llm::purpose::WriteInput;

/// The lead's share of the words.
const LEAD_SHARE: usize = 6;

/// Most sentences of the lead.
const LEAD: usize = 4;

/// Fewest words of a sentence that opens the report.
const LEAD_WORDS: usize = 8;

/// What it is worth that an earlier run found a passage and that it came to mind again.
const KNOWN: f32 = 0.3;

/// Most disagreements that are shown.
const DISAGREEMENTS: usize = 4;

/// Candidates below this relevance to the question and to every sub-query are not quoted.
const RELEVANT: f32 = 0.12;

/// The share of the question's words that some passage must hold for there to be an answer.
const FLOOR: f32 = 0.3;

/// What a query's term in a title or a heading is worth beside one in the sentence.
const CONTEXT: f32 = 0.4;

/// What a sentence of change is worth where a change is asked for.
const CHANGE: f32 = 0.35;

/// The report in Markdown, in the pieces in which it is streamed.
pub(super) fn write(input: &WriteInput, max_words: usize) -> Vec<String> {
    let texts = || input.evidence.iter().map(|card| card.text.as_str());
    let asked_in = language_of(&input.language, &input.question, texts());
    let phrases = phrases::of(asked_in);
    let mut pieces = vec![format!("# {}\n\n", title(&input.question, asked_in))];
    if let Some(reason) = &input.incomplete {
        pieces.push(format!("> {}\n\n", phrases.incomplete.replace("{reason}", &one_line(reason))));
    }
    if !brief::parts(&input.question, asked_in).is_empty() || !is_broad(&input.question, asked_in) {
        pieces.extend(answer(input, asked_in, phrases));
        return pieces;
    }
    let material = Material::new(input, asked_in);
    let language = material.language;
    let found = if material.speaks_to_question() { material.relevant() } else { Vec::new() };
    if found.is_empty() {
        pieces.push(format!("{}\n", phrases.nothing));
        return pieces;
    }
    if material.foreign {
        pieces.push(format!("{}\n\n", phrases.foreign));
    }

    let mut chosen = Chosen::new(&material.candidates, &material.rarity);
    let conflicts = conflicts(&found, &material);
    for conflict in &conflicts {
        chosen.take(conflict.first);
        chosen.take(conflict.second);
    }
    let topic = topic(&input.question, asked_in);
    let mut sections = sections::by_documents(&found, &material.candidates, &input.evidence, &topic, language);
    if sections.is_empty() {
        let relevance = |query: &str| material.relevance(query, CONTEXT);
        sections = sections::by_queries(input, &material.candidates, &found, relevance, language, phrases);
    }
    let lead = lead(&found, &sections, &mut chosen, &material, max_words / LEAD_SHARE);
    fill(&mut sections, &mut chosen, &material.candidates, max_words - max_words / LEAD_SHARE);

    let renderer = Renderer::new(&material.candidates, &input.evidence, phrases);
    if !lead.is_empty() {
        pieces.push(renderer.plain(&lead));
    }
    let mut parts: Vec<String> = Vec::new();
    for section in sections::settled(sections, phrases) {
        parts.push(format!("## {}\n\n{}", section.heading, renderer.paragraphs(&section.chosen)));
    }
    if !conflicts.is_empty() {
        let shown: String = conflicts.iter().map(|conflict| renderer.side_by_side(conflict)).collect();
        let part = format!("## {}\n\n{}\n\n{shown}\n", phrases.disagreement, phrases.disagreement_intro);
        parts.push(part);
    }
    pieces.extend(parts);
    pieces
}

/// What a report is made of.
struct Material<'i> {
    input: &'i WriteInput,
    candidates: Vec<Candidate>,
    rarity: Rarity,
    central: Vec<f32>,
    /// What is told by the title and the headings of each card.
    contexts: Vec<BTreeSet<String>>,
    /// Of the documents.
    language: Language,
    /// Whether the question is in another language, so that its words cannot be expected in them.
    foreign: bool,
}

impl<'i> Material<'i> {
    fn new(input: &'i WriteInput, asked_in: Language) -> Self {
        let languages = spoken_by(input.evidence.iter().map(|card| card.text.as_str()));
        let spoken = languages.most();
        let foreign = spoken != Language::UNKNOWN
            && spoken != asked_in
            && !matches!(languages.of_query(&input.question), found if found == spoken || found == Language::UNKNOWN);
        let language = if foreign { spoken } else { asked_in };
        let mut candidates = candidates(&input.evidence, language);
        candidates.retain(|candidate| stays_unmarked(candidate, &input.evidence, asked_in));
        let rarity = Rarity::of(candidates.iter().map(|candidate| &candidate.terms));
        let central = centrality(&candidates, &rarity);
        let contexts = input
            .evidence
            .iter()
            .map(|card| content_set(&format!("{} {}", card.title, card.place), language))
            .collect();
        Material { input, candidates, rarity, central, contexts, language, foreign }
    }

    /// Whether some passage holds enough of what the question asks about. A name that no passage knows means that
    /// they are about something else, however many common words they share.
    fn speaks_to_question(&self) -> bool {
        if self.foreign {
            return true;
        }
        let sets: Vec<BTreeSet<String>> = self
            .input
            .evidence
            .iter()
            .zip(&self.contexts)
            .map(|(card, context)| content_set(&card.text, self.language).union(context).cloned().collect())
            .collect();
        let known = |terms: &BTreeSet<String>| sets.iter().any(|set| !set.is_disjoint(terms));
        let names: Vec<BTreeSet<String>> = entities(&self.input.question, self.language)
            .iter()
            .map(|name| content_set(&name.text, self.language))
            .filter(|terms| !terms.is_empty())
            .collect();
        if !names.is_empty() {
            return names.iter().any(known);
        }
        let wanted = content_set(&self.input.question, self.language);
        let held = sets.iter().map(|set| set.intersection(&wanted).count()).max().unwrap_or(0);
        held as f32 >= FLOOR * wanted.len() as f32
    }

    /// What the question's answer speaks of. Where a change is asked for, that is the topic: the sentences that tell
    /// of changes seldom use the word.
    fn subject(&self) -> String {
        let question = &self.input.question;
        if asks_for_change(question) { topic(question, self.language) } else { question.clone() }
    }

    /// How relevant every candidate is to `query`: the query's terms in the sentence, fewer points for those in its
    /// title and headings, how central it is, and how well the search thought of its passage.
    fn relevance(&self, query: &str, context_share: f32) -> Vec<f32> {
        let evidence = &self.input.evidence;
        let wanted = content_set(query, self.language);
        let best = evidence.iter().map(|card| card.score).max_by(f32::total_cmp).unwrap_or(0.0);
        self.candidates
            .iter()
            .zip(&self.central)
            .map(|(candidate, central)| {
                let card = candidate.passage.card;
                let own = self.rarity.coverage(&wanted, &candidate.terms);
                let context = self.rarity.coverage(&wanted, &self.contexts[card]);
                let score = if best > 0.0 { (evidence[card].score / best).clamp(0.0, 1.0) } else { 0.0 };
                let shared = own + context_share * context;
                let dated = if candidate.passage.years.is_empty() { 0.0 } else { 0.04 };
                // It came to mind for this question, and its source was looked up.
                let known = if evidence[card].known.is_empty() || shared <= 0.0 { 0.0 } else { KNOWN };
                // Documents on a topic do not name it in every sentence.
                0.5 * shared + 0.25 * central + 0.2 * score + dated + known
            })
            .collect()
    }

    /// The candidates that are worth quoting, with their relevance.
    fn relevant(&self) -> Vec<(usize, f32)> {
        let question = &self.input.question;
        let mut best = self.relevance(&self.subject(), CONTEXT);
        for asked in &self.input.asked {
            let part = self.relevance(&asked.text, CONTEXT);
            for (best, other) in best.iter_mut().zip(part) {
                // What a follow-up asked counts nearly as much as the question.
                *best = best.max(0.85 * other);
            }
        }
        if asks_for_change(question) {
            for (best, candidate) in best.iter_mut().zip(&self.candidates) {
                *best += CHANGE * change(&candidate.passage);
            }
        }
        best.into_iter().enumerate().filter(|(_, value)| *value >= RELEVANT).collect()
    }
}

/// Contradictions among the relevant sentences.
fn conflicts(found: &[(usize, f32)], material: &Material<'_>) -> Vec<Disagreement> {
    let subset: Vec<Candidate> = found.iter().map(|(index, _)| material.candidates[*index].clone()).collect();
    disagreements(&subset, &material.rarity, material.language, DISAGREEMENTS)
        .into_iter()
        .map(|one| Disagreement { first: found[one.first].0, second: found[one.second].0, ..one })
        .collect()
}

/// The question as a title. Where its verb stands before the thing it asks about, they change places.
fn title(question: &str, language: Language) -> String {
    let line = one_line(question);
    let words: Vec<&str> = line.split(' ').collect();
    let name = entities(&line, language).into_iter().next();
    if let ([how, verb, ..], Some(name)) = (words.as_slice(), name) {
        let turns =
            ["how", "why"].contains(&how.to_lowercase().as_str()) && ["has", "have", "is", "was"].contains(verb);
        if turns && name.range.start == how.len() + verb.len() + 2 {
            let rest = line.get(name.range.end..).unwrap_or_default().trim_end_matches(['?', '.', ' ']);
            if rest.starts_with(' ') {
                return heading_text(&format!("{how} {} {verb}{rest}", name.text));
            }
        }
    }
    heading_text(&line)
}

/// The most telling sentences, of different documents and sections, in the order of their times.
fn lead(
    found: &[(usize, f32)],
    sections: &[Section],
    chosen: &mut Chosen<'_>,
    material: &Material<'_>,
    words: usize,
) -> Vec<usize> {
    let candidates = &material.candidates;
    // What opens the report must speak of the question in its own words, not under a title that does.
    let opening = material.relevance(&material.subject(), 0.1);
    let changing = asks_for_change(&material.input.question);
    let home =
        |index: usize| sections.iter().position(|section| section.pool.iter().any(|(member, _)| *member == index));
    let spread = sections.len() > 1;
    let mut lead: Vec<usize> = Vec::new();
    let mut left = words.max(50);
    while lead.len() < LEAD {
        let documents: BTreeSet<usize> = lead.iter().map(|&index| candidates[index].document).collect();
        let homes: BTreeSet<Option<usize>> = lead.iter().map(|&index| home(index)).collect();
        let pool: Vec<(usize, f32)> = found
            .iter()
            .map(|(index, _)| *index)
            .filter(|&index| !documents.contains(&candidates[index].document))
            .filter(|&index| !spread || !homes.contains(&home(index)))
            // A sentence that leans on the one before it, or only asks, cannot open a report.
            .filter(|&index| {
                let text = &candidates[index].passage.text;
                let short = candidates[index].words < LEAD_WORDS;
                !candidates[index].passage.leans && !short && !text.ends_with(['?', '？', ':']) && !refers_back(text)
            })
            .map(|index| {
                let told = if changing { change(&candidates[index].passage) } else { 0.0 };
                // A short statement opens better than a long tale.
                (index, 0.7 * opening[index] + 1.2 * told - 0.012 * candidates[index].words.saturating_sub(24) as f32)
            })
            .collect();
        let Some(index) = chosen.best(&pool, left) else { break };
        chosen.take(index);
        left = left.saturating_sub(candidates[index].words);
        lead.push(index);
    }
    if changing {
        lead.sort_by_key(|&index| candidates[index].passage.years.first().copied().unwrap_or(u16::MAX));
    }
    lead
}

/// Whether a word near the beginning points to what was said before.
fn refers_back(text: &str) -> bool {
    const BACK: [&str; 14] = [
        "therefore",
        "also",
        "however",
        "thus",
        "too",
        "then",
        "so",
        "same",
        "such",
        "second",
        "auch",
        "daher",
        "aussi",
        "también",
    ];
    let lower = text.to_lowercase();
    if ["of them", "of these", "of those", "of it "].iter().any(|phrase| lower.contains(phrase)) {
        return true;
    }
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.take(5).any(|word| BACK.contains(&word.to_lowercase().as_str()))
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

#[cfg(test)]
mod tests;
