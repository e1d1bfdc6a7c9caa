//! Where Bowline keeps what belongs to the user: `$BOWLINE_HOME`, else `~/.bowline`.

use std::io;
use std::path::{Path, PathBuf};

use crate::files;

#[derive(Debug, thiserror::Error)]
pub enum HomeError {
    #[error("There is no home directory; set BOWLINE_HOME to an absolute path.")]
    NoHome,
    #[error("BOWLINE_HOME is `{0}`, which is not absolute; set it to an absolute path.")]
    Relative(PathBuf),
    #[error("The folder {path} cannot be created ({error}); set BOWLINE_HOME to one that can.")]
    Create { path: PathBuf, error: io::Error },
}

/// `value` is what the environment says. A relative one is refused: it would mean another folder
/// in every project, and a project must not bring our state along.
pub fn locate(value: Option<&Path>, home: Option<&Path>) -> Result<PathBuf, HomeError> {
    match value.filter(|value| !value.as_os_str().is_empty()) {
        None => home.map(|home| home.join(".bowline")).ok_or(HomeError::NoHome),
        // Editors set variables without a shell that would expand the tilde.
        Some(value) => match value.strip_prefix("~") {
            Ok(rest) => home.map(|home| home.join(rest)).ok_or(HomeError::NoHome),
            Err(_) if value.is_absolute() => Ok(value.to_owned()),
            Err(_) => Err(HomeError::Relative(value.to_owned())),
        },
    }
}

/// Makes the folder for the user alone (0700). One that is there keeps its mode: it may be a
/// folder that others use as well.
pub fn create(path: &Path) -> Result<(), HomeError> {
    let failed = |error| HomeError::Create { path: path.to_owned(), error };
    files::create_private_dir(path).map_err(failed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn the_place_is_the_variable_or_the_home_folder() {
        let check = |value: Option<&str>, home: Option<&str>, expect: Option<&str>| {
            let found = locate(value.map(Path::new), home.map(Path::new)).ok();
            assert_eq!(found.as_deref(), expect.map(Path::new), "{value:?} {home:?}");
        };
        check(None, Some("/home/ann"), Some("/home/ann/.bowline"));
        check(Some(""), Some("/home/ann"), Some("/home/ann/.bowline"));
        check(Some("/srv/b"), Some("/home/ann"), Some("/srv/b"));
        check(Some("/srv/b"), None, Some("/srv/b"));
        check(Some("~/b"), Some("/home/ann"), Some("/home/ann/b"));
        check(Some("~/b"), None, None);
        check(Some("./b"), Some("/home/ann"), None);
        check(Some("~ann/b"), Some("/home/ann"), None);
        check(None, None, None);
    }

    #[test]
    fn a_new_folder_is_private_and_an_old_one_keeps_its_mode() {
        let temp = tempfile::tempdir().unwrap();
        let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
        let fresh = temp.path().join("a/b");
        create(&fresh).unwrap();
        assert_eq!((mode(&fresh), mode(fresh.parent().unwrap())), (0o700, 0o700));

        let shared = temp.path().join("shared");
        create(&shared).unwrap();
        std::fs::set_permissions(&shared, PermissionsExt::from_mode(0o755)).unwrap();
        create(&shared).unwrap();
        assert_eq!(mode(&shared), 0o755);
    }

    #[test]
    fn a_file_in_the_way_is_an_error() {
        let temp = tempfile::NamedTempFile::new().unwrap();
        assert!(create(temp.path()).is_err());
    }
}
