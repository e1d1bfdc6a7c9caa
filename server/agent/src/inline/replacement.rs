//! From the model's words to the text that replaces a selection, while they still arrive.
//!
//! Models like to wrap code in a fence and to end with a blank line, whatever they were told. What
//! is shown is what will land: a word is let through only when it can no longer turn out to be part
//! of a wrapping.

const TICKS: &str = "```";

/// How the new text meets what stands around it: the line breaks at both ends of a selection are
/// the user's, and the model's answer comes between them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    lead: String,
    tail: String,
    newline: &'static str,
}

impl Frame {
    /// `newline` is how lines of the file end.
    pub fn new(before: &str, selection: &str, after: &str, newline: &'static str) -> Frame {
        let breaks = ['\r', '\n'];
        if selection.is_empty() {
            let at_start = before.is_empty() || before.ends_with(breaks);
            let in_front_of_text = !after.is_empty() && !after.starts_with(breaks);
            let tail = if at_start && in_front_of_text { newline } else { "" };
            return Frame { lead: String::new(), tail: tail.to_owned(), newline };
        }
        let body = selection.trim_start_matches(breaks);
        let lead = &selection[..selection.len() - body.len()];
        let tail = &body[body.trim_end_matches(breaks).len()..];
        Frame { lead: lead.to_owned(), tail: tail.to_owned(), newline }
    }
}

/// The new text so far.
#[derive(Debug)]
pub struct Replacement {
    frame: Frame,
    stage: Stage,
    /// Said, but not yet known to be part of the text.
    held: String,
    text: String,
}

#[derive(Debug)]
enum Stage {
    /// A fence may be on its way.
    Opening,
    Plain,
    /// Inside a fence of so many ticks.
    Fenced(String),
    /// A line with the closing fence came. Usually it is the end of the answer; a text that has
    /// blocks of its own goes on.
    Closed(String),
}

impl Replacement {
    pub fn new(frame: Frame) -> Replacement {
        Replacement { frame, stage: Stage::Opening, held: String::new(), text: String::new() }
    }

    /// Takes what the model said next; returns what may be shown of it.
    pub fn push(&mut self, piece: &str) -> String {
        self.held.extend(piece.chars().filter(|c| *c != '\r'));
        let shown = self.text.len();
        if matches!(self.stage, Stage::Opening) {
            self.open();
        }
        match &self.stage {
            Stage::Opening | Stage::Closed(_) => {}
            Stage::Plain => self.release(self.held.trim_end_matches('\n').len()),
            Stage::Fenced(fence) => {
                let fence = fence.clone();
                self.unwrap(&fence);
            }
        }
        self.text[shown..].to_owned()
    }

    /// The answer is complete: the last piece to be shown, and all of the text. Nothing when the
    /// model said nothing at all.
    pub fn finish(mut self) -> Option<(String, String)> {
        let shown = self.text.len();
        match &self.stage {
            Stage::Opening if self.held.trim().is_empty() => return None,
            // A fence and nothing more.
            Stage::Opening if self.held.starts_with(TICKS) && ticks_only_in_front(&self.held) => {}
            Stage::Opening | Stage::Plain => self.release(self.held.trim_end_matches('\n').len()),
            Stage::Fenced(fence) => {
                let rest = self.held.trim_end();
                let rest = rest.strip_suffix(fence.as_str()).unwrap_or(rest);
                self.release(rest.trim_end_matches('\n').len());
            }
            Stage::Closed(fence) => {
                // Words behind the fence are an explanation nobody asked for; another fence at the
                // end means that the text has blocks of its own, and this one is around it all.
                let end = self.held.trim_end().rfind(&format!("\n{fence}"));
                self.release(end.unwrap_or(0));
            }
        }
        if !self.text.is_empty() {
            let tail = self.frame.tail.clone();
            self.text.push_str(&tail);
        }
        Some((self.text[shown..].to_owned(), self.text))
    }

    /// Decides whether the answer begins with a fence, when it is long enough to tell.
    fn open(&mut self) {
        let breaks = self.held.len() - self.held.trim_start_matches('\n').len();
        self.held.drain(..breaks);
        let short = self.held.len() < TICKS.len() && TICKS.starts_with(&self.held);
        if short || self.held.trim().is_empty() {
            return;
        }
        if !self.held.starts_with(TICKS) {
            self.stage = Stage::Plain;
            return;
        }
        let Some(end) = self.held.find('\n') else { return };
        self.stage = if ticks_only_in_front(&self.held[..end]) {
            let ticks = self.held.len() - self.held.trim_start_matches('`').len();
            let fence = self.held[..ticks].to_owned();
            self.held.drain(..=end);
            Stage::Fenced(fence)
        } else {
            Stage::Plain
        };
    }

    /// Lets everything through that stands before what may be the closing fence.
    fn unwrap(&mut self, fence: &str) {
        let mut start = 0;
        // Mid-line when something of this line went through already.
        let mut at_start = self.text.is_empty();
        loop {
            let end = self.held[start..].find('\n').map(|at| start + at);
            let line = &self.held[start..end.unwrap_or(self.held.len())];
            let line = line.trim_end_matches(' ');
            match end {
                Some(_) if at_start && line == fence => {
                    self.stage = Stage::Closed(fence.to_owned());
                    return self.release(start.saturating_sub(1));
                }
                Some(end) => (start, at_start) = (end + 1, true),
                None if at_start && fence.starts_with(line) => {
                    return self.release(self.held[..start].trim_end_matches('\n').len());
                }
                None => return self.release(self.held.trim_end_matches('\n').len()),
            }
        }
    }

    /// The first bytes of what is held are part of the text.
    fn release(&mut self, bytes: usize) {
        if bytes == 0 {
            return;
        }
        if self.text.is_empty() {
            self.text.push_str(&self.frame.lead);
        }
        let released: String = self.held.drain(..bytes).collect();
        self.text.push_str(&released.replace('\n', self.frame.newline));
    }
}

/// What tells a fence from code that is quoted within a line.
fn ticks_only_in_front(line: &str) -> bool {
    !line.trim_start_matches('`').contains('`')
}
