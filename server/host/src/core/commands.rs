//! Commands see the disk only: what they should see is saved first, and what they changed in known
//! files is the agent's doing.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use extend::SaveBeforeCommands;
use protocol::Request as _;
use protocol::ask::{Ask, AskAction, AskParams, AskResult, Choice, Question};
use protocol::editor::{EditorSave, EditorSaveParams, EditorSaveResult};
use text::Author;
use tokio::sync::oneshot;
use tools::{Rewritten, Unsaved};
use workspace::DocumentUri;

use super::commits;
use super::door::{Door, DoorId};
use super::load::{Wanted, with_ledgers};
use super::state::State;

/// A save may run formatters, and some of them are slow.
const SAVED_WITHIN: Duration = Duration::from_secs(15);
const ANSWERED_WITHIN: Duration = Duration::from_secs(120);

/// A command is about to run.
pub struct BeforeCommand {
    pub session: String,
    /// Files outside of these are not the session's business.
    pub roots: Vec<PathBuf>,
    pub saves: SaveBeforeCommands,
    pub reply: oneshot::Sender<Unsaved>,
}

/// A command changed files that were known.
pub struct AfterCommand {
    pub author: Author,
    pub rewritten: Vec<Rewritten>,
    /// Told when the ledger has it.
    pub done: oneshot::Sender<()>,
}

struct Unwritten {
    uri: DocumentUri,
    path: PathBuf,
}

pub fn before(state: &State, command: BeforeCommand) {
    let BeforeCommand { session, roots, saves, reply } = command;
    let snapshot = state.buffers.snapshot();
    let mut unsaved = Unsaved::default();
    let mut to_save: BTreeMap<DoorId, (Arc<Door>, Vec<Unwritten>)> = BTreeMap::new();
    for document in snapshot.iter().filter(|document| document.dirty) {
        let Some(path) = document.path.clone() else { continue };
        // The roots are real paths, and a document may be open under another name.
        let real = state.ledgers.key(&document.uri).to_path().unwrap_or_else(|| path.clone());
        if !roots.iter().any(|root| real.starts_with(root)) {
            continue;
        }
        let door = state.buffers.owner(&document.uri).filter(|door| can_save(door));
        let ours = state.ledgers.is_unsaved(&document.uri);
        match door {
            Some(door) if ours && saves != SaveBeforeCommands::Never => {
                let files = to_save.entry(door.id).or_insert_with(|| (door.clone(), Vec::new()));
                files.1.push(Unwritten { uri: document.uri.clone(), path });
            }
            _ => unsaved.unseen.push(path),
        }
    }
    tokio::spawn(async move {
        for (door, files) in to_save.into_values() {
            let wanted =
                saves == SaveBeforeCommands::Save || may_save(&door, &session, &files).await;
            let saved = if wanted { save(&door, &files).await } else { Vec::new() };
            for Unwritten { uri, path } in files {
                let list =
                    if saved.contains(&uri) { &mut unsaved.saved } else { &mut unsaved.unseen };
                list.push(path);
            }
        }
        unsaved.saved.sort();
        unsaved.unseen.sort();
        let _ = reply.send(unsaved);
    });
}

fn can_save(door: &Door) -> bool {
    let announced = door.profile().agent.editor.and_then(|editor| editor.save);
    announced == Some(true) && !door.is_unknown(EditorSave::METHOD)
}

async fn save(door: &Arc<Door>, files: &[Unwritten]) -> Vec<DocumentUri> {
    let uris = files.iter().map(|file| file.uri.as_str().to_owned()).collect();
    let asked = door.ask(EditorSave::METHOD, &EditorSaveParams { uris });
    match asked.answer::<EditorSaveResult>(SAVED_WITHIN).await {
        Ok(result) => result.saved.iter().map(|uri| DocumentUri::new(uri)).collect(),
        Err(error) => {
            tracing::warn!(%error, "the editor did not save");
            Vec::new()
        }
    }
}

/// Asks the user, where the settings say so. Who cannot be asked has not said yes.
async fn may_save(door: &Arc<Door>, session: &str, files: &[Unwritten]) -> bool {
    if door.profile().agent.ask != Some(true) {
        return false;
    }
    let names = files.iter().map(|file| file.path.display().to_string()).collect::<Vec<_>>();
    let choice = |label: &str| Choice { label: label.to_owned(), description: None };
    const SAVE: &str = "Save";
    let question = Question {
        id: "save".to_owned(),
        header: Some("Save?".to_owned()),
        text: format!("A command is about to run. Save {} first?", names.join(", ")),
        options: vec![choice(SAVE), choice("Run without saving")],
        multi_select: None,
        free_text: None,
    };
    let params = AskParams {
        request_id: format!("save_{}", uuid::Uuid::new_v4().simple()),
        session_id: session.to_owned(),
        message: None,
        questions: Some(vec![question]),
        form: None,
        url: None,
    };
    let answer = door.ask(Ask::METHOD, &params).answer::<AskResult>(ANSWERED_WITHIN).await;
    answer.is_ok_and(|answer| {
        let said = answer.content.and_then(|content| content.get("save").cloned());
        answer.action == AskAction::Accept && said.is_some_and(|said| said == SAVE)
    })
}

/// What a command did to known files is in the ledger like any other change of the agent.
pub fn after(state: &State, command: AfterCommand) {
    let AfterCommand { author, rewritten, done } = command;
    let keyed = rewritten.into_iter().filter_map(|file| {
        let key = DocumentUri::from_path(&file.path)?;
        Some((key, file))
    });
    let keyed: Vec<_> = keyed.collect();
    let wanted = Wanted::Files(keyed.iter().map(|(key, _)| key.clone()).collect());
    with_ledgers(state, wanted, move |state, _| {
        for (key, Rewritten { before, after, .. }) in keyed {
            let after = after.unwrap_or_default();
            let open = state.ledgers.open_as(&key).cloned();
            let snapshot = state.buffers.snapshot();
            match open.as_ref().and_then(|uri| snapshot.by_uri(uri)) {
                // The editor itself wrote that while the command ran, or has other text anyway.
                Some(document) if document.text == after || document.text != before => {}
                _ => state.ledgers.rewritten(&key, &before, &after, &author),
            }
        }
        commits::look(state);
        state.ledgers.store().flush(move || {
            let _ = done.send(());
        });
    });
}
