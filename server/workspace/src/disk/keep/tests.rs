//! What a file had before a write, it has after it.

use crate::disk::test::{mode, set_mode, write};
use crate::disk::{WriteOptions, write_atomic};
use rustix::fs::XattrFlags;
use std::path::Path;

/// Some file systems keep no attributes; then there is nothing to lose.
fn set(path: &Path, name: &str, value: &[u8]) -> bool {
    rustix::fs::setxattr(path, name, value, XattrFlags::empty()).is_ok()
}

fn get(path: &Path, name: &str) -> Option<Vec<u8>> {
    let mut value = vec![0; 1000];
    let length = rustix::fs::getxattr(path, name, &mut value[..]).ok()?;
    value.truncate(length);
    Some(value)
}

/// An access list as the kernel stores it: the owner, the user 1234, the group, the mask, others.
fn access_list(user: u16) -> Vec<u8> {
    const NOBODY: u32 = u32::MAX;
    let entries: [(u16, u16, u32); 5] =
        [(1, 6, NOBODY), (2, user, 1234), (4, 4, NOBODY), (0x10, 6, NOBODY), (0x20, 4, NOBODY)];
    let mut bytes = 2_u32.to_le_bytes().to_vec();
    for (tag, rights, id) in entries {
        bytes.extend(tag.to_le_bytes());
        bytes.extend(rights.to_le_bytes());
        bytes.extend(id.to_le_bytes());
    }
    bytes
}

#[test]
fn attributes_and_access_lists_stay() {
    let keep = tempfile::tempdir().unwrap();
    let root = keep.path().canonicalize().unwrap();
    let file = root.join("file");
    write(&file, b"old");
    set_mode(&file, 0o640);
    let tagged = set(&file, "user.tag", b"blue") && set(&file, "user.empty", b"");
    let listed = set(&file, "system.posix_acl_access", &access_list(6));
    let before = mode(&file);
    write_atomic(&file, b"new", &WriteOptions::default()).unwrap();
    assert_eq!(mode(&file), before);
    if tagged {
        assert_eq!(get(&file, "user.tag").as_deref(), Some(&b"blue"[..]));
        assert_eq!(get(&file, "user.empty").as_deref(), Some(&b""[..]));
    }
    if listed {
        assert_eq!(get(&file, "system.posix_acl_access"), Some(access_list(6)));
    }
}

#[test]
fn what_a_folder_gives_to_new_files_is_not_given_to_old_ones() {
    let keep = tempfile::tempdir().unwrap();
    let root = keep.path().canonicalize().unwrap();
    let (old, new) = (root.join("old"), root.join("new"));
    write(&old, b"secret");
    set_mode(&old, 0o660);
    if !set(&root, "system.posix_acl_default", &access_list(6)) {
        return;
    }
    write_atomic(&old, b"still secret", &WriteOptions::default()).unwrap();
    assert_eq!(get(&old, "system.posix_acl_access"), None);
    assert_eq!(mode(&old), 0o660);
    write_atomic(&new, b"shared", &WriteOptions::default()).unwrap();
    assert!(get(&new, "system.posix_acl_access").is_some());
}
