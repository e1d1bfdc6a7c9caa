//! One edit on its way to an editor.

use std::time::Instant;

use text::{PositionEncoding, Text, diff};
use tools::{EditError, Edited, OwnChange};
use workspace::{Document, DocumentUri};

use super::receipt::{Deviation, Finding, Landed, Sent};
use super::wire::Letter;
use super::{Ended, conflict, edited, name};
use crate::core::buffers::Buffers;
use crate::core::event::{CoreHandle, EditReply, Purpose};

pub(super) struct Pending {
    pub(super) uri: DocumentUri,
    pub(super) label: String,
    pub(super) undo_group: String,
    pub(super) purpose: Purpose,
    pub(super) reply: EditReply,
    pub(super) tries: u32,
    /// What others changed before it was sent again.
    pub(super) passed: Vec<Landed>,
    pub(super) sent: Sent,
    pub(super) answer: Answered,
    /// The editor said once that it applied the edit. It may tell of that only after the edit was
    /// sent again, which it then refuses.
    pub(super) claimed: bool,
    /// How long an editor is waited for that said, after the last try, that it applied the edit.
    pub(super) last_deadline: Option<Instant>,
    /// Ask by the standard method, because the editor does not know ours.
    pub(super) standard: bool,
    /// The editor made the edit over text that was typed meanwhile; what is sent puts that right.
    pub(super) repair: Option<Repair>,
}

/// What the editor said about the edit as it was sent last.
pub(super) enum Answered {
    NotYet,
    Applied,
    /// With its reason.
    Refused(String),
}

/// A change that the editor made at an outdated position, and what should have become of it.
pub(super) struct Repair {
    /// The text before that change.
    before: Text,
    /// The edit as it was meant on that text; none where the user had changed the same place.
    meant: Option<text::Edit>,
    /// What happened instead, for when it cannot be put right.
    happened: Vec<Landed>,
}

/// For the user, when an editor overwrote what was just typed.
const RESTORED: &str = "The editor applied an edit of the agent at an outdated position, over text \
                        that you were typing. Bowline restored your text.";
const NOT_RESTORED: &str = "The editor applied an edit of the agent at an outdated position, and \
                            Bowline could not undo that: text that you were typing may be \
                            overwritten there. Reject the change to get it back.";

impl Pending {
    pub(super) fn send(
        &mut self,
        id: u64,
        document: &Document,
        buffers: &Buffers,
        core: &CoreHandle,
    ) {
        self.tries += 1;
        self.answer = Answered::NotYet;
        let (Some(door), Ok(edit)) = (buffers.owner(&self.uri), self.sent.present()) else {
            return;
        };
        let (label, undo_group) = (self.label.clone(), self.undo_group.clone());
        let letter = Letter { id, document, edit, label, undo_group, standard: self.standard };
        letter.send(door, core);
    }

    pub(super) fn refusal(&self) -> EditError {
        let reason = match &self.answer {
            Answered::Refused(reason) => reason.clone(),
            Answered::NotYet | Answered::Applied => "it did not answer in time".to_owned(),
        };
        EditError::Refused { path: name(&self.uri), reason }
    }

    /// Nothing of it is in the text; `document` as it is now, where it is still open.
    pub(super) fn ended(
        self,
        document: Option<&Document>,
        outcome: Option<Result<Edited, EditError>>,
    ) -> Ended {
        let Pending { uri, purpose, reply, sent, mut passed, repair, .. } = self;
        let (mut outcome, mut notice) = (outcome, None);
        if let Some(Repair { happened, .. }) = repair {
            passed.extend(happened);
            notice = Some(NOT_RESTORED);
            if let Some(document) = document {
                let sentence = "The editor put this change at another place.".to_owned();
                outcome = Some(Ok(edited(document, Some(sentence))));
            }
        }
        passed.extend(sent.foreign());
        Ended {
            uri,
            key: None,
            purpose,
            landed: passed,
            later: 0,
            reply,
            outcome,
            text: None,
            notice,
        }
    }

