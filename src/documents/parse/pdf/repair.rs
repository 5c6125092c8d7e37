//! Takes out of a document what the extraction library stumbles over and no text is lost with.

use std::collections::HashMap;

use pdf_extract::{Dictionary, Document, Object, ObjectId, Stream};

/// Forms may be drawn by forms; deeper than this they are left out.
const DEEPEST_FORM: usize = 50;

/// A page tree deeper than this runs in a circle.
const DEEPEST_PAGE: usize = 256;

/// Empties images, which the library would read as page content, and forms that draw themselves, on which it would
/// recurse until the process dies.
pub(super) fn prepare(document: &mut Document) {
    for object in document.objects.values_mut() {
        let Object::Stream(stream) = object else { continue };
        if stream.dict.get(b"Subtype").and_then(Object::as_name).is_ok_and(|name| name == b"Image") {
            empty(stream);
        } else if is_form(stream) && !stream.dict.has(b"Resources") && draws_objects(stream) {
            // It would draw by its caller's names, so that no circle could be seen below.
            stream.dict.set("Resources", Dictionary::new());
        }
    }
    for id in circular_forms(document) {
        if let Ok(Object::Stream(stream)) = document.get_object_mut(id) {
            empty(stream);
        }
    }
}

/// Makes `page` the only page of `tree`, and gives it what the library insists on.
pub(super) fn isolate(document: &mut Document, tree: ObjectId, page: ObjectId) -> Result<(), String> {
    let mut ancestor = page;
    for depth in 0.. {
        let parent =
            document.get_dictionary(ancestor).and_then(|node| node.get(b"Parent")).and_then(Object::as_reference);
        match parent {
            Ok(_) if depth == DEEPEST_PAGE => return Err("the page tree runs in a circle".to_owned()),
            Ok(parent) => ancestor = parent,
            Err(_) => break,
        }
    }
    let kids = Object::Array(vec![Object::Reference(page)]);
    document.get_dictionary_mut(tree).map_err(|error| error.to_string())?.set("Kids", kids);
    let page = document.get_dictionary_mut(page).map_err(|error| error.to_string())?;
    // Positions on the page are compared with each other only, so that any box will do.
    page.set("MediaBox", vec![0.into(), 0.into(), 612.into(), 792.into()]);
    page.remove(b"ArtBox");
    Ok(())
}

fn empty(stream: &mut Stream) {
    stream.dict.remove(b"Filter");
    stream.dict.remove(b"DecodeParms");
    stream.set_content(Vec::new());
}

fn is_form(stream: &Stream) -> bool {
    stream.dict.get(b"Subtype").and_then(Object::as_name).is_ok_and(|name| name == b"Form")
}

fn draws_objects(stream: &Stream) -> bool {
    let content = stream.decompressed_content().unwrap_or_else(|_| stream.content.clone());
    content.windows(2).any(|window| window == b"Do")
}

/// Forms that close a circle or lie too deep, found by a walk that does not recurse itself.
fn circular_forms(document: &Document) -> Vec<ObjectId> {
    let drawn: HashMap<ObjectId, Vec<ObjectId>> = document
        .objects
        .iter()
        .filter_map(|(&id, object)| match object {
            Object::Stream(stream) if is_form(stream) => Some((id, drawn_by(document, stream))),
            _ => None,
        })
        .collect();
    let mut heights: HashMap<ObjectId, usize> = HashMap::new();
    let mut circular = Vec::new();
    for &root in document.objects.keys().filter(|id| drawn.contains_key(id)) {
        // Each entry is a form on the way down, how many of the forms it draws are done, and the height of those.
        let mut way: Vec<(ObjectId, usize, usize)> = Vec::new();
        if !heights.contains_key(&root) {
            way.push((root, 0, 0));
        }
        while let Some(&mut (id, ref mut done, ref mut height)) = way.last_mut() {
            let next = drawn.get(&id).and_then(|forms| forms.get(*done)).copied();
            let Some(next) = next else {
                let height = *height + 1;
                way.pop();
                // An emptied form draws nothing.
                let is_out = circular.contains(&id) || height > DEEPEST_FORM;
                if is_out && !circular.contains(&id) {
                    circular.push(id);
                }
                heights.insert(id, if is_out { 0 } else { height });
                if let Some((_, _, above)) = way.last_mut() {
                    *above = (*above).max(heights.get(&id).copied().unwrap_or(0));
                }
                continue;
            };
            *done += 1;
            if let Some(&known) = heights.get(&next) {
                *height = (*height).max(known);
            } else if way.iter().any(|&(on_way, ..)| on_way == next) {
                if !circular.contains(&next) {
                    circular.push(next);
                }
            } else if drawn.contains_key(&next) {
                way.push((next, 0, 0));
            }
        }
    }
    circular
}

fn drawn_by(document: &Document, form: &Stream) -> Vec<ObjectId> {
    let deref = |object| document.dereference(object).ok().map(|(_, object)| object);
    let objects = form
        .dict
        .get(b"Resources")
        .ok()
        .and_then(deref)
        .and_then(|resources| resources.as_dict().ok()?.get(b"XObject").ok())
        .and_then(deref)
        .and_then(|objects| objects.as_dict().ok());
    objects.into_iter().flatten().filter_map(|(_, object)| object.as_reference().ok()).collect()
}
