//! Reviewing what the agent changed: the list is asked for, decisions go out, outcomes come back.

use crossterm::event::KeyEvent;
use protocol::edit::ReviewAction;
use protocol::event::Severity;
use protocol::review::{
    Hunk, HunkResult, HunkState, ReviewList, ReviewListParams, ReviewListResult, ReviewResolve,
    ReviewResolveParams, ReviewResolveResult,
};
use protocol::session::{SessionUnrewind, SessionUnrewindParams};

use super::rewind::cancel;
use super::{App, Pick, Waiting};
use crate::connection::RpcError;
use crate::prompt::picker::{Entry, Picker};
use crate::prompt::review::{Move, Review, Scope, Verdict};
use crate::render::hunk::{counted, lines, place};
use crate::render::line::{Line, Span};
use crate::render::safe::strict;
use crate::render::wrap::{Margin, wrap};
use crate::render::{diff, path_of, theme};
use crate::state::changes::Decision;
use crate::state::transcript::Look;

/// Rows of one change in a printed list.
const PRINTED_ROWS: usize = 200;
/// Printed rows are wrapped by whoever reads them.
const PRINTED_WIDTH: usize = 1_000_000;
/// Outcomes in the review are wrapped to what every terminal has.
const OUTCOME_WIDTH: usize = 78;

/// What a list of changes is asked for.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Listing {
    /// To know what waits.
    Count,
    /// To go through them, or to print them where nobody can.
    Review,
    /// To decide about all of them.
    All(ReviewAction),
    /// To see what a decision about lines, or its undoing, has left.
    GoOn,
}

impl App {
    pub fn list_changes(&mut self, why: Listing) {
        let Some(session) = &self.session else { return };
        let session_id = Some(session.id.clone());
        let params = ReviewListParams { session_id, ..ReviewListParams::default() };
        self.outbox.request::<ReviewList>(&params, Waiting::Changes(why));
    }

    pub(super) fn changes_listed(&mut self, why: &Listing, list: ReviewListResult) {
        let Some(session) = &mut self.session else { return };
        // The answer may be to a question about a session that was left meanwhile.
        let ours = list.hunks.into_iter().filter(|hunk| hunk.session_id == session.id);
        session.changes.replace(ours.collect());
        let none = session.changes.pending().is_empty();
        match why {
            Listing::Count => self.tidy_review(),
            Listing::GoOn => self.go_on_reviewing(),
            _ if none => self.notice(Severity::Info, "There is nothing to review."),
            Listing::Review => self.open_review(),
            Listing::All(action) => self.decide_all(action),
        }
    }

    fn open_review(&mut self) {
        let Some(session) = &self.session else { return };
        if matches!(self.start.look, Look::Rich(_)) {
            let decisions = session.changes.decisions().len();
            self.review = Some(Review::new(&self.start.cwd, decisions));
            self.picker = None;
            return;
        }
        let mut rows = Vec::new();
        for file in session.changes.pending().chunk_by(|one, next| one.uri == next.uri) {
            let name = file.first().map(|hunk| path_of(&hunk.uri, &self.start.cwd));
            rows.push(Line::plain(strict(&name.unwrap_or_default())));
            for hunk in file {
                let from = self.origin(hunk).map(|from| format!("  for: {from}"));
                let title = format!("  {}  {}{}", hunk.id, lines(hunk), from.unwrap_or_default());
                rows.push(Line::plain(strict(&title)));
                let (old, new) = (&hunk.old_text, &hunk.new_text);
                rows.extend(diff::draw(old, new, PRINTED_WIDTH, PRINTED_ROWS).lines);
            }
        }
        self.transcript.rows(rows);
    }

    /// The message of the user that led to a change, in one line.
    pub(super) fn origin(&self, hunk: &Hunk) -> Option<String> {
        let said = &self.session.as_ref()?.said;
        let message = said.messages().get(said.before_call(&hunk.tool_call_id)?)?;
        Some(message.line().to_owned())
    }

