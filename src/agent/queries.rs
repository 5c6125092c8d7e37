use std::collections::BTreeSet;

use crate::base::text::{Language, analysis, excerpt, one_line};
use crate::domain::SubQuery;
use crate::llm::purpose::PlannedQuery;

/// A longer sub-query is not one.
const MAX_CHARS: usize = 1_000;

/// Every sub-query of a run, in the order asked; the first is the question itself.
#[derive(Debug)]
pub(super) struct Asked {
    queries: Vec<SubQuery>,
    /// Terms and collections of what was searched.
    searched: BTreeSet<(Vec<String>, Vec<String>)>,
    language: Language,
}

/// What is left of a model's sub-queries.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Admitted {
    /// To be searched: the index in the list of all, and the sub-query.
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

    /// Takes a search that a model made with its own tools, which decides itself what it repeats; gives its index.
    pub fn note(&mut self, query: &str) -> usize {
        let text = one_line(&excerpt(query.trim(), MAX_CHARS));
        self.queries.iter().position(|asked| asked.text == text).unwrap_or_else(|| {
            self.queries.push(SubQuery { text, collections: Vec::new() });
            self.queries.len() - 1
        })
    }

    /// Takes a model's sub-queries: those asked before, in these terms and of these collections, are dropped; so are
    /// collections that do not exist and what is beyond `most`.
    pub fn admit(&mut self, planned: Vec<PlannedQuery>, collections: &[String], most: usize) -> Admitted {
        let mut admitted = Admitted::default();
        for planned in planned {
            let text = one_line(&excerpt(planned.query.trim(), MAX_CHARS));
            if text.is_empty() {
                continue;
            }
            if admitted.queries.len() == most {
                admitted.warnings.push(format!("the model asked for more than {most} searches; `{text}` was left out"));
                continue;
            }
            let named = existing(planned.collections, collections, &text, &mut admitted.warnings);
            let mut terms: Vec<String> =
                analysis::terms(&text, self.language).into_iter().map(|term| term.text).collect();
            terms.sort();
            terms.dedup();
            if terms.is_empty() {
                terms.push(text.to_lowercase());
            }
            if !self.searched.insert((terms, named.clone())) {
                continue;
            }
            let query = SubQuery { text, collections: named };
            let same = self.queries.first().filter(|first| first.text == query.text && query.collections.is_empty());
            let index = if same.is_some() {
                0
            } else {
                self.queries.push(query.clone());
                self.queries.len() - 1
            };
            admitted.queries.push((index, query));
        }
        admitted
    }
}

/// The named collections that exist, in the order of `collections`; none at all, which means all, where every one is named,
/// none is left, or there is only one.
fn existing(named: Vec<String>, collections: &[String], query: &str, warnings: &mut Vec<String>) -> Vec<String> {
    if collections.len() < 2 {
        return Vec::new();
    }
    let is = |name: &str, other: &str| name.trim().to_lowercase() == other.to_lowercase();
    for name in &named {
        if !collections.iter().any(|other| is(name, other)) {
            warnings.push(format!("the model chose a collection `{name}` for `{query}`, and there is none"));
        }
    }
    let kept: Vec<String> =
        collections.iter().filter(|other| named.iter().any(|name| is(name, other))).cloned().collect();
    if kept.len() == collections.len() { Vec::new() } else { kept }
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

    /// Admits one round after another; gives the indices and collections of the last, and how many warnings it made.
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
    fn what_was_searched_is_not_searched_again() {
        check(&[vec![planned("zebra lion", &[])], vec![planned("lion Zebra", &[])]], &[], 0);
        check(&[vec![planned("zebra lion", &[])], vec![planned("lion Zebra", &["a"])]], &[(2, &["a"])], 0);
        check(&[vec![planned("  ", &[]), planned("Why did it fall?", &[])]], &[(0, &[])], 0);
    }

    #[test]
    fn only_so_many_are_taken() {
        let many = ["lion", "zebra", "tiger", "horse"].map(|word| planned(word, &[])).to_vec();
        check(&[many], &[(1, &[]), (2, &[]), (3, &[])], 1);
    }
}
