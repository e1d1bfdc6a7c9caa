//! Which memory files a session goes by, for people: whose each is, and what one of them says.

use std::path::{Path, PathBuf};

use protocol::memory::{MemoryFile, MemoryListParams, MemoryListResult, MemoryScope};

use super::Session;
use super::auto_memory::AutoMemory;
use crate::core::{Reply, RpcError};

/// More notes are not listed.
const MOST_NOTES: usize = 500;
/// A longer file is not shown whole.
const SHOWN: u64 = 256 * 1024;

/// One file, with its text as the model has it. Of a note it is read when it is wanted.
struct Listed {
    file: MemoryFile,
    text: Option<String>,
}

impl Session {
    pub(super) fn on_memory_list(&mut self, params: MemoryListParams, reply: Reply) {
        let mut listed: Vec<Listed> =
            self.briefing.memory_files().map(|file| Listed::of(&file)).collect();
        let (notes, redactor) = (self.briefing.auto_memory.clone(), self.state.redactor());
        tokio::task::spawn_blocking(move || {
            listed.extend(notes.iter().flat_map(notes_of));
            let files = listed.into_iter().map(|listed| {
                let wanted = params.path.as_deref() == Some(listed.file.path.as_str());
                let text =
                    if wanted { listed.text.or_else(|| read(&listed.file.path)) } else { None };
                let text = text.map(|text| redactor.redact(&text).into_owned());
                MemoryFile { text, ..listed.file }
            });
            let files: Vec<MemoryFile> = files.collect();
            match (&params.path, files.iter().any(|file| file.text.is_some())) {
                (Some(path), false) => {
                    reply.err(RpcError::failed(format!("{path} is none of the memory files.")));
                }
                _ => reply.ok(&MemoryListResult { files }),
            }
        });
    }
}

impl Listed {
    fn of(file: &extend::MemoryFile) -> Listed {
        let scope = match file.scope {
            extend::MemoryScope::Managed => MemoryScope::Managed,
            extend::MemoryScope::User => MemoryScope::User,
            extend::MemoryScope::Project => MemoryScope::Project,
            extend::MemoryScope::Local => MemoryScope::Local,
        };
        let imported_by = file.imported_by.as_ref().map(|path| path.display().to_string());
        let path = file.path.display().to_string();
        Listed {
            file: MemoryFile { path, scope, imported_by, text: None },
            text: Some(file.text.clone()),
        }
    }
}

/// The agent's own notes: what is in their folder now.
fn notes_of(memory: &AutoMemory) -> Vec<Listed> {
    let found = workspace::list(&memory.folder, MOST_NOTES).map(|listing| listing.entries);
    let names = found.unwrap_or_default().into_iter().map(|entry| memory.folder.join(entry.name));
    let is_note = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "md");
    let mut paths: Vec<PathBuf> = names.filter(is_note).collect();
    // The index first.
    paths.sort_by_key(|path| (*path != memory.index(), path.clone()));
    let foreign = memory.notes.foreign.iter().map(|(path, _)| PathBuf::from(path));
    let listed = |path: PathBuf| {
        let path = path.display().to_string();
        let scope = MemoryScope::Auto;
        Listed { file: MemoryFile { path, scope, imported_by: None, text: None }, text: None }
    };
    paths.into_iter().chain(foreign).map(listed).collect()
}

fn read(path: &str) -> Option<String> {
    let (bytes, _) = workspace::read_bytes(Path::new(path), SHOWN).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}
