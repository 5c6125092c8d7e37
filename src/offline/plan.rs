//! The plan of searches: the question itself, its parts, and for a broad question the facets that the collections
//! offer.

use std::collections::BTreeSet;
use std::ops::Range;

use super::asking::is_broad;
use super::brief;
use super::change::asks_for_change;
use super::entities::entities;
use super::prose::{TITLE_PARTS, innermost};
use super::route::Routes;
use super::split;
use super::terms::{Rarity, content_set, content_terms, language_of, question_terms, word_count};
use crate::base::text::formula::formula;
use crate::base::text::{Language, capitalised, is_cjk};
use crate::llm::purpose::{CollectionCard, Plan, PlanInput, PlannedQuery};
use crate::report::readable_title;

/// The longest facet, in words.
const FACET_WORDS: usize = 9;

/// Returns the sub-queries for `input`, with the question itself first.
pub(super) fn plan(input: &PlanInput) -> Plan {
    let language = language_of(&input.language, &input.question);
    let question = brief::without_instructions(&input.question);
    let routes = Routes::new(&input.collections, language);
    let room = input.max_sub_queries.max(1) - 1;

    let brief: Vec<String> = brief::parts(&input.question, language).into_iter().map(|part| part.query).collect();
    let broad = brief.is_empty() && is_broad(&question, language);
    let parts = if brief.is_empty() { split::parts(&question, language) } else { brief };
    let mut texts: Vec<String> = Vec::new();
    if broad {
        texts.extend(facets(&question, &input.collections, language, room));
    }
    // The only name in a broad question is its topic, which every facet carries.
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

/// Returns what a broad question is about: the name in it, or else its content words; both if it asks how that has
/// changed. Empty if it only asks for a change in what the documents are about.
pub(super) fn topic(question: &str, language: Language) -> String {
    let names = entities(question, language);
    let changing = asks_for_change(question);
    if let Some(name) = names.iter().max_by_key(|entity| entity.words()).filter(|_| !changing) {
        return name.text.clone();
    }
    let asks = formula(question, language);
    if question.chars().any(is_cjk) {
        let end = asks.last().filter(|last| changing && last.start > 0).map_or(question.len(), |last| last.start);
        return question[..end].trim_end_matches(['?', '？', '。']).to_owned();
    }
    let words = content_terms(question, language).into_iter().map(|term| term.range).filter(|word| {
        !asks.iter().any(|asks| split::overlaps(asks, word))
            && !names.iter().any(|name| split::overlaps(&name.range, word))
    });
    let mut parts: Vec<Range<usize>> = words.chain(names.iter().map(|name| name.range.clone())).collect();
    parts.sort_by_key(|part| part.start);
    parts.into_iter().map(|part| &question[part]).collect::<Vec<_>>().join(" ")
}

/// A subject that a document or a collection offers.
struct SubjectOffer {
    text: String,
    /// The folder or document it comes from, so that the offers of one do not crowd out the others.
    group: String,
    /// How well its document answers the question, from 0 to 1.
    score: f32,
    /// The terms of its text beyond what is asked.
    terms: BTreeSet<String>,
    /// The terms of its title or heading and of its sample.
    about: BTreeSet<String>,
}

/// Returns searches for the subjects that the collections offer: titles of documents that differ from each other, then
/// headings. Offers of folders that are already covered rank lower, so that none is left out. Empty if the topic is
/// only one of many in the documents.
fn facets(question: &str, collections: &[CollectionCard], language: Language, most: usize) -> Vec<String> {
    let topic = &topic(question, language);
    let titles = titles(collections, topic, language);
    // If few documents name the topic, the subjects of the others lead away from it.
    let on_topic = question_terms(topic, language);
    let names_it = |offer: &SubjectOffer| on_topic.intersection(&offer.about).count() * 2 > on_topic.len();
    let naming = titles.iter().filter(|offer| names_it(offer)).count();
    if naming * 2 <= titles.len() {
        return Vec::new();
    }
    let asked: BTreeSet<String> =
        content_set(question, language).union(&content_set(topic, language)).cloned().collect();
    let mut taken: Vec<SubjectOffer> = Vec::new();
    for mut offers in [titles, headings(collections, topic, language)] {
        for offer in &mut offers {
            offer.terms = offer.terms.difference(&asked).cloned().collect();
        }
        let rarity = Rarity::of(offers.iter().map(|offer| &offer.about));
        while taken.len() < most {
            let news = |offer: &SubjectOffer| {
                let alike = taken.iter().map(|other| rarity.overlap(&offer.about, &other.about));
                let crowd = taken.iter().filter(|other| other.group == offer.group).count();
                0.5 * offer.score - alike.max_by(f32::total_cmp).unwrap_or(0.0) - 0.5 * crowd as f32
            };
            let says_more = |offer: &SubjectOffer| {
                let known =
                    |other: &SubjectOffer| offer.terms.intersection(&other.terms).count() * 2 >= offer.terms.len();
                !offer.terms.is_empty() && !taken.iter().any(known)
            };
            let best = (0..offers.len())
                .filter(|&index| says_more(&offers[index]))
                .max_by(|&a, &b| news(&offers[a]).total_cmp(&news(&offers[b])).then(b.cmp(&a)));
            let Some(best) = best else { break };
            taken.push(offers.swap_remove(best));
        }
    }
    taken.iter().map(|offer| split::join(topic, &[&offer.text])).collect()
}

fn titles(collections: &[CollectionCard], topic: &str, language: Language) -> Vec<SubjectOffer> {
    let mut offers: Vec<SubjectOffer> = Vec::new();
    for card in collections {
        let best = card.samples.iter().map(|sample| sample.score).max_by(f32::total_cmp).unwrap_or(0.0);
        let mut seen = BTreeSet::new();
        for sample in card.samples.iter().filter(|sample| seen.insert(sample.path.as_str())) {
            let title = readable_title(&sample.title, card.samples.iter().map(|sample| sample.text.as_str()));
            let Some(text) = facet_of(&title, topic, language) else { continue };
            let folder = sample.path.rsplit_once(['/', '\\']).map_or("", |(folder, _)| folder);
            offers.push(SubjectOffer {
                terms: content_set(&text, language),
                about: content_set(&format!("{title} {}", sample.text), language),
                group: format!("{}\n{folder}", card.name),
                score: if best > 0.0 { (sample.score / best).clamp(0.0, 1.0) } else { 0.0 },
                text,
            });
        }
    }
    offers
}

fn headings(collections: &[CollectionCard], topic: &str, language: Language) -> Vec<SubjectOffer> {
    let mut offers: Vec<SubjectOffer> = Vec::new();
    for card in collections {
        for sample in &card.samples {
            let Some(text) = facet_of(last_heading(&sample.place), topic, language) else { continue };
            offers.push(SubjectOffer {
                terms: content_set(&text, language),
                about: content_set(&format!("{text} {}", sample.text), language),
                group: format!("{}\n{}", card.name, sample.path),
                score: 0.0,
                text,
            });
        }
    }
    offers
}

/// Returns a title as a facet: its telling part, if that is short enough to search for. A part that says what aspect of
/// the topic it treats is the most telling one.
pub(super) fn facet_of(title: &str, topic: &str, language: Language) -> Option<String> {
    let parts: Vec<&str> = title.split(TITLE_PARTS).map(str::trim).collect();
    let treats = parts.iter().find_map(|part| {
        let before = part.strip_suffix(topic).filter(|_| !topic.is_empty())?.trim_end();
        ["of", "about", "on", "in"].iter().find_map(|word| before.strip_suffix(word)?.strip_suffix(' '))
    });
    let telling = |part: &&&str| content_set(part, language).len() > 1 || part.chars().any(is_cjk);
    let short = match treats {
        Some(treats) => treats,
        None if parts.len() > 1 => parts.iter().find(telling).unwrap_or(&title),
        None => title,
    };
    let letters = short.chars().filter(|c| c.is_alphabetic()).count();
    (letters >= 3 && word_count(short) <= FACET_WORDS + 3).then(|| capitalised(short))
}

/// Returns the telling end of the innermost heading of a place.
fn last_heading(place: &str) -> &str {
    let last = innermost(place).rsplit(['>', '»', '·', '|', '→']).next().unwrap_or_default().trim();
    let is_page = last.chars().filter(|c| c.is_alphabetic()).count() <= 4 && last.chars().any(|c| c.is_ascii_digit());
    if is_page { "" } else { last }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::offline::testing::{card, collection};

    fn input(question: &str, collections: Vec<CollectionCard>, max: usize) -> PlanInput {
        PlanInput {
            known: Vec::new(),
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
        audience.samples.push(card(0, "The first two years in numbers", "Against Cosby", "The Simpsons had viewers."));
        let mut history = collection("history", "studio cels broadcast");
        history.samples.push(card(0, "Drawing Springfield", "p. 2", "The Simpsons was drawn by hand."));
        let question = "How has The Simpsons changed over time?";
        let found = queries(&input(question, vec![audience.clone(), history.clone()], 5));
        assert_eq!(
            found,
            [
                question,
                "The Simpsons: The first two years in numbers",
                "The Simpsons: Drawing Springfield",
                "The Simpsons: Against Cosby",
            ]
        );
        // The topic is one of many subjects, so the other documents' subjects lead away from it.
        history.samples.extend([
            card(0, "Whales of the north", "", "Whales sing."),
            card(0, "Parking", "", "It costs a euro."),
            card(0, "Potatoes", "", "They grow."),
        ]);
        assert_eq!(queries(&input(question, vec![audience, history], 5)), [question]);
    }

    #[test]
    fn a_topic_is_what_changes() {
        let check =
            |question: &str, expected: &str| assert_eq!(topic(question, Language::ENGLISH), expected, "{question}");
        check("How has The Simpsons changed over time?", "The Simpsons");
        check("How have the ratings of The Simpsons changed?", "ratings The Simpsons");
        check("How has the show changed over time?", "");
        check("What is known about coral bleaching?", "coral bleaching");
    }

    #[test]
    fn places_give_headings_but_not_pages() {
        let check = |place: &str, expected: &str| assert_eq!(last_heading(place), expected, "{place}");
        check("p. 3 · History › Production", "Production");
        check("p. 3, Ships, boats and rafts", "Ships, boats and rafts");
        check("p. 3", "");
        check("", "");
    }
}
