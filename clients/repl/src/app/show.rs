//! The state as a frame: what is final, and the live part below it.

use tokio::time::Instant;

use super::{App, DialogKind};
use crate::prompt::permission::Hears;
use crate::render::frame::{Busy, Footer, Panel, Scene};
use crate::render::steps::StepList;
use crate::screen::Frame;

impl App {
    pub fn frame(&mut self, width: usize, height: usize, now: Instant) -> Frame {
        if let Some((live, caret)) = self.draw_view((width, height)) {
            return Frame { finished: Vec::new(), live, caret, page: true };
        }
        let finished = self.transcript.take_finished(width);
        // A question may take the screen, but the running call above it should stay in sight.
        let panel = self.panel((width, height.saturating_sub(3).max(4)), now);
        let busy = self.turn.as_ref().map(|turn| Busy {
            doing: if turn.stopping { "Stopping" } else { &turn.doing },
            elapsed: now.saturating_duration_since(turn.started),
        });
        let shell = self.shells.last().map(|shell| Busy {
            doing: &shell.command,
            elapsed: now.saturating_duration_since(shell.started),
        });
        let busy = busy.or(shell);
        let pending = self.keymap.pending().map(|keys| format!("{keys} …"));
        let scene = Scene {
            width,
            height,
            transcript: &self.transcript,
            busy,
            waiting: self.sending.iter().map(String::as_str).chain(self.queue.texts()).collect(),
            held: self.turn.is_none() && self.sending.is_empty() && !self.queue.is_empty(),
            editor: &self.start.editor,
            panel,
            footer: self.footer(),
            hint: pending.as_deref().or(self.hint.as_ref().map(|(text, _)| text.as_str())),
            steps: StepList {
                items: self.steps.items(),
                hidden: self.steps.hidden,
                key: self.keymap.key_for("app:toggleTodos"),
            },
            status_lines: &self.status_lines,
            suggestion: self.suggestion.as_deref().filter(|_| self.turn.is_none()),
        };
        let (live, caret) = scene.draw();
        Frame { finished, live, caret, page: false }
    }

    /// What stands in the place of the input: the server's questions first.
    fn panel(&mut self, (width, room): (usize, usize), now: Instant) -> Option<Panel> {
        let listens = self.dialog_drawn(now);
        let others = self.dialogs.len().saturating_sub(1);
        match self.dialogs.front_mut().map(|dialog| &mut dialog.kind) {
            Some(DialogKind::Permission(permission)) => {
                permission.hears = if listens { Hears::Keys } else { Hears::Nothing };
                return Some(Panel::from(permission.draw(width, room, others)));
            }
            Some(DialogKind::Ask(asking)) => return Some(Panel::from(asking.draw(width))),
            None => {}
        }
        if let Some(mut review) = self.review.take() {
            let pending = self.session.as_ref().map_or(&[][..], |own| own.changes.pending());
            let panel = review.draw(pending, |hunk| self.origin(hunk), (width, room));
            self.review = Some(review);
            return Some(Panel::from(panel));
        }
        let picker = self.picker.as_mut()?;
        Some(Panel::from((picker.draw(width, room), None)))
    }

    fn footer(&self) -> Option<Footer> {
        let session = self.session.as_ref()?;
        Some(Footer {
            model: self.model_name(&session.config.model),
            effort: session.config.effort.as_ref().map(ToString::to_string),
            mode: session.config.mode.to_string(),
            tasks: self.tasks.running(),
            to_review: session.changes.pending().len(),
            cost: session.usage.cost_usd,
            used: session.usage.used,
            window: session.usage.window,
        })
    }

    /// What is left of the transcript when the client ends: everything, as it stands.
    pub fn last_frame(&mut self, width: usize) -> Frame {
        self.transcript.end_all();
        let finished = self.transcript.take_finished(width);
        Frame { finished, ..Frame::default() }
    }
}
