//! What the model is told about a change: the places that are different now, as they really are.

use std::ops::Range;

use text::{Edit, Text};

use crate::place::Place;
use crate::show::{line_count, numbered, reminder};
use crate::world::Edited;

/// Unchanged lines shown around the changed ones, so that the model can check the place.
const AROUND: usize = 4;
/// The most lines and bytes of the new text that a result repeats.
const LINES: usize = 60;
const BYTES: usize = 8_000;

/// A change as it came out.
pub(super) struct Told<'a> {
    pub(super) place: &'a Place,
    pub(super) old: Option<&'a Text>,
    /// What should have happened.
    pub(super) asked: &'a Edit,
    pub(super) edited: &'a Edited,
}

impl Told<'_> {
    /// That it worked, and how the places look now. What happened is found by comparing the two
    /// texts, because others may have written meanwhile, and the editor may have done its own.
    pub(super) fn report(&self, count: usize) -> String {
        let path = self.place.path.display();
        let new = &self.edited.text;
        let Some(old) = self.old else {
            let created = format!("Created {path} ({} bytes).", new.len_bytes());
            let Some(deviation) = &self.edited.deviation else { return created };
            let shown = numbered(new, 1, LINES, BYTES).text;
            return format!("{created} It reads:\n{shown}{}", reminder(deviation));
        };
        let (old, now) = (old.to_string(), new.to_string());
        let happened = text::diff(&old, &now);
        let (added, removed) = match &self.edited.own {
            Some(own) => text::stat(&own.before.to_string(), &own.after.to_string()),
            None => text::stat(&old, &now),
        };
        let places = if count > 1 { format!(", {count} places") } else { String::new() };
        let mut report = match happened.is_empty() {
            true => format!("{path} was not changed."),
            false => format!("Changed {path} (+{added} −{removed} lines{places})."),
        };
        let mut changed = lines_after(&happened, new);
        if self.edited.deviation.is_some() {
            // What was asked for may not be among what happened; it was meant to go here.
            changed.extend(lines_after(self.asked, new));
            changed.sort_by_key(|lines| lines.start);
        }
        let shown = excerpts(new, &changed);
        if !shown.is_empty() {
            report.push_str(" It now reads:\n");
            report.push_str(&shown);
        }
        if let Some(deviation) = &self.edited.deviation {
            report.push_str(&reminder(deviation));
        }
        report
    }
}

/// The lines, from zero, that each splice of an edit left in the text it made.
fn lines_after(edit: &Edit, new: &Text) -> Vec<Range<usize>> {
    let (mut inserted, mut removed) = (0, 0);
    let places = edit.splices().iter().map(|splice| {
        let start = splice.range.start + inserted - removed;
        inserted += splice.text.len();
        removed += splice.range.len();
        new.byte_to_line(start)..new.byte_to_line(start + splice.text.len()) + 1
    });
    places.collect()
}

/// The lines with some around them, as many as fit. Places close to each other are shown as one.
fn excerpts(text: &Text, changed: &[Range<usize>]) -> String {
    let mut groups: Vec<Range<usize>> = Vec::new();
    let last_line = line_count(text);
    for lines in changed {
        let start = lines.start.saturating_sub(AROUND).min(last_line);
        let end = (lines.end + AROUND).min(last_line);
        match groups.last_mut() {
            Some(last) if start <= last.end => last.end = last.end.max(end),
            _ => groups.push(start..end),
        }
    }
    let mut shown = String::new();
    let mut left = LINES;
    for (at, group) in groups.iter().enumerate() {
        let bytes = BYTES.saturating_sub(shown.len());
        if left == 0 || bytes == 0 {
            shown.push_str(&format!("     … {} more places …\n", groups.len() - at));
            break;
        }
        if at > 0 {
            shown.push_str("     …\n");
        }
        let lines = group.len().min(left);
        shown.push_str(&numbered(text, group.start + 1, lines, bytes).text);
        left -= lines;
    }
    shown
}
