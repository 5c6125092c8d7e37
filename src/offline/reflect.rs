//! Reflection without reasoning: which passages share the question's telling words, which names they bring in that
//! nobody has asked about, and what of the question those passages leave open.

use std::collections::{BTreeMap, BTreeSet};

use super::ExtractiveOptions;
use super::asking::is_broad;
use super::brief;
use super::entities::entities;
use super::hops;
use super::plan::{facet_of, topic};
use super::route::Routes;
use super::split;
use super::statements::{Statement, statements};
use super::terms::{Rarity, content_set, language_of};
use crate::base::text::Language;
use crate::llm::purpose::{EvidenceCard, PlannedQuery, ReflectInput, Reflection};
use crate::report::readable_title;

/// A passage helps when its relevance is at least this share of the best passage's.
const HELPFUL: f32 = 0.35;

/// How many of the best passages are read for names.
const READ: usize = 12;

/// The share of the question's telling weight that a passage must hold to vouch for a name.
const VOUCH: f32 = 0.15;

/// What a card says, analysed.
struct Reading<'c> {
    card: &'c EvidenceCard,
    terms: BTreeSet<String>,
    relevance: f32,
}

/// How many of the best passages a round must reach into to be worth another.
const TOP: usize = 8;

/// The most passages of a narrow question's evidence that are called helpful.
const HELPFUL_MOST: usize = 15;

/// Judges the evidence of `input`, and asks for more within `options`.
pub(super) fn reflect(input: &ReflectInput, options: ExtractiveOptions) -> Reflection {
    let language = language_of(&input.language, &input.question, input.evidence.iter().map(|card| card.text.as_str()));
    let parts = brief::parts(&input.question, language);
    let is_brief = !parts.is_empty();
    if let Some(reflection) = open_parts(input, parts, language) {
        return reflection;
    }
    if !is_brief && is_broad(&input.question, language) {
        reflect_on_topic(input, options, language)
    } else {
        reflect_on_hops(input, options, is_brief, language)
    }
}

/// Asks for the parts of a brief that the plan had no room for.
fn open_parts(input: &ReflectInput, parts: Vec<brief::Part>, language: Language) -> Option<Reflection> {
    let routes = Routes::new(&input.collections, language);
    let open = parts
        .into_iter()
        .map(|part| part.query)
        .filter(|part| !input.asked.iter().any(|asked| asked.text == *part))
        .take(input.max_sub_queries);
    let sub_queries: Vec<PlannedQuery> =
        open.map(|query| PlannedQuery { collections: routes.of(&query, language), query }).collect();
    let reason = "Some parts of the brief have not been searched yet.".to_owned();
    let helpful = input.evidence.iter().map(|card| card.number).collect();
    (!sub_queries.is_empty()).then_some(Reflection { reason, helpful, enough: false, sub_queries })
}

fn stop(reason: String, helpful: Vec<usize>) -> Reflection {
    Reflection { reason, helpful, enough: true, sub_queries: vec![] }
}

const NOTHING_SHARED: &str =
    "No passage shares a telling word with the question, and a further search has nothing to start from.";

/// A question for one thing: follows the names that lead from passage to passage.
fn reflect_on_hops(input: &ReflectInput, options: ExtractiveOptions, is_brief: bool, language: Language) -> Reflection {
    let judged = hops::judged(input, language);
    let helpful: Vec<&hops::Judged<'_>> = judged.iter().filter(|one| one.score > 0.0).take(HELPFUL_MOST).collect();
    let numbers: Vec<usize> = helpful.iter().map(|one| one.card.number).collect();
    let documents = helpful.iter().map(|one| one.card.path.as_str()).collect::<BTreeSet<_>>().len();
    if helpful.is_empty() {
        return stop(NOTHING_SHARED.to_owned(), numbers);
    }
    if input.round > 1 && !helpful.iter().take(TOP).any(|one| one.card.new) {
        return stop(
            format!("The last searches brought nothing new that helps much; {documents} documents help."),
            numbers,
        );
    }
    if is_brief {
        return stop(format!("Each part has been searched; {documents} documents help."), numbers);
    }
    if input.round > options.hops {
        return stop(format!("{documents} documents help; further names lead away from the question."), numbers);
    }
    let next = hops::follow_ups(input, &judged, language, options.bridges.min(input.max_sub_queries));
    if next.is_empty() {
        return stop(
            format!(
                "{documents} documents share the question's telling words, and they bring in no name that was not \
                 asked about."
            ),
            numbers,
        );
    }
    ask_about(input, next.into_iter().map(|next| (next.name, next.query)), documents, numbers, language)
}

