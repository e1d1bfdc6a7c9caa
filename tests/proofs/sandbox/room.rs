//! A project, and a sandbox of each kind that this machine has.

#![expect(clippy::disallowed_methods, reason = "the tests judge the disk from outside")]

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use exec::{
    Confinement, Disk, Finished, Kind, Limits, Nearby, Network, Sandbox, Shell, SpawnError, Spec,
    Walls,
};
use kit::files;
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

pub const PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// A workspace with a temporary folder of its own and a place outside, none of them in `/tmp`,
/// which is another one inside.
pub struct Room {
    pub root: PathBuf,
    pub outside: PathBuf,
    pub confinement: Confinement,
    _base: TempDir,
}

/// One room for each kind of sandbox that is there.
pub fn rooms(paths: &[(&str, &str)]) -> Vec<Room> {
    [Kind::Bubblewrap, Kind::Landlock].into_iter().filter_map(|kind| room(kind, paths)).collect()
}

/// Bubblewrap, where everything works.
pub fn best_rooms(paths: &[(&str, &str)]) -> Vec<Room> {
    room(Kind::Bubblewrap, paths).into_iter().collect()
}

fn room(kind: Kind, paths: &[(&str, &str)]) -> Option<Room> {
    let sandbox = sandbox(kind)?;
    let base = tempfile::Builder::new().prefix("bowline-").tempdir_in("/var/tmp").unwrap();
    let top = base.path().canonicalize().unwrap();
    let (root, outside, temp) = (top.join("project"), top.join("outside"), top.join("temp"));
    for folder in [&root, &outside, &temp] {
        files::make_folder(folder);
    }
    files::set_mode(&temp, 0o700);
    files::make_folder(&root.join("src"));
    for (path, text) in paths {
        files::write(&root.join(path), text);
    }
    let confinement = Confinement {
        sandbox: Arc::new(sandbox),
        roots: vec![root.clone()],
        temp,
        aside: top.join("aside"),
        cache: None,
        allow_write: Vec::new(),
        deny_write: Vec::new(),
        deny_read: Vec::new(),
        shown: Vec::new(),
        network: Network::Off,
        nearby: Nearby::default(),
        disk: Disk::Roots,
        limits: Limits::default(),
    };
    Some(Room { root, outside, confinement, _base: base })
}

/// The sandbox of this kind, with the real program as its helper.
#[expect(clippy::print_stderr, reason = "what is not proven is said")]
fn sandbox(kind: Kind) -> Option<Sandbox> {
    let search_path = if kind == Kind::Landlock { "/nowhere" } else { Sandbox::SEARCH_PATH };
    let found = Sandbox::detect(search_path.as_ref(), Path::new("/nowhere"));
    if found.kind() != kind {
        eprintln!("skipped: this machine has no {kind:?} ({:?})", found.why_not());
        return None;
    }
    Some(found.with_helper(&kit::program()).unwrap())
}

impl Room {
    pub fn kind(&self) -> Kind {
        self.confinement.sandbox.kind()
    }

    pub fn spec(&self, script: &str) -> Spec {
        let shell = Shell::find(PATH.as_ref()).unwrap();
        let walls = Walls::Within(Arc::new(self.confinement.clone()));
        let mut spec = shell.command(script, &self.root, walls);
        spec.env = self.env();
        spec.timeout = Duration::from_secs(100);
        spec
    }

    pub fn env(&self) -> Vec<(OsString, OsString)> {
        let pairs = [("PATH", PATH), ("HOME", "/nonexistent"), ("LC_ALL", "C")];
        let outside = self.outside.clone().into_os_string();
        let pairs = pairs.into_iter().map(|(name, value)| (name.into(), value.into()));
        pairs.chain([("OUTSIDE".into(), outside)]).collect()
    }

    pub async fn run(&self, script: &str) -> Finished {
        self.try_run(script).await.unwrap_or_else(|error| panic!("{:?}: {error}", self.kind()))
    }

    pub async fn try_run(&self, script: &str) -> Result<Finished, SpawnError> {
        exec::run(self.spec(script), CancellationToken::new(), |_| ()).await
    }

    /// Everything in the project, with what is in it.
    pub fn snapshot(&self) -> Vec<(PathBuf, String)> {
        let mut found = Vec::new();
        collect(&self.root, &mut found);
        found
    }

    pub fn read(&self, path: &str) -> String {
        files::read(&self.root.join(path))
    }

    /// Nothing came into being outside.
    pub fn nothing_outside(&self) -> bool {
        fs::read_dir(&self.outside).unwrap().next().is_none()
    }

    /// A command outside the sandbox, which must work.
    pub async fn prepare(&self, script: &str) {
        let mut spec = self.spec(script);
        spec.walls = Walls::Open;
        let done = exec::run(spec, CancellationToken::new(), |_| ()).await.unwrap();
        assert_eq!(done.status, exec::Exit::Code(0), "{script}: {}", done.output);
    }
}

/// What is taken away while we look is as good as gone.
fn collect(folder: &Path, found: &mut Vec<(PathBuf, String)>) {
    let Some(entries) = still_there(fs::read_dir(folder)) else { return };
    let mut entries: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        let Some(metadata) = still_there(path.symlink_metadata()) else { continue };
        if metadata.is_dir() {
            found.push((path.clone(), "folder".to_owned()));
            collect(&path, found);
        } else if metadata.is_file() {
            let Some(bytes) = still_there(fs::read(&path)) else { continue };
            found.push((path, String::from_utf8_lossy(&bytes).into()));
        } else {
            found.push((path, "other".to_owned()));
        }
    }
}

fn still_there<T>(looked: std::io::Result<T>) -> Option<T> {
    match looked {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
        looked => Some(looked.unwrap()),
    }
}
