//! Which documents a search may find: by path, language and day.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use globset::{Glob, GlobBuilder, GlobSet, escape};
use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use crate::base::text::Language;

/// A restriction of the documents that a search may find; each part that is set excludes the documents that do not meet
/// it. The default admits all.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct DocumentFilter {
    /// Only documents whose path matches.
    pub path: Option<PathPattern>,
    /// No document whose path matches.
    pub except: Option<PathPattern>,
    /// Only documents that are mostly in this language.
    pub language: Option<Language>,
    /// Only documents of this day or later; those without a date are excluded.
    pub since: Option<Date>,
    /// Only documents of this day or earlier; those without a date are excluded.
    pub until: Option<Date>,
}

impl DocumentFilter {
    /// Whether it excludes nothing.
    pub fn admits_all(&self) -> bool {
        *self == DocumentFilter::default()
    }

    /// Whether it restricts paths.
    pub fn names_paths(&self) -> bool {
        self.path.is_some() || self.except.is_some()
    }

    /// Whether a document may be found.
    pub fn admits(&self, path: &str, language: Language, date: Option<Date>) -> bool {
        self.path.as_ref().is_none_or(|pattern| pattern.matches(path))
            && self.except.as_ref().is_none_or(|pattern| !pattern.matches(path))
            && self.language.is_none_or(|wanted| wanted == language)
            && self.since.is_none_or(|since| date.is_some_and(|date| date >= since))
            && self.until.is_none_or(|until| date.is_some_and(|date| date <= until))
    }
}

/// As a person would say it, for messages.
impl fmt::Display for DocumentFilter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = [
            self.path.as_ref().map(|pattern| format!("path {}", pattern.text)),
            self.except.as_ref().map(|pattern| format!("not path {}", pattern.text)),
            self.language.map(|language| format!("language {}", language.english_name())),
            self.since.map(|date| format!("since {date}")),
            self.until.map(|date| format!("until {date}")),
        ];
        f.write_str(&parts.into_iter().flatten().collect::<Vec<_>>().join(", "))
    }
}

/// A pattern of paths: `*` and `?` stand for characters within a name, `**` for any folders, `{a,b}` for either.
///
/// A pattern matches whole names at the end of a path, as in `2019/*.md`; one that begins with a separator matches from
/// the beginning. A pattern that matches a folder matches everything in it, so `reports` means all documents below any
/// folder of that name.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct PathPattern {
    text: String,
    matcher: Arc<GlobSet>,
}

/// A pattern that cannot be parsed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{pattern}` is no pattern of paths: {reason}")]
pub struct BadPattern {
    /// The pattern as written.
    pub pattern: String,
    /// What is wrong with it.
    pub reason: String,
}

impl PathPattern {
    fn matches(&self, path: &str) -> bool {
        self.matcher.is_match(path)
    }
}

impl PathPattern {
    /// Returns a pattern that matches exactly these paths.
    ///
    /// # Errors
    /// If there are no paths, or more than a pattern can hold.
    pub fn of_paths(paths: &[String]) -> Result<Self, BadPattern> {
        let paths: Vec<String> = paths.iter().map(|path| escape(path).replace(',', "[,]")).collect();
        format!("{{{}}}", paths.join(",")).parse()
    }
}

impl FromStr for PathPattern {
    type Err = BadPattern;

    fn from_str(text: &str) -> Result<Self, BadPattern> {
        let bad = |reason: String| BadPattern { pattern: text.to_owned(), reason };
        let trimmed = text.trim().trim_end_matches('/');
        if trimmed.is_empty() {
            return Err(bad("it is empty".to_owned()));
        }
        let rooted = trimmed.starts_with('/');
        let anywhere = if rooted { "" } else { "**/" };
        let compile = || {
            let itself = build(&format!("{anywhere}{trimmed}"))?;
            let below = build(&format!("{anywhere}{trimmed}/**"))?;
            GlobSet::builder().add(itself).add(below).build()
        };
        let matcher = compile().map_err(|error: globset::Error| bad(error.kind().to_string()))?;
        Ok(PathPattern { text: trimmed.to_owned(), matcher: Arc::new(matcher) })
    }
}

fn build(pattern: &str) -> Result<Glob, globset::Error> {
    GlobBuilder::new(pattern).literal_separator(true).build()
}

impl PartialEq for PathPattern {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for PathPattern {}

impl TryFrom<String> for PathPattern {
    type Error = BadPattern;

    fn try_from(text: String) -> Result<Self, BadPattern> {
        text.parse()
    }
}

impl From<PathPattern> for String {
    fn from(pattern: PathPattern) -> String {
        pattern.text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_matches_whole_names() {
        fn check(pattern: &str, path: &str, expected: bool) {
            assert_eq!(pattern.parse::<PathPattern>().unwrap().matches(path), expected, "{pattern} {path}");
        }
        check("*.md", "/a/b/c.md", true);
        check("*.md", "/a/b/c.mdx", false);
        check("b/*.md", "/a/b/c.md", true);
        check("b/*.md", "/a/bb/c.md", false);
        check("a/*.md", "/a/b/c.md", false);
        check("a/**/*.md", "/a/b/c.md", true);
        check("b", "/a/b/c.md", true);
        check("b/", "/a/b/c.md", true);
        check("/a", "/a/b/c.md", true);
        check("/b", "/a/b/c.md", false);
        check("/a/b/c.md", "/a/b/c.md", true);
        check("{b,x}/c.*", "/a/b/c.md", true);
        check("資料/*", "/書類/資料/箱.txt", true);
        check("example.org/**", "https://example.org/page", true);
        check("c.md", "c.md", true);
    }

    #[test]
    fn a_pattern_that_cannot_be_read_says_why() {
        fn check(pattern: &str, part: &str) {
            let error = pattern.parse::<PathPattern>().unwrap_err().to_string();
            assert!(error.contains(part), "{error}");
        }
        check("", "it is empty");
        check(" / ", "it is empty");
        check("a[b", "`a[b`");
        check("{a,b", "unclosed alternate group");
        check("a}", "unopened alternate group");
    }

    #[test]
    fn a_document_without_a_date_is_outside_every_time() {
        let date = |text: &str| -> Date { text.parse().unwrap() };
        let check = |since: Option<&str>, until: Option<&str>, of: Option<&str>, expected: bool| {
            let filter = DocumentFilter { since: since.map(date), until: until.map(date), ..DocumentFilter::default() };
            assert_eq!(filter.admits("/a", Language::ENGLISH, of.map(date)), expected, "{filter}: {of:?}");
        };
        check(None, None, None, true);
        check(Some("2020-01-01"), None, None, false);
        check(None, Some("2020-01-01"), None, false);
        check(Some("2020-01-01"), Some("2020-01-01"), Some("2020-01-01"), true);
        check(Some("2020-01-02"), None, Some("2020-01-01"), false);
        check(None, Some("2019-12-31"), Some("2020-01-01"), false);
    }

    #[test]
    fn a_filter_comes_back_from_json() {
        let filter = DocumentFilter {
            path: Some("*.md".parse().unwrap()),
            except: Some("b.md".parse().unwrap()),
            language: Some(Language::ENGLISH),
            since: Some(jiff::civil::date(2020, 1, 1)),
            until: None,
        };
        let json = serde_json::to_string(&filter).unwrap();
        assert_eq!(serde_json::from_str::<DocumentFilter>(&json).unwrap(), filter);
        assert_eq!(filter.to_string(), "path *.md, not path b.md, language English, since 2020-01-01");
        assert!(serde_json::from_str::<DocumentFilter>(r#"{"path":"[a"}"#).is_err());
    }
}