/// An account of a topic: reads what the collections offer on it, then follows names that several documents speak of.
fn reflect_on_topic(input: &ReflectInput, options: ExtractiveOptions, language: Language) -> Reflection {
    let readings = read(input, language);
    let best = readings.first().map_or(0.0, |reading| reading.relevance);
    let helpful: Vec<&Reading<'_>> =
        readings.iter().filter(|reading| reading.relevance > 0.0 && reading.relevance >= best * HELPFUL).collect();
    let documents = helpful.iter().map(|reading| reading.card.path.as_str()).collect::<BTreeSet<_>>().len();
    // As they stand in the searches: over the facets of a topic that tells more than the words they share with it.
    let helps = |card: &&EvidenceCard| helpful.iter().any(|reading| reading.card.number == card.number);
    let numbers: Vec<usize> = input.evidence.iter().filter(helps).map(|card| card.number).collect();

    if helpful.is_empty() {
        return stop(NOTHING_SHARED.to_owned(), numbers);
    }
    if input.round > 1 && !helpful.iter().take(TOP.max(helpful.len() / 2)).any(|reading| reading.card.new) {
        return stop(
            format!("The last searches brought nothing new that helps much; {documents} documents help."),
            numbers,
        );
    }
    // A topic has no end to the names around it: one look beyond the plan is worth it.
    if input.round >= options.rounds || input.round > 2 {
        return stop(
            format!("{documents} documents speak of the topic, and what the searches still find is beside it."),
            numbers,
        );
    }
    let unread = unread(input, language);
    if !unread.is_empty() {
        return ask_for_unread(input, unread, numbers, language);
    }
    let next = next_searches(input, &helpful, language, options.follow_ups.min(input.max_sub_queries));
    if next.is_empty() {
        return stop(
            format!(
                "{documents} documents speak of the topic, and no name that several of them share is left to ask about."
            ),
            numbers,
        );
    }
    ask_about(input, next.into_iter(), documents, numbers, language)
}

fn ask_about(
    input: &ReflectInput,
    next: impl Iterator<Item = (String, String)>,
    documents: usize,
    helpful: Vec<usize>,
    language: Language,
) -> Reflection {
    let routes = Routes::new(&input.collections, language);
    let (names, sub_queries): (Vec<String>, Vec<PlannedQuery>) =
        next.map(|(name, query)| (name, PlannedQuery { collections: routes.of(&query, language), query })).unzip();
    let reason = format!(
        "{documents} documents share the question's telling words; they bring in {}, which nobody has asked about.",
        names.join(", ")
    );
    Reflection { reason, helpful, enough: false, sub_queries }
}

/// Titles of documents that the planner saw and the evidence has nothing of, the best first.
fn unread(input: &ReflectInput, language: Language) -> Vec<String> {
    let reached: BTreeSet<(&str, &str)> =
        input.evidence.iter().map(|card| (card.collection.as_str(), card.path.as_str())).collect();
    let topic = topic(&input.question, language);
    let question = content_set(&input.question, language);
    let mut samples: Vec<&EvidenceCard> = input.collections.iter().flat_map(|card| &card.samples).collect();
    samples.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.path.cmp(&b.path)));
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    for sample in samples {
        let document = (sample.collection.as_str(), sample.path.as_str());
        // What shares no word with the question was only the best of what there was.
        let context = content_set(&format!("{} {} {}", sample.title, sample.place, sample.text), language);
        if reached.contains(&document) || !seen.insert(document) || context.is_disjoint(&question) {
            continue;
        }
        let title = readable_title(&sample.title, [sample.text.as_str()]);
        let Some(facet) = facet_of(&title, &topic, language) else { continue };
        let query = split::join(&topic, &[&facet]);
        let terms = content_set(&query, language);
        if !input.asked.iter().any(|asked| content_set(&asked.text, language) == terms) {
            found.push(query);
        }
    }
    found
}

