//! Which pages are pictures: a scan has an image where another page has text.

use pdf_extract::{Dictionary, Document, Object, ObjectId};

/// Forms may hold the image; deeper ones are not looked into.
const DEEPEST_FORM: usize = 4;

/// So many objects of a page are looked at.
const OBJECTS: usize = 2000;

/// A page with fewer letters and digits than this beside its image is still a picture: a stamp, a page's number.
pub(super) const STAMP: usize = 8;

/// Whether a page draws an image.
pub(super) fn shows_image(document: &Document, page: ObjectId) -> bool {
    let Ok((own, inherited)) = document.get_page_resources(page) else { return false };
    let inherited = inherited.iter().filter_map(|&id| document.get_dictionary(id).ok());
    let mut left = OBJECTS;
    own.into_iter().chain(inherited).any(|resources| holds_image(document, resources, DEEPEST_FORM, &mut left))
        || has_inline_image(document, page)
}

fn holds_image(document: &Document, resources: &Dictionary, depth: usize, left: &mut usize) -> bool {
    let deref = |object| document.dereference(object).ok().map(|(_, object)| object);
    let objects = resources.get(b"XObject").ok().and_then(deref).and_then(|objects| objects.as_dict().ok());
    for (_, object) in objects.into_iter().flatten() {
        if *left == 0 {
            return false;
        }
        *left -= 1;
        let Some(Object::Stream(stream)) = deref(object) else { continue };
        let kind = stream.dict.get(b"Subtype").and_then(Object::as_name);
        let inside = stream.dict.get(b"Resources").ok().and_then(deref).and_then(|inside| inside.as_dict().ok());
        let found = match (kind, inside) {
            (Ok(b"Image"), _) => true,
            (Ok(b"Form"), Some(inside)) if depth > 0 => holds_image(document, inside, depth - 1, left),
            _ => false,
        };
        if found {
            return true;
        }
    }
    false
}

/// An image may stand in the content itself, between `BI` and `EI`.
fn has_inline_image(document: &Document, page: ObjectId) -> bool {
    let Ok(content) = document.get_page_content(page) else { return false };
    content.split(|byte| byte.is_ascii_whitespace()).any(|word| word == b"BI")
}
