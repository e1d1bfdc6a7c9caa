//! Some pages as a document of their own: these pages, what they are drawn with, and nothing else.
//!
//! It is built anew rather than cut down, so that no loop in the old tree of pages can catch us, and
//! what is not shown (forms, scripts, bookmarks, other pages) does not come along.

use std::collections::HashSet;

use lopdf::{Dictionary, Document, Object, ObjectId, dictionary};

/// What a page has from the branch of the tree it hangs on.
const INHERITED: [&[u8]; 4] = [b"Resources", b"MediaBox", b"CropBox", b"Rotate"];
/// How far up that is looked for.
const HIGHEST: usize = 64;

pub(super) fn of(old: &Document, pages: &[ObjectId]) -> Document {
    let mut new = Document::with_version("1.7");
    // All objects keep their numbers; the two new ones come after them.
    let tree = (old.max_id.saturating_add(1), 0);
    let catalog = (old.max_id.saturating_add(2), 0);
    new.max_id = catalog.0;
    let mut found: Vec<ObjectId> = Vec::new();
    for id in pages {
        let mut page = page(old, *id);
        page.set("Parent", tree);
        references(&Object::Dictionary(page.clone()), &mut found);
        new.objects.insert(*id, Object::Dictionary(page));
    }
    copy(old, &mut new, found);
    let kids: Vec<Object> = pages.iter().map(|id| Object::Reference(*id)).collect();
    let count = i64::try_from(pages.len()).unwrap_or(i64::MAX);
    let branch = dictionary! { "Type" => "Pages", "Kids" => kids, "Count" => count };
    new.objects.insert(tree, Object::Dictionary(branch));
    let root = dictionary! { "Type" => "Catalog", "Pages" => tree };
    new.objects.insert(catalog, Object::Dictionary(root));
    new.trailer.set("Root", catalog);
    new
}

/// A page with everything it has from above; an empty one where there is none.
pub(super) fn page(old: &Document, id: ObjectId) -> Dictionary {
    let mut page = old.get_dictionary(id).cloned().unwrap_or_default();
    let mut above = page.get(b"Parent").and_then(Object::as_reference).ok();
    for _ in 0..HIGHEST {
        let Some(branch) = above.and_then(|id| old.get_dictionary(id).ok()) else { break };
        for key in INHERITED {
            if let (false, Ok(value)) = (page.has(key), branch.get(key)) {
                page.set(key, value.clone());
            }
        }
        above = branch.get(b"Parent").and_then(Object::as_reference).ok();
    }
    page.set("Type", "Page");
    page
}

/// Takes over what is referred to, and what that refers to, but no other page.
fn copy(old: &Document, new: &mut Document, mut wanted: Vec<ObjectId>) {
    let mut seen: HashSet<ObjectId> = new.objects.keys().copied().collect();
    while let Some(id) = wanted.pop() {
        let Some(object) = old.objects.get(&id).filter(|_| seen.insert(id)) else { continue };
        if is_page(object) {
            continue;
        }
        references(object, &mut wanted);
        new.objects.insert(id, object.clone());
    }
}

fn is_page(object: &Object) -> bool {
    object.as_dict().is_ok_and(|dictionary| {
        dictionary.has_type(b"Page")
            || dictionary.has_type(b"Pages")
            || dictionary.has_type(b"Catalog")
    })
}

fn references(object: &Object, found: &mut Vec<ObjectId>) {
    match object {
        Object::Reference(id) => found.push(*id),
        Object::Array(items) => items.iter().for_each(|item| references(item, found)),
        Object::Dictionary(dictionary) => of_entries(dictionary, found),
        Object::Stream(stream) => of_entries(&stream.dict, found),
        _ => {}
    }
}

fn of_entries(dictionary: &Dictionary, found: &mut Vec<ObjectId>) {
    dictionary.iter().for_each(|(_, value)| references(value, found));
}