fn ask_for_unread(input: &ReflectInput, unread: Vec<String>, helpful: Vec<usize>, language: Language) -> Reflection {
    let routes = Routes::new(&input.collections, language);
    let reason = "Some documents that the question itself finds have not been read for their own subject yet.";
    let sub_queries = unread
        .into_iter()
        .take(input.max_sub_queries)
        .map(|query| PlannedQuery { collections: routes.of(&query, language), query })
        .collect();
    Reflection { reason: reason.to_owned(), helpful, enough: false, sub_queries }
}

/// All cards, the most relevant first.
fn read(input: &ReflectInput, language: Language) -> Vec<Reading<'_>> {
    let sets: Vec<BTreeSet<String>> =
        input.evidence.iter().map(|card| content_set(&format!("{}\n{}", card.title, card.text), language)).collect();
    let rarity = Rarity::of(&sets);
    let question = content_set(&input.question, language);
    let asked: Vec<BTreeSet<String>> = input.asked.iter().map(|asked| content_set(&asked.text, language)).collect();
    let best_score = input.evidence.iter().map(|card| card.score).max_by(f32::total_cmp).unwrap_or(0.0);
    let mut readings: Vec<Reading<'_>> = input
        .evidence
        .iter()
        .zip(sets)
        .map(|(card, terms)| {
            let own = rarity.coverage(&question, &terms);
            // What a follow-up asked counts nearly as much as the question: it knows names that the question lacks.
            let found = card.found_by.iter().filter_map(|&index| asked.get(index));
            let part = found.map(|asked| rarity.coverage(asked, &terms)).max_by(f32::total_cmp).unwrap_or(0.0);
            let score = if best_score > 0.0 { (card.score / best_score).clamp(0.0, 1.0) } else { 0.0 };
            let shared = own.max(0.8 * part);
            let relevance = if shared > 0.0 { shared + 0.25 * own.min(part) + 0.35 * score } else { 0.0 };
            Reading { card, terms, relevance }
        })
        .collect();
    readings.sort_by(|a, b| b.relevance.total_cmp(&a.relevance).then(a.card.number.cmp(&b.card.number)));
    readings
}

/// What a passage is judged by: the question, or a follow-up that went beyond it.
struct Lead {
    /// Among the searches asked; `None` for the question itself.
    index: Option<usize>,
    terms: BTreeSet<String>,
    /// Terms of the names in it: a passage without them is about something else.
    anchors: BTreeSet<String>,
}

impl Lead {
    /// How much of the lead the passage holds, names counting for more.
    fn vouches(&self, context: &BTreeSet<String>, rarity: &Rarity) -> f32 {
        let plain = rarity.coverage(&self.terms, context);
        if self.anchors.is_empty() { plain } else { 0.35 * plain + 0.65 * rarity.coverage(&self.anchors, context) }
    }
}

/// The question, and the searches so far that went beyond it.
fn leads(input: &ReflectInput, question: &BTreeSet<String>, language: Language) -> Vec<Lead> {
    let lead = |text: &str, index: Option<usize>| {
        let names = entities(text, language);
        let anchors = names.iter().flat_map(|name| content_set(&name.text, language)).collect();
        Lead { index, terms: content_set(text, language), anchors }
    };
    let mut leads = vec![lead(&input.question, None)];
    for (index, asked) in input.asked.iter().enumerate() {
        let next = lead(&asked.text, Some(index));
        if !next.terms.is_subset(question) {
            leads.push(next);
        }
    }
    leads
}

