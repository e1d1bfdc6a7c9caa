//! Having the ledgers at hand that a question is about: read from the store where they are not
//! known yet, and brought to what their files say where these are not open.

use std::collections::HashMap;

use text::Text;
use workspace::{DocumentUri, Snapshot, View};

use super::state::State;
use crate::store::StoredLedger;

/// Which files are meant.
#[derive(Clone, Debug)]
pub enum Wanted {
    /// One file, under any name that leads to it.
    File(DocumentUri),
    /// These, by their real names.
    Files(Vec<DocumentUri>),
    /// Those that a session changed.
    OfSession(String),
    /// Those that the session of a turn changed.
    OfTurn(String),
    /// Those of hunks, by the files' part of their names.
    OfHunks(Vec<String>),
    /// Those that are known.
    Known,
}

struct Found {
    key: DocumentUri,
    stored: Option<StoredLedger>,
    /// What the disk says, for a file that is not open.
    disk: Option<Text>,
    /// How far the ledger was when the disk was looked at.
    revision: Option<u64>,
}

/// Goes on in the loop with the files that were meant.
pub fn with_ledgers(
    state: &State,
    wanted: Wanted,
    then: impl FnOnce(&mut State, Vec<DocumentUri>) + Send + 'static,
) {
    let core = state.core.clone();
    let store = state.ledgers.store().clone();
    let known: Vec<_> = state.ledgers.files().map(|(key, _)| key.clone()).collect();
    let wanted = match wanted {
        Wanted::File(uri) => Wanted::File(state.ledgers.key(&uri)),
        other => other,
    };
    let open: Vec<_> =
        known.iter().filter(|key| state.ledgers.open_as(key).is_some()).cloned().collect();
    let revisions: HashMap<_, _> =
        known.iter().map(|key| (key.clone(), state.ledgers.revision(key))).collect();
    // Who names files knows better what happened to them than a comparison could tell.
    let compares = !matches!(wanted, Wanted::Files(_));
    tokio::spawn(async move {
        let work = move || {
            let keys = match &wanted {
                Wanted::File(uri) => vec![real(uri)],
                Wanted::Files(keys) => keys.clone(),
                Wanted::OfSession(id) => with(store.files_of(|session| session == id), &known),
                Wanted::OfTurn(turn) => {
                    // `turn_<end of the session's id>_<number>`
                    let of = turn.split('_').nth(1).unwrap_or_default();
                    let is_it = |session: &str| !of.is_empty() && session.ends_with(of);
                    with(store.files_of(is_it), &known)
                }
                Wanted::OfHunks(files) => {
                    let mut keys = with(store.files_of(|_| true), &known);
                    keys.retain(|key| files.iter().any(|file| super::ledgers::is_of(file, key)));
                    keys
                }
                Wanted::Known => known.clone(),
            };
            let mut keys = keys;
            keys.sort_by(|a, b| a.as_str().cmp(b.as_str()));
            keys.dedup();
            let found = keys.into_iter().map(|key| {
                let stored = if known.contains(&key) { None } else { store.load(&key) };
                let disk = if open.contains(&key) || !compares { None } else { read(&key) };
                let revision = revisions.get(&key).copied().flatten();
                Found { key, stored, disk, revision }
            });
            found.collect::<Vec<_>>()
        };
        let Ok(found) = tokio::task::spawn_blocking(work).await else { return };
        core.go_on(move |state| {
            let mut keys = Vec::new();
            for Found { key, stored, disk, revision } in found {
                let fresh = stored.is_some() && !state.ledgers.is_loaded(&key);
                state.ledgers.loaded(&key, stored);
                // What was read while somebody wrote is an old text by now.
                let still = fresh || state.ledgers.revision(&key) == revision;
                let closed = state.ledgers.open_as(&key).is_none();
                if let Some(disk) = disk.filter(|_| still && closed && !state.writes.has(&key)) {
                    state.ledgers.align_with_disk(&key, &disk);
                }
                keys.push(key);
            }
            then(state, keys);
        })
        .await;
    });
}

/// What the store knows, and what is known here: the store may not have been told yet.
fn with(mut stored: Vec<DocumentUri>, known: &[DocumentUri]) -> Vec<DocumentUri> {
    stored.extend(known.iter().cloned());
    stored
}

/// The name behind all links, where that can be found out.
pub fn real(uri: &DocumentUri) -> DocumentUri {
    let real = uri.to_path().and_then(|path| workspace::real_path(&path).ok());
    real.and_then(|path| DocumentUri::from_path(&path)).unwrap_or_else(|| uri.clone())
}

fn read(key: &DocumentUri) -> Option<Text> {
    let file = View::new(Snapshot::default()).read(&key.to_path()?).ok()?;
    Some(file.text)
}