    /// It is in the text, as `found` explains.
    pub(super) fn landed(self, found: Finding, document: &Document) -> Ended {
        let later = self.sent.changes_after(&found);
        let deviation = found.deviation().map(Deviation::sentence);
        let Pending { uri, purpose, reply, sent, mut passed, repair, .. } = self;
        let now = &document.text;
        let (outcome, notice) = match repair {
            None => {
                passed.extend(sent.landed(found));
                (Ok(edited(document, deviation)), None)
            }
            Some(Repair { before, meant, .. }) => {
                let meant = meant.and_then(|edit| Some((edit.apply(&before).ok()?, edit)));
                let outcome = match &meant {
                    Some(_) => {
                        let sentence = "The editor applied this change at an outdated position, \
                                        over text that the user was typing. Bowline restored that \
                                        text and moved the change to its place.";
                        Ok(edited(document, Some(sentence.to_owned())))
                    }
                    None => Err(conflict(document, 0)),
                };
                let after = meant.as_ref().map_or(&before, |(after, _)| after);
                let rest = diff(&after.to_string(), &now.to_string());
                passed.extend(meant.map(|(_, edit)| Landed::Own { before, edit }));
                passed.extend((!rest.is_empty()).then_some(Landed::Foreign(rest)));
                (outcome, Some(RESTORED))
            }
        };
        let outcome = Some(with_own_change(outcome, &passed));
        Ended { uri, key: None, purpose, landed: passed, later, reply, outcome, text: None, notice }
    }

    /// Its document was closed, and the file has it.
    pub(super) fn found_in_file(self, found: Finding, outcome: Result<Edited, EditError>) -> Ended {
        let Pending { uri, purpose, reply, sent, mut passed, repair, .. } = self;
        passed.extend(repair.into_iter().flat_map(|repair| repair.happened));
        passed.extend(sent.landed(found));
        let outcome = with_own_change(outcome, &passed);
        let (key, later, text, notice) = (None, 0, None, None);
        Ended {
            uri,
            key,
            purpose,
            landed: passed,
            later,
            reply,
            outcome: Some(outcome),
            text,
            notice,
        }
    }

    /// Turns a misplaced edit into one that puts the text right. Gives itself back when there is
    /// nothing to put right, or no way to do it.
    pub(super) fn repaired(
        mut self,
        found: Finding,
        document: &Document,
        unchecked: Option<PositionEncoding>,
    ) -> Result<Self, Box<(Self, Finding)>> {
        let plan = match found.deviation() {
            Some(Deviation::Misplaced { before, meant })
                if unchecked.is_some() && self.repair.is_none() =>
            {
                let meant = meant.clone();
                self.sent.correction(&found, before, meant.as_ref()).map(|edit| {
                    let repair = Repair { before: before.clone(), meant, happened: Vec::new() };
                    (edit, repair)
                })
            }
            _ => None,
        };
        let sent = plan
            .and_then(|(edit, repair)| Some((Sent::new(&document.text, edit, unchecked)?, repair)));
        let Some((sent, mut repair)) = sent else { return Err(Box::new((self, found))) };
        let earlier = std::mem::replace(&mut self.sent, sent);
        self.passed.extend(earlier.before(&found));
        repair.happened = earlier.since(found);
        self.repair = Some(repair);
        Ok(self)
    }
}

/// Adds what an edit did by itself, without what others did meanwhile.
fn with_own_change(
    outcome: Result<Edited, EditError>,
    landed: &[Landed],
) -> Result<Edited, EditError> {
    let own = landed.iter().rev().find_map(|part| match part {
        Landed::Own { before, edit } => {
            let after = edit.apply(before).ok()?;
            Some(OwnChange { before: before.clone(), after })
        }
        Landed::Foreign(_) => None,
    });
    outcome.map(|edited| Edited { own, ..edited })
}