/// A name that the evidence brings in, as a candidate for the next search.
struct Bridge {
    name: String,
    score: f32,
}

/// Names that several documents speak of, with the searches that ask about them, the best first.
fn next_searches(
    input: &ReflectInput,
    helpful: &[&Reading<'_>],
    language: Language,
    limit: usize,
) -> Vec<(String, String)> {
    let question = content_set(&input.question, language);
    let asked: Vec<BTreeSet<String>> = input.asked.iter().map(|asked| content_set(&asked.text, language)).collect();
    let rarity = Rarity::of(helpful.iter().map(|reading| &reading.terms));
    let leads = leads(input, &question, language);
    let mut mentions: BTreeMap<Vec<String>, BTreeSet<&str>> = BTreeMap::new();
    let mut bridges: BTreeMap<Vec<String>, Bridge> = BTreeMap::new();

    for (rank, reading) in helpful.iter().take(READ).enumerate() {
        let title = content_set(&reading.card.title, language);
        let standing = reading.relevance * if reading.card.new { 1.0 } else { 0.6 } / (1.0 + rank as f32 * 0.15);
        for Statement { text: statement, .. } in statements(reading.card) {
            let mut context = content_set(&statement, language);
            context.extend(title.iter().cloned());
            let vouched = leads
                .iter()
                .filter(|lead| lead.index.is_none_or(|index| reading.card.found_by.contains(&index)))
                .map(|lead| lead.vouches(&context, &rarity))
                .fold(VOUCH, f32::max);
            for name in names_in(&statement, reading.card, language) {
                let key = split::key(&name, language);
                let terms: BTreeSet<String> = key.iter().cloned().collect();
                let known = terms.is_empty()
                    || rarity.coverage(&question, &terms) > 0.0 && terms.is_subset(&question)
                    || asked.iter().any(|asked| terms.is_subset(asked));
                if known {
                    continue;
                }
                mentions.entry(key.clone()).or_default().insert(&reading.card.path);
                let full = if terms.len() > 1 { 1.0 } else { 0.7 };
                let rare = rarity.sum(&terms) / terms.len() as f32;
                let score = standing * vouched * full * rare;
                let bridge = bridges.entry(key).or_insert_with(|| Bridge { name: name.clone(), score: 0.0 });
                if score > bridge.score {
                    *bridge = Bridge { name, score };
                }
            }
        }
    }
    // Of the many names around a topic, those that several documents speak of are worth a search.
    bridges.retain(|key, bridge| {
        let documents = mentions.get(key).map_or(0, BTreeSet::len);
        bridge.score *= documents as f32;
        documents > 1
    });
    let best = bridges.values().map(|bridge| bridge.score).max_by(f32::total_cmp).unwrap_or(0.0);
    let mut ranked: Vec<Bridge> = bridges.into_values().filter(|bridge| bridge.score >= best * 0.3).collect();
    ranked.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.name.cmp(&b.name)));
    let topic = topic(&input.question, language);
    let mut chosen: Vec<(String, String, BTreeSet<String>)> = Vec::new();
    for bridge in ranked {
        if chosen.len() >= limit {
            break;
        }
        let terms = content_set(&bridge.name, language);
        // "Stanley Hall" and "G. Stanley Hall" are one search.
        if chosen.iter().any(|(_, _, other)| terms.is_subset(other) || other.is_subset(&terms)) {
            continue;
        }
        let query = split::join(&topic, &[&bridge.name]);
        chosen.push((bridge.name, query, terms));
    }
    chosen.into_iter().map(|(name, query, _)| (name, query)).collect()
}

