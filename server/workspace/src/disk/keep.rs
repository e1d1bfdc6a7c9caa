//! What a file keeps when its bytes are replaced: owner, mode, access list and attributes.

use std::ffi::CStr;
use std::fs::{File, Permissions};
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt};

use rustix::fs::{Gid, Uid, XattrFlags};
use rustix::io::Errno;

const ACCESS_LIST: &CStr = c"system.posix_acl_access";

/// Gives a new file what an old one has. What cannot be kept is an error, but for the owner.
pub(super) fn keep(old: &File, new: &File) -> io::Result<()> {
    let (before, now) = (old.metadata()?, new.metadata()?);
    let mut mode = before.mode() & 0o7777;
    if (now.uid(), now.gid()) != (before.uid(), before.gid()) {
        let (uid, gid) = (Uid::from_raw(before.uid()), Gid::from_raw(before.gid()));
        if rustix::fs::fchown(new, Some(uid), Some(gid)).is_err() {
            // The file is ours from now on, so it must not run with the rights of its old owner.
            mode &= 0o777;
        }
    }
    attributes(old, new)?;
    // Last, because a change of the owner takes bits away, and so does one of the access list.
    new.set_permissions(Permissions::from_mode(mode))
}

fn attributes(old: &File, new: &File) -> io::Result<()> {
    let (old_names, new_names) = (names(old)?, names(new)?);
    let has = |names: &[u8], name: &CStr| split(names).any(|other| other == name);
    // The folder may give every new file an access list, with rights that the old one never gave.
    if has(&new_names, ACCESS_LIST) && !has(&old_names, ACCESS_LIST) {
        rustix::fs::fremovexattr(new, ACCESS_LIST)?;
    }
    for name in split(&old_names).filter(|name| is_kept(name)) {
        let mut value = vec![0; rustix::fs::fgetxattr_query(old, name)?];
        let length = rustix::fs::fgetxattr(old, name, &mut value[..])?;
        value.truncate(length);
        rustix::fs::fsetxattr(new, name, &value, XattrFlags::empty())?;
    }
    Ok(())
}

/// What users and their programs say about a file. What the system says about it (that it may do
/// more than others, for one) was said about the old bytes.
fn is_kept(name: &CStr) -> bool {
    let bytes = name.to_bytes();
    name == ACCESS_LIST || bytes.starts_with(b"user.") || bytes.starts_with(b"com.apple.")
}

/// The names of all attributes, each with a NUL behind it.
fn names(file: &File) -> io::Result<Vec<u8>> {
    let none = |errno| match errno {
        Errno::NOTSUP | Errno::NOSYS => Ok(0),
        errno => Err(errno),
    };
    let size = rustix::fs::flistxattr_query(file).or_else(none)?;
    if size == 0 {
        return Ok(Vec::new());
    }
    let mut names = vec![0; size];
    let length = rustix::fs::flistxattr(file, &mut names[..])?;
    names.truncate(length);
    Ok(names)
}

fn split(names: &[u8]) -> impl Iterator<Item = &CStr> {
    names.split_inclusive(|byte| *byte == 0).filter_map(|name| CStr::from_bytes_with_nul(name).ok())
}

#[cfg(test)]
mod tests;
