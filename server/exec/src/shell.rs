//! The shell that scripts run in, and how a script tells us the folder it ended in.
//!
//! The folder comes through a private file and never through the output, which belongs to the
//! script.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use rustix::fs::{Access, access};
use rustix::fs::{CWD, Mode, OFlags, openat};
use tempfile::TempPath;

use crate::sandbox::Walls;
use crate::spec::{Program, Spec};

/// A shell found on a search path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shell {
    path: PathBuf,
}

/// There is neither `bash` nor `sh`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no shell was found: install bash, or put the folder that holds it on PATH")]
pub struct NoShell;

impl Shell {
    /// Looks for `bash`, then `sh`, in the folders of `search_path`. Relative folders are passed
    /// over, since what they hold depends on where we happen to stand.
    pub fn find(search_path: &OsStr) -> Result<Shell, NoShell> {
        let folders: Vec<PathBuf> =
            std::env::split_paths(search_path).filter(|folder| folder.is_absolute()).collect();
        ["bash", "sh"]
            .iter()
            .flat_map(|name| folders.iter().map(move |folder| folder.join(name)))
            .find(|path| path.is_file() && access(path, Access::EXEC_OK).is_ok())
            .map(|path| Shell { path })
            .ok_or(NoShell)
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// A spec that runs `script` in `cwd` with this shell and reports where it ends.
    pub fn command(&self, script: impl Into<String>, cwd: &Path, walls: Walls) -> Spec {
        Spec::new(Program::Script { shell: self.path.clone(), text: script.into() }, cwd, walls)
    }
}

/// Linux knows no longer path, and its line end.
const LONGEST_FOLDER: u64 = 4097;

/// The file a script writes its last folder to. It is closed meanwhile: a command may run for days.
pub(crate) struct FolderReport(TempPath);

impl FolderReport {
    /// Created in the script's own temporary folder, readable by us alone.
    pub(crate) fn new(temporary: &Path) -> io::Result<FolderReport> {
        let file = tempfile::Builder::new().prefix("bowline-cwd-").tempfile_in(temporary)?;
        Ok(FolderReport(file.into_temp_path()))
    }

    /// The script with the report added. It is made when the shell exits, so that `exit` in the
    /// middle is covered and the status stays what it was. It shares the first line, so that line
    /// numbers in error messages are those of the script.
    pub(crate) fn added_to(&self, script: &str) -> Vec<u8> {
        let file = single_quoted(self.0.as_os_str().as_bytes());
        let mut text = b"trap ".to_vec();
        let action = [b"command pwd -P >|".as_slice(), &file, b" 2>/dev/null"].concat();
        text.extend(single_quoted(&action));
        text.extend(b" EXIT; ");
        text.extend(script.as_bytes());
        text
    }

    /// `None` if the shell never came to report, or stood in a folder that is gone.
    pub(crate) fn read(self) -> Option<PathBuf> {
        // The script may have put anything there.
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let file = File::from(openat(CWD, &*self.0, flags, Mode::empty()).ok()?);
        if !file.metadata().ok()?.is_file() {
            return None;
        }
        let mut bytes = Vec::new();
        file.take(LONGEST_FOLDER).read_to_end(&mut bytes).ok()?;
        let folder = bytes.strip_suffix(b"\n")?;
        let folder = PathBuf::from(std::ffi::OsString::from_vec(folder.to_vec()));
        folder.is_absolute().then_some(folder)
    }
}

fn single_quoted(text: &[u8]) -> Vec<u8> {
    let mut quoted = vec![b'\''];
    for byte in text {
        match byte {
            b'\'' => quoted.extend(b"'\\''"),
            byte => quoted.push(*byte),
        }
    }
    quoted.push(b'\'');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_shell_is_a_clear_error() {
        let empty = tempfile::tempdir().unwrap();
        let error = Shell::find(empty.path().as_os_str()).unwrap_err();
        assert!(error.to_string().contains("install bash"));
        assert_eq!(Shell::find(OsStr::new("")), Err(NoShell));
        assert_eq!(Shell::find(OsStr::new(".:relative")), Err(NoShell));
    }

    #[test]
    fn bash_is_preferred_wherever_it_is() {
        let shell = Shell::find(OsStr::new("/nowhere:/usr/bin:/bin")).unwrap();
        assert_eq!(shell.path().file_name(), Some(OsStr::new("bash")));
    }

    #[test]
    fn quoting_survives_quotes() {
        assert_eq!(single_quoted(b"a'b"), b"'a'\\''b'");
    }
}
