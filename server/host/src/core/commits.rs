//! A hunk that a commit contains is settled: the user has kept it.
//!
//! Whether there is a new commit is read from the repository's own files. Only then, and only in a
//! folder that is trusted, is `git` asked for the committed text: in a way that runs nothing of the
//! repository's, and in the sandbox where there is one.

use std::collections::HashMap;
use std::ffi::OsString;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use extend::TrustStore;
use text::{Edit, HunkNo, HunkState, Ledger, Newline};
use workspace::DocumentUri;

use super::state::State;
use crate::context::HostContext;
use crate::git::{self, Git};
use crate::repository;

const GIT_WITHIN: Duration = Duration::from_secs(5);

#[derive(Default)]
pub struct Commits {
    /// The last commit that was seen, by repository.
    heads: HashMap<PathBuf, String>,
    looking: bool,
}

/// A file in a repository.
struct Tracked {
    key: DocumentUri,
    repository: PathBuf,
    name: PathBuf,
}

/// Looks, outside the loop, whether files with undecided hunks were committed since the last look.
pub fn look(state: &mut State) {
    let undecided = state.ledgers.files().filter(|(_, ledger)| !pending(ledger).is_empty());
    let files: Vec<_> = undecided.map(|(key, _)| key.clone()).collect();
    if files.is_empty() || std::mem::replace(&mut state.commits.looking, true) {
        return;
    }
    let (core, host, known) = (state.core.clone(), state.host.clone(), state.commits.heads.clone());
    tokio::spawn(async move {
        let context = host.clone();
        let find = move || {
            let home = context.home();
            let (trust, _) = TrustStore::load(&context.locations.bowline_home, home.as_deref());
            let is_trusted = |file: &Tracked| {
                workspace::real_path(&file.repository).is_ok_and(|real| trust.is_trusted(&real))
            };
            files.into_iter().filter_map(tracked).filter(is_trusted).collect::<Vec<_>>()
        };
        let tracked = tokio::task::spawn_blocking(find).await.unwrap_or_default();
        let mut heads = HashMap::new();
        let mut committed = Vec::new();
        for Tracked { key, repository, name } in tracked {
            let (place, seen) = (repository.clone(), known.get(&repository));
            let head =
                tokio::task::spawn_blocking(move || repository::head(&place)).await.ok().flatten();
            let Some(head) = head else { continue };
            // The first look only remembers: what was committed before is no answer to a hunk.
            if seen.is_some_and(|seen| *seen != head) {
                let text = show(&host, &repository, &head, &name).await;
                committed.extend(text.map(|text| (key, text)));
            }
            heads.insert(repository, head);
        }
        core.go_on(move |state| {
            state.commits.looking = false;
            state.commits.heads.extend(heads);
            for (key, text) in committed {
                let settled = state.ledgers.ledger(&key).map(|ledger| settled(ledger, &text));
                if let Some(settled) = settled.filter(|settled| !settled.is_empty()) {
                    state.ledgers.mark(&key, &settled, HunkState::Accepted);
                }
            }
        })
        .await;
    });
}

fn pending(ledger: &Ledger) -> Vec<HunkNo> {
    let pending = ledger.hunks().filter(|hunk| hunk.active && hunk.state == HunkState::Pending);
    pending.map(|hunk| hunk.no).collect()
}

fn tracked(key: DocumentUri) -> Option<Tracked> {
    let path = key.to_path()?;
    let repository = repository::around(path.parent()?)?;
    let name = path.strip_prefix(&repository).ok()?.to_owned();
    Some(Tracked { key, repository, name })
}

/// The text of a file in a commit, as it is stored: no filter, hook, monitor or remote runs.
async fn show(
    host: &Arc<HostContext>,
    repository: &Path,
    commit: &str,
    name: &Path,
) -> Option<String> {
    if !commit.chars().all(|c| c.is_ascii_hexdigit()) {
        return None;
    }
    let (keeper, place) = (host.clone(), repository.to_owned());
    let walls = tokio::task::spawn_blocking(move || git::reading(&keeper, place));
    let (walls, _temp) = walls.await.ok()??;
    let mut object = OsString::from(format!("{commit}:"));
    object.push(name.as_os_str());
    let words = vec!["cat-file".into(), "blob".into(), object];
    let git = Git { repository: repository.to_owned(), walls, within: GIT_WITHIN, env: Vec::new() };
    git.run(host.var("HOME").map(ToOwned::to_owned), words).await.ok()
}

/// The undecided hunks whose place reads the same in the commit.
fn settled(ledger: &Ledger, committed: &str) -> Vec<HunkNo> {
    let now = ledger.text().to_string();
    let committed = match Newline::of(&now) {
        newline @ (Newline::CrLf | Newline::Cr) => newline.convert(committed),
        _ => committed.into(),
    };
    let change = text::diff(&now, &committed);
    let is_there = |no: &HunkNo| {
        ledger
            .view(*no)
            .is_some_and(|view| view.old_text != view.new_text && !touches(&change, &view.range))
    };
    pending(ledger).into_iter().filter(is_there).collect()
}

fn touches(change: &Edit, place: &Range<usize>) -> bool {
    change.splices().iter().any(|splice| {
        let Range { start, end } = splice.range;
        let meets = start < place.end && place.start < end;
        let within = start == end && place.start <= start && start <= place.end;
        meets || within
    })
}