    /// All at once. Accepting changes no text; rejecting does, so it is confirmed.
    fn decide_all(&mut self, action: &ReviewAction) {
        let Some(session) = &self.session else { return };
        let hunks: Vec<String> = session.changes.pending().iter().map(|h| h.id.clone()).collect();
        let verdict = Verdict::new(hunks, Scope::Session, action.clone());
        if *action != ReviewAction::Reject || !matches!(self.start.look, Look::Rich(_)) {
            return self.resolve(verdict);
        }
        let files = session.changes.pending().chunk_by(|one, next| one.uri == next.uri).count();
        let count = counted(verdict.hunks.len(), "change");
        let title = format!("Reject {count} in {}?", counted(files, "file"));
        let label = "reject all".to_owned();
        let reject = Entry { label, detail: String::new(), value: Pick::Resolve(verdict) };
        self.picker = Some(Picker::new(title, vec![reject, cancel()], 0));
    }

    pub(super) fn on_review_key(&mut self, key: KeyEvent) {
        let (Some(review), Some(session)) = (&mut self.review, &self.session) else { return };
        match review.on_key(key, session.changes.pending()) {
            Move::Stay => {}
            Move::Leave => self.leave_review(),
            Move::Undo => self.undo_decision(),
            Move::Resolve(verdict) => self.resolve(verdict),
        }
    }

    pub(super) fn resolve(&mut self, verdict: Verdict) {
        let Some(session) = &self.session else { return };
        let mut params = ReviewResolveParams {
            lines: verdict.lines.clone(),
            comment: verdict.comment.clone(),
            ..ReviewResolveParams::new(verdict.action.clone())
        };
        let rejects = verdict.action == ReviewAction::Reject;
        match &verdict.scope {
            Scope::Session if rejects => params.session_id = Some(session.id.clone()),
            Scope::File(uri) if rejects => {
                (params.uri, params.session_id) = (Some(uri.clone()), Some(session.id.clone()));
            }
            // What was not seen yet is not accepted.
            _ => params.hunk_ids = Some(verdict.hunks.clone()),
        }
        self.outbox.request::<ReviewResolve>(&params, Waiting::Resolve(verdict));
        if let Some(review) = &mut self.review {
            review.wait();
        }
    }

    pub(super) fn resolved(&mut self, verdict: &Verdict, result: ReviewResolveResult) {
        let Some(session) = &mut self.session else { return };
        let outcome = outcome(verdict, &result.results, session.changes.pending(), &self.start.cwd);
        let count = |state: &HunkState| result.results.iter().filter(|r| r.state == *state).count();
        let (accepted, rejected) = (count(&HunkState::Accepted), count(&HunkState::Rejected));
        session.changes.settle(&result.results);
        // A decision about lines leaves the hunk pending with the rest of them.
        if accepted + rejected > 0 || verdict.lines.is_some() {
            let (token, hunks) = (result.undo_token, verdict.hunks.clone());
            session.changes.decided(Decision { token, hunks, accepted, rejected });
        }
        self.tell(outcome);
        if verdict.lines.is_some() {
            self.list_changes(Listing::GoOn);
        } else {
            self.go_on_reviewing();
        }
    }

    pub(super) fn decision_refused(&mut self, error: &RpcError) {
        self.refused(&format!("Nothing was decided: {}", error.message));
    }

    /// What takes a decision back is good once, whatever came of it.
    pub(super) fn undo_refused(&mut self, decision: &Decision, error: &RpcError) {
        if let Some(session) = &mut self.session {
            session.changes.undone(&decision.token);
        }
        self.refused(&error.message);
    }

    fn refused(&mut self, text: &str) {
        let text = Span::new(strict(text), theme::BAD);
        self.tell(wrap(&[text], OUTCOME_WIDTH, &Margin::default()));
        // What was typed ahead was meant for another outcome.
        if let Some(review) = &mut self.review {
            review.go_on();
        }
        self.list_changes(Listing::Count);
    }

    pub fn undo_decision(&mut self) {
        let last = self.session.as_ref().and_then(|session| session.changes.decisions().last());
        let Some(decision) = last.cloned() else {
            self.tell(vec![Line::styled("There is no decision to undo.", theme::WARN)]);
            return;
        };
        let params = SessionUnrewindParams { undo_token: decision.token.clone() };
        self.outbox.request::<SessionUnrewind>(&params, Waiting::Undecide(decision));
        if let Some(review) = &mut self.review {
            review.wait();
        }
    }

