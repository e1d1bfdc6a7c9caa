//! Finding out what this machine offers.

#![expect(clippy::disallowed_methods, reason = "bubblewrap is tried before it is relied on")]

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::bubblewrap::{self, Namespaces};
use super::layout::Layout;
use super::{Kind, Sandbox, helper};
use crate::shell::Shell;

/// How long an attempt may take.
const WITHIN: Duration = Duration::from_secs(5);
const SET_USER_OR_GROUP: u32 = 0o6000;

/// What is true of walls that are rules of the kernel alone.
const LIMITS: &str = "Without bubblewrap the sandbox cannot let a command create files directly \
    in the workspace folder, or commit; install bubblewrap for that.";
const NO_NETWORK: &str = " No network of their own can be made for commands here, so they reach no \
    host at all, also none that you allow.";
const NO_BOUND: &str = " As root, the number of processes that a command starts is not bounded.";

impl Sandbox {
    /// Where programs of the system are. Folders of users come and go and are not looked at.
    pub const SEARCH_PATH: &str =
        "/usr/bin:/bin:/usr/local/bin:/usr/sbin:/run/current-system/sw/bin";

    /// Looks for what can contain a process: bubblewrap in `search_path`, though never one that
    /// lies in the workspace, else the kernel's own rules. Starts a process or two and waits for
    /// them, so the result should be kept.
    pub fn detect(search_path: &OsStr, workspace: &Path) -> Sandbox {
        let helper = match File::open("/proc/self/exe") {
            Ok(helper) => helper.into(),
            Err(error) => {
                return Sandbox::none(format!(
                    "There is no sandbox: our own program cannot be opened again ({error})."
                ));
            }
        };
        let (kind, program, user_namespace, why_not) = match find(search_path, workspace) {
            Ok((program, user_namespace)) => {
                (Kind::Bubblewrap, Some(program), user_namespace, None)
            }
            Err(_) if helper::is_wall_enough() => (Kind::Landlock, None, false, None),
            Err(why) => {
                let why = format!(
                    "There is no sandbox: {why}, and the kernel has no Landlock (6.2 or newer). Install bubblewrap."
                );
                (Kind::None, None, false, Some(why))
            }
        };
        let own_network = match kind {
            Kind::Landlock => Shell::find(OsStr::new(Sandbox::SEARCH_PATH))
                .is_ok_and(|shell| helper::can_leave_network(shell.path())),
            _ => kind == Kind::Bubblewrap,
        };
        Sandbox { kind, program, user_namespace, own_network, helper: Some(helper), why_not }
    }

    /// The same with another program as its helper.
    pub fn with_helper(mut self, program: &Path) -> std::io::Result<Sandbox> {
        self.helper = Some(File::open(program)?.into());
        Ok(self)
    }

    /// What this kind of sandbox cannot do, as a sentence for people.
    pub fn limits(&self) -> Option<String> {
        let landlock = self.kind == Kind::Landlock;
        let is_root = rustix::process::geteuid().is_root();
        landlock.then(|| {
            let no_network = if self.own_network { "" } else { NO_NETWORK };
            format!("{LIMITS}{no_network}{}", if is_root { NO_BOUND } else { "" })
        })
    }
}

/// A bubblewrap that works, and whether it may make namespaces of users. The error is the part of
/// a sentence.
fn find(search_path: &OsStr, workspace: &Path) -> Result<(PathBuf, bool), String> {
    let mut why = "bubblewrap is not installed".to_owned();
    let Ok(shell) = Shell::find(search_path) else { return Err("there is no shell".to_owned()) };
    for folder in std::env::split_paths(search_path).filter(|folder| folder.is_absolute()) {
        let Some(program) = usable(&folder.join("bwrap"), workspace).transpose() else { continue };
        match program.and_then(|program| attempt(program, shell.path())) {
            Ok(found) => return Ok(found),
            Err(refused) => why = refused,
        }
    }
    Err(why)
}

/// The program at `path`, if there is one, unless it must not be used.
fn usable(path: &Path, workspace: &Path) -> Result<Option<PathBuf>, String> {
    let Ok(program) = path.canonicalize() else { return Ok(None) };
    let Ok(metadata) = fs::metadata(&program) else { return Ok(None) };
    let mode = metadata.permissions().mode();
    if !metadata.is_file() || mode & 0o111 == 0 {
        return Ok(None);
    }
    let workspace = workspace.canonicalize().unwrap_or_else(|_| workspace.to_owned());
    if program.starts_with(&workspace) {
        return Err(format!("{} lies in the workspace and is not used", program.display()));
    }
    if mode & SET_USER_OR_GROUP != 0 {
        // Its mistakes would be mistakes of root.
        return Err(format!("{} is setuid and is not used", program.display()));
    }
    Ok(Some(program))
}

fn attempt(program: PathBuf, shell: &Path) -> Result<(PathBuf, bool), String> {
    let refused = match try_with(&program, shell, true) {
        Ok(()) => return Ok((program, true)),
        Err(refused) => refused,
    };
    // Root may do without.
    if rustix::process::geteuid().is_root() && try_with(&program, shell, false).is_ok() {
        return Ok((program, false));
    }
    Err(format!("bubblewrap does not work here ({refused})"))
}

fn try_with(program: &Path, shell: &Path, user: bool) -> Result<(), String> {
    let namespaces = Namespaces { user, network: true, sociable: false };
    let arguments = bubblewrap::arguments(&Layout::default(), namespaces)?;
    let mut command = Command::new(program);
    command.args(arguments).arg("--").arg(shell).args(["-c", ":"]);
    command.env_clear().current_dir("/").stdin(Stdio::null()).stdout(Stdio::null());
    let mut child = command.stderr(Stdio::piped()).spawn().map_err(|error| error.to_string())?;
    let until = Instant::now() + WITHIN;
    loop {
        match child.try_wait() {
            Ok(Some(status)) if status.success() => return Ok(()),
            Ok(Some(_)) => break,
            Ok(None) if Instant::now() < until => std::thread::sleep(Duration::from_millis(1)),
            _ => {
                drop(child.kill());
                drop(child.wait());
                return Err("it did not answer".to_owned());
            }
        }
    }
    let mut said = String::new();
    if let Some(errors) = child.stderr.take() {
        drop(errors.take(4096).read_to_string(&mut said));
    }
    Err(said.lines().last().unwrap_or("it failed").trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// S-19 and E-22.
    #[test]
    fn a_bubblewrap_with_privileges_or_of_the_workspace_is_not_used() {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("bwrap");
        let elsewhere = Path::new("/nowhere");
        let with_mode = |mode: u32| {
            fs::write(&program, "#!/bin/sh\n").unwrap();
            fs::set_permissions(&program, fs::Permissions::from_mode(mode)).unwrap();
        };
        assert_eq!(usable(&program, elsewhere), Ok(None), "there is none");
        with_mode(0o644);
        assert_eq!(usable(&program, elsewhere), Ok(None), "it is no program");
        with_mode(0o755);
        assert_eq!(usable(&program, elsewhere), Ok(Some(program.canonicalize().unwrap())));
        let refused = usable(&program, folder.path()).unwrap_err();
        assert!(refused.contains("lies in the workspace"), "{refused}");
        for mode in [0o4755, 0o2755] {
            with_mode(mode);
            let refused = usable(&program, elsewhere).unwrap_err();
            assert!(refused.contains("is setuid"), "{refused}");
            let found = Sandbox::detect(folder.path().as_os_str(), elsewhere);
            assert_ne!(found.kind(), Kind::Bubblewrap, "nor tried");
        }
    }
}
