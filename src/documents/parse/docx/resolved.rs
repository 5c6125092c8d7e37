//! Finds the words whose comments somebody has resolved.

use std::collections::{BTreeMap, BTreeSet};

use super::{FORMAT, SKIPPED};
use crate::documents::parse::ParseError;
use crate::documents::parse::xml::{self, Node, Skipping};

/// The most comments that may be open at once; further ones are skipped until one ends. A file of a few bytes may hold
/// thousands, which would each take all words.
const MOST_OPEN: usize = 8;

/// The words under each resolved comment, in the order in which they begin. `comments` names the paragraphs of each
/// comment, `extended` says by the last of these which are resolved, and `body` has the words.
pub(super) fn resolved(comments: Vec<u8>, extended: Vec<u8>, body: &str) -> Result<Vec<String>, ParseError> {
    let done = done(extended)?;
    let mut ids: BTreeSet<String> =
        ids(comments)?.into_iter().filter(|(_, last)| done.contains(last)).map(|it| it.0).collect();
    let mut found: Vec<String> = Vec::new();
    // The ids of the comments whose words are being read, and the indices of these words in `found`.
    let mut open: Vec<(String, usize)> = Vec::new();
    let (mut skipping, mut in_text) = (Skipping::default(), false);
    xml::walk_text(body, FORMAT, |node| {
        match node {
            _ if skipping.skips(&node, SKIPPED) => {}
            Node::Open(element) => match element.name() {
                "commentRangeStart" => {
                    if let Some(id) = element.attribute("id")
                        && open.len() < MOST_OPEN
                        && ids.remove(&id)
                    {
                        open.push((id, found.len()));
                        found.push(String::new());
                    }
                }
                "commentRangeEnd" => {
                    let id = element.attribute("id");
                    open.retain(|(of, _)| id.as_ref() != Some(of));
                }
                "p" | "br" | "tab" => add_words(&mut found, &open, " "),
                "t" => in_text = true,
                _ => {}
            },
            Node::Close("t") => in_text = false,
            Node::Text(words) if in_text => add_words(&mut found, &open, words),
            Node::Close(_) | Node::Text(_) => {}
        }
        Ok(())
    })?;
    found.retain(|words| !words.trim().is_empty());
    Ok(found)
}

fn add_words(found: &mut [String], open: &[(String, usize)], words: &str) {
    open.iter().for_each(|&(_, place)| found[place].push_str(words));
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

/// The paragraphs of the resolved comments.
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

#[cfg(test)]
mod tests {
    use super::*;

    fn of(ids: &[usize], body: &str) -> Vec<String> {
        let comment = |id: &usize| format!("<w:comment w:id='{id}'><w:p w14:paraId='p{id}'/></w:comment>");
        let comments = format!("<c>{}</c>", ids.iter().map(comment).collect::<String>());
        let done = |id: &usize| format!("<w15:commentEx w15:paraId='p{id}' w15:done='1'/>");
        let extended = format!("<e>{}</e>", ids.iter().map(done).collect::<String>());
        resolved(comments.into(), extended.into(), &format!("<b>{body}</b>")).expect("readable")
    }

    #[test]
    fn words_belong_to_the_comments_around_them() {
        let body = "<t>a</t><commentRangeStart id='1'/><t>b</t><commentRangeStart id='2'/><t>c</t>\
            <commentRangeEnd id='1'/><t>d</t><commentRangeEnd id='2'/><commentRangeStart id='3'/><t>e</t>";
        assert_eq!(of(&[1, 2], body), ["bc", "cd"]);
    }

    #[test]
    fn comments_without_end_do_not_fill_the_memory() {
        let again = "<commentRangeStart id='1'/>".repeat(100);
        assert_eq!(of(&[1], &format!("{again}<t>words</t>")), ["words"]);
        let ids: Vec<usize> = (0..100).collect();
        let many: String = ids.iter().map(|id| format!("<commentRangeStart id='{id}'/>")).collect();
        assert_eq!(of(&ids, &format!("{many}<t>words</t>")).len(), MOST_OPEN);
    }
}
