use super::{Refusal, RefusalKind};
use crate::domain::WEB;

/// What the sender of a request may see and do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Access {
    /// The owner whose runs the sender may see; `None`: everybody's.
    pub owner: Option<String>,
    /// The collections that the sender may see; `None`: all.
    pub collections: Option<Vec<String>>,
    /// Whether the sender may load documents, if the server offers that.
    pub load: bool,
    /// The limits on the sender's use.
    pub budget: Budget,
}

/// Limits on use within 24 hours; `None` means unlimited.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Budget {
    /// The number of researches that may be begun.
    pub runs: Option<usize>,
    /// The number of language model tokens, in and out. A research under way is not stopped when it is reached.
    pub tokens: Option<u64>,
}

impl Budget {
    /// Whether there is any limit.
    pub fn is_limited(&self) -> bool {
        *self != Budget::default()
    }

    /// Whether `used` researches and tokens leave none for another research.
    pub fn is_spent(&self, (runs, tokens): (usize, u64)) -> bool {
        self.runs.is_some_and(|most| runs >= most) || self.tokens.is_some_and(|most| tokens >= most)
    }

    /// The limits in words.
    pub fn words(&self) -> String {
        let runs = self.runs.map(|most| format!("begin {most} researches"));
        let tokens = self.tokens.map(|most| format!("use {most} tokens"));
        let both: Vec<String> = runs.into_iter().chain(tokens).collect();
        format!("{} within 24 hours", both.join(" and "))
    }
}

impl Access {
    /// Access to everything, as for the person who started the server.
    pub fn full() -> Self {
        Access { owner: None, collections: None, load: true, budget: Budget::default() }
    }

    /// Whether a collection may be seen.
    pub fn can_see(&self, collection: &str) -> bool {
        self.collections.as_ref().is_none_or(|allowed| allowed.iter().any(|name| name == collection))
    }

    /// Whether everything may be seen.
    pub fn can_see_all(&self) -> bool {
        self.collections.is_none()
    }

    /// The collections that a request for `asked` (empty: all) goes to, where `all` are the existing ones. A collection
    /// that may not be seen is answered as if it did not exist, and no answer names it.
    pub fn narrowed(&self, asked: Vec<String>, all: &[String]) -> Result<Vec<String>, Refusal> {
        if self.can_see_all() {
            return Ok(asked);
        }
        let seen: Vec<String> = all.iter().filter(|name| self.can_see(name)).cloned().collect();
        match asked.iter().find(|name| !seen.contains(name) || *name == WEB) {
            Some(name) => Err(Refusal::not_found(format!("there is no collection `{name}`"))
                .with_hint(format!("you may search {}", seen.join(", ")))),
            // An empty list would mean everything.
            None if seen.is_empty() => Err(Refusal::not_found("there is no collection yet that this token may search")),
            None if asked.is_empty() => Ok(seen),
            None => Ok(asked),
        }
    }

    /// Whether documents may be loaded into a collection; `None` stands for one named after the documents.
    pub fn check_load_allowed(&self, collection: Option<&str>) -> Result<(), Refusal> {
        match &self.collections {
            Some(allowed) if !collection.is_some_and(|name| self.can_see(name)) => {
                Err(Refusal::new(RefusalKind::Forbidden, "this token loads into collections of its own alone")
                    .with_hint(format!("name one as `collection`: {}", allowed.join(", "))))
            }
            Some(_) | None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_is_spent_once_one_of_its_limits_is_reached() {
        let check = |runs, tokens, used, expected| {
            assert_eq!(Budget { runs, tokens }.is_spent(used), expected, "{runs:?} {tokens:?} {used:?}");
        };
        check(None, None, (1000, u64::MAX), false);
        check(Some(0), None, (0, 0), true);
        check(Some(2), Some(100), (1, 99), false);
        check(Some(2), Some(100), (2, 0), true);
        check(Some(2), Some(100), (1, 100), true);
        check(None, Some(0), (0, 0), true);
    }

    #[test]
    fn a_narrow_access_never_widens() {
        let access = Access {
            owner: Some("a".to_owned()),
            collections: Some(vec!["x".to_owned(), "y".to_owned()]),
            load: false,
            budget: Budget::default(),
        };
        let check = |asked: &[&str], expected: Option<&[&str]>| {
            let asked = asked.iter().map(|&name| name.to_owned()).collect();
            let expected = expected.map(|names| names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>());
            let there = ["z", "y", "x"].map(str::to_owned);
            assert_eq!(access.narrowed(asked, &there).ok(), expected);
        };
        check(&[], Some(&["y", "x"]));
        check(&["y"], Some(&["y"]));
        check(&["x", "z"], None);
        check(&["web"], None);
        // A collection that is not loaded yet is left out; if none remain, the request is refused, not widened.
        assert_eq!(access.narrowed(Vec::new(), &["x".to_owned(), "z".to_owned()]).unwrap(), ["x"]);
        assert!(access.narrowed(Vec::new(), &["z".to_owned()]).is_err());
        let refused = access.narrowed(vec!["y".to_owned()], &["x".to_owned(), "z".to_owned()]).unwrap_err();
        assert_eq!(refused.hint.as_deref(), Some("you may search x"));
        assert_eq!(Access::full().narrowed(Vec::new(), &[]).unwrap(), Vec::<String>::new());
        assert!(access.check_load_allowed(Some("x")).is_ok() && Access::full().check_load_allowed(None).is_ok());
        assert!(access.check_load_allowed(Some("z")).is_err() && access.check_load_allowed(None).is_err());
    }
}
