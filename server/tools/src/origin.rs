//! What has to be known about a text that is open in the editor: whether it is what the user sees,
//! and how it stands to the file on the disk.

use text::MergeConflict;
use workspace::{DiskSide, FileText, Origin};

use crate::place::Place;
use crate::tool::Problem;

/// So many places of a conflict are named.
const LISTED: usize = 10;

/// What the model is told with a text it reads.
pub(crate) fn note(place: &Place, file: &FileText) -> Option<String> {
    let Origin::Buffer { dirty, in_sync, disk, .. } = &file.origin else { return None };
    if let (true, Some(lost)) = (in_sync, lost_file(place, disk)) {
        return Some(format!("This is the text in the user's editor. {lost}"));
    }
    let note = match (in_sync, disk, dirty) {
        (false, _, _) => {
            "The editor and the server may disagree about this file at the moment, so this text \
             may be out of date. Do not edit it before you have read it again."
        }
        (true, DiskSide::Conflict(conflict), _) => {
            return Some(format!(
                "This is the text in the user's editor. It has unsaved changes that contradict the \
                 file on the disk, and cannot be changed before the user has settled that: {}",
                places(conflict)
            ));
        }
        (true, DiskSide::Merged, _) => {
            "This is the text in the user's editor with its unsaved changes, and it includes changes \
             on the disk that the editor does not show yet."
        }
        (true, _, true) => {
            "This is the text in the user's editor, with changes that are not saved yet. Commands \
             run by Bash see the older text on the disk."
        }
        (true, _, false) => return None,
    };
    Some(note.to_owned())
}

/// What is on the disk in place of the file that an editor has open.
fn lost_file(place: &Place, disk: &DiskSide) -> Option<String> {
    let path = place.path.display();
    match disk {
        DiskSide::Gone => Some(format!("The file {path} is no longer on the disk.")),
        DiskSide::Replaced(what) => Some(format!("On the disk, {path} is {what} now.")),
        _ => None,
    }
}

/// What has to be told with a change of this text: to the model, and where the second is set to the
/// user as well.
pub(crate) fn note_on_change(place: &Place, file: &FileText) -> Option<(String, bool)> {
    if let Origin::Buffer { disk, .. } = &file.origin
        && let Some(lost) = lost_file(place, disk)
    {
        return Some((format!("{lost} The change is in the editor only."), true));
    }
    let links = place.links().filter(|links| *links > 1)?;
    Some(match &file.origin {
        Origin::Disk { .. } => (
            format!(
                "This file had {links} hard links. It was replaced, so the change is visible under \
                 this name only; the other names keep the old content."
            ),
            false,
        ),
        Origin::Buffer { .. } => (
            format!(
                "This file has {links} hard links. Saving it in the editor may change it under all \
                 of them."
            ),
            false,
        ),
    })
}

/// Whether a text may be changed at all.
pub(crate) fn check_writable(place: &Place, file: &FileText) -> Result<(), Problem> {
    let path = place.path.display();
    match &file.origin {
        Origin::Buffer { in_sync: false, .. } => Err(Problem(format!(
            "The editor and the server disagree about {path} at the moment, so nothing may be \
             written to it. Read it again, or ask the user to close and reopen it."
        ))),
        Origin::Buffer { disk: DiskSide::Conflict(conflict), .. } => Err(Problem(format!(
            "{path} was not changed: it has unsaved changes in the editor that contradict the file \
             on the disk. Ask the user to save it, or to load it again, and then read it: {}",
            places(conflict)
        ))),
        Origin::Buffer { .. } | Origin::Disk { .. } => Ok(()),
    }
}

/// Where the two differ, with the first place as both have it.
fn places(conflict: &MergeConflict) -> String {
    let Some(first) = conflict.places.first() else {
        return "they differ in many places.".to_owned();
    };
    let lines: Vec<String> =
        conflict.places.iter().take(LISTED).map(|place| place.line.to_string()).collect();
    let more = if conflict.places.len() > LISTED { ", …" } else { "" };
    let word = if conflict.places.len() == 1 { "line" } else { "lines" };
    let (line, lines) = (first.line, lines.join(", "));
    let quoted = |side: &str| match side.trim_end_matches(['\r', '\n']) {
        "" => "(nothing)".to_owned(),
        text => text.to_owned(),
    };
    format!(
        "they differ at {word} {lines}{more} of the editor's text. Line {line} in the editor:\n{}\n\
         and on the disk:\n{}",
        quoted(&first.ours),
        quoted(&first.theirs)
    )
}

#[cfg(test)]
mod tests;