/// The names of a sentence, and the title of its document, which is a name too.
fn names_in(statement: &str, card: &EvidenceCard, language: Language) -> Vec<String> {
    let mut names: Vec<String> = entities(statement, language).into_iter().map(|entity| entity.text).collect();
    let title = card.title.split(" (").next().unwrap_or_default().trim();
    if (1..=6).contains(&title.split_whitespace().count()) {
        names.push(title.to_owned());
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::SubQuery;
    use crate::offline::testing::card;

    const LIMITS: ExtractiveOptions =
        ExtractiveOptions { follow_ups: 3, bridges: 3, report_words: 850, rounds: 4, hops: 2 };

    const QUESTION: &str =
        "Who was the first president of the association which published Journal of Psychotherapy Integration?";

    fn input(question: &str, asked: &[&str], evidence: Vec<EvidenceCard>, round: usize) -> ReflectInput {
        let asked = asked.iter().map(|text| SubQuery { text: (*text).to_owned(), collections: vec![] }).collect();
        ReflectInput {
            question: question.to_owned(),
            language: "English".to_owned(),
            asked,
            evidence,
            collections: vec![],
            round,
            max_sub_queries: 5,
            today: "2026-01-01".to_owned(),
        }
    }

    fn journal() -> EvidenceCard {
        card(
            1,
            "Journal of Psychotherapy Integration",
            "",
            "The Journal of Psychotherapy Integration is a peer-reviewed academic journal. It is published by the \
             American Psychological Association for the society of the field.",
        )
    }

    #[test]
    fn a_name_beside_the_question_is_asked_for_with_what_is_open() {
        let reflection = reflect(&input(QUESTION, &[QUESTION], vec![journal()], 1), LIMITS);
        assert!(!reflection.enough);
        assert_eq!(reflection.helpful, [1]);
        assert_eq!(reflection.sub_queries[0].query, "American Psychological Association: first president");
    }

    #[test]
    fn what_was_asked_is_not_asked_again() {
        let asked = [QUESTION, "American Psychological Association: first president"];
        let reflection = reflect(&input(QUESTION, &asked, vec![journal()], 1), LIMITS);
        let again = |query: &PlannedQuery| query.query.contains("American Psychological");
        assert!(!reflection.sub_queries.iter().any(again), "{reflection:?}");
    }

    #[test]
    fn a_round_without_new_evidence_is_the_last() {
        let mut old = journal();
        old.new = false;
        let reflection = reflect(&input(QUESTION, &[QUESTION], vec![old], 2), LIMITS);
        assert!(reflection.enough && reflection.sub_queries.is_empty());
        assert_eq!(reflection.helpful, [1]);
    }

    #[test]
    fn the_last_round_asks_no_more() {
        assert!(reflect(&input(QUESTION, &[QUESTION], vec![journal()], 3), LIMITS).enough);
        assert!(!reflect(&input(QUESTION, &[QUESTION], vec![journal()], 2), LIMITS).enough);
    }

    #[test]
    fn passages_that_share_nothing_do_not_help() {
        let other = card(2, "Potatoes", "", "A potato is a starchy tuber that grows underground in most climates.");
        let reflection = reflect(&input(QUESTION, &[QUESTION], vec![other.clone()], 1), LIMITS);
        assert!(reflection.enough && reflection.helpful.is_empty(), "{reflection:?}");
        let both = reflect(&input(QUESTION, &[QUESTION], vec![other, journal()], 1), LIMITS);
        assert_eq!(both.helpful, [1]);
        let none = reflect(&input(QUESTION, &[QUESTION], vec![], 1), LIMITS);
        assert!(none.enough && none.helpful.is_empty());
    }

    #[test]
    fn follow_ups_keep_to_their_limits() {
        let many = card(
            1,
            "Journal of Psychotherapy Integration",
            "",
            "It was published by Anna Blume, Peter Holm, Max Frisch, Jane Doe and Karl Marx in one association.",
        );
        let check = |follow_ups: usize, expected: usize| {
            let limits = ExtractiveOptions { bridges: follow_ups, ..LIMITS };
            let found = reflect(&input(QUESTION, &[QUESTION], vec![many.clone()], 1), limits);
            assert_eq!(found.sub_queries.len(), expected);
            assert_eq!(found.enough, expected == 0);
        };
        check(3, 3);
        check(1, 1);
        check(0, 0);
    }
}
