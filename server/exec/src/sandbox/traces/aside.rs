//! Where things go that must not stay where a command put them.

use std::fs;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::{DirBuilderExt, symlink};
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, Mode, OFlags, renameat};
use rustix::io::Errno;

/// One folder for what one command made, with all of the paths below it. Made when it is needed.
pub(super) struct Aside {
    above: PathBuf,
    made: Option<PathBuf>,
}

impl Aside {
    pub(super) fn new(above: &Path) -> Aside {
        Aside { above: above.to_owned(), made: None }
    }

    /// Moves `path` here and says where it is now.
    pub(super) fn take(&mut self, path: &Path) -> io::Result<PathBuf> {
        let missing = || io::Error::from(io::ErrorKind::NotFound);
        let (parent, name) = path.parent().zip(path.file_name()).ok_or_else(missing)?;
        let inner = parent.strip_prefix("/").map_err(|_| missing())?;
        let folder = self.made()?.join(inner);
        fs::create_dir_all(&folder)?;
        let place = folder.join(name);
        match renameat(open(parent)?, name, CWD, &place) {
            Ok(()) => Ok(place),
            Err(Errno::XDEV) => {
                copy(path, &place)?;
                remove(path)?;
                Ok(place)
            }
            Err(error) => Err(error.into()),
        }
    }

    fn made(&mut self) -> io::Result<PathBuf> {
        if let Some(made) = &self.made {
            return Ok(made.clone());
        }
        // Nobody else has to know what was in there.
        fs::DirBuilder::new().recursive(true).mode(0o700).create(&self.above)?;
        let made = tempfile::Builder::new().prefix("made-").tempdir_in(&self.above)?.keep();
        Ok(self.made.insert(made).clone())
    }
}

/// The folder something was found in, wherever a link may lead by now.
fn open(folder: &Path) -> rustix::io::Result<OwnedFd> {
    let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    #[cfg(target_os = "linux")]
    return rustix::fs::openat2(
        CWD,
        folder,
        flags | OFlags::PATH,
        Mode::empty(),
        rustix::fs::ResolveFlags::NO_SYMLINKS,
    );
    #[cfg(not(target_os = "linux"))]
    return rustix::fs::openat(CWD, folder, flags, Mode::empty());
}

/// Links are copied as links, and what is neither file nor folder is left out.
fn copy(from: &Path, to: &Path) -> io::Result<()> {
    let metadata = fs::symlink_metadata(from)?;
    if metadata.is_symlink() {
        symlink(fs::read_link(from)?, to)
    } else if metadata.is_dir() {
        fs::create_dir(to)?;
        fs::read_dir(from)?.try_for_each(|entry| {
            let entry = entry?;
            copy(&entry.path(), &to.join(entry.file_name()))
        })
    } else if metadata.is_file() {
        fs::copy(from, to).map(drop)
    } else {
        Ok(())
    }
}

fn remove(path: &Path) -> io::Result<()> {
    if fs::symlink_metadata(path)?.is_dir() {
        fs::remove_dir_all(path)
    } else {
        fs::remove_file(path)
    }
}
