//! The plan: the question itself, its parts, and for a broad question the facets that the collections offer.

use std::collections::BTreeSet;

use super::entities::entities;
use super::route::Routes;
use super::split;
use super::terms::{content_set, content_terms, is_cjk, language_of, word_count};
use super::titles;
use crate::base::text::{Language, one_line};
use crate::llm::purpose::{CollectionCard, Plan, PlanInput, PlannedQuery};

/// Longest facet, in words.
const FACET_WORDS: usize = 9;

/// Sub-queries for `input`, the question itself first.
pub(super) fn plan(input: &PlanInput) -> Plan {
    let samples = input.collections.iter().flat_map(|card| card.samples.iter().map(|sample| sample.text.as_str()));
    let language = language_of(&input.language, &input.question, samples);
    let question = one_line(&input.question);
    let routes = Routes::new(&input.collections, language);
    let room = input.max_sub_queries.max(1) - 1;

    let broad = is_broad(&question, language);
    let parts = split::parts(&question, language);
    let mut texts: Vec<String> = Vec::new();
    if broad {
        let topic = topic(&question, language);
        texts.extend(facets(&topic, &question, &input.collections, language));
    }
    // A broad question's only name is its topic, which every facet carries.
    let split = if broad { parts.iter().filter(|part| word_count(part) > 4).count() } else { parts.len() };
    if !broad || split > 1 {
        texts.splice(0..0, parts.iter().cloned());
    }
    texts.truncate(room);

    let reason = match (texts.is_empty(), broad) {
        (true, _) => "The question is searched as it stands; it has no parts to take apart.".to_owned(),
        (_, true) => "The question is broad: it is searched as it stands, and by the subjects that the collections \
                      offer on it."
            .to_owned(),
        (_, false) => {
            "The question names several things: it is searched as it stands, and each part on its own.".to_owned()
        }
    };
    let mut sub_queries = vec![PlannedQuery { query: question, collections: Vec::new() }];
    sub_queries.extend(texts.into_iter().map(|query| {
        let collections = routes.of(&query, language);
        PlannedQuery { query, collections }
    }));
    Plan { reason, sub_queries }
}

/// Openings of questions whose answer is one thing, and not broad whatever follows.
const NARROW: [&str; 38] = [
    "who",
    "whom",
    "whose",
    "when",
    "where",
    "which",
    "is",
    "are",
    "was",
    "were",
    "did",
    "does",
    "do",
    "has",
    "have",
    "how many",
    "how much",
    "how old",
    "how long",
    "how far",
    "how tall",
    "how often",
    "in which",
    "in what",
    "what year",
    "wer",
    "wann",
    "wo",
    "welche",
    "wie viele",
    "qui",
    "quand",
    "où",
    "combien",
    "quién",
    "cuándo",
    "dónde",
    "cuánto",
];

/// Whether the question asks for an account and not for one fact: one topic, few words, and no narrow opening.
pub(super) fn is_broad(question: &str, language: Language) -> bool {
    let lower = question.trim_start_matches(['¿', '¡', ' ']).to_lowercase();
    let narrow = NARROW
        .iter()
        .any(|opening| lower.strip_prefix(opening).is_some_and(|rest| !rest.starts_with(char::is_alphanumeric)))
        || ["誰", "いつ", "どこ", "何年", "いくつ", "谁", "哪", "几", "多少", "何时"]
            .iter()
            .any(|mark| lower.contains(mark));
    let names: BTreeSet<String> =
        entities(question, language).into_iter().map(|entity| entity.text.to_lowercase()).collect();
    let others = content_terms(question, language)
        .iter()
        .filter(|term| {
            question.get(term.range.clone()).is_some_and(|w| !names.iter().any(|n| n.contains(&w.to_lowercase())))
        })
        .count();
    // "What is the capital of …" asks for one thing, "What is known about …" does not.
    let thing = ["what ", "what's "].iter().any(|opening| lower.starts_with(opening))
        && !["what is known", "what do ", "what does ", "what has ", "what have ", "what happened", "what are "]
            .iter()
            .any(|opening| lower.starts_with(opening));
    let limit = if question.chars().any(is_cjk) { 12 } else { 5 };
    !narrow && !thing && names.len() <= 1 && others <= limit && !content_terms(question, language).is_empty()
}

/// What a broad question is about: the name in it, else its content words.
pub(super) fn topic(question: &str, language: Language) -> String {
    let name = entities(question, language).into_iter().max_by_key(|entity| entity.words());
    match name {
        Some(name) => name.text,
        None => {
            let words: Vec<&str> =
                content_terms(question, language).into_iter().filter_map(|term| question.get(term.range)).collect();
            if question.chars().any(is_cjk) {
                question.trim_end_matches(['?', '？', '。']).to_owned()
            } else {
                words.join(" ")
            }
        }
    }
}

/// Searches for the subjects that the collections offer: titles and headings of their samples, and the words that
/// stand out in each, one collection after the other so that none is left out.
fn facets(topic: &str, question: &str, collections: &[CollectionCard], language: Language) -> Vec<String> {
    let mut lists: Vec<std::vec::IntoIter<String>> =
        collections.iter().map(|card| offers(card, collections, language).into_iter()).collect();
    let asked = content_set(question, language);
    let mut taken: Vec<BTreeSet<String>> = Vec::new();
    let mut facets = Vec::new();
    loop {
        let mut exhausted = true;
        for list in &mut lists {
            // The first offer of this collection that says something that the facets so far do not.
            let Some((offer, terms)) = list.find_map(|offer| {
                let terms: BTreeSet<String> = content_set(&offer, language).difference(&asked).cloned().collect();
                let known = taken.iter().any(|other| terms.intersection(other).count() * 2 >= terms.len());
                (!terms.is_empty() && !known).then_some((offer, terms))
            }) else {
                continue;
            };
            exhausted = false;
            taken.push(terms);
            facets.push(split::join(topic, &[offer]));
        }
        if exhausted {
            return facets;
        }
    }
}

