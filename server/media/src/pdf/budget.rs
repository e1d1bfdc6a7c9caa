//! How much a document may become in memory while it is read.
//!
//! Streams inside of a file unpack to a thousand times their size, and a file can hold thousands of
//! them. Each is limited by the library; what all of them come to is counted here.

use std::cell::Cell;

use lopdf::{Document, FilterFunc, Object, ObjectId};

use super::PdfProblem;

/// In bytes, roughly.
const MOST: usize = 256 << 20;
/// What an object takes besides what is in it.
const FRAME: usize = 64;

thread_local! {
    /// What is left. The library takes a plain function as its filter, so it cannot be handed down.
    static LEFT: Cell<usize> = const { Cell::new(0) };
}

/// Reads a document, unless that becomes too much.
pub(super) fn within(
    read: impl FnOnce(FilterFunc) -> lopdf::Result<Document>,
) -> Result<Document, PdfProblem> {
    LEFT.set(MOST);
    let document = read(count);
    if LEFT.get() == 0 {
        return Err(PdfProblem::TooMuch);
    }
    Ok(document?)
}

/// Nothing is kept any more once there is nothing left.
fn count(id: ObjectId, object: &mut Object) -> Option<(ObjectId, Object)> {
    let left = LEFT.get().saturating_sub(weight(object));
    LEFT.set(left);
    (left > 0).then(|| (id, object.clone()))
}

/// The library does not nest deeper than a stack can bear.
fn weight(object: &Object) -> usize {
    let of_entries = |dictionary: &lopdf::Dictionary| {
        dictionary.iter().map(|(key, value)| FRAME + key.len() + weight(value)).sum::<usize>()
    };
    FRAME
        + match object {
            Object::Array(items) => items.iter().map(weight).sum(),
            Object::Dictionary(dictionary) => of_entries(dictionary),
            Object::Stream(stream) => of_entries(&stream.dict) + stream.content.len(),
            Object::String(bytes, _) | Object::Name(bytes) => bytes.len(),
            _ => 0,
        }
}
