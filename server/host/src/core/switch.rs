//! Taking hunks out of their files, or putting them back, wherever the files are: through the
//! editor when they are open there, on the disk otherwise.

use std::path::PathBuf;
use std::time::Duration;

use futures::future::join_all;
use text::{HunkNo, HunkState, Text};
use tokio::sync::oneshot;
use tools::{EditError, Edited};
use workspace::{DocumentUri, ReadError, Snapshot, View};

use super::event::{ClosedEdit, CoreHandle, Event, OpenEdit, Purpose};
use super::state::State;
use super::writes::Job;

/// Hunks of one file that change sides together.
#[derive(Clone, Debug)]
pub struct Switch {
    pub key: DocumentUri,
    pub hunks: Vec<HunkNo>,
    pub active: bool,
    /// What becomes of their review.
    pub state: HunkState,
}

/// What became of one switch.
pub struct Switched {
    pub switch: Switch,
    /// As they were, to take the switch back.
    pub was: Vec<(HunkNo, HunkState)>,
    pub outcome: Result<(), String>,
}

/// A document may be closed and opened, or its file written, while its switch is under way; then
/// it is tried again, after a moment.
const TRIES: u32 = 5;
const MOMENT: Duration = Duration::from_millis(50);

/// Starts all of them, and goes on in the loop when the last one is over.
pub fn start(
    state: &mut State,
    switches: Vec<Switch>,
    label: &str,
    group: &str,
    then: impl FnOnce(&mut State, Vec<Switched>) + Send + 'static,
) {
    let core = state.core.clone();
    let under_way = switches.into_iter().map(|switch| {
        let (label, group) = (label.to_owned(), group.to_owned());
        let first = send(state, &switch, label.clone(), group.clone());
        finish(core.clone(), switch, first, label, group)
    });
    let under_way: Vec<_> = under_way.collect();
    tokio::spawn(async move {
        let outcomes = join_all(under_way).await;
        core.go_on(move |state| {
            let switched = outcomes.into_iter().map(|(switch, outcome)| {
                let was = before(state, &switch);
                if outcome.is_ok() {
                    let switched = still_switched(state, &switch);
                    state.ledgers.mark(&switch.key, &switched, switch.state);
                }
                Switched { switch, was, outcome }
            });
            let switched: Vec<_> = switched.collect();
            then(state, switched);
        })
        .await;
    });
}

/// Without those that the user's own undo has put back by now: they are open to a decision again.
fn still_switched(state: &State, switch: &Switch) -> Vec<HunkNo> {
    let Some(ledger) = state.ledgers.ledger(&switch.key) else { return Vec::new() };
    let is_switched = |no: &HunkNo| {
        let active = ledger.hunk(*no).is_some_and(|hunk| hunk.active);
        active == switch.active || !ledger.is_effective(*no)
    };
    switch.hunks.iter().copied().filter(is_switched).collect()
}

fn before(state: &State, switch: &Switch) -> Vec<(HunkNo, HunkState)> {
    let Some(ledger) = state.ledgers.ledger(&switch.key) else { return Vec::new() };
    let hunks = ledger.hunks().filter(|hunk| switch.hunks.contains(&hunk.no));
    hunks.map(|hunk| (hunk.no, hunk.state)).collect()
}

type Answer = oneshot::Receiver<Option<Result<Edited, EditError>>>;

async fn finish(
    core: CoreHandle,
    switch: Switch,
    mut answer: Answer,
    label: String,
    group: String,
) -> (Switch, Result<(), String>) {
    for _ in 0..TRIES {
        match answer.await {
            Ok(Some(outcome)) => {
                return (switch, outcome.map(|_| ()).map_err(|error| error.to_string()));
            }
            Ok(None) => {
                tokio::time::sleep(MOMENT).await;
                let (again, (label, group)) = (switch.clone(), (label.clone(), group.clone()));
                let (asked, sent) = oneshot::channel();
                let go_on = move |state: &mut State| {
                    let _ = asked.send(send(state, &again, label, group));
                };
                core.go_on(go_on).await;
                match sent.await {
                    Ok(next) => answer = next,
                    Err(_) => break,
                }
            }
            Err(_) => break,
        }
    }
    (switch, Err("The file could not be changed; try again.".to_owned()))
}

fn send(state: &mut State, switch: &Switch, label: String, undo_group: String) -> Answer {
    let (reply, answer) = oneshot::channel();
    let Switch { key, hunks, active, .. } = switch;
    let purpose = Purpose::Switch { hunks: hunks.clone(), active: *active };
    if let Some(uri) = state.ledgers.open_as(key).cloned() {
        let edit = OpenEdit { uri, computed: None, label, undo_group, purpose, reply };
        state.on_edit(edit);
    } else if let Some(path) = key.to_path() {
        look_then_write(state, key.clone(), path, purpose, reply);
    }
    answer
}

/// The file may have changed since the ledger knew it: the ledger is brought to what it says, and
/// only then is it known what the switch changes.
fn look_then_write(
    state: &State,
    key: DocumentUri,
    path: PathBuf,
    purpose: Purpose,
    reply: super::event::EditReply,
) {
    let (core, revision) = (state.core.clone(), state.ledgers.revision(&key));
    tokio::spawn(async move {
        let looked = path.clone();
        let read = move || View::new(Snapshot::default()).read(&looked);
        let Ok(found) = tokio::task::spawn_blocking(read).await else { return };
        // A link that was put in its place leads to a file that nobody asked about.
        if let Err(ReadError::Moved { .. }) = found {
            let reason = "another file is there now".to_owned();
            let error = EditError::Refused { path: path.display().to_string(), reason };
            let _ = reply.send(Some(Err(error)));
            return;
        }
        core.go_on(move |state| {
            // What was read while somebody wrote, or opened it, is an old text by now.
            let moved_on = state.ledgers.revision(&key) != revision || state.writes.has(&key);
            if moved_on || state.ledgers.open_as(&key).is_some() {
                let _ = reply.send(None);
                return;
            }
            let base = found.ok();
            if let Some(file) = &base {
                state.ledgers.align(&key, &file.text);
            }
            let Purpose::Switch { hunks, active } = &purpose else { return };
            let Some(ledger) = state.ledgers.ledger(&key) else { return };
            let creates = ledger.hunks().any(|hunk| hunk.creates && hunks.contains(&hunk.no));
            if base.is_none() && creates && !*active {
                // The file is gone already, or was never written: there is nothing to take away.
                state.ledgers.align(&key, &Text::default());
                state.ledgers.switch(&key, hunks, false);
                let (text, version, deviation) = (Text::default(), None, None);
                let _ = reply.send(Some(Ok(Edited { text, version, deviation, own: None })));
                return;
            }
            let edit = ledger.preview(hunks, *active);
            if base.is_none() && !ledger.text().is_empty() {
                let gone = format!("{} is gone. Nothing was changed.", path.display());
                let _ = reply.send(Some(Err(EditError::Disk(gone))));
                return;
            }
            // What the agent made and nobody else wrote in goes as it came.
            let remove = !*active && creates && edit.len_after() == 0;
            let request = ClosedEdit { path, base, edit, remove, purpose, reply };
            if let Some(job) = state.writes.start(Job { key, request, load: false }) {
                state.run_write(job);
            }
        })
        .await;
    });
}

impl CoreHandle {
    /// Goes on in the loop with what had to wait outside of it.
    pub async fn go_on(&self, work: impl FnOnce(&mut State) + Send + 'static) {
        self.send(Event::GoOn(Box::new(work))).await;
    }
}