/// What one collection offers: the titles of its two best samples, the words that no other collection has, then the
/// other titles and headings.
fn offers(card: &CollectionCard, collections: &[CollectionCard], language: Language) -> Vec<String> {
    let mut samples: Vec<_> = card.samples.iter().collect();
    samples.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.path.cmp(&b.path)));
    let titles = samples.iter().filter_map(|sample| facet_of(&sample.title));
    let headings = samples.iter().filter_map(|sample| facet_of(last_heading(&sample.place)));
    let elsewhere: BTreeSet<String> = collections
        .iter()
        .filter(|other| other.name != card.name)
        .flat_map(|other| content_set(&other.vocabulary.join(" "), language))
        .collect();
    let own: Vec<&str> = card
        .vocabulary
        .iter()
        .filter(|word| {
            let terms = content_set(word, language);
            !terms.is_empty() && terms.is_disjoint(&elsewhere) && word.chars().all(|c| c.is_alphabetic() || c == ' ')
        })
        .map(String::as_str)
        .take(3)
        .collect();
    let words = (own.len() > 1).then(|| own.join(", "));
    let mut offers: Vec<String> = titles.collect();
    let at = offers.len().min(2);
    offers.splice(at..at, words);
    offers.extend(headings);
    offers
}

/// A title as a facet: short enough to search for.
fn facet_of(title: &str) -> Option<String> {
    let name = titles::readable(title);
    let short = if word_count(&name) > FACET_WORDS { name.split([':', '–', '—', '|']).next()? } else { &name };
    let short = short.trim();
    let letters = short.chars().filter(|c| c.is_alphabetic()).count();
    (letters >= 3 && word_count(short) <= FACET_WORDS + 3).then(|| short.to_owned())
}

/// The innermost heading of a place such as `p. 3 · History › Production`.
fn last_heading(place: &str) -> &str {
    let last = place.rsplit(['›', '>', '»', '·', '|', '→']).next().unwrap_or_default().trim();
    let is_page = last.chars().filter(|c| c.is_alphabetic()).count() <= 4 && last.chars().any(|c| c.is_ascii_digit());
    if is_page { "" } else { last }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llm::extractive::testing::{card, collection};

    fn input(question: &str, collections: Vec<CollectionCard>, max: usize) -> PlanInput {
        PlanInput {
            question: question.to_owned(),
            language: "English".to_owned(),
            collections,
            max_sub_queries: max,
            today: "2026-01-01".to_owned(),
        }
    }

    fn queries(input: &PlanInput) -> Vec<String> {
        plan(input).sub_queries.into_iter().map(|query| query.query).collect()
    }

    #[test]
    fn the_question_itself_comes_first_and_the_limit_holds() {
        let check = |question: &str, max: usize| {
            let found = queries(&input(question, vec![], max));
            assert_eq!(found[0], question);
            assert!(found.len() <= max.max(1), "{found:?}");
            assert_eq!(found.iter().collect::<BTreeSet<_>>().len(), found.len(), "{found:?}");
        };
        let long = "Which of Anna Blume, Peter Holm, Max Frisch and Jane Doe wrote Red Sea, Blue Sea or Green Sea?";
        for max in 0..7 {
            check(long, max);
            check("How has The Simpsons changed over time?", max);
        }
    }

    #[test]
    fn broad_questions_take_their_facets_from_every_collection() {
        let mut audience = collection("audience", "ratings viewers households");
        audience.samples.push(card(0, "The first two years in numbers", "Against Cosby", "It had many viewers."));
        let mut history = collection("history", "studio cels broadcast");
        history.samples.push(card(0, "Drawing Springfield", "p. 2", "It was drawn by hand."));
        let found = queries(&input("How has The Simpsons changed over time?", vec![audience, history], 5));
        assert_eq!(
            found,
            [
                "How has The Simpsons changed over time?",
                "The Simpsons: The first two years in numbers",
                "The Simpsons: Drawing Springfield",
                "The Simpsons: ratings, viewers, households",
                "The Simpsons: studio, cels, broadcast",
            ]
        );
    }

    #[test]
    fn broad_is_one_topic_without_a_narrow_opening() {
        let check = |question: &str, expected: bool| {
            assert_eq!(is_broad(question, Language::ENGLISH), expected, "{question}");
        };
        check("How has The Simpsons changed over time?", true);
        check("What is known about coral bleaching?", true);
        check("What is the name of the waterfall in the country of the Bubye River?", false);
        check("How many seasons are there?", false);
        check("Who wrote Hamlet?", false);
        check("What did Anna Blume write about Peter Holm?", false);
        check("", false);
    }

    #[test]
    fn places_give_headings_but_not_pages() {
        let check = |place: &str, expected: &str| assert_eq!(last_heading(place), expected, "{place}");
        check("p. 3 · History › Production", "Production");
        check("p. 3", "");
        check("", "");
    }
}