    pub(super) fn undecided(&mut self, decision: &Decision) {
        let Some(session) = &mut self.session else { return };
        session.changes.undone(&decision.token);
        let count = counted(decision.hunks.len(), "change");
        let text = format!("The last decision is undone ({count}).");
        self.tell(vec![Line::styled(text, theme::PLAIN)]);
        if let (Some(review), Some(hunk)) = (&mut self.review, decision.hunks.first()) {
            review.show(hunk);
        }
        self.list_changes(Listing::GoOn);
    }

    /// Into the review, or where it is closed, into the transcript.
    fn tell(&mut self, rows: Vec<Line>) {
        match &mut self.review {
            Some(review) => review.tell(rows),
            None => self.transcript.rows(rows),
        }
    }

    /// The list is as it stands now: the keys that waited for it count.
    fn go_on_reviewing(&mut self) {
        let typed = self.review.as_mut().map(Review::go_on).unwrap_or_default();
        for key in typed {
            self.on_review_key(key);
        }
        self.tidy_review();
    }

    /// A review with nothing left is over.
    pub(super) fn tidy_review(&mut self) {
        let waiting = self.review.as_ref().is_none_or(Review::is_waiting);
        let left = self.session.as_ref().map_or(0, |session| session.changes.pending().len());
        if !waiting && left == 0 {
            self.leave_review();
        }
    }

    fn leave_review(&mut self) {
        let (Some(review), Some(session)) = (self.review.take(), &self.session) else { return };
        let decisions = session.changes.decisions();
        let made = decisions.get(review.since..).unwrap_or_default();
        let accepted: usize = made.iter().map(|decision| decision.accepted).sum();
        let rejected: usize = made.iter().map(|decision| decision.rejected).sum();
        let left = match session.changes.pending().len() {
            0 => "nothing left to review".to_owned(),
            count => format!("{} left to review", counted(count, "change")),
        };
        if made.is_empty() {
            return;
        }
        let text = format!("Reviewed: {accepted} accepted, {rejected} rejected; {left}.");
        self.transcript.rows(vec![
            Line::plain(text),
            Line::styled("Undo the last decision with /review undo.", theme::DIM),
        ]);
    }
}

/// What became of the changes: one row for all that went well, one for each that did not.
fn outcome(verdict: &Verdict, results: &[HunkResult], known: &[Hunk], cwd: &str) -> Vec<Line> {
    let name = |id: &str| {
        let hunk = known.iter().find(|hunk| hunk.id == id);
        strict(&hunk.map_or_else(|| id.to_owned(), |hunk| place(hunk, cwd))).into_owned()
    };
    // Lines become a change of their own, with an id of its own.
    let lines_of = verdict.hunks.first().filter(|_| verdict.lines.is_some());
    let done: Vec<&HunkResult> = results.iter().filter(|result| result.reason.is_none()).collect();
    let mut rows = Vec::new();
    if let Some(first) = done.first() {
        let what = match (lines_of, done.len()) {
            (Some(hunk), _) => format!("lines of {}", name(hunk)),
            (None, 1) => name(&first.hunk_id),
            (None, count) => counted(count, "change"),
        };
        let (word, style) = match verdict.action {
            ReviewAction::Accept => ("accepted", theme::GOOD),
            _ => ("rejected", theme::BAD),
        };
        rows.push(Line::styled(word, style).with(format!(": {what}"), theme::PLAIN));
        if verdict.comment.is_some() {
            let told = "The agent reads your comment with your next prompt.";
            rows.push(Line::styled(told, theme::DIM));
        }
    }
    for result in results {
        let Some(reason) = &result.reason else { continue };
        let name = name(lines_of.unwrap_or(&result.hunk_id));
        let text = format!("{name} is {}: {}", result.state, strict(reason));
        rows.extend(wrap(&[Span::new(text, theme::WARN)], OUTCOME_WIDTH, &Margin::default()));
    }
    rows
}
