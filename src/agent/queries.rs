//! The sub-queries of a run: which of those that a model asks for are new, short enough and of existing collections.
//! They are searched in `search.rs`.

use std::collections::BTreeSet;

use crate::base::text::{Language, analysis, excerpt, one_line, short_line};
use crate::domain::{StopReason, SubQuery, WEB};
use crate::llm::purpose::PlannedQuery;

/// The most characters of a sub-query.
const MAX_CHARS: usize = 1_000;
/// The most characters of a reason; a longer one is cut.
const MAX_REASON_CHARS: usize = 1_000;
/// The most items that a warning names.
const MAX_NAMED: usize = 5;

/// What a run does next.
pub(super) enum Next {
    Search(Vec<PlannedQuery>),
    Stop(StopReason),
}

/// A model's sub-query on one line, cut to the maximum length.
pub(super) fn shortened(query: &str) -> String {
    short_line(query, MAX_CHARS)
}

/// A model's reason, cut to the maximum length.
pub(super) fn shortened_reason(reason: &str) -> String {
    excerpt(reason.trim(), MAX_REASON_CHARS).into_owned()
}

/// Every sub-query of a run, in the order asked; the first is the question itself.
#[derive(Debug)]
pub(super) struct Asked {
    queries: Vec<SubQuery>,
    /// Terms and collections of the sub-queries that were searched.
    searched: BTreeSet<(Vec<String>, Vec<String>)>,
    language: Language,
}

/// The sub-queries of a model that are admitted.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Admitted {
    /// The sub-queries to search, each with its index in the list of all.
    pub queries: Vec<(usize, SubQuery)>,
    /// What was dropped, and why, for the user.
    pub warnings: Vec<String>,
}

impl Asked {
    /// The question is the first entry, and may still be asked as a sub-query.
    pub fn new(question: &str, language: Language) -> Self {
        let first = SubQuery { text: one_line(question), collections: Vec::new() };
        Asked { queries: vec![first], searched: BTreeSet::new(), language }
    }

    pub fn all(&self) -> &[SubQuery] {
        &self.queries
    }

    /// Notes a search that a model made with its own tools, and which the model may repeat; returns its index.
    pub fn note(&mut self, query: &str) -> usize {
        let text = shortened(query);
        self.queries.iter().position(|asked| asked.text == text).unwrap_or_else(|| {
            self.queries.push(SubQuery { text, collections: Vec::new() });
            self.queries.len() - 1
        })
    }

    /// Admits a model's sub-queries. Those asked before, with the same terms and collections, are dropped; so are
    /// collections that do not exist and sub-queries beyond `most`.
    pub fn admit(&mut self, planned: Vec<PlannedQuery>, collections: &[String], most: usize) -> Admitted {
        let mut admitted = Admitted::default();
        let mut left_out = Vec::new();
        for planned in planned {
            let text = shortened(&planned.query);
            if text.is_empty() {
                continue;
            }
            if admitted.queries.len() == most {
                left_out.push(format!("`{text}`"));
                continue;
            }
            let named = existing(planned.collections, collections, &text, &mut admitted.warnings);
            let query = SubQuery { text, collections: named };
            if !self.searched.insert(self.key(&query)) {
                continue;
            }
            let is_first = |first: &SubQuery| first.text == query.text && query.collections.is_empty();
            let index = if self.queries.first().is_some_and(is_first) {
                0
            } else {
                self.queries.push(query.clone());
                self.queries.len() - 1
            };
            admitted.queries.push((index, query));
        }
        if !left_out.is_empty() {
            let left_out = some_of(&left_out);
            admitted.warnings.push(format!("the model asked for more than {most} searches; left out: {left_out}"));
        }
        admitted
    }

    /// The sub-queries of a model, at most `most`, that were not searched before.
    pub fn unsearched(&self, planned: Vec<PlannedQuery>, collections: &[String], most: usize) -> Vec<SubQuery> {
        let mut seen = self.searched.clone();
        let queries = planned.into_iter().map(|planned| {
            let text = shortened(&planned.query);
            let collections = existing(planned.collections, collections, &text, &mut Vec::new());
            SubQuery { text, collections }
        });
        queries.filter(|query| !query.text.is_empty() && seen.insert(self.key(query))).take(most).collect()
    }

    /// The key by which two sub-queries are the same search: their terms and collections.
    fn key(&self, query: &SubQuery) -> (Vec<String>, Vec<String>) {
        let mut terms: Vec<String> = analysis::term_set(&query.text, self.language).into_iter().collect();
        if terms.is_empty() {
            terms.push(query.text.to_lowercase());
        }
        (terms, query.collections.clone())
    }
}

/// A list for a warning: a few items, and how many more there are.
fn some_of(items: &[String]) -> String {
    let named = items.iter().take(MAX_NAMED).cloned().collect::<Vec<_>>().join(", ");
    match items.len().saturating_sub(MAX_NAMED) {
        0 => named,
        more => format!("{named} and {more} more"),
    }
}

