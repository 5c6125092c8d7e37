use super::Refusal;
use crate::domain::WEB;

/// What the sender of a request may see and do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Access {
    /// Whose runs it may see; `None`: everybody's.
    pub owner: Option<String>,
    /// The collections that it may see; `None`: all.
    pub collections: Option<Vec<String>>,
    /// Whether it may load documents, where the server offers that.
    pub load: bool,
    /// How many researches it may begin within 24 hours; `None`: as many as it likes.
    pub runs_a_day: Option<usize>,
}

impl Access {
    /// Everything, as for the person who started the server.
    pub fn full() -> Self {
        Access { owner: None, collections: None, load: true, runs_a_day: None }
    }

    /// Whether a collection may be seen.
    pub fn sees(&self, collection: &str) -> bool {
        self.collections.as_ref().is_none_or(|allowed| allowed.iter().any(|name| name == collection))
    }

    /// Whether everything may be seen.
    pub fn sees_all(&self) -> bool {
        self.collections.is_none()
    }

    /// The collections that a request for `asked` (empty: all) goes to. One that may not be seen is answered as one that
    /// there is not.
    pub fn narrowed(&self, asked: Vec<String>) -> Result<Vec<String>, Refusal> {
        let Some(allowed) = &self.collections else { return Ok(asked) };
        if asked.is_empty() {
            return Ok(allowed.clone());
        }
        match asked.iter().find(|name| !self.sees(name) || *name == WEB) {
            Some(name) => Err(Refusal::not_found(format!("there is no collection `{name}`"))
                .with_hint(format!("you may search {}", allowed.join(", ")))),
            None => Ok(asked),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_narrow_access_never_widens() {
        let access = Access {
            owner: Some("a".to_owned()),
            collections: Some(vec!["x".to_owned(), "y".to_owned()]),
            load: false,
            runs_a_day: None,
        };
        let check = |asked: &[&str], expected: Option<&[&str]>| {
            let asked = asked.iter().map(|&name| name.to_owned()).collect();
            let expected = expected.map(|names| names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>());
            assert_eq!(access.narrowed(asked).ok(), expected);
        };
        check(&[], Some(&["x", "y"]));
        check(&["y"], Some(&["y"]));
        check(&["x", "z"], None);
        check(&["web"], None);
        assert_eq!(Access::full().narrowed(Vec::new()).unwrap(), Vec::<String>::new());
    }
}
