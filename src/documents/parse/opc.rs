//! What Office Open XML's formats share: a package's parts, how they refer to each other, and its properties.

use std::collections::BTreeMap;

use super::xml::{self, Node};
use super::zip::Package;
use super::{ParseError, date, label};
use crate::base::text::Language;
use crate::domain::{DateOrigin, DocumentDate};

/// A reference from one part to another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Relationship {
    /// The last word of its type, as in `slide`.
    pub(super) kind: String,
    /// The name of the part that it leads to.
    pub(super) target: String,
}

/// What a part refers to within the package, by id. A part that refers to nothing has no list.
pub(super) fn relationships(
    package: &mut Package<'_>,
    part: &str,
    format: &'static str,
) -> Result<BTreeMap<String, Relationship>, ParseError> {
    let (folder, name) = part.rsplit_once('/').unwrap_or(("", part));
    let list = if folder.is_empty() { format!("_rels/{name}.rels") } else { format!("{folder}/_rels/{name}.rels") };
    let mut found = BTreeMap::new();
    let Some(bytes) = package.read(&list)? else { return Ok(found) };
    xml::walk(bytes, format, |node| {
        if let Node::Open(element) = node
            && element.name() == "Relationship"
            && element.attribute("TargetMode").as_deref() != Some("External")
            && let (Some(id), Some(kind), Some(target)) =
                (element.attribute("Id"), element.attribute("Type"), element.attribute("Target"))
        {
            let kind = kind.rsplit('/').next().unwrap_or_default().to_owned();
            found.insert(id, Relationship { kind, target: resolve(folder, &target) });
        }
        Ok(())
    })?;
    Ok(found)
}

/// The part that a package's own list names as its document.
pub(super) fn main_part(package: &mut Package<'_>, format: &'static str) -> Result<String, ParseError> {
    let document = relationships(package, "", format)?.into_values().find(|found| found.kind == "officeDocument");
    document.map(|found| found.target).ok_or_else(|| ParseError::Broken {
        format,
        reason: "it does not say which of its parts is the document".into(),
    })
}

/// A target as it is written, relative to the folder of the part that names it, as the name of a part.
pub(super) fn resolve(folder: &str, target: &str) -> String {
    if let Some(absolute) = target.strip_prefix('/') {
        return absolute.to_owned();
    }
    let mut path: Vec<&str> = folder.split('/').filter(|step| !step.is_empty()).collect();
    for step in target.split('/') {
        match step {
            "" | "." => {}
            ".." => {
                path.pop();
            }
            _ => path.push(step),
        }
    }
    path.join("/")
}

/// What a document says of itself.
#[derive(Debug, Default)]
pub(super) struct Properties {
    pub(super) title: Option<String>,
    pub(super) date: Option<DocumentDate>,
    pub(super) language: Language,
}

/// The title and the day of a document, the one it was made on before the one it was last changed on.
pub(super) fn properties(package: &mut Package<'_>, format: &'static str) -> Result<Properties, ParseError> {
    let core = relationships(package, "", format)?.into_values().find(|found| found.kind == "core-properties");
    let Some(part) = core else { return Ok(Properties::default()) };
    let Some(bytes) = package.read(&part.target)? else { return Ok(Properties::default()) };
    let values = xml::values(bytes, format, &["title", "created", "modified", "language"])?;
    Ok(Properties {
        title: values.get("title").and_then(|title| usable_title(title)),
        date: ["created", "modified"].into_iter().find_map(|name| day(values.get(name)?)),
        language: values.get("language").map(|tag| Language::tagged(tag)).unwrap_or_default(),
    })
}

/// A title without what programs put there on their own.
pub(super) fn usable_title(title: &str) -> Option<String> {
    const FILLERS: [&str; 5] = ["untitled", "document", "powerpoint presentation", "presentation", "slide 1"];
    label(title).filter(|title| !FILLERS.contains(&title.to_lowercase().as_str()))
}

/// The day of a property, as in `2022-10-03T09:30:00Z`. Programs that know none write the first day that they know, and a
/// library for office documents the moment at which its template was saved.
pub(super) fn day(value: &str) -> Option<DocumentDate> {
    const TEMPLATE: &str = "2013-12-23T23:15:00Z";
    if value.trim() == TEMPLATE {
        return None;
    }
    date::find(value).filter(|date| date.year() > 1980).map(|date| DocumentDate { date, origin: DateOrigin::Metadata })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_become_names_of_parts() {
        let check = |folder: &str, target: &str, expected: &str| assert_eq!(resolve(folder, target), expected);
        check("word", "footnotes.xml", "word/footnotes.xml");
        check("ppt/slides", "../notesSlides/n1.xml", "ppt/notesSlides/n1.xml");
        check("ppt/slides", "/ppt/x.xml", "ppt/x.xml");
        check("", "word/document.xml", "word/document.xml");
        check("", "../../x", "x");
    }

    #[test]
    fn fillers_are_no_titles_or_days() {
        assert_eq!(usable_title(" The  plan "), Some("The plan".to_owned()));
        assert_eq!(usable_title("PowerPoint Presentation"), None);
        assert!(day("1980-01-01T00:00:00Z").is_none() && day("2013-12-23T23:15:00Z").is_none());
        assert!(day("2022-10-03T09:30:00Z").is_some());
    }
}
