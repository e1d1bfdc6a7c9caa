//! Copies of plugins: plain files and folders only, nothing that leads elsewhere, and not too much.
//!
//! What is checked is always the copy, which nobody else can change any more.

#![expect(
    clippy::disallowed_methods,
    reason = "a plugin is fetched and copied outside of any workspace, at the user's own word"
)]

mod zipped;

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Component, Path, PathBuf};

use tar::EntryType;
use tempfile::TempDir;

use crate::files;

const MOST_FILES: usize = 20_000;
const MOST_BYTES: u64 = 256 * 1024 * 1024;
const DEEPEST: usize = 40;

#[derive(Debug, thiserror::Error)]
pub enum TreeError {
    #[error("{0} is a link; a plugin may hold plain files and folders only")]
    Link(PathBuf),
    #[error("{0} is neither a file nor a folder")]
    Special(PathBuf),
    #[error("{0} leads out of the plugin")]
    Outside(PathBuf),
    #[error("it holds more than 20000 files or 256 MiB, or folders too deep")]
    TooMuch,
    #[error("the archive cannot be read ({0})")]
    Archive(io::Error),
    #[error("{path} cannot be copied ({error})")]
    Copy { path: PathBuf, error: io::Error },
}

/// How much may still come.
struct Budget {
    files: usize,
    bytes: u64,
}

impl Budget {
    fn new() -> Budget {
        Budget { files: MOST_FILES, bytes: MOST_BYTES }
    }

    fn one(&mut self) -> Result<(), TreeError> {
        self.files = self.files.checked_sub(1).ok_or(TreeError::TooMuch)?;
        Ok(())
    }

    /// Where a member of an archive goes: inside, and not too deep.
    fn place(&mut self, to: &Path, path: &Path) -> Result<PathBuf, TreeError> {
        let plain = |part: Component<'_>| matches!(part, Component::Normal(_) | Component::CurDir);
        if !path.components().all(plain) || path.components().count() > DEEPEST {
            return Err(TreeError::Outside(path.to_owned()));
        }
        self.one()?;
        Ok(to.join(path))
    }

    /// Writes a member of an archive, with the folders above it.
    fn unpack(&mut self, from: impl Read, to: &Path, runs: bool) -> Result<(), TreeError> {
        if let Some(above) = to.parent() {
            make_folder(above)?;
        }
        self.fill(from, to, runs)
    }

    /// Writes a file from a source that may be longer than it says.
    fn fill(&mut self, from: impl Read, to: &Path, runs: bool) -> Result<(), TreeError> {
        let failed = |error| TreeError::Copy { path: to.to_owned(), error };
        let mode = if runs { 0o755 } else { 0o644 };
        let mut options = OpenOptions::new();
        let mut file = options.write(true).create_new(true).mode(mode).open(to).map_err(failed)?;
        let copied = io::copy(&mut from.take(self.bytes + 1), &mut file).map_err(failed)?;
        self.bytes = self.bytes.checked_sub(copied).ok_or(TreeError::TooMuch)?;
        Ok(())
    }
}

/// A folder for what is being fetched, beside the place where it will stay; gone when dropped.
pub fn staging(plugins: &Path) -> io::Result<TempDir> {
    files::create_private_dir(plugins)?;
    tempfile::Builder::new().prefix(".staging-").tempdir_in(plugins)
}

/// Copies a folder into one that is not there yet. `.git` stays behind.
pub fn copy(from: &Path, to: &Path) -> Result<(), TreeError> {
    copy_folder(from, to, &mut Budget::new(), 0)
}

fn copy_folder(from: &Path, to: &Path, budget: &mut Budget, depth: usize) -> Result<(), TreeError> {
    if depth > DEEPEST {
        return Err(TreeError::TooMuch);
    }
    let failed = |error| TreeError::Copy { path: from.to_owned(), error };
    fs::create_dir(to).map_err(|error| TreeError::Copy { path: to.to_owned(), error })?;
    for entry in fs::read_dir(from).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let (path, name) = (entry.path(), entry.file_name());
        let kind = entry.file_type().map_err(failed)?;
        budget.one()?;
        if kind.is_symlink() {
            return Err(TreeError::Link(path));
        } else if kind.is_dir() && name == ".git" {
            continue;
        } else if kind.is_dir() {
            copy_folder(&path, &to.join(name), budget, depth + 1)?;
        } else if kind.is_file() {
            copy_file(&path, &to.join(name), budget)?;
        } else {
            return Err(TreeError::Special(path));
        }
    }
    Ok(())
}

