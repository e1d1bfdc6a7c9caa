//! What a server found in one document, and whether that is about the text as it is now.
//!
//! *A server that names versions* is believed for the version it names, and only if that is the
//! newest.
//!
//! *A server that names none* may, after our change went out, still be sending what it had found in
//! the text before. Three things have to come together before its findings count: they arrived
//! after the change was sent; the server has answered a question that was asked after the change,
//! so it has read the change (a server that does one thing after the other has then also finished
//! what it was busy with); and it has been quiet since for a moment, because servers that work in
//! the background send several lists one shortly after the other. A server that lags behind by more
//! than that, in the background and without naming versions, cannot be told from one that is done;
//! the protocol leaves no way to do so.
//!
//! *A server that is asked* answers about the text it was last sent.

use std::time::Duration;

use tokio::time::Instant;

use crate::Finding;

/// Longer than the pauses between the several lists of one look at a text.
pub(super) const QUIET: Duration = Duration::from_millis(150);

#[derive(Debug, Default)]
pub(super) struct Verdict {
    /// The newest findings, whatever text they are about.
    pub(super) findings: Vec<Finding>,
    /// They are about the text as it is now.
    pub(super) verified: bool,
    /// When findings that name no version last arrived, since the text last changed.
    unnamed: Option<Instant>,
    pub(super) barrier: Barrier,
    /// What the server calls its last report about this text, and the findings of it.
    pub(super) report: Option<(String, Vec<Finding>)>,
    /// It has been asked for a report about this text and has not answered.
    pub(super) asking: bool,
}

/// A question asked after the newest change.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) enum Barrier {
    #[default]
    NotAsked,
    Asked,
    Answered(Instant),
}

impl Verdict {
    /// The text has changed.
    pub(super) fn outdate(&mut self) {
        self.verified = false;
        self.unnamed = None;
        self.barrier = Barrier::NotAsked;
        self.report = None;
        self.asking = false;
    }

    /// The server named the newest version, or was asked about it.
    pub(super) fn settle(&mut self, findings: Vec<Finding>) {
        self.findings = findings;
        self.verified = true;
        self.unnamed = None;
    }

    /// The server named no version. True when it has to be asked a question to know more.
    #[must_use]
    pub(super) fn hear_unnamed(&mut self, findings: Vec<Finding>, now: Instant) -> bool {
        self.findings = findings;
        self.verified = false;
        self.unnamed = Some(now);
        self.barrier == Barrier::NotAsked
    }

    /// When it will be known that the findings hold, if nothing more is heard.
    pub(super) fn quiet_at(&self) -> Option<Instant> {
        match (self.unnamed, self.barrier) {
            (Some(heard), Barrier::Answered(answered)) => Some(heard.max(answered) + QUIET),
            _ => None,
        }
    }

    pub(super) fn tick(&mut self, now: Instant) {
        if self.quiet_at().is_some_and(|at| now >= at) {
            self.verified = true;
            self.unnamed = None;
        }
    }
}
