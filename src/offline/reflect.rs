//! Reflection without reasoning: which parts of a brief are open, which passages share the question's telling words,
//! and which names they bring in that nobody has asked about.

use std::collections::BTreeSet;

use super::ExtractiveOptions;
use super::asking::is_broad;
use super::brief;
use super::change::asks_for_change;
use super::hops;
use super::route::Routes;
use super::split::compares;
use super::terms::{content_set, language_of};
use crate::base::text::Language;
use crate::domain::SubQuery;
use crate::llm::purpose::{EvidenceCard, PlannedQuery, ReflectInput, Reflection};
use crate::read;

/// The number of best passages among which a round must place a new one for another round to follow.
const TOP: usize = 8;

/// The most passages called helpful.
const HELPFUL_MOST: usize = 15;

/// Judges the evidence of `input` and, within `options`, asks for open parts of a brief first, then for the names that
/// lead from passage to passage.
pub(super) fn reflect(input: &ReflectInput, options: ExtractiveOptions) -> Reflection {
    let language = language_of(&input.language, &input.question);
    let parts = brief::parts(&input.question, language);
    // A topic has no end of names around it, and what they find is beside the topic. If no reader knows the language,
    // the report tells what is nearest to the question, and names do not lead to that.
    let is_broad = is_broad(&input.question, language);
    let is_searched = !parts.is_empty() || is_broad || !read::knows(language);
    if let Some(reflection) = open_parts(input, parts, language) {
        return reflection;
    }
    let judged = hops::judged(input, language);
    let helpful: Vec<&hops::ScoredPassage<'_>> =
        judged.iter().filter(|one| one.score > 0.0).take(HELPFUL_MOST).collect();
    let numbers: Vec<usize> = helpful.iter().map(|one| one.card.number).collect();
    let documents = helpful.iter().map(|one| one.card.path.as_str()).collect::<BTreeSet<_>>().len();
    let stop = |reason: String| Reflection { reason, helpful: numbers.clone(), enough: true, sub_queries: vec![] };
    if helpful.is_empty() {
        let nothing =
            "No passage shares a telling word with the question, and a further search has nothing to start from.";
        return stop(nothing.to_owned());
    }
    if input.round == 1
        && is_broad
        && asks_of_one(&input.question)
        && let Some(title) = rest_of(helpful[0].card, input, language)
    {
        let reason = format!("Documents that help: {documents}. The rest of the nearest one may tell more.");
        let sub_queries = searches(input, std::iter::once(title), language);
        return Reflection { reason, helpful: numbers, enough: false, sub_queries };
    }
    if is_searched {
        return stop(format!("All parts have been searched. Documents that help: {documents}."));
    }
    if input.round > 1 && !helpful.iter().take(TOP).any(|one| one.card.new) {
        return stop(format!(
            "The last searches brought nothing new that helps much. Documents that help: {documents}."
        ));
    }
    if input.round > options.hops {
        return stop(format!("Documents that help: {documents}. Further names lead away from the question."));
    }
    let next = hops::follow_ups(input, &judged, language, options.bridges.min(input.max_sub_queries));
    if next.is_empty() {
        return stop(format!(
            "Documents that share the question's telling words: {documents}. They bring in no name that was not asked about."
        ));
    }
    let names: Vec<&str> = next.iter().map(|next| next.name.as_str()).collect();
    let reason = format!(
        "Documents that share the question's telling words: {documents}. They bring in {}, which nobody has asked about.",
        names.join(", ")
    );
    let sub_queries = searches(input, next.into_iter().map(|next| next.query), language);
    Reflection { reason, helpful: numbers, enough: false, sub_queries }
}

/// Whether one document may give the account that a question asks for: none does for a change or a comparison.
fn asks_of_one(question: &str) -> bool {
    !asks_for_change(question) && !compares(question)
}

/// Returns a search for the rest of a passage's document, which need not share words with the question: its title,
/// unless that was searched for already.
fn rest_of(card: &EvidenceCard, input: &ReflectInput, language: Language) -> Option<String> {
    let is_asked = |asked: &SubQuery| content_set(&card.title, language).is_subset(&content_set(&asked.text, language));
    (!input.asked.iter().any(is_asked)).then(|| card.title.clone())
}

/// Returns the queries as searches, each in the collections that know its words.
fn searches(input: &ReflectInput, queries: impl Iterator<Item = String>, language: Language) -> Vec<PlannedQuery> {
    let routes = Routes::new(&input.collections, language);
    queries.map(|query| PlannedQuery { collections: routes.of(&query, language), query }).collect()
}

/// Asks for the parts of a brief that the plan had no room for.
fn open_parts(input: &ReflectInput, parts: Vec<brief::Part>, language: Language) -> Option<Reflection> {
    let is_open = |part: &String| !input.asked.iter().any(|asked| asked.text == *part);
    let mut open = parts.into_iter().map(|part| part.query).filter(is_open).take(input.max_sub_queries).peekable();
    open.peek()?;
    Some(Reflection {
        reason: "Some parts of the brief have not been searched yet.".to_owned(),
        helpful: input.evidence.iter().map(|card| card.number).collect(),
        enough: false,
        sub_queries: searches(input, open, language),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::SubQuery;
    use crate::llm::purpose::EvidenceCard;
    use crate::offline::testing::card;

    const LIMITS: ExtractiveOptions = ExtractiveOptions { bridges: 3, report_words: 850, rounds: 4, hops: 2 };

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
    fn an_account_asks_for_the_rest_of_the_nearest_document() {
        let check = |question: &str, round: usize, expected: &[&str]| {
            let reflection = reflect(&input(question, &[question], vec![journal()], round), LIMITS);
            let queries: Vec<&str> = reflection.sub_queries.iter().map(|one| one.query.as_str()).collect();
            assert_eq!(queries, expected, "{question}");
        };
        check("Describe the journal of the integration movement.", 1, &["Journal of Psychotherapy Integration"]);
        check("Describe the journal of the integration movement.", 2, &[]);
        check("Describe the Journal of Psychotherapy Integration.", 1, &[]);
        check("How has the journal of the integration movement changed?", 1, &[]);
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