fn copy_file(from: &Path, to: &Path, budget: &mut Budget) -> Result<(), TreeError> {
    let failed = |error| TreeError::Copy { path: from.to_owned(), error };
    // A link that took the file's place meanwhile is not followed.
    let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
    let flags = i32::try_from(flags.bits()).unwrap_or_default();
    let file = OpenOptions::new().read(true).custom_flags(flags).open(from).map_err(failed)?;
    let metadata = file.metadata().map_err(failed)?;
    if !metadata.is_file() {
        return Err(TreeError::Special(from.to_owned()));
    }
    budget.fill(file, to, metadata.permissions().mode() & 0o100 != 0)
}

/// Unpacks a `.tar.gz` or a `.zip` into a folder that is not there yet, and says where in it the
/// plugin is: most archives hold one folder with everything in it.
pub fn unpack(archive: &Path, to: &Path) -> Result<PathBuf, TreeError> {
    let mut file = File::open(archive).map_err(TreeError::Archive)?;
    let mut magic = Vec::new();
    let first = zipped::MAGIC.len() as u64;
    (&mut file).take(first).read_to_end(&mut magic).map_err(TreeError::Archive)?;
    fs::create_dir(to).map_err(|error| TreeError::Copy { path: to.to_owned(), error })?;
    if magic == zipped::MAGIC {
        let bytes = fs::read(archive).map_err(TreeError::Archive)?;
        unpack_zip(&bytes, to)?;
    } else {
        unpack_tar(File::open(archive).map_err(TreeError::Archive)?, to)?;
    }
    let inside = files::list(to);
    Ok(match &inside[..] {
        [only] if files::is_dir(only) && !only.file_name().is_some_and(is_own) => only.clone(),
        _ => to.to_owned(),
    })
}

fn unpack_tar(file: File, to: &Path) -> Result<(), TreeError> {
    let mut budget = Budget::new();
    let mut tar = tar::Archive::new(flate2::read::GzDecoder::new(file));
    for entry in tar.entries().map_err(TreeError::Archive)? {
        let mut entry = entry.map_err(TreeError::Archive)?;
        let path = entry.path().map_err(TreeError::Archive)?.into_owned();
        let place = budget.place(to, &path)?;
        match entry.header().entry_type() {
            EntryType::XGlobalHeader | EntryType::XHeader => {}
            EntryType::Directory => make_folder(&place)?,
            EntryType::Regular | EntryType::Continuous => {
                let runs = entry.header().mode().is_ok_and(|mode| mode & 0o100 != 0);
                budget.unpack(&mut entry, &place, runs)?;
            }
            EntryType::Symlink | EntryType::Link => return Err(TreeError::Link(path)),
            _ => return Err(TreeError::Special(path)),
        }
    }
    Ok(())
}

fn unpack_zip(bytes: &[u8], to: &Path) -> Result<(), TreeError> {
    let mut budget = Budget::new();
    let unreadable = |error: zip::result::ZipError| TreeError::Archive(error.into());
    let mut archive = zipped::open(bytes).map_err(TreeError::Archive)?;
    for at in 0..archive.len() {
        let member = archive.by_index(at).map_err(unreadable)?;
        let path = PathBuf::from(member.name().map_err(unreadable)?.into_owned());
        let place = budget.place(to, &path)?;
        match zipped::kind(&member) {
            zipped::Kind::Folder => make_folder(&place)?,
            zipped::Kind::File { runs } => budget.unpack(member, &place, runs)?,
            zipped::Kind::Link => return Err(TreeError::Link(path)),
            zipped::Kind::Special => return Err(TreeError::Special(path)),
        }
    }
    Ok(())
}

fn make_folder(place: &Path) -> Result<(), TreeError> {
    let failed = |error| TreeError::Copy { path: place.to_owned(), error };
    fs::create_dir_all(place).map_err(failed)
}

/// A folder that a plugin has, rather than one that holds it.
fn is_own(name: &std::ffi::OsStr) -> bool {
    [".claude-plugin", ".bowline-plugin", "skills", "commands", "agents", "hooks"]
        .iter()
        .any(|own| name == *own)
}

/// Moves what was fetched to where it stays; what was there goes.
pub fn settle(staged: &Path, place: &Path) -> io::Result<()> {
    if let Some(above) = place.parent() {
        files::create_private_dir(above)?;
    }
    remove(place)?;
    fs::rename(staged, place)
}

/// Takes a folder or file away; one that is not there is fine.
pub fn remove(path: &Path) -> io::Result<()> {
    let removed = match fs::symlink_metadata(path) {
        Ok(found) if found.is_dir() => fs::remove_dir_all(path),
        Ok(_) => fs::remove_file(path),
        Err(error) => Err(error),
    };
    match removed {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        removed => removed,
    }
}

/// Writes a small file of ours into a copy.
pub fn write(path: &Path, text: &str) -> io::Result<()> {
    if let Some(above) = path.parent() {
        files::create_private_dir(above)?;
    }
    files::write_private(path, text)
}

/// Writes a file that was fetched.
pub fn write_bytes(path: &Path, bytes: &[u8]) -> io::Result<()> {
    fs::write(path, bytes)
}

