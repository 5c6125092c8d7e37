//! The properties that a document made of parts states outside its text: title, day and language.

use super::xml;
use super::{ParseError, Parsed, date, label};
use crate::base::text::Language;
use crate::domain::DocumentDate;

/// What a document states about itself.
#[derive(Debug, Default)]
pub(super) struct Properties {
    title: Option<String>,
    date: Option<DocumentDate>,
    language: Language,
}

impl Properties {
    /// Reads the properties from a part; `days` names the elements that hold days, the preferred one first.
    pub(super) fn read(part: Vec<u8>, format: &'static str, days: &[&str]) -> Result<Self, ParseError> {
        let values = xml::values(part, format, &[&["title", "language"], days].concat())?;
        Ok(Properties {
            title: values.get("title").and_then(|title| usable_title(title)),
            date: days.iter().find_map(|name| day(values.get(*name)?)),
            language: values.get("language").map(|tag| Language::tagged(tag)).unwrap_or_default(),
        })
    }

    /// Adds the properties to a parsed document. A stated title takes precedence over the one found in its text.
    pub(super) fn tell(self, parsed: &mut Parsed) {
        parsed.title = self.title.or(parsed.title.take());
        (parsed.date, parsed.language) = (self.date, self.language);
    }
}

/// A title, unless it is one that programs fill in themselves.
pub(super) fn usable_title(title: &str) -> Option<String> {
    const FILLERS: [&str; 5] = ["untitled", "document", "powerpoint presentation", "presentation", "slide 1"];
    label(title).filter(|title| !FILLERS.contains(&title.to_lowercase().as_str()))
}

/// The day of a property such as `2022-10-03T09:30:00Z`. Programs that do not know the day write the first one they can
/// represent, and a library for office documents writes the moment at which its template was saved.
fn day(value: &str) -> Option<DocumentDate> {
    const TEMPLATE: &str = "2013-12-23T23:15:00Z";
    if value.trim() == TEMPLATE {
        return None;
    }
    date::find(value).filter(|date| date.year() > 1980).map(DocumentDate::metadata)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fillers_are_no_titles_or_days() {
        assert_eq!(usable_title(" The  plan "), Some("The plan".to_owned()));
        assert_eq!(usable_title("PowerPoint Presentation"), None);
        assert!(day("1980-01-01T00:00:00Z").is_none() && day("2013-12-23T23:15:00Z").is_none());
        assert!(day("2022-10-03T09:30:00Z").is_some());
    }
}
