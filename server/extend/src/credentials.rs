//! `$BOWLINE_HOME/credentials.json`: the keys that `bowline auth login` stored, or, where the system
//! has a keychain, which keys are in it. `mcp-credentials.json` is the same for the tokens of MCP
//! servers, `plugin-credentials.json` for what plugins were told and nobody is to see.
//!
//! A key belongs to one server and is not shown to another. A file is for the user alone, and one
//! that others may read is not used.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::files;

const FILE: &str = "credentials.json";
const MCP_FILE: &str = "mcp-credentials.json";
pub(crate) const PLUGIN_FILE: &str = "plugin-credentials.json";
/// A folder for each server whose token is being renewed.
const RENEWALS: &str = "mcp";

#[derive(Debug, thiserror::Error)]
pub enum CredentialsError {
    #[error(
        "The key file {} may be read by others (mode {mode:o}), so it is not used; run `chmod 600` on \
         it, and think of a new key.", .path.display()
    )]
    Open { path: PathBuf, mode: u32 },
    #[error("The key file {} {why}; remove it and sign in again.", .path.display())]
    Broken { path: PathBuf, why: String },
    #[error("The key file {} cannot be written ({error}).", .path.display())]
    Write { path: PathBuf, error: io::Error },
}

/// One stored key.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Credential {
    /// The server it is for, with a port unless it is the usual one.
    pub host: String,
    /// `None`: it is in the system's keychain.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
}

/// Everything that is stored, by service.
#[derive(Default)]
pub struct Credentials {
    path: PathBuf,
    entries: BTreeMap<String, Credential>,
}

impl Credentials {
    /// No file means no keys.
    pub fn load(bowline_home: &Path) -> Result<Credentials, CredentialsError> {
        Credentials::read(bowline_home.join(FILE))
    }

    /// The tokens of MCP servers.
    pub fn load_mcp(bowline_home: &Path) -> Result<Credentials, CredentialsError> {
        Credentials::read(bowline_home.join(MCP_FILE))
    }

    /// What plugins were told and nobody is to see.
    pub fn load_plugins(bowline_home: &Path) -> Result<Credentials, CredentialsError> {
        Credentials::read(bowline_home.join(PLUGIN_FILE))
    }

    /// Those values, by the plugin and the key.
    pub(crate) fn of_plugins(&self) -> impl Iterator<Item = ((String, String), String)> + '_ {
        self.entries.iter().filter_map(|(service, credential)| {
            let (plugin, key) = service.split_once(' ')?;
            Some(((plugin.to_owned(), key.to_owned()), credential.key.clone()?))
        })
    }

    /// Keeps one of them; nothing takes it out.
    pub fn set_of_plugin(
        &mut self,
        plugin: &str,
        key: &str,
        value: Option<&str>,
    ) -> Result<(), CredentialsError> {
        let service = format!("{plugin} {key}");
        match value {
            Some(value) => {
                let key = Some(value.to_owned());
                self.set(&service, Credential { host: plugin.to_owned(), key })
            }
            None => self.remove(&service).map(drop),
        }
    }

    fn read(path: PathBuf) -> Result<Credentials, CredentialsError> {
        let broken = |why: String| CredentialsError::Broken { path: path.clone(), why };
        let entries = match files::read_with_mode(&path) {
            Ok(None) => BTreeMap::new(),
            Ok(Some((_, mode))) if mode & 0o077 != 0 => {
                return Err(CredentialsError::Open { path, mode });
            }
            // Serde's own words could repeat a part of the key.
            Ok(Some((text, _))) => serde_json::from_str(&text)
                .map_err(|error| broken(format!("is damaged in line {}", error.line())))?,
            Err(error) => return Err(broken(error.to_string())),
        };
        Ok(Credentials { path, entries })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn get(&self, service: &str) -> Option<&Credential> {
        self.entries.get(service)
    }

    pub fn set(&mut self, service: &str, credential: Credential) -> Result<(), CredentialsError> {
        self.entries.insert(service.to_owned(), credential);
        self.save()
    }

    /// Whether there was one.
    pub fn remove(&mut self, service: &str) -> Result<bool, CredentialsError> {
        let removed = self.entries.remove(service).is_some();
        if removed {
            self.save()?;
        }
        Ok(removed)
    }

    fn save(&self) -> Result<(), CredentialsError> {
        let failed = |error| CredentialsError::Write { path: self.path.clone(), error };
        let text = serde_json::to_string_pretty(&self.entries)
            .map_err(|error| failed(io::Error::other(error)))?;
        if let Some(folder) = self.path.parent() {
            files::create_private_dir(folder).map_err(failed)?;
        }
        files::write_private(&self.path, &format!("{text}\n")).map_err(failed)
    }
}

/// Keeps other processes from changing the files until it is dropped. May wait.
pub fn lock(bowline_home: &Path) -> io::Result<File> {
    files::create_private_dir(bowline_home)?;
    files::lock(bowline_home)
}

/// Keeps other processes from renewing the token of this name until it is dropped. May wait.
pub fn lock_renewal(bowline_home: &Path, name: &str) -> io::Result<File> {
    let folder = bowline_home.join(RENEWALS).join(name);
    files::create_private_dir(&folder)?;
    files::lock(&folder)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn credential(key: Option<&str>) -> Credential {
        Credential { host: "api.example.com".into(), key: key.map(str::to_owned) }
    }

    #[test]
    fn keys_are_kept_for_the_user_alone() {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("new");
        let mut credentials = Credentials::load(&folder).unwrap();
        assert!(credentials.get("anthropic").is_none());
        credentials.set("anthropic", credential(Some("k"))).unwrap();
        credentials.set("openai", credential(None)).unwrap();
        let mode = credentials.path().metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        let mut again = Credentials::load(&folder).unwrap();
        assert!(again.get("anthropic") == Some(&credential(Some("k"))));
        assert!(again.get("openai") == Some(&credential(None)));
        assert!(again.remove("anthropic").unwrap());
        assert!(!again.remove("anthropic").unwrap());
        assert!(Credentials::load(&folder).unwrap().get("anthropic").is_none());
    }

    #[test]
    fn a_file_that_others_may_read_is_not_used() {
        let home = tempfile::tempdir().unwrap();
        let mut credentials = Credentials::load(home.path()).unwrap();
        credentials.set("anthropic", credential(Some("canary-key"))).unwrap();
        for mode in [0o644, 0o640, 0o604, 0o620] {
            std::fs::set_permissions(credentials.path(), PermissionsExt::from_mode(mode)).unwrap();
            let error = Credentials::load(home.path()).err().unwrap();
            assert!(error.to_string().contains("may be read by others"), "{error}");
        }
    }

    #[test]
    fn a_damaged_file_is_told_without_its_text() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join(FILE);
        files::write_private(&path, "{\"anthropic\": \"canary-key\"}").unwrap();
        let error = Credentials::load(home.path()).err().unwrap().to_string();
        assert!(error.contains("line 1") && !error.contains("canary"), "{error}");
    }
}
