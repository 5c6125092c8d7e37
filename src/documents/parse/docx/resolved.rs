//! The words whose comments somebody has resolved.

use std::collections::{BTreeMap, BTreeSet};

use super::{FORMAT, SKIPPED};
use crate::documents::parse::ParseError;
use crate::documents::parse::xml::{self, Node};

/// The words under each resolved comment, in the order in which they begin. `comments` names the paragraphs of each,
/// `extended` says by the last of these paragraphs which are resolved, and `body` has the words.
pub(super) fn resolved(comments: Vec<u8>, extended: Vec<u8>, body: Vec<u8>) -> Result<Vec<String>, ParseError> {
    let done = done(extended)?;
    let ids: BTreeSet<String> =
        ids(comments)?.into_iter().filter(|(_, last)| done.contains(last)).map(|it| it.0).collect();
    let mut begun: Vec<(String, bool, String)> = Vec::new();
    let (mut skipped, mut in_text) = (0_usize, false);
    xml::walk(body, FORMAT, |node| {
        match node {
            Node::Open(element) if skipped > 0 || SKIPPED.contains(&element.name()) => skipped += 1,
            Node::Close(_) if skipped > 0 => skipped -= 1,
            _ if skipped > 0 => {}
            Node::Open(element) => match element.name() {
                "commentRangeStart" => {
                    let id = element.attribute("id").filter(|id| ids.contains(id));
                    begun.extend(id.map(|id| (id, true, String::new())));
                }
                "commentRangeEnd" => {
                    let id = element.attribute("id");
                    let ended = begun.iter_mut().filter(|(begun, _, _)| id.as_ref() == Some(begun));
                    ended.for_each(|(_, is_open, _)| *is_open = false);
                }
                "p" | "br" | "tab" => heard(&mut begun, " "),
                "t" => in_text = true,
                _ => {}
            },
            Node::Close("t") => in_text = false,
            Node::Text(words) if in_text => heard(&mut begun, words),
            Node::Close(_) | Node::Text(_) => {}
        }
        Ok(())
    })?;
    Ok(begun.into_iter().map(|(_, _, words)| words).filter(|words| !words.trim().is_empty()).collect())
}

fn heard(begun: &mut [(String, bool, String)], words: &str) {
    begun.iter_mut().filter(|(_, is_open, _)| *is_open).for_each(|(_, _, all)| all.push_str(words));
}

/// The last paragraph of each comment, by the comment's id.
fn ids(comments: Vec<u8>) -> Result<BTreeMap<String, String>, ParseError> {
    let mut last: BTreeMap<String, String> = BTreeMap::new();
    let mut comment = None;
    xml::walk(comments, FORMAT, |node| {
        match node {
            Node::Open(element) if element.name() == "comment" => comment = element.attribute("id"),
            Node::Open(element) if element.name() == "p" => {
                if let (Some(id), Some(paragraph)) = (&comment, element.attribute("paraId")) {
                    last.insert(id.clone(), paragraph);
                }
            }
            Node::Open(_) | Node::Close(_) | Node::Text(_) => {}
        }
        Ok(())
    })?;
    Ok(last)
}

/// The paragraphs of the comments that are resolved.
fn done(extended: Vec<u8>) -> Result<BTreeSet<String>, ParseError> {
    let mut done = BTreeSet::new();
    xml::walk(extended, FORMAT, |node| {
        if let Node::Open(element) = node
            && element.name() == "commentEx"
            && matches!(element.attribute("done").as_deref(), Some("1" | "true" | "on"))
        {
            done.extend(element.attribute("paraId"));
        }
        Ok(())
    })?;
    Ok(done)
}
