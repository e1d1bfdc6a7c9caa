//! Caches of package managers and compilers. Those in the home can only be read, which makes many
//! of these programs fail, and a command that could write them would reach every other project. So
//! each workspace has a cache of its own for commands, which stays.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use super::layout::Layout;

/// The variable by which each program finds its cache, and the folder it gets.
const CACHES: [(&str, &str); 11] = [
    ("npm_config_cache", "npm"),
    ("npm_config_store_dir", "pnpm"),
    ("YARN_CACHE_FOLDER", "yarn"),
    ("BUN_INSTALL_CACHE_DIR", "bun"),
    ("DENO_DIR", "deno"),
    ("PIP_CACHE_DIR", "pip"),
    ("UV_CACHE_DIR", "uv"),
    ("GOCACHE", "go-build"),
    ("CCACHE_DIR", "ccache"),
    ("SCCACHE_DIR", "sccache"),
    ("COMPOSER_CACHE_DIR", "composer"),
];

/// The folder, which nobody else may enter, as it really is.
pub(crate) fn prepare(cache: &Path) -> io::Result<PathBuf> {
    fs::DirBuilder::new().recursive(true).mode(0o700).create(cache)?;
    cache.canonicalize()
}

/// What leads programs there. Where the user's own choice can be written, it stays.
pub(crate) fn environment(
    cache: Option<&Path>,
    given: &[(OsString, OsString)],
    layout: &Layout,
) -> Vec<(OsString, OsString)> {
    let Some(cache) = cache.and_then(|cache| cache.canonicalize().ok()) else { return Vec::new() };
    if !layout.may_write(&cache) {
        return Vec::new();
    }
    let is_kept = |name: &str| {
        let own = given.iter().rev().find(|(given, _)| given == name);
        own.is_some_and(|(_, value)| layout.may_write(Path::new(value)))
    };
    let wanted = CACHES.iter().filter(|(name, _)| !is_kept(name));
    wanted.map(|(name, folder)| (name.into(), cache.join(folder).into())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sandbox::layout::Access;

    #[test]
    fn the_users_own_choice_stays_where_it_can_be_written() {
        let folder = tempfile::tempdir().unwrap();
        let cache = prepare(&folder.path().join("a/b")).unwrap();
        let mut layout = Layout::default();
        let given = [("GOCACHE".into(), "/w/go".into()), ("PIP_CACHE_DIR".into(), "/h/pip".into())];
        assert_eq!(environment(Some(&cache), &given, &layout), []);
        layout.set(&cache, Access::Write);
        layout.set("/w", Access::Write);
        let env = environment(Some(&cache), &given, &layout);
        let find = |name: &str| env.iter().find(|(key, _)| key == name).map(|(_, value)| value);
        assert_eq!(find("GOCACHE"), None);
        assert_eq!(find("PIP_CACHE_DIR"), Some(&cache.join("pip").into_os_string()));
        assert_eq!(find("npm_config_cache"), Some(&cache.join("npm").into_os_string()));
        assert_eq!(environment(None, &given, &layout), []);
    }
}