/// The named collections that exist, in the order of `collections`; empty, which means all, if every one is named, none
/// is left, or there is only one.
fn existing(named: Vec<String>, collections: &[String], query: &str, warnings: &mut Vec<String>) -> Vec<String> {
    if collections.len() < 2 {
        return Vec::new();
    }
    let is = |name: &str, other: &str| name.trim().to_lowercase() == other.to_lowercase();
    let unknown: Vec<String> = named
        .iter()
        .filter(|name| !collections.iter().any(|other| is(name, other)))
        .map(|name| format!("`{}`", short_line(name, 100)))
        .collect();
    if !unknown.is_empty() {
        let unknown = some_of(&unknown);
        warnings.push(format!("the model chose a collection {unknown} for `{query}`, and there is none"));
    }
    let kept: Vec<String> =
        collections.iter().filter(|other| named.iter().any(|name| is(name, other))).cloned().collect();
    // Naming all differs from naming none if the web is among them: it is searched only by name.
    if kept.len() == collections.len() && !kept.iter().any(|name| name == WEB) { Vec::new() } else { kept }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn planned(query: &str, collections: &[&str]) -> PlannedQuery {
        PlannedQuery {
            query: query.to_owned(),
            collections: collections.iter().map(|name| (*name).to_owned()).collect(),
        }
    }

    /// Admits one round after another, and checks the indices and collections of the last and the number of its
    /// warnings.
    fn check(rounds: &[Vec<PlannedQuery>], expected: &[(usize, &[&str])], warnings: usize) {
        let names = ["a".to_owned(), "b".to_owned(), "Über".to_owned()];
        let mut asked = Asked::new("Why did it fall?", Language::ENGLISH);
        let mut last = Admitted::default();
        for round in rounds {
            last = asked.admit(round.clone(), &names, 3);
        }
        let found: Vec<(usize, Vec<&str>)> = last
            .queries
            .iter()
            .map(|(index, query)| (*index, query.collections.iter().map(String::as_str).collect()))
            .collect();
        let expected: Vec<(usize, Vec<&str>)> =
            expected.iter().map(|(index, names)| (*index, names.to_vec())).collect();
        assert_eq!(found, expected);
        assert_eq!(last.warnings.len(), warnings, "{:?}", last.warnings);
    }

    #[test]
    fn collections_are_checked() {
        check(&[vec![planned("x y", &["A", "über"])]], &[(1, &["a", "Über"])], 0);
        check(&[vec![planned("x y", &["a", "zzz"])]], &[(1, &["a"])], 1);
        check(&[vec![planned("x y", &["zzz"])]], &[(1, &[])], 1);
        check(&[vec![planned("x y", &["b", "a", "Über", "a"])]], &[(1, &[])], 0);
    }

    #[test]
    fn the_web_is_asked_only_by_name() {
        let check = |collections: &[&str], named: &[&str], expected: &[&str]| {
            let collections: Vec<String> = collections.iter().map(|name| (*name).to_owned()).collect();
            let mut asked = Asked::new("Why did it fall?", Language::ENGLISH);
            let admitted = asked.admit(vec![planned("x y", named)], &collections, 3);
            assert_eq!(admitted.queries[0].1.collections, expected, "{named:?} of {collections:?}");
        };
        check(&["a", "web"], &["a", "web"], &["a", "web"]);
        check(&["a", "web"], &["Web"], &["web"]);
        check(&["a", "web"], &[], &[]);
    }

    #[test]
    fn what_was_searched_is_not_searched_again() {
        check(&[vec![planned("zebra lion", &[])], vec![planned("lion Zebra", &[])]], &[], 0);
        check(&[vec![planned("zebra lion", &[])], vec![planned("lion Zebra", &["a"])]], &[(2, &["a"])], 0);
        check(&[vec![planned("  ", &[]), planned("Why did it fall?", &[])]], &[(0, &[])], 0);
    }

    #[test]
    fn what_a_limit_leaves_unsearched_is_what_would_have_been_searched() {
        let names = ["a".to_owned(), "b".to_owned()];
        let mut asked = Asked::new("Why did it fall?", Language::ENGLISH);
        asked.admit(vec![planned("zebra lion", &[])], &names, 3);
        let next =
            [("lion zebra", "nowhere"), ("tiger", "B"), ("a  tiger", "b"), (" ", "a"), ("horse", ""), ("cow", "")];
        let next: Vec<PlannedQuery> = next.iter().map(|(query, name)| planned(query, &[name])).collect();
        let left = asked.unsearched(next.clone(), &names, 2);
        let shown: Vec<(&str, usize)> =
            left.iter().map(|query| (query.text.as_str(), query.collections.len())).collect();
        assert_eq!(shown, [("tiger", 1), ("horse", 0)]);
        assert_eq!(asked.unsearched(next, &names, 2), left, "asking changes nothing");
    }

    #[test]
    fn a_warning_names_a_few_of_many() {
        let names: Vec<String> = (0..1000).map(|number| format!("nowhere{number}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let many: Vec<PlannedQuery> = (0..1000).map(|number| planned(&format!("query{number}"), &names)).collect();
        let mut asked = Asked::new("Why did it fall?", Language::ENGLISH);
        let admitted = asked.admit(many, &["a".to_owned(), "b".to_owned()], 3);
        assert_eq!(admitted.warnings.len(), 4);
        assert!(admitted.warnings.iter().all(|warning| warning.len() < 200), "{:?}", admitted.warnings);
        assert!(admitted.warnings[0].ends_with("and 995 more for `query0`, and there is none"));
        assert!(admitted.warnings[3].ends_with("`query7` and 992 more"), "{}", admitted.warnings[3]);
    }

    #[test]
    fn only_so_many_are_taken() {
        let many = ["lion", "zebra", "tiger", "horse"].map(|word| planned(word, &[])).to_vec();
        check(&[many], &[(1, &[]), (2, &[]), (3, &[])], 1);
    }
}
