//! Two edits, one after the other, as one.

use super::{CannotApply, Edit, Splice};

/// What an edit does, from front to back.
enum Step<'a> {
    Keep(usize),
    Remove(usize),
    Insert(&'a str),
}

impl Edit {
    /// The edit that does `first` and then `then`. What was inserted and removed again is gone.
    pub fn compose(first: &Edit, then: &Edit) -> Result<Edit, CannotApply> {
        then.check_length(first.len_after)?;
        let mut out = Splices::default();
        let mut theirs = Cursor::new(then);
        for step in steps(first) {
            match step {
                Step::Remove(count) => out.remove(count),
                Step::Keep(count) => theirs.over_kept(count, &mut out),
                Step::Insert(text) => theirs.over_inserted(text, &mut out)?,
            }
        }
        theirs.insert_here(&mut out);
        Ok(out.edit(first.len_before))
    }
}

fn steps(edit: &Edit) -> Vec<Step<'_>> {
    let mut steps = Vec::with_capacity(edit.splices.len() * 3 + 1);
    let mut at = 0;
    for splice in &edit.splices {
        steps.push(Step::Keep(splice.range.start - at));
        steps.push(Step::Insert(&splice.text));
        steps.push(Step::Remove(splice.range.len()));
        at = splice.range.end;
    }
    steps.push(Step::Keep(edit.len_before - at));
    steps.retain(|step| !matches!(step, Step::Keep(0) | Step::Remove(0) | Step::Insert("")));
    steps
}

/// A walk through the steps of the second edit, as far as the text between the two is used up.
struct Cursor<'a> {
    steps: std::iter::Peekable<std::vec::IntoIter<Step<'a>>>,
    /// How much of the text between the two edits was passed.
    at: usize,
}

impl<'a> Cursor<'a> {
    fn new(edit: &'a Edit) -> Cursor<'a> {
        Cursor { steps: steps(edit).into_iter().peekable(), at: 0 }
    }

    /// Passes text that the first edit left alone.
    fn over_kept(&mut self, mut count: usize, out: &mut Splices) {
        while count > 0 {
            let (taken, removed) = self.take(count, out);
            if removed {
                out.remove(taken);
            } else {
                out.keep(taken);
            }
            count -= taken;
        }
    }

    /// Passes text that the first edit inserted. A cut inside one of its characters fits no text.
    fn over_inserted(&mut self, mut text: &str, out: &mut Splices) -> Result<(), CannotApply> {
        while !text.is_empty() {
            let (taken, removed) = self.take(text.len(), out);
            let (head, tail) = text
                .split_at_checked(taken)
                .ok_or(CannotApply::InsideCharacter { offset: self.at })?;
            if !removed {
                out.insert(head);
            }
            text = tail;
        }
        Ok(())
    }

    /// Takes at most `limit` bytes that have one fate, and says whether they are removed.
    fn take(&mut self, limit: usize, out: &mut Splices) -> (usize, bool) {
        self.insert_here(out);
        let (left, removed) = match self.steps.peek_mut() {
            Some(Step::Keep(left)) => (left, false),
            Some(Step::Remove(left)) => (left, true),
            // The lengths fit, so the steps end only where the text does.
            Some(Step::Insert(_)) | None => return (limit, false),
        };
        let taken = limit.min(*left);
        *left -= taken;
        if *left == 0 {
            self.steps.next();
        }
        self.at += taken;
        (taken, removed)
    }

    fn insert_here(&mut self, out: &mut Splices) {
        while let Some(Step::Insert(text)) = self.steps.peek() {
            out.insert(text);
            self.steps.next();
        }
    }
}

/// Splices being collected; neighbours with nothing kept in between become one.
#[derive(Default)]
pub(crate) struct Splices {
    list: Vec<Splice>,
    at: usize,
}

impl Splices {
    pub(crate) fn keep(&mut self, count: usize) {
        self.at += count;
    }

    pub(crate) fn remove(&mut self, count: usize) {
        let at = self.at;
        self.here().range.end = at + count;
        self.at += count;
    }

    pub(crate) fn insert(&mut self, text: &str) {
        self.here().text.push_str(text);
    }

    /// The edit of a text of this length that does what was collected.
    pub(crate) fn edit(self, len_before: usize) -> Edit {
        Edit::from_sorted(len_before, self.list)
    }

    fn here(&mut self) -> &mut Splice {
        let at = self.at;
        let index = match self.list.last() {
            Some(last) if last.range.end == at => self.list.len() - 1,
            _ => {
                self.list.push(Splice::new(at..at, ""));
                self.list.len() - 1
            }
        };
        &mut self.list[index]
    }
}
