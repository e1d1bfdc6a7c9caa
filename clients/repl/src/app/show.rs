//! The state as a frame: what is final, and the live part below it.

use tokio::time::Instant;

use super::{App, DialogKind};
use crate::render::frame::{Busy, Footer, Panel, Scene};
use crate::screen::Frame;

impl App {
    pub fn frame(&mut self, width: usize, height: usize, now: Instant) -> Frame {
        let finished = self.transcript.take_finished(width);
        let others = self.dialogs.len().saturating_sub(1);
        // A question may take the screen, but the running call above it should stay in sight.
        let room = height.saturating_sub(3).max(4);
        let panel = match (self.dialogs.front_mut().map(|dialog| &mut dialog.kind), &self.picker) {
            (Some(DialogKind::Permission(permission)), _) => {
                Some(Panel::from(permission.draw(width, room, others)))
            }
            (Some(DialogKind::Ask(asking)), _) => Some(Panel::from(asking.draw(width))),
            (None, Some(picker)) => Some(Panel::from((picker.draw(width, room), None))),
            (None, None) => None,
        };
        let busy = self.turn.as_ref().map(|turn| Busy {
            doing: if turn.stopping { "Stopping" } else { &turn.doing },
            elapsed: now.saturating_duration_since(turn.started),
        });
        let scene = Scene {
            width,
            height,
            transcript: &self.transcript,
            busy,
            waiting: self.sending.iter().chain(&self.queue).map(String::as_str).collect(),
            held: self.turn.is_none() && self.sending.is_empty() && !self.queue.is_empty(),
            editor: &self.start.editor,
            panel,
            footer: self.footer(),
            hint: self.hint.as_ref().map(|(text, _)| text.as_str()),
        };
        let (live, caret) = scene.draw();
        Frame { finished, live, caret }
    }

    fn footer(&self) -> Option<Footer> {
        let session = self.session.as_ref()?;
        Some(Footer {
            model: self.model_name(&session.config.model),
            mode: session.config.mode.to_string(),
            cost: session.usage.cost_usd,
            used: session.usage.used,
            window: session.usage.window,
        })
    }

    /// What is left of the transcript when the client ends: everything, as it stands.
    pub fn last_frame(&mut self, width: usize) -> Frame {
        self.transcript.end_all();
        let finished = self.transcript.take_finished(width);
        Frame { finished, live: Vec::new(), caret: None }
    }
}
