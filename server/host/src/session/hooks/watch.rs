//! Files that hooks want to be told of when they change (`FileChanged`): those that a matcher names,
//! and those that a hook asked for with `watchPaths`. They are looked at twice a second, by stamp, as
//! long as there is somebody to tell.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use extend::hooks::HookEvent;
use serde_json::json;
use tokio::sync::mpsc;
use tokio::task::AbortHandle;

use super::HookNews;
use crate::session::{Msg, Session};
use crate::store;

const PAUSE: Duration = Duration::from_millis(500);
/// More is a tree, and nobody's business.
const MOST: usize = 200;

/// The files of a session that are watched.
#[derive(Default)]
pub(in crate::session) struct Watched {
    /// What hooks asked for along the way.
    asked: Vec<PathBuf>,
    now: Vec<PathBuf>,
    task: Option<AbortHandle>,
}

impl Drop for Watched {
    fn drop(&mut self) {
        if let Some(task) = self.task.take() {
            task.abort();
        }
    }
}

impl Session {
    /// Watches what the hooks there are want to be watched.
    pub(super) fn watch_files(&mut self) {
        let set = self.hooks.set();
        let Some(hooks) = set.by_event.get(&HookEvent::FileChanged) else {
            self.watched.stop();
            return;
        };
        let cwd = self.state.cwd();
        let named = hooks.iter().flat_map(|hook| hook.names()).map(|name| cwd.join(name));
        let mut files: Vec<PathBuf> = named.chain(self.watched.asked.iter().cloned()).collect();
        files.sort();
        files.dedup();
        files.truncate(MOST);
        if files == self.watched.now && self.watched.task.is_some() {
            return;
        }
        self.watched.stop();
        if !files.is_empty() {
            self.watched.now.clone_from(&files);
            let task = tokio::spawn(look(files, self.own.clone()));
            self.watched.task = Some(task.abort_handle());
        }
    }

    /// A hook asks for more.
    pub(super) fn watch_more(&mut self, paths: &[String]) {
        let cwd = self.state.cwd().to_owned();
        self.watched.asked.extend(paths.iter().map(|path| cwd.join(path)));
        self.watched.asked.truncate(MOST);
        self.watch_files();
    }

    pub(super) fn on_file_changed(&self, path: &Path, what: &'static str) {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
        self.fire(
            HookEvent::FileChanged,
            name.as_deref(),
            || json!({ "file_path": path.display().to_string(), "event": what }),
        );
    }
}

impl Watched {
    fn stop(&mut self) {
        self.now.clear();
        if let Some(task) = self.task.take() {
            task.abort();
        }
    }
}

async fn look(files: Vec<PathBuf>, own: mpsc::Sender<Msg>) {
    let mut known: Option<BTreeMap<PathBuf, Option<u64>>> = None;
    loop {
        let paths = files.clone();
        let stamps = tokio::task::spawn_blocking(move || {
            let stamp = |path: PathBuf| (path.clone(), store::last_written(&path));
            paths.into_iter().map(stamp).collect::<BTreeMap<_, _>>()
        });
        let Ok(now) = stamps.await else { return };
        for (path, before) in known.iter().flatten() {
            let what = match (before, now.get(path).copied().flatten()) {
                (None, Some(_)) => "add",
                (Some(_), None) => "unlink",
                (Some(before), Some(now)) if *before != now => "change",
                _ => continue,
            };
            let news = HookNews::FileChanged { path: path.clone(), what };
            if own.send(Msg::Hook(Box::new(news))).await.is_err() {
                return;
            }
        }
        known = Some(now);
        tokio::time::sleep(PAUSE).await;
    }
}
