//! Proposals for the word at the caret: commands at once, what the server looks for when it comes. One question is open at a time; the newest text is asked for when the answer is there.

use protocol::complete::{Complete, CompleteParams, CompletionItem, CompletionKind};

use super::{App, Waiting};
use crate::editor::complete::{Candidate, trigger};

#[derive(Debug, Default)]
pub(super) struct Completion {
    /// Grows with every edit; an answer to an older text is not shown.
    generation: u64,
    asking: bool,
    /// The text has changed since the open question.
    again: bool,
}

impl App {
    /// The text has changed.
    pub(super) fn complete(&mut self) {
        self.completion.generation += 1;
        let editor = &mut self.start.editor;
        let start = trigger(editor.buffer.text(), editor.buffer.caret());
        if editor.popup.is_dismissed(start) {
            return;
        }
        if start.is_none() {
            editor.popup.close();
            return;
        }
        let own = self.own_candidates();
        self.start.editor.popup.show(own);
        self.ask_server();
    }

    fn ask_server(&mut self) {
        if std::mem::replace(&mut self.completion.asking, true) {
            self.completion.again = true;
            return;
        }
        let buffer = &self.start.editor.buffer;
        let params = CompleteParams {
            text: buffer.text().to_owned(),
            // UTF-8 was negotiated, so the caret's byte offset is the offset.
            offset: u32::try_from(buffer.caret()).unwrap_or(u32::MAX),
            session_id: self.session.as_ref().map(|session| session.id.clone()),
        };
        let generation = self.completion.generation;
        let sent = self.outbox.request::<Complete>(&params, Waiting::Complete { generation });
        self.completion.asking = sent;
    }

    pub(super) fn completed(&mut self, generation: u64, items: Vec<CompletionItem>) {
        self.completion.asking = false;
        let editor = &self.start.editor;
        if trigger(editor.buffer.text(), editor.buffer.caret()).is_none() {
            return;
        }
        if std::mem::take(&mut self.completion.again) {
            self.ask_server();
        }
        if generation != self.completion.generation {
            return;
        }
        let mut candidates = self.own_candidates();
        for item in items {
            let candidate = candidate(item);
            if !candidates.iter().any(|known| known.label == candidate.label) {
                candidates.push(candidate);
            }
        }
        self.start.editor.popup.show(candidates);
    }

    /// Commands that fit what is written, as the server has told them.
    fn own_candidates(&self) -> Vec<Candidate> {
        let buffer = &self.start.editor.buffer;
        let Some(word) = buffer.text().get(..buffer.caret()).and_then(|t| t.strip_prefix('/'))
        else {
            return Vec::new();
        };
        if word.contains(char::is_whitespace) {
            return Vec::new();
        }
        let commands = self.session.iter().flat_map(|session| &session.commands);
        let fitting = commands.filter(|command| command.name.starts_with(word));
        let candidate = |command: &protocol::session::Command| Candidate {
            insert: format!("/{} ", command.name),
            label: format!("/{}", command.name),
            detail: command.description.clone(),
            range: 0..buffer.caret(),
        };
        fitting.map(candidate).collect()
    }
}

fn candidate(item: CompletionItem) -> Candidate {
    let place = |offset: u32| usize::try_from(offset).unwrap_or(usize::MAX);
    // After a folder's name one goes on to what is in it; any other word is complete.
    let after = if item.kind == CompletionKind::Folder { "" } else { " " };
    Candidate {
        label: item.label,
        detail: item.detail.unwrap_or_default(),
        insert: item.insert_text + after,
        range: place(item.start)..place(item.end),
    }
}
