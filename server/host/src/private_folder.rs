//! A temporary folder that nobody but us may enter, gone when it is dropped.

use std::fs::Permissions;
use std::io;
use std::os::unix::fs::PermissionsExt as _;

use tempfile::{Builder, TempDir};

pub fn private_folder() -> io::Result<TempDir> {
    Builder::new().prefix("bowline-").permissions(Permissions::from_mode(0o700)).tempdir()
}