/// The text of a small file; `None` when there is none.
pub fn read_text(path: &Path) -> Result<Option<String>, String> {
    files::read(path).map_err(|error| error.to_string())
}

/// Whether something is there.
pub fn is_there(path: &Path) -> bool {
    files::exists(path)
}

/// The hash of a file's bytes, as lower-case hexadecimal digits.
pub fn sha256(path: &Path) -> io::Result<String> {
    let text = crate::hash::of_bytes(&fs::read(path)?);
    Ok(text.trim_start_matches("sha256:").to_owned())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn packed(
        fill: impl FnOnce(&mut tar::Builder<flate2::write::GzEncoder<File>>),
    ) -> (TempDir, PathBuf) {
        let base = tempfile::tempdir().unwrap();
        let path = base.path().join("a.tgz");
        let file = File::create(&path).unwrap();
        let gz = flate2::write::GzEncoder::new(file, flate2::Compression::fast());
        let mut tar = tar::Builder::new(gz);
        fill(&mut tar);
        tar.into_inner().unwrap().finish().unwrap();
        (base, path)
    }

    /// One member, also with a name that the builder itself would refuse.
    fn member(tar: &mut tar::Builder<flate2::write::GzEncoder<File>>, name: &str, kind: EntryType) {
        let mut header = tar::Header::new_gnu();
        let bytes = name.as_bytes();
        header.as_old_mut().name[..bytes.len()].copy_from_slice(bytes);
        header.set_entry_type(kind);
        header.set_mode(0o755);
        let body: &[u8] = if kind.is_file() { b"text" } else { b"" };
        header.set_size(body.len() as u64);
        if kind.is_symlink() || kind.is_hard_link() {
            header.set_link_name("/etc/passwd").unwrap();
        }
        header.set_cksum();
        tar.append(&header, body).unwrap();
    }

    #[test]
    fn an_archive_holds_files_and_folders_only() {
        let check = |name: &str, kind: EntryType, expect: bool| {
            let (base, path) = packed(|tar| {
                member(tar, "package/plugin.json", EntryType::Regular);
                member(tar, name, kind);
            });
            let found = unpack(&path, &base.path().join("out"));
            assert_eq!(found.is_ok(), expect, "{name}: {found:?}");
        };
        check("package/x/run.sh", EntryType::Regular, true);
        check("package/x/", EntryType::Directory, true);
        check("package/link", EntryType::Symlink, false);
        check("package/link", EntryType::Link, false);
        check("package/pipe", EntryType::Fifo, false);
        check("package/dev", EntryType::Char, false);
        check("../out2/x", EntryType::Regular, false);
        check("/abs", EntryType::Regular, false);
        check("package/../../x", EntryType::Regular, false);
        check("package/plugin.json", EntryType::Regular, false);
    }

    #[test]
    fn the_one_folder_of_an_archive_is_the_plugin() {
        let (base, path) = packed(|tar| member(tar, "package/run.sh", EntryType::Regular));
        let root = unpack(&path, &base.path().join("out")).unwrap();
        assert_eq!(root, base.path().join("out/package"));
        assert_eq!(fs::metadata(root.join("run.sh")).unwrap().permissions().mode() & 0o777, 0o755);
        let (base, path) = packed(|tar| member(tar, "skills/a/SKILL.md", EntryType::Regular));
        assert_eq!(unpack(&path, &base.path().join("out")).unwrap(), base.path().join("out"));
    }

    #[test]
    fn a_folder_with_a_link_is_refused() {
        let base = tempfile::tempdir().unwrap();
        let from = base.path().join("from");
        fs::create_dir_all(from.join(".git")).unwrap();
        fs::create_dir_all(from.join("skills/a")).unwrap();
        fs::write(from.join("skills/a/SKILL.md"), "x").unwrap();
        copy(&from, &base.path().join("to")).unwrap();
        assert!(base.path().join("to/skills/a/SKILL.md").exists());
        assert!(!base.path().join("to/.git").exists());
        symlink("/etc/passwd", from.join("skills/a/b")).unwrap();
        let refused = copy(&from, &base.path().join("again"));
        assert!(matches!(refused, Err(TreeError::Link(_))), "{refused:?}");
    }

    #[test]
    fn what_settles_takes_the_place_of_what_was_there() {
        let base = tempfile::tempdir().unwrap();
        let staging = staging(&base.path().join("plugins")).unwrap();
        let staged = staging.path().join("new");
        fs::create_dir(&staged).unwrap();
        fs::write(staged.join("x"), "new").unwrap();
        let place = base.path().join("plugins/cache/m/a/1");
        fs::create_dir_all(place.join("old")).unwrap();
        settle(&staged, &place).unwrap();
        assert!(place.join("x").exists() && !place.join("old").exists());
        remove(&place).unwrap();
        remove(&place).unwrap();
        assert!(!place.exists());
    }
}
