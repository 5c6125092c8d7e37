//! Reads what the Office Open XML formats share: a package's parts, the references between them, and its properties.

use std::collections::BTreeMap;

use super::ParseError;
use super::properties::Properties;
use super::xml::{self, Node};
use super::zip::{Package, read_optional_part, resolve};

/// A reference from one part to another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Relationship {
    /// The last word of its type, as in `slide`.
    pub(super) kind: String,
    /// The name of the part to which it leads.
    pub(super) target: String,
}

/// The references of a part by their ids.
pub(super) type Relationships = BTreeMap<String, Relationship>;

/// The references of a part within the package, by id. A part that refers to nothing has no list.
pub(super) fn relationships(
    package: &mut Package<'_>,
    part: &str,
    format: &'static str,
) -> Result<Relationships, ParseError> {
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
    let parts = relationships(package, "", format)?;
    of_kind(&parts, "officeDocument").map(str::to_owned).ok_or_else(|| ParseError::Broken {
        format,
        reason: "it does not say which of its parts is the document".into(),
    })
}

/// The name of the part of a kind.
fn of_kind<'r>(parts: &'r Relationships, kind: &str) -> Option<&'r str> {
    parts.values().find(|part| part.kind == kind).map(|part| part.target.as_str())
}

/// The content of the part of a kind, if there is one.
pub(super) fn part(
    package: &mut Package<'_>,
    parts: &Relationships,
    kind: &str,
) -> Result<Option<Vec<u8>>, ParseError> {
    of_kind(parts, kind).map_or(Ok(None), |name| package.read(name))
}

/// The title and the day of a document; the day of its creation takes precedence over that of its last change.
pub(super) fn properties(package: &mut Package<'_>, format: &'static str) -> Result<Properties, ParseError> {
    let parts = relationships(package, "", format)?;
    let core = part(package, &parts, "core-properties");
    read_optional_part(core, |core| Properties::read(core, format, &["created", "modified"]))
}
